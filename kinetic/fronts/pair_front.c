// What: graze/stage/pair_fronts.h: kinetic incremental collision detection, as published, over two ordered kinetic
//   trees, or one with itself.
// Idea: in a piece of time trees advance first; then the top, which decides when regions begin and end; then each
//   region by itself. At the beginning of a piece every vertex gets a new path, so each pair is looked at once.
// Threads: a region is one task.
// Cost: a piece O(pairs); an event O(log k) for k events to come in its region. graze-bench pipeline --case front.
// Based on: [Zachmann and Weller 2006] section 7. docs/pair_fronts.md lists what differs.
#include <string.h>

#include "front_inside.h"
#include "memory.h"
#include "owner.h"
#include "refuse_null.h"
#include "result_make.h"

#define DEF_MARK 0x544E5246u

grzPairFrontDef grzDefaultPairFrontDef(void) {
    grzPairFrontDef def;
    memset(&def, 0, sizeof def);
    def.mark = DEF_MARK;
    return def;
}

// ---- what is made ----

static bool isOfItself(const grzPairFrontDef* def) {
    return def->treeB == NULL || def->treeB == def->treeA;
}

static const char* flawOfB(const grzPairFrontDef* def) {
    if (def->treeA->plan == def->treeB->plan && def->treeA->plan->kind == grz_planPaths)
        return "treeB is on the plan of treeA";
    if (def->treeB->order != grz_kineticOrdered)
        return "treeB is not ordered";
    return def->cullsSelf ? "cullsSelf is for one tree with itself" : grzKinetic_FlawOfTree(def->treeB);
}

static const char* flawOf(const grzPairFrontDef* def) {
    if (def->treeA == NULL)
        return "treeA is NULL";
    if (def->treeA->order != grz_kineticOrdered)
        return "treeA is not ordered";
    if (def->cullsSelf && def->treeA->plan->kind == grz_planPaths)
        return "cullsSelf is for keyframes: on paths nothing is known to be free";
    const char* flaw = grzKinetic_FlawOfTree(def->treeA);
    return flaw != NULL || isOfItself(def) ? flaw : flawOfB(def);
}

static void dropSide(const grzPairFront* front, FrontSide* side) {
    grzRelease(&front->allocator, side->memory, side->memorySize, 1, 64);
    side->memory = NULL;
}

// Room for what changes in a tree. What was there stays where memory is refused.
static bool takeSide(const grzPairFront* front, FrontSide* side) {
    const grzKineticTree* tree = side->tree;
    const size_t nodes = ((size_t)tree->view.nodeCount + 1) * sizeof(grzBvhNode);
    size_t count = 0;
    for (uint32_t tier = 0; tier < tree->tierCount; ++tier)
        count += realiserCount(tree->boxCounts[tier]);
    const size_t size = 2 * nodes + count * sizeof(uint32_t);
    unsigned char* memory = grzAllocate(&front->allocator, size, 1, 64);
    if (memory == NULL)
        return false;
    memset(memory, 0, size);
    dropSide(front, side);
    side->memory = memory, side->memorySize = size;
    side->ahead = (grzBvhNode*)(void*)memory;
    side->begins = (grzBvhNode*)(void*)(memory + nodes);
    uint32_t* newest = (uint32_t*)(void*)(memory + 2 * nodes);
    for (uint32_t tier = 0; tier < tree->tierCount; ++tier) {
        side->newest[tier] = newest;
        newest += realiserCount(tree->boxCounts[tier]);
    }
    const uint32_t top = tree->tierCount == 0 ? 0 : tree->tierCount - 1;
    side->partTier = top < KINETIC_PART_TIER ? top : KINETIC_PART_TIER;
    return true;
}

static bool isEmpty(const grzPairFront* front) {
    return front->sides[0]->tree->tierCount == 0 || front->sides[1]->tree->tierCount == 0;
}

static void addStats(grzPairFrontStats* to, const grzPairFrontStats* from) {
    to->overlaps += from->overlaps, to->fathersEnd += from->fathersEnd, to->leavesEnd += from->leavesEnd;
    to->changes += from->changes, to->renewals += from->renewals, to->looks += from->looks;
}

// Regions are as large as the hierarchies were.
static void dropRegions(grzPairFront* front) {
    for (size_t i = 0; i < front->regions.count; ++i) {
        addStats(&front->gone, &front->regions.data[i]->stats);
        grzFront_DestroyRegion(front, front->regions.data[i]);
    }
    if (front->top != NULL)
        addStats(&front->gone, &front->top->stats);
    grzFront_DestroyRegion(front, front->top);
    front->top = NULL;
    front->regions.count = front->used.count = front->unused.count = 0;
}

