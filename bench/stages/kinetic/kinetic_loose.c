// What: see kinetic_loose.h.
#include "kinetic_loose.h"

#include <math.h>
#include <string.h>

float KineticLoose_Tenth(const KineticScene* scene) {
    const float* first = KineticScene_Frame(scene, 0);
    double sum = 0;
    for (size_t t = 0; t < scene->triangleCount; ++t)
        for (size_t k = 0; k < 3; ++k) {
            const float* a = first + 3 * (size_t)scene->triangles[3 * t + k];
            const float* b = first + 3 * (size_t)scene->triangles[3 * t + (k + 1) % 3];
            const double x = (double)a[0] - (double)b[0], y = (double)a[1] - (double)b[1],
                         z = (double)a[2] - (double)b[2];
            sum += sqrt(x * x + y * y + z * z);
        }
    return (float)(0.1 * sum / (3 * (double)scene->triangleCount));
}

typedef struct LooseWork {
    const KineticScene* scene;
    grzChordTree* tree;
    float* positions;
    grzBvhNode *chord, *tight;
    uint32_t nodeCount;
    float tenth;
    size_t times;
} LooseWork;

static void compareSide(double outside, double size, const LooseWork* work, KineticLoose* loose) {
    loose->worst = fmax(loose->worst, outside / (double)work->tenth);
    loose->mean += outside / (double)work->tenth;
    loose->isHeld = loose->isHeld && outside >= 0 && outside <= (double)work->tenth + 0x1p-18 * size;
}

// What is stated of rounding is of the coordinates at the keyframes; here the whole mesh stands for them.
static double sizeOf(const grzBvhNode* root) {
    const grzBox box = grzBvh_RootBox(root);
    double size = 0;
    for (int axis = 0; axis < 3; ++axis)
        size = fmax(size, fmax(fabs((double)(&box.lower.x)[axis]), fabs((double)(&box.upper.x)[axis])));
    return size;
}

static void compareLeaves(const LooseWork* work, KineticLoose* loose) {
    const grzBvhView view = grzBvh_GetView(work->scene->bvh);
    const double size = sizeOf(work->chord);
    for (uint32_t leaf = 0; leaf < view.leafCount; ++leaf) {
        const grzBvhNode* a = &work->chord[grzBvhView_BottomStart(&view) + leaf / 8];
        const grzBvhNode* b = &work->tight[grzBvhView_BottomStart(&view) + leaf / 8];
        for (int axis = 0; axis < 3; ++axis) {
            compareSide((double)b->lower[axis][leaf % 8] - (double)a->lower[axis][leaf % 8], size, work, loose);
            compareSide((double)a->upper[axis][leaf % 8] - (double)b->upper[axis][leaf % 8], size, work, loose);
        }
    }
    const grzChordTreeStats stats = grzChordTree_GetStats(work->tree);
    loose->cut += (double)stats.leavesCut;
    loose->read += (double)stats.leavesRead;
}

static bool look(Bench* bench, LooseWork* work, size_t perInterval, size_t every, KineticLoose* loose) {
    const KineticScene* scene = work->scene;
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = work->positions;
    for (size_t k = 1; k <= (scene->frameCount - 1) * perInterval; ++k) {
        const double time = (double)k / (double)perInterval;
        if (KineticScene_Failed(bench, grzChordTree_Advance(work->tree, scene->tasks, time)))
            return false;
        if (k % every != 0)
            continue;
        if (KineticScene_Failed(bench, grzChordTree_WriteBoxes(work->tree, scene->tasks, work->chord)) ||
            KineticScene_Failed(bench,
                                grzFlightplan_Evaluate(scene->plan, scene->tasks, time, work->positions, 0)) ||
            KineticScene_Failed(bench, grzBvh_Refit(scene->bvh, scene->tasks, &refit, work->tight)))
            return false;
        compareLeaves(work, loose);
        ++work->times;
    }
    const double leaves = (double)work->times * (double)grzBvh_GetView(scene->bvh).leafCount;
    loose->mean /= 6 * leaves;
    loose->cut /= leaves;
    loose->read /= leaves;
    return true;
}

bool KineticLoose_Look(Bench* bench, const KineticScene* scene, size_t perInterval, size_t every,
                       KineticLoose* loose) {
    LooseWork work = {.scene = scene, .nodeCount = grzBvh_GetView(scene->bvh).nodeCount};
    grzChordTreeDef def = grzDefaultChordTreeDef();
    memset(loose, 0, sizeof *loose);
    loose->isHeld = true;
    def.bvh = scene->bvh, def.plan = scene->plan, def.numbering = grz_bvhTreesNumbers, def.tasks = scene->tasks;
    def.looseness = work.tenth = KineticLoose_Tenth(scene);
    work.positions = Bench_Allocate(bench, 3 * scene->vertexCount, sizeof *work.positions);
    work.chord = Bench_Allocate(bench, work.nodeCount, sizeof *work.chord);
    work.tight = Bench_Allocate(bench, work.nodeCount, sizeof *work.tight);
    const bool isDone = !bench->failed && !KineticScene_Failed(bench, grzChordTree_Create(&def, &work.tree)) &&
                        look(bench, &work, perInterval, every, loose);
    grzChordTree_Destroy(work.tree);
    Bench_Release(bench, work.positions, 3 * scene->vertexCount, sizeof *work.positions);
    Bench_Release(bench, work.chord, work.nodeCount, sizeof *work.chord);
    Bench_Release(bench, work.tight, work.nodeCount, sizeof *work.tight);
    return isDone;
}
