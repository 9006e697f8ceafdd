// What: the inverse of a pose's basis.
#include "model_place.h"

#include <math.h>

void grzModelPlace_Set(ModelPlace* place, grzTransform pose) {
    place->columns[0] = grzVec3d_FromVec3(pose.basis.x);
    place->columns[1] = grzVec3d_FromVec3(pose.basis.y);
    place->columns[2] = grzVec3d_FromVec3(pose.basis.z);
    place->origin = grzVec3d_FromVec3(pose.origin);
}

bool grzModelPlace_Invert(ModelPlace* place) {
    const grzVec3d* c = place->columns;
    const grzVec3d rows[3] = {grzVec3d_Cross(c[1], c[2]), grzVec3d_Cross(c[2], c[0]), grzVec3d_Cross(c[0], c[1])};
    place->determinant = grzVec3d_Dot(c[0], rows[0]);
    // Of numbers from float none overflows but by the division.
    const double factor = 1 / place->determinant;
    for (int i = 0; i < 3; ++i)
        place->rows[i] = grzVec3d_Scale(rows[i], factor);
    const double sum =
        grzVec3d_Length(place->rows[0]) + grzVec3d_Length(place->rows[1]) + grzVec3d_Length(place->rows[2]);
    return place->determinant != 0 && isfinite(sum);
}

double grzModelPlace_RowError(const ModelPlace* place, int axis) {
    const double lengths[3] = {grzVec3d_Length(place->columns[0]), grzVec3d_Length(place->columns[1]),
                               grzVec3d_Length(place->columns[2])};
    const double k = lengths[0] * lengths[1] * lengths[2] / fabs(place->determinant);
    return 0x1p-48 * k * (1 + k) / lengths[axis];
}
