// convex_pairs.h, triangles: distances as brute force has them, and no ghosts of inner edges.
#include "convex_testing.h"

#include <math.h>

#include "body_ids.h"
#include "graze/manifold.h"

static grzMeshTriangle makeTriangle(grzVec3 a, grzVec3 b, grzVec3 c) {
    grzMeshTriangle triangle;
    memset(&triangle, 0, sizeof triangle);
    triangle.vertices[0] = a, triangle.vertices[1] = b, triangle.vertices[2] = c;
    for (uint32_t k = 0; k < 3; ++k)
        triangle.edgeFeatures[k] = 20 + k, triangle.vertexFeatures[k] = 10 + k;
    triangle.face = 30;
    triangle.isTwoSided = true;
    return triangle;
}

static grzVec3 normalOf(const grzMeshTriangle* triangle) {
    const grzVec3* v = triangle->vertices;
    return grzNormalize(grzCross(grzSub(v[1], v[0]), grzSub(v[2], v[0])));
}

static grzManifold collide(const grzConvex* shape, grzTransform pose, const grzMeshTriangle* triangle,
                           float margin) {
    grzManifold manifold;
    assert_int_equal(grzConvex_CollideTriangle(shape, pose, triangle, margin, &manifold).status, grz_ok);
    return manifold;
}

static void freeTrianglesAreLikeBruteForce(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1), 0);
    int near = 0, deep = 0, none = 0;
    for (int round = 0; round < 3000; ++round) {
        grzConvex shape = anyShape(&rng);
        grzTransform pose = randomPose(&rng, 0.8f);
        grzMeshTriangle triangle =
            makeTriangle(randomVector(&rng, 1), randomVector(&rng, 1), randomVector(&rng, 1));
        RefSolid solid, flat;
        refMake(&shape, pose, &solid);
        refMakeTriangle(triangle.vertices, &flat);
        double separation = refSeparation(&solid, &flat);
        double truth = (separation <= 0 ? separation : refDistance(&solid, &flat)) - solid.radius;
        grzConvexDistance distance;
        assert_int_equal(grzConvex_TriangleDistance(&shape, pose, &triangle, &distance).status, grz_ok);
        double apart = separation <= 0 ? 0 : fmax(truth, 0);
        assert_true((double)distance.lower <= apart + 1e-9 && (double)distance.upper >= apart - 1e-9);
        assert_true(distance.upper - distance.lower < 1e-5f);
        grzManifold found = collide(&shape, pose, &triangle, 0.1f);
        if (truth > 0.1 + 1e-5) {
            assert_int_equal(found.pointCount, 0);
            ++none;
        } else if (truth < 0.1 - 1e-5) {
            assert_true(found.pointCount > 0 && found.certainty == grz_exact);
            double depth = -(double)found.separation;
            assert_true(depth >= -truth - 2e-5 && depth <= -truth + (double)found.depthError + 2e-5);
            separation <= 0 ? ++deep : ++near;
        }
    }
    assert_true(near > 200 && deep > 200 && none > 200);
}

// Their closest points are known at once and only proved.
static void aBallAndATriangleNeedNoSearch(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(5), 0);
    for (int round = 0; round < 1000; ++round) {
        grzConvex ball = grzMakeSphere(randomVector(&rng, 0.1f), 0.1f);
        grzMeshTriangle triangle =
            makeTriangle(randomVector(&rng, 1), randomVector(&rng, 1), randomVector(&rng, 1));
        grzConvexDistance distance;
        grzTransform pose = randomPose(&rng, 2);
        assert_int_equal(grzConvex_TriangleDistance(&ball, pose, &triangle, &distance).status, grz_ok);
        assert_true(distance.iterations <= 2);
    }
}

