// What: makes cores of shapes and triangles, and tells their faces, edges and features.
// Idea: points, segments, boxes, triangles and hulls answer the same few questions, so that distance, separating
//   axes and clipping are each written once. A box numbers its parts by bits (graze/convex.h), a hull by its
//   half-edges, a triangle has an outside and an inside face.
#include "convex_core.h"

#include <math.h>

#include "check.h"
#include "simd.h"

static double farthestFrom(const ConvexCore* core, grzVec3d middle) {
    double most = 0;
    for (uint32_t i = 0; i < core->cornerCount; ++i) {
        double distance = grzVec3d_Length(grzVec3d_Sub(core->corners[i], middle));
        most = distance > most ? distance : most;
    }
    return most;
}

// The sizes of the terms of which corners are sums.
static double reachOf(const ConvexCore* core, grzVec3d lower, grzVec3d upper) {
    grzVec3d far = grzVec3d_Max(grzVec3d_Neg(lower), upper);
    far = grzVec3d_Max(far, grzVec3d_Make(0, 0, 0));
    return grzVec3d_Sum(core->origin) + grzVec3d_Sum(core->axes[0]) * far.x + grzVec3d_Sum(core->axes[1]) * far.y +
           grzVec3d_Sum(core->axes[2]) * far.z;
}

static void setHull(ConvexCore* core, const grzHull* hull) {
    core->kind = coreHull;
    core->hull = hull;
    core->support = GRZ_PICK_KERNEL(grzHullSupport);
    grzBoxd box = grzBoxd_FromBox(hull->view.box);
    core->middle = coreToWorld(core, grzVec3d_Scale(grzVec3d_Add(box.lower, box.upper), 0.5));
    grzVec3d extent = grzVec3d_Sub(box.upper, box.lower);
    core->size = grzVec3d_Length(coreTurn(core, extent));
    core->error = 0x1p-46 * reachOf(core, box.lower, box.upper);
}

static void setCorners(ConvexCore* core, grzVec3d a, grzVec3d b, ConvexCoreKind kind) {
    static const uint32_t counts[] = {1, 2, 8};
    core->kind = kind;
    core->cornerCount = counts[kind];
    grzVec3d lower = a, upper = a;
    if (kind == coreSegment) {
        core->corners[1] = coreToWorld(core, b);
        lower = grzVec3d_Min(a, b), upper = grzVec3d_Max(a, b);
    }
    core->corners[0] = core->middle = coreToWorld(core, a);
    if (kind == coreSegment)
        core->middle = grzVec3d_Lerp(core->corners[0], core->corners[1], 0.5);
    if (kind == coreBox) {
        core->sides[0] = grzVec3d_Scale(core->axes[0], b.x);
        core->sides[1] = grzVec3d_Scale(core->axes[1], b.y);
        core->sides[2] = grzVec3d_Scale(core->axes[2], b.z);
        core->half[0] = b.x, core->half[1] = b.y, core->half[2] = b.z;
        lower = grzVec3d_Sub(a, b), upper = grzVec3d_Add(a, b);
    }
    core->size = kind == coreBox ? 2 * grzVec3d_Length(b) : 2 * farthestFrom(core, core->middle);
    core->error = 0x1p-46 * (reachOf(core, lower, upper) + core->radius);
}

void grzConvexCore_Set(ConvexCore* core, const grzConvex* shape, grzTransform pose, grzVec3d base) {
    grzVec3d axes[3];
    grzVec3d_FromMat3(pose.basis, axes);
    grzConvexCore_Place(core, shape, axes, grzVec3d_Sub(grzVec3d_FromVec3(pose.origin), base));
}

void grzConvexCore_Place(ConvexCore* core, const grzConvex* shape, const grzVec3d axes[3], grzVec3d origin) {
    for (int i = 0; i < 3; ++i)
        core->axes[i] = axes[i];
    core->origin = origin;
    core->radius = (double)shape->radius;
    core->triangle = NULL;
    core->hull = NULL;
    if (shape->kind == grz_hullShape) {
        core->cornerCount = shape->hull->view.vertexCount;
        setHull(core, shape->hull);
        return;
    }
    ConvexCoreKind kind = shape->kind == grz_boxShape ? coreBox : coreSegment;
    if (shape->kind == grz_sphereShape || (kind == coreSegment && grzVec3_IsEqual(shape->a, shape->b)))
        kind = corePoint;
    setCorners(core, grzVec3d_FromVec3(shape->a), grzVec3d_FromVec3(shape->b), kind);
}

