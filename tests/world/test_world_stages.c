// Each stage of a step by itself, over arrays that the test has filled, against a plain reference; and that no stage reads what it or
// a later one writes in the same step.
#include "world_testing.h"

#include <math.h>

#include "animated_inside.h"
#include "contact_touch.h"
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
        def.mask = grzRng_Below(rng, 8);
        def.mask |= grzRng_Below(rng, 2) != 0 ? ~(uint64_t)7 : 0;
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
    uint32_t place = 0;
    while (world->narrow->meshPairs.data[place].rowA != row->a ||
           world->narrow->meshPairs.data[place].rowB != row->b)
        ++place;
    const grzMeshCandidates candidates = grzMeshTouches_GetCandidates(world->narrow->mesh, place);
    for (size_t i = 0; i < candidates.count; ++i) {
        const grzTrianglePair* pair = &candidates.pairs[i];
        assert_int_equal(pair->bodyPair, place);
        if (pair->triangleA == triangleA && pair->triangleB == triangleB)
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
            const grzContactSpan found = world->clothSpans.data[now->span];
            bool isTouching = false;
            assert_int_equal(found.count, now->contactCount);
            for (uint32_t k = 0; k < found.count; ++k) {
                assert_int_equal(grzContactSpan_At(&found, k)->bodyA.index1, row->idA.index1);
                assert_int_equal(grzContactSpan_At(&found, k)->bodyB.index1, row->idB.index1);
                isTouching = isTouching || grzContactSpan_At(&found, k)->separation <= 0;
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

// A world looks at the trees of its animated meshes, too.
static void test_validatesAnimated(void** state) {
    (void)state;
    grzWorld* world = makeWorld(NULL);
    const grzBodyId id = addAnimated(world, g_kit.sheet, grz_animateKeyframes);
    const float* goal = movedPositions(g_kit.sheet, grzVec3_Splat(1), grzVec3_Make(0, 1, 0));
    must(grzWorld_AddKeyframe(world, id, 1, goal));
    stepWorld(world, 3);
    const uint32_t row = grzWorld_RowOf(world, id.index1 - 1);
    float* broken = world->colliders.data[row].animated->frames.data[1].positions;
    const float kept = *broken;
    *broken = (float)NAN;
    assert_false(grzWorld_Validate(world));
    *broken = kept;
    assert_true(grzWorld_Validate(world));
    grzWorld_Destroy(world);
}

// --------------------------------------------------------------------------------------------------------------- solve

static void collideCloth(grzWorld* world, grzBodyId cloth) {
    grzClothBody* body = world->colliders.data[grzWorld_RowOf(world, cloth.index1 - 1)].cloth;
    grzClothBody_Predict(body, world->timeStep, world->def.gravity); // as plan does
    must(grzWorld_CollideCloth(world));
}

// A body that would end beyond numbers, after all substeps, is stopped, and the stage is refused. Cloth and forces do
// not change, and a stop can be taken back.
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
                must(grzWorld_AddForce(world, grzWorld_BodyAt(world, slot), grzVec3_Make(1, 2, 3), grzVec3_Zero()));
                collideCloth(world, cloth);
                mustBe(grzWorld_Solve(world), grz_notFinite);
                assert_int_equal(world->stopped.count, 1);
                assert_true(grzLengthSq(world->states.data[slot].velocity) == 0);
                grzWorld_EndStops(world, false); // as a refused step does
                assert_memory_equal(&world->states.data[slot], &bad, sizeof bad);
                assert_true(world->pushes.data[slot].force.z == 3);
                world->states.data[slot] = good;
                world->pushes.data[slot].force = grzVec3_Zero();
                world->hasForces = false;
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

static void test_settle(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(807), 0);
    grzWorld* world = makeWorld(NULL);
    for (uint32_t i = 0; i < PUBLISH_SLOTS; ++i)
        addBall(world, (grzBodyKind)(i % 3), 0.3f);
    for (int round = 0; round < 10; ++round) {
        for (uint32_t i = 0; i < PUBLISH_SLOTS; ++i)
            if (i % 3 != 0) // has moved in this step, out of its box in the tree too
                world->states.data[i].center = vectorIn(&rng, 50);
        grzWorld_Publish(world);
        checkSettled(world);
    }
    grzWorld_Destroy(world);
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
            row->way = row->yielding = 0xA5;
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
            block->collided = block->recycled = block->meshes = block->cloths = block->grounds = 0xA5A5A5A5u;
        if (stage <= grz_stageNarrow)
            block->firstCollided = block->touches = block->units = block->keptUnits = block->contacts =
                block->firstContact = block->firstEvent = block->touching = 0xA5A5A5A5u;
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
    const uint32_t at = world->touches->storeOf[step];
    grzTouchStore *store = &world->touches->stores[at], *other = &world->touches->stores[1 - at];
    const size_t count = store->units.count;
    SPOIL(other->units);
    SPOIL(other->names);
    SPOIL(world->touches->places);
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
        world->touches->storeOf[1 - world->now] = next->touchingCount = 0xA5A5A5A5u;
        SPOIL(world->rowBlocks);
        SPOIL(world->treeBoxes);
    }
    if (stage <= grz_stageMid) {
        SPOIL(narrow->meshRows);
        SPOIL(narrow->meshPairs);
    }
    if (stage <= grz_stageNarrow) {
        SPOIL(world->touches->groups);
        SPOIL(narrow->meshVelocities);
    }
    if (stage == grz_stageMid || stage == grz_stageNarrow) {
        SPOIL(now->meshContacts);
        spoilTouches(world, 1 - world->now);
        world->touches->storeOf[world->now] = now->touchingCount = 0xA5A5A5A5u;
    }
    if (stage <= grz_stageNarrow) {
        SPOIL(narrow->places);
        SPOIL(narrow->pairs);
        SPOIL(narrow->margins);
        SPOIL(narrow->manifolds);
        SPOIL(world->obstacles);
        SPOIL(world->obstacleEnds);
        SPOIL(world->clothSpans);
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
        cmocka_unit_test(test_narrowCloth),
        cmocka_unit_test(test_validatesAnimated),
        cmocka_unit_test(test_solveRefused),
        cmocka_unit_test(test_settle),
        cmocka_unit_test(test_noStageReadsAhead),
    };
    return cmocka_run_group_tests(tests, makeWorldKit, destroyWorldKit);
}
