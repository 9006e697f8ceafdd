// What: upkeep_model.h.
// Idea: see there. What keeps the sum near that of the best way: a way is left for the refit before it has lost a twentieth of
//   all that was spent, though never for less than four refits and a quarter of what coming back costs, and at once for a half of
//   that.
// Limits: what a batched tree has to do is guessed until it has been seen; so a frame may cost more than was expected, once.
#include "upkeep_model.h"

#include <math.h>
#include <string.h>

enum { SEEN = 8 }; // figures that a mean remembers

// Of what the limit leaves beside a refit, this part is used, since costs are known but roughly.
#define ROOM 0.75

// ---- costs of one mesh ----

// How far a size is from the small to the large one.
static double partOf(grzUpkeepCost sizes, double triangles) {
    return fmin(fmax(log(triangles / sizes.small) / log(sizes.large / sizes.small), 0), 1);
}

static double between(grzUpkeepCost cost, double part) {
    return cost.small + (cost.large - cost.small) * part;
}

UpkeepRates grzUpkeepRates_Of(const grzUpkeepCosts* costs, bool hasPaths, uint32_t triangleCount,
                              uint32_t vertexCount) {
    const double triangles = triangleCount > 0 ? triangleCount : 1, vertices = vertexCount;
    const double part = partOf(costs->triangles, triangles), batched = partOf(costs->batchedTriangles, triangles);
    return (UpkeepRates){
        .refit = triangles * between(costs->refit, part),
        .evaluate = vertices * between(hasPaths ? costs->evaluatePaths : costs->evaluateFrames, part),
        .chordRefit = triangles * between(costs->chordRefit, part),
        .chordWrite = triangles * between(costs->chordWrite, part),
        .chordCopy = triangles * between(costs->chordCopy, part),
        .batchedMake = triangles * between(costs->batchedMake, batched),
        .batchedKeyframe = triangles * between(costs->batchedKeyframe, batched),
        .batchedRepair = between(costs->batchedRepair, batched),
        .batchedWrite = triangles * between(costs->batchedWrite, batched),
    };
}

static const char isUnknown[] = "nothing is known of the motion yet";

UpkeepModel grzUpkeepModel_Make(const UpkeepRates* rates, uint32_t ways, bool hasPaths, double limit,
                                double sides) {
    UpkeepModel model;
    memset(&model, 0, sizeof model);
    model.rates = *rates;
    model.ways = ways;
    model.hasPaths = hasPaths;
    model.limit = limit;
    model.chordFactor = 1;
    model.sides = sides;
    model.readyFor = -1;
    model.readyBy = 1;
    // A vertex of a mesh has some three leaves, whose sides are 18; about as many above them change. Of all sides a half
    // is outgrown in a lively interval, and as many change on the way.
    model.repairsAVertex = 36;
    model.repairsAKeyframe = sides / 2;
    model.repairsAUnit = hasPaths ? 0 : sides / 2;
    const grzUpkeepWay first = hasPaths ? grz_upkeepBatched : grz_upkeepChord;
    const bool isThere = (ways & GRZ_UPKEEP_BIT(first)) != 0;
    grzUpkeepModel_Enter(&model, isThere ? first : grz_upkeepRefit, isUnknown);
    return model;
}

// ---- what a frame would cost ----

// What a chord tree has done, at a plan time, of the keyframe after the next.
static double aheadOf(double readyBy, double at, double end) {
    return floor(at) + 2 <= end ? fmin((at - floor(at)) / readyBy, 1) : 0;
}

double grzUpkeep_ChordRefits(double readyBy, double before, double at, double end) {
    const double from = aheadOf(readyBy, before, end), to = aheadOf(readyBy, at, end);
    const double passed = floor(at) - floor(before);
    const double next = floor(at) + 1 <= end ? 1 : 0;
    if (passed == 0)
        return fmax(to - from, 0);
    if (passed == 1)
        return next * (1 - from) + to;
    return (passed == 2 ? 1 - from : 1) + next + to;
}

static double refitCost(const UpkeepModel* model, const UpkeepFrame* frame) {
    const bool isKeyframe = !model->hasPaths && frame->at == floor(frame->at);
    return model->rates.refit + (isKeyframe ? 0 : model->rates.evaluate);
}

double grzUpkeepModel_WriteCost(const UpkeepModel* model, const UpkeepFrame* frame, grzUpkeepWay way) {
    if (!frame->isWritten || way == grz_upkeepRefit)
        return 0;
    if (way == grz_upkeepBatched)
        return model->rates.batchedWrite;
    return frame->at == floor(frame->at) ? model->rates.chordCopy : model->rates.chordWrite;
}

// The first plan time of an interval is that after its keyframe.
double grzUpkeepModel_Keyframes(const UpkeepModel* model, const UpkeepFrame* frame) {
    return model->hasPaths ? 0 : fmax(ceil(frame->at) - 1, 0) - fmax(ceil(frame->before) - 1, 0);
}

