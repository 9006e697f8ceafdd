// Self culls: two triangles of a free node that share no vertex never meet, at no time of a motion, on surfaces of all kinds, beside an
// exact test of all of them; what faces one way and yet meets itself is not free, nor what rounding may bring together; flat sheets are free as a whole; box pairs with a cull
// keep every pair of leaves in which triangles meet; the same bytes for any workers and at every level.
#include "testing.h"

#include <math.h>

#include "graze/stage/node_pairs.h"
#include "graze/tri_tri.h"
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

// ---- surfaces ----

typedef struct Surface {
    uint32_t vertexCount, triangleCount;
    float *positions, *ends;
    uint32_t* triangles;
    grzBvh* bvh;
    grzBvhNode* nodes;
    grzSelfCull* cull;
} Surface;

typedef void PointFn(grzRng* rng, float x, float y, float p[3]);

static void flat(grzRng* rng, float x, float y, float p[3]) {
    (void)rng;
    p[0] = x, p[1] = y, p[2] = 0.3F * x + 0.2F * y;
}

static void rough(grzRng* rng, float x, float y, float p[3]) {
    p[0] = x, p[1] = y, p[2] = 0.07F * grzRng_Float(rng);
}

static void crumpled(grzRng* rng, float x, float y, float p[3]) {
    p[0] = x + 0.03F * grzRng_Float(rng), p[1] = y + 0.03F * grzRng_Float(rng), p[2] = 0.1F * grzRng_Float(rng);
}

static void rolled(grzRng* rng, float x, float y, float p[3]) {
    (void)rng;
    p[0] = 0.3F * sinf(9 * x), p[1] = y, p[2] = 0.3F * cosf(9 * x) + 0.05F * x;
}

// A ring that goes around twice, and through itself; all of it faces up.
static void twice(grzRng* rng, float x, float y, float p[3]) {
    (void)rng;
    const float angle = 4 * 3.14159F * x, radius = 0.3F + 0.4F * y;
    p[0] = radius * cosf(angle), p[1] = radius * sinf(angle), p[2] = 0.02F * sinf(0.5F * angle + 0.7F);
}

static void ring(grzRng* rng, float x, float y, float p[3]) {
    (void)rng;
    const float angle = 2 * 3.14159F * x, radius = 0.3F + 0.4F * y;
    p[0] = radius * cosf(angle), p[1] = radius * sinf(angle), p[2] = 0;
}

static void soup(grzRng* rng, float x, float y, float p[3]) {
    (void)x, (void)y;
    for (int axis = 0; axis < 3; ++axis)
        p[axis] = grzRng_Float(rng);
}

static PointFn* const kinds[] = {flat, rough, crumpled, rolled, twice, soup};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void refit(const Surface* surface, const float* ends) {
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = surface->positions, refit.endPositions = ends, refit.numbering = grz_bvhCallersNumbers;
    ok(grzBvh_Refit(surface->bvh, NULL, &refit, surface->nodes));
}

static grzSelfCull* makeCull(const grzBvh* bvh) {
    grzSelfCullDef def = grzDefaultSelfCullDef();
    grzSelfCull* cull;
    def.bvh = bvh;
    ok(grzSelfCull_Create(&def, &cull));
    return cull;
}

static Surface makeSurface(grzRng* rng, uint32_t columns, uint32_t rows, PointFn* point) {
    Surface made = {.vertexCount = (columns + 1) * (rows + 1), .triangleCount = 2 * columns * rows};
    made.positions = take(3 * (size_t)made.vertexCount, sizeof(float));
    made.ends = take(3 * (size_t)made.vertexCount, sizeof(float));
    made.triangles = take(3 * (size_t)made.triangleCount, sizeof(uint32_t));
    for (uint32_t i = 0; i < made.vertexCount; ++i) {
        point(rng, (float)(i % (columns + 1)) / (float)columns, (float)(i / (columns + 1)) / (float)rows,
              made.positions + 3 * (size_t)i);
        for (int axis = 0; axis < 3; ++axis)
            made.ends[3 * i + (uint32_t)axis] =
                made.positions[3 * i + (uint32_t)axis] + 0.03F * (grzRng_Float(rng) - 0.5F);
    }
    for (uint32_t i = 0; i < made.triangleCount; ++i) {
        const uint32_t cell = i / 2, v = cell / columns * (columns + 1) + cell % columns;
        const uint32_t corners[2][3] = {{v, v + 1, v + columns + 1}, {v + 1, v + columns + 2, v + columns + 1}};
        memcpy(made.triangles + 3 * (size_t)i, corners[i % 2], sizeof corners[0]);
    }
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = made.positions, def.vertexCount = made.vertexCount;
    def.triangles = made.triangles, def.triangleCount = made.triangleCount;
    ok(grzBvh_Create(&def, &made.bvh));
    made.nodes = take(grzBvh_GetView(made.bvh).nodeCount, sizeof(grzBvhNode));
    made.cull = makeCull(made.bvh);
    refit(&made, NULL);
    return made;
}

