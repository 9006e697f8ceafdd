// What: which object carries which tree, and the boxes of such objects.
// Promise: the nesting never has a cycle; a refused call changes nothing but what its header says.
// Idea: trees and attachments are the nodes and edges of a graph without cycles, with lists both ways. A refit goes through it
//   from the trees that carry nothing: a tree's box is final when all that it carries have given theirs [Kahn, Topological
//   Sorting of Large Networks, 1962].
// Threads: see graze/tree_nest.h.      Cost: attaching searches what the child carries; a refit is linear.
// Based on: [Shagam] section 2.2.2. We differ: his trees belong to objects, one each; here one tree may be carried by many
//   objects, and boxes are refreshed in one pass instead of by climbing at each change.
#include "check.h"
#include "memory.h"
#include "nest_inside.h"
#include "owner.h"
#include "refuse_null.h"
#include "tree_inside.h"

static const uint32_t nestSalt = 0x67546e31;

grzResult grzTreeNest_Create(grzAllocator allocator, grzTreeNest** made) {
    GRZ_REFUSE_NULL(made, 2);
    *made = NULL;
    grzResult result;
    grzTreeNest* nest = grzOwner_New(&allocator, 1, sizeof *nest, _Alignof(grzTreeNest), &result);
    if (nest == NULL)
        return result;
    nest->allocator = allocator;
    nest->firstUnused = INDEX_NONE;
    grzIdPool_Create(&nest->ids, allocator, nestSalt);
    *made = nest;
    return grzOk();
}

void grzTreeNest_Destroy(grzTreeNest* nest) {
    if (nest == NULL)
        return;
    const grzAllocator allocator = nest->allocator;
    for (size_t i = 0; i < nest->trees.count; ++i)
        grzArray_Release(&nest->trees.data[i].links, &allocator);
    grzArray_Release(&nest->trees, &allocator);
    grzArray_Release(&nest->attachments, &allocator);
    grzArray_Release(&nest->queue, &allocator);
    grzIndexMap_Release(&nest->treeIndices, &allocator);
    grzIdPool_Destroy(&nest->ids);
    grzRelease(&allocator, nest, 1, sizeof *nest, _Alignof(grzTreeNest));
}

// --------------------------------------------------------------------------------------------------- the graph

static uint64_t treeKey(const grzTree* tree) {
    return (uint64_t)(uintptr_t)tree;
}

uint32_t grzNestTree(const grzTreeNest* nest, const grzTree* tree) {
    return grzIndexMap_Find(&nest->treeIndices, treeKey(tree));
}

static grzId plainId(grzAttachmentId id) {
    return (grzId){id.index1, id.generation};
}

uint32_t grzNestAttachment(const grzTreeNest* nest, uint32_t tree, grzTreeId object) {
    if (tree == INDEX_NONE)
        return INDEX_NONE;
    const NestTree* t = &nest->trees.data[tree];
    if (object.index1 > t->links.count || t->links.data[object.index1 - 1] == 0)
        return INDEX_NONE;
    uint32_t index = t->links.data[object.index1 - 1] - 1;
    // The object of the attachment may be gone, and its index another's.
    return nest->attachments.data[index].object.generation == object.generation ? index : INDEX_NONE;
}

// Puts an attachment at the front of a list of its tree, and takes it out.
static void linkIn(grzTreeNest* nest, uint32_t tree, uint32_t index, NestSide side) {
    NestAttachment* all = nest->attachments.data;
    NestTree* t = &nest->trees.data[tree];
    all[index].links[side] = (NestLink){t->first[side], INDEX_NONE};
    if (t->first[side] != INDEX_NONE)
        all[t->first[side]].links[side].previous = index;
    t->first[side] = index;
    t->count[side]++;
}

static void linkOut(grzTreeNest* nest, uint32_t tree, uint32_t index, NestSide side) {
    NestAttachment* all = nest->attachments.data;
    NestTree* t = &nest->trees.data[tree];
    NestLink link = all[index].links[side];
    if (link.next != INDEX_NONE)
        all[link.next].links[side].previous = link.previous;
    if (link.previous != INDEX_NONE)
        all[link.previous].links[side].next = link.next;
    else
        t->first[side] = link.next;
    t->count[side]--;
}

