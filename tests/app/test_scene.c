// Scenes: every kind of flaw is one sentence with file, line and field and leaves nothing; fields do what they say; caches lead
// meshes; refused memory, and thousands of damaged files, leak nothing.
#include "file_testing.h"

#include "byte_sink.h"
#include "scene.h"

static TestFolder g_folder;
static TestPath g_path;

// Texts are written with ' where JSON has ".
static void putScene(const char* text) {
    char bytes[16384];
    const size_t size = strlen(text);
    assert_true(size < sizeof bytes);
    for (size_t i = 0; i < size; ++i)
        bytes[i] = text[i] == '\'' ? '"' : text[i];
    writeBytes(g_path.text, bytes, size);
}

static void putFile(const char* name, const char* text) {
    writeBytes(pathIn(&g_folder, name).text, text, strlen(text));
}

// Two triangles, four vertices, two frames: the square rises by 1.
static void putCache(const char* name, uint32_t vertexCount) {
    ByteSink sink = {.allocator = grzDefaultAllocator()};
    const float one = 1.0f;
    ByteSink_Put(&sink, "POINTCACHE2", 12);
    ByteSink_PutLittle(&sink, 1, 4);
    ByteSink_PutLittle(&sink, vertexCount, 4);
    ByteSink_PutLittle(&sink, 0, 4);
    ByteSink_Put(&sink, &one, 4);
    ByteSink_PutLittle(&sink, 2, 4);
    for (uint32_t i = 0; i < 2 * vertexCount; ++i) {
        const uint32_t vertex = i % vertexCount;
        const float p[3] = {(float)(vertex % 2), (float)(i / vertexCount), (float)(vertex / 2)};
        ByteSink_Put(&sink, p, sizeof p);
    }
    writeBytes(pathIn(&g_folder, name).text, sink.bytes.data, sink.bytes.count);
    ByteSink_Release(&sink);
}

static int makeFiles(void** state) {
    (void)state;
    g_folder = makeFolder();
    g_path = pathIn(&g_folder, "scene.json");
    putFile("square.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 1\nf 1 3 2\nf 2 3 4\n");
    putFile("nan.obj", "v 0 0 0\nv 1 nan 0\nv 0 0 1\nf 1 2 3\n");
    putFile("points.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\n");
    putFile("huge.obj", "v 0 0 0\nv 1e300 0 0\nv 0 0 1\nf 1 2 3\n");
    putCache("square.pc2", 4);
    putCache("other.pc2", 5);
    return 0;
}

static int dropFiles(void** state) {
    (void)state;
    removeFolder(&g_folder);
    return 0;
}

static void load(Scene* scene, const char* text) {
    FileError error;
    const SceneSetup setup = {.tasks = NULL};
    putScene(text);
    if (!Scene_Load(scene, g_path.text, &setup, &error))
        fail_msg("%s\nwas refused: %s", text, error.text);
}

static void stepOnce(Scene* scene) {
    FileError error;
    if (!Scene_Step(scene, &error))
        fail_msg("%s", error.text);
}

// -------------------------------------------------------------------------------------------------------------- flaws

typedef struct Flaw {
    const char* text;
    int line;
    const char* sentence;
} Flaw;

#define BODY(text)     "{'graze_scene':1,\n'bodies':[\n{" text "}]}"
#define MESH(text)     "{'graze_scene':1,\n'meshes':[\n{" text "}]}"
#define SQUARE         "{'graze_scene':1,'meshes':[{'name':'a','file':'square.obj'}],\n"
#define CLOTH(text)    SQUARE "'cloths':[\n{" text "}]}"
#define ANIMATED(text) SQUARE "'animated':[\n{" text "}]}"

