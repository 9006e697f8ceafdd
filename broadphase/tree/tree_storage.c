// What: the memory of a tree: runs of blocks, groups of sibling nodes, and the arrays by object.
// Promise: what was reserved cannot fail; a reservation that is refused changes nothing.
// Idea: sizes are of few classes (1, 2, 3, 4, 6, 8, 12, 16, 24 ... elements), so that what is freed is taken again by the next of
//   its class, or cut from what is freed of a larger one; free pieces are linked through their own first element, so that freeing
//   needs no memory.
// Holds: empty lanes are +inf .. -inf in every block of a run. Blocks of a run are owned by its node.
// Cost: O(1) but for the objects or nodes that move when a run or a group grows.
#include <math.h>
#include <string.h>

#include "memory.h"
#include "tree_inside.h"

enum { blockAlignment = 64 };

uint32_t grzTreeClassSize(uint32_t sizeClass) {
    if (sizeClass < 3)
        return sizeClass + 1;
    return sizeClass % 2 == 1 ? 1u << ((sizeClass + 1) / 2) : 3u << (sizeClass / 2 - 1);
}

uint32_t grzTreeClassOf(uint32_t size) {
    uint32_t sizeClass = 0;
    while (grzTreeClassSize(sizeClass) < size)
        ++sizeClass;
    return sizeClass;
}

// ------------------------------------------------------------------------------------------------- growing

// From so many rows on columns grow by an eighth.
enum { manyRows = 128 };

static size_t grownCapacity(size_t capacity, size_t wanted) {
    size_t grown = capacity + capacity / (capacity < manyRows ? 2 : 8) + 32;
    return grown > wanted ? grown : wanted;
}

// An array of rows of a size.
typedef struct Column {
    void* memory;
    size_t size;
} Column;

enum { mostColumns = 3 };

// All columns grow from one capacity to another, or none does. Rows that are used are kept; what is behind them is not set.
static bool growColumns(const grzAllocator* allocator, Column* columns, int count, size_t used, size_t from,
                        size_t to) {
    void* grown[mostColumns];
    bool isGrown = true;
    for (int i = 0; i < count; ++i) {
        grown[i] = grzAllocate(allocator, to, columns[i].size, blockAlignment);
        isGrown = isGrown && grown[i] != NULL;
    }
    for (int i = 0; i < count && !isGrown; ++i)
        grzRelease(allocator, grown[i], to, columns[i].size, blockAlignment);
    for (int i = 0; i < count && isGrown; ++i) {
        if (used != 0)
            memcpy(grown[i], columns[i].memory, used * columns[i].size);
        grzRelease(allocator, columns[i].memory, from, columns[i].size, blockAlignment);
        columns[i].memory = grown[i];
    }
    return isGrown;
}

static bool reserveBlocks(grzTree* tree, size_t wanted) {
    if (wanted <= tree->blockCapacity)
        return true;
    size_t capacity = grownCapacity(tree->blockCapacity, wanted);
    if (capacity > UINT32_MAX / tree_lanes)
        return false;
    Column columns[] = {{tree->blocks, sizeof *tree->blocks},
                        {tree->blockOwners, sizeof *tree->blockOwners},
                        {tree->blockLeavers, sizeof *tree->blockLeavers}};
    if (!growColumns(&tree->allocator, columns, 3, tree->blockCount, tree->blockCapacity, capacity))
        return false;
    tree->blocks = columns[0].memory;
    tree->blockOwners = columns[1].memory;
    tree->blockLeavers = columns[2].memory;
    memset(tree->blockLeavers, 0, capacity * sizeof *tree->blockLeavers);
    tree->blockCapacity = (uint32_t)capacity;
    return true;
}

enum { nodeBytes = 6 * sizeof(float) + sizeof(TreeNode) + sizeof(TreeNodeInfo) + sizeof(grzBox) };

// Boxes are read sixteen at a time from any node on, so there are so many more than nodes; they hold nothing that
// matters.
enum { boundsSlack = 16 };

