// What the tests of the tree's queries share; see the header.
#include "query_testing.h"

#include <float.h>
#include <math.h>

#include "query_search.h"

float testUniform(grzRng* rng, float lower, float upper) {
    return lower + (upper - lower) * grzRng_Float(rng);
}

// ------------------------------------------------------------------------------------------------------ scenes

static grzVec3 pointIn(grzRng* rng, float lower, float upper) {
    float x = testUniform(rng, lower, upper), y = testUniform(rng, lower, upper);
    return grzVec3_Make(x, y, testUniform(rng, lower, upper));
}

grzVec3 testRandomPoint(const Scene* scene, grzRng* rng) {
    switch (scene->distribution) {
    case test_clustered: {
        grzRng cluster = grzRng_Make(grzRng_Below(rng, 5), 77);
        return grzAdd(pointIn(&cluster, 0, 100), pointIn(rng, -2, 2));
    }
    case test_line:
        return grzVec3_Make(testUniform(rng, 0, 100), 3, 5);
    case test_allEqual:
        return grzRng_Below(rng, 2) == 0 ? grzVec3_Make(10, 10, 10) : pointIn(rng, 0, 20);
    case test_far:
        return grzAdd(grzVec3_Make(1e6f, -1e6f, 1e6f), pointIn(rng, 0, 50));
    case test_uniform:
    case test_points:
    case test_mixed:
    case test_distributionCount:
        break;
    }
    return pointIn(rng, 0, 100);
}

grzBox testRandomBox(const Scene* scene, grzRng* rng) {
    grzVec3 half = pointIn(rng, 0.5f, 5);
    grzVec3 center = testRandomPoint(scene, rng);
    if (scene->distribution == test_points)
        half = grzVec3_Zero();
    if (scene->distribution == test_mixed && grzRng_Below(rng, 8) == 0)
        half = pointIn(rng, 10, 100);
    else if (scene->distribution == test_mixed)
        half = grzScale(half, 0.01f);
    // Whole numbers make boxes that touch.
    if (grzRng_Below(rng, 2) == 0) {
        center = grzVec3_Make(rintf(center.x), rintf(center.y), rintf(center.z));
        half = grzVec3_Make(rintf(half.x), rintf(half.y), rintf(half.z));
    }
    return grzBox_Make(grzSub(center, half), grzAdd(center, half));
}

grzTreeObject testRandomObject(Scene* scene, uint32_t key) {
    grzTreeObject object = grzDefaultTreeObject();
    object.box = testRandomBox(scene, &scene->rng);
    if (scene->distribution == test_allEqual)
        object.box = grzBox_Make(grzVec3_Make(9, 9, 9), grzVec3_Make(11, 11, 11));
    object.key = key;
    return object;
}

static void addObject(Scene* scene, uint32_t i) {
    SceneObject* o = &scene->objects[i];
    o->object = testRandomObject(scene, i * 2654435761u);
    assert_int_equal(grzTree_Insert(scene->tree, &o->object, &o->id).status, grz_ok);
    assert_true(grzTree_Get(scene->tree, o->id, &o->object));
    o->isThere = true;
}

Scene testMakeScene(const grzTreeDef* def, Distribution distribution, uint32_t count, uint64_t seed) {
    Scene scene = {.count = count, .distribution = distribution, .rng = grzRng_Make(seed, 3)};
    assert_int_equal(grzTree_Create(def, &scene.tree).status, grz_ok);
    scene.objects = calloc(count + 1, sizeof *scene.objects);
    assert_non_null(scene.objects);
    for (uint32_t i = 0; i < count; ++i)
        addObject(&scene, i);
    return scene;
}

void testDestroyScene(Scene* scene) {
    grzTree_Destroy(scene->tree);
    free(scene->objects);
}

void testStirScene(Scene* scene) {
    for (uint32_t i = 0; i < scene->count; ++i) {
        SceneObject* o = &scene->objects[i];
        uint32_t dice = grzRng_Below(&scene->rng, 6);
        if (!o->isThere && dice < 3) {
            addObject(scene, i);
        } else if (o->isThere && dice == 0) {
            assert_int_equal(grzTree_Remove(scene->tree, o->id).status, grz_ok);
            o->isThere = false;
        } else if (o->isThere && dice < 3) {
            grzBox box = testRandomObject(scene, 0).box;
            assert_int_equal(grzTree_Update(scene->tree, o->id, box).status, grz_ok);
            assert_true(grzTree_Get(scene->tree, o->id, &o->object));
        }
    }
}

// ----------------------------------------------------------------------------------------------------- queries

