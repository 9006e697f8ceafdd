// What: the steps of a manifold in order, and the memory that they share.
// Holds: all arrays only grow; a refusal leaves the view empty. The previous contacts may be those of the last view:
//        they are read before the new ones are written.
#include "graze/manifold.h"

#include <math.h>

#include "check.h"
#include "graze/tri_pairs.h"
#include "graze/tri_tri.h"
#include "manifold_parts.h"
#include "memory.h"
#include "owner.h"
#include "record_sort.h"
#include "refuse_null.h"

// With a margin, points that add less than this part of the slack to those that are kept are not.
#define SAME_PLACE 0.01

enum { MANIFOLD_MARK = 0x6d666c64 };

grzManifoldDef grzDefaultManifoldDef(void) {
    grzManifoldDef def = {MANIFOLD_MARK, 4, 0.95f};
    return def;
}

static grzResult checkDef(const grzManifoldDef* def) {
    if (def->mark != MANIFOLD_MARK)
        return grzFail(grz_badDef, 0);
    if (def->pointCount == 0)
        return grzBecause(grzFail(grz_badArgument, 1), "a cluster must have a point");
    if (!(def->likeCosine >= -1 && def->likeCosine <= 1))
        return grzBecause(grzFail(grz_badArgument, 1), "likeCosine is not a cosine");
    return grzOk();
}

grzResult grzManifolds_Create(const grzManifoldDef* def, grzAllocator allocator, grzManifolds** manifolds) {
    GRZ_REFUSE_NULL(manifolds, 3);
    grzManifoldDef own = def != NULL ? *def : grzDefaultManifoldDef();
    *manifolds = NULL;
    grzResult result = checkDef(&own);
    if (!grzResult_IsOk(result))
        return result;
    *manifolds = grzOwner_New(&allocator, 2, sizeof **manifolds, 64, &result);
    if (*manifolds != NULL)
        (*manifolds)->allocator = allocator, (*manifolds)->def = own;
    return result;
}

static void callSide(PatchSide* side, grzArrayCall* call, const grzAllocator* allocator) {
    grzArray_Call(&side->vertexMarks, call, allocator);
    grzArray_Call(&side->edgeMarks, call, allocator);
    grzArray_Call(&side->edgeCuts, call, allocator);
    grzArray_Call(&side->cuts, call, allocator);
    grzArray_Call(&side->sunken, call, allocator);
    grzArray_Call(&side->extent, call, allocator);
}

void grzManifolds_CallArrays(grzManifolds* manifolds, grzArrayCall* call) {
    const grzAllocator* allocator = &manifolds->allocator;
    grzArray_Call(&manifolds->raw, call, allocator);
    grzArray_Call(&manifolds->spare, call, allocator);
    grzArray_Call(&manifolds->places, call, allocator);
    grzArray_Call(&manifolds->kinds, call, allocator);
    grzArray_Call(&manifolds->parents, call, allocator);
    grzArray_Call(&manifolds->runs, call, allocator);
    grzArray_Call(&manifolds->sheets, call, allocator);
    grzArray_Call(&manifolds->votes, call, allocator);
    grzArray_Call(&manifolds->normals, call, allocator);
    for (int i = 0; i < 2; ++i)
        callSide(&manifolds->sides[i], call, allocator);
    grzArray_Call(&manifolds->contacts, call, allocator);
}

void grzManifolds_Destroy(grzManifolds* manifolds) {
    if (manifolds == NULL)
        return;
    grzAllocator allocator = manifolds->allocator;
    grzManifolds_CallArrays(manifolds, grzFreeArray);
    grzRelease(&allocator, manifolds, 1, sizeof *manifolds, 64);
}

static grzTriSoup soupOf(const grzManifoldSide* side) {
    return (grzTriSoup){side->positions, side->mesh->triangles, side->mesh->vertexCount, side->mesh->triangleCount};
}

// The kinds of the query's pairs; NULL: no memory.
static const uint8_t* findKinds(grzManifolds* manifolds, const grzManifoldQuery* query) {
    if (query->kinds != NULL)
        return query->kinds;
    if (!grzArray_Reserve(&manifolds->kinds, &manifolds->allocator, (size_t)query->count + 1))
        return NULL;
    for (uint32_t i = 0; i < query->count; ++i) {
        grzManifoldSide_MakeTriangle(&query->a, query->pairs[i].triangleA);
        grzManifoldSide_MakeTriangle(&query->b, query->pairs[i].triangleB);
    }
    const grzTriPairQuery asked = {soupOf(&query->a), soupOf(&query->b), query->pairs, query->count, query->margin};
    grzTriPairs_Classify(NULL, &asked, manifolds->kinds.data);
    return manifolds->kinds.data;
}

