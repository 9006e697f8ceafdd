// Each stage of a step by itself, over arrays that the test has filled, against a plain reference; and that no stage reads what it or
// a later one writes in the same step.
#include "world_testing.h"

#include <math.h>

#include "graze/model_contact.h"
#include "graze/tri_tri.h"
#include "record_sort.h"
#include "touch_keep.h"
#include "world_inside.h"
#include "world_narrow.h"
#include "world_near.h"

static const uint32_t g_edges[] = {1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 255, 256, 257};
enum { EDGE_COUNT = sizeof g_edges / sizeof *g_edges };

static grzVec3 vectorIn(grzRng* rng, float size) {
    const grzVec3 made = randomVector(rng, size); // whose order of evaluation is one
    return made;
}

// ---------------------------------------------------------------------------------------------------- filling arrays

// This step's pairs, as the broad stage leaves them.
static void fillRows(grzWorld* world, const grzBodyPair* pairs, size_t count) {
    must(grzWorld_JoinPairs(world, pairs, count));
    assert_int_equal(grzWorld_PairCount(world), count);
}

// All pairs of slots below `count`, in order. The caller frees them.
static grzBodyPair* allPairs(uint32_t count, size_t* pairCount) {
    grzBodyPair* pairs = malloc((size_t)count * count * sizeof *pairs + 1);
    assert_non_null(pairs);
    *pairCount = 0;
    for (uint32_t a = 0; a < count; ++a)
        for (uint32_t b = a + 1; b < count; ++b)
            pairs[(*pairCount)++] = (grzBodyPair){a, b};
    return pairs;
}

// A static body too has a row in most of these tests, so that rows are numbered as slots are.
static grzBodyId addWithRow(grzWorld* world, const grzBodyDef* def) {
    const grzBodyId id = addBody(world, def);
    const uint32_t slot = id.index1 - 1;
    if (world->rows1.data[slot] != 0)
        return id;
    grzRigid rigid;
    grzWorld_ReadStill(world, slot, &rigid);
    assert_true(grzWorld_ReserveRows(world, grzWorld_RowCount(world) + 1));
    grzWorld_AddRow(world, slot, &rigid);
    ++world->near->rowCount;
    return id;
}

static grzBodyId addBall(grzWorld* world, grzBodyKind kind, float radius) {
    grzBodyDef def = grzDefaultBodyDef();
    def.kind = kind;
    def.shape = grzMakeSphere(grzVec3_Zero(), radius);
    return addWithRow(world, &def);
}

// -------------------------------------------------------------------------------------------------------------- broad

// Of `kinds`, two move; the others are static.
static void addFilteredBall(grzWorld* world, grzRng* rng, uint32_t kinds, bool isFree) {
    grzBodyDef def = grzDefaultBodyDef();
    def.shape = grzMakeSphere(grzVec3_Zero(), 0.1f);
    const uint32_t kind = grzRng_Below(rng, kinds);
    def.kind = kind < 3 ? (grzBodyKind)kind : grz_staticBody;
    if (!isFree) {
        def.category = (uint64_t)1 << grzRng_Below(rng, 3);
        def.mask = grzRng_Below(rng, 8) | (grzRng_Below(rng, 2) != 0 ? ~(uint64_t)7 : 0);
        def.group = grzRng_Below(rng, 4);
    }
    addBody(world, &def);
}

static bool mayMeet(const grzWorld* world, uint32_t slotA, uint32_t slotB) {
    grzRigid scratchA, scratchB;
    grzBox box;
    if (grzWorld_BodyAt(world, slotA).index1 == 0 || grzWorld_BodyAt(world, slotB).index1 == 0)
        return false;
    const grzCollider *a = grzWorld_ColliderAt(world, slotA, &scratchA, &box),
                      *b = grzWorld_ColliderAt(world, slotB, &scratchB, &box);
    if (a->body == grz_staticBody && b->body == grz_staticBody)
        return false;
    if ((a->category & b->mask) == 0 || (b->category & a->mask) == 0)
        return false;
    return a->group == 0 || a->group != b->group;
}

// Whole numbers, so that many boxes share a face, an edge or a corner.
static void fillSweeps(grzWorld* world, grzRng* rng, uint32_t range, grzBox* boxes) {
    for (uint32_t i = 0; i < grzWorld_SlotCount(world); ++i) {
        grzVec3 lower = grzVec3_Zero(), size = grzVec3_Zero();
        for (int axis = 0; axis < 3; ++axis) {
            const float at = (float)grzRng_Below(rng, range), extent = (float)grzRng_Below(rng, 3);
            (&lower.x)[axis] = at, (&size.x)[axis] = extent;
        }
        boxes[i] = grzBox_Make(lower, grzAdd(lower, size));
        if (grzWorld_BodyAt(world, i).index1 == 0)
            continue;
        const grzBodyRecord* record = grzWorld_Record(world, i);
        if (record->isStill)
            must(grzTree_Update(world->near->tree, record->treeId, boxes[i]));
        else
            world->sweeps.data[grzWorld_RowOf(world, i)] = boxes[i];
    }
}

// The last step's pairs, as they were.
typedef struct LastPairs {
    grzPairRow* rows;
    uint32_t* places; // of the rows
    size_t count;
} LastPairs;

static LastPairs copyPairs(const grzWorld* world) {
    const size_t count = grzWorld_PairCount(world);
    LastPairs last = {malloc((count + 1) * sizeof(grzPairRow)), malloc((count + 1) * sizeof(uint32_t)), count};
    assert_true(last.rows != NULL && last.places != NULL);
    for (size_t i = 0; i < count; ++i) {
        last.rows[i] = *grzWorld_PairAt(world, i);
        last.places[i] = world->pairs.view.rows[i];
    }
    return last;
}

static void freePairs(LastPairs* last) {
    free(last->rows);
    free(last->places);
}

static const grzPairRow* lastOf(const LastPairs* last, uint32_t a, uint32_t b) {
    for (size_t i = 0; i < last->count; ++i)
        if (slotOf(last->rows[i].idA) == a && slotOf(last->rows[i].idB) == b)
            return &last->rows[i];
    return NULL;
}

// Some pairs of the last step, of slots that overlap now and of others. Some slots have another body since.
static LastPairs fillLastRows(grzWorld* world, grzRng* rng, uint32_t count) {
    size_t pairCount, kept = 0;
    grzBodyPair* pairs = allPairs(count, &pairCount);
    for (size_t i = 0; i < pairCount; ++i) {
        const bool haveRows = world->rows1.data[pairs[i].a] != 0 && world->rows1.data[pairs[i].b] != 0;
        if (haveRows && grzRng_Below(rng, 3) == 0)
            pairs[kept++] = pairs[i];
    }
    fillRows(world, pairs, kept);
    free(pairs);
    grzPairRows_Close(&world->pairs, true);
    for (uint32_t slot = 0; slot < count; ++slot)
        if (grzRng_Below(rng, 8) == 0)
            grzPairRows_RemoveSlot(&world->pairs, slot);
    return copyPairs(world);
}

// Static bodies have rows as soon as they are near something that moves, and no more than twice as many have one.
static void checkNearRows(const grzWorld* world) {
    uint32_t used = 0, rows = 0;
    for (uint32_t slot = 0; slot < grzWorld_SlotCount(world); ++slot) {
        bool isUsed = false;
        for (size_t i = 0; i < grzWorld_PairCount(world) && !isUsed; ++i)
            isUsed =
                slotOf(grzWorld_PairAt(world, i)->idA) == slot || slotOf(grzWorld_PairAt(world, i)->idB) == slot;
        if (!grzWorld_Record(world, slot)->isStill)
            continue;
        assert_true(!isUsed || world->rows1.data[slot] != 0);
        used += isUsed;
        rows += world->rows1.data[slot] != 0;
    }
    assert_true(rows <= 2 * used + 16);
    assert_int_equal(rows, world->near->rowCount);
}

