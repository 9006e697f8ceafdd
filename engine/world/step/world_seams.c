// What: contacts with grounds, bodies that contacts do not move. They get the normals of the ground's own faces (ground_face.h), and what
//   the seams of a ground make up (seams.h) is taken out of what a step has found, or put upright.
// Promise: a function of the contacts and of where bodies are; none that is kept from the last step goes.
// Idea: pairs of a dynamic body and a ground are put together by the former. Of a body that has contacts with two of
//   them, all are laid out in one array and judged; a manifold goes if all of its points are false.
// Threads: pairs, then bodies side by side; each writes what its own pairs have found.
// Cost: a look at each pair of a block that has one with a ground, and for bodies with contacts with two grounds what seams.h says.
#include <string.h>

#include "ground_face.h"
#include "near_loop.h"
#include "seams.h"
#include "world_inside.h"
#include "world_narrow.h"

enum { MOVER_GRAIN = 32 };

void grzSeamRoom_CallArrays(grzSeamRoom* room, grzArrayCall* call, const grzAllocator* allocator) {
    grzArray_Call(&room->found, call, allocator);
    grzArray_Call(&room->starts, call, allocator);
    grzArray_Call(&room->pairs, call, allocator);
    grzArray_Call(&room->grounds, call, allocator);
    grzArray_Call(&room->places, call, allocator);
    grzArray_Call(&room->contacts, call, allocator);
}

// ------------------------------------------------------------------------------------------------ the faces of grounds

// The row of the body that contacts can move.
static uint32_t moverOf(const grzWorld* world, const grzPairRow* row) {
    return grzBodyTraits_Body(&world->traits.data[row->a]) == grz_dynamicBody ? row->a : row->b;
}

// Of meshes what this step has found, or the last one in pairs that are still, is there already (world_mesh.c).
static uint32_t contactCount(const grzWorld* world, uint32_t index, const grzPairRow* row) {
    if (row->way == grz_pairRecycled)
        return grzWorld_LastFound(world, row)->contactCount;
    if (row->way == grz_pairConvex) {
        const grzManifold* manifold = &world->narrow->manifolds.data[world->narrow->places.data[index]];
        return manifold->separation <= row->reach ? manifold->pointCount : 0;
    }
    return grzWorld_Found(world, row)->meshCount;
}

static grzContact* meshContactsOf(const grzWorld* world, const grzPairRow* row) {
    return &world->tables[world->now].meshContacts.data[grzWorld_Found(world, row)->firstMesh];
}

static grzVec3 standing(const grzCollider* ground, uint32_t triangle, grzVec3 normal, bool isGroundB) {
    const grzVec3 outward = grzGround_FaceNormal(ground, triangle, isGroundB ? grzNeg(normal) : normal);
    return isGroundB ? grzNeg(outward) : outward;
}

static void standOnFaces(const grzWorld* world, uint32_t index, const grzPairRow* row) {
    const uint32_t count = contactCount(world, index, row);
    const bool isGroundB = moverOf(world, row) == row->a;
    const grzCollider* ground = &world->colliders.data[isGroundB ? row->b : row->a];
    if (count == 0)
        return;
    if (row->way == grz_pairConvex) {
        grzManifold* manifold = &world->narrow->manifolds.data[world->narrow->places.data[index]];
        manifold->normal = standing(ground, GRZ_NO_TRIANGLE, manifold->normal, isGroundB);
        return;
    }
    grzContact* contacts = meshContactsOf(world, row);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t triangle = isGroundB ? contacts[i].triangleB : contacts[i].triangleA;
        contacts[i].normal = standing(ground, triangle, contacts[i].normal, isGroundB);
    }
}

static void standBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const grzWorld* world = context;
    (void)worker;
    if (world->rowBlocks.data[begin / GRZ_PAIR_BLOCK].grounds == 0)
        return;
    for (uint32_t i = begin; i < end; ++i) {
        const grzPairRow* row = grzWorld_PairAt(world, i);
        if (grzPairRow_HasGround(row) && row->way != grz_pairRecycled)
            standOnFaces(world, i, row);
    }
}

// Also where nothing is solved: a call of Collide lists the contacts that a step would.
void grzWorld_StandOnFaces(grzWorld* world) {
    grzParallelForNear(world->def.tasks, grzWorld_PairCount(world), GRZ_PAIR_BLOCK, standBlock, world);
}

// ------------------------------------------------------------------------------------------------ pairs by their bodies

static uint32_t blockEnd(const grzWorld* world, uint32_t first) {
    const uint32_t count = grzWorld_PairCount(world);
    return count - first < GRZ_PAIR_BLOCK ? count : first + GRZ_PAIR_BLOCK;
}

