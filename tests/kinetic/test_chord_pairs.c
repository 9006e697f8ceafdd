// Chord pairs: at every time they contain the leaves that overlap there, by brute force, and at keyframes they are exactly these; their
// times are those of chords in real arithmetic, a little wider; for two trees, with the same keyframes or others, beside what rests,
// and within one tree; in any order of times, with keyframes that come and go, and edits; lazy trees give the same bytes and make
// only what the walk reads; the next piece is walked ahead; the same bytes for any workers and at every level.
#include "testing.h"

#include <math.h>

#include "chord_inside.h"
#include "graze/bvh_edit.h"
#include "graze/stage/node_pairs.h"
#include "graze/tri_pairs.h"
#include "rng.h"
#include "simd_dispatch.h"

static void ok(grzResult result) {
    char text[128];
    if (!grzResult_IsOk(result))
        fail_msg("%s", grzResult_Text(result, text, sizeof text));
}

static void* take(size_t count, size_t size) {
    void* memory = calloc(count + 1, size);
    assert_non_null(memory);
    return memory;
}

// ---- scenes ----

enum { FRAMES = 5 };

typedef struct Sheet {
    uint32_t side, vertexCount, triangleCount;
    float* frames[FRAMES];
    float* positions;
    uint32_t* triangles;
    double interval; // between keyframes
    grzBvh* bvh;
    grzFlightplan* plan;
    grzChordTree* tree;
    grzBvhNode* nodes;
} Sheet;

typedef enum Motion {
    waving,  // slides and waves
    noisy,   // each vertex by itself
    passing, // falls through where it stands at keyframes
    resting, // flat, at a height that floats have
    MOTIONS,
} Motion;

static float heightOf(Motion motion, grzRng* rng, float x, float y, int frame) {
    switch (motion) {
    case waving:
        return 0.3F * sinf(3 * x + 2 * y + 0.7F * (float)frame);
    case noisy:
        return 0.3F * (2 * grzRng_Float(rng) - 1);
    case passing:
        return (frame % 2 == 0 ? 1.0F : -1.0F) * (0.2F + 0.1F * x);
    case resting:
    case MOTIONS:
        break;
    }
    return 0;
}

static void place(Sheet* sheet, Motion motion, grzRng* rng, float offset) {
    const float size = 2.0F / (float)(sheet->side - 1);
    for (int f = 0; f < FRAMES; ++f)
        for (uint32_t v = 0; v < sheet->vertexCount; ++v) {
            const float x = size * (float)(v % sheet->side), y = size * (float)(v / sheet->side);
            const float slide = motion == resting ? 0 : 0.11F * (float)f;
            sheet->frames[f][3 * v] = offset + x + slide;
            sheet->frames[f][3 * v + 1] = y;
            sheet->frames[f][3 * v + 2] = offset + heightOf(motion, rng, x, y, f);
        }
}

static void makeBvh(Sheet* sheet) {
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = sheet->frames[0], def.vertexCount = sheet->vertexCount;
    def.triangles = sheet->triangles, def.triangleCount = sheet->triangleCount;
    ok(grzBvh_Create(&def, &sheet->bvh));
    sheet->nodes = take(grzBvh_GetView(sheet->bvh).nodeCount, sizeof(grzBvhNode));
}

static void addFrames(const Sheet* sheet) {
    for (int f = 0; f < FRAMES; ++f)
        ok(grzFlightplan_AddKeyframe(sheet->plan, sheet->interval * f, sheet->frames[f], 0));
}

static void makeTree(Sheet* sheet, bool isLazy, float readyBy) {
    grzChordTreeDef def = grzDefaultChordTreeDef();
    def.bvh = sheet->bvh, def.plan = sheet->plan, def.isLazy = isLazy, def.readyBy = readyBy;
    ok(grzChordTree_Create(&def, &sheet->tree));
}

// A square of so many vertices a side, with a tree at its first keyframe.
static Sheet makeSheet(grzRng* rng, uint32_t side, Motion motion, float offset) {
    Sheet sheet = {
        .side = side, .vertexCount = side * side, .triangleCount = 2 * (side - 1) * (side - 1), .interval = 1};
    for (int f = 0; f < FRAMES; ++f)
        sheet.frames[f] = take(3 * (size_t)sheet.vertexCount, sizeof(float));
    sheet.positions = take(3 * (size_t)sheet.vertexCount, sizeof(float));
    sheet.triangles = take(3 * (size_t)sheet.triangleCount, sizeof(uint32_t));
    for (uint32_t i = 0; i < sheet.triangleCount / 2; ++i) {
        const uint32_t corner = i / (side - 1) * side + i % (side - 1);
        const uint32_t six[6] = {corner, corner + 1, corner + side, corner + 1, corner + side + 1, corner + side};
        memcpy(sheet.triangles + 6 * (size_t)i, six, sizeof six);
    }
    place(&sheet, motion, rng, offset);
    makeBvh(&sheet);
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.vertexCount = sheet.vertexCount;
    ok(grzFlightplan_Create(&def, &sheet.plan));
    return sheet;
}

static Sheet makeReadySheet(grzRng* rng, uint32_t side, Motion motion, float offset) {
    Sheet sheet = makeSheet(rng, side, motion, offset);
    addFrames(&sheet);
    makeTree(&sheet, false, 0.3F);
    return sheet;
}

