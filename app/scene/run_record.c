// What: keeps what each step cost, and prints it (run_record.h).
#include "run_record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool RunRecord_Create(RunRecord* record, uint64_t steps, grzAllocator allocator) {
    memset(record, 0, sizeof *record);
    record->allocator = allocator;
    return steps <= SIZE_MAX / sizeof(RunStep) &&
           grzArray_Reserve(&record->steps, &record->allocator, (size_t)steps) &&
           grzArray_Reserve(&record->sorted, &record->allocator, (size_t)steps);
}

void RunRecord_Release(RunRecord* record) {
    grzArray_Release(&record->steps, &record->allocator);
    grzArray_Release(&record->sorted, &record->allocator);
}

void RunRecord_Add(RunRecord* record, const grzStepSummary* summary, const grzWorldStats* stats) {
    RunStep* step = &record->steps.data[record->steps.count++];
    uint64_t inside = 0;
    for (int i = 0; i < grz_stageUser; ++i) {
        step->stages[i] = (float)summary->stages[i].span * 1e-6f;
        inside += summary->stages[i].span;
    }
    step->wall = (float)summary->wall * 1e-6f;
    step->stages[grz_stageUser] = inside < summary->wall ? (float)(summary->wall - inside) * 1e-6f : 0;
    step->pairs = stats->bodyPairs;
    step->recycled = stats->recycledPairs;
    step->triangles = stats->trianglePairs;
    step->contacts = stats->contacts;
    step->touching = stats->touchingPairs;
}

void RunRecord_AddBodyEvents(RunRecord* record, grzWorldBodyEvents events) {
    if (record->stopCount == 0 && events.count != 0) {
        record->firstStop = events.events[0];
        record->firstStopStep = record->steps.count;
    }
    record->stopCount += events.count;
}

void RunRecord_PrintStops(const RunRecord* record, FILE* file) {
    if (record->stopCount != 0)
        fprintf(file, "stopped: %" PRIu64 " times a body; the first is object %u in step %" PRIu64 ": %s\n",
                record->stopCount, record->firstStop.body.index1 - 1, record->firstStopStep,
                grzStopReason_Text((grzStopReason)record->firstStop.reason));
}

static int compareFloats(const void* a, const void* b) {
    const float x = *(const float*)a, y = *(const float*)b;
    return (x > y) - (x < y);
}

// Sorts one column; a stage, or the whole step where stage is grz_stageCount. Returns its sum.
static double sortColumn(RunRecord* record, int stage) {
    double sum = 0;
    record->sorted.count = record->steps.count;
    for (size_t i = 0; i < record->steps.count; ++i) {
        const RunStep* step = &record->steps.data[i];
        record->sorted.data[i] = stage == grz_stageCount ? step->wall : step->stages[stage];
        sum += (double)record->sorted.data[i];
    }
    qsort(record->sorted.data, record->sorted.count, sizeof(float), compareFloats);
    return sum;
}

static double percentile(const RunRecord* record, double part) {
    const size_t last = record->sorted.count - 1;
    return (double)record->sorted.data[(size_t)(part * (double)last + 0.5)];
}

static void printTimes(RunRecord* record, FILE* file) {
    const double whole = sortColumn(record, grz_stageCount);
    fprintf(file, "%-10s %12s %8s %10s %10s\n", "stage", "total ms", "share", "p50 ms", "p99 ms");
    for (int stage = 0; stage <= grz_stageCount; ++stage) {
        const double sum = sortColumn(record, stage);
        fprintf(file, "%-10s %12.3f %7.1f%% %10.4f %10.4f\n",
                stage == grz_stageCount  ? "step"
                : stage == grz_stageUser ? "between"
                                         : grzStage_Name((grzStage)stage),
                sum, whole > 0 ? 100.0 * sum / whole : 0.0, percentile(record, 0.5), percentile(record, 0.99));
    }
}

static void printCounters(const RunRecord* record, FILE* file) {
    RunStep all;
    memset(&all, 0, sizeof all);
    for (size_t i = 0; i < record->steps.count; ++i) {
        const RunStep* step = &record->steps.data[i];
        all.pairs += step->pairs;
        all.recycled += step->recycled;
        all.triangles += step->triangles;
        all.contacts += step->contacts;
        all.touching += step->touching;
    }
    const RunStep* last = &record->steps.data[record->steps.count - 1];
    fprintf(file, "%-18s %14s %14s %14s\n", "counted", "total", "a step", "last step");
    const struct {
        const char* name;
        uint64_t sum, last;
    } counters[] = {{"body pairs", all.pairs, last->pairs},
                    {"  recycled", all.recycled, last->recycled},
                    {"triangle pairs", all.triangles, last->triangles},
                    {"contacts", all.contacts, last->contacts},
                    {"touching pairs", all.touching, last->touching}};
    for (size_t i = 0; i < sizeof counters / sizeof *counters; ++i)
        fprintf(file, "%-18s %14" PRIu64 " %14.1f %14" PRIu64 "\n", counters[i].name, counters[i].sum,
                (double)counters[i].sum / (double)record->steps.count, counters[i].last);
}

void RunRecord_PrintTable(RunRecord* record, FILE* file) {
    if (record->steps.count == 0)
        return;
    printTimes(record, file);
    printCounters(record, file);
}

void RunRecord_PutCsv(const RunRecord* record, ByteSink* sink) {
    char text[160];
    ByteSink_PutText(sink, "step,step_ms");
    for (int stage = 0; stage < grz_stageUser; ++stage) {
        snprintf(text, sizeof text, ",%s_ms", grzStage_Name((grzStage)stage));
        ByteSink_PutText(sink, text);
    }
    ByteSink_PutText(sink, ",body_pairs,recycled_pairs,triangle_pairs,contacts,touching_pairs\n");
    for (size_t i = 0; i < record->steps.count; ++i) {
        const RunStep* step = &record->steps.data[i];
        snprintf(text, sizeof text, "%zu,%.6f", i, (double)step->wall);
        ByteSink_PutText(sink, text);
        for (int stage = 0; stage < grz_stageUser; ++stage) {
            snprintf(text, sizeof text, ",%.6f", (double)step->stages[stage]);
            ByteSink_PutText(sink, text);
        }
        snprintf(text, sizeof text, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", step->pairs,
                 step->recycled, step->triangles, step->contacts, step->touching);
        ByteSink_PutText(sink, text);
    }
}
