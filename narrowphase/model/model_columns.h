// What: pairs of triangles that wait for the exact test, a lane each.
// Threads: plain data.
#ifndef GRAZE_NARROWPHASE_MODEL_COLUMNS_H
#define GRAZE_NARROWPHASE_MODEL_COLUMNS_H

#include <stdint.h>

enum { WAITING_LANES = 16 };

typedef struct Waiting {
    float at[18][WAITING_LANES]; // x, y, z of three corners of A's triangle, then of B's in A's frame
    uint32_t idsA[WAITING_LANES], idsB[WAITING_LANES];
    uint32_t count;
} Waiting;

#endif
