#include "cloth_testing.h"

#include "cloth_inside.h"
#include "hash.h"
#include "world_inside.h"

grzMesh* clothMesh(const float* positions, uint32_t vertexCount, const uint32_t* triangles,
                   uint32_t triangleCount) {
    grzMeshDef def = grzDefaultMeshDef();
    def.positions = positions;
    def.vertexCount = vertexCount;
    def.indices = triangles;
    def.triangleCount = triangleCount;
    grzMesh* mesh;
    assert_int_equal(grzMesh_Create(&def, &mesh).status, grz_ok);
    return mesh;
}

grzMesh* clothSheet(uint32_t rows, uint32_t columns, float width, float depth) {
    const uint32_t across = columns + 1, vertexCount = (rows + 1) * across;
    float* positions = malloc(3 * vertexCount * sizeof *positions);
    uint32_t* triangles = malloc((size_t)6 * rows * columns * sizeof *triangles);
    for (uint32_t v = 0; v < vertexCount; ++v) {
        positions[3 * v] = width * ((float)(v % across) / (float)columns - 0.5f);
        positions[3 * v + 1] = 0;
        positions[3 * v + 2] = depth * ((float)(v / across) / (float)rows - 0.5f);
    }
    for (uint32_t cell = 0; cell < rows * columns; ++cell) {
        const uint32_t a = cell / columns * across + cell % columns, b = a + 1, c = a + across, d = c + 1;
        const bool isEven = (cell / columns + cell % columns) % 2 == 0;
        const uint32_t even[6] = {a, c, d, a, d, b}, odd[6] = {a, c, b, b, c, d};
        memcpy(triangles + (size_t)6 * cell, isEven ? even : odd, sizeof even);
    }
    grzMesh* mesh = clothMesh(positions, vertexCount, triangles, 2 * rows * columns);
    free(positions);
    free(triangles);
    return mesh;
}

void clothSceneBegin(ClothScene* scene, grzMesh* mesh, grzClothDef def) {
    memset(scene, 0, sizeof *scene);
    scene->mesh = mesh;
    def.mesh = mesh;
    scene->gravity = grzVec3_Make(0, -9.81f, 0);
    scene->timeStep = 1.0f / 60;
    scene->margin = 0.02f;
    scene->substepCount = 8;
    scene->bodyCount = 1;
    scene->allocator = grzDefaultAllocator();
    for (uint32_t slot = 0; slot < CLOTH_MOST_BODIES; ++slot)
        scene->states[slot].rotation = grzQuat_Identity();
    assert_int_equal(grzContactSolver_Create(scene->allocator, &scene->solver).status, grz_ok);
    assert_int_equal(grzClothBody_Create(&def, &scene->allocator, &scene->cloth).status, grz_ok);
}

void clothSceneEnd(ClothScene* scene) {
    assert_true(grzClothBody_Validate(scene->cloth));
    grzClothBody_Destroy(scene->cloth);
    grzContactSolver_Destroy(scene->solver);
    grzMesh_Destroy(scene->mesh);
}

uint32_t clothSceneAdd(ClothScene* scene, grzConvex shape, grzVec3 origin, grzQuat rotation, float density,
                       float friction) {
    const uint32_t slot = scene->bodyCount++;
    assert_true(slot < CLOTH_MOST_BODIES);
    grzCollider* collider = &scene->colliders[slot];
    grzBodyMass* mass = &scene->masses[slot];
    collider->kind = grz_convexCollider;
    collider->body = density > 0 ? grz_dynamicBody : density < 0 ? grz_kinematicBody : grz_staticBody;
    collider->shape = shape;
    collider->friction = friction;
    scene->states[slot].center = origin;
    scene->states[slot].rotation = rotation;
    mass->gravityScale = 1;
    mass->flags = density != 0 ? grz_bodyMoves : 0;
    if (density > 0) {
        const grzMass whole = grzConvex_Mass(&shape);
        mass->flags |= grz_bodyYields;
        mass->inverseMass = (float)(1 / (whole.volume * (double)density));
        mass->inverseInertia[0] = (float)(1 / (whole.diagonal.x * (double)density));
        mass->inverseInertia[1] = (float)(1 / (whole.diagonal.y * (double)density));
        mass->inverseInertia[2] = (float)(1 / (whole.diagonal.z * (double)density));
    }
    return slot;
}

static void solveHook(void* context, grzSubstep* substep) {
    grzClothBody_Solve(((ClothScene*)context)->cloth, substep);
}

static void finishHook(void* context, grzSubstep* substep) {
    grzClothBody_Finish(((ClothScene*)context)->cloth, substep);
}