static const Flaw flaws[] = {
    // What is no scene.
    {"[]", 1, "expected an object, in braces"},
    {"3", 1, "expected an object, in braces"},
    {"{}", 1, "expected the field \"graze_scene\""},
    {"\n{\n'graze_scene':2}", 3, "graze_scene: expected the number 1, found 2"},
    {"{'graze_scene':'1'}", 1, "graze_scene: expected the number 1, found the text"},
    // Names.
    {"{'graze_scene':1,\n'steps':2,\n\n'steps':3}", 4, "steps: duplicate field"},
    {"{'graze_scene':1,\n'step':3}", 2, "step: unknown field"},
    {"{'graze_scene':1,\n'camera':{'from':[0,0,0],\n'form':[1,1,1]}}", 3, "camera.form: unknown field"},
    {"{'graze_scene':1,\n'a\\nb':{'from':[1,1,1]}}", 2, "a?b: unknown field"},
    {"{\f'graze_scene':1,\f\n\f'st\\'eps':1}", 2, "st\"eps: unknown field"},
    {"\xEF\xBB\xBF{'graze_scene':1,\n'about':'{[',\n'x':1}", 3, "x: unknown field"},
    // Numbers and types.
    {"{'graze_scene':1,\n'gravity':[0,\n1e999,0]}", 3, "gravity[1]: expected a number"},
    {"{'graze_scene':1,\n'gravity':[0,0]}", 2, "gravity: expected a list of 3 numbers"},
    {"{'graze_scene':1,\n'gravity':-9.81}", 2, "gravity: expected a list, in brackets"},
    {"{'graze_scene':1,\n'steps':0}", 2, "steps: expected a number from 1 to 1e+09"},
    {"{'graze_scene':1,\n'steps':2.5}", 2, "steps: expected a whole number"},
    {"{'graze_scene':1,\n'steps':'2'}", 2, "steps: expected a number from 1 to 1e+09, found the text"},
    {"{'graze_scene':1,\n'time_step':0}", 2, "time_step: expected a number from 1e-06 to 1"},
    {"{'graze_scene':1,\n'about':5}", 2, "about: expected a text in quotes"},
    {"{'graze_scene':1,\n'bodies':{}}", 2, "bodies: expected a list, in brackets"},
    {"{'graze_scene':1,\n'bodies':[null]}", 2, "bodies[0]: expected an object, in braces"},
    {"{'graze_scene':1,\n'camera':{'from':[1,2,3],'to':[1,2,3]}}", 2, "camera: it looks at where it stands"},
    // Bodies.
    {BODY("'density':1"), 3, "bodies[0].shape: a body needs a shape"},
    {BODY("'shape':{}"), 3, "bodies[0].shape: a shape is one of box, sphere, capsule, hull and mesh"},
    {BODY("'shape':{'sphere':1,'box':[1,1,1]}"), 3, "bodies[0].shape: a shape is one of"},
    {BODY("'shape':{'cone':1}"), 3, "bodies[0].shape.cone: unknown field"},
    {BODY("'shape':{'box':[1,\n-1,1]}"), 4, "bodies[0].shape.box[1]: expected a number from 1e-06 to 1e+06"},
    {BODY("'shape':{'sphere':0}"), 3, "bodies[0].shape.sphere: expected a number from"},
    {BODY("'shape':{'capsule':[1]}"), 3, "bodies[0].shape.capsule: expected a list of 2 numbers"},
    {BODY("'shape':{'sphere':1},\n'density':0"), 4, "bodies[0].density: expected a number from 1e-06 to 1e+09"},
    {BODY("'shape':{'sphere':1},\n'kind':'solid'"), 4, "bodies[0].kind: expected static, kinematic or dynamic"},
    {BODY("'shape':{'sphere':1},\n'turn':[0,0,0,90]"), 4, "bodies[0].turn: the axis is 0"},
    {BODY("'shape':{'sphere':1},\n'restitution':1.5"), 4, "bodies[0].restitution: expected a number from 0 to 1"},
    {BODY("'shape':{'sphere':1},\n'color':[1,2,1]"), 4, "bodies[0].color[1]: expected a number from 0 to 1"},
    {BODY("'shape':{'mesh':'rock'}"), 3, "bodies[0].shape.mesh: there is no mesh 'rock'"},
    {BODY("'shape':{'hull':7}"), 3, "bodies[0].shape.hull: expected a text in quotes"},
    {BODY("'shape':{'sphere':1},\n'repeat':3"), 4, "bodies[0].repeat: expected an object, in braces"},
    {BODY("'shape':{'sphere':1},\n'repeat':{'grid':[1,2]}"), 4,
     "bodies[0].repeat.grid: expected a list of 3 numbers"},
    {BODY("'shape':{'sphere':1},\n'repeat':{'grid':[1,0,1]}"), 4,
     "bodies[0].repeat.grid[1]: expected a number from 1"},
    {BODY("'shape':{'sphere':1},\n'repeat':{'grid':[9999,9999,1]}"), 4,
     "bodies[0].repeat.grid: these are more than 1000000"},
    {BODY("'shape':{'sphere':1},\n'repeat':{'grid':[1,1,1],'pyramid':2}"), 4, "bodies[0].repeat: there are both"},
    {SQUARE "'bodies':[{'shape':{'mesh':'a'}}]}", 2, "bodies[0]: "},              // dynamic, of an open mesh
    {SQUARE "'bodies':[{'shape':{\n'hull':'a'}}]}", 3, "bodies[0].shape.hull: "}, // a flat one
    // Meshes.
    {MESH("'shape':'torus'"), 3, "meshes[0]: a mesh needs a name of 1 to 63 letters"},
    {MESH("'name':'','shape':'torus'"), 3, "meshes[0]: a mesh needs a name"},
    {MESH("'name':'a'"), 3, "meshes[0]: a mesh has either a shape or a file"},
    {MESH("'name':'a','shape':'torus','file':'square.obj'"), 3, "meshes[0]: a mesh has either a shape or a file"},
    {MESH("'name':'a','shape':'knot'"), 3,
     "meshes[0].shape: there is no shape 'knot'; the shapes are grid sphere torus box heap"},
    {MESH("'name':'a','shape':'box','triangles':0"), 3, "meshes[0].triangles: expected a number from 1"},
    {MESH("'name':'a','file':'square.obj','triangles':5"), 3, "meshes[0].triangles: a file has as many"},
    {MESH("'name':'a','file':'missing.obj'"), 3, "missing.obj: cannot be opened"},
    {MESH("'name':'a','file':'scene.json'"), 3, "meshes[0].file: "},
    {MESH("'name':'a','file':'nan.obj'"), 3, "nan.obj:2: "},
    {MESH("'name':'a','file':'huge.obj'"), 3, "meshes[0]: "},
    {MESH("'name':'a','shape':'box','scale':[1,0,1]"), 3, "meshes[0].scale[1]: expected a number from 1e-06"},
    {MESH("'name':'a','shape':'box'},\n{'shape':'box','name':'a'"), 4,
     "meshes[1].name: there is a mesh of that name"},
    {"{'graze_scene':1,'meshes':[{'name':'a','file':'points.obj'}],\n'bodies':[{'kind':'static','shape':{'mesh':'a'"
     "}}]}",
     2, "bodies[0].shape.mesh: "},
    // Cloths.
    {CLOTH("'at':[0,0,0]"), 3, "cloths[0].mesh: a mesh is to be named here"},
    {CLOTH("'mesh':'b'"), 3, "cloths[0].mesh: there is no mesh 'b'"},
    {CLOTH("'mesh':'a','pins':[0,4]"), 3, "cloths[0].pins[1]: expected a number from 0 to 3"},
    {CLOTH("'mesh':'a','pins':[0,1,2,3,0]"), 3, "cloths[0].pins: these are more pins than vertices"},
    {CLOTH("'mesh':'a','pins':0"), 3, "cloths[0].pins: expected a list, in brackets"},
    {CLOTH("'mesh':'a','thickness':0"), 3, "cloths[0].thickness: expected a number from"},
    {CLOTH("'mesh':'a','damping':-1"), 3, "cloths[0].damping: expected a number from 0"},
    // Animated meshes.
    {ANIMATED("'mesh':'a'"), 3, "animated[0]: what is animated is either a walker, or a mesh with a cache"},
    {ANIMATED("'cache':'square.pc2'"), 3, "animated[0].mesh: a mesh is to be named here"},
    {ANIMATED("'walker':{},'cache':'square.pc2'"), 3, "animated[0]: what is animated is either"},
    {ANIMATED("'walker':{'triangles':119}"), 3, "animated[0].walker.triangles: expected a number from 120"},
    {ANIMATED("'walker':{},\n'loops':true"), 4, "animated[0].loops: this is for caches"},
    {ANIMATED("'mesh':'a','cache':'square.pc2','loops':1"), 3, "animated[0].loops: expected true or false"},
    {ANIMATED("'mesh':'a','cache':'missing.pc2'"), 3, "missing.pc2: "},
    {ANIMATED("'mesh':'a',\n'cache':'other.pc2'"), 4, "animated[0].cache: the cache has 5 vertices, the mesh 4"},
    {ANIMATED("'mesh':'a','cache':'square.obj'"), 3, "animated[0].cache: "},
};

