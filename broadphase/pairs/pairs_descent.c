// What: finds the overlapping pairs of a tree by descending it against itself, or against another tree.
// Promise: every pair of overlapping boxes is found, once, in an order that depends on the trees alone.
// Idea: visit(node, nodes, objects): a node comes with all nodes and single objects that may meet what is in it and have not met
//   it yet; both lists are filtered by the node's box on the way down, and a node on the list is replaced by its children. Siblings
//   that come later join the list of those before them, so each pair of nodes is met once. At a leaf, what the listed nodes hold is
//   gathered into one list, and the leaf's objects are tested against it.
//
//        visit(N, {P, Q})              N's children a b c;  P's children p q
//          visit(a, {b, c, p, q, Q})   each filtered by a's box
//          visit(b, {c, p, q, Q})
//          visit(c, {p, q, Q})
//
//   The leaf's test runs on boxes in bytes: coordinates are mapped to 0 .. 255 over the leaf's box by one map for lower and upper
//   sides. It never reverses an order (subtraction, product and truncation are monotonic), so boxes that overlap still overlap in
//   bytes; 64 boxes are compared at once, in tiles of 64 own objects by 64 of the list, and the few that pass are compared again in
//   float. Whether a block or a pair passes is as hard to foresee as a coin, so what passes is first listed without a branch (hits
//   as two bytes each), and then worked off: that took half of the time away.
// Holds: lists have room for sixteen more elements than they count, since they are read and written sixteen at a time.
// Cost: see graze-bench pairs.   Limits: where memory is refused, ranOut is set and the caller discards what was found.
// Based on: [Shagam] 2.2.4, which queries the tree for each object; one descent replaces the queries.
#include "pairs_descent.h"

#include <math.h>
#include <string.h>

#include "memory.h"
#include "simd.h"

enum { slack = tree_lanes, byteLanes = leaf_slack, columnAlignment = 64 };

// ------------------------------------------------------------------------------------------------------ lists

typedef struct Query {
    grzF16 sides[6]; // lower x y z, upper x y z
} Query;

static Query queryOf(grzBox box) {
    return (Query){{grzF16_Set1(box.lower.x), grzF16_Set1(box.lower.y), grzF16_Set1(box.lower.z),
                    grzF16_Set1(box.upper.x), grzF16_Set1(box.upper.y), grzF16_Set1(box.upper.z)}};
}

// Which of sixteen boxes meet the query; `sides` point at their first.
static grzM16 meets(const Query* query, const float* const sides[6]) {
    grzM16 mask = grzF16_LessEqual(grzF16_Load(sides[0]), query->sides[3]);
    mask = grzM16_And(mask, grzF16_LessEqual(query->sides[0], grzF16_Load(sides[3])));
    for (int axis = 1; axis < 3; ++axis) {
        mask = grzM16_And(mask, grzF16_LessEqual(grzF16_Load(sides[axis]), query->sides[axis + 3]));
        mask = grzM16_And(mask, grzF16_LessEqual(query->sides[axis], grzF16_Load(sides[axis + 3])));
    }
    return mask;
}

// The first `count` lanes, for the last sixteen of a list.
static grzM16 firstLanes(uint32_t count) {
    return grzM16_FromBits(count >= tree_lanes ? 0xffffu : (1u << count) - 1);
}

static void appendBoxes(BoxColumns* to, const float* const sides[6], grzM16 mask) {
    for (int side = 0; side < 6; ++side)
        grzF16_CompressStore(to->sides[side] + to->count, mask, grzF16_Load(sides[side]));
}

static void appendWords(uint32_t* to, const uint32_t* from, grzM16 mask) {
    grzI16_CompressStore((int32_t*)(void*)to, mask, grzI16_Load((const int32_t*)(const void*)from));
}

