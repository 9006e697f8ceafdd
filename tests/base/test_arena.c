// arena.h: a long random life against a stack of blocks with known contents, warm-up, the report, redzones,
// refusals.
#include "testing.h"

#include "arena.h"

#if GRZ_HAS_ASAN
#    include <sanitizer/asan_interface.h>
#endif

static uint64_t nextNumber(uint64_t* random) {
    uint64_t z = *random += 0x9E3779B97F4A7C15u; // SplitMix64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static grzArena makeArena(TestMemory* memory, size_t firstBlockSize, bool isFixed) {
    grzArenaDef def = grzDefaultArenaDef();
    def.allocator = testAllocator(memory);
    def.firstBlockSize = firstBlockSize;
    def.isFixed = isFixed;
    grzArena arena;
    assert_true(grzResult_IsOk(grzArena_Create(&arena, &def)));
    assert_true(grzArena_Validate(&arena));
    return arena;
}

static void destroyArena(grzArena* arena, const TestMemory* memory) {
    grzArena_Destroy(arena);
    assert_int_equal(memory->liveCount, 0);
    assert_int_equal(memory->liveBytes, 0);
}

// What the arena should hold: allocations in order, each filled with its own byte.
typedef struct Piece {
    unsigned char* memory;
    size_t size;
    unsigned char fill;
} Piece;

typedef struct Life {
    Piece pieces[400];
    size_t pieceCount;
    grzArenaMark marks[40];
    size_t marked[40]; // pieceCount at each mark
    size_t markCount;
    size_t bytes, peak;
} Life;

static void checkPieces(const Life* life) {
    for (size_t i = 0; i < life->pieceCount; ++i)
        for (size_t k = 0; k < life->pieces[i].size; ++k)
            assert_int_equal(life->pieces[i].memory[k], life->pieces[i].fill);
}

static void lifeAllocate(Life* life, grzArena* arena, uint64_t* random) {
    const size_t alignment = (size_t)1 << (nextNumber(random) % 13);
    const size_t size = nextNumber(random) % (nextNumber(random) % 20 == 0 ? 20000 : 300);
    unsigned char* memory = grzArena_Allocate(arena, size, 1, alignment);
    assert_non_null(memory);
    assert_int_equal((uintptr_t)memory % alignment, 0);
    Piece* piece = &life->pieces[life->pieceCount++];
    piece->memory = memory;
    piece->size = size;
    piece->fill = (unsigned char)nextNumber(random);
    memset(memory, piece->fill, size);
    life->bytes += size;
    life->peak = life->bytes > life->peak ? life->bytes : life->peak;
}

static void lifeForget(Life* life, size_t to) {
    checkPieces(life);
    while (life->pieceCount > to)
        life->bytes -= life->pieces[--life->pieceCount].size;
}

static void lifeStep(Life* life, grzArena* arena, uint64_t* random) {
    const uint64_t choice = nextNumber(random) % 100;
    if (choice < 80 && life->pieceCount < 400) {
        lifeAllocate(life, arena, random);
    } else if (choice < 90 && life->markCount < 40) {
        life->marks[life->markCount] = grzArena_Mark(arena);
        life->marked[life->markCount++] = life->pieceCount;
    } else if (choice < 99 && life->markCount > 0) {
        life->markCount -= 1 + nextNumber(random) % (life->markCount < 3 ? life->markCount : 3);
        // A mark stays good until an earlier one is rewound to, so it may serve twice.
        lifeForget(life, life->marked[life->markCount]);
        grzArena_Rewind(arena, life->marks[life->markCount]);
        if (nextNumber(random) % 2 == 0)
            life->markCount++;
    } else if (choice == 99) {
        life->markCount = 0;
        lifeForget(life, 0);
        grzArena_Reset(arena);
    }
}

static void longLifeKeepsWhatItHandedOut(void** state) {
    (void)state;
    uint64_t random = testSeed(21);
    TestMemory memory = {.failAt = SIZE_MAX};
    grzArena arena = makeArena(&memory, 1000, false);
    static Life life;
    life = (Life){0};
    for (int i = 0; i < 20000; ++i) {
        lifeStep(&life, &arena, &random);
        assert_true(grzArena_Validate(&arena));
        assert_int_equal(grzArena_Report(&arena).requestedBytes, life.bytes);
        assert_int_equal(grzArena_Report(&arena).requestedPeak, life.peak);
    }
    checkPieces(&life);
    destroyArena(&arena, &memory);
}

