// plan_stream.h: trees on a plan that is streamed have the same boxes, bit for bit, as on one whose keyframes are all in memory,
// from PC2 and MDD, with any number of slots and steps of any size; memory is that of the slots; damaged files with a sentence,
// after which one may go on; the real sequences of GRAZE_DATA where it is set.
#include "file_testing.h"
#include "kinetic_testing.h"

#include <math.h>

#include "graze/box_tree.h"
#include "graze/chord_tree.h"
#include "graze/kinetic_tree.h"
#include "mesh_read.h"
#include "mesh_write.h"
#include "plan_stream.h"

// ---- what follows a plan ----

typedef struct Followers {
    grzKineticTree *ordered, *batched;
    grzChordTree* chord;
    grzBoxTree* box;
} Followers;

static Followers follow(const grzBvh* bvh, grzFlightplan* plan, const uint32_t* triangles, size_t triangleCount) {
    Followers all;
    grzKineticTreeDef kinetic = grzDefaultKineticTreeDef();
    kinetic.bvh = bvh, kinetic.plan = plan;
    ok(grzKineticTree_Create(&kinetic, &all.ordered));
    kinetic.order = grz_kineticBatched;
    ok(grzKineticTree_Create(&kinetic, &all.batched));
    grzChordTreeDef chord = grzDefaultChordTreeDef();
    chord.bvh = bvh, chord.plan = plan;
    ok(grzChordTree_Create(&chord, &all.chord));
    grzBoxTreeDef box = grzDefaultBoxTreeDef();
    box.plan = plan, box.triangles = triangles, box.triangleCount = triangleCount;
    ok(grzBoxTree_Create(&box, &all.box));
    return all;
}

static void advance(const Followers* all, double time) {
    ok(grzKineticTree_Advance(all->ordered, NULL, time));
    ok(grzKineticTree_Advance(all->batched, NULL, time));
    ok(grzChordTree_Advance(all->chord, NULL, time));
    ok(grzBoxTree_Advance(all->box, time));
}

static void stopFollowing(const Followers* all) {
    grzKineticTree_Destroy(all->ordered);
    grzKineticTree_Destroy(all->batched);
    grzChordTree_Destroy(all->chord);
    grzBoxTree_Destroy(all->box);
}

// ---- the two plans ----

typedef struct Both {
    grzBvh* bvh;
    PlanStream stream;
    grzFlightplan* whole;
    Followers streamed, inMemory;
    double time;
    size_t vertexCount, nodeCount;
    float *found, *expected;
    grzBvhNode *foundNodes, *expectedNodes;
} Both;

static grzFlightplan* planWhole(const SequenceData* sequence, double secondsPerUnit) {
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.vertexCount = sequence->vertexCount;
    grzFlightplan* plan;
    ok(grzFlightplan_Create(&def, &plan));
    for (size_t f = 0; f < sequence->frameCount; ++f)
        ok(grzFlightplan_AddKeyframe(plan, (double)sequence->times[f] * secondsPerUnit,
                                     sequence->positions + f * 3 * sequence->vertexCount, 0));
    return plan;
}

static Both makeBoth(const PlanStreamDef* def, const SequenceData* sequence, const uint32_t* triangles,
                     size_t triangleCount) {
    Both both = {.vertexCount = sequence->vertexCount};
    FileError error = {""};
    grzBvhDef bvhDef = grzDefaultBvhDef();
    bvhDef.positions = sequence->positions, bvhDef.vertexCount = sequence->vertexCount;
    bvhDef.triangles = triangles, bvhDef.triangleCount = triangleCount;
    ok(grzBvh_Create(&bvhDef, &both.bvh));
    both.nodeCount = grzBvh_GetView(both.bvh).nodeCount;
    both.found = takeNumbers(3 * both.vertexCount);
    both.expected = takeNumbers(3 * both.vertexCount);
    both.foundNodes = calloc(both.nodeCount, sizeof(grzBvhNode));
    both.expectedNodes = calloc(both.nodeCount, sizeof(grzBvhNode));
    assert_true(both.foundNodes != NULL && both.expectedNodes != NULL);
    if (!PlanStream_Open(&both.stream, def, &error))
        fail_msg("%s", error.text);
    both.whole = planWhole(sequence, def->secondsPerUnit);
    both.streamed = follow(both.bvh, both.stream.plan, triangles, triangleCount);
    both.inMemory = follow(both.bvh, both.whole, triangles, triangleCount);
    both.time = grzFlightplan_GetRange(both.whole).begin;
    return both;
}

