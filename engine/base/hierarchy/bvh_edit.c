// What: graze/bvh_edit.h: triangles get other corners, go and come.
// Promise: refused whole, or done whole; the shape, the maps and the leaves' lists are then what a view promises.
// Idea: everything is checked and all memory taken first. Then triangles are written where they shall stand, each place that
//   is written marking its leaf, and at last the lists of the marked leaves are made anew.
//
//         places   0 1 2 x 4 5 x 7 8 9      two are removed: 8 and 9, those at the end, go to 3 and 6
//         numbers  the same, with numbers in the place of places
//
// Holds: `places` is the inverse of triangleToCaller from the first edit after a build on, and kept by all later ones.
// Cost: O(entries), and a sort of those removed.
#include "bvh_parts.h"

#include <string.h>

#include "radix_sort.h"
#include "refuse_null.h"

// ---- checks ----

static const char* flawOf(const grzBvhEdit* edit) {
    if (edit == NULL)
        return "edit is NULL";
    if ((edit->changed == NULL || edit->changedCorners == NULL) && edit->changedCount != 0)
        return "changed or changedCorners is NULL, but changedCount is not 0";
    if (edit->removed == NULL && edit->removedCount != 0)
        return "removed is NULL, but removedCount is not 0";
    return edit->added == NULL && edit->addedCount != 0 ? "added is NULL, but addedCount is not 0" : NULL;
}

// `width` numbers an entry, all below a limit.
static grzResult checkList(const uint32_t* list, size_t count, size_t width, uint64_t limit, const char* sentence) {
    for (size_t i = 0; i < count * width; ++i)
        if (list[i] >= limit)
            return grzBecause(grzFailAt(grz_indexTooLarge, grz_partTriangle, i / width, list[i]), sentence);
    return grzOk();
}

static grzResult checkLists(const grzBvh* bvh, const grzBvhEdit* edit, uint64_t vertexCount) {
    const uint64_t triangles = bvh->view.triangleCount;
    grzResult result = checkList(edit->changed, edit->changedCount, 1, triangles, "changed names no triangle");
    if (grzResult_IsOk(result))
        result =
            checkList(edit->changedCorners, edit->changedCount, 3, vertexCount, "a changed corner is no vertex");
    if (grzResult_IsOk(result))
        result = checkList(edit->removed, edit->removedCount, 1, triangles, "removed names no triangle");
    if (grzResult_IsOk(result))
        result = checkList(edit->added, edit->addedCount, 3, vertexCount, "an added corner is no vertex");
    return result;
}

// Lists may be longer than there are triangles only where entries repeat, which removed ones must not.
static grzResult check(const grzBvh* bvh, const grzBvhEdit* edit) {
    const char* flaw = flawOf(edit);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 2), flaw);
    const size_t vertices = bvh->view.vertexCount, triangles = bvh->view.triangleCount;
    if (edit->newVertexCount > GRZ_MESH_MAX_VERTICES || edit->addedCount > GRZ_MESH_MAX_TRIANGLES)
        return grzFail(grz_tooLarge,
                       edit->newVertexCount > GRZ_MESH_MAX_VERTICES ? edit->newVertexCount : edit->addedCount);
    if (edit->changedCount > GRZ_MESH_MAX_TRIANGLES || edit->removedCount > GRZ_MESH_MAX_TRIANGLES)
        return grzFail(grz_tooLarge,
                       edit->changedCount > GRZ_MESH_MAX_TRIANGLES ? edit->changedCount : edit->removedCount);
    const size_t more = edit->addedCount > edit->removedCount ? edit->addedCount - edit->removedCount : 0;
    const grzResult counts = grzCheckMeshCounts(vertices + edit->newVertexCount, triangles + more);
    return grzResult_IsOk(counts) ? checkLists(bvh, edit, vertices + edit->newVertexCount) : counts;
}

