// What: a cloth from its def to its end: checks, places, views, pins, hash.
// Promise: a def that is refused leaves nothing; a call that fails changes nothing.
// Holds: cloth_inside.h. A vertex of no triangle has no mass: it stays where it is put.
#include "cloth_body.h"
#include "mesh_uses.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "check.h"
#include "cloth_inside.h"
#include "hash.h"
#include "memory.h"
#include "result_make.h"
#include "uses.h"

#define CLOTH_MARK 0x68746C63u // "clth"

grzClothDef grzDefaultClothDef(void) {
    grzClothDef def;
    memset(&def, 0, sizeof def);
    def.mark = CLOTH_MARK;
    def.origin = grzVec3_Zero();
    def.rotation = grzQuat_Identity();
    def.density = 0.2f;
    def.thickness = 0.01f;
    def.bendCompliance = 1000;
    def.damping = 0.1f;
    def.friction = 0.4f;
    def.category = 1;
    def.mask = UINT64_MAX;
    return def;
}

// ---- checks ----

static grzResult badField(const char* reason) {
    return grzBecause(grzFail(grz_badArgument, 2), reason);
}

// The first number that is not finite.
static const char* endlessOf(const grzClothDef* def) {
    if (!grzVec3_IsFinite(def->origin))
        return "origin is not finite";
    if (!grzQuat_IsFinite(def->rotation))
        return "rotation is not finite";
    if (!isfinite(def->density))
        return "density is not finite";
    if (!isfinite(def->thickness))
        return "thickness is not finite";
    if (!isfinite(def->stretchCompliance))
        return "stretchCompliance is not finite";
    if (!isfinite(def->bendCompliance))
        return "bendCompliance is not finite";
    if (!isfinite(def->damping))
        return "damping is not finite";
    return isfinite(def->friction) ? NULL : "friction is not finite";
}

static grzResult checkNumbers(const grzClothDef* def) {
    const char* endless = endlessOf(def);
    if (endless != NULL)
        return grzBecause(grzFail(grz_notFinite, 2), endless);
    if (!grzQuat_IsUnit(def->rotation))
        return badField("rotation is not of unit length");
    if (!(def->density > 0))
        return badField("density is not above 0");
    if (!(def->thickness > 0 && def->thickness <= GRZ_CLOTH_RANGE))
        return badField("thickness is not above 0, or beyond 1e15");
    if (!(def->stretchCompliance >= 0))
        return badField("stretchCompliance is below 0");
    if (!(def->bendCompliance >= 0))
        return badField("bendCompliance is below 0");
    if (!(def->damping >= 0))
        return badField("damping is below 0");
    if (!(def->friction >= 0))
        return badField("friction is below 0");
    return grzOk();
}

static grzResult checkDef(const grzClothDef* def) {
    if (def == NULL || def->mark != CLOTH_MARK)
        return grzFail(grz_badDef, 0);
    if (def->mesh == NULL)
        return badField("mesh is NULL");
    const grzResult result = checkNumbers(def);
    if (result.status != grz_ok)
        return result;
    if (def->pins == NULL && def->pinCount != 0)
        return badField("pins is NULL and pinCount is not 0");
    const uint32_t vertexCount = grzMesh_GetView(def->mesh).vertexCount;
    for (uint32_t k = 0; k < def->pinCount; ++k)
        if (def->pins[k] >= vertexCount)
            return grzBecause(grzFailAt(grz_indexTooLarge, grz_partElement, k, def->pins[k]),
                              "this pin is no vertex of the mesh");
    return grzOk();
}

static const char* const outOfRange = "a coordinate is not finite, or beyond 1e15";

static bool isInRange(grzVec3 p) {
    return grzVec3_IsFinite(p) && grzMaxElement(grzAbs(p)) <= GRZ_CLOTH_RANGE;
}

// ---- making ----

