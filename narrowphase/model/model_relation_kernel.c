// What: the kernel of model_relation_kernel.h.
// Holds: each number is computed by the operations that model_relation.c speaks of, in their order, whatever the lanes.
#include "model_relation_kernel.h"

#include <math.h>

#include "model_inside.h"
#include "simd.h"

#define ROUNDING (64 * 0x1p-24)
#define TINY     0x1p-120

// Columns of a matrix; the fourth lane is of no use.
typedef struct Columns {
    grzD4 at[3];
} Columns;

GRZ_SIMD_INLINE grzD4 toDouble(grzF4 a) {
    return grzD4_FromFloat(a);
}

// ((x * v.x) + (y * v.y)) + (z * v.z)
GRZ_SIMD_INLINE grzD4 apply(const Columns* m, double x, double y, double z) {
    const grzD4 xy = grzD4_Add(grzD4_Mul(m->at[0], grzD4_Set1(x)), grzD4_Mul(m->at[1], grzD4_Set1(y)));
    return grzD4_Add(xy, grzD4_Mul(m->at[2], grzD4_Set1(z)));
}

GRZ_SIMD_INLINE Columns absoluteOf(const Columns* m) {
    return (Columns){{grzD4_Abs(m->at[0]), grzD4_Abs(m->at[1]), grzD4_Abs(m->at[2])}};
}

// The inverse of the matrix with these columns: its column i is the cross product of rows i + 1 and i + 2, over the determinant.
GRZ_SIMD_INLINE bool invert(const float columns[3][4], Columns* inverse) {
    grzF4 next[4] = {grzF4_Load(columns[1]), grzF4_Load(columns[2]), grzF4_Load(columns[0]), grzF4_Zero()};
    grzF4 last[4] = {next[1], next[2], next[0], grzF4_Zero()};
    grzTranspose4(&next[0], &next[1], &next[2], &next[3]);
    grzTranspose4(&last[0], &last[1], &last[2], &last[3]);
    for (int i = 0; i < 3; ++i) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        inverse->at[i] = grzD4_Sub(grzD4_Mul(toDouble(next[i1]), toDouble(last[i2])),
                                   grzD4_Mul(toDouble(last[i1]), toDouble(next[i2])));
    }
    double first[4];
    grzD4_Store(first, inverse->at[0]);
    const double determinant =
        (double)columns[0][0] * first[0] + (double)columns[1][0] * first[1] + (double)columns[2][0] * first[2];
    if (determinant == 0 || !isfinite(determinant))
        return false;
    const grzD4 factor = grzD4_Set1(1 / determinant);
    for (int i = 0; i < 3; ++i)
        inverse->at[i] = grzD4_Mul(inverse->at[i], factor);
    return true;
}

GRZ_SIMD_INLINE void storeColumn(ModelFrame* frame, int j, grzF4 column) {
    grzF4_Store(frame->columns[j], column);
    grzF4_Store(frame->absolute[j], grzF4_Abs(column));
}

GRZ_SIMD_INLINE void storeOrigin(ModelFrame* frame, grzF4 origin) {
    grzF4_Store(frame->origin, origin);
    grzF4_Store(frame->twiceOrigin, grzF4_Add(origin, origin));
    frame->origin[3] = frame->twiceOrigin[3] = 0;
}

// B's frame into A's, as the contract has it.
GRZ_SIMD_INLINE bool makeForward(const grzModelQuery* query, ModelFrame* frame) {
    const grzTransform *a = &query->poseA, *b = &query->poseB;
    const grzVec3 columns[3] = {b->basis.x, b->basis.y, b->basis.z};
    Columns inverse;
    float basis[3][4];
    grzF4_Store(basis[0], grzF4_Load(&a->basis.x.x));
    grzF4_Store(basis[1], grzF4_Load(&a->basis.y.x));
    grzF4_Store(basis[2], grzF4_Load(&a->basis.z.x));
    if (!invert((const float(*)[4])basis, &inverse))
        return false;
    for (int j = 0; j < 3; ++j)
        storeColumn(
            frame, j,
            grzD4_ToFloat(apply(&inverse, (double)columns[j].x, (double)columns[j].y, (double)columns[j].z)));
    storeOrigin(frame, grzD4_ToFloat(apply(&inverse, (double)b->origin.x - (double)a->origin.x,
                                           (double)b->origin.y - (double)a->origin.y,
                                           (double)b->origin.z - (double)a->origin.z)));
    return true;
}

