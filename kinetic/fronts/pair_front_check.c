// What: the answers of a pair front, and a slow check of all its promises.
#include "check.h"
#include "front_inside.h"
#include "refuse_null.h"

// ---- regions ----

static const FrontRegion* regionAt(const grzPairFront* front, size_t index) {
    return index == 0 ? front->top : front->regions.data[front->used.data[index - 1]];
}

static size_t regionCount(const grzPairFront* front) {
    return front->top == NULL ? 0 : front->used.count + 1;
}

// ---- answers ----

grzPairFrontView grzPairFront_GetView(const grzPairFront* front) {
    GRZ_RETURN_IF_NULL(front, (grzPairFrontView){0});
    return (grzPairFrontView){front->view.data, front->view.count, front->clock.begin, front->clock.end};
}

static bool areLeaves(const FrontPair* pair) {
    return pair->tiers[0] == 0 && pair->tiers[1] == 0;
}

// Leaves below a box.
static uint64_t leavesBelow(const grzKineticTree* tree, uint32_t tier, uint32_t box) {
    const uint64_t first = (uint64_t)box << 3 * tier, end = first + (UINT64_C(1) << 3 * tier);
    return (end < tree->boxCounts[0] ? end : tree->boxCounts[0]) - first;
}

static void countPairs(const grzPairFront* front, const FrontRegion* region, grzPairFrontStats* stats) {
    for (size_t i = 0; i < region->pairs.count; ++i) {
        const FrontPair* pair = &region->pairs.data[i];
        stats->innerPairs += pair->state == front_apart && !areLeaves(pair);
        stats->leavesApart += pair->state == front_apart && areLeaves(pair);
        stats->leavesOverlapping += pair->state == front_leaves && areLeaves(pair);
        stats->openPairs += pair->state == front_open || (pair->state == front_leaves && !areLeaves(pair));
        if (pair->state != front_free)
            continue;
        stats->freePairs++;
        stats->freeLeaves += leavesBelow(front->sides[0]->tree, pair->tiers[0], pair->boxes[0]);
    }
}

static void addEvents(grzPairFrontStats* to, const grzPairFrontStats* from) {
    to->overlaps += from->overlaps, to->fathersEnd += from->fathersEnd, to->leavesEnd += from->leavesEnd;
    to->changes += from->changes, to->renewals += from->renewals, to->looks += from->looks;
}

grzPairFrontStats grzPairFront_GetStats(const grzPairFront* front) {
    GRZ_RETURN_IF_NULL(front, (grzPairFrontStats){0});
    grzPairFrontStats stats = front->gone;
    stats.pieces = front->pieces, stats.rebuilds = front->rebuilds;
    for (size_t i = 0; i < regionCount(front); ++i)
        countPairs(front, regionAt(front, i), &stats);
    for (size_t i = 0; i < front->regions.count; ++i)
        addEvents(&stats, &front->regions.data[i]->stats);
    if (front->top != NULL)
        addEvents(&stats, &front->top->stats);
    return stats;
}

size_t grzPairFront_MemorySize(const grzPairFront* front) {
    GRZ_RETURN_IF_NULL(front, 0);
    size_t size = sizeof *front + (front->view.capacity + front->other.capacity) * sizeof *front->view.data +
                  (front->noted.capacity + front->scratch.capacity) * sizeof(uint64_t) +
                  front->regions.capacity * sizeof *front->regions.data +
                  (front->used.capacity + front->unused.capacity) * sizeof(uint32_t);
    for (int tree = 0; tree < 2; ++tree)
        size += front->trees[tree].memorySize + front->trees[tree].topChanges.capacity * sizeof(KineticChange);
    size += front->cull == NULL ? 0 : grzSelfCull_MemorySize(front->cull);
    for (size_t i = 0; i < front->regions.count; ++i)
        size += grzFront_RegionSize(front->regions.data[i]);
    return front->top == NULL ? size : size + grzFront_RegionSize(front->top);
}

// An event that may be of leaves: boxes begin to overlap, or leaves cease to.
static double firstOfLeaves(const FrontRegion* region) {
    double first = (double)INFINITY;
    for (size_t i = 0; i < region->queue.count; ++i) {
        const FrontPair* pair = &region->pairs.data[region->queue.data[i].pair];
        if (pair->state == front_apart || (pair->state == front_leaves && areLeaves(pair)))
            first = fmin(first, region->queue.data[i].tick);
    }
    return first;
}