static bool reserveNodes(grzTree* tree, size_t wanted) {
    if (wanted <= tree->nodeCapacity)
        return true;
    // A multiple of 16 keeps every array aligned.
    size_t capacity = (grownCapacity(tree->nodeCapacity, wanted) + 15) & ~(size_t)15;
    if (capacity > UINT32_MAX / 2)
        return false;
    char* memory = grzAllocate(&tree->allocator, capacity + boundsSlack, nodeBytes, blockAlignment);
    if (memory == NULL)
        return false;
    memset(memory, 0, (capacity + boundsSlack) * nodeBytes);
    char* at = memory;
    for (int i = 0; i < 6; ++i) {
        float* bounds = (float*)(void*)at;
        if (tree->nodeCount != 0)
            memcpy(bounds, tree->bounds[i], tree->nodeCount * sizeof(float));
        tree->bounds[i] = bounds;
        at += (capacity + boundsSlack) * sizeof(float);
    }
    TreeNode* nodes = (TreeNode*)(void*)at;
    at += (capacity + boundsSlack) * sizeof *nodes;
    grzBox* ownBoxes = (grzBox*)(void*)at;
    at += (capacity + boundsSlack) * sizeof *ownBoxes;
    TreeNodeInfo* infos = (TreeNodeInfo*)(void*)at;
    if (tree->nodeCount != 0) {
        memcpy(ownBoxes, tree->ownBoxes, tree->nodeCount * sizeof *ownBoxes);
        memcpy(nodes, tree->nodes, tree->nodeCount * sizeof *nodes);
        memcpy(infos, tree->infos, tree->nodeCount * sizeof *infos);
    }
    if (tree->nodeMemory != NULL)
        grzRelease(&tree->allocator, tree->nodeMemory, tree->nodeCapacity + boundsSlack, nodeBytes, blockAlignment);
    tree->nodeMemory = memory;
    tree->nodes = nodes;
    tree->infos = infos;
    tree->ownBoxes = ownBoxes;
    tree->nodeCapacity = (uint32_t)capacity;
    return true;
}

bool grzTreeReserve(grzTree* tree, size_t nodes, size_t blocks) {
    // A rank node needs planes, and planes that are given back a place on the list; neither may fail later.
    return grzArray_Reserve(&tree->planes, &tree->allocator, tree->planes.count + 1) &&
           grzArray_Reserve(&tree->freePlanes, &tree->allocator, tree->planes.capacity) &&
           reserveNodes(tree, tree->nodeCount + nodes) && reserveBlocks(tree, tree->blockCount + blocks);
}

bool grzTreeReserveObjects(grzTree* tree, size_t count) {
    if (count <= tree->objectCapacity)
        return true;
    size_t capacity = grownCapacity(tree->objectCapacity, count);
    Column columns[] = {{tree->slots, sizeof *tree->slots},
                        {tree->categories, sizeof *tree->categories},
                        {tree->masks, sizeof *tree->masks}};
    if (!growColumns(&tree->allocator, columns, 3, tree->objectCapacity, tree->objectCapacity, capacity))
        return false;
    tree->slots = columns[0].memory;
    tree->categories = columns[1].memory;
    tree->masks = columns[2].memory;
    for (size_t i = tree->objectCapacity; i < capacity; ++i) {
        tree->slots[i] = TREE_NONE;
        tree->categories[i] = tree->masks[i] = 0;
    }
    tree->objectCapacity = (uint32_t)capacity;
    return true;
}

