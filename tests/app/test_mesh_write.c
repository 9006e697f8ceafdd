// mesh_write.h and byte_sink.h: what is written comes back bit for bit in every form; a write that fails leaves
// nothing new and what was there before.
#define _XOPEN_SOURCE 700

#include "file_testing.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mesh_read.h"
#include "mesh_write.h"

static MeshData readBack(const char* path) {
    grzAllocator usual = {0};
    FileError error = {""};
    MeshData mesh;
    if (!readMesh(path, usual, &mesh, &error))
        fail_msg("%s", error.text);
    return mesh;
}

static void plyComesBackBitForBit(void** state) {
    (void)state;
    uint64_t random = testSeed(31);
    TestFolder folder = makeFolder();
    TestPath path = pathIn(&folder, "mesh.ply");
    FileError error = {""};
    for (int i = 0; i < 6; ++i) {
        MeshData mesh = randomMesh(&random, i % 2 == 0, 700, 900);
        assert_true(writePly(path.text, &mesh, (PlyForm)(i / 2), &error));
        MeshData back = readBack(path.text);
        assertSameMesh(&mesh, &back);
        MeshData_Release(&back);
        MeshData_Release(&mesh);
    }
    assert_int_equal(countFiles(&folder), 1);
    removeFolder(&folder);
}

static void objOfDoublesComesBackBitForBit(void** state) {
    (void)state;
    uint64_t random = testSeed(32);
    TestFolder folder = makeFolder();
    TestPath path = pathIn(&folder, "mesh.obj");
    MeshData mesh = randomMesh(&random, true, 700, 900);
    assert_true(writeMesh(path.text, &mesh, NULL));
    MeshData back = readBack(path.text);
    assertSameMesh(&mesh, &back);
    MeshData_Release(&back);
    MeshData_Release(&mesh);
    removeFolder(&folder);
}

static void objOfFloatsRoundsBackToThem(void** state) {
    (void)state;
    uint64_t random = testSeed(33);
    TestFolder folder = makeFolder();
    TestPath path = pathIn(&folder, "mesh.obj");
    MeshData mesh = randomMesh(&random, false, 700, 1);
    assert_true(writeMesh(path.text, &mesh, NULL));
    MeshData back = readBack(path.text);
    assert_int_equal(back.vertexCount, mesh.vertexCount);
    for (size_t i = 0; i < 2100; ++i) {
        float rounded = (float)((double*)back.positions)[i];
        assert_memory_equal(&rounded, (float*)mesh.positions + i, sizeof rounded);
    }
    MeshData_Release(&back);
    MeshData_Release(&mesh);
    removeFolder(&folder);
}

static void textIsWhatOneWouldWrite(void** state) {
    (void)state;
    float positions[9] = {0, 0.1F, -2.5F, 1e20F, 1, 2, 3, 4, 5};
    uint32_t indices[3] = {0, 1, 2};
    MeshData mesh = {.positions = positions, .indices = indices, .vertexCount = 3, .triangleCount = 1};
    ByteSink sink = {.allocator = grzDefaultAllocator()};
    putObj(&sink, &mesh);
    ByteSink_Put(&sink, "", 1);
    assert_string_equal(sink.bytes.data, "v 0 0.1 -2.5\nv 1e20 1 2\nv 3 4 5\nf 1 2 3\n");
    ByteSink_Release(&sink);
    sink.allocator = grzDefaultAllocator();
    putPly(&sink, &mesh, ply_text);
    ByteSink_Put(&sink, "", 1);
    assert_string_equal(
        sink.bytes.data,
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
        "element face 1\nproperty list uchar uint vertex_indices\nend_header\n"
        "0 0.1 -2.5\n1e20 1 2\n3 4 5\n3 0 1 2\n");
    ByteSink_Release(&sink);
}

static void bytesAreOrderedAsAsked(void** state) {
    (void)state;
    ByteSink sink = {.allocator = grzDefaultAllocator()};
    ByteSink_PutLittle(&sink, 0x0102030405060708, 8);
    ByteSink_PutBig(&sink, 0x0102030405060708, 8);
    ByteSink_PutLittle(&sink, 0x0102, 2);
    ByteSink_PutBig(&sink, 0x010203, 2);
    static const char expected[] = "\10\7\6\5\4\3\2\1\1\2\3\4\5\6\7\10\2\1\2\3";
    assert_int_equal(sink.bytes.count, sizeof expected - 1);
    assert_memory_equal(sink.bytes.data, expected, sizeof expected - 1);
    ByteSink_Release(&sink);
}

