// What: what cases need beside clocks and rows: failing, sizes, digests, memory.
#include "bench.h"

#include <stdarg.h>

#include "hash.h"
#include "memory.h"

void Bench_Fail(Bench* bench, const char* format, ...) {
    if (bench->failed)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(bench->error, sizeof bench->error, format, arguments);
    va_end(arguments);
    bench->failed = true;
}

void Bench_Skip(Bench* bench, const char* format, ...) {
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (bench->options->caseName != NULL)
        Bench_Fail(bench, "%s", text);
    else
        fprintf(bench->out, "%-9s %-36s skipped: %s\n", bench->stage->name, bench->running->name, text);
}

void Bench_ExpectUse(Bench* bench, unsigned use) {
    if ((bench->running->uses & use) != use)
        Bench_Fail(bench, "the case %s does not say that it uses this option", bench->running->name);
}

size_t Bench_Size(Bench* bench, size_t usual, size_t quick) {
    Bench_ExpectUse(bench, bench_usesN);
    if (bench->options->n != 0)
        return bench->options->n;
    return bench->options->quick ? quick : usual;
}

size_t Bench_Workers(Bench* bench, size_t workers[2]) {
    Bench_ExpectUse(bench, bench_usesWorkers);
    workers[0] = bench->options->workers != 0 ? bench->options->workers : 1;
    workers[1] = 2;
    return bench->options->workers != 0 ? 1 : 2;
}

const char* Bench_Queries(Bench* bench) {
    Bench_ExpectUse(bench, bench_usesQueries);
    return bench->options->queries;
}

const char* Bench_Frames(Bench* bench) {
    Bench_ExpectUse(bench, bench_usesFrames);
    return bench->options->frames;
}

bool Bench_WantsPeers(Bench* bench) {
    Bench_ExpectUse(bench, bench_usesPeers);
    return bench->options->peers;
}

uint64_t Bench_Digest(uint64_t seed, const void* data, size_t size) {
    return grzHashBytes(data, size, seed);
}

void* Bench_Allocate(Bench* bench, size_t count, size_t size) {
    void* memory = grzAllocate(&bench->allocator, count, size, 64);
    if (memory == NULL)
        Bench_Fail(bench, "%s: no memory for %zu elements of %zu bytes", bench->running->name, count, size);
    return memory;
}

void Bench_Release(Bench* bench, void* memory, size_t count, size_t size) {
    grzRelease(&bench->allocator, memory, count, size, 64);
}