static bool makeColumns(grzArena* arena, BoxColumns* columns, size_t capacity) {
    size_t stride = (capacity + slack + 15) & ~(size_t)15;
    float* memory = grzArena_Allocate(arena, stride * 6, sizeof *memory, columnAlignment);
    if (memory == NULL)
        return false;
    for (int side = 0; side < 6; ++side)
        columns->sides[side] = memory + stride * (size_t)side;
    columns->count = 0;
    return true;
}

static bool makeNodeList(grzArena* arena, NodeList* list, size_t capacity) {
    list->nodes = grzArena_Allocate(arena, capacity + slack, sizeof *list->nodes, columnAlignment);
    return list->nodes != NULL && makeColumns(arena, &list->boxes, capacity);
}

static bool makeObjectList(grzArena* arena, ObjectList* list, size_t capacity) {
    *list = (ObjectList){0};
    if (capacity == 0)
        return true;
    list->keys = grzArena_Allocate(arena, capacity + slack, sizeof *list->keys, columnAlignment);
    list->objects = grzArena_Allocate(arena, capacity + slack, sizeof *list->objects, columnAlignment);
    return list->keys != NULL && list->objects != NULL && makeColumns(arena, &list->boxes, capacity);
}

static void columnsAt(const BoxColumns* columns, uint32_t at, const float* sides[6]) {
    for (int side = 0; side < 6; ++side)
        sides[side] = columns->sides[side] + at;
}

static void blockColumns(const TreeBlock* block, const float* sides[6]) {
    for (int axis = 0; axis < 3; ++axis) {
        sides[axis] = block->lower[axis];
        sides[axis + 3] = block->upper[axis];
    }
}

// `words` are the node numbers that go with the boxes.
static void filterNodes(const NodeList* from, const Query* query, NodeList* to) {
    for (uint32_t i = 0; i < from->boxes.count; i += tree_lanes) {
        const float* sides[6];
        columnsAt(&from->boxes, i, sides);
        grzM16 mask = grzM16_And(meets(query, sides), firstLanes(from->boxes.count - i));
        if (!grzM16_Any(mask))
            continue;
        appendBoxes(&to->boxes, sides, mask);
        appendWords(to->nodes + to->boxes.count, from->nodes + i, mask);
        to->boxes.count += treeBitCount(grzM16_Bits(mask));
    }
}

static void appendObjects(ObjectList* to, const float* const sides[6], const uint32_t* keys,
                          const uint32_t* objects, grzM16 mask) {
    appendBoxes(&to->boxes, sides, mask);
    appendWords(to->keys + to->boxes.count, keys, mask);
    appendWords(to->objects + to->boxes.count, objects, mask);
    to->boxes.count += treeBitCount(grzM16_Bits(mask));
}

static void filterObjects(const ObjectList* from, const Query* query, ObjectList* to) {
    for (uint32_t i = 0; i < from->boxes.count; i += tree_lanes) {
        const float* sides[6];
        columnsAt(&from->boxes, i, sides);
        grzM16 mask = grzM16_And(meets(query, sides), firstLanes(from->boxes.count - i));
        if (grzM16_Any(mask))
            appendObjects(to, sides, from->keys + i, from->objects + i, mask);
    }
}

// Appends those of the consecutive nodes that meet the query.
static void filterSiblings(const grzTree* tree, uint32_t first, uint32_t count, const Query* query, NodeList* to) {
    for (uint32_t i = 0; i < count; i += tree_lanes) {
        const float* sides[6];
        for (int side = 0; side < 6; ++side)
            sides[side] = tree->bounds[side] + first + i;
        grzM16 mask = grzM16_And(meets(query, sides), firstLanes(count - i));
        appendBoxes(&to->boxes, sides, mask);
        uint32_t at = to->boxes.count;
        for (uint32_t rest = grzM16_Bits(mask); rest != 0; rest &= rest - 1)
            to->nodes[at++] = first + i + (uint32_t)__builtin_ctz(rest);
        to->boxes.count = at;
    }
}

