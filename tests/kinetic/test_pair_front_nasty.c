// Adversarial motion for pair fronts, of two meshes and of one with itself, as test_kinetic_nasty.c has it for trees: all events at one tick;
// triangles without area; speeds of all sizes; the ends of time; grids finer than time; jumps; keyframes that come late; paths that turn
// at events. After every step the list is that of a search in rational numbers.
#include "front_testing.h"

#include <math.h>

static Duel makeHard(grzRng* rng, uint32_t a, uint32_t b, uint32_t flavour, bool isSelf) {
    Duel duel = {.movers = {makeMover(rng, a, flavour)}, .isSelf = isSelf};
    if (!isSelf)
        duel.movers[1] = makeMover(rng, b, flavour);
    return duel;
}

static void followAt(Duel* duel, double begin, double step) {
    for (int k = 0; k < moverCount(duel); ++k)
        followFrames(&duel->movers[k], begin, step, NULL);
    meet(duel);
}

// ---- everything at once ----

// x becomes -x: at the middle of the interval every box has no width, and all that stand side by side change places at one tick. The second
// sheet stands twice as wide, so that its boxes pass those of the first.
static Duel makeFlip(bool isSelf) {
    enum { SQUARES = 11 };
    Duel duel = {.movers = {makeSheetMover(SQUARES)}, .isSelf = isSelf};
    if (!isSelf)
        duel.movers[1] = makeSheetMover(SQUARES);
    for (int k = 0; k < moverCount(&duel); ++k)
        for (uint32_t i = 0; i < 3 * duel.movers[k].vertexCount; ++i) {
            const uint32_t v = i / 3, at[3] = {v % (SQUARES + 1), v / (SQUARES + 1), 0};
            const float x = i % 3 == 2 ? 0 : ((float)at[i % 3] - 5.25F) * (k == 0 ? 1 : 2);
            for (int f = 0; f < KEYFRAMES; ++f)
                duel.movers[k].frames[f][i] = i % 3 == 0 && f % 2 == 1 ? -x : x;
            duel.movers[k].velocities[i] = i % 3 == 0 ? -2 * x : 0;
        }
    return duel;
}

static uint64_t eventsOf(const Duel* duel) {
    const grzPairFrontStats stats = grzPairFront_GetStats(duel->front);
    return stats.overlaps + stats.fathersEnd + stats.leavesEnd;
}

static void allEventsAtOneTick(void** state) {
    (void)state;
    for (int isSelf = 0; isSelf < 2; ++isSelf)
        for (int isPaths = 0; isPaths < 2; ++isPaths) {
            Duel duel = makeFlip(isSelf != 0);
            for (int k = 0; k < moverCount(&duel); ++k)
                if (isPaths != 0)
                    followPaths(&duel.movers[k], 0, false, -24, NULL);
                else
                    followFrames(&duel.movers[k], 0, 1, NULL);
            meet(&duel);
            const size_t before = grzPairFront_GetView(duel.front).pairCount;
            goTo(&duel, 0.5 - 0x1p-24);
            const uint64_t events = eventsOf(&duel);
            goTo(&duel, 0.5); // all of a row in one place
            assert_true(grzPairFront_GetView(duel.front).pairCount > before);
            assert_true(eventsOf(&duel) > events + 50);
            goTo(&duel, 0.5 + 0x1p-24);
            goTo(&duel, 1); // mirrored, what overlaps is what did
            assert_int_equal(grzPairFront_GetView(duel.front).pairCount, before);
            dropDuel(&duel);
        }
}

// Points, edges there and back, the same triangle many times.
static void trianglesWithoutArea(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(961), 0);
    for (uint32_t kind = 0; kind < 3; ++kind)
        for (int isSelf = 0; isSelf < 2; ++isSelf) {
            Duel duel = makeHard(&rng, 70, 70, hard_usual, isSelf != 0);
            for (int k = 0; k < moverCount(&duel); ++k)
                for (uint32_t i = 0; i < 70; ++i) {
                    const uint32_t v = kind == 2 ? 7 : i % 20;
                    const uint32_t corners[3] = {v, kind == 0 ? v : (v + 1) % 20, v};
                    memcpy(duel.movers[k].triangles + 3 * (size_t)i, corners, sizeof corners);
                }
            for (Kind motion = kind_frames; motion < kind_ticks; ++motion) {
                follow(&duel, motion);
                goOn(&duel, &rng, motion == kind_frames ? KEYFRAMES - 1 : 2, 12);
                unfollow(&duel);
            }
            dropDuel(&duel);
        }
}

