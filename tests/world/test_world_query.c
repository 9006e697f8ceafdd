// Rays, boxes and views against every body in turn: all kinds of bodies, several threads, changes in between.
#include "world_testing.h"

#include <math.h>
#include <pthread.h>

#include "graze/model_ray.h"
#include "graze/model_shape.h"

enum { MOST_BODIES = 32 };

// What each slot is made of, as the test knows it.
typedef struct Known {
    grzWorld* world;
    grzBodyId ids[MOST_BODIES];
    grzConvex shapes[MOST_BODIES];
    const grzMesh* meshes[MOST_BODIES];
    uint64_t categories[MOST_BODIES];
    uint32_t count;
} Known;

static void know(Known* known, grzBodyId id, grzConvex shape, const grzMesh* mesh, uint64_t category) {
    known->ids[known->count] = id;
    known->shapes[known->count] = shape;
    known->meshes[known->count] = mesh;
    known->categories[known->count++] = category;
}

static void fillKnown(Known* known, grzRng* rng) {
    const grzMesh* const meshes[3] = {g_kit.ball, g_kit.ring, g_kit.ground};
    const grzMeshShape* const shapes[3] = {g_kit.ballShape, g_kit.ringShape, g_kit.groundShape};
    memset(known, 0, sizeof *known);
    known->world = makeWorld(NULL);
    for (uint32_t i = 0; i < 20; ++i) {
        grzBodyDef def = grzDefaultBodyDef();
        def.kind = i % 3 == 2 ? grz_staticBody : grz_kinematicBody;
        if (i % 4 == 0)
            def.mesh = shapes[i / 4 % 3];
        else
            def.shape = anyShape(rng);
        def.origin = randomVector(rng, 3);
        def.rotation = randomTurn(rng);
        if (def.kind == grz_kinematicBody)
            def.velocity = randomVector(rng, 2);
        def.category = (uint64_t)1 << (i % 2);
        know(known, addBody(known->world, &def), def.shape, i % 4 == 0 ? meshes[i / 4 % 3] : NULL, def.category);
    }
    const grzConvex none = {0};
    know(known, addCloth(known->world, grzVec3_Make(0.2f, 1, 0), NULL, 0), none, g_kit.sheet, 1);
    const grzBodyId mover = addAnimated(known->world, g_kit.ball, grz_animateKeyframes);
    must(grzWorld_AddKeyframe(known->world, mover, 0.3,
                              movedPositions(g_kit.ball, grzVec3_Make(3, 2, 1), grzVec3_Make(1, -1, 0))));
    know(known, mover, none, g_kit.ball, 1);
}

// The triangles of body i where they are: in the shape's frame, or, for those that deform, in the world.
static grzModel* modelOf(const Known* known, uint32_t i) {
    const grzMeshView mesh = grzMesh_GetView(known->meshes[i]);
    grzModelDef def = grzDefaultModelDef();
    grzClothView cloth;
    grzAnimatedView animated;
    def.positions = mesh.positions32;
    if (grzResult_IsOk(grzWorld_GetCloth(known->world, known->ids[i], &cloth)))
        def.positions = cloth.positions;
    if (grzResult_IsOk(grzWorld_GetAnimated(known->world, known->ids[i], &animated)))
        def.positions = animated.positions;
    def.vertexCount = mesh.vertexCount;
    def.triangles = mesh.triangles;
    def.triangleCount = mesh.triangleCount;
    grzModel* model;
    must(grzModel_Create(&def, &model));
    return model;
}

static grzTransform placeOf(const Known* known, uint32_t i) {
    grzBodyView view;
    must(grzWorld_GetBody(known->world, known->ids[i], &view));
    return poseOf(&view);
}

// ------------------------------------------------------------------------------------------------------------- rays

