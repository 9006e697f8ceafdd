// Many pairs of triangles at once: which meet, and in what. The same exact answers as grzTriTri_Classify gives
// (tri_tri.h), sixteen pairs at a time: what single precision can tell for certain is decided there, the rest one
// by one.
//
//   grzTriPairQuery query = {0};
//   query.a.positions = view.positions32, query.a.triangles = view.triangles;      // and counts; query.b likewise
//   query.pairs = pairs, query.count = count;
//   grzTriPairs_Classify(tasks, &query, kinds);                                    // kinds[count]
//
// Owner: all arrays are the caller's, and must not overlap kinds. Thread: any; the work runs on the given tasks
// (NULL: on the calling thread), and reads only. Nothing is allocated and nothing can fail. The bytes are the same
// for every worker count and SIMD level. Cost on one core of a Zen 4: see docs/benchmarks.md, stage tritri; a pair
// that single precision cannot decide costs what grzTriTri_Classify does.
#ifndef GRAZE_TRI_PAIRS_H
#define GRAZE_TRI_PAIRS_H

#include "graze/tasks.h"
#include "graze/tri_tri.h"

GRZ_EXTERN_C_BEGIN

// Triangles over an array of vertices. A mesh's view has all of it, if its positions are float.
typedef struct grzTriSoup {
    const float* positions;    // three a vertex, tight
    const uint32_t* triangles; // three vertices each, below vertexCount
    uint32_t vertexCount, triangleCount;
} grzTriSoup;

// a and b lie in one frame; they may be the same. Of a pair, triangleA is of a and triangleB of b, below their counts
// (asserted); bodyPair and times are not read.
typedef struct grzTriPairQuery {
    grzTriSoup a, b;
    const grzTrianglePair* pairs;
    uint32_t count;
    float margin; // 0: nothing is asked beyond the kinds
} grzTriPairQuery;

// In place of grz_triNone: the plane of one of the two has the other on one side, farther off than the margin. Not all pairs that are
// farther apart than the margin are so.
#define GRZ_TRI_FAR 0x80

// kinds[i] becomes the grzTriTriKind of pair i; with a margin it may be GRZ_TRI_FAR. One byte each.
GRZ_API void grzTriPairs_Classify(grzTasks* tasks, const grzTriPairQuery* query, uint8_t* kinds);

// Pairs as columns: at[3 * c + axis][i] is a coordinate of corner c of pair i; corners 0 to 2 are A's, 3 to 5 are
// B's.
typedef struct grzTriColumns {
    const float* at[18];
    uint32_t count;
} grzTriColumns;

GRZ_API void grzTriColumns_Classify(grzTasks* tasks, const grzTriColumns* columns, uint8_t* kinds);

GRZ_EXTERN_C_END

#endif
