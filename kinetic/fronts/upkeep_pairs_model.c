// What: upkeep_pairs_model.h.
#include "upkeep_pairs_model.h"

#include <math.h>
#include <string.h>

enum { SEEN = 4 }; // frames that a mean remembers

grzUpkeepPairsCosts grzDefaultUpkeepPairsCosts(void) {
    return (grzUpkeepPairsCosts){.boxes = 500,
                                 .node = 20,
                                 .opened = 16,
                                 .boxPair = 2.5,
                                 .walk = 2000,
                                 .walkPair = 22,
                                 .piecePair = 0.1,
                                 .activePair = 1};
}

PairsModel grzPairsModel_Make(const grzUpkeepPairsCosts* costs) {
    PairsModel model;
    memset(&model, 0, sizeof model);
    model.costs = *costs;
    model.isNew = true;
    model.workAPair = costs->boxPair + costs->opened / 2;
    model.pairsInPiece = 2;
    return model;
}

// ---- what a frame costs ----

static double framesInPiece(const PairsModel* model, const PairsFrame* frame) {
    const double length = frame->end - frame->begin;
    if (!(model->step > 0))
        return 1;
    return fmax(length / model->step, 1);
}

static double walkOf(const PairsModel* model, double inPiece) {
    return model->costs.walk + model->costs.walkPair * inPiece;
}

// A frame's share of the walk, and the look at what is active.
static double chordCost(const PairsModel* model, const PairsFrame* frame, double inPiece, double active) {
    return walkOf(model, inPiece) / framesInPiece(model, frame) + model->costs.piecePair * inPiece +
           model->costs.activePair * active;
}

static double passedOf(const PairsFrame* frame) {
    return frame->end > frame->begin ? fmin(fmax((frame->time - frame->begin) / (frame->end - frame->begin), 0), 1)
                                     : 1;
}

// ---- choosing ----

static void step(PairsModel* model, const PairsFrame* frame) {
    const double passed = frame->time - model->time;
    if (!model->isNew && passed > 0)
        model->step = passed;
    model->time = frame->time;
    model->isNew = false;
}

grzPairSearch grzPairsModel_Choose(PairsModel* model, const PairsFrame* frame, const char** reason) {
    static const char* const reasons[grz_pairSearchCount] = {
        [grz_searchBoxes] = "to search each frame costs less than to search the interval once",
        [grz_searchChords] = "to search the interval once costs less than to search each frame",
    };
    const double passed = passedOf(frame), lost = model->wanted == grz_searchBoxes ? passed : 1 - passed;
    if (model->regret > 0 && model->regret > (lost + 0.25) * model->walk) {
        model->wanted = model->wanted == grz_searchBoxes ? grz_searchChords : grz_searchBoxes;
        model->regret = 0;
    }
    *reason = model->isNew ? "nothing is known of the motion yet" : reasons[model->wanted];
    return model->wanted;
}

static void regretOther(PairsModel* model, double spent, double other) {
    model->regret = fmin(fmax(model->regret + spent - other, 0), 2 * model->walk);
}

// ---- what was done ----

static void blendIn(double* mean, double value) {
    *mean += (value - *mean) / SEEN;
}

void grzPairsModel_SeeBoxes(PairsModel* model, const PairsFrame* frame, const PairsCounts* counts,
                            bool mayBeOther) {
    const grzUpkeepPairsCosts* costs = &model->costs;
    const double work =
        costs->node * counts->nodes + costs->opened * counts->opened + costs->boxPair * counts->pairs;
    const double spent = costs->boxes + work;
    step(model, frame);
    if (counts->pairs > 0)
        blendIn(&model->workAPair, work / counts->pairs);
    if (!mayBeOther)
        return;
    const double inPiece = model->pairsInPiece * counts->pairs;
    model->walk = walkOf(model, inPiece);
    regretOther(model, spent, chordCost(model, frame, inPiece, counts->pairs));
}

void grzPairsModel_SeeChords(PairsModel* model, const PairsFrame* frame, const PairsCounts* counts,
                             bool mayBeOther) {
    step(model, frame);
    if (counts->pairs > 0)
        blendIn(&model->pairsInPiece, counts->inPiece / counts->pairs);
    model->walk = walkOf(model, counts->inPiece);
    if (mayBeOther)
        regretOther(model, chordCost(model, frame, counts->inPiece, counts->pairs),
                    model->costs.boxes + model->workAPair * counts->pairs);
}