static bool reserveRows(grzClothBody* cloth) {
    const size_t numbers = (size_t)4 * cloth->rowCount;
    ClothFloats* rows[] = {&cloth->now, &cloth->before, &cloth->velocity, &cloth->ends};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        if (!grzArray_Reserve(rows[i], &cloth->allocator, numbers))
            return false;
        memset(rows[i]->data, 0, numbers * sizeof(float));
        rows[i]->count = numbers;
    }
    const size_t three = (size_t)3 * cloth->vertexCount;
    if (!grzArray_Reserve(&cloth->positions, &cloth->allocator, three) ||
        !grzArray_Reserve(&cloth->velocities, &cloth->allocator, three) ||
        !grzArray_Reserve(&cloth->lastPositions, &cloth->allocator, three) ||
        !grzArray_Reserve(&cloth->lastVelocities, &cloth->allocator, three) ||
        !grzArray_Reserve(&cloth->search.vertexSlots, &cloth->allocator, cloth->vertexCount))
        return false;
    memset(cloth->search.vertexSlots.data, 0, cloth->vertexCount * sizeof(uint32_t));
    cloth->positions.count = cloth->velocities.count = three;
    cloth->lastPositions.count = cloth->lastVelocities.count = three;
    return true;
}

static bool reservePins(grzClothBody* cloth, const grzClothDef* def) {
    const size_t numbers = (size_t)4 * (def->pinCount + (size_t)1);
    ClothFloats* rows[] = {&cloth->pinStarts, &cloth->pinGoals, &cloth->pinPlaces};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        if (!grzArray_Reserve(rows[i], &cloth->allocator, numbers))
            return false;
        memset(rows[i]->data, 0, numbers * sizeof(float));
        rows[i]->count = numbers;
    }
    if (def->pinCount == 0)
        return true;
    if (!grzArray_Reserve(&cloth->pins, &cloth->allocator, def->pinCount))
        return false;
    memcpy(cloth->pins.data, def->pins, def->pinCount * sizeof *def->pins);
    cloth->pins.count = def->pinCount;
    return true;
}

void grzCloth_Publish(grzClothBody* cloth) {
    for (uint32_t v = 0; v < cloth->vertexCount; ++v) {
        memcpy(cloth->positions.data + (size_t)3 * v, cloth->now.data + (size_t)4 * v, 3 * sizeof(float));
        memcpy(cloth->velocities.data + (size_t)3 * v, cloth->velocity.data + (size_t)4 * v, 3 * sizeof(float));
    }
    grzModel_Forget(cloth->model);
}

static void holdPins(grzClothBody* cloth) {
    for (size_t k = 0; k < cloth->pins.count; ++k) {
        float* row = cloth->now.data + (size_t)4 * cloth->pins.data[k];
        row[3] = 0;
        memcpy(cloth->pinGoals.data + 4 * k, row, 4 * sizeof(float));
        memcpy(cloth->pinStarts.data + 4 * k, row, 4 * sizeof(float));
        memcpy(cloth->pinPlaces.data + 4 * k, row, 4 * sizeof(float));
    }
}

static void meanMass(grzClothBody* cloth, float density) {
    double sum = 0;
    for (uint32_t v = 0; v < cloth->vertexCount; ++v) {
        const double weight = (double)cloth->now.data[(size_t)4 * v + 3];
        sum += weight > 0 ? 1 / weight : 0;
    }
    cloth->density = density;
    cloth->pointMass = (float)(sum / cloth->vertexCount);
    cloth->spacing = grzSqrt(cloth->pointMass / density);
}

static grzResult placeMesh(grzClothBody* cloth, const grzClothDef* def) {
    for (uint32_t v = 0; v < cloth->vertexCount; ++v) {
        const grzVec3 own = grzVec3d_ToVec3(grzMesh_GetPosition(cloth->mesh, v));
        const grzVec3 at = grzAdd(def->origin, grzQuat_Rotate(def->rotation, own));
        if (!isInRange(at))
            return grzBecause(grzFailAt(grz_notFinite, grz_partVertex, v, 2), outOfRange);
        grzVec3_Store(cloth->now.data + (size_t)4 * v, at);
    }
    return grzOk();
}

static void getBoxes(void* context, grzBvhNode* nodes) {
    const grzClothBody* cloth = context;
    const grzBvhView tree = grzBvh_GetView(cloth->bvh);
    const uint32_t lanes = (tree.chunkCount + GRZ_BVH_WIDTH - 1) / GRZ_BVH_WIDTH * GRZ_BVH_WIDTH;
    for (uint32_t c = 0; c < lanes; ++c)
        grzSurface_BoxChunk(&tree, cloth->positions.data, c, nodes);
}

