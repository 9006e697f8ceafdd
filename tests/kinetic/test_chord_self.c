// Chord pairs of one tree with itself, culled: triangles without a common vertex that intersect, by an exact test of all of them, are of an
// active pair of leaves, at keyframes, where the plan has vertices between, and where a host rounds them; all impacts of each interval,
// found by a search of its own, come from the pairs; at keyframes the pairs are those of box pairs with a self cull of the interval. On
// sheets that fold, roll up, pass through themselves and touch themselves. With steps, jumps, keyframes that go, strides, edits, lazy
// trees and refused memory; the same bytes for any workers and at every level.
#include "kinetic_testing.h"

#include <math.h>

#include "graze/bvh_edit.h"
#include "graze/ccd_step.h"
#include "graze/stage/leaf_triangles.h"
#include "graze/tri_tri.h"
#include "simd_dispatch.h"

// ---- sheets that fold ----

// Numbers with few bits, so that much meets exactly.
static float coarse(float x) {
    return floorf(64 * x + 0.5F) / 64;
}

static float jitter(grzRng* rng, float size) {
    return size * (2 * grzRng_Float(rng) - 1);
}

typedef void FoldFn(grzRng* rng, float u, float v, int frame, float p[3]);

// Layers upon each other, nearer from keyframe to keyframe, until they touch and pass.
static void accordion(grzRng* rng, float u, float v, int frame, float p[3]) {
    const float fold = 4 * u, part = fold - floorf(fold);
    p[0] = coarse(fmodf(fold, 2) < 1 ? part : 1 - part), p[1] = coarse(v);
    p[2] = coarse(0.5F * u * (float)(3 - frame)) + (frame == 2 ? coarse(jitter(rng, 0.03F)) : 0);
}

// Faces one way and runs over itself.
static void spiral(grzRng* rng, float u, float v, int frame, float p[3]) {
    const float angle = 9 * u, radius = 0.3F + 0.25F * v + 0.02F * (float)(4 - frame) * angle;
    (void)rng;
    p[0] = radius * cosf(angle + 0.5F * (float)frame), p[1] = radius * sinf(angle + 0.5F * (float)frame), p[2] = 0;
}

// Nearly flat, with corners that may cross others: free here, not free there.
static void crumpled(grzRng* rng, float u, float v, int frame, float p[3]) {
    const float size = 0.02F * (float)frame;
    p[0] = coarse(u + jitter(rng, size)), p[1] = coarse(v + jitter(rng, size)), p[2] = coarse(jitter(rng, 0.1F));
}

// Both sides of the middle touch without a common vertex, flat at some keyframes.
static void seam(grzRng* rng, float u, float v, int frame, float p[3]) {
    (void)rng;
    p[0] = coarse(u < 0.5F ? u : u - 0.1F), p[1] = coarse(v);
    p[2] = frame % 2 == 0 ? 0 : coarse(0.3F * fabsf(u - 0.5F));
}

// A roll that closes and opens.
static void roll(grzRng* rng, float u, float v, int frame, float p[3]) {
    const float angle = (2 + 2 * (float)frame) * u;
    p[0] = (0.3F + 0.02F * u) * sinf(angle) + jitter(rng, 0.002F), p[1] = v;
    p[2] = (0.3F + 0.02F * u) * cosf(angle) + jitter(rng, 0.002F);
}

static FoldFn* const folds[] = {accordion, spiral, crumpled, seam, roll};
enum { FOLDS = sizeof folds / sizeof folds[0], SIDE = 14 };

// Far away numbers of vertices between keyframes lose bits.
static Scene makeFold(grzRng* rng, uint32_t side, FoldFn* fold, float offset) {
    Scene scene = makeScene(rng, side, waves);
    for (int f = 0; f < FRAMES; ++f)
        for (uint32_t i = 0; i < scene.vertexCount; ++i) {
            float* p = scene.frames[f] + 3 * (size_t)i;
            const float last = (float)(side - 1);
            fold(rng, (float)(i / side) / last, (float)(i % side) / last, f, p);
            for (int axis = 0; axis < 3; ++axis)
                p[axis] += offset;
        }
    return scene;
}

// ---- what is tested ----

typedef struct Search {
    const Scene* scene;
    grzFlightplan* plan;
    grzChordTree* tree;
    grzChordPairs* pairs;
    grzLeafTriangles* triangles;
    float* positions;
} Search;

