// What: a tree's life: made from a def, and its objects' coming, moving and going.
// Promise: a call that is refused leaves the tree as it was. Updates need no memory: an object that cannot be put where it belongs
//   stays where it is, and the boxes around it grow.
// Based on: [Shagam] 2.1.2 to 2.1.4, see tree_inside.h.
#include <float.h>
#include <string.h>

#include "memory.h"
#include "owner.h"
#include "refuse_null.h"
#include "tree_inside.h"

static const uint32_t treeDefMark = 0x67547231;

grzTreeDef grzDefaultTreeDef(void) {
    grzTreeDef def = {.mark = treeDefMark, .nesting = grz_nestRank, .retention = grz_retainVolume};
    return def;
}

uint32_t grzTree_DefaultThreshold(grzNesting nesting, grzRetention retention) {
    bool isLeafy = retention == grz_retainNone;
    switch (nesting) {
    case grz_nestKd: // this and the next three: [Shagam] section 3
        return isLeafy ? 35 : 30;
    case grz_nestTernary:
        return isLeafy ? 25 : 20;
    case grz_nestOctree:
        return isLeafy ? 40 : 30;
    case grz_nestIcoseptree:
        return isLeafy ? 70 : 50;
    case grz_nestRank:
    case grz_nestPerNode:
        break;
    }
    // Leaves of 40 to 112 objects, 56 when made: among the best of 64 ... 256 for pairs of 30,000 to 1,000,000, and box
    // queries that find a few dozen still like it.
    return 112;
}

grzTreeObject grzDefaultTreeObject(void) {
    grzTreeObject object = {.category = 1, .mask = UINT64_MAX};
    return object;
}

static grzResult checkDef(const grzTreeDef* def) {
    if (def == NULL || def->mark != treeDefMark)
        return grzFail(grz_badDef, 0);
    const char* flaw = NULL;
    if ((unsigned)def->nesting > grz_nestPerNode)
        flaw = "there is no such nesting";
    else if ((unsigned)def->retention > grz_retainVolume)
        flaw = "there is no such retention";
    else if (!(def->margin >= 0) || def->margin > 3e38f)
        flaw = "the margin is negative or not finite";
    else if (def->idSalt > INT32_MAX)
        flaw = "idSalt is not below 2^31";
    return flaw == NULL ? grzOk() : grzBecause(grzFail(grz_badArgument, 1), flaw);
}

grzResult grzTree_Create(const grzTreeDef* def, grzTree** made) {
    GRZ_REFUSE_NULL(made, 2);
    *made = NULL;
    grzResult checked = checkDef(def);
    if (!grzResult_IsOk(checked))
        return checked;
    grzAllocator allocator = def->allocator;
    grzTree* tree = grzOwner_New(&allocator, 1, sizeof *tree, _Alignof(grzTree), &checked);
    if (tree == NULL)
        return checked;
    tree->allocator = allocator;
    tree->def = *def;
    tree->threshold =
        def->splitThreshold != 0 ? def->splitThreshold : grzTree_DefaultThreshold(def->nesting, def->retention);
    for (int i = 0; i < tree_classCount; ++i)
        tree->freeRuns.first[i] = tree->freeGroups.first[i] = TREE_NONE;
    grzIdPool_Create(&tree->ids, allocator, grzIdPool_DrawSalt(def->idSalt));
    uint32_t blocks = grzTreeClassSize(grzTreeClassOf(treeBlocksFor(def->objectCapacity)));
    if (!grzTreeReserveObjects(tree, def->objectCapacity) ||
        !grzResult_IsOk(grzIdPool_Reserve(&tree->ids, def->objectCapacity)) || !grzTreeReserve(tree, 1, blocks)) {
        grzTree_Destroy(tree);
        return grzNoMemory(def->objectCapacity + 1u, sizeof(TreeBlock) / tree_lanes);
    }
    grzTreeMakeRoot(tree);
    *made = tree;
    return grzOk();
}

void grzTree_Destroy(grzTree* tree) {
    if (tree == NULL)
        return;
    grzAllocator allocator = tree->allocator;
    grzTreeFreeStorage(tree);
    grzIdPool_Destroy(&tree->ids);
    grzRelease(&allocator, tree, 1, sizeof *tree, _Alignof(grzTree));
}

// -------------------------------------------------------------------------------------------------- places

TreePlace grzTreeFindPlace(const grzTree* tree, uint32_t start, grzBox box) {
    uint32_t node = start;
    for (;;) {
        int code = grzTreeChildCode(tree, node, box);
        if (code < 0 || (tree->nodes[node].childMask >> code & 1) == 0)
            return (TreePlace){node, code};
        node = treeChild(tree, node, (uint32_t)code);
    }
}

