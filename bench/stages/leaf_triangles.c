// What: see leaf_triangles.h.
#include "leaf_triangles.h"

#include <math.h>

#include "simd.h"

static void fitTriangle(LeafTriangles* leaf, uint32_t lane, const uint32_t* corners, const float* const frames[2]) {
    for (int k = 0; k < 3; ++k)
        leaf->names[k][lane] = (int32_t)corners[k];
    for (int frame = 0; frame < 2; ++frame)
        for (int axis = 0; axis < 3; ++axis) {
            const float a = frames[frame][3 * (size_t)corners[0] + (size_t)axis];
            const float b = frames[frame][3 * (size_t)corners[1] + (size_t)axis];
            const float c = frames[frame][3 * (size_t)corners[2] + (size_t)axis];
            const float low = a < b ? a : b, high = a < b ? b : a;
            leaf->lower[frame][axis][lane] = low < c ? low : c;
            leaf->upper[frame][axis][lane] = high < c ? c : high;
        }
}

void LeafTriangles_Fit(LeafTriangles* leaves, const grzBvhView* view, const float* start, const float* end) {
    const float* const frames[2] = {start, end};
    for (uint32_t i = 0; i < view->triangleCount; ++i)
        fitTriangle(&leaves[i / 4], i % 4, view->triangles + 3 * (size_t)i, frames);
    for (uint32_t i = view->triangleCount; i < 4 * view->leafCount; ++i) {
        LeafTriangles* leaf = &leaves[i / 4];
        for (int k = 0; k < 6; ++k) {
            leaf->lower[k / 3][k % 3][i % 4] = INFINITY;
            leaf->upper[k / 3][k % 3][i % 4] = -INFINITY;
        }
        for (int k = 0; k < 3; ++k)
            leaf->names[k][i % 4] = -1;
    }
}

// Triangles of b that triangle i of a may overlap.
static uint32_t meetBits(const LeafTriangles* a, int i, const LeafTriangles* b) {
    grzM4 isApart = grzM4_FromBits(0);
    for (int axis = 0; axis < 3; ++axis) {
        grzM4 isBelow = grzM4_FromBits(15), isAbove = isBelow;
        for (int frame = 0; frame < 2; ++frame) {
            isBelow = grzM4_And(isBelow, grzF4_Less(grzF4_Set1(a->upper[frame][axis][i]),
                                                    grzF4_LoadAligned(b->lower[frame][axis])));
            isAbove = grzM4_And(isAbove, grzF4_Less(grzF4_LoadAligned(b->upper[frame][axis]),
                                                    grzF4_Set1(a->lower[frame][axis][i])));
        }
        isApart = grzM4_Or(isApart, grzM4_Or(isBelow, isAbove));
    }
    return ~grzM4_Bits(isApart) & 15;
}

static uint32_t shareBits(const LeafTriangles* a, int i, const LeafTriangles* b) {
    grzM4 shares = grzM4_FromBits(0);
    for (int k = 0; k < 9; ++k)
        shares = grzM4_Or(shares, grzI4_Equal(grzI4_Set1(a->names[k / 3][i]), grzI4_LoadAligned(b->names[k % 3])));
    return grzM4_Bits(shares);
}

static bool append(TriangleList* list, const grzLeafPair* pair, uint32_t lane, uint32_t bits,
                   const grzAllocator* allocator) {
    if (!grzArray_Reserve(list, allocator, list->count + 4))
        return false;
    for (; bits != 0; bits &= bits - 1)
        list->data[list->count++] = (grzTrianglePair){
            0, 4 * pair->leafA + lane, 4 * pair->leafB + (uint32_t)__builtin_ctz(bits), pair->t0, pair->t1};
    return true;
}

bool TriangleList_Fill(TriangleList* list, const grzLeafPair* pairs, size_t count, const LeafTriangles* a,
                       const LeafTriangles* b, const grzAllocator* allocator) {
    size_t end;
    list->count = 0;
    for (size_t begin = 0; begin < count; begin = end) {
        const uint32_t leaf = pairs[begin].leafA;
        for (end = begin; end < count && pairs[end].leafA == leaf;)
            ++end;
        for (uint32_t lane = 0; lane < 4; ++lane)
            for (size_t i = begin; i < end; ++i) {
                const LeafTriangles* other = &b[pairs[i].leafB];
                uint32_t bits = meetBits(&a[leaf], (int)lane, other);
                if (bits != 0 && a == b)
                    bits &= ~shareBits(&a[leaf], (int)lane, other);
                if (bits != 0 && a == b && pairs[i].leafB == leaf)
                    bits &= 14u << lane; // later ones
                if (bits != 0 && !append(list, &pairs[i], lane, bits, allocator))
                    return false;
            }
    }
    return true;
}
