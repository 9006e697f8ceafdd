// What: what a fit looks at: walks of queries, as they stood at each stop, and how they ended.
// Threads: writes the samples.
#ifndef GRAZE_NARROWPHASE_PROBE_SAMPLE_H
#define GRAZE_NARROWPHASE_PROBE_SAMPLE_H

#include "probe_state.h"

typedef struct ProbeSample {
    ProbeInputs inputs[grz_probeStops];
    float scores[grz_probeStops]; // by weights of the fold that the query is not in
    uint32_t votes[grz_probeStops];
    uint32_t lastVotes; // up to the last stop, or to the end
    uint32_t stopCount; // at which the walk was still open
    float size;         // of B beside A, by the pose
    bool touches;
} ProbeSample;

typedef struct ProbeSamples {
    ProbeSample* at;
    uint32_t count;
} ProbeSamples;

// Walks to the end. The fit gives axes and the threshold of votes.
grzResult grzProbeSample_Take(ProbeSample* sample, ProbeState* state, const grzProbeQuery* query);

// Looks at a few of the queries with either axes: sets those that take less work, and the threshold of votes, the deepest pair
// of those of them that do not touch.
grzResult grzProbe_Scout(grzTasks* tasks, const grzModelQuery* queries, uint32_t count, grzProbeFit* fit);

#endif
