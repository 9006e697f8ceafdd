// What: a mesh that the host animates: its plan, its hierarchy, where it is at both ends of a step.
// Promise: positions are those of the plan (graze/flightplan.h); the hierarchy holds them at the end of the step; a step that is
//   refused changes nothing that can be read.
// Holds: see animated_inside.h. A step in which nothing moves asks nothing of the plan or the hierarchy.
// Cost: a step that moves: the upkeep's, and what is read (animated_pages.c).
// Memory: all from Create on but buffers for keyframes that are waiting (kept when they are past), lists of changed velocities
//   at their longest, and what the upkeep's ways take.
#include "animated_body.h"
#include "mesh_uses.h"

#include <math.h>
#include <string.h>

#include "animated_inside.h"
#include "hash.h"
#include "memory.h"
#include "mesh_shape.h"
#include "owner.h"

#define ANIMATED_MARK 0x4D494E41u

grzAnimatedDef grzDefaultAnimatedDef(void) {
    grzAnimatedDef def;
    memset(&def, 0, sizeof def);
    def.mark = ANIMATED_MARK;
    def.friction = 0.6F;
    def.category = 1;
    def.mask = UINT64_MAX;
    return def;
}

grzBox grzAnimatedBody_BoxOf(const float* positions, size_t count) {
    grzBox box = grzBox_Empty();
    for (size_t i = 0; i < count; ++i)
        box = grzBox_AddPoint(box, grzVec3_Load(positions + 3 * i));
    return box;
}

// ---- making it ----

static const char* flawOf(const grzAnimatedDef* def) {
    if (def->mesh == NULL)
        return "mesh is NULL";
    if (grzMesh_GetView(def->mesh).triangleCount == 0)
        return "mesh has no triangles";
    if ((unsigned)def->motion > grz_animateVertices)
        return "motion is no grzAnimatedMotion";
    if (def->friction < 0)
        return "friction is below 0";
    return def->restitution < 0 || def->restitution > 1 ? "restitution is not in 0 .. 1" : NULL;
}

static grzResult checkDef(const grzAnimatedDef* def) {
    if (def == NULL || def->mark != ANIMATED_MARK)
        return grzFail(grz_badDef, 0);
    const char* flaw = flawOf(def);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 2), flaw);
    if (!isfinite(def->friction) || !isfinite(def->restitution))
        return grzBecause(grzFail(grz_notFinite, 2),
                          isfinite(def->friction) ? "restitution is not finite" : "friction is not finite");
    return grzOk();
}

static bool hasFrames(const grzAnimatedBody* animated) {
    return animated->motion != grz_animateVelocities;
}

uint32_t grzAnimated_FirstBeyond(const float* numbers, uint32_t count) {
    for (size_t i = 0; i < 3 * (size_t)count; ++i)
        if (!(fabsf(numbers[i]) <= GRZ_ANIMATED_RANGE)) // or a NaN
            return (uint32_t)(i / 3);
    return count;
}

static grzResult takePositions(grzAnimatedBody* animated, const grzMesh* mesh) {
    const grzAllocator* allocator = &animated->memory.allocator;
    const size_t count = 3 * animated->planVertices, own = 3 * (size_t)animated->mesh.vertexCount;
    for (int i = 0; i < 2; ++i) {
        animated->ends[i].positions = grzAllocate(allocator, count, sizeof(float), 64);
        if (animated->ends[i].positions == NULL)
            return grzNoMemory(count, sizeof(float));
        memset(animated->ends[i].positions, 0, count * sizeof(float));
    }
    float* positions = animated->ends[0].positions;
    (void)grzMesh_RoundPositions(mesh, positions);
    const uint32_t bad = grzAnimated_FirstBeyond(positions, animated->mesh.vertexCount);
    if (bad != animated->mesh.vertexCount)
        return grzBecause(grzFailAt(grz_notFinite, grz_partVertex, animated->mesh.vertexToCaller[bad], 2),
                          "a vertex of the mesh is beyond 1e15");
    animated->ends[0].box = animated->ends[1].box = grzAnimatedBody_BoxOf(positions, animated->mesh.vertexCount);
    if (hasFrames(animated))
        return grzOk();
    animated->velocities = grzAllocate(allocator, own, sizeof(float), 64);
    if (animated->velocities == NULL)
        return grzNoMemory(own, sizeof(float));
    memset(animated->velocities, 0, own * sizeof(float));
    return grzOk();
}