static double repairsOnTheWay(const UpkeepModel* model, const UpkeepFrame* frame) {
    return fmin(model->repairsAUnit * (frame->at - frame->before), model->sides);
}

// New paths for all vertices have every side looked at once.
static double changeRepairs(const UpkeepModel* model, double changed) {
    return fmin(changed * model->repairsAVertex, model->sides);
}

double grzUpkeepModel_BatchedCost(const UpkeepModel* model, double keyframes, double repairs) {
    return repairs * model->rates.batchedRepair + keyframes * model->rates.batchedKeyframe;
}

static double batchedCost(const UpkeepModel* model, const UpkeepFrame* frame) {
    const double keyframes = grzUpkeepModel_Keyframes(model, frame);
    const double repairs =
        repairsOnTheWay(model, frame) + keyframes * model->repairsAKeyframe + changeRepairs(model, frame->changed);
    return grzUpkeepModel_BatchedCost(model, keyframes, repairs);
}

static bool allows(const UpkeepModel* model, grzUpkeepWay way) {
    return (model->ways & GRZ_UPKEEP_BIT(way)) != 0;
}

void grzUpkeepModel_Expect(const UpkeepModel* model, const UpkeepFrame* frame, double costs[grz_upkeepWayCount]) {
    const double refits = grzUpkeep_ChordRefits(model->readyBy, frame->before, frame->at, frame->end);
    for (int way = 0; way < grz_upkeepWayCount; ++way)
        costs[way] = allows(model, (grzUpkeepWay)way) ? grzUpkeepModel_WriteCost(model, frame, (grzUpkeepWay)way)
                                                      : (double)INFINITY;
    costs[grz_upkeepRefit] += refitCost(model, frame);
    costs[grz_upkeepChord] += model->chordFactor * model->rates.chordRefit * refits;
    costs[grz_upkeepBatched] += batchedCost(model, frame);
}

// ---- going over ----

// In this very frame. What a way costs to go over to is part of it.
static double enterCost(const UpkeepModel* model, const UpkeepFrame* frame, grzUpkeepWay way, double cost) {
    if (way == grz_upkeepRefit)
        return cost;
    const double writing = grzUpkeepModel_WriteCost(model, frame, way);
    if (way == grz_upkeepBatched)
        return model->rates.batchedMake + writing;
    const double number = floor(frame->at), sets = number + 1 <= frame->end ? 2 : 1;
    const double left = (model->readyFor == number ? fmin(model->left, sets) : sets) +
                        aheadOf(model->readyBy, frame->at, frame->end);
    return left * model->chordFactor * model->rates.chordRefit + writing;
}

// What a way costs to come back to.
static double returnCost(const UpkeepModel* model, grzUpkeepWay way) {
    return way == grz_upkeepChord ? 2 * model->chordFactor * model->rates.chordRefit : model->rates.batchedMake;
}

static double threshold(const UpkeepModel* model, grzUpkeepWay way) {
    if (way != grz_upkeepRefit)
        return returnCost(model, way);
    const double back = returnCost(model, model->way), least = fmax(4 * model->rates.refit, back / 4);
    return fmin(back / 2, fmax(least, model->spent / 20));
}

static const char isTooDear[] = "another way would take longer for a frame than the limit";

static const char* reasonFor(grzUpkeepWay way) {
    static const char* const reasons[grz_upkeepWayCount] = {
        [grz_upkeepRefit] = "as much is to be done in a frame as a refit does",
        [grz_upkeepChord] = "a frame takes less than what a keyframe takes",
        [grz_upkeepBatched] = "little changes from one frame to the next",
    };
    return reasons[way];
}

// The cheapest of those that are regretted enough.
static grzUpkeepWay wanted(const UpkeepModel* model, const double costs[grz_upkeepWayCount]) {
    grzUpkeepWay best = model->way;
    for (int way = 0; way < grz_upkeepWayCount; ++way)
        if (way != (int)model->way && allows(model, (grzUpkeepWay)way) &&
            model->regret[way] > threshold(model, (grzUpkeepWay)way) && costs[way] < costs[best])
            best = (grzUpkeepWay)way;
    return best;
}

// A refit leaves room for some chunks of a chord tree: it is made ready for the interval in which time will be by then.
static void makeReady(UpkeepModel* model, const UpkeepFrame* frame, const double costs[grz_upkeepWayCount],
                      UpkeepChoice* choice) {
    const double unit = model->chordFactor * model->rates.chordRefit;
    const double room = ROOM * (model->limit - 1) * costs[grz_upkeepRefit] / unit, number = floor(frame->at);
    if (!(room > 0) || number + 1 > frame->end)
        return;
    if (model->readyFor < number) {
        const double then = floor(frame->at + 2 / room * (frame->at - frame->before));
        model->readyFor = fmin(then, frame->end - 1); // whose end is known
        model->left = 2;
    }
    choice->prepare = fmin(room, model->left);
}