static grzChordTree* makeTree(const Scene* scene, grzFlightplan* plan, bool isLazy) {
    grzChordTreeDef def = grzDefaultChordTreeDef();
    def.bvh = scene->bvh, def.plan = plan, def.isLazy = isLazy, def.readyBy = 0.3F;
    grzChordTree* tree;
    ok(grzChordTree_Create(&def, &tree));
    return tree;
}

static grzChordPairs* makePairs(const grzChordTree* tree, bool culls, grzTasks* tasks) {
    grzChordPairsDef def = grzDefaultChordPairsDef();
    def.treeA = def.treeB = tree, def.cullsSelf = culls, def.tasks = tasks;
    grzChordPairs* pairs;
    ok(grzChordPairs_Create(&def, &pairs));
    return pairs;
}

static Search makeSearchOf(const Scene* scene, grzFlightplan* plan) {
    const grzLeafTrianglesDef def = grzDefaultLeafTrianglesDef();
    Search search = {.scene = scene, .plan = plan, .tree = makeTree(scene, plan, false)};
    search.pairs = makePairs(search.tree, true, NULL);
    ok(grzLeafTriangles_Create(&def, &search.triangles));
    search.positions = takeNumbers(3 * (size_t)scene->vertexCount);
    return search;
}

static Search makeSearch(const Scene* scene) {
    return makeSearchOf(scene, planFrames(scene, FRAMES));
}

static void dropSearch(Search* search) {
    free(search->positions);
    grzLeafTriangles_Destroy(search->triangles);
    grzChordPairs_Destroy(search->pairs);
    grzChordTree_Destroy(search->tree);
    grzFlightplan_Destroy(search->plan);
}

static void advance(const Search* search, double time) {
    ok(grzChordTree_Advance(search->tree, NULL, time));
    ok(grzChordPairs_Advance(search->pairs, NULL));
    assert_true(grzChordPairs_Validate(search->pairs));
}

// ---- triangles that intersect ----

static bool shareVertex(const uint32_t* a, const uint32_t* b) {
    for (int i = 0; i < 9; ++i)
        if (a[i / 3] == b[i % 3])
            return true;
    return false;
}

static bool intersect(const Search* search, uint32_t i, uint32_t j) {
    const uint32_t* both[2] = {search->scene->triangles + 3 * (size_t)i, search->scene->triangles + 3 * (size_t)j};
    grzVec3 corners[2][3];
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < 3; ++k)
            corners[side][k] = grzVec3_Load(search->positions + 3 * (size_t)both[side][k]);
    return !shareVertex(both[0], both[1]) && grzTriTri_Classify(corners[0], corners[1]) != grz_triNone;
}

// The caller's triangles of all active pairs of leaves, looked at where the positions are.
static grzLeafTrianglesView findTriangles(const Search* search) {
    const grzChordPairsView view = grzChordPairs_GetView(search->pairs);
    grzLeafPair* active = malloc((view.activeCount + 1) * sizeof *active);
    assert_non_null(active);
    grzChordPairs_Write(search->pairs, active);
    grzLeafTrianglesQuery query = grzDefaultLeafTrianglesQuery();
    query.pairs = active, query.count = view.activeCount;
    query.a = (grzLeafTrianglesSide){
        .bvh = search->scene->bvh, .numbering = grz_bvhCallersNumbers, .positions = search->positions};
    ok(grzLeafTriangles_Find(search->triangles, NULL, &query));
    free(active);
    return grzLeafTriangles_GetView(search->triangles);
}

// All that intersect are among those that are found, of which none share a vertex. Returns how many intersect.
static size_t expectIntersecting(const Search* search) {
    const Scene* scene = search->scene;
    const grzLeafTrianglesView found = findTriangles(search);
    size_t at = 0, count = 0;
    for (uint32_t i = 0; i < scene->triangleCount; ++i)
        for (uint32_t j = i + 1; j < scene->triangleCount; ++j) {
            const bool isFound =
                at < found.count && found.pairs[at].triangleA == i && found.pairs[at].triangleB == j;
            at += isFound;
            assert_false(isFound &&
                         shareVertex(scene->triangles + 3 * (size_t)i, scene->triangles + 3 * (size_t)j));
            if (!intersect(search, i, j))
                continue;
            ++count;
            if (!isFound)
                fail_msg("triangles %u and %u intersect and are not found", i, j);
        }
    assert_int_equal(at, found.count);
    return count;
}

