// What: the case "sequences" of the stage "kinetic": the rows of its cases for real sequences.
#ifndef GRAZE_BENCH_KINETIC_SEQUENCES_H
#define GRAZE_BENCH_KINETIC_SEQUENCES_H

#include "kinetic_scene.h"

// Every folder in $GRAZE_DATA/seq that has base.obj and anim.pc2, by name; with --quick four keyframes of the first one. Says
// that it skips where the variable is not set or no such folder is there.
void benchKineticSequences(Bench* bench);

// bench_kinetic.c: rows for every way, for --workers, and what is counted. The scene ends with other workers.
void benchKineticScene(Bench* bench, KineticScene* scene);

#endif
