// What the files of the depth pyramid share with each other and with visibility.
#ifndef GRAZE_BROADPHASE_DEPTH_INSIDE_H
#define GRAZE_BROADPHASE_DEPTH_INSIDE_H

#include "depth_kernel.h"
#include "graze/depth_pyramid.h"
#include "view_forms.h"

enum { depth_maxLevels = 13 }; // 4096 pixels to 1

struct grzDepthPyramid {
    grzAllocator allocator;
    float* memory; // all levels
    size_t memoryCount;
    uint32_t levelCount;
    DepthImage levels[depth_maxLevels]; // each has half the size of the one before, rounded up, down to 1 by 1
    grzCamera camera;
    RootView view;
    LinearFrame frame; // that of the world: no change
    bool isBegun;
    grzDepthFill_Fn* fill;
    grzDepthReduce_Fn* reduce;
};

// What occluders are drawn with: the forms of a screen in their frame.
typedef struct OccluderView {
    LinearForm rows[3];
    LinearFrame frame;
} OccluderView;

OccluderView grzMakeOccluderView(const grzDepthPyramid* pyramid, const LinearFrame* frame);

// occluder.c. The box is finite and not empty.
void grzDrawOccluderBox(grzDepthPyramid* pyramid, const OccluderView* view, const grzBox* box);
void grzDrawOccluderTriangle(grzDepthPyramid* pyramid, const OccluderView* view, const float* const corners[3]);

// Triangles with good indices.
void grzDrawOccluderSoup(grzDepthPyramid* pyramid, const OccluderView* view, const grzTriangleSoup* soup);
// The first triangle with a bad index, or triangleCount.
size_t grzFindBadTriangle(const grzTriangleSoup* soup);

// Whether everything with a 1 / w of at most `most` is hidden in all pixels x0 .. x1, y0 .. y1 (inclusive).
bool grzDepthPyramid_Hides(const grzDepthPyramid* pyramid, int32_t x0, int32_t y0, int32_t x1, int32_t y1,
                           float most);

#endif
