// Pairs of triangles of two bodies that are an animated mesh and another one, or a static or kinematic mesh; and pairs of leaves of an animated mesh and cloth; kept from the first step of the pair of bodies to its last
// (graze/stage/upkeep_pairs.h).
//
//   grzAnimatedPairs* pairs;
//   result = grzAnimatedPairs_Create(allocator, &pairs);
//   ...each step, when animated meshes have gone on to its end:
//   result = grzAnimatedPairs_Find(pairs, &step);              // step.asks: all pairs of bodies there are
//   grzMeshCandidates found = grzAnimatedPairs_Get(pairs, i);  // of ask i
//
// Owner: memory of a pair of bodies is kept while it is asked for, and goes with the first Trim after that, as two bodies that part may be near each other
// again in the next step; or when one of the two leaves. Candidates live until
// the next Find. Threads: one call that changes it at a time; the same bytes for any number of workers.
#ifndef GRAZE_WORLD_ANIMATED_PAIRS_H
#define GRAZE_WORLD_ANIMATED_PAIRS_H

#include "collider.h"
#include "graze/bvh.h"
#include "graze/profile.h"
#include "graze/records.h"
#include "graze/stage/node_pairs.h"
#include "graze/tasks.h"

// Pairs of triangles of two bodies: all that are no farther apart than a margin, and others.
typedef struct grzMeshCandidates {
    const grzTrianglePair* pairs;
    size_t count;
} grzMeshCandidates;

// Of cloth and an animated mesh: pairs of leaves of their hierarchies, of which the boxes are no farther apart than a margin.
typedef struct grzLeafCandidates {
    const grzLeafPair* pairs;
    size_t count;
    bool isClothA;   // leafA is of the cloth, leafB of the mesh
    bool wereSought; // false: nothing is known
} grzLeafCandidates;

typedef struct grzAnimatedPairs grzAnimatedPairs;

// *pairs is NULL where memory is refused.
grzResult grzAnimatedPairs_Create(grzAllocator allocator, grzAnimatedPairs** pairs);
void grzAnimatedPairs_Destroy(grzAnimatedPairs* pairs);

// Whether pairs of two bodies are kept here: an animated mesh without a box tree, and another one, a mesh that is not dynamic, or cloth.
bool grzAnimatedPairs_Fits(const grzCollider* a, const grzCollider* b);

typedef struct grzAnimatedAsk {
    uint32_t rowA, rowB; // of two bodies that fit
    float margin;
    bool isResting;    // the pair of bodies goes on, but is not searched in this step
    uint32_t bodyPair; // for the candidates
    // Of cloth, the other body: its hierarchy and boxes over the step. Its pairs end at leaves.
    const grzBvh* bvh;
    const grzBvhNode* nodes;
} grzAnimatedAsk;

typedef struct grzAnimatedPairsStep {
    const grzCollider* colliders; // by row
    const grzAnimatedAsk* asks;   // ascending by the bodies' ids, each pair of bodies once
    uint32_t askCount;
    grzTasks* tasks;
    grzProfile* profile; // NULL: none
} grzAnimatedPairsStep;

// Fails by grz_outOfMemory, or where numbers leave what searches can hold (grz_notFinite, grz_badArgument, grz_tooLarge; part element, index: the
// ask). There are no candidates then.
grzResult grzAnimatedPairs_Find(grzAnimatedPairs* pairs, const grzAnimatedPairsStep* step);

// Gives back the memory of pairs of bodies that are over.
void grzAnimatedPairs_Trim(grzAnimatedPairs* pairs);

// A body leaves: all its pairs are over.
void grzAnimatedPairs_EndBody(grzAnimatedPairs* pairs, grzBodyId body);

// Candidates are nobody's until the next Find; pairs of bodies go on.
void grzAnimatedPairs_Forget(grzAnimatedPairs* pairs);

// After Find. None of an ask that rests.
grzMeshCandidates grzAnimatedPairs_Get(const grzAnimatedPairs* pairs, uint32_t ask);
grzLeafCandidates grzAnimatedPairs_GetLeaves(const grzAnimatedPairs* pairs, uint32_t ask);

// Of two bodies that the last Find has searched: until which time of the world no candidate begins or ends, or a time that is past. False: it has not,
// or a mesh has a clock of its own.
bool grzAnimatedPairs_Horizon(const grzAnimatedPairs* pairs, grzBodyId a, grzBodyId b, double* time);

size_t grzAnimatedPairs_MemorySize(const grzAnimatedPairs* pairs);

// Checks order, and of pairs of small meshes the candidates of the last Find, since when nothing has moved. False where something is broken; the
// first is logged as an error.
bool grzAnimatedPairs_Validate(const grzAnimatedPairs* pairs);

#endif
