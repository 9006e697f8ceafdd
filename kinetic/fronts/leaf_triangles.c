// What: graze/stage/leaf_triangles.h: pairs of triangles from pairs of leaves.
// Idea: the triangles of the leaves that are in some pair are brought together once, side by side, with their boxes. A run is all pairs of one
//   leaf of A: what it has is marked and counted, and then written, triangle by triangle of A, so that in the numbers of the hierarchies
//   nothing need be sorted.
// Holds: all memory is there before the first pair of triangles is written.
// Threads: a run writes its own marks and pairs, a leaf its own triangles.
#include <float.h>
#include <math.h>
#include <string.h>

#include "bvh_parts.h"
#include "leaf_fit.h"
#include "leaf_triangles_inside.h"
#include "memory.h"
#include "owner.h"
#include "record_sort.h"
#include "refuse_null.h"

#define DEF_MARK   0x4454464Cu
#define QUERY_MARK 0x5154464Cu

enum {
    GRAIN = 16,        // runs, or words of leaves, a task
    LIST_GRAIN = 2048, // pairs of leaves
};

// ---- making ----

grzLeafTrianglesDef grzDefaultLeafTrianglesDef(void) {
    grzLeafTrianglesDef def;
    memset(&def, 0, sizeof def);
    def.mark = DEF_MARK;
    return def;
}

grzLeafTrianglesQuery grzDefaultLeafTrianglesQuery(void) {
    grzLeafTrianglesQuery query;
    memset(&query, 0, sizeof query);
    query.mark = QUERY_MARK;
    query.a.numbering = query.b.numbering = grz_bvhCallersNumbers;
    return query;
}

grzResult grzLeafTriangles_Create(const grzLeafTrianglesDef* def, grzLeafTriangles** made) {
    GRZ_REFUSE_NULL(made, 2);
    *made = NULL;
    if (def == NULL || def->mark != DEF_MARK)
        return grzFail(grz_badDef, 0);
    grzResult result;
    grzAllocator allocator = def->allocator;
    grzLeafTriangles* triangles =
        grzOwner_New(&allocator, 1, sizeof *triangles, _Alignof(grzLeafTriangles), &result);
    if (triangles == NULL)
        return result;
    grzCountedMemory_Init(&triangles->memory, allocator);
    *made = triangles;
    return grzOk();
}

void grzLeafTriangles_Destroy(grzLeafTriangles* triangles) {
    if (triangles == NULL)
        return;
    const grzAllocator host = triangles->memory.host, *allocator = &triangles->memory.allocator;
    for (int side = 0; side < 2; ++side) {
        grzArray_Release(&triangles->reached[side].flags, allocator);
        grzArray_Release(&triangles->reached[side].bits, allocator);
        grzArray_Release(&triangles->reached[side].before, allocator);
        grzArray_Release(&triangles->reached[side].places, allocator);
        grzArray_Release(&triangles->reached[side].leaves, allocator);
        grzLeafPlaces_Release(&triangles->places[side], allocator);
    }
    grzArray_Release(&triangles->runs, allocator);
    grzArray_Release(&triangles->starts, allocator);
    grzArray_Release(&triangles->marks, allocator);
    grzArray_Release(&triangles->scratch, allocator);
    grzArray_Release(&triangles->pairs, allocator);
    grzLeafBoxes_Release(&triangles->boxes, allocator);
    grzRelease(&host, triangles, 1, sizeof *triangles, _Alignof(grzLeafTriangles));
}

// ---- the query ----

static bool hasPlaces(const grzLeafTrianglesSide* side) {
    return side->positions != NULL || side->plan != NULL;
}

const char* grzLeafTriangles_FlawOfPlan(const grzFlightplan* plan, const grzBvh* bvh, double time) {
    if (plan->vertexCount != grzBvh_GetView(bvh).vertexCount)
        return "a plan and its hierarchy differ in their number of vertices";
    return grzPlan_Knows(plan, time) ? NULL : "the time is outside the keyframes or paths of a plan";
}

static const char* flawOfSide(const grzLeafTrianglesSide* side) {
    if (side->bvh == NULL)
        return hasPlaces(side) || side->endPositions != NULL ? "a side has positions or a plan, but no hierarchy"
                                                             : NULL;
    if (side->numbering != grz_bvhTreesNumbers && side->numbering != grz_bvhCallersNumbers)
        return "the numbering of a side is unknown";
    if (side->plan != NULL && (side->positions != NULL || side->endPositions != NULL))
        return "a side has both positions and a plan";
    if (side->plan != NULL)
        return grzLeafTriangles_FlawOfPlan(side->plan, side->bvh, side->time);
    return side->positions == NULL && side->endPositions != NULL ? "a side has end positions, but no positions"
                                                                 : NULL;
}

