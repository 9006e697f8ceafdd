// What: FCL's mesh against mesh test, its hierarchies of OBBRSS (oriented boxes and swept spheres), in floats.
#include "peer_models.h"

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision.h>
#include <memory>
#include <vector>

namespace {

typedef fcl::BVHModel<fcl::OBBRSSf> Mesh;

struct FclModels {
    Mesh mesh;
    fcl::CollisionResultf result;
    std::vector<grzBodyPair> pairs;
};

void* create(const PeerMesh* from) {
    FclModels* peer = new FclModels;
    std::vector<fcl::Vector3f> points;
    std::vector<fcl::Triangle> triangles;
    for (size_t i = 0; i < from->vertexCount; ++i)
        points.emplace_back(from->positions[3 * i], from->positions[3 * i + 1], from->positions[3 * i + 2]);
    for (size_t i = 0; i < from->triangleCount; ++i)
        triangles.emplace_back(from->triangles[3 * i], from->triangles[3 * i + 1], from->triangles[3 * i + 2]);
    peer->mesh.beginModel();
    peer->mesh.addSubModel(points, triangles);
    peer->mesh.endModel();
    return peer;
}

void destroy(void* peer) {
    delete static_cast<FclModels*>(peer);
}

fcl::Transform3f toFcl(const grzTransform& t) {
    fcl::Transform3f out = fcl::Transform3f::Identity();
    const grzVec3* columns[3] = {&t.basis.x, &t.basis.y, &t.basis.z};
    for (int j = 0; j < 3; ++j)
        out.linear().col(j) = fcl::Vector3f(columns[j]->x, columns[j]->y, columns[j]->z);
    out.translation() = fcl::Vector3f(t.origin.x, t.origin.y, t.origin.z);
    return out;
}

void collide(FclModels* peer, const grzTransform* a, const grzTransform* b, size_t most) {
    fcl::CollisionRequestf request(most, false);
    peer->result.clear();
    fcl::collide(&peer->mesh, toFcl(*a), &peer->mesh, toFcl(*b), request, peer->result);
}

bool touch(void* context, const grzTransform* a, const grzTransform* b) {
    FclModels* peer = static_cast<FclModels*>(context);
    collide(peer, a, b, 1);
    return peer->result.isCollision();
}

const grzBodyPair* find(void* context, const grzTransform* a, const grzTransform* b, size_t* count) {
    FclModels* peer = static_cast<FclModels*>(context);
    collide(peer, a, b, SIZE_MAX);
    peer->pairs.clear();
    for (size_t i = 0; i < peer->result.numContacts(); ++i) {
        const fcl::Contactf& contact = peer->result.getContact(i);
        peer->pairs.push_back({static_cast<uint32_t>(contact.b1), static_cast<uint32_t>(contact.b2)});
    }
    *count = peer->pairs.size();
    return peer->pairs.data();
}

} // namespace

const PeerModels peerFclModels = {"FCL", create, destroy, touch, find};
