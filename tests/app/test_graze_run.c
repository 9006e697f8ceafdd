// The program's command run: what it prints and writes, what it refuses, the same hashes for any number of workers and at every
// SIMD level, and the hashes of the four scenes in examples/scenes.
#include "program_testing.h"

#include <inttypes.h>

#include <cjson/cJSON.h>

#include "file_testing.h"
#include "png_testing.h"

// One of everything.
static const char smallScene[] =
    "{\"graze_scene\": 1, \"about\": \"small\", \"steps\": 12, \"time_step\": 0.02,\n"
    " \"camera\": {\"from\": [4, 3, 6], \"to\": [0, 0.5, 0]},\n"
    " \"meshes\": [{\"name\": \"sheet\", \"shape\": \"grid\", \"triangles\": 72},\n"
    "            {\"name\": \"ring\", \"shape\": \"torus\", \"triangles\": 96, \"scale\": [0.5, 0.5, 0.5]},\n"
    "            {\"name\": \"stone\", \"shape\": \"sphere\", \"triangles\": 80, \"scale\": [0.3, 0.2, 0.3]}],\n"
    " \"bodies\": [{\"kind\": \"static\", \"shape\": {\"box\": [8, 0.5, 8]}, \"at\": [0, -0.5, 0], \"color\": "
    "[0.4, 0.6, 0.4]},\n"
    "            {\"shape\": {\"box\": [0.2, 0.2, 0.2]}, \"at\": [-2, 0.2, 0], \"repeat\": {\"pyramid\": 3, "
    "\"spacing\": [0.41, 0.4, 1]}},\n"
    "            {\"shape\": {\"mesh\": \"ring\"}, \"at\": [1.5, 0.16, 0], \"color\": [0.8, 0.3, 0.3]},\n"
    "            {\"shape\": {\"hull\": \"stone\"}, \"at\": [0, 0.19, 1]},\n"
    "            {\"shape\": {\"sphere\": 0.2}, \"at\": [0, 0.1, 2], \"velocity\": [0, -1, 0]},\n"
    "            {\"shape\": {\"capsule\": [0.1, 0.2]}, \"at\": [0, 0.1, -1], \"turn\": [0, 0, 1, 90]}],\n"
    " \"cloths\": [{\"mesh\": \"sheet\", \"at\": [-1, 1.25, 0], \"pins\": [0, 6]}],\n"
    " \"animated\": [{\"walker\": {\"triangles\": 480, \"height\": 1}, \"at\": [0, 0, -2]}]}\n";

typedef struct Suite {
    TestFolder folder;
    TestPath scene;
    ProgramRun run;
} Suite;

static int makeSuite(void** state) {
    static Suite suite;
    suite.folder = makeFolder();
    suite.scene = pathIn(&suite.folder, "small.json");
    writeBytes(suite.scene.text, smallScene, sizeof smallScene - 1);
    *state = &suite;
    return 0;
}

static int dropSuite(void** state) {
    Suite* suite = *state;
    free(suite->run.text);
    removeFolder(&suite->folder);
    return 0;
}

// `graze run OPTIONS SCENE`, with %s in the options standing for the folder.
static int run(Suite* suite, const char* options, const char* scene) {
    char line[3000];
    size_t used = (size_t)snprintf(line, sizeof line, "run ");
    for (const char* c = options; *c != 0; ++c) {
        if (c[0] == '@')
            used += (size_t)snprintf(line + used, sizeof line - used, "%s", suite->folder.path);
        else
            line[used++] = *c;
    }
    snprintf(line + used, sizeof line - used, " \"%s\"", scene);
    return runProgram(&suite->run, GRAZE_PROGRAM, line);
}

static void runWell(Suite* suite, const char* options) {
    if (run(suite, options, suite->scene.text) != 0)
        fail_msg("graze run %s said: %s", options, suite->run.text);
}

typedef struct Hashes {
    uint64_t state, contacts;
} Hashes;

static Hashes hashesOf(const Suite* suite) {
    Hashes hashes = {0, 0};
    const char* line = strstr(suite->run.text, "\nstate ");
    assert_non_null(line);
    assert_int_equal(sscanf(line, "\nstate %" SCNx64 "  contacts %" SCNx64, &hashes.state, &hashes.contacts), 2);
    return hashes;
}