bool grzTreeReservePlace(grzTree* tree, TreePlace place) {
    if (place.code < 0)
        return grzTreeReserve(tree, 0, grzTreeBlocksToGrow(tree, place.node, 1));
    return grzTreeReserve(tree, grzTreeNodesToGrow(tree, place.node), 1);
}

uint32_t grzTreePutInPlace(grzTree* tree, TreePlace place, uint32_t object, uint32_t key, grzBox box) {
    uint32_t node = place.code < 0 ? place.node : grzTreeMakeChild(tree, place.node, (uint32_t)place.code);
    uint32_t slot = grzTreeAppend(tree, node, object);
    TreeBlock* block = &tree->blocks[slot / tree_lanes];
    treeSetLaneBox(block, slot % tree_lanes, box);
    block->key[slot % tree_lanes] = key;
    return node;
}

void grzTreeGrowBoxes(grzTree* tree, uint32_t node, grzBox box) {
    while (node != TREE_NONE) {
        grzBox old = treeNodeBox(tree, node);
        if (grzBox_Contains(old, box))
            return;
        treeSetNodeBox(tree, node, grzBox_Union(old, box));
        node = tree->infos[node].parent;
    }
}

static bool touchesSide(grzBox outer, grzBox inner) {
    return inner.lower.x <= outer.lower.x || inner.lower.y <= outer.lower.y || inner.lower.z <= outer.lower.z ||
           inner.upper.x >= outer.upper.x || inner.upper.y >= outer.upper.y || inner.upper.z >= outer.upper.z;
}

void grzTreeMarkStale(grzTree* tree, uint32_t node, grzBox gone) {
    grzTreeWake(tree, node);
    while (node != TREE_NONE && touchesSide(treeNodeBox(tree, node), gone)) {
        tree->infos[node].isStale = true;
        node = tree->infos[node].parent;
    }
}

void grzTreeCollect(grzTree* tree, uint32_t node) {
    while (node != tree_root && tree->nodes[node].objectCount == 0 && tree->nodes[node].childMask == 0) {
        uint32_t parent = tree->infos[node].parent;
        grzTreeForgetSplit(tree, node);
        grzTreeDropChild(tree, parent, node);
        tree->collectedCount++;
        node = parent;
        if (tree->nodes[parent].childMask != 0)
            break;
        grzTreeForgetSplit(tree, parent);
        tree->unsplitCount++;
    }
    if (tree->nodes[node].objectCount != 0)
        return;
    // An empty root begins anew, and a node that only leads to its one child is in the way.
    if (treeIsLeaf(tree, node)) {
        grzTreeForgetSplit(tree, node);
    } else if (treeChildCount(tree, node) == 1) {
        grzTreeHoistChild(tree, node);
        tree->collectedCount++;
    }
}

// ------------------------------------------------------------------------------------------------- objects

// grz_ok, or what is wrong with the box of the object at `place` in a call.
static grzResult checkBox(grzBox box, size_t place) {
    if (!grzVec3_IsFinite(box.lower) || !grzVec3_IsFinite(box.upper))
        return grzFailAt(grz_notFinite, grz_partObject, place, 0);
    if (!grzBox_IsValid(box))
        return grzFailAt(grz_invertedBounds, grz_partObject, place, 0);
    return grzOk();
}

// Stored boxes stay finite: an infinite one would meet empty lanes. (As the kernel of an update of all objects.)
static grzBox withMargin(const grzTree* tree, grzBox box) {
    if (!(tree->def.margin > 0))
        return box;
    grzBox wide = grzBox_Expand(box, tree->def.margin);
    return grzBox_Make(grzMax(wide.lower, grzVec3_Splat(-FLT_MAX)), grzMin(wide.upper, grzVec3_Splat(FLT_MAX)));
}

static grzId plainId(grzTreeId id) {
    return (grzId){id.index1, id.generation};
}

// The room for the object's traces was made before; only its place in the tree may be refused.
static grzResult insertOne(grzTree* tree, const grzTreeObject* object, uint32_t* made) {
    grzBox box = withMargin(tree, object->box);
    TreePlace place = grzTreeFindPlace(tree, tree_root, box);
    if (!grzTreeReservePlace(tree, place))
        return grzNoMemory(1, sizeof(TreeBlock));
    grzId id;
    grzResult result = grzIdPool_Allocate(&tree->ids, &id);
    if (!grzResult_IsOk(result))
        return result;
    uint32_t index = grzId_Index(id);
    GRZ_ASSERT(index < tree->objectCapacity);
    tree->categories[index] = object->category;
    tree->masks[index] = object->mask;
    grzTreeObject usual = grzDefaultTreeObject();
    tree->isFiltered |= object->category != usual.category || object->mask != usual.mask;
    grzTreeGrowBoxes(tree, grzTreePutInPlace(tree, place, index, object->key, box), box);
    tree->objectCount++;
    *made = index;
    return grzOk();
}

