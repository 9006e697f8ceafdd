// What: the protocol of Klein and Zachmann's section 4: two copies of a mesh at growing distances and random orientations.
//
//   AdbScene scene;
//   if (AdbScene_Make(bench, 10000, &scene) && AdbPoses_Draw(bench, &scene, 1000, ADB_SEED, &scene.poses))
//       ... scene.poses.queries[i], scene.poses.touches[i], scene.poses.steps[i] ...
//   AdbScene_Release(bench, &scene);
//
// The mesh is centred on its box and scaled so that the box's longest side is 2. Centres lie 0 to 2.1 apart in steps of 0.1.
// (The paper prints no unit; its figure 14 ends at 2.1.) Only poses whose outer boxes overlap count. The truth is that of
// grzModels_Touch. [Klein and Zachmann, Time-Critical Collision Detection Using an Average-Case Approach, VRST 2003]
#ifndef GRAZE_BENCH_ADB_PROTOCOL_H
#define GRAZE_BENCH_ADB_PROTOCOL_H

#include "bench.h"
#include "graze/model_pair.h"

enum { ADB_STEPS = 22, ADB_FIRST_COUNTED = 4 }; // distances; errors are of those from 0.4 on

#define ADB_SEED 20031001u

typedef struct AdbPoses {
    grzModelQuery* queries; // of the model with itself; rising in steps, unless they are shuffled
    bool* touches;          // the truth
    uint8_t* steps;         // the distance is a tenth of it
    size_t count, capacity;
} AdbPoses;

typedef struct AdbScene {
    const char* name;
    float* positions; // tight
    uint32_t* triangles;
    size_t vertexCount, triangleCount;
    grzModel* model;
    AdbPoses poses;
} AdbScene;

// The mesh of --mesh, else pipes of about `triangles` triangles; no poses yet. False after Bench_Fail; to be released all the
// same.
bool AdbScene_Make(Bench* bench, size_t triangles, AdbScene* scene);

// The second --mesh, else a sphere.
bool AdbScene_MakeOther(Bench* bench, size_t triangles, AdbScene* scene);
void AdbScene_Release(Bench* bench, AdbScene* scene);

// So many orientations a distance, instead of what was there. False after Bench_Fail.
bool AdbPoses_Draw(Bench* bench, const AdbScene* scene, size_t orientations, uint64_t seed, AdbPoses* poses);
void AdbPoses_Shuffle(AdbPoses* poses, uint64_t seed);
void AdbPoses_Release(Bench* bench, AdbPoses* poses);

// What a method did, per distance.
typedef struct AdbTally {
    size_t counts[ADB_STEPS], wrong[ADB_STEPS];
    double times[ADB_STEPS]; // ns, in all
} AdbTally;

// Answers query i of the scene. False after Bench_Fail.
typedef bool AdbAnswerFn(const AdbScene* scene, size_t query, void* context, bool* touches);

// Every `stride`-th pose.
bool AdbScene_Run(const AdbScene* scene, size_t stride, AdbAnswerFn* answer, void* context, AdbTally* tally);

// Share of wrong answers, and ns a query, over distances from `first` to `last`.
double AdbTally_Error(const AdbTally* tally, int first, int last);
double AdbTally_Time(const AdbTally* tally, int first, int last);

#endif
