// What: the way to Assimp, or the sentence that it is missing.
#include "mesh_assimp.h"

#include <string.h>

#include "file_error.h"

bool readByAssimp(const char* path, grzAllocator allocator, MeshData* out, FileError* error) {
    (void)allocator;
    memset(out, 0, sizeof *out);
    return failFile(
        error, path,
        "is neither OBJ nor PLY, and this build reads no other format: install Assimp (Debian: libassimp-dev) "
        "and build again");
}
