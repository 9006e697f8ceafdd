// Areas in cells against clipping each cell by itself; sums over cells are the mesh's area; regions against their
// definitions.
#include "model_query_testing.h"

#include <math.h>

#include "adb_cells.h"
#include "adb_clip.h"

static double areaOf(const double corners[9]) {
    double e[3], f[3], sum = 0;
    for (int i = 0; i < 3; ++i)
        e[i] = corners[3 + i] - corners[i], f[i] = corners[6 + i] - corners[i];
    for (int i = 0; i < 3; ++i) {
        const double x = e[(i + 1) % 3] * f[(i + 2) % 3] - e[(i + 2) % 3] * f[(i + 1) % 3];
        sum += x * x;
    }
    return 0.5 * sqrt(sum);
}

static AdbBox drawBox(void) {
    double lower[3], upper[3];
    for (int i = 0; i < 3; ++i) {
        lower[i] = (double)draw(-1, 0.5F);
        upper[i] = lower[i] + (double)draw(0.01F, 1);
    }
    return grzAdbBox_Thicken(lower, upper, 0);
}

static void cellsAgreeWithClipping(void** state) {
    (void)state;
    static const uint32_t resolutions[] = {1, 4, 8, 16};
    g_rng = grzRng_Make(testSeed(1), 1);
    for (int trial = 0; trial < 150; ++trial) {
        const AdbBox box = drawBox();
        const uint32_t n = resolutions[trial % 4];
        const AdbGrid grid = grzAdbGrid_Make(&box, n, 1);
        double areas[ADB_MOST_CELLS] = {0}, corners[9], sum = 0;
        for (int k = 0; k < 9; ++k)
            corners[k] = (double)draw(-1, 1);
        const double all = grzAdbGrid_Add(&grid, corners, areas);
        for (uint32_t cell = 0; cell < n * n * n; ++cell) {
            const uint32_t at[3] = {cell % n, cell / n % n, cell / n / n};
            double lower[3], upper[3];
            for (int i = 0; i < 3; ++i) {
                lower[i] = grid.lower[i] + at[i] * grid.step[i];
                upper[i] = grid.lower[i] + (at[i] + 1) * grid.step[i];
            }
            assert_true(fabs(areas[cell] - clippedArea(corners, lower, upper)) <= 1e-12);
            sum += areas[cell];
        }
        assert_true(fabs(sum - all) <= 1e-12);
    }
}

// A mesh in its own box, with triangles in the faces between cells and in the box's own faces.
static void sumsAreTheMeshsArea(void** state) {
    (void)state;
    static const ShapeKind kinds[] = {shapeTorus, shapeBox, shapeGrid, shapeHeap};
    for (size_t k = 0; k < 4; ++k)
        for (uint32_t n = 4; n <= 16; n *= 2) {
            ModelMesh mesh = makeShapeMesh(kinds[k], 500);
            grzModel* model = makeTestModel(&mesh, grz_bvhSah);
            const grzBox bounds = grzModel_GetView(model).box;
            double lower[3], upper[3], areas[ADB_MOST_CELLS] = {0}, expected = 0, sum = 0;
            for (int i = 0; i < 3; ++i) {
                lower[i] = (double)grzVec3_Get(bounds.lower, i);
                upper[i] = (double)grzVec3_Get(bounds.upper, i);
            }
            const AdbBox box = grzAdbBox_Thicken(lower, upper, 0);
            const AdbGrid grid = grzAdbGrid_Make(&box, n, 1);
            for (size_t t = 0; t < mesh.triangleCount; ++t) {
                grzVec3 points[3];
                double corners[9];
                cornersOf(&mesh, t, points);
                for (int c = 0; c < 9; ++c)
                    corners[c] = (double)grzVec3_Get(points[c / 3], c % 3);
                expected += areaOf(corners);
                grzAdbGrid_Add(&grid, corners, areas);
            }
            for (uint32_t cell = 0; cell < n * n * n; ++cell)
                sum += areas[cell];
            assert_true(fabs(sum - expected) <= 1e-12 * expected);
            grzModel_Destroy(model);
            freeMesh(&mesh);
        }
}