static void dropBoth(Both* both) {
    stopFollowing(&both->streamed);
    stopFollowing(&both->inMemory);
    PlanStream_Close(&both->stream);
    grzFlightplan_Destroy(both->whole);
    grzBvh_Destroy(both->bvh);
    free(both->found), free(both->expected), free(both->foundNodes), free(both->expectedNodes);
}

static void expectSameNodes(const Both* both) {
    assert_memory_equal(both->foundNodes, both->expectedNodes, both->nodeCount * sizeof *both->foundNodes);
}

static void expectSame(const Both* both) {
    const Followers *a = &both->streamed, *b = &both->inMemory;
    ok(grzFlightplan_Evaluate(both->stream.plan, NULL, both->time, both->found, 0));
    ok(grzFlightplan_Evaluate(both->whole, NULL, both->time, both->expected, 0));
    assert_memory_equal(both->found, both->expected, 3 * both->vertexCount * sizeof *both->found);
    ok(grzKineticTree_WriteBoxes(a->ordered, NULL, both->foundNodes));
    ok(grzKineticTree_WriteBoxes(b->ordered, NULL, both->expectedNodes));
    expectSameNodes(both);
    ok(grzKineticTree_WriteBoxes(a->batched, NULL, both->foundNodes));
    expectSameNodes(both);
    ok(grzChordTree_WriteBoxes(a->chord, NULL, both->foundNodes));
    ok(grzChordTree_WriteBoxes(b->chord, NULL, both->expectedNodes));
    expectSameNodes(both);
    const grzBox found = grzBoxTree_RootBox(a->box), expected = grzBoxTree_RootBox(b->box);
    assert_memory_equal(&found, &expected, sizeof found);
    assert_true(grzFlightplan_Validate(both->stream.plan));
}

// As the header shows it.
static void goTo(Both* both, double target) {
    FileError error = {""};
    for (double now = both->time; now < target;) {
        double reach;
        if (!PlanStream_Feed(&both->stream, now, target, &reach, &error))
            fail_msg("%s", error.text);
        assert_true(reach > now && reach == grzFlightplan_GetRange(both->stream.plan).end);
        now = fmin(target, reach);
        advance(&both->streamed, now);
    }
    advance(&both->inMemory, target);
    both->time = target;
    expectSame(both);
}

// ---- sequences ----

static SequenceData makeSequence(grzRng* rng, size_t vertexCount, size_t frameCount, bool isEven) {
    SequenceData sequence;
    ok(SequenceData_Create(&sequence, (grzAllocator){0}, vertexCount, frameCount));
    for (size_t i = 0; i < 3 * vertexCount * frameCount; ++i)
        sequence.positions[i] = 2 * grzRng_Float(rng) - 1;
    float time = -3;
    for (size_t f = 0; f < frameCount; ++f, time += isEven ? 0.5F : 0.05F + grzRng_Float(rng))
        sequence.times[f] = time;
    return sequence;
}

static void drawTriangles(grzRng* rng, uint32_t* triangles, size_t count, size_t vertexCount) {
    for (size_t i = 0; i < 3 * count; ++i)
        triangles[i] = grzRng_Below(rng, (uint32_t)vertexCount);
}

static void writeSequence(const TestPath* path, const SequenceData* sequence, bool isPc2) {
    FileError error = {""};
    if (!(isPc2 ? writePc2(path->text, sequence, &error) : writeMdd(path->text, sequence, &error)))
        fail_msg("%s", error.text);
}

enum { VERTICES = 70, TRIANGLES = 90 };

