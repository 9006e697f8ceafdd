// task_graph.h: what depends waits, what does not may run side by side; cycles are refused; runs repeat.
#define _DEFAULT_SOURCE // nanosleep
#include "testing.h"

#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "graze/graze.h"
#include "task_hosts.h"
#include "task_queue.h"

static const uint32_t s_workerCounts[] = {1, 2, 3, 8};
#define WORKER_COUNTS (sizeof s_workerCounts / sizeof s_workerCounts[0])

static grzTasks* makeTasks(uint32_t workerCount) {
    grzTasksDef def = grzDefaultTasksDef();
    def.workerCount = workerCount;
    grzTasks* tasks = NULL;
    assert_true(grzResult_IsOk(grzTasks_Create(&def, &tasks)));
    return tasks;
}

static grzTaskGraph* makeGraph(void) {
    grzAllocator usual = {NULL, NULL, NULL};
    grzTaskGraph* graph = NULL;
    assert_true(grzResult_IsOk(grzTaskGraph_Create(usual, &graph)));
    return graph;
}

static uint32_t add(grzTaskGraph* graph, grzTaskFn* fn, void* context, uint32_t count, uint32_t grain) {
    uint32_t node = UINT32_MAX;
    assert_true(grzResult_IsOk(grzTaskGraph_Add(graph, fn, context, count, grain, &node)));
    return node;
}

static void depend(grzTaskGraph* graph, uint32_t before, uint32_t after) {
    assert_true(grzResult_IsOk(grzTaskGraph_Depend(graph, before, after)));
}

static void run(grzTaskGraph* graph, grzTasks* tasks) {
    grzResult result = grzTaskGraph_Run(graph, tasks);
    assert_true(grzResult_IsOk(result));
}

// A node that writes down when it ran, on a clock that ticks with every event.
typedef struct Probe {
    _Atomic uint32_t* clock;
    uint32_t blockCount;
    _Atomic uint32_t firstBegin, lastEnd, items, blocks;
} Probe;

static void probe(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    Probe* p = context;
    uint32_t now = ++*p->clock;
    uint32_t earliest = p->firstBegin;
    while (now < earliest && !atomic_compare_exchange_weak(&p->firstBegin, &earliest, now)) {
    }
    p->items += end - begin;
    p->blocks++;
    now = ++*p->clock;
    uint32_t latest = p->lastEnd;
    while (now > latest && !atomic_compare_exchange_weak(&p->lastEnd, &latest, now)) {
    }
}

static void resetProbe(Probe* p, _Atomic uint32_t* clock) {
    p->clock = clock;
    p->firstBegin = UINT32_MAX;
    p->lastEnd = p->items = p->blocks = 0;
}

static void diamondKeepsItsOrder(void** state) {
    (void)state;
    for (size_t w = 0; w < WORKER_COUNTS; ++w) {
        grzTasks* tasks = makeTasks(s_workerCounts[w]);
        grzTaskGraph* graph = makeGraph();
        _Atomic uint32_t clock = 0;
        Probe p[4];
        // Added against the order, so that ids alone do not give it.
        for (int i = 0; i < 4; ++i)
            assert_int_equal(add(graph, probe, &p[i], 20, 3), i);
        depend(graph, 3, 1);
        depend(graph, 3, 2);
        depend(graph, 1, 0);
        depend(graph, 2, 0);
        for (int repeat = 0; repeat < 50; ++repeat) {
            for (int i = 0; i < 4; ++i)
                resetProbe(&p[i], &clock);
            run(graph, tasks);
            for (int i = 0; i < 4; ++i) {
                assert_int_equal(p[i].items, 20);
                assert_int_equal(p[i].blocks, 7);
            }
            assert_true(p[3].lastEnd < p[1].firstBegin && p[3].lastEnd < p[2].firstBegin);
            assert_true(p[1].lastEnd < p[0].firstBegin && p[2].lastEnd < p[0].firstBegin);
        }
        grzTaskGraph_Destroy(graph);
        grzTasks_Destroy(tasks);
    }
}

#define MAX_NODES 24
typedef struct RandomGraph {
    uint32_t nodeCount, counts[MAX_NODES], grains[MAX_NODES];
    bool before[MAX_NODES][MAX_NODES]; // [a][b]: a before b, directly
    bool reaches[MAX_NODES][MAX_NODES];
    Probe probes[MAX_NODES];
    _Atomic uint32_t clock;
} RandomGraph;

