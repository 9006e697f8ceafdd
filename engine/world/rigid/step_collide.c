// What: the manifolds of all pairs of convex shapes.        Promise: graze/stage/step_contacts.h.
// Idea: one batch of all pairs. Those that may cross the margin in one step have a larger one that holds their motion. A shape that
//   moved is posed when a pair needs it; the others are left as they are.
// Threads: a block of pairs an item.
// Cost: that of graze/convex_pairs.h.
#include <stdatomic.h>
#include <string.h>

#include "graze/stage/step_contacts.h"
#include "near_loop.h"
#include "pair_ahead.h"
#include "refuse_null.h"
#include "result_make.h"
#include "step_columns.h"

// The unit of larger margins where the caller's is smaller.
static const float leastMargin = 1e-3f;

grzCollideInput grzDefaultCollideInput(void) {
    grzCollideInput input;
    memset(&input, 0, sizeof input);
    return input;
}

typedef struct CollideCall {
    const grzCollideInput* input;
    const grzCollideOutput* output;
} CollideCall;

// The margin that a pair is collided with: the caller's own, or the first of four times that, sixteen times and so on that holds the
// reach. With the reach itself as the margin heaps that tumble overlap more. Small bodies reach less far than the margin: a fourth of it,
// a sixteenth and so on.
static float marginOf(float margin, float reach) {
    if (!(reach > margin)) {
        while (reach > 0.0f && reach <= 0.25f * margin)
            margin *= 0.25f;
        return margin;
    }
    float most = margin > leastMargin ? margin : leastMargin;
    do
        most *= 4.0f;
    while (reach > most);
    return most < GRZ_MOST_REACH ? most : GRZ_MOST_REACH;
}

// The worker that clears the flag poses the shape. Relaxed is enough: what was posed is read after the loop has ended. A shape that
// has left the range of convex shapes gets no mark, and its pairs are refused.
static void poseMoved(const grzCollideInput* input, uint32_t body) {
    _Atomic uint8_t* moved = (_Atomic uint8_t*)&input->moved[body];
    if (!atomic_load_explicit(moved, memory_order_relaxed) ||
        !atomic_exchange_explicit(moved, false, memory_order_relaxed))
        return;
    grzPosedConvex* posed = grzColumn_Write(input->posed, input->posedStride, sizeof *posed, body);
    if (!grzResult_IsOk(grzConvex_Pose(&posed->shape, posed->pose, posed)))
        posed->mark = 0;
}

static void prefetchMoved(const grzCollideInput* input, uint32_t place) {
    const grzStepPairs* pairs = &input->pairs;
    const grzPairRow* row = grzPairRow_Ahead(pairs->rows, pairs->order, pairs->count, place, GRZ_NAMED_AHEAD);
    __builtin_prefetch(grzPairRow_Ahead(pairs->rows, pairs->order, pairs->count, place, GRZ_PAIRS_AHEAD));
    if (row->way == grz_pairConvex && input->moved != NULL)
        __builtin_prefetch(&input->moved[row->b]);
}

static void gatherBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const CollideCall* call = context;
    const grzStepPairs* pairs = &call->input->pairs;
    const grzPairBlock* block = &pairs->blocks[begin / GRZ_PAIR_BLOCK];
    uint32_t place = block->firstCollided;
    (void)worker;
    for (uint32_t i = begin; i < end && block->collided != 0; ++i) {
        const grzPairRow* row = grzStepPairs_At(pairs, i);
        prefetchMoved(call->input, i);
        if (row->way != grz_pairConvex)
            continue;
        if (call->input->moved != NULL) {
            poseMoved(call->input, row->a);
            poseMoved(call->input, row->b);
        }
        call->output->places[i] = place;
        call->output->bodies[place] = (grzBodyPair){row->a, row->b};
        call->output->margins[place++] = marginOf(call->input->margin, row->reach);
    }
}

static uint32_t placeBlocks(const grzStepPairs* pairs) {
    uint32_t count = 0;
    for (uint32_t block = 0; block < grzStepPairs_BlockCount(pairs->count); ++block) {
        pairs->blocks[block].firstCollided = count;
        count += pairs->blocks[block].collided;
    }
    return count;
}

static const char* flawOf(const grzCollideInput* input) {
    const grzStepPairs* pairs = &input->pairs;
    if (pairs->count != 0 && (pairs->rows == NULL || pairs->order == NULL || pairs->blocks == NULL))
        return "there are no rows of pairs, or no order of them, or no blocks";
    if (pairs->count != 0 && input->posed == NULL)
        return "there are no posed shapes";
    return input->margin >= 0.0f ? NULL : "the margin is negative or a NaN";
}

grzResult grzStep_Collide(const grzCollideInput* input, const grzCollideOutput* output) {
    GRZ_REFUSE_NULL(input, 1);
    GRZ_REFUSE_NULL(output, 2);
    const char* flaw = flawOf(input);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    const uint32_t count = placeBlocks(&input->pairs);
    if (count == 0)
        return grzOk();
    if (output->places == NULL || output->bodies == NULL || output->margins == NULL || output->manifolds == NULL)
        return grzBecause(grzFail(grz_badArgument, 2), "there are no places, or no bodies, margins or manifolds");
    CollideCall call = {input, output};
    grzParallelForNear(input->tasks, input->pairs.count, GRZ_PAIR_BLOCK, gatherBlock, &call);
    const grzConvexBatch batch = {.bodies = input->posed,
                                  .bodyStride = input->posedStride,
                                  .pairs = output->bodies,
                                  .margins = output->margins,
                                  .manifolds = output->manifolds,
                                  .bodyCount = input->bodyCount,
                                  .pairCount = count,
                                  .tasks = input->tasks};
    const grzResult result = grzConvex_CollideMany(&batch);
    if (grzResult_IsOk(result))
        return result;
    const grzBodyPair bad = output->bodies[result.index];
    return grzFailAt(grz_notFinite, grz_partObject, bad.a, bad.b);
}
