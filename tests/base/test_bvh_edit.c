// Edits of hierarchies: after every one of thousands, from no triangles to many thousands and back, all promises of a view hold,
// the triangles are those of an array that is edited in plain words, and boxes that were refit where the edit says are those of
// a refit of everything; what is refused leaves every byte; memory refused at any request; a rebuild afterwards is a new build.
#include "bvh_testing.h"

#include "graze/bvh_edit.h"

// ---- a mesh in plain words ----

enum { MOST_TRIANGLES = 20000, MOST_VERTICES = 12000, MOST_ENTRIES = 20000 };

typedef struct Plain {
    uint32_t triangleCount, vertexCount;
    uint32_t triangles[3 * MOST_TRIANGLES];
    float positions[3 * MOST_VERTICES];
} Plain;

typedef struct Lists {
    uint32_t changed[MOST_ENTRIES], changedCorners[3 * MOST_ENTRIES], removed[MOST_ENTRIES],
        added[3 * MOST_ENTRIES];
    grzBvhEdit edit; // points into the above
} Lists;

typedef struct Scene {
    Plain plain;
    Lists lists;
    uint32_t own[3 * MOST_TRIANGLES]; // the host's array, kept by grzBvhEdit_Apply
    uint32_t order[MOST_TRIANGLES];
    bool isFree[MOST_TRIANGLES];
    grzBvh* bvh;
    grzBvhNode* nodes;
    uint32_t nodeCount;
    grzRng rng;
} Scene;

static void copyTriangle(uint32_t* to, size_t i, const uint32_t* from, size_t j) {
    memcpy(to + 3 * i, from + 3 * j, 3 * sizeof *to);
}

// The rule of the header, with a flag for each number.
static void editPlain(Scene* scene) {
    Plain* plain = &scene->plain;
    const grzBvhEdit* edit = &scene->lists.edit;
    memset(scene->isFree, 0, sizeof scene->isFree);
    for (size_t i = 0; i < edit->changedCount; ++i)
        copyTriangle(plain->triangles, edit->changed[i], edit->changedCorners, i);
    for (size_t i = 0; i < edit->removedCount; ++i) {
        if (i < edit->addedCount)
            copyTriangle(plain->triangles, edit->removed[i], edit->added, i);
        else
            scene->isFree[edit->removed[i]] = true;
    }
    for (size_t i = edit->removedCount; i < edit->addedCount; ++i)
        copyTriangle(plain->triangles, plain->triangleCount++, edit->added, i);
    const uint32_t left = edit->removedCount > edit->addedCount
                              ? plain->triangleCount - (uint32_t)(edit->removedCount - edit->addedCount)
                              : plain->triangleCount;
    for (uint32_t from = left, to = 0; from < plain->triangleCount; ++from) {
        if (scene->isFree[from])
            continue;
        while (!scene->isFree[to])
            ++to;
        copyTriangle(plain->triangles, to++, plain->triangles, from);
    }
    plain->triangleCount = left;
    plain->vertexCount += (uint32_t)edit->newVertexCount;
}

// ---- edits at random ----

static void drawCorners(Scene* scene, uint32_t vertexCount, uint32_t* corners) {
    // Mostly neighbours, now and then the last vertex or any.
    const uint32_t base = grzRng_Below(&scene->rng, vertexCount);
    for (uint32_t k = 0; k < 3; ++k) {
        const uint32_t kind = grzRng_Below(&scene->rng, 8);
        corners[k] = kind == 0   ? vertexCount - 1
                     : kind == 1 ? grzRng_Below(&scene->rng, vertexCount)
                                 : (base + grzRng_Below(&scene->rng, 4)) % vertexCount;
    }
}

