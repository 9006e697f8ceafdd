// What: fronts of box pairs: the leaves and nodes that are near each other, while boxes move little.
// Promise: the pairs of a walk, to the byte.
// Idea: a walk with the boxes of A widened by a skin lists, for each leaf of A, the nodes of B's bottom level in
//   which a leaf is near. Until sides have moved by the skin, no other leaves can overlap. A call then tests these
//   nodes, eight leaves at a time, without a walk. The motion of sides is the difference between the boxes of the
//   leaves now and when the list was made. So anything may move in any manner, and a rebuilt hierarchy is a jump
//   like any other.
//
//     call    1        2        3  4  5  6       7        8  ...
//             walk,    build    ask              build    ask            watch: keep the boxes, to see how fast
//                                                                        they move
//             watch
//
//   A wide skin lasts long, and lists more. With leaves of size s and motion r in a call the cost is least near a
//   skin of the root of c s r, c about 3 on tori and sheets, of 6 k to 65 k triangles. A front that lasts less than
//   seven calls gains little. Its cost is compared with walks, in counted work. Where the front lost, or boxes are
//   too fast, it rests for one call, then for three, at most for 63. Then it watches again.
//
//   Proof: let sides be at most C, and move by at most m on A's side and n on B's. A pair that is not listed is
//   apart along an axis: float(upper + skin) < lower, or the same downward, of these leaves or of boxes that hold
//   them, and then, since rounding keeps order, of these leaves too. So lower - upper > skin - u (C + skin) before,
//   u = 2^-24, and now it is above 0 while m + n <= skin - u (C + skin). The motion is measured in float, less by u
//   of itself at most; 8u of both are asked for. Where leaves within a margin are pairs, too, the list is made with
//   skin and margin, and asked with the margin: three more roundings of C, skin and margin.
// Holds: only leaves are compared. Nodes above must hold them, as everywhere.
// Based on: [Verlet, Computer "Experiments" on Classical Fluids I, Physical Review 1967] for the skin, and
//   model_front.c for resting.
// Tried and lost: a slack for each pair of leaves, as model_front.c has. A walk tests a pair in 0.3 ns, and looking
//   a pair up again costs forty times that; at a thousandth of the size in a step one in seven is due. And a gap
//   for each leaf and node: only the nodes whose gap the motion may have closed are tested. These are 8,900 of
//   12,500 nodes in a call, on two tori of 65 k triangles, and choosing them takes as long as testing all.
#include "box_front.h"

#include <math.h>
#include <string.h>

#include "box_front_kernel.h"

enum {
    LONGEST_REST = 63,
    LEAST_CALLS = 7,   // that a skin must last
    MOTION_GRAIN = 64, // nodes
    SAMPLES = 64,      // nodes whose lanes tell the size of leaves
    // Work, in ns on a Zen 4 with AVX-512.
    WALK_WORK = 14, // for each node that is opened
    ROW_WORK = 6,
    NODE_WORK = 3,   // of a row
    MOTION_WORK = 4, // for each node of the bottom level
};

#define SKIN_FACTOR 3.0

void grzBoxFront_Forget(BoxFront* front) {
    front->taskCount = 0;
    front->leaves[0].count = front->leaves[1].count = 0;
    front->rest = front->restLength = 0;
}

// ---- leaves, then and now ----

typedef struct Leaves {
    const grzBvhNode* nodes;
    size_t count;
} Leaves;

static Leaves leavesOf(const grzBoxSet* set) {
    if (set->bvh == NULL)
        return (Leaves){NULL, 0};
    const grzBvhView view = grzBvh_GetView(set->bvh);
    const uint32_t bottom = grzBvhView_BottomStart(&view);
    return (Leaves){set->nodes + bottom, view.nodeCount - bottom};
}

typedef struct MotionJob {
    const grzBvhNode* now;
    grzBvhNode* then;
    size_t count;
    float* motions; // NULL: the nodes are kept
} MotionJob;

static void lookAtLeaves(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const MotionJob* job = context;
    if (job->motions == NULL)
        memcpy(job->then + begin, job->now + begin, (end - begin) * sizeof *job->then);
    else
        job->motions[begin / MOTION_GRAIN] =
            GRZ_PICK_KERNEL(grzBoxMotion)(job->then + begin, job->now + begin, end - begin);
}

