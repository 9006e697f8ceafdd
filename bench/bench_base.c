// What: the stage "base": what the ground floor costs.
#include "bench.h"

#include <string.h>

#include "mesh_data.h"

typedef struct CopyWork {
    unsigned char* from;
    unsigned char* to;
    size_t size;
} CopyWork;

static void copyWhole(void* context) {
    CopyWork* work = context;
    memcpy(work->to, work->from, work->size);
}

static uint64_t copyDigest(void* context) {
    CopyWork* work = context;
    return Bench_Digest(0, work->to, work->size);
}

// The bar for everything that streams: nothing reads and writes faster.
static void copyCase(Bench* bench) {
    size_t size = Bench_Size(bench, 64u << 20, 1u << 20);
    CopyWork work = {Bench_Allocate(bench, size, 1), Bench_Allocate(bench, size, 1), size};
    if (work.from != NULL && work.to != NULL) {
        for (size_t i = 0; i < size; ++i)
            work.from[i] = (unsigned char)(i * 131 >> 3);
        BenchSide side = {"memcpy", NULL, copyWhole, copyDigest, NULL, &work};
        BenchJob job = {.metric = "copy", .unit = "GB/s", .isRate = true, .amount = (double)size * 1e-9};
        job.n = size;
        job.workers = 1;
        job.sides = &side;
        job.sideCount = 1;
        Bench_Measure(bench, &job);
    }
    Bench_Release(bench, work.from, size, 1);
    Bench_Release(bench, work.to, size, 1);
}

static const BenchCase cases[] = {
    {"copy", "memcpy of n bytes: the bar for all that streams", copyCase},
};

const BenchStage benchBase = {"base", "the ground floor", cases, sizeof cases / sizeof cases[0]};
