// graze/pair_cache.h: random lives of one and two trees against all pairs by brute force, fed either way, at every
// SIMD level, with 1, 2, 3 and 8 workers and shuffled insertion; misuse; refused memory.
#include "testing.h"

#include "graze/pair_cache.h"
#include "rng.h"
#include "simd_dispatch.h"

enum { objectMost = 150, pairMost = objectMost * objectMost };

typedef struct Object {
    grzTreeObject now;
    grzTreeId id;
    bool isLive;
    bool wasMoved; // to be announced
} Object;

// One tree with the slow copy of what is in it. Objects keep their place, and so their key, when they are removed
// and come again.
typedef struct Side {
    grzTree* tree;
    Object objects[objectMost];
    grzTreeId removed[4 * objectMost];
    size_t removedCount;
} Side;

typedef struct PairList {
    grzBodyPair pairs[pairMost];
    size_t count;
} PairList;

typedef struct Life {
    grzRng rng;     // what happens
    grzRng shuffle; // in which order it is told
    Side sides[2];
    int sideCount;
    bool isFiltered;
    uint32_t filterSalt; // 0: no host filter
    grzTasks* tasks;
    grzPairCache* cache;
    grzTreePairs* finder;
    PairList now, before;
    TestMemory memory;
} Life;

typedef struct LifePlan {
    uint64_t seed, shuffleSeed;
    int sideCount;
    bool isFiltered;
    uint32_t filterSalt;
    grzNesting nesting;
    uint32_t workerCount;
    int frames;
} LifePlan;

static bool saltFilter(void* context, uint32_t keyA, uint32_t keyB) {
    const uint32_t* salt = context;
    return ((keyA * 31 ^ keyB * 17 ^ *salt) >> 3) % 4 != 0;
}

// Keys of both trees coincide, and neighbouring places have keys far apart.
static uint32_t keyOf(uint32_t place) {
    return place * 0x9E3779B1u;
}

static int compareKeys(const void* a, const void* b) {
    uint32_t x = (*(Object*const*)a)->now.key, y = (*(Object*const*)b)->now.key;
    return x < y ? -1 : x > y;
}

static size_t sortedLive(Side* side, Object** sorted) {
    size_t count = 0;
    for (size_t i = 0; i < objectMost; ++i)
        if (side->objects[i].isLive)
            sorted[count++] = &side->objects[i];
    qsort(sorted, count, sizeof *sorted, compareKeys);
    return count;
}

static void findSlowly(Life* life) {
    Object *a[objectMost], *b[objectMost];
    bool isWithin = life->sideCount == 1;
    size_t aCount = sortedLive(&life->sides[0], a), bCount = sortedLive(&life->sides[isWithin ? 0 : 1], b);
    life->now.count = 0;
    for (size_t i = 0; i < aCount; ++i) {
        for (size_t k = isWithin ? i + 1 : 0; k < bCount; ++k) {
            const grzTreeObject *x = &a[i]->now, *y = &b[k]->now;
            if (!grzBox_Overlap(x->box, y->box) || (x->category & y->mask) == 0 || (y->category & x->mask) == 0)
                continue;
            if (life->filterSalt != 0 && !saltFilter(&life->filterSalt, x->key, y->key))
                continue;
            life->now.pairs[life->now.count++] = (grzBodyPair){x->key, y->key};
        }
    }
}

// ------------------------------------------------------------------------------------------------- what is shown

static bool isIn(const PairList* list, grzBodyPair pair) {
    size_t first = 0, end = list->count;
    while (first < end) {
        size_t middle = (first + end) / 2;
        if (grzBodyPair_KeyWord(&list->pairs[middle], 0) < grzBodyPair_KeyWord(&pair, 0))
            first = middle + 1;
        else
            end = middle;
    }
    return first < list->count && list->pairs[first].a == pair.a && list->pairs[first].b == pair.b;
}

static void assertList(const grzBodyPair* pairs, size_t count, const PairList* expected) {
    assert_int_equal(count, expected->count);
    assert_true(count == 0 || memcmp(pairs, expected->pairs, count * sizeof *pairs) == 0);
}

// Those of one list that are, or are not, in the other.
static void choose(const PairList* from, const PairList* other, bool areIn, PairList* chosen) {
    chosen->count = 0;
    for (size_t i = 0; i < from->count; ++i)
        if (isIn(other, from->pairs[i]) == areIn)
            chosen->pairs[chosen->count++] = from->pairs[i];
}

