// What: how a hierarchy over triangles lies in memory, and the stages that fill it, each in a file of its own.
//
//   bvh          def, create and rebuild
//   bvh_room     shape and memory
//   bvh_input    checks of what comes in, and reading a vertex
//   bvh_morton   order along a curve           each of the three makes triangleToCaller
//   bvh_median   order by halving boxes
//   bvh_sah      order by area and count
//   bvh_items    what the last two stand on: boxes of triangles, moved about
//   bvh_layout   vertices by first touch, triangles and leaf lists
//   bvh_refit    boxes; its wide loops in bvh_refit_kernel
//   bvh_renewal  the same once more beside a hierarchy in use, some triangles at a time
//   bvh_quality  overlap, and when a rebuild pays
//   bvh_check    all promises again, slowly
//   bvh_edit     triangles and vertices come and go
//
// Holds: a build reads the caller's arrays and writes bvh's and the scratch; nothing that can fail comes after the
//        first write. Threads: stages are run by one; loops inside them by the tasks, each block in slots of its own.
#ifndef GRAZE_BASE_BVH_PARTS_H
#define GRAZE_BASE_BVH_PARTS_H

#include "graze/bvh_edit.h"

#include "array.h"
#include "memory.h"
#include "result_make.h"
#include "simd.h"

// Bits of grzBvh.nodeFlags, by node of the bottom level. The lower eight: which of its leaves have more than eight
// vertices. The others: it has the last vertex of that numbering, behind which a tight array ends.
enum {
    GRZ_BVH_HAS_TREES_LAST = 1 << 8,
    GRZ_BVH_HAS_CALLERS_LAST = 1 << 9,
};

typedef struct BvhNumbers {
    GRZ_ARRAY(uint32_t);
} BvhNumbers;

typedef struct BvhWords {
    GRZ_ARRAY(uint64_t);
} BvhWords;

typedef struct BvhMoves {
    GRZ_ARRAY(grzBvhMove);
} BvhMoves;

// What edits need and leave behind.
typedef struct BvhEdits {
    // of the caller's triangles: the inverse of triangleToCaller; empty until the first edit after a build
    BvhNumbers places;
    BvhNumbers leaves;  // that were touched
    BvhWords isTouched; // a bit for each leaf; all 0 between edits
    BvhWords chunks;    // a bit for each chunk
    BvhMoves moves;
    BvhNumbers scratch;
    bool isEdited; // since the build
    bool isReshaped;
} BvhEdits;

struct grzBvh {
    grzAllocator allocator;
    grzBvhView view;
    uint32_t vertexRoom, triangleRoom; // what the arrays have room for
    uint64_t revision; // of this hierarchy, as it is since its last build or edit, and of no other in this process
    BvhEdits edits;
    // The view's arrays, to be written.
    uint32_t* triangles;
    uint32_t* triangleToCaller;
    uint32_t* vertexToCaller;
    uint32_t* vertexFromCaller;
    uint32_t* leafVertices;
    uint32_t* moreVertices;
    uint8_t* leafVertexCounts;
    uint16_t* nodeFlags;
    unsigned char* memory; // all of them
    size_t memorySize;
    unsigned char* scratch;
    size_t scratchSize;
    bool keepsScratch;
};

// The caller's arrays, checked.
typedef struct BvhInput {
    const void* positions;
    size_t stride; // in numbers
    bool isDouble;
    uint32_t vertexCount, triangleCount;
    const uint32_t* triangles;
    grzTasks* tasks;
} BvhInput;

// ---- bvh_input ----

// Both as grzBvh_Create says. The first looks at the fields, the second at what they point at.
grzResult grzBvh_CheckDef(const grzBvhDef* def);
grzResult grzBvh_CheckInput(const BvhInput* input);

static inline size_t grzBvhNumberSize(grzNumberType type) {
    return type == grz_float64 ? sizeof(double) : sizeof(float);
}

// NULL, or what is wrong with a stride, in bytes, for so many vertices.
const char* grzBvhFlawOfStride(size_t stride, grzNumberType type, size_t count);