const char* grzLeafTriangles_FlawOf(const grzLeafTrianglesQuery* query) {
    if (query == NULL || query->mark != QUERY_MARK)
        return "the query was not made by grzDefaultLeafTrianglesQuery";
    if (query->a.bvh == NULL)
        return "a has no hierarchy: a.bvh is NULL";
    if (query->pairs == NULL && query->count != 0)
        return "pairs is NULL, but count is not 0";
    const char* flaw = flawOfSide(&query->a);
    if (flaw == NULL)
        flaw = flawOfSide(&query->b);
    if (flaw == NULL && query->b.bvh == NULL && (query->poseB != NULL || query->isTurned))
        return "poseB or isTurned is set, but b has no hierarchy";
    return flaw == NULL && (query->margin < 0 || query->margin == INFINITY) ? "the margin is negative or infinite"
                                                                            : flaw;
}

static grzResult checkQuery(const grzLeafTrianglesQuery* query) {
    const char* flaw = grzLeafTriangles_FlawOf(query);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 3), flaw);
    if (isnan(query->margin))
        return grzBecause(grzFail(grz_notFinite, 3), "the margin is NaN");
    if (query->poseB != NULL && !grzTransform_IsFinite(*query->poseB))
        return grzBecause(grzFail(grz_notFinite, 3), "poseB has a NaN or an infinity");
    return query->count > UINT32_MAX ? grzFail(grz_tooLarge, query->count) : grzOk();
}

typedef struct Finding {
    grzLeafTriangles* triangles;
    const grzLeafTrianglesQuery* query;
    const grzLeafTrianglesSide* sides[2]; // self: twice the same
    grzBvhView views[2];
    LeavesReached* reached[2]; // likewise
    const float* positions[2]; // given, or found by a plan
    bool isSelf, hasBoxes, isMoving;
} Finding;

static Finding findingOf(grzLeafTriangles* triangles, const grzLeafTrianglesQuery* query) {
    Finding finding = {.triangles = triangles, .query = query, .isSelf = query->b.bvh == NULL};
    finding.hasBoxes = true;
    for (int side = 0; side < 2; ++side) {
        const bool isFirst = side == 0 || finding.isSelf;
        finding.sides[side] = isFirst ? &query->a : &query->b;
        finding.views[side] = grzBvh_GetView(finding.sides[side]->bvh);
        finding.reached[side] = &triangles->reached[isFirst ? 0 : 1];
        finding.hasBoxes = finding.hasBoxes && hasPlaces(finding.sides[side]);
        finding.isMoving = finding.isMoving || finding.sides[side]->endPositions != NULL;
        finding.positions[side] = finding.sides[side]->positions;
    }
    finding.isMoving = finding.isMoving && finding.hasBoxes;
    return finding;
}

// ---- which leaves there are ----

static bool takeMemory(const Finding* finding) {
    grzLeafTriangles* triangles = finding->triangles;
    const grzAllocator* allocator = &triangles->memory.allocator;
    const size_t count = finding->query->count;
    for (int side = 0; side < 2; ++side) {
        LeavesReached* reached = finding->reached[side];
        const size_t words = (size_t)finding->views[side].leafCount / 64 + 1;
        if (!grzArray_Reserve(&reached->flags, allocator, 64 * words) ||
            !grzArray_Reserve(&reached->bits, allocator, words) ||
            !grzArray_Reserve(&reached->before, allocator, words) ||
            !grzArray_Reserve(&reached->places, allocator, 64 * words))
            return false;
        memset(reached->flags.data, 0, 64 * words * sizeof *reached->flags.data);
        reached->bits.count = reached->before.count = words;
    }
    return grzArray_Reserve(&triangles->runs, allocator, count + 1) &&
           grzArray_Reserve(&triangles->starts, allocator, count + 1) &&
           grzArray_Reserve(&triangles->marks, allocator, count);
}

