// Box pairs: all pairs of leaves whose boxes overlap, beside a search that tests each leaf against each; of trees of all sizes, in one
// frame and under poses, between two sets and within one; under a pose every corner lies in its leaf's posed box, so that
// triangles that meet are never missed; fronts find what walks find, whatever moves how; refused queries change nothing; the same
// bytes for any workers and at every level.
#include "testing.h"

#include <float.h>
#include <math.h>

#include "graze/stage/node_pairs.h"
#include "rng.h"
#include "simd_dispatch.h"

static void ok(grzResult result) {
    char text[128];
    if (!grzResult_IsOk(result))
        fail_msg("%s", grzResult_Text(result, text, sizeof text));
}

// ---- scenes ----

typedef struct Body {
    uint32_t vertexCount, triangleCount;
    float* positions;
    uint32_t* triangles;
    grzBvh* bvh;
    grzBvhNode* nodes;
} Body;

static void* take(size_t count, size_t size) {
    void* memory = calloc(count + 1, size);
    assert_non_null(memory);
    return memory;
}

static void refit(const Body* body) {
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = body->positions, refit.numbering = grz_bvhCallersNumbers;
    ok(grzBvh_Refit(body->bvh, NULL, &refit, body->nodes));
}

// A rough sheet of two triangles a cell, of size 1, which the z axis leaves in the middle.
static Body makeSheet(grzRng* rng, uint32_t columns, uint32_t rows, float roughness) {
    Body body = {.vertexCount = (columns + 1) * (rows + 1), .triangleCount = 2 * columns * rows};
    body.positions = take(3 * (size_t)body.vertexCount, sizeof(float));
    body.triangles = take(3 * (size_t)body.triangleCount, sizeof(uint32_t));
    for (uint32_t i = 0; i < body.vertexCount; ++i) {
        const float x = (float)(i % (columns + 1)) / (float)columns, y = (float)(i / (columns + 1)) / (float)rows;
        const float at[3] = {x - 0.5F, y - 0.5F, 0.2F * (x - 0.5F) + roughness * (grzRng_Float(rng) - 0.5F)};
        memcpy(body.positions + 3 * (size_t)i, at, sizeof at);
    }
    for (uint32_t i = 0; i < body.triangleCount; ++i) {
        const uint32_t cell = i / 2, v = cell / columns * (columns + 1) + cell % columns;
        const uint32_t corners[2][3] = {{v, v + 1, v + columns + 1}, {v + 1, v + columns + 2, v + columns + 1}};
        memcpy(body.triangles + 3 * (size_t)i, corners[i % 2], sizeof corners[0]);
    }
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = body.positions, def.vertexCount = body.vertexCount;
    def.triangles = body.triangles, def.triangleCount = body.triangleCount;
    ok(grzBvh_Create(&def, &body.bvh));
    body.nodes = take(grzBvh_GetView(body.bvh).nodeCount, sizeof(grzBvhNode));
    refit(&body);
    return body;
}

static void dropBody(Body* body) {
    free(body->positions), free(body->triangles), free(body->nodes);
    grzBvh_Destroy(body->bvh);
}

static grzBoxSet setOf(const Body* body) {
    return (grzBoxSet){body->bvh, body->nodes};
}

static grzBoxPairs* makePairsWith(bool keepsFront) {
    grzBoxPairsDef def = grzDefaultBoxPairsDef();
    grzBoxPairs* pairs;
    def.keepsFront = keepsFront;
    ok(grzBoxPairs_Create(&def, &pairs));
    return pairs;
}

static grzBoxPairs* makePairs(void) {
    return makePairsWith(true);
}

static grzTransform drawPose(grzRng* rng, float reach) {
    const grzVec3 axis = grzVec3_Make(grzRng_Float(rng) - 0.5F, grzRng_Float(rng) - 0.5F, grzRng_Float(rng) - 0.5F);
    const grzQuat turn = grzQuat_FromAxisAngle(grzNormalize(axis), 6 * grzRng_Float(rng));
    const grzVec3 origin =
        grzVec3_Make(grzRng_Float(rng) - 0.5F, grzRng_Float(rng) - 0.5F, grzRng_Float(rng) - 0.5F);
    return grzTransform_FromQuat(turn, grzScale(origin, reach));
}

