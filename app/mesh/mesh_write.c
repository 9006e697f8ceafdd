// What: meshes as OBJ and PLY.
#include "mesh_write.h"

#include <math.h>
#include <string.h>

#include "file_error.h"
#include "file_extension.h"
#include "number_text.h"

static void putCoordinateText(ByteSink* sink, const MeshData* mesh, size_t place) {
    char text[NUMBER_TEXT_CAPACITY];
    size_t length = mesh->isDouble ? formatDouble(((const double*)mesh->positions)[place], text)
                                   : formatFloat(((const float*)mesh->positions)[place], text);
    ByteSink_Put(sink, text, length);
}

static void putVertexText(ByteSink* sink, const MeshData* mesh, size_t vertex) {
    for (size_t axis = 0; axis < 3; ++axis) {
        if (axis != 0)
            ByteSink_Put(sink, " ", 1);
        putCoordinateText(sink, mesh, vertex * 3 + axis);
    }
    ByteSink_Put(sink, "\n", 1);
}

static void putTriangleText(ByteSink* sink, const char* lead, const uint32_t corners[3], uint64_t base) {
    char text[96];
    int length = snprintf(text, sizeof text, "%s%llu %llu %llu\n", lead, (unsigned long long)(corners[0] + base),
                          (unsigned long long)(corners[1] + base), (unsigned long long)(corners[2] + base));
    ByteSink_Put(sink, text, (size_t)length);
}

void putObj(ByteSink* sink, const MeshData* mesh) {
    for (size_t i = 0; i < mesh->vertexCount; ++i) {
        ByteSink_PutText(sink, "v ");
        putVertexText(sink, mesh, i);
    }
    for (size_t i = 0; i < mesh->triangleCount; ++i)
        putTriangleText(sink, "f ", mesh->indices + i * 3, 1);
}

static void putPlyHeader(ByteSink* sink, const MeshData* mesh, PlyForm form) {
    static const char* const forms[] = {
        [ply_littleEndian] = "binary_little_endian", [ply_bigEndian] = "binary_big_endian", [ply_text] = "ascii"};
    const char* type = mesh->isDouble ? "double" : "float";
    char text[512];
    snprintf(text, sizeof text,
             "ply\nformat %s 1.0\nelement vertex %zu\nproperty %s x\nproperty %s y\nproperty %s z\n"
             "element face %zu\nproperty list uchar uint vertex_indices\nend_header\n",
             forms[form], mesh->vertexCount, type, type, type, mesh->triangleCount);
    ByteSink_PutText(sink, text);
}

static void putBinary(ByteSink* sink, uint64_t bits, size_t size, PlyForm form) {
    if (form == ply_bigEndian)
        ByteSink_PutBig(sink, bits, size);
    else
        ByteSink_PutLittle(sink, bits, size);
}

static void putCoordinateBinary(ByteSink* sink, const MeshData* mesh, size_t place, PlyForm form) {
    uint64_t wide;
    uint32_t narrow;
    if (mesh->isDouble) {
        memcpy(&wide, (const double*)mesh->positions + place, sizeof wide);
        putBinary(sink, wide, sizeof wide, form);
    } else {
        memcpy(&narrow, (const float*)mesh->positions + place, sizeof narrow);
        putBinary(sink, narrow, sizeof narrow, form);
    }
}

static void putPlyText(ByteSink* sink, const MeshData* mesh) {
    for (size_t i = 0; i < mesh->vertexCount; ++i)
        putVertexText(sink, mesh, i);
    for (size_t i = 0; i < mesh->triangleCount; ++i)
        putTriangleText(sink, "3 ", mesh->indices + i * 3, 0);
}

static void putPlyBinary(ByteSink* sink, const MeshData* mesh, PlyForm form) {
    for (size_t i = 0; i < mesh->vertexCount * 3; ++i)
        putCoordinateBinary(sink, mesh, i, form);
    for (size_t i = 0; i < mesh->triangleCount; ++i) {
        ByteSink_Put(sink, "\3", 1);
        for (size_t corner = 0; corner < 3; ++corner)
            putBinary(sink, mesh->indices[i * 3 + corner], 4, form);
    }
}

void putPly(ByteSink* sink, const MeshData* mesh, PlyForm form) {
    putPlyHeader(sink, mesh, form);
    if (form == ply_text)
        putPlyText(sink, mesh);
    else
        putPlyBinary(sink, mesh, form);
}

static bool checkFinite(const char* path, const MeshData* mesh, FileError* error) {
    for (size_t i = 0; i < mesh->vertexCount * 3; ++i) {
        double number =
            mesh->isDouble ? ((const double*)mesh->positions)[i] : (double)((const float*)mesh->positions)[i];
        if (!isfinite(number))
            return failFile(error, path, "cannot be written: %c of vertex %zu is not finite", "xyz"[i % 3], i / 3);
    }
    return true;
}

bool writeObj(const char* path, const MeshData* mesh, FileError* error) {
    ByteSink sink;
    if (!checkFinite(path, mesh, error) || !ByteSink_Open(&sink, path, mesh->allocator, error))
        return false;
    putObj(&sink, mesh);
    bool isWritten = ByteSink_Commit(&sink, error);
    ByteSink_Release(&sink);
    return isWritten;
}

bool writePly(const char* path, const MeshData* mesh, PlyForm form, FileError* error) {
    ByteSink sink;
    if (!checkFinite(path, mesh, error) || !ByteSink_Open(&sink, path, mesh->allocator, error))
        return false;
    putPly(&sink, mesh, form);
    bool isWritten = ByteSink_Commit(&sink, error);
    ByteSink_Release(&sink);
    return isWritten;
}

static bool meshIsNamed(const char* path, FileError* error) {
    return hasExtension(path, "ply") || hasExtension(path, "obj") ||
           failFile(error, path, "cannot be written: meshes are written as .ply or .obj");
}

bool meshCanBeWritten(const char* path, FileError* error) {
    return meshIsNamed(path, error) && ByteSink_Check(path, error);
}

bool writeMesh(const char* path, const MeshData* mesh, FileError* error) {
    if (!meshIsNamed(path, error))
        return false;
    return hasExtension(path, "ply") ? writePly(path, mesh, ply_littleEndian, error) : writeObj(path, mesh, error);
}
