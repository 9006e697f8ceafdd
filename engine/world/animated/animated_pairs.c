// What: the searches for pairs of triangles with animated meshes, one for each pair of bodies, from step to step.
// Promise: see animated_pairs.h.
// Idea: pairs of bodies of the last step and of this one are both in the order of ids. One walk over both finds
//   which go on, which begin and which are over.
//
//   side of a search    its boxes                           where it stands
//   animated mesh       its upkeep's                        the world
//   rigid mesh          of its shape's model, at rest       its pose: while that stays, it rests
//   cloth               its own, over the step's motion     the world
//
//   Dynamic bodies stay with the search of models (graze/model_pair.h). Their pose changes in each step, so only
//   memory is kept from step to step, and a walk of models lists fewer pairs that are not near. Tried and lost:
//   with a search by boxes, steps of balls on a sheet took a tenth longer.
// Holds: two upkeeps are searched on one clock while both are at the world's time. The time of a mesh that stands
//   still stops; it has a clock of its own then.
// Threads: each pair of bodies in a task, which shares out large searches.
#include "animated_pairs.h"

#include <string.h>

#include "animated_inside.h"
#include "array.h"
#include "check.h"
#include "first_refused.h"
#include "graze/stage/upkeep_pairs.h"
#include "mesh_shape.h"
#include "owner.h"
#include "task_worker.h"

// Of a look at all leaves of both meshes, for Validate.
#define MOST_CHECKED ((uint64_t)1 << 22)

typedef struct AnimatedPair {
    grzBodyId ids[2];
    grzUpkeepPairs* search;          // NULL: none yet
    bool isClothA;                   // the first body is cloth
    bool areClocksApart, isOwnClock; // of two animated meshes; one has vertices from the host
    bool isFound;                    // by the last Find
    uint64_t leaves;                 // of the two hierarchies, one count times the other
    grzUpkeepPairsQuery query;
    grzTransform pose; // that the query points at
    grzResult result;
} AnimatedPair;

typedef struct AnimatedPairList {
    GRZ_ARRAY(AnimatedPair);
} AnimatedPairList;

struct grzAnimatedPairs {
    grzCountedMemory memory;
    AnimatedPairList now, next; // by ask; next: while the two are walked
    AnimatedPairList over;      // of pairs of bodies that are over, until the next Trim
};

grzResult grzAnimatedPairs_Create(grzAllocator allocator, grzAnimatedPairs** made) {
    *made = NULL;
    grzResult result;
    grzAnimatedPairs* pairs = grzOwner_New(&allocator, 1, sizeof *pairs, _Alignof(grzAnimatedPairs), &result);
    if (pairs == NULL)
        return result;
    grzCountedMemory_Init(&pairs->memory, allocator);
    *made = pairs;
    return result;
}

static void destroyAll(AnimatedPairList* list) {
    for (size_t i = 0; i < list->count; ++i)
        grzUpkeepPairs_Destroy(list->data[i].search);
    list->count = 0;
}

void grzAnimatedPairs_Destroy(grzAnimatedPairs* pairs) {
    if (pairs == NULL)
        return;
    const grzAllocator host = pairs->memory.host, *counted = &pairs->memory.allocator;
    destroyAll(&pairs->now);
    destroyAll(&pairs->over);
    grzArray_Release(&pairs->over, counted);
    grzArray_Release(&pairs->now, counted);
    grzArray_Release(&pairs->next, counted);
    grzRelease(&host, pairs, 1, sizeof *pairs, _Alignof(grzAnimatedPairs));
}

void grzAnimatedPairs_Trim(grzAnimatedPairs* pairs) {
    destroyAll(&pairs->over);
    grzArray_Call(&pairs->over, grzTrimScratch, &pairs->memory.allocator);
    grzArray_Call(&pairs->next, grzTrimScratch, &pairs->memory.allocator);
}

static void dropBody(AnimatedPairList* list, grzBodyId body) {
    size_t left = 0;
    for (size_t i = 0; i < list->count; ++i) {
        const AnimatedPair* pair = &list->data[i];
        if (grzBodyId_IsSame(pair->ids[0], body) || grzBodyId_IsSame(pair->ids[1], body))
            grzUpkeepPairs_Destroy(pair->search);
        else
            list->data[left++] = *pair;
    }
    list->count = left;
}