static NestTree emptyTree(grzTree* tree) {
    return (NestTree){.tree = tree, .first = {INDEX_NONE, INDEX_NONE}, .nextUnused = INDEX_NONE};
}

static void dropTreeIfFree(grzTreeNest* nest, uint32_t index) {
    NestTree* t = &nest->trees.data[index];
    if (t->tree == NULL || t->count[nest_out] + t->count[nest_in] != 0)
        return;
    grzIndexMap_Remove(&nest->treeIndices, treeKey(t->tree));
    grzArray_Release(&t->links, &nest->allocator);
    *t = emptyTree(NULL);
    t->nextUnused = nest->firstUnused;
    nest->firstUnused = index;
}

// The place of a tree, which is made where there is none; INDEX_NONE without memory.
static uint32_t takeTree(grzTreeNest* nest, grzTree* tree) {
    uint32_t index = grzNestTree(nest, tree);
    if (index != INDEX_NONE)
        return index;
    if (!grzIndexMap_Reserve(&nest->treeIndices, &nest->allocator, nest->treeIndices.count + 1))
        return INDEX_NONE;
    index = nest->firstUnused;
    if (index == INDEX_NONE) {
        size_t count = nest->trees.count;
        if (!grzArray_Reserve(&nest->trees, &nest->allocator, count + 1) ||
            !grzArray_Reserve(&nest->queue, &nest->allocator, count + 1))
            return INDEX_NONE;
        index = (uint32_t)nest->trees.count++;
    } else {
        nest->firstUnused = nest->trees.data[index].nextUnused;
    }
    nest->trees.data[index] = emptyTree(tree);
    grzIndexMap_Set(&nest->treeIndices, treeKey(tree), index);
    return index;
}

static bool reserveLink(grzTreeNest* nest, uint32_t tree, uint32_t object) {
    NestTree* t = &nest->trees.data[tree];
    if (!grzArray_Reserve(&t->links, &nest->allocator, (size_t)object + 1))
        return false;
    while (t->links.count <= object)
        t->links.data[t->links.count++] = 0;
    return true;
}

static void detach(grzTreeNest* nest, uint32_t index) {
    const NestAttachment* a = &nest->attachments.data[index];
    linkOut(nest, a->parent, index, nest_out);
    linkOut(nest, a->child, index, nest_in);
    nest->trees.data[a->parent].links.data[a->object.index1 - 1] = 0;
    dropTreeIfFree(nest, a->parent);
    dropTreeIfFree(nest, a->child);
    grzIdPool_Free(&nest->ids, grzIdPool_IdAt(&nest->ids, index));
}

static bool isStale(const grzTreeNest* nest, uint32_t index) {
    const NestAttachment* a = &nest->attachments.data[index];
    return !grzTree_Has(nest->trees.data[a->parent].tree, a->object);
}

// Whether `from` carries `wanted`, at any depth.
static bool carries(grzTreeNest* nest, uint32_t from, uint32_t wanted) {
    uint32_t* queue = nest->queue.data;
    NestTree* trees = nest->trees.data;
    size_t count = 0;
    queue[count++] = from;
    trees[from].isMarked = true;
    for (size_t i = 0; i < count; ++i) {
        const NestAttachment* all = nest->attachments.data;
        for (uint32_t at = trees[queue[i]].first[nest_out]; at != INDEX_NONE; at = all[at].links[nest_out].next) {
            uint32_t child = all[at].child;
            if (trees[child].isMarked || isStale(nest, at))
                continue;
            trees[child].isMarked = true;
            queue[count++] = child;
        }
    }
    bool isFound = trees[wanted].isMarked;
    for (size_t i = 0; i < count; ++i)
        trees[queue[i]].isMarked = false;
    return isFound;
}

// ------------------------------------------------------------------------------------------------------ public

static void addAttachment(grzTreeNest* nest, uint32_t index, const NestAttachment* attachment) {
    nest->attachments.data[index] = *attachment;
    if (nest->attachments.count <= index)
        nest->attachments.count = index + 1u;
    linkIn(nest, attachment->parent, index, nest_out);
    linkIn(nest, attachment->child, index, nest_in);
    nest->trees.data[attachment->parent].links.data[attachment->object.index1 - 1] = index + 1;
}

