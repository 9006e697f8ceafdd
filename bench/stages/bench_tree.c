// What: the stage "tree": here building it and moving its objects, beside Bullet's tree among the peers.
//
// Holds: our tree leaves work to the queries that come next (splits, extents), a peer's does not. So the clock runs
// until grzTree_Prepare has done all of it. Afterwards every side finds the same objects in the middle of the
// scene.
#include "bench_tree.h"

#include <string.h>

#include "graze/tree_query.h"
#if defined(GRAZE_PEERS)
#    include "peer_tree.h"
#endif

#define FEW_STRIDE 100

static bool isFine(Bench* bench, grzResult result) {
    char text[128];
    if (!grzResult_IsOk(result))
        Bench_Fail(bench, "tree: %s", grzResult_Text(result, text, sizeof text));
    return grzResult_IsOk(result);
}

// ------------------------------------------------------------------------------------------------------- trees

// The scene as objects, to be released. NULL after Bench_Fail.
static grzTreeObject* makeObjects(Bench* bench, const MovingBoxes* scene) {
    grzTreeObject* objects = Bench_Allocate(bench, scene->count, sizeof *objects);
    for (size_t i = 0; objects != NULL && i < scene->count; ++i) {
        objects[i] = grzDefaultTreeObject();
        objects[i].box = scene->boxes[i];
        objects[i].key = (uint32_t)i;
    }
    return objects;
}

grzTree* benchTreeOfBoxes(Bench* bench, const MovingBoxes* scene, grzTreeId* ids) {
    grzTreeDef def = grzDefaultTreeDef();
    grzTree* tree = NULL;
    grzTreeObject* objects = makeObjects(bench, scene);
    if (objects == NULL || !isFine(bench, grzTree_Create(&def, &tree)))
        tree = NULL;
    else if (!isFine(bench, grzTree_InsertMany(tree, objects, scene->count, ids))) {
        grzTree_Destroy(tree);
        tree = NULL;
    } else
        grzTree_Prepare(tree, NULL);
    Bench_Release(bench, objects, scene->count, sizeof *objects);
    return tree;
}

// Of a set of keys, in any order.
static uint64_t digestKeys(const uint32_t* keys, size_t count) {
    uint64_t sum = count;
    for (size_t i = 0; i < count; ++i)
        sum += Bench_Digest(1, &keys[i], sizeof keys[i]);
    return sum;
}

static grzTreeQuery middleOf(const MovingBoxes* scene) {
    return grzMakeBoxQuery(grzBox_Make(grzVec3_Splat(0.3f * scene->side), grzVec3_Splat(0.7f * scene->side)));
}

// What a tree is asked for its digest: the middle, and points at the corners that lead some of the boxes that moved,
// where the boxes of the frame before were not.
enum { probeMost = 64 };

static size_t makeProbes(const MovingBoxes* scene, grzTreeQuery probes[probeMost]) {
    probes[0] = middleOf(scene);
    size_t count = 1;
    for (size_t k = 0; k < scene->movedCount && count < probeMost; ++k) {
        grzBox box = scene->boxes[scene->moved[k]];
        grzVec3 v = scene->velocities[scene->moved[k]];
        grzVec3 corner = {v.x > 0 ? box.upper.x : box.lower.x, v.y > 0 ? box.upper.y : box.lower.y,
                          v.z > 0 ? box.upper.z : box.lower.z, 0};
        probes[count++] = grzMakeBoxQuery(grzBox_Make(corner, corner));
    }
    return count;
}

// What a tree finds; 0 where something failed.
static uint64_t digestTree(grzTree* tree, grzTreeHits* hits, const MovingBoxes* scene) {
    grzTreeQuery probes[probeMost];
    uint64_t sum = 0;
    for (size_t i = 0, count = makeProbes(scene, probes); i < count; ++i) {
        if (tree == NULL || !grzResult_IsOk(grzTree_Find(tree, &probes[i], hits)))
            return 0;
        grzTreeHitsView view = grzTreeHits_GetView(hits);
        sum = 31 * sum + digestKeys(view.keys, view.count);
    }
    return sum;
}

