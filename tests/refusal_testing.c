#include "refusal_testing.h"

#include "testing.h"

#include <stdatomic.h>

#include "hash.h"
#include "result_make.h"
#include "rng.h"

enum { firstRequests = 500, sampledRequests = 200, dearShare = 10, mostCalls = 1 << 14 };

// One run: what is refused in it, and how far it has come.
typedef struct Run {
    const RefusalScript* script;
    size_t refusedFrom; // a request; SIZE_MAX: none
    bool isLasting;     // all requests from there on, not one alone
    bool isRepeating;   // refused calls are repeated, not skipped
    bool isValidated;   // from the first call on, not from the first refusal on
    size_t mostSkips;   // calls that are refused before there is memory again
    size_t lastCall;    // all calls behind it are skipped
    const bool* skips;  // by call: it is skipped; NULL: none

    size_t requests, skipCount, callCount;
    bool isPaused;   // requests of Validate are neither counted nor refused
    bool isShort;    // there is no memory
    bool wasRefused; // some request
    uint64_t trail;  // of all that was noted
    // Of the call under way:
    bool isMade, isRefused;
    uint32_t tries;
    grzResult result;
} Run;

static Run g_run;
static TestMemory g_memory;
// Of the last run, by call: its trail at the end of the call, the call's text, whether it was refused, whether it was skipped then.
static uint64_t g_trail[mostCalls];
static const char* g_text[mostCalls];
static bool g_isRefused[mostCalls], g_isSkipped[mostCalls];

// ---- memory ----

static bool isNextRefused(void) {
    Run* run = &g_run;
    if (run->isPaused)
        return false;
    const bool isFirst = run->requests++ == run->refusedFrom;
    run->isShort |= isFirst && run->isLasting;
    if (!isFirst && !run->isShort)
        return false;
    return run->isRefused = run->wasRefused = true;
}

static atomic_flag g_isBusy = ATOMIC_FLAG_INIT; // an allocator call is under way, of any worker

static void* allocate(void* context, size_t size, size_t alignment) {
    while (atomic_flag_test_and_set(&g_isBusy))
        continue;
    void* const memory = isNextRefused() ? NULL : testAllocate(context, size, alignment);
    atomic_flag_clear(&g_isBusy);
    return memory;
}

static void release(void* context, void* memory, size_t size, size_t alignment) {
    while (atomic_flag_test_and_set(&g_isBusy))
        continue;
    testRelease(context, memory, size, alignment);
    atomic_flag_clear(&g_isBusy);
}

grzAllocator refusingAllocator(void) {
    return (grzAllocator){&g_memory, allocate, release};
}

// ---- calls ----

void noteOutcome(uint64_t outcome) {
    g_run.trail = (g_run.trail ^ outcome) * UINT64_C(0x9E3779B97F4A7C15);
    g_run.trail ^= g_run.trail >> 29;
}

void noteBytes(const void* bytes, size_t size) {
    grzHash hash = grzHash_Begin(0);
    if (size != 0)
        grzHash_Add(&hash, bytes, size);
    noteOutcome(grzHash_End(&hash));
}

static void failRun(const char* what, size_t call) {
    const Run* run = &g_run;
    for (size_t i = 0; i <= call; ++i)
        if (g_isRefused[i])
            print_error("refused: call %zu, %s\n", i, g_text[i]);
    fail_msg("%s: request %zu %s refused, refused calls %s: %s, call %zu, %s", run->script->name, run->refusedFrom,
             run->isLasting ? "and all after it" : "alone", run->isRepeating ? "repeated" : "skipped", what, call,
             g_text[call]);
}

bool beginCall(const char* text) {
    Run* run = &g_run;
    const size_t call = run->callCount;
    assert_true(call < mostCalls);
    g_text[call] = text;
    g_isRefused[call] = run->isRefused = false;
    run->tries = 0;
    run->result = (grzResult){.status = grz_outOfMemory};
    run->isMade = call <= run->lastCall && !(run->skips != NULL && run->skips[call]);
    return run->isMade;
}

bool isRepeated(grzResult result) {
    Run* run = &g_run;
    run->result = result;
    if (result.status != grz_outOfMemory)
        return false;
    if (!run->isRefused)
        failRun("out of memory, though no request was refused", run->callCount);
    if (!run->isRepeating)
        return false;
    if (++run->tries > 1) // refused once more while there was no memory
        run->isShort = false;
    if (run->tries > 2)
        failRun("refused though there is memory again", run->callCount);
    return true;
}

bool mustValidate(void) {
    Run* run = &g_run;
    run->isPaused = run->isMade && (run->isValidated || run->wasRefused);
    return run->isPaused;
}