// A step's worth of requests, the same each time: nested marks, odd sizes, large alignments. False at a refusal.
static bool runStep(grzArena* arena) {
    const grzArenaMark outer = grzArena_Mark(arena);
    bool isDone = true;
    for (size_t i = 1; i < 40 && isDone; ++i) {
        isDone = grzArena_Allocate(arena, i * 13, 3, i % 5 == 0 ? 4096 : 64) != NULL;
        const grzArenaMark inner = grzArena_Mark(arena);
        isDone = isDone && grzArena_Allocate(arena, 1000, i, 16) != NULL;
        grzArena_Rewind(arena, inner);
    }
    grzArena_Rewind(arena, outer);
    return isDone;
}

static void afterWarmUpNothingIsAllocated(void** state) {
    (void)state;
    TestMemory memory = {.failAt = SIZE_MAX};
    grzArena arena = makeArena(&memory, 0, false);
    assert_int_equal(memory.requests, 0);
    assert_int_equal(grzArena_Report(&arena).missingBytes, 0);
    assert_true(runStep(&arena));
    assert_true(memory.requests > 2);
    assert_true(runStep(&arena));
    const size_t warm = memory.requests;
    for (int i = 0; i < 10; ++i)
        assert_true(runStep(&arena));
    assert_int_equal(memory.requests, warm);
    assert_int_equal(memory.liveCount, 1);
    const grzArenaReport report = grzArena_Report(&arena);
    assert_int_equal(report.blockCount, 1);
    assert_int_equal(report.capacity, memory.liveBytes);
    assert_true(report.capacity >= report.neededBlockSize && report.capacity < report.neededBlockSize + 64);
    destroyArena(&arena, &memory);
}

static void spareBlocksServeAgainBeforeTheArenaIsEmpty(void** state) {
    (void)state;
    TestMemory memory = {.failAt = SIZE_MAX};
    grzArena arena = makeArena(&memory, 256, false);
    assert_non_null(grzArena_Allocate(&arena, 16, 1, 8)); // keeps the arena from being empty
    const grzArenaMark mark = grzArena_Mark(&arena);
    size_t requests = 0;
    for (int round = 0; round < 5; ++round) {
        for (size_t size = 100; size < 5000; size *= 2)
            assert_non_null(grzArena_Allocate(&arena, size, 1, 8));
        grzArena_Rewind(&arena, mark);
        assert_true(grzArena_Validate(&arena));
        if (round > 0)
            assert_int_equal(memory.requests, requests);
        requests = memory.requests;
    }
    destroyArena(&arena, &memory);
}

// Blocks double, so that a first step of any size takes few of them.
static void aMillionBytesTakeFewBlocks(void** state) {
    (void)state;
    TestMemory memory = {.failAt = SIZE_MAX};
    grzArena arena = makeArena(&memory, 256, false);
    for (int i = 0; i < 1 << 14; ++i)
        assert_non_null(grzArena_Allocate(&arena, 64, 1, 8));
    assert_in_range(grzArena_Report(&arena).blockCount, 2, 16);
    assert_true(grzArena_Report(&arena).capacity < 8u << 20);
    destroyArena(&arena, &memory);
}

static void aRewindGivesTheSameMemoryAgain(void** state) {
    (void)state;
    TestMemory memory = {.failAt = SIZE_MAX};
    grzArena arena = makeArena(&memory, 1024, false);
    const void* bottom = grzArena_Allocate(&arena, 24, 1, 8);
    const grzArenaMark mark = grzArena_Mark(&arena);
    const void* above = grzArena_Allocate(&arena, 100, 1, 8);
    grzArena_Rewind(&arena, mark);
    assert_ptr_equal(grzArena_Allocate(&arena, 200, 1, 8), above);
    grzArena_Reset(&arena);
    assert_ptr_equal(grzArena_Allocate(&arena, 24, 1, 8), bottom);
    destroyArena(&arena, &memory);
}

static void thePeakOutlivesARewind(void** state) {
    (void)state;
    TestMemory memory = {.failAt = SIZE_MAX};
    grzArena arena = makeArena(&memory, 0, false);
    assert_true(runStep(&arena));
    const grzArenaReport before = grzArena_Report(&arena);
    assert_non_null(grzArena_Allocate(&arena, 1, 1, 8));
    const grzArenaReport after = grzArena_Report(&arena);
    assert_int_equal(after.neededBlockSize, before.neededBlockSize);
    assert_int_equal(after.requestedPeak, before.requestedPeak);
    assert_int_equal(after.requestedBytes, 1);
    destroyArena(&arena, &memory);
}

