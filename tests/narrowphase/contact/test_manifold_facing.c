// Manifolds of meshes with two sides: the windings of their triangles do not matter, and where little overlaps they are those of the
// solid that the mesh encloses.
#include "testing.h"

#include <math.h>

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
    static uint32_t triangles[3 * MOST_TRIANGLES];
    assert_true(def.triangleCount <= MOST_TRIANGLES && def.vertexCount <= MOST_VERTICES);
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
    const int kinds[2] = {(int)grzRng_Below(&g_rng, KINDS), (int)grzRng_Below(&g_rng, KINDS)};
    *asked = (Case){.kinds = {kinds[0], kinds[1]}};
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windingsDoNotMatter),
    };
    return cmocka_run_group_tests(tests, setUp, tearDown);
}
