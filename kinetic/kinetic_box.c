// What: boxes from the vertices that realise them, the horizon, and all promises again, slowly.
#include <float.h>

#include "check.h"
#include "kinetic_inside.h"
#include "result_make.h"

static grzBox boxOf(const grzKineticTree* tree, uint32_t tier, uint32_t box) {
    const uint32_t* of = tree->realisers[tier] + (size_t)box * KINETIC_SIDES;
    float sides[KINETIC_SIDES];
    for (uint32_t side = 0; side < KINETIC_SIDES; ++side)
        sides[side] = grzPlan_Float(tree->plan, of[side], axisOf(side), tree->at);
    return (grzBox){grzVec3_Make(sides[0], sides[1], sides[2]), grzVec3_Make(sides[3], sides[4], sides[5])};
}

grzBox grzKineticTree_Box(const grzKineticTree* tree, uint32_t level, uint32_t index) {
    return tree->tierCount == 0 ? grzBox_Empty() : boxOf(tree, tree->view.levelCount - level, index);
}

// ---- all of them ----

enum { GRAIN = 64 }; // nodes a task

typedef struct Writing {
    const grzKineticTree* tree;
    grzBvhNode* nodes; // of a level
    uint32_t tier;     // of that level's boxes
} Writing;

static void writeNode(const grzKineticTree* tree, uint32_t tier, uint32_t index, grzBvhNode* node) {
    const uint32_t count = tier == 0 ? 0 : childCount(tree, tier, index);
    const grzBox none = {grzVec3_Splat(FLT_MAX), grzVec3_Splat(-FLT_MAX)}; // as a refit has them
    for (uint32_t k = 0; k < GRZ_BVH_WIDTH; ++k) {
        const grzBox box = k < count ? boxOf(tree, tier - 1, index * GRZ_BVH_WIDTH + k) : none;
        for (int axis = 0; axis < 3; ++axis) {
            node->lower[axis][k] = grzVec3_Get(box.lower, axis);
            node->upper[axis][k] = grzVec3_Get(box.upper, axis);
        }
    }
}

static void writeBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const Writing* work = context;
    for (uint32_t i = begin; i < end; ++i)
        writeNode(work->tree, work->tier, i, &work->nodes[i]);
}

grzResult grzKineticTree_WriteBoxes(const grzKineticTree* tree, grzTasks* tasks, grzBvhNode* nodes) {
    if (nodes == NULL)
        return grzBecause(grzFail(grz_badArgument, 3), "nodes is NULL");
    if (tree->tierCount == 0) {
        writeNode(tree, 0, 0, &nodes[0]);
        return grzOk();
    }
    for (uint32_t level = 0; level < tree->view.levelCount; ++level) {
        Writing work = {tree, nodes + tree->view.levelStarts[level], tree->view.levelCount - level};
        grzParallelFor(tasks, tree->boxCounts[work.tier], GRAIN, writeBlock, &work);
    }
    return grzOk();
}

// ---- time ----

double grzKineticTree_Time(const grzKineticTree* tree) {
    return grzPlan_LastTime(tree->plan, tree->at);
}

double grzKineticTree_Horizon(const grzKineticTree* tree) {
    if (tree->tierCount == 0)
        return grzPlan_LastTime(tree->plan, grzPlan_End(tree->plan));
    double first = fmin(tree->knownEnd, grzPlan_End(tree->plan)) + tree->plan->tick;
    const uint32_t count = tree->partCount + (tree->top != NULL);
    for (uint32_t i = 0; i < count; ++i)
        first = fmin(first, grzEventQueue_First(&tree->parts[i].queue));
    return grzPlan_LastTime(tree->plan, first - tree->plan->tick);
}

// ---- checks ----

static bool isBad(const char* what, uint32_t tier, uint32_t box, uint32_t side) {
    grzLog(grz_logError, "a kinetic tree is broken: %s (tier %u, box %u, side %u)", what, tier, box, side);
    return false;
}

static bool isAhead(const grzKineticTree* tree, uint32_t side, uint32_t other, uint32_t first) {
    const int sign = grzPlan_Compare(tree->plan, axisOf(side), other, first, tree->at);
    return isUpper(side) ? sign > 0 : sign < 0;
}

static bool checkSide(const grzKineticTree* tree, uint32_t tier, uint32_t box, uint32_t side) {
    const uint32_t own = tree->realisers[tier][(size_t)box * KINETIC_SIDES + side];
    uint32_t vertices[GRZ_BVH_LEAF_VERTICES];
    uint32_t count = 0;
    bool isThere = false;
    if (tier == 0)
        count = grzKinetic_LeafRow(tree, box, vertices);
    else
        for (; count < childCount(tree, tier, box); ++count)
            vertices[count] =
                tree->realisers[tier - 1][((size_t)box * GRZ_BVH_WIDTH + count) * KINETIC_SIDES + side];
    for (uint32_t k = 0; k < count; ++k) {
        isThere = isThere || vertices[k] == own;
        if (vertices[k] != own && isAhead(tree, side, vertices[k], own))
            return isBad("a vertex is outside", tier, box, side);
    }
    return isThere || isBad("realised by a vertex of another box", tier, box, side);
}

static bool checkEvents(const grzKineticTree* tree) {
    const uint32_t count = tree->partCount + (tree->top != NULL);
    for (uint32_t i = 0; i < count; ++i)
        if (grzEventQueue_First(&tree->parts[i].queue) <= tree->at)
            return isBad("an event is due", tree->parts[i].tier, tree->parts[i].root, 0);
    return true;
}

bool grzKineticTree_Validate(const grzKineticTree* tree) {
    for (uint32_t tier = 0; tier < tree->tierCount; ++tier)
        for (uint32_t box = 0; box < tree->boxCounts[tier]; ++box)
            for (uint32_t side = 0; side < KINETIC_SIDES; ++side)
                if (!checkSide(tree, tier, box, side))
                    return false;
    return checkEvents(tree);
}
