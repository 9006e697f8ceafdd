// What: the case "search" of the stage "ccd": the first impact of many pairs, and pairs that come near.
#ifndef GRAZE_BENCH_CCD_SEARCH_H
#define GRAZE_BENCH_CCD_SEARCH_H

#include "bench.h"

void benchCcdSearch(Bench* bench);

#endif
