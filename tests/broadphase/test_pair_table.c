// graze/stage/pair_table.h: random lives beside a slow list of pairs, with every kind of update, taken back, laid out again and
// refused, by 1, 2, 3 and 8 workers; sizes at the edges of blocks; rows that stay near each other; refused memory.
#include "testing.h"

#include "graze/stage/pair_table.h"
#include "rng.h"

enum { objectMost = 40, pairMost = 5000, rowMost = 4 * pairMost };

static grzTasks* g_tasks[4]; // 1, 2, 3 and 8 workers

static int startTasks(void** state) {
    (void)state;
    static const uint32_t workers[4] = {1, 2, 3, 8};
    for (int i = 0; i < 4; ++i) {
        grzTasksDef def = grzDefaultTasksDef();
        def.workerCount = workers[i];
        assert_true(grzResult_IsOk(grzTasks_Create(&def, &g_tasks[i])));
    }
    return 0;
}

static int stopTasks(void** state) {
    (void)state;
    for (int i = 0; i < 4; ++i)
        grzTasks_Destroy(g_tasks[i]);
    return 0;
}

static grzPairTable* makeTable(TestMemory* memory) {
    grzPairTableDef def = grzDefaultPairTableDef();
    if (memory != NULL)
        def.allocator = testAllocator(memory);
    grzPairTable* table;
    assert_true(grzResult_IsOk(grzPairTable_Create(&def, &table)));
    assert_true(grzPairTable_Validate(table));
    return table;
}

// ------------------------------------------------------------------------------------------------- the slow table

// A pair, and the number of its birth, which stands in the host's data at its row too.
typedef struct Entry {
    grzBodyPair pair;
    uint32_t row;
    uint32_t birth;
} Entry;

typedef struct EntryList {
    Entry entries[pairMost];
    size_t count;
} EntryList;

typedef struct PairList {
    grzBodyPair pairs[pairMost];
    size_t count;
} PairList;

typedef struct Life {
    grzPairTable* table;
    grzTasks* tasks;
    TestMemory memory;
    EntryList all, ended;   // ended: in the last update
    uint32_t data[rowMost]; // of the host, by row
    uint32_t births;
    uint64_t digest; // of all that was seen
    size_t peak;     // of the pairs of two updates together
    // As they were before the last update.
    EntryList allBefore, endedBefore;
    bool canTakeBack;
} Life;

static bool isBefore(grzBodyPair x, grzBodyPair y) {
    return x.a != y.a ? x.a < y.a : x.b < y.b;
}

static bool isSame(grzBodyPair x, grzBodyPair y) {
    return x.a == y.a && x.b == y.b;
}

static Entry* entryOf(EntryList* list, grzBodyPair pair) {
    for (size_t i = 0; i < list->count; ++i)
        if (isSame(list->entries[i].pair, pair))
            return &list->entries[i];
    return NULL;
}

static bool isIn(const uint32_t* numbers, size_t count, grzBodyPair pair) {
    for (size_t i = 0; i < count; ++i)
        if (numbers[i] == pair.a || numbers[i] == pair.b)
            return true;
    return false;
}

static const Entry* holderOf(const EntryList* list, uint32_t row) {
    for (size_t i = 0; i < list->count; ++i)
        if (list->entries[i].row == row)
            return &list->entries[i];
    return NULL;
}

static int compareEntries(const void* x, const void* y) {
    const Entry *a = x, *b = y;
    return isBefore(a->pair, b->pair) ? -1 : isBefore(b->pair, a->pair);
}

static void note(Life* life, const void* bytes, size_t size) {
    for (size_t i = 0; i < size; ++i)
        life->digest = (life->digest ^ ((const unsigned char*)bytes)[i]) * UINT64_C(0x100000001B3);
}

