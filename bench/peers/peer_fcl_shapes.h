// Convex shapes and poses as FCL takes them, in double.
#ifndef GRAZE_BENCH_PEER_FCL_SHAPES_H
#define GRAZE_BENCH_PEER_FCL_SHAPES_H

#include "graze/convex.h"

#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/sphere.h>
#include <memory>
#include <vector>

typedef std::shared_ptr<fcl::CollisionGeometryd> FclGeometry;

inline fcl::Vector3d toFcl(const grzVec3& v) {
    return fcl::Vector3d(v.x, v.y, v.z);
}

inline fcl::Transform3d toFcl(const grzTransform& t) {
    fcl::Transform3d pose = fcl::Transform3d::Identity();
    pose.linear().col(0) = toFcl(t.basis.x);
    pose.linear().col(1) = toFcl(t.basis.y);
    pose.linear().col(2) = toFcl(t.basis.z);
    pose.translation() = toFcl(t.origin);
    return pose;
}

inline FclGeometry makeFclHull(const grzHull* hull) {
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
inline FclGeometry makeFclShape(const grzConvex& shape) {
    if (shape.kind == grz_boxShape)
        return std::make_shared<fcl::Boxd>(2.0 * shape.b.x, 2.0 * shape.b.y, 2.0 * shape.b.z);
    if (shape.kind == grz_hullShape)
        return makeFclHull(shape.hull);
    if (shape.kind == grz_sphereShape)
        return std::make_shared<fcl::Sphered>(shape.radius);
    return std::make_shared<fcl::Capsuled>(shape.radius, 2.0 * shape.b.z);
}

#endif
