// tree_nest.c: which object carries which tree, against a plain list; and the boxes of such objects, against
// corners transformed in double.
#include "testing.h"

#include <math.h>

#include "graze/tree_nest.h"
#include "rng.h"

// With one salt, ids depend on nothing but the order of calls: the object with an index has the same id in each tree.
static grzTreeId g_ids[8];

static grzTree* createTree(uint32_t objectCount, float size) {
    grzTreeDef def = grzDefaultTreeDef();
    def.splitThreshold = 8;
    def.idSalt = 1;
    grzTree* tree;
    assert_int_equal(grzTree_Create(&def, &tree).status, grz_ok);
    for (uint32_t i = 0; i < objectCount; ++i) {
        grzTreeObject object = grzDefaultTreeObject();
        grzVec3 p = grzVec3_Make((float)(i % 5), (float)(i / 5 % 5), (float)(i / 25));
        object.box = grzBox_Make(p, grzAdd(p, grzVec3_Splat(size)));
        object.key = i;
        grzTreeId id;
        assert_int_equal(grzTree_Insert(tree, &object, &id).status, grz_ok);
        assert_true(g_ids[i].index1 == 0 || g_ids[i].generation == id.generation);
        g_ids[i] = id;
    }
    return tree;
}

static grzTreeNest* createNest(void) {
    grzTreeNest* nest;
    assert_int_equal(grzTreeNest_Create((grzAllocator){0}, &nest).status, grz_ok);
    return nest;
}

static grzTransform shift(float x, float y, float z) {
    return grzTransform_Make(grzMat3_Identity(), grzVec3_Make(x, y, z));
}

static grzBox boxOf(const grzTree* tree, grzTreeId id) {
    grzTreeObject object;
    assert_true(grzTree_Get(tree, id, &object));
    return object.box;
}

static bool isNear(grzVec3 a, float x, float y, float z) {
    return fabsf(a.x - x) < 1e-4f && fabsf(a.y - y) < 1e-4f && fabsf(a.z - z) < 1e-4f;
}

static void boxesFollowFromTheInnermostOutward(void** state) {
    (void)state;
    grzTree *city = createTree(3, 1), *house = createTree(3, 1), *desk = createTree(1, 1);
    grzTreeId inCity = g_ids[1], inHouse = g_ids[2];
    grzTreeNest* nest = createNest();
    grzAttachmentId outer, inner;
    assert_int_equal(grzTreeNest_Attach(nest, city, inCity, house, shift(100, 0, 0), &outer).status, grz_ok);
    assert_int_equal(grzTreeNest_Attach(nest, house, inHouse, desk, shift(0, 50, 0), &inner).status, grz_ok);
    assert_true(isNear(boxOf(city, inCity).lower, 1, 0, 0)); // not yet
    assert_int_equal(grzTreeNest_Refit(nest).status, grz_ok);
    assert_true(isNear(boxOf(house, inHouse).lower, 0, 50, 0) && isNear(boxOf(house, inHouse).upper, 1, 51, 1));
    assert_true(isNear(boxOf(city, inCity).lower, 100, 0, 0) && isNear(boxOf(city, inCity).upper, 102, 51, 1));
    assert_int_equal(grzTreeNest_Move(nest, inner, shift(0, 0, 7)).status, grz_ok);
    assert_int_equal(grzTreeNest_Refit(nest).status, grz_ok);
    assert_true(isNear(boxOf(city, inCity).upper, 102, 1, 8));
    grzAttachment got;
    assert_true(grzTreeNest_Get(nest, inner, &got));
    assert_false(grzTreeNest_Get(nest, inner, NULL) || grzTreeNest_Get(NULL, inner, &got));
    assert_true(got.parent == house && got.child == desk && got.object.index1 == inHouse.index1);
    assert_true(isNear(got.frame.origin, 0, 0, 7));
    // What an empty tree is given is the frame's origin.
    assert_int_equal(grzTree_Remove(desk, g_ids[0]).status, grz_ok);
    assert_int_equal(grzTreeNest_Refit(nest).status, grz_ok);
    assert_true(isNear(boxOf(house, inHouse).lower, 0, 0, 7) && isNear(boxOf(house, inHouse).upper, 0, 0, 7));
    assert_true(grzTreeNest_Validate(nest) && grzTree_Validate(city) && grzTree_Validate(house));
    grzTreeNest_Destroy(nest);
    grzTree_Destroy(city), grzTree_Destroy(house), grzTree_Destroy(desk);
}

