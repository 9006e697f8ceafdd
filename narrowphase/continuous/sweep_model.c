// What: the advance of two bodies of which one at least is a model.
// Promise: nothing touches before the time that is told.
// Idea: a walk through both hierarchies, in which each pair of boxes has a time of its own before which nothing in it touches. A step
//   opens the larger box, places both at that time, and sets each child's time forward by what sweep_kernel.h can tell. Children
//   that cannot beat the earliest touch found so far are left out; the others go onto the stack, the earliest on top. Leaves are
//   opened into their triangles; and two triangles, or a triangle and the shape, are advanced as convex parts (sweep_pair.c), up
//   to the earliest touch at most.
//
//     pair of boxes, t --open--> children, t + step --> ... --> triangles, t: advanced --> touch: the new limit
//
//   So far parts of a mesh take one long step each, and only what comes near is looked at again, at its own time; there is no
//   round of the whole mesh for each step.
//
//   Stack: a step takes one entry and leaves at most eight, of which one side is a level deeper; so there are never more than seven
//   for each level of the two hierarchies, and one.
// Based on: [Mirtich 1996] for a time of each pair's own; [Tang, Kim, Manocha, C2A, ICRA 2009], which advances the whole bodies by the
//   least step of all pairs, round by round. We differ: depth first, one walk.
#include <math.h>

#include "model_chunks.h"
#include "model_place.h"
#include "sweep_kernel.h"
#include "sweep_pair.h"

enum { DEEPEST = 7 * 2 * (GRZ_BVH_MAX_LEVELS + 2) + 1, WHOLE_SHAPE = 0xFF };

// A box of a side, or at the level after the leaves a triangle of the tree.
typedef struct Ref {
    uint32_t index, level;
} Ref;

typedef struct Entry {
    Ref refs[2]; // of A, of B
    double t;    // nothing in them touches before
    double gap;  // of entries of one time, the deeper are taken first
} Entry;

typedef struct Walk {
    Sweep* sweep;
    uint32_t count;
    Entry entries[DEEPEST];
} Walk;

// A box in its frame.
typedef struct Box {
    grzVec3d middle, half;
} Box;

static float least(float a, float b) {
    return a < b ? a : b;
}

// Triangles of a leaf, as boxes.
static void setTriangleNode(const ModelLeaf* leaf, grzBvhNode* node) {
    for (int i = 0; i < 3; ++i) {
        for (uint32_t k = 0; k < GRZ_BVH_WIDTH; ++k) {
            const float *at = leaf->at[i] + k, far = (float)INFINITY;
            node->lower[i][k] = k < leaf->count ? least(at[0], least(at[4], at[8])) : far;
            node->upper[i][k] = k < leaf->count ? -least(-at[0], least(-at[4], -at[8])) : -far;
        }
    }
}

static bool isLast(const SweepSide* side, Ref ref) {
    return side->model == NULL || ref.level > side->model->leafLevel;
}

static Box boxOf(const SweepSide* side, Ref ref) {
    grzVec3d lower = side->lower, upper = side->upper;
    if (side->model != NULL && ref.level <= side->model->leafLevel) {
        const grzBvhNode* node = side->model->levels[ref.level] + ref.index / GRZ_BVH_WIDTH;
        const uint32_t k = ref.index % GRZ_BVH_WIDTH;
        lower = grzVec3d_Make((double)node->lower[0][k], (double)node->lower[1][k], (double)node->lower[2][k]);
        upper = grzVec3d_Make((double)node->upper[0][k], (double)node->upper[1][k], (double)node->upper[2][k]);
    } else if (side->model != NULL) {
        lower = upper = grzModel_Corner(side->model, ref.index, 0);
        for (uint32_t k = 1; k < 3; ++k) {
            const grzVec3d corner = grzModel_Corner(side->model, ref.index, k);
            lower = grzVec3d_Min(lower, corner), upper = grzVec3d_Max(upper, corner);
        }
    }
    return (Box){grzVec3d_Scale(grzVec3d_Add(lower, upper), 0.5), grzVec3d_Scale(grzVec3d_Sub(upper, lower), 0.5)};
}

