// What: the cloths of a scene.
#include <string.h>

#include "scene_parts.h"

// A list of vertices; room for as many as the mesh has.
static bool readPins(JsonValue value, uint32_t vertexCount, uint32_t* pins, uint32_t* count) {
    *count = 0;
    if (json_count(value) > vertexCount)
        return json_fail(value, "these are more pins than vertices");
    for (JsonValue pin = json_first(value); json_exists(pin); pin = json_next(pin)) {
        uint64_t vertex = 0;
        if (!json_whole(pin, 0, vertexCount - 1, &vertex))
            return false;
        pins[(*count)++] = (uint32_t)vertex;
    }
    return true;
}

static bool addCloth(Scene* scene, JsonValue value, grzClothDef* def, SceneLook* look) {
    const uint32_t capacity = grzMesh_GetView(def->mesh).vertexCount;
    uint32_t* pins = grzAllocate(&scene->allocator, capacity, sizeof *pins, _Alignof(uint32_t));
    if (pins == NULL)
        return json_fail(value, "there is no memory for it");
    bool isGood = readPins(json_member(value, "pins"), capacity, pins, &def->pinCount);
    def->pins = pins;
    if (isGood) {
        const grzResult result = grzWorld_AddCloth(scene->world, def, &look->id);
        isGood = grzResult_IsOk(result) ? sceneAddLook(scene, look, value) : sceneRefused(value, result);
    }
    grzRelease(&scene->allocator, pins, capacity, sizeof *pins, _Alignof(uint32_t));
    return isGood;
}

static bool readCloth(Scene* scene, JsonValue value) {
    static const char* const keys[] = {
        "mesh",    "at",       "turn",  "density", "thickness",       "stretch_compliance",
        "damping", "friction", "color", "pins",    "bend_compliance", NULL};
    grzClothDef def = grzDefaultClothDef();
    SceneLook look = {.color = {0.8f, 0.3f, 0.3f}};
    float at[3] = {0};
    if (!json_only(value, keys))
        return false;
    const SceneMesh* mesh = sceneMeshNamed(scene, json_member(value, "mesh"));
    if (mesh == NULL || !json_floats(json_member(value, "at"), 3, -SCENE_FAR, SCENE_FAR, at) ||
        !sceneReadTurn(json_member(value, "turn"), &def.rotation) ||
        !json_float(json_member(value, "density"), 1e-6, 1e6, &def.density) ||
        !json_float(json_member(value, "thickness"), 1e-6, 1e3, &def.thickness) ||
        !json_float(json_member(value, "stretch_compliance"), 0.0, 1e6, &def.stretchCompliance) ||
        !json_float(json_member(value, "bend_compliance"), 0.0, 1e9, &def.bendCompliance) ||
        !json_float(json_member(value, "damping"), 0.0, 1e3, &def.damping) ||
        !json_float(json_member(value, "friction"), 0.0, 100.0, &def.friction) ||
        !sceneReadColor(json_member(value, "color"), look.color))
        return false;
    def.mesh = mesh->mesh;
    def.origin = grzVec3_Load(at);
    look.mesh = mesh;
    return addCloth(scene, value, &def, &look);
}

bool sceneReadCloths(Scene* scene, JsonValue cloths) {
    for (JsonValue value = json_first(cloths); json_exists(value); value = json_next(value))
        if (!readCloth(scene, value))
            return false;
    return true;
}
