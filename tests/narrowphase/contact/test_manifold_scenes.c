// Manifolds against what is known of a scene without them: crates over a rim, balls, crates and wedges in flat and
// hilly grounds, crossed edges, holes, borders and tiles. The truth is the depth to which a body was let down, or
// heights that are read off the triangles straight down. Each scene is built in both orders of the bodies.
#include "manifold_testing.h"
#include "rng.h"

static float uniform(grzRng* rng, float lower, float upper) {
    return lower + (upper - lower) * grzRng_Float(rng);
}

static float flat(float x, float y) {
    (void)x, (void)y;
    return 0;
}

static float hills(float x, float y) {
    return 0.12f * grzSin(1.3f * x) * grzSin(1.7f * y);
}

static float dimple(float x, float y) {
    return fabsf(x) < 0.1f && fabsf(y) < 0.1f ? -0.5f : 0;
}

static float peak(float x, float y) {
    return fabsf(x) < 0.1f && fabsf(y) < 0.1f ? 0.2f : 0;
}

static void makeBall(Body* body, uint32_t id, float radius, uint32_t rings, uint32_t sides) {
    float positions[3 * MOST_VERTICES] = {0, 0, radius};
    uint32_t triangles[6 * MOST_VERTICES], count = 0, last = 1 + (rings - 1) * sides;
    for (uint32_t i = 1; i < rings; ++i)
        for (uint32_t j = 0; j < sides; ++j) {
            float theta = 3.14159265f * (float)i / (float)rings;
            float phi = 6.2831853f * ((float)j + 0.5f * (float)i) / (float)sides;
            grzVec3 p = grzVec3_Make(grzSin(theta) * grzCos(phi), grzSin(theta) * grzSin(phi), grzCos(theta));
            grzVec3_Store(positions + 3 * (1 + (i - 1) * sides + j), grzScale(p, radius));
        }
    grzVec3_Store(positions + 3 * (size_t)last, grzVec3_Make(0, 0, -radius));
    for (uint32_t j = 0; j < sides; ++j) {
        uint32_t k = (j + 1) % sides;
        for (uint32_t i = 0; i < rings; ++i) {
            uint32_t a = 1 + (i - 1) * sides + j, b = 1 + (i - 1) * sides + k;
            const uint32_t top[3] = {0, 1 + j, 1 + k}, bottom[3] = {last, b, a};
            const uint32_t band[6] = {a, a + sides, b + sides, a, b + sides, b};
            bool isBand = i > 0 && i + 1 < rings;
            memcpy(triangles + count, i == 0 ? top : isBand ? band : bottom, (isBand ? 6 : 3) * sizeof *band);
            count += isBand ? 6 : 3;
        }
    }
    makeBody(body, id, positions, last + 1, triangles, count / 3);
}

// A prism with an edge below, along y.
static void makeWedge(Body* body, uint32_t id) {
    static const float positions[18] = {0, -0.5f, -0.5f, 0.5f, -0.5f, 0.3f, -0.5f, -0.5f, 0.3f,
                                        0, 0.5f,  -0.5f, 0.5f, 0.5f,  0.3f, -0.5f, 0.5f,  0.3f};
    static const uint32_t triangles[24] = {0, 1, 2, 3, 5, 4, 0, 3, 4, 0, 4, 1, 1, 4, 5, 1, 5, 2, 2, 5, 3, 2, 3, 0};
    makeBody(body, id, positions, 6, triangles, 8);
}

static void makeKind(Body* body, uint32_t id, int kind) {
    switch (kind) {
    case 0:
        makeBall(body, id, 0.5f, 12, 16);
        break;
    case 1:
        makeBall(body, id, 0.5f, 5, 6);
        break;
    case 2:
        makeBox(body, id, grzVec3_Make(-0.4f, -0.3f, -0.3f), grzVec3_Make(0.4f, 0.3f, 0.3f));
        break;
    default:
        makeWedge(body, id);
    }
}

static float lowestOf(const Body* body) {
    float least = INFINITY;
    for (uint32_t i = 0; i < body->view.vertexCount; ++i)
        least = fminf(least, body->positions[3 * i + 2]);
    return least;
}

static grzQuat anyTurn(grzRng* rng) {
    return grzQuat_Normalize(
        grzQuat_Make(uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, -1, 1), uniform(rng, 0.1f, 1)));
}

