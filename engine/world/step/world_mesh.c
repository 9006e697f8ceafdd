// What: pairs of bodies of which one is a mesh: their contacts; and what touches with animated meshes stand on.
// Promise: contacts of a pair are in the order of their keys.
// Idea: all pairs are looked at in two calls (mesh_touch.h), the first of the mid stage, the second of the narrow one. Two meshes have
//   a margin by how they move against each other where they may meet, and by how thin they are.
#include <math.h>
#include <string.h>

#include "near_loop.h"
#include "touch.h"
#include "world_inside.h"
#include "world_narrow.h"

static bool isMesh(const grzWorld* world, uint32_t body) {
    return world->colliders.data[body].kind == grz_meshCollider;
}

static grzVec3 velocityAt(const grzBodyState* state, grzVec3 point) {
    return grzAdd(state->velocity, grzCross(state->spin, grzSub(point, state->center)));
}

// How far a body's points leave the tangents of their circles in the step; never by more than through the body.
static float bend(const grzWorld* world, uint32_t body) {
    const float turn = grzLength(world->states.data[body].spin) * world->timeStep;
    return (turn < 2.0f ? 0.5f * turn * turn : 2.0f) * world->traits.data[body].shape.radius;
}

// A mesh that goes no farther in a step than its thickness (mesh_shape.h: at most half of what it measures) is not
// looked for before it is within the margin of another: it sinks in by so much at most, and still cuts the other's
// surface then. Where the two meet already, it may go twice as far. Of tumbling meshes with many triangles most pairs
// are spared so.
static const float sinkingWhereMet = 2.0f;

// How far fast meshes go before they are looked at again. What comes nearer than that is seen before it meets, which tells better
// than a cut of two thin meshes which way leads out.
static const float strideOfThickness = 0.5f;

// What sinks into a surface with two sides by more than half of it comes out on the other side.
static const float sinkingOfTwoSides = 0.5f;

// Of the smaller one, which may be lost inside the other.
static float thicknessOf(const grzCollider* a, const grzCollider* b) {
    const float sizeA = grzMaxElement(grzBox_Extent(a->mesh->box)),
                sizeB = grzMaxElement(grzBox_Extent(b->mesh->box));
    const float least = a->mesh->thickness < b->mesh->thickness ? a->mesh->thickness : b->mesh->thickness;
    const float thickness = sizeA < sizeB ? a->mesh->thickness : sizeB < sizeA ? b->mesh->thickness : least;
    return a->isTwoSided || b->isTwoSided ? sinkingOfTwoSides * thickness : thickness;
}

// Where triangles met in the last step they are likely to do so in this one; then nothing is lost inside the other, and what meets
// says all that slow bodies need.
static bool hasMet(const grzMeshPair* pair) {
    for (uint32_t i = 0; i < pair->previousCount; ++i)
        if (pair->previous[i].separation <= 0.0f)
            return true;
    return false;
}

// Two meshes can only meet where both may come: so much they move against each other there, some by `turn` more or less.
// Large and round bodies that roll on each other move fast, but not there.
static void setPieces(const grzWorld* world, const grzPairRow* row, grzMeshPair* pair) {
    const grzBodyState *a = &world->states.data[row->a], *b = &world->states.data[row->b];
    const grzBox sweepA = world->sweeps.data[row->a], sweepB = world->sweeps.data[row->b];
    const grzVec3 lower = grzMax(sweepA.lower, sweepB.lower), upper = grzMin(sweepA.upper, sweepB.upper);
    const grzVec3 middle = grzScale(grzAdd(lower, upper), 0.5f);
    const float reach = 0.5f * grzLength(grzSub(upper, lower));
    const float turn =
        grzLength(grzSub(b->spin, a->spin)) * reach * world->timeStep + bend(world, row->a) + bend(world, row->b);
    const grzVec3 speed = grzSub(velocityAt(b, middle), velocityAt(a, middle));
    const float approach = grzLength(speed) * world->timeStep + turn;
    const float thickness = thicknessOf(&world->colliders.data[row->a], &world->colliders.data[row->b]);
    const bool isMet = hasMet(pair);
    pair->margin = isMet ? 0.0f : pair->leastMargin;
    pair->slack = pair->leastMargin + turn;
    if (!(approach > pair->leastMargin && approach > (isMet ? sinkingWhereMet : 1.0f) * thickness))
        return;
    const float least =
        fminf(world->colliders.data[row->a].mesh->thickness, world->colliders.data[row->b].mesh->thickness);
    pair->stride = fmaxf(strideOfThickness * least, pair->leastMargin);
}

