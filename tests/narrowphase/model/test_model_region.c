// Regions against winding numbers, all pairs and all vertices: closed shapes at random poses, on lattices where everything is in
// line, within each other, as soups, with triangles twice and without area; the way out; bytes; memory that is refused.
#include "model_query_testing.h"
#include "model_testing.h"

#include <math.h>

#include "graze/model_region.h"
#include "graze/tri_tri.h"
#include "simd_dispatch.h"

// ---- meshes ----

// A cube from 0 to `side`, moved.
static ModelMesh makeCube(float side, grzVec3 at) {
    static const uint32_t triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                           2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    ModelMesh mesh = makeMesh(8, 12);
    memcpy(mesh.triangles, triangles, sizeof triangles);
    for (size_t i = 0; i < 8; ++i) {
        mesh.positions[3 * i] = at.x + ((i & 1) != 0 ? side : 0);
        mesh.positions[3 * i + 1] = at.y + ((i & 2) != 0 ? side : 0);
        mesh.positions[3 * i + 2] = at.z + ((i & 4) != 0 ? side : 0);
    }
    return mesh;
}

static ModelMesh makeTetrahedron(void) {
    static const uint32_t triangles[12] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0};
    ModelMesh mesh = makeMesh(4, 4);
    memcpy(mesh.triangles, triangles, sizeof triangles);
    for (size_t i = 0; i < 12; ++i)
        mesh.positions[i] = draw(-1, 1);
    return mesh;
}

// Each mesh behind the other.
static ModelMesh joinMeshes(const ModelMesh* a, const ModelMesh* b) {
    ModelMesh mesh = makeMesh(a->vertexCount + b->vertexCount, a->triangleCount + b->triangleCount);
    memcpy(mesh.positions, a->positions, 3 * a->vertexCount * sizeof(float));
    memcpy(mesh.positions + 3 * a->vertexCount, b->positions, 3 * b->vertexCount * sizeof(float));
    memcpy(mesh.triangles, a->triangles, 3 * a->triangleCount * sizeof(uint32_t));
    for (size_t i = 0; i < 3 * b->triangleCount; ++i)
        mesh.triangles[3 * a->triangleCount + i] = b->triangles[i] + (uint32_t)a->vertexCount;
    return mesh;
}

// Every triangle with vertices of its own.
static ModelMesh tearApart(const ModelMesh* mesh) {
    ModelMesh soup = makeMesh(3 * mesh->triangleCount, mesh->triangleCount);
    for (size_t i = 0; i < 3 * mesh->triangleCount; ++i) {
        memcpy(soup.positions + 3 * i, mesh->positions + 3 * (size_t)mesh->triangles[i], 3 * sizeof(float));
        soup.triangles[i] = (uint32_t)i;
    }
    return soup;
}

// With a triangle without area at every edge of some triangles, and a vertex twice in others.
static ModelMesh addDegenerate(const ModelMesh* mesh) {
    ModelMesh more = makeMesh(mesh->vertexCount, mesh->triangleCount + 20);
    memcpy(more.positions, mesh->positions, 3 * mesh->vertexCount * sizeof(float));
    memcpy(more.triangles, mesh->triangles, 3 * mesh->triangleCount * sizeof(uint32_t));
    for (size_t i = 0; i < 20; ++i) {
        const uint32_t* from = mesh->triangles + 3 * (size_t)grzRng_Below(&g_rng, (uint32_t)mesh->triangleCount);
        uint32_t* to = more.triangles + 3 * (mesh->triangleCount + i);
        to[0] = from[0], to[1] = from[1], to[2] = i % 2 == 0 ? from[0] : from[1];
    }
    return more;
}

static grzModelRegion* makeRegion(void) {
    grzModelRegion* region = NULL;
    assert_true(grzResult_IsOk(grzModelRegion_Create((grzAllocator){NULL, NULL, NULL}, &region)));
    return region;
}

static grzModelRegionView find(grzModelRegion* region, const grzModelQuery* query) {
    char text[128];
    const grzResult result = grzModelRegion_Find(region, query);
    if (!grzResult_IsOk(result))
        fail_msg("%s", grzResult_Text(result, text, sizeof text));
    return grzModelRegion_GetView(region);
}

// ---- the reference ----

static void minus(const double p[3], const double q[3], double out[3]) {
    for (int i = 0; i < 3; ++i)
        out[i] = p[i] - q[i];
}

static double dot(const double p[3], const double q[3]) {
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
}

