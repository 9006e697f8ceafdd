// graze/records.h and record_sort.h: every field that tells records apart is in the key, in the stated weight, and
// sorting agrees with a stable merge sort by comparison.
#include "testing.h"

#include "record_sort.h"
#include "rng.h"

static const grzRecordType* const g_types[] = {
    &grzBodyPairType, &grzTrianglePairType, &grzTrianglePairByTimeType, &grzFeaturePairType, &grzImpactType,
    &grzContactType,  &grzEventType,
};
enum { typeCount = sizeof g_types / sizeof *g_types, largestRecord = sizeof(grzContact) };

// A record of random bytes is a record, as all members are integers and floats; a small range makes ties likely.
static void fillRecords(grzRng* rng, const grzRecordType* type, char* records, size_t count, uint32_t range) {
    for (size_t i = 0; i < count * type->size / 4; ++i) {
        const uint32_t number = range != 0 ? grzRng_Below(rng, range) : grzRng_Next(rng);
        memcpy(records + i * 4, &number, 4);
    }
}

static void mergeRecords(const grzRecordType* type, char* records, char* scratch, size_t count) {
    if (count < 2)
        return;
    const size_t half = count / 2, size = type->size;
    mergeRecords(type, records, scratch, half);
    mergeRecords(type, records + half * size, scratch, count - half);
    memcpy(scratch, records, count * size);
    for (size_t i = 0, left = 0, right = half; i < count; ++i) {
        const bool takeLeft = right == count || (left < half && grzCompareRecords(type, scratch + left * size,
                                                                                  scratch + right * size) <= 0);
        memcpy(records + i * size, scratch + (takeLeft ? left++ : right++) * size, size);
    }
}

static void checkSort(grzRng* rng, const grzRecordType* type, size_t count, uint32_t range) {
    const size_t bytes = count * type->size, scratchSize = grzRecordScratchSize(type, count);
    char* records = malloc(bytes + 1);
    char* expected = malloc(bytes + 1);
    char* mergeScratch = malloc(bytes + 1);
    void* scratch = malloc(scratchSize + (scratchSize == 0)); // exactly: a sanitizer sees a step too far
    fillRecords(rng, type, records, count, range);
    memcpy(expected, records, bytes);
    mergeRecords(type, expected, mergeScratch, count);
    grzSortRecords(type, records, count, scratch);
    assert_memory_equal(records, expected, bytes);
    bool isRising = true;
    for (size_t i = 1; i < count && isRising; ++i)
        isRising = grzCompareRecords(type, expected + (i - 1) * type->size, expected + i * type->size) < 0;
    assert_int_equal(grzAreRecordsSorted(type, records, count), isRising);
    free(records), free(expected), free(mergeScratch), free(scratch);
}

static void sortingAgreesWithMergeSort(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(61), 0);
    const size_t counts[] = {0, 1, 2, 3, 15, 16, 17, 63, 64, 65, 255, 256, 257, 1000, 5001};
    for (size_t t = 0; t < typeCount; ++t) {
        for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
            checkSort(&rng, g_types[t], counts[i], 0); // all bits
            checkSort(&rng, g_types[t], counts[i], 3); // ties in every word
            checkSort(&rng, g_types[t], counts[i], 1); // all equal
        }
        checkSort(&rng, g_types[t], 65537, 200);
    }
}

static void sortedAndReversedInput(void** state) {
    (void)state;
    enum { count = 1000 };
    static grzBodyPair pairs[count];
    static uint64_t scratch[count * 4];
    assert_true(grzRecordScratchSize(&grzBodyPairType, count) <= sizeof scratch);
    for (int turn = 0; turn < 2; ++turn) {
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t place = turn == 0 ? i : count - 1 - i;
            pairs[i] = grzMakeBodyPair(place / 10 + 1000 + place % 10, place / 10);
        }
        grzSortRecords(&grzBodyPairType, pairs, count, scratch);
        assert_true(grzAreRecordsSorted(&grzBodyPairType, pairs, count));
        for (uint32_t i = 0; i < count; ++i)
            assert_true(pairs[i].a == i / 10 && pairs[i].b == i / 10 + 1000 + i % 10);
    }
}

// The places of the members that tell two records apart, in falling weight; all others must not matter.
typedef struct KeyPlan {
    const grzRecordType* type;
    size_t offsets[8];
    size_t count;
} KeyPlan;

#define AT(Type, member) offsetof(Type, member)

static const KeyPlan g_plans[] = {
    {&grzBodyPairType, {AT(grzBodyPair, a), AT(grzBodyPair, b)}, 2},
    {&grzTrianglePairType,
     {AT(grzTrianglePair, bodyPair), AT(grzTrianglePair, triangleA), AT(grzTrianglePair, triangleB)},
     3},
    {&grzTrianglePairByTimeType,
     {AT(grzTrianglePair, t0), AT(grzTrianglePair, bodyPair), AT(grzTrianglePair, triangleA),
      AT(grzTrianglePair, triangleB)},
     4},
    {&grzFeaturePairType,
     {AT(grzFeaturePair, bodyPair), AT(grzFeaturePair, featureA), AT(grzFeaturePair, featureB)},
     3},
    {&grzImpactType, {AT(grzImpact, pair.bodyPair), AT(grzImpact, pair.featureA), AT(grzImpact, pair.featureB)}, 3},
    {&grzContactType,
     {AT(grzContact, bodyA.index1), AT(grzContact, bodyB.index1), AT(grzContact, triangleA),
      AT(grzContact, triangleB), AT(grzContact, featureA), AT(grzContact, featureB), AT(grzContact, ordinal)},
     7},
    {&grzEventType, {AT(grzEvent, bodyA.index1), AT(grzEvent, bodyB.index1), AT(grzEvent, kind)}, 3},
};

