// What: the stage "base": what the ground floor costs.
#include "bench_base.h"

static const BenchCase cases[] = {
    {"copy", "memcpy of n bytes: the bar for all that streams", benchCopy},
    {"hash", "the 64-bit hash, in one go and in pieces of 24 bytes", benchHash},
    {"arena", "n blocks taken and given back, beside malloc", benchArena},
    {"zone", "a profiler zone, recording and without a profile", benchZone},
    {"radix-sort", "n 64-bit keys with values, beside a merge sort and qsort", benchRadixSort},
    {"parallel-for", "a loop with nothing to do, for nobody and for all threads, beside OpenMP", benchParallelLoop},
    {"tiny-tasks", "n tasks of some 100 ns, beside OpenMP", benchTinyTasks},
    {"mesh-build", "topology of a mesh of n triangles", benchMeshBuild},
    {"read-mesh", "mesh files from memory: OBJ and PLY", benchMeshRead},
};

const BenchStage benchBase = {"base", "the ground floor", cases, sizeof cases / sizeof cases[0]};
