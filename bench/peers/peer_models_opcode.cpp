// What: OPCODE's tree collider, out of ODE's library, with the settings that ODE gives it (full tests, trees without leaf
// nodes). ODE's own dCollide always asks for all pairs and makes contacts of them, so OPCODE is called directly; its
// headers are not installed with ODE and are found by GRAZE_OPCODE.
#include "peer_models.h"

#include <Opcode.h>
#include <vector>

namespace {

struct OpcodeModels {
    Opcode::MeshInterface mesh;
    Opcode::Model model;
    Opcode::AABBTreeCollider first, all;
    Opcode::BVTCache cache;
    std::vector<grzBodyPair> pairs;
};

void setUp(Opcode::AABBTreeCollider* collider, bool isFirst) {
    collider->SetFirstContact(isFirst);
    collider->SetTemporalCoherence(false);
    collider->SetFullBoxBoxTest(true);
    collider->SetFullPrimBoxTest(true);
}

void* create(const PeerMesh* from) {
    OpcodeModels* peer = new OpcodeModels;
    peer->mesh.SetNbTriangles(static_cast<udword>(from->triangleCount));
    peer->mesh.SetNbVertices(static_cast<udword>(from->vertexCount));
    peer->mesh.SetPointers(reinterpret_cast<const IndexedTriangle*>(from->triangles),
                           reinterpret_cast<const Point*>(from->positions));
    peer->mesh.SetStrides(3 * sizeof(uint32_t), 3 * sizeof(float));
    peer->mesh.SetSingle(true);
    Opcode::BuildSettings settings(Opcode::SPLIT_BEST_AXIS | Opcode::SPLIT_SPLATTER_POINTS |
                                   Opcode::SPLIT_GEOM_CENTER);
    Opcode::OPCODECREATE build(&peer->mesh, settings, true, false);
    peer->model.Build(build);
    peer->cache.Model0 = peer->cache.Model1 = &peer->model;
    setUp(&peer->first, true);
    setUp(&peer->all, false);
    return peer;
}

void* createCoherent(const PeerMesh* from) {
    OpcodeModels* peer = static_cast<OpcodeModels*>(create(from));
    peer->first.SetTemporalCoherence(true);
    return peer;
}

void destroy(void* peer) {
    delete static_cast<OpcodeModels*>(peer);
}

Matrix4x4 toOpcode(const grzTransform& t) {
    Matrix4x4 out;
    const grzVec3* rows[4] = {&t.basis.x, &t.basis.y, &t.basis.z, &t.origin};
    for (int i = 0; i < 4; ++i) {
        out.m[i][0] = rows[i]->x, out.m[i][1] = rows[i]->y, out.m[i][2] = rows[i]->z;
        out.m[i][3] = i == 3 ? 1.0f : 0.0f;
    }
    return out;
}

void collide(OpcodeModels* peer, Opcode::AABBTreeCollider* collider, const grzTransform* a, const grzTransform* b) {
    const Matrix4x4 worldA = toOpcode(*a), worldB = toOpcode(*b);
    collider->Collide(peer->cache, &worldA, &worldB);
}

bool touch(void* context, const grzTransform* a, const grzTransform* b) {
    OpcodeModels* peer = static_cast<OpcodeModels*>(context);
    collide(peer, &peer->first, a, b);
    return peer->first.GetContactStatus() != 0;
}

const grzBodyPair* find(void* context, const grzTransform* a, const grzTransform* b, size_t* count) {
    OpcodeModels* peer = static_cast<OpcodeModels*>(context);
    collide(peer, &peer->all, a, b);
    *count = peer->all.GetNbPairs();
    return reinterpret_cast<const grzBodyPair*>(peer->all.GetPairs());
}

} // namespace

const PeerModels peerOpcodeModels = {"OPCODE", create, destroy, touch, find};
const PeerModels peerOpcodeCoherentModels = {"OPCODE coherent", createCoherent, destroy, touch, find};
