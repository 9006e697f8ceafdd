// What: finds the visible objects by walking the trees from the front to the back.
// Promise: nothing visible is missed. Without occlusion what is found does not depend on the trees' shapes (plane_test.h tells
//   why).
// Idea: nodes wait in a queue, the nearest first, over all trees at once. A node is entered if no plane rules it out and the
//   depth pyramid does not hide it; then its objects are tested likewise, and its children join the queue. An object that carries
//   a tree puts that tree's root into the queue, seen through the object's frame. A visible object is drawn as an occluder at
//   once, so that what comes later, and farther, can be hidden by it; the coarse levels of the pyramid follow when a quarter more
//   has been drawn. The planes a box lies wholly inside of are not tested for what is in it.
//
//         queue  [root of city]  ->  [street 3 m] [block 8 m] [hill 90 m]  ->  [house's root 4 m] [block 8 m] ...
//                                     |__ object "house" carries a tree ___________^
//
// Based on: [Shagam] 2.2.1 to 2.2.3. We differ:
//   - he tests a node's sphere and then its box; here sixteen boxes are tested at once by planes alone;
//   - he draws only what was visible in the last frame; here also what turns out to be visible on the way, as he
//     suggests in 2.2.3, so that the first frame and sudden changes are culled too;
//   - his occlusion test is exact in the pixels' centres; here it is conservative.
#include <math.h>

#include "check.h"
#include "memory.h"
#include "tree_inside.h"
#include "visibility_inside.h"

static bool fail(VisibilityWalk* walk, grzResult result) {
    walk->result = result;
    return false;
}

static bool failMemory(VisibilityWalk* walk, size_t count, size_t size) {
    return fail(walk, grzNoMemory(count, size));
}

// --------------------------------------------------------------------------------------------------- instances

static bool makeInstance(VisibilityWalk* walk, uint32_t parent, uint32_t attachment, VisibleInstance* made) {
    const grzTreeNest* nest = walk->query->nest;
    made->parent = parent, made->attachment = attachment;
    if (parent == INDEX_NONE) {
        made->tree = walk->query->tree;
        made->frame = grzRootFrame();
    } else {
        const NestAttachment* a = &nest->attachments.data[attachment];
        const VisibleInstance* outer = &walk->visibility->instances.data[parent];
        made->tree = nest->trees.data[a->child].tree;
        made->frame = grzNestedFrame(&outer->frame, &a->frame);
        made->depth = outer->depth + 1;
        const TreeBlock* blocks = outer->tree->blocks;
        uint32_t slot = outer->tree->slots[a->object.index1 - 1];
        made->key = blocks[slot / tree_lanes].key[slot % tree_lanes];
    }
    made->nestTree = nest != NULL ? grzNestTree(nest, made->tree) : INDEX_NONE;
    if (walk->query->occlusion == grz_occludeByBoxes && made->tree->def.margin > 0)
        return fail(walk, grzBecause(grzFail(grz_badArgument, 5), "boxes of a tree with a margin hide too much"));
    made->view = grzMakeLocalView(&walk->root, &made->frame);
    if (walk->isOccluding)
        made->occluders = grzMakeOccluderView(walk->visibility->pyramid, &made->frame);
    return true;
}

bool grzOpenInstance(VisibilityWalk* walk, uint32_t parent, uint32_t attachment, uint32_t* instance) {
    grzVisibility* v = walk->visibility;
    uint64_t key = indexMapKey(parent, attachment);
    *instance = grzIndexMap_Find(&v->instanceIndices, key);
    if (*instance != INDEX_NONE)
        return true;
    size_t count = v->instances.count;
    if (!grzIndexMap_Reserve(&v->instanceIndices, &v->allocator, count + 1) ||
        !grzArray_Reserve(&v->instances, &v->allocator, count + 1))
        return failMemory(walk, count + 1, sizeof(VisibleInstance));
    if (count == INDEX_NONE)
        return fail(walk, grzFail(grz_tooLarge, count));
    VisibleInstance made = {0};
    if (!makeInstance(walk, parent, attachment, &made))
        return false;
    *instance = (uint32_t)count;
    v->instances.data[v->instances.count++] = made;
    grzIndexMap_Set(&v->instanceIndices, key, *instance);
    return true;
}

