// What: which of some pairs of leaves are within the margin at the time of the upkeeps.
// Idea: the leaves that are in some pair are brought together; the box of each is made once, from its vertices, or read. Then each pair is
//   looked at.
// Holds: boxes are those of a refit, so that the pairs are those of a traversal: floats, compared as box_walk_kernel.c does.
// Threads: a word of leaves, and a block of pairs, is written by one.
#include <math.h>
#include <string.h>

#include "plan_kernel.h"
#include "upkeep_pairs_inside.h"

enum {
    WORDS = 4,    // of leaves, a task
    BLOCK = 1024, // pairs
};

// ---- the box of a leaf ----

typedef struct LeafPlaces {
    float at[GRZ_BVH_LEAF_VERTICES][3];
} LeafPlaces;

static void gather(const grzChordTree* tree, uint32_t leaf, uint32_t count, const PlanFrame* frame,
                   LeafPlaces* to) {
    for (uint32_t k = 0; k < count; ++k)
        memcpy(to->at[k], frame->positions + grzChord_LeafVertex(tree, leaf, k) * frame->stride, sizeof to->at[k]);
}

// From the plan, at the time of the tree.
static grzBox chordLeafBox(const grzChordTree* tree, uint32_t leaf) {
    const uint32_t count = tree->view.leafVertexCounts[leaf];
    const double number = floor(tree->at), part = tree->at - number;
    const PlanFrame* frame = grzChord_Frame(tree, number);
    LeafPlaces places, next;
    grzBox box = grzBox_Empty();
    gather(tree, leaf, count, frame, &places);
    if (part != 0) {
        gather(tree, leaf, count, frame + 1, &next);
        GRZ_PICK_KERNEL(grzPlanBlend)(places.at[0], next.at[0], 3 * count, part, places.at[0]);
    }
    for (uint32_t k = 0; k < count; ++k)
        box = grzBox_AddPoint(box, grzVec3_Load(places.at[k]));
    return box;
}

static grzBox nodeLeafBox(const grzBvhNode* nodes, const grzBvhView* view, uint32_t leaf) {
    const grzBvhNode* node = nodes + grzBvhView_BottomStart(view) + leaf / GRZ_BVH_WIDTH;
    const uint32_t k = leaf % GRZ_BVH_WIDTH;
    return grzBox_Make(grzVec3_Make(node->lower[0][k], node->lower[1][k], node->lower[2][k]),
                       grzVec3_Make(node->upper[0][k], node->upper[1][k], node->upper[2][k]));
}

// As a search by boxes turns it.
static grzBox poseBox(const BoxFrame* frame, grzBox box) {
    const float lower[3] = {box.lower.x, box.lower.y, box.lower.z},
                upper[3] = {box.upper.x, box.upper.y, box.upper.z};
    grzBvhNode node;
    for (int axis = 0; axis < 3; ++axis)
        for (uint32_t k = 0; k < GRZ_BVH_WIDTH; ++k)
            node.lower[axis][k] = lower[axis], node.upper[axis][k] = upper[axis];
    GRZ_PICK_KERNEL(grzBoxNodePose)(frame, &node, &node);
    return grzBox_Make(grzVec3_Make(node.lower[0][0], node.lower[1][0], node.lower[2][0]),
                       grzVec3_Make(node.upper[0][0], node.upper[1][0], node.upper[2][0]));
}

// The one that a search by boxes has.
void grzPairSearch_TakeFrame(PairSearch* search, BoxFrame* frame) {
    const grzBox root = search->pose != NULL ? grzBvh_RootBox(grzPairSide_Nodes(search->sides[1])) : grzBox_Empty();
    if (!grzBox_IsEmpty(root) && grzBoxFrame_Make(search->pose, &root, frame))
        search->frame = frame;
}

grzBox grzPairSide_LeafBox(const PairSide* side, const BoxFrame* frame, uint32_t leaf) {
    const grzBvhView view = grzBvh_GetView(side->bvh);
    const grzUpkeep* upkeep = side->given.upkeep;
    const grzBox box = grzPairSide_IsChord(side) ? chordLeafBox(upkeep->chord, leaf)
                                                 : nodeLeafBox(grzPairSide_Nodes(side), &view, leaf);
    return frame != NULL ? poseBox(frame, box) : box;
}

// ---- leaves in pairs ----

static bool clearLeaves(PairSide* side, const grzAllocator* allocator) {
    const size_t words = (size_t)grzBvh_GetView(side->bvh).leafCount / 64 + 1;
    PairLeafSet* set = &side->at;
    if (!grzArray_Reserve(&set->bits, allocator, words) || !grzArray_Reserve(&set->before, allocator, words))
        return false;
    memset(set->bits.data, 0, words * sizeof *set->bits.data);
    set->bits.count = set->before.count = words;
    return true;
}

