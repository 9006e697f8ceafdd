// What: the chooser of graze/stage/upkeep_pairs.h: whether a frame is searched by boxes or by chords.
// Promise: a pure function of constants, of the frames that it is given and of counted work; it reads no clock.
// Idea: the cost of either search in a frame is computed from counts: nodes opened and pairs found, and for chords
//   the pairs of a piece, divided by the frames that are drawn of it. The chooser adds up what the other search
//   would have saved. It switches once the sum is the loss by switching plus a quarter of the walk of a piece. From
//   boxes to chords the loss is the part of the new walk for time that has passed. From chords to boxes it is the
//   part of the old walk for time to come.
// Holds: all costs are nanoseconds of one core.
#ifndef GRAZE_KINETIC_UPKEEP_PAIRS_MODEL_H
#define GRAZE_KINETIC_UPKEEP_PAIRS_MODEL_H

#include "graze/stage/upkeep_pairs.h"

typedef struct PairsModel {
    grzUpkeepPairsCosts costs;
    grzPairSearch wanted; // where both are possible
    bool isNew;           // no frame was seen yet
    double regret;        // what the other search would have saved, since it last cost more
    double workAPair;     // of a search by boxes, for each pair of leaves that it finds
    double pairsInPiece;  // for each active pair
    double walk;          // the cost of the last piece's walk, or what it would have been
    double time, step;    // of the last frame; and between the last two times that differ
} PairsModel;

// The time of a frame, and its piece.
typedef struct PairsFrame {
    double time;
    double begin, end; // of the piece
} PairsFrame;

// The counts of a search by boxes, or by chords.
typedef struct PairsCounts {
    double pairs;         // of leaves: boxes: found; chords: active
    double nodes, opened; // boxes: nodes that were read of upkeeps, and opened
    double inPiece;       // chords: pairs of the piece
} PairsCounts;

PairsModel grzPairsModel_Make(const grzUpkeepPairsCosts* costs);

// Returns the search of a frame in which both are possible. *reason: a sentence that says why.
grzPairSearch grzPairsModel_Choose(PairsModel* model, const PairsFrame* frame, const char** reason);

// Note how a frame was searched. mayBeOther: the other search was possible; if not, it adds no regret.
void grzPairsModel_SeeBoxes(PairsModel* model, const PairsFrame* frame, const PairsCounts* counts, bool mayBeOther);
void grzPairsModel_SeeChords(PairsModel* model, const PairsFrame* frame, const PairsCounts* counts,
                             bool mayBeOther);

#endif
