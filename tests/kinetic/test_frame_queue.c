// frame_queue.h against a list that is searched: which slots have places, the first event and its place, everything that is due, for
// all counts around the width of a row; marks that change from one interval to the next; memory that is refused.
#include "testing.h"

#include <math.h>

#include "frame_queue.h"
#include "rng.h"

typedef struct Reference {
    uint32_t slotCount, count;
    uint32_t* slots; // that are marked, ascending
    float* ticks;
} Reference;

static void markSome(grzFrameQueue* queue, Reference* reference, grzRng* rng, uint32_t oneIn) {
    reference->count = 0;
    memset(queue->marks, 0, queue->slotCount / 8);
    for (uint32_t slot = 0; slot < queue->slotCount; ++slot) {
        if (oneIn == 0 || grzRng_Below(rng, oneIn) != 0)
            continue;
        queue->marks[slot / 8] |= (uint8_t)(1U << slot % 8);
        reference->ticks[reference->count] = INFINITY;
        reference->slots[reference->count++] = slot;
    }
}

static void checkPlaces(const grzFrameQueue* queue, const Reference* reference) {
    assert_int_equal(queue->count, reference->count);
    for (uint32_t slot = 0, place = 0; slot < queue->slotCount; ++slot) {
        const bool isMarked = place < reference->count && reference->slots[place] == slot;
        assert_int_equal(grzFrameQueue_IsMarked(queue, slot), isMarked);
        if (!isMarked)
            continue;
        assert_int_equal(grzFrameQueue_PlaceOf(queue, slot), place);
        assert_int_equal(queue->slots[place], slot);
        assert_true(isinf(grzFrameQueue_Tick(queue, place)));
        ++place;
    }
}

static void checkFirst(const grzFrameQueue* queue, const Reference* reference) {
    uint32_t first = 0;
    for (uint32_t place = 1; place < reference->count; ++place)
        if (reference->ticks[place] < reference->ticks[first])
            first = place;
    const float tick = reference->count == 0 ? INFINITY : reference->ticks[first];
    assert_true(grzFrameQueue_First(queue) == tick);
    if (isfinite(tick))
        assert_int_equal(grzFrameQueue_FirstPlace(queue), first);
}

static void checkDue(grzFrameQueue* queue, const Reference* reference, float until) {
    grzFrameQueue_CallUntil(queue, until);
    for (uint32_t place = 0; place < reference->count; ++place) {
        assert_int_equal(queue->due[place / 64] >> place % 64 & 1, reference->ticks[place] <= until);
        queue->due[place / 64] &= ~(UINT64_C(1) << place % 64);
    }
    for (uint32_t word = 0; word < (reference->count + 63) / 64; ++word)
        assert_true(queue->due[word] == 0);
    grzFrameQueue_CallAll(queue);
    uint32_t called = 0;
    for (uint32_t word = 0; word < (reference->count + 63) / 64; ++word) {
        called += grzFrameQueue_Ones(queue->due[word]);
        queue->due[word] = 0;
    }
    assert_int_equal(called, reference->count);
}

// Few ticks, so that many are equal; now and then the last of an interval.
static float someTick(grzRng* rng) {
    const uint32_t kind = grzRng_Below(rng, 8);
    return kind < 2 ? INFINITY : kind == 2 ? 0x1p24F - (float)grzRng_Below(rng, 2) : (float)grzRng_Below(rng, 40);
}

static void runRounds(grzFrameQueue* queue, Reference* reference, grzRng* rng) {
    for (int round = 0; round < 400 && reference->count != 0; ++round) {
        const uint32_t place = grzRng_Below(rng, reference->count), lane = grzRng_Below(rng, 12);
        reference->ticks[place] = someTick(rng);
        grzFrameQueue_Set(queue, place, reference->ticks[place], lane);
        assert_true(grzFrameQueue_Tick(queue, place) == reference->ticks[place]);
        assert_int_equal(queue->lanes[place], lane);
        checkFirst(queue, reference);
        if (round % 40 == 0)
            checkDue(queue, reference, (float)grzRng_Below(rng, 40));
    }
    // All that is left, in order.
    for (float last = -1; isfinite(grzFrameQueue_First(queue));) {
        const uint32_t place = grzFrameQueue_FirstPlace(queue);
        checkFirst(queue, reference);
        assert_true(reference->ticks[place] >= last);
        last = reference->ticks[place];
        reference->ticks[place] = INFINITY;
        grzFrameQueue_Set(queue, place, INFINITY, 0);
    }
    checkFirst(queue, reference);
}

