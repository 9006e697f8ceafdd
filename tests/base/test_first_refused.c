// first_refused.h: the first refused item for any number of workers and any grain, beside a plain search.
#include "first_refused.h"

#include <string.h>

#include "result_make.h"
#include "rng.h"
#include "testing.h"

enum { mostItems = 3000 };

typedef struct Items {
    bool isRefused[mostItems];
    uint8_t visits[mostItems];
    bool stops; // at the first refused item of a block
} Items;

static uint32_t tryItems(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    Items* items = context;
    uint32_t refused = end;
    (void)worker;
    for (uint32_t i = begin; i < end && (refused == end || !items->stops); ++i) {
        ++items->visits[i];
        if (items->isRefused[i] && refused == end)
            refused = i;
    }
    return refused;
}

static void theFirstIsFound(void** state) {
    (void)state;
    static const uint32_t counts[] = {0, 1, 2, 63, 64, 65, 1000, mostItems}, grains[] = {1, 7, 64, 5000};
    static Items items;
    grzRng rng = grzRng_Make(testSeed(1301), 0);
    for (uint32_t workers = 0; workers < 5; ++workers) {
        grzTasksDef def = grzDefaultTasksDef();
        grzTasks* tasks = NULL;
        def.workerCount = workers;
        if (workers != 0)
            assert_int_equal(grzTasks_Create(&def, &tasks).status, grz_ok);
        for (uint32_t round = 0; round < 320; ++round) {
            const uint32_t count = counts[round % 8], grain = grains[round / 8 % 4], some = grzRng_Below(&rng, 4);
            memset(&items, 0, sizeof items);
            items.stops = round % 3 == 0;
            uint32_t first = count;
            for (uint32_t i = 0; i < some && count != 0; ++i) {
                const uint32_t refused = grzRng_Below(&rng, count);
                items.isRefused[refused] = true;
                first = refused < first ? refused : first;
            }
            assert_int_equal(grzParallelTry(tasks, count, grain, tryItems, &items), first);
            for (uint32_t i = 0; i < count; ++i)
                assert_true(items.visits[i] == 1 || (items.stops && items.visits[i] == 0 && i > first));
        }
        grzTasks_Destroy(tasks);
    }
}

static grzResult answerItem(uint32_t item, void* context) {
    Items* items = context;
    if (items->isRefused[item])
        return grzFail(grz_notFinite, item + 7);
    ++items->visits[item];
    return grzOk();
}

static void allAreAnsweredButTheRefused(void** state) {
    (void)state;
    static const uint32_t counts[] = {0, 1, 64, 65, mostItems};
    static Items items;
    grzRng rng = grzRng_Make(testSeed(1302), 0);
    grzTasksDef def = grzDefaultTasksDef();
    grzTasks* tasks = NULL;
    def.workerCount = 3;
    assert_int_equal(grzTasks_Create(&def, &tasks).status, grz_ok);
    for (uint32_t round = 0; round < 200; ++round) {
        const uint32_t count = counts[round % 5];
        memset(&items, 0, sizeof items);
        uint32_t first = count;
        for (uint32_t i = 0; i < round % 3 && count != 0; ++i) {
            const uint32_t refused = grzRng_Below(&rng, count);
            items.isRefused[refused] = true;
            first = refused < first ? refused : first;
        }
        const grzResult result = grzParallelAnswer(round % 2 == 0 ? tasks : NULL, count, 8, answerItem, &items);
        if (first == count)
            assert_int_equal(result.status, grz_ok);
        else
            assert_true(result.status == grz_notFinite && result.index == first && result.value == first + 7 &&
                        result.part == grz_partElement);
        for (uint32_t i = 0; i < count; ++i)
            assert_int_equal(items.visits[i], !items.isRefused[i]);
    }
    grzTasks_Destroy(tasks);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(theFirstIsFound),
                                       cmocka_unit_test(allAreAnsweredButTheRefused)};
    return cmocka_run_group_tests_name("first_refused", tests, NULL, NULL);
}
