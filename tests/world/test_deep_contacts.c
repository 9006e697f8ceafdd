// A body that lies deep in a convex mesh has contacts that are about as deep as its shortest way out, and leaves slowly.
#include "contact_depth.h"
#include "expected_failure.h"
#include "world_testing.h"

enum { poseCount = 200, runSteps = 20 };

#define DEPTH 0.12
#define HALF  0.2f // of the box's sides

typedef struct Ellipsoid {
    grzMesh* mesh;
    grzMeshShape* shape;
    const float* points;
    size_t count;
} Ellipsoid;

static Ellipsoid makeEllipsoid(grzVec3 half) {
    Ellipsoid ellipsoid = {.mesh = scaledShapeMesh(shapeSphere, 320, half)};
    ellipsoid.shape = meshShapeOf(ellipsoid.mesh);
    ellipsoid.points = grzMesh_GetView(ellipsoid.mesh).positions32;
    ellipsoid.count = grzMesh_GetView(ellipsoid.mesh).vertexCount;
    return ellipsoid;
}

static void freeEllipsoid(Ellipsoid* ellipsoid) {
    grzMeshShape_Destroy(ellipsoid->shape);
    grzMesh_Destroy(ellipsoid->mesh);
}

// A box, turned in any way, some way from the middle, whose shortest way out is 12 cm.
static grzBodyDef drawBox(const Ellipsoid* ellipsoid, grzRng* rng) {
    grzBodyDef def = grzDefaultBodyDef();
    float inner = 0, outer = 2;
    def.shape = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(HALF));
    def.rotation = randomTurn(rng);
    const grzVec3 direction = grzNormalize(randomVector(rng, 1));
    for (int i = 0; i < 9; ++i) {
        RefSolid solid;
        def.origin = grzScale(direction, 0.5f * (inner + outer));
        refMake(&def.shape, grzTransform_FromQuat(def.rotation, def.origin), &solid);
        if (leastEscape(ellipsoid->points, ellipsoid->count, &solid) > DEPTH)
            inner = 0.5f * (inner + outer);
        else
            outer = 0.5f * (inner + outer);
    }
    return def;
}

// The depth of the deepest contact at the start, and the largest speed that the box gets from rest, without gravity.
static void runBox(const Ellipsoid* ellipsoid, const grzBodyDef* def, double* depth, double* speed) {
    grzWorld* world = makeWorld(NULL);
    must(grzWorld_SetGravity(world, grzVec3_Zero()));
    addMesh(world, grz_staticBody, ellipsoid->shape, grzVec3_Zero());
    const grzBodyId id = addBody(world, def);
    stepOnce(world);
    const grzWorldContacts found = grzWorld_GetContacts(world);
    for (size_t i = 0; i < found.contactCount; ++i)
        *depth = fmax(*depth, -(double)found.contacts[i].separation);
    for (int i = 0; i < runSteps; ++i) {
        *speed = fmax(*speed, (double)grzLength(viewOf(world, id).velocity));
        stepOnce(world);
    }
    grzWorld_Destroy(world);
}

typedef struct Found {
    double depth, speed; // the largest of all boxes
} Found;

static Found runBoxes(grzVec3 half) {
    grzRng rng = grzRng_Make(1, 0);
    Ellipsoid ellipsoid = makeEllipsoid(half);
    Found found = {0, 0};
    for (int i = 0; i < poseCount; ++i) {
        const grzBodyDef def = drawBox(&ellipsoid, &rng);
        runBox(&ellipsoid, &def, &found.depth, &found.speed);
    }
    freeEllipsoid(&ellipsoid);
    return found;
}

static Found g_wide, g_narrow; // of all boxes

static int runAll(void** state) {
    (void)state;
    g_wide = runBoxes(grzVec3_Make(0.34f, 0.76f, 0.52f));
    g_narrow = runBoxes(grzVec3_Make(0.18f, 0.8f, 0.18f));
    return 0;
}

static void contactsInAWideEllipsoidAreAsDeepAsTheWayOut(void** state) {
    (void)state;
    assertAtMost("depth of a contact in m", g_wide.depth, DEPTH + 0.1);
}

static void aBoxInAWideEllipsoidIsNotKickedOut(void** state) {
    (void)state;
    assertAtMost("speed in m/s", g_wide.speed, 0.8);
}

static void contactsInANarrowEllipsoidAreAsDeepAsTheWayOut(void** state) {
    (void)state;
    assertAtMost("depth of a contact in m", g_narrow.depth, DEPTH + 0.1);
}

static void aBoxInANarrowEllipsoidIsNotKickedOut(void** state) {
    (void)state;
    assertAtMost("speed in m/s", g_narrow.speed, 0.8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contactsInAWideEllipsoidAreAsDeepAsTheWayOut),
        cmocka_unit_test(aBoxInAWideEllipsoidIsNotKickedOut),
        cmocka_unit_test(contactsInANarrowEllipsoidAreAsDeepAsTheWayOut),
        cmocka_unit_test(aBoxInANarrowEllipsoidIsNotKickedOut),
    };
    return cmocka_run_group_tests(tests, runAll, NULL);
}