static void dropSheet(Sheet* sheet) {
    for (int f = 0; f < FRAMES; ++f)
        free(sheet->frames[f]);
    free(sheet->positions), free(sheet->triangles), free(sheet->nodes);
    grzChordTree_Destroy(sheet->tree);
    grzFlightplan_Destroy(sheet->plan);
    grzBvh_Destroy(sheet->bvh);
}

// Boxes of the positions that the sheet holds.
static void refit(Sheet* sheet) {
    grzBvhRefit def = grzDefaultBvhRefit();
    def.positions = sheet->positions, def.numbering = grz_bvhCallersNumbers;
    ok(grzBvh_Refit(sheet->bvh, NULL, &def, sheet->nodes));
}

// As the plan has it, or as a host that interpolates in float.
static void goTo(Sheet* sheet, double time, bool isHost) {
    ok(grzFlightplan_Evaluate(sheet->plan, NULL, time, sheet->positions, 0));
    const double at = floor(time / sheet->interval);
    const float part = (float)(floor((time / sheet->interval - at) * 0x1p24) * 0x1p-24);
    for (size_t i = 0; i < 3 * (size_t)sheet->vertexCount && isHost && part != 0; ++i)
        sheet->positions[i] = (1 - part) * sheet->frames[(int)at][i] + part * sheet->frames[(int)at + 1][i];
    refit(sheet);
}

// ---- the reference ----

typedef struct Box {
    float lower[3], upper[3];
} Box;

static Box leafBox(const grzBvh* bvh, const grzBvhNode* nodes, uint32_t leaf) {
    const grzBvhView view = grzBvh_GetView(bvh);
    const grzBvhNode* node = &nodes[grzBvhView_BottomStart(&view) + leaf / 8];
    Box box;
    for (int axis = 0; axis < 3; ++axis)
        box.lower[axis] = node->lower[axis][leaf % 8], box.upper[axis] = node->upper[axis][leaf % 8];
    return box;
}

static float margin; // of all pairs that are made

static bool overlap(const Box* a, const Box* b) {
    for (int axis = 0; axis < 3; ++axis)
        if (!(a->lower[axis] - margin <= b->upper[axis] && b->lower[axis] <= a->upper[axis] + margin))
            return false;
    return true;
}

// Every pair of leaves by its number, leafA * leaves of B + leafB: those that are active.
static uint8_t* markActive(const grzChordPairs* pairs, uint32_t leavesA, uint32_t leavesB, bool isSelf) {
    const grzChordPairsView view = grzChordPairs_GetView(pairs);
    uint8_t* marks = take((size_t)leavesA * leavesB, 1);
    size_t count = 0;
    assert_true(grzChordPairs_Validate(pairs));
    for (size_t i = 0; i < view.count; ++i) {
        const grzLeafPair* pair = &view.pairs[i];
        assert_true(pair->leafA < leavesA && pair->leafB < leavesB && pair->t0 >= 0 && pair->t0 <= pair->t1 &&
                    pair->t1 <= 1);
        assert_true(!isSelf || pair->leafA <= pair->leafB);
        assert_true(i == 0 || pair[-1].leafA < pair->leafA ||
                    (pair[-1].leafA == pair->leafA && pair[-1].leafB < pair->leafB));
        if ((view.active[i / 64] >> i % 64 & 1) == 0)
            continue;
        marks[(size_t)pair->leafA * leavesB + pair->leafB] = 1;
        ++count;
    }
    assert_int_equal(count, view.activeCount);
    return marks;
}

typedef struct Count {
    size_t found, exact;
} Count;

// All leaves that overlap are active; where it is exact no others are.
static Count expectContains(const grzChordPairs* pairs, const Sheet* a, const Sheet* b, bool isExact) {
    const uint32_t leavesA = grzBvh_GetView(a->bvh).leafCount, leavesB = grzBvh_GetView(b->bvh).leafCount;
    uint8_t* marks = markActive(pairs, leavesA, leavesB, a == b);
    Count count = {grzChordPairs_GetView(pairs).activeCount, 0};
    for (uint32_t i = 0; i < leavesA; ++i) {
        const Box own = leafBox(a->bvh, a->nodes, i);
        for (uint32_t k = a == b ? i : 0; k < leavesB; ++k) {
            const Box other = leafBox(b->bvh, b->nodes, k);
            const bool does = overlap(&own, &other);
            assert_true(!does || marks[(size_t)i * leavesB + k]);
            count.exact += does;
        }
    }
    if (isExact)
        assert_int_equal(count.found, count.exact);
    free(marks);
    return count;
}

static grzChordPairs* makePairs(const Sheet* a, const Sheet* b, grzTasks* tasks) {
    grzChordPairsDef def = grzDefaultChordPairsDef();
    def.treeA = a->tree, def.tasks = tasks;
    def.margin = margin;
    if (b->tree != NULL)
        def.treeB = b->tree;
    else
        def.bvhB = b->bvh, def.nodesB = b->nodes;
    grzChordPairs* pairs;
    ok(grzChordPairs_Create(&def, &pairs));
    return pairs;
}

static void advance(grzChordPairs* pairs, Sheet* a, Sheet* b, grzTasks* tasks, double time) {
    ok(grzChordTree_Advance(a->tree, tasks, time));
    if (b != a && b->tree != NULL)
        ok(grzChordTree_Advance(b->tree, tasks, time));
    ok(grzChordPairs_Advance(pairs, tasks));
    assert_true(grzChordPairs_GetView(pairs).time == time);
}

