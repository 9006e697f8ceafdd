// What: see front_testing.h.
#include "front_testing.h"

#include <math.h>

#include "simd_dispatch.h"

// ---- meshes ----

Mover takeMover(uint32_t vertexCount, uint32_t triangleCount) {
    Mover mover = {.vertexCount = vertexCount, .triangleCount = triangleCount};
    mover.triangles = calloc(3 * (size_t)triangleCount + 1, sizeof *mover.triangles);
    assert_non_null(mover.triangles);
    for (int f = 0; f < KEYFRAMES; ++f)
        mover.frames[f] = takeNumbers(3 * (size_t)vertexCount);
    mover.velocities = takeNumbers(3 * (size_t)vertexCount);
    mover.accelerations = takeNumbers(3 * (size_t)vertexCount);
    return mover;
}

static void drawNumbers(grzRng* rng, uint32_t flavour, uint32_t count, float* numbers) {
    for (uint32_t i = 0; i < 3 * count; ++i)
        numbers[i] = drawHardNumber(rng, flavour, i / 3);
}

Mover makeMover(grzRng* rng, uint32_t triangleCount, uint32_t flavour) {
    const bool swaps = flavour == hard_rising || flavour == hard_falling;
    Mover mover = takeMover(triangleCount / 2 + 3, triangleCount);
    for (uint32_t i = 0; i < 3 * triangleCount; ++i)
        mover.triangles[i] = (i / 6 + grzRng_Below(rng, 3)) % mover.vertexCount;
    for (int f = 0; f < KEYFRAMES; ++f)
        drawNumbers(rng, swaps ? (f % 2 == 0 ? hard_rising : hard_falling) : flavour, mover.vertexCount,
                    mover.frames[f]);
    drawNumbers(rng, swaps ? hard_falling : flavour, mover.vertexCount, mover.velocities);
    drawNumbers(rng, swaps ? hard_zeros : flavour, mover.vertexCount, mover.accelerations);
    return mover;
}

Mover makeSheetMover(uint32_t squares) {
    const uint32_t row = squares + 1;
    Mover mover = takeMover(row * row, 2 * squares * squares);
    for (uint32_t i = 0; i < squares * squares; ++i) {
        const uint32_t v = i / squares * row + i % squares;
        const uint32_t corners[6] = {v, v + 1, v + row, v + 1, v + row + 1, v + row};
        memcpy(mover.triangles + 6 * (size_t)i, corners, sizeof corners);
    }
    return mover;
}

void spread(grzRng* rng, Mover* mover, float scale) {
    for (uint32_t i = 0; i < 3 * mover->vertexCount; ++i) {
        for (int f = 0; f < KEYFRAMES; ++f)
            mover->frames[f][i] = (i % 3 == 0 ? scale * (float)(i / 3) : 0) + 4 * grzRng_Float(rng) - 2;
        mover->velocities[i] = grzRng_Float(rng) - 0.5F;
        mover->accelerations[i] = grzRng_Float(rng) - 0.5F;
    }
}

Duel makeSpread(grzRng* rng, uint32_t a, uint32_t b) {
    Duel duel = {.movers = {makeMover(rng, a, hard_usual), makeMover(rng, b, hard_usual)}};
    for (int k = 0; k < 2; ++k)
        spread(rng, &duel.movers[k], k == 0 ? 0.5F : 0.7F);
    return duel;
}

Duel makeSpreadSelf(grzRng* rng, uint32_t triangleCount) {
    Duel duel = {.movers = {makeMover(rng, triangleCount, hard_usual)}, .isSelf = true};
    spread(rng, &duel.movers[0], 0.5F);
    return duel;
}

// ---- trees and fronts ----

static void addBvh(Mover* mover) {
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = mover->frames[0], def.vertexCount = mover->vertexCount;
    def.triangles = mover->triangles, def.triangleCount = mover->triangleCount;
    ok(grzBvh_Create(&def, &mover->bvh));
}

static void addTree(Mover* mover, grzTasks* tasks) {
    grzKineticTreeDef def = grzDefaultKineticTreeDef();
    def.bvh = mover->bvh, def.plan = mover->plan, def.tasks = tasks;
    ok(grzKineticTree_Create(&def, &mover->tree));
}

void followFrames(Mover* mover, double begin, double step, grzTasks* tasks) {
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.vertexCount = mover->vertexCount;
    addBvh(mover);
    ok(grzFlightplan_Create(&def, &mover->plan));
    for (int f = 0; f < KEYFRAMES; ++f)
        ok(grzFlightplan_AddKeyframe(mover->plan, begin + step * f, mover->frames[f], 0));
    addTree(mover, tasks);
}