void grzTreeFreeStorage(grzTree* tree) {
    const grzAllocator* allocator = &tree->allocator;
    grzRelease(allocator, tree->blocks, tree->blockCapacity, sizeof *tree->blocks, blockAlignment);
    grzRelease(allocator, tree->blockOwners, tree->blockCapacity, sizeof *tree->blockOwners, blockAlignment);
    grzRelease(allocator, tree->blockLeavers, tree->blockCapacity, sizeof *tree->blockLeavers, blockAlignment);
    if (tree->nodeMemory != NULL)
        grzRelease(allocator, tree->nodeMemory, tree->nodeCapacity + boundsSlack, nodeBytes, blockAlignment);
    grzRelease(allocator, tree->slots, tree->objectCapacity, sizeof *tree->slots, blockAlignment);
    grzRelease(allocator, tree->categories, tree->objectCapacity, sizeof *tree->categories, blockAlignment);
    grzRelease(allocator, tree->masks, tree->objectCapacity, sizeof *tree->masks, blockAlignment);
    grzArray_Release(&tree->planes, allocator);
    grzArray_Release(&tree->freePlanes, allocator);
    grzArray_Release(&tree->scratch, allocator);
    grzArray_Release(&tree->refitNodes, allocator);
    grzArray_Release(&tree->rankItems, allocator);
}

size_t grzTreeMemoryBytes(const grzTree* tree) {
    return sizeof *tree + tree->blockCapacity * (sizeof(TreeBlock) + sizeof(uint32_t) + sizeof(uint16_t)) +
           (tree->nodeMemory != NULL ? (tree->nodeCapacity + boundsSlack) * (size_t)nodeBytes : 0) +
           tree->objectCapacity * (sizeof(uint32_t) + 2 * sizeof(uint64_t)) +
           tree->planes.capacity * sizeof(TreePlanes) +
           (tree->freePlanes.capacity + tree->scratch.capacity + tree->refitNodes.capacity) * sizeof(uint32_t) +
           tree->rankItems.capacity * sizeof(RankItem) + tree->ids.slots.capacity * sizeof(grzIdSlot);
}

// ------------------------------------------------------------------------------------------ runs of blocks

static void clearBlocks(grzTree* tree, uint32_t first, uint32_t count) {
    for (uint32_t i = first; i < first + count; ++i) {
        TreeBlock* block = &tree->blocks[i];
        for (int axis = 0; axis < 3; ++axis) {
            for (int lane = 0; lane < tree_lanes; ++lane) {
                block->lower[axis][lane] = INFINITY;
                block->upper[axis][lane] = -INFINITY;
            }
        }
        memset(block->key, 0, sizeof block->key);
        memset(block->object, 0, sizeof block->object);
    }
}

// The smallest class of which there are free runs, not below this one; or tree_classCount.
static uint32_t freeRunClass(const grzTree* tree, uint32_t runClass) {
    uint64_t fitting = tree->freeRuns.present >> runClass << runClass;
    return fitting != 0 ? (uint32_t)__builtin_ctzll(fitting) : tree_classCount;
}

static uint32_t popFreeRun(grzTree* tree, uint32_t runClass) {
    TreeFreeLists* lists = &tree->freeRuns;
    uint32_t first = lists->first[runClass];
    lists->first[runClass] = tree->blocks[first].object[0];
    if (lists->first[runClass] == TREE_NONE)
        lists->present &= ~(UINT64_C(1) << runClass);
    tree->freeBlockCount -= grzTreeClassSize(runClass);
    return first;
}

// What a smaller run leaves of a larger one, in as few pieces as there are classes for.
static void giveRest(grzTree* tree, uint32_t first, uint32_t count) {
    while (count != 0) {
        uint32_t runClass = grzTreeClassOf(count);
        runClass -= grzTreeClassSize(runClass) > count ? 1 : 0;
        grzTreeGiveRun(tree, first, runClass);
        first += grzTreeClassSize(runClass);
        count -= grzTreeClassSize(runClass);
    }
}

