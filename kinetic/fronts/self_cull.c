// What: graze/stage/node_pairs.h: which parts of a mesh cannot meet themselves.
// Promise: two triangles of a free node share no point but those of a common vertex or edge. This holds at every
//   time of a linear motion, for real numbers, and where vertices are rounded to floats in between.
// Idea: a node is free where an axis d exists with
//   1. all its triangles face d: their normals have a positive product with it;
//   2. no edge has more than two of its triangles, which then run along it in opposite directions. Edges with one
//     are its contour;
//   3. seen along d, no two edges of the contour share more than a vertex, and nothing of the node is on the right
//     of an edge.
//
//          ______ <__
//         |  node   / ^       the contour runs around the node, which is on its left; parts may lie apart,
//         v    ____/  |       holes and pinched vertices are fine
//          \__>______>/
//
//   Proof: look along d. By 2 the contour is the boundary of the sum of the triangles. By 1 all triangles are seen
//   from the same side. So the number of triangles that cover a point off all edges is the number of times that the
//   contour winds around it. This number changes only at contour edges, by 1 from the right to the left. By 3 it is
//   0 on the right of each edge, so 1 on the left. Each face of the drawing has one of both. The number is counted
//   once for each chain. At a vertex where one edge ends, one begins, and nothing else of the contour is, a path
//   around the vertex leads from the right of one edge to the right of the other. Hence no two triangles overlap
//   inside. Let two have the point x in common.
//     - x is inside one of them, on an edge of two, or at a vertex off the contour. Triangles around it then cover
//       all that is near x, once; a triangle that touches x from elsewhere would cover some of it again. So both
//       are among these, and share that edge or vertex.
//     - In both x is on the contour, which by 3 passes it once, or at one vertex.
//   In motion, 1 and the first half of 3 ask for signs of quadratics in time, which Bernstein coefficients bound.
//   While contour edges never cross, the numbers on their right stay, so that these are counted at the start. In
//   between vertices may lie beside their lines, by CONE_ROUNDING of their coordinates. The signs hold for all such
//   places, since their bounds are larger by what that can change. From the true places to the rounded ones nothing
//   crosses, so counts stay, too. Condition 1 and a contour that does not cross itself are those of [Volino and
//   Magnenat-Thalmann, Efficient Self-Collision Detection on Smoothly Discretized Surface Animations Using
//   Geometrical Shape Regularity, Eurographics 1994] and [Provot, Collision and Self-Collision Handling in Cloth
//   Model Dedicated to Design Garments, Graphics Interface 1997]. We differ: surfaces need not be in one piece nor
//   fans of vertices regular, and d is one of 26, so that a node's directions are an AND of its children's.
// Holds: signs are taken only where rounding cannot change them: cone_kernel.c, and here in doubles with a larger
//   margin. A node without certain signs is not free; nor is a node if another edge is too near to count how the
//   contour winds beside an edge. The axes go along edges and diagonals of a cube; a surface whose normals are
//   within 60 degrees has one.
// Cost: a kernel looks at each triangle. The largest nodes that face an axis compare each two edges of the contour,
//   most by their boxes alone. Nodes with more than 512 such edges are left to their children.
// Threads: nodes write their own results; levels come one after the other, the root first.
#include "self_cull.h"

#include <math.h>
#include <string.h>

#include "bvh_parts.h"
#include "refuse_null.h"
#include "result_make.h"
#include "vec3d.h"

enum { NODE_GRAIN = 16, PAD = 16 };

static const int8_t axes[CONE_AXES][3] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1},  {1, 1, 0},  {1, -1, 0},
                                          {1, 0, 1},  {1, 0, -1}, {0, 1, 1},  {0, 1, -1}, {1, 1, 1},
                                          {1, 1, -1}, {1, -1, 1}, {1, -1, -1}};

typedef struct Culling {
    grzSelfCull* cull;
    ConePlaces ends[2];
    uint32_t level;
} Culling;

