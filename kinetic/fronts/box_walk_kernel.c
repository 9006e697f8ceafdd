// What: the kernels of box_walk_kernel.h.
// Holds: lists of B ascend, and so do the numbers of a flat; within one set the list of a box has no number below its own.
// Cost: opening a node of B is eight tests and seven stores without gaps; a child of A then takes six compares for sixteen boxes.
#include "box_walk_kernel.h"

#include "box_lanes.h"

static const int32_t laneNumbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};

void GRZ_KERNEL(grzBoxNodePose)(const BoxFrame* frame, const grzBvhNode* node, grzBvhNode* posed) {
    const BoxLanes own = loadBoxLanes(node), lanes = poseBoxLanes(frame, own);
    const grzM8 isThere = grzF8_LessEqual(own.lower[0], own.upper[0]);
    for (int axis = 0; axis < 3; ++axis) {
        grzF8_Store(posed->lower[axis], grzF8_Select(isThere, lanes.lower[axis], own.lower[axis]));
        grzF8_Store(posed->upper[axis], grzF8_Select(isThere, lanes.upper[axis], own.upper[axis]));
    }
}

static bool isThere(const grzBox* box) {
    return box->lower.x <= box->upper.x;
}

// ---- the boxes of B beside a box of A ----

// Those lanes of a node that meet the box.
GRZ_SIMD_INLINE void openNode(const BoxWalk* walk, const grzBvhNode* node, uint32_t number, const grzBox* box,
                              bool isPosed, BoxFlat* flat) {
    const BoxLanes own = loadBoxLanes(node), lanes = isPosed ? poseBoxLanes(&walk->frame, own) : own;
    const grzM8 meets = grzM8_And(meetBoxLanes(&lanes, box), grzF8_LessEqual(own.lower[0], own.upper[0]));
    const uint32_t at = flat->count;
    for (int axis = 0; axis < 3; ++axis) {
        grzF8_CompressStore(flat->sides[axis] + at, meets, lanes.lower[axis]);
        grzF8_CompressStore(flat->sides[3 + axis] + at, meets, lanes.upper[axis]);
    }
    const grzI8 numbers = grzI8_Add(grzI8_Set1((int32_t)(8 * number)), grzI8_Load(laneNumbers));
    flat->count += (uint32_t)grzI8_CompressStore((int32_t*)flat->numbers + at, meets, numbers);
}

static void openList(const BoxWalk* walk, uint32_t depthB, const uint32_t* list, uint32_t count, const grzBox* box,
                     BoxFlat* flat) {
    const grzBvhNode* level = walk->b.levels[depthB];
    flat->count = 0;
    if (walk->isPosed)
        for (uint32_t i = 0; i < count; ++i)
            openNode(walk, level + list[i], list[i], box, true, flat);
    else
        for (uint32_t i = 0; i < count; ++i)
            openNode(walk, level + list[i], list[i], box, false, flat);
    walk->found->opened += count;
    walk->found->tests += 8 * (uint64_t)count;
}

// B's root alone.
static void layRoot(const BoxWalk* walk, BoxFlat* flat) {
    const grzBox root = walk->b.root;
    BoxLanes lanes = {{grzF8_Set1(root.lower.x), grzF8_Set1(root.lower.y), grzF8_Set1(root.lower.z)},
                      {grzF8_Set1(root.upper.x), grzF8_Set1(root.upper.y), grzF8_Set1(root.upper.z)}};
    if (walk->isPosed)
        lanes = poseBoxLanes(&walk->frame, lanes);
    for (int axis = 0; axis < 3; ++axis) {
        grzF8_Store(flat->sides[axis], lanes.lower[axis]);
        grzF8_Store(flat->sides[3 + axis], lanes.upper[axis]);
    }
    flat->numbers[0] = 0;
    flat->count = 1;
}

// ---- the list of a child ----