// At least from a box's middle to any point of it.
static double sizeOf(const SweepSide* side, const Box* box) {
    const double x = box->half.x * side->lengths[0], y = box->half.y * side->lengths[1];
    const double z = box->half.z * side->lengths[2];
    return side->spread * sqrt((x * x + y * y) + z * z);
}

// ---- opening ----

static void put(double to[3], grzVec3d v) {
    to[0] = v.x, to[1] = v.y, to[2] = v.z;
}

// The side that is opened; `apart` leads from its centre to the partner's.
static void setOpened(SweepOpen* open, const SweepSide* side, const SweepPlace* place, grzVec3d apart,
                      grzVec3d away) {
    for (int i = 0; i < 3; ++i) {
        put(open->columns[i], place->vectors[i]);
        put(open->directions[i], place->vectors[sweepNormal + i]);
        open->lengths[i] = side->lengths[i];
    }
    put(open->arm, place->vectors[sweepArm]);
    put(open->spin, side->path.axis);
    put(open->between, apart);
    put(open->closing, grzVec3d_Neg(away));
    open->rate = side->path.rate;
    open->spread = side->spread;
}

static void setPartner(SweepOpen* open, const SweepSide* side, const SweepPlace* place, const Box* box,
                       double error) {
    const double halves[3] = {box->half.x, box->half.y, box->half.z};
    const grzVec3d middle = grzSweepPlace_Point(place, box->middle);
    const double size = sizeOf(side, box);
    for (int i = 0; i < 3; ++i) {
        put(open->halves[i], grzVec3d_Scale(place->vectors[i], halves[i]));
        put(open->directions[3 + i], place->vectors[sweepNormal + i]);
    }
    open->between[0] += middle.x, open->between[1] += middle.y, open->between[2] += middle.z;
    put(open->otherSpin, side->path.axis);
    open->otherRate = side->path.rate;
    open->otherRadius = side->radius + error;
    open->otherSize = size + side->radius + error;
    open->otherReach[0] = grzSweepPath_Radius(&side->path, middle);
    open->otherReach[1] = open->otherReach[0] + size;
}

static bool goesBefore(const Entry* a, const Entry* b) {
    return a->t != b->t ? a->t < b->t : a->gap < b->gap;
}

// The earliest last; of equals, the first last.
static void pushChildren(Walk* walk, const Entry* from, int side, const SweepOpen* open) {
    const Ref opened = from->refs[side];
    const bool isLeaf = opened.level == walk->sweep->sides[side].model->leafLevel;
    Entry* entries = walk->entries + walk->count;
    uint32_t count = 0;
    for (uint32_t k = 0; k < GRZ_BVH_WIDTH; ++k) {
        Entry entry = *from;
        entry.t = from->t + open->steps[k] * (1 - 0x1p-30);
        entry.gap = open->gaps[k];
        entry.refs[side].level++;
        entry.refs[side].index = opened.index * (isLeaf ? GRZ_BVH_LEAF_TRIANGLES : GRZ_BVH_WIDTH) + k;
        if (!(open->node->lower[0][k] <= open->node->upper[0][k]) || !(entry.t < walk->sweep->limit))
            continue;
        uint32_t at = count++;
        for (; at > 0 && !goesBefore(&entry, &entries[at - 1]); --at)
            continue;
        for (uint32_t i = count - 1; i > at; --i)
            entries[i] = entries[i - 1];
        entries[at] = entry;
    }
    walk->count += count;
}

