// What: see probe_sample.h.
#include "probe_sample.h"

#include "model_search.h"
#include "result_make.h"

// Instructions, by callgrind at AVX2 inside grzProbeWalk: five meshes with either axes, poses of
// bench/scenes/model_protocol.h, ten a distance; least squares over the counts of steps, leaf pairs and exact tests. The sums are
// within 5 % for each mesh.
enum { STEP_COST = 304, STEP_COST_ALL_AXES = 477, LEAF_COST = 350, EXACT_COST = 18700 };

enum { SCOUTS = 64 }; // queries that are looked at first, spread over all, which may be sorted

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

// What nine in ten of the numbers are no greater than; sorts them.
static float nineTenths(float* numbers, uint32_t count) {
    for (uint32_t i = 1; i < count; ++i) {
        const float number = numbers[i];
        uint32_t at = i;
        for (; at > 0 && numbers[at - 1] > number; --at)
            numbers[at] = numbers[at - 1];
        numbers[at] = number;
    }
    return count == 0 ? PROBE_MOST_RATIO : numbers[count - 1];
}

grzResult grzProbe_Scout(const grzModelQuery* queries, uint32_t count, ProbeState* state, grzProbeFit* fit) {
    uint64_t costs[2] = {0, 0};
    float deepest[2][SCOUTS];
    uint32_t apart = 0;
    for (uint32_t i = 0; i < SCOUTS; ++i) {
        const uint32_t index = (uint32_t)((uint64_t)i * count / SCOUTS);
        for (uint32_t axes = grz_axesOfFaces; axes <= grz_axesAll; ++axes) {
            grzResult result = weigh(&queries[index], axes, state, &costs[axes]);
            if (!grzResult_IsOk(result)) {
                result.part = grz_partElement, result.index = index;
                return result;
            }
            deepest[axes][apart] = state->walk.deepest;
        }
        apart += state->walk.end == probeIsApart;
    }
    fit->axes = costs[grz_axesAll] < costs[grz_axesOfFaces] ? grz_axesAll : grz_axesOfFaces;
    fit->voteAbove = nineTenths(deepest[fit->axes], apart);
    return grzOk();
}