static void assertRuns(const grzPairCache* cache, grzPairSelection selection, const PairList* expected) {
    grzPairRuns runs = grzPairCache_GetRuns(cache, selection);
    grzTreePairsView run;
    size_t at = 0;
    while (grzPairRuns_Next(&runs, &run)) {
        assert_true(run.count != 0 && at + run.count <= expected->count);
        assert_memory_equal(run.pairs, expected->pairs + at, run.count * sizeof *run.pairs);
        at += run.count;
    }
    assert_int_equal(at, expected->count);
    assert_true(!grzPairRuns_Next(&runs, &run) && run.count == 0);
    static grzBodyPair copy[pairMost];
    size_t count;
    assert_true(grzResult_IsOk(grzPairCache_CopyPairs(cache, selection, copy, expected->count, &count)));
    assertList(copy, count, expected);
    if (count == 0)
        return;
    grzResult result = grzPairCache_CopyPairs(cache, selection, copy, expected->count - 1, &count);
    assert_true(result.status == grz_bufferTooSmall && result.value == count && count == expected->count);
}

// The cache shows the step from `before` to `now`.
static void assertStep(const grzPairCache* cache, const PairList* before, const PairList* now) {
    static PairList list;
    assert_true(grzPairCache_Validate(cache));
    grzPairCacheView view = grzPairCache_GetView(cache);
    choose(now, before, false, &list);
    assertList(view.begun.pairs, view.begun.count, &list);
    choose(before, now, false, &list);
    assertList(view.ended.pairs, view.ended.count, &list);
    assertRuns(cache, grz_pairsNow, now);
    choose(now, before, true, &list);
    assertRuns(cache, grz_pairsPersisted, &list);
    assert_int_equal(view.count, now->count);
    assert_int_equal(view.persistedCount, list.count);
    for (size_t i = 0; i < before->count; ++i)
        assert_int_equal(grzPairCache_Has(cache, before->pairs[i]), isIn(now, before->pairs[i]));
}

// ------------------------------------------------------------------------------------------------- what happens

// Whole coordinates, so that boxes often just touch or coincide.
static grzBox randomBox(grzRng* rng) {
    float size = grzRng_Below(rng, 12) == 0 ? 14.0f : 4.0f;
    grzVec3 lower = {(float)grzRng_Below(rng, 24), (float)grzRng_Below(rng, 24), (float)grzRng_Below(rng, 12), 0};
    grzBox box = {lower, lower};
    box.upper.x += (float)grzRng_Below(rng, (uint32_t)size);
    box.upper.y += (float)grzRng_Below(rng, (uint32_t)size);
    box.upper.z += (float)grzRng_Below(rng, (uint32_t)size);
    return box;
}

static void shufflePlaces(grzRng* rng, uint32_t* places, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        places[i] = i;
    for (uint32_t i = count; i > 1; --i) {
        uint32_t other = grzRng_Below(rng, i), place = places[i - 1];
        places[i - 1] = places[other];
        places[other] = place;
    }
}

static void removeObject(Side* side, Object* object) {
    assert_true(grzResult_IsOk(grzTree_Remove(side->tree, object->id)));
    assert_true(side->removedCount < sizeof side->removed / sizeof *side->removed);
    side->removed[side->removedCount++] = object->id;
    object->isLive = object->wasMoved = false;
}

static void insertObject(Side* side, Object* object) {
    assert_true(grzResult_IsOk(grzTree_Insert(side->tree, &object->now, &object->id)));
    object->isLive = object->wasMoved = true;
}

static void moveObject(Life* life, Object* object) {
    grzBox* box = &object->now.box;
    if (grzRng_Below(&life->rng, 4) == 0) {
        *box = randomBox(&life->rng); // away to anywhere
    } else {
        grzVec3 step = {(float)grzRng_Below(&life->rng, 3) - 1, (float)grzRng_Below(&life->rng, 3) - 1, 0, 0};
        *box = (grzBox){grzAdd(box->lower, step), grzAdd(box->upper, step)};
    }
    object->wasMoved = true;
}

enum { stays, moves, goes, comes, comesAgain, comesAndGoes };

