// What: from what was found in pairs of bodies to touches: kept ones, those of manifolds, and those of contacts with meshes.
// Promise: graze/stage/step_contacts.h. Touches are a function of what was found and of the last step's touches, for any number of
//   workers.
// Idea: a pair that has not moved since its contacts were found keeps its touches (touch_keep.h). What is found in the others is
//   counted, pair by pair, and then written, so that touches stand in the order of pairs. What a pair's touches tell for the lists of
//   contacts and events is counted while they are at hand.
// Threads: a block of pairs an item.
// Cost: some 10 ns a pair that is kept, 100 a pair of boxes.
#include <math.h>
#include <string.h>

#include "contact_touch.h"
#include "graze/stage/step_contacts.h"
#include "near_loop.h"
#include "owner.h"
#include "pair_ahead.h"
#include "profile_zone.h"
#include "refuse_null.h"
#include "step_columns.h"
#include "touch_keep.h"

grzResult grzTouches_Create(grzAllocator allocator, grzTouches** made) {
    GRZ_REFUSE_NULL(made, 2);
    grzResult result;
    grzTouches* touches = *made = grzOwner_New(&allocator, 1, sizeof *touches, _Alignof(grzTouches), &result);
    if (touches != NULL)
        touches->allocator = allocator;
    return result;
}

void grzTouches_Destroy(grzTouches* touches) {
    if (touches == NULL)
        return;
    const grzAllocator allocator = touches->allocator;
    grzTouchStore_CallArrays(&touches->stores[0], grzFreeArray, &allocator);
    grzTouchStore_CallArrays(&touches->stores[1], grzFreeArray, &allocator);
    grzArray_Release(&touches->places, &allocator);
    grzArray_Release(&touches->groups, &allocator);
    grzRelease(&allocator, touches, 1, sizeof *touches, _Alignof(grzTouches));
}

// The stores take turns, at no steady pace: what one of them needs the other will.
void grzTouches_Trim(grzTouches* touches, uint32_t now) {
    GRZ_RETURN_IF_NULL(touches, );
    const grzAllocator* allocator = &touches->allocator;
    grzTouchStore *store = &touches->stores[touches->storeOf[now]],
                  *spare = &touches->stores[1 - touches->storeOf[now]];
    spare->units.count = spare->names.count = 0;
    spare->units.most = spare->names.most = store->units.most =
        store->units.most > spare->units.most ? store->units.most : spare->units.most;
    store->names.most = store->units.most;
    grzTouchStore_CallArrays(store, grzTrimArray, allocator);
    grzTouchStore_CallArrays(spare, grzTrimArray, allocator);
    grzArray_Call(&touches->places, grzTrimArray, allocator);
    grzArray_Call(&touches->groups, grzTrimScratch, allocator);
}

grzTouchesView grzTouches_GetView(const grzTouches* touches, uint32_t now) {
    GRZ_RETURN_IF_NULL(touches, (grzTouchesView){0});
    const grzTouchStore* store = &touches->stores[touches->storeOf[now]];
    return (grzTouchesView){store->units.data, store->names.data, store->units.count, touches->places.data,
                            (uint32_t)touches->places.count};
}

grzNarrowInput grzDefaultNarrowInput(void) {
    grzNarrowInput input;
    memset(&input, 0, sizeof input);
    return input;
}

typedef struct NarrowCall {
    const grzNarrowInput* input;
    grzTouches* touches;
    grzTouchStore *store, *last; // of this step's touches and of the last one's: the same, where touches stay
} NarrowCall;

static grzTouchSpan touchesOf(const grzTouchStore* store, const grzPairFound* found) {
    if (found->touchCount == 0) // of any pair, maybe: no arrays
        return (grzTouchSpan){NULL, NULL, 0};
    return (grzTouchSpan){store->units.data + found->firstTouch, store->names.data + found->firstTouch,
                          found->touchCount};
}

// ---------------------------------------------------------------------------------------------------------- counting

static uint32_t unitsOf(const grzPairFound* found) {
    return found->touchCount != 0 ? found->touchCount + found->contactCount : 0;
}

static void groupBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const NarrowCall* call = context;
    GRZ_ZONE_BEGIN(zone, call->input->profile, grz_stageNarrow, "group contacts of meshes", worker);
    const grzStepPairs* pairs = &call->input->pairs;
    for (uint32_t i = begin; i < end; ++i) {
        grzPairRow* row = grzStepPairs_At(pairs, i);
        grzPairFound* found = &row->found[pairs->now];
        if (row->way == grz_pairMesh && found->meshCount != 0)
            found->touchCount = grzContacts_Group(&call->input->contacts[found->firstMesh], found->meshCount,
                                                  &call->touches->groups.data[found->firstMesh]);
    }
    GRZ_ZONE_END(zone);
}

