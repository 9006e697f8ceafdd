// What: see model_protocol.h.
#include "model_protocol.h"

#include <math.h>
#include <stdlib.h>

#include "result_make.h"
#include "rng.h"

// ---- the mesh ----

static double coordinate(const MeshData* mesh, size_t i) {
    return mesh->isDouble ? ((const double*)mesh->positions)[i] : (double)((const float*)mesh->positions)[i];
}

static void findBounds(const MeshData* mesh, double lower[3], double upper[3]) {
    for (int axis = 0; axis < 3; ++axis)
        lower[axis] = (double)INFINITY, upper[axis] = -(double)INFINITY;
    for (size_t i = 0; i < 3 * mesh->vertexCount; ++i) {
        lower[i % 3] = fmin(lower[i % 3], coordinate(mesh, i));
        upper[i % 3] = fmax(upper[i % 3], coordinate(mesh, i));
    }
}

grzResult ModelProtocol_MakeModel(const MeshData* mesh, grzModel** model) {
    double lower[3], upper[3];
    float* positions = malloc(3 * mesh->vertexCount * sizeof *positions);
    if (positions == NULL)
        return grzNoMemory(3 * mesh->vertexCount, sizeof *positions);
    findBounds(mesh, lower, upper);
    const double size = fmax(fmax(upper[0] - lower[0], upper[1] - lower[1]), upper[2] - lower[2]);
    for (size_t i = 0; i < 3 * mesh->vertexCount; ++i)
        positions[i] = (float)((2 * coordinate(mesh, i) - lower[i % 3] - upper[i % 3]) / size);
    grzModelDef def = grzDefaultModelDef();
    def.positions = positions, def.vertexCount = mesh->vertexCount;
    def.triangles = mesh->indices, def.triangleCount = mesh->triangleCount;
    const grzResult result = grzModel_Create(&def, model);
    free(positions);
    return result;
}

// ---- poses ----

// [Shoemake, Uniform Random Rotations, Graphics Gems III]
static grzMat3 drawRotation(grzRng* rng) {
    const float u = grzRng_Float(rng), turn = 6.2831853F;
    const float p = turn * grzRng_Float(rng), q = turn * grzRng_Float(rng);
    const float s = sqrtf(1 - u), t = sqrtf(u);
    return grzMat3_FromQuat(grzQuat_Make(s * grzSin(p), s * grzCos(p), t * grzSin(q), t * grzCos(q)));
}

static bool isApartAlong(grzVec3 axis, grzVec3 apart, const grzVec3 edgesA[3], const grzVec3 edgesB[3]) {
    float radius = 0;
    for (int i = 0; i < 3; ++i)
        radius += fabsf(grzDot(axis, edgesA[i])) + fabsf(grzDot(axis, edgesB[i]));
    return fabsf(grzDot(axis, apart)) > radius;
}

// Whether two boxes overlap, by all fifteen axes. Edges are half as long as the box's.
static bool doBoxesOverlap(grzBox box, grzTransform poseA, grzTransform poseB) {
    const grzVec3 half = grzScale(grzSub(box.upper, box.lower), 0.5F);
    const grzVec3 center = grzScale(grzAdd(box.upper, box.lower), 0.5F);
    const grzMat3 a = grzMat3_ScaleColumns(poseA.basis, half), b = grzMat3_ScaleColumns(poseB.basis, half);
    const grzVec3 edgesA[3] = {a.x, a.y, a.z}, edgesB[3] = {b.x, b.y, b.z};
    const grzVec3 apart = grzSub(grzTransform_Apply(poseB, center), grzTransform_Apply(poseA, center));
    for (int i = 0; i < 3; ++i) {
        if (isApartAlong(edgesA[i], apart, edgesA, edgesB) || isApartAlong(edgesB[i], apart, edgesA, edgesB))
            return false;
        for (int j = 0; j < 3; ++j)
            if (isApartAlong(grzCross(edgesA[i], edgesB[j]), apart, edgesA, edgesB))
                return false;
    }
    return true;
}

size_t ModelProtocol_Draw(const grzModel* model, uint64_t seed, size_t perDistance, grzModelQuery* queries,
                          size_t starts[PROTOCOL_DISTANCES + 1]) {
    const grzBox box = grzModel_GetView(model).box;
    size_t count = 0;
    for (uint32_t step = 0; step < PROTOCOL_DISTANCES; ++step) {
        grzRng rng = grzRng_Make(seed, step);
        starts[step] = count;
        for (size_t i = 0; i < perDistance; ++i) {
            grzModelQuery* query = &queries[count];
            *query = grzDefaultModelQuery();
            query->a = query->b = model;
            query->poseA.basis = drawRotation(&rng);
            query->poseB = grzTransform_Make(drawRotation(&rng), grzVec3_Make(0.1F * (float)step, 0, 0));
            count += doBoxesOverlap(box, query->poseA, query->poseB);
        }
    }
    starts[PROTOCOL_DISTANCES] = count;
    return count;
}

void ModelProtocol_Shuffle(grzModelQuery* queries, size_t count, uint64_t seed) {
    grzRng rng = grzRng_Make(seed, PROTOCOL_DISTANCES);
    for (size_t i = count; i > 1; --i) {
        const uint32_t k = grzRng_Below(&rng, (uint32_t)i);
        const grzModelQuery query = queries[k];
        queries[k] = queries[i - 1];
        queries[i - 1] = query;
    }
}
