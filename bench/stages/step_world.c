// What: worlds of the stage "step".
#include "step_world.h"

bool StepWorld_Check(Bench* bench, grzResult result) {
    char text[128];
    if (!grzResult_IsOk(result))
        Bench_Fail(bench, "step: %s", grzResult_Text(result, text, sizeof text));
    return grzResult_IsOk(result);
}

bool StepWorld_Open(Bench* bench, const StepSource* source, size_t workers, StepWorld* world) {
    *world = (StepWorld){.source = source};
    grzTasksDef tasks = grzDefaultTasksDef();
    tasks.workerCount = (uint32_t)workers;
    grzProfileDef profile = grzDefaultProfileDef();
    profile.workerCount = (uint32_t)workers;
    return StepWorld_Check(bench, grzTasks_Create(&tasks, &world->tasks)) &&
           StepWorld_Check(bench, grzProfile_Create(&profile, &world->profile)) && source->open(bench, world);
}

void StepWorld_Close(Bench* bench, StepWorld* world) {
    if (world->source != NULL)
        world->source->close(bench, world);
    grzProfile_Destroy(world->profile);
    grzTasks_Destroy(world->tasks);
    *world = (StepWorld){0};
}

uint64_t StepWorld_Digest(StepWorld* world) {
    const uint64_t hashes[] = {grzWorld_HashState(world->world), grzWorld_HashContacts(world->world)};
    return Bench_Digest(0, hashes, sizeof hashes);
}

static grzConvex shapeOf(const StepBody* body) {
    return body->radius > 0 ? grzMakeSphere(grzVec3_Zero(), body->radius) : grzMakeBox(grzVec3_Zero(), body->half);
}

bool StepWorld_AddBodies(Bench* bench, grzWorld* world, const StepScene* scene, const StepPose* poses) {
    for (size_t i = 0; i < scene->count; ++i) {
        const StepBody* body = &scene->bodies[i];
        grzBodyDef def = grzDefaultBodyDef();
        grzBodyId id;
        def.kind = body->isStatic ? grz_staticBody : grz_dynamicBody;
        def.shape = shapeOf(body);
        def.origin = body->origin;
        def.rotation = body->rotation;
        def.density = STEP_DENSITY;
        def.friction = STEP_FRICTION; // the root of the product of two
        if (poses != NULL)
            def.origin = poses[i].origin, def.rotation = poses[i].rotation;
        if (!StepWorld_Check(bench, grzWorld_AddBody(world, &def, &id)))
            return false;
    }
    return true;
}

bool StepWorld_WatchBodies(Bench* bench, const StepScene* scene, const grzWorld* world, StepOverlap* overlap) {
    if (!StepOverlap_Make(overlap, bench->allocator, scene->count)) {
        Bench_Fail(bench, "step: there is no memory to measure a scene");
        return false;
    }
    for (size_t i = 0; i < scene->count; ++i) {
        const grzConvex shape = shapeOf(&scene->bodies[i]);
        const grzBodyId nobody = {(uint32_t)i + 1, 0};
        StepOverlap_Add(overlap, world != NULL ? grzWorld_BodyAt(world, (uint32_t)i) : nobody, &shape, NULL);
    }
    return true;
}

bool StepWorld_OpenScene(Bench* bench, StepWorld* world) {
    grzWorldDef def = grzDefaultWorldDef(); // 4 substeps
    def.gravity = grzVec3_Make(0, -STEP_GRAVITY, 0);
    def.tasks = world->tasks;
    def.profile = world->profile;
    def.idSalt = 1;
    return StepWorld_Check(bench, grzWorld_Create(&def, &world->world)) &&
           StepWorld_AddBodies(bench, world->world, world->source->scene, NULL);
}

bool StepWorld_WatchScene(Bench* bench, StepWorld* world, StepOverlap* overlap) {
    return StepWorld_WatchBodies(bench, world->source->scene, world->world, overlap);
}

bool StepWorld_StepScene(StepWorld* world) {
    return grzResult_IsOk(grzWorld_Step(world->world, STEP_SECONDS));
}

void StepWorld_CloseScene(Bench* bench, StepWorld* world) {
    (void)bench;
    grzWorld_Destroy(world->world);
}
