// Ways through a cube's faces, edges, corners and planes, each decided; and places of points beside it.
#include "testing.h"

#include "model_parity.h"

// From 0 to 2 on each axis; every face is cut along a diagonal. Then triangles without area: along an edge, and a point.
static const float g_positions[] = {0, 0, 0, 2, 0, 0, 0, 2, 0, 2, 2, 0, 0, 0,
                                    2, 2, 0, 2, 0, 2, 2, 2, 2, 2, 1, 0, 0};
static const uint32_t g_triangles[] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3,
                                       3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5, 0, 8, 1, 7, 7, 7};

static grzModel* makeCube(void) {
    grzModelDef def = grzDefaultModelDef();
    grzModel* model = NULL;
    def.positions = g_positions;
    def.vertexCount = sizeof g_positions / (3 * sizeof(float));
    def.triangles = g_triangles;
    def.triangleCount = sizeof g_triangles / (3 * sizeof(uint32_t));
    assert_true(grzResult_IsOk(grzModel_Create(&def, &model)));
    return model;
}

typedef struct WayCase {
    float from[3], to[3];
    ModelPassing passing;
    uint32_t crossings; // where clear
} WayCase;

static void everyWayIsDecided(void** state) {
    (void)state;
    static const WayCase cases[] = {
        {{1, 1, 1}, {1.25F, 1.5F, 9}, passing_isClear, 1},         // through the inside of a triangle
        {{1.25F, 1.5F, -5}, {1.25F, 1.5F, 9}, passing_isClear, 2}, // through two
        {{1, 1, 1}, {1, 1, 9}, passing_isUnclear, 0},              // through a diagonal
        {{1, 1, 1}, {9, 1.25F, 9}, passing_isUnclear, 0},          // through an edge of the cube
        {{1, 1, 1}, {9, 9, 9}, passing_isUnclear, 0},              // through a corner, where the point triangle is
        {{1, 1, 1}, {1, -7, -7}, passing_isUnclear, 0},            // through the edge where the flat triangle is
        {{-1, 0, 1}, {9, 0, 1}, passing_isUnclear, 0},             // in the plane of a face, through it
        {{3, 0, 1}, {9, 0, 4}, passing_isClear, 0},                // in that plane, in no box
        {{1.25F, 1.5F, 1}, {1.25F, 9, 2}, passing_isClear, 1},     // ends in the plane of a face beside it
        {{3, 1, 2}, {3, 1, 9}, passing_isClear, 0},                // starts in the plane of a face beside it
        {{0.5F, 0, 0.25F}, {0.75F, 5, 9}, passing_startsOn, 0},    // a face
        {{0.5F, 0, 0}, {0.75F, -5, -9}, passing_startsOn, 0},      // an edge
        {{2, 2, 2}, {3, 4, 9}, passing_startsOn, 0},               // a corner
        {{3, 3, 3}, {4, 4, 9}, passing_isClear, 0},                // away
        {{1, 1, 1}, {1, 1.25F, 1.5F}, passing_isClear, 0},         // within
    };
    grzModel* model = makeCube();
    const PlacedModel placed = {model, NULL};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        uint32_t crossings;
        const ModelPassing passing =
            grzPlaced_Pass(&placed, grzVec3_Load(cases[i].from), grzVec3_Load(cases[i].to), &crossings);
        if (passing != cases[i].passing || (passing == passing_isClear && crossings != cases[i].crossings))
            fail_msg("case %zu: passing %d, %u crossings", i, (int)passing, crossings);
    }
    grzModel_Destroy(model);
}

// Of a closed surface a way in the plane of one triangle goes through edges of others; of a single triangle it does not.
static void aWayInThePlaneOfATriangleIsUnclear(void** state) {
    (void)state;
    grzModelDef def = grzDefaultModelDef();
    grzModel* model = NULL;
    uint32_t crossings;
    def.positions = g_positions, def.vertexCount = 3;
    def.triangles = g_triangles, def.triangleCount = 1;
    assert_true(grzResult_IsOk(grzModel_Create(&def, &model)));
    const PlacedModel placed = {model, NULL};
    const grzVec3 from = grzVec3_Make(-1, 0.5F, 0), to = grzVec3_Make(5, 0.75F, 0);
    assert_int_equal(grzPlaced_Pass(&placed, from, to, &crossings), passing_isUnclear);
    grzModel_Destroy(model);
}

// Each point, moved by what floats can tell: 1 of 2^22 below, at, and above.
static void everyPlaceIsExact(void** state) {
    (void)state;
    grzModel* model = makeCube();
    const PlacedModel placed = {model, NULL};
    static const ModelPlace outward[3] = {place_inside, place_on, place_outside};
    for (int i = 0; i < 3 * 17 * 3; ++i) {
        float at[3] = {0.125F * (float)(i % 17), 0.125F * (float)(i % 17), 0.125F * (float)(i % 17)};
        const int axis = i % 3, step = i / (3 * 17);
        const bool isOnEdge = i % 17 == 0 || i % 17 == 16; // of the face
        at[axis] = 2 + 0x1p-22F * (float)(step - 1);
        const ModelPlace expected = isOnEdge && step < 2 ? place_on : outward[step];
        assert_int_equal(grzPlaced_Locate(&placed, model->box, grzVec3_Load(at)), expected);
    }
    grzModel_Destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyWayIsDecided),
        cmocka_unit_test(aWayInThePlaneOfATriangleIsUnclear),
        cmocka_unit_test(everyPlaceIsExact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