static void addLeaf(PairLeafSet* set, uint32_t leaf) {
    set->bits.data[leaf / 64] |= (uint64_t)1 << leaf % 64;
}

static bool countLeaves(PairLeafSet* set, const grzAllocator* allocator) {
    uint32_t count = 0;
    for (size_t w = 0; w < set->bits.count; ++w) {
        set->before.data[w] = count;
        count += (uint32_t)__builtin_popcountll(set->bits.data[w]);
    }
    return grzArray_Reserve(&set->boxes, allocator, count);
}

static const grzBox* boxOf(const PairLeafSet* set, uint32_t leaf) {
    const uint64_t below = set->bits.data[leaf / 64] & (((uint64_t)1 << leaf % 64) - 1);
    return &set->boxes.data[set->before.data[leaf / 64] + (uint32_t)__builtin_popcountll(below)];
}

typedef struct LeavesJob {
    PairSide* side;
    const BoxFrame* frame;
} LeavesJob;

static void fitLeaves(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const LeavesJob* job = context;
    PairLeafSet* set = &job->side->at;
    for (uint32_t w = begin; w < end; ++w) {
        grzBox* to = set->boxes.data + set->before.data[w];
        for (uint64_t bits = set->bits.data[w]; bits != 0; bits &= bits - 1)
            *to++ = grzPairSide_LeafBox(job->side, job->frame, 64 * w + (uint32_t)__builtin_ctzll(bits));
    }
}

static bool takeLeaves(const PairSearch* search, grzTasks* tasks, const grzLeafPair* from, size_t count) {
    grzUpkeepPairs* pairs = search->pairs;
    const grzAllocator* allocator = &pairs->memory.allocator;
    PairSide *a = search->sides[0], *b = search->sides[1];
    if (!clearLeaves(a, allocator) || (a != b && !clearLeaves(b, allocator)))
        return false;
    for (size_t i = 0; i < count; ++i) {
        addLeaf(&a->at, from[i].leafA);
        addLeaf(&b->at, from[i].leafB);
    }
    if (!countLeaves(&a->at, allocator) || (a != b && !countLeaves(&b->at, allocator)))
        return false;
    for (int i = 0; i < (a != b ? 2 : 1); ++i) {
        LeavesJob job = {search->sides[i], i == 1 ? search->frame : NULL};
        grzParallelFor(tasks, (uint32_t)job.side->at.bits.count, WORDS, fitLeaves, &job);
    }
    return true;
}

// ---- pairs ----

typedef struct SiftJob {
    const PairSearch* search;
    const grzLeafPair* from;
} SiftJob;

// Each block to its own place, where it may end early.
static void siftBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const SiftJob* job = context;
    const PairLeafSet *a = &job->search->sides[0]->at, *b = &job->search->sides[1]->at;
    const float margin = job->search->query->margin;
    grzLeafPair* const first = job->search->pairs->leaves.data + begin;
    grzLeafPair* to = first;
    for (uint32_t i = begin; i < end; ++i) {
        *to = job->from[i];
        to += grzBox_Overlap(grzBox_Widened(*boxOf(a, to->leafA), margin), *boxOf(b, to->leafB));
    }
    job->search->pairs->counts.data[begin / BLOCK] = (uint64_t)(to - first);
}

static void joinBlocks(grzUpkeepPairs* pairs, size_t blocks) {
    grzLeafPair* to = pairs->leaves.data;
    for (size_t i = 0; i < blocks; ++i) {
        const size_t count = (size_t)pairs->counts.data[i];
        if (count != 0)
            memmove(to, pairs->leaves.data + i * BLOCK, count * sizeof *to);
        to += count;
    }
    pairs->leaves.count = (size_t)(to - pairs->leaves.data);
}

bool grzUpkeepPairs_Tighten(const PairSearch* search, grzTasks* tasks, const grzLeafPair* from, size_t count) {
    grzUpkeepPairs* pairs = search->pairs;
    const grzAllocator* allocator = &pairs->memory.allocator;
    const size_t blocks = count / BLOCK + 1;
    SiftJob job = {search, from};
    if (!grzArray_Reserve(&pairs->leaves, allocator, count + 1) ||
        !grzArray_Reserve(&pairs->counts, allocator, blocks) || !takeLeaves(search, tasks, from, count))
        return false;
    pairs->counts.data[blocks - 1] = 0;
    grzParallelFor(tasks, (uint32_t)count, BLOCK, siftBlock, &job);
    joinBlocks(pairs, blocks);
    return true;
}