void grzConvexCore_SetTriangle(ConvexCore* core, const grzMeshTriangle* triangle, grzVec3d base) {
    core->kind = coreTriangle;
    core->cornerCount = 3;
    core->radius = 0;
    core->hull = NULL;
    core->triangle = triangle;
    double reach = 0;
    for (uint32_t i = 0; i < 3; ++i) {
        core->corners[i] = grzVec3d_Sub(grzVec3d_FromVec3(triangle->vertices[i]), base);
        double size = grzVec3d_Sum(core->corners[i]);
        reach = size > reach ? size : reach;
    }
    core->origin = core->corners[0];
    core->middle =
        grzVec3d_Scale(grzVec3d_Add(grzVec3d_Add(core->corners[0], core->corners[1]), core->corners[2]), 1.0 / 3);
    core->size = 2 * farthestFrom(core, core->middle);
    core->error = 0x1p-46 * reach;
    grzVec3d n = grzVec3d_Cross(grzVec3d_Sub(core->corners[1], core->corners[0]),
                                grzVec3d_Sub(core->corners[2], core->corners[0]));
    double length = grzVec3d_Length(n);
    bool isFlat = !(length > 0x1p-40 * core->size * core->size);
    core->normal = isFlat ? grzVec3d_Make(0, 0, 0) : grzVec3d_Scale(n, 1 / length);
}

// -------------------------------------------------------------------------------------------------------- faces

uint32_t grzConvexCore_FaceCount(const ConvexCore* core) {
    switch (core->kind) {
    case coreBox:
        return 6;
    case coreTriangle:
        return grzVec3d_LengthSq(core->normal) > 0 ? 2 : 0;
    case coreHull:
        return core->hull->view.faceCount;
    case corePoint:
    case coreSegment:
    default:
        return 0;
    }
}

grzVec3d grzConvexCore_FaceNormal(const ConvexCore* core, uint32_t face) {
    if (core->kind == coreBox)
        return (face & 1) != 0 ? core->axes[face >> 1] : grzVec3d_Neg(core->axes[face >> 1]);
    if (core->kind == coreTriangle)
        return face == 0 ? core->normal : grzVec3d_Neg(core->normal);
    return coreTurn(core, grzVec3d_FromVec3(core->hull->view.faces[face].normal));
}

static uint32_t boxEdge(uint32_t v, uint32_t w) {
    uint32_t axis = (v ^ w) >> 1; // 1, 2, 4 -> 0, 1, 2
    uint32_t u = axis == 2 ? 0 : axis + 1, x = u == 2 ? 0 : u + 1;
    return 4 * axis + (v >> u & 1) + 2 * (v >> x & 1);
}

static void getBoxFace(const ConvexCore* core, uint32_t face, CoreFace* polygon) {
    uint32_t axis = face >> 1, u = axis == 2 ? 0 : axis + 1, v = u == 2 ? 0 : u + 1;
    if ((face & 1) == 0) { // seen from the other side
        uint32_t swapped = u;
        u = v, v = swapped;
    }
    uint32_t base = (face & 1) << axis;
    uint32_t loop[4] = {base, base | 1u << u, base | 1u << u | 1u << v, base | 1u << v};
    polygon->count = 4;
    for (uint32_t i = 0; i < 4; ++i) {
        polygon->vertices[i] = loop[i];
        polygon->corners[i] = coreBoxCorner(core, loop[i]);
        polygon->edges[i] = boxEdge(loop[i], loop[(i + 1) & 3]);
    }
}

static void getHullFace(const ConvexCore* core, uint32_t face, CoreFace* polygon) {
    const grzHullView* view = &core->hull->view;
    polygon->count = view->faces[face].edgeCount;
    for (uint32_t i = 0, e = view->faces[face].firstEdge; i < polygon->count; ++i, e = view->halfEdges[e].next) {
        polygon->vertices[i] = view->halfEdges[e].origin;
        polygon->edges[i] = e >> 1;
        polygon->corners[i] = coreVertex(core, polygon->vertices[i]);
    }
}

