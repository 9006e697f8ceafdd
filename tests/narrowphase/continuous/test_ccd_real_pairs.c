// What: impacts of real steps from listed pairs of triangles (grzCcdStep_Decide), those of grzCcdStep_Find, and those that the data
// tells, where GRAZE_DATA names it.
#include <math.h>

#include "ccd_pair_list.h"
#include "ccd_surface.h"
#include "file_testing.h"
#include "mesh_read.h"

enum { DEPTH = 24 };

typedef struct RealStep {
    MeshData frames[2];
    grzMesh* mesh;
    grzMeshView view;
    PairBox* boxes;
    uint32_t* order;   // of triangles, by where their swept boxes begin
    PairList lists[2]; // swept, and timed
} RealStep;

static RealStep g_real;

static double startOf(uint32_t triangle) {
    return fmin(g_real.boxes[triangle].lower[0][0], g_real.boxes[triangle].lower[1][0]);
}

static int compareStarts(const void* a, const void* b) {
    const double x = startOf(*(const uint32_t*)a), y = startOf(*(const uint32_t*)b);
    return x < y ? -1 : x > y;
}

static int comparePairs(const void* a, const void* b) {
    const uint64_t x = grzTrianglePair_KeyWord(a, 1), y = grzTrianglePair_KeyWord(b, 1);
    return x < y ? -1 : x > y;
}

static double numberOf(const void* context, int end, uint32_t vertex, int axis) {
    const MeshData* frame = &((const RealStep*)context)->frames[end];
    const size_t at = 3 * (size_t)vertex + (size_t)axis;
    return frame->isDouble ? ((const double*)frame->positions)[at] : (double)((const float*)frame->positions)[at];
}

static void fitReal(RealStep* real) {
    real->boxes = malloc(real->view.triangleCount * sizeof *real->boxes);
    real->order = malloc(real->view.triangleCount * sizeof *real->order);
    assert_true(real->boxes != NULL && real->order != NULL);
    for (uint32_t i = 0; i < real->view.triangleCount; ++i) {
        real->boxes[i] = PairBox_Make(real->view.triangles + 3 * (size_t)i, numberOf, real);
        real->order[i] = i;
    }
}

// By a sweep along x.
static void listReal(RealStep* real) {
    const uint32_t* triangles = real->view.triangles;
    qsort(real->order, real->view.triangleCount, sizeof *real->order, compareStarts);
    for (uint32_t i = 0; i < real->view.triangleCount; ++i) {
        const uint32_t a = real->order[i];
        const double end = fmax(real->boxes[a].upper[0][0], real->boxes[a].upper[1][0]);
        for (uint32_t k = i + 1; k < real->view.triangleCount && startOf(real->order[k]) <= end; ++k) {
            const uint32_t b = real->order[k], low = a < b ? a : b, high = a < b ? b : a;
            double times[2] = {0, 1};
            if (!PairBox_OverlapSwept(&real->boxes[a], &real->boxes[b]) ||
                pairSharesCorner(triangles + 3 * (size_t)a, triangles + 3 * (size_t)b))
                continue;
            PairList_Append(&real->lists[0], low, high, times);
            if (PairBox_OverlapTimed(&real->boxes[a], &real->boxes[b], times))
                PairList_Append(&real->lists[1], low, high, times);
        }
    }
    for (int kind = 0; kind < 2; ++kind)
        qsort(real->lists[kind].pairs, real->lists[kind].count, sizeof *real->lists[kind].pairs, comparePairs);
}

static void readFirst(const char* path) {
    FileError error;
    if (!readMesh(path, (grzAllocator){0}, &g_real.frames[0], &error))
        fail_msg("%s", error.text);
}

// Candidates as the data counts them, and impacts as its exact answers do.
typedef struct RealCounts {
    const char* scene;
    uint64_t candidates[2], impacts[2];
} RealCounts;

static RealCounts g_counts;

// ---- the lists of the data ----

// A pair of features by vertices: kind, then those of each feature, rising; of edges the lower one first.
typedef struct PairKey {
    uint32_t kind, vertices[4];
} PairKey;

static void swapIfAbove(uint32_t* a, uint32_t* b) {
    const uint32_t low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
    *a = low;
    *b = high;
}

static PairKey makeKey(uint32_t kind, const uint32_t* vertices) {
    PairKey key = {kind, {vertices[0], vertices[1], vertices[2], vertices[3]}};
    uint32_t* v = key.vertices;
    if (kind == grz_ccdEdgeEdge) {
        swapIfAbove(v, v + 1);
        swapIfAbove(v + 2, v + 3);
        const bool isTurned = v[0] > v[2] || (v[0] == v[2] && v[1] > v[3]);
        return isTurned ? (PairKey){kind, {v[2], v[3], v[0], v[1]}} : key;
    }
    swapIfAbove(v + 1, v + 2);
    swapIfAbove(v + 2, v + 3);
    swapIfAbove(v + 1, v + 2);
    return key;
}

