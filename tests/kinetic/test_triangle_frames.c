// Pairs of triangles at frames between keyframes: from active chord pairs and plans they are exactly the triangles whose boxes overlap
// there, by brute force where meshes are small and by a refit with a plain traversal where they are large; without plans they contain
// these; triangles that intersect are among them; plans are asked for the leaves in pairs alone; paths as keyframes.
#include "testing.h"

#include <math.h>

#include "graze/stage/leaf_triangles.h"
#include "graze/tri_pairs.h"
#include "rng.h"

static void ok(grzResult result) {
    char text[128];
    if (!grzResult_IsOk(result))
        fail_msg("%s", grzResult_Text(result, text, sizeof text));
}

static void* take(size_t count, size_t size) {
    void* memory = calloc(count + 1, size);
    assert_non_null(memory);
    return memory;
}

// ---- scenes ----

enum { FRAMES = 4, STEPS = 5 }; // keyframes, and times in each interval

typedef struct Sheet {
    uint32_t side, vertexCount, triangleCount;
    float *frames[FRAMES], *positions;
    uint32_t* triangles;
    grzBvh* bvh;
    grzBvhNode* nodes;
    grzFlightplan* plan;
    grzChordTree* tree; // NULL: it rests at its first keyframe
} Sheet;

static void placeVertices(Sheet* sheet, grzRng* rng, float height, float speed) {
    const float size = 2.0F / (float)(sheet->side - 1);
    for (int f = 0; f < FRAMES; ++f)
        for (uint32_t v = 0; v < sheet->vertexCount; ++v) {
            const float x = size * (float)(v % sheet->side), y = size * (float)(v / sheet->side);
            const float phase = speed * (float)f;
            sheet->frames[f][3 * v] = x + 0.1F * phase + 0.3F * size * grzRng_Float(rng);
            sheet->frames[f][3 * v + 1] = y;
            sheet->frames[f][3 * v + 2] =
                height * (1 - phase) + 0.3F * sinf(3 * x + 2 * y + phase) + (f == 2 ? 0.2F * grzRng_Float(rng) : 0);
        }
}

static void makeTree(Sheet* sheet) {
    grzChordTreeDef def = grzDefaultChordTreeDef();
    def.bvh = sheet->bvh, def.plan = sheet->plan;
    ok(grzChordTree_Create(&def, &sheet->tree));
}

static Sheet makeSheet(grzRng* rng, uint32_t side, float height, float speed) {
    Sheet sheet = {.side = side, .vertexCount = side * side, .triangleCount = 2 * (side - 1) * (side - 1)};
    for (int f = 0; f < FRAMES; ++f)
        sheet.frames[f] = take(3 * (size_t)sheet.vertexCount, sizeof(float));
    sheet.positions = take(3 * (size_t)sheet.vertexCount, sizeof(float));
    sheet.triangles = take(3 * (size_t)sheet.triangleCount, sizeof(uint32_t));
    for (uint32_t i = 0; i < sheet.triangleCount / 2; ++i) {
        const uint32_t corner = i / (side - 1) * side + i % (side - 1);
        const uint32_t six[6] = {corner, corner + 1, corner + side, corner + 1, corner + side + 1, corner + side};
        memcpy(sheet.triangles + 6 * (size_t)i, six, sizeof six);
    }
    placeVertices(&sheet, rng, height, speed);
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = sheet.frames[0], def.vertexCount = sheet.vertexCount;
    def.triangles = sheet.triangles, def.triangleCount = sheet.triangleCount;
    ok(grzBvh_Create(&def, &sheet.bvh));
    sheet.nodes = take(grzBvh_GetView(sheet.bvh).nodeCount, sizeof(grzBvhNode));
    grzFlightplanDef planDef = grzDefaultFlightplanDef();
    planDef.vertexCount = sheet.vertexCount;
    ok(grzFlightplan_Create(&planDef, &sheet.plan));
    for (int f = 0; f < FRAMES; ++f)
        ok(grzFlightplan_AddKeyframe(sheet.plan, f, sheet.frames[f], 0));
    return sheet;
}

static void dropSheet(Sheet* sheet) {
    for (int f = 0; f < FRAMES; ++f)
        free(sheet->frames[f]);
    free(sheet->positions), free(sheet->triangles), free(sheet->nodes);
    grzChordTree_Destroy(sheet->tree);
    grzFlightplan_Destroy(sheet->plan);
    grzBvh_Destroy(sheet->bvh);
}

