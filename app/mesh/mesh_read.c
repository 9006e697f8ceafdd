// What: finds the reader for a mesh file.
#include "mesh_read.h"

#include <string.h>

#include "file_bytes.h"
#include "file_error.h"
#include "file_extension.h"
#include "memory.h"
#include "mesh_assimp.h"

static bool beginsAsPly(const FileBytes* bytes) {
    return bytes->count >= 4 && memcmp(bytes->data, "ply", 3) == 0 &&
           (bytes->data[3] == '\n' || bytes->data[3] == '\r');
}

static bool readBytes(const FileBytes* bytes, const char* path, grzAllocator owner, MeshData* out,
                      FileError* error) {
    if (beginsAsPly(bytes) || hasExtension(path, "ply"))
        return readPly(bytes->data, bytes->count, path, owner, out, error);
    if (hasExtension(path, "obj"))
        return readObj(bytes->data, bytes->count, path, owner, out, error);
    return readByAssimp(path, owner, out, error); // which knows the sentence
}

bool readMesh(const char* path, grzAllocator allocator, MeshData* out, FileError* error) {
    memset(out, 0, sizeof *out);
    if (hasExtension(path, "pc2") || hasExtension(path, "mdd"))
        return failFile(error, path, "a vertex cache holds no mesh, only where its vertices go");
    bool isOurs = hasExtension(path, "ply") || hasExtension(path, "obj");
    if (!isOurs && isKnownToAssimp(path))
        return readByAssimp(path, allocator, out, error);
    grzAllocator owner = grzAllocator_OrDefault(allocator);
    FileBytes bytes;
    if (!FileBytes_Read(&bytes, path, &owner, error))
        return false;
    bool isRead = readBytes(&bytes, path, owner, out, error);
    FileBytes_Release(&bytes, &owner);
    return isRead;
}
