// What: the wide loops of updating all objects.   Promise: the same bytes at every SIMD level.
#include "tree_kernel.h"

#include <float.h>
#include <math.h>

#include "simd.h"

typedef struct WideBox {
    grzF16 lower[3], upper[3];
} WideBox;

// As grzBox_Expand, to the bit, but for what would become infinite: see withMargin in tree.c.
static void expand(grzF16* lower, grzF16* upper, float margin) {
    grzF16 wide = grzF16_Set1(margin), ulp = grzF16_Set1(0x1p-23f);
    *lower = grzF16_Sub(*lower, wide);
    *lower = grzF16_Sub(*lower, grzF16_Mul(grzF16_Abs(*lower), ulp));
    *lower = grzF16_Max(*lower, grzF16_Set1(-FLT_MAX));
    *upper = grzF16_Add(*upper, wide);
    *upper = grzF16_Add(*upper, grzF16_Mul(grzF16_Abs(*upper), ulp));
    *upper = grzF16_Min(*upper, grzF16_Set1(FLT_MAX));
}

// The boxes of a block's objects, gathered from the host's array; empty lanes as they are in blocks.
static WideBox gatherBoxes(const TreeBlock* block, const grzBox* boxes, float margin, grzM16 live) {
    grzI16 row = grzI16_ShiftLeft(grzI16_LoadAligned((const int32_t*)(const void*)block->object), 1);
    grzF16 lower[4], upper[4];
    grzF16_GatherRows4(&boxes->lower.x, row, lower);
    grzF16_GatherRows4(&boxes->lower.x, grzI16_Add(row, grzI16_Set1(1)), upper);
    grzF16 most = grzF16_Set1(INFINITY), least = grzF16_Set1(-INFINITY);
    WideBox box;
    for (int axis = 0; axis < 3; ++axis) {
        if (margin > 0)
            expand(&lower[axis], &upper[axis], margin);
        box.lower[axis] = grzF16_Select(live, lower[axis], most);
        box.upper[axis] = grzF16_Select(live, upper[axis], least);
    }
    return box;
}

static grzM16 isInCell(const WideBox* box, const TreeCell* cell) {
    grzM16 in = grzM16_FromBits(0xffff);
    for (int axis = 0; axis < 3; ++axis) {
        grzF16 twice = grzF16_Add(box->lower[axis], box->upper[axis]);
        in = grzM16_And(in, grzF16_LessEqual(grzF16_Set1(cell->twiceLower[axis]), twice));
        in = grzM16_And(in, grzF16_Less(twice, grzF16_Set1(cell->twiceUpper[axis])));
        if (cell->hasSides) {
            in = grzM16_And(in, grzF16_Less(grzF16_Set1(cell->lowerAbove[axis]), box->lower[axis]));
            in = grzM16_And(in, grzF16_LessEqual(box->lower[axis], grzF16_Set1(cell->lowerAtMost[axis])));
            in = grzM16_And(in, grzF16_LessEqual(grzF16_Set1(cell->upperAtLeast[axis]), box->upper[axis]));
            in = grzM16_And(in, grzF16_Less(box->upper[axis], grzF16_Set1(cell->upperBelow[axis])));
        }
    }
    return in;
}

// As isRetained in tree_nesting.c. Where it keeps too many, they are put back where they were.
static grzM16 isKeptAbove(const WideBox* box, const TreeCell* cell) {
    grzF16 extent[3], size;
    for (int axis = 0; axis < 3; ++axis)
        extent[axis] = grzF16_Sub(box->upper[axis], box->lower[axis]);
    if (cell->isByRadius) {
        size = grzF16_Max(extent[0], grzF16_Max(extent[1], extent[2]));
        size = grzF16_Mul(size, grzF16_Set1(0.5f * 4 * 3.14159265f / 3));
    } else {
        size = grzF16_Mul(grzF16_Mul(extent[0], extent[1]), extent[2]);
    }
    grzM16 kept = grzF16_LessEqual(grzF16_Set1(cell->keptFrom), size);
    return grzM16_And(kept, grzF16_Less(grzF16_Zero(), size));
}

