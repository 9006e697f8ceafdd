// What: Bullet's rays against btBvhTriangleMeshShape, with its quantised hierarchy.
#include "peer_model_shapes.h"

#include <BulletCollision/CollisionShapes/btBvhTriangleMeshShape.h>
#include <BulletCollision/CollisionShapes/btTriangleIndexVertexArray.h>
#include <BulletCollision/NarrowPhaseCollision/btRaycastCallback.h>
#include <vector>

namespace {

struct BulletRays {
    std::vector<int> triangles;
    std::vector<float> positions;
    btTriangleIndexVertexArray* array;
    btBvhTriangleMeshShape* shape;
};

// Shortens the ray at each hit, so that the closest is left.
struct Closest : btTriangleRaycastCallback {
    float time = -1;
    Closest(const btVector3& from, const btVector3& to) : btTriangleRaycastCallback(from, to) {}
    btScalar reportHit(const btVector3&, btScalar fraction, int, int) override {
        time = static_cast<float>(fraction);
        return fraction;
    }
};

void* create(const PeerMesh* mesh) {
    BulletRays* peer = new BulletRays;
    peer->triangles.assign(mesh->triangles, mesh->triangles + 3 * mesh->triangleCount);
    peer->positions.assign(mesh->positions, mesh->positions + 3 * mesh->vertexCount);
    btIndexedMesh part;
    part.m_numTriangles = static_cast<int>(mesh->triangleCount);
    part.m_triangleIndexBase = reinterpret_cast<const unsigned char*>(peer->triangles.data());
    part.m_triangleIndexStride = 3 * sizeof(int);
    part.m_numVertices = static_cast<int>(mesh->vertexCount);
    part.m_vertexBase = reinterpret_cast<const unsigned char*>(peer->positions.data());
    part.m_vertexStride = 3 * sizeof(float);
    part.m_vertexType = PHY_FLOAT;
    peer->array = new btTriangleIndexVertexArray;
    peer->array->addIndexedMesh(part, PHY_INTEGER);
    peer->shape = new btBvhTriangleMeshShape(peer->array, true);
    return peer;
}

void destroy(void* context) {
    BulletRays* peer = static_cast<BulletRays*>(context);
    delete peer->shape;
    delete peer->array;
    delete peer;
}

btVector3 toBullet(const grzVec3& v) {
    return btVector3(v.x, v.y, v.z);
}

void cast(void* context, const PeerRay* rays, size_t count, float* times) {
    const BulletRays* peer = static_cast<BulletRays*>(context);
    for (size_t i = 0; i < count; ++i) {
        const btVector3 from = toBullet(rays[i].origin), to = from + toBullet(rays[i].direction);
        Closest closest(from, to);
        peer->shape->performRaycast(&closest, from, to);
        times[i] = closest.time;
    }
}

} // namespace

const PeerRays peerBulletRays = {"Bullet", create, destroy, cast};