static grzResult flawOfPair(const Finding* finding, size_t i) {
    const grzLeafPair* pair = &finding->query->pairs[i];
    if (pair->leafA >= finding->views[0].leafCount)
        return grzFailAt(grz_indexTooLarge, grz_partElement, i, pair->leafA);
    if (pair->leafB >= finding->views[1].leafCount)
        return grzFailAt(grz_indexTooLarge, grz_partElement, i, pair->leafB);
    const bool isAfter =
        i == 0 || grzSortKeyFromPair(pair[-1].leafA, pair[-1].leafB) < grzSortKeyFromPair(pair->leafA, pair->leafB);
    if (!isAfter)
        return grzBecause(grzFailAt(grz_badArgument, grz_partElement, i, 4),
                          "the pairs of leaves are not sorted, or one is there twice");
    if (finding->isSelf && pair->leafA > pair->leafB)
        return grzBecause(grzFailAt(grz_badArgument, grz_partElement, i, 4),
                          "leafA is above leafB, within one hierarchy");
    return grzOk();
}

static void reach(const LeavesReached* reached, uint32_t leaf) {
    atomic_store_explicit(&reached->flags.data[leaf].isWanted, true,
                          memory_order_relaxed); // the loop's end orders it
}

// Counts the runs that begin in a block and marks its leaves, if all of its pairs are right.
static void countRuns(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const Finding* finding = context;
    const grzLeafPair* pairs = finding->query->pairs;
    const uint32_t counts[2] = {finding->views[0].leafCount, finding->views[1].leafCount};
    bool isWrong = false;
    uint32_t runs = begin == 0;
    uint64_t before = begin == 0 ? 0 : grzSortKeyFromPair(pairs[begin - 1].leafA, pairs[begin - 1].leafB);
    for (uint32_t i = begin; i < end; ++i) {
        const grzLeafPair* pair = &pairs[i];
        const uint64_t key = grzSortKeyFromPair(pair->leafA, pair->leafB);
        isWrong |= (pair->leafA >= counts[0]) | (pair->leafB >= counts[1]) | (key <= before && i != 0) |
                   (finding->isSelf & (pair->leafA > pair->leafB));
        runs += i != 0 && before >> 32 != key >> 32;
        before = key;
    }
    finding->triangles->starts.data[begin / LIST_GRAIN] = isWrong ? UINT32_MAX : runs;
    for (uint32_t i = begin; i < end && !isWrong; ++i) {
        reach(finding->reached[0], pairs[i].leafA);
        reach(finding->reached[1], pairs[i].leafB);
    }
}

static void writeStarts(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const Finding* finding = context;
    const grzLeafPair* pairs = finding->query->pairs;
    uint32_t* to = finding->triangles->runs.data + finding->triangles->starts.data[begin / LIST_GRAIN];
    for (uint32_t i = begin; i < end; ++i)
        if (i == 0 || pairs[i].leafA != pairs[i - 1].leafA)
            *to++ = i;
}

static grzResult firstFlaw(const Finding* finding, size_t from) {
    grzResult result = grzOk();
    for (size_t i = from; i < finding->query->count && grzResult_IsOk(result); ++i)
        result = flawOfPair(finding, i);
    return result;
}

static grzResult listRuns(Finding* finding, grzTasks* tasks) {
    grzLeafTriangles* triangles = finding->triangles;
    const uint32_t count = (uint32_t)finding->query->count, blocks = grzBlockCount(count, LIST_GRAIN);
    uint32_t sum = 0;
    grzParallelFor(tasks, count, LIST_GRAIN, countRuns, finding);
    for (uint32_t block = 0; block < blocks; ++block) {
        const uint32_t runs = triangles->starts.data[block];
        if (runs == UINT32_MAX)
            return firstFlaw(finding, (size_t)LIST_GRAIN * block);
        triangles->starts.data[block] = sum;
        sum += runs;
    }
    grzParallelFor(tasks, count, LIST_GRAIN, writeStarts, finding);
    triangles->runs.count = sum;
    triangles->runs.data[sum] = count;
    return grzOk();
}

static void packWords(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const LeavesReached* reached = context;
    for (uint32_t w = begin; w < end; ++w) {
        const LeafBlock* flags = reached->flags.data + 64 * (size_t)w;
        uint64_t bits = 0;
        for (uint32_t k = 0; k < 64; ++k)
            bits |= (uint64_t)atomic_load_explicit(&flags[k].isWanted, memory_order_relaxed) << k;
        reached->bits.data[w] = bits;
    }
}