// ---- the reference ----

static grzBox leafBox(const Body* body, uint32_t leaf, const grzTransform* pose) {
    const grzBvhView view = grzBvh_GetView(body->bvh);
    grzBox box = grzBox_Empty();
    for (uint32_t i = 0; i < view.leafVertexCounts[leaf]; ++i) {
        const uint32_t v = i < 8 ? view.leafVertices[8 * leaf + i] : view.moreVertices[4 * leaf + i - 8];
        const grzVec3 p = grzVec3_Load(body->positions + 3 * (size_t)view.vertexToCaller[v]);
        box = grzBox_AddPoint(box, pose != NULL ? grzTransform_Apply(*pose, p) : p);
    }
    return box;
}

static bool meet(grzBox a, grzBox b, float margin) {
    const grzVec3 by = grzVec3_Splat(margin);
    a.lower = grzSub(a.lower, by), a.upper = grzAdd(a.upper, by);
    return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y && b.lower.y <= a.upper.y &&
           a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}

// In one frame: the very pairs. Under a pose: those of the turned vertices' boxes are among them.
static void expectPairs(const Body* a, const Body* b, const grzTransform* pose, float margin,
                        const grzBoxPairs* pairs) {
    const grzBoxPairsView found = grzBoxPairs_GetView(pairs);
    const uint32_t leavesA = grzBvh_GetView(a->bvh).leafCount;
    const uint32_t leavesB = grzBvh_GetView(b != NULL ? b->bvh : a->bvh).leafCount;
    size_t at = 0;
    for (uint32_t i = 0; i < leavesA; ++i)
        for (uint32_t j = b != NULL ? 0 : i; j < leavesB; ++j) {
            const bool isFound = at < found.count && found.pairs[at].leafA == i && found.pairs[at].leafB == j;
            const bool isMet = meet(leafBox(a, i, NULL), leafBox(b != NULL ? b : a, j, pose), margin);
            if (isMet != isFound && (isMet || pose == NULL))
                fail_msg("leaves %u and %u: met %d, found %d", i, j, isMet, isFound);
            if (isFound) {
                assert_true(found.pairs[at].t0 == 0 && found.pairs[at].t1 == 1);
                ++at;
            }
        }
    assert_int_equal(at, found.count); // sorted, and nothing else is there
}

// ---- tests ----

// Heights from one level to three on either side, so that each may be the higher one.
static const uint32_t sides[][2] = {{1, 1}, {3, 2}, {4, 4}, {9, 7}, {16, 16}, {40, 33}};
enum { SIDES = sizeof sides / sizeof sides[0] };

static void runFrames(grzRng* rng, const Body* a, const Body* b) {
    grzBoxPairs* pairs = makePairs();
    grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
    query.a = setOf(a), query.b = setOf(b);
    for (int i = 0; i < 6; ++i) {
        const grzTransform pose = drawPose(rng, 0.3F * (float)i);
        query.poseB = i == 0 || i == 4 ? NULL : &pose;
        query.margin = i < 3 ? 0 : 0.1F * grzRng_Float(rng);
        ok(grzBoxPairs_Find(pairs, NULL, &query));
        assert_true(grzBoxPairs_Validate(pairs, &query));
        expectPairs(a, b, query.poseB, query.margin, pairs);
    }
    grzBoxPairs_Destroy(pairs);
}

static void equals_brute_force(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1), 1);
    for (uint32_t i = 0; i < SIDES; ++i)
        for (uint32_t j = 0; j < SIDES; ++j) {
            Body a = makeSheet(&rng, sides[i][0], sides[i][1], 0.3F);
            Body b = makeSheet(&rng, sides[j][0], sides[j][1], 0.1F);
            runFrames(&rng, &a, &b);
            dropBody(&a), dropBody(&b);
        }
}

static void within_one_set(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(2), 1);
    grzBoxPairs* pairs = makePairs();
    for (uint32_t i = 0; i < SIDES; ++i) {
        Body a = makeSheet(&rng, sides[i][0], sides[i][1], 0.2F);
        grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
        query.a = setOf(&a);
        query.margin = i % 2 == 0 ? 0 : 0.05F;
        ok(grzBoxPairs_Find(pairs, NULL, &query));
        assert_true(grzBoxPairs_Validate(pairs, &query));
        expectPairs(&a, NULL, NULL, query.margin, pairs);
        dropBody(&a);
    }
    grzBoxPairs_Destroy(pairs);
}

