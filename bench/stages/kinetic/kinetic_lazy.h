// What: the case "lazy" of the stage "kinetic": chord trees that make what queries reach beside those that make everything.
#ifndef GRAZE_BENCH_KINETIC_LAZY_H
#define GRAZE_BENCH_KINETIC_LAZY_H

#include "bench.h"

void benchKineticLazy(Bench* bench);

#endif
