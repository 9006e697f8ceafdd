// Manifolds of meshes with two sides: the windings of their triangles do not matter, and where little overlaps they are
// those of the solid that the mesh encloses. A ball that shows through the wall of a larger one is led back into it,
// for twice the work of solids.
#include "testing.h"

#include <math.h>

#include "expected_failure.h"
#include "graze/graze.h"
#include "graze/manifold.h"
#include "rng.h"
#include "shapes.h"

enum { KINDS = 3, MOST_VERTICES = 200, MOST_TRIANGLES = 200 };

typedef enum Winding { windingGood, windingWrong, windingMixed, windingCount } Winding;

static grzMesh* g_meshes[KINDS][windingCount];
static grzManifolds* g_manifolds;
static grzRng g_rng;

static void must(grzResult result) {
    char text[128];
    if (!grzResult_IsOk(result))
        fail_msg("%s", grzResult_Text(result, text, sizeof text));
}

static grzMesh* makeWound(const MeshData* data, Winding winding) {
    grzMeshDef def = MeshData_Def(data);
    uint32_t* triangles = malloc(3 * def.triangleCount * sizeof *triangles);
    assert_non_null(triangles);
    assert_true(def.indexType == grz_index32 && def.triangleStride == 0);
    memcpy(triangles, def.indices, 3 * def.triangleCount * sizeof *triangles);
    for (size_t i = 0; i < def.triangleCount; ++i) {
        if (winding == windingGood || (winding == windingMixed && i * 7 % 5 < 2))
            continue;
        const uint32_t second = triangles[3 * i + 1];
        triangles[3 * i + 1] = triangles[3 * i + 2];
        triangles[3 * i + 2] = second;
    }
    def.indices = triangles;
    grzMesh* mesh;
    must(grzMesh_Create(&def, &mesh));
    free(triangles);
    return mesh;
}

static int setUp(void** state) {
    static const ShapeKind kinds[KINDS] = {shapeTorus, shapeSphere, shapeBox};
    static const size_t counts[KINDS] = {128, 80, 48};
    (void)state;
    for (int i = 0; i < KINDS; ++i) {
        MeshData data;
        must(i < KINDS ? makeShape(kinds[i], counts[i], grzDefaultAllocator(), &data)
                       : makeGrid(3, 3, 6, 6, grzDefaultAllocator(), &data));
        for (Winding winding = 0; winding < windingCount; ++winding)
            g_meshes[i][winding] = makeWound(&data, winding);
        MeshData_Release(&data);
    }
    must(grzManifolds_Create(NULL, (grzAllocator){0}, &g_manifolds));
    return 0;
}

static int tearDown(void** state) {
    (void)state;
    for (int i = 0; i < KINDS; ++i)
        for (Winding winding = 0; winding < windingCount; ++winding)
            grzMesh_Destroy(g_meshes[i][winding]);
    grzManifolds_Destroy(g_manifolds);
    return 0;
}

// ---- pairs of meshes ----

typedef struct Pose {
    grzQuat turn;
    grzVec3 shift;
} Pose;

// Both meshes with the windings, and which of them have two sides.
typedef struct Case {
    int kinds[2];
    Pose poses[2];
    Winding windings[2];
    bool areTwoSided[2];
} Case;

typedef struct Found {
    grzContact contacts[256];
    uint32_t count;
} Found;

static float drawIn(float least, float most) {
    return least + (most - least) * grzRng_Float(&g_rng);
}

static Pose drawPose(float wide) {
    const float x = drawIn(-1, 1), y = drawIn(-1, 1), z = drawIn(-1, 1), w = drawIn(-1, 1);
    const float a = drawIn(-wide, wide), b = drawIn(-wide, wide), c = drawIn(-wide, wide);
    return (Pose){grzQuat_Normalize(grzQuat_Make(x, y, z, w)), grzVec3_Make(a, b, c)};
}

static void placeMesh(const grzMeshView* view, const Pose* pose, float* positions) {
    for (size_t i = 0; i < view->vertexCount; ++i)
        grzVec3_Store(positions + 3 * i,
                      grzAdd(pose->shift, grzQuat_Rotate(pose->turn, grzVec3_Load(view->positions32 + 3 * i))));
}

static void findOf(const Case* asked, float margin, Found* found) {
    static float positions[2][3 * MOST_VERTICES];
    static grzTrianglePair pairs[MOST_TRIANGLES * MOST_TRIANGLES];
    grzMeshView views[2];
    grzManifoldQuery query = {.pairs = pairs, .margin = margin, .slack = margin};
    for (uint32_t i = 0; i < 2; ++i) {
        views[i] = grzMesh_GetView(g_meshes[asked->kinds[i]][asked->windings[i]]);
        placeMesh(&views[i], &asked->poses[i], positions[i]);
        *(i == 0 ? &query.a : &query.b) = (grzManifoldSide){
            .mesh = &views[i], .positions = positions[i], .body = {i + 1, 0}, .isTwoSided = asked->areTwoSided[i]};
    }
    for (uint32_t i = 0; i < views[0].triangleCount; ++i)
        for (uint32_t k = 0; k < views[1].triangleCount; ++k)
            pairs[query.count++] = (grzTrianglePair){0, i, k, 0, 0};
    must(grzManifolds_Build(g_manifolds, &query));
    const grzManifoldView view = grzManifolds_GetView(g_manifolds);
    assert_true(view.count <= 256);
    found->count = view.count;
    if (view.count != 0)
        memcpy(found->contacts, view.contacts, view.count * sizeof *view.contacts);
}

