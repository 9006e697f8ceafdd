// The chooser by itself, on scripted motion: no frame is expected to cost more than the limit, but where nothing else is allowed;
// and the sum stays near that of the best fixed way which keeps to the limit too.
#include "testing.h"

#include <math.h>

#include "rng.h"
#include "upkeep_model.h"

#define REFIT   GRZ_UPKEEP_BIT(grz_upkeepRefit)
#define CHORD   GRZ_UPKEEP_BIT(grz_upkeepChord)
#define BATCHED GRZ_UPKEEP_BIT(grz_upkeepBatched)

// A refit is the unit.
static const UpkeepRates rates = {
    .refit = 1,
    .evaluate = 0.25,
    .chordRefit = 1.1,
    .chordWrite = 0.15,
    .chordCopy = 0.1,
    .batchedMake = 60,
    .batchedKeyframe = 2,
    .batchedRepair = 0.01,
    .batchedWrite = 4,
};
enum { SIDES = 6000 };

typedef struct Part { // of a sequence
    int frames;
    double step;    // 0: any up to 0.2
    double changed; // vertices a frame
    bool isWritten;
} Part;

enum { MOST_PARTS = 6 };

typedef struct Script {
    bool hasPaths;
    uint32_t ways;
    double limit;
    int partCount;
    Part parts[MOST_PARTS];
} Script;

typedef struct Sums {
    double chosen, fixed[grz_upkeepWayCount];
    double worst, worstFixed[grz_upkeepWayCount]; // frames, in refits
    grzUpkeepWay last;
    int switches;
    int firstSwitch, lastSwitch; // frames, from 0; -1: none
} Sums;

// What the way that was chosen costs in a frame, and what it is told of.
static double take(UpkeepModel* model, const UpkeepFrame* frame, Sums* sums) {
    double costs[grz_upkeepWayCount];
    grzUpkeepModel_Expect(model, frame, costs);
    const UpkeepChoice choice = grzUpkeepModel_Choose(model, frame, costs);
    double spent = costs[choice.way];
    if (choice.way != model->way) {
        const double sets = model->readyFor == floor(frame->at) ? model->left : 2;
        if (choice.way == grz_upkeepChord)
            spent = rates.chordRefit * (sets + frame->at - floor(frame->at)) +
                    grzUpkeepModel_WriteCost(model, frame, grz_upkeepChord);
        if (choice.way == grz_upkeepBatched)
            spent = rates.batchedMake + grzUpkeepModel_WriteCost(model, frame, grz_upkeepBatched);
        grzUpkeepModel_Enter(model, choice.way, choice.reason);
        sums->switches++;
    } else if (choice.prepare > 0) {
        assert_true(choice.prepare <= model->left && model->readyFor >= floor(frame->at));
        model->left -= choice.prepare;
        spent += choice.prepare * rates.chordRefit;
    }
    grzUpkeepModel_Note(model, costs, spent);
    for (int way = 0; way < grz_upkeepWayCount; ++way) {
        sums->fixed[way] += costs[way];
        sums->worstFixed[way] = fmax(sums->worstFixed[way], costs[way] / costs[grz_upkeepRefit]);
    }
    sums->worst = fmax(sums->worst, spent / costs[grz_upkeepRefit]);
    sums->last = choice.way;
    return spent;
}

static Sums run(const Script* script, grzRng* rng) {
    UpkeepModel model = grzUpkeepModel_Make(&rates, script->ways, script->hasPaths, script->limit, SIDES);
    Sums sums;
    memset(&sums, 0, sizeof sums);
    sums.firstSwitch = sums.lastSwitch = -1;
    int frames = 0;
    UpkeepFrame frame = {.end = 1e9};
    for (int p = 0; p < script->partCount; ++p)
        for (int k = 0; k < script->parts[p].frames; ++k) {
            const Part* part = &script->parts[p];
            const double step = part->step != 0 ? part->step : 0.2 * (double)grzRng_Float(rng);
            frame.before = frame.at;
            frame.at = floor((frame.at + step) * 0x1p24 + 0.5) * 0x1p-24;
            frame.changed = part->changed;
            frame.isWritten = part->isWritten;
            const int switches = sums.switches;
            sums.chosen += take(&model, &frame, &sums);
            if (sums.switches != switches)
                sums.firstSwitch = sums.firstSwitch < 0 ? frames : sums.firstSwitch, sums.lastSwitch = frames;
            ++frames;
        }
    return sums;
}