static void badCallsAreRefused(void** state) {
    (void)state;
    grzTree *a = createTree(4, 1), *b = createTree(4, 1), *c = createTree(4, 1);
    grzTreeNest* nest = createNest();
    grzAttachmentId ab, bc, id = {77, 7};
    grzTreeId first = g_ids[0], second = g_ids[1];
    assert_int_equal(grzTreeNest_Attach(nest, a, (grzTreeId){0}, b, shift(0, 0, 0), &id).status, grz_staleHandle);
    assert_int_equal(grzTreeNest_Attach(nest, a, first, b, shift(NAN, 0, 0), &id).status, grz_notFinite);
    assert_int_equal(grzTreeNest_Attach(nest, a, first, a, shift(0, 0, 0), &id).value, 4);
    assert_int_equal(grzTreeNest_Count(nest), 0);
    assert_true(grzTreeNest_Validate(nest));
    assert_int_equal(grzTreeNest_Attach(nest, a, first, b, shift(0, 0, 0), &ab).status, grz_ok);
    assert_int_equal(grzTreeNest_Attach(nest, b, first, c, shift(0, 0, 0), &bc).status, grz_ok);
    grzResult result = grzTreeNest_Attach(nest, c, first, a, shift(0, 0, 0), &id);
    assert_true(result.status == grz_badArgument && result.value == 4);
    assert_true(id.index1 == 77 && id.generation == 7);
    result = grzTreeNest_Attach(nest, a, first, c, shift(0, 0, 0), &id);
    assert_true(result.status == grz_badArgument && result.value == 3);
    assert_int_equal(grzTreeNest_Attach(nest, a, second, c, shift(0, 0, 0), &id).status, grz_ok); // no cycle
    assert_int_equal(grzTreeNest_Move(nest, ab, shift(0, INFINITY, 0)).status, grz_notFinite);
    assert_int_equal(grzTreeNest_Detach(nest, bc).status, grz_ok);
    assert_int_equal(grzTreeNest_Detach(nest, bc).status, grz_staleHandle);
    assert_int_equal(grzTreeNest_Move(nest, bc, shift(0, 0, 0)).status, grz_staleHandle);
    grzAttachment got;
    assert_false(grzTreeNest_Get(nest, bc, &got));
    assert_int_equal(grzTreeNest_Detach(nest, id).status, grz_ok);
    assert_int_equal(grzTreeNest_Attach(nest, c, first, a, shift(0, 0, 0), &id).status, grz_ok); // now c > a > b
    assert_true(grzTreeNest_Validate(nest));
    grzTreeNest_Destroy(nest);
    grzTreeNest_Destroy(NULL);
    grzAllocator half = {.release = grzDefaultAllocator().release};
    assert_int_equal(grzTreeNest_Create(half, &nest).status, grz_badArgument);
    assert_null(nest);
    grzTree_Destroy(a), grzTree_Destroy(b), grzTree_Destroy(c);
}

static void anObjectThatGoesEndsItsAttachment(void** state) {
    (void)state;
    grzTree *a = createTree(2, 1), *b = createTree(1, 1);
    grzTreeNest* nest = createNest();
    grzAttachmentId id, next;
    grzTreeId first = g_ids[0], again;
    assert_int_equal(grzTreeNest_Attach(nest, a, first, b, shift(0, 0, 0), &id).status, grz_ok);
    assert_int_equal(grzTree_Remove(a, first).status, grz_ok);
    // One of a removed object is no part of a cycle.
    assert_int_equal(grzTreeNest_Attach(nest, b, g_ids[0], a, shift(0, 0, 0), &next).status, grz_ok);
    assert_int_equal(grzTreeNest_Detach(nest, next).status, grz_ok);
    // The next object with its index may carry a tree.
    grzTreeObject object = grzDefaultTreeObject();
    assert_int_equal(grzTree_Insert(a, &object, &again).status, grz_ok);
    assert_int_equal(again.index1, first.index1);
    assert_int_equal(grzTreeNest_Attach(nest, a, again, b, shift(0, 0, 0), &next).status, grz_ok);
    assert_int_equal(grzTreeNest_Count(nest), 1);
    assert_int_equal(grzTree_Remove(a, again).status, grz_ok);
    assert_int_equal(grzTreeNest_Refit(nest).status, grz_ok);
    assert_int_equal(grzTreeNest_Count(nest), 0);
    assert_int_equal(grzTreeNest_Detach(nest, next).status, grz_staleHandle);
    assert_true(grzTreeNest_Validate(nest));
    grzTreeNest_Destroy(nest);
    grzTree_Destroy(a), grzTree_Destroy(b);
}

