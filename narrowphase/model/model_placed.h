// What: a model as it stands in A's frame, triangle by triangle and box by box, without SIMD.
// Promise: corners are those of model_pair.h, to the bit. A box holds the corners of its triangles.
// Threads: reads only.
#ifndef GRAZE_NARROWPHASE_MODEL_PLACED_H
#define GRAZE_NARROWPHASE_MODEL_PLACED_H

#include "model_inside.h"
#include "model_relation.h"

typedef struct PlacedModel {
    const grzModel* model;
    const ModelFrame* into; // NULL: in its own frame
} PlacedModel;

static inline grzVec3 grzPlaced_Point(const PlacedModel* placed, grzVec3 p) {
    const ModelFrame* into = placed->into;
    float at[3];
    if (into == NULL)
        return p;
    for (int i = 0; i < 3; ++i)
        at[i] =
            (into->columns[0][i] * p.x + into->columns[1][i] * p.y) + (into->columns[2][i] * p.z + into->origin[i]);
    return grzVec3_Load(at);
}

// Triangle k of a leaf.
static inline void grzPlaced_Triangle(const PlacedModel* placed, uint32_t leaf, uint32_t k, grzVec3 corners[3]) {
    const ModelLeaf* from = &placed->model->leaves[leaf];
    for (uint32_t corner = 0; corner < 3; ++corner)
        corners[corner] =
            grzPlaced_Point(placed, grzVec3_Make(from->at[0][4 * corner + k], from->at[1][4 * corner + k],
                                                 from->at[2][4 * corner + k]));
}

// The box of number `index` of a level (model_inside.h), with the margins of model_relation.c. Not of an absent one.
static inline grzBox grzPlaced_Box(const PlacedModel* placed, uint32_t level, uint32_t index) {
    const grzBvhNode* node = placed->model->levels[level] + index / GRZ_BVH_WIDTH;
    const uint32_t lane = index % GRZ_BVH_WIDTH;
    const ModelFrame* into = placed->into;
    float lower[3], upper[3];
    for (int i = 0; i < 3; ++i) {
        float center, radius;
        lower[i] = node->lower[i][lane], upper[i] = node->upper[i][lane];
        if (into == NULL)
            continue;
        center = into->twiceOrigin[i], radius = into->twiceMargin[i];
        for (int j = 0; j < 3; ++j) {
            center += into->columns[j][i] * (node->lower[j][lane] + node->upper[j][lane]);
            radius += into->absolute[j][i] * (node->upper[j][lane] - node->lower[j][lane]);
        }
        lower[i] = 0.5F * (center - radius);
        upper[i] = 0.5F * (center + radius);
    }
    return grzBox_Make(grzVec3_Load(lower), grzVec3_Load(upper));
}

// Of the whole model, which has triangles.
static inline grzBox grzPlaced_RootBox(const PlacedModel* placed) {
    return grzPlaced_Box(placed, 0, 0);
}

#endif