// --------------------------------------------------------------------------------------------------- occluders

void grzReducePyramid(VisibilityWalk* walk) {
    grzDepthPyramid_Reduce(walk->visibility->pyramid);
    walk->undrawn = 0;
    walk->visibility->stats.reductions++;
}

static void drawHostOccluders(const VisibilityWalk* walk, const VisibleInstance* instance, uint32_t key) {
    const grzVisibilityQuery* query = walk->query;
    grzDepthPyramid* pyramid = walk->visibility->pyramid;
    grzOccluders occluders = {0};
    query->occludersOf(query->occludersContext, instance->tree, key, &occluders);
    for (size_t i = 0; i < occluders.boxCount; ++i)
        if (grzBox_IsValid(occluders.boxes[i]))
            grzDrawOccluderBox(pyramid, &instance->occluders, &occluders.boxes[i]);
    if (grzFindBadTriangle(&occluders.triangles) == occluders.triangles.triangleCount)
        grzDrawOccluderSoup(pyramid, &instance->occluders, &occluders.triangles);
}

bool grzDrawObject(VisibilityWalk* walk, uint32_t instance, uint32_t object, uint32_t key, const grzBox* box,
                   uint64_t* counter) {
    grzVisibility* v = walk->visibility;
    uint64_t name = indexMapKey(instance, object);
    if (grzIndexMap_Find(&v->drawn, name) != INDEX_NONE)
        return true;
    if (!grzIndexMap_Reserve(&v->drawn, &v->allocator, v->drawn.count + 1))
        return failMemory(walk, v->drawn.count + 1, sizeof(uint64_t));
    grzIndexMap_Set(&v->drawn, name, 0);
    const VisibleInstance* seen = &v->instances.data[instance];
    if (walk->query->occlusion == grz_occludeByBoxes)
        grzDrawOccluderBox(v->pyramid, &seen->occluders, box);
    else
        drawHostOccluders(walk, seen, key);
    walk->undrawn++;
    (*counter)++;
    return true;
}

// ------------------------------------------------------------------------------------------------------- queue

static bool isSooner(const VisibleNode* a, const VisibleNode* b) {
    return a->distance != b->distance ? a->distance < b->distance : a->order < b->order;
}

