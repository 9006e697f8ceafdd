// The narrow stage over arrays, without a world: manifolds of pairs, and touches that are found, carried over or kept, step after step.
#include "testing.h"

#include <math.h>

#include "contact_touch.h"
#include "graze/stage/step_contacts.h"
#include "graze/tasks.h"
#include "rng.h"

enum { BODIES = 30, MOST = BODIES * (BODIES - 1) / 2, MOST_ROWS = 2 * MOST, BLOCKS = MOST / GRZ_PAIR_BLOCK + 1 };
enum { MESH_CONTACTS = 6 * MOST };

typedef struct Shape {
    float before;
    grzPosedConvex posed;
} Shape;

// Bodies, and all pairs of them at scattered rows. Contacts of the pairs that are said to be of meshes are made up.
typedef struct Scene {
    grzBodyState states[BODIES];
    grzShapeTraits traits[BODIES];
    Shape shapes[BODIES];
    uint8_t moved[BODIES];
    grzPairRow rows[MOST_ROWS];
    uint32_t order[MOST];
    grzPairBlock blocks[BLOCKS];
    grzStepPairs pairs;
    uint32_t places[MOST];
    grzBodyPair bodies[MOST];
    float margins[MOST];
    grzManifold manifolds[MOST];
    grzContact contacts[2][MESH_CONTACTS]; // by now
    grzVec3 velocities[MESH_CONTACTS];
    uint32_t contactCount;
    grzTouches* touches;
} Scene;

static const float g_margin = 0.02f, g_share = 0.003f, g_timeStep = 0.25f;

static grzVec3 vectorIn(grzRng* rng, float size) {
    const float x = grzRng_Float(rng), y = grzRng_Float(rng), z = grzRng_Float(rng);
    return grzScale(grzSub(grzVec3_Make(x, y, z), grzVec3_Splat(0.5f)), 2 * size);
}

static grzQuat turnIn(grzRng* rng, float most) {
    const float angle = most * grzRng_Float(rng);
    return grzQuat_Normalize(grzQuat_FromAxisAngle(grzNormalize(vectorIn(rng, 1)), angle));
}

static void placeBody(Scene* scene, uint32_t i, grzVec3 center, grzQuat rotation) {
    scene->states[i].center = center;
    scene->states[i].rotation = rotation;
    scene->shapes[i].posed.pose = grzTransform_FromQuat(rotation, center);
    scene->moved[i] = 1;
}

// pairCount: the first of all pairs, in order.
static void makeScene(Scene* scene, grzRng* rng, uint32_t pairCount) {
    memset(scene, 0, sizeof *scene);
    assert_true(grzResult_IsOk(grzTouches_Create((grzAllocator){0}, &scene->touches)));
    for (uint32_t i = 0; i < BODIES; ++i) {
        const grzVec3 half = grzAdd(grzVec3_Splat(0.3f), vectorIn(rng, 0.2f));
        scene->shapes[i].posed.shape =
            i % 3 == 0 ? grzMakeSphere(grzVec3_Zero(), half.x) : grzMakeBox(grzVec3_Zero(), half);
        const float friction = grzRng_Float(rng), restitution = grzRng_Float(rng);
        scene->traits[i] = (grzShapeTraits){1, friction, restitution, grz_convexCollider, {0}};
        if (i % 5 == 4)
            scene->traits[i].kind = i % 2 == 0 ? grz_meshCollider : grz_animatedCollider;
        placeBody(scene, i, vectorIn(rng, 1.2f), turnIn(rng, 6));
    }
    uint32_t count = 0;
    for (uint32_t a = 0; a < BODIES; ++a)
        for (uint32_t b = a + 1; b < BODIES && count < pairCount; ++b) {
            const uint32_t place = 2 * count + grzRng_Below(rng, 2);
            scene->rows[place].a = a, scene->rows[place].b = b;
            scene->rows[place].isNew = true;
            scene->order[count++] = place;
        }
    scene->pairs = (grzStepPairs){scene->rows, scene->order, pairCount, 1, scene->blocks};
}