// Refused with one sentence, and nothing is left.
static void refuse(const char* what, const char* place, const char* sentence) {
    Scene scene;
    FileError error = {""};
    TestMemory memory = {.failAt = SIZE_MAX};
    const SceneSetup setup = {.allocator = testAllocator(&memory)};
    if (Scene_Load(&scene, g_path.text, &setup, &error))
        fail_msg("%s\nwas taken", what);
    if (strncmp(error.text, place, strlen(place)) != 0 || strstr(error.text, sentence) == NULL ||
        strchr(error.text, '\n') != NULL)
        fail_msg("%s\nwas refused as: %s, not: %s%s", what, error.text, place, sentence);
    assert_int_equal(memory.liveCount, 0);
    assert_null(scene.world);
    assert_int_equal(scene.meshes.count + scene.looks.count + scene.motions.count, 0);
}

static void eachFlawIsOneSentence(void** state) {
    (void)state;
    for (size_t i = 0; i < sizeof flaws / sizeof *flaws; ++i) {
        char place[1000];
        snprintf(place, sizeof place, "%s:%d:", g_path.text, flaws[i].line);
        putScene(flaws[i].text);
        refuse(flaws[i].text, place, flaws[i].sentence);
    }
}

typedef struct Break {
    const char *text, *sentence; // with line and column
} Break;

