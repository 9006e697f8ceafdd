// tasks.h: every item once, equal blocks for any workers, nesting, the host's workers, and failing creation.
#define _GNU_SOURCE // nanosleep, getrusage, sched_setaffinity
#include "testing.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "graze/graze.h"
#include "task_awake.h"
#include "task_hosts.h"
#include "task_queue.h"
#include "task_worker.h"

static const uint32_t s_workerCounts[] = {1, 2, 3, 8};
#define WORKER_COUNTS (sizeof s_workerCounts / sizeof s_workerCounts[0])

static void sleepMilliseconds(long count) {
    struct timespec time = {0, count * 1000000};
    nanosleep(&time, NULL);
}

static grzTasks* makeTasks(uint32_t workerCount) {
    grzTasksDef def = grzDefaultTasksDef();
    def.workerCount = workerCount;
    grzTasks* tasks = NULL;
    assert_true(grzResult_IsOk(grzTasks_Create(&def, &tasks)));
    assert_int_equal(grzTasks_WorkerCount(tasks), workerCount);
    return tasks;
}

// What one loop did: how often each item was met, and the ends of each block. Asserts of cmocka belong to the
// test's thread, so tasks only take notes.
typedef struct Notes {
    uint32_t count, grain, workerCount;
    bool hasTasks;
    _Atomic uint32_t* visits;
    uint32_t* blockEnds;
    _Atomic uint32_t busy[64]; // by worker
    _Atomic uint32_t faults;
} Notes;

static Notes* makeNotes(uint32_t count, uint32_t grain, uint32_t workerCount) {
    Notes* notes = calloc(1, sizeof *notes);
    notes->count = count;
    notes->grain = grain != 0 ? grain : grzDefaultGrain(count);
    notes->workerCount = workerCount;
    notes->visits = calloc(count + 1u, sizeof *notes->visits);
    notes->blockEnds = calloc(grzBlockCount(count, grain) + 1u, sizeof *notes->blockEnds);
    return notes;
}

static void freeNotes(Notes* notes) {
    free(notes->visits);
    free(notes->blockEnds);
    free(notes);
}

static void takeNotes(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    Notes* notes = context;
    if (grzIsInsideTasks() != notes->hasTasks)
        notes->faults++;
    if (worker >= notes->workerCount || atomic_fetch_add(&notes->busy[worker], 1) != 0)
        notes->faults++;
    if (begin >= end || end > notes->count || begin % notes->grain != 0)
        notes->faults++;
    for (uint32_t i = begin; i < end; ++i)
        notes->visits[i]++;
    notes->blockEnds[begin / notes->grain] = end;
    atomic_fetch_sub(&notes->busy[worker], 1);
}

static void checkLoop(grzTasks* tasks, uint32_t count, uint32_t grain) {
    Notes* notes = makeNotes(count, grain, grzTasks_WorkerCount(tasks));
    notes->hasTasks = tasks != NULL;
    grzParallelFor(tasks, count, grain, takeNotes, notes);
    assert_int_equal(notes->faults, 0);
    assert_false(grzIsInsideTasks());
    for (uint32_t i = 0; i < count; ++i)
        assert_int_equal(notes->visits[i], 1);
    uint32_t blocks = grzBlockCount(count, grain);
    for (uint32_t i = 0; i < blocks; ++i)
        assert_int_equal(notes->blockEnds[i], i + 1 < blocks ? (i + 1) * notes->grain : count);
    freeNotes(notes);
    assert_true(tasks == NULL || grzTasks_Validate(tasks, true));
}

static void checkManyLoops(grzTasks* tasks) {
    static const uint32_t counts[] = {0, 1, 2, 3, 7, 64, 255, 256, 257, 1000, 10007};
    static const uint32_t grains[] = {0, 1, 2, 3, 64, 1000, UINT32_MAX};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        for (size_t j = 0; j < sizeof grains / sizeof grains[0]; ++j)
            checkLoop(tasks, counts[i], grains[j]);
    }
}

static void everyItemIsMetOnceInTheSameBlocks(void** state) {
    (void)state;
    checkManyLoops(NULL);
    for (size_t i = 0; i < WORKER_COUNTS; ++i) {
        grzTasks* tasks = makeTasks(s_workerCounts[i]);
        checkManyLoops(tasks);
        grzTasks_Destroy(tasks);
    }
}