static uint32_t nextRandom(uint64_t* state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

// Edges follow a random order of the nodes, so that there is no cycle.
static void makeRandom(RandomGraph* r, grzTaskGraph* graph, uint64_t* random) {
    memset(r, 0, sizeof *r);
    r->nodeCount = 1 + nextRandom(random) % MAX_NODES;
    uint32_t rank[MAX_NODES];
    uint32_t density = 1 + nextRandom(random) % 8;
    for (uint32_t i = 0; i < r->nodeCount; ++i) {
        r->counts[i] = nextRandom(random) % 5;
        r->grains[i] = nextRandom(random) % 3;
        assert_int_equal(add(graph, r->counts[i] != 0 ? probe : NULL, &r->probes[i], r->counts[i], r->grains[i]),
                         i);
        uint32_t other = nextRandom(random) % (i + 1);
        rank[i] = rank[other];
        rank[other] = i;
    }
    for (uint32_t a = 0; a < r->nodeCount; ++a) {
        for (uint32_t b = 0; b < r->nodeCount; ++b) {
            if (rank[a] >= rank[b] || nextRandom(random) % (density + 1) != 0)
                continue;
            r->before[a][b] = true;
            depend(graph, a, b);
            if (nextRandom(random) % 8 == 0)
                depend(graph, a, b);
        }
    }
}

// Also through nodes without items, which have no times of their own.
static void closeRandom(RandomGraph* r) {
    memcpy(r->reaches, r->before, sizeof r->reaches);
    for (uint32_t k = 0; k < r->nodeCount; ++k) {
        for (uint32_t a = 0; a < r->nodeCount; ++a) {
            for (uint32_t b = 0; b < r->nodeCount; ++b)
                r->reaches[a][b] = r->reaches[a][b] || (r->reaches[a][k] && r->reaches[k][b]);
        }
    }
}

static void runRandom(RandomGraph* r, grzTaskGraph* graph, grzTasks* tasks) {
    r->clock = 0;
    for (uint32_t i = 0; i < r->nodeCount; ++i)
        resetProbe(&r->probes[i], &r->clock);
    run(graph, tasks);
    assert_true(grzTaskGraph_Validate(graph));
    assert_true(tasks == NULL || grzTasks_Validate(tasks, true));
    for (uint32_t a = 0; a < r->nodeCount; ++a) {
        assert_int_equal(r->probes[a].items, r->counts[a]);
        assert_int_equal(r->probes[a].blocks, grzBlockCount(r->counts[a], r->grains[a]));
        for (uint32_t b = 0; b < r->nodeCount; ++b) {
            if (r->reaches[a][b] && r->counts[a] != 0 && r->counts[b] != 0)
                assert_true(r->probes[a].lastEnd < r->probes[b].firstBegin);
        }
    }
}

static void randomGraphsKeepTheirOrder(void** state) {
    (void)state;
    uint64_t random = testSeed(20);
    grzTasks* tasks[WORKER_COUNTS];
    for (size_t w = 0; w < WORKER_COUNTS; ++w)
        tasks[w] = makeTasks(s_workerCounts[w]);
    grzTaskGraph* graph = makeGraph();
    static RandomGraph r;
    for (int trial = 0; trial < 1000; ++trial) {
        grzTaskGraph_Clear(graph);
        makeRandom(&r, graph, &random);
        closeRandom(&r);
        runRandom(&r, graph, tasks[(size_t)trial % WORKER_COUNTS]);
        runRandom(&r, graph, tasks[1]); // once more, without building it again
        if (trial % 10 == 0)
            runRandom(&r, graph, NULL);
    }
    grzTaskGraph_Destroy(graph);
    for (size_t w = 0; w < WORKER_COUNTS; ++w)
        grzTasks_Destroy(tasks[w]);
}

static void hostsOfEveryKindRunGraphs(void** state) {
    (void)state;
    uint64_t random = testSeed(21);
    grzTaskGraph* graph = makeGraph();
    static RandomGraph r;
    for (int trial = 0; trial < 40 * TEST_HOST_KINDS; ++trial) {
        TestHost host = {.kind = (TestHostKind)(trial % TEST_HOST_KINDS)};
        grzTasksDef def = grzDefaultTasksDef();
        def.host = testHost_Start(&host, s_workerCounts[nextRandom(&random) % WORKER_COUNTS]);
        grzTasks* tasks = NULL;
        assert_true(grzResult_IsOk(grzTasks_Create(&def, &tasks)));
        grzTaskGraph_Clear(graph);
        makeRandom(&r, graph, &random);
        closeRandom(&r);
        for (int repeat = 0; repeat < 3; ++repeat)
            runRandom(&r, graph, tasks);
        grzTasks_Destroy(tasks);
        testHost_Stop(&host);
        assert_int_equal(host.faults, 0);
        assert_int_equal(host.spawned, host.finished);
    }
    grzTaskGraph_Destroy(graph);
}

static void cyclesAreRefusedAndNothingRuns(void** state) {
    (void)state;
    grzTasks* tasks = makeTasks(2);
    grzTaskGraph* graph = makeGraph();
    _Atomic uint32_t clock = 0;
    Probe p;
    resetProbe(&p, &clock);
    for (int i = 0; i < 5; ++i)
        add(graph, probe, &p, 1, 1);
    depend(graph, 0, 1);
    depend(graph, 4, 2);
    depend(graph, 2, 3);
    run(graph, tasks);
    assert_int_equal(p.blocks, 5);
    depend(graph, 3, 2);
    for (int i = 0; i < 2; ++i) {
        grzResult result = grzTaskGraph_Run(graph, i == 0 ? tasks : NULL);
        assert_int_equal(result.status, grz_badArgument);
        assert_int_equal(result.part, grz_partNode);
        assert_int_equal(result.index, 2);
        assert_int_equal(result.value, 1);
        char text[128];
        assert_string_equal(grzResult_Text(result, text, sizeof text),
                            "node 2: it can never begin, because it waits for itself or for nodes that do");
    }
    assert_int_equal(p.blocks, 5);

    grzTaskGraph_Clear(graph);
    add(graph, probe, &p, 1, 1);
    depend(graph, 0, 0);
    assert_int_equal(grzTaskGraph_Run(graph, tasks).status, grz_badArgument);
    assert_int_equal(p.blocks, 5);
    grzTaskGraph_Destroy(graph);
    grzTasks_Destroy(tasks);
}

static void halfAnAllocatorIsRefused(void** state) {
    (void)state;
    grzAllocator half = {NULL, NULL, grzDefaultAllocator().release};
    grzTaskGraph* graph = (grzTaskGraph*)(uintptr_t)64;
    grzResult result = grzTaskGraph_Create(half, &graph);
    assert_int_equal(result.status, grz_badArgument);
    assert_int_equal(result.value, 1);
    assert_null(graph);
}

static void badNodesAreRefused(void** state) {
    (void)state;
    grzTaskGraph* graph = makeGraph();
    uint32_t node = 77;
    assert_int_equal(grzTaskGraph_Add(graph, NULL, NULL, 1, 1, &node).status, grz_badArgument);
    assert_int_equal(node, 77);
    assert_int_equal(grzTaskGraph_Depend(graph, 0, 0).status, grz_indexTooLarge);
    assert_int_equal(grzTaskGraph_SetCount(graph, 0, 0).status, grz_indexTooLarge);
    add(graph, NULL, NULL, 0, 0);
    grzResult result = grzTaskGraph_SetCount(graph, 0, 1);
    assert_int_equal(result.status, grz_badArgument);
    assert_int_equal(result.value, 3);
    assert_true(grzResult_IsOk(grzTaskGraph_SetCount(graph, 0, 0)));
    result = grzTaskGraph_SetCount(graph, 1, 1);
    assert_int_equal(result.status, grz_indexTooLarge);
    assert_int_equal(result.value, 1);
    result = grzTaskGraph_Depend(graph, 0, 1);
    assert_int_equal(result.status, grz_indexTooLarge);
    assert_int_equal(result.value, 1);
    result = grzTaskGraph_Depend(graph, UINT32_MAX, 0);
    assert_int_equal(result.status, grz_indexTooLarge);
    assert_int_equal(result.value, UINT32_MAX);
    run(graph, NULL);
    grzTaskGraph_Destroy(graph);
    grzTaskGraph_Destroy(NULL);
}

static void emptyGraphsRun(void** state) {
    (void)state;
    grzTasks* tasks = makeTasks(3);
    grzTaskGraph* graph = makeGraph();
    run(graph, tasks);
    run(graph, NULL);
    for (uint32_t i = 0; i < 100; ++i) {
        add(graph, NULL, NULL, 0, 0);
        if (i > 0)
            depend(graph, i - 1, i);
    }
    run(graph, tasks);
    grzTaskGraph_Destroy(graph);
    grzTasks_Destroy(tasks);
}

typedef struct Meeting {
    _Atomic uint32_t arrived;
    uint32_t awaited;
} Meeting;

static void meet(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)begin, (void)end, (void)worker;
    Meeting* meeting = context;
    meeting->arrived++;
    while (meeting->arrived < meeting->awaited)
        sched_yield();
}

