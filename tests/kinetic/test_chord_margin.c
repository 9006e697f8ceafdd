// Margins of chord trees, far from the origin: each vertex lies in its leaf as real arithmetic has it, and as a host has it in float,
// fused or not, at times that round badly; a side lies outside of the chord by 7u of the coordinate at most, u = 2^-24, where it is
// read or cut by 9u or 11u; boxes stay in boxes at every size; the same bytes at every level.
#include "testing.h"

#include <float.h>
#include <math.h>

#include "chord_inside.h"
#include "chord_kernel.h"
#include "graze/chord_tree.h"
#include "rng.h"
#include "simd_dispatch.h"

#define U 0x1p-24

enum { FRAMES = 3, SIDE = 20, VERTICES = SIDE * SIDE, TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };

static void ok(grzResult result) {
    char text[128];
    if (!grzResult_IsOk(result))
        fail_msg("%s", grzResult_Text(result, text, sizeof text));
}

// ---- a sheet that waves and is carried off ----

typedef struct Sheet {
    float frames[FRAMES][3 * VERTICES];
    uint32_t triangles[3 * TRIANGLES];
    grzBvh* bvh;
    grzFlightplan* plan;
    grzBvhView view;
    grzBvhNode* nodes;
} Sheet;

static void drawFrame(grzRng* rng, const double center[3], double edge, int frame, float* to) {
    for (int v = 0; v < VERTICES; ++v) {
        const double wave = sin(0.7 * (v % SIDE) + 1.3 * frame) + cos(0.4 * (v / SIDE) - 0.9 * frame); // NOLINT
        const double at[3] = {v % SIDE + 0.3 * frame, v / SIDE - 2.6 * frame, 3 * wave}; // NOLINT: whole rows
        for (int axis = 0; axis < 3; ++axis)
            to[3 * v + axis] = (float)(center[axis] + edge * (at[axis] + (double)grzRng_Float(rng)));
    }
}

static Sheet* makeSheet(grzRng* rng, const double center[3], double edge) {
    Sheet* sheet = calloc(1, sizeof *sheet);
    assert_non_null(sheet);
    uint32_t* corner = sheet->triangles;
    for (uint32_t v = 0; v < VERTICES - SIDE; ++v)
        if (v % SIDE != SIDE - 1) {
            const uint32_t corners[6] = {v, v + 1, v + SIDE, v + 1, v + SIDE + 1, v + SIDE};
            memcpy(corner, corners, sizeof corners);
            corner += 6;
        }
    for (int f = 0; f < FRAMES; ++f)
        drawFrame(rng, center, edge, f, sheet->frames[f]);
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = sheet->frames[0], def.vertexCount = VERTICES;
    def.triangles = sheet->triangles, def.triangleCount = TRIANGLES;
    ok(grzBvh_Create(&def, &sheet->bvh));
    sheet->view = grzBvh_GetView(sheet->bvh);
    sheet->nodes = calloc(sheet->view.nodeCount, sizeof *sheet->nodes);
    assert_non_null(sheet->nodes);
    grzFlightplanDef planDef = grzDefaultFlightplanDef();
    planDef.vertexCount = VERTICES;
    ok(grzFlightplan_Create(&planDef, &sheet->plan));
    for (int f = 0; f < FRAMES; ++f)
        ok(grzFlightplan_AddKeyframe(sheet->plan, f, sheet->frames[f], 0));
    return sheet;
}

static void dropSheet(Sheet* sheet) {
    grzFlightplan_Destroy(sheet->plan);
    grzBvh_Destroy(sheet->bvh);
    free(sheet->nodes);
    free(sheet);
}

static grzChordTree* makeTree(const Sheet* sheet, float looseness) {
    grzChordTreeDef def = grzDefaultChordTreeDef();
    def.bvh = sheet->bvh, def.plan = sheet->plan, def.looseness = looseness;
    grzChordTree* tree;
    ok(grzChordTree_Create(&def, &tree));
    return tree;
}

// Parts of an interval: its ends, its middle, and at random.
static double drawPart(grzRng* rng, int round) {
    const uint32_t near = 1 + grzRng_Below(rng, 40);
    switch (round % 4) {
    case 0:
        return near * U;
    case 1:
        return 1 - near * U;
    case 2:
        return 0.5 + ((double)near - 20) * U;
    default:
        return (1 + (double)grzRng_Below(rng, (1u << 24) - 1)) * U;
    }
}

// ---- what must hold ----

// Far from the origin nothing is rounded here: a coordinate has 24 bits, its product with a part 48, and all are alike in size.
static double blend(double a, double b, double part) {
    return (1 - part) * a + part * b;
}

