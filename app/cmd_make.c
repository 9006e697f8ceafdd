// `graze make`: writes a generated mesh to a file, for those who have none at hand.
#include <string.h>

#include "commands.h"
#include "mesh_write.h"
#include "plain_text.h"
#include "shapes.h"

static int writeShape(ShapeKind kind, uint64_t triangles, const char* path) {
    MeshData data;
    FileError error;
    if (!meshCanBeWritten(path, &error))
        return refuse("make", error.text);
    grzResult result = makeShape(kind, (size_t)triangles, (grzAllocator){0}, &data);
    if (!grzResult_IsOk(result)) {
        char text[128];
        return refuse("make", grzResult_Text(result, text, sizeof text));
    }
    bool isWritten = writeMesh(path, &data, &error);
    if (isWritten) {
        printPlain(stdout, path);
        printf(": %zu vertices, %zu triangles\n", data.vertexCount, data.triangleCount);
    }
    MeshData_Release(&data);
    return isWritten ? exit_done : refuse("make", error.text);
}

static int refuseShape(const char* name) {
    char text[NO_SHAPE_CAPACITY];
    return refuse("make", noShapeText(name, text));
}

int runMake(Arguments arguments) {
    bool wantsHelp = false;
    uint64_t triangles = 10000;
    const Option options[] = {
        {"--triangles", option_count, &triangles, "N",
         "about how many triangles (10000); the shape takes the nearest it can", 1, 1000000000},
        {"--help", option_flag, &wantsHelp, NULL, "this text", 0, 0},
    };
    const size_t optionCount = sizeof options / sizeof options[0];
    OptionError error;
    if (!parseOptions(&arguments, options, optionCount, &error))
        return refuse("make", error.text);
    if (wantsHelp) {
        printf("usage: graze make [OPTIONS] SHAPE FILE\n\nWrites a generated mesh; FILE ends in .obj or .ply. "
               "Shapes:");
        for (int kind = 0; kind < SHAPE_KIND_COUNT; ++kind)
            printf(" %s", shapeName((ShapeKind)kind));
        printf("\n\n");
        printOptions(stdout, options, optionCount);
        return exit_done;
    }
    if (arguments.count != 2)
        return refuse("make",
                      arguments.count < 2 ? "name a shape and a file" : "name one shape and one file, no more");
    ShapeKind kind;
    if (!shapeFromName(arguments.values[0], &kind))
        return refuseShape(arguments.values[0]);
    return writeShape(kind, triangles, arguments.values[1]);
}