static Count check(grzChordPairs* pairs, Sheet* a, Sheet* b, double time) {
    const bool isFrame = floor(time / a->interval) * a->interval == time &&
                         (b->tree == NULL || floor(time / b->interval) * b->interval == time);
    Count count = {0, 0};
    for (int isHost = 0; isHost < 2; ++isHost) {
        goTo(a, time, isHost != 0);
        if (b != a && b->tree != NULL)
            goTo(b, time, isHost != 0);
        count = expectContains(pairs, a, b, isFrame);
    }
    return count;
}

// ---- contained, at all times ----

static void goThrough(Sheet* a, Sheet* b, grzRng* rng) {
    ok(grzChordTree_Advance(a->tree, NULL, 0));
    if (b->tree != NULL)
        ok(grzChordTree_Advance(b->tree, NULL, 0));
    grzChordPairs* pairs = makePairs(a, b, NULL);
    const double end = fmin(a->interval, b->tree != NULL ? b->interval : a->interval) * (FRAMES - 1);
    for (int k = 0; k <= 7 * (FRAMES - 1); ++k) {
        advance(pairs, a, b, NULL, end * k / (7 * (FRAMES - 1)));
        check(pairs, a, b, end * k / (7 * (FRAMES - 1)));
    }
    for (int k = 0; k < 12; ++k) { // jumps, also back and to keyframes
        double time = (double)grzRng_Float(rng) * end;
        time = k % 3 == 0 ? floor(time / a->interval) * a->interval : time;
        advance(pairs, a, b, NULL, time);
        check(pairs, a, b, time);
    }
    grzChordPairs_Destroy(pairs);
}

static void twoTreesContainBruteForce(void** state) {
    (void)state;
    static const float offsets[] = {0, 1000, 1e6F};
    grzRng rng = grzRng_Make(testSeed(931), 0);
    for (int a = 0; a < MOTIONS; ++a)
        for (int b = a; b < MOTIONS; ++b)
            for (int o = 0; o < 3; ++o) {
                Sheet first = makeReadySheet(&rng, 19, (Motion)a, offsets[o]);
                Sheet second = makeReadySheet(&rng, a == b ? 14 : 7, (Motion)b, offsets[o]);
                goThrough(&first, &second, &rng);
                goThrough(&second, &first, &rng);
                dropSheet(&first);
                dropSheet(&second);
            }
}

// Far from the origin many sides are the same number.
static void otherKeyframesMakePieces(void** state) {
    (void)state;
    static const float offsets[] = {0, 1e6F};
    grzRng rng = grzRng_Make(testSeed(932), 0);
    for (int motion = 0; motion < MOTIONS; ++motion)
        for (int o = 0; o < 2; ++o) {
            Sheet first = makeReadySheet(&rng, 19, (Motion)motion, offsets[o]);
            Sheet second = makeSheet(&rng, 14, noisy, offsets[o]);
            second.interval = 0.3125;
            addFrames(&second);
            makeTree(&second, false, 0.3F);
            goThrough(&first, &second, &rng);
            goThrough(&second, &first, &rng);
            dropSheet(&first);
            dropSheet(&second);
        }
}

static void whatRestsIsASide(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(933), 0);
    for (int motion = 0; motion < MOTIONS; ++motion) {
        Sheet first = makeReadySheet(&rng, 19, (Motion)motion, 0);
        Sheet second = makeSheet(&rng, motion == passing ? 40 : 9, waving, 0);
        memcpy(second.positions, second.frames[1], 3 * (size_t)second.vertexCount * sizeof(float));
        refit(&second);
        goThrough(&first, &second, &rng);
        grzChordPairs* pairs = makePairs(&first, &second, NULL);
        memcpy(second.positions, second.frames[3], 3 * (size_t)second.vertexCount * sizeof(float));
        refit(&second);
        grzChordPairs_SetNodes(pairs, NULL);
        ok(grzChordPairs_Advance(pairs, NULL));
        check(pairs, &first, &second, grzChordTree_Time(first.tree));
        grzChordPairs_Destroy(pairs);
        dropSheet(&first);
        dropSheet(&second);
    }
}

// With all that the tests above do, of boxes that come within a distance of each other; small beside the coordinates, and large.
static void withinAMargin(void** state) {
    static const float margins[] = {0.01F, 0.3F, 1};
    for (int m = 0; m < 3; ++m) {
        margin = margins[m];
        if (m == 0)
            twoTreesContainBruteForce(state);
        else
            otherKeyframesMakePieces(state);
        whatRestsIsASide(state);
    }
    margin = 0;
}

