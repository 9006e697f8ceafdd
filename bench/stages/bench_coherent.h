// The case "coherent" of the stage "models".
#ifndef GRAZE_BENCH_COHERENT_H
#define GRAZE_BENCH_COHERENT_H

#include "bench.h"

void coherentCase(Bench* bench);

#endif
