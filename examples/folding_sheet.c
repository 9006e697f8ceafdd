// A sheet that folds: every vertex moves along a line, and all impacts of the sheet with itself on the way are found, exactly. Of the
// pairs of a vertex and a face, the first impact, and how many come within a distance. Uses public headers only.
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

// Each vertex beside each face without it: four vertices a pair.
static uint32_t listPairs(uint32_t vertices[]) {
    uint32_t count = 0;
    for (uint32_t v = 0; v < vertexCount; ++v)
        for (uint32_t t = 0; t < sizeof g_triangles / sizeof g_triangles[0]; t += 3) {
            const uint32_t pair[4] = {v, g_triangles[t], g_triangles[t + 1], g_triangles[t + 2]};
            if (v == pair[1] || v == pair[2] || v == pair[3])
                continue;
            for (int k = 0; k < 4; ++k)
                vertices[count++] = pair[k];
        }
    return count / 4;
}

// The first impact of these pairs, how many come within a tenth of a cell before it, and whether it is not later than any other.
static grzResult findFirst(const grzCcdMotion* motion, bool* isFirst) {
    static uint32_t vertices[4 * vertexCount * 2 * vertexCount];
    static uint8_t answers[vertexCount * 2 * vertexCount];
    static double times[vertexCount * 2 * vertexCount];
    const grzCcdPairs pairs = {grz_ccdVertexFace, vertices, listPairs(vertices)};
    const grzCcdNear distance = {.distance = 0.1};
    grzCcdEarliest earliest;
    uint32_t near = 0;
    grzResult result = grzCcdMotion_FindEarliest(motion, NULL, &pairs, &earliest);
    *isFirst = earliest.isFound;
    if (grzResult_IsOk(result))
        result = grzCcdMotion_DecideNear(motion, NULL, &pairs, &distance, answers, times);
    const grzCcdQuery first = grzCcdMotion_Query(motion, pairs.kind, vertices + 4 * (size_t)earliest.pair);
    for (uint32_t i = 0; i < pairs.count && grzResult_IsOk(result); ++i) {
        const grzCcdQuery query = grzCcdMotion_Query(motion, pairs.kind, vertices + 4 * (size_t)i);
        grzCertainty certainty;
        int order;
        near += answers[i] != grz_ccdApart && times[i] < earliest.impact.t0;
        result = grzCcd_CompareImpacts(&query, &first, &order, &certainty);
        *isFirst = *isFirst && order >= 0;
    }
    if (grzResult_IsOk(result))
        printf("the first of %u pairs touches at %.4f; until then %u come within a tenth of a cell\n",
               (unsigned)pairs.count, earliest.impact.t0, (unsigned)near);
    return result;
}

static grzResult fold(bool* isFirst) {
    grzCcdMotion* motion = NULL;
    grzCcdMotionDef def = grzDefaultCcdMotionDef();
    def.start = g_flat, def.end = g_folded, def.vertexCount = vertexCount;
    grzResult result = grzCcdMotion_Create(&def, &motion);
    if (grzResult_IsOk(result))
        result = findFirst(motion, isFirst);
    grzCcdMotion_Destroy(motion);
    return result;
}

int main(void) {
    grzMesh* mesh = NULL;
    grzCcdStep* step = NULL;
    bool isFirst = false;
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
    if (grzResult_IsOk(result))
        result = fold(&isFirst);
    grzCcdStep_Destroy(step);
    grzMesh_Destroy(mesh);
    if (!grzResult_IsOk(result))
        return fprintf(stderr, "folding_sheet: %s\n", grzResult_Text(result, text, sizeof text)), 2;
    printf("%zu impacts where it bends, %zu where it folds through itself\n", bent, folded);
    return bent == 0 && folded > 0 && isFirst ? 0 : 1;
}
