// What: the contacts of a shape and a mesh: triangles near it, a manifold of each, and the few that stay.
// Promise: as graze/model_contact.h says.
// Idea: what is common with the contacts of two meshes is done by the steps of manifold.c: contacts of the same features
//   merged, clusters made, of each the points taken that matter. A corner of the shape over an edge of the mesh is a contact
//   with both faces, of two names in one place: so points must add some length to those that are kept already.
// Threads: a block of queries has arrays of its own.
#include "graze/model_contact.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "contact_deep.h"
#include "contact_left.h"
#include "convex_contact.h"
#include "convex_slab.h"
#include "manifold_parts.h"
#include "memory.h"
#include "model_batch.h"
#include "model_edges.h"
#include "record_sort.h"
#include "refuse_null.h"

#define CONTACT_MARK 0x4D436F59u

// Points that add less than this part of the smaller size to those that are kept are not. Normals may lean by as much
// over a flat edge (convex_mesh.c), which shifts the point of a round shape.
#define SAME_PLACE 1e-3

struct grzModelContacts {
    ModelBatch batch;
    uint64_t testsBefore; // by all blocks before the last find
};

typedef struct ContactScratch {
    grzManifolds* manifolds;
    LeftContacts left;
    DeepContacts deep;
    bool isDoubtful, isDeep; // of a walk: a triangle is doubtful; those that are overlapped go to `deep`
    uint64_t tests;          // of triangles, ever
} ContactScratch;

grzModelContactQuery grzDefaultModelContactQuery(void) {
    grzModelContactQuery query;
    memset(&query, 0, sizeof query);
    query.mark = CONTACT_MARK;
    query.pose = query.shapePose = grzTransform_Identity();
    query.pointCount = 4;
    query.likeCosine = 0.95F;
    return query;
}

static const char* flawOf(const grzModelContactQuery* query) {
    if (query->edges == NULL)
        return "edges is NULL";
    if (query->pointCount == 0)
        return "a cluster must have a point";
    if (!(query->likeCosine >= -1 && query->likeCosine <= 1))
        return "likeCosine is not a cosine";
    if (query->previous == NULL && query->previousCount != 0)
        return "previous is NULL, but previousCount is not 0";
    if (query->margin > 1e15F)
        return "margin is above 1e15";
    return NULL;
}

static grzResult setModelView(ShapeView* view, const grzModelContactQuery* query) {
    grzModelShape shape = grzDefaultModelShape();
    shape.model = query->edges->model;
    shape.pose = query->pose;
    shape.shape = query->shape;
    shape.shapePose = query->shapePose;
    shape.margin = query->margin;
    const grzResult result = grzShapeView_Set(view, &shape);
    if (grzResult_IsOk(result) && view->place.determinant < 0)
        return grzBecause(grzFail(grz_badArgument, 1), "a pose of the mesh that mirrors");
    return result;
}

static grzResult setView(ShapeView* view, const grzModelContactQuery* query) {
    if (query == NULL || query->mark != CONTACT_MARK)
        return grzFail(grz_badDef, 0);
    const char* flaw = flawOf(query);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    grzResult result = setModelView(view, query);
    if (grzResult_IsOk(result) && !grzPose_IsRigid(query->shapePose))
        return grzBecause(grzFail(grz_badArgument, 1), "a pose of the shape that is not rigid");
    return result;
}

static DeepQuery deepOf(const grzModelContactQuery* query, const EdgesView* edges) {
    return (DeepQuery){edges, query, query->edges->isSolid && !query->isTwoSided};
}

static EdgesView edgesOf(const grzModelContactQuery* query, const ShapeView* view) {
    return (EdgesView){view, &query->edges->mesh, query->edges->places};
}

// ------------------------------------------------------------------------------------------------------ raw contacts

static void takeContact(RawContacts* raw, const ShapeView* view, const grzContact* contact) {
    RawContact* made = &raw->data[raw->count++];
    memset(made, 0, sizeof *made);
    made->contact = *contact;
    made->contact.point = grzVec3d_ToVec3(grzVec3d_Add(grzVec3d_FromVec3(contact->point), view->base));
}

// Where a box's axes tell, nothing else is asked.
static bool isBeside(const ShapeView* view, const grzVec3d at[3]) {
    const SlabKind kind =
        view->core.kind == coreBox ? grzCompareSlab(&view->core, at, view->margin).kind : slabUnknown;
    return kind == slabBeside || (kind == slabUnknown && grzShapeView_IsBeside(view, at, view->margin));
}