// The numbers behind a word that begins a line.
static int numbersBehind(const char* text, const char* word, double numbers[4]) {
    char begin[64];
    snprintf(begin, sizeof begin, "\n%s", word);
    const char* line = strstr(text, begin);
    if (line == NULL)
        fail_msg("there is no line of %s in: %s", word, text);
    line += strlen(begin);
    return sscanf(line, "%lf%*[ %%]%lf%*[ %%]%lf%*[ %%]%lf", &numbers[0], &numbers[1], &numbers[2], &numbers[3]);
}

static const char* const stageNames[] = {"plan", "broad", "mid", "narrow", "solve", "publish"};

// ------------------------------------------------------------------------------------------------------------- output

static void theTableAddsUp(void** state) {
    Suite* suite = *state;
    double step[4], stage[4], sum = 0, counted[4];
    runWell(suite, "--workers 1");
    assert_non_null(strstr(suite->run.text,
                           "small.json: 13 bodies (11 rigid, 10 of them dynamic; 1 cloth, 1 animated), "
                           "12 steps of 20 ms, 1 workers\n"));
    assert_int_equal(numbersBehind(suite->run.text, "step ", step), 4);
    assert_true(step[0] > 0 && step[1] == 100 && step[2] <= step[3]);
    for (size_t i = 0; i < 7; ++i) {
        assert_int_equal(numbersBehind(suite->run.text, i < 6 ? stageNames[i] : "between", stage), 4);
        assert_true(stage[0] >= 0 && stage[2] <= stage[3] && stage[3] <= stage[0] + 1e-3);
        sum += stage[0];
    }
    assert_true(stage[0] < sum); // the stages have taken something
    assert_true(sum > step[0] - 0.01 && sum < step[0] + 0.01);
    assert_int_equal(numbersBehind(suite->run.text, "contacts", counted), 3);
    assert_true(counted[0] > 0 && counted[2] > 0);
    assert_true(counted[1] > counted[0] / 12 - 0.1 && counted[1] < counted[0] / 12 + 0.1);
    assert_true(numbersBehind(suite->run.text, "hits:", counted) >= 1 && counted[0] >= 0);
    assert_null(strchr(suite->run.text, '\r')); // no progress where there is no terminal
}

static void stepsAreAsAsked(void** state) {
    Suite* suite = *state;
    runWell(suite, "--steps 3");
    assert_non_null(strstr(suite->run.text, " 3 steps of "));
    const Hashes three = hashesOf(suite);
    runWell(suite, "--steps=4");
    const Hashes four = hashesOf(suite);
    assert_true(three.state != four.state);
}

static void quietSaysNothing(void** state) {
    Suite* suite = *state;
    runWell(suite, "--quiet --steps 2");
    assert_string_equal(suite->run.text, "");
}

static void csvHasALineForEachStep(void** state) {
    Suite* suite = *state;
    double counted[4], touched[4], steps[4];
    size_t size, lines = 0;
    double contacts = 0, touching = 0, longest = 0;
    runWell(suite, "--csv @/out.csv");
    assert_int_equal(numbersBehind(suite->run.text, "contacts", counted), 3);
    assert_int_equal(numbersBehind(suite->run.text, "touching pairs", touched), 3);
    assert_int_equal(numbersBehind(suite->run.text, "step ", steps), 4);
    char* text = (char*)readWhole(pathIn(&suite->folder, "out.csv").text, &size);
    char* line = strtok(text, "\n");
    assert_string_equal(
        line, "step,step_ms,plan_ms,broad_ms,mid_ms,narrow_ms,solve_ms,publish_ms,body_pairs,recycled_pairs,"
              "triangle_pairs,contacts,touching_pairs");
    for (line = strtok(NULL, "\n"); line != NULL; line = strtok(NULL, "\n"), ++lines) {
        double cells[13], sum = 0;
        int count = 0;
        for (char* at = line; *at != 0 && count < 13; at += *at == ',')
            cells[count++] = strtod(at, &at);
        assert_int_equal(count, 13);
        assert_true(cells[0] == (double)lines);
        for (int i = 2; i < 8; ++i)
            sum += cells[i];
        assert_true(sum <= cells[1] + 1e-3);
        contacts += cells[11], touching += cells[12];
        longest = cells[1] > longest ? cells[1] : longest;
    }
    assert_int_equal(lines, 12);
    assert_true(contacts == counted[0] && touching == touched[0]);
    assert_true(contacts > 2 * touching);                                // boxes stand on four
    assert_true(longest > steps[3] - 1e-3 && longest < steps[3] + 1e-3); // p99 of twelve is the longest
    free(text);
}

