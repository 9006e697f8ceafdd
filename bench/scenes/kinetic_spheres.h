// What: a case of the stage "kinetic": two spheres expand, and where they meet a few vertices turn back.
#ifndef GRAZE_BENCH_KINETIC_SPHERES_H
#define GRAZE_BENCH_KINETIC_SPHERES_H

#include "bench.h"

void benchKineticSpheres(Bench* bench);

#endif
