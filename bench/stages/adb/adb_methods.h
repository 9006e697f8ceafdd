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
    uint64_t work;  // probabilities, of all queries
    size_t givenUp; // queries: after a million
} AdbPlain;

// The constants of which one is "suitably chosen" (definition 3).
enum { ADB_FACTORS = 12 };
extern const double adbFactors[ADB_FACTORS];

// Counts for all of adbFactors too: PlainAdb_Use.
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
    uint64_t work; // probabilities, of all queries
} AdbOurs;

bool AdbOurs_Make(Bench* bench, const AdbScene* scene, grzAdbTreeDef def, AdbOurs* ours);
void AdbOurs_Release(AdbOurs* ours);
AdbAnswerFn answerByOurs;

// grzModels_Touch; the context is not used.
AdbAnswerFn answerExactly;

// The one of adbFactors with the fewest wrong answers on the scene, distances from 0.4 on. Those with which queries take long are
// not chosen. ADB_FACTORS after Bench_Fail.
uint32_t adbChoosePlain(Bench* bench, const AdbScene* scene, AdbPlain* plain);
uint32_t adbChooseOurs(Bench* bench, const AdbScene* scene, AdbParameter parameter);

// Of which poses only every so many-th are asked, so that a run takes no more than some 6e7 probabilities. `work`: of the method,
// counted by `answer`. 0 after Bench_Fail.
size_t adbStride(const AdbScene* scene, AdbAnswerFn* answer, void* context, const uint64_t* work);

#endif