static float deepest(const Found* found) {
    float least = INFINITY;
    for (uint32_t i = 0; i < found->count; ++i)
        least = fminf(least, found->contacts[i].separation);
    return least;
}

// Every contact of the one has one of the other with its normal and its separation, near it.
static bool areLike(const Found* a, const Found* b) {
    for (uint32_t i = 0; i < a->count; ++i) {
        bool isThere = false;
        for (uint32_t k = 0; k < b->count && !isThere; ++k)
            isThere = grzDot(a->contacts[i].normal, b->contacts[k].normal) > 0.999f &&
                      fabsf(a->contacts[i].separation - b->contacts[k].separation) < 1e-3f &&
                      grzDistance(a->contacts[i].point, b->contacts[k].point) < 1e-2f;
        if (!isThere)
            return false;
    }
    return true;
}

// A pair whose solids have contacts, none deeper than a tenth; and these.
static bool drawCase(Case* asked, Found* solid) {
    const int kindA = (int)grzRng_Below(&g_rng, KINDS), kindB = (int)grzRng_Below(&g_rng, KINDS);
    *asked = (Case){.kinds = {kindA, kindB}};
    asked->poses[0] = drawPose(0);
    asked->poses[1] = drawPose(1.6f);
    findOf(asked, 0.1f, solid);
    return solid->count != 0 && deepest(solid) > -0.1f;
}

// All windings of one or both have the contacts of the solids: where they do not meet in each pair, where they meet in all but a few
// of a hundred, whose contacts come from either of two triangles.
static void test_windingsDoNotMatter(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(4711), 0);
    uint32_t met = 0, near = 0, differ = 0;
    for (int round = 0; round < 800; ++round) {
        Case asked;
        Found solid, found;
        if (!drawCase(&asked, &solid))
            continue;
        const bool isMet = deepest(&solid) <= 0;
        bool isLike = true;
        for (int i = 0; i < 2; ++i)
            asked.areTwoSided[i] = ((round % 3 + 1) >> i & 1) != 0;
        for (Winding winding = 0; winding < windingCount; ++winding) {
            for (int i = 0; i < 2; ++i)
                asked.windings[i] = asked.areTwoSided[i] ? winding : windingGood;
            findOf(&asked, 0.1f, &found);
            isLike &= areLike(&solid, &found) && areLike(&found, &solid);
        }
        *(isMet ? &met : &near) += 1;
        differ += !isLike;
    }
    assert_true(met > 25 && near > 25);
    if (differ > (met + near) / 50)
        fail_msg("%u of %u pairs that meet and %u that do not have other contacts", differ, met, near);
}

// ---- a ball in a ball ----

typedef struct Ball {
    grzMesh* mesh;
    grzMeshView view;
    float* positions;
    float radius;
    grzVec3 middle;
} Ball;

// Vertices at a radius of 1, then scaled and moved.
static void openBall(Ball* ball, size_t count, Winding winding, float radius, grzVec3 middle) {
    MeshData data;
    must(makeShape(shapeSphere, count, grzDefaultAllocator(), &data));
    ball->mesh = makeWound(&data, winding);
    MeshData_Release(&data);
    ball->view = grzMesh_GetView(ball->mesh);
    ball->radius = radius, ball->middle = middle;
    ball->positions = malloc(3 * ball->view.vertexCount * sizeof *ball->positions);
    assert_non_null(ball->positions);
    for (size_t i = 0; i < ball->view.vertexCount; ++i)
        grzVec3_Store(ball->positions + 3 * i,
                      grzAddScaled(middle, radius, grzNormalize(grzVec3_Load(ball->view.positions32 + 3 * i))));
}

static void closeBall(Ball* ball) {
    free(ball->positions);
    grzMesh_Destroy(ball->mesh);
}

static grzBox boxOf(const Ball* ball, size_t triangle) {
    grzBox box = grzBox_Empty();
    for (size_t k = 0; k < 3; ++k) {
        const grzVec3 at = grzVec3_Load(ball->positions + 3 * (size_t)ball->view.triangles[3 * triangle + k]);
        box = grzBox_AddPoint(box, at);
    }
    return box;
}

enum { MOST_BALL_PAIRS = 200000 };

static grzTrianglePair g_ballPairs[MOST_BALL_PAIRS];

// Triangles whose boxes overlap; of all windings the same.
static uint32_t findBallPairs(const Ball balls[2]) {
    const uint32_t countB = balls[1].view.triangleCount;
    uint32_t count = 0;
    grzBox* boxes = malloc(countB * sizeof *boxes);
    assert_non_null(boxes);
    for (uint32_t k = 0; k < countB; ++k)
        boxes[k] = boxOf(&balls[1], k);
    for (uint32_t i = 0; i < balls[0].view.triangleCount; ++i) {
        const grzBox box = boxOf(&balls[0], i);
        for (uint32_t k = 0; k < countB; ++k)
            if (grzBox_Overlap(box, boxes[k])) {
                assert_true(count < MOST_BALL_PAIRS);
                g_ballPairs[count++] = (grzTrianglePair){.triangleA = i, .triangleB = k};
            }
    }
    free(boxes);
    return count;
}

