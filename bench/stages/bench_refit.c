// What: the stage "refit": hierarchies over triangles brought up to date and built, beside the paper's tree in plain
// words and, among the peers, those of OPCODE, Embree, FCL and Bullet.
//
// Holds: all sides read the same arrays: a generated mesh, bent by a wave, whose triangles and vertices lie in the
// order of our tree, which is a good one for everybody. Before a run each side's boxes are those of a mesh that has
// shrunk to a point; afterwards all must have the same bounds, and ours must hold every triangle.
#include "bench.h"

#include <math.h>
#include <string.h>

#include "bench_inputs.h"
#include "graze/bvh_edit.h"
#include "plain_bvh.h"
#if defined(GRAZE_PEERS)
#    include "peer_refit.h"
#endif

// ---- the mesh ----

typedef struct RefitMesh {
    const char* name;
    size_t vertexCount, triangleCount;
    float* positions;    // with a number of room behind them
    float* endPositions; // likewise
    double* doubles;
    uint32_t* triangles;
} RefitMesh;

static void releaseMesh(Bench* bench, RefitMesh* mesh) {
    Bench_Release(bench, mesh->positions, 3 * mesh->vertexCount + 1, sizeof(float));
    Bench_Release(bench, mesh->endPositions, 3 * mesh->vertexCount + 1, sizeof(float));
    Bench_Release(bench, mesh->doubles, 3 * mesh->vertexCount, sizeof(double));
    Bench_Release(bench, mesh->triangles, 3 * mesh->triangleCount, sizeof(uint32_t));
}

static bool failed(Bench* bench, grzResult result) {
    char text[128];
    if (!grzResult_IsOk(result))
        Bench_Fail(bench, "refit: %s", grzResult_Text(result, text, sizeof text));
    return !grzResult_IsOk(result);
}

static void bend(RefitMesh* mesh, const grzMeshView* view) {
    for (size_t i = 0; i < 3 * mesh->vertexCount; ++i) {
        const grzVec3d p = {view->positions64 != NULL ? view->positions64[i] : (double)view->positions32[i], 0, 0};
        mesh->doubles[i] = p.x + 0.05 * sin(7 * p.x + (double)(i % 3));
        mesh->positions[i] = (float)mesh->doubles[i];
        mesh->endPositions[i] = mesh->positions[i] * 1.01F;
    }
    mesh->positions[3 * mesh->vertexCount] = mesh->endPositions[3 * mesh->vertexCount] = 0;
    memcpy(mesh->triangles, view->triangles, 3 * mesh->triangleCount * sizeof(uint32_t));
}

// Twice through a Morton order: of the shape as it is, and of what came of it once bent (by makeOurs).
static bool makeMesh(Bench* bench, size_t n, RefitMesh* mesh) {
    MeshData data;
    if (!Bench_Mesh(bench, false, shapeSphere, n, &data, &mesh->name))
        return false;
    grzMeshDef def = MeshData_Def(&data);
    def.order = grz_orderMorton;
    grzMesh* made;
    const bool isMade = !failed(bench, grzMesh_Create(&def, &made));
    MeshData_Release(&data);
    if (!isMade)
        return false;
    const grzMeshView view = grzMesh_GetView(made);
    mesh->vertexCount = view.vertexCount;
    mesh->triangleCount = view.triangleCount;
    mesh->positions = Bench_Allocate(bench, 3 * mesh->vertexCount + 1, sizeof(float));
    mesh->endPositions = Bench_Allocate(bench, 3 * mesh->vertexCount + 1, sizeof(float));
    mesh->doubles = Bench_Allocate(bench, 3 * mesh->vertexCount, sizeof(double));
    mesh->triangles = Bench_Allocate(bench, 3 * mesh->triangleCount, sizeof(uint32_t));
    if (!bench->failed)
        bend(mesh, &view);
    grzMesh_Destroy(made);
    if (mesh->triangleCount == 0 && !bench->failed)
        Bench_Fail(bench, "%s has no triangles", mesh->name);
    return !bench->failed;
}