static MeshData smallMesh(const grzAllocator* allocator) {
    static float positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static uint32_t indices[3] = {0, 1, 2};
    MeshData mesh = {.positions = positions, .indices = indices, .vertexCount = 3, .triangleCount = 1};
    if (allocator != NULL)
        mesh.allocator = *allocator;
    return mesh;
}

static void expectError(const char* path, const char* sentence) {
    MeshData mesh = smallMesh(NULL);
    FileError error = {""};
    assert_false(writeMesh(path, &mesh, &error));
    if (strstr(error.text, sentence) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, sentence);
    assert_false(writeMesh(path, &mesh, NULL));
}

static void refusalsAreNamed(void** state) {
    (void)state;
    TestFolder folder = makeFolder();
    TestPath path = pathIn(&folder, "mesh.stl");
    expectError(path.text, "mesh.stl: cannot be written: meshes are written as .ply or .obj");
    path = pathIn(&folder, "missing/mesh.obj");
    expectError(path.text, "mesh.obj: cannot be written: No such file or directory");
    path = pathIn(&folder, "folder.ply");
    assert_int_equal(mkdir(path.text, 0700), 0);
    expectError(path.text, "folder.ply: cannot be written: Is a directory");
    path = pathIn(&folder, "mesh.obj");
    MeshData mesh = smallMesh(NULL);
    float positions[9] = {0, 0, 0, 0, 0, NAN};
    mesh.positions = positions;
    FileError error = {""};
    assert_false(writeMesh(path.text, &mesh, &error));
    assert_non_null(strstr(error.text, "mesh.obj: cannot be written: z of vertex 1 is not finite"));
    char endless[6000];
    memset(endless, 'x', sizeof endless);
    strcpy(endless + sizeof endless - 5, ".ply");
    expectError(endless, "xxx.ply: cannot be written: File name too long");
    assert_int_equal(countFiles(&folder), 1);
    removeFolder(&folder);
}

// /dev/full takes a buffer and then has no room, as a full disk does.
static void aFullDiskIsNoticed(void** state) {
    (void)state;
    if (access("/dev/full", W_OK) != 0) {
        print_message("there is no /dev/full\n");
        skip();
    }
    MeshData mesh = smallMesh(NULL);
    FileError error = {""};
    assert_false(writeObj("/dev/full", &mesh, &error));
    assert_string_equal(error.text, "/dev/full: cannot be written: No space left on device");
    uint64_t random = testSeed(34);
    MeshData large = randomMesh(&random, true, 30000, 1); // more than one buffer
    assert_false(writePly("/dev/full", &large, ply_littleEndian, &error));
    assert_string_equal(error.text, "/dev/full: cannot be written: No space left on device");
    MeshData_Release(&large);
    assert_int_equal(access("/dev/full", W_OK), 0);
}

static void devicesAreWrittenInPlace(void** state) {
    (void)state;
    MeshData mesh = smallMesh(NULL);
    FileError error = {""};
    assert_true(writeObj("/dev/null", &mesh, &error));
    struct stat status;
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
}

static void aFailedWriteLeavesTheOldFile(void** state) {
    (void)state;
    TestFolder folder = makeFolder();
    TestPath path = pathIn(&folder, "mesh.obj");
    writeBytes(path.text, "v 7 8 9\n", 8);
    size_t failAt = 0;
    for (bool isWritten = false; !isWritten; ++failAt) {
        TestMemory memory = {.failAt = failAt};
        grzAllocator allocator = testAllocator(&memory);
        MeshData mesh = smallMesh(&allocator);
        FileError error = {""};
        isWritten = writeMesh(path.text, &mesh, &error);
        assert_int_equal(memory.liveCount, 0);
        assert_int_equal(countFiles(&folder), 1);
        MeshData back = readBack(path.text);
        assert_int_equal(back.vertexCount, isWritten ? 3 : 1);
        MeshData_Release(&back);
        if (!isWritten)
            assert_non_null(strstr(error.text, "mesh.obj: out of memory"));
    }
    assert_true(failAt > 1);
    removeFolder(&folder);
}

static mode_t modeOf(const char* path) {
    struct stat status;
    assert_int_equal(lstat(path, &status), 0);
    return status.st_mode;
}

