#include "world_testing.h"

WorldKit g_kit;

grzMesh* scaledShapeMesh(ShapeKind kind, size_t triangles, grzVec3 scale) {
    MeshData data;
    must(makeShape(kind, triangles, grzDefaultAllocator(), &data));
    float* positions = data.positions;
    for (size_t i = 0; i < data.vertexCount; ++i)
        grzVec3_Store(positions + 3 * i, grzMul(grzVec3_Load(positions + 3 * i), scale));
    const grzMeshDef def = MeshData_Def(&data);
    grzMesh* mesh;
    must(grzMesh_Create(&def, &mesh));
    MeshData_Release(&data);
    return mesh;
}

grzMesh* squareGridMesh(size_t squares, float size) {
    MeshData data;
    must(makeGrid(squares, squares, size, size, grzDefaultAllocator(), &data));
    const grzMeshDef def = MeshData_Def(&data);
    grzMesh* mesh;
    must(grzMesh_Create(&def, &mesh));
    MeshData_Release(&data);
    return mesh;
}

grzMeshShape* meshShapeOf(const grzMesh* mesh) {
    grzMeshShape* shape;
    must(grzMeshShape_Create(mesh, (grzAllocator){0}, &shape));
    return shape;
}

int makeWorldKit(void** state) {
    g_kit.ball = scaledShapeMesh(shapeSphere, 80, grzVec3_Splat(0.5f));
    g_kit.ring = scaledShapeMesh(shapeTorus, 128, grzVec3_Splat(0.5f));
    g_kit.crate = scaledShapeMesh(shapeBox, 12, grzVec3_Splat(0.5f));
    g_kit.ground = squareGridMesh(8, 20);
    g_kit.sheet = squareGridMesh(10, 2);
    g_kit.ballShape = meshShapeOf(g_kit.ball);
    g_kit.ringShape = meshShapeOf(g_kit.ring);
    g_kit.crateShape = meshShapeOf(g_kit.crate);
    g_kit.groundShape = meshShapeOf(g_kit.ground);
    return makeHulls(state);
}

int destroyWorldKit(void** state) {
    grzMeshShape_Destroy(g_kit.ballShape);
    grzMeshShape_Destroy(g_kit.ringShape);
    grzMeshShape_Destroy(g_kit.crateShape);
    grzMeshShape_Destroy(g_kit.groundShape);
    grzMesh_Destroy(g_kit.ball);
    grzMesh_Destroy(g_kit.ring);
    grzMesh_Destroy(g_kit.crate);
    grzMesh_Destroy(g_kit.ground);
    grzMesh_Destroy(g_kit.sheet);
    return destroyHulls(state);
}

void mustBe(grzResult result, grzStatus status) {
    char text[160];
    if (result.status != status)
        fail_msg("status %d, not %d: %s", (int)result.status, (int)status,
                 grzResult_Text(result, text, sizeof text));
}

void must(grzResult result) {
    mustBe(result, grz_ok);
}

grzWorld* makeWorld(grzTasks* tasks) {
    grzWorldDef def = grzDefaultWorldDef();
    def.tasks = tasks;
    def.idSalt = 7;
    grzWorld* world;
    must(grzWorld_Create(&def, &world));
    return world;
}

grzTasks* makeTasks(uint32_t workerCount) {
    grzTasksDef def = grzDefaultTasksDef();
    def.workerCount = workerCount;
    grzTasks* tasks;
    must(grzTasks_Create(&def, &tasks));
    return tasks;
}

grzBodyId addBody(grzWorld* world, const grzBodyDef* def) {
    grzBodyId id;
    must(grzWorld_AddBody(world, def, &id));
    return id;
}

grzBodyId addShape(grzWorld* world, grzBodyKind kind, grzConvex shape, grzVec3 origin) {
    grzBodyDef def = grzDefaultBodyDef();
    def.kind = kind;
    def.shape = shape;
    def.origin = origin;
    return addBody(world, &def);
}

grzBodyId addMesh(grzWorld* world, grzBodyKind kind, const grzMeshShape* mesh, grzVec3 origin) {
    grzBodyDef def = grzDefaultBodyDef();
    def.kind = kind;
    def.mesh = mesh;
    def.origin = origin;
    return addBody(world, &def);
}

grzBodyId addFloor(grzWorld* world, float friction) {
    grzBodyDef def = grzDefaultBodyDef();
    def.kind = grz_staticBody;
    def.shape = grzMakeBox(grzVec3_Make(0, -1, 0), grzVec3_Make(50, 1, 50));
    def.friction = friction;
    return addBody(world, &def);
}

grzBodyId addCloth(grzWorld* world, grzVec3 origin, const uint32_t* pins, uint32_t pinCount) {
    grzClothDef def = grzDefaultClothDef();
    def.mesh = g_kit.sheet;
    def.origin = origin;
    def.pins = pins;
    def.pinCount = pinCount;
    grzBodyId id;
    must(grzWorld_AddCloth(world, &def, &id));
    return id;
}

uint32_t g_animatedWays;

grzBodyId addAnimated(grzWorld* world, const grzMesh* mesh, grzAnimatedMotion motion) {
    grzAnimatedDef def = grzDefaultAnimatedDef();
    def.mesh = mesh;
    def.motion = motion;
    def.ways = g_animatedWays;
    grzBodyId id;
    must(grzWorld_AddAnimated(world, &def, &id));
    return id;
}

void stepOnce(grzWorld* world) {
    must(grzWorld_Step(world, 1.0f / 60.0f));
}