// ---- ours ----

typedef struct OurTree {
    const RefitMesh* mesh;
    grzBvh* bvh;
    grzBvhDef def;
    grzBvhRefit refit;
    grzBvhNode* nodes;
    uint64_t* chunks;
    grzTasks* tasks;
    grzResult result;
} OurTree;

static void refitOurs(void* context) {
    OurTree* ours = context;
    ours->result = grzBvh_Refit(ours->bvh, ours->tasks, &ours->refit, ours->nodes);
}

static void buildOurs(void* context) {
    OurTree* ours = context;
    ours->result = grzBvh_Rebuild(ours->bvh, &ours->def);
    if (grzResult_IsOk(ours->result))
        refitOurs(ours);
}

static void spoilOurs(void* context) {
    OurTree* ours = context;
    memset(ours->nodes, 0, grzBvh_GetView(ours->bvh).nodeCount * sizeof *ours->nodes);
}

static uint64_t digestBounds(grzBox box) {
    return Bench_Digest(0, &box, sizeof box);
}

static uint64_t digestOurs(void* context) {
    const OurTree* ours = context;
    return digestBounds(grzBvh_RootBox(ours->nodes));
}

static bool oursAgrees(void* context) {
    const OurTree* ours = context;
    return grzResult_IsOk(ours->result) && grzBvh_ValidateBoxes(ours->bvh, &ours->refit, ours->nodes);
}

static void renumber(RefitMesh* mesh, const grzBvhView* view, float* scratch) {
    float* arrays[2] = {mesh->positions, mesh->endPositions};
    for (int k = 0; k < 2; ++k) {
        memcpy(scratch, arrays[k], 3 * mesh->vertexCount * sizeof *scratch);
        for (size_t v = 0; v < mesh->vertexCount; ++v)
            memcpy(arrays[k] + 3 * v, scratch + 3 * (size_t)view->vertexToCaller[v], 3 * sizeof *scratch);
    }
    for (size_t i = 0; i < 3 * mesh->vertexCount; ++i)
        mesh->doubles[i] = (double)mesh->positions[i] * (1 + 1e-10);
    memcpy(mesh->triangles, view->triangles, 3 * mesh->triangleCount * sizeof(uint32_t));
}

static bool makeOurs(Bench* bench, RefitMesh* mesh, OurTree* ours) {
    ours->mesh = mesh;
    ours->def = grzDefaultBvhDef();
    ours->def.positions = mesh->positions, ours->def.vertexCount = mesh->vertexCount;
    ours->def.triangles = mesh->triangles, ours->def.triangleCount = mesh->triangleCount;
    ours->def.keepsScratch = true;
    float* scratch = Bench_Allocate(bench, 3 * mesh->vertexCount, sizeof *scratch);
    if (scratch == NULL || failed(bench, grzBvh_Create(&ours->def, &ours->bvh)))
        return false;
    grzBvhView view = grzBvh_GetView(ours->bvh);
    renumber(mesh, &view, scratch);
    Bench_Release(bench, scratch, 3 * mesh->vertexCount, sizeof *scratch);
    ours->refit = grzDefaultBvhRefit();
    ours->refit.positions = mesh->positions;
    ours->nodes = Bench_Allocate(bench, view.nodeCount, sizeof *ours->nodes);
    ours->chunks = Bench_Allocate(bench, view.chunkCount / 64 + 1, sizeof *ours->chunks);
    return !bench->failed && !failed(bench, grzBvh_Rebuild(ours->bvh, &ours->def));
}

static void releaseOurs(Bench* bench, OurTree* ours) {
    if (ours->bvh == NULL)
        return;
    const grzBvhView view = grzBvh_GetView(ours->bvh);
    Bench_Release(bench, ours->nodes, view.nodeCount, sizeof *ours->nodes);
    Bench_Release(bench, ours->chunks, view.chunkCount / 64 + 1, sizeof *ours->chunks);
    grzBvh_Destroy(ours->bvh);
}

// ---- the paper's ----

