// `graze inspect`: what a mesh holds and what is wrong with it, for people and as JSON.
//
// Nothing is judged: a mesh with flaws is read, described and left as it is; only a file that cannot be read
// is an error.
#include <inttypes.h>
#include <string.h>

#include "commands.h"
#include "graze/mesh.h"
#include "json_text.h"
#include "mesh_read.h"
#include "plain_text.h"

// Triangles lower than this times their longest edge count as slivers.
static const double usualSliverRatio = 1e-4;

typedef struct Figure {
    const char* key;  // in JSON
    const char* text; // for people
    uint64_t value;
} Figure;

enum { figureCount = 14, areaCount = 3 };

typedef struct Area {
    const char *key, *text;
    double value;
} Area;

// All that is printed of a mesh.
typedef struct Inspection {
    const char* path;
    Figure figures[figureCount]; // in the order in which they are printed
    Area areas[areaCount];
    bool isClosed, isDouble;
    int64_t eulerNumber;
    double sliverRatio;
    grzBoxd bounds; // of all vertices; grzMeshView.bounds leaves out those without a triangle
} Inspection;

static void collectFigures(const grzMesh* mesh, double sliverRatio, const grzMeshWinding* winding,
                           Figure figures[figureCount]) {
    grzMeshReport report = grzMesh_GetReport(mesh);
    const Figure collected[figureCount] = {
        {"vertices", "vertices", report.vertexCount},
        {"triangles", "triangles", report.triangleCount},
        {"edges", "edges", report.edgeCount},
        {"components", "components", report.componentCount},
        {"zero_area_triangles", "triangles without area", report.degenerateTriangleCount},
        {"repeated_index_triangles", "triangles that name a vertex twice", report.repeatedIndexCount},
        {"slivers", "slivers", grzMesh_CountSlivers(mesh, sliverRatio)},
        {"duplicate_triangles", "duplicate triangles", report.duplicateTriangleCount},
        {"duplicate_vertices", "duplicate vertices", report.duplicateVertexCount},
        {"unreferenced_vertices", "unreferenced vertices", report.unreferencedVertexCount},
        {"boundary_edges", "boundary edges", report.boundaryEdgeCount},
        {"non_manifold_edges", "non-manifold edges", report.nonManifoldEdgeCount},
        {"inconsistent_edges", "inconsistently oriented edges", report.inconsistentEdgeCount},
        {"inside_out_components", "closed components inside out", winding->insideOutCount},
    };
    memcpy(figures, collected, sizeof collected);
}

static void collectAreas(const grzMeshWinding* winding, Area areas[areaCount]) {
    const Area collected[areaCount] = {
        {"area_up", "area facing up (y; to 45 degrees)", winding->areaUp},
        {"area_down", "area facing down", winding->areaDown},
        {"area_sideways", "area facing sideways", winding->areaSideways},
    };
    memcpy(areas, collected, sizeof collected);
}

static grzBoxd boundsOf(const grzMesh* mesh, uint32_t vertexCount) {
    grzBoxd bounds = grzBoxd_Empty();
    for (uint32_t i = 0; i < vertexCount; ++i)
        bounds = grzBoxd_AddPoint(bounds, grzMesh_GetPosition(mesh, i));
    return bounds;
}

static Inspection inspectMesh(const char* path, const grzMesh* mesh, const grzMeshWinding* winding,
                              double sliverRatio) {
    grzMeshReport report = grzMesh_GetReport(mesh);
    Inspection inspection = {.path = path,
                             .isClosed = report.isClosed,
                             .isDouble = grzMesh_GetView(mesh).positionType == grz_float64,
                             .eulerNumber = report.eulerNumber,
                             .sliverRatio = sliverRatio,
                             .bounds = boundsOf(mesh, report.vertexCount)};
    collectFigures(mesh, sliverRatio, winding, inspection.figures);
    collectAreas(winding, inspection.areas);
    return inspection;
}

static void printText(const Inspection* of) {
    const grzBoxd* box = &of->bounds;
    printPlain(stdout, of->path);
    putchar('\n');
    for (int i = 0; i < figureCount; ++i)
        printf("  %-36s%12" PRIu64 "\n", of->figures[i].text, of->figures[i].value);
    for (int i = 0; i < areaCount; ++i)
        printf("  %-36s%12g\n", of->areas[i].text, of->areas[i].value);
    printf("  %-36s%12s\n", "closed", of->isClosed ? "yes" : "no");
    printf("  %-36s%12" PRId64 "\n", "Euler number", of->eulerNumber);
    printf("  %-36s%12s\n", "positions", of->isDouble ? "double" : "float");
    printf("  %-36s%12g\n", "sliver: height below edge times", of->sliverRatio);
    printf("  bounds of all vertices  (%.9g, %.9g, %.9g) .. (%.9g, %.9g, %.9g)\n", box->lower.x, box->lower.y,
           box->lower.z, box->upper.x, box->upper.y, box->upper.z);
}