void stepWorld(grzWorld* world, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        must(grzWorld_Step(world, 1.0f / 60.0f));
        assert_true(grzWorld_Validate(world));
    }
}

grzBodyView viewOf(const grzWorld* world, grzBodyId id) {
    grzBodyView view;
    must(grzWorld_GetBody(world, id, &view));
    return view;
}

grzTransform poseOf(const grzBodyView* view) {
    return grzTransform_FromQuat(view->rotation, view->origin);
}

const float* movedPositions(const grzMesh* mesh, grzVec3 scale, grzVec3 shift) {
    static _Thread_local float moved[3 * 512];
    const grzMeshView view = grzMesh_GetView(mesh);
    assert_true(view.vertexCount <= 512);
    for (uint32_t i = 0; i < view.vertexCount; ++i)
        grzVec3_Store(moved + 3 * (size_t)i,
                      grzAdd(grzMul(grzVec3_Load(view.positions32 + 3 * (size_t)i), scale), shift));
    return moved;
}

// ---- scenes ----

static grzVec3 placeIn(grzRng* rng, float wide, float low, float high) {
    const float x = randomIn(rng, -wide, wide), y = randomIn(rng, low, high), z = randomIn(rng, -wide, wide);
    return grzVec3_Make(x, y, z);
}

static grzConvex smallShape(grzRng* rng) {
    switch (grzRng_Below(rng, 4)) {
    case 0:
        return grzMakeSphere(grzVec3_Zero(), randomIn(rng, 0.15f, 0.3f));
    case 1:
        return grzMakeCapsule(grzVec3_Make(0, -0.2f, 0), grzVec3_Make(0, 0.25f, 0), randomIn(rng, 0.1f, 0.2f));
    case 2:
        return grzMakeBox(grzVec3_Make(0.05f, 0, 0), placeIn(rng, 0.05f, 0.15f, 0.3f));
    default:
        return grzMakeHullShape(g_hulls[grzRng_Below(rng, hullCount)]);
    }
}

static grzConvex anySmallShape(grzRng* rng) {
    grzConvex shape = smallShape(rng);
    if (shape.kind == grz_boxShape)
        shape.b = grzAdd(grzAbs(shape.b), grzVec3_Splat(0.1f));
    return shape;
}

static void addMany(grzWorld* world, grzRng* rng, uint32_t count, bool withMeshes, float wide, float low,
                    float high) {
    for (uint32_t i = 0; i < count; ++i) {
        grzBodyDef def = grzDefaultBodyDef();
        const grzMeshShape* meshes[] = {g_kit.ballShape, g_kit.ringShape, g_kit.crateShape};
        if (withMeshes && i % 2 == 0)
            def.mesh = meshes[i / 2 % 3];
        else
            def.shape = anySmallShape(rng);
        def.origin = placeIn(rng, wide, low, high);
        def.rotation = randomTurn(rng);
        def.spin = placeIn(rng, 2, -2, 2);
        def.velocity = placeIn(rng, 1, -2, 0);
        def.restitution = i % 3 == 0 ? 0.4f : 0;
        addBody(world, &def);
    }
}

static void addPusher(grzWorld* world, float low) {
    grzBodyDef def = grzDefaultBodyDef();
    def.kind = grz_kinematicBody;
    def.shape = grzMakeBox(grzVec3_Zero(), grzVec3_Make(0.2f, 0.5f, 2));
    def.origin = grzVec3_Make(-3, low + 0.5f, 0);
    def.velocity = grzVec3_Make(3, 0, 0);
    def.spin = grzVec3_Make(0, 0.5f, 0);
    addBody(world, &def);
}

static void addWalker(grzWorld* world, float low) {
    const grzBodyId id = addAnimated(world, g_kit.ball, grz_animateKeyframes);
    const grzVec3 scale = grzVec3_Splat(2);
    must(grzWorld_AddKeyframe(world, id, 0.1, movedPositions(g_kit.ball, scale, grzVec3_Make(-2, low + 0.5f, 0))));
    must(
        grzWorld_AddKeyframe(world, id, 0.6, movedPositions(g_kit.ball, scale, grzVec3_Make(1, low + 0.8f, 0.3f))));
    must(grzWorld_AddKeyframe(world, id, 0.9,
                              movedPositions(g_kit.ball, grzVec3_Make(3, 1, 2), grzVec3_Make(0, low, 0))));
}

void fillWorld(grzWorld* world, WorldMix mix, uint32_t count, uint64_t seed) {
    grzRng rng = grzRng_Make(seed, mix);
    const bool hasGround = mix == mixMeshes || mix == mixAll;
    if (hasGround)
        addMesh(world, grz_staticBody, g_kit.groundShape, grzVec3_Zero());
    else
        addFloor(world, 0.6f);
    if (mix == mixCloth || mix == mixAll) {
        addShape(world, grz_staticBody, grzMakeBox(grzVec3_Zero(), grzVec3_Make(0.4f, 0.5f, 0.4f)),
                 grzVec3_Make(0.3f, 0.5f, 0));
        const uint32_t pins[1] = {120};
        addCloth(world, grzVec3_Make(0, 1.1f, 0), pins, mix == mixAll);
    }
    addMany(world, &rng, count, hasGround, mix == mixCloth ? 0.8f : 1.5f, mix == mixCloth ? 1.4f : 0.6f, 2.5f);
    if (mix == mixShapes || mix == mixAll)
        addPusher(world, 0);
    if (mix == mixAnimated || mix == mixAll)
        addWalker(world, 0);
}
