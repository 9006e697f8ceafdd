// Touches: grouped by normals, anchored to the bodies, impulses that go on, surfaces that move.
#include "testing.h"

#include <math.h>

#include "body_ids.h"
#include "contact_touch.h"
#include "rng.h"

static grzBodyState stateAt(grzVec3 center, grzQuat rotation) {
    const grzBodyState state = {center, rotation, grzVec3_Zero(), grzVec3_Zero()};
    return state;
}

static grzContact contactAt(grzVec3 point, grzVec3 normal, float separation, uint32_t name) {
    grzContact contact;
    memset(&contact, 0, sizeof contact);
    contact.point = point, contact.normal = normal;
    contact.separation = separation;
    contact.bodyA = idOfNumber(4), contact.bodyB = idOfNumber(9);
    contact.triangleA = GRZ_NO_TRIANGLE, contact.triangleB = name / 2;
    contact.featureA = name, contact.featureB = grzMakeFeature(grz_faceFeature, name / 3);
    return contact;
}

static void assertNear(grzVec3 a, grzVec3 b, float room) {
    if (!(grzDistance(a, b) <= room))
        fail_msg("%g %g %g is not %g %g %g", (double)a.x, (double)a.y, (double)a.z, (double)b.x, (double)b.y,
                 (double)b.z);
}

static grzVec3 placeOf(const grzBodyState* state, const float anchor[3]) {
    return grzAdd(state->center, grzVec3_Load(anchor)); // along the axes of the world
}

static const grzContact* contactOf(const grzContact* contacts, uint32_t count, grzFeature featureA) {
    for (uint32_t i = 0; i < count; ++i)
        if (contacts[i].featureA == featureA)
            return &contacts[i];
    return NULL;
}

static grzTouchPair pairOf(const grzBodyState* a, const grzBodyState* b) {
    const grzTouchPair pair = {4, 9, a, b, 0.5f, 0.25f, NULL, 0};
    return pair;
}

// Every contact is in one touch, of its normal, where it was.
static void test_grouping(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(410), 0);
    for (int round = 0; round < 200; ++round) {
        const grzVec3 up = grzVec3_Make(0, 1, 0), side = grzNormalize(grzVec3_Make(1, 0.2f, 0));
        const grzVec3 normals[3] = {up, grzNormalize(grzVec3_Make(0.02f, 1, 0)), side};
        const grzBodyState a = stateAt(grzVec3_Make(1, -2, 3), grzQuat_Normalize(grzQuat_Make(1, 2, -1, 2))),
                           b = stateAt(grzVec3_Make(-4, 2, 1), grzQuat_Normalize(grzQuat_Make(0, 1, 1, -3)));
        grzContact contacts[12];
        grzTouch touches[12];
        const uint32_t count = 1 + grzRng_Below(&rng, 12);
        for (uint32_t i = 0; i < count; ++i)
            contacts[i] = contactAt(grzVec3_Make(grzRng_Float(&rng), grzRng_Float(&rng), grzRng_Float(&rng)),
                                    normals[grzRng_Below(&rng, 3)], grzRng_Float(&rng) - 0.8f, i);
        const grzTouchPair pair = pairOf(&a, &b);
        const uint32_t touchCount = grzContacts_ToTouches(&pair, contacts, count, touches);
        uint32_t seen = 0;
        for (uint32_t t = 0; t < touchCount; ++t) {
            const grzTouch* touch = &touches[t];
            assert_true(touch->bodyA == 4 && touch->bodyB == 9 && touch->ordinal == t && touch->memory == 0);
            assert_true(touch->friction == 0.5f && touch->restitution == 0.25f && touch->isRecycled == 0);
            assert_true(touch->pointCount >= 1 && touch->pointCount <= 4);
            float farthest = -1;
            for (uint32_t i = 0; i < touch->pointCount; ++i) {
                const grzTouchPoint* point = &touch->points[i];
                const grzContact* contact = contactOf(contacts, count, point->featureA);
                assert_non_null(contact);
                assert_true(grzDot(contact->normal, touch->normal) > 0.999f);
                assertNear(placeOf(&a, point->anchorA), contact->point, 1e-5f);
                assertNear(placeOf(&b, point->anchorB), contact->point, 1e-5f);
                assert_true(point->found == contact->separation && point->separation == contact->separation);
                assert_true(point->featureB == contact->featureB && point->normalImpulse == 0);
                assert_true(touch->points[0].found <= point->found);
                const float distance =
                    grzDistance(grzVec3_Load(point->anchorA), grzVec3_Load(touch->points[0].anchorA));
                farthest = distance > farthest ? distance : farthest;
                seen++;
            }
            if (touch->pointCount > 1)
                assert_true(grzDistance(grzVec3_Load(touch->points[1].anchorA),
                                        grzVec3_Load(touch->points[0].anchorA)) == farthest);
            const grzTouchPoint zeros[4] = {0};
            assert_memory_equal(&touch->points[touch->pointCount], zeros, (4 - touch->pointCount) * sizeof *zeros);
        }
        assert_int_equal(seen, count);
        // Two of one normal both have room left only if their normals lean apart.
        for (uint32_t t = 0; t < touchCount; ++t)
            for (uint32_t u = t + 1; u < touchCount; ++u)
                assert_true(touches[t].pointCount == 4 || grzDot(touches[t].normal, touches[u].normal) < 0.9995f);
    }
}

