// What: brings raw contacts into an order: of their keys, of patches and keys, or of features and keys.
// Idea: raw contacts are long and their keys are words, so the keys are sorted, each with its contact's place, and the contacts
//   then follow. Contacts mostly come in the order that is asked for, or nearly so: runs that are in order are merged.
// Holds: equal keys stay as they were. A refusal changes nothing.
// Cost: a pass over what is in order already; else n log n of 32 bytes, and a copy of the contacts.
#include <string.h>

#include "manifold_parts.h"
#include "memory.h"

enum { RUN = 8 };

static uint64_t featuresOf(const grzContact* contact) {
    return grzSortKeyFromPair(contact->featureA, contact->featureB);
}

static uint64_t trianglesOf(const grzContact* contact) {
    return grzSortKeyFromPair(contact->triangleA, contact->triangleB);
}

static RawPlace placeOf(const RawContact* raw, uint32_t index, RawOrder order) {
    const grzContact* contact = &raw->contact;
    RawPlace place = {{trianglesOf(contact), featuresOf(contact)}, 0, contact->ordinal, index, 0};
    if (order == rawByPatch)
        place.patch = raw->patch;
    if (order == rawByFeatures)
        place.keys[0] = featuresOf(contact), place.keys[1] = trianglesOf(contact);
    return place;
}

static bool isAfter(const RawPlace* p, const RawPlace* q) {
    if (p->patch != q->patch)
        return p->patch > q->patch;
    if (p->keys[0] != q->keys[0])
        return p->keys[0] > q->keys[0];
    if (p->keys[1] != q->keys[1])
        return p->keys[1] > q->keys[1];
    return p->ordinal > q->ordinal;
}

static void sortRun(RawPlace* places, size_t count) {
    for (size_t i = 1; i < count; ++i) {
        const RawPlace place = places[i];
        size_t at = i;
        for (; at > 0 && isAfter(&places[at - 1], &place); --at)
            places[at] = places[at - 1];
        places[at] = place;
    }
}

static void mergeRuns(const RawPlace* from, size_t first, size_t middle, size_t end, RawPlace* to) {
    size_t left = first, right = middle;
    for (size_t at = first; at < end; ++at)
        to[at] =
            right == end || (left < middle && !isAfter(&from[left], &from[right])) ? from[left++] : from[right++];
}

// Returns where they are then.
static RawPlace* sortPlaces(RawPlace* places, RawPlace* spare, size_t count) {
    for (size_t first = 0; first < count; first += RUN)
        sortRun(places + first, count - first < RUN ? count - first : RUN);
    for (size_t width = RUN; width < count; width *= 2) {
        for (size_t first = 0; first < count; first += 2 * width) {
            const size_t middle = first + width < count ? first + width : count;
            mergeRuns(places, first, middle, middle + width < count ? middle + width : count, spare);
        }
        RawPlace* other = places;
        places = spare;
        spare = other;
    }
    return places;
}

const RawPlace* grzManifolds_Order(grzManifolds* manifolds, RawOrder order) {
    const RawContacts* raw = &manifolds->raw;
    bool isSorted = true;
    if (!grzArray_Reserve(&manifolds->places, &manifolds->allocator, 2 * raw->count + 1))
        return NULL;
    RawPlace* places = manifolds->places.data;
    for (size_t i = 0; i < raw->count; ++i) {
        places[i] = placeOf(&raw->data[i], (uint32_t)i, order);
        isSorted = isSorted && (i == 0 || !isAfter(&places[i - 1], &places[i]));
    }
    return isSorted ? places : sortPlaces(places, places + raw->count, raw->count);
}

bool grzManifolds_Sort(grzManifolds* manifolds, RawOrder order) {
    const RawPlace* places = grzManifolds_Order(manifolds, order);
    RawContacts *raw = &manifolds->raw, *spare = &manifolds->spare;
    size_t moved = 0;
    if (places == NULL)
        return false;
    while (moved < raw->count && places[moved].index == moved)
        ++moved;
    if (moved == raw->count)
        return true;
    if (!grzArray_Reserve(spare, &manifolds->allocator, raw->count - moved))
        return false;
    for (size_t i = moved; i < raw->count; ++i)
        spare->data[i - moved] = raw->data[places[i].index];
    memcpy(raw->data + moved, spare->data, (raw->count - moved) * sizeof *raw->data);
    return true;
}
