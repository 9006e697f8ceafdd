// What: the depth pyramid: its levels, and the test of boxes against them.
// Promise: see graze/depth_pyramid.h. Level 0 holds for each pixel a 1 / w that everything visible through any of its points
//   reaches or exceeds, and each coarser value is the least of four.
// Idea: [Greene, Kass, Miller, Hierarchical Z-Buffer Visibility, SIGGRAPH 1993]. 1 / w instead of a depth: it is linear on the
//   screen, nothing drawn is simply 0, and near is large, so that a lower bound is conservative. A box is hidden if every pixel
//   of a rectangle around its image has a value above the box's largest 1 / w; strictly, so that a box is never hidden behind
//   itself. The test starts at the level where the rectangle has at most two values a side and looks closer only below values
//   that do not suffice; a pixel that does not ends it. A coarser level that was not brought up to date since something was drawn
//   holds smaller values: conservative.
// Threads: see graze/depth_pyramid.h.     Cost: 5.3 bytes a pixel.
#include "graze/depth_pyramid.h"

#include <math.h>
#include <string.h>

#include "depth_inside.h"
#include "memory.h"
#include "owner.h"
#include "refuse_null.h"
#include "view_kernel.h"

static const uint32_t pyramidDefMark = 0x67447031;

grzDepthPyramidDef grzDefaultDepthPyramidDef(void) {
    grzDepthPyramidDef def = {.mark = pyramidDefMark, .width = 256, .height = 128};
    return def;
}

static bool isGoodSize(uint32_t pixels) {
    return pixels >= 1 && pixels <= GRZ_MAX_DEPTH_PIXELS;
}

// Sizes all levels; returns the floats they need.
static size_t layOut(grzDepthPyramid* pyramid, uint32_t width, uint32_t height) {
    size_t count = 0;
    for (;;) {
        uint32_t stride = (width + depth_lanes - 1) & ~(depth_lanes - 1u);
        pyramid->levels[pyramid->levelCount++] = (DepthImage){NULL, width, height, stride};
        count += (size_t)stride * height;
        if (width == 1 && height == 1)
            return count;
        width = (width + 1) / 2, height = (height + 1) / 2;
    }
}

// Nothing drawn: zeros on the pixels, infinities beyond.
static void clear(grzDepthPyramid* pyramid) {
    for (uint32_t i = 0; i < pyramid->levelCount; ++i) {
        DepthImage* level = &pyramid->levels[i];
        for (uint32_t y = 0; y < level->height; ++y) {
            float* row = level->values + (size_t)level->stride * y;
            memset(row, 0, level->width * sizeof *row);
            for (uint32_t x = level->width; x < level->stride; ++x)
                row[x] = INFINITY;
        }
    }
}

grzResult grzDepthPyramid_Create(const grzDepthPyramidDef* def, grzDepthPyramid** made) {
    GRZ_REFUSE_NULL(made, 2);
    *made = NULL;
    if (def == NULL || def->mark != pyramidDefMark)
        return grzFail(grz_badDef, 0);
    if (!isGoodSize(def->width) || !isGoodSize(def->height))
        return grzBecause(grzFail(grz_badArgument, 1), "width and height must be from 1 to GRZ_MAX_DEPTH_PIXELS");
    grzAllocator allocator = def->allocator;
    grzResult checked;
    grzDepthPyramid* pyramid = grzOwner_New(&allocator, 1, sizeof *pyramid, _Alignof(grzDepthPyramid), &checked);
    if (pyramid == NULL)
        return checked;
    pyramid->allocator = allocator;
    pyramid->memoryCount = layOut(pyramid, def->width, def->height);
    pyramid->memory = grzAllocate(&allocator, pyramid->memoryCount, sizeof *pyramid->memory, 64);
    if (pyramid->memory == NULL) {
        grzResult result = grzNoMemory(pyramid->memoryCount, sizeof *pyramid->memory);
        grzDepthPyramid_Destroy(pyramid);
        return result;
    }
    float* at = pyramid->memory;
    for (uint32_t i = 0; i < pyramid->levelCount; ++i) {
        pyramid->levels[i].values = at;
        at += (size_t)pyramid->levels[i].stride * pyramid->levels[i].height;
    }
    clear(pyramid);
    *made = pyramid;
    return grzOk();
}

void grzDepthPyramid_Destroy(grzDepthPyramid* pyramid) {
    if (pyramid == NULL)
        return;
    const grzAllocator allocator = pyramid->allocator;
    grzRelease(&allocator, pyramid->memory, pyramid->memoryCount, sizeof *pyramid->memory, 64);
    grzRelease(&allocator, pyramid, 1, sizeof *pyramid, _Alignof(grzDepthPyramid));
}

grzResult grzDepthPyramid_Begin(grzDepthPyramid* pyramid, const grzCamera* camera) {
    GRZ_REFUSE_NULL(pyramid, 1);
    GRZ_REFUSE_NULL(camera, 2);
    grzResult result = grzCamera_Check(camera);
    if (!grzResult_IsOk(result))
        return result;
    const DepthImage* finest = &pyramid->levels[0];
    pyramid->camera = *camera;
    pyramid->view = grzMakeRootView(NULL, 0, camera, finest->width, finest->height);
    pyramid->frame = grzRootFrame();
    pyramid->fill = GRZ_PICK_KERNEL(grzDepthFill);
    pyramid->reduce = GRZ_PICK_KERNEL(grzDepthReduce);
    pyramid->isBegun = true;
    clear(pyramid);
    return result;
}