static void speedsOfAllSizes(void** state) {
    (void)state;
    static const float offsets[] = {0, 1e6F, 1e9F}, speeds[] = {0, 1e-30F, 1e-6F, 1, 1e6F, 3e38F};
    grzRng rng = grzRng_Make(testSeed(962), 0);
    for (int round = 0; round < 36; ++round) {
        const float offset = offsets[round % 3], speed = speeds[round / 3 % 6];
        Duel duel = makeHard(&rng, 40, 30, hard_usual, round >= 18);
        for (int m = 0; m < moverCount(&duel); ++m) {
            Mover* mover = &duel.movers[m];
            for (uint32_t i = 0; i < 3 * mover->vertexCount; ++i) {
                mover->frames[0][i] += offset;
                mover->velocities[i] *= speed;
                mover->accelerations[i] *= round / 3 % 2 == 0 ? 0 : speed;
            }
        }
        follow(&duel, kind_bent);
        for (int k = 1; k <= 12; ++k)
            goTo(&duel, ldexp(1, 3 * k - 20)); // from some ticks to half a day
        dropDuel(&duel);
    }
}

// ---- times ----

static void theEndsOfTime(void** state) {
    (void)state;
    static const int32_t exponents[] = {-30, -20, 0};
    static const double begins[] = {-4294967295, 4294967292, -1.5, 1e-300}, steps[] = {1, 1, 1, 1e-310};
    grzRng rng = grzRng_Make(testSeed(963), 0);
    for (int isSelf = 0; isSelf < 2; ++isSelf) {
        Duel duel = makeHard(&rng, 40, 25, hard_usual, isSelf != 0);
        for (size_t k = 0; k < 3; ++k) {
            const double limit = fmin(0x1p32, ldexp(0x1p52, exponents[k])), tick = ldexp(1, exponents[k]);
            const double begin = nextafter(-limit, 0), last = nextafter(limit, 0);
            for (int m = 0; m < moverCount(&duel); ++m)
                followPaths(&duel.movers[m], begin, true, exponents[k], NULL);
            meet(&duel);
            const double times[] = {begin, begin + tick, -limit / 2, -tick, 0, tick, limit / 2, limit - tick, last};
            for (size_t i = 0; i < sizeof times / sizeof times[0]; ++i)
                goTo(&duel, times[i]);
            assert_int_equal(grzPairFront_Advance(duel.front, NULL, limit).status, grz_badArgument);
            unfollow(&duel);
        }
        for (size_t k = 0; k < 4; ++k) {
            followAt(&duel, begins[k], steps[k]);
            const double end = grzFlightplan_GetRange(duel.movers[0].plan).end;
            for (int i = 1; i < 20; ++i)
                goTo(&duel, fmin(begins[k] + steps[k] * (KEYFRAMES - 1) * (i / 20.0), end));
            goTo(&duel, end);
            unfollow(&duel);
        }
        dropDuel(&duel);
    }
}

// Keyframes so near each other, and so far from zero, that some ticks have no time in them, and others one or a few.
static void gridsFinerThanTime(void** state) {
    (void)state;
    static const double begins[] = {-0.5, 1000.7, -4294967295, -1.1};
    static const double doublesATick[] = {0x1p-21, 0.6, 1.3, 3.1};
    grzRng rng = grzRng_Make(testSeed(964), 0);
    for (int isSelf = 0; isSelf < 2; ++isSelf) {
        Duel duel = makeHard(&rng, 9, 6, hard_usual, isSelf != 0);
        for (size_t k = 0; k < 16; ++k) {
            const double begin = begins[k % 4], fine = nextafter(fabs(begin), 0x1p40) - fabs(begin);
            const double gap = fine * doublesATick[k / 4] * 0x1p24;
            followAt(&duel, begin, gap);
            double time = begin;
            for (int i = 0; i < 60; ++i) {
                const double next = nextafter(time, 0x1p40), some = time + gap * 0.1 * (double)grzRng_Float(&rng);
                const double event = nextFrontEvent(duel.front);
                time = i % 3 == 0 ? next : i % 3 == 1 && isfinite(event) ? fmax(event, time) : fmax(some, time);
                time = fmin(time, grzFlightplan_GetRange(duel.movers[0].plan).end);
                goTo(&duel, time);
            }
            unfollow(&duel);
        }
        dropDuel(&duel);
    }
}

// Over many keyframes at once, or step by step: the same events.
static void jumpsSeeWhatStepsSee(void** state) {
    (void)state;
    enum { MANY = 60 };
    grzRng rng = grzRng_Make(testSeed(965), 0);
    for (int isSelf = 0; isSelf < 2; ++isSelf) {
        Duel jumping = makeHard(&rng, 60, 45, hard_usual, isSelf != 0), stepping = jumping;
        jumping.cullsSelf = stepping.cullsSelf = isSelf != 0;
        follow(&jumping, kind_frames);
        follow(&stepping, kind_frames);
        for (int f = 0; f < MANY; ++f)
            for (int k = 0; k < moverCount(&jumping); ++k) {
                const float* positions = jumping.movers[k].frames[(f + f / 5 + k) % KEYFRAMES];
                ok(grzFlightplan_AddKeyframe(jumping.movers[k].plan, KEYFRAMES + f, positions, 0));
                ok(grzFlightplan_AddKeyframe(stepping.movers[k].plan, KEYFRAMES + f, positions, 0));
            }
        goTo(&jumping, MANY - 0.25);
        for (int k = 1; k < 4 * MANY; ++k)
            goTo(&stepping, 0.25 * k);
        const grzPairFrontStats one = grzPairFront_GetStats(jumping.front),
                                many = grzPairFront_GetStats(stepping.front);
        assert_memory_equal(&one, &many, sizeof one);
        assert_true(one.pieces >= MANY - 1 && one.overlaps > MANY);
        unfollow(&stepping);
        dropDuel(&jumping);
    }
}