static bool isOfMeshes(const Scene* scene, const grzPairRow* row) {
    return scene->traits[row->a].kind != grz_convexCollider || scene->traits[row->b].kind != grz_convexCollider;
}

// Some contacts of a few normals, with keys in order.
static void makeUpContacts(Scene* scene, grzRng* rng, grzPairFound* found) {
    const grzVec3 normals[2] = {grzNormalize(vectorIn(rng, 1)), grzNormalize(vectorIn(rng, 1))};
    found->firstMesh = scene->contactCount;
    found->meshCount = grzRng_Below(rng, 7);
    for (uint32_t k = 0; k < found->meshCount; ++k) {
        grzContact* contact = &scene->contacts[scene->pairs.now][scene->contactCount];
        memset(contact, 0, sizeof *contact);
        contact->point = vectorIn(rng, 1);
        contact->normal = normals[grzRng_Below(rng, 2)];
        contact->separation = 0.03f * (grzRng_Float(rng) - 0.5f);
        contact->featureA = k / 2, contact->ordinal = k % 2;
        scene->velocities[scene->contactCount++] = vectorIn(rng, 1);
    }
}

static void keepContacts(Scene* scene, const grzPairFound* last, grzPairFound* found) {
    found->firstMesh = scene->contactCount;
    found->meshCount = last->meshCount;
    for (uint32_t k = 0; k < last->meshCount; ++k)
        scene->contacts[scene->pairs.now][scene->contactCount++] =
            scene->contacts[1 - scene->pairs.now][last->firstMesh + k];
}

// The next step, as mid leaves it. Every third pair that is not new keeps its contacts.
static void beginStep(Scene* scene, grzRng* rng) {
    static const float reaches[3] = {0.02f, 0.05f, 0.9f};
    scene->pairs.now = 1 - scene->pairs.now;
    scene->contactCount = 0;
    memset(scene->blocks, 0, sizeof scene->blocks);
    for (uint32_t i = 0; i < scene->pairs.count; ++i) {
        grzPairRow* row = grzStepPairs_At(&scene->pairs, i);
        grzPairFound *found = &row->found[scene->pairs.now], *last = &row->found[1 - scene->pairs.now];
        memset(found, 0, sizeof *found);
        row->way = (uint8_t)(!row->isNew && grzRng_Below(rng, 3) == 0 ? grz_pairRecycled
                             : isOfMeshes(scene, row)                 ? grz_pairMesh
                                                                      : grz_pairConvex);
        row->reach = reaches[grzRng_Below(rng, 3)];
        row->yielding = (uint8_t)((row->a % 3 == 2) + (row->b % 3 == 2));
        scene->blocks[i / GRZ_PAIR_BLOCK].collided += row->way == grz_pairConvex;
        if (row->way == grz_pairMesh)
            makeUpContacts(scene, rng, found);
        else if (row->way == grz_pairRecycled)
            keepContacts(scene, last, found);
    }
}

static void endStep(Scene* scene, grzRng* rng) {
    for (uint32_t i = 0; i < scene->pairs.count; ++i)
        grzStepPairs_At(&scene->pairs, i)->isNew = grzRng_Below(rng, 8) == 0;
}

static grzCollideInput collideInputOf(Scene* scene) {
    grzCollideInput input = grzDefaultCollideInput();
    input.pairs = scene->pairs;
    input.posed = &scene->shapes[0].posed, input.posedStride = sizeof *scene->shapes;
    input.moved = scene->moved;
    input.bodyCount = BODIES, input.margin = g_margin;
    return input;
}

static grzCollideOutput collideOutputOf(Scene* scene) {
    return (grzCollideOutput){scene->places, scene->bodies, scene->margins, scene->manifolds};
}

static grzNarrowInput narrowInputOf(const Scene* scene) {
    grzNarrowInput input = grzDefaultNarrowInput();
    input.pairs = scene->pairs;
    input.states = scene->states, input.traits = scene->traits;
    input.places = scene->places, input.manifolds = scene->manifolds;
    input.contacts = scene->contacts[scene->pairs.now], input.contactCount = scene->contactCount;
    input.velocities = scene->velocities, input.timeStep = g_timeStep;
    input.margin = g_margin, input.marginShare = g_share;
    return input;
}