// What is set from one call to the next is searched again, and what was is not.
static void marginsChange(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(941), 0);
    Sheet a = makeReadySheet(&rng, 19, waving, 0), b = makeReadySheet(&rng, 14, noisy, 0);
    grzChordPairs* pairs = makePairs(&a, &b, NULL);
    size_t before = 0;
    for (int k = 0; k < 4; ++k) {
        margin = 0.1F * (float)k;
        ok(grzChordPairs_SetMargin(pairs, margin));
        advance(pairs, &a, &b, NULL, 0.5 + 0.1 * k);
        const size_t found = check(pairs, &a, &b, 0.5 + 0.1 * k).found;
        assert_true(found > before);
        before = found;
        ok(grzChordPairs_SetMargin(pairs, margin));
        advance(pairs, &a, &b, NULL, 0.55 + 0.1 * k);
        assert_int_equal(grzChordPairs_GetStats(pairs).pieces, k + 1);
    }
    assert_int_equal(grzChordPairs_SetMargin(pairs, -0x1p-140F).status, grz_badArgument);
    assert_int_equal(grzChordPairs_SetMargin(pairs, INFINITY).status, grz_badArgument);
    assert_int_equal(grzChordPairs_SetMargin(pairs, (float)NAN).status, grz_badArgument);
    margin = 0;
    grzChordPairs_Destroy(pairs);
    dropSheet(&a), dropSheet(&b);
}

static void oneTreeMeetsItself(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(934), 0);
    for (int motion = 0; motion < MOTIONS; ++motion) {
        Sheet sheet = makeReadySheet(&rng, 25, (Motion)motion, 0);
        goThrough(&sheet, &sheet, &rng);
        margin = 0.04F;
        goThrough(&sheet, &sheet, &rng);
        margin = 0;
        dropSheet(&sheet);
    }
}

// Of one triangle, of one leaf, one node, one chunk, and past each; none; and one that is far from the other.
static void sizesOfAllKinds(void** state) {
    (void)state;
    static const uint32_t sides[] = {2, 3, 5, 6, 12, 13, 46};
    grzRng rng = grzRng_Make(testSeed(935), 0);
    Sheet big = makeReadySheet(&rng, 30, passing, 0);
    for (size_t s = 0; s < sizeof sides / sizeof sides[0]; ++s) {
        Sheet sheet = makeReadySheet(&rng, sides[s], waving, 0);
        goThrough(&sheet, &big, &rng);
        goThrough(&big, &sheet, &rng);
        goThrough(&sheet, &sheet, &rng);
        dropSheet(&sheet);
    }
    Sheet none = makeSheet(&rng, 2, waving, 0);
    grzBvh_Destroy(none.bvh);
    free(none.nodes);
    none.triangleCount = 0;
    makeBvh(&none);
    addFrames(&none);
    makeTree(&none, false, 1);
    ok(grzChordTree_Advance(big.tree, NULL, 0));
    Sheet far = makeReadySheet(&rng, 3, waving, 1000);
    Sheet* const apart[] = {&none, &far};
    for (int k = 0; k < 2; ++k) {
        grzChordPairs* pairs = makePairs(apart[k], &big, NULL);
        assert_int_equal(grzChordPairs_GetView(pairs).count, 0);
        grzChordPairs_Destroy(pairs);
        dropSheet(apart[k]);
    }
    dropSheet(&big);
}

// ---- times ----

// When two boxes that move in straight lines overlap, in double; begin > end: never. Sides are moved apart by so much.
typedef struct Interval {
    double begin, end;
} Interval;

static void cutTo(Interval* found, double atBegin, double atEnd) {
    if (atBegin < 0 && atEnd < 0)
        *found = (Interval){1, 0};
    else if (atBegin < 0)
        found->begin = fmax(found->begin, atBegin / (atBegin - atEnd));
    else if (atEnd < 0)
        found->end = fmin(found->end, atBegin / (atBegin - atEnd));
}

static Interval whenOverlap(const Box a[2], const Box b[2], double more) {
    Interval found = {0, 1};
    for (int axis = 0; axis < 3 && found.begin <= found.end; ++axis) {
        double below[2], above[2];
        for (int end = 0; end < 2; ++end) {
            below[end] = (double)b[end].upper[axis] - (double)a[end].lower[axis] + more;
            above[end] = (double)a[end].upper[axis] - (double)b[end].lower[axis] + more;
        }
        cutTo(&found, below[0], below[1]);
        if (found.begin <= found.end)
            cutTo(&found, above[0], above[1]);
    }
    return found;
}

static const grzLeafPair* findPair(const grzChordPairsView* view, uint32_t a, uint32_t b, size_t* from) {
    while (*from < view->count &&
           (view->pairs[*from].leafA < a || (view->pairs[*from].leafA == a && view->pairs[*from].leafB < b)))
        ++*from;
    const bool isThere = *from < view->count && view->pairs[*from].leafA == a && view->pairs[*from].leafB == b;
    return isThere ? &view->pairs[*from] : NULL;
}