// Every pair has its row; that of the last step, unless one of the slots has another body. The other rows of the last step have ended.
static size_t checkBroad(const grzWorld* world, uint32_t count, const grzBox* boxes, const LastPairs* last) {
    const grzPairTableView view = world->pairs.view;
    size_t place = 0, continued = 0;
    for (uint32_t a = 0; a < count; ++a)
        for (uint32_t b = a + 1; b < count; ++b) {
            if (!grzBox_Overlap(boxes[a], boxes[b]) || !mayMeet(world, a, b))
                continue;
            assert_true(place < view.count);
            const grzPairRow* row = grzWorld_PairAt(world, place);
            assert_true(view.pairs[place].a == a && view.pairs[place].b == b);
            assert_true(slotOf(row->idA) == a && slotOf(row->idB) == b);
            assert_true(row->a == grzWorld_RowOf(world, a) && row->b == grzWorld_RowOf(world, b));
            assert_true(grzBodyId_IsSame(row->idA, grzWorld_BodyAt(world, a)));
            assert_true(grzBodyId_IsSame(row->idB, grzWorld_BodyAt(world, b)));
            const grzPairRow* before = lastOf(last, a, b);
            const bool isNew =
                before == NULL || world->pairs.isRemoved.data[a] != 0 || world->pairs.isRemoved.data[b] != 0;
            assert_int_equal(row->isNew, isNew);
            const grzPairFound nothing = {0};
            assert_memory_equal(grzWorld_Found(world, row), &nothing, sizeof nothing);
            if (!isNew) {
                assert_int_equal(view.rows[place], last->places[before - last->rows]);
                assert_memory_equal(row->poses, before->poses, sizeof row->poses);
                ++continued;
            }
            ++place;
        }
    assert_int_equal(view.count, place);
    assert_int_equal(view.endedCount, last->count - continued);
    assert_int_equal(view.begunCount, place - continued);
    return place;
}

static void test_broad(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(801), 0);
    size_t most = 0;
    for (int round = 0; round < 4 * EDGE_COUNT; ++round) {
        const uint32_t count = g_edges[round / 4];
        grzWorld* world = makeWorld(NULL);
        for (uint32_t i = 0; i < count; ++i)
            addFilteredBall(world, &rng, round % 4 < 2 ? 3 : 20, round % 2 == 0);
        grzBox* boxes = calloc(count, sizeof *boxes);
        assert_non_null(boxes);
        if (count > 4)
            must(grzWorld_RemoveBody(world, grzWorld_BodyAt(world, count / 3)));
        for (int step = 0; step < 3; ++step) {
            LastPairs last = fillLastRows(world, &rng, count < 60 ? count : 60);
            fillSweeps(world, &rng, step == 0 ? 4 : 12, boxes);
            const uint32_t now = world->now;
            must(grzWorld_Broad(world));
            assert_int_equal(world->now, 1 - now);
            const size_t pairs = checkBroad(world, count, boxes, &last);
            freePairs(&last);
            checkNearRows(world);
            most = pairs > most ? pairs : most;
        }
        free(boxes);
        grzWorld_Destroy(world);
    }
    assert_true(most > 3000);
}

enum { ROW_SLOTS = 90 };

// A pair's birth, which its row shows in both poses.
static void stamp(grzPairRow* row, float birth) {
    for (int i = 0; i < 2; ++i)
        row->poses[i].shift = grzVec3_Make(birth, (float)slotOf(row->idA), (float)slotOf(row->idB));
}

// Rows keep what they hold while pairs come and go, rows are laid out again, and steps are refused.
static void test_pairRows(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(808), 0);
    static float births[ROW_SLOTS][ROW_SLOTS];
    static bool isThere[ROW_SLOTS][ROW_SLOTS], isNext[ROW_SLOTS][ROW_SLOTS];
    memset(isThere, 0, sizeof isThere);
    grzWorld* world = makeWorld(NULL);
    for (uint32_t i = 0; i < ROW_SLOTS; ++i)
        addBall(world, grz_dynamicBody, 0.3f);
    float born = 0;
    size_t layouts = 0, count = 0;
    grzBodyPair* pairs = malloc(ROW_SLOTS * ROW_SLOTS * sizeof *pairs);
    assert_non_null(pairs);
    for (int step = 0; step < 120; ++step) {
        const size_t scattered = grzPairTable_GetStats(world->pairs.table).scatteredCount;
        const bool isRefused = grzRng_Below(&rng, 4) == 0;
        const uint32_t rate = step % 40 < 10 ? 3 : 40;
        count = 0;
        for (uint32_t a = 0; a < ROW_SLOTS; ++a)
            for (uint32_t b = a + 1; b < ROW_SLOTS; ++b) {
                isNext[a][b] = isThere[a][b] != (grzRng_Below(&rng, rate) == 0);
                if (isNext[a][b])
                    pairs[count++] = (grzBodyPair){a, b};
            }
        fillRows(world, pairs, count);
        layouts += grzPairTable_GetStats(world->pairs.table).scatteredCount < scattered;
        for (uint32_t i = 0; i < count; ++i) {
            grzPairRow* row = grzWorld_PairAt(world, i);
            const uint32_t a = pairs[i].a, b = pairs[i].b;
            assert_true(slotOf(row->idA) == a && slotOf(row->idB) == b && row->isNew == !isThere[a][b]);
            if (isThere[a][b])
                assert_true(row->poses[0].shift.x == births[a][b] && row->poses[1].shift.z == (float)b);
            else
                stamp(row, isRefused ? -1 : (births[a][b] = ++born));
        }
        grzPairRows_Close(&world->pairs, !isRefused);
        if (!isRefused)
            memcpy(isThere, isNext, sizeof isThere);
        assert_true(grzPairTable_Validate(world->pairs.table));
        assert_true(world->pairs.rows.count < 3 * (size_t)ROW_SLOTS * ROW_SLOTS / 4);
    }
    assert_true(layouts > 3);
    free(pairs);
    grzWorld_Destroy(world);
}

// --------------------------------------------------------------------------------------------------------------- mid

static void cornersOf(const grzMesh* mesh, grzTransform pose, uint32_t triangle, grzVec3 corners[3]) {
    const grzMeshView view = grzMesh_GetView(mesh);
    for (size_t k = 0; k < 3; ++k)
        corners[k] = grzTransform_Apply(
            pose, grzVec3_Load(view.positions32 + 3 * (size_t)view.triangles[3 * (size_t)triangle + k]));
}

static grzBox boxOf(const grzVec3 corners[3]) {
    return grzBox_Make(grzMin(corners[0], grzMin(corners[1], corners[2])),
                       grzMax(corners[0], grzMax(corners[1], corners[2])));
}

static bool isCandidate(const grzWorld* world, const grzPairRow* row, uint32_t triangleA, uint32_t triangleB) {
    const grzMeshCandidates candidates = grzMeshTouches_GetCandidates(world->narrow->mesh);
    for (size_t i = 0; i < candidates.count; ++i) {
        const grzTrianglePair* pair = &candidates.pairs[i];
        const grzMeshPair* meshes = &world->narrow->meshPairs.data[pair->bodyPair];
        if (meshes->rowA == row->a && meshes->rowB == row->b && pair->triangleA == triangleA &&
            pair->triangleB == triangleB)
            return true;
    }
    return false;
}

// Also: all triangles that meet are candidates.
static bool doMeshesMeet(const grzWorld* world, const grzPairRow* row) {
    const grzMesh* mesh = g_kit.ring;
    const uint32_t triangles = grzMesh_GetView(mesh).triangleCount;
    bool meet = false;
    for (uint32_t i = 0; i < triangles; ++i)
        for (uint32_t k = 0; k < triangles; ++k) {
            grzVec3 a[3], b[3];
            cornersOf(mesh, world->colliders.data[row->a].pose, i, a);
            cornersOf(mesh, world->colliders.data[row->b].pose, k, b);
            if (!grzBox_Overlap(boxOf(a), boxOf(b)) || grzTriTri_Classify(a, b) == grz_triNone)
                continue;
            assert_true(isCandidate(world, row, i, k));
            meet = true;
        }
    return meet;
}

// From the nearest triangle: above the first, no contact; below the second, one.
static float distanceToMesh(const grzWorld* world, const grzPairRow* row) {
    const bool isMeshA = world->colliders.data[row->a].kind == grz_meshCollider;
    const grzCollider* mesh = &world->colliders.data[isMeshA ? row->a : row->b];
    const grzCollider* ball = &world->colliders.data[isMeshA ? row->b : row->a];
    float least = 1e30f;
    for (uint32_t i = 0; i < grzMesh_GetView(g_kit.ring).triangleCount; ++i) {
        grzMeshTriangle triangle;
        memset(&triangle, 0, sizeof triangle);
        cornersOf(g_kit.ring, mesh->pose, i, triangle.vertices);
        grzConvexDistance distance;
        must(grzConvex_TriangleDistance(&ball->shape, ball->pose, &triangle, &distance));
        least = distance.upper < least ? distance.upper : least;
    }
    return least;
}

// The contacts of a shape and a mesh are those of a query by itself.
static void checkAlone(const grzWorld* world, const grzPairRow* row) {
    const bool isMeshA = world->colliders.data[row->a].kind == grz_meshCollider;
    const uint32_t mesh = isMeshA ? row->a : row->b, ball = isMeshA ? row->b : row->a;
    grzModelContacts* contacts;
    must(grzModelContacts_Create((grzAllocator){0}, &contacts));
    grzModelContactQuery query = grzDefaultModelContactQuery();
    query.edges = g_kit.ringShape->edges, query.pose = world->colliders.data[mesh].pose;
    query.shape = world->colliders.data[ball].shape, query.shapePose = world->colliders.data[ball].pose;
    query.margin = row->reach, query.isTwoSided = true;
    query.shapeBody = world->colliders.data[ball].id, query.meshBody = world->colliders.data[mesh].id;
    must(grzModelContacts_Find(contacts, &query));
    const grzModelContactsView view = grzModelContacts_GetView(contacts);
    const grzPairFound* found = grzWorld_Found(world, row);
    assert_int_equal(found->meshCount, view.count);
    if (view.count != 0)
        assert_memory_equal(&world->tables[world->now].meshContacts.data[found->firstMesh], view.contacts,
                            view.count * sizeof *view.contacts);
    grzModelContacts_Destroy(contacts);
}