static void dropSurface(Surface* surface) {
    free(surface->positions), free(surface->ends), free(surface->triangles), free(surface->nodes);
    grzSelfCull_Destroy(surface->cull);
    grzBvh_Destroy(surface->bvh);
}

// ---- the reference ----

static bool shareVertex(const uint32_t* a, const uint32_t* b) {
    for (int i = 0; i < 9; ++i)
        if (a[i / 3] == b[i % 3])
            return true;
    return false;
}

// Of the tree's triangles, by an exact test.
static bool triangleMeet(const Surface* surface, const float* positions, uint32_t i, uint32_t j) {
    const grzBvhView view = grzBvh_GetView(surface->bvh);
    const uint32_t* both[2] = {surface->triangles + 3 * (size_t)view.triangleToCaller[i],
                               surface->triangles + 3 * (size_t)view.triangleToCaller[j]};
    grzVec3 corners[2][3];
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < 3; ++k)
            corners[side][k] = grzVec3_Load(positions + 3 * (size_t)both[side][k]);
    return !shareVertex(both[0], both[1]) && grzTriTri_Classify(corners[0], corners[1]) != grz_triNone;
}

// The least node that holds two leaves is free.
static bool areCulled(const Surface* surface, uint32_t leafA, uint32_t leafB) {
    for (uint32_t level = grzBvh_GetView(surface->bvh).levelCount; level-- > 0;) {
        leafA /= 8, leafB /= 8;
        if (leafA == leafB)
            return grzSelfCull_IsFree(surface->cull, level, leafA);
    }
    return false;
}

// Returns how many pairs that are culled were looked at.
static size_t expectApart(const Surface* surface, const float* positions) {
    const uint32_t count = surface->triangleCount;
    size_t culled = 0;
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t j = i + 1; j < count; ++j)
            if (areCulled(surface, i / 4, j / 4)) {
                ++culled;
                if (triangleMeet(surface, positions, i, j))
                    fail_msg("triangles %u and %u of a free node meet", i, j);
            }
    return culled;
}

static void blend(const Surface* surface, float part, float* to) {
    for (uint32_t i = 0; i < 3 * surface->vertexCount; ++i)
        to[i] = (1 - part) * surface->positions[i] + part * surface->ends[i];
}

// ---- tests ----

static void free_nodes_do_not_meet_themselves(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1), 1);
    size_t culled = 0, moving = 0;
    for (int round = 0; round < 12; ++round) {
        Surface made =
            makeSurface(&rng, 6 + grzRng_Below(&rng, 20), 6 + grzRng_Below(&rng, 12), kinds[round % KINDS]);
        float* between = take(3 * (size_t)made.vertexCount, sizeof *between);
        ok(grzSelfCull_Update(made.cull, NULL, made.positions, NULL));
        culled += expectApart(&made, made.positions);
        ok(grzSelfCull_Update(made.cull, NULL, made.positions, made.ends));
        for (int part = 0; part <= 4; ++part) {
            blend(&made, 0.25F * (float)part, between);
            moving += expectApart(&made, between);
        }
        free(between);
        dropSurface(&made);
    }
    assert_true(culled > 10000);
    assert_true(moving > 1000);
}

static void flat_sheets_are_free(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(2, 1);
    Surface made = makeSurface(&rng, 30, 20, flat);
    grzSelfCullStats stats = grzSelfCull_GetStats(made.cull);
    assert_int_equal(stats.freeTriangles, 0); // nothing was decided yet
    assert_int_equal(stats.contours, grzBvh_GetView(made.bvh).nodeCount);
    ok(grzSelfCull_Update(made.cull, NULL, made.positions, NULL));
    assert_true(grzSelfCull_IsFree(made.cull, 0, 0));
    assert_int_equal(grzSelfCull_GetStats(made.cull).freeTriangles, made.triangleCount);
    grzBoxPairsDef def = grzDefaultBoxPairsDef();
    grzBoxPairs* pairs;
    ok(grzBoxPairs_Create(&def, &pairs));
    grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
    query.a = (grzBoxSet){made.bvh, made.nodes}, query.cull = made.cull;
    ok(grzBoxPairs_Find(pairs, NULL, &query));
    assert_int_equal(grzBoxPairs_GetView(pairs).count, 0);
    made.positions[7] = (float)NAN;
    ok(grzSelfCull_Update(made.cull, NULL, made.positions, NULL));
    assert_false(grzSelfCull_IsFree(made.cull, 0, 0));
    grzBoxPairs_Destroy(pairs);
    dropSurface(&made);
}

