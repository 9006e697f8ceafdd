// What: see ccd_frames.h.
// Holds: ours is a batch over all pairs of a list; beside it the same pairs are asked one by one, as queries of their own. Both
// answers must be those of the list.
#include "ccd_frames.h"

#include <string.h>

#include "array.h"
#include "bench_folders.h"
#include "ccd_mesh_step.h"
#include "file_bytes.h"
#include "file_error.h"
#include "graze/ccd_pairs.h"
#include "mesh_read.h"
#include "number_text.h"
#include "text_cursor.h"

enum { NUMBERS = 5 };

typedef struct Indices {
    GRZ_ARRAY(uint32_t);
} Indices;

typedef struct Truths {
    GRZ_ARRAY(uint8_t);
} Truths;

typedef struct Step {
    Bench* bench;
    MeshData frames[2];
    grzCcdMotion* motion;
    grzCcdPairs pairs;
    Indices vertices[2]; // by grzCcdKind
    Truths truths[2];
    uint8_t* answers; // of ours, and behind them of the queries
} Step;

// ---- files ----

static bool readNumbers(TextCursor* text, double numbers[NUMBERS]) {
    for (int i = 0; i < NUMBERS; ++i) {
        const char* next = parseDouble(text->at, text->end, &numbers[i]);
        if (next == NULL || (i + 1 < NUMBERS && (next == text->end || *next != ',')) || !(numbers[i] >= 0) ||
            !(numbers[i] < 4294967295.0))
            return false;
        text->at = next + (i + 1 < NUMBERS);
    }
    return TextCursor_IsAtEnd(text) || isLineEnd(*text->at);
}

static bool keep(Step* step, grzCcdKind kind, const double numbers[NUMBERS]) {
    const grzAllocator* allocator = &step->bench->allocator;
    Indices* vertices = &step->vertices[kind];
    Truths* truths = &step->truths[kind];
    if (!grzArray_Reserve(vertices, allocator, vertices->count + 4) ||
        !grzArray_Reserve(truths, allocator, truths->count + 1))
        return false;
    for (int i = 0; i < 4; ++i)
        vertices->data[vertices->count++] = (uint32_t)numbers[i];
    truths->data[truths->count++] = numbers[4] != 0;
    return true;
}

static bool readPairs(Step* step, grzCcdKind kind, const char* path, FileError* error) {
    FileBytes bytes = {0};
    bool isRead = FileBytes_Read(&bytes, path, &step->bench->allocator, error);
    TextCursor text = {bytes.data, bytes.data + bytes.count, 1};
    while (isRead && !TextCursor_IsAtEnd(&text)) {
        double numbers[NUMBERS];
        if (isLineEnd(*text.at))
            TextCursor_TakeLineEnd(&text);
        else if (!readNumbers(&text, numbers))
            isRead = failAtLine(error, path, text.line, "not four vertices and an answer");
        else
            isRead = keep(step, kind, numbers) || failFile(error, path, "no memory for its pairs");
    }
    FileBytes_Release(&bytes, &step->bench->allocator);
    return isRead;
}

// ---- sides ----

static void clearAnswers(void* context) {
    const Step* step = context;
    memset(step->answers, 0xFF, 2 * (size_t)step->pairs.count);
}

static void runBatch(void* context) {
    const Step* step = context;
    const grzResult result = grzCcdMotion_Decide(step->motion, NULL, &step->pairs, step->answers);
    if (!grzResult_IsOk(result))
        clearAnswers(context);
}

static void runQueries(void* context) {
    const Step* step = context;
    for (uint32_t i = 0; i < step->pairs.count; ++i) {
        const grzCcdQuery query =
            grzCcdMotion_Query(step->motion, step->pairs.kind, step->pairs.vertices + 4 * (size_t)i);
        grzCertainty certainty;
        bool touches;
        if (grzResult_IsOk(grzCcd_Touches(&query, &touches, &certainty)))
            step->answers[step->pairs.count + i] = touches ? grz_ccdTouching : grz_ccdApart;
    }
}

static uint64_t digestBatch(void* context) {
    const Step* step = context;
    return Bench_Digest(0, step->answers, step->pairs.count);
}

static uint64_t digestQueries(void* context) {
    const Step* step = context;
    return Bench_Digest(0, step->answers + step->pairs.count, step->pairs.count);
}

