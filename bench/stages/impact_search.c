// What: see impact_search.h.
#include "impact_search.h"

#include "kinetic_scene.h"

enum { DEPTH = 20 };

bool ImpactMesh_Make(Bench* bench, const grzBvh* bvh, const uint32_t* triangles, const float* positions,
                     ImpactMesh* made) {
    grzMeshDef def = grzDefaultMeshDef();
    *made = (ImpactMesh){.bvh = bvh, .view = grzBvh_GetView(bvh)};
    def.positions = positions, def.vertexCount = made->view.vertexCount;
    def.indices = triangles, def.triangleCount = made->view.triangleCount;
    return !KineticScene_Failed(bench, grzMesh_Create(&def, &made->mesh));
}

void ImpactMesh_Drop(ImpactMesh* mesh) {
    grzMesh_Destroy(mesh->mesh);
}

bool Impacts_Make(Bench* bench, const ImpactMesh* a, const ImpactMesh* b, Impacts* impacts) {
    grzCcdStepDef def = grzDefaultCcdStepDef();
    grzLeafTrianglesDef listDef = grzDefaultLeafTrianglesDef();
    def.meshA = a->mesh, def.meshB = b != NULL ? b->mesh : NULL;
    def.decidesPairs = true;
    *impacts = (Impacts){.meshes = {a, b}, .query = grzDefaultCcdStepQuery()};
    impacts->query.depth = DEPTH;
    return !KineticScene_Failed(bench, grzCcdStep_Create(&def, &impacts->step)) &&
           !KineticScene_Failed(bench, grzLeafTriangles_Create(&listDef, &impacts->triangles));
}

void Impacts_Drop(Impacts* impacts) {
    grzCcdStep_Destroy(impacts->step);
    grzLeafTriangles_Destroy(impacts->triangles);
}

void Impacts_Clear(Impacts* impacts) {
    impacts->digest = 0;
    impacts->count = impacts->pairs = 0;
    impacts->candidates = 0;
}

static void add(Impacts* impacts, grzResult result) {
    const grzCcdStepView view = grzCcdStep_GetView(impacts->step);
    if (!grzResult_IsOk(result))
        return;
    impacts->digest = Bench_Digest(impacts->digest + 1, view.impacts, view.count * sizeof *view.impacts);
    impacts->count += view.count;
    impacts->candidates += view.stats.candidates[0] + view.stats.candidates[1];
}

void Impacts_Find(Impacts* impacts, grzCcdStepMotion a, grzCcdStepMotion b) {
    impacts->query.a = a, impacts->query.b = b;
    add(impacts, grzCcdStep_Find(impacts->step, impacts->tasks, &impacts->query));
}

static grzLeafTrianglesSide sideOf(const ImpactMesh* mesh, grzCcdStepMotion motion) {
    return (grzLeafTrianglesSide){
        .bvh = mesh->bvh, .positions = motion.start, .endPositions = motion.end}; // in the tree's numbers
}

void Impacts_Decide(Impacts* impacts, grzCcdStepMotion a, grzCcdStepMotion b, const grzLeafPair* pairs,
                    size_t count) {
    grzLeafTrianglesQuery query = grzDefaultLeafTrianglesQuery();
    query.pairs = pairs, query.count = count;
    query.a = sideOf(impacts->meshes[0], a);
    if (impacts->meshes[1] != NULL)
        query.b = sideOf(impacts->meshes[1], b);
    if (!grzResult_IsOk(grzLeafTriangles_Find(impacts->triangles, impacts->tasks, &query)))
        return;
    const grzLeafTrianglesView found = grzLeafTriangles_GetView(impacts->triangles);
    const grzCcdStepPairs list = {found.pairs, (uint32_t)found.count};
    impacts->query.a = a, impacts->query.b = b;
    impacts->pairs += list.count;
    add(impacts, grzCcdStep_Decide(impacts->step, impacts->tasks, &impacts->query, &list));
}

void Impacts_Count(Bench* bench, const char* variant, const char* metric, double value, const char* peer,
                   double peerValue, size_t n, bool same) {
    const BenchCounter counter = {.variant = variant,
                                  .metric = metric,
                                  .unit = "",
                                  .value = value,
                                  .peer = peer,
                                  .peerValue = peerValue,
                                  .n = n,
                                  .workers = 1,
                                  .same = same};
    Bench_Count(bench, &counter);
}

void blendFrames(const float* from, const float* to, float part, size_t numbers, float* at) {
    for (size_t i = 0; i < numbers; ++i)
        at[i] = part == 1 ? to[i] : (1 - part) * from[i] + part * to[i];
}
