// The program graze: what it prints, what it refuses, and its exit codes; each figure of `graze inspect` on a mesh in
// which no two are equal, and with GRAZE_DATA those of all its meshes against the table of the data's README.
#include "program_testing.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>

#include "json_text.h"
#include "mesh_write.h"
#include "shapes.h"

static ProgramRun g_run;
static char g_folder[] = "/tmp/graze-test-XXXXXX";

static int graze(const char* arguments) {
    return runProgram(&g_run, GRAZE_PROGRAM, arguments);
}

static int makeFolder(void** state) {
    (void)state;
    if (mkdtemp(g_folder) != NULL)
        return 0;
    print_error("%s cannot be made: %s\n", g_folder, strerror(errno));
    return -1;
}

static int dropFolder(void** state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", g_folder);
    free(g_run.text);
    return system(command);
}

static void helpAndVersion(void** state) {
    (void)state;
    assert_int_equal(graze("--help"), 0);
    assert_non_null(strstr(g_run.text, "inspect"));
    assert_non_null(strstr(g_run.text, "make"));
    assert_int_equal(graze("--version"), 0);
    assert_int_equal(strncmp(g_run.text, "graze ", 6), 0);
    assert_int_equal(graze("-h"), 0);
    assert_int_equal(graze("inspect -h"), 0);
    assert_int_equal(graze("inspect --help"), 0);
    assert_non_null(strstr(g_run.text, "--json"));
    assert_int_equal(graze("make --help"), 0);
    assert_non_null(strstr(g_run.text, "sphere"));
}

