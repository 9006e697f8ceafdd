// What: grzCcdRoots of ccd_kernel.h: eight pairs at a time, in doubles.
// Idea: ccd_filter.c in lanes. The volume's roots are looked for by Newton's steps, which prove nothing; they tell where to cut
//   time. Cut around a root, it is nearly always plain what happens:
//
//   0 ---------- l [root] h ---------- 1      at most two roots, each in a piece of its own; else the pair is in doubt
//    volume has     |    volume has
//    one sign       |    one sign            no hit there
//          areas differ in sign              no hit between l and h either
//          areas agree, and the volume has different signs at l and h: a hit
//
// Holds: a polynomial over a piece is made by blossoms of the coefficients over the whole time, so that errors do not grow with
//   the number of cuts (docs/ccd.md). Pieces share their ends as the same numbers, so that nothing lies between them.
#include "ccd_kernel.h"

#include "simd.h"

#define UNIT 0x1p-53

enum { NEWTON_STEPS = 5 };

typedef struct RootCorner {
    grzD8 at[2][3]; // [t][axis]
} RootCorner;

typedef struct RootPair {
    int count;
    RootCorner corners[4];
    grzD8 size[3];
    grzM8 isBoxAway, isTame;
    grzD8 volume[4], volumeError;
    grzD8 areas[4][3], areaError; // seen along the widest axis
} RootPair;

// Verdicts about a piece of time; neither: in doubt.
typedef struct RootVerdict {
    grzM8 isApart, isTouch;
} RootVerdict;

GRZ_SIMD_INLINE grzD8 negative(grzD8 a) {
    return grzD8_Sub(grzD8_Zero(), a);
}

// a b - c d
GRZ_SIMD_INLINE grzD8 minor(grzD8 a, grzD8 b, grzD8 c, grzD8 d) {
    return grzD8_Sub(grzD8_Mul(a, b), grzD8_Mul(c, d));
}

GRZ_SIMD_INLINE grzM8 none(void) {
    return grzM8_FromBits(0);
}

// ---- polynomials ----

GRZ_SIMD_PART void makeCorner(const CcdColumns* columns, int first, int second, RootCorner* corner) {
    for (int end = 0; end < 2; ++end)
        for (int axis = 0; axis < 3; ++axis)
            corner->at[end][axis] = grzD8_Sub(grzD8_LoadAligned(columns->at[end][first][axis]),
                                              grzD8_LoadAligned(columns->at[end][second][axis]));
}

GRZ_SIMD_PART void measure(RootPair* pair) {
    pair->isBoxAway = none();
    for (int axis = 0; axis < 3; ++axis) {
        grzD8 lower = pair->corners[0].at[0][axis], upper = lower;
        for (int k = 0; k < pair->count; ++k)
            for (int end = 0; end < 2; ++end) {
                lower = grzD8_Min(lower, pair->corners[k].at[end][axis]);
                upper = grzD8_Max(upper, pair->corners[k].at[end][axis]);
            }
        pair->size[axis] = grzD8_Max(upper, negative(lower));
        pair->isBoxAway =
            grzM8_Or(pair->isBoxAway, grzM8_Or(grzD8_Less(grzD8_Zero(), lower), grzD8_Less(upper, grzD8_Zero())));
    }
    const grzD8 least = grzD8_Min(grzD8_Min(pair->size[0], pair->size[1]), pair->size[2]);
    const grzD8 most = grzD8_Max(grzD8_Max(pair->size[0], pair->size[1]), pair->size[2]);
    pair->isTame = grzM8_And(grzD8_Less(grzD8_Set1(0x1p-200), least), grzD8_Less(most, grzD8_Set1(0x1p200)));
}