// ---- all regions ----

typedef struct RegionWork {
    grzPairFront* front;
    FrontNow from, until;
    bool isKnown; // what happened between
} RegionWork;

static void runRegion(grzPairFront* front, FrontRegion* region, const RegionWork* work) {
    if (!work->isKnown) {
        if (region->isBuilt)
            grzFront_RenewAll(front, region, &work->until, false);
        else
            grzFront_BuildRegion(front, region, &work->until);
        return;
    }
    if (!region->isBuilt) {
        const FrontNow begin = grzFront_NowAt(front, fmax(region->openAt, work->from.tick));
        region->openAt = begin.tick;
        grzFront_BuildRegion(front, region, &begin);
    } else if (front->isStale) {
        region->openAt = work->from.tick;
        grzFront_RenewAll(front, region, &work->from, true);
    }
    grzFront_RunRegion(front, region, work->until.tick);
}

static void runBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const RegionWork* work = context;
    for (uint32_t i = begin; i < end; ++i) {
        FrontRegion* region = work->front->regions.data[work->front->used.data[i]];
        runRegion(work->front, region, work);
        if (region->closeAt < (double)INFINITY)
            grzFront_CloseRegion(work->front, region);
    }
}

// Whether there was memory for all.
static bool finishRegions(grzPairFront* front) {
    bool hasLost = front->top->hasLost;
    for (size_t i = 0; i < front->used.count; ++i) {
        FrontRegion* region = front->regions.data[front->used.data[i]];
        hasLost = hasLost || region->hasLost;
        region->openAt = -(double)INFINITY;
    }
    front->top->openAt = -(double)INFINITY;
    if (hasLost || !grzFront_CollectNotes(front))
        return false;
    grzFront_FreeClosed(front);
    return true;
}

static bool runAll(grzPairFront* front, grzTasks* tasks, FrontNow until, bool isKnown) {
    RegionWork work = {front, front->now, until, isKnown};
    if (front->isStale && !grzFront_Cull(front, tasks))
        return false;
    front->knowsEnds = grzFront_KnowsEnds(front);
    runRegion(front, front->top, &work);
    if (!front->top->hasLost)
        grzParallelFor(tasks, (uint32_t)front->used.count, 1, runBlock, &work);
    front->now = until;
    front->isStale = false;
    return finishRegions(front);
}

// ---- made new ----

// All pairs are looked for again, where the trees stand.
static bool makeNew(grzPairFront* front, grzTasks* tasks) {
    dropRegions(front);
    for (int tree = 0; tree < front->treeCount; ++tree)
        if (!takeSide(front, front->sides[tree]))
            return false;
    front->rebuilds++;
    front->noted.count = 0;
    if (isEmpty(front))
        return grzFront_MakeView(front, true);
    front->top = grzFront_NewRegion(front, NULL);
    return front->top != NULL && grzFront_Cull(front, tasks) && runAll(front, tasks, front->now, false) &&
           grzFront_MakeView(front, true);
}

// What the front stands for, where all went well.
static grzResult orBroken(grzPairFront* front, bool isOk) {
    front->isBroken = !isOk;
    if (!isOk)
        return grzNoMemory(front->regions.count + 1, sizeof(FrontRegion));
    for (int tree = 0; tree < 2; ++tree) {
        FrontSide* side = front->sides[tree];
        side->at = side->tree->at;
        side->revision = side->tree->revision, side->followed = side->tree->followed;
    }
    front->time = grzFrontClock_LastTime(&front->clock, front->now.tick);
    return grzOk();
}

// ---- time ----

static void beginPiece(grzPairFront* front, double time) {
    front->knewEnds = front->top != NULL && !front->isStale && grzFront_KnowsEnds(front);
    grzFrontClock_Start(&front->clock, front->sides[0]->tree->plan, front->sides[1]->tree->plan, time);
    front->now = grzFront_NowAt(front, 0);
    front->isStale = true;
    front->pieces++;
}

