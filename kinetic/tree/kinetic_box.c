// What: boxes from the vertices that realise them, the horizon, and all promises again, slowly.
#include <float.h>

#include "bvh_parts.h"
#include "check.h"
#include "kinetic_inside.h"
#include "plan_box_kernel.h"
#include "refuse_null.h"
#include "result_make.h"

static grzBox boxOf(const grzKineticTree* tree, uint32_t tier, uint32_t box) {
    const uint32_t* of = tree->realisers[tier] + realiserPlace(box, 0);
    float sides[KINETIC_SIDES];
    for (uint32_t side = 0; side < KINETIC_SIDES; ++side)
        sides[side] = grzPlan_Float(tree->plan, of[side * GRZ_BVH_WIDTH], axisOf(side), tree->at);
    return (grzBox){grzVec3_Make(sides[0], sides[1], sides[2]), grzVec3_Make(sides[3], sides[4], sides[5])};
}

grzBox grzKineticTree_Box(const grzKineticTree* tree, uint32_t level, uint32_t index) {
    GRZ_RETURN_IF_NULL(tree, (grzBox){0});
    return tree->tierCount == 0 ? grzBox_Empty() : boxOf(tree, tree->view.levelCount - level, index);
}

// ---- all of them ----

enum { GRAIN = 64 }; // nodes a task

typedef struct Writing {
    const grzKineticTree* tree;
    grzBvhNode* nodes;      // of a level
    uint32_t tier;          // of the boxes in them
    const PlanFrame* frame; // keyframes: this one; NULL: where the tree stands
} Writing;

static void writeFrames(const Writing* work, uint32_t begin, uint32_t end) {
    const grzFlightplan* plan = work->tree->plan;
    const double number = floor(work->tree->at), part = work->frame != NULL ? 0 : work->tree->at - number;
    const PlanFrame* from =
        work->frame != NULL ? work->frame : plan->frames.data + ((size_t)number - plan->firstFrame);
    const PlanFrame* to = part == 0 ? from : from + 1; // with part 0 the second has no say
    const PlanFrameBoxes job = {.realisers = work->tree->realisers[work->tier] + rowPlace(begin, 0),
                                .nodes = work->nodes + begin,
                                .from = from->positions,
                                .to = to->positions,
                                .fromStride = from->stride,
                                .toStride = to->stride,
                                .part = part};
    GRZ_PICK_KERNEL(grzPlanFrameBoxes)(&job, end - begin);
}

static void writeExactly(const grzKineticTree* tree, const uint32_t* of, uint32_t lanes, uint32_t side, float* to) {
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(left);
        to[k] = grzPlan_Float(tree->plan, of[k], axisOf(side), tree->at);
    }
}

static void writePaths(const Writing* work, uint32_t begin, uint32_t end) {
    const grzKineticTree* tree = work->tree;
    const PlanPathBoxes job = {.realisers = tree->realisers[work->tier] + rowPlace(begin, 0),
                               .nodes = work->nodes + begin,
                               .paths = tree->plan->paths.data,
                               .at = tree->at,
                               .shortest = PLAN_SHORT_TICKS * tree->plan->tick,
                               .isBent = tree->plan->isBent};
    uint8_t doubtful[GRAIN * KINETIC_SIDES];
    if (!GRZ_PICK_KERNEL(grzPlanPathBoxes)(&job, end - begin, doubtful))
        return;
    for (uint32_t i = 0; i < (end - begin) * KINETIC_SIDES; ++i) {
        grzBvhNode* node = &job.nodes[i / KINETIC_SIDES];
        const uint32_t side = i % KINETIC_SIDES;
        writeExactly(tree, job.realisers + (size_t)i * GRZ_BVH_WIDTH, doubtful[i], side,
                     isUpper(side) ? node->upper[axisOf(side)] : node->lower[axisOf(side)]);
    }
}

static void writeBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const Writing* work = context;
    if (work->tree->plan->kind == grz_planKeyframes)
        writeFrames(work, begin, end);
    else
        writePaths(work, begin, end);
}

// Lanes without a box are as a refit has them.
static void emptyLanes(grzBvhNode* node, uint32_t first) {
    for (int axis = 0; axis < 3; ++axis)
        for (uint32_t k = first; k < GRZ_BVH_WIDTH; ++k) {
            node->lower[axis][k] = FLT_MAX;
            node->upper[axis][k] = -FLT_MAX;
        }
}

