// What the steps of a run cost and counted, and the bodies that they stopped: for a table at its end, and a line of CSV
// a step.
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
    uint64_t stopCount;     // of bodies, in all steps
    uint64_t firstStopStep; // from 1; 0: none was stopped
    grzBodyEvent firstStop;
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

// After Add: the body events of the step.
void RunRecord_AddBodyEvents(RunRecord* record, grzWorldBodyEvents events);

// How many bodies were stopped, and the first of them; nothing where none was.
void RunRecord_PrintStops(const RunRecord* record, FILE* file);
// Stage by stage: time in all, share, median and 99th percentile a step; then what was counted.
void RunRecord_PrintTable(RunRecord* record, FILE* file);
// A header, and a line a step.
void RunRecord_PutCsv(const RunRecord* record, ByteSink* sink);

#endif