// A watched side may change hands at any event of its tree; at the next tick, where that has yet to look beyond a keyframe.
static double firstChange(const grzPairFront* front) {
    double first = (double)INFINITY;
    for (int tree = 0; tree < 2; ++tree) {
        const FrontPace* pace = &front->clock.paces[tree];
        const grzKineticTree* of = front->sides[tree]->tree;
        const double at = grzKinetic_FirstEvent(of);
        if (pace->from != NULL && of->knownEnd != pace->number + 1)
            first = fmin(first, front->now.tick + 1);
        else if (at < (double)INFINITY)
            first = fmin(first, grzFrontClock_FirstTick(&front->clock, tree, at));
    }
    return first;
}

double grzPairFront_Horizon(const grzPairFront* front) {
    GRZ_RETURN_IF_NULL(front, 0);
    if (front->isStale || front->isBroken)
        return grzPairFront_Time(front);
    double first = front->clock.ticks + 1;
    bool isWatched = false;
    for (size_t i = 0; i < regionCount(front); ++i) {
        first = fmin(first, firstOfLeaves(regionAt(front, i)));
        isWatched = isWatched || regionAt(front, i)->watchedCount != 0;
    }
    if (isWatched)
        first = fmin(first, firstChange(front));
    return grzFrontClock_LastTime(&front->clock, fmax(first - 1, front->now.tick));
}

// ---- checks ----

static bool isBad(const char* what, const FrontPair* pair) {
    grzLog(grz_logError, "a pair front is broken: %s (tiers %u and %u, boxes %u and %u)", what, pair->tiers[0],
           pair->tiers[1], pair->boxes[0], pair->boxes[1]);
    return false;
}

// What a search finds, by the vertices that realise all twelve sides now.
static bool areApart(const grzPairFront* front, const FrontPair* pair) {
    bool isApart = false;
    for (uint32_t low = 0; low < 2; ++low)
        for (int axis = 0; axis < 3; ++axis) {
            uint32_t vertices[2];
            for (uint32_t tree = 0; tree < 2; ++tree)
                vertices[tree] = front->sides[tree]->tree->realisers[pair->tiers[tree]][realiserPlace(
                    pair->boxes[tree], (uint32_t)axis + (tree == low ? 0 : 3))];
            const FrontGap gap = {&front->clock.paces[low], &front->clock.paces[1 - low], vertices[low],
                                  vertices[1 - low], axis};
            isApart = isApart || grzFrontGap_IsApart(&gap, front->now.tick);
        }
    return isApart;
}

// A pair is what a search finds. Between two ticks of a plan of bent paths it may overlap longer, by a vertex that is no longer said
// to realise a side.
static bool isRight(const grzPairFront* front, const FrontPair* pair) {
    const bool isBent = front->clock.paces[0].from == NULL || front->clock.paces[1].from == NULL;
    if (pair->state != front_apart && isBent && !frontIsExact(front, &front->now))
        return true;
    return areApart(front, pair) == (pair->state == front_apart);
}

static bool checkWatched(const FrontRegion* region, uint32_t index) {
    const FrontPair* pair = &region->pairs.data[index];
    for (int tree = 0; tree < 2; ++tree) {
        uint32_t next = region->watched[tree][pair->boxes[tree] + region->offsets[tree][pair->tiers[tree]]];
        while (next != 0 && next != index + 1)
            next = region->pairs.data[next - 1].next[tree];
        if ((next != 0) != pair->isWatched)
            return isBad("its boxes are not watched, or for nothing", pair);
    }
    return true;
}

// A box with itself, or with one that it is below, has no event; and it is free where the cull says so.
static bool checkRelated(const grzPairFront* front, const FrontPair* pair) {
    const bool isRelated = frontIsRelated(front, pair);
    if (isRelated && (pair->queued != 0 || pair->isWatched))
        return isBad("a box with itself has an event", pair);
    if ((isRelated && grzFront_IsFree(front, pair)) != (pair->state == front_free))
        return isBad("it is free and open, or the other way round", pair);
    return true;
}

static bool checkPair(const grzPairFront* front, const FrontRegion* region, uint32_t index, size_t* count) {
    const FrontPair* pair = &region->pairs.data[index];
    if (pair->state == front_noPair)
        return true;
    ++*count;
    if (!isRight(front, pair))
        return isBad("it overlaps and is kept as apart, or the other way round", pair);
    if (pair->queued != 0) {
        const FrontEvent* event = &region->queue.data[pair->queued - 1];
        if (event->pair != index || event->tick <= front->now.tick)
            return isBad("its event is another one's, or past", pair);
    }
    if (!checkWatched(region, index) || !checkRelated(front, pair))
        return false;
    for (uint32_t i = 0; pair->state == front_open && i < GRZ_BVH_WIDTH; ++i)
        if (!checkPair(front, region, pair->children + i, count))
            return false;
    return true;
}