// No more than the share of the smaller rigid body's radius, as in the mid stage.
static float marginOf(const grzWorld* world, const grzPairRow* row) {
    return grzMargin_OfPair(world->def.margin, world->def.marginShare, &world->traits.data[row->a].shape,
                            &world->traits.data[row->b].shape);
}

static grzMeshPair pairOf(const grzWorld* world, const grzPairRow* row) {
    const grzPairFound* last = grzWorld_LastFound(world, row);
    grzMeshPair pair;
    memset(&pair, 0, sizeof pair);
    pair.rowA = row->a;
    pair.rowB = row->b;
    pair.margin = row->reach;
    pair.slack = row->reach;
    pair.leastMargin = marginOf(world, row);
    if (last != NULL && last->meshCount != 0) {
        pair.previous = &world->tables[1 - world->now].meshContacts.data[last->firstMesh];
        pair.previousCount = last->meshCount;
    }
    if (isMesh(world, row->a) && isMesh(world, row->b) && !world->isCollideOnly)
        setPieces(world, row, &pair);
    return pair;
}

static grzResult gatherPairs(grzWorld* world) {
    grzNarrow* narrow = world->narrow;
    const uint32_t pairs = grzWorld_PairCount(world);
    const grzAllocator* allocator = &world->allocator;
    narrow->meshRows.count = narrow->meshPairs.count = 0;
    for (uint32_t i = 0; i < pairs; ++i) {
        const grzPairRow* row = grzWorld_PairAt(world, i);
        if (row->way != grz_pairMesh)
            continue;
        const size_t count = narrow->meshRows.count;
        if (!grzArray_Reserve(&narrow->meshRows, allocator, count + 1) ||
            !grzArray_Reserve(&narrow->meshPairs, allocator, count + 1))
            return grzNoMemory(count + 1, sizeof(grzMeshPair));
        narrow->meshRows.data[narrow->meshRows.count++] = i;
        narrow->meshPairs.data[narrow->meshPairs.count++] = pairOf(world, row);
    }
    return grzOk();
}

// Where an animated mesh goes farther than the margin, a shape that is before it now may be behind it at the end.
static bool isCarried(const grzWorld* world, const grzMeshPair* pair) {
    const grzCollider *a = &world->colliders.data[pair->rowA], *b = &world->colliders.data[pair->rowB];
    const grzCollider* mesh = a->kind == grz_animatedCollider ? a : b;
    return mesh->kind == grz_animatedCollider && (a->kind == grz_convexCollider || b->kind == grz_convexCollider) &&
           grzAnimatedBody_MostMotion(mesh->animated) > pair->leastMargin;
}

static void carryBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const grzWorld* world = context;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i) {
        grzMeshPair* pair = &world->narrow->meshPairs.data[i];
        if (!isCarried(world, pair))
            continue;
        const bool isA = world->colliders.data[pair->rowA].kind == grz_animatedCollider;
        const grzAnimatedBody* mesh = world->colliders.data[isA ? pair->rowA : pair->rowB].animated;
        pair->carry = grzAnimatedBody_WayNear(mesh, world->states.data[isA ? pair->rowB : pair->rowA].center);
        pair->margin += grzAnimatedBody_MostMotion(mesh);
    }
}

static grzMeshTouchStep stepOf(const grzWorld* world) {
    return (grzMeshTouchStep){.colliders = world->colliders.data,
                              .colliderCount = grzWorld_RowCount(world),
                              .pairs = world->narrow->meshPairs.data,
                              .pairCount = (uint32_t)world->narrow->meshPairs.count,
                              .tasks = world->def.tasks,
                              .profile = world->def.profile,
                              .states = world->states.data,
                              .masses = world->masses.data,
                              .timeStep = world->timeStep};
}

