// What: graze/kinetic_tree.h: going on in time, and telling the top what happened in the parts.
// Idea: parts run by themselves up to the time asked for and write down what happened at their roots; the top takes these changes
//   in order of time, its own events between them. So the outcome, and the count of events, is that of one queue for all.
// Threads: a part is one task; the top comes after, on the calling thread.
// Based on: [Zachmann and Weller 2006] algorithm 1. We differ: events at the very time asked for are run, too, so that the boxes
//   are those of that time; and its queue is cut into parts.
#include <math.h>
#include <string.h>

#include "bvh_parts.h"
#include "kinetic_inside.h"
#include "refuse_null.h"

// ---- the parts ----

typedef struct PartWork {
    grzKineticTree* tree;
    double at;
    KineticPartFn* run;
} PartWork;

static void runBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const PartWork* work = context;
    for (uint32_t i = begin; i < end; ++i)
        work->run(work->tree, &work->tree->parts[i], work->at);
}

void grzKinetic_RunEach(grzKineticTree* tree, grzTasks* tasks, double at, KineticPartFn* run) {
    PartWork work = {tree, at, run};
    grzParallelFor(tasks, tree->partCount, 1, runBlock, &work);
}

void grzKinetic_TellNow(grzKineticTree* tree, const KineticPart* part) {
    for (uint32_t side = 0; side < KINETIC_SIDES; ++side)
        tree->seen[realiserPlace(part->root, side)] = tree->realisers[part->tier][realiserPlace(part->root, side)];
}

// ---- batched ----

// Whether nothing is marked in a part, and nothing has run out.
static bool isSettled(const grzKineticTree* tree, const KineticPart* part, double at) {
    const bool isMarked = tree->dirty[part->tier][part->root] != 0 || tree->below[part->tier][part->root] != 0;
    return !isMarked && grzEventQueue_First(&part->queue) > at;
}

static void repairPart(grzKineticTree* tree, KineticPart* part, double at) {
    part->rootMask = 0;
    if (tree->plan->kind == grz_planKeyframes) {
        grzKinetic_SettleUntil(tree, part, frameTick(tree, at));
    } else if (!isSettled(tree, part, at)) {
        grzKinetic_MarkExpired(tree, part, at);
        grzKinetic_RepairPart(tree, part, at);
    }
}

// The top learns what changed at a part's root, and what that is the row of is marked.
static void tellRoot(grzKineticTree* tree, const KineticPart* part) {
    grzKinetic_TellNow(tree, part);
    if (tree->plan->kind == grz_planKeyframes)
        grzKinetic_CallAboveRoot(tree, part);
    else if (part->rootMask != 0)
        grzKinetic_Mark(tree, tree->top, tree->top->bottom, part->root / GRZ_BVH_WIDTH, part->rootMask);
}

static void repairTop(grzKineticTree* tree, double at) {
    for (uint32_t i = 0; i < tree->partCount; ++i)
        tellRoot(tree, &tree->parts[i]);
    repairPart(tree, tree->top, at);
}

void grzKinetic_RepairAll(grzKineticTree* tree, grzTasks* tasks, double at) {
    grzKinetic_RunEach(tree, tasks, at, repairPart);
    if (tree->top != NULL)
        repairTop(tree, at);
}

// ---- ordered ----

static void nextChange(grzKineticTree* tree, uint32_t index) {
    const KineticPart* part = &tree->parts[index];
    grzEventQueue_Set(&tree->merge, index, part->told < part->count ? part->data[part->told].at : (double)INFINITY);
}

static void tellInOrder(grzKineticTree* tree, double until) {
    for (uint32_t i = 0; i < tree->partCount; ++i)
        nextChange(tree, i);
    for (double at = grzEventQueue_First(&tree->merge); at <= until; at = grzEventQueue_First(&tree->merge)) {
        const uint32_t index = grzEventQueue_FirstSlot(&tree->merge);
        KineticPart* part = &tree->parts[index];
        grzKinetic_RunPart(tree, tree->top, at - tree->plan->tick);
        grzKinetic_TakeChange(tree, part->root, &part->data[part->told++]);
        nextChange(tree, index);
    }
    grzKinetic_RunPart(tree, tree->top, until);
}

// Where some changes found no room, the top is put right as of now.
static void runTop(grzKineticTree* tree, double until) {
    bool isWhole = !tree->top->hasNoRoom;
    for (uint32_t i = 0; i < tree->partCount; ++i) {
        isWhole = isWhole && !tree->parts[i].hasLost;
        tree->parts[i].rootMask = KINETIC_ALL;
    }
    if (isWhole)
        tellInOrder(tree, until);
    else
        repairTop(tree, until);
    tree->top->log.hasLost = tree->top->log.hasLost || (tree->isWatched && !isWhole);
    for (uint32_t i = 0; i < tree->partCount; ++i) {
        tree->parts[i].count = tree->parts[i].told = 0;
        tree->parts[i].hasLost = false;
    }
}

// ---- time ----

