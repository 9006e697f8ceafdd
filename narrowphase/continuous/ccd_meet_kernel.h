// What: pairs of triangles in motion, and the kernel that finds which of their features have boxes that overlap.
//
//   pair (a, b)      corners of a, face of b      corners of b, face of a      edges of a, edges of b
//   test             0    1    2                  3    4    5                  6 + 3 i + k: edge i of a, edge k of b
//
// Holds: boxes are closed, and hold a feature at every time that the pair names. Where that is the whole step, they are exact for floats.
#ifndef GRAZE_NARROWPHASE_CCD_MEET_KERNEL_H
#define GRAZE_NARROWPHASE_CCD_MEET_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel.h"

enum {
    CCD_MEET_PAIRS = 256, // at a time
    CCD_MEET_GROUP = 16,
    CCD_MEET_GROUPS = CCD_MEET_PAIRS / CCD_MEET_GROUP,
    CCD_MEET_FACES = 6, // tests of a vertex and a face
    CCD_MEET_TESTS = CCD_MEET_FACES + 9,
};

typedef struct CcdTriangle {
    _Alignas(16) uint32_t names[3]; // of rows
    uint32_t owns;                  // GRZ_MESH_OWNS_...
} CcdTriangle;

typedef struct CcdTrianglePairs {
    _Alignas(64) uint32_t a[CCD_MEET_PAIRS], b[CCD_MEET_PAIRS];
    float t0[CCD_MEET_PAIRS], t1[CCD_MEET_PAIRS];
    uint32_t tests[CCD_MEET_PAIRS]; // that are asked for: bit k is test k
    uint32_t count;                 // what lies behind, up to a whole group, asks for none
} CcdTrianglePairs;

// What features are tested with.
typedef struct CcdMeeting {
    const float* rows; // of vertices in motion, eight floats each (ccd_kernel.h)
    bool isRounded;    // they are doubles, rounded to nearest
    const CcdTriangle *cornersA, *cornersB;
    const CcdTrianglePairs* pairs;
    bool skipsNeighbours; // pairs of triangles that share a vertex are passed over
} CcdMeeting;

// bits[test][group]: bit k is the group's pair k, if that asks for the test and the boxes overlap.
typedef uint16_t CcdMeetBits[CCD_MEET_TESTS][CCD_MEET_GROUPS];

GRZ_DECLARE_KERNEL(void, grzCcdMeet, (const CcdMeeting* meeting, CcdMeetBits bits));

#endif
