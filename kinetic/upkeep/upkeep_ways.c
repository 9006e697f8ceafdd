// What: the ways of an upkeep: what each of them does to become valid, in a frame, and when it is left.
// Holds: the memory of the refit and the chord tree is there from the beginning where they are allowed; a batched tree is made
//   when it is entered and given back when it is left, since one that was left behind can only be made anew.
#include <math.h>

#include "bvh_parts.h"
#include "check.h"
#include "chord_inside.h"
#include "memory.h"
#include "upkeep_inside.h"

// ---- refit ----

// The positions of a keyframe are read where they lie; all others are evaluated.
static void refitAt(grzUpkeep* upkeep, grzTasks* tasks, double time, grzBvhNode* nodes) {
    const grzFlightplan* plan = upkeep->plan;
    const double at = grzPlan_TimeOf(plan, time);
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.numbering = upkeep->numbering;
    if (plan->kind == grz_planKeyframes && at == floor(at)) {
        const PlanFrame* frame = plan->frames.data + ((size_t)at - plan->firstFrame);
        refit.positions = frame->positions;
        refit.stride = frame->stride * sizeof(float);
    } else {
        const grzResult known = grzFlightplan_Evaluate(plan, tasks, time, upkeep->positions, 0);
        GRZ_ASSERT(grzResult_IsOk(known));
        (void)known;
        refit.positions = upkeep->positions;
    }
    grzBvh_RefitKnown(upkeep->bvh, tasks, &refit, nodes);
}

static grzResult makeRefit(grzUpkeep* upkeep) {
    const size_t count = 3 * upkeep->positionCount, nodeCount = upkeep->view.nodeCount;
    if (upkeep->nodes != NULL)
        return grzOk();
    upkeep->positions = count == 0 ? NULL : grzAllocate(&upkeep->memory.allocator, count, sizeof(float), 64);
    if (upkeep->positions == NULL && count != 0)
        return grzNoMemory(count, sizeof(float));
    upkeep->nodes = grzAllocate(&upkeep->memory.allocator, nodeCount, sizeof(grzBvhNode), GRZ_BVH_ALIGNMENT);
    return upkeep->nodes != NULL ? grzOk() : grzNoMemory(nodeCount, sizeof(grzBvhNode));
}

// ---- trees ----

static grzResult makeChord(grzUpkeep* upkeep, grzTasks* tasks, double time) {
    grzChordTreeDef def = grzDefaultChordTreeDef();
    if (upkeep->chord != NULL)
        return grzChordTree_Advance(upkeep->chord, tasks, time);
    def.numbering = upkeep->numbering;
    def.bvh = upkeep->bvh, def.plan = upkeep->plan;
    def.looseness = upkeep->looseness;
    def.readyBy = upkeep->readyBy;
    def.isLazy = upkeep->isLazy;
    def.startTime = time;
    def.tasks = tasks;
    def.allocator = upkeep->memory.allocator;
    return grzChordTree_Create(&def, &upkeep->chord);
}

static grzResult makeKinetic(grzUpkeep* upkeep, grzTasks* tasks, grzKineticOrder order, double time) {
    grzKineticTreeDef def = grzDefaultKineticTreeDef();
    def.order = order;
    def.numbering = upkeep->numbering;
    def.bvh = upkeep->bvh, def.plan = upkeep->plan;
    def.startTime = time;
    def.tasks = tasks;
    def.allocator = upkeep->memory.allocator;
    grzKineticTree_Destroy(upkeep->kinetic);
    upkeep->kinetic = NULL;
    return grzKineticTree_Create(&def, &upkeep->kinetic);
}