// ------------------------------------------------------------------------------------------------------ leaves

// Room for `count` objects beside the slack; what is in the list stays, the rest is filled anew for each leaf.
static bool reserveLeaf(PairDescent* descent, uint32_t count) {
    LeafScratch* leaf = descent->leaf;
    if (count <= leaf->capacity)
        return true;
    uint32_t capacity = (count + count / 2 + 255) & ~63u;
    size_t stride = capacity + leaf_slack;
    char* memory = grzAllocate(descent->allocator, stride, leaf_bytesAnObject, columnAlignment);
    if (memory == NULL) {
        descent->ranOut = true;
        return false;
    }
    LeafScratch grown = {.capacity = capacity, .memory = memory};
    char* at = memory;
    for (int side = 0; side < 6; ++side, at += stride * sizeof(float))
        grown.list.boxes.sides[side] = (float*)(void*)at;
    grown.list.keys = (uint32_t*)(void*)at;
    grown.list.objects = (uint32_t*)(void*)(at += stride * sizeof(uint32_t));
    grown.lowerRows = (float*)(void*)(at += stride * sizeof(uint32_t));
    grown.upperRows = (float*)(void*)(at += stride * 4 * sizeof(float));
    at += stride * 4 * sizeof(float);
    for (int side = 0; side < 6; ++side, at += stride)
        grown.bytes[side] = (uint8_t*)at;
    const ObjectList* old = &leaf->list;
    grown.list.boxes.count = old->boxes.count;
    size_t used = old->boxes.count * sizeof(uint32_t);
    for (int side = 0; side < 6 && used != 0; ++side)
        memcpy(grown.list.boxes.sides[side], old->boxes.sides[side], used);
    if (used != 0) {
        memcpy(grown.list.keys, old->keys, used);
        memcpy(grown.list.objects, old->objects, used);
    }
    grzLeafScratch_Destroy(leaf, descent->allocator);
    *leaf = grown;
    return true;
}

// Blocks that hold something for the leaf wait here before they are appended: whether a block does is as hard to
// foresee as a coin, and this way costs no branch.
enum { foundBatch = 64 };

typedef struct FoundBlock {
    const TreeBlock* block;
    uint32_t lanes;
} FoundBlock;

typedef struct Gathering {
    PairDescent* descent;
    Query query;
    uint32_t foundCount;
    FoundBlock found[foundBatch];
} Gathering;

// Appends what waits. False without memory.
static bool appendFound(Gathering* gathering) {
    ObjectList* list = &gathering->descent->leaf->list;
    if (!reserveLeaf(gathering->descent, list->boxes.count + gathering->foundCount * tree_lanes))
        return false;
    bool withObjects = gathering->descent->hasFilters; // nobody else asks for them
    uint32_t at = list->boxes.count;
    for (uint32_t i = 0; i < gathering->foundCount; ++i) {
        const TreeBlock* block = gathering->found[i].block;
        grzM16 mask = grzM16_FromBits(gathering->found[i].lanes);
        for (int axis = 0; axis < 3; ++axis) {
            grzF16_CompressStore(list->boxes.sides[axis] + at, mask, grzF16_LoadAligned(block->lower[axis]));
            grzF16_CompressStore(list->boxes.sides[axis + 3] + at, mask, grzF16_LoadAligned(block->upper[axis]));
        }
        appendWords(list->keys + at, block->key, mask);
        if (withObjects)
            appendWords(list->objects + at, block->object, mask);
        at += treeBitCount(gathering->found[i].lanes);
    }
    list->boxes.count = at;
    gathering->foundCount = 0;
    return true;
}