static const Break breaks[] = {
    {"", ":1:1: expected a value, found the end of the file"},
    {"  \n {", ":2:3: expected a field name in double quotes or '}', found the end of the file"},
    {"{'graze_scene':1,\n}", ":2:1: expected a field name in double quotes behind the comma, found '}'"},
    {"{'graze_scene':1,\n  steps:5}", ":2:3: expected a field name in double quotes behind the comma, found steps"},
    {"{'graze_scene' 1}", ":1:16: expected ':' behind the field name, found 1"},
    {"{'graze_scene':1\n'steps':5}", ":2:1: expected ',' or '}', found a text"},
    {"{'graze_scene':1]", ":1:17: expected ',' or '}', found ']'"},
    {"{'graze_scene':1}\n\nmore", ":3:1: expected the end of the file, found more"},
    {"{'graze_scene':1}{}", ":1:18: expected the end of the file, found '{'"},
    {"{'graze_scene':1,\n'gravity':[0,nan,0]}", ":2:14: expected a value behind the comma, found nan"},
    {"{'graze_scene':1,\n'gravity':[0,-9.81,]}", ":2:20: expected a value behind the comma, found ']'"},
    {"{'graze_scene':1,\n'gravity':[0,-9.81,0}", ":2:21: expected ',' or ']', found '}'"},
    {"{'graze_scene':1,\n'gravity':[0 1]}", ":2:14: expected ',' or ']', found 1"},
    {"{'graze_scene':1,\n'gravity':[,1]}", ":2:12: expected a value or ']', found ','"},
    {"{'graze_scene':1,\n'gravity':[+1]}", ":2:12: expected a value or ']', found +1"},
    {"{'graze_scene':1,\n'steps':0x10}", ":2:10: expected ',' or '}', found x10"},
    {"{'graze_scene':1,\n'steps':}", ":2:9: expected a value, found '}'"},
    {"{'graze_scene':1,\n'about':'\xC3\xA4\xC3\xB6',,}",
     ":2:14: expected a field name in double quotes behind the comma, found ','"}, // columns are characters
    {"{'graze_scene':1,\n'about':'unclosed}", ":2:9: unterminated text: its closing '\"' is missing"},
    {"{'graze_scene':1,\n'about':'c:\\data'}", ":2:12: expected one of \" \\ / b f n r t, or u and four hex"},
    {"{'graze_scene':1,\n'about':'\\u12g4'}", ":2:10: expected one of \" \\ / b f n r t, or u and four hex"},
    {"{'graze_scene':1, // one\n'steps':5}",
     ":1:19: expected a field name in double quotes behind the comma, found '/'"},
    {"v 0 0 0\n", ":1:1: expected a value, found v"},
    // And the columns of values, and of names.
    {"{'graze_scene':1,\n  'steps':  0}", ":2:13: steps: expected a number from 1 to 1e+09, found 0"},
    {"{'graze_scene':1,\n  'steps': [1]}", ":2:12: steps: expected a number from 1 to 1e+09, found a list"},
    {"{'graze_scene':1,\n  'steps': 'two'}",
     ":2:12: steps: expected a number from 1 to 1e+09, found the text \"two\""},
    {"{'graze_scene':1,\n  'step': 1}", ":2:3: step: unknown field"},
    {"{'graze_scene':1,'steps':2,\n 'steps':3}", ":2:2: steps: duplicate field"},
    {"{'graze_scene':1,'gravity':[0,\n\t-9,{}]}",
     ":2:5: gravity[2]: expected a number from -1e+06 to 1e+06, found an object"},
};

// Each is told with its line and column, what was expected and what was found.
static void breaksAreFoundWhereTheyAre(void** state) {
    (void)state;
    for (size_t i = 0; i < sizeof breaks / sizeof *breaks; ++i) {
        putScene(breaks[i].text);
        refuse(breaks[i].text, g_path.text, breaks[i].sentence);
    }
}

static void refuseBytes(const char* what, const void* bytes, size_t size, const char* sentence) {
    char place[1000];
    snprintf(place, sizeof place, "%s:1:", g_path.text);
    writeBytes(g_path.text, bytes, size);
    refuse(what, place, sentence);
}

static void zerosAndDepthsAreNoJson(void** state) {
    (void)state;
    static char bytes[200000];
    refuseBytes("zeros", bytes, 4096, "1: expected a value, found a byte of value 0");
    memset(bytes, '[', sizeof bytes);
    refuseBytes("brackets", bytes, sizeof bytes, ":1001: brackets are nested more than 1000 deep");
    memcpy(bytes, "{\"graze_scene\":1,\"gravity\":", 27);
    refuseBytes("brackets in a scene", bytes, sizeof bytes, "brackets are nested more than 1000 deep");
    refuseBytes("a zero behind", "{\"graze_scene\":1}", 18,
                "expected the end of the file, found a byte of value 0");
    refuseBytes("a zero within", "{\"graze_scene\":1,\"about\":\"a\0b\"}", 32, ":28: a zero byte in a text");
}

// Nested as deep as cJSON goes: found by the reader that wants a number there.
static void deepListsAreNoNumbers(void** state) {
    (void)state;
    char text[2048] = "{'graze_scene':1,\n'gravity':[0,", place[1000];
    const size_t begin = strlen(text);
    memset(text + begin, '[', 900);
    memset(text + begin + 900, ']', 900);
    strcpy(text + begin + 1800, ",0]}");
    snprintf(place, sizeof place, "%s:2:", g_path.text);
    putScene(text);
    refuse("deep lists", place, "gravity[1]: expected a number");
}