static void test_impulses(void** state) {
    (void)state;
    const grzBodyState a = stateAt(grzVec3_Zero(), grzQuat_Identity()), b = a;
    grzContact contacts[5];
    for (uint32_t i = 0; i < 5; ++i)
        contacts[i] = contactAt(grzVec3_Make((float)i, 0, (float)(i * i)),
                                grzVec3_Make(0, i < 4 ? 1 : 0, i < 4 ? 0 : 1), 0, i);
    grzTouch old[5], now[5];
    grzTouchPair pair = pairOf(&a, &b);
    assert_int_equal(grzContacts_ToTouches(&pair, contacts, 5, old), 2);
    for (uint32_t t = 0; t < 2; ++t) {
        old[t].memory = 7 + t;
        for (uint32_t i = 0; i < old[t].pointCount; ++i) {
            grzTouchPoint* point = &old[t].points[i];
            point->normalImpulse = 10 + (float)point->featureA;
            point->bounceImpulse = 20;
            point->frictionImpulse[0] = 1, point->frictionImpulse[1] = -2 - (float)point->featureA;
        }
    }
    // One point is gone, one has another name, normals have leant by 6 degrees.
    const grzVec3 normal = grzNormalize(grzVec3_Make(0.1f, 1, 0));
    contacts[1].ordinal = 1;
    for (int i = 0; i < 4; ++i)
        contacts[i].normal = normal;
    pair.previous = old, pair.previousCount = 2;
    assert_int_equal(grzContacts_ToTouches(&pair, contacts + 1, 4, now), 2);
    assert_true(now[0].memory == 7 && now[1].memory == 8);
    grzVec3 before[2], after[2];
    grzTouch_Tangents(old[0].normal, before), grzTouch_Tangents(normal, after);
    for (uint32_t i = 0; i < now[0].pointCount; ++i) {
        const grzTouchPoint* point = &now[0].points[i];
        if (point->featureA == 1) {
            assert_true(point->normalImpulse == 0 && point->frictionImpulse[0] == 0);
            continue;
        }
        assert_true(point->normalImpulse == 10 + (float)point->featureA && point->bounceImpulse == 0);
        const grzVec3 was = grzAddScaled(before[0], -2 - (float)point->featureA, before[1]);
        const grzVec3 is =
            grzAddScaled(grzScale(after[0], point->frictionImpulse[0]), point->frictionImpulse[1], after[1]);
        assertNear(grzSubScaled(was, grzDot(was, normal), normal), is, 1e-4f);
    }
    assert_true(now[1].points[0].normalImpulse == 14 && now[1].points[0].frictionImpulse[1] == -6);
    // A normal that has turned by a right angle presses nothing.
    contacts[4].normal = grzVec3_Make(1, 0, 0);
    assert_int_equal(grzContacts_ToTouches(&pair, contacts + 4, 1, now), 1);
    assert_true(now[0].points[0].normalImpulse == 0 && now[0].memory == 0);
}

