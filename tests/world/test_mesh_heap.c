// A heap of fine meshes takes memory and candidates that grow with its triangles, not with the products of pairs.
#include "expected_failure.h"
#include "world_testing.h"

enum { ringCount = 8, runSteps = 70, ringTriangles = 5760 };

// Counts what is live, without a look at each byte: heaps take much.
typedef struct PeakMemory {
    grzAllocator inner;
    size_t live, peak;
} PeakMemory;

static void* allocatePeak(void* context, size_t size, size_t alignment) {
    PeakMemory* memory = context;
    memory->live += size;
    memory->peak = memory->live > memory->peak ? memory->live : memory->peak;
    return memory->inner.allocate(memory->inner.context, size, alignment);
}

static void releasePeak(void* context, void* data, size_t size, size_t alignment) {
    PeakMemory* memory = context;
    memory->live -= size;
    memory->inner.release(memory->inner.context, data, size, alignment);
}

typedef struct HeapCost {
    double bytes, candidates; // for each triangle of all bodies: the peak, and the most in a step
} HeapCost;

static void addPit(grzWorld* world) {
    addFloor(world, 0.6f);
    for (int k = 0; k < 2; ++k) {
        const float at = k == 0 ? -1.8f : 1.8f;
        const grzConvex alongZ = grzMakeBox(grzVec3_Zero(), grzVec3_Make(0.5f, 10, 10));
        const grzConvex alongX = grzMakeBox(grzVec3_Zero(), grzVec3_Make(10, 10, 0.5f));
        addShape(world, grz_staticBody, alongZ, grzVec3_Make(at, 5, 0));
        addShape(world, grz_staticBody, alongX, grzVec3_Make(0, 5, at));
    }
}

// Rings fall into a pit, two layers of four.
static HeapCost runHeap(void) {
    PeakMemory memory = {.inner = grzDefaultAllocator()};
    grzRng rng = grzRng_Make(3, 0);
    grzMesh* mesh = scaledShapeMesh(shapeTorus, ringTriangles, grzVec3_Splat(0.5f));
    grzMeshShape* ring = meshShapeOf(mesh);
    grzWorldDef def = grzDefaultWorldDef();
    def.allocator = (grzAllocator){&memory, allocatePeak, releasePeak};
    grzWorld* world;
    uint64_t candidates = 0;
    must(grzWorld_Create(&def, &world));
    addPit(world);
    for (int i = 0; i < ringCount; ++i) {
        grzBodyDef body = grzDefaultBodyDef();
        body.mesh = ring;
        body.origin = grzVec3_Make(1.1f * ((float)(i % 2) - 0.5f), 0.6f + 1.1f * (float)(i / 4),
                                   1.1f * ((float)(i / 2 % 2) - 0.5f));
        body.rotation = randomTurn(&rng);
        addBody(world, &body);
    }
    for (int step = 0; step < runSteps; ++step) {
        stepOnce(world);
        const uint64_t found = grzWorld_GetStats(world).trianglePairs;
        candidates = found > candidates ? found : candidates;
    }
    grzWorld_Destroy(world);
    const double triangles = ringCount * (double)grzMesh_GetView(mesh).triangleCount;
    grzMeshShape_Destroy(ring);
    grzMesh_Destroy(mesh);
    return (HeapCost){(double)memory.peak / triangles, (double)candidates / triangles};
}

static void aHeapOfMeshesTakesLittleMemory(void** state) {
    (void)state;
    assertAtMost("bytes a triangle", runHeap().bytes, 256);
}

static void aHeapOfMeshesHasFewCandidates(void** state) {
    (void)state;
    assertAtMost("candidates a triangle in the longest step", runHeap().candidates, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aHeapOfMeshesTakesLittleMemory),
        cmocka_unit_test(aHeapOfMeshesHasFewCandidates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
