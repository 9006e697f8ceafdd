// What: a kinetic tree follows an edit of its hierarchy.
// Promise: afterwards it is what one that is made anew at that time would be, but for the vertices that realise sides in which
//   several are level.
// Idea: where there is room, boxes come and go at the ends of the tiers alone: those that go lose their events, those that come,
//   and the last ones before them, whose rows have become others, are marked, and so are the leaves that the edit touched. The
//   repair does the rest. Else the tree is made anew, with half again as much room.
//
//     tier 2   [ 0 . . . . . . . ]                 17 leaves come to be 19: nothing but leaves 17 and 18, touched, and
//     tier 1   [ 0 ][ 1 ][ 2 ]                     the boxes 2 and 0 above them are marked
//     leaves   0..7 8..15 16 17 18
//
// Limits: on keyframes the tree is always made anew; what it knows of an interval is laid out by the counts.
// Holds: what has no box has no event and no mark. Leaves are listed with every vertex that they have; those that a vertex
//   has left stay listed, at the price of a look at them when its path changes, until the tree is made anew.
// Cost: O(what is touched) for each tier. Made anew O(T): after half as many triangles have come as there were, or when the
//   lists are full, after a third of the leaves were touched at the least.
#include <string.h>

#include "bvh_parts.h"
#include "kinetic_inside.h"
#include "memory.h"
#include "refuse_null.h"
#include "result_make.h"

// ---- made anew ----

static uint32_t roomFor(uint32_t count) {
    return count + count / 2 + 64; // counts are below 2^30
}

static grzResult makeAnew(grzKineticTree* tree, grzTasks* tasks, double at) {
    grzKineticTree made;
    memset(&made, 0, sizeof made);
    made.allocator = tree->allocator;
    made.order = tree->order;
    made.numbering = tree->numbering;
    made.bvh = tree->bvh;
    made.view = grzBvh_GetView(tree->bvh);
    made.plan = tree->plan;
    made.revision = tree->revision;
    made.followed = tree->bvh->revision;
    if (made.plan->kind == grz_planPaths) {
        made.leafRoom = roomFor(made.view.leafCount);
        made.vertexRoom = roomFor(made.view.vertexCount);
    }
    const grzResult result = grzKinetic_Fill(&made, tasks, at);
    if (!grzResult_IsOk(result)) {
        grzKinetic_Empty(&made);
        return result;
    }
    made.stats = grzKineticTree_GetStats(tree);
    grzKinetic_Empty(tree);
    *tree = made;
    return grzOk();
}

// ---- leaves of vertices ----

static bool isListed(const grzKineticTree* tree, uint32_t vertex, uint32_t leaf) {
    for (uint32_t k = tree->leafStarts[vertex]; k < tree->leafStarts[vertex + 1]; ++k)
        if (tree->leavesOf[k] == leaf)
            return true;
    uint32_t k = tree->more.firsts[vertex];
    while (k != 0 && tree->more.leaves[k] != leaf)
        k = tree->more.nexts[k];
    return k != 0;
}

static void listLeaf(grzKineticTree* tree, uint32_t leaf) {
    KineticMoreLeaves* more = &tree->more;
    uint32_t vertices[GRZ_BVH_LEAF_VERTICES];
    for (uint32_t k = grzKinetic_LeafRow(tree, leaf, vertices); k-- > 0;) {
        if (isListed(tree, vertices[k], leaf))
            continue;
        more->leaves[++more->count] = leaf;
        more->nexts[more->count] = more->firsts[vertices[k]];
        more->firsts[vertices[k]] = more->count;
    }
}

// ---- in place ----

// Whether the last edit is all that the tree does not know of, and there is room for what it brought. Keyframes have no room.
static bool hasRoom(const grzKineticTree* tree, const grzBvhEdited* edited) {
    const grzBvhView view = grzBvh_GetView(tree->bvh);
    const bool isLast = tree->bvh->edits.isEdited && tree->bvh->revision == tree->followed + 1;
    if (!isLast || tree->leafRoom == 0 || tree->tierCount == 0 || view.triangleCount == 0)
        return false;
    if (view.levelCount != tree->view.levelCount || view.leafCount > tree->roomCounts[0])
        return false;
    const uint64_t entries = (uint64_t)edited->leafCount * GRZ_BVH_LEAF_VERTICES;
    return view.vertexCount <= tree->vertexRoom && tree->more.count + entries <= tree->more.room;
}

// The boxes from `first` on go.
static void dropBoxes(grzKineticTree* tree, uint32_t tier, uint32_t first, uint32_t end) {
    for (uint32_t box = first; box < end; ++box) {
        KineticPart* part = partOfBox(tree, tier, box);
        for (uint32_t side = 0; side < KINETIC_SIDES; ++side)
            grzEventQueue_Set(&part->queue, eventSlot(part, tier, box, side), (double)INFINITY);
    }
}

// Boxes of a tier that come, and the last one that stays where there were others below it.
static void markEnd(grzKineticTree* tree, uint32_t tier, uint32_t before) {
    const uint32_t now = tree->boxCounts[tier];
    for (uint32_t box = (before < now ? before : now) - 1; box < now; ++box)
        grzKinetic_Mark(tree, partOfBox(tree, tier, box), tier, box, KINETIC_ALL);
}

static void followInPlace(grzKineticTree* tree, grzTasks* tasks, const grzBvhEdited* edited) {
    uint32_t before[KINETIC_TIERS];
    memcpy(before, tree->boxCounts, sizeof before);
    tree->view = grzBvh_GetView(tree->bvh);
    tree->followed = tree->bvh->revision;
    grzKinetic_CountBoxes(tree);
    for (uint32_t tier = 0; tier < tree->tierCount; ++tier)
        dropBoxes(tree, tier, tree->boxCounts[tier], before[tier]);
    for (uint32_t tier = 1; tier < tree->tierCount; ++tier)
        if (before[tier - 1] != tree->boxCounts[tier - 1])
            markEnd(tree, tier, before[tier]);
    for (uint32_t i = 0; i < edited->leafCount; ++i) {
        const uint32_t leaf = edited->leaves[i];
        grzKinetic_Mark(tree, partOfBox(tree, 0, leaf), 0, leaf, KINETIC_ALL);
        listLeaf(tree, leaf);
    }
    grzKinetic_RepairAll(tree, tasks, tree->at);
}

grzResult grzKineticTree_Follow(grzKineticTree* tree, grzTasks* tasks) {
    GRZ_REFUSE_NULL(tree, 1);
    const grzFlightplan* plan = tree->plan;
    const char* flaw = grzKinetic_FlawOfPlan(tree);
    if (plan->vertexCount < grzBvh_GetView(tree->bvh).vertexCount)
        flaw = "plan has fewer vertices than the hierarchy";
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    if (tree->followed == tree->bvh->revision)
        return grzOk();
    // Paths of new vertices may begin later than the tree stands; it cannot come there by what the hierarchy was.
    const double begin = plan->kind == grz_planPaths ? grzPlan_TimeOf(plan, plan->lastChange) : tree->at;
    const grzBvhEdited edited = grzBvh_LastEdit(tree->bvh);
    if (begin > tree->at || !hasRoom(tree, &edited))
        return makeAnew(tree, tasks, begin > tree->at ? begin : tree->at);
    followInPlace(tree, tasks, &edited);
    return grzOk();
}
