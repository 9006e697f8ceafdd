// `graze inspect`: what a mesh holds and what is wrong with it, for people and as JSON.
//
// Nothing is judged: a mesh with flaws is read, described and left as it is; only a file that cannot be read is an
// error.
#include <inttypes.h>
#include <string.h>

#include "commands.h"
#include "graze/mesh.h"
#include "json_text.h"
#include "mesh_read.h"

// Triangles lower than this times their longest edge count as slivers.
static const double usualSliverRatio = 1e-4;

// The figures of one mesh, in the order in which they are printed.
typedef struct Figure {
    const char* key;  // in JSON
    const char* text; // for people
    uint64_t value;
} Figure;

enum { figureCount = 13 };

static void collectFigures(const grzMesh* mesh, double sliverRatio, Figure figures[figureCount]) {
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
    };
    memcpy(figures, collected, sizeof collected);
}

static grzBoxd boundsOf(const grzMesh* mesh, uint32_t vertexCount) {
    grzBoxd bounds = grzBoxd_Empty();
    for (uint32_t i = 0; i < vertexCount; ++i)
        bounds = grzBoxd_AddPoint(bounds, grzMesh_GetPosition(mesh, i));
    return bounds;
}

static void printText(const char* path, const MeshData* data, const grzMesh* mesh, const Figure* figures,
                      double sliverRatio) {
    grzMeshReport report = grzMesh_GetReport(mesh);
    grzBoxd bounds = boundsOf(mesh, report.vertexCount);
    printf("%s\n", path);
    for (int i = 0; i < figureCount; ++i)
        printf("  %-36s%12" PRIu64 "\n", figures[i].text, figures[i].value);
    printf("  %-36s%12s\n", "closed", report.isClosed ? "yes" : "no");
    printf("  %-36s%12" PRId64 "\n", "Euler number", report.eulerNumber);
    printf("  %-36s%12s\n", "positions", data->isDouble ? "double" : "float");
    printf("  %-36s%12g\n", "a sliver is lower than, of its edge", sliverRatio);
    printf("  bounds  (%.9g, %.9g, %.9g) .. (%.9g, %.9g, %.9g)\n", bounds.lower.x, bounds.lower.y, bounds.lower.z,
           bounds.upper.x, bounds.upper.y, bounds.upper.z);
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
static void printJson(const char* path, const MeshData* data, const grzMesh* mesh, const Figure* figures,
                      double sliverRatio) {
    grzMeshReport report = grzMesh_GetReport(mesh);
    grzBoxd bounds = boundsOf(mesh, report.vertexCount);
    printf("{\"file\":");
    printJsonString(stdout, path);
    for (int i = 0; i < figureCount; ++i)
        printf(",\"%s\":%" PRIu64, figures[i].key, figures[i].value);
    printf(",\"closed\":%s,\"euler_number\":%" PRId64 ",\"positions\":\"%s\",\"sliver_ratio\":",
           report.isClosed ? "true" : "false", report.eulerNumber, data->isDouble ? "double" : "float");
    printJsonNumber(stdout, sliverRatio);
    printCorner("lower", bounds.lower);
    printCorner("upper", bounds.upper);
    printf("}\n");
}

static grzResult makeMesh(const MeshData* data, grzMesh** mesh) {
    grzMeshDef def = grzDefaultMeshDef();
    def.positions = data->positions;
    def.positionType = data->isDouble ? grz_float64 : grz_float32;
    def.vertexCount = data->vertexCount;
    def.indices = data->indices;
    def.triangleCount = data->triangleCount;
    return grzMesh_Create(&def, mesh);
}

static int inspectFile(const char* path, bool asJson, double sliverRatio) {
    MeshData data;
    FileError error;
    if (!readMesh(path, (grzAllocator){0}, &data, &error))
        return refuse("inspect", error.text);
    grzMesh* mesh;
    grzResult result = makeMesh(&data, &mesh);
    if (!grzResult_IsOk(result)) {
        char text[128];
        snprintf(error.text, sizeof error.text, "%.200s: %s", path, grzResult_Text(result, text, sizeof text));
        MeshData_Release(&data);
        return refuse("inspect", error.text);
    }
    Figure figures[figureCount] = {{0}};
    collectFigures(mesh, sliverRatio, figures);
    if (asJson)
        printJson(path, &data, mesh, figures, sliverRatio);
    else
        printText(path, &data, mesh, figures, sliverRatio);
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
        printf("usage: graze inspect [OPTIONS] MESH...\n\nPrints what each mesh holds: counts, bounds, flaws. "
               "Reads OBJ and PLY, "
               "and what Assimp reads where it\nwas built in. Goes on after a file it cannot read, and ends with 2 "
               "then.\n\n");
        printOptions(stdout, options, optionCount);
        return exit_done;
    }
    if (arguments.count == 0)
        return refuse("inspect", "name at least one mesh file");
    int code = exit_done;
    for (int i = 0; i < arguments.count; ++i) {
        int fileCode = inspectFile(arguments.values[i], asJson, sliverRatio);
        code = fileCode != exit_done ? fileCode : code;
    }
    return code;
}
