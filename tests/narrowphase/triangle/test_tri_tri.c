// Two triangles: examples of every kind; the exact truth of GRAZE_DATA where it is set; and hard pairs of many
// sorts against rational arithmetic: kind, corners to the last bit, features and order, in both argument orders and
// all turns. GRAZE_TRI_PAIRS sets how many hard pairs (script/soak-triangles: ten million).
#include "testing.h"

#include <math.h>

#include "graze/tri_tri.h"
#include "tri_cases.h"
#include "tri_oracle.h"

static Oracle g_oracle;

static int makeOracle(void** state) {
    (void)state;
    Oracle_Make(&g_oracle);
    return 0;
}

static int releaseOracle(void** state) {
    (void)state;
    Oracle_Release(&g_oracle);
    return 0;
}

static int partOf(grzFeature feature) {
    static const int firsts[3] = {0, 3, 6};
    return firsts[grzFeature_Kind(feature)] + (int)grzFeature_Index(feature);
}

// ---- comparing with the oracle ----

static void failPair(const double corners[6][3], const char* what) {
    for (int i = 0; i < 6; ++i)
        print_message("%s%a, %a, %a\n",
                      i == 0   ? "A "
                      : i == 3 ? "B "
                               : "  ",
                      corners[i][0], corners[i][1], corners[i][2]);
    fail_msg("%s", what);
}

typedef struct Found { // either precision
    int count;
    double points[6][3];
    int partsA[6], partsB[6];
} Found;

static bool isRounded(const mpq_t exact, double found, bool isDouble) {
    return isDouble ? found == Oracle_NearestDouble(&g_oracle, exact)
                    : found == (double)Oracle_NearestFloat(&g_oracle, exact);
}

static bool isPoint(const OraclePoint* exact, const double found[3], bool isDouble) {
    return isRounded(exact->at[0], found[0], isDouble) && isRounded(exact->at[1], found[1], isDouble) &&
           isRounded(exact->at[2], found[2], isDouble);
}

// The places of the oracle's points among the found, each taken once; rounded points may coincide.
static bool matchPoints(const Found* found, bool isDouble, bool withParts, int matches[6]) {
    bool isTaken[6] = {false};
    for (int i = 0; i < found->count; ++i) {
        matches[i] = -1;
        for (int j = 0; j < g_oracle.count && matches[i] < 0; ++j) {
            if (isTaken[j] || !isPoint(&g_oracle.points[j], found->points[i], isDouble))
                continue;
            if (withParts && (Oracle_PartOf(&g_oracle, 0, &g_oracle.points[j]) != found->partsA[i] ||
                              Oracle_PartOf(&g_oracle, 3, &g_oracle.points[j]) != found->partsB[i]))
                continue;
            matches[i] = j;
            isTaken[j] = true;
        }
        if (matches[i] < 0)
            return false;
    }
    return true;
}

static bool isRingInOrder(const Found* found, const int matches[6]) {
    for (int i = 0; i < found->count; ++i)
        if (!Oracle_TurnsAsA(&g_oracle, &g_oracle.points[matches[i]],
                             &g_oracle.points[matches[(i + 1) % found->count]],
                             &g_oracle.points[matches[(i + 2) % found->count]]))
            return false;
    return true;
}

static bool isLeastFirst(const Found* found) {
    for (int i = 1; i < found->count; ++i)
        if (found->partsA[i] * 8 + found->partsB[i] <= found->partsA[0] * 8 + found->partsB[0])
            return false;
    return true;
}

static void checkFound(const double corners[6][3], const Found* found, int kind, bool isDouble) {
    Oracle_Decide(&g_oracle, corners);
    if (kind != g_oracle.kind || found->count != g_oracle.count)
        failPair(corners, "another kind");
    // What is no triangle has features by a rule of its own, tested by name.
    bool areProper = Oracle_HasArea(&g_oracle, 0) && Oracle_HasArea(&g_oracle, 3);
    int matches[6];
    if (!matchPoints(found, isDouble, areProper, matches))
        failPair(corners, "another point or other features");
    if (kind == grz_triArea && !isRingInOrder(found, matches))
        failPair(corners, "corners out of order");
    if (!isLeastFirst(found))
        failPair(corners, "not the least point first");
}

