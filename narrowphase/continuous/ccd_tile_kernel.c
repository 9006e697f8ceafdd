// What: the kernels of ccd_tile.h.
// Idea: the features of one tile whose boxes meet the other one's box are put beside all 32 of that, sixteen a compare.
// Holds: boxes overlap where they have a point in common; touching counts.
#include "ccd_tile.h"

#include <math.h>
#include <string.h>

#include "ccd_kernel.h"
#include "simd.h"

// ---- pairs ----

// Of half a tile, those that overlap a box.
GRZ_SIMD_INLINE uint32_t overlapBits(const CcdTile* tile, int half, const grzF16 lower[3], const grzF16 upper[3]) {
    grzM16 meets = grzM16_FromBits(0xFFFF);
    for (int axis = 0; axis < 3; ++axis) {
        const grzF16 least = grzF16_LoadAligned(tile->lower[axis] + 16 * half);
        const grzF16 most = grzF16_LoadAligned(tile->upper[axis] + 16 * half);
        meets = grzM16_And(meets,
                           grzM16_And(grzF16_LessEqual(least, upper[axis]), grzF16_LessEqual(lower[axis], most)));
    }
    return grzM16_Bits(meets);
}

GRZ_SIMD_INLINE uint32_t laneBits(const CcdTile* tile) {
    return tile->count == 32 ? UINT32_MAX : (1u << tile->count) - 1;
}

// Features of a tile whose boxes meet a box.
GRZ_SIMD_INLINE uint32_t meetsBox(const CcdTile* tile, const float boxLower[3], const float boxUpper[3]) {
    grzF16 lower[3], upper[3];
    for (int axis = 0; axis < 3; ++axis) {
        lower[axis] = grzF16_Set1(boxLower[axis]);
        upper[axis] = grzF16_Set1(boxUpper[axis]);
    }
    return overlapBits(tile, 0, lower, upper) | overlapBits(tile, 1, lower, upper) << 16;
}

// Features of half a tile that are apart from one along some axis, in one order at both ends.
GRZ_SIMD_INLINE uint32_t apartBits(const CcdTile* tile, int half, const CcdTile* from, uint32_t row) {
    grzM16 isApart = grzM16_FromBits(0);
    for (int axis = 0; axis < 3; ++axis) {
        grzM16 isBelow = grzM16_FromBits(0xFFFF), isAbove = isBelow;
        for (int end = 0; end < 2; ++end) {
            const grzF16 lower = grzF16_LoadAligned(tile->lowerAt[end][axis] + 16 * half);
            const grzF16 upper = grzF16_LoadAligned(tile->upperAt[end][axis] + 16 * half);
            isBelow = grzM16_And(isBelow, grzF16_Less(upper, grzF16_Set1(from->lowerAt[end][axis][row])));
            isAbove = grzM16_And(isAbove, grzF16_Less(grzF16_Set1(from->upperAt[end][axis][row]), lower));
        }
        isApart = grzM16_Or(isApart, grzM16_Or(isBelow, isAbove));
    }
    return grzM16_Bits(isApart);
}

// The same of doubles, one by one: whether swept boxes overlap; and whether the boxes of the ends tell that they are apart.
GRZ_SIMD_INLINE bool doublesOverlap(const CcdTilePair* pair, uint32_t row, uint32_t lane, bool* areApart) {
    bool overlap = true, apart = false;
    for (int axis = 0; axis < 3; ++axis) {
        bool isBelow[2], isAbove[2], isBelowAll = true, isAboveAll = true;
        for (int end = 0; end < 2; ++end) {
            const double lowerA = pair->doublesA->lower[end][row][axis],
                         upperA = pair->doublesA->upper[end][row][axis];
            const double lowerB = pair->doublesB->lower[end][lane][axis],
                         upperB = pair->doublesB->upper[end][lane][axis];
            const double otherLower = pair->doublesA->lower[1 - end][row][axis];
            const double otherUpper = pair->doublesA->upper[1 - end][row][axis];
            isBelow[end] = upperB < lowerA;
            isAbove[end] = upperA < lowerB;
            isBelowAll = (int)isBelowAll & isBelow[end] & (upperB < otherLower);
            isAboveAll = (int)isAboveAll & isAbove[end] & (otherUpper < lowerB);
        }
        overlap = (int)overlap & !isBelowAll & !isAboveAll;
        apart = (int)apart | (isBelow[0] & isBelow[1]) | (isAbove[0] & isAbove[1]);
    }
    *areApart = apart;
    return overlap;
}

GRZ_SIMD_INLINE bool shareVertex(const uint32_t* a, const uint32_t* b, bool isEdges) {
    if (isEdges)
        return (a[0] == b[0]) | (a[0] == b[1]) | (a[1] == b[0]) | (a[1] == b[1]);
    return (a[0] == b[0]) | (a[0] == b[1]) | (a[0] == b[2]);
}

GRZ_SIMD_INLINE void write(const CcdTilePair* pair, uint32_t row, uint32_t lane, CcdCandidates* to,
                           uint32_t count) {
    const uint32_t *names = pair->a->names[row], *others = pair->b->names[lane];
    uint32_t* vertices = to->vertices + 4 * (size_t)count;
    memcpy(vertices, names, 2 * sizeof *vertices);
    if (pair->isEdges)
        memcpy(vertices + 2, others, 2 * sizeof *vertices);
    else
        memcpy(vertices + 1, others, 3 * sizeof *vertices);
    to->features[0][count] = pair->a->features[row];
    to->features[1][count] = pair->b->features[lane];
}