// Its positions and boxes at a time.
static void goTo(Sheet* sheet, double time) {
    grzBvhRefit refit = grzDefaultBvhRefit();
    ok(grzFlightplan_Evaluate(sheet->plan, NULL, sheet->tree != NULL ? time : 0, sheet->positions, 0));
    refit.positions = sheet->positions, refit.numbering = grz_bvhCallersNumbers;
    ok(grzBvh_Refit(sheet->bvh, NULL, &refit, sheet->nodes));
}

// Two sheets, or one against itself (b == a), with all that searches them.
typedef struct Scene {
    Sheet *a, *b;
    grzChordPairs* chords;
    grzBoxPairs* boxes;
    grzLeafTriangles *tight, *conservative, *plain;
    double time;
    size_t evaluated, found, exact, intersecting;
} Scene;

static Scene makeScene(Sheet* a, Sheet* b) {
    Scene scene = {.a = a, .b = b};
    grzLeafTrianglesDef def = grzDefaultLeafTrianglesDef();
    grzChordPairsDef chordDef = grzDefaultChordPairsDef();
    grzBoxPairsDef boxDef = grzDefaultBoxPairsDef();
    goTo(a, 0), goTo(b, 0);
    chordDef.treeA = a->tree, chordDef.treeB = b->tree;
    if (b->tree == NULL)
        chordDef.bvhB = b->bvh, chordDef.nodesB = b->nodes;
    ok(grzChordPairs_Create(&chordDef, &scene.chords));
    ok(grzBoxPairs_Create(&boxDef, &scene.boxes));
    ok(grzLeafTriangles_Create(&def, &scene.tight));
    ok(grzLeafTriangles_Create(&def, &scene.conservative));
    ok(grzLeafTriangles_Create(&def, &scene.plain));
    return scene;
}

static void dropScene(Scene* scene) {
    grzChordPairs_Destroy(scene->chords), grzBoxPairs_Destroy(scene->boxes);
    grzLeafTriangles_Destroy(scene->tight), grzLeafTriangles_Destroy(scene->conservative);
    grzLeafTriangles_Destroy(scene->plain);
}

static grzLeafTrianglesSide sideOf(const Sheet* sheet, bool isPlanned, double time) {
    grzLeafTrianglesSide side = {.bvh = sheet->bvh, .numbering = grz_bvhCallersNumbers};
    if (isPlanned && sheet->tree != NULL)
        side.plan = sheet->plan, side.time = time;
    else
        side.positions = sheet->positions;
    return side;
}

static void find(const Scene* scene, grzLeafTriangles* triangles, const grzLeafPair* pairs, size_t count,
                 bool isPlanned, bool isOpen) {
    grzLeafTrianglesQuery query = grzDefaultLeafTrianglesQuery();
    query.pairs = pairs, query.count = count;
    query.a = sideOf(scene->a, isPlanned, scene->time);
    if (scene->a != scene->b)
        query.b = sideOf(scene->b, isPlanned, scene->time);
    if (isOpen)
        query.a.plan = NULL, query.b.positions = NULL, query.b.plan = NULL;
    ok(grzLeafTriangles_Find(triangles, NULL, &query));
    assert_true(grzLeafTriangles_Validate(triangles, &query));
}

// All three kinds, at a time.
static void advance(Scene* scene, double time) {
    Sheet *a = scene->a, *b = scene->b;
    grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
    scene->time = time;
    goTo(a, time), goTo(b, time);
    ok(grzChordTree_Advance(a->tree, NULL, time));
    if (b != a && b->tree != NULL)
        ok(grzChordTree_Advance(b->tree, NULL, time));
    ok(grzChordPairs_Advance(scene->chords, NULL));
    query.a = (grzBoxSet){a->bvh, a->nodes};
    if (b != a)
        query.b = (grzBoxSet){b->bvh, b->nodes};
    ok(grzBoxPairs_Find(scene->boxes, NULL, &query));
    const size_t count = grzChordPairs_GetView(scene->chords).activeCount;
    grzLeafPair* active = take(count, sizeof *active);
    grzChordPairs_Write(scene->chords, active);
    find(scene, scene->tight, active, count, true, false);
    find(scene, scene->conservative, active, count, true, true);
    const grzBoxPairsView boxes = grzBoxPairs_GetView(scene->boxes);
    find(scene, scene->plain, boxes.pairs, boxes.count, false, false);
    scene->evaluated += (size_t)grzLeafTriangles_GetStats(scene->tight).evaluated;
    scene->found += grzLeafTriangles_GetView(scene->conservative).count;
    scene->exact += grzLeafTriangles_GetView(scene->tight).count;
    assert_int_equal(grzLeafTriangles_GetStats(scene->plain).evaluated, 0);
    assert_int_equal(grzLeafTriangles_GetStats(scene->conservative).evaluated, 0);
    free(active);
}

