// sequence_read.h: PC2 and MDD come back from their writers bit for bit, whole and by frames; each refusal with its
// sentence; refused memory at every request; the real caches of GRAZE_DATA where it is set.
#define _POSIX_C_SOURCE 200809L

#include "file_testing.h"

#include <math.h>

#include "mesh_read.h"
#include "mesh_write.h"
#include "sequence_read.h"

typedef bool Reader(const char* bytes, size_t size, const char* name, grzAllocator allocator, SequenceData* out,
                    FileError* error);

static SequenceData randomSequence(uint64_t* random, size_t vertexCount, size_t frameCount, float step) {
    SequenceData sequence;
    grzAllocator usual = {0};
    assert_true(grzResult_IsOk(SequenceData_Create(&sequence, usual, vertexCount, frameCount)));
    for (size_t i = 0; i < vertexCount * frameCount * 3; ++i)
        sequence.positions[i] = randomFloat(random);
    for (size_t i = 0; i < frameCount; ++i)
        sequence.times[i] = 3.0F + (float)i * step;
    return sequence;
}

static void assertSame(const SequenceData* a, const SequenceData* b) {
    assert_int_equal(a->vertexCount, b->vertexCount);
    assert_int_equal(a->frameCount, b->frameCount);
    assert_memory_equal(a->times, b->times, a->frameCount * sizeof(float));
    assert_memory_equal(a->positions, b->positions, a->frameCount * a->vertexCount * 3 * sizeof(float));
}

// Whole, and each frame alone, from the last to the first.
static void checkFile(const char* path, const SequenceData* expected) {
    grzAllocator usual = {0};
    FileError error = {""};
    SequenceData back;
    if (!readSequence(path, usual, &back, &error))
        fail_msg("%s", error.text);
    assertSame(expected, &back);
    SequenceData_Release(&back);

    TestMemory memory = {.failAt = SIZE_MAX};
    SequenceReader reader;
    if (!SequenceReader_Open(&reader, path, testAllocator(&memory), &error))
        fail_msg("%s", error.text);
    assert_int_equal(reader.header.frameCount, expected->frameCount);
    assert_int_equal(reader.header.vertexCount, expected->vertexCount);
    assert_memory_equal(reader.times, expected->times, expected->frameCount * sizeof(float));
    size_t count = expected->vertexCount * 3;
    float* frame = malloc(count * sizeof(float));
    assert_non_null(frame);
    for (size_t i = expected->frameCount; i-- > 0;) {
        assert_true(SequenceReader_ReadFrame(&reader, i, frame, &error));
        assert_memory_equal(frame, expected->positions + i * count, count * sizeof(float));
    }
    assert_false(SequenceReader_ReadFrame(&reader, expected->frameCount, frame, &error));
    assert_non_null(strstr(error.text, "has no frame"));
    free(frame);
    SequenceReader_Close(&reader);
    assert_int_equal(memory.liveCount, 0);
}

static void cachesComeBackBitForBit(void** state) {
    (void)state;
    uint64_t random = testSeed(41);
    TestFolder folder = makeFolder();
    TestPath path = pathIn(&folder, "cache");
    for (size_t frames = 1; frames < 40; frames += 12) {
        SequenceData sequence = randomSequence(&random, 50, frames, 0.1F);
        FileError error = {""};
        assert_true(writeMdd(path.text, &sequence, &error));
        checkFile(path.text, &sequence);
        for (size_t i = 0; i < frames; ++i)
            sequence.times[i] = 3.0F + (float)i * 0.25F;
        assert_true(writePc2(path.text, &sequence, &error));
        checkFile(path.text, &sequence);
        SequenceData_Release(&sequence);
    }
    assert_int_equal(countFiles(&folder), 1);
    removeFolder(&folder);
}