static void runStep(Scene* scene, grzTasks* tasks) {
    grzCollideInput collide = collideInputOf(scene);
    const grzCollideOutput output = collideOutputOf(scene);
    collide.tasks = tasks;
    assert_true(grzResult_IsOk(grzStep_Collide(&collide, &output)));
    grzNarrowInput narrow = narrowInputOf(scene);
    narrow.tasks = tasks;
    assert_true(grzResult_IsOk(grzStep_Narrow(scene->touches, &narrow)));
}

// ----------------------------------------------------------------------------------------------------------- manifolds

// The margin, or the next of those four times as large each.
static float marginFor(float reach) {
    float margin = g_margin;
    while (reach > margin)
        margin *= 4;
    return margin;
}

static void checkManifolds(const Scene* scene) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene->pairs.count; ++i) {
        const grzPairRow* row = grzStepPairs_At(&scene->pairs, i);
        const grzPosedConvex *a = &scene->shapes[row->a].posed, *b = &scene->shapes[row->b].posed;
        if (row->way != grz_pairConvex)
            continue;
        grzManifold manifold;
        assert_true(grzResult_IsOk(
            grzConvex_Collide(&a->shape, a->pose, &b->shape, b->pose, marginFor(row->reach), &manifold)));
        assert_int_equal(scene->places[i], count++);
        assert_memory_equal(&scene->manifolds[scene->places[i]], &manifold, sizeof manifold);
    }
    assert_int_equal(grzStepPairs_CollidedCount(&scene->pairs), count);
}

// Shapes that moved are posed where a pair needs them; nobody else is looked at.
static void shapesArePosedWhereAPairNeedsThem(void** state) {
    (void)state;
    static Scene scene;
    grzRng rng = grzRng_Make(testSeed(850), 0);
    for (uint32_t count = 0; count <= MOST; count += 29) {
        bool isNeeded[BODIES] = {false};
        makeScene(&scene, &rng, count);
        beginStep(&scene, &rng);
        scene.shapes[7].posed.shape.radius = -1; // no pair of it is collided
        for (uint32_t i = 0; i < count; ++i) {
            grzPairRow* row = grzStepPairs_At(&scene.pairs, i);
            if ((row->a == 7 || row->b == 7) && row->way == grz_pairConvex) {
                row->way = grz_pairNothing;
                --scene.blocks[i / GRZ_PAIR_BLOCK].collided;
            }
            isNeeded[row->a] |= row->way == grz_pairConvex, isNeeded[row->b] |= row->way == grz_pairConvex;
        }
        const grzCollideInput input = collideInputOf(&scene);
        const grzCollideOutput output = collideOutputOf(&scene);
        assert_true(grzResult_IsOk(grzStep_Collide(&input, &output)));
        checkManifolds(&scene);
        for (uint32_t i = 0; i < BODIES; ++i) {
            assert_int_equal(scene.moved[i], !isNeeded[i]);
            assert_int_equal(scene.shapes[i].posed.mark != 0, isNeeded[i]);
        }
        grzTouches_Destroy(scene.touches);
    }
}

// ------------------------------------------------------------------------------------------------------------- touches

// The units and names of a step, as they were.
typedef struct Stored {
    grzTouchUnit* units;
    grzTouchName* names;
    size_t count;
} Stored;

static Stored copyStore(const Scene* scene) {
    const grzTouchesView view = grzTouches_GetView(scene->touches, scene->pairs.now);
    Stored stored = {malloc((view.unitCount + 1) * sizeof *view.units),
                     malloc((view.unitCount + 1) * sizeof *view.names), view.unitCount};
    assert_true(stored.units != NULL && stored.names != NULL);
    if (view.unitCount != 0) {
        memcpy(stored.units, view.units, view.unitCount * sizeof *view.units);
        memcpy(stored.names, view.names, view.unitCount * sizeof *view.names);
    }
    return stored;
}

static void freeStore(Stored* stored) {
    free(stored->units);
    free(stored->names);
}