// Candidates and contacts of meshes against all pairs of triangles, the distance to each, and queries by themselves.
static void test_midMeshes(void** state) {
    (void)state;
    enum { RINGS = 6, SLOTS = 20 };
    grzRng rng = grzRng_Make(testSeed(803), 0);
    uint32_t counts[4] = {0};
    for (int round = 0; round < 3; ++round) {
        grzWorld* world = makeWorld(NULL);
        for (uint32_t i = 0; i < SLOTS; ++i) {
            if (i < RINGS)
                addMesh(world, grz_dynamicBody, g_kit.ringShape, vectorIn(&rng, 0.6f));
            else
                addBall(world, grz_dynamicBody, 0.05f);
            world->states.data[i].center = vectorIn(&rng, 0.8f);
            world->states.data[i].rotation = randomTurn(&rng);
            grzWorld_PlaceCollider(world, i);
            world->colliders.data[i].isTwoSided = true;
        }
        world->timeStep = 1.0f / 60;
        grzWorld_Plan(world);
        size_t count;
        grzBodyPair* pairs = allPairs(SLOTS, &count);
        fillRows(world, pairs, count);
        must(grzWorld_Mid(world));
        must(grzWorld_FindMeshContacts(world)); // of the candidates; the narrow stage begins with it
        const grzStepTable* table = &world->tables[world->now];
        size_t contacts = 0;
        for (size_t i = 0; i < count; ++i) {
            const grzPairRow* row = grzWorld_PairAt(world, i);
            const grzPairFound* found = grzWorld_Found(world, row);
            const bool areMeshes = row->b < RINGS, areBalls = row->a >= RINGS;
            assert_int_equal(found->firstMesh, contacts);
            for (uint32_t k = 0; k < found->meshCount; ++k) {
                const grzContact* contact = &table->meshContacts.data[found->firstMesh + k];
                assert_true(slotOf(contact->bodyA) == row->a && slotOf(contact->bodyB) == row->b);
                assert_true(k == 0 || grzCompareRecords(&grzContactType, contact - 1, contact) < 0);
                assert_true(contact->separation <= row->reach * 1.0001f);
            }
            contacts += found->meshCount;
            if (areBalls) {
                assert_int_equal(found->meshCount, 0);
            } else if (areMeshes) {
                const bool meets = doMeshesMeet(world, row);
                assert_true(found->meshCount != 0 || !meets); // those that are near have contacts, too
                ++counts[meets];
            } else {
                const float distance = distanceToMesh(world, row);
                assert_true(found->meshCount == 0 || distance < row->reach + 1e-5f);
                checkAlone(world, row);
                ++counts[2 + (distance < row->reach)];
            }
        }
        assert_int_equal(table->meshContacts.count, contacts);
        free(pairs);
        grzWorld_Destroy(world);
    }
    for (int i = 0; i < 4; ++i)
        assert_true(counts[i] > 5);
}

// -------------------------------------------------------------------------------------------------------------- narrow

static const float g_margin = 0.02f; // grzDefaultWorldDef

// A margin of the world's, or the next of those four times as large each.
static float marginFor(float reach) {
    float margin = g_margin;
    while (reach > margin)
        margin *= 4;
    return margin;
}

// Touches of the tests are as large as they can be: one every so many units.
enum { TOUCH_UNITS = sizeof(grzTouch) / sizeof(grzTouchUnit) };

static grzTouchStore* storeOf(grzWorld* world) {
    return &world->stores[world->tables[world->now].store];
}

static grzTouch* touchIn(grzTouchStore* store, uint32_t index) {
    return grzTouch_At(store->units.data, TOUCH_UNITS * index);
}

static void makeRoom(grzWorld* world, size_t touches) {
    grzTouchStore* store = storeOf(world);
    assert_true(grzTouchStore_Reserve(store, &world->allocator, TOUCH_UNITS * touches));
    assert_true(grzArray_Reserve(&world->touchPlaces, &world->allocator, touches));
    store->units.count = store->names.count = TOUCH_UNITS * touches;
    world->touchPlaces.count = touches;
    for (size_t i = 0; i < touches; ++i)
        world->touchPlaces.data[i] = (uint32_t)(TOUCH_UNITS * i);
}

static void fillTouch(grzTouchStore* store, uint32_t index, grzRng* rng, uint32_t a, uint32_t b) {
    grzTouch* touch = touchIn(store, index);
    grzTouchName* names = &store->names.data[TOUCH_UNITS * index];
    memset(touch, 0, sizeof *touch);
    touch->bodyA = a, touch->bodyB = b;
    touch->pointCount = 1 + grzRng_Below(rng, 4);
    touch->normal = grzNormalize(vectorIn(rng, 1));
    touch->friction = randomIn(rng, 0, 1);
    for (uint32_t k = 0; k < touch->pointCount; ++k) {
        const grzVec3 anchorA = vectorIn(rng, 1), anchorB = vectorIn(rng, 1);
        grzVec3_Store(touch->points[k].anchorA, anchorA);
        grzVec3_Store(touch->points[k].anchorB, anchorB);
        touch->points[k].found = touch->points[k].separation = randomIn(rng, -0.05f, 0.05f);
        touch->points[k].normalImpulse = randomIn(rng, 0, 2);
        touch->points[k].bounceImpulse = 3;
        names[k] = (grzTouchName){grzRng_Next(rng) & 7, grzRng_Next(rng) & 7, k, 0};
    }
}

static grzTouchPair pairOf(const grzWorld* world, const grzPairRow* row) {
    const grzCollider *a = &world->colliders.data[row->a], *b = &world->colliders.data[row->b];
    const grzPairFound* last = grzWorld_LastFound(world, row);
    grzTouchPair pair;
    memset(&pair, 0, sizeof pair);
    pair.bodyA = row->a, pair.bodyB = row->b;
    pair.stateA = &world->states.data[row->a], pair.stateB = &world->states.data[row->b];
    pair.friction = sqrtf(a->friction * b->friction);
    pair.restitution = fmaxf(a->restitution, b->restitution);
    if (last != NULL)
        pair.previous = grzWorld_TouchesOf(world, &world->tables[1 - world->now], last);
    return pair;
}

// The touch that a pair should have, by itself; false where it should have none.
static bool touchOf(const grzWorld* world, const grzPairRow* row, grzTouchUnit* units, grzTouchName* names) {
    const grzCollider *a = &world->colliders.data[row->a], *b = &world->colliders.data[row->b];
    const grzTouchPair pair = pairOf(world, row);
    const grzTouchRoom room = {units, names, NULL};
    grzManifold manifold;
    must(grzConvex_Collide(&a->shape, a->pose, &b->shape, b->pose, marginFor(row->reach), &manifold));
    if (manifold.pointCount == 0 || manifold.separation > row->reach)
        return false;
    grzManifold_ToTouch(&pair, &manifold, &room);
    return true;
}

// Kept touches: all of the last step's bytes but separations, which follow the bodies since they were found. before: the store of the
// last step, as it was.
static void checkRecycled(const grzWorld* world, const grzPairRow* row, const grzTouchUnit* before,
                          const grzTouchSpan* span) {
    const grzPairFound *last = grzWorld_LastFound(world, row), *now = grzWorld_Found(world, row);
    const grzBodyState *a = &world->states.data[row->a], *b = &world->states.data[row->b];
    const grzTouch* touch = grzTouch_Read(span->units, 0);
    grzTouch wanted = {0};
    memcpy(&wanted, &before[last->firstTouch], grzTouch_UnitCount(touch) * sizeof *before);
    assert_int_equal(now->touchCount, last->touchCount);
    assert_int_equal(now->pose, last->pose);
    for (uint32_t k = 0; k < wanted.pointCount; ++k) {
        // Rotations were none when they were found.
        const grzVec3 onA = grzAdd(a->center, grzQuat_Rotate(a->rotation, grzVec3_Load(wanted.points[k].anchorA)));
        const grzVec3 onB = grzAdd(b->center, grzQuat_Rotate(b->rotation, grzVec3_Load(wanted.points[k].anchorB)));
        const float separation = wanted.points[k].found + grzDot(wanted.normal, grzSub(onB, onA));
        assert_true(fabsf(touch->points[k].separation - separation) < 1e-4f);
        wanted.points[k].separation = touch->points[k].separation;
        wanted.points[k].bounceImpulse = 0;
    }
    assert_memory_equal(touch, &wanted, grzTouch_UnitCount(touch) * sizeof *before);
}