static void getChunk(void* context, uint32_t chunk, grzModelChunk* to) {
    const grzClothBody* cloth = context;
    const grzBvhView tree = grzBvh_GetView(cloth->bvh);
    grzSurface_CopyChunk(&tree, cloth->positions.data, chunk, to);
}

static grzResult makeBvh(grzClothBody* cloth) {
    const grzMeshView view = grzMesh_GetView(cloth->mesh);
    grzBvhDef def = grzDefaultBvhDef();
    def.builder = grz_bvhSah;
    def.positions = cloth->now.data;
    def.positionStride = 4 * sizeof(float);
    def.vertexCount = cloth->vertexCount;
    def.triangles = view.triangles;
    def.triangleCount = view.triangleCount;
    def.allocator = cloth->allocator;
    const grzResult result = grzBvh_Create(&def, &cloth->bvh);
    if (result.status != grz_ok)
        return result;
    const size_t bytes = grzBvh_GetView(cloth->bvh).nodeCount * sizeof(grzBvhNode);
    if (!grzArray_Reserve(&cloth->nodes, &cloth->allocator, bytes))
        return grzNoMemory(bytes, 1);
    cloth->nodes.count = bytes;
    const grzModelSource source = {cloth, view.triangleCount, cloth->bvh, getBoxes, getChunk};
    const grzResult made = grzModel_CreateFrom(&source, cloth->allocator, &cloth->model);
    return grzResult_IsOk(made) ? grzSurfaceAge_Make(&cloth->age, cloth->bvh, view.triangles, &cloth->allocator)
                                : made;
}

static grzResult fillCloth(grzClothBody* cloth, const grzClothDef* def) {
    const uint32_t vertexCount = grzMesh_GetView(def->mesh).vertexCount;
    cloth->mesh = def->mesh;
    cloth->view = grzMesh_GetView(def->mesh);
    grzUses_Begin(grzMesh_Uses(cloth->mesh));
    cloth->vertexCount = vertexCount;
    cloth->rowCount = (vertexCount + 8) / 8 * 8;
    cloth->reach = 0.5f * def->thickness;
    cloth->stretchCompliance = def->stretchCompliance;
    cloth->bendCompliance = def->bendCompliance;
    cloth->damping = def->damping;
    cloth->friction = def->friction;
    if (vertexCount == 0)
        return badField("the mesh has no vertices");
    if (!reserveRows(cloth) || !reservePins(cloth, def))
        return grzNoMemory(cloth->rowCount, 4 * sizeof(float));
    grzResult result = placeMesh(cloth, def);
    if (result.status == grz_ok)
        result = grzCloth_Build(cloth, def->density);
    if (result.status == grz_ok)
        result = makeBvh(cloth);
    if (result.status != grz_ok)
        return result;
    meanMass(cloth, def->density);
    holdPins(cloth);
    grzCloth_Publish(cloth);
    return grzCloth_BuildTethers(cloth);
}

grzResult grzClothBody_Create(const grzClothDef* def, const grzAllocator* allocator, grzClothBody** cloth) {
    *cloth = NULL;
    grzResult result = checkDef(def);
    if (result.status != grz_ok)
        return result;
    const grzAllocator host = grzAllocator_OrDefault(*allocator);
    grzClothBody* made = grzAllocate(&host, 1, sizeof *made, 64);
    if (made == NULL)
        return grzNoMemory(1, sizeof *made);
    memset(made, 0, sizeof *made);
    grzCountedMemory_Init(&made->memory, host);
    made->allocator = made->memory.allocator;
    result = fillCloth(made, def);
    if (result.status == grz_ok)
        *cloth = made;
    else
        grzClothBody_Destroy(made);
    return result;
}