// A ring has two contours, and is free; also far from the origin.
static void rings_are_free(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(8, 1);
    Surface made = makeSurface(&rng, 40, 5, ring);
    const grzBvhView view = grzBvh_GetView(made.bvh);
    for (uint32_t i = 0; i < 3 * view.triangleCount; ++i) // its first column is its last one
        if (made.triangles[i] % 41 == 40)
            made.triangles[i] -= 40;
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = made.positions, def.vertexCount = made.vertexCount;
    def.triangles = made.triangles, def.triangleCount = made.triangleCount;
    ok(grzBvh_Rebuild(made.bvh, &def));
    grzSelfCull_Destroy(made.cull);
    made.cull = makeCull(made.bvh);
    for (int far = 0; far < 2; ++far) {
        ok(grzSelfCull_Update(made.cull, NULL, made.positions, NULL));
        assert_true(grzSelfCull_IsFree(made.cull, 0, 0));
        for (uint32_t i = 0; i < 3 * made.vertexCount; ++i)
            made.positions[i] += 1000;
    }
    dropSurface(&made);
}

// All faces up, and the contour crosses itself.
static void facing_is_not_enough(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(3, 1);
    Surface made = makeSurface(&rng, 60, 4, twice);
    size_t meeting = 0;
    ok(grzSelfCull_Update(made.cull, NULL, made.positions, NULL));
    assert_false(grzSelfCull_IsFree(made.cull, 0, 0));
    for (uint32_t i = 0; i < made.triangleCount; ++i)
        for (uint32_t j = i + 1; j < made.triangleCount; ++j)
            meeting += triangleMeet(&made, made.positions, i, j);
    assert_true(meeting > 0);
    expectApart(&made, made.positions);
    dropSurface(&made);
}

// Two sheets in one node that face the same way and pass through each other.
static void parts_that_cover_each_other_are_not_free(void** state) {
    (void)state;
    static const float positions[] = {0,    0,    0,     1,    0,    0,    0,    1,    0,
                                      0.1F, 0.1F, -0.1F, 0.9F, 0.1F, 0.1F, 0.1F, 0.9F, 0.1F};
    static const uint32_t triangles[] = {0, 1, 2, 3, 4, 5};
    grzBvhDef def = grzDefaultBvhDef();
    grzBvh* bvh;
    def.positions = positions, def.vertexCount = 6, def.triangles = triangles, def.triangleCount = 2;
    ok(grzBvh_Create(&def, &bvh));
    grzSelfCull* cull = makeCull(bvh);
    ok(grzSelfCull_Update(cull, NULL, positions, NULL));
    assert_int_equal(grzSelfCull_GetStats(cull).contours, 1);
    assert_false(grzSelfCull_IsFree(cull, 0, 0));
    grzSelfCull_Destroy(cull), grzSelfCull_Destroy(NULL);
    grzBvh_Destroy(bvh);
}

// A sheet that is flat at both ends of its motion, and turns over between them.
static void motions_count(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(4, 1);
    Surface made = makeSurface(&rng, 8, 8, flat);
    for (uint32_t i = 0; i < made.vertexCount; ++i) {
        made.ends[3 * i] = -made.positions[3 * i], made.ends[3 * i + 1] = -made.positions[3 * i + 1];
        made.ends[3 * i + 2] = made.positions[3 * i + 2];
    }
    ok(grzSelfCull_Update(made.cull, NULL, made.positions, NULL));
    assert_true(grzSelfCull_IsFree(made.cull, 0, 0));
    ok(grzSelfCull_Update(made.cull, NULL, made.ends, NULL));
    assert_true(grzSelfCull_IsFree(made.cull, 0, 0));
    ok(grzSelfCull_Update(made.cull, NULL, made.positions, made.ends));
    assert_int_equal(grzSelfCull_GetStats(made.cull).freeTriangles, 0);
    dropSurface(&made);
}

