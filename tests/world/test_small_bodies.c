// Bodies of 1 cm behave as bodies of 1 m do: they have contacts with what they touch, come to rest, and cost as much.
// No step of a heap costs much more than those around it.
#include <math.h>

#include "expected_failure.h"
#include "world_testing.h"

enum { sideCount = 5, layerCount = 4, boxCount = sideCount * sideCount * layerCount, windowSteps = 50 };

static const float usualShare = 1.0f / 6.0f; // the default

// ---- heaps of two sizes ----

// A pit that is open above, in widths of a body.
static void addPit(grzWorld* world, float size) {
    const float inner = 0.9f * sideCount * size, thick = 4 * size, high = 20 * size;
    const float outer = inner + 2 * thick, at = inner + thick;
    addShape(world, grz_staticBody, grzMakeBox(grzVec3_Zero(), grzVec3_Make(outer, thick, outer)),
             grzVec3_Make(0, -thick, 0));
    for (int k = -1; k <= 1; k += 2) {
        addShape(world, grz_staticBody, grzMakeBox(grzVec3_Zero(), grzVec3_Make(thick, high, outer)),
                 grzVec3_Make((float)k * at, high, 0));
        addShape(world, grz_staticBody, grzMakeBox(grzVec3_Zero(), grzVec3_Make(inner, high, thick)),
                 grzVec3_Make(0, high, (float)k * at));
    }
}

static grzVec3 placeOf(grzRng* rng, int i, float size) {
    const float x = randomIn(rng, -0.05f, 0.05f), z = randomIn(rng, -0.05f, 0.05f);
    const int column = i % (sideCount * sideCount);
    const float middle = 0.5f * (sideCount - 1);
    return grzVec3_Make(1.8f * size * ((float)(column % sideCount) - middle + x),
                        size * (1 + 1.8f * (float)(i / (sideCount * sideCount))),
                        1.8f * size * ((float)(column / sideCount) - middle + z));
}

typedef struct Heap {
    grzWorld* world;
    grzBodyId ids[boxCount];
    int count;
    float size;
} Heap;

static grzWorld* makeShareWorld(float share) {
    grzWorldDef def = grzDefaultWorldDef();
    grzWorld* world;
    def.marginShare = share;
    must(grzWorld_Create(&def, &world));
    return world;
}

// Cubes, or rings where there is a mesh.
static Heap makeSeededHeap(uint64_t seed, float size, int count, const grzMeshShape* mesh, float share) {
    Heap heap = {.count = count, .size = size, .world = makeShareWorld(share)};
    grzRng rng = grzRng_Make(seed, 0);
    addPit(heap.world, size);
    for (int i = 0; i < count; ++i) {
        grzBodyDef def = grzDefaultBodyDef();
        def.mesh = mesh;
        if (mesh == NULL)
            def.shape = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.5f * size));
        def.origin = placeOf(&rng, i, size);
        def.rotation = randomTurn(&rng);
        heap.ids[i] = addBody(heap.world, &def);
    }
    return heap;
}

static Heap makeSmallHeap(float size, int count, const grzMeshShape* mesh, float share) {
    return makeSeededHeap(7, size, count, mesh, share);
}

typedef struct HeapFigures {
    double pairs;      // a body, at the end
    double speed;      // of any body in the last window, in m/s
    double sunk;       // how far the middle of a cube is below half of its width, in widths
    double spike;      // work of the costliest step of a window, by its median; once all have fallen
    double candidates; // triangles in the costliest step
} HeapFigures;

static int compareWork(const void* a, const void* b) {
    const uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return x < y ? -1 : x > y;
}

static uint64_t workOf(const grzWorldStats* stats) {
    return stats->bodyPairs - stats->recycledPairs + stats->trianglePairs + stats->contacts;
}

static void watchBodies(const Heap* heap, HeapFigures* figures) {
    for (int i = 0; i < heap->count; ++i) {
        const grzBodyView view = viewOf(heap->world, heap->ids[i]);
        figures->speed = fmax(figures->speed, (double)grzLength(view.velocity));
        figures->sunk = fmax(figures->sunk, 0.5 - (double)(view.center.y / heap->size));
    }
}

static HeapFigures runSmallHeap(Heap heap, int windows) {
    HeapFigures figures = {0};
    for (int window = 0; window < windows; ++window) {
        uint64_t work[windowSteps];
        figures.speed = 0;
        for (int i = 0; i < windowSteps; ++i) {
            stepOnce(heap.world);
            const grzWorldStats stats = grzWorld_GetStats(heap.world);
            work[i] = workOf(&stats);
            figures.pairs = (double)stats.bodyPairs / heap.count;
            figures.candidates = fmax(figures.candidates, (double)stats.trianglePairs);
            watchBodies(&heap, &figures);
        }
        qsort(work, windowSteps, sizeof *work, compareWork);
        if (window > 0)
            figures.spike = fmax(figures.spike, (double)work[windowSteps - 1] / (double)work[windowSteps / 2]);
    }
    grzWorld_Destroy(heap.world);
    return figures;
}

