// What: Bullet's btDiscreteDynamicsWorld as its users set it up: btDbvtBroadphase, the sequential impulse solver with 10
// iterations, shapes that bodies share, margins as they come.
//
// Bullet multiplies the friction of two bodies where we take the root of the product, so its bodies get the root. Its
// pools are made large enough for the scene; they would else be left for the heap.
#include "peer_step.h"

#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace {

btDefaultCollisionConstructionInfo poolsFor(const StepScene& scene) {
    btDefaultCollisionConstructionInfo info;
    info.m_defaultMaxPersistentManifoldPoolSize = 4096 + 12 * static_cast<int>(scene.count);
    info.m_defaultMaxCollisionAlgorithmPoolSize = info.m_defaultMaxPersistentManifoldPoolSize;
    return info;
}

struct BulletStep {
    explicit BulletStep(const StepScene& scene)
        : configuration(poolsFor(scene)), dispatcher(&configuration),
          world(&dispatcher, &broadphase, &solver, &configuration) {
        world.setGravity(btVector3(0, -STEP_GRAVITY, 0));
        world.getSolverInfo().m_numIterations = 10;
        for (size_t i = 0; i < scene.count; ++i)
            add(scene.bodies[i]);
    }

    // Without this each body that leaves would go through all pairs.
    void forgetPairs() {
        btOverlappingPairCache* cache = broadphase.getOverlappingPairCache();
        while (cache->getNumOverlappingPairs() > 0) {
            const btBroadphasePair& last = cache->getOverlappingPairArray()[cache->getNumOverlappingPairs() - 1];
            cache->removeOverlappingPair(last.m_pProxy0, last.m_pProxy1, &dispatcher);
        }
    }

    ~BulletStep() {
        forgetPairs();
        for (const auto& body : bodies)
            world.removeRigidBody(body.get());
    }

    btCollisionShape* shapeOf(const StepBody& body) {
        auto& shape = shapes[std::make_tuple(body.half.x, body.half.y, body.half.z, body.radius)];
        if (shape == nullptr && body.radius > 0)
            shape.reset(new btSphereShape(body.radius));
        else if (shape == nullptr)
            shape.reset(new btBoxShape(btVector3(body.half.x, body.half.y, body.half.z)));
        return shape.get();
    }

    static btScalar massOf(const StepBody& body) {
        if (body.isStatic)
            return 0;
        const btScalar r = body.radius;
        const btScalar volume = r > 0 ? 4 * SIMD_PI / 3 * r * r * r : 8 * body.half.x * body.half.y * body.half.z;
        return STEP_DENSITY * volume;
    }

    void add(const StepBody& body) {
        btCollisionShape* shape = shapeOf(body);
        const btScalar mass = massOf(body);
        btVector3 inertia(0, 0, 0);
        if (mass > 0)
            shape->calculateLocalInertia(mass, inertia);
        btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
        info.m_startWorldTransform.setOrigin(btVector3(body.origin.x, body.origin.y, body.origin.z));
        info.m_startWorldTransform.setRotation(
            btQuaternion(body.rotation.x, body.rotation.y, body.rotation.z, body.rotation.w));
        info.m_friction = std::sqrt(STEP_FRICTION);
        bodies.emplace_back(new btRigidBody(info));
        if (mass > 0)
            bodies.back()->setActivationState(DISABLE_DEACTIVATION);
        world.addRigidBody(bodies.back().get());
    }

    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher;
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world;
    std::map<std::tuple<float, float, float, float>, std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
};

void* create(const StepScene* scene) {
    return new BulletStep(*scene);
}

void destroy(void* peer) {
    delete static_cast<BulletStep*>(peer);
}

void step(void* peer) {
    static_cast<BulletStep*>(peer)->world.stepSimulation(STEP_SECONDS, 0); // exactly one step
}

void read(const void* peer, StepPose* poses) {
    const BulletStep& bullet = *static_cast<const BulletStep*>(peer);
    for (size_t i = 0; i < bullet.bodies.size(); ++i) {
        const btTransform& pose = bullet.bodies[i]->getWorldTransform();
        const btQuaternion q = pose.getRotation().normalized();
        poses[i].origin = grzVec3_Make(pose.getOrigin().x(), pose.getOrigin().y(), pose.getOrigin().z());
        poses[i].rotation = grzQuat_Make(q.x(), q.y(), q.z(), q.w());
    }
}

} // namespace

const PeerStep peerBulletStep = {"Bullet", create, destroy, step, read};
