// What: finds which pairs of triangles stand in for owners that share a vertex (ccd_triangles.h).
// Idea: goes through all pairs of triangles that share a vertex, and through their tests. A stand-in is written as
//   a key of its pair and one test. Then all are sorted.
#include <string.h>

#include "array.h"
#include "ccd_triangles.h"
#include "memory.h"
#include "radix_sort.h"
#include "result_make.h"

// Tests by pair; keys are of sort_key.h.
typedef struct StandKeys {
    GRZ_ARRAY(uint64_t);
} StandKeys;

typedef struct StandTests {
    GRZ_ARRAY(uint32_t);
} StandTests;

typedef struct StandOrphans {
    GRZ_ARRAY(CcdOrphans);
} StandOrphans;

typedef struct StandDraft {
    const grzMeshView* view;
    const grzAllocator* allocator;
    StandKeys keys, spareKeys;
    StandTests tests, spareTests;
    StandOrphans orphans;
} StandDraft;

// ---- features ----

static const uint32_t* cornersOf(const grzMeshView* view, uint32_t triangle) {
    return view->triangles + 3 * (size_t)triangle;
}

// The first of three that is wanted, or 3.
static uint32_t findFirst(const uint32_t three[3], uint32_t wanted) {
    uint32_t i = 0;
    while (i < 3 && three[i] != wanted)
        ++i;
    return i;
}

static bool shareVertex(const uint32_t* a, uint32_t countA, const uint32_t* b, uint32_t countB) {
    for (uint32_t i = 0; i < countA; ++i)
        for (uint32_t k = 0; k < countB; ++k)
            if (a[i] == b[k])
                return true;
    return false;
}

static bool areApart(const grzMeshView* view, uint32_t a, uint32_t b) {
    return !shareVertex(cornersOf(view, a), 3, cornersOf(view, b), 3);
}

// ---- stand-ins ----

// `test` is that of (a, b), which is put upright.
static bool add(StandDraft* draft, uint32_t a, uint32_t b, uint32_t test, uint32_t turnedTest) {
    const size_t count = draft->keys.count;
    if (!grzArray_Reserve(&draft->keys, draft->allocator, count + 1) ||
        !grzArray_Reserve(&draft->tests, draft->allocator, count + 1))
        return false;
    draft->keys.data[draft->keys.count++] = a < b ? grzSortKeyFromPair(a, b) : grzSortKeyFromPair(b, a);
    draft->tests.data[draft->tests.count++] = 1u << (a < b ? test : turnedTest);
    return true;
}

// Sets *isFound; false where memory is refused.
static bool standInForVertex(StandDraft* draft, uint32_t vertex, uint32_t face, bool* isFound) {
    const grzMeshView* view = draft->view;
    *isFound = false;
    for (uint32_t i = view->vertexTriangleStarts[vertex]; i < view->vertexTriangleStarts[vertex + 1]; ++i) {
        const uint32_t triangle = view->vertexTriangles[i];
        if (!areApart(view, triangle, face))
            continue;
        const uint32_t corner = findFirst(cornersOf(view, triangle), vertex);
        *isFound = true;
        return add(draft, triangle, face, corner, 3 + corner);
    }
    return true;
}

static bool standInForEdges(StandDraft* draft, uint32_t edgeA, uint32_t edgeB, bool* isFound) {
    const grzMeshView* view = draft->view;
    const uint32_t *starts = view->edgeTriangleStarts, *edges = view->triangleEdges;
    *isFound = false;
    for (uint32_t i = starts[edgeA]; i < starts[edgeA + 1]; ++i)
        for (uint32_t k = starts[edgeB]; k < starts[edgeB + 1]; ++k) {
            const uint32_t a = view->edgeTriangles[i], b = view->edgeTriangles[k];
            if (!areApart(view, a, b))
                continue;
            const uint32_t sideA = findFirst(edges + 3 * (size_t)a, edgeA),
                           sideB = findFirst(edges + 3 * (size_t)b, edgeB);
            *isFound = true;
            return add(draft, a, b, CCD_MEET_FACES + 3 * sideA + sideB, CCD_MEET_FACES + 3 * sideB + sideA);
        }
    return true;
}

// Of a pair that shares a vertex; *isFound where the features share one, too, and there is nothing to test.
static bool standIn(StandDraft* draft, uint32_t a, uint32_t b, uint32_t test, bool* isFound) {
    const grzMeshView* view = draft->view;
    *isFound = true;
    if (test < CCD_MEET_FACES) {
        const uint32_t face = test < 3 ? b : a, vertex = cornersOf(view, test < 3 ? a : b)[test % 3];
        return shareVertex(&vertex, 1, cornersOf(view, face), 3) || standInForVertex(draft, vertex, face, isFound);
    }
    const uint32_t edgeA = view->triangleEdges[3 * (size_t)a + (test - CCD_MEET_FACES) / 3];
    const uint32_t edgeB = view->triangleEdges[3 * (size_t)b + (test - CCD_MEET_FACES) % 3];
    const grzMeshEdge *e = &view->edges[edgeA], *f = &view->edges[edgeB];
    return shareVertex((const uint32_t[]){e->a, e->b}, 2, (const uint32_t[]){f->a, f->b}, 2) ||
           standInForEdges(draft, edgeA, edgeB, isFound);
}