static bool isTrue(void* context) {
    const Step* step = context;
    return memcmp(step->answers, step->truths[step->pairs.kind].data, step->pairs.count) == 0;
}

static void measure(Step* step, const char* name, const char* metric) {
    const BenchSide sides[] = {
        {"graze", NULL, runBatch, digestBatch, isTrue, step, clearAnswers},
        {"one by one", NULL, runQueries, digestQueries, NULL, step, clearAnswers},
    };
    const BenchJob job = {.variant = name,
                          .metric = metric,
                          .unit = "ns/pair",
                          .amount = (double)step->pairs.count,
                          .n = step->pairs.count,
                          .workers = 1,
                          .sides = sides,
                          .sideCount = 2};
    Bench_Measure(step->bench, &job);
}

// ---- a scene ----

static void runList(Step* step, const char* folder, const char* name, grzCcdKind kind) {
    Bench* bench = step->bench;
    char path[BENCH_PATH_SIZE];
    FileError error;
    if (!Bench_JoinPath(bench, folder, kind == grz_ccdEdgeEdge ? "ee.csv" : "vf.csv", path) || !Bench_HasFile(path))
        return;
    if (!readPairs(step, kind, path, &error)) {
        Bench_Fail(bench, "%s", error.text);
        return;
    }
    const size_t count = step->truths[kind].count;
    step->pairs = (grzCcdPairs){kind, step->vertices[kind].data, (uint32_t)count};
    step->answers = Bench_Allocate(bench, count, 2);
    if (step->answers != NULL && count != 0)
        measure(step, name, kind == grz_ccdEdgeEdge ? "edge-edge" : "vertex-face");
    Bench_Release(bench, step->answers, count, 2);
}

static bool readFrames(Step* step, const char* folder, FileError* error) {
    char paths[2][BENCH_PATH_SIZE];
    if (!Bench_JoinPath(step->bench, folder, "frame0.ply", paths[0]) ||
        !Bench_JoinPath(step->bench, folder, "frame1.ply", paths[1]))
        return failFile(error, folder, "its path is too long");
    for (int end = 0; end < 2; ++end)
        if (!readMesh(paths[end], step->bench->allocator, &step->frames[end], error))
            return false;
    return (step->frames[0].vertexCount == step->frames[1].vertexCount &&
            step->frames[0].isDouble == step->frames[1].isDouble) ||
           failFile(error, paths[1], "not as many vertices as frame0.ply, or of another type");
}

static bool makeMotion(Step* step, FileError* error) {
    grzCcdMotionDef def = grzDefaultCcdMotionDef();
    def.start = step->frames[0].positions, def.end = step->frames[1].positions;
    def.vertexCount = step->frames[0].vertexCount;
    def.type = step->frames[0].isDouble ? grz_float64 : grz_float32;
    const grzResult result = grzCcdMotion_Create(&def, &step->motion);
    return grzResult_IsOk(result) || failResult(error, "frame0.ply, frame1.ply", result);
}

bool benchCcdScene(Bench* bench, const char* folder, const char* name) {
    char path[BENCH_PATH_SIZE];
    Step step = {.bench = bench};
    FileError error;
    if (!Bench_JoinPath(bench, folder, "frame0.ply", path) || !Bench_HasFile(path))
        return false;
    if (!readFrames(&step, folder, &error) || !makeMotion(&step, &error))
        Bench_Fail(bench, "%s", error.text);
    for (int kind = 0; kind < 2 && !bench->failed; ++kind)
        runList(&step, folder, name, (grzCcdKind)kind);
    const CcdList lists[2] = {{step.vertices[0].data, step.truths[0].data, step.truths[0].count},
                              {step.vertices[1].data, step.truths[1].data, step.truths[1].count}};
    if (!bench->failed)
        benchCcdMeshStep(bench, name, step.frames, lists);
    grzCcdMotion_Destroy(step.motion);
    for (int end = 0; end < 2; ++end)
        MeshData_Release(&step.frames[end]);
    for (int kind = 0; kind < 2; ++kind) {
        grzArray_Release(&step.vertices[kind], &bench->allocator);
        grzArray_Release(&step.truths[kind], &bench->allocator);
    }
    return true;
}
