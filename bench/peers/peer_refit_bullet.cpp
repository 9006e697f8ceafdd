// What: the refit of Bullet's static mesh shape, whose box is found again with it, as its users have it.
#include "peer_refit.h"

#include <BulletCollision/CollisionShapes/btBvhTriangleMeshShape.h>
#include <BulletCollision/CollisionShapes/btTriangleIndexVertexArray.h>
#include <algorithm>
#include <vector>

namespace {

struct BulletRefit {
    PeerMesh mesh;
    std::vector<int> triangles;
    btTriangleIndexVertexArray* arrays;
    btBvhTriangleMeshShape* shape;
};

btIndexedMesh toBullet(const BulletRefit& peer) {
    btIndexedMesh part;
    part.m_numTriangles = static_cast<int>(peer.mesh.triangleCount);
    part.m_triangleIndexBase = reinterpret_cast<const unsigned char*>(peer.triangles.data());
    part.m_triangleIndexStride = 3 * sizeof(int);
    part.m_numVertices = static_cast<int>(peer.mesh.vertexCount);
    part.m_vertexBase = reinterpret_cast<const unsigned char*>(peer.mesh.positions);
    part.m_vertexStride = 3 * sizeof(float);
    part.m_vertexType = PHY_FLOAT;
    return part;
}

void* create(const PeerMesh* mesh) {
    BulletRefit* peer = new BulletRefit;
    peer->mesh = *mesh;
    peer->triangles.assign(mesh->triangles, mesh->triangles + 3 * mesh->triangleCount);
    peer->arrays = new btTriangleIndexVertexArray;
    peer->arrays->addIndexedMesh(toBullet(*peer));
    peer->shape = new btBvhTriangleMeshShape(peer->arrays, false);
    peer->shape->setMargin(0);
    return peer;
}

void destroy(void* context) {
    BulletRefit* peer = static_cast<BulletRefit*>(context);
    delete peer->shape;
    delete peer->arrays;
    delete peer;
}

void load(void*) {}

void refit(void* context) {
    // The arguments matter to quantised trees alone.
    static_cast<BulletRefit*>(context)->shape->refitTree(btVector3(-1, -1, -1), btVector3(1, 1, 1));
}

grzBox bounds(void* context) {
    btVector3 lower, upper;
    static_cast<BulletRefit*>(context)->shape->getAabb(btTransform::getIdentity(), lower, upper);
    return grzBox_Make(grzVec3_Make(lower.x(), lower.y(), lower.z()),
                       grzVec3_Make(upper.x(), upper.y(), upper.z()));
}

} // namespace

const PeerRefit peerBulletRefit = {"Bullet", create, destroy, load, refit, bounds};
