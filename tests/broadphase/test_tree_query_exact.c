// Queries of the dynamic AABB tree against exact arithmetic: nothing that is truly met is missed, at any magnitude;
// what is found wrongly is off by no more than graze/tree_query.h says; and so are times and distances.
//
// Scenes are of whole numbers times a power of two, so that floats hold them exactly, 64-bit integers decide, and
// touches are many.
#include "query_testing.h"

#include <float.h>
#include <math.h>

enum { objectCount = 60, queryCount = 40, sceneCount = 120 };

typedef struct WholeBox {
    int64_t lower[3], upper[3];
} WholeBox;

// Numbers below stand for themselves times 2^placeScale (places) or 2^wayScale (directions).
typedef struct WholeScene {
    grzTree* tree;
    grzTreeHits* hits;
    grzRng rng;
    WholeBox boxes[objectCount];
    int placeScale, wayScale;
} WholeScene;

static int64_t wholeIn(grzRng* rng, int64_t lower, int64_t upper) {
    return lower + (int64_t)grzRng_Below(rng, (uint32_t)(upper - lower + 1));
}

static grzVec3 scaled(const int64_t whole[3], int scale) {
    return grzVec3_Make(ldexpf((float)whole[0], scale), ldexpf((float)whole[1], scale),
                        ldexpf((float)whole[2], scale));
}

static WholeBox randomBox(grzRng* rng, int64_t range, int64_t size) {
    WholeBox box;
    for (int axis = 0; axis < 3; ++axis) {
        box.lower[axis] = wholeIn(rng, -range, range);
        box.upper[axis] = box.lower[axis] + wholeIn(rng, 0, size);
    }
    return box;
}

static grzBox floatBox(const WholeScene* scene, const WholeBox* box) {
    return grzBox_Make(scaled(box->lower, scene->placeScale), scaled(box->upper, scene->placeScale));
}

static WholeScene makeScene(uint64_t seed, int placeScale, int wayScale) {
    WholeScene scene = {.rng = grzRng_Make(seed, 9), .placeScale = placeScale, .wayScale = wayScale};
    grzTreeDef def = grzDefaultTreeDef();
    def.splitThreshold = 4;
    def.nesting = (grzNesting)(seed % 6);
    assert_int_equal(grzTree_Create(&def, &scene.tree).status, grz_ok);
    assert_int_equal(grzTreeHits_Create((grzAllocator){0}, &scene.hits).status, grz_ok);
    // Small ranges make touches at corners and edges, large ones the odd fractions.
    int64_t range = seed % 2 == 0 ? 12 : 30000;
    for (uint32_t i = 0; i < objectCount; ++i) {
        scene.boxes[i] = randomBox(&scene.rng, range, range / 3);
        grzTreeObject object = grzDefaultTreeObject();
        object.box = floatBox(&scene, &scene.boxes[i]);
        object.key = i;
        grzTreeId id;
        assert_int_equal(grzTree_Insert(scene.tree, &object, &id).status, grz_ok);
    }
    return scene;
}

static void endScene(WholeScene* scene) {
    grzTree_Destroy(scene->tree);
    grzTreeHits_Destroy(scene->hits);
}

// The answer by key: whether it is a hit, and its value.
typedef struct Answer {
    bool isHit[objectCount];
    float value[objectCount];
} Answer;

static Answer answerOf(WholeScene* scene, const grzTreeQuery* query) {
    Answer answer = {.isHit = {false}};
    assert_int_equal(grzTree_Find(scene->tree, query, scene->hits).status, grz_ok);
    grzTreeHitsView view = grzTreeHits_GetView(scene->hits);
    for (size_t i = 0; i < view.count; ++i) {
        answer.isHit[view.keys[i]] = true;
        answer.value[view.keys[i]] = view.values != NULL ? view.values[i] : 0;
    }
    return answer;
}

// ------------------------------------------------------------------------------------------------------- rays

typedef struct Fraction {
    int64_t over, under; // under > 0
} Fraction;

static bool isAtMost(Fraction a, Fraction b) {
    return a.over * b.under <= b.over * a.under;
}

typedef struct Interval {
    Fraction entry, exit;
    bool isEmpty;
} Interval;

