// Plans, hierarchies that are edited, and the trees that follow them, whose memory is refused at any request: a refused call changes
// nothing, and those after it find what they would have found.
#include "kinetic_testing.h"

#include "graze/graze.h"
#include "refusal_testing.h"

static Scene g_scene; // a sheet and its keyframes

static void noteBox(grzBox box) {
    noteBytes(&box, sizeof box);
}

typedef struct Moving {
    grzBvh* bvh;
    grzFlightplan* plan;
    grzKineticTree* kinetic;
    grzBoxTree* boxTree;
    grzChordTree* chord;
    grzUpkeep* upkeep;
    float* frames[FRAMES]; // with vertices that come behind the scene's
    uint32_t vertexCount;  // of the plan
} Moving;

static bool beginMoving(Moving* moving, grzFlightplanKind kind) {
    memset(moving, 0, sizeof *moving);
    moving->vertexCount = g_scene.vertexCount;
    grzBvhDef bvh = grzDefaultBvhDef();
    bvh.positions = g_scene.frames[0], bvh.vertexCount = g_scene.vertexCount;
    bvh.triangles = g_scene.triangles, bvh.triangleCount = g_scene.triangleCount;
    bvh.allocator = refusingAllocator();
    grzResult result = MAKE(&moving->bvh, grzBvh_Create(&bvh, &moving->bvh), true);
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.kind = kind, def.vertexCount = g_scene.vertexCount;
    def.positions = g_scene.frames[0], def.velocities = g_scene.velocities;
    def.allocator = refusingAllocator();
    if (grzResult_IsOk(result))
        result = MAKE(&moving->plan, grzFlightplan_Create(&def, &moving->plan), true);
    for (int f = 0; kind == grz_planKeyframes && f < FRAMES && grzResult_IsOk(result); ++f)
        result = CALL(grzFlightplan_AddKeyframe(moving->plan, f, g_scene.frames[f], 0),
                      grzFlightplan_Validate(moving->plan));
    return grzResult_IsOk(result);
}

static void endMoving(Moving* moving) {
    grzUpkeep_Destroy(moving->upkeep);
    grzChordTree_Destroy(moving->chord);
    grzBoxTree_Destroy(moving->boxTree);
    grzKineticTree_Destroy(moving->kinetic);
    grzFlightplan_Destroy(moving->plan);
    grzBvh_Destroy(moving->bvh);
}

// A few new triangles with new corners, many times as many the second time.
static void edit(Moving* moving, uint32_t first, uint32_t count) {
    enum { most = 400 };
    uint32_t added[3 * most];
    static const uint32_t removed[3] = {2, 7, 5};
    for (uint32_t i = 0; i < count; ++i) {
        added[3 * i] = first != 0 ? first + i % 4 : i % 9;
        added[3 * i + 1] = i % g_scene.vertexCount, added[3 * i + 2] = (i + 1) % g_scene.vertexCount;
    }
    const grzBvhEdit bvhEdit = {.newVertexCount = first != 0 ? 4 : 0,
                                .removed = removed,
                                .removedCount = 3,
                                .added = added,
                                .addedCount = count};
    (void)CALL(grzBvh_Edit(moving->bvh, &bvhEdit), grzBvh_Validate(moving->bvh));
    const grzBvhView view = grzBvh_GetView(moving->bvh);
    noteOutcome(view.triangleCount);
    noteOutcome(grzBvh_LastEdit(moving->bvh).moveCount);
}

static grzFlightplanChange someChange(void) {
    static const uint32_t vertices[4] = {3, 9, 4, 11};
    return (grzFlightplanChange){vertices, 4, g_scene.frames[1], g_scene.velocities, NULL};
}

static void noteKinetic(const Moving* moving) {
    const grzBvhView view = grzBvh_GetView(moving->bvh);
    for (uint32_t level = 0; level < view.levelCount; ++level)
        noteBox(grzKineticTree_Box(moving->kinetic, level, 0));
}

