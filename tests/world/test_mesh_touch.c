// Contacts of meshes against all pairs of triangles: manifolds of all of them for two meshes, distances of each for a shape and a
// mesh; every way of upkeep, any number of workers, warm steps, refused memory.
#include "convex_testing.h"
#include "model_query_testing.h"

#include <math.h>

#include "animated_body.h"
#include "body_ids.h"
#include "graze/manifold.h"
#include "graze/tri_tri.h"
#include "hash.h"
#include "mesh_shape.h"
#include "mesh_touch.h"
#include "record_sort.h"

enum { MESH_KINDS = 3, SLOTS = 12, MOST_TOUCH_PAIRS = SLOTS * SLOTS / 2, MOST_TRIANGLES = 160 };

typedef struct Scene {
    grzMesh* meshes[MESH_KINDS];
    grzMeshShape* shapes[MESH_KINDS];
    grzCollider colliders[SLOTS];
    grzMeshPair pairs[MOST_TOUCH_PAIRS];
    uint32_t pairCount;
} Scene;

// 0: none. 1, 2: animated. 3 to 7: rigid meshes. 8 on: shapes. Near each other, so that most of them meet.
static void fillScene(Scene* scene, uint32_t ways, double phase) {
    static const ShapeKind kinds[MESH_KINDS] = {shapeTorus, shapeSphere, shapeBox};
    static const size_t counts[MESH_KINDS] = {128, 80, 48};
    const grzAllocator allocator = grzDefaultAllocator();
    memset(scene, 0, sizeof *scene);
    for (int i = 0; i < MESH_KINDS; ++i) {
        MeshData data;
        assert_true(grzResult_IsOk(makeShape(kinds[i], counts[i], grzDefaultAllocator(), &data)));
        grzMeshDef def = MeshData_Def(&data);
        assert_true(grzResult_IsOk(grzMesh_Create(&def, &scene->meshes[i])));
        assert_true(grzResult_IsOk(grzMeshShape_Create(scene->meshes[i], (grzAllocator){0}, &scene->shapes[i])));
        assert_true(grzMesh_GetView(scene->meshes[i]).triangleCount <= MOST_TRIANGLES);
        MeshData_Release(&data);
    }
    for (uint32_t slot = 1; slot < SLOTS; ++slot) {
        grzCollider* collider = &scene->colliders[slot];
        collider->id = idOfSlot(slot);
        collider->body = grz_dynamicBody;
        const grzMat3 turn = drawRotation(); // in this order with every compiler
        collider->pose = grzTransform_Make(turn, drawVector(1.2f));
        collider->isTwoSided = slot % 2 == 0;
        collider->kind = slot < 3 ? grz_animatedCollider : slot < 8 ? grz_meshCollider : grz_convexCollider;
        if (slot < 3) {
            grzAnimatedDef def = grzDefaultAnimatedDef();
            static float positions[3 * 1000];
            def.mesh = scene->meshes[slot - 1], def.ways = ways;
            assert_true(grzResult_IsOk(grzAnimatedBody_Create(&def, 0, NULL, &allocator, &collider->animated)));
            const grzMeshView view = grzMesh_GetView(def.mesh);
            for (uint32_t i = 0; i < view.vertexCount; ++i) {
                const grzVec3 p =
                    grzTransform_Apply(collider->pose, grzVec3_Load(view.positions32 + 3 * (size_t)i));
                grzVec3_Store(positions + 3 * (size_t)i, grzScale(p, 1 + 0.1f * grzSin(5 * p.x)));
            }
            collider->pose = grzTransform_Identity();
            assert_true(grzResult_IsOk(grzAnimatedBody_AddKeyframe(collider->animated, 0, 1, positions)));
            for (int step = 1; step <= 4; ++step)
                assert_true(grzResult_IsOk(grzAnimatedBody_Advance(collider->animated, NULL, phase * step / 4)));
        } else if (slot < 8) {
            collider->mesh = scene->shapes[slot % MESH_KINDS];
        } else {
            collider->shape = slot == 8 ? grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.4f)) : anyShape(&g_rng);
        }
    }
    for (uint32_t a = 0; a < SLOTS; ++a)
        for (uint32_t b = a + 1; b < SLOTS; ++b)
            scene->pairs[scene->pairCount++] = (grzMeshPair){.rowA = a, .rowB = b, .margin = 0.02f, .slack = 0.02f};
}

