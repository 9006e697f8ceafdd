// bench_sequences.h: the same bytes twice and by way of the cache, cloth stays out of its obstacle and falls,
// spheres turn exactly where they meet.
#define _POSIX_C_SOURCE 200809L // mkdtemp, setenv
#include "testing.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"
#include "bench_sequences.h"
#include "graze/linmath.h"
#include "mesh_write.h"
#include "sequence_read.h"
#include "shapes.h"

typedef struct Scene {
    MeshData mesh;
    SequenceData sequence;
} Scene;

static Scene make(SequenceKind kind, size_t triangles, size_t frames) {
    Scene scene;
    SequenceDef def = {kind, triangles, frames};
    assert_true(grzResult_IsOk(makeSequence(&def, grzDefaultAllocator(), &scene.mesh, &scene.sequence)));
    assert_int_equal(scene.mesh.vertexCount, scene.sequence.vertexCount);
    assert_int_equal(scene.sequence.frameCount, frames);
    return scene;
}

static void release(Scene* scene) {
    MeshData_Release(&scene->mesh);
    SequenceData_Release(&scene->sequence);
}

static void assertSameScene(const Scene* a, const Scene* b) {
    size_t count = 3 * a->sequence.vertexCount * a->sequence.frameCount;
    assert_int_equal(a->mesh.vertexCount, b->mesh.vertexCount);
    assert_int_equal(a->mesh.triangleCount, b->mesh.triangleCount);
    assert_int_equal(a->sequence.frameCount, b->sequence.frameCount);
    assert_memory_equal(a->mesh.positions, b->mesh.positions, 3 * a->mesh.vertexCount * sizeof(float));
    assert_memory_equal(a->mesh.indices, b->mesh.indices, 3 * a->mesh.triangleCount * sizeof(uint32_t));
    assert_memory_equal(a->sequence.positions, b->sequence.positions, count * sizeof(float));
    assert_memory_equal(a->sequence.times, b->sequence.times, a->sequence.frameCount * sizeof(float));
}

static const float* framePoint(const SequenceData* sequence, size_t frame, size_t vertex) {
    return sequence->positions + 3 * (frame * sequence->vertexCount + vertex);
}

static void sameBytesTwice(void** state) {
    (void)state;
    for (int kind = 0; kind < SEQUENCE_KIND_COUNT; ++kind) {
        Scene a = make((SequenceKind)kind, 500, 12), b = make((SequenceKind)kind, 500, 12);
        assertSameScene(&a, &b);
        assert_memory_equal(a.mesh.positions, a.sequence.positions, 3 * a.mesh.vertexCount * sizeof(float));
        for (size_t frame = 0; frame < 12; ++frame)
            assert_true(a.sequence.times[frame] == (float)frame);
        release(&a);
        release(&b);
    }
}

// Of 8 frames of 500 triangles: what every compiler, processor and build must make. A change of these needs a new
// SEQUENCE_REVISION.
static void bytesAreTheKnownOnes(void** state) {
    (void)state;
    static const uint64_t known[SEQUENCE_KIND_COUNT] = {0xd9f24e4c411c2d6eu, 0x247391584c394315u,
                                                        0x405120c1e1f6ab25u};
    for (int kind = 0; kind < SEQUENCE_KIND_COUNT; ++kind) {
        Scene scene = make((SequenceKind)kind, 500, 8);
        size_t size = 8 * 3 * sizeof(float) * scene.sequence.vertexCount;
        assert_true(Bench_Digest(0, scene.sequence.positions, size) == known[kind]);
        release(&scene);
    }
}

static void aShorterSequenceIsAPrefix(void** state) {
    (void)state;
    for (int kind = 0; kind < SEQUENCE_KIND_COUNT; ++kind) {
        Scene a = make((SequenceKind)kind, 500, 5), b = make((SequenceKind)kind, 500, 9);
        assert_memory_equal(a.sequence.positions, b.sequence.positions, 5 * 3 * a.mesh.vertexCount * sizeof(float));
        release(&a);
        release(&b);
    }
}

