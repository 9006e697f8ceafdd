// What: the rigid bodies of a scene, one by one or in rows, heaps and pyramids.
// Promise: a repeated body stands where arithmetic on small whole numbers and a generator with a seed puts it, so that a scene is
//   the same everywhere.
#include <string.h>

#include "rng.h"
#include "scene_parts.h"

// Where the copies of a body stand, relative to its own place.
typedef struct Repeat {
    uint64_t counts[3]; // of a grid
    uint64_t pyramid;   // bodies in the lowest row; 0: a grid
    float spacing[3];
    float jitter;  // each copy is off by up to this, along each axis
    float turning; // and turned by up to this about some axis, in degrees
    uint64_t seed;
} Repeat;

static bool readGrid(JsonValue grid, uint64_t counts[3]) {
    if (json_count(grid) != 3)
        return json_fail(grid, "expected a list of 3 numbers");
    JsonValue element = json_first(grid);
    for (int i = 0; i < 3; ++i, element = json_next(element))
        if (!json_whole(element, 1, 10000, &counts[i]))
            return false;
    return counts[0] * counts[1] * counts[2] <= 1000000 || json_fail(grid, "these are more than 1000000 bodies");
}

static bool readRepeat(JsonValue value, Repeat* repeat) {
    static const char* const keys[] = {"grid", "pyramid", "spacing", "jitter", "turning", "seed", NULL};
    *repeat = (Repeat){{1, 1, 1}, 0, {1.0f, 1.0f, 1.0f}, 0.0f, 0.0f, 1};
    const JsonValue grid = json_member(value, "grid");
    if (!json_only(value, keys) || !json_whole(json_member(value, "pyramid"), 1, 1000, &repeat->pyramid) ||
        !json_floats(json_member(value, "spacing"), 3, -SCENE_FAR, SCENE_FAR, repeat->spacing) ||
        !json_float(json_member(value, "jitter"), 0.0, SCENE_FAR, &repeat->jitter) ||
        !json_float(json_member(value, "turning"), 0.0, 180.0, &repeat->turning) ||
        !json_whole(json_member(value, "seed"), 0, 1000000000, &repeat->seed))
        return false;
    if (json_exists(grid) && repeat->pyramid != 0)
        return json_fail(value, "there are both a grid and a pyramid");
    return !json_exists(grid) || readGrid(grid, repeat->counts);
}

static bool readMeshShape(Scene* scene, JsonValue hull, JsonValue mesh, grzBodyDef* def, SceneLook* look) {
    SceneMesh* named = sceneMeshNamed(scene, json_exists(hull) ? hull : mesh);
    if (named == NULL)
        return false;
    look->mesh = named;
    if (json_exists(mesh)) {
        def->mesh = sceneMeshShape(scene, named, mesh);
        return def->mesh != NULL;
    }
    const grzHull* made = sceneHull(scene, named, hull);
    if (made != NULL)
        def->shape = look->shape = grzMakeHullShape(made);
    return made != NULL;
}

static bool readShape(Scene* scene, JsonValue value, grzBodyDef* def, SceneLook* look) {
    static const char* const keys[] = {"box", "sphere", "capsule", "hull", "mesh", NULL};
    float box[3] = {0}, radius = 0.0f, capsule[2] = {0}; // above 0 where they are given
    if (!json_exists(value))
        return json_fail(value, "a body needs a shape");
    if (!json_only(value, keys))
        return false;
    const JsonValue hull = json_member(value, "hull"), mesh = json_member(value, "mesh");
    if (!json_floats(json_member(value, "box"), 3, 1e-6, SCENE_FAR, box) ||
        !json_float(json_member(value, "sphere"), 1e-6, SCENE_FAR, &radius) ||
        !json_floats(json_member(value, "capsule"), 2, 1e-6, SCENE_FAR, capsule))
        return false;
    if ((box[0] > 0.0f) + (radius > 0.0f) + (capsule[0] > 0.0f) + json_exists(hull) + json_exists(mesh) != 1)
        return json_fail(value, "a shape is one of box, sphere, capsule, hull and mesh");
    if (json_exists(hull) || json_exists(mesh))
        return readMeshShape(scene, hull, mesh, def, look);
    if (box[0] > 0.0f)
        def->shape = grzMakeBox(grzVec3_Zero(), grzVec3_Load(box));
    else if (radius > 0.0f)
        def->shape = grzMakeSphere(grzVec3_Zero(), radius);
    else
        def->shape =
            grzMakeCapsule(grzVec3_Make(0.0f, -capsule[1], 0.0f), grzVec3_Make(0.0f, capsule[1], 0.0f), capsule[0]);
    look->shape = def->shape;
    return true;
}

static bool readKind(JsonValue value, grzBodyKind* kind) {
    static const char* const names[] = {"static", "kinematic", "dynamic"};
    const char* text = NULL;
    if (!json_text(value, &text))
        return false;
    for (int i = 0; text != NULL && i < 3; ++i)
        if (strcmp(text, names[i]) == 0) {
            *kind = (grzBodyKind)i;
            return true;
        }
    return text == NULL || json_fail(value, "expected static, kinematic or dynamic, found \"%.40s\"", text);
}