static void freeScene(Scene* scene) {
    for (uint32_t slot = 0; slot < SLOTS; ++slot)
        if (scene->colliders[slot].kind == grz_animatedCollider)
            grzAnimatedBody_Destroy(scene->colliders[slot].animated);
    for (int i = 0; i < MESH_KINDS; ++i) {
        grzMeshShape_Destroy(scene->shapes[i]);
        grzMesh_Destroy(scene->meshes[i]);
    }
}

static grzMeshTouchStep stepOf(const Scene* scene, grzTasks* tasks) {
    const grzMeshTouchStep step = {
        scene->colliders, SLOTS, scene->pairs, scene->pairCount, tasks, NULL, NULL, NULL, 0};
    return step;
}

static grzMeshTouches* makeTouches(void) {
    grzMeshTouches* touches;
    assert_true(grzResult_IsOk(grzMeshTouches_Create((grzAllocator){0}, &touches)));
    return touches;
}

static grzResult findTouches(grzMeshTouches* touches, const grzMeshTouchStep* step) {
    const grzResult result = grzMeshTouches_FindCandidates(touches, step);
    if (grzResult_IsOk(result)) { // and no contacts so far
        assert_int_equal(grzMeshTouches_GetView(touches).pairCount, 0);
        uint64_t count = 0;
        for (uint32_t i = 0; i < step->pairCount; ++i)
            count += grzMeshTouches_GetCandidates(touches, i).count;
        assert_int_equal(count, grzMeshTouches_GetView(touches).pairTests);
    }
    return grzResult_IsOk(result) ? grzMeshTouches_FindContacts(touches, step) : result;
}

// All contacts of a step, one pair after the other. Good until the step after the next one.
typedef struct Found {
    const grzContact* contacts;
    const size_t* starts;
    size_t pairCount;
    uint64_t shapeTests, pairTests;
} Found;

static Found readAll(const grzMeshTouches* touches, const grzMeshTouchStep* step) {
    static grzContact buffers[2][20000];
    static uint32_t turn;
    grzContact* contacts = buffers[turn++ % 2];
    const grzMeshTouchView view = grzMeshTouches_GetView(touches);
    assert_true(view.starts[view.pairCount] <= 20000);
    for (uint32_t i = 0; i < view.pairCount; ++i)
        grzMeshTouches_WriteContacts(touches, step, i, contacts + view.starts[i]);
    return (Found){contacts, view.starts, view.pairCount, view.shapeTests, view.pairTests};
}

static Found findAll(grzMeshTouches* touches, const Scene* scene, grzTasks* tasks) {
    const grzMeshTouchStep step = stepOf(scene, tasks);
    const grzResult result = findTouches(touches, &step);
    char text[128];
    if (!grzResult_IsOk(result))
        fail_msg("%s", grzResult_Text(result, text, sizeof text));
    const Found view = readAll(touches, &step);
    assert_int_equal(view.pairCount, scene->pairCount);
    const size_t count = view.starts[view.pairCount];
    assert_true(count == 0 || grzAreRecordsSorted(&grzContactType, view.contacts, count));
    return view;
}

// ---- the reference ----

static uint32_t g_nearPairs; // of meshes that do not meet, but have contacts

typedef struct Placed {
    grzMeshView view;
    float positions[3 * 1000];
    bool isTwoSided;
} Placed;

static bool placeMesh(const grzCollider* collider, Placed* placed) {
    placed->isTwoSided = collider->isTwoSided;
    if (collider->kind == grz_animatedCollider) {
        grzAnimatedBody_ReachEnd(collider->animated, NULL);
        const grzAnimatedShape shape = grzAnimatedBody_GetShape(collider->animated);
        placed->view = shape.mesh;
        memcpy(placed->positions, shape.positions, 3 * (size_t)shape.mesh.vertexCount * sizeof(float));
        return true;
    }
    if (collider->kind != grz_meshCollider)
        return false;
    placed->view = collider->mesh->view;
    for (size_t i = 0; i < placed->view.vertexCount; ++i)
        grzVec3_Store(placed->positions + 3 * i,
                      grzTransform_Apply(collider->pose, grzVec3_Load(collider->mesh->positions + 3 * i)));
    return true;
}

