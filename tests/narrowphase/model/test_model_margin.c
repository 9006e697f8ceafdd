// The margins of model pairs under hostile input: coordinates of any size, poses that scale, shear and carry far away, and
// corners put onto corners, so that boxes just touch. Every answer is compared with every pair of triangles in the frame
// that the contract states.
#include "model_testing.h"

#include <math.h>

#include "rng.h"

enum { HOSTILE_ROUNDS = 1500 };

static grzRng g_rng;

static float draw(float reach) {
    return reach * (2 * grzRng_Float(&g_rng) - 1);
}

static grzVec3 drawVector(float reach) {
    const float x = draw(reach), y = draw(reach);
    return grzVec3_Make(x, y, draw(reach));
}

static grzMat3 drawRotation(void) {
    grzQuat q = grzQuat_Identity();
    do {
        const float x = draw(1), y = draw(1), z = draw(1);
        q = grzQuat_Make(x, y, z, draw(1));
    } while (grzQuat_Dot(q, q) > 1 || grzQuat_Dot(q, q) < 0.01F);
    return grzRng_Below(&g_rng, 5) == 0 ? grzMat3_Identity() : grzMat3_FromQuat(grzQuat_Normalize(q));
}

// ---- meshes ----

typedef enum Coordinates {
    ofOne,
    onALattice,
    tooSmallForAllDigits,
    aroundAMillion,
    ofAMillionMillions,
    allTheSame,
    ofOneOrNearlyNothing,
    ofMixedSizes,
    zerosOfBothSigns,
    inAPlane,
    ofThreePoints,
    ofVolumesTooSmallForAllDigits,
    ofVolumesBeyondFloats,
    coordinatesKindCount,
} Coordinates;

static float drawCoordinate(Coordinates kind) {
    switch ((int)kind) {
    case onALattice:
        return 0.25F * floorf(draw(4));
    case tooSmallForAllDigits:
        return draw(1) * 1e-42F;
    case aroundAMillion:
        return 1e6F + draw(1);
    case ofAMillionMillions:
        return draw(1e12F);
    case allTheSame:
        return 0.5F;
    case ofVolumesTooSmallForAllDigits:
        return draw(1e-14F);
    case ofVolumesBeyondFloats:
        return draw(1e16F);
    case ofOneOrNearlyNothing:
        return draw(grzRng_Below(&g_rng, 2) == 0 ? 1 : 1e-30F);
    case ofMixedSizes:
        return draw(grzRng_Below(&g_rng, 3) == 0 ? 1e3F : 1e-3F);
    case zerosOfBothSigns:
        return grzRng_Below(&g_rng, 2) == 0 ? 0.0F : -0.0F;
    default:
        return draw(1);
    }
}

static float sizeOf(Coordinates kind) {
    switch ((int)kind) {
    case aroundAMillion:
        return 1e6F;
    case ofAMillionMillions:
        return 1e12F;
    case tooSmallForAllDigits:
        return 1e-42F;
    case ofVolumesTooSmallForAllDigits:
        return 1e-14F;
    case ofVolumesBeyondFloats:
        return 1e16F;
    default:
        return 1;
    }
}

static void drawPositions(ModelMesh* mesh, Coordinates kind) {
    for (size_t v = 0; v < mesh->vertexCount; ++v) {
        float* p = mesh->positions + 3 * v;
        const float* first = mesh->positions + 3 * (v - v % 3);
        const bool isNear = kind == ofOne && v % 3 != 0 && grzRng_Below(&g_rng, 4) != 0;
        for (size_t axis = 0; axis < 3; ++axis)
            p[axis] = isNear ? first[axis] + draw(0.2F) : drawCoordinate(kind);
        if (kind == inAPlane)
            p[2] = 0.25F;
        if (kind == ofThreePoints)
            memcpy(p, mesh->positions + 3 * (v % 3), 3 * sizeof *p);
    }
}

static ModelMesh drawMesh(Coordinates kind) {
    static const size_t counts[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 32, 33, 64, 65, 127};
    const size_t count = counts[grzRng_Below(&g_rng, sizeof counts / sizeof counts[0])];
    ModelMesh mesh = makeMesh(3 * count, count);
    const bool shares = grzRng_Below(&g_rng, 2) == 0;
    drawPositions(&mesh, kind);
    for (size_t i = 0; i < 3 * count; ++i)
        mesh.triangles[i] = shares ? grzRng_Below(&g_rng, (uint32_t)mesh.vertexCount) : (uint32_t)i;
    return mesh;
}