static void theTraceIsJson(void** state) {
    Suite* suite = *state;
    size_t size;
    bool found[6] = {false}, hasCounts = false;
    runWell(suite, "--steps 3 --workers 2 --trace @/out.trace");
    char* text = (char*)readWhole(pathIn(&suite->folder, "out.trace").text, &size);
    cJSON* root = cJSON_ParseWithOpts(text, NULL, 1);
    assert_non_null(root);
    const cJSON* events = cJSON_IsArray(root) ? root : cJSON_GetObjectItemCaseSensitive(root, "traceEvents");
    assert_true(cJSON_IsArray(events));
    const cJSON* event;
    cJSON_ArrayForEach(event, events) {
        const cJSON* name = cJSON_GetObjectItemCaseSensitive(event, "name");
        for (size_t i = 0; i < 6; ++i)
            found[i] = found[i] || (cJSON_IsString(name) && strcmp(name->valuestring, stageNames[i]) == 0);
        hasCounts = hasCounts || (cJSON_IsString(name) && strcmp(name->valuestring, "touching pairs") == 0);
    }
    assert_true(hasCounts);
    for (size_t i = 0; i < 6; ++i)
        if (!found[i])
            fail_msg("the trace has no zone %s", stageNames[i]);
    cJSON_Delete(root);
    free(text);
}

// How many pixels have about the hue of a colour: its channels' order and distance.
static size_t countRed(const TestPicture* picture) {
    size_t count = 0;
    for (size_t i = 0; i < (size_t)picture->width * picture->height; ++i) {
        const uint8_t* p = &picture->pixels[3 * i];
        count += p[0] > p[1] + 40 && p[0] > p[2] + 40;
    }
    return count;
}

static void comparePictures(Suite* suite, const char* options, uint32_t width, uint32_t height) {
    char line[200];
    snprintf(line, sizeof line, "--quiet --steps 2 %s --picture @/out.png", options);
    runWell(suite, line);
    snprintf(line, sizeof line, "--quiet --steps 2 %s --picture @/out.PPM", options);
    runWell(suite, line);
    const TestPicture png = readPng(pathIn(&suite->folder, "out.png").text);
    const TestPicture ppm = readPpm(pathIn(&suite->folder, "out.PPM").text);
    assert_true(png.width == width && png.height == height && ppm.width == width && ppm.height == height);
    assert_memory_equal(png.pixels, ppm.pixels, (size_t)width * height * 3);
    const size_t red = countRed(&png), all = (size_t)width * height;
    if (red <= all / 400 || red >= all / 2)
        fail_msg("%zu of %zu pixels are red, of a red ring and a red cloth", red, all);
    free(png.pixels);
    free(ppm.pixels);
}

static void picturesAreRead(void** state) {
    comparePictures(*state, "--width 64 --height 48", 64, 48);
    comparePictures(*state, "--width 321 --height 117", 321, 117);
}

// A red box before a blue one, in either order; the ground reaches far behind the eye.
static void whatIsNearerHides(void** state) {
    static const char* const boxes[2] = {
        "{\"shape\": {\"box\": [1, 1, 0.1]}, \"at\": [0, 1, 0.4], \"color\": [1, 0, 0]}",
        "{\"shape\": {\"box\": [3, 3, 0.1]}, \"at\": [0, 3, 0], \"color\": [0, 0, 1]}",
    };
    Suite* suite = *state;
    for (int first = 0; first < 2; ++first) {
        char text[1000];
        const int size = snprintf(
            text, sizeof text,
            "{\"graze_scene\": 1, \"camera\": {\"from\": [0, 1, 8], \"to\": [0, 1, 0]}, \"bodies\": [%s, %s, "
            "{\"kind\": \"static\", \"shape\": {\"box\": [900, 1, 900]}, \"at\": [0, -1, 0], \"color\": [0, 1, "
            "0]}]}",
            boxes[first], boxes[1 - first]);
        const TestPath path = pathIn(&suite->folder, "boxes.json");
        writeBytes(path.text, text, (size_t)size);
        assert_int_equal(run(suite, "--quiet --steps 1 --width 90 --height 60 --picture @/boxes.png", path.text),
                         0);
        const TestPicture picture = readPng(pathIn(&suite->folder, "boxes.png").text);
        const uint8_t *red = &picture.pixels[3 * (30 * 90 + 45)], *blue = &picture.pixels[3 * (10 * 90 + 45)];
        const uint8_t *green = &picture.pixels[3 * (55 * 90 + 45)], *sky = &picture.pixels[3 * 2];
        assert_true(red[0] > 60 && red[1] == 0 && red[2] == 0);
        assert_true(blue[2] > 60 && blue[0] == 0 && blue[1] == 0);
        assert_true(green[1] > 60 && green[0] == 0 && green[2] == 0);
        assert_true(sky[0] > 100 && sky[1] > 100 && sky[2] > 100);
        free(picture.pixels);
    }
}