// How often the surface winds around p. [van Oosterom and Strackee 1983]
static double windingOf(const ModelMesh* mesh, const double p[3]) {
    double sum = 0;
    for (size_t t = 0; t < mesh->triangleCount; ++t) {
        double r[3][3], size[3];
        for (size_t k = 0; k < 3; ++k) {
            const float* at = mesh->positions + 3 * (size_t)mesh->triangles[3 * t + k];
            const double q[3] = {(double)at[0], (double)at[1], (double)at[2]};
            minus(q, p, r[k]);
            size[k] = sqrt(dot(r[k], r[k]));
        }
        const double volume = r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) +
                              r[0][1] * (r[1][2] * r[2][0] - r[1][0] * r[2][2]) +
                              r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
        const double below = size[0] * size[1] * size[2] + dot(r[0], r[1]) * size[2] + dot(r[1], r[2]) * size[0] +
                             dot(r[2], r[0]) * size[1];
        sum += 2 * atan2(volume, below);
    }
    return sum / (4 * 3.14159265358979323846);
}

static bool isOdd(double winding) {
    return fabs(remainder(winding, 2)) > 0.5;
}

// Whether a point that is not on the surface is inside it; 2 where the winding number does not say.
static int isInsideOf(const ModelMesh* mesh, grzVec3 p) {
    const double at[3] = {(double)p.x, (double)p.y, (double)p.z};
    const double winding = windingOf(mesh, at);
    return fabs(winding - nearbyint(winding)) > 0.01 ? 2 : isOdd(winding);
}

static bool isListed(const uint32_t* list, size_t count, size_t number) {
    for (size_t i = 0; i < count; ++i)
        if (list[i] == number)
            return true;
    return false;
}

static void expectAscending(const uint32_t* list, size_t count) {
    for (size_t i = 1; i < count; ++i)
        assert_true(list[i - 1] < list[i]);
}

static bool crosses(const grzVec3 corners[3], const ModelMesh* other) {
    for (size_t t = 0; t < other->triangleCount; ++t) {
        grzVec3 q[3];
        cornersOf(other, t, q);
        if (grzTriTri_Classify(corners, q) != grz_triNone)
            return true;
    }
    return false;
}

// Every triangle of `own` against the whole of `other`.
static void expectPatch(const grzModelPatch* patch, const ModelMesh* own, const ModelMesh* other) {
    size_t insideCount = 0;
    expectAscending(patch->crossing, patch->crossingCount);
    expectAscending(patch->inside, patch->insideCount);
    for (size_t t = 0; t < own->triangleCount; ++t) {
        grzVec3 corners[3];
        cornersOf(own, t, corners);
        const bool isCrossing = crosses(corners, other);
        const bool isInside = isListed(patch->inside, patch->insideCount, t);
        assert_int_equal(isListed(patch->crossing, patch->crossingCount, t), isCrossing);
        insideCount += isInside;
        if (isCrossing) {
            assert_false(isInside);
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            const int expected = isInsideOf(other, corners[k]);
            assert_true(expected == 2 || expected == (int)isInside);
        }
    }
    assert_int_equal(insideCount, patch->insideCount);
    assert_int_equal(patch->isInside, own->triangleCount != 0 && insideCount == own->triangleCount);
}

static void expectContour(const grzModelRegionView* view, const ModelMesh* a, const ModelMesh* b) {
    size_t pairCount = 0;
    assert_int_equal(view->starts[0], 0);
    for (size_t i = 0; i < a->triangleCount; ++i)
        for (size_t k = 0; k < b->triangleCount; ++k) {
            grzVec3 p[3], q[3];
            grzTriTri meeting;
            cornersOf(a, i, p), cornersOf(b, k, q);
            if (grzTriTri_Intersect(p, q, &meeting) == grz_triNone)
                continue;
            assert_true(pairCount < view->pairCount);
            assert_int_equal(view->pairs[pairCount].triangleA, i);
            assert_int_equal(view->pairs[pairCount].triangleB, k);
            const size_t first = view->starts[pairCount];
            assert_int_equal(view->starts[++pairCount] - first, meeting.count);
            for (uint32_t m = 0; m < meeting.count; ++m) {
                assert_memory_equal(&view->points[first + m], &meeting.points[m].point, sizeof(grzVec3));
                assert_true(grzBox_ContainsPoint(view->box, meeting.points[m].point));
            }
        }
    assert_int_equal(pairCount, view->pairCount);
}

static double along(grzVec3 n, grzVec3 p) {
    return (double)n.x * (double)p.x + (double)n.y * (double)p.y + (double)n.z * (double)p.z;
}

