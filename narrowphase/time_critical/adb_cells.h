// What: the grid in a box, and the area of a surface in each of its cells.
// Threads: plain data, pure functions.
#ifndef GRAZE_NARROWPHASE_ADB_CELLS_H
#define GRAZE_NARROWPHASE_ADB_CELLS_H

#include "graze/stage/adb_tree.h"

enum { ADB_MOST_AXIS = 16, ADB_MOST_CELLS = ADB_MOST_AXIS * ADB_MOST_AXIS * ADB_MOST_AXIS, ADB_MOST_REGIONS = 8 };

// A box that is nowhere flat.
typedef struct AdbBox {
    double center[3], half[3];
} AdbBox;

static inline double grzAdbBox_Volume(const AdbBox* box) {
    return 8 * box->half[0] * box->half[1] * box->half[2];
}

// A flat box has no volume, and equation 2 divides by it. So no side is shorter than a 64th of the longest, nor than `least`:
// half a cell of a cube's grid of 4 to 16 cells an axis is a 32nd or more, so that thickening adds less than that.
AdbBox grzAdbBox_Thicken(const double lower[3], const double upper[3], double least);

typedef struct AdbGrid {
    double lower[3], step[3];
    uint32_t resolution;
    double area; // from which on a cell is a possible collision cell
} AdbGrid;

AdbGrid grzAdbGrid_Make(const AdbBox* box, uint32_t resolution, double areaFactor);

// Adds what of the triangle lies in each cell. A part in the face between two cells goes to one of them. Returns the area of all
// that lies in the grid.
double grzAdbGrid_Add(const AdbGrid* grid, const double corners[9], double* areas);

// Which region a cell is in; its number is (z * resolution + y) * resolution + x.
uint32_t grzAdbGrid_Region(grzAdbRegions regions, uint32_t resolution, uint32_t cell);

uint32_t grzAdbRegions_Count(grzAdbRegions regions);

// What of the region's volume lies in a part of the box, both with the box scaled to the cube from -1 to 1.
double grzAdbRegions_Share(grzAdbRegions regions, uint32_t region, const double lower[3], const double upper[3]);

#endif
