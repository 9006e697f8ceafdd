// What: the animated meshes of a scene: walkers that the program makes, and caches from files.
// Idea: keyframes come a fixed time apart; before a step those up to its end, and one beyond, are handed to the world.
#include <string.h>

#include "scene_parts.h"
#include "walker.h"

// Long enough that feet do not slide much: strides for each height walked.
static const double stridesPerHeight = 0.9;

static void placeFrame(SceneMotion* motion, double time) {
    const size_t count = (size_t)grzMesh_GetView(motion->mesh).vertexCount;
    for (size_t i = 0; i < count * 3; ++i)
        motion->positions[i] = motion->place[i % 3] + motion->scale * motion->positions[i];
    for (size_t i = 0; i < count && !motion->isCache; ++i)
        motion->positions[3 * i] += (float)(motion->speed * time);
}

// Positions of a keyframe, placed in the world.
static bool makeFrame(SceneMotion* motion, uint64_t frame, FileError* error) {
    const double time = (double)frame * motion->interval;
    if (!motion->isCache)
        poseWalker(&motion->figure, time * motion->speed / (double)motion->scale * stridesPerHeight,
                   motion->positions);
    else if (!SequenceReader_ReadFrame(&motion->cache, (size_t)(frame % motion->cache.header.frameCount),
                                       motion->positions, error))
        return false;
    placeFrame(motion, time);
    return true;
}

bool sceneFeed(Scene* scene, SceneMotion* motion, double until, FileError* error) {
    while (motion->nextTime - motion->interval <= until) {
        if (motion->isCache && !motion->loops && motion->frame >= motion->cache.header.frameCount)
            return true; // it stands still from now on
        if (!makeFrame(motion, motion->frame, error))
            return false;
        const grzResult result =
            grzWorld_AddKeyframe(scene->world, motion->id, motion->nextTime, motion->positions);
        if (!grzResult_IsOk(result))
            return failResult(error, scene->name, result);
        motion->nextTime = (double)(++motion->frame) * motion->interval;
    }
    return true;
}

void sceneDropMotion(Scene* scene, SceneMotion* motion) {
    SequenceReader_Close(&motion->cache);
    const size_t count = motion->mesh != NULL ? (size_t)grzMesh_GetView(motion->mesh).vertexCount * 3 : 0;
    grzRelease(&scene->allocator, motion->positions, count, sizeof(float), 64);
    grzMesh_Destroy(motion->mesh);
    MeshData_Release(&motion->figure);
    grzRelease(&scene->allocator, motion, 1, sizeof *motion, _Alignof(SceneMotion));
}

// ---------------------------------------------------------------------------------------------------------- reading

// A mesh of these triangles at the first keyframe.
static bool makeMesh(Scene* scene, SceneMotion* motion, const MeshData* data, JsonValue about) {
    MeshData first = *data; // its positions are only read
    grzMeshDef def = MeshData_Def(&first);
    grzResult result = grzMesh_Create(&def, &motion->mesh);
    if (!grzResult_IsOk(result))
        return sceneRefused(about, result);
    motion->positions = grzAllocate(&scene->allocator, data->vertexCount * 3, sizeof(float), 64);
    FileError error;
    if (motion->positions == NULL)
        return json_fail(about, "there is no memory for it");
    if (!makeFrame(motion, 0, &error))
        return json_fail(about, "%s", error.text);
    grzMesh* placed;
    first.positions = motion->positions;
    def = MeshData_Def(&first);
    result = grzMesh_Create(&def, &placed);
    if (!grzResult_IsOk(result))
        return sceneRefused(about, result);
    grzMesh_Destroy(motion->mesh);
    motion->mesh = placed;
    return true;
}

static bool readWalker(Scene* scene, JsonValue animated, JsonValue value, SceneMotion* motion) {
    static const char* const others[] = {"mesh", "scale", "loops"};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        if (json_exists(json_member(animated, others[i])))
            return json_fail(json_member(animated, others[i]), "this is for caches; a walker has none");
    static const char* const keys[] = {"triangles", "height", "speed", NULL};
    uint64_t triangles = 5000;
    motion->scale = 2.0f;
    motion->speed = 1.0;
    if (!json_only(value, keys) || !json_whole(json_member(value, "triangles"), 120, 10000000, &triangles) ||
        !json_float(json_member(value, "height"), 1e-3, 1e4, &motion->scale) ||
        !json_real(json_member(value, "speed"), 0.0, 1e4, &motion->speed))
        return false;
    const grzResult result = makeWalker((size_t)triangles, scene->allocator, &motion->figure);
    return grzResult_IsOk(result) ? makeMesh(scene, motion, &motion->figure, value) : sceneRefused(value, result);
}