static void badUseIsOneSentence(void** state) {
    (void)state;
    static const char* const lines[][2] = {
        {"", "no command given"},
        {"walk", "there is no command 'walk'"},
        {"inspect", "name at least one mesh file"},
        {"inspect --jsn x.obj", "there is no option '--jsn'"},
        {"inspect --slivers x.obj", "--slivers takes a number"},
        {"inspect /nowhere/at/all.obj", "/nowhere/at/all.obj"},
        {"inspect /tmp", "/tmp"},
        {"inspect /dev/null", "/dev/null"},
        {"inspect --slivers 0 x.obj", "--slivers takes a number above 0"},
        {"make", "name a shape and a file"},
        {"make sphere a.obj b.obj", "no more"},
        {"make pyramid x.obj", "there is no shape 'pyramid'; the shapes are grid sphere torus box heap"},
        {"make sphere", "name a shape and a file"},
        {"make --triangles 1000000000 sphere /nowhere/at/all.obj", "/nowhere/at/all.obj"},
        {"make sphere /tmp/x.stl", "x.stl"},
        {"make --triangles many sphere x.obj", "--triangles takes a whole number"},
        {"make --triangles 99999999999 sphere x.obj", "--triangles takes a whole number from 1 to 1000000000"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
        assert_int_equal(graze(lines[i][0]), 2);
        if (strstr(g_run.text, lines[i][1]) == NULL || !isOneLine(g_run.text))
            fail_msg("graze %s said: %s", lines[i][0], g_run.text);
    }
}

// The number behind "key": in a line of JSON.
static double jsonNumber(const char* json, const char* key) {
    char quoted[80];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char* at = strstr(json, quoted);
    assert_non_null(at);
    return strtod(at + strlen(quoted), NULL);
}

static void inspectsWhatMakeMakes(void** state) {
    (void)state;
    char line[256];
    snprintf(line, sizeof line, "make --triangles 1300 sphere %s/ball.ply", g_folder);
    assert_int_equal(graze(line), 0);
    snprintf(line, sizeof line, "inspect --json %s/ball.ply", g_folder);
    assert_int_equal(graze(line), 0);
    assert_true(jsonNumber(g_run.text, "triangles") == (double)shapeTriangleCount(shapeSphere, 1300));
    assert_true(jsonNumber(g_run.text, "vertices") == jsonNumber(g_run.text, "triangles") / 2 + 2);
    assert_true(jsonNumber(g_run.text, "euler_number") == 2);
    assert_non_null(strstr(g_run.text, "\"closed\":true"));
    snprintf(line, sizeof line, "inspect %s/ball.ply", g_folder);
    assert_int_equal(graze(line), 0);
    assert_non_null(strstr(g_run.text, "bounds"));
    snprintf(line, sizeof line, "make --triangles 12 box %s/cube.ply", g_folder);
    assert_int_equal(graze(line), 0);
    snprintf(line, sizeof line, "inspect --json %s/cube.ply", g_folder);
    assert_int_equal(graze(line), 0);
    assert_true(jsonNumber(g_run.text, "area_up") == 4 && jsonNumber(g_run.text, "area_down") == 4);
    assert_true(jsonNumber(g_run.text, "area_sideways") == 16);
}

// Pieces that share no vertex, each with what it adds. The two last vertices span the bounds.
static const char flawedObj[] =
    // Three times in one place: two triangles that run along their edge in the same direction.
    // 4 vertices, 2 triangles, 5 edges, 4 of them boundary, 1 inconsistent; 8 vertices are duplicates of 4.
    "v 1 1 0\nv 2 1 0\nv 1 2 0\nv 2 2 0\nf -4 -3 -2\nf -4 -3 -1\n"
    "v 1 1 0\nv 2 1 0\nv 1 2 0\nv 2 2 0\nf -4 -3 -2\nf -4 -3 -1\n"
    "v 1 1 0\nv 2 1 0\nv 1 2 0\nv 2 2 0\nf -4 -3 -2\nf -4 -3 -1\n"
    // Three triangles at an edge: 5 vertices, 7 edges, 6 of them boundary, 1 non-manifold.
    "v 5 0 0\nv 5 1 0\nv 6 0 0\nv 4 0 0\nv 5 0 1\nf -5 -4 -3\nf -4 -5 -2\nf -5 -4 -1\n"
    // Twice: a triangle and its back: 3 vertices, 3 edges, 1 duplicate triangle.
    "v 7 0 0\nv 8 0 0\nv 7 1 0\nf -3 -2 -1\nf -1 -2 -3\n"
    "v 9 0 0\nv 10 0 0\nv 9 1 0\nf -3 -2 -1\nf -1 -2 -3\n"
    // Corners on a line: 3 vertices, 3 boundary edges, no area, a sliver.
    "v 0 3 3\nv 1 3 3\nv 2 3 3\nf -3 -2 -1\n"
    // Three times: a corner named twice: 2 vertices, 1 boundary edge, no area, a sliver.
    "v 0 4 4\nv 1 4 4\nf -2 -2 -1\nv 2 4 4\nv 3 4 4\nf -2 -1 -1\nv 4 4 4\nv 5 4 4\nf -2 -1 -2\n"
    // One corner named thrice: 1 vertex, no edge, no area, no sliver.
    "v 6 5 5\nf -1 -1 -1\n"
    // Two slivers with an area: 3 vertices, 3 boundary edges each.
    "v 0 6 6\nv 1 6 6\nv 0.5 6.000001 6\nf -3 -2 -1\nv 2 6 6\nv 3 6 6\nv 2.5 6.000001 6\nf -3 -2 -1\n"
    // Seven vertices without a triangle.
    "v 0 7 7\nv 1 7 7\nv 2 7 7\nv 3 7 7\nv 4 7 7\nv -1 -2 -3.5\nv 40 50 60.25\n";

typedef struct ExpectedFigure {
    const char *key, *text;
    int value;
} ExpectedFigure;

static const ExpectedFigure flawedFigures[] = {
    {"vertices", "vertices", 46},
    {"triangles", "triangles", 20},
    {"edges", "edges", 40},
    {"components", "components", 13},
    {"zero_area_triangles", "triangles without area", 5},
    {"repeated_index_triangles", "triangles that name a vertex twice", 4},
    {"slivers", "slivers", 6},
    {"duplicate_triangles", "duplicate triangles", 2},
    {"duplicate_vertices", "duplicate vertices", 8},
    {"unreferenced_vertices", "unreferenced vertices", 7},
    {"boundary_edges", "boundary edges", 30},
    {"non_manifold_edges", "non-manifold edges", 1},
    {"inconsistent_edges", "inconsistently oriented edges", 3},
    {"inside_out_components", "closed components inside out", 0},
    {"euler_number", "Euler number", 19},
};

enum { flawedFigureCount = sizeof flawedFigures / sizeof flawedFigures[0] };

static void inspectFlawed(const char* options) {
    char line[256], path[64];
    snprintf(path, sizeof path, "%s/flawed.obj", g_folder);
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(flawedObj, file);
    assert_int_equal(fclose(file), 0);
    snprintf(line, sizeof line, "inspect %s %s", options, path);
    assert_int_equal(graze(line), 0);
}

static void eachFigureIsItsOwnInJson(void** state) {
    (void)state;
    inspectFlawed("--json");
    for (int i = 0; i < flawedFigureCount; ++i)
        if (jsonNumber(g_run.text, flawedFigures[i].key) != flawedFigures[i].value)
            fail_msg("%s is not %d: %s", flawedFigures[i].key, flawedFigures[i].value, g_run.text);
    assert_non_null(strstr(g_run.text, "\"closed\":false,"));
    assert_non_null(strstr(g_run.text, "\"positions\":\"double\",\"sliver_ratio\":0.0001,"));
    assert_non_null(strstr(g_run.text, "\"lower\":[-1,-2,-3.5],\"upper\":[40,50,60.25]}\n"));
}

static void eachFigureIsItsOwnInText(void** state) {
    (void)state;
    inspectFlawed("");
    for (int i = 0; i < flawedFigureCount; ++i) {
        char line[80];
        snprintf(line, sizeof line, "\n  %-36s%12d\n", flawedFigures[i].text, flawedFigures[i].value);
        if (strstr(g_run.text, line) == NULL)
            fail_msg("there is no%s in%s", line, g_run.text);
    }
    assert_non_null(strstr(g_run.text, "\n  closed                                        no\n"));
    assert_non_null(strstr(g_run.text, "\n  positions                                 double\n"));
    assert_non_null(strstr(g_run.text, "bounds of all vertices  (-1, -2, -3.5) .. (40, 50, 60.25)\n"));
}

static void sliversAreCountedAsAsked(void** state) {
    (void)state;
    inspectFlawed("--json --slivers 1e-7");
    assert_true(jsonNumber(g_run.text, "slivers") == 4);
    assert_true(jsonNumber(g_run.text, "sliver_ratio") == 1e-7);
    inspectFlawed("--json --slivers 2");
    assert_true(jsonNumber(g_run.text, "slivers") == 19); // all but that of one corner
}

static void aBadFileDoesNotStopTheOthers(void** state) {
    (void)state;
    char line[400];
    snprintf(line, sizeof line, "make --triangles 100 box %s/box.obj", g_folder);
    assert_int_equal(graze(line), 0);
    snprintf(line, sizeof line, "inspect --json %s/none.obj %s/box.obj", g_folder, g_folder);
    assert_int_equal(graze(line), 2);
    assert_non_null(strstr(g_run.text, "none.obj"));
    assert_non_null(strstr(g_run.text, "\"closed\":true"));
}

static void vertexCachesAreNoMeshes(void** state) {
    (void)state;
    assert_int_equal(graze("inspect /nowhere/cloth.pc2"), 2);
    assert_string_equal(g_run.text,
                        "graze inspect: /nowhere/cloth.pc2: a vertex cache holds no mesh, only where its "
                        "vertices go\n");
    assert_int_equal(graze("inspect /nowhere/CLOTH.MDD"), 2);
    assert_non_null(strstr(g_run.text, "vertex cache"));
}

static void namesCannotBreakTheLine(void** state) {
    (void)state;
    char line[600];
    snprintf(line, sizeof line, "make --triangles 100 box \"%s/$(printf 'a\\nb\\033c\\377.obj')\"", g_folder);
    assert_int_equal(graze(line), 0);
    assert_true(isOneLine(g_run.text));
    assert_non_null(strstr(g_run.text, "a?b?c\xff.obj: "));
    snprintf(line, sizeof line, "inspect \"%s/$(printf 'a\\nb\\033c\\377.obj')\"", g_folder);
    assert_int_equal(graze(line), 0);
    assert_non_null(strstr(g_run.text, "a?b?c\xff.obj\n"));
    snprintf(line, sizeof line, "inspect --json \"%s/$(printf 'a\\nb\\033c\\377.obj')\"", g_folder);
    assert_int_equal(graze(line), 0);
    assert_true(isOneLine(g_run.text));
    assert_non_null(strstr(g_run.text, "a\\u000ab\\u001bc\\ufffd.obj\""));
    assert_int_equal(graze("inspect \"--$(printf 'x\\ny')\""), 2);
    assert_true(isOneLine(g_run.text));
    assert_int_equal(graze("\"$(printf 'x\\ny')\""), 2);
    assert_true(isOneLine(g_run.text));
}

static void anUnknownSimdLevelIsRefused(void** state) {
    (void)state;
    const char* usual = getenv("GRZ_SIMD");
    char* kept = usual != NULL ? strdup(usual) : NULL;
    setenv("GRZ_SIMD", "foo", 1);
    assert_int_equal(graze("--version"), 2);
    assert_true(isOneLine(g_run.text));
    assert_non_null(strstr(g_run.text, "graze: GRZ_SIMD=foo is no SIMD level"));
    setenv("GRZ_SIMD", "scalar", 1);
    assert_int_equal(graze("--version"), 0);
    kept != NULL ? setenv("GRZ_SIMD", kept, 1) : unsetenv("GRZ_SIMD");
    free(kept);
}

static void lostOutputIsSaid(void** state) {
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    char command[600], path[64], text[200] = "";
    snprintf(path, sizeof path, "%s/errors", g_folder);
    snprintf(command, sizeof command, "\"%s\" --help >/dev/full 2>%s", GRAZE_PROGRAM, path);
    int status = system(command);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 2);
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    assert_non_null(strstr(text, "graze: standard output cannot be written"));
}