// What each object does in this frame is drawn first, then done in shuffled order.
static void changeSide(Life* life, Side* side, uint32_t moving, uint32_t coming) {
    uint32_t places[objectMost], deeds[objectMost];
    for (uint32_t i = 0; i < objectMost; ++i) {
        Object* object = &side->objects[i];
        bool isTurning = grzRng_Below(&life->rng, 256) < coming;
        deeds[i] = object->isLive && grzRng_Below(&life->rng, 256) < moving ? moves : stays;
        if (isTurning)
            deeds[i] = object->isLive ? (grzRng_Below(&life->rng, 2) == 0 ? goes : comesAgain)
                                      : (grzRng_Below(&life->rng, 4) == 0 ? comesAndGoes : comes);
        if (deeds[i] == moves)
            moveObject(life, object);
        else if (deeds[i] > goes)
            object->now.box = randomBox(&life->rng);
    }
    shufflePlaces(&life->shuffle, places, objectMost);
    for (uint32_t k = 0; k < objectMost; ++k) {
        Object* object = &side->objects[places[k]];
        uint32_t deed = deeds[places[k]];
        if (deed == goes || deed == comesAgain)
            removeObject(side, object);
        if (deed > goes)
            insertObject(side, object);
        if (deed == comesAndGoes)
            removeObject(side, object);
        if (deed == moves)
            assert_true(grzResult_IsOk(grzTree_Update(side->tree, object->id, object->now.box)));
    }
}

static void changeFrame(Life* life, int frame) {
    const uint32_t shares[] = {0, 3, 20, 128, 256};
    uint32_t moving = shares[grzRng_Below(&life->rng, 5)], coming = shares[grzRng_Below(&life->rng, 4)] / 4;
    for (int s = 0; s < life->sideCount; ++s)
        changeSide(life, &life->sides[s], frame == 0 ? 0 : moving, frame == 0 ? 128 : coming);
    if (frame % 30 == 29) { // all go
        for (int s = 0; s < life->sideCount; ++s)
            for (size_t i = 0; i < objectMost; ++i)
                if (life->sides[s].objects[i].isLive)
                    removeObject(&life->sides[s], &life->sides[s].objects[i]);
    }
    if (life->filterSalt != 0 && grzRng_Below(&life->rng, 8) == 0) { // all pairs may be others now
        life->filterSalt += 8;
        for (size_t i = 0; i < objectMost; ++i)
            life->sides[0].objects[i].wasMoved = life->sides[0].objects[i].isLive;
    }
}

// ------------------------------------------------------------------------------------------------- what is told

typedef struct Announcement {
    grzTreeId moved[2][2 * objectMost];
    grzPairUpdate update;
} Announcement;

static void announceSide(Life* life, Side* side, grzTreeId* moved, grzPairChanges* changes) {
    uint32_t places[objectMost];
    shufflePlaces(&life->shuffle, places, objectMost);
    *changes = (grzPairChanges){moved, 0, side->removed, side->removedCount};
    for (uint32_t k = 0; k < objectMost; ++k) {
        const Object* object = &side->objects[places[k]];
        // Some that did not move are told too, and some twice.
        if (!object->isLive || (!object->wasMoved && grzRng_Below(&life->shuffle, 16) != 0))
            continue;
        moved[changes->movedCount++] = object->id;
        if (grzRng_Below(&life->shuffle, 8) == 0)
            moved[changes->movedCount++] = object->id;
    }
    if (side->removedCount != 0 && grzRng_Below(&life->shuffle, 2) == 0)
        side->removed[changes->removedCount++] = side->removed[0];
}

static void announce(Life* life, Announcement* announcement) {
    announcement->update = grzDefaultPairUpdate();
    announceSide(life, &life->sides[0], announcement->moved[0], &announcement->update.inA);
    if (life->sideCount == 2)
        announceSide(life, &life->sides[1], announcement->moved[1], &announcement->update.inB);
}

static void forgetChanges(Life* life) {
    for (int s = 0; s < 2; ++s) {
        life->sides[s].removedCount = 0;
        for (size_t i = 0; i < objectMost; ++i)
            life->sides[s].objects[i].wasMoved = false;
    }
}

static grzPairQuery queryOf(Life* life) {
    grzPairQuery query = grzDefaultPairQuery();
    query.treeA = life->sides[0].tree;
    query.treeB = life->sides[1].tree;
    query.filter = life->filterSalt != 0 ? saltFilter : NULL;
    query.filterContext = &life->filterSalt;
    return query;
}

static grzResult feedWhole(Life* life) {
    grzPairQuery query = queryOf(life);
    query.order = grzRng_Below(&life->shuffle, 2) == 0 ? grz_pairsInTreeOrder : grz_pairsSorted;
    assert_true(grzResult_IsOk(grzTreePairs_Find(life->finder, life->tasks, &query)));
    return grzPairCache_UpdateAll(life->cache, grzTreePairs_GetView(life->finder));
}

