// The relation of two models' frames against the formulas of model_relation.c, number by number, at every SIMD level.
#include "model_query_testing.h"

#include <math.h>

#include "model_relation.h"

static const double rounding = 64 * 0x1p-24;

// |M| q + |T| + own, along axis i.
static double reachAlong(const ModelFrame* frame, int i, const float q[3], const float own[3]) {
    double sum = fabs((double)frame->origin[i]) + (double)own[i];
    for (int j = 0; j < 3; ++j)
        sum += fabs((double)frame->columns[j][i]) * (double)q[j];
    return sum;
}

// |N M - 1| qb + |N T + S|, along axis i.
static double residualAlong(const ModelRelation* relation, int i, const float qb[3]) {
    const ModelFrame *forward = &relation->into[0], *backward = &relation->into[1];
    double shift = (double)backward->origin[i], off = 0;
    for (int k = 0; k < 3; ++k)
        shift += (double)backward->columns[k][i] * (double)forward->origin[k];
    for (int j = 0; j < 3; ++j) {
        double sum = i == j ? -1 : 0;
        for (int k = 0; k < 3; ++k)
            sum += (double)backward->columns[k][i] * (double)forward->columns[j][k];
        off += fabs(sum) * (double)qb[j];
    }
    return fabs(shift) + off;
}

static void expectMargin(float twice, double margin) {
    assert_true(fabs((double)twice - 2.000002 * margin) <= 1e-6 * margin);
}

static void expectRelation(const grzModelQuery* query, const ModelRelation* relation) {
    const grzVec3 a =
        grzMax(grzAbs(grzModel_GetView(query->a).box.lower), grzAbs(grzModel_GetView(query->a).box.upper));
    const grzVec3 b =
        grzMax(grzAbs(grzModel_GetView(query->b).box.lower), grzAbs(grzModel_GetView(query->b).box.upper));
    const float qa[3] = {a.x, a.y, a.z}, qb[3] = {b.x, b.y, b.z};
    const ModelFrame *forward = &relation->into[0], *backward = &relation->into[1];
    double marginA[3];
    for (int i = 0; i < 3; ++i) {
        marginA[i] = rounding * reachAlong(forward, i, qb, qa) + 0x1p-120;
        expectMargin(forward->twiceMargin[i], marginA[i]);
    }
    for (int i = 0; i < 3; ++i) {
        double margin = rounding * reachAlong(backward, i, qa, qb) + 0x1p-120;
        for (int k = 0; k < 3; ++k)
            margin += fabs((double)backward->columns[k][i]) * marginA[k];
        expectMargin(backward->twiceMargin[i], margin + residualAlong(relation, i, qb));
    }
    // A point of B's frame there and back.
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) {
            double sum = 0;
            for (int k = 0; k < 3; ++k)
                sum += (double)backward->columns[k][i] * (double)forward->columns[j][k];
            assert_true(fabs(sum - (i == j ? 1 : 0)) < 1e-3);
            assert_true(forward->absolute[j][i] == fabsf(forward->columns[j][i]));
        }
}

static void relateSome(void) {
    g_rng = grzRng_Make(testSeed(51), 1);
    ModelMesh meshA = makeSoup(20, 0.3F, 0), meshB = makeSoup(30, 0.7F, 0);
    grzModel *a = makeModel(&meshA), *b = makeModel(&meshB);
    for (size_t i = 0; i < 2000; ++i) {
        grzModelQuery query = grzDefaultModelQuery();
        ModelRelation relation;
        query.a = a, query.b = b;
        query.poseA = drawAffine(), query.poseB = drawAffine();
        if (grzResult_IsOk(grzModelRelation_Make(&relation, &query)))
            expectRelation(&query, &relation);
    }
    grzModel_Destroy(a), grzModel_Destroy(b);
    freeMesh(&meshA), freeMesh(&meshB);
}

static void marginsAreThoseOfTheProof(void** state) {
    (void)state;
    forEachLevel(relateSome);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(marginsAreThoseOfTheProof)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