// ---- the reference ----

static bool areSame(const grzTrianglePair* a, const grzTrianglePair* b) {
    return grzTrianglePair_KeyWord(a, 1) == grzTrianglePair_KeyWord(b, 1);
}

static void expectSameNames(grzLeafTrianglesView a, grzLeafTrianglesView b) {
    assert_int_equal(a.count, b.count);
    for (size_t i = 0; i < a.count; ++i)
        assert_true(areSame(&a.pairs[i], &b.pairs[i]));
}

static void expectAmong(grzLeafTrianglesView some, grzLeafTrianglesView all) {
    size_t at = 0;
    for (size_t i = 0; i < some.count; ++i, ++at) {
        while (at < all.count && !areSame(&some.pairs[i], &all.pairs[at]))
            ++at;
        assert_true(at < all.count);
    }
}

static bool boxesOverlap(const Sheet* a, uint32_t i, const Sheet* b, uint32_t j) {
    for (uint32_t axis = 0; axis < 3; ++axis) {
        float range[2][2];
        for (int side = 0; side < 2; ++side) {
            const Sheet* sheet = side == 0 ? a : b;
            for (uint32_t k = 0; k < 3; ++k) {
                const float at = sheet->positions[3 * sheet->triangles[3 * (side == 0 ? i : j) + k] + axis];
                range[side][0] = k == 0 || at < range[side][0] ? at : range[side][0];
                range[side][1] = k == 0 || at > range[side][1] ? at : range[side][1];
            }
        }
        if (range[0][1] < range[1][0] || range[1][1] < range[0][0])
            return false;
    }
    return true;
}

static bool shareVertex(const Sheet* sheet, uint32_t i, uint32_t j) {
    for (uint32_t k = 0; k < 9; ++k)
        if (sheet->triangles[3 * i + k / 3] == sheet->triangles[3 * j + k % 3])
            return true;
    return false;
}

static grzTriSoup soupOf(const Sheet* sheet) {
    return (grzTriSoup){sheet->positions, sheet->triangles, sheet->vertexCount, sheet->triangleCount};
}

// Every triangle beside every other: those whose boxes overlap are the tight pairs, and those that intersect are among them.
static void expectBruteForce(Scene* scene) {
    const Sheet *a = scene->a, *b = scene->b;
    const size_t most = (size_t)a->triangleCount * b->triangleCount;
    grzTrianglePair *boxes = take(most, sizeof *boxes), *all = take(most, sizeof *all);
    uint8_t* kinds = take(most, 1);
    size_t boxCount = 0, count = 0;
    for (uint32_t i = 0; i < a->triangleCount; ++i)
        for (uint32_t j = a == b ? i + 1 : 0; j < b->triangleCount; ++j) {
            if (a == b && shareVertex(a, i, j))
                continue;
            all[count++] = (grzTrianglePair){0, i, j, 0, 1};
            if (boxesOverlap(a, i, b, j))
                boxes[boxCount++] = all[count - 1];
        }
    const grzTriPairQuery query = {soupOf(a), soupOf(b), all, (uint32_t)count, 0};
    grzTriPairs_Classify(NULL, &query, kinds);
    const grzLeafTrianglesView tight = grzLeafTriangles_GetView(scene->tight);
    expectSameNames(tight, (grzLeafTrianglesView){boxes, boxCount});
    size_t at = 0;
    for (size_t i = 0; i < count; ++i)
        if (kinds[i] != grz_triNone) {
            while (at < tight.count && !areSame(&all[i], &tight.pairs[at]))
                ++at;
            assert_true(at < tight.count);
            ++scene->intersecting;
        }
    free(boxes), free(all), free(kinds);
}

static void goThrough(Scene* scene, bool isSmall) {
    for (int k = 0; k <= STEPS * (FRAMES - 1); ++k) {
        advance(scene, (double)k / STEPS);
        const grzLeafTrianglesView tight = grzLeafTriangles_GetView(scene->tight);
        expectSameNames(tight, grzLeafTriangles_GetView(scene->plain));
        expectAmong(tight, grzLeafTriangles_GetView(scene->conservative));
        if (isSmall)
            expectBruteForce(scene);
    }
    assert_true(scene->exact > 0 && scene->found > scene->exact);
}

