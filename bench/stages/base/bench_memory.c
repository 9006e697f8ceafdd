// What: memory: copying it, and taking and giving back blocks of it.
#include "bench_base.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "bench_bytes.h"

// ---- copy ----

typedef struct CopyWork {
    unsigned char* from;
    unsigned char* to;
    size_t size;
} CopyWork;

static void spoilCopy(void* context) {
    CopyWork* work = context;
    for (size_t i = 0; i < work->size; ++i)
        work->to[i] = (unsigned char)~work->from[i];
}

static void copyWhole(void* context) {
    CopyWork* work = context;
    memcpy(work->to, work->from, work->size);
}

static uint64_t copyDigest(void* context) {
    CopyWork* work = context;
    return Bench_Digest(0, work->to, work->size);
}

static bool copyAgrees(void* context) {
    CopyWork* work = context;
    for (size_t i = 0; i < work->size; ++i)
        if (work->to[i] != work->from[i])
            return false;
    return true;
}

void benchCopy(Bench* bench) {
    size_t size = Bench_Size(bench, 64u << 20, 1u << 20);
    CopyWork work = {Bench_Allocate(bench, size, 1), Bench_Allocate(bench, size, 1), size};
    if (work.from != NULL && work.to != NULL) {
        benchFillBytes(work.from, size);
        BenchSide side = {"memcpy", NULL, copyWhole, copyDigest, copyAgrees, &work, spoilCopy};
        BenchJob job = {.metric = "copy",
                        .unit = "GB/s",
                        .isRate = true,
                        .amount = (double)size * 1e-9,
                        .n = size,
                        .workers = 1,
                        .sides = &side,
                        .sideCount = 1};
        Bench_Measure(bench, &job);
    }
    Bench_Release(bench, work.from, size, 1);
    Bench_Release(bench, work.to, size, 1);
}

// ---- arena ----

typedef struct BlockWork {
    grzArena* arena; // NULL: malloc
    unsigned char** held;
    size_t count;
    uint64_t sum; // of what was written and read back
    bool failed;
} BlockWork;

static size_t blockSize(size_t i) {
    return 16 + i * 40 % 500;
}

static void spoilSum(void* context) {
    ((BlockWork*)context)->sum = UINT64_MAX;
}

// Every block is written to and read, so that neither side can hand out less than it says.
static void fillBlock(BlockWork* work, size_t i, unsigned char* block) {
    work->held[i] = block;
    work->failed |= block == NULL;
    if (block != NULL)
        block[0] = block[blockSize(i) - 1] = (unsigned char)i;
}

static void sumBlocks(BlockWork* work) {
    work->sum = 0;
    for (size_t i = 0; i < work->count && !work->failed; ++i)
        work->sum = work->sum * 31 + work->held[i][0] + work->held[i][blockSize(i) - 1];
}

static void arenaRound(void* context) {
    BlockWork* work = context;
    grzArenaMark mark = grzArena_Mark(work->arena);
    for (size_t i = 0; i < work->count; ++i)
        fillBlock(work, i, grzArena_Allocate(work->arena, blockSize(i), 1, 16));
    sumBlocks(work);
    grzArena_Rewind(work->arena, mark);
}

static void mallocRound(void* context) {
    BlockWork* work = context;
    for (size_t i = 0; i < work->count; ++i)
        fillBlock(work, i, malloc(blockSize(i)));
    sumBlocks(work);
    for (size_t i = work->count; i > 0; --i)
        free(work->held[i - 1]);
}

static uint64_t sumDigest(void* context) {
    return ((BlockWork*)context)->sum;
}

static void measureBlocks(Bench* bench, BlockWork* ours, BlockWork* theirs) {
    BenchSide sides[] = {{"graze", NULL, arenaRound, sumDigest, NULL, ours, spoilSum},
                         {"malloc", NULL, mallocRound, sumDigest, NULL, theirs, spoilSum}};
    BenchJob job = {.metric = "take and free",
                    .unit = "ns/block",
                    .amount = (double)ours->count,
                    .n = ours->count,
                    .workers = 1,
                    .sides = sides,
                    .sideCount = 2};
    Bench_Measure(bench, &job);
    if (ours->failed || theirs->failed)
        Bench_Fail(bench, "arena: no memory for %zu blocks", ours->count);
}

void benchArena(Bench* bench) {
    size_t count = Bench_Size(bench, 1000, 100);
    grzArena arena;
    grzArenaDef def = grzDefaultArenaDef();
    def.allocator = bench->allocator;
    unsigned char** held = Bench_Allocate(bench, 2 * count, sizeof *held);
    if (held != NULL && grzResult_IsOk(grzArena_Create(&arena, &def))) {
        BlockWork ours = {.arena = &arena, .held = held, .count = count};
        BlockWork theirs = {.held = held + count, .count = count};
        measureBlocks(bench, &ours, &theirs);
        grzArena_Destroy(&arena);
    }
    Bench_Release(bench, held, 2 * count, sizeof *held);
}
