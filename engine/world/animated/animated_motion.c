// What: what the host says of an animated mesh's motion: keyframes, velocities, new vertices.
// Holds: a call is checked before anything is done, and what can fail for want of memory is done before anything is changed.
#include <math.h>
#include <string.h>

#include "animated_inside.h"
#include "memory.h"

#define LAST_TIME 0x1p32 // that a plan knows

// ---- frames ----

// NULL where memory is refused.
static float* takeBuffer(grzAnimatedBody* animated) {
    const grzAllocator* allocator = &animated->memory.allocator;
    AnimatedBuffers *buffers = &animated->buffers, *spare = &animated->spare;
    if (spare->count != 0)
        return spare->data[--spare->count];
    if (!grzArray_Reserve(buffers, allocator, buffers->count + 1) ||
        !grzArray_Reserve(spare, allocator, buffers->count + 1))
        return NULL;
    float* made = grzAllocate(allocator, 3 * animated->planVertices, sizeof(float), 64);
    if (made != NULL)
        buffers->data[buffers->count++] = made;
    return made;
}

static void giveBuffer(grzAnimatedBody* animated, float* buffer) {
    animated->spare.data[animated->spare.count++] = buffer;
}

// A copy with its box; NULL where memory is refused.
static float* copyPositions(grzAnimatedBody* animated, const float* positions) {
    const size_t count = animated->mesh.vertexCount;
    float* copy = takeBuffer(animated);
    if (copy == NULL)
        return NULL;
    memcpy(copy, positions, 3 * count * sizeof *copy);
    const grzBox box = grzAnimatedBody_BoxOf(positions, count);
    grzVec3_Store(copy + 3 * count, box.lower);
    grzVec3_Store(copy + 3 * count + 3, box.upper);
    return copy;
}

static float mostApart(const grzAnimatedBody* animated, const float* a, const float* b) {
    float most = 0;
    for (size_t i = 0; i < 3 * (size_t)animated->mesh.vertexCount && a != b; i += 3)
        most = fmaxf(most, grzDistance(grzVec3_Load(a + i), grzVec3_Load(b + i)));
    return most;
}

static grzResult addFrame(grzAnimatedBody* animated, double time, float* positions) {
    AnimatedFrames* frames = &animated->frames;
    if (!grzArray_Reserve(frames, &animated->memory.allocator, frames->count + 1))
        return grzNoMemory(frames->count + 1, sizeof *frames->data);
    const grzResult result = grzFlightplan_AddKeyframe(animated->plan, time, positions, 0);
    if (!grzResult_IsOk(result))
        return result;
    const float way =
        frames->count == 0 ? 0 : mostApart(animated, frames->data[frames->count - 1].positions, positions);
    frames->data[frames->count++] = (AnimatedFrame){time, positions, way};
    return result;
}

static AnimatedFrame* lastFrame(const grzAnimatedBody* animated) {
    return &animated->frames.data[animated->frames.count - 1];
}

grzResult grzAnimatedBody_AddFirstFrame(grzAnimatedBody* animated, double time, const float* positions) {
    float* copy = copyPositions(animated, positions);
    return copy != NULL ? addFrame(animated, time, copy) : grzNoMemory(3 * animated->planVertices, sizeof(float));
}

void grzAnimatedBody_DropFrames(grzAnimatedBody* animated) {
    AnimatedFrames* frames = &animated->frames;
    grzFlightplan_DropKeyframes(animated->plan, animated->ends[1].planTime); // which is still read
    const size_t passed = frames->count - grzFlightplan_KeyframeCount(animated->plan);
    for (size_t i = 0; i < passed; ++i)
        if (frames->data[i].positions != frames->data[i + 1].positions)
            giveBuffer(animated, frames->data[i].positions);
    frames->count -= passed;
    if (passed != 0)
        memmove(frames->data, frames->data + passed, frames->count * sizeof *frames->data);
}

// ---- checks ----

