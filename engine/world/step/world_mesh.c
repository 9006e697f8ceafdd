// What: pairs of bodies of which one is a mesh: their contacts, and the touches that these make.
// Promise: contacts of a pair are in the order of their keys; touches are a function of them and of the last step's touches.
// Idea: all pairs are looked at in two calls (mesh_touch.h), the first of the mid stage, the second of the narrow one; each pair's
//   touches are then written where its contacts lie, of which there are at least as many. Two meshes have a margin by how they
//   move against each other where they may meet, and by how thin they are.
#include <math.h>
#include <string.h>

#include "near_loop.h"
#include "profile_zone.h"
#include "world_inside.h"
#include "world_narrow.h"

grzTouchPair grzWorld_TouchPair(const grzWorld* world, const grzPairRow* row) {
    const grzShapeTraits *a = &world->traits.data[row->a].shape, *b = &world->traits.data[row->b].shape;
    grzTouchPair pair;
    memset(&pair, 0, sizeof pair);
    pair.bodyA = row->a;
    pair.bodyB = row->b;
    pair.stateA = &world->states.data[row->a];
    pair.stateB = &world->states.data[row->b];
    const float product = a->friction * b->friction;
    pair.friction = isfinite(product) ? sqrtf(product) : sqrtf(a->friction) * sqrtf(b->friction);
    pair.restitution = a->restitution > b->restitution ? a->restitution : b->restitution;
    return pair;
}

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

// A mesh that goes no farther in a step than its thickness (mesh_shape.h: at most half of what it measures) is not looked for
// before it is within the world's margin of another: it sinks in by so much at most, and still cuts the other's surface then.
// Where the two meet already, it may go twice as far. Of tumbling meshes with many triangles most pairs are spared so.
static const float sinkingWhereMet = 2.0f;

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
static void setMotion(const grzWorld* world, const grzPairRow* row, grzMeshPair* pair) {
    const grzBodyState *a = &world->states.data[row->a], *b = &world->states.data[row->b];
    const grzBox sweepA = world->sweeps.data[row->a], sweepB = world->sweeps.data[row->b];
    const grzVec3 lower = grzMax(sweepA.lower, sweepB.lower), upper = grzMin(sweepA.upper, sweepB.upper);
    const grzVec3 middle = grzScale(grzAdd(lower, upper), 0.5f);
    const float reach = 0.5f * grzLength(grzSub(upper, lower));
    const float turn =
        grzLength(grzSub(b->spin, a->spin)) * reach * world->timeStep + bend(world, row->a) + bend(world, row->b);
    pair->motion = grzScale(grzSub(velocityAt(b, middle), velocityAt(a, middle)), world->timeStep);
    const float approach = grzLength(pair->motion) + turn;
    const float thickness = thicknessOf(&world->colliders.data[row->a], &world->colliders.data[row->b]);
    const bool isMet = hasMet(pair);
    pair->margin = isMet ? 0.0f : world->def.margin;
    pair->slack = world->def.margin + turn;
    if (approach > world->def.margin && approach > (isMet ? sinkingWhereMet : 1.0f) * thickness)
        pair->margin = world->def.margin + approach;
    else
        pair->motion = grzVec3_Zero();
}

static grzMeshPair pairOf(const grzWorld* world, const grzPairRow* row) {
    const grzPairFound* last = grzWorld_LastFound(world, row);
    grzMeshPair pair;
    memset(&pair, 0, sizeof pair);
    pair.rowA = row->a;
    pair.rowB = row->b;
    pair.margin = row->reach;
    pair.slack = row->reach;
    pair.leastMargin = world->def.margin;
    if (last != NULL && last->meshCount != 0) {
        pair.previous = &world->tables[1 - world->now].meshContacts.data[last->firstMesh];
        pair.previousCount = last->meshCount;
    }
    if (isMesh(world, row->a) && isMesh(world, row->b) && !world->isCollideOnly)
        setMotion(world, row, &pair);
    return pair;
}