// ---- chunks that are written where the walk comes to them ----

typedef struct LazySet {
    const Body* body;
    grzBvhNode* nodes; // rubbish where nothing was written
    uint32_t* times;   // that a chunk was written, in this Find
    size_t written;
} LazySet;

static void writeChunks(void* context, grzTasks* tasks, const uint32_t* chunks, size_t count) {
    LazySet* set = context;
    const grzBvhView view = grzBvh_GetView(set->body->bvh);
    const uint32_t bottom = view.levelCount - 1;
    (void)tasks;
    for (size_t i = 0; i < count; ++i) {
        assert_true(i == 0 || chunks[i - 1] < chunks[i]);
        assert_true(chunks[i] < view.chunkCount);
        assert_int_equal(set->times[chunks[i]]++, 0);
        ++set->written;
        for (uint32_t k = 0; k <= 8; ++k) {
            const uint32_t level = k == 8 && bottom != 0 ? bottom - 1 : bottom;
            const uint32_t node =
                view.levelStarts[level] + (k == 8 && bottom != 0 ? chunks[i] : 8 * chunks[i] + k % 8);
            if (node < view.levelStarts[level + 1])
                set->nodes[node] = set->body->nodes[node];
        }
    }
}

static LazySet lazySetOf(const Body* body) {
    const grzBvhView view = grzBvh_GetView(body->bvh);
    LazySet set = {.body = body};
    set.nodes = take(view.nodeCount, sizeof(grzBvhNode));
    set.times = take(view.chunkCount, sizeof(uint32_t));
    return set;
}

static void dropLazySet(LazySet* set) {
    free(set->nodes), free(set->times);
}

// Nothing is written but what is above chunks.
static void clearLazySet(LazySet* set) {
    const grzBvhView view = grzBvh_GetView(set->body->bvh);
    memset(set->nodes, 0xFF, view.nodeCount * sizeof *set->nodes); // NaNs
    for (uint32_t i = 0; view.levelCount > 2 && i < view.levelStarts[view.levelCount - 2]; ++i)
        set->nodes[i] = set->body->nodes[i];
    memset(set->times, 0, view.chunkCount * sizeof *set->times);
    set->written = 0;
}

// Returns how many chunks were written.
static size_t expectLazy(const Body* a, const Body* b, const grzTransform* pose, float margin, int which) {
    grzBoxPairs *whole = makePairsWith(false), *lazy = makePairs();
    grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
    LazySet sets[2] = {lazySetOf(a), lazySetOf(b != NULL ? b : a)};
    query.a = setOf(a), query.margin = margin, query.poseB = pose;
    if (b != NULL)
        query.b = setOf(b);
    ok(grzBoxPairs_Find(whole, NULL, &query));
    if ((which & 1) != 0)
        query.a.nodes = sets[0].nodes, query.reachA = (grzBoxReach){writeChunks, &sets[0]};
    if ((which & 2) != 0 && b != NULL)
        query.b.nodes = sets[1].nodes, query.reachB = (grzBoxReach){writeChunks, &sets[1]};
    for (int call = 0; call < 3; ++call) { // never by a front
        clearLazySet(&sets[0]), clearLazySet(&sets[1]);
        ok(grzBoxPairs_Find(lazy, NULL, &query));
        const grzBoxPairsView found = grzBoxPairs_GetView(lazy), wanted = grzBoxPairs_GetView(whole);
        assert_int_equal(found.count, wanted.count);
        if (found.count != 0)
            assert_memory_equal(found.pairs, wanted.pairs, found.count * sizeof *found.pairs);
    }
    const size_t written = sets[0].written + sets[1].written;
    dropLazySet(&sets[0]), dropLazySet(&sets[1]);
    grzBoxPairs_Destroy(whole), grzBoxPairs_Destroy(lazy);
    return written;
}

