// What: ODE's dCollide. Its convex-convex test finds too few contacts to be compared, so hulls are left out.
#include "peer_convex.h"

#include <ode/ode.h>
#include <vector>

namespace {

struct Pair {
    dGeomID a, b;
};

struct OdeConvex {
    std::vector<Pair> pairs;
};

// Capsules of the scenes lie along z about their origin, as ODE's do.
dGeomID makeGeom(const grzConvex& shape, const grzTransform& pose) {
    dGeomID geom = shape.kind == grz_boxShape
                       ? dCreateBox(nullptr, 2.0 * shape.b.x, 2.0 * shape.b.y, 2.0 * shape.b.z)
                   : shape.kind == grz_sphereShape ? dCreateSphere(nullptr, shape.radius)
                                                   : dCreateCapsule(nullptr, shape.radius, 2.0 * shape.b.z);
    const grzMat3& m = pose.basis;
    const dMatrix3 rotation = {m.x.x, m.y.x, m.z.x, 0, m.x.y, m.y.y, m.z.y, 0, m.x.z, m.y.z, m.z.z, 0};
    dGeomSetPosition(geom, pose.origin.x, pose.origin.y, pose.origin.z);
    dGeomSetRotation(geom, rotation);
    return geom;
}

void* create(const PeerConvexScene* scene) {
    for (size_t i = 0; i < scene->count; ++i)
        if (scene->shapesA[i].kind == grz_hullShape || scene->shapesB[i].kind == grz_hullShape)
            return nullptr;
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    OdeConvex* peer = new OdeConvex;
    for (size_t i = 0; i < scene->count; ++i)
        peer->pairs.push_back(
            {makeGeom(scene->shapesA[i], scene->posesA[i]), makeGeom(scene->shapesB[i], scene->posesB[i])});
    return peer;
}

void destroy(void* context) {
    OdeConvex* peer = static_cast<OdeConvex*>(context);
    for (const Pair& pair : peer->pairs) {
        dGeomDestroy(pair.a);
        dGeomDestroy(pair.b);
    }
    delete peer;
    dCloseODE();
}

void run(void* context, float* depths) {
    const OdeConvex& peer = *static_cast<OdeConvex*>(context);
    dContactGeom contacts[8];
    for (size_t i = 0; i < peer.pairs.size(); ++i) {
        const int count = dCollide(peer.pairs[i].a, peer.pairs[i].b, 4, contacts, sizeof contacts[0]);
        depths[i] = PEER_CONVEX_APART;
        for (int k = 0; k < count; ++k) {
            const float depth = static_cast<float>(contacts[k].depth);
            depths[i] = depth > depths[i] ? depth : depths[i];
        }
    }
}

} // namespace

const PeerConvex peerOdeConvex = {"ODE", create, destroy, run};
