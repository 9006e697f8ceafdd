// What: see front_inside.h: pairs that come and go.
// Holds: a pair that is in use has an event, or stays what it is to the end of this piece. Places of pairs come in
//   eights: the children of one pair. If memory for them is refused, the region has lost pairs, and the front must
//   be built again.
#include "front_inside.h"

// ---- which boxes are watched ----

static uint32_t* headOf(FrontRegion* region, const FrontPair* pair, int tree) {
    return &region->watched[tree][pair->boxes[tree] + region->offsets[tree][pair->tiers[tree]]];
}

static void watch(FrontRegion* region, uint32_t index) {
    FrontPair* pair = &region->pairs.data[index];
    for (int tree = 0; tree < 2; ++tree) {
        uint32_t* head = headOf(region, pair, tree);
        pair->prev[tree] = 0, pair->next[tree] = *head;
        if (*head != 0)
            region->pairs.data[*head - 1].prev[tree] = index + 1;
        *head = index + 1;
    }
    pair->isWatched = true;
    region->watchedCount++;
}

static void unwatch(FrontRegion* region, uint32_t index) {
    FrontPair* pair = &region->pairs.data[index];
    if (!pair->isWatched)
        return;
    for (int tree = 0; tree < 2; ++tree) {
        const uint32_t prev = pair->prev[tree], next = pair->next[tree];
        *(prev != 0 ? &region->pairs.data[prev - 1].next[tree] : headOf(region, pair, tree)) = next;
        if (next != 0)
            region->pairs.data[next - 1].prev[tree] = prev;
    }
    pair->isWatched = false;
    region->watchedCount--;
}

// ---- what a pair is ----

static void note(FrontRegion* region, uint32_t index, const FrontSure* sure) {
    FrontPair* pair = &region->pairs.data[index];
    const bool isWatched = sure->isApart && sure->isWatched;
    pair->witness = sure->isApart ? sure->witness : pair->witness;
    if (isWatched && !pair->isWatched)
        watch(region, index);
    else if (!isWatched)
        unwatch(region, index);
    grzFrontQueue_Set(region, index, sure->until);
}

static bool isBottom(const grzPairFront* front, const FrontRegion* region, const FrontPair* pair) {
    if (region->isTop)
        return pair->tiers[0] == front->sides[0]->partTier && pair->tiers[1] == front->sides[1]->partTier;
    return pair->tiers[0] == 0 && pair->tiers[1] == 0;
}

static bool areLeaves(const FrontPair* pair) {
    return pair->tiers[0] == 0 && pair->tiers[1] == 0;
}

// Eight places; what they hold is written over.
static uint32_t takeEight(grzPairFront* front, FrontRegion* region) {
    if (region->free.count != 0)
        return region->free.data[--region->free.count];
    const size_t first = region->pairs.count, count = first + 8;
    const bool hasRoom = count < FRONT_NONE && grzArray_Reserve(&region->pairs, &front->allocator, count) &&
                         grzArray_Reserve(&region->queue, &front->allocator, count) &&
                         grzArray_Reserve(&region->free, &front->allocator, count / 8);
    if (!hasRoom) {
        region->hasLost = true;
        return FRONT_NONE;
    }
    region->pairs.count = count;
    return (uint32_t)first;
}

static void fillEight(grzPairFront* front, FrontRegion* region, uint32_t first, const FrontPair* father,
                      const FrontNow* now);

// Boxes overlap: a leaf, or what is below. A child that there is no room for stays apart, in a region that has lost.
static void openPair(grzPairFront* front, FrontRegion* region, uint32_t index, const FrontNow* now) {
    FrontPair* pair = &region->pairs.data[index];
    if (isBottom(front, region, pair)) {
        pair->state = front_leaves;
        if (areLeaves(pair)) {
            grzFront_NoteLeaves(front, region, pair);
            return;
        }
        pair->children = grzFront_OpenRegion(front, pair->boxes, now->tick);
        region->hasLost = region->hasLost || pair->children == FRONT_NONE;
        return;
    }
    const FrontPair father = *pair;
    const uint32_t first = takeEight(front, region);
    if (first == FRONT_NONE)
        return;
    region->pairs.data[index].state = front_open;
    region->pairs.data[index].children = first;
    fillEight(front, region, first, &father, now);
}

