// What: graze/kinetic_tree.h: going on in time, and telling the top what happened in the parts.
// Idea: parts run by themselves up to the time asked for and write down what happened at their roots; the top takes these changes in
//   order of time, its own events between them. So the outcome, and the count of events, is that of one queue for all.
// Threads: a part is one task; the top comes after, on the calling thread.
#include <math.h>
#include <string.h>

#include "bvh_parts.h"
#include "kinetic_inside.h"

// ---- the parts ----

typedef struct PartWork {
    grzKineticTree* tree;
    double until;
    void (*run)(grzKineticTree*, KineticPart*, double);
} PartWork;

static void runBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const PartWork* work = context;
    for (uint32_t i = begin; i < end; ++i)
        work->run(work->tree, &work->tree->parts[i], work->until);
}

static void runEach(grzKineticTree* tree, grzTasks* tasks, double until,
                    void (*run)(grzKineticTree*, KineticPart*, double)) {
    PartWork work = {tree, until, run};
    grzParallelFor(tasks, tree->partCount, 1, runBlock, &work);
}

static uint32_t* rootOf(const grzKineticTree* tree, const KineticPart* part) {
    return tree->realisers[part->tier] + (size_t)part->root * KINETIC_SIDES;
}

// The top is told of some sides of a part's root as they are now.
static void tellNow(grzKineticTree* tree, const KineticPart* part, uint32_t mask) {
    memcpy(tree->seen + (size_t)part->root * KINETIC_SIDES, rootOf(tree, part), KINETIC_SIDES * sizeof *tree->seen);
    if (mask != 0)
        grzKinetic_Mark(tree, tree->top, tree->top->bottom, part->root / GRZ_BVH_WIDTH, mask);
}

// ---- batched ----

static void repairPart(grzKineticTree* tree, KineticPart* part, double at) {
    grzKinetic_MarkExpired(tree, part, at);
    grzKinetic_RepairPart(tree, part, at);
}

static void repairTop(grzKineticTree* tree, double at) {
    if (tree->top == NULL)
        return;
    for (uint32_t i = 0; i < tree->partCount; ++i)
        tellNow(tree, &tree->parts[i], tree->parts[i].rootMask);
    repairPart(tree, tree->top, at);
}

void grzKinetic_RepairAll(grzKineticTree* tree, grzTasks* tasks, double at) {
    runEach(tree, tasks, at, repairPart);
    repairTop(tree, at);
}

// ---- ordered ----

static void nextChange(grzKineticTree* tree, uint32_t index) {
    const KineticPart* part = &tree->parts[index];
    grzEventQueue_Set(&tree->merge, index, part->told < part->count ? part->data[part->told].at : (double)INFINITY);
}

static bool tellInOrder(grzKineticTree* tree, double until) {
    bool isWhole = true;
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
    for (uint32_t i = 0; i < tree->partCount; ++i) {
        KineticPart* part = &tree->parts[i];
        isWhole = isWhole && !part->hasLost;
        part->count = part->told = 0;
    }
    return isWhole;
}

static void runOrdered(grzKineticTree* tree, grzTasks* tasks, double until) {
    runEach(tree, tasks, until, grzKinetic_RunPart);
    if (tree->top == NULL || tellInOrder(tree, until))
        return;
    // Some changes found no room: the top is put right as of now.
    for (uint32_t i = 0; i < tree->partCount; ++i)
        tree->parts[i].rootMask = KINETIC_ALL, tree->parts[i].hasLost = false;
    repairTop(tree, until);
}

// ---- time ----

static void goTo(grzKineticTree* tree, grzTasks* tasks, double at) {
    if (tree->order == grz_kineticOrdered)
        runOrdered(tree, tasks, at);
    else
        grzKinetic_RepairAll(tree, tasks, at);
    tree->at = at;
}

