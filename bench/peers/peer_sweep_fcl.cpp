// What: fcl::continuousCollide by conservative advancement, with a line for the origin and a turn at a constant rate; and the same
// motion advanced by hand on fcl::distance.
#include "peer_fcl_shapes.h"
#include "peer_sweep.h"

#include <algorithm>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/continuous_collision.h>
#include <fcl/narrowphase/distance.h>

namespace {

FclGeometry makeMesh(const PeerMesh& mesh) {
    auto model = std::make_shared<fcl::BVHModel<fcl::RSSd>>();
    std::vector<fcl::Vector3d> points;
    std::vector<fcl::Triangle> triangles;
    for (size_t i = 0; i < mesh.vertexCount; ++i)
        points.emplace_back(mesh.positions[3 * i], mesh.positions[3 * i + 1], mesh.positions[3 * i + 2]);
    for (size_t i = 0; i < mesh.triangleCount; ++i)
        triangles.emplace_back(mesh.triangles[3 * i], mesh.triangles[3 * i + 1], mesh.triangles[3 * i + 2]);
    model->beginModel();
    model->addSubModel(points, triangles);
    model->endModel();
    return model;
}

struct Body {
    FclGeometry geometry;
    fcl::Transform3d from, to;
    EIGEN_MAKE_ALIGNED_OPERATOR_NEW
};

Body makeBody(const grzSweepBody& body, const FclGeometry& mesh) {
    return {mesh != nullptr ? mesh : makeFclShape(body.shape), toFcl(body.motion.pose),
            toFcl(grzSweepMotion_PoseAt(&body.motion, 1))};
}

typedef fcl::InterpMotion<double> Motion;

// The only constructor of FCL 0.7 that sets both the centre (also where it makes the motion of two poses itself, that is left to
// chance) and the speeds.
Motion motionOf(const Body& body) {
    return Motion(body.from.linear(), body.from.translation(), body.to.linear(), body.to.translation(),
                  fcl::Vector3d::Zero());
}

struct Peer {
    std::vector<Body, Eigen::aligned_allocator<Body>> bodies; // A and B of query 0, of query 1, ...
    std::vector<double> paces;                                // how fast any points of a pair may near each other
    fcl::ContinuousCollisionRequestd request;
    double tolerance;
};

// From the origin to the farthest vertex.
double reachOf(const PeerMesh& mesh) {
    double most = 0;
    for (size_t i = 0; i < mesh.vertexCount; ++i)
        most = std::max(
            most,
            fcl::Vector3d(mesh.positions[3 * i], mesh.positions[3 * i + 1], mesh.positions[3 * i + 2]).norm());
    return most;
}

double paceOf(const grzSweepQuery& query, double reach) {
    const double apart = (toFcl(query.a.motion.translation) - toFcl(query.b.motion.translation)).norm();
    return apart + reach * (toFcl(query.a.motion.rotation).norm() + toFcl(query.b.motion.rotation).norm());
}

void* create(const PeerSweepScene* scene) {
    Peer* peer = new Peer;
    const FclGeometry mesh = scene->mesh != nullptr ? makeMesh(*scene->mesh) : nullptr;
    const double reach = scene->mesh != nullptr ? reachOf(*scene->mesh) : 0;
    peer->tolerance = scene->tolerance;
    peer->request = fcl::ContinuousCollisionRequestd(1000, scene->toleranceOfTime, fcl::CCDM_LINEAR,
                                                     fcl::GST_LIBCCD, fcl::CCDC_CONSERVATIVE_ADVANCEMENT);
    for (size_t i = 0; i < scene->count; ++i) {
        peer->bodies.push_back(makeBody(scene->queries[i].a, mesh));
        peer->bodies.push_back(makeBody(scene->queries[i].b, mesh));
        peer->paces.push_back(paceOf(scene->queries[i], reach));
    }
    return peer;
}

void* createMeshes(const PeerSweepScene* scene) {
    return scene->mesh != nullptr ? create(scene) : nullptr;
}

void destroy(void* peer) {
    delete static_cast<Peer*>(peer);
}

void run(void* context, double* times) {
    const Peer& peer = *static_cast<Peer*>(context);
    for (size_t i = 0; i + 1 < peer.bodies.size(); i += 2) {
        const Body &a = peer.bodies[i], &b = peer.bodies[i + 1];
        fcl::ContinuousCollisionResultd result;
        const Motion motionA = motionOf(a), motionB = motionOf(b);
        fcl::continuousCollide(a.geometry.get(), &motionA, b.geometry.get(), &motionB, peer.request, result);
        *times++ = result.is_collide ? result.time_of_contact : PEER_SWEEP_FREE;
    }
}

double advance(const Body& a, const Body& b, double pace, double tolerance) {
    const Motion motionA = motionOf(a), motionB = motionOf(b);
    const fcl::DistanceRequestd request(true);
    for (double t = 0;;) {
        fcl::Transform3d poseA, poseB;
        fcl::DistanceResultd result;
        motionA.integrate(t), motionB.integrate(t);
        motionA.getCurrentTransform(poseA), motionB.getCurrentTransform(poseB);
        const double distance = fcl::distance(a.geometry.get(), poseA, b.geometry.get(), poseB, request, result);
        if (distance <= tolerance)
            return t;
        t += distance / pace;
        if (t > 1)
            return PEER_SWEEP_FREE;
    }
}

void runByHand(void* context, double* times) {
    const Peer& peer = *static_cast<Peer*>(context);
    for (size_t i = 0; i < peer.paces.size(); ++i)
        *times++ = advance(peer.bodies[2 * i], peer.bodies[2 * i + 1], peer.paces[i], peer.tolerance);
}

} // namespace

const PeerSweep peerFclSweep = {"FCL", create, destroy, run};
const PeerSweep peerFclDistanceSweep = {"FCL distance", createMeshes, destroy, runByHand};
