// What: folders of data: paths, files that may be there, and entries in the order of their names.
#ifndef GRAZE_BENCH_BENCH_FOLDERS_H
#define GRAZE_BENCH_BENCH_FOLDERS_H

#include "bench.h"

enum { BENCH_PATH_SIZE = 4096 };

// "folder/name". False after Bench_Fail where it is too long.
bool Bench_JoinPath(Bench* bench, const char* folder, const char* name, char path[BENCH_PATH_SIZE]);

// Whether there is a file that can be read.
bool Bench_HasFile(const char* path);

typedef void BenchVisitFn(Bench* bench, const char* folder, const char* name, void* context);

// Calls for each entry of a folder whose name begins with no point, in the order of names, until the bench has failed. A folder that
// cannot be read has none.
void Bench_ForEachEntry(Bench* bench, const char* folder, BenchVisitFn* visit, void* context);

#endif
