// The wide loops of cloth. See kernel.h for how they are built and picked.
#ifndef GRAZE_WORLD_CLOTH_KERNEL_H
#define GRAZE_WORLD_CLOTH_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel.h"

// Eight edges that keep their lengths.
typedef struct ClothStretch8 {
    int32_t a[8], b[8];
    float rest[8];
} ClothStretch8;

// Eight pairs of triangles that keep the angle between them. Vertices: 0 and 1 of the edge, 2 and 3 across from it. The
// pair's bend is the vector c1 (x1 - x0) + c2 (x2 - x0) + c3 (x3 - x0): the sum of the two unit vectors that lie in
// the triangles at right angles to the edge (cloth_kernel.c). rest: its length in the mesh, negative where it points
// against the normal.
typedef struct ClothBend8 {
    int32_t vertices[4][8];
    float c[3][8];
    float rest[8];
} ClothBend8;

// A substep's free flight, of rows [begin, end), multiples of eight.
typedef struct ClothFlight {
    float* now;
    float* before;
    float* velocity;
    float pull[3]; // gravity * h
    float keep;    // 1 / (1 + damping * h)
    float h, rate; // and by what corrections become speeds: 1 / h, or less
} ClothFlight;

// before = now, velocity = velocity * keep + pull, now = before + h * velocity; rows without an inverse mass stay.
GRZ_DECLARE_KERNEL(void, grzClothFly, (const ClothFlight* flight, uint32_t begin, uint32_t end));
// velocity += (now - (before + h * velocity)) * rate: what was corrected, and nothing where nothing was, to the bit. Of rows without
// an inverse mass: (now - before) * rate. Cut off where a step could take a position beyond the range of float.
GRZ_DECLARE_KERNEL(void, grzClothSpeed, (const ClothFlight* flight, uint32_t begin, uint32_t end));

// Groups of one colour; softness: compliance / h^2. The first returns whether an edge was strained, that can move: more than
// CLOTH_STRAIN times as long as at rest.
#define CLOTH_STRAIN 2.0f
GRZ_DECLARE_KERNEL(bool, grzClothStretch,
                   (float* now, const ClothStretch8* groups, uint32_t count, float softness));
GRZ_DECLARE_KERNEL(void, grzClothBend, (float* now, const ClothBend8* groups, uint32_t count, float softness));

// Pulls rows [begin, end) back to within `lengths` of their pins.
typedef struct ClothTethers {
    float* now;
    const float* pinPlaces;
    const uint32_t* pins;
    const float* lengths;
} ClothTethers;

GRZ_DECLARE_KERNEL(void, grzClothTether, (const ClothTethers* tethers, uint32_t begin, uint32_t end));

#endif