// The table holds what the slow one does: the pairs, their rows, and the host's data there.
static void assertSame(Life* life) {
    static grzBodyPair pairs[pairMost];
    static uint32_t rows[pairMost];
    EntryList* all = &life->all;
    qsort(all->entries, all->count, sizeof *all->entries, compareEntries);
    assert_true(grzPairTable_Validate(life->table));
    size_t count;
    assert_true(grzResult_IsOk(grzPairTable_CopyPairs(life->table, pairs, rows, all->count, &count)));
    assert_int_equal(count, all->count);
    for (size_t i = 0; i < count; ++i) {
        assert_true(isSame(pairs[i], all->entries[i].pair));
        assert_int_equal(rows[i], all->entries[i].row);
        assert_int_equal(life->data[rows[i]], all->entries[i].birth);
    }
    if (count != 0) {
        const grzResult result = grzPairTable_CopyPairs(life->table, pairs, rows, count - 1, &count);
        assert_true(result.status == grz_bufferTooSmall && result.value == all->count && count == all->count);
    }
    const grzPairTableStats stats = grzPairTable_GetStats(life->table);
    assert_int_equal(stats.pairCount, all->count);
    assert_int_equal(stats.restingCount, all->count - grzPairTable_GetView(life->table).count);
    assert_true(stats.rowCount <= 2 * life->peak + 64);
    note(life, rows, all->count * sizeof *rows);
    note(life, &stats, sizeof stats);
}

static void assertEnded(const Life* life) {
    const grzPairTableView view = grzPairTable_GetView(life->table);
    assert_int_equal(view.endedCount, life->ended.count);
    for (size_t i = 0; i < view.endedCount; ++i) {
        assert_true(isSame(view.ended[i].pair, life->ended.entries[i].pair));
        assert_int_equal(view.ended[i].row, life->ended.entries[i].row);
        assert_int_equal(life->data[view.ended[i].row], life->ended.entries[i].birth); // its data is still there
    }
}

// The listed pairs become those of `now`; whatever else had an object that moved or left ends.
static void followUpdate(Life* life, const grzPairTableUpdate* update) {
    static EntryList now;
    const grzPairTableView view = grzPairTable_GetView(life->table);
    EntryList* before = &life->all;
    life->allBefore = life->all, life->endedBefore = life->ended;
    now.count = 0;
    life->ended.count = 0;
    assert_int_equal(view.count, update->pairCount);
    size_t begun = 0;
    for (size_t i = 0; i < view.count; ++i) {
        const grzBodyPair pair = update->pairs[i];
        assert_true(isSame(view.pairs[i], pair));
        Entry* old = entryOf(before, pair);
        if (old != NULL && !isIn(update->removed, update->removedCount, pair)) {
            assert_int_equal(view.rows[i], old->row);
            now.entries[now.count++] = *old;
            continue;
        }
        // Nobody's row, and not that of a pair that ended just now or in the update before.
        assert_true(begun < view.begunCount && view.begun[begun++] == i);
        assert_true(view.rows[i] < rowMost && holderOf(before, view.rows[i]) == NULL &&
                    holderOf(&life->endedBefore, view.rows[i]) == NULL && holderOf(&now, view.rows[i]) == NULL);
        now.entries[now.count++] = (Entry){pair, view.rows[i], ++life->births};
    }
    assert_int_equal(begun, view.begunCount);
    for (size_t i = 0; i < before->count; ++i) {
        const Entry* old = &before->entries[i];
        const Entry* same = entryOf(&now, old->pair);
        if (same != NULL && same->birth == old->birth)
            continue;
        if (update->isAll || isIn(update->moved, update->movedCount, old->pair) ||
            isIn(update->removed, update->removedCount, old->pair))
            life->ended.entries[life->ended.count++] = *old;
        else
            now.entries[now.count++] = *old;
    }
    life->all = now;
    life->peak = before->count + now.count > life->peak ? before->count + now.count : life->peak;
    for (size_t i = 0; i < now.count; ++i)
        life->data[now.entries[i].row] = now.entries[i].birth;
    assertEnded(life);
    assertSame(life);
    note(life, view.begun, view.begunCount * sizeof *view.begun);
    note(life, view.ended, view.endedCount * sizeof *view.ended);
    life->canTakeBack = true;
}

