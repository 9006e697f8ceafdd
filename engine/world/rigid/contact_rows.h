// What the kernels of the contact solver work on: rows of bodies, and streams of touches that are laid out for eight
// lanes.
//
//   body      row    64 bytes: velocity, 1/mass, whitened spin | what it moves in this substep. Transposed into lanes
//             frame  32 bytes: what Jacobians are made of
//             lanes  8 bodies side by side: what only the passes over bodies need
//   touch     block  8 touches of one colour, one point count and one kind, in three streams of vectors of eight lanes:
//
//     firm     read and written by every pass: | rows B (A) | normal | per point: jacobian B (A), mass, separation,
//              impulse |
//     relaxed  friction, by the relaxing pass alone: | tangent, limit, jacobians, masses, impulses | twist |;
//              and sums over the substeps: | per point: impulse | slide 2 | twist |
//     kept     from preparing to finishing: | restitution, sign, energy to bounce with | per point: shares of the
//              twist | per point: when it met |
//
// Whitened: the inverse inertia is L L^T with L = R diag(root), R the rotation at the start of the step, root the
// square roots of the body's own inverse inertia. The spin is L w, w being what rows hold; an impulse p at r changes
// w by L^T (r x p) = root * (a x R^T p), a being the anchor in the body's frame. So one jacobian row serves as both
// what speed a body gives and what an impulse does to it, and no pass has a cross product or an inertia.
//
// Where a body gyrates, R is its rotation as it is now; touches take w as if it were that of the start. So |w|^2 / 2 is always the
// energy of the spin, and what touches take from the one they take from the other. Were R that of the start for these bodies as
// well, a rod that has turned in the step would spin across what touches see as its own axis, at a thousand times the energy.
//
// Modes: the points of a touch that has several are solved all at once (contact_pass_kernel.c). How fast a plane of points
// comes is a constant and two slopes, so impulses are shared out as three such modes: the same at all points, and two
// that tilt; on a line there is but one of these. They are made so that a unit of one mode changes the speeds by a unit
// of that mode and of no other: with A what impulses at the points do to the speeds there, W^T A W = 1. So the impulses
// that take the speeds v away are -W W^T v. A mode that nothing yields to is 0. Of a touch of several points `mass` is
// the inverse of a point's mass.
//
// Shares: a soft point gives way by g D times its impulse, with D the `mass` of each point and g of the softness. So a
// unit of one mode changes the errors by rows of 1 + g W^T D W along all modes. The share of a mode is the inverse of the
// sum of its row's magnitudes: impulses -W diag(shares) W^T v never go too far, since the matrix is at most that diagonal.
// Tilts of points that lie near each other have small shares: of two points at a distance d from below the centre,
// 1 / (1 + g / 2 (1 + (k / d)^2)), with k the radius of gyration.
//
// One-sided touches, of a body that yields with one that does not, have the first as B whatever the touch calls it,
// with normal and tangent turned to it. What the other one's surface does is a speed beside the jacobian. So a row
// that many touches of a colour share is never written.
#ifndef GRAZE_WORLD_CONTACT_ROWS_H
#define GRAZE_WORLD_CONTACT_ROWS_H

#include "graze/stage/step.h"
#include "kernel.h"
#include "touch.h"

enum { GRZ_TOUCH_LANES = 8 };

typedef struct grzSolverRow {
    float velocity[3], inverseMass;
    float spin[3], pad;    // whitened
    float motion[3], pad2; // velocity * time of this substep
    // Spin * time, whitened; and energy that touches gave in this substep (contact_pass_kernel.c).
    float turn[3], debt;
} grzSolverRow;

typedef struct grzSolverFrame {
    float root[3], inverseMass;
    grzQuat rotation;
} grzSolverFrame;

// Vectors of eight bodies. 128 bytes a body.
typedef struct grzBodyLanes {
    float shift[3 * GRZ_TOUCH_LANES];  // of the centre since the start of the step
    float turned[4 * GRZ_TOUCH_LANES]; // the rotation since then, in the body's frame at the start
    // After forces, and what hooks and bounces pushed: all but the impulses that go on.
    float velocity[3 * GRZ_TOUCH_LANES];
    float spin[3 * GRZ_TOUCH_LANES];
    // At the start of the substep, with its gyroscopic terms: taken off the two above, they leave what forces did.
    float velocityBefore[3 * GRZ_TOUCH_LANES];
    float spinBefore[3 * GRZ_TOUCH_LANES];
    float root[3 * GRZ_TOUCH_LANES];
    float gravity[GRZ_TOUCH_LANES];                              // its scale
    float keptSpeed[GRZ_TOUCH_LANES], keptSpin[GRZ_TOUCH_LANES]; // by damping, in a substep
    // Gyroscopic terms: how the product of the spins about two axes changes that about the third, 0 where the body does not gyrate;
    // the spin at the middle of the substep; and the share of the substep that they act in.
    float coupling[3 * GRZ_TOUCH_LANES], middle[3 * GRZ_TOUCH_LANES], share[GRZ_TOUCH_LANES];
} grzBodyLanes;

GRZ_STATIC_ASSERT(sizeof(grzSolverRow) == 64, "a line");
GRZ_STATIC_ASSERT(sizeof(grzSolverFrame) == 32, "half a line");
GRZ_STATIC_ASSERT(sizeof(grzBodyLanes) % 64 == 0, "whole lines");