// What the way in use is sure to cost in a frame. How many sides a batched tree of paths looks at on the way is but a guess, and
// not worth losing the tree for before it has come true.
static double known(const UpkeepModel* model, const UpkeepFrame* frame, const double costs[grz_upkeepWayCount]) {
    if (model->way != grz_upkeepBatched || !model->hasPaths)
        return costs[model->way];
    return grzUpkeepModel_BatchedCost(model, 0, changeRepairs(model, frame->changed)) +
           grzUpkeepModel_WriteCost(model, frame, grz_upkeepBatched);
}

UpkeepChoice grzUpkeepModel_Choose(UpkeepModel* model, const UpkeepFrame* frame,
                                   const double costs[grz_upkeepWayCount]) {
    UpkeepChoice choice = {model->way, model->reason, 0};
    const double most = allows(model, grz_upkeepRefit) ? model->limit * costs[grz_upkeepRefit] : (double)INFINITY;
    if (model->way != grz_upkeepRefit && known(model, frame, costs) > most)
        return (UpkeepChoice){grz_upkeepRefit, isTooDear, 0};
    const grzUpkeepWay way = wanted(model, costs);
    if (way == model->way)
        return choice;
    if (enterCost(model, frame, way, costs[way]) <= most)
        return (UpkeepChoice){way, reasonFor(way), 0};
    if (way == grz_upkeepChord)
        makeReady(model, frame, costs, &choice);
    return choice;
}

void grzUpkeepModel_Enter(UpkeepModel* model, grzUpkeepWay way, const char* reason) {
    const grzUpkeepWay before = model->way;
    memset(model->regret, 0, sizeof model->regret);
    // What was left for the limit alone is wanted back as soon as it can be had.
    if (reason == isTooDear)
        model->regret[before] = 2 * returnCost(model, before);
    model->way = way;
    model->reason = reason;
    model->readyFor = -1;
    model->isNew = true;
}

bool grzUpkeepModel_GiveUp(UpkeepModel* model, double changed, bool hasBegun) {
    if (!allows(model, grz_upkeepRefit))
        return false;
    const double cost = grzUpkeepModel_BatchedCost(model, 0, changeRepairs(model, changed));
    const bool isAbove = cost > model->limit * (model->rates.refit + model->rates.evaluate);
    const bool isRegretted = !hasBegun && model->regret[grz_upkeepRefit] > threshold(model, grz_upkeepRefit);
    if (isAbove || isRegretted)
        grzUpkeepModel_Enter(model, grz_upkeepRefit, isAbove ? isTooDear : reasonFor(grz_upkeepRefit));
    return isAbove || isRegretted;
}

// ---- what was done ----

void grzUpkeepModel_Note(UpkeepModel* model, const double costs[grz_upkeepWayCount], double spent) {
    const bool isNew = model->isNew;
    model->spent += spent;
    model->isNew = false;
    if (isNew)
        return;
    if (model->reason == isUnknown)
        model->reason = reasonFor(model->way);
    for (int way = 0; way < grz_upkeepWayCount; ++way) {
        if (way == (int)model->way || !allows(model, (grzUpkeepWay)way))
            continue;
        const double most = 2 * threshold(model, (grzUpkeepWay)way);
        model->regret[way] = fmin(fmax(model->regret[way] + spent - costs[way], 0), most);
    }
}

// The first figures are a mean, after that each new one counts for an eighth beside those before it.
static void blendIn(double* mean, uint32_t* seen, double value) {
    *seen += *seen < SEEN;
    *mean += (fmax(value, 0) - *mean) / *seen;
}

void grzUpkeepModel_SeeRepairs(UpkeepModel* model, const UpkeepFrame* frame, double repairs) {
    const double keyframes = grzUpkeepModel_Keyframes(model, frame), passed = frame->at - frame->before;
    if (keyframes > 0)
        blendIn(&model->repairsAKeyframe, &model->keyframesSeen,
                (repairs - repairsOnTheWay(model, frame)) / keyframes);
    else if (passed > 0)
        blendIn(&model->repairsAUnit, &model->unitsSeen, repairs / passed);
}

void grzUpkeepModel_SeeChange(UpkeepModel* model, double vertices, double repairs) {
    if (vertices > 0)
        blendIn(&model->repairsAVertex, &model->changesSeen, repairs / vertices);
}

void grzUpkeepModel_SeeChord(UpkeepModel* model, double expected, double refits) {
    // Pieces are whole chunks, so that the first of them weigh too much.
    if (expected >= 1.0 / SEEN)
        model->chordFactor += (refits / expected - model->chordFactor) / SEEN;
}