// A run of a class, cleared and owned; reserved before. Where no free run is of this class, the smallest one that is
// larger is cut: so the run that a node leaves behind when it is split serves for what is below it. Pieces are not
// joined again one by one, but all at once (tree_layout.c).
static uint32_t takeRun(grzTree* tree, uint32_t runClass, uint32_t node) {
    uint32_t size = grzTreeClassSize(runClass), found = freeRunClass(tree, runClass), first;
    if (found != tree_classCount) {
        first = popFreeRun(tree, found);
        giveRest(tree, first + size, grzTreeClassSize(found) - size);
    } else {
        GRZ_ASSERT(tree->blockCount + size <= tree->blockCapacity);
        first = tree->blockCount;
        tree->blockCount += size;
    }
    clearBlocks(tree, first, size);
    for (uint32_t i = first; i < first + size; ++i)
        tree->blockOwners[i] = node;
    tree->takenBlockCount += size;
    return first;
}

void grzTreeGiveRun(grzTree* tree, uint32_t firstBlock, uint32_t runClass) {
    uint32_t size = grzTreeClassSize(runClass);
    for (uint32_t i = firstBlock; i < firstBlock + size; ++i)
        tree->blockOwners[i] = TREE_NONE;
    tree->blocks[firstBlock].object[0] = tree->freeRuns.first[runClass];
    tree->freeRuns.first[runClass] = firstBlock;
    tree->freeRuns.present |= UINT64_C(1) << runClass;
    tree->freeBlockCount += size;
}

void grzTreeForgetFreeRuns(grzTree* tree) {
    for (int i = 0; i < tree_classCount; ++i)
        tree->freeRuns.first[i] = TREE_NONE;
    tree->freeRuns.present = 0;
    tree->freeBlockCount = 0;
}

uint32_t grzTreeBlocksToGrow(const grzTree* tree, uint32_t node, uint32_t more) {
    const TreeNode* n = &tree->nodes[node];
    uint32_t runClass = grzTreeClassOf(treeBlocksFor(n->objectCount + more));
    bool hasRoom = n->firstBlock != TREE_NONE && runClass <= tree->infos[node].runClass;
    return hasRoom || freeRunClass(tree, runClass) != tree_classCount ? 0 : grzTreeClassSize(runClass);
}

void grzTreeMakeRun(grzTree* tree, uint32_t node, uint32_t count) {
    TreeNode* n = &tree->nodes[node];
    GRZ_ASSERT(n->firstBlock == TREE_NONE);
    if (count == 0)
        return;
    uint32_t runClass = grzTreeClassOf(treeBlocksFor(count));
    n->firstBlock = takeRun(tree, runClass, node);
    tree->infos[node].runClass = (uint8_t)runClass;
}

void grzTreeFreeRun(grzTree* tree, uint32_t node) {
    TreeNode* n = &tree->nodes[node];
    if (n->firstBlock != TREE_NONE)
        grzTreeGiveRun(tree, n->firstBlock, tree->infos[node].runClass);
    n->firstBlock = TREE_NONE;
    n->objectCount = 0;
}

// Moves a node's objects to a run with room for `count` in all.
void grzTreeGrowRun(grzTree* tree, uint32_t node, uint32_t count) {
    TreeNode* n = &tree->nodes[node];
    uint32_t used = treeBlocksFor(n->objectCount);
    uint32_t runClass = grzTreeClassOf(treeBlocksFor(count));
    if (n->firstBlock != TREE_NONE && runClass <= tree->infos[node].runClass)
        return;
    uint32_t first = takeRun(tree, runClass, node);
    if (n->firstBlock != TREE_NONE) {
        memcpy(&tree->blocks[first], &tree->blocks[n->firstBlock], used * sizeof(TreeBlock));
        grzTreeGiveRun(tree, n->firstBlock, tree->infos[node].runClass);
        for (uint32_t i = 0; i < n->objectCount; ++i)
            tree->slots[tree->blocks[first + i / tree_lanes].object[i % tree_lanes]] = first * tree_lanes + i;
    }
    n->firstBlock = first;
    tree->infos[node].runClass = (uint8_t)runClass;
}

void grzTreeWake(grzTree* tree, uint32_t node) {
    for (; node != TREE_NONE && tree->infos[node].isQuiet; node = tree->infos[node].parent)
        tree->infos[node].isQuiet = false;
}