typedef struct PlainTree {
    const RefitMesh* mesh;
    PlainBvh bvh;
    const float* endPositions;
} PlainTree;

static void refitPlain(void* context) {
    PlainTree* plain = context;
    PlainBvh_Refit(&plain->bvh, plain->mesh->positions, plain->endPositions);
}

static void buildPlain(void* context) {
    PlainTree* plain = context;
    PlainBvh_Build(&plain->bvh, plain->mesh->positions);
}

static void spoilPlain(void* context) {
    PlainTree* plain = context;
    for (size_t i = 0; i < 2 * plain->mesh->triangleCount - 1; ++i)
        memset(plain->bvh.nodes[i].lower, 0, 2 * sizeof plain->bvh.nodes[i].lower);
}

static uint64_t digestPlain(void* context) {
    const PlainBvhNode* root = ((const PlainTree*)context)->bvh.nodes;
    return digestBounds(grzBox_Make(grzVec3_Make(root->lower[0], root->lower[1], root->lower[2]),
                                    grzVec3_Make(root->upper[0], root->upper[1], root->upper[2])));
}

// ---- the peers ----

enum { mostPeers = 4, mostSides = 2 + mostPeers };

#if defined(GRAZE_PEERS)
typedef struct PeerTree {
    const PeerRefit* peer;
    void* made;
    RefitMesh* mesh;
    const OurTree* ours;
    float* kept; // the positions while they are spoiled
} PeerTree;

static void refitPeer(void* context) {
    PeerTree* tree = context;
    tree->peer->refit(tree->made);
}

// To a point, and what the peer has along with it; then back, but the peer is not told before its run.
static void spoilPeer(void* context) {
    PeerTree* tree = context;
    const size_t size = 3 * tree->mesh->vertexCount * sizeof(float);
    memcpy(tree->kept, tree->mesh->positions, size);
    memset(tree->mesh->positions, 0, size);
    tree->peer->load(tree->made);
    tree->peer->refit(tree->made);
    memcpy(tree->mesh->positions, tree->kept, size);
    tree->peer->load(tree->made);
}

static uint64_t digestPeer(void* context) {
    const PeerTree* tree = context;
    return digestBounds(tree->peer->bounds(tree->made));
}

static bool isNear(float a, float b) {
    return fabsf(a - b) <= 1e-5F;
}

// Centres and extents, as OPCODE has them, are rounded; so is what margins leave.
static bool peerAgrees(void* context) {
    const PeerTree* tree = context;
    const grzBox theirs = tree->peer->bounds(tree->made), ours = grzBvh_RootBox(tree->ours->nodes);
    return isNear(theirs.lower.x, ours.lower.x) && isNear(theirs.lower.y, ours.lower.y) &&
           isNear(theirs.lower.z, ours.lower.z) && isNear(theirs.upper.x, ours.upper.x) &&
           isNear(theirs.upper.y, ours.upper.y) && isNear(theirs.upper.z, ours.upper.z);
}
#endif

// ---- a job ----

typedef struct RefitWork {
    RefitMesh mesh;
    OurTree ours;
    PlainTree plain;
#if defined(GRAZE_PEERS)
    PeerTree peers[mostPeers];
    size_t peerCount;
    float* kept;
#endif
    BenchSide sides[mostSides];
    size_t sideCount;
    size_t workers;
} RefitWork;

static void addSide(RefitWork* work, BenchSide side) {
    work->sides[work->sideCount++] = side;
}

#if defined(GRAZE_PEERS)
static void addPeer(Bench* bench, RefitWork* work, const PeerRefit* peer) {
    if (!bench->options->peers || work->workers != 1 || bench->failed)
        return;
    const RefitMesh* mesh = &work->mesh;
    const PeerMesh theirs = {mesh->positions, mesh->vertexCount, mesh->triangles, mesh->triangleCount};
    if (work->kept == NULL)
        work->kept = Bench_Allocate(bench, 3 * mesh->vertexCount, sizeof(float));
    if (work->kept == NULL)
        return;
    PeerTree* tree = &work->peers[work->peerCount++];
    *tree = (PeerTree){peer, peer->create(&theirs), &work->mesh, &work->ours, work->kept};
    addSide(work, (BenchSide){peer->name, NULL, refitPeer, digestPeer, peerAgrees, tree, spoilPeer});
}
#endif