static void update(Life* life, const grzPairTableUpdate* what) {
    assert_true(grzResult_IsOk(grzPairTable_Update(life->table, life->tasks, what)));
    followUpdate(life, what);
}

static void takeBack(Life* life) {
    assert_int_equal(grzPairTable_TakeBack(life->table), life->canTakeBack);
    if (life->canTakeBack) {
        life->all = life->allBefore;
        life->ended = life->endedBefore;
    }
    life->canTakeBack = false;
    assertEnded(life);
    assertSame(life);
    assert_false(grzPairTable_TakeBack(life->table));
}

static void moveRows(EntryList* list, const uint32_t* newRows) {
    for (size_t i = 0; i < list->count; ++i)
        list->entries[i].row = newRows[list->entries[i].row];
}

static void layOut(Life* life) {
    static uint32_t newRows[rowMost], data[rowMost];
    const size_t rows = grzPairTable_GetStats(life->table).rowCount;
    if (rows != 0)
        assert_int_equal(grzPairTable_Relayout(life->table, newRows, rows - 1).value, rows);
    assert_true(grzResult_IsOk(grzPairTable_Relayout(life->table, newRows, rows)));
    const size_t rowsNow = grzPairTable_GetStats(life->table).rowCount;
    for (size_t i = 0; i < rows; ++i)
        if (newRows[i] != GRZ_NO_ROW) {
            assert_true(newRows[i] < rowsNow);
            data[newRows[i]] = life->data[i];
        }
    memcpy(life->data, data, rowsNow * sizeof *data);
    moveRows(&life->all, newRows);
    moveRows(&life->ended, newRows);
    life->canTakeBack = false;
    assertEnded(life);
    assertSame(life);
    // Listed pairs lie in order, seven in eight rows; then those that rest, in order.
    const grzPairTableView view = grzPairTable_GetView(life->table);
    for (size_t i = 0; i < view.count; ++i)
        assert_int_equal(view.rows[i], i + i / 7);
    assert_int_equal(rowsNow, life->all.count + view.count / 7 + life->ended.count);
    assert_int_equal(grzPairTable_GetStats(life->table).scatteredCount, 0);
    const Entry* last = NULL;
    for (size_t i = 0; i < life->all.count; ++i)
        if (life->all.entries[i].row >= view.count + view.count / 7) {
            assert_true(last == NULL || last->row + 1 == life->all.entries[i].row);
            last = &life->all.entries[i];
        }
}

// ----------------------------------------------------------------------------------------------------- random lives

// Which pairs are there in truth; objects are 3 i + 1.
typedef struct Truth {
    bool isLive[objectMost];
    bool overlaps[objectMost][objectMost];
} Truth;

static uint32_t numberOf(uint32_t object) {
    return 3 * object + 1;
}

static void mixObject(Truth* truth, grzRng* rng, uint32_t object) {
    for (uint32_t other = 0; other < objectMost; ++other)
        if (grzRng_Below(rng, 3) == 0)
            truth->overlaps[object][other] = truth->overlaps[other][object] =
                other != object && truth->isLive[other] && truth->isLive[object] && grzRng_Below(rng, 4) == 0;
}

static void killObject(Truth* truth, uint32_t object) {
    truth->isLive[object] = false;
    for (uint32_t other = 0; other < objectMost; ++other)
        truth->overlaps[object][other] = truth->overlaps[other][object] = false;
}

static void listPairs(const Truth* truth, const bool* hasMoved, PairList* list) {
    list->count = 0;
    for (uint32_t a = 0; a < objectMost; ++a)
        for (uint32_t b = a + 1; b < objectMost; ++b)
            if (truth->overlaps[a][b] && (hasMoved[a] || hasMoved[b]))
                list->pairs[list->count++] = (grzBodyPair){numberOf(a), numberOf(b)};
}

