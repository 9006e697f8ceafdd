// Whether real meshes meet themselves, as the truth says that comes with the data of GRAZE_DATA; and on all small
// ones, that the batch finds the same pairs as the single test.
//
// The rule is CGAL's: two triangles without a common vertex that meet; with one, in more than that point; with two,
// in more than that edge; with three, at all; and a triangle without area meets itself.
#include "file_testing.h"

#include "collinear.h"
#include "graze/tri_pairs.h"
#include "mesh_read.h"

enum { MOST_TRIANGLES = 14000 };

typedef struct Span { // of a triangle, along x
    double lower, upper;
    uint32_t triangle;
} Span;

typedef struct Soup {
    MeshData mesh;
    double (*corners)[3][3];
    Span* spans;
    grzTrianglePair* pairs; // the boxes of which overlap
    size_t pairCount, pairCapacity;
} Soup;

static int compareSpans(const void* a, const void* b) {
    double x = ((const Span*)a)->lower, y = ((const Span*)b)->lower;
    return (x > y) - (x < y);
}

static void loadSoup(const char* path, Soup* soup) {
    FileError error;
    memset(soup, 0, sizeof *soup);
    if (!readMesh(path, (grzAllocator){0}, &soup->mesh, &error))
        fail_msg("%s", error.text);
    soup->corners = calloc(soup->mesh.triangleCount + 1, sizeof *soup->corners);
    soup->spans = calloc(soup->mesh.triangleCount + 1, sizeof *soup->spans);
    for (size_t t = 0; t < soup->mesh.triangleCount; ++t) {
        for (size_t k = 0; k < 9; ++k) {
            size_t at = 3 * soup->mesh.indices[3 * t + k / 3] + k % 3;
            soup->corners[t][k / 3][k % 3] = soup->mesh.isDouble ? ((const double*)soup->mesh.positions)[at]
                                                                 : (double)((const float*)soup->mesh.positions)[at];
        }
    }
}

static void releaseSoup(Soup* soup) {
    MeshData_Release(&soup->mesh);
    free(soup->corners);
    free(soup->spans);
    free(soup->pairs);
}

static void rangeOf(const double corners[3][3], int axis, double* lower, double* upper) {
    *lower = *upper = corners[0][axis];
    for (int i = 1; i < 3; ++i) {
        *lower = corners[i][axis] < *lower ? corners[i][axis] : *lower;
        *upper = corners[i][axis] > *upper ? corners[i][axis] : *upper;
    }
}

static bool overlap(const Soup* soup, uint32_t a, uint32_t b, int axis) {
    double lowerA, upperA, lowerB, upperB;
    rangeOf((const double(*)[3])soup->corners[a], axis, &lowerA, &upperA);
    rangeOf((const double(*)[3])soup->corners[b], axis, &lowerB, &upperB);
    return lowerA <= upperB && lowerB <= upperA;
}

static void addPair(Soup* soup, uint32_t a, uint32_t b) {
    if (soup->pairCount == soup->pairCapacity) {
        soup->pairCapacity = 2 * soup->pairCapacity + 64;
        soup->pairs = realloc(soup->pairs, soup->pairCapacity * sizeof *soup->pairs);
        assert_non_null(soup->pairs);
    }
    soup->pairs[soup->pairCount++] = (grzTrianglePair){0, a < b ? a : b, a < b ? b : a, 0, 0};
}

static void sweep(Soup* soup) {
    uint32_t n = (uint32_t)soup->mesh.triangleCount;
    for (uint32_t t = 0; t < n; ++t) {
        soup->spans[t].triangle = t;
        rangeOf((const double(*)[3])soup->corners[t], 0, &soup->spans[t].lower, &soup->spans[t].upper);
    }
    qsort(soup->spans, n, sizeof *soup->spans, compareSpans);
    for (uint32_t i = 0; i < n; ++i)
        for (uint32_t j = i + 1; j < n && soup->spans[j].lower <= soup->spans[i].upper; ++j) {
            uint32_t a = soup->spans[i].triangle, b = soup->spans[j].triangle;
            if (overlap(soup, a, b, 1) && overlap(soup, a, b, 2))
                addPair(soup, a, b);
        }
}

