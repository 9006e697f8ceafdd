// mesh_assimp.h: other formats come in with their nodes' transforms, welded, without lines and points; polygons are
// fans; names that Assimp does not know, and pipes, are refused; without Assimp the sentence says how to get it.
#define _POSIX_C_SOURCE 200809L

#include "file_testing.h"

#include <sys/stat.h>

#include "mesh_read.h"

// A cube's side from STL repeats each corner.
static const char stl[] =
    "solid s\n"
    "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nendloop\nendfacet\n"
    "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 1 0\nvertex 0 1 0\nendloop\nendfacet\n"
    "endsolid s\n";

// One triangle and one line shown three times: moved, mirrored below a moved parent, and as it is.
static const char gltf[] =
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0,1,3]}],"
    "\"nodes\":[{\"mesh\":0,\"translation\":[10,0,0]},{\"translation\":[0,20,0],\"children\":[2]},"
    "{\"mesh\":0,\"scale\":[-1,1,1]},{\"mesh\":1}],"
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]},"
    "{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":3}]}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":"
    "[1,2,0]}],"
    "\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,\"byteLength\":36}],"
    "\"buffers\":[{\"byteLength\":36,\"uri\":\"data:application/octet-stream;base64,"
    "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAAEAAAAAA\"}]}";

typedef struct Heard {
    int count;
    char text[512];
} Heard;

static void hear(void* context, grzLogLevel level, const char* text) {
    Heard* heard = context;
    heard->count += level == grz_logWarning;
    snprintf(heard->text, sizeof heard->text, "%s", text);
}

// Skips the test where this build has no Assimp, after a look at the sentence.
static MeshData readOther(const TestFolder* folder, const char* name, const char* text) {
    TestPath path = pathIn(folder, name);
    writeBytes(path.text, text, strlen(text));
    FileError error = {""};
    grzAllocator usual = {0};
    MeshData mesh;
    if (readMesh(path.text, usual, &mesh, &error))
        return mesh;
    removeFolder(folder);
    assertEmptyMesh(&mesh);
    if (strstr(error.text, "install Assimp (Debian: libassimp-dev)") == NULL)
        fail_msg("%s", error.text);
    print_message("built without Assimp\n");
    skip();
    return mesh;
}

