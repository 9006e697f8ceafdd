// What: which meeting triangle pairs hang together.
// Idea: a corner of what two triangles have in common is named by the features that meet there. Where the curve in
//       which two surfaces meet goes on from pair to pair, both have that corner; so pairs with a corner of the same
//       name are of one patch. A union-find forest joins them, the lowest pair is the root.
// Cost: n log n for three orders of the points.
#include "manifold_parts.h"

static bool samePair(const RawContact* p, const RawContact* q) {
    return p->contact.triangleA == q->contact.triangleA && p->contact.triangleB == q->contact.triangleB;
}

static bool sameFeatures(const RawContact* p, const RawContact* q) {
    return p->contact.featureA == q->contact.featureA && p->contact.featureB == q->contact.featureB;
}

static uint32_t rootOf(uint32_t* parents, uint32_t meet) {
    while (parents[meet] != meet)
        meet = parents[meet] = parents[parents[meet]];
    return meet;
}

static void join(uint32_t* parents, uint32_t p, uint32_t q) {
    p = rootOf(parents, p);
    q = rootOf(parents, q);
    if (p < q)
        parents[q] = p;
    else
        parents[p] = q;
}

static int compareByPatch(const RawContact* p, const RawContact* q) {
    if (p->patch != q->patch)
        return p->patch < q->patch ? -1 : 1;
    return grzManifolds_CompareByKey(p, q);
}

// A pair that was given twice is one.
static void dropCopies(RawContacts* raw) {
    size_t count = 0;
    for (size_t i = 0; i < raw->count; ++i)
        if (count == 0 || grzManifolds_CompareByKey(&raw->data[count - 1], &raw->data[i]) != 0)
            raw->data[count++] = raw->data[i];
    raw->count = count;
}

bool grzManifolds_FindPatches(grzManifolds* manifolds) {
    RawContacts* raw = &manifolds->raw;
    IndexArray* parents = &manifolds->parents;
    parents->count = 0;
    if (!grzArray_Reserve(parents, &manifolds->allocator, raw->count))
        return false;
    grzManifolds_Sort(raw->data, raw->count, grzManifolds_CompareByKey);
    dropCopies(raw);
    for (size_t i = 0; i < raw->count; ++i) {
        if (i == 0 || !samePair(&raw->data[i - 1], &raw->data[i])) {
            parents->data[parents->count] = (uint32_t)parents->count;
            parents->count++;
        }
        raw->data[i].meet = (uint32_t)parents->count - 1;
    }
    grzManifolds_Sort(raw->data, raw->count, grzManifolds_CompareByFeatures);
    for (size_t i = 1; i < raw->count; ++i)
        if (sameFeatures(&raw->data[i - 1], &raw->data[i]))
            join(parents->data, raw->data[i - 1].meet, raw->data[i].meet);
    // Points of one pair are joined by their meet alone, whatever their features.
    for (size_t i = 0; i < raw->count; ++i)
        raw->data[i].patch = rootOf(parents->data, raw->data[i].meet);
    grzManifolds_Sort(raw->data, raw->count, compareByPatch);
    return true;
}