static void triangleOf(const Placed* placed, uint32_t triangle, grzVec3 corners[3]) {
    for (size_t k = 0; k < 3; ++k)
        corners[k] = grzVec3_Load(placed->positions + 3 * (size_t)placed->view.triangles[3 * (size_t)triangle + k]);
}

// All pairs of triangles, met or not, go to the manifolds; and some triangles meet where there are contacts, and only there.
static void checkMeshes(const grzMeshPair* pair, const Placed* a, const Placed* b, const grzContact* contacts,
                        size_t count) {
    static grzTrianglePair all[MOST_TRIANGLES * MOST_TRIANGLES];
    bool isMet = false;
    grzManifoldQuery query = {.a = {.mesh = &a->view,
                                    .positions = a->positions,
                                    .body = idOfSlot(pair->rowA),
                                    .isTwoSided = a->isTwoSided},
                              .b = {.mesh = &b->view,
                                    .positions = b->positions,
                                    .body = idOfSlot(pair->rowB),
                                    .isTwoSided = b->isTwoSided},
                              .pairs = all,
                              .previous = pair->previous,
                              .previousCount = pair->previousCount,
                              .margin = pair->margin,
                              .slack = pair->slack};
    for (uint32_t i = 0; i < a->view.triangleCount; ++i)
        for (uint32_t k = 0; k < b->view.triangleCount; ++k) {
            grzVec3 cornersA[3], cornersB[3];
            grzTriTri meeting;
            triangleOf(a, i, cornersA), triangleOf(b, k, cornersB);
            isMet |= grzTriTri_Intersect(cornersA, cornersB, &meeting) != grz_triNone;
            all[query.count++] = (grzTrianglePair){0, i, k, 0, 0};
        }
    grzManifolds* manifolds;
    assert_true(grzResult_IsOk(grzManifolds_Create(NULL, (grzAllocator){0}, &manifolds)));
    assert_true(grzResult_IsOk(grzManifolds_Build(manifolds, &query)));
    const grzManifoldView expected = grzManifolds_GetView(manifolds);
    assert_int_equal(expected.count, count);
    g_nearPairs += !isMet && count != 0;
    assert_true(count != 0 || !isMet);
    if (count != 0)
        assert_memory_equal(expected.contacts, contacts, count * sizeof *contacts);
    grzManifolds_Destroy(manifolds);
}

// As a query by itself has them.
static void checkQuery(const grzMeshPair* pair, const grzCollider* shape, const grzCollider* mesh,
                       const grzContact* contacts, size_t count) {
    grzModelContacts* alone;
    grzModelContactQuery query = grzDefaultModelContactQuery();
    query.edges = mesh->mesh->edges, query.pose = mesh->pose;
    query.shape = shape->shape, query.shapePose = shape->pose;
    query.shapeBody = shape->id, query.meshBody = mesh->id;
    query.margin = pair->margin, query.isTwoSided = mesh->isTwoSided;
    query.previous = pair->previous, query.previousCount = pair->previousCount;
    assert_true(grzResult_IsOk(grzModelContacts_Create((grzAllocator){0}, &alone)));
    assert_true(grzResult_IsOk(grzModelContacts_Find(alone, &query)));
    const grzModelContactsView view = grzModelContacts_GetView(alone);
    assert_int_equal(view.count, count);
    if (count != 0)
        assert_memory_equal(view.contacts, contacts, count * sizeof *contacts);
    grzModelContacts_Destroy(alone);
}

// There is a contact where a triangle of a two-sided mesh is surely within the margin, and none where all are surely beyond; each
// names a triangle that is.
static void checkShape(const grzMeshPair* pair, const grzCollider* shape, const Placed* mesh, bool isShapeA,
                       const grzContact* contacts, size_t count) {
    bool isNear = false, isMaybe = false;
    static float lower[MOST_TRIANGLES];
    for (uint32_t i = 0; i < mesh->view.triangleCount; ++i) {
        grzMeshTriangle triangle;
        grzConvexDistance distance;
        memset(&triangle, 0, sizeof triangle);
        triangleOf(mesh, i, triangle.vertices);
        triangle.isTwoSided = true;
        assert_true(grzResult_IsOk(grzConvex_TriangleDistance(&shape->shape, shape->pose, &triangle, &distance)));
        isNear |= mesh->isTwoSided && distance.upper < pair->margin * 0.999f;
        isMaybe |= distance.lower <= pair->margin;
        lower[i] = distance.lower;
    }
    assert_true(count > 0 || !isNear);
    assert_true(count == 0 || isMaybe);
    for (size_t i = 0; i < count; ++i) {
        const uint32_t triangle = isShapeA ? contacts[i].triangleB : contacts[i].triangleA;
        assert_true((isShapeA ? contacts[i].triangleA : contacts[i].triangleB) == GRZ_NO_TRIANGLE);
        assert_true(triangle < mesh->view.triangleCount && lower[triangle] <= pair->margin + 1e-5f);
        assert_true(contacts[i].separation <= pair->margin + 1e-5f);
    }
}

