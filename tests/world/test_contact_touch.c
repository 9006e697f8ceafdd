// Touches: grouped by normals, anchored to the bodies, impulses that go on, surfaces that move.
#include "testing.h"

#include <math.h>

#include "animated_body.h"
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
    const grzTouchPair pair = {4, 9, a, b, 0.5f, 0.25f, {NULL, NULL, 0}};
    return pair;
}

// Touches as they are stored, and taken apart.
typedef struct Made {
    grzTouchUnit units[24];
    grzTouchName unitNames[24];
    grzTouch touches[12]; // with zeros behind the last point
    grzTouchName names[12][4];
    uint32_t count;
} Made;

static grzTouchRoom roomIn(Made* made) {
    memset(made, 0xA5, sizeof *made);
    return (grzTouchRoom){made->units, made->unitNames};
}

static void takeApart(Made* made, uint32_t count, uint32_t unitCount) {
    uint32_t place = 0;
    memset(made->touches, 0, sizeof made->touches);
    made->count = count;
    for (uint32_t i = 0; i < count; ++i) {
        const grzTouch* touch = grzTouch_Read(made->units, place);
        assert_true(touch->pointCount >= 1 && touch->pointCount <= 4);
        memcpy(&made->touches[i], touch, grzTouch_UnitCount(touch) * sizeof *made->units);
        memcpy(made->names[i], &made->unitNames[place], touch->pointCount * sizeof **made->names);
        place += grzTouch_UnitCount(touch);
    }
    assert_int_equal(place, unitCount);
    const grzTouchUnit untouched = made->units[23];
    for (; place < 24; ++place)
        assert_memory_equal(&made->units[place], &untouched, sizeof untouched);
}

static void makeTouches(const grzTouchPair* pair, const grzTouchSurface* surface, const grzContact* contacts,
                        uint32_t count, Made* made) {
    grzContactGroup groups[12];
    const uint32_t touchCount = grzContacts_Group(contacts, count, groups);
    const grzTouchRoom room = roomIn(made);
    grzContacts_ToTouches(pair, surface, contacts, groups, touchCount, &room);
    takeApart(made, touchCount, touchCount + count);
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
        Made made;
        const uint32_t count = 1 + grzRng_Below(&rng, 12);
        for (uint32_t i = 0; i < count; ++i) {
            const float separation = grzRng_Float(&rng) - 0.8f;
            const uint32_t normal = grzRng_Below(&rng, 3);
            const float z = grzRng_Float(&rng), y = grzRng_Float(&rng), x = grzRng_Float(&rng);
            contacts[i] = contactAt(grzVec3_Make(x, y, z), normals[normal], separation, i);
        }
        const grzTouchPair pair = pairOf(&a, &b);
        makeTouches(&pair, NULL, contacts, count, &made);
        const uint32_t touchCount = made.count;
        uint32_t seen = 0;
        for (uint32_t t = 0; t < touchCount; ++t) {
            const grzTouch* touch = &made.touches[t];
            assert_true(touch->bodyA == 4 && touch->bodyB == 9 && touch->memory == 0);
            assert_true(touch->friction == 0.5f && touch->restitution == 0.25f);
            float farthest = -1;
            for (uint32_t i = 0; i < touch->pointCount; ++i) {
                const grzTouchPoint* point = &touch->points[i];
                const grzTouchName* name = &made.names[t][i];
                const grzContact* contact = contactOf(contacts, count, name->featureA);
                assert_non_null(contact);
                assert_ptr_equal(contact, &contacts[name->contact]);
                assert_true(grzDot(contact->normal, touch->normal) > 0.999f);
                assertNear(placeOf(&a, point->anchorA), contact->point, 1e-5f);
                assertNear(placeOf(&b, point->anchorB), contact->point, 1e-5f);
                assert_true(point->found == contact->separation && point->separation == contact->separation);
                assert_true(name->featureB == contact->featureB && name->ordinal == contact->ordinal);
                assert_true(point->normalImpulse == 0);
                assert_true(touch->points[0].found <= point->found);
                const float distance =
                    grzDistance(grzVec3_Load(point->anchorA), grzVec3_Load(touch->points[0].anchorA));
                farthest = distance > farthest ? distance : farthest;
                seen++;
            }
            if (touch->pointCount > 1)
                assert_true(grzDistance(grzVec3_Load(touch->points[1].anchorA),
                                        grzVec3_Load(touch->points[0].anchorA)) == farthest);
        }
        assert_int_equal(seen, count);
        // Two of one normal both have room left only if their normals lean apart.
        for (uint32_t t = 0; t < touchCount; ++t)
            for (uint32_t u = t + 1; u < touchCount; ++u)
                assert_true(made.touches[t].pointCount == 4 ||
                            grzDot(made.touches[t].normal, made.touches[u].normal) < 0.9995f);
    }
}

