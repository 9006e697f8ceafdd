// What: visibility from find to find: queries checked, what was visible drawn first, results numbered and sorted.
// Promise: a find that is refused leaves an empty view and no memory of what was visible.
// Idea: an instance of a nested tree is known from one find to the next by its chain of attachments, an object by its id in the
//   tree; so what was visible is found again where it is now, whatever has moved, and drawn there. Only objects that took up
//   enough of the screen are kept for that.
// Based on: [Shagam] 2.2.3, see visibility_walk.c.
#include "graze/visibility.h"

#include <string.h>

#include "memory.h"
#include "owner.h"
#include "radix_sort.h"
#include "refuse_null.h"
#include "tree_inside.h"
#include "visibility_inside.h"

static const uint32_t visibilityDefMark = 0x67567331;

grzVisibilityDef grzDefaultVisibilityDef(void) {
    grzDepthPyramidDef depth = grzDefaultDepthPyramidDef();
    grzVisibilityDef def = {
        .mark = visibilityDefMark, .width = depth.width, .height = depth.height, .minOccluderPixels = 64};
    return def;
}

grzVisibilityQuery grzDefaultVisibilityQuery(void) {
    grzVisibilityQuery query;
    memset(&query, 0, sizeof query);
    query.category = UINT64_MAX;
    query.mask = UINT64_MAX;
    return query;
}

grzResult grzVisibility_Create(const grzVisibilityDef* def, grzVisibility** made) {
    GRZ_REFUSE_NULL(made, 2);
    *made = NULL;
    if (def == NULL || def->mark != visibilityDefMark)
        return grzFail(grz_badDef, 0);
    grzResult result;
    grzAllocator allocator = def->allocator;
    grzVisibility* visibility = grzOwner_New(&allocator, 1, sizeof *visibility, _Alignof(grzVisibility), &result);
    if (visibility == NULL)
        return result;
    visibility->allocator = allocator;
    visibility->def = *def;
    grzDepthPyramidDef depth = grzDefaultDepthPyramidDef();
    depth.width = def->width, depth.height = def->height, depth.allocator = allocator;
    result = grzDepthPyramid_Create(&depth, &visibility->pyramid);
    if (grzResult_IsOk(result))
        *made = visibility;
    else
        grzVisibility_Destroy(visibility);
    return result;
}

void grzVisibility_Destroy(grzVisibility* visibility) {
    if (visibility == NULL)
        return;
    const grzAllocator allocator = visibility->allocator;
    grzDepthPyramid_Destroy(visibility->pyramid);
    grzArray_Release(&visibility->instances, &allocator);
    grzArray_Release(&visibility->queue, &allocator);
    grzArray_Release(&visibility->hits, &allocator);
    grzIndexMap_Release(&visibility->instanceIndices, &allocator);
    grzIndexMap_Release(&visibility->drawn, &allocator);
    grzArray_Release(&visibility->keys, &allocator);
    grzArray_Release(&visibility->places, &allocator);
    grzArray_Release(&visibility->objects, &allocator);
    grzArray_Release(&visibility->treeInstances, &allocator);
    grzArray_Release(&visibility->large, &allocator);
    grzRelease(&allocator, visibility, 1, sizeof *visibility, _Alignof(grzVisibility));
}

// ------------------------------------------------------------------------------------------------ what was visible

// Whether an object is still there, and asked for.
static bool isWanted(const VisibilityWalk* walk, const grzTree* tree, grzTreeId object) {
    return grzTree_Has(tree, object) &&
           treeMeets(tree, object.index1 - 1, walk->query->category, walk->query->mask);
}