static void test_manifolds(void** state) {
    (void)state;
    const grzConvex box = grzMakeBox(grzVec3_Zero(), grzVec3_Make(1, 0.5f, 1));
    const grzBodyState a = stateAt(grzVec3_Zero(), grzQuat_Identity()),
                       b = stateAt(grzVec3_Make(0.5f, 0.95f, 0), grzQuat_Identity());
    grzManifold manifold;
    grzTouch touch, next;
    assert_true(grzResult_IsOk(grzConvex_Collide(&box, grzTransform_FromQuat(a.rotation, a.center), &box,
                                                 grzTransform_FromQuat(b.rotation, b.center), 0.02f, &manifold)));
    assert_int_equal(manifold.pointCount, 4);
    grzTouchPair pair = pairOf(&a, &b);
    assert_int_equal(grzManifold_ToTouches(&pair, &manifold, &touch), 1);
    assert_true(touch.pointCount == 4 && touch.normal.y == 1 && touch.triangleA == GRZ_NO_TRIANGLE);
    for (uint32_t i = 0; i < 4; ++i) {
        assertNear(placeOf(&b, touch.points[i].anchorB), manifold.points[i].point, 1e-6f);
        assert_true(touch.points[i].found == manifold.points[i].separation);
        touch.points[i].normalImpulse = 1 + (float)i;
    }
    touch.memory = 3;
    pair.previous = &touch, pair.previousCount = 1;
    assert_int_equal(grzManifold_ToTouches(&pair, &manifold, &next), 1);
    assert_int_equal(next.memory, 3);
    for (uint32_t i = 0; i < 4; ++i)
        assert_true(next.points[i].normalImpulse == 1 + (float)i);
    manifold.pointCount = 0;
    assert_int_equal(grzManifold_ToTouches(&pair, &manifold, &next), 0);
}

// A triangle that goes up by 1 and turns: corners of its plane move by (0, 1, 0), (0, 1, 0.5), (0, 2, 0).
static void test_moving_surfaces(void** state) {
    (void)state;
    static const float now[9] = {0, 0, 0, 2, 0, 0, 0, 0, -2}, before[9] = {0, -1, 0, 2, -1, -0.5f, 0, -2, -2};
    static const uint32_t corners[3] = {0, 1, 2};
    grzAnimatedShape shape;
    memset(&shape, 0, sizeof shape);
    shape.mesh.triangles = corners, shape.mesh.vertexCount = 3, shape.mesh.triangleCount = 1;
    shape.positions = now, shape.previous = before;
    assertNear(grzAnimatedShape_Velocity(&shape, 0, grzVec3_Make(2, 0, 0), 0.5f), grzVec3_Make(0, 2, 1), 1e-6f);
    assertNear(grzAnimatedShape_Velocity(&shape, 0, grzVec3_Make(1, 0.3f, -1), 0.5f), grzVec3_Make(0, 3, 0.5f),
               1e-6f);
    assertNear(grzAnimatedShape_Velocity(&shape, 0, grzVec3_Make(-1, 0, 1), 0.5f), grzVec3_Make(0, 2, 0), 1e-6f);
    assertNear(grzAnimatedShape_Velocity(&shape, 0, grzVec3_Make(1, 0, -1), 0), grzVec3_Zero(), 0);
    const grzBodyState rest = stateAt(grzVec3_Zero(), grzQuat_Identity()),
                       body = stateAt(grzVec3_Make(0, 1, 0), grzQuat_Identity());
    grzVec3 velocity;
    grzTouch touch;
    // The body above, and A: the normal points down to the mesh, which has come up by 1: at the start it was 1 lower.
    grzContact contact = contactAt(grzVec3_Zero(), grzVec3_Make(0, -1, 0), -0.25f, 0);
    grzTouchPair pair = pairOf(&body, &rest);
    assert_int_equal(grzContacts_ToMovingTouches(&pair, &shape, false, 0.5f, &contact, 1, &touch, &velocity), 1);
    assertNear(velocity, grzVec3_Make(0, 2, 0), 1e-6f);
    assert_true(fabsf(touch.points[0].found - 0.75f) < 1e-6f);
    assertNear(grzVec3_Load(touch.points[0].anchorB), grzVec3_Make(0, -0.5f, 0), 1e-6f);
    // The same with the mesh as A.
    contact.normal = grzVec3_Make(0, 1, 0), contact.triangleA = 0;
    pair = pairOf(&rest, &body);
    assert_int_equal(grzContacts_ToMovingTouches(&pair, &shape, true, 0.5f, &contact, 1, &touch, &velocity), 1);
    assert_true(fabsf(touch.points[0].found - 0.75f) < 1e-6f);
    assertNear(velocity, grzVec3_Make(0, 2, 0), 1e-6f);
    shape.previous = now;
    assert_int_equal(grzContacts_ToMovingTouches(&pair, &shape, true, 0.5f, &contact, 1, &touch, &velocity), 1);
    assert_true(touch.points[0].found == -0.25f && velocity.y == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grouping),
        cmocka_unit_test(test_impulses),
        cmocka_unit_test(test_manifolds),
        cmocka_unit_test(test_moving_surfaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