// Where the plan has vertices, and where a host that computes in float has them.
static size_t checkTime(const Search* search, double time) {
    const float part = (float)(time - floor(time));
    const float *from = search->scene->frames[(int)time], *to = search->scene->frames[(int)ceil(time)];
    ok(grzFlightplan_Evaluate(search->plan, NULL, time, search->positions, 0));
    const size_t count = expectIntersecting(search);
    for (uint32_t i = 0; i < 3 * search->scene->vertexCount; ++i)
        search->positions[i] = (1 - part) * from[i] + part * to[i];
    return count + expectIntersecting(search);
}

static void whatIntersectsIsFound(void** state) {
    (void)state;
    static const float offsets[] = {0, 100, 4000};
    grzRng rng = grzRng_Make(testSeed(951), 0);
    for (int k = 0; k < FOLDS; ++k)
        for (int o = 0; o < 3; ++o) {
            Scene scene = makeFold(&rng, SIDE, folds[k], offsets[o]);
            Search search = makeSearch(&scene);
            size_t count = 0;
            for (int step = 0; step <= 4 * (FRAMES - 1); ++step) {
                advance(&search, 0.25 * step);
                count += checkTime(&search, 0.25 * step);
            }
            for (int step = 0; step < 6; ++step) { // jumps
                const double time = floor(1024 * (FRAMES - 1) * (double)grzRng_Float(&rng)) / 1024;
                advance(&search, time);
                count += checkTime(&search, time);
            }
            assert_true(count > 0);
            dropSearch(&search);
            dropScene(&scene);
        }
}

// ---- impacts ----

static grzCcdStep* makeStep(const Scene* scene) {
    grzMeshDef meshDef = grzDefaultMeshDef();
    grzCcdStepDef def = grzDefaultCcdStepDef();
    grzMesh* mesh;
    grzCcdStep* step;
    meshDef.positions = scene->frames[0], meshDef.vertexCount = scene->vertexCount;
    meshDef.indices = scene->triangles, meshDef.triangleCount = scene->triangleCount;
    ok(grzMesh_Create(&meshDef, &mesh));
    def.meshA = mesh, def.decidesPairs = true;
    ok(grzCcdStep_Create(&def, &step));
    grzMesh_Destroy(mesh);
    return step;
}

// Those of the pairs of the piece are all there are, with their times.
static size_t expectImpacts(const Search* search, grzCcdStep* ours, grzCcdStep* all, int frame) {
    const grzChordPairsView leaves = grzChordPairs_GetView(search->pairs);
    grzLeafTrianglesQuery list = grzDefaultLeafTrianglesQuery();
    grzCcdStepQuery query = grzDefaultCcdStepQuery();
    query.a.start = search->scene->frames[frame], query.a.end = search->scene->frames[frame + 1];
    query.depth = 20;
    list.pairs = leaves.pairs, list.count = leaves.count;
    list.a = (grzLeafTrianglesSide){.bvh = search->scene->bvh,
                                    .numbering = grz_bvhCallersNumbers,
                                    .positions = search->scene->frames[frame],
                                    .endPositions = search->scene->frames[frame + 1]};
    ok(grzLeafTriangles_Find(search->triangles, NULL, &list));
    const grzLeafTrianglesView found = grzLeafTriangles_GetView(search->triangles);
    const grzCcdStepPairs pairs = {found.pairs, (uint32_t)found.count};
    ok(grzCcdStep_Decide(ours, NULL, &query, &pairs));
    ok(grzCcdStep_Find(all, NULL, &query));
    const grzCcdStepView a = grzCcdStep_GetView(ours), b = grzCcdStep_GetView(all);
    assert_int_equal(a.count, b.count);
    if (a.count != 0)
        assert_memory_equal(a.impacts, b.impacts, a.count * sizeof *a.impacts);
    return a.count;
}

