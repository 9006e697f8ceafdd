// A picture of triangles: a small software rasteriser, so that a person can look at a scene.
//
//   Picture picture;
//   result = Picture_Create(&picture, 960, 540, allocator);
//   Picture_Look(&picture, from, to, 45);
//   Picture_Triangle(&picture, corners, color);      // lit from above, both sides
//   Picture_Save(&picture, "out.png", &error);       // or .ppm
//   Picture_Release(&picture);
//
// Each pixel has four samples. The same triangles give the same bytes. One thread.
#ifndef GRAZE_APP_PICTURE_H
#define GRAZE_APP_PICTURE_H

#include "file_error.h"
#include "graze/linmath.h"

typedef struct Picture {
    grzAllocator allocator;
    uint32_t width, height; // of the picture; samples are twice as many each way
    float* depths;          // of samples: 1 / distance along the view, 0: nothing
    uint8_t* colors;        // of samples: three bytes
    grzVec3 eye, right, up, forward;
    float scale; // samples for a tangent of 1
} Picture;

// 1 to 8192 pixels each way; filled with a light sky. grz_outOfMemory leaves it empty.
grzResult Picture_Create(Picture* picture, uint32_t width, uint32_t height, grzAllocator allocator);
void Picture_Release(Picture* picture);

// From where, to where, and the vertical angle in degrees. y is up.
void Picture_Look(Picture* picture, grzVec3 from, grzVec3 to, float fieldOfView);

// Color: red, green, blue, 0 to 1.
void Picture_Triangle(Picture* picture, const grzVec3 corners[3], const float color[3]);

// Whether a name ends as one of a picture does; else one sentence.
bool pictureIsNamed(const char* path, FileError* error);

// By the end of the name: .png or .ppm.
bool Picture_Save(const Picture* picture, const char* path, FileError* error);

#endif