static void kineticPaths(grzKineticOrder order) {
    Moving moving;
    if (beginMoving(&moving, grz_planPaths)) {
        grzKineticTreeDef def = grzDefaultKineticTreeDef();
        def.bvh = moving.bvh, def.plan = moving.plan, def.order = order;
        def.allocator = refusingAllocator();
        (void)MAKE(&moving.kinetic, grzKineticTree_Create(&def, &moving.kinetic), true);
    }
    for (int i = 0; moving.kinetic != NULL && i < 3; ++i) {
        const double time = 0.25 * (i + 1);
        const grzFlightplanChange change = someChange();
        (void)CALL(grzKineticTree_Advance(moving.kinetic, NULL, time), grzKineticTree_Validate(moving.kinetic));
        (void)CALL(grzKineticTree_Change(moving.kinetic, NULL, time, &change),
                   grzKineticTree_Validate(moving.kinetic));
        noteKinetic(&moving);
        uint32_t first = 0;
        (void)CALL(grzFlightplan_AddVertices(moving.plan, time, &change, &first),
                   grzFlightplan_Validate(moving.plan));
        noteOutcome(first);
        if (first != 0)
            edit(&moving, first, i == 1 ? 200 : 5);
        grzResult result = {0};
        for (int k = 0; k < 9; ++k) { // "to be asked again"
            result = CALL(grzKineticTree_Follow(moving.kinetic, NULL), true);
            if (result.status != grz_outOfMemory)
                break;
        }
        if (grzResult_IsOk(result))
            noteKinetic(&moving);
    }
    endMoving(&moving);
}

static void orderedPaths(void) {
    kineticPaths(grz_kineticOrdered);
}

static void batchedPaths(void) {
    kineticPaths(grz_kineticBatched);
}

static void boxTree(void) {
    Moving moving;
    if (beginMoving(&moving, grz_planPaths)) {
        grzBoxTreeDef def = grzDefaultBoxTreeDef();
        def.plan = moving.plan, def.triangles = g_scene.triangles, def.triangleCount = g_scene.triangleCount;
        def.allocator = refusingAllocator();
        (void)MAKE(&moving.boxTree, grzBoxTree_Create(&def, &moving.boxTree), true);
    }
    for (int i = 0; moving.boxTree != NULL && i < 4; ++i) {
        const double time = 0.25 * (i + 1);
        const grzFlightplanChange change = someChange();
        uint32_t first = 0, number = 0;
        (void)CALL(grzBoxTree_AddVertices(moving.boxTree, time, &change, &first),
                   grzBoxTree_Validate(moving.boxTree));
        const uint32_t removed[2] = {(uint32_t)i, (uint32_t)i + 9};
        const grzBoxTreeEdit some = {removed, 2, g_scene.triangles, i == 2 ? g_scene.triangleCount : 9};
        (void)CALL(grzBoxTree_Edit(moving.boxTree, time, &some, &number), grzBoxTree_Validate(moving.boxTree));
        (void)CALL(grzBoxTree_Change(moving.boxTree, time, &change), grzBoxTree_Validate(moving.boxTree));
        (void)CALL(grzBoxTree_Advance(moving.boxTree, time + 0.1), grzBoxTree_Validate(moving.boxTree));
        noteOutcome((uint64_t)first << 32 | number);
        noteBox(grzBoxTree_RootBox(moving.boxTree));
        noteOutcome(grzBoxTree_GetView(moving.boxTree).triangleCount);
    }
    endMoving(&moving);
}

static void chordTrees(void) {
    for (int isLazy = 0; isLazy < 2; ++isLazy) {
        Moving moving;
        if (beginMoving(&moving, grz_planKeyframes)) {
            grzChordTreeDef def = grzDefaultChordTreeDef();
            def.bvh = moving.bvh, def.plan = moving.plan, def.isLazy = isLazy != 0;
            def.looseness = 0.05f;
            def.allocator = refusingAllocator();
            (void)MAKE(&moving.chord, grzChordTree_Create(&def, &moving.chord), true);
        }
        for (int i = 0; moving.chord != NULL && i < 4; ++i) {
            (void)CALL(grzChordTree_Advance(moving.chord, NULL, 0.75 * i), grzChordTree_Validate(moving.chord));
            edit(&moving, 0, i == 1 ? 200 : 3 * ((uint32_t)i % 2));
            grzResult result = {0};
            for (int k = 0; k < 9; ++k) {
                result = CALL(grzChordTree_Follow(moving.chord, NULL), true);
                if (result.status != grz_outOfMemory)
                    break;
            }
            noteBox(grzChordTree_RootBox(moving.chord));
        }
        endMoving(&moving);
    }
}