static bool rayMeets(const Known* known, grzModel* const* models, uint32_t i, const grzWorldRay* ray,
                     grzWorldHit* hit) {
    memset(hit, 0, sizeof *hit);
    hit->body = known->ids[i];
    if (known->meshes[i] == NULL) {
        grzConvexHit found;
        must(grzConvex_CastRay(&known->shapes[i], placeOf(known, i), ray->origin, ray->direction, ray->reach,
                               &found));
        hit->t = found.t, hit->triangle = GRZ_NO_TRIANGLE;
        return found.isHit;
    }
    grzModelRay cast = grzDefaultModelRay();
    cast.model = models[i], cast.pose = placeOf(known, i);
    cast.origin = ray->origin, cast.direction = ray->direction, cast.reach = ray->reach;
    grzModelRayHit found;
    must(grzModel_CastRay(&cast, &found));
    hit->t = found.t, hit->triangle = found.triangle;
    return found.triangle != GRZ_NO_TRIANGLE;
}

static void checkHit(const grzWorldRay* ray, const grzWorldHit* hit, const grzWorldHit* wanted) {
    assert_true(hit->body.index1 == wanted->body.index1 && hit->body.generation == wanted->body.generation);
    assert_true(hit->t == wanted->t);
    assert_int_equal(hit->triangle, wanted->triangle);
    const grzVec3 at = grzAddScaled(ray->origin, hit->t, ray->direction);
    assert_true(grzDistance(at, hit->point) < 1e-3f);
    const float length = grzLength(hit->normal);
    assert_true(fabsf(length - 1) < 1e-3f || (length == 0 && hit->t == 0));
    assert_true(grzDot(hit->normal, ray->direction) <= 1e-4f * grzLength(ray->direction));
}

static grzWorldRay randomRay(grzRng* rng) {
    grzWorldRay ray = grzDefaultWorldRay();
    ray.origin = randomVector(rng, 5);
    ray.direction = grzSub(randomVector(rng, 3), ray.origin);
    ray.reach = randomIn(rng, 0.5f, 2);
    ray.mask = grzRng_Below(rng, 3) == 0 ? 2 : UINT64_MAX;
    return ray;
}

static uint32_t checkRay(const Known* known, grzModel* const* models, grzWorldRay ray, grzWorldHits* hits) {
    grzWorldHit wanted[MOST_BODIES];
    uint32_t count = 0;
    for (uint32_t i = 0; i < known->count; ++i) {
        grzWorldHit hit;
        if ((known->categories[i] & ray.mask) == 0 || !rayMeets(known, models, i, &ray, &hit))
            continue;
        uint32_t place = count++;
        for (; place > 0 && wanted[place - 1].t > hit.t; --place) // slots rise
            wanted[place] = wanted[place - 1];
        wanted[place] = hit;
    }
    for (int isAll = 0; isAll < 2; ++isAll) {
        ray.isAll = isAll != 0;
        must(grzWorld_CastRay(known->world, &ray, hits));
        const grzWorldHitsView found = grzWorldHits_GetView(hits);
        assert_int_equal(found.count, isAll != 0 ? count : count != 0 ? 1 : 0);
        for (size_t i = 0; i < found.count; ++i)
            checkHit(&ray, &found.hits[i], &wanted[i]);
    }
    return count;
}

static void makeModels(const Known* known, grzModel** models) {
    for (uint32_t i = 0; i < known->count; ++i)
        models[i] = known->meshes[i] != NULL ? modelOf(known, i) : NULL;
}

static void dropModels(const Known* known, grzModel** models) {
    for (uint32_t i = 0; i < known->count; ++i)
        grzModel_Destroy(models[i]);
}

static void test_rays(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(740), 0);
    Known known;
    fillKnown(&known, &rng);
    grzWorldHits* hits;
    must(grzWorldHits_Create((grzAllocator){0}, &hits));
    uint32_t most = 0, sum = 0;
    for (int step = 0; step < 5; ++step) {
        grzModel* models[MOST_BODIES];
        makeModels(&known, models);
        for (int i = 0; i < 120; ++i) {
            const uint32_t count = checkRay(&known, models, randomRay(&rng), hits);
            most = count > most ? count : most;
            sum += count;
        }
        dropModels(&known, models);
        stepWorld(known.world, 4);
        must(grzWorld_PlaceBody(known.world, known.ids[step], randomVector(&rng, 3), randomTurn(&rng)));
    }
    assert_true(most > 2 && sum > 200);
    grzWorldHits_Destroy(hits);
    grzWorld_Destroy(known.world);
}