void grzAnimatedPairs_EndBody(grzAnimatedPairs* pairs, grzBodyId body) {
    dropBody(&pairs->now, body);
    dropBody(&pairs->over, body);
}

void grzAnimatedPairs_Forget(grzAnimatedPairs* pairs) {
    for (size_t i = 0; i < pairs->now.count; ++i)
        pairs->now.data[i].isFound = false;
}

// ---- which bodies ----

static bool isAnimated(const grzCollider* collider) {
    return collider->kind == grz_animatedCollider;
}

static bool canBeSide(const grzCollider* collider) {
    if (isAnimated(collider))
        return grzAnimatedBody_GetUpkeep(collider->animated).way != grz_upkeepBoxTree;
    return collider->kind == grz_clothCollider ||
           (collider->kind == grz_meshCollider && collider->body != grz_dynamicBody);
}

bool grzAnimatedPairs_Fits(const grzCollider* a, const grzCollider* b) {
    return (isAnimated(a) || isAnimated(b)) && canBeSide(a) && canBeSide(b);
}

static int compareIds(const grzBodyId* a, const grzBodyId* b) {
    for (int i = 0; i < 2; ++i) {
        if (a[i].index1 != b[i].index1)
            return a[i].index1 < b[i].index1 ? -1 : 1;
        if (a[i].generation != b[i].generation)
            return a[i].generation < b[i].generation ? -1 : 1;
    }
    return 0;
}

static AnimatedPair pairOf(const grzAnimatedPairsStep* step, uint32_t ask) {
    AnimatedPair pair;
    memset(&pair, 0, sizeof pair);
    pair.ids[0] = step->colliders[step->asks[ask].rowA].id;
    pair.ids[1] = step->colliders[step->asks[ask].rowB].id;
    return pair;
}

// What the two bodies had when they were last near each other, if it is there.
static void takeOver(AnimatedPairList* over, AnimatedPair* pair) {
    for (size_t i = 0; i < over->count; ++i)
        if (compareIds(over->data[i].ids, pair->ids) == 0) {
            *pair = over->data[i];
            over->data[i] = over->data[--over->count];
            return;
        }
}

// Those of this step, with the searches of those that go on. False: no memory, and nothing has changed.
static bool takeAsks(grzAnimatedPairs* pairs, const grzAnimatedPairsStep* step) {
    AnimatedPairList *now = &pairs->now, *next = &pairs->next;
    if (!grzArray_Reserve(next, &pairs->memory.allocator, step->askCount) ||
        !grzArray_Reserve(&pairs->over, &pairs->memory.allocator, pairs->over.count + now->count))
        return false;
    size_t old = 0;
    for (next->count = 0; next->count < step->askCount; ++next->count) {
        AnimatedPair* pair = &next->data[next->count];
        int order = 1;
        *pair = pairOf(step, (uint32_t)next->count);
        while (old < now->count && (order = compareIds(now->data[old].ids, pair->ids)) < 0)
            pairs->over.data[pairs->over.count++] = now->data[old++];
        if (old < now->count && order == 0)
            *pair = now->data[old++];
        else
            takeOver(&pairs->over, pair);
    }
    while (old < now->count)
        pairs->over.data[pairs->over.count++] = now->data[old++];
    const AnimatedPairList last = *now;
    *now = *next, *next = last;
    next->count = 0;
    return true;
}

// ---- a search ----

static grzUpkeepPairsSide sideOf(const grzCollider* collider, const grzAnimatedAsk* ask) {
    grzUpkeepPairsSide side = {.numbering = grz_bvhCallersNumbers};
    if (collider->kind == grz_clothCollider) {
        side.bvh = ask->bvh, side.nodes = ask->nodes;
        side.isSimulated = true;
        return side;
    }
    if (isAnimated(collider)) {
        side.upkeep = collider->animated->upkeep;
        return side;
    }
    const grzModelView view = grzModel_GetView(collider->mesh->model);
    side.bvh = view.bvh, side.nodes = view.nodes;
    side.positions = collider->mesh->positions;
    return side;
}