static void writeAll(const grzKineticTree* tree, grzTasks* tasks, const PlanFrame* frame, grzBvhNode* nodes) {
    for (uint32_t level = 0; level < tree->view.levelCount; ++level) {
        const uint32_t tier = tree->view.levelCount - level, count = tree->boxCounts[tier];
        Writing work = {tree, nodes + tree->view.levelStarts[level], tier - 1, frame};
        grzParallelFor(tasks, count, GRAIN, writeBlock, &work);
        emptyLanes(&work.nodes[count - 1], childCount(tree, tier, count - 1));
    }
}

grzResult grzKineticTree_WriteBoxes(const grzKineticTree* tree, grzTasks* tasks, grzBvhNode* nodes) {
    GRZ_REFUSE_NULL(tree, 1);
    if (nodes == NULL)
        return grzBecause(grzFail(grz_badArgument, 3), "nodes is NULL");
    if (tree->tierCount == 0)
        emptyLanes(&nodes[0], 0);
    else
        writeAll(tree, tasks, NULL, nodes);
    return grzOk();
}

void grzKinetic_WriteAhead(const grzKineticTree* tree, grzTasks* tasks, const PlanFrame* frame, grzBvhNode* nodes) {
    const uint32_t* of = tree->realisers[tree->tierCount - 1];
    grzBvhNode* root = &nodes[tree->view.nodeCount];
    writeAll(tree, tasks, frame, nodes);
    for (uint32_t side = 0; side < KINETIC_SIDES; ++side) {
        const size_t axis = (size_t)axisOf(side);
        const float place = frame->positions[of[realiserPlace(0, side)] * frame->stride + axis];
        *(isUpper(side) ? &root->upper[axis][0] : &root->lower[axis][0]) = place;
    }
}

// ---- time ----

double grzKineticTree_Time(const grzKineticTree* tree) {
    GRZ_RETURN_IF_NULL(tree, 0);
    return grzPlan_LastTime(tree->plan, tree->at);
}

// Where it is not known, it may be the next tick.
static double firstEvent(const grzKineticTree* tree, const KineticPart* part) {
    if (tree->plan->kind == grz_planPaths)
        return grzEventQueue_First(&part->queue);
    return part->hasNoRoom ? tree->at + tree->plan->tick : frameTime(tree, grzFrameQueue_First(&part->frames));
}

double grzKinetic_FirstEvent(const grzKineticTree* tree) {
    double first = (double)INFINITY;
    const uint32_t count = tree->partCount + (tree->top != NULL);
    for (uint32_t i = 0; i < count; ++i)
        first = fmin(first, firstEvent(tree, partAt(tree, i)));
    return first;
}

