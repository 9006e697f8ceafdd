// A test that is expected to fail passes only where its marked assertion, and nothing else, fails. Runs itself, once for each case.
#include "program_testing.h"

#include <signal.h>

#include "expected_failure.h"

static const char* g_program;
static ProgramRun g_run;

// ---- the tests that are run ----

static void fails(void** state) {
    (void)state;
    expectFailureAtMost("depth in m", 0.5, 0.01);
}

static void passes(void** state) {
    (void)state;
    expectFailureAtMost("depth in m", 0.01, 0.01);
}

static void failsElsewhere(void** state) {
    (void)state;
    assert_true(expectedFailureMarks == 1);
    expectFailureAtMost("depth in m", 0.5, 0.01);
}

static void failsBehindItsMark(void** state) {
    (void)state;
    expectFailureAtMost("depth in m", 0.5, 0.01);
    assert_true(expectedFailureMarks == 0);
}

static void crashes(void** state) {
    (void)state;
    expectFailureAtMost("depth in m", 0.5, 0.01);
    raise(SIGSEGV);
}

static void isNotMeasured(void** state) {
    (void)state;
    expectFailureAtMost("depth in m", (double)NAN, 0.01);
}

static void hasNoMark(void** state) {
    (void)state;
}

static void hasTwoMarks(void** state) {
    (void)state;
    expectFailureAtMost("depth in m", 0.5, 0.01);
    expectFailureAtMost("height in m", 0.5, 0.01);
}

static const struct CMUnitTest inner[] = {
    expected_failure_test(fails),          expected_failure_test(passes),
    expected_failure_test(failsElsewhere), expected_failure_test(failsBehindItsMark),
    expected_failure_test(crashes),        expected_failure_test(isNotMeasured),
    expected_failure_test(hasNoMark),      expected_failure_test(hasTwoMarks),
};

static int runInner(const char* name) {
    for (size_t i = 0; i < sizeof inner / sizeof inner[0]; ++i)
        if (strcmp(inner[i].name, name) == 0) {
            const struct CMUnitTest tests[] = {inner[i]};
            return cmocka_run_group_tests(tests, NULL, NULL);
        }
    return 100;
}

// ---- what comes of them ----

static void anExpectedFailureIsReportedAndPasses(void** state) {
    (void)state;
    assert_int_equal(runProgram(&g_run, g_program, "fails"), 0);
    assert_non_null(strstr(g_run.text, "[ EXPECTED ] fails: depth in m: 0.5, at most 0.01 is asked"));
}

static void aMendedFaultFails(void** state) {
    (void)state;
    assert_int_not_equal(runProgram(&g_run, g_program, "passes"), 0);
    assert_non_null(strstr(g_run.text, "passes is expected to fail and passes: take its mark away"));
}

static void nothingElseMayFail(void** state) {
    static const char* const names[] = {"failsElsewhere", "failsBehindItsMark", "crashes",
                                        "isNotMeasured",  "hasNoMark",          "hasTwoMarks"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        const int code = runProgram(&g_run, g_program, names[i]);
        if (code == 0 || code == 100)
            fail_msg("%s ends with %d", names[i], code);
    }
}

int main(int count, char** arguments) {
    if (count > 1)
        return runInner(arguments[1]);
    g_program = arguments[0];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anExpectedFailureIsReportedAndPasses),
        cmocka_unit_test(aMendedFaultFails),
        cmocka_unit_test(nothingElseMayFail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