// Keyframes that are added while the front stands on the last one, or known beforehand; kept, or dropped as they pass. What is level at a
// keyframe is settled by what comes after it, whenever that is known.
static void keyframesThatComeLate(void** state) {
    (void)state;
    static const uint32_t sizes[] = {1, 33, 70};
    grzRng rng = grzRng_Make(testSeed(966), 0);
    for (uint32_t flavour = 0; flavour < 6 * HARD_FLAVOURS; ++flavour) {
        const uint32_t size = sizes[flavour / HARD_FLAVOURS % 3];
        Duel early = makeHard(&rng, size, size, flavour % HARD_FLAVOURS, flavour >= 3 * HARD_FLAVOURS);
        for (int k = 0; k < moverCount(&early); ++k) // every other one level
            for (uint32_t i = 0; i < 3 * early.movers[k].vertexCount; ++i)
                early.movers[k].frames[1][i] = drawHardNumber(&rng, hard_tied, i / 3);
        Duel late = early;
        follow(&early, kind_frames);
        follow(&late, kind_frames);
        for (int f = 0; f < 6; ++f) {
            const double last = KEYFRAMES - 1 + f;
            for (int k = 0; k < moverCount(&early); ++k)
                ok(grzFlightplan_AddKeyframe(early.movers[k].plan, last + 1, early.movers[k].frames[f % 3], 0));
            if (f % 3 != 0)
                goTo(&late, last - 0.25);
            goTo(&late, last);
            if (f % 3 == 2)
                grzFlightplan_DropKeyframes(late.movers[0].plan, last);
            for (int k = 0; k < moverCount(&late); ++k)
                ok(grzFlightplan_AddKeyframe(late.movers[k].plan, last + 1, late.movers[k].frames[f % 3], 0));
            goTo(&late, last); // the piece that follows is not begun by this
        }
        goTo(&late, KEYFRAMES + 5);
        goTo(&early, KEYFRAMES + 5);
        const grzPairFrontStats one = grzPairFront_GetStats(early.front), many = grzPairFront_GetStats(late.front);
        assert_memory_equal(&one, &many, sizeof one);
        unfollow(&late);
        dropDuel(&early);
    }
}

// Paths that turn round at each event, at its own tick, one before and one after.
static void pathsTurnAtEvents(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(967), 0);
    for (int isSelf = 0; isSelf < 2; ++isSelf) {
        Duel duel = makeHard(&rng, 60, 45, hard_usual, isSelf != 0);
        for (int k = 0; k < moverCount(&duel); ++k)
            spread(&rng, &duel.movers[k], 0.7F);
        uint32_t all[64];
        for (uint32_t v = 0; v < 64; ++v)
            all[v] = v;
        follow(&duel, kind_straight);
        for (int k = 0; k < 300; ++k) {
            Mover* mover = &duel.movers[isSelf != 0 ? 0 : k % 2];
            const double now = grzPairFront_Time(duel.front), event = fmin(nextFrontEvent(duel.front), now + 1);
            const double time = k % 4 == 3 ? now + 0.05 : fmax(event + (k % 3 - 1) * 0x1p-20, now);
            for (uint32_t i = 0; i < 3 * mover->vertexCount; ++i)
                mover->velocities[i] = k % 10 == 0 ? 8 * grzRng_Float(&rng) - 4 : -mover->velocities[i];
            const grzFlightplanChange turn = {all, k % 20 < 10 ? 7 : mover->vertexCount, NULL, mover->velocities,
                                              NULL};
            goTo(&duel, time);
            if (k % 5 != 0)
                continue;
            ok(grzKineticTree_Change(mover->tree, NULL, time, &turn));
            ok(grzPairFront_Follow(duel.front, NULL));
            assert_true(frontHolds(duel.front, time));
        }
        assert_true(eventsOf(&duel) > 10);
        dropDuel(&duel);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allEventsAtOneTick),    cmocka_unit_test(trianglesWithoutArea),
        cmocka_unit_test(speedsOfAllSizes),      cmocka_unit_test(theEndsOfTime),
        cmocka_unit_test(gridsFinerThanTime),    cmocka_unit_test(jumpsSeeWhatStepsSee),
        cmocka_unit_test(keyframesThatComeLate), cmocka_unit_test(pathsTurnAtEvents),
    };
    return cmocka_run_group_tests_name("pair_front_nasty", tests, NULL, NULL);
}