// With both trees in the nest, in vain or not: the caller drops those that stay without an attachment.
static grzResult attach(grzTreeNest* nest, const NestAttachment* attachment, grzAttachmentId* made) {
    uint32_t object = attachment->object.index1 - 1;
    if (attachment->parent == INDEX_NONE || attachment->child == INDEX_NONE ||
        !reserveLink(nest, attachment->parent, object))
        return grzNoMemory((size_t)object + 1, sizeof(uint32_t));
    if (carries(nest, attachment->child, attachment->parent))
        return grzBecause(grzFail(grz_badArgument, 4), "the child is the parent, or carries it");
    if (!grzArray_Reserve(&nest->attachments, &nest->allocator, nest->ids.slots.count + 1))
        return grzNoMemory(nest->ids.slots.count + 1, sizeof(NestAttachment));
    grzId id;
    grzResult result = grzIdPool_Allocate(&nest->ids, &id);
    if (!grzResult_IsOk(result))
        return result;
    addAttachment(nest, grzId_Index(id), attachment);
    *made = (grzAttachmentId){id.index1, id.generation};
    return grzOk();
}

// Ends the attachment of an object that is gone and whose index another one has now.
static void detachPredecessor(grzTreeNest* nest, uint32_t tree, grzTreeId object) {
    if (tree == INDEX_NONE || object.index1 > nest->trees.data[tree].links.count)
        return;
    uint32_t link = nest->trees.data[tree].links.data[object.index1 - 1];
    if (link != 0)
        detach(nest, link - 1);
}

grzResult grzTreeNest_Attach(grzTreeNest* nest, grzTree* parent, grzTreeId object, grzTree* child,
                             grzTransform frame, grzAttachmentId* id) {
    GRZ_REFUSE_NULL(nest, 1);
    GRZ_REFUSE_NULL(parent, 2);
    GRZ_REFUSE_NULL(child, 4);
    GRZ_REFUSE_NULL(id, 6);
    if (!grzTree_Has(parent, object))
        return grzFail(grz_staleHandle, 0);
    if (!grzTransform_IsFinite(frame))
        return grzFail(grz_notFinite, 0);
    uint32_t known = grzNestTree(nest, parent);
    if (grzNestAttachment(nest, known, object) != INDEX_NONE)
        return grzBecause(grzFail(grz_badArgument, 3), "the object carries a tree already");
    detachPredecessor(nest, known, object);
    NestAttachment attachment = {.object = object, .frame = frame};
    attachment.parent = takeTree(nest, parent);
    attachment.child = attachment.parent != INDEX_NONE ? takeTree(nest, child) : INDEX_NONE;
    grzResult result = attach(nest, &attachment, id);
    if (attachment.parent != INDEX_NONE)
        dropTreeIfFree(nest, attachment.parent);
    if (attachment.child != INDEX_NONE)
        dropTreeIfFree(nest, attachment.child);
    return result;
}

grzResult grzTreeNest_Detach(grzTreeNest* nest, grzAttachmentId id) {
    GRZ_REFUSE_NULL(nest, 1);
    if (!grzIdPool_IsValid(&nest->ids, plainId(id)))
        return grzFail(grz_staleHandle, 0);
    detach(nest, id.index1 - 1);
    return grzOk();
}

grzResult grzTreeNest_Move(grzTreeNest* nest, grzAttachmentId id, grzTransform frame) {
    GRZ_REFUSE_NULL(nest, 1);
    if (!grzIdPool_IsValid(&nest->ids, plainId(id)))
        return grzFail(grz_staleHandle, 0);
    if (!grzTransform_IsFinite(frame))
        return grzFail(grz_notFinite, 0);
    nest->attachments.data[id.index1 - 1].frame = frame;
    return grzOk();
}

static grzResult refitObject(const grzTreeNest* nest, uint32_t index) {
    const NestAttachment* a = &nest->attachments.data[index];
    grzTree* child = nest->trees.data[a->child].tree;
    grzTreeRepair(child, tree_root);
    grzBox box = grzBox_Transform(a->frame, treeNodeBox(child, tree_root));
    if (grzBox_IsEmpty(box))
        box = grzBox_Make(a->frame.origin, a->frame.origin);
    grzResult result = grzTree_Update(nest->trees.data[a->parent].tree, a->object, box);
    if (!grzResult_IsOk(result))
        return grzFailAt(result.status, grz_partElement, index, 0);
    return grzOk();
}