// How many touches and points a pair has, and where they are if they are kept.
static void countRow(const grzNarrowInput* input, uint32_t place, const grzPairRow* row, grzPairFound* found) {
    if (row->way == grz_pairMesh) {
        found->contactCount = found->meshCount;
        found->touchCount = found->meshCount != 0 ? found->touchCount : 0;
        return;
    }
    found->touchCount = found->contactCount = 0;
    if (row->way == grz_pairRecycled) {
        const grzPairFound* last = grzStepPairs_Last(&input->pairs, row);
        found->touchCount = last->touchCount;
        found->contactCount = last->contactCount;
        found->firstTouch = last->firstTouch;
    } else if (row->way == grz_pairConvex) {
        const grzManifold* manifold = &input->manifolds[input->places[place]];
        if (manifold->pointCount != 0 && manifold->separation <= row->reach) {
            found->touchCount = 1;
            found->contactCount = manifold->pointCount;
        }
    }
}

static const grzPairRow* rowAhead(const grzStepPairs* pairs, size_t place, size_t ahead) {
    return grzPairRow_Ahead(pairs->rows, pairs->order, pairs->count, place, ahead);
}

static void countBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const NarrowCall* call = context;
    const grzStepPairs* pairs = &call->input->pairs;
    grzPairBlock* block = &pairs->blocks[begin / GRZ_PAIR_BLOCK];
    (void)worker;
    block->touches = block->units = block->keptUnits = 0;
    for (uint32_t i = begin; i < end; ++i) {
        grzPairRow* row = grzStepPairs_At(pairs, i);
        grzPairFound* found = &row->found[pairs->now];
        __builtin_prefetch(rowAhead(pairs, i, GRZ_PAIRS_AHEAD));
        countRow(call->input, i, row, found);
        block->touches += row->yielding != 0 ? found->touchCount : 0;
        *(row->way == grz_pairRecycled ? &block->keptUnits : &block->units) += unitsOf(found);
    }
}

// So many units may be out of use, of so many that are in use, before touches are copied together: the fewer, the nearer to their
// order the solver finds them in memory; the more, the rarer the copies.
static size_t looseUnits(size_t used) {
    return used / 8 + 64;
}

// Where each block writes its touches, from `place` on, and where it lists them. Returns the place behind them.
static size_t placeBlocks(const grzStepPairs* pairs, bool isCopied, size_t place, size_t* touchCount) {
    *touchCount = 0;
    for (uint32_t i = 0; i < grzStepPairs_BlockCount(pairs->count); ++i) {
        grzPairBlock* block = &pairs->blocks[i];
        const uint32_t own = block->touches;
        block->touches = (uint32_t)*touchCount;
        *touchCount += own;
        const uint32_t units = block->units + (isCopied ? block->keptUnits : 0);
        block->units = (uint32_t)place;
        place += units;
    }
    return place;
}

// Room in the store that this step's touches go to. Kept ones stay, or are copied with the others.
static grzResult placeTouches(NarrowCall* call) {
    grzTouches* touches = call->touches;
    const grzStepPairs* pairs = &call->input->pairs;
    size_t kept = 0, found = 0, count;
    grzParallelForNear(call->input->tasks, pairs->count, GRZ_PAIR_BLOCK, countBlock, call);
    for (uint32_t i = 0; i < grzStepPairs_BlockCount(pairs->count); ++i) {
        kept += pairs->blocks[i].keptUnits;
        found += pairs->blocks[i].units;
    }
    const size_t most = kept + found + looseUnits(kept + found);
    const uint32_t last = touches->storeOf[1 - pairs->now];
    const bool isCopied = touches->stores[last].units.count + found > most;
    touches->storeOf[pairs->now] = isCopied ? 1 - last : last;
    grzTouchStore* store = call->store = &touches->stores[touches->storeOf[pairs->now]];
    call->last = &touches->stores[last];
    const size_t place = placeBlocks(pairs, isCopied, isCopied ? 0 : store->units.count, &count);
    if (most > UINT32_MAX)
        return grzFail(grz_tooLarge, most);
    if (isCopied)
        store->units.count = store->names.count = 0;
    if (!grzTouchStore_Reserve(store, &touches->allocator, most))
        return grzNoMemory(most, sizeof(grzTouchUnit));
    if (!grzArray_Reserve(&touches->places, &touches->allocator, count))
        return grzNoMemory(count, sizeof(uint32_t));
    store->units.count = store->names.count = place;
    touches->places.count = count;
    return grzOk();
}

// ----------------------------------------------------------------------------------------------------------- writing

// Into the pose that the last step does not use.
static void rememberPose(const grzNarrowInput* input, grzPairRow* row, grzPairFound* found) {
    const grzPairFound* last = grzStepPairs_Last(&input->pairs, row);
    const grzBodyState *a = &input->states[row->a], *b = &input->states[row->b];
    found->pose = last != NULL ? 1 - last->pose : 0;
    row->poses[found->pose] = (grzPairPose){grzSub(b->center, a->center), a->rotation, b->rotation};
}

