// Scenes that come to rest, and how fast their bodies still move. Shared by test_world_rest and test_world_rest_long.
#ifndef GRAZE_TESTS_REST_TESTING_H
#define GRAZE_TESTS_REST_TESTING_H

#include "world_testing.h"

enum { REST_HULLS = 8 };

typedef struct RestScene {
    grzWorld* world;
    grzBodyId* ids; // of the bodies that move
    grzMass* masses;
    uint32_t count;
    grzHull* hulls[REST_HULLS];
} RestScene;

typedef enum HeapKind { heapCubes, heapBricks, heapHulls, HEAP_KIND_COUNT } HeapKind;

// Cubes of 1, boxes of many sizes, or hulls around 10 to 24 points. Turned in any way, they fall into a pit that is
// 2 * halfWidth wide. The same for the same arguments on every machine.
RestScene makeHeap(HeapKind kind, uint32_t count, float halfWidth, uint64_t seed);

// Cubes of 1 in rows, across the joints of the row below.
RestScene makePyramid(uint32_t rows);

// Square slabs, 1 wide and `height` high, one on another.
RestScene makeTower(uint32_t count, float height);

void releaseScene(RestScene* scene);

typedef struct RestMotion {
    double meanSpeed, greatestSpeed; // of the centres
    double energy;                   // kinetic
} RestMotion;

// Steps the world. Returns the greatest of each number over the steps of the last second.
RestMotion stepToRest(RestScene* scene, uint32_t seconds);

// Of five heaps the middle one of each number: in one or two a body may still slide slowly, or fall late.
RestMotion restOfHeaps(HeapKind kind, uint32_t count, float halfWidth, uint32_t seconds);

// Fails the test where the energy of what stands after so many seconds is not below the bound. Releases the scene.
void mustStandStill(RestScene scene, uint32_t seconds, double energy);

void mustBeBelow(double value, double bound, const char* what);

#endif