static void useUpkeep(Moving* moving, bool isPaths) {
    static uint32_t found[1024];
    const grzFlightplanChange change = someChange();
    for (int i = 0; i < 12; ++i) {
        const double time = 0.3 * i;
        if (isPaths && i % 3 == 2)
            (void)CALL(grzUpkeep_Change(moving->upkeep, NULL, time, &change), true);
        if (!grzResult_IsOk(CALL(grzUpkeep_Advance(moving->upkeep, NULL, time, NULL), true)))
            continue;
        size_t count = 0;
        const grzBox box = grzBox_Make(grzVec3_Splat(-2), grzVec3_Splat(4));
        if (grzResult_IsOk(CALL(grzUpkeep_FindInBox(moving->upkeep, box, found, 1024, &count), true)))
            noteBytes(found, count * sizeof *found);
    }
}

static void noteCounters(grzProfile* profile) {
    grzProfile_BeginStep(profile);
    const grzStepSummary* summary = grzProfile_EndStep(profile);
    noteOutcome(summary->counterCount);
}

static void upkeeps(void) {
    grzProfile* profile;
    grzProfileDef profileDef = grzDefaultProfileDef();
    profileDef.zoneCapacity = 64, profileDef.stepCapacity = 4;
    profileDef.allocator = refusingAllocator();
    (void)MAKE(&profile, grzProfile_Create(&profileDef, &profile), true);
    static const uint32_t ways[] = {0, GRZ_UPKEEP_BIT(grz_upkeepRefit) | GRZ_UPKEEP_BIT(grz_upkeepBatched),
                                    GRZ_UPKEEP_BIT(grz_upkeepOrdered)};
    for (int i = 0; i < 6; ++i) {
        Moving moving;
        if (beginMoving(&moving, i % 2 == 0 ? grz_planKeyframes : grz_planPaths)) {
            grzUpkeepDef def = grzDefaultUpkeepDef();
            def.bvh = moving.bvh, def.plan = moving.plan, def.ways = ways[i / 2];
            def.frameLimit = (double)INFINITY;
            def.allocator = refusingAllocator();
            def.profile = profile;
            (void)MAKE(&moving.upkeep, grzUpkeep_Create(&def, &moving.upkeep), true);
            if (profile != NULL)
                noteCounters(profile);
        }
        if (moving.upkeep != NULL)
            useUpkeep(&moving, i % 2 != 0);
        endMoving(&moving);
    }
    grzProfile_Destroy(profile);
}

// ---- tests ----

static int makeSheet(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(5, 0);
    g_scene = makeScene(&rng, 6, waves);
    return 0;
}

static int dropSheet(void** state) {
    (void)state;
    dropScene(&g_scene);
    return 0;
}

#define SCRIPT_TEST(script)                                                                                        \
    static void test_##script(void** state) {                                                                      \
        (void)state;                                                                                               \
        testRefusals(&(RefusalScript){#script, script, 8});                                                        \
    }
SCRIPT_TEST(orderedPaths)
SCRIPT_TEST(batchedPaths)
SCRIPT_TEST(boxTree)
SCRIPT_TEST(chordTrees)
SCRIPT_TEST(upkeeps)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orderedPaths), cmocka_unit_test(test_batchedPaths), cmocka_unit_test(test_boxTree),
        cmocka_unit_test(test_chordTrees),   cmocka_unit_test(test_upkeeps),
    };
    return cmocka_run_group_tests(tests, makeSheet, dropSheet);
}
