// What: orders triangles along a Morton curve.         Promise: the same order for any number of workers.
// Idea: a key of 32 bits says in which cell the triangle's centre lies: the box of all centres is halved 32 times,
//       always on the side that is longest by then, so that cells are near cubes whatever the mesh's shape (a flat
//       sheet spends no bit on its thickness). The keys are sorted by digits, stably.
//
//         item   [ key 32 | triangle 32 ]        a pass: count digits per block -> starts, digit by digit and block
//                                                by block -> scatter
//
// Holds: triangles of one cell keep the caller's order. Blocks are cut by count alone, and each scatters to places
//        that are its own.
// Cost: one read of the corners, one of the centres, four passes; 24 bytes a triangle of scratch.
// Limits: cells are no finer than 2^-16 of the longest side on an axis. Triangles closer than that are ordered as
//         the caller had them: worse boxes, no wrong ones.
// Based on: [Morton, A Computer Oriented Geodetic Data Base, IBM 1966]; halving the longest axis in place of taking
//       turns: [Vinkler, Bittner, Havran, Extended Morton Codes for High Performance Bounding Volume Hierarchy
//       Construction, HPG 2017].
#include "bvh_parts.h"

#include <float.h>
#include <string.h>

enum {
    KEY_BITS = 32,
    AXIS_BITS = 16, // what a place on an axis has at most
    BLOCK = 1 << 15,
    DIGIT_BITS = 8, // with 11, and three passes, large meshes take half as long again: too many places to write at
    DIGITS = 1 << DIGIT_BITS,
    PASSES = 4,
};

typedef struct Curve {
    const BvhInput* input;
    uint64_t *items, *otherItems;
    uint32_t* starts; // DIGITS a block
    float* centres;   // 4 a triangle; otherItems lie in the same place and come later
    float* boxes;     // 8 a block: the least and the greatest centre
    uint32_t* triangleToCaller;
    unsigned shift;
    grzF4 scale, offset, most;  // place = 3 * centre * scale - offset, at most `most`
    uint32_t spread[3][2][256]; // the bits of a place's lower and upper byte, where they stand in the key
} Curve;

// ---- centres ----

// Factors first, so that no sum of finite numbers is infinite.
static grzF4 centreOf(const BvhInput* input, uint32_t triangle, grzF4 third) {
    const uint32_t* corners = input->triangles + 3 * (size_t)triangle;
    const grzF4 a = grzF4_Mul(grzBvhInput_Load(input, corners[0]), third);
    const grzF4 b = grzF4_Mul(grzBvhInput_Load(input, corners[1]), third);
    return grzF4_Add(grzF4_Add(a, b), grzF4_Mul(grzBvhInput_Load(input, corners[2]), third));
}

static void centreBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const Curve* curve = context;
    const BvhInput input = *curve->input;
    float* centres = curve->centres;
    const grzF4 third = grzF4_Set1(1.0F / 3);
    grzF4 lower = grzF4_Set1(FLT_MAX), upper = grzF4_Set1(-FLT_MAX);
    for (uint32_t t = begin; t < end; ++t) {
        const grzF4 centre = centreOf(&input, t, third);
        grzF4_Store(centres + 4 * (size_t)t, centre);
        lower = grzF4_Min(lower, centre);
        upper = grzF4_Max(upper, centre);
    }
    float* box = curve->boxes + 8 * (size_t)(begin / BLOCK);
    grzF4_Store(box, lower);
    grzF4_Store(box + 4, upper);
}

static void boundCentres(Curve* curve, float lower[4], float upper[4]) {
    const uint32_t count = curve->input->triangleCount;
    grzParallelFor(curve->input->tasks, count, BLOCK, centreBlock, curve);
    grzF4 least = grzF4_Load(curve->boxes), greatest = grzF4_Load(curve->boxes + 4);
    for (uint32_t b = 1; b < grzBlockCount(count, BLOCK); ++b) {
        least = grzF4_Min(least, grzF4_Load(curve->boxes + 8 * (size_t)b));
        greatest = grzF4_Max(greatest, grzF4_Load(curve->boxes + 8 * (size_t)b + 4));
    }
    grzF4_Store(lower, least);
    grzF4_Store(upper, greatest);
}

// ---- the curve ----

static void spreadBit(Curve* curve, int axis, unsigned bit, unsigned keyBit) {
    uint32_t* table = curve->spread[axis][bit / 8];
    for (uint32_t byte = 0; byte < 256; ++byte)
        table[byte] |= (byte >> bit % 8 & 1u) << keyBit;
}

// Whose turn it is: the longest side, of the axes that have bits left.
static int longestAxis(const double extent[3], const unsigned bits[3]) {
    int best = -1;
    for (int axis = 0; axis < 3; ++axis)
        if (bits[axis] < AXIS_BITS && (best < 0 || extent[axis] > extent[best]))
            best = axis;
    return best;
}

static void shareBits(const float lower[4], const float upper[4], int turns[KEY_BITS], unsigned bits[3]) {
    double extent[3];
    for (int axis = 0; axis < 3; ++axis)
        extent[axis] = (double)upper[axis] - (double)lower[axis];
    for (int k = 0; k < KEY_BITS; ++k) {
        turns[k] = longestAxis(extent, bits);
        extent[turns[k]] *= 0.5;
        bits[turns[k]]++;
    }
}