static void setPolar(float* positions, uint32_t vertex, float angle, float radius) {
    positions[3 * vertex] = radius * cosf(angle), positions[3 * vertex + 1] = radius * sinf(angle);
    positions[3 * vertex + 2] = 0;
}

// Free at both ends, but not on the way from one to the other.
static void expectFreeAtEnds(const Surface* made) {
    ok(grzSelfCull_Update(made->cull, NULL, made->positions, NULL));
    assert_true(grzSelfCull_IsFree(made->cull, 0, 0));
    ok(grzSelfCull_Update(made->cull, NULL, made->ends, NULL));
    assert_true(grzSelfCull_IsFree(made->cull, 0, 0));
    ok(grzSelfCull_Update(made->cull, NULL, made->positions, made->ends));
    assert_false(grzSelfCull_IsFree(made->cull, 0, 0));
}

// A disc of which the inside turns by half a circle within a rim that rests: triangles turn over, the contour does not move.
static void triangles_that_turn_over_count(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(9, 1);
    Surface made = makeSurface(&rng, 24, 4, flat);
    uint32_t* to = made.triangles;
    for (uint32_t i = 0; i < made.vertexCount; ++i) { // the first row is the middle
        const uint32_t row = i / 25;
        const float angle = 2 * 3.14159265F * (float)(i % 25) / 24;
        const float radius = row == 0 ? 0 : powf(3, (float)row - 4);
        setPolar(made.positions, i, angle, radius);
        setPolar(made.ends, i, angle + 3.14159265F * (float)(4 - row) / 3, radius);
    }
    for (uint32_t i = 0; i < made.triangleCount; ++i) {
        uint32_t corners[3];
        for (int k = 0; k < 3; ++k) {
            const uint32_t v = made.triangles[3 * i + (uint32_t)k];
            corners[k] = v < 25 ? 0 : v % 25 == 24 ? v - 24 : v;
        }
        if (corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0])
            memcpy(to, corners, sizeof corners), to += 3;
    }
    made.triangleCount = (uint32_t)(to - made.triangles) / 3;
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = made.positions, def.vertexCount = made.vertexCount;
    def.triangles = made.triangles, def.triangleCount = made.triangleCount;
    ok(grzBvh_Rebuild(made.bvh, &def));
    grzSelfCull_Destroy(made.cull);
    made.cull = makeCull(made.bvh);
    expectFreeAtEnds(&made);
    dropSurface(&made);
}

// A strip of more than one turn whose inner tip becomes the outer one: all faces up all the time, and the contour crosses itself on the way.
static void contours_that_cross_on_the_way_count(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(10, 1);
    Surface made = makeSurface(&rng, 60, 1, flat);
    for (uint32_t i = 0; i < made.vertexCount; ++i) {
        const float turn = 1.1F * (float)(i % 61) / 60, width = i < 61 ? 0.0F : 0.1F;
        setPolar(made.positions, i, -6.2831853F * turn, 1 + width - 0.3F * turn);
        setPolar(made.ends, i, -6.2831853F * turn, 1 + width + 0.3F * turn);
    }
    expectFreeAtEnds(&made);
    dropSurface(&made);
}

// ---- rounding on the way ----

enum { ROUNDED_TIMES = 1024 };

typedef struct Motion {
    float at[2][3 * 11];
    uint32_t vertexCount;
} Motion;

// As a plan has it.
static void roundPositions(const Motion* motion, int time, float* to) {
    const double part = (double)time / ROUNDED_TIMES;
    for (uint32_t i = 0; i < 3 * motion->vertexCount; ++i)
        to[i] = (float)((1 - part) * (double)motion->at[0][i] + part * (double)motion->at[1][i]);
}

static bool isFreeInMotion(const Motion* motion, const uint32_t* triangles, uint32_t triangleCount) {
    grzBvhDef def = grzDefaultBvhDef();
    grzBvh* bvh;
    def.positions = motion->at[0], def.vertexCount = motion->vertexCount;
    def.triangles = triangles, def.triangleCount = triangleCount;
    ok(grzBvh_Create(&def, &bvh));
    grzSelfCull* cull = makeCull(bvh);
    ok(grzSelfCull_Update(cull, NULL, motion->at[0], motion->at[1]));
    const bool isFree = grzSelfCull_IsFree(cull, 0, 0);
    grzSelfCull_Destroy(cull);
    grzBvh_Destroy(bvh);
    return isFree;
}

