// What: the rigid bodies of a scene, one by one or in rows, heaps and pyramids.
// Promise: a repeated body stands where arithmetic on small whole numbers and a generator with a seed puts it, so that a scene is
//   the same everywhere.
#include <string.h>

#include "rng.h"
#include "scene_parts.h"

// Where the copies of a body stand, relative to its own place.
typedef struct Repeat {
    uint64_t counts[3];  // of a grid
    uint64_t pyramid;    // bodies in the lowest row; 0: a grid
    float spacing[3];
    float jitter;   // each copy is off by up to this, along each axis
    float turning;  // and turned by up to this about some axis, in degrees
    uint64_t seed;
} Repeat;

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
    if (json_exists(grid) && json_count(grid) != 3)
        return json_fail(grid, "this is to be a list of 3 numbers");
    for (uint32_t i = 0; json_exists(grid) && i < 3; ++i)
        if (!json_whole(json_element(grid, i), 1, 10000, &repeat->counts[i]))
            return false;
    if (json_exists(grid) && repeat->pyramid != 0)
        return json_fail(value, "there are both a grid and a pyramid");
    return repeat->counts[0] * repeat->counts[1] * repeat->counts[2] <= 1000000 ||
           json_fail(grid, "these are more than 1000000 bodies");
}

static bool readShape(Scene* scene, JsonValue value, grzBodyDef* def, SceneLook* look) {
    static const char* const keys[] = {"box", "sphere", "capsule", "hull", "mesh", NULL};
    float box[3] = {0}, sphere[1] = {0}, capsule[2] = {0};
    const JsonValue hull = json_member(value, "hull"), mesh = json_member(value, "mesh");
    if (!json_exists(value))
        return json_fail(value, "a body needs a shape");
    if (!json_only(value, keys) || !json_floats(json_member(value, "box"), 3, 1e-6, SCENE_FAR, box) ||
        !json_float(json_member(value, "sphere"), 1e-6, SCENE_FAR, sphere) ||
        !json_floats(json_member(value, "capsule"), 2, 1e-6, SCENE_FAR, capsule))
        return false;
    const int count = (box[0] > 0.0f) + (sphere[0] > 0.0f) + (capsule[0] > 0.0f) + json_exists(hull) + json_exists(mesh);
    if (count != 1)
        return json_fail(value, "a shape is one of box, sphere, capsule, hull and mesh");
    if (json_exists(hull) || json_exists(mesh)) {
        SceneMesh* named = sceneMeshNamed(scene, json_exists(hull) ? hull : mesh);
        if (named == NULL)
            return false;
        const grzHull* made = json_exists(hull) ? sceneHull(scene, named, hull) : NULL;
        def->mesh = json_exists(mesh) ? sceneMeshShape(scene, named, mesh) : NULL;
        def->shape = made != NULL ? grzMakeHullShape(made) : def->shape;
        look->mesh = named;
        look->shape = def->shape;
        return made != NULL || def->mesh != NULL;
    }
    if (box[0] > 0.0f)
        def->shape = grzMakeBox(grzVec3_Zero(), grzVec3_Load(box));
    else if (sphere[0] > 0.0f)
        def->shape = grzMakeSphere(grzVec3_Zero(), sphere[0]);
    else
        def->shape = grzMakeCapsule(grzVec3_Make(0.0f, -capsule[1], 0.0f), grzVec3_Make(0.0f, capsule[1], 0.0f), capsule[0]);
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
    return text == NULL || json_fail(value, "this is to be static, kinematic or dynamic");
}

static bool readDef(Scene* scene, JsonValue value, grzBodyDef* def, SceneLook* look) {
    static const char* const keys[] = {"kind",    "shape",    "at",          "turn",          "velocity", "spin",
                                       "density", "friction", "restitution", "gravity_scale", "linear_damping",
                                       "angular_damping", "color", "repeat", NULL};
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
    const grzVec3 axis =
        grzVec3_Make(within(copier, 1.0f), within(copier, 1.0f), 0.5f + 0.5f * within(copier, 1.0f));
    const float half = within(copier, copier->repeat->turning) * 0.00872664626f;
    const grzVec3 along = grzScale(grzNormalize(axis), grzSin(half));
    return grzQuat_Normalize(grzQuat_Multiply(grzQuat_Make(along.x, along.y, along.z, grzCos(half)), rotation));
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

bool sceneReadBodies(Scene* scene, JsonValue bodies) {
    const uint32_t count = json_count(bodies);
    for (uint32_t i = 0; i < count; ++i) {
        const JsonValue value = json_element(bodies, i);
        grzBodyDef def;
        SceneLook look;
        Repeat repeat;
        if (!readDef(scene, value, &def, &look) || !readRepeat(json_member(value, "repeat"), &repeat))
            return false;
        Copier copier = {scene, value, &def, &look, &repeat, grzRng_Make(repeat.seed, 0)};
        if (!(repeat.pyramid != 0 ? addPyramid(&copier) : addGrid(&copier)))
            return false;
    }
    return true;
}

// ----------------------------------------------------------------------------------------------------------- cloths

// A list of vertices.
static bool readPins(JsonValue value, const SceneMesh* mesh, uint32_t* pins, uint32_t* count) {
    *count = 0;
    if (!json_exists(value))
        return true;
    const grzMeshView view = grzMesh_GetView(mesh->mesh);
    const uint32_t listed = json_count(value);
    if (listed > view.vertexCount)
        return json_fail(value, "these are more pins than vertices");
    for (uint32_t i = 0; i < listed; ++i) {
        uint64_t vertex = 0;
        if (!json_whole(json_element(value, i), 0, view.vertexCount - 1, &vertex))
            return false;
        pins[(*count)++] = (uint32_t)vertex;
    }
    return true;
}

static bool addCloth(Scene* scene, JsonValue value, grzClothDef* def, SceneLook* look, SceneMesh* mesh) {
    const size_t capacity = grzMesh_GetView(mesh->mesh).vertexCount;
    uint32_t* pins = grzAllocate(&scene->allocator, capacity + 1, sizeof *pins, _Alignof(uint32_t));
    if (pins == NULL)
        return json_fail(value, "there is no memory for it");
    bool isGood = readPins(json_member(value, "pins"), mesh, pins, &def->pinCount);
    def->pins = pins;
    if (isGood) {
        const grzResult result = grzWorld_AddCloth(scene->world, def, &look->id);
        isGood = grzResult_IsOk(result) ? sceneAddLook(scene, look, value) : sceneRefused(value, result);
    }
    grzRelease(&scene->allocator, pins, capacity + 1, sizeof *pins, _Alignof(uint32_t));
    return isGood;
}

bool sceneReadCloths(Scene* scene, JsonValue cloths) {
    static const char* const keys[] = {"mesh",    "at",       "turn",  "density", "thickness", "stretch_compliance", "bend_compliance",
                                       "damping", "friction", "color", "pins",    NULL};
    const uint32_t count = json_count(cloths);
    for (uint32_t i = 0; i < count; ++i) {
        const JsonValue value = json_element(cloths, i);
        grzClothDef def = grzDefaultClothDef();
        SceneLook look;
        float at[3] = {0};
        memset(&look, 0, sizeof look);
        look.color[0] = 0.8f, look.color[1] = 0.3f, look.color[2] = 0.3f;
        if (!json_only(value, keys))
            return false;
        SceneMesh* mesh = sceneMeshNamed(scene, json_member(value, "mesh"));
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
        if (!addCloth(scene, value, &def, &look, mesh))
            return false;
    }
    return true;
}