// Finds the objects of a node that meet the query.
static bool gatherRun(Gathering* gathering, const grzTree* tree, uint32_t node) {
    const TreeNode* n = &tree->nodes[node];
    uint32_t count = treeBlocksFor(n->objectCount);
    for (uint32_t i = 0; i < count; ++i) {
        const TreeBlock* block = &tree->blocks[n->firstBlock + i];
        const float* sides[6];
        blockColumns(block, sides);
        uint32_t lanes = grzM16_Bits(meets(&gathering->query, sides));
        gathering->found[gathering->foundCount] = (FoundBlock){block, lanes};
        gathering->foundCount += lanes != 0;
        if (gathering->foundCount == foundBatch && !appendFound(gathering))
            return false;
    }
    return true;
}

// The same for all below a node.
static bool gatherSubtree(Gathering* gathering, const grzTree* tree, uint32_t node) {
    if (!gatherRun(gathering, tree, node))
        return false;
    const TreeNode* n = &tree->nodes[node];
    uint32_t count = treeChildCount(tree, node);
    for (uint32_t i = 0; i < count; i += tree_lanes) {
        const float* sides[6];
        for (int side = 0; side < 6; ++side)
            sides[side] = tree->bounds[side] + n->firstChild + i;
        uint32_t rest = grzM16_Bits(grzM16_And(meets(&gathering->query, sides), firstLanes(count - i)));
        for (; rest != 0; rest &= rest - 1)
            if (!gatherSubtree(gathering, tree, n->firstChild + i + (uint32_t)__builtin_ctz(rest)))
                return false;
    }
    return true;
}

// Coordinates to bytes over a box, monotonic; NaN (from infinite sizes) goes to 0 for all alike.
typedef struct ByteMap {
    grzF16 origin[3], scale[3];
} ByteMap;

static ByteMap byteMapOf(grzBox box) {
    grzVec3 extent = grzBox_Extent(box);
    const float extents[3] = {extent.x, extent.y, extent.z}, origins[3] = {box.lower.x, box.lower.y, box.lower.z};
    ByteMap map;
    for (int axis = 0; axis < 3; ++axis) {
        float scale = extents[axis] > 0 ? 255.0f / extents[axis] : 0.0f;
        map.origin[axis] = grzF16_Set1(origins[axis]);
        map.scale[axis] = grzF16_Set1(scale <= 3e38f ? scale : 3e38f);
    }
    return map;
}

static void mapToBytes(const ByteMap* map, LeafScratch* leaf) {
    uint32_t count = leaf->list.boxes.count;
    grzF16 zero = grzF16_Zero(), most = grzF16_Set1(255.0f);
    for (int side = 0; side < 6; ++side) {
        const float* from = leaf->list.boxes.sides[side];
        grzF16 origin = map->origin[side % 3], scale = map->scale[side % 3];
        for (uint32_t i = 0; i < count; i += tree_lanes) {
            grzF16 at = grzF16_Mul(grzF16_Sub(grzF16_Load(from + i), origin), scale);
            at = grzF16_Min(grzF16_Max(at, zero), most);
            grzI16_StoreBytes(leaf->bytes[side] + i, grzF16_ToInt(at));
        }
    }
}

// The boxes once more as rows, so that the second test reads two lines of memory instead of twelve. The fourth lane
// is not compared.
static void makeRows(LeafScratch* leaf) {
    const BoxColumns* boxes = &leaf->list.boxes;
    for (uint32_t i = 0; i < boxes->count; i += tree_lanes) {
        grzF16 lower[4], upper[4];
        for (int axis = 0; axis < 3; ++axis) {
            lower[axis] = grzF16_Load(boxes->sides[axis] + i);
            upper[axis] = grzF16_Load(boxes->sides[axis + 3] + i);
        }
        lower[3] = upper[3] = grzF16_Zero();
        grzF16_StoreRows4(leaf->lowerRows + 4 * (size_t)i, lower);
        grzF16_StoreRows4(leaf->upperRows + 4 * (size_t)i, upper);
    }
}

static uint64_t lanesFrom(uint32_t first) {
    return first >= byteLanes ? 0 : UINT64_MAX << first;
}