static void streamedAndWholePlansAreTheSame(void** state) {
    (void)state;
    static const uint32_t slots[] = {2, 3, 0, 50};
    grzRng rng = grzRng_Make(testSeed(841), 0);
    TestFolder folder = makeFolder();
    TestPath path = pathIn(&folder, "cache");
    uint32_t triangles[3 * TRIANGLES];
    for (int isPc2 = 0; isPc2 < 2; ++isPc2)
        for (size_t s = 0; s < 4; ++s) {
            SequenceData sequence = makeSequence(&rng, VERTICES, 30, isPc2 != 0);
            writeSequence(&path, &sequence, isPc2 != 0);
            drawTriangles(&rng, triangles, TRIANGLES, VERTICES);
            const PlanStreamDef def = {.path = path.text, .secondsPerUnit = 0.3, .slotCount = slots[s]};
            Both both = makeBoth(&def, &sequence, triangles, TRIANGLES);
            const double end = grzFlightplan_GetRange(both.whole).end;
            expectSame(&both);
            while (both.time < end) { // small steps, keyframes, and jumps over more than there are slots
                const uint32_t kind = grzRng_Below(&rng, 8);
                const float frameTime = sequence.times[grzRng_Below(&rng, 30)];
                const double step = (double)grzRng_Float(&rng) * (kind == 0 ? 2.0 : 0.2);
                const double next = kind == 1 ? (double)frameTime * 0.3 : both.time + step;
                goTo(&both, fmin(fmax(next, both.time), end));
            }
            double reach;
            assert_true(PlanStream_Feed(&both.stream, end, end + 1, &reach, NULL) && reach == end);
            expectSame(&both);
            dropBoth(&both);
            SequenceData_Release(&sequence);
        }
    removeFolder(&folder);
}

static void onlyTheSlotsAreInMemory(void** state) {
    (void)state;
    enum { COUNT = 200, SLOTS = 3, SMALL = 2048 };
    grzRng rng = grzRng_Make(testSeed(842), 0);
    TestFolder folder = makeFolder();
    TestPath path = pathIn(&folder, "a.mdd");
    SequenceData sequence = makeSequence(&rng, 1000, COUNT, false);
    writeSequence(&path, &sequence, false);
    TestMemory memory = {.failAt = SIZE_MAX};
    PlanStream stream;
    const PlanStreamDef def = {
        .path = path.text, .secondsPerUnit = 1, .slotCount = SLOTS, .allocator = testAllocator(&memory)};
    assert_true(PlanStream_Open(&stream, &def, NULL));
    const double end = (double)sequence.times[COUNT - 1];
    size_t most = 0;
    for (double now = (double)sequence.times[0]; now < end;) {
        double reach;
        assert_true(PlanStream_Feed(&stream, now, end, &reach, NULL));
        most = memory.liveBytes > most ? memory.liveBytes : most;
        now = reach;
    }
    const size_t frame = 1000 * 3 * sizeof(float);
    assert_true(most >= SLOTS * frame && most <= SLOTS * frame + COUNT * sizeof(float) + SMALL);
    PlanStream_Close(&stream);
    assert_int_equal(memory.liveCount, 0);
    PlanStream_Close(&stream); // all zeros
    SequenceData_Release(&sequence);
    removeFolder(&folder);
}

// ---- what goes wrong ----

static void expectSentence(const FileError* error, const char* sentence) {
    if (strstr(error->text, sentence) == NULL)
        fail_msg("'%s' does not say '%s'", error->text, sentence);
}

// Cut while it is followed, put back, and followed to the end.
static void oneMayGoOnAfterADamage(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(843), 0);
    TestFolder folder = makeFolder();
    TestPath path = pathIn(&folder, "a.pc2");
    uint32_t triangles[3 * TRIANGLES];
    drawTriangles(&rng, triangles, TRIANGLES, VERTICES);
    SequenceData sequence = makeSequence(&rng, VERTICES, 12, true);
    writeSequence(&path, &sequence, true);
    const PlanStreamDef def = {.path = path.text, .secondsPerUnit = 2, .slotCount = 3};
    Both both = makeBoth(&def, &sequence, triangles, TRIANGLES);
    goTo(&both, -5.5);                          // keyframes are 1 s apart, from -6 on: frames 0 to 2 are there
    static char bytes[32 + 12 * VERTICES * 12]; // the reader has the file open, so that it must be the same one
    FILE* file = fopen(path.text, "rb");
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, sizeof bytes, file), sizeof bytes);
    assert_int_equal(fclose(file), 0);
    writeBytes(path.text, bytes, 3000);
    goTo(&both, -4);
    FileError error = {""};
    double reach;
    assert_false(PlanStream_Feed(&both.stream, -4, -2.5, &reach, &error));
    expectSentence(&error, "a.pc2: byte 3000: the file has become shorter"); // in frame 3
    assert_true(reach == -4);
    expectSame(&both);
    writeBytes(path.text, bytes, sizeof bytes);
    goTo(&both, -0.75);
    goTo(&both, 5);
    dropBoth(&both);
    SequenceData_Release(&sequence);
    removeFolder(&folder);
}

