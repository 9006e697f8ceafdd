// What: the records, links and table of pair_graph.h.
#include "pair_graph.h"

#include <inttypes.h>
#include <string.h>

#include "check.h"
#include "memory.h"

enum { tableAlignment = 64, tableLeast = 16 };

void grzPairGraph_Create(PairGraph* graph, const grzAllocator* allocator, bool isWithin) {
    *graph = (PairGraph){.allocator = allocator, .isWithin = isWithin};
    for (int i = 0; i < pairPieceSizes; ++i)
        graph->freePieces[i] = PAIR_NONE;
}

void grzPairGraph_Destroy(PairGraph* graph) {
    for (int side = 0; side < 2; ++side) {
        PairSide* s = &graph->sides[side];
        grzArray_Release(&s->objects, graph->allocator);
        grzRelease(graph->allocator, s->table, s->tableSize, sizeof *s->table, tableAlignment);
    }
    grzArray_Release(&graph->links, graph->allocator);
}

void grzPairGraph_Clear(PairGraph* graph) {
    for (int side = 0; side < 2; ++side) {
        PairSide* s = &graph->sides[side];
        s->objects.count = s->knownCount = 0;
        if (s->tableSize != 0)
            memset(s->table, 0, s->tableSize * sizeof *s->table);
    }
    graph->links.count = 0;
    for (int i = 0; i < pairPieceSizes; ++i)
        graph->freePieces[i] = PAIR_NONE;
}

size_t grzPairGraph_MemoryBytes(const PairGraph* graph) {
    size_t bytes = graph->links.capacity * sizeof(uint32_t);
    for (int side = 0; side < 2; ++side)
        bytes += graph->sides[side].objects.capacity * sizeof(PairObject) +
                 graph->sides[side].tableSize * sizeof(PairKeyPlace);
    return bytes;
}

// ---------------------------------------------------------------------------------------------- objects by key

// Where a key's search begins: Fibonacci hashing [Knuth, The Art of Computer Programming 3, section 6.4].
static size_t homeOf(const PairSide* side, uint32_t key) {
    return (size_t)((uint64_t)(key * 0x9E3779B1u) * side->tableSize >> 32);
}

// The key's place, or the free one where its search ends. The table is never full.
static size_t placeOf(const PairSide* side, uint32_t key) {
    size_t place = homeOf(side, key);
    while (side->table[place].index1 != 0 && side->table[place].key != key)
        place = (place + 1) & (side->tableSize - 1);
    return place;
}

static bool growTable(PairGraph* graph, PairSide* side, size_t knownCount) {
    size_t size = side->tableSize != 0 ? side->tableSize : tableLeast;
    while (size / 4 * 3 < knownCount)
        size *= 2;
    if (size == side->tableSize)
        return true;
    PairSide grown = *side;
    grown.table = grzAllocate(graph->allocator, size, sizeof *grown.table, tableAlignment);
    if (grown.table == NULL)
        return false;
    grown.tableSize = size;
    memset(grown.table, 0, size * sizeof *grown.table);
    for (size_t i = 0; i < side->tableSize; ++i)
        if (side->table[i].index1 != 0)
            grown.table[placeOf(&grown, side->table[i].key)] = side->table[i];
    grzRelease(graph->allocator, side->table, side->tableSize, sizeof *side->table, tableAlignment);
    *side = grown;
    return true;
}

bool grzPairGraph_Reserve(PairGraph* graph, int side, size_t indexCount, size_t knownCount) {
    PairSide* s = &graph->sides[side];
    if (!growTable(graph, s, knownCount) || !grzArray_Reserve(&s->objects, graph->allocator, indexCount))
        return false;
    while (s->objects.count < indexCount)
        s->objects.data[s->objects.count++] = (PairObject){0};
    return true;
}

