// What: fcl::collide of a shape and a mesh of OBBRSS, without contacts, in double, for which its solver is made.
#include "peer_model_shapes.h"

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>
#include <memory>
#include <vector>

namespace {

struct FclShapes {
    fcl::BVHModel<fcl::OBBRSSd> mesh;
    std::shared_ptr<fcl::CollisionGeometryd> shape;
};

std::shared_ptr<fcl::CollisionGeometryd> makeShape(const grzConvex& shape) {
    const double radius = static_cast<double>(shape.radius);
    if (shape.kind == grz_sphereShape)
        return std::make_shared<fcl::Sphered>(radius);
    if (shape.kind == grz_capsuleShape)
        return std::make_shared<fcl::Capsuled>(radius, 2.0 * static_cast<double>(shape.b.z));
    if (shape.kind == grz_boxShape)
        return std::make_shared<fcl::Boxd>(2.0 * static_cast<double>(shape.b.x),
                                           2.0 * static_cast<double>(shape.b.y),
                                           2.0 * static_cast<double>(shape.b.z));
    return nullptr;
}

void* create(const PeerMesh* from, const grzConvex* shape) {
    FclShapes* peer = new FclShapes;
    std::vector<fcl::Vector3d> points;
    std::vector<fcl::Triangle> triangles;
    peer->shape = makeShape(*shape);
    if (peer->shape == nullptr) {
        delete peer;
        return nullptr;
    }
    for (size_t i = 0; i < from->vertexCount; ++i) {
        const float* p = from->positions + 3 * i;
        points.emplace_back(static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2]));
    }
    for (size_t i = 0; i < from->triangleCount; ++i)
        triangles.emplace_back(from->triangles[3 * i], from->triangles[3 * i + 1], from->triangles[3 * i + 2]);
    peer->mesh.beginModel();
    peer->mesh.addSubModel(points, triangles);
    peer->mesh.endModel();
    return peer;
}

void destroy(void* peer) {
    delete static_cast<FclShapes*>(peer);
}

fcl::Transform3d toFcl(const grzTransform& t) {
    fcl::Transform3d out = fcl::Transform3d::Identity();
    const grzVec3* columns[4] = {&t.basis.x, &t.basis.y, &t.basis.z, &t.origin};
    for (int j = 0; j < 4; ++j) {
        const fcl::Vector3d column(static_cast<double>(columns[j]->x), static_cast<double>(columns[j]->y),
                                   static_cast<double>(columns[j]->z));
        if (j < 3)
            out.linear().col(j) = column;
        else
            out.translation() = column;
    }
    return out;
}

void run(void* context, const grzTransform* poses, size_t count, uint8_t* touches) {
    FclShapes* peer = static_cast<FclShapes*>(context);
    const fcl::CollisionRequestd request(1, false);
    const fcl::Transform3d still = fcl::Transform3d::Identity();
    for (size_t i = 0; i < count; ++i) {
        fcl::CollisionResultd result;
        fcl::collide(&peer->mesh, still, peer->shape.get(), toFcl(poses[i]), request, result);
        touches[i] = result.isCollision() ? 2 : 1;
    }
}

} // namespace

const PeerShapes peerFclShapes = {"FCL", create, destroy, run};
