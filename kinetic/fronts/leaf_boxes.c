// What: pairs of leaves whose boxes overlap at a time (graze/stage/leaf_triangles.h).
// Idea: pairs that are known to overlap are not looked at. For a side with a plan the kernel of a refit makes the
//   boxes of the nodes that have leaves in question. Then a bit is found for each pair, and the pairs are written
//   by bits.
// Holds: all memory is there before the first pair is written.
// Threads: a task marks, tests and writes words of its own; one task makes a node.
#include <math.h>
#include <string.h>

#include "bvh_refit_kernel.h"
#include "leaf_boxes_kernel.h"
#include "leaf_triangles_inside.h"
#include "refuse_null.h"
#include "result_make.h"

#define QUERY_MARK 0x5142464Cu

enum {
    WORD_GRAIN = 64, // words of 64 pairs a task
    NODE_GRAIN = 16, // words of 64 leaves a task
};

grzLeafBoxesQuery grzDefaultLeafBoxesQuery(void) {
    grzLeafBoxesQuery query;
    memset(&query, 0, sizeof query);
    query.mark = QUERY_MARK;
    query.a.numbering = query.b.numbering = grz_bvhCallersNumbers;
    return query;
}

// ---- the query ----

static const char* flawOfSide(const grzLeafBoxesSide* side) {
    if (side->bvh == NULL)
        return side->nodes != NULL || side->plan != NULL ? "a side has nodes or a plan, but no hierarchy" : NULL;
    if ((side->nodes == NULL) == (side->plan == NULL))
        return "a side needs either nodes or a plan, not both";
    if (side->plan == NULL)
        return NULL;
    if (side->numbering != grz_bvhTreesNumbers && side->numbering != grz_bvhCallersNumbers)
        return "the numbering of a side is unknown";
    return grzLeafTriangles_FlawOfPlan(side->plan, side->bvh, side->time);
}

const char* grzLeafBoxes_FlawOf(const grzLeafBoxesQuery* query) {
    if (query == NULL || query->mark != QUERY_MARK)
        return "the query was not made by grzDefaultLeafBoxesQuery";
    if (query->a.bvh == NULL)
        return "a has no hierarchy: a.bvh is NULL";
    if (query->pairs == NULL && query->count != 0)
        return "pairs is NULL, but count is not 0";
    if (query->poseB != NULL && query->b.nodes == NULL)
        return "poseB is set, but b has no nodes";
    if (query->margin < 0 || query->margin == INFINITY)
        return "the margin is negative or infinite";
    const char* flaw = flawOfSide(&query->a);
    return flaw != NULL ? flaw : flawOfSide(&query->b);
}

grzResult grzLeafBoxes_TakeFrame(const grzLeafBoxesQuery* query, BoxFrame* frame) {
    if (isnan(query->margin))
        return grzBecause(grzFail(grz_notFinite, 3), "the margin is NaN");
    if (query->poseB != NULL && !grzTransform_IsFinite(*query->poseB))
        return grzBecause(grzFail(grz_notFinite, 3), "poseB has a NaN or an infinity");
    const grzBox root = query->poseB != NULL ? grzBvh_RootBox(query->b.nodes) : grzBox_Empty();
    if (!grzBox_IsEmpty(root) && !grzBoxFrame_Make(query->poseB, &root, frame))
        return grzBecause(grzFail(grz_badArgument, 3), "poseB, or a box beside it, has numbers above 2^60");
    return grzOk();
}

typedef struct Finding {
    grzLeafTriangles* triangles;
    const grzLeafBoxesQuery* query;
    const grzLeafBoxesSide* sides[2]; // self: twice the same
    grzBvhView views[2];
    const grzBvhNode* bottoms[2]; // nodes of the bottom level
    BoxFrame frame;               // where there is a pose
    uint32_t words;               // of pairs
    bool isSelf;
    grzLeafTrianglesStats stats;
} Finding;

static Finding findingOf(grzLeafTriangles* triangles, const grzLeafBoxesQuery* query) {
    Finding finding = {.triangles = triangles, .query = query, .isSelf = query->b.bvh == NULL};
    finding.words = (uint32_t)((query->count + 63) / 64);
    for (int side = 0; side < 2; ++side) {
        finding.sides[side] = side == 0 || finding.isSelf ? &query->a : &query->b;
        finding.views[side] = grzBvh_GetView(finding.sides[side]->bvh);
    }
    return finding;
}

