// What: Bullet's btDbvtBroadphase, in two ways.
//
// Where everything moves, its deferred way is the fastest: the whole tree is descended against itself once a frame.
// Pairs then go to a list instead of its hashed cache, which would double the time. Where little moves, objects at
// rest lie in a second tree whose pairs with each other are not found again: they must be remembered, so this is
// Bullet as it comes, with the cache; reading the pairs out of it is timed with it. Bullet's boxes have a margin.
#include "peer_pairs.h"

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <vector>

namespace {

uint32_t indexOf(const btBroadphaseProxy* proxy) {
    return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(proxy->m_clientObject));
}

// Keeps the pairs whose boxes overlap in `list`.
class PairList final : public btNullPairCache {
  public:
    explicit PairList(const PeerScene& s) : scene(s) {}
    btBroadphasePair* addOverlappingPair(btBroadphaseProxy* p, btBroadphaseProxy* q) override {
        const uint32_t a = indexOf(p), b = indexOf(q);
        if (peerScene_Overlap(&scene, a, b))
            list.push_back(grzMakeBodyPair(a, b));
        return nullptr;
    }
    const PeerScene& scene;
    std::vector<grzBodyPair> list;
};

struct BulletPairs {
    BulletPairs(const PeerScene& s, bool isCached)
        : scene(s), list(scene), broadphase(isCached ? nullptr : &list), isCached(isCached) {}
    PeerScene scene;
    PairList list;
    btDbvtBroadphase broadphase;
    bool isCached;
    std::vector<btBroadphaseProxy*> proxies;
};

btVector3 toBullet(const grzVec3& v) {
    return btVector3(v.x, v.y, v.z);
}

void* createAny(const PeerScene* scene, bool isCached) {
    BulletPairs* peer = new BulletPairs(*scene, isCached);
    peer->broadphase.m_deferedcollide = true; // also while a cached one is filled: the first frame finds all
    for (size_t i = 0; i < scene->count; ++i) {
        const grzBox& box = scene->boxes[i];
        peer->proxies.push_back(peer->broadphase.createProxy(toBullet(box.lower), toBullet(box.upper), 0,
                                                             reinterpret_cast<void*>(i), 1, 1, nullptr));
    }
    peer->broadphase.optimize();
    return peer;
}

void* create(const PeerScene* scene) {
    return createAny(scene, false);
}

void* createCached(const PeerScene* scene) {
    return createAny(scene, true);
}

void destroy(void* context) {
    delete static_cast<BulletPairs*>(context);
}

void readCache(BulletPairs& peer) {
    const btBroadphasePairArray& pairs = peer.broadphase.m_paircache->getOverlappingPairArray();
    for (int i = 0; i < pairs.size(); ++i)
        peer.list.addOverlappingPair(pairs[i].m_pProxy0, pairs[i].m_pProxy1);
}

void frame(void* context) {
    BulletPairs& peer = *static_cast<BulletPairs*>(context);
    peer.list.list.clear();
    for (size_t k = 0; k < peer.scene.movedCount; ++k) {
        const uint32_t i = peer.scene.moved[k];
        const grzBox& box = peer.scene.boxes[i];
        peer.broadphase.setAabb(peer.proxies[i], toBullet(box.lower), toBullet(box.upper), nullptr);
    }
    peer.broadphase.calculateOverlappingPairs(nullptr);
    if (peer.isCached) {
        peer.broadphase.m_deferedcollide = false;
        readCache(peer);
    }
}

const grzBodyPair* pairs(const void* context, size_t* count) {
    const BulletPairs& peer = *static_cast<const BulletPairs*>(context);
    *count = peer.list.list.size();
    return peer.list.list.data();
}

} // namespace

const PeerPairs peerBulletPairs = {"Bullet", false, create, destroy, frame, pairs};
const PeerPairs peerBulletCachedPairs = {"Bullet", false, createCached, destroy, frame, pairs};