static void askAhead(const TreeRefit* refit, uint32_t i) {
    if (i >= refit->aheadCount)
        return;
    for (int lane = 0; lane < tree_lanes; ++lane)
        __builtin_prefetch(&refit->boxes[refit->ahead[i].object[lane]]);
}

uint32_t GRZ_KERNEL(grzTreeRefitRun)(TreeRefit* refit) {
    grzF16 most = grzF16_Set1(INFINITY), least = grzF16_Set1(-INFINITY);
    WideBox bounds = {{most, most, most}, {least, least, least}};
    uint32_t leaverCount = 0;
    uint32_t blockCount = treeBlocksFor(refit->objectCount);
    for (uint32_t i = 0; i < blockCount; ++i) {
        TreeBlock* block = &refit->blocks[i];
        uint32_t rest = refit->objectCount - i * tree_lanes;
        uint32_t liveBits = rest >= tree_lanes ? 0xffffu : (1u << rest) - 1;
        grzM16 live = grzM16_FromBits(liveBits);
        askAhead(refit, i);
        WideBox box = gatherBoxes(block, refit->boxes, refit->margin, live);
        grzM16 stays = grzM16_And(isInCell(&box, refit->cell), live);
        if (refit->cell->keptFrom < INFINITY)
            stays = grzM16_AndNot(stays, isKeptAbove(&box, refit->cell));
        uint32_t leavers = liveBits & ~grzM16_Bits(stays);
        refit->leavers[i] = (uint16_t)leavers;
        leaverCount += treeBitCount(leavers);
        for (int axis = 0; axis < 3; ++axis) {
            grzF16_StoreAligned(block->lower[axis], box.lower[axis]);
            grzF16_StoreAligned(block->upper[axis], box.upper[axis]);
            bounds.lower[axis] = grzF16_Min(bounds.lower[axis], grzF16_Select(stays, box.lower[axis], most));
            bounds.upper[axis] = grzF16_Max(bounds.upper[axis], grzF16_Select(stays, box.upper[axis], least));
        }
    }
    refit->bounds.lower = (grzVec3){grzF16_ReduceMin(bounds.lower[0]), grzF16_ReduceMin(bounds.lower[1]),
                                    grzF16_ReduceMin(bounds.lower[2]), 0};
    refit->bounds.upper = (grzVec3){grzF16_ReduceMax(bounds.upper[0]), grzF16_ReduceMax(bounds.upper[1]),
                                    grzF16_ReduceMax(bounds.upper[2]), 0};
    return leaverCount;
}

// Lanes 0 to 2 of the mask are all ones where the box is good.
static grzM4 isGood(const grzBox* box, grzF4 least, grzF4 most) {
    grzF4 lower = grzF4_Load(&box->lower.x), upper = grzF4_Load(&box->upper.x);
    return grzM4_And(grzF4_LessEqual(lower, upper),
                     grzM4_And(grzF4_LessEqual(least, lower), grzF4_LessEqual(upper, most)));
}

size_t GRZ_KERNEL(grzTreeFindBadBox)(const grzBox* boxes, size_t first, size_t count) {
    grzF4 least = grzF4_Set1(-FLT_MAX), most = grzF4_Set1(FLT_MAX);
    size_t i = first;
    for (; i + 4 <= count; i += 4) {
        grzM4 lower = grzM4_And(isGood(boxes + i, least, most), isGood(boxes + i + 1, least, most));
        grzM4 upper = grzM4_And(isGood(boxes + i + 2, least, most), isGood(boxes + i + 3, least, most));
        if ((grzM4_Bits(grzM4_And(lower, upper)) & 7) != 7)
            break;
    }
    for (; i < count; ++i)
        if ((grzM4_Bits(isGood(boxes + i, least, most)) & 7) != 7)
            return i;
    return count;
}
