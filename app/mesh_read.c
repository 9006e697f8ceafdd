// What: finds the reader for a mesh file.
#include "mesh_read.h"

#include <string.h>

#include "file_bytes.h"
#include "file_error.h"
#include "memory.h"
#include "mesh_assimp.h"

// Text behind the last point of the file's own name; "" where there is none.
static const char* extensionOf(const char* path) {
    const char* slash = strrchr(path, '/');
    const char* point = strrchr(slash != NULL ? slash : path, '.');
    return point != NULL ? point + 1 : "";
}

// Extensions are ASCII and may be in capitals.
static bool isExtension(const char* extension, const char* lower) {
    for (; *extension != 0 && *lower != 0; ++extension, ++lower) {
        char c = *extension >= 'A' && *extension <= 'Z' ? (char)(*extension - 'A' + 'a') : *extension;
        if (c != *lower)
            return false;
    }
    return *extension == *lower;
}

static bool beginsAsPly(const FileBytes* bytes) {
    return bytes->count >= 4 && memcmp(bytes->data, "ply", 3) == 0 &&
           (bytes->data[3] == '\n' || bytes->data[3] == '\r');
}

bool readMesh(const char* path, grzAllocator allocator, MeshData* out, FileError* error) {
    memset(out, 0, sizeof *out);
    grzAllocator owner = grzAllocator_OrDefault(allocator);
    FileBytes bytes;
    if (!FileBytes_Read(&bytes, path, &owner, error))
        return false;
    const char* extension = extensionOf(path);
    bool isRead;
    if (beginsAsPly(&bytes) || isExtension(extension, "ply"))
        isRead = readPly(bytes.data, bytes.count, path, owner, out, error);
    else if (isExtension(extension, "obj"))
        isRead = readObj(bytes.data, bytes.count, path, owner, out, error);
    else
        isRead = readByAssimp(path, owner, out, error);
    FileBytes_Release(&bytes, &owner);
    return isRead;
}