static bool readCache(Scene* scene, JsonValue value, SceneMotion* motion, SceneMesh* mesh) {
    const char* file = NULL;
    FileError error;
    char path[PATH_CAPACITY];
    if (!json_text(value, &file) || !scenePath(scene, value, file, path))
        return false;
    if (!SequenceReader_Open(&motion->cache, path, scene->allocator, &error))
        return json_fail(value, "%s", error.text);
    if (motion->cache.header.vertexCount != mesh->data.vertexCount)
        return json_fail(value, "the cache has %zu vertices, the mesh %zu",
                         (size_t)motion->cache.header.vertexCount, mesh->data.vertexCount);
    motion->isCache = true;
    return makeMesh(scene, motion, &mesh->data, value);
}

static bool addMotion(Scene* scene, JsonValue value, SceneMotion* motion, SceneLook* look) {
    grzAnimatedDef def = grzDefaultAnimatedDef();
    def.mesh = motion->mesh;
    if (!json_float(json_member(value, "friction"), 0.0, 100.0, &def.friction) ||
        !json_bool(json_member(value, "two_sided"), &def.isTwoSided))
        return false;
    const grzResult result = grzWorld_AddAnimated(scene->world, &def, &motion->id);
    if (!grzResult_IsOk(result))
        return sceneRefused(value, result);
    look->id = motion->id;
    look->ownMesh = motion->mesh;
    motion->frame = 1;
    motion->nextTime = motion->interval;
    return sceneAddLook(scene, look, value);
}

static bool readMotion(Scene* scene, JsonValue value, SceneMotion* motion) {
    static const char* const keys[] = {"mesh",  "cache",    "walker",    "at",    "scale", "keyframes_per_second",
                                       "loops", "friction", "two_sided", "color", NULL};
    SceneLook look;
    memset(&look, 0, sizeof look);
    look.color[0] = 0.3f, look.color[1] = 0.5f, look.color[2] = 0.8f;
    double rate = 6.0;
    motion->scale = 1.0f;
    if (!json_only(value, keys) ||
        !json_floats(json_member(value, "at"), 3, -SCENE_FAR, SCENE_FAR, motion->place) ||
        !json_float(json_member(value, "scale"), 1e-6, 1e6, &motion->scale) ||
        !json_real(json_member(value, "keyframes_per_second"), 1e-3, 1e4, &rate) ||
        !json_bool(json_member(value, "loops"), &motion->loops) ||
        !sceneReadColor(json_member(value, "color"), look.color))
        return false;
    motion->interval = 1.0 / rate;
    const JsonValue walker = json_member(value, "walker"), cache = json_member(value, "cache");
    if (json_exists(walker) == json_exists(cache))
        return json_fail(value, "what is animated is either a walker, or a mesh with a cache");
    if (json_exists(walker))
        return readWalker(scene, value, walker, motion) && addMotion(scene, value, motion, &look);
    SceneMesh* mesh = sceneMeshNamed(scene, json_member(value, "mesh"));
    return mesh != NULL && readCache(scene, cache, motion, mesh) && addMotion(scene, value, motion, &look);
}

bool sceneReadAnimated(Scene* scene, JsonValue animated) {
    for (JsonValue value = json_first(animated); json_exists(value); value = json_next(value)) {
        SceneMotion* motion = NULL;
        if (grzArray_Reserve(&scene->motions, &scene->allocator, scene->motions.count + 1))
            motion = grzAllocate(&scene->allocator, 1, sizeof *motion, _Alignof(SceneMotion));
        if (motion == NULL)
            return json_fail(value, "there is no memory for it");
        memset(motion, 0, sizeof *motion);
        scene->motions.data[scene->motions.count++] = motion;
        if (!readMotion(scene, value, motion))
            return false;
    }
    return true;
}
