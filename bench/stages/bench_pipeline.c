// What: the stage "pipeline": whole searches for pairs between meshes that deform, from new positions to pairs.
//
// Holds: the reference everywhere is grzBvh_Refit of the moved positions and the plain traversal, grzBoxPairs_Find. What a case
//   measures, and on what, is told in its own file.
#include "bench.h"

#include "pipeline_continuous.h"
#include "pipeline_front.h"
#include "pipeline_keyframes.h"
#include "pipeline_physics.h"
#include "pipeline_self.h"
#include "pipeline_world.h"

static const BenchCase cases[] = {
    {"physics", "vertices that move as a simulation has it: what is known of the last step", benchPipelinePhysics,
     bench_usesN | bench_usesWorkers},
    {"keyframes", "keyframed cloth on a mesh at rest, l frames drawn between keyframes; or --pc2 over --mesh",
     benchPipelineKeyframes, bench_usesN | bench_usesWorkers | bench_usesMesh | bench_usesSequence},
    {"sequences",
     "likewise for every sequence in the folder seq of $GRAZE_DATA, beside itself at rest in its middle",
     benchPipelineSequences, bench_usesWorkers},
    {"continuous", "keyframed cloth on a mesh at rest: impacts of all frames by one search an interval",
     benchPipelineContinuous, bench_usesN | bench_usesWorkers | bench_usesMesh | bench_usesSequence},
    {"front", "pair fronts over kinetic trees, with the paper's figure 22 as rows and as a plot to --svg",
     benchPipelineFront, bench_usesN | bench_usesPlots},
    {"self", "a sheet against itself, from two frames to impacts, beside grzCcdStep_Find", benchPipelineSelf,
     bench_usesN | bench_usesWorkers | bench_usesMesh | bench_usesSequence},
    {"world", "keyframed meshes in a world: alone and beside others, in refits; 64 of them, on two workers",
     benchPipelineWorld, bench_usesN},
};

const BenchStage benchPipeline = {"pipeline", "pairs of deforming meshes, from positions on", cases,
                                  sizeof cases / sizeof cases[0]};
