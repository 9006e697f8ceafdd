// What: which pairs touch in a step because they push in it.        Promise: graze/stage/step_contacts.h.
// Idea: narrow decides most pairs: they overlap, or touched before and are still near. The others have gaps. The
//   solver notes which points with a gap have pushed (grzTouch.metIn), in the first line of a touch. So a block
//   without undecided pairs is skipped, and an undecided pair costs one line, or two if it has pushed.
// Threads: a block of pairs an item.
#include <string.h>

#include "graze/stage/step_contacts.h"
#include "near_loop.h"
#include "refuse_null.h"
#include "touch.h"

// A point may push and give all of it back: then its impulse is 0.
static bool hasPushed(const grzTouch* touch) {
    static const uint8_t never[GRZ_TOUCH_MOST_POINTS];
    if (memcmp(touch->metIn, never, sizeof never) == 0)
        return false;
    for (uint32_t i = 0; i < touch->pointCount; ++i)
        if (touch->points[i].stepImpulse > 0.0f)
            return true;
    return false;
}

static bool isPushed(const grzTouchUnit* units, const grzPairFound* found) {
    uint32_t place = found->firstTouch;
    for (uint32_t i = 0; i < found->touchCount; ++i) {
        const grzTouch* touch = grzTouch_Read(units, place);
        if (hasPushed(touch))
            return true;
        place += grzTouch_UnitCount(touch);
    }
    return false;
}

typedef struct TouchingCall {
    const grzTouchingInput* input;
} TouchingCall;

static void decideBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const TouchingCall* call = context;
    const grzTouchingInput* input = call->input;
    const grzStepPairs* pairs = &input->pairs;
    grzPairBlock* block = &pairs->blocks[begin / GRZ_PAIR_BLOCK];
    (void)worker;
    if (block->undecided == 0)
        return;
    for (uint32_t i = begin; i < end; ++i) {
        grzPairFound* found = &grzStepPairs_At(pairs, i)->found[pairs->now];
        if (found->touchCount == 0 || found->isTouching)
            continue;
        found->isTouching = isPushed(input->units, found);
        block->touching += found->isTouching;
    }
    block->undecided = 0;
}

grzResult grzStep_FindTouching(const grzTouchingInput* input) {
    GRZ_REFUSE_NULL(input, 1);
    const grzStepPairs* pairs = &input->pairs;
    if (pairs->now > 1)
        return grzBecause(grzFail(grz_badArgument, 1), "now is neither 0 nor 1");
    if (pairs->count != 0 && (pairs->rows == NULL || pairs->order == NULL || pairs->blocks == NULL))
        return grzBecause(grzFail(grz_badArgument, 1),
                          "there are no rows of pairs, or no order of them, or no blocks");
    uint32_t undecided = 0;
    for (uint32_t i = 0; i < grzStepPairs_BlockCount(pairs->count); ++i)
        undecided += pairs->blocks[i].undecided;
    if (undecided != 0 && input->units == NULL)
        return grzBecause(grzFail(grz_badArgument, 1), "there are no units");
    TouchingCall call = {input};
    if (undecided != 0)
        grzParallelForNear(input->tasks, pairs->count, GRZ_PAIR_BLOCK, decideBlock, &call);
    return grzOk();
}