static void openEntry(Walk* walk, const Entry* entry, int side, const Box* partner) {
    const Sweep* sweep = walk->sweep;
    const SweepSide *own = &sweep->sides[side], *other = &sweep->sides[1 - side];
    const Ref ref = entry->refs[side];
    if (own->model->chunks != NULL && ref.level == own->model->chunks->level)
        grzModelChunks_Make(own->model->chunks, ref.index);
    _Alignas(64) grzBvhNode triangles; // kernels load whole rows
    SweepOpen open;
    SweepPlace place, otherPlace;
    grzVec3d apart = grzVec3d_Add(sweep->apart, grzVec3d_Scale(sweep->velocity, entry->t)), away = sweep->velocity;
    if (side == 1)
        apart = grzVec3d_Neg(apart), away = grzVec3d_Neg(away);
    grzSweepPath_At(&own->path, entry->t, sweepVectors, &place);
    grzSweepPath_At(&other->path, entry->t, sweepVectors, &otherPlace);
    setOpened(&open, own, &place, apart, away);
    setPartner(&open, other, &otherPlace, partner, 4 * sweep->error + own->slack + other->slack);
    open.node = &triangles;
    if (ref.level == own->model->leafLevel)
        setTriangleNode(&own->model->leaves[ref.index], &triangles);
    else
        open.node = own->model->levels[ref.level + 1] + ref.index;
    GRZ_PICK_KERNEL(grzSweepOpen)(&open);
    pushChildren(walk, entry, side, &open);
}

// ---- the walk ----

static uint32_t slotOf(const SweepSide* side, Ref ref) {
    return side->model == NULL ? GRZ_SWEEP_SHAPE : ref.index;
}

static SweepAdvance visit(Walk* walk, const Entry* entry, double* t) {
    Sweep* sweep = walk->sweep;
    const SweepSide* sides = sweep->sides;
    const bool areLast[2] = {isLast(&sides[0], entry->refs[0]), isLast(&sides[1], entry->refs[1])};
    *t = entry->t;
    if (areLast[0] && areLast[1]) {
        const SweepPart parts[2] = {grzSweep_Part(sweep, 0, slotOf(&sides[0], entry->refs[0])),
                                    grzSweep_Part(sweep, 1, slotOf(&sides[1], entry->refs[1]))};
        return grzSweep_AdvanceParts(sweep, parts, t);
    }
    if (sweep->steps == sweep->mostSteps)
        return sweepTired;
    sweep->steps++;
    const Box boxes[2] = {boxOf(&sides[0], entry->refs[0]), boxOf(&sides[1], entry->refs[1])};
    const bool isFirst =
        areLast[1] || (!areLast[0] && sizeOf(&sides[0], &boxes[0]) >= sizeOf(&sides[1], &boxes[1]));
    openEntry(walk, entry, isFirst ? 0 : 1, &boxes[isFirst ? 1 : 0]);
    return sweepBeaten;
}

// The earliest time of what is left and of what was found.
static double earliest(const Walk* walk, double t) {
    t = fmin(t, walk->sweep->limit);
    for (uint32_t i = 0; i < walk->count; ++i)
        t = fmin(t, walk->entries[i].t);
    return t;
}

SweepAdvance grzSweep_AdvanceModels(Sweep* sweep, double* t) {
    Walk walk;
    SweepAdvance found = sweepBeaten;
    walk.sweep = sweep;
    walk.count = 0;
    const bool isNone = (sweep->sides[0].model != NULL && sweep->sides[0].model->leafCount == 0) ||
                        (sweep->sides[1].model != NULL && sweep->sides[1].model->leafCount == 0);
    if (!isNone)
        walk.entries[walk.count++] = (Entry){{{0, 0}, {0, 0}}, 0, 0};
    while (walk.count != 0) {
        const Entry entry = walk.entries[--walk.count];
        double reached;
        if (!(entry.t < sweep->limit))
            continue;
        const SweepAdvance step = visit(&walk, &entry, &reached);
        if (step == sweepTouched)
            found = sweepTouched;
        if (step != sweepTired)
            continue;
        // What was found may still be the first, where all that is left begins no earlier.
        *t = earliest(&walk, reached);
        return found == sweepTouched && !(*t < sweep->limit) ? sweepTouched : sweepTired;
    }
    *t = sweep->limit;
    return found;
}