// Touches of one colour, one count of points and one kind: consecutive blocks.
typedef struct grzTouchBatch {
    uint32_t firstBlock, blockCount; // among all blocks
    uint32_t touchCount;
    uint32_t lanesUsed; // a block: 8, or 1 where touches may share bodies
    uint32_t pointCount;
    uint32_t sideCount;               // 2, or 1: one-sided
    size_t firmAt, relaxedAt, keptAt; // where the first block begins, in vectors
} grzTouchBatch;

typedef struct grzSoftness {
    float biasRate, massScale, impulseScale;
} grzSoftness;

// What all kernels are given. Constants of the step, arrays of the solver, and what the host gave.
typedef struct grzSolverWork {
    grzBodyState* states;
    const grzBodyMass* masses;
    uint32_t bodyCount;
    grzTouchUnit* units;
    grzSolverRow* rows;     // blocks of eight bodies, then a row of zeros
    grzSolverFrame* frames; // likewise
    grzBodyLanes* lanes;
    uint8_t* badLanes;          // a block of bodies: bits of those that are not finite
    uint8_t* apartBlocks;       // of touches: 1 where a point was apart when the step began
    const uint32_t* lanePlaces; // of touches among units, eight a block
    float *firm, *relaxed, *kept;
    float time, inverseTime; // of a substep
    grzVec3 gravity;
    grzSoftness soft[2]; // of one-sided touches, of others
    float pushSpeed, restitutionThreshold, blowSpeed;
    uint32_t isFirst;    // substep
    float number;        // of the substep, from 1
    uint32_t anyBounces; // a touch has restitution
    uint32_t zeroRow;
} grzSolverWork;

// The places of vectors in a block; s is the count of sides, n that of points.
#define GRZ_MODES(s)        ((s) + 3) // the even one, the shares, the tilts
#define GRZ_TILTS(n)        ((n) == 1 ? 0 : (n) == 2 ? 1 : 2)
#define GRZ_TILTS_AT(s, n)  (GRZ_MODES(s) + 2 + GRZ_TILTS(n))
#define GRZ_FIRM_HEAD(s, n) ((n) > 1 ? GRZ_TILTS_AT(s, n) + (n)*GRZ_TILTS(n) : GRZ_MODES(s))
#define GRZ_FIRM_POINT(s)   (3 * (s) + ((s) == 1 ? 4 : 3)) // jB, (jA), mass, separation, impulse, (speed)
#define GRZ_FIRM_SIZE(s, n) (GRZ_FIRM_HEAD(s, n) + (n)*GRZ_FIRM_POINT(s))
#define GRZ_FRICTION_SIZE(s)                                                                                       \
    (9 + 6 * (s) + ((s) == 1 ? 2 : 0)) // tangent 3, limit, j1, j2, masses 3, impulses 2, (speeds 2)
#define GRZ_TWIST_SIZE(s)      (3 + 3 * (s) + ((s) == 1 ? 1 : 0)) // j, mass, arm, impulse, (speed)
#define GRZ_SUMS(s, n)         (GRZ_FRICTION_SIZE(s) + ((n) > 1 ? GRZ_TWIST_SIZE(s) : 0)) // points, slide 2, (twist)
#define GRZ_RELAXED_SIZE(s, n) (GRZ_SUMS(s, n) + (n) + ((n) > 1 ? 3 : 2))
#define GRZ_KEPT_SHARES        3
// When a point met: the number of the substep; 0: not yet; 0.5: before the step.
#define GRZ_KEPT_MET(n)  (GRZ_KEPT_SHARES + 2 * (n))
#define GRZ_KEPT_SIZE(n) (GRZ_KEPT_MET(n) + (n))

typedef enum grzTouchPass {
    grz_passWarm,
    grz_passSolve,
    grz_passRelax,
    grz_passMeasure,
    grz_passBounce
} grzTouchPass;
typedef enum grzBodyPass {
    grz_bodiesBegin,
    grz_bodiesForce,
    grz_bodiesMove,
    grz_bodiesCheck,
    grz_bodiesFinish
} grzBodyPass;

// Blocks begin .. end of the batch (from 0) or of the bodies. Blocks of one colour may go side by side.
GRZ_DECLARE_KERNEL(void, grzPassTouches,
                   (const grzSolverWork* work, grzTouchPass pass, const grzTouchBatch* batch, uint32_t begin,
                    uint32_t end));
GRZ_DECLARE_KERNEL(void, grzPrepareTouches,
                   (const grzSolverWork* work, const grzTouchBatch* batch, uint32_t begin, uint32_t end));
GRZ_DECLARE_KERNEL(void, grzFinishTouches,
                   (const grzSolverWork* work, const grzTouchBatch* batch, uint32_t begin, uint32_t end));
GRZ_DECLARE_KERNEL(void, grzPassBodies,
                   (const grzSolverWork* work, grzBodyPass pass, uint32_t begin, uint32_t end));

static inline uint32_t grzTouchBatch_LanesIn(const grzTouchBatch* batch, uint32_t block) {
    uint32_t left = batch->touchCount - block * batch->lanesUsed;
    return left < batch->lanesUsed ? left : batch->lanesUsed;
}

#endif