// Looks at every side of a part.
static void lookAtPart(grzKineticTree* tree, KineticPart* part, double at) {
    for (uint32_t tier = part->bottom; tier <= part->tier; ++tier) {
        const uint32_t first = firstBox(part, tier), most = 1u << 3 * (part->tier - tier);
        const uint32_t left = tree->boxCounts[tier] - first;
        for (uint32_t i = 0; i < (left < most ? left : most); ++i)
            grzKinetic_Mark(tree, part, tier, first + i, KINETIC_ALL);
    }
    grzKinetic_RepairPart(tree, part, at);
}

void grzKinetic_LookAtAll(grzKineticTree* tree, grzTasks* tasks, double at) {
    runEach(tree, tasks, at, lookAtPart);
    if (tree->top != NULL) {
        for (uint32_t i = 0; i < tree->partCount; ++i)
            tellNow(tree, &tree->parts[i], 0);
        lookAtPart(tree, tree->top, at);
    }
    tree->at = at;
    tree->knownEnd =
        tree->plan->kind == grz_planPaths ? (double)INFINITY : fmin(floor(at) + 1, grzPlan_End(tree->plan));
}

static void outgrowPart(grzKineticTree* tree, KineticPart* part, double at) {
    grzKinetic_MarkOutgrown(tree, part);
    repairPart(tree, part, at);
}

// At a keyframe, of which there is a next one.
static void beginInterval(grzKineticTree* tree, grzTasks* tasks) {
    const double at = tree->knownEnd++;
    const PlanFrame* frame = tree->plan->frames.data + ((size_t)tree->knownEnd - tree->plan->firstFrame);
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = frame->positions;
    refit.stride = frame->stride * sizeof(float);
    refit.numbering = tree->numbering;
    grzBvh_RefitKnown(tree->bvh, tasks, &refit, tree->nodes);
    if (tree->top != NULL)
        grzKinetic_MarkOutgrown(tree, tree->top);
    runEach(tree, tasks, at, outgrowPart);
    repairTop(tree, at);
    tree->stats.intervals++;
}

static const char* flawOfPlan(const grzKineticTree* tree) {
    if (tree->plan->revision != tree->revision)
        return "the paths of the plan were changed, and not by the tree";
    return tree->plan->kind == grz_planKeyframes && tree->at < tree->plan->firstFrame
               ? "keyframes were dropped that the tree stands on"
               : NULL;
}

grzResult grzKineticTree_Advance(grzKineticTree* tree, grzTasks* tasks, double time) {
    if (!grzPlan_Knows(tree->plan, time))
        return grzBecause(grzFail(grz_badArgument, 3), "the time is outside of what the plan knows");
    const double at = grzPlan_TimeOf(tree->plan, time);
    if (at < tree->at)
        return grzBecause(grzFail(grz_badArgument, 3), "the time is before that of the tree");
    const char* flaw = flawOfPlan(tree);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    if (tree->tierCount == 0) {
        tree->at = at;
        return grzOk();
    }
    while (at > tree->knownEnd) {
        goTo(tree, tasks, tree->knownEnd);
        beginInterval(tree, tasks);
    }
    goTo(tree, tasks, at);
    return grzOk();
}

// ---- figures ----

static void addStats(grzKineticTreeStats* to, const grzKineticTreeStats* from) {
    to->leafEvents += from->leafEvents;
    to->treeEvents += from->treeEvents;
    to->repairs += from->repairs;
    to->updates += from->updates;
}

grzKineticTreeStats grzKineticTree_GetStats(const grzKineticTree* tree) {
    grzKineticTreeStats stats = tree->stats;
    const uint32_t count = tree->partCount + (tree->top != NULL);
    for (uint32_t i = 0; i < count; ++i)
        addStats(&stats, &tree->parts[i].stats);
    return stats;
}

size_t grzKineticTree_MemorySize(const grzKineticTree* tree) {
    size_t size = sizeof *tree + tree->memorySize;
    size += tree->parts == NULL ? 0 : ((size_t)tree->partCount + 1) * sizeof *tree->parts;
    for (uint32_t i = 0; i < tree->partCount; ++i)
        size += tree->parts[i].capacity * sizeof *tree->parts[i].data;
    return size;
}