// Both must run at a time to end, also where they become ready only after another node.
static void independentNodesRunSideBySide(void** state) {
    (void)state;
    grzTasks* tasks = makeTasks(2);
    grzTaskGraph* graph = makeGraph();
    Meeting meetings[10];
    uint32_t before = UINT32_MAX;
    for (int i = 0; i < 10; ++i) {
        uint32_t join = add(graph, NULL, NULL, 0, 0);
        for (int k = 0; k < 2; ++k) {
            uint32_t node = add(graph, meet, &meetings[i], 1, 1);
            if (before != UINT32_MAX)
                depend(graph, before, node);
            depend(graph, node, join);
        }
        before = join;
    }
    for (int repeat = 0; repeat < 50; ++repeat) {
        for (int i = 0; i < 10; ++i)
            meetings[i] = (Meeting){0, 2};
        run(graph, tasks);
    }
    grzTaskGraph_Destroy(graph);
    grzTasks_Destroy(tasks);
}

typedef struct Stages {
    grzTaskGraph* graph;
    uint32_t last;
    uint32_t found; // written by one node, read by the next
    _Atomic uint32_t done;
} Stages;

static void countStage(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)begin, (void)end, (void)worker;
    Stages* stages = context;
    stages->found += 7;
    if (!grzResult_IsOk(grzTaskGraph_SetCount(stages->graph, stages->last, stages->found)))
        stages->done += 1000000;
}