void followPaths(Mover* mover, double begin, bool isBent, int32_t tickExponent, grzTasks* tasks) {
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.kind = grz_planPaths, def.vertexCount = mover->vertexCount;
    def.positions = mover->frames[0], def.velocities = mover->velocities;
    def.accelerations = isBent ? mover->accelerations : NULL;
    def.startTime = begin, def.tickExponent = tickExponent;
    addBvh(mover);
    ok(grzFlightplan_Create(&def, &mover->plan));
    addTree(mover, tasks);
}

grzResult tryMeet(Duel* duel) {
    grzPairFrontDef def = grzDefaultPairFrontDef();
    def.treeA = duel->movers[0].tree, def.treeB = duel->movers[1].tree, def.tasks = duel->tasks;
    def.cullsSelf = duel->cullsSelf;
    if (duel->memory != NULL)
        def.allocator = testAllocator(duel->memory);
    return grzPairFront_Create(&def, &duel->front);
}

void meet(Duel* duel) {
    ok(tryMeet(duel));
}

void unfollow(Duel* duel) {
    grzPairFront_Destroy(duel->front);
    for (int k = 0; k < moverCount(duel); ++k) {
        grzKineticTree_Destroy(duel->movers[k].tree);
        grzFlightplan_Destroy(duel->movers[k].plan);
        grzBvh_Destroy(duel->movers[k].bvh);
        duel->movers[k].tree = NULL, duel->movers[k].plan = NULL, duel->movers[k].bvh = NULL;
    }
    duel->front = NULL;
}

void dropDuel(Duel* duel) {
    unfollow(duel);
    for (int k = 0; k < moverCount(duel); ++k) {
        Mover* mover = &duel->movers[k];
        for (int f = 0; f < KEYFRAMES; ++f)
            free(mover->frames[f]);
        free(mover->velocities), free(mover->accelerations), free(mover->triangles);
    }
}

static void followAll(Duel* duel, Kind kind) {
    for (int k = 0; k < moverCount(duel); ++k)
        if (kind == kind_frames)
            followFrames(&duel->movers[k], 0, 1, duel->tasks);
        else
            followPaths(&duel->movers[k], 0, kind != kind_straight, kind == kind_ticks && k == 1 ? -8 : -20,
                        duel->tasks);
}

void follow(Duel* duel, Kind kind) {
    followAll(duel, kind);
    meet(duel);
}

// ---- on in time ----

void goTo(Duel* duel, double time) {
    const double horizon = grzPairFront_Horizon(duel->front);
    const grzPairFrontStats before = grzPairFront_GetStats(duel->front);
    assert_true(horizon >= grzPairFront_Time(duel->front));
    ok(grzPairFront_Advance(duel->front, duel->tasks, time));
    const grzPairFrontStats after = grzPairFront_GetStats(duel->front);
    if (time <= horizon)
        assert_true(before.leavesEnd == after.leavesEnd && before.leavesOverlapping == after.leavesOverlapping);
    assert_true(after.leavesOverlapping == grzPairFront_GetView(duel->front).pairCount);
    assert_true(grzPairFront_Time(duel->front) >= time);
    assert_true(frontHolds(duel->front, time));
}

void goOn(Duel* duel, grzRng* rng, double end, int steps) {
    for (int k = 0; k < steps; ++k) {
        const double now = grzPairFront_Time(duel->front), event = fmin(nextFrontEvent(duel->front), end);
        const double times[] = {event, event, now + (end - now) * 0.2 * (double)grzRng_Float(rng),
                                grzPairFront_Horizon(duel->front)};
        goTo(duel, fmin(fmax(times[grzRng_Below(rng, 4)], now), end));
    }
    goTo(duel, fmax(end, grzPairFront_Time(duel->front)));
}

// ---- sameness ----

static uint64_t hashBytes(uint64_t hash, const void* bytes, size_t size) {
    for (size_t i = 0; i < size; ++i)
        hash = (hash ^ ((const unsigned char*)bytes)[i]) * UINT64_C(0x100000001b3); // FNV-1a
    return hash;
}

uint64_t hashFrontLife(Duel* duel, Kind kind, grzTasks* tasks) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    duel->tasks = tasks;
    follow(duel, kind);
    for (int k = 1; k <= 6; ++k) {
        ok(grzPairFront_Advance(duel->front, tasks, 0.37 * k));
        const grzPairFrontView view = grzPairFront_GetView(duel->front);
        const grzPairFrontStats stats = grzPairFront_GetStats(duel->front);
        const double horizon = grzPairFront_Horizon(duel->front);
        hash = hashBytes(hash, view.pairs, view.pairCount * sizeof *view.pairs);
        hash = hashBytes(hash, &stats, sizeof stats);
        hash = hashBytes(hash, &horizon, sizeof horizon);
        for (size_t i = 0; i < duel->front->used.count; ++i) {
            const FrontRegion* region = duel->front->regions.data[duel->front->used.data[i]];
            hash = hashBytes(hash, region->queue.data, region->queue.count * sizeof *region->queue.data);
        }
    }
    unfollow(duel);
    duel->tasks = NULL;
    return hash;
}