static grzTriTriKind decide(const Soup* soup, const grzTrianglePair* pair) {
    grzVec3d a[3], b[3];
    grzTriTrid meeting;
    for (int i = 0; i < 3; ++i) {
        const double *p = soup->corners[pair->triangleA][i], *q = soup->corners[pair->triangleB][i];
        a[i] = grzVec3d_Make(p[0], p[1], p[2]);
        b[i] = grzVec3d_Make(q[0], q[1], q[2]);
    }
    assert_true(grzTriTri_IntersectDouble(a, b, &meeting));
    return (grzTriTriKind)meeting.kind;
}

static unsigned countShared(const Soup* soup, const grzTrianglePair* pair) {
    const uint32_t *a = &soup->mesh.indices[3 * pair->triangleA], *b = &soup->mesh.indices[3 * pair->triangleB];
    unsigned count = 0;
    for (int i = 0; i < 3; ++i)
        count += a[i] == b[0] || a[i] == b[1] || a[i] == b[2];
    return count < 2 ? count : 2;
}

static size_t countSelfMeetings(const Soup* soup) {
    size_t count = 0;
    for (size_t i = 0; i < soup->pairCount; ++i)
        count += decide(soup, &soup->pairs[i]) > (grzTriTriKind)countShared(soup, &soup->pairs[i]);
    for (size_t t = 0; t < soup->mesh.triangleCount; ++t)
        count += grzCollinear(soup->corners[t][0], soup->corners[t][1], soup->corners[t][2]);
    return count;
}

static void knownMeshesMeetThemselvesAsTheyShould(void** state) {
    (void)state;
    const char* data = getenv("GRAZE_DATA");
    if (data == NULL) {
        print_message("GRAZE_DATA is not set\n");
        skip();
    }
    static const struct {
        const char* name;
        bool meets;
    } known[] = {{"degtri_single.obj", true}, {"overlapping_triangles.obj", true}, {"elephant.obj", false}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        char path[1000];
        Soup soup;
        snprintf(path, sizeof path, "%s/static/%s", data, known[i].name);
        loadSoup(path, &soup);
        sweep(&soup);
        assert_int_equal(countSelfMeetings(&soup) != 0, known[i].meets);
        releaseSoup(&soup);
    }
}

// As floats, so that the batch can take it.
static void roundSoup(Soup* soup, float* positions) {
    for (size_t i = 0; i < 3 * soup->mesh.vertexCount; ++i)
        positions[i] = soup->mesh.isDouble ? (float)((const double*)soup->mesh.positions)[i]
                                           : ((const float*)soup->mesh.positions)[i];
    for (size_t t = 0; t < soup->mesh.triangleCount; ++t)
        for (size_t k = 0; k < 9; ++k)
            soup->corners[t][k / 3][k % 3] = (double)positions[3 * soup->mesh.indices[3 * t + k / 3] + k % 3];
}

static void checkBatch(const char* path) {
    Soup soup;
    loadSoup(path, &soup);
    if (soup.mesh.triangleCount <= MOST_TRIANGLES) {
        float* positions = calloc(3 * soup.mesh.vertexCount + 1, sizeof *positions);
        roundSoup(&soup, positions);
        sweep(&soup);
        uint8_t* kinds = calloc(soup.pairCount + 1, 1);
        grzTriSoup triangles = {positions, soup.mesh.indices, (uint32_t)soup.mesh.vertexCount,
                                (uint32_t)soup.mesh.triangleCount};
        grzTriPairQuery query = {triangles, triangles, soup.pairs, (uint32_t)soup.pairCount, 0};
        grzTriPairs_Classify(NULL, &query, kinds);
        for (size_t i = 0; i < soup.pairCount; ++i)
            assert_int_equal(kinds[i], decide(&soup, &soup.pairs[i]));
        print_message("%s: %zu pairs, %zu self-meetings\n", strrchr(path, '/') + 1, soup.pairCount,
                      countSelfMeetings(&soup));
        free(kinds);
        free(positions);
    }
    releaseSoup(&soup);
}

static void batchesOverRealMeshesAreRight(void** state) {
    (void)state;
    testEachDataFile("static/*.obj", checkBatch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knownMeshesMeetThemselvesAsTheyShould),
        cmocka_unit_test(batchesOverRealMeshesAreRight),
    };
    return cmocka_run_group_tests_name("tri_mesh", tests, NULL, NULL);
}