static grzResult feed(Life* life, bool isWhole, const Announcement* announcement) {
    return isWhole ? feedWhole(life) : grzPairCache_Update(life->cache, life->tasks, &announcement->update);
}

// -------------------------------------------------------------------------------------------------------- lives

static void startSide(Life* life, const LifePlan* plan, int s) {
    Side* side = &life->sides[s];
    grzTreeDef def = grzDefaultTreeDef();
    def.nesting = plan->nesting;
    def.splitThreshold = plan->workerCount > 1 ? 1 : 10; // a deep tree of few objects; several ranges of blocks
    assert_true(grzResult_IsOk(grzTree_Create(&def, &side->tree)));
    for (uint32_t i = 0; i < objectMost; ++i) {
        grzTreeObject* object = &side->objects[i].now;
        *object = grzDefaultTreeObject();
        object->key = keyOf(i);
        if (plan->isFiltered) {
            object->category = UINT64_C(1) << grzRng_Below(&life->rng, 3);
            object->mask = grzRng_Below(&life->rng, 8);
        }
    }
}

static Life* startLife(const LifePlan* plan) {
    Life* life = calloc(1, sizeof *life);
    life->rng = grzRng_Make(plan->seed, 1);
    life->shuffle = grzRng_Make(plan->shuffleSeed, 2);
    life->sideCount = plan->sideCount;
    life->filterSalt = plan->filterSalt;
    life->memory.failAt = SIZE_MAX;
    for (int s = 0; s < plan->sideCount; ++s)
        startSide(life, plan, s);
    if (plan->workerCount > 1) {
        grzTasksDef tasksDef = grzDefaultTasksDef();
        tasksDef.workerCount = plan->workerCount;
        assert_true(grzResult_IsOk(grzTasks_Create(&tasksDef, &life->tasks)));
    }
    assert_true(grzResult_IsOk(grzTreePairs_Create((grzAllocator){0}, &life->finder)));
    grzPairCacheDef def = grzDefaultPairCacheDef();
    def.query = queryOf(life);
    if (plan->workerCount <= 1)
        def.allocator = testAllocator(&life->memory);
    assert_true(grzResult_IsOk(grzPairCache_Create(&def, &life->cache)));
    return life;
}

static void endLife(Life* life) {
    grzPairCache_Destroy(life->cache);
    grzTreePairs_Destroy(life->finder);
    grzTree_Destroy(life->sides[0].tree);
    grzTree_Destroy(life->sides[1].tree);
    grzTasks_Destroy(life->tasks);
    assert_int_equal(life->memory.liveCount, 0);
    free(life);
}

static void live(const LifePlan* plan) {
    Life* life = startLife(plan);
    for (int frame = 0; frame < plan->frames; ++frame) {
        changeFrame(life, frame);
        life->before = life->now;
        findSlowly(life);
        Announcement announcement;
        announce(life, &announcement);
        // The order is shuffled by life, the way to feed by the frame: some of each in a row.
        bool isWhole = grzRng_Below(&life->shuffle, 4) == 0;
        assert_true(grzResult_IsOk(feed(life, isWhole, &announcement)));
        assertStep(life->cache, &life->before, &life->now);
        forgetChanges(life);
        if (grzRng_Below(&life->rng, 40) == 0) {
            grzPairCache_Reset(life->cache);
            life->now.count = 0;
            assertStep(life->cache, &life->now, &life->now);
        }
    }
    endLife(life);
}

static void bothWaysAgreeWithAllPairsWithinATree(void** state) {
    (void)state;
    uint64_t seed = testSeed(91);
    for (int nesting = 0; nesting <= grz_nestPerNode; ++nesting) {
        LifePlan plan = {.seed = seed, .shuffleSeed = seed, .sideCount = 1, .frames = 100};
        plan.seed += (uint64_t)nesting;
        plan.nesting = (grzNesting)nesting;
        live(&plan);
    }
}

static void bothWaysAgreeWithAllPairsBetweenTrees(void** state) {
    (void)state;
    uint64_t seed = testSeed(92);
    for (uint64_t i = 0; i < 4; ++i) {
        LifePlan plan = {.seed = seed + i, .shuffleSeed = seed, .sideCount = 2, .frames = 80};
        plan.nesting = i % 2 == 0 ? grz_nestRank : grz_nestIcoseptree;
        live(&plan);
    }
}

