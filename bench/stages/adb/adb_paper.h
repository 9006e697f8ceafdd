// What: the figures and the error rate of Klein and Zachmann, with trees as printed and with ours.
#ifndef GRAZE_BENCH_ADB_PAPER_H
#define GRAZE_BENCH_ADB_PAPER_H

#include "bench.h"

void benchAdbPrinted(Bench* bench);
void benchAdbFigures(Bench* bench);

#endif
