// What: see surface_age.h.
// Idea: every few steps the boxes of chunks and those above them say how much siblings overlap (graze/bvh.h, "quality"): chunks
//   that have spread into each other are bad below as well. From that follows what queries lose, where a step is taken to read each triangle
//   once. When they have lost what a rebuild costs it begins (grzBvhAge_Step), takes a share of each step, and
//   takes its place at a step's start.
// Holds: what happens in a step follows from positions and the number of steps alone, not from queries or workers. No result
//   depends on it: lists of contacts and answers of queries are sorted.
#include "surface_age.h"

#include <string.h>

#include "bvh_parts.h"

enum {
    LOOK_EVERY = 16,        // steps
    LEAST_VISITS = 1 << 13, // of a step: some 20 us
    SHARES = 4, // of a larger mesh a step visits a quarter of the triangles, which is about a refit's time
};

uint32_t grzSurfaceAge_MostVisits(uint32_t triangleCount) {
    return triangleCount > SHARES * LEAST_VISITS ? triangleCount / SHARES : LEAST_VISITS;
}

grzResult grzSurfaceAge_Make(grzSurfaceAge* age, const grzBvh* bvh, const uint32_t* triangles,
                             const grzAllocator* allocator) {
    memset(age, 0, sizeof *age);
    age->age = grzBvhAge_Start(-1);
    const grzResult result =
        bvh->view.chunkCount > 1 ? grzBvhRenewal_Create(bvh, triangles, allocator, &age->renewal) : grzOk();
    return result;
}

void grzSurfaceAge_Release(grzSurfaceAge* age) {
    grzBvhRenewal_Destroy(age->renewal);
}

static double overlapOf(grzSurfaceAge* age, const grzBvhView* tree, const grzModel* model) {
    age->visits += tree->triangleCount; // at most: a query may have made the boxes before
    return grzBvhMeasureNodes(grzModel_GetView(model).nodes, tree->levelStarts[tree->levelCount - 2]).overlap;
}

static void look(grzSurfaceAge* age, const grzBvhView* tree, const grzModel* model) {
    const double overlap = overlapOf(age, tree, model);
    const double read = (double)LOOK_EVERY * tree->triangleCount;
    age->steps = 0;
    if (age->age.builtOverlap < 0) // the first look
        age->age = grzBvhAge_Start(overlap);
    if (grzBvhAge_Step(&age->age, overlap, read, (double)grzBvhRenewal_Cost(tree->triangleCount)))
        grzBvhRenewal_Begin(age->renewal);
}

static void rebuild(grzSurfaceAge* age, grzBvh* bvh, grzModel* model, const float* positions) {
    const uint64_t share = grzSurfaceAge_MostVisits(bvh->view.triangleCount);
    uint64_t left = share;
    const bool isBuilt = grzBvhRenewal_GoOn(age->renewal, positions, 3 * sizeof *positions, &left);
    age->visits += share - left;
    if (!isBuilt)
        return;
    grzBvhRenewal_SwitchOver(age->renewal, bvh);
    grzModel_Forget(model);
    age->age = grzBvhAge_Start(-1);
    age->steps = LOOK_EVERY - 1; // what it is like new, the next step sees
    age->rebuilds++;
}

void grzSurfaceAge_Step(grzSurfaceAge* age, grzBvh* bvh, grzModel* model, const float* positions) {
    if (age->renewal == NULL)
        return;
    if (grzBvhRenewal_IsRunning(age->renewal))
        rebuild(age, bvh, model, positions);
    else if (++age->steps >= LOOK_EVERY)
        look(age, &bvh->view, model);
}