// ---- all pairs that share a vertex ----

static bool handOver(StandDraft* draft, uint32_t a, uint32_t b) {
    const grzMeshView* view = draft->view;
    CcdOrphans orphans = {a, b, 0};
    for (uint32_t tests = CcdTriangle_OwnTests(view->triangleOwns[a], view->triangleOwns[b]); tests != 0;
         tests &= tests - 1) {
        bool isFound;
        if (!standIn(draft, a, b, (uint32_t)__builtin_ctz(tests), &isFound))
            return false;
        orphans.tests |= isFound ? 0 : tests & -tests;
    }
    if (orphans.tests == 0)
        return true;
    if (!grzArray_Reserve(&draft->orphans, draft->allocator, draft->orphans.count + 1))
        return false;
    draft->orphans.data[draft->orphans.count++] = orphans;
    return true;
}

// Two triangles share their vertices once: at the first corner of the earlier one that the other has, too.
static bool handOverAll(StandDraft* draft, uint32_t triangle) {
    const grzMeshView* view = draft->view;
    const uint32_t* corners = cornersOf(view, triangle);
    for (uint32_t corner = 0; corner < 3; ++corner) {
        const uint32_t end = view->vertexTriangleStarts[corners[corner] + 1];
        for (uint32_t i = view->vertexTriangleStarts[corners[corner]]; i < end; ++i) {
            const uint32_t other = view->vertexTriangles[i];
            if (other > triangle && !shareVertex(corners, corner, cornersOf(view, other), 3) &&
                !handOver(draft, triangle, other))
                return false;
        }
    }
    return true;
}

// ---- in order ----

static bool sortDraft(StandDraft* draft) {
    const size_t count = draft->keys.count;
    if (!grzArray_Reserve(&draft->spareKeys, draft->allocator, count) ||
        !grzArray_Reserve(&draft->spareTests, draft->allocator, count))
        return false;
    grzRadixSort64(draft->keys.data, draft->tests.data, draft->spareKeys.data, draft->spareTests.data, count);
    size_t last = 0; // all tests of a pair in one
    for (size_t i = 1; i < count; ++i) {
        if (draft->keys.data[i] == draft->keys.data[last]) {
            draft->tests.data[last] |= draft->tests.data[i];
            continue;
        }
        draft->keys.data[++last] = draft->keys.data[i];
        draft->tests.data[last] = draft->tests.data[i];
    }
    draft->keys.count = count == 0 ? 0 : last + 1;
    return true;
}

static grzResult keep(CcdTriangles* triangles, const StandDraft* draft, const grzAllocator* allocator) {
    const size_t count = draft->keys.count, orphanCount = draft->orphans.count;
    if (count > UINT32_MAX || orphanCount > UINT32_MAX)
        return grzFail(grz_tooLarge, count > orphanCount ? count : orphanCount);
    triangles->starts = grzAllocate(allocator, (size_t)triangles->count + 1, sizeof *triangles->starts, 64);
    if (triangles->starts == NULL)
        return grzNoMemory((size_t)triangles->count + 1, sizeof *triangles->starts);
    triangles->standIns = count == 0 ? NULL : grzAllocate(allocator, count, sizeof *triangles->standIns, 64);
    if (triangles->standIns == NULL && count != 0)
        return grzNoMemory(count, sizeof *triangles->standIns);
    triangles->standInCount = (uint32_t)count;
    triangles->orphans =
        orphanCount == 0 ? NULL : grzAllocate(allocator, orphanCount, sizeof *triangles->orphans, 64);
    if (triangles->orphans == NULL && orphanCount != 0)
        return grzNoMemory(orphanCount, sizeof *triangles->orphans);
    triangles->orphanCount = (uint32_t)orphanCount;
    if (orphanCount != 0)
        memcpy(triangles->orphans, draft->orphans.data, orphanCount * sizeof *triangles->orphans);
    uint32_t at = 0;
    for (uint32_t i = 0; i < triangles->count; ++i) {
        triangles->starts[i] = at;
        for (; at < count && draft->keys.data[at] >> 32 == i; ++at)
            triangles->standIns[at] = (CcdStandIn){(uint32_t)draft->keys.data[at], draft->tests.data[at]};
    }
    triangles->starts[triangles->count] = at;
    return grzOk();
}

grzResult grzCcdTriangles_MakeStandIns(CcdTriangles* triangles, const grzMesh* mesh,
                                       const grzAllocator* allocator) {
    const grzMeshView view = grzMesh_GetView(mesh);
    StandDraft draft = {.view = &view, .allocator = allocator};
    bool isDone = true;
    for (uint32_t i = 0; i < view.triangleCount && isDone; ++i)
        isDone = handOverAll(&draft, i);
    isDone = isDone && sortDraft(&draft);
    const grzResult result = isDone ? keep(triangles, &draft, allocator) : grzNoMemory(draft.keys.count, 24);
    grzArray_Release(&draft.keys, allocator);
    grzArray_Release(&draft.spareKeys, allocator);
    grzArray_Release(&draft.tests, allocator);
    grzArray_Release(&draft.spareTests, allocator);
    grzArray_Release(&draft.orphans, allocator);
    return result;
}