// The scratch of so many entries is free.
static grzResult checkTwice(const BvhEdits* edits, const grzBvhEdit* edit) {
    const size_t count = edit->removedCount;
    uint32_t *sorted = edits->scratch.data, least = UINT32_MAX;
    if (count == 0)
        return grzOk();
    memcpy(sorted, edit->removed, count * sizeof *sorted);
    grzRadixSort32(sorted, NULL, sorted + count, NULL, count);
    for (size_t i = 1; i < count && least == UINT32_MAX; ++i)
        least = sorted[i] == sorted[i - 1] ? sorted[i] : least;
    if (least == UINT32_MAX)
        return grzOk();
    size_t i = 0;
    for (bool isMet = false; edit->removed[i] != least || !isMet; ++i)
        isMet = isMet || edit->removed[i] == least;
    return grzBecause(grzFailAt(grz_badArgument, grz_partTriangle, i, least), "it is removed twice");
}

// ---- memory ----

typedef struct Counts {
    uint32_t vertices, triangles; // afterwards
    uint32_t paired;              // added ones that stand where one was removed
    uint32_t holes;               // removed ones beyond
} Counts;

static Counts countAfter(const grzBvhView* view, const grzBvhEdit* edit) {
    const uint32_t added = (uint32_t)edit->addedCount, removed = (uint32_t)edit->removedCount;
    const uint32_t paired = added < removed ? added : removed;
    return (Counts){view->vertexCount + (uint32_t)edit->newVertexCount, view->triangleCount + added - removed,
                    paired, removed - paired};
}

static bool takeBits(const grzAllocator* allocator, BvhWords* words, size_t bits) {
    const size_t wanted = bits / 64 + 1;
    if (!grzArray_Reserve(words, allocator, wanted))
        return false;
    if (words->count < wanted)
        memset(words->data + words->count, 0, (wanted - words->count) * sizeof *words->data);
    words->count = words->count < wanted ? wanted : words->count;
    return true;
}

// No more than there are leaves, nor than places can be written.
static size_t mostLeaves(const grzBvhEdit* edit, const Counts* counts) {
    const size_t places = edit->changedCount + edit->addedCount + edit->removedCount + 1;
    const size_t leaves = grzBvhDivideUp(counts->triangles, GRZ_BVH_LEAF_TRIANGLES);
    return places < leaves ? places : leaves;
}

// Three lists of the holes, or two of all that are removed.
static size_t scratchOf(const grzBvhEdit* edit) {
    return 3 * edit->removedCount;
}

static grzResult takeLists(grzBvh* bvh, const grzBvhEdit* edit, const Counts* counts) {
    BvhEdits* edits = &bvh->edits;
    const grzAllocator* allocator = &bvh->allocator;
    const uint32_t leaves = grzBvhDivideUp(counts->triangles, GRZ_BVH_LEAF_TRIANGLES);
    const uint32_t chunks = grzBvhDivideUp(counts->triangles, GRZ_BVH_CHUNK_TRIANGLES);
    const size_t places = counts->triangles > bvh->view.triangleCount ? counts->triangles : bvh->view.triangleCount;
    if (!grzArray_Reserve(&edits->places, allocator, places))
        return grzNoMemory(places, sizeof *edits->places.data);
    if (!grzArray_Reserve(&edits->moves, allocator, counts->holes))
        return grzNoMemory(counts->holes, sizeof *edits->moves.data);
    // What the last edit left is forgotten only when this one is done, so it is kept where the lists grow.
    if (!grzArray_Reserve(&edits->leaves, allocator, mostLeaves(edit, counts)))
        return grzNoMemory(mostLeaves(edit, counts), sizeof *edits->leaves.data);
    if (!takeBits(allocator, &edits->isTouched, leaves) || !takeBits(allocator, &edits->chunks, chunks))
        return grzNoMemory((size_t)leaves / 64 + 1, sizeof(uint64_t));
    if (!grzBvh_MakeRoom(bvh, counts->vertices, counts->triangles))
        return grzNoMemory(grzBvhRoomSize(counts->vertices, counts->triangles), 1);
    return grzOk();
}

void grzBvh_ForgetEdits(grzBvh* bvh) {
    BvhEdits* edits = &bvh->edits;
    bvh->revision++;
    edits->isEdited = false;
    edits->isReshaped = true;
    edits->places.count = edits->leaves.count = edits->moves.count = 0;
}

