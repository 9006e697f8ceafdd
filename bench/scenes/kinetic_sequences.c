// What: see kinetic_sequences.h.
#include "kinetic_sequences.h"

#include <stdlib.h>

#include "bench_folders.h"
#include "mesh_read.h"
#include "sequence_read.h"

enum { quickKeyframes = 4 };

typedef struct SequenceFolder {
    char mesh[BENCH_PATH_SIZE], animation[BENCH_PATH_SIZE];
    const char* name;
} SequenceFolder;

static bool findFolder(Bench* bench, const char* root, const char* name, SequenceFolder* folder) {
    char path[BENCH_PATH_SIZE];
    folder->name = name;
    return Bench_JoinPath(bench, root, name, path) && Bench_JoinPath(bench, path, "base.obj", folder->mesh) &&
           Bench_JoinPath(bench, path, "anim.pc2", folder->animation) && Bench_HasFile(folder->mesh) &&
           Bench_HasFile(folder->animation);
}

typedef struct SequenceVisit {
    SequenceCaseFn* run;
    size_t found;
} SequenceVisit;

static void runSequence(Bench* bench, const SequenceFolder* folder, const MeshData* mesh,
                        const SequenceData* sequence, SequenceCaseFn* run) {
    KineticScene scene;
    const bool isShort = bench->options->quick && sequence->frameCount > quickKeyframes;
    const size_t frames = isShort ? quickKeyframes : sequence->frameCount;
    if (sequence->vertexCount != mesh->vertexCount) {
        Bench_Fail(bench, "%s has %zu points, its mesh %zu vertices", folder->animation, sequence->vertexCount,
                   mesh->vertexCount);
        return;
    }
    if (KineticScene_MakeOf(bench, folder->name, mesh, sequence, 0, frames, 1, &scene))
        run(bench, &scene);
    KineticScene_Drop(bench, &scene);
}

static void runFolder(Bench* bench, const SequenceFolder* folder, SequenceCaseFn* run) {
    MeshData mesh = {0};
    SequenceData sequence = {0};
    FileError error;
    if (readMesh(folder->mesh, bench->allocator, &mesh, &error) &&
        readSequence(folder->animation, bench->allocator, &sequence, &error))
        runSequence(bench, folder, &mesh, &sequence, run);
    else
        Bench_Fail(bench, "%s", error.text);
    MeshData_Release(&mesh);
    SequenceData_Release(&sequence);
}

static void visitEntry(Bench* bench, const char* root, const char* name, void* context) {
    SequenceVisit* visit = context;
    SequenceFolder folder;
    if (findFolder(bench, root, name, &folder) && (visit->found++ == 0 || !bench->options->quick))
        runFolder(bench, &folder, visit->run);
}

void benchEachSequence(Bench* bench, SequenceCaseFn* run) {
    const char* data = getenv("GRAZE_DATA");
    char root[BENCH_PATH_SIZE];
    SequenceVisit visit = {run, 0};
    if (data == NULL || data[0] == 0) {
        Bench_Skip(bench, "GRAZE_DATA does not name a folder of sequences");
        return;
    }
    if (!Bench_JoinPath(bench, data, "seq", root))
        return;
    Bench_ForEachEntry(bench, root, visitEntry, &visit);
    if (visit.found == 0 && !bench->failed)
        Bench_Skip(bench, "there are no sequences in %s", root);
}