static void blockCountsFollowFromCountAndGrain(void** state) {
    (void)state;
    assert_int_equal(grzDefaultGrain(0), 1);
    assert_int_equal(grzDefaultGrain(1), 1);
    assert_int_equal(grzDefaultGrain(256), 1);
    assert_int_equal(grzDefaultGrain(257), 2);
    assert_int_equal(grzDefaultGrain(UINT32_MAX), 1u << 24);
    assert_int_equal(grzBlockCount(0, 0), 0);
    assert_int_equal(grzBlockCount(0, 5), 0);
    assert_int_equal(grzBlockCount(10, 5), 2);
    assert_int_equal(grzBlockCount(11, 5), 3);
    assert_int_equal(grzBlockCount(UINT32_MAX, 1), UINT32_MAX);
    assert_int_equal(grzBlockCount(UINT32_MAX, UINT32_MAX), 1);
    assert_int_equal(grzBlockCount(UINT32_MAX, 0), 256);
}

static void sumRange(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    _Atomic uint64_t* sums = context;
    sums[0] += end - begin;
    sums[1] += (uint64_t)begin ^ end;
    sums[2] += 1;
}

static void countsNearTheLimitDoNotWrap(void** state) {
    (void)state;
    static const uint32_t grains[] = {0, 1u << 24, 3u << 28, 1u << 31, UINT32_MAX - 1, UINT32_MAX};
    grzTasks* tasks = makeTasks(3);
    for (uint32_t cut = 0; cut < 4; ++cut) {
        for (size_t i = 0; i < sizeof grains / sizeof grains[0]; ++i) {
            _Atomic uint64_t serial[3] = {0}, shared[3] = {0};
            grzParallelFor(NULL, UINT32_MAX - cut, grains[i], sumRange, serial);
            grzParallelFor(tasks, UINT32_MAX - cut, grains[i], sumRange, shared);
            assert_int_equal(serial[0], UINT32_MAX - cut);
            assert_int_equal(serial[2], grzBlockCount(UINT32_MAX - cut, grains[i]));
            for (int k = 0; k < 3; ++k)
                assert_int_equal(serial[k], shared[k]);
        }
    }
    grzTasks_Destroy(tasks);
}

// Loops within loops. Each worker has a stack of marks, which must be left as it was found.
#define DEPTH 3
typedef struct Nest {
    grzTasks* tasks;
    uint32_t width;
    struct {
        _Alignas(64) uint32_t top;
    } scratch[16];
    _Atomic uint32_t leaves, faults, deepest;
} Nest;

typedef struct Level {
    Nest* nest;
    uint32_t depth, worker;
} Level;

static void runLevel(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const Level* above = context;
    Nest* nest = above->nest;
    if (grzTasks_Worker(nest->tasks) != worker)
        nest->faults++;
    uint32_t mark = ++nest->scratch[worker].top; // racy, and so seen by TSan, if two threads had one index
    if (mark > nest->deepest)
        nest->deepest = mark;
    if (above->depth == DEPTH) {
        nest->leaves += end - begin;
    } else {
        Level level = {nest, above->depth + 1, worker};
        grzParallelFor(nest->tasks, nest->width, 1, runLevel, &level);
    }
    if (nest->scratch[worker].top-- != mark)
        nest->faults++;
}

static void checkNest(grzTasks* tasks, uint32_t width) {
    Nest nest = {.tasks = tasks, .width = width};
    Level level = {&nest, 1, 0};
    grzParallelFor(tasks, width, 1, runLevel, &level);
    assert_int_equal(nest.leaves, width * width * width);
    assert_int_equal(nest.faults, 0);
    assert_int_equal(grzTasks_Worker(tasks), 0); // outside
    assert_true(nest.deepest <= DEPTH);          // helping never makes a stack deeper than the nesting
    for (int i = 0; i < 16; ++i)
        assert_int_equal(nest.scratch[i].top, 0);
}

static void loopsNestThreeDeep(void** state) {
    (void)state;
    checkNest(NULL, 12);
    for (size_t i = 0; i < WORKER_COUNTS; ++i) {
        grzTasks* tasks = makeTasks(s_workerCounts[i]);
        for (int repeat = 0; repeat < 5; ++repeat)
            checkNest(tasks, 12);
        grzTasks_Destroy(tasks);
    }
}

// A chain of loops of two: each level's second block runs beside the next level.
static void descend(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    Level level = *(const Level*)context;
    level.nest->leaves += end - begin;
    if (begin == 0 && --level.depth > 0)
        grzParallelFor(level.nest->tasks, 2, 1, descend, &level);
}

