// What: pairs of upkeeps by chords: whether they are possible, the search, and until when nothing changes.
// Idea: grzChordPairs has the pairs of a piece, with the steps of time from and until which each is active. Once
//   for a piece each step is marked if a pair begins or ends with it. The horizon is the next such step. A
//   hierarchy at rest under a pose is turned into the common frame once.
//
//   steps     0 1 2 3 ...                254 255      of bucket b some pair has first == b, or last == b - 1
//   changes   . . x . . . x x            .   x
//
// Holds: the chord pairs use the trees of the upkeeps, which live as long as the upkeeps.
#include <math.h>
#include <string.h>

#include "bvh_parts.h"
#include "chord_pairs_inside.h"
#include "result_make.h"
#include "upkeep_pairs_inside.h"

// ---- whether it is possible ----

static const grzChordTree* treeOf(const PairSide* side) {
    return grzPairSide_IsChord(side) ? side->given.upkeep->chord : NULL;
}

static bool isSamePose(const grzTransform* a, const grzTransform* b) {
    return memcmp(a, b, sizeof *a) == 0;
}

const char* grzPairSearch_FlawOfChords(const PairSearch* search) {
    const PairSide *a = search->sides[0], *b = search->sides[1];
    if (treeOf(a) == NULL || (b->given.upkeep != NULL && treeOf(b) == NULL))
        return "a mesh is not kept by chords between keyframes now";
    if (b->given.upkeep != NULL)
        return search->pairs->areClocksApart ? "the meshes have different clocks" : NULL;
    if (b->given.isSimulated)
        return "a mesh is simulated";
    const bool hasMoved =
        search->pose != NULL && (!search->pairs->hadPose || !isSamePose(search->pose, &search->pairs->pose));
    return hasMoved ? "a mesh has another pose" : NULL;
}

void grzPairSearch_NotePose(const PairSearch* search) {
    search->pairs->hadPose = search->pose != NULL;
    if (search->pose != NULL)
        search->pairs->pose = *search->pose;
}

PairsFrame grzPairSearch_Frame(const PairSearch* search) {
    PairsFrame frame = {search->sides[0]->given.upkeep->time, -(double)INFINITY, (double)INFINITY};
    for (int i = 0; i < 2; ++i) {
        const grzChordTree* tree = treeOf(search->sides[i]);
        if (tree == NULL)
            continue;
        frame.begin = fmax(frame.begin, grzChord_Frame(tree, tree->from->frame)->time);
        frame.end = fmin(frame.end, grzChord_Frame(tree, tree->to->frame)->time);
    }
    return frame;
}

// ---- what rests ----

typedef struct PosingJob {
    const BoxFrame* frame;
    const grzBvhNode* from;
    grzBvhNode* to;
} PosingJob;

static void poseBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const PosingJob* job = context;
    for (uint32_t i = begin; i < end; ++i)
        GRZ_PICK_KERNEL(grzBoxNodePose)(job->frame, &job->from[i], &job->to[i]);
}

enum { GRAIN = 64 };

static grzResult poseNodes(const PairSearch* search, grzTasks* tasks) {
    PairSide* side = search->sides[1];
    const uint32_t count = grzBvh_GetView(side->bvh).nodeCount;
    const grzBox root = grzBvh_RootBox(side->given.nodes);
    BoxFrame frame;
    if (!grzTransform_IsFinite(*search->pose))
        return grzBecause(grzFail(grz_notFinite, 3), "a pose has a NaN or an infinity");
    if (!grzArray_Reserve(&side->nodes, &search->pairs->memory.allocator, count))
        return grzNoMemory(count, sizeof(grzBvhNode));
    if (grzBox_IsEmpty(root)) {
        memcpy(side->nodes.data, side->given.nodes, count * sizeof *side->nodes.data);
        return grzOk();
    }
    if (!grzBoxFrame_Make(search->pose, &root, &frame))
        return grzBecause(grzFail(grz_badArgument, 3), "a pose, or a box beside it, has numbers above 2^60");
    PosingJob job = {&frame, side->given.nodes, side->nodes.data};
    grzParallelFor(tasks, count, GRAIN, poseBlock, &job);
    return grzOk();
}

