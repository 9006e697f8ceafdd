// What the steps of a run cost and counted: for a table at its end, and a line of CSV a step.
#ifndef GRAZE_APP_RUN_RECORD_H
#define GRAZE_APP_RUN_RECORD_H

#include <stdio.h>

#include "byte_sink.h"
#include "graze/graze.h"

typedef struct RunStep {
    float stages[grz_stageCount]; // milliseconds; that of grz_stageUser: what no stage has
    float wall;
    uint64_t pairs, recycled, triangles, contacts, touching;
} RunStep;

typedef struct RunRecord {
    grzAllocator allocator;
    struct {
        GRZ_ARRAY(RunStep);
    } steps;
    struct {
        GRZ_ARRAY(float);
    } sorted; // scratch
} RunRecord;

// Room for all steps at once, so that Add cannot fail; false where memory is refused.
bool RunRecord_Create(RunRecord* record, uint64_t steps, grzAllocator allocator);
void RunRecord_Release(RunRecord* record);
void RunRecord_Add(RunRecord* record, const grzStepSummary* summary, const grzWorldStats* stats);

// Stage by stage: time in all, share, median and 99th percentile a step; then what was counted.
void RunRecord_PrintTable(RunRecord* record, FILE* file);
// A header, and a line a step.
void RunRecord_PutCsv(const RunRecord* record, ByteSink* sink);

#endif