static void addNarrowBodies(grzWorld* world, grzRng* rng, uint32_t count, float size) {
    for (uint32_t i = 0; i < count; ++i) {
        grzBodyDef def = grzDefaultBodyDef();
        def.kind = (grzBodyKind)(i % 3);
        def.shape = anyShape(rng);
        if (def.kind == grz_dynamicBody && !(grzConvex_Mass(&def.shape).volume > 1e-9))
            def.shape = grzMakeSphere(grzVec3_Zero(), 0.4f);
        def.origin = vectorIn(rng, size);
        def.rotation = randomTurn(rng);
        def.friction = randomIn(rng, 0, 1);
        def.restitution = randomIn(rng, 0, 1);
        addWithRow(world, &def);
    }
}

// The last step's table: a touch for every pair; this step's rows, as mid leaves them, every third to be kept.
static void fillNarrow(grzWorld* world, grzRng* rng, const grzBodyPair* pairs, size_t count) {
    fillRows(world, pairs, count);
    makeRoom(world, count);
    for (uint32_t i = 0; i < count; ++i) {
        grzPairRow* row = grzWorld_PairAt(world, i);
        grzPairFound* found = &row->found[world->now];
        fillTouch(storeOf(world), i, rng, row->a, row->b);
        found->firstTouch = TOUCH_UNITS * i, found->touchCount = 1;
        found->contactCount = touchIn(storeOf(world), i)->pointCount;
        found->isTouching = grzRng_Below(rng, 2) != 0;
        found->pose = grzRng_Below(rng, 2) != 0;
        row->poses[found->pose] = (grzPairPose){vectorIn(rng, 1), grzQuat_Identity(), grzQuat_Identity()};
    }
    fillRows(world, pairs, count);
    for (uint32_t i = 0; i < count; ++i) {
        grzPairRow* row = grzWorld_PairAt(world, i);
        const float reaches[3] = {g_margin, 0.05f, 1.5f};
        row->isNew = i % 4 == 3;
        row->way = (uint8_t)(i % 3 == 1 && !row->isNew ? grz_pairRecycled : grz_pairConvex);
        row->reach = reaches[grzRng_Below(rng, 3)];
        row->isYielding = row->a % 3 == 2 || row->b % 3 == 2;
        world->rowBlocks.data[i / GRZ_PAIR_BLOCK].collided += row->way == grz_pairConvex;
    }
}

// No two rows have a unit in common.
static void assertApart(const grzWorld* world) {
    const grzStepTable* table = &world->tables[world->now];
    const size_t count = world->stores[table->store].units.count;
    unsigned char* isUsed = calloc(count + 1, 1);
    for (uint32_t i = 0; i < grzWorld_PairCount(world); ++i) {
        const grzPairFound* found = grzWorld_Found(world, grzWorld_PairAt(world, i));
        const uint32_t units = found->touchCount != 0 ? found->touchCount + found->contactCount : 0;
        assert_true(found->firstTouch + units <= count || units == 0);
        for (uint32_t k = 0; k < units; ++k)
            assert_int_equal(isUsed[found->firstTouch + k]++, 0);
    }
    free(isUsed);
}

// before: units of the last step's store, as they were.
static void checkNarrow(const grzWorld* world, const grzTouchUnit* before, uint32_t found[2]) {
    const grzStepTable* table = &world->tables[world->now];
    size_t contacts = 0, places = 0;
    for (uint32_t i = 0; i < grzWorld_PairCount(world); ++i) {
        const grzPairRow* row = grzWorld_PairAt(world, i);
        const grzPairFound* now = grzWorld_Found(world, row);
        const grzPairPose* pose = &row->poses[now->pose];
        const grzTouchSpan span = grzWorld_TouchesOf(world, table, now);
        const grzTouch* touch = now->touchCount != 0 ? grzTouch_Read(span.units, 0) : NULL;
        grzTouchUnit wanted[TOUCH_UNITS];
        grzTouchName names[TOUCH_UNITS];
        if (row->way == grz_pairRecycled) {
            checkRecycled(world, row, before, &span);
            ++found[1];
        } else {
            const bool isFound = touchOf(world, row, wanted, names);
            assert_int_equal(now->touchCount, isFound);
            if (isFound) {
                assert_memory_equal(span.units, wanted, grzTouch_UnitCount(touch) * sizeof *wanted);
                assert_memory_equal(span.names, names, touch->pointCount * sizeof *names);
            }
            found[0] += isFound;
            assert_true(grzWorld_LastFound(world, row) == NULL ||
                        now->pose != grzWorld_LastFound(world, row)->pose);
            const grzVec3 shift = grzSub(world->states.data[row->b].center, world->states.data[row->a].center);
            assert_true(grzVec3_IsEqual(pose->shift, shift));
            assert_memory_equal(&pose->rotationA, &world->states.data[row->a].rotation, sizeof pose->rotationA);
            assert_memory_equal(&pose->rotationB, &world->states.data[row->b].rotation, sizeof pose->rotationB);
        }
        if (row->isYielding && now->touchCount != 0)
            assert_int_equal(world->touchPlaces.data[places++], now->firstTouch);
        bool isTouching = false;
        for (uint32_t k = 0; touch != NULL && k < touch->pointCount; ++k)
            isTouching = isTouching || touch->points[k].separation <= 0;
        assert_int_equal(now->isTouching, isTouching);
        assert_int_equal(now->contactCount, touch != NULL ? touch->pointCount : 0);
        contacts += now->contactCount;
    }
    assert_int_equal(places, world->touchPlaces.count);
    assert_int_equal(world->contactCount, contacts);
    assertApart(world);
}

// Bodies of pairs that were collided are posed where they are; nobody else was looked at.
static void checkPosed(const grzWorld* world) {
    bool isCollided[64] = {false};
    for (uint32_t i = 0; i < grzWorld_PairCount(world); ++i) {
        const grzPairRow* row = grzWorld_PairAt(world, i);
        isCollided[row->a] |= row->way == grz_pairConvex;
        isCollided[row->b] |= row->way == grz_pairConvex;
    }
    for (uint32_t slot = 0; slot < world->colliders.count; ++slot) {
        const grzCollider* collider = &world->colliders.data[slot];
        grzPosedConvex fresh;
        assert_int_equal(collider->isMoved, !isCollided[slot]);
        if (!isCollided[slot])
            continue;
        must(grzConvex_Pose(&collider->shape, collider->pose, &fresh));
        assert_true(collider->posed.mark == fresh.mark && collider->posed.defectSq == fresh.defectSq);
    }
}

// Kept touches stay where they are, or all of a step are copied to the other store; both happen where narrow runs again and again.
static void test_narrow(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(804), 0);
    uint32_t found[2] = {0}, copied = 0, stayed = 0;
    for (int round = 0; round < EDGE_COUNT; ++round) {
        const uint32_t bodies = 24;
        size_t count;
        grzWorld* world = makeWorld(NULL);
        addNarrowBodies(world, &rng, bodies, 2.0f);
        grzBodyPair* pairs = allPairs(bodies, &count);
        assert_true(count >= g_edges[round]);
        fillNarrow(world, &rng, pairs, g_edges[round]);
        const grzStepTable *table = &world->tables[world->now], *last = &world->tables[1 - world->now];
        const size_t units = TOUCH_UNITS * g_edges[round];
        grzTouchUnit* before = malloc((units + 1) * sizeof *before);
        if (units != 0)
            memcpy(before, world->stores[last->store].units.data, units * sizeof *before);
        for (int again = 0; again < 5; ++again) { // over its own leavings
            if (again == 2)                       // half of them are elsewhere
                for (uint32_t slot = 0; slot < bodies; slot += 2)
                    must(grzWorld_PlaceBody(world, world->colliders.data[slot].id, vectorIn(&rng, 2),
                                            randomTurn(&rng)));
            must(grzWorld_Narrow(world));
            checkNarrow(world, before, found);
            if (again == 0 || again == 2)
                checkPosed(world);
            ++*(table->store != last->store ? &copied : &stayed);
        }
        world->colliders.data[1].posed.defectSq = 1e-20f; // a body that does not move is not looked at
        must(grzWorld_Narrow(world));
        assert_true(world->colliders.data[1].posed.defectSq == 1e-20f);
        free(before);
        free(pairs);
        grzWorld_Destroy(world);
    }
    assert_true(found[0] > 60 && found[1] > 60);
    assert_true(copied > 5 && stayed > 5);
}