// ------------------------------------------------------------------------------------------------------ boxes, views

static bool boxMeets(const Known* known, grzModel* const* models, uint32_t i, grzBox box) {
    const grzConvex shape = grzMakeBox(grzBox_Center(box), grzScale(grzSub(box.upper, box.lower), 0.5f));
    if (known->meshes[i] == NULL) {
        grzConvexDistance distance;
        must(grzConvex_Distance(&known->shapes[i], placeOf(known, i), &shape, grzTransform_Identity(), &distance));
        return distance.isTouching;
    }
    grzModelShape query = grzDefaultModelShape();
    query.model = models[i], query.pose = placeOf(known, i);
    query.shape = shape;
    grzModelTouch touch;
    must(grzModel_TouchShape(&query, &touch));
    return touch.isTouching;
}

static void test_boxes(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(741), 0);
    Known known;
    fillKnown(&known, &rng);
    grzWorldHits* hits;
    must(grzWorldHits_Create((grzAllocator){0}, &hits));
    uint32_t sum = 0, misses = 0;
    for (int step = 0; step < 4; ++step) {
        grzModel* models[MOST_BODIES];
        makeModels(&known, models);
        for (int i = 0; i < 40; ++i) {
            const grzVec3 center = randomVector(&rng, 3), half = grzAbs(randomVector(&rng, 1));
            const grzBox box = grzBox_Make(grzSub(center, half), grzAdd(center, half));
            must(grzWorld_OverlapBox(known.world, box, hits));
            const grzWorldHitsView found = grzWorldHits_GetView(hits);
            size_t place = 0;
            for (uint32_t k = 0; k < known.count; ++k) {
                const bool meets = boxMeets(&known, models, k, box);
                const bool isTold = place < found.count && found.hits[place].body.index1 == known.ids[k].index1;
                if (meets != isTold)
                    fail_msg("body %u: meets the box: %d, told: %d", k, meets, isTold);
                place += isTold;
                sum += meets, misses += !meets;
            }
            assert_int_equal(place, found.count);
        }
        dropModels(&known, models);
        stepWorld(known.world, 4);
    }
    assert_true(sum > 40 && misses > 100);
    grzWorldHits_Destroy(hits);
    grzWorld_Destroy(known.world);
}

static void test_views(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(742), 0);
    Known known;
    fillKnown(&known, &rng);
    grzWorldHits* hits;
    must(grzWorldHits_Create((grzAllocator){0}, &hits));
    uint32_t seen = 0, unseen = 0;
    for (int i = 0; i < 100; ++i) {
        if (i % 20 == 10)
            stepWorld(known.world, 5);
        grzHalfSpace spaces[6];
        const uint32_t count = 1 + grzRng_Below(&rng, 6);
        for (uint32_t k = 0; k < count; ++k) {
            spaces[k].normal = grzNormalize(randomVector(&rng, 1));
            spaces[k].offset = randomIn(&rng, -1, 2.5f);
        }
        must(grzWorld_FindVisible(known.world, spaces, count, hits));
        const grzWorldHitsView found = grzWorldHits_GetView(hits);
        size_t place = 0;
        for (uint32_t k = 0; k < known.count; ++k) {
            const grzBox box = viewOf(known.world, known.ids[k]).box;
            bool isIn = true;
            for (uint32_t plane = 0; plane < count; ++plane) {
                const grzVec3 n = spaces[plane].normal;
                const double depth = (double)n.x * (double)(n.x > 0 ? box.lower.x : box.upper.x) +
                                     (double)n.y * (double)(n.y > 0 ? box.lower.y : box.upper.y) +
                                     (double)n.z * (double)(n.z > 0 ? box.lower.z : box.upper.z);
                isIn = isIn && depth <= (double)spaces[plane].offset;
            }
            const bool isTold = place < found.count && found.hits[place].body.index1 == known.ids[k].index1;
            assert_true(isIn == isTold);
            place += isTold;
            seen += isIn, unseen += !isIn;
        }
        assert_int_equal(place, found.count);
    }
    assert_true(seen > 100 && unseen > 100);
    grzWorldHits_Destroy(hits);
    grzWorld_Destroy(known.world);
}

