// What: meshes that move by a plan, rest, stand under a pose or are simulated, and what pairs of upkeeps must find of them.
#ifndef GRAZE_TESTS_PAIRS_TESTING_H
#define GRAZE_TESTS_PAIRS_TESTING_H

#include "kinetic_testing.h"

#include "graze/stage/upkeep_pairs.h"

enum { MESH_FRAMES = 6 };

typedef enum Kind { byFrames, byPaths, atRest, posed, simulated, KINDS } Kind;

typedef struct Mesh {
    Kind kind;
    uint32_t side, vertexCount, triangleCount;
    float* frames[MESH_FRAMES];
    float *velocities, *positions; // positions: where it is now, in its own frame
    uint32_t* triangles;
    grzBvh* bvh;
    grzFlightplan* plan;
    grzUpkeep* upkeep;
    grzBvhNode* nodes; // of the positions
    grzTransform pose;
    bool isPosed;
} Mesh;

void* takeZeros(size_t count, size_t size);

// A sheet of so many vertices a side, at its first frame; the rougher, the more its vertices go apart. What moves by a plan has an upkeep of the usual ways.
Mesh makePairMesh(grzRng* rng, Kind kind, uint32_t side, float offset, float roughness);
void dropPairMesh(Mesh* mesh);
void makeMeshUpkeep(Mesh* mesh, uint32_t ways, bool isLazy);
void makeMeshPlan(Mesh* mesh, int frames); // of so many keyframes, or of paths
void refitMesh(const Mesh* mesh);

// Advanced to a time, drawn a pose, or moved a little; positions and nodes are those of then.
void placeAt(Mesh* mesh, grzTasks* tasks, grzRng* rng, double time);

// b NULL: within a. searches: as in the def.
grzUpkeepPairsSide pairsSideOf(const Mesh* mesh);
grzUpkeepPairsDef pairsDefOf(const Mesh* a, const Mesh* b);
grzUpkeepPairs* makePairs(const Mesh* a, const Mesh* b, uint32_t searches);
grzUpkeepPairsQuery pairsQueryOf(const Mesh* a, const Mesh* b, grzPairPrecision precision, float margin);

// Pairs of triangles, sorted; to be freed.
typedef struct Keys {
    uint64_t* keys;
    size_t count, room;
} Keys;

void addKey(Keys* keys, uint32_t a, uint32_t b);

// All leaves of both within the margin, each tested against each, and their triangles; or of these the ones whose own boxes are.
Keys expectedOf(const Mesh* a, const Mesh* b, float margin, bool testsTriangles);

// All expected ones are there; where it is exact, no others.
void expectKeys(const grzUpkeepPairs* pairs, const Keys* keys, bool isExact);

typedef struct Counts {
    size_t conservative, tight, triangles;
} Counts;

// All precisions, at the time where both meshes are.
void expectAll(grzUpkeepPairs* pairs, grzTasks* tasks, const Mesh* a, const Mesh* b, float margin, Counts* counts);

#endif
