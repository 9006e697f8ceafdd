// Poses, boxes and hulls as Bullet takes them, without margins.
#ifndef GRAZE_BENCH_PEER_BULLET_SHAPES_H
#define GRAZE_BENCH_PEER_BULLET_SHAPES_H

#include "graze/convex.h"

#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <memory>

inline btVector3 toBullet(const grzVec3& v) {
    return btVector3(v.x, v.y, v.z);
}

inline btTransform toBullet(const grzTransform& t) {
    const grzMat3& m = t.basis;
    return btTransform(btMatrix3x3(m.x.x, m.y.x, m.z.x, m.x.y, m.y.y, m.z.y, m.x.z, m.y.z, m.z.z),
                       toBullet(t.origin));
}

inline std::unique_ptr<btBoxShape> makeBulletBox(const grzConvex& shape) {
    std::unique_ptr<btBoxShape> box(new btBoxShape(toBullet(shape.b)));
    box->setMargin(0);
    return box;
}

inline std::unique_ptr<btConvexHullShape> makeBulletHull(const grzConvex& shape) {
    std::unique_ptr<btConvexHullShape> hull(new btConvexHullShape());
    const grzHullView view = grzHull_GetView(shape.hull);
    for (uint32_t i = 0; i < view.vertexCount; ++i)
        hull->addPoint(toBullet(view.vertices[i]), i + 1 == view.vertexCount);
    hull->setMargin(0);
    return hull;
}

#endif