static Found foundOf(const grzTriTri* meeting) {
    Found found = {.count = (int)meeting->count};
    for (int i = 0; i < found.count; ++i) {
        const grzTriTriPoint* point = &meeting->points[i];
        for (int axis = 0; axis < 3; ++axis)
            found.points[i][axis] = (double)grzVec3_Get(point->point, axis);
        found.partsA[i] = partOf(point->featureA);
        found.partsB[i] = partOf(point->featureB);
    }
    return found;
}

static void checkFloats(const grzVec3 corners[6]) {
    double numbers[6][3];
    grzTriTri meeting;
    memset(&meeting, 0xA5, sizeof meeting);
    for (int i = 0; i < 6; ++i)
        for (int axis = 0; axis < 3; ++axis)
            numbers[i][axis] = (double)grzVec3_Get(corners[i], axis);
    grzTriTriKind kind = grzTriTri_Intersect(&corners[0], &corners[3], &meeting);
    assert_int_equal(kind, meeting.kind);
    assert_int_equal(kind, grzTriTri_Classify(&corners[0], &corners[3]));
    Found found = foundOf(&meeting);
    checkFound((const double(*)[3])numbers, &found, (int)kind, false);
}

static void checkDoubles(const double corners[6][3]) {
    grzTriTrid meeting;
    grzVec3d vectors[6];
    for (int i = 0; i < 6; ++i)
        vectors[i] = grzVec3d_Make(corners[i][0], corners[i][1], corners[i][2]);
    assert_true(grzTriTri_IntersectDouble(&vectors[0], &vectors[3], &meeting));
    Found found = {.count = (int)meeting.count};
    for (int i = 0; i < found.count; ++i) {
        const grzTriTriPointd* point = &meeting.points[i];
        found.points[i][0] = point->point.x;
        found.points[i][1] = point->point.y;
        found.points[i][2] = point->point.z;
        found.partsA[i] = partOf(point->featureA);
        found.partsB[i] = partOf(point->featureB);
    }
    checkFound(corners, &found, (int)meeting.kind, true);
}

// ---- all ways to write a pair down ----

// Turn 0 to 71: which comes first, and the corners of each in all six orders.
static void turnCorners(const double corners[6][3], int turn, double turned[6][3]) {
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    for (int i = 0; i < 3; ++i) {
        int baseA = turn % 2 == 0 ? 0 : 3;
        memcpy(turned[i], corners[baseA + orders[turn / 2 % 6][i]], sizeof turned[i]);
        memcpy(turned[3 + i], corners[3 - baseA + orders[turn / 12][i]], sizeof turned[i]);
    }
}

static void checkAllTurns(const double corners[6][3]) {
    for (int turn = 0; turn < 72; ++turn) {
        double turned[6][3];
        turnCorners(corners, turn, turned);
        checkDoubles((const double(*)[3])turned);
    }
}

static void checkAllFloatTurns(const grzVec3 corners[6]) {
    double numbers[6][3], turned[6][3];
    for (int i = 0; i < 6; ++i)
        for (int axis = 0; axis < 3; ++axis)
            numbers[i][axis] = (double)grzVec3_Get(corners[i], axis);
    for (int turn = 0; turn < 72; ++turn) {
        grzVec3 vectors[6];
        turnCorners((const double(*)[3])numbers, turn, turned);
        for (int i = 0; i < 6; ++i)
            vectors[i] = grzVec3_Make((float)turned[i][0], (float)turned[i][1], (float)turned[i][2]);
        checkFloats(vectors);
    }
}

// ---- tests ----

static size_t pairCount(size_t usual) {
    const char* text = getenv("GRAZE_TRI_PAIRS");
    return text != NULL ? strtoull(text, NULL, 10) : usual;
}

