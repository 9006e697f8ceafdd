// What: the kernels of ccd_tile.h.
// Idea: the features of one tile whose boxes meet the other one's box are put beside all 32 of that, sixteen a compare.
// Holds: boxes overlap where they have a point in common; touching counts.
#include "ccd_tile.h"

#include <math.h>
#include <string.h>

#include "ccd_kernel.h"
#include "simd.h"

// ---- pairs ----

typedef struct TileBoxes {
    grzF16 lower[3], upper[3]; // of half a tile
} TileBoxes;

GRZ_SIMD_INLINE TileBoxes loadBoxes(const CcdTile* tile, int half) {
    TileBoxes boxes;
    for (int axis = 0; axis < 3; ++axis) {
        boxes.lower[axis] = grzF16_LoadAligned(tile->lower[axis] + 16 * half);
        boxes.upper[axis] = grzF16_LoadAligned(tile->upper[axis] + 16 * half);
    }
    return boxes;
}

GRZ_SIMD_INLINE uint32_t overlapBits(const TileBoxes* boxes, const grzF16 lower[3], const grzF16 upper[3]) {
    grzM16 meets = grzM16_And(grzF16_LessEqual(boxes->lower[0], upper[0]), grzF16_LessEqual(lower[0], boxes->upper[0]));
    for (int axis = 1; axis < 3; ++axis)
        meets = grzM16_And(meets, grzM16_And(grzF16_LessEqual(boxes->lower[axis], upper[axis]),
                                             grzF16_LessEqual(lower[axis], boxes->upper[axis])));
    return grzM16_Bits(meets);
}

GRZ_SIMD_INLINE uint32_t laneBits(const CcdTile* tile) {
    return tile->count == 32 ? UINT32_MAX : (1u << tile->count) - 1;
}

// Features of a tile whose boxes meet a box.
GRZ_SIMD_INLINE uint32_t meetsBox(const TileBoxes halves[2], const float boxLower[3], const float boxUpper[3]) {
    grzF16 lower[3], upper[3];
    for (int axis = 0; axis < 3; ++axis) {
        lower[axis] = grzF16_Set1(boxLower[axis]);
        upper[axis] = grzF16_Set1(boxUpper[axis]);
    }
    return overlapBits(&halves[0], lower, upper) | overlapBits(&halves[1], lower, upper) << 16;
}

GRZ_SIMD_INLINE bool doublesOverlap(const CcdTilePair* pair, uint32_t row, uint32_t lane) {
    const double *lowerA = pair->doublesA->lower[row], *upperA = pair->doublesA->upper[row];
    const double *lowerB = pair->doublesB->lower[lane], *upperB = pair->doublesB->upper[lane];
    bool overlap = true;
    for (int axis = 0; axis < 3; ++axis)
        overlap = (int)overlap & (lowerA[axis] <= upperB[axis]) & (lowerB[axis] <= upperA[axis]);
    return overlap;
}

GRZ_SIMD_INLINE bool shareVertex(const uint32_t* a, const uint32_t* b, bool isEdges) {
    if (isEdges)
        return (a[0] == b[0]) | (a[0] == b[1]) | (a[1] == b[0]) | (a[1] == b[1]);
    return (a[0] == b[0]) | (a[0] == b[1]) | (a[0] == b[2]);
}

// All lanes of a row that are set, but those that share a vertex.
GRZ_SIMD_INLINE void append(const CcdTilePair* pair, uint32_t row, uint32_t lanes, CcdCandidates* to) {
    const uint32_t *names = pair->a->names[row], feature = pair->a->features[row];
    uint32_t count = to->count;
    for (; lanes != 0; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        const uint32_t* others = pair->b->names[lane];
        uint32_t* vertices = to->vertices + 4 * (size_t)count;
        memcpy(vertices, names, 2 * sizeof *vertices);
        if (pair->isEdges)
            memcpy(vertices + 2, others, 2 * sizeof *vertices);
        else
            memcpy(vertices + 1, others, 3 * sizeof *vertices);
        to->features[0][count] = feature;
        to->features[1][count] = pair->b->features[lane];
        bool isKept = !shareVertex(names, others, pair->isEdges);
        if (pair->doublesA != NULL)
            isKept = isKept && doublesOverlap(pair, row, lane);
        count += isKept;
    }
    to->count = count;
}

