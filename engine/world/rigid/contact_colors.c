// What: colours touches, so that all touches of one colour can be solved side by side, and cuts the colours into
// batches.
// Idea: each body has a mask of the colours that its touches have. A touch that had a colour in the last step claims
//       it again; a new one takes the lowest that neither of its bodies has. Touches stand in the order of their
//       bodies, so that colours depend on nothing but the scene and the step before. One-sided touches (with a body
//       that does not yield) have colours of their own, and leave no mark in the other body: a floor may have any
//       number of them in one colour. What finds no colour (a body with more than 64 touches) is an overflow: a
//       block of its own, and all of those one after the other in the order of touches, before all colours.
// Order: overflow, colours of two-sided touches, colours of one-sided ones: what cannot yield has the last word.
// Cost: O(touches): about 10 ns a touch, on one thread.
// Limits: a body with hundreds of touches to bodies that yield is solved slowly, never wrongly.
#include "contact_colors.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "check.h"

// A group: colour * 8 + (one-sided ? 4 : 0) + points - 1; or one of these.
enum {
    GROUP_BITS = 3,
    OVERFLOW_COLOR = GRZ_COLORS,
    AHEAD = 8,
    GROUP_COUNT = (GRZ_COLORS + 1) * 8,
    NO_GROUP = GROUP_COUNT
};

#define NO_TOUCH UINT32_MAX

static uint32_t pointsOf(uint32_t group) {
    return (group & 3) + 1;
}
static uint32_t sidesOf(uint32_t group) {
    return (group & 4) != 0 ? 1 : 2;
}

static grzTouch* touchAt(const grzSolveInput* step, uint32_t i) {
    return grzTouch_At(step->units, step->places[i]);
}

static bool yields(const grzSolveInput* step, uint32_t body) {
    return (step->masses[body].flags & grz_bodyYields) != 0;
}

// memory of a touch: colour + 1, and 0x100 where it is one-sided.
static uint32_t memoryOf(uint32_t group) {
    return group == NO_GROUP || group >> GROUP_BITS == OVERFLOW_COLOR
               ? 0
               : (group >> GROUP_BITS) + 1 + ((group & 4) != 0 ? 0x100u : 0u);
}

// What a touch asks of the colours: its kind and points as a group of colour 0, NO_GROUP where there is nothing to solve; what the masks
// of its bodies that yield say; and where to mark.
typedef struct Marks {
    uint32_t kind;
    uint64_t* masks[2];
    uint64_t taken;
} Marks;

static Marks marksOf(grzColoring* coloring, const grzSolveInput* step, const grzTouch* touch) {
    GRZ_ASSERT(touch->bodyA != touch->bodyB && touch->bodyA < step->bodyCount && touch->bodyB < step->bodyCount);
    GRZ_ASSERT(touch->pointCount <= GRZ_TOUCH_MOST_POINTS);
    const bool a = yields(step, touch->bodyA), b = yields(step, touch->bodyB), isOneSided = !a || !b;
    Marks marks = {.kind = NO_GROUP};
    if (touch->pointCount == 0 || (!a && !b))
        return marks;
    grzColorMasks *first = &coloring->masks.data[a ? touch->bodyA : touch->bodyB],
                  *second = &coloring->masks.data[b ? touch->bodyB : touch->bodyA];
    marks.kind = (isOneSided ? 4u : 0u) + touch->pointCount - 1;
    marks.masks[0] = isOneSided ? &first->oneSided : &first->twoSided;
    marks.masks[1] = isOneSided ? &second->oneSided : &second->twoSided;
    marks.taken = *marks.masks[0] | *marks.masks[1];
    return marks;
}

static uint32_t take(Marks marks, uint32_t color) {
    *marks.masks[0] |= (uint64_t)1 << color;
    *marks.masks[1] |= (uint64_t)1 << color;
    return color << GROUP_BITS | marks.kind;
}

#if defined(GRAZE_VALIDATION)
static bool areFinite(const float* numbers, uint32_t count) {
    bool good = true;
    for (uint32_t i = 0; i < count; ++i)
        good = good && fabsf(numbers[i]) <= FLT_MAX;
    return good;
}

// Of what the solver reads.
static bool isFinite(const grzTouch* touch) {
    bool good =
        grzVec3_IsFinite(touch->normal) && areFinite(&touch->friction, 1) && areFinite(&touch->restitution, 1);
    for (uint32_t i = 0; i < touch->pointCount; ++i) {
        const grzTouchPoint* point = &touch->points[i];
        good = good && areFinite(point->anchorA, 3) && areFinite(point->anchorB, 3) &&
               areFinite(&point->separation, 1);
        good = good && areFinite(&point->normalImpulse, 1) && areFinite(point->frictionImpulse, 2);
    }
    return good;
}
#endif