static bool takeMemory(const Finding* finding) {
    LeafBoxes* boxes = &finding->triangles->boxes;
    const grzAllocator* allocator = &finding->triangles->memory.allocator;
    for (int side = 0; side < (finding->isSelf ? 1 : 2); ++side) {
        const grzBvhView* view = &finding->views[side];
        const size_t words = (size_t)view->leafCount / 64 + 1;
        if (finding->sides[side]->plan == NULL)
            continue;
        if (!grzArray_Reserve(&boxes->reached[side], allocator, words) ||
            !grzArray_Reserve(&boxes->nodes[side], allocator, view->nodeCount - grzBvhView_BottomStart(view)))
            return false;
        boxes->reached[side].count = words;
        memset(boxes->reached[side].data, 0, words * sizeof *boxes->reached[side].data);
    }
    return grzArray_Reserve(&boxes->looks, allocator, finding->words) &&
           grzArray_Reserve(&boxes->found, allocator, finding->words) &&
           grzArray_Reserve(&boxes->starts, allocator, (size_t)finding->words + 1);
}

// ---- what is looked at ----

static uint64_t askedOf(const Finding* finding, uint32_t w) {
    const size_t left = finding->query->count - 64 * (size_t)w;
    const uint64_t all = left >= 64 ? UINT64_MAX : (UINT64_C(1) << left) - 1;
    return finding->query->asked != NULL ? finding->query->asked[w] & all : all;
}

static uint64_t knownOf(const Finding* finding, uint32_t w) {
    return finding->query->known != NULL ? finding->query->known[w] & askedOf(finding, w) : 0;
}

// All leaves of the node, since they are made together.
static void reach(LeafBits* reached, uint32_t leaf) {
    const uint32_t node = leaf / GRZ_BVH_WIDTH;
    reached->data[node / 8] |= UINT64_C(0xFF) << 8 * (node % 8);
}

typedef struct Looking {
    const grzLeafPair* pairs;
    uint32_t counts[2];   // of leaves
    LeafBits* reached[2]; // NULL: boxes are given
} Looking;

static Looking lookingOf(const Finding* finding) {
    Looking looking = {.pairs = finding->query->pairs};
    for (int side = 0; side < 2; ++side) {
        looking.counts[side] = finding->views[side].leafCount;
        if (finding->sides[side]->plan != NULL)
            looking.reached[side] = &finding->triangles->boxes.reached[finding->isSelf ? 0 : side];
    }
    return looking;
}

// False where a leaf is none.
static bool lookAtPair(const Looking* looking, const grzLeafPair* pair) {
    if (pair->leafA >= looking->counts[0] || pair->leafB >= looking->counts[1])
        return false;
    if (looking->reached[0] != NULL)
        reach(looking->reached[0], pair->leafA);
    if (looking->reached[1] != NULL)
        reach(looking->reached[1], pair->leafB);
    return true;
}

static grzResult listLooks(const Finding* finding) {
    const Looking looking = lookingOf(finding);
    for (uint32_t w = 0; w < finding->words; ++w) {
        const uint64_t looks = askedOf(finding, w) & ~knownOf(finding, w);
        finding->triangles->boxes.looks.data[w] = looks;
        for (uint64_t bits = looks; bits != 0; bits &= bits - 1) {
            const size_t i = 64 * (size_t)w + (size_t)__builtin_ctzll(bits);
            const grzLeafPair* pair = &looking.pairs[i];
            if (!lookAtPair(&looking, pair))
                return grzFailAt(grz_indexTooLarge, grz_partElement, i,
                                 pair->leafA >= looking.counts[0] ? pair->leafA : pair->leafB);
        }
    }
    return grzOk();
}

// ---- boxes ----

typedef struct Fitting {
    const LeafBits* reached;
    BvhRefitJob job;
    uint32_t nodeCount; // of the bottom level
} Fitting;

static void fitWords(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const Fitting* work = context;
    grzBvhRefitAside_Fn* refit = GRZ_PICK_KERNEL(grzBvhRefitAside);
    BvhBox box;
    for (uint32_t w = begin; w < end; ++w)
        for (uint32_t node = 8 * w; node < 8 * w + 8 && node < work->nodeCount; ++node)
            if ((work->reached->data[w] >> 8 * (node % 8) & 1) != 0)
                refit(&work->job, node, &work->job.nodes[node], &box);
}

// How many leaves a side's reached nodes have; bits behind the last leaf are taken away.
static uint32_t countReached(LeafBits* reached, uint32_t leafCount) {
    uint32_t count = 0;
    reached->data[leafCount / 64] &= (UINT64_C(1) << leafCount % 64) - 1;
    for (size_t w = 0; w < reached->count; ++w)
        count += (uint32_t)__builtin_popcountll(reached->data[w]);
    return count;
}