static void theReportNamesTheSizeThatWouldHaveDone(void** state) {
    (void)state;
    TestMemory memory = {.failAt = SIZE_MAX};
    grzArena arena = makeArena(&memory, 128, false);
    assert_true(runStep(&arena));
    const grzArenaReport report = grzArena_Report(&arena);
    assert_int_equal(report.missingBytes, report.neededBlockSize - 128);
    destroyArena(&arena, &memory);

    grzArena enough = makeArena(&memory, report.neededBlockSize, true);
    assert_true(runStep(&enough));
    assert_int_equal(grzArena_Report(&enough).missingBytes, 0);
    destroyArena(&enough, &memory);

    grzArena scarce = makeArena(&memory, report.neededBlockSize - 64, true);
    assert_false(runStep(&scarce));
    assert_true(grzArena_Report(&scarce).missingBytes > 0);
    destroyArena(&scarce, &memory);
}

static void fixedArenaNeverGrowsAndSaysWhatIsMissing(void** state) {
    (void)state;
    TestMemory memory = {.failAt = SIZE_MAX};
    const size_t size = GRZ_ARENA_BLOCK_HEAD + 1024 + GRZ_ARENA_REDZONE;
    grzArena arena = makeArena(&memory, size, true);
    assert_int_equal(memory.requests, 1);
    unsigned char* all = grzArena_Allocate(&arena, 1024, 1, 64);
    assert_non_null(all);
    assert_null(grzArena_Allocate(&arena, 400, 1, 8));
    assert_true(grzArena_Validate(&arena));
    grzArenaReport report = grzArena_Report(&arena);
    assert_int_equal(report.refusedCount, 1);
    assert_int_equal(report.missingBytes, 400 + GRZ_ARENA_REDZONE);
    assert_int_equal(report.requestedBytes, 1024);
    assert_null(grzArena_Allocate(&arena, 100, 1, 8));
    assert_int_equal(grzArena_Report(&arena).missingBytes, 400 + GRZ_ARENA_REDZONE); // the largest, not the last
    memset(all, 7, 1024);
    grzArena_Reset(&arena);
    assert_non_null(grzArena_Allocate(&arena, 400, 1, 64));
    assert_int_equal(memory.requests, 1);
    destroyArena(&arena, &memory);

    grzArena none = makeArena(&memory, 0, true);
    assert_null(grzArena_Allocate(&none, 1, 1, 1));
    assert_int_equal(grzArena_Report(&none).missingBytes, GRZ_ARENA_BLOCK_HEAD + 8 + GRZ_ARENA_REDZONE);
    destroyArena(&none, &memory);
}

static void aRefusedRequestChangesNothing(void** state) {
    (void)state;
    for (size_t failAt = 0; failAt < 12; ++failAt) {
        TestMemory memory = {.failAt = SIZE_MAX};
        grzArena arena = makeArena(&memory, 0, false);
        memory.failAt = failAt;
        size_t size = 50, held = 0;
        unsigned char* last = NULL;
        for (;;) {
            const grzArenaMark before = grzArena_Mark(&arena);
            unsigned char* next = grzArena_Allocate(&arena, size, 1, 32);
            if (next == NULL) {
                const grzArenaMark after = grzArena_Mark(&arena);
                assert_memory_equal(&before, &after, sizeof before);
                break;
            }
            last = next;
            held = size;
            memset(last, 0x5C, held);
            size *= 3;
        }
        assert_true(grzArena_Validate(&arena));
        assert_int_equal(grzArena_Report(&arena).refusedCount, 1);
        for (size_t i = 0; i < held; ++i)
            assert_int_equal(last[i], 0x5C);
        memory.failAt = SIZE_MAX;
        assert_non_null(grzArena_Allocate(&arena, size, 1, 32));
        destroyArena(&arena, &memory);
    }
}

static void createReportsARefusedFirstBlock(void** state) {
    (void)state;
    TestMemory memory = {.failAt = 0};
    grzArenaDef def = grzDefaultArenaDef();
    def.allocator = testAllocator(&memory);
    grzArena arena;
    assert_int_equal(grzArena_Create(&arena, &def).status, grz_outOfMemory);
    grzArena_Destroy(&arena);
    memory.failAt = SIZE_MAX;
    def.firstBlockSize = SIZE_MAX;
    assert_int_equal(grzArena_Create(&arena, &def).status, grz_outOfMemory);
    assert_int_equal(memory.liveCount, 0);
}

// A hook with little memory: it refuses what is larger than its limit.
static void* stingyAllocate(void* context, size_t size, size_t alignment) {
    return size > 3000 ? NULL : testAllocate(context, size, alignment);
}