static void drawEdit(Scene* scene, uint32_t changed, uint32_t removed, uint32_t added, uint32_t vertices) {
    Lists* lists = &scene->lists;
    Plain* plain = &scene->plain;
    assert_true(removed <= plain->triangleCount && plain->vertexCount + vertices <= MOST_VERTICES);
    const uint32_t count = plain->vertexCount + vertices;
    for (uint32_t i = 0; i < 3 * vertices; ++i)
        plain->positions[3 * plain->vertexCount + i] = 2 * grzRng_Float(&scene->rng) - 1;
    changed = plain->triangleCount == 0 || count == 0 ? 0 : changed;
    for (uint32_t i = 0; i < changed; ++i) {
        lists->changed[i] = grzRng_Below(&scene->rng, plain->triangleCount);
        drawCorners(scene, count, lists->changedCorners + 3 * i);
    }
    for (uint32_t i = 0; i < plain->triangleCount; ++i)
        scene->order[i] = i;
    for (uint32_t i = 0; i < removed; ++i) {
        const uint32_t k = i + grzRng_Below(&scene->rng, plain->triangleCount - i), drawn = scene->order[k];
        scene->order[k] = scene->order[i];
        lists->removed[i] = scene->order[i] = drawn;
    }
    for (uint32_t i = 0; i < added; ++i)
        drawCorners(scene, count, lists->added + 3 * i);
    lists->edit = (grzBvhEdit){.newVertexCount = vertices,
                               .changed = lists->changed,
                               .changedCorners = lists->changedCorners,
                               .changedCount = changed,
                               .removed = lists->removed,
                               .removedCount = removed,
                               .added = lists->added,
                               .addedCount = added};
}

// ---- what is checked ----

static void expectTriangles(const Scene* scene) {
    const grzBvhView view = grzBvh_GetView(scene->bvh);
    assert_int_equal(view.triangleCount, scene->plain.triangleCount);
    assert_int_equal(view.vertexCount, scene->plain.vertexCount);
    for (uint32_t t = 0; t < view.triangleCount; ++t)
        for (size_t k = 0; k < 3; ++k)
            assert_int_equal(view.vertexToCaller[view.triangles[3 * (size_t)t + k]],
                             scene->plain.triangles[3 * (size_t)view.triangleToCaller[t] + k]);
}

static void* copyOf(const void* from, size_t size) {
    void* to = malloc(size != 0 ? size : 1);
    assert_non_null(to);
    return size != 0 ? memcpy(to, from, size) : to;
}

// Positions are to the byte, so that a sanitizer sees a read behind them.
static void expectBoxes(Scene* scene, grzBvhNumbering numbering) {
    const grzBvhView view = grzBvh_GetView(scene->bvh);
    const grzBvhEdited edited = grzBvh_LastEdit(scene->bvh);
    float* positions = copyOf(scene->plain.positions, view.vertexCount * 3 * sizeof(float));
    if (numbering == grz_bvhTreesNumbers)
        for (uint32_t v = 0; v < view.vertexCount; ++v)
            memcpy(positions + 3 * (size_t)v, scene->plain.positions + 3 * (size_t)view.vertexToCaller[v], 12);
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = positions, refit.numbering = numbering;
    grzBvhNode* whole = testTakeNodes(scene->bvh);
    testOk(grzBvh_Refit(scene->bvh, NULL, &refit, whole));
    assert_true(grzBvh_ValidateBoxes(scene->bvh, &refit, whole));
    assert_int_equal(edited.isReshaped, view.nodeCount != scene->nodeCount);
    if (edited.isReshaped) {
        free(scene->nodes);
        scene->nodes = testTakeNodes(scene->bvh), scene->nodeCount = view.nodeCount;
    } else {
        refit.dirtyChunks = edited.chunks;
    }
    testOk(grzBvh_Refit(scene->bvh, NULL, &refit, scene->nodes));
    assert_memory_equal(scene->nodes, whole, view.nodeCount * sizeof *whole);
    free(whole);
    free(positions);
}

// The leaves that differ are told, each once, and their chunks are set and no others.
static void expectLeaves(const Scene* scene, const grzBvhView* before, const uint32_t* corners) {
    const grzBvhView view = grzBvh_GetView(scene->bvh);
    const grzBvhEdited edited = grzBvh_LastEdit(scene->bvh);
    unsigned char* isTold = calloc(view.leafCount + (size_t)1, 1);
    uint64_t* chunks = calloc(view.chunkCount / 64 + (size_t)1, sizeof *chunks);
    assert_true(isTold != NULL && chunks != NULL);
    for (uint32_t i = 0; i < edited.leafCount; ++i) {
        assert_true(edited.leaves[i] < view.leafCount && isTold[edited.leaves[i]] == 0);
        isTold[edited.leaves[i]] = 1;
        chunks[edited.leaves[i] / 4096] |= UINT64_C(1) << edited.leaves[i] / 64 % 64;
    }
    assert_memory_equal(chunks, edited.chunks, (view.chunkCount / 64 + (size_t)1) * sizeof *chunks);
    for (uint32_t t = 0; t < view.triangleCount; ++t) {
        const bool isSame =
            t < before->triangleCount &&
            memcmp(corners + 3 * (size_t)t, view.triangles + 3 * (size_t)t, 3 * sizeof *corners) == 0;
        assert_true(isSame || isTold[t / 4] == 1);
    }
    assert_true(view.triangleCount >= before->triangleCount || view.triangleCount == 0 ||
                isTold[view.leafCount - 1]);
    free(isTold), free(chunks);
}

