// Pairs of triangles of an animated mesh and another mesh that is animated, static or kinematic; and pairs of
// leaves of an animated mesh and cloth. They are kept from the first step of the pair of bodies to its last
// (graze/stage/upkeep_pairs.h).
//
//   grzAnimatedPairs* pairs;
//   result = grzAnimatedPairs_Create(allocator, &pairs);
//   ...each step, when animated meshes have gone on to its end:
//   result = grzAnimatedPairs_Find(pairs, &step);              // step.asks: all pairs of bodies there are
//   grzMeshCandidates found = grzAnimatedPairs_Get(pairs, i);  // of ask i
//
// Owner: memory of a pair of bodies is kept while the pair is asked for. The first Trim after that frees it, since
// two bodies that part may be near each other again in the next step. It is also freed when one of the bodies
// leaves. Candidates live until the next Find. Threads: one call that changes it at a time; the same bytes for any
// number of workers.
#ifndef GRAZE_WORLD_ANIMATED_PAIRS_H
#define GRAZE_WORLD_ANIMATED_PAIRS_H

#include "collider.h"
#include "graze/bvh.h"
#include "graze/profile.h"
#include "graze/records.h"
#include "graze/stage/node_pairs.h"
#include "graze/tasks.h"

// Pairs of triangles of two bodies: all that are within a margin of each other, and some more.
typedef struct grzMeshCandidates {
    const grzTrianglePair* pairs;
    size_t count;
} grzMeshCandidates;

// Pairs of leaves of cloth and an animated mesh whose boxes are within a margin of each other.
typedef struct grzLeafCandidates {
    const grzLeafPair* pairs;
    size_t count;
    bool isClothA;   // leafA is of the cloth, leafB of the mesh
    bool wereSought; // false: there was no search, so nothing is known
} grzLeafCandidates;

typedef struct grzAnimatedPairs grzAnimatedPairs;

// Makes an object without pairs. *pairs is NULL where memory is refused.
grzResult grzAnimatedPairs_Create(grzAllocator allocator, grzAnimatedPairs** pairs);
void grzAnimatedPairs_Destroy(grzAnimatedPairs* pairs);

// Returns whether pairs of two bodies are kept here: one is an animated mesh without a box tree; the other one is
// as well, or is a mesh that is not dynamic, or cloth.
bool grzAnimatedPairs_Fits(const grzCollider* a, const grzCollider* b);

typedef struct grzAnimatedAsk {
    uint32_t rowA, rowB; // of two bodies that fit
    float margin;
    bool isResting;    // the pair of bodies goes on, but is not searched in this step
    uint32_t bodyPair; // for the candidates
    // For cloth as the other body: its hierarchy and boxes over the step. The search ends at pairs of leaves.
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

// Finds the candidates of all asks. Fails with grz_outOfMemory, or where numbers are beyond the limits of searches
// (grz_notFinite, grz_badArgument, grz_tooLarge; part element, index: the ask). There are no candidates then.
grzResult grzAnimatedPairs_Find(grzAnimatedPairs* pairs, const grzAnimatedPairsStep* step);

// Frees the memory of pairs of bodies that are over.
void grzAnimatedPairs_Trim(grzAnimatedPairs* pairs);

// Ends all pairs of a body that leaves.
void grzAnimatedPairs_EndBody(grzAnimatedPairs* pairs, grzBodyId body);

// Drops the candidates until the next Find; pairs of bodies go on.
void grzAnimatedPairs_Forget(grzAnimatedPairs* pairs);

// Return the candidates of an ask of the last Find; none for an ask that rests.
grzMeshCandidates grzAnimatedPairs_Get(const grzAnimatedPairs* pairs, uint32_t ask);
grzLeafCandidates grzAnimatedPairs_GetLeaves(const grzAnimatedPairs* pairs, uint32_t ask);

// Writes the time of the world until which no candidate of two bodies begins or ends; it may be past. Returns false
// if the last Find has not searched them, or if a mesh has a clock of its own.
bool grzAnimatedPairs_Horizon(const grzAnimatedPairs* pairs, grzBodyId a, grzBodyId b, double* time);

size_t grzAnimatedPairs_MemorySize(const grzAnimatedPairs* pairs);

// Checks the order, and for small meshes the candidates of the last Find; nothing has moved since. Returns false
// where something is broken, and logs the first flaw as an error.
bool grzAnimatedPairs_Validate(const grzAnimatedPairs* pairs);

#endif