// Whether a tree finds what a scan of all boxes finds.
static bool findsTheMiddle(grzTree* tree, grzTreeHits* hits, const MovingBoxes* scene) {
    grzTreeQuery query = middleOf(scene);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < scene->count; ++i)
        if (grzBox_Overlap(scene->boxes[i], query.box))
            sum += digestKeys(&i, 1);
    if (tree == NULL || !grzResult_IsOk(grzTree_Find(tree, &query, hits)))
        return false;
    grzTreeHitsView view = grzTreeHits_GetView(hits);
    return digestKeys(view.keys, view.count) == sum;
}

#if defined(GRAZE_PEERS)
typedef struct PeerWork {
    const PeerTree* peer;
    const MovingBoxes* scene;
    void* tree;
} PeerWork;

static uint64_t digestPeer(void* context) {
    PeerWork* work = context;
    if (work->tree == NULL)
        return 0;
    grzTreeQuery probes[probeMost];
    size_t count = makeProbes(work->scene, probes);
    work->peer->boxes(work->tree, probes, count);
    PeerHits hits = work->peer->hits(work->tree);
    uint64_t sum = 0;
    for (size_t i = 0; i < count; ++i)
        sum = 31 * sum + digestKeys(hits.keys + hits.starts[i], hits.starts[i + 1] - hits.starts[i]);
    return sum;
}

static void destroyPeer(void* context) {
    PeerWork* work = context;
    if (work->tree != NULL)
        work->peer->destroy(work->tree);
    work->tree = NULL;
}

static void createPeer(void* context) {
    PeerWork* work = context;
    work->tree = work->peer->create(work->scene->boxes, work->scene->count);
}

static void updatePeer(void* context) {
    PeerWork* work = context;
    work->peer->update(work->tree, work->scene->boxes, work->scene->moved, work->scene->movedCount);
}
#endif

// ------------------------------------------------------------------------------------------------------- build

typedef struct BuildWork {
    Bench* bench;
    MovingBoxes scene;
    grzTreeObject* objects;
    grzTree* tree;
    grzTreeHits* hits;
} BuildWork;

static void emptyTree(void* context) {
    BuildWork* work = context;
    grzTreeDef def = grzDefaultTreeDef();
    grzTree_Destroy(work->tree);
    isFine(work->bench, grzTree_Create(&def, &work->tree));
}

static void insertAll(void* context) {
    BuildWork* work = context;
    isFine(work->bench, grzTree_InsertMany(work->tree, work->objects, work->scene.count, NULL));
}

static void insertEach(void* context) {
    BuildWork* work = context;
    grzTreeId id;
    for (size_t i = 0; i < work->scene.count; ++i)
        if (!isFine(work->bench, grzTree_Insert(work->tree, &work->objects[i], &id)))
            return;
}

static void splitAll(void* context) {
    grzTree_Prepare(((BuildWork*)context)->tree, NULL);
}

static void buildAll(void* context) {
    insertAll(context);
    splitAll(context);
}

static void buildEach(void* context) {
    insertEach(context);
    splitAll(context);
}

static void fillTree(void* context) {
    emptyTree(context);
    insertAll(context);
}

static uint64_t digestBuild(void* context) {
    BuildWork* work = context;
    return digestTree(work->tree, work->hits, &work->scene);
}

static bool buildFindsTheMiddle(void* context) {
    BuildWork* work = context;
    return findsTheMiddle(work->tree, work->hits, &work->scene);
}

// What splitting leaves is the shape of the tree, not its answers.
static uint64_t digestSplit(void* context) {
    grzTreeStats stats = grzTree_GetStats(((BuildWork*)context)->tree);
    return Bench_Digest(stats.splitCount, &stats.leafCount, sizeof stats.leafCount);
}