static void edit(Scene* scene, uint32_t changed, uint32_t removed, uint32_t added, uint32_t vertices) {
    drawEdit(scene, changed, removed, added, vertices);
    const grzBvhView before = grzBvh_GetView(scene->bvh);
    uint32_t* corners = copyOf(before.triangles, 3 * (size_t)before.triangleCount * sizeof *corners);
    testOk(grzBvh_Edit(scene->bvh, &scene->lists.edit));
    const grzBvhEdited edited = grzBvh_LastEdit(scene->bvh);
    grzBvhEdit_Apply(&scene->lists.edit, &edited, scene->plain.triangleCount, scene->own);
    editPlain(scene);
    assert_memory_equal(scene->own, scene->plain.triangles,
                        3 * (size_t)scene->plain.triangleCount * sizeof *corners);
    assert_true(grzBvh_Validate(scene->bvh));
    expectTriangles(scene);
    expectLeaves(scene, &before, corners);
    expectBoxes(scene, (grzBvhNumbering)grzRng_Below(&scene->rng, 2));
    free(corners);
}

// ---- scenes ----

static Scene* makeScene(uint64_t seed, uint32_t vertexCount, grzAllocator allocator) {
    Scene* scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    scene->rng = grzRng_Make(seed, 0);
    scene->plain.vertexCount = vertexCount;
    for (uint32_t i = 0; i < 3 * vertexCount; ++i)
        scene->plain.positions[i] = 2 * grzRng_Float(&scene->rng) - 1;
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = scene->plain.positions, def.vertexCount = vertexCount, def.allocator = allocator;
    testOk(grzBvh_Create(&def, &scene->bvh));
    scene->nodes = testTakeNodes(scene->bvh), scene->nodeCount = 1;
    return scene;
}

static void dropScene(Scene* scene) {
    grzBvh_Destroy(scene->bvh);
    free(scene->nodes);
    free(scene);
}

// To a count of triangles, in one edit, with a few changed on the way.
static void goTo(Scene* scene, uint32_t count) {
    const uint32_t now = scene->plain.triangleCount, both = grzRng_Below(&scene->rng, 3);
    const uint32_t least = now < count ? now : count, common = both < least ? both : least;
    const uint32_t vertices = scene->plain.vertexCount + 3 < MOST_VERTICES ? grzRng_Below(&scene->rng, 3) : 0;
    edit(scene, grzRng_Below(&scene->rng, 4), common + (now > count ? now - count : 0),
         common + (count > now ? count - now : 0), vertices);
    assert_int_equal(scene->plain.triangleCount, count);
}

static const grzAllocator usual = {NULL, NULL, NULL};

static void everySizeIsPassedUpAndDown(void** state) {
    (void)state;
    static const uint32_t around[] = {64, 128, 256, 260, 512, 2048, 4096, 16384};
    Scene* scene = makeScene(testSeed(901), 3, usual);
    for (uint32_t count = 0; count < 40; ++count)
        goTo(scene, count);
    for (size_t i = 0; i < 8; ++i)
        for (uint32_t count = around[i] - 5; count < around[i] + 6; ++count)
            goTo(scene, count);
    for (size_t i = 8; i-- > 0;)
        for (uint32_t count = around[i] + 5; count > around[i] - 6; --count)
            goTo(scene, count);
    for (uint32_t count = 40; count-- > 0;)
        goTo(scene, count);
    goTo(scene, 300);
    dropScene(scene);
}