GRZ_SIMD_PART void makeVolume(RootPair* pair) {
    const RootCorner *a = &pair->corners[0], *b = &pair->corners[1], *c = &pair->corners[pair->count - 1];
    grzD8* sums = pair->volume;
    for (int axis = 0; axis < 3; ++axis) {
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        const grzD8 start = minor(a->at[0][u], b->at[0][v], a->at[0][v], b->at[0][u]);
        const grzD8 end = minor(a->at[1][u], b->at[1][v], a->at[1][v], b->at[1][u]);
        // Twice the middle coefficient.
        const grzD8 middle = grzD8_Add(minor(a->at[0][u], b->at[1][v], a->at[1][v], b->at[0][u]),
                                       minor(a->at[1][u], b->at[0][v], a->at[0][v], b->at[1][u]));
        const grzD8 from = c->at[0][axis], to = c->at[1][axis];
        const grzD8 parts[4] = {grzD8_Mul(start, from), grzD8_Add(grzD8_Mul(start, to), grzD8_Mul(middle, from)),
                                grzD8_Add(grzD8_Mul(middle, to), grzD8_Mul(end, from)), grzD8_Mul(end, to)};
        for (int i = 0; i < 4; ++i)
            sums[i] = axis == 0 ? parts[i] : grzD8_Add(sums[i], parts[i]);
    }
    const grzD8 third = grzD8_Set1(1.0 / 3); // off by less than u of itself, as a division
    sums[1] = grzD8_Mul(sums[1], third);
    sums[2] = grzD8_Mul(sums[2], third);
    pair->volumeError =
        grzD8_Mul(grzD8_Set1(128 * UNIT), grzD8_Mul(grzD8_Mul(pair->size[0], pair->size[1]), pair->size[2]));
}

// Twice the area that corners 0, 1 and the last one have in the middle of the time, seen along an axis, times four; in size.
GRZ_SIMD_PART grzD8 widthAlong(const RootPair* pair, int axis) {
    const int last = pair->count - 1;
    grzD8 sides[2][2];
    for (int c = 0; c < 2; ++c) {
        const int along = (axis + 1 + c) % 3;
        const grzD8 base = grzD8_Add(pair->corners[0].at[0][along], pair->corners[0].at[1][along]);
        sides[0][c] = grzD8_Sub(grzD8_Add(pair->corners[1].at[0][along], pair->corners[1].at[1][along]), base);
        sides[1][c] =
            grzD8_Sub(grzD8_Add(pair->corners[last].at[0][along], pair->corners[last].at[1][along]), base);
    }
    return grzD8_Abs(minor(sides[0][0], sides[1][1], sides[0][1], sides[1][0]));
}

GRZ_SIMD_INLINE grzD8 pick(grzM8 isFirst, grzM8 isSecond, grzD8 first, grzD8 second, grzD8 third) {
    return grzD8_Select(isFirst, first, grzD8_Select(isSecond, second, third));
}

GRZ_SIMD_PART void makeAreas(RootPair* pair) {
    const grzD8 widths[3] = {widthAlong(pair, 0), widthAlong(pair, 1), widthAlong(pair, 2)};
    const grzM8 isX = grzM8_And(grzD8_LessEqual(widths[1], widths[0]), grzD8_LessEqual(widths[2], widths[0]));
    const grzM8 isY = grzD8_LessEqual(widths[2], widths[1]);
    grzD8 across[4][2][2]; // [corner][t][axis of two]
    for (int k = 0; k < pair->count; ++k)
        for (int end = 0; end < 2; ++end) {
            const grzD8* at = pair->corners[k].at[end];
            across[k][end][0] = pick(isX, isY, at[1], at[2], at[0]);
            across[k][end][1] = pick(isX, isY, at[2], at[0], at[1]);
        }
    for (int k = 0; k < pair->count; ++k) {
        grzD8(*a)[2] = across[k], (*b)[2] = across[(k + 1) % pair->count];
        pair->areas[k][0] = minor(a[0][0], b[0][1], a[0][1], b[0][0]);
        pair->areas[k][1] = grzD8_Mul(grzD8_Set1(0.5), grzD8_Add(minor(a[0][0], b[1][1], a[0][1], b[1][0]),
                                                                 minor(a[1][0], b[0][1], a[1][1], b[0][0])));
        pair->areas[k][2] = minor(a[1][0], b[1][1], a[1][1], b[1][0]);
    }
    const grzD8 size = grzD8_Mul(pick(isX, isY, pair->size[1], pair->size[2], pair->size[0]),
                                 pick(isX, isY, pair->size[2], pair->size[0], pair->size[1]));
    pair->areaError = grzD8_Mul(grzD8_Set1(16 * UNIT), size);
}

// ---- pieces ----