// The instance that was number `i`, opened anew; INDEX_NONE in `now` where its attachment is gone.
static bool reopen(VisibilityWalk* walk, size_t i, uint32_t* now) {
    const grzVisibility* v = walk->visibility;
    const grzTreeNest* nest = walk->query->nest;
    const grzTreeInstance* old = &v->treeInstances.data[i];
    now[i] = INDEX_NONE;
    if (old->parent == UINT32_MAX)
        return grzOpenInstance(walk, INDEX_NONE, INDEX_NONE, &now[i]);
    uint32_t parent = now[old->parent], index = old->attachment.index1 - 1;
    const grzId id = {old->attachment.index1, old->attachment.generation};
    if (parent == INDEX_NONE || !grzIdPool_IsValid(&nest->ids, id))
        return true;
    // Another nest may have come to lie where the last one was.
    const NestAttachment* attachment = &nest->attachments.data[index];
    const grzTree* outer = v->instances.data[parent].tree;
    if (nest->trees.data[attachment->parent].tree != outer || !isWanted(walk, outer, attachment->object))
        return true;
    return grzOpenInstance(walk, parent, index, &now[i]);
}

static bool redraw(VisibilityWalk* walk, const grzVisibleObject* old, uint32_t instance) {
    grzVisibility* v = walk->visibility;
    if (instance == INDEX_NONE)
        return true;
    const VisibleInstance* seen = &v->instances.data[instance];
    uint32_t object = old->id.index1 - 1;
    if (!isWanted(walk, seen->tree, old->id) ||
        grzNestAttachment(walk->query->nest, seen->nestTree, old->id) != INDEX_NONE)
        return true;
    grzBox box = treeObjectBox(seen->tree, object);
    return grzDrawObject(walk, instance, object, old->key, &box, &v->stats.occludersBefore);
}

static bool drawBefore(VisibilityWalk* walk) {
    grzVisibility* v = walk->visibility;
    if (v->lastTree != walk->query->tree || v->lastNest != walk->query->nest)
        return true;
    if (!grzArray_Reserve(&v->places, &v->allocator, v->treeInstances.count)) {
        walk->result = grzNoMemory(v->treeInstances.count, sizeof(uint32_t));
        return false;
    }
    uint32_t* now = v->places.data;
    for (size_t i = 0; i < v->treeInstances.count; ++i)
        if (!reopen(walk, i, now))
            return false;
    for (size_t i = 0; i < v->large.count; ++i) {
        const grzVisibleObject* old = &v->objects.data[v->large.data[i]];
        if (!redraw(walk, old, now[old->instance]))
            return false;
    }
    return true;
}

static bool drawFirst(VisibilityWalk* walk) {
    grzVisibility* v = walk->visibility;
    const grzOccluders* scenery = &walk->query->scenery;
    walk->result = grzDepthPyramid_Begin(v->pyramid, walk->query->camera);
    if (!grzResult_IsOk(walk->result))
        return false;
    grzDepthPyramid_DrawBoxes(v->pyramid, NULL, scenery->boxes, scenery->boxCount);
    walk->result = grzDepthPyramid_DrawTriangles(v->pyramid, NULL, &scenery->triangles);
    if (!grzResult_IsOk(walk->result) || !drawBefore(walk))
        return false;
    grzReducePyramid(walk);
    return true;
}

// ----------------------------------------------------------------------------------------------------- results

// Sorting by keys[], carrying places[], with room for as much again behind each.
static void sortPlaces(grzVisibility* v, size_t first, size_t count, size_t room) {
    grzRadixSort64(v->keys.data + first, v->places.data + first, v->keys.data + room, v->places.data + room, count);
}

static bool reserveSort(VisibilityWalk* walk, size_t count) {
    grzVisibility* v = walk->visibility;
    if (grzArray_Reserve(&v->keys, &v->allocator, 2 * count) &&
        grzArray_Reserve(&v->places, &v->allocator, 2 * count))
        return true;
    walk->result = grzNoMemory(2 * count, sizeof(uint64_t));
    return false;
}