static bool isSplit(void* context) {
    grzTreeDef def = grzDefaultTreeDef();
    grzTreeStats stats = grzTree_GetStats(((BuildWork*)context)->tree);
    return stats.largestLeaf <= grzTree_DefaultThreshold(def.nesting, def.retention);
}

static void measureSides(BuildWork* work, const char* metric, const BenchSide* sides, size_t count) {
    if (work->bench->failed)
        return;
    BenchJob job = {.metric = metric,
                    .unit = "ns/object",
                    .amount = (double)work->scene.count,
                    .n = work->scene.count,
                    .workers = 1,
                    .sides = sides,
                    .sideCount = count};
    Bench_Measure(work->bench, &job);
}

static void measureBuild(BuildWork* work) {
    size_t count = 2;
    BenchSide builds[3] = {{"graze", emptyTree, buildAll, digestBuild, NULL, work, NULL},
                           {"one by one", emptyTree, buildEach, digestBuild, NULL, work, NULL}};
#if defined(GRAZE_PEERS)
    PeerWork bullet = {&peerBulletTree, &work->scene, NULL};
    if (work->bench->options->peers)
        builds[count++] = (BenchSide){"Bullet", destroyPeer, createPeer, digestPeer, NULL, &bullet, NULL};
#endif
    measureSides(work, "build", builds, count);
#if defined(GRAZE_PEERS)
    destroyPeer(&bullet);
#endif
    measureSides(work, "insert",
                 &(BenchSide){"graze", emptyTree, insertAll, digestBuild, buildFindsTheMiddle, work, NULL}, 1);
    measureSides(work, "split", &(BenchSide){"graze", fillTree, splitAll, digestSplit, isSplit, work, NULL}, 1);
}

void benchTreeBuild(Bench* bench) {
    BuildWork work = {.bench = bench};
    if (MovingBoxes_Make(bench, Bench_Size(bench, 100000, 2000), 1, &work.scene) &&
        (work.objects = makeObjects(bench, &work.scene)) != NULL &&
        isFine(bench, grzTreeHits_Create(bench->allocator, &work.hits)))
        measureBuild(&work);
    grzTree_Destroy(work.tree);
    grzTreeHits_Destroy(work.hits);
    Bench_Release(bench, work.objects, work.scene.count, sizeof *work.objects);
    MovingBoxes_Release(bench, &work.scene);
}

// ------------------------------------------------------------------------------------------------------ update

typedef struct UpdateWork {
    Bench* bench;
    MovingBoxes* scene;
    grzTree* tree;
    grzTreeHits* hits;
    grzTreeId* ids;    // of all
    grzTreeId* moving; // of those that move
    grzBox* boxes;     // likewise
} UpdateWork;

static void updateMany(void* context) {
    UpdateWork* work = context;
    const MovingBoxes* scene = work->scene;
    for (size_t k = 0; k < scene->movedCount; ++k)
        work->boxes[k] = scene->boxes[scene->moved[k]];
    isFine(work->bench, grzTree_UpdateMany(work->tree, work->moving, work->boxes, scene->movedCount));
    grzTree_Prepare(work->tree, NULL);
}

static void updateAll(void* context) {
    UpdateWork* work = context;
    isFine(work->bench, grzTree_UpdateAll(work->tree, NULL, work->scene->boxes, work->scene->count));
    grzTree_Prepare(work->tree, NULL);
}

static uint64_t digestUpdate(void* context) {
    UpdateWork* work = context;
    return digestTree(work->tree, work->hits, work->scene);
}

// Whether the tree has taken every box over, and finds what a scan finds.
static bool updateIsRight(void* context) {
    UpdateWork* work = context;
    for (size_t i = 0; i < work->scene->count; ++i) {
        grzTreeObject object;
        if (!grzTree_Get(work->tree, work->ids[i], &object) ||
            memcmp(&object.box, &work->scene->boxes[i], sizeof object.box) != 0)
            return false;
    }
    return findsTheMiddle(work->tree, work->hits, work->scene);
}