void grzClothBody_Destroy(grzClothBody* cloth) {
    if (cloth == NULL)
        return;
    const grzAllocator* allocator = &cloth->allocator;
    grzUses_End(grzMesh_Uses(cloth->mesh));
    ClothFloats* floats[] = {&cloth->now,           &cloth->before,        &cloth->velocity,
                             &cloth->ends,          &cloth->positions,     &cloth->velocities,
                             &cloth->pinStarts,     &cloth->pinGoals,      &cloth->pinPlaces,
                             &cloth->tetherLengths, &cloth->search.points, &cloth->lastPositions,
                             &cloth->lastVelocities};
    for (size_t i = 0; i < sizeof floats / sizeof *floats; ++i)
        grzArray_Release(floats[i], allocator);
    ClothInts* ints[] = {&cloth->stretches.starts,
                         &cloth->bends.starts,
                         &cloth->pins,
                         &cloth->tetherPins,
                         &cloth->search.triangles,
                         &cloth->search.vertices,
                         &cloth->search.vertexSlots,
                         &cloth->search.names,
                         &cloth->search.listed,
                         &cloth->search.colorOf,
                         &cloth->twins,
                         &cloth->order};
    for (size_t i = 0; i < sizeof ints / sizeof *ints; ++i)
        grzArray_Release(ints[i], allocator);
    grzArray_Release(&cloth->stretches, allocator);
    grzArray_Release(&cloth->bends, allocator);
    grzArray_Release(&cloth->nodes, allocator);
    grzArray_Release(&cloth->search.slots, allocator);
    grzArray_Release(&cloth->starts, allocator);
    grzArray_Release(&cloth->search.sorting, allocator);
    grzArray_Release(&cloth->search.answers, allocator);
    grzArray_Release(&cloth->search.leafMarks, allocator);
    grzArray_Release(&cloth->touches, allocator);
    grzArray_Release(&cloth->search.masks, allocator);
    grzArray_Release(&cloth->colors, allocator);
    grzArray_Release(&cloth->meets, allocator);
    grzArray_Release(&cloth->partners, allocator);
    grzSurfaceAge_Release(&cloth->age);
    grzModel_Destroy(cloth->model);
    grzBvh_Destroy(cloth->bvh);
    const grzAllocator host = cloth->memory.host;
    grzRelease(&host, cloth, 1, sizeof *cloth, 64);
}

// ---- what the host sees and says ----

static double kineticEnergy(const grzClothBody* cloth) {
    double twice = 0;
    for (uint32_t v = 0; v < cloth->vertexCount; ++v) {
        const double weight = (double)cloth->now.data[(size_t)4 * v + 3];
        const grzVec3d speed = grzVec3d_FromVec3(grzCloth_Row(cloth->velocity.data, v));
        twice += weight > 0 ? grzVec3d_LengthSq(speed) / weight : 0;
    }
    return 0.5 * twice;
}

static float greatestStretch(const grzClothBody* cloth) {
    float most = 0;
    for (size_t lane = 0; lane < 8 * cloth->stretches.count; ++lane) {
        const ClothStretch8* group = &cloth->stretches.data[lane / 8];
        const float rest = group->rest[lane % 8];
        const float length = grzDistance(grzCloth_Row(cloth->now.data, (uint32_t)group->a[lane % 8]),
                                         grzCloth_Row(cloth->now.data, (uint32_t)group->b[lane % 8]));
        if (rest > 0 && length / rest - 1 > most)
            most = length / rest - 1;
    }
    return most;
}

grzClothView grzClothBody_GetView(const grzClothBody* cloth) {
    grzClothView view;
    memset(&view, 0, sizeof view);
    view.positions = cloth->positions.data;
    view.velocities = cloth->velocities.data;
    view.vertexCount = cloth->vertexCount;
    view.kineticEnergy = kineticEnergy(cloth);
    view.greatestStretch = greatestStretch(cloth);
    return view;
}

void grzClothBody_Age(grzClothBody* cloth) {
    grzSurfaceAge_Step(&cloth->age, cloth->bvh, cloth->model, cloth->positions.data);
}

const float* grzClothBody_GetPositions(const grzClothBody* cloth) {
    return cloth->positions.data;
}

