// What: FCL's refit of boxes over a model, bottom up, in floats. The model has positions of its own.
#include "peer_refit.h"

#include <fcl/math/bv/utility.h>
// After what it needs and does not include itself.
#include <fcl/geometry/bvh/BVH_model.h>
#include <vector>

namespace {

struct FclRefit {
    PeerMesh mesh;
    fcl::BVHModel<fcl::AABB<float>> model;
    std::vector<fcl::Vector3<float>> positions;
};

void load(void* context) {
    FclRefit* peer = static_cast<FclRefit*>(context);
    const float* p = peer->mesh.positions;
    for (size_t i = 0; i < peer->mesh.vertexCount; ++i, p += 3)
        peer->positions[i] = fcl::Vector3<float>(p[0], p[1], p[2]);
}

void* create(const PeerMesh* mesh) {
    FclRefit* peer = new FclRefit;
    peer->mesh = *mesh;
    peer->positions.resize(mesh->vertexCount);
    load(peer);
    std::vector<fcl::Triangle> triangles;
    for (size_t t = 0; t < mesh->triangleCount; ++t)
        triangles.emplace_back(mesh->triangles[3 * t], mesh->triangles[3 * t + 1], mesh->triangles[3 * t + 2]);
    peer->model.beginModel(static_cast<int>(mesh->triangleCount), static_cast<int>(mesh->vertexCount));
    peer->model.addSubModel(peer->positions, triangles);
    peer->model.endModel();
    return peer;
}

void destroy(void* context) {
    delete static_cast<FclRefit*>(context);
}

void refit(void* context) {
    FclRefit* peer = static_cast<FclRefit*>(context);
    peer->model.beginReplaceModel();
    peer->model.replaceSubModel(peer->positions);
    peer->model.endReplaceModel(true, true);
}

grzBox bounds(void* context) {
    const fcl::AABB<float>& box = static_cast<FclRefit*>(context)->model.getBV(0).bv;
    return grzBox_Make(grzVec3_Make(box.min_[0], box.min_[1], box.min_[2]),
                       grzVec3_Make(box.max_[0], box.max_[1], box.max_[2]));
}

} // namespace

const PeerRefit peerFclRefit = {"FCL", create, destroy, load, refit, bounds};