static void theOldFilesModeIsKept(void** state) {
    (void)state;
    static const mode_t modes[] = {0600, 0640, 0666, 0755};
    TestFolder folder = makeFolder();
    TestPath path = pathIn(&folder, "mesh.obj");
    MeshData mesh = smallMesh(NULL);
    mode_t mask = umask(027);
    assert_true(writeMesh(path.text, &mesh, NULL));
    assert_int_equal(modeOf(path.text) & 0777, 0640);
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(chmod(path.text, modes[i]), 0);
        assert_true(writeMesh(path.text, &mesh, NULL));
        assert_int_equal(modeOf(path.text) & 0777, modes[i]);
    }
    umask(mask);
    assert_int_equal(chmod(path.text, 0400), 0);
    if (access(path.text, W_OK) != 0) // not so for the superuser
        expectError(path.text, "mesh.obj: cannot be written: Permission denied");
    assert_int_equal(countFiles(&folder), 1);
    removeFolder(&folder);
}

static void symbolicLinksStay(void** state) {
    (void)state;
    TestFolder folder = makeFolder();
    TestPath real = pathIn(&folder, "real.data"), link = pathIn(&folder, "link.ply");
    TestPath chain = pathIn(&folder, "chain.ply"), ring = pathIn(&folder, "ring.ply");
    writeBytes(real.text, "", 0);
    assert_int_equal(symlink("real.data", link.text), 0);
    assert_int_equal(symlink(link.text, chain.text), 0);
    assert_int_equal(symlink("ring.ply", ring.text), 0);
    MeshData mesh = smallMesh(NULL);
    assert_true(writeMesh(chain.text, &mesh, NULL));
    assert_true(S_ISLNK(modeOf(chain.text)) && S_ISLNK(modeOf(link.text)) && S_ISREG(modeOf(real.text)));
    MeshData back = readBack(link.text);
    assertSameMesh(&mesh, &back);
    MeshData_Release(&back);
    assert_int_equal(remove(real.text), 0);
    expectError(chain.text, "chain.ply: cannot be written: it is a symbolic link to nothing");
    expectError(ring.text, "ring.ply: cannot be written: Too many levels of symbolic links");
    assert_int_equal(countFiles(&folder), 3);
    removeFolder(&folder);
}

static void theLongestNameIsWritten(void** state) {
    (void)state;
    TestFolder folder = makeFolder();
    char name[256];
    memset(name, 'x', sizeof name);
    strcpy(name + 251, ".ply");
    TestPath path = pathIn(&folder, name);
    MeshData mesh = smallMesh(NULL);
    assert_true(writeMesh(path.text, &mesh, NULL));
    assert_true(writeMesh(path.text, &mesh, NULL));
    assert_int_equal(countFiles(&folder), 1);
    assert_int_equal(access(path.text, F_OK), 0);
    removeFolder(&folder);
}

static void anUncommittedFileVanishes(void** state) {
    (void)state;
    TestFolder folder = makeFolder();
    TestPath path = pathIn(&folder, "mesh.obj");
    grzAllocator usual = {0};
    ByteSink sink;
    assert_true(ByteSink_Open(&sink, path.text, usual, NULL));
    ByteSink_PutText(&sink, "half");
    assert_int_equal(countFiles(&folder), 1);
    assert_int_equal(access(path.text, F_OK), -1);
    ByteSink_Release(&sink);
    assert_int_equal(countFiles(&folder), 0);
    removeFolder(&folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plyComesBackBitForBit),
        cmocka_unit_test(objOfDoublesComesBackBitForBit),
        cmocka_unit_test(objOfFloatsRoundsBackToThem),
        cmocka_unit_test(textIsWhatOneWouldWrite),
        cmocka_unit_test(bytesAreOrderedAsAsked),
        cmocka_unit_test(refusalsAreNamed),
        cmocka_unit_test(aFullDiskIsNoticed),
        cmocka_unit_test(devicesAreWrittenInPlace),
        cmocka_unit_test(aFailedWriteLeavesTheOldFile),
        cmocka_unit_test(theOldFilesModeIsKept),
        cmocka_unit_test(symbolicLinksStay),
        cmocka_unit_test(theLongestNameIsWritten),
        cmocka_unit_test(anUncommittedFileVanishes),
    };
    return cmocka_run_group_tests_name("mesh_write", tests, NULL, NULL);
}
