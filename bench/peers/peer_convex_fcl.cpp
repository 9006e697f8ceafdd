// What: fcl::collide with contacts. Boxes have a routine of their own there; all else is libccd's GJK and EPA, in
// double, since its tolerances are made for that.
#include "peer_convex.h"
#include "peer_fcl_shapes.h"

#include <fcl/narrowphase/collision.h>

namespace {

struct Pair {
    FclGeometry a, b;
    fcl::Transform3d poseA, poseB;
};

struct FclConvex {
    std::vector<Pair, Eigen::aligned_allocator<Pair>> pairs;
};

void* create(const PeerConvexScene* scene) {
    FclConvex* peer = new FclConvex;
    for (size_t i = 0; i < scene->count; ++i)
        peer->pairs.push_back({makeFclShape(scene->shapesA[i]), makeFclShape(scene->shapesB[i]),
                               toFcl(scene->posesA[i]), toFcl(scene->posesB[i])});
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
