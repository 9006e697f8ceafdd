// vertex_weld.h: equal vertices become one, as all pairs compared say; nothing else changes.
#include "file_testing.h"

#include "vertex_weld.h"

// Few values, so that many vertices are equal, and zeros of both signs.
static MeshData crowdedMesh(uint64_t* random, size_t vertexCount, size_t triangleCount, grzAllocator allocator) {
    static const float values[] = {0.0F, -0.0F, 1.0F, -1.0F, 1e-45F, 0.1F};
    MeshData mesh;
    assert_true(grzResult_IsOk(MeshData_Create(&mesh, allocator, false, vertexCount, triangleCount)));
    for (size_t i = 0; i < vertexCount * 3; ++i)
        ((float*)mesh.positions)[i] = values[nextRandom(random) % 6];
    for (size_t i = 0; i < triangleCount * 3; ++i)
        mesh.indices[i] = (uint32_t)(nextRandom(random) % vertexCount);
    return mesh;
}

static bool areEqual(const float* a, const float* b) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static void assertWelded(const MeshData* before, const MeshData* after) {
    const float* old = before->positions;
    const float* new = after->positions;
    size_t count = 0;
    for (size_t i = 0; i < before->vertexCount; ++i) {
        bool isFirst = true;
        for (size_t j = 0; j < i && isFirst; ++j)
            isFirst = !areEqual(old + i * 3, old + j * 3);
        if (isFirst) // the bits of the first are kept
            assert_memory_equal(old + i * 3, new + count++ * 3, 3 * sizeof(float));
    }
    assert_int_equal(after->vertexCount, count);
    assert_int_equal(after->triangleCount, before->triangleCount);
    for (size_t i = 0; i < before->triangleCount * 3; ++i) {
        assert_true(after->indices[i] < count);
        assert_true(areEqual(old + before->indices[i] * 3, new + after->indices[i] * 3));
    }
}

static void equalVerticesBecomeOne(void** state) {
    (void)state;
    uint64_t random = testSeed(51);
    grzAllocator usual = {0};
    for (size_t count = 1; count < 700; count += 37) {
        MeshData mesh = crowdedMesh(&random, count, count * 2, usual), copy = mesh;
        copy.positions = malloc(count * 3 * sizeof(float));
        copy.indices = malloc(count * 6 * sizeof(uint32_t));
        assert_true(copy.positions != NULL && copy.indices != NULL);
        memcpy(copy.positions, mesh.positions, count * 3 * sizeof(float));
        memcpy(copy.indices, mesh.indices, count * 6 * sizeof(uint32_t));
        assert_true(grzResult_IsOk(MeshData_Weld(&mesh)));
        assertWelded(&copy, &mesh);
        MeshData_Release(&mesh);
        free(copy.positions);
        free(copy.indices);
    }
}

static void refusedMemoryChangesNothing(void** state) {
    (void)state;
    uint64_t random = testSeed(52);
    for (size_t failAt = 2;; ++failAt) {
        TestMemory memory = {.failAt = SIZE_MAX};
        MeshData mesh = crowdedMesh(&random, 50, 20, testAllocator(&memory)), before = mesh;
        memory.failAt = failAt;
        grzResult result = MeshData_Weld(&mesh);
        if (!grzResult_IsOk(result)) {
            assert_int_equal(result.status, grz_outOfMemory);
            assert_memory_equal(&before, &mesh, sizeof mesh);
        }
        MeshData_Release(&mesh);
        assert_int_equal(memory.liveCount, 0);
        if (grzResult_IsOk(result)) {
            assert_true(failAt > 5);
            return;
        }
    }
}

static void anEmptyMeshStaysEmpty(void** state) {
    (void)state;
    MeshData mesh = {.vertexCount = 0};
    assert_true(grzResult_IsOk(MeshData_Weld(&mesh)));
    assertEmptyMesh(&mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equalVerticesBecomeOne),
        cmocka_unit_test(refusedMemoryChangesNothing),
        cmocka_unit_test(anEmptyMeshStaysEmpty),
    };
    return cmocka_run_group_tests_name("vertex_weld", tests, NULL, NULL);
}