static void thousandsOfSmallEditsKeepEveryPromise(void** state) {
    (void)state;
    Scene* scene = makeScene(testSeed(902), 1, usual);
    for (int round = 0; round < 3000; ++round) {
        const bool grows = round % 1000 < 600;
        const uint32_t count = scene->plain.triangleCount, most = grows ? 2 : 8;
        uint32_t removed = grzRng_Below(&scene->rng, most);
        removed = removed < count ? removed : count;
        edit(scene, grzRng_Below(&scene->rng, 5), removed, grzRng_Below(&scene->rng, grows ? 6 : 3),
             grzRng_Below(&scene->rng, 8) == 0 ? grzRng_Below(&scene->rng, 4) : 0);
    }
    dropScene(scene);
}

static void anEditOfNothingTouchesNothing(void** state) {
    (void)state;
    Scene* scene = makeScene(testSeed(903), 5, usual);
    goTo(scene, 100);
    const grzBvhEdit none = {0};
    testOk(grzBvh_Edit(scene->bvh, &none));
    const grzBvhEdited edited = grzBvh_LastEdit(scene->bvh);
    assert_true(edited.leafCount == 0 && edited.moveCount == 0 && !edited.isReshaped && edited.chunks[0] == 0);
    expectTriangles(scene);
    dropScene(scene);
}

// Four vertices in a row, two triangles; the second gets a copy of the vertex that they share.
static void aVertexIsDoubled(void** state) {
    (void)state;
    const float positions[15] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0};
    const uint32_t triangles[6] = {0, 1, 2, 0, 1, 3};
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = positions, def.vertexCount = 4, def.triangles = triangles, def.triangleCount = 2;
    grzBvh* bvh;
    testOk(grzBvh_Create(&def, &bvh));
    assert_true(grzBvh_LastEdit(bvh).isReshaped && grzBvh_LastEdit(bvh).leafCount == 0);
    const uint32_t one = 1, corners[3] = {0, 4, 3};
    const grzBvhEdit edit = {.newVertexCount = 1, .changed = &one, .changedCorners = corners, .changedCount = 1};
    testOk(grzBvh_Edit(bvh, &edit));
    const grzBvhView view = grzBvh_GetView(bvh);
    assert_int_equal(view.vertexCount, 5);
    assert_int_equal(view.leafVertexCounts[0], 5);
    assert_int_equal(view.vertexToCaller[4], 4);
    assert_true(grzBvh_Validate(bvh));
    grzBvh_Destroy(bvh);
}

// ---- a rebuild afterwards ----

static void expectSameArrays(const grzBvh* one, const grzBvh* other) {
    const grzBvhView a = grzBvh_GetView(one), b = grzBvh_GetView(other);
    assert_memory_equal(a.levelStarts, b.levelStarts, sizeof a.levelStarts);
    assert_true(a.vertexCount == b.vertexCount && a.triangleCount == b.triangleCount && a.nodeCount == b.nodeCount);
    if (a.triangleCount == 0)
        return;
    assert_memory_equal(a.triangles, b.triangles, 3 * (size_t)a.triangleCount * sizeof *a.triangles);
    assert_memory_equal(a.triangleToCaller, b.triangleToCaller, a.triangleCount * sizeof *a.triangleToCaller);
    assert_memory_equal(a.vertexToCaller, b.vertexToCaller, a.vertexCount * sizeof *a.vertexToCaller);
    assert_memory_equal(a.vertexFromCaller, b.vertexFromCaller, a.vertexCount * sizeof *a.vertexFromCaller);
    assert_memory_equal(a.leafVertices, b.leafVertices, 8 * (size_t)a.leafCount * sizeof *a.leafVertices);
    assert_memory_equal(a.leafVertexCounts, b.leafVertexCounts, a.leafCount);
}

static void aRebuildAfterwardsIsANewBuild(void** state) {
    (void)state;
    static const uint32_t counts[] = {0, 7, 300, 40, 5000, 4999, 0};
    Scene* scene = makeScene(testSeed(904), 9, usual);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        goTo(scene, counts[i]);
        goTo(scene, counts[i] + 3);
        grzBvhDef def = grzDefaultBvhDef();
        def.positions = scene->plain.positions, def.vertexCount = scene->plain.vertexCount;
        def.triangles = scene->plain.triangles, def.triangleCount = scene->plain.triangleCount;
        grzBvh* fresh;
        testOk(grzBvh_Create(&def, &fresh));
        testOk(grzBvh_Rebuild(scene->bvh, &def));
        assert_true(grzBvh_Validate(scene->bvh));
        expectSameArrays(scene->bvh, fresh);
        assert_true(grzBvh_LastEdit(scene->bvh).isReshaped);
        free(scene->nodes);
        scene->nodes = testTakeNodes(scene->bvh), scene->nodeCount = grzBvh_GetView(scene->bvh).nodeCount;
        grzBvhRefit refit = grzDefaultBvhRefit();
        refit.positions = scene->plain.positions, refit.numbering = grz_bvhCallersNumbers;
        testOk(grzBvh_Refit(scene->bvh, NULL, &refit, scene->nodes));
        grzBvh_Destroy(fresh);
    }
    dropScene(scene);
}

