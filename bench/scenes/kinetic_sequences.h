// What: the cases "sequences": rows for real sequences.
#ifndef GRAZE_BENCH_KINETIC_SEQUENCES_H
#define GRAZE_BENCH_KINETIC_SEQUENCES_H

#include "kinetic_scene.h"

// What a case does with a sequence. The scene may end with other workers.
typedef void SequenceCaseFn(Bench* bench, KineticScene* scene);

// For every folder in $GRAZE_DATA/seq that has base.obj and anim.pc2, by name; with --quick four keyframes of the first one. Says that it
// skips where the variable is not set or no such folder is there.
void benchEachSequence(Bench* bench, SequenceCaseFn* run);

#endif