static void aBadFrameIsNamedWhenItIsNeeded(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(844), 0);
    TestFolder folder = makeFolder();
    TestPath path = pathIn(&folder, "a.mdd");
    SequenceData sequence = makeSequence(&rng, 4, 8, true);
    writeSequence(&path, &sequence, false);
    FILE* file = fopen(path.text, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, 8 + 8 * 4 + 3 * 48 + 16, SEEK_SET), 0); // y of vertex 1 in frame 3
    assert_int_equal(fwrite("\177\300\0\0", 1, 4, file), 4);
    assert_int_equal(fclose(file), 0);
    PlanStream stream;
    const PlanStreamDef def = {.path = path.text, .secondsPerUnit = 1, .slotCount = 8};
    assert_true(PlanStream_Open(&stream, &def, NULL));
    FileError error = {""};
    double reach;
    assert_true(PlanStream_Feed(&stream, -3, -2.25, &reach, &error)); // frames 0 to 2 are known
    assert_true(reach == -2);
    for (int again = 0; again < 2; ++again) {
        assert_false(PlanStream_Feed(&stream, -2.25, -1.75, &reach, &error));
        expectSentence(&error, "a.mdd: byte 200: y of vertex 1 in frame 3 is not finite");
        assert_true(reach == -2 && grzFlightplan_GetRange(stream.plan).end == -2);
    }
    PlanStream_Close(&stream);
    SequenceData_Release(&sequence);
    removeFolder(&folder);
}

// The file has no positions of them.
static void verticesCannotComeIntoAStream(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(848), 0);
    TestFolder folder = makeFolder();
    TestPath path = pathIn(&folder, "a.mdd");
    SequenceData sequence = makeSequence(&rng, 4, 8, true);
    writeSequence(&path, &sequence, false);
    PlanStream stream;
    const PlanStreamDef def = {.path = path.text, .secondsPerUnit = 1, .slotCount = 2};
    assert_true(PlanStream_Open(&stream, &def, NULL));
    const float positions[15] = {0};
    const grzFlightplanFrame frame = {positions, 0};
    uint32_t first;
    assert_int_equal(grzFlightplan_KeyframeCount(stream.plan), 1);
    ok(grzFlightplan_AddFrameVertices(stream.plan, 1, &frame, &first));
    FileError error = {""};
    double reach;
    assert_false(PlanStream_Feed(&stream, -3, -2.25, &reach, &error));
    expectSentence(&error,
                   "a.mdd: cannot be followed: its frames have no positions of vertices that came into the plan");
    assert_true(reach == -3 && grzFlightplan_KeyframeCount(stream.plan) == 1);
    PlanStream_Close(&stream);
    SequenceData_Release(&sequence);
    removeFolder(&folder);
}

static void expectOpenError(const PlanStreamDef* def, const char* sentence) {
    PlanStream stream, zeros;
    FileError error = {""};
    memset(&zeros, 0, sizeof zeros);
    assert_false(PlanStream_Open(&stream, def, &error));
    assert_memory_equal(&stream, &zeros, sizeof zeros);
    expectSentence(&error, sentence);
}

