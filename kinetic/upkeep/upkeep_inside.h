// What: how an upkeep lies in memory, and its parts.
//
//   upkeep          making it, time, changes, figures
//   upkeep_ways     what each way does: entering, leaving, a frame
//   upkeep_model    the chooser, apart from all trees
//   upkeep_costs    constants for it, measured
//   upkeep_walk     reading: nodes, leaves, a query
//   upkeep_check    promises
//
// Holds: the way of the model is the one that is valid at `at`. `shown` are the nodes that a refit wrote, or that a caller had
//   written; NULL where nodes are to be had from a tree.
#ifndef GRAZE_KINETIC_UPKEEP_INSIDE_H
#define GRAZE_KINETIC_UPKEEP_INSIDE_H

#include "graze/box_tree.h"
#include "graze/chord_tree.h"
#include "graze/kinetic_tree.h"
#include "graze/upkeep.h"

#include "counted_memory.h"
#include "plan_inside.h"
#include "upkeep_model.h"

struct grzUpkeep {
    const grzBvh* bvh;
    grzBvhView view;
    grzFlightplan* plan;
    grzBvhNumbering numbering;
    float looseness; // of the chord tree
    float readyBy;   // likewise
    bool isLazy;     // likewise
    uint32_t ways;
    bool isFixed;         // one way alone: no model
    bool isStale;         // paths have changed since the last Advance
    double at;            // plan time
    double time;          // as given
    double changed;       // vertices since the last Advance
    double spent;         // nanoseconds since the last Advance, as far as work was counted
    double quietAt;       // where time stood before the quiet frames
    uint32_t quietFrames; // that the model has not been told of
    double chunks;        // of the chord tree, when last looked at
    uint64_t repairs;     // of the batched one
    uint64_t revision;    // of the plan
    uint64_t hierarchy;   // the revision of the hierarchy
    UpkeepModel model;    // its way is the one in use, also where it is fixed

    float* positions; // refit
    size_t positionCount;
    grzBvhNode* nodes;
    const grzBvhNode* shown;
    grzChordTree* chord;
    grzKineticTree* kinetic; // ordered, or batched
    grzBoxTree* boxTree;
    grzCountedMemory memory; // of all these

    grzProfile* profile;
    grzCounter counters[grz_upkeepWayCount], switches;
    grzUpkeepStats stats;
};

static inline bool allowsWay(uint32_t ways, grzUpkeepWay way) {
    return (ways & GRZ_UPKEEP_BIT(way)) != 0;
}

// ---- upkeep ----

// Why it cannot go on as the mesh is now, or NULL.
const char* grzUpkeep_FlawOfMesh(const grzUpkeep* upkeep);

// ---- upkeep_ways ----

// Makes a way valid at a time. Fails, and nothing is changed, for want of memory alone.
grzResult grzUpkeep_Enter(grzUpkeep* upkeep, grzTasks* tasks, grzUpkeepWay way, double time);

// Gives back what a way has that is not the one in use.
void grzUpkeep_Leave(grzUpkeep* upkeep, grzUpkeepWay way);

// The way in use goes on to a time. It was found to be known, so that nothing fails but where the way says so.
grzResult grzUpkeep_RunWay(grzUpkeep* upkeep, grzTasks* tasks, double time, grzBvhNode* nodes);

// Has up to this part of a refit done for a chord tree that is not in use, for the interval of a number.
void grzUpkeep_Prepare(grzUpkeep* upkeep, grzTasks* tasks, double part);

#endif
