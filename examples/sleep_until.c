// A plate that keyframes lay into a bowl and lift out again. After a step the host asks until when the two stay as near as they are, and does not look
// at their contacts before that time. Uses public headers only.
#include <graze/graze.h>

#include <stdio.h>

enum { side = 25, vertexCount = side * side, triangleCount = 2 * (side - 1) * (side - 1) };
enum { keyframeCount = 8, stepsPerKeyframe = 30, stepCount = keyframeCount * stepsPerKeyframe };

static const double timeStep = 1.0 / 64;

typedef struct Table {
    grzMesh *plate, *bowl;
    grzMeshShape* bowlShape;
    grzWorld* world;
    grzBodyId plateId, bowlId;
} Table;

// A square, at a height in its middle that grows toward the rim.
static void place(float size, float height, float bend, float* positions) {
    for (int i = 0; i < vertexCount; ++i) {
        const float x = size * ((float)(i / side) / (side - 1) - 0.5f),
                    z = size * ((float)(i % side) / (side - 1) - 0.5f);
        positions[3 * i] = x, positions[3 * i + 1] = height + bend * (x * x + z * z), positions[3 * i + 2] = z;
    }
}

static grzResult makeMesh(float size, float height, float bend, grzMesh** mesh) {
    static float positions[3 * vertexCount];
    static uint32_t triangles[3 * triangleCount];
    uint32_t* t = triangles;
    for (uint32_t i = 0; i < side * (side - 1); ++i)
        if (i % side != side - 1) {
            *t++ = i, *t++ = i + 1, *t++ = i + side, *t++ = i + 1, *t++ = i + side + 1, *t++ = i + side;
        }
    grzMeshDef def = grzDefaultMeshDef();
    place(size, height, bend, positions);
    def.positions = positions, def.vertexCount = vertexCount;
    def.indices = triangles, def.triangleCount = triangleCount;
    return grzMesh_Create(&def, mesh);
}

static grzResult addBowl(Table* table) {
    grzBodyDef def = grzDefaultBodyDef();
    grzResult result = makeMesh(2, 0, 0.3f, &table->bowl);
    if (grzResult_IsOk(result))
        result = grzMeshShape_Create(table->bowl, (grzAllocator){0}, &table->bowlShape);
    def.kind = grz_staticBody;
    def.mesh = table->bowlShape, def.isTwoSided = true;
    return grzResult_IsOk(result) ? grzWorld_AddBody(table->world, &def, &table->bowlId) : result;
}

// Down into the bowl and up again.
static grzResult addLid(Table* table) {
    static float positions[3 * vertexCount];
    grzAnimatedDef def = grzDefaultAnimatedDef();
    grzResult result = makeMesh(0.8f, 0.5f, 0, &table->plate);
    def.mesh = table->plate, def.isTwoSided = true;
    if (grzResult_IsOk(result))
        result = grzWorld_AddAnimated(table->world, &def, &table->plateId);
    for (int k = 1; k <= keyframeCount && grzResult_IsOk(result); ++k) {
        place(0.8f, k % 4 == 2 ? 0.1f : 0.5f, 0, positions);
        result = grzWorld_AddKeyframe(table->world, table->plateId, k * stepsPerKeyframe * timeStep, positions);
    }
    return result;
}

static grzResult play(const Table* table) {
    double until = 0;
    int looks = 0, touching = 0;
    grzResult result = {0};
    for (int step = 0; step < stepCount && grzResult_IsOk(result); ++step) {
        result = grzWorld_Step(table->world, (float)timeStep);
        if (!grzResult_IsOk(result) || grzWorld_Time(table->world) < until)
            continue;
        const grzWorldContacts found = grzWorld_GetContacts(table->world);
        result = grzResult_IsOk(found.result)
                     ? grzWorld_GetHorizon(table->world, table->plateId, table->bowlId, &until)
                     : found.result;
        touching += found.contactCount != 0;
        ++looks;
    }
    printf("the plate lies in the bowl in %d steps of %d; %d were looked at\n", touching, stepCount, looks);
    return result;
}

int main(void) {
    Table table = {0};
    char text[128];
    grzWorldDef def = grzDefaultWorldDef();
    grzResult result = grzWorld_Create(&def, &table.world);
    if (grzResult_IsOk(result))
        result = addBowl(&table);
    if (grzResult_IsOk(result))
        result = addLid(&table);
    if (grzResult_IsOk(result))
        result = play(&table);
    grzWorld_Destroy(table.world);
    grzMeshShape_Destroy(table.bowlShape);
    grzMesh_Destroy(table.bowl);
    grzMesh_Destroy(table.plate);
    if (!grzResult_IsOk(result))
        return fprintf(stderr, "sleep_until: %s\n", grzResult_Text(result, text, sizeof text)), 2;
    return 0;
}