// All that was set before is put anew.
static void putAll(grzFrameQueue* queue, Reference* reference, grzRng* rng) {
    for (uint32_t place = 0; place < reference->count; ++place) {
        const uint32_t lane = grzRng_Below(rng, 12);
        reference->ticks[place] = someTick(rng);
        grzFrameQueue_Put(queue, place, reference->ticks[place], lane);
        assert_int_equal(queue->lanes[place], lane);
    }
    grzFrameQueue_PlayAll(queue);
    checkFirst(queue, reference);
    if (reference->count != 0)
        checkDue(queue, reference, (float)grzRng_Below(rng, 40));
}

static void theFirstIsThatOfASearch(void** state) {
    (void)state;
    static const uint32_t counts[] = {64, 128, 320, 1088, 4096, 5056};
    static const uint32_t shares[] = {1, 2, 60, 0, 7, 1, 300};
    grzRng rng = grzRng_Make(testSeed(711), 0);
    const grzAllocator allocator = grzDefaultAllocator();
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
        unsigned char* memory = malloc(grzFrameQueue_Size(counts[c]));
        Reference reference = {counts[c], 0, malloc(counts[c] * sizeof(uint32_t)),
                               malloc(counts[c] * sizeof(float))};
        assert_true(memory != NULL && reference.slots != NULL && reference.ticks != NULL);
        grzFrameQueue queue;
        grzFrameQueue_Make(&queue, counts[c], memory);
        assert_true(isinf(grzFrameQueue_First(&queue)));
        for (size_t s = 0; s < sizeof shares / sizeof shares[0]; ++s) {
            markSome(&queue, &reference, &rng, shares[s]);
            assert_true(grzFrameQueue_Open(&queue, &allocator));
            checkPlaces(&queue, &reference);
            putAll(&queue, &reference, &rng);
            runRounds(&queue, &reference, &rng);
            putAll(&queue, &reference, &rng);
        }
        grzFrameQueue_Empty(&queue);
        reference.count = 0;
        checkPlaces(&queue, &reference);
        assert_true(isinf(grzFrameQueue_First(&queue)));
        grzFrameQueue_Drop(&queue, &allocator);
        free(memory), free(reference.slots), free(reference.ticks);
    }
}

static void refusedMemoryLeavesTheMarksAlone(void** state) {
    (void)state;
    unsigned char memory[128] __attribute__((aligned(8)));
    TestMemory refusing = {.failAt = 0};
    const grzAllocator allocator = testAllocator(&refusing);
    grzFrameQueue queue;
    grzFrameQueue_Make(&queue, 64, memory);
    assert_true(grzFrameQueue_Open(&queue, &allocator)); // nothing is marked, nothing is asked for
    queue.marks[3] = 0x81;
    assert_false(grzFrameQueue_Open(&queue, &allocator));
    assert_true(isinf(grzFrameQueue_First(&queue)) && queue.count == 0);
    assert_true(grzFrameQueue_IsMarked(&queue, 24) && grzFrameQueue_IsMarked(&queue, 31));
    refusing.failAt = SIZE_MAX;
    assert_true(grzFrameQueue_Open(&queue, &allocator));
    assert_int_equal(grzFrameQueue_PlaceOf(&queue, 31), 1);
    grzFrameQueue_Drop(&queue, &allocator);
    assert_int_equal(refusing.liveCount, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theFirstIsThatOfASearch),
        cmocka_unit_test(refusedMemoryLeavesTheMarksAlone),
    };
    return cmocka_run_group_tests_name("frame_queue", tests, NULL, NULL);
}