static void aBoxBeyondTheFloatsIsRefused(void** state) {
    (void)state;
    grzTree *a = createTree(1, 1), *b = createTree(1, 1), *c = createTree(1, 10);
    grzTreeNest* nest = createNest();
    grzAttachmentId ab, bc;
    grzTreeId first = g_ids[0];
    assert_int_equal(grzTreeNest_Attach(nest, a, first, b, shift(1, 0, 0), &ab).status, grz_ok);
    grzTransform large = grzTransform_Make(grzMat3_Diagonal(grzVec3_Splat(1e38f)), grzVec3_Zero());
    assert_int_equal(grzTreeNest_Attach(nest, b, first, c, large, &bc).status, grz_ok);
    grzResult result = grzTreeNest_Refit(nest);
    assert_true(result.status == grz_notFinite && result.index == bc.index1 - 1);
    assert_true(isNear(boxOf(b, first).upper, 1, 1, 1) && isNear(boxOf(a, first).upper, 1, 1, 1));
    assert_int_equal(grzTreeNest_Detach(nest, bc).status, grz_ok);
    assert_int_equal(grzTreeNest_Refit(nest).status, grz_ok);
    assert_true(isNear(boxOf(a, first).upper, 2, 1, 1));
    grzTreeNest_Destroy(nest);
    grzTree_Destroy(a), grzTree_Destroy(b), grzTree_Destroy(c);
}

// A thousand trees within each other, each a metre further on.
static void nestingMayBeDeep(void** state) {
    (void)state;
    enum { depth = 1000 };
    static grzTree* trees[depth];
    grzTreeNest* nest = createNest();
    grzAttachmentId id;
    for (int i = 0; i < depth; ++i)
        trees[i] = createTree(1, 1);
    grzTreeId first = g_ids[0];
    for (int i = 0; i + 1 < depth; ++i)
        assert_int_equal(grzTreeNest_Attach(nest, trees[i], first, trees[i + 1], shift(1, 0, 0), &id).status,
                         grz_ok);
    assert_int_equal(grzTreeNest_Attach(nest, trees[depth - 1], first, trees[0], shift(0, 0, 0), &id).value, 4);
    assert_int_equal(grzTreeNest_Refit(nest).status, grz_ok);
    assert_true(boxOf(trees[0], first).lower.x <= depth - 1 && boxOf(trees[0], first).upper.x >= depth);
    assert_true(boxOf(trees[0], first).upper.x < depth + 1);
    grzTreeNest_Destroy(nest);
    for (int i = 0; i < depth; ++i)
        grzTree_Destroy(trees[i]);
}

// ------------------------------------------------------------------------------------------------ a long life

enum { lifeTrees = 8, lifeObjects = 6 };

typedef struct LifeEdge {
    grzAttachmentId id; // null: none
    uint32_t child;
    grzTransform frame;
} LifeEdge;

typedef struct Life {
    grzTree* trees[lifeTrees];
    grzTreeNest* nest;
    LifeEdge edges[lifeTrees][lifeObjects];
} Life;

static bool lifeCarries(const Life* life, uint32_t from, uint32_t wanted) {
    if (from == wanted)
        return true;
    for (int i = 0; i < lifeObjects; ++i)
        if (life->edges[from][i].id.index1 != 0 && lifeCarries(life, life->edges[from][i].child, wanted))
            return true;
    return false;
}

static grzTransform randomFrame(grzRng* rng) {
    float r[12];
    for (int i = 0; i < 12; ++i)
        r[i] = 2 * grzRng_Float(rng) - 1;
    return grzTransform_Make(grzMat3_FromColumns(grzVec3_Make(r[0], r[1], r[2]), grzVec3_Make(r[3], r[4], r[5]),
                                                 grzVec3_Make(r[6], r[7], r[8])),
                             grzVec3_Make(r[9], r[10], r[11]));
}

// The box of an object that carries a tree holds all corners of that tree's objects, and little more.
static void checkObject(const Life* life, uint32_t parent, uint32_t object) {
    const LifeEdge* edge = &life->edges[parent][object];
    grzBox box = boxOf(life->trees[parent], g_ids[object]);
    double least[3] = {(double)INFINITY, (double)INFINITY, (double)INFINITY};
    const grzVec3 columns[4] = {edge->frame.basis.x, edge->frame.basis.y, edge->frame.basis.z, edge->frame.origin};
    grzBox root = grzBox_Empty();
    for (uint32_t i = 0; i < lifeObjects; ++i)
        root = grzBox_Union(root, boxOf(life->trees[edge->child], g_ids[i]));
    for (int corner = 0; corner < 8; ++corner) {
        for (int row = 0; row < 3; ++row) {
            double x = (double)grzVec3_Get(columns[3], row);
            for (int c = 0; c < 3; ++c)
                x += (double)grzVec3_Get(columns[c], row) *
                     (double)grzVec3_Get(corner >> c & 1 ? root.upper : root.lower, c);
            assert_true((double)grzVec3_Get(box.lower, row) <= x && x <= (double)grzVec3_Get(box.upper, row));
            least[row] = fmin(least[row], x);
        }
    }
    for (int row = 0; row < 3; ++row)
        assert_true(least[row] - (double)grzVec3_Get(box.lower, row) <= 1e-5 * (1 + fabs(least[row])));
}