static grzResult gatherPairs(grzWorld* world) {
    grzNarrow* narrow = world->narrow;
    const uint32_t pairs = grzWorld_PairCount(world);
    const grzAllocator* allocator = &world->allocator;
    narrow->meshRows.count = narrow->meshPairs.count = 0;
    if (!grzArray_Reserve(&narrow->places, allocator, pairs))
        return grzNoMemory(pairs, sizeof(uint32_t));
    for (uint32_t i = 0; i < pairs; ++i) {
        const grzPairRow* row = grzWorld_PairAt(world, i);
        if (row->way != grz_pairMesh)
            continue;
        const size_t count = narrow->meshRows.count;
        if (!grzArray_Reserve(&narrow->meshRows, allocator, count + 1) ||
            !grzArray_Reserve(&narrow->meshPairs, allocator, count + 1) ||
            !grzArray_Reserve(&narrow->meshCounts, allocator, count + 1))
            return grzNoMemory(count + 1, sizeof(grzMeshPair));
        narrow->places.data[i] = (uint32_t)count;
        narrow->meshRows.data[narrow->meshRows.count++] = i;
        narrow->meshPairs.data[narrow->meshPairs.count++] = pairOf(world, row);
    }
    return grzOk();
}

static void groupPair(grzWorld* world, uint32_t index) {
    grzNarrow* narrow = world->narrow;
    const grzMeshTouchView view = grzMeshTouches_GetView(narrow->mesh);
    const size_t first = view.starts[index];
    const uint32_t count = (uint32_t)(view.starts[index + 1] - first);
    narrow->meshCounts.data[index] =
        count == 0 ? 0 // of any pair, maybe: no arrays
                   : grzContacts_Group(&view.contacts[first], count, &narrow->meshGroups.data[first]);
}

void grzWorld_WriteMeshTouches(const grzWorld* world, const grzPairRow* row, uint32_t index,
                               const grzTouchPair* pair, grzTouchRoom room) {
    const grzNarrow* narrow = world->narrow;
    const uint32_t touchCount = grzWorld_Found(world, row)->touchCount;
    const grzMeshTouchView view = grzMeshTouches_GetView(narrow->mesh);
    const size_t first = view.starts[index];
    const bool isA = world->colliders.data[row->a].kind == grz_animatedCollider;
    const bool isB = world->colliders.data[row->b].kind == grz_animatedCollider;
    const grzContact* contacts = &view.contacts[first];
    const grzContactGroup* groups = &narrow->meshGroups.data[first];
    if (isA == isB) {
        grzContacts_ToTouches(pair, NULL, contacts, groups, touchCount, &room);
        return;
    }
    const grzAnimatedBody* animated = world->colliders.data[isA ? row->a : row->b].animated;
    for (size_t i = first; i < view.starts[index + 1]; ++i) {
        const uint32_t triangle = isA ? view.contacts[i].triangleA : view.contacts[i].triangleB;
        if (triangle != GRZ_NO_TRIANGLE)
            grzAnimatedBody_ReachTriangle(animated, triangle);
    }
    const grzAnimatedShape shape = grzAnimatedBody_GetShape(animated);
    const grzTouchSurface surface = {&shape, isA, world->timeStep};
    room.velocities = &narrow->meshVelocities.data[first];
    grzContacts_ToTouches(pair, &surface, contacts, groups, touchCount, &room);
}

static void groupBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    grzWorld* world = context;
    GRZ_ZONE_BEGIN(zone, world->def.profile, grz_stageNarrow, "group contacts of meshes", worker);
    for (uint32_t i = begin; i < end; ++i)
        groupPair(world, i);
    GRZ_ZONE_END(zone);
}