static void assertRefused(Life* life, const grzPairTableUpdate* what, grzStatus status, size_t place) {
    const grzResult result = grzPairTable_Update(life->table, life->tasks, what);
    assert_int_equal(result.status, status);
    if (status == grz_badArgument)
        assert_int_equal(result.index, place);
    life->canTakeBack = false;
    assertEnded(life);
    assertSame(life);
}

// The same update with a defect, or without memory, does nothing.
static void spoil(Life* life, const grzPairTableUpdate* what, grzRng* rng) {
    static PairList spoilt;
    grzPairTableUpdate bad = *what;
    bad.pairs = spoilt.pairs;
    if (what->pairCount != 0) {
        const size_t place = grzRng_Below(rng, (uint32_t)what->pairCount);
        memcpy(spoilt.pairs, what->pairs, what->pairCount * sizeof *what->pairs);
        const grzBodyPair pair = spoilt.pairs[place];
        spoilt.pairs[place] = (grzBodyPair){pair.b, pair.a};
        assertRefused(life, &bad, grz_badArgument, place);
        spoilt.pairs[place] = (grzBodyPair){pair.a, pair.a};
        assertRefused(life, &bad, grz_badArgument, place);
        spoilt.pairs[place] = (grzBodyPair){UINT32_MAX, UINT32_MAX};
        assertRefused(life, &bad, grz_badArgument, place);
        spoilt.pairs[place] = pair;
        if (place != 0) {
            spoilt.pairs[place] = spoilt.pairs[place - 1];
            assertRefused(life, &bad, grz_badArgument, place);
        }
    }
    if (!what->isAll && what->pairCount == 0) {
        spoilt.pairs[0] = (grzBodyPair){3 * objectMost + 1, 3 * objectMost + 2}; // these two never moved
        bad.pairCount = 1;
        assertRefused(life, &bad, grz_badArgument, 0);
    }
    life->memory.failAt = life->memory.requests;
    const grzResult result = grzPairTable_Update(life->table, life->tasks, what);
    life->memory.failAt = SIZE_MAX;
    if (grzResult_IsOk(result)) {
        followUpdate(life, what);
        takeBack(life);
    } else {
        assert_int_equal(result.status, grz_outOfMemory);
        life->canTakeBack = false;
        assertEnded(life);
        assertSame(life);
    }
}

// Some pairs more, as if the last update had listed them.
static void insertSome(Life* life, Truth* truth, grzRng* rng) {
    static PairList list;
    const size_t listed = grzPairTable_GetView(life->table).count;
    list.count = 0;
    for (uint32_t a = 0; a < objectMost; ++a)
        for (uint32_t b = a + 1; b < objectMost; ++b) {
            const grzBodyPair pair = {numberOf(a), numberOf(b)};
            if (!truth->isLive[a] || !truth->isLive[b] || grzRng_Below(rng, 40) != 0 ||
                entryOf(&life->all, pair) != NULL)
                continue;
            truth->overlaps[a][b] = truth->overlaps[b][a] = true;
            list.pairs[list.count++] = pair;
        }
    life->memory.failAt = life->memory.requests;
    const grzResult refused = grzPairTable_Reserve(life->table, pairMost, 4 * objectMost);
    assert_int_equal(refused.status, grz_outOfMemory);
    life->memory.failAt = SIZE_MAX;
    assertSame(life);
    assert_true(grzResult_IsOk(grzPairTable_Reserve(life->table, list.count, 3 * objectMost + 1)));
    const size_t requests = life->memory.requests;
    grzPairTable_Insert(life->table, list.pairs, list.count);
    assert_int_equal(life->memory.requests, requests);
    const grzPairTableView view = grzPairTable_GetView(life->table);
    assert_int_equal(view.count, listed + list.count);
    for (size_t i = 0, begun = 0, next = 0; i < view.count; ++i) {
        assert_true(i == 0 || isBefore(view.pairs[i - 1], view.pairs[i]));
        const bool isNew = next < list.count && isSame(view.pairs[i], list.pairs[next]);
        const bool begins = begun < view.begunCount && view.begun[begun] == i;
        begun += begins;
        if (!isNew)
            continue;
        assert_true(begins && holderOf(&life->all, view.rows[i]) == NULL &&
                    holderOf(&life->ended, view.rows[i]) == NULL);
        life->all.entries[life->all.count++] = (Entry){list.pairs[next++], view.rows[i], ++life->births};
        life->data[view.rows[i]] = life->births;
        assert_true(i + 1 < view.count || (begun == view.begunCount && next == list.count));
    }
    life->peak += list.count;
    life->canTakeBack = false;
    assertEnded(life);
    assertSame(life);
    note(life, view.begun, view.begunCount * sizeof *view.begun);
}

