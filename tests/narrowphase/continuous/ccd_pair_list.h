// What: lists of pairs of triangles for tests of continuous collision, and what a step found, to compare with.
#ifndef GRAZE_TESTS_CCD_PAIR_LIST_H
#define GRAZE_TESTS_CCD_PAIR_LIST_H

#include "graze/ccd_step.h"

typedef struct PairList {
    grzTrianglePair* pairs;
    size_t count, capacity;
} PairList;

// Times are put into 0 to 1, and rounded outward.
void PairList_Append(PairList* list, uint32_t a, uint32_t b, const double times[2]);

// Of a triangle, at both ends.
typedef struct PairBox {
    double lower[2][3], upper[2][3];
} PairBox;

// Over three corners, which `at` tells.
typedef double PairNumberFn(const void* context, int end, uint32_t vertex, int axis);
PairBox PairBox_Make(const uint32_t corners[3], PairNumberFn* at, const void* context);

// Boxes that hold both ends overlap; boxes between those of both ends do at some time, to which *times is cut.
bool PairBox_OverlapSwept(const PairBox* a, const PairBox* b);
bool PairBox_OverlapTimed(const PairBox* a, const PairBox* b, double times[2]);

bool pairSharesCorner(const uint32_t a[3], const uint32_t b[3]);

// What grzCcdStep_Find found; `impacts` is the caller's to free.
typedef struct PairFound {
    grzImpact* impacts;
    size_t count;
    grzCcdStepStats stats;
} PairFound;

PairFound PairFound_Make(grzCcdStep* step, const grzCcdStepQuery* query);

// What a step has found is that.
void PairFound_Expect(const PairFound* found, const grzCcdStep* step, bool sameCandidates);

grzResult PairList_Decide(const PairList* list, grzCcdStep* step, grzTasks* tasks, const grzCcdStepQuery* query);

#endif
