// The loops of cloth against plain ones, one constraint after the other: the same bytes at every level.
#include <math.h>

#include "cloth_kernel.h"
#include "rng.h"
#include "simd_dispatch.h"
#include "testing.h"

#define ROWS   168u
#define GROUPS 10u

typedef struct Sheet {
    float now[4 * ROWS], before[4 * ROWS], velocity[4 * ROWS];
} Sheet;

static float between(grzRng* rng, float lower, float upper) {
    return lower + (upper - lower) * (float)(grzRng_Next(rng) >> 8) / 16777216.0f;
}

// The last eight rows are at rest: row ROWS - 8 is the spare one.
static void fillSheet(grzRng* rng, Sheet* sheet) {
    memset(sheet, 0, sizeof *sheet);
    for (uint32_t i = 0; i < 4 * (ROWS - 8); ++i) {
        const bool isMass = i % 4 == 3;
        sheet->now[i] = isMass ? (grzRng_Next(rng) % 8 == 0 ? 0 : between(rng, 1, 1000)) : between(rng, -1, 1);
        sheet->velocity[i] = isMass ? 0 : between(rng, -3, 3);
        sheet->before[i] = sheet->now[i] + between(rng, -0.01f, 0.01f);
    }
}

// Different rows for all lanes, but that each eighth lane may rest; shuffled.
static void fillNames(grzRng* rng, int32_t* names, uint32_t width) {
    int32_t order[ROWS - 8];
    for (int32_t i = 0; i < (int32_t)(ROWS - 8); ++i)
        order[i] = i;
    for (uint32_t i = ROWS - 9; i > 0; --i) {
        const uint32_t other = grzRng_Next(rng) % (i + 1);
        const int32_t swapped = order[i];
        order[i] = order[other];
        order[other] = swapped;
    }
    for (uint32_t lane = 0; lane < 8; ++lane) {
        const bool rests = grzRng_Next(rng) % 8 == 0;
        for (uint32_t k = 0; k < width; ++k)
            names[8 * k + lane] = rests ? (int32_t)(ROWS - 8) : order[width * lane + k];
    }
}

static void move(float* row, float scale, const float* direction) {
    for (int axis = 0; axis < 3; ++axis)
        row[axis] = row[axis] + scale * direction[axis];
}

static float dot(const float* a, const float* b) {
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

static bool plainStretch(float* now, const ClothStretch8* group, float softness) {
    bool isStrained = false;
    for (int lane = 0; lane < 8; ++lane) {
        float *a = now + 4 * group->a[lane], *b = now + 4 * group->b[lane], d[3];
        for (int axis = 0; axis < 3; ++axis)
            d[axis] = a[axis] - b[axis];
        const float length = sqrtf(dot(d, d)), weight = (a[3] + b[3]) + softness;
        const float pull = length * weight > 0 ? (length - group->rest[lane]) / (length * weight) : 0;
        isStrained |= pull * weight > 1 - 1 / CLOTH_STRAIN;
        move(a, -(pull * a[3]), d);
        move(b, pull * b[3], d);
    }
    return isStrained;
}

static float plainExcess(float* const at[4], const float* k, float rest) {
    float e[3], f[3];
    for (int axis = 0; axis < 3; ++axis) {
        e[axis] = at[1][axis] - at[0][axis];
        f[axis] = at[3][axis] - at[2][axis];
    }
    const float normal[3] = {e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]};
    float length = sqrtf(dot(k, k));
    length = length > 0.01f ? length : 0.01f;
    return 1 - rest / (dot(k, normal) < 0 ? -length : length);
}

static void plainBend(float* now, const ClothBend8* group, float softness) {
    for (int lane = 0; lane < 8; ++lane) {
        float* at[4];
        for (int v = 0; v < 4; ++v)
            at[v] = now + 4 * group->vertices[v][lane];
        const float c1 = group->c[0][lane], c2 = group->c[1][lane], c3 = group->c[2][lane];
        const float c[4] = {-((c1 + c2) + c3), c1, c2, c3};
        float k[3], weight = softness;
        for (int axis = 0; axis < 3; ++axis)
            k[axis] = (c1 * (at[1][axis] - at[0][axis]) + c2 * (at[2][axis] - at[0][axis])) +
                      c3 * (at[3][axis] - at[0][axis]);
        for (int v = 0; v < 4; ++v)
            weight = weight + (at[v][3] * c[v]) * c[v];
        const float excess = plainExcess(at, k, group->rest[lane]);
        const float lambda = -(weight > 0 ? excess / weight : 0);
        for (int v = 0; v < 4; ++v)
            move(at[v], lambda * (at[v][3] * c[v]), k);
    }
}

