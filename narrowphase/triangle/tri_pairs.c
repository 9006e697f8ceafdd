// What: batches of triangle pairs: the kernel for what it can tell, the exact test for the rest.
// Holds: a block of pairs is written by the one task that has it, so bytes depend on nothing else.
// Cost: the kernel's, and a scan of one byte a pair.
#include "graze/tri_pairs.h"

#include <string.h>

#include "refuse_null.h"
#include "tri_kernel.h"

enum { grainPairs = 1024 }; // some 5 us; a multiple of the lanes

typedef struct PairsWork {
    const grzTriPairQuery* query;
    uint8_t* kinds;
    grzClassifyTriPairs_Fn* kernel;
} PairsWork;

static void loadTriangle(const grzTriSoup* soup, uint32_t triangle, grzVec3 corners[3]) {
    for (int i = 0; i < 3; ++i)
        corners[i] = grzVec3_Load(soup->positions + 3 * (size_t)soup->triangles[3 * (size_t)triangle + (size_t)i]);
}

static void classifyPairs(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const PairsWork* work = context;
    const grzTriPairQuery* query = work->query;
    (void)worker;
    work->kernel(query, begin, end, work->kinds);
    uint8_t* at = work->kinds + begin;
    while ((at = memchr(at, TRI_UNDECIDED, (size_t)(work->kinds + end - at))) != NULL) {
        const grzTrianglePair* pair = &query->pairs[at - work->kinds];
        grzVec3 a[3], b[3];
        loadTriangle(&query->a, pair->triangleA, a);
        loadTriangle(&query->b, pair->triangleB, b);
        *at++ = (uint8_t)grzTriTri_Classify(a, b);
    }
}

void grzTriPairs_Classify(grzTasks* tasks, const grzTriPairQuery* query, uint8_t* kinds) {
    GRZ_RETURN_IF_NULL(query, );
    PairsWork work = {query, kinds, GRZ_PICK_KERNEL(grzClassifyTriPairs)};
    grzParallelFor(tasks, query->count, grainPairs, classifyPairs, &work);
}

typedef struct ColumnsWork {
    const grzTriColumns* columns;
    uint8_t* kinds;
    grzClassifyTriColumns_Fn* kernel;
} ColumnsWork;

static void classifyColumns(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const ColumnsWork* work = context;
    const float* const* at = work->columns->at;
    (void)worker;
    work->kernel(work->columns, begin, end, work->kinds);
    uint8_t* found = work->kinds + begin;
    while ((found = memchr(found, TRI_UNDECIDED, (size_t)(work->kinds + end - found))) != NULL) {
        size_t i = (size_t)(found - work->kinds);
        grzVec3 corners[6];
        for (int k = 0; k < 6; ++k)
            corners[k] = grzVec3_Make(at[3 * k][i], at[3 * k + 1][i], at[3 * k + 2][i]);
        *found++ = (uint8_t)grzTriTri_Classify(&corners[0], &corners[3]);
    }
}

void grzTriColumns_Classify(grzTasks* tasks, const grzTriColumns* columns, uint8_t* kinds) {
    GRZ_RETURN_IF_NULL(columns, );
    ColumnsWork work = {columns, kinds, GRZ_PICK_KERNEL(grzClassifyTriColumns)};
    grzParallelFor(tasks, columns->count, grainPairs, classifyColumns, &work);
}