// Pairs of places whose boxes meet in bytes, counted from the corner of a tile: 64 own objects by 64 of the list.
enum { mostHits = byteLanes * byteLanes };

typedef struct Tile {
    uint32_t firstOwn, ownEnd; // ownEnd: of the tile, exclusive
    uint32_t first;            // of the list
    uint64_t valid;            // which of the 64 count
    uint32_t hitCount;
    uint8_t own[mostHits + byteLanes], other[mostHits + byteLanes];
} Tile;

// The second test, without a branch that depends on the data but for the filters. Returns the end of what was
// written.
GRZ_SIMD_INLINE grzBodyPair* settle(const PairDescent* descent, const Tile* tile, bool hasFilters,
                                    grzBodyPair* to) {
    const LeafScratch* leaf = descent->leaf;
    const float *lower = leaf->lowerRows, *upper = leaf->upperRows;
    const uint32_t* keys = leaf->list.keys;
    const uint32_t count = tile->hitCount;
    for (uint32_t k = 0; k < count; ++k) {
        size_t own = (size_t)tile->firstOwn + tile->own[k], other = (size_t)tile->first + tile->other[k];
        *to = pairOfKeys(descent, keys[own], keys[other]);
        grzM4 below = grzF4_LessEqual(grzF4_Load(lower + 4 * own), grzF4_Load(upper + 4 * other));
        grzM4 above = grzF4_LessEqual(grzF4_Load(lower + 4 * other), grzF4_Load(upper + 4 * own));
        bool isPair = (~grzM4_Bits(grzM4_And(below, above)) & 7) == 0;
        if (hasFilters && isPair)
            isPair = pairPassesFilters(descent, leaf->list.objects[own], leaf->list.objects[other], *to);
        to += isPair;
    }
    return to;
}

// What passes becomes a pair.
static bool settleTile(PairDescent* descent, const Tile* tile) {
    PairArray* out = descent->out;
    if (!grzArray_Reserve(out, descent->allocator, out->count + tile->hitCount + 1)) {
        descent->ranOut = true;
        return false;
    }
    grzBodyPair* end = out->data + out->count;
    end = descent->hasFilters ? settle(descent, tile, true, end) : settle(descent, tile, false, end);
    out->count = (size_t)(end - out->data);
    return true;
}

// Finds the hits of a tile; on the diagonal an object meets only those that come after it.
GRZ_SIMD_INLINE void hitTile(uint8_t* const bytes[6], Tile* tile, bool isDiagonal) {
    grzU8x64 lower[3], upper[3];
    for (int axis = 0; axis < 3; ++axis) {
        lower[axis] = grzU8x64_LoadAligned(bytes[axis] + tile->first);
        upper[axis] = grzU8x64_LoadAligned(bytes[axis + 3] + tile->first);
    }
    uint32_t count = 0, ownCount = tile->ownEnd - tile->firstOwn;
    uint64_t valid = tile->valid;
    for (uint32_t i = 0; i < ownCount; ++i) {
        grzU8x64 ownLower[3], ownUpper[3];
        for (int axis = 0; axis < 3; ++axis) {
            ownLower[axis] = grzU8x64_Set1(bytes[axis][tile->firstOwn + i]);
            ownUpper[axis] = grzU8x64_Set1(bytes[axis + 3][tile->firstOwn + i]);
        }
        uint64_t hits = grzU8x64_BoxesMeet(lower, upper, ownLower, ownUpper) & valid;
        if (isDiagonal)
            hits &= ~UINT64_C(1) << i;
        grzU8x64_Store(tile->own + count, grzU8x64_Set1((uint8_t)i));
        count += grzU8x64_StorePlaces(tile->other + count, hits);
    }
    tile->hitCount = count;
}

