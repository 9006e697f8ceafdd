// What: the object of graze/ccd_step.h from inside, and the search that finds its impacts.
//
//   ccd_step.c          made, asked, and what it found in order
//   ccd_step_search.c   Find's candidates: a tile of features beside others; and what becomes of any candidate
//   ccd_step_pairs.c    Decide's candidates: features of pairs of triangles
//
// Holds: what an item of the batch finds goes to its own place (model_batch.h).
#ifndef GRAZE_NARROWPHASE_CCD_STEP_INSIDE_H
#define GRAZE_NARROWPHASE_CCD_STEP_INSIDE_H

#include "ccd_set.h"
#include "ccd_triangles.h"
#include "graze/ccd_step.h"
#include "model_batch.h"

enum {
    KINDS = 3,       // of features of a mesh: grzFeatureKind
    MOST_PASSES = 3, // vertices and triangles both ways, edges
};

// One kind of feature against another.
typedef struct StepPass {
    const CcdSet *rows, *lanes;
    grzCcdKind kind;
    bool isSelf, isTurned; // against itself; the rows are of mesh B
    uint32_t firstTile;    // of the rows, counting on through the passes
} StepPass;

typedef struct StepBytes {
    GRZ_ARRAY(unsigned char);
} StepBytes;

struct grzCcdStep {
    grzAllocator allocator;
    grzNumberType type;
    uint32_t sideCount;
    uint32_t vertexCounts[2];
    CcdSet sets[2][KINDS]; // by grzFeatureKind
    StepPass passes[MOST_PASSES];
    uint32_t passCount, tileCount;
    CcdRows rows;
    void* memory; // of the rows
    bool decidesPairs;
    CcdTriangles triangles[2]; // these, where it does, and for doubles the rows as floats
    float* rounded;
    ModelBatch batch;
    StepBytes scratch;     // for sorting
    uint64_t newTilePairs; // of the first step in this order, and as many candidates had it
    uint64_t newCandidates;
    bool isOrdered, isWorn, isCount;
    grzCcdStepStats stats;
    size_t count;
};

// What one block of tiles met.
typedef struct StepScratch {
    CcdTileList tiles;
    grzCcdStepStats stats;
    uint64_t kept;
} StepScratch;

typedef struct StepWork {
    const grzCcdStep* step;
    const grzCcdStepQuery* query;
    const grzCcdStepPairs* pairs; // of Decide; NULL: the items are tiles
} StepWork;

// Item `index` of Find, and of Decide; false where memory is refused.
bool grzCcdStep_SearchTile(const StepWork* work, uint32_t index, BatchBlock* block, const grzAllocator* allocator);
bool grzCcdStep_SearchPairs(const StepWork* work, uint32_t index, BatchBlock* block, const grzAllocator* allocator);

// Of Decide: refuses a list, rounds rows of doubles, counts items.
grzResult grzCcdStep_CheckPairs(const grzCcdStep* step, grzTasks* tasks, const grzCcdStepPairs* pairs);
void grzCcdStep_RoundRows(grzCcdStep* step, grzTasks* tasks);
uint32_t grzCcdStep_CountPairItems(const grzCcdStep* step, const grzCcdStepPairs* pairs);

// Decides all candidates of a pass, and has none afterwards; false where memory is refused.
bool grzCcdStep_DecideSome(const StepWork* work, const StepPass* pass, CcdCandidates* candidates, BatchBlock* block,
                           const grzAllocator* allocator);

#endif