// A pair is there if its chords overlap, from when to when they do; all in all not for much longer.
static void timesAreThoseOfChords(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(936), 0);
    size_t parts = 0;
    double listed = 0, exact = 0; // how long they overlap, all in all
    for (int motion = 0; motion < MOTIONS; ++motion) {
        Sheet a = makeReadySheet(&rng, 19, (Motion)motion, 0), b = makeReadySheet(&rng, 16, noisy, 0);
        grzChordPairs* pairs = makePairs(&a, &b, NULL);
        const grzChordPairsView view = grzChordPairs_GetView(pairs);
        const uint32_t leavesA = grzBvh_GetView(a.bvh).leafCount, leavesB = grzBvh_GetView(b.bvh).leafCount;
        size_t from = 0;
        for (uint32_t i = 0; i < leavesA; ++i)
            for (uint32_t k = 0; k < leavesB; ++k) {
                Box own[2], other[2];
                for (int end = 0; end < 2; ++end) {
                    own[end] = leafBox(a.bvh, a.tree->sets[end].nodes, i);
                    other[end] = leafBox(b.bvh, b.tree->sets[end].nodes, k);
                }
                const Interval is = whenOverlap(own, other, 0), wide = whenOverlap(own, other, 4e-6);
                const grzLeafPair* pair = findPair(&view, i, k, &from);
                assert_true(pair != NULL || is.begin > is.end);
                listed += pair != NULL ? (double)pair->t1 - (double)pair->t0 : 0;
                exact += wide.begin <= wide.end ? wide.end - wide.begin : 0;
                if (is.begin <= is.end) {
                    assert_true((double)pair->t0 <= is.begin && is.end <= (double)pair->t1);
                    assert_true((pair->t0 == 0) == (is.begin == 0) && (pair->t1 == 1) == (is.end == 1));
                    parts += is.begin > 0 && is.end < 1;
                }
            }
        grzChordPairs_Destroy(pairs);
        dropSheet(&a);
        dropSheet(&b);
    }
    assert_true(parts > 100 && listed < 1.02 * exact);
}

// ---- triangles ----

// Every pair of triangles that intersect is of an active pair of leaves.
static void expectTriangles(const grzChordPairs* pairs, const Sheet* a, const Sheet* b) {
    const grzBvhView viewA = grzBvh_GetView(a->bvh), viewB = grzBvh_GetView(b->bvh);
    const size_t all = (size_t)a->triangleCount * b->triangleCount;
    uint8_t* marks = markActive(pairs, viewA.leafCount, viewB.leafCount, false);
    grzTrianglePair* tested = take(all, sizeof *tested);
    uint8_t* kinds = take(all, 1);
    for (size_t i = 0; i < all; ++i) {
        tested[i].triangleA = viewA.triangleToCaller[i / b->triangleCount];
        tested[i].triangleB = viewB.triangleToCaller[i % b->triangleCount];
    }
    const grzTriPairQuery query = {{a->positions, a->triangles, a->vertexCount, a->triangleCount},
                                   {b->positions, b->triangles, b->vertexCount, b->triangleCount},
                                   tested,
                                   (uint32_t)all,
                                   0};
    grzTriPairs_Classify(NULL, &query, kinds);
    size_t found = 0;
    for (size_t i = 0; i < all; ++i) {
        const size_t leaf = i / b->triangleCount / 4 * viewB.leafCount + i % b->triangleCount / 4;
        assert_true(kinds[i] == 0 || marks[leaf]);
        found += kinds[i] != 0;
    }
    assert_true(found > 0);
    free(marks), free(tested), free(kinds);
}

static void intersectingTrianglesAreAmongThem(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(937), 0);
    Sheet a = makeReadySheet(&rng, 15, waving, 0), b = makeReadySheet(&rng, 13, noisy, 0);
    grzChordPairs* pairs = makePairs(&a, &b, NULL);
    for (int k = 0; k <= 10 * (FRAMES - 1); ++k) {
        advance(pairs, &a, &b, NULL, 0.1 * k);
        goTo(&a, 0.1 * k, false);
        goTo(&b, 0.1 * k, false);
        expectTriangles(pairs, &a, &b);
    }
    grzChordPairs_Destroy(pairs);
    dropSheet(&a);
    dropSheet(&b);
}

// ---- keyframes and edits ----

static void keyframesMayComeAndGo(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(938), 0);
    Sheet a = makeSheet(&rng, 20, waving, 0), b = makeSheet(&rng, 17, noisy, 0);
    Sheet* both[2] = {&a, &b};
    for (int i = 0; i < 2; ++i) {
        ok(grzFlightplan_AddKeyframe(both[i]->plan, 0, both[i]->frames[0], 0));
        makeTree(both[i], false, 0.3F);
    }
    grzChordPairs* pairs = makePairs(&a, &b, NULL);
    for (int f = 1; f < FRAMES; ++f) {
        check(pairs, &a, &b, f - 1);
        for (int i = 0; i < 2; ++i)
            ok(grzFlightplan_AddKeyframe(both[i]->plan, f, both[i]->frames[f], 0));
        for (int k = 1; k <= 4; ++k) {
            advance(pairs, &a, &b, NULL, f - 1 + 0.25 * k);
            for (int i = 0; i < 2; ++i)
                grzFlightplan_DropKeyframes(both[i]->plan, f - 1 + 0.25 * k);
            check(pairs, &a, &b, f - 1 + 0.25 * k);
        }
    }
    grzChordPairs_Destroy(pairs);
    dropSheet(&a);
    dropSheet(&b);
}

// Triangles go; trees must follow before pairs go on.
static void editsAreFollowed(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(939), 0);
    Sheet a = makeReadySheet(&rng, 20, waving, 0), b = makeReadySheet(&rng, 17, noisy, 0);
    grzChordPairs* pairs = makePairs(&a, &b, NULL);
    advance(pairs, &a, &b, NULL, 0.75); // the next piece is begun
    uint32_t removed[90];
    for (uint32_t i = 0; i < 90; ++i)
        removed[i] = 3 * i;
    const grzBvhEdit edit = {.removed = removed, .removedCount = 90};
    ok(grzBvh_Edit(a.bvh, &edit));
    assert_int_equal(grzChordPairs_Advance(pairs, NULL).status, grz_badArgument);
    ok(grzChordTree_Follow(a.tree, NULL));
    ok(grzChordPairs_Advance(pairs, NULL));
    check(pairs, &a, &b, 0.75);
    advance(pairs, &a, &b, NULL, 1.5);
    check(pairs, &a, &b, 1.5);
    grzChordPairs_Destroy(pairs);
    dropSheet(&a);
    dropSheet(&b);
}

