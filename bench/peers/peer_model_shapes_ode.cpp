// What: ODE's dCollide of a shape and a trimesh, with up to 32 contacts.
#include "peer_model_shapes.h"

#include <ode/ode.h>
#include <vector>

namespace {

struct OdeShapes {
    std::vector<dTriIndex> triangles;
    dTriMeshDataID data;
    dGeomID mesh, shape;
};

dGeomID makeShape(const grzConvex& shape) {
    const dReal radius = static_cast<dReal>(shape.radius);
    if (shape.kind == grz_sphereShape)
        return dCreateSphere(nullptr, radius);
    if (shape.kind == grz_capsuleShape)
        return dCreateCapsule(nullptr, radius, static_cast<dReal>(2 * shape.b.z));
    if (shape.kind == grz_boxShape)
        return dCreateBox(nullptr, static_cast<dReal>(2 * shape.b.x), static_cast<dReal>(2 * shape.b.y),
                          static_cast<dReal>(2 * shape.b.z));
    return nullptr;
}

void* create(const PeerMesh* from, const grzConvex* shape) {
    if (shape->kind == grz_hullShape)
        return nullptr;
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    OdeShapes* peer = new OdeShapes;
    peer->triangles.assign(from->triangles, from->triangles + 3 * from->triangleCount);
    peer->data = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildSingle(peer->data, from->positions, 3 * sizeof(float), static_cast<int>(from->vertexCount),
                                peer->triangles.data(), static_cast<int>(peer->triangles.size()),
                                3 * sizeof(dTriIndex));
    peer->mesh = dCreateTriMesh(nullptr, peer->data, nullptr, nullptr, nullptr);
    peer->shape = makeShape(*shape);
    return peer;
}

void destroy(void* context) {
    OdeShapes* peer = static_cast<OdeShapes*>(context);
    dGeomDestroy(peer->shape);
    dGeomDestroy(peer->mesh);
    dGeomTriMeshDataDestroy(peer->data);
    delete peer;
    dCloseODE();
}

void run(void* context, const grzTransform* poses, size_t count, uint8_t* touches) {
    const OdeShapes* peer = static_cast<OdeShapes*>(context);
    dContactGeom contacts[32];
    for (size_t i = 0; i < count; ++i) {
        const grzMat3& m = poses[i].basis;
        const dMatrix3 rotation = {m.x.x, m.y.x, m.z.x, 0, m.x.y, m.y.y, m.z.y, 0, m.x.z, m.y.z, m.z.z, 0};
        dGeomSetPosition(peer->shape, poses[i].origin.x, poses[i].origin.y, poses[i].origin.z);
        dGeomSetRotation(peer->shape, rotation);
        touches[i] = dCollide(peer->mesh, peer->shape, 32, contacts, sizeof contacts[0]) > 0 ? 2 : 1;
    }
}

} // namespace

const PeerShapes peerOdeShapes = {"ODE", create, destroy, run};
