// What: the solids that generated cloth falls on, as meshes.
// Idea: a sphere's vertices, pressed flat above a table, go to the surface along the gradient of the distance.
#include "bench_sequences.h"
#include "shapes.h"

#define REST_GROWTH (1.2F * SEQUENCE_MARGIN)

// Radii and height of an ellipsoid that is nearer to the solid than to the floor.
typedef struct Hull {
    float across, up, height;
} Hull;

grzResult makeSequenceRest(SequenceKind kind, size_t triangles, grzAllocator allocator, MeshData* mesh) {
    const Hull hull = kind == sequenceTablecloth ? (Hull){0.75F, 0.25F, -0.04F} : (Hull){0.52F, 0.52F, -0.5F};
    const grzResult result = makeShape(shapeSphere, triangles, allocator, mesh);
    float* positions = mesh->positions;
    for (size_t v = 0; result.status == grz_ok && v < mesh->vertexCount; ++v) {
        float* point = positions + 3 * v;
        float normal[3];
        point[0] *= hull.across, point[2] *= hull.across;
        point[1] = hull.up * point[1] + hull.height;
        const float out = REST_GROWTH - sequenceObstacle(kind, point, normal);
        for (int axis = 0; axis < 3; ++axis)
            point[axis] += out * normal[axis];
    }
    return result;
}