static grzResult checkMotion(const grzAnimatedBody* animated, grzAnimatedMotion motion) {
    return animated->motion == motion ? grzOk()
                                      : grzBecause(grzFail(grz_badArgument, 2), "the mesh has another motion");
}

static grzResult checkPositions(const float* positions, uint32_t count, uint64_t place) {
    if (positions == NULL)
        return grzBecause(grzFail(grz_badArgument, place), "positions is NULL");
    const uint32_t bad = grzAnimated_FirstBeyond(positions, count);
    return bad == count ? grzOk()
                        : grzBecause(grzFailAt(grz_notFinite, grz_partVertex, bad, place),
                                     "the position is not finite, or beyond 1e15");
}

// ---- keyframes ----

static grzResult checkTime(const grzAnimatedBody* animated, double now, double time) {
    if (!(fabs(time) < LAST_TIME))
        return grzBecause(grzFail(grz_badArgument, 3), "the time is not below 2^32 s in size");
    if (!(time > now) || !(time > lastFrame(animated)->time))
        return grzBecause(grzFail(grz_badArgument, 3), "the time is not after now and after the last keyframe");
    return grzOk();
}

// A mesh that stands still does so until now, and goes on from there.
static grzResult holdUntil(grzAnimatedBody* animated, double now) {
    const AnimatedFrame* last = lastFrame(animated);
    return last->time < now ? addFrame(animated, now, last->positions) : grzOk();
}

grzResult grzAnimatedBody_AddKeyframe(grzAnimatedBody* animated, double now, double time, const float* positions) {
    grzResult result = checkMotion(animated, grz_animateKeyframes);
    if (grzResult_IsOk(result))
        result = checkTime(animated, now, time);
    if (grzResult_IsOk(result))
        result = checkPositions(positions, animated->mesh.vertexCount, 4);
    if (!grzResult_IsOk(result))
        return result;
    float* copy = copyPositions(animated, positions);
    if (copy == NULL)
        return grzNoMemory(3 * animated->planVertices, sizeof(float));
    result = holdUntil(animated, now);
    if (grzResult_IsOk(result))
        result = addFrame(animated, time, copy);
    if (!grzResult_IsOk(result))
        giveBuffer(animated, copy);
    return result;
}

// ---- vertices ----

grzResult grzAnimatedBody_SetVertices(grzAnimatedBody* animated, const float* positions) {
    grzResult result = checkMotion(animated, grz_animateVertices);
    if (grzResult_IsOk(result))
        result = checkPositions(positions, animated->mesh.vertexCount, 3);
    if (!grzResult_IsOk(result))
        return result;
    float* copy = copyPositions(animated, positions);
    if (copy == NULL)
        return grzNoMemory(3 * animated->planVertices, sizeof(float));
    if (animated->target != NULL)
        giveBuffer(animated, animated->target);
    animated->target = copy;
    return result;
}

// ---- velocities ----

static grzResult checkVelocities(const grzAnimatedBody* animated, const uint32_t* vertices, const float* velocities,
                                 uint32_t count) {
    if (count != 0 && (vertices == NULL || velocities == NULL))
        return grzBecause(grzFail(grz_badArgument, vertices == NULL ? 3 : 4),
                          "vertices or velocities is NULL, but count is not 0");
    for (uint32_t i = 0; i < count; ++i)
        if (vertices[i] >= animated->mesh.vertexCount)
            return grzFailAt(grz_indexTooLarge, grz_partVertex, i, vertices[i]);
    const uint32_t bad = grzAnimated_FirstBeyond(velocities, count);
    return bad == count ? grzOk()
                        : grzBecause(grzFailAt(grz_notFinite, grz_partVertex, bad, 4),
                                     "the velocity is not finite, or beyond 1e15");
}

static void measureSpeeds(grzAnimatedBody* animated) {
    const grzBox box = grzAnimatedBody_BoxOf(animated->velocities, animated->mesh.vertexCount);
    animated->slowest = box.lower;
    animated->fastest = box.upper;
}

