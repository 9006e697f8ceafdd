// What: chord pairs (graze/stage/node_pairs.h): which piece is searched when, and which pairs are active.
// Idea: there are two searches. One is of the piece in which the time is. The other is of the next piece. It begins
//   as soon as the boxes at that piece's end are there, and goes on in proportion to the rest of the current piece.
// Holds: the current search is done. A refused call leaves it as it is, and the search of another piece begins
//   again.
// Cost: a frame looks at two bytes for each pair of the piece.
#include <math.h>
#include <string.h>

#include "bvh_parts.h"
#include "chord_pairs_inside.h"
#include "leaf_boxes_kernel.h"
#include "memory.h"
#include "owner.h"
#include "refuse_null.h"

#define DEF_MARK 0x52505043u

grzChordPairsDef grzDefaultChordPairsDef(void) {
    grzChordPairsDef def;
    memset(&def, 0, sizeof def);
    def.mark = DEF_MARK;
    return def;
}

// ---- pieces ----

static double timeOf(const grzChordTree* tree, double frame) {
    return grzChord_Frame(tree, frame)->time;
}

// Where a time lies between two keyframes of a tree, in its ticks.
static double partAt(const grzChordTree* tree, const ChordSpan* span, double time) {
    if (span->frames[0] == span->frames[1])
        return 0;
    return time == timeOf(tree, span->frames[1]) ? 1 : grzPlan_TimeOf(tree->plan, time) - span->frames[0];
}

// The piece in which both sides are between the keyframes of their spans.
static ChordPiece pieceOf(const ChordSide sides[2], double frames[2][2]) {
    ChordPiece piece;
    memset(&piece, 0, sizeof piece);
    piece.begin = -(double)INFINITY, piece.end = (double)INFINITY;
    for (int i = 0; i < 2; ++i) {
        if (sides[i].tree == NULL)
            continue;
        memcpy(piece.spans[i].frames, frames[i], sizeof piece.spans[i].frames);
        piece.begin = fmax(piece.begin, timeOf(sides[i].tree, frames[i][0]));
        piece.end = fmin(piece.end, timeOf(sides[i].tree, frames[i][1]));
    }
    piece.end = fmax(piece.end, piece.begin);
    for (int i = 0; i < 2; ++i) {
        ChordSpan* span = &piece.spans[i];
        span->parts[1] = sides[i].tree == NULL;
        if (sides[i].tree == NULL)
            continue;
        span->parts[0] = partAt(sides[i].tree, span, piece.begin);
        span->parts[1] = partAt(sides[i].tree, span, piece.end);
    }
    return piece;
}

static ChordPiece pieceNow(const ChordSide sides[2]) {
    double frames[2][2] = {{0}};
    for (int i = 0; i < 2; ++i)
        if (sides[i].tree != NULL)
            frames[i][0] = sides[i].tree->from->frame, frames[i][1] = sides[i].tree->to->frame;
    return pieceOf(sides, frames);
}

// The piece after one. False where a tree has no boxes for it yet.
static bool findNext(const ChordSide sides[2], const ChordPiece* piece, ChordPiece* next) {
    double frames[2][2] = {{0}};
    for (int i = 0; i < 2; ++i) {
        const grzChordTree* tree = sides[i].tree;
        if (tree == NULL)
            continue;
        const double* now = piece->spans[i].frames;
        const bool isOver = timeOf(tree, now[1]) == piece->end;
        frames[i][0] = isOver ? now[1] : now[0];
        frames[i][1] = isOver ? now[1] + 1 : now[1];
        if (tree->lazy != NULL || now[0] == now[1] || frames[i][1] > grzPlan_End(tree->plan) ||
            grzChord_DoneSet(tree, frames[i][0]) == NULL || grzChord_DoneSet(tree, frames[i][1]) == NULL)
            return false;
    }
    *next = pieceOf(sides, frames);
    return true;
}

static bool isSamePiece(const ChordPiece* a, const ChordPiece* b) {
    return memcmp(a, b, sizeof *a) == 0;
}

// Whether a piece that has no length is the end of one: that of the last keyframe that is known.
static bool isEndOf(const ChordSide sides[2], const ChordPiece* piece, const ChordPiece* before) {
    if (piece->begin != piece->end || before->end != piece->begin || before->begin == before->end)
        return false;
    for (int i = 0; i < 2; ++i) {
        const double *now = piece->spans[i].frames, *was = before->spans[i].frames;
        if (sides[i].tree != NULL && was[1] != now[0] && (was[0] != now[0] || was[1] != now[1]))
            return false;
    }
    return true;
}