// ---- lazy trees, and work ahead ----

static void expectSamePairs(const grzChordPairs* a, const grzChordPairs* b) {
    const grzChordPairsView viewA = grzChordPairs_GetView(a), viewB = grzChordPairs_GetView(b);
    assert_int_equal(viewA.count, viewB.count);
    assert_int_equal(viewA.activeCount, viewB.activeCount);
    assert_memory_equal(viewA.pairs, viewB.pairs, viewA.count * sizeof *viewA.pairs);
    assert_memory_equal(viewA.active, viewB.active, viewA.wordCount * sizeof *viewA.active);
}

static void lazyTreesMakeWhatIsVisited(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(940), 0);
    Sheet a = makeReadySheet(&rng, 60, passing, 0), lazy = makeSheet(&rng, 60, passing, 0);
    Sheet b = makeSheet(&rng, 20, waving, 0);
    memcpy(b.positions, b.frames[0], 3 * (size_t)b.vertexCount * sizeof(float));
    for (uint32_t i = 0; i < 3 * b.vertexCount; ++i)
        b.positions[i] *= 0.2F; // below a corner
    refit(&b);
    addFrames(&lazy);
    makeTree(&lazy, true, 1);
    grzChordPairs *eagerPairs = makePairs(&a, &b, NULL), *lazyPairs = makePairs(&lazy, &b, NULL);
    for (int k = 1; k <= 4 * (FRAMES - 1); ++k) {
        advance(eagerPairs, &a, &b, NULL, 0.25 * k);
        advance(lazyPairs, &lazy, &b, NULL, 0.25 * k);
        expectSamePairs(eagerPairs, lazyPairs);
    }
    const uint64_t reached = grzChordTree_GetStats(lazy.tree).chunks;
    assert_true(reached > 0 && reached < (FRAMES - 1) * grzBvh_GetView(lazy.bvh).chunkCount / 2);
    grzChordPairs_Destroy(eagerPairs);
    grzChordPairs_Destroy(lazyPairs);
    dropSheet(&a);
    dropSheet(&lazy);
    dropSheet(&b);
}

// Nearly all of each piece but the first is walked before it begins, and however time came there it is the same.
static void piecesAreWalkedAhead(void** state) {
    (void)state;
    enum { STEPS = 20 };
    grzRng rng = grzRng_Make(testSeed(941), 0);
    Sheet a = makeReadySheet(&rng, 60, waving, 0), b = makeReadySheet(&rng, 55, noisy, 0);
    grzChordPairs* pairs = makePairs(&a, &b, NULL);
    const uint64_t first = grzChordPairs_GetStats(pairs).parts;
    for (int k = 1; k <= STEPS * (FRAMES - 1); ++k) {
        advance(pairs, &a, &b, NULL, (double)k / STEPS);
        check(pairs, &a, &b, (double)k / STEPS);
        if (k == STEPS * (FRAMES - 1))
            break; // the piece that ends there, and not that keyframe alone
        grzChordPairs* fresh = makePairs(&a, &b, NULL);
        expectSamePairs(pairs, fresh);
        grzChordPairs_Destroy(fresh);
    }
    const grzChordPairsStats stats = grzChordPairs_GetStats(pairs);
    assert_int_equal(stats.pieces, FRAMES - 1);
    assert_true((double)stats.early > 0.5 * (double)(stats.parts - first));
    grzChordPairs_Destroy(pairs);
    dropSheet(&a);
    dropSheet(&b);
}

// Where keyframes of one come between those of the other, too.
static void piecesBetweenOtherKeyframesAreWalkedAhead(void** state) {
    (void)state;
    enum { STEPS = 90 };
    grzRng rng = grzRng_Make(testSeed(945), 0);
    Sheet a = makeReadySheet(&rng, 60, waving, 0), b = makeSheet(&rng, 55, noisy, 0);
    b.interval = 0.75;
    addFrames(&b);
    makeTree(&b, false, 0.3F);
    grzChordPairs* pairs = makePairs(&a, &b, NULL);
    const uint64_t first = grzChordPairs_GetStats(pairs).parts;
    for (int k = 1; k <= STEPS; ++k)
        advance(pairs, &a, &b, NULL, 3.0 * k / STEPS);
    const grzChordPairsStats stats = grzChordPairs_GetStats(pairs);
    assert_int_equal(stats.pieces, 6); // 0, 0.75, 1, 1.5, 2, 2.25, 3
    assert_true(2 * stats.early > stats.parts - first);
    grzChordPairs_Destroy(pairs);
    dropSheet(&a);
    dropSheet(&b);
}

// ---- sameness, and refusals ----