static void jsonTextReadsBack(void** state) {
    (void)state;
    char* text = NULL;
    size_t size = 0;
    FILE* file = open_memstream(&text, &size);
    printJsonString(file, "a\"b\\c\n\x01\xc3\xa9\xff\xc3");
    printJsonNumber(file, 0.1);
    fputc(' ', file);
    printJsonNumber(file, 1.0 / 3);
    fputc(' ', file);
    printJsonNumber(file, (double)NAN);
    fclose(file);
    assert_string_equal(text, "\"a\\\"b\\\\c\\u000a\\u0001\xc3\xa9\\ufffd\\ufffd\"0.1 0.3333333333333333 null");
    free(text);
}

// ------------------------------------------------------------------------------------- the data's own table

// A row of the table of static meshes, cut at its bars.
typedef struct TableRow {
    char text[4096];
    const char* cells[24];
    int count;
} TableRow;

static void cutRow(TableRow* row, const char* line) {
    row->count = 0;
    snprintf(row->text, sizeof row->text, "%s", line);
    for (char* cell = strtok(row->text, "|"); cell != NULL && row->count < 24; cell = strtok(NULL, "|")) {
        while (*cell == ' ')
            ++cell;
        for (size_t n = strlen(cell); n > 0 && cell[n - 1] == ' '; --n)
            cell[n - 1] = 0;
        row->cells[row->count++] = cell;
    }
}