static double bestFixed(const Sums* sums, double limit) {
    double best = (double)INFINITY;
    for (int way = 0; way < grz_upkeepWayCount; ++way)
        if (sums->worstFixed[way] <= limit && sums->fixed[way] < best)
            best = sums->fixed[way];
    return best;
}

// ---- tests ----

typedef struct Row {
    const char* name;
    Script script;
    grzUpkeepWay last;
    int switches;
} Row;

#define INF ((double)INFINITY)

static const Row rows[] = {
    {"100 frames", {false, REFIT | CHORD, 1.2, 1, {{2000, 0.01, 0, false}}}, grz_upkeepChord, 0},
    {"10 frames", {false, REFIT | CHORD, 1.2, 1, {{2000, 0.1, 0, false}}}, grz_upkeepChord, 0},
    {"10 frames, written", {false, REFIT | CHORD, 1.2, 1, {{2000, 0.1, 0, true}}}, grz_upkeepChord, 0},
    {"3 frames", {false, REFIT | CHORD, 1.2, 1, {{2000, 1.0 / 3, 0, true}}}, grz_upkeepChord, 0},
    {"one frame", {false, REFIT | CHORD, 1.2, 1, {{2000, 1, 0, false}}}, grz_upkeepRefit, 1},
    {"one frame, written", {false, REFIT | CHORD, 1.2, 1, {{2000, 1, 0, true}}}, grz_upkeepRefit, 1},
    {"irregular", {false, REFIT | CHORD, 1.2, 1, {{2000, 0, 0, false}}}, grz_upkeepChord, 0},
    {"leaps", {false, REFIT | CHORD, 1.2, 1, {{2000, 2.5, 0, false}}}, grz_upkeepRefit, 1},
    {"leaps, then frames",
     {false, REFIT | CHORD, 1.2, 2, {{1000, 2.5, 0, false}, {1000, 0.1, 0, false}}},
     grz_upkeepChord,
     2},
    {"frames, then leaps",
     {false, REFIT | CHORD, 1.2, 2, {{1000, 0.1, 0, false}, {1000, 2.5, 0, false}}},
     grz_upkeepRefit,
     1},
    {"back and forth without a limit",
     {false,
      REFIT | CHORD,
      INF,
      4,
      {{500, 2.5, 0, false}, {500, 0.1, 0, false}, {500, 2.5, 0, false}, {500, 0.1, 0, false}}},
     grz_upkeepChord,
     4},
    {"exact", {false, REFIT | BATCHED, 1.2, 1, {{2000, 0.01, 0, false}}}, grz_upkeepRefit, 0},
    {"exact, very slow, no limit",
     {false, REFIT | BATCHED, INF, 1, {{40000, 0.001, 0, false}}},
     grz_upkeepBatched,
     1},
    {"exact, fast, no limit", {false, REFIT | BATCHED, INF, 1, {{2000, 0.1, 0, false}}}, grz_upkeepRefit, 0},
    {"few paths", {true, REFIT | BATCHED, 1.2, 1, {{2000, 0.01, 1, false}}}, grz_upkeepBatched, 0},
    {"many paths", {true, REFIT | BATCHED, 1.2, 1, {{2000, 0.01, 100, false}}}, grz_upkeepRefit, 1},
    {"few paths, written", {true, REFIT | BATCHED, 1.2, 1, {{2000, 0.01, 1, true}}}, grz_upkeepRefit, 1},
    {"few, then many paths",
     {true, REFIT | BATCHED, INF, 2, {{1000, 0.01, 1, false}, {1000, 0.01, 100, false}}},
     grz_upkeepRefit,
     1},
    {"many, then few paths, no limit",
     {true, REFIT | BATCHED, INF, 2, {{1000, 0.01, 100, false}, {1000, 0.01, 1, false}}},
     grz_upkeepBatched,
     2},
};