// Round every axis, or only upright.
static grzQuat turnFor(grzRng* rng, bool isTilted) {
    return isTilted ? anyTurn(rng) : grzQuat_FromAxisAngle(grzVec3_Make(0, 0, 1), uniform(rng, 0, 6));
}

// Contacts as seen from the body that stands on the other one: the normal points from it.
static grzManifoldView buildBoth(grzManifolds* manifolds, Body* body, Body* ground, bool isSwapped,
                                 grzContact* seen) {
    body->id = isSwapped ? 2 : 1;
    ground->id = isSwapped ? 1 : 2;
    grzManifoldQuery query = isSwapped ? queryOf(ground, body) : queryOf(body, ground);
    grzManifoldView view = build(manifolds, &query);
    assert_true(view.count <= 100);
    for (uint32_t i = 0; i < view.count; ++i) {
        seen[i] = view.contacts[i];
        if (isSwapped)
            seen[i].normal = grzNeg(seen[i].normal);
        assert_true(isNear(grzDot(seen[i].normal, seen[i].normal), 1, 1e-5f) && seen[i].separation <= 0);
    }
    view.contacts = seen;
    return view;
}

static float deepestOf(const grzManifoldView* view) {
    float least = INFINITY;
    for (uint32_t i = 0; i < view->count; ++i)
        least = fminf(least, view->contacts[i].separation);
    return -least;
}

static void destroyBoth(Body* a, Body* b) {
    grzMesh_Destroy(a->mesh);
    grzMesh_Destroy(b->mesh);
}

// ------------------------------------------------------------------------------------------------------- scenes

static void aCrateOverARimIsAsDeepAsItWasLetDown(void** state) {
    (void)state;
    static const float depths[3] = {0.002f, 0.005f, 0.02f};
    grzManifolds* manifolds = makeManifolds();
    grzRng rng = grzRng_Make(testSeed(1), 0);
    Body table, crate;
    grzContact seen[100];
    makeBox(&table, 2, grzVec3_Make(-3, -2, -1), grzVec3_Make(0, 2, 0));
    makeBox(&crate, 1, grzVec3_Make(-0.5f, -0.3f, -0.25f), grzVec3_Make(0.5f, 0.3f, 0.25f));
    for (int step = 0; step < 1200; ++step) {
        float depth = depths[step % 3], most = -INFINITY;
        grzQuat turn = turnFor(&rng, false);
        poseBody(&crate, turn, grzVec3_Zero());
        for (int i = 0; i < 8; ++i)
            most = fmaxf(most, crate.positions[3 * i]);
        // Overhangs by more than the depth, so that up is the shortest way.
        float overhang = uniform(&rng, 1.1f * depth, 0.05f);
        poseBody(&crate, turn, grzVec3_Make(overhang - most, 0, 0.25f - depth));
        grzManifoldView view = buildBoth(manifolds, &crate, &table, step % 2 != 0, seen);
        assert_in_range(view.count, 3, 4);
        for (uint32_t i = 0; i < view.count; ++i) {
            assert_true(seen[i].normal.z < -0.9999f);
            assert_true(isNear(seen[i].separation, -depth, 1e-5f));
            assert_true(isNear(seen[i].point.z, -depth / 2, 1e-5f) && seen[i].point.x < 1e-5f);
        }
    }
    grzManifolds_Destroy(manifolds);
    destroyBoth(&table, &crate);
}

static void aFlatFloorPushesStraightUp(void** state) {
    (void)state;
    grzManifolds* manifolds = makeManifolds();
    grzRng rng = grzRng_Make(testSeed(2), 0);
    Body floor, body;
    grzContact seen[100];
    makeTerrain(&floor, 2, 8, 0.5f, flat);
    for (int step = 0; step < 160; ++step) {
        float depth = step % 8 < 4 ? 0.01f : 0.1f;
        makeKind(&body, 1, step % 4);
        grzQuat turn = turnFor(&rng, step % 4 < 3);
        poseBody(&body, turn, grzVec3_Zero());
        poseBody(&body, turn,
                 grzVec3_Make(uniform(&rng, -0.5f, 0.5f), uniform(&rng, -0.5f, 0.5f), -lowestOf(&body) - depth));
        grzManifoldView view = buildBoth(manifolds, &body, &floor, step % 3 == 0, seen);
        assert_true(view.count > 0 && view.clusterCount == 1);
        for (uint32_t i = 0; i < view.count; ++i)
            assert_true(seen[i].normal.z < -0.9999f);
        assert_true(isNear(deepestOf(&view), depth, 1e-4f));
        grzMesh_Destroy(body.mesh);
    }
    grzManifolds_Destroy(manifolds);
    grzMesh_Destroy(floor.mesh);
}

