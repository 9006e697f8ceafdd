// The cases of the stage "base", which lie in several files.
#ifndef GRAZE_BENCH_BASE_H
#define GRAZE_BENCH_BASE_H

#include "bench.h"

void benchCopy(Bench* bench);         // bench_memory.c
void benchHash(Bench* bench);         // bench_hash.c
void benchArena(Bench* bench);        // bench_memory.c
void benchZone(Bench* bench);         // bench_profile.c
void benchRadixSort(Bench* bench);    // bench_sort.c
void benchParallelLoop(Bench* bench); // bench_parallel.c
void benchTinyTasks(Bench* bench);    // bench_tasks.c
void benchOpenMp(Bench* bench);       // bench_openmp.c
void benchMeshBuild(Bench* bench);    // bench_mesh.c
void benchMeshRead(Bench* bench);     // bench_mesh.c
void benchSequenceMake(Bench* bench); // bench_sequence_make.c
void benchSequenceRead(Bench* bench); // bench_sequence_read.c

#endif
