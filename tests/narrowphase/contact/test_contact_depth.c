// Contacts of shapes that lie in meshes lead out, by the measure of every triangle (way_out.h): whoever follows the deepest contact until
// there is none has left the mesh, and has not gone much farther than the shortest way out is. Solid meshes lead out whatever is in
// them, at any depth; open ones what came from the front.
#include "convex_testing.h"
#include "model_query_testing.h"

#include <math.h>

#include "body_ids.h"
#include "expected_failure.h"
#include "graze/model_contact.h"
#include "vec3d.h"
#include "way_out.h"

typedef enum MeshKind {
    wideBall,
    narrowBall,
    ringMesh,
    cubeMesh,
    plateMesh, // thinner than the shapes
    stairMesh,
    roomMesh, // a cube that is turned inside out
    sheetMesh,
    meshKinds
} MeshKind;

enum { quickPoses = 4, allPoses = 10, mostTriangles = 512, mostRounds = 12 };

typedef struct Scene {
    MeshKind kind;
    Ground ground;
    grzVec3 corners[mostTriangles][3];
    PlainMesh plain;
    grzModelContacts* contacts;
} Scene;

// ---- meshes ----

static void scaleMesh(ModelMesh* mesh, grzVec3 scale) {
    for (size_t i = 0; i < mesh->vertexCount; ++i)
        grzVec3_Store(mesh->positions + 3 * i, grzMul(grzVec3_Load(mesh->positions + 3 * i), scale));
}

static void turnInsideOut(ModelMesh* mesh) {
    for (size_t i = 0; i < mesh->triangleCount; ++i) {
        const uint32_t corner = mesh->triangles[3 * i + 1];
        mesh->triangles[3 * i + 1] = mesh->triangles[3 * i + 2];
        mesh->triangles[3 * i + 2] = corner;
    }
}

static void lowerHalf(ModelMesh* mesh) {
    for (size_t i = 0; i < mesh->vertexCount; ++i)
        if (mesh->positions[3 * i] > 0 && mesh->positions[3 * i + 1] > 0)
            mesh->positions[3 * i + 1] -= 0.6F;
}

static void makeHilly(ModelMesh* mesh) {
    for (size_t i = 0; i < mesh->vertexCount; ++i) {
        float* at = mesh->positions + 3 * i;
        at[1] = 0.15F * sinf(3 * at[0]) * cosf(4 * at[2]);
    }
}

static ModelMesh makeKind(MeshKind kind) {
    static const ShapeKind shapes[meshKinds] = {shapeSphere, shapeSphere, shapeTorus, shapeBox,
                                                shapeBox,    shapeBox,    shapeBox,   shapeGrid};
    static const size_t counts[meshKinds] = {180, 180, 200, 12, 48, 108, 48, 128};
    static const float scales[meshKinds][3] = {{0.7F, 0.4F, 1}, {0.2F, 1, 0.2F}, {1, 1, 1}, {1, 1, 1},
                                               {1, 0.04F, 1},   {1, 1, 1},       {1, 1, 1}, {1, 1, 1}};
    ModelMesh mesh = makeShapeMesh(shapes[kind], counts[kind]);
    scaleMesh(&mesh, grzVec3_Load(scales[kind]));
    if (kind == stairMesh)
        lowerHalf(&mesh);
    if (kind == roomMesh)
        turnInsideOut(&mesh);
    if (kind == sheetMesh)
        makeHilly(&mesh);
    return mesh;
}

static Scene* openScene(MeshKind kind) {
    Scene* scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    scene->kind = kind;
    scene->ground = bindMesh(makeKind(kind), grz_bvhSah);
    assert_true(grzResult_IsOk(grzModelContacts_Create((grzAllocator){0}, &scene->contacts)));
    return scene;
}

static void closeScene(Scene* scene) {
    grzModelContacts_Destroy(scene->contacts);
    freeGround(&scene->ground);
    free(scene);
}

// ---- poses ----