// When a box moved along a way meets another, from 0 on, in units of 2^(placeScale - wayScale).
static Interval meeting(const WholeBox* box, const WholeBox* moved, const int64_t way[3]) {
    Interval interval = {{0, 1}, {INT32_MAX, 1}, false};
    for (int axis = 0; axis < 3; ++axis) {
        int64_t to = box->lower[axis] - moved->upper[axis], from = box->upper[axis] - moved->lower[axis];
        if (way[axis] == 0) {
            interval.isEmpty |= to > 0 || from < 0;
            continue;
        }
        Fraction entry = way[axis] > 0 ? (Fraction){to, way[axis]} : (Fraction){-from, -way[axis]};
        Fraction exit = way[axis] > 0 ? (Fraction){from, way[axis]} : (Fraction){-to, -way[axis]};
        if (isAtMost(interval.entry, entry))
            interval.entry = entry;
        if (isAtMost(exit, interval.exit))
            interval.exit = exit;
    }
    return interval;
}

static double timeOf(const WholeScene* scene, Fraction fraction) {
    return ldexp((double)fraction.over / (double)fraction.under, scene->placeScale - scene->wayScale);
}

static void checkRayHit(const WholeScene* scene, const Interval* interval, bool isHit, float value, float reach) {
    double entry = timeOf(scene, interval->entry), exit = timeOf(scene, interval->exit);
    double most = reach < FLT_MAX ? (double)reach : (double)FLT_MAX;
    bool isTrue = !interval->isEmpty && isAtMost(interval->entry, interval->exit) && entry <= most;
    if (isTrue) {
        assert_true(isHit);
        assert_true((double)value <= entry * (1 + 1e-15) + 1e-45);
        assert_true((double)value >= entry * (1 - 1e-6) - 1e-44);
    } else if (isHit) {
        assert_false(interval->isEmpty);
        assert_true(entry <= exit + 1e-6 * fabs(exit) + 3 * (double)FLT_MIN);
        assert_true((double)value <= most);
    }
}

static void castInScene(WholeScene* scene, int64_t size) {
    int64_t range = 1 + (int64_t)grzRng_Below(&scene->rng, 2) * 400;
    WholeBox moved = randomBox(&scene->rng, 40 * range, size);
    int64_t way[3];
    for (int axis = 0; axis < 3; ++axis)
        way[axis] = wholeIn(&scene->rng, -4 * range, 4 * range);
    grzTreeQuery query = grzMakeCastQuery(floatBox(scene, &moved), scaled(way, scene->wayScale), grz_pickAll);
    query.reach = INFINITY;
    if (size == 0)
        query = grzMakeRayQuery(query.box.lower, query.direction, INFINITY, grz_pickAll);
    // Reaches that just suffice for some object.
    Interval first = meeting(&scene->boxes[0], &moved, way);
    if (!first.isEmpty && isAtMost((Fraction){0, 1}, first.entry) && grzRng_Below(&scene->rng, 2) == 0)
        query.reach = nextafterf((float)timeOf(scene, first.entry), INFINITY);
    Answer answer = answerOf(scene, &query);
    for (uint32_t i = 0; i < objectCount; ++i) {
        Interval interval = meeting(&scene->boxes[i], &moved, way);
        checkRayHit(scene, &interval, answer.isHit[i], answer.value[i], query.reach);
    }
}

static void noRayOrMovingBoxMissesWhatItTouches(void** state) {
    (void)state;
    uint64_t seed = testSeed(11);
    grzRng rng = grzRng_Make(seed, 1);
    for (int i = 0; i < sceneCount; ++i) {
        // Places down to denormals and up to where differences overflow; directions as far as they are normal.
        int placeScale = i % 3 == 0 ? 0 : (int)wholeIn(&rng, -149, 112);
        int wayScale = i % 3 == 0 ? 0 : (int)wholeIn(&rng, -126, 116);
        WholeScene scene = makeScene(++seed, placeScale, wayScale);
        for (int k = 0; k < queryCount; ++k)
            castInScene(&scene, k % 2 == 0 ? 0 : 7);
        endScene(&scene);
    }
}

// ----------------------------------------------------------------------------------------------------- spheres

static int64_t squaredDistance(const WholeBox* box, const int64_t point[3]) {
    int64_t sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
        int64_t below = box->lower[axis] - point[axis], above = point[axis] - box->upper[axis];
        int64_t gap = below > above ? below : above;
        sum += gap > 0 ? gap * gap : 0;
    }
    return sum;
}