// The farthest along n of what a mesh has inside the other one, and of the contour; vertices by winding number.
static double farthest(const grzModelRegionView* view, const ModelMesh* own, const ModelMesh* other, grzVec3 n) {
    double most = -(double)INFINITY;
    for (size_t i = 0; i < view->starts[view->pairCount]; ++i)
        most = fmax(most, along(n, view->points[i]));
    for (size_t t = 0; t < own->triangleCount; ++t) {
        grzVec3 corners[3];
        cornersOf(own, t, corners);
        for (int k = 0; k < 3; ++k)
            if (isInsideOf(other, corners[k]) == 1) {
                most = fmax(most, along(n, corners[k]));
                assert_true(grzBox_ContainsPoint(view->box, corners[k]));
            }
    }
    return most;
}

static void expectWayOut(const grzModelRegionView* view, const ModelMesh* a, const ModelMesh* b) {
    const grzVec3 n = view->direction;
    if (grzBox_IsEmpty(view->box)) {
        assert_true(view->depth == 0 && grzLengthSq(n) == 0);
        return;
    }
    assert_true(fabsf(grzLength(n) - 1) < 1e-6F && view->depth >= 0 && isfinite(view->depth));
    const double mostA = farthest(view, a, b, n), leastB = -farthest(view, b, a, grzNeg(n));
    const double moved = leastB + (double)view->depth * along(n, n);
    if (mostA == -(double)INFINITY || leastB == (double)INFINITY)
        return; // then a box stands for one, and oneInsideTheOther sees what comes of it
    const double mostB = farthest(view, b, a, n), leastA = -farthest(view, a, b, grzNeg(n));
    assert_true(fmax(mostA, mostB) <= moved && fmax(mostA, mostB) <= leastA + (double)view->depth * along(n, n));
}

static grzModelRegionView compare(grzModelRegion* region, const ModelMesh* a, const ModelMesh* b,
                                  grzModelQuery* query) {
    grzModel *modelA = makeModel(a), *modelB = makeModel(b);
    ModelMesh moved = bringIntoA(b, query);
    query->a = modelA, query->b = modelB;
    const grzModelRegionView view = find(region, query);
    expectContour(&view, a, &moved);
    expectPatch(&view.patches[0], a, &moved);
    expectPatch(&view.patches[1], &moved, a);
    expectWayOut(&view, a, &moved);
    freeMesh(&moved);
    grzModel_Destroy(modelA), grzModel_Destroy(modelB);
    return view; // of which arrays stand in the region
}

// ---- tests ----

static void closedShapesAtRandomPoses(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(1), 1);
    grzModelRegion* region = makeRegion();
    size_t inside = 0, crossing = 0;
    for (int round = 0; round < 60; ++round) {
        ModelMesh a = round % 3 == 0 ? makeShapeMesh(shapeTorus, 120) : makeTetrahedron();
        ModelMesh b = round % 2 == 0 ? makeShapeMesh(shapeSphere, 80) : makeCube(1, drawVector(1));
        grzModelQuery query = grzDefaultModelQuery();
        query.poseB = grzTransform_Make(
            grzMat3_ScaleColumns(drawRotation(), grzVec3_Make(draw(0.3F, 1), 0.5F, 0.7F)), drawVector(0.8F));
        const grzModelRegionView view = compare(region, &a, &b, &query);
        inside += view.patches[0].insideCount + view.patches[1].insideCount;
        crossing += view.patches[0].crossingCount;
        freeMesh(&a), freeMesh(&b);
    }
    assert_true(inside > 40 && crossing > 200);
    grzModelRegion_Destroy(region);
}

// Cubes on a lattice: vertices on vertices, edges in faces, and every axis along edges.
static void touchingCubesOnALattice(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(2), 1);
    grzModelRegion* region = makeRegion();
    for (int round = 0; round < 150; ++round) {
        const float side = 0.5F * (float)(1 + grzRng_Below(&g_rng, 4));
        grzVec3 at = drawVector(2);
        at = grzVec3_Make(0.5F * floorf(at.x), 0.5F * floorf(at.y), 0.5F * floorf(at.z));
        ModelMesh big = makeCube(2, grzVec3_Splat(-1)), small = makeCube(side, at);
        grzModelQuery query = grzDefaultModelQuery();
        compare(region, &big, &small, &query);
        compare(region, &small, &big, &query);
        freeMesh(&big), freeMesh(&small);
    }
    grzModelRegion_Destroy(region);
}

