// What: the bounds of docs/ccd.md, (10) to (13), beside the errors that arithmetic makes, over random and adversarial corners: in
// floats as ccd_sift_kernel.c computes, and in doubles as ccd_filter.c and ccd_root_kernel.c do. True values by GMP. The steps of the
// arithmetic are those of these files, once more: change both.
#include <gmp.h>
#include <math.h>

#include "rng.h"
#include "testing.h"

enum { CORNERS = 4, TURNS = 3000 };

// Corners as points of two features, at both ends: [t][point][axis]. Numbers of both types are floats, so that one scene serves.
typedef struct Points {
    double at[2][CORNERS][3];
} Points;

// What is summed up over a test: the greatest error, in parts of what is claimed.
static double g_worst[6];
static const char* const g_names[6] = {"areas", "volume", "direction", "areas cut", "volume cut", "thirds"};

// ---- rational numbers ----

typedef struct Exact {
    mpq_t q;
} Exact;

static Exact g_pool[4096];
static size_t g_used;

static Exact* fresh(void) {
    assert_true(g_used < sizeof g_pool / sizeof g_pool[0]);
    return &g_pool[g_used++];
}

static Exact* exact(double x) {
    Exact* e = fresh();
    mpq_set_d(e->q, x);
    return e;
}

static Exact* sum(const Exact* a, const Exact* b) {
    Exact* e = fresh();
    mpq_add(e->q, a->q, b->q);
    return e;
}

static Exact* difference(const Exact* a, const Exact* b) {
    Exact* e = fresh();
    mpq_sub(e->q, a->q, b->q);
    return e;
}

static Exact* product(const Exact* a, const Exact* b) {
    Exact* e = fresh();
    mpq_mul(e->q, a->q, b->q);
    return e;
}

static Exact* exactMinor(const Exact* a, const Exact* b, const Exact* c, const Exact* d) {
    return difference(product(a, b), product(c, d));
}

static Exact* exactBetween(const Exact* a, const Exact* b, const Exact* t) {
    return sum(product(difference(exact(1), t), a), product(t, b));
}

// |computed - true| is at most the bound, and how near it comes.
static void expectWithin(double computed, const Exact* truth, double bound, int what) {
    const Exact* error = difference(exact(computed), truth);
    const double size = fabs(mpq_get_d(error->q));
    assert_true(size <= bound);
    if (bound > 0 && size / bound > g_worst[what])
        g_worst[what] = size / bound;
}

// ---- the arithmetic, in a type ----

#define ARITHMETIC(Number, N, absolute)                                                                            \
    typedef struct Corners##N {                                                                                    \
        Number at[2][CORNERS][3], size[3];                                                                         \
    } Corners##N;                                                                                                  \
    static Number minor##N(Number a, Number b, Number c, Number d) {                                               \
        return a * b - c * d;                                                                                      \
    }                                                                                                              \
    static void makeCorners##N(const Points* points, Corners##N* corners) {                                        \
        static const int of[CORNERS][2] = {{0, 2}, {0, 3}, {1, 3}, {1, 2}};                                        \
        memset(corners, 0, sizeof *corners);                                                                       \
        for (int i = 0; i < 2 * CORNERS * 3; ++i) {                                                                \
            const int end = i / 12, k = i / 3 % 4, axis = i % 3;                                                   \
            const Number value =                                                                                   \
                (Number)points->at[end][of[k][0]][axis] - (Number)points->at[end][of[k][1]][axis];                 \
            corners->at[end][k][axis] = value;                                                                     \
            if (absolute(value) > corners->size[axis])                                                             \
                corners->size[axis] = absolute(value);                                                             \
        }                                                                                                          \
    }                                                                                                              \
    static void makeArea##N(const Corners##N* c, int i, int j, int axis, Number area[3]) {                         \
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;                                                          \
        const Number *a = c->at[0][i], *A = c->at[1][i], *b = c->at[0][j], *B = c->at[1][j];                       \
        area[0] = minor##N(a[u], b[v], a[v], b[u]);                                                                \
        area[1] = (Number)0.5 * (minor##N(a[u], B[v], a[v], B[u]) + minor##N(A[u], b[v], A[v], b[u]));             \
        area[2] = minor##N(A[u], B[v], A[v], B[u]);                                                                \
    }                                                                                                              \
    static void makeVolume##N(const Corners##N* c, Number sums[4]) {                                               \
        for (int axis = 0; axis < 3; ++axis) {                                                                     \
            const int u = (axis + 1) % 3, v = (axis + 2) % 3;                                                      \
            const Number *a = c->at[0][0], *A = c->at[1][0], *b = c->at[0][1], *B = c->at[1][1];                   \
            const Number start = minor##N(a[u], b[v], a[v], b[u]), end = minor##N(A[u], B[v], A[v], B[u]);         \
            const Number middle = minor##N(a[u], B[v], a[v], B[u]) + minor##N(A[u], b[v], A[v], b[u]);             \
            const Number from = c->at[0][3][axis], to = c->at[1][3][axis];                                         \
            const Number parts[4] = {start * from, start * to + middle * from, middle * to + end * from,           \
                                     end * to};                                                                    \
            for (int i = 0; i < 4; ++i)                                                                            \
                sums[i] = axis == 0 ? parts[i] : sums[i] + parts[i];                                               \
        }                                                                                                          \
        const Number third = (Number)1 / 3;                                                                        \
        sums[1] *= third;                                                                                          \
        sums[2] *= third;                                                                                          \
    }                                                                                                              \
    static Number along##N(const Corners##N* c, const Number mean[3], int end, int k) {                            \
        return mean[0] * c->at[end][k][0] + mean[1] * c->at[end][k][1] + mean[2] * c->at[end][k][2];               \
    }
