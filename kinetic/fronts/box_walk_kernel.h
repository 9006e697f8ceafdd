// What: a walk through two hierarchies with boxes. One of them may stand under a pose.
// Idea: A is walked depth first. Beside a box of A stands a list of the boxes of B at the same height above the
//   leaves that overlap it. One step goes down a level on both sides. It opens all nodes of the list, and lays the
//   lanes that overlap A's box side by side, without gaps. It tests each child of A's box against these, eight at a
//   time. The lanes that overlap are the child's list. Lists ascend, so leaf pairs come out in order, and nothing
//   is sorted.
//
//     A's box         [a]                 list of B     4  7
//                      |                                |  |
//     its children    [a0] ... [a7]       opened       32 33 36 38 56 57 ...    those that overlap a
//                                         of a0           33 36                 its list, and so on
//
//   If the trees differ in height, the higher one is walked alone until the other's root stands at the same height.
// See kernel.h for how it is built and picked.
#ifndef GRAZE_KINETIC_BOX_WALK_KERNEL_H
#define GRAZE_KINETIC_BOX_WALK_KERNEL_H

#include "graze/bvh.h"

#include "array.h"
#include "box_frame.h"
#include "kernel.h"

enum {
    BOX_PAD = 16,                        // numbers that may be written, or read, behind the last one of a list
    BOX_DEPTHS = GRZ_BVH_MAX_LEVELS + 1, // the root's box is at depth 0, leaves at depth levelCount
};

typedef struct BoxSide {
    const grzBvhNode* levels[GRZ_BVH_MAX_LEVELS]; // the nodes of each level
    uint32_t levelCount;
    grzBox root; // of B in its own frame
} BoxSide;

typedef struct BoxNumbers {
    GRZ_ARRAY(uint32_t);
} BoxNumbers;

// Boxes of B side by side; there is place for BOX_PAD more in each array.
typedef struct BoxFlat {
    float* sides[6]; // lower x y z, upper x y z
    uint32_t* numbers;
    uint32_t count;
} BoxFlat;

// Scratch of one worker: by depth of A, the boxes beside a box, and the list of them that a child keeps.
typedef struct BoxScratch {
    BoxFlat flats[BOX_DEPTHS];
    uint32_t* lists[BOX_DEPTHS];
} BoxScratch;

// A box of A, and how many boxes of B overlap it.
typedef struct BoxRow {
    uint32_t number, count;
} BoxRow;

typedef struct BoxRows {
    GRZ_ARRAY(BoxRow);
} BoxRows;

// The results of a walk: the boxes of A at the depth where it stops, and the lists of their boxes of B, one behind
// the other.
typedef struct BoxFound {
    BoxRows rows;
    BoxNumbers numbers;
    uint64_t opened, tests;
    bool ranOut;
} BoxFound;

// Takes memory for one more row of up to `count` numbers. Returns false, and notes it, where memory is refused.
static inline bool grzBoxFound_Reserve(BoxFound* found, const grzAllocator* allocator, size_t count) {
    const size_t wanted = found->numbers.count + count + BOX_PAD;
    if (wanted <= found->numbers.capacity && found->rows.count < found->rows.capacity)
        return true;
    found->ranOut = found->ranOut || !grzArray_Reserve(&found->numbers, allocator, wanted) ||
                    !grzArray_Reserve(&found->rows, allocator, found->rows.count + 1);
    return !found->ranOut;
}

// Adds a row. Its numbers lie behind the others already.
static inline void grzBoxFound_Add(BoxFound* found, uint32_t number, uint32_t count) {
    if (count != 0)
        found->rows.data[found->rows.count++] = (BoxRow){number, count};
    found->numbers.count += count;
}

static inline grzBox grzBoxSide_Box(const BoxSide* side, uint32_t depth, uint32_t number) {
    if (depth == 0)
        return side->root;
    const grzBvhNode* node = side->levels[depth - 1] + number / GRZ_BVH_WIDTH;
    const uint32_t k = number % GRZ_BVH_WIDTH;
    return grzBox_Make(grzVec3_Make(node->lower[0][k], node->lower[1][k], node->lower[2][k]),
                       grzVec3_Make(node->upper[0][k], node->upper[1][k], node->upper[2][k]));
}

typedef struct BoxWalk {
    BoxSide a, b;
    BoxFrame frame;
    bool isPosed, isSelf;
    // Within one set, if isCulled: not 0 where a node cannot meet itself.
    const uint32_t* freeLevels[GRZ_BVH_MAX_LEVELS];
    bool isCulled;
    float skin;    // by which boxes of A are widened: the query's margin plus a front's skin
    uint32_t stop; // the depth of A: a.levelCount, where leaves are, or less
    const grzAllocator* allocator;
    BoxScratch* scratch;
    BoxFound* found;
} BoxWalk;

static inline grzBox grzBox_Widened(grzBox box, float skin) {
    const grzVec3 by = grzVec3_Splat(skin);
    return grzBox_Make(grzSub(box.lower, by), grzAdd(box.upper, by));
}

// Returns whether leaves below a box at a depth make no pairs with each other.
static inline bool grzBoxWalk_IsFree(const BoxWalk* walk, uint32_t depth, uint32_t number) {
    return walk->isCulled && depth < walk->a.levelCount && walk->freeLevels[depth][number] != 0;
}

// The begin of a walk: a box of A, by depth and number, and boxes of B beside it, at one depth.
typedef struct BoxPlace {
    uint32_t depthA, depthB;
    uint32_t number, count;
    const uint32_t* list;
} BoxPlace;

GRZ_DECLARE_KERNEL(void, grzBoxWalk, (const BoxWalk* walk, const BoxPlace* place));

// Writes a node of B as it is under the pose.
GRZ_DECLARE_KERNEL(void, grzBoxNodePose, (const BoxFrame* frame, const grzBvhNode* node, grzBvhNode* posed));

#endif
