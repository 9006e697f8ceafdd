// Any bytes as two meshes that move and a pair front over them, or over one with itself, one call after another. After each the front has the list that a search
// from scratch in rational numbers comes to, and its view the overlapping leaves of all pairs; up to its horizon no pair of leaves came
// or went; a front that is looked at seldom has the same events. Where the plans have two grids, the front stands up to its own check.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front_reference.h"
#include "fuzz_contract.h"
#include "fuzz_entry.h"
#include "kinetic_reference.h"

enum {
    mostTriangles = 60,
    mostVertices = mostTriangles / 2 + 3,
    mostFrames = 10,
    mostOperations = 24,
    mostChanged = 8,
};

typedef struct Bytes { // those yet to come; zeros after their end
    const uint8_t *at, *end;
} Bytes;

static uint8_t takeByte(Bytes* bytes) {
    return bytes->at < bytes->end ? *bytes->at++ : 0;
}

typedef struct Side {
    uint32_t vertexCount, triangleCount;
    uint32_t triangles[3 * mostTriangles];
    float frames[mostFrames][3 * mostVertices];
    double step; // between keyframes
    size_t frameCount;
    bool isPaths;
    grzBvh* bvh;
    grzFlightplan* plans[2]; // of paths one for each tree
    grzKineticTree* trees[2];
} Side;

typedef struct Life {
    Bytes bytes;
    grzRng rng;
    uint8_t flavour;
    bool isOneGrid, isSelf, cullsSelf;
    Side sides[2];           // of one with itself the first
    grzPairFront* fronts[2]; // the second is looked at seldom
    double time;
    bool isChanged; // paths were, of the first alone
} Life;

static int sideCountOf(const Life* life) {
    return life->isSelf ? 1 : 2;
}

static bool isOk(grzResult result) {
    return grzResult_IsOk(result);
}

static void drawNumbers(Life* life, uint32_t count, float* numbers) {
    const uint8_t byte = takeByte(&life->bytes);
    for (uint32_t i = 0; i < 3 * count; ++i)
        numbers[i] = drawHardNumber(&life->rng, byte < 128 ? life->flavour : byte, i / 3);
}

// ---- beginning ----

static void addFrame(Life* life, Side* side) {
    if (side->frameCount == mostFrames)
        return;
    float* numbers = side->frames[side->frameCount];
    drawNumbers(life, side->vertexCount, numbers);
    for (int k = 0; k < 2; ++k)
        FUZZ_REQUIRE(
            isOk(grzFlightplan_AddKeyframe(side->plans[k], side->step * (double)side->frameCount, numbers, 0)));
    side->frameCount++;
}

static void makePlans(Life* life, Side* side, int32_t tickExponent) {
    float velocities[3 * mostVertices], accelerations[3 * mostVertices];
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.vertexCount = side->vertexCount;
    if (side->isPaths) {
        drawNumbers(life, side->vertexCount, side->frames[0]);
        drawNumbers(life, side->vertexCount, velocities);
        drawNumbers(life, side->vertexCount, accelerations);
        def.kind = grz_planPaths, def.tickExponent = tickExponent;
        def.positions = side->frames[0], def.velocities = velocities;
        def.accelerations = takeByte(&life->bytes) % 2 == 0 ? accelerations : NULL;
    }
    for (int k = 0; k < 2; ++k)
        FUZZ_REQUIRE(isOk(grzFlightplan_Create(&def, &side->plans[k])));
    for (int f = 0; f < 2 && !side->isPaths; ++f)
        addFrame(life, side);
}

static void makeSide(Life* life, Side* side, bool isPaths, double step, int32_t tickExponent) {
    side->isPaths = isPaths, side->step = step;
    side->triangleCount = takeByte(&life->bytes) % (mostTriangles + 1);
    side->vertexCount = side->triangleCount / 2 + 3;
    for (uint32_t i = 0; i < 3 * side->triangleCount; ++i)
        side->triangles[i] = (i / 6 + grzRng_Below(&life->rng, 3)) % side->vertexCount;
    makePlans(life, side, tickExponent);
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = side->frames[0], def.vertexCount = side->vertexCount;
    def.triangles = side->triangles, def.triangleCount = side->triangleCount;
    FUZZ_REQUIRE(isOk(grzBvh_Create(&def, &side->bvh)));
    for (int k = 0; k < 2; ++k) {
        grzKineticTreeDef treeDef = grzDefaultKineticTreeDef();
        treeDef.bvh = side->bvh, treeDef.plan = side->plans[k];
        FUZZ_REQUIRE(isOk(grzKineticTree_Create(&treeDef, &side->trees[k])));
    }
}

static void begin(Life* life) {
    static const double steps[] = {1, 0.3, 1e-6, 7};
    const uint8_t kind = takeByte(&life->bytes), grid = takeByte(&life->bytes);
    life->rng = grzRng_Make(takeByte(&life->bytes), 0);
    life->flavour = takeByte(&life->bytes);
    life->isSelf = kind / 8 % 2 == 1;
    life->cullsSelf = life->isSelf && kind % 2 == 0 && kind / 16 % 2 == 1;
    life->isOneGrid = kind % 4 < 2 || life->isSelf;
    const double step = steps[grid % 4], otherStep = life->isOneGrid ? step : steps[grid / 4 % 4];
    makeSide(life, &life->sides[0], kind % 2 == 1, step, -20);
    if (!life->isSelf)
        makeSide(life, &life->sides[1], life->isOneGrid ? kind % 2 == 1 : kind / 4 % 2 == 1, otherStep, -20);
    for (int k = 0; k < 2; ++k) {
        grzPairFrontDef def = grzDefaultPairFrontDef();
        def.treeA = life->sides[0].trees[k], def.treeB = life->sides[1].trees[k];
        def.cullsSelf = life->cullsSelf;
        FUZZ_REQUIRE(isOk(grzPairFront_Create(&def, &life->fronts[k])));
    }
    life->time = grzPairFront_Time(life->fronts[0]);
}