static grzConvex drawShape(void) {
    const float size = draw(0.1F, 0.3F);
    switch (grzRng_Below(&g_rng, 3)) {
    case 0:
        return grzMakeSphere(grzVec3_Zero(), size);
    case 1: {
        const grzVec3 end = drawVector(size);
        return grzMakeCapsule(grzNeg(end), end, 0.5F * size);
    }
    default:
        return grzMakeBox(grzVec3_Zero(), grzVec3_Make(size * draw(0.4F, 1), size, size * draw(0.4F, 1)));
    }
}

static void placeMesh(Scene* scene, grzTransform pose) {
    const size_t count = scene->ground.mesh.triangleCount;
    assert_true(count <= mostTriangles);
    for (size_t i = 0; i < count; ++i) {
        cornersOf(&scene->ground.mesh, i, scene->corners[i]);
        for (int k = 0; k < 3; ++k)
            scene->corners[i][k] = grzTransform_Apply(pose, scene->corners[i][k]);
    }
    scene->plain = (PlainMesh){(const grzVec3(*)[3])scene->corners, count, scene->kind < roomMesh};
}

// A shape with its middle before or behind a triangle; of a mesh that is not solid, before it.
static grzModelContactQuery drawQuery(Scene* scene, grzTransform pose) {
    grzModelContactQuery query = grzDefaultModelContactQuery();
    query.edges = scene->ground.edges, query.pose = pose;
    query.shape = drawShape();
    query.margin = 0.02F;
    query.shapeBody = idOfNumber(1), query.meshBody = idOfNumber(2);
    placeMesh(scene, pose);
    const grzVec3* c = scene->corners[grzRng_Below(&g_rng, (uint32_t)scene->plain.triangleCount)];
    const grzVec3 normal = grzNormalize(grzCross(grzSub(c[1], c[0]), grzSub(c[2], c[0])));
    const grzVec3 middle = grzScale(grzAdd(grzAdd(c[0], c[1]), c[2]), 1 / 3.0F);
    query.shapePose.basis = drawRotation();
    query.shapePose.origin = grzAddScaled(middle, draw(scene->plain.isSolid ? -0.6F : 0.12F, 0.25F), normal);
    return query;
}

static RefSolid solidOf(const grzModelContactQuery* query) {
    RefSolid solid;
    refMake(&query->shape, query->shapePose, &solid);
    return solid;
}

// ---- ways out ----

static const grzContact* deepestOf(const grzModelContactsView* view) {
    const grzContact* deepest = NULL;
    for (size_t i = 0; i < view->count; ++i)
        if (deepest == NULL || view->contacts[i].separation < deepest->separation)
            deepest = &view->contacts[i];
    return deepest;
}

static grzModelContactsView find(Scene* scene, const grzModelContactQuery* query) {
    assert_true(grzResult_IsOk(grzModelContacts_Find(scene->contacts, query)));
    return grzModelContacts_GetView(scene->contacts);
}

// Moves the shape along the deepest contacts until there is none. How far, in all.
static double follow(Scene* scene, grzModelContactQuery* query) {
    grzContact last[64];
    double length = 0;
    for (int i = 0; i < mostRounds; ++i) {
        const grzModelContactsView view = find(scene, query);
        const grzContact* deepest = deepestOf(&view);
        if (deepest == NULL || deepest->separation > -1e-3F)
            break;
        length -= (double)deepest->separation;
        query->shapePose.origin = grzAddScaled(query->shapePose.origin, deepest->separation, deepest->normal);
        assert_true(view.count <= 64);
        query->previousCount = (uint32_t)view.count, query->previous = last;
        memcpy(last, view.contacts, view.count * sizeof *last);
    }
    query->previous = NULL, query->previousCount = 0;
    return length;
}

typedef struct Figures {
    int lost, stuck;     // solid, and without a contact; not out in the end
    double deep, detour; // the largest depth, and way that was gone, by the shortest way out
} Figures;

static void checkPose(Scene* scene, grzTransform pose, Figures* figures) {
    grzModelContactQuery query = drawQuery(scene, pose);
    const RefSolid solid = solidOf(&query);
    const double least = shortestWayOut(&scene->plain, &solid);
    const grzModelContactsView view = find(scene, &query);
    const grzContact* deepest = deepestOf(&view);
    if (!(least > 0.01))
        return;
    const double depth = deepest == NULL ? 0 : -(double)deepest->separation;
    figures->lost += !(depth > 0);
    figures->deep = fmax(figures->deep, depth / least);
    figures->detour = fmax(figures->detour, follow(scene, &query) / least);
    const RefSolid moved = solidOf(&query);
    const bool isOut = shortestWayOut(&scene->plain, &moved) < 0.01;
    figures->stuck += !isOut;
}