static grzTouchPair pairOf(const Scene* scene, const grzPairRow* row, const Stored* before) {
    const grzPairFound* last = grzStepPairs_Last(&scene->pairs, row);
    const grzShapeTraits *a = &scene->traits[row->a], *b = &scene->traits[row->b];
    grzTouchPair pair = {row->a, row->b, &scene->states[row->a], &scene->states[row->b], 0, 0, {NULL, NULL, 0}};
    pair.friction = sqrtf(a->friction * b->friction);
    pair.restitution = fmaxf(a->restitution, b->restitution);
    if (last != NULL && last->touchCount != 0)
        pair.previous =
            (grzTouchSpan){before->units + last->firstTouch, before->names + last->firstTouch, last->touchCount};
    return pair;
}

// What the pair should have, made by itself. Returns how many touches.
static uint32_t makeAlone(const Scene* scene, uint32_t i, const Stored* before, grzTouchUnit* units,
                          grzTouchName* names) {
    const grzPairRow* row = grzStepPairs_At(&scene->pairs, i);
    const grzPairFound* found = &row->found[scene->pairs.now];
    const grzTouchPair pair = pairOf(scene, row, before);
    const grzTouchRoom room = {units, names};
    if (row->way == grz_pairConvex) {
        const grzManifold* manifold = &scene->manifolds[scene->places[i]];
        if (manifold->pointCount == 0 || manifold->separation > row->reach)
            return 0;
        grzManifold_ToTouch(&pair, manifold, &room);
        return 1;
    }
    grzContactGroup groups[MESH_CONTACTS];
    const grzContact* contacts = &scene->contacts[scene->pairs.now][found->firstMesh];
    const bool isA = scene->traits[row->a].kind == grz_animatedCollider,
               isB = scene->traits[row->b].kind == grz_animatedCollider;
    const grzTouchSurface surface = {&scene->velocities[found->firstMesh], isA, g_timeStep};
    const uint32_t count = grzContacts_Group(contacts, found->meshCount, groups);
    grzContacts_ToTouches(&pair, isA == isB ? NULL : &surface, contacts, groups, count, &room);
    return count;
}

static uint32_t unitsOf(const grzPairFound* found) {
    return found->touchCount != 0 ? found->touchCount + found->contactCount : 0;
}

// All of the last step's bytes, but for separations, which follow the bodies since the touch was found, and what was met in the step.
static void checkKept(const Scene* scene, const grzPairRow* row, const Stored* before, const grzTouchesView* view) {
    const grzPairFound *last = grzStepPairs_Last(&scene->pairs, row), *now = &row->found[scene->pairs.now];
    const grzPairPose* pose = &row->poses[now->pose];
    const grzBodyState *a = &scene->states[row->a], *b = &scene->states[row->b];
    const grzQuat turnA = grzQuat_Multiply(a->rotation, grzQuat_Conjugate(pose->rotationA)),
                  turnB = grzQuat_Multiply(b->rotation, grzQuat_Conjugate(pose->rotationB));
    assert_true(now->touchCount == last->touchCount && now->contactCount == last->contactCount);
    assert_int_equal(now->pose, last->pose);
    for (uint32_t t = 0, from = last->firstTouch, at = now->firstTouch; t < now->touchCount; ++t) {
        grzTouch wanted = {0};
        const grzTouch* touch = grzTouch_Read(view->units, at);
        const size_t units = grzTouch_UnitCount(touch);
        memcpy(&wanted, &before->units[from], units * sizeof *before->units);
        memset(wanted.metIn, 0, sizeof wanted.metIn);
        for (uint32_t k = 0; k < wanted.pointCount; ++k) {
            const grzVec3 onA = grzAdd(a->center, grzQuat_Rotate(turnA, grzVec3_Load(wanted.points[k].anchorA)));
            const grzVec3 onB = grzAdd(b->center, grzQuat_Rotate(turnB, grzVec3_Load(wanted.points[k].anchorB)));
            const float separation = wanted.points[k].found + grzDot(wanted.normal, grzSub(onB, onA));
            assert_true(fabsf(touch->points[k].separation - separation) < 1e-4f);
            wanted.points[k].separation = touch->points[k].separation;
            wanted.pushed = (wanted.pushed & ~(1u << k)) | (uint32_t)(wanted.points[k].stepImpulse > 0) << k;
        }
        assert_memory_equal(touch, &wanted, units * sizeof *before->units);
        assert_memory_equal(&view->names[at], &before->names[from], wanted.pointCount * sizeof *before->names);
        from += (uint32_t)units, at += (uint32_t)units;
    }
}