static void dropSides(Bench* bench, RefitWork* work) {
    (void)bench;
    work->sideCount = 0;
#if defined(GRAZE_PEERS)
    for (size_t i = 0; i < work->peerCount; ++i)
        work->peers[i].peer->destroy(work->peers[i].made);
    work->peerCount = 0;
    Bench_Release(bench, work->kept, 3 * work->mesh.vertexCount, sizeof(float));
    work->kept = NULL;
#endif
}

static void measureWork(Bench* bench, RefitWork* work, const char* variant, const char* metric) {
    BenchJob job = {.variant = variant,
                    .metric = metric,
                    .unit = "ns/triangle",
                    .amount = (double)work->mesh.triangleCount,
                    .n = work->mesh.triangleCount,
                    .workers = work->workers,
                    .sides = work->sides,
                    .sideCount = work->sideCount};
    if (!bench->failed)
        Bench_Measure(bench, &job);
    dropSides(bench, work);
}

// Calls `measure` with a mesh, our tree and the plain one, for every size and number of workers.
typedef void MeasureFn(Bench* bench, RefitWork* work);

static void measureSize(Bench* bench, size_t n, size_t workers, MeasureFn* measure) {
    RefitWork work = {.workers = workers};
    grzTasksDef def = grzDefaultTasksDef();
    def.workerCount = (uint32_t)workers;
    if (makeMesh(bench, n, &work.mesh) && makeOurs(bench, &work.mesh, &work.ours) &&
        !failed(bench, grzTasks_Create(&def, &work.ours.tasks))) {
        work.ours.def.tasks = work.ours.tasks;
        work.plain.mesh = &work.mesh;
        if (!PlainBvh_Make(&work.plain.bvh, work.mesh.triangles, work.mesh.triangleCount, bench->allocator))
            Bench_Fail(bench, "refit: no memory for the plain tree");
        else
            PlainBvh_Build(&work.plain.bvh, work.mesh.positions);
        if (!bench->failed)
            measure(bench, &work);
    }
    PlainBvh_Release(&work.plain.bvh);
    grzTasks_Destroy(work.ours.tasks);
    releaseOurs(bench, &work.ours);
    releaseMesh(bench, &work.mesh);
}

static void measureSizes(Bench* bench, MeasureFn* measure) {
    static const size_t usual[] = {16000, 65000, 260000, 580000};
    const bool isOne = bench->options->quick || bench->options->n != 0 || bench->options->meshA != NULL;
    size_t workers[2], workerCount = Bench_Workers(bench, workers);
    for (size_t i = 0; i < (isOne ? 1 : sizeof usual / sizeof usual[0]); ++i)
        for (size_t w = 0; w < workerCount && !bench->failed; ++w)
            measureSize(bench, Bench_Size(bench, usual[i], 3000), workers[w], measure);
}

// ---- the cases ----

static void addOurs(RefitWork* work, BenchRunFn* run) {
    addSide(work, (BenchSide){"graze", NULL, run, digestOurs, oursAgrees, &work->ours, spoilOurs});
}

static void addPlain(RefitWork* work, BenchRunFn* run) {
    addSide(work, (BenchSide){"plain", NULL, run, digestPlain, NULL, &work->plain, spoilPlain});
}

static void measureRefit(Bench* bench, RefitWork* work) {
    addOurs(work, refitOurs);
    addPlain(work, refitPlain);
#if defined(GRAZE_PEERS)
    addPeer(bench, work, &peerOdeRefit);
    addPeer(bench, work, &peerEmbreeRefit);
    addPeer(bench, work, &peerFclRefit);
    addPeer(bench, work, &peerBulletRefit);
#endif
    measureWork(bench, work, work->mesh.name, "refit");
}