static float leastSeparation(const grzTouch* touch, float least) {
    for (uint32_t i = 0; i < touch->pointCount; ++i)
        least = touch->points[i].separation < least ? touch->points[i].separation : least;
    return least;
}

// place: where the touches go if those in use are copied.
static void keepRow(const NarrowCall* call, const grzPairRow* row, grzPairFound* found, uint32_t place) {
    const grzBodyState* states = call->input->states;
    const grzPairFound* last = grzStepPairs_Last(&call->input->pairs, row);
    found->pose = last->pose;
    if (found->touchCount == 0)
        return;
    const grzPairPose* pose = &row->poses[last->pose];
    const grzTouchPlace bodies = {&states[row->a], &states[row->b], pose->rotationA, pose->rotationB};
    if (call->store != call->last) {
        const grzTouchSpan from = touchesOf(call->last, last);
        memcpy(call->store->units.data + place, from.units, unitsOf(found) * sizeof *from.units);
        memcpy(call->store->names.data + place, from.names, unitsOf(found) * sizeof *from.names);
        found->firstTouch = place;
    }
    place = found->firstTouch;
    for (uint32_t i = 0; i < found->touchCount; ++i) {
        grzTouch* touch = grzTouch_At(call->store->units.data, place);
        touch->bodyA = row->a; // the last step's rows may have been others
        touch->bodyB = row->b;
        grzTouch_Recycle(touch, &bodies);
        place += grzTouch_UnitCount(touch);
    }
}

static grzTouchPair pairOf(const grzNarrowInput* input, const grzPairRow* row) {
    const grzShapeTraits *a = grzShapeTraits_At(input->traits, input->traitStride, row->a),
                         *b = grzShapeTraits_At(input->traits, input->traitStride, row->b);
    grzTouchPair pair;
    memset(&pair, 0, sizeof pair);
    pair.bodyA = row->a;
    pair.bodyB = row->b;
    pair.stateA = &input->states[row->a];
    pair.stateB = &input->states[row->b];
    const float product = a->friction * b->friction;
    pair.friction = isfinite(product) ? sqrtf(product) : sqrtf(a->friction) * sqrtf(b->friction);
    pair.restitution = a->restitution > b->restitution ? a->restitution : b->restitution;
    return pair;
}

static bool isAnimated(const grzNarrowInput* input, uint32_t body) {
    return grzShapeTraits_At(input->traits, input->traitStride, body)->kind == grz_animatedCollider;
}

static void writeMeshTouches(const NarrowCall* call, const grzPairRow* row, const grzPairFound* found,
                             const grzTouchPair* pair, const grzTouchRoom* room) {
    const grzNarrowInput* input = call->input;
    const grzContact* contacts = &input->contacts[found->firstMesh];
    const grzContactGroup* groups = &call->touches->groups.data[found->firstMesh];
    const bool isA = isAnimated(input, row->a), isB = isAnimated(input, row->b);
    if (isA == isB) {
        grzContacts_ToTouches(pair, NULL, contacts, groups, found->touchCount, room);
        return;
    }
    const grzTouchSurface surface = {&input->velocities[found->firstMesh], isA, input->timeStep};
    grzContacts_ToTouches(pair, &surface, contacts, groups, found->touchCount, room);
}

static void findRow(const NarrowCall* call, uint32_t index, grzPairRow* row, grzPairFound* found, uint32_t place) {
    const grzNarrowInput* input = call->input;
    const grzPairFound* last = grzStepPairs_Last(&input->pairs, row);
    rememberPose(input, row, found);
    found->firstTouch = place;
    if (found->touchCount == 0)
        return;
    grzTouchPair pair = pairOf(input, row);
    const grzTouchRoom room = {call->store->units.data + place, call->store->names.data + place};
    if (last != NULL)
        pair.previous = touchesOf(call->last, last);
    if (row->way == grz_pairMesh)
        writeMeshTouches(call, row, found, &pair, &room);
    else
        grzManifold_ToTouch(&pair, &input->manifolds[input->places[index]], &room);
}

// Whether a pair that touched still does, with a gap of that width. Most gaps are wider than any pair's limit.
static bool isStillTouching(const grzNarrowInput* input, const grzPairRow* row, float gap) {
    if (!(gap <= 0.25f * input->margin))
        return false;
    const grzPairFound* last = grzStepPairs_Last(&input->pairs, row);
    const grzShapeTraits *a = grzShapeTraits_At(input->traits, input->traitStride, row->a),
                         *b = grzShapeTraits_At(input->traits, input->traitStride, row->b);
    return last != NULL && last->isTouching && gap <= grzMargin_OfPair(input->margin, input->marginShare, a, b);
}