// Own objects against those of the list that come after them (within a tree), or that are not own.
static void testList(PairDescent* descent, uint32_t ownCount) {
    uint8_t* bytes[6];
    memcpy(bytes, descent->leaf->bytes, sizeof bytes);
    const uint32_t count = descent->leaf->list.boxes.count, begin = descent->isWithin ? 0 : ownCount;
    Tile tile;
    for (tile.firstOwn = 0; tile.firstOwn < ownCount; tile.firstOwn = tile.ownEnd) {
        tile.ownEnd = tile.firstOwn + byteLanes < ownCount ? tile.firstOwn + byteLanes : ownCount;
        tile.first = descent->isWithin ? tile.firstOwn : begin & ~(byteLanes - 1u);
        for (; tile.first < count; tile.first += byteLanes) {
            tile.valid = ~lanesFrom(count - tile.first);
            if (tile.first < begin)
                tile.valid &= lanesFrom(begin - tile.first);
            if (descent->isWithin && tile.first == tile.firstOwn)
                hitTile(bytes, &tile, true);
            else
                hitTile(bytes, &tile, false);
            if (!settleTile(descent, &tile))
                return;
        }
    }
}

// The objects of a node's run against each other (within one tree), and against all that the lists hold and that
// meets `bounds`, the box of the run. Not inline: a tile is 8 KB of the stack, which every level of the descent would hold.
__attribute__((noinline)) static void testRun(PairDescent* descent, uint32_t node, grzBox bounds,
                                              const NodeList* nodes, const ObjectList* objects) {
    LeafScratch* leaf = descent->leaf;
    leaf->list.boxes.count = 0;
    Gathering gathering;
    gathering.descent = descent;
    gathering.query = queryOf(bounds);
    gathering.foundCount = 0;
    if (!gatherRun(&gathering, descent->treeA, node) || !appendFound(&gathering))
        return;
    uint32_t ownCount = leaf->list.boxes.count;
    if (!reserveLeaf(descent, ownCount + objects->boxes.count))
        return;
    filterObjects(objects, &gathering.query, &leaf->list);
    for (uint32_t i = 0; i < nodes->boxes.count; ++i)
        if (!gatherSubtree(&gathering, descent->treeB, nodes->nodes[i]))
            return;
    if (!appendFound(&gathering))
        return;
    ByteMap map = byteMapOf(bounds);
    mapToBytes(&map, leaf);
    makeRows(leaf);
    testList(descent, ownCount);
}

// ----------------------------------------------------------------------------------------------------- descent

// What the children of a node have to look at beside each other: the listed nodes opened by one level, and single
// objects.
static bool openLists(PairDescent* descent, const PairTask* task, grzBox box, NodeList* nodes,
                      ObjectList* objects) {
    const grzTree* treeB = descent->treeB;
    const TreeNode* n = &descent->treeA->nodes[task->node];
    size_t nodeBound = 0, objectBound = task->objects.boxes.count + (descent->isWithin ? n->objectCount : 0);
    for (uint32_t i = 0; i < task->nodes.boxes.count; ++i) {
        uint32_t listed = task->nodes.nodes[i];
        nodeBound += treeIsLeaf(treeB, listed) ? 1 : treeChildCount(treeB, listed);
        objectBound += treeIsLeaf(treeB, listed) ? 0 : treeB->nodes[listed].objectCount;
    }
    if (!makeNodeList(descent->arena, nodes, nodeBound) || !makeObjectList(descent->arena, objects, objectBound))
        return false;
    Query query = queryOf(box);
    filterObjects(&task->objects, &query, objects);
    for (uint32_t i = 0; i < task->nodes.boxes.count; ++i) {
        uint32_t listed = task->nodes.nodes[i];
        if (treeIsLeaf(treeB, listed)) {
            filterSiblings(treeB, listed, 1, &query, nodes);
            continue;
        }
        const TreeNode* other = &treeB->nodes[listed];
        filterSiblings(treeB, other->firstChild, treeChildCount(treeB, listed), &query, nodes);
        for (uint32_t k = 0; k < treeBlocksFor(other->objectCount); ++k) {
            const TreeBlock* block = &treeB->blocks[other->firstBlock + k];
            const float* sides[6];
            blockColumns(block, sides);
            grzM16 mask = meets(&query, sides);
            if (grzM16_Any(mask))
                appendObjects(objects, sides, block->key, block->object, mask);
        }
    }
    for (uint32_t k = 0; descent->isWithin && k < treeBlocksFor(n->objectCount); ++k) {
        const TreeBlock* block = &descent->treeA->blocks[n->firstBlock + k];
        const float* sides[6];
        blockColumns(block, sides);
        appendObjects(objects, sides, block->key, block->object, firstLanes(n->objectCount - k * tree_lanes));
    }
    return true;
}