// Makes the contacts of a triangle raw ones, and tells the least of their separations; infinite: there are none.
static grzResult takeManifold(const grzModelContactQuery* query, const ShapeView* view, const grzManifold* manifold,
                              grzManifolds* manifolds, float* least) {
    grzContact contacts[GRZ_MANIFOLD_MOST_POINTS];
    const uint32_t count = grzManifold_ToContacts(manifold, query->shapeBody, query->meshBody, contacts);
    RawContacts* raw = &manifolds->raw;
    if (!grzArray_Reserve(raw, &manifolds->allocator, raw->count + count))
        return grzNoMemory(raw->count + count, sizeof *raw->data);
    *least = INFINITY;
    for (uint32_t i = 0; i < count; ++i) {
        *least = contacts[i].separation < *least ? contacts[i].separation : *least;
        takeContact(raw, view, &contacts[i]);
    }
    return grzOk();
}

// Whether a triangle is overlapped, as far as its own touch tells. One that the shape touches within `rounding` is,
// too: what is flush with its side, by rounding alone, leaves over it.
static bool isSunk(const grzManifold* manifold, const LeftContact* left, double rounding) {
    bool isSunk = left->isLeft && left->separation < 0;
    for (uint32_t i = 0; i < manifold->pointCount; ++i)
        isSunk |= (double)manifold->points[i].separation < (left->isLeft ? 0 : rounding);
    return isSunk;
}

// What its neighbours leave to it is taken, too.
static grzResult addSunk(const DeepQuery* deep, const grzMeshTriangle* triangle, const grzManifold* manifold,
                         const LeftContact* left, ContactScratch* scratch) {
    const grzAllocator* allocator = &scratch->manifolds->allocator;
    const LeftContact none = {.isLeft = false};
    return grzDeepContacts_Add(&scratch->deep, allocator, deep, triangle, manifold, left) &&
                   grzLeftContacts_Add(&scratch->left, allocator, triangle->face, -FLT_MAX, &none)
               ? grzOk()
               : grzNoMemory(scratch->deep.count + 1, sizeof *scratch->deep.data);
}

static grzResult addTriangle(const grzModelContactQuery* query, const EdgesView* edges, uint32_t id,
                             ContactScratch* scratch) {
    const ShapeView* view = edges->view;
    const grzAllocator* allocator = &scratch->manifolds->allocator;
    grzMeshTriangle triangle;
    grzManifold manifold;
    LeftContact left;
    grzVec3d at[3];
    float least;
    grzEdgesView_GetCorners(edges, id, at);
    if (isBeside(view, at))
        return grzOk();
    grzEdgesView_GetTriangle(edges, id, at, &triangle);
    triangle.isTwoSided = query->isTwoSided;
    grzResult result =
        grzCollideTriangle(&view->core, grzVec3d_Make(0, 0, 0), &triangle, view->margin, &manifold, &left);
    if (!grzResult_IsOk(result))
        return result;
    const DeepQuery deep = deepOf(query, edges);
    const bool isMisled = grzDeepContacts_IsMisled(&deep, &manifold, &left);
    if (isMisled)
        grzClearManifold(&manifold);
    if (scratch->isDeep && !isMisled && isSunk(&manifold, &left, grzDeepContacts_Least(view)))
        return addSunk(&deep, &triangle, &manifold, &left, scratch);
    result = takeManifold(query, view, &manifold, scratch->manifolds, &least);
    scratch->isDoubtful |= grzDeepContacts_IsDoubtful(&deep, at, &manifold, &left, least);
    if (grzResult_IsOk(result) && !grzLeftContacts_Add(&scratch->left, allocator, id, least, &left))
        result = grzNoMemory(scratch->left.said.count + 1, sizeof *scratch->left.said.data);
    return result;
}

// Gives a triangle what it left, as if it had no neighbours and two sides: the deepest point, so that contacts that the neighbours
// have of other features stay as they are.
static grzResult addOrphan(const grzModelContactQuery* query, const EdgesView* edges, uint32_t id,
                           grzManifolds* manifolds) {
    const ShapeView* view = edges->view;
    grzMeshTriangle triangle;
    grzManifold manifold = {.pointCount = 0};
    LeftContact left;
    grzVec3d at[3];
    float least;
    grzEdgesView_GetCorners(edges, id, at);
    grzEdgesView_GetTriangle(edges, id, at, &triangle);
    triangle.isTwoSided = true;
    for (int k = 0; k < 3; ++k)
        triangle.neighborNormals[k] = grzVec3_Zero();
    const grzResult result =
        grzCollideTriangle(&view->core, grzVec3d_Make(0, 0, 0), &triangle, view->margin, &manifold, &left);
    manifold.pointCount = manifold.pointCount > 1 ? 1 : manifold.pointCount;
    return grzResult_IsOk(result) ? takeManifold(query, view, &manifold, manifolds, &least) : result;
}