void grzKinetic_GoOnPart(grzKineticTree* tree, KineticPart* part, double at) {
    if (tree->order == grz_kineticOrdered)
        grzKinetic_RunPart(tree, part, at);
    else
        repairPart(tree, part, at);
}

void grzKinetic_GoOnTop(grzKineticTree* tree, double at) {
    if (tree->top == NULL)
        return;
    if (tree->order == grz_kineticOrdered)
        runTop(tree, at);
    else
        repairTop(tree, at);
}

void grzKinetic_GoTo(grzKineticTree* tree, grzTasks* tasks, double at) {
    grzKinetic_RunEach(tree, tasks, at, grzKinetic_GoOnPart);
    grzKinetic_GoOnTop(tree, at);
    tree->at = at;
}

// Looks at every side of a part, on paths.
static void lookAtPart(grzKineticTree* tree, KineticPart* part, double at) {
    for (uint32_t tier = part->bottom; tier <= part->tier; ++tier) {
        const uint32_t first = firstBox(part, tier), count = boxCount(tree, part, tier);
        for (uint32_t i = 0; i < count; ++i)
            grzKinetic_Mark(tree, part, tier, first + i, KINETIC_ALL);
    }
    grzKinetic_RepairPart(tree, part, at);
}

void grzKinetic_LookAtAll(grzKineticTree* tree, grzTasks* tasks, double at) {
    if (tree->plan->kind == grz_planKeyframes) {
        grzKinetic_LookAtFrames(tree, tasks, at);
        return;
    }
    grzKinetic_RunEach(tree, tasks, at, lookAtPart);
    if (tree->top != NULL) {
        for (uint32_t i = 0; i < tree->partCount; ++i)
            grzKinetic_TellNow(tree, &tree->parts[i]);
        lookAtPart(tree, tree->top, at);
    }
    tree->at = at;
    tree->knownEnd = (double)INFINITY;
}

const char* grzKinetic_FlawOfPlan(const grzKineticTree* tree) {
    if (tree->plan->revision != tree->revision)
        return "the paths of the plan were changed, and not by the tree";
    return tree->plan->kind == grz_planKeyframes && tree->at < tree->plan->firstFrame
               ? "keyframes were dropped that the tree stands on"
               : NULL;
}

const char* grzKinetic_FlawOfTree(const grzKineticTree* tree) {
    if (tree->followed != tree->bvh->revision)
        return "the hierarchy was edited or rebuilt, and the tree has not followed";
    return grzKinetic_FlawOfPlan(tree);
}

void grzKinetic_LeadTo(grzKineticTree* tree, grzTasks* tasks, double at) {
    if (tree->tierCount == 0)
        tree->at = at;
    else if (tree->plan->kind == grz_planKeyframes)
        grzKinetic_GoOnFrames(tree, tasks, at);
    else
        grzKinetic_GoTo(tree, tasks, at);
}

grzResult grzKineticTree_Advance(grzKineticTree* tree, grzTasks* tasks, double time) {
    GRZ_REFUSE_NULL(tree, 1);
    if (!grzPlan_Knows(tree->plan, time))
        return grzBecause(grzFail(grz_badArgument, 3), "the time is outside of what the plan knows");
    const double at = grzPlan_TimeOf(tree->plan, time);
    if (at < tree->at)
        return grzBecause(grzFail(grz_badArgument, 3), "the time is before that of the tree");
    const char* flaw = grzKinetic_FlawOfTree(tree);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    grzKinetic_LeadTo(tree, tasks, at);
    return grzOk();
}

// ---- figures ----

static void addStats(grzKineticTreeStats* to, const grzKineticTreeStats* from) {
    to->leafEvents += from->leafEvents;
    to->treeEvents += from->treeEvents;
    to->repairs += from->repairs;
    to->races += from->races;
    to->updates += from->updates;
}

grzKineticTreeStats grzKineticTree_GetStats(const grzKineticTree* tree) {
    GRZ_RETURN_IF_NULL(tree, (grzKineticTreeStats){0});
    grzKineticTreeStats stats = tree->stats;
    for (uint32_t i = 0; i < tree->partRoom; ++i) // those that edits have emptied too
        addStats(&stats, &tree->parts[i].stats);
    if (tree->top != NULL)
        addStats(&stats, &tree->top->stats);
    return stats;
}

size_t grzKineticTree_MemorySize(const grzKineticTree* tree) {
    GRZ_RETURN_IF_NULL(tree, 0);
    size_t size = sizeof *tree + tree->memorySize;
    size += tree->parts == NULL ? 0 : ((size_t)tree->partRoom + 1) * sizeof *tree->parts;
    for (uint32_t i = 0; tree->parts != NULL && i < tree->partRoom + 1; ++i)
        size += tree->parts[i].capacity * sizeof *tree->parts[i].data +
                tree->parts[i].log.capacity * sizeof *tree->parts[i].log.data +
                (tree->plan->kind == grz_planKeyframes ? tree->parts[i].frames.memory.capacity : 0);
    return size;
}