static bool isSupported(grzSimdLevel level) {
    return (grzSimd_SupportedBits() >> level & 1) != 0;
}

static void test_stretches_are_those_of_a_plain_loop(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(71), 0);
    for (int round = 0; round < 40; ++round) {
        Sheet sheet, plain;
        ClothStretch8 groups[GROUPS];
        const float softness = round % 3 == 0 ? 0 : between(&rng, 0, 300);
        fillSheet(&rng, &sheet);
        for (uint32_t g = 0; g < GROUPS; ++g) {
            int32_t names[16];
            fillNames(&rng, names, 2);
            memcpy(groups[g].a, names, sizeof groups[g].a);
            memcpy(groups[g].b, names + 8, sizeof groups[g].b);
            for (int lane = 0; lane < 8; ++lane)
                groups[g].rest[lane] = between(&rng, 0, 1);
        }
        plain = sheet;
        bool isPlainStrained = false;
        for (uint32_t g = 0; g < GROUPS; ++g)
            isPlainStrained |= plainStretch(plain.now, &groups[g], softness);
        assert_memory_not_equal(plain.now, sheet.now, sizeof sheet.now);
        for (int level = grz_simdScalar; level < 32; ++level) {
            if (!isSupported((grzSimdLevel)level))
                continue;
            Sheet own = sheet;
            const bool isStrained = grzClothStretch_At((grzSimdLevel)level)(own.now, groups, GROUPS, softness);
            assert_memory_equal(own.now, plain.now, sizeof own.now);
            assert_int_equal(isStrained, isPlainStrained);
        }
    }
}

static void test_bends_are_those_of_a_plain_loop(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(72), 0);
    for (int round = 0; round < 40; ++round) {
        Sheet sheet, plain;
        ClothBend8 groups[GROUPS];
        const float softness = round % 3 == 0 ? 0 : between(&rng, 0, 3000);
        fillSheet(&rng, &sheet);
        for (uint32_t g = 0; g < GROUPS; ++g) {
            fillNames(&rng, &groups[g].vertices[0][0], 4);
            for (int lane = 0; lane < 8; ++lane) {
                for (int v = 0; v < 3; ++v)
                    groups[g].c[v][lane] = between(&rng, -3, 3);
                groups[g].rest[lane] = lane % 2 == 0 ? 0 : between(&rng, -1, 1);
            }
        }
        plain = sheet;
        for (uint32_t g = 0; g < GROUPS; ++g)
            plainBend(plain.now, &groups[g], softness);
        assert_memory_not_equal(plain.now, sheet.now, sizeof sheet.now);
        for (int level = grz_simdScalar; level < 32; ++level) {
            if (!isSupported((grzSimdLevel)level))
                continue;
            Sheet own = sheet;
            grzClothBend_At((grzSimdLevel)level)(own.now, groups, GROUPS, softness);
            assert_memory_equal(own.now, plain.now, sizeof own.now);
        }
    }
}

static bool isFree(const Sheet* sheet, uint32_t i) {
    return i % 4 != 3 && sheet->now[i / 4 * 4 + 3] > 0;
}

static void plainFly(Sheet* sheet, const ClothFlight* flight) {
    memcpy(sheet->before, sheet->now, sizeof sheet->now);
    for (uint32_t i = 0; i < 4 * ROWS; ++i) {
        if (i % 4 != 3)
            sheet->velocity[i] = isFree(sheet, i) ? sheet->velocity[i] * flight->keep + flight->pull[i % 4] : 0;
        if (isFree(sheet, i))
            sheet->now[i] = sheet->now[i] + flight->h * sheet->velocity[i];
    }
}