static void oneInsideTheOther(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(3), 1);
    grzModelRegion* region = makeRegion();
    for (int round = 0; round < 20; ++round) {
        ModelMesh big = round % 2 == 0 ? makeCube(2, grzVec3_Splat(-1)) : makeShapeMesh(shapeSphere, 320);
        ModelMesh small = round % 4 < 2 ? makeCube(0.25F, grzVec3_Splat(-0.125F)) : makeShapeMesh(shapeSphere, 80);
        grzModelQuery query = grzDefaultModelQuery();
        bool touches;
        query.poseB.basis = grzMat3_Diagonal(grzVec3_Splat(0.25F));
        if (round >= 4)
            query.poseB.origin = drawVector(0.2F);
        grzModel *modelBig = makeModel(&big), *modelSmall = makeModel(&small);
        compare(region, &big, &small, &query);
        query.a = modelBig, query.b = modelSmall;
        const grzModelRegionView view = find(region, &query);
        assert_true(view.patches[1].isInside && !view.patches[0].isInside);
        assert_int_equal(view.pairCount, 0);
        query.poseB.origin = grzAdd(query.poseB.origin, grzScale(view.direction, 1.0001F * view.depth));
        assert_true(grzResult_IsOk(grzModels_Touch(&query, &touches, NULL)));
        assert_false(touches);
        assert_int_equal(find(region, &query).patches[1].insideCount, 0);
        assert_true(grzModelRegion_GetView(region).depth == 0);
        grzModel_Destroy(modelBig), grzModel_Destroy(modelSmall);
        freeMesh(&big), freeMesh(&small);
    }
    grzModelRegion_Destroy(region);
}

static void spheresArePartedByTheDepth(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(4), 1);
    grzModelRegion* region = makeRegion();
    ModelMesh sphere = makeShapeMesh(shapeSphere, 500);
    grzModel* model = makeModel(&sphere);
    for (int round = 0; round < 30; ++round) {
        grzModelQuery query = grzDefaultModelQuery();
        bool touches;
        query.a = query.b = model;
        query.poseB = grzTransform_Make(drawRotation(), grzScale(grzNormalize(drawVector(1)), draw(1.5F, 1.95F)));
        const grzModelRegionView view = find(region, &query);
        if (view.pairCount == 0)
            continue;
        assert_true(grzDot(grzNormalize(query.poseB.origin), view.direction) > 0.5F);
        const float overlap = 2 - grzLength(query.poseB.origin);
        assert_true(view.depth < 1.3F * overlap + 0.05F);
        query.poseB.origin = grzAdd(query.poseB.origin, grzScale(view.direction, 1.001F * view.depth + 1e-5F));
        assert_true(grzResult_IsOk(grzModels_Touch(&query, &touches, NULL)));
        assert_false(touches);
    }
    grzModel_Destroy(model);
    freeMesh(&sphere);
    grzModelRegion_Destroy(region);
}

// A shell within a shell: what is between them is inside, what is in the inner one is not.
static void partsWithinEachOtherCount(void** state) {
    (void)state;
    grzModelRegion* region = makeRegion();
    ModelMesh outer = makeCube(4, grzVec3_Splat(-2)), inner = makeCube(2, grzVec3_Splat(-1));
    ModelMesh shell = joinMeshes(&outer, &inner), twice = joinMeshes(&outer, &outer);
    ModelMesh small = makeCube(0.25F, grzVec3_Splat(-0.125F));
    grzModelQuery query = grzDefaultModelQuery();
    assert_false(compare(region, &shell, &small, &query).patches[1].isInside);
    query.poseB.origin.x = 1.5F;
    assert_true(compare(region, &shell, &small, &query).patches[1].isInside);
    query.poseB.origin.x = 1;
    assert_int_equal(compare(region, &shell, &small, &query).patches[1].insideCount, 2);
    assert_false(compare(region, &twice, &small, &query).patches[1].isInside);
    freeMesh(&outer), freeMesh(&inner), freeMesh(&shell), freeMesh(&twice), freeMesh(&small);
    grzModelRegion_Destroy(region);
}

