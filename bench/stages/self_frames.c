// What: see self_frames.h.
//
//   a time -> grzChordPairs_Advance, culled -> triangles -> which intersect      beside      the same, not culled
//                                                                                and         grzBvh_Refit -> grzBoxPairs_Find -> ...
//
// Holds: all sides find the same pairs of triangles that intersect, by an exact test, in every frame. Positions of frames are there before
//   the clock starts. What a cull takes is inside of it, once an interval.
#include "self_frames.h"

#include "graze/chord_tree.h"
#include "graze/stage/leaf_triangles.h"
#include "graze/tri_pairs.h"
#include "impact_search.h"

enum { INTERVALS = 3, PER_INTERVAL = 10, FRAMES = INTERVALS * PER_INTERVAL };

typedef struct LeafList {
    GRZ_ARRAY(grzLeafPair);
} LeafList;

typedef struct KindList {
    GRZ_ARRAY(uint8_t);
} KindList;

typedef struct FrameScene {
    Bench* bench;
    const KineticScene* scene;
    size_t first;  // keyframe
    float* frames; // positions of all of them
} FrameScene;

// Chord pairs, or boxes of a refit.
typedef struct FrameSide {
    const FrameScene* of;
    grzChordTree* tree;
    grzChordPairs* chordPairs;
    grzBoxPairs* boxPairs;
    grzBvhNode* nodes;
    grzLeafTriangles* triangles;
    LeafList active;
    KindList kinds;
    grzResult result;
    uint64_t digest;
    size_t leafPairs, intersecting; // in all frames
} FrameSide;

// ---- a frame ----

static void keep(FrameSide* side, grzResult result) {
    if (side->result.status == grz_ok)
        side->result = result;
}

static const float* positionsOf(const FrameScene* of, size_t frame) {
    return of->frames + frame * 3 * of->scene->vertexCount;
}

static void findByChords(FrameSide* side, size_t frame) {
    const FrameScene* of = side->of;
    keep(side, grzChordTree_Advance(side->tree, NULL, (double)of->first + (double)frame / PER_INTERVAL));
    keep(side, grzChordPairs_Advance(side->chordPairs, NULL));
    const grzChordPairsView view = grzChordPairs_GetView(side->chordPairs);
    if (!grzArray_Reserve(&side->active, &of->bench->allocator, view.activeCount))
        return;
    grzChordPairs_Write(side->chordPairs, side->active.data);
    side->active.count = view.activeCount;
}

static grzLeafTrianglesQuery findByBoxes(FrameSide* side, size_t frame) {
    const FrameScene* of = side->of;
    grzLeafTrianglesQuery list = grzDefaultLeafTrianglesQuery();
    grzBvhRefit refit = grzDefaultBvhRefit();
    grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
    refit.positions = positionsOf(of, frame);
    query.a = (grzBoxSet){of->scene->bvh, side->nodes};
    keep(side, grzBvh_Refit(of->scene->bvh, NULL, &refit, side->nodes));
    keep(side, grzBoxPairs_Find(side->boxPairs, NULL, &query));
    const grzBoxPairsView view = grzBoxPairs_GetView(side->boxPairs);
    list.pairs = view.pairs, list.count = view.count;
    return list;
}

// Which of the triangles of pairs of leaves intersect.
static void decide(FrameSide* side, size_t frame, grzLeafTrianglesQuery* list) {
    const KineticScene* scene = side->of->scene;
    list->a = (grzLeafTrianglesSide){.bvh = scene->bvh, .positions = positionsOf(side->of, frame)};
    keep(side, grzLeafTriangles_Find(side->triangles, NULL, list));
    const grzLeafTrianglesView found = grzLeafTriangles_GetView(side->triangles);
    if (side->result.status != grz_ok ||
        !grzArray_Reserve(&side->kinds, &side->of->bench->allocator, found.count + 1))
        return;
    const grzTriSoup soup = {list->a.positions, scene->triangles, (uint32_t)scene->vertexCount,
                             (uint32_t)scene->triangleCount};
    const grzTriPairQuery query = {soup, soup, found.pairs, (uint32_t)found.count, 0};
    grzTriPairs_Classify(NULL, &query, side->kinds.data);
    side->leafPairs += list->count;
    for (size_t i = 0; i < found.count; ++i)
        if (side->kinds.data[i] != 0) {
            const uint32_t both[2] = {found.pairs[i].triangleA, found.pairs[i].triangleB};
            side->digest = Bench_Digest(side->digest, both, sizeof both);
            ++side->intersecting;
        }
    side->digest = Bench_Digest(side->digest, &frame, sizeof frame);
}

static void runFrames(void* context) {
    FrameSide* side = context;
    side->digest = 0, side->leafPairs = side->intersecting = 0;
    for (size_t frame = 0; frame < FRAMES && side->result.status == grz_ok; ++frame) {
        grzLeafTrianglesQuery list = grzDefaultLeafTrianglesQuery();
        if (side->tree != NULL) {
            findByChords(side, frame);
            list.pairs = side->active.data, list.count = side->active.count;
        } else {
            list = findByBoxes(side, frame);
        }
        decide(side, frame, &list);
    }
}

static void clearSide(void* context) {
    ((FrameSide*)context)->digest = 0;
}

