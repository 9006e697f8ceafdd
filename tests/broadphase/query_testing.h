// What the tests of the tree's queries share: scenes, random queries, and what each query must answer, by asking
// every object in plain C.
#ifndef GRAZE_TESTS_QUERY_TESTING_H
#define GRAZE_TESTS_QUERY_TESTING_H

#include "testing.h"

#include "graze/tree_query.h"
#include "rng.h"

typedef enum Distribution {
    test_uniform,
    test_clustered,
    test_line,
    test_allEqual,
    test_points, // boxes of size zero
    test_mixed,  // huge beside tiny
    test_far,    // coordinates at 1e6
    test_distributionCount,
} Distribution;

typedef struct SceneObject {
    grzTreeObject object; // as the tree stores it
    grzTreeId id;
    bool isThere;
} SceneObject;

// A tree, and what must be in it.
typedef struct Scene {
    grzTree* tree;
    SceneObject* objects;
    uint32_t count;
    Distribution distribution;
    grzRng rng;
} Scene;

// With objects 0 .. count - 1, whose keys are unlike their indices.
Scene testMakeScene(const grzTreeDef* def, Distribution distribution, uint32_t count, uint64_t seed);
void testDestroyScene(Scene* scene);
// Removes, moves and adds some.
void testStirScene(Scene* scene);
// Gives the objects categories and masks of a few bits.
grzTreeObject testRandomObject(Scene* scene, uint32_t key);

float testUniform(grzRng* rng, float lower, float upper);
grzVec3 testRandomPoint(const Scene* scene, grzRng* rng);
grzBox testRandomBox(const Scene* scene, grzRng* rng);
// Any kind and pick, ordinary and odd. `halfSpaces` must live as long as the query.
grzTreeQuery testRandomQuery(const Scene* scene, grzRng* rng, grzHalfSpace halfSpaces[GRZ_MAX_HALF_SPACES]);

typedef struct ExpectedHit {
    float value;
    uint32_t key;
} ExpectedHit;

// Whether one object, by its box alone, is met; by the arithmetic of query_search.h.
bool testMeets(const grzTreeQuery* query, grzBox box, float* value);
// All that are met, in key order; the closest where the query asks for them; for grz_pickAny all. Returns how many
// were written to `hits`, which has room for all objects.
size_t testExpect(const Scene* scene, const grzTreeQuery* query, ExpectedHit* hits);
// Fails unless the view's hits of query i are what is expected.
void testCompare(const Scene* scene, const grzTreeQuery* query, grzTreeHitsView view, size_t i,
                 ExpectedHit* scratch);

#endif
