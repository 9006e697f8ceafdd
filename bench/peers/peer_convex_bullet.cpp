// What: Bullet's own detectors, called as its collision algorithms call them. GJK's answer is one point: the manifold
// of several points that Bullet gathers over frames is not asked for.
#include "peer_bullet_shapes.h"
#include "peer_convex.h"

#include <BulletCollision/CollisionDispatch/btBoxBoxDetector.h>
#include <BulletCollision/CollisionShapes/btMultiSphereShape.h>
#include <BulletCollision/CollisionShapes/btSphereShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>
#include <memory>
#include <vector>

namespace {

std::unique_ptr<btConvexInternalShape> makeShape(const grzConvex& shape) {
    if (shape.kind == grz_boxShape)
        return makeBulletBox(shape);
    if (shape.kind == grz_hullShape)
        return makeBulletHull(shape);
    if (shape.kind == grz_sphereShape)
        return std::unique_ptr<btConvexInternalShape>(new btSphereShape(shape.radius));
    const btVector3 ends[2] = {toBullet(shape.a), toBullet(shape.b)};
    const btScalar radii[2] = {shape.radius, shape.radius};
    return std::unique_ptr<btConvexInternalShape>(new btMultiSphereShape(ends, radii, 2));
}

struct Pair {
    std::unique_ptr<btConvexInternalShape> a, b;
    btTransform poseA, poseB;
    bool areBoxes;
};

struct BulletConvex {
    std::vector<Pair> pairs;
};

class Deepest final : public btDiscreteCollisionDetectorInterface::Result {
  public:
    void setShapeIdentifiersA(int, int) override {}
    void setShapeIdentifiersB(int, int) override {}
    void addContactPoint(const btVector3&, const btVector3&, btScalar distance) override {
        if (distance <= 0 && -distance > depth)
            depth = -distance;
    }
    float depth = PEER_CONVEX_APART;
};

// A sphere and a shape of another kind are left out: for some of them the detector is off by more than a centimetre.
bool isComparable(const grzConvex& a, const grzConvex& b) {
    return (a.kind == grz_sphereShape) == (b.kind == grz_sphereShape);
}

void* create(const PeerConvexScene* scene) {
    for (size_t i = 0; i < scene->count; ++i)
        if (!isComparable(scene->shapesA[i], scene->shapesB[i]))
            return nullptr;
    BulletConvex* peer = new BulletConvex;
    for (size_t i = 0; i < scene->count; ++i) {
        const grzConvex &a = scene->shapesA[i], &b = scene->shapesB[i];
        peer->pairs.push_back({makeShape(a), makeShape(b), toBullet(scene->posesA[i]), toBullet(scene->posesB[i]),
                               a.kind == grz_boxShape && b.kind == grz_boxShape});
    }
    return peer;
}

void destroy(void* context) {
    delete static_cast<BulletConvex*>(context);
}

void run(void* context, float* depths) {
    BulletConvex& peer = *static_cast<BulletConvex*>(context);
    btVoronoiSimplexSolver simplex;
    btGjkEpaPenetrationDepthSolver epa;
    for (size_t i = 0; i < peer.pairs.size(); ++i) {
        Pair& pair = peer.pairs[i];
        btDiscreteCollisionDetectorInterface::ClosestPointInput input;
        input.m_transformA = pair.poseA;
        input.m_transformB = pair.poseB;
        input.m_maximumDistanceSquared = 0.01f;
        Deepest result;
        if (pair.areBoxes) {
            btBoxBoxDetector detector(static_cast<btBoxShape*>(pair.a.get()),
                                      static_cast<btBoxShape*>(pair.b.get()));
            detector.getClosestPoints(input, result, nullptr);
        } else {
            btGjkPairDetector detector(pair.a.get(), pair.b.get(), &simplex, &epa);
            detector.getClosestPoints(input, result, nullptr);
        }
        depths[i] = result.depth;
    }
}

} // namespace

const PeerConvex peerBulletConvex = {"Bullet", create, destroy, run};