// The pairs of dynamic bodies with grounds, in the order of pairs. False: memory is refused.
static bool listPairs(grzWorld* world) {
    grzSeamRoom* room = &world->narrow->seams;
    size_t all = 0;
    for (size_t block = 0; block < world->rowBlocks.count; ++block)
        all += world->rowBlocks.data[block].grounds;
    room->found.count = 0;
    if (!grzArray_Reserve(&room->found, &world->allocator, all))
        return false;
    for (uint32_t block = 0; block < world->rowBlocks.count; ++block) {
        const uint32_t first = block * GRZ_PAIR_BLOCK;
        if (world->rowBlocks.data[block].grounds == 0)
            continue;
        for (uint32_t i = first; i < blockEnd(world, first); ++i) {
            const grzPairRow* row = grzWorld_PairAt(world, i);
            if (grzPairRow_HasGround(row))
                room->found.data[room->found.count++] = (grzGroundPair){moverOf(world, row), i};
        }
    }
    return true;
}

// The same, body by body.
static bool sortPairs(grzWorld* world) {
    grzSeamRoom* room = &world->narrow->seams;
    const size_t rows = (size_t)grzWorld_RowCount(world) + 2, count = room->found.count;
    if (!grzArray_Reserve(&room->starts, &world->allocator, rows) ||
        !grzArray_Reserve(&room->pairs, &world->allocator, count) ||
        !grzArray_Reserve(&room->grounds, &world->allocator, count) ||
        !grzArray_Reserve(&room->places, &world->allocator, count + 1))
        return false;
    uint32_t* at = room->starts.data;
    memset(at, 0, rows * sizeof *at);
    for (size_t k = 0; k < count; ++k)
        at[room->found.data[k].mover + 2]++;
    for (size_t row = 2; row < rows; ++row)
        at[row] += at[row - 1];
    for (size_t k = 0; k < count; ++k) // now at[r + 1] is where the pairs of row r go on
        room->pairs.data[at[room->found.data[k].mover + 1]++] = room->found.data[k].pair;
    room->pairs.count = count;
    return true;
}

// Where the contacts of each of these pairs go.
static bool placeContacts(grzWorld* world) {
    grzSeamRoom* room = &world->narrow->seams;
    uint32_t place = 0;
    for (size_t k = 0; k < room->pairs.count; ++k) {
        const uint32_t index = room->pairs.data[k];
        room->places.data[k] = place;
        place += contactCount(world, index, grzWorld_PairAt(world, index));
    }
    room->places.data[room->pairs.count] = place;
    return grzArray_Reserve(&room->contacts, &world->allocator, place);
}

// ----------------------------------------------------------------------------------------------------------- contacts

// What a pair has found, from the body to its ground.
typedef struct Side {
    uint32_t ground; // its place among those of the body
    bool isGroundB;
} Side;

// point: midway between the surfaces. normal: from A to B.
static void setContact(grzSeamContact* contact, Side side, grzVec3 point, grzVec3 normal, float separation) {
    contact->outward = side.isGroundB ? grzNeg(normal) : normal;
    contact->point = grzSubScaled(point, 0.5F * separation, contact->outward);
    contact->separation = separation;
    contact->ground = side.ground;
    contact->isSettled = contact->isCovered = contact->isFalse = contact->isTurned = false;
}

static void copyManifold(const grzManifold* manifold, Side side, grzSeamContact* contacts) {
    for (uint32_t i = 0; i < manifold->pointCount; ++i)
        setContact(&contacts[i], side, manifold->points[i].point, manifold->normal, manifold->points[i].separation);
}

static void copyMesh(const grzContact* from, uint32_t count, Side side, grzSeamContact* contacts) {
    for (uint32_t i = 0; i < count; ++i)
        setContact(&contacts[i], side, from[i].point, from[i].normal, from[i].separation);
}

// Where they are now: with the ground.
static void copyTouches(const grzWorld* world, const grzPairRow* row, Side side, grzSeamContact* contacts) {
    const grzPairFound* last = grzWorld_LastFound(world, row);
    const grzTouchUnit* units = grzTouches_GetView(world->touches, 1 - world->now).units;
    const grzVec3 center = world->states.data[side.isGroundB ? row->b : row->a].center;
    uint32_t place = last->firstTouch, count = 0;
    for (uint32_t i = 0; i < last->touchCount; ++i) {
        const grzTouch* touch = grzTouch_Read(units, place);
        for (uint32_t k = 0; k < touch->pointCount; ++k) {
            const grzTouchPoint* point = &touch->points[k];
            const grzVec3 anchor = grzVec3_Load(side.isGroundB ? point->anchorB : point->anchorA);
            setContact(&contacts[count], side, grzAdd(center, anchor), touch->normal, point->found);
            contacts[count++].isSettled = true;
        }
        place += grzTouch_UnitCount(touch);
    }
}

static void copyContacts(const grzWorld* world, uint32_t index, Side side, uint32_t count,
                         grzSeamContact* contacts) {
    const grzPairRow* row = grzWorld_PairAt(world, index);
    if (count == 0)
        return;
    if (row->way == grz_pairRecycled)
        copyTouches(world, row, side, contacts);
    else if (row->way == grz_pairConvex)
        copyManifold(&world->narrow->manifolds.data[world->narrow->places.data[index]], side, contacts);
    else
        copyMesh(meshContactsOf(world, row), count, side, contacts);
}

static grzVec3 normalOf(const grzSeamContact* contact, Side side) {
    return side.isGroundB ? grzNeg(contact->outward) : contact->outward;
}