static void chunks_where_the_walk_comes_to_them(void** state) {
    (void)state;
    static const uint32_t heights[][2] = {{1, 1}, {3, 2}, {9, 7}, {40, 33}, {70, 70}};
    grzRng rng = grzRng_Make(testSeed(9), 1);
    for (uint32_t i = 0; i < 5; ++i)
        for (uint32_t j = 0; j < 5; ++j) {
            Body a = makeSheet(&rng, heights[i][0], heights[i][1], 0.1F);
            Body b = makeSheet(&rng, heights[j][0], heights[j][1], 0.1F);
            for (int which = 1; which < 4; ++which) {
                const grzTransform pose = drawPose(&rng, 0.3F);
                expectLazy(&a, &b, NULL, 0, which);
                expectLazy(&a, &b, &pose, 0.02F, which);
            }
            expectLazy(&a, NULL, NULL, 0, 1);
            dropBody(&a), dropBody(&b);
        }
}

// Two sheets that overlap along a rim alone.
static void other_chunks_are_left(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(10), 1);
    Body a = makeSheet(&rng, 70, 70, 0), b = makeSheet(&rng, 70, 70, 0);
    const size_t all = grzBvh_GetView(a.bvh).chunkCount + grzBvh_GetView(b.bvh).chunkCount;
    for (uint32_t i = 0; i < b.vertexCount; ++i)
        b.positions[3 * i] += 0.95F, b.positions[3 * i + 2] += 0.19F;
    refit(&b);
    const size_t written = expectLazy(&a, &b, NULL, 0, 3);
    assert_in_range(written, 2, all / 3);
    for (uint32_t i = 0; i < b.vertexCount; ++i)
        b.positions[3 * i] += 1;
    refit(&b);
    assert_int_equal(expectLazy(&a, &b, NULL, 0, 3), 0);
    dropBody(&a), dropBody(&b);
}

// Boxes that touch by a side overlap; by the next float they do not.
static void overlap_is_closed(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(1, 1);
    Body a = makeSheet(&rng, 1, 1, 0), b = makeSheet(&rng, 1, 1, 0);
    grzBoxPairs* pairs = makePairs();
    grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
    query.a = setOf(&a), query.b = setOf(&b);
    for (uint32_t i = 0; i < b.vertexCount; ++i)
        b.positions[3 * i] += 1;
    refit(&b);
    ok(grzBoxPairs_Find(pairs, NULL, &query));
    assert_int_equal(grzBoxPairs_GetView(pairs).count, 1);
    for (uint32_t i = 0; i < b.vertexCount; ++i)
        b.positions[3 * i] = nextafterf(b.positions[3 * i], 9);
    refit(&b);
    ok(grzBoxPairs_Find(pairs, NULL, &query));
    assert_int_equal(grzBoxPairs_GetView(pairs).count, 0);
    grzBoxPairs_Destroy(pairs);
    dropBody(&a), dropBody(&b);
}

// Infinite boxes meet everything, but no child that is not there.
static void infinite_boxes(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(1, 1);
    Body a = makeSheet(&rng, 9, 7, 0.1F), b = makeSheet(&rng, 9, 7, 0.1F);
    grzBoxPairs* pairs = makePairs();
    grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
    query.a = setOf(&a), query.b = setOf(&b);
    const uint32_t nodeCount = grzBvh_GetView(a.bvh).nodeCount, leafCount = grzBvh_GetView(a.bvh).leafCount;
    for (uint32_t i = 0; i < nodeCount; ++i)
        for (int lane = 0; lane < 8; ++lane)
            for (int axis = 0; axis < 3; ++axis)
                if (a.nodes[i].lower[axis][lane] <= a.nodes[i].upper[axis][lane]) {
                    a.nodes[i].lower[axis][lane] = b.nodes[i].lower[axis][lane] = -(float)INFINITY;
                    a.nodes[i].upper[axis][lane] = b.nodes[i].upper[axis][lane] = (float)INFINITY;
                }
    ok(grzBoxPairs_Find(pairs, NULL, &query));
    assert_int_equal(grzBoxPairs_GetView(pairs).count, (size_t)leafCount * leafCount);
    grzBoxPairs_Destroy(pairs);
    dropBody(&a), dropBody(&b);
}

// ---- fronts ----