static void faceNodes(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const Culling* culling = context;
    const grzSelfCull* cull = culling->cull;
    uint32_t* facing = cull->facing.data + cull->levelStarts[cull->levelCount - 1];
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t start = CONE_NODE_TRIANGLES * i, left = cull->triangleCount - start;
        facing[i] = GRZ_PICK_KERNEL(grzConeFacing)(cull->triangles.data + 3 * (size_t)start,
                                                   left < CONE_NODE_TRIANGLES ? left : CONE_NODE_TRIANGLES,
                                                   &culling->ends[0], &culling->ends[1]);
    }
}

// What faces d below a node: what does in all of its children.
static void faceParents(grzSelfCull* cull) {
    for (uint32_t level = cull->levelCount - 1; level-- > 0;) {
        const uint32_t first = cull->levelStarts[level], below = cull->levelStarts[level + 1];
        for (uint32_t i = first; i < below; ++i)
            cull->facing.data[i] = UINT32_MAX;
        for (uint32_t i = below; i < cull->levelStarts[level + 2]; ++i)
            cull->facing.data[first + (i - below) / GRZ_BVH_WIDTH] &= cull->facing.data[i];
    }
}

static grzVec3d pointOf(ConePlaces places, uint32_t vertex) {
    const float* p = places.at + places.stride * (size_t)vertex;
    return (grzVec3d){(double)p[0], (double)p[1], (double)p[2]};
}

static double sizeOf(grzVec3d a) {
    return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

// A contour as it is looked at: an axis, and the edges with both ends of the motion.
typedef struct Contour {
    ConePlaces ends[2];
    const uint32_t* edges;
    const uint8_t* begins;
    uint32_t count;
    bool moves;
    double rounding;       // how far a vector between two vertices may be off on the way, summed over its numbers
    grzVec3d d, across[2]; // the axis, and two directions of the picture; d is along the first x the second
    // What edges pass in the picture: lowest and highest along each direction, widened by what rounding may move.
    float sides[4][CULL_EDGES + PAD];
    uint32_t near[CULL_EDGES + PAD];
} Contour;

// A vector between two vertices, at both ends.
typedef struct Way {
    grzVec3d at[2];
} Way;

static Way wayOf(const Contour* contour, uint32_t from, uint32_t to) {
    Way way;
    for (int end = 0; end < 2; ++end)
        way.at[end] = grzVec3d_Sub(pointOf(contour->ends[end], to), pointOf(contour->ends[end], from));
    return way;
}

// In the picture: (e x f) d, or with isDot the product of e and f, times d d.
static double formOf(grzVec3d d, grzVec3d e, grzVec3d f, bool isDot) {
    return isDot ? grzVec3d_Dot(d, d) * grzVec3d_Dot(e, f) - grzVec3d_Dot(e, d) * grzVec3d_Dot(f, d)
                 : grzVec3d_Dot(grzVec3d_Cross(e, f), d);
}

// How much the form may change where vertices are rounded on the way: the form is at most four times the sizes.
static double slackOf(const Contour* contour, double sizeE, double sizeF) {
    return 4 * contour->rounding * (sizeE + sizeF + contour->rounding);
}

// 1 or -1 where the form has that sign for certain, all the time; else 0. Of floats the numbers of e and f are off by 2^-53 of
// themselves, and no product by more than twelve roundings, of which none is of more than six times the sizes: 2^-46 of these holds them.
static int signOf(const Contour* contour, Way e, Way f, bool isDot) {
    const grzVec3d d = contour->d;
    const double sizeE0 = sizeOf(e.at[0]), sizeF0 = sizeOf(f.at[0]), slack0 = slackOf(contour, sizeE0, sizeF0);
    double value = formOf(d, e.at[0], f.at[0], isDot);
    double bound = 0x1p-46 * sizeE0 * sizeF0 + slack0 + 0x1p-900;
    const int sign = value > bound ? 1 : value < -bound ? -1 : 0;
    if (!contour->moves || sign == 0)
        return sign;
    const double sizeE1 = sizeOf(e.at[1]), sizeF1 = sizeOf(f.at[1]), slack1 = slackOf(contour, sizeE1, sizeF1);
    value = formOf(d, e.at[1], f.at[1], isDot);
    bound = 0x1p-46 * sizeE1 * sizeF1 + slack1 + 0x1p-900;
    if (!(sign * value > bound))
        return 0;
    value = formOf(d, e.at[0], f.at[1], isDot) + formOf(d, e.at[1], f.at[0], isDot);
    bound = 0x1p-46 * (sizeE0 * sizeF1 + sizeE1 * sizeF0) + slack0 + slack1 + 0x1p-900;
    return sign * value > bound ? sign : 0;
}

// Whether two vertices are on one side of an edge's line.
static bool areOnOneSide(const Contour* contour, const uint32_t edge[2], const uint32_t other[2]) {
    const Way along = wayOf(contour, edge[0], edge[1]);
    const int side = signOf(contour, along, wayOf(contour, edge[0], other[0]), false);
    return side != 0 && side == signOf(contour, along, wayOf(contour, edge[0], other[1]), false);
}

// Whether two edges have no more in common than a vertex.
static bool arePartedEdges(const Contour* contour, const uint32_t a[2], const uint32_t b[2]) {
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 2; ++k)
            if (a[i] == b[k]) {
                const Way e = wayOf(contour, a[i], a[1 - i]), f = wayOf(contour, a[i], b[1 - k]);
                return signOf(contour, e, f, false) != 0 || signOf(contour, e, f, true) < 0;
            }
    return areOnOneSide(contour, a, b) || areOnOneSide(contour, b, a);
}