// What part of a piece has passed, in ticks.
static float partOf(const ChordPiece* piece, double time) {
    if (time <= piece->begin || time >= piece->end)
        return time <= piece->begin ? 0 : 1;
    const double part =
        floor((time - piece->begin) / (piece->end - piece->begin) / PLAN_FRAME_TICK) * PLAN_FRAME_TICK;
    return (float)fmin(part, 1 - PLAN_FRAME_TICK);
}

// ---- what may be done ----

static const grzChordTree* anyTree(const grzChordPairs* pairs) {
    return pairs->walk.sides[0].tree;
}

static const char* flawOfTrees(const grzChordTree* a, const grzChordTree* b) {
    if (grzChord_FlawOfFollowing(a) != NULL || (b != NULL && grzChord_FlawOfFollowing(b) != NULL))
        return "a hierarchy was edited or rebuilt, but its tree has not followed";
    if (b != NULL && grzChordTree_Time(a) != grzChordTree_Time(b))
        return "the trees are at different times";
    return NULL;
}

static const char* flawOfMargin(float margin, bool cullsSelf) {
    if (!(margin >= 0 && margin < INFINITY))
        return "the margin is negative, infinite or NaN";
    return cullsSelf && margin > 0 ? "cullsSelf needs margin 0: it knows of contact alone" : NULL;
}

static const char* flawOf(const grzChordPairsDef* def) {
    if (def->treeA == NULL)
        return "treeA is NULL";
    if ((def->bvhB == NULL) != (def->nodesB == NULL))
        return "bvhB and nodesB need each other";
    if ((def->treeB == NULL) == (def->bvhB == NULL))
        return def->treeB == NULL ? "both treeB and bvhB are NULL" : "treeB and bvhB are both set";
    if (def->cullsSelf && def->treeA != def->treeB)
        return "cullsSelf is for one tree with itself";
    const char* flaw = flawOfMargin(def->margin, def->cullsSelf);
    return flaw != NULL ? flaw : flawOfTrees(def->treeA, def->treeB);
}

// ---- searches ----

static void forgetSearches(grzChordPairs* pairs) {
    for (int i = 0; i < 2; ++i)
        pairs->searches[i].isBegun = pairs->searches[i].isDone = false;
}

// Hierarchies as they are now. Whether they were edited since.
static bool lookAtSides(ChordWalk* walk) {
    bool wasEdited = false;
    for (int i = 0; i < 2; ++i) {
        ChordSide* side = &walk->sides[i];
        wasEdited = wasEdited || side->revision != side->bvh->revision;
        side->revision = side->bvh->revision;
        side->view = grzBvh_GetView(side->bvh);
    }
    return wasEdited;
}

static void noteCull(grzChordPairs* pairs) {
    const grzSelfCullStats stats = grzSelfCull_GetStats(pairs->walk.cull);
    pairs->stats.triangles += stats.triangles;
    pairs->stats.freeTriangles += stats.freeTriangles;
}

// With room for what is active of it. Where memory is refused, the search is begun again the next time.
static bool reserveWords(grzChordPairs* pairs, size_t words) {
    const grzAllocator* allocator = &pairs->walk.allocator;
    return grzArray_Reserve(&pairs->active, allocator, words) &&
           (!pairs->walk.findsKnown || grzArray_Reserve(&pairs->known, allocator, words));
}

static bool finish(ChordSearch* search, grzChordPairs* pairs, grzTasks* tasks, const ChordPiece* piece) {
    const bool isAhead = search->isBegun && isSamePiece(&search->piece, piece);
    if (!isAhead && !grzChordSearch_Begin(search, &pairs->walk, tasks, piece))
        return false;
    const size_t early = isAhead ? search->done : 0;
    if ((!search->isDone && !grzChordSearch_GoOn(search, &pairs->walk, tasks, search->parts.count)) ||
        !reserveWords(pairs, search->first.count / 64)) {
        search->isBegun = search->isDone = false;
        return false;
    }
    pairs->stats.early += early;
    pairs->stats.parts += search->parts.count;
    pairs->stats.found += search->pairs.count;
    ++pairs->stats.pieces;
    if (pairs->walk.cull != NULL)
        noteCull(pairs);
    return true;
}