static void filtersHold(void** state) {
    (void)state;
    uint64_t seed = testSeed(93);
    for (uint64_t i = 0; i < 6; ++i) {
        LifePlan plan = {.seed = seed + i, .shuffleSeed = seed, .nesting = grz_nestRank, .frames = 60};
        plan.sideCount = 1 + (int)(i % 2);
        plan.isFiltered = i % 3 != 1;
        plan.filterSalt = i % 3 != 0 ? 1 : 0;
        live(&plan);
    }
}

static void everySimdLevelAndOrderGivesTheSame(void** state) {
    (void)state;
    uint64_t seed = testSeed(94);
    grzSimdLevel usual = grzSimd_Level();
    for (int level = 0; level < GRZ_SIMD_LEVEL_COUNT; ++level) {
        if (!grzSimd_Supports((grzSimdLevel)level))
            continue;
        grzSimd_Force((grzSimdLevel)level);
        for (uint64_t shuffle = 0; shuffle < 2; ++shuffle) {
            LifePlan plan = {.seed = seed, .shuffleSeed = seed + shuffle, .nesting = grz_nestRank, .frames = 60};
            plan.sideCount = 1 + (int)shuffle;
            live(&plan);
        }
    }
    grzSimd_Force(usual);
}

static void everyWorkerCountGivesTheSame(void** state) {
    (void)state;
    uint64_t seed = testSeed(95);
    const uint32_t workers[] = {1, 2, 3, 8};
    for (int i = 0; i < 8; ++i) {
        LifePlan plan = {.seed = seed, .shuffleSeed = seed + (uint64_t)i, .nesting = grz_nestKd, .frames = 40};
        plan.sideCount = 1 + i / 4;
        plan.workerCount = workers[i % 4];
        live(&plan);
    }
}

// Every update is refused memory at each of its requests in turn, and leaves everything as it was.
static void refusedMemoryChangesNothing(void** state) {
    (void)state;
    uint64_t seed = testSeed(96);
    size_t refusals = 0;
    for (int sideCount = 1; sideCount <= 2; ++sideCount) {
        LifePlan plan = {.seed = seed, .shuffleSeed = seed, .nesting = grz_nestRank, .frames = 30};
        plan.sideCount = sideCount;
        Life* life = startLife(&plan);
        static PairList earlier;
        earlier.count = 0;
        for (int frame = 0; frame < plan.frames; ++frame) {
            changeFrame(life, frame);
            PairList* last = &earlier;
            Announcement announcement;
            announce(life, &announcement);
            bool isWhole = frame % 5 == 4;
            for (size_t k = 0;; ++k) {
                life->memory.failAt = life->memory.requests + k;
                grzResult result = feed(life, isWhole, &announcement);
                if (grzResult_IsOk(result))
                    break;
                assert_int_equal(result.status, grz_outOfMemory);
                assertStep(life->cache, last, &life->now);
                refusals++;
            }
            life->memory.failAt = SIZE_MAX;
            *last = life->before = life->now;
            findSlowly(life);
            assertStep(life->cache, &life->before, &life->now);
            forgetChanges(life);
        }
        endLife(life);
    }
    assert_true(refusals > 50);
}

static void refusedMemoryLeavesNothingOfACache(void** state) {
    (void)state;
    TestMemory memory = {.failAt = 0};
    grzPairCacheDef def = grzDefaultPairCacheDef();
    def.allocator = testAllocator(&memory);
    grzPairCache* cache = (grzPairCache*)&memory;
    assert_int_equal(grzPairCache_Create(&def, &cache).status, grz_outOfMemory);
    assert_null(cache);
    grzPairCache_Destroy(NULL);
}

// ---------------------------------------------------------------------------------------------------- edge cases

typedef struct Pit {
    grzTree* tree;
    grzPairCache* cache;
} Pit;

static Pit makePit(void) {
    Pit pit;
    grzTreeDef treeDef = grzDefaultTreeDef();
    assert_true(grzResult_IsOk(grzTree_Create(&treeDef, &pit.tree)));
    grzPairCacheDef def = grzDefaultPairCacheDef();
    def.query.treeA = pit.tree;
    assert_true(grzResult_IsOk(grzPairCache_Create(&def, &pit.cache)));
    return pit;
}

static void freePit(Pit* pit) {
    grzPairCache_Destroy(pit->cache);
    grzTree_Destroy(pit->tree);
}

static grzBox boxAt(float x, float size) {
    grzBox box = {{x, 0, 0, 0}, {x + size, size, size, 0}};
    return box;
}