grzResult endCall(bool isValid) {
    Run* run = &g_run;
    const size_t call = run->callCount++;
    run->isPaused = false;
    g_isRefused[call] = run->isRefused;
    g_isSkipped[call] = run->isMade && run->result.status == grz_outOfMemory;
    if (!isValid)
        failRun("a broken object", call);
    run->skipCount += g_isSkipped[call];
    run->isShort = run->isShort && run->skipCount < run->mostSkips;
    if (run->isRefused && run->lastCall != SIZE_MAX)
        run->lastCall = call + run->script->patience;
    noteOutcome((uint64_t)run->result.status);
    g_trail[call] = run->trail;
    return run->result;
}

// ---- runs ----

static void runOnce(Run run) {
    g_run = run;
    g_memory = (TestMemory){.failAt = SIZE_MAX};
    run.script->run();
    (void)CALL(grzOk(), true); // its end
    if (g_memory.liveCount != 0)
        failRun("memory is not released", g_run.callCount - 1);
}

// Of the calls that the last run made.
static size_t madeCount(void) {
    return g_run.lastCall < g_run.callCount ? g_run.lastCall + 1 : g_run.callCount;
}

static void compareTrails(const uint64_t* trail, const uint64_t* wanted, size_t count) {
    for (size_t call = 0; call < count; ++call)
        if (trail[call] != wanted[call])
            failRun("another outcome", call);
}

// Compares the last run with one that has all memory and skips the same calls. That one serves for all runs that skip the same.
static void compareSkipping(void) {
    static bool skips[mostCalls], isRefused[mostCalls];
    static uint64_t trail[mostCalls], wanted[mostCalls];
    static void (*lastScript)(void);
    static size_t lastCount;
    const Run run = g_run;
    const size_t count = madeCount();
    memcpy(trail, g_trail, count * sizeof *trail);
    memcpy(isRefused, g_isRefused, count * sizeof *isRefused);
    if (lastScript != run.script->run || lastCount != count ||
        memcmp(skips, g_isSkipped, count * sizeof *skips) != 0) {
        lastScript = run.script->run, lastCount = count;
        memcpy(skips, g_isSkipped, count * sizeof *skips);
        runOnce((Run){.script = run.script, .refusedFrom = SIZE_MAX, .lastCall = count - 1, .skips = skips});
        assert_int_equal(g_run.callCount, run.callCount);
        memcpy(wanted, g_trail, count * sizeof *wanted);
    }
    g_run = run;
    memcpy(g_isRefused, isRefused, count * sizeof *isRefused);
    compareTrails(trail, wanted, count);
}

static void refuseAt(Run run, const uint64_t* wanted) {
    for (int kind = 0; kind < 4; ++kind) {
        run.isLasting = kind >= 2, run.isRepeating = kind % 2 == 0;
        run.mostSkips = run.isRepeating ? SIZE_MAX : 1 + run.refusedFrom / 8 % 8;
        runOnce(run);
        if (run.isRepeating)
            compareTrails(g_trail, wanted, madeCount());
        else
            compareSkipping();
    }
}

// Of more requests the first ones are refused, and some others.
static void testShare(const RefusalScript* script, size_t most, size_t sampled) {
    static uint64_t wanted[mostCalls];
    const bool isWhole = getenv("GRAZE_ALL_REFUSALS") != NULL;
    for (int i = 0; i < 2; ++i) { // the second as the others are, where the first is validated
        runOnce((Run){.script = script, .refusedFrom = SIZE_MAX, .lastCall = SIZE_MAX, .isValidated = i == 0});
        if (i == 1 && memcmp(g_trail, wanted, g_run.callCount * sizeof *wanted) != 0)
            fail_msg("%s: two runs without refusals differ", script->name);
        memcpy(wanted, g_trail, g_run.callCount * sizeof *wanted);
    }
    const size_t requests = g_run.requests;
    printf("[ refusals ] %s: %zu requests in %zu calls\n", script->name, requests, g_run.callCount);
    const bool isSampled = !isWhole && requests > most + sampled;
    const size_t first = isSampled ? most : requests;
    Run run = {.script = script, .lastCall = isWhole ? SIZE_MAX : mostCalls};
    for (run.refusedFrom = 0; run.refusedFrom < first; ++run.refusedFrom)
        refuseAt(run, wanted);
    if (!isSampled)
        return;
    grzRng rng = grzRng_Make(testSeed(1), 0);
    for (size_t i = 0; i < sampled; ++i) {
        run.refusedFrom = first + grzRng_Below(&rng, (uint32_t)(requests - first));
        refuseAt(run, wanted);
    }
}

void testRefusals(const RefusalScript* script) {
    const size_t share = testSize(1, 4);
    testShare(script, firstRequests / share, sampledRequests / share);
}

void testDearRefusals(const RefusalScript* script) {
    const size_t share = testCount(testSize(dearShare, 4 * dearShare), 1);
    testShare(script, firstRequests / share, sampledRequests / share);
}
