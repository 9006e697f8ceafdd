// What: draws convex occluders into a depth image sixteen pixels at a time, and halves images.
// Promise: no pixel is drawn to that the occluder's sides and planes do not allow. The same bytes at every SIMD level.
// Idea: sixteen rows at once, each side gives a bound on the pixels of every row; what is between the largest lower and the least
//   upper bound is a span, and spans are filled sixteen pixels at once.
// Rounding: a side's bound at the first row of sixteen, b, is computed in double and limited to +-2^40, which moves it inward
//   only or leaves it off the screen (slopes are below 2^31); the other rows are b + k slope in float, off by at most 2^-24 (2 |b
//   + k slope| + |b| + 30 |slope|), for sums on the screen at most 2^-24 (3 |b| + 60 |slope|). The side's margin has 16 |slope|
//   SIDE_SHARE, and |b| SIDE_SHARE is added here: 2^-24 (8 |b| + 128 |slope|). A plane's value at a block's first pixel is
//   rounded to float and has k slopeX added; the margin of `at` (occluder.c) holds what that may be off.
#include "depth_kernel.h"

#include <math.h>

#include "simd.h"

static const float laneNumbers[depth_lanes] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// The spans of sixteen rows: pixels begin .. end of each, empty where end <= begin.
typedef struct RowSpans {
    int32_t begin[depth_lanes], end[depth_lanes];
} RowSpans;

static double limited(double x) {
    return x < -0x1p40 ? -0x1p40 : x > 0x1p40 ? 0x1p40 : x;
}

static RowSpans spansOf(const ConvexOccluder* occluder, int32_t row, uint32_t width) {
    grzF16 lanes = grzF16_Load(laneNumbers), zero = grzF16_Zero(), whole = grzF16_Set1((float)width);
    grzF16 begin = zero, end = whole;
    for (uint32_t i = 0; i < occluder->sideCount; ++i) {
        const OccluderSide* side = &occluder->sides[i];
        double at = limited(side->at + side->slope * row), margin = side->margin + fabs(at) * SIDE_SHARE;
        at += side->isLower ? margin : -margin;
        grzF16 bound = grzF16_Mul(lanes, grzF16_Set1((float)side->slope));
        bound = grzF16_Add(grzF16_Set1((float)at), bound);
        if (side->isLower)
            begin = grzF16_Max(bound, begin);
        else
            end = grzF16_Min(bound, end);
    }
    begin = grzF16_Min(begin, whole);
    end = grzF16_Max(end, zero);
    grzI16 down = grzF16_ToInt(begin);
    grzM16 isBetween = grzF16_Less(grzI16_ToFloat(down), begin);
    RowSpans spans;
    grzI16_Store(spans.begin, grzI16_Add(down, grzI16_Select(isBetween, grzI16_Set1(1), grzI16_Zero())));
    grzI16_Store(spans.end, grzF16_ToInt(end));
    return spans;
}

// The lanes of a block that starts at pixel x which lie within begin .. end.
static grzM16 spanMask(int32_t x, int32_t begin, int32_t end) {
    uint32_t from = begin > x ? (uint32_t)(begin - x) : 0, to = (uint32_t)(end - x);
    uint32_t below = to >= depth_lanes ? 0xffffu : (1u << to) - 1;
    return grzM16_FromBits(below & 0xffffu << from);
}

static void fillSpan(float* values, const ConvexOccluder* occluder, int32_t y, int32_t begin, int32_t end) {
    grzF16 lanes = grzF16_Load(laneNumbers);
    double rowAt[occluder_maxPlanes];
    for (uint32_t i = 0; i < occluder->planeCount; ++i)
        rowAt[i] = occluder->planes[i].at + occluder->planes[i].slopeY * y;
    for (int32_t x = begin & ~(depth_lanes - 1); x < end; x += depth_lanes) {
        grzF16 depth = grzF16_Set1(INFINITY);
        for (uint32_t i = 0; i < occluder->planeCount; ++i) {
            const OccluderPlane* plane = &occluder->planes[i];
            grzF16 at = grzF16_Set1((float)(rowAt[i] + plane->slopeX * x));
            at = grzF16_Add(at, grzF16_Mul(lanes, grzF16_Set1((float)plane->slopeX)));
            depth = grzF16_Min(at, depth);
        }
        grzF16 old = grzF16_LoadAligned(values + x);
        grzF16 nearer = grzF16_Max(depth, old);
        grzF16_StoreAligned(values + x, grzF16_Select(spanMask(x, begin, end), nearer, old));
    }
}

void GRZ_KERNEL(grzDepthFill)(DepthImage* image, const ConvexOccluder* occluder) {
    for (int32_t row = occluder->rowBegin; row < occluder->rowEnd; row += depth_lanes) {
        RowSpans spans = spansOf(occluder, row, image->width);
        for (int32_t k = 0; k < depth_lanes && row + k < occluder->rowEnd; ++k)
            if (spans.begin[k] < spans.end[k])
                fillSpan(image->values + (size_t)image->stride * (uint32_t)(row + k), occluder, row + k,
                         spans.begin[k], spans.end[k]);
    }
}

// Sixteen values to eight: the less of each two neighbours.
static grzF8 lesserOfTwo(grzF16 a) {
    float even[depth_lanes], odd[depth_lanes];
    grzF16_CompressStore(even, grzM16_FromBits(0x5555), a);
    grzF16_CompressStore(odd, grzM16_FromBits(0xaaaa), a);
    return grzF8_Min(grzF8_Load(even), grzF8_Load(odd));
}

void GRZ_KERNEL(grzDepthReduce)(const DepthImage* fine, DepthImage* coarse) {
    for (uint32_t y = 0; y < coarse->height; ++y) {
        const float* above = fine->values + (size_t)fine->stride * (2 * y);
        const float* below = 2 * y + 1 < fine->height ? above + fine->stride : above;
        float* to = coarse->values + (size_t)coarse->stride * y;
        for (uint32_t x = 0; x < fine->stride; x += depth_lanes)
            grzF8_Store(to + x / 2,
                        lesserOfTwo(grzF16_Min(grzF16_LoadAligned(above + x), grzF16_LoadAligned(below + x))));
    }
}