// The nodes of what rests in the common frame, and whether they are others than the chord pairs have.
static grzResult takeRest(const PairSearch* search, grzTasks* tasks, const grzBvhNode** nodes, bool* areOthers) {
    PairSide* side = search->sides[1];
    const bool isPosed = search->pose != NULL;
    *areOthers = !side->isTaken || side->isTakenPosed != isPosed || side->revision != side->bvh->revision ||
                 (isPosed && !isSamePose(search->pose, &side->takenPose));
    side->isTaken = side->isTaken && !*areOthers;
    if (isPosed && *areOthers) {
        const grzResult result = poseNodes(search, tasks);
        if (!grzResult_IsOk(result))
            return result;
        side->takenPose = *search->pose;
    }
    *nodes = isPosed ? side->nodes.data : side->given.nodes;
    side->isTakenPosed = isPosed;
    side->revision = side->bvh->revision;
    return grzOk();
}

// ---- searching ----

static grzResult makeChords(const PairSearch* search, grzTasks* tasks, const grzBvhNode* nodes, float margin) {
    grzUpkeepPairs* pairs = search->pairs;
    grzChordPairsDef def = grzDefaultChordPairsDef();
    def.treeA = treeOf(search->sides[0]);
    def.treeB = treeOf(search->sides[1]);
    if (def.treeB == NULL)
        def.bvhB = search->sides[1]->bvh, def.nodesB = nodes;
    def.margin = margin;
    def.findsKnown = search->query->precision == grz_tightPairs;
    def.tasks = tasks;
    def.allocator = pairs->memory.allocator;
    return grzChordPairs_Create(&def, &pairs->chords);
}

// A quarter more at the most, so that nearly the same margins are one.
static float steppedMargin(float margin) {
    int exponent;
    const float part = frexpf(margin, &exponent); // 0.5 .. 1, or 0
    const float stepped = ldexpf(ceilf(8 * part) / 8, exponent);
    return stepped < INFINITY ? stepped : margin;
}

static grzResult advance(const PairSearch* search, grzTasks* tasks, const grzBvhNode* nodes, bool areOthers) {
    grzUpkeepPairs* pairs = search->pairs;
    const float margin = steppedMargin(search->query->margin);
    if (pairs->chords == NULL)
        return makeChords(search, tasks, nodes, margin);
    if (areOthers)
        grzChordPairs_SetNodes(pairs->chords, nodes);
    const grzResult result = grzChordPairs_SetMargin(pairs->chords, margin);
    return grzResult_IsOk(result) ? grzChordPairs_Advance(pairs->chords, tasks) : result;
}

// Of a piece that was not looked at before.
static void noteChanges(grzUpkeepPairs* pairs) {
    const ChordSearch* search = &pairs->chords->searches[pairs->chords->current];
    if (pairs->notedPieces == pairs->chords->stats.pieces)
        return;
    pairs->notedPieces = pairs->chords->stats.pieces;
    memset(pairs->changes, 0, sizeof pairs->changes);
    for (size_t i = 0; i < search->pairs.count; ++i) {
        pairs->changes[search->first.data[i]] = 1;
        pairs->changes[search->last.data[i] + 1] = 1;
    }
}

double grzUpkeepPairs_NextChange(const grzUpkeepPairs* pairs) {
    const grzChordPairs* chords = pairs->chords;
    const grzChordPairsView view = grzChordPairs_GetView(chords);
    uint32_t next = grzChordBucket(chords->part) + 1u;
    while (next < 255 && pairs->changes[next] == 0)
        ++next;
    if (next >= 255)
        return fmax(view.end, view.time);
    // Bucket b begins at (b - 1) / 253 of the piece; what rounds a part up to it rounds it by less than 2^-20.
    const double part = (next - 1) / 253.0 - 0x1p-20;
    return fmin(fmax(view.begin + part * (view.end - view.begin), view.time), view.end);
}

grzResult grzPairSearch_ByChords(const PairSearch* search, grzTasks* tasks, PairLeaves* found) {
    const grzBvhNode* nodes = NULL;
    PairSide* b = search->sides[1];
    bool areOthers = false;
    grzResult result = grzOk();
    if (b->given.upkeep == NULL)
        result = takeRest(search, tasks, &nodes, &areOthers);
    if (grzResult_IsOk(result))
        result = advance(search, tasks, nodes, areOthers);
    if (!grzResult_IsOk(result))
        return result;
    b->isTaken = true;
    noteChanges(search->pairs);
    const grzChordPairsView view = grzChordPairs_GetView(search->pairs->chords);
    *found = (PairLeaves){view.pairs, view.count, view.active, view.activeCount, view.known};
    return grzOk();
}