static bool takeLeaves(LeavesReached* reached, const grzAllocator* allocator, grzTasks* tasks) {
    uint32_t count = 0;
    grzParallelFor(tasks, (uint32_t)reached->bits.count, GRAIN, packWords, reached);
    for (size_t w = 0; w < reached->bits.count; ++w) {
        reached->before.data[w] = count;
        count += (uint32_t)__builtin_popcountll(reached->bits.data[w]);
    }
    if (!grzArray_Reserve(&reached->leaves, allocator, count))
        return false;
    reached->leaves.count = count;
    return true;
}

// ---- their triangles ----

static LeafFit fitOf(const Finding* finding, int side) {
    const grzLeafTrianglesSide* given = finding->sides[side];
    LeafFit fit = {.view = finding->views[side], .isShared = finding->isSelf};
    fit.flags = given->bvh->nodeFlags;
    fit.map = given->numbering == grz_bvhCallersNumbers ? fit.view.vertexToCaller : NULL;
    fit.isPadded = given->plan != NULL;
    fit.pose = side == 1 ? finding->query->poseB : NULL;
    fit.endCount = !finding->hasBoxes ? 0 : finding->isMoving ? 2 : 1;
    fit.ends[0] = finding->positions[side];
    fit.ends[1] = given->endPositions != NULL ? given->endPositions : fit.ends[0];
    return fit;
}

typedef struct Fitting {
    const Finding* finding;
    int side;
} Fitting;

static void fitWords(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const Fitting* work = context;
    const LeavesReached* reached = work->finding->reached[work->side];
    const LeafFit fit = fitOf(work->finding, work->side);
    for (uint32_t w = begin; w < end; ++w) {
        uint32_t place = reached->before.data[w];
        for (uint64_t bits = reached->bits.data[w]; bits != 0; bits &= bits - 1, ++place) {
            const uint32_t leaf = 64 * w + (uint32_t)__builtin_ctzll(bits);
            reached->places.data[leaf] = place;
            grzLeafFit_Make(&fit, leaf, &reached->leaves.data[place]);
        }
    }
}

// Where the vertices of the leaves are, if a plan says that.
static bool findPlaces(Finding* finding, grzTasks* tasks, int side) {
    const grzLeafTrianglesSide* given = finding->sides[side];
    const LeavesReached* reached = finding->reached[side];
    LeafPlaces* places = &finding->triangles->places[side];
    places->evaluated = 0;
    if (given->plan == NULL || !finding->hasBoxes)
        return true;
    const LeafPlacesQuery query = {
        .view = finding->views[side],
        .plan = given->plan,
        .time = given->time,
        .map = given->numbering == grz_bvhCallersNumbers ? finding->views[side].vertexToCaller : NULL,
        .leaves = reached->bits.data,
        .count = reached->leaves.count};
    if (!grzLeafPlaces_Find(places, &finding->triangles->memory.allocator, tasks, &query))
        return false;
    finding->positions[side] = places->positions.data;
    return true;
}

static bool fitLeaves(Finding* finding, grzTasks* tasks) {
    for (int side = 0; side < (finding->isSelf ? 1 : 2); ++side) {
        Fitting work = {finding, side};
        if (!takeLeaves(finding->reached[side], &finding->triangles->memory.allocator, tasks) ||
            !findPlaces(finding, tasks, side))
            return false;
        grzParallelFor(tasks, (uint32_t)finding->reached[side]->bits.count, GRAIN, fitWords, &work);
    }
    return true;
}

// ---- pairs ----

// Without an instruction that not all processors have.
static uint32_t countBits(uint32_t bits) {
    bits -= bits >> 1 & 0x5555;
    bits = (bits & 0x3333) + (bits >> 2 & 0x3333);
    bits = (bits + (bits >> 4)) & 0x0F0F;
    return (bits + (bits >> 8)) & 0x1F;
}

static uint32_t lanesOf(const grzBvhView* view, uint32_t leaf) {
    const uint32_t left = view->triangleCount - GRZ_BVH_LEAF_TRIANGLES * leaf;
    return left < GRZ_BVH_LEAF_TRIANGLES ? (1u << left) - 1 : 15;
}

// Takes out the lanes that have no triangle. Only a hierarchy's last leaf has such, which of B is the last of a run.
static void leaveOut(const Finding* finding, const grzLeafPair* pairs, size_t count, uint16_t* marks) {
    static const uint16_t rows[16] = {[1] = 0x000F, [3] = 0x00FF, [7] = 0x0FFF, [15] = 0xFFFF};
    const uint16_t ofA = rows[lanesOf(&finding->views[0], pairs->leafA)];
    for (size_t i = 0; ofA != 0xFFFF && i < count; ++i)
        marks[i] &= ofA;
    marks[count - 1] &= (uint16_t)(0x1111 * lanesOf(&finding->views[1], pairs[count - 1].leafB));
}