// Points and segments are their own only face.
void grzConvexCore_GetFace(const ConvexCore* core, uint32_t face, CoreFace* polygon) {
    if (core->kind == coreBox) {
        getBoxFace(core, face, polygon);
        return;
    }
    if (core->kind == coreHull) {
        getHullFace(core, face, polygon);
        return;
    }
    polygon->count = core->cornerCount;
    bool isTurned = core->kind == coreTriangle && face == 1;
    for (uint32_t i = 0; i < core->cornerCount; ++i) {
        uint32_t v = isTurned ? 2 - i : i;
        polygon->vertices[i] = v;
        polygon->corners[i] = core->corners[v];
        polygon->edges[i] = isTurned ? (v == 0 ? 2 : v - 1) : core->kind == coreSegment ? 0 : v;
    }
}

enum { mostFaces = 2 * GRZ_HULL_MOST_VERTICES };

// Cosines in float, four at a time, with -INFINITY behind the last. Returns the largest.
static float measureNormals(const grzHullView* view, grzVec3d d, float values[mostFaces]) {
    const grzF4 x = grzF4_Set1((float)d.x), y = grzF4_Set1((float)d.y), z = grzF4_Set1((float)d.z);
    const grzF4 none = grzF4_Set1(-INFINITY);
    grzF4 most = none;
    for (uint32_t i = 0; i < view->faceCount; i += 4) {
        const uint32_t left = view->faceCount - i;
        grzF4 rows[4];
        for (uint32_t k = 0; k < 4; ++k)
            rows[k] = grzF4_Load(&view->faces[k < left ? i + k : i].normal.x);
        grzTransposeBlocks4(rows);
        grzF4 value = grzF4_Add(grzF4_Add(grzF4_Mul(rows[0], x), grzF4_Mul(rows[1], y)), grzF4_Mul(rows[2], z));
        if (left < 4)
            value = grzF4_Select(grzM4_FromBits((1u << left) - 1), value, none);
        grzF4_Store(values + i, value);
        most = grzF4_Max(value, most);
    }
    return grzF4_ReduceMax(most);
}

// Those that float cannot tell from the best, which are one or two, are told apart in double.
static uint32_t findHullFace(const grzHullView* view, grzVec3d d, double* cosine) {
    float values[mostFaces];
    uint32_t best = 0;
    // A dozen roundings of 2^-24 each.
    const grzF4 least = grzF4_Set1(measureNormals(view, d, values) - 1e-6f * (float)(1e-20 + grzVec3d_Sum(d)));
    for (uint32_t i = 0; i < view->faceCount; i += 4) {
        uint32_t bits = grzM4_Bits(grzF4_GreaterEqual(grzF4_Load(values + i), least));
        for (; bits != 0; bits &= bits - 1) {
            const uint32_t face = i + (uint32_t)__builtin_ctz(bits);
            const double value = grzVec3d_Dot(grzVec3d_FromVec3(view->faces[face].normal), d);
            best = value > *cosine ? face : best;
            *cosine = value > *cosine ? value : *cosine;
        }
    }
    return best;
}

// d is a unit vector but for what the basis is off, or 0.
uint32_t grzConvexCore_FindFace(const ConvexCore* core, grzVec3d d, double* cosine) {
    uint32_t best = 0, count = grzConvexCore_FaceCount(core);
    *cosine = -2;
    if (core->kind == coreHull)
        return findHullFace(&core->hull->view, coreTurnBack(core, d), cosine);
    for (uint32_t i = 0; i < count; ++i) {
        double value = grzVec3d_Dot(grzConvexCore_FaceNormal(core, i), d);
        if (value > *cosine) {
            *cosine = value;
            best = i;
        }
    }
    return best;
}

// ----------------------------------------------------------------------------------------------------- features

static uint32_t findHullEdge(const grzHull* hull, uint32_t v, uint32_t w) {
    const grzHalfEdge* edges = hull->view.halfEdges;
    uint32_t e = hull->firstOf[v];
    do {
        if (edges[e ^ 1].origin == w)
            return e >> 1;
        e = edges[e ^ 1].next;
    } while (e != hull->firstOf[v]);
    return GRZ_CORE_NONE;
}

uint32_t grzConvexCore_FindEdge(const ConvexCore* core, uint32_t v, uint32_t w) {
    uint32_t both = v ^ w;
    switch (core->kind) {
    case coreSegment:
        return 0;
    case coreBox:
        return both == 1 || both == 2 || both == 4 ? boxEdge(v, w) : GRZ_CORE_NONE;
    case coreTriangle: // 0 1, 1 2, 2 0
        return v + w == 1 ? 0 : v + w == 3 ? 1 : 2;
    case coreHull:
        return findHullEdge(core->hull, v, w);
    case corePoint:
    default:
        return GRZ_CORE_NONE;
    }
}

