// What: the targets of fuzz_entry.h: any bytes are read in full or refused with a sentence, and nothing leaks.
#include "fuzz_contract.h"
#include "fuzz_entry.h"
#include "mesh_read.h"
#include "sequence_read.h"

typedef bool MeshReader(const char* bytes, size_t size, const char* name, grzAllocator allocator, MeshData* out,
                        FileError* error);
typedef bool CacheReader(const char* bytes, size_t size, const char* name, grzAllocator allocator,
                         SequenceData* out, FileError* error);

static int fuzzMesh(MeshReader* read, const uint8_t* bytes, size_t size) {
    FuzzMemory memory;
    FileError error = {""};
    MeshData mesh;
    if (read((const char*)bytes, size, "input", fuzzAllocator(&memory, size), &mesh, &error))
        fuzzCheckMesh(&mesh);
    else {
        fuzzCheckError(&error);
        FUZZ_REQUIRE(mesh.positions == NULL && mesh.indices == NULL && mesh.vertexCount == 0);
    }
    MeshData_Release(&mesh);
    FUZZ_REQUIRE(memory.liveBytes == 0);
    return 0;
}

static int fuzzSequence(CacheReader* read, const uint8_t* bytes, size_t size) {
    FuzzMemory memory;
    FileError error = {""};
    SequenceData sequence;
    if (read((const char*)bytes, size, "input", fuzzAllocator(&memory, size), &sequence, &error))
        fuzzCheckSequence(&sequence);
    else {
        fuzzCheckError(&error);
        FUZZ_REQUIRE(sequence.positions == NULL && sequence.times == NULL && sequence.frameCount == 0);
    }
    SequenceData_Release(&sequence);
    FUZZ_REQUIRE(memory.liveBytes == 0);
    return 0;
}

int fuzzObj(const uint8_t* bytes, size_t size) {
    return fuzzMesh(readObj, bytes, size);
}

int fuzzPly(const uint8_t* bytes, size_t size) {
    return fuzzMesh(readPly, bytes, size);
}

int fuzzPc2(const uint8_t* bytes, size_t size) {
    return fuzzSequence(readPc2, bytes, size);
}

int fuzzMdd(const uint8_t* bytes, size_t size) {
    return fuzzSequence(readMdd, bytes, size);
}