static void nestingHasNoLimit(void** state) {
    (void)state;
    for (size_t i = 0; i < WORKER_COUNTS; ++i) {
        Nest nest = {.tasks = makeTasks(s_workerCounts[i])};
        Level level = {&nest, 1000, 0};
        grzParallelFor(nest.tasks, 2, 1, descend, &level);
        assert_int_equal(nest.leaves, 2000);
        grzTasks_Destroy(nest.tasks);
    }
}

// Two blocks that wait for each other end only if two threads take them.
static void meetOther(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)begin, (void)end, (void)worker;
    _Atomic uint32_t* arrived = context;
    arrived[0]++;
    while (arrived[0] < 2)
        sched_yield();
}

static void blocksRunSideBySide(void** state) {
    (void)state;
    grzTasks* tasks = makeTasks(2);
    for (int i = 0; i < 200; ++i) {
        _Atomic uint32_t arrived = 0;
        grzParallelFor(tasks, 2, 1, meetOther, &arrived);
        if (i % 50 == 0)
            sleepMilliseconds(1); // so that the other worker sleeps
    }
    grzTasks_Destroy(tasks);
}

static void meetAll(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)begin, (void)end, (void)worker;
    _Atomic uint32_t* arrived = context;
    arrived[0]++;
    while (arrived[0] < arrived[1])
        sched_yield();
}

static void allSleepersAreWoken(void** state) {
    (void)state;
    grzTasks* tasks = makeTasks(8);
    for (int i = 0; i < 20; ++i) {
        _Atomic uint32_t arrived[2] = {0, 8};
        sleepMilliseconds(1);
        grzParallelFor(tasks, 8, 1, meetAll, arrived);
    }
    grzTasks_Destroy(tasks);
}

// While the caller waits for the last block, it must help with what that block needs.
typedef struct Rescue {
    grzTasks* tasks;
    _Atomic uint32_t inner[2];
    _Atomic bool callerGone;
} Rescue;

static void needHelp(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)end;
    Rescue* rescue = context;
    (void)begin;
    if (worker == 0) { // wait until the other worker has the other block, then go and wait for it
        while (rescue->inner[0] == 0)
            sched_yield();
        return;
    }
    sleepMilliseconds(2); // the caller sleeps by now, or soon will
    rescue->inner[1] = 2;
    _Atomic uint32_t* arrived = rescue->inner;
    arrived[0] = 1;
    sleepMilliseconds(2);
    _Atomic uint32_t pair[2] = {0, 2};
    grzParallelFor(rescue->tasks, 2, 1, meetAll, pair);
}

static void waitingThreadHelps(void** state) {
    (void)state;
    Rescue rescue = {.tasks = makeTasks(2)};
    // Worker 1 must get one of the blocks: the block of worker 0 does not end before.
    grzParallelFor(rescue.tasks, 2, 1, needHelp, &rescue);
    grzTasks_Destroy(rescue.tasks);
}

// A job in the queue by itself. What the helper waits for ends in blocks 0 and 2.
typedef struct LoneJob {
    grzJob job;
    _Atomic uint32_t left;
    uint32_t blocksRun;
} LoneJob;

static void endWaitInEvenBlocks(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)end, (void)worker;
    LoneJob* lone = context;
    lone->blocksRun++;
    if (begin % 2 == 0)
        lone->left = 0;
}

static void helperThatStopsEarlyLeavesTheRestOpen(void** state) {
    (void)state;
    TestHost host = {.kind = test_hostRefuses}; // so that nobody else takes blocks
    grzTasksDef def = grzDefaultTasksDef();
    def.host = testHost_Start(&host, 2);
    grzTasks* tasks = NULL;
    assert_true(grzResult_IsOk(grzTasks_Create(&def, &tasks)));
    grzSeat fresh;
    grzSeat* seat = grzTasks_Enter(tasks, &fresh);
    LoneJob lone = {.left = 1};
    grzJob_Init(&lone.job, endWaitInEvenBlocks, &lone, 3, 1);
    lone.job.owner = &tasks->workers[0];
    grzTasks_Lock(tasks);
    grzTasks_Open(tasks, &lone.job);
    grzTasks_Unlock(tasks);
    grzTasks_WaitFor(tasks, seat, &lone.left, false);
    assert_int_equal(lone.blocksRun, 1);
    assert_true(lone.job.open && grzTasks_Validate(tasks, false) && !grzTasks_Validate(tasks, true));
    lone.left = 1;
    grzTasks_WaitFor(tasks, seat, &lone.left, false);
    assert_int_equal(lone.blocksRun, 3);
    assert_true(!lone.job.open && grzTasks_Validate(tasks, true));
    grzTasks_Exit(tasks, seat, &fresh);
    grzTasks_Destroy(tasks);
    testHost_Stop(&host);
}