static void bytesAreAsTheFormatsSay(void** state) {
    (void)state;
    float positions[6] = {1, 2, 3, 4, 5, 6}, times[2] = {0.5F, 1};
    SequenceData sequence = {.positions = positions, .times = times, .vertexCount = 1, .frameCount = 2};
    ByteSink sink = {.allocator = grzDefaultAllocator()};
    putPc2(&sink, &sequence);
    static const char pc2[] = "POINTCACHE2\0\1\0\0\0\1\0\0\0\0\0\0\77\0\0\0\77\2\0\0\0"
                              "\0\0\200\77\0\0\0\100\0\0\100\100\0\0\200\100\0\0\240\100\0\0\300\100";
    assert_int_equal(sink.bytes.count, sizeof pc2 - 1);
    assert_memory_equal(sink.bytes.data, pc2, sizeof pc2 - 1);
    ByteSink_Release(&sink);
    sink.allocator = grzDefaultAllocator();
    putMdd(&sink, &sequence);
    static const char mdd[] = "\0\0\0\2\0\0\0\1\77\0\0\0\77\200\0\0"
                              "\77\200\0\0\100\0\0\0\100\100\0\0\100\200\0\0\100\240\0\0\100\300\0\0";
    assert_int_equal(sink.bytes.count, sizeof mdd - 1);
    assert_memory_equal(sink.bytes.data, mdd, sizeof mdd - 1);
    ByteSink_Release(&sink);
}

static void expectError(Reader* reader, const char* bytes, size_t size, const char* sentence) {
    TestMemory memory = {.failAt = SIZE_MAX};
    FileError error = {""};
    SequenceData sequence;
    memset(&sequence, 0x55, sizeof sequence);
    assert_false(reader(bytes, size, "test", testAllocator(&memory), &sequence, &error));
    assert_string_equal(error.text, sentence);
    assert_null(sequence.positions);
    assert_null(sequence.times);
    assert_int_equal(sequence.frameCount + sequence.vertexCount, 0);
    assert_int_equal(memory.liveCount, 0);
}

#define EXPECT_PC2_ERROR(bytes, sentence) expectError(readPc2, bytes, sizeof(bytes) - 1, sentence)
#define EXPECT_MDD_ERROR(bytes, sentence) expectError(readMdd, bytes, sizeof(bytes) - 1, sentence)
#define PC2_MARK                          "POINTCACHE2\0\1\0\0\0"
#define PC2_HEAD                          PC2_MARK "\1\0\0\0\0\0\0\0\0\0\200\77"
#define POINT                             "\0\0\0\0\0\0\0\0\0\0\0\0"

static void pc2ErrorsNameTheByte(void** state) {
    (void)state;
    EXPECT_PC2_ERROR("", "test: is empty");
    EXPECT_PC2_ERROR("POINTCACHE2", "test: byte 11: the file ends within its header");
    EXPECT_PC2_ERROR("POINTCACHE3\0\1\0\0\0................", "test: byte 0: does not begin with 'POINTCACHE2'");
    EXPECT_PC2_ERROR("POINTCACHE2\0\2\0\0\0................", "test: byte 12: version 2 is unknown");
    EXPECT_PC2_ERROR(PC2_MARK "\0\0\0\0............", "test: byte 16: the header promises 0 points");
    EXPECT_PC2_ERROR(PC2_HEAD "\377\377\377\377", "test: byte 28: the header promises -1 frames");
    EXPECT_PC2_ERROR(PC2_HEAD "\2\0\0\0" POINT, "test: byte 44: the file ends after 1 of 2 frames of 1 points");
    EXPECT_PC2_ERROR(PC2_MARK "\377\377\377\177\0\0\0\0\0\0\200\77\377\377\377\177" POINT,
                     "test: byte 44: the file ends after 0 of 2147483647 frames of 2147483647 points");
    EXPECT_PC2_ERROR(PC2_HEAD "\1\0\0\0" POINT "..", "test: byte 44: 2 bytes follow the last frame");
    EXPECT_PC2_ERROR(PC2_HEAD "\2\0\0\0" POINT "\0\0\0\0\0\0\300\177\0\0\0\0",
                     "test: byte 48: y of vertex 0 in frame 1 is not finite");
    EXPECT_PC2_ERROR(PC2_MARK "\1\0\0\0\0\0\200\177\0\0\200\77\1\0\0\0" POINT,
                     "test: byte 20: the time of frame 0 is not finite");
    EXPECT_PC2_ERROR(PC2_MARK "\1\0\0\0\0\0\0\0\0\0\0\0\2\0\0\0" POINT POINT,
                     "test: byte 20: the time of frame 1 is not above that of the frame before");
}