static grzResult addOrphans(const grzModelContactQuery* query, const EdgesView* edges, ContactScratch* scratch) {
    LeftContacts* left = &scratch->left;
    grzManifolds* manifolds = scratch->manifolds;
    grzResult result = grzOk();
    if (left->leftCount == 0)
        return result;
    if (!grzLeftContacts_Finish(left, &manifolds->allocator))
        return grzNoMemory(left->said.count, sizeof *left->slots.data);
    for (size_t i = 0; i < left->said.count && grzResult_IsOk(result); ++i)
        if (grzLeftContacts_IsOrphan(left, edges, i, manifolds->nearness, query->isTwoSided))
            result = addOrphan(query, edges, left->said.data[i].triangle, manifolds);
    return result;
}

static grzResult findNear(const grzModelContactQuery* query, const EdgesView* edges, ContactScratch* scratch) {
    const ShapeView* view = edges->view;
    ShapeWalk walk;
    grzShapeView_BeginWalk(view, view->margin, &walk);
    walk.enough = 64;
    for (;;) {
        GRZ_PICK_KERNEL(grzModelShapeWalk)(&walk);
        if (walk.count == 0)
            return grzOk();
        scratch->tests += walk.count;
        for (uint32_t i = 0; i < walk.count; ++i) {
            const uint32_t id = grzModel_TriangleId(view->model, walk.triangles[i]);
            const grzResult result = addTriangle(query, edges, id, scratch);
            if (!grzResult_IsOk(result))
                return result;
        }
    }
}

static void beginFind(ContactScratch* scratch, bool isDeep) {
    scratch->manifolds->raw.count = scratch->deep.count = 0;
    scratch->isDoubtful = false;
    scratch->isDeep = isDeep;
    grzLeftContacts_Begin(&scratch->left);
}

// A shape that no triangle in front of it is near may be inside.
static bool mayBeInside(const grzModelContactQuery* query, const ContactScratch* scratch) {
    return query->edges->isSolid && !query->isTwoSided && scratch->manifolds->raw.count == 0;
}

// Where triangles cannot tell one by one, those that the shape overlaps are looked at together.
static grzResult findDeep(const grzModelContactQuery* query, const EdgesView* edges, ContactScratch* scratch) {
    const grzAllocator* allocator = &scratch->manifolds->allocator;
    const DeepQuery deep = deepOf(query, edges);
    grzResult result = grzOk();
    if (scratch->isDoubtful) {
        beginFind(scratch, true);
        result = findNear(query, edges, scratch);
    }
    if (grzResult_IsOk(result) && !grzDeepContacts_AddInside(&scratch->deep, allocator, &deep))
        result = grzNoMemory(scratch->deep.count + 1, sizeof *scratch->deep.data);
    if (grzResult_IsOk(result))
        grzDeepContacts_Choose(&scratch->deep, &deep);
    for (size_t i = 0; i < scratch->deep.count && grzResult_IsOk(result); ++i) {
        grzManifold manifold;
        float least;
        result = grzDeepContacts_Make(&scratch->deep, i, &deep, &manifold);
        if (grzResult_IsOk(result))
            result = takeManifold(query, edges->view, &manifold, scratch->manifolds, &least);
    }
    return result;
}

// ---------------------------------------------------------------------------------------------------- what is kept

static grzResult giveKept(const grzManifolds* manifolds, BatchBlock* block, const grzAllocator* allocator) {
    const RawContacts* raw = &manifolds->raw;
    for (size_t i = 0; i < raw->count; ++i) {
        if (!raw->data[i].isKept)
            continue;
        grzContact* room = grzBatchBlock_Append(block, 1, sizeof *room, allocator);
        if (room == NULL)
            return grzNoMemory(1, sizeof *room);
        *room = raw->data[i].contact;
    }
    return grzOk();
}

