// What: kinetic_testing.h.
#include "kinetic_testing.h"

#include <math.h>

void ok(grzResult result) {
    char text[128];
    if (!grzResult_IsOk(result))
        fail_msg("%s", grzResult_Text(result, text, sizeof text));
}

// ---- scenes ----

float waves(grzRng* rng, uint32_t i, uint32_t j, int frame) {
    (void)rng;
    return 2 * sinf(0.4F * (float)i + (float)frame) * cosf(0.3F * (float)j - (float)frame);
}

float noise(grzRng* rng, uint32_t i, uint32_t j, int frame) {
    (void)i, (void)j, (void)frame;
    return 2 * grzRng_Float(rng) - 1;
}

float mirrored(grzRng* rng, uint32_t i, uint32_t j, int frame) {
    (void)rng;
    return (float)((i * 7 + j * 3) % 11) * (frame % 2 == 0 ? 1.0F : -1.0F);
}

float flat(grzRng* rng, uint32_t i, uint32_t j, int frame) {
    (void)rng, (void)i, (void)j, (void)frame;
    return 0;
}

float far(grzRng* rng, uint32_t i, uint32_t j, int frame) {
    return 1e6F + noise(rng, i, j, frame);
}

HeightFn* const heights[HEIGHTS] = {waves, noise, mirrored, flat, far};

float* takeNumbers(size_t count) {
    float* numbers = calloc(count + 1, sizeof *numbers);
    assert_non_null(numbers);
    return numbers;
}

static void placeVertices(Scene* scene, grzRng* rng, HeightFn* height) {
    for (int f = 0; f < FRAMES; ++f)
        for (uint32_t i = 0; i < scene->side; ++i)
            for (uint32_t j = 0; j < scene->side; ++j) {
                float* p = scene->frames[f] + 3 * (size_t)(i * scene->side + j);
                p[0] = (float)i + (height == flat ? 0 : 0.3F * height(rng, j, i, f));
                p[1] = height(rng, i, j, f);
                p[2] = (float)j;
            }
}

static void joinVertices(Scene* scene) {
    uint32_t* t = scene->triangles;
    for (uint32_t i = 0; i + 1 < scene->side; ++i)
        for (uint32_t j = 0; j + 1 < scene->side; ++j, t += 6) {
            const uint32_t a = i * scene->side + j, b = a + scene->side;
            const uint32_t corners[6] = {a, a + 1, b, a + 1, b + 1, b};
            memcpy(t, corners, sizeof corners);
        }
}

Scene makeScene(grzRng* rng, uint32_t side, HeightFn* height) {
    Scene scene = {.side = side, .vertexCount = side * side, .triangleCount = 2 * (side - 1) * (side - 1)};
    for (int f = 0; f < FRAMES; ++f)
        scene.frames[f] = takeNumbers(3 * (size_t)scene.vertexCount);
    scene.velocities = takeNumbers(3 * (size_t)scene.vertexCount);
    scene.accelerations = takeNumbers(3 * (size_t)scene.vertexCount);
    scene.triangles = calloc(3 * (size_t)scene.triangleCount + 1, sizeof *scene.triangles);
    assert_non_null(scene.triangles);
    placeVertices(&scene, rng, height);
    joinVertices(&scene);
    for (size_t i = 0; i < 3 * (size_t)scene.vertexCount; ++i) {
        scene.velocities[i] = scene.frames[1][i] - scene.frames[0][i];
        scene.accelerations[i] = height == noise ? 4 * grzRng_Float(rng) - 2 : 0;
    }
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = scene.frames[0], def.vertexCount = scene.vertexCount;
    def.triangles = scene.triangles, def.triangleCount = scene.triangleCount;
    ok(grzBvh_Create(&def, &scene.bvh));
    return scene;
}

void dropScene(Scene* scene) {
    for (int f = 0; f < FRAMES; ++f)
        free(scene->frames[f]);
    free(scene->velocities), free(scene->accelerations), free(scene->triangles);
    grzBvh_Destroy(scene->bvh);
}

grzFlightplan* planFrames(const Scene* scene, int count) {
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.vertexCount = scene->vertexCount;
    grzFlightplan* plan;
    ok(grzFlightplan_Create(&def, &plan));
    for (int f = 0; f < count; ++f)
        ok(grzFlightplan_AddKeyframe(plan, f, scene->frames[f], 0));
    return plan;
}

grzFlightplan* planPaths(const Scene* scene) {
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.kind = grz_planPaths;
    def.vertexCount = scene->vertexCount;
    def.positions = scene->frames[0];
    def.velocities = scene->velocities;
    def.accelerations = scene->accelerations;
    grzFlightplan* plan;
    ok(grzFlightplan_Create(&def, &plan));
    return plan;
}

void drawChange(const Scene* scene, grzRng* rng, SomeChange* some) {
    const uint32_t count = grzRng_Below(rng, MOST_CHANGED + 1);
    for (uint32_t i = 0; i < count; ++i)
        some->vertices[i] = grzRng_Below(rng, scene->vertexCount);
    for (int i = 0; i < 3 * MOST_CHANGED; ++i) {
        some->velocities[i] = 2 * grzRng_Float(rng) - 1;
        some->positions[i] = 10 * grzRng_Float(rng);
        some->accelerations[i] = 2 * grzRng_Float(rng) - 1;
    }
    const bool jumps = grzRng_Below(rng, 4) == 0, bends = grzRng_Below(rng, 2) == 0;
    some->change = (grzFlightplanChange){some->vertices, count, jumps ? some->positions : NULL, some->velocities,
                                         bends ? some->accelerations : NULL};
}

// ---- kinetic trees ----

grzKineticTree* makeKineticTree(const Scene* scene, grzFlightplan* plan, grzKineticOrder order, double time) {
    grzKineticTreeDef def = grzDefaultKineticTreeDef();
    def.bvh = scene->bvh, def.plan = plan, def.order = order, def.startTime = time;
    grzKineticTree* tree;
    ok(grzKineticTree_Create(&def, &tree));
    return tree;
}

TreeBoxes takeTreeBoxes(const Scene* scene, size_t vertexCount) {
    const uint32_t count = grzBvh_GetView(scene->bvh).nodeCount;
    TreeBoxes boxes = {takeNumbers(3 * vertexCount), calloc(count, sizeof(grzBvhNode)),
                       calloc(count, sizeof(grzBvhNode)), count};
    assert_non_null(boxes.found);
    assert_non_null(boxes.expected);
    return boxes;
}

void dropTreeBoxes(TreeBoxes* boxes) {
    free(boxes->positions), free(boxes->found), free(boxes->expected);
}

void expectTreeRefit(const Scene* scene, const grzFlightplan* plan, const grzKineticTree* tree, double time,
                     TreeBoxes* boxes) {
    ok(grzFlightplan_Evaluate(plan, NULL, time, boxes->positions, 0));
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = boxes->positions;
    refit.numbering = grz_bvhCallersNumbers;
    ok(grzBvh_Refit(scene->bvh, NULL, &refit, boxes->expected));
    ok(grzKineticTree_WriteBoxes(tree, NULL, boxes->found));
    const float *found = &boxes->found[0].lower[0][0], *expected = &boxes->expected[0].lower[0][0];
    for (size_t i = 0; i < boxes->nodeCount * sizeof(grzBvhNode) / sizeof(float); ++i)
        assert_true(found[i] == expected[i]);
    const grzBox root = grzKineticTree_Box(tree, 0, 0), whole = grzBvh_RootBox(boxes->expected);
    assert_true(root.lower.x == whole.lower.x && root.upper.y == whole.upper.y && root.upper.z == whole.upper.z);
}