grzResult grzTree_Insert(grzTree* tree, const grzTreeObject* object, grzTreeId* id) {
    GRZ_REFUSE_NULL(tree, 1);
    GRZ_REFUSE_NULL(object, 2);
    return grzTree_InsertMany(tree, object, 1, id);
}

// All but the id.
static void removeOne(grzTree* tree, uint32_t object) {
    uint32_t slot = tree->slots[object];
    uint32_t node = tree->blockOwners[slot / tree_lanes];
    grzBox box = treeLaneBox(&tree->blocks[slot / tree_lanes], slot % tree_lanes);
    grzTreeTakeOut(tree, node, slot);
    grzTreeMarkStale(tree, node, box);
    grzTreeCollect(tree, node);
    tree->slots[object] = TREE_NONE;
    tree->objectCount--;
}

// The objects of a call that failed go again, the last one first; scratch holds their indices.
static void takeBack(grzTree* tree, size_t count, size_t slotCount) {
    for (size_t i = count; i-- > 0;) {
        uint32_t object = tree->scratch.data[i];
        removeOne(tree, object);
        tree->categories[object] = tree->masks[object] = 0;
        grzIdPool_TakeBack(&tree->ids, grzIdPool_IdAt(&tree->ids, object), slotCount);
    }
}

grzResult grzTree_InsertMany(grzTree* tree, const grzTreeObject* objects, size_t count, grzTreeId* ids) {
    GRZ_REFUSE_NULL(tree, 1);
    GRZ_REFUSE_NULL_ARRAY(objects, count, 2);
    for (size_t i = 0; i < count; ++i) {
        grzResult result = checkBox(objects[i].box, i);
        if (!grzResult_IsOk(result))
            return result;
    }
    if (count > UINT32_MAX / 2 - tree->objectCount)
        return grzFail(grz_tooLarge, count);
    // Everything big is reserved first; what may still be refused is small, and what was put in by then is taken
    // back.
    size_t ahead = tree->ids.slots.count + count;
    if (!grzResult_IsOk(grzIdPool_Reserve(&tree->ids, ahead)) || !grzTreeReserveObjects(tree, ahead) ||
        !grzArray_Reserve(&tree->scratch, &tree->allocator, count))
        return grzNoMemory(ahead, sizeof(uint64_t));
    if (tree->infos[tree_root].kind == tree_notSplit && count != 0) {
        uint32_t total = tree->nodes[tree_root].objectCount + (uint32_t)count;
        if (!grzTreeReserve(tree, 0, grzTreeBlocksToGrow(tree, tree_root, (uint32_t)count)))
            return grzNoMemory(total, sizeof(TreeBlock) / tree_lanes);
        grzTreeGrowRun(tree, tree_root, total);
    }
    size_t slotCount = tree->ids.slots.count;
    bool wasFiltered = tree->isFiltered;
    for (size_t i = 0; i < count; ++i) {
        grzResult result = insertOne(tree, &objects[i], &tree->scratch.data[i]);
        if (!grzResult_IsOk(result)) {
            takeBack(tree, i, slotCount);
            tree->isFiltered = wasFiltered;
            return result;
        }
    }
    for (size_t i = 0; ids != NULL && i < count; ++i) {
        grzId id = grzIdPool_IdAt(&tree->ids, tree->scratch.data[i]);
        ids[i] = (grzTreeId){id.index1, id.generation};
    }
    return grzOk();
}

grzResult grzTree_Remove(grzTree* tree, grzTreeId id) {
    GRZ_REFUSE_NULL(tree, 1);
    if (!grzTree_Has(tree, id))
        return grzFail(grz_staleHandle, 0);
    removeOne(tree, id.index1 - 1);
    grzIdPool_Free(&tree->ids, plainId(id));
    return grzOk();
}

// -------------------------------------------------------------------------------------------------- updates

// A stored box serves as long as it holds the new one and no side lies further out than four margins.
static bool isWithinMargin(const grzTree* tree, grzBox stored, grzBox box) {
    return tree->def.margin > 0 && grzBox_Contains(stored, box) &&
           grzBox_Contains(grzBox_Expand(box, 4 * tree->def.margin), stored);
}