static int compareKeys(const void* a, const void* b) {
    const PairKey *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    for (int i = 0; i < 4; ++i)
        if (x->vertices[i] != y->vertices[i])
            return x->vertices[i] < y->vertices[i] ? -1 : 1;
    return 0;
}

static PairKey keyOfImpact(const grzImpact* impact) {
    const grzMeshView* view = &g_real.view;
    const uint32_t a = grzFeature_Index(impact->pair.featureA), b = grzFeature_Index(impact->pair.featureB);
    if (grzFeature_Kind(impact->pair.featureA) == grz_edgeFeature)
        return makeKey(grz_ccdEdgeEdge,
                       (uint32_t[]){view->edges[a].a, view->edges[a].b, view->edges[b].a, view->edges[b].b});
    const uint32_t* of = view->triangles + 3 * (size_t)b;
    return makeKey(grz_ccdVertexFace, (uint32_t[]){a, of[0], of[1], of[2]});
}

static PairKey* g_keys; // of impacts, in order
static size_t g_keyCount;
static uint32_t g_kind;

// Each pair that the data says touches is among the impacts, and no other of its pairs.
static void checkList(const char* path) {
    FILE* file = fopen(path, "r");
    char line[128];
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        uint32_t v[4], truth;
        if (sscanf(line, "%u,%u,%u,%u,%u", &v[0], &v[1], &v[2], &v[3], &truth) != 5)
            continue;
        const PairKey key = makeKey(g_kind, v);
        assert_int_equal(bsearch(&key, g_keys, g_keyCount, sizeof key, compareKeys) != NULL, truth);
    }
    fclose(file);
}

static void checkLists(const PairFound* found) {
    char path[128];
    g_keyCount = found->count;
    g_keys = malloc((g_keyCount + 1) * sizeof *g_keys);
    assert_non_null(g_keys);
    for (size_t i = 0; i < g_keyCount; ++i)
        g_keys[i] = keyOfImpact(&found->impacts[i]);
    qsort(g_keys, g_keyCount, sizeof *g_keys, compareKeys);
    for (g_kind = 0; g_kind < 2; ++g_kind) {
        snprintf(path, sizeof path, "ccd_frames/%s/%s.csv", g_counts.scene,
                 g_kind == grz_ccdEdgeEdge ? "ee" : "vf");
        testEachDataFile(path, checkList);
    }
    free(g_keys);
}

// ---- a scene ----

static void checkReal(const char* path) {
    RealStep* real = &g_real;
    FileError error;
    if (!readMesh(path, (grzAllocator){0}, &real->frames[1], &error))
        fail_msg("%s", error.text);
    grzMeshDef meshDef = MeshData_Def(&real->frames[0]);
    surfaceOk(grzMesh_Create(&meshDef, &real->mesh));
    real->view = grzMesh_GetView(real->mesh);
    fitReal(real);
    listReal(real);
    grzCcdStepDef def = grzDefaultCcdStepDef();
    grzCcdStepQuery query = grzDefaultCcdStepQuery();
    grzCcdStep* step;
    def.meshA = real->mesh;
    def.type = real->frames[0].isDouble ? grz_float64 : grz_float32;
    def.decidesPairs = true;
    query.a = (grzCcdStepMotion){real->frames[0].positions, real->frames[1].positions, 0};
    query.depth = DEPTH;
    surfaceOk(grzCcdStep_Create(&def, &step));
    PairFound found = PairFound_Make(step, &query);
    for (int kind = 0; kind < 2; ++kind) {
        assert_int_equal(found.stats.candidates[kind], g_counts.candidates[kind]);
        assert_int_equal(found.stats.impacts[kind], g_counts.impacts[kind]);
    }
    for (int kind = 0; kind < 2; ++kind) {
        surfaceOk(PairList_Decide(&real->lists[kind], step, NULL, &query));
        PairFound_Expect(&found, step, kind == 0);
        free(real->lists[kind].pairs);
    }
    checkLists(&found);
    free(found.impacts);
    free(real->boxes);
    free(real->order);
    grzCcdStep_Destroy(step);
    grzMesh_Destroy(real->mesh);
    MeshData_Release(&real->frames[0]);
    MeshData_Release(&real->frames[1]);
    memset(real, 0, sizeof *real);
}

static void checkScene(RealCounts counts) {
    char path[128];
    g_counts = counts;
    snprintf(path, sizeof path, "ccd_frames/%s/frame0.ply", counts.scene);
    testEachDataFile(path, readFirst);
    snprintf(path, sizeof path, "ccd_frames/%s/frame1.ply", counts.scene);
    testEachDataFile(path, checkReal);
}

static void realStepsHaveTheImpactsThatAreKnown(void** state) {
    (void)state;
    checkScene((RealCounts){"cloth-funnel", {7319, 33770}, {27, 107}});
    checkScene((RealCounts){"armadillo-rollers", {2031902, 5068080}, {4650, 19308}});
    checkScene((RealCounts){"cloth-ball", {1655541, 5197332}, {19032, 94822}});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(realStepsHaveTheImpactsThatAreKnown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