static void sizesAreTheNearest(void** state) {
    (void)state;
    Scene cloth = make(sequenceDrape, 33000, 1), spheres = make(sequenceSpheres, 33000, 1);
    assert_int_equal(cloth.mesh.triangleCount, shapeTriangleCount(shapeGrid, 33000));
    assert_int_equal(spheres.mesh.triangleCount, 2 * shapeTriangleCount(shapeSphere, 16500));
    release(&cloth);
    release(&spheres);
}

// Distance to table and ball, written anew from their description.
static double plainDistance(SequenceKind kind, const float* p) {
    double x = (double)p[0], y = (double)p[1], z = (double)p[2], solid;
    if (kind == sequenceDrape) {
        solid = sqrt(x * x + (y + 0.5) * (y + 0.5) + z * z) - 0.5;
    } else {
        double beyond = fmax(sqrt(x * x + z * z) - 0.56, 0);
        solid = sqrt(beyond * beyond + (y + 0.04) * (y + 0.04)) - 0.04;
    }
    return fmin(solid, y + 1.2);
}

static void assertOutside(const Scene* scene, SequenceKind kind) {
    for (size_t frame = 0; frame < scene->sequence.frameCount; ++frame) {
        for (size_t i = 0; i < scene->sequence.vertexCount; ++i) {
            const float* p = framePoint(&scene->sequence, frame, i);
            float normal[3];
            double distance = plainDistance(kind, p);
            assert_true(distance >= (double)SEQUENCE_MARGIN - 1e-5);
            assert_true(fabs(distance - (double)sequenceObstacle(kind, p, normal)) < 1e-5);
        }
    }
}

static double heightRange(const SequenceData* sequence, size_t frame, double* lowest) {
    double upper = -(double)INFINITY;
    *lowest = (double)INFINITY;
    for (size_t i = 0; i < sequence->vertexCount; ++i) {
        *lowest = fmin(*lowest, (double)framePoint(sequence, frame, i)[1]);
        upper = fmax(upper, (double)framePoint(sequence, frame, i)[1]);
    }
    return upper - *lowest;
}

// The middle lies on the solid, the rest hangs, and no edge is much longer than at the start.
static void assertDraped(const Scene* scene, double most) {
    const SequenceData* sequence = &scene->sequence;
    size_t last = sequence->frameCount - 1;
    double lowest, highest;
    highest = heightRange(sequence, last, &lowest) + lowest;
    assert_true(lowest < -0.3 && lowest > -1.2);
    assert_true(highest < 0.15 && highest > 0);
    double stretch = 0;
    for (size_t i = 0; i < 3 * scene->mesh.triangleCount; ++i) {
        uint32_t a = scene->mesh.indices[i], b = scene->mesh.indices[i - i % 3 + (i + 1) % 3];
        double now = (double)grzDistance(grzVec3_Load(framePoint(sequence, last, a)),
                                         grzVec3_Load(framePoint(sequence, last, b)));
        double before =
            (double)grzDistance(grzVec3_Load(framePoint(sequence, 0, a)), grzVec3_Load(framePoint(sequence, 0, b)));
        stretch = fmax(stretch, now / before);
    }
    assert_true(stretch < most);
}

static void clothStaysOutsideAndDrapes(void** state) {
    (void)state;
    for (int kind = sequenceTablecloth; kind <= sequenceDrape; ++kind) {
        Scene scene = make((SequenceKind)kind, 800, 31);
        assertOutside(&scene, (SequenceKind)kind);
        assertDraped(&scene, 1.5);
        release(&scene);
    }
}

// More than 96 squares along an edge: interpolated, waved and pushed out.
static void fineClothStaysOutside(void** state) {
    (void)state;
    Scene scene = make(sequenceTablecloth, 24000, 7);
    assertOutside(&scene, sequenceTablecloth);
    double lowest;
    double first = heightRange(&scene.sequence, 0, &lowest);
    assert_true(first > 0 && first < 0.01);
    heightRange(&scene.sequence, 6, &lowest);
    assert_true(lowest < -0.01);
    release(&scene);
}

