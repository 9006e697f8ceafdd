// What: runs loops that depend on each other.
// Promise: a node begins when all before it have ended, and not later.
// Idea: each node counts those it still waits for. A node that reaches zero is opened as a job in the queue of the
//       grzTasks; the thread that ends a node counts down those after it, under the queue's lock. The runner helps
//       until no node remains. Edges are chains of indices, one for each node.
//
//   node 0: firstEdge -> edge 2 {after 3} -> edge 0 {after 1} -> none
//
// Holds: `order` is a topological order of all nodes whenever `sorted` is set. The memory for a run is reserved
//        when nodes are added, so a run allocates nothing.
// Cost: O(nodes + edges), some 250 bytes a node.
// Based on: [Kahn, Topological sorting of large networks, CACM 1962] for the order, which is what finds cycles.
#include "graze/task_graph.h"

#include <string.h>

#include "array.h"
#include "check.h"
#include "memory.h"
#include "owner.h"
#include "result_make.h"
#include "task_queue.h"

#define NO_EDGE UINT32_MAX

typedef struct Node {
    grzTaskFn* fn;
    void* context;
    uint32_t count, grain;
    uint32_t beforeCount; // edges that end here
    uint32_t firstEdge;   // of those that begin here
} Node;

typedef struct Edge {
    uint32_t after; // a node
    uint32_t next;  // of the same beginning
} Edge;

// A node's part of a run.
typedef struct NodeJob {
    grzJob job; // first, so that the job leads to the rest
    grzTaskGraph* graph;
    uint32_t waiting; // for so many edges; under the lock
} NodeJob;

struct grzTaskGraph {
    grzAllocator allocator;
    struct {
        GRZ_ARRAY(Node);
    } nodes;
    struct {
        GRZ_ARRAY(Edge);
    } edges;
    struct {
        GRZ_ARRAY(NodeJob);
    } jobs; // room for as many as nodes
    struct {
        GRZ_ARRAY(uint32_t);
    } order; // the same
    bool sorted;
    bool running;
    // Of the run.
    const grzSeat* seat;
    _Atomic uint32_t left; // nodes that have not ended; written under the lock
};

static const char noFunction[] = "a node without a function cannot have items";

grzResult grzTaskGraph_Create(grzAllocator allocator, grzTaskGraph** graph) {
    *graph = NULL;
    grzResult result;
    grzTaskGraph* made = grzOwner_New(&allocator, 1, sizeof *made, _Alignof(grzTaskGraph), &result);
    if (made == NULL)
        return result;
    made->allocator = allocator;
    atomic_init(&made->left, 0);
    *graph = made;
    return grzOk();
}

void grzTaskGraph_Destroy(grzTaskGraph* graph) {
    if (graph == NULL)
        return;
    GRZ_ASSERT(!graph->running);
    grzAllocator allocator = graph->allocator;
    grzArray_Release(&graph->nodes, &allocator);
    grzArray_Release(&graph->edges, &allocator);
    grzArray_Release(&graph->jobs, &allocator);
    grzArray_Release(&graph->order, &allocator);
    grzRelease(&allocator, graph, 1, sizeof(grzTaskGraph), _Alignof(grzTaskGraph));
}

void grzTaskGraph_Clear(grzTaskGraph* graph) {
    GRZ_ASSERT(!graph->running);
    graph->nodes.count = 0;
    graph->edges.count = 0;
    graph->sorted = false;
}

grzResult grzTaskGraph_Add(grzTaskGraph* graph, grzTaskFn* fn, void* context, uint32_t count, uint32_t grain,
                           uint32_t* node) {
    GRZ_ASSERT(!graph->running);
    if (fn == NULL && count != 0)
        return grzBecause(grzFail(grz_badArgument, 2), noFunction);
    size_t wanted = graph->nodes.count + 1;
    if (wanted > UINT32_MAX)
        return grzBecause(grzFail(grz_tooLarge, wanted), "a task graph has at most 2^32 - 1 nodes");
    if (!grzArray_Reserve(&graph->nodes, &graph->allocator, wanted))
        return grzNoMemory(wanted, sizeof(Node));
    if (!grzArray_Reserve(&graph->jobs, &graph->allocator, wanted))
        return grzNoMemory(wanted, sizeof(NodeJob));
    if (!grzArray_Reserve(&graph->order, &graph->allocator, wanted))
        return grzNoMemory(wanted, sizeof(uint32_t));
    *node = (uint32_t)graph->nodes.count;
    graph->nodes.data[graph->nodes.count++] = (Node){fn, context, count, grain, 0, NO_EDGE};
    graph->sorted = false;
    return grzOk();
}

