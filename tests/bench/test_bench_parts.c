// What the cases of graze-bench compare with: the merge sort, and topology by sorting.
#include "testing.h"

#include "merge_sort.h"
#include "plain_topology.h"
#include "rng.h"
#include "shapes.h"

// ---- merge sort ----

#define MOST_KEYS 300

static void insertionSort(uint64_t* keys, uint32_t* values, size_t count) {
    for (size_t i = 1; i < count; ++i)
        for (size_t k = i; k > 0 && keys[k - 1] > keys[k]; --k) {
            uint64_t key = keys[k];
            uint32_t value = values[k];
            keys[k] = keys[k - 1], values[k] = values[k - 1];
            keys[k - 1] = key, values[k - 1] = value;
        }
}

static void mergeSortIsAStableSort(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(11), 0);
    for (size_t count = 0; count <= MOST_KEYS; ++count) {
        uint64_t keys[MOST_KEYS + 1], expected[MOST_KEYS + 1], scratch[MOST_KEYS + 1];
        uint32_t values[MOST_KEYS + 1], expectedValues[MOST_KEYS + 1], scratchValues[MOST_KEYS + 1];
        uint32_t kinds = 1 + grzRng_Below(&rng, 2 * MOST_KEYS); // few: many are equal
        for (size_t i = 0; i < count; ++i) {
            keys[i] = expected[i] = grzRng_Below(&rng, kinds);
            values[i] = expectedValues[i] = (uint32_t)i;
        }
        scratch[count] = 77; // not to be touched
        benchMergeSort(keys, values, scratch, scratchValues, count);
        insertionSort(expected, expectedValues, count);
        assert_memory_equal(keys, expected, count * sizeof keys[0]);
        assert_memory_equal(values, expectedValues, count * sizeof values[0]);
        assert_int_equal(scratch[count], 77);
    }
}

// ---- topology ----

static grzMesh* makeMesh(const MeshData* data) {
    grzMeshDef def = grzDefaultMeshDef();
    grzMesh* mesh;
    def.positions = data->positions;
    def.positionType = data->isDouble ? grz_float64 : grz_float32;
    def.vertexCount = data->vertexCount;
    def.indices = data->indices;
    def.triangleCount = data->triangleCount;
    assert_true(grzResult_IsOk(grzMesh_Create(&def, &mesh)));
    return mesh;
}

static bool isEqual(const PlainTopology* topology, const MeshData* data, const MeshData* built) {
    grzMesh* mesh = makeMesh(built);
    grzMeshView view = grzMesh_GetView(mesh);
    bool equal = PlainTopology_Equals(topology, data, &view);
    grzMesh_Destroy(mesh);
    return equal;
}

static void aTetrahedronHasSixEdges(void** state) {
    (void)state;
    uint32_t indices[12] = {0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2};
    MeshData data = {.indices = indices, .vertexCount = 4, .triangleCount = 4};
    PlainTopology topology;
    assert_true(PlainTopology_Make(&topology, &data, grzDefaultAllocator()));
    assert_int_equal(topology.edgeCount, 6);
    assert_true(topology.edges[0].a == 0 && topology.edges[0].b == 1);
    assert_true(topology.edges[5].a == 2 && topology.edges[5].b == 3);
    const uint32_t expected[12] = {2, 3, 1, 0, 3, 2, 1, 3, 0, 2, 1, 0};
    assert_memory_equal(topology.neighbours, expected, sizeof expected);
    PlainTopology_Release(&topology);
}

// Random triangles over few vertices: repeated indices, edges with many triangles, triangles that are there twice.
static void topologyIsTheMeshs(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(12), 0);
    for (uint32_t trial = 0; trial < 200; ++trial) {
        float positions[3 * 8] = {0};
        uint32_t indices[3 * 40];
        MeshData data = {.positions = positions, .indices = indices, .vertexCount = 1 + grzRng_Below(&rng, 8)};
        data.triangleCount = 1 + grzRng_Below(&rng, 40);
        for (size_t i = 0; i < 3 * data.triangleCount; ++i)
            indices[i] = grzRng_Below(&rng, (uint32_t)data.vertexCount);
        PlainTopology topology;
        assert_true(PlainTopology_Make(&topology, &data, grzDefaultAllocator()));
        assert_true(isEqual(&topology, &data, &data));
        PlainTopology_Release(&topology);
    }
}

static void anotherMeshIsNoticed(void** state) {
    (void)state;
    MeshData data;
    PlainTopology topology;
    assert_true(grzResult_IsOk(makeShape(shapeTorus, 200, grzDefaultAllocator(), &data)));
    assert_true(PlainTopology_Make(&topology, &data, grzDefaultAllocator()));
    MeshData half = data;
    half.triangleCount /= 2;
    assert_true(isEqual(&topology, &data, &data));
    assert_false(isEqual(&topology, &data, &half));
    grzMesh* mesh = makeMesh(&data);
    grzMeshView view = grzMesh_GetView(mesh);
    topology.neighbours[17] ^= 1;
    assert_false(PlainTopology_Equals(&topology, &data, &view));
    topology.neighbours[17] ^= 1;
    topology.edges[5].b ^= 1;
    assert_false(PlainTopology_Equals(&topology, &data, &view));
    topology.edges[5].b ^= 1;
    data.indices[3] ^= 1;
    assert_false(PlainTopology_Equals(&topology, &data, &view));
    grzMesh_Destroy(mesh);
    PlainTopology_Release(&topology);
    MeshData_Release(&data);
}

static void refusedMemoryLeavesNothing(void** state) {
    (void)state;
    uint32_t indices[3] = {0, 1, 2};
    MeshData data = {.indices = indices, .vertexCount = 3, .triangleCount = 1};
    for (size_t k = 0; k < 4; ++k) {
        TestMemory memory = {.failAt = k};
        PlainTopology topology;
        assert_int_equal(PlainTopology_Make(&topology, &data, testAllocator(&memory)), k == 3);
        PlainTopology_Release(&topology);
        assert_int_equal(memory.liveCount, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mergeSortIsAStableSort),     cmocka_unit_test(aTetrahedronHasSixEdges),
        cmocka_unit_test(topologyIsTheMeshs),         cmocka_unit_test(anotherMeshIsNoticed),
        cmocka_unit_test(refusedMemoryLeavesNothing),
    };
    return cmocka_run_group_tests_name("bench_parts", tests, NULL, NULL);
}
