// What: front_reference.h.
// Idea: coordinates of all vertices of both meshes are sorted along each axis as rational numbers, and numbered by that order, the
//   same number for those that are level. Boxes of such numbers overlap where the boxes themselves do.
#include "front_reference.h"

#include <gmp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front_inside.h"

typedef struct Place {
    mpq_t value;
    uint32_t vertex; // of A, then of B
} Place;

typedef struct Ranks { // of a box
    uint32_t lower[3], upper[3];
} Ranks;

typedef struct Hierarchy {
    const grzKineticTree* tree;
    uint32_t* ranks; // three a vertex
    Ranks* boxes[KINETIC_TIERS];
} Hierarchy;

// What is compared with what.
typedef struct Search {
    Hierarchy both[2]; // one tree with itself: twice the same
    bool isSelf;
    grzSelfCull* cull; // NULL: nothing is free
} Search;

typedef struct PairKey {
    uint32_t tiers[2], boxes[2];
} PairKey;

typedef struct PairList {
    PairKey* keys;
    size_t count, capacity;
} PairList;

// ---- coordinates ----

static void addProduct(mpq_t to, double a, double b) {
    mpq_t x, y;
    mpq_inits(x, y, NULL);
    mpq_set_d(x, a), mpq_set_d(y, b);
    mpq_mul(x, x, y);
    mpq_add(to, to, x);
    mpq_clears(x, y, NULL);
}

static void addSquare(mpq_t to, double c, double h) {
    mpq_t x, y;
    mpq_inits(x, y, NULL);
    mpq_set_d(x, c), mpq_set_d(y, h);
    mpq_mul(x, x, y);
    mpq_mul(x, x, y);
    mpq_add(to, to, x);
    mpq_clears(x, y, NULL);
}

static void setPlace(mpq_t to, const grzFlightplan* plan, uint32_t vertex, int axis, double at) {
    if (plan->kind == grz_planPaths) {
        const PlanPath* path = &plan->paths.data[vertex];
        addProduct(to, (double)path->position[axis], 1);
        addProduct(to, (double)path->velocity[axis], at - path->base);
        addSquare(to, 0.5 * (double)path->acceleration[axis], at - path->base);
        return;
    }
    const double number = floor(at), part = at - number;
    const PlanFrame* frame = plan->frames.data + ((size_t)number - plan->firstFrame);
    const size_t k = (size_t)axis;
    addProduct(to, (double)frame[0].positions[vertex * frame[0].stride + k], 1 - part);
    if (part != 0)
        addProduct(to, (double)frame[1].positions[vertex * frame[1].stride + k], part);
}

static int comparePlaces(const void* a, const void* b) {
    return mpq_cmp(((const Place*)a)->value, ((const Place*)b)->value);
}

static void rankAxis(Hierarchy both[2], int axis, double time) {
    const size_t counts[2] = {both[0].tree->plan->vertexCount, both[1].tree->plan->vertexCount};
    const size_t count = counts[0] + counts[1];
    Place* places = calloc(count + 1, sizeof *places);
    for (size_t i = 0; i < count; ++i) {
        const bool isB = i >= counts[0];
        const grzFlightplan* plan = both[isB].tree->plan;
        mpq_init(places[i].value);
        places[i].vertex = (uint32_t)i;
        setPlace(places[i].value, plan, (uint32_t)(isB ? i - counts[0] : i), axis, grzPlan_TimeOf(plan, time));
    }
    qsort(places, count, sizeof *places, comparePlaces);
    uint32_t rank = 0;
    for (size_t i = 0; i < count; ++i) {
        const bool isB = places[i].vertex >= counts[0];
        const size_t vertex = places[i].vertex - (isB ? counts[0] : 0);
        rank += i != 0 && comparePlaces(&places[i - 1], &places[i]) != 0;
        both[isB].ranks[3 * vertex + (size_t)axis] = rank;
    }
    for (size_t i = 0; i < count; ++i)
        mpq_clear(places[i].value);
    free(places);
}

// ---- boxes ----

static void grow(Ranks* box, const Ranks* by, bool isFirst) {
    for (int axis = 0; axis < 3; ++axis) {
        if (isFirst || by->lower[axis] < box->lower[axis])
            box->lower[axis] = by->lower[axis];
        if (isFirst || by->upper[axis] > box->upper[axis])
            box->upper[axis] = by->upper[axis];
    }
}

static Ranks leafOf(const Hierarchy* of, uint32_t leaf) {
    uint32_t vertices[GRZ_BVH_LEAF_VERTICES];
    const uint32_t count = grzKinetic_LeafRow(of->tree, leaf, vertices);
    Ranks box = {{0, 0, 0}, {0, 0, 0}}, point;
    for (uint32_t k = 0; k < count; ++k) {
        memcpy(point.lower, of->ranks + 3 * (size_t)vertices[k], sizeof point.lower);
        memcpy(point.upper, point.lower, sizeof point.upper);
        grow(&box, &point, k == 0);
    }
    return box;
}