// Seven workers that spun for 50 ms would switch out or burn time all along; sleepers do neither. Counted in switches, which do not
// depend on the machine's speed.
static void checkSleep(void) {
    sleepMilliseconds(20);
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    sleepMilliseconds(50);
    getrusage(RUSAGE_SELF, &after);
    long switches = after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw;
    long microseconds = (after.ru_utime.tv_sec - before.ru_utime.tv_sec) * 1000000L + after.ru_utime.tv_usec -
                        before.ru_utime.tv_usec;
    assert_true(switches < 100);
    assert_true(microseconds < 25000);
}

static void idleWorkersSleep(void** state) {
    (void)state;
    grzTasks* tasks = makeTasks(8);
    checkLoop(tasks, 1000, 1);
    checkSleep();
    grzTasks_Destroy(tasks);
}

// What keeps workers awake is bounded too, and nests.
static void workersThatStayAwakeSleepAtLast(void** state) {
    (void)state;
    grzTasks_StayAwake(NULL);
    grzTasks_MaySleep(NULL);
    for (uint32_t workers = 2; workers <= 8; workers += 6) {
        grzTasks* tasks = makeTasks(workers);
        grzTasks_StayAwake(tasks);
        grzTasks_StayAwake(tasks);
        checkLoop(tasks, 1000, 1);
        checkSleep();
        checkLoop(tasks, 1000, 1); // woken again
        grzTasks_MaySleep(tasks);
        assert_int_equal(atomic_load(&tasks->awakeCount), 1);
        grzTasks_MaySleep(tasks);
        assert_int_equal(atomic_load(&tasks->awakeCount), 0);
        assert_true(workers > grzProcessorCount() || tasks->awakeNanoseconds > 20000);
        grzTasks_Destroy(tasks);
    }
}

static void* stressOnePool(void* argument) {
    _Atomic uint32_t* faults = argument;
    grzTasksDef def = grzDefaultTasksDef();
    def.workerCount = 3;
    for (int i = 0; i < 10; ++i) {
        grzTasks* tasks = NULL;
        if (!grzResult_IsOk(grzTasks_Create(&def, &tasks))) {
            faults[0]++;
            continue;
        }
        for (uint32_t k = 0; k < 300; ++k) {
            _Atomic uint64_t sums[3] = {0};
            grzParallelFor(tasks, k, 1 + k % 7, sumRange, sums);
            faults[0] += sums[0] != k || sums[2] != grzBlockCount(k, 1 + k % 7);
        }
        grzTasks_Destroy(tasks);
    }
    return NULL;
}

static void poolsInTwoThreadsAreIndependent(void** state) {
    (void)state;
    _Atomic uint32_t faults = 0;
    pthread_t threads[2];
    for (int i = 0; i < 2; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, stressOnePool, &faults), 0);
    for (int i = 0; i < 2; ++i)
        pthread_join(threads[i], NULL);
    assert_int_equal(faults, 0);
}

// A task of one pool runs a loop on another, which runs one on the first again.
typedef struct TwoPools {
    grzTasks *outer, *inner;
    _Atomic uint64_t sums[3];
    _Atomic uint32_t faults;
    uint32_t outerWorker;
} TwoPools;

static void backInOuter(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    TwoPools* pools = context;
    sumRange(begin, end, worker, pools->sums);
}

static void inInner(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)begin, (void)end;
    TwoPools* pools = context;
    if (worker == 0) // this thread is also in the outer pool
        grzParallelFor(pools->outer, 100, 1, backInOuter, pools);
    else
        sumRange(0, 100, worker, pools->sums);
}

static void inOuter(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    TwoPools* pools = context;
    if (begin != 0)
        return;
    pools->outerWorker = worker;
    grzParallelFor(pools->inner, 20, 1, inInner, pools);
    (void)end;
}