static void measureWays(Bench* bench, RefitWork* work) {
    work->ours.refit.endPositions = work->plain.endPositions = work->mesh.endPositions;
    addOurs(work, refitOurs);
    addPlain(work, refitPlain);
    measureWork(bench, work, "swept", "refit");
    work->ours.refit.endPositions = work->plain.endPositions = NULL;
    work->ours.refit.numbering = grz_bvhCallersNumbers;
    addOurs(work, refitOurs);
    addPlain(work, refitPlain);
    measureWork(bench, work, "caller", "refit");
    work->ours.refit.numbering = grz_bvhTreesNumbers;
    work->ours.refit.positions = work->mesh.doubles, work->ours.refit.type = grz_float64;
    addOurs(work, refitOurs);
    measureWork(bench, work, "double", "refit");
}

// ---- dirty chunks ----

// The chunks of a tenth of the tree, in runs, as a wave that passes through would touch them.
static void markChunks(OurTree* ours) {
    const uint32_t count = grzBvh_GetView(ours->bvh).chunkCount;
    memset(ours->chunks, 0, (count / 64 + 1) * sizeof *ours->chunks);
    for (uint32_t c = 0; c < count; ++c)
        if (c / 4 % 10 == 0)
            ours->chunks[c / 64] |= UINT64_C(1) << c % 64;
}

static uint64_t digestNodes(void* context) {
    const OurTree* ours = context;
    return Bench_Digest(0, ours->nodes, grzBvh_GetView(ours->bvh).nodeCount * sizeof *ours->nodes);
}

// Only what is dirty is out of date.
static void spoilDirty(void* context) {
    OurTree* ours = context;
    const grzBvhView view = grzBvh_GetView(ours->bvh);
    const uint32_t bottom = grzBvhView_BottomStart(&view);
    for (uint32_t i = bottom; i < view.nodeCount; ++i) {
        const uint32_t chunk = (i - bottom) / 8;
        if ((ours->chunks[chunk / 64] >> chunk % 64 & 1) != 0)
            memset(&ours->nodes[i], 0, sizeof *ours->nodes);
    }
}

static void measureDirty(Bench* bench, RefitWork* work) {
    OurTree whole = work->ours;
    whole.nodes = Bench_Allocate(bench, grzBvh_GetView(whole.bvh).nodeCount, sizeof *whole.nodes);
    if (whole.nodes == NULL)
        return;
    refitOurs(&work->ours);
    markChunks(&work->ours);
    work->ours.refit.dirtyChunks = work->ours.chunks;
    addSide(work, (BenchSide){"graze", NULL, refitOurs, digestNodes, oursAgrees, &work->ours, spoilDirty});
    addSide(work, (BenchSide){"graze whole", NULL, refitOurs, digestNodes, NULL, &whole, spoilOurs});
    measureWork(bench, work, "tenth", "refit");
    work->ours.refit.dirtyChunks = NULL;
    Bench_Release(bench, whole.nodes, grzBvh_GetView(whole.bvh).nodeCount, sizeof *whole.nodes);
}

// ---- builds ----

typedef struct QualityPeer {
    const char* name;
    grzBvhQuality quality;
} QualityPeer;

static void countQuality(Bench* bench, const RefitWork* work, const char* variant, const OurTree* tree,
                         QualityPeer peer) {
    const grzBvhQuality quality = grzBvh_Measure(tree->bvh, tree->nodes);
    BenchCounter counter = {.variant = variant,
                            .metric = "area",
                            .unit = "roots",
                            .value = quality.area,
                            .peer = peer.name,
                            .peerValue = peer.quality.area,
                            .n = work->mesh.triangleCount,
                            .workers = work->workers,
                            .same = grzBvh_Validate(tree->bvh)};
    Bench_Count(bench, &counter);
    counter.metric = "overlap", counter.unit = "siblings";
    counter.value = quality.overlap, counter.peerValue = peer.quality.overlap;
    Bench_Count(bench, &counter);
}

