// What: generated sequences by kind, and the way to them by the cache.
// Holds: the name of a cache file has a digest of all that decides its content: the def and SEQUENCE_REVISION,
// which is raised with every change of what the generators make.
#define _POSIX_C_SOURCE 200809L // mkdir
#include "bench_sequences.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench.h"
#include "check.h"
#include "result_make.h"
#include "sequence_parts.h"

#define SEQUENCE_REVISION 1u

const char* sequenceName(SequenceKind kind) {
    static const char* const names[SEQUENCE_KIND_COUNT] = {"tablecloth", "drape", "spheres"};
    return names[kind];
}

static void fillTimes(SequenceData* sequence) {
    for (size_t frame = 0; frame < sequence->frameCount; ++frame)
        sequence->times[frame] = (float)frame;
}

grzResult makeSequence(const SequenceDef* def, grzAllocator allocator, MeshData* mesh, SequenceData* sequence) {
    memset(mesh, 0, sizeof *mesh);
    memset(sequence, 0, sizeof *sequence);
    if (def->frames == 0)
        return grzFail(grz_badArgument, 1);
    grzResult result =
        (def->kind == sequenceSpheres ? makeSphereSequence : makeClothSequence)(def, allocator, mesh, sequence);
    if (!grzResult_IsOk(result)) {
        MeshData_Release(mesh);
        SequenceData_Release(sequence);
        return result;
    }
    fillTimes(sequence);
    memcpy(mesh->positions, sequence->positions, 3 * mesh->vertexCount * sizeof(float));
    return result;
}

static bool startsLike(const SequenceData* sequence, const SequenceData* start, size_t frames) {
    return sequence->vertexCount == start->vertexCount && sequence->frameCount == frames &&
           memcmp(sequence->positions, start->positions, 3 * start->vertexCount * sizeof(float)) == 0;
}

// A call with one frame is cheap and gives the mesh, and the first frame, against which the file is checked.
static bool readCached(const SequenceDef* def, const char* path, grzAllocator allocator, MeshData* mesh,
                       SequenceData* sequence) {
    if (!readSequenceCache(path, allocator, sequence))
        return false;
    SequenceDef first = *def;
    SequenceData start;
    first.frames = 1;
    bool isSame =
        grzResult_IsOk(makeSequence(&first, allocator, mesh, &start)) && startsLike(sequence, &start, def->frames);
    SequenceData_Release(&start);
    if (!isSame) {
        MeshData_Release(mesh);
        SequenceData_Release(sequence);
    }
    return isSame;
}

static const char* cacheDirectory(const char* given) {
    const char* named = getenv("GRAZE_CACHE");
    return given != NULL ? given : named != NULL && named[0] != 0 ? named : GRAZE_BENCH_CACHE;
}

// False where the path is too long for the system.
static bool cachePath(const SequenceDef* def, const char* directory, char* path, size_t capacity) {
    const uint64_t parts[] = {SEQUENCE_REVISION, (uint64_t)def->kind, def->triangles, def->frames};
    int length = snprintf(path, capacity, "%s/%s-%zu-%zu-%016llx.pc2", directory, sequenceName(def->kind),
                          def->triangles, def->frames, (unsigned long long)Bench_Digest(0, parts, sizeof parts));
    return length > 0 && (size_t)length < capacity;
}

grzResult loadSequence(const SequenceDef* def, const char* directory, grzAllocator allocator, MeshData* mesh,
                       SequenceData* sequence) {
    char path[4096];
    directory = cacheDirectory(directory);
    bool canCache = cachePath(def, directory, path, sizeof path);
    if (canCache && def->frames > 1 && readCached(def, path, allocator, mesh, sequence))
        return grzOk();
    grzResult result = makeSequence(def, allocator, mesh, sequence);
    if (!grzResult_IsOk(result) || def->frames == 1)
        return result;
    if (!canCache || (mkdir(directory, 0777) != 0 && errno != EEXIST) || !writeSequenceCache(path, sequence))
        grzLog(grz_logWarning, "cannot keep the sequence %s in %s", sequenceName(def->kind), directory);
    return result;
}
