// exact_sum.h: signs against 128-bit integers, cancellation over the whole range of doubles, carries over all
// words.
#include "testing.h"

#include <float.h>
#include <math.h>

#include "exact_sum.h"
#include "rng.h"

__extension__ typedef __int128 Wide;

static double randomFinite(grzRng* random) {
    for (;;) {
        const uint64_t bits = grzRng_Next64(random);
        double number;
        memcpy(&number, &bits, sizeof number);
        if (isfinite(number))
            return number;
    }
}

static int signOf(Wide number) {
    return (number > 0) - (number < 0);
}

static void agreesWithIntegers(void** state) {
    (void)state;
    grzRng random = grzRng_Make(testSeed(0x5eed0001), 0);
    int zeroCount = 0;
    for (int round = 0; round < 20000; ++round) {
        grzExactSum sum = {{0}};
        Wide expected = 0;
        const int bits = 1 + (int)(grzRng_Next64(&random) % 52);
        const int scale = (int)(grzRng_Next64(&random) % 900) - 450;
        for (int i = 0; i < 6; ++i) {
            const int64_t a = (int64_t)grzRng_Next64(&random) >> (63 - bits);
            const int64_t b = (int64_t)grzRng_Next64(&random) >> (63 - bits);
            grzExactSum_AddProduct(&sum, ldexp((double)a, scale), ldexp((double)b, -scale / 2));
            expected += (Wide)a * b;
            assert_int_equal(grzExactSum_Sign(&sum), signOf(expected));
            zeroCount += expected == 0;
        }
    }
    assert_true(zeroCount > 100);
}

typedef struct Product {
    double a, b;
} Product;

static void shuffle(Product* products, size_t count, grzRng* random) {
    for (size_t i = count - 1; i > 0; --i) {
        const size_t j = (size_t)(grzRng_Next64(random) % (i + 1));
        const Product kept = products[i];
        products[i] = products[j];
        products[j] = kept;
    }
}

// Any numbers and their opposites, in any order, leave exactly the one product that was added alone.
static void cancelsAcrossTheWholeRange(void** state) {
    (void)state;
    grzRng random = grzRng_Make(testSeed(0x5eed0002), 0);
    enum { PAIRS = 20 };
    for (int round = 0; round < 2000; ++round) {
        Product products[2 * PAIRS + 1];
        for (int i = 0; i < PAIRS; ++i) {
            products[i] = (Product){randomFinite(&random), randomFinite(&random)};
            products[PAIRS + i] = (Product){-products[i].b, products[i].a};
        }
        const Product alone = {randomFinite(&random), randomFinite(&random)};
        const bool hasAlone = round % 3 != 0;
        products[2 * PAIRS] = hasAlone ? alone : (Product){0.0, alone.b};
        shuffle(products, 2 * PAIRS + 1, &random);
        grzExactSum sum = {{0}};
        for (int i = 0; i < 2 * PAIRS + 1; ++i)
            grzExactSum_AddProduct(&sum, products[i].a, products[i].b);
        const int expected = (alone.a < 0) == (alone.b < 0) ? 1 : -1;
        assert_int_equal(grzExactSum_Sign(&sum), hasAlone ? expected : 0);
    }
}

static void smallestAndLargestMeet(void** state) {
    (void)state;
    const double smallest = ldexp(1, -1074);
    grzExactSum sum = {{0}};
    grzExactSum_AddProduct(&sum, smallest, -smallest); // a borrow through every word
    assert_int_equal(grzExactSum_Sign(&sum), -1);
    for (int i = 0; i < GRZ_EXACT_SUM_WORDS; ++i)
        assert_true(sum.words[i] == UINT64_MAX);
    grzExactSum_AddProduct(&sum, smallest, smallest); // and a carry back
    assert_int_equal(grzExactSum_Sign(&sum), 0);
    for (int i = 0; i < 100000; ++i)
        grzExactSum_AddProduct(&sum, DBL_MAX, DBL_MAX);
    assert_int_equal(grzExactSum_Sign(&sum), 1);
    grzExactSum_AddProduct(&sum, -smallest, smallest);
    for (int i = 0; i < 100000; ++i)
        grzExactSum_AddProduct(&sum, -DBL_MAX, DBL_MAX);
    assert_int_equal(grzExactSum_Sign(&sum), -1);
    grzExactSum_AddProduct(&sum, 2 * smallest, smallest);
    assert_int_equal(grzExactSum_Sign(&sum), 1);
}

static void zerosOfBothSignsAddNothing(void** state) {
    (void)state;
    grzExactSum sum = {{0}};
    grzExactSum_AddProduct(&sum, 0.0, DBL_MAX);
    grzExactSum_AddProduct(&sum, -0.0, DBL_MAX);
    grzExactSum_AddProduct(&sum, -DBL_MAX, -0.0);
    assert_int_equal(grzExactSum_Sign(&sum), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agreesWithIntegers),
        cmocka_unit_test(cancelsAcrossTheWholeRange),
        cmocka_unit_test(smallestAndLargestMeet),
        cmocka_unit_test(zerosOfBothSignsAddNothing),
    };
    return cmocka_run_group_tests_name("exact_sum", tests, NULL, NULL);
}
