// What the kinetic trees are held to, by the fuzz target and the tests: the boxes of a mesh that moves, found slowly and plainly; and
// numbers to try them with.
#ifndef GRAZE_FUZZ_KINETIC_REFERENCE_H
#define GRAZE_FUZZ_KINETIC_REFERENCE_H

#include "graze/box_tree.h"
#include "graze/bvh.h"
#include "rng.h"

// ------------------------------------------------------------------------------------------------------ numbers

// Coordinates and velocities that are hard for what compares and solves.
typedef enum HardFlavour {
    hard_usual,
    hard_tied,
    hard_far,     // 10^6 away
    hard_veryFar, // 10^9 away, and most are level
    hard_denormal,
    hard_zeros,  // of both signs
    hard_huge,   // up to the last float
    hard_rising, // with the vertex's number: between this and the next, all change their order at one instant
    hard_falling,
    hard_anyBits,
    hard_near,  // a few floats apart
    hard_still, // the same each time
} HardFlavour;

#define HARD_FLAVOURS 12

// Finite. Flavours beyond the last one begin anew.
float drawHardNumber(grzRng* rng, uint32_t flavour, uint32_t vertex);

// -------------------------------------------------------------------------------------------------------- boxes

// The boxes of all nodes, from the positions of all vertices in one numbering or the other. Infinities are numbers as others.
void referenceBoxes(const grzBvh* bvh, grzBvhNumbering numbering, const float* positions, grzBvhNode* nodes);

// Number by number; zeros of both signs are the same.
bool areSameBoxes(const grzBvhNode* a, const grzBvhNode* b, uint32_t count);

// Whether each box of `outer` holds the one of `inner`.
bool holdBoxes(const grzBvhNode* outer, const grzBvhNode* inner, uint32_t count);

// Whether each box lies within its parent's.
bool areNested(const grzBvh* bvh, const grzBvhNode* nodes);

// Whether each vertex lies in its leaf's box, each box in its parent's, each triangle in one leaf, and nothing beside
// the vertices of triangles is as far out as the root's box.
bool boxTreeHolds(const grzBoxTree* tree, const uint32_t* triangles, uint32_t triangleCount,
                  const float* positions);

#endif
