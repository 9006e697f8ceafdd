// What: see kinetic_sequences.h.
#define _POSIX_C_SOURCE 200809L // scandir
#include "kinetic_sequences.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "mesh_read.h"
#include "sequence_read.h"

enum { pathSize = 4096, quickKeyframes = 4 };

typedef struct SequenceFolder {
    char mesh[pathSize], animation[pathSize];
    const char* name;
} SequenceFolder;

static bool isThere(const char* path) {
    FILE* file = fopen(path, "rb");
    return file != NULL && fclose(file) == 0;
}

static bool findFolder(const char* root, const char* name, SequenceFolder* folder) {
    const int mesh = snprintf(folder->mesh, pathSize, "%s/%s/base.obj", root, name);
    const int animation = snprintf(folder->animation, pathSize, "%s/%s/anim.pc2", root, name);
    folder->name = name;
    return mesh < pathSize && animation < pathSize && isThere(folder->mesh) && isThere(folder->animation);
}

static void runSequence(Bench* bench, const SequenceFolder* folder, const MeshData* mesh,
                        const SequenceData* sequence) {
    KineticScene scene;
    const bool isShort = bench->options->quick && sequence->frameCount > quickKeyframes;
    const size_t frames = isShort ? quickKeyframes : sequence->frameCount;
    if (sequence->vertexCount != mesh->vertexCount) {
        Bench_Fail(bench, "%s has %zu points, its mesh %zu vertices", folder->animation, sequence->vertexCount,
                   mesh->vertexCount);
        return;
    }
    if (KineticScene_MakeOf(bench, folder->name, mesh, sequence, 0, frames, 1, &scene))
        benchKineticScene(bench, &scene);
    KineticScene_Drop(bench, &scene);
}

static void runFolder(Bench* bench, const SequenceFolder* folder) {
    MeshData mesh = {0};
    SequenceData sequence = {0};
    FileError error;
    if (readMesh(folder->mesh, bench->allocator, &mesh, &error) &&
        readSequence(folder->animation, bench->allocator, &sequence, &error))
        runSequence(bench, folder, &mesh, &sequence);
    else
        Bench_Fail(bench, "%s", error.text);
    MeshData_Release(&mesh);
    SequenceData_Release(&sequence);
}

// How many were found.
static size_t runFolders(Bench* bench, const char* root, struct dirent** entries, size_t count) {
    size_t found = 0;
    for (size_t i = 0; i < count && !bench->failed; ++i) {
        SequenceFolder folder;
        if (entries[i]->d_name[0] == '.' || !findFolder(root, entries[i]->d_name, &folder))
            continue;
        if (found++ == 0 || !bench->options->quick)
            runFolder(bench, &folder);
    }
    return found;
}

void benchKineticSequences(Bench* bench) {
    const char* data = getenv("GRAZE_DATA");
    char root[pathSize];
    struct dirent** entries = NULL;
    if (data == NULL || data[0] == 0) {
        Bench_Skip(bench, "GRAZE_DATA does not name a folder of sequences");
        return;
    }
    if (snprintf(root, sizeof root, "%s/seq", data) >= (int)sizeof root) {
        Bench_Fail(bench, "the path in GRAZE_DATA is too long");
        return;
    }
    const int count = scandir(root, &entries, NULL, alphasort);
    if (count < 0 || runFolders(bench, root, entries, (size_t)count) == 0)
        Bench_Skip(bench, "there are no sequences in %s", root);
    for (int i = 0; i < count; ++i)
        free(entries[i]);
    free(entries);
}