static uint64_t digestSide(void* context) {
    const FrameSide* side = context;
    return side->result.status == grz_ok ? side->digest : 0;
}

// ---- sides ----

static bool makeChords(const FrameScene* of, bool culls, FrameSide* side) {
    grzChordTreeDef treeDef = grzDefaultChordTreeDef();
    grzChordPairsDef def = grzDefaultChordPairsDef();
    treeDef.bvh = of->scene->bvh, treeDef.plan = of->scene->plan, treeDef.numbering = grz_bvhTreesNumbers;
    treeDef.startTime = (double)of->first, treeDef.readyBy = 0.3F;
    if (KineticScene_Failed(of->bench, grzChordTree_Create(&treeDef, &side->tree)))
        return false;
    def.treeA = def.treeB = side->tree, def.cullsSelf = culls;
    return !KineticScene_Failed(of->bench, grzChordPairs_Create(&def, &side->chordPairs));
}

static bool makeBoxes(const FrameScene* of, FrameSide* side) {
    grzBoxPairsDef def = grzDefaultBoxPairsDef();
    def.keepsFront = false; // the plain traversal
    side->nodes = Bench_Allocate(of->bench, grzBvh_GetView(of->scene->bvh).nodeCount, sizeof *side->nodes);
    return side->nodes != NULL && !KineticScene_Failed(of->bench, grzBoxPairs_Create(&def, &side->boxPairs));
}

static bool makeSides(const FrameScene* of, FrameSide sides[3]) {
    const grzLeafTrianglesDef def = grzDefaultLeafTrianglesDef();
    bool isMade = true;
    for (int i = 0; i < 3 && isMade; ++i) {
        sides[i].of = of;
        isMade = !KineticScene_Failed(of->bench, grzLeafTriangles_Create(&def, &sides[i].triangles)) &&
                 (i < 2 ? makeChords(of, i == 0, &sides[i]) : makeBoxes(of, &sides[i]));
    }
    return isMade;
}

static void dropSide(const FrameScene* of, FrameSide* side) {
    grzChordPairs_Destroy(side->chordPairs);
    grzChordTree_Destroy(side->tree);
    grzBoxPairs_Destroy(side->boxPairs);
    grzLeafTriangles_Destroy(side->triangles);
    grzArray_Release(&side->active, &of->bench->allocator);
    grzArray_Release(&side->kinds, &of->bench->allocator);
    if (side->nodes != NULL)
        Bench_Release(of->bench, side->nodes, grzBvh_GetView(of->scene->bvh).nodeCount, sizeof *side->nodes);
}

// ---- rows ----

static void measure(const FrameScene* of, FrameSide sides[3]) {
    static const char *const variant = "drape, l = 10", *const names[3] = {"one cull an interval", "not culled",
                                                                           "refit and traversal"};
    const size_t n = of->scene->triangleCount;
    BenchSide runs[3];
    for (int i = 0; i < 3; ++i)
        runs[i] = (BenchSide){names[i], NULL, runFrames, digestSide, NULL, &sides[i], clearSide};
    const BenchJob job = {.variant = variant,
                          .metric = "a frame to what intersects",
                          .unit = "ns",
                          .amount = FRAMES,
                          .n = n,
                          .workers = 1,
                          .sides = runs,
                          .sideCount = 3};
    Bench_Measure(of->bench, &job);
    for (int i = 0; i < 3; ++i)
        runFrames(&sides[i]);
    if (of->bench->failed || KineticScene_Failed(of->bench, sides[0].result))
        return;
    const bool same = sides[0].digest == sides[2].digest && sides[1].digest == sides[2].digest;
    const grzChordPairsStats stats = grzChordPairs_GetStats(sides[0].chordPairs);
    Impacts_Count(of->bench, variant, "pairs of leaves in frames, culled", (double)sides[0].leafPairs, "all",
                  (double)sides[1].leafPairs, n, same);
    Impacts_Count(of->bench, variant, "share of triangles in free nodes",
                  (double)stats.freeTriangles / (double)stats.triangles, NULL, 0, n, same);
    Impacts_Count(of->bench, variant, "pairs of triangles that intersect", (double)sides[0].intersecting, NULL, 0,
                  n, same);
}

void benchSelfFrames(Bench* bench, KineticScene* scene) {
    FrameScene of = {.bench = bench, .scene = scene, .first = scene->frameCount - INTERVALS - 2};
    FrameSide sides[3] = {{0}};
    const size_t numbers = 3 * scene->vertexCount;
    of.frames = Bench_Allocate(bench, FRAMES * numbers, sizeof *of.frames);
    bool isMade = of.frames != NULL && KineticScene_SetWorkers(bench, scene, 1);
    for (size_t frame = 0; isMade && frame < FRAMES; ++frame)
        isMade = !KineticScene_Failed(bench, grzFlightplan_Evaluate(scene->plan, NULL,
                                                                    (double)of.first + (double)frame / PER_INTERVAL,
                                                                    of.frames + frame * numbers, 0));
    if (isMade && makeSides(&of, sides))
        measure(&of, sides);
    for (int i = 0; i < 3; ++i)
        dropSide(&of, &sides[i]);
    Bench_Release(bench, of.frames, FRAMES * numbers, sizeof *of.frames);
}
