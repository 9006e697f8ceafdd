// What: the stage "base": what the ground floor costs. Here memory, hashes and the profiler.
#include "bench_base.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "hash.h"
#include "profile_zone.h"

// ---- copy ----

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

static void fillBytes(unsigned char* bytes, size_t size) {
    for (size_t i = 0; i < size; ++i)
        bytes[i] = (unsigned char)(i * 131 >> 3);
}

void benchCopy(Bench* bench) {
    size_t size = Bench_Size(bench, 64u << 20, 1u << 20);
    CopyWork work = {Bench_Allocate(bench, size, 1), Bench_Allocate(bench, size, 1), size};
    if (work.from != NULL && work.to != NULL) {
        fillBytes(work.from, size);
        BenchSide side = {"memcpy", NULL, copyWhole, copyDigest, NULL, &work};
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

// ---- hash ----

#define HASH_PIECE 24 // bytes, as a record of a contact stream has

typedef struct HashWork {
    unsigned char* bytes;
    size_t size;
    uint64_t hash;
} HashWork;

static void hashWhole(void* context) {
    HashWork* work = context;
    work->hash = grzHashBytes(work->bytes, work->size, 0);
}

static void hashPieces(void* context) {
    HashWork* work = context;
    grzHash hash = grzHash_Begin(0);
    for (size_t at = 0; at < work->size; at += HASH_PIECE)
        grzHash_Add(&hash, work->bytes + at, work->size - at < HASH_PIECE ? work->size - at : HASH_PIECE);
    work->hash = grzHash_End(&hash);
}

static uint64_t hashDigest(void* context) {
    return ((HashWork*)context)->hash;
}

void benchHash(Bench* bench) {
    size_t size = Bench_Size(bench, 1u << 20, 1u << 14);
    HashWork work = {Bench_Allocate(bench, size, 1), size, 0};
    if (work.bytes == NULL)
        return;
    fillBytes(work.bytes, size);
    BenchSide sides[] = {{"graze", NULL, hashWhole, hashDigest, NULL, &work},
                         {"in pieces", NULL, hashPieces, hashDigest, NULL, &work}};
    BenchJob job = {.metric = "hash",
                    .unit = "GB/s",
                    .isRate = true,
                    .amount = (double)size * 1e-9,
                    .n = size,
                    .workers = 1,
                    .sides = sides,
                    .sideCount = 2};
    Bench_Measure(bench, &job);
    Bench_Release(bench, work.bytes, size, 1);
}

// ---- arena ----

typedef struct ArenaWork {
    grzArena arena;
    unsigned char** held; // by malloc
    size_t count;
    uint64_t sum; // of what was written and read back
    bool failed;
} ArenaWork;

static size_t blockSize(size_t i) {
    return 16 + i * 40 % 500;
}

// Every block is written to and read, so that neither side can hand out less than it says.
static void arenaRound(void* context) {
    ArenaWork* work = context;
    grzArenaMark mark = grzArena_Mark(&work->arena);
    work->sum = 0;
    for (size_t i = 0; i < work->count; ++i) {
        unsigned char* block = grzArena_Allocate(&work->arena, blockSize(i), 1, 16);
        work->held[i] = block;
        work->failed |= block == NULL;
        if (block != NULL)
            block[0] = block[blockSize(i) - 1] = (unsigned char)i;
    }
    for (size_t i = 0; i < work->count && !work->failed; ++i)
        work->sum = work->sum * 31 + work->held[i][0] + work->held[i][blockSize(i) - 1];
    grzArena_Rewind(&work->arena, mark);
}

static void mallocRound(void* context) {
    ArenaWork* work = context;
    work->sum = 0;
    for (size_t i = 0; i < work->count; ++i) {
        unsigned char* block = malloc(blockSize(i));
        work->held[i] = block;
        work->failed |= block == NULL;
        if (block != NULL)
            block[0] = block[blockSize(i) - 1] = (unsigned char)i;
    }
    for (size_t i = 0; i < work->count && !work->failed; ++i)
        work->sum = work->sum * 31 + work->held[i][0] + work->held[i][blockSize(i) - 1];
    for (size_t i = work->count; i > 0; --i)
        free(work->held[i - 1]);
}

static uint64_t arenaDigest(void* context) {
    ArenaWork* work = context;
    return work->sum;
}

void benchArena(Bench* bench) {
    ArenaWork work = {.count = Bench_Size(bench, 1000, 100)};
    grzArenaDef def = grzDefaultArenaDef();
    def.allocator = bench->allocator;
    work.held = Bench_Allocate(bench, work.count, sizeof *work.held);
    if (work.held != NULL && grzResult_IsOk(grzArena_Create(&work.arena, &def))) {
        BenchSide sides[] = {{"graze", NULL, arenaRound, arenaDigest, NULL, &work},
                             {"malloc", NULL, mallocRound, arenaDigest, NULL, &work}};
        BenchJob job = {.metric = "take and free",
                        .unit = "ns/block",
                        .amount = (double)work.count,
                        .n = work.count,
                        .workers = 1,
                        .sides = sides,
                        .sideCount = 2};
        Bench_Measure(bench, &job);
        grzArena_Destroy(&work.arena);
    }
    if (work.failed)
        Bench_Fail(bench, "arena: no memory for %zu blocks", work.count);
    Bench_Release(bench, work.held, work.count, sizeof *work.held);
}

// ---- zone ----

#define ZONES 1000

typedef struct ZoneWork {
    grzProfile* profile; // NULL: what a zone costs where nobody profiles
    uint64_t zones;      // of the last step
    volatile int busy;   // so that the loop stays a loop
} ZoneWork;

static void runZones(void* context) {
    ZoneWork* work = context;
    grzProfile_BeginStep(work->profile);
    for (int i = 0; i < ZONES; ++i) {
        GRZ_ZONE_BEGIN(zone, work->profile, grz_stageUser, "zone", 0);
        work->busy = i;
        GRZ_ZONE_END(zone);
    }
    const grzStepSummary* summary = grzProfile_EndStep(work->profile);
    work->zones = summary != NULL ? summary->stages[grz_stageUser].zoneCount : 0;
}

static uint64_t zoneDigest(void* context) {
    return ((ZoneWork*)context)->zones;
}

void benchZone(Bench* bench) {
    grzProfileDef def = grzDefaultProfileDef();
    def.allocator = bench->allocator;
    ZoneWork on = {0}, off = {0};
    if (!grzResult_IsOk(grzProfile_Create(&def, &on.profile))) {
        Bench_Fail(bench, "zone: no profile could be made");
        return;
    }
    BenchSide sides[] = {{"graze", NULL, runZones, zoneDigest, NULL, &on},
                         {"graze", NULL, runZones, zoneDigest, NULL, &off}};
    BenchJob job = {.metric = "zone", .unit = "ns/zone", .amount = ZONES, .n = ZONES, .workers = 1, .sideCount = 1};
    job.variant = "recording";
    job.sides = &sides[0];
    Bench_Measure(bench, &job);
    job.variant = "no profile";
    job.sides = &sides[1];
    Bench_Measure(bench, &job);
    grzProfile_Destroy(on.profile);
}

// ---- all ----

static const BenchCase cases[] = {
    {"copy", "memcpy of n bytes: the bar for all that streams", benchCopy, bench_usesN},
    {"hash", "the 64-bit hash, in one go and in pieces of 24 bytes", benchHash, bench_usesN},
    {"arena", "n blocks taken and given back, beside malloc", benchArena, bench_usesN},
    {"zone", "a profiler zone, recording and without a profile", benchZone, 0},
    {"radix-sort", "n 64-bit keys with values, beside qsort", benchRadixSort, bench_usesN},
    {"parallel-for", "an empty loop, beside OpenMP", benchParallelEmpty, bench_usesWorkers},
    {"tiny-tasks", "n tasks of some 100 ns, beside OpenMP", benchTinyTasks, bench_usesN | bench_usesWorkers},
    {"mesh-build", "topology of a mesh of n triangles", benchMeshBuild, bench_usesN | bench_usesMesh},
    {"read-mesh", "mesh files from memory: OBJ and PLY", benchMeshRead, bench_usesN | bench_usesMesh},
    {"read-sequence", "a vertex cache over n triangles, frame by frame, beside whole", benchSequenceRead,
     bench_usesN | bench_usesMesh | bench_usesSequence},
};

const BenchStage benchBase = {"base", "the ground floor", cases, sizeof cases / sizeof cases[0]};