static void manyNamesCostLittle(void** state) {
    (void)state;
    enum { count = 200000 };
    char* text = malloc(count * 16 + 64);
    size_t used = (size_t)sprintf(text, "{\"graze_scene\":1");
    for (int i = 0; i < count; ++i)
        used += (size_t)sprintf(text + used, ",\n\"n%d\":1", i);
    used += (size_t)sprintf(text + used, "}");
    writeBytes(g_path.text, text, used);
    refuse("many names", g_path.text, ":2:1: n0: unknown field");
    free(text);
}

// ----------------------------------------------------------------------------------------------------- what fields do

static grzBodyView bodyIn(const Scene* scene, uint32_t slot) {
    grzBodyView view;
    assert_true(grzResult_IsOk(grzWorld_GetBody(scene->world, grzWorld_BodyAt(scene->world, slot), &view)));
    return view;
}

static bool isNear(grzVec3 a, float x, float y, float z) {
    return grzLength(grzSub(a, grzVec3_Make(x, y, z))) < 1e-5f;
}

static void bodiesStandWhereTheyShould(void** state) {
    (void)state;
    Scene scene;
    load(&scene, "{'graze_scene':1,'time_step':0.5,'steps':7,'bodies':["
                 "{'kind':'kinematic','shape':{'sphere':1},'at':[1,2,3],'velocity':[4,5,6],'spin':[7,8,9]},"
                 "{'shape':{'box':[0.5,1,2]},'density':10,'turn':[0,2,0,90]},"
                 "{'shape':{'sphere':1},'at':[100,0,0],'repeat':{'grid':[2,3,2],'spacing':[2,3,4]}},"
                 "{'shape':{'sphere':1},'at':[0,100,0],'repeat':{'pyramid':3,'spacing':[2,1,5]}}]}");
    assert_int_equal(scene.stepCount, 7);
    assert_true(scene.timeStep == 0.5);
    assert_int_equal(grzWorld_GetStats(scene.world).bodyCount, 2 + 12 + 6);
    grzBodyView body = bodyIn(&scene, 0);
    assert_int_equal(body.kind, grz_kinematicBody);
    assert_true(isNear(body.origin, 1, 2, 3) && isNear(body.velocity, 4, 5, 6) && isNear(body.spin, 7, 8, 9));
    body = bodyIn(&scene, 1);
    assert_true(body.mass > 79.99f && body.mass < 80.01f); // 1 * 2 * 4 * 10
    assert_true(isNear(grzQuat_Rotate(body.rotation, grzVec3_Make(1, 0, 0)), 0, 0, -1));
    assert_true(isNear(bodyIn(&scene, 3).origin, 102, 0, 0)); // x first,
    assert_true(isNear(bodyIn(&scene, 4).origin, 100, 0, 4)); // then z,
    assert_true(isNear(bodyIn(&scene, 6).origin, 100, 3, 0)); // then y
    assert_true(isNear(bodyIn(&scene, 13).origin, 102, 6, 4));
    assert_true(isNear(bodyIn(&scene, 16).origin, 4, 100, 0)); // the last of the lowest row
    assert_true(isNear(bodyIn(&scene, 17).origin, 1, 101, 0)); // the next row stands between two
    assert_true(isNear(bodyIn(&scene, 19).origin, 2, 102, 0));
    Scene_Release(&scene);
}

static void jitterHasBoundsAndASeed(void** state) {
    (void)state;
    Scene one, other;
    float greatest = 0;
    bool isTurned = false;
    load(&one, "{'graze_scene':1,'bodies':[{'shape':{'sphere':1},"
               "'repeat':{'grid':[8,1,8],'spacing':[3,3,3],'jitter':0.25,'turning':90,'seed':5}}]}");
    load(&other, "{'graze_scene':1,'bodies':[{'shape':{'sphere':1},"
                 "'repeat':{'grid':[8,1,8],'spacing':[3,3,3],'jitter':0.25,'turning':90,'seed':6}}]}");
    for (uint32_t i = 0; i < 64; ++i) {
        const grzBodyView body = bodyIn(&one, i);
        const grzVec3 off = grzAbs(grzSub(body.origin, grzVec3_Make(3 * (float)(i % 8), 0, 3 * (float)(i / 8))));
        greatest = off.x > greatest ? off.x : greatest;
        assert_true(off.x <= 0.25001f && off.y <= 0.25001f && off.z <= 0.25001f);
        isTurned = isTurned || body.rotation.w < 0.9f;
    }
    assert_true(greatest > 0.1f && isTurned);
    assert_true(grzWorld_HashState(one.world) != grzWorld_HashState(other.world));
    Scene_Release(&one);
    Scene_Release(&other);
}

// A field and another value for it.
typedef struct Change {
    const char *from, *to;
} Change;