static void countRead(void* owner, uint32_t vertex) {
    (void)vertex;
    ++*(uint64_t*)owner;
}

// Vertices that a build reads, besides those of its pairs. The deepest contact is copied.
static uint64_t buildBalls(const Ball balls[2], const bool areTwoSided[2], uint32_t pairCount,
                           grzContact* deepest) {
    uint64_t reads = 0;
    grzManifoldQuery query = {.pairs = g_ballPairs, .count = pairCount};
    for (uint32_t i = 0; i < 2; ++i)
        *(i == 0 ? &query.a : &query.b) = (grzManifoldSide){.mesh = &balls[i].view,
                                                            .positions = balls[i].positions,
                                                            .body = {i + 1, 0},
                                                            .isTwoSided = areTwoSided[i],
                                                            .makeVertex = countRead,
                                                            .owner = &reads};
    must(grzManifolds_Build(g_manifolds, &query));
    const grzManifoldView view = grzManifolds_GetView(g_manifolds);
    assert_true(view.count > 0);
    *deepest = view.contacts[0];
    for (uint32_t i = 1; i < view.count; ++i)
        if (view.contacts[i].separation < deepest->separation)
            *deepest = view.contacts[i];
    return reads - 6 * (uint64_t)query.count;
}

// How far the ball shows through the wall of the other one, when it has gone by a way.
static double showing(const Ball balls[2], grzVec3 way) {
    double most = 0;
    for (size_t i = 0; i < balls[1].view.vertexCount; ++i) {
        const grzVec3 at = grzAdd(grzVec3_Load(balls[1].positions + 3 * i), way);
        most = fmax(most, (double)(grzDistance(at, balls[0].middle) - balls[0].radius));
    }
    return most;
}

typedef struct BallFigures {
    double work;   // reads of two sides by those of one, at most
    double left;   // of how far the ball shows: what is left of it after the deepest contact
    double detour; // how deep that is, by how far the ball shows
} BallFigures;

static void checkBack(const Ball balls[2], const grzContact* deepest, BallFigures* figures) {
    const double shows = showing(balls, grzVec3_Zero());
    const grzVec3 way = grzScale(deepest->normal, -deepest->separation);
    figures->left = fmax(figures->left, showing(balls, way) / shows);
    figures->detour = fmax(figures->detour, -(double)deepest->separation / shows);
}

// A ball of a radius in one of 1, through whose wall it shows by 0.04. Where that one is a solid, it is not led back.
static void checkBalls(size_t count, float radius, BallFigures* figures) {
    static const bool oneSided[2] = {false, false};
    const grzVec3 middle = grzScale(grzNormalize(grzVec3_Make(1, 1.3F, 0.7F)), 1.04F - radius);
    Ball balls[2];
    grzContact deepest;
    openBall(&balls[0], count, windingGood, 1, grzVec3_Zero()),
        openBall(&balls[1], count, windingGood, radius, middle);
    const uint32_t pairCount = findBallPairs(balls);
    const double solid = (double)buildBalls(balls, oneSided, pairCount, &deepest);
    closeBall(&balls[0]), closeBall(&balls[1]);
    for (Winding winding = 0; winding < windingCount; ++winding)
        for (int sides = 1; sides <= 3; ++sides) {
            const bool areTwoSided[2] = {(sides & 1) != 0, (sides & 2) != 0};
            openBall(&balls[0], count, areTwoSided[0] ? winding : windingGood, 1, grzVec3_Zero());
            openBall(&balls[1], count, areTwoSided[1] ? winding : windingGood, radius, middle);
            const double reads = (double)buildBalls(balls, areTwoSided, pairCount, &deepest);
            figures->work = fmax(figures->work, reads / solid);
            if (areTwoSided[0])
                checkBack(balls, &deepest, figures);
            closeBall(&balls[0]), closeBall(&balls[1]);
        }
}

static void ballsInBallsAreLedBack(void** state) {
    (void)state;
    static const size_t counts[] = {960, 3968, 16128};
    static const float radii[] = {0.5F, 0.7F, 0.85F};
    BallFigures figures = {0};
    for (size_t i = 0; i < testCount(2, 3); ++i)
        for (size_t k = 0; k < sizeof radii / sizeof *radii; ++k)
            checkBalls(counts[i], radii[k], &figures);
    assertAtMost("vertices read by two sides, by those of solids", figures.work, 2);
    assertAtMost("what still shows of a ball", figures.left, 0.25);
    assertAtMost("the way that it has gone, by how far it showed", figures.detour, 1.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windingsDoNotMatter),
        cmocka_unit_test(ballsInBallsAreLedBack),
    };
    return cmocka_run_group_tests(tests, setUp, tearDown);
}