static bool push(VisibilityWalk* walk, const VisibleNode* node) {
    grzVisibility* v = walk->visibility;
    if (!grzArray_Reserve(&v->queue, &v->allocator, v->queue.count + 1))
        return failMemory(walk, v->queue.count + 1, sizeof *node);
    VisibleNode* heap = v->queue.data;
    size_t at = v->queue.count++;
    for (; walk->isOccluding && at > 0 && isSooner(node, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = *node;
    return true;
}

static VisibleNode pop(VisibilityWalk* walk) {
    grzVisibility* v = walk->visibility;
    VisibleNode* heap = v->queue.data;
    size_t count = --v->queue.count;
    VisibleNode last = heap[count], first = heap[0];
    if (!walk->isOccluding)
        return last;
    size_t at = 0;
    for (size_t child = 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && isSooner(&heap[child + 1], &heap[child]))
            child++;
        if (!isSooner(&heap[child], &last))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return first;
}

// -------------------------------------------------------------------------------------------------------- walk

// Puts up to sixteen consecutive nodes of an instance's tree into the queue, those that `planes` do not rule out.
static bool pushNodes(VisibilityWalk* walk, uint32_t instance, uint32_t first, uint32_t count, uint32_t planes) {
    grzVisibility* v = walk->visibility;
    const VisibleInstance* seen = &v->instances.data[instance];
    const float* sides[6];
    for (int side = 0; side < 6; ++side)
        sides[side] = seen->tree->bounds[side] + first;
    uint32_t live = count >= view_lanes ? 0xffffu : (1u << count) - 1, crossed[view_lanes] = {0};
    v->stats.nodesTested += count;
    uint32_t rest = planes != 0 ? walk->clip(&seen->view, planes, sides, live, crossed) : live;
    v->stats.nodesOutside += count - treeBitCount(rest);
    ScreenBoxes screen;
    if (walk->isOccluding && rest != 0)
        walk->project(&seen->view, sides, &screen);
    for (; rest != 0; rest &= rest - 1) {
        uint32_t k = (uint32_t)__builtin_ctz(rest);
        VisibleNode node = {.instance = instance, .node = first + k, .planes = crossed[k], .order = walk->pushed++};
        if (walk->isOccluding) {
            node.distance = screen.distance[k], node.most = screen.most[k];
            node.x0 = (uint16_t)screen.x0[k], node.x1 = (uint16_t)screen.x1[k];
            node.y0 = (uint16_t)screen.y0[k], node.y1 = (uint16_t)screen.y1[k];
        }
        if (!push(walk, &node))
            return false;
    }
    return true;
}

// Goes on in the tree that an object carries; no more than `planes` can cut what is in it.
static bool enterTree(VisibilityWalk* walk, uint32_t outer, uint32_t attachment, uint32_t planes) {
    uint32_t instance;
    if (!grzOpenInstance(walk, outer, attachment, &instance))
        return false;
    VisibleInstance* seen = &walk->visibility->instances.data[instance];
    seen->isReached = true;
    grzTreeRepair(seen->tree, tree_root);
    return seen->tree->objectCount == 0 || pushNodes(walk, instance, tree_root, 1, planes);
}

// What is known of the objects of one block.
typedef struct BlockView {
    uint32_t instance, block;
    bool meetsAll; // no object of the tree is ruled out by category or mask
    uint32_t crossed[view_lanes];
    ScreenBoxes screen;
} BlockView;

static bool isHidden(const VisibilityWalk* walk, const ScreenBoxes* screen, uint32_t k) {
    return grzDepthPyramid_Hides(walk->visibility->pyramid, screen->x0[k], screen->y0[k], screen->x1[k],
                                 screen->y1[k], screen->most[k]);
}

static bool isLarge(const VisibilityWalk* walk, const ScreenBoxes* screen, uint32_t k) {
    int64_t width = screen->x1[k] - screen->x0[k] + 1, height = screen->y1[k] - screen->y0[k] + 1;
    return width * height >= (int64_t)walk->visibility->def.minOccluderPixels;
}

static bool addHit(VisibilityWalk* walk, const BlockView* view, uint32_t k, grzTreeId id) {
    grzVisibility* v = walk->visibility;
    const TreeBlock* block = &v->instances.data[view->instance].tree->blocks[view->block];
    VisibleHit hit = {.instance = view->instance, .key = block->key[k], .id = id};
    hit.isLarge = walk->isOccluding && isLarge(walk, &view->screen, k);
    if (!grzArray_Reserve(&v->hits, &v->allocator, v->hits.count + 1))
        return failMemory(walk, v->hits.count + 1, sizeof hit);
    v->hits.data[v->hits.count++] = hit;
    if (!hit.isLarge)
        return true;
    grzBox box = treeLaneBox(block, k);
    if (!grzDrawObject(walk, view->instance, id.index1 - 1, hit.key, &box, &v->stats.occludersDuring))
        return false;
    if (walk->undrawn >= 16 + v->drawn.count / 4)
        grzReducePyramid(walk);
    return true;
}

// An object that no plane rules out.
static bool visitObject(VisibilityWalk* walk, const BlockView* view, uint32_t k) {
    grzVisibility* v = walk->visibility;
    const VisibleInstance* seen = &v->instances.data[view->instance];
    const grzTree* tree = seen->tree;
    uint32_t object = tree->blocks[view->block].object[k];
    if (!view->meetsAll && !treeMeets(tree, object, walk->query->category, walk->query->mask)) {
        v->stats.objectsTested--;
        return true;
    }
    if (walk->isOccluding && isHidden(walk, &view->screen, k)) {
        v->stats.objectsHidden++;
        return true;
    }
    grzId id = grzIdPool_IdAt(&tree->ids, object);
    grzTreeId treeId = {id.index1, id.generation};
    uint32_t attachment = grzNestAttachment(walk->query->nest, seen->nestTree, treeId);
    if (attachment == INDEX_NONE)
        return addHit(walk, view, k, treeId);
    v->stats.objectsCarrying++;
    return enterTree(walk, view->instance, attachment, view->crossed[k]);
}

static bool visitBlock(VisibilityWalk* walk, uint32_t instance, uint32_t blockIndex, uint32_t count,
                       uint32_t planes) {
    grzVisibility* v = walk->visibility;
    const VisibleInstance* seen = &v->instances.data[instance];
    const TreeBlock* block = &seen->tree->blocks[blockIndex];
    const float* const sides[6] = {block->lower[0], block->lower[1], block->lower[2],
                                   block->upper[0], block->upper[1], block->upper[2]};
    uint32_t live = count >= tree_lanes ? 0xffffu : (1u << count) - 1;
    BlockView view = {.instance = instance, .block = blockIndex};
    view.meetsAll = treeMeetsAll(seen->tree, walk->query->category, walk->query->mask);
    uint32_t rest = planes != 0 ? walk->clip(&seen->view, planes, sides, live, view.crossed) : live;
    v->stats.objectsTested += treeBitCount(live);
    v->stats.objectsOutside += treeBitCount(live & ~rest);
    if (walk->isOccluding && rest != 0)
        walk->project(&seen->view, sides, &view.screen);
    for (; rest != 0; rest &= rest - 1)
        if (!visitObject(walk, &view, (uint32_t)__builtin_ctz(rest)))
            return false;
    return true;
}

static bool visitChildren(VisibilityWalk* walk, const VisibleNode* node) {
    grzTree* tree = walk->visibility->instances.data[node->instance].tree;
    uint32_t first = tree->nodes[node->node].firstChild, count = treeChildCount(tree, node->node);
    for (uint32_t i = 0; i < count; ++i)
        grzTreeRepair(tree, first + i);
    for (uint32_t i = 0; i < count; i += view_lanes)
        if (!pushNodes(walk, node->instance, first + i, count - i < view_lanes ? count - i : view_lanes,
                       node->planes))
            return false;
    return true;
}

static bool visitNode(VisibilityWalk* walk, const VisibleNode* node) {
    grzVisibility* v = walk->visibility;
    grzTree* tree = v->instances.data[node->instance].tree;
    if (walk->isOccluding &&
        grzDepthPyramid_Hides(v->pyramid, node->x0, node->y0, node->x1, node->y1, node->most)) {
        v->stats.nodesHidden++;
        return true;
    }
    if (treeIsDue(tree, node->node))
        grzTreeSplit(tree, node->node);
    v->stats.nodesInside += node->planes == 0;
    uint32_t first = tree->nodes[node->node].firstBlock, count = tree->nodes[node->node].objectCount;
    for (uint32_t i = 0; i < count; i += tree_lanes)
        if (!visitBlock(walk, node->instance, first + i / tree_lanes, count - i, node->planes))
            return false;
    return visitChildren(walk, node);
}

bool grzWalkVisible(VisibilityWalk* walk) {
    const uint32_t all = (uint32_t)((UINT64_C(1) << walk->root.planeCount) - 1);
    if (!enterTree(walk, INDEX_NONE, INDEX_NONE, all))
        return false;
    while (walk->visibility->queue.count != 0) {
        VisibleNode node = pop(walk);
        if (!visitNode(walk, &node))
            return false;
    }
    return true;
}
