// What: the steps of a manifold in order, and the memory that they share.
// Holds: raw contacts and contacts are arrays that only grow; a refusal leaves the view empty.
#include "graze/manifold.h"

#include <math.h>

#include "check.h"
#include "graze/tri_tri.h"
#include "manifold_parts.h"
#include "memory.h"
#include "record_sort.h"

enum { MANIFOLD_MARK = 0x6d666c64 };

grzManifoldDef grzDefaultManifoldDef(void) {
    grzManifoldDef def = {MANIFOLD_MARK, 4, 0.95f, 0.02f};
    return def;
}

static grzResult checkDef(const grzManifoldDef* def) {
    if (def->mark != MANIFOLD_MARK)
        return grzFail(grz_badDef, 0);
    if (def->pointCount == 0)
        return grzBecause(grzFail(grz_badArgument, 1), "a cluster must have a point");
    if (!(def->likeCosine >= -1 && def->likeCosine <= 1))
        return grzBecause(grzFail(grz_badArgument, 1), "likeCosine is not a cosine");
    if (!(def->levelSine >= 0 && def->levelSine <= 1))
        return grzBecause(grzFail(grz_badArgument, 1), "levelSine is not between 0 and 1");
    return grzOk();
}

grzResult grzManifolds_Create(const grzManifoldDef* def, grzAllocator allocator, grzManifolds** manifolds) {
    grzManifoldDef own = def != NULL ? *def : grzDefaultManifoldDef();
    *manifolds = NULL;
    grzResult result = checkDef(&own);
    if (grzResult_IsOk(result))
        result = grzCheckAllocator(allocator, 2);
    if (!grzResult_IsOk(result))
        return result;
    allocator = grzAllocator_OrDefault(allocator);
    grzManifolds* made = grzAllocate(&allocator, 1, sizeof *made, 64);
    if (made == NULL)
        return grzNoMemory(1, sizeof *made);
    *made = (grzManifolds){.allocator = allocator, .def = own};
    *manifolds = made;
    return grzOk();
}

void grzManifolds_Destroy(grzManifolds* manifolds) {
    if (manifolds == NULL)
        return;
    grzAllocator allocator = manifolds->allocator;
    grzArray_Release(&manifolds->raw, &allocator);
    grzArray_Release(&manifolds->contacts, &allocator);
    grzRelease(&allocator, manifolds, 1, sizeof *manifolds, 64);
}

static grzResult findRaw(grzManifolds* manifolds, const grzManifoldQuery* query) {
    RawContacts* raw = &manifolds->raw;
    for (uint32_t i = 0; i < query->count; ++i) {
        if (query->kinds != NULL && query->kinds[i] == grz_triNone)
            continue;
        if (!grzArray_Reserve(raw, &manifolds->allocator, raw->count + GRZ_TRI_TRI_POINTS))
            return grzNoMemory(raw->count + GRZ_TRI_TRI_POINTS, sizeof *raw->data);
        grzManifolds_AddPair(manifolds, query, &query->pairs[i]);
    }
    return grzOk();
}

void grzManifolds_MarkThose(grzManifolds* manifolds, const grzContact* previous, uint32_t previousCount) {
    RawContacts* raw = &manifolds->raw;
    uint32_t k = 0;
    for (size_t i = 0; i < raw->count; ++i) {
        const grzContact* contact = &raw->data[i].contact;
        while (k < previousCount && grzCompareRecords(&grzContactType, &previous[k], contact) < 0)
            ++k;
        raw->data[i].wasThere = k < previousCount && grzCompareRecords(&grzContactType, &previous[k], contact) == 0;
    }
}

static grzResult takeKept(grzManifolds* manifolds) {
    ContactArray* contacts = &manifolds->contacts;
    if (!grzArray_Reserve(contacts, &manifolds->allocator, manifolds->raw.count))
        return grzNoMemory(manifolds->raw.count, sizeof *contacts->data);
    for (size_t i = 0; i < manifolds->raw.count; ++i)
        if (manifolds->raw.data[i].isKept)
            contacts->data[contacts->count++] = manifolds->raw.data[i].contact;
    return grzOk();
}

grzResult grzManifolds_Build(grzManifolds* manifolds, const grzManifoldQuery* query) {
    manifolds->raw.count = manifolds->contacts.count = 0;
    manifolds->clusterCount = 0;
    if (query->a.body > query->b.body)
        return grzBecause(grzFail(grz_badArgument, 2), "the body of a must not be above that of b");
    grzResult result = findRaw(manifolds, query);
    if (!grzResult_IsOk(result))
        return result;
    grzManifolds_Merge(manifolds);
    grzManifolds_MarkThose(manifolds, query->previous, query->previousCount);
    grzManifolds_Reduce(manifolds);
    result = takeKept(manifolds);
    if (!grzResult_IsOk(result))
        manifolds->clusterCount = 0;
    GRZ_VALIDATE(grzAreRecordsSorted(&grzContactType, manifolds->contacts.data, manifolds->contacts.count));
    return result;
}

grzManifoldView grzManifolds_GetView(const grzManifolds* manifolds) {
    grzManifoldView view = {manifolds->contacts.data, (uint32_t)manifolds->contacts.count, manifolds->clusterCount};
    return view;
}
