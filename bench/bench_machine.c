// What: clock, cores and self-description of graze-bench. All that asks the operating system is in this file.
#define _GNU_SOURCE // sched_setaffinity
#include "bench_machine.h"

#include <limits.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined(__GLIBC__)
#    include <malloc.h>
#endif

#include "bench_commit.h" // written by the build
#include "clock.h"
#include "graze/simd_level.h"

uint64_t benchNow(void) {
    return grzMonotonicNanoseconds();
}

uint64_t benchProcessorTime(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void benchSleep(uint64_t nanoseconds) {
    struct timespec rest = {(time_t)(nanoseconds / 1000000000u), (long)(nanoseconds % 1000000000u)};
    while (nanosleep(&rest, &rest) != 0)
        continue; // a signal came; `rest` is what is left
}

#if defined(__linux__)

static cpu_set_t g_before;
static bool g_pinned;

int benchPin(void) {
    int core = sched_getcpu();
    cpu_set_t only;
    CPU_ZERO(&only);
    if (core < 0 || core >= CPU_SETSIZE || sched_getaffinity(0, sizeof g_before, &g_before) != 0)
        return -1;
    CPU_SET((size_t)core, &only);
    g_pinned = sched_setaffinity(0, sizeof only, &only) == 0;
    return g_pinned ? core : -1;
}

void benchUnpin(void) {
    if (g_pinned)
        sched_setaffinity(0, sizeof g_before, &g_before);
    g_pinned = false;
}

#else

int benchPin(void) {
    return -1;
}

void benchUnpin(void) {}

#endif

void benchKeepMemory(void) {
#if defined(__GLIBC__)
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
#endif
}

// The processor's name as Linux tells it, else the architecture's.
static void printProcessor(FILE* out) {
    char line[256];
    const char* name = NULL;
    FILE* file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && name == NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "model name", 10) != 0 || strchr(line, ':') == NULL)
            continue;
        line[strcspn(line, "\n")] = 0;
        name = strchr(line, ':') + 1;
        name += strspn(name, " ");
    }
    if (file != NULL)
        fclose(file);
    fprintf(out, "machine   %s, %ld cores online\n", name != NULL ? name : GRAZE_BENCH_PROCESSOR,
            sysconf(_SC_NPROCESSORS_ONLN));
}

void benchPrintMachine(FILE* out) {
    printProcessor(out);
    fprintf(out, "compiler  %s; %s\n", GRAZE_BENCH_COMPILER, GRAZE_BENCH_FLAGS);
    fprintf(out, "simd      %s\n", grzSimd_LevelName(grzSimd_Level()));
#if defined(GRAZE_OPENMP)
    fprintf(out, "openmp    on\n");
#else
    fprintf(out, "openmp    off\n");
#endif
    fprintf(out, "commit    %s\n", GRAZE_BENCH_COMMIT);
}
