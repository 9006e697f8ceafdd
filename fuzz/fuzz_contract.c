// What: the checks of fuzz_contract.h.
#include "fuzz_contract.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh_read.h"
#include "mesh_write.h"
#include "sequence_read.h"

void fuzzFail(const char* condition, const char* file, int line) {
    fprintf(stderr, "%s:%d: broken: %s\n", file, line, condition);
    abort();
}

// The densest input is a polygon of one-byte indices: 12 bytes of triangle each, three and a half times that while
// a list grows, and 4 of corner.
static void* allocateCounted(void* context, size_t size, size_t alignment) {
    FuzzMemory* memory = context;
    memory->liveBytes += size;
    FUZZ_REQUIRE(memory->liveBytes <= memory->limit);
    return grzDefaultAllocator().allocate(NULL, size, alignment);
}

static void releaseCounted(void* context, void* data, size_t size, size_t alignment) {
    FuzzMemory* memory = context;
    FUZZ_REQUIRE(memory->liveBytes >= size);
    memory->liveBytes -= size;
    grzDefaultAllocator().release(NULL, data, size, alignment);
}

grzAllocator fuzzAllocator(FuzzMemory* memory, size_t inputSize) {
    memory->liveBytes = 0;
    memory->limit = inputSize * 64 + 65536;
    grzAllocator allocator = {memory, allocateCounted, releaseCounted};
    return allocator;
}

void fuzzCheckError(const FileError* error) {
    FUZZ_REQUIRE(strncmp(error->text, "input:", 6) == 0);
    FUZZ_REQUIRE(strlen(error->text) > 10);
    for (const char* c = error->text; *c != 0; ++c)
        FUZZ_REQUIRE((unsigned char)*c >= ' ' && *c != 127);
}

static bool isCoordinateFinite(const MeshData* mesh, size_t place) {
    return mesh->isDouble ? isfinite(((const double*)mesh->positions)[place])
                          : isfinite(((const float*)mesh->positions)[place]);
}

static void checkSameMesh(const MeshData* a, const MeshData* b) {
    size_t numberSize = a->isDouble ? sizeof(double) : sizeof(float);
    FUZZ_REQUIRE(a->isDouble == b->isDouble);
    FUZZ_REQUIRE(a->vertexCount == b->vertexCount && a->triangleCount == b->triangleCount);
    FUZZ_REQUIRE(memcmp(a->positions, b->positions, a->vertexCount * 3 * numberSize) == 0);
    FUZZ_REQUIRE(a->triangleCount == 0 ||
                 memcmp(a->indices, b->indices, a->triangleCount * 3 * sizeof(uint32_t)) == 0);
}

// Which of the forms is tried follows from the mesh, so that a run is the same every time.
static void checkMeshReturns(const MeshData* mesh) {
    grzAllocator usual = {0};
    ByteSink sink = {.allocator = grzDefaultAllocator()};
    MeshData back;
    FileError error;
    putPly(&sink, mesh, (PlyForm)((mesh->vertexCount + mesh->triangleCount) % 3));
    FUZZ_REQUIRE(readPly(sink.bytes.data, sink.bytes.count, "back", usual, &back, &error));
    checkSameMesh(mesh, &back);
    MeshData_Release(&back);
    ByteSink_Release(&sink);
}

void fuzzCheckMesh(const MeshData* mesh) {
    FUZZ_REQUIRE(mesh->vertexCount > 0);
    for (size_t i = 0; i < mesh->vertexCount * 3; ++i)
        FUZZ_REQUIRE(isCoordinateFinite(mesh, i));
    for (size_t i = 0; i < mesh->triangleCount * 3; ++i)
        FUZZ_REQUIRE(mesh->indices[i] < mesh->vertexCount);
    checkMeshReturns(mesh);
}

void fuzzCheckSequence(const SequenceData* sequence) {
    size_t count = sequence->frameCount * sequence->vertexCount * 3;
    FUZZ_REQUIRE(count > 0);
    for (size_t i = 0; i < count; ++i)
        FUZZ_REQUIRE(isfinite(sequence->positions[i]));
    for (size_t i = 0; i < sequence->frameCount; ++i)
        FUZZ_REQUIRE(isfinite(sequence->times[i]) && (i == 0 || sequence->times[i] > sequence->times[i - 1]));
    grzAllocator usual = {0};
    ByteSink sink = {.allocator = grzDefaultAllocator()};
    SequenceData back;
    FileError error;
    putMdd(&sink, sequence);
    FUZZ_REQUIRE(readMdd(sink.bytes.data, sink.bytes.count, "back", usual, &back, &error));
    FUZZ_REQUIRE(memcmp(back.positions, sequence->positions, count * sizeof(float)) == 0);
    FUZZ_REQUIRE(memcmp(back.times, sequence->times, sequence->frameCount * sizeof(float)) == 0);
    SequenceData_Release(&back);
    ByteSink_Release(&sink);
}