// Things that hit each other with every field in use, so that none can change without being seen.
static const char moving[] =
    "{'graze_scene':1,'time_step':0.016,'substeps':4,'gravity':[0,-9,0],'margin':0.02,"
    "'meshes':[{'name':'a','file':'square.obj'},{'name':'b','shape':'grid','triangles':72,'scale':[1,1,1]}],"
    "'bodies':[{'kind':'static','shape':{'box':[9,1,9]},'at':[0,-1,0]},"
    "{'shape':{'box':[0.5,0.4,0.5]},'at':[0,0.5,0],'turn':[0,1,0,10],'velocity':[3,-4,0],'spin':[0,0,1],'density':"
    "100,"
    "'friction':0.5,'restitution':0.5,'gravity_scale':1.5,'linear_damping':0.2,'angular_damping':0.3},"
    "{'shape':{'sphere':0.3},'at':[0.1,1.3,0]},{'shape':{'capsule':[0.2,0.3]},'at':[4,0.4,0],'velocity':[1,0,0]},"
    "{'kind':'static','shape':{'mesh':'a'},'two_sided':true,'at':[6,0.3,1],'turn':[1,0,0,180]},"
    "{'shape':{'sphere':0.2},'at':[6.4,0.5,0.5]}],"
    "'cloths':[{'mesh':'b','at':[4,0.1,0],'turn':[1,0,0,1],'density':0.25,'thickness':0.02,'stretch_compliance':0."
    "001,"
    "'bend_compliance':0.5,'damping':0.2,'friction':0.35,'pins':[0]}],"
    "'animated':[{'mesh':'a','cache':'square.pc2','at':[-4,0.2,0],'scale':2,'keyframes_per_second':4,'loops':false}"
    ","
    "{'walker':{'triangles':120,'height':1.7,'speed':1.2},'at':[-0.5,0,0.3],'friction':0.8}]}";

static const Change changes[] = {
    {"'time_step':0.016", "'time_step':0.015"},
    {"'substeps':4", "'substeps':5"},
    {"[0,-9,0]", "[0,-8,0]"},
    {"'margin':0.02", "'margin':0.3"},
    {"'scale':[1,1,1]", "'scale':[1,1,1.01]"},
    {"'turn':[0,1,0,10]", "'turn':[0,1,0,11]"},
    {"'velocity':[3,-4,0]", "'velocity':[3,-4,0.1]"},
    {"'spin':[0,0,1]", "'spin':[0,0,1.1]"},
    {"'density':100", "'density':110"},
    {"'friction':0.5", "'friction':0.2"},
    {"'restitution':0.5", "'restitution':0.2"},
    {"'gravity_scale':1.5", "'gravity_scale':1.4"},
    {"'linear_damping':0.2", "'linear_damping':0.1"},
    {"'angular_damping':0.3", "'angular_damping':0.2"},
    {"'sphere':0.3", "'sphere':0.31"},
    {"'two_sided':true", "'two_sided':false"},
    {"'capsule':[0.2,0.3]", "'capsule':[0.2,0.31]"},
    {"'turn':[1,0,0,1]", "'turn':[1,0,0,2]"},
    {"'density':0.25", "'density':0.5"},
    {"'thickness':0.02", "'thickness':0.03"},
    {"'stretch_compliance':0.001", "'stretch_compliance':0.002"},
    {"'bend_compliance':0.5", "'bend_compliance':0.1"},
    {"'damping':0.2,'friction'", "'damping':0.3,'friction'"},
    {"'friction':0.35", "'friction':0.1"},
    {"'pins':[0]", "'pins':[1]"},
    {"'scale':2", "'scale':2.1"},
    {"'keyframes_per_second':4", "'keyframes_per_second':1"},
    {"'loops':false", "'loops':true"},
    {"'triangles':120", "'triangles':480"},
    {"'height':1.7", "'height':1.8"},
    {"'speed':1.2", "'speed':1.3"},
    {"'friction':0.8", "'friction':0.1"},
};

static uint64_t outcomeOf(const char* text) {
    Scene scene;
    load(&scene, text);
    for (int step = 0; step < 25; ++step)
        stepOnce(&scene);
    const uint64_t hash = grzWorld_HashState(scene.world) ^ grzWorld_HashContacts(scene.world);
    Scene_Release(&scene);
    return hash;
}

static void everyFieldCounts(void** state) {
    (void)state;
    const uint64_t before = outcomeOf(moving);
    assert_true(before == outcomeOf(moving));
    for (size_t i = 0; i < sizeof changes / sizeof *changes; ++i) {
        char text[sizeof moving + 64];
        const char* at = strstr(moving, changes[i].from);
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - moving), moving, changes[i].to,
                 at + strlen(changes[i].from));
        if (outcomeOf(text) == before)
            fail_msg("%s in place of %s changes nothing", changes[i].to, changes[i].from);
    }
}

static const float* positionsOf(const Scene* scene) {
    grzAnimatedView view;
    assert_true(grzResult_IsOk(grzWorld_GetAnimated(scene->world, scene->motions.data[0]->id, &view)));
    return view.positions;
}