GRZ_SIMD_INLINE bool makeBackward(const ModelFrame* forward, ModelFrame* frame) {
    Columns inverse;
    const float* t = forward->origin;
    if (!invert(forward->columns, &inverse))
        return false;
    for (int j = 0; j < 3; ++j)
        storeColumn(frame, j, grzD4_ToFloat(inverse.at[j]));
    storeOrigin(frame, grzD4_ToFloat(grzD4_Negate(apply(&inverse, (double)t[0], (double)t[1], (double)t[2]))));
    return true;
}

GRZ_SIMD_INLINE Columns columnsOf(const ModelFrame* frame) {
    return (Columns){{toDouble(grzF4_Load(frame->columns[0])), toDouble(grzF4_Load(frame->columns[1])),
                      toDouble(grzF4_Load(frame->columns[2]))}};
}

// Nothing, for a model without triangles.
GRZ_SIMD_INLINE grzF4 largestCoordinates(const grzModel* model) {
    if (model->leafCount == 0)
        return grzF4_Zero();
    return grzF4_Max(grzF4_Abs(grzF4_Load(&model->box.lower.x)), grzF4_Abs(grzF4_Load(&model->box.upper.x)));
}

// What may round: |M| q + |T| + own.
GRZ_SIMD_INLINE grzD4 reachOf(const Columns* m, const ModelFrame* frame, const float q[4], grzF4 own) {
    const Columns absolute = absoluteOf(m);
    const grzD4 t = grzD4_Abs(toDouble(grzF4_Load(frame->origin)));
    return grzD4_Add(apply(&absolute, (double)q[0], (double)q[1], (double)q[2]), grzD4_Add(t, toDouble(own)));
}

// |N M - 1| qb + |N T + S|. What double rounds in it is below 2^-50 (|N| (|M| qb + |T|) + qb + |S|), which ROUNDING has to spare
// many times over.
GRZ_SIMD_INLINE grzD4 residualOf(const ModelFrame* forward, const Columns* n, const ModelFrame* backward,
                                 const float qb[4]) {
    static const double minus[3][4] = {{-1, 0, 0, 0}, {0, -1, 0, 0}, {0, 0, -1, 0}};
    grzD4 shift = toDouble(grzF4_Load(backward->origin)), off = grzD4_Zero();
    for (int k = 0; k < 3; ++k)
        shift = grzD4_Add(shift, grzD4_Mul(n->at[k], grzD4_Set1((double)forward->origin[k])));
    for (int j = 0; j < 3; ++j) {
        grzD4 sum = grzD4_Load(minus[j]);
        for (int k = 0; k < 3; ++k)
            sum = grzD4_Add(sum, grzD4_Mul(n->at[k], grzD4_Set1((double)forward->columns[j][k])));
        off = grzD4_Add(off, grzD4_Mul(grzD4_Abs(sum), grzD4_Set1((double)qb[j])));
    }
    return grzD4_Add(grzD4_Abs(shift), off);
}

GRZ_SIMD_INLINE grzD4 marginOf(grzD4 reach) {
    return grzD4_Add(grzD4_Mul(grzD4_Set1(ROUNDING), reach), grzD4_Set1(TINY));
}

bool GRZ_KERNEL(grzModelRelate)(const grzModelQuery* query, ModelRelation* relation, RelationBounds* bounds) {
    ModelFrame *forward = &relation->into[0], *backward = &relation->into[1];
    if (!makeForward(query, forward) || !makeBackward(forward, backward))
        return false;
    const grzF4 largestA = largestCoordinates(query->a), largestB = largestCoordinates(query->b);
    const Columns m = columnsOf(forward), n = columnsOf(backward), absolute = absoluteOf(&n);
    float qa[4], qb[4];
    grzF4_Store(qa, largestA), grzF4_Store(qb, largestB);
    const grzD4 reachA = reachOf(&m, forward, qb, largestA), reachB = reachOf(&n, backward, qa, largestB);
    double* a = bounds->margin[0];
    grzD4_Store(a, marginOf(reachA));
    const grzD4 own = grzD4_Add(apply(&absolute, a[0], a[1], a[2]), marginOf(reachB));
    grzD4_Store(bounds->margin[1], grzD4_Add(own, residualOf(forward, &n, backward, qb)));
    grzD4_Store(bounds->reach[0], reachA), grzD4_Store(bounds->reach[1], reachB);
    return true;
}
