// Which variant of the tree suits a program: its own workload, recorded and replayed on all of them.
//
//   grzTreeOp ops[] = ...                                        // a few frames as they came
//   grzTreeAdviceDef def = grzDefaultTreeAdviceDef();
//   def.ops = ops, def.opCount = count;
//   grzTreeMeasurement table[GRZ_ADVICE_VARIANTS];
//   grzTreeAdvice advice;
//   result = grzTree_Advise(&def, table, GRZ_ADVICE_VARIANTS, &advice);
//   result = grzTree_Create(&advice.fastest, &tree);
//
// A workload is an array of operations. What stands together is done together, as a host with arrays would: a run
// of inserts is one grzTree_InsertMany; a run of updates is one grzTree_UpdateAll where it names every object of
// the tree, and one grzTree_UpdateMany where it does not. Queries are done one by one.
//
// Two ways to judge. Time is what counts, but says something of this machine and this moment only. Work is a count
// of box tests: coarser, but the same on every machine, in every run and with any number of workers.
//
// Owner: all arrays are the host's. Threads: any; the call touches nothing that is shared. Units: the host's.
#ifndef GRAZE_TREE_ADVISE_H
#define GRAZE_TREE_ADVISE_H

#include "graze/profile.h"
#include "graze/tasks.h"
#include "graze/tree.h"
#include "graze/tree_query.h"

GRZ_EXTERN_C_BEGIN

typedef enum grzTreeOpKind {
    grz_noOp,
    grz_opInsert,
    grz_opUpdate,
    grz_opRemove,
    grz_opQuery,
    grz_opPairs, // all overlapping pairs of the tree
} grzTreeOpKind;

typedef struct grzTreeOp {
    grzTreeOpKind kind;
    uint32_t object;         // insert, update, remove: the host's number for it, and its key; small numbers, since
                             // there is a table by them
    grzBox box;              // insert, update
    uint64_t category, mask; // insert
    const grzTreeQuery* query; // query: the host's, read until the call returns
} grzTreeOp;

GRZ_API grzTreeOp grzMakeInsertOp(uint32_t object, grzBox box); // category 1, mask all ones
GRZ_API grzTreeOp grzMakeUpdateOp(uint32_t object, grzBox box);
GRZ_API grzTreeOp grzMakeRemoveOp(uint32_t object);
GRZ_API grzTreeOp grzMakeQueryOp(const grzTreeQuery* query);
GRZ_API grzTreeOp grzMakePairsOp(void);

// What is tried.
typedef struct grzTreeVariant {
    grzNesting nesting;
    grzRetention retention;
    uint32_t splitThreshold; // 0: the variant's own
} grzTreeVariant;

// All nestings with all retentions, each with its own threshold and with 64, 128 and 256.
#define GRZ_ADVICE_VARIANTS 72

// Fills variants[0 .. GRZ_ADVICE_VARIANTS).
GRZ_API void grzTree_AllVariants(grzTreeVariant* variants);

typedef struct grzTreeAdviceDef {
    uint32_t mark; // set by grzDefaultTreeAdviceDef
    const grzTreeOp* ops;
    size_t opCount;
    const grzTreeVariant* variants; // NULL: all of grzTree_AllVariants
    size_t variantCount;
    uint32_t repeats;         // how often each variant replays the workload; the fastest replay counts. At least 1
    float margin;             // of the trees
    grzTasks* tasks;          // for UpdateAll and for pairs; may be NULL
    grzProfileClockFn* clock; // NULL: the system's
    void* clockContext;
    grzAllocator allocator; // all zeros: the default one; the trees use it too
} grzTreeAdviceDef;

// No operations, all variants, 3 repeats, no margin.
GRZ_API grzTreeAdviceDef grzDefaultTreeAdviceDef(void);

// A variant's replay. Times are of the fastest one, in the clock's nanoseconds.
typedef struct grzTreeMeasurement {
    grzTreeVariant variant; // with the threshold that was in force
    uint64_t time;          // of all operations: the sum of the next three
    uint64_t changeTime;    // inserts, updates, removes
    uint64_t queryTime;
    uint64_t pairTime;
    uint64_t work; // the sum of the next three
    // Objects that updates took to another node, and those that splits handed out, a threshold for each split.
    uint64_t changeWork;
    // Nodes looked into and objects tested, by all queries.
    uint64_t queryWork;
    // Boxes compared if every node's own objects were compared with those of each node whose objects' box it
    // overlaps, itself included; summed over the finds.
    uint64_t pairWork;
    uint64_t hitCount;  // of all queries
    uint64_t pairCount; // of all finds
    uint32_t depth;     // at the end
    size_t memoryBytes; // of the tree, at the end
} grzTreeMeasurement;

typedef struct grzTreeAdvice {
    size_t fastestIndex;   // into the measurements: the least time; of equal ones the first
    size_t leastWorkIndex; // likewise
    grzTreeDef fastest;    // to create a tree with; allocator and margin are those of the def
    grzTreeDef leastWork;
} grzTreeAdvice;

// Measures every variant: measurements[i] is of variant i. Refused, with *advice and the measurements undefined:
//   grz_badDef
//   grz_badArgument     value 1: no operations, no variants (but not NULL), no repeats, or what grzTree_Create
//                       refuses in a variant; with grz_partElement, operation `index`: an unknown kind, an insert
//                       of an object that is in the tree, a query without one, or one that is refused
//   grz_bufferTooSmall  capacity is below the number of variants
//   grz_notFinite, grz_invertedBounds, grz_staleHandle    by operation: a box, or an object that is not in the tree
//   grz_outOfMemory, grz_tooLarge
GRZ_NODISCARD GRZ_API grzResult grzTree_Advise(const grzTreeAdviceDef* def, grzTreeMeasurement* measurements,
                                               size_t capacity, grzTreeAdvice* advice);

GRZ_EXTERN_C_END

#endif