static void allImpactsComeFromThePairs(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(952), 0);
    for (int k = 0; k < FOLDS; ++k) {
        Scene scene = makeFold(&rng, 22, folds[k], k == 2 ? 1000 : 0);
        Search search = makeSearch(&scene);
        grzCcdStep *ours = makeStep(&scene), *all = makeStep(&scene);
        size_t count = 0;
        for (int frame = 0; frame + 1 < FRAMES; ++frame) {
            advance(&search, frame);
            count += expectImpacts(&search, ours, all, frame);
        }
        assert_true(count > 10);
        grzCcdStep_Destroy(ours), grzCcdStep_Destroy(all);
        dropSearch(&search);
        dropScene(&scene);
    }
}

// ---- what is left out ----

typedef struct BoxSearch {
    grzSelfCull* cull;
    grzBoxPairs* pairs;
    grzBvhNode* nodes;
} BoxSearch;

static BoxSearch makeBoxSearch(const Scene* scene) {
    grzSelfCullDef cullDef = grzDefaultSelfCullDef();
    grzBoxPairsDef def = grzDefaultBoxPairsDef();
    BoxSearch search;
    cullDef.bvh = scene->bvh;
    ok(grzSelfCull_Create(&cullDef, &search.cull));
    ok(grzBoxPairs_Create(&def, &search.pairs));
    search.nodes = calloc(grzBvh_GetView(scene->bvh).nodeCount, sizeof *search.nodes);
    assert_non_null(search.nodes);
    return search;
}

static void dropBoxSearch(BoxSearch* search) {
    free(search->nodes);
    grzBoxPairs_Destroy(search->pairs);
    grzSelfCull_Destroy(search->cull);
}

// Of boxes at the keyframe, and a cull of the interval that begins there.
static void expectBoxPairs(const Search* search, BoxSearch* boxes, int frame) {
    const Scene* scene = search->scene;
    grzBvhRefit refit = grzDefaultBvhRefit();
    grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
    refit.positions = scene->frames[frame], refit.numbering = grz_bvhCallersNumbers;
    ok(grzBvh_Refit(scene->bvh, NULL, &refit, boxes->nodes));
    ok(grzSelfCull_Update(boxes->cull, NULL, scene->frames[frame], scene->frames[frame + 1]));
    query.a = (grzBoxSet){scene->bvh, boxes->nodes}, query.cull = boxes->cull;
    ok(grzBoxPairs_Find(boxes->pairs, NULL, &query));
    const grzBoxPairsView wanted = grzBoxPairs_GetView(boxes->pairs);
    const grzChordPairsView view = grzChordPairs_GetView(search->pairs);
    grzLeafPair* active = malloc((view.activeCount + 1) * sizeof *active);
    assert_non_null(active);
    grzChordPairs_Write(search->pairs, active);
    assert_int_equal(view.activeCount, wanted.count);
    for (size_t i = 0; i < wanted.count; ++i)
        assert_true(active[i].leafA == wanted.pairs[i].leafA && active[i].leafB == wanted.pairs[i].leafB);
    free(active);
}

static void pairsAtKeyframesAreThoseOfBoxPairs(void** state) {
    (void)state;
    static const uint32_t sides[] = {2, 4, 9, 24, 60};
    grzRng rng = grzRng_Make(testSeed(953), 0);
    uint64_t triangles = 0, inFree = 0;
    for (int k = 0; k < FOLDS; ++k)
        for (size_t s = 0; s < sizeof sides / sizeof sides[0]; ++s) {
            Scene scene = makeFold(&rng, sides[s], folds[k], 0);
            Search search = makeSearch(&scene);
            BoxSearch boxes = makeBoxSearch(&scene);
            uint64_t expected = 0;
            for (int frame = 0; frame + 1 < FRAMES; ++frame) {
                advance(&search, frame);
                expectBoxPairs(&search, &boxes, frame);
                expected += grzSelfCull_GetStats(boxes.cull).freeTriangles;
            }
            const grzChordPairsStats stats = grzChordPairs_GetStats(search.pairs);
            assert_int_equal(stats.triangles, (FRAMES - 1) * scene.triangleCount);
            assert_int_equal(stats.freeTriangles, expected);
            triangles += stats.triangles, inFree += expected;
            dropBoxSearch(&boxes);
            dropSearch(&search);
            dropScene(&scene);
        }
    assert_true(4 * inFree > triangles && inFree < triangles);
}

// ---- keyframes and edits ----