static double sizeOf(double a, double b) {
    return fmax(fabs(a), fabs(b));
}

// The place of a vertex, and the least and the greatest that a host may come to.
typedef struct Place {
    double exact, least, most;
} Place;

static Place placeOf(float a, float b, double part) {
    const float s = (float)part, r = 1 - s, first = r * a, second = s * b;
    const float hosts[3] = {first + second, fmaf(r, a, second), fmaf(s, b, first)};
    Place place = {blend((double)a, (double)b, part), (double)hosts[0], (double)hosts[0]};
    for (int i = 1; i < 3; ++i) {
        place.least = fmin(place.least, (double)hosts[i]);
        place.most = fmax(place.most, (double)hosts[i]);
    }
    return place;
}

typedef struct Extent {
    double lower, upper;
} Extent;

// Where a leaf's vertices are at a part of the interval. All of it lies in `box`.
static Extent extentOf(const Sheet* sheet, const float* from, const float* to, uint32_t leaf, int axis, double part,
                       Extent box) {
    Extent all = {(double)INFINITY, -(double)INFINITY};
    for (uint32_t k = 0; k < sheet->view.leafVertexCounts[leaf]; ++k) {
        const uint32_t vertex = sheet->view.vertexToCaller[grzChord_TreesLeafVertex(&sheet->view, leaf, k)];
        const Place place = placeOf(from[3 * vertex + (uint32_t)axis], to[3 * vertex + (uint32_t)axis], part);
        assert_true(box.lower <= fmin(place.exact, place.least) && fmax(place.exact, place.most) <= box.upper);
        all = (Extent){fmin(all.lower, place.exact), fmax(all.upper, place.exact)};
    }
    return all;
}

static Extent sidesOf(const grzBvhNode* node, uint32_t lane, int axis) {
    return (Extent){(double)node->lower[axis][lane], (double)node->upper[axis][lane]};
}

static const Extent EVERYWHERE = {-(double)INFINITY, (double)INFINITY};

// How far a leaf with parts may lie outside: the chord of its part is that of the extents at the part's ends.
static Extent extentInPart(const Sheet* sheet, const float* from, const float* to, uint32_t leaf, int axis,
                           uint32_t log, double part) {
    const double count = (double)(1u << log), index = floor(part * count), passed = part * count - index;
    const Extent a = extentOf(sheet, from, to, leaf, axis, index / count, EVERYWHERE);
    const Extent b = extentOf(sheet, from, to, leaf, axis, (index + 1) / count, EVERYWHERE);
    return (Extent){blend(a.lower, b.lower, passed), blend(a.upper, b.upper, passed)};
}

typedef struct Looked {
    uint64_t blended, cut, read; // leaves
} Looked;

static void checkLeaf(const Sheet* sheet, const grzChordTree* tree, uint32_t leaf, int axis, Looked* looked) {
    const float *from = sheet->frames[(int)tree->from->frame], *to = sheet->frames[(int)tree->to->frame];
    const uint32_t bottom = grzBvhView_BottomStart(&sheet->view), at = bottom + leaf / 8, lane = leaf % 8;
    const double part = (double)tree->part;
    const Extent box = sidesOf(&sheet->nodes[at], lane, axis);
    const Extent exact = extentOf(sheet, from, to, leaf, axis, part, box);
    const Extent a = sidesOf(&tree->from->nodes[at], lane, axis), b = sidesOf(&tree->to->nodes[at], lane, axis);
    const double size = fmax(sizeOf(a.lower, a.upper), sizeOf(b.lower, b.upper)) * (1 + 16 * U);
    const bool isHeld = tree->looseness != INFINITY;
    const ChordParts* parts = &tree->parts[(uint64_t)tree->to->frame % 2];
    const uint32_t log = isHeld ? parts->leaves[leaf / 8].logs >> 4 * lane & 15 : 0;
    Extent tight = {blend(a.lower, b.lower, part), blend(a.upper, b.upper, part)};
    double most = 7 * U * size;
    if (log == CHORD_EXACT)
        tight = exact, most = 9 * U * size, ++looked->read;
    else if (log != 0)
        tight = extentInPart(sheet, from, to, leaf, axis, log, part), most = 11 * U * size, ++looked->cut;
    else
        ++looked->blended;
    assert_true(tight.lower - box.lower <= most && box.upper - tight.upper <= most);
}

