// result.h and host.h: every status has its sentence, cut to fit, and the hooks are called.
#define _POSIX_C_SOURCE 200809L
#include "testing.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "graze/graze.h"
#include "memory.h"
#include "result_make.h"

static void sentencesNameTheOffender(void** state) {
    (void)state;
    char text[128];
    assert_string_equal(grzResult_Text(grzFailAt(grz_notFinite, grz_partVertex, 17, 0), text, sizeof text),
                        "vertex 17: a number is not finite");
    assert_string_equal(grzResult_Text(grzFailAt(grz_indexTooLarge, grz_partTriangle, 3, 900), text, sizeof text),
                        "triangle 3: the index 900 names nothing");
    assert_string_equal(grzResult_Text(grzOk(), text, sizeof text), "ok");
    assert_string_equal(grzResult_Text(grzFail(grz_ioFailed, 2), text, sizeof text),
                        "reading or writing failed (error 2)");
    assert_string_equal(grzResult_Text(grzFail(grz_ioFailed, 0), text, sizeof text), "reading or writing failed");
    assert_true(grzResult_IsOk(grzOk()));
    assert_false(grzResult_IsOk(grzFail(grz_badDef, 0)));
}

static void aReasonReplacesTheSentence(void** state) {
    (void)state;
    char text[128];
    assert_null(grzFail(grz_badArgument, 1).reason);
    grzResult result = grzBecause(grzFail(grz_badArgument, 1), "positionStride is 100 % wrong: %s");
    assert_string_equal(grzResult_Text(result, text, sizeof text), "positionStride is 100 % wrong: %s");
    result = grzBecause(grzFailAt(grz_badArgument, grz_partFrame, 3, 1), "it waits");
    assert_string_equal(grzResult_Text(result, text, sizeof text), "frame 3: it waits");
}

static void halfAnAllocatorIsRefused(void** state) {
    (void)state;
    const grzAllocator whole = grzDefaultAllocator();
    grzAllocator half = {NULL, NULL, NULL};
    assert_true(grzResult_IsOk(grzCheckAllocator(half, 3)));
    assert_true(grzResult_IsOk(grzCheckAllocator(whole, 3)));
    half.allocate = whole.allocate;
    assert_int_equal(grzCheckAllocator(half, 3).status, grz_badArgument);
    assert_int_equal(grzCheckAllocator(half, 3).value, 3);
    half.allocate = NULL, half.release = whole.release;
    assert_int_equal(grzCheckAllocator(half, 3).status, grz_badArgument);
}

static void everyStatusHasASentence(void** state) {
    (void)state;
    char seen[grz_busy + 1][128];
    for (int status = 0; status <= grz_busy; ++status) {
        grzResult_Text(grzFail((grzStatus)status, UINT64_MAX), seen[status], sizeof seen[status]);
        assert_true(strlen(seen[status]) < sizeof seen[status] - 1);
        assert_string_not_equal(seen[status], "unknown status");
        for (int other = 0; other < status; ++other)
            assert_string_not_equal(seen[status], seen[other]);
    }
    for (int part = grz_partVertex; part <= grz_partElement; ++part)
        assert_true(strlen(grzResult_Text(grzFailAt(grz_systemFailed, (grzPart)part, UINT64_MAX, UINT64_MAX),
                                          seen[0], sizeof seen[0])) < sizeof seen[0] - 1);
}

static void textIsCutToFit(void** state) {
    (void)state;
    grzResult result = grzFailAt(grz_notFinite, grz_partVertex, 17, 0);
    char whole[128];
    grzResult_Text(result, whole, sizeof whole);
    for (size_t capacity = 1; capacity < sizeof whole; ++capacity) {
        char text[129];
        memset(text, '#', sizeof text);
        assert_ptr_equal(grzResult_Text(result, text, capacity), text);
        size_t expected = strlen(whole) < capacity ? strlen(whole) : capacity - 1;
        assert_int_equal(strlen(text), expected);
        assert_memory_equal(text, whole, expected);
        assert_int_equal(text[capacity], '#');
    }
    assert_string_equal(grzResult_Text(result, NULL, 0), "");
}

static void noMemorySaturates(void** state) {
    (void)state;
    assert_true(grzNoMemory(SIZE_MAX, 16).value == SIZE_MAX);
    assert_true(grzNoMemory(10, 16).value == 160);
}

typedef struct Heard {
    int count;
    grzLogLevel level;
    char text[600];
} Heard;

static void hear(void* context, grzLogLevel level, const char* text) {
    Heard* heard = context;
    heard->count++;
    heard->level = level;
    snprintf(heard->text, sizeof heard->text, "%s", text);
}

static void hearAssert(void* context, const char* condition, const char* file, int line) {
    Heard* heard = context;
    heard->count++;
    snprintf(heard->text, sizeof heard->text, "%s", condition);
    assert_non_null(strstr(file, "test_result"));
    assert_true(line > 0);
}

