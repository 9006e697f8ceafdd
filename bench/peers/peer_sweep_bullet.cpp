// What: Bullet's conservative advancement of two convex shapes, as its world calls it for bodies that are too fast. It stops a
// thousandth apart, and takes no turn of more than an eighth of a round.
#include "peer_bullet_shapes.h"
#include "peer_sweep.h"

#include <BulletCollision/CollisionShapes/btCapsuleShape.h>
#include <BulletCollision/CollisionShapes/btSphereShape.h>
#include <BulletCollision/NarrowPhaseCollision/btContinuousConvexCollision.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>
#include <vector>

namespace {

std::unique_ptr<btConvexShape> makeShape(const grzConvex& shape) {
    if (shape.kind == grz_sphereShape)
        return std::unique_ptr<btConvexShape>(new btSphereShape(shape.radius));
    if (shape.kind == grz_capsuleShape)
        return std::unique_ptr<btConvexShape>(new btCapsuleShapeZ(shape.radius, 2 * shape.b.z));
    if (shape.kind == grz_boxShape)
        return makeBulletBox(shape);
    return makeBulletHull(shape);
}

struct Body {
    std::unique_ptr<btConvexShape> shape;
    btTransform from, to;

    explicit Body(const grzSweepBody& body)
        : shape(makeShape(body.shape)), from(toBullet(body.motion.pose)),
          to(toBullet(grzSweepMotion_PoseAt(&body.motion, 1))) {}
};

struct Pair {
    Body a, b;
};

typedef std::vector<Pair> Pairs;

void* create(const PeerSweepScene* scene) {
    if (scene->mesh != nullptr)
        return nullptr;
    Pairs* pairs = new Pairs;
    for (size_t i = 0; i < scene->count; ++i)
        pairs->push_back({Body(scene->queries[i].a), Body(scene->queries[i].b)});
    return pairs;
}

void destroy(void* peer) {
    delete static_cast<Pairs*>(peer);
}

void run(void* peer, double* times) {
    btVoronoiSimplexSolver simplex;
    btGjkEpaPenetrationDepthSolver epa;
    for (const Pair& pair : *static_cast<Pairs*>(peer)) {
        btContinuousConvexCollision cast(pair.a.shape.get(), pair.b.shape.get(), &simplex, &epa);
        btConvexCast::CastResult result;
        const bool touches = cast.calcTimeOfImpact(pair.a.from, pair.a.to, pair.b.from, pair.b.to, result);
        *times++ = touches ? static_cast<double>(result.m_fraction) : PEER_SWEEP_FREE;
    }
}

} // namespace

const PeerSweep peerBulletSweep = {"Bullet", create, destroy, run};
