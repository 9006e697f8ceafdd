// profile.h: sums to the nanosecond under a clock of our own, rings that wrap, workers that write at once, misuse.
#include "testing.h"

#include <pthread.h>

#include "clock.h"
#include "graze/graze.h"
#include "profile_clock.h"
#include "profile_state.h"
#include "profile_zone.h"

// ---- Help ----

static uint64_t readFakeClock(void* context) {
    return *(const uint64_t*)context;
}

static grzProfileDef fakeDef(uint64_t* now, uint32_t workerCount, uint32_t zoneCapacity) {
    grzProfileDef def = grzDefaultProfileDef();
    def.workerCount = workerCount;
    def.zoneCapacity = zoneCapacity;
    def.clock = readFakeClock;
    def.clockContext = now;
    return def;
}

static grzProfile* make(const grzProfileDef* def) {
    grzProfile* profile = NULL;
    assert_true(grzResult_IsOk(grzProfile_Create(def, &profile)));
    assert_non_null(profile);
    assert_true(grzProfile_Validate(profile));
    return profile;
}

static grzCounter counterOf(grzProfile* profile, const char* name) {
    grzCounter counter;
    assert_true(grzResult_IsOk(grzProfile_RegisterCounter(profile, name, &counter)));
    return counter;
}

static uint64_t nextRandom(uint64_t* state) {
    *state += 0x9E3779B97F4A7C15u; // splitmix64
    uint64_t z = *state;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static uint64_t sumOfMisuse(grzProfile* profile) {
    grzProfile_BeginStep(profile);
    return grzProfile_EndStep(profile)->misuseCount;
}

static void assertStage(const grzStageTime* time, uint64_t busy, uint64_t busiest, uint64_t span,
                        uint64_t zoneCount) {
    assert_int_equal(time->busy, busy);
    assert_int_equal(time->busiest, busiest);
    assert_int_equal(time->span, span);
    assert_int_equal(time->zoneCount, zoneCount);
}

static void assertZone(const grzProfile* profile, uint32_t worker, uint32_t index, const char* name, uint64_t begin,
                       uint64_t end, uint32_t depth) {
    grzZoneRecord zone = grzProfile_Zone(profile, worker, index);
    assert_string_equal(zone.name, name);
    assert_int_equal(zone.begin, begin);
    assert_int_equal(zone.end, end);
    assert_int_equal(zone.depth, depth);
}

// A zone of a given place and length, by moving the clock.
static void runZone(grzProfile* profile, uint64_t* now, grzStage stage, uint32_t worker, uint64_t begin,
                    uint64_t end) {
    grzZone zone;
    *now = begin;
    grzProfile_BeginZone(profile, stage, "zone", worker, &zone);
    *now = end;
    grzProfile_EndZone(&zone);
}

// ---- Zones and steps ----

static void nestedZonesShareOutTheTime(void** state) {
    (void)state;
    uint64_t now = 1000;
    grzProfileDef def = fakeDef(&now, 1, 8);
    grzProfile* profile = make(&def);
    grzProfile_BeginStep(profile); // at 0
    grzZone outer, inner, deepest;
    now += 10;
    grzProfile_BeginZone(profile, grz_stageBroad, "outer", 0, &outer); // 10
    now += 5;
    grzProfile_BeginZone(profile, grz_stageMid, "inner", 0, &inner); // 15
    now += 2;
    grzProfile_BeginZone(profile, grz_stageBroad, "deepest", 0, &deepest); // 17
    now += 4;
    grzProfile_EndZone(&deepest); // 21
    now += 1;
    grzProfile_EndZone(&inner); // 22
    now += 3;
    runZone(profile, &now, grz_stageMid, 0, now, now + 20); // 25 to 45
    now += 5;
    grzProfile_EndZone(&outer); // 50
    now += 50;
    const grzStepSummary* summary = grzProfile_EndStep(profile);
    assert_int_equal(summary->step, 0);
    assert_int_equal(summary->begin, 0);
    assert_int_equal(summary->wall, 100);
    assertStage(&summary->stages[grz_stageBroad], 40 - 7 - 20 + 4, 17, 40, 2);
    assertStage(&summary->stages[grz_stageMid], 3 + 20, 23, 30, 2);
    assertStage(&summary->stages[grz_stageSolve], 0, 0, 0, 0);
    assert_int_equal(summary->workerBusy[0], 40);
    assert_int_equal(summary->misuseCount, 0);

    assert_int_equal(grzProfile_ZoneCount(profile, 0), 4);
    assertZone(profile, 0, 0, "deepest", 17, 21, 2);
    assertZone(profile, 0, 1, "inner", 15, 22, 1);
    assertZone(profile, 0, 2, "zone", 25, 45, 1);
    assertZone(profile, 0, 3, "outer", 10, 50, 0);
    assert_int_equal(grzProfile_Zone(profile, 0, 1).stage, grz_stageMid);
    grzProfile_Destroy(profile);
}

static void stagesAreSummedOverWorkers(void** state) {
    (void)state;
    uint64_t now = 0;
    grzProfileDef def = fakeDef(&now, 3, 8);
    grzProfile* profile = make(&def);
    grzProfile_BeginStep(profile);
    runZone(profile, &now, grz_stageNarrow, 0, 10, 40);
    runZone(profile, &now, grz_stageNarrow, 1, 12, 32);
    runZone(profile, &now, grz_stageNarrow, 1, 50, 75);
    runZone(profile, &now, grz_stageSolve, 2, 5, 6);
    now = 100;
    const grzStepSummary* summary = grzProfile_EndStep(profile);
    assert_int_equal(summary->workerCount, 3);
    assertStage(&summary->stages[grz_stageNarrow], 75, 45, 65, 3);
    assertStage(&summary->stages[grz_stageSolve], 1, 1, 1, 1);
    assert_int_equal(summary->workerBusy[0], 30);
    assert_int_equal(summary->workerBusy[1], 45);
    assert_int_equal(summary->workerBusy[2], 1);

    now = 200; // the next step starts from nothing
    grzProfile_BeginStep(profile);
    runZone(profile, &now, grz_stageNarrow, 2, 210, 213);
    now = 300;
    summary = grzProfile_EndStep(profile);
    assert_int_equal(summary->step, 1);
    assert_int_equal(summary->begin, 200);
    assert_int_equal(summary->end, 300);
    assertStage(&summary->stages[grz_stageNarrow], 3, 3, 3, 1);
    assertStage(&summary->stages[grz_stageSolve], 0, 0, 0, 0);
    assert_int_equal(summary->workerBusy[1], 0);
    grzProfile_Destroy(profile);
}

static void zonesOutsideStepsAreInTheRingAlone(void** state) {
    (void)state;
    uint64_t now = 0;
    grzProfileDef def = fakeDef(&now, 1, 8);
    grzProfile* profile = make(&def);
    grzZone frame, load;
    grzProfile_BeginZone(profile, grz_stageUser, "load", 0, &load);
    now = 10;
    grzProfile_EndZone(&load);
    grzProfile_BeginZone(profile, grz_stageUser, "frame", 0, &frame);
    now = 20;
    grzProfile_BeginStep(profile);
    runZone(profile, &now, grz_stagePlan, 0, 25, 30);
    now = 50;
    const grzStepSummary* summary = grzProfile_EndStep(profile);
    now = 60;
    grzProfile_EndZone(&frame);
    assert_int_equal(summary->wall, 30);
    assertStage(&summary->stages[grz_stageUser], 0, 0, 0, 0);
    assertStage(&summary->stages[grz_stagePlan], 5, 5, 5, 1);
    assert_int_equal(summary->workerBusy[0], 5);
    assert_int_equal(summary->misuseCount, 0);
    assertZone(profile, 0, 0, "load", 0, 10, 0);
    assertZone(profile, 0, 1, "zone", 25, 30, 1);
    assertZone(profile, 0, 2, "frame", 10, 60, 0);
    assert_int_equal(sumOfMisuse(profile), 0);
    grzProfile_Destroy(profile);
}

static void aFullRingCountsWhatItOverwrites(void** state) {
    (void)state;
    uint64_t now = 0;
    grzProfileDef def = fakeDef(&now, 2, 4);
    grzProfile* profile = make(&def);
    const uint64_t zones[] = {3, 3, 9, 0, 4}, overwritten[] = {0, 2, 9, 0, 4}, truncated[] = {0, 0, 5, 0, 0};
    uint64_t total = 0, lost = 0;
    for (size_t step = 0; step < 5; ++step) {
        grzProfile_BeginStep(profile);
        for (uint64_t i = 0; i < zones[step]; ++i, ++total)
            runZone(profile, &now, grz_stageMid, 1, total * 10, total * 10 + 1);
        const grzStepSummary* summary = grzProfile_EndStep(profile);
        assert_int_equal(summary->overwrittenCount, overwritten[step]);
        assert_int_equal(summary->truncatedCount, truncated[step]);
        assert_int_equal(summary->mostZones, zones[step]);
        assert_int_equal(summary->stages[grz_stageMid].busy, zones[step]);
        lost += overwritten[step];
        assert_int_equal(grzProfile_OverwrittenZones(profile, 1), lost);
        assert_int_equal(grzProfile_ZoneCount(profile, 1), total - lost);
        for (uint32_t i = 0; i < total - lost; ++i)
            assertZone(profile, 1, i, "zone", (lost + i) * 10, (lost + i) * 10 + 1, 0);
        assert_true(grzProfile_Validate(profile));
    }
    assert_int_equal(grzProfile_ZoneCount(profile, 0), 0);
    assert_int_equal(grzProfile_OverwrittenZones(profile, 0), 0);
    assert_string_equal(grzProfile_Zone(profile, 1, 4).name, "");
    assert_int_equal(grzProfile_ZoneCount(profile, 2), 0);
    grzProfile_Destroy(profile);
}

// The slow way: every nanosecond goes to the stage of the innermost open zone.
static void randomNestingMatchesAWalkOverTime(void** state) {
    (void)state;
    uint64_t random = testSeed(11);
    for (int round = 0; round < 200; ++round) {
        uint64_t now = 0;
        grzProfileDef def = fakeDef(&now, 1, 16);
        grzProfile* profile = make(&def);
        uint64_t expected[grz_stageCount] = {0}, busy = 0;
        grzZone open[12];
        uint32_t depth = 0;
        grzProfile_BeginStep(profile);
        for (int move = 0; move < 300 || depth > 0; ++move) {
            for (uint64_t wait = nextRandom(&random) % 5; wait > 0; --wait, ++now) {
                if (depth > 0) {
                    expected[open[depth - 1].stage]++;
                    busy++;
                }
            }
            bool isOpening = depth == 0 || (move < 300 && depth < 12 && nextRandom(&random) % 2 == 0);
            if (isOpening) {
                grzStage stage = (grzStage)(nextRandom(&random) % grz_stageCount);
                grzProfile_BeginZone(profile, stage, "zone", 0, &open[depth++]);
            } else {
                grzProfile_EndZone(&open[--depth]);
            }
        }
        const grzStepSummary* summary = grzProfile_EndStep(profile);
        for (int stage = 0; stage < grz_stageCount; ++stage)
            assert_int_equal(summary->stages[stage].busy, expected[stage]);
        assert_int_equal(summary->workerBusy[0], busy);
        assert_int_equal(summary->wall, now);
        assert_int_equal(summary->misuseCount, 0);
        assert_true(grzProfile_Validate(profile));
        grzProfile_Destroy(profile);
    }
}

// ---- Counters ----

static void countersAreSummedPerStep(void** state) {
    (void)state;
    uint64_t now = 0;
    grzProfileDef def = fakeDef(&now, 3, 4);
    grzProfile* profile = make(&def);
    grzCounter pairs = counterOf(profile, "pairs"), tests = counterOf(profile, "tests");
    char copy[] = "pairs";
    assert_int_equal(counterOf(profile, copy).id, pairs.id);
    assert_int_equal(pairs.id, 1);
    assert_int_equal(tests.id, 2);
    grzProfile_Count(profile, 1, tests, 5); // between steps: for the next
    grzProfile_BeginStep(profile);
    grzProfile_Count(profile, 0, pairs, 1);
    grzProfile_Count(profile, 1, pairs, UINT64_C(1) << 40);
    GRZ_COUNT(profile, 2, pairs, 20);
    const grzStepSummary* summary = grzProfile_EndStep(profile);
    assert_int_equal(summary->counterCount, 2);
    assert_string_equal(summary->counters[0].name, "pairs");
#if defined(GRAZE_PROFILE)
    assert_int_equal(summary->counters[0].value, (UINT64_C(1) << 40) + 21);
#endif
    assert_string_equal(summary->counters[1].name, "tests");
    assert_int_equal(summary->counters[1].value, 5);
    grzProfile_BeginStep(profile);
    summary = grzProfile_EndStep(profile);
    assert_int_equal(summary->counters[0].value, 0);
    assert_int_equal(summary->counters[1].value, 0);
    grzProfile_Destroy(profile);
}

static void manyCountersGrowTheTable(void** state) {
    (void)state;
    static char names[500][8];
    uint64_t now = 0;
    grzProfileDef def = fakeDef(&now, 2, 4);
    def.stepCapacity = 2;
    grzProfile* profile = make(&def);
    for (uint32_t i = 0; i < 500; ++i) {
        snprintf(names[i], sizeof names[i], "c%u", i);
        grzCounter counter = counterOf(profile, names[i]);
        assert_int_equal(counter.id, i + 1);
        grzProfile_Count(profile, i % 2, counter, i);
    }
    grzProfile_BeginStep(profile);
    const grzStepSummary* summary = grzProfile_EndStep(profile);
    for (uint32_t i = 0; i < 500; ++i)
        assert_int_equal(summary->counters[i].value, i);
    assert_true(grzProfile_Validate(profile));
    grzProfile_Destroy(profile);
}

// ---- Callbacks ----

typedef struct Heard {
    const char* names[16];
    uint32_t workers[16];
    uint32_t depth, begins, ends;
    uint64_t now;
} Heard;

static void hearBegin(void* context, const char* name, uint32_t worker) {
    Heard* heard = context;
    heard->names[heard->depth] = name;
    heard->workers[heard->depth++] = worker;
    heard->begins++;
    heard->now += 1000;
}

static void hearEnd(void* context, uint32_t worker) {
    Heard* heard = context;
    assert_true(heard->depth > 0);
    assert_int_equal(heard->workers[--heard->depth], worker);
    heard->ends++;
    heard->now += 1000;
}

static void callbacksComeInPairs(void** state) {
    (void)state;
    Heard heard = {.now = 0};
    grzProfileDef def = fakeDef(&heard.now, 2, 4);
    def.begin = hearBegin;
    def.end = hearEnd;
    def.hostContext = &heard;
    grzProfile* profile = make(&def);
    static const char outerName[] = "outer", innerName[] = "inner";
    grzZone outer, inner;
    grzProfile_BeginZone(profile, grz_stageUser, outerName, 1, &outer);
    grzProfile_BeginZone(profile, grz_stageUser, innerName, 1, &inner);
    assert_ptr_equal(heard.names[0], outerName);
    assert_ptr_equal(heard.names[1], innerName);
    heard.now += 7;
    grzProfile_EndZone(&inner);
    assert_int_equal(heard.depth, 1);
    grzProfile_EndZone(&outer);
    assert_int_equal(heard.begins, 2);
    assert_int_equal(heard.ends, 2);
    assertZone(profile, 1, 0, "inner", 2000, 2007, 1); // the callbacks' time is outside the zone
    assertZone(profile, 1, 1, "outer", 1000, 3007, 0);

    grzProfile_BeginZone(profile, grz_stageUser, outerName, 1, &outer); // and pairs even where a zone is forgotten
    grzProfile_BeginZone(profile, grz_stageUser, innerName, 1, &inner);
    grzProfile_EndZone(&outer);
    assert_int_equal(heard.depth, 0);
    grzProfile_EndZone(&inner);
    assert_int_equal(heard.begins, 4);
    assert_int_equal(heard.ends, 4);
    assert_int_equal(sumOfMisuse(profile), 2);
    grzProfile_Destroy(profile);
}

// ---- Threads ----

enum { crowdZones = 300, crowdCapacity = 128 };

typedef struct Crowd {
    grzProfile* profile;
    grzCounter counter;
    uint32_t worker;
} Crowd;

static void* writeZones(void* argument) {
    const Crowd* crowd = argument;
    for (uint32_t i = 0; i < crowdZones; ++i) {
        grzZone outer, inner;
        grzProfile_BeginZone(crowd->profile, grz_stageNarrow, "outer", crowd->worker, &outer);
        grzProfile_BeginZone(crowd->profile, grz_stageMid, "inner", crowd->worker, &inner);
        grzProfile_Count(crowd->profile, crowd->worker, crowd->counter, crowd->worker + 1);
        grzProfile_EndZone(&inner);
        grzProfile_EndZone(&outer);
    }
    return NULL;
}

static void checkCrowd(const grzProfile* profile, const grzStepSummary* summary, uint32_t workerCount) {
    assert_int_equal(summary->stages[grz_stageNarrow].zoneCount, crowdZones * workerCount);
    assert_int_equal(summary->stages[grz_stageMid].zoneCount, crowdZones * workerCount);
    assert_int_equal(summary->counters[0].value, crowdZones * (workerCount * (workerCount + 1) / 2));
    assert_int_equal(summary->truncatedCount, (2 * crowdZones - crowdCapacity) * workerCount);
    assert_int_equal(summary->mostZones, 2 * crowdZones);
    assert_int_equal(summary->misuseCount, 0);
    assert_true(grzProfile_Validate(profile));
    for (uint32_t w = 0; w < workerCount; ++w) {
        assert_true(summary->workerBusy[w] > 0 && summary->workerBusy[w] <= summary->wall);
        assert_int_equal(grzProfile_ZoneCount(profile, w), crowdCapacity);
        for (uint32_t i = 0; i < crowdCapacity; i += 2) {
            grzZoneRecord inner = grzProfile_Zone(profile, w, i), outer = grzProfile_Zone(profile, w, i + 1);
            assert_string_equal(inner.name, "inner");
            assert_string_equal(outer.name, "outer");
            assert_true(outer.begin <= inner.begin && inner.begin <= inner.end && inner.end <= outer.end);
            assert_true(summary->begin <= outer.begin && outer.end <= summary->end);
        }
    }
}

static void allWorkersWriteAtOnce(void** state) {
    (void)state;
    const uint32_t workerCounts[] = {1, 2, 3, 8};
    for (size_t i = 0; i < 4; ++i) {
        grzProfileDef def = grzDefaultProfileDef(); // with the machine's clock
        def.workerCount = workerCounts[i];
        def.zoneCapacity = crowdCapacity;
        grzProfile* profile = make(&def);
        grzCounter counter = counterOf(profile, "work");
        for (int step = 0; step < 3; ++step) {
            pthread_t threads[8];
            Crowd crowds[8];
            grzProfile_BeginStep(profile);
            for (uint32_t w = 0; w < def.workerCount; ++w) {
                crowds[w] = (Crowd){profile, counter, w};
                assert_int_equal(pthread_create(&threads[w], NULL, writeZones, &crowds[w]), 0);
            }
            for (uint32_t w = 0; w < def.workerCount; ++w)
                pthread_join(threads[w], NULL);
            checkCrowd(profile, grzProfile_EndStep(profile), def.workerCount);
        }
        grzProfile_Destroy(profile);
    }
}

// ---- Clock ----

static void theTimeLineTurnsTicksIntoNanoseconds(void** state) {
    (void)state;
    grzTimeLine line = grzTimeLine_Start((grzTimePair){5000, 1000000});
    grzTimeLine_Extend(&line, (grzTimePair){8000, 1001000}); // three ticks a nanosecond
    assert_int_equal(grzTimeLine_Length(&line, 300), 100);
    assert_int_equal(grzTimeLine_Moment(&line, 5000), 0);
    assert_int_equal(grzTimeLine_Moment(&line, 6500), 500);
    assert_int_equal(grzTimeLine_Moment(&line, 4000), 0);
    grzTimeLine_Extend(&line, (grzTimePair){8000, 1001000}); // no news
    assert_int_equal(grzTimeLine_Length(&line, 300), 100);
    grzTimeLine_Extend(&line, (grzTimePair){25000, 1010000}); // over the whole age: two
    assert_int_equal(grzTimeLine_Length(&line, 300), 150);
    grzTimeLine_Extend(&line, (grzTimePair){100, 9010000}); // the counter was reset
    assert_int_equal(grzTimeLine_Length(&line, 300), 150);
    assert_int_equal(grzTimeLine_Moment(&line, 100), 8010000);
    assert_int_equal(grzTimeLine_Moment(&line, 300), 8010100);
    grzTimeLine_Extend(&line, (grzTimePair){1100, 9010250});
    assert_int_equal(grzTimeLine_Length(&line, 1000), 250);
}

// Only that the two clocks agree, not how long anything takes: the span lies between two of the system's.
static void theRealClockAgreesWithTheSystems(void** state) {
    (void)state;
    grzProfileDef def = grzDefaultProfileDef();
    grzProfile* profile = make(&def);
    for (int round = 0; round < 2; ++round) { // first on the rate of Create alone
        grzZone zone;
        const grzStepSummary* summary = NULL;
        if (round == 1)
            grzProfile_BeginStep(profile);
        uint64_t outside = grzMonotonicNanoseconds();
        grzProfile_BeginZone(profile, grz_stageUser, "wait", 0, &zone);
        uint64_t inside = grzMonotonicNanoseconds(), waited = 0;
        while (waited < 2000000)
            waited = grzMonotonicNanoseconds() - inside;
        grzProfile_EndZone(&zone);
        outside = grzMonotonicNanoseconds() - outside;
        if (round == 1)
            summary = grzProfile_EndStep(profile);
        grzZoneRecord record = grzProfile_Zone(profile, 0, (uint32_t)round);
        uint64_t slack = outside / (round == 0 ? 20 : 100);
        assert_in_range(record.end - record.begin, waited - slack, outside + slack);
        if (round == 1)
            assert_in_range(summary->stages[grz_stageUser].busy, waited - slack, summary->wall);
    }
    grzProfile_Destroy(profile);
}

// The longer the line, the better a tick is known: a step draws it on at both of its ends.
static void everyStepDrawsTheLineOn(void** state) {
    (void)state;
    if (!grzHasSteadyTicks())
        skip();
    uint64_t before = grzMonotonicNanoseconds();
    grzTimeLine line = grzTimeLine_Measure();
    assert_true(grzMonotonicNanoseconds() - before >= 50000); // what two readings must be apart to tell a rate
    assert_true(line.newestTicks > line.first.ticks && line.perTick > 0);
    grzProfileDef def = grzDefaultProfileDef();
    grzProfile* profile = make(&def);
    for (int i = 0; i < 3; ++i) {
        uint64_t ticks = profile->line.newestTicks;
        grzProfile_BeginStep(profile);
        assert_true(profile->line.newestTicks > ticks);
        ticks = profile->line.newestTicks;
        grzProfile_EndStep(profile);
        assert_true(profile->line.newestTicks > ticks);
    }
    grzProfile_Destroy(profile);
}

// ---- Trouble ----

static void misuseIsCountedAndHasNoEffect(void** state) {
    (void)state;
    uint64_t now = 0;
    grzProfileDef def = fakeDef(&now, 2, 4);
    grzProfile* profile = make(&def);
    grzCounter counter = counterOf(profile, "work"), null = {0}, foreign = {2};
    grzZone zone;
    grzProfile_BeginStep(profile);
    grzProfile_BeginStep(profile);
    grzProfile_BeginZone(profile, grz_stageMid, "no such worker", 2, &zone);
    grzProfile_EndZone(&zone);
    grzProfile_BeginZone(profile, grz_stageCount, "no such stage", 0, &zone);
    grzProfile_EndZone(&zone);
    grzProfile_Count(profile, 2, counter, 1);
    grzProfile_Count(profile, 1, null, 1);
    grzProfile_Count(profile, 1, foreign, 1);
    grzCounter late = {7};
    assert_int_equal(grzProfile_RegisterCounter(profile, "late", &late).status, grz_badArgument);
    assert_int_equal(late.id, 0);
    const grzStepSummary* summary = grzProfile_EndStep(profile);
    assert_int_equal(summary->misuseCount, 6);
    assert_int_equal(summary->counterCount, 1);
    assert_int_equal(summary->counters[0].value, 0);
    assert_int_equal(summary->mostZones, 0);
    assert_null(grzProfile_EndStep(profile));
    assert_int_equal(sumOfMisuse(profile), 1);
    assert_int_equal(sumOfMisuse(profile), 0);
    assert_int_equal(grzProfile_RegisterCounter(profile, NULL, &late).status, grz_badArgument);

    grzProfile_BeginZone(profile, grz_stageMid, NULL, 0, &zone); // allowed
    grzProfile_EndZone(&zone);
    grzProfile_EndZone(&zone); // closed: nothing
    assertZone(profile, 0, 0, "", 0, 0, 0);
    assert_int_equal(grzProfile_ZoneCount(profile, 0), 1);
    assert_int_equal(sumOfMisuse(profile), 0);
    grzProfile_Destroy(profile);
}

static void aClockThatGoesBackGivesLengthZero(void** state) {
    (void)state;
    uint64_t now = 0;
    grzProfileDef def = fakeDef(&now, 1, 8);
    grzProfile* profile = make(&def);
    now = 100;
    grzProfile_BeginStep(profile);
    grzZone outer;
    grzProfile_BeginZone(profile, grz_stageMid, "outer", 0, &outer);
    runZone(profile, &now, grz_stageBroad, 0, 110, 60);
    runZone(profile, &now, grz_stageMid, 0, 110, 190);
    now = 170;
    grzProfile_EndZone(&outer); // less than what is inside
    now = 50;
    const grzStepSummary* summary = grzProfile_EndStep(profile);
    assert_int_equal(summary->wall, 0);
    assertStage(&summary->stages[grz_stageBroad], 0, 0, 0, 1);
    assertStage(&summary->stages[grz_stageMid], 80, 80, 90, 2);
    assertZone(profile, 0, 0, "zone", 110, 110, 1);
    assertZone(profile, 0, 2, "outer", 100, 170, 0);
    assert_true(grzProfile_Validate(profile));
    grzProfile_Destroy(profile);
}

static void aForgottenZoneIsGivenUp(void** state) {
    (void)state;
    uint64_t now = 0;
    grzProfileDef def = fakeDef(&now, 1, 8);
    grzProfile* profile = make(&def);
    grzZone outer, forgotten;
    grzProfile_BeginStep(profile);
    grzProfile_BeginZone(profile, grz_stageMid, "outer", 0, &outer);
    now = 5;
    grzProfile_BeginZone(profile, grz_stageMid, "forgotten", 0, &forgotten);
    now = 9;
    grzProfile_EndZone(&outer);
    runZone(profile, &now, grz_stageMid, 0, 10, 12);
    const grzStepSummary* summary = grzProfile_EndStep(profile);
    assert_int_equal(summary->misuseCount, 1);
    assertStage(&summary->stages[grz_stageMid], 11, 11, 12, 2);
    assertZone(profile, 0, 0, "outer", 0, 9, 0);
    assertZone(profile, 0, 1, "zone", 10, 12, 0);
    assert_true(grzProfile_Validate(profile));
    grzProfile_Destroy(profile);
}

static void nullProfilesDoNothing(void** state) {
    (void)state;
    grzZone zone;
    grzCounter counter = {3};
    grzProfile_BeginStep(NULL);
    grzProfile_BeginZone(NULL, grz_stageMid, "zone", 0, &zone);
    grzProfile_EndZone(&zone);
    grzProfile_EndZone(NULL);
    assert_true(grzResult_IsOk(grzProfile_RegisterCounter(NULL, "work", &counter)));
    assert_int_equal(counter.id, 0);
    grzProfile_Count(NULL, 0, counter, 1);
    assert_null(grzProfile_EndStep(NULL));
    assert_int_equal(grzProfile_ZoneCount(NULL, 0), 0);
    assert_true(grzProfile_Validate(NULL));
    grzProfile_Destroy(NULL);
}

static void macrosWriteZonesWhereCompiledIn(void** state) {
    (void)state;
    uint64_t now = 0;
    grzProfileDef def = fakeDef(&now, 1, 8);
    grzProfile* profiles[] = {make(&def), NULL};
    for (int i = 0; i < 2; ++i) {
        GRZ_ZONE_BEGIN(outer, profiles[i], grz_stageSolve, "outer", 0);
        GRZ_ZONE_BEGIN(inner, profiles[i], grz_stageSolve, "inner", 0);
        now += 3;
        GRZ_ZONE_END(inner);
        GRZ_ZONE_END(outer);
    }
#if defined(GRAZE_PROFILE)
    assert_int_equal(grzProfile_ZoneCount(profiles[0], 0), 2);
    assertZone(profiles[0], 0, 0, "inner", 0, 3, 1);
    assertZone(profiles[0], 0, 1, "outer", 0, 3, 0);
#else
    assert_int_equal(grzProfile_ZoneCount(profiles[0], 0), 0);
#endif
    grzProfile_Destroy(profiles[0]);
}

static void badDefsAreRefused(void** state) {
    (void)state;
    grzProfile* profile = (grzProfile*)1;
    grzProfileDef blank;
    memset(&blank, 0, sizeof blank);
    assert_int_equal(grzProfile_Create(NULL, &profile).status, grz_badDef);
    assert_null(profile);
    assert_int_equal(grzProfile_Create(&blank, &profile).status, grz_badDef);
    grzProfileDef bad[8];
    for (int i = 0; i < 8; ++i)
        bad[i] = grzDefaultProfileDef();
    bad[0].workerCount = 0;
    bad[1].zoneCapacity = 0;
    bad[2].zoneCapacity = 100;
    bad[3].stepCapacity = 3;
    bad[4].begin = hearBegin;
    bad[5].zoneCapacity = 1u << 31;
    bad[6].allocator.allocate = grzDefaultAllocator().allocate;
    bad[7].workerCount = GRZ_MAX_WORKERS + 1;
    static const char* const sentences[8] = {
        "workerCount is not from 1 to 1024",
        "zoneCapacity is no power of two up to 2^30",
        "zoneCapacity is no power of two up to 2^30",
        "stepCapacity is no power of two up to 2^30",
        "there is one of begin and end, not both",
        "zoneCapacity is no power of two up to 2^30",
        "the allocator has one of allocate and release, not both",
        "workerCount is not from 1 to 1024",
    };
    for (int i = 0; i < 8; ++i) {
        char text[128];
        grzResult result = grzProfile_Create(&bad[i], &profile);
        assert_string_equal(grzResult_Text(result, text, sizeof text), sentences[i]);
        assert_int_equal(result.status, grz_badArgument);
        assert_int_equal(result.value, 1);
        assert_null(profile);
    }
}

static void refusedMemoryLeavesNothing(void** state) {
    (void)state;
    size_t needed = 0;
    for (size_t failAt = 0; needed == 0; ++failAt) {
        TestMemory memory = {.failAt = failAt};
        grzProfileDef def = grzDefaultProfileDef();
        def.workerCount = 3;
        def.zoneCapacity = 4;
        def.allocator = testAllocator(&memory);
        grzProfile* profile;
        grzResult result = grzProfile_Create(&def, &profile);
        if (grzResult_IsOk(result)) {
            needed = failAt;
            grzProfile_Destroy(profile);
        } else {
            assert_int_equal(result.status, grz_outOfMemory);
            assert_true(result.value > 0);
            assert_null(profile);
        }
        assert_int_equal(memory.liveCount, 0);
        assert_int_equal(memory.liveBytes, 0);
    }
    assert_int_equal(needed, 8);
}

static void refusedCountersChangeNothing(void** state) {
    (void)state;
    TestMemory memory = {.failAt = SIZE_MAX};
    grzProfileDef def = grzDefaultProfileDef();
    def.workerCount = 2;
    def.allocator = testAllocator(&memory);
    grzProfile* profile = make(&def);
    bool isDone = false;
    size_t tries = 0;
    for (; !isDone; ++tries) { // each try keeps the room that the last one got, so every place refuses in its turn
        memory.failAt = memory.requests + (tries != 0);
        grzCounter counter = {9};
        grzResult result = grzProfile_RegisterCounter(profile, "work", &counter);
        isDone = grzResult_IsOk(result);
        if (!isDone) {
            assert_int_equal(result.status, grz_outOfMemory);
            assert_int_equal(counter.id, 0);
        }
        memory.failAt = memory.requests; // a step needs no memory at all
        assert_true(grzProfile_Validate(profile));
        grzProfile_BeginStep(profile);
        assert_int_equal(grzProfile_EndStep(profile)->counterCount, isDone);
    }
    assert_int_equal(tries, 5); // the table, two workers, the history
    grzProfile_Destroy(profile);
    assert_int_equal(memory.liveCount, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nestedZonesShareOutTheTime),
        cmocka_unit_test(stagesAreSummedOverWorkers),
        cmocka_unit_test(zonesOutsideStepsAreInTheRingAlone),
        cmocka_unit_test(aFullRingCountsWhatItOverwrites),
        cmocka_unit_test(randomNestingMatchesAWalkOverTime),
        cmocka_unit_test(countersAreSummedPerStep),
        cmocka_unit_test(manyCountersGrowTheTable),
        cmocka_unit_test(callbacksComeInPairs),
        cmocka_unit_test(allWorkersWriteAtOnce),
        cmocka_unit_test(theTimeLineTurnsTicksIntoNanoseconds),
        cmocka_unit_test(everyStepDrawsTheLineOn),
        cmocka_unit_test(theRealClockAgreesWithTheSystems),
        cmocka_unit_test(misuseIsCountedAndHasNoEffect),
        cmocka_unit_test(aClockThatGoesBackGivesLengthZero),
        cmocka_unit_test(aForgottenZoneIsGivenUp),
        cmocka_unit_test(nullProfilesDoNothing),
        cmocka_unit_test(macrosWriteZonesWhereCompiledIn),
        cmocka_unit_test(badDefsAreRefused),
        cmocka_unit_test(refusedMemoryLeavesNothing),
        cmocka_unit_test(refusedCountersChangeNothing),
    };
    return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
