// What the tests of readers and writers share: a folder of their own, and meshes to write and compare.
#ifndef GRAZE_TESTS_FILE_TESTING_H
#define GRAZE_TESTS_FILE_TESTING_H

#include "testing.h"

#include "mesh_data.h"

// splitmix64 [Steele, Lea, Flood 2014]
static inline uint64_t nextRandom(uint64_t* state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

// Any finite number, denormals and zeros of both signs too, each bit pattern equally likely.
static inline double randomDouble(uint64_t* state) {
    for (;;) {
        uint64_t bits = nextRandom(state);
        double number;
        memcpy(&number, &bits, sizeof number);
        if (((bits >> 52) & 0x7ff) != 0x7ff)
            return number;
    }
}

static inline float randomFloat(uint64_t* state) {
    for (;;) {
        uint32_t bits = (uint32_t)nextRandom(state);
        float number;
        memcpy(&number, &bits, sizeof number);
        if (((bits >> 23) & 0xff) != 0xff)
            return number;
    }
}

static inline MeshData randomMesh(uint64_t* state, bool isDouble, size_t vertexCount, size_t triangleCount) {
    MeshData mesh;
    grzAllocator usual = {0};
    assert_true(grzResult_IsOk(MeshData_Create(&mesh, usual, isDouble, vertexCount, triangleCount)));
    for (size_t i = 0; i < vertexCount * 3; ++i) {
        if (isDouble)
            ((double*)mesh.positions)[i] = randomDouble(state);
        else
            ((float*)mesh.positions)[i] = randomFloat(state);
    }
    for (size_t i = 0; i < triangleCount * 3; ++i)
        mesh.indices[i] = (uint32_t)(nextRandom(state) % vertexCount);
    return mesh;
}

static inline void assertSameMesh(const MeshData* a, const MeshData* b) {
    assert_int_equal(a->isDouble, b->isDouble);
    assert_int_equal(a->vertexCount, b->vertexCount);
    assert_int_equal(a->triangleCount, b->triangleCount);
    if (a->vertexCount != 0)
        assert_memory_equal(a->positions, b->positions,
                            a->vertexCount * 3 * (a->isDouble ? sizeof(double) : sizeof(float)));
    if (a->triangleCount != 0)
        assert_memory_equal(a->indices, b->indices, a->triangleCount * 3 * sizeof(uint32_t));
}

static inline void assertEmptyMesh(const MeshData* mesh) {
    assert_null(mesh->positions);
    assert_null(mesh->indices);
    assert_int_equal(mesh->vertexCount, 0);
    assert_int_equal(mesh->triangleCount, 0);
}

// A folder below the system's for temporary files.
typedef struct TestFolder {
    char path[512];
} TestFolder;

typedef struct TestPath {
    char text[800];
} TestPath;

TestFolder makeFolder(void);
TestPath pathIn(const TestFolder* folder, const char* name);
void writeBytes(const char* path, const void* bytes, size_t size);
size_t countFiles(const TestFolder* folder);
// With the files in it.
void removeFolder(const TestFolder* folder);

// Calls `check` for each file of the data folder that the pattern names; skips the test where GRAZE_DATA names no
// folder. There must be such a file.
void testEachDataFile(const char* pattern, void (*check)(const char* path));

#endif
