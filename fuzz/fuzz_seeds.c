// What: the inputs that fuzzing begins with: small files of graze's own writers, and by hand what those never
// write; and lives of trees, of boxes and of what moves.
#include <string.h>

#include "fuzz_entry.h"
#include "mesh_write.h"

// clang-format off: a line of text a line
static const char* const objTexts[] = {
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
    "f 1 2 3 4\n",

    "# c\\\r\n"
    "mtllib a\r\no b\r\n"
    "v 0 0 0 1\r\nv 1 0 0 .5 .5 .5\r\n"
    "vt 0 0\r\nvn 0 0 1\r\n"
    "v 1 1 0\r\n"
    "f 1/1/1 2//1 3/1\r\n",

    "v -1.5e-3 +2.25E+2 .5\\\n\n"
    "v 1e308 5e-324 0.1234567890123456789\n"
    "v 1 \\\n2 \\\r\n3\n"
    "f -1 -2 \\\n-3\n"
    "l 1 2\np 1",
};

#define AXES "property float x\nproperty float y\nproperty float z\n"
static const char* const plyTexts[] = {
    "ply\nformat ascii 1.0\ncomment a\n"
    "element vertex 4\n" AXES "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
    "0 0 0\n1 0 0\n1 1 0\n0 1 0\n"
    "4 0 1 2 3\n",

    "ply\r\nformat ascii 1.0\r\nobj_info b\r\n"
    "element face 1\r\nproperty uchar red\r\nproperty list int8 uint16 vertex_index\r\n"
    "element vertex 3\r\nproperty double z\r\nproperty int y\r\nproperty int8 x\r\n"
    "property list uint32 float64 more\r\n"
    "element edge 1\r\nproperty int a\r\nend_header\r\n"
    "9 3 0 1 2\r\n"
    "1 2 3 0\r\n1 2 3 1 .5\r\n1 5 3 2 1 2\r\n"
    "7\r\n",

    "ply\nformat ascii 1.0\n"
    "element vertex 4\n" AXES "element tristrips 1\nproperty list int int vertex_indices\nend_header\n"
    "0 0 0 1 0 0 1 1 0 0 1 0 " // on one line with what follows
    "8 0 1 2 3 -1 1 2 3\n",

    "ply\nformat binary_big_endian 1.0\n"
    "element tag 2\nproperty short a\nproperty list uchar char b\n"
    "element vertex 1\n" AXES "end_header\n"
    "\1\1\1\1\1\1\1\2aaabbbbccccdddd",
};

