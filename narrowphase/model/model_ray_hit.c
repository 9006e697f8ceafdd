// What: decides whether a ray hits one triangle, and where.
// Promise: on which side of each edge the ray passes is exact for the vertices as they are projected; two triangles that
//   share an edge see the same edge. Weights are right to 2^-30 of the largest, and so tau to 2^-29 of the triangle's
//   extent along the ray.
// Idea: a projected vertex is rounded, but in the same way for all its triangles. An edge is then decided by
//   x * y - z * w, whose two products are rounded the same way up: the difference never has the wrong sign, but may be 0,
//   or have few good digits, where it is small beside them. There it is computed anew as an exact sum.
// Limits: products below 1e-308 are 0, and 0 is a hit: edges that pass the ray by less than 1e-154.
// Based on: [Woop, Benthin, Wald, Watertight Ray/Triangle Intersection, JCGT 2013].
#include <math.h>

#include "expansion.h"
#include "model_ray_kernel.h"
#include "vec3d.h"

// Differences below this part of their products are computed anew.
#define CANCELS 0x1p-20

static int multiply(double a, double b, double product[2]) {
    return a == 0 || b == 0 ? 0 : grzExpansion_Scale(1, &a, b, product);
}

// a * b - c * d, of the right sign.
static double differenceOfProducts(double a, double b, double c, double d) {
    const double p = a * b, q = c * d, rest = p - q;
    if (fabs(rest) > CANCELS * (fabs(p) + fabs(q)))
        return rest;
    double exactP[2], exactQ[2], sum[4];
    const int countP = multiply(a, b, exactP), countQ = multiply(c, d, exactQ);
    grzExpansion_Negate(countQ, exactQ);
    const int count = grzExpansion_Add(countP, exactP, countQ, exactQ, sum);
    return count == 0 ? 0 : grzExpansion_Estimate(count, sum);
}

// The corners along the ray: x, y across it, z along.
typedef struct Projected {
    double x[3], y[3], z[3];
} Projected;

// By the same operations as the kernel's.
static void project(const RayWalk* walk, const ModelLeaf* leaf, uint32_t k, Projected* to) {
    const int x = walk->axes[0], y = walk->axes[1], z = walk->axes[2];
    for (uint32_t c = 0; c < 3; ++c) {
        to->z[c] = (double)leaf->at[z][4 * c + k] - walk->origin[z];
        to->x[c] = ((double)leaf->at[x][4 * c + k] - walk->origin[x]) - walk->shear[0] * to->z[c];
        to->y[c] = ((double)leaf->at[y][4 * c + k] - walk->origin[y]) - walk->shear[1] * to->z[c];
    }
}

static double extentOf(const double v[3]) {
    return fmax(fmax(v[0], v[1]), v[2]) - fmin(fmin(v[0], v[1]), v[2]);
}

bool grzModelRay_Decide(const RayWalk* walk, uint32_t leafIndex, uint32_t k, RayHit* hit) {
    const ModelLeaf* leaf = &walk->model->leaves[leafIndex];
    Projected at;
    project(walk, leaf, k, &at);
    double* w = hit->weights;
    w[0] = differenceOfProducts(at.x[2], at.y[1], at.y[2], at.x[1]);
    w[1] = differenceOfProducts(at.x[0], at.y[2], at.y[0], at.x[2]);
    w[2] = differenceOfProducts(at.x[1], at.y[0], at.y[1], at.x[0]);
    if ((w[0] < 0 || w[1] < 0 || w[2] < 0) && (w[0] > 0 || w[1] > 0 || w[2] > 0))
        return false;
    const double whole = (w[0] + w[1]) + w[2];
    if (whole == 0)
        return false;
    // Counter-clockwise from the origin's side is the front. The axes are even where z is, and z may run backward.
    const bool isFront = (whole > 0) == (walk->direction[walk->axes[2]] > 0);
    if ((walk->sides == grz_raysHitFronts && !isFront) || (walk->sides == grz_raysHitBacks && isFront))
        return false;
    // Weights first, so that the sum stays between the least and the greatest z but for a rounding.
    const double z = (w[0] / whole) * at.z[0] + (w[1] / whole) * at.z[1] + (w[2] / whole) * at.z[2];
    hit->tau = z * walk->shear[2];
    if (!(hit->tau >= 0 && hit->tau <= walk->reach))
        return false;
    hit->place = GRZ_BVH_LEAF_TRIANGLES * leafIndex + k;
    hit->triangle = leaf->ids[k];
    hit->isFront = isFront;
    hit->pad = 0;
    return true;
}

// An edge's difference changes by less than 8 * slack * extent, for all three edges pass the ray nearer than that. Where it
// moves the plane, z changes by the slope.
bool grzModelRay_IsCertain(const RayWalk* walk, const RayHit* hit, double slack) {
    Projected at;
    project(walk, &walk->model->leaves[hit->place / GRZ_BVH_LEAF_TRIANGLES], hit->place % GRZ_BVH_LEAF_TRIANGLES,
            &at);
    const double across = grzRow_Largest(at.x) + grzRow_Largest(at.y) + slack, move = 8 * slack * across;
    const double *w = hit->weights, least = fmin(fmin(fabs(w[0]), fabs(w[1])), fabs(w[2]));
    const double whole = fabs((w[0] + w[1]) + w[2]) - 3 * move;
    if (!(least > move) || !(whole > 0))
        return false;
    const double off = slack + extentOf(at.z) * (0x1p-28 + 3 * move / whole);
    const double error = fabs(walk->shear[2]) * off + hit->tau * 0x1p-48;
    return hit->tau > error && hit->tau + error < walk->reach;
}