static void test_impulses(void** state) {
    (void)state;
    const grzBodyState a = stateAt(grzVec3_Zero(), grzQuat_Identity()), b = a;
    grzContact contacts[5];
    for (uint32_t i = 0; i < 5; ++i)
        contacts[i] = contactAt(grzVec3_Make((float)i, 0, (float)(i * i)),
                                grzVec3_Make(0, i < 4 ? 1 : 0, i < 4 ? 0 : 1), 0, i);
    Made old, now;
    grzTouchPair pair = pairOf(&a, &b);
    makeTouches(&pair, NULL, contacts, 5, &old);
    assert_int_equal(old.count, 2);
    for (uint32_t t = 0, place = 0; t < 2; ++t) {
        grzTouch* touch = grzTouch_At(old.units, place);
        touch->memory = 7 + t;
        for (uint32_t i = 0; i < touch->pointCount; ++i) {
            grzTouchPoint* point = &touch->points[i];
            const float feature = (float)old.names[t][i].featureA;
            point->normalImpulse = 10 + feature;
            point->stepImpulse = 20;
            point->frictionImpulse[0] = 1, point->frictionImpulse[1] = -2 - feature;
        }
        place += grzTouch_UnitCount(touch);
    }
    // One point is gone, one has another name, normals have leant by 6 degrees.
    const grzVec3 normal = grzNormalize(grzVec3_Make(0.1f, 1, 0));
    contacts[1].ordinal = 1;
    for (int i = 0; i < 4; ++i)
        contacts[i].normal = normal;
    pair.previous = (grzTouchSpan){old.units, old.unitNames, 2};
    makeTouches(&pair, NULL, contacts + 1, 4, &now);
    assert_int_equal(now.count, 2);
    assert_true(now.touches[0].memory == 7 && now.touches[1].memory == 8);
    grzVec3 before[2], after[2];
    grzTouch_Tangents(old.touches[0].normal, before), grzTouch_Tangents(normal, after);
    for (uint32_t i = 0; i < now.touches[0].pointCount; ++i) {
        const grzTouchPoint* point = &now.touches[0].points[i];
        const float feature = (float)now.names[0][i].featureA;
        if (now.names[0][i].featureA == 1) {
            assert_true(point->normalImpulse == 0 && point->frictionImpulse[0] == 0);
            continue;
        }
        assert_true(point->normalImpulse == 10 + feature && point->stepImpulse == 0);
        const grzVec3 was = grzAddScaled(before[0], -2 - feature, before[1]);
        const grzVec3 is =
            grzAddScaled(grzScale(after[0], point->frictionImpulse[0]), point->frictionImpulse[1], after[1]);
        assertNear(grzSubScaled(was, grzDot(was, normal), normal), is, 1e-4f);
    }
    const grzTouchPoint* other = &now.touches[1].points[0];
    assert_true(other->normalImpulse == 14 && other->frictionImpulse[1] == -6);
    // A normal that has turned by a right angle presses nothing.
    contacts[4].normal = grzVec3_Make(1, 0, 0);
    makeTouches(&pair, NULL, contacts + 4, 1, &now);
    assert_int_equal(now.count, 1);
    assert_true(now.touches[0].points[0].normalImpulse == 0 && now.touches[0].memory == 0);
}

static void test_manifolds(void** state) {
    (void)state;
    const grzConvex box = grzMakeBox(grzVec3_Zero(), grzVec3_Make(1, 0.5f, 1));
    const grzBodyState a = stateAt(grzVec3_Zero(), grzQuat_Identity()),
                       b = stateAt(grzVec3_Make(0.5f, 0.95f, 0), grzQuat_Identity());
    grzManifold manifold;
    Made made, next;
    assert_true(grzResult_IsOk(grzConvex_Collide(&box, grzTransform_FromQuat(a.rotation, a.center), &box,
                                                 grzTransform_FromQuat(b.rotation, b.center), 0.02f, &manifold)));
    assert_int_equal(manifold.pointCount, 4);
    grzTouchPair pair = pairOf(&a, &b);
    grzTouchRoom room = roomIn(&made);
    grzManifold_ToTouch(&pair, &manifold, &room);
    takeApart(&made, 1, 5);
    assert_true(made.touches[0].pointCount == 4 && made.touches[0].normal.y == 1);
    grzTouch* touch = grzTouch_At(made.units, 0);
    for (uint32_t i = 0; i < 4; ++i) {
        assertNear(placeOf(&b, touch->points[i].anchorB), manifold.points[i].point, 1e-6f);
        assert_true(touch->points[i].found == manifold.points[i].separation);
        assert_true(made.names[0][i].featureA == manifold.points[i].featureA);
        touch->points[i].normalImpulse = 1 + (float)i;
    }
    touch->memory = 3;
    pair.previous = (grzTouchSpan){made.units, made.unitNames, 1};
    room = roomIn(&next);
    grzManifold_ToTouch(&pair, &manifold, &room);
    takeApart(&next, 1, 5);
    assert_int_equal(next.touches[0].memory, 3);
    for (uint32_t i = 0; i < 4; ++i)
        assert_true(next.touches[0].points[i].normalImpulse == 1 + (float)i);
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
    Made made;
    const grzVec3 upward = grzVec3_Make(0, 2, 0), none = grzVec3_Zero();
    grzTouchSurface surface = {&upward, false, 0.5f};
    // The body above, and A: the normal points down to the mesh, which has come up by 1: at the start it was 1 lower.
    grzContact contact = contactAt(grzVec3_Zero(), grzVec3_Make(0, -1, 0), -0.25f, 0);
    grzTouchPair pair = pairOf(&body, &rest);
    makeTouches(&pair, &surface, &contact, 1, &made);
    assert_true(fabsf(made.touches[0].points[0].found - 0.75f) < 1e-6f);
    assertNear(grzVec3_Load(made.touches[0].points[0].anchorB), grzVec3_Make(0, -0.5f, 0), 1e-6f);
    // The same with the mesh as A.
    contact.normal = grzVec3_Make(0, 1, 0), contact.triangleA = 0;
    pair = pairOf(&rest, &body);
    surface.isA = true;
    makeTouches(&pair, &surface, &contact, 1, &made);
    assert_true(fabsf(made.touches[0].points[0].found - 0.75f) < 1e-6f);
    surface.velocities = &none;
    makeTouches(&pair, &surface, &contact, 1, &made);
    assert_true(made.touches[0].points[0].found == -0.25f);
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