grzResult grzAnimatedBody_SetVelocities(grzAnimatedBody* animated, const uint32_t* vertices,
                                        const float* velocities, uint32_t count) {
    const grzAllocator* allocator = &animated->memory.allocator;
    AnimatedIndices* changed = &animated->changed;
    AnimatedFloats* changes = &animated->changes;
    grzResult result = checkMotion(animated, grz_animateVelocities);
    if (grzResult_IsOk(result))
        result = checkVelocities(animated, vertices, velocities, count);
    if (!grzResult_IsOk(result) || count == 0)
        return result;
    if (!grzArray_Reserve(changed, allocator, changed->count + count) ||
        !grzArray_Reserve(changes, allocator, 3 * (changed->count + count)))
        return grzNoMemory(changed->count + count, 4 * sizeof(float));
    memcpy(changed->data + changed->count, vertices, count * sizeof *vertices);
    memcpy(changes->data + changes->count, velocities, 3 * (size_t)count * sizeof *velocities);
    changed->count += count;
    changes->count += 3 * (size_t)count;
    for (size_t i = 0; i < count; ++i)
        memcpy(animated->velocities + 3 * (size_t)vertices[i], velocities + 3 * i, 3 * sizeof *velocities);
    measureSpeeds(animated);
    return result;
}

// ---- stops ----

// Velocities of all vertices; their memory is there.
static void setAll(grzAnimatedBody* animated, const float* velocities) {
    const uint32_t count = animated->mesh.vertexCount;
    for (uint32_t i = 0; i < count; ++i)
        animated->changed.data[i] = i;
    memcpy(animated->changes.data, velocities, 3 * (size_t)count * sizeof *velocities);
    memcpy(animated->velocities, velocities, 3 * (size_t)count * sizeof *velocities);
    animated->changed.count = count;
    animated->changes.count = 3 * (size_t)count;
    measureSpeeds(animated);
}

bool grzAnimatedBody_MayStop(const grzAnimatedBody* animated) {
    return animated->motion == grz_animateVelocities && !animated->isStopped;
}

grzResult grzAnimatedBody_Stop(grzAnimatedBody* animated) {
    const grzAllocator* allocator = &animated->memory.allocator;
    const size_t count = animated->mesh.vertexCount;
    AnimatedFloats* kept = &animated->kept;
    if (!grzArray_Reserve(kept, allocator, 6 * count) || !grzArray_Reserve(&animated->changed, allocator, count) ||
        !grzArray_Reserve(&animated->changes, allocator, 3 * count))
        return grzNoMemory(count, 10 * sizeof(float));
    memcpy(kept->data, animated->velocities, 3 * count * sizeof *kept->data);
    memset(kept->data + 3 * count, 0, 3 * count * sizeof *kept->data);
    setAll(animated, kept->data + 3 * count);
    animated->isStopped = true;
    return grzOk();
}

void grzAnimatedBody_Release(grzAnimatedBody* animated, bool isDone) {
    if (!isDone)
        setAll(animated, animated->kept.data);
    animated->isStopped = false;
}

// ---- a step ----

grzResult grzAnimatedBody_TakeChanges(grzAnimatedBody* animated, grzTasks* tasks) {
    if (animated->target != NULL) {
        const grzResult result = addFrame(animated, lastFrame(animated)->time + 1, animated->target);
        if (grzResult_IsOk(result))
            animated->target = NULL;
        return result;
    }
    if (animated->changed.count == 0)
        return grzOk();
    const grzFlightplanChange change = {
        .vertices = animated->changed.data, .count = animated->changed.count, .velocities = animated->changes.data};
    const grzResult result = grzUpkeep_Change(animated->upkeep, tasks, animated->time, &change);
    animated->isStale = true;
    if (!grzResult_IsOk(result))
        return result;
    animated->changed.count = animated->changes.count = 0;
    grzAnimatedPages_ForgetStart(animated);
    animated->ends[0].planTime = animated->time;
    return result;
}