static void workStage(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    Stages* stages = context;
    stages->done += end - begin;
    if (end > stages->found)
        stages->done += 1000000;
}

static void stageSetsTheCountOfALaterOne(void** state) {
    (void)state;
    for (size_t w = 0; w < WORKER_COUNTS; ++w) {
        grzTasks* tasks = makeTasks(s_workerCounts[w]);
        Stages stages = {.graph = makeGraph()};
        uint32_t first = add(stages.graph, countStage, &stages, 1, 1);
        uint32_t middle = add(stages.graph, NULL, NULL, 0, 1);
        stages.last = add(stages.graph, workStage, &stages, 0, 2);
        depend(stages.graph, first, middle);
        depend(stages.graph, middle, stages.last);
        uint32_t expected = 0;
        for (uint32_t repeat = 1; repeat <= 20; ++repeat) {
            run(stages.graph, tasks);
            expected += 7 * repeat;
            assert_int_equal(stages.done, expected);
        }
        grzTaskGraph_Destroy(stages.graph);
        grzTasks_Destroy(tasks);
    }
}

// A loop whose tasks each run a graph of their own, whose nodes run loops.
typedef struct Nested {
    grzTasks* tasks;
    grzTaskGraph* graphs[16];
    _Atomic uint32_t leaves, faults;
} Nested;

static void countLeaves(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    Nested* nested = context;
    nested->leaves += end - begin;
}

static void runInnerLoop(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)begin, (void)end, (void)worker;
    Nested* nested = context;
    grzParallelFor(nested->tasks, 5, 1, countLeaves, nested);
}

static void runInnerGraph(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    Nested* nested = context;
    for (uint32_t i = begin; i < end; ++i) {
        if (!grzResult_IsOk(grzTaskGraph_Run(nested->graphs[i], nested->tasks)))
            nested->faults++;
    }
}

static void runNested(grzTasks* tasks) {
    Nested nested = {.tasks = tasks};
    for (int i = 0; i < 16; ++i) {
        nested.graphs[i] = makeGraph();
        for (uint32_t k = 0; k < 6; ++k) {
            add(nested.graphs[i], runInnerLoop, &nested, 3, 1);
            if (k > 1)
                depend(nested.graphs[i], k - 2, k);
        }
    }
    for (int repeat = 0; repeat < 10; ++repeat)
        grzParallelFor(tasks, 16, 1, runInnerGraph, &nested);
    assert_int_equal(nested.leaves, 10 * 16 * 6 * 3 * 5);
    assert_int_equal(nested.faults, 0);
    for (int i = 0; i < 16; ++i)
        grzTaskGraph_Destroy(nested.graphs[i]);
}

static void graphsNestInLoops(void** state) {
    (void)state;
    runNested(NULL);
    for (size_t w = 0; w < WORKER_COUNTS; ++w) {
        grzTasks* tasks = makeTasks(s_workerCounts[w]);
        runNested(tasks);
        grzTasks_Destroy(tasks);
    }
    for (int kind = 0; kind < TEST_HOST_KINDS; ++kind) {
        TestHost host = {.kind = (TestHostKind)kind};
        grzTasksDef def = grzDefaultTasksDef();
        def.host = testHost_Start(&host, 4);
        grzTasks* tasks = NULL;
        assert_true(grzResult_IsOk(grzTasks_Create(&def, &tasks)));
        runNested(tasks);
        grzTasks_Destroy(tasks);
        testHost_Stop(&host);
        assert_int_equal(host.faults, 0);
    }
}