// Of inner nodes too: a side lies outside of the chord of its ends, by no more than 7u of what these have at the part.
static void checkChords(const Sheet* sheet, const grzChordTree* tree) {
    const double part = (double)tree->part;
    for (uint32_t level = 0; level < sheet->view.levelCount; ++level)
        for (uint32_t i = sheet->view.levelStarts[level]; i < sheet->view.levelStarts[level + 1]; ++i)
            for (uint32_t k = 0; k < grzBvhView_ChildCount(&sheet->view, level, i - sheet->view.levelStarts[level]);
                 ++k)
                for (int axis = 0; axis < 3; ++axis) {
                    const Extent a = sidesOf(&tree->from->nodes[i], k, axis);
                    const Extent b = sidesOf(&tree->to->nodes[i], k, axis);
                    const Extent box = sidesOf(&sheet->nodes[i], k, axis);
                    const double low = blend(a.lower, b.lower, part) - box.lower;
                    const double high = box.upper - blend(a.upper, b.upper, part);
                    assert_true(low > 0 && low <= 7.001 * U * blend(fabs(a.lower), fabs(b.lower), part));
                    assert_true(high > 0 && high <= 7.001 * U * blend(fabs(a.upper), fabs(b.upper), part));
                }
}

static void checkTree(const Sheet* sheet, grzChordTree* tree, double time, Looked* looked) {
    ok(grzChordTree_Advance(tree, NULL, time));
    ok(grzChordTree_WriteBoxes(tree, NULL, sheet->nodes));
    for (uint32_t leaf = 0; leaf < sheet->view.leafCount; ++leaf)
        for (int axis = 0; axis < 3; ++axis)
            checkLeaf(sheet, tree, leaf, axis, looked);
    if (tree->looseness == INFINITY)
        checkChords(sheet, tree);
    assert_true(grzChordTree_Validate(tree));
}

// ---- tests ----

static const double CENTERS[][3] = {
    {1e6, -1e6, 1e6}, {1048570, -1048579, 524290}, {-8388600, 1e6, 4194300}, {8, -8, 0}};
static const double EDGES[] = {0.01, 0.07, 1};

enum { CENTER_COUNT = sizeof CENTERS / sizeof CENTERS[0], EDGE_COUNT = sizeof EDGES / sizeof EDGES[0] };

static void marginsAreAFewUlpsFarFromTheOrigin(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(921), 0);
    Looked looked = {0, 0, 0};
    for (int c = 0; c < CENTER_COUNT; ++c)
        for (int e = 0; e < EDGE_COUNT; ++e) {
            Sheet* sheet = makeSheet(&rng, CENTERS[c], EDGES[e]);
            grzChordTree* tree = makeTree(sheet, (float)INFINITY);
            for (int round = 0; round < 24; ++round)
                checkTree(sheet, tree, grzRng_Below(&rng, FRAMES - 1) + drawPart(&rng, round), &looked);
            grzChordTree_Destroy(tree);
            dropSheet(sheet);
        }
    assert_true(looked.blended > 0 && looked.cut == 0 && looked.read == 0);
}

static void leavesThatAreHeldAreAFewUlpsLooser(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(922), 0);
    Looked looked = {0, 0, 0};
    for (int c = 0; c < CENTER_COUNT; ++c)
        for (int e = 0; e < EDGE_COUNT; ++e)
            for (int isCut = 0; isCut < 2; ++isCut) {
                Sheet* sheet = makeSheet(&rng, CENTERS[c], EDGES[e]);
                grzChordTree* tree = makeTree(sheet, (float)(0.3 * EDGES[e]));
                for (int k = 1; isCut && k <= 600; ++k) // in steps so small that intervals are cut
                    ok(grzChordTree_Advance(tree, NULL, k / 600.0));
                for (int round = 0; round < 24; ++round)
                    checkTree(sheet, tree, isCut + drawPart(&rng, round), &looked);
                grzChordTree_Destroy(tree);
                dropSheet(sheet);
            }
    assert_true(looked.blended > 1000 && looked.cut > 1000 && looked.read > 1000);
}

// Between this float and the next, 2^-22 of it and 2^-120 have sums farther apart than the two floats.
#define STEEP 0x1.04p-122F

// A float at random, from the least to the greatest; or that one.
static float drawSide(grzRng* rng, int round) {
    const float x = ldexpf(1 + grzRng_Float(rng), (int)grzRng_Below(rng, 270) - 145);
    return round % 2 == 0 ? STEEP : grzRng_Below(rng, 2) == 0 ? -x : x;
}

// A parent and a child whose sides are the next floats inward. Lanes are there by their first axis; the others may be upside down.
static void drawNested(grzRng* rng, int round, grzBvhNode* parent, grzBvhNode* child) {
    for (int axis = 0; axis < 3; ++axis)
        for (int lane = 0; lane < 8; ++lane) {
            const float side = axis == 0 ? -1 : drawSide(rng, round), inward = nextafterf(side, FLT_MAX);
            parent->lower[axis][lane] = side, parent->upper[axis][lane] = -side;
            child->lower[axis][lane] = inward, child->upper[axis][lane] = -inward;
        }
}