static void descend(PairDescent* descent, const PairTask* task, int depth);

// Child `place` of the task's node, with its part of the opened lists and its later siblings.
static bool descendChild(PairDescent* descent, const PairTask* task, uint32_t place, const NodeList* nodes,
                         const ObjectList* objects, int depth) {
    const grzTree* tree = descent->treeA;
    uint32_t count = treeChildCount(tree, task->node), first = tree->nodes[task->node].firstChild;
    uint32_t later = descent->isWithin ? count - place - 1 : 0;
    PairTask below = {.node = first + place};
    if (!makeNodeList(descent->arena, &below.nodes, nodes->boxes.count + later) ||
        !makeObjectList(descent->arena, &below.objects, objects->boxes.count))
        return false;
    Query query = queryOf(treeNodeBox(tree, below.node));
    if (later != 0)
        filterSiblings(tree, below.node + 1, later, &query, &below.nodes);
    filterNodes(nodes, &query, &below.nodes);
    filterObjects(objects, &query, &below.objects);
    if (!descent->isWithin && below.nodes.boxes.count == 0 && below.objects.boxes.count == 0)
        return true;
    if (descent->tasks == NULL || depth > 1) {
        descend(descent, &below, depth - 1);
        return !descent->ranOut;
    }
    if (!grzArray_Reserve(descent->tasks, descent->allocator, descent->tasks->count + 1))
        return false;
    descent->tasks->data[descent->tasks->count++] = below;
    return true;
}

// Objects that an inner node keeps are tested as a leaf of their own.
static grzBox runBounds(const grzTree* tree, uint32_t node) {
    const TreeNode* n = &tree->nodes[node];
    return treeIsLeaf(tree, node) || n->objectCount == 0 ? treeNodeBox(tree, node) : grzTreeRunBounds(tree, node);
}

static void descend(PairDescent* descent, const PairTask* task, int depth) {
    const grzTree* tree = descent->treeA;
    if (tree->nodes[task->node].objectCount != 0)
        testRun(descent, task->node, runBounds(tree, task->node), &task->nodes, &task->objects);
    if (treeIsLeaf(tree, task->node) || descent->ranOut)
        return;
    grzArenaMark mark = grzArena_Mark(descent->arena);
    NodeList nodes;
    ObjectList objects;
    bool isWell = openLists(descent, task, treeNodeBox(tree, task->node), &nodes, &objects);
    for (uint32_t i = 0; isWell && i < treeChildCount(tree, task->node); ++i) {
        grzArenaMark childMark = grzArena_Mark(descent->arena);
        isWell = descendChild(descent, task, i, &nodes, &objects, depth);
        // The lists of tasks must stay.
        if (descent->tasks == NULL)
            grzArena_Rewind(descent->arena, childMark);
    }
    descent->ranOut |= !isWell;
    if (descent->tasks == NULL)
        grzArena_Rewind(descent->arena, mark);
}

void GRZ_KERNEL(grzTreeDescend)(PairDescent* descent, const PairTask* task, int depth) {
    descend(descent, task, depth);
}