static void detachStale(grzTreeNest* nest) {
    for (uint32_t i = 0; i < nest->attachments.count; ++i)
        if (!grzId_IsNull(grzIdPool_IdAt(&nest->ids, i)) && isStale(nest, i))
            detach(nest, i);
}

grzResult grzTreeNest_Refit(grzTreeNest* nest) {
    GRZ_REFUSE_NULL(nest, 1);
    detachStale(nest);
    uint32_t* queue = nest->queue.data;
    size_t count = 0;
    for (uint32_t i = 0; i < nest->trees.count; ++i) {
        NestTree* t = &nest->trees.data[i];
        t->pending = t->count[nest_out];
        if (t->tree != NULL && t->pending == 0)
            queue[count++] = i;
    }
    for (size_t i = 0; i < count; ++i) {
        const NestAttachment* all = nest->attachments.data;
        for (uint32_t at = nest->trees.data[queue[i]].first[nest_in]; at != INDEX_NONE;
             at = all[at].links[nest_in].next) {
            grzResult result = refitObject(nest, at);
            if (!grzResult_IsOk(result))
                return result;
            uint32_t parent = all[at].parent;
            if (--nest->trees.data[parent].pending == 0)
                queue[count++] = parent;
        }
    }
    return grzOk();
}

uint32_t grzTreeNest_Count(const grzTreeNest* nest) {
    GRZ_RETURN_IF_NULL(nest, 0);
    return nest->ids.count;
}

bool grzTreeNest_Get(const grzTreeNest* nest, grzAttachmentId id, grzAttachment* attachment) {
    GRZ_RETURN_IF_NULL(nest, false);
    GRZ_RETURN_IF_NULL(attachment, false);
    if (!grzIdPool_IsValid(&nest->ids, plainId(id)))
        return false;
    const NestAttachment* a = &nest->attachments.data[id.index1 - 1];
    attachment->parent = nest->trees.data[a->parent].tree;
    attachment->object = a->object;
    attachment->child = nest->trees.data[a->child].tree;
    attachment->frame = a->frame;
    return true;
}

// -------------------------------------------------------------------------------------------------- validation

#define HOLDS(condition)                                                                                           \
    if (!(condition)) {                                                                                            \
        grzLog(grz_logError, "nest of trees: it does not hold that " #condition);                                  \
        return false;                                                                                              \
    }

static bool validateList(const grzTreeNest* nest, uint32_t tree, NestSide side) {
    const NestTree* t = &nest->trees.data[tree];
    const NestAttachment* all = nest->attachments.data;
    uint32_t count = 0, last = INDEX_NONE;
    for (uint32_t at = t->first[side]; at != INDEX_NONE; last = at, at = all[at].links[side].next, ++count) {
        HOLDS((side == nest_out ? all[at].parent : all[at].child) == tree);
        HOLDS(all[at].links[side].previous == last && count < t->count[side]);
        HOLDS(side == nest_in || t->links.data[all[at].object.index1 - 1] == at + 1);
    }
    HOLDS(count == t->count[side]);
    return true;
}

static bool validateTree(const grzTreeNest* nest, uint32_t index) {
    const NestTree* t = &nest->trees.data[index];
    HOLDS(!t->isMarked);
    HOLDS((t->tree == NULL) == (t->count[nest_out] + t->count[nest_in] == 0));
    HOLDS(t->tree == NULL || grzNestTree(nest, t->tree) == index);
    uint32_t linkCount = 0;
    for (size_t i = 0; i < t->links.count; ++i)
        linkCount += t->links.data[i] != 0;
    HOLDS(linkCount == t->count[nest_out]);
    return validateList(nest, index, nest_out) && validateList(nest, index, nest_in);
}

bool grzTreeNest_Validate(const grzTreeNest* nest) {
    GRZ_RETURN_IF_NULL(nest, false);
    uint32_t outCount = 0, liveCount = 0;
    for (uint32_t i = 0; i < nest->trees.count; ++i) {
        if (!validateTree(nest, i))
            return false;
        outCount += nest->trees.data[i].count[nest_out];
        liveCount += nest->trees.data[i].tree != NULL;
    }
    HOLDS(outCount == nest->ids.count);
    HOLDS(liveCount == nest->treeIndices.count);
    HOLDS(grzIdPool_Validate(&nest->ids));
    return true;
}