static grzResult makePlan(grzAnimatedBody* animated, double time) {
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.kind = hasFrames(animated) ? grz_planKeyframes : grz_planPaths;
    def.vertexCount = animated->planVertices;
    def.positions = animated->ends[0].positions;
    def.startTime = time;
    def.allocator = animated->memory.allocator;
    animated->ends[0].planTime = animated->motion == grz_animateVertices ? 0 : time;
    grzResult result = grzFlightplan_Create(&def, &animated->plan);
    if (grzResult_IsOk(result) && hasFrames(animated))
        result = grzAnimatedBody_AddFirstFrame(animated, animated->ends[0].planTime, animated->ends[0].positions);
    return result;
}

static grzResult makeTrees(grzAnimatedBody* animated, uint32_t ways, grzProfile* profile) {
    grzBvhDef bvh = grzDefaultBvhDef();
    bvh.builder = grz_bvhSah;
    bvh.positions = animated->ends[0].positions, bvh.vertexCount = animated->planVertices;
    bvh.positionType = grz_float32;
    bvh.triangles = animated->mesh.triangles, bvh.triangleCount = animated->mesh.triangleCount;
    bvh.allocator = animated->memory.allocator;
    grzResult result = grzBvh_Create(&bvh, &animated->bvh);
    if (!grzResult_IsOk(result))
        return result;
    grzUpkeepDef def = grzDefaultUpkeepDef();
    def.ways = ways;
    def.isLazy = true; // below the chunks its nodes are not read
    def.bvh = animated->bvh, def.plan = animated->plan;
    def.profile = profile;
    def.allocator = animated->memory.allocator;
    result = grzUpkeep_Create(&def, &animated->upkeep);
    if (result.status == grz_badArgument)
        result.value = 2;
    return grzResult_IsOk(result) ? grzAnimatedPages_Make(animated) : result;
}

static grzResult fill(grzAnimatedBody* animated, const grzAnimatedDef* def, double time, grzProfile* profile) {
    animated->motion = def->motion;
    animated->mesh = grzMesh_GetView(def->mesh);
    animated->planVertices = (size_t)animated->mesh.vertexCount + (hasFrames(animated) ? 2 : 0);
    animated->time = time;
    animated->isStill = true;
    animated->lastResult = grzOk();
    animated->slowest = animated->fastest = grzVec3_Zero();
    grzResult result = def->isTwoSided ? grzOk() : grzMesh_WarnIfInsideOut(def->mesh);
    if (grzResult_IsOk(result))
        result = takePositions(animated, def->mesh);
    if (grzResult_IsOk(result))
        result = makePlan(animated, time);
    return grzResult_IsOk(result) ? makeTrees(animated, def->ways, profile) : result;
}

grzResult grzAnimatedBody_Create(const grzAnimatedDef* def, double time, grzProfile* profile,
                                 const grzAllocator* allocator, grzAnimatedBody** made) {
    *made = NULL;
    grzResult result = checkDef(def);
    if (!grzResult_IsOk(result))
        return result;
    grzAnimatedBody* animated = grzOwner_NewFrom(allocator, sizeof *animated, 64, &result);
    if (animated == NULL)
        return result;
    grzCountedMemory_Init(&animated->memory, *allocator);
    animated->source = def->mesh;
    grzUses_Begin(grzMesh_Uses(animated->source));
    result = fill(animated, def, time, profile);
    if (grzResult_IsOk(result))
        *made = animated;
    else
        grzAnimatedBody_Destroy(animated);
    return result;
}

void grzAnimatedBody_Destroy(grzAnimatedBody* animated) {
    if (animated == NULL)
        return;
    const grzAllocator host = animated->memory.host, *counted = &animated->memory.allocator;
    const size_t count = 3 * animated->planVertices;
    grzUses_End(grzMesh_Uses(animated->source));
    grzAnimatedPages_Release(animated);
    grzUpkeep_Destroy(animated->upkeep);
    grzFlightplan_Destroy(animated->plan);
    grzBvh_Destroy(animated->bvh);
    for (size_t i = 0; i < animated->buffers.count; ++i)
        grzRelease(counted, animated->buffers.data[i], count, sizeof(float), 64);
    grzArray_Release(&animated->buffers, counted);
    grzArray_Release(&animated->spare, counted);
    grzArray_Release(&animated->frames, counted);
    grzArray_Release(&animated->changed, counted);
    grzArray_Release(&animated->changes, counted);
    grzArray_Release(&animated->kept, counted);
    for (int i = 0; i < 2; ++i)
        grzRelease(counted, animated->ends[i].positions, count, sizeof(float), 64);
    grzRelease(counted, animated->velocities, 3 * (size_t)animated->mesh.vertexCount, sizeof(float), 64);
    grzRelease(&host, animated, 1, sizeof *animated, 64);
}

// ---- a step ----

