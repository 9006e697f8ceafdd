// A graph of tasks: loops of which some must end before others begin. For independent work that is too uneven for
// one loop, or that comes in stages.
//
//   grzAllocator usual = {0};
//   grzTaskGraph* graph;
//   uint32_t find, sort;
//   grzResult result = grzTaskGraph_Create(usual, &graph);
//   if (result.status == grz_ok) result = grzTaskGraph_Add(graph, findPairs, &step, bodyCount, 64, &find);
//   if (result.status == grz_ok) result = grzTaskGraph_Add(graph, sortPairs, &step, 1, 1, &sort);
//   if (result.status == grz_ok) result = grzTaskGraph_Depend(graph, find, sort);
//   if (result.status == grz_ok) result = grzTaskGraph_Run(graph, tasks);    // as often as wanted
//   grzTaskGraph_Destroy(graph);                                             // NULL is fine
//
// Every node is a loop as in grzParallelFor, with the same promises on blocks, workers and memory. A node
// begins when all that it depends on have ended, and sees what they wrote. Nodes without an order between them
// run side by side.
//
// Threads: one at a time per graph, except where SetCount says otherwise. The graph owns no task data; contexts
// belong to the caller. Where a graph is to be used it must not be NULL, only Destroy takes NULL.
#ifndef GRAZE_TASK_GRAPH_H
#define GRAZE_TASK_GRAPH_H

#include "graze/tasks.h"

GRZ_EXTERN_C_BEGIN

typedef struct grzTaskGraph grzTaskGraph;

// An empty graph. An all-zero allocator means the default. *graph is NULL where it fails: grz_outOfMemory, or
// grz_badArgument for half an allocator.
GRZ_API GRZ_NODISCARD grzResult grzTaskGraph_Create(grzAllocator allocator, grzTaskGraph** graph);

// NULL is fine. Not during a run.
GRZ_API void grzTaskGraph_Destroy(grzTaskGraph* graph);

// Removes all nodes and keeps the memory. Not during a run.
GRZ_API void grzTaskGraph_Clear(grzTaskGraph* graph);

// Adds a node and gives its id: 0, 1, 2 ... in the order of the calls. A count of 0 runs nothing and still keeps
// what comes after it behind what comes before it; fn may be NULL if it stays so. Failure (nothing changed):
// grz_outOfMemory, grz_tooLarge; grz_badArgument for NULL with a count. Not during a run.
GRZ_API GRZ_NODISCARD grzResult grzTaskGraph_Add(grzTaskGraph* graph, grzTaskFn* fn, void* context, uint32_t count,
                                                 uint32_t grain, uint32_t* node);

// From now on `after` begins when `before` has ended. Saying so twice changes nothing in the order. Failure
// (nothing changed): grz_outOfMemory; grz_indexTooLarge for an id that is no node's. Not during a run.
GRZ_API GRZ_NODISCARD grzResult grzTaskGraph_Depend(grzTaskGraph* graph, uint32_t before, uint32_t after);

// Changes how many items a node has. Between runs, and also from a task of a node that it depends on, directly or
// through others: a stage may count what the next one has to do. Failure (nothing changed): grz_indexTooLarge for
// an id that is no node's; grz_badArgument for a count where the node has no function.
GRZ_API GRZ_NODISCARD grzResult grzTaskGraph_SetCount(grzTaskGraph* graph, uint32_t node, uint32_t count);

// Runs every node and returns when all have ended. tasks NULL, or one worker: node after node, in an order that
// depends on the graph alone. It allocates nothing. Failure, with nothing run: grz_badArgument where nodes depend
// on themselves, directly or through others; index: the first node that can never begin. May be called from inside
// a task, but not for a graph that is running.
GRZ_API GRZ_NODISCARD grzResult grzTaskGraph_Run(grzTaskGraph* graph, grzTasks* tasks);

GRZ_EXTERN_C_END

#endif