// Points in the very corners of boxes whose middles are no floats: touching counts.
static void test_cornersOfBoxes(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(745), 0);
    grzWorldHits* hits;
    must(grzWorldHits_Create((grzAllocator){0}, &hits));
    for (int i = 0; i < 100; ++i) {
        grzWorld* world = makeWorld(NULL);
        const grzVec3 lower = randomVector(&rng, 9), upper = grzAdd(lower, grzAbs(randomVector(&rng, 1)));
        addShape(world, grz_staticBody, grzMakeSphere(grzVec3_Zero(), 0), lower);
        addShape(world, grz_staticBody, grzMakeSphere(grzVec3_Zero(), 0), upper);
        must(grzWorld_OverlapBox(world, grzBox_Make(lower, upper), hits));
        assert_int_equal(grzWorldHits_GetView(hits).count, 2);
        grzWorld_Destroy(world);
    }
    grzWorldHits_Destroy(hits);
}

// How far beyond the edge of a camera's view a point is, by the definition of graze/camera.h: of all edges the farthest.
static double beyondView(const grzCamera* camera, grzVec3 point) {
    const grzVec3d d = grzVec3d_Sub(grzVec3d_FromVec3(point), grzVec3d_FromVec3(camera->position));
    const double w = grzVec3d_Dot(grzVec3d_FromVec3(camera->forward), d);
    const double x = grzVec3d_Dot(grzVec3d_FromVec3(camera->right), d),
                 y = grzVec3d_Dot(grzVec3d_FromVec3(camera->up), d);
    const double across = fmax(fabs(x) - (double)camera->halfWidth * w, fabs(y) - (double)camera->halfHeight * w);
    return fmax(across, fmax((double)camera->nearest - w, w - (double)camera->farthest));
}

static void test_cameras(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(744), 0);
    uint32_t seen = 0, unseen = 0;
    for (int i = 0; i < 200; ++i) {
        const grzVec3 eye = randomVector(&rng, 50), target = grzAdd(eye, randomVector(&rng, 5));
        const grzCamera camera = grzCamera_LookAt(eye, target, grzVec3_Make(0, 1, 0), randomIn(&rng, 0.1f, 2.5f),
                                                  randomIn(&rng, 0.3f, 3), 0.5f, 20);
        grzHalfSpace spaces[6];
        must(grzCamera_HalfSpaces(&camera, spaces));
        for (int k = 0; k < 50; ++k) {
            const grzVec3 point = grzAdd(eye, randomVector(&rng, 12));
            const double beyond = beyondView(&camera, point);
            bool isIn = true;
            for (int plane = 0; plane < 6; ++plane)
                isIn = isIn && grzVec3d_Dot(grzVec3d_FromVec3(spaces[plane].normal), grzVec3d_FromVec3(point)) <=
                                   (double)spaces[plane].offset;
            if (fabs(beyond) < 1e-3)
                continue;
            assert_true(isIn == (beyond < 0));
            seen += isIn, unseen += !isIn;
        }
    }
    assert_true(seen > 500 && unseen > 500);
    grzHalfSpace untouched[6] = {{{7, 7, 7, 0}, 7}};
    grzCamera camera = grzCamera_LookAt(grzVec3_Zero(), grzVec3_Make(0, 0, 1), grzVec3_Make(0, 1, 0), 1, 1, 1, 2);
    camera.farthest = 0.5f;
    mustBe(grzCamera_HalfSpaces(&camera, untouched), grz_badArgument);
    camera.farthest = NAN;
    mustBe(grzCamera_HalfSpaces(&camera, untouched), grz_notFinite);
    assert_true(untouched[0].offset == 7);
}