// The children of a pair are all there: counted from the pair that was opened.
static bool checkChildren(const grzPairFront* front, const FrontRegion* region, const FrontPair* father,
                          uint32_t first) {
    const int tree = frontOpened(father->tiers);
    for (uint32_t i = 0; i < GRZ_BVH_WIDTH; ++i) {
        const FrontPair* child = &region->pairs.data[first + i];
        const bool isThere = frontHasChild(front, father, i);
        if ((child->state != front_noPair) != isThere)
            return isBad("a child is missing, or too many", father);
        if (isThere && (child->boxes[tree] != father->boxes[tree] * GRZ_BVH_WIDTH + i ||
                        child->boxes[1 - tree] != father->boxes[1 - tree]))
            return isBad("a child is of other boxes", child);
        if (child->state == front_open && !checkChildren(front, region, child, child->children))
            return false;
    }
    return true;
}

static bool checkRegion(const grzPairFront* front, const FrontRegion* region) {
    const FrontPair root = {.boxes = {region->roots[0], region->roots[1]},
                            .tiers = {region->tiers[0], region->tiers[1]}};
    size_t count = 0, queued = 0;
    for (uint32_t i = 0; i < GRZ_BVH_WIDTH; ++i)
        if (!checkPair(front, region, i, &count))
            return false;
    const FrontPair* first = &region->pairs.data[0];
    if (!region->isTop && !checkChildren(front, region, &root, 0))
        return false;
    if (region->isTop && first->state == front_open && !checkChildren(front, region, first, first->children))
        return false;
    for (size_t i = 0; i < region->pairs.count; ++i) {
        count -= region->pairs.data[i].state != front_noPair;
        queued += region->pairs.data[i].queued != 0;
    }
    return (count == 0 && queued == region->queue.count) || isBad("pairs are left over", &root);
}

// Every pair of roots that overlaps has its region.
static bool checkTop(const grzPairFront* front) {
    size_t below = 0;
    for (size_t i = 0; i < front->top->pairs.count; ++i) {
        const FrontPair* pair = &front->top->pairs.data[i];
        if (pair->state != front_leaves || areLeaves(pair))
            continue;
        const FrontRegion* region = front->regions.data[pair->children];
        ++below;
        if (!region->isUsed || region->roots[0] != pair->boxes[0] || region->roots[1] != pair->boxes[1])
            return isBad("its region is not there", pair);
    }
    return below == front->used.count || isBad("regions are left over", &front->top->pairs.data[0]);
}

static uint64_t keyOf(const grzLeafPair* pair) {
    return (uint64_t)pair->leafA << 32 | pair->leafB;
}

static bool isInView(const grzPairFront* front, const FrontPair* pair) {
    const uint64_t key = (uint64_t)pair->boxes[0] << 32 | pair->boxes[1];
    size_t low = 0, high = front->view.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (keyOf(&front->view.data[middle]) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < front->view.count && keyOf(&front->view.data[low]) == key;
}

// The view has the leaves that overlap, each once, in order.
static bool checkView(const grzPairFront* front) {
    const grzLeafPair* pairs = front->view.data;
    size_t count = 0;
    for (size_t i = 0; i < front->view.count; ++i)
        if ((i != 0 && keyOf(&pairs[i - 1]) >= keyOf(&pairs[i])) || pairs[i].t0 != 0 || pairs[i].t1 != 1) {
            grzLog(grz_logError, "a pair front is broken: its view is not sorted, or has other times (pair %zu)",
                   i);
            return false;
        }
    for (size_t r = 0; r < regionCount(front); ++r) {
        const FrontRegion* region = regionAt(front, r);
        for (size_t i = 0; i < region->pairs.count; ++i) {
            const FrontPair* pair = &region->pairs.data[i];
            if (pair->state != front_leaves || !areLeaves(pair))
                continue;
            ++count;
            if (!isInView(front, pair))
                return isBad("leaves that overlap are not in the view", pair);
        }
    }
    if (count != front->view.count)
        grzLog(grz_logError, "a pair front is broken: %zu of %zu pairs of its view overlap", count,
               front->view.count);
    return count == front->view.count;
}

bool grzPairFront_Validate(const grzPairFront* front) {
    GRZ_RETURN_IF_NULL(front, false);
    if (front->isBroken || front->top == NULL)
        return true;
    for (int tree = 0; tree < 2; ++tree) {
        const char* flaw = grzKinetic_FlawOfTree(front->sides[tree]->tree);
        if (flaw != NULL) {
            grzLog(grz_logError, "a pair front is broken: %s", flaw);
            return false;
        }
    }
    grzPairFront now = *front;
    grzFrontClock_FindFrames(&now.clock);
    for (size_t i = 0; i < regionCount(front); ++i)
        if (!checkRegion(&now, regionAt(front, i)))
            return false;
    return checkTop(front) && checkView(front);
}