static void poolsNestInEachOther(void** state) {
    (void)state;
    TwoPools pools = {.outer = makeTasks(3), .inner = makeTasks(2)};
    for (int i = 0; i < 50; ++i)
        grzParallelFor(pools.outer, 4, 1, inOuter, &pools);
    assert_int_equal(pools.sums[0], 50 * 20 * 100);
    grzTasks_Destroy(pools.outer);
    grzTasks_Destroy(pools.inner);
}

static void useHost(TestHost* host, uint32_t workerCount) {
    for (uint32_t i = 0; i < 3; ++i) {
        grzTasksDef def = grzDefaultTasksDef();
        def.host = testHost_Start(host, workerCount);
        grzTasks* tasks = NULL;
        assert_true(grzResult_IsOk(grzTasks_Create(&def, &tasks)));
        assert_int_equal(grzTasks_WorkerCount(tasks), workerCount);
        checkManyLoops(tasks);
        checkNest(tasks, 10);
        grzTasks_Destroy(tasks);
        testHost_Stop(host);
        assert_int_equal(host->faults, 0);
        assert_int_equal(host->spawned, host->finished);
    }
}

static void hostsOfEveryKindDoAllWork(void** state) {
    (void)state;
    for (int kind = 0; kind < TEST_HOST_KINDS; ++kind) {
        for (size_t i = 0; i < WORKER_COUNTS; ++i) {
            TestHost host = {.kind = (TestHostKind)kind};
            useHost(&host, s_workerCounts[i]);
            if (kind != test_hostRefuses && s_workerCounts[i] > 1)
                assert_true(host.spawned > 0);
        }
    }
}

static void hostThreadsTakePart(void** state) {
    (void)state;
    TestHost host = {.kind = test_hostBlocks};
    grzTasksDef def = grzDefaultTasksDef();
    def.host = testHost_Start(&host, 4);
    grzTasks* tasks = NULL;
    assert_true(grzResult_IsOk(grzTasks_Create(&def, &tasks)));
    for (int i = 0; i < 50; ++i) {
        _Atomic uint32_t arrived[2] = {0, 4};
        grzParallelFor(tasks, 4, 1, meetAll, arrived);
    }
    grzTasks_Destroy(tasks);
    testHost_Stop(&host);
}

// Two threads from outside: the first stays in its loop until the second has been told to wait.
typedef struct Crowd {
    grzTasks* tasks;
    _Atomic bool firstIsIn, secondWaits;
    _Atomic uint32_t inside, faults, items;
    char heard[128];
} Crowd;

static void hearError(void* context, grzLogLevel level, const char* text) {
    Crowd* crowd = context;
    if (level != grz_logError || crowd->secondWaits)
        crowd->faults++;
    snprintf(crowd->heard, sizeof crowd->heard, "%s", text);
    crowd->secondWaits = true;
}

static void occupy(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    Crowd* crowd = context;
    crowd->inside++;
    crowd->firstIsIn = true;
    for (int i = 0; i < 10000 && !crowd->secondWaits; ++i)
        sleepMilliseconds(1);
    sleepMilliseconds(5);
    crowd->items += end - begin;
    crowd->inside--;
}

static void comeLater(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    Crowd* crowd = context;
    if (crowd->inside != 0 || crowd->items < 8)
        crowd->faults++;
    crowd->items += end - begin;
}

static void* callSecond(void* context) {
    Crowd* crowd = context;
    while (!crowd->firstIsIn)
        sleepMilliseconds(1);
    grzParallelFor(crowd->tasks, 100, 1, comeLater, crowd);
    return NULL;
}

static void aSecondThreadFromOutsideWaits(void** state) {
    (void)state;
    for (size_t i = 0; i < WORKER_COUNTS; ++i) {
        Crowd crowd = {.tasks = makeTasks(s_workerCounts[i])};
        grzSetLogHook(hearError, &crowd);
        pthread_t second;
        assert_int_equal(pthread_create(&second, NULL, callSecond, &crowd), 0);
        grzParallelFor(crowd.tasks, 8, 1, occupy, &crowd);
        assert_int_equal(pthread_join(second, NULL), 0);
        grzSetLogHook(NULL, NULL);
        assert_true(crowd.secondWaits);
        assert_non_null(strstr(crowd.heard, "two threads call one grzTasks from outside"));
        assert_int_equal(crowd.faults, 0);
        assert_int_equal(crowd.items, 108);
        grzTasks_Destroy(crowd.tasks);
    }
}