// Contacts are kept for the next step, and for the list.
static grzResult keepContacts(grzWorld* world) {
    const grzMeshTouches* touches = world->narrow->mesh;
    grzStepTable *table = &world->tables[world->now], *last = &world->tables[1 - world->now];
    const grzMeshTouchStep step = stepOf(world);
    const size_t* starts = grzMeshTouches_GetView(touches).starts;
    const size_t most = starts[step.pairCount] + last->meshContacts.count;
    if (!grzArray_Reserve(&table->meshContacts, &world->allocator, most))
        return grzNoMemory(most, sizeof(grzContact));
    table->meshContacts.count = 0;
    for (uint32_t i = 0, k = 0; i < grzWorld_PairCount(world); ++i) {
        grzPairRow* row = grzWorld_PairAt(world, i);
        const grzPairFound* before = grzWorld_LastFound(world, row);
        grzPairFound* found = &row->found[world->now];
        const uint32_t pair = k;
        found->firstMesh = (uint32_t)table->meshContacts.count;
        found->meshCount = row->way == grz_pairRecycled ? before->meshCount : 0;
        if (row->way == grz_pairMesh)
            found->meshCount = (uint32_t)(starts[pair + 1] - starts[pair]), ++k;
        if (found->meshCount == 0) // of all pairs, maybe: no arrays
            continue;
        grzContact* place = &table->meshContacts.data[found->firstMesh];
        if (row->way == grz_pairMesh)
            grzMeshTouches_WriteContacts(touches, &step, pair, place);
        else
            memcpy(place, &last->meshContacts.data[before->firstMesh], found->meshCount * sizeof *place);
        table->meshContacts.count += found->meshCount;
    }
    return grzOk();
}

// ---------------------------------------------------------------------------------------------------- animated surfaces

static bool isAnimated(const grzWorld* world, uint32_t row) {
    return world->colliders.data[row].kind == grz_animatedCollider;
}

static bool isBesideAnimated(const grzWorld* world, const grzPairRow* row) {
    return isAnimated(world, row->a) != isAnimated(world, row->b);
}

// How fast the surface is where the pair's contacts are.
static void readVelocities(const grzWorld* world, const grzPairRow* row, const grzMeshPair* pair) {
    const grzPairFound* found = grzWorld_Found(world, row);
    const grzContact* contacts = &world->tables[world->now].meshContacts.data[found->firstMesh];
    grzVec3* velocities = &world->narrow->meshVelocities.data[found->firstMesh];
    const bool isA = isAnimated(world, row->a);
    const grzAnimatedBody* animated = world->colliders.data[isA ? row->a : row->b].animated;
    for (uint32_t i = 0; i < found->meshCount; ++i) {
        const uint32_t triangle = isA ? contacts[i].triangleA : contacts[i].triangleB;
        if (triangle != GRZ_NO_TRIANGLE)
            grzAnimatedBody_ReachTriangle(animated, triangle);
        const grzAnimatedShape shape = grzAnimatedBody_GetShape(animated);
        const grzVec3 there = grzAddScaled(contacts[i].point, 0.5f, pair->carry);
        velocities[i] = grzAnimatedShape_Velocity(&shape, triangle, there, world->timeStep);
    }
}

static void readBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const grzWorld* world = context;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i) {
        const grzPairRow* row = grzWorld_PairAt(world, world->narrow->meshRows.data[i]);
        if (isBesideAnimated(world, row) && grzWorld_Found(world, row)->meshCount != 0)
            readVelocities(world, row, &world->narrow->meshPairs.data[i]);
    }
}

grzResult grzWorld_ReadSurfaces(grzWorld* world) {
    grzNarrow* narrow = world->narrow;
    const size_t count = world->tables[world->now].meshContacts.count;
    if (!narrow->hasMeshes || world->animatedSlots.count == 0)
        return grzOk();
    if (!grzArray_Reserve(&narrow->meshVelocities, &world->allocator, count))
        return grzNoMemory(count, sizeof(grzVec3));
    grzParallelForNear(world->def.tasks, (uint32_t)narrow->meshRows.count, 16, readBlock, world);
    return grzOk();
}

// The mean over a touch's points, summed in the order of contacts. velocities: at the pair's contacts.
static grzVec3 velocityOf(const grzTouch* touch, const grzTouchName* names, const grzVec3* velocities) {
    grzVec3 sum = grzVec3_Zero();
    for (uint32_t n = 0, next = 0; n < touch->pointCount; ++n) {
        uint32_t least = UINT32_MAX;
        for (uint32_t i = 0; i < touch->pointCount; ++i)
            least = names[i].contact >= next && names[i].contact < least ? names[i].contact : least;
        sum = grzAdd(sum, velocities[least]);
        next = least + 1;
    }
    return grzScale(sum, 1.0f / (float)touch->pointCount);
}

