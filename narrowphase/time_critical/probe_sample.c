// What: see probe_sample.h.
#include "probe_sample.h"

#include "first_refused.h"
#include "model_search.h"
#include "result_make.h"

// Instructions, by callgrind at AVX2 inside grzProbeWalk: five meshes with either axes, poses of
// bench/scenes/model_protocol.h, ten a distance; least squares over the counts of steps, leaf pairs and exact tests. The sums are
// within 3 % for each mesh.
enum { STEP_COST = 395, STEP_COST_ALL_AXES = 598, LEAF_COST = 285, EXACT_COST = 19000 };

// Queries that are looked at first, spread over all, which may be sorted. Exact tests are few and expensive: of 64 queries of
// cylinder_engine every third draw chose the wrong axes, of 200 every fifth.
enum { SCOUTS = 200, SCOUT_GRAIN = 8 };

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
    sample->size = walk->search.relation.into[0].size;
    return grzOk();
}

// What the queries looked at first take with either axes.
typedef struct Scout {
    uint64_t costs[2];
    float deepest[2]; // of a query that does not touch; else -1
} Scout;

typedef struct Scouting {
    const grzModelQuery* queries;
    uint32_t count, scoutCount;
    Scout scouts[SCOUTS];
} Scouting;

// The exact answer with some axes.
static grzResult weigh(const grzModelQuery* query, uint32_t axes, Scout* scout) {
    ProbeState state;
    const ProbeWalk* walk = &state.walk;
    grzProbeQuery probe = grzDefaultProbeQuery();
    probe.models = *query;
    probe.models.axes = (grzModelAxes)axes;
    const grzResult result = grzProbeState_Begin(&state, &probe);
    if (!grzResult_IsOk(result))
        return result;
    if (walk->end == probeIsOpen)
        state.run(&state.walk, UINT32_MAX, false);
    const uint64_t step = axes == grz_axesAll ? STEP_COST_ALL_AXES : STEP_COST,
                   exact = walk->search.stats.exactTests;
    scout->costs[axes] =
        step * (walk->work - walk->leafPairs - exact) + LEAF_COST * walk->leafPairs + EXACT_COST * exact;
    scout->deepest[axes] = walk->end == probeIsApart ? walk->deepest : -1;
    return result;
}

static uint32_t queryOf(const Scouting* scouting, uint32_t item) {
    return (uint32_t)((uint64_t)item * scouting->count / scouting->scoutCount);
}

static grzResult weighBoth(uint32_t item, void* context) {
    Scouting* scouting = context;
    const grzModelQuery* query = &scouting->queries[queryOf(scouting, item)];
    const grzResult result = weigh(query, grz_axesOfFaces, &scouting->scouts[item]);
    return grzResult_IsOk(result) ? weigh(query, grz_axesAll, &scouting->scouts[item]) : result;
}

grzResult grzProbe_Scout(grzTasks* tasks, const grzModelQuery* queries, uint32_t count, grzProbeFit* fit) {
    Scouting scouting = {.queries = queries, .count = count, .scoutCount = count < SCOUTS ? count : SCOUTS};
    uint64_t costs[2] = {0, 0};
    float deepest[2] = {-1, -1};
    grzResult result = grzParallelAnswer(tasks, scouting.scoutCount, SCOUT_GRAIN, weighBoth, &scouting);
    if (!grzResult_IsOk(result)) {
        result.index = queryOf(&scouting, (uint32_t)result.index);
        return result;
    }
    for (uint32_t i = 0; i < scouting.scoutCount; ++i)
        for (uint32_t axes = grz_axesOfFaces; axes <= grz_axesAll; ++axes) {
            const Scout* scout = &scouting.scouts[i];
            costs[axes] += scout->costs[axes];
            deepest[axes] = scout->deepest[axes] > deepest[axes] ? scout->deepest[axes] : deepest[axes];
        }
    fit->axes = costs[grz_axesAll] < costs[grz_axesOfFaces] ? grz_axesAll : grz_axesOfFaces;
    fit->voteAbove = deepest[fit->axes] < 0 ? PROBE_MOST_RATIO : deepest[fit->axes];
    return grzOk();
}