static void measureBuild(Bench* bench, RefitWork* work) {
    static const char* const names[] = {"Morton", "median", "SAH"};
    grzBvhQuality morton = {0, 0};
    work->ours.refit.numbering = grz_bvhCallersNumbers; // the host's array stays as it is
    for (size_t builder = 0; builder < 3 && !bench->failed; ++builder) {
        work->ours.def.builder = (grzBvhBuilder)builder;
        addOurs(work, buildOurs);
        addPlain(work, buildPlain);
#if defined(GRAZE_PEERS)
        if (builder == 0)
            addPeer(bench, work, &peerEmbreeRebuild);
        if (builder == 2)
            addPeer(bench, work, &peerEmbreeSah);
#endif
        measureWork(bench, work, names[builder], "build");
        if (builder == 0)
            morton = grzBvh_Measure(work->ours.bvh, work->ours.nodes);
        countQuality(bench, work, names[builder], &work->ours, (QualityPeer){"graze Morton", morton});
    }
}

// ---- edits ----

// Triangles that change places: each entry is replaced by the one half the list away, which lies elsewhere in the mesh, as bad as
// replacing can be for the tree. So the mesh stays the same, and a new tree is as good as the one before.
typedef struct EditList {
    uint32_t *numbers, *corners, *cornersBefore; // of the hierarchy's triangles
    size_t count, perEdit;
} EditList;

typedef struct EditSide {
    OurTree tree;
    EditList list;
    uint32_t* triangles; // the host's array; of the side that rebuilds
} EditSide;

static void makeList(Bench* bench, const RefitMesh* mesh, size_t count, size_t perEdit, EditList* list) {
    *list = (EditList){.count = count, .perEdit = perEdit};
    list->numbers = Bench_Allocate(bench, count, sizeof *list->numbers);
    list->corners = Bench_Allocate(bench, 3 * count, sizeof *list->corners);
    list->cornersBefore = Bench_Allocate(bench, 3 * count, sizeof *list->corners);
    for (size_t i = 0; i < count && !bench->failed; ++i) {
        list->numbers[i] = (uint32_t)(i * mesh->triangleCount / count);
        memcpy(list->cornersBefore + 3 * i, mesh->triangles + 3 * (size_t)list->numbers[i], 3 * sizeof(uint32_t));
    }
    for (size_t i = 0; i < count && !bench->failed; ++i)
        memcpy(list->corners + 3 * i, list->cornersBefore + 3 * ((i + count / 2) % count), 3 * sizeof(uint32_t));
}

static void releaseList(Bench* bench, EditList* list) {
    Bench_Release(bench, list->numbers, list->count, sizeof *list->numbers);
    Bench_Release(bench, list->corners, 3 * list->count, sizeof *list->corners);
    Bench_Release(bench, list->cornersBefore, 3 * list->count, sizeof *list->corners);
}

static grzBvhEdit editOf(const EditList* list, const uint32_t* corners, size_t first, size_t count) {
    return (grzBvhEdit){
        .removed = list->numbers + first, .removedCount = count, .added = corners + 3 * first, .addedCount = count};
}

static void runEdits(void* context) {
    EditSide* side = context;
    for (size_t i = 0; i < side->list.count; i += side->list.perEdit) {
        const grzBvhEdit edit = editOf(&side->list, side->list.corners, i, side->list.perEdit);
        side->tree.result = grzBvh_Edit(side->tree.bvh, &edit);
        side->tree.refit.dirtyChunks = grzBvh_LastEdit(side->tree.bvh).chunks;
        if (grzResult_IsOk(side->tree.result))
            refitOurs(&side->tree);
    }
}

static void runRebuilds(void* context) {
    EditSide* side = context;
    const grzBvhEdited none = {0};
    for (size_t i = 0; i < side->list.count; i += side->list.perEdit) {
        const grzBvhEdit edit = editOf(&side->list, side->list.corners, i, side->list.perEdit);
        grzBvhEdit_Apply(&edit, &none, side->tree.mesh->triangleCount, side->triangles);
        buildOurs(&side->tree);
    }
}