static uint32_t addStand(grzWorld* world, grzVec3 velocity) {
    const uint32_t stand = (uint32_t)world->states.count++;
    world->masses.count = world->states.count;
    memset(&world->states.data[stand], 0, sizeof(grzBodyState));
    memset(&world->masses.data[stand], 0, sizeof(grzBodyMass));
    world->states.data[stand].rotation = grzQuat_Identity();
    world->states.data[stand].velocity = velocity;
    world->masses.data[stand].flags = grz_bodyMoves;
    return stand;
}

static void standRowOn(grzWorld* world, const grzPairRow* row) {
    const grzPairFound* found = grzWorld_Found(world, row);
    const grzTouchesView touches = grzTouches_GetView(world->touches, world->now);
    uint32_t place = found->firstTouch;
    for (uint32_t i = 0; i < found->touchCount; ++i) {
        grzTouch* touch = grzTouch_At(touches.units, place);
        const grzVec3 velocity =
            velocityOf(touch, &touches.names[place], &world->narrow->meshVelocities.data[found->firstMesh]);
        *(isAnimated(world, row->a) ? &touch->bodyA : &touch->bodyB) = addStand(world, velocity);
        place += grzTouch_UnitCount(touch);
    }
}

grzResult grzWorld_StandOnSurfaces(grzWorld* world) {
    const grzNarrow* narrow = world->narrow;
    const size_t most = grzWorld_RowCount(world) + world->tables[world->now].meshContacts.count;
    world->states.count = world->masses.count =
        grzWorld_RowCount(world); // a step that was refused may have left some
    if (world->animatedSlots.count == 0)
        return grzOk();
    if (!grzArray_Reserve(&world->states, &world->allocator, most) ||
        !grzArray_Reserve(&world->masses, &world->allocator, most))
        return grzNoMemory(most, sizeof(grzBodyState));
    for (uint32_t i = 0; i < narrow->meshRows.count; ++i) {
        const grzPairRow* row = grzWorld_PairAt(world, narrow->meshRows.data[i]);
        if (isBesideAnimated(world, row))
            standRowOn(world, row);
    }
    return grzOk();
}

// -------------------------------------------------------------------------------------------------------- both stages

// One body of a pair that cannot be looked at is stopped.
static grzResult flownOff(grzWorld* world, grzResult result) {
    const grzMeshPair* pair = &world->narrow->meshPairs.data[result.index];
    return grzWorld_StopFarther(world, pair->rowA, pair->rowB);
}

grzResult grzWorld_FindMeshCandidates(grzWorld* world, bool hasMeshes) {
    grzNarrow* narrow = world->narrow;
    narrow->hasMeshes = hasMeshes;
    if (!hasMeshes) {
        narrow->meshRows.count = narrow->meshPairs.count = 0;
        world->tables[world->now].meshContacts.count = 0;
        world->stats.trianglePairs = 0;
        return grzMeshTouches_FindNothing(narrow->mesh);
    }
    grzResult result = gatherPairs(world);
    if (!grzResult_IsOk(result))
        return result;
    if (world->animatedSlots.count != 0)
        grzParallelForNear(world->def.tasks, (uint32_t)narrow->meshPairs.count, 4, carryBlock, world);
    const grzMeshTouchStep step = stepOf(world);
    result = grzMeshTouches_FindCandidates(narrow->mesh, &step);
    return result.part == grz_partElement ? flownOff(world, result) : result;
}

grzResult grzWorld_FindMeshContacts(grzWorld* world) {
    grzNarrow* narrow = world->narrow;
    if (!narrow->hasMeshes) {
        world->tables[world->now].meshContacts.count = 0;
        return grzOk();
    }
    const grzMeshTouchStep step = stepOf(world);
    const grzResult result = grzMeshTouches_FindContacts(narrow->mesh, &step);
    if (!grzResult_IsOk(result))
        return result.part == grz_partElement ? flownOff(world, result) : result;
    const grzMeshTouchView view = grzMeshTouches_GetView(narrow->mesh);
    world->stats.trianglePairs = view.shapeTests + view.pairTests;
    return keepContacts(world);
}