bool grzPairGraph_Know(PairGraph* graph, int side, uint32_t index, uint32_t key, uint32_t generation) {
    PairSide* s = &graph->sides[side];
    GRZ_ASSERT(s->objects.data[index].generation == 0);
    size_t place = placeOf(s, key);
    if (s->table[place].index1 != 0)
        return false;
    s->table[place] = (PairKeyPlace){key, index + 1};
    s->objects.data[index] = (PairObject){.key = key, .generation = generation};
    s->knownCount++;
    return true;
}

// What comes behind a place that becomes free moves up, unless its search begins behind it [Knuth] algorithm 6.4R.
void grzPairGraph_Forget(PairGraph* graph, int side, uint32_t index) {
    PairSide* s = &graph->sides[side];
    PairObject* object = &s->objects.data[index];
    GRZ_ASSERT(object->generation != 0 && object->linkCount == 0);
    size_t last = s->tableSize - 1, hole = placeOf(s, object->key);
    GRZ_ASSERT(s->table[hole].index1 == index + 1);
    for (size_t at = (hole + 1) & last; s->table[at].index1 != 0; at = (at + 1) & last) {
        size_t home = homeOf(s, s->table[at].key);
        if (((at - home) & last) >= ((at - hole) & last)) {
            s->table[hole] = s->table[at];
            hole = at;
        }
    }
    s->table[hole] = (PairKeyPlace){0, 0};
    *object = (PairObject){0};
    s->knownCount--;
}

uint32_t grzPairGraph_Find(const PairGraph* graph, int side, uint32_t key) {
    const PairSide* s = &graph->sides[side];
    return s->tableSize != 0 ? s->table[placeOf(s, key)].index1 - 1 : PAIR_NONE;
}

void grzPairGraph_FindMany(const PairGraph* graph, int side, const uint32_t* keys, size_t count,
                           uint32_t* objects) {
    const PairSide* s = &graph->sides[side];
    for (size_t i = 0; i < count; ++i) {
        if (i + pairCallAhead < count && s->tableSize != 0)
            __builtin_prefetch(&s->table[homeOf(s, keys[i + pairCallAhead])]);
        objects[i] = grzPairGraph_Find(graph, side, keys[i]);
    }
}

// ------------------------------------------------------------------------------------------------------- links

// A piece has pairLinkLeast << size places.
static int pieceSizeFor(uint32_t count) {
    int size = 0;
    while ((uint32_t)pairLinkLeast << size < count)
        ++size;
    return size;
}

// Whether a list of so many fills its piece, so that one more needs the next size, or a first one.
static bool isFull(uint32_t count) {
    return count == 0 || (count >= pairLinkLeast && (count & (count - 1)) == 0);
}

// The places that one more link takes from the array, if no free piece serves.
static size_t placesToGrow(const PairObject* object) {
    return isFull(object->linkCount) ? (size_t)pairLinkLeast << pieceSizeFor(object->linkCount + 1) : 0;
}

static uint32_t takePiece(PairGraph* graph, int size) {
    uint32_t first = graph->freePieces[size];
    if (first != PAIR_NONE) {
        graph->freePieces[size] = graph->links.data[first];
        return first;
    }
    first = (uint32_t)graph->links.count;
    graph->links.count += (size_t)pairLinkLeast << size;
    GRZ_ASSERT(graph->links.count <= graph->links.capacity);
    return first;
}

static void givePiece(PairGraph* graph, uint32_t first, int size) {
    graph->links.data[first] = graph->freePieces[size];
    graph->freePieces[size] = first;
}

// Reserved before.
static void appendLink(PairGraph* graph, PairObject* object, uint32_t other) {
    uint32_t count = object->linkCount;
    if (isFull(count)) {
        uint32_t first = takePiece(graph, pieceSizeFor(count + 1));
        if (count != 0) {
            memcpy(graph->links.data + first, graph->links.data + object->firstLink, count * sizeof(uint32_t));
            givePiece(graph, object->firstLink, pieceSizeFor(count));
        }
        object->firstLink = first;
    }
    graph->links.data[object->firstLink + count] = other;
    object->linkCount = count + 1;
}