// Two triangles side by side that fly a long way and never touch, but for what rounding does to them.
static void gaps_that_rounding_closes_count(void** state) {
    (void)state;
    static const uint32_t triangles[] = {0, 1, 2, 3, 4, 5};
    static const float shape[] = {-1, 0, 0, 0, -1, 0, 0, 1, 0, 0, -1, 0, 1, 0, 0, 0, 1, 0};
    for (int wide = 0; wide < 2; ++wide) {
        const float scale = wide != 0 ? 4096 : 1, gaps[2] = {scale * 0x1p-14F, scale * 1e-6F};
        Motion motion = {.vertexCount = 6};
        int meeting = 0;
        for (int end = 0; end < 2; ++end)
            for (int i = 0; i < 18; ++i)
                motion.at[end][i] =
                    shape[i] + (i % 3 == 0 ? (end == 0 ? 1000.3F : 0) + (i < 9 ? 0 : gaps[end]) : 0);
        for (int time = 0; time <= ROUNDED_TIMES; ++time) {
            float at[18];
            roundPositions(&motion, time, at);
            const grzVec3 a[3] = {grzVec3_Load(at), grzVec3_Load(at + 3), grzVec3_Load(at + 6)};
            const grzVec3 b[3] = {grzVec3_Load(at + 9), grzVec3_Load(at + 12), grzVec3_Load(at + 15)};
            meeting += grzTriTri_Classify(a, b) != grz_triNone;
        }
        assert_int_equal(meeting == 0, wide);
        assert_int_equal(isFreeInMotion(&motion, triangles, 2), wide);
    }
}

// Three triangles around a vertex that is just inside of an edge: what rounding turns over faces no axis.
static void triangles_that_rounding_turns_over_count(void** state) {
    (void)state;
    static const uint32_t triangles[] = {0, 1, 3, 1, 2, 3, 2, 0, 3};
    for (int wide = 0; wide < 2; ++wide) {
        const float scale = wide != 0 ? 4096 : 1, gaps[2] = {scale * 0x1p-14F, scale * 1e-6F};
        Motion motion = {.vertexCount = 4};
        int turned = 0;
        for (int end = 0; end < 2; ++end) {
            const float x = end == 0 ? 1000.3F : 0;
            const float at[12] = {x, 1, 0, x, -1, 0, x + 1, 0, 0, x + gaps[end], 0, 0};
            memcpy(motion.at[end], at, sizeof at);
        }
        for (int time = 0; time <= ROUNDED_TIMES; ++time) {
            float at[18];
            roundPositions(&motion, time, at);
            turned += at[9] <= at[0];
        }
        assert_int_equal(turned == 0, wide);
        assert_int_equal(isFreeInMotion(&motion, triangles, 3), wide);
    }
}

// ---- contours ----

// A hexagon that turns by a corner, and a small triangle that is outside of the same edge of it before and after. Between it is inside. Nothing
// turns over, and every edge of one is on the same side of each line of the other at both ends.
static void sides_that_change_on_the_way_count(void** state) {
    (void)state;
    static const uint32_t triangles[] = {6, 0, 1, 6, 1, 2, 6, 2, 3, 6, 3, 4, 6, 4, 5, 6, 5, 0, 7, 8, 9};
    static const float shape[] = {0, 0, 0.01F, 0, 0, 0.01F};
    Motion motion = {.vertexCount = 10};
    float middle[30];
    for (int end = 0; end < 2; ++end) {
        for (int k = 0; k < 6; ++k)
            setPolar(motion.at[end], (uint32_t)k, 1.0471976F * (float)(k + end), 1);
        const float at[2] = {end == 0 ? 0.98F : -0.39F, end == 0 ? 0.12F : 0.9F};
        for (int k = 0; k < 3; ++k)
            for (int axis = 0; axis < 2; ++axis)
                motion.at[end][3 * (7 + k) + axis] = at[axis] + shape[2 * k + axis];
    }
    grzVec3 corners[7][3];
    roundPositions(&motion, ROUNDED_TIMES / 2, middle);
    int meeting = 0;
    for (int i = 0; i < 21; ++i)
        corners[i / 3][i % 3] = grzVec3_Load(middle + 3 * (size_t)triangles[i]);
    for (int i = 0; i < 6; ++i)
        meeting += grzTriTri_Classify(corners[i], corners[6]) != grz_triNone;
    assert_true(meeting > 0);
    assert_false(isFreeInMotion(&motion, triangles, 7));
    memcpy(motion.at[1], motion.at[0], sizeof motion.at[0]); // and at rest it is
    assert_true(isFreeInMotion(&motion, triangles, 7));
}