typedef struct Counts {
    uint32_t found, kept, meshes, copied, stayed;
} Counts;

static void checkPair(const Scene* scene, uint32_t i, const Stored* before, const grzTouchesView* view,
                      Counts* counts) {
    static grzTouchUnit units[2 * MESH_CONTACTS];
    static grzTouchName names[2 * MESH_CONTACTS];
    const grzPairRow* row = grzStepPairs_At(&scene->pairs, i);
    const grzPairFound *now = &row->found[scene->pairs.now], *last = grzStepPairs_Last(&scene->pairs, row);
    if (row->way == grz_pairRecycled) {
        checkKept(scene, row, before, view);
        counts->kept += now->touchCount;
        *(now->firstTouch == last->firstTouch ? &counts->stayed : &counts->copied) += now->touchCount;
        return;
    }
    memset(units, 0, sizeof units);
    const uint32_t count = makeAlone(scene, i, before, units, names);
    const grzPairPose* pose = &row->poses[now->pose];
    assert_int_equal(now->touchCount, count);
    for (uint32_t t = 0, at = 0; t < count; ++t) {
        const grzTouch* touch = grzTouch_Read(units, at);
        assert_memory_equal(&view->names[now->firstTouch + at], &names[at], touch->pointCount * sizeof *names);
        at += grzTouch_UnitCount(touch);
    }
    if (count != 0)
        assert_memory_equal(&view->units[now->firstTouch], units, unitsOf(now) * sizeof *units);
    assert_true(last == NULL || now->pose != last->pose);
    assert_true(grzVec3_IsEqual(pose->shift, grzSub(scene->states[row->b].center, scene->states[row->a].center)));
    assert_memory_equal(&pose->rotationA, &scene->states[row->a].rotation, sizeof pose->rotationA);
    assert_memory_equal(&pose->rotationB, &scene->states[row->b].rotation, sizeof pose->rotationB);
    *(row->way == grz_pairMesh ? &counts->meshes : &counts->found) += count;
}

static float marginOf(const Scene* scene, const grzPairRow* row) {
    float margin = g_margin;
    for (int i = 0; i < 2; ++i) {
        const grzShapeTraits* traits = &scene->traits[i == 0 ? row->a : row->b];
        if (traits->kind != grz_animatedCollider && traits->kind != grz_clothCollider)
            margin = fminf(margin, g_share * traits->radius);
    }
    return margin;
}

// Places for the solver, counts, and that no two pairs have a unit in common.
static void checkLists(const Scene* scene, const grzTouchesView* view) {
    unsigned char* isUsed = calloc(view->unitCount + 1, 1);
    uint32_t listed = 0, contacts = 0, touching = 0, undecided = 0;
    assert_non_null(isUsed);
    for (uint32_t i = 0; i < scene->pairs.count; ++i) {
        const grzPairRow* row = grzStepPairs_At(&scene->pairs, i);
        const grzPairFound* now = &row->found[scene->pairs.now];
        const grzPairFound* last = grzStepPairs_Last(&scene->pairs, row);
        const float most = last != NULL && last->isTouching ? fminf(0.25f * g_margin, marginOf(scene, row)) : 0;
        bool isTouching = false;
        uint32_t place = now->firstTouch, points = 0;
        for (uint32_t t = 0; t < now->touchCount; ++t) {
            const grzTouch* touch = grzTouch_Read(view->units, place);
            assert_true(touch->bodyA == row->a && touch->bodyB == row->b);
            if (row->yielding != 0)
                assert_int_equal(view->places[listed++], place);
            for (uint32_t k = 0; k < touch->pointCount; ++k, ++points)
                isTouching = isTouching || touch->points[k].separation <= most;
            for (uint32_t k = 0; k < grzTouch_UnitCount(touch); ++k, ++place)
                assert_int_equal(isUsed[place]++, 0);
        }
        assert_int_equal(now->isTouching, isTouching);
        assert_int_equal(now->contactCount, points);
        contacts += points, touching += isTouching;
        undecided += !isTouching && points != 0 && row->yielding != 0;
    }
    assert_int_equal(view->count, listed);
    for (uint32_t i = 0; i < grzStepPairs_BlockCount(scene->pairs.count); ++i) {
        contacts -= scene->blocks[i].contacts, touching -= scene->blocks[i].touching;
        undecided -= scene->blocks[i].undecided;
    }
    assert_true(contacts == 0 && touching == 0 && undecided == 0);
    free(isUsed);
}