// The lowest (or highest) z of a mesh straight above a place; NAN where there is none.
static float heightAt(const Body* body, float x, float y, bool isLowest) {
    float found = NAN;
    for (uint32_t t = 0; t < body->view.triangleCount; ++t) {
        grzVec3 p[3];
        for (int i = 0; i < 3; ++i)
            p[i] = grzVec3_Load(body->positions + 3 * body->view.triangles[3 * t + (uint32_t)i]);
        grzVec3 u = grzSub(p[1], p[0]), v = grzSub(p[2], p[0]), w = grzSub(grzVec3_Make(x, y, 0), p[0]);
        float turn = u.x * v.y - u.y * v.x, s = (w.x * v.y - w.y * v.x) / turn, r = (u.x * w.y - u.y * w.x) / turn;
        float z = p[0].z + s * u.z + r * v.z;
        if (turn != 0 && s >= 0 && r >= 0 && s + r <= 1 && !(isLowest ? z >= found : z <= found))
            found = z;
    }
    return found;
}

// How far two edges overlap where they cross, seen from above; 0 where they do not.
static float crossingDepth(const Body* body, grzMeshEdge edge, const Body* ground, grzMeshEdge other) {
    grzVec3 p = grzVec3_Load(body->positions + 3 * edge.a), q = grzVec3_Load(ground->positions + 3 * other.a);
    grzVec3 u = grzSub(grzVec3_Load(body->positions + 3 * edge.b), p), w = grzSub(q, p);
    grzVec3 v = grzSub(grzVec3_Load(ground->positions + 3 * other.b), q);
    float turn = u.x * v.y - u.y * v.x, s = (w.x * v.y - w.y * v.x) / turn, r = (w.x * u.y - w.y * u.x) / turn;
    if (turn == 0 || !(s >= 0 && s <= 1 && r >= 0 && r <= 1))
        return 0;
    // Only what the body has below: its lower side.
    float x = p.x + s * u.x, y = p.y + s * u.y, z = p.z + s * u.z, least = heightAt(body, x, y, true);
    return z <= least + 1e-4f ? q.z + r * v.z - z : 0;
}

// The exact greatest overlap straight down: it is at a vertex or where two edges cross.
static float straightDepth(const Body* body, const Body* ground) {
    float most = 0;
    for (uint32_t i = 0; i < body->view.vertexCount; ++i) {
        const float* p = body->positions + 3 * i;
        most = fmaxf(most, heightAt(ground, p[0], p[1], false) - p[2]);
    }
    for (uint32_t i = 0; i < ground->view.vertexCount; ++i) {
        const float* p = ground->positions + 3 * i;
        most = fmaxf(most, p[2] - heightAt(body, p[0], p[1], true)); // a NAN counts as nothing
    }
    for (uint32_t i = 0; i < body->view.edgeCount; ++i)
        for (uint32_t k = 0; k < ground->view.edgeCount; ++k)
            most = fmaxf(most, crossingDepth(body, body->view.edges[i], ground, ground->view.edges[k]));
    return most;
}

static void gentleHillsPushOut(void** state) {
    (void)state;
    grzManifolds* manifolds = makeManifolds();
    grzRng rng = grzRng_Make(testSeed(3), 0);
    Body ground, body;
    grzContact seen[100];
    makeTerrain(&ground, 2, 10, 0.4f, hills);
    for (int step = 0; step < 120; ++step) {
        int kind = step % 3 == 2 ? 3 : step % 3 * 2; // balls, crates, wedges: upright
        makeKind(&body, 1, kind);
        grzQuat turn = turnFor(&rng, false);
        grzVec3 at = grzVec3_Make(uniform(&rng, -0.7f, 0.7f), uniform(&rng, -0.7f, 0.7f), 0);
        at.z = uniform(&rng, 0.3f, 0.5f);
        poseBody(&body, turn, at);
        float depth = straightDepth(&body, &ground);
        grzManifoldView view = buildBoth(manifolds, &body, &ground, step % 2 != 0, seen);
        assert_true(view.count > 0 || depth == 0);
        for (uint32_t i = 0; i < view.count && depth < 0.1f; ++i)
            assert_true(seen[i].normal.z < -0.9f);
        if (depth > 0.02f && depth < 0.1f) {
            assert_true(deepestOf(&view) > 0.6f * depth);
            assert_true(deepestOf(&view) < 1.5f * depth); // planes go on a little beyond their triangles
        }
        grzMesh_Destroy(body.mesh);
    }
    grzManifolds_Destroy(manifolds);
    grzMesh_Destroy(ground.mesh);
}