static void end(Life* life) {
    for (int k = 0; k < 2; ++k) {
        grzPairFront_Destroy(life->fronts[k]);
        for (int s = 0; s < sideCountOf(life); ++s) {
            grzKineticTree_Destroy(life->sides[s].trees[k]);
            grzFlightplan_Destroy(life->sides[s].plans[k]);
        }
    }
    for (int s = 0; s < sideCountOf(life); ++s)
        grzBvh_Destroy(life->sides[s].bvh);
}

// ---- operations ----

static void check(const Life* life) {
    if (life->isOneGrid)
        FUZZ_REQUIRE(frontHolds(life->fronts[0], life->time));
    else
        FUZZ_REQUIRE(grzPairFront_Validate(life->fronts[0]));
}

static double endOf(const Life* life) {
    double end = life->time + 3;
    for (int s = 0; s < sideCountOf(life); ++s)
        end = fmin(end, grzFlightplan_GetRange(life->sides[s].plans[0]).end);
    return end;
}

static void advance(Life* life) {
    const double last = endOf(life), horizon = grzPairFront_Horizon(life->fronts[0]);
    const double part = takeByte(&life->bytes) / 256.0;
    const double times[] = {nextFrontEvent(life->fronts[0]), horizon, life->time + part * (last - life->time),
                            last};
    const double time = fmax(fmin(times[takeByte(&life->bytes) % 4], last), life->time);
    const grzPairFrontStats before = grzPairFront_GetStats(life->fronts[0]);
    FUZZ_REQUIRE(isOk(grzPairFront_Advance(life->fronts[0], NULL, time)));
    const grzPairFrontStats after = grzPairFront_GetStats(life->fronts[0]);
    if (time <= horizon)
        FUZZ_REQUIRE(before.leavesEnd == after.leavesEnd && before.leavesOverlapping == after.leavesOverlapping);
    life->time = fmax(time, life->time);
}

static Side* drawSide(Life* life) {
    return &life->sides[takeByte(&life->bytes) % sideCountOf(life)];
}

static void change(Life* life) {
    uint32_t vertices[mostChanged];
    float positions[3 * mostChanged], velocities[3 * mostChanged];
    Side* side = drawSide(life);
    if (!side->isPaths)
        return;
    for (int i = 0; i < mostChanged; ++i)
        vertices[i] = grzRng_Below(&life->rng, side->vertexCount);
    drawNumbers(life, mostChanged, positions);
    drawNumbers(life, mostChanged, velocities);
    const grzFlightplanChange how = {vertices, mostChanged, takeByte(&life->bytes) % 2 == 0 ? positions : NULL,
                                     velocities, NULL};
    const grzStatus status = grzKineticTree_Change(side->trees[0], NULL, life->time, &how).status;
    FUZZ_REQUIRE(status == grz_ok || status == grz_notFinite);
    if (status == grz_ok)
        FUZZ_REQUIRE(grzPairFront_Advance(life->fronts[0], NULL, life->time).status == grz_badArgument);
    FUZZ_REQUIRE(isOk(grzPairFront_Follow(life->fronts[0], NULL)));
    life->time =
        grzPairFront_Time(life->fronts[0]); // where plans have two grids, the tree may have been a tick ahead
    life->isChanged = true;
}

// The reference's cull needs both ends of the piece.
static void dropFrames(Life* life) {
    Side* side = drawSide(life);
    if (!side->isPaths)
        grzFlightplan_DropKeyframes(side->plans[0], life->cullsSelf ? life->time - side->step : life->time);
}

static void advanceBadly(Life* life) {
    const double times[] = {(double)NAN, (double)INFINITY, -1e10};
    const grzResult result = grzPairFront_Advance(life->fronts[0], NULL, times[takeByte(&life->bytes) % 3]);
    FUZZ_REQUIRE(result.status == grz_badArgument);
}

static void operate(Life* life) {
    const uint8_t what = takeByte(&life->bytes);
    if (what % 8 < 4)
        advance(life);
    else if (what % 8 == 4)
        change(life);
    else if (what % 8 == 5)
        for (int s = 0; s < sideCountOf(life) && !life->sides[s].isPaths; ++s)
            addFrame(life, &life->sides[s]);
    else if (what % 8 == 6)
        dropFrames(life);
    else
        advanceBadly(life);
    check(life);
}

// Looked at once, the other front has seen what this one has.
static void catchUp(const Life* life) {
    FUZZ_REQUIRE(isOk(grzPairFront_Advance(life->fronts[1], NULL, life->time)));
    const grzPairFrontStats often = grzPairFront_GetStats(life->fronts[0]);
    const grzPairFrontStats once = grzPairFront_GetStats(life->fronts[1]);
    FUZZ_REQUIRE(memcmp(&often, &once, sizeof often) == 0);
}

int fuzzPairFront(const uint8_t* bytes, size_t size) {
    Life life;
    memset(&life, 0, sizeof life);
    life.bytes = (Bytes){bytes, bytes + size};
    begin(&life);
    check(&life);
    for (int k = 0; k < mostOperations && life.bytes.at < life.bytes.end; ++k)
        operate(&life);
    if (!life.isChanged)
        catchUp(&life);
    end(&life);
    return 0;
}