static bool keepLeaves(grzBoxPairs* pairs, grzTasks* tasks, const grzBoxPairsQuery* query) {
    BoxFront* front = &pairs->front;
    const Leaves leaves[2] = {leavesOf(&query->a), leavesOf(&query->b)};
    front->taskCount = front->frames = 0;
    front->isSelf = query->b.bvh == NULL;
    for (int side = 0; side < 2; ++side) {
        Nodes* kept = &front->leaves[side];
        kept->count = 0;
        if (!grzArray_Reserve(kept, &pairs->memory.allocator, leaves[side].count))
            return false;
        MotionJob job = {leaves[side].nodes, kept->data, leaves[side].count, NULL};
        grzParallelFor(tasks, (uint32_t)job.count, MOTION_GRAIN, lookAtLeaves, &job);
        kept->count = job.count;
    }
    return true;
}

// Of one side. Negative where memory is refused.
static double motionOf(grzBoxPairs* pairs, grzTasks* tasks, const Leaves* leaves, int side) {
    BoxFront* front = &pairs->front;
    const uint32_t blocks = grzBlockCount((uint32_t)leaves->count, MOTION_GRAIN);
    if (!grzArray_Reserve(&front->motions, &pairs->memory.allocator, blocks))
        return -1;
    MotionJob job = {leaves->nodes, front->leaves[side].data, leaves->count, front->motions.data};
    grzParallelFor(tasks, (uint32_t)job.count, MOTION_GRAIN, lookAtLeaves, &job);
    float most = 0;
    for (uint32_t i = 0; i < blocks; ++i)
        most = job.motions[i] > most ? job.motions[i] : most;
    return (double)most;
}

static bool measureMotion(grzBoxPairs* pairs, grzTasks* tasks, const Leaves leaves[2]) {
    BoxFront* front = &pairs->front;
    const double ofA = motionOf(pairs, tasks, &leaves[0], 0);
    const double ofB = front->isSelf ? ofA : motionOf(pairs, tasks, &leaves[1], 1);
    front->motion = ofA + ofB;
    front->frames++;
    front->paid += MOTION_WORK * (double)(leaves[0].count + leaves[1].count);
    return ofA >= 0 && ofB >= 0;
}

// The mean of the longest sides of some leaves.
static double leafSize(const Leaves* leaves) {
    double sum = 0, count = 0;
    const size_t stride = leaves->count / SAMPLES + 1;
    for (size_t i = 0; i < leaves->count; i += stride)
        for (int lane = 0; lane < 8; ++lane) {
            double longest = -1;
            for (int axis = 0; axis < 3; ++axis)
                longest = fmax(longest, (double)leaves->nodes[i].upper[axis][lane] -
                                            (double)leaves->nodes[i].lower[axis][lane]);
            if (longest >= 0)
                sum += longest, count += 1;
        }
    return count != 0 ? sum / count : 0;
}

// ---- what to do ----

static BoxFrontStep beginRest(BoxFront* front) {
    const uint32_t length = 2 * front->restLength + 1;
    grzBoxFront_Forget(front);
    front->restLength = front->rest = length < LONGEST_REST ? length : LONGEST_REST;
    front->rest--; // of which this call is one
    return box_frontRests;
}

static bool isLoss(const BoxFront* front) {
    return front->taskCount != 0 && front->paid > front->frames * front->walkWork;
}

// A skin for what comes, or a rest.
static BoxFrontStep chooseSkin(BoxFront* front, const Leaves leaves[2]) {
    const double size = front->isSelf ? leafSize(&leaves[0]) : 0.5 * (leafSize(&leaves[0]) + leafSize(&leaves[1]));
    const double rate = fmax(front->motion / front->frames, 0x1p-10 * size);
    const double skin = sqrt(SKIN_FACTOR * size * rate);
    if (isLoss(front) || !(skin >= LEAST_CALLS * rate) || !isfinite(skin) || skin == 0)
        return beginRest(front);
    if (front->taskCount != 0)
        front->restLength = 0;
    front->skin = (float)skin;
    return box_frontBuilds;
}