static grzResult findRaw(grzManifolds* manifolds, const grzManifoldQuery* query, const uint8_t* kinds) {
    RawContacts* raw = &manifolds->raw;
    for (uint32_t i = 0; i < query->count; ++i) {
        if (kinds[i] == grz_triNone || kinds[i] == GRZ_TRI_FAR)
            continue;
        if (!grzArray_Reserve(raw, &manifolds->allocator, raw->count + GRZ_TRI_TRI_POINTS))
            return grzNoMemory(raw->count + GRZ_TRI_TRI_POINTS, sizeof *raw->data);
        grzManifolds_AddPair(manifolds, query, &query->pairs[i]);
    }
    return grzOk();
}

// The contacts of a patch are added behind all patches, so these are first told apart.
static bool solvePatches(grzManifolds* manifolds, const grzManifoldQuery* query) {
    size_t count = manifolds->raw.count;
    for (size_t first = 0, last; first < count; first = last) {
        grzVec3d direction;
        double depth;
        for (last = first + 1; last < count; ++last)
            if (manifolds->raw.data[last].patch != manifolds->raw.data[first].patch)
                break;
        const Patch patch = {query, first, last, false};
        if (!grzManifolds_FindSunken(manifolds, &patch) ||
            !grzManifolds_PickDirection(manifolds, &patch, &direction, &depth) ||
            !grzManifolds_PlaceContacts(manifolds, &patch, direction, depth))
            return false;
    }
    return true;
}

void grzManifolds_MarkThose(grzManifolds* manifolds, const grzContact* previous, uint32_t previousCount) {
    RawContacts* raw = &manifolds->raw;
    uint32_t k = 0;
    for (size_t i = 0; i < raw->count; ++i) {
        const grzContact* contact = &raw->data[i].contact;
        while (k < previousCount && grzCompareRecords(&grzContactType, &previous[k], contact) < 0)
            ++k;
        raw->data[i].wasThere = k < previousCount && grzCompareRecords(&grzContactType, &previous[k], contact) == 0;
    }
}

static grzResult takeKept(grzManifolds* manifolds) {
    ContactArray* contacts = &manifolds->contacts;
    if (!grzArray_Reserve(contacts, &manifolds->allocator, manifolds->raw.count))
        return grzNoMemory(manifolds->raw.count, sizeof *contacts->data);
    for (size_t i = 0; i < manifolds->raw.count; ++i)
        if (manifolds->raw.data[i].isKept)
            contacts->data[contacts->count++] = manifolds->raw.data[i].contact;
    return grzOk();
}

static grzResult checkQuery(const grzManifoldQuery* query) {
    const uint32_t countA = query->a.mesh->triangleCount, countB = query->b.mesh->triangleCount;
    if (query->a.body.index1 > query->b.body.index1)
        return grzBecause(grzFail(grz_badArgument, 2), "the body of a must not be above that of b");
    for (uint32_t i = 0; i < query->count; ++i) {
        const grzTrianglePair* pair = &query->pairs[i];
        if (pair->triangleA >= countA || pair->triangleB >= countB)
            return grzFailAt(grz_indexTooLarge, grz_partElement, i,
                             pair->triangleA >= countA ? pair->triangleA : pair->triangleB);
    }
    if (query->previousCount > 0 && !grzAreRecordsSorted(&grzContactType, query->previous, query->previousCount))
        return grzBecause(grzFail(grz_badArgument, 2), "the previous contacts are not in the order of their keys");
    return grzOk();
}

grzResult grzManifolds_Build(grzManifolds* manifolds, const grzManifoldQuery* query) {
    GRZ_REFUSE_NULL(manifolds, 1);
    GRZ_REFUSE_NULL(query, 2);
    manifolds->raw.count = manifolds->contacts.count = 0;
    manifolds->clusterCount = 0;
    grzResult result = checkQuery(query);
    const uint8_t* kinds = grzResult_IsOk(result) ? findKinds(manifolds, query) : NULL;
    if (grzResult_IsOk(result))
        result = kinds == NULL ? grzNoMemory(query->count, sizeof *kinds) : findRaw(manifolds, query, kinds);
    if (!grzResult_IsOk(result))
        return result;
    manifolds->nearness = query->margin > 0 ? SAME_PLACE * (double)query->slack : 0;
    if (!grzManifolds_FindPatches(manifolds, query) || !solvePatches(manifolds, query) ||
        (query->margin > 0 && !grzManifolds_AddNear(manifolds, query, kinds)) || !grzManifolds_Merge(manifolds))
        return grzNoMemory(manifolds->raw.count, sizeof *manifolds->raw.data);
    grzManifolds_MarkThose(manifolds, query->previous, query->previousCount);
    grzManifolds_Reduce(manifolds);
    result = takeKept(manifolds);
    if (!grzResult_IsOk(result))
        manifolds->clusterCount = 0;
    GRZ_VALIDATE(grzAreRecordsSorted(&grzContactType, manifolds->contacts.data, manifolds->contacts.count));
    return result;
}

grzManifoldView grzManifolds_GetView(const grzManifolds* manifolds) {
    GRZ_RETURN_IF_NULL(manifolds, (grzManifoldView){0});
    grzManifoldView view = {manifolds->contacts.data, (uint32_t)manifolds->contacts.count, manifolds->clusterCount};
    return view;
}
