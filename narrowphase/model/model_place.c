// What: the inverse of a pose's basis.
#include "model_place.h"

#include <math.h>

void grzModelPlace_Set(ModelPlace* place, grzTransform pose) {
    grzVec3d_FromMat3(pose.basis, place->columns);
    place->origin = grzVec3d_FromVec3(pose.origin);
}

bool grzModelPlace_Invert(ModelPlace* place) {
    const grzVec3d* c = place->columns;
    const grzVec3d rows[3] = {grzVec3d_Cross(c[1], c[2]), grzVec3d_Cross(c[2], c[0]), grzVec3d_Cross(c[0], c[1])};
    place->determinant = grzVec3d_Dot(c[0], rows[0]);
    // Of numbers from float none overflows but by the division.
    const double factor = 1 / place->determinant;
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
        place->rows[i] = grzVec3d_Scale(rows[i], factor);
        sum += fabs(place->rows[i].x) + fabs(place->rows[i].y) + fabs(place->rows[i].z);
    }
    return place->determinant != 0 && isfinite(sum);
}

void grzModelPlace_SetError(ModelPlace* place) {
    double product = 1;
    for (int i = 0; i < 3; ++i) {
        place->lengths[i] = grzVec3d_Length(place->columns[i]);
        product *= place->lengths[i];
    }
    const double k = product / fabs(place->determinant);
    place->error = 0x1p-48 * k * (1 + k);
}