// The end of a run tells of bodies that were stopped: how often, and the first.
static void stopsAreTold(void** state) {
    Suite* suite = *state;
    const TestPath path = pathIn(&suite->folder, "flier.json");
    const char* text = "{\"graze_scene\": 1, \"time_step\": 1, \"gravity\": [1e6, 0, 0], \"bodies\": ["
                       "{\"kind\": \"static\", \"shape\": {\"sphere\": 1}}, "
                       "{\"shape\": {\"sphere\": 1}, \"at\": [0, 9, 0], \"gravity_scale\": 100}]}";
    writeBytes(path.text, text, strlen(text));
    assert_int_equal(run(suite, "--steps 4000", path.text), 0);
    assert_null(strstr(suite->run.text, "stopped:"));
    assert_int_equal(run(suite, "--steps 5000", path.text), 0);
    assert_non_null(strstr(suite->run.text, "times a body; the first is object 1 in step 4"));
    assert_non_null(strstr(suite->run.text, "1e15"));
}

// ----------------------------------------------------------------------------------------------------------- sameness

static void workersChangeNothing(void** state) {
    Suite* suite = *state;
    runWell(suite, "--workers 1");
    const Hashes one = hashesOf(suite);
    runWell(suite, "--workers 2");
    const Hashes two = hashesOf(suite);
    runWell(suite, "--workers 3");
    const Hashes three = hashesOf(suite);
    assert_memory_equal(&one, &two, sizeof one);
    assert_memory_equal(&one, &three, sizeof one);
}

static void levelsChangeNothing(void** state) {
    static const char* const levels[] = {"scalar", "sse2", "avx2", "avx512", "neon"};
    Suite* suite = *state;
    const char* before = getenv("GRZ_SIMD");
    char* kept = before != NULL ? strdup(before) : NULL;
    Hashes first = {0, 0};
    int count = 0;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; ++i) {
        setenv("GRZ_SIMD", levels[i], 1);
        const int code = run(suite, "--steps 6", suite->scene.text);
        if (code == 2 && strstr(suite->run.text, levels[i]) != NULL)
            continue; // a level that this machine lacks
        assert_int_equal(code, 0);
        const Hashes hashes = hashesOf(suite);
        first = count++ == 0 ? hashes : first;
        assert_memory_equal(&hashes, &first, sizeof hashes);
    }
    assert_true(count >= 1);
    if (kept != NULL)
        setenv("GRZ_SIMD", kept, 1);
    else
        unsetenv("GRZ_SIMD");
    free(kept);
}

// Few steps, as the sanitizers are slow, but enough that meshes meet meshes, cloth meets bodies, and the walker has walked.
typedef struct Example {
    const char* file;
    int steps;
    Hashes golden;
} Example;

static void examplesHaveTheirHashes(void** state) {
    static const Example examples[] = {
        {"pyramid.json", 30, {0x2ba55d36932a3df1, 0x2c35d2fa866fe88c}},
        {"tablecloth.json", 25, {0x54e820dea9bf6d86, 0x703584c9009d69b4}},
        {"walker.json", 20, {0xad670136c298960a, 0x164b4064d032be66}},
        {"mixed.json", 3, {0x831f70155076e49b, 0x62fb2bde11700c93}},
    };
    Suite* suite = *state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; ++i) {
        char options[64], path[1024];
        snprintf(options, sizeof options, "--steps %d --workers 2", examples[i].steps);
        snprintf(path, sizeof path, "%s/%s", GRAZE_SCENE_FOLDER, examples[i].file);
        if (run(suite, options, path) != 0)
            fail_msg("%s: %s", examples[i].file, suite->run.text);
        const Hashes hashes = hashesOf(suite);
        if (hashes.state != examples[i].golden.state || hashes.contacts != examples[i].golden.contacts)
            fail_msg("%s: state 0x%016" PRIx64 ", contacts 0x%016" PRIx64, examples[i].file, hashes.state,
                     hashes.contacts);
    }
}

// ----------------------------------------------------------------------------------------------------------- refusals

