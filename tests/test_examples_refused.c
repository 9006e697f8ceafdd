// The examples' own sources, with memory refused at any request. If a refused call is repeated, an example prints what it prints with
// all memory; if not, it ends with an error. It releases all in both cases.
#include "testing.h"

#include <stdarg.h>

#include "refusal_example.h"

// The linker puts this in place of the library's own (tests/CMakeLists.txt).
grzAllocator __wrap_grzDefaultAllocator(void);
grzAllocator __wrap_grzDefaultAllocator(void) {
    return refusingAllocator();
}

int notePrinted(const char* format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    assert_in_range(length, 1, sizeof text - 1);
    noteBytes(text, (size_t)length);
    return length;
}

int leavePrinted(FILE* file, const char* format, ...) {
    (void)file, (void)format;
    return 0;
}

static uint64_t noTime(void* context) {
    (void)context;
    return 0;
}

grzProfileDef timelessProfileDef(void) {
    grzProfileDef def = (grzDefaultProfileDef)();
    def.clock = noTime;
    return def;
}

grzProbeBudget timelessBudget(void) {
    grzProbeBudget budget = grzUnlimitedProbeBudget();
    budget.work = 500;
    return budget;
}

static void crowdProbe(void) {
    noteOutcome((uint64_t)crowd_probe_main());
}

static void hello(void) {
    noteOutcome((uint64_t)hello_main());
}

static void collideOnly(void) {
    noteOutcome((uint64_t)collide_only_main());
}

static void movingMesh(void) {
    noteOutcome((uint64_t)moving_mesh_main());
}

static void ownStep(void) {
    noteOutcome((uint64_t)own_step_main());
}

static void traceTasks(void) {
    char name[] = "trace_tasks", path[] = "/dev/null", *arguments[] = {name, path};
    noteOutcome((uint64_t)trace_tasks_main(2, arguments));
}

static void whatTouches(void) {
    noteOutcome((uint64_t)what_touches_main());
}

static void coherentFronts(void) {
    noteOutcome((uint64_t)coherent_fronts_main());
}

static void fallingSheet(void) {
    noteOutcome((uint64_t)falling_sheet_main());
}

static void fastBodies(void) {
    noteOutcome((uint64_t)fast_bodies_main());
}

static void foldingSheet(void) {
    noteOutcome((uint64_t)folding_sheet_main());
}

static void likelyContacts(void) {
    noteOutcome((uint64_t)likely_contacts_main());
}

static void nestedTrees(void) {
    noteOutcome((uint64_t)nested_trees_main());
}

static void rollingSheet(void) {
    noteOutcome((uint64_t)rolling_sheet_main());
}

static void sleepUntil(void) {
    noteOutcome((uint64_t)sleep_until_main());
}

static void test_coherentFronts(void** state) {
    (void)state;
    testDearRefusals(&(RefusalScript){"coherent_fronts", coherentFronts, 8});
}

static void test_fallingSheet(void** state) {
    (void)state;
    testDearRefusals(&(RefusalScript){"falling_sheet", fallingSheet, 8});
}

static void test_fastBodies(void** state) {
    (void)state;
    testDearRefusals(&(RefusalScript){"fast_bodies", fastBodies, 8});
}

static void test_foldingSheet(void** state) {
    (void)state;
    testDearRefusals(&(RefusalScript){"folding_sheet", foldingSheet, 8});
}

static void test_likelyContacts(void** state) {
    (void)state;
    testDearRefusals(&(RefusalScript){"likely_contacts", likelyContacts, 8});
}

static void test_sleepUntil(void** state) {
    (void)state;
    testDearRefusals(&(RefusalScript){"sleep_until", sleepUntil, 8});
}

static void test_nestedTrees(void** state) {
    (void)state;
    testDearRefusals(&(RefusalScript){"nested_trees", nestedTrees, 8});
}

static void test_crowdProbe(void** state) {
    (void)state;
    testDearRefusals(&(RefusalScript){"crowd_probe", crowdProbe, 8});
}

static void test_hello(void** state) {
    (void)state;
    testDearRefusals(&(RefusalScript){"hello", hello, 20});
}

static void test_collideOnly(void** state) {
    (void)state;
    testDearRefusals(&(RefusalScript){"collide_only", collideOnly, 60});
}

static void test_movingMesh(void** state) {
    (void)state;
    testDearRefusals(&(RefusalScript){"moving_mesh", movingMesh, 8});
}

static void test_ownStep(void** state) {
    (void)state;
    testDearRefusals(&(RefusalScript){"own_step", ownStep, 8});
}

static void test_traceTasks(void** state) {
    (void)state;
    testDearRefusals(&(RefusalScript){"trace_tasks", traceTasks, 8});
}

static void test_rollingSheet(void** state) {
    (void)state;
    testDearRefusals(&(RefusalScript){"rolling_sheet", rollingSheet, 8});
}

static void test_whatTouches(void** state) {
    (void)state;
    testDearRefusals(&(RefusalScript){"what_touches", whatTouches, 8});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crowdProbe),     cmocka_unit_test(test_hello),
        cmocka_unit_test(test_collideOnly),    cmocka_unit_test(test_movingMesh),
        cmocka_unit_test(test_ownStep),        cmocka_unit_test(test_traceTasks),
        cmocka_unit_test(test_whatTouches),    cmocka_unit_test(test_coherentFronts),
        cmocka_unit_test(test_fallingSheet),   cmocka_unit_test(test_fastBodies),
        cmocka_unit_test(test_foldingSheet),   cmocka_unit_test(test_nestedTrees),
        cmocka_unit_test(test_likelyContacts), cmocka_unit_test(test_rollingSheet),
        cmocka_unit_test(test_sleepUntil),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