static void compareRow(const char* data, const TableRow* row) {
    // Columns of the table behind name and size, as inspect calls them.
    static const char* const keys[] = {
        "vertices",
        "triangles",
        "zero_area_triangles",
        "slivers",
        "duplicate_vertices",
        "duplicate_triangles",
        "unreferenced_vertices",
        "boundary_edges",
        "non_manifold_edges",
        "inconsistent_edges",
        "components",
    };
    char line[1024];
    snprintf(line, sizeof line, "inspect --json \"%s/static/%s\"", data, row->cells[0]);
    if (graze(line) != 0)
        fail_msg("%s: %s", row->cells[0], g_run.text);
    for (int i = 0; i < (int)(sizeof keys / sizeof keys[0]); ++i) {
        double ours = jsonNumber(g_run.text, keys[i]), theirs = strtod(row->cells[i + 2], NULL);
        if (ours != theirs)
            fail_msg("%s: %s is %g, the table says %g", row->cells[0], keys[i], ours, theirs);
    }
    // Bounds are printed there with six digits.
    double bounds[6];
    assert_int_equal(sscanf(row->cells[13], "[%lf, %lf, %lf] .. [%lf, %lf, %lf]", &bounds[0], &bounds[1],
                            &bounds[2], &bounds[3], &bounds[4], &bounds[5]),
                     6);
    double ours[6];
    assert_int_equal(
        sscanf(strstr(g_run.text, "\"lower\":"), "\"lower\":[%lf,%lf,%lf]", &ours[0], &ours[1], &ours[2]), 3);
    assert_int_equal(
        sscanf(strstr(g_run.text, "\"upper\":"), "\"upper\":[%lf,%lf,%lf]", &ours[3], &ours[4], &ours[5]), 3);
    for (int i = 0; i < 6; ++i)
        assert_true(fabs(ours[i] - bounds[i]) <= 1e-5 * fabs(bounds[i]) + 1e-9);
}