static void everythingIsTheSameForAnyWorkersAndLevel(void** state) {
    (void)state;
    static const uint32_t workers[] = {1, 2, 3, 8};
    grzRng rng = grzRng_Make(testSeed(942), 0);
    Sheet a = makeReadySheet(&rng, 50, waving, 0), b = makeReadySheet(&rng, 45, noisy, 0);
    Sheet* sides[2] = {&b, &a}; // another one, and itself
    for (int s = 0; s < 2; ++s)
        for (int level = grz_simdScalar; level < 32; ++level) {
            if ((grzSimd_SupportedBits() >> level & 1) == 0)
                continue;
            ok(grzChordTree_Advance(a.tree, NULL, 0));
            ok(grzChordTree_Advance(b.tree, NULL, 0));
            grzChordPairs* usual = makePairs(&a, sides[s], NULL);
            const grzSimdLevel before = grzSimd_Force((grzSimdLevel)level);
            for (size_t w = 0; w < 4; ++w) {
                grzTasksDef def = grzDefaultTasksDef();
                def.workerCount = workers[w];
                grzTasks* tasks;
                ok(grzTasks_Create(&def, &tasks));
                grzChordPairs* pairs = makePairs(&a, sides[s], tasks);
                for (int k = 1; k < 8; ++k) {
                    advance(pairs, &a, sides[s], tasks, 0.2 * k);
                    grzSimd_Force(before);
                    ok(grzChordPairs_Advance(usual, NULL));
                    grzSimd_Force((grzSimdLevel)level);
                    expectSamePairs(pairs, usual);
                }
                grzChordPairs_Destroy(pairs);
                grzTasks_Destroy(tasks);
            }
            grzSimd_Force(before);
            grzChordPairs_Destroy(usual);
        }
    dropSheet(&a);
    dropSheet(&b);
}

static void badDefsAreRefused(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(943), 0);
    Sheet a = makeReadySheet(&rng, 9, waving, 0), b = makeReadySheet(&rng, 8, noisy, 0);
    const grzChordPairsDef usual = grzDefaultChordPairsDef();
    grzChordPairsDef defs[7] = {usual, usual, usual, usual, usual, usual, usual};
    defs[0].treeB = b.tree;
    defs[1].treeA = a.tree;
    defs[2].treeA = a.tree, defs[2].treeB = b.tree, defs[2].bvhB = b.bvh, defs[2].nodesB = b.nodes;
    defs[3].treeA = a.tree, defs[3].bvhB = b.bvh;
    defs[4].treeA = a.tree, defs[4].treeB = b.tree, defs[4].nodesB = b.nodes;
    defs[5].treeA = a.tree, defs[5].treeB = b.tree, defs[5].allocator.allocate = testAllocate;
    defs[6].treeA = a.tree, defs[6].treeB = b.tree;
    ok(grzChordTree_Advance(a.tree, NULL, 0.5));
    grzChordPairs* pairs;
    for (int i = 0; i < 7; ++i) {
        assert_int_equal(grzChordPairs_Create(&defs[i], &pairs).status, grz_badArgument);
        assert_null(pairs);
    }
    ok(grzChordTree_Advance(b.tree, NULL, 0.5));
    ok(grzChordPairs_Create(&defs[6], &pairs));
    ok(grzChordTree_Advance(a.tree, NULL, 1.5));
    assert_int_equal(grzChordPairs_Advance(pairs, NULL).status, grz_badArgument);
    assert_true(grzChordPairs_GetView(pairs).time == 0.5);
    grzChordPairs_Destroy(pairs);
    defs[6].mark = 0;
    assert_int_equal(grzChordPairs_Create(&defs[6], &pairs).status, grz_badDef);
    assert_int_equal(grzChordPairs_Create(NULL, &pairs).status, grz_badDef);
    grzChordPairs_Destroy(NULL);
    dropSheet(&a);
    dropSheet(&b);
}

// What is refused leaves the pairs at the time and with the pairs of before, and can be asked for again.
static void refusedMemoryChangesNothing(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(944), 0);
    Sheet a = makeReadySheet(&rng, 60, passing, 0), b = makeReadySheet(&rng, 50, noisy, 0);
    TestMemory memory = {0, SIZE_MAX, 0, 0};
    grzChordPairsDef def = grzDefaultChordPairsDef();
    def.treeA = a.tree, def.treeB = b.tree, def.allocator = testAllocator(&memory);
    grzChordPairs* pairs;
    size_t refused = 0, kept = 0;
    for (size_t fail = 0;; ++fail, ++refused) {
        memory.requests = 0, memory.failAt = fail;
        if (grzResult_IsOk(grzChordPairs_Create(&def, &pairs)))
            break;
        assert_null(pairs);
        assert_int_equal(memory.liveCount, 0);
    }
    for (int k = 1; k <= 8 * (FRAMES - 1); ++k) {
        ok(grzChordTree_Advance(a.tree, NULL, 0.125 * k));
        ok(grzChordTree_Advance(b.tree, NULL, 0.125 * k));
        memory.requests = 0, memory.failAt = 0;
        if (!grzResult_IsOk(grzChordPairs_Advance(pairs, NULL))) {
            assert_true(grzChordPairs_GetView(pairs).time == 0.125 * (k - 1) && grzChordPairs_Validate(pairs));
            memory.failAt = SIZE_MAX;
            ok(grzChordPairs_Advance(pairs, NULL));
            ++kept;
        }
        check(pairs, &a, &b, 0.125 * k);
    }
    assert_true(refused > 5 && kept > 0);
    memory.requests = 0, memory.failAt = SIZE_MAX; // all of it once more: nothing is asked for
    for (int round = 0; round < 2; ++round)
        for (int k = 0; k <= 8 * (FRAMES - 1); ++k)
            advance(pairs, &a, &b, NULL, 0.125 * k), memory.requests = round == 0 ? 0 : memory.requests;
    assert_int_equal(memory.requests, 0);
    assert_true(grzChordPairs_MemorySize(pairs) == memory.liveBytes);
    grzChordPairs_Destroy(pairs);
    assert_int_equal(memory.liveCount, 0);
    dropSheet(&a);
    dropSheet(&b);
}