static void lifeStep(Life* life, grzRng* rng) {
    uint32_t parent = grzRng_Below(rng, lifeTrees), child = grzRng_Below(rng, lifeTrees);
    uint32_t object = grzRng_Below(rng, lifeObjects);
    LifeEdge* edge = &life->edges[parent][object];
    grzTransform frame = randomFrame(rng);
    grzAttachmentId id;
    if (edge->id.index1 == 0) {
        bool isCycle = lifeCarries(life, child, parent);
        grzResult result =
            grzTreeNest_Attach(life->nest, life->trees[parent], g_ids[object], life->trees[child], frame, &id);
        assert_int_equal(result.status, isCycle ? grz_badArgument : grz_ok);
        if (!isCycle)
            *edge = (LifeEdge){id, child, frame};
    } else if (grzRng_Below(rng, 2) == 0) {
        assert_int_equal(grzTreeNest_Detach(life->nest, edge->id).status, grz_ok);
        edge->id = (grzAttachmentId){0, 0};
    } else {
        assert_int_equal(grzTreeNest_Move(life->nest, edge->id, frame).status, grz_ok);
        edge->frame = frame;
    }
}

static void aLongLifeAgreesWithAPlainList(void** state) {
    (void)state;
    static Life life;
    grzRng rng = grzRng_Make(testSeed(42), 0);
    life.nest = createNest();
    for (int i = 0; i < lifeTrees; ++i)
        life.trees[i] = createTree(lifeObjects, 1);
    for (int round = 0; round < 600; ++round) {
        lifeStep(&life, &rng);
        assert_true(grzTreeNest_Validate(life.nest));
        if (round % 10 != 0)
            continue;
        assert_int_equal(grzTreeNest_Refit(life.nest).status, grz_ok);
        uint32_t count = 0;
        for (uint32_t t = 0; t < lifeTrees; ++t) {
            for (uint32_t i = 0; i < lifeObjects; ++i) {
                if (life.edges[t][i].id.index1 == 0)
                    continue;
                count++;
                checkObject(&life, t, i);
            }
        }
        assert_int_equal(grzTreeNest_Count(life.nest), count);
    }
    grzTreeNest_Destroy(life.nest);
    for (int i = 0; i < lifeTrees; ++i)
        grzTree_Destroy(life.trees[i]);
}

static void refusedMemoryChangesNothing(void** state) {
    (void)state;
    grzTree *a = createTree(3, 1), *b = createTree(1, 1), *c = createTree(1, 1);
    for (size_t failAt = 0;; ++failAt) {
        TestMemory memory = {.failAt = failAt};
        grzTreeNest* nest;
        grzResult result = grzTreeNest_Create(testAllocator(&memory), &nest);
        uint32_t count = 0;
        for (uint32_t i = 0; i < 3 && grzResult_IsOk(result); ++i) {
            grzAttachmentId id;
            result = grzTreeNest_Attach(nest, a, g_ids[i], i % 2 == 0 ? b : c, shift(0, 0, 0), &id);
            count += grzResult_IsOk(result);
            assert_int_equal(grzTreeNest_Count(nest), count);
            assert_true(grzTreeNest_Validate(nest));
        }
        assert_true(grzResult_IsOk(result) || result.status == grz_outOfMemory);
        bool isWell = grzResult_IsOk(result);
        grzTreeNest_Destroy(nest);
        assert_int_equal(memory.liveCount, 0);
        if (isWell)
            break;
    }
    grzTree_Destroy(a), grzTree_Destroy(b), grzTree_Destroy(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxesFollowFromTheInnermostOutward),
        cmocka_unit_test(badCallsAreRefused),
        cmocka_unit_test(anObjectThatGoesEndsItsAttachment),
        cmocka_unit_test(aBoxBeyondTheFloatsIsRefused),
        cmocka_unit_test(nestingMayBeDeep),
        cmocka_unit_test(aLongLifeAgreesWithAPlainList),
        cmocka_unit_test(refusedMemoryChangesNothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
