// pair_set.h: random changes against a sorted array, chunks that overflow and thin out, and refused memory.
#include "testing.h"

#include "memory.h"
#include "pair_set.h"
#include "rng.h"

enum { keyLimit = 1 << 14 };

// The slow set: which of the keys 0 .. keyLimit - 1 (spread over both halves) are in it.
typedef struct SlowSet {
    bool has[keyLimit];
} SlowSet;

static uint64_t spreadKey(uint32_t number) {
    return grzSortKeyFromPair(number >> 7, (number & 127) * 0x02000001u);
}

static void appendKey(PairKeys* keys, uint64_t key) {
    grzAllocator allocator = grzDefaultAllocator();
    assert_true(grzArray_Reserve(keys, &allocator, keys->count + 1));
    keys->data[keys->count++] = key;
}

static void releaseKeys(PairKeys* keys) {
    grzAllocator allocator = grzDefaultAllocator();
    grzArray_Release(keys, &allocator);
}

static void assertSame(const PairSet* set, const SlowSet* slow) {
    assert_true(grzPairSet_Validate(set));
    size_t entry = 0;
    uint32_t place = 0;
    for (uint32_t number = 0; number < keyLimit; ++number) {
        assert_int_equal(grzPairSet_Has(set, spreadKey(number)), slow->has[number]);
        if (!slow->has[number])
            continue;
        assert_true(entry < set->directory.count);
        const PairChunkEntry* e = &set->directory.data[entry];
        assert_true(pairKey(set->chunks.data[e->chunk].pairs[place]) == spreadKey(number));
        if (++place == e->count)
            place = 0, ++entry;
    }
    assert_int_equal(entry, set->directory.count);
}

// Turns the slow set's numbers in [first, end) over with a chance of `share` in 256, and lists what changed.
static void change(grzRng* rng, SlowSet* slow, uint32_t first, uint32_t end, uint32_t share, PairKeys* removed,
                   PairKeys* inserted) {
    removed->count = inserted->count = 0;
    for (uint32_t number = first; number < end; ++number) {
        if (grzRng_Below(rng, 256) >= share)
            continue;
        appendKey(slow->has[number] ? removed : inserted, spreadKey(number));
        slow->has[number] = !slow->has[number];
    }
}

static void randomChangesAgreeWithASortedArray(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(71), 0);
    TestMemory memory = {.failAt = SIZE_MAX};
    grzAllocator allocator = testAllocator(&memory);
    PairSet set;
    grzPairSet_Create(&set, &allocator);
    SlowSet* slow = calloc(1, sizeof *slow);
    PairKeys removed = {0}, inserted = {0};
    assert_true(grzPairSet_Apply(&set, &removed, &inserted)); // nothing, to nothing
    for (int step = 0; step < 120; ++step) {
        const uint32_t shares[] = {1, 4, 30, 128, 256};
        uint32_t a = grzRng_Below(&rng, keyLimit), b = grzRng_Below(&rng, keyLimit);
        bool isAll = grzRng_Below(&rng, 3) == 0;
        change(&rng, slow,
               isAll   ? 0
               : a < b ? a
                       : b,
               isAll   ? keyLimit
               : a < b ? b
                       : a,
               shares[grzRng_Below(&rng, 5)], &removed, &inserted);
        assert_true(grzPairSet_Apply(&set, &removed, &inserted));
        assertSame(&set, slow);
    }
    grzPairSet_Clear(&set);
    memset(slow, 0, sizeof *slow);
    assertSame(&set, slow);
    change(&rng, slow, 0, keyLimit, 40, &removed, &inserted);
    assert_true(grzPairSet_Apply(&set, &removed, &inserted));
    assertSame(&set, slow);
    grzPairSet_Destroy(&set);
    assert_int_equal(memory.liveCount, 0);
    releaseKeys(&removed);
    releaseKeys(&inserted);
    free(slow);
}