static void markRuns(uint32_t begin, uint32_t last, uint32_t worker, void* context) {
    (void)worker;
    const Finding* finding = context;
    const float margin = finding->query->margin;
    const grzLeafTriangles* triangles = finding->triangles;
    const LeavesReached *a = finding->reached[0], *b = finding->reached[1];
    FourTrianglesJob job = {
        .b = b->leaves.data, .places = b->places.data, .isMoving = finding->isMoving, .isSelf = finding->isSelf};
    for (uint32_t run = begin; run < last; ++run) {
        const size_t first = triangles->runs.data[run];
        uint16_t* marks = triangles->marks.data + first;
        uint32_t count = 0;
        job.pairs = finding->query->pairs + first;
        job.count = triangles->runs.data[run + 1] - first;
        job.a = a->leaves.data + a->places.data[job.pairs->leafA];
        FourTriangles wide;
        if (margin > 0 && finding->hasBoxes) {
            wide = *job.a;
            for (int end = 0; end < (finding->isMoving ? 2 : 1); ++end)
                grzFourTriangles_Widen(&wide, end, (const float[3]){margin, margin, margin});
            job.a = &wide;
        }
        GRZ_PICK_KERNEL(grzFourTrianglesMark)(&job, marks);
        leaveOut(finding, job.pairs, job.count, marks);
        if (finding->isSelf && job.pairs->leafA == job.pairs->leafB)
            marks[0] &= LEAF_LATER_BITS;
        for (size_t i = 0; i < job.count; ++i)
            count += countBits(marks[i]);
        triangles->starts.data[run] = count;
    }
}

// Counts become starts. Returns the sum.
static uint64_t sumStarts(const grzLeafTriangles* triangles) {
    uint64_t sum = 0;
    for (size_t run = 0; run < triangles->runs.count; ++run) {
        const uint32_t count = triangles->starts.data[run];
        triangles->starts.data[run] = (uint32_t)sum;
        sum += count;
    }
    return sum;
}

// What records are made of beside a pair of leaves: copied, so that it need not be read again behind each record that is written.
typedef struct Naming {
    const uint32_t* toCaller[2]; // NULL: the numbers of the hierarchy
    uint32_t bodyPair;
    bool isSelf, isTurned;
} Naming;

static Naming namingOf(const Finding* finding) {
    Naming naming = {
        .bodyPair = finding->query->bodyPair, .isSelf = finding->isSelf, .isTurned = finding->query->isTurned};
    for (int side = 0; side < 2; ++side)
        if (finding->sides[side]->numbering == grz_bvhCallersNumbers)
            naming.toCaller[side] = finding->views[side].triangleToCaller;
    return naming;
}

static inline uint32_t numberOf(const uint32_t* toCaller, uint32_t triangle) {
    return toCaller != NULL ? toCaller[triangle] : triangle;
}

static inline grzTrianglePair pairOf(const Naming* naming, grzLeafPair leaves, uint32_t j, uint32_t k) {
    const uint32_t a = numberOf(naming->toCaller[0], GRZ_BVH_LEAF_TRIANGLES * leaves.leafA + j);
    const uint32_t b = numberOf(naming->toCaller[1], GRZ_BVH_LEAF_TRIANGLES * leaves.leafB + k);
    const bool isTurned = naming->isTurned || (naming->isSelf && a > b);
    return (grzTrianglePair){naming->bodyPair, isTurned ? b : a, isTurned ? a : b, leaves.t0, leaves.t1};
}

// The marks of a triangle of A in up to sixteen pairs of leaves, side by side.
static uint64_t joinMarks(const uint16_t* marks, uint32_t count, uint32_t j) {
    uint64_t all = 0;
    for (uint32_t i = 0; i < count; ++i)
        all |= (uint64_t)(marks[i] >> 4 * j & 15) << 4 * i;
    return all;
}