// On the plan's clock; of a mesh that comes to stand still, or does already, no later than what it knows.
static double planTimeOf(const grzAnimatedBody* animated, double time) {
    if (hasFrames(animated)) {
        const double end = animated->frames.data[animated->frames.count - 1].time;
        return animated->motion == grz_animateVertices ? end : fmin(time, end);
    }
    const grzVec3 zero = grzVec3_Zero();
    const bool rests = grzVec3_IsEqual(animated->slowest, zero) && grzVec3_IsEqual(animated->fastest, zero);
    return rests && !animated->isStale ? animated->ends[0].planTime : time;
}

static grzBox cornersAt(const grzAnimatedBody* animated, double planTime) {
    grzBox box = grzBox_Empty();
    const uint32_t corner = animated->mesh.vertexCount;
    const grzResult lower = grzFlightplan_Locate(animated->plan, corner, planTime, &box.lower);
    const grzResult upper = grzFlightplan_Locate(animated->plan, corner + 1, planTime, &box.upper);
    return grzResult_IsOk(lower) && grzResult_IsOk(upper) ? box : grzBox_Empty();
}

double grzAnimatedBody_Time(const grzAnimatedBody* animated) {
    return animated->time;
}

// ---- where it will be ----

static grzBox cornersOf(const grzAnimatedBody* animated, const float* positions) {
    const float* corners = positions + 3 * (size_t)animated->mesh.vertexCount;
    return grzBox_Make(grzVec3_Load(corners), grzVec3_Load(corners + 3));
}

static grzBox boxOfFrames(const grzAnimatedBody* animated, double time) {
    const double end = planTimeOf(animated, time);
    return end > animated->ends[0].planTime ? grzBox_Union(animated->ends[0].box, cornersAt(animated, end))
                                            : animated->ends[0].box;
}

// With room for what plans of paths round: times to 2^-20 s, positions to floats where a path begins and ends.
static grzBox boxOfPaths(const grzAnimatedBody* animated, double time) {
    const grzVec3 far = grzMax(grzAbs(animated->ends[0].box.lower), grzAbs(animated->ends[0].box.upper));
    const float duration = grzRoundUp(time - animated->time + 0x1p-19);
    const grzVec3 zero = grzVec3_Zero(), lower = grzScale(grzMin(animated->slowest, zero), duration);
    const grzVec3 upper = grzScale(grzMax(animated->fastest, zero), duration);
    const grzVec3 room = grzScale(grzAdd(far, grzMax(grzNeg(lower), upper)), 0x1p-21F);
    return grzBox_Make(grzSub(grzAdd(animated->ends[0].box.lower, lower), room),
                       grzAdd(grzAdd(animated->ends[0].box.upper, upper), room));
}

// A step that was refused for want of memory is asked for again: it has come there already, and where it began counts too.
static bool hasArrived(const grzAnimatedBody* animated, double time) {
    return time <= animated->time && animated->target == NULL && animated->changed.count == 0 && !animated->isStale;
}

grzBox grzAnimatedBody_BoxNow(const grzAnimatedBody* animated) {
    return animated->ends[0].box;
}

grzBox grzAnimatedBody_BoxBefore(const grzAnimatedBody* animated) {
    return animated->ends[animated->isStill ? 0 : 1].box;
}

grzBox grzAnimatedBody_Box(const grzAnimatedBody* animated, double time) {
    if (hasArrived(animated, time))
        return animated->isStill ? animated->ends[0].box
                                 : grzBox_Union(animated->ends[0].box, animated->ends[1].box);
    if (animated->motion == grz_animateVelocities)
        return boxOfPaths(animated, time);
    const grzBox box = boxOfFrames(animated, time);
    return animated->target == NULL ? box : grzBox_Union(box, cornersOf(animated, animated->target));
}

// ---- going on ----

// Paths may lead out of range; false where the box tells that they do not.
static bool mayLeaveRange(const grzAnimatedBody* animated, double time) {
    if (hasFrames(animated))
        return false;
    const grzBox box = boxOfPaths(animated, time);
    return grzAnimated_FirstBeyond(&box.lower.x, 1) == 0 || grzAnimated_FirstBeyond(&box.upper.x, 1) == 0;
}

static grzResult checkRange(const grzAnimatedBody* animated, double at) {
    for (uint32_t v = 0; v < animated->mesh.vertexCount; ++v) {
        grzVec3 position;
        const grzResult result = grzFlightplan_Locate(animated->plan, v, at, &position);
        if (!grzResult_IsOk(result))
            return result;
        if (grzAnimated_FirstBeyond(&position.x, 1) == 0)
            return grzBecause(grzFailAt(grz_notFinite, grz_partVertex, v, 0),
                              "velocities lead this vertex of an animated mesh beyond 1e15");
    }
    return grzOk();
}