static uint32_t checkScene(const Scene* scene, const Found* view) {
    static Placed a, b;
    uint32_t found = 0;
    for (uint32_t i = 0; i < scene->pairCount; ++i) {
        const grzMeshPair* pair = &scene->pairs[i];
        const grzCollider *colliderA = &scene->colliders[pair->rowA], *colliderB = &scene->colliders[pair->rowB];
        const grzContact* contacts = view->contacts + view->starts[i];
        const size_t count = view->starts[i + 1] - view->starts[i];
        const bool isA = placeMesh(colliderA, &a), isB = placeMesh(colliderB, &b);
        for (size_t k = 0; k < count; ++k)
            assert_true(grzBodyId_IsSame(contacts[k].bodyA, idOfSlot(pair->rowA)) &&
                        grzBodyId_IsSame(contacts[k].bodyB, idOfSlot(pair->rowB)));
        if (isA && isB)
            checkMeshes(pair, &a, &b, contacts, count);
        else if (isA && colliderB->kind == grz_convexCollider)
            checkShape(pair, colliderB, &a, false, contacts, count);
        else if (isB && colliderA->kind == grz_convexCollider)
            checkShape(pair, colliderA, &b, true, contacts, count);
        else
            assert_int_equal(count, 0);
        if (colliderA->kind == grz_meshCollider && colliderB->kind == grz_convexCollider)
            checkQuery(pair, colliderB, colliderA, contacts, count);
        found += count != 0;
    }
    return found;
}

static void test_scenes(void** state) {
    (void)state;
    grzMeshTouches* touches = makeTouches();
    uint32_t found = 0;
    for (int round = 0; round < 4; ++round) {
        Scene scene;
        fillScene(&scene, 0, 0.2 * (1 + round));
        const Found view = findAll(touches, &scene, NULL);
        found += checkScene(&scene, &view);
        assert_true(view.shapeTests > 0 && view.pairTests > 0);
        // The next step knows these contacts, and bodies have moved a little; the ground has not.
        static grzContact previous[20000];
        const size_t count = view.starts[view.pairCount];
        assert_true(count <= 20000);
        if (count != 0)
            memcpy(previous, view.contacts, count * sizeof *previous);
        for (uint32_t i = 0; i < scene.pairCount; ++i) {
            scene.pairs[i].previous = previous + view.starts[i];
            scene.pairs[i].previousCount = (uint32_t)(view.starts[i + 1] - view.starts[i]);
        }
        for (uint32_t slot = 3; slot < SLOTS; slot += 2)
            scene.colliders[slot].pose.origin = grzAdd(scene.colliders[slot].pose.origin, drawVector(0.02f));
        const Found next = findAll(touches, &scene, NULL);
        (void)checkScene(&scene, &next);
        freeScene(&scene);
    }
    assert_true(found > 60);
    assert_true(g_nearPairs > 0);
    grzMeshTouches_Destroy(touches);
}

static uint64_t hashOf(const Found* view) {
    const size_t count = view->starts[view->pairCount];
    uint64_t hash = grzHashBytes(view->starts, (view->pairCount + 1) * sizeof *view->starts, 0);
    return grzHashBytes(view->contacts, count * sizeof *view->contacts, hash);
}