static void soupsAndTrianglesWithoutAreaChangeNothing(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(5), 1);
    grzModelRegion *region = makeRegion(), *other = makeRegion();
    for (int round = 0; round < 12; ++round) {
        ModelMesh a = makeShapeMesh(shapeTorus, 120),
                  b = makeShapeMesh(round % 2 == 0 ? shapeSphere : shapeBox, 80);
        ModelMesh tornA = tearApart(&a), moreB = addDegenerate(&b);
        grzModelQuery query = grzDefaultModelQuery();
        query.poseB = grzTransform_Make(round < 6 ? drawRotation() : grzMat3_Identity(),
                                        round < 6 ? drawVector(0.8F) : grzVec3_Make(0.25F * (float)round, 0, 0));
        const grzModelRegionView view = compare(region, &a, &b, &query);
        const grzModelRegionView torn = compare(other, &tornA, &b, &query);
        for (int side = 0; side < 2; ++side) {
            assert_int_equal(view.patches[side].insideCount, torn.patches[side].insideCount);
            for (size_t i = 0; i < view.patches[side].insideCount; ++i)
                assert_int_equal(view.patches[side].inside[i], torn.patches[side].inside[i]);
        }
        assert_true(view.depth == torn.depth);
        assert_memory_equal(&view.direction, &torn.direction, sizeof view.direction);
        assert_memory_equal(&view.box, &torn.box, sizeof view.box);
        compare(other, &a, &moreB, &query);
        compare(other, &moreB, &a, &query);
        freeMesh(&a), freeMesh(&b), freeMesh(&tornA), freeMesh(&moreB);
    }
    grzModelRegion_Destroy(region), grzModelRegion_Destroy(other);
}

static void emptyAndOpenModels(void** state) {
    (void)state;
    grzModelRegion* region = makeRegion();
    ModelMesh none = makeMesh(0, 0), cube = makeCube(2, grzVec3_Splat(-1)), one = makeMesh(3, 1);
    const float corners[9] = {0, 0, 0, 5, 0.1F, 0, 5, 0.3F, 0.2F};
    grzModelQuery query = grzDefaultModelQuery();
    memcpy(one.positions, corners, sizeof corners);
    one.triangles[1] = 1, one.triangles[2] = 2;
    grzModelRegionView view = compare(region, &none, &cube, &query);
    assert_true(view.pairCount == 0 && grzBox_IsEmpty(view.box) && !view.patches[0].isInside);
    view = compare(region, &cube, &none, &query);
    assert_true(view.pairCount == 0 && grzBox_IsEmpty(view.box) && !view.patches[1].isInside);
    compare(region, &none, &none, &query);
    view = compare(region, &cube, &one, &query);
    assert_true(view.patches[1].crossingCount == 1 && view.depth > 0 && view.depth < 0.1F && view.direction.x == 0);
    query.poseB.basis = grzMat3_Diagonal(grzVec3_Splat(0.125F));
    assert_true(compare(region, &cube, &one, &query).patches[1].isInside);
    freeMesh(&none), freeMesh(&cube), freeMesh(&one);
    grzModelRegion_Destroy(region);
}

static void farOffAndTinyModels(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(6), 1);
    grzModelRegion* region = makeRegion();
    for (int round = 0; round < 12; ++round) {
        const float size = round % 2 == 0 ? 1e-18F : 0.25F, far = round % 2 == 0 ? 0 : 1e6F;
        ModelMesh a = makeCube(8 * size, grzVec3_Splat(far)), b = makeCube(size, grzVec3_Splat(far));
        grzModelQuery query = grzDefaultModelQuery();
        query.poseB.origin = grzScale(grzVec3_Make((float)(round % 8), 3, 2), size);
        compare(region, &a, &b, &query);
        freeMesh(&a), freeMesh(&b);
    }
    grzModelRegion_Destroy(region);
}

static uint64_t hashBytes(uint64_t hash, const void* data, size_t size) {
    const unsigned char* bytes = data;
    for (size_t i = 0; i < size; ++i)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001B3);
    return hash;
}

static uint64_t hashView(const grzModelRegionView* view) {
    uint64_t hash = hashBytes(1, &view->depth, sizeof view->depth);
    hash = hashBytes(hash, &view->direction, sizeof view->direction);
    hash = hashBytes(hash, &view->box, sizeof view->box);
    hash = hashBytes(hash, view->points, view->starts[view->pairCount] * sizeof *view->points);
    for (int side = 0; side < 2; ++side) {
        const grzModelPatch* patch = &view->patches[side];
        hash = hashBytes(hash, patch->inside, patch->insideCount * sizeof *patch->inside);
        hash = hashBytes(hash, patch->crossing, patch->crossingCount * sizeof *patch->crossing);
        hash = hashBytes(hash, &patch->area, sizeof patch->area);
    }
    return hash;
}