// Numbers the instances of one depth, which stand in places[first .. end): by attachment, and then, without
// disturbing that where they are equal, by parent and key.
static void numberLevel(grzVisibility* v, size_t first, size_t end, size_t room) {
    const VisibleInstance* instances = v->instances.data;
    for (size_t i = first; i < end; ++i)
        v->keys.data[i] = instances[v->places.data[i]].attachment;
    sortPlaces(v, first, end - first, room);
    for (size_t i = first; i < end; ++i) {
        const VisibleInstance* instance = &instances[v->places.data[i]];
        uint32_t parent = instance->parent != INDEX_NONE ? instances[instance->parent].number : 0;
        v->keys.data[i] = indexMapKey(parent, instance->key);
    }
    sortPlaces(v, first, end - first, room);
    for (size_t i = first; i < end; ++i)
        v->instances.data[v->places.data[i]].number = (uint32_t)i;
}

static bool numberInstances(VisibilityWalk* walk) {
    grzVisibility* v = walk->visibility;
    size_t room = v->instances.count, count = 0;
    if (!reserveSort(walk, room))
        return false;
    for (uint32_t i = 0; i < room; ++i) {
        if (!v->instances.data[i].isReached)
            continue;
        v->keys.data[count] = v->instances.data[i].depth;
        v->places.data[count++] = i;
    }
    sortPlaces(v, 0, count, room);
    for (size_t first = 0, end; first < count; first = end) {
        uint32_t depth = v->instances.data[v->places.data[first]].depth;
        for (end = first + 1; end < count && v->instances.data[v->places.data[end]].depth == depth;)
            ++end;
        numberLevel(v, first, end, room);
    }
    if (!grzArray_Reserve(&v->treeInstances, &v->allocator, count)) {
        walk->result = grzNoMemory(count, sizeof(grzTreeInstance));
        return false;
    }
    v->treeInstances.count = count;
    for (size_t i = 0; i < count; ++i) {
        const VisibleInstance* instance = &v->instances.data[v->places.data[i]];
        grzTreeInstance out = {UINT32_MAX, {0, 0}};
        if (instance->parent != INDEX_NONE) {
            grzId id = grzIdPool_IdAt(&walk->query->nest->ids, instance->attachment);
            out.parent = v->instances.data[instance->parent].number;
            out.attachment = (grzAttachmentId){id.index1, id.generation};
        }
        v->treeInstances.data[i] = out;
    }
    return true;
}

static bool sortObjects(VisibilityWalk* walk) {
    grzVisibility* v = walk->visibility;
    size_t count = v->hits.count;
    const VisibleHit* hits = v->hits.data;
    if (!reserveSort(walk, count))
        return false;
    if (!grzArray_Reserve(&v->objects, &v->allocator, count) ||
        !grzArray_Reserve(&v->large, &v->allocator, count)) {
        walk->result = grzNoMemory(count, sizeof(grzVisibleObject));
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        v->keys.data[i] = hits[i].id.index1;
        v->places.data[i] = (uint32_t)i;
    }
    sortPlaces(v, 0, count, count);
    for (size_t i = 0; i < count; ++i) {
        const VisibleHit* hit = &hits[v->places.data[i]];
        v->keys.data[i] = indexMapKey(v->instances.data[hit->instance].number, hit->key);
    }
    sortPlaces(v, 0, count, count);
    v->objects.count = count;
    v->large.count = 0;
    for (size_t i = 0; i < count; ++i) {
        const VisibleHit* hit = &hits[v->places.data[i]];
        grzVisibleObject object = {v->instances.data[hit->instance].number, hit->key, hit->id};
        v->objects.data[i] = object;
        if (hit->isLarge)
            v->large.data[v->large.count++] = (uint32_t)i;
    }
    return true;
}

// ------------------------------------------------------------------------------------------------------ public

