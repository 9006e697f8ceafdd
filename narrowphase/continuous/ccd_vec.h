// Three doubles, for what continuous queries compute beside their proofs: each operation rounds as it is written.
#ifndef GRAZE_NARROWPHASE_CCD_VEC_H
#define GRAZE_NARROWPHASE_CCD_VEC_H

typedef struct Vec {
    double x, y, z;
} Vec;

static inline Vec minus(Vec a, Vec b) {
    return (Vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline Vec along(Vec a, double s, Vec b) {
    return (Vec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline double dot(Vec a, Vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline Vec cross(Vec a, Vec b) {
    return (Vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

#endif
