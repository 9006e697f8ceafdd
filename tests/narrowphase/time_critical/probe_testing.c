#include "probe_testing.h"

grzModelQuery drawModelQuery(const grzModel* a, const grzModel* b, float apart) {
    grzModelQuery query = grzDefaultModelQuery();
    query.a = a, query.b = b;
    query.poseA = grzTransform_Make(drawRotation(), drawVector(1));
    query.poseB = grzTransform_Make(drawRotation(), grzAdd(query.poseA.origin, drawVector(apart)));
    return query;
}

grzModelQuery* drawModelQueries(const grzModel* a, const grzModel* b, float apart, size_t count) {
    grzModelQuery* queries = malloc(count * sizeof *queries);
    assert_non_null(queries);
    for (size_t i = 0; i < count; ++i)
        queries[i] = drawModelQuery(a, b, apart);
    return queries;
}

grzProbeFit makeTestFit(const grzModel* a, const grzModel* b, float apart) {
    grzProbeFit fit;
    grzModelQuery* queries = drawModelQueries(a, b, apart, 1000);
    assert_true(grzResult_IsOk(grzProbeFit_Make(NULL, queries, 1000, (grzAllocator){NULL, NULL, NULL}, &fit)));
    free(queries);
    return fit;
}

bool doTouch(const grzModelQuery* query) {
    bool touches = false;
    assert_true(grzResult_IsOk(grzModels_Touch(query, &touches, NULL)));
    return touches;
}

grzProbeAnswer probeOnce(const grzProbeQuery* query, const grzProbeBudget* budget) {
    grzProbeAnswer answer;
    assert_true(grzResult_IsOk(grzModels_Probe(query, budget, &answer)));
    return answer;
}

grzModel* makeTorusModel(size_t triangleCount) {
    ModelMesh mesh = makeShapeMesh(shapeTorus, triangleCount);
    grzModel* model = makeTestModel(&mesh, grz_bvhSah);
    freeMesh(&mesh);
    return model;
}
