// The cases of the stage "tree", which lie in several files, and what they share.
#ifndef GRAZE_BENCH_BENCH_TREE_H
#define GRAZE_BENCH_BENCH_TREE_H

#include "bench.h"
#include "graze/tree.h"
#include "moving_boxes.h"

void benchTreeQueries(Bench* bench); // bench_tree_query.c
void benchTreeBuild(Bench* bench);   // bench_tree.c
void benchTreeUpdate(Bench* bench);  // bench_tree.c
void benchTreePaper(Bench* bench);   // bench_tree_paper.c

// A tree as it comes, of the scene's boxes, with their indices as keys; split all over. ids may be NULL. NULL after
// Bench_Fail.
grzTree* benchTreeOfBoxes(Bench* bench, const MovingBoxes* scene, grzTreeId* ids);

#endif