static uint64_t leavesOf(const grzCollider* collider, const grzAnimatedAsk* ask) {
    const grzBvh* bvh = isAnimated(collider)                  ? collider->animated->bvh
                        : collider->kind == grz_clothCollider ? ask->bvh
                                                              : grzModel_GetView(collider->mesh->model).bvh;
    return grzBvh_GetView(bvh).leafCount;
}

// Not the world's.
static bool hasOwnClock(const grzCollider* collider) {
    return isAnimated(collider) && collider->animated->motion == grz_animateVertices;
}

static bool areApart(const grzCollider* a, const grzCollider* b) {
    if (!isAnimated(a) || !isAnimated(b))
        return false;
    return hasOwnClock(a) || hasOwnClock(b) || a->animated->ends[0].planTime != b->animated->ends[0].planTime;
}

static grzResult makeSearch(AnimatedPair* pair, const grzAnimatedPairsStep* step, const grzAnimatedAsk* ask,
                            const grzAllocator* allocator) {
    const grzCollider *a = &step->colliders[ask->rowA], *b = &step->colliders[ask->rowB];
    const bool areClocksApart = areApart(a, b);
    if (pair->search != NULL && pair->areClocksApart == areClocksApart) {
        if (ask->nodes != NULL)
            grzUpkeepPairs_SetNodes(pair->search, isAnimated(a) ? 1 : 0, ask->nodes, NULL);
        return grzOk();
    }
    grzUpkeepPairsDef def = grzDefaultUpkeepPairsDef();
    grzUpkeepPairs_Destroy(pair->search);
    pair->search = NULL, pair->areClocksApart = areClocksApart;
    pair->isClothA = a->kind == grz_clothCollider;
    pair->isOwnClock = hasOwnClock(a) || hasOwnClock(b);
    pair->leaves = leavesOf(a, ask) * leavesOf(b, ask);
    def.a = sideOf(a, ask), def.b = sideOf(b, ask);
    def.areClocksApart = areClocksApart;
    def.allocator = *allocator;
    return grzUpkeepPairs_Create(&def, &pair->search);
}

static grzResult makeSearches(grzAnimatedPairs* pairs, const grzAnimatedPairsStep* step) {
    for (uint32_t i = 0; i < step->askCount; ++i) {
        const grzResult result = makeSearch(&pairs->now.data[i], step, &step->asks[i], &pairs->memory.allocator);
        if (!grzResult_IsOk(result))
            return result;
    }
    return grzOk();
}

static void takeQuery(AnimatedPair* pair, const grzAnimatedPairsStep* step, const grzAnimatedAsk* ask) {
    const grzCollider *a = &step->colliders[ask->rowA], *b = &step->colliders[ask->rowB];
    pair->query = grzDefaultUpkeepPairsQuery();
    pair->query.precision = grz_trianglePairs;
    pair->query.margin = ask->margin;
    pair->query.bodyPair = ask->bodyPair;
    if (isAnimated(a) && isAnimated(b))
        return;
    if (ask->nodes != NULL) {
        pair->query.precision = grz_conservativePairs;
        pair->query.endsAtLeaves = true;
        return;
    }
    pair->pose = isAnimated(a) ? b->pose : a->pose;
    *(isAnimated(a) ? &pair->query.poseB : &pair->query.poseA) = &pair->pose;
}

typedef struct FindJob {
    const grzAnimatedPairs* pairs;
    const grzAnimatedPairsStep* step;
} FindJob;

// The method is known when the search is done, and so is the reason for it.
static grzResult findOne(AnimatedPair* pair, const grzAnimatedPairsStep* step) {
    grzZone zone;
    grzProfile_BeginZone(step->profile, grz_stageMid, "mesh pairs", grzTasks_Worker(step->tasks), &zone);
    const grzResult result = grzUpkeepPairs_Find(pair->search, step->tasks, &pair->query);
    grzProfile_GiveReason(&zone, grzUpkeepPairs_GetStats(pair->search).reason);
    grzProfile_EndZone(&zone);
    return result;
}