static void runScenes(grzTransform pose) {
    Figures figures = {0};
    for (int kind = 0; kind < meshKinds; ++kind) {
        Scene* scene = openScene((MeshKind)kind);
        for (size_t i = 0; i < testCount(testSize(quickPoses, 1), allPoses); ++i)
            checkPose(scene, pose, &figures);
        closeScene(scene);
    }
    assertAtMost("shapes without a contact", figures.lost, 0);
    assertAtMost("shapes that do not come out", figures.stuck, 0);
    assertAtMost("the deepest contact by the shortest way out", figures.deep, 1.75);
    assertAtMost("the way that was gone by the shortest one", figures.detour, 2);
}

static void contactsLeadOut(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(1), 1);
    runScenes(grzTransform_Identity());
}

static void contactsLeadOutOfScaledMeshes(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(2), 1);
    grzTransform pose = drawRigid();
    pose.basis = grzMat3_ScaleColumns(pose.basis, grzVec3_Make(1.5F, 0.8F, 1.2F));
    runScenes(pose);
}

static void contactsLeadOutFarFromTheOrigin(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(3), 1);
    grzTransform pose = grzTransform_Identity();
    pose.origin = grzVec3_Make(1000, -2000, 500);
    runScenes(pose);
}

// A shape goes down through a sheet in strides that are shorter than it is thick: until it is through, the sheet leads it back up, if it
// hears of the last contacts; without them only as long as its middle is in front.
static void sinkThrough(Scene* scene, grzConvex shape, bool isRemembered) {
    grzModelContactQuery query = grzDefaultModelContactQuery();
    grzContact last[64];
    query.edges = scene->ground.edges, query.shape = shape, query.margin = 0.3F;
    query.shapeBody = idOfNumber(1), query.meshBody = idOfNumber(2);
    placeMesh(scene, grzTransform_Identity());
    for (float height = 0.5F; height > -0.19F; height -= 0.16F) {
        query.shapePose.origin = grzVec3_Make(0.1F, height, 0.07F);
        const grzModelContactsView view = find(scene, &query);
        const grzContact* deepest = deepestOf(&view);
        const bool isHeld =
            deepest != NULL && fabsf(deepest->separation - (height - 0.2F)) < 1e-3F && deepest->normal.y < -0.999F;
        assert_true(isHeld == (isRemembered || height > 0));
        query.previous = isRemembered ? last : NULL;
        query.previousCount = isRemembered ? (uint32_t)view.count : 0;
        assert_true(view.count <= 64);
        memcpy(last, view.contacts, view.count * sizeof *last);
    }
}

static void anOpenMeshHoldsWhatCameFromTheFront(void** state) {
    (void)state;
    const grzConvex shapes[] = {grzMakeSphere(grzVec3_Zero(), 0.2F),
                                grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.2F)),
                                grzMakeCapsule(grzVec3_Make(-0.3F, 0, 0), grzVec3_Make(0.3F, 0, 0), 0.2F)};
    Scene* scene = calloc(1, sizeof *scene);
    assert_non_null(scene);
    scene->kind = sheetMesh;
    scene->ground = bindMesh(makeShapeMesh(shapeGrid, 128), grz_bvhSah);
    assert_true(grzResult_IsOk(grzModelContacts_Create((grzAllocator){0}, &scene->contacts)));
    for (int i = 0; i < 3; ++i)
        for (int isRemembered = 0; isRemembered < 2; ++isRemembered)
            sinkThrough(scene, shapes[i], isRemembered != 0);
    closeScene(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contactsLeadOut),
        cmocka_unit_test(contactsLeadOutOfScaledMeshes),
        cmocka_unit_test(contactsLeadOutFarFromTheOrigin),
        cmocka_unit_test(anOpenMeshHoldsWhatCameFromTheFront),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