// Of the hierarchy's triangles, in its order, by the plan's numbers.
static grzResult makeBoxTree(grzUpkeep* upkeep, double time) {
    const grzBvhView* view = &upkeep->view;
    const size_t count = 3 * (size_t)view->triangleCount;
    grzBoxTreeDef def = grzDefaultBoxTreeDef();
    uint32_t* triangles = count == 0 ? NULL : grzAllocate(&upkeep->memory.allocator, count, sizeof *triangles, 64);
    if (triangles == NULL && count != 0)
        return grzNoMemory(count, sizeof *triangles);
    for (size_t i = 0; i < count; ++i)
        triangles[i] = upkeep->numbering == grz_bvhCallersNumbers ? view->vertexToCaller[view->triangles[i]]
                                                                  : view->triangles[i];
    def.plan = upkeep->plan;
    def.triangles = triangles, def.triangleCount = view->triangleCount;
    def.startTime = time;
    def.allocator = upkeep->memory.allocator;
    const grzResult result = grzBoxTree_Create(&def, &upkeep->boxTree);
    grzRelease(&upkeep->memory.allocator, triangles, count, sizeof *triangles, 64);
    return result;
}

grzResult grzUpkeep_Enter(grzUpkeep* upkeep, grzTasks* tasks, grzUpkeepWay way, double time) {
    switch (way) {
    case grz_upkeepChord:
        return makeChord(upkeep, tasks, time);
    case grz_upkeepBatched:
        return makeKinetic(upkeep, tasks, grz_kineticBatched, time);
    case grz_upkeepOrdered:
        return makeKinetic(upkeep, tasks, grz_kineticOrdered, time);
    case grz_upkeepBoxTree:
        return makeBoxTree(upkeep, time);
    case grz_upkeepRefit:
    case grz_upkeepWayCount:
        break;
    }
    return makeRefit(upkeep);
}

void grzUpkeep_Leave(grzUpkeep* upkeep, grzUpkeepWay way) {
    if (way != grz_upkeepBatched)
        return;
    grzKineticTree_Destroy(upkeep->kinetic);
    upkeep->kinetic = NULL;
}

void grzUpkeep_Prepare(grzUpkeep* upkeep, grzTasks* tasks, double part) {
    const double chunks = fmax(upkeep->view.chunkCount, 1);
    const uint32_t left =
        grzChordTree_Prepare(upkeep->chord, tasks, upkeep->model.readyFor, (uint32_t)fmax(part * chunks, 1));
    upkeep->model.left = left / chunks;
}

// ---- a frame ----

static grzResult runChord(grzUpkeep* upkeep, grzTasks* tasks, double time, grzBvhNode* nodes) {
    const grzResult result = grzChordTree_Advance(upkeep->chord, tasks, time);
    return grzResult_IsOk(result) && nodes != NULL ? grzChordTree_WriteBoxes(upkeep->chord, tasks, nodes) : result;
}

static grzResult runKinetic(grzUpkeep* upkeep, grzTasks* tasks, double time, grzBvhNode* nodes) {
    const grzResult result = grzKineticTree_Advance(upkeep->kinetic, tasks, time);
    return grzResult_IsOk(result) && nodes != NULL ? grzKineticTree_WriteBoxes(upkeep->kinetic, tasks, nodes)
                                                   : result;
}

grzResult grzUpkeep_RunWay(grzUpkeep* upkeep, grzTasks* tasks, double time, grzBvhNode* nodes) {
    grzResult result = grzOk();
    const grzBvhNode* shown = nodes;
    switch (upkeep->model.way) {
    case grz_upkeepChord:
        result = runChord(upkeep, tasks, time, nodes);
        break;
    case grz_upkeepBatched:
    case grz_upkeepOrdered:
        result = runKinetic(upkeep, tasks, time, nodes);
        break;
    case grz_upkeepBoxTree:
        result = grzBoxTree_Advance(upkeep->boxTree, time);
        break;
    case grz_upkeepRefit:
    case grz_upkeepWayCount:
        shown = nodes != NULL ? nodes : upkeep->nodes;
        refitAt(upkeep, tasks, time, nodes != NULL ? nodes : upkeep->nodes);
        break;
    }
    if (grzResult_IsOk(result))
        upkeep->shown = shown;
    return result;
}