// All vertices go on in directions of their own, by up to so much.
static void moveBody(grzRng* rng, const Body* body, float most) {
    for (uint32_t i = 0; i < 3 * body->vertexCount; ++i)
        body->positions[i] += 2 * most * (grzRng_Float(rng) - 0.5F);
    refit(body);
}

enum { LIFE = 150 };

typedef struct Life {
    Body a, b;
    grzBoxPairs *front, *walk;
} Life;

// The front finds what a walk finds, to the byte.
static void expectWalk(const Life* life, const grzBoxPairsQuery* query) {
    ok(grzBoxPairs_Find(life->front, NULL, query));
    ok(grzBoxPairs_Find(life->walk, NULL, query));
    const grzBoxPairsView found = grzBoxPairs_GetView(life->front), wanted = grzBoxPairs_GetView(life->walk);
    assert_int_equal(found.count, wanted.count);
    if (wanted.count != 0)
        assert_memory_equal(found.pairs, wanted.pairs, wanted.count * sizeof *wanted.pairs);
}

// Slow for a while, then with jumps, rests, other hierarchies, poses and searches within one set.
// Returns how often the front served.
static uint64_t runLife(grzRng* rng, uint32_t side, uint32_t otherSide) {
    Life life = {makeSheet(rng, side, side, 0.1F), makeSheet(rng, otherSide, otherSide, 0.1F), makePairsWith(true),
                 makePairsWith(false)};
    Body other = makeSheet(rng, 12, 5, 0.1F);
    float speed = 0.0005F, margin = 0;
    bool isSelf = false;
    for (int step = 0; step < LIFE; ++step) {
        const grzTransform pose = drawPose(rng, 0.1F);
        const uint32_t event = grzRng_Below(rng, 40);
        grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
        speed = event == 0 ? 0.3F : event == 1 ? 0 : event == 2 ? 0.03F : event < 6 ? 0.0005F : speed;
        isSelf = event == 7 ? !isSelf : isSelf;
        margin = event == 10 ? 0.02F * grzRng_Float(rng) : event == 11 ? 0 : margin;
        moveBody(rng, &life.a, event == 6 ? 0 : speed);
        moveBody(rng, &life.b, speed);
        query.a = setOf(&life.a), query.b = setOf(event == 8 ? &other : &life.b);
        query.poseB = event == 9 ? &pose : NULL;
        query.margin = margin;
        if (isSelf)
            query.b = (grzBoxSet){0}, query.poseB = NULL;
        expectWalk(&life, &query);
    }
    const grzBoxPairsStats stats = grzBoxPairs_GetStats(life.front), walks = grzBoxPairs_GetStats(life.walk);
    assert_true(walks.served == 0 && walks.built == 0);
    grzBoxPairs_Destroy(life.front), grzBoxPairs_Destroy(life.walk);
    dropBody(&life.a), dropBody(&life.b), dropBody(&other);
    return stats.built != 0 ? stats.served : 0;
}

static void fronts_find_what_walks_find(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(7), 1);
    uint64_t served = 0;
    for (int i = 0; i < 4; ++i)
        served += runLife(&rng, 4, 40) + runLife(&rng, 33, 30);
    assert_in_range(served, 100, 8 * LIFE);
}

typedef void SinkFn(const Body* body, int step);

// Evenly, all of it.
static void sinkWhole(const Body* body, int step) {
    for (uint32_t i = 0; i < body->vertexCount; ++i)
        body->positions[3 * i + 2] = 0.15F - 0.001F * (float)step - 0.4F * body->positions[3 * i];
}

// A corner of it, whose leaves are among the first.
static void sinkCorner(const Body* body, int step) {
    for (uint32_t i = 0; i < body->vertexCount; ++i) {
        float* p = body->positions + 3 * (size_t)i;
        const bool sinks = p[0] < -0.2F && p[1] < -0.2F;
        p[2] = 0.3F - 0.4F * p[0] - (sinks ? 0.45F + 0.0005F * (float)step : 0);
    }
}

// Half of it lies upon the other half, and both come nearer.
static void foldUp(const Body* body, int step) {
    const uint32_t columns = 61;
    for (uint32_t i = 0; i < body->vertexCount; ++i) {
        float* p = body->positions + 3 * (size_t)i;
        const float x = (float)(i % columns) / (float)(columns - 1) - 0.5F, high = 0.08F - 0.0005F * (float)step;
        p[0] = fabsf(x), p[2] = x < 0 ? high - 0.2F * x : 0.2F * x - high;
        p[2] += x < 0 ? 0.3F * p[1] : 0;
    }
}