void grzBvh_ReleaseEdits(grzBvh* bvh) {
    BvhEdits* edits = &bvh->edits;
    grzArray_Release(&edits->places, &bvh->allocator);
    grzArray_Release(&edits->leaves, &bvh->allocator);
    grzArray_Release(&edits->isTouched, &bvh->allocator);
    grzArray_Release(&edits->chunks, &bvh->allocator);
    grzArray_Release(&edits->moves, &bvh->allocator);
    grzArray_Release(&edits->scratch, &bvh->allocator);
}

// ---- places ----

static void findPlaces(grzBvh* bvh) {
    uint32_t* places = bvh->edits.places.data;
    for (uint32_t t = 0; t < bvh->view.triangleCount; ++t)
        places[bvh->triangleToCaller[t]] = t;
}

// A place that there will be.
static void touch(BvhEdits* edits, uint32_t place) {
    const uint32_t leaf = place / GRZ_BVH_LEAF_TRIANGLES;
    const uint64_t bit = UINT64_C(1) << leaf % 64;
    uint64_t* word = &edits->isTouched.data[leaf / 64];
    if ((*word & bit) == 0)
        edits->leaves.data[edits->leaves.count++] = leaf;
    *word |= bit;
}

static void writeCorners(grzBvh* bvh, uint32_t place, const uint32_t* corners) {
    for (size_t k = 0; k < 3; ++k)
        bvh->triangles[3 * (size_t)place + k] = bvh->vertexFromCaller[corners[k]];
}

static void setNumber(grzBvh* bvh, uint32_t place, uint32_t number) {
    bvh->triangleToCaller[place] = number;
    bvh->edits.places.data[number] = place;
}

// Calls `move` for each of those from `end` on that stay, with the free one below that it goes to. The holes ascend.
static void fillHoles(grzBvh* bvh, const uint32_t* holes, uint32_t count, uint32_t end,
                      void (*move)(grzBvh* bvh, uint32_t from, uint32_t to)) {
    uint32_t next = 0; // the first hole from `end` on that has not been passed
    while (next < count && holes[next] < end)
        ++next;
    uint32_t from = end;
    for (uint32_t k = 0; k < count && holes[k] < end; ++k, ++from) {
        for (; next < count && holes[next] == from; ++next)
            ++from;
        move(bvh, from, holes[k]);
    }
}

static void movePlace(grzBvh* bvh, uint32_t from, uint32_t to) {
    memcpy(bvh->triangles + 3 * (size_t)to, bvh->triangles + 3 * (size_t)from, 3 * sizeof *bvh->triangles);
    setNumber(bvh, to, bvh->triangleToCaller[from]);
    touch(&bvh->edits, to);
}

static void moveNumber(grzBvh* bvh, uint32_t from, uint32_t to) {
    setNumber(bvh, bvh->edits.places.data[from], to);
    bvh->edits.moves.data[bvh->edits.moves.count++] = (grzBvhMove){from, to};
}

// ---- the steps ----

static void addVertices(grzBvh* bvh, uint32_t end) {
    for (uint32_t v = bvh->view.vertexCount; v < end; ++v)
        bvh->vertexToCaller[v] = bvh->vertexFromCaller[v] = v;
}

static void changeTriangles(grzBvh* bvh, const grzBvhEdit* edit, const Counts* counts) {
    for (size_t i = 0; i < edit->changedCount; ++i) {
        const uint32_t place = bvh->edits.places.data[edit->changed[i]];
        writeCorners(bvh, place, edit->changedCorners + 3 * i);
        if (place < counts->triangles)
            touch(&bvh->edits, place);
    }
}

static void addTriangles(grzBvh* bvh, const grzBvhEdit* edit, const Counts* counts) {
    const uint32_t before = bvh->view.triangleCount;
    for (uint32_t i = 0; i < edit->addedCount; ++i) {
        const bool isPaired = i < counts->paired;
        const uint32_t number = isPaired ? edit->removed[i] : before + i - counts->paired;
        const uint32_t place = isPaired ? bvh->edits.places.data[number] : number;
        writeCorners(bvh, place, edit->added + 3 * (size_t)i);
        setNumber(bvh, place, number);
        if (place < counts->triangles)
            touch(&bvh->edits, place);
    }
}