static void printCorner(const char* key, grzVec3d corner) {
    printf(",\"%s\":[", key);
    printJsonNumber(stdout, corner.x);
    putchar(',');
    printJsonNumber(stdout, corner.y);
    putchar(',');
    printJsonNumber(stdout, corner.z);
    putchar(']');
}

// One object on one line.
static void printJson(const Inspection* of) {
    printf("{\"file\":");
    printJsonString(stdout, of->path);
    for (int i = 0; i < figureCount; ++i)
        printf(",\"%s\":%" PRIu64, of->figures[i].key, of->figures[i].value);
    printf(",\"closed\":%s,\"euler_number\":%" PRId64 ",\"positions\":\"%s\",\"sliver_ratio\":",
           of->isClosed ? "true" : "false", of->eulerNumber, of->isDouble ? "double" : "float");
    printJsonNumber(stdout, of->sliverRatio);
    for (int i = 0; i < areaCount; ++i) {
        printf(",\"%s\":", of->areas[i].key);
        printJsonNumber(stdout, of->areas[i].value);
    }
    printCorner("lower", of->bounds.lower);
    printCorner("upper", of->bounds.upper);
    printf("}\n");
}

static int inspectFile(const char* path, bool asJson, double sliverRatio) {
    MeshData data;
    FileError error;
    if (!readMesh(path, (grzAllocator){0}, &data, &error))
        return refuse("inspect", error.text);
    grzMesh* mesh;
    grzMeshDef def = MeshData_Def(&data);
    grzMeshWinding winding;
    grzResult result = grzMesh_Create(&def, &mesh);
    if (grzResult_IsOk(result))
        result = grzMesh_MeasureWinding(mesh, grzVec3_Make(0, 1, 0), &winding);
    if (!grzResult_IsOk(result)) {
        grzMesh_Destroy(mesh);
        char text[128];
        snprintf(error.text, sizeof error.text, "%.200s: %s", path, grzResult_Text(result, text, sizeof text));
        MeshData_Release(&data);
        return refuse("inspect", error.text);
    }
    Inspection inspection = inspectMesh(path, mesh, &winding, sliverRatio);
    if (asJson)
        printJson(&inspection);
    else
        printText(&inspection);
    grzMesh_Destroy(mesh);
    MeshData_Release(&data);
    return exit_done;
}

int runInspect(Arguments arguments) {
    bool asJson = false, wantsHelp = false;
    double sliverRatio = usualSliverRatio;
    const Option options[] = {
        {"--json", option_flag, &asJson, NULL, "a line of JSON for each mesh", 0, 0},
        {"--slivers", option_real, &sliverRatio, "RATIO",
         "triangles lower than this times their longest edge (1e-4)", 0, 0},
        {"--help", option_flag, &wantsHelp, NULL, "this text", 0, 0},
    };
    const size_t optionCount = sizeof options / sizeof options[0];
    OptionError error;
    if (!parseOptions(&arguments, options, optionCount, &error))
        return refuse("inspect", error.text);
    if (wantsHelp) {
        printf("usage: graze inspect [OPTIONS] MESH...\n\n"
               "Prints what each mesh holds: counts, bounds, flaws. Reads OBJ and PLY, and what Assimp reads\n"
               "where it was built in. Bounds (lower and upper in JSON) are those of all vertices, also of those\n"
               "that no triangle names. Goes on after a file it cannot read, and ends with 2 then.\n\n");
        printOptions(stdout, options, optionCount);
        return exit_done;
    }
    if (arguments.count == 0)
        return refuse("inspect", "name at least one mesh file");
    if (sliverRatio <= 0)
        return refuse("inspect", "--slivers takes a number above 0");
    int code = exit_done;
    for (int i = 0; i < arguments.count; ++i) {
        int fileCode = inspectFile(arguments.values[i], asJson, sliverRatio);
        code = fileCode != exit_done ? fileCode : code;
    }
    return code;
}
