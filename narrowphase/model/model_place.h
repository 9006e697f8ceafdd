// What: where a model stands, in double, and back.
// Threads: plain data, pure functions.
#ifndef GRAZE_NARROWPHASE_MODEL_PLACE_H
#define GRAZE_NARROWPHASE_MODEL_PLACE_H

#include "graze/linmath.h"
#include "model_inside.h"
#include "vec3d.h"

typedef struct ModelPlace {
    grzVec3d columns[3]; // of the basis
    grzVec3d origin;
    // Of the inverse:
    grzVec3d rows[3];
    double determinant; // of the basis
    // Of the inverse's error:
    double lengths[3]; // of the columns
    double error;      // see grzModelPlace_RowError
} ModelPlace;

// The columns and the origin.
void grzModelPlace_Set(ModelPlace* place, grzTransform pose);

// False where the basis cannot be inverted, as far as double can tell.
bool grzModelPlace_Invert(ModelPlace* place);

// What coordinate `axis` of a vector of unit length in the world may be off when it is turned back. With k the product of
// the columns' lengths over the determinant (1 for a rotation and a scale), cross products and their quotient leave a row
// off by less than 2^-48 k (1 + k) / the length of its column. After grzModelPlace_SetError, for an inverse.
void grzModelPlace_SetError(ModelPlace* place);
static inline double grzModelPlace_RowError(const ModelPlace* place, int axis) {
    return place->error / place->lengths[axis];
}

static inline grzVec3d grzModelPlace_Turn(const ModelPlace* place, grzVec3d v) {
    return grzVec3d_Turn(place->columns, v);
}

static inline grzVec3d grzModelPlace_TurnBack(const ModelPlace* place, grzVec3d v) {
    return grzVec3d_TurnBack(place->rows, v);
}

// A corner of a triangle of the tree, in the model's frame.
static inline grzVec3d grzModel_Corner(const grzModel* model, uint32_t triangle, uint32_t corner) {
    const ModelLeaf* leaf = &model->leaves[triangle / GRZ_BVH_LEAF_TRIANGLES];
    const uint32_t lane = 4 * corner + triangle % GRZ_BVH_LEAF_TRIANGLES;
    return grzVec3d_Make((double)leaf->at[0][lane], (double)leaf->at[1][lane], (double)leaf->at[2][lane]);
}

// The caller's number of a triangle of the tree.
static inline uint32_t grzModel_TriangleId(const grzModel* model, uint32_t triangle) {
    return model->leaves[triangle / GRZ_BVH_LEAF_TRIANGLES].ids[triangle % GRZ_BVH_LEAF_TRIANGLES];
}

#endif
