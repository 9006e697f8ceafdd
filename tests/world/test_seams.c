// Frictionless bodies slide over flush tiles as over one plane: they do not rise, and keep their speed.
#include "expected_failure.h"
#include "world_testing.h"

enum { tileCount = 60, startCount = 4, mostSteps = 600 };

typedef struct Slide {
    double rise,
        loss; // the greatest height above the start in mm; the greatest part of the speed that was lost or won in percent
} Slide;

static void slideOnce(const grzMeshShape* tiles, grzConvex shape, float speed, float start, Slide* slide) {
    grzWorld* world = makeWorld(NULL);
    grzBodyDef def = grzDefaultBodyDef();
    def.friction = 0;
    def.kind = grz_staticBody;
    for (int i = 0; i < tileCount; ++i) {
        def.origin = grzVec3_Make(2 * (float)i, -0.5f, 0);
        if (tiles != NULL)
            def.mesh = tiles;
        else
            def.shape = grzMakeBox(grzVec3_Zero(), grzVec3_Make(1, 0.5f, 4));
        addBody(world, &def);
    }
    def.kind = grz_dynamicBody;
    def.mesh = NULL;
    def.shape = shape;
    def.origin = grzVec3_Make(start, 0.25f, 0.1f);
    def.velocity = grzVec3_Make(speed, 0, 0);
    const grzBodyId id = addBody(world, &def);
    const float end = 2 * (float)tileCount - 4;
    for (int i = 0; i < mostSteps && viewOf(world, id).origin.x < end; ++i) {
        stepOnce(world);
        const grzBodyView view = viewOf(world, id);
        slide->rise = fmax(slide->rise, 1000 * ((double)view.origin.y - 0.25));
        slide->loss = fmax(slide->loss, 100 * fabs((double)view.velocity.x / (double)speed - 1));
    }
    grzWorld_Destroy(world);
}

// A box and a ball, at three speeds, from several places.
static Slide slideOver(bool areMeshes) {
    static const float speeds[] = {1, 8, 30};
    grzMesh* mesh = scaledShapeMesh(shapeBox, 12, grzVec3_Make(1, 0.5f, 4));
    grzMeshShape* tile = meshShapeOf(mesh);
    Slide slide = {0};
    for (int s = 0; s < 3; ++s)
        for (int k = 0; k < startCount; ++k) {
            const float start = 0.13f + 0.17f * (float)k;
            const grzMeshShape* tiles = areMeshes ? tile : NULL;
            slideOnce(tiles, grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.25f)), speeds[s], start, &slide);
            slideOnce(tiles, grzMakeSphere(grzVec3_Zero(), 0.25f), speeds[s], start, &slide);
        }
    grzMeshShape_Destroy(tile);
    grzMesh_Destroy(mesh);
    return slide;
}

static void bodiesDoNotRiseOverTheSeamsOfBoxes(void** state) {
    (void)state;
    expectFailureAtMost("rise in mm", slideOver(false).rise, 1);
}

static void bodiesKeepTheirSpeedOverTheSeamsOfBoxes(void** state) {
    (void)state;
    expectFailureAtMost("change of speed in percent", slideOver(false).loss, 0.1);
}

static void bodiesDoNotRiseOverTheSeamsOfMeshes(void** state) {
    (void)state;
    expectFailureAtMost("rise in mm", slideOver(true).rise, 1);
}

static void bodiesKeepTheirSpeedOverTheSeamsOfMeshes(void** state) {
    (void)state;
    expectFailureAtMost("change of speed in percent", slideOver(true).loss, 0.1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        expected_failure_test(bodiesDoNotRiseOverTheSeamsOfBoxes),
        expected_failure_test(bodiesKeepTheirSpeedOverTheSeamsOfBoxes),
        expected_failure_test(bodiesDoNotRiseOverTheSeamsOfMeshes),
        expected_failure_test(bodiesKeepTheirSpeedOverTheSeamsOfMeshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
