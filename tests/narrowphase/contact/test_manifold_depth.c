// Contacts of two meshes lead apart, by the measure of all pairs of triangles (way_out.h): whoever follows the deepest contact until there
// is none has parted the meshes, and has not gone much farther than the shortest way is. A plate that has cut through another thin mesh
// is left out: it is not led back (docs/limits.md).
#include "model_query_testing.h"

#include <math.h>

#include "body_ids.h"
#include "expected_failure.h"
#include "graze/manifold.h"
#include "vec3d.h"
#include "way_out.h"

typedef enum MeshKind { wideBall, narrowBall, ringMesh, boxMesh, plateMesh, sheetMesh, meshKinds } MeshKind;

enum { poseCount = 3, mostTriangles = 160, mostRounds = 12 };

typedef struct Side {
    MeshKind kind;
    Ground ground;
    grzMeshView view;
    grzTransform pose;
    float positions[3 * mostTriangles];
    grzVec3 corners[mostTriangles][3];
    PlainMesh plain;
} Side;

typedef struct Scene {
    Side sides[2];
    grzTrianglePair pairs[mostTriangles * mostTriangles];
    grzManifolds* manifolds;
} Scene;

static void openSide(Side* side, MeshKind kind) {
    static const ShapeKind shapes[meshKinds] = {shapeSphere, shapeSphere, shapeTorus,
                                                shapeBox,    shapeBox,    shapeGrid};
    static const size_t counts[meshKinds] = {80, 80, 128, 12, 48, 72};
    static const float scales[meshKinds][3] = {{0.35F, 0.2F, 0.5F}, {0.1F, 0.5F, 0.1F},  {0.5F, 0.5F, 0.5F},
                                               {0.5F, 0.3F, 0.4F},  {0.5F, 0.02F, 0.5F}, {2, 1, 2}};
    ModelMesh mesh = makeShapeMesh(shapes[kind], counts[kind]);
    for (size_t i = 0; i < mesh.vertexCount; ++i) {
        const grzVec3 at = grzMul(grzVec3_Load(mesh.positions + 3 * i), grzVec3_Load(scales[kind]));
        grzVec3_Store(mesh.positions + 3 * i, at);
    }
    side->kind = kind;
    side->ground = bindMesh(mesh, grz_bvhSah);
    side->view = grzMesh_GetView(side->ground.topology);
    assert_true(side->view.triangleCount <= mostTriangles && side->view.vertexCount <= mostTriangles);
}

static void placeSide(Side* side, grzTransform pose) {
    const ModelMesh* mesh = &side->ground.mesh;
    side->pose = pose;
    for (size_t i = 0; i < mesh->vertexCount; ++i)
        grzVec3_Store(side->positions + 3 * i, grzTransform_Apply(pose, grzVec3_Load(mesh->positions + 3 * i)));
    for (size_t i = 0; i < mesh->triangleCount; ++i)
        for (size_t k = 0; k < 3; ++k)
            side->corners[i][k] = grzVec3_Load(side->positions + 3 * (size_t)mesh->triangles[3 * i + k]);
    side->plain = (PlainMesh){(const grzVec3(*)[3])side->corners, mesh->triangleCount, side->kind != sheetMesh};
}

// The deepest contact; NULL: none overlaps.
static const grzContact* findDeepest(Scene* scene, grzManifoldView* view) {
    const Side* sides = scene->sides;
    uint32_t count = 0;
    for (uint32_t i = 0; i < sides[0].view.triangleCount; ++i)
        for (uint32_t k = 0; k < sides[1].view.triangleCount; ++k)
            scene->pairs[count++] = (grzTrianglePair){.triangleA = i, .triangleB = k};
    const grzManifoldQuery query = {
        .a = {.mesh = &sides[0].view, .positions = sides[0].positions, .body = idOfNumber(1)},
        .b = {.mesh = &sides[1].view, .positions = sides[1].positions, .body = idOfNumber(2)},
        .pairs = scene->pairs,
        .count = count,
        .previous = view->contacts,
        .previousCount = view->count};
    assert_true(grzResult_IsOk(grzManifolds_Build(scene->manifolds, &query)));
    *view = grzManifolds_GetView(scene->manifolds);
    const grzContact* deepest = NULL;
    for (uint32_t i = 0; i < view->count; ++i)
        if (view->contacts[i].separation < (deepest == NULL ? 0 : deepest->separation))
            deepest = &view->contacts[i];
    return deepest;
}

typedef struct Figures {
    int met, lost, stuck;
    double deep, detour; // the largest depth, and way that was gone, by the shortest way
} Figures;

static void checkPose(Scene* scene, Figures* figures) {
    Side* a = &scene->sides[0];
    const double least = shortestWayApart(&a->plain, &scene->sides[1].plain);
    grzManifoldView view = {0};
    double length = 0;
    if (!(least > 0.01 && least < (double)INFINITY))
        return;
    for (int i = 0; i < mostRounds; ++i) {
        const grzContact* deepest = findDeepest(scene, &view);
        if (i == 0 && deepest != NULL)
            figures->deep = fmax(figures->deep, -(double)deepest->separation / least);
        if (deepest == NULL || deepest->separation > -1e-3F)
            break;
        length -= (double)deepest->separation;
        grzTransform pose = a->pose;
        pose.origin = grzAddScaled(pose.origin, deepest->separation, deepest->normal);
        placeSide(a, pose);
    }
    ++figures->met;
    figures->lost += length == 0;
    figures->stuck += shortestWayApart(&a->plain, &scene->sides[1].plain) > 0.02;
    figures->detour = fmax(figures->detour, length / least);
}

static void checkKinds(Scene* scene, MeshKind a, MeshKind b, Figures* figures) {
    openSide(&scene->sides[0], a), openSide(&scene->sides[1], b);
    for (size_t i = 0; i < testSize(poseCount, 1); ++i) {
        const bool isOnSheet = b == sheetMesh; // with its middle in front
        placeSide(&scene->sides[0], grzTransform_Make(drawRotation(), isOnSheet ? grzVec3_Make(0, draw(0, 0.3F), 0)
                                                                                : drawVector(0.5F)));
        placeSide(&scene->sides[1],
                  grzTransform_Make(isOnSheet ? grzMat3_Identity() : drawRotation(), grzVec3_Zero()));
        checkPose(scene, figures);
    }
    freeGround(&scene->sides[0].ground), freeGround(&scene->sides[1].ground);
}

static void contactsLeadApart(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(1), 1);
    Scene* scene = calloc(1, sizeof *scene);
    Figures figures = {0};
    assert_non_null(scene);
    assert_true(grzResult_IsOk(grzManifolds_Create(NULL, (grzAllocator){0}, &scene->manifolds)));
    for (int a = wideBall; a < sheetMesh; ++a)
        for (int b = a; b < meshKinds; ++b)
            if (a != plateMesh)
                checkKinds(scene, (MeshKind)a, (MeshKind)b, &figures);
    grzManifolds_Destroy(scene->manifolds);
    free(scene);
    assert_true(figures.met > (int)testSize(20, 4));
    assertAtMost("meshes without a contact", figures.lost, 0);
    assertAtMost("meshes that are not parted", figures.stuck, 0);
    assertAtMost("the deepest contact by the shortest way", figures.deep, 1.5);
    assertAtMost("the way that was gone by the shortest one", figures.detour, 3.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(contactsLeadApart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
