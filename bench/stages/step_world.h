// Our side of the stage "step": a world with what it runs on, made of a described scene or read from a file.
#ifndef GRAZE_BENCH_STEP_WORLD_H
#define GRAZE_BENCH_STEP_WORLD_H

#include "bench.h"
#include "graze/body.h"
#include "step_overlap.h"
#include "step_scene.h"

typedef struct StepSource StepSource;

typedef struct StepWorld {
    const StepSource* source;
    grzTasks* tasks;
    grzProfile* profile;
    grzWorld* world;
    void* owner; // what the world belongs to where it is not the StepWorld's; the source's own
    bool failed; // to step
    // Summed over the steps that were measured.
    double busy[grz_stageCount], spans[grz_stageCount], wall; // nanoseconds
    uint64_t bodyPairs, recycledPairs, trianglePairs, contacts;
} StepWorld;

// Where worlds come from: as many equal ones as are asked for.
struct StepSource {
    const char* variant;
    size_t steps;
    const StepScene* scene;                       // NULL: of a file, that no other engine reads
    const char* path;                             // of the file
    bool (*open)(Bench* bench, StepWorld* world); // makes the world, with tasks and profile; false after Bench_Fail
    // Makes `overlap`, with all bodies of the world; false after Bench_Fail.
    bool (*watch)(Bench* bench, StepWorld* world, StepOverlap* overlap);
    bool (*step)(StepWorld* world);
    void (*close)(Bench* bench, StepWorld* world);
};

// Fails the run with the result's sentence; true where it is no failure.
bool StepWorld_Check(Bench* bench, grzResult result);

// Also where it fails, after Bench_Fail, the world is to be closed.
bool StepWorld_Open(Bench* bench, const StepSource* source, size_t workers, StepWorld* world);
void StepWorld_Close(Bench* bench, StepWorld* world);

// Of its state, and of the contacts and events of the last step.
uint64_t StepWorld_Digest(StepWorld* world);

// All bodies of a scene, in its order, at the poses, or where the scene has them.
bool StepWorld_AddBodies(Bench* bench, grzWorld* world, const StepScene* scene, const StepPose* poses);

// Makes an overlap of all bodies of a described scene; the world may be NULL where only poses are measured. False after Bench_Fail.
bool StepWorld_WatchBodies(Bench* bench, const StepScene* scene, const grzWorld* world, StepOverlap* overlap);

// For sources of a described scene.
bool StepWorld_OpenScene(Bench* bench, StepWorld* world);
bool StepWorld_WatchScene(Bench* bench, StepWorld* world, StepOverlap* overlap);
bool StepWorld_StepScene(StepWorld* world);
void StepWorld_CloseScene(Bench* bench, StepWorld* world);

#endif