// Where the touches of a pair are, for the solver, from places[listed] on; and whether the pair touches before
// anything pushes.
static void listTouches(const NarrowCall* call, const grzPairRow* row, grzPairFound* found, uint32_t listed) {
    const grzTouchUnit* units = call->store->units.data;
    uint32_t place = found->firstTouch;
    float least = INFINITY;
    for (uint32_t i = 0; i < found->touchCount; ++i) {
        const grzTouch* touch = grzTouch_Read(units, place);
        least = leastSeparation(touch, least);
        if (row->yielding != 0)
            call->touches->places.data[listed + i] = place;
        place += grzTouch_UnitCount(touch);
    }
    found->isTouching = least <= 0.0f || (found->touchCount != 0 && isStillTouching(call->input, row, least));
}

// What a pair that comes soon is written from: its row, its b (pairs of one a follow each other), and the touch that it keeps.
static void prefetchWritten(const NarrowCall* call, uint32_t place) {
    const grzStepPairs* pairs = &call->input->pairs;
    const grzPairRow* row = rowAhead(pairs, place, GRZ_NAMED_AHEAD);
    const grzPairFound* found = &row->found[pairs->now];
    __builtin_prefetch(rowAhead(pairs, place, GRZ_PAIRS_AHEAD));
    __builtin_prefetch(&call->input->states[row->b]);
    if (row->way != grz_pairRecycled || found->touchCount == 0)
        return;
    __builtin_prefetch(row->poses);
    const char* units = (const char*)(call->last->units.data + found->firstTouch);
    for (size_t line = 0; line < sizeof(grzTouch); line += 64)
        __builtin_prefetch(units + line);
}

static void writeBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const NarrowCall* call = context;
    GRZ_ZONE_BEGIN(zone, call->input->profile, grz_stageNarrow, "touches", worker);
    const grzStepPairs* pairs = &call->input->pairs;
    grzPairBlock* block = &pairs->blocks[begin / GRZ_PAIR_BLOCK];
    const bool isCopied = call->store != call->last;
    uint32_t place = block->units, listed = block->touches;
    block->contacts = block->touching = block->undecided = 0;
    for (uint32_t i = begin; i < end; ++i) {
        grzPairRow* row = grzStepPairs_At(pairs, i);
        grzPairFound* found = &row->found[pairs->now];
        prefetchWritten(call, i);
        const bool isKept = row->way == grz_pairRecycled;
        if (isKept)
            keepRow(call, row, found, place);
        else
            findRow(call, i, row, found, place);
        place += isKept && !isCopied ? 0 : unitsOf(found);
        listTouches(call, row, found, listed);
        listed += row->yielding != 0 ? found->touchCount : 0;
        block->contacts += found->contactCount;
        block->touching += found->isTouching;
        block->undecided += !found->isTouching && found->touchCount != 0 && row->yielding != 0;
    }
    GRZ_ZONE_END(zone);
}

// --------------------------------------------------------------------------------------------------------- the stage

static const char* flawOf(const grzNarrowInput* input) {
    const grzStepPairs* pairs = &input->pairs;
    if (pairs->now > 1)
        return "now is neither 0 nor 1";
    if (pairs->count == 0)
        return NULL;
    if (pairs->rows == NULL || pairs->order == NULL || pairs->blocks == NULL)
        return "there are no rows of pairs, or no order of them, or no blocks";
    if (input->states == NULL || input->traits == NULL)
        return "there are no states, or no traits";
    if ((input->places == NULL || input->manifolds == NULL) && grzStepPairs_CollidedCount(pairs) != 0)
        return "there are no places, or no manifolds";
    if (!(input->margin >= 0.0f) || !(input->marginShare >= 0.0f))
        return "margin or marginShare is negative, or a NaN";
    return input->contactCount != 0 && input->contacts == NULL ? "there are no contacts" : NULL;
}

grzResult grzStep_Narrow(grzTouches* touches, const grzNarrowInput* input) {
    GRZ_REFUSE_NULL(touches, 1);
    GRZ_REFUSE_NULL(input, 2);
    const char* flaw = flawOf(input);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 2), flaw);
    NarrowCall call = {input, touches, NULL, NULL};
    if (!grzArray_Reserve(&touches->groups, &touches->allocator, input->contactCount))
        return grzNoMemory(input->contactCount, sizeof(grzContactGroup));
    if (input->contactCount != 0)
        grzParallelForNear(input->tasks, input->pairs.count, 16, groupBlock, &call);
    const grzResult result = placeTouches(&call);
    if (grzResult_IsOk(result))
        grzParallelForNear(input->tasks, input->pairs.count, GRZ_PAIR_BLOCK, writeBlock, &call);
    return result;
}