// Walks as much of the next piece as is due. What is refused memory here is done when the piece begins.
static void walkAhead(grzChordPairs* pairs, grzTasks* tasks) {
    ChordSearch* ahead = &pairs->searches[!pairs->current];
    ChordPiece next;
    if (pairs->part == 1 || !findNext(pairs->walk.sides, &pairs->searches[pairs->current].piece, &next))
        return;
    if (!ahead->isBegun || !isSamePiece(&ahead->piece, &next)) {
        if (!grzChordSearch_Begin(ahead, &pairs->walk, tasks, &next))
            return;
        pairs->begunAt = pairs->part;
    }
    const double passed = (double)(pairs->part - pairs->begunAt) / (1 - (double)pairs->begunAt);
    const size_t due = passed <= 0 ? 0 : (size_t)ceil(passed * (double)ahead->parts.count);
    if (due > ahead->done && !grzChordSearch_GoOn(ahead, &pairs->walk, tasks, due))
        ahead->isBegun = false;
}

// ---- time ----

static void findKnown(grzChordPairs* pairs) {
    const ChordSearch* search = &pairs->searches[pairs->current];
    const uint8_t now = grzChordBucket(pairs->part);
    pairs->known.count = pairs->active.count;
    if (search->knownFirst.count == 0) {
        if (pairs->known.count != 0)
            memset(pairs->known.data, 0, pairs->known.count * sizeof *pairs->known.data);
        return;
    }
    (void)GRZ_PICK_KERNEL(grzChordPairsActive)(search->knownFirst.data, search->knownLast.data, pairs->known.count,
                                               now, pairs->known.data);
    for (size_t w = 0; w < pairs->known.count; ++w)
        pairs->known.data[w] &= pairs->active.data[w]; // what lies behind the last pair is none
}

static void findActive(grzChordPairs* pairs) {
    const ChordSearch* search = &pairs->searches[pairs->current];
    pairs->active.count = search->first.count / 64;
    pairs->activeCount =
        GRZ_PICK_KERNEL(grzChordPairsActive)(search->first.data, search->last.data, pairs->active.count,
                                             grzChordBucket(pairs->part), pairs->active.data);
    if (pairs->walk.findsKnown)
        findKnown(pairs);
}

static grzResult goToNow(grzChordPairs* pairs, grzTasks* tasks) {
    const ChordPiece piece = pieceNow(pairs->walk.sides);
    const ChordSearch* now = &pairs->searches[pairs->current];
    uint32_t current = pairs->current;
    if (!now->isDone || !(isSamePiece(&now->piece, &piece) || isEndOf(pairs->walk.sides, &piece, &now->piece))) {
        current = !current;
        ChordSearch* search = &pairs->searches[current];
        if (!finish(search, pairs, tasks, &piece))
            return grzNoMemory(search->pairs.capacity, sizeof(grzLeafPair));
    }
    pairs->current = current;
    pairs->time = grzChordTree_Time(anyTree(pairs));
    pairs->part = partOf(&pairs->searches[current].piece, pairs->time);
    findActive(pairs);
    walkAhead(pairs, tasks);
    return grzOk();
}

// Its contours are those of the hierarchy when it was made.
static grzResult makeCull(ChordWalk* walk) {
    const grzChordTree* tree = walk->sides[0].tree;
    grzSelfCullDef def = grzDefaultSelfCullDef();
    grzSelfCull* cull;
    def.bvh = tree->bvh, def.numbering = tree->numbering, def.allocator = walk->allocator;
    const grzResult result = grzSelfCull_Create(&def, &cull);
    if (!grzResult_IsOk(result))
        return result;
    grzSelfCull_Destroy(walk->cull);
    walk->cull = cull;
    return grzOk();
}

grzResult grzChordPairs_Advance(grzChordPairs* pairs, grzTasks* tasks) {
    GRZ_REFUSE_NULL(pairs, 1);
    ChordWalk* walk = &pairs->walk;
    const char* flaw = flawOfTrees(walk->sides[0].tree, walk->sides[1].tree);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    if (walk->cull != NULL && !grzSelfCull_Fits(walk->cull, walk->sides[0].bvh)) {
        const grzResult result = makeCull(walk);
        if (!grzResult_IsOk(result))
            return result;
    }
    if (lookAtSides(walk))
        forgetSearches(pairs);
    return goToNow(pairs, tasks);
}