// Cloths and balls in slots that alternate: each pair of a cloth has the contacts that name its two bodies, every contact is in one
// pair, and pairs of more than a block of rows change nothing.
static void test_narrowCloth(void** state) {
    (void)state;
    enum { CLOTHS = 3, BALLS = 120 };
    grzWorld* world = makeWorld(NULL);
    grzBodyId cloths[CLOTHS];
    grzRng rng = grzRng_Make(testSeed(811), 0);
    uint32_t pairs = 0, filled = 0;
    world->timeStep = 1.0f / 60;
    for (uint32_t i = 0; i < CLOTHS; ++i) {
        for (uint32_t k = 0; k < BALLS / CLOTHS; ++k) {
            grzBodyDef def = grzDefaultBodyDef();
            def.shape = grzMakeSphere(grzVec3_Zero(), 0.1f);
            def.origin = vectorIn(&rng, 0.6f);
            addBody(world, &def);
        }
        cloths[i] = addCloth(world, grzVec3_Make(0, 0.05f * (float)i, 0), NULL, 0);
    }
    grzWorld_Plan(world);
    must(grzWorld_Broad(world));
    must(grzWorld_Mid(world));
    for (int again = 0; again < 2; ++again) {
        uint32_t counts[CLOTHS] = {0}, touching = 0;
        must(grzWorld_Narrow(world));
        assert_true(grzWorld_PairCount(world) > GRZ_PAIR_BLOCK);
        for (uint32_t i = 0; i < grzWorld_PairCount(world); ++i) {
            const grzPairRow* row = grzWorld_PairAt(world, i);
            const grzPairFound* now = grzWorld_Found(world, row);
            touching += now->isTouching;
            if (row->way != grz_pairCloth)
                continue;
            const grzClothContacts found = grzWorld_ClothContactsOf(world, row);
            bool isTouching = false;
            assert_int_equal(found.count, now->contactCount);
            for (uint32_t k = 0; k < found.count; ++k) {
                assert_int_equal(found.contacts[k].bodyA.index1, row->idA.index1);
                assert_int_equal(found.contacts[k].bodyB.index1, row->idB.index1);
                isTouching = isTouching || found.contacts[k].separation <= 0;
            }
            assert_int_equal(now->isTouching, isTouching);
            for (uint32_t c = 0; c < CLOTHS; ++c)
                if (cloths[c].index1 == row->idA.index1 || cloths[c].index1 == row->idB.index1)
                    counts[c] += found.count;
            ++pairs, filled += found.count != 0;
        }
        assert_int_equal(world->tables[world->now].touchingCount, touching);
        for (uint32_t c = 0; c < CLOTHS; ++c) {
            const grzClothBody* cloth = world->colliders.data[grzWorld_RowOf(world, cloths[c].index1 - 1)].cloth;
            assert_int_equal(counts[c], grzClothBody_GetContacts(cloth).count);
            assert_true(grzClothBody_Validate(cloth));
        }
    }
    assert_true(pairs > 100 && filled > 30);
    grzWorld_Destroy(world);
}

// --------------------------------------------------------------------------------------------------------------- solve

static void fillOneTouch(grzWorld* world, uint32_t count) {
    makeRoom(world, count);
    memset(storeOf(world)->units.data, 0, storeOf(world)->units.count * sizeof(grzTouchUnit));
}

// Balls meet centrally: what each loses is the reduced mass times the approach, times 1 + restitution.
static void checkCentral(float massRatio, float restitution, bool isOtherStatic) {
    grzWorld* world = makeWorld(NULL);
    world->def.gravity = grzVec3_Zero();
    world->timeStep = 1.0f / 60;
    grzBodyDef def = grzDefaultBodyDef();
    def.shape = grzMakeSphere(grzVec3_Zero(), 0.5f);
    addWithRow(world, &def);
    def.density *= massRatio;
    def.kind = isOtherStatic ? grz_staticBody : grz_dynamicBody;
    def.origin = grzVec3_Make(1, 0, 0);
    addWithRow(world, &def);
    grzBodyState* states = world->states.data;
    states[0].velocity = grzVec3_Make(3, 0, 0);
    states[1].velocity = isOtherStatic ? grzVec3_Zero() : grzVec3_Make(-1, 0, 0);
    fillOneTouch(world, 1);
    grzTouch* touch = touchIn(storeOf(world), 0);
    touch->bodyB = 1, touch->pointCount = 1;
    touch->normal = grzVec3_Make(1, 0, 0);
    touch->restitution = restitution;
    touch->points[0].anchorA[0] = 0.5f, touch->points[0].anchorB[0] = -0.5f;
    const float speed = isOtherStatic ? 3.0f : 4.0f;
    const float inverse = world->masses.data[0].inverseMass + world->masses.data[1].inverseMass;
    const float impulse = (1 + restitution) * speed / inverse;
    must(grzWorld_Solve(world));
    states = world->states.data;
    const float own = 3 - impulse * world->masses.data[0].inverseMass;
    const float other = (isOtherStatic ? 0.0f : -1.0f) + impulse * world->masses.data[1].inverseMass;
    assert_true(fabsf(states[0].velocity.x - own) < 2e-3f * speed);
    assert_true(fabsf(states[1].velocity.x - other) < 2e-3f * speed);
    assert_true(states[0].velocity.y == 0 && grzLength(states[0].spin) < 1e-6f);
    assert_true(fabsf(touch->points[0].bounceImpulse - (restitution > 0 ? impulse : 0)) < 2e-3f * impulse);
    assert_true(touch->points[0].normalImpulse < 2e-3f * impulse); // of the last substep
    assert_true(!isOtherStatic || states[1].center.x == 1);
    grzWorld_Destroy(world);
}

static void test_solveOneTouch(void** state) {
    (void)state;
    for (int i = 0; i < 3; ++i)
        for (int kind = 0; kind < 2; ++kind) {
            checkCentral(1, 0.5f * (float)i, kind != 0);
            checkCentral(7, 0.5f * (float)i, kind != 0);
        }
}

static void addSolveBodies(grzWorld* world, grzRng* rng, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        grzBodyDef def = grzDefaultBodyDef();
        def.kind = i % 5 == 0 ? grz_staticBody : i % 5 == 1 ? grz_kinematicBody : grz_dynamicBody;
        def.shape = grzMakeBox(grzVec3_Zero(), grzVec3_Make(0.3f, 0.4f, randomIn(rng, 0.2f, 0.6f)));
        def.origin = vectorIn(rng, 3);
        def.rotation = randomTurn(rng);
        if (def.kind != grz_staticBody) {
            def.velocity = vectorIn(rng, 1);
            def.spin = vectorIn(rng, 1);
        }
        addWithRow(world, &def);
    }
}

// Touches of pairs (i, i + 1), but for those that name only what does not yield.
static uint32_t fillChain(grzWorld* world, grzRng* rng, uint32_t bodies, bool isOfDynamic) {
    uint32_t count = 0;
    fillOneTouch(world, bodies);
    for (uint32_t i = 0; i + 1 < bodies; ++i) {
        const bool a = i % 5 > 1, b = (i + 1) % 5 > 1;
        if (isOfDynamic ? !(a && b) : !(a || b))
            continue;
        grzTouch* touch = touchIn(storeOf(world), count);
        fillTouch(storeOf(world), count++, rng, i, i + 1);
        const grzVec3 apart = grzSub(world->states.data[i + 1].center, world->states.data[i].center);
        for (uint32_t k = 0; k < touch->pointCount; ++k) { // the same place, seen from both
            const grzVec3 at = grzAdd(grzScale(apart, 0.5f), vectorIn(rng, 0.2f));
            grzVec3_Store(touch->points[k].anchorA, at);
            grzVec3_Store(touch->points[k].anchorB, grzSub(at, apart));
        }
    }
    world->touchPlaces.count = count;
    return count;
}

typedef struct Momentum {
    double linear[3], angular[3];
} Momentum;

static void addCross(double* sum, grzVec3d a, grzVec3d b) {
    const grzVec3d c = grzVec3d_Cross(a, b);
    sum[0] += c.x, sum[1] += c.y, sum[2] += c.z;
}

static Momentum momentumOf(const grzWorld* world, uint32_t count) {
    Momentum sum = {{0}, {0}};
    for (uint32_t i = 0; i < count; ++i) {
        const grzBodyMass* mass = &world->masses.data[i];
        const grzBodyState* state = &world->states.data[i];
        if (mass->inverseMass == 0.0f)
            continue;
        const grzVec3d speed = grzVec3d_Scale(grzVec3d_FromVec3(state->velocity), 1 / (double)mass->inverseMass);
        sum.linear[0] += speed.x, sum.linear[1] += speed.y, sum.linear[2] += speed.z;
        addCross(sum.angular, grzVec3d_FromVec3(state->center), speed);
        grzVec3 own = grzQuat_RotateInverse(state->rotation, state->spin);
        own = grzVec3_Make(own.x / mass->inverseInertia[0], own.y / mass->inverseInertia[1],
                           own.z / mass->inverseInertia[2]);
        const grzVec3 turning = grzQuat_Rotate(state->rotation, own);
        sum.angular[0] += (double)turning.x, sum.angular[1] += (double)turning.y,
            sum.angular[2] += (double)turning.z;
    }
    return sum;
}