static void hardPairsAreDecidedAsByRationalNumbers(void** state) {
    (void)state;
    size_t count = pairCount(20000), kinds[TRI_CASE_KINDS][4] = {{0}};
    grzRng rng = grzRng_Make(testSeed(4711), 0);
    for (size_t i = 0; i < count; ++i) {
        grzVec3 corners[6];
        unsigned kind = (unsigned)(i % TRI_CASE_KINDS);
        TriCase_Make(&rng, kind, corners);
        checkFloats(corners);
        kinds[kind][g_oracle.kind]++;
    }
    for (unsigned kind = 0; kind < TRI_CASE_KINDS; ++kind)
        print_message("sort %u: none %zu, point %zu, segment %zu, area %zu\n", kind, kinds[kind][0], kinds[kind][1],
                      kinds[kind][2], kinds[kind][3]);
}

static void everyTurnOfHardPairsIsRight(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(99), 0);
    for (unsigned i = 0; i < 100; ++i) {
        grzVec3 corners[6];
        TriCase_Make(&rng, i % TRI_CASE_KINDS, corners);
        checkAllFloatTurns(corners);
    }
}

static void hardPairsOfDoublesAreDecided(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(5), 0);
    for (unsigned i = 0; i < 4000; ++i) {
        grzVec3 corners[6];
        double numbers[6][3];
        // Lattices and planes times a number of 53 bits: no more exact, but near.
        TriCase_Make(&rng, 1 + i % 5, corners);
        double factor = i % 2 == 0 ? 1 + grzRng_Double(&rng) : ldexp(1, (int)grzRng_Below(&rng, 1800) - 900);
        for (int k = 0; k < 6; ++k)
            for (int axis = 0; axis < 3; ++axis)
                numbers[k][axis] = (double)grzVec3_Get(corners[k], axis) * factor;
        checkDoubles((const double(*)[3])numbers);
    }
}

static grzTriTriKind meetingOf(const float numbers[18], grzTriTri* meeting) {
    grzVec3 corners[6];
    for (int i = 0; i < 6; ++i)
        corners[i] = grzVec3_Make(numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]);
    return grzTriTri_Intersect(&corners[0], &corners[3], meeting);
}