static void cubesOfOneCentimetre(void** state) {
    (void)state;
    const HeapFigures large = runSmallHeap(makeSmallHeap(1, boxCount, NULL, usualShare), 6);
    const HeapFigures small = runSmallHeap(makeSmallHeap(0.01f, boxCount, NULL, usualShare), 6);
    assertAtMost("pairs of cubes of 1 cm, by those of cubes of 1 m", small.pairs / large.pairs, 2.5);
    assertAtMost("the costliest step of 50 by the median, cubes of 1 m", large.spike, 4);
    assertAtMost("the same, cubes of 1 cm", small.spike, 4);
}

// A cube that got stuck on an edge may tip late, so a few heaps are asked. Fast cubes stop each other, and move on
// together: that must not take them into the floor.
static void heapsOfOneCentimetreRest(void** state) {
    enum { heapCount = 6, mostMoving = 1 };
    int movingCount = 0;
    double sunk = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= heapCount; ++seed) {
        const HeapFigures small = runSmallHeap(makeSeededHeap(seed, 0.01f, boxCount, NULL, usualShare), 6);
        movingCount += small.speed > 1e-4;
        sunk = fmax(sunk, small.sunk);
    }
    assertAtMost("how far a cube of six heaps has sunk, in its widths", sunk, 0.1);
    assertAtMost("of six heaps of cubes of 1 cm, how many still move after 5 s", movingCount, mostMoving);
}

enum { ringTriangles = 288 };

// A heap of rings of a size.
static HeapFigures runRings(float size, int count, int windows) {
    grzMesh* mesh = scaledShapeMesh(shapeTorus, ringTriangles, grzVec3_Splat(size));
    grzMeshShape* ring = meshShapeOf(mesh);
    const HeapFigures figures = runSmallHeap(makeSmallHeap(size, count, ring, usualShare), windows);
    grzMeshShape_Destroy(ring);
    grzMesh_Destroy(mesh);
    return figures;
}

// With a margin of 2 cm all triangles of a ring would be near all those of the rings beside it.
static void ringsOfOneCentimetre(void** state) {
    enum { ringCount = 20 };
    (void)state;
    const HeapFigures figures = runRings(0.01f, ringCount, 3);
    assertAtMost("candidates a triangle of rings of 1 cm, in the longest step",
                 figures.candidates / (ringCount * ringTriangles), 6);
    assertAtMost("the greatest speed after 2.5 s, in m/s", figures.speed, 0.01);
}

// In the first window they fall and hit what is below them: it is not counted.
static void ringsHaveNoSpikes(void** state) {
    (void)state;
    const HeapFigures figures = runRings(1, 40, 6);
    assertAtMost("the costliest step of 50 by the median, rings of 1 m", figures.spike, 4);
}

// ---- what is near ----

// A ball above something: whether they have a contact.
static bool isNearAbove(int other, float radius, float gap, float share) {
    grzWorld* world = makeShareWorld(share);
    switch (other) {
    case 0:
        addFloor(world, 0.6f);
        break;
    case 1:
        addMesh(world, grz_staticBody, g_kit.groundShape, grzVec3_Zero());
        break;
    case 2:
        (void)addAnimated(world, g_kit.sheet, grz_animateVertices);
        break;
    default:
        addShape(world, grz_dynamicBody, grzMakeSphere(grzVec3_Zero(), radius),
                 grzVec3_Make(0.01f, -radius, 0.01f));
        break;
    }
    addShape(world, grz_dynamicBody, grzMakeSphere(grzVec3_Zero(), radius),
             grzVec3_Make(0.01f, radius + gap, 0.01f));
    must(grzWorld_Collide(world, 0));
    const grzWorldContacts found = grzWorld_GetContacts(world);
    must(found.result);
    const bool isNear = found.contactCount != 0;
    grzWorld_Destroy(world);
    return isNear;
}

// The margin of a pair is its share of the smaller radius, which is that of a ball around the shape's box; and the
// world's at most.
static void marginsFollowTheRadius(void** state) {
    const float sixth = 1.7320508f / 6.0f;
    (void)state;
    assert_true(grzDefaultWorldDef().marginShare == usualShare);
    for (int other = 0; other < 4; ++other) {
        for (float radius = 0.005f; radius < 0.08f; radius *= 2) {
            assert_true(isNearAbove(other, radius, 0.99f * sixth * radius, usualShare));
            assert_false(isNearAbove(other, radius, 1.01f * sixth * radius, usualShare));
        }
        assert_true(isNearAbove(other, 0.5f, 0.0195f, usualShare));
        assert_false(isNearAbove(other, 0.5f, 0.0205f, usualShare));
        assert_true(isNearAbove(other, 0.008f, 0.0195f, 0));
        assert_false(isNearAbove(other, 0.008f, 0.0205f, 0));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marginsFollowTheRadius),   cmocka_unit_test(cubesOfOneCentimetre),
        cmocka_unit_test(heapsOfOneCentimetreRest), cmocka_unit_test(ringsOfOneCentimetre),
        cmocka_unit_test(ringsHaveNoSpikes),
    };
    return cmocka_run_group_tests(tests, makeWorldKit, destroyWorldKit);
}