static void addTo(char* record, size_t offset, uint32_t amount) {
    uint32_t number;
    memcpy(&number, record + offset, 4);
    number += amount;
    memcpy(record + offset, &number, 4);
}

static void keysHoldExactlyTheStatedMembers(void** state) {
    (void)state;
    assert_int_equal(sizeof g_plans / sizeof *g_plans, typeCount);
    for (size_t p = 0; p < typeCount; ++p) {
        const KeyPlan* plan = &g_plans[p];
        for (size_t offset = 0; offset < plan->type->size; offset += 4) {
            char below[largestRecord] = {0}, above[largestRecord] = {0};
            size_t weight = 0;
            while (weight < plan->count && plan->offsets[weight] != offset)
                weight++;
            // Up by one here, down by one in all that weigh less.
            addTo(above, offset, 1);
            for (size_t i = weight + 1; i < plan->count; ++i)
                addTo(below, plan->offsets[i], 1);
            const int expected = weight < plan->count ? 1 : 0;
            assert_int_equal(grzCompareRecords(plan->type, above, below), expected);
            assert_int_equal(grzCompareRecords(plan->type, below, above), -expected);
            // And the high bits as the low ones, as far as every member has them.
            addTo(above, offset, weight < plan->count ? 0x3FFFFFFEu : 0);
            assert_int_equal(grzCompareRecords(plan->type, above, below), expected);
        }
    }
}

static void featuresKeepKindAndIndex(void** state) {
    (void)state;
    const uint32_t indices[] = {0, 1, 77, GRZ_FEATURE_LIMIT - 1};
    for (int kind = grz_vertexFeature; kind <= grz_bodyFeature; ++kind) {
        for (size_t i = 0; i < sizeof indices / sizeof *indices; ++i) {
            const grzFeature feature = grzMakeFeature((grzFeatureKind)kind, indices[i]);
            assert_int_equal(grzFeature_Kind(feature), kind);
            assert_int_equal(grzFeature_Index(feature), indices[i]);
        }
    }
}

static grzFeaturePair makeFeaturePair(grzFeatureKind kindA, uint32_t a, grzFeatureKind kindB, uint32_t b) {
    const grzFeaturePair pair = {3, grzMakeFeature(kindA, a), grzMakeFeature(kindB, b), 0.0f, 1.0f};
    return pair;
}

static void featurePairsOfOneKindLieTogether(void** state) {
    (void)state;
    const grzFeaturePair rising[] = {
        makeFeaturePair(grz_vertexFeature, 5, grz_faceFeature, 9),
        makeFeaturePair(grz_vertexFeature, GRZ_FEATURE_LIMIT - 1, grz_faceFeature, 0),
        makeFeaturePair(grz_edgeFeature, 0, grz_edgeFeature, 8),
        makeFeaturePair(grz_edgeFeature, 1, grz_edgeFeature, 2),
        makeFeaturePair(grz_edgeFeature, 1, grz_edgeFeature, 3),
        makeFeaturePair(grz_faceFeature, 0, grz_vertexFeature, GRZ_FEATURE_LIMIT - 1),
        makeFeaturePair(grz_faceFeature, 4, grz_vertexFeature, 0),
    };
    assert_true(grzAreRecordsSorted(&grzFeaturePairType, rising, sizeof rising / sizeof *rising));
}

static void pairsAreMadeInOrder(void** state) {
    (void)state;
    const grzBodyPair pair = grzMakeBodyPair(9, 4), same = grzMakeBodyPair(4, 9), self = grzMakeBodyPair(6, 6);
    assert_true(pair.a == 4 && pair.b == 9);
    assert_memory_equal(&pair, &same, sizeof pair);
    assert_true(self.a == 6 && self.b == 6);
}

static void timesOrderAsNumbers(void** state) {
    (void)state;
    const float times[] = {-1.0f, 0.0f, 1e-30f, 0.25f, 1.0f};
    grzTrianglePair pairs[5] = {{0}};
    for (uint32_t i = 0; i < 5; ++i) {
        pairs[i].t0 = times[i];
        pairs[i].bodyPair = 9 - i;
    }
    assert_true(grzAreRecordsSorted(&grzTrianglePairByTimeType, pairs, 5));
    assert_false(grzAreRecordsSorted(&grzTrianglePairType, pairs, 5));
}

static void sizesThatCannotBeCountedAreSaid(void** state) {
    (void)state;
    assert_int_equal(grzRecordScratchSize(&grzContactType, 0), 0);
    assert_true(grzRecordScratchSize(&grzContactType, SIZE_MAX / 80) == SIZE_MAX);
    assert_true(grzRecordScratchSize(&grzBodyPairType, SIZE_MAX) == SIZE_MAX);
    assert_true(grzRecordScratchSize(&grzContactType, 1000) >= 84000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sortingAgreesWithMergeSort),
        cmocka_unit_test(sortedAndReversedInput),
        cmocka_unit_test(keysHoldExactlyTheStatedMembers),
        cmocka_unit_test(featuresKeepKindAndIndex),
        cmocka_unit_test(featurePairsOfOneKindLieTogether),
        cmocka_unit_test(pairsAreMadeInOrder),
        cmocka_unit_test(timesOrderAsNumbers),
        cmocka_unit_test(sizesThatCannotBeCountedAreSaid),
    };
    return cmocka_run_group_tests_name("records", tests, NULL, NULL);
}
