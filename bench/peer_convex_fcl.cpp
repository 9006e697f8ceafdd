// What: fcl::collide with contacts. Boxes have a routine of their own there; all else is libccd's GJK and EPA, in
// double, since its tolerances are made for that.
#include "peer_convex.h"

#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/narrowphase/collision.h>
#include <memory>
#include <vector>

namespace {

fcl::Vector3d toFcl(const grzVec3& v) {
    return fcl::Vector3d(v.x, v.y, v.z);
}

fcl::Transform3d toFcl(const grzTransform& t) {
    fcl::Transform3d pose = fcl::Transform3d::Identity();
    pose.linear().col(0) = toFcl(t.basis.x);
    pose.linear().col(1) = toFcl(t.basis.y);
    pose.linear().col(2) = toFcl(t.basis.z);
    pose.translation() = toFcl(t.origin);
    return pose;
}

std::shared_ptr<fcl::CollisionGeometryd> makeHull(const grzHull* hull) {
    const grzHullView view = grzHull_GetView(hull);
    auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
    auto faces = std::make_shared<std::vector<int>>();
    for (uint32_t i = 0; i < view.vertexCount; ++i)
        vertices->push_back(toFcl(view.vertices[i]));
    for (uint32_t f = 0; f < view.faceCount; ++f) {
        faces->push_back(static_cast<int>(view.faces[f].edgeCount));
        for (uint32_t i = 0, e = view.faces[f].firstEdge; i < view.faces[f].edgeCount; ++i) {
            faces->push_back(view.halfEdges[e].origin);
            e = view.halfEdges[e].next;
        }
    }
    return std::make_shared<fcl::Convexd>(vertices, static_cast<int>(view.faceCount), faces);
}

// Capsules of the scenes lie along z about their origin, as FCL's do.
std::shared_ptr<fcl::CollisionGeometryd> makeShape(const grzConvex& shape) {
    if (shape.kind == grz_boxShape)
        return std::make_shared<fcl::Boxd>(2.0 * shape.b.x, 2.0 * shape.b.y, 2.0 * shape.b.z);
    if (shape.kind == grz_hullShape)
        return makeHull(shape.hull);
    if (shape.kind == grz_sphereShape)
        return std::make_shared<fcl::Sphered>(shape.radius);
    return std::make_shared<fcl::Capsuled>(shape.radius, 2.0 * shape.b.z);
}

struct Pair {
    std::shared_ptr<fcl::CollisionGeometryd> a, b;
    fcl::Transform3d poseA, poseB;
};

struct FclConvex {
    std::vector<Pair, Eigen::aligned_allocator<Pair>> pairs;
};

void* create(const PeerConvexScene* scene) {
    FclConvex* peer = new FclConvex;
    for (size_t i = 0; i < scene->count; ++i)
        peer->pairs.push_back({makeShape(scene->shapesA[i]), makeShape(scene->shapesB[i]), toFcl(scene->posesA[i]),
                               toFcl(scene->posesB[i])});
    return peer;
}

void destroy(void* context) {
    delete static_cast<FclConvex*>(context);
}

void run(void* context, float* depths) {
    const FclConvex& peer = *static_cast<FclConvex*>(context);
    const fcl::CollisionRequestd request(4, true);
    for (size_t i = 0; i < peer.pairs.size(); ++i) {
        const Pair& pair = peer.pairs[i];
        fcl::CollisionResultd result;
        fcl::collide(pair.a.get(), pair.poseA, pair.b.get(), pair.poseB, request, result);
        depths[i] = PEER_CONVEX_APART;
        for (size_t k = 0; k < result.numContacts(); ++k) {
            const float depth = static_cast<float>(result.getContact(k).penetration_depth);
            depths[i] = depth > depths[i] ? depth : depths[i];
        }
    }
}

} // namespace

const PeerConvex peerFclConvex = {"FCL", create, destroy, run};
