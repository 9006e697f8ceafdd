// What: OPCODE's refit, by way of ODE, which has no other door to it.
#include "peer_refit.h"

#include <ode/ode.h>

namespace {

struct OdeRefit {
    PeerMesh mesh;
    dTriMeshDataID data;
    dGeomID geom, ray;
};

void* create(const PeerMesh* mesh) {
    dInitODE2(0);
    OdeRefit* peer = new OdeRefit;
    peer->mesh = *mesh;
    peer->data = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildSingle(peer->data, mesh->positions, 3 * sizeof(float), static_cast<int>(mesh->vertexCount),
                                mesh->triangles, static_cast<int>(3 * mesh->triangleCount), 3 * sizeof(uint32_t));
    peer->geom = dCreateTriMesh(nullptr, peer->data, nullptr, nullptr, nullptr);
    peer->ray = dCreateRay(nullptr, 0.002);
    return peer;
}

void destroy(void* context) {
    OdeRefit* peer = static_cast<OdeRefit*>(context);
    dGeomDestroy(peer->ray);
    dGeomDestroy(peer->geom);
    dGeomTriMeshDataDestroy(peer->data);
    delete peer;
    dCloseODE();
}

void load(void*) {}

void refit(void* context) {
    dGeomTriMeshDataUpdate(static_cast<OdeRefit*>(context)->data);
}

grzVec3 corner(const PeerMesh& mesh, size_t triangle, size_t k) {
    const float* p = mesh.positions + 3 * static_cast<size_t>(mesh.triangles[3 * triangle + k]);
    return grzVec3_Make(p[0], p[1], p[2]);
}

// Whether a short ray through the middle of a triangle finds it, or one as near.
bool isFound(OdeRefit* peer, size_t triangle) {
    const grzVec3 a = corner(peer->mesh, triangle, 0), b = corner(peer->mesh, triangle, 1);
    const grzVec3 c = corner(peer->mesh, triangle, 2);
    const grzVec3 middle = grzScale(grzAdd(grzAdd(a, b), c), 1.0F / 3);
    const grzVec3 normal = grzNormalize(grzCross(grzSub(b, a), grzSub(c, a)));
    const grzVec3 from = grzAdd(middle, grzScale(normal, 0.001F));
    dGeomRaySet(peer->ray, from.x, from.y, from.z, -normal.x, -normal.y, -normal.z);
    dContactGeom contact;
    return dCollide(peer->ray, peer->geom, 1, &contact, sizeof contact) != 0;
}

// ODE shows no box of its tree: the one that a geom has is found once, when the data is made. So: the bounds of the
// positions, if rays find triangles all over the mesh, and none if they do not.
grzBox bounds(void* context) {
    OdeRefit* peer = static_cast<OdeRefit*>(context);
    for (size_t k = 0; k < 64; ++k)
        if (!isFound(peer, k * peer->mesh.triangleCount / 64))
            return grzBox_Empty();
    grzBox box = grzBox_Empty();
    for (size_t i = 0; i < peer->mesh.vertexCount; ++i) {
        const float* p = peer->mesh.positions + 3 * i;
        box = grzBox_AddPoint(box, grzVec3_Make(p[0], p[1], p[2]));
    }
    return box;
}

} // namespace

const PeerRefit peerOdeRefit = {"OPCODE (ODE)", create, destroy, load, refit, bounds};