static void crossedEdgesPartAcrossBoth(void** state) {
    (void)state;
    grzManifolds* manifolds = makeManifolds();
    Body above, below;
    grzContact seen[100];
    const float corner = 0.70710678f; // of a unit box that stands on an edge
    makeBox(&above, 1, grzVec3_Make(-0.5f, -2, -0.5f), grzVec3_Make(0.5f, 2, 0.5f));
    makeBox(&below, 2, grzVec3_Make(-2, -0.5f, -0.5f), grzVec3_Make(2, 0.5f, 0.5f));
    for (int swap = 0; swap < 2; ++swap) {
        poseBody(&above, grzQuat_FromAxisAngle(grzVec3_Make(0, 1, 0), 0.78539816f),
                 grzVec3_Make(0.03f, 0.01f, 2 * corner - 0.02f));
        poseBody(&below, grzQuat_FromAxisAngle(grzVec3_Make(1, 0, 0), 0.78539816f), grzVec3_Zero());
        grzManifoldView view = buildBoth(manifolds, &above, &below, swap != 0, seen);
        assert_int_equal(view.clusterCount, 1);
        for (uint32_t i = 0; i < view.count; ++i)
            assert_true(seen[i].normal.z < -0.9999f);
        assert_true(deepestOf(&view) > 0.009f && deepestOf(&view) < 0.0201f);
    }
    grzManifolds_Destroy(manifolds);
    destroyBoth(&above, &below);
}

// Letting a crate down on a hole cuts a second loop into its floor, around the place that does not touch.
static void aHoleBelowACrateIsNoPushDown(void** state) {
    (void)state;
    grzManifolds* manifolds = makeManifolds();
    Body ground, crate;
    grzContact seen[100];
    makeTerrain(&ground, 2, 6, 0.5f, dimple);
    makeBox(&crate, 1, grzVec3_Make(-0.9f, -0.8f, -0.01f), grzVec3_Make(0.9f, 0.8f, 1));
    for (int swap = 0; swap < 2; ++swap) {
        grzManifoldView view = buildBoth(manifolds, &crate, &ground, swap != 0, seen);
        assert_int_equal(view.clusterCount, 1);
        assert_int_equal(view.count, 4);
        for (uint32_t i = 0; i < view.count; ++i)
            assert_true(seen[i].normal.z < -0.9999f && isNear(seen[i].separation, -0.01f, 1e-5f));
    }
    grzManifolds_Destroy(manifolds);
    destroyBoth(&ground, &crate);
}

static float ridges(float x, float y) {
    (void)y;
    float t = x - floorf(x);
    return 0.2f * fabsf(t - 0.5f);
}

// Balls that reach over a valley touch both ridges, and the loop around the valley pushes nothing in.
static void aBallOverAValleyIsPushedOut(void** state) {
    (void)state;
    grzManifolds* manifolds = makeManifolds();
    grzRng rng = grzRng_Make(testSeed(4), 0);
    Body ground, ball;
    grzContact seen[100];
    makeTerrain(&ground, 2, 8, 0.5f, ridges);
    makeKind(&ball, 1, 1);
    for (int step = 0; step < 900; ++step) {
        grzQuat turn = anyTurn(&rng);
        poseBody(&ball, turn, grzVec3_Zero());
        float z = -lowestOf(&ball) + uniform(&rng, -0.1f, 0.1f);
        poseBody(&ball, turn, grzVec3_Make(uniform(&rng, -0.5f, 0.5f), uniform(&rng, -0.5f, 0.5f), z));
        grzManifoldView view = buildBoth(manifolds, &ball, &ground, step % 2 != 0, seen);
        for (uint32_t i = 0; i < view.count; ++i)
            assert_true(seen[i].normal.z < -0.5f);
    }
    grzManifolds_Destroy(manifolds);
    destroyBoth(&ground, &ball);
}