static grzTreeId putBox(Pit* pit, uint32_t key, float x) {
    grzTreeObject object = grzDefaultTreeObject();
    object.box = boxAt(x, 1);
    object.key = key;
    grzTreeId id;
    assert_true(grzResult_IsOk(grzTree_Insert(pit->tree, &object, &id)));
    return id;
}

static grzResult tellMoved(Pit* pit, const grzTreeId* ids, size_t count) {
    grzPairUpdate update = grzDefaultPairUpdate();
    update.inA.moved = ids;
    update.inA.movedCount = count;
    return grzPairCache_Update(pit->cache, NULL, &update);
}

static grzResult tell(Pit* pit, grzTreeId moved, grzTreeId removed) {
    grzPairUpdate update = grzDefaultPairUpdate();
    update.inA = (grzPairChanges){&moved, moved.index1 != 0, &removed, removed.index1 != 0};
    return grzPairCache_Update(pit->cache, NULL, &update);
}

static void assertCounts(const Pit* pit, size_t begun, size_t ended, size_t count) {
    grzPairCacheView view = grzPairCache_GetView(pit->cache);
    assert_int_equal(view.begun.count, begun);
    assert_int_equal(view.ended.count, ended);
    assert_int_equal(view.count, count);
    assert_true(grzPairCache_Validate(pit->cache));
}

static const grzTreeId nobody = {0, 0};

static void noneAndOneHaveNoPairs(void** state) {
    (void)state;
    Pit pit = makePit();
    assertCounts(&pit, 0, 0, 0);
    assert_true(grzResult_IsOk(tell(&pit, nobody, nobody)));
    assertCounts(&pit, 0, 0, 0);
    grzTreeId id = putBox(&pit, 9, 0);
    assert_true(grzResult_IsOk(tell(&pit, id, nobody)));
    assertCounts(&pit, 0, 0, 0);
    assert_false(grzPairCache_Has(pit.cache, (grzBodyPair){9, 9}));
    assert_true(grzResult_IsOk(grzTree_Remove(pit.tree, id)));
    assert_true(grzResult_IsOk(tell(&pit, nobody, id)));
    assertCounts(&pit, 0, 0, 0);
    freePit(&pit);
}

static void theFirstUpdateFindsAllThatIsThere(void** state) {
    (void)state;
    Pit pit = makePit();
    putBox(&pit, 5, 0);
    putBox(&pit, 3, 0.5f);
    putBox(&pit, 4, 7);
    assert_true(grzResult_IsOk(tell(&pit, nobody, nobody)));
    assertCounts(&pit, 1, 0, 1);
    assert_true(grzPairCache_Has(pit.cache, (grzBodyPair){3, 5}));
    assert_false(grzPairCache_Has(pit.cache, (grzBodyPair){5, 3}));
    assert_true(grzResult_IsOk(tell(&pit, nobody, nobody)));
    assertCounts(&pit, 0, 0, 1);
    freePit(&pit);
}

static void whatIsNotToldIsRefusedWithNothingChanged(void** state) {
    (void)state;
    Pit pit = makePit();
    grzTreeId ids[4];
    for (uint32_t i = 0; i < 3; ++i)
        ids[i] = putBox(&pit, i, 0.5f * (float)i);
    assert_true(grzResult_IsOk(tellMoved(&pit, ids, 3)));
    assertCounts(&pit, 3, 0, 3);
    ids[3] = putBox(&pit, 3, 0);
    grzResult result = tell(&pit, nobody, nobody);
    assert_true(result.status == grz_badArgument && result.value == 3 && result.part == grz_noPart);
    result = tell(&pit, nobody, ids[2]); // still there
    assert_true(result.status == grz_badArgument && result.part == grz_partObject && result.index == 0);
    assert_true(grzResult_IsOk(grzTree_Remove(pit.tree, ids[2])));
    result = tellMoved(&pit, ids, 4); // one is gone
    assert_true(result.status == grz_staleHandle && result.part == grz_partObject && result.index == 2);
    assertCounts(&pit, 3, 0, 3);
    result = tell(&pit, ids[3], nobody); // one more came than went
    assert_int_equal(result.status, grz_badArgument);
    assertCounts(&pit, 3, 0, 3);
    assert_true(grzResult_IsOk(tell(&pit, ids[3], ids[2])));
    assertCounts(&pit, 2, 2, 3);
    freePit(&pit);
}

