// Frictionless bodies slide over flush tiles as over one plane: they do not rise, and keep their speed. Steps stop them all the same, and
// gaps catch them. Measured by the states of bodies at every step, in the frame of the tiles.
#include "expected_failure.h"
#include "world_testing.h"

typedef enum Tiles { tilesOfBoxes, tilesOfMeshes, tilesOfBoth, tilesOfHulls, tilesThatMove, tilesCount } Tiles;
typedef enum Slider {
    sliderBox,
    sliderBall,
    sliderTurnedBox,
    sliderLyingCapsule,
    sliderCapsuleAhead,
    sliderCount
} Slider;

enum { slideSteps = 100 };

typedef struct Slide {
    double rise; // the greatest height above the start in mm
    double loss; // the greatest part of the speed that was lost or won in percent
} Slide;

// Tiles in two rows, with a seam between the rows in z = 0, in the frame of `turn` and `origin`.
typedef struct Ground {
    Tiles tiles;
    grzQuat turn;
    grzVec3 origin;
    float width; // of a tile along x
    float step;  // each column lies higher by so much than the last one
    float gap;   // between columns
    grzMesh* mesh;
    grzMeshShape* meshShape;
    grzHull* hull;
    grzWorld* world;
} Ground;

static grzVec3 placeOn(const Ground* ground, float x, float y, float z) {
    return grzAdd(ground->origin, grzQuat_Rotate(ground->turn, grzVec3_Make(x, y, z)));
}

static void addTile(const Ground* ground, uint32_t column, uint32_t row) {
    grzBodyDef def = grzDefaultBodyDef();
    def.friction = 0;
    def.rotation = ground->turn;
    def.kind = ground->tiles == tilesThatMove ? grz_kinematicBody : grz_staticBody;
    def.origin = placeOn(ground, ((float)column - 1) * (ground->width + ground->gap),
                         (float)column * ground->step - 0.5f, row == 0 ? -4 : 4);
    if (ground->tiles == tilesThatMove)
        def.velocity = grzQuat_Rotate(ground->turn, grzVec3_Make(0, 0, 0.5f));
    if (ground->tiles == tilesOfMeshes || (ground->tiles == tilesOfBoth && ((column + row) & 1) != 0))
        def.mesh = ground->meshShape;
    else if (ground->tiles == tilesOfHulls)
        def.shape = grzMakeHullShape(ground->hull);
    else
        def.shape = grzMakeBox(grzVec3_Zero(), grzVec3_Make(0.5f * ground->width, 0.5f, 4));
    addBody(ground->world, &def);
}

static void makeGround(Ground* ground, uint32_t columns) {
    const grzVec3 half = grzVec3_Make(0.5f * ground->width, 0.5f, 4);
    float corners[24];
    for (int i = 0; i < 8; ++i)
        grzVec3_Store(corners + 3 * i, grzMul(half, grzVec3_Make((i & 1) != 0 ? 1 : -1, (i & 2) != 0 ? 1 : -1,
                                                                 (i & 4) != 0 ? 1 : -1)));
    grzHullDef def = grzDefaultHullDef();
    def.positions = corners, def.pointCount = 8;
    must(grzHull_Create(&def, &ground->hull));
    ground->mesh = scaledShapeMesh(shapeBox, 12, half);
    ground->meshShape = meshShapeOf(ground->mesh);
    ground->world = makeWorld(NULL);
    must(grzWorld_SetGravity(ground->world, grzQuat_Rotate(ground->turn, grzVec3_Make(0, -9.81f, 0))));
    for (uint32_t i = 0; i < 2 * columns; ++i)
        addTile(ground, i / 2, i % 2);
}

static void destroyGround(Ground* ground) {
    grzWorld_Destroy(ground->world);
    grzMeshShape_Destroy(ground->meshShape);
    grzMesh_Destroy(ground->mesh);
    grzHull_Destroy(ground->hull);
}