uint32_t grzTreeAppend(grzTree* tree, uint32_t node, uint32_t object) {
    grzTreeWake(tree, node);
    TreeNode* n = &tree->nodes[node];
    if (n->firstBlock == TREE_NONE || n->objectCount == grzTreeClassSize(tree->infos[node].runClass) * tree_lanes)
        grzTreeGrowRun(tree, node, n->objectCount + 1);
    uint32_t slot = n->firstBlock * tree_lanes + n->objectCount++;
    tree->blocks[slot / tree_lanes].object[slot % tree_lanes] = object;
    tree->slots[object] = slot;
    return slot;
}

void grzTreeTakeOut(grzTree* tree, uint32_t node, uint32_t slot) {
    TreeNode* n = &tree->nodes[node];
    GRZ_ASSERT(n->objectCount > 0);
    uint32_t last = n->firstBlock * tree_lanes + --n->objectCount;
    TreeBlock* to = &tree->blocks[slot / tree_lanes];
    TreeBlock* from = &tree->blocks[last / tree_lanes];
    uint32_t toLane = slot % tree_lanes, fromLane = last % tree_lanes;
    if (slot != last) {
        treeSetLaneBox(to, toLane, treeLaneBox(from, fromLane));
        to->key[toLane] = from->key[fromLane];
        to->object[toLane] = from->object[fromLane];
        tree->slots[to->object[toLane]] = slot;
    }
    grzBox empty = {{INFINITY, INFINITY, INFINITY, 0}, {-INFINITY, -INFINITY, -INFINITY, 0}};
    treeSetLaneBox(from, fromLane, empty);
    from->object[fromLane] = 0;
    if (n->objectCount == 0)
        grzTreeFreeRun(tree, node);
}

// ----------------------------------------------------------------------------------------- groups of siblings

static uint32_t takeGroup(grzTree* tree, uint32_t groupClass) {
    uint32_t first = tree->freeGroups.first[groupClass];
    if (first != TREE_NONE) {
        tree->freeGroups.first[groupClass] = tree->nodes[first].firstChild;
        return first;
    }
    uint32_t size = grzTreeClassSize(groupClass);
    GRZ_ASSERT(tree->nodeCount + size <= tree->nodeCapacity);
    first = tree->nodeCount;
    tree->nodeCount += size;
    return first;
}

static void giveGroup(grzTree* tree, uint32_t first, uint32_t groupClass) {
    for (uint32_t i = first; i < first + grzTreeClassSize(groupClass); ++i) {
        tree->infos[i].isLive = false;
        treeSetNodeBox(tree, i, grzBox_Empty());
    }
    tree->nodes[first].firstChild = tree->freeGroups.first[groupClass];
    tree->freeGroups.first[groupClass] = first;
}

// A node changes its place: what points at it follows.
static void moveNode(grzTree* tree, uint32_t to, uint32_t from) {
    if (to == from)
        return;
    treeSetNodeBox(tree, to, treeNodeBox(tree, from));
    tree->nodes[to] = tree->nodes[from];
    tree->infos[to] = tree->infos[from];
    tree->ownBoxes[to] = tree->ownBoxes[from];
    tree->infos[from].isLive = false;
    const TreeNode* n = &tree->nodes[to];
    for (uint32_t i = 0; i < treeChildCount(tree, to); ++i)
        tree->infos[n->firstChild + i].parent = to;
    if (n->firstBlock != TREE_NONE)
        for (uint32_t i = 0; i < grzTreeClassSize(tree->infos[to].runClass); ++i)
            tree->blockOwners[n->firstBlock + i] = to;
}

static void makeEmptyNode(grzTree* tree, uint32_t node, uint32_t parent, uint32_t code) {
    treeSetNodeBox(tree, node, grzBox_Empty());
    tree->ownBoxes[node] = grzBox_Empty();
    tree->nodes[node] = (TreeNode){TREE_NONE, 0, TREE_NONE, 0};
    tree->infos[node] =
        (TreeNodeInfo){.parent = parent, .code = (uint8_t)code, .isLive = true, .planes = TREE_NONE};
}

