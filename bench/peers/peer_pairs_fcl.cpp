// What: FCL's dynamic AABB tree. Its callback gets the pairs whose boxes overlap; the narrow phase is not called.
//
// The tree is refitted in every frame and rebuilt only where it has become very deep, so it decays while everything
// moves. Floats, because FCL's own doubles would not find the same pairs; its classes are templates either way.
#include "peer_pairs.h"

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <memory>
#include <vector>

namespace {

typedef fcl::CollisionObject<float> Object;

struct FclPairs {
    PeerScene scene;
    std::vector<std::unique_ptr<Object>> objects;
    std::vector<Object*> moved;
    fcl::DynamicAABBTreeCollisionManager<float> manager;
    std::vector<grzBodyPair> pairs;
};

fcl::Vector3f toFcl(const grzVec3& v) {
    return fcl::Vector3f(v.x, v.y, v.z);
}

void* create(const PeerScene* scene) {
    FclPairs* peer = new FclPairs;
    peer->scene = *scene;
    std::vector<Object*> all;
    for (size_t i = 0; i < scene->count; ++i) {
        const float side = 2 * scene->halves[i];
        peer->objects.emplace_back(new Object(std::make_shared<fcl::Boxf>(side, side, side),
                                              fcl::Matrix3f::Identity(), toFcl(scene->centers[i])));
        peer->objects[i]->setUserData(reinterpret_cast<void*>(i));
        all.push_back(peer->objects[i].get());
    }
    for (size_t k = 0; k < scene->movedCount; ++k)
        peer->moved.push_back(all[scene->moved[k]]);
    peer->manager.registerObjects(all);
    peer->manager.setup();
    return peer;
}

void destroy(void* context) {
    delete static_cast<FclPairs*>(context);
}

uint32_t indexOf(const Object* object) {
    return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(object->getUserData()));
}

bool takePair(Object* p, Object* q, void* context) {
    FclPairs& peer = *static_cast<FclPairs*>(context);
    const uint32_t a = indexOf(p), b = indexOf(q);
    if (peerScene_Overlap(&peer.scene, a, b))
        peer.pairs.push_back(grzMakeBodyPair(a, b));
    return false; // go on
}

void frame(void* context) {
    FclPairs& peer = *static_cast<FclPairs*>(context);
    peer.pairs.clear();
    for (size_t k = 0; k < peer.moved.size(); ++k) {
        peer.moved[k]->setTranslation(toFcl(peer.scene.centers[peer.scene.moved[k]]));
        peer.moved[k]->computeAABB();
    }
    if (peer.moved.size() == peer.objects.size())
        peer.manager.update();
    else
        peer.manager.update(peer.moved);
    peer.manager.collide(&peer, takePair);
}

const grzBodyPair* pairs(const void* context, size_t* count) {
    const FclPairs& peer = *static_cast<const FclPairs*>(context);
    *count = peer.pairs.size();
    return peer.pairs.data();
}

} // namespace

const PeerPairs peerFclPairs = {"FCL", false, create, destroy, frame, pairs};