static void sphereInScene(WholeScene* scene) {
    int64_t point[3], reach = wholeIn(&scene->rng, 0, grzRng_Below(&scene->rng, 2) == 0 ? 20 : 60000);
    for (int axis = 0; axis < 3; ++axis)
        point[axis] = wholeIn(&scene->rng, -20, 20);
    grzTreeQuery query = grzMakeNearestQuery(scaled(point, scene->placeScale), 1);
    query.pick = grz_pickAll;
    query.reach = ldexpf((float)reach, scene->placeScale);
    Answer answer = answerOf(scene, &query);
    for (uint32_t i = 0; i < objectCount; ++i) {
        double square = (double)squaredDistance(&scene->boxes[i], point);
        double distance = ldexp(sqrt(square), scene->placeScale);
        if (square <= (double)(reach * reach))
            assert_true(answer.isHit[i]);
        else if (answer.isHit[i] && query.reach < 1e19f) // beyond, squares are infinite
            assert_true(sqrt(square) <= (double)reach * (1 + 1e-6) + ldexp(1, -70 - scene->placeScale));
        if (answer.isHit[i] && distance >= 1e-18 && distance < 1e19)
            assert_true(fabs((double)answer.value[i] - distance) <= 1e-6 * distance);
    }
}

static void noSphereMissesWhatItTouches(void** state) {
    (void)state;
    uint64_t seed = testSeed(21);
    grzRng rng = grzRng_Make(seed, 1);
    for (int i = 0; i < sceneCount; ++i) {
        WholeScene scene = makeScene(++seed, i % 2 == 0 ? 0 : (int)wholeIn(&rng, -149, 112), 0);
        for (int k = 0; k < queryCount; ++k)
            sphereInScene(&scene);
        endScene(&scene);
    }
}

// ----------------------------------------------------------------------------------------------------- volumes

enum { planeCount = 3 };

static void volumeInScene(WholeScene* scene) {
    grzHalfSpace halfSpaces[planeCount];
    int64_t normals[planeCount][3], offsets[planeCount];
    for (int i = 0; i < planeCount; ++i) {
        for (int axis = 0; axis < 3; ++axis)
            normals[i][axis] = wholeIn(&scene->rng, -9, 9);
        // Through a corner of some box, or near.
        const WholeBox* box = &scene->boxes[grzRng_Below(&scene->rng, objectCount)];
        offsets[i] = wholeIn(&scene->rng, -1, 1);
        for (int axis = 0; axis < 3; ++axis)
            offsets[i] += normals[i][axis] * (normals[i][axis] > 0 ? box->lower[axis] : box->upper[axis]);
        halfSpaces[i].normal = scaled(normals[i], scene->wayScale);
        halfSpaces[i].offset = ldexpf((float)offsets[i], scene->placeScale + scene->wayScale);
    }
    grzTreeQuery query = grzMakeVolumeQuery(halfSpaces, planeCount);
    Answer answer = answerOf(scene, &query);
    for (uint32_t k = 0; k < objectCount; ++k) {
        bool isOutside = false, isFarOutside = false;
        for (int i = 0; i < planeCount; ++i) {
            int64_t height = 0, largest = 0;
            for (int axis = 0; axis < 3; ++axis) {
                int64_t n = normals[i][axis];
                int64_t term = n * (n > 0 ? scene->boxes[k].lower[axis] : scene->boxes[k].upper[axis]);
                height += term;
                largest = llabs(term) > largest ? llabs(term) : largest;
            }
            isOutside |= height > offsets[i];
            double slack = 2e-6 * (double)largest + ldexp(2, -126 - scene->placeScale - scene->wayScale);
            isFarOutside |= (double)height > (double)offsets[i] + slack;
        }
        if (!isOutside)
            assert_true(answer.isHit[k]);
        if (isFarOutside && scene->wayScale >= -126) // denormal normals have few digits
            assert_false(answer.isHit[k]);
    }
}

static void noVolumeMissesWhatItTouches(void** state) {
    (void)state;
    uint64_t seed = testSeed(31);
    grzRng rng = grzRng_Make(seed, 1);
    for (int i = 0; i < sceneCount; ++i) {
        // Products stay below FLT_MAX; offsets are exact down to denormals.
        int placeScale = i % 2 == 0 ? 0 : (int)wholeIn(&rng, -110, 90);
        int wayScale = i % 2 == 0 ? 0 : (int)wholeIn(&rng, -149 - (placeScale < 0 ? placeScale : 0), 0);
        WholeScene scene = makeScene(++seed, placeScale, wayScale);
        for (int k = 0; k < queryCount; ++k)
            volumeInScene(&scene);
        endScene(&scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noRayOrMovingBoxMissesWhatItTouches),
        cmocka_unit_test(noSphereMissesWhatItTouches),
        cmocka_unit_test(noVolumeMissesWhatItTouches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
