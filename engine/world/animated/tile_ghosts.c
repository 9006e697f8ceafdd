// What: gathers each body's contacts with the ground, and drops those that are ghosts.
// Idea: pairs of a body and a ground mesh are counted and placed by body; a body with one ground has no seams, unless that has two
//   sides. The contact's pad is the mark meanwhile.
// Holds: bodies are judged one by one, and a contact with the ground is of one dynamic body alone, so no order matters.
// Cost: the square of the contacts of a body that touches several grounds; nothing for others.
// Limits: between dynamic meshes there are no seams to be believed.
#include "tile_ghosts.h"
#include "surface.h"

#include <string.h>

#include "graze/manifold.h"
#include "mesh_shape.h"

#define SLOP 0.02F // of the body's size: as much as bodies sink in that rest

void grzTileGhosts_Release(grzTileGhosts* ghosts, const grzAllocator* allocator) {
    grzArray_Release(&ghosts->starts, allocator);
    grzArray_Release(&ghosts->pairs, allocator);
    grzArray_Release(&ghosts->gathered, allocator);
}

static bool isGround(const grzCollider* collider) {
    return (collider->kind == grz_meshCollider || collider->kind == grz_animatedCollider) &&
           collider->body != grz_dynamicBody;
}

// The dynamic body of a pair that has contacts with a ground; UINT32_MAX: none.
static uint32_t moverOf(const grzMeshTouchStep* step, uint32_t i, const size_t* starts) {
    const grzMeshPair* pair = &step->pairs[i];
    const grzCollider *a = &step->colliders[pair->rowA], *b = &step->colliders[pair->rowB];
    if (starts[i] == starts[i + 1])
        return UINT32_MAX;
    if (a->body == grz_dynamicBody && isGround(b))
        return pair->rowA;
    return b->body == grz_dynamicBody && isGround(a) ? pair->rowB : UINT32_MAX;
}

// Fills starts and pairs; false where memory is refused.
static bool placePairs(grzTileGhosts* ghosts, const grzAllocator* allocator, const grzMeshTouchStep* step,
                       const size_t* starts) {
    const size_t slots = (size_t)step->colliderCount + 2;
    if (!grzArray_Reserve(&ghosts->starts, allocator, slots) ||
        !grzArray_Reserve(&ghosts->pairs, allocator, step->pairCount))
        return false;
    uint32_t* at = ghosts->starts.data;
    memset(at, 0, slots * sizeof *at);
    for (uint32_t i = 0; i < step->pairCount; ++i) {
        const uint32_t mover = moverOf(step, i, starts);
        if (mover != UINT32_MAX)
            at[mover + 2]++;
    }
    for (size_t slot = 2; slot < slots; ++slot)
        at[slot] += at[slot - 1];
    for (uint32_t i = 0; i < step->pairCount; ++i) { // now at[s + 1] is where the pairs of s go on
        const uint32_t mover = moverOf(step, i, starts);
        if (mover != UINT32_MAX)
            ghosts->pairs.data[at[mover + 1]++] = i;
    }
    return true;
}

// One body whose contacts are looked at, and its pairs: what contacts name is in one of these.
typedef struct Surroundings {
    const grzMeshTouchStep* step;
    const uint32_t* pairs;
    uint32_t count;
} Surroundings;

static const grzCollider* colliderOf(const Surroundings* around, grzBodyId body) {
    for (uint32_t i = 0; i < around->count; ++i) {
        const grzMeshPair* pair = &around->step->pairs[around->pairs[i]];
        const grzCollider *a = &around->step->colliders[pair->rowA], *b = &around->step->colliders[pair->rowB];
        if (grzBodyId_IsSame(a->id, body))
            return a;
        if (grzBodyId_IsSame(b->id, body))
            return b;
    }
    return NULL;
}

static void cornersOf(void* context, grzBodyId body, uint32_t triangle, grzVec3 corners[3]) {
    const grzSurface surface = grzCollider_GetSurface(colliderOf(context, body));
    grzSurface_GetEnds(&surface, triangle, corners);
}

