// What: see step_watch.h.
//
// Scenes of many bodies are measured in every second, third, ... step, so that some million bodies are looked at in all; the last step
// is always measured.
#include "step_watch.h"

enum { watchWorkers = 3, mostMeasured = 1000000 };

static size_t strideOf(const StepSource* source, size_t bodies) {
    return (bodies * source->steps + mostMeasured - 1) / mostMeasured;
}

static bool isMeasured(const StepSource* source, size_t bodies, size_t step) {
    return step % strideOf(source, bodies) == 0 || step + 1 == source->steps;
}

bool StepWatch_Run(Bench* bench, const StepSource* source, StepWatch* watch) {
    StepWorld world;
    StepOverlap* overlap = &watch->overlap;
    *watch = (StepWatch){0};
    const bool isOpen =
        StepWorld_Open(bench, source, watchWorkers, &world) && source->watch(bench, &world, overlap);
    for (size_t step = 0; step < source->steps && isOpen && !world.failed; ++step) {
        world.failed |= !source->step(&world);
        if (isMeasured(source, overlap->count, step))
            StepOverlap_MeasureWorld(overlap, world.world, step);
    }
    if (isOpen) {
        watch->n = grzWorld_GetStats(world.world).bodyCount - (source->scene != NULL ? source->scene->fixed : 0);
        watch->digest = StepWorld_Digest(&world);
        if (world.failed || overlap->failed)
            Bench_Fail(bench, "step: a step of %s was refused, or not measured", bench->running->name);
    }
    StepWorld_Close(bench, &world);
    return isOpen && !bench->failed;
}

#if defined(GRAZE_PEERS)
bool StepWatch_RunPeer(Bench* bench, const StepSource* source, const PeerStep* peer, StepOverlap* overlap) {
    const StepScene* scene = source->scene;
    StepPose* poses = Bench_Allocate(bench, scene->count, sizeof *poses);
    void* run = peer->create(scene);
    const bool isMade = poses != NULL && StepWorld_WatchBodies(bench, scene, NULL, overlap);
    for (size_t step = 0; step < source->steps && isMade; ++step) {
        peer->step(run);
        if (!isMeasured(source, scene->count, step))
            continue;
        peer->read(run, poses);
        StepOverlap_MeasurePoses(overlap, scene, poses, step);
    }
    peer->destroy(run);
    Bench_Release(bench, poses, scene->count, sizeof *poses);
    if (overlap->failed)
        Bench_Fail(bench, "step: there is no memory to measure %s", bench->running->name);
    return !bench->failed;
}
#endif