static void aPlaceTakenFromSomeoneUntoldIsRefused(void** state) {
    (void)state;
    Pit pit = makePit();
    grzTreeId ids[3];
    for (uint32_t i = 0; i < 3; ++i)
        ids[i] = putBox(&pit, i, 0.5f * (float)i);
    assert_true(grzResult_IsOk(tellMoved(&pit, ids, 3)));
    // Two go and two come in their places; one of each is told, so that the counts agree.
    assert_true(grzResult_IsOk(grzTree_Remove(pit.tree, ids[0])));
    grzTreeId first = putBox(&pit, 10, 0);
    assert_true(grzResult_IsOk(grzTree_Remove(pit.tree, ids[1])));
    putBox(&pit, 11, 0);
    assert_int_equal(first.index1, ids[0].index1);
    assert_int_equal(tell(&pit, first, ids[1]).status, grz_badArgument);
    assertCounts(&pit, 3, 0, 3);
    freePit(&pit);
}

// The counts agree, so it is not noticed; but nothing breaks, and the pairs of those that are told are right.
static void whoGoesAndComesUntoldBreaksNothing(void** state) {
    (void)state;
    Pit pit = makePit();
    grzTreeId ids[3];
    for (uint32_t i = 0; i < 3; ++i)
        ids[i] = putBox(&pit, i, 0.5f * (float)i);
    assert_true(grzResult_IsOk(tellMoved(&pit, ids, 3)));
    grzTreeId other = putBox(&pit, 5, 100);
    assert_true(grzResult_IsOk(grzTree_Remove(pit.tree, ids[0])));
    assert_true(grzResult_IsOk(tell(&pit, ids[1], nobody)));
    assertCounts(&pit, 0, 1, 2);
    assert_true(grzTree_Has(pit.tree, other));
    freePit(&pit);
}

static void aKeyMustBeUnique(void** state) {
    (void)state;
    Pit pit = makePit();
    grzTreeId ids[3] = {putBox(&pit, 7, 0), putBox(&pit, 8, 0.5f)};
    assert_true(grzResult_IsOk(tellMoved(&pit, ids, 2)));
    ids[2] = putBox(&pit, 8, 50);
    for (int i = 0; i < 2; ++i) { // also when it tries again
        grzResult result = tellMoved(&pit, ids, 3);
        assert_true(result.status == grz_badArgument && result.part == grz_partElement && result.index == 8);
        assertCounts(&pit, 2 - 1, 0, 1);
    }
    assert_true(grzResult_IsOk(grzTree_Remove(pit.tree, ids[1])));
    assert_true(grzResult_IsOk(tell(&pit, ids[2], ids[1]))); // the other one is the same to its pairs
    assertCounts(&pit, 0, 1, 0);
    freePit(&pit);
}

static void whoComesBackUnderItsKeyPersists(void** state) {
    (void)state;
    Pit pit = makePit();
    grzTreeId ids[2] = {putBox(&pit, 7, 0), putBox(&pit, 8, 0.5f)};
    assert_true(grzResult_IsOk(tellMoved(&pit, ids, 2)));
    assert_true(grzResult_IsOk(grzTree_Remove(pit.tree, ids[0])));
    grzTreeId again = putBox(&pit, 7, 0.25f);
    assert_true(grzResult_IsOk(tell(&pit, again, ids[0])));
    assertCounts(&pit, 0, 0, 1);
    assert_int_equal(grzPairCache_GetView(pit.cache).persistedCount, 1);
    freePit(&pit);
}

static void aPairThatIsGivenTwiceCountsOnce(void** state) {
    (void)state;
    grzPairCacheDef def = grzDefaultPairCacheDef();
    Pit pit = {NULL, NULL};
    assert_true(grzResult_IsOk(grzPairCache_Create(&def, &pit.cache)));
    const grzBodyPair pairs[] = {{4, 5}, {1, 9}, {4, 5}, {0, UINT32_MAX}, {1, 9}};
    assert_true(grzResult_IsOk(grzPairCache_UpdateAll(pit.cache, (grzTreePairsView){pairs, 5})));
    assertCounts(&pit, 3, 0, 3);
    assert_int_equal(tell(&pit, nobody, nobody).status, grz_badArgument); // there is no tree
    assertCounts(&pit, 3, 0, 3);
    assert_true(grzResult_IsOk(grzPairCache_UpdateAll(pit.cache, (grzTreePairsView){NULL, 0})));
    assertCounts(&pit, 0, 3, 0);
    freePit(&pit);
}

