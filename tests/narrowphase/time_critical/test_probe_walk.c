// The walk of time-critical queries, unit by unit: which pair is next, and what a score is told of the open pairs.
#include "probe_testing.h"

#include <math.h>

#include "probe_state.h"

static float ratioAt(const ProbeStack* stack, uint32_t i) {
    float ratio;
    memcpy(&ratio, &stack->ratios[i], sizeof ratio);
    return ratio;
}

static float greatestFrom(const ProbeStack* stack, uint32_t first) {
    float greatest = 0;
    for (uint32_t i = first; i < stack->count; ++i)
        greatest = fmaxf(greatest, ratioAt(stack, i));
    return greatest;
}

static void expectOpen(const ProbeWalk* walk) {
    double sum = (double)walk->ratio;
    for (uint32_t i = 0; i < walk->stack.count; ++i)
        sum += (double)ratioAt(&walk->stack, i);
    assert_true(fabs((double)walk->openSum - sum) <= 1e-5 * sum);
    assert_true(walk->deepest >= fmaxf(walk->ratio, greatestFrom(&walk->stack, 0)));
}

// One unit, after which the deepest of all open pairs is next; where many wait, the deepest that it left, if it left any.
static void expectStep(ProbeState* state) {
    ProbeWalk* walk = &state->walk;
    const uint32_t before = walk->stack.count;
    state->run(walk, walk->work + 1, false);
    if (walk->end != probeIsOpen || walk->undecided != 0)
        return;
    expectOpen(walk);
    const bool isDeadEnd = walk->stack.count + 1 == before;
    if (before <= PROBE_COMPARED || (isDeadEnd && before <= PROBE_SORTED))
        assert_true(walk->ratio >= greatestFrom(&walk->stack, 0));
    else if (!isDeadEnd)
        assert_true(walk->ratio >= greatestFrom(&walk->stack, before));
}

// Returns the most pairs that were open at a time.
static uint32_t expectWalks(const grzModel* model, float apart, size_t count) {
    uint32_t most = 0;
    for (size_t i = 0; i < count; ++i) {
        ProbeState state;
        grzProbeQuery query = grzDefaultProbeQuery();
        query.models = drawModelQuery(model, model, apart);
        assert_true(grzResult_IsOk(grzProbeState_Begin(&state, &query)));
        while (state.walk.end == probeIsOpen) {
            expectStep(&state);
            most = state.walk.stack.count > most ? state.walk.stack.count : most;
        }
        assert_int_equal(state.walk.end == probeTouches, doTouch(&query.models));
    }
    return most;
}

static void theDeepestOpenPairIsNext(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(41), 1);
    grzModel* model = makeTorusModel(3000);
    expectWalks(model, 2, 400);
    grzModel_Destroy(model);
}

// Long thin triangles in all directions: boxes overlap everywhere, and hardly a triangle does.
static void manyPairsMayBeOpen(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(42), 1);
    ModelMesh mesh = makeSoup(150, 1.0F, 0);
    for (size_t t = 0; t < mesh.triangleCount; ++t)
        for (size_t k = 3; k < 9; ++k) // the third corner is beside the second
            mesh.positions[9 * t + k] = k < 6 ? mesh.positions[9 * t + k] : mesh.positions[9 * t + k - 3] + 1e-5F;
    grzModel* model = makeModel(&mesh);
    assert_true(expectWalks(model, 1, 3) > PROBE_SORTED);
    grzModel_Destroy(model);
    freeMesh(&mesh);
}

// Poses of all sizes, from those that are refused to ordinary ones: an answer before any work is refused as others are.
static void oddPosesAreRefusedBeforeAnyWork(void** state) {
    (void)state;
    uint32_t atOnce = 0, refused = 0;
    g_rng = grzRng_Make(testSeed(43), 1);
    grzModel* model = makeTorusModel(100);
    const grzProbeFit fit = makeTestFit(model, model, 4);
    grzProbeBudget budget = grzUnlimitedProbeBudget();
    budget.error = 0.1F;
    for (size_t i = 0; i < 1000; ++i) {
        grzProbeQuery query = grzDefaultProbeQuery();
        grzProbeAnswer answer;
        bool touches;
        query.models = drawModelQuery(model, model, 4);
        query.fit = &fit;
        float* numbers = &query.models.poseB.basis.x.x;
        if (i % 2 == 0)
            numbers[grzRng_Below(&g_rng, sizeof(grzTransform) / sizeof(float))] *=
                ldexpf(1, (int)grzRng_Below(&g_rng, 200) - 100);
        if (i % 16 == 0)
            query.models.poseB.basis.x = query.models.poseB.basis.y;
        const grzResult expected = grzModels_Touch(&query.models, &touches, NULL);
        const grzResult result = grzModels_Probe(&query, &budget, &answer);
        assert_int_equal(result.status, expected.status);
        refused += !grzResult_IsOk(result);
        atOnce += grzResult_IsOk(result) && answer.isSure && answer.work == 0;
    }
    assert_true(refused > 25 && atOnce > 100);
    grzModel_Destroy(model);
}

// What is answered at once is what a begun query answers.
static void endsAtOnceAsABegunQuery(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(44), 1);
    grzModel* model = makeTorusModel(100);
    const grzProbeFit fit = makeTestFit(model, model, 2);
    grzModelProbe* probe = NULL;
    assert_true(grzResult_IsOk(grzModelProbe_Create((grzAllocator){NULL, NULL, NULL}, &probe)));
    for (size_t i = 0; i < 3000; ++i) {
        grzProbeQuery query = grzDefaultProbeQuery();
        grzProbeBudget budget = grzUnlimitedProbeBudget();
        grzProbeAnswer begun;
        query.models = drawModelQuery(model, model, 3);
        query.fit = &fit;
        budget.error = i % 2 == 0 ? 0.1F : 0.01F;
        const grzProbeAnswer answer = probeOnce(&query, &budget);
        assert_true(grzResult_IsOk(grzModelProbe_Begin(probe, &query)));
        assert_true(grzResult_IsOk(grzModelProbe_Run(probe, &budget, &begun)));
        assert_memory_equal(&answer, &begun, sizeof answer);
    }
    grzModelProbe_Destroy(probe);
    grzModel_Destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theDeepestOpenPairIsNext),
        cmocka_unit_test(manyPairsMayBeOpen),
        cmocka_unit_test(oddPosesAreRefusedBeforeAnyWork),
        cmocka_unit_test(endsAtOnceAsABegunQuery),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