static grzResult checkMembers(const grzVisibilityQuery* query) {
    if (query->tree == NULL)
        return grzBecause(grzFail(grz_badArgument, 1), "the query has no tree");
    if (query->halfSpaceCount > GRZ_MAX_HALF_SPACES)
        return grzBecause(grzFail(grz_badArgument, 2), "there are more than GRZ_MAX_HALF_SPACES half-spaces");
    if (query->halfSpaceCount != 0 && query->halfSpaces == NULL)
        return grzBecause(grzFail(grz_badArgument, 2), "halfSpaces is NULL, but halfSpaceCount is not 0");
    if ((unsigned)query->occlusion > grz_occludeByHost)
        return grzBecause(grzFail(grz_badArgument, 6), "there is no such occlusion");
    if (query->occlusion != grz_occludeNothing && query->camera == NULL)
        return grzBecause(grzFail(grz_badArgument, 3), "occlusion needs a camera");
    if (query->occlusion == grz_occludeByHost && query->occludersOf == NULL)
        return grzBecause(grzFail(grz_badArgument, 4), "occlusion by the host needs occludersOf");
    return grzOk();
}

static grzResult checkQuery(const grzVisibilityQuery* query) {
    grzResult result = checkMembers(query);
    if (!grzResult_IsOk(result))
        return result;
    for (uint32_t i = 0; i < query->halfSpaceCount; ++i) {
        float offset = query->halfSpaces[i].offset;
        if (!grzVec3_IsFinite(query->halfSpaces[i].normal) || !grzVec3_IsFinite(grzVec3_Make(offset, 0, 0)))
            return grzFailAt(grz_notFinite, grz_partElement, i, 0);
    }
    return query->camera != NULL ? grzCamera_Check(query->camera) : grzOk();
}

static void beginFind(grzVisibility* visibility) {
    visibility->instances.count = visibility->queue.count = visibility->hits.count = 0;
    grzIndexMap_Clear(&visibility->instanceIndices);
    grzIndexMap_Clear(&visibility->drawn);
    memset(&visibility->stats, 0, sizeof visibility->stats);
}

// The walk will split nodes, but as a tree may be seen in many places at once it cannot take any away.
static void settleTrees(const grzVisibilityQuery* query) {
    grzTreeSettle(query->tree);
    for (size_t i = 0; query->nest != NULL && i < query->nest->trees.count; ++i)
        if (query->nest->trees.data[i].tree != NULL)
            grzTreeSettle(query->nest->trees.data[i].tree);
}

// After a find that was refused.
static void clearView(grzVisibility* visibility) {
    visibility->objects.count = visibility->treeInstances.count = visibility->large.count = 0;
    memset(&visibility->stats, 0, sizeof visibility->stats);
}

grzResult grzVisibility_Find(grzVisibility* visibility, const grzVisibilityQuery* query) {
    GRZ_REFUSE_NULL(visibility, 1);
    GRZ_REFUSE_NULL(query, 2);
    VisibilityWalk walk = {.visibility = visibility, .query = query};
    walk.result = checkQuery(query);
    bool isWell = grzResult_IsOk(walk.result);
    if (isWell) {
        const DepthImage* screen = &visibility->pyramid->levels[0];
        walk.isOccluding = query->occlusion != grz_occludeNothing;
        walk.root =
            grzMakeRootView(query->halfSpaces, query->halfSpaceCount, query->camera, screen->width, screen->height);
        walk.clip = GRZ_PICK_KERNEL(grzClipBoxes);
        walk.project = GRZ_PICK_KERNEL(grzProjectBoxes);
        beginFind(visibility);
        settleTrees(query);
        isWell = (!walk.isOccluding || drawFirst(&walk)) && grzWalkVisible(&walk) && numberInstances(&walk) &&
                 sortObjects(&walk);
    }
    if (!isWell)
        clearView(visibility);
    visibility->lastTree = query->tree;
    visibility->lastNest = query->nest;
    return walk.result;
}

grzVisibilityView grzVisibility_GetView(const grzVisibility* visibility) {
    GRZ_RETURN_IF_NULL(visibility, (grzVisibilityView){0});
    grzVisibilityView view = {visibility->objects.data, visibility->objects.count, visibility->treeInstances.data,
                              visibility->treeInstances.count, visibility->stats};
    return view;
}