// What touches of bodies that yield do to one, they do to the other. The solver's levers are those of the step's start, so angular
// momentum is kept to what a step moves them.
static void test_solveMomentum(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(805), 0);
    for (int round = 0; round < EDGE_COUNT; ++round) {
        const uint32_t count = g_edges[round] + 3;
        grzWorld* world = makeWorld(NULL);
        world->def.gravity = grzVec3_Zero();
        world->timeStep = 1e-4f;
        addSolveBodies(world, &rng, count);
        const uint32_t touches = fillChain(world, &rng, count, true);
        const Momentum before = momentumOf(world, count);
        memcpy(world->startStates.data, world->states.data, count * sizeof(grzBodyState)); // as plan leaves them
        must(grzWorld_Solve(world));
        const Momentum after = momentumOf(world, count);
        for (int axis = 0; axis < 3; ++axis) {
            assert_true(fabs(after.linear[axis] - before.linear[axis]) < 1e-3 * count);
            assert_true(fabs(after.angular[axis] - before.angular[axis]) < 2e-2 * count);
        }
        uint32_t pushed = 0;
        for (uint32_t i = 0; i < count; ++i)
            pushed += grzDistance(world->states.data[i].velocity, world->startStates.data[i].velocity) > 0;
        assert_true(touches < 8 || pushed > touches / 8);
        grzWorld_Destroy(world);
    }
}

// What stands still stays to the bit, what the host moves goes as it says, what touches nothing flies, forces act once, and no
// touch is written that is not among the solver's.
static void test_solveLeavesAlone(void** state) {
    (void)state;
    enum { BODIES = 41, EXTRA = 3 };
    grzRng rng = grzRng_Make(testSeed(806), 0);
    grzWorld* world = makeWorld(NULL);
    world->timeStep = 1.0f / 60;
    addSolveBodies(world, &rng, BODIES);
    grzBodyDef def = grzDefaultBodyDef();
    def.shape = grzMakeSphere(grzVec3_Zero(), 0.5f);
    def.velocity = grzVec3_Make(1, 2, 3);
    const grzBodyId flier = addWithRow(world, &def);
    const float mass = viewOf(world, flier).mass;
    must(grzWorld_AddForce(world, flier, grzVec3_Make(6 * mass, 0, 0), grzVec3_Zero()));
    const uint32_t touches = fillChain(world, &rng, BODIES, false), slot = flier.index1 - 1;
    grzTouchStore* store = storeOf(world);
    assert_true(TOUCH_UNITS * (touches + EXTRA) <= store->units.count);
    for (uint32_t i = 0; i < EXTRA; ++i)
        fillTouch(store, touches + i, &rng, 2, 3);
    grzTouch behind[EXTRA];
    memcpy(behind, touchIn(store, touches), sizeof behind);
    grzBodyState before[BODIES];
    memcpy(before, world->states.data, sizeof before);
    memcpy(world->startStates.data, world->states.data,
           world->states.count * sizeof *before); // as plan leaves them
    must(grzWorld_Solve(world));
    assert_memory_equal(touchIn(store, touches), behind, sizeof behind);
    assert_memory_equal(world->startStates.data, before, sizeof before);
    uint32_t moved = 0;
    for (uint32_t i = 0; i < BODIES; ++i) {
        const grzBodyState* after = &world->states.data[i];
        if (i % 5 == 0) {
            assert_memory_equal(after, &before[i], sizeof *after);
        } else if (i % 5 == 1) {
            const grzVec3 goal = grzAddScaled(before[i].center, world->timeStep, before[i].velocity);
            assert_true(grzDistance(after->center, goal) < 1e-5f);
            assert_memory_equal(&after->velocity, &before[i].velocity, sizeof after->velocity);
        } else {
            moved += memcmp(&after->velocity, &before[i].velocity, sizeof after->velocity) != 0;
        }
    }
    assert_true(moved > BODIES / 2);
    // The force acts at once; gravity in each of four substeps, velocity first.
    const grzBodyState* flown = &world->states.data[slot];
    const float h = world->timeStep / 4;
    const grzVec3 speed = grzVec3_Make(1 + 6 * world->timeStep, 2 - 9.81f * world->timeStep, 3);
    const grzVec3 place = grzVec3_Make(speed.x * 4 * h, 2 * 4 * h - 9.81f * h * h * 10, 3 * 4 * h);
    assert_true(grzDistance(flown->velocity, speed) < 1e-4f);
    assert_true(grzDistance(flown->center, place) < 1e-5f);
    assert_true(grzLengthSq(world->bodies.data[slot].force) == 0);
    grzWorld_Destroy(world);
}

static void collideCloth(grzWorld* world, grzBodyId cloth) {
    grzClothBody* body = world->colliders.data[grzWorld_RowOf(world, cloth.index1 - 1)].cloth;
    grzClothBody_Predict(body, world->timeStep, world->def.gravity); // as plan does
    must(grzWorld_CollideCloth(world));
}

// Where a body would end beyond numbers, after all substeps, neither states nor cloth nor forces change.
static void test_solveRefused(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    const uint32_t pin = 3;
    const grzBodyId cloth = addCloth(world, grzVec3_Zero(), &pin, 1);
    const uint32_t slot = addBall(world, grz_dynamicBody, 0.5f).index1 - 1;
    uint64_t hashes[2];
    for (int isDisturbed = 0; isDisturbed < 2; ++isDisturbed) {
        const grzMeshView sheet = grzMesh_GetView(g_kit.sheet);
        must(grzWorld_PlaceCloth(world, cloth, sheet.positions32, NULL));
        world->states.data[slot].center = world->states.data[slot].velocity = grzVec3_Zero();
        for (int round = 0; round < 5; ++round) {
            const grzBodyState good = world->states.data[slot];
            const grzBodyState bad = {grzVec3_Make(0, -3.4e38f, 0), good.rotation, grzVec3_Make(0, -3.4e38f, 0),
                                      good.spin};
            const uint64_t before = grzWorld_HashState(world);
            world->timeStep = 1;
            if (isDisturbed != 0) {
                world->states.data[slot] = world->startStates.data[slot] = bad;
                world->bodies.data[slot].force = grzVec3_Make(1, 2, 3);
                collideCloth(world, cloth);
                mustBe(grzWorld_Solve(world), grz_notFinite);
                assert_memory_equal(&world->states.data[slot], &bad, sizeof bad);
                assert_true(world->bodies.data[slot].force.z == 3);
                world->states.data[slot] = good;
                world->bodies.data[slot].force = grzVec3_Zero();
                assert_int_equal(grzWorld_HashState(world), before);
            }
            world->timeStep = 1.0f / 60;
            collideCloth(world, cloth);
            must(grzWorld_Solve(world));
            assert_int_not_equal(grzWorld_HashState(world), before);
        }
        hashes[isDisturbed] = grzWorld_HashState(world);
    }
    assert_int_equal(hashes[0], hashes[1]);
    grzWorld_Destroy(world);
}

// ------------------------------------------------------------------------------------------------------------- publish

enum { PUBLISH_SLOTS = 60 };

// A table of some pairs with some touches; rows of one step whose contacts are counted.
static void fillTable(grzWorld* world, grzRng* rng, size_t count) {
    size_t all, kept = 0;
    grzBodyPair* pairs = allPairs(PUBLISH_SLOTS, &all);
    for (size_t i = 0; i < all; ++i) // each as likely as the others
        if (grzRng_Below(rng, (uint32_t)(all - i)) < count - kept)
            pairs[kept++] = pairs[i];
    assert_int_equal(kept, count);
    fillRows(world, pairs, count);
    free(pairs);
    grzStepTable* table = &world->tables[world->now];
    uint32_t place = 0;
    makeRoom(world, 3 * count);
    table->touchingCount = 0;
    for (size_t i = 0; i < count; ++i) {
        grzPairRow* row = grzWorld_PairAt(world, i);
        grzPairFound* found = &row->found[world->now];
        row->way = grz_pairConvex;
        found->firstTouch = place;
        found->touchCount = grzRng_Below(rng, 4);
        uint32_t ordinal = 0;
        for (uint32_t k = 0; k < found->touchCount; ++k) {
            grzTouchStore rest = *storeOf(world); // from the place on
            rest.units.data += place, rest.names.data += place;
            fillTouch(&rest, 0, rng, row->a, row->b);
            const grzTouch* touch = touchIn(&rest, 0);
            place += grzTouch_UnitCount(touch);
            for (uint32_t p = 0; p < touch->pointCount; ++p) {
                rest.names.data[p].ordinal = ordinal++ ^ 5; // not in order
                found->isTouching |= touch->points[p].separation <= 0;
            }
            found->contactCount += touch->pointCount;
        }
        world->rowBlocks.data[i / GRZ_PAIR_BLOCK].contacts += found->contactCount;
        world->rowBlocks.data[i / GRZ_PAIR_BLOCK].touching += found->isTouching;
        table->touchingCount += found->isTouching;
    }
}