// As the solver does: impulses, and what it remembers.
static void pushTouches(const grzTouchesView* view, grzRng* rng) {
    for (uint32_t i = 0; i < view->count; ++i) {
        grzTouch* touch = grzTouch_At(view->units, view->places[i]);
        touch->memory = 1 + grzRng_Below(rng, 9);
        for (uint32_t k = 0; k < touch->pointCount; ++k) {
            touch->points[k].normalImpulse = grzRng_Float(rng);
            touch->points[k].frictionImpulse[0] = grzRng_Float(rng);
            touch->points[k].stepImpulse = (grzRng_Below(rng, 2) == 0 ? 0 : grzRng_Float(rng));
            touch->metIn[k] = 1;
        }
    }
}

static void moveSome(Scene* scene, grzRng* rng) {
    for (uint32_t i = 0; i < BODIES; ++i)
        if (grzRng_Below(rng, 3) == 0)
            placeBody(scene, i, grzAdd(scene->states[i].center, vectorIn(rng, 0.05f)),
                      grzQuat_Normalize(grzQuat_Multiply(turnIn(rng, 0.1f), scene->states[i].rotation)));
}

// A life of some steps; one in five is refused in the end, and done again.
static void touchesAreThoseOfEachPairAlone(void** state) {
    (void)state;
    static Scene scene;
    static const uint32_t pairCounts[] = {0, 1, 7, 255, 256, 257, MOST};
    Counts counts = {0};
    grzRng rng = grzRng_Make(testSeed(851), 0);
    for (size_t round = 0; round < sizeof pairCounts / sizeof *pairCounts; ++round) {
        makeScene(&scene, &rng, pairCounts[round]);
        for (int step = 0; step < 25; ++step) {
            Stored before = copyStore(&scene);
            beginStep(&scene, &rng);
            for (int again = 0; again < (step % 5 == 4 ? 2 : 1); ++again) {
                runStep(&scene, NULL);
                const grzTouchesView view = grzTouches_GetView(scene.touches, scene.pairs.now);
                if (again == 0)
                    checkManifolds(&scene);
                for (uint32_t i = 0; i < scene.pairs.count; ++i)
                    checkPair(&scene, i, &before, &view, &counts);
                checkLists(&scene, &view);
            }
            const grzTouchesView view = grzTouches_GetView(scene.touches, scene.pairs.now);
            pushTouches(&view, &rng);
            freeStore(&before);
            moveSome(&scene, &rng);
            endStep(&scene, &rng);
        }
        grzTouches_Destroy(scene.touches);
    }
    assert_true(counts.found > 200 && counts.meshes > 1000);
    assert_true(counts.copied > 200 && counts.stayed > 200 && counts.kept == counts.copied + counts.stayed);
}