// With any builder, and positions that lie apart, with NaNs between them.
static grzModel* makeSpread(const ModelMesh* mesh) {
    const size_t step = 3 + grzRng_Below(&g_rng, 3);
    float* spread = malloc(step * mesh->vertexCount * sizeof *spread);
    assert_non_null(spread);
    for (size_t v = 0; v < mesh->vertexCount; ++v)
        for (size_t k = 0; k < step; ++k)
            spread[step * v + k] = k < 3 ? mesh->positions[3 * v + k] : (float)NAN;
    grzModelDef def = makeDef(mesh);
    grzModel* model;
    def.builder = (grzBvhBuilder)grzRng_Below(&g_rng, 3);
    def.positions = spread;
    def.positionStride = step * sizeof *spread;
    assert_true(grzResult_IsOk(grzModel_Create(&def, &model)));
    assert_true(grzModel_Validate(model, spread, def.positionStride));
    free(spread);
    return model;
}

// ---- poses ----

typedef enum Pose {
    rigid,
    scaled,
    far,
    thin,
    flatAndLong,
    veryFar,
    atTheOrigin,
    nearlySingular,
    asSingularAsCanBe,
    poseKindCount,
} Pose;

// Exact in float, with a determinant of 2^-46 in x and y, so that even in double an inverse has few digits.
static grzMat3 drawSingular(void) {
    const float k = (float)((1 << 22) + (int)grzRng_Below(&g_rng, 1 << 22)), scale = 0x1p-23F;
    const grzVec3 x = grzVec3_Make(scale * (k + 1), scale * k, 0), y = grzVec3_Make(scale * k, scale * (k - 1), 0);
    return grzMat3_FromColumns(x, y, grzVec3_Make(0, 0, 0.5F + grzRng_Float(&g_rng)));
}

static grzTransform drawPose(Pose kind, float size) {
    grzVec3 scale = grzVec3_Make(1, 1, 1);
    if (kind == scaled) {
        const float x = draw(2), y = -0.1F - grzRng_Float(&g_rng);
        scale = grzVec3_Make(x, y, draw(2));
    }
    if (kind == thin)
        scale = grzVec3_Make(1, 1e-6F, 1);
    if (kind == flatAndLong)
        scale = grzVec3_Make(1e6F, 1, 1e-6F);
    grzMat3 basis = grzMat3_ScaleColumns(drawRotation(), scale);
    if (kind == asSingularAsCanBe)
        basis = drawSingular();
    if (kind == nearlySingular)
        basis.z = grzAdd(basis.y, grzScale(basis.z, 1e-5F));
    const float off = kind == far ? 1e6F : kind == veryFar ? 1e9F : kind == atTheOrigin ? 0 : 1;
    return grzTransform_Make(basis, drawVector(size * off));
}

static void drawQuery(const ModelMesh* a, const ModelMesh* b, float size, grzModelQuery* query) {
    const Pose kind = (Pose)grzRng_Below(&g_rng, poseKindCount);
    if (grzRng_Below(&g_rng, 2) == 0)
        query->poseA =
            drawPose(grzRng_Below(&g_rng, 4) != 0 ? kind : (Pose)grzRng_Below(&g_rng, poseKindCount), size);
    if (grzRng_Below(&g_rng, 4) != 0)
        query->poseB = drawPose(kind, size);
    if (kind == far || kind == veryFar)
        query->poseB.origin = grzAdd(query->poseA.origin, drawVector(1));
    if (grzRng_Below(&g_rng, 2) != 0)
        return;
    const grzVec3 at = grzTransform_Apply(query->poseA, grzVec3_Load(a->positions + 3 * (size_t)a->triangles[0]));
    const grzVec3 from = grzVec3_Load(b->positions + 3 * (size_t)b->triangles[0]);
    query->poseB.origin = grzSub(at, grzMat3_Apply(query->poseB.basis, from));
}

// ---- comparing ----

typedef struct Tally {
    size_t answered, met, refused;
} Tally;

static void compareAxes(grzModelPairs* pairs, const grzModelQuery* query, const Expected* expected) {
    const grzModelPairsView view = grzModelPairs_GetView(pairs);
    bool touches;
    assert_true(grzResult_IsOk(grzModels_Touch(query, &touches, NULL)));
    assert_int_equal(touches, expected->count != 0);
    assert_int_equal(view.count, expected->count);
    for (size_t i = 0; i < view.count; ++i)
        assert_true(keyOf(&view.pairs[i]) == expected->keys[i]);
}

static void compare(grzModelPairs* pairs, const ModelMesh* a, const ModelMesh* b, grzModelQuery* query,
                    Tally* tally) {
    bool touches;
    if (!grzResult_IsOk(grzModels_Touch(query, &touches, NULL))) {
        assert_false(grzResult_IsOk(grzModelPairs_Find(pairs, query)));
        tally->refused++;
        return;
    }
    Expected expected = findExpected(a, b, query);
    for (int axes = 0; axes < 2; ++axes) {
        query->axes = axes == 0 ? grz_axesOfFaces : grz_axesAll;
        assert_true(grzResult_IsOk(grzModelPairs_Find(pairs, query)));
        compareAxes(pairs, query, &expected);
    }
    tally->answered++;
    tally->met += expected.count != 0;
    free(expected.keys);
}