static bool fitSide(Finding* finding, grzTasks* tasks, int side) {
    const grzLeafBoxesSide* given = finding->sides[side];
    const grzBvhView* view = &finding->views[side];
    grzLeafTriangles* triangles = finding->triangles;
    LeafBits* reached = &triangles->boxes.reached[side];
    if (given->plan == NULL) {
        finding->bottoms[side] = given->nodes + grzBvhView_BottomStart(view);
        return true;
    }
    const LeafPlacesQuery query = {.view = *view,
                                   .plan = given->plan,
                                   .time = given->time,
                                   .map = given->numbering == grz_bvhCallersNumbers ? view->vertexToCaller : NULL,
                                   .leaves = reached->data,
                                   .count = countReached(reached, view->leafCount)};
    if (!grzLeafPlaces_Find(&triangles->places[side], &triangles->memory.allocator, tasks, &query))
        return false;
    Fitting work = {reached,
                    {.bvh = given->bvh,
                     .start = triangles->places[side].positions.data,
                     .stride = 3,
                     .map = query.map,
                     .nodes = triangles->boxes.nodes[side].data},
                    view->nodeCount - grzBvhView_BottomStart(view)};
    grzParallelFor(tasks, (uint32_t)reached->count, NODE_GRAIN, fitWords, &work);
    finding->bottoms[side] = work.job.nodes;
    finding->stats.leaves += query.count;
    finding->stats.evaluated += triangles->places[side].evaluated;
    return true;
}

static bool fitSides(Finding* finding, grzTasks* tasks) {
    if (!fitSide(finding, tasks, 0) || (!finding->isSelf && !fitSide(finding, tasks, 1)))
        return false;
    if (finding->isSelf)
        finding->bottoms[1] = finding->bottoms[0];
    return true;
}

// ---- pairs ----

static void testWords(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const Finding* finding = context;
    const LeafBoxes* boxes = &finding->triangles->boxes;
    const LeafBoxesJob job = {finding->bottoms[0],
                              finding->bottoms[1],
                              finding->query->pairs,
                              boxes->looks.data,
                              finding->query->poseB != NULL ? &finding->frame : NULL,
                              finding->query->margin};
    GRZ_PICK_KERNEL(grzLeafBoxesTest)(&job, begin, end, boxes->found.data);
    for (uint32_t w = begin; w < end; ++w) {
        boxes->found.data[w] |= knownOf(finding, w);
        boxes->starts.data[w] = (uint32_t)__builtin_popcountll(boxes->found.data[w]);
    }
}

static size_t sumStarts(const Finding* finding) {
    uint32_t* starts = finding->triangles->boxes.starts.data;
    uint32_t sum = 0;
    for (uint32_t w = 0; w < finding->words; ++w) {
        const uint32_t count = starts[w];
        starts[w] = sum;
        sum += count;
    }
    starts[finding->words] = sum;
    return sum;
}

static void writeWords(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const Finding* finding = context;
    const LeafBoxes* boxes = &finding->triangles->boxes;
    const uint32_t start = boxes->starts.data[begin];
    GRZ_PICK_KERNEL(grzLeafPairsTake)
    (finding->query->pairs + 64 * (size_t)begin, boxes->found.data + begin, end - begin, boxes->pairs.data + start,
     boxes->starts.data[end] - start);
}

grzResult grzLeafTriangles_FindLeaves(grzLeafTriangles* triangles, grzTasks* tasks,
                                      const grzLeafBoxesQuery* query) {
    GRZ_REFUSE_NULL(triangles, 1);
    const char* flaw = grzLeafBoxes_FlawOf(query);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 3), flaw);
    if (query->count > UINT32_MAX)
        return grzFail(grz_tooLarge, query->count);
    Finding finding = findingOf(triangles, query);
    grzResult result = grzLeafBoxes_TakeFrame(query, &finding.frame);
    if (!grzResult_IsOk(result))
        return result;
    if (!takeMemory(&finding))
        return grzNoMemory(query->count, sizeof(grzLeafPair));
    result = listLooks(&finding);
    if (!grzResult_IsOk(result))
        return result;
    if (!fitSides(&finding, tasks))
        return grzNoMemory(query->count, sizeof(grzLeafPair));
    grzParallelFor(tasks, finding.words, WORD_GRAIN, testWords, &finding);
    const size_t count = sumStarts(&finding);
    if (!grzArray_Reserve(&triangles->boxes.pairs, &triangles->memory.allocator, count))
        return grzNoMemory(count, sizeof(grzLeafPair));
    grzParallelFor(tasks, finding.words, WORD_GRAIN, writeWords, &finding);
    triangles->boxes.pairs.count = count;
    triangles->stats = finding.stats;
    return grzOk();
}

// ---- what there is ----

grzLeafBoxesView grzLeafTriangles_GetLeaves(const grzLeafTriangles* triangles) {
    GRZ_RETURN_IF_NULL(triangles, (grzLeafBoxesView){0});
    return (grzLeafBoxesView){triangles->boxes.pairs.data, triangles->boxes.pairs.count};
}

void grzLeafBoxes_Release(LeafBoxes* boxes, const grzAllocator* allocator) {
    for (int side = 0; side < 2; ++side) {
        grzArray_Release(&boxes->reached[side], allocator);
        grzArray_Release(&boxes->nodes[side], allocator);
    }
    grzArray_Release(&boxes->looks, allocator);
    grzArray_Release(&boxes->found, allocator);
    grzArray_Release(&boxes->starts, allocator);
    grzArray_Release(&boxes->pairs, allocator);
}