static void theSameTouchesForAnyNumberOfWorkers(void** state) {
    (void)state;
    static Scene one, many;
    for (uint32_t workers = 2; workers <= 8; workers += 3) {
        grzTasksDef def = grzDefaultTasksDef();
        def.workerCount = workers;
        grzTasks* tasks;
        assert_true(grzResult_IsOk(grzTasks_Create(&def, &tasks)));
        grzRng rngs[2] = {grzRng_Make(testSeed(852), 0), grzRng_Make(testSeed(852), 0)};
        makeScene(&one, &rngs[0], MOST);
        makeScene(&many, &rngs[1], MOST);
        for (int step = 0; step < 8; ++step) {
            for (int i = 0; i < 2; ++i) {
                Scene* scene = i == 0 ? &one : &many;
                beginStep(scene, &rngs[i]);
                runStep(scene, i == 0 ? NULL : tasks);
                moveSome(scene, &rngs[i]);
                endStep(scene, &rngs[i]);
            }
            const grzTouchesView a = grzTouches_GetView(one.touches, one.pairs.now),
                                 b = grzTouches_GetView(many.touches, many.pairs.now);
            assert_true(a.unitCount == b.unitCount && a.count == b.count);
            assert_memory_equal(a.units, b.units, a.unitCount * sizeof *a.units);
            assert_memory_equal(a.places, b.places, a.count * sizeof *a.places);
            assert_memory_equal(one.rows, many.rows, sizeof one.rows);
            assert_memory_equal(one.blocks, many.blocks, sizeof one.blocks);
        }
        grzTouches_Destroy(one.touches);
        grzTouches_Destroy(many.touches);
        grzTasks_Destroy(tasks);
    }
}

// ------------------------------------------------------------------------------------------------------------ refusals

static void whatIsMissingIsRefused(void** state) {
    (void)state;
    static Scene scene, before;
    grzRng rng = grzRng_Make(testSeed(853), 0);
    makeScene(&scene, &rng, MOST);
    beginStep(&scene, &rng);
    before = scene;
    for (int flaw = 0; flaw < 8; ++flaw) {
        grzCollideInput input = collideInputOf(&scene);
        grzCollideOutput output = collideOutputOf(&scene);
        input.pairs.rows = flaw == 0 ? NULL : input.pairs.rows;
        input.pairs.blocks = flaw == 1 ? NULL : input.pairs.blocks;
        input.posed = flaw == 2 ? NULL : input.posed;
        input.margin = flaw == 3 ? NAN : input.margin;
        output.places = flaw == 4 ? NULL : output.places;
        output.bodies = flaw == 5 ? NULL : output.bodies;
        output.margins = flaw == 6 ? NULL : output.margins;
        output.manifolds = flaw == 7 ? NULL : output.manifolds;
        const grzResult result = grzStep_Collide(&input, &output);
        assert_true(result.status == grz_badArgument && result.value == (flaw < 4 ? 1u : 2u));
        assert_true(result.reason != NULL);
    }
    for (int flaw = 0; flaw < 9; ++flaw) {
        grzNarrowInput input = narrowInputOf(&scene);
        input.pairs.now = flaw == 0 ? 2 : input.pairs.now;
        input.pairs.rows = flaw == 1 ? NULL : input.pairs.rows;
        input.pairs.order = flaw == 2 ? NULL : input.pairs.order;
        input.pairs.blocks = flaw == 3 ? NULL : input.pairs.blocks;
        input.states = flaw == 4 ? NULL : input.states;
        input.traits = flaw == 5 ? NULL : input.traits;
        input.places = flaw == 6 ? NULL : input.places;
        input.manifolds = flaw == 7 ? NULL : input.manifolds;
        input.contacts = flaw == 8 ? NULL : input.contacts;
        const grzResult result = grzStep_Narrow(scene.touches, &input);
        assert_true(result.status == grz_badArgument && result.value == 2 && result.reason != NULL);
    }
    assert_memory_equal(scene.rows, before.rows, sizeof scene.rows);
    // A body that has left the range of shapes: the first pair of it is told by one of its two.
    placeBody(&scene, 0, grzVec3_Make(1e16f, 0, 0), grzQuat_Identity());
    const grzCollideInput input = collideInputOf(&scene);
    const grzCollideOutput output = collideOutputOf(&scene);
    const grzResult result = grzStep_Collide(&input, &output);
    assert_true(result.status == grz_notFinite && result.part == grz_partObject && result.index == 0);
    grzTouches_Destroy(scene.touches);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapesArePosedWhereAPairNeedsThem),
        cmocka_unit_test(touchesAreThoseOfEachPairAlone),
        cmocka_unit_test(theSameTouchesForAnyNumberOfWorkers),
        cmocka_unit_test(whatIsMissingIsRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
