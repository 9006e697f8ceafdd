// What: the list of stages. A new file of cases defines a BenchStage and is added here, in the order of the step.
#include "bench_stages.h"

extern const BenchStage benchAdb;         // bench_adb.c
extern const BenchStage benchBase;        // bench_base.c
extern const BenchStage benchCcd;         // bench_ccd.c
extern const BenchStage benchConvex;      // bench_convex.c
extern const BenchStage benchKinetic;     // bench_kinetic.c
extern const BenchStage benchLinmath;     // bench_linmath.c
extern const BenchStage benchModelShapes; // bench_model_shapes.c
extern const BenchStage benchModels;      // bench_models.c
extern const BenchStage benchPairs;       // bench_pairs.c
extern const BenchStage benchPipeline;    // bench_pipeline.c
extern const BenchStage benchRefit;       // bench_refit.c
extern const BenchStage benchStep;        // bench_step.c
extern const BenchStage benchTree;        // bench_tree.c
extern const BenchStage benchTritri;      // bench_tritri.c

const BenchStage* const benchStages[] = {
    &benchBase,   &benchLinmath,     &benchTree, &benchPairs,  &benchRefit,  &benchKinetic, &benchPipeline,
    &benchModels, &benchModelShapes, &benchAdb,  &benchTritri, &benchConvex, &benchCcd,     &benchStep,
};
const size_t benchStageCount = sizeof benchStages / sizeof benchStages[0];