static void fitCurve(Curve* curve, const float lower[4], const float upper[4]) {
    int turns[KEY_BITS];
    unsigned bits[3] = {0, 0, 0}, left[3];
    float scale[4] = {0, 0, 0, 0}, offset[4] = {0, 0, 0, 0}, most[4] = {0, 0, 0, 0};
    shareBits(lower, upper, turns, bits);
    for (int axis = 0; axis < 3; ++axis) {
        const double extent = (double)upper[axis] - (double)lower[axis], cells = (double)(1u << bits[axis]);
        const double factor = cells / extent;
        // Where there is no extent, or so little that floats have no factor for it, the axis is one cell.
        scale[axis] = extent > 0 && factor < 1e38 ? (float)factor : 0;
        offset[axis] = lower[axis] * scale[axis];
        most[axis] = (float)(cells - 1);
        left[axis] = bits[axis];
    }
    curve->scale = grzF4_Load(scale);
    curve->offset = grzF4_Load(offset);
    curve->most = grzF4_Load(most);
    memset(curve->spread, 0, sizeof curve->spread);
    for (unsigned k = 0; k < KEY_BITS; ++k)
        spreadBit(curve, turns[k], --left[turns[k]], KEY_BITS - 1 - k);
}

static void keyBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const Curve* curve = context;
    const float* centres = curve->centres;
    uint64_t* items = curve->items;
    const grzF4 scale = curve->scale, offset = curve->offset, most = curve->most;
    for (uint32_t t = begin; t < end; ++t) {
        int32_t cell[4];
        const grzF4 place = grzF4_Sub(grzF4_Mul(grzF4_Load(centres + 4 * (size_t)t), scale), offset);
        grzI4_Store(cell, grzF4_ToInt(grzF4_Min(grzF4_Max(place, grzF4_Zero()), most)));
        uint32_t key = 0;
        for (int axis = 0; axis < 3; ++axis)
            key |= curve->spread[axis][0][cell[axis] & 255] | curve->spread[axis][1][cell[axis] >> 8 & 255];
        items[t] = (uint64_t)key << 32 | t;
    }
}

// ---- the sort ----

static uint32_t digitOf(uint64_t item, unsigned shift) {
    return (uint32_t)(item >> shift) & (DIGITS - 1);
}

static void countBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const Curve* curve = context;
    uint32_t* counts = curve->starts + (size_t)DIGITS * (begin / BLOCK);
    const uint64_t* items = curve->items;
    const unsigned shift = curve->shift;
    memset(counts, 0, DIGITS * sizeof *counts);
    for (uint32_t i = begin; i < end; ++i)
        counts[digitOf(items[i], shift)]++;
}

static void scatterBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const Curve* curve = context;
    uint32_t* starts = curve->starts + (size_t)DIGITS * (begin / BLOCK);
    const uint64_t* items = curve->items;
    uint64_t* otherItems = curve->otherItems;
    const unsigned shift = curve->shift;
    for (uint32_t i = begin; i < end; ++i)
        otherItems[starts[digitOf(items[i], shift)]++] = items[i];
}

static void sumCounts(Curve* curve, uint32_t blocks) {
    uint32_t sum = 0;
    for (uint32_t digit = 0; digit < DIGITS; ++digit) {
        for (uint32_t b = 0; b < blocks; ++b) {
            uint32_t* count = &curve->starts[(size_t)DIGITS * b + digit];
            const uint32_t start = sum;
            sum += *count;
            *count = start;
        }
    }
}

static void sortItems(Curve* curve) {
    const uint32_t count = curve->input->triangleCount;
    grzTasks* tasks = curve->input->tasks;
    for (unsigned pass = 0; pass < PASSES; ++pass) {
        curve->shift = 32 + pass * DIGIT_BITS;
        grzParallelFor(tasks, count, BLOCK, countBlock, curve);
        sumCounts(curve, grzBlockCount(count, BLOCK));
        grzParallelFor(tasks, count, BLOCK, scatterBlock, curve);
        uint64_t* const other = curve->items;
        curve->items = curve->otherItems;
        curve->otherItems = other;
    }
}

static void writeBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const Curve* curve = context;
    for (uint32_t i = begin; i < end; ++i)
        curve->triangleToCaller[i] = (uint32_t)curve->items[i];
}

// ---- together ----

static size_t itemsSize(uint32_t count) {
    return grzBvhRoundUp(count * sizeof(uint64_t));
}

static size_t centresSize(uint32_t count) {
    return grzBvhRoundUp(4 * (size_t)count * sizeof(float));
}

static size_t scratchSize(uint32_t count) {
    const size_t blocks = grzBlockCount(count, BLOCK);
    return itemsSize(count) + centresSize(count) + blocks * (DIGITS * sizeof(uint32_t) + 8 * sizeof(float));
}

static void order(const BvhInput* input, uint32_t* triangleToCaller, unsigned char* scratch) {
    const uint32_t count = input->triangleCount;
    if (count == 0)
        return;
    Curve curve = {.input = input, .triangleToCaller = triangleToCaller};
    curve.items = (uint64_t*)(void*)scratch;
    curve.otherItems = (uint64_t*)(void*)(scratch + itemsSize(count));
    curve.centres = (float*)(void*)(scratch + itemsSize(count));
    curve.starts = (uint32_t*)(void*)(scratch + itemsSize(count) + centresSize(count));
    curve.boxes = (float*)(void*)(curve.starts + (size_t)DIGITS * grzBlockCount(count, BLOCK));
    float lower[4], upper[4];
    boundCentres(&curve, lower, upper);
    fitCurve(&curve, lower, upper);
    grzParallelFor(input->tasks, count, BLOCK, keyBlock, &curve);
    sortItems(&curve);
    grzParallelFor(input->tasks, count, BLOCK, writeBlock, &curve);
}

const BvhBuilderFns grzBvhMorton = {scratchSize, order};