grzFeature grzConvexCore_Feature(const ConvexCore* core, grzFeatureKind kind, uint32_t index) {
    const grzMeshTriangle* triangle = core->triangle;
    if (core->kind == corePoint)
        return grzMakeFeature(grz_bodyFeature, 0);
    if (triangle == NULL)
        return grzMakeFeature(kind, index);
    return grzMakeFeature(kind, kind == grz_vertexFeature ? triangle->vertexFeatures[index]
                                : kind == grz_edgeFeature ? triangle->edgeFeatures[index]
                                                          : triangle->face);
}

grzFeature grzConvexCore_FeatureOf(const ConvexCore* core, const uint32_t* vertices, uint32_t count, grzVec3d d) {
    uint32_t different[4], used = 0;
    for (uint32_t i = 0; i < count; ++i) {
        bool isNew = true;
        for (uint32_t k = 0; k < used; ++k)
            isNew &= different[k] != vertices[i];
        if (isNew)
            different[used++] = vertices[i];
    }
    if (used == 1)
        return grzConvexCore_Feature(core, grz_vertexFeature, different[0]);
    uint32_t edge = used == 2 ? grzConvexCore_FindEdge(core, different[0], different[1]) : GRZ_CORE_NONE;
    if (edge != GRZ_CORE_NONE)
        return grzConvexCore_Feature(core, grz_edgeFeature, edge);
    double cosine;
    return grzConvexCore_Feature(core, grz_faceFeature, grzConvexCore_FindFace(core, d, &cosine));
}

// ------------------------------------------------------------------------------------------------------- checks

#define MOST_COORDINATE 1e15f

bool grzCoordinates_AreGood(grzVec3 a) {
    return fabsf(a.x) <= MOST_COORDINATE && fabsf(a.y) <= MOST_COORDINATE && fabsf(a.z) <= MOST_COORDINATE;
}

bool grzPose_IsGood(grzTransform pose) {
    return grzCoordinates_AreGood(pose.basis.x) && grzCoordinates_AreGood(pose.basis.y) &&
           grzCoordinates_AreGood(pose.basis.z) && grzCoordinates_AreGood(pose.origin);
}

bool grzPose_IsRigid(grzTransform pose) {
    grzVec3 x = pose.basis.x, y = pose.basis.y, z = pose.basis.z;
    float worst = fabsf(grzDot(x, x) - 1);
    const float others[5] = {grzDot(y, y) - 1, grzDot(z, z) - 1, grzDot(x, y), grzDot(y, z), grzDot(z, x)};
    for (int i = 0; i < 5; ++i)
        worst = fabsf(others[i]) > worst ? fabsf(others[i]) : worst;
    return worst <= 1e-4f && grzDot(grzCross(x, y), z) > 0;
}

static grzResult notFinite(void) {
    return grzBecause(grzFail(grz_notFinite, 1), "a number of the shape is not finite, or beyond 1e15");
}

static grzResult checkVector(grzVec3 a) {
    return grzCoordinates_AreGood(a) ? grzOk() : notFinite();
}

grzResult grzConvex_Check(const grzConvex* shape) {
    if (shape == NULL || shape->kind <= grz_noShape || shape->kind > grz_hullShape)
        return grzBecause(grzFail(grz_badArgument, 1), "a shape of no kind");
    if (!grzCoordinates_AreGood(grzVec3_Splat(shape->radius)))
        return notFinite();
    if (shape->radius < 0 || (shape->radius > 0 && shape->kind >= grz_boxShape))
        return grzBecause(grzFail(grz_badArgument, 1), "a radius below 0, or of a shape that has none");
    if (shape->kind == grz_hullShape && shape->hull == NULL)
        return grzBecause(grzFail(grz_badArgument, 1), "a hull shape without a hull");
    if (shape->kind == grz_hullShape) {
        grzResult result = checkVector(shape->hull->view.box.lower);
        return grzResult_IsOk(result) ? checkVector(shape->hull->view.box.upper) : result;
    }
    if (!grzCoordinates_AreGood(shape->a) || !grzCoordinates_AreGood(shape->b))
        return notFinite();
    if (shape->kind == grz_boxShape && !(shape->b.x >= 0 && shape->b.y >= 0 && shape->b.z >= 0))
        return grzBecause(grzFail(grz_badArgument, 1), "a box whose half extent is below 0");
    return grzOk();
}