#if GRAZE_READS_SCENES
// Every field once, in worlds that are small.
static const char* const sceneTexts[] = {
    "{\"graze_scene\": 1, \"about\": \"all convex shapes\", \"steps\": 3, \"time_step\": 0.02, \"substeps\": 2,\n"
    "\"gravity\": [0, -9.81, 0], \"margin\": 0.01, \"camera\": {\"from\": [3, 2, 1], \"to\": [0, 0, 0], "
    "\"field_of_view\": 50},\n"
    "\"meshes\": [{\"name\": \"ball\", \"shape\": \"sphere\", \"triangles\": 20, \"scale\": [1, 0.5, 1]}],\n"
    "\"bodies\": [{\"kind\": \"static\", \"shape\": {\"box\": [9, 0.5, 9]}, \"at\": [0, -0.5, 0], \"color\": [0, "
    "0.5, 1]},\n"
    "{\"shape\": {\"sphere\": 0.5}, \"at\": [0, 0.4, 0], \"velocity\": [1, 2, 3], \"spin\": [0, 1, 0], "
    "\"density\": 10,\n"
    "\"restitution\": 0.5, \"friction\": 0, \"gravity_scale\": 0.5, \"linear_damping\": 1, \"angular_damping\": "
    "2},\n"
    "{\"shape\": {\"capsule\": [0.2, 0.3]}, \"at\": [0.3, 0.5, 0], \"turn\": [1, 0, 0, 90]},\n"
    "{\"kind\": \"kinematic\", \"shape\": {\"hull\": \"ball\"}, \"at\": [1, 0.5, 0]}]}\n",

    "{\"graze_scene\": 1, \"bodies\": [\n"
    "{\"shape\": {\"box\": [0.1, 0.2, 0.3]}, \"repeat\": {\"grid\": [2, 3, 2], \"spacing\": [0.3, 0.5, 0.7], "
    "\"jitter\": 0.1,"
    " \"turning\": 30, \"seed\": 7}},\n"
    "{\"kind\": \"static\", \"shape\": {\"sphere\": 1e3}, \"at\": [0, -1000, 0]},\n"
    "{\"shape\": {\"sphere\": 1}, \"at\": [5, 1, 0], \"repeat\": {\"pyramid\": 3, \"spacing\": [1, 1.5, 1]}}]}\n",

    "{\"graze_scene\": 1, \"meshes\": [\n"
    "{\"name\": \"sheet\", \"shape\": \"grid\", \"triangles\": 32, \"scale\": [1, 1, 1]}, {\"name\": \"ring\", "
    "\"shape\": \"torus\", \"triangles\": 60}],\n"
    "\"bodies\": [{\"kind\": \"static\", \"shape\": {\"mesh\": \"ring\"}}, {\"shape\": {\"mesh\": \"ring\"}, "
    "\"at\": [0, 0.3, 0]}],\n"
    "\"cloths\": [{\"mesh\": \"sheet\", \"at\": [0, 0.7, 0], \"turn\": [0, 1, 0, 45], \"density\": 0.3, "
    "\"thickness\": 0.02,\n"
    "\"stretch_compliance\": 1e-6, \"bend_compliance\": 10, \"damping\": 0.5, \"friction\": 0.1, \"pins\": [0, 3], "
    "\"color\": [1, 0, 0]}],\n"
    "\"animated\": [{\"walker\": {\"triangles\": 120, \"height\": 2, \"speed\": 3}, \"at\": [0, -1, 0], "
    "\"keyframes_per_second\": 20,\n"
    "\"friction\": 0.3, \"two_sided\": true}]}\n",
};
enum { sceneTextCount = sizeof sceneTexts / sizeof sceneTexts[0] };
#endif
// clang-format on

enum { objTextCount = sizeof objTexts / sizeof objTexts[0], plyTextCount = sizeof plyTexts / sizeof plyTexts[0] };

// A tetrahedron; the numbers are of different lengths in text.
static void makeMesh(MeshData* mesh, bool isDouble) {
    static double wide[12] = {0, 0, 0, 1.0 / 3, 0, -1e-300, 0, 1e20, 0.1, 0, 0, 12345.678};
    static float narrow[12] = {0, 0, 0, 1.0F / 3, 0, -1e-30F, 0, 1e20F, 0.1F, 0, 0, 12345.678F};
    static uint32_t indices[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    memset(mesh, 0, sizeof *mesh);
    mesh->isDouble = isDouble;
    mesh->positions = isDouble ? (void*)wide : (void*)narrow;
    mesh->indices = indices;
    mesh->vertexCount = mesh->triangleCount = 4;
}

static void putObjSeed(ByteSink* sink, size_t seed) {
    if (seed < objTextCount) {
        ByteSink_PutText(sink, objTexts[seed]);
        return;
    }
    MeshData mesh;
    makeMesh(&mesh, seed % 2 == 0);
    putObj(sink, &mesh);
}

static void putPlySeed(ByteSink* sink, size_t seed) {
    if (seed < plyTextCount) {
        ByteSink_PutText(sink, plyTexts[seed]);
        return;
    }
    MeshData mesh;
    makeMesh(&mesh, (seed - plyTextCount) % 2 == 0);
    putPly(sink, &mesh, (PlyForm)((seed - plyTextCount) / 2));
}

static void makeSequence(SequenceData* sequence, size_t frameCount) {
    static float positions[36] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.5F, 0, 0, 1, 0.5F, 0, 0, 1, 0.5F};
    static float times[4] = {0.5F, 0.75F, 1.0F, 1.25F};
    memset(sequence, 0, sizeof *sequence);
    sequence->positions = positions;
    sequence->times = times;
    sequence->vertexCount = 3;
    sequence->frameCount = frameCount;
}

static void putPc2Seed(ByteSink* sink, size_t seed) {
    SequenceData sequence;
    makeSequence(&sequence, seed + 1);
    putPc2(sink, &sequence);
}