typedef struct MeshNames {
    char names[64][80];
    int count;
} MeshNames;

static void assertAllAreNamed(const char* data, const MeshNames* compared) {
    char path[1024];
    snprintf(path, sizeof path, "%s/static", data);
    DIR* folder = opendir(path);
    assert_non_null(folder);
    int files = 0;
    for (struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (entry->d_name[0] == '.')
            continue;
        bool isNamed = false;
        for (int i = 0; i < compared->count; ++i)
            isNamed = isNamed || strcmp(compared->names[i], entry->d_name) == 0;
        if (!isNamed)
            fail_msg("static/%s was not compared: the table has no row for it", entry->d_name);
        ++files;
    }
    closedir(folder);
    assert_int_equal(files, compared->count);
}

static void agreesWithTheDataReadme(void** state) {
    (void)state;
    const char* data = getenv("GRAZE_DATA");
    if (data == NULL) {
        print_message("GRAZE_DATA is not set: nothing to compare with\n");
        skip();
    }
    char path[1024], line[4096];
    snprintf(path, sizeof path, "%s/README.md", data);
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    bool isInTable = false;
    MeshNames compared = {.count = 0};
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "## ", 3) == 0)
            isInTable = strstr(line, "Static meshes") != NULL;
        TableRow row;
        cutRow(&row, line);
        if (!isInTable || row.count < 14 || strstr(row.cells[0], ".") == NULL)
            continue;
        compareRow(data, &row);
        assert_true(compared.count < 64);
        snprintf(compared.names[compared.count++], sizeof compared.names[0], "%.79s", row.cells[0]);
    }
    fclose(file);
    print_message("compared %d meshes with the table\n", compared.count);
    assertAllAreNamed(data, &compared);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(helpAndVersion),
        cmocka_unit_test(badUseIsOneSentence),
        cmocka_unit_test(vertexCachesAreNoMeshes),
        cmocka_unit_test(namesCannotBreakTheLine),
        cmocka_unit_test(anUnknownSimdLevelIsRefused),
        cmocka_unit_test(inspectsWhatMakeMakes),
        cmocka_unit_test(eachFigureIsItsOwnInJson),
        cmocka_unit_test(eachFigureIsItsOwnInText),
        cmocka_unit_test(sliversAreCountedAsAsked),
        cmocka_unit_test(aBadFileDoesNotStopTheOthers),
        cmocka_unit_test(lostOutputIsSaid),
        cmocka_unit_test(jsonTextReadsBack),
        cmocka_unit_test(agreesWithTheDataReadme),
    };
    return cmocka_run_group_tests_name("graze program", tests, makeFolder, dropFolder);
}