static grzVec3 randomDirection(grzRng* rng) {
    grzVec3 direction = pointIn(rng, -1, 1);
    uint32_t dice = grzRng_Below(rng, 8);
    if (dice == 0)
        direction = grzVec3_Make(rintf(direction.x), rintf(direction.y), rintf(direction.z)); // zeros, all perhaps
    if (dice == 1)
        direction = grzScale(direction, 1e-20f);
    if (dice == 2)
        direction.y *= 1e-40f; // a denormal component
    return direction;
}

static grzTreeQuery randomRay(const Scene* scene, grzRng* rng, grzQueryPick pick) {
    grzTreeQuery query = grzMakeRayQuery(testRandomPoint(scene, rng), randomDirection(rng), INFINITY, pick);
    if (grzRng_Below(rng, 2) == 0)
        query.reach = testUniform(rng, 0, 60);
    return query;
}

static grzTreeQuery randomCast(const Scene* scene, grzRng* rng, grzQueryPick pick) {
    grzVec3 way = grzScale(randomDirection(rng), 40);
    return grzMakeCastQuery(testRandomBox(scene, rng), way, pick);
}

static grzTreeQuery randomVolume(const Scene* scene, grzRng* rng, grzHalfSpace* halfSpaces) {
    uint32_t count = grzRng_Below(rng, 4) == 0 ? grzRng_Below(rng, GRZ_MAX_HALF_SPACES + 1) : 6;
    grzVec3 middle = testRandomPoint(scene, rng);
    for (uint32_t i = 0; i < count; ++i) {
        grzVec3 normal = grzRng_Below(rng, 3) != 0 ? pointIn(rng, -1, 1) : randomDirection(rng);
        halfSpaces[i] = (grzHalfSpace){normal, grzDot(normal, middle) + testUniform(rng, 0, 40)};
    }
    return grzMakeVolumeQuery(halfSpaces, count);
}

static grzTreeQuery randomOverlap(const Scene* scene, grzRng* rng, grzHalfSpace* halfSpaces) {
    switch (grzRng_Below(rng, 3)) {
    case 0: {
        grzBox box = testRandomBox(scene, rng);
        return grzMakeBoxQuery(grzRng_Below(rng, 2) == 0 ? box : grzBox_Expand(box, testUniform(rng, 0, 40)));
    }
    case 1: {
        float radius = testUniform(rng, 0, 30);
        return grzMakeSphereQuery(testRandomPoint(scene, rng), grzRng_Below(rng, 9) == 0 ? INFINITY : radius);
    }
    default:
        return randomVolume(scene, rng, halfSpaces);
    }
}

static grzTreeQuery randomNearest(const Scene* scene, grzRng* rng, grzQueryPick pick) {
    grzTreeQuery query = grzMakeNearestQuery(testRandomPoint(scene, rng), 1 + grzRng_Below(rng, 12));
    query.pick = pick;
    if (grzRng_Below(rng, 2) == 0)
        query.reach = testUniform(rng, 0, 40);
    if (grzRng_Below(rng, 10) == 0)
        query.count = grzRng_Below(rng, 2) * 100000;
    return query;
}

grzTreeQuery testRandomQuery(const Scene* scene, grzRng* rng, grzHalfSpace halfSpaces[GRZ_MAX_HALF_SPACES]) {
    grzQueryPick pick = (grzQueryPick)grzRng_Below(rng, 3);
    uint32_t dice = grzRng_Below(rng, 6);
    grzTreeQuery query = dice == 0   ? randomCast(scene, rng, pick)
                         : dice == 1 ? randomNearest(scene, rng, pick)
                         : dice == 2 ? randomRay(scene, rng, pick)
                                     : randomOverlap(scene, rng, halfSpaces);
    if (dice > 2)
        query.pick = grzRng_Below(rng, 4) == 0 ? grz_pickAny : grz_pickAll;
    else if (grzRng_Below(rng, 3) == 0)
        query.count = 1 + grzRng_Below(rng, 20);
    query.order = (grzQueryOrder)grzRng_Below(rng, 2);
    return query;
}

// ---------------------------------------------------------------------------------------------------- reference

static void sidesOf(grzBox box, float sides[6]) {
    for (int axis = 0; axis < 3; ++axis) {
        sides[axis] = grzVec3_Get(box.lower, axis);
        sides[axis + 3] = grzVec3_Get(box.upper, axis);
    }
}

static bool rayMeets(const QueryRay* ray, const float sides[6], float* value) {
    float entry = 0, exit = INFINITY;
    for (int axis = 0; axis < 3; ++axis) {
        float to = (sides[ray->entrySide[axis]] - ray->entryFrom[axis]) * ray->entryInverse[axis];
        float from = (sides[ray->exitSide[axis]] - ray->exitFrom[axis]) * ray->exitInverse[axis];
        if (to > ray->entryMost[axis])
            to = ray->entryMost[axis];
        if (to > entry)
            entry = to;
        if (from < exit)
            exit = from;
    }
    *value = entry;
    return entry <= exit + FLT_MIN && entry <= ray->reach;
}