static grzBodyId addSlider(const Ground* ground, Slider slider, grzVec3 start, float speed) {
    grzBodyDef def = grzDefaultBodyDef();
    def.friction = 0;
    def.rotation = ground->turn;
    def.origin = placeOn(ground, start.x, start.y, start.z);
    def.velocity = grzQuat_Rotate(ground->turn, grzVec3_Make(speed, 0, 0));
    if (slider == sliderBall)
        def.shape = grzMakeSphere(grzVec3_Zero(), 0.25f);
    else if (slider == sliderLyingCapsule)
        def.shape = grzMakeCapsule(grzVec3_Make(0, 0, -0.3f), grzVec3_Make(0, 0, 0.3f), 0.25f);
    else if (slider == sliderCapsuleAhead)
        def.shape = grzMakeCapsule(grzVec3_Make(-0.3f, 0, 0), grzVec3_Make(0.3f, 0, 0), 0.25f);
    else
        def.shape = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.25f));
    if (slider == sliderTurnedBox)
        def.rotation = grzQuat_Multiply(ground->turn, grzQuat_FromAxisAngle(grzVec3_Make(0, 1, 0), 0.6f));
    return addBody(ground->world, &def);
}

// Place and velocity in the frame of the tiles.
static grzBodyView sliderOf(const Ground* ground, grzBodyId id) {
    grzBodyView view = viewOf(ground->world, id);
    const grzQuat back = grzQuat_Conjugate(ground->turn);
    view.origin = grzQuat_Rotate(back, grzSub(view.origin, ground->origin));
    view.velocity = grzQuat_Rotate(back, view.velocity);
    return view;
}

static void slideOnce(Ground ground, Slider slider, grzVec3 start, float speed, Slide* slide) {
    const float end = fminf(start.x + (float)slideSteps / 60 * speed, 60);
    makeGround(&ground, (uint32_t)(end / ground.width) + 4);
    const grzBodyId id = addSlider(&ground, slider, start, speed);
    for (int i = 0; i < slideSteps && sliderOf(&ground, id).origin.x < end; ++i) {
        stepOnce(ground.world);
        const grzBodyView view = sliderOf(&ground, id);
        slide->rise = fmax(slide->rise, 1000 * ((double)view.origin.y - 0.25));
        slide->loss = fmax(slide->loss, 100 * fabs((double)view.velocity.x / (double)speed - 1));
    }
    destroyGround(&ground);
}

// Beside the seam that lies along the way, and on it; over wide tiles, and tiles that the sliders are longer than.
static Slide slideOver(Tiles tiles, float speed) {
    static const grzVec3 places[2] = {{.x = 0.13f, .y = 0.25f, .z = 1.7f}, {.x = 0.47f, .y = 0.25f, .z = 0.1f}};
    Ground ground = {.tiles = tiles, .turn = grzQuat_Identity()};
    Slide slide = {0};
    for (int i = 0; i < 4 * sliderCount; ++i) {
        ground.width = (i & 1) != 0 ? 0.3f : 2;
        slideOnce(ground, (Slider)(i / 4), places[i / 2 % 2], speed, &slide);
    }
    return slide;
}

static void bodiesGlideOverSeams(void** state) {
    (void)state;
    static const float speeds[] = {1, 8, 30, 100};
    static const char* const names[tilesCount] = {"boxes", "meshes", "both", "hulls", "moving boxes"};
    for (int tiles = 0; tiles < tilesCount; ++tiles) {
        Slide worst = {0};
        for (int i = 0; i < 4; ++i) {
            const Slide slide = slideOver((Tiles)tiles, speeds[i]);
            worst.rise = fmax(worst.rise, slide.rise);
            worst.loss = fmax(worst.loss, slide.loss);
        }
        print_message("tiles of %s\n", names[tiles]);
        assertAtMost("rise in mm", worst.rise, 1);
        assertAtMost("change of speed in percent", worst.loss, 0.1);
    }
}

