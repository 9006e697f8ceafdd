// What: the case "chooser" of the stage "kinetic": ways that are chosen frame by frame beside each that stays.
#ifndef GRAZE_BENCH_KINETIC_CHOOSER_H
#define GRAZE_BENCH_KINETIC_CHOOSER_H

#include "bench.h"

void benchKineticChooser(Bench* bench);

#endif
