// What: see self_keyframes.h.
//
//   two keyframes -> grzChordPairs_Advance, culled -> triangles -> grzCcdStep_Decide      beside      the same, not culled
//                                                                                         and         grzCcdStep_Find, on the two keyframes
//
// Holds: all sides have the same impacts, with their times. What a cull takes is inside the clock, once an interval.
#include "self_keyframes.h"

#include "graze/chord_tree.h"
#include "impact_search.h"

enum { INTERVALS = 4 };

// Chord pairs with a tree of their own.
typedef struct SelfSearch {
    grzChordTree* tree;
    grzChordPairs* pairs;
    Impacts impacts;
    size_t leafPairs; // in all intervals
} SelfSearch;

typedef struct SelfFrames {
    Bench* bench;
    const KineticScene* scene;
    size_t first; // keyframe
    ImpactMesh mesh;
    SelfSearch searches[2]; // culled, and not
    Impacts all;
} SelfFrames;

static grzCcdStepMotion motionOf(const SelfFrames* self, size_t interval) {
    return (grzCcdStepMotion){KineticScene_Frame(self->scene, self->first + interval),
                              KineticScene_Frame(self->scene, self->first + interval + 1), 0};
}

// ---- sides ----

static void runSearch(const SelfFrames* self, SelfSearch* search) {
    grzTasks* tasks = self->scene->tasks;
    Impacts_Clear(&search->impacts);
    search->leafPairs = 0;
    for (size_t i = 0; i < INTERVALS; ++i) {
        const grzCcdStepMotion motion = motionOf(self, i);
        if (!grzResult_IsOk(grzChordTree_Advance(search->tree, tasks, (double)(self->first + i))) ||
            !grzResult_IsOk(grzChordPairs_Advance(search->pairs, tasks)))
            return;
        const grzChordPairsView view = grzChordPairs_GetView(search->pairs);
        Impacts_Decide(&search->impacts, motion, motion, view.pairs, view.count);
        search->leafPairs += view.count;
    }
}

static void runCulled(void* context) {
    SelfFrames* self = context;
    runSearch(self, &self->searches[0]);
}

static void runPlain(void* context) {
    SelfFrames* self = context;
    runSearch(self, &self->searches[1]);
}

static void runAll(void* context) {
    SelfFrames* self = context;
    Impacts_Clear(&self->all);
    for (size_t i = 0; i < INTERVALS; ++i)
        Impacts_Find(&self->all, motionOf(self, i), motionOf(self, i));
}

static void clearCulled(void* context) {
    Impacts_Clear(&((SelfFrames*)context)->searches[0].impacts);
}

static void clearPlain(void* context) {
    Impacts_Clear(&((SelfFrames*)context)->searches[1].impacts);
}

static void clearAll(void* context) {
    Impacts_Clear(&((SelfFrames*)context)->all);
}

static uint64_t digestCulled(void* context) {
    return ((const SelfFrames*)context)->searches[0].impacts.digest;
}

static uint64_t digestPlain(void* context) {
    return ((const SelfFrames*)context)->searches[1].impacts.digest;
}

static uint64_t digestAll(void* context) {
    return ((const SelfFrames*)context)->all.digest;
}

// ---- rows ----

static void measure(SelfFrames* self) {
    static const char* const variant = "drape, keyframes";
    const size_t n = self->scene->triangleCount;
    const BenchSide sides[] = {
        {"one search, culled", NULL, runCulled, digestCulled, NULL, self, clearCulled},
        {"not culled", NULL, runPlain, digestPlain, NULL, self, clearPlain},
        {"ccd step", NULL, runAll, digestAll, NULL, self, clearAll},
    };
    const BenchJob job = {.variant = variant,
                          .metric = "an interval to impacts",
                          .unit = "ns",
                          .amount = INTERVALS,
                          .n = n,
                          .workers = self->scene->workers,
                          .sides = sides,
                          .sideCount = 3};
    Bench_Measure(self->bench, &job);
    if (self->scene->workers != 1 || self->bench->failed)
        return;
    runCulled(self);
    runPlain(self);
    const bool same = digestCulled(self) == digestPlain(self);
    const grzChordPairsStats stats = grzChordPairs_GetStats(self->searches[0].pairs);
    Impacts_Count(self->bench, variant, "pairs of leaves, culled", (double)self->searches[0].leafPairs, "all",
                  (double)self->searches[1].leafPairs, n, same);
    Impacts_Count(self->bench, variant, "share of triangles in free nodes",
                  (double)stats.freeTriangles / (double)stats.triangles, NULL, 0, n, same);
}

// ---- a scene ----

static bool makeSearch(SelfFrames* self, bool culls, SelfSearch* search) {
    grzChordTreeDef treeDef = grzDefaultChordTreeDef();
    grzChordPairsDef def = grzDefaultChordPairsDef();
    treeDef.bvh = self->scene->bvh, treeDef.plan = self->scene->plan, treeDef.numbering = grz_bvhTreesNumbers;
    treeDef.startTime = (double)self->first;
    if (KineticScene_Failed(self->bench, grzChordTree_Create(&treeDef, &search->tree)))
        return false;
    def.treeA = def.treeB = search->tree, def.cullsSelf = culls;
    return !KineticScene_Failed(self->bench, grzChordPairs_Create(&def, &search->pairs)) &&
           Impacts_Make(self->bench, &self->mesh, NULL, &search->impacts);
}

static void dropSearch(SelfSearch* search) {
    Impacts_Drop(&search->impacts);
    grzChordPairs_Destroy(search->pairs);
    grzChordTree_Destroy(search->tree);
}

void benchSelfKeyframes(Bench* bench, KineticScene* scene) {
    SelfFrames self = {.bench = bench, .scene = scene, .first = scene->frameCount - INTERVALS - 1};
    size_t workers[2];
    const size_t counts = Bench_Workers(bench, workers);
    const bool isMade = ImpactMesh_Make(bench, scene->bvh, scene->triangles, scene->frames, &self.mesh) &&
                        makeSearch(&self, true, &self.searches[0]) && makeSearch(&self, false, &self.searches[1]) &&
                        Impacts_Make(bench, &self.mesh, NULL, &self.all);
    for (size_t i = 0; isMade && i < counts && !bench->failed; ++i)
        if (KineticScene_SetWorkers(bench, scene, workers[i])) {
            self.searches[0].impacts.tasks = self.searches[1].impacts.tasks = self.all.tasks = scene->tasks;
            measure(&self);
        }
    Impacts_Drop(&self.all);
    dropSearch(&self.searches[0]);
    dropSearch(&self.searches[1]);
    ImpactMesh_Drop(&self.mesh);
}