// Back to the triangles before, and no boxes where an edit brings them.
static void undoEdits(void* context) {
    EditSide* side = context;
    const grzBvhEdit edit = editOf(&side->list, side->list.cornersBefore, 0, side->list.count);
    side->tree.result = grzBvh_Edit(side->tree.bvh, &edit);
    memcpy(side->tree.chunks, grzBvh_LastEdit(side->tree.bvh).chunks,
           (grzBvh_GetView(side->tree.bvh).chunkCount + 63) / 64 * sizeof *side->tree.chunks);
    spoilDirty(&side->tree);
}

static void undoRebuilds(void* context) {
    EditSide* side = context;
    const grzBvhEdit edit = editOf(&side->list, side->list.cornersBefore, 0, side->list.count);
    const grzBvhEdited none = {0};
    grzBvhEdit_Apply(&edit, &none, side->tree.mesh->triangleCount, side->triangles);
    buildOurs(&side->tree);
    spoilOurs(&side->tree);
}

// The triangles by their numbers, wherever they stand.
static uint64_t digestTriangles(void* context) {
    const EditSide* side = context;
    const grzBvhView view = grzBvh_GetView(side->tree.bvh);
    uint64_t sum = 0;
    for (uint32_t t = 0; t < view.triangleCount; ++t) {
        uint32_t words[4] = {view.triangleToCaller[t]};
        for (size_t k = 0; k < 3; ++k)
            words[k + 1] = view.vertexToCaller[view.triangles[3 * (size_t)t + k]];
        sum += Bench_Digest(0, words, sizeof words);
    }
    return sum;
}

static bool editAgrees(void* context) {
    const EditSide* side = context;
    return grzBvh_Validate(side->tree.bvh) && oursAgrees(&((EditSide*)context)->tree);
}

static void countEdited(Bench* bench, const RefitWork* work, const char* variant, const EditSide* edited,
                        const EditSide* rebuilt) {
    const QualityPeer fresh = {"graze rebuilt", grzBvh_Measure(rebuilt->tree.bvh, rebuilt->tree.nodes)};
    countQuality(bench, work, variant, &edited->tree, fresh);
}

static bool makeEditSide(Bench* bench, const RefitWork* work, size_t count, size_t perEdit, EditSide* side) {
    const RefitMesh* mesh = &work->mesh;
    side->tree = work->ours;
    side->tree.bvh = NULL, side->tree.nodes = NULL, side->tree.chunks = NULL;
    side->tree.refit.numbering = grz_bvhCallersNumbers; // the host's arrays stay as they are
    side->triangles = Bench_Allocate(bench, 3 * mesh->triangleCount, sizeof *side->triangles);
    makeList(bench, mesh, count, perEdit, &side->list);
    if (bench->failed)
        return false;
    memcpy(side->triangles, mesh->triangles, 3 * mesh->triangleCount * sizeof *side->triangles);
    side->tree.def.triangles = side->triangles;
    if (failed(bench, grzBvh_Create(&side->tree.def, &side->tree.bvh)))
        return false;
    const grzBvhView view = grzBvh_GetView(side->tree.bvh);
    side->tree.nodes = Bench_Allocate(bench, view.nodeCount, sizeof *side->tree.nodes);
    side->tree.chunks = Bench_Allocate(bench, view.chunkCount / 64 + 1, sizeof *side->tree.chunks);
    if (!bench->failed)
        refitOurs(&side->tree);
    return !bench->failed;
}

static void dropEditSide(Bench* bench, const RefitWork* work, EditSide* side) {
    releaseOurs(bench, &side->tree);
    releaseList(bench, &side->list);
    Bench_Release(bench, side->triangles, 3 * work->mesh.triangleCount, sizeof *side->triangles);
}