// Boxes where the piece begins, if that is the end of intervals that both trees know; and where they come to by its end, if that is another.
static void lookAhead(grzPairFront* front, grzTasks* tasks) {
    if (!grzFrontClock_EndsInterval(&front->clock, 0) || !grzFrontClock_EndsInterval(&front->clock, 1))
        return;
    for (int tree = 0; tree < front->treeCount; ++tree) {
        const FrontPace* pace = &front->clock.paces[tree];
        const FrontSide* side = front->sides[tree];
        const PlanFrame frame = {0, pace->to, pace->toStride};
        if (front->knewEnds)
            memcpy(side->begins, side->tree->nodes, (side->tree->view.nodeCount + 1) * sizeof *side->begins);
        grzKinetic_WriteAhead(side->tree, tasks, &frame, side->ahead);
    }
}

// On to a tick of the piece.
static bool stepTo(grzPairFront* front, grzTasks* tasks, double tick) {
    if (tick == front->now.tick)
        return true;
    if (front->isStale && front->top != NULL && !front->isBroken)
        lookAhead(front, tasks);
    const bool isKnown = grzFront_Lead(front, tasks, tick);
    const FrontNow until = grzFront_NowAt(front, tick);
    if (!isKnown)
        grzFront_Forget(front);
    if (front->isBroken || isEmpty(front)) {
        front->now = until;
        return true;
    }
    const bool isOk = runAll(front, tasks, until, isKnown);
    grzFront_Forget(front);
    return isOk;
}

static grzResult checkTrees(const grzPairFront* front, bool hasFollowed) {
    for (int i = 0; i < 2; ++i) {
        const FrontSide* side = front->sides[i];
        const grzKineticTree* tree = side->tree;
        const char* flaw = grzKinetic_FlawOfTree(tree);
        if (flaw == NULL && tree->at != side->at && !hasFollowed)
            flaw = "a tree was advanced, and not by the front";
        if (flaw == NULL && !hasFollowed && (tree->revision != side->revision || tree->followed != side->followed))
            flaw = "a tree was changed or followed an edit, and the front has not followed";
        if (flaw != NULL)
            return grzBecause(grzFail(grz_badArgument, 1), flaw);
    }
    return grzOk();
}

static bool isBefore(const grzPairFront* front, double time) {
    const FrontClock* clock = &front->clock;
    return time < clock->begin || (time < clock->end && grzFrontClock_TickOf(clock, time) < front->now.tick);
}

grzResult grzPairFront_Advance(grzPairFront* front, grzTasks* tasks, double time) {
    GRZ_REFUSE_NULL(front, 1);
    for (int i = 0; i < 2; ++i)
        if (!grzPlan_Knows(front->sides[i]->tree->plan, time))
            return grzBecause(grzFail(grz_badArgument, 3), "the time is outside of what a plan knows");
    const grzResult result = checkTrees(front, false);
    if (!grzResult_IsOk(result))
        return result;
    if (isBefore(front, time))
        return grzBecause(grzFail(grz_badArgument, 3), "the time is before that of the front");
    grzFrontClock_FindFrames(&front->clock);
    bool isOk = true;
    while (isOk && time > front->clock.end) {
        isOk = stepTo(front, tasks, front->clock.ticks);
        if (isOk)
            beginPiece(front, front->clock.end);
    }
    isOk = isOk && stepTo(front, tasks, grzFrontClock_TickOf(&front->clock, time));
    if (isOk && front->isBroken)
        return orBroken(front, makeNew(front, tasks));
    return orBroken(front, isOk && (isEmpty(front) || grzFront_MakeView(front, false)));
}

double grzPairFront_Time(const grzPairFront* front) {
    GRZ_RETURN_IF_NULL(front, 0);
    return front->time;
}

// ---- following ----

static bool renewAll(grzPairFront* front, grzTasks* tasks) {
    return isEmpty(front) || (runAll(front, tasks, front->now, false) && grzFront_MakeView(front, false));
}

// A tree that was changed may have gone on: where plans have two grids, its time has a later tick than that of the front's. The first
// tick at which the front has come there too; infinity: not in this piece.
static double tickOfTrees(const grzPairFront* front) {
    double tick = front->now.tick;
    for (int tree = 0; tree < 2; ++tree)
        if (front->sides[tree]->tree->at != front->sides[tree]->at)
            tick = fmax(tick, grzFrontClock_FirstTick(&front->clock, tree, front->sides[tree]->tree->at));
    return tick <= front->clock.ticks ? tick : (double)INFINITY;
}

