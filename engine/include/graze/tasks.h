// Tasks: the one way by which graze uses more than one core.
//
//   grzTasksDef def = grzDefaultTasksDef();      // all processors, own threads
//   grzTasks* tasks;
//   grzResult result = grzTasks_Create(&def, &tasks);
//   if (result.status != grz_ok) ...             // tasks is NULL: what follows would run on this thread alone
//   grzParallelFor(tasks, count, 64, moveBodies, world);
//   grzTasks_Destroy(tasks);
//
// A NULL grzTasks* is accepted everywhere and means: on the calling thread, one block after the other.
//
// Determinism. Where a block begins and ends depends on count and grain alone. A task that writes to slots of
// its items or of its block (begin / grain) therefore leaves the same bytes with any number of workers. Never
// keep results per worker: which worker gets which block is a matter of luck. The worker index is for scratch
// memory only.
//
// Threads. One thread at a time may call from outside into one grzTasks; it may be another one each time. A second
// one that calls meanwhile waits until the first has returned, and an error is logged: that is a fault of the host,
// and may stop it for ever where the second is a thread that the first waits for. From inside a task any call is
// allowed, to any depth: loops, graphs, other grzTasks. Different grzTasks are independent of each other.
#ifndef GRAZE_TASKS_H
#define GRAZE_TASKS_H

#include "graze/config.h"
#include "graze/host.h"
#include "graze/result.h"

GRZ_EXTERN_C_BEGIN

typedef struct grzTasks grzTasks;

// Does the items [begin, end), never none. `worker` lies in [0, grzTasks_WorkerCount) and no two threads have the
// same one at a time, so it may choose a scratch arena. It can be entered again on its own stack: a task that waits
// for a loop of its own may meanwhile run other tasks, under the same index. They end before the wait does, so
// scratch that is marked and rewound like a stack stays right; scratch that every task resets as a whole does not.
typedef void grzTaskFn(uint32_t begin, uint32_t end, uint32_t worker, void* context);

// What a host gets to run: see grzTaskHost.
typedef void grzHostRunFn(uint32_t worker, void* runContext);

// The host's own workers, in place of threads of ours. Both functions are called from the thread that calls graze
// and from inside run, by several threads at a time; no lock of ours is held.
//
// spawn: has run(worker, runContext) called once, and returns a handle that is not NULL. It may do so on another
// thread, at once in spawn itself, or only in finish. A host that has no room returns NULL and never runs it later;
// NULL is also fine after it ran in spawn. The work is done all the same, by the others and at last by the caller.
//
// finish: returns when that run has returned. It is called once for each handle, before the call from outside
// returns, by any thread that could call spawn. It may run this or other waiting runs meanwhile. It may as well
// just block: no more than workerCount - 1 runs are under way at a time, so that as many host threads, if they do
// nothing else for ever, get to all of them.
//
// worker: which of the host's workers the thread is, below workerCount and no two threads the same at a time. 0 is
// the thread that called graze from outside. A run stays on its thread until it returns (fibers that move are out).
// For a run inside spawn or finish the index is that of the thread, which we know; what the host says is not used.
typedef struct grzTaskHost {
    void* context;
    uint32_t workerCount; // including the thread that calls graze; 1 to GRZ_MAX_WORKERS
    void* (*spawn)(void* context, grzHostRunFn* run, void* runContext);
    void (*finish)(void* context, void* handle);
} grzTaskHost;

typedef struct grzTasksDef {
    uint32_t mark;          // set by grzDefaultTasksDef
    uint32_t workerCount;   // including the calling thread, at most GRZ_MAX_WORKERS; 0: as many processors as the
                            // process may use
    size_t stackSize;       // bytes of each thread's stack; 0: what the system gives
    grzAllocator allocator; // all zero: the default
    grzTaskHost host;       // all zero: threads of our own. Else workerCount and stackSize above are not used
    bool useOpenMp;         // in place of a host: a loop from outside runs on a team of OpenMP's threads
} grzTasksDef;

GRZ_API grzTasksDef grzDefaultTasksDef(void);

// Starts workerCount - 1 threads, with all signals blocked. Idle ones look for work for some 20 microseconds
// (200 inside of a world's step, unless they are more than the processors) and then sleep. Failure: grz_badDef; grz_badArgument for too many workers, for a host that lacks spawn, finish or
// workers, and for half an allocator; grz_notSupported for OpenMP where graze is built without it; grz_outOfMemory; grz_systemFailed where a thread or a lock is refused. *tasks
// is NULL then and nothing is left behind.
GRZ_API GRZ_NODISCARD grzResult grzTasks_Create(const grzTasksDef* def, grzTasks** tasks);

// No call into it may be under way. NULL is fine. While a world has it, it stays, and an error is logged.
GRZ_API void grzTasks_Destroy(grzTasks* tasks);

// 1 for NULL.
GRZ_API uint32_t grzTasks_WorkerCount(const grzTasks* tasks);

// Calls fn for [0, count) in blocks of grain items, each once, and returns when all have returned. The last block
// may be shorter. Blocks are begun in rising order but run side by side. grain 0: grzDefaultGrain(count).
//
// What was written before the call is seen by every block, and what the blocks wrote is seen after it. It allocates
// nothing and cannot fail. fn must not leave by longjmp or an exception. Every block runs with the caller's modes of floating-point
// arithmetic (rounding, and what becomes of numbers below the normal ones), whatever the worker's thread has.
GRZ_API void grzParallelFor(grzTasks* tasks, uint32_t count, uint32_t grain, grzTaskFn* fn, void* context);

// The grain that makes at most 256 blocks of count items; at least 1.
static inline uint32_t grzDefaultGrain(uint32_t count) {
    return count / 256 + (count % 256 != 0 || count == 0 ? 1 : 0);
}

// How many blocks grzParallelFor makes: the number of slots that results per block need.
static inline uint32_t grzBlockCount(uint32_t count, uint32_t grain) {
    uint32_t size = grain != 0 ? grain : grzDefaultGrain(count);
    return count / size + (count % size != 0 ? 1 : 0);
}

GRZ_EXTERN_C_END

#endif