grzResult clothSceneCollide(ClothScene* scene) {
    grzClothObstacle obstacles[CLOTH_MOST_BODIES];
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < scene->bodyCount; ++slot) {
        grzCollider* collider = &scene->colliders[slot];
        if (slot == scene->clothSlot || collider->kind == grz_noCollider)
            continue;
        collider->id = idOfSlot(slot);
        if (collider->kind != grz_animatedCollider) {
            const grzBodyState* state = &scene->states[slot];
            collider->pose = grzTransform_FromQuat(state->rotation, state->center);
        }
        static const grzBodyState still;
        const bool isRigid = collider->kind != grz_animatedCollider;
        obstacles[count++] =
            (grzClothObstacle){.row = slot,
                               .collider = collider,
                               .state = isRigid ? &scene->states[slot] : &still,
                               .radius = isRigid ? grzCollider_Radius(collider, grzVec3_Zero()) : 0};
    }
    const grzClothStep step = {.id = idOfSlot(scene->clothSlot),
                               .timeStep = scene->timeStep,
                               .substepCount = scene->substepCount,
                               .gravity = scene->gravity,
                               .margin = scene->margin,
                               .pushSpeed = 3,
                               .obstacles = obstacles,
                               .obstacleCount = count,
                               .masses = scene->masses,
                               .tasks = scene->tasks};
    grzClothBody_Predict(scene->cloth, scene->timeStep, scene->gravity);
    return grzClothBody_Collide(scene->cloth, &step);
}

void clothSceneStep(ClothScene* scene) {
    scene->collided = clothSceneCollide(scene);
    scene->isWorn = scene->isWorn || scene->collided.status != grz_ok;
    if (scene->isWorn)
        return;
    const grzSubstepHook hook = {scene, solveHook, finishHook};
    grzSolveInput step;
    memset(&step, 0, sizeof step);
    step.settings = (grzSolverSettings){.timeStep = scene->timeStep,
                                        .substepCount = scene->substepCount,
                                        .gravity = scene->gravity,
                                        .contactHertz = 35,
                                        .contactDampingRatio = 10,
                                        .pushSpeed = 3,
                                        .restitutionThreshold = 1};
    step.states = scene->states;
    step.masses = scene->masses;
    step.bodyCount = scene->bodyCount;
    step.hook = &hook;
    step.tasks = scene->tasks;
    assert_int_equal(grzStep_Solve(scene->solver, &step).status, grz_ok);
}

void clothSceneRun(ClothScene* scene, uint32_t steps) {
    for (uint32_t i = 0; i < steps; ++i)
        clothSceneStep(scene);
}

uint64_t clothSceneHash(const ClothScene* scene) {
    const grzContactSpan contacts = grzClothBody_GetContacts(scene->cloth);
    grzHash hash = grzHash_Begin(grzClothBody_Hash(scene->cloth));
    for (uint32_t slot = 0; slot < scene->bodyCount; ++slot)
        grzHash_Add(&hash, &scene->states[slot], sizeof(grzBodyState));
    for (uint32_t i = 0; i < contacts.count; ++i)
        grzHash_Add(&hash, grzContactSpan_At(&contacts, i), sizeof(grzContact));
    for (uint32_t i = 0; i < contacts.count; ++i)
        grzHash_AddFloat(&hash, grzContactSpan_Impulse(&contacts, i));
    return grzHash_End(&hash);
}

grzVec3 clothVertex(const ClothScene* scene, uint32_t vertex) {
    return grzVec3_Load(scene->cloth->positions.data + (size_t)3 * vertex);
}

grzVec3d clothMomentum(const ClothScene* scene, double* mass) {
    grzVec3d sum = {0, 0, 0};
    *mass = 0;
    for (uint32_t v = 0; v < scene->cloth->vertexCount; ++v) {
        const float weight = scene->cloth->now.data[(size_t)4 * v + 3];
        if (!(weight > 0))
            continue;
        *mass += 1 / (double)weight;
        const grzVec3d velocity = grzVec3d_FromVec3(grzVec3_Load(scene->cloth->velocities.data + (size_t)3 * v));
        sum = grzVec3d_Add(sum, grzVec3d_Scale(velocity, 1 / (double)weight));
    }
    return sum;
}

double clothLowest(const ClothScene* scene) {
    double lowest = HUGE_VAL;
    for (uint32_t v = 0; v < scene->cloth->vertexCount; ++v)
        lowest = fmin(lowest, (double)clothVertex(scene, v).y);
    return lowest;
}
