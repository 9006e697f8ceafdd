// What: makes a walking figure and poses it.
// Idea: each part is a sphere, pulled to an ellipsoid, that turns about a joint; the angle is a sine of the strides walked.
// Promise: the same bytes everywhere: sines are graze's own.
#include "walker.h"

#include <string.h>

#include "graze/linmath.h"
#include "shapes.h"

typedef struct Part {
    float center[3], half[3]; // the ellipsoid at rest
    float jointHeight;        // where it turns, about z
    float swing;              // radians, forward or back at most
} Part;

static const Part parts[] = {
    {{0.0f, 0.66f, 0.0f}, {0.085f, 0.19f, 0.13f}, 0.66f, 0.0f},
    {{0.02f, 0.92f, 0.0f}, {0.075f, 0.085f, 0.07f}, 0.9f, 0.04f},
    {{0.0f, 0.62f, 0.19f}, {0.045f, 0.2f, 0.045f}, 0.8f, 0.5f},
    {{0.0f, 0.62f, -0.19f}, {0.045f, 0.2f, 0.045f}, 0.8f, -0.5f},
    {{0.0f, 0.25f, 0.075f}, {0.065f, 0.25f, 0.06f}, 0.48f, -0.6f},
    {{0.0f, 0.25f, -0.075f}, {0.065f, 0.25f, 0.06f}, 0.48f, 0.6f},
};

enum { partCount = sizeof parts / sizeof parts[0] };

static void placePart(MeshData* figure, const MeshData* sphere, int part) {
    const size_t vertices = sphere->vertexCount, triangles = sphere->triangleCount;
    float* positions = (float*)figure->positions + (size_t)part * vertices * 3;
    uint32_t* indices = figure->indices + (size_t)part * triangles * 3;
    for (size_t i = 0; i < vertices * 3; ++i)
        positions[i] = parts[part].center[i % 3] + parts[part].half[i % 3] * ((const float*)sphere->positions)[i];
    for (size_t i = 0; i < triangles * 3; ++i)
        indices[i] = sphere->indices[i] + (uint32_t)((size_t)part * vertices);
}

grzResult makeWalker(size_t triangles, grzAllocator allocator, MeshData* figure) {
    MeshData sphere;
    memset(figure, 0, sizeof *figure);
    grzResult result = makeShape(shapeSphere, triangles / partCount, allocator, &sphere);
    if (!grzResult_IsOk(result))
        return result;
    result =
        MeshData_Create(figure, allocator, false, partCount * sphere.vertexCount, partCount * sphere.triangleCount);
    for (int part = 0; part < partCount && grzResult_IsOk(result); ++part)
        placePart(figure, &sphere, part);
    MeshData_Release(&sphere);
    return result;
}

void poseWalker(const MeshData* figure, double strides, float* positions) {
    const size_t vertices = figure->vertexCount / partCount;
    // Whole strides change nothing, and sines of small angles are the better ones.
    const float phase = 6.28318531f * (float)(strides - (double)(int64_t)strides);
    const float* rest = figure->positions;
    for (int part = 0; part < partCount; ++part) {
        float sine, cosine;
        grzSinCos(parts[part].swing * grzSin(phase), &sine, &cosine);
        const float height = parts[part].jointHeight;
        for (size_t i = (size_t)part * vertices; i < ((size_t)part + 1) * vertices; ++i) {
            const float x = rest[3 * i], y = rest[3 * i + 1] - height;
            positions[3 * i] = cosine * x - sine * y;
            positions[3 * i + 1] = height + sine * x + cosine * y;
            positions[3 * i + 2] = rest[3 * i + 2];
        }
    }
}