static void trianglesWithoutAreaAreSegmentsAndPoints(void** state) {
    (void)state;
    grzTriTri meeting;
    // A lies on a line; its middle corner is no corner of the segment.
    assert_int_equal(meetingOf((float[]){0, 0, 0, 4, 0, 0, 2, 0, 0, 1, -1, 0, 1, 1, 0, 1, 1, 5}, &meeting),
                     grz_triPoint);
    assert_int_equal(meeting.points[0].featureA, grzMakeFeature(grz_edgeFeature, 0));
    assert_int_equal(meeting.points[0].featureB, grzMakeFeature(grz_edgeFeature, 0));
    assert_true(meeting.points[0].point.x == 1 && meeting.points[0].point.y == 0 && meeting.points[0].point.z == 0);
    // Two corners in one place: the first of them stands for both, the edge is the one that joins it to the other.
    assert_int_equal(meetingOf((float[]){0, 0, 0, 0, 0, 0, 2, 0, 0, -1, -1, 0, 5, -1, 0, -1, 5, 0}, &meeting),
                     grz_triSegment);
    assert_int_equal(meeting.points[0].featureA, grzMakeFeature(grz_vertexFeature, 0));
    assert_int_equal(meeting.points[1].featureA, grzMakeFeature(grz_vertexFeature, 2));
    // A point on a point, twice as corner 0.
    assert_int_equal(meetingOf((float[]){1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, &meeting),
                     grz_triPoint);
    assert_int_equal(meeting.points[0].featureA | meeting.points[0].featureB, 0);
    // Segments on one line.
    assert_int_equal(meetingOf((float[]){0, 0, 0, 3, 3, 3, 1, 1, 1, 2, 2, 2, 5, 5, 5, 4, 4, 4}, &meeting),
                     grz_triSegment);
    assert_true(meeting.points[0].point.x == 3 && meeting.points[1].point.x == 2);
    assert_int_equal(meetingOf((float[]){0, 0, 0, 3, 3, 3, 1, 1, 1, 4, 4, 4, 5, 5, 5, 4, 4, 4}, &meeting),
                     grz_triNone);
}

static void whatIsNotFiniteMeetsNothing(void** state) {
    (void)state;
    const float bad[3] = {NAN, INFINITY, -INFINITY};
    for (int place = 0; place < 18; ++place)
        for (int k = 0; k < 3; ++k) {
            float numbers[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0};
            grzTriTri meeting, empty;
            memset(&meeting, 0xA5, sizeof meeting);
            memset(&empty, 0, sizeof empty);
            numbers[place] = bad[k];
            assert_int_equal(meetingOf(numbers, &meeting), grz_triNone);
            assert_memory_equal(&meeting, &empty, sizeof empty);
            grzVec3d corners[6];
            grzTriTrid meetingd;
            for (int i = 0; i < 6; ++i)
                corners[i] = grzVec3d_FromVec3(grzVec3_Load(&numbers[3 * i]));
            assert_false(grzTriTri_IntersectDouble(&corners[0], &corners[3], &meetingd));
            assert_int_equal(meetingd.count, 0);
        }
}

static void doublesBeyondTheSpanAreRefused(void** state) {
    (void)state;
    grzVec3d corners[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {0, 0, 1}, {1, 1, 1}};
    grzTriTrid meeting;
    assert_true(grzTriTri_IntersectDouble(&corners[0], &corners[3], &meeting));
    corners[1].x = ldexp(1, 1 - GRZ_TRI_TRI_SPAN); // with the 1s: bits 0 to 1 - span
    assert_true(grzTriTri_IntersectDouble(&corners[0], &corners[3], &meeting));
    corners[1].x = ldexp(1, -GRZ_TRI_TRI_SPAN);
    assert_false(grzTriTri_IntersectDouble(&corners[0], &corners[3], &meeting));
    for (int i = 0; i < 6; ++i)
        corners[i] = grzVec3d_Make(ldexp(i, 1000), ldexp(i * i % 3, 1000), -ldexp(i * i % 4, 1000));
    assert_true(grzTriTri_IntersectDouble(&corners[0], &corners[3], &meeting));
}

// ---- the truth of GRAZE_DATA ----

static int kindOfName(const char* name) {
    static const char* const names[] = {"None", "Point", "Segment", "Triangle", "Polygon"};
    for (int i = 0; i < 5; ++i)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return i < 3 ? i : grz_triArea;
    fail_msg("unknown kind: %s", name);
    return 0;
}

static void checkLine(const char* line) {
    double corners[6][3];
    const char* at = line;
    for (int i = 0; i < 18; ++i) {
        char* end;
        corners[i / 3][i % 3] = strtod(at, &end);
        assert_true(end != at && *end == ',');
        at = end + 1;
    }
    Oracle_Decide(&g_oracle, (const double(*)[3])corners);
    int expected = kindOfName(at);
    if (g_oracle.kind != expected)
        failPair((const double(*)[3])corners, "the oracle has another truth");
    checkAllTurns((const double(*)[3])corners);
    if (expected == grz_triArea) {
        grzVec3d vectors[6];
        grzTriTrid meeting;
        for (int i = 0; i < 6; ++i)
            vectors[i] = grzVec3d_Make(corners[i][0], corners[i][1], corners[i][2]);
        assert_true(grzTriTri_IntersectDouble(&vectors[0], &vectors[3], &meeting));
        assert_int_equal(meeting.count == 3, *at == 'T');
    }
}

static void knownTruthIsFound(void** state) {
    (void)state;
    const char* data = getenv("GRAZE_DATA");
    if (data == NULL) {
        print_message("GRAZE_DATA is not set\n");
        skip();
    }
    char path[1000], line[1000];
    snprintf(path, sizeof path, "%s/tritri/cgal_triangle_triangle.csv", data);
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    size_t count = 0;
    for (; fgets(line, sizeof line, file) != NULL; ++count)
        checkLine(line);
    fclose(file);
    assert_int_equal(count, 49);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trianglesWithoutAreaAreSegmentsAndPoints),
        cmocka_unit_test(whatIsNotFiniteMeetsNothing),
        cmocka_unit_test(doublesBeyondTheSpanAreRefused),
        cmocka_unit_test(hardPairsAreDecidedAsByRationalNumbers),
        cmocka_unit_test(everyTurnOfHardPairsIsRight),
        cmocka_unit_test(hardPairsOfDoublesAreDecided),
        cmocka_unit_test(knownTruthIsFound),
    };
    return cmocka_run_group_tests_name("tri_tri", tests, makeOracle, releaseOracle);
}