static bool makeUpdate(Bench* bench, MovingBoxes* scene, UpdateWork* work) {
    *work = (UpdateWork){.bench = bench, .scene = scene};
    work->ids = Bench_Allocate(bench, scene->count, sizeof *work->ids);
    work->moving = Bench_Allocate(bench, scene->movedCount, sizeof *work->moving);
    work->boxes = Bench_Allocate(bench, scene->movedCount, sizeof *work->boxes);
    if (work->ids == NULL || work->moving == NULL || work->boxes == NULL ||
        !isFine(bench, grzTreeHits_Create(bench->allocator, &work->hits)))
        return false;
    work->tree = benchTreeOfBoxes(bench, scene, work->ids);
    for (size_t k = 0; k < scene->movedCount; ++k)
        work->moving[k] = work->ids[scene->moved[k]];
    return work->tree != NULL;
}

static void releaseUpdate(UpdateWork* work) {
    grzTree_Destroy(work->tree);
    grzTreeHits_Destroy(work->hits);
    Bench_Release(work->bench, work->ids, work->scene->count, sizeof *work->ids);
    Bench_Release(work->bench, work->moving, work->scene->movedCount, sizeof *work->moving);
    Bench_Release(work->bench, work->boxes, work->scene->movedCount, sizeof *work->boxes);
}

static void advance(void* context) {
    MovingBoxes_Advance(context);
}

// All at once is a side of its own where all move.
static void measureUpdate(Bench* bench, MovingBoxes* scene, bool isAll) {
    UpdateWork works[2];
    size_t count = isAll ? 2 : 1;
    BenchSide sides[3] = {
        {"graze", NULL, isAll ? updateAll : updateMany, digestUpdate, updateIsRight, &works[0], NULL},
        {"update many", NULL, updateMany, digestUpdate, NULL, &works[1], NULL}};
    bool made = makeUpdate(bench, scene, &works[0]);
    made = makeUpdate(bench, scene, &works[1]) && made;
#if defined(GRAZE_PEERS)
    PeerWork bullet = {&peerBulletTree, scene, NULL};
    if (bench->options->peers) {
        createPeer(&bullet);
        sides[count++] = (BenchSide){"Bullet", NULL, updatePeer, digestPeer, NULL, &bullet, NULL};
    }
#endif
    BenchJob job = {.variant = isAll ? "all" : "few",
                    .metric = "update",
                    .unit = "ns/object",
                    .amount = (double)scene->movedCount,
                    .n = scene->count,
                    .workers = 1,
                    .sides = sides,
                    .sideCount = count};
    BenchFrames frames = {advance, scene, bench->options->quick ? 10 : 60, NULL, bench->options->quick ? 5 : 25};
    if (made)
        Bench_MeasureFrames(bench, &job, &frames);
#if defined(GRAZE_PEERS)
    destroyPeer(&bullet);
#endif
    releaseUpdate(&works[0]);
    releaseUpdate(&works[1]);
}

void benchTreeUpdate(Bench* bench) {
    for (int isAll = 0; isAll < 2 && !bench->failed; ++isAll) {
        MovingBoxes scene;
        if (!MovingBoxes_Make(bench, Bench_Size(bench, 100000, 2000), isAll ? 1 : FEW_STRIDE, &scene))
            return;
        measureUpdate(bench, &scene, isAll);
        MovingBoxes_Release(bench, &scene);
    }
}

// -------------------------------------------------------------------------------------------------------- stage

static const BenchCase cases[] = {
    {"queries", "boxes, rays and views, one at a time", benchTreeQueries, bench_usesN | bench_usesPeers},
    {"build", "insertion of all objects, and the splits it leaves", benchTreeBuild, bench_usesN | bench_usesPeers},
    {"update", "objects move, one in a hundred or all", benchTreeUpdate, bench_usesN | bench_usesPeers},
    {"paper", "Shagam's experiment, as a table and as plots", benchTreePaper, bench_usesN | bench_usesPlots},
};

const BenchStage benchTree = {"tree", "the dynamic tree: queries, changes, and the paper's experiment", cases,
                              sizeof cases / sizeof cases[0]};