// Two triangles of every cell of a grid in the plane y = 0, all neighbours as flat.
static void aBoxOnAGridIsPushedStraightUp(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(2), 0);
    int contacts = 0;
    for (int round = 0; round < 300; ++round) {
        grzConvex shape = anyShape(&rng);
        grzTransform pose = randomPose(&rng, 0.1f);
        pose.origin = grzAdd(pose.origin, grzVec3_Make(2, 0, 2));
        grzBox box = grzConvex_Box(&shape, pose);
        pose.origin.y += -box.lower.y - randomIn(&rng, -0.02f, 0.05f); // nearly on the ground, or slightly in it
        for (int cell = 0; cell < 16; ++cell)
            for (int half = 0; half < 2; ++half) {
                float x = (float)(cell % 4), z = (float)(cell / 4);
                grzVec3 a = grzVec3_Make(x, 0, z), b = grzVec3_Make(x, 0, z + 1);
                grzVec3 c = grzVec3_Make(x + 1, 0, z + 1), d = grzVec3_Make(x + 1, 0, z);
                grzMeshTriangle triangle = half == 0 ? makeTriangle(a, b, c) : makeTriangle(a, c, d);
                triangle.isTwoSided = round % 2 == 0;
                for (int k = 0; k < 3; ++k)
                    triangle.neighborNormals[k] = normalOf(&triangle);
                grzManifold found = collide(&shape, pose, &triangle, 0.05f);
                contacts += (int)found.pointCount;
                if (found.pointCount > 0)
                    assert_true(found.normal.y < -0.99999f);
            }
    }
    assert_true(contacts > 500);
}

static void normalsStayBetweenThoseOfConvexNeighbours(void** state) {
    (void)state;
    // A ridge along z: the neighbour across the edge falls off at 45 degrees.
    grzMeshTriangle triangle = makeTriangle(grzVec3_Make(0, 0, 0), grzVec3_Make(0, 0, 4), grzVec3_Make(-4, 0, 2));
    triangle.neighborNormals[0] = grzVec3_Make(1, 1, 0);
    assert_true(normalOf(&triangle).y < 0);
    triangle = makeTriangle(grzVec3_Make(0, 0, 4), grzVec3_Make(0, 0, 0), grzVec3_Make(-4, 0, 2));
    triangle.neighborNormals[0] = grzVec3_Make(1, 1, 0);
    triangle.isTwoSided = false;
    assert_true(normalOf(&triangle).y > 0);
    grzConvex ball = grzMakeSphere(grzVec3_Zero(), 0.5f);
    for (int degrees = -30; degrees <= 120; degrees += 3) {
        float angle = (float)degrees * 0.0174532925f;
        grzTransform pose = grzTransform_Identity();
        pose.origin = grzVec3_Make(0.45f * grzSin(angle), 0.45f * grzCos(angle), 2);
        grzManifold found = collide(&ball, pose, &triangle, 0);
        if (degrees > 46) {
            assert_int_equal(found.pointCount, 0);
        } else {
            assert_int_equal(found.pointCount, 1);
            float lean = degrees > 0 ? angle : 0;
            assert_true(grzDistance(found.normal, grzVec3_Make(-grzSin(lean), -grzCos(lean), 0)) < 1e-4f);
            assert_true(grzFeature_Kind(found.points[0].featureB) ==
                            (degrees > 0 ? grz_edgeFeature : grz_faceFeature) ||
                        degrees == 0);
        }
    }
}

// A capsule that leans on the slope beyond a ridge, with its upper end over the triangle: the slope's alone.
static void whatLeansBeyondTheNeighbourIsTheNeighbours(void** state) {
    (void)state;
    grzMeshTriangle triangle = makeTriangle(grzVec3_Make(0, 0, 4), grzVec3_Make(0, 0, 0), grzVec3_Make(-4, 0, 2));
    triangle.neighborNormals[0] = grzVec3_Make(1, 1, 0);
    for (int degrees = 48; degrees <= 70; ++degrees) {
        float angle = (float)degrees * 0.0174532925f, s = grzSin(angle), c = grzCos(angle);
        grzVec3 from = grzVec3_Make(0.45f * s - 0.8f * c, 0.45f * c + 0.8f * s, 2);
        grzVec3 to = grzVec3_Make(0.45f * s + c, 0.45f * c - s, 2);
        grzConvex capsule = grzMakeCapsule(from, to, 0.5f);
        assert_int_equal(collide(&capsule, grzTransform_Identity(), &triangle, 0.5f).pointCount, 0);
    }
}