// The area from which on a cell counts is that of the largest of the three diagonal rectangles: a sqrt(b^2 + c^2).
static void maxAreaIsTheDiagonalRectangle(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(2), 1);
    const AdbBox cube = {{0, 0, 0}, {4, 4, 4}};
    assert_true(fabs(grzAdbGrid_Make(&cube, 8, 1).area - sqrt(2)) <= 1e-15);
    for (int trial = 0; trial < 200; ++trial) {
        const AdbBox box = drawBox();
        const AdbGrid grid = grzAdbGrid_Make(&box, 8, 0.25);
        double best = 0;
        for (int i = 0; i < 3; ++i)
            best = fmax(best, grid.step[i] * hypot(grid.step[(i + 1) % 3], grid.step[(i + 2) % 3]));
        assert_true(fabs(grid.area - 0.25 * best) <= 1e-15);
    }
}

static void flatBoxesAreThickened(void** state) {
    (void)state;
    const double lower[3] = {1, 2, 3}, upper[3] = {3, 2, 3.5}, point[3] = {1, 1, 1};
    const AdbBox flat = grzAdbBox_Thicken(lower, upper, 1e-6), none = grzAdbBox_Thicken(point, point, 1e-6);
    assert_true(flat.half[0] == 1 && flat.half[1] == 1.0 / 64 && flat.half[2] == 0.25 && flat.center[1] == 2);
    for (int i = 0; i < 3; ++i)
        assert_true(none.half[i] == 0.5e-6 && none.center[i] == 1);
}

static void eachCellIsInTheRegionOfItsCentre(void** state) {
    (void)state;
    for (uint32_t n = 4; n <= 16; n *= 2)
        for (uint32_t cell = 0; cell < n * n * n; ++cell) {
            const uint32_t at[3] = {cell % n, cell / n % n, cell / n / n};
            double center[3], most = 0;
            for (int i = 0; i < 3; ++i) {
                center[i] = (at[i] + 0.5) / n * 2 - 1;
                most = fmax(most, fabs(center[i]));
            }
            const uint32_t octant = grzAdbGrid_Region(grz_adbGridRegions, n, cell);
            const uint32_t pyramid = grzAdbGrid_Region(grz_adbPyramids, n, cell);
            for (uint32_t i = 0; i < 3; ++i)
                assert_int_equal(octant >> i & 1, center[i] > 0);
            assert_true(pyramid < 6 && fabs(center[pyramid / 2]) == most &&
                        (center[pyramid / 2] > 0) == pyramid % 2);
            assert_int_equal(grzAdbGrid_Region(grz_adbNoRegions, n, cell), 0);
        }
}

// Against the share of small cells whose centres are in the region and the box.
static void sharesAgreeWithCells(void** state) {
    (void)state;
    enum { FINE = 48 };
    static const grzAdbRegions kinds[] = {grz_adbNoRegions, grz_adbGridRegions, grz_adbPyramids};
    g_rng = grzRng_Make(testSeed(3), 1);
    for (int trial = 0; trial < 30; ++trial) {
        const grzAdbRegions kind = kinds[trial % 3];
        double lower[3], upper[3], inside[8] = {0}, all[8] = {0}, sum = 0;
        for (int i = 0; i < 3; ++i) {
            const float a = draw(-1, 1), b = draw(-1, 1);
            lower[i] = (double)fminf(a, b), upper[i] = (double)fmaxf(a, b);
        }
        for (uint32_t cell = 0; cell < FINE * FINE * FINE; ++cell) {
            const uint32_t at[3] = {cell % FINE, cell / FINE % FINE, cell / FINE / FINE};
            const uint32_t region = grzAdbGrid_Region(kind, FINE, cell);
            double part = 1;
            for (int i = 0; i < 3; ++i) {
                const double from = at[i] * 2.0 / FINE - 1, to = from + 2.0 / FINE;
                part *= fmax(fmin(to, upper[i]) - fmax(from, lower[i]), 0) * FINE / 2;
            }
            all[region] += 1;
            inside[region] += part;
        }
        for (uint32_t r = 0; r < grzAdbRegions_Count(kind); ++r) {
            const double share = grzAdbRegions_Share(kind, r, lower, upper);
            assert_true(fabs(share - inside[r] / all[r]) <= (kind == grz_adbPyramids ? 0.06 : 1e-9));
            sum += share / grzAdbRegions_Count(kind);
        }
        // The regions fill the box without overlap.
        const double volume = (upper[0] - lower[0]) * (upper[1] - lower[1]) * (upper[2] - lower[2]) / 8;
        assert_true(fabs(sum - volume) <= 1e-12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cellsAgreeWithClipping),           cmocka_unit_test(sumsAreTheMeshsArea),
        cmocka_unit_test(maxAreaIsTheDiagonalRectangle),    cmocka_unit_test(flatBoxesAreThickened),
        cmocka_unit_test(eachCellIsInTheRegionOfItsCentre), cmocka_unit_test(sharesAgreeWithCells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