static void theSameBytesAtEveryLevelAndAgain(void** state) {
    (void)state;
    grzModelRegion* region = makeRegion();
    ModelMesh torus = makeShapeMesh(shapeTorus, 1000);
    grzModel* model = makeModel(&torus);
    grzModelQuery query = grzDefaultModelQuery();
    query.a = query.b = model;
    query.poseB.origin = grzVec3_Make(0.4F, 0.3F, 0.1F);
    grzModelRegionView view = find(region, &query);
    const uint64_t expected = hashView(&view);
    assert_true(view.patches[0].insideCount > 10 && view.patches[1].insideCount > 10);
    for (int level = grz_simdScalar; level < 32; ++level) {
        if ((grzSimd_SupportedBits() >> level & 1) == 0)
            continue;
        const grzSimdLevel before = grzSimd_Force((grzSimdLevel)level);
        grzModelRegion* single = makeRegion();
        view = find(single, &query);
        assert_true(hashView(&view) == expected);
        grzModelRegion_Destroy(single);
        view = find(region, &query);
        assert_true(hashView(&view) == expected);
        grzSimd_Force(before);
    }
    for (size_t i = 0; i < 3 * torus.vertexCount; ++i)
        torus.positions[i] = -torus.positions[i]; // turns it inside out, which changes no set
    const grzModelDef def = makeDef(&torus);
    assert_true(grzResult_IsOk(grzModel_Rebuild(model, &def)));
    query.poseB.origin = grzNeg(query.poseB.origin);
    ModelMesh moved = bringIntoA(&torus, &query);
    view = find(region, &query);
    expectPatch(&view.patches[0], &torus, &moved);
    freeMesh(&moved);
    grzModel_Destroy(model);
    freeMesh(&torus);
    grzModelRegion_Destroy(region);
}

static void whatIsRefusedLeavesNothing(void** state) {
    (void)state;
    ModelMesh cube = makeCube(1, grzVec3_Zero());
    grzModel* model = makeModel(&cube);
    grzModelRegion* region = makeRegion();
    grzModelQuery query = grzDefaultModelQuery();
    query.a = query.b = model;
    query.poseB.origin.x = 0.5F;
    assert_true(find(region, &query).pairCount > 0);
    assert_int_equal(grzModelRegion_Find(region, NULL).status, grz_badDef);
    assert_int_equal(grzModelRegion_GetView(region).pairCount, 0);
    query.poseB.origin.x = (float)NAN;
    assert_int_equal(grzModelRegion_Find(region, &query).status, grz_notFinite);
    assert_true(grzBox_IsEmpty(grzModelRegion_GetView(region).box));
    query.poseB.origin.x = 0.5F;
    assert_true(find(region, &query).pairCount > 0);
    for (size_t failAt = 0;; ++failAt) {
        TestMemory memory = {0, failAt, 0, 0};
        grzModelRegion* failing = NULL;
        grzResult result = grzModelRegion_Create(testAllocator(&memory), &failing);
        assert_true(grzResult_IsOk(result) == (failing != NULL));
        if (failing != NULL) {
            result = grzModelRegion_Find(failing, &query);
            assert_true((grzModelRegion_GetView(failing).pairCount != 0) == grzResult_IsOk(result));
            if (!grzResult_IsOk(result)) {
                memory.failAt = SIZE_MAX;
                assert_true(find(failing, &query).pairCount > 0);
            }
            const size_t requests = memory.requests;
            assert_true(find(failing, &query).pairCount > 0);
            assert_int_equal(memory.requests, requests);
        }
        grzModelRegion_Destroy(failing);
        assert_int_equal(memory.liveCount, 0);
        if (grzResult_IsOk(result)) {
            assert_true(failAt > 15);
            break;
        }
        assert_int_equal(result.status, grz_outOfMemory);
    }
    grzModelRegion_Destroy(region);
    grzModel_Destroy(model);
    freeMesh(&cube);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closedShapesAtRandomPoses),
        cmocka_unit_test(touchingCubesOnALattice),
        cmocka_unit_test(oneInsideTheOther),
        cmocka_unit_test(spheresArePartedByTheDepth),
        cmocka_unit_test(partsWithinEachOtherCount),
        cmocka_unit_test(soupsAndTrianglesWithoutAreaChangeNothing),
        cmocka_unit_test(emptyAndOpenModels),
        cmocka_unit_test(farOffAndTinyModels),
        cmocka_unit_test(theSameBytesAtEveryLevelAndAgain),
        cmocka_unit_test(whatIsRefusedLeavesNothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
