// What: Embree's commit of a triangle geometry whose positions have changed, on one thread.
//
// Which of refit and rebuild it is depends on two qualities: a geometry of quality REFIT is refit only in a scene of
// quality LOW (in others it is rebuilt without a word).
#include "peer_refit.h"

#include <embree3/rtcore.h>

namespace {

struct EmbreeRefit {
    RTCDevice device;
    RTCScene scene;
    RTCGeometry geometry;
};

void* create(const PeerMesh* mesh, RTCBuildQuality sceneQuality, RTCBuildQuality geometryQuality) {
    EmbreeRefit* peer = new EmbreeRefit;
    peer->device = rtcNewDevice("threads=1");
    peer->scene = rtcNewScene(peer->device);
    rtcSetSceneBuildQuality(peer->scene, sceneQuality);
    rtcSetSceneFlags(peer->scene, RTC_SCENE_FLAG_DYNAMIC);
    peer->geometry = rtcNewGeometry(peer->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetGeometryBuildQuality(peer->geometry, geometryQuality);
    rtcSetSharedGeometryBuffer(peer->geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, mesh->positions, 0,
                               3 * sizeof(float), mesh->vertexCount);
    rtcSetSharedGeometryBuffer(peer->geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, mesh->triangles, 0,
                               3 * sizeof(uint32_t), mesh->triangleCount);
    rtcCommitGeometry(peer->geometry);
    rtcAttachGeometry(peer->scene, peer->geometry);
    rtcCommitScene(peer->scene);
    return peer;
}

void* createRefit(const PeerMesh* mesh) {
    return create(mesh, RTC_BUILD_QUALITY_LOW, RTC_BUILD_QUALITY_REFIT);
}

void* createRebuild(const PeerMesh* mesh) {
    return create(mesh, RTC_BUILD_QUALITY_LOW, RTC_BUILD_QUALITY_LOW);
}

void* createSah(const PeerMesh* mesh) {
    return create(mesh, RTC_BUILD_QUALITY_MEDIUM, RTC_BUILD_QUALITY_MEDIUM);
}

void destroy(void* context) {
    EmbreeRefit* peer = static_cast<EmbreeRefit*>(context);
    rtcReleaseGeometry(peer->geometry);
    rtcReleaseScene(peer->scene);
    rtcReleaseDevice(peer->device);
    delete peer;
}

void load(void*) {}

void refit(void* context) {
    EmbreeRefit* peer = static_cast<EmbreeRefit*>(context);
    rtcUpdateGeometryBuffer(peer->geometry, RTC_BUFFER_TYPE_VERTEX, 0);
    rtcCommitGeometry(peer->geometry);
    rtcCommitScene(peer->scene);
}

grzBox bounds(void* context) {
    RTCBounds box;
    rtcGetSceneBounds(static_cast<EmbreeRefit*>(context)->scene, &box);
    return grzBox_Make(grzVec3_Make(box.lower_x, box.lower_y, box.lower_z),
                       grzVec3_Make(box.upper_x, box.upper_y, box.upper_z));
}

} // namespace

const PeerRefit peerEmbreeRefit = {"Embree", createRefit, destroy, load, refit, bounds};
const PeerRefit peerEmbreeRebuild = {"Embree LOW", createRebuild, destroy, load, refit, bounds};
const PeerRefit peerEmbreeSah = {"Embree MEDIUM", createSah, destroy, load, refit, bounds};