static void neighbouringChunksAreNotBothThin(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(72), 0);
    grzAllocator allocator = grzDefaultAllocator();
    PairSet set;
    grzPairSet_Create(&set, &allocator);
    SlowSet* slow = calloc(1, sizeof *slow);
    PairKeys removed = {0}, inserted = {0};
    change(&rng, slow, 0, keyLimit, 256, &removed, &inserted);
    assert_true(grzPairSet_Apply(&set, &removed, &inserted));
    size_t most = set.directory.count;
    while (set.count > 0) { // a quarter of what is left goes, until all went
        removed.count = inserted.count = 0;
        for (uint32_t number = 0; number < keyLimit; ++number) {
            if (!slow->has[number] || (set.count > 8 && grzRng_Below(&rng, 4) != 0))
                continue;
            appendKey(&removed, spreadKey(number));
            slow->has[number] = false;
        }
        assert_true(grzPairSet_Apply(&set, &removed, &inserted));
        assertSame(&set, slow);
        for (size_t i = 1; i < set.directory.count; ++i)
            assert_true(set.directory.data[i - 1].count + set.directory.data[i].count > pairChunkMerged);
    }
    assert_int_equal(set.directory.count, 0);
    assert_int_equal(set.freeChunks.count, set.chunks.count);
    assert_true(set.chunks.count <= most + 1); // nothing was taken while it shrank
    grzPairSet_Destroy(&set);
    releaseKeys(&removed);
    releaseKeys(&inserted);
    free(slow);
}

static void compareTellsTheDifference(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(73), 0);
    grzAllocator allocator = grzDefaultAllocator();
    PairSet set;
    grzPairSet_Create(&set, &allocator);
    SlowSet* slow = calloc(1, sizeof *slow);
    PairKeys removed = {0}, inserted = {0}, wanted = {0};
    for (int step = 0; step < 30; ++step) {
        change(&rng, slow, 0, keyLimit, step % 7 == 6 ? 256 : grzRng_Below(&rng, 100), &removed, &inserted);
        wanted.count = 0;
        for (uint32_t number = 0; number < keyLimit; ++number)
            if (slow->has[number])
                appendKey(&wanted, spreadKey(number));
        PairKeys gone = {0}, come = {0};
        assert_true(grzPairSet_Compare(&set, &wanted, &gone, &come));
        assert_int_equal(gone.count, removed.count);
        assert_int_equal(come.count, inserted.count);
        assert_true(gone.count == 0 || memcmp(gone.data, removed.data, gone.count * sizeof *gone.data) == 0);
        assert_true(come.count == 0 || memcmp(come.data, inserted.data, come.count * sizeof *come.data) == 0);
        assert_true(grzPairSet_Apply(&set, &gone, &come));
        assertSame(&set, slow);
        releaseKeys(&gone);
        releaseKeys(&come);
    }
    grzPairSet_Destroy(&set);
    releaseKeys(&removed);
    releaseKeys(&inserted);
    releaseKeys(&wanted);
    free(slow);
}

static void refusedMemoryChangesNothing(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(74), 0);
    TestMemory memory = {.failAt = SIZE_MAX};
    grzAllocator allocator = testAllocator(&memory);
    PairSet set;
    grzPairSet_Create(&set, &allocator);
    SlowSet *slow = calloc(1, sizeof *slow), *before = calloc(1, sizeof *before);
    PairKeys removed = {0}, inserted = {0};
    size_t refusals = 0;
    for (int step = 0; step < 12; ++step) {
        *before = *slow;
        change(&rng, slow, 0, keyLimit, 20 + 10 * (uint32_t)step, &removed, &inserted);
        for (size_t k = 0;; ++k) {
            memory.failAt = memory.requests + k;
            if (grzPairSet_Apply(&set, &removed, &inserted))
                break;
            refusals++;
            assertSame(&set, before);
        }
        assertSame(&set, slow);
    }
    assert_true(refusals > 10);
    grzPairSet_Destroy(&set);
    assert_int_equal(memory.liveCount, 0);
    releaseKeys(&removed);
    releaseKeys(&inserted);
    free(slow);
    free(before);
}

static void lowerBoundFindsThePlace(void** state) {
    (void)state;
    grzBodyPair pairs[40];
    for (uint32_t i = 0; i < 40; ++i)
        pairs[i] = (grzBodyPair){i / 8, UINT32_MAX - 100 + 2 * (i % 8)};
    for (uint32_t count = 0; count <= 40; ++count) {
        for (uint32_t i = 0; i < count; ++i) {
            assert_int_equal(grzPairLowerBound(pairs, count, pairKey(pairs[i])), i);
            assert_int_equal(grzPairLowerBound(pairs, count, pairKey(pairs[i]) + 1), i + 1);
        }
        assert_int_equal(grzPairLowerBound(pairs, count, 0), 0);
        assert_int_equal(grzPairLowerBound(pairs, count, UINT64_MAX), count);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(randomChangesAgreeWithASortedArray),
        cmocka_unit_test(neighbouringChunksAreNotBothThin),
        cmocka_unit_test(compareTellsTheDifference),
        cmocka_unit_test(refusedMemoryChangesNothing),
        cmocka_unit_test(lowerBoundFindsThePlace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