static void begin(grzPairFront* front, FrontRegion* region, uint32_t index, const FrontNow* now) {
    region->stats.overlaps++;
    openPair(front, region, index, now);
}

// A box with itself, or with one that it is below, is not looked at.
static void addRelated(grzPairFront* front, FrontRegion* region, uint32_t index, const FrontNow* now) {
    FrontPair* pair = &region->pairs.data[index];
    if (grzFront_IsFree(front, pair))
        pair->state = front_free;
    else
        openPair(front, region, index, now);
}

static void add(grzPairFront* front, FrontRegion* region, uint32_t index, const FrontNow* now) {
    const FrontPair* pair = &region->pairs.data[index];
    if (frontIsRelated(front, pair)) {
        addRelated(front, region, index, now);
        return;
    }
    const FrontSure sure = grzFront_Look(front, pair, now);
    region->stats.looks++;
    if (!sure.isApart)
        begin(front, region, index, now);
    note(region, index, &sure);
}

// The side that is opened: see front_inside.h.
static void fillEight(grzPairFront* front, FrontRegion* region, uint32_t first, const FrontPair* father,
                      const FrontNow* now) {
    const int tree = frontOpened(father->tiers);
    const uint32_t box = father->boxes[tree];
    for (uint32_t i = 0; i < GRZ_BVH_WIDTH; ++i) {
        FrontPair child = {.boxes = {father->boxes[0], father->boxes[1]},
                           .tiers = {father->tiers[0], father->tiers[1]},
                           .state = frontHasChild(front, father, i) ? front_apart : front_noPair,
                           .witness = father->witness};
        child.boxes[tree] = box * GRZ_BVH_WIDTH + i, child.tiers[tree]--;
        region->pairs.data[first + i] = child;
    }
    for (uint32_t i = 0; i < GRZ_BVH_WIDTH; ++i)
        if (region->pairs.data[first + i].state != front_noPair)
            add(front, region, first + i, now);
}

// ---- pairs that go ----

static void dropLeaf(grzPairFront* front, FrontRegion* region, const FrontPair* pair, const FrontNow* now) {
    if (areLeaves(pair))
        grzFront_NoteLeaves(front, region, pair);
    else if (pair->children != FRONT_NONE)
        front->regions.data[pair->children]->closeAt = now->tick;
}

static void dropChildren(grzPairFront* front, FrontRegion* region, uint32_t first, const FrontNow* now) {
    for (uint32_t i = first; i < first + GRZ_BVH_WIDTH; ++i) {
        FrontPair* pair = &region->pairs.data[i];
        if (pair->state == front_open)
            dropChildren(front, region, pair->children, now);
        else if (pair->state == front_leaves)
            dropLeaf(front, region, pair, now);
        unwatch(region, i);
        grzFrontQueue_Set(region, i, (double)INFINITY);
        pair->state = front_noPair;
    }
    region->free.data[region->free.count++] = first;
}

// An open pair, or leaves that overlap, comes to be apart or free.
static void closePair(grzPairFront* front, FrontRegion* region, uint32_t index, FrontState state,
                      const FrontNow* now) {
    FrontPair* pair = &region->pairs.data[index];
    const bool wasOpen = pair->state == front_open;
    pair->state = (uint8_t)state;
    if (wasOpen)
        dropChildren(front, region, pair->children, now);
    else
        dropLeaf(front, region, pair, now);
}

static void end(grzPairFront* front, FrontRegion* region, uint32_t index, const FrontNow* now) {
    ++*(areLeaves(&region->pairs.data[index]) ? &region->stats.leavesEnd : &region->stats.fathersEnd);
    closePair(front, region, index, front_apart, now);
}

// ---- all of a region ----

// Returns whether it is what it was.
static bool apply(grzPairFront* front, FrontRegion* region, uint32_t index, const FrontSure* sure,
                  const FrontNow* now) {
    const bool isSame = sure->isApart == (region->pairs.data[index].state == front_apart);
    region->stats.looks++;
    if (!isSame && sure->isApart)
        end(front, region, index, now);
    else if (!isSame)
        begin(front, region, index, now);
    note(region, index, sure);
    return isSame;
}

bool grzFront_Renew(grzPairFront* front, FrontRegion* region, uint32_t index, const FrontNow* now) {
    const FrontSure sure = grzFront_Look(front, &region->pairs.data[index], now);
    return apply(front, region, index, &sure, now);
}