// Frames half a second apart; the square is at height 10 in even frames and at 13 in odd ones.
static void cachesLeadMeshes(void** state) {
    static const float looping[] = {11.5f, 13, 11.5f, 10, 11.5f, 13}, once[] = {11.5f, 13, 13, 13, 13, 13};
    for (int loops = 0; loops < 2; ++loops) {
        Scene scene;
        char text[400];
        snprintf(text, sizeof text,
                 SQUARE "'time_step':0.25,'animated':[{'mesh':'a','cache':'square.pc2','at':[5,10,0],"
                        "'scale':3,'keyframes_per_second':2,'loops':%s}]}",
                 loops != 0 ? "true" : "false");
        load(&scene, text);
        for (int step = 0; step < 6; ++step) {
            stepOnce(&scene);
            const float* p = positionsOf(&scene);
            const float height = (loops != 0 ? looping : once)[step];
            if (!(p[3] == 8.0f && p[4] > height - 1e-4f && p[4] < height + 1e-4f))
                fail_msg("step %d, loops %d: (%g, %g), not (8, %g)", step, loops, (double)p[3], (double)p[4],
                         (double)height);
        }
        Scene_Release(&scene);
    }
    (void)state;
}

static void walkersGoOn(void** state) {
    (void)state;
    Scene scene;
    load(&scene, "{'graze_scene':1,'animated':[{'walker':{'triangles':480,'height':3,'speed':2},'at':[1,0,0]}]}");
    for (int step = 0; step < 60; ++step)
        stepOnce(&scene);
    float lower = 1e9f, upper = -1e9f, mean = 0;
    const float* p = positionsOf(&scene);
    const uint32_t count = grzMesh_GetView(scene.motions.data[0]->mesh).vertexCount;
    for (uint32_t i = 0; i < count; ++i) {
        lower = p[3 * i + 1] < lower ? p[3 * i + 1] : lower;
        upper = p[3 * i + 1] > upper ? p[3 * i + 1] : upper;
        mean += p[3 * i] / (float)count;
    }
    assert_true(lower > -0.1f && lower < 0.5f && upper > 2.7f && upper < 3.2f);
    assert_true(mean > 2.8f && mean < 3.2f); // from 1, a second at 2
    Scene_Release(&scene);
}

static void pinsHold(void** state) {
    (void)state;
    Scene scene;
    grzClothView cloth;
    load(&scene, SQUARE "'cloths':[{'mesh':'a','at':[0,5,0],'pins':[3]}]}");
    for (int step = 0; step < 20; ++step)
        stepOnce(&scene);
    assert_true(grzResult_IsOk(grzWorld_GetCloth(scene.world, grzWorld_BodyAt(scene.world, 0), &cloth)));
    assert_true(cloth.positions[3 * 3 + 1] == 5.0f);
    assert_true(cloth.positions[1] < 4.9f);
    Scene_Release(&scene);
}

// ------------------------------------------------------------------------------------------------- memory, and damage

static const char everything[] =
    "{'graze_scene': 1, 'about': 'all', 'steps': 3, 'substeps': 2, 'time_step': 0.02, 'margin': 0.01, 'gravity': "
    "[0, -9, 0],\n"
    "'camera': {'from': [4, 3, 6], 'to': [0, 0.5, 0], 'field_of_view': 40},\n"
    "'meshes': [{'name': 'a', 'file': 'square.obj'}, {'name': 'b', 'shape': 'torus', 'triangles': 64, 'scale': [1, "
    "2, 1]}],\n"
    "'bodies': [{'kind': 'static', 'shape': {'box': [8, 0.5, 8]}, 'at': [0, -0.5, 0], 'color': [0.4, 0.6, 0.4]},\n"
    " {'shape': {'mesh': 'b'}, 'density': 20, 'friction': 0.5, 'restitution': 0.1, 'at': [3, 2, 0]},\n"
    " {'shape': {'hull': 'b'}, 'gravity_scale': 0.5, 'linear_damping': 0.1, 'angular_damping': 0.1, 'at': [-3, 2, "
    "0]},\n"
    " {'shape': {'capsule': [0.2, 0.3]}, 'turn': [1, 0, 1, 45], 'velocity': [1, 0, 0], 'spin': [0, 1, 0],\n"
    "  'repeat': {'grid': [2, 1, 2], 'spacing': [1, 1, 1], 'jitter': 0.1, 'turning': 10, 'seed': 3}},\n"
    " {'shape': {'sphere': 0.2}, 'at': [0, 4, 0], 'repeat': {'pyramid': 2}}],\n"
    "'cloths': [{'mesh': 'a', 'at': [0, 1, 0], 'density': 0.3, 'thickness': 0.02, 'stretch_compliance': 0,\n"
    "  'bend_compliance': 10, 'damping': 0.1, 'friction': 0.3, 'pins': [0, 3], 'color': [1, 0, 0]}],\n"
    "'animated': [{'mesh': 'a', 'cache': 'square.pc2', 'loops': true, 'two_sided': true, 'at': [6, 0, 0], 'scale': "
    "2},\n"
    "  {'walker': {'triangles': 480, 'height': 1, 'speed': 1}, 'keyframes_per_second': 30, 'at': [0, 0, -2]}]}\n";

// Refuses what would go beyond a limit, as scenes may ask for a million bodies.
typedef struct Purse {
    TestMemory memory;
    size_t limit;
} Purse;