static bool ballMeets(const QueryBall* ball, const float sides[6], float* value) {
    float squares[3];
    for (int axis = 0; axis < 3; ++axis) {
        float below = sides[axis] - ball->center[axis], above = ball->center[axis] - sides[axis + 3];
        float gap = below > above ? below : above;
        squares[axis] = gap > 0 ? gap * gap : 0;
    }
    float sum = squares[0] + squares[1] + squares[2];
    *value = sqrtf(sum);
    return sum <= ball->reachSq;
}

static bool planesMeet(const QueryShape* shape, const float sides[6]) {
    for (uint32_t i = 0; i < shape->planeCount; ++i) {
        const QueryPlane* plane = &shape->planes[i];
        float terms[3];
        for (int axis = 0; axis < 3; ++axis) {
            float corner = sides[plane->deepSide[axis]];
            float a = corner * plane->less[axis], b = corner * plane->more[axis];
            terms[axis] = a < b ? a : b;
        }
        if (terms[0] + terms[1] + terms[2] > plane->offset)
            return false;
    }
    return true;
}

bool testMeets(const grzTreeQuery* query, grzBox box, float* value) {
    QueryShape shape;
    grzQueryMakeShape(query, &shape);
    float sides[6];
    sidesOf(box, sides);
    *value = 0;
    switch (query->kind) {
    case grz_noQuery:
        break;
    case grz_queryBox:
        return grzBox_Overlap(query->box, box);
    case grz_querySphere: {
        float distance;
        return ballMeets(&shape.ball, sides, &distance);
    }
    case grz_queryPoint:
        return ballMeets(&shape.ball, sides, value);
    case grz_queryVolume:
        return planesMeet(&shape, sides);
    case grz_queryRay:
    case grz_queryCast:
        return rayMeets(&shape.ray, sides, value);
    }
    return false;
}

static int compareHits(const void* a, const void* b) {
    const ExpectedHit *hitA = a, *hitB = b;
    if (hitA->value < hitB->value || hitA->value > hitB->value)
        return hitA->value < hitB->value ? -1 : 1;
    return (hitA->key > hitB->key) - (hitA->key < hitB->key);
}

static bool isWantedBy(const grzTreeQuery* query, const grzTreeObject* object) {
    return (object->category & query->mask) != 0 && (query->category & object->mask) != 0 &&
           (query->filter == NULL || query->filter(query->filterContext, object->key));
}

size_t testExpect(const Scene* scene, const grzTreeQuery* query, ExpectedHit* hits) {
    size_t count = 0;
    for (uint32_t i = 0; i < scene->count; ++i) {
        const SceneObject* o = &scene->objects[i];
        if (!o->isThere || !testMeets(query, o->object.box, &hits[count].value) || !isWantedBy(query, &o->object))
            continue;
        hits[count++].key = o->object.key;
    }
    qsort(hits, count, sizeof *hits, compareHits);
    return query->pick == grz_pickClosest && count > query->count ? query->count : count;
}

// ---------------------------------------------------------------------------------------------------- comparing

// Hits in tree order are compared as a set.
static void compareAll(grzTreeHitsView view, size_t first, size_t count, const ExpectedHit* expected,
                       bool isSorted) {
    ExpectedHit* found = calloc(count + 1, sizeof *found);
    assert_non_null(found);
    for (size_t i = 0; i < count; ++i)
        found[i] = (ExpectedHit){view.values != NULL ? view.values[first + i] : 0, view.keys[first + i]};
    if (!isSorted)
        qsort(found, count, sizeof *found, compareHits);
    if (count != 0)
        assert_memory_equal(found, expected, count * sizeof *found);
    free(found);
}

static void compareAny(grzTreeHitsView view, size_t first, const ExpectedHit* expected, size_t expectedCount) {
    for (size_t i = 0; i < expectedCount; ++i) {
        bool isSameValue =
            view.values == NULL || memcmp(&view.values[first], &expected[i].value, sizeof(float)) == 0;
        if (expected[i].key == view.keys[first] && isSameValue)
            return;
    }
    fail_msg("a hit that is none: key %u", view.keys[first]);
}

void testCompare(const Scene* scene, const grzTreeQuery* query, grzTreeHitsView view, size_t i,
                 ExpectedHit* scratch) {
    size_t expectedCount = testExpect(scene, query, scratch);
    size_t first = view.starts[i], count = view.starts[i + 1] - first;
    if (query->pick == grz_pickAny) {
        assert_int_equal(count, expectedCount != 0);
        if (count != 0)
            compareAny(view, first, scratch, expectedCount);
        return;
    }
    assert_int_equal(count, expectedCount);
    compareAll(view, first, count, scratch, query->order == grz_keyOrder || query->pick == grz_pickClosest);
}