// One sheet sinks into another, or into itself: the very skin is used up, and pairs begin while the front serves.
static void runSink(uint32_t columns, uint32_t rows, SinkFn* sink, bool isSelf) {
    grzRng rng = grzRng_Make(8, 1);
    Life life = {makeSheet(&rng, 24, 24, 0), makeSheet(&rng, columns, rows, 0), makePairsWith(true),
                 makePairsWith(false)};
    grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
    query.a = setOf(isSelf ? &life.b : &life.a);
    if (!isSelf)
        query.b = setOf(&life.b);
    size_t changes = 0, before = 0;
    for (int step = 0; step < 300; ++step) {
        const uint64_t served = grzBoxPairs_GetStats(life.front).served;
        sink(&life.b, step);
        refit(&life.b);
        expectWalk(&life, &query);
        const size_t count = grzBoxPairs_GetView(life.front).count;
        changes += served != grzBoxPairs_GetStats(life.front).served && count != before;
        before = count;
    }
    assert_true(changes > 20);
    assert_true(grzBoxPairs_GetStats(life.front).served > 100);
    grzBoxPairs_Destroy(life.front), grzBoxPairs_Destroy(life.walk);
    dropBody(&life.a), dropBody(&life.b);
}

static void fronts_serve_to_the_end_of_their_skin(void** state) {
    (void)state;
    runSink(24, 24, sinkWhole, false);
    runSink(60, 60, sinkCorner, false);
    runSink(60, 40, foldUp, true);
}

// Jumps to and fro by so much in each step. Returns how often the front served or was made.
static uint64_t shake(grzRng* rng, const Life* life, float most, int steps) {
    const size_t count = 3 * (size_t)life->a.vertexCount;
    float* rest = take(count, sizeof *rest);
    grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
    const grzBoxPairsStats before = grzBoxPairs_GetStats(life->front);
    query.a = setOf(&life->a), query.b = setOf(&life->b);
    memcpy(rest, life->a.positions, count * sizeof *rest);
    for (int step = 0; step < steps; ++step) {
        moveBody(rng, &life->a, most);
        expectWalk(life, &query);
        memcpy(life->a.positions, rest, count * sizeof *rest);
    }
    free(rest);
    const grzBoxPairsStats now = grzBoxPairs_GetStats(life->front);
    return (now.served + now.built) - (before.served + before.built);
}

// What moves too fast for a front is walked, until it is slow again.
static void fronts_rest(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(9, 1);
    Life life = {makeSheet(&rng, 24, 24, 0.1F), makeSheet(&rng, 24, 24, 0.1F), makePairsWith(true),
                 makePairsWith(false)};
    assert_int_equal(shake(&rng, &life, 0.1F, 200), 0);
    assert_in_range(shake(&rng, &life, 0.0001F, 200), 120, 200);
    grzBoxPairs_Destroy(life.front), grzBoxPairs_Destroy(life.walk);
    dropBody(&life.a), dropBody(&life.b);
}

// Infinities are no motion that can be measured.
static void fronts_and_infinities(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(10, 1);
    Life life = {makeSheet(&rng, 9, 7, 0.1F), makeSheet(&rng, 9, 7, 0.1F), makePairsWith(true),
                 makePairsWith(false)};
    grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
    query.a = setOf(&life.a), query.b = setOf(&life.b);
    for (int step = 0; step < 20; ++step) {
        expectWalk(&life, &query);
        if (step == 10)
            for (uint32_t i = 0; i < grzBvh_GetView(life.a.bvh).nodeCount; ++i)
                for (int axis = 0; axis < 3; ++axis)
                    life.a.nodes[i].upper[axis][0] = (float)INFINITY;
    }
    assert_true(grzBoxPairs_GetStats(life.front).served > 5);
    grzBoxPairs_Destroy(life.front), grzBoxPairs_Destroy(life.walk);
    dropBody(&life.a), dropBody(&life.b);
}

// ---- the same bytes; refusals ----