// Each keyframe comes when it is due and goes when it has passed; the first interval is then that of a search of its own.
static void keyframesMayGo(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(954), 0);
    Scene scene = makeFold(&rng, SIDE, crumpled, 0);
    Search search = makeSearchOf(&scene, planFrames(&scene, 1));
    size_t count = 0;
    for (int frame = 1; frame < FRAMES; ++frame) {
        ok(grzFlightplan_AddKeyframe(search.plan, frame, scene.frames[frame], 0));
        for (int k = 1; k <= 4; ++k) {
            const double time = frame - 1 + 0.25 * k;
            advance(&search, time);
            grzFlightplan_DropKeyframes(search.plan, time);
            count += checkTime(&search, time);
        }
    }
    assert_true(count > 0);
    dropSearch(&search);
    dropScene(&scene);
}

// A hole is cut into the sheet, and triangles are put elsewhere: contours are other ones.
static void editsAreFollowed(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(955), 0);
    for (int k = 0; k < FOLDS; ++k) {
        Scene scene = makeFold(&rng, SIDE, folds[k], 0);
        Search search = makeSearch(&scene);
        uint32_t removed[20], added[12];
        advance(&search, 0.75); // the next piece is begun
        for (uint32_t i = 0; i < 20; ++i)
            removed[i] = 7 * i;
        for (uint32_t i = 0; i < 12; ++i)
            added[i] = grzRng_Below(&rng, scene.vertexCount);
        const grzBvhEdit edit = {.removed = removed, .removedCount = 20, .added = added, .addedCount = 4};
        ok(grzBvh_Edit(scene.bvh, &edit));
        const grzBvhEdited edited = grzBvh_LastEdit(scene.bvh);
        grzBvhEdit_Apply(&edit, &edited, scene.triangleCount, scene.triangles);
        scene.triangleCount = grzBvh_GetView(scene.bvh).triangleCount;
        assert_int_equal(grzChordPairs_Advance(search.pairs, NULL).status, grz_badArgument);
        ok(grzChordTree_Follow(search.tree, NULL));
        ok(grzChordPairs_Advance(search.pairs, NULL));
        BoxSearch boxes = makeBoxSearch(&scene);
        checkTime(&search, 0.75);
        for (int frame = 1; frame + 1 < FRAMES; ++frame) {
            advance(&search, frame);
            expectBoxPairs(&search, &boxes, frame);
            checkTime(&search, frame);
        }
        dropBoxSearch(&boxes);
        dropSearch(&search);
        dropScene(&scene);
    }
}

// ---- sameness ----

static void expectSamePairs(const grzChordPairs* a, const grzChordPairs* b) {
    const grzChordPairsView viewA = grzChordPairs_GetView(a), viewB = grzChordPairs_GetView(b);
    assert_int_equal(viewA.count, viewB.count);
    assert_int_equal(viewA.activeCount, viewB.activeCount);
    if (viewA.count == 0)
        return;
    assert_memory_equal(viewA.pairs, viewB.pairs, viewA.count * sizeof *viewA.pairs);
    assert_memory_equal(viewA.active, viewB.active, viewA.wordCount * sizeof *viewA.active);
}

// A plan whose vertices lie among other numbers, and in the hierarchy's order.
static void stridesAndNumberingsAreTheSame(void** state) {
    (void)state;
    enum { STRIDE = 5 };
    grzRng rng = grzRng_Make(testSeed(956), 0);
    Scene scene = makeFold(&rng, 24, crumpled, 0);
    const grzBvhView view = grzBvh_GetView(scene.bvh);
    Search search = makeSearch(&scene);
    grzFlightplan* plan = planFrames(&scene, 0);
    float* frames[FRAMES];
    for (int f = 0; f < FRAMES; ++f) {
        frames[f] = takeNumbers(STRIDE * (size_t)scene.vertexCount);
        for (uint32_t i = 0; i < scene.vertexCount; ++i)
            memcpy(frames[f] + STRIDE * (size_t)i, scene.frames[f] + 3 * (size_t)view.vertexToCaller[i],
                   3 * sizeof(float));
        ok(grzFlightplan_AddKeyframe(plan, f, frames[f], STRIDE * sizeof(float)));
    }
    grzChordTreeDef def = grzDefaultChordTreeDef();
    def.bvh = scene.bvh, def.plan = plan, def.numbering = grz_bvhTreesNumbers;
    grzChordTree* tree;
    ok(grzChordTree_Create(&def, &tree));
    grzChordPairs* pairs = makePairs(tree, true, NULL);
    for (int step = 0; step <= 4 * (FRAMES - 1); ++step) {
        advance(&search, 0.25 * step);
        ok(grzChordTree_Advance(tree, NULL, 0.25 * step));
        ok(grzChordPairs_Advance(pairs, NULL));
        expectSamePairs(search.pairs, pairs);
    }
    grzChordPairs_Destroy(pairs);
    grzChordTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
    for (int f = 0; f < FRAMES; ++f)
        free(frames[f]);
    dropSearch(&search);
    dropScene(&scene);
}