// All distances are signed; gradients have length one and point to where the distance grows.
static void obstacleGradientsPointOut(void** state) {
    (void)state;
    for (int kind = sequenceTablecloth; kind <= sequenceDrape; ++kind) {
        for (int k = 0; k < 400; ++k) {
            float p[3] = {0.05f * (float)(k % 20) - 0.4f, 0.03f * (float)(k / 20) - 0.4f, 0.31f}, n[3], ignored[3],
                  q[3];
            float distance = sequenceObstacle((SequenceKind)kind, p, n);
            assert_true(fabsf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 1e-5f);
            for (int axis = 0; axis < 3; ++axis)
                q[axis] = p[axis] + 1e-3f * n[axis];
            assert_true(sequenceObstacle((SequenceKind)kind, q, ignored) >= distance + 0.9e-3f);
        }
    }
}

static float centerDistance(const float* p) {
    return grzDistance(grzVec3_Load(p), grzVec3_Make(p[0] < 0 ? -1.0f : 1.0f, 0, 0));
}

static void spheresTurnOnlyWhereTheyMeet(void** state) {
    (void)state;
    const SequenceDef def = {sequenceSpheres, 2000, 40};
    Scene scene = make(def.kind, def.triangles, def.frames);
    grzAllocator allocator = grzDefaultAllocator();
    SequenceChanges changes;
    assert_true(grzResult_IsOk(makeSphereChanges(&def, 1, &allocator, &changes)));
    assert_true(changes.count > 20 && changes.count < scene.mesh.vertexCount * 4);
    size_t half = scene.mesh.vertexCount / 2, next = 0;
    for (size_t frame = 1; frame + 1 < def.frames; ++frame) {
        for (size_t i = 0; i < scene.mesh.vertexCount; ++i) {
            const float *a = framePoint(&scene.sequence, frame - 1, i), *b = framePoint(&scene.sequence, frame, i),
                        *c = framePoint(&scene.sequence, frame + 1, i);
            bool turns = false;
            for (int axis = 0; axis < 3; ++axis)
                turns |= fabsf((c[axis] - b[axis]) - (b[axis] - a[axis])) > 1e-4f;
            bool listed =
                next < changes.count && changes.data[next].step == frame && changes.data[next].vertex == i;
            next += listed;
            assert_true(turns == listed);
            // One that already moves inward turns only at the start, whatever its triangles do.
            if (listed && centerDistance(b) < centerDistance(a))
                assert_true(centerDistance(b) < 0.64f);
            assert_true(i < half ? b[0] < 0 : b[0] > 0);
        }
    }
    assert_true(next == changes.count || changes.data[next].step == def.frames - 1);
    grzArray_Release(&changes, &allocator);
    release(&scene);
}

// In small steps as many turn, in all, but fewer at a time.
static void spheresMayLookForCollisionsMoreOften(void** state) {
    (void)state;
    const SequenceDef def = {sequenceSpheres, 2000, 40};
    grzAllocator allocator = grzDefaultAllocator();
    SequenceChanges coarse, fine;
    assert_true(grzResult_IsOk(makeSphereChanges(&def, 1, &allocator, &coarse)));
    assert_true(grzResult_IsOk(makeSphereChanges(&def, 16, &allocator, &fine)));
    assert_true(fine.count > coarse.count / 2 && fine.count < coarse.count * 2);
    size_t most = 0;
    for (size_t i = 0, same = 0; i < fine.count; ++i) {
        same = i > 0 && fine.data[i].step == fine.data[i - 1].step ? same + 1 : 1;
        most = same > most ? same : most;
        assert_true(fine.data[i].step < 40 * 16 && (i == 0 || fine.data[i].step >= fine.data[i - 1].step));
    }
    assert_true(most < 60 && fine.data[0].step / 16 + 1 >= coarse.data[0].step);
    assert_true(fine.data[0].step <= (coarse.data[0].step + 1) * 16);
    grzArray_Release(&coarse, &allocator);
    grzArray_Release(&fine, &allocator);
}

static void spheresMirrorEachOther(void** state) {
    (void)state;
    Scene scene = make(sequenceSpheres, 300, 3);
    size_t half = scene.mesh.vertexCount / 2, triangles = scene.mesh.triangleCount / 2;
    for (size_t i = 0; i < half; ++i) {
        const float *left = framePoint(&scene.sequence, 2, i), *right = framePoint(&scene.sequence, 2, i + half);
        assert_true(left[0] == -right[0] && left[1] == right[1] && left[2] == right[2]);
    }
    for (size_t t = 0; t < triangles; ++t) { // the same corners, the other way round
        const uint32_t *left = &scene.mesh.indices[3 * t], *right = &scene.mesh.indices[3 * (t + triangles)];
        assert_int_equal(right[0] - half, left[0]);
        assert_int_equal(right[1] - half, left[2]);
        assert_int_equal(right[2] - half, left[1]);
    }
    release(&scene);
}