static void* spend(void* context, size_t size, size_t alignment) {
    Purse* purse = context;
    return purse->memory.liveBytes + size > purse->limit ? NULL : testAllocate(&purse->memory, size, alignment);
}

static void giveBack(void* context, void* data, size_t size, size_t alignment) {
    Purse* purse = context;
    testRelease(&purse->memory, data, size, alignment);
}

// Loads, steps and releases; whatever fails says so in one sentence. Returns whether all was done.
static bool tryScene(Purse* purse) {
    Scene scene;
    FileError error = {""};
    const SceneSetup setup = {.allocator = {purse, spend, giveBack}};
    bool isDone =
        Scene_Load(&scene, g_path.text, &setup, &error) && Scene_Step(&scene, &error) && Scene_Step(&scene, &error);
    if (!isDone && (strchr(error.text, '\n') != NULL || strstr(error.text, ": ") == NULL))
        fail_msg("no sentence: %s", error.text);
    Scene_Release(&scene);
    assert_int_equal(purse->memory.liveCount, 0);
    return isDone;
}

static void refusedMemoryLeavesNothing(void** state) {
    (void)state;
    putScene(everything);
    Purse purse = {{.failAt = SIZE_MAX}, SIZE_MAX};
    assert_true(tryScene(&purse));
    const size_t requests = purse.memory.requests;
    assert_true(requests > 100);
    for (size_t i = 0; i < requests; i += 1 + requests / 150) {
        Purse poor = {{.failAt = i}, SIZE_MAX};
        assert_false(tryScene(&poor));
    }
}

// The next digit becomes another one, so that most files are scenes still.
static void changeNumber(char* text, size_t size, size_t at, uint64_t* random) {
    while (at < size && !(text[at] >= '0' && text[at] <= '9'))
        ++at;
    if (at < size)
        text[at] = (char)('0' + nextRandom(random) % 10);
}

// One to three places overwritten, cut out, doubled, or replaced by a word that decides something.
static size_t damage(char* text, size_t size, uint64_t* random) {
    static const char* const words[] = {"null",
                                        "-1",
                                        "0",
                                        "1e999",
                                        "1e-300",
                                        "\"",
                                        "{",
                                        "}",
                                        "[",
                                        "]",
                                        ",",
                                        "true",
                                        "\"a\"",
                                        "4",
                                        "[[[[[[[[[[[[[[[[[[[[",
                                        "{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":",
                                        "\\",
                                        "\n"};
    for (uint64_t i = 0, count = 1 + nextRandom(random) % 3; i < count; ++i) {
        const size_t at = (size_t)(nextRandom(random) % size), most = size - at;
        const size_t wanted = (size_t)(nextRandom(random) % 12), length = wanted < most ? wanted : most;
        const char* word = words[nextRandom(random) % (sizeof words / sizeof *words)];
        switch (nextRandom(random) % 8) {
        case 0:
            text[at] = (char)(nextRandom(random) % 256);
            break;
        case 1:
            memmove(text + at, text + at + length, most - length);
            size -= length;
            break;
        case 2:
            memmove(text + at + length, text + at, most);
            size += length;
            break;
        case 3:
            memmove(text + at + strlen(word), text + at, most);
            memcpy(text + at, word, strlen(word));
            size += strlen(word);
            break;
        default:
            changeNumber(text, size, at, random);
        }
    }
    return size;
}

static void damagedScenesAreRefusedOrRun(void** state) {
    (void)state;
    enum { rounds = 400 };
    uint64_t random = testSeed(7);
    int done = 0;
    for (int round = 0; round < rounds; ++round) {
        char text[sizeof everything + 256];
        for (size_t i = 0; i < sizeof everything; ++i)
            text[i] = everything[i] == '\'' ? '"' : everything[i];
        writeBytes(g_path.text, text, damage(text, sizeof everything - 1, &random));
        Purse purse = {{.failAt = SIZE_MAX}, 4 << 20};
        done += tryScene(&purse);
    }
    print_message("%d of %d damaged scenes ran\n", done, (int)rounds);
    assert_true(done > 0 && done < rounds);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(breaksAreFoundWhereTheyAre),
        cmocka_unit_test(eachFlawIsOneSentence),
        cmocka_unit_test(zerosAndDepthsAreNoJson),
        cmocka_unit_test(deepListsAreNoNumbers),
        cmocka_unit_test(manyNamesCostLittle),
        cmocka_unit_test(bodiesStandWhereTheyShould),
        cmocka_unit_test(jitterHasBoundsAndASeed),
        cmocka_unit_test(everyFieldCounts),
        cmocka_unit_test(cachesLeadMeshes),
        cmocka_unit_test(walkersGoOn),
        cmocka_unit_test(pinsHold),
        cmocka_unit_test(refusedMemoryLeavesNothing),
        cmocka_unit_test(damagedScenesAreRefusedOrRun),
    };
    return cmocka_run_group_tests_name("scene", tests, makeFiles, dropFiles);
}
