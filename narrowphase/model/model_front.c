// What: fronts of two models: when a kept one serves, when a walk from the roots is better, and what a query makes of it.
// Promise: as graze/model_front.h says.
// Idea: every end of the last walk holds until the models have moved by its slack (model_motion.h). So a query finds what is
//   due, sixteen entries at a time, opens that anew and walks on below. Children that met once keep their entries, though
//   they may be apart by now. What that comes to is bounded by two rules, in which a step is the unit of cost:
//
//   - A query that would open more than half as many steps as the last walk from the roots walks from the roots at once.
//   - The steps that are opened, and a 32nd for each entry that is looked at, are added up. When they come to four times
//     the last walk from the roots, the next query walks from there. So that costs at most a quarter of what was
//     paid anyhow (the argument of renting or buying skis), and since an opened step appends no other than steps that are
//     opened as well, the list never exceeds the walk, four times the walk, and what one query adds.
//
//   Between two walks from the roots, what was paid is put beside what as many fresh queries would have cost, in boxes and
//   leaves that were tested: those of a front cost half as much again. Where nothing was gained, in four queries or more,
//   the front rests: for one query, then three, at most 63 the kernels of model_kernel.h answer, and then it is tried
//   again. So in fast motion a front costs a few percent, a tenth at worst.
// Tried and lost: a front's work put at twice a fresh query's, or QUERY_WORK three times as much: fast motion loses some
//   percent less, but fronts that gain a third, or four fifths where something meets, rest as well.
// Threads: one at a time for a front.
#include "graze/model_front.h"

#include <math.h>
#include <string.h>

#include "memory.h"
#include "model_front_kernel.h"
#include "model_motion.h"
#include "model_search.h"
#include "owner.h"
#include "radix_sort.h"
#include "refuse_null.h"
#include "result_make.h"

enum {
    DUE_ROOM = 16,
    RENT = 4,
    ENTRIES_A_STEP = 32,
    LEAST_WALK = 16,
    LEAF_WORK = 2,  // steps that a pair of leaves costs
    QUERY_WORK = 4, // and what a query with a front does besides
    LONGEST_REST = 63,
    TRIAL = 4, // queries after which it is told
};

typedef struct FrontScratch {
    GRZ_ARRAY(uint64_t);
} FrontScratch;

typedef struct FrontPairs {
    GRZ_ARRAY(grzTrianglePair);
} FrontPairs;

struct grzModelFront {
    grzAllocator allocator;
    FrontSearch kept;
    ModelKeys found;
    FrontScratch scratch;
    FrontPairs pairs;
    const grzModel* models[2]; // only to be compared
    uint64_t revisions[2];
    ModelRelation relation; // of the last query
    double reading;         // the sum of all motions since the last walk from the roots
    float now;              // what ends here or before is due
    size_t walked, spent;   // steps of the last walk from the roots; and opened since
    uint64_t freshWork;     // of that walk
    uint64_t paid, queries; // work since, with it; in so many
    uint32_t rest, restLength;
    bool isAnew;
};

bool grzFrontList_Reserve(FrontList* list, const grzAllocator* allocator, size_t count) {
    if (count <= list->room)
        return true;
    const size_t wanted = count + count / 2 + 64;
    list->first.count = list->second.count = list->ends.count = list->opened.count = list->count;
    if (!grzArray_Reserve(&list->first, allocator, wanted) || !grzArray_Reserve(&list->second, allocator, wanted) ||
        !grzArray_Reserve(&list->ends, allocator, wanted) || !grzArray_Reserve(&list->opened, allocator, wanted))
        return false;
    list->room = wanted;
    return true;
}

void grzFrontList_Release(FrontList* list, const grzAllocator* allocator) {
    grzArray_Release(&list->first, allocator);
    grzArray_Release(&list->second, allocator);
    grzArray_Release(&list->ends, allocator);
    grzArray_Release(&list->opened, allocator);
}

grzResult grzModelFront_Create(grzAllocator allocator, grzModelFront** made) {
    GRZ_REFUSE_NULL(made, 2);
    *made = NULL;
    grzResult result;
    grzModelFront* front = grzOwner_New(&allocator, 1, sizeof *front, _Alignof(grzModelFront), &result);
    if (front == NULL)
        return result;
    front->allocator = allocator;
    *made = front;
    return grzOk();
}

void grzModelFront_Destroy(grzModelFront* front) {
    if (front == NULL)
        return;
    const grzAllocator allocator = front->allocator;
    grzFrontList_Release(&front->kept.steps, &allocator);
    grzFrontList_Release(&front->kept.leaves, &allocator);
    grzArray_Release(&front->kept.due, &allocator);
    grzArray_Release(&front->found, &allocator);
    grzArray_Release(&front->scratch, &allocator);
    grzArray_Release(&front->pairs, &allocator);
    grzRelease(&allocator, front, 1, sizeof *front, _Alignof(grzModelFront));
}

// ---- the reading ----

static float roundUp(double x) {
    const float near = (float)x;
    return (double)near < x ? nextafterf(near, (float)INFINITY) : near;
}