static void fillBoxes(Hierarchy* of) {
    for (uint32_t tier = 0; tier < of->tree->tierCount; ++tier) {
        const uint32_t count = of->tree->boxCounts[tier];
        of->boxes[tier] = calloc(count, sizeof *of->boxes[tier]);
        for (uint32_t box = 0; box < count; ++box)
            for (uint32_t k = 0; tier != 0 && k < childCount(of->tree, tier, box); ++k)
                grow(&of->boxes[tier][box], &of->boxes[tier - 1][box * GRZ_BVH_WIDTH + k], k == 0);
        for (uint32_t box = 0; tier == 0 && box < count; ++box)
            of->boxes[0][box] = leafOf(of, box);
    }
}

static bool overlap(const Ranks* a, const Ranks* b) {
    for (int axis = 0; axis < 3; ++axis)
        if (a->lower[axis] > b->upper[axis] || b->lower[axis] > a->upper[axis])
            return false;
    return true;
}

// ---- lists ----

static void addPair(PairList* list, PairKey key) {
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 64;
        list->keys = realloc(list->keys, list->capacity * sizeof *list->keys);
    }
    list->keys[list->count++] = key;
}

static int compareKeys(const void* a, const void* b) {
    return memcmp(a, b, sizeof(PairKey));
}

static bool isFree(const Search* of, uint32_t tier, uint32_t box) {
    return of->cull != NULL && tier != 0 &&
           grzSelfCull_IsFree(of->cull, of->both[0].tree->view.levelCount - tier, box);
}

// One tree with itself: the first leaf below A's box does not come after the last one below B's, or the pair is there the other way round.
static bool isTurned(const Search* of, const PairKey* key) {
    const uint64_t first = (uint64_t)key->boxes[0] << 3 * key->tiers[0];
    const uint64_t end = ((uint64_t)key->boxes[1] + 1) << 3 * key->tiers[1];
    return of->isSelf && first >= end;
}

// Definition 2: boxes that do not overlap, of which the father's do; and leaves that overlap. And boxes that are free with themselves.
static void search(const Search* of, PairKey key, PairList* list) {
    const bool isOver =
        overlap(&of->both[0].boxes[key.tiers[0]][key.boxes[0]], &of->both[1].boxes[key.tiers[1]][key.boxes[1]]);
    const bool isSame = of->isSelf && key.tiers[0] == key.tiers[1] && key.boxes[0] == key.boxes[1];
    if (!isOver || (key.tiers[0] == 0 && key.tiers[1] == 0) || (isSame && isFree(of, key.tiers[0], key.boxes[0]))) {
        addPair(list, key);
        return;
    }
    const int side = key.tiers[0] >= key.tiers[1] ? 0 : 1;
    const uint32_t count = childCount(of->both[side].tree, key.tiers[side], key.boxes[side]);
    key.boxes[side] *= GRZ_BVH_WIDTH, key.tiers[side]--;
    for (uint32_t k = 0; k < count; ++k, key.boxes[side]++)
        if (!isTurned(of, &key))
            search(of, key, list);
}

static void addRegion(const FrontRegion* region, PairList* list) {
    for (size_t i = 0; i < region->pairs.count; ++i) {
        const FrontPair* pair = &region->pairs.data[i];
        const bool areLeaves = pair->tiers[0] == 0 && pair->tiers[1] == 0;
        if (pair->state == front_apart || pair->state == front_free || (pair->state == front_leaves && areLeaves))
            addPair(list, (PairKey){{pair->tiers[0], pair->tiers[1]}, {pair->boxes[0], pair->boxes[1]}});
    }
}

static bool areSame(PairList* found, PairList* expected) {
    if (found->count != 0)
        qsort(found->keys, found->count, sizeof *found->keys, compareKeys);
    if (expected->count != 0)
        qsort(expected->keys, expected->count, sizeof *expected->keys, compareKeys);
    const bool isSame =
        found->count == expected->count &&
        (found->count == 0 || memcmp(found->keys, expected->keys, found->count * sizeof *found->keys) == 0);
    if (!isSame)
        fprintf(stderr, "the list has %zu pairs, and a search finds %zu\n", found->count, expected->count);
    return isSame;
}

static bool isListRight(const grzPairFront* front, const Search* of) {
    const Hierarchy* both = of->both;
    PairList found = {NULL, 0, 0}, expected = {NULL, 0, 0};
    if (front->top != NULL) {
        addRegion(front->top, &found);
        for (size_t i = 0; i < front->used.count; ++i)
            addRegion(front->regions.data[front->used.data[i]], &found);
        search(of, (PairKey){{both[0].tree->tierCount - 1, both[1].tree->tierCount - 1}, {0, 0}}, &expected);
    }
    const bool isSame = areSame(&found, &expected);
    free(found.keys), free(expected.keys);
    return isSame;
}