// Of those axes that all triangles face the one that the contour's area faces most, and what lies across it, turned, since regular edges
// would run along it.
static void chooseAxis(Contour* contour, uint32_t facing) {
    const grzVec3d c = pointOf(contour->ends[0], contour->edges[0]);
    grzVec3d area = {0, 0, 0};
    double most = -(double)INFINITY;
    for (uint32_t i = 0; i < contour->count; ++i)
        area = grzVec3d_Add(area,
                            grzVec3d_Cross(grzVec3d_Sub(pointOf(contour->ends[0], contour->edges[2 * i]), c),
                                           grzVec3d_Sub(pointOf(contour->ends[0], contour->edges[2 * i + 1]), c)));
    for (int k = 0; k < 2 * CONE_AXES; ++k) {
        const int8_t* axis = axes[k % CONE_AXES];
        const double side = k < CONE_AXES ? 1 : -1;
        const grzVec3d d = {side * axis[0], side * axis[1], side * axis[2]};
        const double along = grzVec3d_Dot(area, d) / sqrt(grzVec3d_Dot(d, d));
        if ((facing >> k & 1) != 0 && along > most)
            most = along, contour->d = d;
    }
    const grzVec3d d = contour->d;
    const grzVec3d u = d.x != 0 && d.y != 0 ? (grzVec3d){d.y, -d.x, 0}
                       : d.x == 0           ? (grzVec3d){1, 0, 0}
                                            : (grzVec3d){0, 1, 0};
    const grzVec3d w = grzVec3d_Cross(d, u); // so u x w is along d
    contour->across[0] = grzVec3d_AddScaled(u, 0.4142, w);
    contour->across[1] = grzVec3d_AddScaled(w, -0.4142, u);
}

// What a vertex passes along both directions, and the sum of the sizes of its numbers.
typedef struct Pass {
    double lowest[2], highest[2], size;
} Pass;

static Pass passOf(const Contour* contour, uint32_t vertex) {
    const grzVec3d from = pointOf(contour->ends[0], vertex), to = pointOf(contour->ends[1], vertex);
    Pass pass = {.size = fmax(sizeOf(from), sizeOf(to))};
    for (int k = 0; k < 2; ++k) {
        const double first = grzVec3d_Dot(contour->across[k], from), last = grzVec3d_Dot(contour->across[k], to);
        pass.lowest[k] = first < last ? first : last, pass.highest[k] = first < last ? last : first;
    }
    return pass;
}

