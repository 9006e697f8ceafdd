// What: the meshes of a scene: generated or from files, scaled, each made into what bodies ask of it once.
#include <string.h>

#include "mesh_read.h"
#include "scene_parts.h"
#include "shapes.h"

// Positions as floats, scaled.
static grzResult toFloats(MeshData* data, const float scale[3]) {
    MeshData scaled;
    const grzResult result =
        MeshData_Create(&scaled, data->allocator, false, data->vertexCount, data->triangleCount);
    if (!grzResult_IsOk(result))
        return result;
    const float* floats = data->positions;
    const double* doubles = data->positions;
    for (size_t i = 0; i < data->vertexCount * 3; ++i)
        ((float*)scaled.positions)[i] = scale[i % 3] * (data->isDouble ? (float)doubles[i] : floats[i]);
    if (data->triangleCount != 0)
        memcpy(scaled.indices, data->indices, data->triangleCount * 3 * sizeof(uint32_t));
    MeshData_Release(data);
    *data = scaled;
    return result;
}

static bool makeMeshShape(Scene* scene, JsonValue value, JsonValue shape, const char* name, MeshData* data) {
    ShapeKind kind;
    char text[NO_SHAPE_CAPACITY];
    uint64_t triangles = 1000;
    if (!json_whole(json_member(value, "triangles"), 1, 100000000, &triangles))
        return false;
    if (!shapeFromName(name, &kind))
        return json_fail(shape, "%s", noShapeText(name, text));
    const grzResult result = makeShape(kind, (size_t)triangles, scene->allocator, data);
    return grzResult_IsOk(result) || sceneRefused(value, result);
}

static bool fillMesh(Scene* scene, JsonValue value, MeshData* data) {
    const JsonValue shape = json_member(value, "shape"), fileField = json_member(value, "file");
    const char *name = NULL, *file = NULL;
    char path[PATH_CAPACITY];
    FileError error;
    if (!json_text(shape, &name) || !json_text(fileField, &file))
        return false;
    if ((name != NULL) == (file != NULL))
        return json_fail(value, "a mesh has either a shape or a file");
    if (name != NULL)
        return makeMeshShape(scene, value, shape, name, data);
    if (json_exists(json_member(value, "triangles")))
        return json_fail(json_member(value, "triangles"), "a file has as many triangles as it has");
    return scenePath(scene, fileField, file, path) &&
           (readMesh(path, scene->allocator, data, &error) || json_fail(fileField, "%s", error.text));
}

static bool readMeshInto(Scene* scene, JsonValue value, SceneMesh* mesh) {
    static const char* const keys[] = {"name", "shape", "file", "triangles", "scale", NULL};
    const char* name = NULL;
    float scale[3] = {1.0f, 1.0f, 1.0f};
    if (!json_only(value, keys) || !json_text(json_member(value, "name"), &name) ||
        !json_floats(json_member(value, "scale"), 3, 1e-6, SCENE_FAR, scale))
        return false;
    if (name == NULL || name[0] == 0 || strlen(name) >= sizeof mesh->name)
        return json_fail(value, "a mesh needs a name of 1 to 63 letters");
    for (size_t i = 0; i + 1 < scene->meshes.count; ++i)
        if (strcmp(scene->meshes.data[i]->name, name) == 0)
            return json_fail(json_member(value, "name"), "there is a mesh of that name");
    memcpy(mesh->name, name, strlen(name) + 1);
    if (!fillMesh(scene, value, &mesh->data))
        return false;
    grzResult result = toFloats(&mesh->data, scale);
    if (grzResult_IsOk(result)) {
        const grzMeshDef def = MeshData_Def(&mesh->data);
        result = grzMesh_Create(&def, &mesh->mesh);
    }
    return grzResult_IsOk(result) || sceneRefused(value, result);
}

bool sceneReadMeshes(Scene* scene, JsonValue meshes) {
    for (JsonValue value = json_first(meshes); json_exists(value); value = json_next(value)) {
        SceneMesh* mesh = NULL;
        if (grzArray_Reserve(&scene->meshes, &scene->allocator, scene->meshes.count + 1))
            mesh = grzAllocate(&scene->allocator, 1, sizeof *mesh, _Alignof(SceneMesh));
        if (mesh == NULL)
            return json_fail(value, "there is no memory for it");
        memset(mesh, 0, sizeof *mesh);
        mesh->data.allocator = scene->allocator;
        scene->meshes.data[scene->meshes.count++] = mesh;
        if (!readMeshInto(scene, value, mesh))
            return false;
    }
    return true;
}

SceneMesh* sceneMeshNamed(Scene* scene, JsonValue value) {
    const char* name = NULL;
    if (!json_text(value, &name))
        return NULL;
    for (size_t i = 0; name != NULL && i < scene->meshes.count; ++i)
        if (strcmp(scene->meshes.data[i]->name, name) == 0)
            return scene->meshes.data[i];
    if (name != NULL)
        json_fail(value, "there is no mesh '%.40s'", name);
    else
        json_fail(value, "a mesh is to be named here");
    return NULL;
}

const grzMeshShape* sceneMeshShape(Scene* scene, SceneMesh* mesh, JsonValue about) {
    if (mesh->shape == NULL) {
        const grzResult result = grzMeshShape_Create(mesh->mesh, scene->allocator, &mesh->shape);
        if (!grzResult_IsOk(result))
            sceneRefused(about, result);
    }
    return mesh->shape;
}

const grzHull* sceneHull(Scene* scene, SceneMesh* mesh, JsonValue about) {
    if (mesh->hull == NULL) {
        grzHullDef def = grzDefaultHullDef();
        def.allocator = scene->allocator;
        def.positions = mesh->data.positions;
        def.pointCount = mesh->data.vertexCount;
        const grzResult result = grzHull_Create(&def, &mesh->hull);
        if (!grzResult_IsOk(result))
            sceneRefused(about, result);
    }
    return mesh->hull;
}