void expectSameLives(Duel* duel, Kind kind) {
    static const uint32_t workers[] = {1, 2, 3, 8};
    const uint64_t hash = hashFrontLife(duel, kind, NULL);
    for (int level = grz_simdScalar; level < GRZ_SIMD_LEVEL_COUNT; ++level) {
        if (!grzSimd_Supports((grzSimdLevel)level))
            continue;
        const grzSimdLevel usual = grzSimd_Force((grzSimdLevel)level);
        assert_true(hashFrontLife(duel, kind, NULL) == hash);
        grzSimd_Force(usual);
    }
    for (size_t w = 0; w < sizeof workers / sizeof workers[0]; ++w) {
        grzTasksDef def = grzDefaultTasksDef();
        def.workerCount = workers[w];
        grzTasks* tasks;
        ok(grzTasks_Create(&def, &tasks));
        assert_true(hashFrontLife(duel, kind, tasks) == hash);
        grzTasks_Destroy(tasks);
    }
}

// ---- memory ----

// On to a time; refused, nothing has changed, and it is asked again. Returns how often that was.
static int goOnThough(Duel* duel, double time) {
    const grzPairFrontView before = grzPairFront_GetView(duel->front);
    const double was = grzPairFront_Time(duel->front);
    const grzResult result = grzPairFront_Advance(duel->front, NULL, time);
    if (grzResult_IsOk(result))
        return 0;
    const grzPairFrontView after = grzPairFront_GetView(duel->front);
    assert_true(result.status == grz_outOfMemory && after.pairCount == before.pairCount);
    assert_true(grzPairFront_Time(duel->front) == was && grzPairFront_Horizon(duel->front) == was);
    duel->memory->failAt = SIZE_MAX;
    ok(grzPairFront_Advance(duel->front, NULL, time));
    return 1;
}

typedef struct Refusals {
    size_t toCreate, toAdvance; // requests
    int ofCreate, ofAdvance;    // refused
} Refusals;

// A life in which memory is refused at a request.
static void liveWith(Duel* duel, Kind kind, size_t failAt, Refusals* refusals) {
    TestMemory memory = {.failAt = failAt};
    duel->memory = &memory;
    followAll(duel, kind);
    const grzResult result = tryMeet(duel);
    if (!grzResult_IsOk(result)) {
        assert_true(result.status == grz_outOfMemory && duel->front == NULL);
        memory.failAt = SIZE_MAX;
        meet(duel);
        refusals->ofCreate++;
    }
    refusals->toCreate = memory.requests;
    for (int k = 1; k <= 4; ++k)
        refusals->ofAdvance += goOnThough(duel, 0.6 * k);
    refusals->toAdvance = memory.requests - refusals->toCreate;
    assert_true(failAt % 16 == 0 ? frontHolds(duel->front, 2.4) : grzPairFront_Validate(duel->front));
    unfollow(duel);
    assert_int_equal(memory.liveCount, 0);
    duel->memory = NULL;
}

int expectRefusedMemoryMadeUp(Duel* duel, Kind kind, size_t lives) {
    Refusals none = {0}, some = {0};
    liveWith(duel, kind, SIZE_MAX, &none);
    for (size_t life = 0; life < lives; ++life) {
        liveWith(duel, kind, none.toCreate * life / lives, &some);
        if (none.toAdvance != 0)
            liveWith(duel, kind, none.toCreate + none.toAdvance * life / lives, &some);
    }
    assert_true(none.ofCreate == 0 && none.ofAdvance == 0 && some.ofCreate == (int)lives);
    assert_true(some.ofAdvance == (none.toAdvance != 0 ? (int)lives : 0));
    return some.ofAdvance;
}

void expectWarmAllocatesNothing(Duel* duel) {
    TestMemory memory = {.failAt = SIZE_MAX};
    duel->memory = &memory;
    follow(duel, kind_frames);
    size_t warm = 0;
    for (int f = 0; f < 24; ++f) { // the same motion six times
        ok(grzPairFront_Advance(duel->front, NULL, f + 1 < KEYFRAMES ? f + 1 : KEYFRAMES - 1 + f - 3));
        for (int k = 0; k < moverCount(duel); ++k)
            ok(grzFlightplan_AddKeyframe(duel->movers[k].plan, KEYFRAMES + f, duel->movers[k].frames[f % KEYFRAMES],
                                         0));
        warm = f == 16 ? memory.requests : warm;
    }
    assert_int_equal(memory.requests, warm);
    assert_int_equal(memory.liveBytes, grzPairFront_MemorySize(duel->front));
    unfollow(duel);
    assert_int_equal(memory.liveCount, 0);
    duel->memory = NULL;
}