double grzKineticTree_Horizon(const grzKineticTree* tree) {
    GRZ_RETURN_IF_NULL(tree, 0);
    if (tree->tierCount == 0)
        return grzPlan_LastTime(tree->plan, grzPlan_End(tree->plan));
    const double end = fmin(tree->knownEnd, grzPlan_End(tree->plan)) + tree->plan->tick;
    return grzPlan_LastTime(tree->plan, fmin(end, grzKinetic_FirstEvent(tree)) - tree->plan->tick);
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

static bool checkRow(const grzKineticTree* tree, EventPlace at, const uint32_t* row, uint32_t count, uint32_t own) {
    bool isThere = false;
    for (uint32_t k = 0; k < count; ++k) {
        isThere = isThere || row[k] == own;
        if (row[k] != own && isAhead(tree, at.side, row[k], own))
            return isBad("a vertex is outside", at.tier, at.box, at.side);
    }
    return isThere || isBad("realised by a vertex of another box", at.tier, at.box, at.side);
}

// The next event of a side, looked for once more. What is known may end here.
static bool checkFrameEvent(const grzKineticTree* tree, const KineticPart* part, EventPlace at, uint32_t own) {
    if (!grzKinetic_HasFrames(tree) || part->hasNoRoom)
        return true;
    const FrameSide* side = &tree->frameSides[at.side];
    const grzFrameQueue* queue = &part->frames;
    LeafVertices leaf;
    const FrameRow row = grzKinetic_RowOf(tree, part, at, &leaf);
    const FrameEvent next = grzFrameRow_Next(&row, side, own);
    const uint32_t slot = frameSlot(part, at.tier, at.box, at.side);
    if (!grzFrameQueue_IsMarked(queue, slot))
        return isinf(next.tick) || isBad("an event is not known of", at.tier, at.box, at.side);
    const uint32_t place = grzFrameQueue_PlaceOf(queue, slot);
    if (grzFrameQueue_Tick(queue, place) != next.tick)
        return isBad("an event is known for another time", at.tier, at.box, at.side);
    if (isinf(next.tick))
        return true;
    const uint32_t lane = queue->lanes[place];
    const uint32_t found = grzFrameRow_Vertex(&row, lane < row.count ? lane : 0);
    return (lane < row.count && grzFrameSide_EndsAhead(side, found, own) &&
            grzFrameSide_Passes(side, own, found) == next.tick &&
            !grzFrameSide_Leads(side, grzFrameRow_Vertex(&row, next.lane), found, next.tick)) ||
           isBad("an event is known of another vertex", at.tier, at.box, at.side);
}

static bool checkPathEvent(const grzKineticTree* tree, const KineticPart* part, EventPlace at, const uint32_t* row,
                           uint32_t count, uint32_t own) {
    double next = (double)INFINITY;
    for (uint32_t k = 0; k < count; ++k)
        if (row[k] != own)
            next = fmin(next, grzPlan_Overtakes(tree->plan, axisOf(at.side), isUpper(at.side) ? own : row[k],
                                                isUpper(at.side) ? row[k] : own, tree->at));
    return grzEventQueue_Time(&part->queue, eventSlot(part, at.tier, at.box, at.side)) == next ||
           isBad("an event is known for another time", at.tier, at.box, at.side);
}

static bool checkSide(const grzKineticTree* tree, const KineticPart* part, EventPlace at) {
    uint32_t leaf[GRZ_BVH_LEAF_VERTICES];
    const uint32_t count =
        at.tier == 0 ? grzKinetic_LeafRow(tree, at.box, leaf) : childCount(tree, at.tier, at.box);
    const uint32_t* row = at.tier == 0 ? leaf : tree->realisers[at.tier - 1] + rowPlace(at.box, at.side);
    const uint32_t own = tree->realisers[at.tier][realiserPlace(at.box, at.side)];
    if (!checkRow(tree, at, row, count, own))
        return false;
    return tree->plan->kind == grz_planPaths ? checkPathEvent(tree, part, at, row, count, own)
                                             : checkFrameEvent(tree, part, at, own);
}

static bool checkPart(const grzKineticTree* tree, const KineticPart* part) {
    for (uint32_t tier = part->bottom; tier <= part->tier; ++tier) {
        const uint32_t first = firstBox(part, tier), count = boxCount(tree, part, tier);
        for (uint32_t i = 0; i < count * KINETIC_SIDES; ++i)
            if (!checkSide(tree, part, (EventPlace){tier, first + i / KINETIC_SIDES, i % KINETIC_SIDES}))
                return false;
    }
    return firstEvent(tree, part) > tree->at || isBad("an event is due", part->tier, part->root, 0);
}

// The top has been told of all.
static bool checkTold(const grzKineticTree* tree) {
    for (uint32_t i = 0; tree->top != NULL && i < tree->partCount; ++i)
        for (uint32_t side = 0; side < KINETIC_SIDES; ++side)
            if (tree->seen[realiserPlace(i, side)] != tree->realisers[KINETIC_PART_TIER][realiserPlace(i, side)])
                return isBad("the top was not told", KINETIC_PART_TIER, i, side);
    return true;
}

bool grzKineticTree_Validate(const grzKineticTree* tree) {
    GRZ_RETURN_IF_NULL(tree, false);
    const char* flaw = grzKinetic_FlawOfTree(tree);
    if (flaw != NULL)
        return isBad(flaw, 0, 0, 0);
    const uint32_t count = tree->partCount + (tree->top != NULL);
    for (uint32_t i = 0; i < count; ++i)
        if (!checkPart(tree, partAt(tree, i)))
            return false;
    return checkTold(tree);
}