static void writeRuns(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const Finding* finding = context;
    const grzLeafTriangles* triangles = finding->triangles;
    const Naming naming = namingOf(finding);
    const grzLeafPair* pairs = finding->query->pairs;
    const uint16_t* marks = triangles->marks.data;
    for (uint32_t run = begin; run < end; ++run) {
        const uint32_t first = triangles->runs.data[run], last = triangles->runs.data[run + 1];
        grzTrianglePair* to = triangles->pairs.data + triangles->starts.data[run];
        for (uint32_t j = 0; j < GRZ_BVH_LEAF_TRIANGLES; ++j)
            for (uint32_t i = first; i < last; i += 16) {
                uint64_t bits = joinMarks(marks + i, last - i < 16 ? last - i : 16, j);
                for (; bits != 0; bits &= bits - 1) {
                    const uint32_t at = (uint32_t)__builtin_ctzll(bits);
                    *to++ = pairOf(&naming, pairs[i + at / 4], j, at % 4);
                }
            }
    }
}

static bool isToBeSorted(const Finding* finding) {
    return finding->query->isTurned || finding->sides[0]->numbering == grz_bvhCallersNumbers ||
           finding->sides[1]->numbering == grz_bvhCallersNumbers;
}

static grzResult writeAll(Finding* finding, grzTasks* tasks, uint64_t count) {
    grzLeafTriangles* triangles = finding->triangles;
    const grzAllocator* allocator = &triangles->memory.allocator;
    const bool sorts = isToBeSorted(finding);
    if (count > UINT32_MAX)
        return grzFail(grz_tooLarge, count);
    const size_t scratch = sorts ? grzRecordScratchSize(&grzTrianglePairType, (size_t)count) / 8 + 1 : 0;
    if (!grzArray_Reserve(&triangles->scratch, allocator, scratch) ||
        !grzArray_Reserve(&triangles->pairs, allocator, (size_t)count))
        return grzNoMemory((size_t)count, sizeof(grzTrianglePair));
    grzParallelFor(tasks, (uint32_t)triangles->runs.count, GRAIN, writeRuns, finding);
    triangles->pairs.count = (size_t)count;
    if (sorts)
        grzSortRecords(&grzTrianglePairType, triangles->pairs.data, (size_t)count, triangles->scratch.data);
    return grzOk();
}

static grzLeafTrianglesStats statsOf(const Finding* finding) {
    grzLeafTrianglesStats stats = {0, 0};
    for (int side = 0; side < (finding->isSelf ? 1 : 2); ++side) {
        stats.leaves += finding->reached[side]->leaves.count;
        stats.evaluated += finding->triangles->places[side].evaluated;
    }
    return stats;
}

grzResult grzLeafTriangles_Find(grzLeafTriangles* triangles, grzTasks* tasks, const grzLeafTrianglesQuery* query) {
    GRZ_REFUSE_NULL(triangles, 1);
    grzResult result = checkQuery(query);
    if (!grzResult_IsOk(result))
        return result;
    if (query->count == 0) { // all that follows looks at every leaf of both sides
        triangles->pairs.count = 0;
        triangles->stats = (grzLeafTrianglesStats){0, 0};
        return result;
    }
    Finding finding = findingOf(triangles, query);
    if (!takeMemory(&finding))
        return grzNoMemory(query->count, sizeof(grzLeafPair));
    result = listRuns(&finding, tasks);
    if (!grzResult_IsOk(result))
        return result;
    if (!fitLeaves(&finding, tasks))
        return grzNoMemory(query->count, sizeof(FourTriangles));
    grzParallelFor(tasks, (uint32_t)triangles->runs.count, GRAIN, markRuns, &finding);
    const grzResult written = writeAll(&finding, tasks, sumStarts(triangles));
    if (grzResult_IsOk(written))
        triangles->stats = statsOf(&finding);
    return written;
}

// ---- what there is ----

grzLeafTrianglesView grzLeafTriangles_GetView(const grzLeafTriangles* triangles) {
    GRZ_RETURN_IF_NULL(triangles, (grzLeafTrianglesView){0});
    return (grzLeafTrianglesView){triangles->pairs.data, triangles->pairs.count};
}

grzLeafTrianglesStats grzLeafTriangles_GetStats(const grzLeafTriangles* triangles) {
    GRZ_RETURN_IF_NULL(triangles, (grzLeafTrianglesStats){0});
    return triangles->stats;
}

size_t grzLeafTriangles_MemorySize(const grzLeafTriangles* triangles) {
    GRZ_RETURN_IF_NULL(triangles, 0);
    return sizeof *triangles + grzCountedMemory_Size(&triangles->memory);
}