static char g_directory[] = "/tmp/graze-cache-XXXXXX";

static int makeDirectory(void** state) {
    (void)state;
    return mkdtemp(g_directory) != NULL ? 0 : -1;
}

// Calls visit for every file of the cache whose name ends so.
static int forEachFile(const char* ending, void (*visit)(const char* path)) {
    DIR* directory = opendir(g_directory);
    assert_non_null(directory);
    int count = 0;
    for (struct dirent* entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        char path[600];
        size_t length = strlen(entry->d_name), tail = strlen(ending);
        if (entry->d_name[0] == '.' || length < tail || strcmp(entry->d_name + length - tail, ending) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", g_directory, entry->d_name);
        visit(path);
        ++count;
    }
    closedir(directory);
    return count;
}

static void removeFile(const char* path) {
    remove(path);
}

static int removeDirectory(void** state) {
    (void)state;
    forEachFile("", removeFile);
    return rmdir(g_directory);
}

static Scene load(const SequenceDef* def, const char* directory) {
    Scene scene;
    assert_true(grzResult_IsOk(loadSequence(def, directory, grzDefaultAllocator(), &scene.mesh, &scene.sequence)));
    return scene;
}

static void damageMiddle(const char* path) {
    FILE* file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    fseek(file, ftell(file) / 2, SEEK_SET);
    int byte = fgetc(file);
    fseek(file, -1, SEEK_CUR);
    fputc(byte ^ 1, file);
    fclose(file);
}

static void cutShort(const char* path) {
    assert_int_equal(truncate(path, 100), 0);
}

static void cacheGivesTheSameBytes(void** state) {
    (void)state;
    for (int kind = 0; kind < SEQUENCE_KIND_COUNT; ++kind) {
        SequenceDef def = {(SequenceKind)kind, 300, 6};
        Scene fresh = make(def.kind, def.triangles, def.frames);
        Scene first = load(&def, g_directory), second = load(&def, g_directory);
        assertSameScene(&fresh, &first);
        assertSameScene(&fresh, &second);
        assert_int_equal(forEachFile(".pc2", kind == 1 ? damageMiddle : cutShort), kind + 1);
        Scene third = load(&def, g_directory), fourth = load(&def, g_directory);
        assertSameScene(&fresh, &third);
        assertSameScene(&fresh, &fourth);
        release(&fresh);
        release(&first);
        release(&second);
        release(&third);
        release(&fourth);
    }
}

// Rewrites the cached file "tablecloth-200-4-..." with one number changed, under a good digest.
static size_t g_changedNumber;

static void changeNumber(const char* path) {
    SequenceData sequence;
    char sum[640];
    if (strstr(path, "tablecloth-200-4-") == NULL)
        return;
    assert_true(readSequence(path, grzDefaultAllocator(), &sequence, NULL));
    sequence.positions[g_changedNumber] += 1;
    assert_true(writePc2(path, &sequence, NULL));
    snprintf(sum, sizeof sum, "%s.sum", path);
    FILE* file = fopen(sum, "w");
    assert_non_null(file);
    fprintf(
        file, "%016llx\n",
        (unsigned long long)Bench_Digest(0, sequence.positions, 12 * sequence.vertexCount * sequence.frameCount));
    fclose(file);
    SequenceData_Release(&sequence);
}

static void cacheIsReadWhereItsStartIsRight(void** state) {
    (void)state;
    SequenceDef def = {sequenceTablecloth, 200, 4};
    Scene fresh = load(&def, g_directory);
    g_changedNumber = 3 * fresh.mesh.vertexCount * 3 + 5; // in the last frame: taken for good
    forEachFile(".pc2", changeNumber);
    Scene changed = load(&def, g_directory);
    assert_true(changed.sequence.positions[g_changedNumber] == fresh.sequence.positions[g_changedNumber] + 1);
    g_changedNumber = 5; // in the first: not ours, made anew
    forEachFile(".pc2", changeNumber);
    Scene again = load(&def, g_directory);
    assertSameScene(&fresh, &again);
    release(&fresh);
    release(&changed);
    release(&again);
}

static void heardLog(void* context, grzLogLevel level, const char* text) {
    (void)level;
    assert_non_null(strstr(text, "tablecloth"));
    ++*(int*)context;
}

static void aUselessCacheCostsOnlyTime(void** state) {
    (void)state;
    int warnings = 0;
    SequenceDef def = {sequenceTablecloth, 100, 3};
    grzSetLogHook(heardLog, &warnings);
    Scene scene = load(&def, "/dev/null/nowhere"), fresh = make(def.kind, def.triangles, def.frames);
    grzSetLogHook(NULL, NULL);
    assert_int_equal(warnings, 1);
    assertSameScene(&scene, &fresh);
    release(&scene);
    release(&fresh);
}

static void theEnvironmentNamesTheCache(void** state) {
    (void)state;
    SequenceDef def = {sequenceSpheres, 123, 3};
    int before = forEachFile(".pc2", cutShort);
    assert_int_equal(setenv("GRAZE_CACHE", g_directory, 1), 0);
    Scene scene = load(&def, NULL);
    assert_int_equal(unsetenv("GRAZE_CACHE"), 0);
    assert_int_equal(forEachFile(".pc2", cutShort), before + 1);
    release(&scene);
}

static void refusedMemoryLeavesNothing(void** state) {
    (void)state;
    for (int kind = 0; kind < SEQUENCE_KIND_COUNT; ++kind) {
        SequenceDef def = {(SequenceKind)kind, 100, 3};
        grzResult result = {.status = grz_outOfMemory};
        size_t k = 0;
        for (; result.status == grz_outOfMemory; ++k) {
            TestMemory memory = {.failAt = k};
            Scene scene;
            result = makeSequence(&def, testAllocator(&memory), &scene.mesh, &scene.sequence);
            assert_true(grzResult_IsOk(result) ||
                        (scene.mesh.positions == NULL && scene.sequence.positions == NULL));
            release(&scene);
            assert_int_equal(memory.liveCount, 0);
        }
        assert_true(grzResult_IsOk(result) && k > 4);
    }
    Scene scene;
    assert_int_equal(
        makeSequence(&(SequenceDef){sequenceDrape, 100, 0}, grzDefaultAllocator(), &scene.mesh, &scene.sequence)
            .status,
        grz_badArgument);
}

static void refusedMemoryForChangesLeavesNothing(void** state) {
    (void)state;
    SequenceDef def = {sequenceSpheres, 200, 40};
    grzResult result = {.status = grz_outOfMemory};
    for (size_t k = 0; result.status == grz_outOfMemory; ++k) {
        TestMemory memory = {.failAt = k};
        grzAllocator allocator = testAllocator(&memory);
        SequenceChanges changes;
        result = makeSphereChanges(&def, 1, &allocator, &changes);
        grzArray_Release(&changes, &allocator);
        assert_int_equal(memory.liveCount, 0);
    }
    assert_true(grzResult_IsOk(result));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sameBytesTwice),
        cmocka_unit_test(bytesAreTheKnownOnes),
        cmocka_unit_test(aShorterSequenceIsAPrefix),
        cmocka_unit_test(sizesAreTheNearest),
        cmocka_unit_test(clothStaysOutsideAndDrapes),
        cmocka_unit_test(fineClothStaysOutside),
        cmocka_unit_test(obstacleGradientsPointOut),
        cmocka_unit_test(spheresTurnOnlyWhereTheyMeet),
        cmocka_unit_test(spheresMayLookForCollisionsMoreOften),
        cmocka_unit_test(spheresMirrorEachOther),
        cmocka_unit_test(cacheGivesTheSameBytes),
        cmocka_unit_test(cacheIsReadWhereItsStartIsRight),
        cmocka_unit_test(aUselessCacheCostsOnlyTime),
        cmocka_unit_test(theEnvironmentNamesTheCache),
        cmocka_unit_test(refusedMemoryLeavesNothing),
        cmocka_unit_test(refusedMemoryForChangesLeavesNothing),
    };
    return cmocka_run_group_tests_name("bench_sequences", tests, makeDirectory, removeDirectory);
}
