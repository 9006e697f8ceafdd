// What: the case "frames" of the stage "ccd": folders DIR/SCENE with frame0.ply and frame1.ply, the ends of a step, and lists
//   of pairs
// with their true answers: vf.csv (v,f0,f1,f2,truth) and ee.csv (ea0,ea1,eb0,eb1,truth).
#ifndef GRAZE_BENCH_CCD_FRAMES_H
#define GRAZE_BENCH_CCD_FRAMES_H

#include "bench.h"

// One folder of a scene; without the files it is passed over. Returns whether it had them.
bool benchCcdScene(Bench* bench, const char* folder, const char* name);

#endif