static void takeLink(PairGraph* graph, PairObject* object, uint32_t other) {
    uint32_t* links = graph->links.data + object->firstLink;
    uint32_t place = 0;
    while (links[place] != other) {
        GRZ_ASSERT(place + 1 < object->linkCount);
        ++place;
    }
    uint32_t count = --object->linkCount;
    links[place] = links[count];
    if (count == 0)
        givePiece(graph, object->firstLink, 0);
    else if (isFull(count))
        givePiece(graph, object->firstLink + count, pieceSizeFor(count));
}

bool grzPairGraph_Link(PairGraph* graph, int side, uint32_t a, uint32_t b) {
    PairObject* objectA = &graph->sides[side].objects.data[a];
    PairObject* objectB = &graph->sides[pairOtherSide(graph, side)].objects.data[b];
    GRZ_ASSERT(objectA->generation != 0 && objectB->generation != 0 && objectA != objectB);
    size_t wanted = graph->links.count + placesToGrow(objectA) + placesToGrow(objectB);
    if (wanted > UINT32_MAX || !grzArray_Reserve(&graph->links, graph->allocator, wanted))
        return false;
    appendLink(graph, objectA, b);
    appendLink(graph, objectB, a);
    return true;
}

void grzPairGraph_Unlink(PairGraph* graph, int side, uint32_t a, uint32_t b) {
    takeLink(graph, &graph->sides[side].objects.data[a], b);
    takeLink(graph, &graph->sides[pairOtherSide(graph, side)].objects.data[b], a);
}

// -------------------------------------------------------------------------------------------------- validation

static bool broken(const char* what, uint32_t object) {
    grzLog(grz_logError, "pair graph: %s at object %" PRIu32, what, object);
    return false;
}

static bool listsBack(const PairGraph* graph, int side, uint32_t a, uint32_t b) {
    const PairSide* other = &graph->sides[pairOtherSide(graph, side)];
    if (b >= other->objects.count || other->objects.data[b].generation == 0)
        return false;
    const PairObject* object = &other->objects.data[b];
    uint32_t times = 0;
    for (uint32_t i = 0; i < object->linkCount; ++i)
        times += graph->links.data[object->firstLink + i] == a;
    return times == 1;
}

static bool checkSide(const PairGraph* graph, int side, size_t* linkCount, size_t* placeCount) {
    const PairSide* s = &graph->sides[side];
    size_t known = 0;
    for (uint32_t i = 0; i < s->objects.count; ++i) {
        const PairObject* object = &s->objects.data[i];
        if (object->generation == 0) {
            if (object->linkCount != 0)
                return broken("links of nobody", i);
            continue;
        }
        known++;
        if (grzPairGraph_Find(graph, side, object->key) != i)
            return broken("a key that the table does not know", i);
        for (uint32_t k = 0; k < object->linkCount; ++k)
            if (!listsBack(graph, side, i, graph->links.data[object->firstLink + k]))
                return broken("a link that does not lead back once", i);
        *linkCount += object->linkCount;
        *placeCount += object->linkCount != 0 ? (size_t)pairLinkLeast << pieceSizeFor(object->linkCount) : 0;
    }
    size_t inTable = 0;
    for (size_t i = 0; i < s->tableSize; ++i)
        inTable += s->table[i].index1 != 0;
    return (known == s->knownCount && inTable == known) || broken("objects that were lost, side", (uint32_t)side);
}

bool grzPairGraph_Validate(const PairGraph* graph, size_t* linkCount) {
    size_t placeCount = 0;
    *linkCount = 0;
    if (!checkSide(graph, 0, linkCount, &placeCount) || !checkSide(graph, 1, linkCount, &placeCount))
        return false;
    for (int size = 0; size < pairPieceSizes; ++size)
        for (uint32_t first = graph->freePieces[size]; first != PAIR_NONE; first = graph->links.data[first]) {
            placeCount += (size_t)pairLinkLeast << size;
            if (first >= graph->links.count || placeCount > graph->links.count)
                return broken("free pieces that lead astray, first", first);
        }
    return placeCount == graph->links.count || broken("pieces that were lost, size", (uint32_t)placeCount);
}
