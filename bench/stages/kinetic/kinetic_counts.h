// What: what the stage "kinetic" counts, for one scene: events, updates, memory, and how loose chords are. Each counter is
// the `same` where the structure stands up to its own check, or to one made here.
#ifndef GRAZE_BENCH_KINETIC_COUNTS_H
#define GRAZE_BENCH_KINETIC_COUNTS_H

#include "kinetic_scene.h"

void benchKineticCounts(Bench* bench, const KineticScene* scene);

#endif