// The boxes that views are told by hold the bodies' vertices.
static void test_boxesHoldBodies(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(743), 0);
    Known known;
    fillKnown(&known, &rng);
    for (int step = 0; step < 6; ++step) {
        for (uint32_t i = 0; i < known.count; ++i) {
            if (known.meshes[i] == NULL)
                continue;
            const grzMeshView mesh = grzMesh_GetView(known.meshes[i]);
            grzClothView cloth = {0};
            grzAnimatedView animated = {0};
            const bool isCloth = grzResult_IsOk(grzWorld_GetCloth(known.world, known.ids[i], &cloth));
            const bool isAnimated = grzResult_IsOk(grzWorld_GetAnimated(known.world, known.ids[i], &animated));
            const float* positions = isCloth ? cloth.positions : isAnimated ? animated.positions : mesh.positions32;
            const grzBox box = grzBox_Expand(viewOf(known.world, known.ids[i]).box, 1e-5f);
            for (uint32_t v = 0; v < mesh.vertexCount; ++v)
                assert_true(grzBox_ContainsPoint(
                    box, grzTransform_Apply(placeOf(&known, i), grzVec3_Load(positions + 3 * (size_t)v))));
        }
        stepWorld(known.world, 4);
    }
    grzWorld_Destroy(known.world);
}

// ------------------------------------------------------------------------------------------------------ refused, removed

static void mustRefuse(grzResult result, grzStatus status, const grzWorldHits* hits) {
    mustBe(result, status);
    assert_int_equal(grzWorldHits_GetView(hits).count, 0);
}

// A default ray has no end: in steps of its direction, along an axis and aslant, it finds bodies of each kind a kilometre away.
static void test_defaultRaysHaveNoEnd(void** state) {
    (void)state;
    static const float lengths[] = {1e-6f, 1, 1e20f}; // of the direction
    grzWorld* world = makeWorld(NULL);
    grzWorldHits* hits;
    must(grzWorldHits_Create((grzAllocator){0}, &hits));
    must(grzWorld_SetGravity(world, grzVec3_Zero()));
    const grzBodyId ids[] = {
        addShape(world, grz_staticBody, grzMakeSphere(grzVec3_Zero(), 1), grzVec3_Make(0, 1000, 0)),
        addShape(world, grz_staticBody, grzMakeBox(grzVec3_Zero(), grzVec3_Splat(1)), grzVec3_Make(1000, 0, 0)),
        addShape(world, grz_staticBody, grzMakeHullShape(g_hulls[0]), grzVec3_Make(1000, 1000, 1000)),
        addMesh(world, grz_staticBody, g_kit.crateShape, grzVec3_Make(0, 0, 1000)),
        addCloth(world, grzVec3_Make(0, -1000, 0), NULL, 0),
    };
    for (size_t i = 0; i < sizeof ids / sizeof *ids; ++i)
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; ++k) {
            grzWorldRay ray = grzDefaultWorldRay();
            const grzBox box = viewOf(world, ids[i]).box;
            const grzVec3 way = grzSub(grzBox_Center(box), ray.origin);
            ray.direction = grzScale(way, lengths[k] / grzLength(way));
            must(grzWorld_CastRay(world, &ray, hits));
            const grzWorldHitsView found = grzWorldHits_GetView(hits);
            assert_int_equal(found.count, 1);
            assert_int_equal(found.hits->body.index1, ids[i].index1);
            assert_true(fabsf(found.hits->t * lengths[k] / grzLength(way) - 1) < 0.01f);
            assert_true(grzDistance(found.hits->point, grzBox_Center(box)) < 2);
        }
    grzWorldHits_Destroy(hits);
    grzWorld_Destroy(world);
}

