// The program graze: what it prints, what it refuses, and its exit codes; and with GRAZE_DATA that `graze inspect`
// counts what the table of the data's README says, file by file.
#include "program_testing.h"

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
    return mkdtemp(g_folder) != NULL ? 0 : -1;
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
        {"make", "name a shape and a file"},
        {"make pyramid x.obj", "there is no shape 'pyramid'; the shapes are grid sphere torus box heap"},
        {"make sphere", "name a shape and a file"},
        {"make sphere /nowhere/at/all.obj", "/nowhere/at/all.obj"},
        {"make sphere /tmp/x.stl", "x.stl"},
        {"make --triangles many sphere x.obj", "--triangles takes a whole number"},
        {"make --triangles 99999999999 sphere x.obj", "more than can be numbered"},
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

static void jsonTextReadsBack(void** state) {
    (void)state;
    char* text = NULL;
    size_t size = 0;
    FILE* file = open_memstream(&text, &size);
    printJsonString(file, "a\"b\\c\n\x01\xc3\xa9");
    printJsonNumber(file, 0.1);
    fputc(' ', file);
    printJsonNumber(file, 1.0 / 3);
    fputc(' ', file);
    printJsonNumber(file, (double)NAN);
    fclose(file);
    assert_string_equal(text, "\"a\\\"b\\\\c\\u000a\\u0001\xc3\xa9\"0.1 0.3333333333333333 null");
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
    int compared = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "## ", 3) == 0)
            isInTable = strstr(line, "Static meshes") != NULL;
        TableRow row;
        cutRow(&row, line);
        if (!isInTable || row.count < 14 || strstr(row.cells[0], ".") == NULL)
            continue;
        compareRow(data, &row);
        ++compared;
    }
    fclose(file);
    print_message("compared %d meshes with the table\n", compared);
    assert_true(compared > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(helpAndVersion),        cmocka_unit_test(badUseIsOneSentence),
        cmocka_unit_test(inspectsWhatMakeMakes), cmocka_unit_test(aBadFileDoesNotStopTheOthers),
        cmocka_unit_test(jsonTextReadsBack),     cmocka_unit_test(agreesWithTheDataReadme),
    };
    return cmocka_run_group_tests_name("graze program", tests, makeFolder, dropFolder);
}