static void setReading(grzModelFront* front, double reading) {
    const double slop = grzModelRelation_Slop(&front->relation);
    front->reading = reading * (1 + 0x1p-50); // above what the sum rounds
    front->now = roundUp(front->reading + slop * (1 + 0x1p-50));
    front->kept.start = -roundUp(slop * (1 + 0x1p-50) - reading);
}

static void dropEntries(grzModelFront* front) {
    front->kept.steps.count = front->kept.leaves.count = 0;
    front->kept.hasWitness = false;
}

static void forget(grzModelFront* front) {
    front->models[0] = front->models[1] = NULL;
    front->rest = front->restLength = 0;
    dropEntries(front);
}

static bool isOfThese(const grzModelFront* front, const grzModelQuery* query) {
    return front->models[0] == query->a && front->models[1] == query->b &&
           front->revisions[0] == query->a->revision && front->revisions[1] == query->b->revision;
}

// Takes the query's models and relation, and how far they have come. False where there is nothing to meet.
static bool takeQuery(grzModelFront* front, const grzModelQuery* query) {
    const ModelRelation* to = &front->kept.search.relation;
    double reading = 0;
    const bool isKept = isOfThese(front, query);
    if (isKept && front->kept.steps.count != 0)
        reading = front->reading + grzModelRelation_Motion(&front->relation, to, query);
    if (!isKept)
        forget(front);
    front->models[0] = query->a, front->models[1] = query->b;
    front->revisions[0] = query->a->revision, front->revisions[1] = query->b->revision;
    front->relation = *to;
    if (front->kept.steps.count != 0)
        setReading(front, reading);
    return grzModelSearch_HasTriangles(&front->kept.search);
}

static grzResult beginQuery(grzModelFront* front, const grzModelQuery* query) {
    FrontSearch* kept = &front->kept;
    front->pairs.count = front->found.count = 0;
    front->isAnew = false;
    grzResult result = grzModelSearch_Begin(query, &kept->search);
    if (grzResult_IsOk(result))
        grzModelSearch_MakeAll(&kept->search);
    if (grzResult_IsOk(result))
        result = grzModelSearch_RefuseMargin(query);
    kept->search.found = &front->found;
    kept->search.first = 0;
    kept->search.allocator = &front->allocator;
    kept->isRefused = false;
    if (!grzResult_IsOk(result))
        memset(&kept->search.stats, 0, sizeof kept->search.stats);
    return result;
}

static grzResult refuse(grzModelFront* front) {
    forget(front);
    front->found.count = front->pairs.count = 0;
    memset(&front->kept.search.stats, 0, sizeof front->kept.search.stats);
    return grzNoMemory(front->kept.steps.room + 1, sizeof(int32_t));
}

// ---- what is due ----

static bool findDue(grzModelFront* front, const FrontList* list) {
    FrontRefs* due = &front->kept.due;
    due->count = 0;
    if (!grzArray_Reserve(due, &front->allocator, list->count + DUE_ROOM))
        return false;
    due->count = GRZ_PICK_KERNEL(grzFrontDue)(list->ends.data, list->count, front->now, due->data);
    return true;
}

// Whether having the entries did not pay.
static bool isLoss(const grzModelFront* front) {
    return front->kept.steps.count != 0 && 3 * front->paid > 2 * front->queries * front->freshWork;
}

static bool isWorthKeeping(const grzModelFront* front) {
    const size_t walk = front->walked > LEAST_WALK ? front->walked : LEAST_WALK;
    return front->kept.steps.count != 0 && 2 * front->kept.due.count <= walk && front->spent <= RENT * walk &&
           (front->queries < TRIAL || !isLoss(front));
}

// From the roots: all that there is, is due.
static bool startAnew(grzModelFront* front) {
    FrontSearch* kept = &front->kept;
    kept->steps.count = kept->leaves.count = 0;
    if (!grzFrontList_Reserve(&kept->steps, &front->allocator, GRZ_BVH_WIDTH) ||
        !grzFrontList_Reserve(&kept->leaves, &front->allocator, GRZ_BVH_WIDTH))
        return false;
    grzFrontList_AddDue(&kept->steps, 0, INT32_MIN); // the roots; B's has the sign bit for a side
    kept->due.data[0] = 0;
    kept->due.count = 1;
    setReading(front, 0);
    front->isAnew = true;
    return true;
}

// Whether the front rests in this query; counts it.
static bool isResting(grzModelFront* front) {
    if (front->rest == 0)
        return false;
    front->rest--;
    return front->isAnew = true;
}

typedef enum Way { way_refused, way_rest, way_front } Way;

// Finds the steps that are due, or starts anew, or rests.
static Way chooseWay(grzModelFront* front) {
    if (isResting(front))
        return way_rest;
    if (!findDue(front, &front->kept.steps))
        return way_refused;
    if (isWorthKeeping(front))
        return way_front;
    if (!isLoss(front)) {
        front->restLength = front->kept.steps.count != 0 ? 0 : front->restLength;
        return startAnew(front) ? way_front : way_refused;
    }
    front->restLength = 2 * front->restLength + 1 < LONGEST_REST ? 2 * front->restLength + 1 : LONGEST_REST;
    front->rest = front->restLength;
    dropEntries(front);
    isResting(front);
    return way_rest;
}

