// A depth pyramid: a small picture of what stands in the way, to ask whether boxes are hidden behind it.
//
//   result = grzDepthPyramid_Begin(pyramid, &camera);
//   grzDepthPyramid_DrawBoxes(pyramid, NULL, walls, wallCount);
//   grzDepthPyramid_Reduce(pyramid);
//   grzDepthPyramid_Test(pyramid, NULL, boxes, boxCount, isHidden);
//
// Promise: conservative. Where a box is reported hidden, every ray from the camera that meets the box within view
// meets one of the drawn occluders strictly before it: not only the rays through pixels' centres, and in real
// arithmetic, not only in ours. A box that is hidden may be reported visible: occluders count only in pixels that
// they cover wholly, so a slit of up to two pixels is left between two triangles, and the fewer the pixels, the
// more is let through.
//
// Occluders are solid boxes and two-sided triangles. Of a box only the faces that the camera sees from outside
// occlude. What of an occluder is nearer than the camera's `nearest` does not occlude. An occluder must lie within
// the matter it stands for: the bounding box of a tree's crown hides nothing.
//
// Owner: the pyramid owns its memory, taken at creation; no other call allocates. Threads: one at a time for calls
// that take a grzDepthPyramid*, any number of readers for const ones. The same bytes at every SIMD level.
#ifndef GRAZE_DEPTH_PYRAMID_H
#define GRAZE_DEPTH_PYRAMID_H

#include "graze/camera.h"
#include "graze/host.h"

GRZ_EXTERN_C_BEGIN

typedef struct grzDepthPyramid grzDepthPyramid;

#define GRZ_MAX_DEPTH_PIXELS 4096

typedef struct grzDepthPyramidDef {
    uint32_t mark;          // set by grzDefaultDepthPyramidDef; create refuses another
    uint32_t width, height; // pixels of the finest level: 1 to GRZ_MAX_DEPTH_PIXELS
    grzAllocator allocator; // all zeros: the default one
} grzDepthPyramidDef;

// 256 by 128 pixels.
GRZ_API grzDepthPyramidDef grzDefaultDepthPyramidDef(void);

// Or sets *pyramid to NULL: grz_badDef, grz_badArgument (a size out of range, half an allocator), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzDepthPyramid_Create(const grzDepthPyramidDef* def, grzDepthPyramid** pyramid);

// NULL is fine.
GRZ_API void grzDepthPyramid_Destroy(grzDepthPyramid* pyramid);

// Clears the picture and takes the camera. Refused as grzCamera_Check says, with everything as it was. The calls
// below do nothing, and nothing is hidden, before the first Begin.
GRZ_NODISCARD GRZ_API grzResult grzDepthPyramid_Begin(grzDepthPyramid* pyramid, const grzCamera* camera);

// Draws boxes; frame takes their coordinates to the camera's world (NULL: they are the same) and may rotate, scale,
// shear and mirror. Boxes that are empty or not finite draw nothing, and so do what is behind the camera or covers
// no pixel wholly.
GRZ_API void grzDepthPyramid_DrawBoxes(grzDepthPyramid* pyramid, const grzTransform* frame, const grzBox* boxes,
                                       size_t count);

typedef struct grzTriangleSoup {
    const float (*positions)[3];
    size_t positionCount;
    const uint32_t (*triangles)[3];
    size_t triangleCount;
} grzTriangleSoup;

// Draws triangles, seen from either side. Refused, with nothing drawn: grz_indexTooLarge (index: the triangle;
// value: what it names). Triangles without area or with positions that are not finite draw nothing.
GRZ_NODISCARD GRZ_API grzResult grzDepthPyramid_DrawTriangles(grzDepthPyramid* pyramid, const grzTransform* frame,
                                                              const grzTriangleSoup* soup);

// Brings the coarser levels up to date with what was drawn. Without it tests are still conservative, but see only
// part.
GRZ_API void grzDepthPyramid_Reduce(grzDepthPyramid* pyramid);

// isHidden[i] becomes true where box i is hidden behind what was drawn, and false otherwise, which includes boxes
// that reach the camera's own plane, and boxes that are empty or not finite. Of a box that is partly in view only
// that part is asked for; of one that is not in view at all the answer may be either.
GRZ_API void grzDepthPyramid_Test(const grzDepthPyramid* pyramid, const grzTransform* frame, const grzBox* boxes,
                                  size_t count, bool* isHidden);

GRZ_EXTERN_C_END

#endif
