// What: which meeting triangle pairs hang together.
// Idea: a corner of what two triangles have in common is named by the features that meet there. Where the curve in
//       which two surfaces meet goes on from pair to pair, both have that corner; so pairs with a corner of the same
//       name are of one patch. Where what overlaps has a hole, its two loops are one patch too: one of the surfaces
//       leads inside from loop to loop. A union-find forest joins them, the lowest pair is the root.
// Cost: n log n for four orders of the points.
#include "manifold_parts.h"
#include "record_sort.h"

static bool samePair(const RawContact* p, const RawContact* q) {
    return p->contact.triangleA == q->contact.triangleA && p->contact.triangleB == q->contact.triangleB;
}

static bool sameFeatures(const RawContact* p, const RawContact* q) {
    return p->contact.featureA == q->contact.featureA && p->contact.featureB == q->contact.featureB;
}

uint32_t grzManifolds_PatchOf(const grzManifolds* manifolds, uint32_t meet) {
    uint32_t* parents = manifolds->parents.data;
    while (parents[meet] != meet)
        meet = parents[meet] = parents[parents[meet]];
    return meet;
}

void grzManifolds_Join(grzManifolds* manifolds, uint32_t meetP, uint32_t meetQ) {
    uint32_t p = grzManifolds_PatchOf(manifolds, meetP), q = grzManifolds_PatchOf(manifolds, meetQ);
    if (p < q)
        manifolds->parents.data[q] = p;
    else
        manifolds->parents.data[p] = q;
}

static bool sortByPatch(grzManifolds* manifolds) {
    RawContacts* raw = &manifolds->raw;
    for (size_t i = 0; i < raw->count; ++i)
        raw->data[i].patch = grzManifolds_PatchOf(manifolds, raw->data[i].meet);
    return grzManifolds_Sort(manifolds, rawByPatch);
}

// A pair that was given twice is one.
static void dropCopies(RawContacts* raw) {
    size_t count = 0;
    for (size_t i = 0; i < raw->count; ++i)
        if (count == 0 ||
            grzCompareRecords(&grzContactType, &raw->data[count - 1].contact, &raw->data[i].contact) != 0)
            raw->data[count++] = raw->data[i];
    raw->count = count;
}

static bool joinInside(grzManifolds* manifolds, const grzManifoldQuery* query) {
    return grzManifolds_FindCuts(manifolds, query) && grzManifolds_JoinThroughInside(manifolds, query) &&
           sortByPatch(manifolds);
}

bool grzManifolds_FindPatches(grzManifolds* manifolds, const grzManifoldQuery* query) {
    RawContacts* raw = &manifolds->raw;
    IndexArray* parents = &manifolds->parents;
    parents->count = 0;
    if (!grzArray_Reserve(parents, &manifolds->allocator, raw->count) || !grzManifolds_Sort(manifolds, rawByKey))
        return false;
    dropCopies(raw);
    for (size_t i = 0; i < raw->count; ++i) {
        if (i == 0 || !samePair(&raw->data[i - 1], &raw->data[i])) {
            parents->data[parents->count] = (uint32_t)parents->count;
            parents->count++;
        }
        raw->data[i].meet = (uint32_t)parents->count - 1;
    }
    const RawPlace* places = grzManifolds_Order(manifolds, rawByFeatures);
    if (places == NULL)
        return false;
    for (size_t i = 1; i < raw->count; ++i) {
        const RawContact *last = &raw->data[places[i - 1].index], *own = &raw->data[places[i].index];
        if (sameFeatures(last, own))
            grzManifolds_Join(manifolds, last->meet, own->meet);
    }
    bool isTurned = false;
    return sortByPatch(manifolds) && grzManifolds_TurnFaces(manifolds, query) && joinInside(manifolds, query) &&
           grzManifolds_TurnBack(manifolds, query, &isTurned) && (!isTurned || joinInside(manifolds, query));
}
