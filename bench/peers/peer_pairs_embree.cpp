// What: Embree's rtcCollide of a scene with itself, over user geometry.
//
// A tree of quality LOW is built anew in every frame (Morton order): that is Embree's way with everything moving. A
// refit would be cheaper and decay. rtcCollide calls back with up to 16 candidates at a time, from several threads:
// all pairs of objects of two leaves that overlap, whether or not the objects do, and each pair in both orders.
#include "peer_pairs.h"

#include <algorithm>
#include <atomic>
#include <embree3/rtcore.h>
#include <string>
#include <vector>

namespace {

struct EmbreePairs {
    PeerScene scene;
    RTCDevice device = nullptr;
    RTCScene world = nullptr;
    RTCGeometry geometry = nullptr;
    std::vector<grzBodyPair> pairs;
    std::atomic<size_t> found{0};
};

void readBounds(const RTCBoundsFunctionArguments* arguments) {
    const PeerScene& scene = *static_cast<const PeerScene*>(arguments->geometryUserPtr);
    const grzBox& box = scene.boxes[arguments->primID];
    RTCBounds& bounds = *arguments->bounds_o;
    bounds.lower_x = box.lower.x, bounds.lower_y = box.lower.y, bounds.lower_z = box.lower.z;
    bounds.upper_x = box.upper.x, bounds.upper_y = box.upper.y, bounds.upper_z = box.upper.z;
}

// Counts all, keeps what there is room for.
void keep(EmbreePairs& peer, const grzBodyPair* pairs, size_t count) {
    const size_t first = peer.found.fetch_add(count, std::memory_order_relaxed);
    for (size_t i = 0; i < count && first + i < peer.pairs.size(); ++i)
        peer.pairs[first + i] = pairs[i];
}

void takeCandidates(void* context, RTCCollision* collisions, unsigned count) {
    EmbreePairs& peer = *static_cast<EmbreePairs*>(context);
    grzBodyPair kept[32];
    size_t keptCount = 0;
    for (unsigned i = 0; i < count; ++i) {
        const uint32_t a = collisions[i].primID0, b = collisions[i].primID1;
        if (a < b && peerScene_Overlap(&peer.scene, a, b)) {
            if (keptCount == sizeof kept / sizeof kept[0])
                keep(peer, kept, keptCount), keptCount = 0;
            kept[keptCount++] = grzBodyPair{a, b};
        }
    }
    if (keptCount != 0)
        keep(peer, kept, keptCount);
}

void collide(EmbreePairs& peer) {
    peer.found = 0;
    rtcCollide(peer.world, peer.world, takeCandidates, &peer);
}

void frame(void* context) {
    EmbreePairs& peer = *static_cast<EmbreePairs*>(context);
    rtcCommitGeometry(peer.geometry); // its bounds have changed
    rtcCommitScene(peer.world);
    collide(peer);
    if (peer.found > peer.pairs.size()) {
        peer.pairs.resize(peer.found * 3 / 2);
        collide(peer);
    }
}

void* create(const PeerScene* scene) {
    EmbreePairs* peer = new EmbreePairs;
    peer->scene = *scene;
    peer->device = rtcNewDevice(("threads=" + std::to_string(scene->threads)).c_str());
    peer->world = rtcNewScene(peer->device);
    rtcSetSceneBuildQuality(peer->world, RTC_BUILD_QUALITY_LOW);
    rtcSetSceneFlags(peer->world, RTC_SCENE_FLAG_DYNAMIC);
    peer->geometry = rtcNewGeometry(peer->device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryBuildQuality(peer->geometry, RTC_BUILD_QUALITY_LOW);
    rtcSetGeometryUserPrimitiveCount(peer->geometry, static_cast<unsigned>(scene->count));
    rtcSetGeometryUserData(peer->geometry, &peer->scene);
    rtcSetGeometryBoundsFunction(peer->geometry, readBounds, nullptr);
    rtcCommitGeometry(peer->geometry);
    rtcAttachGeometry(peer->world, peer->geometry);
    peer->pairs.resize(4 * scene->count + 64);
    return peer;
}

void destroy(void* context) {
    EmbreePairs* peer = static_cast<EmbreePairs*>(context);
    rtcReleaseGeometry(peer->geometry);
    rtcReleaseScene(peer->world);
    rtcReleaseDevice(peer->device);
    delete peer;
}

const grzBodyPair* pairs(const void* context, size_t* count) {
    const EmbreePairs& peer = *static_cast<const EmbreePairs*>(context);
    *count = std::min(peer.found.load(), peer.pairs.size());
    return peer.pairs.data();
}

} // namespace

const PeerPairs peerEmbreePairs = {"Embree", true, create, destroy, frame, pairs};