// From behind, a valley is a ridge: a ball under it is pushed between the two normals turned about, and no farther.
static void fromBehindAValleyIsARidge(void** state) {
    (void)state;
    grzMeshTriangle triangle = makeTriangle(grzVec3_Make(0, 0, 4), grzVec3_Make(0, 0, 0), grzVec3_Make(-4, 0, 2));
    triangle.neighborNormals[0] = grzVec3_Make(-1, 1, 0);
    grzConvex ball = grzMakeSphere(grzVec3_Zero(), 0.5f);
    for (int degrees = 3; degrees <= 120; degrees += 3) {
        float angle = (float)degrees * 0.0174532925f;
        grzTransform pose = grzTransform_Identity();
        pose.origin = grzVec3_Make(0.45f * grzSin(angle), -0.45f * grzCos(angle), 2);
        grzManifold found = collide(&ball, pose, &triangle, 0);
        assert_int_equal(found.pointCount, degrees <= 45);
        if (found.pointCount > 0)
            assert_true(grzDistance(found.normal, grzVec3_Make(-grzSin(angle), grzCos(angle), 0)) < 1e-4f);
    }
}

// A ball on a ridge touches one edge of two triangles: two contacts, whose keys tell them apart by their triangles.
static void contactsOfOneEdgeHaveKeysOfTheirOwn(void** state) {
    (void)state;
    grzVec3 near = grzVec3_Make(0, 0, -2), far = grzVec3_Make(0, 0, 2);
    grzMeshTriangle sides[2] = {makeTriangle(far, near, grzVec3_Make(-2, -1, 0)),
                                makeTriangle(near, far, grzVec3_Make(2, -1, 0))};
    grzConvex ball = grzMakeSphere(grzVec3_Zero(), 0.5f);
    grzTransform pose = grzTransform_Identity();
    pose.origin.y = 0.49f;
    grzContact contacts[2], swapped;
    for (uint32_t k = 0; k < 2; ++k) {
        sides[k].neighborNormals[0] = normalOf(&sides[1 - k]);
        sides[k].edgeFeatures[0] = 77, sides[k].face = 5 + k;
        grzManifold found = collide(&ball, pose, &sides[k], 0);
        assert_true(found.pointCount == 1 && found.triangleB == 5 + k);
        assert_int_equal(grzManifold_ToContacts(&found, idOfNumber(1), idOfNumber(2), &contacts[k]), 1);
        assert_true(contacts[k].triangleA == GRZ_NO_TRIANGLE && contacts[k].triangleB == 5 + k);
        assert_int_equal(contacts[k].featureB, grzMakeFeature(grz_edgeFeature, 77));
        assert_int_equal(grzManifold_ToContacts(&found, idOfNumber(2), idOfNumber(1), &swapped), 1);
        assert_true(swapped.triangleA == 5 + k && swapped.triangleB == GRZ_NO_TRIANGLE);
    }
    assert_true(grzContact_KeyWord(&contacts[0], 1) < grzContact_KeyWord(&contacts[1], 1));
}

static void theInsideOfAOneSidedTriangleIsFree(void** state) {
    (void)state;
    grzMeshTriangle triangle = makeTriangle(grzVec3_Make(0, 0, 4), grzVec3_Make(0, 0, 0), grzVec3_Make(-4, 0, 2));
    grzConvex ball = grzMakeSphere(grzVec3_Zero(), 0.5f);
    grzTransform below = grzTransform_Identity();
    below.origin = grzVec3_Make(-1, -0.4f, 2);
    grzManifold found = collide(&ball, below, &triangle, 0);
    assert_true(found.pointCount == 1 && found.normal.y > 0.999f);
    triangle.isTwoSided = false;
    assert_int_equal(collide(&ball, below, &triangle, 0).pointCount, 0);
}