static void everyRowIsDecidedSo(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1101), 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        const Row* row = &rows[i];
        const Sums sums = run(&row->script, &rng);
        const double best = bestFixed(&sums, row->script.limit);
        if (sums.last != row->last || sums.switches != row->switches || sums.chosen > 1.1 * best ||
            sums.worst > row->script.limit * (1 + 1e-12))
            fail_msg("%s: %s, %d switches, %g times the best, the worst frame %g refits", row->name,
                     grzUpkeepWay_Name(sums.last), sums.switches, sums.chosen / best, sums.worst);
    }
}

// Frame after frame the constants of the model say when, so that none of them changes unseen.
typedef struct When {
    Script script;
    int switches, first, last;
} When;

static const When whens[] = {
    {{false, REFIT | CHORD, 1.2, 2, {{200, 0.125, 0, false}, {2000, 1, 0, false}}}, 1, 211, 211},
    {{false, REFIT | CHORD, 1.2, 2, {{8, 0.125, 0, false}, {2000, 1, 0, true}}}, 1, 8, 8},
    {{false, REFIT | CHORD, INF, 2, {{16, 2.5, 0, false}, {2000, 0.125, 0, true}}}, 2, 2, 19},
    {{false, REFIT | CHORD, 1.2, 2, {{10, 2.5, 0, false}, {200, 0.125, 0, false}}}, 2, 0, 18},
    {{false, REFIT | CHORD, 1.05, 2, {{10, 2.5, 0, false}, {2000, 0.015625, 0, false}}}, 2, 0, 44},
    {{true, REFIT | BATCHED, INF, 2, {{100, 0.01, 1, false}, {1000, 0.01, 5, true}}}, 1, 104, 104},
    {{true, REFIT | BATCHED, INF, 2, {{4000, 0.01, 3, false}, {1000, 0.01, 5, true}}}, 1, 4007, 4007},
    {{true, REFIT | BATCHED, INF, 2, {{100, 0.01, 30, false}, {1000, 0.01, 1, false}}}, 2, 3, 168},
    {{true, REFIT | BATCHED, 1.2, 2, {{100, 0.01, 3, false}, {1000, 0.01, 4, false}}}, 1, 179, 179},
    {{false, REFIT | BATCHED, INF, 2, {{1000, 0.3, 0, false}, {4000, 0.001, 0, false}}}, 1, 1050, 1050},
};

static void switchesComeWhenTheConstantsSay(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(1, 0);
    bool isSo = true;
    for (size_t i = 0; i < sizeof whens / sizeof whens[0]; ++i) {
        const When* when = &whens[i];
        const Sums sums = run(&when->script, &rng);
        const bool isRow =
            sums.switches == when->switches && sums.firstSwitch == when->first && sums.lastSwitch == when->last;
        if (!isRow)
            print_error("row %zu: %d switches, the first in frame %d, the last in %d\n", i, sums.switches,
                        sums.firstSwitch, sums.lastSwitch);
        isSo = isSo && isRow;
    }
    assert_true(isSo);
}

// The first eight figures make a mean, each later one counts an eighth; pieces of a refit that are small count for nothing.
static void countsAreRemembered(void** state) {
    (void)state;
    UpkeepModel model = grzUpkeepModel_Make(&rates, REFIT | BATCHED, true, 1.2, SIDES);
    assert_true(model.repairsAVertex == 36 && model.repairsAUnit == 0 && model.chordFactor == 1);
    for (int k = 1; k <= 8; ++k)
        grzUpkeepModel_SeeChange(&model, 2, 4 * k);
    assert_true(fabs(model.repairsAVertex - 9) < 1e-9);
    grzUpkeepModel_SeeChange(&model, 1, 17);
    assert_true(fabs(model.repairsAVertex - 10) < 1e-9);
    grzUpkeepModel_SeeChange(&model, 0, 1000);
    assert_true(fabs(model.repairsAVertex - 10) < 1e-9);
    const UpkeepFrame frame = {.before = 1, .at = 1.5, .end = 9};
    grzUpkeepModel_SeeRepairs(&model, &frame, 6);
    assert_true(model.repairsAUnit == 12);
    grzUpkeepModel_SeeChord(&model, 0.1, 1);
    assert_true(model.chordFactor == 1);
    grzUpkeepModel_SeeChord(&model, 0.5, 1);
    assert_true(model.chordFactor == 1.125);
    model = grzUpkeepModel_Make(&rates, REFIT | BATCHED, false, 1.2, SIDES);
    assert_true(model.repairsAKeyframe == SIDES / 2 && model.repairsAUnit == SIDES / 2);
    const UpkeepFrame over = {.before = 1.5, .at = 2.5, .end = 9};
    grzUpkeepModel_SeeRepairs(&model, &over, SIDES); // half of which was on the way
    assert_true(model.repairsAKeyframe == SIDES / 2);
    grzUpkeepModel_SeeRepairs(&model, &over, SIDES + 100);
    assert_true(model.repairsAKeyframe == SIDES / 2 + 50);
}

