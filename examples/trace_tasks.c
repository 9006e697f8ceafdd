// A wobbling ring of points on all cores, with the profiler on: prints what each step cost and writes a trace that
// Perfetto (ui.perfetto.dev) and chrome://tracing open. What Graze logs goes where the host's own messages go. Uses public headers only.
//
//   trace_tasks TRACE.json
#include <graze/graze.h>

#include <stdio.h>
#include <stdlib.h>

enum { pointCount = 400000, grain = 4096, blockCount = (pointCount + grain - 1) / grain, stepCount = 20 };

typedef struct Ring {
    grzProfile* profile;
    grzCounter moved; // points, a counter of the host's own
    float time;
    // A slot for each block, never for each worker: so the result does not depend on luck.
    grzBox bounds[blockCount];
} Ring;

static void movePoints(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    Ring* ring = context;
    grzZone zone;
    grzProfile_BeginZone(ring->profile, grz_stageUser, "move points", worker, &zone);
    grzBox box = grzBox_Empty();
    for (uint32_t i = begin; i < end; ++i) {
        float sine, cosine, angle = (float)i * (6.2831853f / pointCount);
        grzSinCos(angle, &sine, &cosine);
        float radius = 2 + grzSin(7 * angle + ring->time);
        grzVec3 point = {radius * cosine, radius * sine, grzCos(5 * angle - ring->time), 0};
        box = grzBox_AddPoint(box, point);
    }
    ring->bounds[begin / grain] = box;
    grzProfile_Count(ring->profile, worker, ring->moved, end - begin);
    grzProfile_EndZone(&zone);
}

static void writeLog(void* context, grzLogLevel level, const char* text) {
    fprintf((FILE*)context, "trace_tasks: level %d: %s\n", (int)level, text);
}

static void onAssert(void* context, const char* condition, const char* file, int line) {
    fprintf((FILE*)context, "trace_tasks: %s:%d: %s does not hold\n", file, line, condition);
    abort();
}

static bool writeToFile(void* context, const void* bytes, size_t size) {
    return fwrite(bytes, 1, size, (FILE*)context) == size;
}

static void run(grzTasks* tasks, Ring* ring) {
    for (int step = 0; step < stepCount; ++step, ring->time += 0.1f) {
        grzProfile_BeginStep(ring->profile);
        grzParallelFor(tasks, pointCount, grain, movePoints, ring);
        const grzStepSummary* summary = grzProfile_EndStep(ring->profile);
        grzBox box = ring->bounds[0];
        for (int i = 1; i < blockCount; ++i)
            box = grzBox_Union(box, ring->bounds[i]);
        if (step % 5 == 4)
            printf("step %2d: %5.2f ms, %5.2f ms of work on %u workers, x in [%.6f, %.6f]\n", step,
                   (double)summary->wall * 1e-6, (double)summary->stages[grz_stageUser].busy * 1e-6,
                   summary->workerCount, (double)box.lower.x, (double)box.upper.x);
    }
}

static grzResult writeTrace(const Ring* ring, const char* path) {
    FILE* file = fopen(path, "w");
    if (file == NULL)
        return (grzResult){.status = grz_ioFailed};
    const grzResult result = grzProfile_WriteTrace(ring->profile, writeToFile, file);
    const bool isWritten = fclose(file) == 0;
    return isWritten ? result : (grzResult){.status = grz_ioFailed};
}

int main(int count, char** arguments) {
    Ring ring = {0};
    if (count != 2)
        return fprintf(stderr, "usage: trace_tasks TRACE.json\n"), 2;
    grzSetLogHook(writeLog, stderr);
    grzSetAssertHook(onAssert, stderr);
    grzTasks* tasks;
    grzTasksDef tasksDef = grzDefaultTasksDef();
    grzProfileDef profileDef = grzDefaultProfileDef();
    grzResult result = grzTasks_Create(&tasksDef, &tasks);
    if (grzResult_IsOk(result)) {
        profileDef.workerCount = grzTasks_WorkerCount(tasks);
        result = grzProfile_Create(&profileDef, &ring.profile);
    }
    if (grzResult_IsOk(result))
        result = grzProfile_RegisterCounter(ring.profile, "points moved", &ring.moved);
    if (grzResult_IsOk(result)) {
        run(tasks, &ring);
        result = writeTrace(&ring, arguments[1]);
    }
    grzProfile_Destroy(ring.profile);
    grzTasks_Destroy(tasks);
    char text[128];
    if (!grzResult_IsOk(result))
        return fprintf(stderr, "trace_tasks: %s\n", grzResult_Text(result, text, sizeof text)), 2;
    return 0;
}