// Its points have one normal: they stay as they are unless all of them are judged the same.
static void mendManifold(grzManifold* manifold, Side side, const grzSeamContact* contacts, grzPairFound* found) {
    bool areFalse = true, areTurned = true;
    for (uint32_t i = 0; i < manifold->pointCount; ++i) {
        areFalse &= contacts[i].isFalse;
        areTurned &= contacts[i].isTurned;
    }
    found->isPassing = areFalse;
    if (areFalse)
        manifold->pointCount = 0;
    else if (areTurned)
        manifold->normal = normalOf(&contacts[0], side);
}

// What is left of a pair's contacts moves up in their place.
static void mendMesh(grzWorld* world, grzPairRow* row, Side side, const grzSeamContact* contacts) {
    grzPairFound* found = &row->found[world->now];
    grzContact* at = meshContactsOf(world, row);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < found->meshCount; ++i) {
        if (contacts[i].isFalse)
            continue;
        at[kept] = at[i];
        if (contacts[i].isTurned)
            at[kept].normal = normalOf(&contacts[i], side);
        ++kept;
    }
    found->isPassing = kept != found->meshCount;
    found->meshCount = kept;
}

static void mendContacts(grzWorld* world, uint32_t index, Side side, uint32_t count,
                         const grzSeamContact* contacts) {
    grzPairRow* row = grzWorld_PairAt(world, index);
    const grzNarrow* narrow = world->narrow;
    if (count == 0)
        return;
    if (row->way == grz_pairConvex)
        mendManifold(&narrow->manifolds.data[narrow->places.data[index]], side, contacts, &row->found[world->now]);
    else if (row->way == grz_pairMesh)
        mendMesh(world, row, side, contacts);
}

// ------------------------------------------------------------------------------------------------------------- bodies

static uint32_t groundOf(const grzWorld* world, uint32_t index, uint32_t mover) {
    const grzPairRow* row = grzWorld_PairAt(world, index);
    return row->a == mover ? row->b : row->a;
}

static Side sideOf(const grzWorld* world, uint32_t index, uint32_t mover, uint32_t ground) {
    return (Side){ground, grzWorld_PairAt(world, index)->a == mover};
}

// One of two sides makes seams with itself.
static bool mayHaveSeams(const grzWorld* world, uint32_t mover, uint32_t first, uint32_t end) {
    const grzSeamRoom* room = &world->narrow->seams;
    uint32_t count = 0;
    for (uint32_t k = first; k < end; ++k) {
        if (room->places.data[k] == room->places.data[k + 1])
            continue;
        count += world->colliders.data[groundOf(world, room->pairs.data[k], mover)].isTwoSided ? 2 : 1;
    }
    return count > 1;
}

// Pairs of kinematic bodies are some more than those of static ones, as their boxes are larger: what the body does not come to is not
// asked, so that grounds that stand are one and the same.
static grzSeamGround groundAt(const grzWorld* world, uint32_t mover, uint32_t ground) {
    const grzCollider* collider = &world->colliders.data[ground];
    const grzBox box =
        collider->kind == grz_animatedCollider ? world->sweeps.data[ground] : world->boxes.data[ground];
    return (grzSeamGround){collider, box, grzBox_Overlap(box, world->sweeps.data[mover])};
}

static void judgeMover(grzWorld* world, uint32_t mover) {
    grzSeamRoom* room = &world->narrow->seams;
    const uint32_t first = room->starts.data[mover], end = room->starts.data[mover + 1];
    const uint32_t *pairs = room->pairs.data, *places = room->places.data;
    grzSeamContact* contacts = room->contacts.data;
    if (!mayHaveSeams(world, mover, first, end))
        return;
    for (uint32_t k = first; k < end; ++k) {
        room->grounds.data[k] = groundAt(world, mover, groundOf(world, pairs[k], mover));
        copyContacts(world, pairs[k], sideOf(world, pairs[k], mover, k - first), places[k + 1] - places[k],
                     &contacts[places[k]]);
    }
    const grzSeamQuery query = {&room->grounds.data[first], &contacts[places[first]], end - first,
                                places[end] - places[first], world->traits.data[mover].shape.radius};
    grzSeams_Judge(&query);
    for (uint32_t k = first; k < end; ++k)
        mendContacts(world, pairs[k], sideOf(world, pairs[k], mover, k - first), places[k + 1] - places[k],
                     &contacts[places[k]]);
}

static void judgeMovers(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    for (uint32_t mover = begin; mover < end; ++mover)
        judgeMover(context, mover);
}

grzResult grzWorld_MendSeams(grzWorld* world) {
    if (!listPairs(world))
        return grzNoMemory(grzWorld_PairCount(world), sizeof(grzGroundPair));
    if (world->narrow->seams.found.count == 0)
        return grzOk();
    if (!sortPairs(world) || !placeContacts(world))
        return grzNoMemory(grzWorld_PairCount(world), sizeof(grzSeamContact));
    grzParallelForNear(world->def.tasks, grzWorld_RowCount(world), MOVER_GRAIN, judgeMovers, world);
    return grzOk();
}