static void test_refusals(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    addFloor(world, 1);
    grzWorldHits* hits;
    must(grzWorldHits_Create((grzAllocator){0}, &hits));
    grzWorldRay good = grzDefaultWorldRay();
    good.origin.y = 2, good.direction = grzVec3_Make(0, -1, 0), good.reach = 10;
    must(grzWorld_CastRay(world, &good, hits));
    assert_int_equal(grzWorldHits_GetView(hits).count, 1);
    mustRefuse(grzWorld_CastRay(world, NULL, hits), grz_badDef, hits);
    grzWorldRay ray = good;
    ray.mark = 1;
    mustRefuse(grzWorld_CastRay(world, &ray, hits), grz_badDef, hits);
    ray = good, ray.direction = grzVec3_Zero();
    mustRefuse(grzWorld_CastRay(world, &ray, hits), grz_badArgument, hits);
    ray = good, ray.reach = -1;
    mustRefuse(grzWorld_CastRay(world, &ray, hits), grz_badArgument, hits);
    ray = good, ray.reach = -INFINITY;
    mustRefuse(grzWorld_CastRay(world, &ray, hits), grz_badArgument, hits);
    ray = good, ray.reach = NAN;
    mustRefuse(grzWorld_CastRay(world, &ray, hits), grz_notFinite, hits);
    ray = good, ray.origin.z = INFINITY;
    mustRefuse(grzWorld_CastRay(world, &ray, hits), grz_notFinite, hits);
    must(grzWorld_CastRay(world, &good, hits));
    const grzVec3 one = grzVec3_Splat(1);
    mustRefuse(grzWorld_OverlapBox(world, grzBox_Make(one, grzNeg(one)), hits), grz_invertedBounds, hits);
    mustRefuse(grzWorld_OverlapBox(world, grzBox_Make(grzVec3_Splat(NAN), one), hits), grz_notFinite, hits);
    grzHalfSpace space = {.normal = grzVec3_Make(NAN, 0, 0), .offset = 1};
    mustRefuse(grzWorld_FindVisible(world, &space, 1, hits), grz_notFinite, hits);
    mustRefuse(grzWorld_FindVisible(world, NULL, 1, hits), grz_badArgument, hits);
    grzWorldHits_Destroy(hits);
    grzWorldHits_Destroy(NULL);
    grzWorld_Destroy(world);
}

// A body that is gone is not met, nor is the cloth that had its slot before; new ones are, before any step.
static void test_changesInBetween(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    grzWorldHits* hits;
    must(grzWorldHits_Create((grzAllocator){0}, &hits));
    grzWorldRay ray = grzDefaultWorldRay();
    ray.origin = grzVec3_Make(0.03f, 5, 0.01f), ray.direction = grzVec3_Make(0, -10, 0);
    for (int round = 0; round < 3; ++round) {
        const grzBodyId cloth = addCloth(world, grzVec3_Zero(), NULL, 0);
        must(grzWorld_CastRay(world, &ray, hits));
        assert_int_equal(grzWorldHits_GetView(hits).count, 1);
        assert_true(grzWorldHits_GetView(hits).hits[0].body.generation == cloth.generation);
        must(grzWorld_RemoveBody(world, cloth));
        must(grzWorld_CastRay(world, &ray, hits));
        assert_int_equal(grzWorldHits_GetView(hits).count, 0);
        const grzBodyId mover = addAnimated(world, g_kit.ball, grz_animateVertices);
        must(grzWorld_CastRay(world, &ray, hits));
        assert_int_equal(grzWorldHits_GetView(hits).count, 1);
        must(grzWorld_SetVertices(world, mover,
                                  movedPositions(g_kit.ball, grzVec3_Splat(1), grzVec3_Make(9, 0, 0))));
        stepWorld(world, 1);
        must(grzWorld_CastRay(world, &ray, hits));
        assert_int_equal(grzWorldHits_GetView(hits).count, 0);
        must(grzWorld_RemoveBody(world, mover));
    }
    const grzBodyId cloth = addCloth(world, grzVec3_Zero(), NULL, 0);
    must(grzWorld_PlaceCloth(world, cloth, movedPositions(g_kit.sheet, grzVec3_Splat(1), grzVec3_Make(0, -2, 0)),
                             NULL));
    must(grzWorld_CastRay(world, &ray, hits));
    assert_int_equal(grzWorldHits_GetView(hits).count, 1);
    assert_true(fabsf(grzWorldHits_GetView(hits).hits[0].t - 0.7f) < 1e-5f);
    grzWorldHits_Destroy(hits);
    grzWorld_Destroy(world);
}