static void expectSame(grzBoxPairs* pairs, grzTasks* tasks, const grzBoxPairsQuery* query,
                       const grzLeafPair* wanted, size_t count) {
    for (int call = 0; call < 4; ++call) { // so that a front is made, and serves
        ok(grzBoxPairs_Find(pairs, tasks, query));
        const grzBoxPairsView found = grzBoxPairs_GetView(pairs);
        assert_int_equal(found.count, count);
        assert_memory_equal(found.pairs, wanted, count * sizeof *wanted);
    }
}

static void same_bytes(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(3), 1);
    Body a = makeSheet(&rng, 70, 60, 0.3F), b = makeSheet(&rng, 50, 50, 0.3F);
    const grzTransform pose = drawPose(&rng, 0.2F);
    grzBoxPairs *pairs = makePairsWith(false), *others = makePairs();
    for (int kind = 0; kind < 3; ++kind) {
        grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
        query.a = setOf(&a);
        query.b = kind < 2 ? setOf(&b) : (grzBoxSet){0};
        query.poseB = kind == 1 ? &pose : NULL;
        ok(grzBoxPairs_Find(pairs, NULL, &query));
        const grzBoxPairsView wanted = grzBoxPairs_GetView(pairs);
        assert_true(wanted.count > 500);
        for (uint32_t workers = 1; workers <= 8; workers = workers < 3 ? workers + 1 : workers + 5) {
            grzTasksDef def = grzDefaultTasksDef();
            def.workerCount = workers;
            grzTasks* tasks;
            ok(grzTasks_Create(&def, &tasks));
            expectSame(others, tasks, &query, wanted.pairs, wanted.count);
            grzTasks_Destroy(tasks);
        }
        const grzSimdLevel usual = grzSimd_Level();
        for (int level = 0; level <= grz_simdNeon; ++level)
            if (grzSimd_Supports((grzSimdLevel)level)) {
                grzSimd_Force((grzSimdLevel)level);
                expectSame(others, NULL, &query, wanted.pairs, wanted.count);
            }
        grzSimd_Force(usual);
    }
    grzBoxPairs_Destroy(pairs), grzBoxPairs_Destroy(others);
    dropBody(&a), dropBody(&b);
}

static void refuses(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(4, 1);
    Body a = makeSheet(&rng, 9, 7, 0.3F), b = makeSheet(&rng, 9, 7, 0.3F);
    grzBoxPairs* pairs;
    grzBoxPairsDef def = grzDefaultBoxPairsDef();
    def.mark = 0;
    assert_int_equal(grzBoxPairs_Create(&def, &pairs).status, grz_badDef);
    assert_null(pairs);
    assert_int_equal(grzBoxPairs_Create(NULL, &pairs).status, grz_badDef);
    def = grzDefaultBoxPairsDef();
    def.allocator.allocate = testAllocate;
    assert_int_equal(grzBoxPairs_Create(&def, &pairs).status, grz_badArgument);
    pairs = makePairs();
    grzBoxPairsQuery good = grzDefaultBoxPairsQuery();
    grzTransform pose = grzTransform_Identity();
    good.a = setOf(&a), good.b = setOf(&b), good.poseB = &pose;
    ok(grzBoxPairs_Find(pairs, NULL, &good));
    const size_t count = grzBoxPairs_GetView(pairs).count;
    assert_true(count > 0);
    grzBoxPairsQuery bad[7] = {good, good, good, good, good, good, good};
    bad[0].mark = 0;
    bad[1].a.nodes = NULL;
    bad[2].a.bvh = NULL;
    bad[3].b.nodes = NULL;
    bad[4].b = (grzBoxSet){0};
    bad[5].margin = -0x1p-140F;
    bad[6].margin = INFINITY;
    for (int i = 0; i < 7; ++i)
        assert_int_equal(grzBoxPairs_Find(pairs, NULL, &bad[i]).status, grz_badArgument);
    bad[0] = good, bad[0].margin = (float)NAN;
    assert_int_equal(grzBoxPairs_Find(pairs, NULL, &bad[0]).status, grz_notFinite);
    assert_string_equal(grzBoxPairs_Find(pairs, NULL, &bad[0]).reason, "the margin is NaN");
    pose.origin.y = (float)NAN;
    assert_int_equal(grzBoxPairs_Find(pairs, NULL, &good).status, grz_notFinite);
    pose.origin.y = 0x1p61F;
    assert_int_equal(grzBoxPairs_Find(pairs, NULL, &good).status, grz_badArgument);
    assert_int_equal(grzBoxPairs_GetView(pairs).count, count);
    pose.origin.y = 0;
    assert_true(grzBoxPairs_Validate(pairs, &good));
    grzBoxPairs_Destroy(pairs), grzBoxPairs_Destroy(NULL);
    dropBody(&a), dropBody(&b);
}