// Edges of three triangles, or of two on one side, are no surface's.
static void edges_that_part_no_surface_have_no_contour(void** state) {
    (void)state;
    static const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 2, 1, 0, -1, 0};
    static const uint32_t triangles[2][9] = {{0, 1, 2, 0, 1, 3, 0, 0, 0}, {0, 1, 2, 1, 0, 4, 0, 1, 3}};
    for (uint32_t k = 0; k < 2; ++k) {
        grzBvhDef def = grzDefaultBvhDef();
        grzBvh* bvh;
        def.positions = positions, def.vertexCount = 5, def.triangles = triangles[k], def.triangleCount = 2 + k;
        ok(grzBvh_Create(&def, &bvh));
        grzSelfCull* cull = makeCull(bvh);
        assert_int_equal(grzSelfCull_GetStats(cull).contours, 0);
        grzSelfCull_Destroy(cull);
        grzBvh_Destroy(bvh);
    }
}

// A hexagon with a triangle inside of it that hangs on one corner, and one outside on another: contours meet at both.
static void triangles_that_hang_on_a_corner_count(void** state) {
    (void)state;
    static const uint32_t triangles[] = {3, 0, 4, 3, 4, 5, 3, 5, 6, 3, 6, 7, 3, 7, 8, 3, 8, 0, 0, 9, 10, 5, 1, 2};
    static const uint32_t ring[6] = {0, 4, 5, 6, 7, 8};
    static const float others[4][2] = {{0.2F, -0.5F}, {0.4F, -0.3F}, {1.5F, -0.1F}, {1.5F, 0.1F}};
    static const uint32_t numbers[4] = {1, 2, 9, 10};
    Motion motion = {.vertexCount = 11};
    for (int end = 0; end < 2; ++end) {
        for (int k = 0; k < 6; ++k)
            setPolar(motion.at[end], ring[k], 1.0471976F * (float)k, 1);
        for (int k = 0; k < 4; ++k)
            memcpy(motion.at[end] + 3 * (size_t)numbers[k], others[k], sizeof others[k]);
    }
    assert_true(isFreeInMotion(&motion, triangles, 7));
    assert_false(isFreeInMotion(&motion, triangles, 8));
}

// A flat sheet with one triangle thrice: what holds it is no surface, up to the root.
static void copies_of_a_triangle_spoil_what_holds_them(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(11, 1);
    Surface made = makeSurface(&rng, 30, 20, flat);
    uint32_t* triangles = take(3 * (size_t)made.triangleCount + 6, sizeof *triangles);
    memcpy(triangles, made.triangles, 3 * (size_t)made.triangleCount * sizeof *triangles);
    for (int copy = 0; copy < 2; ++copy)
        memcpy(triangles + 3 * (size_t)made.triangleCount + 3 * copy, made.triangles + 300, 3 * sizeof *triangles);
    grzBvhDef def = grzDefaultBvhDef();
    grzBvh* bvh;
    def.positions = made.positions, def.vertexCount = made.vertexCount;
    def.triangles = triangles, def.triangleCount = made.triangleCount + 2;
    ok(grzBvh_Create(&def, &bvh));
    grzSelfCull* cull = makeCull(bvh);
    const uint32_t levels = grzBvh_GetView(bvh).levelCount;
    ok(grzSelfCull_Update(cull, NULL, made.positions, NULL));
    assert_false(grzSelfCull_IsFree(cull, 0, 0));
    assert_true(levels > 2 && grzSelfCull_GetStats(cull).freeTriangles > made.triangleCount / 2);
    grzSelfCull_Destroy(cull);
    grzBvh_Destroy(bvh);
    free(triangles);
    dropSurface(&made);
}

// What box pairs leave out with a cull has no triangles that meet; Validate knows what is to be there.
static void pairs_keep_what_meets(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(5), 1);
    grzBoxPairsDef def = grzDefaultBoxPairsDef();
    grzBoxPairs* pairs;
    ok(grzBoxPairs_Create(&def, &pairs));
    for (int kind = 0; kind < KINDS; ++kind) {
        Surface made = makeSurface(&rng, 31, 17, kinds[kind]);
        grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
        query.a = (grzBoxSet){made.bvh, made.nodes};
        ok(grzBoxPairs_Find(pairs, NULL, &query));
        const size_t all = grzBoxPairs_GetView(pairs).count;
        query.cull = made.cull;
        ok(grzSelfCull_Update(made.cull, NULL, made.positions, NULL));
        ok(grzBoxPairs_Find(pairs, NULL, &query));
        assert_true(grzBoxPairs_Validate(pairs, &query));
        const size_t left = grzBoxPairs_GetView(pairs).count;
        assert_true(left <= all);
        assert_true(kinds[kind] == twice || kinds[kind] == soup || left < all);
        expectApart(&made, made.positions);
        dropSurface(&made);
    }
    grzBoxPairs_Destroy(pairs);
}