// Every way of upkeep has the contacts of the chooser.
static void test_ways(void** state) {
    (void)state;
    static const uint32_t ways[] = {0,
                                    GRZ_UPKEEP_BIT(grz_upkeepRefit),
                                    GRZ_UPKEEP_BIT(grz_upkeepChord),
                                    GRZ_UPKEEP_BIT(grz_upkeepBatched),
                                    GRZ_UPKEEP_BIT(grz_upkeepOrdered),
                                    GRZ_UPKEEP_BIT(grz_upkeepBoxTree)};
    const grzRng rng = grzRng_Make(testSeed(421), 0);
    grzMeshTouches* touches = makeTouches();
    uint64_t hashes[6];
    for (int i = 0; i < 6; ++i) {
        Scene scene;
        g_rng = rng;
        fillScene(&scene, ways[i], 0.7);
        const Found view = findAll(touches, &scene, NULL);
        hashes[i] = hashOf(&view);
        assert_true(hashes[i] == hashes[0]);
        freeScene(&scene);
    }
    grzMeshTouches_Destroy(touches);
}

typedef struct SceneCase {
    const Scene* scene;
    uint64_t hash;
    uint64_t tests;
} SceneCase;

static void findAgain(grzTasks* tasks, void* context) {
    const SceneCase* expected = context;
    grzMeshTouches* touches = makeTouches();
    for (int i = 0; i < 2; ++i) {
        const Found view = findAll(touches, expected->scene, tasks);
        assert_true(hashOf(&view) == expected->hash);
        assert_int_equal(view.shapeTests + view.pairTests, expected->tests);
    }
    grzMeshTouches_Destroy(touches);
}

static void test_workers(void** state) {
    (void)state;
    Scene scene;
    grzMeshTouches* touches = makeTouches();
    g_rng = grzRng_Make(77, 0);
    fillScene(&scene, 0, 0.5);
    const Found view = findAll(touches, &scene, NULL);
    assert_true(hashOf(&view) == 0xe8f4a14319f84c1bull); // with every compiler
    SceneCase expected = {&scene, hashOf(&view), view.shapeTests + view.pairTests};
    forEachLevelAndWorkerCount(findAgain, &expected);
    grzMeshTouches_Destroy(touches);
    freeScene(&scene);
}

enum { WARM_STEPS = 4 }; // of which searches learn that nothing moves

static void test_memory(void** state) {
    (void)state;
    Scene scene;
    fillScene(&scene, 0, 0.5);
    const grzMeshTouchStep step = stepOf(&scene, NULL);
    grzMeshTouches* plain = makeTouches();
    const Found expected = findAll(plain, &scene, NULL); // makes the models of animated meshes, too
    const uint64_t hash = hashOf(&expected);
    grzMeshTouches_Destroy(plain);
    bool isDone = false;
    for (size_t failAt = 0; !isDone; ++failAt) {
        TestMemory memory = {0, failAt, 0, 0};
        grzMeshTouches* touches;
        grzResult result = grzMeshTouches_Create(testAllocator(&memory), &touches);
        assert_int_equal(grzResult_IsOk(result), touches != NULL);
        if (touches != NULL) {
            result = findTouches(touches, &step);
            assert_true(grzResult_IsOk(result) || grzMeshTouches_GetView(touches).pairCount == 0);
            isDone = grzResult_IsOk(result);
            memory.failAt = SIZE_MAX; // what was refused can be had later
            assert_true(grzResult_IsOk(findTouches(touches, &step)));
            const Found view = readAll(touches, &step);
            assert_true(hashOf(&view) == hash);
            for (int i = 0; i < WARM_STEPS && isDone; ++i)
                assert_true(grzResult_IsOk(findTouches(touches, &step)));
            const size_t requests = memory.requests;
            assert_true(!isDone || grzResult_IsOk(findTouches(touches, &step)));
            assert_int_equal(memory.requests, requests);
            assert_int_equal(grzMeshTouches_MemorySize(touches), memory.liveBytes);
        }
        assert_true(isDone || result.status == grz_outOfMemory);
        grzMeshTouches_Destroy(touches);
        assert_int_equal(memory.liveCount, 0);
    }
    freeScene(&scene);
}

// A body that has flown off is told by its pair.
static void test_bad_numbers(void** state) {
    (void)state;
    Scene scene;
    fillScene(&scene, 0, 0.5);
    grzMeshTouches* touches = makeTouches();
    scene.colliders[9].pose.origin.x = (float)NAN;
    const grzMeshTouchStep step = stepOf(&scene, NULL);
    const grzResult result = findTouches(touches, &step);
    assert_true(result.status == grz_notFinite && result.part == grz_partElement);
    assert_int_equal(scene.pairs[result.index].rowB, 9);
    assert_int_equal(grzMeshTouches_GetView(touches).pairCount, 0);
    scene.pairCount = 0;
    const Found view = findAll(touches, &scene, NULL);
    assert_int_equal(view.starts[0], 0);
    grzMeshTouches_Destroy(touches);
    grzMeshTouches_Destroy(NULL);
    freeScene(&scene);
}