typedef struct Renewal {
    grzPairFront* front;
    FrontRegion* region;
    const FrontNow* now;
    bool isOn;
    bool knowsEnd; // of a piece that goes on where the one before ended
} Renewal;

// In another piece a box may be free, or no longer.
static bool renewRelated(const Renewal* renewal, uint32_t index) {
    FrontPair* pair = &renewal->region->pairs.data[index];
    const bool isFree = grzFront_IsFree(renewal->front, pair), wasFree = pair->state == front_free;
    if (isFree && !wasFree)
        closePair(renewal->front, renewal->region, index, front_free, renewal->now);
    else if (!isFree && wasFree)
        openPair(renewal->front, renewal->region, index, renewal->now);
    return isFree == wasFree;
}

static bool renewPair(const Renewal* renewal, uint32_t index) {
    const FrontPair* pair = &renewal->region->pairs.data[index];
    if (frontIsRelated(renewal->front, pair))
        return renewRelated(renewal, index);
    const FrontSure sure = renewal->isOn ? grzFront_LookOn(renewal->front, pair, renewal->now)
                                         : grzFront_Look(renewal->front, pair, renewal->now);
    return apply(renewal->front, renewal->region, index, &sure, renewal->now);
}

// Nothing is to be done: it is what it was, by the same witness, and has no event in this piece either.
static bool isSure(const FrontPair* pair, const FrontEight* eight, uint32_t lane) {
    const uint32_t bits = eight->sure[pair->state == front_apart ? pair->witness : 6];
    return !pair->isWatched && (bits >> lane & 1) != 0;
}

// By what is known of the eight.
static bool renewChild(const Renewal* renewal, uint32_t index, const FrontEight* eight) {
    FrontRegion* region = renewal->region;
    const FrontPair* pair = &region->pairs.data[index];
    if (frontIsRelated(renewal->front, pair))
        return renewRelated(renewal, index);
    if (isSure(pair, eight, index % GRZ_BVH_WIDTH)) {
        region->stats.looks++;
        return true;
    }
    const FrontSure sure = grzFront_LookAtChild(renewal->front, pair, eight, index % GRZ_BVH_WIDTH, renewal->now);
    return apply(renewal->front, region, index, &sure, renewal->now);
}

static void renewEight(const Renewal* renewal, uint32_t first, int opened) {
    FrontRegion* region = renewal->region;
    FrontEight eight;
    if (renewal->knowsEnd)
        eight = grzFront_EndEight(renewal->front, &region->pairs.data[first], opened);
    for (uint32_t i = first; i < first + GRZ_BVH_WIDTH; ++i) {
        if (region->pairs.data[i].state == front_noPair)
            continue;
        const bool isSame = renewal->knowsEnd ? renewChild(renewal, i, &eight) : renewPair(renewal, i);
        if (isSame && region->pairs.data[i].state == front_open)
            renewEight(renewal, region->pairs.data[i].children, frontOpened(region->pairs.data[i].tiers));
    }
}

void grzFront_RenewAll(grzPairFront* front, FrontRegion* region, const FrontNow* now, bool isOn) {
    Renewal renewal = {front, region, now, isOn, isOn && front->knowsEnds};
    if (!region->isTop)
        renewEight(&renewal, 0, frontOpened(region->tiers));
    else if (renewPair(&renewal, 0) && region->pairs.data[0].state == front_open)
        renewEight(&renewal, region->pairs.data[0].children, frontOpened(region->tiers));
}

void grzFront_BuildRegion(grzPairFront* front, FrontRegion* region, const FrontNow* now) {
    const uint32_t first = takeEight(front, region);
    if (first == FRONT_NONE)
        return;
    region->isBuilt = true;
    FrontPair root = {.boxes = {region->roots[0], region->roots[1]}, .tiers = {region->tiers[0], region->tiers[1]}};
    if (!region->isTop) {
        fillEight(front, region, first, &root, now);
        return;
    }
    root.state = front_apart;
    region->pairs.data[first] = root;
    for (uint32_t i = 1; i < GRZ_BVH_WIDTH; ++i)
        region->pairs.data[first + i] = (FrontPair){.state = front_noPair};
    add(front, region, first, now);
}