// The pairs of `places`, row * CCD_TILE + lane each, but those that share a vertex.
GRZ_SIMD_INLINE void append(const CcdTilePair* pair, const int32_t* places, size_t placeCount, CcdCandidates* to) {
    uint32_t count = to->count;
    for (size_t i = 0; i < placeCount; ++i) {
        const uint32_t row = (uint32_t)places[i] / CCD_TILE, lane = (uint32_t)places[i] % CCD_TILE;
        write(pair, row, lane, to, count);
        count += !shareVertex(pair->a->names[row], pair->b->names[lane], pair->isEdges);
    }
    to->count = count;
}

// The same where the boxes are rounded, so that the exact ones say which overlap.
GRZ_SIMD_INLINE void appendDoubles(const CcdTilePair* pair, uint32_t row, uint32_t lanes, CcdCandidates* to) {
    uint32_t count = to->count;
    for (; lanes != 0; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        bool areApart;
        const bool overlap = doublesOverlap(pair, row, lane, &areApart);
        const bool isOther = !shareVertex(pair->a->names[row], pair->b->names[lane], pair->isEdges);
        write(pair, row, lane, to, count);
        count += (int)overlap & isOther & !areApart;
        to->apart += (int)overlap & isOther & areApart;
    }
    to->count = count;
}

// Rows with lanes whose swept boxes overlap.
typedef struct TileRows {
    uint32_t rows[CCD_TILE], lanes[CCD_TILE], count;
} TileRows;

// Without a branch on what is found, which nobody could foresee.
GRZ_SIMD_INLINE void meetRows(const CcdTilePair* pair, TileRows* found) {
    const CcdTile *a = pair->a, *b = pair->b;
    const uint32_t all = laneBits(b);
    found->count = 0;
    for (uint32_t rows = meetsBox(a, b->boxLower, b->boxUpper) & laneBits(a); rows != 0; rows &= rows - 1) {
        const uint32_t row = (uint32_t)__builtin_ctz(rows);
        const float lower[3] = {a->lower[0][row], a->lower[1][row], a->lower[2][row]};
        const float upper[3] = {a->upper[0][row], a->upper[1][row], a->upper[2][row]};
        uint32_t lanes = meetsBox(b, lower, upper) & all;
        if (pair->isSame) // later ones
            lanes &= ~(UINT32_MAX >> (31 - row));
        found->rows[found->count] = row;
        found->lanes[found->count] = lanes;
        found->count += lanes != 0;
    }
}

void GRZ_KERNEL(grzCcdTileMeet)(const CcdTilePair* pair, CcdCandidates* candidates) {
    static const int32_t firsts[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    TileRows found;
    int32_t places[CCD_TILE_PAIRS + 16];
    size_t count = 0;
    meetRows(pair, &found);
    for (uint32_t i = 0; i < found.count; ++i) {
        const uint32_t row = found.rows[i], lanes = found.lanes[i];
        if (pair->doublesA != NULL) {
            appendDoubles(pair, row, lanes, candidates);
            continue;
        }
        // What shares a vertex is never apart.
        for (int half = 0; half < 2; ++half) {
            const uint32_t some = lanes >> 16 * half & 0xFFFF,
                           apart = apartBits(pair->b, half, pair->a, row) & some;
            const grzI16 place = grzI16_Add(grzI16_Load(firsts), grzI16_Set1((int32_t)row * CCD_TILE + 16 * half));
            candidates->apart += (uint32_t)__builtin_popcount(apart);
            count += grzI16_CompressStore(places + count, grzM16_FromBits(some & ~apart), place);
        }
    }
    append(pair, places, count, candidates);
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
        const uint32_t shift = 3 * (bottom - at.level - 1),
                       children = grzBvhView_ChildCount(view, at.level, at.index);
        uint32_t bits =
            childBits(&walk->nodes[view->levelStarts[at.level] + at.index], lower, upper) & ((1u << children) - 1);
        for (; bits != 0;
             bits &= ~(UINT32_C(1) << (31 - __builtin_clz(bits)))) { // so that the first is taken first
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
        float ends[2][2][4]; // [lower, upper][t][axis]
        grzF8_Store(ends[0][0], least);
        grzF8_Store(ends[1][0], most);
        const grzF4 lower = grzF4_Min(grzF8_Lower(least), grzF8_Upper(least));
        const grzF4 upper = grzF4_Max(grzF8_Lower(most), grzF8_Upper(most));
        boxLower = grzF4_Min(boxLower, lower);
        boxUpper = grzF4_Max(boxUpper, upper);
        grzF4_Store(corners, lower);
        grzF4_Store(corners + 4, upper);
        for (int axis = 0; axis < 3; ++axis) {
            tile->lower[axis][lane] = corners[axis];
            tile->upper[axis][lane] = corners[4 + axis];
            for (int end = 0; end < 2; ++end) {
                tile->lowerAt[end][axis][lane] = ends[0][end][axis];
                tile->upperAt[end][axis][lane] = ends[1][end][axis];
            }
        }
    }
    grzF4_Store(corners, boxLower);
    grzF4_Store(corners + 4, boxUpper);
    memcpy(tile->boxLower, corners, sizeof tile->boxLower);
    memcpy(tile->boxUpper, corners + 4, sizeof tile->boxUpper);
}
