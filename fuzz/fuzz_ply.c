// Any bytes as PLY: read in full or refused with a sentence, and nothing leaks.
#include "fuzz_contract.h"
#include "fuzz_entry.h"
#include "mesh_read.h"

int fuzzPly(const uint8_t* bytes, size_t size) {
    FuzzMemory memory;
    FileError error = {""};
    MeshData mesh;
    if (readPly((const char*)bytes, size, "input", fuzzAllocator(&memory, size), &mesh, &error))
        fuzzCheckMesh(&mesh);
    else {
        fuzzCheckError(&error);
        FUZZ_REQUIRE(mesh.positions == NULL && mesh.indices == NULL && mesh.vertexCount == 0);
    }
    MeshData_Release(&mesh);
    FUZZ_REQUIRE(memory.liveBytes == 0);
    return 0;
}

FUZZ_PROGRAM(fuzzPly)