// The first vertex that is not finite, or the count. The stride is in numbers.
uint32_t grzBvhFindNotFinite(grzTasks* tasks, const void* positions, size_t stride, bool isDouble, uint32_t count);

// A vertex as floats, for the builders, which need no exactness: doubles are taken relative to the first vertex, so
// that a small mesh far out keeps its shape, and stay within the range of float. w is rubbish, but finite.
static inline grzF4 grzBvhInput_Load(const BvhInput* input, uint32_t vertex) {
    const size_t at = vertex * input->stride;
    if (input->isDouble) {
        const double *first = input->positions, *p = first + at;
        float out[3];
        for (int axis = 0; axis < 3; ++axis) {
            const double x = p[axis] * 0.5 - first[axis] * 0.5;
            out[axis] = x > 1e38 ? 1e38F : x < -1e38 ? -1e38F : (float)x;
        }
        return grzF4_Set(out[0], out[1], out[2], 0);
    }
    const float* p = (const float*)input->positions + at;
    if (vertex + 1 < input->vertexCount)
        return grzF4_Load(p);
    return grzF4_Set(p[0], p[1], p[2], 0); // nothing need lie behind the last
}

// ---- the builders ----

typedef struct BvhBuilderFns {
    size_t (*scratchSize)(uint32_t triangleCount);
    void (*order)(const BvhInput* input, uint32_t* triangleToCaller, unsigned char* scratch);
} BvhBuilderFns;

extern const BvhBuilderFns grzBvhMorton;
extern const BvhBuilderFns grzBvhMedian;
extern const BvhBuilderFns grzBvhSah;

// ---- bvh_layout ----

// Needs triangleToCaller, and stamps: one a vertex.
void grzBvh_LayOut(grzBvh* bvh, const BvhInput* input, uint32_t* stamps);

// The same, in pieces.
typedef struct BvhLayout {
    grzBvh* bvh;
    const uint32_t* callersTriangles;
    uint32_t* stamps;
    uint32_t phase, at;   // the next element of the phase
    uint32_t vertexCount; // that have a number
} BvhLayout;

void grzBvhLayout_Begin(BvhLayout* layout, grzBvh* bvh, const uint32_t* callersTriangles, uint32_t* stamps);

// Goes on by as many visits, which it takes off. Returns whether all is laid out.
bool grzBvhLayout_GoOn(BvhLayout* layout, uint64_t* visits);

// ---- bvh_quality ----

// As grzBvh_Measure, of the first `count` nodes: those of whole levels.
grzBvhQuality grzBvhMeasureNodes(const grzBvhNode* nodes, uint32_t count);

// ---- bvh_room ----

// The view's counts and levels.
void grzBvh_Shape(grzBvh* bvh, uint32_t vertexCount, uint32_t triangleCount);

// Room for so many, with what is there kept. False, and nothing changed, where memory is refused.
bool grzBvh_MakeRoom(grzBvh* bvh, uint32_t vertexCount, uint32_t triangleCount);

// How many bytes room for so many takes.
size_t grzBvhRoomSize(uint32_t vertexCount, uint32_t triangleCount);

// ---- bvh_edit ----

// After a build, and at the end.
void grzBvh_ForgetEdits(grzBvh* bvh);
void grzBvh_ReleaseEdits(grzBvh* bvh);

// ---- sizes ----

// Where the next array begins, so that each has lines of its own.
static inline size_t grzBvhRoundUp(size_t bytes) {
    return (bytes + GRZ_BVH_ALIGNMENT - 1) / GRZ_BVH_ALIGNMENT * GRZ_BVH_ALIGNMENT;
}

static inline uint32_t grzBvhDivideUp(uint32_t count, uint32_t by) {
    return count / by + (count % by != 0);
}

// ---- bvh_refit ----

// As grzBvh_Refit, where nothing is refused: of positions that were found to be finite before.
void grzBvh_RefitKnown(const grzBvh* bvh, grzTasks* tasks, const grzBvhRefit* refit, grzBvhNode* nodes);

#endif