static int compareContacts(const void* a, const void* b) {
    return grzCompareRecords(&grzContactType, a, b);
}

static int compareEvents(const void* a, const void* b) {
    return grzCompareRecords(&grzEventType, a, b);
}

static size_t wantedContacts(const grzWorld* world, grzContact* contacts) {
    size_t count = 0;
    for (size_t i = 0; i < grzWorld_PairCount(world); ++i) {
        const grzPairRow* row = grzWorld_PairAt(world, i);
        const grzTouchSpan span = grzWorld_TouchesOf(world, &world->tables[world->now], grzWorld_Found(world, row));
        for (uint32_t k = 0, place = 0; k < span.count; ++k) {
            const grzTouch* touch = grzTouch_Read(span.units, place);
            const grzTouchName* names = span.names + place;
            place += grzTouch_UnitCount(touch);
            for (uint32_t p = 0; p < touch->pointCount; ++p) {
                const grzTouchPoint* point = &touch->points[p];
                grzContact* contact = &contacts[count++];
                memset(contact, 0, sizeof *contact);
                const grzVec3 a = grzAdd(world->startStates.data[row->a].center, grzVec3_Load(point->anchorA));
                const grzVec3 b = grzAdd(world->startStates.data[row->b].center, grzVec3_Load(point->anchorB));
                contact->point = grzScale(grzAdd(a, b), 0.5f);
                contact->normal = touch->normal;
                contact->separation = point->separation;
                contact->toi = point->separation <= 0 ? 0.0f : 1.0f;
                contact->bodyA = grzWorld_BodyAt(world, row->a);
                contact->bodyB = grzWorld_BodyAt(world, row->b);
                contact->triangleA = contact->triangleB = GRZ_NO_TRIANGLE;
                contact->featureA = names[p].featureA, contact->featureB = names[p].featureB;
                contact->ordinal = names[p].ordinal;
            }
        }
    }
    qsort(contacts, count, sizeof *contacts, compareContacts);
    return count;
}

static void addEvent(const grzPairRow* row, bool isGone, grzEventKind kind, const grzContact* contacts,
                     size_t contactCount, grzEvent* event) {
    memset(event, 0, sizeof *event);
    event->bodyA = row->idA, event->bodyB = row->idB, event->kind = (uint32_t)kind;
    for (size_t i = 0; i < contactCount && !isGone; ++i)
        if (slotOf(contacts[i].bodyA) < slotOf(row->idA) ||
            (slotOf(contacts[i].bodyA) == slotOf(row->idA) && slotOf(contacts[i].bodyB) < slotOf(row->idB)))
            ++event->firstContact;
        else if (slotOf(contacts[i].bodyA) == slotOf(row->idA) && slotOf(contacts[i].bodyB) == slotOf(row->idB))
            ++event->contactCount;
}

static bool isRemoved(const grzWorld* world, const grzPairRow* row) {
    return world->pairs.isRemoved.data[slotOf(row->idA)] != 0 || world->pairs.isRemoved.data[slotOf(row->idB)] != 0;
}

static bool isListed(const grzWorld* world, const grzPairRow* row) {
    for (size_t i = 0; i < grzWorld_PairCount(world); ++i)
        if (world->pairs.view.pairs[i].a == slotOf(row->idA) && world->pairs.view.pairs[i].b == slotOf(row->idB))
            return true;
    return false;
}

static size_t wantedEvents(const grzWorld* world, const LastPairs* last, const grzContact* contacts,
                           size_t contactCount, grzEvent* events) {
    size_t count = 0;
    for (size_t i = 0; i < grzWorld_PairCount(world); ++i) {
        const grzPairRow *row = grzWorld_PairAt(world, i),
                         *before = lastOf(last, slotOf(row->idA), slotOf(row->idB));
        const bool did = before != NULL && !isRemoved(world, row) && before->found[1 - world->now].isTouching;
        const bool does = grzWorld_Found(world, row)->isTouching;
        if (did || does)
            addEvent(row, false,
                     !did   ? grz_beginEvent
                     : does ? grz_persistEvent
                            : grz_endEvent,
                     contacts, contactCount, &events[count++]);
    }
    for (size_t i = 0; i < last->count; ++i) {
        const grzPairRow* row = &last->rows[i];
        if (row->found[1 - world->now].isTouching && (isRemoved(world, row) || !isListed(world, row)))
            addEvent(row, true, grz_endEvent, contacts, contactCount, &events[count++]);
    }
    qsort(events, count, sizeof *events, compareEvents);
    return count;
}

static void checkPublished(grzWorld* world, const LastPairs* last) {
    const grzWorldContacts found = grzWorld_GetContacts(world);
    grzContact* contacts = malloc((storeOf(world)->units.count + 1) * sizeof *contacts);
    grzEvent* events = malloc((grzWorld_PairCount(world) + last->count + 1) * sizeof *events);
    assert_true(contacts != NULL && events != NULL);
    const size_t contactCount = wantedContacts(world, contacts);
    assert_int_equal(found.contactCount, contactCount);
    for (size_t i = 0; i < contactCount; ++i) {
        assert_memory_equal(&found.contacts[i], &contacts[i], sizeof *contacts);
        assert_true(i == 0 || compareContacts(&contacts[i - 1], &contacts[i]) < 0);
    }
    const size_t eventCount = wantedEvents(world, last, contacts, contactCount, events);
    assert_int_equal(found.eventCount, eventCount);
    for (size_t i = 0; i < eventCount; ++i)
        assert_memory_equal(&found.events[i], &events[i], sizeof *events);
    free(contacts);
    free(events);
}

// Boxes hold the bodies where they are now, and the tree's hold these.
static void checkSettled(const grzWorld* world) {
    for (uint32_t slot = 0; slot < PUBLISH_SLOTS; ++slot) {
        const grzCollider* collider = &world->colliders.data[slot];
        const grzBox box = grzConvex_Box(&collider->shape, collider->pose);
        assert_memory_equal(&box, &world->boxes.data[slot], sizeof box);
        assert_true(grzBox_ContainsPoint(box, world->states.data[slot].center));
        grzTreeObject object;
        const grzBodyRecord* record = grzWorld_Record(world, slot);
        assert_true(grzTree_Get(record->isStill ? world->near->tree : world->tree, record->treeId, &object));
        assert_true(grzBox_Contains(object.box, box));
    }
}

static void test_publish(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(807), 0);
    for (int round = 0; round < 2 * EDGE_COUNT + 3; ++round) {
        grzWorld* world = makeWorld(NULL);
        for (uint32_t i = 0; i < PUBLISH_SLOTS; ++i) {
            addBall(world, (grzBodyKind)(i % 3), 0.3f);
            world->startStates.data[i].center = vectorIn(&rng, 5);
            if (i % 3 != 0) // has moved in this step, out of its box in the tree too
                world->states.data[i].center = vectorIn(&rng, 50);
        }
        const int kind = round - 2 * EDGE_COUNT; // also: nothing now, nothing before, nothing at all
        const size_t now = kind >= 0 ? (kind == 1 ? 300 : 0) : g_edges[round / 2];
        const size_t last = kind >= 0 ? (kind == 0 ? 300 : 0) : round % 2 != 0 ? 520 : g_edges[round / 2];
        fillTable(world, &rng, last);
        grzPairRows_Close(&world->pairs, true);
        LastPairs before = copyPairs(world);
        for (uint32_t slot = 0; slot < PUBLISH_SLOTS;
             ++slot) // another body since, whose generation does not matter here
            if (round % 3 != 0 && grzRng_Below(&rng, 10) == 0)
                grzPairRows_RemoveSlot(&world->pairs, slot);
        fillTable(world, &rng, now);
        must(grzWorld_CountContacts(world)); // the end of the narrow stage
        grzWorld_Publish(world);
        checkPublished(world, &before);
        checkSettled(world);
        assert_int_equal(grzWorld_GetStats(world).bodyPairs, now);
        grzWorld_Publish(world); // once more, over its own leavings
        checkPublished(world, &before);
        freePairs(&before);
        grzWorld_Destroy(world);
    }
}

// ------------------------------------------------------------------------------------------------- reading what is to come

#define SPOIL(array) spoil((array).data, (array).capacity * sizeof *(array).data)