static void boxesStayInBoxesAtEverySize(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(923), 0);
    for (int round = 0; round < 40000; ++round) {
        grzBvhNode parents[2], children[2], parent, child;
        drawNested(&rng, round, &parents[0], &children[0]);
        drawNested(&rng, round, &parents[1], &children[1]);
        const int other = round % 4 < 2; // or the same at both ends
        const float part = (float)drawPart(&rng, round / 4);
        GRZ_PICK_KERNEL(grzChordBlend)(&parents[0], &parents[other], 1, part, &parent);
        GRZ_PICK_KERNEL(grzChordBlend)(&children[0], &children[other], 1, part, &child);
        for (int axis = 0; axis < 3; ++axis)
            for (int lane = 0; lane < 8; ++lane) {
                assert_true(parent.lower[axis][lane] <= child.lower[axis][lane]);
                assert_true(child.upper[axis][lane] <= parent.upper[axis][lane]);
            }
    }
}

static void boxesAreTheSameAtEveryLevel(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(924), 0);
    for (int isHeld = 0; isHeld < 2; ++isHeld) {
        Sheet* sheet = makeSheet(&rng, CENTERS[0], EDGES[1]);
        const size_t size = sheet->view.nodeCount * sizeof *sheet->nodes;
        grzBvhNode* expected = malloc(size);
        assert_non_null(expected);
        for (int level = grz_simdScalar; level < 32; ++level) {
            if ((grzSimd_SupportedBits() >> level & 1) == 0)
                continue;
            const grzSimdLevel before = grzSimd_Force((grzSimdLevel)level);
            grzChordTree* tree = makeTree(sheet, isHeld ? 0.02F : (float)INFINITY);
            for (int k = 1; k <= 777; ++k)
                ok(grzChordTree_Advance(tree, NULL, k / 600.0));
            ok(grzChordTree_WriteBoxes(tree, NULL, sheet->nodes));
            if (level == grz_simdScalar)
                memcpy(expected, sheet->nodes, size);
            assert_memory_equal(expected, sheet->nodes, size);
            grzChordTree_Destroy(tree);
            grzSimd_Force(before);
        }
        free(expected);
        dropSheet(sheet);
    }
}

// A side that its margin takes beyond the range of float is infinite, and as loose as it may be.
static void sidesBeyondTheRangeAreInfinite(void** state) {
    (void)state;
    static const float frames[2][9] = {{FLT_MAX, 1, 0, -1, FLT_MAX, 0, 0, 0, 1},
                                       {-1, FLT_MAX, 0, FLT_MAX, 1, 0, 1, 0, 0}};
    static const uint32_t triangle[3] = {0, 1, 2};
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = frames[0], def.vertexCount = 3, def.triangles = triangle, def.triangleCount = 1;
    grzBvh* bvh;
    ok(grzBvh_Create(&def, &bvh));
    grzFlightplanDef planDef = grzDefaultFlightplanDef();
    planDef.vertexCount = 3;
    grzFlightplan* plan;
    ok(grzFlightplan_Create(&planDef, &plan));
    for (int f = 0; f < 2; ++f)
        ok(grzFlightplan_AddKeyframe(plan, f, frames[f], 0));
    grzChordTreeDef treeDef = grzDefaultChordTreeDef();
    treeDef.bvh = bvh, treeDef.plan = plan, treeDef.numbering = grz_bvhCallersNumbers, treeDef.looseness = 0.05F;
    grzChordTree* tree;
    ok(grzChordTree_Create(&treeDef, &tree));
    for (int k = 0; k <= 8; ++k) {
        ok(grzChordTree_Advance(tree, NULL, 0.125 * k));
        assert_true(grzChordTree_Validate(tree));
    }
    assert_true(grzChordTree_RootBox(tree).upper.x == FLT_MAX);
    ok(grzChordTree_Advance(tree, NULL, 0x1p-24));
    assert_true(grzChordTree_RootBox(tree).upper.x == INFINITY && grzChordTree_Validate(tree));
    grzChordTree_Destroy(tree);
    grzFlightplan_Destroy(plan);
    grzBvh_Destroy(bvh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marginsAreAFewUlpsFarFromTheOrigin), cmocka_unit_test(leavesThatAreHeldAreAFewUlpsLooser),
        cmocka_unit_test(boxesStayInBoxesAtEverySize),        cmocka_unit_test(boxesAreTheSameAtEveryLevel),
        cmocka_unit_test(sidesBeyondTheRangeAreInfinite),
    };
    return cmocka_run_group_tests_name("chord_margin", tests, NULL, NULL);
}
