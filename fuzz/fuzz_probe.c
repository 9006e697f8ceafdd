// Any bytes as a time-critical query: two meshes, two poses, the numbers of a fit or two ADB-trees, and runs with budgets. A query in
// pieces must answer as an unbroken one; what it calls exact must be what grzModels_Touch answers; budgets must be kept.
#include <math.h>
#include <string.h>

#include "fuzz_contract.h"
#include "fuzz_entry.h"
#include "graze/stage/time_critical.h"

// Small, as most inputs must take well below a millisecond: a leaf has four triangles, a node eight leaves.
enum { MOST_TRIANGLES = 40, FEW_TRIANGLES = 9, MOST_RUNS = 4 };

// The bytes yet to come; zeros after their end.
typedef struct Bytes {
    const uint8_t *at, *end;
} Bytes;

static uint8_t takeByte(Bytes* bytes) {
    return bytes->at < bytes->end ? *bytes->at++ : 0;
}

// Small whole numbers, now and then something odd.
static float takeNumber(Bytes* bytes, uint8_t kind) {
    static const float odd[] = {1e-30F, 1e20F, 3.4e38F, -1e-42F, (float)INFINITY, (float)NAN};
    const uint8_t byte = takeByte(bytes);
    if (kind % 8 == 7 && byte < 6)
        return odd[byte];
    return ((float)byte - 128) / 32;
}

static grzVec3 takeVector(Bytes* bytes, uint8_t kind) {
    const float x = takeNumber(bytes, kind), y = takeNumber(bytes, kind);
    return grzVec3_Make(x, y, takeNumber(bytes, kind));
}

// NULL where it is refused.
static grzModel* takeModel(Bytes* bytes, uint8_t kind, uint8_t size) {
    float positions[9 * MOST_TRIANGLES];
    uint32_t triangles[3 * MOST_TRIANGLES];
    const uint32_t most = size < 250 ? FEW_TRIANGLES : MOST_TRIANGLES, count = size % (most + 1);
    grzModelDef def = grzDefaultModelDef();
    grzModel* model;
    for (uint32_t i = 0; i < 3 * count; ++i) {
        grzVec3_Store(positions + 3 * i, takeVector(bytes, kind));
        triangles[i] = takeByte(bytes) < 16 ? i / 2 : i;
    }
    def.positions = positions, def.vertexCount = 3 * (size_t)count;
    def.triangles = triangles, def.triangleCount = count;
    const grzResult result = grzModel_Create(&def, &model);
    FUZZ_REQUIRE(grzResult_IsOk(result) == (model != NULL));
    return model;
}

static grzTransform takePose(Bytes* bytes, uint8_t kind) {
    const grzVec3 x = takeVector(bytes, kind), y = takeVector(bytes, kind), z = takeVector(bytes, kind);
    const grzVec3 origin = takeVector(bytes, kind);
    return grzTransform_Make(kind % 2 == 0 ? grzMat3_Identity() : grzMat3_FromColumns(x, y, z), origin);
}

// The numbers of a file that somebody has changed: weights are anything, the rest is often what Save may write.
static bool takeFit(Bytes* bytes, const grzProbeQuery* query, grzProbeFit* fit) {
    enum {
        SPENT = 4 + grz_probeStops * grz_probeWeights,
        LIMITS = SPENT + grz_probeStops,
        SIZES = grz_probeFitNumbers - 6,
    };
    double numbers[grz_probeFitNumbers];
    for (int i = 0; i < grz_probeFitNumbers; ++i)
        numbers[i] = ((double)takeByte(bytes) - 64) / 16;
    numbers[0] = 2, numbers[1] = takeByte(bytes) % 2, numbers[2] = 1000, numbers[3] = 1 + takeByte(bytes) % 8;
    for (int i = SPENT; i < grz_probeFitNumbers; ++i)
        numbers[i] = fabs(numbers[i]);
    for (int i = 0; i < grz_probeRisks; ++i)
        numbers[LIMITS + i] = 6 - i;
    numbers[SIZES] = 1e-30, numbers[SIZES + 1] = 1e30;
    for (int i = SIZES + 2; i < grz_probeFitNumbers; ++i)
        numbers[i] = 0;
    return grzResult_IsOk(grzProbeFit_Load(numbers, query->models.a, query->models.b, fit));
}

static bool areSame(const grzProbeAnswer* a, const grzProbeAnswer* b) {
    return memcmp(a, b, sizeof *a) == 0;
}

static void checkAnswer(const grzProbeAnswer* answer, bool touches) {
    FUZZ_REQUIRE(answer->certainty == grz_exact || answer->certainty == grz_probable);
    FUZZ_REQUIRE(answer->confidence >= 0.5F && (answer->certainty == grz_exact || answer->confidence < 1));
    FUZZ_REQUIRE(answer->certainty != grz_exact || (answer->touches == touches && answer->confidence == 1));
    FUZZ_REQUIRE(answer->leafPairs <= answer->work);
}