// Places first: then the numbers of those that stay are moved with their places.
static void removeTriangles(grzBvh* bvh, const grzBvhEdit* edit, const Counts* counts) {
    const uint32_t count = counts->holes;
    uint32_t *numbers = bvh->edits.scratch.data, *places = numbers + count, *scratch = places + count;
    if (count == 0)
        return;
    memcpy(numbers, edit->removed + counts->paired, count * sizeof *numbers);
    grzRadixSort32(numbers, NULL, scratch, NULL, count);
    for (uint32_t k = 0; k < count; ++k)
        places[k] = bvh->edits.places.data[numbers[k]];
    grzRadixSort32(places, NULL, scratch, NULL, count);
    fillHoles(bvh, places, count, counts->triangles, movePlace);
    fillHoles(bvh, numbers, count, counts->triangles, moveNumber);
    if (counts->triangles != 0)
        touch(&bvh->edits, counts->triangles - 1);
}

// ---- leaves ----

// Lists a leaf's vertices, each once, and fills the list up. Returns how many.
static uint32_t listLeaf(const grzBvh* bvh, uint32_t leaf, uint32_t list[GRZ_BVH_LEAF_VERTICES]) {
    const uint32_t first = leaf * GRZ_BVH_LEAF_TRIANGLES, left = bvh->view.triangleCount - first;
    const uint32_t corners = 3 * (left < GRZ_BVH_LEAF_TRIANGLES ? left : GRZ_BVH_LEAF_TRIANGLES);
    uint32_t count = 0;
    for (uint32_t i = 0; i < corners; ++i) {
        const uint32_t vertex = bvh->triangles[3 * (size_t)first + i];
        uint32_t k = 0;
        while (k < count && list[k] != vertex)
            ++k;
        list[k] = vertex;
        count += k == count;
    }
    for (uint32_t i = count; i < GRZ_BVH_LEAF_VERTICES; ++i)
        list[i] = list[0];
    return count;
}

// A flag of a last vertex that the node has no more costs a little, and stays.
static void flagLeaf(grzBvh* bvh, uint32_t leaf, const uint32_t* list, uint32_t count) {
    const uint32_t treesLast = bvh->view.vertexCount - 1, callersLast = bvh->vertexFromCaller[treesLast];
    uint16_t* flags = &bvh->nodeFlags[leaf / GRZ_BVH_WIDTH];
    const unsigned bit = 1u << leaf % GRZ_BVH_WIDTH;
    unsigned made = (*flags & ~bit) | (count > 8 ? bit : 0);
    for (uint32_t k = 0; k < count; ++k) {
        made |= list[k] == treesLast ? GRZ_BVH_HAS_TREES_LAST : 0u;
        made |= list[k] == callersLast ? GRZ_BVH_HAS_CALLERS_LAST : 0u;
    }
    *flags = (uint16_t)made;
}

static void listLeaves(grzBvh* bvh) {
    BvhEdits* edits = &bvh->edits;
    memset(edits->chunks.data, 0, edits->chunks.count * sizeof *edits->chunks.data);
    for (size_t i = 0; i < edits->leaves.count; ++i) {
        const uint32_t leaf = edits->leaves.data[i],
                       chunk = leaf / (GRZ_BVH_CHUNK_TRIANGLES / GRZ_BVH_LEAF_TRIANGLES);
        uint32_t list[GRZ_BVH_LEAF_VERTICES] = {0};
        const uint32_t count = listLeaf(bvh, leaf, list);
        memcpy(bvh->leafVertices + 8 * (size_t)leaf, list, 8 * sizeof *list);
        memcpy(bvh->moreVertices + 4 * (size_t)leaf, list + 8, 4 * sizeof *list);
        bvh->leafVertexCounts[leaf] = (uint8_t)count;
        flagLeaf(bvh, leaf, list, count);
        edits->isTouched.data[leaf / 64] = 0;
        edits->chunks.data[chunk / 64] |= UINT64_C(1) << chunk % 64;
    }
}