static uint32_t findSome(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const FindJob* job = context;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i) {
        const grzAnimatedAsk* ask = &job->step->asks[i];
        AnimatedPair* pair = &job->pairs->now.data[i];
        if (ask->isResting)
            continue;
        takeQuery(pair, job->step, ask);
        pair->result = findOne(pair, job->step);
        if (!grzResult_IsOk(pair->result))
            return i;
        pair->isFound = true;
    }
    return end;
}

grzResult grzAnimatedPairs_Find(grzAnimatedPairs* pairs, const grzAnimatedPairsStep* step) {
    if (!takeAsks(pairs, step))
        return grzNoMemory(step->askCount, sizeof(AnimatedPair));
    grzAnimatedPairs_Forget(pairs);
    grzResult result = makeSearches(pairs, step);
    if (!grzResult_IsOk(result))
        return result;
    FindJob job = {pairs, step};
    const uint32_t refused = grzParallelTry(step->tasks, step->askCount, 1, findSome, &job);
    if (refused == step->askCount)
        return grzOk();
    result = pairs->now.data[refused].result;
    if (result.status != grz_outOfMemory)
        result.part = grz_partElement, result.index = refused;
    return result;
}

// ---- what there is ----

grzMeshCandidates grzAnimatedPairs_Get(const grzAnimatedPairs* pairs, uint32_t ask) {
    const AnimatedPair* pair = &pairs->now.data[ask];
    if (!pair->isFound)
        return (grzMeshCandidates){NULL, 0};
    const grzUpkeepPairsView view = grzUpkeepPairs_GetView(pair->search);
    return (grzMeshCandidates){view.pairs, view.count};
}

// A search by boxes, which has no others.
grzLeafCandidates grzAnimatedPairs_GetLeaves(const grzAnimatedPairs* pairs, uint32_t ask) {
    const AnimatedPair* pair = &pairs->now.data[ask];
    if (!pair->isFound)
        return (grzLeafCandidates){NULL, 0, false, false};
    const grzUpkeepLeavesView view = grzUpkeepPairs_GetLeaves(pair->search);
    GRZ_ASSERT(view.active == NULL);
    return (grzLeafCandidates){view.pairs, view.count, pair->isClothA != view.isTurned, true};
}

static const AnimatedPair* pairAt(const grzAnimatedPairs* pairs, const grzBodyId ids[2]) {
    size_t low = 0, high = pairs->now.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = compareIds(pairs->now.data[middle].ids, ids);
        if (order == 0)
            return &pairs->now.data[middle];
        *(order < 0 ? &low : &high) = order < 0 ? middle + 1 : middle;
    }
    return NULL;
}

bool grzAnimatedPairs_Horizon(const grzAnimatedPairs* pairs, grzBodyId a, grzBodyId b, double* time) {
    const grzBodyId ids[2] = {a.index1 < b.index1 ? a : b, a.index1 < b.index1 ? b : a};
    const AnimatedPair* pair = pairAt(pairs, ids);
    if (pair == NULL || !pair->isFound || pair->areClocksApart || pair->isOwnClock)
        return false;
    *time = grzUpkeepPairs_Horizon(pair->search);
    return true;
}

size_t grzAnimatedPairs_MemorySize(const grzAnimatedPairs* pairs) {
    return sizeof *pairs + grzCountedMemory_Size(&pairs->memory);
}

// ---- promises ----

// The query of the last Find: the pair may lie elsewhere since.
static bool isRight(const AnimatedPair* pair) {
    grzUpkeepPairsQuery query = pair->query;
    query.poseA = query.poseA != NULL ? &pair->pose : NULL;
    query.poseB = query.poseB != NULL ? &pair->pose : NULL;
    return pair->leaves > MOST_CHECKED || grzUpkeepPairs_Validate(pair->search, &query);
}

bool grzAnimatedPairs_Validate(const grzAnimatedPairs* pairs) {
    for (size_t i = 0; i < pairs->now.count; ++i) {
        const AnimatedPair* pair = &pairs->now.data[i];
        if (i != 0 && compareIds(pair[-1].ids, pair->ids) >= 0) {
            grzLog(grz_logError, "pairs of animated meshes: pair %zu is out of order", i);
            return false;
        }
        if (pair->isFound && !isRight(pair)) {
            grzLog(grz_logError, "pairs of animated meshes: the candidates of pair %zu are others", i);
            return false;
        }
    }
    return true;
}