static grzResult runQuery(const void* queries, uint32_t index, BatchBlock* block, const grzAllocator* allocator) {
    const grzModelContactQuery* query = (const grzModelContactQuery*)queries + index;
    ContactScratch* scratch = block->scratch;
    ShapeView view;
    grzResult result = setView(&view, query);
    if (grzResult_IsOk(result) && scratch->manifolds == NULL)
        result = grzManifolds_Create(NULL, *allocator, &scratch->manifolds);
    if (!grzResult_IsOk(result))
        return result;
    grzManifolds* manifolds = scratch->manifolds;
    manifolds->def.pointCount = query->pointCount;
    manifolds->def.likeCosine = query->likeCosine;
    manifolds->nearness = SAME_PLACE * view.size;
    const EdgesView edges = edgesOf(query, &view);
    beginFind(scratch, false);
    result = findNear(query, &edges, scratch);
    // Always, so that what was near once may be overlapped later without a request for memory.
    if (grzResult_IsOk(result) &&
        !grzArray_Reserve(&scratch->deep, &manifolds->allocator, scratch->left.said.count + 1))
        result = grzNoMemory(scratch->left.said.count + 1, sizeof *scratch->deep.data);
    if (grzResult_IsOk(result) && (scratch->isDoubtful || mayBeInside(query, scratch)))
        result = findDeep(query, &edges, scratch);
    if (grzResult_IsOk(result))
        result = addOrphans(query, &edges, scratch);
    if (!grzResult_IsOk(result) || manifolds->raw.count == 0)
        return result;
    if (!grzManifolds_Merge(manifolds))
        return grzNoMemory(manifolds->raw.count, sizeof *manifolds->raw.data);
    grzManifolds_MarkThose(manifolds, query->previous, query->previousCount);
    grzManifolds_Reduce(manifolds);
    return giveKept(manifolds, block, allocator);
}

static void callArrays(void* data, grzArrayCall* call, const grzAllocator* allocator) {
    ContactScratch* scratch = data;
    grzArray_Call(&scratch->left.said, call, allocator);
    grzArray_Call(&scratch->left.slots, call, allocator);
    grzArray_Call(&scratch->deep, call, allocator);
    if (scratch->manifolds != NULL)
        grzManifolds_CallArrays(scratch->manifolds, call);
}

static void releaseManifolds(void* scratch) {
    grzManifolds_Destroy(((ContactScratch*)scratch)->manifolds);
}

// ------------------------------------------------------------------------------------------------------------ object

static const BatchType contactBatch = {sizeof(grzContact), sizeof(ContactScratch), runQuery, callArrays,
                                       releaseManifolds};

grzResult grzModelContacts_Create(grzAllocator given, grzModelContacts** made) {
    GRZ_REFUSE_NULL(made, 2);
    grzResult result;
    *made = grzModelBatch_MakeOwner(given, sizeof **made, &contactBatch, &result);
    return result;
}

void grzModelContacts_Trim(grzModelContacts* contacts) {
    GRZ_RETURN_IF_NULL(contacts, );
    grzModelBatch_Trim(&contacts->batch);
}

void grzModelContacts_Destroy(grzModelContacts* contacts) {
    grzModelBatch_DestroyOwner(contacts, sizeof *contacts);
}

// By all blocks, ever: a sum over what was asked, whichever worker ran it.
static uint64_t testsOf(const grzModelContacts* contacts) {
    uint64_t tests = 0;
    for (size_t i = 0; i < contacts->batch.blocks.count; ++i)
        tests += ((const ContactScratch*)contacts->batch.blocks.data[i].scratch)->tests;
    return tests;
}

grzResult grzModelContacts_Find(grzModelContacts* contacts, const grzModelContactQuery* query) {
    GRZ_REFUSE_NULL(contacts, 1);
    contacts->testsBefore = testsOf(contacts);
    return grzModelBatch_RunOne(&contacts->batch, query);
}

grzResult grzModelContacts_FindMany(grzModelContacts* contacts, grzTasks* tasks,
                                    const grzModelContactQuery* queries, uint32_t count) {
    GRZ_REFUSE_NULL(contacts, 1);
    contacts->testsBefore = testsOf(contacts);
    return grzModelBatch_Run(&contacts->batch, tasks, queries, count);
}

grzModelContactsView grzModelContacts_GetView(const grzModelContacts* contacts) {
    GRZ_RETURN_IF_NULL(contacts, (grzModelContactsView){0});
    const ModelBatch* batch = &contacts->batch;
    const bool isEmpty = grzModelBatch_QueryCount(batch) == 0;
    return (grzModelContactsView){(const grzContact*)(const void*)batch->answers.data,
                                  grzModelBatch_AnswerCount(batch), grzModelBatch_Starts(batch),
                                  grzModelBatch_QueryCount(batch),
                                  isEmpty ? 0 : testsOf(contacts) - contacts->testsBefore};
}
