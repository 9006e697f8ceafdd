// Who meets whom, by object: what a pair cache needs to look at the pairs of a few objects only.
//
// Idea: each object of a tree has a record (by its index in the tree) and a list of the objects that it meets
// (their indices); both objects of a pair list each other. The lists lie in one array in pieces of 4, 8, 16 ...
// places. A list has the smallest piece that holds it, so its capacity need not be stored; when it shrinks, the
// back half of its piece goes to the free pieces of that size, so that taking a link out needs no memory.
//
//      objects[2]  key 17, first 8, count 5           links   |. . . .|. . . .|3 9 0 4 7 - - -|. . . .|
//                                 `-----------------------------------^ 8
//
//   A table finds objects by key; it is asked when an object comes, and when links are made from pairs of keys.
// Holds: sides 0 and 1 are the trees A and B; within one tree only side 0 is used.
// Threads: one at a time.
// Limits: pieces are not joined again, so the array keeps its largest size.
// Cost: 16 bytes a record, 8 a place in the table (3/8 to 3/4 in use), and 8 to 16 a pair.
#ifndef GRAZE_BROADPHASE_PAIR_GRAPH_H
#define GRAZE_BROADPHASE_PAIR_GRAPH_H

#include "array.h"

enum {
    pairCallAhead = 8, // elements of a batch between calling something into the cache and reading it
    pairLinkLeast = 4, // places in the smallest piece
    pairPieceSizes = 31,
};

#define PAIR_NONE UINT32_MAX

typedef struct PairObject {
    uint32_t key;
    uint32_t generation; // 0: no object is known here
    uint32_t firstLink;
    uint32_t linkCount;
} PairObject;
_Static_assert(sizeof(PairObject) == 16, "four to a cache line");

// A place in the table of keys.
typedef struct PairKeyPlace {
    uint32_t key;
    uint32_t index1; // the object's index plus 1; 0: free
} PairKeyPlace;

typedef struct PairSide {
    struct {
        GRZ_ARRAY(PairObject);
    } objects; // by index
    PairKeyPlace* table;
    size_t tableSize; // a power of two, or 0
    size_t knownCount;
} PairSide;

typedef struct PairGraph {
    const grzAllocator* allocator;
    PairSide sides[2];
    struct {
        GRZ_ARRAY(uint32_t);
    } links;
    uint32_t freePieces[pairPieceSizes]; // by size, linked through their first place; PAIR_NONE at the end
    bool isWithin;
} PairGraph;

// The allocator must stay where it is.
void grzPairGraph_Create(PairGraph* graph, const grzAllocator* allocator, bool isWithin);
void grzPairGraph_Destroy(PairGraph* graph);
// No objects and no links; memory is kept.
void grzPairGraph_Clear(PairGraph* graph);

// Room for indices below `indexCount`, and for `knownCount` known objects in all.
bool grzPairGraph_Reserve(PairGraph* graph, int side, size_t indexCount, size_t knownCount);

// An object comes, reserved before. False where another one has its key; then nothing changed.
bool grzPairGraph_Know(PairGraph* graph, int side, uint32_t index, uint32_t key, uint32_t generation);
// An object without links goes.
void grzPairGraph_Forget(PairGraph* graph, int side, uint32_t index);
// The object with a key, or PAIR_NONE.
uint32_t grzPairGraph_Find(const PairGraph* graph, int side, uint32_t key);
// The same for many keys at once, which is faster: places of the table are called into the cache ahead.
void grzPairGraph_FindMany(const PairGraph* graph, int side, const uint32_t* keys, size_t count, uint32_t* objects);
// Calls what linking or unlinking an object will read into the cache: the record; and where that is there, the
// links.
static inline void pairGraphCallRecord(const PairGraph* graph, int side, uint32_t object) {
    __builtin_prefetch(&graph->sides[side].objects.data[object], 1);
}

static inline void pairGraphCallLinks(const PairGraph* graph, int side, uint32_t object) {
    const PairObject* record = &graph->sides[side].objects.data[object];
    if (record->linkCount != 0)
        __builtin_prefetch(graph->links.data + record->firstLink, 1);
}

static inline bool pairGraphKnows(const PairGraph* graph, int side, uint32_t index, uint32_t generation) {
    const PairSide* s = &graph->sides[side];
    return index < s->objects.count && s->objects.data[index].generation == generation && generation != 0;
}

static inline int pairOtherSide(const PairGraph* graph, int side) {
    return graph->isWithin ? 0 : 1 - side;
}

// Links object a of `side` with object b of the other side; they are not linked yet. False without memory; then
// nothing changed.
bool grzPairGraph_Link(PairGraph* graph, int side, uint32_t a, uint32_t b);
// They are linked.
void grzPairGraph_Unlink(PairGraph* graph, int side, uint32_t a, uint32_t b);

size_t grzPairGraph_MemoryBytes(const PairGraph* graph);
// linkCount: out, the links of both sides.
bool grzPairGraph_Validate(const PairGraph* graph, size_t* linkCount);

#endif