// ---- what is refused ----

// All that a view shows.
static uint64_t digestOf(const grzBvh* bvh) {
    const grzBvhView view = grzBvh_GetView(bvh);
    const grzBvhEdited edited = grzBvh_LastEdit(bvh);
    uint64_t digest = 1469598103934665603u;
    const void* arrays[] = {view.triangles,    view.triangleToCaller, view.vertexToCaller,   view.vertexFromCaller,
                            view.leafVertices, view.moreVertices,     view.leafVertexCounts, edited.leaves,
                            edited.moves,      edited.chunks};
    const size_t sizes[] = {view.triangleCount * (size_t)12,
                            view.triangleCount * (size_t)4,
                            view.vertexCount * (size_t)4,
                            view.vertexCount * (size_t)4,
                            view.leafCount * (size_t)32,
                            view.leafCount * (size_t)16,
                            view.leafCount,
                            edited.leafCount * (size_t)4,
                            edited.moveCount * (size_t)8,
                            edited.chunks != NULL ? (view.chunkCount / 64 + (size_t)1) * 8 : 0};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
        for (size_t k = 0; k < sizes[i]; ++k)
            digest = (digest ^ ((const unsigned char*)arrays[i])[k]) * 1099511628211u;
    return digest + view.nodeCount + view.triangleCount;
}

static void expectRefused(Scene* scene, const grzBvhEdit* bad, grzStatus status, uint64_t index, uint64_t value) {
    const uint64_t before = digestOf(scene->bvh);
    const grzResult result = grzBvh_Edit(scene->bvh, bad);
    assert_int_equal(result.status, status);
    assert_int_equal(result.index, index);
    assert_int_equal(result.value, value);
    assert_true(digestOf(scene->bvh) == before && grzBvh_Validate(scene->bvh));
}

static void badEditsAreRefusedWhole(void** state) {
    (void)state;
    Scene* scene = makeScene(testSeed(905), 6, usual);
    goTo(scene, 50);
    scene->lists.edit.newVertexCount = 0;
    const uint32_t vertices = scene->plain.vertexCount;
    expectRefused(scene, NULL, grz_badArgument, 0, 2);
    grzBvhEdit bad = {.changedCount = 1};
    expectRefused(scene, &bad, grz_badArgument, 0, 2);
    bad = (grzBvhEdit){.removedCount = 1};
    expectRefused(scene, &bad, grz_badArgument, 0, 2);
    bad = (grzBvhEdit){.addedCount = 1};
    expectRefused(scene, &bad, grz_badArgument, 0, 2);
    const uint32_t numbers[4] = {3, 50, 7, 3}, corners[6] = {0, 1, 2, 2, 1, vertices + 1}, fine[3] = {3, 4, 3};
    bad = (grzBvhEdit){.changed = numbers, .changedCorners = corners, .changedCount = 2, .newVertexCount = 2};
    expectRefused(scene, &bad, grz_indexTooLarge, 1, 50);
    bad = (grzBvhEdit){.changed = fine, .changedCorners = corners, .changedCount = 2, .newVertexCount = 1};
    expectRefused(scene, &bad, grz_indexTooLarge, 1, vertices + 1);
    bad = (grzBvhEdit){.removed = numbers, .removedCount = 4};
    expectRefused(scene, &bad, grz_indexTooLarge, 1, 50);
    bad = (grzBvhEdit){.removed = fine, .removedCount = 3};
    expectRefused(scene, &bad, grz_badArgument, 2, 3);
    bad = (grzBvhEdit){.added = corners, .addedCount = 2};
    expectRefused(scene, &bad, grz_indexTooLarge, 1, vertices + 1);
    bad = (grzBvhEdit){.newVertexCount = GRZ_MESH_MAX_VERTICES};
    expectRefused(scene, &bad, grz_tooLarge, 0, (uint64_t)GRZ_MESH_MAX_VERTICES + vertices);
    bad = (grzBvhEdit){.newVertexCount = SIZE_MAX};
    expectRefused(scene, &bad, grz_tooLarge, 0, SIZE_MAX);
    bad = (grzBvhEdit){.added = corners, .addedCount = GRZ_MESH_MAX_TRIANGLES};
    expectRefused(scene, &bad, grz_tooLarge, 0, (uint64_t)GRZ_MESH_MAX_TRIANGLES + 50);
    dropScene(scene);
}