// Two keyframes begin at one address: the second with every other vertex of the first, and what lies behind it. A disc is crumpled.
static void keyframesAtOneAddressDiffer(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(959), 0);
    Scene scene = makeScene(&rng, 9, flat);
    float* both = takeNumbers(6 * (size_t)scene.vertexCount);
    for (uint32_t i = 0; i < 2 * scene.vertexCount; ++i) {
        const float x = 0.25F * (float)(i / 9) - 1, y = 0.25F * (float)(i % 9) - 1;
        const bool isDisc = i < scene.vertexCount;
        both[3 * i] = isDisc ? x * sqrtf(1 - y * y / 2.2F) : jitter(&rng, 1);
        both[3 * i + 1] = isDisc ? y * sqrtf(1 - x * x / 2.2F) : jitter(&rng, 1);
        both[3 * i + 2] = isDisc ? 0 : jitter(&rng, 1);
    }
    for (uint32_t i = 0; i < scene.vertexCount; ++i)
        for (int f = 0; f < 2; ++f)
            memcpy(scene.frames[f] + 3 * (size_t)i, both + 3 * (size_t)(f + 1) * i, 3 * sizeof(float));
    Search search = makeSearchOf(&scene, planFrames(&scene, 2));
    grzFlightplan* plan = planFrames(&scene, 0);
    for (int f = 0; f < 2; ++f)
        ok(grzFlightplan_AddKeyframe(plan, f, both, 3 * (size_t)(f + 1) * sizeof(float)));
    grzChordTree* tree = makeTree(&scene, plan, false);
    grzChordPairs* pairs = makePairs(tree, true, NULL);
    expectSamePairs(search.pairs, pairs);
    assert_true(grzChordPairs_GetView(pairs).count > 0);
    grzChordPairs_Destroy(pairs);
    grzChordTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
    free(both);
    dropSearch(&search);
    dropScene(&scene);
}

// Of a sheet that is free as a whole no chunk is made.
static void lazyTreesMakeNothingThatIsFree(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(957), 0);
    FoldFn* const two[2] = {crumpled, NULL};
    for (int k = 0; k < 2; ++k) {
        Scene scene = two[k] != NULL ? makeFold(&rng, 60, two[k], 0) : makeScene(&rng, 60, flat);
        Search search = makeSearch(&scene);
        grzChordTree* tree = makeTree(&scene, search.plan, true);
        grzChordPairs* pairs = makePairs(tree, true, NULL);
        for (int step = 0; step <= 4 * (FRAMES - 1); ++step) {
            advance(&search, 0.25 * step);
            ok(grzChordTree_Advance(tree, NULL, 0.25 * step));
            ok(grzChordPairs_Advance(pairs, NULL));
            expectSamePairs(search.pairs, pairs);
        }
        assert_int_equal(grzChordTree_GetStats(tree).chunks == 0, two[k] == NULL);
        assert_int_equal(grzChordPairs_GetView(pairs).count == 0, two[k] == NULL);
        grzChordPairs_Destroy(pairs);
        grzChordTree_Destroy(tree);
        dropSearch(&search);
        dropScene(&scene);
    }
}

static void expectSameAt(const Search* search, const grzChordPairs* usual, grzTasks* tasks, grzSimdLevel level) {
    const grzSimdLevel before = grzSimd_Force(level);
    grzChordPairs* pairs = makePairs(search->tree, true, tasks);
    grzSimd_Force(before);
    expectSamePairs(pairs, usual);
    grzChordPairs_Destroy(pairs);
}

