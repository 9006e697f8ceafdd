// What: Embree's rays against boxes as user geometry.
//
// The callback that Embree asks at its leaves enters the box; for all hits it keeps them and leaves the ray as long
// as it was. Embree has no box and no volume query.
#include "peer_tree.h"

#include <embree3/rtcore.h>
#include <vector>

namespace {

struct EmbreeTree {
    std::vector<grzBox> boxes;
    RTCDevice device = nullptr;
    RTCScene scene = nullptr;
    std::vector<uint32_t> keys;
    std::vector<size_t> starts;
    bool wantsAll = false;
    float inverse[3];
};

void readBounds(const RTCBoundsFunctionArguments* arguments) {
    const grzBox& box = static_cast<const EmbreeTree*>(arguments->geometryUserPtr)->boxes[arguments->primID];
    RTCBounds& bounds = *arguments->bounds_o;
    bounds.lower_x = box.lower.x, bounds.lower_y = box.lower.y, bounds.lower_z = box.lower.z;
    bounds.upper_x = box.upper.x, bounds.upper_y = box.upper.y, bounds.upper_z = box.upper.z;
}

void intersect(const RTCIntersectFunctionNArguments* arguments) {
    EmbreeTree& tree = *static_cast<EmbreeTree*>(arguments->geometryUserPtr);
    RTCRayHit& ray = *reinterpret_cast<RTCRayHit*>(arguments->rayhit);
    const float origin[3] = {ray.ray.org_x, ray.ray.org_y, ray.ray.org_z};
    if (arguments->valid[0] == 0)
        return;
    const float t = peerEnterBox(&tree.boxes[arguments->primID], origin, tree.inverse, ray.ray.tfar);
    if (t < 0)
        return;
    if (tree.wantsAll) {
        tree.keys.push_back(arguments->primID);
        return;
    }
    ray.ray.tfar = t;
    ray.hit.primID = arguments->primID;
    ray.hit.geomID = arguments->geomID;
}

void* create(const grzBox* boxes, size_t count) {
    EmbreeTree* tree = new EmbreeTree;
    tree->boxes.assign(boxes, boxes + count);
    tree->device = rtcNewDevice("threads=1");
    tree->scene = rtcNewScene(tree->device);
    RTCGeometry geometry = rtcNewGeometry(tree->device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(geometry, static_cast<unsigned>(count));
    rtcSetGeometryUserData(geometry, tree);
    rtcSetGeometryBoundsFunction(geometry, readBounds, nullptr);
    rtcSetGeometryIntersectFunction(geometry, intersect);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(tree->scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(tree->scene);
    return tree;
}

void destroy(void* context) {
    EmbreeTree* tree = static_cast<EmbreeTree*>(context);
    rtcReleaseScene(tree->scene);
    rtcReleaseDevice(tree->device);
    delete tree;
}

void shoot(EmbreeTree& tree, const grzTreeQuery& query) {
    RTCIntersectContext context;
    RTCRayHit ray = {};
    rtcInitIntersectContext(&context);
    ray.ray.org_x = query.point.x, ray.ray.org_y = query.point.y, ray.ray.org_z = query.point.z;
    ray.ray.dir_x = query.direction.x, ray.ray.dir_y = query.direction.y, ray.ray.dir_z = query.direction.z;
    ray.ray.tfar = query.reach;
    ray.ray.mask = ~0u;
    ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    tree.inverse[0] = 1 / query.direction.x;
    tree.inverse[1] = 1 / query.direction.y;
    tree.inverse[2] = 1 / query.direction.z;
    rtcIntersect1(tree.scene, &context, &ray);
    if (!tree.wantsAll && ray.hit.geomID != RTC_INVALID_GEOMETRY_ID)
        tree.keys.push_back(ray.hit.primID);
}

void shootAll(EmbreeTree& tree, const grzTreeQuery* queries, size_t count) {
    tree.keys.clear();
    tree.starts.assign(1, 0);
    for (size_t i = 0; i < count; ++i) {
        shoot(tree, queries[i]);
        tree.starts.push_back(tree.keys.size());
    }
}

void rays(void* context, const grzTreeQuery* queries, size_t count) {
    EmbreeTree& tree = *static_cast<EmbreeTree*>(context);
    tree.wantsAll = true;
    shootAll(tree, queries, count);
}

void closest(void* context, const grzTreeQuery* queries, size_t count) {
    EmbreeTree& tree = *static_cast<EmbreeTree*>(context);
    tree.wantsAll = false;
    shootAll(tree, queries, count);
}

PeerHits hits(const void* context) {
    const EmbreeTree& tree = *static_cast<const EmbreeTree*>(context);
    return PeerHits{tree.keys.data(), tree.starts.data(), tree.starts.size() - 1};
}

} // namespace

const PeerTree peerEmbreeTree = {"Embree", create,  destroy, nullptr, nullptr,
                                 nullptr,  nullptr, rays,    closest, hits};