// 36 sides a vertex at 0.01, and a refit with its evaluation at 1.25, of which 1.2 may be spent: 4.1 vertices.
static void manyNewPathsAreGivenUp(void** state) {
    (void)state;
    UpkeepModel model = grzUpkeepModel_Make(&rates, REFIT | BATCHED, true, 1.2, SIDES);
    assert_false(grzUpkeepModel_GiveUp(&model, 4, false));
    assert_true(grzUpkeepModel_GiveUp(&model, 5, true));
    assert_true(model.way == grz_upkeepRefit && model.regret[grz_upkeepBatched] == 2 * rates.batchedMake);
    model = grzUpkeepModel_Make(&rates, REFIT | BATCHED, true, 1.2, SIDES);
    model.regret[grz_upkeepRefit] = 14.9; // a quarter of what coming back costs is 15
    assert_false(grzUpkeepModel_GiveUp(&model, 1, false));
    model.regret[grz_upkeepRefit] = 15.1;
    assert_false(grzUpkeepModel_GiveUp(&model, 1, true)); // it has begun
    assert_true(grzUpkeepModel_GiveUp(&model, 1, false));
    model = grzUpkeepModel_Make(&rates, BATCHED, true, 1.2, SIDES);
    assert_false(grzUpkeepModel_GiveUp(&model, 1e6, false));
}

static bool isLeftFor(const UpkeepRates* of, double spent, double regret) {
    UpkeepModel model = grzUpkeepModel_Make(of, REFIT | BATCHED, true, 1.2, SIDES);
    model.spent = spent;
    model.regret[grz_upkeepRefit] = regret;
    return grzUpkeepModel_GiveUp(&model, 0, false);
}

// For the refit: at a twentieth of what was spent, no less than a quarter of what coming back costs or four refits, at once for a
// half of that. What is regretted is no more than twice as much.
static void aWayIsLeftWhenItIsRegretted(void** state) {
    (void)state;
    UpkeepRates cheap = rates;
    cheap.batchedMake = 12;
    assert_true(!isLeftFor(&rates, 500, 24.9) && isLeftFor(&rates, 500, 25.1));
    assert_true(!isLeftFor(&rates, 5000, 29.9) && isLeftFor(&rates, 5000, 30.1));
    assert_true(!isLeftFor(&cheap, 0, 3.9) && isLeftFor(&cheap, 0, 4.1));
    UpkeepModel model = grzUpkeepModel_Make(&rates, REFIT | BATCHED, true, 1.2, SIDES);
    const double costs[grz_upkeepWayCount] = {1, INF, 1000, INF, INF};
    grzUpkeepModel_Note(&model, costs, 1000); // the first frame of a way is nothing to regret
    assert_true(model.regret[grz_upkeepRefit] == 0);
    grzUpkeepModel_Note(&model, costs, 1000);
    assert_true(model.regret[grz_upkeepRefit] == 2 * 30);
}

static Script drawScript(grzRng* rng) {
    static const double steps[] = {0.01, 0.1, 0.34, 1, 2.5, 0};
    static const double changes[] = {0, 1, 3, 5, 30, 300};
    Script script = {.hasPaths = grzRng_Below(rng, 2) == 0, .partCount = 1 + (int)grzRng_Below(rng, MOST_PARTS)};
    script.ways = REFIT | (script.hasPaths ? BATCHED : CHORD);
    script.limit = 1.2;
    for (int p = 0; p < script.partCount; ++p)
        script.parts[p] = (Part){200 + (int)grzRng_Below(rng, 800), steps[grzRng_Below(rng, 6)],
                                 script.hasPaths ? changes[grzRng_Below(rng, 6)] : 0, grzRng_Below(rng, 2) == 0};
    return script;
}