// Over a sheet that is animated but stands still, shapes have the contacts that they have over the rigid one: within the margin
// also where they do not touch.
static void test_margins(void** state) {
    (void)state;
    MeshData data;
    grzMesh* mesh;
    grzMeshShape* shape;
    assert_true(grzResult_IsOk(makeGrid(6, 6, 4, 4, grzDefaultAllocator(), &data)));
    grzMeshDef def = MeshData_Def(&data);
    assert_true(grzResult_IsOk(grzMesh_Create(&def, &mesh)));
    assert_true(grzResult_IsOk(grzMeshShape_Create(mesh, (grzAllocator){0}, &shape)));
    MeshData_Release(&data);
    grzCollider colliders[3];
    memset(colliders, 0, sizeof colliders);
    grzAnimatedDef animated = grzDefaultAnimatedDef();
    const grzAllocator allocator = grzDefaultAllocator();
    animated.mesh = mesh;
    assert_true(grzResult_IsOk(grzAnimatedBody_Create(&animated, 0, NULL, &allocator, &colliders[0].animated)));
    colliders[0].kind = grz_animatedCollider, colliders[1].kind = grz_meshCollider;
    colliders[0].pose = colliders[1].pose = grzTransform_Identity();
    colliders[1].mesh = shape;
    colliders[2].kind = grz_convexCollider;
    for (uint32_t slot = 0; slot < 3; ++slot)
        colliders[slot].id = idOfSlot(slot);
    grzMeshTouches* touches = makeTouches();
    uint32_t boxes = 0;
    for (int i = 0; i < 60; ++i) {
        grzContact contacts[2][16];
        const bool isBall = i % 2 == 0;
        const float gap = draw(0, 0.28f), half = 0.5f;
        const float x = draw(-1, 1);
        const grzVec3 at = grzVec3_Make(x, half + gap, draw(-1, 1));
        colliders[2].shape =
            isBall ? grzMakeSphere(grzVec3_Zero(), half) : grzMakeBox(grzVec3_Zero(), grzVec3_Splat(half));
        colliders[2].pose = grzTransform_FromQuat(grzQuat_Identity(), at);
        for (uint32_t ground = 0; ground < 2; ++ground) {
            const grzMeshPair pair = {.rowA = ground, .rowB = 2, .margin = 0.2f, .slack = 0.2f};
            const grzMeshTouchStep step = {colliders, 3, &pair, 1, NULL, NULL, NULL, NULL, 0};
            assert_true(grzResult_IsOk(findTouches(touches, &step)));
            const Found view = readAll(touches, &step);
            const size_t count = view.starts[1];
            assert_true(count <= 16 && (count > 0) == (gap <= 0.2f));
            for (size_t k = 0; k < count; ++k)
                assert_true(fabsf(view.contacts[k].separation - gap) < 1e-5f);
            if (count == 0)
                continue;
            memcpy(contacts[ground], view.contacts, count * sizeof *contacts[0]);
            for (size_t k = 0; k < count && ground == 1; ++k) {
                contacts[1][k].bodyA = contacts[0][k].bodyA;
                assert_memory_equal(&contacts[0][k], &contacts[1][k], sizeof contacts[0][k]);
            }
            boxes += !isBall;
        }
    }
    assert_true(boxes > 20);
    grzMeshTouches_Destroy(touches);
    grzAnimatedBody_Destroy(colliders[0].animated);
    grzMeshShape_Destroy(shape);
    grzMesh_Destroy(mesh);
}

int main(void) {
    g_rng = grzRng_Make(testSeed(420), 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes), cmocka_unit_test(test_ways),        cmocka_unit_test(test_workers),
        cmocka_unit_test(test_memory), cmocka_unit_test(test_bad_numbers), cmocka_unit_test(test_margins),
    };
    return cmocka_run_group_tests(tests, makeHulls, destroyHulls);
}