grzResult grzTaskGraph_Depend(grzTaskGraph* graph, uint32_t before, uint32_t after) {
    GRZ_ASSERT(!graph->running);
    uint32_t larger = before > after ? before : after;
    if (larger >= graph->nodes.count)
        return grzFail(grz_indexTooLarge, larger);
    size_t wanted = graph->edges.count + 1;
    if (wanted > NO_EDGE)
        return grzBecause(grzFail(grz_tooLarge, wanted), "a task graph has at most 2^32 - 1 edges");
    if (!grzArray_Reserve(&graph->edges, &graph->allocator, wanted))
        return grzNoMemory(wanted, sizeof(Edge));
    Node* node = &graph->nodes.data[before];
    graph->edges.data[graph->edges.count] = (Edge){after, node->firstEdge};
    node->firstEdge = (uint32_t)graph->edges.count++;
    graph->nodes.data[after].beforeCount++;
    graph->sorted = false;
    return grzOk();
}

grzResult grzTaskGraph_SetCount(grzTaskGraph* graph, uint32_t node, uint32_t count) {
    if (node >= graph->nodes.count)
        return grzFail(grz_indexTooLarge, node);
    if (graph->nodes.data[node].fn == NULL && count != 0)
        return grzBecause(grzFail(grz_badArgument, 3), noFunction);
    graph->nodes.data[node].count = count;
    return grzOk();
}

static void resetWaiting(grzTaskGraph* graph) {
    for (size_t i = 0; i < graph->nodes.count; ++i)
        graph->jobs.data[i].waiting = graph->nodes.data[i].beforeCount;
}

// Writes the nodes that can begin to `order`, in the order in which they can, and returns their number.
static uint32_t sortNodes(grzTaskGraph* graph) {
    uint32_t* order = graph->order.data;
    uint32_t count = 0;
    resetWaiting(graph);
    for (uint32_t i = 0; i < graph->nodes.count; ++i) {
        if (graph->nodes.data[i].beforeCount == 0)
            order[count++] = i;
    }
    for (uint32_t done = 0; done < count; ++done) {
        for (uint32_t e = graph->nodes.data[order[done]].firstEdge; e != NO_EDGE; e = graph->edges.data[e].next) {
            uint32_t after = graph->edges.data[e].after;
            if (--graph->jobs.data[after].waiting == 0)
                order[count++] = after;
        }
    }
    return count;
}

static grzResult prepareOrder(grzTaskGraph* graph) {
    if (graph->sorted)
        return grzOk();
    if (sortNodes(graph) < graph->nodes.count) {
        uint32_t node = 0;
        while (graph->jobs.data[node].waiting == 0)
            ++node;
        return grzBecause(grzFailAt(grz_badArgument, grz_partNode, node, 1),
                          "it can never begin, because it waits for itself or for nodes that do");
    }
    graph->sorted = true;
    return grzOk();
}

// Under the lock: counts down the nodes after one that has ended. Those that can begin are put on the list.
static NodeJob* releaseAfter(grzTaskGraph* graph, const NodeJob* ended, NodeJob* ready) {
    uint32_t e = graph->nodes.data[ended - graph->jobs.data].firstEdge;
    for (; e != NO_EDGE; e = graph->edges.data[e].next) {
        NodeJob* after = &graph->jobs.data[graph->edges.data[e].after];
        if (--after->waiting > 0)
            continue;
        after->job.next = ready != NULL ? &ready->job : NULL;
        ready = after;
    }
    return ready;
}

static void nodeEnds(grzTasks* tasks, grzJob* job);

