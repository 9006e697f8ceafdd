// What: model_testing.h.
#include "model_testing.h"

#include <math.h>

#include "graze/tri_tri.h"

// ---- the frame of the contract ----

static void inverseOf(const double m[3][3], double n[3][3]) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            n[j][i] = m[(i + 1) % 3][(j + 1) % 3] * m[(i + 2) % 3][(j + 2) % 3] -
                      m[(i + 1) % 3][(j + 2) % 3] * m[(i + 2) % 3][(j + 1) % 3];
    const double factor = 1 / (m[0][0] * n[0][0] + m[0][1] * n[1][0] + m[0][2] * n[2][0]);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            n[i][j] *= factor;
}

static void basisOf(grzTransform pose, double m[3][3]) {
    const grzVec3 columns[3] = {pose.basis.x, pose.basis.y, pose.basis.z};
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            m[i][j] = (double)grzVec3_Get(columns[j], i);
}

// The twelve numbers of the contract.
static void relate(const grzModelQuery* query, float m[3][3], float t[3]) {
    double a[3][3], b[3][3], n[3][3], apart[3];
    basisOf(query->poseA, a);
    basisOf(query->poseB, b);
    inverseOf((const double(*)[3])a, n);
    for (int i = 0; i < 3; ++i)
        apart[i] = (double)grzVec3_Get(query->poseB.origin, i) - (double)grzVec3_Get(query->poseA.origin, i);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            m[i][j] = (float)((n[i][0] * b[0][j] + n[i][1] * b[1][j]) + n[i][2] * b[2][j]);
        t[i] = (float)((n[i][0] * apart[0] + n[i][1] * apart[1]) + n[i][2] * apart[2]);
    }
}

ModelMesh bringIntoA(const ModelMesh* mesh, const grzModelQuery* query) {
    float m[3][3], t[3];
    relate(query, m, t);
    ModelMesh moved = makeMesh(mesh->vertexCount, mesh->triangleCount);
    memcpy(moved.triangles, mesh->triangles, 3 * mesh->triangleCount * sizeof *mesh->triangles);
    for (size_t v = 0; v < mesh->vertexCount; ++v) {
        const float* p = mesh->positions + 3 * v;
        for (int i = 0; i < 3; ++i)
            moved.positions[3 * v + (size_t)i] = (m[i][0] * p[0] + m[i][1] * p[1]) + (m[i][2] * p[2] + t[i]);
    }
    return moved;
}

// ---- the sweep ----

typedef struct Bounded {
    grzBox box;
    uint32_t triangle;
} Bounded;

static int compareBounded(const void* a, const void* b) {
    const float x = ((const Bounded*)a)->box.lower.x, y = ((const Bounded*)b)->box.lower.x;
    return (x > y) - (x < y);
}

static Bounded* boundAll(const ModelMesh* mesh) {
    Bounded* bounded = calloc(mesh->triangleCount + 1, sizeof *bounded);
    assert_non_null(bounded);
    for (size_t i = 0; i < mesh->triangleCount; ++i) {
        grzVec3 p[3];
        cornersOf(mesh, i, p);
        bounded[i].triangle = (uint32_t)i;
        bounded[i].box = grzBox_Empty();
        for (int k = 0; k < 3; ++k)
            bounded[i].box = grzBox_AddPoint(bounded[i].box, p[k]);
    }
    qsort(bounded, mesh->triangleCount, sizeof *bounded, compareBounded);
    return bounded;
}

static void expect(Expected* expected, uint64_t key) {
    if (expected->count == expected->capacity) {
        expected->capacity = 2 * expected->capacity + 64;
        expected->keys = realloc(expected->keys, expected->capacity * sizeof *expected->keys);
        assert_non_null(expected->keys);
    }
    expected->keys[expected->count++] = key;
}

static int compareKeys(const void* a, const void* b) {
    const uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

Expected findExpected(const ModelMesh* a, const ModelMesh* b, const grzModelQuery* query) {
    Expected expected = {NULL, 0, 0};
    ModelMesh moved = bringIntoA(b, query);
    Bounded *ofA = boundAll(a), *ofB = boundAll(&moved);
    size_t first = 0; // of B's that may reach so far; those before end before all that come
    float reach = 0;  // the widest of B's
    for (size_t k = 0; k < b->triangleCount; ++k)
        reach = fmaxf(reach, ofB[k].box.upper.x - ofB[k].box.lower.x);
    for (size_t i = 0; i < a->triangleCount; ++i) {
        grzVec3 p[3], q[3];
        cornersOf(a, ofA[i].triangle, p);
        // Twice the width: a difference of floats is rounded.
        while (first < b->triangleCount && ofB[first].box.lower.x + 2 * reach < ofA[i].box.lower.x)
            ++first;
        for (size_t k = first; k < b->triangleCount && ofB[k].box.lower.x <= ofA[i].box.upper.x; ++k) {
            if (!grzBox_Overlap(ofA[i].box, ofB[k].box))
                continue;
            cornersOf(&moved, ofB[k].triangle, q);
            if (grzTriTri_Classify(p, q) != grz_triNone)
                expect(&expected, (uint64_t)ofA[i].triangle << 32 | ofB[k].triangle);
        }
    }
    if (expected.count != 0)
        qsort(expected.keys, expected.count, sizeof *expected.keys, compareKeys);
    free(ofA), free(ofB);
    freeMesh(&moved);
    return expected;
}
