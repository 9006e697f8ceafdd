// A keyframed sheet that falls onto a cushion. One search an interval between keyframes finds which triangles come near each other, and
// when; their vertices and edges are then decided for all frames of the interval at once. Uses public headers only.
#include <graze/graze.h>
#include <graze/stage/leaf_triangles.h>
#include <graze/stage/upkeep_pairs.h>
#include <graze/upkeep.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { side = 20, vertexCount = side * side, triangleCount = 2 * (side - 1) * (side - 1), frameCount = 8 };

static float frames[frameCount][3 * vertexCount], cushion[3 * vertexCount];
static uint32_t triangles[3 * triangleCount];

typedef struct Scene {
    grzFlightplan* plan;
    grzBvh *sheetBvh, *cushionBvh;
    grzBvhNode* cushionNodes;
    grzUpkeep* upkeep;
    grzUpkeepPairs* pairs; // of the sheet's leaves and the cushion's
    grzMesh *sheet, *cushion;
    grzCcdStep *step, *check;
    grzLeafTriangles* triangles; // of these pairs
} Scene;

static void placeVertices(void) {
    uint32_t* t = triangles;
    for (int i = 0; i < vertexCount; ++i) {
        float x = (float)(i / side), z = (float)(i % side), *p = &cushion[3 * i];
        p[0] = x, p[1] = 2 * grzSin(0.3f * x) * grzSin(0.25f * z), p[2] = z;
        for (int f = 0; f < frameCount; ++f) { // some 2 an interval, waved, and a little across
            p = &frames[f][3 * i];
            p[0] = x + 0.3f * (float)f, p[1] = 6 - 1.5f * (float)f + grzSin(0.2f * z + (float)f), p[2] = z + 0.5f;
        }
        if (i / side < side - 1 && i % side < side - 1) {
            uint32_t a = (uint32_t)i, corners[6] = {a, a + 1, a + side, a + 1, a + side + 1, a + side};
            memcpy(t, corners, sizeof corners);
            t += 6;
        }
    }
}

static grzResult makeBvh(const float* positions, grzBvh** bvh) {
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = positions, def.vertexCount = vertexCount;
    def.triangles = triangles, def.triangleCount = triangleCount;
    return grzBvh_Create(&def, bvh);
}

static grzResult makeMesh(const float* positions, grzMesh** mesh) {
    grzMeshDef def = grzDefaultMeshDef();
    def.positions = positions, def.vertexCount = vertexCount;
    def.indices = triangles, def.triangleCount = triangleCount;
    return grzMesh_Create(&def, mesh);
}

static grzResult makeSheet(Scene* scene) {
    grzFlightplanDef planDef = grzDefaultFlightplanDef();
    planDef.vertexCount = vertexCount;
    grzResult result = grzFlightplan_Create(&planDef, &scene->plan);
    for (int f = 0; f < frameCount && grzResult_IsOk(result); ++f)
        result = grzFlightplan_AddKeyframe(scene->plan, f, frames[f], 0);
    if (grzResult_IsOk(result))
        result = makeBvh(frames[0], &scene->sheetBvh);
    if (grzResult_IsOk(result))
        result = makeMesh(frames[0], &scene->sheet);
    if (!grzResult_IsOk(result))
        return result;
    grzUpkeepDef upkeepDef = grzDefaultUpkeepDef();
    upkeepDef.bvh = scene->sheetBvh, upkeepDef.plan = scene->plan;
    upkeepDef.ways = GRZ_UPKEEP_BIT(grz_upkeepChord); // whole intervals are searched
    return grzUpkeep_Create(&upkeepDef, &scene->upkeep);
}

static grzResult makeCushion(Scene* scene) {
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = cushion, refit.numbering = grz_bvhCallersNumbers;
    grzResult result = makeBvh(cushion, &scene->cushionBvh);
    if (grzResult_IsOk(result))
        result = makeMesh(cushion, &scene->cushion);
    if (!grzResult_IsOk(result))
        return result;
    size_t size = grzBvh_GetView(scene->cushionBvh).nodeCount * sizeof *scene->cushionNodes;
    scene->cushionNodes = malloc(size);
    return scene->cushionNodes != NULL ? grzBvh_Refit(scene->cushionBvh, NULL, &refit, scene->cushionNodes)
                                       : (grzResult){.status = grz_outOfMemory, .value = size};
}

static grzResult makeSearch(Scene* scene) {
    grzUpkeepPairsDef pairsDef = grzDefaultUpkeepPairsDef();
    pairsDef.a.upkeep = scene->upkeep;
    pairsDef.b.bvh = scene->cushionBvh, pairsDef.b.nodes = scene->cushionNodes;
    pairsDef.searches = GRZ_PAIR_SEARCH_BIT(grz_searchChords);
    grzLeafTrianglesDef listDef = grzDefaultLeafTrianglesDef();
    grzResult result = grzUpkeepPairs_Create(&pairsDef, &scene->pairs);
    if (grzResult_IsOk(result))
        result = grzLeafTriangles_Create(&listDef, &scene->triangles);
    grzCcdStepDef stepDef = grzDefaultCcdStepDef();
    stepDef.meshA = scene->sheet, stepDef.meshB = scene->cushion;
    if (grzResult_IsOk(result))
        result = grzCcdStep_Create(&stepDef, &scene->check);
    stepDef.decidesPairs = true;
    return grzResult_IsOk(result) ? grzCcdStep_Create(&stepDef, &scene->step) : result;
}

