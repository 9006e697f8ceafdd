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
    made->leaves = Bench_Allocate(bench, made->view.leafCount, sizeof *made->leaves);
    return made->leaves != NULL && !KineticScene_Failed(bench, grzMesh_Create(&def, &made->mesh));
}

void ImpactMesh_Drop(Bench* bench, ImpactMesh* mesh) {
    Bench_Release(bench, mesh->leaves, mesh->view.leafCount, sizeof *mesh->leaves);
    grzMesh_Destroy(mesh->mesh);
}

bool Impacts_Make(Bench* bench, const ImpactMesh* a, const ImpactMesh* b, Impacts* impacts) {
    grzCcdStepDef def = grzDefaultCcdStepDef();
    def.meshA = a->mesh, def.meshB = b != NULL ? b->mesh : NULL;
    def.decidesPairs = true;
    *impacts = (Impacts){.query = grzDefaultCcdStepQuery()};
    impacts->query.depth = DEPTH;
    return !KineticScene_Failed(bench, grzCcdStep_Create(&def, &impacts->step));
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

void Impacts_Decide(Impacts* impacts, grzCcdStepMotion a, grzCcdStepMotion b, const TriangleList* list) {
    const grzCcdStepPairs pairs = {list->data, (uint32_t)list->count};
    impacts->query.a = a, impacts->query.b = b;
    impacts->pairs += list->count;
    add(impacts, grzCcdStep_Decide(impacts->step, impacts->tasks, &impacts->query, &pairs));
}

void Impacts_Count(Bench* bench, const char* variant, const char* metric, double value, const char* peer,
                   double peerValue, size_t n) {
    const BenchCounter counter = {.variant = variant,
                                  .metric = metric,
                                  .unit = "",
                                  .value = value,
                                  .peer = peer,
                                  .peerValue = peerValue,
                                  .n = n,
                                  .workers = 1,
                                  .same = true};
    Bench_Count(bench, &counter);
}

void blendFrames(const float* from, const float* to, float part, size_t numbers, float* at) {
    for (size_t i = 0; i < numbers; ++i)
        at[i] = part == 1 ? to[i] : (1 - part) * from[i] + part * to[i];
}