typedef struct Tally {
    uint32_t counts[GROUP_COUNT];
    uint32_t overflowBatches; // runs of equal kind among the overflow, in the order of touches
} Tally;

// Touches claim the colours that they had. Those that do not get one stand in a list: the group of each names the next. Returns the
// first, or NO_TOUCH.
static uint32_t claimColors(grzColoring* coloring, const grzSolveInput* step, Tally* tally) {
    uint32_t first = NO_TOUCH, *end = &first;
    for (uint32_t i = 0; i < step->touchCount; ++i) {
        const grzTouch* touch = touchAt(step, i);
        __builtin_prefetch(touchAt(step, i + AHEAD < step->touchCount ? i + AHEAD : i));
#if defined(GRAZE_VALIDATION)
        GRZ_VALIDATE(isFinite(touch));
#endif
        coloring->anyBounces = coloring->anyBounces || touch->restitution > 0.0f;
        const Marks marks = marksOf(coloring, step, touch);
        const uint32_t color = (touch->memory & 0xFF) - 1;
        if (marks.kind != NO_GROUP && color < GRZ_COLORS && (marks.taken >> color & 1) == 0 &&
            touch->memory == memoryOf(color << GROUP_BITS | marks.kind)) {
            const uint32_t group = coloring->groups.data[i] = take(marks, color);
            tally->counts[group]++;
            continue;
        }
        *end = i;
        end = &coloring->groups.data[i];
    }
    *end = NO_TOUCH;
    return first;
}

static void colorOthers(grzColoring* coloring, const grzSolveInput* step, uint32_t first, Tally* tally) {
    uint32_t last = NO_GROUP;
    for (uint32_t i = first, next; i != NO_TOUCH; i = next) {
        const grzTouch* touch = touchAt(step, i);
        const Marks marks = marksOf(coloring, step, touch);
        uint32_t group = NO_GROUP;
        next = coloring->groups.data[i];
        if (marks.kind != NO_GROUP) {
            const uint32_t color = ~marks.taken != 0 ? (uint32_t)__builtin_ctzll(~marks.taken) : OVERFLOW_COLOR;
            group = color != OVERFLOW_COLOR ? take(marks, color) : OVERFLOW_COLOR << GROUP_BITS | marks.kind;
            tally->counts[group]++;
            tally->overflowBatches += color == OVERFLOW_COLOR && group != last;
            last = color == OVERFLOW_COLOR ? group : last;
        }
        coloring->groups.data[i] = group;
        coloring->isChanged = coloring->isChanged || touch->memory != memoryOf(group);
    }
}

// ---- Batches.

static grzTouchBatch* addBatch(grzColoring* coloring, uint32_t group, uint32_t touchCount, uint32_t lanesUsed) {
    grzTouchBatch* batch = &coloring->batches.data[coloring->batches.count++];
    const uint32_t sides = sidesOf(group), points = pointsOf(group);
    *batch = (grzTouchBatch){coloring->blockCount,
                             (touchCount + lanesUsed - 1) / lanesUsed,
                             touchCount,
                             lanesUsed,
                             points,
                             sides,
                             coloring->firmSize,
                             coloring->relaxedSize,
                             coloring->keptSize};
    coloring->blockCount += batch->blockCount;
    coloring->pointCount += touchCount * points;
    coloring->firmSize += (size_t)batch->blockCount * GRZ_FIRM_SIZE(sides, points);
    coloring->relaxedSize += (size_t)batch->blockCount * GRZ_RELAXED_SIZE(sides, points);
    coloring->keptSize += (size_t)batch->blockCount * GRZ_KEPT_SIZE(points);
    return batch;
}

static void endRun(grzColoring* coloring, uint32_t firstBatch, uint32_t firstBlock, bool isSerial) {
    if (coloring->batches.count == firstBatch)
        return;
    coloring->runs.data[coloring->runs.count++] =
        (grzColorRun){firstBatch, (uint32_t)coloring->batches.count - firstBatch, firstBlock,
                      coloring->blockCount - firstBlock, isSerial};
}