static grzModelPairs* makePairs(void) {
    grzModelPairs* pairs;
    assert_true(grzResult_IsOk(grzModelPairs_Create((grzAllocator){NULL, NULL, NULL}, &pairs)));
    return pairs;
}

// ---- tests ----

static void compareHostile(grzModelPairs* pairs, Tally* tally) {
    const Coordinates kindA = (Coordinates)grzRng_Below(&g_rng, coordinatesKindCount);
    const Coordinates kindB =
        grzRng_Below(&g_rng, 3) != 0 ? kindA : (Coordinates)grzRng_Below(&g_rng, coordinatesKindCount);
    ModelMesh a = drawMesh(kindA), b = drawMesh(kindB);
    grzModel *modelA = makeSpread(&a), *modelB = makeSpread(&b);
    for (int i = 0; i < 3; ++i) {
        grzModelQuery query = grzDefaultModelQuery();
        query.a = modelA, query.b = modelB;
        drawQuery(&a, &b, sizeOf(kindA), &query);
        compare(pairs, &a, &b, &query, tally);
    }
    grzModel_Destroy(modelA), grzModel_Destroy(modelB);
    freeMesh(&a), freeMesh(&b);
}

static void hostileMeshesGiveAllPairs(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(1), 1);
    grzModelPairs* pairs = makePairs();
    Tally tally = {0, 0, 0};
    for (int i = 0; i < HOSTILE_ROUNDS; ++i)
        compareHostile(pairs, &tally);
    assert_true(tally.met > tally.answered / 4 && tally.met < tally.answered &&
                tally.refused < tally.answered / 10);
    grzModelPairs_Destroy(pairs);
}

// Triangles near each other in a frame in which they are `size` large.
static void drawSoup(ModelMesh* mesh, double size, grzVec3 scale) {
    for (size_t i = 0; i < mesh->triangleCount; ++i) {
        const grzVec3 center = drawVector(1);
        for (size_t k = 0; k < 9; ++k) {
            const int axis = (int)(k % 3);
            const double x = (double)(grzVec3_Get(center, axis) + draw(0.3F)) * size;
            mesh->positions[9 * i + k] = (float)(x / (double)grzVec3_Get(scale, axis));
        }
        for (size_t k = 0; k < 3; ++k)
            mesh->triangles[3 * i + k] = (uint32_t)(3 * i + k);
    }
}

// B's frame is 2^exponent as large as A's, by axis 2^-spread to 2^spread of that; in its own, B is of 2^sizeExponent.
static void compareScale(grzModelPairs* pairs, int exponent, int sizeExponent, int spread, Tally* tally) {
    const size_t countA = 1 + grzRng_Below(&g_rng, 60), countB = 1 + grzRng_Below(&g_rng, 60);
    ModelMesh a = makeMesh(3 * countA, countA), b = makeMesh(3 * countB, countB);
    const double size = ldexp(1, exponent + sizeExponent);
    grzVec3 scale;
    scale.x = ldexpf(1, exponent + spread * ((int)grzRng_Below(&g_rng, 3) - 1));
    scale.y = ldexpf(1, exponent + spread * ((int)grzRng_Below(&g_rng, 3) - 1));
    scale.z = ldexpf(1, exponent + spread * ((int)grzRng_Below(&g_rng, 3) - 1));
    drawSoup(&a, size, grzVec3_Make(1, 1, 1));
    drawSoup(&b, size, scale);
    grzModel *modelA = makeModel(&a), *modelB = makeModel(&b);
    grzModelQuery query = grzDefaultModelQuery();
    query.a = modelA, query.b = modelB;
    query.poseB = grzTransform_Make(grzMat3_ScaleColumns(drawRotation(), scale), drawVector((float)size));
    compare(pairs, &a, &b, &query, tally);
    grzModel_Destroy(modelA), grzModel_Destroy(modelB);
    freeMesh(&a), freeMesh(&b);
}

static void anyTwoScalesGiveAllPairs(void** state) {
    (void)state;
    g_rng = grzRng_Make(testSeed(2), 1);
    grzModelPairs* pairs = makePairs();
    Tally tally = {0, 0, 0};
    for (int exponent = -80; exponent <= 80; exponent += 4)
        for (int sizeExponent = -52; sizeExponent <= 58 && exponent + sizeExponent < 62; sizeExponent += 22)
            for (int spread = 0; spread <= 20; spread += 10)
                compareScale(pairs, exponent, sizeExponent, spread, &tally);
    assert_true(tally.met > 100);
    grzModelPairs_Destroy(pairs);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostileMeshesGiveAllPairs),
        cmocka_unit_test(anyTwoScalesGiveAllPairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