// ---- tests ----

static void small_meshes(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(951), 0);
    size_t intersecting = 0;
    for (int kind = 0; kind < 3; ++kind) { // two plans, one beside what rests, one with itself
        Sheet a = makeSheet(&rng, 12, 0.5F, 0.7F), b = makeSheet(&rng, 9, 0, 0.3F);
        makeTree(&a);
        if (kind == 0)
            makeTree(&b);
        Scene scene = makeScene(&a, kind == 2 ? &a : &b);
        goThrough(&scene, true);
        intersecting += scene.intersecting;
        dropScene(&scene);
        dropSheet(&a), dropSheet(&b);
    }
    assert_true(intersecting > 100);
}

// Of 8,192 triangles many are in no pair, and their vertices are not looked at.
static void large_meshes(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(952), 0);
    Sheet a = makeSheet(&rng, 65, 0.8F, 0.5F), b = makeSheet(&rng, 40, 0, 0.2F);
    makeTree(&a), makeTree(&b);
    Scene scene = makeScene(&a, &b);
    goThrough(&scene, false);
    assert_in_range(scene.evaluated, 1, 3 * (a.triangleCount + b.triangleCount) * (STEPS * (FRAMES - 1) + 1) / 2);
    dropScene(&scene);
    dropSheet(&a), dropSheet(&b);
}

// At any time as the positions that the plan has then.
static void paths(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(953), 0);
    Sheet a = makeSheet(&rng, 14, 0.2F, 0.5F), b = makeSheet(&rng, 9, 0, 0);
    makeTree(&a);
    Scene scene = makeScene(&a, &b);
    grzFlightplanDef def = grzDefaultFlightplanDef();
    grzFlightplan* plan;
    def.kind = grz_planPaths, def.vertexCount = a.vertexCount;
    def.positions = a.frames[0], def.velocities = a.frames[1], def.accelerations = a.frames[2];
    ok(grzFlightplan_Create(&def, &plan));
    for (int k = 0; k < 5; ++k) {
        const double time = 0.05 * k;
        advance(&scene, 0);
        ok(grzFlightplan_Evaluate(plan, NULL, time, a.positions, 0));
        const grzBoxPairsView boxes = grzBoxPairs_GetView(scene.boxes);
        grzLeafTrianglesQuery query = grzDefaultLeafTrianglesQuery();
        query.pairs = boxes.pairs, query.count = boxes.count;
        query.a = sideOf(&a, false, time), query.b = sideOf(&b, false, time);
        ok(grzLeafTriangles_Find(scene.plain, NULL, &query));
        query.a.positions = NULL, query.a.plan = plan, query.a.time = time;
        ok(grzLeafTriangles_Find(scene.tight, NULL, &query));
        assert_true(grzLeafTriangles_GetView(scene.plain).count > 0);
        expectSameNames(grzLeafTriangles_GetView(scene.tight), grzLeafTriangles_GetView(scene.plain));
    }
    grzFlightplan_Destroy(plan);
    dropScene(&scene);
    dropSheet(&a), dropSheet(&b);
}

static void refuses_plans(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(954), 0);
    Sheet a = makeSheet(&rng, 6, 0, 0), b = makeSheet(&rng, 5, 0, 0);
    const grzLeafTrianglesDef def = grzDefaultLeafTrianglesDef();
    grzLeafTrianglesQuery query = grzDefaultLeafTrianglesQuery();
    grzLeafTriangles* triangles;
    ok(grzLeafTriangles_Create(&def, &triangles));
    const grzLeafTrianglesSide good = {.bvh = a.bvh, .plan = a.plan, .time = FRAMES - 1};
    grzLeafTrianglesSide bad[4] = {good, good, good, good};
    query.a = good;
    ok(grzLeafTriangles_Find(triangles, NULL, &query));
    bad[0].time = FRAMES;
    bad[1].positions = a.positions;
    bad[2].endPositions = a.positions;
    bad[3].plan = b.plan;
    for (int i = 0; i < 4; ++i) {
        query.a = bad[i];
        assert_int_equal(grzLeafTriangles_Find(triangles, NULL, &query).status, grz_badArgument);
    }
    grzLeafTriangles_Destroy(triangles);
    dropSheet(&a), dropSheet(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_meshes),
        cmocka_unit_test(large_meshes),
        cmocka_unit_test(paths),
        cmocka_unit_test(refuses_plans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