static void boxEdges(Contour* contour) {
    double largest = 0;
    Pass to = {.size = 0};
    for (uint32_t i = 0; i < contour->count; ++i) {
        const Pass from = contour->begins[i] != 0 ? passOf(contour, contour->edges[2 * i]) : to;
        to = passOf(contour, contour->edges[2 * i + 1]);
        const double size = from.size > to.size ? from.size : to.size;
        const double slack = 16 * CONE_ROUNDING * size + 0x1p-140; // directions have numbers up to 2
        for (int k = 0; k < 2; ++k) {
            const bool rises = from.lowest[k]<to.lowest[k], falls = from.highest[k]> to.highest[k];
            contour->sides[2 * k][i] = (float)((rises ? from.lowest[k] : to.lowest[k]) - slack);
            contour->sides[2 * k + 1][i] = (float)((falls ? from.highest[k] : to.highest[k]) + slack);
        }
        largest = size > largest ? size : largest;
    }
    contour->rounding = contour->moves ? 2 * CONE_ROUNDING * largest : 0;
}

// Of the first so many edges those that are near a rectangle.
static uint32_t listNear(Contour* contour, uint32_t count, const float rectangle[4]) {
    const float* const sides[4] = {contour->sides[0], contour->sides[1], contour->sides[2], contour->sides[3]};
    return GRZ_PICK_KERNEL(grzConeNear)(sides, count, rectangle, contour->near);
}

// How often the contour winds around what is just right of an edge's middle, at the start; -1: not for certain. Counted along a ray in the
// first direction, from the edge's first vertex, of which all others are known to 2^-52 of their distance. So a vertex may be taken for above
// the ray that is below it by that much, with all its edges alike; the middle is farther than that from each line that counts.
static int windingRightOf(Contour* contour, uint32_t edge) {
    const grzVec3d a = pointOf(contour->ends[0], contour->edges[2 * edge]);
    const grzVec3d e = grzVec3d_Sub(pointOf(contour->ends[0], contour->edges[2 * edge + 1]), a);
    const grzVec3d middle = grzVec3d_Scale(e, 0.5), up = contour->across[1];
    const double rise = grzVec3d_Dot(up, e), height = 0.5 * rise, along = grzVec3d_Dot(up, a) + height;
    if (!(fabs(rise) > 0x1p-40 * sizeOf(e)))
        return -1;
    const double slack = 0x1p-20 * (sizeOf(a) + sizeOf(e)) + 0x1p-140;
    const float ray[4] = {contour->sides[0][edge], (float)INFINITY, (float)(along - slack), (float)(along + slack)};
    const uint32_t count = listNear(contour, contour->count, ray);
    int winding = rise < 0 ? -1 : 0; // its own
    for (uint32_t n = 0; n < count; ++n) {
        const uint32_t* near = contour->edges + 2 * (size_t)contour->near[n];
        if (contour->near[n] == edge)
            continue;
        const grzVec3d p = grzVec3d_Sub(pointOf(contour->ends[0], near[0]), a);
        const grzVec3d q = grzVec3d_Sub(pointOf(contour->ends[0], near[1]), a);
        const bool isFromAbove = grzVec3d_Dot(up, p) > height;
        if (isFromAbove == (grzVec3d_Dot(up, q) > height))
            continue;
        const double side = grzVec3d_Dot(grzVec3d_Cross(grzVec3d_Sub(q, p), grzVec3d_Sub(middle, p)), contour->d);
        const double size = sizeOf(p) + sizeOf(q) + sizeOf(e);
        if (!(fabs(side) > 0x1p-46 * size * size))
            return -1;
        winding += isFromAbove ? -(side < 0) : side > 0;
    }
    return winding;
}

// Condition 3.
static bool isContourGood(Contour* contour, uint32_t facing) {
    chooseAxis(contour, facing);
    boxEdges(contour);
    for (uint32_t i = 0; i < contour->count; ++i) {
        const float own[4] = {contour->sides[0][i], contour->sides[1][i], contour->sides[2][i],
                              contour->sides[3][i]};
        const uint32_t count = listNear(contour, i, own);
        for (uint32_t k = 0; k < count; ++k)
            if (!arePartedEdges(contour, contour->edges + 2 * (size_t)i,
                                contour->edges + 2 * (size_t)contour->near[k]))
                return false;
    }
    for (uint32_t i = 0; i < contour->count; ++i)
        if (contour->begins[i] != 0 && windingRightOf(contour, i) != 0)
            return false;
    return true;
}

