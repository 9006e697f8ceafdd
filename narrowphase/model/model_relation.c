// What: the relative transform of two models, its inverse, and the margins for box tests in floats.
// Promise: let triangles of A and B, B's as its vertices come into A's frame by the operations of model_pair.h, have a
//   point in common. Then any two boxes that hold them meet along every axis that the kernels test.
// Idea: let p be such a point, u = 2^-24, q its counterpart in B's own frame, M, T the map into A's frame and N, S the one
//   into B's, as floats. Qa, Qb: the largest coordinates of the models, by axis; |M| has the sizes of M.
//
//   In A's frame: p = M q + T + e with e the rounding of the vertices: at most 4 u (|M| Qb + |T|). Kernels work with
//   sums lower + upper and differences upper - lower (of either model), which are off by u times twice the largest
//   coordinate; a mapped centre or radius is a sum of four products, off by 4 u (|M| Qb + |T|) each; and a last
//   difference and sum of these. In all below 32 u (|M| Qb + |T| + Qa); 64 u is taken. (That is the worst of some dozen
//   roundings, all one way; drawn cases lose pairs below 1 u. What is proved stays, for it costs steps only where boxes touch.)
//
//   In B's frame: N p + S = q + (N M - 1) q + (N T + S) + N e. So q is off by |N M - 1| Qb + |N T + S| + |N| e, to which the
//   kernels add at most 32 u (|N| Qa + |S| + Qb). The first two are computed in double from the floats.
//
//   Across edges, along e_i x c = (0, -c2, c1) from i on, c a column by a power of two so that no number of c is above 1: the
//   two differences of centres that c1 and c2 multiply are off by no more than the margins of their axes allow, and no more
//   margin lies along it than |c2| margin 1 + |c1| margin 2. The kernel's products, sum and own radius round by less than 16 u
//   (|c2| reach 1 + |c1| reach 2), which ROUNDING has to spare beside the 32. The other's radius sums three products with
//   determinants that are larger by a millionth, 16 u, than what they stand for, and rounds each four times.
//   Without the power of two, determinants of small columns would underflow, and with them the radius.
//
//   A query's margin m lets p lie m away from q's image. Along axis i of A's frame that is m times the length of row i of A's
//   inverted basis, no more, and likewise in B's: so much is added to the margins, once those of rounding are made.
//
// Holds: where a product underflows it is off by 2^-149 more; 2^-120 is added everywhere, and no number exceeds 2^60, so that
//   no sum or product of three overflows.
// Cost: some 300 operations in double, four at a time: model_relation_kernel.c.
#include "model_relation.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "model_relation_kernel.h"
#include "result_make.h"
#include "vec3d.h"

#define TINY    0x1p-120
#define LARGEST 0x1p60

typedef struct Map {
    double m[3][3]; // rows
    double t[3];
} Map;

static Map loadMap(grzTransform pose) {
    const grzVec3 columns[3] = {pose.basis.x, pose.basis.y, pose.basis.z};
    Map map;
    for (int j = 0; j < 3; ++j) {
        map.m[0][j] = (double)columns[j].x;
        map.m[1][j] = (double)columns[j].y;
        map.m[2][j] = (double)columns[j].z;
    }
    grzRow_FromVec3(pose.origin, map.t);
    return map;
}

// The linear part. False where there is none.
static bool invert(const Map* map, Map* inverse) {
    const double(*m)[3] = (const double(*)[3])map->m;
    double(*n)[3] = inverse->m;
    for (int i = 0; i < 3; ++i) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int j = 0; j < 3; ++j) {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            n[j][i] = m[i1][j1] * m[i2][j2] - m[i1][j2] * m[i2][j1];
        }
    }
    const double determinant = m[0][0] * n[0][0] + m[0][1] * n[1][0] + m[0][2] * n[2][0];
    if (determinant == 0 || !isfinite(determinant))
        return false;
    const double factor = 1 / determinant;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            n[i][j] *= factor;
    return true;
}

// What kernels made of the map and the margins.
static Map mapOf(const ModelFrame* frame) {
    Map map;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            map.m[i][j] = (double)frame->columns[j][i];
        map.t[i] = (double)frame->origin[i];
    }
    return map;
}

static void finishFrame(const double margin[3], ModelFrame* frame) {
    float squares = 0;
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i)
            squares += frame->columns[j][i] * frame->columns[j][i];
        frame->twiceMargin[j] = (float)(2.000002 * margin[j]);
    }
    frame->twiceMargin[3] = 0;
    frame->size = sqrtf(squares * (1.0F / 3));
}