static void expectSameFlags(const Surface* made, grzTasks* tasks, const uint8_t* wanted) {
    const grzBvhView view = grzBvh_GetView(made->bvh);
    ok(grzSelfCull_Update(made->cull, tasks, made->positions, made->ends));
    for (uint32_t level = 0; level < view.levelCount; ++level)
        for (uint32_t i = view.levelStarts[level]; i < view.levelStarts[level + 1]; ++i)
            assert_int_equal(grzSelfCull_IsFree(made->cull, level, i - view.levelStarts[level]), wanted[i]);
}

static void same_flags(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(6), 1);
    Surface made = makeSurface(&rng, 60, 50, rough);
    const grzBvhView view = grzBvh_GetView(made.bvh);
    uint8_t* wanted = take(view.nodeCount, 1);
    ok(grzSelfCull_Update(made.cull, NULL, made.positions, made.ends));
    for (uint32_t level = 0; level < view.levelCount; ++level)
        for (uint32_t i = view.levelStarts[level]; i < view.levelStarts[level + 1]; ++i)
            wanted[i] = grzSelfCull_IsFree(made.cull, level, i - view.levelStarts[level]);
    for (uint32_t workers = 1; workers <= 8; workers = workers < 3 ? workers + 1 : workers + 5) {
        grzTasksDef def = grzDefaultTasksDef();
        def.workerCount = workers;
        grzTasks* tasks;
        ok(grzTasks_Create(&def, &tasks));
        expectSameFlags(&made, tasks, wanted);
        grzTasks_Destroy(tasks);
    }
    const grzSimdLevel usual = grzSimd_Level();
    for (int level = 0; level <= grz_simdNeon; ++level)
        if (grzSimd_Supports((grzSimdLevel)level)) {
            grzSimd_Force((grzSimdLevel)level);
            expectSameFlags(&made, NULL, wanted);
        }
    grzSimd_Force(usual);
    free(wanted);
    dropSurface(&made);
}

static void refuses(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(7, 1);
    Surface made = makeSurface(&rng, 9, 9, flat), other = makeSurface(&rng, 5, 5, flat);
    Surface same = makeSurface(&rng, 9, 9, flat); // another one of the same counts
    TestMemory memory = {.failAt = SIZE_MAX};
    grzSelfCullDef def = grzDefaultSelfCullDef();
    grzSelfCull* cull;
    assert_int_equal(grzSelfCull_Create(NULL, &cull).status, grz_badDef);
    assert_int_equal(grzSelfCull_Create(&def, &cull).status, grz_badArgument);
    assert_null(cull);
    def.bvh = made.bvh, def.allocator = testAllocator(&memory);
    grzStatus status = grz_outOfMemory;
    size_t refused = 0;
    for (; status == grz_outOfMemory; ++refused) {
        memory.requests = 0, memory.failAt = refused;
        status = grzSelfCull_Create(&def, &cull).status;
        assert_true((cull == NULL) == (status == grz_outOfMemory));
        assert_true(cull != NULL || memory.liveCount == 0);
    }
    assert_int_equal(status, grz_ok);
    assert_true(refused > 5);
    assert_int_equal(grzSelfCull_MemorySize(cull), memory.liveBytes);
    memory.failAt = memory.requests; // nothing is asked for any more
    assert_int_equal(grzSelfCull_Update(cull, NULL, NULL, NULL).status, grz_badArgument);
    ok(grzSelfCull_Update(cull, NULL, made.positions, made.ends));
    grzSelfCull_Destroy(cull);
    assert_int_equal(memory.liveCount, 0);
    grzBoxPairsDef pairsDef = grzDefaultBoxPairsDef();
    grzBoxPairs* pairs;
    ok(grzBoxPairs_Create(&pairsDef, &pairs));
    grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
    query.a = (grzBoxSet){made.bvh, made.nodes}, query.cull = other.cull;
    assert_int_equal(grzBoxPairs_Find(pairs, NULL, &query).status, grz_badArgument);
    query.cull = same.cull;
    assert_int_equal(grzBoxPairs_Find(pairs, NULL, &query).status, grz_badArgument);
    query.b = query.a, query.cull = made.cull;
    assert_int_equal(grzBoxPairs_Find(pairs, NULL, &query).status, grz_badArgument);
    query.b = (grzBoxSet){NULL, NULL};
    ok(grzBoxPairs_Find(pairs, NULL, &query));
    grzBvhDef rebuilt = grzDefaultBvhDef();
    rebuilt.positions = made.ends, rebuilt.vertexCount = made.vertexCount;
    rebuilt.triangles = made.triangles, rebuilt.triangleCount = made.triangleCount;
    ok(grzBvh_Rebuild(made.bvh, &rebuilt));
    assert_int_equal(grzBoxPairs_Find(pairs, NULL, &query).status, grz_badArgument);
    grzBoxPairs_Destroy(pairs);
    dropSurface(&made), dropSurface(&other), dropSurface(&same);
}

