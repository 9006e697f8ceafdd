// What: the stage "base": what the base layer costs.
#include "bench_base.h"

static const BenchCase cases[] = {
    {"copy", "memcpy of n bytes: the bar for all that streams", benchCopy, bench_usesN},
    {"hash", "the 64-bit hash, in one go and in pieces of 24 bytes", benchHash, bench_usesN},
    {"arena", "n blocks taken and given back, beside malloc", benchArena, bench_usesN},
    {"zone", "a profiler zone, recording and without a profile", benchZone, 0},
    {"radix-sort", "n 64-bit keys with values, beside a merge sort and qsort", benchRadixSort, bench_usesN},
    {"parallel-for", "a loop with nothing to do, for nobody and for all threads, beside OpenMP", benchParallelLoop,
     bench_usesWorkers},
    {"tiny-tasks", "n tasks of some 100 ns, beside OpenMP", benchTinyTasks, bench_usesN | bench_usesWorkers},
    {"openmp", "a hierarchy, a batch of queries and a calibration on OpenMP's threads, beside our own", benchOpenMp,
     bench_usesWorkers},
    {"mesh-build", "topology of a mesh of n triangles", benchMeshBuild, bench_usesN | bench_usesMesh},
    {"read-mesh", "mesh files from memory: OBJ and PLY", benchMeshRead, bench_usesN | bench_usesMesh},
    {"sequences", "the generated sequences over n triangles, from the cache and simulated", benchSequenceMake,
     bench_usesN},
    {"read-sequence", "a vertex cache over n triangles, frame by frame, beside whole", benchSequenceRead,
     bench_usesN | bench_usesMesh | bench_usesSequence},
};

const BenchStage benchBase = {"base", "the base layer", cases, sizeof cases / sizeof cases[0]};