// ---------------------------------------------------------------------------------------------------- drawing

static LinearFrame frameOf(const grzDepthPyramid* pyramid, const grzTransform* frame) {
    return frame != NULL ? grzNestedFrame(&pyramid->frame, frame) : pyramid->frame;
}

void grzDepthPyramid_DrawBoxes(grzDepthPyramid* pyramid, const grzTransform* frame, const grzBox* boxes,
                               size_t count) {
    GRZ_RETURN_IF_NULL(pyramid, );
    if (!pyramid->isBegun)
        return;
    LinearFrame linear = frameOf(pyramid, frame);
    OccluderView view = grzMakeOccluderView(pyramid, &linear);
    for (size_t i = 0; i < count; ++i)
        if (grzBox_IsValid(boxes[i]))
            grzDrawOccluderBox(pyramid, &view, &boxes[i]);
}

static uint32_t largestOf(const uint32_t* corners) {
    uint32_t largest = corners[0] > corners[1] ? corners[0] : corners[1];
    return largest > corners[2] ? largest : corners[2];
}

grzResult grzDepthPyramid_DrawTriangles(grzDepthPyramid* pyramid, const grzTransform* frame,
                                        const grzTriangleSoup* soup) {
    GRZ_REFUSE_NULL(pyramid, 1);
    GRZ_REFUSE_NULL(soup, 3);
    size_t bad = grzFindBadTriangle(soup);
    if (bad != soup->triangleCount)
        return grzFailAt(grz_indexTooLarge, grz_partTriangle, bad, largestOf(soup->triangles[bad]));
    if (!pyramid->isBegun)
        return grzOk();
    LinearFrame linear = frameOf(pyramid, frame);
    OccluderView view = grzMakeOccluderView(pyramid, &linear);
    grzDrawOccluderSoup(pyramid, &view, soup);
    return grzOk();
}

void grzDepthPyramid_Reduce(grzDepthPyramid* pyramid) {
    GRZ_RETURN_IF_NULL(pyramid, );
    for (uint32_t i = 1; pyramid->isBegun && i < pyramid->levelCount; ++i)
        pyramid->reduce(&pyramid->levels[i - 1], &pyramid->levels[i]);
}

// ---------------------------------------------------------------------------------------------------- testing

typedef struct HideQuery {
    const DepthImage* levels;
    int32_t from[2], to[2]; // pixels of level 0
    float most;
} HideQuery;

// Whether the part of the rectangle below one value is hidden.
static bool hidesBelow(const HideQuery* query, uint32_t level, int32_t x, int32_t y) {
    const DepthImage* image = &query->levels[level];
    if (image->values[(size_t)image->stride * (uint32_t)y + (uint32_t)x] > query->most)
        return true;
    if (level == 0)
        return false;
    level--;
    int32_t x1 = query->to[0] >> level, y1 = query->to[1] >> level;
    for (int32_t v = 2 * y; v <= 2 * y + 1 && v <= y1; ++v)
        for (int32_t u = 2 * x; u <= 2 * x + 1 && u <= x1; ++u)
            if (u >= query->from[0] >> level && v >= query->from[1] >> level && !hidesBelow(query, level, u, v))
                return false;
    return true;
}

bool grzDepthPyramid_Hides(const grzDepthPyramid* pyramid, int32_t x0, int32_t y0, int32_t x1, int32_t y1,
                           float most) {
    HideQuery query = {pyramid->levels, {x0, y0}, {x1, y1}, most};
    uint32_t level = 0;
    while ((x1 >> level) - (x0 >> level) > 1 || (y1 >> level) - (y0 >> level) > 1)
        level++;
    for (int32_t y = y0 >> level; y <= y1 >> level; ++y)
        for (int32_t x = x0 >> level; x <= x1 >> level; ++x)
            if (!hidesBelow(&query, level, x, y))
                return false;
    return true;
}

void grzDepthPyramid_Test(const grzDepthPyramid* pyramid, const grzTransform* frame, const grzBox* boxes,
                          size_t count, bool* isHidden) {
    GRZ_RETURN_IF_NULL(pyramid, );
    GRZ_RETURN_IF_NULL(boxes, );
    GRZ_RETURN_IF_NULL(isHidden, );
    LinearFrame linear = pyramid->isBegun ? frameOf(pyramid, frame) : grzRootFrame();
    LocalView view = grzMakeLocalView(&pyramid->view, &linear);
    grzProjectBoxes_Fn* project = GRZ_PICK_KERNEL(grzProjectBoxes);
    for (size_t first = 0; first < count; first += view_lanes) {
        float columns[6][view_lanes] = {{0}};
        const float* const sides[6] = {columns[0], columns[1], columns[2], columns[3], columns[4], columns[5]};
        size_t lanes = count - first < view_lanes ? count - first : view_lanes;
        for (size_t k = 0; k < lanes; ++k) {
            grzBox box = boxes[first + k];
            for (int axis = 0; axis < 3; ++axis) {
                columns[axis][k] = grzVec3_Get(box.lower, axis);
                columns[axis + 3][k] = grzVec3_Get(box.upper, axis);
            }
        }
        ScreenBoxes screen;
        project(&view, sides, &screen);
        for (size_t k = 0; k < lanes; ++k)
            isHidden[first + k] = pyramid->isBegun && grzBox_IsValid(boxes[first + k]) &&
                                  grzDepthPyramid_Hides(pyramid, screen.x0[k], screen.y0[k], screen.x1[k],
                                                        screen.y1[k], screen.most[k]);
    }
}