static void aPeakBelowACrateIsTold(void** state) {
    (void)state;
    grzManifolds* manifolds = makeManifolds();
    Body ground, crate;
    grzContact seen[100];
    makeTerrain(&ground, 2, 6, 0.5f, peak);
    makeBox(&crate, 1, grzVec3_Make(-0.9f, -0.8f, 0.15f), grzVec3_Make(0.9f, 0.8f, 1));
    for (int swap = 0; swap < 2; ++swap) {
        grzManifoldView view = buildBoth(manifolds, &crate, &ground, swap != 0, seen);
        assert_true(view.count > 0);
        assert_true(isNear(deepestOf(&view), 0.05f, 1e-5f));
        for (uint32_t i = 0; i < view.count; ++i)
            assert_true(seen[i].normal.z < -0.9999f);
    }
    grzManifolds_Destroy(manifolds);
    destroyBoth(&ground, &crate);
}

static void aCrateOverTheBorderOfAnOpenGroundStands(void** state) {
    (void)state;
    grzManifolds* manifolds = makeManifolds();
    Body ground, crate;
    grzContact seen[100];
    makeTerrain(&ground, 2, 4, 0.5f, flat); // ends at x = 1
    makeBox(&crate, 1, grzVec3_Make(0.6f, -0.3f, -0.02f), grzVec3_Make(1.2f, 0.4f, 0.5f));
    for (int swap = 0; swap < 2; ++swap) {
        grzManifoldView view = buildBoth(manifolds, &crate, &ground, swap != 0, seen);
        assert_true(view.count >= 3);
        for (uint32_t i = 0; i < view.count; ++i)
            assert_true(seen[i].normal.z < -0.9999f && isNear(seen[i].separation, -0.02f, 1e-5f));
    }
    grzManifolds_Destroy(manifolds);
    destroyBoth(&ground, &crate);
}

// ------------------------------------------------------------------------------------------------------- names

static void namesHoldStillUnderJitter(void** state) {
    (void)state;
    static const float sizes[4] = {0, 1e-6f, 1e-4f, 1e-3f};
    grzManifolds* manifolds = makeManifolds();
    grzRng rng = grzRng_Make(testSeed(5), 0);
    Body floor, crate;
    makeTerrain(&floor, 2, 6, 1, flat);
    makeBox(&crate, 1, grzVec3_Make(-0.3f, -0.25f, 0), grzVec3_Make(0.3f, 0.25f, 1));
    for (int run = 0; run < 8; ++run) {
        grzQuat tilt = run < 4 ? grzQuat_Identity()
                               : grzQuat_FromAxisAngle(grzNormalize(grzVec3_Make(0.5f, 0.2f, 0.7f)), 0.9f);
        poseBody(&floor, tilt, grzVec3_Zero());
        grzContact first[4];
        for (int step = 0; step < 60; ++step) {
            float size = sizes[run % 4];
            grzVec3 at = grzVec3_Make(0.37f + uniform(&rng, 0, size), 0.21f + uniform(&rng, 0, size),
                                      -0.01f - uniform(&rng, 0, size + 1e-7f));
            grzQuat turn = grzQuat_FromAxisAngle(grzVec3_Make(0, 0, 1), 0.3f + uniform(&rng, 0, size));
            poseBody(&crate, grzQuat_Multiply(tilt, turn), grzQuat_Rotate(tilt, at));
            grzManifoldQuery query = queryOf(&crate, &floor);
            query.previous = grzManifolds_GetView(manifolds).contacts; // the last view of the same object
            query.previousCount = step > 0 ? 4 : 0;
            grzManifoldView view = build(manifolds, &query);
            assert_int_equal(view.count, 4);
            for (int i = 0; i < 4 && step > 0; ++i)
                assert_int_equal(grzCompareRecords(&grzContactType, &first[i], &view.contacts[i]), 0);
            if (step == 0)
                memcpy(first, view.contacts, sizeof first);
        }
    }
    grzManifolds_Destroy(manifolds);
    destroyBoth(&floor, &crate);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aCrateOverARimIsAsDeepAsItWasLetDown),
        cmocka_unit_test(aFlatFloorPushesStraightUp),
        cmocka_unit_test(gentleHillsPushOut),
        cmocka_unit_test(crossedEdgesPartAcrossBoth),
        cmocka_unit_test(aHoleBelowACrateIsNoPushDown),
        cmocka_unit_test(aBallOverAValleyIsPushedOut),
        cmocka_unit_test(aPeakBelowACrateIsTold),
        cmocka_unit_test(aCrateOverTheBorderOfAnOpenGroundStands),
        cmocka_unit_test(namesHoldStillUnderJitter),
    };
    return cmocka_run_group_tests_name("manifold scenes", tests, NULL, NULL);
}