static void putMddSeed(ByteSink* sink, size_t seed) {
    SequenceData sequence;
    makeSequence(&sequence, seed + 1);
    putMdd(sink, &sequence);
}

// A tree of each nesting: objects come by fours, then anything happens, a byte from a small generator at a time.
static void putTreeSeed(ByteSink* sink, size_t seed) {
    uint32_t state = (uint32_t)seed + 1;
    ByteSink_PutLittle(sink, seed * 7, 1);
    ByteSink_PutLittle(sink, 3, 1);
    for (int i = 0; i < 150; ++i) {
        state = state * 1664525u + 1013904223u;
        bool isInsert = i < 100 && i % 18 < 2; // its operation and its count; four boxes of four bytes follow
        ByteSink_PutLittle(sink, isInsert ? (i % 18 == 0 ? 0 : 3) : state >> 24, 1);
    }
}

// Keyframes and paths in turn, of every flavour of numbers, a few triangles or some hundred; then anything happens.
static void putKineticSeed(ByteSink* sink, size_t seed) {
    uint32_t state = (uint32_t)seed + 77;
    ByteSink_PutLittle(sink, seed, 1);
    ByteSink_PutLittle(sink, seed / 2, 1);
    ByteSink_PutLittle(sink, seed, 1);
    ByteSink_PutLittle(sink, seed % 6 == 5 ? 254 : 8 * seed, 1);
    for (int i = 0; i < 90; ++i) {
        state = state * 1664525u + 1013904223u;
        ByteSink_PutLittle(sink, state >> 24, 1);
    }
}

// Each question about continuous queries: of every way to read numbers, and of every class of the generator.
static void putCcdSeed(ByteSink* sink, size_t seed) {
    uint32_t state = (uint32_t)seed + 31;
    ByteSink_PutLittle(sink, seed, 2);
    ByteSink_PutLittle(sink, seed * 5, 1);
    ByteSink_PutLittle(sink, seed % 2 == 0 ? 4 * seed : 4 * (seed / 2) + 3, 1);
    for (int i = 0; i < 200; ++i) {
        state = state * 1664525u + 1013904223u;
        ByteSink_PutLittle(sink, state >> 24, 1);
    }
}

// Two meshes of a few triangles or some dozen, near each other; with a fit and without; then runs of any length.
static void putProbeSeed(ByteSink* sink, size_t seed) {
    uint32_t state = (uint32_t)seed + 5;
    const bool isLarge = seed % 8 == 7;
    ByteSink_PutLittle(sink, seed * 3, 1);
    ByteSink_PutLittle(sink, isLarge ? 255 : 8 * seed + 1, 1);
    ByteSink_PutLittle(sink, isLarge ? 254 : 200 - 8 * seed, 1);
    for (int i = 0; i < (isLarge ? 1500 : 500); ++i) {
        state = state * 1664525u + 1013904223u;
        ByteSink_PutLittle(sink, state >> 24, 1);
    }
}

#if GRAZE_READS_SCENES
static void putSceneSeed(ByteSink* sink, size_t seed) {
    ByteSink_PutText(sink, sceneTexts[seed]);
}
#endif

const FuzzKind fuzzKinds[] = {
    {"obj", fuzzObj, objTextCount + 2, putObjSeed, 1},
    {"ply", fuzzPly, plyTextCount + 6, putPlySeed, 1},
    {"pc2", fuzzPc2, 4, putPc2Seed, 1},
    {"mdd", fuzzMdd, 4, putMddSeed, 1},
    {"tree", fuzzTree, 12, putTreeSeed, 1},
    {"kinetic", fuzzKinetic, 24, putKineticSeed, 4},
    {"pair_front", fuzzPairFront, 32, putKineticSeed, 32},
    {"ccd", fuzzCcd, 32, putCcdSeed, 4},
    {"probe", fuzzProbe, 16, putProbeSeed, 4},
#if GRAZE_READS_SCENES
    {"scene", fuzzScene, sceneTextCount, putSceneSeed, 32},
#endif
};
const size_t fuzzKindCount = sizeof fuzzKinds / sizeof fuzzKinds[0];
