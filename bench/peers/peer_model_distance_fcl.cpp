// What: FCL's distance of two meshes, by hierarchies of oriented boxes and swept spheres, and of swept spheres alone, in
// floats and in doubles.
#include "peer_model_distance.h"

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/distance.h>
#include <vector>

namespace {

template <typename Volume> struct Peer {
    typedef typename Volume::S S;

    fcl::BVHModel<Volume> mesh;
    fcl::DistanceResult<S> result;

    static void* create(const PeerMesh* from) {
        Peer* peer = new Peer;
        std::vector<fcl::Vector3<S>> points;
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

    static void destroy(void* peer) { delete static_cast<Peer*>(peer); }

    static fcl::Transform3<S> toFcl(const grzTransform& t) {
        fcl::Transform3<S> out = fcl::Transform3<S>::Identity();
        const grzVec3* columns[3] = {&t.basis.x, &t.basis.y, &t.basis.z};
        for (int j = 0; j < 3; ++j)
            out.linear().col(j) = fcl::Vector3<S>(columns[j]->x, columns[j]->y, columns[j]->z);
        out.translation() = fcl::Vector3<S>(t.origin.x, t.origin.y, t.origin.z);
        return out;
    }

    static double measure(void* context, const grzTransform* a, const grzTransform* b) {
        Peer* peer = static_cast<Peer*>(context);
        const fcl::DistanceRequest<S> request(true);
        peer->result.clear();
        fcl::distance(&peer->mesh, toFcl(*a), &peer->mesh, toFcl(*b), request, peer->result);
        return static_cast<double>(peer->result.min_distance);
    }
};

template <typename Volume> PeerModelDistance describe(const char* name) {
    return {name, Peer<Volume>::create, Peer<Volume>::destroy, Peer<Volume>::measure};
}

} // namespace

const PeerModelDistance peerFclDistances[PEER_MODEL_DISTANCES] = {describe<fcl::OBBRSS<float>>("FCL OBBRSS"),
                                                                  describe<fcl::RSS<float>>("FCL RSS"),
                                                                  describe<fcl::RSS<double>>("FCL RSS, doubles")};
