// What the files of the tree's queries share: a query made ready for the kernels, and what a search works with.
#ifndef GRAZE_BROADPHASE_QUERY_SEARCH_H
#define GRAZE_BROADPHASE_QUERY_SEARCH_H

#include <string.h>

#include "graze/tree_query.h"
#include "kernel.h"
#include "tree_inside.h"

// ------------------------------------------------------------------------------------------------------ shapes
//
// Every test below is made of operations that never reverse an order (rounded sums and products with one factor
// fixed, minima, maxima), so that a box that passes lies only in boxes that pass: descents find what testing every
// object would find, to the bit. query_shape.c rounds the constants so that no true hit fails.

// A moving box, or a ray as one without size. On an axis with motion
//   entry = min(entryMost, (entry side - entryFrom) * entryInverse)    exit = (exit side - exitFrom) * exitInverse
// and it meets where max(0, entries) <= min(exits) + FLT_MIN and max(0, entries) <= reach. On an axis without, the
// inverses and entryMost are +infinity: an overlap gives an entry of -infinity (or NaN at a touch, which maxima and
// minima leave out) and an exit of +infinity, and no overlap the reverse.
typedef struct QueryRay {
    uint32_t entrySide[3], exitSide[3]; // of lower x y z, upper x y z
    float entryFrom[3], exitFrom[3];
    float entryInverse[3], exitInverse[3];
    float entryMost[3];
    float reach;
} QueryRay;

// Met where the sum of squares of max(lower - center, center - upper, 0) is at most reachSq.
typedef struct QueryBall {
    float center[3];
    float reachSq;
} QueryBall;

// Outside where sum of min(corner * less, corner * more) > offset, at the corner deepest in the half-space. The two
// factors enclose the normal's coordinate, so that each term, and with them the sum, is not above the true one.
typedef struct QueryPlane {
    float less[3], more[3];
    float offset;
    uint32_t deepSide[3];    // of lower x y z, upper x y z
    uint32_t shallowSide[3]; // the others
} QueryPlane;

typedef struct QueryShape {
    grzQueryKind kind; // grz_queryRay for casts too
    grzBox box;
    QueryBall ball;
    QueryRay ray;
    QueryPlane planes[GRZ_MAX_HALF_SPACES];
    uint32_t planeCount;
} QueryShape;

// grz_ok, or what is wrong with a query.
grzResult grzQueryCheck(const grzTreeQuery* query);
void grzQueryMakeShape(const grzTreeQuery* query, QueryShape* shape);
// A box around all that a query can meet; false where there is none.
bool grzQueryBounds(const grzTreeQuery* query, grzBox* bounds);

static inline bool queryHasValues(grzQueryKind kind) {
    return kind == grz_queryRay || kind == grz_queryCast || kind == grz_queryPoint;
}

static inline uint32_t queryBits(float number) {
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static inline float queryFloat(uint32_t bits) {
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

// The float `ulps` steps above, or below, one that is not negative; not beyond infinity, or 0.
static inline float queryAbove(float number, uint32_t ulps) {
    const uint32_t bits = queryBits(number), infinity = 0x7f800000u;
    return queryFloat(bits + ulps < infinity ? bits + ulps : infinity);
}

static inline float queryBelow(float number, uint32_t ulps) {
    const uint32_t bits = queryBits(number);
    return queryFloat(bits > ulps ? bits - ulps : 0);
}

// Distances of up to `distance`, rounded from the square roots of computed squares, have squares of at most this.
static inline float querySquareLimit(float distance) {
    return queryAbove(distance * distance, 8);
}

// ------------------------------------------------------------------------------------------------------ search

typedef struct QueryKeys {
    GRZ_ARRAY(uint32_t);
} QueryKeys;

typedef struct QueryValues {
    GRZ_ARRAY(float);
} QueryValues;

typedef struct QueryWords {
    GRZ_ARRAY(uint64_t);
} QueryWords;

// Hits of one query after the other. `values` counts for nothing but its memory: its count is that of the keys.
typedef struct QueryOutput {
    QueryKeys keys;
    QueryValues values;
    bool hasValues; // some query that writes here has them
} QueryOutput;

// What a worker needs, kept from query to query.
typedef struct QueryScratch {
    QueryKeys nodes;   // stack of nodes still to be visited
    QueryKeys notes;   // what is known of each: planes still to be tested, or the value of its box as bits
    QueryWords best;   // the closest hits so far, a heap with the worst on top
    QueryWords sorted; // for bringing hits into order
} QueryScratch;

enum {
    query_slack = tree_lanes,                   // lanes written past what is counted
    query_push = tree_maxChildren + tree_lanes, // room on the stack for the children of a node
};

// Marks a node on the stack all of whose objects are hits. Nodes number less than 2^31.
#define QUERY_TAKEN 0x80000000u

typedef struct QuerySearch {
    const grzTree* tree;
    grzTree* lazy; // the same tree where the search may split and repair it, otherwise NULL
    const grzTreeQuery* query;
    const QueryShape* shape;
    const grzAllocator* allocator;
    QueryScratch* scratch;
    QueryOutput* out;
    size_t bestCount; // how many of the closest are kept; scratch->best has room for them
    bool isSelective; // categories, masks or a filter have a say
    bool ranOut;      // out: memory was refused, and hits are missing
    grzTreeQueryStats* stats;
} QuerySearch;

// All hits, or any one, of a box, sphere or volume query.
GRZ_DECLARE_KERNEL(void, grzQueryOverlap, (QuerySearch * search));
// All hits, any one, or the closest, of a query with values. The closest are left in scratch->best.
GRZ_DECLARE_KERNEL(void, grzQueryMeasure, (QuerySearch * search));

// ------------------------------------------------------------------------------- what kernels call now and then

// Makes room for `more` hits, beside the slack; false, and ranOut set, without memory.
bool grzQueryGrowHits(QuerySearch* search, size_t more);
// Room for query_push more nodes on a stack that holds `count`.
bool grzQueryGrowStack(QuerySearch* search, size_t count);
// Repairs and splits a node that is due [Shagam] 2.1.1, 2.1.5.
void grzQueryOpenNode(QuerySearch* search, uint32_t node);

// ------------------------------------------------------------------------------------------------------- order

// Brings the hits from `first` on into key order; false without memory.
bool grzQuerySortHits(QueryScratch* scratch, const grzAllocator* allocator, bool isByValue, QueryOutput* out,
                      size_t first);
// Appends the closest hits to the output, in order; there is room for them.
bool grzQueryTakeBest(QueryScratch* scratch, const grzAllocator* allocator, QueryOutput* out);

#endif
