// The measure of overlaps that tests and graze-bench hold worlds against, on bodies whose depths are known.
#include "testing.h"

#include <math.h>

#include "convex_testing.h"
#include "plain_overlap.h"
#include "shapes.h"
#include "step_overlap.h"

#define TOLERANCE 2e-6

static void assertNear(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.9g, not %.9g", value, expected);
}

static grzMesh* meshOf(ShapeKind kind, size_t triangles, float scale) {
    MeshData data;
    grzMesh* mesh = NULL;
    assert_true(grzResult_IsOk(makeShape(kind, triangles, grzDefaultAllocator(), &data)));
    float* positions = data.positions;
    for (size_t i = 0; i < 3 * data.vertexCount; ++i)
        positions[i] *= scale;
    const grzMeshDef def = MeshData_Def(&data);
    assert_true(grzResult_IsOk(grzMesh_Create(&def, &mesh)));
    MeshData_Release(&data);
    return mesh;
}

static grzTransform at(float x, float y, float z) {
    return grzTransform_FromQuat(grzQuat_Identity(), grzVec3_Make(x, y, z));
}

static double overlapOf(const grzConvex* a, const grzMesh* meshA, grzTransform poseA, const grzConvex* b,
                        const grzMesh* meshB, grzTransform poseB) {
    PlainBody bodyA, bodyB;
    assert_true(PlainBody_Make(&bodyA, grzDefaultAllocator(), a, meshA));
    assert_true(PlainBody_Make(&bodyB, grzDefaultAllocator(), b, meshB));
    PlainBody_Place(&bodyA, poseA);
    PlainBody_Place(&bodyB, poseB);
    const double depth = plainOverlap(&bodyA, &bodyB, 0);
    assertNear(plainOverlap(&bodyB, &bodyA, 0), depth, TOLERANCE);
    assertNear(plainOverlap(&bodyA, &bodyB, depth + 1), depth + 1, 0);
    PlainBody_Release(&bodyA);
    PlainBody_Release(&bodyB);
    return depth;
}

static void convexShapesAreAsDeepAsTheyAreMovedIn(void** state) {
    const grzConvex shapes[] = {grzMakeBox(grzVec3_Zero(), grzVec3_Make(0.5f, 0.5f, 0.5f)),
                                grzMakeSphere(grzVec3_Zero(), 0.5f),
                                grzMakeCapsule(grzVec3_Make(-1, 0, 0), grzVec3_Make(1, 0, 0), 0.5f)};
    (void)state;
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) {
            assertNear(overlapOf(&shapes[a], NULL, at(0, 0, 0), &shapes[b], NULL, at(0, 0.9f, 0)), 0.1, TOLERANCE);
            assertNear(overlapOf(&shapes[a], NULL, at(0, 0, 0), &shapes[b], NULL, at(0, 1.01f, 0)), 0, 0);
        }
    assertNear(overlapOf(&shapes[2], NULL, at(0, 0, 0), &shapes[2], NULL, at(0.3f, 0, 0)), 1, TOLERANCE);
}

static void randomConvexShapesComeApartAtTheirDepth(void** state) {
    grzRng rng = grzRng_Make(testSeed(11), 0);
    int overlapping = 0;
    (void)state;
    for (int i = 0; i < 300; ++i) {
        const grzConvex a = anyShape(&rng), b = anyShape(&rng);
        const grzTransform poseA = randomPose(&rng, 0.5f);
        grzTransform poseB = randomPose(&rng, 0.5f);
        const double depth = overlapOf(&a, NULL, poseA, &b, NULL, poseB);
        if (!(depth > 1e-3))
            continue;
        ++overlapping;
        // No shorter translation ends the overlap, whatever its direction.
        for (int k = 0; k < 20; ++k) {
            const grzVec3 direction = grzNormalize(randomVector(&rng, 1));
            grzTransform moved = poseB;
            moved.origin = grzAdd(moved.origin, grzScale(direction, (float)(0.99 * depth)));
            assert_true(overlapOf(&a, NULL, poseA, &b, NULL, moved) > 0);
        }
    }
    assert_true(overlapping > 100);
}