static void badUseIsOneSentence(void** state) {
    static const char* const lines[][2] = {
        {"run", "name a scene file"},
        {"run a.json b.json", "name one scene file, no more"},
        {"run --step 3 a.json", "there is no option '--step'"},
        {"run --steps 0 a.json", "--steps takes a whole number from 1 to 1000000000"},
        {"run --workers 0 a.json", "--workers takes a whole number from 1 to 1024"},
        {"run --width 15 a.json", "--width takes a whole number from 16 to 8192"},
        {"run --height 1e3 a.json", "--height takes a whole number"},
        {"run --csv", "--csv needs a value"},
        {"run /nowhere/at/all.json", "/nowhere/at/all.json: cannot be opened"},
        {"run /tmp", "/tmp: is a directory"},
        {"run /dev/null", "/dev/null:1:1: expected a value, found the end of the file"},
        {"run --picture out.jpg a.json", "out.jpg: a picture's name ends in .png or .ppm"},
    };
    Suite* suite = *state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
        assert_int_equal(runProgram(&suite->run, GRAZE_PROGRAM, lines[i][0]), 2);
        if (strstr(suite->run.text, lines[i][1]) == NULL || !isOneLine(suite->run.text))
            fail_msg("graze %s said: %s", lines[i][0], suite->run.text);
    }
    assert_int_equal(runProgram(&suite->run, GRAZE_PROGRAM, "run --help"), 0);
    assert_non_null(strstr(suite->run.text, "--picture FILE"));
}

static void whatCannotBeWrittenIsSaid(void** state) {
    static const char* const options[] = {"--csv", "--trace", "--picture"};
    Suite* suite = *state;
    const size_t files = countFiles(&suite->folder);
    for (size_t i = 0; i < 3; ++i) {
        char line[100];
        // Before the scene is looked at, and so before any step.
        snprintf(line, sizeof line, "%s @/no/such/folder/out.png", options[i]);
        assert_int_equal(run(suite, line, "/no/such/scene.json"), 2);
        assert_true(isOneLine(suite->run.text));
        assert_non_null(strstr(suite->run.text, "/no/such/folder/out.png: cannot be written"));
    }
    assert_int_equal(countFiles(&suite->folder), files);
}

// tests/app/test_scene.c has every kind of flaw; here is what the program makes of them.
static void badScenesWriteNothing(void** state) {
    static const char* const scenes[][2] = {
        {"", "bad.json:1:1: expected a value, found the end of the file"},
        {"{\"graze_scene\": 1,\n \"bodies\": [\n  {\"shape\": {\"sphere\": -1}}]}",
         "bad.json:3:24: bodies[0].shape.sphere: expected a number from"},
        {"{\"graze_scene\": 1,\n \"bodeis\": []}", "bad.json:2:2: bodeis: unknown field"},
        {"{\"graze_scene\": 1,\n\"meshes\": [{\"name\": \"a\",\n\n\"file\": \"missing.obj\"}]}",
         "bad.json:4:9: meshes[0].file: "},
    };
    Suite* suite = *state;
    const TestPath path = pathIn(&suite->folder, "bad.json");
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        writeBytes(path.text, scenes[i][0], strlen(scenes[i][0]));
        const size_t files = countFiles(&suite->folder);
        assert_int_equal(run(suite, "--csv @/bad.csv --trace @/bad.trace --picture @/bad.png", path.text), 2);
        if (strstr(suite->run.text, scenes[i][1]) == NULL || !isOneLine(suite->run.text) ||
            strncmp(suite->run.text, "graze run: ", 11) != 0)
            fail_msg("%s\nwas refused as: %s", scenes[i][0], suite->run.text);
        assert_int_equal(countFiles(&suite->folder), files);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stopsAreTold),
        cmocka_unit_test(theTableAddsUp),
        cmocka_unit_test(stepsAreAsAsked),
        cmocka_unit_test(quietSaysNothing),
        cmocka_unit_test(csvHasALineForEachStep),
        cmocka_unit_test(theTraceIsJson),
        cmocka_unit_test(picturesAreRead),
        cmocka_unit_test(whatIsNearerHides),
        cmocka_unit_test(workersChangeNothing),
        cmocka_unit_test(levelsChangeNothing),
        cmocka_unit_test(examplesHaveTheirHashes),
        cmocka_unit_test(badUseIsOneSentence),
        cmocka_unit_test(whatCannotBeWrittenIsSaid),
        cmocka_unit_test(badScenesWriteNothing),
    };
    return cmocka_run_group_tests_name("graze run", tests, makeSuite, dropSuite);
}