GRZ_SIMD_INLINE grzD8 between(grzD8 a, grzD8 b, grzD8 t) {
    return grzD8_Add(grzD8_Mul(grzD8_Sub(grzD8_Set1(1), t), a), grzD8_Mul(t, b));
}

// Coefficients over [l, h].
GRZ_SIMD_PART void cutCubic(const grzD8 c[4], grzD8 l, grzD8 h, grzD8 piece[4]) {
    const grzD8 l0 = between(c[0], c[1], l), l1 = between(c[1], c[2], l), l2 = between(c[2], c[3], l);
    const grzD8 h0 = between(c[0], c[1], h), h1 = between(c[1], c[2], h), h2 = between(c[2], c[3], h);
    const grzD8 ll0 = between(l0, l1, l), ll1 = between(l1, l2, l);
    const grzD8 lh0 = between(l0, l1, h), lh1 = between(l1, l2, h);
    const grzD8 hh0 = between(h0, h1, h), hh1 = between(h1, h2, h);
    piece[0] = between(ll0, ll1, l);
    piece[1] = between(ll0, ll1, h);
    piece[2] = between(lh0, lh1, h);
    piece[3] = between(hh0, hh1, h);
}

GRZ_SIMD_PART void cutQuadratic(const grzD8 c[3], grzD8 l, grzD8 h, grzD8 piece[3]) {
    const grzD8 l0 = between(c[0], c[1], l), l1 = between(c[1], c[2], l);
    const grzD8 h0 = between(c[0], c[1], h), h1 = between(c[1], c[2], h);
    piece[0] = between(l0, l1, l);
    piece[1] = between(l0, l1, h);
    piece[2] = between(h0, h1, h);
}

typedef struct RootSigns {
    grzM8 isAbove, isBelow; // all beyond the bound
} RootSigns;

GRZ_SIMD_PART RootSigns signsOf(const grzD8* values, int count, grzD8 bound) {
    grzD8 least = values[0], most = values[0];
    for (int i = 1; i < count; ++i) {
        least = grzD8_Min(least, values[i]);
        most = grzD8_Max(most, values[i]);
    }
    return (RootSigns){grzD8_Less(bound, least), grzD8_Less(most, negative(bound))};
}

GRZ_SIMD_INLINE grzM8 haveOneSign(const grzD8 volume[4], grzD8 bound) {
    const RootSigns signs = signsOf(volume, 4, bound);
    return grzM8_Or(signs.isAbove, signs.isBelow);
}

GRZ_SIMD_INLINE grzM8 changesSign(const grzD8 volume[4], grzD8 bound) {
    const RootSigns first = signsOf(volume, 1, bound), last = signsOf(volume + 3, 1, bound);
    return grzM8_Or(grzM8_And(first.isAbove, last.isBelow), grzM8_And(first.isBelow, last.isAbove));
}

// What areas over some piece say: that two differ; or that all agree.
typedef struct RootAreas {
    grzM8 differ, agree;
} RootAreas;

GRZ_SIMD_PART RootAreas compareAreas(grzD8 areas[4][3], int count, grzD8 bound) {
    grzM8 anyAbove = none(), anyBelow = none(), allAbove = grzM8_FromBits(255), allBelow = allAbove;
    for (int k = 0; k < count; ++k) {
        const RootSigns signs = signsOf(areas[k], 3, bound);
        anyAbove = grzM8_Or(anyAbove, signs.isAbove);
        anyBelow = grzM8_Or(anyBelow, signs.isBelow);
        allAbove = grzM8_And(allAbove, signs.isAbove);
        allBelow = grzM8_And(allBelow, signs.isBelow);
    }
    return (RootAreas){grzM8_And(anyAbove, anyBelow), grzM8_Or(allAbove, allBelow)};
}

// ---- roots, about ----

typedef struct RootPower {
    grzD8 c[4]; // of the volume, c[0] + c[1] t + ..., about
} RootPower;

GRZ_SIMD_INLINE RootPower powerOf(const grzD8 c[4]) {
    const grzD8 three = grzD8_Set1(3), first = grzD8_Sub(c[1], c[0]), second = grzD8_Sub(c[2], c[1]);
    return (RootPower){{c[0], grzD8_Mul(three, first), grzD8_Mul(three, grzD8_Sub(second, first)),
                        grzD8_Sub(grzD8_Sub(c[3], c[0]), grzD8_Mul(three, second))}};
}