static grzResult listTriangles(Scene* scene, const grzCcdStepQuery* query, grzCcdStepPairs* pairs) {
    grzUpkeepLeavesView leaves = grzUpkeepPairs_GetLeaves(scene->pairs); // of the whole interval
    grzLeafTrianglesQuery list = grzDefaultLeafTrianglesQuery();
    list.pairs = leaves.pairs, list.count = leaves.count;
    list.a.bvh = scene->sheetBvh, list.b.bvh = scene->cushionBvh;
    list.a.numbering = list.b.numbering = grz_bvhCallersNumbers;
    list.a.positions = query->a.start, list.a.endPositions = query->a.end;
    list.b.positions = query->b.start;
    grzResult result = grzLeafTriangles_Find(scene->triangles, NULL, &list);
    grzLeafTrianglesView found = grzLeafTriangles_GetView(scene->triangles);
    *pairs = (grzCcdStepPairs){found.pairs, (uint32_t)found.count};
    return result;
}

// Sets whether a search of all features finds the same.
static grzResult checkImpacts(Scene* scene, const grzCcdStepQuery* query, bool* isSame) {
    grzResult result = grzCcdStep_Find(scene->check, NULL, query);
    grzCcdStepView ours = grzCcdStep_GetView(scene->step), all = grzCcdStep_GetView(scene->check);
    *isSame = ours.count == all.count &&
              (all.count == 0 || memcmp(ours.impacts, all.impacts, all.count * sizeof *all.impacts) == 0);
    return result;
}

static grzResult fall(Scene* scene, int interval, bool* isSame) {
    grzCcdStepQuery query = grzDefaultCcdStepQuery();
    grzCcdStepPairs pairs;
    query.a = (grzCcdStepMotion){frames[interval], frames[interval + 1], 0};
    query.b = (grzCcdStepMotion){cushion, cushion, 0};
    query.depth = 20;
    grzUpkeepPairsQuery pairsQuery = grzDefaultUpkeepPairsQuery();
    pairsQuery.precision = grz_conservativePairs, pairsQuery.endsAtLeaves = true;
    grzResult result = grzUpkeep_Advance(scene->upkeep, NULL, interval, NULL);
    if (grzResult_IsOk(result))
        result = grzUpkeepPairs_Find(scene->pairs, NULL, &pairsQuery);
    if (grzResult_IsOk(result))
        result = listTriangles(scene, &query, &pairs);
    if (grzResult_IsOk(result))
        result = grzCcdStep_Decide(scene->step, NULL, &query, &pairs);
    if (!grzResult_IsOk(result))
        return result;
    grzCcdStepView view = grzCcdStep_GetView(scene->step);
    float first = 1;
    for (size_t i = 0; i < view.count; ++i)
        first = view.impacts[i].pair.t0 < first ? view.impacts[i].pair.t0 : first;
    printf("interval %d: %u pairs of triangles, %zu impacts", interval, pairs.count, view.count);
    if (view.count != 0)
        printf(", the first at %.4f", (double)interval + (double)first);
    printf("\n");
    return checkImpacts(scene, &query, isSame);
}

static void drop(Scene* scene) {
    grzCcdStep_Destroy(scene->step);
    grzCcdStep_Destroy(scene->check);
    grzLeafTriangles_Destroy(scene->triangles);
    grzUpkeepPairs_Destroy(scene->pairs);
    grzUpkeep_Destroy(scene->upkeep);
    grzBvh_Destroy(scene->sheetBvh);
    grzBvh_Destroy(scene->cushionBvh);
    grzMesh_Destroy(scene->sheet);
    grzMesh_Destroy(scene->cushion);
    grzFlightplan_Destroy(scene->plan);
    free(scene->cushionNodes);
}

int main(void) {
    Scene scene = {0};
    bool areSame = true;
    char text[128];
    placeVertices();
    grzResult result = makeSheet(&scene);
    if (grzResult_IsOk(result))
        result = makeCushion(&scene);
    if (grzResult_IsOk(result))
        result = makeSearch(&scene);
    for (int i = 0; i + 1 < frameCount && grzResult_IsOk(result); ++i) {
        bool isSame = true;
        result = fall(&scene, i, &isSame);
        areSame = areSame && isSame;
    }
    drop(&scene);
    if (!grzResult_IsOk(result))
        return fprintf(stderr, "falling_sheet: %s\n", grzResult_Text(result, text, sizeof text)), 2;
    return areSame ? 0 : 1;
}