// At a tenth of a length a second, a thousandth of it is what a body gains in a second on a slope of a hundred-thousandth. Soft contacts
// sink unevenly, so that boxes lean by 2e-5 to 4e-5: where their own faces are the normals, they lose 0.16 percent.
static void slowBodiesGlideOverSeams(void** state) {
    (void)state;
    Slide worst = {0};
    for (int tiles = 0; tiles < tilesCount; ++tiles) {
        const Slide slide = slideOver((Tiles)tiles, 0.1f);
        worst.rise = fmax(worst.rise, slide.rise);
        worst.loss = fmax(worst.loss, slide.loss);
    }
    assertAtMost("rise in mm", worst.rise, 0.1);
    assertAtMost("change of speed in percent", worst.loss, 0.01);
}

// Turned by any angle, on a slope, 1,200 lengths from the origin.
static void bodiesGlideOverSeamsAnywhere(void** state) {
    (void)state;
    const grzQuat slope = grzQuat_Multiply(grzQuat_FromAxisAngle(grzVec3_Make(1, 0, 0), 0.4f),
                                           grzQuat_FromAxisAngle(grzVec3_Make(0, 1, 0), 2.1f));
    Slide slide = {0};
    for (int i = 0; i < 12; ++i) {
        const Ground ground = {.tiles = i % 3 == 0   ? tilesOfBoxes
                                        : i % 3 == 1 ? tilesOfMeshes
                                                     : tilesOfHulls,
                               .turn = grzQuat_Normalize(slope),
                               .origin = i < 6 ? grzVec3_Zero() : grzVec3_Make(1000, 30, -700),
                               .width = 2};
        slideOnce(ground, i / 3 % 2 == 0 ? sliderBox : sliderBall, grzVec3_Make(0.13f, 0.25f, 0.1f), 12, &slide);
    }
    assertAtMost("rise in mm", slide.rise, 1);
    assertAtMost("change of speed in percent", slide.loss, 0.1);
}

// Tiles that rise by 25 mm each. The box tips a little at the first edge, and does not get onto the next tile.
static void aRaisedEdgeStopsABox(void** state) {
    (void)state;
    for (int tiles = 0; tiles < tilesThatMove; ++tiles)
        for (int i = 0; i < 2; ++i) {
            Ground ground = {.tiles = (Tiles)tiles, .turn = grzQuat_Identity(), .width = 2, .step = 0.025f};
            makeGround(&ground, 4);
            const grzBodyId id = addSlider(&ground, sliderBox, grzVec3_Make(0, 0.275f, 0.1f), i == 0 ? 0.5f : 1);
            float most = 0;
            for (int k = 0; k < 120; ++k) {
                stepOnce(ground.world);
                most = fmaxf(most, sliderOf(&ground, id).origin.x);
            }
            assertAtMost("how far past the edge in m", (double)most - 0.75, 0.03);
            assertAtMost("height in the end", fabs((double)sliderOf(&ground, id).origin.y - 0.275), 0.001);
            assertAtMost("speed ahead in the end", (double)sliderOf(&ground, id).velocity.x, 0.001);
            destroyGround(&ground);
        }
}

// A gap of 0.6 m catches a ball of 0.5 m, and its far wall holds it.
static void aGapCatchesABall(void** state) {
    (void)state;
    for (int tiles = 0; tiles < tilesThatMove; ++tiles) {
        Ground ground = {.tiles = (Tiles)tiles, .turn = grzQuat_Identity(), .width = 2, .gap = 0.6f};
        makeGround(&ground, 4);
        const grzBodyId id = addSlider(&ground, sliderBall, grzVec3_Make(0, 0.25f, 1.7f), 0.8f);
        float most = 0;
        for (int k = 0; k < 180; ++k) {
            stepOnce(ground.world);
            most = fmaxf(most, sliderOf(&ground, id).origin.x);
        }
        assertAtMost("how far beyond the gap's middle in m", (double)most - 1.3, 0.06);
        assertAtMost("height in the end in m", (double)sliderOf(&ground, id).origin.y, -0.5);
        destroyGround(&ground);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodiesGlideOverSeams),
        cmocka_unit_test(slowBodiesGlideOverSeams),
        cmocka_unit_test(bodiesGlideOverSeamsAnywhere),
        cmocka_unit_test(aRaisedEdgeStopsABox),
        cmocka_unit_test(aGapCatchesABall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