grzResult grzPairFront_Follow(grzPairFront* front, grzTasks* tasks) {
    GRZ_REFUSE_NULL(front, 1);
    const grzResult result = checkTrees(front, true);
    if (!grzResult_IsOk(result))
        return result;
    const double tick = tickOfTrees(front);
    if (isinf(tick))
        return grzBecause(grzFail(grz_badArgument, 1), "a tree has gone on beyond a keyframe, without the front");
    front->now = grzFront_NowAt(front, tick);
    for (int tree = 0; tree < 2; ++tree)
        grzKinetic_LeadTo(front->sides[tree]->tree, tasks, front->now.at[tree]);
    bool isEdited = front->isBroken;
    for (int tree = 0; tree < 2; ++tree)
        isEdited = isEdited || front->sides[tree]->followed != front->sides[tree]->tree->followed;
    grzFrontClock_FindFrames(&front->clock);
    return orBroken(front, isEdited ? makeNew(front, tasks) : renewAll(front, tasks));
}

// ---- making and dropping ----

// The first tick of a piece at which neither tree is before the time that it stands at: not the last one, which trees call their time.
static void findBegin(grzPairFront* front, double time) {
    beginPiece(front, time);
    double tick = front->clock.tick != 0 ? -(double)INFINITY : 0; // paths may begin before time 0
    for (int tree = 0; tree < 2; ++tree)
        tick = fmax(tick, grzFrontClock_FirstTick(&front->clock, tree, front->sides[tree]->tree->at));
    front->now = grzFront_NowAt(front, fmin(tick, front->clock.ticks));
    front->isStale = false;
}

static grzResult begin(grzPairFront* front, grzTasks* tasks) {
    grzKineticTree *a = front->sides[0]->tree, *b = front->sides[1]->tree;
    const double time = fmax(grzKineticTree_Time(a), grzKineticTree_Time(b));
    for (int tree = 0; tree < 2; ++tree)
        if (!grzPlan_Knows(front->sides[tree]->tree->plan, time))
            return grzBecause(grzFail(grz_badArgument, 1), "a plan does not know the time of the other tree");
    findBegin(front, time);
    for (int tree = 0; tree < 2; ++tree)
        grzKinetic_LeadTo(front->sides[tree]->tree, tasks, front->now.at[tree]);
    const grzResult result = orBroken(front, makeNew(front, tasks));
    memset(&front->gone, 0, sizeof front->gone);
    for (size_t i = 0; i < front->regions.count; ++i)
        memset(&front->regions.data[i]->stats, 0, sizeof front->gone);
    if (front->top != NULL)
        memset(&front->top->stats, 0, sizeof front->gone);
    front->pieces = front->rebuilds = 0;
    return result;
}

grzResult grzPairFront_Create(const grzPairFrontDef* def, grzPairFront** made) {
    GRZ_REFUSE_NULL(made, 2);
    *made = NULL;
    if (def == NULL || def->mark != DEF_MARK)
        return grzFail(grz_badDef, 0);
    const char* flaw = flawOf(def);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    grzResult result;
    grzAllocator allocator = def->allocator;
    grzPairFront* front = grzOwner_New(&allocator, 1, sizeof *front, _Alignof(grzPairFront), &result);
    if (front == NULL)
        return result;
    front->allocator = allocator;
    front->treeCount = isOfItself(def) ? 1 : 2;
    front->sides[0] = &front->trees[0], front->sides[1] = &front->trees[front->treeCount - 1];
    front->trees[0].tree = def->treeA, front->trees[1].tree = def->treeB;
    front->cullsSelf = def->cullsSelf;
    result = begin(front, def->tasks);
    if (grzResult_IsOk(result))
        *made = front;
    else
        grzPairFront_Destroy(front);
    return result;
}

void grzPairFront_Destroy(grzPairFront* front) {
    if (front == NULL)
        return;
    const grzAllocator allocator = front->allocator;
    dropRegions(front);
    for (int tree = 0; tree < 2; ++tree) {
        dropSide(front, &front->trees[tree]);
        grzArray_Release(&front->trees[tree].topChanges, &allocator);
    }
    grzSelfCull_Destroy(front->cull);
    grzArray_Release(&front->regions, &allocator);
    grzArray_Release(&front->used, &allocator);
    grzArray_Release(&front->unused, &allocator);
    grzArray_Release(&front->view, &allocator);
    grzArray_Release(&front->other, &allocator);
    grzArray_Release(&front->noted, &allocator);
    grzArray_Release(&front->scratch, &allocator);
    grzRelease(&allocator, front, 1, sizeof *front, _Alignof(grzPairFront));
}
