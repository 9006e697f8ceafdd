// What: meshes that move, and a pair front over two of them or over one with itself, for tests of fronts.
#ifndef GRAZE_TESTS_FRONT_TESTING_H
#define GRAZE_TESTS_FRONT_TESTING_H

#include "kinetic_testing.h"

#include "front_inside.h"
#include "front_reference.h"
#include "kinetic_reference.h"

enum { KEYFRAMES = 4 };

typedef struct Mover {
    uint32_t vertexCount, triangleCount;
    uint32_t* triangles;
    float* frames[KEYFRAMES];
    float* velocities;
    float* accelerations;
    grzBvh* bvh;
    grzFlightplan* plan;
    grzKineticTree* tree;
} Mover;

typedef struct Duel {
    Mover movers[2];
    bool isSelf, cullsSelf; // the first with itself
    grzPairFront* front;
    grzTasks* tasks;
    TestMemory* memory; // of the front; NULL: the host's
} Duel;

// Room for numbers, all zeros, and triangles; and a strip of triangles with hard numbers, most of which make all boxes overlap now and
// then. What rises by the vertex's number falls at the next keyframe.
Mover takeMover(uint32_t vertexCount, uint32_t triangleCount);
Mover makeMover(grzRng* rng, uint32_t triangleCount, uint32_t flavour);

// A sheet of so many squares along each edge, row by row; the caller places the vertices.
Mover makeSheetMover(uint32_t squares);

// Along a line, so that few boxes overlap; vertices shiver.
void spread(grzRng* rng, Mover* mover, float scale);

// Two of them; or the first alone, with itself.
Duel makeSpread(grzRng* rng, uint32_t a, uint32_t b);
Duel makeSpreadSelf(grzRng* rng, uint32_t triangleCount);

// Hierarchy, plan and tree.
void followFrames(Mover* mover, double begin, double step, grzTasks* tasks);
void followPaths(Mover* mover, double begin, bool isBent, int32_t tickExponent, grzTasks* tasks);

// The front over trees that are there; and without the front, trees and plans.
grzResult tryMeet(Duel* duel);
void meet(Duel* duel);
void unfollow(Duel* duel);
void dropDuel(Duel* duel);

// How many meshes there are.
static inline int moverCount(const Duel* duel) {
    return duel->isSelf ? 1 : 2;
}

// All kinds of motion.
typedef enum Kind {
    kind_frames,
    kind_straight,
    kind_bent,
    kind_ticks, // paths of two grids
    KINDS,
} Kind;

void follow(Duel* duel, Kind kind);

// Goes to a time and checks everything there. The horizon of the time before was right: no pair came or went up to it.
void goTo(Duel* duel, double time);

// Event after event; now and then a tick before one, or far beyond.
void goOn(Duel* duel, grzRng* rng, double end, int steps);

// Of a whole life, to a number: views, stats, horizons and queues.
uint64_t hashFrontLife(Duel* duel, Kind kind, grzTasks* tasks);

// That number is the same at every level and for 1, 2, 3 and 8 workers.
void expectSameLives(Duel* duel, Kind kind);

// Memory is refused at so many requests of Create in turn, and at so many of what follows: the view is as it was; asked again, all is as
// it should be. Returns how often going on in time was refused.
int expectRefusedMemoryMadeUp(Duel* duel, Kind kind, size_t lives);

// After a time a front over keyframes asks for no more memory, and it has what it says.
void expectWarmAllocatesNothing(Duel* duel);

#endif
