// index_map.c: a map from keys to indices, against an array that is searched from end to end.
#include "testing.h"

#include "index_map.h"
#include "memory.h"
#include "rng.h"

enum { keyMost = 300 };

typedef struct Model {
    uint64_t keys[keyMost];
    uint32_t indices[keyMost];
    size_t count;
} Model;

static size_t placeIn(const Model* model, uint64_t key) {
    size_t i = 0;
    while (i < model->count && model->keys[i] != key)
        ++i;
    return i;
}

static void checkMap(const IndexMap* map, const Model* model) {
    assert_int_equal(map->count, model->count);
    for (size_t i = 0; i < model->count; ++i)
        assert_int_equal(grzIndexMap_Find(map, model->keys[i]), model->indices[i]);
}

static void aLongLifeAgreesWithASearchedArray(void** state) {
    (void)state;
    static Model model;
    grzRng rng = grzRng_Make(testSeed(41), 0);
    grzAllocator allocator = grzDefaultAllocator();
    IndexMap map = {0};
    for (int round = 0; round < 40000; ++round) {
        // Few keys, and many that have their high or low half in common.
        uint64_t key = indexMapKey(grzRng_Below(&rng, 3), grzRng_Below(&rng, 160) << (round % 2 == 0 ? 0 : 24));
        size_t at = placeIn(&model, key);
        if (grzRng_Below(&rng, 5) < 2) {
            grzIndexMap_Remove(&map, key);
            if (at < model.count) {
                model.count--;
                model.keys[at] = model.keys[model.count], model.indices[at] = model.indices[model.count];
            }
        } else if (at < model.count || model.count < keyMost) {
            uint32_t index = grzRng_Below(&rng, 1000);
            assert_true(grzIndexMap_Reserve(&map, &allocator, map.count + 1));
            grzIndexMap_Set(&map, key, index);
            model.keys[at] = key, model.indices[at] = index;
            model.count += at == model.count;
        }
        assert_int_equal(grzIndexMap_Find(&map, key) != INDEX_NONE, placeIn(&model, key) < model.count);
        if (round % 97 == 0)
            checkMap(&map, &model);
        if (round % 9973 == 9972) {
            grzIndexMap_Clear(&map);
            model.count = 0;
        }
    }
    grzIndexMap_Release(&map, &allocator);
}

static void anEmptyMapHasNothing(void** state) {
    (void)state;
    grzAllocator allocator = grzDefaultAllocator();
    IndexMap map = {0};
    assert_int_equal(grzIndexMap_Find(&map, 0), INDEX_NONE);
    grzIndexMap_Remove(&map, 0);
    grzIndexMap_Clear(&map);
    grzIndexMap_Release(&map, &allocator);
}

static void aRefusedReservationChangesNothing(void** state) {
    (void)state;
    for (size_t failAt = 0; failAt < 12; ++failAt) {
        TestMemory memory = {.failAt = failAt};
        grzAllocator allocator = testAllocator(&memory);
        IndexMap map = {0};
        uint32_t count = 0;
        while (count < 200 && grzIndexMap_Reserve(&map, &allocator, count + 1))
            grzIndexMap_Set(&map, count * UINT64_C(7919), count), ++count;
        assert_int_equal(map.count, count);
        for (uint32_t i = 0; i < 200; ++i)
            assert_int_equal(grzIndexMap_Find(&map, i * UINT64_C(7919)), i < count ? i : INDEX_NONE);
        assert_false(grzIndexMap_Reserve(&map, &allocator, SIZE_MAX / 2));
        grzIndexMap_Release(&map, &allocator);
        assert_int_equal(memory.liveCount, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aLongLifeAgreesWithASearchedArray),
        cmocka_unit_test(anEmptyMapHasNothing),
        cmocka_unit_test(aRefusedReservationChangesNothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