static void spoil(void* data, size_t size) {
    if (size != 0)
        memset(data, 0xA5, size);
}

// What the stage and those after it write in a step, in arrays that hold nothing that goes on from step to step. Fields of rows and
// blocks that a later stage writes are spoiled where earlier ones have made the rows.
static void spoilRows(grzWorld* world, grzStage stage) {
    for (size_t i = 0; i < grzWorld_PairCount(world); ++i) {
        grzPairRow* row = grzWorld_PairAt(world, i);
        grzPairFound* found = &row->found[world->now];
        if (stage <= grz_stageMid) {
            row->way = row->isYielding = 0xA5;
            row->reach = NAN;
        }
        if (stage <= grz_stageNarrow) {
            found->isTouching = found->pose = 1;
            found->firstTouch = found->touchCount = found->contactCount = 0xA5A5A5A5u;
            const grzPairFound* last = grzWorld_LastFound(world, row);
            spoil(&row->poses[last != NULL ? 1 - last->pose : 0], sizeof *row->poses);
        }
        row->firstContact = stage <= grz_stagePublish ? 0xA5A5A5A5u : row->firstContact;
    }
    for (size_t i = 0; i < world->rowBlocks.count; ++i) {
        grzPairBlock* block = &world->rowBlocks.data[i];
        if (stage <= grz_stageMid)
            block->collided = block->recycled = block->meshes = block->cloths = 0xA5A5A5A5u;
        if (stage <= grz_stageNarrow)
            block->touches = block->units = block->keptUnits = block->contacts = block->events = block->touching =
                0xA5A5A5A5u;
    }
}

// Before the broad stage: all that rows hold but what the last step has found.
static void spoilPairs(grzWorld* world) {
    for (size_t i = 0; i < world->pairs.rows.count; ++i) {
        grzPairRow row = world->pairs.rows.data[i];
        grzPairRow* now = &world->pairs.rows.data[i];
        spoil(now, sizeof *now);
        now->idA = row.idA, now->idB = row.idB;
        now->found[world->now] = row.found[world->now];
        now->poses[row.found[world->now].pose & 1] = row.poses[row.found[world->now].pose & 1];
    }
}

// All units but those of the pairs of a step, which is this one or the last one.
static void spoilTouches(grzWorld* world, uint32_t step) {
    const grzStepTable* last = &world->tables[step];
    grzTouchStore *store = &world->stores[last->store], *other = &world->stores[1 - last->store];
    const size_t count = store->units.count;
    SPOIL(other->units);
    SPOIL(other->names);
    SPOIL(world->touchPlaces);
    unsigned char* isUsed = calloc(count + 1, 1);
    for (size_t i = 0; i < grzWorld_PairCount(world); ++i) {
        const grzPairRow* row = grzWorld_PairAt(world, i);
        const grzPairFound* found = &row->found[step];
        if ((step == world->now || !row->isNew) && found->touchCount != 0)
            memset(&isUsed[found->firstTouch], 1, found->touchCount + found->contactCount);
    }
    for (size_t i = 0; i < count; ++i)
        if (isUsed[i] == 0) {
            spoil(&store->units.data[i], sizeof *store->units.data);
            spoil(&store->names.data[i], sizeof *store->names.data);
        }
    free(isUsed);
}

static void spoilScratch(grzWorld* world, grzStage stage) {
    grzNarrow* narrow = world->narrow;
    grzStepTable *now = &world->tables[world->now], *next = &world->tables[1 - world->now];
    if (stage <= grz_stagePlan) {
        SPOIL(world->startStates);
        SPOIL(world->sweeps);
        SPOIL(world->motions);
    }
    if (stage <= grz_stageBroad) {
        spoilPairs(world);
        SPOIL(next->meshContacts);
        spoilTouches(world, world->now);
        next->store = next->touchingCount = 0xA5A5A5A5u;
        SPOIL(world->rowBlocks);
        SPOIL(world->treeBoxes);
    }
    if (stage <= grz_stageMid) {
        SPOIL(narrow->places);
        SPOIL(narrow->meshRows);
        SPOIL(narrow->meshPairs);
    }
    if (stage <= grz_stageNarrow) {
        SPOIL(narrow->meshCounts);
        SPOIL(narrow->meshGroups);
        SPOIL(narrow->meshVelocities);
    }
    if (stage == grz_stageMid || stage == grz_stageNarrow) {
        SPOIL(now->meshContacts);
        spoilTouches(world, 1 - world->now);
        now->store = now->touchingCount = 0xA5A5A5A5u;
    }
    if (stage <= grz_stageNarrow) {
        SPOIL(narrow->blockPlaces);
        SPOIL(narrow->pairs);
        SPOIL(narrow->margins);
        SPOIL(narrow->manifolds);
        SPOIL(world->obstacles);
        SPOIL(world->obstacleEnds);
        world->contactCount = 0xA5A5A5A5u;
    }
    SPOIL(world->contacts);
    SPOIL(world->impulses);
    SPOIL(world->events);
    spoil(&world->stats.bodyPairs, sizeof world->stats.bodyPairs);
}

static void runStages(grzWorld* world, bool isSpoiled, bool isCollideOnly) {
    world->timeStep = 1.0f / 60;
    world->isCollideOnly = isCollideOnly;
    for (int stage = 0; stage < grz_stageUser; ++stage) {
        if (isSpoiled)
            spoilScratch(world, (grzStage)stage);
        if (isSpoiled && stage >= grz_stageMid)
            spoilRows(world, (grzStage)stage);
        switch ((grzStage)stage) {
        case grz_stagePlan:
            grzWorld_Plan(world);
            break;
        case grz_stageBroad:
            must(grzWorld_Broad(world));
            break;
        case grz_stageMid:
            must(grzWorld_Mid(world));
            break;
        case grz_stageNarrow:
            must(grzWorld_Narrow(world));
            break;
        case grz_stageSolve:
            if (!isCollideOnly)
                must(grzWorld_Solve(world));
            break;
        case grz_stagePublish:
            grzWorld_Publish(world);
            break;
        case grz_stageUser:
        case grz_stageCount:
        default:
            break;
        }
    }
    world->time += (double)world->timeStep;
    ++world->stepCount;
}

// Three worlds: led by Step, by the stages, and by the stages with all that they are to write made nonsense before each.
static void test_noStageReadsAhead(void** state) {
    (void)state;
    static const uint32_t counts[MIX_COUNT] = {40, 12, 5, 14, 8};
    for (int mix = 0; mix < MIX_COUNT; ++mix) {
        grzWorld* worlds[3];
        for (int i = 0; i < 3; ++i) {
            worlds[i] = makeWorld(NULL);
            fillWorld(worlds[i], (WorldMix)mix, counts[mix], 808);
        }
        uint64_t contacts = 0;
        for (int step = 0; step < 45; ++step) {
            const bool isCollideOnly = step % 9 == 8;
            must(isCollideOnly ? grzWorld_Collide(worlds[0], 1.0f / 60) : grzWorld_Step(worlds[0], 1.0f / 60));
            runStages(worlds[1], false, isCollideOnly);
            runStages(worlds[2], true, isCollideOnly);
            const uint64_t wanted = grzWorld_HashContacts(worlds[0]), wantedState = grzWorld_HashState(worlds[0]);
            for (int i = 1; i < 3; ++i)
                if (grzWorld_HashContacts(worlds[i]) != wanted || grzWorld_HashState(worlds[i]) != wantedState)
                    fail_msg("mix %d, step %d: %s", mix, step,
                             i == 1 ? "not what Step does" : "a stage has read ahead");
            contacts += grzWorld_GetStats(worlds[2]).contacts;
            assert_int_equal(grzWorld_GetStats(worlds[2]).bodyPairs, grzWorld_GetStats(worlds[0]).bodyPairs);
            assert_int_equal(grzWorld_GetStats(worlds[2]).recycledPairs,
                             grzWorld_GetStats(worlds[0]).recycledPairs);
            assert_int_equal(grzWorld_GetStats(worlds[2]).touchingPairs,
                             grzWorld_GetStats(worlds[0]).touchingPairs);
        }
        assert_true(contacts > 100);
        for (int i = 0; i < 3; ++i) {
            assert_true(grzWorld_Validate(worlds[i]));
            grzWorld_Destroy(worlds[i]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_broad),
        cmocka_unit_test(test_pairRows),
        cmocka_unit_test(test_midMeshes),
        cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_narrowCloth),
        cmocka_unit_test(test_solveOneTouch),
        cmocka_unit_test(test_solveMomentum),
        cmocka_unit_test(test_solveLeavesAlone),
        cmocka_unit_test(test_solveRefused),
        cmocka_unit_test(test_publish),
        cmocka_unit_test(test_noStageReadsAhead),
    };
    return cmocka_run_group_tests(tests, makeWorldKit, destroyWorldKit);
}
