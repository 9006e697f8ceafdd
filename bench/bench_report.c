// What: prints rows. Times (units that start with "ns") are scaled for people, never in JSON.
#include "bench_report.h"
#include "json_text.h"

#include <math.h>
#include <string.h>

typedef struct Scale {
    double factor;
    char unit[24];
} Scale;

static Scale scaleFor(double value, const char* unit) {
    static const struct {
        double least, factor;
        const char* prefix;
    } steps[] = {{1e9, 1e-9, "s"}, {1e6, 1e-6, "ms"}, {1e3, 1e-3, "us"}, {0, 1, "ns"}};
    Scale scale = {1, ""};
    if (strncmp(unit, "ns", 2) != 0) {
        snprintf(scale.unit, sizeof scale.unit, "%s", unit);
        return scale;
    }
    size_t i = 0;
    while (value < steps[i].least)
        ++i;
    scale.factor = steps[i].factor;
    snprintf(scale.unit, sizeof scale.unit, "%s%s", steps[i].prefix, unit + 2);
    return scale;
}

// Four digits, and whole numbers in full.
static void numberText(double value, char* text, size_t capacity) {
    double size = fabs(value);
    if (value == floor(value) && size < 1e15)
        snprintf(text, capacity, "%.0f", value);
    else if (size >= 1000)
        snprintf(text, capacity, "%.0f", value);
    else
        snprintf(text, capacity, "%.*f", size >= 100 ? 1 : size >= 10 ? 2 : 3, value);
}

static void valueText(BenchSpread value, const char* unit, char* text, size_t capacity) {
    char number[32];
    Scale scale = scaleFor(value.median, unit);
    numberText(value.median * scale.factor, number, sizeof number);
    snprintf(text, capacity, "%s %s", number, scale.unit);
}

static void spreadText(BenchSpread value, const char* unit, char* text, size_t capacity) {
    char lower[32], upper[32];
    Scale scale = scaleFor(value.median, unit);
    numberText(value.lower * scale.factor, lower, sizeof lower);
    numberText(value.upper * scale.factor, upper, sizeof upper);
    snprintf(text, capacity, value.lower < value.upper ? "%s..%s" : "-", lower, upper);
}

static void printPlain(FILE* out, const char* text) {
    fputs(text, out);
}

// "case" or "case/variant", of any length.
static void printName(FILE* out, const BenchRow* row, void (*print)(FILE* out, const char* text)) {
    print(out, row->caseName);
    if (row->variant != NULL) {
        print(out, "/");
        print(out, row->variant);
    }
}

#define STAGE_FORMAT "%-9s "
#define NAME_WIDTH   36
#define REST_FORMAT  " %9s %3s  %-24s %18s %18s  %-14s %18s %18s %7s  %s\n"

static void printNameColumn(FILE* out, const BenchRow* row) {
    size_t length = strlen(row->caseName) + (row->variant != NULL ? 1 + strlen(row->variant) : 0);
    printName(out, row, printPlain);
    for (; length < NAME_WIDTH; ++length)
        fputc(' ', out);
}

void benchPrintTableHead(FILE* out) {
    const BenchRow head = {.caseName = "case"};
    fprintf(out, STAGE_FORMAT, "stage");
    printNameColumn(out, &head);
    fprintf(out, REST_FORMAT, "n", "wrk", "metric", "median", "least..greatest", "peer", "median",
            "least..greatest", "ratio", "same");
}

void benchPrintTableRow(FILE* out, const BenchRow* row) {
    char count[24], workers[24], ratio[32] = "-";
    char value[64], spread[80], peerValue[64] = "-", peerSpread[80] = "-";
    snprintf(count, sizeof count, "%zu", row->n);
    snprintf(workers, sizeof workers, "%zu", row->workers);
    valueText(row->value, row->unit, value, sizeof value);
    spreadText(row->value, row->unit, spread, sizeof spread);
    if (row->peer != NULL) {
        valueText(row->peerValue, row->unit, peerValue, sizeof peerValue);
        spreadText(row->peerValue, row->unit, peerSpread, sizeof peerSpread);
        if (isfinite(row->ratio))
            snprintf(ratio, sizeof ratio, "%.2f", row->ratio);
    }
    fprintf(out, STAGE_FORMAT, row->stage);
    printNameColumn(out, row);
    fprintf(out, REST_FORMAT, count, workers, row->metric, value, spread, row->peer != NULL ? row->peer : "-",
            peerValue, peerSpread, ratio, row->same ? "yes" : "NO");
    fflush(out);
}

void benchPrintJson(FILE* out, const BenchRow* row) {
    fprintf(out, "{\"stage\":");
    printJsonString(out, row->stage);
    fprintf(out, ",\"case\":\"");
    printName(out, row, printJsonEscaped);
    fprintf(out, "\",\"n\":%zu,\"workers\":%zu,\"metric\":", row->n, row->workers);
    printJsonString(out, row->metric);
    fprintf(out, ",\"value\":");
    printJsonNumber(out, row->value.median);
    fprintf(out, ",\"unit\":");
    printJsonString(out, row->unit);
    if (row->peer != NULL) {
        fprintf(out, ",\"peer\":");
        printJsonString(out, row->peer);
        fprintf(out, ",\"peer_value\":");
        printJsonNumber(out, row->peerValue.median);
        fprintf(out, ",\"ratio\":");
        printJsonNumber(out, row->ratio);
    } else {
        fprintf(out, ",\"peer\":null,\"peer_value\":null,\"ratio\":null");
    }
    fprintf(out, ",\"same\":%s}\n", row->same ? "true" : "false");
}
