// A sheet in the wind whose frames come one after the other, as from a solver or a file: three of them are in memory, a tree
// follows the mesh at any time between, and each step asks which triangles a box may touch. Uses public headers only.
#include <graze/graze.h>

#include <stdio.h>

enum { side = 64, vertexCount = side * side, triangleCount = 2 * (side - 1) * (side - 1) };
enum { frameCount = 20, slotCount = 3 };

static float slots[slotCount][3 * vertexCount]; // frame f stands in slot f % slotCount
static uint32_t triangles[3 * triangleCount];

typedef struct Sheet {
    grzFlightplan* plan;
    grzBvh* bvh;
    grzChordTree* tree;
} Sheet;

static void joinTriangles(void) {
    uint32_t* t = triangles;
    for (uint32_t i = 0; i < side * (side - 1); ++i)
        if (i % side != side - 1) {
            *t++ = i, *t++ = i + 1, *t++ = i + side, *t++ = i + 1, *t++ = i + side + 1, *t++ = i + side;
        }
}

// Here a frame would be read, or computed. It stays where it is until the plan has dropped it.
static grzResult addFrame(grzFlightplan* plan, int frame) {
    float* p = slots[frame % slotCount];
    for (int i = 0; i < vertexCount; ++i, p += 3) {
        p[0] = (float)(i / side), p[2] = (float)(i % side);
        p[1] = 3 * grzSin(0.2f * p[0] + 0.5f * (float)frame) * grzCos(0.1f * p[2]);
    }
    return grzFlightplan_AddKeyframe(plan, frame, slots[frame % slotCount], 0);
}

// How many leaves, of four triangles each, meet the box: what is to be looked at exactly.
static int countLeaves(const grzChordTree* tree, const grzBvhView* view, uint32_t level, uint32_t i, grzBox box) {
    grzBvhNode n;
    int count = 0;
    grzChordTree_ReadNode(tree, level, i, &n);
    for (uint32_t k = 0; k < grzBvhView_ChildCount(view, level, i); ++k)
        if (grzBox_Overlap(box, grzBox_Make(grzVec3_Make(n.lower[0][k], n.lower[1][k], n.lower[2][k]),
                                            grzVec3_Make(n.upper[0][k], n.upper[1][k], n.upper[2][k]))))
            count += level + 1 == view->levelCount ? 1 : countLeaves(tree, view, level + 1, 8 * i + k, box);
    return count;
}

static grzResult makeSheet(Sheet* sheet) {
    grzFlightplanDef planDef = grzDefaultFlightplanDef();
    planDef.vertexCount = vertexCount;
    grzResult result = grzFlightplan_Create(&planDef, &sheet->plan);
    for (int f = 0; f < slotCount && grzResult_IsOk(result); ++f)
        result = addFrame(sheet->plan, f);
    if (!grzResult_IsOk(result))
        return result;
    grzBvhDef bvhDef = grzDefaultBvhDef();
    bvhDef.positions = slots[0], bvhDef.vertexCount = vertexCount;
    bvhDef.triangles = triangles, bvhDef.triangleCount = triangleCount;
    result = grzBvh_Create(&bvhDef, &sheet->bvh);
    if (!grzResult_IsOk(result))
        return result;
    grzChordTreeDef treeDef = grzDefaultChordTreeDef();
    treeDef.bvh = sheet->bvh, treeDef.plan = sheet->plan;
    return grzChordTree_Create(&treeDef, &sheet->tree);
}

static grzResult play(Sheet* sheet) {
    const grzBox hand = {{28, -1, 28, 0}, {34, 1, 34, 0}};
    const grzBvhView view = grzBvh_GetView(sheet->bvh);
    grzResult result = {0};
    for (int step = 1; step < 4 * frameCount - 3; ++step) { // four to a frame
        result = grzChordTree_Advance(sheet->tree, NULL, 0.25 * step);
        if (!grzResult_IsOk(result))
            return result;
        grzFlightplan_DropKeyframes(sheet->plan, 0.25 * step); // at a frame, what is behind it: its slot is free
        if (step % 4 == 0 && step / 4 + slotCount <= frameCount)
            result = addFrame(sheet->plan, step / 4 + slotCount - 1);
        if (!grzResult_IsOk(result))
            return result;
        if (step % 10 == 5)
            printf("at %5.2f s: %d leaves near\n", 0.25 * step, countLeaves(sheet->tree, &view, 0, 0, hand));
    }
    return result;
}

int main(void) {
    Sheet sheet = {0};
    joinTriangles();
    grzResult result = makeSheet(&sheet);
    if (grzResult_IsOk(result))
        result = play(&sheet);
    grzChordTree_Destroy(sheet.tree);
    grzBvh_Destroy(sheet.bvh);
    grzFlightplan_Destroy(sheet.plan);
    char text[128];
    if (!grzResult_IsOk(result))
        return fprintf(stderr, "moving_mesh: %s\n", grzResult_Text(result, text, sizeof text)), 2;
    return 0;
}
