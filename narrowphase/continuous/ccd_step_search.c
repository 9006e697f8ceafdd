// What: tiles of a step's features beside each other, and candidates through all stages to impacts.
// Idea: a tile of the first side's features is a task's piece of work:
//
//   its box -> walk through the other side's hierarchy -> tiles -> candidates, a thousand at a time -> ccd_block -> impacts
//
// Holds: against itself, edges look at their own tile and later ones only.
#include <math.h>
#include <string.h>

#include "bvh_parts.h"
#include "ccd_query.h"
#include "ccd_step_inside.h"

static float roundTime(double time, bool isEnd) {
    return isEnd ? grzRoundUp(time) : grzRoundDown(time);
}

// The record of a candidate that is not apart.
static grzImpact makeImpact(const StepWork* work, const StepPass* pass, const uint32_t* features, uint8_t verdict) {
    const bool isEdges = pass->kind == grz_ccdEdgeEdge;
    grzFeature a = grzMakeFeature(isEdges ? grz_edgeFeature : grz_vertexFeature, features[0]);
    grzFeature b = grzMakeFeature(isEdges ? grz_edgeFeature : grz_faceFeature, features[1]);
    if (pass->isTurned || (pass->isSelf && isEdges && a > b)) {
        const grzFeature swap = a;
        a = b;
        b = swap;
    }
    grzImpact impact;
    memset(&impact, 0, sizeof impact);
    impact.pair = (grzFeaturePair){work->query->bodyPair, a, b, 0, 1};
    impact.certainty = verdict == grz_ccdTouching ? grz_exact : grz_conservative;
    impact.measure = verdict == grz_ccdTouching ? 0 : INFINITY;
    return impact;
}

static void setTimes(const StepWork* work, const StepPass* pass, const uint32_t* vertices, grzImpact* impact) {
    const grzCcdQuery query = grzCcdRows_Query(&work->step->rows, pass->kind, vertices);
    CcdSpan span;
    if (impact->certainty != grz_exact || grzCcdQuery_Time(&query, work->query->depth, &span) != ccd_touch)
        return; // 0 and 1: when is not known, or would take too many bits
    impact->pair.t0 = roundTime(span.t0, false);
    impact->pair.t1 = roundTime(span.t1, true);
}

static bool keepImpact(const StepWork* work, const StepPass* pass, const CcdCandidates* candidates, uint32_t number,
                       uint8_t verdict, BatchBlock* block, const grzAllocator* allocator) {
    const grzCcdStepQuery* query = work->query;
    const uint32_t features[2] = {candidates->features[0][number], candidates->features[1][number]};
    grzImpact impact = makeImpact(work, pass, features, verdict);
    StepScratch* scratch = block->scratch;
    scratch->stats.impacts[pass->kind]++;
    scratch->stats.doubtful[pass->kind] += verdict == grz_ccdDoubtful;
    if (query->filter != NULL && !query->filter(query->filterContext, impact.pair.featureA, impact.pair.featureB))
        return true;
    scratch->kept++;
    if (query->isCount)
        return true;
    if (query->depth != 0)
        setTimes(work, pass, candidates->vertices + 4 * (size_t)number, &impact);
    grzImpact* room = grzBatchBlock_Append(block, 1, sizeof *room, allocator);
    if (room == NULL)
        return false;
    *room = impact;
    return true;
}

bool grzCcdStep_DecideSome(const StepWork* work, const StepPass* pass, CcdCandidates* candidates, BatchBlock* block,
                           const grzAllocator* allocator) {
    uint32_t hits[CCD_CANDIDATES + CCD_TILE_PAIRS + CCD_SIFT_LANES];
    uint8_t verdicts[CCD_CANDIDATES + CCD_TILE_PAIRS + CCD_SIFT_LANES];
    StepScratch* scratch = block->scratch;
    CcdStages stages = {{0}};
    const uint32_t count = grzCcdBlock_Decide(&work->step->rows, pass->kind, candidates->vertices,
                                              candidates->count, hits, verdicts, &stages);
    scratch->stats.candidates[pass->kind] += candidates->count + candidates->apart;
    scratch->stats.decided[pass->kind][grz_ccdBoxes] += candidates->apart;
    for (int stage = 0; stage < grz_ccdStageCount; ++stage)
        scratch->stats.decided[pass->kind][stage] += stages.counts[stage];
    candidates->count = candidates->apart = 0;
    for (uint32_t i = 0; i < count; ++i)
        if (!keepImpact(work, pass, candidates, hits[i], verdicts[i], block, allocator))
            return false;
    return true;
}

static bool findTiles(const StepPass* pass, uint32_t tile, CcdTileList* list, const grzAllocator* allocator) {
    const grzBvhView view = grzBvh_GetView(pass->lanes->bvh);
    const CcdTile* from = &pass->rows->tiles[tile];
    const bool isSame = pass->rows == pass->lanes;
    const CcdTileWalk walk = {&view, pass->lanes->nodes, from->boxLower, from->boxUpper, isSame ? tile : 0};
    list->count = 0;
    return GRZ_PICK_KERNEL(grzCcdTileWalk)(&walk, list, allocator);
}

static bool searchTile(const StepWork* work, const StepPass* pass, uint32_t tile, BatchBlock* block,
                       const grzAllocator* allocator) {
    StepScratch* scratch = block->scratch;
    const CcdSet *rows = pass->rows, *lanes = pass->lanes;
    grzCcdTileMeet_Fn* meet = GRZ_PICK_KERNEL(grzCcdTileMeet);
    CcdCandidates candidates;
    candidates.count = candidates.apart = 0;
    if (!findTiles(pass, tile, &scratch->tiles, allocator))
        return false;
    for (size_t i = 0; i < scratch->tiles.count; ++i) {
        const uint32_t other = scratch->tiles.data[i];
        const CcdTilePair pair = {&rows->tiles[tile],
                                  &lanes->tiles[other],
                                  rows->doubles != NULL ? &rows->doubles[tile] : NULL,
                                  rows->doubles != NULL ? &lanes->doubles[other] : NULL,
                                  pass->kind == grz_ccdEdgeEdge,
                                  rows == lanes && tile == other};
        meet(&pair, &candidates);
        if (candidates.count >= CCD_CANDIDATES && !grzCcdStep_DecideSome(work, pass, &candidates, block, allocator))
            return false;
    }
    scratch->stats.tilePairs += scratch->tiles.count;
    return candidates.count + candidates.apart == 0 ||
           grzCcdStep_DecideSome(work, pass, &candidates, block, allocator);
}

bool grzCcdStep_SearchTile(const StepWork* work, uint32_t index, BatchBlock* block, const grzAllocator* allocator) {
    const StepPass* pass = &work->step->passes[work->step->passCount - 1];
    while (index < pass->firstTile)
        --pass;
    return pass->lanes->count == 0 || searchTile(work, pass, index - pass->firstTile, block, allocator);
}