static void featuresAreTheMeshsOwn(void** state) {
    (void)state;
    grzMeshTriangle triangle = makeTriangle(grzVec3_Make(0, 0, 4), grzVec3_Make(0, 0, 0), grzVec3_Make(-4, 0, 2));
    grzConvex box = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.5f)),
              big = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(9));
    grzTransform pose = grzTransform_Identity();
    pose.origin = grzVec3_Make(-1, 0.49f, 2);
    grzManifold found = collide(&box, pose, &triangle, 0);
    assert_int_equal(found.pointCount, 4);
    for (uint32_t i = 0; i < 4; ++i)
        assert_true(found.points[i].featureB == grzMakeFeature(grz_faceFeature, 30) ||
                    found.points[i].featureA == grzMakeFeature(grz_faceFeature, 2));
    pose.origin.y = 8.99f;
    found = collide(&big, pose, &triangle, 0);
    assert_int_equal(found.pointCount, 3);
    for (uint32_t i = 0; i < 3; ++i) {
        assert_int_equal(grzFeature_Kind(found.points[i].featureB), grz_vertexFeature);
        assert_true(grzFeature_Index(found.points[i].featureB) >= 10 &&
                    grzFeature_Index(found.points[i].featureB) <= 12);
    }
}

static void trianglesWithoutAreaAreFine(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3), 0);
    for (int round = 0; round < 400; ++round) {
        grzConvex shape = anyShape(&rng);
        grzTransform pose = randomPose(&rng, 0.7f);
        grzVec3 a = randomVector(&rng, 1), b = round % 3 == 0 ? a : randomVector(&rng, 1);
        grzMeshTriangle triangle = makeTriangle(a, b, round % 2 == 0 ? a : grzLerp(a, b, 0.25f));
        grzManifold found = collide(&shape, pose, &triangle, 0.01f);
        grzConvexDistance distance;
        assert_int_equal(grzConvex_TriangleDistance(&shape, pose, &triangle, &distance).status, grz_ok);
        assert_true((found.pointCount > 0) == (distance.upper < 0.01f));
        assert_true(found.pointCount == 0 || fabsf(grzLength(found.normal) - 1) < 1e-5f);
    }
}

static void badTrianglesAreRefused(void** state) {
    (void)state;
    grzConvex ball = grzMakeSphere(grzVec3_Zero(), 0.5f);
    grzMeshTriangle triangle = makeTriangle(grzVec3_Zero(), grzVec3_Splat(1), grzVec3_Make(1, NAN, 0));
    grzManifold manifold;
    grzConvexDistance distance;
    grzTransform here = grzTransform_Identity();
    grzResult result = grzConvex_CollideTriangle(&ball, here, &triangle, 0, &manifold);
    assert_true(result.status == grz_notFinite && result.value == 3 && result.index == 2);
    assert_int_equal(grzConvex_TriangleDistance(&ball, here, &triangle, &distance).status, grz_notFinite);
    triangle.vertices[2] = grzVec3_Make(1, 0, 0);
    assert_int_equal(grzConvex_CollideTriangle(&ball, here, &triangle, -1, &manifold).status, grz_badArgument);
    result = grzConvex_CollideTriangle(&ball, here, &triangle, (float)INFINITY, &manifold);
    assert_true(result.status == grz_notFinite && result.value == 4 && result.reason != NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(freeTrianglesAreLikeBruteForce),
        cmocka_unit_test(aBoxOnAGridIsPushedStraightUp),
        cmocka_unit_test(normalsStayBetweenThoseOfConvexNeighbours),
        cmocka_unit_test(whatLeansBeyondTheNeighbourIsTheNeighbours),
        cmocka_unit_test(aBallAndATriangleNeedNoSearch),
        cmocka_unit_test(fromBehindAValleyIsARidge),
        cmocka_unit_test(contactsOfOneEdgeHaveKeysOfTheirOwn),
        cmocka_unit_test(theInsideOfAOneSidedTriangleIsFree),
        cmocka_unit_test(featuresAreTheMeshsOwn),
        cmocka_unit_test(trianglesWithoutAreaAreFine),
        cmocka_unit_test(badTrianglesAreRefused),
    };
    return cmocka_run_group_tests_name("convex_mesh", tests, makeHulls, destroyHulls);
}
