// What: places bodies, sweeps their boxes, and keeps the deepest overlap.
#include "step_overlap.h"

#include "graze/animated.h"
#include "graze/cloth.h"
#include "memory.h"

bool StepOverlap_Make(StepOverlap* overlap, grzAllocator allocator, size_t capacity) {
    *overlap = (StepOverlap){.allocator = allocator, .capacity = capacity};
    overlap->bodies = grzAllocate(&allocator, capacity, sizeof *overlap->bodies, 64);
    overlap->boxes = grzAllocate(&allocator, capacity, sizeof *overlap->boxes, 64);
    const bool isMade = PairSweep_Make(&overlap->sweep, allocator, overlap->boxes, capacity);
    return isMade && overlap->bodies != NULL && overlap->boxes != NULL;
}

void StepOverlap_Release(StepOverlap* overlap) {
    for (size_t i = 0; i < overlap->count; ++i)
        PlainBody_Release(&overlap->bodies[i].body);
    grzRelease(&overlap->allocator, overlap->bodies, overlap->capacity, sizeof *overlap->bodies, 64);
    grzRelease(&overlap->allocator, overlap->boxes, overlap->capacity, sizeof *overlap->boxes, 64);
    overlap->sweep.count = overlap->capacity;
    PairSweep_Release(&overlap->sweep);
    *overlap = (StepOverlap){0};
}

void StepOverlap_Add(StepOverlap* overlap, grzBodyId id, const grzConvex* shape, const grzMesh* mesh) {
    StepOverlapBody* added = &overlap->bodies[overlap->count++];
    added->id = id;
    added->isYielding = false;
    overlap->failed |= !PlainBody_Make(&added->body, overlap->allocator, shape, mesh);
}

static bool placeAsInWorld(StepOverlapBody* of, const grzWorld* world) {
    grzBodyView view;
    grzClothView cloth;
    grzAnimatedView animated;
    if (!grzResult_IsOk(grzWorld_GetBody(world, of->id, &view)))
        return false;
    of->isYielding = view.kind == grz_dynamicBody || view.kind == grz_clothBody;
    if (view.kind == grz_clothBody) {
        if (!grzResult_IsOk(grzWorld_GetCloth(world, of->id, &cloth)))
            return false;
        PlainBody_PlaceVertices(&of->body, cloth.positions);
    } else if (view.kind == grz_animatedBody) {
        if (!grzResult_IsOk(grzWorld_GetAnimated(world, of->id, &animated)))
            return false;
        PlainBody_PlaceVertices(&of->body, animated.positions);
    } else {
        PlainBody_Place(&of->body, grzTransform_FromQuat(view.rotation, view.origin));
    }
    return true;
}

static void measurePairs(StepOverlap* overlap, size_t step) {
    for (size_t i = 0; i < overlap->count; ++i)
        overlap->boxes[i] = grzBoxd_ToBox(overlap->bodies[i].body.box);
    overlap->sweep.count = overlap->count;
    PairSweep_Run(&overlap->sweep);
    overlap->failed |= overlap->sweep.failed;
    for (size_t i = 0; i < overlap->sweep.pairs.count; ++i) {
        const grzBodyPair pair = overlap->sweep.pairs.data[i];
        const StepOverlapBody *a = &overlap->bodies[pair.a], *b = &overlap->bodies[pair.b];
        if (!a->isYielding && !b->isYielding)
            continue;
        const double depth = plainOverlap(&a->body, &b->body, overlap->depth);
        if (depth > overlap->depth) {
            overlap->depth = depth;
            overlap->step = step;
            overlap->bodyA = a->id.index1 - 1;
            overlap->bodyB = b->id.index1 - 1;
        }
    }
    ++overlap->measuredSteps;
}

void StepOverlap_MeasureWorld(StepOverlap* overlap, const grzWorld* world, size_t step) {
    for (size_t i = 0; i < overlap->count && !overlap->failed; ++i)
        overlap->failed |= !placeAsInWorld(&overlap->bodies[i], world);
    if (!overlap->failed)
        measurePairs(overlap, step);
}

void StepOverlap_MeasurePoses(StepOverlap* overlap, const StepScene* scene, const StepPose* poses, size_t step) {
    for (size_t i = 0; i < overlap->count; ++i) {
        overlap->bodies[i].isYielding = !scene->bodies[i].isStatic;
        PlainBody_Place(&overlap->bodies[i].body, grzTransform_FromQuat(poses[i].rotation, poses[i].origin));
    }
    if (!overlap->failed)
        measurePairs(overlap, step);
}
