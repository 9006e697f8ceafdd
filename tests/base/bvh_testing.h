// What the tests of the hierarchies over triangles share: meshes of every kind and all that a hierarchy stands on.
//
// Meshes are drawn from a generator that the test gives, so that a seed tells all.
#ifndef GRAZE_TESTS_BVH_TESTING_H
#define GRAZE_TESTS_BVH_TESTING_H

#include <math.h>

#include "testing.h"

#include "graze/bvh.h"
#include "rng.h"
#include "simd_dispatch.h"

#define TEST_BVH_BUILDERS 3

typedef enum TestMeshKind {
    test_soup,        // every triangle anywhere, vertices shared at random
    test_strip,       // neighbours share two vertices
    test_fan,         // all share the last vertex
    test_points,      // all corners in one place
    test_repeated,    // indices twice in a triangle, triangles twice
    test_line,        // all on one line
    test_exponential, // sizes double from one to the next, over 2^-60 .. 2^60
    test_denormal,    // coordinates below the smallest normal float
    test_astronomical,
    test_far,  // a small one around 1e7
    test_lone, // vertices without a triangle among the others
    test_meshKinds,
} TestMeshKind;

// Positions in the caller's order, as floats and the same as doubles plus what floats cannot hold.
typedef struct TestMesh {
    uint32_t vertexCount, triangleCount;
    float* positions;
    double* doubles;
    uint32_t* triangles;
} TestMesh;

static inline void testOk(grzResult result) {
    char text[128];
    if (!grzResult_IsOk(result))
        fail_msg("%s", grzResult_Text(result, text, sizeof text));
}

static inline void* testTake(size_t count, size_t size) {
    void* memory = malloc(count * size + 1);
    assert_non_null(memory);
    return memory;
}

static inline float testScale(TestMeshKind kind, uint32_t vertex) {
    switch (kind) {
    case test_exponential:
        return ldexpf(1, (int)(vertex % 121) - 60);
    case test_denormal:
        return 1e-40F;
    case test_astronomical:
        return 3e38F;
    case test_points:
        return 0;
    case test_soup:
    case test_strip:
    case test_fan:
    case test_repeated:
    case test_line:
    case test_far:
    case test_lone:
    case test_meshKinds:
    default:
        return 1;
    }
}

static inline void testPlaceVertex(TestMeshKind kind, grzRng* rng, TestMesh* mesh, uint32_t v) {
    const float scale = testScale(kind, v);
    for (size_t axis = 0; axis < 3; ++axis) {
        float x = 2 * grzRng_Float(rng) - 1;
        if (kind == test_line && axis != 1)
            x = 0.25F;
        if (kind == test_strip && axis == 0)
            x = (float)v * 0.1F;
        x = x * scale + (kind == test_far ? 1e7F : 0);
        mesh->positions[3 * (size_t)v + axis] = x;
        mesh->doubles[3 * (size_t)v + axis] = (double)x * (1 + (double)grzRng_Float(rng) * 1e-9);
    }
}

static inline uint32_t testCorner(TestMeshKind kind, grzRng* rng, const TestMesh* mesh, uint32_t triangle,
                                  uint32_t k) {
    if (kind == test_strip || kind == test_exponential)
        return (triangle + k) % mesh->vertexCount;
    if (kind == test_fan && k == 2)
        return mesh->vertexCount - 1;
    if (kind == test_repeated)
        return grzRng_Below(rng, mesh->vertexCount < 3 ? mesh->vertexCount : 3);
    const uint32_t corner = grzRng_Below(rng, mesh->vertexCount);
    return kind == test_lone ? corner / 2 * 2 : corner;
}

// About half as many vertices as triangles. Released by testDropMesh.
static inline TestMesh testMakeMesh(TestMeshKind kind, grzRng* rng, uint32_t triangleCount) {
    TestMesh mesh = {triangleCount / 2 + 3, triangleCount, NULL, NULL, NULL};
    mesh.positions = (float*)testTake(3 * (size_t)mesh.vertexCount, sizeof(float));
    mesh.doubles = (double*)testTake(3 * (size_t)mesh.vertexCount, sizeof(double));
    mesh.triangles = (uint32_t*)testTake(3 * (size_t)triangleCount, sizeof(uint32_t));
    for (uint32_t v = 0; v < mesh.vertexCount; ++v)
        testPlaceVertex(kind, rng, &mesh, v);
    for (uint32_t t = 0; t < triangleCount; ++t)
        for (uint32_t k = 0; k < 3; ++k)
            mesh.triangles[3 * (size_t)t + k] = testCorner(kind, rng, &mesh, t, k);
    return mesh;
}

static inline void testDropMesh(TestMesh* mesh) {
    free(mesh->positions);
    free(mesh->doubles);
    free(mesh->triangles);
}

static inline grzBvhDef testBvhDef(const TestMesh* mesh, uint32_t builder) {
    grzBvhDef def = grzDefaultBvhDef();
    def.builder = (grzBvhBuilder)builder;
    def.positions = mesh->positions;
    def.vertexCount = mesh->vertexCount;
    def.triangles = mesh->triangles;
    def.triangleCount = mesh->triangleCount;
    return def;
}

static inline grzBvh* testMakeBvh(const TestMesh* mesh, uint32_t builder) {
    const grzBvhDef def = testBvhDef(mesh, builder);
    grzBvh* bvh;
    testOk(grzBvh_Create(&def, &bvh));
    assert_true(grzBvh_Validate(bvh));
    return bvh;
}

static inline void testAssertSameView(const grzBvhView* a, const grzBvhView* b) {
    assert_memory_equal(a->levelStarts, b->levelStarts, sizeof a->levelStarts);
    const size_t triangles = a->triangleCount, vertices = a->vertexCount, leaves = a->leafCount;
    assert_memory_equal(a->triangles, b->triangles, 3 * triangles * sizeof(uint32_t));
    assert_memory_equal(a->triangleToCaller, b->triangleToCaller, triangles * sizeof(uint32_t));
    assert_memory_equal(a->vertexToCaller, b->vertexToCaller, vertices * sizeof(uint32_t));
    assert_memory_equal(a->vertexFromCaller, b->vertexFromCaller, vertices * sizeof(uint32_t));
    assert_memory_equal(a->leafVertices, b->leafVertices, 8 * leaves * sizeof(uint32_t));
    assert_memory_equal(a->moreVertices, b->moreVertices, 4 * leaves * sizeof(uint32_t));
    assert_memory_equal(a->leafVertexCounts, b->leafVertexCounts, leaves);
}

// Filled with what no refit writes.
static inline grzBvhNode* testTakeNodes(const grzBvh* bvh) {
    const grzBvhView view = grzBvh_GetView(bvh);
    grzBvhNode* nodes = (grzBvhNode*)testTake(view.nodeCount, sizeof *nodes);
    memset(nodes, 0xA5, view.nodeCount * sizeof *nodes);
    return nodes;
}

// The tree's vertices in the tree's order, tight and to the byte, so that a sanitizer sees a read behind the last.
static inline void* testReorder(const grzBvh* bvh, const void* positions, size_t size) {
    const grzBvhView view = grzBvh_GetView(bvh);
    unsigned char* to = (unsigned char*)malloc(view.vertexCount * size);
    assert_non_null(to);
    for (uint32_t v = 0; v < view.vertexCount; ++v)
        memcpy(to + v * size, (const unsigned char*)positions + view.vertexToCaller[v] * size, size);
    return to;
}

#endif