// The numbers of those from `from` on that meet the box, to `list`, which may be written up to BOX_PAD beyond its end. What is read
// behind the last one is left out.
static uint32_t sift(const BoxFlat* flat, uint32_t from, const grzBox* box, uint32_t* list) {
    const grzF16 lower[3] = {grzF16_Set1(box->lower.x), grzF16_Set1(box->lower.y), grzF16_Set1(box->lower.z)};
    const grzF16 upper[3] = {grzF16_Set1(box->upper.x), grzF16_Set1(box->upper.y), grzF16_Set1(box->upper.z)};
    uint32_t count = 0;
    for (uint32_t i = from; i < flat->count; i += 16) {
        const uint32_t left = flat->count - i;
        grzM16 meets = grzM16_FromBits(left < 16 ? (1u << left) - 1 : 0xFFFFu);
        for (int axis = 0; axis < 3; ++axis) {
            meets = grzM16_And(meets, grzF16_LessEqual(grzF16_Load(flat->sides[axis] + i), upper[axis]));
            meets = grzM16_And(meets, grzF16_GreaterEqual(grzF16_Load(flat->sides[3 + axis] + i), lower[axis]));
        }
        count += (uint32_t)grzI16_CompressStore((int32_t*)list + count, meets,
                                                grzI16_Load((const int32_t*)flat->numbers + i));
    }
    return count;
}

static uint32_t firstFrom(const BoxFlat* flat, uint32_t number) {
    uint32_t i = 0;
    while (i < flat->count && flat->numbers[i] < number)
        ++i;
    return i;
}

static void addRow(const BoxWalk* walk, const BoxFlat* flat, uint32_t from, const grzBox* box, uint32_t number) {
    BoxFound* found = walk->found;
    if (grzBoxFound_Reserve(found, walk->allocator, flat->count - from))
        grzBoxFound_Add(found, number, sift(flat, from, box, found->numbers.data + found->numbers.count));
}

// The children of a box, beside the flat of its depth: boxes of B at depthB.
static void walkChildren(const BoxWalk* walk, uint32_t depthA, uint32_t depthB, uint32_t number) {
    const BoxFlat* flat = &walk->scratch->flats[depthA];
    for (uint32_t k = 0; k < GRZ_BVH_WIDTH && !walk->found->ranOut; ++k) {
        const uint32_t child = GRZ_BVH_WIDTH * number + k;
        grzBox box = grzBoxSide_Box(&walk->a, depthA + 1, child);
        const uint32_t from = walk->isSelf ? firstFrom(flat, child) : 0;
        if (!isThere(&box) || from == flat->count)
            continue;
        if (walk->skin > 0)
            box = grzBox_Widened(box, walk->skin);
        walk->found->tests += flat->count - from;
        if (depthA + 1 == walk->stop) {
            addRow(walk, flat, from, &box, child);
            continue;
        }
        uint32_t* list = walk->scratch->lists[depthA + 1];
        uint32_t count = sift(flat, from, &box, list);
        if (count != 0 && list[0] == child && grzBoxWalk_IsFree(walk, depthA + 1, child))
            ++list, --count;
        if (count == 0)
            continue;
        const bool isHigher = walk->a.levelCount - (depthA + 1) > walk->b.levelCount - depthB;
        BoxFlat* below = &walk->scratch->flats[depthA + 1];
        if (isHigher)
            layRoot(walk, below);
        else
            openList(walk, depthB, list, count, &box, below);
        if (below->count != 0)
            walkChildren(walk, depthA + 1, isHigher ? depthB : depthB + 1, child);
    }
}

// B alone goes down until its boxes stand as high as the children of A's box.
void GRZ_KERNEL(grzBoxWalk)(const BoxWalk* walk, const BoxPlace* place) {
    const uint32_t heightA = walk->a.levelCount - place->depthA;
    const grzBox box = grzBox_Widened(grzBoxSide_Box(&walk->a, place->depthA, place->number), walk->skin);
    BoxFlat* flat = &walk->scratch->flats[place->depthA];
    uint32_t* list = walk->scratch->lists[place->depthA];
    uint32_t depthB = place->depthB;
    const bool isFree = place->list[0] == place->number && grzBoxWalk_IsFree(walk, place->depthA, place->number);
    if (heightA > walk->b.levelCount - depthB)
        layRoot(walk, flat);
    else
        openList(walk, depthB++, place->list + isFree, place->count - isFree, &box, flat);
    for (; heightA <= walk->b.levelCount - depthB; ++depthB) {
        memcpy(list, flat->numbers, flat->count * sizeof *list);
        openList(walk, depthB, list, flat->count, &box, flat);
    }
    walkChildren(walk, place->depthA, depthB, place->number);
}