// Two workers. One runs `outer`, whose inner loop has a block that the other must take; the other then opens
// `later`, which lies no deeper than `outer`. While the first waits for its inner loop it must leave `later` alone.
typedef struct Shallow {
    grzTasks* tasks;
    _Atomic bool firstInner, secondInner;
    _Atomic uint32_t laterInside, later;
} Shallow;

static _Thread_local bool t_insideOuter;

static void innerBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)end, (void)worker;
    Shallow* shallow = context;
    *(begin == 0 ? &shallow->firstInner : &shallow->secondInner) = true;
    while (!shallow->secondInner)
        sched_yield();
    // The second ends late, so that the thread of the first has time to wait, and to do wrong.
    struct timespec time = {0, 3000000};
    if (begin == 1)
        nanosleep(&time, NULL);
}

static void outer(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)begin, (void)end, (void)worker;
    Shallow* shallow = context;
    t_insideOuter = true;
    grzParallelFor(shallow->tasks, 2, 1, innerBlock, shallow);
    t_insideOuter = false;
}

static void awaitInner(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)begin, (void)end, (void)worker;
    Shallow* shallow = context;
    while (!shallow->firstInner)
        sched_yield();
}

static void later(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    Shallow* shallow = context;
    shallow->later += end - begin;
    shallow->laterInside += t_insideOuter ? 1 : 0;
}

static void waitingThreadTakesNothingShallower(void** state) {
    (void)state;
    Shallow shallow = {.tasks = makeTasks(2)};
    grzTaskGraph* graph = makeGraph();
    add(graph, outer, &shallow, 1, 1);
    uint32_t before = add(graph, awaitInner, &shallow, 1, 1);
    depend(graph, before, add(graph, later, &shallow, 5, 1));
    for (uint32_t repeat = 1; repeat <= 10; ++repeat) {
        shallow.firstInner = shallow.secondInner = false;
        run(graph, shallow.tasks);
        assert_int_equal(shallow.later, 5 * repeat);
        assert_int_equal(shallow.laterInside, 0);
    }
    grzTaskGraph_Destroy(graph);
    grzTasks_Destroy(shallow.tasks);
}

static void refusedMemoryChangesNothing(void** state) {
    (void)state;
    for (size_t failAt = 0;; ++failAt) {
        TestMemory memory = {.failAt = failAt};
        grzTaskGraph* graph = NULL;
        grzResult result = grzTaskGraph_Create(testAllocator(&memory), &graph);
        bool refused = !grzResult_IsOk(result);
        assert_true(refused == (graph == NULL));
        _Atomic uint32_t clock = 0;
        Probe p;
        resetProbe(&p, &clock);
        uint32_t nodes = 0;
        for (uint32_t node = UINT32_MAX; !refused && nodes < 100; ++nodes) {
            result = grzTaskGraph_Add(graph, probe, &p, 1, 1, &node);
            refused = !grzResult_IsOk(result);
            if (refused)
                break;
            assert_int_equal(node, nodes);
            if (nodes > 0) {
                result = grzTaskGraph_Depend(graph, nodes - 1, nodes);
                refused = !grzResult_IsOk(result);
            }
        }
        if (graph != NULL) { // what was added before still runs, without memory
            size_t requests = memory.requests;
            run(graph, NULL);
            assert_int_equal(p.blocks, nodes);
            assert_int_equal(memory.requests, requests);
        }
        grzTaskGraph_Destroy(graph);
        assert_int_equal(memory.liveCount, 0);
        if (!refused)
            return;
        assert_int_equal(result.status, grz_outOfMemory);
        assert_true(result.value > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diamondKeepsItsOrder),
        cmocka_unit_test(randomGraphsKeepTheirOrder),
        cmocka_unit_test(hostsOfEveryKindRunGraphs),
        cmocka_unit_test(cyclesAreRefusedAndNothingRuns),
        cmocka_unit_test(halfAnAllocatorIsRefused),
        cmocka_unit_test(badNodesAreRefused),
        cmocka_unit_test(emptyGraphsRun),
        cmocka_unit_test(independentNodesRunSideBySide),
        cmocka_unit_test(stageSetsTheCountOfALaterOne),
        cmocka_unit_test(graphsNestInLoops),
        cmocka_unit_test(waitingThreadTakesNothingShallower),
        cmocka_unit_test(refusedMemoryChangesNothing),
    };
    return cmocka_run_group_tests_name("task graph", tests, NULL, NULL);
}
