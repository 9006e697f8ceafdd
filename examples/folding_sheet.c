// A sheet that folds: every vertex moves along a line, and all impacts of the sheet with itself on the way are found, exactly. Uses public
// headers only.
#include <graze/graze.h>

#include <stdio.h>

enum { side = 8, vertexCount = side * side };

static float g_flat[3 * vertexCount], g_folded[3 * vertexCount], g_bent[3 * vertexCount];
static uint32_t g_triangles[6 * (side - 1) * (side - 1)];

// One half goes over and through the other one, or only up.
static void fill(void) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < vertexCount; ++i) {
        float x = (float)(i % side) - side / 2 + 0.5f, z = (float)(i / side);
        grzVec3_Store(&g_flat[3 * i], grzVec3_Make(x, 0, z));
        grzVec3_Store(&g_bent[3 * i], grzVec3_Make(x, x > 0 ? 0.5f * x : 0, z));
        grzVec3_Store(&g_folded[3 * i], x > 0 ? grzVec3_Make(-0.9f * x, -1, z + 0.2f) : grzVec3_Make(x, 0, z));
        if (i % side == side - 1 || i / side == side - 1)
            continue;
        uint32_t corners[6] = {i, i + side, i + 1, i + 1, i + side, i + side + 1};
        for (int k = 0; k < 6; ++k)
            g_triangles[count++] = corners[k];
    }
}

static grzResult find(grzCcdStep* step, const float* end, size_t* count) {
    grzCcdStepQuery query = grzDefaultCcdStepQuery();
    query.a.start = g_flat, query.a.end = end;
    grzResult result = grzCcdStep_Find(step, NULL, &query);
    const grzCcdStepView found = grzCcdStep_GetView(step);
    *count = found.count;
    return result;
}

int main(void) {
    grzMesh* mesh = NULL;
    grzCcdStep* step = NULL;
    size_t bent = 0, folded = 0;
    char text[128];
    fill();
    grzMeshDef meshDef = grzDefaultMeshDef();
    meshDef.positions = g_flat, meshDef.vertexCount = vertexCount;
    meshDef.indices = g_triangles, meshDef.triangleCount = sizeof g_triangles / sizeof g_triangles[0] / 3;
    grzResult result = grzMesh_Create(&meshDef, &mesh);
    if (grzResult_IsOk(result)) {
        grzCcdStepDef def = grzDefaultCcdStepDef();
        def.meshA = mesh;
        result = grzCcdStep_Create(&def, &step);
    }
    if (grzResult_IsOk(result))
        result = find(step, g_bent, &bent);
    if (grzResult_IsOk(result))
        result = find(step, g_folded, &folded);
    grzCcdStep_Destroy(step);
    grzMesh_Destroy(mesh);
    if (!grzResult_IsOk(result))
        return fprintf(stderr, "folding_sheet: %s\n", grzResult_Text(result, text, sizeof text)), 2;
    printf("%zu impacts where it bends, %zu where it folds through itself\n", bent, folded);
    return bent == 0 && folded > 0 ? 0 : 1;
}
