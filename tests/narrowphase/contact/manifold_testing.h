// What the tests of manifolds share: bodies that can be moved, all their triangle pairs, and checked builds.
#ifndef GRAZE_TESTS_MANIFOLD_TESTING_H
#define GRAZE_TESTS_MANIFOLD_TESTING_H

#include "testing.h"

#include <math.h>

#include "body_ids.h"
#include "graze/manifold.h"
#include "record_sort.h"

enum { MOST_PAIRS = 80000, MOST_VERTICES = 400 };

typedef struct Body {
    grzMesh* mesh;
    grzMeshView view;
    float positions[3 * MOST_VERTICES]; // in the world
    uint32_t id;
} Body;

static grzTrianglePair g_pairs[MOST_PAIRS];

static inline void makeBody(Body* body, uint32_t id, const float* positions, size_t vertexCount,
                            const uint32_t* triangles, size_t triangleCount) {
    grzMeshDef def = grzDefaultMeshDef();
    def.positions = positions;
    def.vertexCount = vertexCount;
    def.indices = triangles;
    def.triangleCount = triangleCount;
    assert_true(grzResult_IsOk(grzMesh_Create(&def, &body->mesh)));
    body->view = grzMesh_GetView(body->mesh);
    body->id = id;
    memcpy(body->positions, positions, 3 * vertexCount * sizeof *positions);
}

static inline void makeBox(Body* body, uint32_t id, grzVec3 lower, grzVec3 upper) {
    static const uint32_t triangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                           2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    float positions[24];
    for (int i = 0; i < 8; ++i) {
        positions[3 * i] = (i & 1) != 0 ? upper.x : lower.x;
        positions[3 * i + 1] = (i & 2) != 0 ? upper.y : lower.y;
        positions[3 * i + 2] = (i & 4) != 0 ? upper.z : lower.z;
    }
    makeBody(body, id, positions, 8, triangles, 12);
}

// n x n squares of the given side around the origin, open, with the heights of a function.
typedef float HeightFn(float x, float y);

static inline void makeTerrain(Body* body, uint32_t id, uint32_t n, float side, HeightFn* height) {
    float positions[3 * MOST_VERTICES];
    uint32_t triangles[6 * MOST_VERTICES], count = 0;
    for (uint32_t i = 0; i <= n; ++i)
        for (uint32_t j = 0; j <= n; ++j) {
            float* p = positions + 3 * (i * (n + 1) + j);
            p[0] = side * ((float)i - (float)n / 2);
            p[1] = side * ((float)j - (float)n / 2);
            p[2] = height(p[0], p[1]);
        }
    for (uint32_t i = 0; i < n; ++i)
        for (uint32_t j = 0; j < n; ++j) {
            uint32_t a = i * (n + 1) + j, b = a + n + 1;
            const uint32_t six[6] = {a, b, b + 1, a, b + 1, a + 1};
            memcpy(triangles + count, six, sizeof six);
            count += 6;
        }
    makeBody(body, id, positions, (n + 1) * (n + 1), triangles, count / 3);
}

// Turned by a unit quaternion, then moved.
static inline void poseBody(Body* body, grzQuat turn, grzVec3 by) {
    for (uint32_t i = 0; i < body->view.vertexCount; ++i) {
        grzVec3 p = grzQuat_Rotate(turn, grzVec3_Load(body->view.positions32 + 3 * i));
        grzVec3_Store(body->positions + 3 * i, grzAdd(p, by));
    }
}

static inline void moveBody(Body* body, grzVec3 by) {
    for (uint32_t i = 0; i < body->view.vertexCount; ++i) {
        grzVec3 p = grzAdd(grzVec3_Load(body->view.positions32 + 3 * i), by);
        grzVec3_Store(body->positions + 3 * i, p);
    }
}

static inline grzManifoldQuery queryOf(const Body* a, const Body* b) {
    grzManifoldQuery query = {.a = {.mesh = &a->view, .positions = a->positions, .body = idOfNumber(a->id)},
                              .b = {.mesh = &b->view, .positions = b->positions, .body = idOfNumber(b->id)}};
    for (uint32_t i = 0; i < a->view.triangleCount; ++i)
        for (uint32_t j = 0; j < b->view.triangleCount; ++j) {
            assert_true(query.count < MOST_PAIRS);
            g_pairs[query.count++] = (grzTrianglePair){0, i, j, 0, 0};
        }
    query.pairs = g_pairs;
    return query;
}

static inline grzManifolds* makeManifolds(void) {
    grzManifolds* manifolds;
    assert_true(grzResult_IsOk(grzManifolds_Create(NULL, (grzAllocator){0}, &manifolds)));
    return manifolds;
}

static inline grzManifoldView build(grzManifolds* manifolds, const grzManifoldQuery* query) {
    assert_true(grzResult_IsOk(grzManifolds_Build(manifolds, query)));
    grzManifoldView view = grzManifolds_GetView(manifolds);
    assert_true(grzAreRecordsSorted(&grzContactType, view.contacts, view.count));
    return view;
}

static inline bool isNear(float a, float b, float tolerance) {
    return fabsf(a - b) <= tolerance;
}

#endif