static uint32_t drawStep(Life* life, Truth* truth, grzRng* rng) {
    static PairList list;
    uint32_t moved[2 * objectMost], removed[2 * objectMost];
    bool hasMoved[objectMost];
    const uint32_t liveliness = grzRng_Below(rng, 5); // 0: nobody moves; 4: all
    grzPairTableUpdate what = grzDefaultPairTableUpdate();
    what.moved = moved, what.removed = removed, what.pairs = list.pairs;
    what.isAll = liveliness == 4 && grzRng_Below(rng, 2) == 0;
    for (uint32_t i = 0; i < objectMost; ++i) {
        hasMoved[i] = grzRng_Below(rng, 4) < liveliness;
        if (truth->isLive[i] && grzRng_Below(rng, 15) == 0) {
            removed[what.removedCount++] = numberOf(i);
            if (grzRng_Below(rng, 5) == 0)
                removed[what.removedCount++] = numberOf(i);
            static Truth before;
            before = *truth;
            killObject(truth, i);
            hasMoved[i] = grzRng_Below(rng, 2) == 0;
            truth->isLive[i] = hasMoved[i];
            if (hasMoved[i] && grzRng_Below(rng, 2) == 0) // a new owner with the same pairs
                for (uint32_t k = 0; k < objectMost; ++k)
                    truth->overlaps[i][k] = truth->overlaps[k][i] = before.overlaps[i][k];
        } else if (!truth->isLive[i]) {
            truth->isLive[i] = hasMoved[i];
        }
    }
    for (uint32_t i = 0; i < objectMost; ++i) {
        if (!hasMoved[i] && !what.isAll)
            continue;
        hasMoved[i] = true;
        moved[what.movedCount++] = numberOf(i);
        if (grzRng_Below(rng, 5) == 0)
            moved[what.movedCount++] = numberOf(i); // a number may occur twice
        mixObject(truth, rng, i);
    }
    listPairs(truth, hasMoved, &list);
    what.pairCount = list.count;
    if (grzRng_Below(rng, 4) == 0)
        spoil(life, &what, rng);
    update(life, &what);
    if (grzRng_Below(rng, 4) == 0)
        insertSome(life, truth, rng);
    if (grzRng_Below(rng, 4) == 0) { // and once more after it was taken back
        takeBack(life);
        if (grzRng_Below(rng, 3) == 0)
            layOut(life);
        update(life, &what);
    }
    if (grzRng_Below(rng, 10) == 0)
        layOut(life);
    return liveliness;
}

static uint64_t live(uint64_t seed, grzTasks* tasks, int steps) {
    static Life life;
    static Truth truth;
    memset(&life, 0, sizeof life);
    memset(&truth, 0, sizeof truth);
    life.memory.failAt = SIZE_MAX;
    life.table = makeTable(&life.memory);
    life.tasks = tasks;
    grzRng rng = grzRng_Make(seed, 0);
    size_t seen[5] = {0};
    for (int i = 0; i < steps; ++i)
        ++seen[drawStep(&life, &truth, &rng)];
    for (int i = 0; i < 5; ++i)
        assert_true(seen[i] != 0);
    assert_true(life.births > (uint32_t)steps && life.peak > 50);
    assert_int_equal(grzPairTable_MemorySize(life.table), life.memory.liveBytes);
    grzPairTable_Destroy(life.table);
    assert_int_equal(life.memory.liveCount, 0);
    return life.digest;
}