BoxFrontStep grzBoxFront_Begin(grzBoxPairs* pairs, grzTasks* tasks, const grzBoxPairsQuery* query,
                               const BoxWalk* walk) {
    BoxFront* front = &pairs->front;
    const Leaves leaves[2] = {leavesOf(&query->a), leavesOf(&query->b)};
    if (walk->isPosed || walk->isCulled || grzBoxPairsQuery_IsLazy(query)) {
        grzBoxFront_Forget(front);
        return box_frontRests;
    }
    if (front->rest != 0) {
        front->rest--;
        return box_frontRests;
    }
    if (front->leaves[0].count != leaves[0].count || front->leaves[1].count != leaves[1].count ||
        front->isSelf != walk->isSelf || (front->taskCount != 0 && front->margin != walk->skin))
        return keepLeaves(pairs, tasks, query) ? box_frontWatches : box_frontRefused;
    if (!measureMotion(pairs, tasks, leaves))
        return box_frontRefused;
    const bool isGood =
        front->taskCount != 0 && front->motion * (1 + 0x1p-20) + front->rounding <= (double)front->skin;
    return isGood ? box_frontServes : chooseSkin(front, leaves);
}

// ---- what is near ----

// Of each row's leaves of B the nodes that hold them. Without a branch, since every third leaf or so begins another node.
static void thinRows(BoxFound* found) {
    const uint32_t* leaf = found->numbers.data;
    uint32_t* to = found->numbers.data;
    for (size_t i = 0; i < found->rows.count; ++i) {
        uint32_t *const first = to, last = UINT32_MAX;
        for (uint32_t k = 0; k < found->rows.data[i].count; ++k) {
            const uint32_t node = *leaf++ / GRZ_BVH_WIDTH;
            *to = node;
            to += node != last;
            last = node;
        }
        found->rows.data[i].count = (uint32_t)(to - first);
    }
    found->numbers.count = (size_t)(to - found->numbers.data);
}

static void thinTasks(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    BoxFront* front = context;
    for (uint32_t i = begin; i < end; ++i)
        thinRows(&front->rows.data[i]);
}

static double largest(const grzBox* box) {
    double most = 0;
    for (int axis = 0; axis < 3; ++axis)
        most = fmax(most,
                    fmax(fabs((double)grzVec3_Get(box->lower, axis)), fabs((double)grzVec3_Get(box->upper, axis))));
    return most;
}

void grzBoxFront_NoteWalk(grzBoxPairs* pairs) {
    pairs->front.walkWork = WALK_WORK * (double)pairs->stats.opened;
    pairs->front.buildWork = 0;
}

bool grzBoxFront_Build(grzBoxPairs* pairs, grzTasks* tasks, const grzBoxPairsQuery* query, const BoxWalk* walk) {
    BoxFront* front = &pairs->front;
    BoxWalk near = *walk;
    size_t taskCount;
    near.skin = front->skin + walk->skin;
    if (!keepLeaves(pairs, tasks, query) || !grzBoxPairs_Walk(pairs, tasks, query, &near, &front->rows, &taskCount))
        return false;
    grzParallelFor(tasks, (uint32_t)taskCount, 1, thinTasks, front);
    front->taskCount = taskCount;
    front->margin = walk->skin;
    front->rounding = 0x1p-21 * (fmax(largest(&walk->a.root), largest(&walk->b.root)) + (double)near.skin);
    const double work = WALK_WORK * (double)pairs->stats.opened;
    if (front->buildWork > 0)
        front->walkWork *= work / front->buildWork;
    front->buildWork = work;
    front->paid = work + MOTION_WORK * (double)(front->leaves[0].count + front->leaves[1].count);
    front->frames = 1;
    return true;
}

typedef struct Asking {
    grzBoxPairs* pairs;
    BoxWalk walk;
} Asking;

static void askRows(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const Asking* asking = context;
    BoxWalk walk = asking->walk;
    for (uint32_t i = begin; i < end; ++i) {
        walk.found = &asking->pairs->founds.data[i];
        GRZ_PICK_KERNEL(grzBoxRows)(&walk, &asking->pairs->front.rows.data[i]);
    }
}

bool grzBoxFront_Ask(grzBoxPairs* pairs, grzTasks* tasks, const BoxWalk* walk, size_t* taskCount) {
    BoxFront* front = &pairs->front;
    Asking asking = {pairs, *walk};
    *taskCount = front->taskCount;
    if (!grzBoxPairs_ReserveFounds(pairs, &pairs->founds, front->taskCount))
        return false;
    grzParallelFor(tasks, (uint32_t)front->taskCount, 1, askRows, &asking);
    for (size_t i = 0; i < front->taskCount; ++i) {
        const BoxFound* rows = &front->rows.data[i];
        front->paid += ROW_WORK * (double)rows->rows.count + NODE_WORK * (double)rows->numbers.count;
        if (pairs->founds.data[i].ranOut)
            return false;
    }
    return true;
}
