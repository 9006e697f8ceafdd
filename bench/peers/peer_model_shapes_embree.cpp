// What: Embree's rays against a triangle mesh, in a scene that is built well and asked to be robust.
#include "peer_model_shapes.h"

#include <embree3/rtcore.h>

namespace {

struct EmbreeRays {
    RTCDevice device;
    RTCScene scene;
};

void* create(const PeerMesh* mesh) {
    EmbreeRays* peer = new EmbreeRays;
    peer->device = rtcNewDevice("threads=1");
    peer->scene = rtcNewScene(peer->device);
    rtcSetSceneFlags(peer->scene, RTC_SCENE_FLAG_ROBUST);
    rtcSetSceneBuildQuality(peer->scene, RTC_BUILD_QUALITY_HIGH);
    RTCGeometry geometry = rtcNewGeometry(peer->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    float* positions = static_cast<float*>(rtcSetNewGeometryBuffer(
        geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), mesh->vertexCount));
    unsigned* triangles = static_cast<unsigned*>(rtcSetNewGeometryBuffer(
        geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(unsigned), mesh->triangleCount));
    for (size_t i = 0; i < 3 * mesh->vertexCount; ++i)
        positions[i] = mesh->positions[i];
    for (size_t i = 0; i < 3 * mesh->triangleCount; ++i)
        triangles[i] = mesh->triangles[i];
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(peer->scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(peer->scene);
    return peer;
}

void destroy(void* context) {
    EmbreeRays* peer = static_cast<EmbreeRays*>(context);
    rtcReleaseScene(peer->scene);
    rtcReleaseDevice(peer->device);
    delete peer;
}

void cast(void* context, const PeerRay* rays, size_t count, float* times) {
    const EmbreeRays* peer = static_cast<EmbreeRays*>(context);
    for (size_t i = 0; i < count; ++i) {
        RTCIntersectContext asked;
        RTCRayHit ray = {};
        rtcInitIntersectContext(&asked);
        const grzVec3 &o = rays[i].origin, &d = rays[i].direction;
        ray.ray.org_x = o.x, ray.ray.org_y = o.y, ray.ray.org_z = o.z;
        ray.ray.dir_x = d.x, ray.ray.dir_y = d.y, ray.ray.dir_z = d.z;
        ray.ray.tfar = 1;
        ray.ray.mask = ~0u;
        ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
        rtcIntersect1(peer->scene, &asked, &ray);
        times[i] = ray.hit.geomID != RTC_INVALID_GEOMETRY_ID ? ray.ray.tfar : -1.0f;
    }
}

} // namespace

const PeerRays peerEmbreeRays = {"Embree", create, destroy, cast};