static void badDefsAreRefused(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(845), 0);
    TestFolder folder = makeFolder();
    TestPath path = pathIn(&folder, "a.pc2");
    SequenceData sequence = makeSequence(&rng, 4, 8, true);
    const PlanStreamDef usual = {.path = path.text, .secondsPerUnit = 1};
    expectOpenError(&usual, "a.pc2: cannot be opened");
    writeSequence(&path, &sequence, true);
    PlanStreamDef def = usual;
    def.slotCount = 1;
    expectOpenError(&def, "a.pc2: cannot be followed with room for 1 frame");
    def = usual;
    static const double units[] = {0, -1, (double)NAN, (double)INFINITY};
    for (size_t i = 0; i < 4; ++i) {
        def.secondsPerUnit = units[i];
        expectOpenError(&def, "a.pc2: a unit of its times cannot be");
    }
    def.secondsPerUnit = 1e10; // -3 of them are beyond the times of plans
    expectOpenError(&def, "a.pc2: frame 0 is no keyframe: ");
    size_t failAt = 0;
    for (bool isOpen = false; !isOpen; ++failAt) {
        TestMemory memory = {.failAt = failAt};
        PlanStream stream;
        FileError error = {""};
        def = usual;
        def.allocator = testAllocator(&memory);
        isOpen = PlanStream_Open(&stream, &def, &error);
        if (!isOpen)
            expectSentence(&error, "out of memory");
        PlanStream_Close(&stream);
        assert_int_equal(memory.liveCount, 0);
    }
    assert_true(failAt > 4);
    SequenceData_Release(&sequence);
    removeFolder(&folder);
}

// ---- round and round ----

static void loopsGoOnWithoutEnd(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(846), 0);
    TestFolder folder = makeFolder();
    TestPath path = pathIn(&folder, "a.pc2");
    for (size_t count = 1; count < 5; ++count) {
        SequenceData sequence = makeSequence(&rng, 5, count, true);
        writeSequence(&path, &sequence, true);
        PlanStream stream;
        const PlanStreamDef def = {.path = path.text, .secondsPerUnit = 1, .slotCount = 2, .loops = true};
        assert_true(PlanStream_Open(&stream, &def, NULL));
        const double step = count == 1 ? 1 : 0.5;
        float positions[15];
        for (size_t k = 0; k < 30; ++k) {
            const double now = -3 + step * (double)k;
            double reach;
            assert_true(PlanStream_Feed(&stream, now, now + step, &reach, NULL));
            assert_true(reach == now + step);
            ok(grzFlightplan_Evaluate(stream.plan, NULL, now, positions, 0));
            assert_memory_equal(positions, sequence.positions + k % count * 15, sizeof positions);
        }
        PlanStream_Close(&stream);
        SequenceData_Release(&sequence);
    }
    removeFolder(&folder);
}

// ---- real sequences ----

static void checkRealSequence(const char* cachePath) {
    char basePath[1200];
    snprintf(basePath, sizeof basePath, "%s", cachePath);
    strcpy(strrchr(basePath, '/'), "/base.obj");
    FileError error = {""};
    SequenceData sequence;
    MeshData base;
    if (!readSequence(cachePath, (grzAllocator){0}, &sequence, &error) ||
        !readMesh(basePath, (grzAllocator){0}, &base, &error))
        fail_msg("%s", error.text);
    const PlanStreamDef def = {.path = cachePath, .secondsPerUnit = 1.0 / 30, .slotCount = 3};
    const size_t most = 3000; // triangles: of larger meshes a piece
    Both both = makeBoth(&def, &sequence, base.indices, base.triangleCount < most ? base.triangleCount : most);
    const double begin = both.time, end = grzFlightplan_GetRange(both.whole).end;
    for (int k = 1; k <= 20; ++k)
        goTo(&both, fmin(begin + (end - begin) * k / 20, end));
    dropBoth(&both);
    SequenceData_Release(&sequence);
    MeshData_Release(&base);
}

static void realSequencesAreFollowed(void** state) {
    (void)state;
    testEachDataFile("seq/*/anim.pc2", checkRealSequence);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streamedAndWholePlansAreTheSame),
        cmocka_unit_test(onlyTheSlotsAreInMemory),
        cmocka_unit_test(oneMayGoOnAfterADamage),
        cmocka_unit_test(aBadFrameIsNamedWhenItIsNeeded),
        cmocka_unit_test(verticesCannotComeIntoAStream),
        cmocka_unit_test(badDefsAreRefused),
        cmocka_unit_test(loopsGoOnWithoutEnd),
        cmocka_unit_test(realSequencesAreFollowed),
    };
    return cmocka_run_group_tests_name("plan_stream", tests, NULL, NULL);
}