// Contacts are kept for the next step, and for the list.
static grzResult keepContacts(grzWorld* world) {
    const grzNarrow* narrow = world->narrow;
    grzStepTable *table = &world->tables[world->now], *last = &world->tables[1 - world->now];
    const grzMeshTouchView view = grzMeshTouches_GetView(narrow->mesh);
    const size_t most = view.starts[narrow->meshRows.count] + last->meshContacts.count;
    if (!grzArray_Reserve(&table->meshContacts, &world->allocator, most))
        return grzNoMemory(most, sizeof(grzContact));
    table->meshContacts.count = 0;
    for (uint32_t i = 0; i < grzWorld_PairCount(world); ++i) {
        grzPairRow* row = grzWorld_PairAt(world, i);
        const grzPairFound* before = grzWorld_LastFound(world, row);
        grzPairFound* found = &row->found[world->now];
        const grzContact* from = NULL;
        found->meshCount = 0;
        if (row->way == grz_pairMesh) {
            const size_t* starts = &view.starts[narrow->places.data[i]];
            found->meshCount = (uint32_t)(starts[1] - starts[0]);
            from = found->meshCount == 0 ? NULL : &view.contacts[starts[0]];
        } else if (row->way == grz_pairRecycled && before->meshCount != 0) {
            from = &last->meshContacts.data[before->firstMesh];
            found->meshCount = before->meshCount;
        }
        found->firstMesh = (uint32_t)table->meshContacts.count;
        if (found->meshCount != 0)
            memcpy(&table->meshContacts.data[found->firstMesh], from, found->meshCount * sizeof *from);
        table->meshContacts.count += found->meshCount;
    }
    return grzOk();
}

static float farthestOf(const grzWorld* world, uint32_t body) {
    const grzBox box = world->sweeps.data[body];
    return grzMaxElement(grzMax(grzAbs(box.lower), grzAbs(box.upper)));
}

// A pair that cannot be looked at is told by that of its bodies which may come the farthest.
static grzResult flownOff(const grzWorld* world, grzResult result) {
    const grzMeshPair* pair = &world->narrow->meshPairs.data[result.index];
    const bool isB = farthestOf(world, pair->rowB) > farthestOf(world, pair->rowA);
    return grzWorld_TooFar(world->traits.data[isB ? pair->rowB : pair->rowA].slot);
}

static grzMeshTouchStep stepOf(const grzWorld* world) {
    return (grzMeshTouchStep){.colliders = world->colliders.data,
                              .colliderCount = grzWorld_RowCount(world),
                              .pairs = world->narrow->meshPairs.data,
                              .pairCount = (uint32_t)world->narrow->meshPairs.count,
                              .tasks = world->def.tasks};
}

grzResult grzWorld_FindMeshCandidates(grzWorld* world, bool hasMeshes) {
    grzNarrow* narrow = world->narrow;
    narrow->hasMeshes = hasMeshes;
    if (!hasMeshes) {
        narrow->meshRows.count = narrow->meshPairs.count = narrow->meshVelocities.count = 0;
        world->tables[world->now].meshContacts.count = 0;
        world->stats.trianglePairs = 0;
        return grzOk();
    }
    grzResult result = gatherPairs(world);
    if (!grzResult_IsOk(result))
        return result;
    const grzMeshTouchStep step = stepOf(world);
    result = grzMeshTouches_FindCandidates(narrow->mesh, &step);
    return result.part == grz_partElement ? flownOff(world, result) : result;
}

grzResult grzWorld_FindMeshContacts(grzWorld* world) {
    grzNarrow* narrow = world->narrow;
    if (!narrow->hasMeshes)
        return grzOk();
    const grzMeshTouchStep step = stepOf(world);
    const grzResult result = grzMeshTouches_FindContacts(narrow->mesh, &step);
    if (!grzResult_IsOk(result))
        return result.part == grz_partElement ? flownOff(world, result) : result;
    const grzMeshTouchView view = grzMeshTouches_GetView(narrow->mesh);
    const size_t count = view.starts[narrow->meshPairs.count];
    world->stats.trianglePairs = view.shapeTests + view.pairTests;
    if (!grzArray_Reserve(&narrow->meshGroups, &world->allocator, count) ||
        !grzArray_Reserve(&narrow->meshVelocities, &world->allocator, count))
        return grzNoMemory(count, sizeof(grzContactGroup));
    narrow->meshVelocities.count = count;
    grzParallelForNear(world->def.tasks, (uint32_t)narrow->meshPairs.count, 16, groupBlock, world);
    return keepContacts(world);
}