// After steps were opened: before, there were so many entries.
static void settle(grzModelFront* front, size_t before) {
    const size_t count = front->kept.steps.count;
    if (front->isAnew) {
        front->walked = count;
        front->spent = 0;
    } else {
        front->spent +=
            front->kept.due.count + (count - before) + (count + front->kept.leaves.count) / ENTRIES_A_STEP + 1;
    }
}

// A query is done: what it came to.
static void account(grzModelFront* front) {
    const grzModelStats* stats = &front->kept.search.stats;
    const uint64_t work = stats->boxTests / GRZ_BVH_WIDTH + LEAF_WORK * stats->leafPairs;
    if (front->kept.steps.count == 0)
        return;
    if (front->isAnew)
        front->freshWork = work, front->paid = front->queries = 0;
    front->paid += work + QUERY_WORK;
    front->queries++;
}

// ---- whether any meet ----

static bool touchKept(grzModelFront* front, bool* isRefused) {
    FrontSearch* kept = &front->kept;
    const Way way = chooseWay(front);
    *isRefused = way == way_refused;
    if (way != way_front)
        return way == way_rest && GRZ_PICK_KERNEL(grzModelTouch)(&kept->search);
    if (!front->isAnew && kept->leaves.count != 0) {
        *isRefused = !findDue(front, &kept->leaves);
        if (*isRefused || GRZ_PICK_KERNEL(grzFrontTouchLeaves)(kept))
            return !*isRefused;
        *isRefused = !findDue(front, &kept->steps);
        if (*isRefused)
            return false;
    }
    const size_t before = kept->steps.count;
    const bool touches = GRZ_PICK_KERNEL(grzFrontDive)(kept);
    settle(front, before);
    *isRefused = kept->isRefused;
    return touches;
}

grzResult grzModelFront_Touch(grzModelFront* front, const grzModelQuery* query, bool* touches) {
    GRZ_REFUSE_NULL(front, 1);
    GRZ_REFUSE_NULL(touches, 3);
    bool isRefused = false;
    *touches = false;
    const grzResult result = beginQuery(front, query);
    if (!grzResult_IsOk(result) || !takeQuery(front, query))
        return result;
    if (front->kept.hasWitness && GRZ_PICK_KERNEL(grzFrontWitness)(&front->kept))
        *touches = true;
    else
        *touches = touchKept(front, &isRefused);
    account(front);
    if (!isRefused)
        return grzOk();
    *touches = false;
    return refuse(front);
}

// ---- all that meet ----

static bool sortFound(grzModelFront* front) {
    ModelKeys* found = &front->found;
    if (!grzArray_Reserve(&front->scratch, &front->allocator, found->count))
        return false;
    if (found->count > 1)
        grzRadixSort64(found->data, NULL, front->scratch.data, NULL, found->count);
    return true;
}

static bool makePairs(grzModelFront* front, const grzModelQuery* query) {
    ModelKeys* found = &front->found;
    if (query->limit != 0 && found->count > query->limit)
        found->count = query->limit;
    if ((query->order == grz_modelsSorted && !sortFound(front)) ||
        !grzArray_Reserve(&front->pairs, &front->allocator, found->count))
        return false;
    for (size_t i = 0; i < found->count; ++i)
        front->pairs.data[i] =
            (grzTrianglePair){query->bodyPair, (uint32_t)(found->data[i] >> 32), (uint32_t)found->data[i], 0, 0};
    front->pairs.count = found->count;
    return true;
}

static bool collectKept(grzModelFront* front) {
    FrontSearch* kept = &front->kept;
    const Way way = chooseWay(front);
    if (way != way_front)
        return way == way_rest && GRZ_PICK_KERNEL(grzModelCollect)(&kept->search);
    const size_t before = kept->steps.count;
    if (!GRZ_PICK_KERNEL(grzFrontWalk)(kept))
        return false;
    settle(front, before);
    if (!findDue(front, &kept->leaves) || !GRZ_PICK_KERNEL(grzFrontCollect)(kept))
        return false;
    account(front);
    return true;
}

grzResult grzModelFront_Find(grzModelFront* front, const grzModelQuery* query) {
    GRZ_REFUSE_NULL(front, 1);
    const grzResult result = beginQuery(front, query);
    if (!grzResult_IsOk(result) || !takeQuery(front, query))
        return result;
    return collectKept(front) && makePairs(front, query) ? grzOk() : refuse(front);
}

grzModelFrontView grzModelFront_GetView(const grzModelFront* front) {
    GRZ_RETURN_IF_NULL(front, (grzModelFrontView){0});
    const FrontSearch* kept = &front->kept;
    return (grzModelFrontView){front->pairs.data, front->pairs.count, kept->search.stats,
                               kept->steps.count, kept->leaves.count, front->isAnew};
}
