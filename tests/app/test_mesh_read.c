// mesh_read.h: OBJ and PLY in all their forms, each refusal with its sentence, refused memory at every request, and
// the real files of GRAZE_DATA where it is set.
#define _POSIX_C_SOURCE 200809L

#include "file_testing.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mesh_read.h"

typedef bool Reader(const char* bytes, size_t size, const char* name, grzAllocator allocator, MeshData* out,
                    FileError* error);

static MeshData readGood(Reader* reader, const char* bytes, size_t size) {
    grzAllocator usual = {0};
    FileError error = {""};
    MeshData mesh;
    if (!reader(bytes, size, "test", usual, &mesh, &error))
        fail_msg("%s", error.text);
    return mesh;
}

// The text must be read as these positions and corners.
static void expectMesh(Reader* reader, const char* bytes, size_t size, const double* positions, size_t vertexCount,
                       const uint32_t* indices, size_t triangleCount) {
    MeshData mesh = readGood(reader, bytes, size);
    assert_int_equal(mesh.vertexCount, vertexCount);
    assert_int_equal(mesh.triangleCount, triangleCount);
    for (size_t i = 0; i < vertexCount * 3; ++i) {
        double number = mesh.isDouble ? ((double*)mesh.positions)[i] : (double)((float*)mesh.positions)[i];
        assert_true(number == positions[i]);
    }
    if (triangleCount != 0)
        assert_memory_equal(mesh.indices, indices, triangleCount * 3 * sizeof(uint32_t));
    MeshData_Release(&mesh);
}

static void expectError(Reader* reader, const char* bytes, size_t size, const char* sentence) {
    grzAllocator usual = {0};
    FileError error = {""};
    MeshData mesh;
    memset(&mesh, 0x55, sizeof mesh);
    assert_false(reader(bytes, size, "test", usual, &mesh, &error));
    assert_string_equal(error.text, sentence);
    assertEmptyMesh(&mesh);
    assert_false(reader(bytes, size, "test", usual, &mesh, NULL));
}

#define EXPECT_OBJ_ERROR(text, sentence) expectError(readObj, text, sizeof(text) - 1, sentence)
#define EXPECT_PLY_ERROR(text, sentence) expectError(readPly, text, sizeof(text) - 1, sentence)