static void mddErrorsNameTheByte(void** state) {
    (void)state;
    EXPECT_MDD_ERROR("", "test: is empty");
    EXPECT_MDD_ERROR("\0\0\0\1\0\0\0", "test: byte 7: the file ends within its header");
    EXPECT_MDD_ERROR("\0\0\0\0\0\0\0\1", "test: byte 0: the header promises 0 frames");
    EXPECT_MDD_ERROR("\0\0\0\1\200\0\0\0", "test: byte 4: the header promises -2147483648 points");
    EXPECT_MDD_ERROR("\177\377\377\377\0\0\0\1",
                     "test: byte 8: the file ends after 0 of 2147483647 frames of 1 points");
    EXPECT_MDD_ERROR("\0\0\0\1\0\0\0\1\0\0\0\0" POINT ".", "test: byte 24: 1 bytes follow the last frame");
    EXPECT_MDD_ERROR("\0\0\0\2\0\0\0\1\0\0\0\0\200\0\0\0" POINT POINT,
                     "test: byte 12: the time of frame 1 is not above that of the frame before");
    EXPECT_MDD_ERROR("\0\0\0\2\0\0\0\1\0\0\0\0\177\300\0\0" POINT POINT,
                     "test: byte 12: the time of frame 1 is not finite");
    EXPECT_MDD_ERROR("\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\377\200\0\0",
                     "test: byte 20: z of vertex 0 in frame 0 is not finite");
}

static void expectOpenError(const char* path, const char* sentence) {
    grzAllocator usual = {0};
    FileError error = {""};
    SequenceReader reader, zeros;
    memset(&zeros, 0, sizeof zeros);
    assert_false(SequenceReader_Open(&reader, path, usual, &error));
    assert_memory_equal(&reader, &zeros, sizeof zeros);
    if (strstr(error.text, sentence) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, sentence);
}

static void filesThatCannotBeStreamedAreNamed(void** state) {
    (void)state;
    TestFolder folder = makeFolder();
    TestPath path = pathIn(&folder, "a.pc2");
    static const char whole[] = PC2_HEAD "\2\0\0\0" POINT POINT;
    expectOpenError(path.text, "a.pc2: cannot be opened: No such file or directory");
    expectOpenError(folder.path, "is a directory");
    expectOpenError("/dev/null", "/dev/null: is no ordinary file");
    writeBytes(path.text, "", 0);
    expectOpenError(path.text, "a.pc2: is empty");
    writeBytes(path.text, whole, sizeof whole - 2);
    expectOpenError(path.text, "a.pc2: byte 55: the file ends after 1 of 2 frames");

    grzAllocator usual = {0};
    FileError error = {""};
    SequenceReader reader;
    float frame[3];
    writeBytes(path.text, whole, sizeof whole - 1);
    assert_true(SequenceReader_Open(&reader, path.text, usual, &error));
    writeBytes(path.text, whole, sizeof whole - 5);
    assert_true(SequenceReader_ReadFrame(&reader, 0, frame, &error));
    assert_false(SequenceReader_ReadFrame(&reader, 1, frame, &error));
    assert_non_null(strstr(error.text, "a.pc2: byte 52: the file has become shorter"));
    SequenceReader_Close(&reader);

    writeBytes(path.text, PC2_HEAD "\1\0\0\0\0\0\0\0\0\0\0\0\0\0\300\177", 44);
    assert_true(SequenceReader_Open(&reader, path.text, usual, &error));
    assert_false(SequenceReader_ReadFrame(&reader, 0, frame, &error));
    assert_non_null(strstr(error.text, "a.pc2: byte 40: z of vertex 0 in frame 0 is not finite"));
    SequenceReader_Close(&reader);
    removeFolder(&folder);
}

