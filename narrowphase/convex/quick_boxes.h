// Constants of the short way of two boxes (quick_boxes.c), in all its lanes.
#ifndef GRAZE_NARROWPHASE_QUICK_BOXES_H
#define GRAZE_NARROWPHASE_QUICK_BOXES_H

#define PREFERENCE 1e-3 // of the smaller box's size: convex_axes.c

// Faces count as parallel where convex_pairs.c lets a normal meet a face.
#define FACE_COSINE (1 - 2e-5)

// A separation in float is off by no more than this part of the sizes and the distance of the middles: two dozen
// roundings of 2^-24 each.
#define FLOAT_ERROR 0x1p-19

// Crossings that are better by no more than this part of the preference may be left out.
#define ALLOWED_PART 0.25

#endif