static void noSumIsFarAboveThatOfTheBestWay(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1102), 0);
    double most = 0;
    for (int round = 0; round < 4000; ++round) {
        const Script script = drawScript(&rng);
        const Sums sums = run(&script, &rng);
        const double best = bestFixed(&sums, script.limit);
        assert_true(sums.worst <= script.limit * (1 + 1e-12));
        assert_true(sums.chosen <= 1.1 * best); // where nothing changes both may be 0
        most = fmax(most, best > 0 ? sums.chosen / best : 0);
    }
    printf("[   most   ] %.3f times the best\n", most);
}

// The rates of a mesh between two sizes lie between those of these.
static void costsOfAMeshFollowItsSize(void** state) {
    (void)state;
    const grzUpkeepCost one = {1, 3};
    const grzUpkeepCosts costs = {.triangles = {100, 10000},
                                  .batchedTriangles = {100, 1000},
                                  .refit = one,
                                  .evaluateFrames = {5, 5},
                                  .evaluatePaths = {7, 7},
                                  .chordRefit = one,
                                  .chordWrite = one,
                                  .chordCopy = one,
                                  .batchedMake = one,
                                  .batchedKeyframe = one,
                                  .batchedRepair = one,
                                  .batchedWrite = one};
    assert_true(fabs(grzUpkeepRates_Of(&costs, false, 1000, 10).refit - 2000) < 1e-9);
    assert_true(grzUpkeepRates_Of(&costs, false, 10, 10).refit == 10);
    assert_true(grzUpkeepRates_Of(&costs, false, 1000000, 10).refit == 3e6);
    assert_true(fabs(grzUpkeepRates_Of(&costs, false, 1000, 10).batchedRepair - 3) < 1e-9);
    assert_true(grzUpkeepRates_Of(&costs, false, 1000, 10).evaluate == 50);
    assert_true(grzUpkeepRates_Of(&costs, true, 1000, 10).evaluate == 70);
    assert_true(grzUpkeepRates_Of(&costs, true, 0, 0).refit == 1);
}

// A chord tree refits every keyframe once, however the time to there is cut.
static void chordRefitsAddUp(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(1103), 0);
    for (int round = 0; round < 100; ++round) {
        double at = 0, sum = 0;
        while (at < 20) {
            const double next = fmin(at + (double)grzRng_Float(&rng), 20);
            sum += grzUpkeep_ChordRefits(1, at, next, 40);
            at = next;
        }
        assert_true(fabs(sum - 20) < 1e-9);
    }
    assert_true(grzUpkeep_ChordRefits(1, 0.5, 0.75, 40) == 0.25);
    assert_true(grzUpkeep_ChordRefits(1, 0.5, 2, 40) == 1.5);
    assert_true(grzUpkeep_ChordRefits(1, 0.5, 7.25, 40) == 2.25);
    assert_true(grzUpkeep_ChordRefits(1, 0.5, 1, 1) == 0 && grzUpkeep_ChordRefits(1, 0, 0.5, 1) == 0);
    assert_true(grzUpkeep_ChordRefits(1, 0.5, 9.5, 9.5) == 1.5 - 0.5);
    // Where it is ready by a quarter of an interval, nothing is left to do in the rest.
    assert_true(grzUpkeep_ChordRefits(0.25, 0, 0.125, 40) == 0.5);
    assert_true(grzUpkeep_ChordRefits(0.25, 0.25, 0.875, 40) == 0);
    assert_true(grzUpkeep_ChordRefits(0.25, 0.5, 1.125, 40) == 0.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyRowIsDecidedSo),         cmocka_unit_test(switchesComeWhenTheConstantsSay),
        cmocka_unit_test(countsAreRemembered),         cmocka_unit_test(manyNewPathsAreGivenUp),
        cmocka_unit_test(aWayIsLeftWhenItIsRegretted), cmocka_unit_test(noSumIsFarAboveThatOfTheBestWay),
        cmocka_unit_test(costsOfAMeshFollowItsSize),   cmocka_unit_test(chordRefitsAddUp),
    };
    return cmocka_run_group_tests_name("upkeep_model", tests, NULL, NULL);
}
