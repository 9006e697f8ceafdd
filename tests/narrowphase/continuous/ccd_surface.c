// What: ccd_surface.h.
#include "testing.h"

#include "ccd_surface.h"

void surfaceOk(grzResult result) {
    char text[128];
    if (!grzResult_IsOk(result))
        fail_msg("%s", grzResult_Text(result, text, sizeof text));
}

void Surface_AddTriangle(Surface* surface, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t* of = surface->triangles + 3 * (size_t)surface->triangleCount++;
    of[0] = a, of[1] = b, of[2] = c;
}

void Surface_MakeMesh(Surface* surface) {
    grzMeshDef def = grzDefaultMeshDef();
    def.positions = surface->doubles[0];
    def.positionType = grz_float64;
    def.vertexCount = surface->vertexCount;
    def.indices = surface->triangles;
    def.triangleCount = surface->triangleCount;
    surfaceOk(grzMesh_Create(&def, &surface->mesh));
    surface->view = grzMesh_GetView(surface->mesh);
}

const SurfaceCloud surfaceClouds[SURFACE_CLOUDS] = {
    {1, 0, true},     {1, 0, false},        {0.125, 1e6, false}, {1e-30, 0, true},
    {1e30, 0, false}, {1e285, 1e300, true}, {1e-42, 0, false},
};

static double drawNumber(grzRng* rng, const SurfaceCloud* cloud) {
    const double number = cloud->isLattice ? (double)grzRng_Below(rng, 4) : 3 * grzRng_Double(rng);
    return cloud->size * number + cloud->offset;
}

void Surface_Make(Surface* surface, grzRng* rng, const SurfaceCloud* cloud) {
    memset(surface, 0, sizeof *surface);
    for (uint32_t y = 0; y + 1 < SURFACE_SIDE; ++y)
        for (uint32_t x = 0; x + 1 < SURFACE_SIDE; ++x) {
            const uint32_t at = y * SURFACE_SIDE + x;
            Surface_AddTriangle(surface, at, at + 1, at + SURFACE_SIDE);
            Surface_AddTriangle(surface, at + 1, at + SURFACE_SIDE + 1, at + SURFACE_SIDE);
        }
    const uint32_t next = SURFACE_SIDE * SURFACE_SIDE;
    Surface_AddTriangle(surface, 1, SURFACE_SIDE, 0);
    Surface_AddTriangle(surface, 3, 3, 9);
    Surface_AddTriangle(surface, next + 1, next + 2, next + 3);
    surface->vertexCount = next + 4;
    for (int end = 0; end < 2; ++end)
        for (uint32_t i = 0; i < 3 * surface->vertexCount; ++i) {
            surface->doubles[end][i] = drawNumber(rng, cloud);
            surface->floats[end][i] = (float)surface->doubles[end][i];
        }
    Surface_MakeMesh(surface);
}

void Surface_MakeFall(Surface* surface) {
    static const float positions[] = {0, 0, 0, 4, 0, 0, 4, 4, 0, 0, 4, 0, 1, 0.5F, 1, 2, 0.5F, 1, 1, 1, 1};
    memset(surface, 0, sizeof *surface);
    Surface_AddTriangle(surface, 0, 1, 2);
    Surface_AddTriangle(surface, 0, 2, 3);
    Surface_AddTriangle(surface, 4, 5, 6);
    surface->vertexCount = 7;
    for (int i = 0; i < 21; ++i) {
        surface->floats[0][i] = surface->floats[1][i] = positions[i];
        if (i >= 12 && i % 3 == 2)
            surface->floats[1][i] = -1;
        for (int end = 0; end < 2; ++end)
            surface->doubles[end][i] = (double)surface->floats[end][i];
    }
    Surface_MakeMesh(surface);
}

grzCcdStepMotion Surface_Motion(const Surface* surface, bool isDouble) {
    if (isDouble)
        return (grzCcdStepMotion){surface->doubles[0], surface->doubles[1], 0};
    return (grzCcdStepMotion){surface->floats[0], surface->floats[1], 0};
}

double Surface_Number(const Surface* surface, bool isDouble, int end, uint32_t vertex, int axis) {
    const uint32_t at = 3 * vertex + (uint32_t)axis;
    return isDouble ? surface->doubles[end][at] : (double)surface->floats[end][at];
}

grzCcdStepQuery surfaceQuery(const Surface* a, const Surface* b, bool isDouble) {
    grzCcdStepQuery query = grzDefaultCcdStepQuery();
    query.a = Surface_Motion(a, isDouble);
    query.b = Surface_Motion(b, isDouble);
    return query;
}