static void refusedMemoryLeavesNothing(void** state) {
    (void)state;
    TestFolder folder = makeFolder();
    TestPath path = pathIn(&folder, "a.mdd");
    uint64_t random = testSeed(42);
    SequenceData sequence = randomSequence(&random, 5, 4, 1);
    assert_true(writeMdd(path.text, &sequence, NULL));
    SequenceData_Release(&sequence);
    for (int whole = 0; whole < 2; ++whole) {
        size_t failAt = 0;
        for (bool isRead = false; !isRead; ++failAt) {
            TestMemory memory = {.failAt = failAt};
            FileError error = {""};
            SequenceReader reader;
            memset(&reader, 0, sizeof reader);
            isRead = whole != 0 ? readSequence(path.text, testAllocator(&memory), &sequence, &error)
                                : SequenceReader_Open(&reader, path.text, testAllocator(&memory), &error);
            if (!isRead)
                assert_non_null(strstr(error.text, "a.mdd: out of memory"));
            SequenceReader_Close(&reader);
            SequenceData_Release(&sequence);
            assert_int_equal(memory.liveCount, 0);
        }
        assert_true(failAt > 2);
    }
    removeFolder(&folder);
}

static void whatTheFormatsCannotHoldIsNotWritten(void** state) {
    (void)state;
    uint64_t random = testSeed(43);
    SequenceData sequence = randomSequence(&random, 2, 3, 1);
    sequence.times[2] = 5.5F;
    TestFolder folder = makeFolder();
    TestPath path = pathIn(&folder, "a.pc2");
    FileError error = {""};
    assert_false(writePc2(path.text, &sequence, &error));
    assert_non_null(
        strstr(error.text, "a.pc2: cannot be written: PC2 needs even times, and that of frame 2 is not"));
    sequence.positions[10] = INFINITY;
    assert_false(writeMdd(path.text, &sequence, &error));
    assert_non_null(strstr(error.text, "a.pc2: cannot be written: vertex 1 in frame 1 is not finite"));
    SequenceData none = {.frameCount = 0};
    assert_false(writeMdd(path.text, &none, &error));
    assert_non_null(strstr(error.text, "a.pc2: cannot be written: the sequence is empty"));
    assert_int_equal(countFiles(&folder), 0);
    SequenceData_Release(&sequence);
    removeFolder(&folder);
}

// Frame 0 is the base mesh, to the bit once that is rounded to float.
static void checkRealSequence(const char* cachePath) {
    char basePath[1200];
    snprintf(basePath, sizeof basePath, "%s", cachePath);
    strcpy(strrchr(basePath, '/'), "/base.obj");
    grzAllocator usual = {0};
    FileError error = {""};
    SequenceData sequence;
    MeshData base;
    if (!readSequence(cachePath, usual, &sequence, &error) || !readMesh(basePath, usual, &base, &error))
        fail_msg("%s", error.text);
    assert_int_equal(sequence.vertexCount, base.vertexCount);
    for (size_t i = 0; i < base.vertexCount * 3; ++i)
        assert_true((float)((double*)base.positions)[i] == sequence.positions[i]);
    checkFile(cachePath, &sequence);
    SequenceData_Release(&sequence);
    MeshData_Release(&base);
}

static void realCachesAreRead(void** state) {
    (void)state;
    testEachDataFile("seq/*/anim.pc2", checkRealSequence);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cachesComeBackBitForBit),
        cmocka_unit_test(bytesAreAsTheFormatsSay),
        cmocka_unit_test(pc2ErrorsNameTheByte),
        cmocka_unit_test(mddErrorsNameTheByte),
        cmocka_unit_test(filesThatCannotBeStreamedAreNamed),
        cmocka_unit_test(refusedMemoryLeavesNothing),
        cmocka_unit_test(whatTheFormatsCannotHoldIsNotWritten),
        cmocka_unit_test(realCachesAreRead),
    };
    return cmocka_run_group_tests_name("sequence_read", tests, NULL, NULL);
}