// Levels grow or shrink; bottom nodes that come, and lanes that go, have no flags.
static void reshape(grzBvh* bvh, const Counts* counts) {
    const grzBvhView before = bvh->view;
    grzBvh_Shape(bvh, counts->vertices, counts->triangles);
    const uint32_t old = before.nodeCount - grzBvhView_BottomStart(&before);
    const uint32_t bottoms = bvh->view.nodeCount - grzBvhView_BottomStart(&bvh->view);
    if (bottoms > old)
        memset(bvh->nodeFlags + old, 0, (bottoms - old) * sizeof *bvh->nodeFlags);
    const uint32_t lanes = bvh->view.leafCount - (bottoms - 1) * GRZ_BVH_WIDTH;
    bvh->nodeFlags[bottoms - 1] &= (uint16_t)(~0xFFu | ((1u << lanes) - 1));
    bvh->edits.isReshaped = bvh->view.nodeCount != before.nodeCount;
}

static void apply(grzBvh* bvh, const grzBvhEdit* edit, const Counts* counts) {
    BvhEdits* edits = &bvh->edits;
    if (!edits->isEdited)
        findPlaces(bvh);
    edits->isEdited = true;
    edits->leaves.count = edits->moves.count = 0;
    addVertices(bvh, counts->vertices);
    changeTriangles(bvh, edit, counts);
    addTriangles(bvh, edit, counts);
    removeTriangles(bvh, edit, counts);
    reshape(bvh, counts);
    listLeaves(bvh);
    edits->places.count = counts->triangles;
    bvh->revision++;
}

grzResult grzBvh_Edit(grzBvh* bvh, const grzBvhEdit* edit) {
    GRZ_REFUSE_NULL(bvh, 1);
    grzResult result = check(bvh, edit);
    if (!grzResult_IsOk(result))
        return result;
    const size_t scratch = scratchOf(edit);
    if (!grzArray_Reserve(&bvh->edits.scratch, &bvh->allocator, scratch))
        return grzNoMemory(scratch, sizeof *bvh->edits.scratch.data);
    result = checkTwice(&bvh->edits, edit);
    if (!grzResult_IsOk(result))
        return result;
    const Counts counts = countAfter(&bvh->view, edit);
    result = takeLists(bvh, edit, &counts);
    if (grzResult_IsOk(result))
        apply(bvh, edit, &counts);
    return result;
}

grzBvhEdited grzBvh_LastEdit(const grzBvh* bvh) {
    GRZ_RETURN_IF_NULL(bvh, (grzBvhEdited){0});
    const BvhEdits* edits = &bvh->edits;
    if (!edits->isEdited)
        return (grzBvhEdited){.isReshaped = true};
    return (grzBvhEdited){.leaves = edits->leaves.data,
                          .leafCount = (uint32_t)edits->leaves.count,
                          .chunks = edits->chunks.data,
                          .moves = edits->moves.data,
                          .moveCount = (uint32_t)edits->moves.count,
                          .isReshaped = edits->isReshaped};
}

void grzBvhEdit_Apply(const grzBvhEdit* edit, const grzBvhEdited* edited, size_t triangleCount,
                      uint32_t* triangles) {
    GRZ_RETURN_IF_NULL(edit, );
    GRZ_RETURN_IF_NULL(edited, );
    GRZ_RETURN_IF_NULL(triangles, );
    const size_t size = 3 * sizeof *triangles;
    for (size_t i = 0; i < edit->changedCount; ++i)
        memcpy(triangles + 3 * (size_t)edit->changed[i], edit->changedCorners + 3 * i, size);
    for (size_t i = 0; i < edit->addedCount; ++i) {
        const size_t number = i < edit->removedCount ? edit->removed[i] : triangleCount + i - edit->removedCount;
        memcpy(triangles + 3 * number, edit->added + 3 * i, size);
    }
    for (uint32_t k = 0; k < edited->moveCount; ++k)
        memcpy(triangles + 3 * (size_t)edited->moves[k].to, triangles + 3 * (size_t)edited->moves[k].from, size);
}