static void stlIsWelded(void** state) {
    (void)state;
    TestFolder folder = makeFolder();
    MeshData mesh = readOther(&folder, "square.stl", stl);
    const float positions[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    const uint32_t indices[6] = {0, 1, 2, 0, 2, 3};
    assert_false(mesh.isDouble);
    assert_int_equal(mesh.vertexCount, 4);
    assert_int_equal(mesh.triangleCount, 2);
    assert_memory_equal(mesh.positions, positions, sizeof positions);
    assert_memory_equal(mesh.indices, indices, sizeof indices);
    MeshData_Release(&mesh);
    removeFolder(&folder);
}

static void hasTriangle(const MeshData* mesh, const float corners[9]) {
    const float* positions = mesh->positions;
    for (size_t i = 0; i < mesh->triangleCount; ++i)
        for (int turn = 0; turn < 3; ++turn) {
            bool isSame = true;
            for (int number = 0; number < 9; ++number) {
                uint32_t vertex = mesh->indices[i * 3 + (size_t)((number / 3 + turn) % 3)];
                isSame = isSame && positions[vertex * 3 + (uint32_t)(number % 3)] == corners[number];
            }
            if (isSame)
                return;
        }
    fail_msg("no triangle begins at %g %g %g", (double)corners[0], (double)corners[1], (double)corners[2]);
}

static void nodesPlaceTheirMeshes(void** state) {
    (void)state;
    TestFolder folder = makeFolder();
    Heard heard = {0};
    grzSetLogHook(hear, &heard);
    MeshData mesh = readOther(&folder, "scene.gltf", gltf);
    grzSetLogHook(NULL, NULL);
    const float moved[9] = {10, 0, 0, 11, 0, 0, 10, 2, 0};
    const float mirrored[9] = {0, 20, 0, 0, 22, 0, -1, 20, 0}; // turned, so that it faces up as the other does
    assert_int_equal(mesh.triangleCount, 2);
    hasTriangle(&mesh, moved);
    hasTriangle(&mesh, mirrored);
    assert_int_equal(heard.count, 1);
    assert_non_null(strstr(heard.text, "scene.gltf: skipped 2 points and lines"));
    MeshData_Release(&mesh);
    removeFolder(&folder);
}

static void refusedMemoryLeavesNothing(void** state) {
    (void)state;
    TestFolder folder = makeFolder();
    MeshData mesh = readOther(&folder, "square.stl", stl);
    MeshData_Release(&mesh);
    TestPath path = pathIn(&folder, "square.stl");
    size_t failAt = 0;
    for (bool isRead = false; !isRead; ++failAt) {
        TestMemory memory = {.failAt = failAt};
        FileError error = {""};
        isRead = readMesh(path.text, testAllocator(&memory), &mesh, &error);
        if (!isRead)
            assert_non_null(strstr(error.text, "square.stl: out of memory"));
        MeshData_Release(&mesh);
        assert_int_equal(memory.liveCount, 0);
    }
    assert_true(failAt > 5);
    removeFolder(&folder);
}

// One polygon, with a bay; more than nine corners are too many for Assimp's reader.
static char* makeOff(unsigned corners) {
    char* text = malloc(64 + (size_t)corners * 48);
    assert_non_null(text);
    size_t used = (size_t)sprintf(text, "OFF\n%u 1 0\n", corners);
    for (unsigned i = 0; i < corners; ++i) {
        unsigned half = corners / 2, x = i < half ? i : corners - i;
        used += (size_t)sprintf(text + used, "%u %d 0\n", x, i < half ? -(int)x : (int)x + 1);
    }
    used += (size_t)sprintf(text + used, "%u", corners);
    for (unsigned i = 0; i < corners; ++i)
        used += (size_t)sprintf(text + used, " %u", i);
    sprintf(text + used, "\n");
    return text;
}

static void polygonsAreFans(void** state) {
    (void)state;
    static const unsigned sizes[] = {3, 4, 5, 9};
    for (int i = 0; i < 4; ++i) {
        TestFolder folder = makeFolder();
        char* text = makeOff(sizes[i]);
        MeshData mesh = readOther(&folder, "polygon.off", text);
        free(text);
        assert_int_equal(mesh.vertexCount, sizes[i]);
        assert_int_equal(mesh.triangleCount, sizes[i] - 2);
        for (uint32_t k = 0; k < sizes[i] - 2; ++k) {
            assert_int_equal(mesh.indices[k * 3], 0);
            assert_int_equal(mesh.indices[k * 3 + 1], k + 1);
            assert_int_equal(mesh.indices[k * 3 + 2], k + 2);
        }
        MeshData_Release(&mesh);
        removeFolder(&folder);
    }
}

static void expectRefusal(const char* path, const char* sentence) {
    grzAllocator usual = {0};
    FileError error = {""};
    MeshData mesh;
    assert_false(readMesh(path, usual, &mesh, &error));
    assertEmptyMesh(&mesh);
    if (strstr(error.text, sentence) == NULL &&
        strstr(error.text, "install Assimp (Debian: libassimp-dev)") == NULL)
        fail_msg("'%s' does not say '%s'", error.text, sentence);
}

// Left to itself Assimp looks into the file and reads what the name does not promise.
static void theNameSaysWhoReads(void** state) {
    (void)state;
    static const char obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    static const char* const names[] = {"mesh.txt", "mesh", "mesh.", "mesh.obj.bak", "obj", ".obj.txt"};
    TestFolder folder = makeFolder();
    for (int i = 0; i < 6; ++i) {
        TestPath path = pathIn(&folder, names[i]);
        writeBytes(path.text, obj, strlen(obj));
        expectRefusal(path.text, "is neither OBJ nor PLY, and Assimp knows no other format by this name");
    }
    TestPath path = pathIn(&folder, "mesh.ply");
    writeBytes(path.text, obj, strlen(obj));
    expectRefusal(path.text, "mesh.ply:1: does not begin with 'ply'");
    removeFolder(&folder);
}

// Nobody writes into this pipe: whoever opens it waits for ever.
static void aPipeIsNotForAssimp(void** state) {
    (void)state;
    TestFolder folder = makeFolder();
    MeshData mesh = readOther(&folder, "square.stl", stl);
    MeshData_Release(&mesh);
    TestPath path = pathIn(&folder, "pipe.STL");
    assert_int_equal(mkfifo(path.text, 0600), 0);
    expectRefusal(path.text, "pipe.STL: is no ordinary file, and Assimp reads no other");
    path = pathIn(&folder, "none.stl");
    expectRefusal(path.text, "none.stl: cannot be opened: No such file or directory");
    removeFolder(&folder);
}

static void whatNobodyReadsIsRefused(void** state) {
    (void)state;
    TestFolder folder = makeFolder();
    static const char* const names[] = {"text.xyz", "text.stl", "noending"};
    for (int i = 0; i < 3; ++i) {
        TestPath path = pathIn(&folder, names[i]);
        writeBytes(path.text, "nothing\n", 8);
        grzAllocator usual = {0};
        FileError error = {""};
        MeshData mesh;
        assert_false(readMesh(path.text, usual, &mesh, &error));
        assertEmptyMesh(&mesh);
        assert_non_null(strstr(error.text, names[i]));
        assert_non_null(strstr(error.text, "Assimp"));
    }
    removeFolder(&folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stlIsWelded),
        cmocka_unit_test(nodesPlaceTheirMeshes),
        cmocka_unit_test(refusedMemoryLeavesNothing),
        cmocka_unit_test(polygonsAreFans),
        cmocka_unit_test(theNameSaysWhoReads),
        cmocka_unit_test(aPipeIsNotForAssimp),
        cmocka_unit_test(whatNobodyReadsIsRefused),
    };
    return cmocka_run_group_tests_name("mesh_assimp", tests, NULL, NULL);
}