void GRZ_KERNEL(grzCcdTileMeet)(const CcdTilePair* pair, CcdCandidates* candidates) {
    const CcdTile *a = pair->a, *b = pair->b;
    const TileBoxes own[2] = {loadBoxes(a, 0), loadBoxes(a, 1)}, other[2] = {loadBoxes(b, 0), loadBoxes(b, 1)};
    const uint32_t all = laneBits(b);
    for (uint32_t rows = meetsBox(own, b->boxLower, b->boxUpper) & laneBits(a); rows != 0; rows &= rows - 1) {
        const uint32_t row = (uint32_t)__builtin_ctz(rows);
        const float lower[3] = {a->lower[0][row], a->lower[1][row], a->lower[2][row]};
        const float upper[3] = {a->upper[0][row], a->upper[1][row], a->upper[2][row]};
        uint32_t lanes = meetsBox(other, lower, upper) & all;
        if (pair->isSame) // later ones
            lanes &= ~(UINT32_MAX >> (31 - row));
        append(pair, row, lanes, candidates);
    }
}

// ---- the hierarchy ----

// Children whose boxes meet the walk's.
GRZ_SIMD_INLINE uint32_t childBits(const grzBvhNode* node, const grzF8 lower[3], const grzF8 upper[3]) {
    grzM8 meets = grzM8_FromBits(255);
    for (int axis = 0; axis < 3; ++axis)
        meets = grzM8_And(meets, grzM8_And(grzF8_LessEqual(grzF8_Load(node->lower[axis]), upper[axis]),
                                           grzF8_LessEqual(lower[axis], grzF8_Load(node->upper[axis]))));
    return grzM8_Bits(meets);
}

typedef struct WalkPlace {
    uint32_t level, index;
} WalkPlace;

bool GRZ_KERNEL(grzCcdTileWalk)(const CcdTileWalk* walk, CcdTileList* list, const grzAllocator* allocator) {
    const grzBvhView* view = walk->view;
    const uint32_t bottom = view->levelCount - 1;
    WalkPlace stack[GRZ_BVH_WIDTH * GRZ_BVH_MAX_LEVELS]; // eight of a level, of which one is taken before more come
    uint32_t depth = 0;
    grzF8 lower[3], upper[3];
    for (int axis = 0; axis < 3; ++axis) {
        lower[axis] = grzF8_Set1(walk->lower[axis]);
        upper[axis] = grzF8_Set1(walk->upper[axis]);
    }
    stack[depth++] = (WalkPlace){0, 0};
    while (depth > 0) {
        const WalkPlace at = stack[--depth];
        if (at.level == bottom) {
            if (!grzArray_Reserve(list, allocator, list->count + 1))
                return false;
            list->data[list->count++] = at.index;
            continue;
        }
        const uint32_t shift = 3 * (bottom - at.level - 1), children = grzBvhView_ChildCount(view, at.level, at.index);
        uint32_t bits = childBits(&walk->nodes[view->levelStarts[at.level] + at.index], lower, upper) & ((1u << children) - 1);
        for (; bits != 0; bits &= ~(UINT32_C(1) << (31 - __builtin_clz(bits)))) { // so that the first is taken first
            const uint32_t child = GRZ_BVH_WIDTH * at.index + 31 - (uint32_t)__builtin_clz(bits);
            if (((uint64_t)(child + 1) << shift) > walk->from) // the last bottom node below it is not before `from`
                stack[depth++] = (WalkPlace){at.level + 1, child};
        }
    }
    return true;
}

// ---- boxes ----

GRZ_SIMD_INLINE grzF8 rowOf(const float* rows, uint32_t name) {
    return grzF8_LoadAligned(rows + CCD_ROW * (size_t)name);
}

void GRZ_KERNEL(grzCcdTileFit)(const float* rows, CcdTile* tile) {
    grzF4 boxLower = grzF4_Set1(INFINITY), boxUpper = grzF4_Set1(-INFINITY);
    float corners[8];
    for (uint32_t lane = 0; lane < tile->count; ++lane) {
        const uint32_t* names = tile->names[lane];
        const grzF8 a = rowOf(rows, names[0]), b = rowOf(rows, names[1]), c = rowOf(rows, names[2]);
        const grzF8 least = grzF8_Min(grzF8_Min(a, b), c), most = grzF8_Max(grzF8_Max(a, b), c);
        const grzF4 lower = grzF4_Min(grzF8_Lower(least), grzF8_Upper(least));
        const grzF4 upper = grzF4_Max(grzF8_Lower(most), grzF8_Upper(most));
        boxLower = grzF4_Min(boxLower, lower);
        boxUpper = grzF4_Max(boxUpper, upper);
        grzF4_Store(corners, lower);
        grzF4_Store(corners + 4, upper);
        for (int axis = 0; axis < 3; ++axis) {
            tile->lower[axis][lane] = corners[axis];
            tile->upper[axis][lane] = corners[4 + axis];
        }
    }
    grzF4_Store(corners, boxLower);
    grzF4_Store(corners + 4, boxUpper);
    memcpy(tile->boxLower, corners, sizeof tile->boxLower);
    memcpy(tile->boxUpper, corners + 4, sizeof tile->boxUpper);
}