static void storeEdges(const Map* map, ModelFrame* frame) {
    for (int j = 0; j < 3; ++j) {
        int exponent;
        frexp(fmax(fmax(fabs(map->m[0][j]), fabs(map->m[1][j])), fabs(map->m[2][j])), &exponent);
        for (int i = 0; i < 3; ++i)
            frame->edges[j][i] = (float)ldexp(map->m[i][j], -exponent);
        frame->edges[j][3] = 0;
    }
}

// Not less than |det|. Nor so small that floats cannot hold its digits: what they would lose of it, the margins cover; but
// products of such numbers are slow on many processors.
static float acrossRadius(double determinant) {
    const double radius = fmin(fabs(determinant) * 1.000001, (double)FLT_MAX);
    return determinant == 0 ? 0 : fmaxf((float)radius, FLT_MIN);
}

// Proof above. Of the edges as they are stored: where a number of one was too small for a float, the axis is another one, as
// good as any.
static void storeAcross(const Map* map, const double margin[3], ModelFrame* frame) {
    storeEdges(map, frame);
    for (int i = 0; i < 3; ++i) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int j = 0; j < 3; ++j) {
            const double c1 = (double)frame->edges[j][i1], c2 = (double)frame->edges[j][i2];
            for (int k = 0; k < 3; ++k)
                frame->acrossRadius[i][j][k] = acrossRadius(c1 * map->m[i2][k] - c2 * map->m[i1][k]);
            const double across = fabs(c2) * margin[i1] + fabs(c1) * margin[i2];
            frame->acrossMargin[i][j] = (float)(2.000002 * (across + TINY));
        }
    }
}

// What a length of the common frame is along the axes of a model's.
static void addLength(grzTransform pose, double length, double out[3]) {
    const Map map = loadMap(pose);
    Map inverse;
    if (!invert(&map, &inverse))
        return;
    for (int i = 0; i < 3; ++i) {
        const double* row = inverse.m[i];
        out[i] += 1.000001 * length * sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2]);
    }
}

// Whether columns are square to each other and of one length, but for rounding.
static bool isRound(grzTransform pose) {
    const Map map = loadMap(pose);
    double products[3][3], most = 0;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            products[i][k] = map.m[0][i] * map.m[0][k] + map.m[1][i] * map.m[1][k] + map.m[2][i] * map.m[2][k];
            most = fmax(most, fabs(products[i][k] - (i == k ? products[0][0] : 0)));
        }
    return most <= 1e-5 * products[0][0];
}

// Where the frame is round, by a length of 1 in it no more than 1e-5 is lost.
static void setGrow(ModelRelation* relation, const grzModelQuery* query, const double rounding[3],
                    const double margin[3]) {
    const double slack = rounding[0] + rounding[1] + rounding[2];
    const double length = fmax(fmax(margin[0], margin[1]), margin[2]);
    for (int i = 0; i < 3; ++i)
        relation->grow[i] = (float)(1.000001 * margin[i]);
    relation->grow[3] = 0;
    relation->farthest = isRound(query->poseA) ? (float)(1.0001 * (length + slack)) : (float)INFINITY;
}

static bool isWithin(const double v[3]) {
    return v[0] <= LARGEST && v[1] <= LARGEST && v[2] <= LARGEST; // false for NaNs
}

grzResult grzModelRelation_Make(ModelRelation* relation, const grzModelQuery* query) {
    if (!grzTransform_IsFinite(query->poseA) || !grzTransform_IsFinite(query->poseB))
        return grzFail(grz_notFinite, 0);
    RelationBounds bounds;
    double *marginA = bounds.margin[0], *marginB = bounds.margin[1], rounding[3];
    if (!GRZ_PICK_KERNEL(grzModelRelate)(query, relation, &bounds))
        return grzBecause(grzFail(grz_badArgument, 1), "the basis of a pose cannot be inverted");
    if (query->margin > 0) {
        memcpy(rounding, marginA, sizeof rounding);
        addLength(query->poseA, (double)query->margin, marginA);
        addLength(query->poseB, (double)query->margin, marginB);
        setGrow(relation, query, rounding, marginA);
    }
    if (!isWithin(bounds.reach[0]) || !isWithin(bounds.reach[1]) || !isWithin(marginA) || !isWithin(marginB))
        return grzBecause(grzFail(grz_badArgument, 1), "floats cannot hold models so large, small or far apart");
    finishFrame(marginA, &relation->into[0]);
    finishFrame(marginB, &relation->into[1]);
    if (query->axes == grz_axesAll) {
        const Map forward = mapOf(&relation->into[0]), backward = mapOf(&relation->into[1]);
        storeAcross(&forward, marginA, &relation->into[0]);
        storeAcross(&backward, marginB, &relation->into[1]);
    }
    return grzOk();
}