static void livesAreThoseOfTheSlowTable(void** state) {
    (void)state;
    const uint64_t seed = testSeed(4401);
    for (uint64_t i = 0; i < 12; ++i) {
        const uint64_t digest = live(seed + i, NULL, 150);
        assert_true(digest == live(seed + i, g_tasks[i % 4], 150));
    }
}

// ------------------------------------------------------------------------------------------------ edges of blocks

// `count` pairs of objects from `first` on, each with a few of the next ones.
static void chainPairs(PairList* list, uint32_t first, size_t count) {
    list->count = 0;
    for (uint32_t a = first; list->count < count; ++a)
        for (uint32_t b = a + 1; b < a + 4 && list->count < count; ++b)
            list->pairs[list->count++] = (grzBodyPair){a, b};
}

static void dropPair(PairList* list, size_t place) {
    memmove(&list->pairs[place], &list->pairs[place + 1], (list->count - place - 1) * sizeof *list->pairs);
    --list->count;
}

static void sizesAtTheEdgesOfBlocks(void** state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 63, 64, 65, 127, 128, 255, 256, 257, 511, 512, 513, 1025, 2049};
    static Life life;
    static PairList list;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        const size_t size = sizes[s];
        memset(&life, 0, sizeof life);
        life.memory.failAt = SIZE_MAX;
        life.table = makeTable(&life.memory);
        life.tasks = g_tasks[s % 4];
        grzPairTableUpdate what = {.pairs = list.pairs, .isAll = true};
        chainPairs(&list, 7, size);
        what.pairCount = list.count;
        update(&life, &what);
        update(&life, &what);
        // Without a pair at either side of an edge; with them again; others in front; none; all.
        const size_t places[] = {0, 62, 63, 64, 254, 255, 256, 512, size / 2, size - 1};
        for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
            if (size == 0 || places[i] >= size)
                continue;
            dropPair(&list, places[i]);
            what.pairCount = list.count;
            update(&life, &what);
            chainPairs(&list, 7, size);
            what.pairCount = list.count;
            update(&life, &what);
        }
        chainPairs(&list, 0, size);
        what.pairCount = list.count;
        update(&life, &what);
        takeBack(&life);
        layOut(&life);
        what.isAll = false; // all rest
        what.pairCount = 0;
        update(&life, &what);
        layOut(&life);
        what.isAll = true; // all are there again, which is not a beginning
        chainPairs(&list, 7, size);
        what.pairCount = list.count;
        update(&life, &what);
        assert_int_equal(grzPairTable_GetView(life.table).begunCount, 0);
        what.pairCount = 0;
        update(&life, &what);
        assert_int_equal(grzPairTable_GetView(life.table).endedCount, size);
        update(&life, &what);
        grzPairTable_Destroy(life.table);
        assert_int_equal(life.memory.liveCount, 0);
    }
}

// ------------------------------------------------------------------------------------------------------------ rows

static size_t countJumps(const grzPairTable* table) {
    const grzPairTableView view = grzPairTable_GetView(table);
    size_t jumps = 0;
    for (size_t i = 1; i < view.count; ++i) {
        const int64_t step = (int64_t)view.rows[i] - (int64_t)view.rows[i - 1];
        jumps += step < -192 || step > 192;
    }
    return jumps;
}