ARITHMETIC(float, Float, fabsf)
ARITHMETIC(double, Double, fabs)
#undef ARITHMETIC

// ---- the same exactly ----

typedef struct Truth {
    Exact* at[2][CORNERS][3];
    Exact* volume[4];
} Truth;

static void makeTruth(const Points* points, Truth* truth) {
    static const int of[CORNERS][2] = {{0, 2}, {0, 3}, {1, 3}, {1, 2}};
    for (int i = 0; i < 2 * CORNERS * 3; ++i) {
        const int end = i / 12, k = i / 3 % 4, axis = i % 3;
        truth->at[end][k][axis] =
            difference(exact(points->at[end][of[k][0]][axis]), exact(points->at[end][of[k][1]][axis]));
    }
    for (int i = 0; i < 4; ++i)
        truth->volume[i] = exact(0);
    for (int axis = 0; axis < 3; ++axis) {
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        Exact **a = truth->at[0][0], **A = truth->at[1][0], **b = truth->at[0][1], **B = truth->at[1][1];
        const Exact *start = exactMinor(a[u], b[v], a[v], b[u]), *end = exactMinor(A[u], B[v], A[v], B[u]);
        const Exact* middle = sum(exactMinor(a[u], B[v], a[v], B[u]), exactMinor(A[u], b[v], A[v], b[u]));
        const Exact *from = truth->at[0][3][axis], *to = truth->at[1][3][axis];
        truth->volume[0] = sum(truth->volume[0], product(start, from));
        truth->volume[1] = sum(truth->volume[1], sum(product(start, to), product(middle, from)));
        truth->volume[2] = sum(truth->volume[2], sum(product(middle, to), product(end, from)));
        truth->volume[3] = sum(truth->volume[3], product(end, to));
    }
    for (int i = 1; i < 3; ++i)
        mpq_div(truth->volume[i]->q, truth->volume[i]->q, exact(3)->q);
}

static void makeTrueArea(const Truth* truth, int i, int j, int axis, Exact* area[3]) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    Exact *const *a = truth->at[0][i], *const *A = truth->at[1][i];
    Exact *const *b = truth->at[0][j], *const *B = truth->at[1][j];
    area[0] = exactMinor(a[u], b[v], a[v], b[u]);
    area[1] = product(exact(0.5), sum(exactMinor(a[u], B[v], a[v], B[u]), exactMinor(A[u], b[v], A[v], b[u])));
    area[2] = exactMinor(A[u], B[v], A[v], B[u]);
}

// ---- beside each other ----

#define CHECKS(Number, N, UNIT)                                                                                    \
    static void checkAreas##N(const Corners##N* c, const Truth* truth) {                                           \
        for (int i = 0; i < CORNERS * 3; ++i) {                                                                    \
            const int k = i / 3, axis = i % 3;                                                                     \
            const double size = (double)c->size[(axis + 1) % 3] * (double)c->size[(axis + 2) % 3];                 \
            Number area[3];                                                                                        \
            Exact* right[3];                                                                                       \
            makeArea##N(c, k, (k + 1) % CORNERS, axis, area);                                                      \
            makeTrueArea(truth, k, (k + 1) % CORNERS, axis, right);                                                \
            for (int m = 0; m < 3; ++m)                                                                            \
                expectWithin((double)area[m], right[m], 16 * UNIT * size, 0);                                      \
        }                                                                                                          \
    }                                                                                                              \
    static void checkVolume##N(const Corners##N* c, const Truth* truth) {                                          \
        const double size = (double)c->size[0] * (double)c->size[1] * (double)c->size[2];                          \
        Number volume[4];                                                                                          \
        makeVolume##N(c, volume);                                                                                  \
        for (int m = 0; m < 4; ++m)                                                                                \
            expectWithin((double)volume[m], truth->volume[m], 128 * UNIT * size, m == 0 || m == 3 ? 1 : 5);        \
    }                                                                                                              \
    static void checkDirection##N(const Corners##N* c, const Truth* truth) {                                       \
        Number mean[3] = {0, 0, 0};                                                                                \
        double size = 0;                                                                                           \
        for (int axis = 0; axis < 3; ++axis) {                                                                     \
            for (int k = 0; k < CORNERS; ++k)                                                                      \
                mean[axis] += c->at[0][k][axis] + c->at[1][k][axis];                                               \
            size += fabs((double)mean[axis]) * (double)c->size[axis];                                              \
        }                                                                                                          \
        for (int i = 0; i < 2 * CORNERS; ++i) {                                                                    \
            Exact* right = exact(0);                                                                               \
            for (int axis = 0; axis < 3; ++axis)                                                                   \
                right = sum(right, product(exact((double)mean[axis]), truth->at[i / 4][i % 4][axis]));             \
            expectWithin((double)along##N(c, mean, i / 4, i % 4), right, 8 * UNIT * size, 2);                      \
        }                                                                                                          \
    }
