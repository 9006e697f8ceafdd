// How results leave graze-bench: a table for people, and a line of JSON a row for programs.
#ifndef GRAZE_BENCH_REPORT_H
#define GRAZE_BENCH_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "bench_stats.h"

typedef struct BenchRow {
    const char* stage;
    const char* caseName;
    const char* variant; // NULL, or what tells rows of one case apart; written "case/variant"
    const char* metric;
    const char* unit;
    const char* peer; // NULL: there is none, and peerValue and ratio mean nothing
    size_t n;
    size_t workers;
    BenchSpread value; // a counter has lower and upper equal to the median
    BenchSpread peerValue;
    double ratio; // NaN: none
    bool same;
} BenchRow;

void benchPrintTableHead(FILE* out);
void benchPrintTableRow(FILE* out, const BenchRow* row);

// One object on one line, always with the same keys in the same order.
void benchPrintJson(FILE* out, const BenchRow* row);

#endif