// An object with itself, a pair the wrong way round, and keys of nobody.
static void whatIsNoPairEndsWithTheNextUpdate(void** state) {
    (void)state;
    Pit pit = makePit();
    for (uint32_t i = 0; i < 4; ++i)
        putBox(&pit, i, 0);
    const grzBodyPair given[] = {{0, 1}, {1, 0}, {2, 2}, {2, 9}, {UINT32_MAX, UINT32_MAX}};
    assert_true(grzResult_IsOk(grzPairCache_UpdateAll(pit.cache, (grzTreePairsView){given, 5})));
    assertCounts(&pit, 5, 0, 5);
    assert_true(grzResult_IsOk(tell(&pit, putBox(&pit, 7, 50), nobody)));
    assertCounts(&pit, 0, 4, 1);
    assert_true(grzPairCache_Has(pit.cache, given[0]));
    assert_true(grzPairCache_Validate(pit.cache));
    freePit(&pit);
}

static void badDefsAreRefused(void** state) {
    (void)state;
    Pit pit = makePit();
    grzPairCache* cache;
    grzPairCacheDef def = grzDefaultPairCacheDef();
    def.mark++;
    assert_int_equal(grzPairCache_Create(&def, &cache).status, grz_badDef);
    assert_int_equal(grzPairCache_Create(NULL, &cache).status, grz_badDef);
    def = grzDefaultPairCacheDef();
    def.allocator.allocate = grzDefaultAllocator().allocate;
    assert_int_equal(grzPairCache_Create(&def, &cache).status, grz_badArgument);
    def = grzDefaultPairCacheDef();
    def.query.treeB = pit.tree;
    assert_int_equal(grzPairCache_Create(&def, &cache).status, grz_badArgument);
    def.query.treeA = pit.tree;
    assert_int_equal(grzPairCache_Create(&def, &cache).status, grz_badArgument);
    assert_null(cache);
    grzPairUpdate update = grzDefaultPairUpdate();
    update.inB.movedCount = 1; // of a tree that is not there
    grzResult result = grzPairCache_Update(pit.cache, NULL, &update);
    assert_int_equal(result.status, grz_badArgument);
    assert_string_equal(result.reason, "the cache has no treeB for what is in inB");
    freePit(&pit);
}

// Many pairs a mover, so that lists of every length are met, and the parts of the set overflow.
static void aCrowdInOnePlaceMeetsItself(void** state) {
    (void)state;
    enum { crowd = 100 };
    Pit pit = makePit();
    grzTreeId ids[crowd];
    for (uint32_t i = 0; i < crowd; ++i) {
        ids[i] = putBox(&pit, (i * 7) % crowd, 0);
        assert_true(grzResult_IsOk(tell(&pit, ids[i], nobody)));
        assertCounts(&pit, i, 0, (size_t)i * (i + 1) / 2);
    }
    for (uint32_t i = 0; i < crowd; i += 2) {
        assert_true(grzResult_IsOk(grzTree_Update(pit.tree, ids[i], boxAt(50, 1))));
        assert_true(grzResult_IsOk(tell(&pit, ids[i], nobody)));
        size_t away = i / 2, here = crowd - 1 - away;
        assertCounts(&pit, away, here, here * (here - 1) / 2 + (away + 1) * away / 2);
    }
    assert_true(grzPairCache_MemoryBytes(pit.cache) > 1000);
    freePit(&pit);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bothWaysAgreeWithAllPairsWithinATree),
        cmocka_unit_test(bothWaysAgreeWithAllPairsBetweenTrees),
        cmocka_unit_test(filtersHold),
        cmocka_unit_test(everySimdLevelAndOrderGivesTheSame),
        cmocka_unit_test(everyWorkerCountGivesTheSame),
        cmocka_unit_test(refusedMemoryChangesNothing),
        cmocka_unit_test(refusedMemoryLeavesNothingOfACache),
        cmocka_unit_test(noneAndOneHaveNoPairs),
        cmocka_unit_test(theFirstUpdateFindsAllThatIsThere),
        cmocka_unit_test(whatIsNotToldIsRefusedWithNothingChanged),
        cmocka_unit_test(aPlaceTakenFromSomeoneUntoldIsRefused),
        cmocka_unit_test(whoGoesAndComesUntoldBreaksNothing),
        cmocka_unit_test(aKeyMustBeUnique),
        cmocka_unit_test(whoComesBackUnderItsKeyPersists),
        cmocka_unit_test(aPairThatIsGivenTwiceCountsOnce),
        cmocka_unit_test(whatIsNoPairEndsWithTheNextUpdate),
        cmocka_unit_test(badDefsAreRefused),
        cmocka_unit_test(aCrowdInOnePlaceMeetsItself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