CHECKS(float, Float, 0x1p-24)
CHECKS(double, Double, 0x1p-53)
#undef CHECKS

static double betweenDouble(double a, double b, double t) {
    return (1 - t) * a + t * b;
}

// Coefficients over [t[0], t[1]], as they are cut out of the whole time: of degree `degree`, blossom by blossom.
static double cutDouble(const double* c, int degree, const double* times) {
    double row[4];
    memcpy(row, c, (size_t)(degree + 1) * sizeof *row);
    for (int step = 0; step < degree; ++step)
        for (int i = 0; i < degree - step; ++i)
            row[i] = betweenDouble(row[i], row[i + 1], times[step]);
    return row[0];
}

static Exact* cutExact(Exact* const* c, int degree, const double* times) {
    Exact* row[4];
    memcpy(row, c, (size_t)(degree + 1) * sizeof *row);
    for (int step = 0; step < degree; ++step)
        for (int i = 0; i < degree - step; ++i)
            row[i] = exactBetween(row[i], row[i + 1], exact(times[step]));
    return row[0];
}

static void checkCuts(const CornersDouble* c, const Truth* truth, grzRng* rng) {
    const double size = c->size[0] * c->size[1] * c->size[2];
    double volume[4], area[3], ends[2] = {grzRng_Double(rng), grzRng_Double(rng)};
    Exact* right[3];
    if (grzRng_Below(rng, 2) == 0) // as around a root
        ends[1] = fmin(ends[0] + 0x1p-30, 1);
    makeVolumeDouble(c, volume);
    for (int of = 0; of < 4; ++of) { // how many of the three are the second end
        const double times[3] = {ends[of > 2], ends[of > 1], ends[of > 0]};
        expectWithin(cutDouble(volume, 3, times), cutExact(truth->volume, 3, times), 256 * 0x1p-53 * size, 4);
    }
    makeAreaDouble(c, 1, 2, 0, area);
    makeTrueArea(truth, 1, 2, 0, right);
    for (int of = 0; of < 3; ++of) {
        const double times[2] = {ends[of > 1], ends[of > 0]};
        expectWithin(cutDouble(area, 2, times), cutExact(right, 2, times), 32 * 0x1p-53 * c->size[1] * c->size[2],
                     3);
    }
}

// ---- corners ----

static double drawNumber(grzRng* rng, uint32_t sort) {
    const double any = 2 * grzRng_Double(rng) - 1;
    switch (sort) {
    case 0:
        return any;
    case 1: // all of one size, with full mantissas: where errors are greatest
        return (any < 0 ? -1 : 1) * (1 - 0x1p-7 * grzRng_Double(rng));
    case 2: // next to a lattice
        return (double)grzRng_Below(rng, 3) * (1 + any * 0x1p-22);
    default: // of sizes far apart
        return ldexp(any, (int)grzRng_Below(rng, 24) - 12);
    }
}

static Points drawPoints(grzRng* rng, bool areFloats) {
    Points points;
    const uint32_t sort = grzRng_Below(rng, 4);
    const double offset = grzRng_Below(rng, 4) == 0 ? 100 : 0;
    for (int i = 0; i < 2 * CORNERS * 3; ++i) {
        const double number = drawNumber(rng, sort) + offset;
        points.at[i / 12][i / 3 % 4][i % 3] = areFloats ? (double)(float)number : number;
    }
    return points;
}

static void errorsAreWithinTheirBounds(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(111), 1);
    for (size_t i = 0; i < sizeof g_pool / sizeof g_pool[0]; ++i)
        mpq_init(g_pool[i].q);
    for (int turn = 0; turn < TURNS; ++turn) {
        const bool areFloats = turn % 2 == 0;
        const Points points = drawPoints(&rng, areFloats);
        Truth truth;
        g_used = 0;
        makeTruth(&points, &truth);
        if (areFloats) {
            CornersFloat corners;
            makeCornersFloat(&points, &corners);
            checkAreasFloat(&corners, &truth);
            checkVolumeFloat(&corners, &truth);
            checkDirectionFloat(&corners, &truth);
        } else {
            CornersDouble corners;
            makeCornersDouble(&points, &corners);
            checkAreasDouble(&corners, &truth);
            checkVolumeDouble(&corners, &truth);
            checkDirectionDouble(&corners, &truth);
            checkCuts(&corners, &truth, &rng);
        }
    }
    for (int i = 0; i < 6; ++i) {
        print_message("%-10s at most %.3f of its bound\n", g_names[i], g_worst[i]);
        assert_true(g_worst[i] > 1.0 / 256); // no bound is idle
    }
    for (size_t i = 0; i < sizeof g_pool / sizeof g_pool[0]; ++i)
        mpq_clear(g_pool[i].q);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(errorsAreWithinTheirBounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