static void test_queriesWithoutMemory(void** state) {
    (void)state;
    bool isDone = false;
    for (size_t k = 0; !isDone; ++k) {
        TestMemory memory = {.failAt = SIZE_MAX}, own = {.failAt = SIZE_MAX};
        grzWorldDef def = grzDefaultWorldDef();
        def.allocator = testAllocator(&memory);
        grzWorld* world;
        must(grzWorld_Create(&def, &world));
        addCloth(world, grzVec3_Zero(), NULL, 0);
        addAnimated(world, g_kit.crate, grz_animateKeyframes);
        addFloor(world, 1);
        grzWorldHits* hits;
        must(grzWorldHits_Create(testAllocator(&own), &hits));
        grzWorldRay ray = grzDefaultWorldRay();
        ray.origin = grzVec3_Make(0.03f, 5, 0.01f), ray.direction = grzVec3_Make(0, -10, 0), ray.isAll = true;
        memory.failAt = memory.requests + k;
        own.failAt = own.requests + k;
        const grzResult result = grzWorld_CastRay(world, &ray, hits);
        isDone = grzResult_IsOk(result);
        memory.failAt = own.failAt = SIZE_MAX;
        if (!isDone)
            mustRefuse(result, grz_outOfMemory, hits);
        must(grzWorld_CastRay(world, &ray, hits));
        assert_int_equal(grzWorldHits_GetView(hits).count, 3);
        grzWorldHits_Destroy(hits);
        grzWorld_Destroy(world);
        assert_int_equal(memory.liveCount + own.liveCount, 0);
    }
}

// ----------------------------------------------------------------------------------------------------------- threads

enum { THREADS = 4, QUESTIONS = 60 };

typedef struct Asker {
    grzWorld* world;
    uint64_t answers; // a sum over hits
    bool isGood;
} Asker;

static void* ask(void* context) {
    Asker* asker = context;
    grzRng rng = grzRng_Make(9, 9);
    grzWorldHits* hits;
    asker->isGood = grzResult_IsOk(grzWorldHits_Create((grzAllocator){0}, &hits));
    for (uint64_t i = 0; i < QUESTIONS && asker->isGood; ++i) {
        grzWorldRay ray = randomRay(&rng);
        ray.isAll = i % 2 != 0;
        const grzVec3 half = grzVec3_Splat(0.7f);
        asker->isGood = grzResult_IsOk(
            i % 3 == 2 ? grzWorld_OverlapBox(asker->world,
                                             grzBox_Make(grzSub(ray.origin, half), grzAdd(ray.origin, half)), hits)
                       : grzWorld_CastRay(asker->world, &ray, hits));
        const grzWorldHitsView found = grzWorldHits_GetView(hits);
        for (size_t k = 0; k < found.count; ++k) {
            uint32_t bits;
            memcpy(&bits, &found.hits[k].t, sizeof bits);
            asker->answers = asker->answers * 31 + bits + found.hits[k].body.index1 + i * found.hits[k].triangle;
        }
    }
    grzWorldHits_Destroy(hits);
    return NULL;
}

static void test_threads(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(744, 0);
    Known known;
    fillKnown(&known, &rng);
    for (int step = 0; step < 3; ++step) {
        stepWorld(known.world, 5);
        Asker askers[THREADS] = {0};
        pthread_t threads[THREADS];
        for (int i = 0; i < THREADS; ++i) {
            askers[i].world = known.world;
            assert_int_equal(pthread_create(&threads[i], NULL, ask, &askers[i]), 0);
        }
        for (int i = 0; i < THREADS; ++i)
            pthread_join(threads[i], NULL);
        for (int i = 0; i < THREADS; ++i) {
            assert_true(askers[i].isGood);
            assert_true(askers[i].answers != 0 && askers[i].answers == askers[0].answers);
        }
    }
    grzWorld_Destroy(known.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rays),
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_views),
        cmocka_unit_test(test_cornersOfBoxes),
        cmocka_unit_test(test_cameras),
        cmocka_unit_test(test_boxesHoldBodies),
        cmocka_unit_test(test_defaultRaysHaveNoEnd),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_changesInBetween),
        cmocka_unit_test(test_queriesWithoutMemory),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, makeWorldKit, destroyWorldKit);
}
