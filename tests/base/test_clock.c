// clock.h: the reading is the system's monotonic clock, in nanoseconds.
#define _POSIX_C_SOURCE 200809L
#include "testing.h"

#include <time.h>

#include "clock.h"

static uint64_t readSystem(void) {
    struct timespec now;
    assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &now), 0);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void readingsLieBetweenTheSystems(void** state) {
    (void)state;
    for (int i = 0; i < 20000; ++i) {
        uint64_t before = readSystem(), ours = grzMonotonicNanoseconds(), after = readSystem();
        assert_true(before <= ours && ours <= after);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(readingsLieBetweenTheSystems)};
    return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