static void expectFlaw(const grzTasksDef* def, const char* sentence) {
    grzTasks* tasks = (grzTasks*)(uintptr_t)64;
    char text[128];
    grzResult result = grzTasks_Create(def, &tasks);
    assert_int_equal(result.status, grz_badArgument);
    assert_int_equal(result.value, 1);
    assert_string_equal(grzResult_Text(result, text, sizeof text), sentence);
    assert_null(tasks);
}

static void badFieldsAreNamed(void** state) {
    (void)state;
    TestHost host = {.kind = test_hostRefuses};
    const grzTaskHost sound = testHost_Start(&host, 2);
    const grzTasksDef usual = grzDefaultTasksDef();
    grzTasksDef def = usual;
    def.workerCount = GRZ_MAX_WORKERS + 1;
    expectFlaw(&def, "workerCount is above 1024");
    def = usual, def.host.finish = sound.finish;
    expectFlaw(&def, "the host has other fields but no spawn");
    def = usual, def.host.context = &host;
    expectFlaw(&def, "the host has other fields but no spawn");
    def = usual, def.host.workerCount = 2;
    expectFlaw(&def, "the host has other fields but no spawn");
    def = usual, def.host = sound, def.host.finish = NULL;
    expectFlaw(&def, "the host has spawn but no finish");
    def = usual, def.host = sound, def.host.workerCount = 0;
    expectFlaw(&def, "the host's workerCount is not from 1 to 1024");
    def.host.workerCount = GRZ_MAX_WORKERS + 1;
    expectFlaw(&def, "the host's workerCount is not from 1 to 1024");
    def = usual, def.allocator.allocate = grzDefaultAllocator().allocate;
    expectFlaw(&def, "the allocator has one of allocate and release, not both");
    def = usual, def.allocator.release = grzDefaultAllocator().release;
    expectFlaw(&def, "the allocator has one of allocate and release, not both");
    testHost_Stop(&host);
}

static void badDefsAreRefused(void** state) {
    (void)state;
    grzTasks* tasks = (grzTasks*)(uintptr_t)64;
    grzTasksDef def = {0};
    assert_int_equal(grzTasks_Create(&def, &tasks).status, grz_badDef);
    assert_null(tasks);
    assert_int_equal(grzTasks_Create(NULL, &tasks).status, grz_badDef);
    def = grzDefaultTasksDef();
    def.workerCount = 2;
    def.stackSize = 1;
    grzResult result = grzTasks_Create(&def, &tasks);
    assert_int_equal(result.status, grz_systemFailed);
    assert_int_equal(result.value, EINVAL);
    assert_null(tasks);
    grzTasks_Destroy(NULL);
    assert_int_equal(grzTasks_WorkerCount(NULL), 1);
}

