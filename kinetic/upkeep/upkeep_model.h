// What: the chooser of graze/upkeep.h: what each way would cost in a frame, and when to go over to another one.
// Promise: a pure function of constants, of the frames it is told of and of work that was counted; it reads no clock.
// Idea: the regret of a way is what would have been saved by it since it was last the dearer one. To go over is worth what it
//   costs, S, once the regret is S: who does so loses no more than twice what is lost by who knows the future, as with renting or
//   buying skis. Going back to the refit is free, but coming from it again is not: up to a half of that must be regretted.
// Holds: all costs are nanoseconds of one core. What is read of the other ways is only where time stands.
// Threads: none of its own.
#ifndef GRAZE_KINETIC_UPKEEP_MODEL_H
#define GRAZE_KINETIC_UPKEEP_MODEL_H

#include "graze/upkeep.h"

// The costs of one mesh.
typedef struct UpkeepRates {
    double refit, evaluate;
    double chordRefit, chordWrite, chordCopy;
    double batchedMake, batchedKeyframe, batchedRepair, batchedWrite;
} UpkeepRates;

// A frame, in plan times.
typedef struct UpkeepFrame {
    double before, at;
    double end;     // of what the plan knows
    double changed; // vertices that were given new paths in it
    bool isWritten;
} UpkeepFrame;

typedef struct UpkeepChoice {
    grzUpkeepWay way;
    const char* reason;
    double prepare; // for the chord tree: which part of a refit to do beside; 0: none
} UpkeepChoice;

typedef struct UpkeepModel {
    UpkeepRates rates;
    uint32_t ways;
    bool hasPaths;
    double limit;
    grzUpkeepWay way;
    const char* reason;
    double regret[grz_upkeepWayCount];
    double spent;
    bool isNew; // the way was entered since the last frame that was noted
    // How many sides the batched tree looks at; guesses until it has been seen at work.
    double sides;                                          // of all boxes
    double repairsAUnit, repairsAKeyframe, repairsAVertex; // a unit of plan time
    uint32_t unitsSeen, keyframesSeen, changesSeen;
    double readyBy;     // of the chord tree
    double chordFactor; // refits of chunks, against one for each keyframe
    // While the chord tree is made ready: for the interval of which number, and how many refits are left to do.
    double readyFor, left;
} UpkeepModel;

UpkeepRates grzUpkeepRates_Of(const grzUpkeepCosts* costs, bool hasPaths, uint32_t triangleCount,
                              uint32_t vertexCount);

// Sides: of all boxes. The way is where it begins.
UpkeepModel grzUpkeepModel_Make(const UpkeepRates* rates, uint32_t ways, bool hasPaths, double limit, double sides);

// Of each way, as if it were the one in use; infinity for those that are not allowed.
void grzUpkeepModel_Expect(const UpkeepModel* model, const UpkeepFrame* frame, double costs[grz_upkeepWayCount]);

// The way for a frame. The model has not changed its way yet, but knows for what the chord tree is made ready.
UpkeepChoice grzUpkeepModel_Choose(UpkeepModel* model, const UpkeepFrame* frame,
                                   const double costs[grz_upkeepWayCount]);

// New paths for so many vertices in a frame, in the batched way: where it would exceed the limit, or is regretted and has not
// begun with the frame, it goes over to the refit. Returns whether.
bool grzUpkeepModel_GiveUp(UpkeepModel* model, double changed, bool hasBegun);

// So it was done.
void grzUpkeepModel_Enter(UpkeepModel* model, grzUpkeepWay way, const char* reason);

// The frame is over; what it cost, as far as that was counted. What it cost to go over is nothing to regret.
void grzUpkeepModel_Note(UpkeepModel* model, const double costs[grz_upkeepWayCount], double spent);

// Work that was counted. Repairs: in a frame; after new paths for so many vertices.
void grzUpkeepModel_SeeRepairs(UpkeepModel* model, const UpkeepFrame* frame, double repairs);
void grzUpkeepModel_SeeChange(UpkeepModel* model, double vertices, double repairs);
void grzUpkeepModel_SeeChord(UpkeepModel* model, double expected, double refits);

// What so many repairs, and keyframes come over, cost; and writing all boxes of a frame, where they are.
double grzUpkeepModel_BatchedCost(const UpkeepModel* model, double keyframes, double repairs);
double grzUpkeepModel_WriteCost(const UpkeepModel* model, const UpkeepFrame* frame, grzUpkeepWay way);

// How many keyframes a batched tree comes over in a frame.
double grzUpkeepModel_Keyframes(const UpkeepModel* model, const UpkeepFrame* frame);

// How many refits a chord tree makes from one plan time to another.
double grzUpkeep_ChordRefits(double readyBy, double before, double at, double end);

#endif