static const double square[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
static const uint32_t squareFan[6] = {0, 1, 2, 0, 2, 3};
#define OBJ_SQUARE          "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
#define EXPECT_SQUARE(text) expectMesh(readObj, text, sizeof(text) - 1, square, 4, squareFan, 2)

static void objFacesOfAllFormsAreRead(void** state) {
    (void)state;
    EXPECT_SQUARE(OBJ_SQUARE "f 1 2 3 4\n");
    EXPECT_SQUARE(OBJ_SQUARE "f 1/1 2/2 3/3 4/4\n");
    EXPECT_SQUARE(OBJ_SQUARE "f 1//1 2//2 3//3 4//4\n");
    EXPECT_SQUARE(OBJ_SQUARE "f 1/7/1 2/8/2 3/9/-3 4/1/\n");
    EXPECT_SQUARE(OBJ_SQUARE "f -4 -3 -2 -1\n");
    EXPECT_SQUARE("v 0 0 0\nv 1 0 0\nv 1 1 0\nf -3 -2 -1\nv 0 1 0\nf -4 -2 -1");
    EXPECT_SQUARE(OBJ_SQUARE "fo 1 2 3 4\n");
}

static void objLinesOfAllFormsAreRead(void** state) {
    (void)state;
    EXPECT_SQUARE("v 0 0 0\r\nv 1 0 0\r\nv 1 1 0\r\nv 0 1 0\r\nf 1 2 3 4\r\n");
    EXPECT_SQUARE("v 0 0 0\rv 1 0 0\rv 1 1 0\rv 0 1 0\rf 1 2 3 4");
    EXPECT_SQUARE("# a comment\\\nv 0 0 0 # another\nv 1 0 0#\n\n  \t\nv\t1 1\t0\n   v 0 1 0   \nf 1 2 3 4#5");
    EXPECT_SQUARE("v 0\\\n0 \\\r\n 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2\\\n 3 \\\n\\\n4\nusemtl a\\\nf 1 2\n");
    EXPECT_SQUARE("\xEF\xBB\xBFv 0 0 0 1\nv 1 0 0 0.5 0.5 0.5\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n");
    EXPECT_SQUARE("mtllib a.mtl\no x\ng y\ns off\nvn 0 0 1\nvt 0 0\nvp 1\n" OBJ_SQUARE
                  "usemtl m\nl 1 2\np 1\nf 1 2 3 4\nvertex 1\nface 1\nfx 0\n");
    EXPECT_SQUARE(OBJ_SQUARE "\\\nf 1 2 3 4\\");
}

static void objNumbersStayDouble(void** state) {
    (void)state;
    static const char text[] = "v 0.1 1e-3 12345678901234567890\nv -0 1.7976931348623157e308 5e-324\n";
    const double expected[6] = {0.1, 1e-3, 12345678901234567890.0, -0.0, 1.7976931348623157e308, 5e-324};
    MeshData mesh = readGood(readObj, text, sizeof text - 1);
    assert_true(mesh.isDouble);
    assert_int_equal(mesh.triangleCount, 0);
    assert_memory_equal(mesh.positions, expected, sizeof expected);
    MeshData_Release(&mesh);
}

static void objLinesMayHaveAnyLength(void** state) {
    (void)state;
    enum { corners = 100000 };
    size_t capacity = 200000 + corners * 12, used = 0;
    char* text = malloc(capacity);
    assert_non_null(text);
    memset(text, ' ', 150000);
    text[0] = '#';
    text[150000] = '\n';
    used = 150001;
    used += (size_t)sprintf(text + used, OBJ_SQUARE "f");
    for (int i = 0; i < corners; ++i)
        used += (size_t)sprintf(text + used, " %d/1/1", i % 4 + 1);
    MeshData mesh = readGood(readObj, text, used);
    assert_int_equal(mesh.triangleCount, corners - 2);
    for (uint32_t i = 0; i < corners - 2; ++i) {
        assert_int_equal(mesh.indices[i * 3], 0);
        assert_int_equal(mesh.indices[i * 3 + 1], (i + 1) % 4);
        assert_int_equal(mesh.indices[i * 3 + 2], (i + 2) % 4);
    }
    MeshData_Release(&mesh);
    free(text);
}

static void objErrorsNameTheLine(void** state) {
    (void)state;
    EXPECT_OBJ_ERROR("", "test: is empty");
    EXPECT_OBJ_ERROR("# nothing\n", "test: holds no vertices");
    EXPECT_OBJ_ERROR("v 1 2\n", "test:1: vertex 1 has no z");
    EXPECT_OBJ_ERROR("v 0 0 0\nv # 1 2 3\n", "test:2: vertex 2 has no x");
    EXPECT_OBJ_ERROR("v 1 2 abc\n", "test:1: z of vertex 1 is no number: 'abc'");
    EXPECT_OBJ_ERROR("v 1,5 2 3\n", "test:1: x of vertex 1 is no number: '1,5'");
    EXPECT_OBJ_ERROR("\r\n\nv 1 nan 3\n", "test:3: y of vertex 1 is not finite: 'nan'");
    EXPECT_OBJ_ERROR("v 1 2 -inf\n", "test:1: z of vertex 1 is not finite: '-inf'");
    EXPECT_OBJ_ERROR("v 1 2 1e999\n", "test:1: z of vertex 1 is not finite: '1e999'");
    EXPECT_OBJ_ERROR(OBJ_SQUARE "f 1 2 5\n", "test:5: face names vertex 5, but only 4 are known so far");
    EXPECT_OBJ_ERROR(OBJ_SQUARE "f 1 2 -5\n", "test:5: face names vertex -5, but only 4 are known so far");
    EXPECT_OBJ_ERROR("f 1 2 3\n" OBJ_SQUARE, "test:1: face names vertex 1, but only 0 are known so far");
    EXPECT_OBJ_ERROR(OBJ_SQUARE "f 0 1 2\n", "test:5: face names vertex 0, but they count from 1");
    EXPECT_OBJ_ERROR(OBJ_SQUARE "f 1 2 99999999999999999999999\n",
                     "test:5: face names vertex 99999999999999999999999, but only 4 are known so far");
    // One above a multiple of 2^64, which no counter of 64 bits tells from 1.
    EXPECT_OBJ_ERROR(OBJ_SQUARE "f 2 3 18446744073709551617\n",
                     "test:5: face names vertex 18446744073709551617, but only 4 are known so far");
    EXPECT_OBJ_ERROR(OBJ_SQUARE "f 2 3 -18446744073709551617\n",
                     "test:5: face names vertex -18446744073709551617, but only 4 are known so far");
    EXPECT_OBJ_ERROR(OBJ_SQUARE "f 1 2\n", "test:5: face has 2 corners; it needs 3 or more");
    EXPECT_OBJ_ERROR(OBJ_SQUARE "f\n", "test:5: face has 0 corners; it needs 3 or more");
    EXPECT_OBJ_ERROR(OBJ_SQUARE "f 1 2 3x\n", "test:5: face has a corner that cannot be read: '3x'");
    EXPECT_OBJ_ERROR(OBJ_SQUARE "f 1 2/3/4/5 3\n", "test:5: face has a corner that cannot be read: '2/3/4/5'");
    EXPECT_OBJ_ERROR(OBJ_SQUARE "f 1 \\\n 2 \\\n\001\n", "test:7: face has a corner that cannot be read: '?'");
}

#define PLY_VERTICES            "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
#define PLY_FACES               "element face 1\nproperty list uchar int vertex_indices\n"
#define PLY_TEXT                "ply\nformat ascii 1.0\n"
#define PLY_SQUARE              "0 0 0\n1 0 0\n1 1 0\n0 1 0\n"
#define EXPECT_PLY_SQUARE(text) expectMesh(readPly, text, sizeof(text) - 1, square, 4, squareFan, 2)

static void plyTextOfAllFormsIsRead(void** state) {
    (void)state;
    EXPECT_PLY_SQUARE(PLY_TEXT PLY_VERTICES PLY_FACES "end_header\n" PLY_SQUARE "4 0 1 2 3\n");
    EXPECT_PLY_SQUARE(PLY_TEXT PLY_VERTICES PLY_FACES "end_header\n" PLY_SQUARE "4 0 1 2 3");
    EXPECT_PLY_SQUARE(
        "ply\r\nformat ascii 1.0\r\ncomment a b c d e f g h\r\nobj_info x\r\n\r\nelement vertex 4\r\n"
        "property double x\r\nproperty double y\r\nproperty double z\r\nelement face 1\r\n"
        "property list uint8 uint32 vertex_index\r\nend_header\r\n0 0 0\r\n1 0 0 1 1 0\r\n0 1 0\r\n\r\n4 0 "
        "1 2 3\r\n\r\n");
    // Faces first, elements of no interest between, properties in another order and some more of them.
    EXPECT_PLY_SQUARE(PLY_TEXT
                      "element face 2\nproperty int flags\nproperty list uchar int vertex_indices\n"
                      "property list short float weights\nelement edge 2\nproperty int a\nproperty int b\n"
                      "element nothing 99999999999\n"
                      "element vertex 4\nproperty uchar red\nproperty int z\nproperty int y\nproperty int x\n"
                      "property list int int more\nend_header\n"
                      "7 3 0 1 2 0\n7 3 0 2 3 2 0.5 nan\n1 2 3 4\n"
                      "255 0 0 0 0 255 0 0 1 1 9 255 0 1 1 0 255 0 1 0 2 8 8");
    EXPECT_PLY_SQUARE(PLY_TEXT PLY_VERTICES
                      "element tristrips 1\nproperty list int int vertex_indices\nend_header\n"
                      "0 0 0 1 0 0 1 1 0 0 1 0\n8 0 1 2 -1 0 2 3 -1");
}

static void plyStripsTurnEveryOtherTriangle(void** state) {
    (void)state;
    static const char text[] = PLY_TEXT PLY_VERTICES
        "element tristrips 1\nproperty list int int vertex_indices\nend_header\n" PLY_SQUARE "9 0 1 2 3 -1 3 2 1 0";
    const uint32_t expected[12] = {0, 1, 2, 2, 1, 3, 3, 2, 1, 1, 2, 0};
    expectMesh(readPly, text, sizeof text - 1, square, 4, expected, 4);
}

// The text form rounds to the type that the file names.
static void plyTextIsRoundedOnce(void** state) {
    (void)state;
    static const char text[] = PLY_TEXT "element vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
                                        "end_header\n16777217.0000000000001 0.1 -0";
    const float expected[3] = {16777218.0F, 0.1F, -0.0F};
    MeshData mesh = readGood(readPly, text, sizeof text - 1);
    assert_false(mesh.isDouble);
    assert_memory_equal(mesh.positions, expected, sizeof expected);
    MeshData_Release(&mesh);
}

static const char* const scalarNames[8][2] = {{"char", "int8"},     {"uchar", "uint8"},   {"short", "int16"},
                                              {"ushort", "uint16"}, {"int", "int32"},     {"uint", "uint32"},
                                              {"float", "float32"}, {"double", "float64"}};
static const size_t scalarSizes[8] = {1, 1, 2, 2, 4, 4, 4, 8};

// Appends a small number in a type and an order of bytes, the slow and obvious way.
static size_t putScalar(char* to, int type, bool isBig, double number) {
    unsigned char bytes[8];
    int64_t integer = (int64_t)number;
    float single = (float)number;
    if (type == 7)
        memcpy(bytes, &number, 8);
    else if (type == 6)
        memcpy(bytes, &single, 4);
    else
        memcpy(bytes, &integer, 8); // this test runs where the least byte is first
    for (size_t i = 0; i < scalarSizes[type]; ++i)
        to[i] = (char)bytes[isBig ? scalarSizes[type] - 1 - i : i];
    return scalarSizes[type];
}

static void checkPlyTypes(bool isBig, int type, int countType, int indexType, int spelling) {
    char file[1200];
    size_t used = (size_t)sprintf(
        file,
        "ply\nformat binary_%s_endian 1.0\nelement vertex 4\nproperty %s skipped\nproperty %s x\nproperty %s y\n"
        "property %s z\nproperty list %s %s more\nelement face 1\nproperty list %s %s vertex_indices\nend_header\n",
        isBig ? "big" : "little", scalarNames[type][spelling], scalarNames[type][spelling],
        scalarNames[type][spelling], scalarNames[type][spelling], scalarNames[countType][spelling],
        scalarNames[type][spelling], scalarNames[countType][spelling], scalarNames[indexType][spelling]);
    for (int vertex = 0; vertex < 4; ++vertex) {
        used += putScalar(file + used, type, isBig, 100);
        for (int axis = 0; axis < 3; ++axis)
            used += putScalar(file + used, type, isBig, square[vertex * 3 + axis]);
        used += putScalar(file + used, countType, isBig, 2);
        used += putScalar(file + used, type, isBig, 1);
        used += putScalar(file + used, type, isBig, 1);
    }
    used += putScalar(file + used, countType, isBig, 4);
    for (int corner = 0; corner < 4; ++corner)
        used += putScalar(file + used, indexType, isBig, corner);
    expectMesh(readPly, file, used, square, 4, squareFan, 2);
    MeshData mesh = readGood(readPly, file, used);
    assert_int_equal(mesh.isDouble, type == 7 || type == 4 || type == 5);
    MeshData_Release(&mesh);
}

static void plyBinaryOfAllTypesIsRead(void** state) {
    (void)state;
    for (int type = 0; type < 8; ++type)
        for (int countType = 0; countType < 6; ++countType)
            for (int indexType = 0; indexType < 6; ++indexType)
                for (int form = 0; form < 4; ++form)
                    checkPlyTypes(form % 2 != 0, type, countType, indexType, form / 2);
}

// Every cut of a good file is refused, with no read behind its end.
static void plyCutAnywhereIsRefused(void** state) {
    (void)state;
    static const char whole[] = "ply\nformat binary_little_endian 1.0\n" PLY_VERTICES PLY_FACES "end_header\n"
                                "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\200\77\0\0\0\0\0\0\0\0"
                                "\0\0\200\77\0\0\200\77\0\0\0\0\0\0\0\0\0\0\200\77\0\0\0\0"
                                "\4\0\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0";
    EXPECT_PLY_SQUARE(whole);
    for (size_t size = 0; size < sizeof whole - 1; ++size) {
        char* cut = malloc(size != 0 ? size : 1); // of the exact size, for the sanitizer
        assert_non_null(cut);
        memcpy(cut, whole, size);
        grzAllocator usual = {0};
        FileError error = {""};
        MeshData mesh;
        assert_false(readPly(cut, size, "test", usual, &mesh, &error));
        assert_non_null(strstr(error.text, "test"));
        assertEmptyMesh(&mesh);
        free(cut);
    }
}

// Where lines end in a lone CR, an LF behind the header is the first byte of the body; where they end in CRLF it is
// not.
static void plyBodyBeginsBehindTheHeadersOwnLineEnd(void** state) {
    (void)state;
#define LINES(end)                                                                                                 \
    "ply" end "format binary_little_endian 1.0" end "element vertex 1" end "property float x" end                  \
    "property float y" end "property float z" end "end_header" end
    static const char lone[] = LINES("\r") "\n\0\0\0\0\0\0\0\0\0\0\0";
    static const char both[] = LINES("\r\n") "\n\0\0\0\0\0\0\0\0\0\0\0";
    static const char feed[] = LINES("\n") "\n\0\0\0\0\0\0\0\0\0\0\0";
#undef LINES
    const double expected[3] = {0xap-149, 0, 0};
    expectMesh(readPly, lone, sizeof lone - 1, expected, 1, NULL, 0);
    expectMesh(readPly, both, sizeof both - 1, expected, 1, NULL, 0);
    expectMesh(readPly, feed, sizeof feed - 1, expected, 1, NULL, 0);
}

static void plyHeaderErrorsNameTheLine(void** state) {
    (void)state;
    EXPECT_PLY_ERROR("", "test: is empty");
    EXPECT_PLY_ERROR("plx\n", "test:1: does not begin with 'ply'");
    EXPECT_PLY_ERROR("ply\nformat ascii 1.0\n", "test:3: the file ends before end_header");
    EXPECT_PLY_ERROR("ply\nend_header\n", "test:2: header names no format");
    EXPECT_PLY_ERROR("ply\nformat ascii\n", "test:2: header line needs three words: 'format'");
    EXPECT_PLY_ERROR("ply\nformat ebcdic 1.0\n", "test:2: format is unknown: 'ebcdic'");
    EXPECT_PLY_ERROR("ply\nformat ascii 2.0\n", "test:2: version is unknown: '2.0'");
    EXPECT_PLY_ERROR(PLY_TEXT "element vertex\n", "test:3: header line needs three words: 'element'");
    EXPECT_PLY_ERROR(PLY_TEXT "element vertex -4\n", "test:3: element has a count that is no number: '-4'");
    EXPECT_PLY_ERROR(PLY_TEXT "element face 1\nelement face 1\n", "test:4: element is defined twice: 'face'");
    EXPECT_PLY_ERROR(PLY_TEXT "property int x\n", "test:3: property stands before any element: 'x'");
    EXPECT_PLY_ERROR(PLY_TEXT "element a 1\nproperty int\n", "test:4: header line needs three words: 'property'");
    EXPECT_PLY_ERROR(PLY_TEXT "element a 1\nproperty list int x\n",
                     "test:4: header line needs five words: 'property'");
    EXPECT_PLY_ERROR(PLY_TEXT "element a 1\nproperty half x\n", "test:4: type is unknown: 'half'");
    EXPECT_PLY_ERROR(PLY_TEXT "element a 1\nproperty list float int x\n",
                     "test:4: list cannot be counted in this type: 'float'");
    EXPECT_PLY_ERROR("ply", "test:1: the file ends before end_header");
    EXPECT_PLY_ERROR("ply\n", "test:2: the file ends before end_header");
    EXPECT_PLY_ERROR("ply 1", "test:1: does not begin with 'ply'");
    EXPECT_PLY_ERROR("\nply\n", "test:1: does not begin with 'ply'");
    EXPECT_PLY_ERROR(
        PLY_TEXT "element vertex 18446744073709551616\nproperty char x\nend_header\n1 ",
        "test:3: the header promises 18446744073709551616 times vertex, but the 2 bytes behind it hold "
        "1 at most");
    EXPECT_PLY_ERROR(
        PLY_TEXT "element vertex 18446744073709551615\nproperty char x\nend_header\n1 ",
        "test:3: the header promises 18446744073709551615 times vertex, but the 2 bytes behind it hold "
        "1 at most");
    EXPECT_PLY_ERROR(PLY_TEXT "elephant 3\n", "test:3: header has an unknown keyword: 'elephant'");
    EXPECT_PLY_ERROR(PLY_TEXT "end_header\n", "test: has no element called vertex");
    EXPECT_PLY_ERROR(PLY_TEXT "element vertex 0\nend_header\n", "test:3: holds no vertices");
    EXPECT_PLY_ERROR(PLY_TEXT "element vertex 1\nproperty float x\nproperty float z\nend_header\n1 2\n",
                     "test:3: element vertex has no number called y");
    EXPECT_PLY_ERROR(PLY_TEXT PLY_VERTICES
                     "element face 1\nproperty list uchar float vertex_indices\nend_header\n" PLY_SQUARE "3 0 1 2",
                     "test:7: element face has no list of integers called vertex_indices");
}

static void plyBodyErrorsNameTheirPlace(void** state) {
    (void)state;
#define HEAD PLY_TEXT PLY_VERTICES PLY_FACES "end_header\n"
    EXPECT_PLY_ERROR(HEAD PLY_SQUARE "4 0 1 2 4\n",
                     "test:14: face 0 names vertex 4, but there are 4, counted from 0");
    EXPECT_PLY_ERROR(HEAD PLY_SQUARE "4 0 1 2 -1\n",
                     "test:14: face 0 names vertex -1, but there are 4, counted from 0");
    EXPECT_PLY_ERROR(HEAD PLY_SQUARE "4 0 1 2 1.5\n",
                     "test:14: face 0 names vertex 1.5, but there are 4, counted from 0");
    EXPECT_PLY_ERROR(HEAD PLY_SQUARE "4 0 1 2\n", "test:15: the file ends within face 0");
    EXPECT_PLY_ERROR(HEAD PLY_SQUARE "2 0 1\n", "test:14: face 0 has 2 corners; it needs 3 or more");
    EXPECT_PLY_ERROR(HEAD PLY_SQUARE "-3 0 1 2\n", "test:14: face 0 has a list of -3 items");
    EXPECT_PLY_ERROR(HEAD PLY_SQUARE "nan 0 1 2\n", "test:14: face 0 has a list of nan items");
    EXPECT_PLY_ERROR(HEAD PLY_SQUARE "4000 0 1 2\n",
                     "test:14: face 0 has a list of 4000 items, but only 7 more bytes are there");
    EXPECT_PLY_ERROR(HEAD PLY_SQUARE "4 0 1 2 3 4\n", "test:14: 2 bytes follow the last element");
    EXPECT_PLY_ERROR(HEAD "0 0 0\n0 nan 0\n0 0 0\n0 0 0\n3 0 1 2", "test:11: y of vertex 1 is not finite");
    EXPECT_PLY_ERROR(HEAD "0 0 0\n0 0 1e39\n0 0 0\n0 0 0\n3 0 1 2", "test:11: z of vertex 1 is not finite");
    EXPECT_PLY_ERROR(HEAD "0 0 0\n0 0 x1\n0 0 0\n0 0 0\n3 0 1 2", "test:11: vertex 1 has what is no number: 'x1'");
    EXPECT_PLY_ERROR("ply\nformat binary_big_endian 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
                     "property float z\nend_header\n\0\0\0\0\0\0\0\0\177\200\0\0",
                     "test: byte 120: z of vertex 0 is not finite");
    EXPECT_PLY_ERROR("ply\nformat binary_big_endian 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
                     "property float z\nend_header\n\0\0\0\0\0\0\0\0\177\0\0\0?",
                     "test: byte 124: 1 bytes follow the last element");
#undef HEAD
}

// No memory is asked for on the word of a header.
static void plyPromisesAreNotBelieved(void** state) {
    (void)state;
    static const char* const texts[] = {
        PLY_TEXT
        "element vertex 4000000000\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n",
        PLY_TEXT "element vertex 99999999999999999999999\nproperty float x\nproperty float y\nproperty float z\n"
                 "end_header\n0 0 0\n",
        "ply\nformat binary_little_endian 1.0\n" PLY_VERTICES
        "element face 4000000000\nproperty list uchar int vertex_indices\nend_header\n................",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        TestMemory memory = {.failAt = SIZE_MAX};
        FileError error;
        MeshData mesh;
        assert_false(readPly(texts[i], strlen(texts[i]), "test", testAllocator(&memory), &mesh, &error));
        assert_non_null(strstr(error.text, "the header promises"));
        assert_true(memory.requests <= 4); // the header's own lists
        assert_int_equal(memory.liveCount, 0);
    }
    EXPECT_PLY_ERROR(
        PLY_TEXT "element vertex 4000\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n",
        "test:3: the header promises 4000 times vertex, but the 6 bytes behind it hold 1 at most");
}

static void sweepMemory(Reader* reader, const char* text, size_t size) {
    for (size_t failAt = 0;; ++failAt) {
        TestMemory memory = {.failAt = failAt};
        FileError error = {""};
        MeshData mesh;
        bool isRead = reader(text, size, "test", testAllocator(&memory), &mesh, &error);
        if (isRead) {
            assert_true(failAt > 2);
            MeshData_Release(&mesh);
        } else {
            assert_non_null(strstr(error.text, "test: out of memory"));
            assertEmptyMesh(&mesh);
        }
        assert_int_equal(memory.liveCount, 0);
        if (isRead)
            return;
    }
}

static void refusedMemoryLeavesNothing(void** state) {
    (void)state;
    static const char ply[] = PLY_TEXT PLY_VERTICES PLY_FACES
        "element tristrips 1\nproperty list int int vertex_indices\nend_header\n" PLY_SQUARE "4 0 1 2 3\n4 0 1 2 3";
    static const char obj[] =
        OBJ_SQUARE OBJ_SQUARE OBJ_SQUARE "f 1 2 3 4\nf 1 2 3 4 5 6 7 8 9 10 11 12 1 2 3 4 5 6 7\n";
    sweepMemory(readPly, ply, sizeof ply - 1);
    sweepMemory(readObj, obj, sizeof obj - 1);
}

static void longNamesAreCutInErrors(void** state) {
    (void)state;
    char name[1000];
    memset(name, 'n', sizeof name);
    memcpy(name + sizeof name - 10, "\n\002end.obj", 10);
    grzAllocator usual = {0};
    FileError error;
    MeshData mesh;
    assert_false(readObj("v 1 2 x", 7, name, usual, &mesh, &error));
    assert_non_null(strstr(error.text, "??end.obj:1: z of vertex 1 is no number: 'x'"));
    assert_memory_equal(error.text, "...n", 4);
}

static void expectFileError(const char* path, const char* sentence) {
    grzAllocator usual = {0};
    FileError error = {""};
    MeshData mesh;
    assert_false(readMesh(path, usual, &mesh, &error));
    assertEmptyMesh(&mesh);
    if (strstr(error.text, sentence) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, sentence);
}

static void filesThatCannotBeReadAreNamed(void** state) {
    (void)state;
    TestFolder folder = makeFolder();
    TestPath path = pathIn(&folder, "closed.obj");
    expectFileError(folder.path, "is a directory");
    expectFileError(path.text, "closed.obj: cannot be opened: No such file or directory");
    writeBytes(path.text, "", 0);
    expectFileError(path.text, "closed.obj: is empty");
    assert_int_equal(chmod(path.text, 0), 0);
    if (geteuid() != 0)
        expectFileError(path.text, "closed.obj: cannot be opened: Permission denied");
    TestMemory memory = {.failAt = 0};
    grzAllocator allocator = testAllocator(&memory);
    FileError error;
    MeshData mesh;
    assert_int_equal(chmod(path.text, 0600), 0);
    writeBytes(path.text, OBJ_SQUARE, sizeof OBJ_SQUARE - 1);
    assert_false(readMesh(path.text, allocator, &mesh, &error));
    assert_non_null(strstr(error.text, "closed.obj: out of memory"));
    removeFolder(&folder);
}

static void anEndlessFileEndsWithTheMemory(void** state) {
    (void)state;
    TestMemory memory = {.failAt = 5};
    FileError error = {""};
    MeshData mesh;
    if (access("/dev/zero", R_OK) != 0) {
        print_message("there is no /dev/zero\n");
        skip();
    }
    assert_false(readMesh("/dev/zero", testAllocator(&memory), &mesh, &error));
    assert_non_null(strstr(error.text, "/dev/zero: out of memory"));
    assert_int_equal(memory.liveCount, 0);
}

static void formatsAreKnownByContentAndName(void** state) {
    (void)state;
    TestFolder folder = makeFolder();
    static const char ply[] = PLY_TEXT PLY_VERTICES PLY_FACES "end_header\n" PLY_SQUARE "4 0 1 2 3\n";
    static const char obj[] = OBJ_SQUARE "f 1 2 3 4\n";
    static const char* const names[] = {"a.ply", "a.obj", "noending", "b.OBJ", "b.Obj"};
    grzAllocator usual = {0};
    FileError error = {""};
    MeshData mesh;
    for (int i = 0; i < 5; ++i) {
        TestPath path = pathIn(&folder, names[i]);
        writeBytes(path.text, i < 3 ? ply : obj, i < 3 ? sizeof ply - 1 : sizeof obj - 1);
        if (!readMesh(path.text, usual, &mesh, &error))
            fail_msg("%s", error.text);
        assert_int_equal(mesh.triangleCount, 2);
        MeshData_Release(&mesh);
    }
    TestPath path = pathIn(&folder, "c.ply");
    writeBytes(path.text, obj, sizeof obj - 1);
    expectFileError(path.text, "c.ply:1: does not begin with 'ply'");
    removeFolder(&folder);
}

static void checkRealMesh(const char* path) {
    grzAllocator usual = {0};
    FileError error = {""};
    MeshData mesh;
    if (!readMesh(path, usual, &mesh, &error))
        fail_msg("%s", error.text);
    assert_true(mesh.vertexCount > 0 && mesh.triangleCount > 0);
    for (size_t i = 0; i < mesh.triangleCount * 3; ++i)
        assert_true(mesh.indices[i] < mesh.vertexCount);
    if (strstr(path, ".obj") != NULL || strstr(path, "armadillo-rollers") != NULL ||
        strstr(path, "cloth-funnel") != NULL)
        assert_true(mesh.isDouble);
    else
        assert_false(mesh.isDouble);
    MeshData_Release(&mesh);
}

static void realFilesAreRead(void** state) {
    (void)state;
    static const char* const patterns[] = {"static/*.obj", "static/*.ply", "ccd_frames/*/*.ply", "seq/*/base.obj"};
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; ++i)
        testEachDataFile(patterns[i], checkRealMesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objFacesOfAllFormsAreRead),
        cmocka_unit_test(objLinesOfAllFormsAreRead),
        cmocka_unit_test(objNumbersStayDouble),
        cmocka_unit_test(objLinesMayHaveAnyLength),
        cmocka_unit_test(objErrorsNameTheLine),
        cmocka_unit_test(plyTextOfAllFormsIsRead),
        cmocka_unit_test(plyStripsTurnEveryOtherTriangle),
        cmocka_unit_test(plyTextIsRoundedOnce),
        cmocka_unit_test(plyBinaryOfAllTypesIsRead),
        cmocka_unit_test(plyCutAnywhereIsRefused),
        cmocka_unit_test(plyBodyBeginsBehindTheHeadersOwnLineEnd),
        cmocka_unit_test(plyHeaderErrorsNameTheLine),
        cmocka_unit_test(plyBodyErrorsNameTheirPlace),
        cmocka_unit_test(plyPromisesAreNotBelieved),
        cmocka_unit_test(refusedMemoryLeavesNothing),
        cmocka_unit_test(longNamesAreCutInErrors),
        cmocka_unit_test(filesThatCannotBeReadAreNamed),
        cmocka_unit_test(anEndlessFileEndsWithTheMemory),
        cmocka_unit_test(formatsAreKnownByContentAndName),
        cmocka_unit_test(realFilesAreRead),
    };
    return cmocka_run_group_tests_name("mesh_read", tests, NULL, NULL);
}