static void defaultIsEveryProcessorAllowed(void** state) {
    (void)state;
    grzTasksDef def = grzDefaultTasksDef();
    grzTasks* tasks = NULL;
    assert_true(grzResult_IsOk(grzTasks_Create(&def, &tasks)));
    assert_true(grzTasks_WorkerCount(tasks) >= 1);
    assert_true(grzTasks_WorkerCount(tasks) <= (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
    checkLoop(tasks, 1000, 3);
    grzTasks_Destroy(tasks);
}

#if defined(__linux__)
static void fewerAllowedProcessorsAreFewerWorkers(void** state) {
    (void)state;
    cpu_set_t before, one;
    CPU_ZERO(&one);
    int processor = sched_getcpu();
    if (processor < 0 || sched_getaffinity(0, sizeof before, &before) != 0)
        skip();
    CPU_SET((size_t)processor, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    uint32_t count = grzProcessorCount();
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
    assert_int_equal(count, 1);
    assert_int_equal(grzProcessorCount(), CPU_COUNT(&before));
}
#endif

typedef struct Masks {
    _Atomic uint32_t arrived[2];
    sigset_t ofWorker; // of worker 1
} Masks;

static void readMask(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    Masks* masks = context;
    if (worker == 1)
        pthread_sigmask(SIG_SETMASK, NULL, &masks->ofWorker);
    meetAll(begin, end, worker, masks->arrived);
}

// The host's signals are for the host's threads.
static void workersTakeNoSignals(void** state) {
    (void)state;
    static const int signals[] = {SIGINT, SIGTERM, SIGUSR1, SIGALRM, SIGCHLD, SIGHUP};
    sigset_t before, after;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    Masks masks = {.arrived = {0, 2}};
    sigemptyset(&masks.ofWorker);
    grzTasks* tasks = makeTasks(2);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    grzParallelFor(tasks, 2, 1, readMask, &masks);
    grzTasks_Destroy(tasks);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; ++i) {
        assert_true(sigismember(&masks.ofWorker, signals[i]));
        assert_int_equal(sigismember(&after, signals[i]), sigismember(&before, signals[i]));
    }
}

static void refusedMemoryLeavesNothingBehind(void** state) {
    (void)state;
    for (size_t failAt = 0;; ++failAt) {
        TestMemory memory = {.failAt = failAt};
        grzTasksDef def = grzDefaultTasksDef();
        def.workerCount = 3;
        def.allocator = testAllocator(&memory);
        grzTasks* tasks = NULL;
        grzResult result = grzTasks_Create(&def, &tasks);
        if (grzResult_IsOk(result)) {
            size_t requests = memory.requests;
            assert_true(requests > 0 && requests <= failAt);
            checkLoop(tasks, 1000, 1); // no memory is asked for
            checkNest(tasks, 4);
            assert_int_equal(memory.requests, requests);
            grzTasks_Destroy(tasks);
            assert_int_equal(memory.liveCount, 0);
            return;
        }
        assert_int_equal(result.status, grz_outOfMemory);
        assert_true(result.value > 0);
        assert_null(tasks);
        assert_int_equal(memory.liveCount, 0);
    }
}

#if defined(GRAZE_TEST_WRAPS)
// The linker puts this in place of pthread_create for the whole program.
int __real_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                          void* argument);
int __wrap_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                          void* argument);
static int s_threadsAllowed = -1; // no limit

int __wrap_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                          void* argument) {
    if (s_threadsAllowed == 0)
        return EAGAIN;
    if (s_threadsAllowed > 0)
        s_threadsAllowed--;
    return __real_pthread_create(thread, attributes, start, argument);
}

static void refusedThreadsLeaveNothingBehind(void** state) {
    (void)state;
    for (int allowed = 0; allowed < 4; ++allowed) {
        TestMemory memory = {.failAt = SIZE_MAX};
        grzTasksDef def = grzDefaultTasksDef();
        def.workerCount = 5;
        def.allocator = testAllocator(&memory);
        grzTasks* tasks = NULL;
        s_threadsAllowed = allowed;
        grzResult result = grzTasks_Create(&def, &tasks);
        s_threadsAllowed = -1;
        assert_int_equal(result.status, grz_systemFailed);
        assert_int_equal(result.value, EAGAIN);
        assert_null(tasks);
        assert_int_equal(memory.liveCount, 0);
    }
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyItemIsMetOnceInTheSameBlocks),
        cmocka_unit_test(blockCountsFollowFromCountAndGrain),
        cmocka_unit_test(countsNearTheLimitDoNotWrap),
        cmocka_unit_test(loopsNestThreeDeep),
        cmocka_unit_test(nestingHasNoLimit),
        cmocka_unit_test(blocksRunSideBySide),
        cmocka_unit_test(allSleepersAreWoken),
        cmocka_unit_test(waitingThreadHelps),
        cmocka_unit_test(helperThatStopsEarlyLeavesTheRestOpen),
        cmocka_unit_test(idleWorkersSleep),
        cmocka_unit_test(workersThatStayAwakeSleepAtLast),
        cmocka_unit_test(poolsInTwoThreadsAreIndependent),
        cmocka_unit_test(poolsNestInEachOther),
        cmocka_unit_test(hostsOfEveryKindDoAllWork),
        cmocka_unit_test(hostThreadsTakePart),
        cmocka_unit_test(aSecondThreadFromOutsideWaits),
        cmocka_unit_test(badFieldsAreNamed),
        cmocka_unit_test(badDefsAreRefused),
        cmocka_unit_test(defaultIsEveryProcessorAllowed),
#if defined(__linux__)
        cmocka_unit_test(fewerAllowedProcessorsAreFewerWorkers),
#endif
        cmocka_unit_test(workersTakeNoSignals),
        cmocka_unit_test(refusedMemoryLeavesNothingBehind),
#if defined(GRAZE_TEST_WRAPS)
        cmocka_unit_test(refusedThreadsLeaveNothingBehind),
#endif
    };
    return cmocka_run_group_tests_name("tasks", tests, NULL, NULL);
}
