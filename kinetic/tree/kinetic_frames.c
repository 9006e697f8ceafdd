// What: from keyframe to keyframe, in all parts and in the top.
// Idea: a tree knows one interval at a time, from a look at the keyframe that ends it:
//
//     number - 1            number              number + 1
//         |----- known -------|                     |
//                             stand               open: refit of number + 1; what is outgrown is marked and settled
//
//   An ordered tree goes through all intervals. A batched one goes straight to the keyframe before the time asked for: a refit
//   of that one tells of each side whether its vertex is still the right one, whatever happened meanwhile, and where it is not,
//   which one is.
// Holds: at a keyframe that ends what is known there are no events.
// Cost: a refit, a comparison for each side and what is settled, for each keyframe that is looked at: the rows "at keyframes" and
//   "settled at keyframes" of graze-bench kinetic.
// Based on: [Zachmann and Weller 2006] section 8.2 and algorithm 3, which goes on from keyframe to keyframe for each event until
//   the two paths cross. We differ: events are known up to the next keyframe alone, since keyframes may not be there yet, and
//   since a refit of that one tells of most sides that they have no event. The batched order is ours.
#include "bvh_parts.h"
#include "kinetic_inside.h"

// ---- one keyframe ----

static const PlanFrame* frameAt(const grzKineticTree* tree, double number) {
    return tree->plan->frames.data + ((size_t)number - tree->plan->firstFrame);
}

static void setRoot(grzKineticTree* tree) {
    grzBvhNode* root = tree->nodes + tree->view.nodeCount;
    const grzBox box = grzBvh_RootBox(tree->nodes);
    for (int axis = 0; axis < 3; ++axis) {
        root->lower[axis][0] = grzVec3_Get(box.lower, axis);
        root->upper[axis][0] = grzVec3_Get(box.upper, axis);
    }
}

static void setSides(grzKineticTree* tree, double from, double to) {
    const PlanFrame *begin = frameAt(tree, from), *end = frameAt(tree, to);
    for (uint32_t side = 0; side < KINETIC_SIDES; ++side)
        tree->frameSides[side] = (FrameSide){.plan = tree->plan,
                                             .from = begin->positions + axisOf(side),
                                             .to = end->positions + axisOf(side),
                                             .fromStride = begin->stride,
                                             .toStride = end->stride,
                                             .number = from,
                                             .sign = isUpper(side) ? 1 : -1,
                                             .axis = axisOf(side)};
}

// The interval between two keyframes, or one of them alone, is what is looked at: `nodes` are of the latter.
static void look(grzKineticTree* tree, grzTasks* tasks, double from, double to) {
    const PlanFrame* end = frameAt(tree, to);
    setSides(tree, from, to);
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = end->positions;
    refit.stride = end->stride * sizeof(float);
    refit.numbering = tree->numbering;
    grzBvh_RefitKnown(tree->bvh, tasks, &refit, tree->nodes);
    setRoot(tree);
    tree->stats.intervals++;
}

// ---- standing at a keyframe ----

static void markPart(grzKineticTree* tree, KineticPart* part, double at) {
    (void)at;
    grzKinetic_MarkOutgrown(tree, part);
}

static void finishPart(grzKineticTree* tree, KineticPart* part, double at) {
    (void)at;
    grzKinetic_FinishPart(tree, part);
}

// What is marked is brought to where it is at the keyframe that was looked at last.
static void finish(grzKineticTree* tree, grzTasks* tasks, double number) {
    grzKinetic_RunEach(tree, tasks, number, finishPart);
    if (tree->top != NULL) {
        for (uint32_t i = 0; i < tree->partCount; ++i)
            grzKinetic_TellNow(tree, &tree->parts[i]);
        grzKinetic_FinishPart(tree, tree->top);
    }
    tree->at = tree->knownEnd = number;
}

// Straight to a keyframe, whatever happened before it.
static void standAt(grzKineticTree* tree, grzTasks* tasks, double number) {
    look(tree, tasks, number, number);
    grzKinetic_RunEach(tree, tasks, number, markPart);
    if (tree->top != NULL)
        grzKinetic_MarkOutgrown(tree, tree->top);
    finish(tree, tasks, number);
}

// ---- opening an interval ----

// All that a part does between two keyframes, or up to a time there, while what it reads is near.
static void openPart(grzKineticTree* tree, KineticPart* part, double until) {
    grzKinetic_MarkOutgrown(tree, part);
    part->hasNoRoom = !grzFrameQueue_Open(&part->frames, &tree->allocator);
    grzKinetic_SettleAll(tree, part, 0);
    if (part == tree->top)
        return;
    if (tree->top != NULL)
        grzKinetic_TellNow(tree, part);
    grzKinetic_GoOnPart(tree, part, until);
}

// The tree stands at knownEnd, after which there is a keyframe, and is brought on to a time up to that.
static void openInterval(grzKineticTree* tree, grzTasks* tasks, double until) {
    look(tree, tasks, tree->knownEnd, tree->knownEnd + 1);
    grzKinetic_RunEach(tree, tasks, until, openPart);
    if (tree->top != NULL)
        openPart(tree, tree->top, until);
    grzKinetic_GoOnTop(tree, until);
    tree->knownEnd++;
    tree->at = until;
}

// ---- on in time ----

// Every side is given some vertex of its box: the first.
static void beginSomewhere(grzKineticTree* tree) {
    uint32_t vertices[GRZ_BVH_LEAF_VERTICES];
    for (uint32_t tier = 0; tier < tree->tierCount; ++tier)
        for (uint32_t box = 0; box < tree->boxCounts[tier]; ++box) {
            grzKinetic_LeafRow(tree, box << 3 * tier, vertices);
            for (uint32_t side = 0; side < KINETIC_SIDES; ++side)
                tree->realisers[tier][realiserPlace(box, side)] = vertices[0];
        }
}

void grzKinetic_LookAtFrames(grzKineticTree* tree, grzTasks* tasks, double at) {
    beginSomewhere(tree);
    standAt(tree, tasks, floor(at));
    if (tree->knownEnd < grzPlan_End(tree->plan))
        openInterval(tree, tasks, at);
}

static void goToEnd(grzKineticTree* tree, grzTasks* tasks) {
    if (tree->at == tree->knownEnd)
        return;
    if (tree->order == grz_kineticOrdered)
        grzKinetic_GoTo(tree, tasks, tree->knownEnd);
    else
        finish(tree, tasks, tree->knownEnd);
}

bool grzKinetic_HasFrames(const grzKineticTree* tree) {
    if (tree->at == tree->knownEnd)
        return false;
    const FrameSide* side = &tree->frameSides[0];
    const PlanFrame *begin = frameAt(tree, side->number), *end = frameAt(tree, tree->knownEnd);
    return side->from == begin->positions && side->fromStride == begin->stride && side->to == end->positions &&
           side->toStride == end->stride;
}

// Keyframes may have come to lie elsewhere since the last call.
void grzKinetic_GoOnFrames(grzKineticTree* tree, grzTasks* tasks, double at) {
    if (tree->at < tree->knownEnd)
        setSides(tree, tree->frameSides[0].number, tree->knownEnd);
    if (tree->order == grz_kineticBatched && floor(at) > tree->knownEnd)
        standAt(tree, tasks, floor(at));
    while (at > tree->knownEnd) {
        goToEnd(tree, tasks);
        openInterval(tree, tasks, fmin(at, tree->knownEnd + 1));
    }
    if (at == tree->knownEnd)
        goToEnd(tree, tasks);
    else
        grzKinetic_GoTo(tree, tasks, at);
}
