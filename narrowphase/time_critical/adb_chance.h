// What: how likely it is that cells of two boxes coincide.
//
//   Of u cells, v are possible collision cells of A and w are possible collision cells of B. Each set is drawn at random.
//   A collision cell is in both sets.
//
//   double logs[513];
//   grzAdbLogs_Make(logs, 513);
//   GRZ_PICK_KERNEL(grzAdbChances)(logs, &chances);
//
// Threads: plain data, pure functions.
#ifndef GRAZE_NARROWPHASE_ADB_CHANCE_H
#define GRAZE_NARROWPHASE_ADB_CHANCE_H

#include <stdint.h>

#include "kernel.h"

enum { ADB_LANES = 8, ADB_MOST_X = 10 }; // [Klein 2003] section 3.5.2: "we bound x by a small number (e.g., 10)"

// Eight questions. Whole numbers with v <= u and w <= u.
typedef struct AdbCells {
    float u[ADB_LANES], v[ADB_LANES], w[ADB_LANES];
} AdbCells;

typedef struct AdbChances {
    AdbCells cells;
    double lower[ADB_LANES];  // LB: the chance of a collision in one collision cell, 0 to 1
    double chance[ADB_LANES]; // the answer of equation 8
} AdbChances;

typedef struct AdbTails {
    AdbCells cells;
    double atLeast[ADB_MOST_X][ADB_LANES]; // at least x = 1, 2 ... 10 collision cells, equation 6
} AdbTails;

// logs[n] = log n! for n below count, with a relative error below 2^-51. The same bytes on every processor.
void grzAdbLogs_Make(double* logs, uint32_t count);

// No u is greater than the last of logs. test_adb_chance holds them at 1e-9 of the true value.
GRZ_DECLARE_KERNEL(void, grzAdbChances, (const double* logs, AdbChances* chances));
GRZ_DECLARE_KERNEL(void, grzAdbTails, (const double* logs, AdbTails* tails));

#endif