static bool isTwoSided(void* context, grzBodyId body) {
    return colliderOf(context, body)->isTwoSided;
}

// Whether the grounds of a body may have ghosts.
static bool haveSeams(const grzTileGhosts* ghosts, const grzMeshTouchStep* step, uint32_t slot) {
    const uint32_t first = ghosts->starts.data[slot], count = ghosts->starts.data[slot + 1] - first;
    if (count != 1)
        return count > 1;
    const grzMeshPair* pair = &step->pairs[ghosts->pairs.data[first]];
    return step->colliders[pair->rowA == slot ? pair->rowB : pair->rowA].isTwoSided;
}

static float sizeOf(const grzCollider* collider) {
    const grzBox box = collider->kind == grz_meshCollider
                           ? collider->mesh->box
                           : grzConvex_Box(&collider->shape, grzTransform_Identity());
    return grzMaxElement(grzBox_Extent(box));
}

// Marks what is not among those that were kept; both are in one order. Returns how many.
static uint32_t markDropped(grzContact* contacts, size_t count, const grzContact** kept, const grzContact* end) {
    uint32_t dropped = 0;
    for (size_t i = 0; i < count; ++i) {
        if (*kept != end && memcmp(&contacts[i], *kept, sizeof contacts[i]) == 0)
            ++*kept;
        else
            contacts[i].pad = 1, ++dropped;
    }
    return dropped;
}

// The contacts of one body. Returns how many were dropped.
static uint32_t dropOf(grzTileGhosts* ghosts, grzMeshTouchStep* step, uint32_t slot, grzContact* contacts,
                       const size_t* starts) {
    const uint32_t first = ghosts->starts.data[slot], last = ghosts->starts.data[slot + 1];
    const float size = sizeOf(&step->colliders[slot]);
    Surroundings around = {step, ghosts->pairs.data + first, last - first};
    const grzGhostQuery query = {step->colliders[slot].id, cornersOf, &around, SLOP * size, size, isTwoSided};
    grzContact* gathered = ghosts->gathered.data;
    uint32_t count = 0, dropped = 0;
    for (uint32_t i = first; i < last; ++i) {
        const uint32_t pair = ghosts->pairs.data[i];
        memcpy(gathered + count, contacts + starts[pair], (starts[pair + 1] - starts[pair]) * sizeof *contacts);
        count += (uint32_t)(starts[pair + 1] - starts[pair]);
    }
    const grzContact *kept = gathered, *end = gathered + grzDropGhosts(gathered, count, &query);
    if (end == gathered + count)
        return 0;
    for (uint32_t i = first; i < last; ++i) {
        const uint32_t pair = ghosts->pairs.data[i];
        dropped += markDropped(contacts + starts[pair], starts[pair + 1] - starts[pair], &kept, end);
    }
    return dropped;
}

static void takeOut(const grzMeshTouchStep* step, grzContact* contacts, size_t* starts) {
    size_t kept = 0, begin = 0;
    for (uint32_t i = 0; i < step->pairCount; ++i) {
        const size_t end = starts[i + 1];
        for (size_t k = begin; k < end; ++k)
            if (contacts[k].pad == 0)
                contacts[kept++] = contacts[k];
        begin = end;
        starts[i + 1] = kept;
    }
}

bool grzTileGhosts_Drop(grzTileGhosts* ghosts, const grzAllocator* allocator, const grzMeshTouchStep* step,
                        grzContact* contacts, size_t* starts) {
    grzMeshTouchStep own = *step;
    uint32_t dropped = 0;
    if (!placePairs(ghosts, allocator, step, starts) ||
        !grzArray_Reserve(&ghosts->gathered, allocator, starts[step->pairCount]))
        return false;
    for (uint32_t slot = 0; slot < step->colliderCount; ++slot)
        if (haveSeams(ghosts, &own, slot))
            dropped += dropOf(ghosts, &own, slot, contacts, starts);
    if (dropped != 0)
        takeOut(step, contacts, starts);
    return true;
}
