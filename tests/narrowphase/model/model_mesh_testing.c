#include "model_mesh_testing.h"

ModelMesh makeMesh(size_t vertexCount, size_t triangleCount) {
    ModelMesh mesh = {calloc(3 * vertexCount + 1, sizeof(float)), calloc(3 * triangleCount + 1, sizeof(uint32_t)),
                      vertexCount, triangleCount};
    assert_non_null(mesh.positions);
    assert_non_null(mesh.triangles);
    return mesh;
}

void freeMesh(ModelMesh* mesh) {
    free(mesh->positions);
    free(mesh->triangles);
}

ModelMesh takeMeshData(MeshData* data) {
    ModelMesh mesh = makeMesh(data->vertexCount, data->triangleCount);
    for (size_t i = 0; i < 3 * data->vertexCount; ++i)
        mesh.positions[i] =
            data->isDouble ? (float)((const double*)data->positions)[i] : ((const float*)data->positions)[i];
    memcpy(mesh.triangles, data->indices, 3 * data->triangleCount * sizeof *mesh.triangles);
    MeshData_Release(data);
    return mesh;
}

grzModelDef makeDef(const ModelMesh* mesh) {
    grzModelDef def = grzDefaultModelDef();
    def.positions = mesh->positions;
    def.vertexCount = mesh->vertexCount;
    def.triangles = mesh->triangles;
    def.triangleCount = mesh->triangleCount;
    return def;
}

grzModel* makeModel(const ModelMesh* mesh) {
    const grzModelDef def = makeDef(mesh);
    grzModel* model = NULL;
    assert_true(grzResult_IsOk(grzModel_Create(&def, &model)));
    assert_true(grzModel_Validate(model, mesh->positions, 0));
    return model;
}

void cornersOf(const ModelMesh* mesh, size_t triangle, grzVec3 corners[3]) {
    for (size_t k = 0; k < 3; ++k)
        corners[k] = grzVec3_Load(mesh->positions + 3 * (size_t)mesh->triangles[3 * triangle + k]);
}