static void freeNodes(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const Culling* culling = context;
    const grzSelfCull* cull = culling->cull;
    const uint32_t first = cull->levelStarts[culling->level];
    Contour contour;
    contour.ends[0] = culling->ends[0], contour.ends[1] = culling->ends[1];
    contour.moves = !grzConePlaces_AreSame(&contour.ends[0], &contour.ends[1]);
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t node = first + i, start = cull->edgeStarts.data[2 * node];
        const uint32_t* above =
            culling->level == 0 ? NULL : cull->isFree.data + cull->levelStarts[culling->level - 1];
        contour.edges = cull->edges.data + start, contour.begins = cull->begins.data + start / 2;
        contour.count = (cull->edgeStarts.data[2 * node + 1] - start) / 2;
        cull->isFree.data[node] = (above != NULL && above[i / GRZ_BVH_WIDTH] != 0) ||
                                  (contour.count != 0 && cull->facing.data[node] != 0 &&
                                   isContourGood(&contour, cull->facing.data[node]));
    }
}

static bool isTooLong(const grzSelfCull* cull, ConePlaces places) {
    return cull->vertexCount > INT32_MAX / places.stride;
}

void grzSelfCull_Decide(grzSelfCull* cull, grzTasks* tasks, ConePlaces start, ConePlaces end) {
    Culling culling = {cull, {start, end}, 0};
    if (cull->triangleCount == 0)
        return;
    if (isTooLong(cull, start) || isTooLong(cull, end)) {
        memset(cull->isFree.data, 0, cull->nodeCount * sizeof *cull->isFree.data);
        return;
    }
    grzParallelFor(tasks, cull->nodeCount - cull->levelStarts[cull->levelCount - 1], NODE_GRAIN, faceNodes,
                   &culling);
    faceParents(cull);
    for (; culling.level < cull->levelCount; ++culling.level)
        grzParallelFor(tasks, cull->levelStarts[culling.level + 1] - cull->levelStarts[culling.level], NODE_GRAIN,
                       freeNodes, &culling);
}

grzResult grzSelfCull_Update(grzSelfCull* cull, grzTasks* tasks, const float* positions,
                             const float* endPositions) {
    GRZ_REFUSE_NULL(cull, 1);
    if (positions == NULL)
        return grzBecause(grzFail(grz_badArgument, 3), "positions is NULL");
    grzSelfCull_Decide(cull, tasks, (ConePlaces){positions, 3},
                       (ConePlaces){endPositions != NULL ? endPositions : positions, 3});
    return grzOk();
}

bool grzSelfCull_IsFree(const grzSelfCull* cull, uint32_t level, uint32_t index) {
    GRZ_RETURN_IF_NULL(cull, false);
    return cull->isFree.data[cull->levelStarts[level] + index] != 0;
}

const uint32_t* grzSelfCull_Level(const grzSelfCull* cull, uint32_t level) {
    return cull->isFree.data + cull->levelStarts[level];
}

bool grzSelfCull_Fits(const grzSelfCull* cull, const grzBvh* bvh) {
    return bvh->revision == cull->revision;
}

grzSelfCullStats grzSelfCull_GetStats(const grzSelfCull* cull) {
    GRZ_RETURN_IF_NULL(cull, (grzSelfCullStats){0});
    const uint32_t bottom = cull->levelStarts[cull->levelCount - 1];
    grzSelfCullStats stats = {0, 0, 0};
    for (uint32_t i = 0; i < cull->nodeCount; ++i)
        stats.contours += cull->edgeStarts.data[2 * i] != cull->edgeStarts.data[2 * i + 1];
    for (uint32_t i = bottom; i < cull->nodeCount; ++i) {
        const uint32_t left = cull->triangleCount - CONE_NODE_TRIANGLES * (i - bottom);
        stats.freeTriangles +=
            cull->isFree.data[i] != 0 ? (left < CONE_NODE_TRIANGLES ? left : CONE_NODE_TRIANGLES) : 0;
    }
    stats.triangles = cull->triangleCount;
    return stats;
}

size_t grzSelfCull_MemorySize(const grzSelfCull* cull) {
    GRZ_RETURN_IF_NULL(cull, 0);
    return sizeof *cull + grzCountedMemory_Size(&cull->memory);
}
