// openmp.h: the macros take clauses with commas, and loops by its rules give the same bytes as loops without it.
#include "testing.h"

#include "openmp.h"

#define COUNT 5000

static float valueOf(int i) {
    float x = 1.0f + (float)i;
    for (int k = 0; k < 20; ++k)
        x = x * 0.75f + 1.0f / x;
    return x;
}

static void parallelLoopsGiveTheSameBytes(void** state) {
    (void)state;
    static float plain[COUNT], shared[COUNT], uneven[COUNT];
    for (int i = 0; i < COUNT; ++i)
        plain[i] = valueOf(i);
    GRZ_OMP_PARALLEL_FOR()
    for (int i = 0; i < COUNT; ++i)
        shared[i] = valueOf(i);
    GRZ_OMP_PARALLEL_FOR(schedule(dynamic, 7) num_threads(3))
    for (int i = 0; i < COUNT; ++i)
        uneven[i] = valueOf(i);
    assert_memory_equal(plain, shared, sizeof plain);
    assert_memory_equal(plain, uneven, sizeof plain);
}

static void simdLoopsGiveTheSameBytes(void** state) {
    (void)state;
    static float plain[COUNT], wide[COUNT];
    for (int i = 0; i < COUNT; ++i)
        plain[i] = (float)i * 0.1f + 3.0f;
    GRZ_OMP_SIMD()
    for (int i = 0; i < COUNT; ++i)
        wide[i] = (float)i * 0.1f + 3.0f;
    assert_memory_equal(plain, wide, sizeof plain);
}

#if defined(GRAZE_OPENMP)
static _Thread_local char t_mark; // its address tells threads apart

static void parallelLoopsUseSeveralThreads(void** state) {
    (void)state;
    const char* threads[4] = {NULL};
    GRZ_OMP_PARALLEL_FOR(schedule(static, 1) num_threads(4))
    for (int i = 0; i < 4; ++i)
        threads[i] = &t_mark;
    bool several = false;
    for (int i = 1; i < 4; ++i)
        several = several || threads[i] != threads[0];
    assert_true(several);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parallelLoopsGiveTheSameBytes),
        cmocka_unit_test(simdLoopsGiveTheSameBytes),
#if defined(GRAZE_OPENMP)
        cmocka_unit_test(parallelLoopsUseSeveralThreads),
#endif
    };
    return cmocka_run_group_tests_name("omp", tests, NULL, NULL);
}