// From nothing, and once more from a middle size: each request of an edit in turn is the first that is refused.
static void memoryMayBeRefusedAtAnyRequest(void** state) {
    (void)state;
    TestMemory memory = {.failAt = SIZE_MAX};
    Scene* scene = makeScene(testSeed(906), 4, testAllocator(&memory));
    size_t refusals = 0;
    for (int step = 0; step < 4; ++step) {
        static const uint32_t counts[4][2] = {{0, 90}, {10, 400}, {300, 20}, {20, 6000}};
        drawEdit(scene, 3, counts[step][0], counts[step][1], 50);
        for (size_t k = 0;; k = 1) { // what an earlier try took stays taken, so each comes one request further
            const uint64_t before = digestOf(scene->bvh);
            memory.failAt = memory.requests + k;
            const grzResult result = grzBvh_Edit(scene->bvh, &scene->lists.edit);
            memory.failAt = SIZE_MAX;
            assert_true(grzBvh_Validate(scene->bvh));
            if (grzResult_IsOk(result))
                break;
            assert_int_equal(result.status, grz_outOfMemory);
            assert_true(digestOf(scene->bvh) == before);
            ++refusals;
        }
        editPlain(scene);
        expectTriangles(scene);
    }
    assert_true(refusals >= 12);
    dropScene(scene);
    assert_int_equal(memory.liveCount, 0);
}

// Whatever room there is left from before, equal edits of equal hierarchies have equal outcomes.
static void theOutcomeDependsOnTheEditsAlone(void** state) {
    (void)state;
    const uint64_t seed = testSeed(907);
    Scene *one = makeScene(seed, 9, usual), *other = makeScene(seed, 9, usual);
    drawEdit(other, 0, 0, 3000, 0);
    testOk(grzBvh_Edit(other->bvh, &other->lists.edit));
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = other->plain.positions, def.vertexCount = 9;
    testOk(grzBvh_Rebuild(other->bvh, &def));
    other->rng = one->rng;
    for (uint32_t count = 0; count < 500; count += 7) {
        goTo(one, count), goTo(other, count);
        assert_true(digestOf(one->bvh) == digestOf(other->bvh));
    }
    dropScene(one), dropScene(other);
}

static void boxesAreTheSameAtEveryLevel(void** state) {
    (void)state;
    Scene* scene = makeScene(testSeed(908), 40, usual);
    const grzSimdLevel before = grzSimd_Level();
    for (uint32_t round = 0; round < 40; ++round)
        for (uint32_t level = 0; level < 32; ++level) {
            if ((grzSimd_SupportedBits() >> level & 1) == 0)
                continue;
            grzSimd_Force((grzSimdLevel)level);
            goTo(scene, grzRng_Below(&scene->rng, 600));
        }
    grzSimd_Force(before);
    dropScene(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everySizeIsPassedUpAndDown),     cmocka_unit_test(thousandsOfSmallEditsKeepEveryPromise),
        cmocka_unit_test(anEditOfNothingTouchesNothing),  cmocka_unit_test(aVertexIsDoubled),
        cmocka_unit_test(aRebuildAfterwardsIsANewBuild),  cmocka_unit_test(badEditsAreRefusedWhole),
        cmocka_unit_test(memoryMayBeRefusedAtAnyRequest), cmocka_unit_test(theOutcomeDependsOnTheEditsAlone),
        cmocka_unit_test(boxesAreTheSameAtEveryLevel),
    };
    return cmocka_run_group_tests_name("bvh_edit", tests, NULL, NULL);
}
