// What: the methods that answer the protocol: the paper's tree, ours, and the exact query; and the area constant of a mesh.
#ifndef GRAZE_BENCH_ADB_METHODS_H
#define GRAZE_BENCH_ADB_METHODS_H

#include "adb_protocol.h"
#include "graze/stage/time_critical.h"
#include "plain_adb.h"

typedef struct AdbParameter {
    float pMin;
    uint32_t kMin;
} AdbParameter;

// plain_adb over plain_bvh.
typedef struct AdbPlain {
    Bench* bench;
    PlainBvh bvh;
    PlainAdb adb;
    AdbParameter parameter;
} AdbPlain;

bool AdbPlain_Make(Bench* bench, const AdbScene* scene, uint32_t resolution, double areaFactor, AdbPlain* plain);
void AdbPlain_Release(AdbPlain* plain);
AdbAnswerFn answerByPlain;

// The relative pose of a query, which is rigid, and its parameters.
PlainAdbQuery AdbPlain_Query(const AdbPlain* plain, const grzModelQuery* query);

// grzAdbTree, by the published method of time-critical queries.
typedef struct AdbOurs {
    Bench* bench;
    grzAdbTree* tree;
    grzModelProbe* probe;
    AdbParameter parameter;
} AdbOurs;

bool AdbOurs_Make(Bench* bench, const AdbScene* scene, grzAdbTreeDef def, AdbOurs* ours);
void AdbOurs_Release(AdbOurs* ours);
AdbAnswerFn answerByOurs;

// grzModels_Touch; the context is not used.
AdbAnswerFn answerExactly;

// "Suitably chosen" (definition 3): of some constants the one with the fewest wrong answers on the scene, distances from 0.4 on.
// 0 after Bench_Fail.
double adbChooseFactor(Bench* bench, const AdbScene* scene, bool isPlain, AdbParameter parameter);

#endif