GRZ_SIMD_INLINE grzD8 valueAt(const RootPower* p, grzD8 t) {
    grzD8 value = grzD8_Add(grzD8_Mul(p->c[3], t), p->c[2]);
    value = grzD8_Add(grzD8_Mul(value, t), p->c[1]);
    return grzD8_Add(grzD8_Mul(value, t), p->c[0]);
}

GRZ_SIMD_INLINE grzD8 slopeAt(const RootPower* p, grzD8 t) {
    const grzD8 three = grzD8_Mul(grzD8_Set1(3), p->c[3]), two = grzD8_Add(p->c[2], p->c[2]);
    return grzD8_Add(grzD8_Mul(grzD8_Add(grzD8_Mul(three, t), two), t), p->c[1]);
}

// Into [lo, hi]; what is no number becomes hi.
GRZ_SIMD_INLINE grzD8 clamp(grzD8 t, grzD8 lo, grzD8 hi) {
    return grzD8_Max(grzD8_Min(t, hi), lo);
}

// Where a volume of one sign at both ends comes nearest to 0 between them, about; 1 where it does not turn.
GRZ_SIMD_PART grzD8 turnOf(const RootPower* p, grzD8 first) {
    const grzM8 isBelow = grzD8_Less(first, grzD8_Zero());
    grzD8 q[3]; // the slope is q0 + 2 q1 t + q2 t^2, mirrored so that a least value is looked for
    q[0] = p->c[1];
    q[1] = p->c[2];
    q[2] = grzD8_Mul(grzD8_Set1(3), p->c[3]);
    for (int i = 0; i < 3; ++i)
        q[i] = grzD8_Select(isBelow, negative(q[i]), q[i]);
    const grzD8 root = grzD8_Sqrt(grzD8_Sub(grzD8_Mul(q[1], q[1]), grzD8_Mul(q[0], q[2])));
    const grzD8 rising = grzD8_Div(grzD8_Sub(root, q[1]), q[2]);
    const grzD8 falling = grzD8_Div(negative(q[0]), grzD8_Add(q[1], root));
    return clamp(grzD8_Select(grzD8_Less(q[1], grzD8_Zero()), rising, falling), grzD8_Zero(), grzD8_Set1(1));
}

typedef struct RootGuess {
    grzD8 at, step; // about; how far the last step went
} RootGuess;

// A root between, if the volume has different signs at lo and hi: by Newton's steps, but halves where they lead out of what is
// known to hold it.
GRZ_SIMD_PART RootGuess rootBetween(const RootPower* p, grzD8 lo, grzD8 hi) {
    const grzD8 half = grzD8_Set1(0.5), zero = grzD8_Zero();
    const grzM8 isRising = grzD8_Less(valueAt(p, lo), valueAt(p, hi));
    RootGuess guess = {grzD8_Mul(half, grzD8_Add(lo, hi)), zero};
    for (int step = 0; step < NEWTON_STEPS; ++step) {
        const grzD8 value = valueAt(p, guess.at);
        const grzM8 isAfter = grzM8_Not(grzM8_Xor(grzD8_Less(zero, value), isRising)); // the root is before
        hi = grzD8_Select(isAfter, guess.at, hi);
        lo = grzD8_Select(isAfter, lo, guess.at);
        const grzD8 next = grzD8_Sub(guess.at, grzD8_Div(value, slopeAt(p, guess.at)));
        const grzM8 isWithin = grzM8_And(grzD8_LessEqual(lo, next), grzD8_LessEqual(next, hi));
        const grzD8 better = grzD8_Select(isWithin, next, grzD8_Mul(half, grzD8_Add(lo, hi)));
        guess.step = grzD8_Abs(grzD8_Sub(better, guess.at));
        guess.at = better;
    }
    return guess;
}

// ---- verdicts ----