// No vertex goes farther: between keyframes by their parts of the way, with room for what floats round.
static float mostMotionTo(const grzAnimatedBody* animated, double at) {
    double way = 0;
    if (!hasFrames(animated)) {
        const grzVec3 most = grzMax(grzAbs(animated->slowest), grzAbs(animated->fastest));
        way = (double)grzLength(most) * (at - animated->ends[0].planTime);
    }
    for (size_t i = 1; hasFrames(animated) && i < animated->frames.count; ++i) {
        const AnimatedFrame *from = &animated->frames.data[i - 1], *to = &animated->frames.data[i];
        const double part = fmin(at, to->time) - fmax(animated->ends[0].planTime, from->time);
        way += part > 0 ? (double)to->way * part / (to->time - from->time) : 0;
    }
    const grzVec3 far = grzMax(grzAbs(animated->ends[0].box.lower), grzAbs(animated->ends[0].box.upper));
    return grzRoundUp(way * (1 + 0x1p-20) + 0x1p-22 * (way + (double)grzMaxElement(far)));
}

static void arriveAt(grzAnimatedBody* animated, double at) {
    animated->mostMotion = mostMotionTo(animated, at);
    grzAnimatedPages_GoOn(animated, at,
                          hasFrames(animated) ? cornersAt(animated, at) : grzUpkeep_Root(animated->upkeep).box);
    animated->isStale = false;
    if (hasFrames(animated))
        grzAnimatedBody_DropFrames(animated);
}

static grzResult goOn(grzAnimatedBody* animated, grzTasks* tasks, double time) {
    const bool isChecked = mayLeaveRange(animated, time);
    if (isChecked) // what is refused leaves the start as it was
        grzAnimatedBody_ReachStart(animated, tasks);
    grzResult result = grzAnimatedBody_TakeChanges(animated, tasks);
    if (!grzResult_IsOk(result))
        return result;
    const double at = planTimeOf(animated, time);
    const bool isStill = at == animated->ends[0].planTime && !animated->isStale;
    if (!isStill) {
        result = isChecked ? checkRange(animated, at) : grzOk();
        if (grzResult_IsOk(result))
            result = grzUpkeep_Advance(animated->upkeep, tasks, at, NULL);
        if (!grzResult_IsOk(result))
            return result;
        arriveAt(animated, at);
    }
    animated->isStill = isStill;
    animated->mostMotion = isStill ? 0 : animated->mostMotion;
    animated->time = time;
    return grzOk();
}

grzResult grzAnimatedBody_Advance(grzAnimatedBody* animated, grzTasks* tasks, double time) {
    animated->lastResult = goOn(animated, tasks, time);
    return animated->lastResult;
}

grzResult grzAnimatedBody_LastResult(const grzAnimatedBody* animated) {
    return animated->lastResult;
}

// ---- reading ----

grzAnimatedShape grzAnimatedBody_GetShape(const grzAnimatedBody* animated) {
    grzAnimatedShape shape;
    memset(&shape, 0, sizeof shape);
    shape.mesh = animated->mesh;
    shape.positions = animated->ends[0].positions;
    shape.previous = animated->ends[animated->isStill ? 0 : 1].positions;
    return shape;
}

const grzMeshView* grzAnimatedBody_GetMesh(const grzAnimatedBody* animated) {
    return &animated->mesh;
}

float grzAnimatedBody_MostMotion(const grzAnimatedBody* animated) {
    return animated->mostMotion;
}

grzUpkeepStats grzAnimatedBody_GetUpkeep(const grzAnimatedBody* animated) {
    return grzUpkeep_GetStats(animated->upkeep);
}

static void addFloats(grzHash* hash, const float* numbers, size_t count) {
    for (size_t i = 0; i < count; ++i)
        grzHash_AddFloat(hash, numbers[i]);
}

uint64_t grzAnimatedBody_Hash(const grzAnimatedBody* animated) {
    const size_t count = 3 * (size_t)animated->mesh.vertexCount;
    const grzAnimatedShape shape = grzAnimatedBody_GetShape(animated);
    grzAnimatedBody_ReachEnd(animated, NULL);
    grzAnimatedBody_ReachStart(animated, NULL);
    grzHash hash = grzHash_Begin(0);
    grzHash_AddU32(&hash, (uint32_t)animated->motion);
    addFloats(&hash, shape.positions, count);
    addFloats(&hash, shape.previous, count);
    if (animated->velocities != NULL)
        addFloats(&hash, animated->velocities, count);
    return grzHash_End(&hash);
}

size_t grzAnimatedBody_MemorySize(const grzAnimatedBody* animated) {
    return sizeof *animated + grzCountedMemory_Size(&animated->memory);
}

bool grzAnimatedBody_Validate(const grzAnimatedBody* animated) {
    return grzBvh_Validate(animated->bvh) && grzUpkeep_Validate(animated->upkeep);
}