// [Shagam] 2.1.4: climb to the first node that holds the box, descend from there.
static void updateOne(grzTree* tree, uint32_t object, grzBox given) {
    uint32_t slot = tree->slots[object];
    TreeBlock* block = &tree->blocks[slot / tree_lanes];
    grzBox old = treeLaneBox(block, slot % tree_lanes);
    if (isWithinMargin(tree, old, given))
        return;
    grzBox box = withMargin(tree, given);
    uint32_t node = tree->blockOwners[slot / tree_lanes], start = node;
    while (tree->infos[start].parent != TREE_NONE && !grzBox_Contains(treeNodeBox(tree, start), box))
        start = tree->infos[start].parent;
    TreePlace place = grzTreeFindPlace(tree, start, box);
    bool stays = (place.node == node && place.code < 0) || !grzTreeReservePlace(tree, place);
    if (stays) {
        treeSetLaneBox(&tree->blocks[slot / tree_lanes], slot % tree_lanes, box);
        grzTreeGrowBoxes(tree, node, box);
        grzTreeMarkStale(tree, node, old);
        return;
    }
    uint32_t key = tree->blocks[slot / tree_lanes].key[slot % tree_lanes];
    uint32_t target = grzTreePutInPlace(tree, place, object, key, box);
    grzTreeGrowBoxes(tree, target, box);
    // Making a child may have moved the nodes beside it, the old one among them; the blocks know.
    node = tree->blockOwners[slot / tree_lanes];
    grzTreeTakeOut(tree, node, slot);
    grzTreeMarkStale(tree, node, old);
    grzTreeCollect(tree, node);
    tree->movedCount++;
}

grzResult grzTree_Update(grzTree* tree, grzTreeId id, grzBox box) {
    GRZ_REFUSE_NULL(tree, 1);
    return grzTree_UpdateMany(tree, &id, &box, 1);
}

// The objects of a batch lie anywhere, so each one's lines are called into the cache while others are worked on: half
// the time of a batch of 1,000 among 100,000.
enum { callAhead = 8 };

static void callObject(const grzTree* tree, uint32_t object) {
    uint32_t slot = tree->slots[object];
    const TreeBlock* block = &tree->blocks[slot / tree_lanes];
    for (int axis = 0; axis < 3; ++axis) {
        __builtin_prefetch(block->lower[axis], 1);
        __builtin_prefetch(block->upper[axis], 1);
    }
}

grzResult grzTree_UpdateMany(grzTree* tree, const grzTreeId* ids, const grzBox* boxes, size_t count) {
    GRZ_REFUSE_NULL(tree, 1);
    GRZ_REFUSE_NULL_ARRAY(ids, count, 2);
    GRZ_REFUSE_NULL_ARRAY(boxes, count, 3);
    for (size_t i = 0; i < count; ++i) {
        if (!grzTree_Has(tree, ids[i]))
            return grzFailAt(grz_staleHandle, grz_partObject, i, 0);
        grzResult result = checkBox(boxes[i], i);
        if (!grzResult_IsOk(result))
            return result;
        __builtin_prefetch(&tree->slots[ids[i].index1 - 1]);
    }
    grzTreeSettle(tree);
    for (size_t i = 0; i < count; ++i) {
        if (i + callAhead < count)
            callObject(tree, ids[i + callAhead].index1 - 1);
        updateOne(tree, ids[i].index1 - 1, boxes[i]);
    }
    return grzOk();
}

// ------------------------------------------------------------------------------------------------ questions

uint32_t grzTree_Count(const grzTree* tree) {
    GRZ_RETURN_IF_NULL(tree, 0);
    return tree->objectCount;
}

uint32_t grzTree_IndexCount(const grzTree* tree) {
    GRZ_RETURN_IF_NULL(tree, 0);
    return (uint32_t)tree->ids.slots.count;
}

bool grzTree_Has(const grzTree* tree, grzTreeId id) {
    GRZ_RETURN_IF_NULL(tree, false);
    return grzIdPool_IsValid(&tree->ids, plainId(id));
}

bool grzTree_Get(const grzTree* tree, grzTreeId id, grzTreeObject* object) {
    GRZ_RETURN_IF_NULL(object, false);
    if (!grzTree_Has(tree, id))
        return false;
    uint32_t index = id.index1 - 1;
    uint32_t slot = tree->slots[index];
    const TreeBlock* block = &tree->blocks[slot / tree_lanes];
    object->box = treeLaneBox(block, slot % tree_lanes);
    object->key = block->key[slot % tree_lanes];
    object->category = tree->categories[index];
    object->mask = tree->masks[index];
    return true;
}
