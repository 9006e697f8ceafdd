// What: meshes for cases.
#include "bench_inputs.h"

#include <string.h>

#include "mesh_read.h"

static const char* baseName(const char* path) {
    const char* slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

bool Bench_Mesh(Bench* bench, bool second, ShapeKind shape, size_t n, MeshData* mesh, const char** name) {
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