// And however time came there.
static void theSameForAnyWorkersAndLevel(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(958), 0);
    Scene scene = makeFold(&rng, 50, roll, 0);
    Search search = makeSearch(&scene);
    for (int step = 0; step < 4 * (FRAMES - 1); ++step) {
        advance(&search, 0.25 * step);
        for (int level = grz_simdScalar; level < 32 && step % 5 == 0; ++level)
            if ((grzSimd_SupportedBits() >> level & 1) != 0)
                expectSameAt(&search, search.pairs, NULL, (grzSimdLevel)level);
        for (uint32_t workers = 2; workers <= 8; workers += 3) {
            grzTasksDef def = grzDefaultTasksDef();
            def.workerCount = workers;
            grzTasks* tasks;
            ok(grzTasks_Create(&def, &tasks));
            expectSameAt(&search, search.pairs, tasks, grzSimd_Level());
            grzTasks_Destroy(tasks);
        }
    }
    const grzChordPairsStats stats = grzChordPairs_GetStats(search.pairs);
    assert_int_equal(stats.pieces, FRAMES - 1);
    assert_true(stats.early > 0);
    dropSearch(&search);
    dropScene(&scene);
}

// ---- refusals ----

static void refuses(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(959), 0);
    Scene scene = makeFold(&rng, SIDE, roll, 0);
    Search search = makeSearch(&scene), other = makeSearch(&scene);
    TestMemory memory = {0, SIZE_MAX, 0, 0};
    grzChordPairsDef def = grzDefaultChordPairsDef();
    grzChordPairs* pairs;
    def.treeA = search.tree, def.treeB = other.tree, def.cullsSelf = true;
    assert_int_equal(grzChordPairs_Create(&def, &pairs).status, grz_badArgument);
    assert_null(pairs);
    def.treeB = search.tree, def.allocator = testAllocator(&memory);
    size_t refused = 0;
    for (;; ++refused) {
        memory.requests = 0, memory.failAt = refused;
        if (grzResult_IsOk(grzChordPairs_Create(&def, &pairs)))
            break;
        assert_null(pairs);
        assert_int_equal(memory.liveCount, 0);
    }
    assert_true(refused > 10);
    memory.failAt = SIZE_MAX;
    ok(grzChordTree_Advance(search.tree, NULL, 0.5));
    ok(grzChordPairs_Advance(pairs, NULL));
    const uint32_t removed[1] = {3};
    const grzBvhEdit edit = {.removed = removed, .removedCount = 1};
    ok(grzBvh_Edit(scene.bvh, &edit));
    ok(grzChordTree_Follow(search.tree, NULL));
    memory.requests = 0, memory.failAt = 0; // the contours are to be found again
    assert_int_equal(grzChordPairs_Advance(pairs, NULL).status, grz_outOfMemory);
    assert_true(grzChordPairs_GetView(pairs).time == 0.5 && grzChordPairs_Validate(pairs));
    memory.failAt = SIZE_MAX;
    ok(grzChordPairs_Advance(pairs, NULL));
    assert_int_equal(grzChordPairs_MemorySize(pairs), memory.liveBytes);
    memory.requests = 0, memory.failAt = SIZE_MAX; // all of it twice: nothing is asked for
    for (int round = 0; round < 2; ++round)
        for (int k = 0; k <= 8 * (FRAMES - 1); ++k) {
            ok(grzChordTree_Advance(search.tree, NULL, 0.125 * k));
            ok(grzChordPairs_Advance(pairs, NULL));
            memory.requests = round == 0 ? 0 : memory.requests;
        }
    assert_int_equal(memory.requests, 0);
    grzChordPairs_Destroy(pairs);
    assert_int_equal(memory.liveCount, 0);
    dropSearch(&search), dropSearch(&other);
    dropScene(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatIntersectsIsFound),
        cmocka_unit_test(allImpactsComeFromThePairs),
        cmocka_unit_test(pairsAtKeyframesAreThoseOfBoxPairs),
        cmocka_unit_test(keyframesMayGo),
        cmocka_unit_test(editsAreFollowed),
        cmocka_unit_test(stridesAndNumberingsAreTheSame),
        cmocka_unit_test(keyframesAtOneAddressDiffer),
        cmocka_unit_test(lazyTreesMakeNothingThatIsFree),
        cmocka_unit_test(theSameForAnyWorkersAndLevel),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