static void checkPlaces(const grzModelProbe* probe, const grzProbeAnswer* answer) {
    grzProbePlace places[4];
    const uint32_t count = grzModelProbe_FindPlaces(probe, places, 4);
    FUZZ_REQUIRE(count <= 4 && (answer->certainty != grz_exact || count == answer->touches));
    for (uint32_t i = 1; i < count; ++i)
        FUZZ_REQUIRE(places[i].likeliness <= places[i - 1].likeliness);
}

static void runAll(Bytes* bytes, grzModelProbe* probe, const grzProbeQuery* query, bool touches) {
    uint64_t total = 0;
    for (int i = 0; i < MOST_RUNS && bytes->at < bytes->end; ++i) {
        const uint8_t kind = takeByte(bytes);
        grzProbeBudget budget = grzUnlimitedProbeBudget(), whole = budget;
        grzProbeAnswer answer, unbroken;
        budget.work = kind == 255 ? UINT32_MAX : kind % 16;
        total += budget.work;
        whole.work = total < UINT32_MAX ? (uint32_t)total : UINT32_MAX;
        FUZZ_REQUIRE(grzResult_IsOk(grzModelProbe_Run(probe, &budget, &answer)));
        FUZZ_REQUIRE(grzResult_IsOk(grzModels_Probe(query, &whole, &unbroken)));
        FUZZ_REQUIRE(areSame(&answer, &unbroken) && answer.work <= total);
        checkAnswer(&answer, touches);
        checkPlaces(probe, &answer);
        whole.error = (float)kind / 512;
        FUZZ_REQUIRE(grzResult_IsOk(grzModels_Probe(query, &whole, &unbroken)));
        checkAnswer(&unbroken, touches);
    }
}

// NULL where it is refused.
static grzAdbTree* takeTree(Bytes* bytes, const grzModel* model) {
    grzAdbTreeDef def = grzDefaultAdbTreeDef();
    grzAdbTree* tree;
    const uint8_t kind = takeByte(bytes);
    def.model = model, def.cellsPerAxis = 4;
    def.shape = (grzAdbShape)(kind % 2), def.regions = (grzAdbRegions)(kind / 2 % 4);
    def.areaFactor = (float)(1 + kind / 8) / 64;
    const grzResult result = grzAdbTree_Create(&def, &tree);
    FUZZ_REQUIRE(grzResult_IsOk(result) == (tree != NULL));
    return tree;
}

// Both methods may be asked; a relative pose that is no similarity is refused to the published one alone.
static void ask(Bytes* bytes, grzModelProbe* probe, const grzProbeQuery* query) {
    bool touches;
    const grzResult result = grzModels_Touch(&query->models, &touches, NULL);
    const grzResult begun = grzModelProbe_Begin(probe, query);
    FUZZ_REQUIRE(begun.status == result.status ||
                 (query->method == grz_probePublished && begun.status == grz_badArgument));
    if (grzResult_IsOk(begun))
        runAll(bytes, probe, query, touches);
}

int fuzzProbe(const uint8_t* bytes, size_t size) {
    Bytes rest = {bytes, bytes + size};
    const uint8_t kind = takeByte(&rest), sizeA = takeByte(&rest), sizeB = takeByte(&rest);
    grzModel *a = takeModel(&rest, kind, sizeA), *b = takeModel(&rest, kind, sizeB);
    grzModelProbe* probe;
    FUZZ_REQUIRE(grzResult_IsOk(grzModelProbe_Create((grzAllocator){NULL, NULL, NULL}, &probe)));
    if (a != NULL && b != NULL) {
        grzProbeQuery query = grzDefaultProbeQuery();
        grzProbeFit fit;
        query.models.a = a, query.models.b = b;
        query.models.poseA = takePose(&rest, kind), query.models.poseB = takePose(&rest, kind);
        query.fit = kind % 4 < 2 && takeFit(&rest, &query, &fit) ? &fit : NULL;
        query.method = kind % 8 < 3 ? grz_probePublished : grz_probeFast;
        grzAdbTree* trees[2] = {NULL, NULL};
        if (query.method == grz_probePublished)
            query.adb.a = trees[0] = takeTree(&rest, a), query.adb.b = trees[1] = takeTree(&rest, b);
        ask(&rest, probe, &query);
        grzAdbTree_Destroy(trees[0]);
        grzAdbTree_Destroy(trees[1]);
    }
    grzModelProbe_Destroy(probe);
    grzModel_Destroy(a);
    grzModel_Destroy(b);
    return 0;
}