// Memory that is refused, at whichever request, changes no count of what was done.
static void refusedMemoryCountsNothing(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(945), 0);
    Sheet a = makeReadySheet(&rng, 9, passing, 0), b = makeReadySheet(&rng, 8, passing, 100);
    TestMemory memory = {0, SIZE_MAX, 0, 0};
    grzChordPairsDef def = grzDefaultChordPairsDef();
    def.treeA = a.tree, def.treeB = b.tree, def.allocator = testAllocator(&memory);
    for (size_t i = 0; i < 3 * (size_t)b.vertexCount; ++i) // they meet in the second piece
        b.frames[2][i] = a.frames[2][i % 3];
    grzChordPairs* pairs;
    grzResult result = {.status = grz_outOfMemory};
    for (size_t fail = 0; !grzResult_IsOk(result); ++fail) {
        ok(grzChordTree_Advance(a.tree, NULL, 0));
        ok(grzChordTree_Advance(b.tree, NULL, 0));
        memory.failAt = SIZE_MAX;
        ok(grzChordPairs_Create(&def, &pairs));
        ok(grzChordTree_Advance(a.tree, NULL, 1.5));
        ok(grzChordTree_Advance(b.tree, NULL, 1.5));
        const grzChordPairsStats before = grzChordPairs_GetStats(pairs);
        memory.requests = 0, memory.failAt = fail;
        result = grzChordPairs_Advance(pairs, NULL);
        const grzChordPairsStats after = grzChordPairs_GetStats(pairs);
        assert_true(grzResult_IsOk(result) || memcmp(&before, &after, sizeof before) == 0);
        memory.failAt = SIZE_MAX;
        ok(grzChordPairs_Advance(pairs, NULL));
        assert_true(grzChordPairs_GetStats(pairs).pieces == 2 && grzChordPairs_GetStats(pairs).found > 0);
        grzChordPairs_Destroy(pairs);
    }
    dropSheet(&a);
    dropSheet(&b);
}

// An edit took leaves away, and memory is refused: what was found before the edit stays, and stands up to its check.
static void leavesThatWentStayWhereMemoryIsRefused(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(946), 0);
    Sheet a = makeReadySheet(&rng, 9, waving, 0);
    TestMemory memory = {0, SIZE_MAX, 0, 0};
    uint32_t removed[100];
    for (uint32_t i = 0; i < 100; ++i)
        removed[i] = i;
    const grzBvhEdit edit = {.removed = removed, .removedCount = 100};
    grzChordPairsDef def = grzDefaultChordPairsDef();
    def.treeA = def.treeB = a.tree, def.allocator = testAllocator(&memory);
    grzChordPairs* pairs;
    ok(grzChordPairs_Create(&def, &pairs));
    const size_t count = grzChordPairs_GetView(pairs).count;
    ok(grzBvh_Edit(a.bvh, &edit));
    ok(grzChordTree_Follow(a.tree, NULL));
    memory.failAt = 0;
    assert_int_equal(grzChordPairs_Advance(pairs, NULL).status, grz_outOfMemory);
    assert_true(grzChordPairs_GetView(pairs).count == count && grzChordPairs_Validate(pairs));
    memory.failAt = SIZE_MAX;
    ok(grzChordPairs_Advance(pairs, NULL));
    assert_true(grzChordPairs_GetView(pairs).count < count && grzChordPairs_Validate(pairs));
    grzChordPairs_Destroy(pairs);
    dropSheet(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twoTreesContainBruteForce),
        cmocka_unit_test(otherKeyframesMakePieces),
        cmocka_unit_test(whatRestsIsASide),
        cmocka_unit_test(withinAMargin),
        cmocka_unit_test(marginsChange),
        cmocka_unit_test(oneTreeMeetsItself),
        cmocka_unit_test(sizesOfAllKinds),
        cmocka_unit_test(timesAreThoseOfChords),
        cmocka_unit_test(intersectingTrianglesAreAmongThem),
        cmocka_unit_test(keyframesMayComeAndGo),
        cmocka_unit_test(editsAreFollowed),
        cmocka_unit_test(lazyTreesMakeWhatIsVisited),
        cmocka_unit_test(piecesAreWalkedAhead),
        cmocka_unit_test(piecesBetweenOtherKeyframesAreWalkedAhead),
        cmocka_unit_test(everythingIsTheSameForAnyWorkersAndLevel),
        cmocka_unit_test(badDefsAreRefused),
        cmocka_unit_test(refusedMemoryChangesNothing),
        cmocka_unit_test(refusedMemoryCountsNothing),
        cmocka_unit_test(leavesThatWentStayWhereMemoryIsRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