// Calls until one is refused, or the front serves. Refused, a call leaves the pairs of before.
static bool findUntilServed(grzBoxPairs* pairs, const grzBoxPairsQuery* query) {
    for (int call = 0; call < 4; ++call) {
        const size_t before = grzBoxPairs_GetView(pairs).count;
        const grzResult result = grzBoxPairs_Find(pairs, NULL, query);
        if (grzResult_IsOk(result))
            continue;
        assert_int_equal(result.status, grz_outOfMemory);
        assert_int_equal(grzBoxPairs_GetView(pairs).count, before);
        return false;
    }
    return true;
}

// Each request is refused once; the next calls find all.
static void refused_memory(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(5, 1);
    Body a = makeSheet(&rng, 40, 33, 0.3F), b = makeSheet(&rng, 16, 16, 0.3F);
    TestMemory memory = {.failAt = SIZE_MAX};
    grzBoxPairsDef def = grzDefaultBoxPairsDef();
    def.allocator = testAllocator(&memory);
    grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
    query.a = setOf(&a), query.b = setOf(&b);
    size_t refused = 0;
    for (bool isDone = false; !isDone; ++refused) {
        grzBoxPairs* pairs;
        memory.requests = 0, memory.failAt = refused;
        if (grzResult_IsOk(grzBoxPairs_Create(&def, &pairs))) {
            isDone = findUntilServed(pairs, &query);
            memory.failAt = SIZE_MAX;
            assert_true(findUntilServed(pairs, &query));
            assert_true(grzBoxPairs_Validate(pairs, &query));
            assert_true(grzBoxPairs_GetStats(pairs).served > 0);
            assert_int_equal(grzBoxPairs_MemorySize(pairs), memory.liveBytes);
            memory.failAt = memory.requests; // nothing is asked for any more
            assert_true(findUntilServed(pairs, &query));
        }
        grzBoxPairs_Destroy(pairs);
        assert_int_equal(memory.liveCount, 0);
    }
    assert_true(refused > 10);
    dropBody(&a), dropBody(&b);
}

static void no_triangles(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(6, 1);
    Body a = makeSheet(&rng, 4, 4, 0.3F), none = {.positions = take(1, 1), .triangles = take(1, 1)};
    grzBvhDef def = grzDefaultBvhDef();
    ok(grzBvh_Create(&def, &none.bvh));
    none.nodes = take(1, sizeof(grzBvhNode));
    refit(&none);
    grzBoxPairs* pairs = makePairs();
    const Body* const both[3][2] = {{&a, &none}, {&none, &a}, {&none, &none}};
    for (int i = 0; i < 3; ++i) {
        grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
        query.a = setOf(both[i][0]), query.b = setOf(both[i][1]);
        ok(grzBoxPairs_Find(pairs, NULL, &query));
        assert_int_equal(grzBoxPairs_GetView(pairs).count, 0);
    }
    grzBoxPairs_Destroy(pairs);
    dropBody(&a), dropBody(&none);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_brute_force),
        cmocka_unit_test(within_one_set),
        cmocka_unit_test(chunks_where_the_walk_comes_to_them),
        cmocka_unit_test(other_chunks_are_left),
        cmocka_unit_test(overlap_is_closed),
        cmocka_unit_test(infinite_boxes),
        cmocka_unit_test(fronts_find_what_walks_find),
        cmocka_unit_test(fronts_serve_to_the_end_of_their_skin),
        cmocka_unit_test(fronts_rest),
        cmocka_unit_test(fronts_and_infinities),
        cmocka_unit_test(same_bytes),
        cmocka_unit_test(refuses),
        cmocka_unit_test(refused_memory),
        cmocka_unit_test(no_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