void grzTreeMakeRoot(grzTree* tree) {
    makeEmptyNode(tree, tree->nodeCount++, TREE_NONE, 0);
}

uint32_t grzTreeMakeChild(grzTree* tree, uint32_t node, uint32_t code) {
    TreeNode* n = &tree->nodes[node];
    TreeNodeInfo* info = &tree->infos[node];
    GRZ_ASSERT((n->childMask >> code & 1) == 0);
    grzTreeWake(tree, node);
    uint32_t count = treeBitCount(n->childMask);
    uint32_t place = treeBitCount(n->childMask & ((1u << code) - 1));
    if (count == 0 || count == grzTreeClassSize(info->groupClass)) {
        uint32_t groupClass = grzTreeClassOf(count + 1);
        uint32_t first = takeGroup(tree, groupClass);
        for (uint32_t i = 0; i < count; ++i)
            moveNode(tree, first + i, n->firstChild + i);
        if (count != 0)
            giveGroup(tree, n->firstChild, info->groupClass);
        n->firstChild = first;
        info->groupClass = (uint8_t)groupClass;
    }
    for (uint32_t i = count; i > place; --i)
        moveNode(tree, n->firstChild + i, n->firstChild + i - 1);
    n->childMask |= 1u << code;
    makeEmptyNode(tree, n->firstChild + place, node, code);
    return n->firstChild + place;
}

uint32_t grzTreeNodesToGrow(const grzTree* tree, uint32_t node) {
    return grzTreeClassSize(grzTreeClassOf(treeChildCount(tree, node) + 1));
}

void grzTreeMakeChildren(grzTree* tree, uint32_t node, uint32_t mask) {
    TreeNode* n = &tree->nodes[node];
    GRZ_ASSERT(n->childMask == 0 && mask != 0);
    grzTreeWake(tree, node);
    uint32_t groupClass = grzTreeClassOf(treeBitCount(mask));
    n->firstChild = takeGroup(tree, groupClass);
    n->childMask = mask;
    tree->infos[node].groupClass = (uint8_t)groupClass;
    uint32_t child = n->firstChild;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
        makeEmptyNode(tree, child++, node, (uint32_t)__builtin_ctz(rest));
}

void grzTreeForgetSplit(grzTree* tree, uint32_t node) {
    TreeNodeInfo* info = &tree->infos[node];
    grzTreeWake(tree, node);
    if (info->planes != TREE_NONE)
        tree->freePlanes.data[tree->freePlanes.count++] = info->planes;
    info->planes = TREE_NONE;
    info->kind = tree_notSplit;
}

void grzTreeDropChild(grzTree* tree, uint32_t node, uint32_t child) {
    TreeNode* n = &tree->nodes[node];
    GRZ_ASSERT(tree->infos[child].parent == node && tree->nodes[child].childMask == 0);
    GRZ_ASSERT(tree->nodes[child].firstBlock == TREE_NONE);
    uint32_t last = n->firstChild + treeBitCount(n->childMask) - 1;
    n->childMask &= ~(1u << tree->infos[child].code);
    tree->infos[child].isLive = false;
    for (uint32_t i = child; i < last; ++i)
        moveNode(tree, i, i + 1);
    treeSetNodeBox(tree, last, grzBox_Empty());
    if (n->childMask == 0) {
        giveGroup(tree, n->firstChild, tree->infos[node].groupClass);
        n->firstChild = TREE_NONE;
    }
}

void grzTreeHoistChild(grzTree* tree, uint32_t node) {
    GRZ_ASSERT(treeChildCount(tree, node) == 1 && tree->nodes[node].objectCount == 0);
    grzTreeForgetSplit(tree, node);
    TreeNodeInfo info = tree->infos[node];
    uint32_t child = tree->nodes[node].firstChild;
    moveNode(tree, node, child);
    tree->infos[node].parent = info.parent;
    tree->infos[node].code = info.code;
    giveGroup(tree, child, info.groupClass);
}
