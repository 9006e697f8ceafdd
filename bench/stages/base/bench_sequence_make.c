// What: what the sequences that other cases run on cost: simulated anew, and by way of the cache.
// Holds: both sides end with the same mesh and frames in memory. The cache's file lies in the system's own cache; it
// is written before the clock starts, so that our side only reads it, and checks its digest and its first frame.
#include "bench_base.h"

#include <string.h>

#include "bench_sequences.h"

typedef struct MakeWork {
    SequenceDef def;
    grzAllocator allocator;
    MeshData mesh;
    SequenceData sequence;
} MakeWork;

static void drop(void* context) {
    MakeWork* work = context;
    MeshData_Release(&work->mesh);
    SequenceData_Release(&work->sequence);
}

// Where this fails both are empty, and the digest is that of nothing.
static void simulate(void* context) {
    MakeWork* work = context;
    (void)makeSequence(&work->def, work->allocator, &work->mesh, &work->sequence);
}

static void load(void* context) {
    MakeWork* work = context;
    (void)loadSequence(&work->def, NULL, work->allocator, &work->mesh, &work->sequence);
}

static uint64_t madeDigest(void* context) {
    const MakeWork* work = context;
    const SequenceData* sequence = &work->sequence;
    if (sequence->positions == NULL)
        return 0;
    uint64_t digest = Bench_Digest(sequence->vertexCount, sequence->times, sequence->frameCount * sizeof(float));
    digest =
        Bench_Digest(digest, sequence->positions, 3 * sequence->vertexCount * sequence->frameCount * sizeof(float));
    digest = Bench_Digest(digest, work->mesh.positions, 3 * work->mesh.vertexCount * sizeof(float));
    return Bench_Digest(digest, work->mesh.indices, 3 * work->mesh.triangleCount * sizeof(uint32_t));
}

static void measureKind(Bench* bench, const SequenceDef* def) {
    MakeWork cached = {.def = *def, .allocator = bench->allocator}, simulated = cached;
    load(&cached);
    if (cached.sequence.positions == NULL) {
        Bench_Fail(bench, "sequences: the sequence %s could not be made", sequenceName(def->kind));
        return;
    }
    BenchSide sides[] = {{"cache", drop, load, madeDigest, NULL, &cached, NULL},
                         {"simulated", drop, simulate, madeDigest, NULL, &simulated, NULL}};
    BenchJob job = {.variant = sequenceName(def->kind),
                    .metric = "make",
                    .unit = "frames/s",
                    .isRate = true,
                    .amount = (double)def->frames,
                    .n = cached.mesh.triangleCount,
                    .workers = 1,
                    .sides = sides,
                    .sideCount = 2};
    Bench_Measure(bench, &job);
    drop(&cached);
    drop(&simulated);
}

void benchSequenceMake(Bench* bench) {
    size_t n = Bench_Size(bench, 20000, 500);
    for (int kind = 0; kind < SEQUENCE_KIND_COUNT && !bench->failed; ++kind)
        measureKind(bench, &(SequenceDef){(SequenceKind)kind, n, bench->options->quick ? 3 : 11});
}
