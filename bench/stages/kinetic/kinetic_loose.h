// What: how loose a chord tree is beside a refit, at times of one's choice.
#ifndef GRAZE_BENCH_KINETIC_LOOSE_H
#define GRAZE_BENCH_KINETIC_LOOSE_H

#include "graze/chord_tree.h"
#include "kinetic_scene.h"

// A tenth of the mean edge at the first keyframe.
float KineticLoose_Tenth(const KineticScene* scene);

typedef struct KineticLoose {
    double worst, mean; // of the sides of leaves, in tenths of an edge
    double cut, read;   // leaves, of all
    bool isHeld;        // no leaf was smaller than a refit's, or looser than a tenth
} KineticLoose;

// Goes through the sequence in `perInterval` steps between keyframes with a tree of its own, and looks at every `every`-th.
// False after Bench_Fail.
bool KineticLoose_Look(Bench* bench, const KineticScene* scene, size_t perInterval, size_t every,
                       KineticLoose* loose);

#endif