static bool readDef(Scene* scene, JsonValue value, grzBodyDef* def, SceneLook* look) {
    static const char* const keys[] = {
        "kind",
        "shape",
        "two_sided",
        "at",
        "turn",
        "velocity",
        "spin",
        "density",
        "friction",
        "restitution",
        "gravity_scale",
        "linear_damping",
        "angular_damping",
        "color",
        "repeat",
        NULL,
    };
    float at[3] = {0}, velocity[3] = {0}, spin[3] = {0};
    *def = grzDefaultBodyDef();
    memset(look, 0, sizeof *look);
    look->color[0] = 0.8f, look->color[1] = 0.8f, look->color[2] = 0.8f;
    if (!json_only(value, keys) || !readKind(json_member(value, "kind"), &def->kind) ||
        !readShape(scene, json_member(value, "shape"), def, look) ||
        !json_floats(json_member(value, "at"), 3, -SCENE_FAR, SCENE_FAR, at) ||
        !sceneReadTurn(json_member(value, "turn"), &def->rotation) ||
        !json_floats(json_member(value, "velocity"), 3, -SCENE_FAR, SCENE_FAR, velocity) ||
        !json_floats(json_member(value, "spin"), 3, -SCENE_FAR, SCENE_FAR, spin) ||
        !json_float(json_member(value, "density"), 1e-6, 1e9, &def->density) ||
        !json_float(json_member(value, "friction"), 0.0, 100.0, &def->friction) ||
        !json_float(json_member(value, "restitution"), 0.0, 1.0, &def->restitution) ||
        !json_float(json_member(value, "gravity_scale"), -100.0, 100.0, &def->gravityScale) ||
        !json_float(json_member(value, "linear_damping"), 0.0, 1000.0, &def->linearDamping) ||
        !json_float(json_member(value, "angular_damping"), 0.0, 1000.0, &def->angularDamping) ||
        !json_bool(json_member(value, "two_sided"), &def->isTwoSided) ||
        !sceneReadColor(json_member(value, "color"), look->color))
        return false;
    def->origin = grzVec3_Load(at);
    def->velocity = grzVec3_Load(velocity);
    def->spin = grzVec3_Load(spin);
    return true;
}

// ---------------------------------------------------------------------------------------------------------- copies

typedef struct Copier {
    Scene* scene;
    JsonValue value;
    const grzBodyDef* def;
    const SceneLook* look;
    const Repeat* repeat;
    grzRng rng;
} Copier;

static float within(Copier* copier, float most) {
    return most * (2.0f * grzRng_Float(&copier->rng) - 1.0f);
}

static grzQuat turnSome(Copier* copier, grzQuat rotation) {
    if (copier->repeat->turning == 0.0f)
        return rotation;
    // One after the other: compilers differ in which argument they look at first.
    const float x = within(copier, 1.0f), y = within(copier, 1.0f), z = 0.5f + 0.5f * within(copier, 1.0f);
    const grzVec3 axis = grzVec3_Make(x, y, z);
    const grzQuat turn = sceneTurn(axis, within(copier, copier->repeat->turning) * SCENE_HALF_DEGREE);
    return grzQuat_Normalize(grzQuat_Multiply(turn, rotation));
}

static bool addCopy(Copier* copier, grzVec3 offset) {
    grzBodyDef def = *copier->def;
    const float jitter = copier->repeat->jitter;
    def.origin = grzAdd(def.origin, offset);
    if (jitter > 0.0f) {
        const float x = within(copier, jitter), y = within(copier, jitter), z = within(copier, jitter);
        def.origin = grzAdd(def.origin, grzVec3_Make(x, y, z));
    }
    def.rotation = turnSome(copier, def.rotation);
    SceneLook look = *copier->look;
    const grzResult result = grzWorld_AddBody(copier->scene->world, &def, &look.id);
    if (!grzResult_IsOk(result))
        return sceneRefused(copier->value, result);
    return sceneAddLook(copier->scene, &look, copier->value);
}

static bool addGrid(Copier* copier) {
    const Repeat* repeat = copier->repeat;
    for (uint64_t y = 0; y < repeat->counts[1]; ++y)
        for (uint64_t z = 0; z < repeat->counts[2]; ++z)
            for (uint64_t x = 0; x < repeat->counts[0]; ++x)
                if (!addCopy(copier, grzVec3_Make((float)x * repeat->spacing[0], (float)y * repeat->spacing[1],
                                                  (float)z * repeat->spacing[2])))
                    return false;
    return true;
}

// Rows along x, each one shorter by one and set off by half a place.
static bool addPyramid(Copier* copier) {
    const Repeat* repeat = copier->repeat;
    for (uint64_t row = 0; row < repeat->pyramid; ++row)
        for (uint64_t i = 0; i + row < repeat->pyramid; ++i)
            if (!addCopy(copier, grzVec3_Make(((float)i + 0.5f * (float)row) * repeat->spacing[0],
                                              (float)row * repeat->spacing[1], 0.0f)))
                return false;
    return true;
}

static bool readBody(Scene* scene, JsonValue value) {
    grzBodyDef def;
    SceneLook look;
    Repeat repeat;
    if (!readDef(scene, value, &def, &look) || !readRepeat(json_member(value, "repeat"), &repeat))
        return false;
    Copier copier = {scene, value, &def, &look, &repeat, grzRng_Make(repeat.seed, 0)};
    return repeat.pyramid != 0 ? addPyramid(&copier) : addGrid(&copier);
}

bool sceneReadBodies(Scene* scene, JsonValue bodies) {
    for (JsonValue value = json_first(bodies); json_exists(value); value = json_next(value))
        if (!readBody(scene, value))
            return false;
    return true;
}