static void putOverflow(grzColoring* coloring, const grzSolveInput* step) {
    uint32_t last = NO_GROUP;
    grzTouchBatch* batch = NULL;
    for (uint32_t i = 0; i < step->touchCount; ++i) {
        const uint32_t group = coloring->groups.data[i];
        if (group == NO_GROUP || group >> GROUP_BITS != OVERFLOW_COLOR)
            continue;
        coloring->lanePlaces.data[8 * (size_t)coloring->blockCount] = step->places[i];
        if (group != last) {
            batch = addBatch(coloring, group, 1, 1);
        } else { // one block more
            batch->touchCount++;
            batch->blockCount++;
            coloring->blockCount++;
            coloring->pointCount += pointsOf(group);
            coloring->firmSize += GRZ_FIRM_SIZE(sidesOf(group), pointsOf(group));
            coloring->relaxedSize += GRZ_RELAXED_SIZE(sidesOf(group), pointsOf(group));
            coloring->keptSize += GRZ_KEPT_SIZE(pointsOf(group));
        }
        last = group;
        coloring->overflowCount++;
    }
    endRun(coloring, 0, 0, true);
}

// Makes the batches of the colours, and turns the counts into where the next touch of a group goes among lanes.
static void putColors(grzColoring* coloring, Tally* tally) {
    for (uint32_t kind = 0; kind < 8; kind += 4)
        for (uint32_t color = 0; color < GRZ_COLORS; ++color) {
            const uint32_t firstBatch = (uint32_t)coloring->batches.count, firstBlock = coloring->blockCount;
            for (uint32_t points = 0; points < GRZ_TOUCH_MOST_POINTS; ++points) {
                const uint32_t group = color << GROUP_BITS | kind | points, count = tally->counts[group];
                tally->counts[group] = 8 * coloring->blockCount;
                if (count != 0)
                    addBatch(coloring, group, count, 8);
            }
            coloring->colorCount += coloring->batches.count != firstBatch;
            endRun(coloring, firstBatch, firstBlock, false);
        }
}

static bool reserve(grzColoring* coloring, const grzAllocator* allocator, const Tally* tally) {
    uint32_t batches = tally->overflowBatches, blocks = 0;
    for (uint32_t group = 0; group < GROUP_COUNT; ++group) {
        const bool isOverflow = group >> GROUP_BITS == OVERFLOW_COLOR;
        blocks += isOverflow ? tally->counts[group] : (tally->counts[group] + 7) / 8;
        batches += !isOverflow && tally->counts[group] != 0;
    }
    return grzArray_Reserve(&coloring->lanePlaces, allocator, 8 * (size_t)blocks) &&
           grzArray_Reserve(&coloring->batches, allocator, batches) &&
           grzArray_Reserve(&coloring->runs, allocator, batches + 1);
}

static void clear(grzColoring* coloring) {
    coloring->batches.count = coloring->runs.count = 0;
    coloring->blockCount = coloring->colorCount = coloring->overflowCount = coloring->pointCount = 0;
    coloring->firmSize = coloring->relaxedSize = coloring->keptSize = 0;
    coloring->anyBounces = coloring->isChanged = false;
}

bool grzColoring_Make(grzColoring* coloring, const grzAllocator* allocator, const grzSolveInput* step) {
    Tally counts;
    memset(&counts, 0, sizeof counts);
    clear(coloring);
    if (!grzArray_Reserve(&coloring->groups, allocator, step->touchCount) ||
        !grzArray_Reserve(&coloring->masks, allocator, step->bodyCount))
        return false;
    if (step->bodyCount != 0)
        memset(coloring->masks.data, 0, step->bodyCount * sizeof *coloring->masks.data);
    colorOthers(coloring, step, claimColors(coloring, step, &counts), &counts);
    if (!reserve(coloring, allocator, &counts))
        return false;
    if (counts.overflowBatches != 0)
        putOverflow(coloring, step);
    putColors(coloring, &counts);
    for (uint32_t i = 0; i < step->touchCount; ++i) {
        const uint32_t group = coloring->groups.data[i];
        if (group != NO_GROUP && group >> GROUP_BITS != OVERFLOW_COLOR)
            coloring->lanePlaces.data[counts.counts[group]++] = step->places[i];
    }
    return true;
}

void grzColoring_Remember(const grzColoring* coloring, const grzSolveInput* step, uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t memory = memoryOf(coloring->groups.data[i]);
        grzTouch* touch = touchAt(step, i);
        if (touch->memory != memory) // hardly ever: lines that are not written need no way back
            touch->memory = memory;
    }
}

void grzColoring_CallArrays(grzColoring* coloring, grzArrayCall* call, const grzAllocator* allocator) {
    grzArray_Call(&coloring->groups, call, allocator);
    grzArray_Call(&coloring->masks, call, allocator);
    grzArray_Call(&coloring->lanePlaces, call, allocator);
    grzArray_Call(&coloring->batches, call, allocator);
    grzArray_Call(&coloring->runs, call, allocator);
}