static void measureEdits(Bench* bench, RefitWork* work, const char* variant, size_t count, size_t perEdit) {
    EditSide edited = {0}, rebuilt = {0};
    if (makeEditSide(bench, work, count, perEdit, &edited) && makeEditSide(bench, work, count, perEdit, &rebuilt)) {
        const BenchSide sides[] = {
            {"graze", NULL, runEdits, digestTriangles, editAgrees, &edited, undoEdits},
            {"graze rebuilt", NULL, runRebuilds, digestTriangles, NULL, &rebuilt, undoRebuilds},
        };
        const BenchJob job = {.variant = variant,
                              .metric = "edit",
                              .unit = "ns/replaced",
                              .amount = (double)count,
                              .n = work->mesh.triangleCount,
                              .workers = work->workers,
                              .sides = sides,
                              .sideCount = 2};
        Bench_Measure(bench, &job);
        runEdits(&edited), runRebuilds(&rebuilt);
        if (!bench->failed)
            countEdited(bench, work, variant, &edited, &rebuilt);
    }
    dropEditSide(bench, work, &edited);
    dropEditSide(bench, work, &rebuilt);
}

// A piece of the mesh is torn off, and sewn on again: what is at the end fills the hole, and the piece then stands at the end.
// Both lie together, so that leaves stay small.
static bool tearOff(Bench* bench, EditSide* side) {
    const grzBvhView view = grzBvh_GetView(side->tree.bvh);
    const uint32_t first = view.triangleCount / 3;
    for (uint32_t i = 0; i < side->list.count; ++i) {
        side->list.numbers[i] = view.triangleToCaller[first + i];
        for (size_t k = 0; k < 3; ++k)
            side->list.corners[3 * (size_t)i + k] =
                view.vertexToCaller[view.triangles[3 * (size_t)(first + i) + k]];
    }
    const grzBvhEdit off = {.removed = side->list.numbers, .removedCount = side->list.count};
    const grzBvhEdit on = {.added = side->list.corners, .addedCount = side->list.count};
    if (failed(bench, grzBvh_Edit(side->tree.bvh, &off)) || failed(bench, grzBvh_Edit(side->tree.bvh, &on)))
        return false;
    side->tree.refit.dirtyChunks = NULL;
    refitOurs(&side->tree);
    return !failed(bench, side->tree.result);
}

static void countTorn(Bench* bench, const RefitWork* work, const char* variant, size_t count) {
    EditSide torn = {0}, rebuilt = {0};
    if (makeEditSide(bench, work, count, count, &torn) && makeEditSide(bench, work, count, count, &rebuilt) &&
        tearOff(bench, &torn))
        countEdited(bench, work, variant, &torn, &rebuilt);
    dropEditSide(bench, work, &torn);
    dropEditSide(bench, work, &rebuilt);
}

static void measureEdit(Bench* bench, RefitWork* work) {
    const size_t n = work->mesh.triangleCount, few = n < 8 ? n : 8;
    measureEdits(bench, work, "one by one", few, 1);
    measureEdits(bench, work, "1 %", n / 100 + 1, n / 100 + 1);
    measureEdits(bench, work, "10 %", n / 10 + 1, n / 10 + 1);
    countTorn(bench, work, "1 % torn off", n / 100 + 1);
    countTorn(bench, work, "10 % torn off", n / 10 + 1);
}

static void refitCase(Bench* bench) {
    measureSizes(bench, measureRefit);
}

static void waysCase(Bench* bench) {
    measureSizes(bench, measureWays);
}

static void dirtyCase(Bench* bench) {
    measureSizes(bench, measureDirty);
}

static void buildCase(Bench* bench) {
    measureSizes(bench, measureBuild);
}

static void editCase(Bench* bench) {
    measureSizes(bench, measureEdit);
}

enum { usual = bench_usesN | bench_usesWorkers | bench_usesMesh };

static const BenchCase cases[] = {
    {"whole", "float positions in the tree's order", refitCase, usual | bench_usesPeers},
    {"ways", "swept, in the caller's order, and double", waysCase, usual},
    {"dirty", "a tenth of the chunks, beside all of them", dirtyCase, usual},
    {"edit", "triangles are replaced, and their chunks refit, beside a rebuild", editCase, usual},
    {"build", "orders anew and refits, with each builder", buildCase, usual | bench_usesPeers},
};

const BenchStage benchRefit = {"refit", "hierarchies over triangles", cases, sizeof cases / sizeof cases[0]};