static void bodiesInAClosedMeshAreAsDeepAsItsSurfaceIsAway(void** state) {
    grzMesh *crate = meshOf(shapeBox, 300, 1), *small = meshOf(shapeBox, 12, 0.1f);
    const grzConvex ball = grzMakeSphere(grzVec3_Zero(), 0.1f);
    const grzConvex box = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.1f));
    (void)state;
    // Above, through, and below the surface at y = 1.
    assertNear(overlapOf(&ball, NULL, at(0.03f, 1.11f, 0), NULL, crate, at(0, 0, 0)), 0, 0);
    assertNear(overlapOf(&ball, NULL, at(0.03f, 1.04f, 0), NULL, crate, at(0, 0, 0)), 0.06, TOLERANCE);
    assertNear(overlapOf(&ball, NULL, at(0.03f, 0.5f, 0), NULL, crate, at(0, 0, 0)), 0.6, TOLERANCE);
    assertNear(overlapOf(&box, NULL, at(0.03f, 1.04f, 0), NULL, crate, at(0, 0, 0)), 0.06, TOLERANCE);
    assertNear(overlapOf(&box, NULL, at(0.03f, 0.5f, 0), NULL, crate, at(0, 0, 0)), 0.6, TOLERANCE);
    assertNear(overlapOf(NULL, small, at(0.03f, 1.04f, 0), NULL, crate, at(0, 0, 0)), 0.06, TOLERANCE);
    assertNear(overlapOf(NULL, small, at(0.03f, 0.5f, 0), NULL, crate, at(0, 0, 0)), 0.6, TOLERANCE);
    // A mesh that a shape swallows.
    const grzConvex huge = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(1));
    assertNear(overlapOf(&huge, NULL, at(0, 0, 0), NULL, small, at(0.5f, 0, 0)), 0.6, TOLERANCE);
    grzMesh_Destroy(crate);
    grzMesh_Destroy(small);
}

static void bodiesInAnOpenMeshAreAsDeepAsTheyReachThroughIt(void** state) {
    grzMesh *sheet = meshOf(shapeGrid, 8, 4), *crate = meshOf(shapeBox, 12, 0.5f);
    const grzConvex box = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.5f));
    const grzConvex ball = grzMakeSphere(grzVec3_Zero(), 0.5f);
    (void)state;
    assertNear(overlapOf(&box, NULL, at(1.3f, 0.4f, 1.1f), NULL, sheet, at(0, 0, 0)), 0.1, TOLERANCE);
    assertNear(overlapOf(&ball, NULL, at(1.3f, 0.4f, 1.1f), NULL, sheet, at(0, 0, 0)), 0.1, TOLERANCE);
    assertNear(overlapOf(NULL, crate, at(1.3f, 0.4f, 1.1f), NULL, sheet, at(0, 0, 0)), 0.1, TOLERANCE);
    assertNear(overlapOf(&box, NULL, at(1.3f, -0.6f, 1.1f), NULL, sheet, at(0, 0, 0)), 0, 0);
    grzMesh_Destroy(sheet);
    grzMesh_Destroy(crate);
}

// The worst of all steps is kept with its step and its bodies; bodies that do not yield are not held against each other.
static void theWorstStepIsKept(void** state) {
    StepBody bodies[4] = {0};
    StepPose poses[4];
    const StepScene scene = {.bodies = bodies, .count = 4, .capacity = 4, .fixed = 2};
    StepOverlap overlap;
    (void)state;
    bodies[0].isStatic = bodies[1].isStatic = true;
    assert_true(StepOverlap_Make(&overlap, grzDefaultAllocator(), 4));
    const grzConvex box = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.5f));
    for (uint32_t i = 0; i < 4; ++i) {
        StepOverlap_Add(&overlap, (grzBodyId){i + 1, 0}, &box, NULL);
        poses[i] = (StepPose){grzVec3_Make((float)(i / 2) * 3, 0, 0), grzQuat_Identity()};
    }
    poses[3].origin.x = 3.95f;
    StepOverlap_MeasurePoses(&overlap, &scene, poses, 0);
    poses[2].origin.x = 0.8f;
    StepOverlap_MeasurePoses(&overlap, &scene, poses, 1);
    poses[2].origin.x = 0.9f;
    StepOverlap_MeasurePoses(&overlap, &scene, poses, 2);
    assertNear(overlap.depth, 0.2, TOLERANCE);
    assert_int_equal(overlap.step, 1);
    assert_int_equal(overlap.measuredSteps, 3);
    assert_true(overlap.bodyA < 2 && overlap.bodyB == 2);
    assert_false(overlap.failed);
    StepOverlap_Release(&overlap);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convexShapesAreAsDeepAsTheyAreMovedIn),
        cmocka_unit_test(randomConvexShapesComeApartAtTheirDepth),
        cmocka_unit_test(bodiesInAClosedMeshAreAsDeepAsItsSurfaceIsAway),
        cmocka_unit_test(bodiesInAnOpenMeshAreAsDeepAsTheyReachThroughIt),
        cmocka_unit_test(theWorstStepIsKept),
    };
    return cmocka_run_group_tests(tests, makeHulls, destroyHulls);
}
