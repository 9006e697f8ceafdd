// A keyframed sheet that rolls up until it runs into itself. One self cull for each interval between keyframes says which parts of it cannot
// meet themselves; of the rest, the frames drawn between find the triangles that intersect. Uses public headers only.
#include <graze/graze.h>
#include <graze/stage/leaf_triangles.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    side = 48,
    vertexCount = side * side,
    triangleCount = 2 * (side - 1) * (side - 1),
    frameCount = 6,
    perInterval = 4,
};

static float frames[frameCount][3 * vertexCount], positions[3 * vertexCount];
static uint32_t triangles[3 * triangleCount];

typedef struct Scene {
    grzFlightplan* plan;
    grzBvh* bvh;
    grzChordTree* tree;
    grzChordPairs *pairs, *all; // with a cull, and without
    grzLeafTriangles* triangles;
    size_t intersecting[2]; // in all frames, of both
    size_t tested[2];       // pairs of triangles
} Scene;

// A spiral, drawn tighter from keyframe to keyframe, and across a little, so that it cuts itself at last.
static void placeVertices(void) {
    uint32_t* t = triangles;
    for (uint32_t i = 0; i < vertexCount; ++i) {
        float u = (float)(i / side) / side, v = (float)(i % side) / side;
        for (int f = 0; f < frameCount; ++f) {
            float angle = (5.5f + 0.3f * (float)f) * u, radius = 1 - 0.03f * angle + 0.09f * v * v * angle;
            grzVec3_Store(&frames[f][3 * i], grzVec3_Make(radius * grzSin(angle), 2 * v, radius * grzCos(angle)));
        }
        if (i / side < side - 1 && i % side < side - 1) {
            uint32_t corners[6] = {i, i + 1, i + side, i + 1, i + side + 1, i + side};
            memcpy(t, corners, sizeof corners);
            t += 6;
        }
    }
}

static grzResult makePlan(Scene* scene) {
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.vertexCount = vertexCount;
    grzResult result = grzFlightplan_Create(&def, &scene->plan);
    for (int f = 0; f < frameCount && grzResult_IsOk(result); ++f)
        result = grzFlightplan_AddKeyframe(scene->plan, f, frames[f], 0);
    return result;
}

static grzResult makeTree(Scene* scene) {
    grzBvhDef bvhDef = grzDefaultBvhDef();
    bvhDef.positions = frames[0], bvhDef.vertexCount = vertexCount;
    bvhDef.triangles = triangles, bvhDef.triangleCount = triangleCount;
    grzResult result = grzBvh_Create(&bvhDef, &scene->bvh);
    grzChordTreeDef def = grzDefaultChordTreeDef();
    def.bvh = scene->bvh, def.plan = scene->plan, def.readyBy = 0.3f;
    return grzResult_IsOk(result) ? grzChordTree_Create(&def, &scene->tree) : result;
}

static grzResult makeSearch(Scene* scene) {
    grzChordPairsDef def = grzDefaultChordPairsDef();
    grzLeafTrianglesDef listDef = grzDefaultLeafTrianglesDef();
    def.treeA = def.treeB = scene->tree;
    grzResult result = grzChordPairs_Create(&def, &scene->all);
    def.cullsSelf = true;
    if (grzResult_IsOk(result))
        result = grzChordPairs_Create(&def, &scene->pairs);
    return grzResult_IsOk(result) ? grzLeafTriangles_Create(&listDef, &scene->triangles) : result;
}

// The triangles of active pairs of leaves whose boxes overlap, and which of these intersect.
static grzResult testTriangles(Scene* scene, const grzChordPairs* pairs, int which) {
    grzLeafTrianglesQuery query = grzDefaultLeafTrianglesQuery();
    grzLeafPair* active = malloc((grzChordPairs_GetView(pairs).activeCount + 1) * sizeof *active);
    if (active == NULL)
        return (grzResult){.status = grz_outOfMemory};
    grzChordPairs_Write(pairs, active);
    query.pairs = active, query.count = grzChordPairs_GetView(pairs).activeCount;
    query.a.bvh = scene->bvh, query.a.numbering = grz_bvhCallersNumbers, query.a.positions = positions;
    grzResult result = grzLeafTriangles_Find(scene->triangles, NULL, &query);
    free(active);
    grzLeafTrianglesView found = grzLeafTriangles_GetView(scene->triangles);
    for (size_t i = 0; i < found.count && grzResult_IsOk(result); ++i) {
        uint32_t both[2] = {found.pairs[i].triangleA, found.pairs[i].triangleB};
        grzVec3 corners[2][3];
        for (int k = 0; k < 6; ++k)
            corners[k / 3][k % 3] = grzVec3_Load(positions + 3 * triangles[3 * both[k / 3] + (uint32_t)k % 3]);
        scene->intersecting[which] += grzTriTri_Classify(corners[0], corners[1]) != grz_triNone;
    }
    scene->tested[which] += found.count;
    return result;
}

static grzResult draw(Scene* scene, double time) {
    grzResult result = grzChordTree_Advance(scene->tree, NULL, time);
    if (grzResult_IsOk(result))
        result = grzFlightplan_Evaluate(scene->plan, NULL, time, positions, 0);
    if (grzResult_IsOk(result))
        result = grzChordPairs_Advance(scene->pairs, NULL);
    if (grzResult_IsOk(result))
        result = testTriangles(scene, scene->pairs, 0);
    if (grzResult_IsOk(result))
        result = grzChordPairs_Advance(scene->all, NULL);
    return grzResult_IsOk(result) ? testTriangles(scene, scene->all, 1) : result;
}

static void drop(Scene* scene) {
    grzLeafTriangles_Destroy(scene->triangles);
    grzChordPairs_Destroy(scene->pairs);
    grzChordPairs_Destroy(scene->all);
    grzChordTree_Destroy(scene->tree);
    grzBvh_Destroy(scene->bvh);
    grzFlightplan_Destroy(scene->plan);
}

int main(void) {
    Scene scene = {0};
    char text[128];
    placeVertices();
    grzResult result = makePlan(&scene);
    if (grzResult_IsOk(result))
        result = makeTree(&scene);
    if (grzResult_IsOk(result))
        result = makeSearch(&scene);
    for (int k = 0; k <= perInterval * (frameCount - 1) && grzResult_IsOk(result); ++k)
        result = draw(&scene, (double)k / perInterval);
    if (grzResult_IsOk(result)) {
        grzChordPairsStats stats = grzChordPairs_GetStats(scene.pairs);
        printf("%.0f %% of the triangles lie in parts that cannot meet themselves\n",
               100 * (double)stats.freeTriangles / (double)stats.triangles);
        printf("%zu pairs of triangles intersect, of %zu that are tested; %zu of %zu without a cull\n",
               scene.intersecting[0], scene.tested[0], scene.intersecting[1], scene.tested[1]);
    }
    bool isSame = scene.intersecting[0] == scene.intersecting[1] && scene.intersecting[0] > 0;
    drop(&scene);
    if (!grzResult_IsOk(result))
        return fprintf(stderr, "rolling_sheet: %s\n", grzResult_Text(result, text, sizeof text)), 2;
    return isSame && scene.tested[0] < scene.tested[1] ? 0 : 1;
}
