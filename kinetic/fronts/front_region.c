// What: see front_inside.h: regions that come and go, and the events in one.
// Idea: at a tick each side with a new vertex first calls the pairs that watch it. Then pairs with an event are
//   looked at, deeper ones first. So a pair is looked at once, with the boxes of that tick.
// Threads: a region is one task; it reads trees and their logs, and writes itself alone. The top runs before, on
//   the calling thread, and decides when regions begin and end.
#include "front_inside.h"

#include <string.h>

#include "memory.h"

// ---- regions that come and go ----

// Boxes of a part, tier by tier from the leaves up; of the top: all above the parts, and their roots.
static void placeBoxes(const grzPairFront* front, FrontRegion* region, int tree) {
    const FrontSide* side = front->sides[tree];
    const uint32_t top = region->isTop ? side->tree->tierCount - 1 : side->partTier;
    uint32_t count = 0;
    for (uint32_t tier = region->isTop ? side->partTier : 0; tier <= top; ++tier) {
        const uint32_t below = 3 * (top - tier);
        region->offsets[tree][tier] = count - (region->isTop ? 0 : region->roots[tree] << below);
        count += region->isTop ? side->tree->boxCounts[tier] : 1U << below;
    }
    region->tiers[tree] = (uint8_t)top;
    region->boxCounts[tree] = count;
}

static void begin(const grzPairFront* front, FrontRegion* region, const uint32_t roots[2]) {
    for (int tree = 0; tree < 2; ++tree) {
        region->roots[tree] = roots[tree];
        placeBoxes(front, region, tree);
    }
    region->isUsed = true;
    region->openAt = -(double)INFINITY, region->closeAt = (double)INFINITY;
}

FrontRegion* grzFront_NewRegion(const grzPairFront* front, const uint32_t roots[2]) {
    static const uint32_t root[2] = {0, 0};
    FrontRegion* region = grzAllocate(&front->allocator, 1, sizeof *region, _Alignof(FrontRegion));
    if (region == NULL)
        return NULL;
    memset(region, 0, sizeof *region);
    region->isTop = roots == NULL;
    begin(front, region, roots == NULL ? root : roots);
    for (int tree = 0; tree < 2; ++tree) {
        const size_t count = region->boxCounts[tree];
        region->watched[tree] = grzAllocate(&front->allocator, count, sizeof(uint32_t), _Alignof(uint32_t));
        if (region->watched[tree] == NULL) {
            grzFront_DestroyRegion(front, region);
            return NULL;
        }
        memset(region->watched[tree], 0, count * sizeof(uint32_t));
    }
    return region;
}

void grzFront_DestroyRegion(const grzPairFront* front, FrontRegion* region) {
    if (region == NULL)
        return;
    const grzAllocator* allocator = &front->allocator;
    for (int tree = 0; tree < 2; ++tree)
        grzRelease(allocator, region->watched[tree], region->boxCounts[tree], sizeof(uint32_t), _Alignof(uint32_t));
    grzArray_Release(&region->pairs, allocator);
    grzArray_Release(&region->free, allocator);
    grzArray_Release(&region->queue, allocator);
    grzArray_Release(&region->noted, allocator);
    grzRelease(allocator, region, 1, sizeof *region, _Alignof(FrontRegion));
}

void grzFront_EmptyRegion(FrontRegion* region) {
    region->isBuilt = region->hasLost = false;
    region->pairs.count = region->free.count = region->queue.count = region->noted.count = 0;
    region->watchedCount = 0;
    for (int tree = 0; tree < 2; ++tree)
        memset(region->watched[tree], 0, region->boxCounts[tree] * sizeof(uint32_t));
}

size_t grzFront_RegionSize(const FrontRegion* region) {
    return sizeof *region + (region->boxCounts[0] + (size_t)region->boxCounts[1]) * sizeof(uint32_t) +
           region->pairs.capacity * sizeof(FrontPair) + region->queue.capacity * sizeof(FrontEvent) +
           region->noted.capacity * sizeof(uint64_t) + region->free.capacity * sizeof(uint32_t);
}

static bool reserveRegion(grzPairFront* front) {
    const size_t count = front->regions.count + 1;
    return count < FRONT_NONE && grzArray_Reserve(&front->regions, &front->allocator, count) &&
           grzArray_Reserve(&front->used, &front->allocator, count) &&
           grzArray_Reserve(&front->unused, &front->allocator, count);
}

