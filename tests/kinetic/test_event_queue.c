// event_queue.h against a list that is searched: the first event and its slot, every event up to a time, for all counts
// around the width of a row.
#include "testing.h"

#include <math.h>

#include "event_queue.h"
#include "rng.h"

static uint32_t searchFirst(const double* times, uint32_t count) {
    uint32_t first = 0;
    for (uint32_t i = 1; i < count; ++i)
        if (times[i] < times[first])
            first = i;
    return first;
}

typedef struct Visits {
    const double* times;
    double until;
    uint32_t next; // every slot before it was visited, or is later than until
} Visits;

static void visit(void* context, uint32_t slot) {
    Visits* visits = context;
    for (; visits->next < slot; ++visits->next)
        assert_true(visits->times[visits->next] > visits->until);
    assert_true(visits->times[slot] <= visits->until);
    visits->next = slot + 1;
}

static void checkVisits(const grzEventQueue* queue, const double* times, uint32_t count, double until) {
    Visits visits = {times, until, 0};
    grzEventQueue_VisitUntil(queue, until, visit, &visits);
    for (; visits.next < count; ++visits.next)
        assert_true(times[visits.next] > until);
}

static void theFirstIsThatOfASearch(void** state) {
    (void)state;
    static const uint32_t counts[] = {1, 2, 7, 8, 9, 15, 63, 64, 65, 200, 511, 512, 513, 5000};
    grzRng rng = grzRng_Make(testSeed(701), 0);
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
        const uint32_t count = counts[c];
        double* memory = malloc(grzEventQueue_Size(count) * sizeof *memory);
        double* times = malloc(count * sizeof *times);
        assert_non_null(memory);
        assert_non_null(times);
        grzEventQueue queue;
        grzEventQueue_Make(&queue, count, memory);
        for (uint32_t i = 0; i < count; ++i)
            times[i] = (double)INFINITY;
        assert_true(isinf(grzEventQueue_First(&queue)));
        for (int round = 0; round < 2000; ++round) {
            const uint32_t slot = grzRng_Below(&rng, count);
            // Few times, so that many are equal.
            times[slot] = grzRng_Below(&rng, 5) == 0 ? (double)INFINITY : (double)grzRng_Below(&rng, 50) - 10;
            grzEventQueue_Set(&queue, slot, times[slot]);
            const uint32_t first = searchFirst(times, count);
            assert_true(grzEventQueue_First(&queue) == times[first]);
            assert_true(grzEventQueue_Time(&queue, slot) == times[slot]);
            if (isfinite(times[first]))
                assert_int_equal(grzEventQueue_FirstSlot(&queue), first);
            if (round % 100 == 0)
                checkVisits(&queue, times, count, (double)grzRng_Below(&rng, 50) - 10);
        }
        free(memory);
        free(times);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(theFirstIsThatOfASearch)};
    return cmocka_run_group_tests_name("event_queue", tests, NULL, NULL);
}
