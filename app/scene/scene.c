// What: reads a scene's file and leads its world (scene.h).
#include "scene.h"

#include <string.h>

#include "scene_parts.h"

bool sceneRefused(JsonValue about, grzResult result) {
    char text[192];
    return json_fail(about, "%s", grzResult_Text(result, text, sizeof text));
}

bool scenePath(const Scene* scene, JsonValue field, const char* file, char* path) {
    const char* slash = strrchr(scene->name, '/');
    const int folder = slash != NULL && file[0] != '/' ? (int)(slash - scene->name) + 1 : 0;
    const int length = snprintf(path, PATH_CAPACITY, "%.*s%s", folder, scene->name, file);
    return (length >= 0 && length < PATH_CAPACITY) || json_fail(field, "the path is too long");
}

grzQuat sceneTurn(grzVec3 axis, float half) {
    const grzVec3 along = grzScale(grzNormalize(axis), grzSin(half));
    return grzQuat_Normalize(grzQuat_Make(along.x, along.y, along.z, grzCos(half)));
}

bool sceneReadTurn(JsonValue value, grzQuat* rotation) {
    float turn[4] = {0.0f, 1.0f, 0.0f, 0.0f};
    if (!json_floats(value, 4, -SCENE_FAR, SCENE_FAR, turn))
        return false;
    const grzVec3 axis = grzVec3_Load(turn);
    if (turn[0] == 0.0f && turn[1] == 0.0f && turn[2] == 0.0f)
        return json_fail(value, "the axis is 0; the list is the axis' x, y, z and an angle in degrees");
    *rotation = sceneTurn(axis, turn[3] * SCENE_HALF_DEGREE);
    return true;
}

bool sceneReadColor(JsonValue value, float color[3]) {
    return json_floats(value, 3, 0.0, 1.0, color);
}

bool sceneAddLook(Scene* scene, const SceneLook* look, JsonValue about) {
    if (!grzArray_Reserve(&scene->looks, &scene->allocator, scene->looks.count + 1))
        return json_fail(about, "there is no memory for it");
    scene->looks.data[scene->looks.count++] = *look;
    return true;
}

static bool readCamera(Scene* scene, JsonValue camera) {
    static const char* const keys[] = {"from", "to", "field_of_view", NULL};
    scene->camera = (SceneCamera){{8.0f, 6.0f, 12.0f}, {0.0f, 1.0f, 0.0f}, 45.0f};
    if (!json_only(camera, keys) ||
        !json_floats(json_member(camera, "from"), 3, -SCENE_FAR, SCENE_FAR, scene->camera.from) ||
        !json_floats(json_member(camera, "to"), 3, -SCENE_FAR, SCENE_FAR, scene->camera.to) ||
        !json_float(json_member(camera, "field_of_view"), 1.0, 170.0, &scene->camera.fieldOfView))
        return false;
    const grzVec3 along = grzSub(grzVec3_Load(scene->camera.to), grzVec3_Load(scene->camera.from));
    return grzLength(along) > 0.0f || json_fail(camera, "it looks at where it stands");
}

static bool readWorld(Scene* scene, JsonValue root, const SceneSetup* setup) {
    grzWorldDef def = grzDefaultWorldDef();
    float gravity[3] = {def.gravity.x, def.gravity.y, def.gravity.z};
    uint64_t substeps = def.substepCount;
    scene->timeStep = 1.0 / 60.0;
    scene->stepCount = 300;
    if (!json_floats(json_member(root, "gravity"), 3, -SCENE_FAR, SCENE_FAR, gravity) ||
        !json_whole(json_member(root, "substeps"), 1, 64, &substeps) ||
        !json_real(json_member(root, "time_step"), 1e-6, 1.0, &scene->timeStep) ||
        !json_whole(json_member(root, "steps"), 1, 1000000000, &scene->stepCount) ||
        !json_float(json_member(root, "margin"), 0.0, SCENE_FAR, &def.margin))
        return false;
    def.gravity = grzVec3_Load(gravity);
    def.substepCount = (uint32_t)substeps;
    def.idSalt = 1;
    def.tasks = setup->tasks;
    def.profile = setup->profile;
    def.allocator = scene->allocator;
    const grzResult result = grzWorld_Create(&def, &scene->world);
    return grzResult_IsOk(result) || sceneRefused(root, result);
}