void grzChordPairs_SetNodes(grzChordPairs* pairs, const grzBvhNode* nodesB) {
    GRZ_RETURN_IF_NULL(pairs, );
    if (nodesB != NULL)
        pairs->walk.sides[1].nodes = nodesB;
    forgetSearches(pairs);
}

grzResult grzChordPairs_SetMargin(grzChordPairs* pairs, float margin) {
    GRZ_REFUSE_NULL(pairs, 1);
    const char* flaw = flawOfMargin(margin, pairs->walk.cull != NULL);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 2), flaw);
    if (margin != pairs->walk.margin)
        forgetSearches(pairs);
    pairs->walk.margin = margin;
    return grzOk();
}

// ---- making it ----

static void fillSides(ChordWalk* walk, const grzChordPairsDef* def) {
    walk->sides[0] = (ChordSide){.tree = def->treeA, .bvh = def->treeA->bvh};
    walk->sides[1] = (ChordSide){.tree = def->treeB, .bvh = def->bvhB, .nodes = def->nodesB};
    if (def->treeB != NULL)
        walk->sides[1].bvh = def->treeB->bvh;
    walk->isSelf = def->treeA == def->treeB;
    (void)lookAtSides(walk);
}

grzResult grzChordPairs_Create(const grzChordPairsDef* def, grzChordPairs** made) {
    GRZ_REFUSE_NULL(made, 2);
    *made = NULL;
    if (def == NULL || def->mark != DEF_MARK)
        return grzFail(grz_badDef, 0);
    const char* flaw = flawOf(def);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    grzAllocator allocator = def->allocator;
    grzResult result;
    grzChordPairs* pairs = grzOwner_New(&allocator, 1, sizeof *pairs, _Alignof(grzChordPairs), &result);
    if (pairs == NULL)
        return result;
    pairs->walk.allocator = allocator;
    pairs->walk.margin = def->margin;
    pairs->walk.findsKnown = def->findsKnown;
    fillSides(&pairs->walk, def);
    result = def->cullsSelf ? makeCull(&pairs->walk) : grzOk();
    if (grzResult_IsOk(result))
        result = goToNow(pairs, def->tasks);
    if (grzResult_IsOk(result))
        *made = pairs;
    else
        grzChordPairs_Destroy(pairs);
    return result;
}

void grzChordPairs_Destroy(grzChordPairs* pairs) {
    if (pairs == NULL)
        return;
    const grzAllocator allocator = pairs->walk.allocator;
    for (int i = 0; i < 2; ++i)
        grzChordSearch_Release(&pairs->searches[i], &allocator);
    grzChordWalk_Release(&pairs->walk);
    grzArray_Release(&pairs->active, &allocator);
    grzArray_Release(&pairs->known, &allocator);
    grzRelease(&allocator, pairs, 1, sizeof *pairs, _Alignof(grzChordPairs));
}

// ---- what there is ----

grzChordPairsView grzChordPairs_GetView(const grzChordPairs* pairs) {
    GRZ_RETURN_IF_NULL(pairs, (grzChordPairsView){0});
    const ChordSearch* search = &pairs->searches[pairs->current];
    return (grzChordPairsView){.begin = search->piece.begin,
                               .end = search->piece.end,
                               .time = pairs->time,
                               .pairs = search->pairs.data,
                               .count = search->pairs.count,
                               .active = pairs->active.data,
                               .known = pairs->known.data,
                               .wordCount = pairs->active.count,
                               .activeCount = pairs->activeCount};
}

void grzChordPairs_Write(const grzChordPairs* pairs, grzLeafPair* to) {
    GRZ_RETURN_IF_NULL(pairs, );
    GRZ_RETURN_IF_NULL(to, );
    const grzChordPairsView view = grzChordPairs_GetView(pairs);
    GRZ_PICK_KERNEL(grzLeafPairsTake)(view.pairs, view.active, view.wordCount, to, view.activeCount);
}

size_t grzChordPairs_MemorySize(const grzChordPairs* pairs) {
    GRZ_RETURN_IF_NULL(pairs, 0);
    return sizeof *pairs + grzChordWalk_Size(&pairs->walk) +
           (pairs->active.capacity + pairs->known.capacity) * sizeof(uint64_t) +
           grzChordSearch_Size(&pairs->searches[0]) + grzChordSearch_Size(&pairs->searches[1]);
}

grzChordPairsStats grzChordPairs_GetStats(const grzChordPairs* pairs) {
    GRZ_RETURN_IF_NULL(pairs, (grzChordPairsStats){0});
    return pairs->stats;
}