// Memory from the beginning of one piece, again when all of it has come back.
typedef struct OnePlace {
    _Alignas(4096) unsigned char bytes[1 << 20];
    size_t used, live;
} OnePlace;

static void* takePlace(void* context, size_t size, size_t alignment) {
    OnePlace* place = context;
    const size_t at = (place->used + alignment - 1) / alignment * alignment;
    assert_true(at + size <= sizeof place->bytes);
    place->used = at + size;
    ++place->live;
    return place->bytes + at;
}

static void leavePlace(void* context, void* memory, size_t size, size_t alignment) {
    (void)memory, (void)size, (void)alignment;
    OnePlace* place = context;
    if (--place->live == 0)
        place->used = 0;
}

// A larger hierarchy comes to lie where the one of the cull lay.
static void a_destroyed_hierarchy_is_another(void** state) {
    (void)state;
    static OnePlace place;
    grzRng rng = grzRng_Make(9, 1);
    Surface small = makeSurface(&rng, 9, 9, flat), large = makeSurface(&rng, 30, 30, flat);
    const Surface* surfaces[2] = {&small, &large};
    grzBvh* bvhs[2];
    grzSelfCull* cull = NULL;
    for (int k = 0; k < 2; ++k) {
        grzBvhDef def = grzDefaultBvhDef();
        def.positions = surfaces[k]->positions, def.vertexCount = surfaces[k]->vertexCount;
        def.triangles = surfaces[k]->triangles, def.triangleCount = surfaces[k]->triangleCount;
        def.allocator = (grzAllocator){&place, takePlace, leavePlace};
        ok(grzBvh_Create(&def, &bvhs[k]));
        if (k == 0) {
            cull = makeCull(bvhs[k]);
            grzBvh_Destroy(bvhs[k]);
        }
    }
    assert_ptr_equal(bvhs[0], bvhs[1]);
    const grzBoxPairsDef pairsDef = grzDefaultBoxPairsDef();
    grzBoxPairs* pairs;
    ok(grzBoxPairs_Create(&pairsDef, &pairs));
    grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
    query.a = (grzBoxSet){bvhs[1], large.nodes}, query.cull = cull;
    assert_int_equal(grzBoxPairs_Find(pairs, NULL, &query).status, grz_badArgument);
    grzBoxPairs_Destroy(pairs);
    grzSelfCull_Destroy(cull);
    grzBvh_Destroy(bvhs[1]);
    dropSurface(&small), dropSurface(&large);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_nodes_do_not_meet_themselves),
        cmocka_unit_test(flat_sheets_are_free),
        cmocka_unit_test(rings_are_free),
        cmocka_unit_test(facing_is_not_enough),
        cmocka_unit_test(parts_that_cover_each_other_are_not_free),
        cmocka_unit_test(motions_count),
        cmocka_unit_test(triangles_that_turn_over_count),
        cmocka_unit_test(contours_that_cross_on_the_way_count),
        cmocka_unit_test(gaps_that_rounding_closes_count),
        cmocka_unit_test(triangles_that_rounding_turns_over_count),
        cmocka_unit_test(sides_that_change_on_the_way_count),
        cmocka_unit_test(edges_that_part_no_surface_have_no_contour),
        cmocka_unit_test(triangles_that_hang_on_a_corner_count),
        cmocka_unit_test(copies_of_a_triangle_spoil_what_holds_them),
        cmocka_unit_test(pairs_keep_what_meets),
        cmocka_unit_test(same_flags),
        cmocka_unit_test(refuses),
        cmocka_unit_test(a_destroyed_hierarchy_is_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
