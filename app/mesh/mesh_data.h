// A triangle mesh and a vertex animation as files hold them: what readers fill, shapes generate and writers take.
// The memory is the holder's; MeshData_Release and SequenceData_Release give it back. All zeros is empty.
#ifndef GRAZE_APP_MESH_DATA_H
#define GRAZE_APP_MESH_DATA_H

#include "graze/host.h"
#include "graze/mesh.h"
#include "graze/result.h"

typedef struct MeshData {
    grzAllocator allocator;
    bool isDouble;     // positions are double, else float; as in the file, never rounded
    void* positions;   // vertexCount * 3 numbers, tight
    uint32_t* indices; // triangleCount * 3, each below vertexCount
    size_t vertexCount;
    size_t triangleCount;
} MeshData;

typedef struct SequenceData {
    grzAllocator allocator;
    float* positions; // frameCount * vertexCount * 3 numbers, frame by frame, tight
    float* times;     // frameCount, rising; in the file's unit (PC2: frames, MDD: seconds)
    size_t vertexCount;
    size_t frameCount;
} SequenceData;

// What went wrong with a file: one sentence that names the file and the line or the byte, without a line break.
typedef struct FileError {
    char text[384];
} FileError;

// Both leave *data empty where memory is refused or a count is too large; contents are not initialised.
grzResult MeshData_Create(MeshData* data, grzAllocator allocator, bool isDouble, size_t vertexCount,
                          size_t triangleCount);
void MeshData_Release(MeshData* data);
// Copies the triangles of a mesh that was created with none. On failure the mesh is as it was.
grzResult MeshData_SetTriangles(MeshData* data, const uint32_t* indices, size_t triangleCount);
// What grzMesh_Create takes, with the mesh's own allocator; the arrays stay the mesh's.
grzMeshDef MeshData_Def(const MeshData* data);
grzResult SequenceData_Create(SequenceData* data, grzAllocator allocator, size_t vertexCount, size_t frameCount);
void SequenceData_Release(SequenceData* data);

#endif