// The least box that holds two leaves is free.
static bool areFreeLeaves(const Search* of, uint32_t a, uint32_t b) {
    uint32_t tier = a == b ? 1 : 0;
    while (a >> 3 * tier != b >> 3 * tier)
        ++tier;
    return tier < of->both[0].tree->tierCount && isFree(of, tier, a >> 3 * tier);
}

// All pairs of leaves.
static bool isViewRight(const grzPairFront* front, const Search* of) {
    const Hierarchy* both = of->both;
    const grzPairFrontView view = grzPairFront_GetView(front);
    const uint32_t counts[2] = {both[0].tree->boxCounts[0], both[1].tree->boxCounts[0]};
    size_t found = 0;
    for (uint32_t a = 0; front->top != NULL && a < counts[0]; ++a)
        for (uint32_t b = of->isSelf ? a : 0; b < counts[1]; ++b) {
            if (!overlap(&both[0].boxes[0][a], &both[1].boxes[0][b]) || (of->isSelf && areFreeLeaves(of, a, b)))
                continue;
            if (found == view.pairCount || view.pairs[found].leafA != a || view.pairs[found].leafB != b)
                return false;
            ++found;
        }
    return found == view.pairCount;
}

// What is free in the piece that the front has looked at, by a cull of the reference's own. Keyframes that the plan has dropped are still
// the host's. False where there is no memory.
static bool makeCull(const grzPairFront* front, Search* of) {
    const FrontPace* pace = &front->clock.paces[0];
    const grzKineticTree* tree = of->both[0].tree;
    if (front->cull == NULL || front->top == NULL)
        return true;
    grzSelfCullDef def = grzDefaultSelfCullDef();
    def.bvh = tree->bvh, def.numbering = tree->numbering;
    if (!grzResult_IsOk(grzSelfCull_Create(&def, &of->cull)))
        return false;
    const double number = front->isStale ? pace->number - 1 : pace->number;
    const size_t count = tree->plan->vertexCount;
    float* ends[2] = {malloc(3 * count * sizeof(float)), malloc(3 * count * sizeof(float))};
    for (int end = 0; end < 2; ++end) {
        const double last = grzPlan_End(tree->plan), first = tree->plan->firstFrame;
        const PlanFrame* frame = tree->plan->frames.data + (size_t)(fmin(fmax(number + end, first), last) - first);
        for (size_t i = 0; i < count; ++i)
            memcpy(ends[end] + 3 * i, frame->positions + frame->stride * i, 3 * sizeof(float));
    }
    const bool isOk = grzResult_IsOk(grzSelfCull_Update(of->cull, NULL, ends[0], ends[1]));
    free(ends[0]), free(ends[1]);
    return isOk;
}

bool frontHolds(const grzPairFront* front, double time) {
    Search of;
    memset(&of, 0, sizeof of);
    of.isSelf = front->sides[0] == front->sides[1];
    for (int k = 0; k < 2; ++k) {
        of.both[k].tree = front->sides[k]->tree;
        of.both[k].ranks = calloc(3 * of.both[k].tree->plan->vertexCount + 1, sizeof *of.both[k].ranks);
    }
    for (int axis = 0; axis < 3; ++axis)
        rankAxis(of.both, axis, time);
    fillBoxes(&of.both[0]), fillBoxes(&of.both[1]);
    const bool isRight =
        makeCull(front, &of) && isListRight(front, &of) && isViewRight(front, &of) && grzPairFront_Validate(front);
    grzSelfCull_Destroy(of.cull);
    for (int k = 0; k < 2; ++k) {
        free(of.both[k].ranks);
        for (uint32_t tier = 0; tier < KINETIC_TIERS; ++tier)
            free(of.both[k].boxes[tier]);
    }
    return isRight;
}

// ---- events ----

static double firstOf(const FrontRegion* region) {
    return region->queue.count != 0 ? region->queue.data[0].tick : (double)INFINITY;
}

double nextFrontEvent(const grzPairFront* front) {
    double first = (double)INFINITY;
    if (front->top == NULL)
        return first;
    first = firstOf(front->top);
    for (size_t i = 0; i < front->used.count; ++i)
        first = fmin(first, firstOf(front->regions.data[front->used.data[i]]));
    for (int k = 0; k < 2; ++k) {
        const double at = grzKinetic_FirstEvent(front->sides[k]->tree);
        if (at < (double)INFINITY)
            first = fmin(first, grzFrontClock_FirstTick(&front->clock, k, at));
    }
    return first <= front->clock.ticks ? grzFrontClock_LastTime(&front->clock, first) : (double)INFINITY;
}