grzResult grzClothBody_MovePins(grzClothBody* cloth, uint32_t first, uint32_t count, const float* positions) {
    const uint32_t pinCount = (uint32_t)cloth->pins.count;
    if (first > pinCount || count > pinCount - first)
        return grzBecause(grzFailAt(grz_indexTooLarge, grz_partElement, pinCount > first ? pinCount - first : 0,
                                    (uint64_t)first + count - (count != 0)),
                          "the cloth has no such pin");
    if (count != 0 && positions == NULL)
        return grzBecause(grzFail(grz_badArgument, 5), "positions is NULL");
    for (uint32_t k = 0; k < count; ++k)
        if (!isInRange(grzVec3_Load(positions + (size_t)3 * k)))
            return grzBecause(grzFailAt(grz_notFinite, grz_partElement, k, 5), outOfRange);
    for (uint32_t k = 0; k < count; ++k)
        memcpy(cloth->pinGoals.data + (size_t)4 * (first + k), positions + (size_t)3 * k, 3 * sizeof(float));
    return grzOk();
}

grzResult grzClothBody_Place(grzClothBody* cloth, const float* positions, const float* velocities) {
    if (positions == NULL)
        return grzBecause(grzFail(grz_badArgument, 3), "positions is NULL");
    for (uint32_t v = 0; v < cloth->vertexCount; ++v) {
        const bool isGood = isInRange(grzVec3_Load(positions + (size_t)3 * v)) &&
                            (velocities == NULL || isInRange(grzVec3_Load(velocities + (size_t)3 * v)));
        if (!isGood)
            return grzBecause(grzFailAt(grz_notFinite, grz_partVertex, v, 3), outOfRange);
    }
    for (uint32_t v = 0; v < cloth->vertexCount; ++v) {
        const grzVec3 speed = velocities != NULL ? grzVec3_Load(velocities + (size_t)3 * v) : grzVec3_Zero();
        grzVec3_Store(cloth->now.data + (size_t)4 * v, grzVec3_Load(positions + (size_t)3 * v));
        grzVec3_Store(cloth->velocity.data + (size_t)4 * v, speed);
    }
    holdPins(cloth);
    grzCloth_Publish(cloth);
    return grzOk();
}

grzSurface grzClothBody_GetSurface(const grzClothBody* cloth) {
    grzSurface surface;
    memset(&surface, 0, sizeof surface);
    surface.model = cloth->model;
    surface.mesh = &cloth->view;
    surface.starts = cloth->hasMoved ? cloth->lastPositions.data : cloth->positions.data;
    surface.ends = cloth->positions.data;
    surface.pose = grzTransform_Identity();
    surface.thickness = 2 * cloth->reach;
    surface.isTwoSided = true;
    return surface;
}

const grzMesh* grzClothBody_GetMesh(const grzClothBody* cloth) {
    return cloth->mesh;
}

// Places and speeds in the order of vertices, then where pins go.
uint64_t grzClothBody_Hash(const grzClothBody* cloth) {
    grzHash hash = grzHash_Begin(0);
    for (uint32_t v = 0; v < cloth->vertexCount; ++v) {
        for (int axis = 0; axis < 3; ++axis)
            grzHash_AddFloat(&hash, cloth->now.data[(size_t)4 * v + (size_t)axis]);
        for (int axis = 0; axis < 3; ++axis)
            grzHash_AddFloat(&hash, cloth->velocity.data[(size_t)4 * v + (size_t)axis]);
    }
    for (size_t k = 0; k < cloth->pins.count; ++k)
        for (size_t axis = 0; axis < 3; ++axis)
            grzHash_AddFloat(&hash, cloth->pinGoals.data[4 * k + axis]);
    return grzHash_End(&hash);
}

size_t grzClothBody_MemorySize(const grzClothBody* cloth) {
    return sizeof *cloth + grzCountedMemory_Size(&cloth->memory);
}

static grzContactSpan contactsFrom(const grzClothBody* cloth, uint32_t first, uint32_t end) {
    if (end == first) // there may be no array
        return (grzContactSpan){.stride = sizeof(ClothTouch)};
    const ClothTouch* touch = &cloth->touches.data[first];
    return (grzContactSpan){&touch->contact,       &touch->impulse, touch->friction,
                            &touch->approachSpeed, sizeof *touch,   end - first};
}

grzContactSpan grzClothBody_ContactsOf(const grzClothBody* cloth, uint32_t obstacle) {
    return contactsFrom(cloth, cloth->starts.data[obstacle], cloth->starts.data[obstacle + 1]);
}

grzContactSpan grzClothBody_GetContacts(const grzClothBody* cloth) {
    return contactsFrom(cloth, 0, (uint32_t)cloth->touches.count);
}