static void aHookShortOfMemoryGivesWhatIsNeeded(void** state) {
    (void)state;
    TestMemory memory = {.failAt = SIZE_MAX};
    grzArenaDef def = grzDefaultArenaDef();
    def.allocator = testAllocator(&memory);
    def.allocator.allocate = stingyAllocate;
    def.firstBlockSize = 2048;
    grzArena arena;
    assert_true(grzResult_IsOk(grzArena_Create(&arena, &def)));
    for (int i = 0; i < 10; ++i)
        assert_non_null(grzArena_Allocate(&arena, 1500, 1, 8)); // twice the last block is refused, 1500 is not
    assert_null(grzArena_Allocate(&arena, 3000, 1, 8));
    grzArena_Reset(&arena);
    assert_non_null(grzArena_Allocate(&arena, 1500, 1, 8)); // the merged block is refused, too
    assert_true(grzArena_Validate(&arena));
    destroyArena(&arena, &memory);
}

static void zeroElementsAndAbsurdCounts(void** state) {
    (void)state;
    TestMemory memory = {.failAt = SIZE_MAX};
    grzArena arena = makeArena(&memory, 0, false);
    assert_non_null(grzArena_Allocate(&arena, 0, 16, 8));
    assert_non_null(grzArena_Allocate(&arena, 16, 0, 8));
    assert_null(grzArena_Allocate(&arena, SIZE_MAX / 2, 3, 8));
    assert_null(grzArena_Allocate(&arena, SIZE_MAX, 1, 8));
    assert_int_equal(grzArena_Report(&arena).neededBlockSize, SIZE_MAX);
    assert_true(grzArena_Validate(&arena));
    assert_non_null(grzArena_Allocate(&arena, 16, 1, 8));
    destroyArena(&arena, &memory);
}

static void validateSeesATouchedHead(void** state) {
    (void)state;
    TestMemory memory = {.failAt = SIZE_MAX};
    grzArena arena = makeArena(&memory, 512, false);
    unsigned char* head = (unsigned char*)arena.first;
    head[2 * sizeof(size_t)] ^= 1;
    assert_false(grzArena_Validate(&arena));
    head[2 * sizeof(size_t)] ^= 1;
    assert_non_null(grzArena_Allocate(&arena, 8, 1, 8));
    arena.used = 513;
    assert_false(grzArena_Validate(&arena));
    destroyArena(&arena, &memory);
}

static void writingOutsideWouldBeNoticed(void** state) {
    (void)state;
#if GRZ_HAS_ASAN
    TestMemory memory = {.failAt = SIZE_MAX};
    grzArena arena = makeArena(&memory, 4096, false);
    const grzArenaMark empty = grzArena_Mark(&arena);
    const unsigned char* a = grzArena_Allocate(&arena, 13, 1, 8);
    const grzArenaMark mark = grzArena_Mark(&arena);
    const unsigned char* b = grzArena_Allocate(&arena, 64, 1, 64);
    assert_true(__asan_address_is_poisoned(a - 1));
    for (size_t i = 0; i < 13; ++i)
        assert_false(__asan_address_is_poisoned(a + i));
    for (const unsigned char* gap = a + 13; gap < b; ++gap)
        assert_true(__asan_address_is_poisoned(gap));
    assert_true(b - (a + 13) >= 32);
    assert_false(__asan_address_is_poisoned(b + 63));
    for (size_t i = 64; i < 96; ++i)
        assert_true(__asan_address_is_poisoned(b + i));
    const unsigned char* far = grzArena_Allocate(&arena, 100000, 1, 8); // another block
    grzArena_Rewind(&arena, mark);
    assert_true(__asan_address_is_poisoned(b) && __asan_address_is_poisoned(far));
    assert_false(__asan_address_is_poisoned(a + 12));
    grzArena_Rewind(&arena, empty);
    destroyArena(&arena, &memory);
#else
    skip(); // only the sanitizer's build has redzones
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(longLifeKeepsWhatItHandedOut),
        cmocka_unit_test(afterWarmUpNothingIsAllocated),
        cmocka_unit_test(spareBlocksServeAgainBeforeTheArenaIsEmpty),
        cmocka_unit_test(aMillionBytesTakeFewBlocks),
        cmocka_unit_test(aRewindGivesTheSameMemoryAgain),
        cmocka_unit_test(thePeakOutlivesARewind),
        cmocka_unit_test(theReportNamesTheSizeThatWouldHaveDone),
        cmocka_unit_test(fixedArenaNeverGrowsAndSaysWhatIsMissing),
        cmocka_unit_test(aRefusedRequestChangesNothing),
        cmocka_unit_test(createReportsARefusedFirstBlock),
        cmocka_unit_test(aHookShortOfMemoryGivesWhatIsNeeded),
        cmocka_unit_test(zeroElementsAndAbsurdCounts),
        cmocka_unit_test(validateSeesATouchedHead),
        cmocka_unit_test(writingOutsideWouldBeNoticed),
    };
    return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