// Of [lo, hi], in which the volume has one root at most, else there is doubt; where it is empty: apart.
GRZ_SIMD_PART RootVerdict decideBetween(const RootPair* pair, const RootPower* p, grzD8 lo, grzD8 hi) {
    const RootGuess guess = rootBetween(p, lo, hi);
    const grzD8 root = guess.at, volumeError = grzD8_Add(pair->volumeError, pair->volumeError);
    const grzD8 areaError = grzD8_Add(pair->areaError, pair->areaError);
    const grzD8 blur = grzD8_Div(grzD8_Mul(grzD8_Set1(4), volumeError), grzD8_Abs(slopeAt(p, root)));
    const grzD8 reach = grzD8_Add(grzD8_Set1(0x1p-30), grzD8_Min(grzD8_Add(blur, guess.step), grzD8_Set1(0x1p-4)));
    const grzD8 l = grzD8_Max(grzD8_Sub(root, reach), lo), h = grzD8_Min(grzD8_Add(root, reach), hi);
    grzD8 before[4], within[4], after[4], areas[4][3];
    cutCubic(pair->volume, lo, l, before);
    cutCubic(pair->volume, l, h, within);
    cutCubic(pair->volume, h, hi, after);
    for (int k = 0; k < pair->count; ++k)
        cutQuadratic(pair->areas[k], l, h, areas[k]);
    const RootAreas signs = compareAreas(areas, pair->count, areaError);
    const grzM8 isClearBefore = grzM8_Or(haveOneSign(before, volumeError), grzD8_LessEqual(l, lo));
    const grzM8 isClearAfter = grzM8_Or(haveOneSign(after, volumeError), grzD8_LessEqual(hi, h));
    const grzM8 isClear = grzM8_Or(haveOneSign(within, volumeError), signs.differ);
    const grzM8 isApart = grzM8_And(isClear, grzM8_And(isClearBefore, isClearAfter));
    return (RootVerdict){grzM8_Or(isApart, grzD8_LessEqual(hi, lo)),
                         grzM8_And(signs.agree, changesSign(within, volumeError))};
}

// The whole time, cut at the turn where the volume has one sign at the ends.
GRZ_SIMD_PART RootVerdict decideRoots(const RootPair* pair) {
    const RootPower power = powerOf(pair->volume);
    const grzD8 zero = grzD8_Zero(), one = grzD8_Set1(1);
    const grzM8 isSame = grzM8_Not(grzM8_Xor(grzD8_Less(pair->volume[0], zero), grzD8_Less(pair->volume[3], zero)));
    const grzD8 turn = grzD8_Select(isSame, turnOf(&power, pair->volume[0]), one);
    RootVerdict verdict = decideBetween(pair, &power, zero, turn);
    if (!grzM8_All(grzD8_LessEqual(one, turn))) {
        const RootVerdict second = decideBetween(pair, &power, turn, one);
        verdict.isApart = grzM8_And(verdict.isApart, second.isApart);
        verdict.isTouch = grzM8_Or(verdict.isTouch, second.isTouch);
    }
    return verdict;
}

GRZ_SIMD_PART CcdRoots decidePairs(RootPair* pair) {
    measure(pair);
    makeVolume(pair);
    makeAreas(pair);
    const uint32_t tame = grzM8_Bits(pair->isTame), boxes = grzM8_Bits(pair->isBoxAway);
    const uint32_t volumes = grzM8_Bits(haveOneSign(pair->volume, pair->volumeError)) & tame & ~boxes;
    const RootAreas whole = compareAreas(pair->areas, pair->count, pair->areaError);
    const RootVerdict cut = decideRoots(pair);
    const grzM8 isTouch =
        grzM8_Or(grzM8_And(whole.agree, changesSign(pair->volume, pair->volumeError)), cut.isTouch);
    const uint32_t areas = grzM8_Bits(grzM8_Or(whole.differ, cut.isApart)) & tame;
    return (CcdRoots){boxes | volumes | areas, grzM8_Bits(isTouch) & tame, boxes, volumes};
}

CcdRoots GRZ_KERNEL(grzCcdRoots)(const CcdColumns* columns, int isEdges) {
    static const int edges[4][2] = {{0, 2}, {0, 3}, {1, 3}, {1, 2}};
    RootPair pair;
    if (!isEdges) {
        pair.count = 3;
        for (int k = 0; k < 3; ++k)
            makeCorner(columns, k + 1, 0, &pair.corners[k]);
        return decidePairs(&pair);
    }
    pair.count = 4;
    for (int k = 0; k < 4; ++k)
        makeCorner(columns, edges[k][0], edges[k][1], &pair.corners[k]);
    return decidePairs(&pair);
}