static void hooksAreCalled(void** state) {
    (void)state;
    Heard heard = {0};
    grzSetLogHook(hear, &heard);
    grzLog(grz_logWarning, "%d worlds", 3);
    assert_int_equal(heard.count, 1);
    assert_int_equal(heard.level, grz_logWarning);
    assert_string_equal(heard.text, "3 worlds");
    char endless[2000];
    memset(endless, 'x', sizeof endless);
    endless[sizeof endless - 1] = 0;
    grzLog(grz_logError, "%s", endless);
    assert_int_equal(strlen(heard.text), 511);
    grzSetLogHook(NULL, NULL);

    heard.count = 0;
    grzSetAssertHook(hearAssert, &heard);
    int one = 1;
    GRZ_ASSERT(one == 1);
    assert_int_equal(heard.count, 0);
    GRZ_ASSERT(one == 2);
    GRZ_VALIDATE(one == 3);
    int expected = 0;
#if defined(GRAZE_ASSERTS)
    expected++;
#endif
#if defined(GRAZE_VALIDATION)
    expected++;
#endif
    assert_int_equal(heard.count, expected);
    grzSetAssertHook(NULL, NULL);
}

// What `say` writes to standard error.
static void hearStandardError(void (*say)(void), char* text, size_t capacity) {
    fflush(stderr);
    FILE* file = tmpfile();
    int before = dup(STDERR_FILENO);
    assert_true(file != NULL && before >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    say();
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(file);
    text[fread(text, 1, capacity - 1, file)] = 0;
    fclose(file);
}

static void sayOneOfEach(void) {
    grzLog(grz_logInfo, "a");
    grzLog(grz_logWarning, "b");
    grzLog(grz_logError, "c");
}

static void theDefaultLogIsSilentOnInfo(void** state) {
    (void)state;
    char text[100];
    Heard heard = {0};
    hearStandardError(sayOneOfEach, text, sizeof text);
    assert_string_equal(text, "graze: b\ngraze: c\n");
    grzSetLogHook(hear, &heard);
    hearStandardError(sayOneOfEach, text, sizeof text);
    assert_string_equal(text, "");
    assert_int_equal(heard.count, 3);
    grzSetLogHook(NULL, NULL);
    hearStandardError(sayOneOfEach, text, sizeof text);
    assert_string_equal(text, "graze: b\ngraze: c\n");
    assert_int_equal(heard.count, 3);
}

static void failInAChild(void) {
    pid_t child = fork();
    if (child == 0) {
        grzAssertFailed("one == 2", "file.c", 7);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void theDefaultAssertEndsTheProcess(void** state) {
    (void)state;
    char text[200];
    grzSetAssertHook(hearAssert, text);
    grzSetAssertHook(NULL, NULL);
    hearStandardError(failInAChild, text, sizeof text);
    assert_string_equal(text, "graze: assert failed: one == 2 (file.c:7)\n");
}

static void versionMatchesTheHeaders(void** state) {
    (void)state;
    grzVersion version = grzGetVersion();
    assert_int_equal(version.major, GRZ_VERSION_MAJOR);
    assert_int_equal(version.minor, GRZ_VERSION_MINOR);
    assert_int_equal(version.patch, GRZ_VERSION_PATCH);
}

static void defaultAllocatorAligns(void** state) {
    (void)state;
    grzAllocator allocator = grzDefaultAllocator();
    for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
        for (size_t size = 1; size < 300; size += 37) {
            void* memory = grzAllocate(&allocator, size, 3, alignment);
            assert_non_null(memory);
            assert_int_equal((uintptr_t)memory % alignment, 0);
            memset(memory, 1, size * 3);
            grzRelease(&allocator, memory, size, 3, alignment);
        }
    }
    assert_null(grzAllocate(&allocator, 0, 3, 8));
    assert_null(grzAllocate(&allocator, SIZE_MAX / 2, 3, 8));
    assert_null(allocator.allocate(NULL, SIZE_MAX - 1, 64));
    grzRelease(&allocator, NULL, 3, 3, 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sentencesNameTheOffender),
        cmocka_unit_test(everyStatusHasASentence),
        cmocka_unit_test(aReasonReplacesTheSentence),
        cmocka_unit_test(halfAnAllocatorIsRefused),
        cmocka_unit_test(textIsCutToFit),
        cmocka_unit_test(noMemorySaturates),
        cmocka_unit_test(hooksAreCalled),
        cmocka_unit_test(theDefaultLogIsSilentOnInfo),
        cmocka_unit_test(theDefaultAssertEndsTheProcess),
        cmocka_unit_test(versionMatchesTheHeaders),
        cmocka_unit_test(defaultAllocatorAligns),
    };
    return cmocka_run_group_tests_name("result", tests, NULL, NULL);
}
