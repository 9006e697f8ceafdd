// What: see probe_sample.h.
#include "probe_sample.h"

#include "model_search.h"
#include "result_make.h"

// Instructions, by callgrind at AVX2 inside grzProbeWalk: five meshes with either axes, poses of
// bench/scenes/model_protocol.h, ten a distance; least squares over the counts of steps, leaf pairs and exact tests. The sums are
// within 3 % for each mesh.
enum { STEP_COST = 395, STEP_COST_ALL_AXES = 598, LEAF_COST = 285, EXACT_COST = 19000 };

// Queries that are looked at first, spread over all, which may be sorted. Exact tests are few and expensive: of 64 queries of
// cylinder_engine every third draw chose the wrong axes, of 200 every fifth.
enum { SCOUTS = 200 };

grzResult grzProbeSample_Take(ProbeSample* sample, ProbeState* state, const grzProbeQuery* query) {
    ProbeWalk* walk = &state->walk;
    const grzResult result = grzProbeState_Begin(state, query);
    if (!grzResult_IsOk(result))
        return result;
    memset(sample, 0, sizeof *sample);
    for (uint32_t stop = 0; stop < grz_probeStops && walk->end == probeIsOpen; ++stop) {
        if (probeStopWork[stop] != 0)
            state->run(walk, probeStopWork[stop], false);
        if (walk->end == probeIsOpen) {
            sample->votes[stop] = walk->votes;
            sample->inputs[sample->stopCount++] = grzProbeState_Inputs(state);
        }
    }
    sample->lastVotes = walk->votes;
    if (walk->end == probeIsOpen)
        state->run(walk, UINT32_MAX, false);
    sample->touches = walk->end == probeTouches;
    return grzOk();
}

// The exact answer with some axes; `cost` grows by the work.
static grzResult weigh(const grzModelQuery* query, uint32_t axes, ProbeState* state, uint64_t* cost) {
    ProbeWalk* walk = &state->walk;
    grzProbeQuery probe = grzDefaultProbeQuery();
    probe.models = *query;
    probe.models.axes = (grzModelAxes)axes;
    const grzResult result = grzProbeState_Begin(state, &probe);
    if (!grzResult_IsOk(result))
        return result;
    if (walk->end == probeIsOpen)
        state->run(walk, UINT32_MAX, false);
    const uint64_t step = axes == grz_axesAll ? STEP_COST_ALL_AXES : STEP_COST,
                   exact = walk->search.stats.exactTests;
    *cost += step * (walk->work - walk->leafPairs - exact) + LEAF_COST * walk->leafPairs + EXACT_COST * exact;
    return result;
}

grzResult grzProbe_Scout(const grzModelQuery* queries, uint32_t count, ProbeState* state, grzProbeFit* fit) {
    uint64_t costs[2] = {0, 0};
    float deepest[2] = {-1, -1}; // of queries that do not touch
    const uint32_t scouts = count < SCOUTS ? count : SCOUTS;
    for (uint32_t i = 0; i < scouts; ++i) {
        const uint32_t index = (uint32_t)((uint64_t)i * count / scouts);
        for (uint32_t axes = grz_axesOfFaces; axes <= grz_axesAll; ++axes) {
            grzResult result = weigh(&queries[index], axes, state, &costs[axes]);
            if (!grzResult_IsOk(result)) {
                result.part = grz_partElement, result.index = index;
                return result;
            }
            if (state->walk.end == probeIsApart && state->walk.deepest > deepest[axes])
                deepest[axes] = state->walk.deepest;
        }
    }
    fit->axes = costs[grz_axesAll] < costs[grz_axesOfFaces] ? grz_axesAll : grz_axesOfFaces;
    fit->voteAbove = deepest[fit->axes] < 0 ? PROBE_MOST_RATIO : deepest[fit->axes];
    return grzOk();
}