// One pair in fifty is another one in each update: after a layout there are free rows near by.
static void rowsStayNearTheirNeighbours(void** state) {
    (void)state;
    enum { objects = 2000, span = 4 };
    static bool isThere[objects][span];
    static PairList list;
    static uint32_t newRows[rowMost];
    grzRng rng = grzRng_Make(testSeed(4402), 0);
    grzPairTable* table = makeTable(NULL);
    for (int round = 0; round < 100; ++round) {
        list.count = 0;
        for (uint32_t a = 0; a < objects; ++a)
            for (uint32_t k = 0; k < span; ++k) {
                if (round == 0)
                    isThere[a][k] = k % 2 == 0;
                else if (grzRng_Below(&rng, 50) == 0)
                    isThere[a][k] = !isThere[a][k];
                if (isThere[a][k])
                    list.pairs[list.count++] = (grzBodyPair){a, a + 1 + k};
            }
        grzPairTableUpdate what = {.pairs = list.pairs, .pairCount = list.count, .isAll = true};
        assert_true(grzResult_IsOk(grzPairTable_Update(table, NULL, &what)));
        if (round == 1)
            assert_true(grzResult_IsOk(grzPairTable_Relayout(table, newRows, rowMost)));
        const grzPairTableStats stats = grzPairTable_GetStats(table);
        assert_true(stats.rowCount < list.count + list.count / 4);
        assert_true(countJumps(table) <= 2 * stats.scatteredCount);
        assert_true(round < 1 || stats.scatteredCount < list.count / 20);
    }
    grzPairTable_Destroy(table);
}

// ------------------------------------------------------------------------------------------------------------ memory

static void nothingIsAllocatedAfterWarmUp(void** state) {
    (void)state;
    static PairList lists[3];
    static uint32_t moved[200];
    TestMemory memory = {.failAt = SIZE_MAX};
    grzPairTable* table = makeTable(&memory);
    chainPairs(&lists[0], 1, 3000);
    chainPairs(&lists[1], 2, 3000);
    chainPairs(&lists[2], 1, 3 * 200 - 6); // of the objects that move, with each other
    for (uint32_t i = 0; i < 200; ++i)
        moved[i] = i;
    size_t requests = 0;
    for (int round = 0; round < 20; ++round) {
        if (round == 8)
            requests = memory.requests;
        for (int k = 0; k < 3; ++k) {
            grzPairTableUpdate what = {.pairs = lists[k].pairs, .pairCount = lists[k].count, .isAll = k < 2};
            what.moved = moved, what.movedCount = k < 2 ? 0 : 200;
            assert_true(grzResult_IsOk(grzPairTable_Update(table, NULL, &what)));
        }
    }
    assert_true(requests != 0 && memory.requests == requests);
    grzPairTable_Destroy(table);
    assert_int_equal(memory.liveCount, 0);
}

static void defsAndTablesAreChecked(void** state) {
    (void)state;
    grzPairTable* table;
    grzPairTableDef def = grzDefaultPairTableDef();
    assert_int_equal(grzPairTable_Create(NULL, &table).status, grz_badDef);
    assert_null(table);
    def.allocator.allocate = grzDefaultAllocator().allocate;
    assert_int_equal(grzPairTable_Create(&def, &table).status, grz_badArgument);
    def = grzDefaultPairTableDef();
    def.mark = 0;
    assert_int_equal(grzPairTable_Create(&def, &table).status, grz_badDef);
    TestMemory memory = {.failAt = 0};
    def = grzDefaultPairTableDef();
    def.allocator = testAllocator(&memory);
    assert_int_equal(grzPairTable_Create(&def, &table).status, grz_outOfMemory);
    grzPairTable_Destroy(NULL);
    table = makeTable(NULL);
    assert_false(grzPairTable_TakeBack(table));
    grzPairTableUpdate what = grzDefaultPairTableUpdate();
    what.pairCount = (size_t)INT32_MAX + 1;
    assert_int_equal(grzPairTable_Update(table, NULL, &what).status, grz_tooLarge);
    grzPairTable_Destroy(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(livesAreThoseOfTheSlowTable), cmocka_unit_test(sizesAtTheEdgesOfBlocks),
        cmocka_unit_test(rowsStayNearTheirNeighbours), cmocka_unit_test(nothingIsAllocatedAfterWarmUp),
        cmocka_unit_test(defsAndTablesAreChecked),
    };
    return cmocka_run_group_tests_name("pair table", tests, startTasks, stopTasks);
}
