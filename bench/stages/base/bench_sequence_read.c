// What: reading a vertex cache frame by frame, as those must who cannot hold it, beside reading it whole.
// Holds: both sides read the same file, which lies in the system's cache after the first run, and both check every
// coordinate; they must come to the same positions. A generated sequence is written to a file of its own first.
#define _POSIX_C_SOURCE 200809L // mkstemp
#include "bench_base.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench_inputs.h"
#include "mesh_write.h"
#include "sequence_read.h"

#define PATH_SIZE 4200

typedef struct SequenceWork {
    const char* path;
    grzAllocator allocator;
    float* frame; // room for one
    size_t vertexCount;
    uint64_t digest;
} SequenceWork;

static void spoilDigest(void* context) {
    ((SequenceWork*)context)->digest = 0;
}

static void readByFrames(void* context) {
    SequenceWork* work = context;
    SequenceReader reader;
    work->digest = 0;
    if (!SequenceReader_Open(&reader, work->path, work->allocator, NULL))
        return;
    for (size_t i = 0; i < reader.header.frameCount; ++i)
        if (SequenceReader_ReadFrame(&reader, i, work->frame, NULL))
            work->digest = Bench_Digest(work->digest, work->frame, 3 * work->vertexCount * sizeof(float));
    SequenceReader_Close(&reader);
}

static void readWhole(void* context) {
    SequenceWork* work = context;
    SequenceData sequence;
    work->digest = 0;
    if (!readSequence(work->path, work->allocator, &sequence, NULL))
        return;
    for (size_t i = 0; i < sequence.frameCount; ++i)
        work->digest = Bench_Digest(work->digest, sequence.positions + i * 3 * sequence.vertexCount,
                                    3 * sequence.vertexCount * sizeof(float));
    SequenceData_Release(&sequence);
}

static uint64_t readDigest(void* context) {
    return ((SequenceWork*)context)->digest;
}

static void measureRead(Bench* bench, SequenceWork* work, size_t frames, size_t triangles, const char* name) {
    SequenceWork whole = *work;
    BenchSide sides[] = {{"graze", NULL, readByFrames, readDigest, NULL, work, spoilDigest},
                         {"whole", NULL, readWhole, readDigest, NULL, &whole, spoilDigest}};
    BenchJob job = {.variant = name,
                    .metric = "read",
                    .unit = "MB/s",
                    .isRate = true,
                    .amount = (double)(frames * work->vertexCount * 3 * sizeof(float)) * 1e-6,
                    .n = triangles,
                    .workers = 1,
                    .sides = sides,
                    .sideCount = 2};
    Bench_Measure(bench, &job);
}

// Writes the sequence to a new file, whose name goes to `path`. False after Bench_Fail.
static bool writeNew(Bench* bench, const SequenceData* sequence, char* path, size_t capacity) {
    const char* folder = getenv("TMPDIR");
    FileError error;
    int length =
        snprintf(path, capacity, "%s/graze-bench-XXXXXX", folder != NULL && folder[0] != 0 ? folder : "/tmp");
    int file = length > 0 && (size_t)length < capacity ? mkstemp(path) : -1;
    if (file < 0) {
        Bench_Fail(bench, "read-sequence: no file can be made in the folder for temporary ones (TMPDIR)");
        return false;
    }
    close(file);
    if (writePc2(path, sequence, &error))
        return true;
    remove(path);
    Bench_Fail(bench, "%s", error.text);
    return false;
}

void benchSequenceRead(Bench* bench) {
    const SequenceDef def = {sequenceSpheres, Bench_Size(bench, 65000, 2000), bench->options->quick ? 4 : 31};
    const char* given = bench->options->sequence;
    char path[PATH_SIZE];
    MeshData mesh;
    SequenceData sequence;
    const char* name;
    if (!Bench_Sequence(bench, &def, &mesh, &sequence, &name))
        return;
    SequenceWork work = {.path = given != NULL ? given : path, .allocator = bench->allocator};
    work.vertexCount = sequence.vertexCount;
    work.frame = Bench_Allocate(bench, sequence.vertexCount, 3 * sizeof(float));
    if (work.frame != NULL && (given != NULL || writeNew(bench, &sequence, path, sizeof path))) {
        measureRead(bench, &work, sequence.frameCount, mesh.triangleCount, name);
        if (given == NULL)
            remove(path);
    }
    Bench_Release(bench, work.frame, sequence.vertexCount, 3 * sizeof(float));
    SequenceData_Release(&sequence);
    MeshData_Release(&mesh);
}