uint32_t grzFront_OpenRegion(grzPairFront* front, const uint32_t roots[2], double tick) {
    uint32_t number = (uint32_t)front->regions.count;
    if (front->unused.count != 0) {
        number = front->unused.data[--front->unused.count];
        begin(front, front->regions.data[number], roots);
    } else {
        FrontRegion* region = reserveRegion(front) ? grzFront_NewRegion(front, roots) : NULL;
        if (region == NULL)
            return FRONT_NONE;
        front->regions.data[front->regions.count++] = region;
    }
    front->regions.data[number]->openAt = tick;
    front->used.data[front->used.count++] = number;
    return number;
}

void grzFront_CloseRegion(const grzPairFront* front, FrontRegion* region) {
    for (size_t i = 0; i < region->pairs.count; ++i)
        if (region->pairs.data[i].state == front_leaves)
            grzFront_NoteLeaves(front, region, &region->pairs.data[i]);
}

void grzFront_FreeClosed(grzPairFront* front) {
    size_t kept = 0;
    for (size_t i = 0; i < front->used.count; ++i) {
        const uint32_t number = front->used.data[i];
        FrontRegion* region = front->regions.data[number];
        if (region->closeAt == (double)INFINITY) {
            front->used.data[kept++] = number;
            continue;
        }
        region->isUsed = false;
        grzFront_EmptyRegion(region);
        front->unused.data[front->unused.count++] = number;
    }
    front->used.count = kept;
}

// ---- what happens ----

static void findNext(const grzPairFront* front, FrontStream* stream, int tree) {
    stream->next = stream->told == stream->count
                       ? (double)INFINITY
                       : grzFrontClock_FirstTick(&front->clock, tree, stream->changes[stream->told].at);
}

static void skipChange(const grzPairFront* front, FrontStream* stream, int tree) {
    stream->told++;
    findNext(front, stream, tree);
}

// The pairs that watch the side have an event now.
static void callWatchers(FrontRegion* region, int tree, const KineticChange* change, double tick) {
    uint32_t next = region->watched[tree][change->box + region->offsets[tree][change->tier]];
    while (next != 0) {
        const uint32_t index = next - 1;
        const FrontPair* pair = &region->pairs.data[index];
        next = pair->next[tree];
        if (frontSideOf(pair->witness, tree) != change->side)
            continue;
        region->stats.changes++;
        grzFrontQueue_Set(region, index, tick);
    }
}

static void openStreams(const grzPairFront* front, FrontRegion* region) {
    for (int tree = 0; tree < 2; ++tree) {
        const grzKineticTree* of = front->sides[tree]->tree;
        const KineticLog* log = &of->parts[region->roots[tree]].log;
        const FrontChanges* changes = &front->sides[tree]->topChanges;
        region->streams[tree] = region->isTop ? (FrontStream){changes->data, changes->count, 0, 0}
                                              : (FrontStream){log->data, log->count, 0, 0};
        findNext(front, &region->streams[tree], tree);
    }
}

// What happened before a region began, it knows.
static void skipChanges(const grzPairFront* front, FrontRegion* region) {
    for (int tree = 0; tree < 2; ++tree)
        while (region->streams[tree].next <= region->openAt)
            skipChange(front, &region->streams[tree], tree);
}

void grzFront_RunRegion(grzPairFront* front, FrontRegion* region, double until) {
    openStreams(front, region);
    skipChanges(front, region);
    until = fmin(until, region->closeAt);
    while (!region->hasLost) {
        const double event = region->queue.count != 0 ? region->queue.data[0].tick : (double)INFINITY;
        const double tick = fmin(event, fmin(region->streams[0].next, region->streams[1].next));
        if (tick > until)
            return;
        for (int tree = 0; tree < 2; ++tree)
            for (FrontStream* stream = &region->streams[tree]; stream->next <= tick;
                 skipChange(front, stream, tree))
                callWatchers(region, tree, &stream->changes[stream->told], tick);
        const FrontNow now = grzFront_NowAt(front, tick);
        while (region->queue.count != 0 && region->queue.data[0].tick <= tick && !region->hasLost)
            region->stats.renewals += grzFront_Renew(front, region, region->queue.data[0].pair, &now);
    }
}
