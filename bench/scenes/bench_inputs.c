// What: meshes and sequences for cases.
#include "bench_inputs.h"

#include <string.h>

#include "mesh_read.h"
#include "sequence_read.h"

static const char* baseName(const char* path) {
    const char* slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

bool Bench_Mesh(Bench* bench, bool second, ShapeKind shape, size_t n, MeshData* mesh, const char** name) {
    Bench_ExpectUse(bench, second ? bench_usesSecondMesh : bench_usesMesh);
    const char* path = second ? bench->options->meshB : bench->options->meshA;
    if (path != NULL) {
        FileError error;
        *name = baseName(path);
        if (readMesh(path, bench->allocator, mesh, &error))
            return true;
        Bench_Fail(bench, "%s", error.text);
        return false;
    }
    char text[128];
    *name = shapeName(shape);
    grzResult result = makeShape(shape, n, bench->allocator, mesh);
    if (!grzResult_IsOk(result))
        Bench_Fail(bench, "%s: %s", *name, grzResult_Text(result, text, sizeof text));
    return grzResult_IsOk(result);
}

static bool readGivenSequence(Bench* bench, MeshData* mesh, SequenceData* sequence, const char** name) {
    const char* path = bench->options->sequence;
    FileError error;
    if (path == NULL || bench->options->meshA == NULL) {
        Bench_Fail(bench, "a sequence needs both --pc2 and --mesh");
        return false;
    }
    if (!Bench_Mesh(bench, false, shapeGrid, 0, mesh, name))
        return false;
    *name = baseName(path);
    if (!readSequence(path, bench->allocator, sequence, &error))
        Bench_Fail(bench, "%s", error.text);
    else if (sequence->vertexCount != mesh->vertexCount)
        Bench_Fail(bench, "%s has %zu points, its mesh %zu vertices", path, sequence->vertexCount,
                   mesh->vertexCount);
    if (!bench->failed)
        return true;
    MeshData_Release(mesh);
    SequenceData_Release(sequence);
    return false;
}

bool Bench_Sequence(Bench* bench, const SequenceDef* def, MeshData* mesh, SequenceData* sequence,
                    const char** name) {
    Bench_ExpectUse(bench, bench_usesSequence | bench_usesMesh);
    if (bench->options->sequence != NULL || bench->options->meshA != NULL)
        return readGivenSequence(bench, mesh, sequence, name);
    char text[128];
    *name = sequenceName(def->kind);
    grzResult result = loadSequence(def, NULL, bench->allocator, mesh, sequence);
    if (!grzResult_IsOk(result))
        Bench_Fail(bench, "%s: %s", *name, grzResult_Text(result, text, sizeof text));
    return grzResult_IsOk(result);
}