static void plainSpeed(Sheet* sheet, const ClothFlight* flight) {
    for (uint32_t i = 0; i < 4 * ROWS; ++i) {
        const float own = sheet->velocity[i], flown = sheet->before[i] + flight->h * own;
        if (i % 4 != 3)
            sheet->velocity[i] = own + (sheet->now[i] - flown) * flight->rate;
    }
}

// Between the two every other row is moved.
static void push(Sheet* sheet) {
    for (uint32_t i = 0; i < 4 * (ROWS - 8); ++i)
        if (i / 4 % 2 == 0 && i % 4 != 3)
            sheet->now[i] += 0.01f;
}

static void test_flight_and_speed_are_those_of_a_plain_loop(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(73), 0);
    Sheet sheet, plain;
    fillSheet(&rng, &sheet);
    ClothFlight flight = {.pull = {0.1f, -0.2f, 0.3f}, .keep = 0.99f, .h = 1.0f / 512, .rate = 512};
    plain = sheet;
    plainFly(&plain, &flight);
    const Sheet flown = plain;
    push(&plain);
    plainSpeed(&plain, &flight);
    for (uint32_t i = 0; i < 4 * ROWS; ++i)
        if (i / 4 % 2 == 1)
            assert_true(plain.velocity[i] == flown.velocity[i]); // not moved, so not rounded
    for (int level = grz_simdScalar; level < 32; ++level) {
        if (!isSupported((grzSimdLevel)level))
            continue;
        Sheet own = sheet;
        flight.now = own.now, flight.before = own.before, flight.velocity = own.velocity;
        grzClothFly_At((grzSimdLevel)level)(&flight, 0, ROWS);
        push(&own);
        grzClothSpeed_At((grzSimdLevel)level)(&flight, 0, ROWS);
        assert_memory_equal(&own, &plain, sizeof own);
    }
}

static void plainTether(Sheet* sheet, const ClothTethers* tethers) {
    for (uint32_t row = 0; row < ROWS; ++row) {
        float *now = sheet->now + 4 * row, d[3];
        const float* pin = tethers->pinPlaces + 4 * tethers->pins[row];
        for (int axis = 0; axis < 3; ++axis)
            d[axis] = now[axis] - pin[axis];
        const float length = sqrtf(dot(d, d));
        if (!(length > tethers->lengths[row] && now[3] > 0))
            continue;
        const float back = tethers->lengths[row] * (1 / length) - 1;
        move(now, back, d);
    }
}

static void test_tethers_are_those_of_a_plain_loop(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(74), 0);
    Sheet sheet, plain;
    fillSheet(&rng, &sheet);
    const float places[12] = {0.5f, 0.5f, 0.5f, 0, -1, 0, 0, 0, 0, 0, 0, 0};
    uint32_t pins[ROWS];
    float lengths[ROWS];
    for (uint32_t row = 0; row < ROWS; ++row) {
        pins[row] = row % 5 == 0 ? 2 : row % 2;
        lengths[row] = row % 5 == 0 ? INFINITY : between(&rng, 0, 2);
    }
    plain = sheet;
    for (int pass = 0; pass < 2; ++pass) {
        const ClothTethers tethers = {NULL, places, pins, lengths};
        plainTether(&plain, &tethers);
    }
    for (int level = grz_simdScalar; level < 32; ++level) {
        if (!isSupported((grzSimdLevel)level))
            continue;
        Sheet own = sheet;
        for (int pass = 0; pass < 2; ++pass) {
            const ClothTethers tethers = {own.now, places, pins, lengths};
            grzClothTether_At((grzSimdLevel)level)(&tethers, 0, ROWS);
        }
        for (uint32_t i = 0; i < 4 * ROWS; ++i) { // 0 and -0 may stand for each other where nothing pulls
            assert_true(own.now[i] == plain.now[i]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stretches_are_those_of_a_plain_loop),
        cmocka_unit_test(test_bends_are_those_of_a_plain_loop),
        cmocka_unit_test(test_flight_and_speed_are_those_of_a_plain_loop),
        cmocka_unit_test(test_tethers_are_those_of_a_plain_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