static bool readScene(Scene* scene, JsonValue root, const SceneSetup* setup) {
    static const char* const keys[] = {"graze_scene", "about",    "gravity", "substeps", "time_step",
                                       "steps",       "margin",   "camera",  "meshes",   "bodies",
                                       "cloths",      "animated", NULL};
    uint64_t version = 0;
    const char* about = NULL;
    if (!json_only(root, keys) || !json_whole(json_member(root, "graze_scene"), 1, 1, &version) ||
        !json_text(json_member(root, "about"), &about))
        return false;
    if (version != 1)
        return json_fail(root, "expected the field \"graze_scene\": 1, which every scene has");
    return readCamera(scene, json_member(root, "camera")) && readWorld(scene, root, setup) &&
           sceneReadMeshes(scene, json_member(root, "meshes")) &&
           sceneReadBodies(scene, json_member(root, "bodies")) &&
           sceneReadCloths(scene, json_member(root, "cloths")) &&
           sceneReadAnimated(scene, json_member(root, "animated"));
}

static void begin(Scene* scene, const char* name, const SceneSetup* setup) {
    memset(scene, 0, sizeof *scene);
    scene->allocator = grzAllocator_OrDefault(setup->allocator);
    scene->name = name;
}

static bool readDoc(Scene* scene, JsonDoc* doc, const SceneSetup* setup) {
    const bool isRead = readScene(scene, JsonDoc_Root(doc), setup) && !doc->hasFailed;
    JsonDoc_Release(doc);
    if (!isRead)
        Scene_Release(scene);
    return isRead;
}

bool Scene_Load(Scene* scene, const char* path, const SceneSetup* setup, FileError* error) {
    JsonDoc doc;
    begin(scene, path, setup);
    return JsonDoc_Read(&doc, path, scene->allocator, error) && readDoc(scene, &doc, setup);
}

bool Scene_LoadBytes(Scene* scene, const char* bytes, size_t size, const char* name, const SceneSetup* setup,
                     FileError* error) {
    JsonDoc doc;
    begin(scene, name, setup);
    return JsonDoc_ReadBytes(&doc, bytes, size, name, scene->allocator, error) && readDoc(scene, &doc, setup);
}

void Scene_Release(Scene* scene) {
    grzWorld_Destroy(scene->world);
    for (size_t i = 0; i < scene->motions.count; ++i)
        sceneDropMotion(scene, scene->motions.data[i]);
    for (size_t i = 0; i < scene->meshes.count; ++i) {
        SceneMesh* mesh = scene->meshes.data[i];
        grzMeshShape_Destroy(mesh->shape);
        grzHull_Destroy(mesh->hull);
        grzMesh_Destroy(mesh->mesh);
        MeshData_Release(&mesh->data);
        grzRelease(&scene->allocator, mesh, 1, sizeof *mesh, _Alignof(SceneMesh));
    }
    grzArray_Release(&scene->meshes, &scene->allocator);
    grzArray_Release(&scene->looks, &scene->allocator);
    grzArray_Release(&scene->motions, &scene->allocator);
    const grzAllocator allocator = scene->allocator;
    memset(scene, 0, sizeof *scene);
    scene->allocator = allocator;
}

bool Scene_Step(Scene* scene, FileError* error) {
    const double end = grzWorld_Time(scene->world) + (double)(float)scene->timeStep;
    for (size_t i = 0; i < scene->motions.count; ++i)
        if (!sceneFeed(scene, scene->motions.data[i], end, error))
            return false;
    const grzResult result = grzWorld_Step(scene->world, (float)scene->timeStep);
    return grzResult_IsOk(result) || failResult(error, scene->name, result);
}