// Under the lock: opens the nodes of the list, and those that become ready because a node has no items.
static void openNodes(grzTaskGraph* graph, grzTasks* tasks, NodeJob* ready) {
    while (ready != NULL) {
        NodeJob* opened = ready;
        ready = (NodeJob*)opened->job.next;
        const Node* node = &graph->nodes.data[opened - graph->jobs.data];
        grzJob_Init(&opened->job, node->fn, node->context, node->count, node->grain);
        opened->job.depth = graph->seat->depth;
        opened->job.owner = &tasks->workers[graph->seat->worker];
        opened->job.done = nodeEnds;
        if (opened->job.blockCount > 0) {
            grzTasks_Open(tasks, &opened->job);
            continue;
        }
        // Relaxed: written under the lock; the runner takes it before it acts on what it peeked.
        atomic_fetch_sub_explicit(&graph->left, 1, memory_order_relaxed);
        ready = releaseAfter(graph, opened, ready);
    }
}

static void nodeEnds(grzTasks* tasks, grzJob* job) {
    const NodeJob* ended = (const NodeJob*)job;
    grzTaskGraph* graph = ended->graph;
    openNodes(graph, tasks, releaseAfter(graph, ended, NULL));
    // Relaxed: as above.
    atomic_fetch_sub_explicit(&graph->left, 1, memory_order_relaxed);
}

static void runShared(grzTaskGraph* graph, grzTasks* tasks, grzSeat* seat) {
    resetWaiting(graph);
    atomic_store_explicit(&graph->left, (uint32_t)graph->nodes.count,
                          memory_order_relaxed); // nobody else is here yet
    // The seat's depth changes while the runner helps; the nodes keep the one they were opened from.
    const grzSeat asItStood = *seat;
    graph->seat = &asItStood;
    NodeJob* ready = NULL;
    for (size_t i = graph->nodes.count; i-- > 0;) {
        NodeJob* job = &graph->jobs.data[i];
        job->graph = graph;
        if (job->waiting == 0) {
            job->job.next = ready != NULL ? &ready->job : NULL;
            ready = job;
        }
    }
    grzTasks_Lock(tasks);
    openNodes(graph, tasks, ready);
    grzTasks_Unlock(tasks);
    grzTasks_WaitFor(tasks, seat, &graph->left, false);
    graph->seat = NULL;
}

static void runInOrder(const grzTaskGraph* graph, uint32_t worker) {
    for (size_t i = 0; i < graph->nodes.count; ++i) {
        const Node* node = &graph->nodes.data[graph->order.data[i]];
        grzJob job;
        grzJob_Init(&job, node->fn, node->context, node->count, node->grain);
        grzJob_RunSerially(&job, worker);
    }
}

grzResult grzTaskGraph_Run(grzTaskGraph* graph, grzTasks* tasks) {
    GRZ_ASSERT(!graph->running);
    GRZ_VALIDATE(grzTaskGraph_Validate(graph));
    grzResult result = prepareOrder(graph);
    if (!grzResult_IsOk(result))
        return result;
    graph->running = true;
    if (tasks == NULL) {
        runInOrder(graph, 0);
    } else {
        grzSeat fresh;
        grzSeat* seat = grzTasks_Enter(tasks, &fresh);
        if (tasks->workerCount == 1)
            runInOrder(graph, seat->worker);
        else
            runShared(graph, tasks, seat);
        grzTasks_Exit(tasks, seat, &fresh);
    }
    graph->running = false;
    return grzOk();
}

// Edges join nodes, each is in one chain, and the counts agree.
static bool edgesAreSound(const grzTaskGraph* graph) {
    size_t chained = 0, awaited = 0;
    for (size_t i = 0; i < graph->nodes.count; ++i) {
        awaited += graph->nodes.data[i].beforeCount;
        uint32_t e = graph->nodes.data[i].firstEdge;
        for (; e != NO_EDGE; e = graph->edges.data[e].next) {
            // A chain leads to older edges, so it ends.
            bool leadsOn = graph->edges.data[e].next == NO_EDGE || graph->edges.data[e].next < e;
            if (e >= graph->edges.count || graph->edges.data[e].after >= graph->nodes.count || !leadsOn)
                return false;
            ++chained;
        }
    }
    return chained == graph->edges.count && awaited == graph->edges.count;
}

bool grzTaskGraph_Validate(const grzTaskGraph* graph) {
    bool roomForRuns = graph->jobs.capacity >= graph->nodes.count && graph->order.capacity >= graph->nodes.count;
    return roomForRuns && edgesAreSound(graph);
}
