// What: grzCcdRoots of ccd_kernel.h: eight pairs at a time, in doubles; below AVX-512 they are four and four.
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

#if GRZ_SIMD_IS(avx512)
#    define ROOT_LANES 8
#else
#    define ROOT_LANES 4 // of eight, most would be in memory, and the code would be twice as long
#endif
#define D(Verb) GRZ_SIMD_VERB(D, ROOT_LANES, Verb)
#define M(Verb) GRZ_SIMD_VERB(M, ROOT_LANES, Verb)

typedef GRZ_SIMD_TYPE(D, ROOT_LANES) Doubles;
typedef GRZ_SIMD_TYPE(M, ROOT_LANES) Mask;

enum { NEWTON_STEPS = 5 };

typedef struct RootCorner {
    Doubles at[2][3]; // [t][axis]
} RootCorner;

typedef struct RootPair {
    int count;
    RootCorner corners[4];
    Doubles size[3];
    Mask isBoxAway, isTame;
    Doubles volume[4], volumeError;
    Doubles areas[4][3], areaError; // seen along the widest axis
} RootPair;

// Verdicts about a piece of time; neither: in doubt.
typedef struct RootVerdict {
    Mask isApart, isTouch;
} RootVerdict;

GRZ_SIMD_INLINE Doubles negative(Doubles a) {
    return D(Sub)(D(Zero)(), a);
}

// a b - c d
GRZ_SIMD_INLINE Doubles minor(Doubles a, Doubles b, Doubles c, Doubles d) {
    return D(Sub)(D(Mul)(a, b), D(Mul)(c, d));
}

GRZ_SIMD_INLINE Mask none(void) {
    return M(FromBits)(0);
}

// ---- polynomials ----

GRZ_SIMD_PART void makeCorner(const CcdColumns* columns, int lane, int first, int second, RootCorner* corner) {
    for (int end = 0; end < 2; ++end)
        for (int axis = 0; axis < 3; ++axis)
            corner->at[end][axis] = D(Sub)(D(LoadAligned)(columns->at[end][first][axis] + lane),
                                           D(LoadAligned)(columns->at[end][second][axis] + lane));
}

GRZ_SIMD_PART void measure(RootPair* pair) {
    pair->isBoxAway = none();
    for (int axis = 0; axis < 3; ++axis) {
        Doubles lower = pair->corners[0].at[0][axis], upper = lower;
        for (int k = 0; k < pair->count; ++k)
            for (int end = 0; end < 2; ++end) {
                lower = D(Min)(lower, pair->corners[k].at[end][axis]);
                upper = D(Max)(upper, pair->corners[k].at[end][axis]);
            }
        pair->size[axis] = D(Max)(upper, negative(lower));
        pair->isBoxAway = M(Or)(pair->isBoxAway, M(Or)(D(Less)(D(Zero)(), lower), D(Less)(upper, D(Zero)())));
    }
    const Doubles least = D(Min)(D(Min)(pair->size[0], pair->size[1]), pair->size[2]);
    const Doubles most = D(Max)(D(Max)(pair->size[0], pair->size[1]), pair->size[2]);
    pair->isTame = M(And)(D(Less)(D(Set1)(0x1p-200), least), D(Less)(most, D(Set1)(0x1p200)));
}

GRZ_SIMD_PART void makeVolume(RootPair* pair) {
    const RootCorner *a = &pair->corners[0], *b = &pair->corners[1], *c = &pair->corners[pair->count - 1];
    Doubles* sums = pair->volume;
    for (int axis = 0; axis < 3; ++axis) {
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        const Doubles start = minor(a->at[0][u], b->at[0][v], a->at[0][v], b->at[0][u]);
        const Doubles end = minor(a->at[1][u], b->at[1][v], a->at[1][v], b->at[1][u]);
        // Twice the middle coefficient.
        const Doubles middle = D(Add)(minor(a->at[0][u], b->at[1][v], a->at[1][v], b->at[0][u]),
                                      minor(a->at[1][u], b->at[0][v], a->at[0][v], b->at[1][u]));
        const Doubles from = c->at[0][axis], to = c->at[1][axis];
        const Doubles parts[4] = {D(Mul)(start, from), D(Add)(D(Mul)(start, to), D(Mul)(middle, from)),
                                  D(Add)(D(Mul)(middle, to), D(Mul)(end, from)), D(Mul)(end, to)};
        for (int i = 0; i < 4; ++i)
            sums[i] = axis == 0 ? parts[i] : D(Add)(sums[i], parts[i]);
    }
    const Doubles third = D(Set1)(1.0 / 3); // off by less than u of itself, as a division
    sums[1] = D(Mul)(sums[1], third);
    sums[2] = D(Mul)(sums[2], third);
    pair->volumeError = D(Mul)(D(Set1)(128 * UNIT), D(Mul)(D(Mul)(pair->size[0], pair->size[1]), pair->size[2]));
}

// Twice the area that corners 0, 1 and the last one have in the middle of the time, seen along an axis, times four; in size.
GRZ_SIMD_PART Doubles widthAlong(const RootPair* pair, int axis) {
    const int last = pair->count - 1;
    Doubles sides[2][2];
    for (int c = 0; c < 2; ++c) {
        const int along = (axis + 1 + c) % 3;
        const Doubles base = D(Add)(pair->corners[0].at[0][along], pair->corners[0].at[1][along]);
        sides[0][c] = D(Sub)(D(Add)(pair->corners[1].at[0][along], pair->corners[1].at[1][along]), base);
        sides[1][c] = D(Sub)(D(Add)(pair->corners[last].at[0][along], pair->corners[last].at[1][along]), base);
    }
    return D(Abs)(minor(sides[0][0], sides[1][1], sides[0][1], sides[1][0]));
}

GRZ_SIMD_INLINE Doubles pick(Mask isFirst, Mask isSecond, Doubles first, Doubles second, Doubles third) {
    return D(Select)(isFirst, first, D(Select)(isSecond, second, third));
}

GRZ_SIMD_PART void makeAreas(RootPair* pair) {
    const Doubles widths[3] = {widthAlong(pair, 0), widthAlong(pair, 1), widthAlong(pair, 2)};
    const Mask isX = M(And)(D(LessEqual)(widths[1], widths[0]), D(LessEqual)(widths[2], widths[0]));
    const Mask isY = D(LessEqual)(widths[2], widths[1]);
    Doubles across[4][2][2]; // [corner][t][axis of two]
    for (int k = 0; k < pair->count; ++k)
        for (int end = 0; end < 2; ++end) {
            const Doubles* at = pair->corners[k].at[end];
            across[k][end][0] = pick(isX, isY, at[1], at[2], at[0]);
            across[k][end][1] = pick(isX, isY, at[2], at[0], at[1]);
        }
    for (int k = 0; k < pair->count; ++k) {
        Doubles(*a)[2] = across[k], (*b)[2] = across[(k + 1) % pair->count];
        pair->areas[k][0] = minor(a[0][0], b[0][1], a[0][1], b[0][0]);
        pair->areas[k][1] = D(Mul)(D(Set1)(0.5), D(Add)(minor(a[0][0], b[1][1], a[0][1], b[1][0]),
                                                        minor(a[1][0], b[0][1], a[1][1], b[0][0])));
        pair->areas[k][2] = minor(a[1][0], b[1][1], a[1][1], b[1][0]);
    }
    const Doubles size = D(Mul)(pick(isX, isY, pair->size[1], pair->size[2], pair->size[0]),
                                pick(isX, isY, pair->size[2], pair->size[0], pair->size[1]));
    pair->areaError = D(Mul)(D(Set1)(16 * UNIT), size);
}

// ---- pieces ----

GRZ_SIMD_INLINE Doubles between(Doubles a, Doubles b, Doubles t) {
    return D(Add)(D(Mul)(D(Sub)(D(Set1)(1), t), a), D(Mul)(t, b));
}

// Coefficients over [l, h].
GRZ_SIMD_PART void cutCubic(const Doubles c[4], Doubles l, Doubles h, Doubles piece[4]) {
    const Doubles l0 = between(c[0], c[1], l), l1 = between(c[1], c[2], l), l2 = between(c[2], c[3], l);
    const Doubles h0 = between(c[0], c[1], h), h1 = between(c[1], c[2], h), h2 = between(c[2], c[3], h);
    const Doubles ll0 = between(l0, l1, l), ll1 = between(l1, l2, l);
    const Doubles lh0 = between(l0, l1, h), lh1 = between(l1, l2, h);
    const Doubles hh0 = between(h0, h1, h), hh1 = between(h1, h2, h);
    piece[0] = between(ll0, ll1, l);
    piece[1] = between(ll0, ll1, h);
    piece[2] = between(lh0, lh1, h);
    piece[3] = between(hh0, hh1, h);
}

GRZ_SIMD_PART void cutQuadratic(const Doubles c[3], Doubles l, Doubles h, Doubles piece[3]) {
    const Doubles l0 = between(c[0], c[1], l), l1 = between(c[1], c[2], l);
    const Doubles h0 = between(c[0], c[1], h), h1 = between(c[1], c[2], h);
    piece[0] = between(l0, l1, l);
    piece[1] = between(l0, l1, h);
    piece[2] = between(h0, h1, h);
}

typedef struct RootSigns {
    Mask isAbove, isBelow; // all beyond the bound
} RootSigns;

GRZ_SIMD_PART RootSigns signsOf(const Doubles* values, int count, Doubles bound) {
    Doubles least = values[0], most = values[0];
    for (int i = 1; i < count; ++i) {
        least = D(Min)(least, values[i]);
        most = D(Max)(most, values[i]);
    }
    return (RootSigns){D(Less)(bound, least), D(Less)(most, negative(bound))};
}

GRZ_SIMD_INLINE Mask haveOneSign(const Doubles volume[4], Doubles bound) {
    const RootSigns signs = signsOf(volume, 4, bound);
    return M(Or)(signs.isAbove, signs.isBelow);
}

GRZ_SIMD_INLINE Mask changesSign(const Doubles volume[4], Doubles bound) {
    const RootSigns first = signsOf(volume, 1, bound), last = signsOf(volume + 3, 1, bound);
    return M(Or)(M(And)(first.isAbove, last.isBelow), M(And)(first.isBelow, last.isAbove));
}

// What areas over some piece say: that two differ; or that all agree.
typedef struct RootAreas {
    Mask differ, agree;
} RootAreas;

GRZ_SIMD_PART RootAreas compareAreas(Doubles areas[4][3], int count, Doubles bound) {
    Mask anyAbove = none(), anyBelow = none(), allAbove = M(FromBits)(~0u), allBelow = allAbove;
    for (int k = 0; k < count; ++k) {
        const RootSigns signs = signsOf(areas[k], 3, bound);
        anyAbove = M(Or)(anyAbove, signs.isAbove);
        anyBelow = M(Or)(anyBelow, signs.isBelow);
        allAbove = M(And)(allAbove, signs.isAbove);
        allBelow = M(And)(allBelow, signs.isBelow);
    }
    return (RootAreas){M(And)(anyAbove, anyBelow), M(Or)(allAbove, allBelow)};
}

// ---- roots, about ----

typedef struct RootPower {
    Doubles c[4]; // of the volume, c[0] + c[1] t + ..., about
} RootPower;

GRZ_SIMD_INLINE RootPower powerOf(const Doubles c[4]) {
    const Doubles three = D(Set1)(3), first = D(Sub)(c[1], c[0]), second = D(Sub)(c[2], c[1]);
    return (RootPower){{c[0], D(Mul)(three, first), D(Mul)(three, D(Sub)(second, first)),
                        D(Sub)(D(Sub)(c[3], c[0]), D(Mul)(three, second))}};
}

GRZ_SIMD_INLINE Doubles valueAt(const RootPower* p, Doubles t) {
    Doubles value = D(Add)(D(Mul)(p->c[3], t), p->c[2]);
    value = D(Add)(D(Mul)(value, t), p->c[1]);
    return D(Add)(D(Mul)(value, t), p->c[0]);
}

GRZ_SIMD_INLINE Doubles slopeAt(const RootPower* p, Doubles t) {
    const Doubles three = D(Mul)(D(Set1)(3), p->c[3]), two = D(Add)(p->c[2], p->c[2]);
    return D(Add)(D(Mul)(D(Add)(D(Mul)(three, t), two), t), p->c[1]);
}

// Into [lo, hi]; what is no number becomes hi.
GRZ_SIMD_INLINE Doubles clamp(Doubles t, Doubles lo, Doubles hi) {
    return D(Max)(D(Min)(t, hi), lo);
}

// Where a volume of one sign at both ends comes nearest to 0 between them, about; 1 where it does not turn.
GRZ_SIMD_PART Doubles turnOf(const RootPower* p, Doubles first) {
    const Mask isBelow = D(Less)(first, D(Zero)());
    Doubles q[3]; // the slope is q0 + 2 q1 t + q2 t^2, mirrored so that a least value is looked for
    q[0] = p->c[1];
    q[1] = p->c[2];
    q[2] = D(Mul)(D(Set1)(3), p->c[3]);
    for (int i = 0; i < 3; ++i)
        q[i] = D(Select)(isBelow, negative(q[i]), q[i]);
    const Doubles root = D(Sqrt)(D(Sub)(D(Mul)(q[1], q[1]), D(Mul)(q[0], q[2])));
    const Doubles rising = D(Div)(D(Sub)(root, q[1]), q[2]);
    const Doubles falling = D(Div)(negative(q[0]), D(Add)(q[1], root));
    return clamp(D(Select)(D(Less)(q[1], D(Zero)()), rising, falling), D(Zero)(), D(Set1)(1));
}

typedef struct RootGuess {
    Doubles at, step; // about; how far the last step went
} RootGuess;

// A root between, if the volume has different signs at lo and hi: by Newton's steps, but halves where they lead out of what is
// known to hold it.
GRZ_SIMD_PART RootGuess rootBetween(const RootPower* p, Doubles lo, Doubles hi) {
    const Doubles half = D(Set1)(0.5), zero = D(Zero)();
    const Mask isRising = D(Less)(valueAt(p, lo), valueAt(p, hi));
    RootGuess guess = {D(Mul)(half, D(Add)(lo, hi)), zero};
    for (int step = 0; step < NEWTON_STEPS; ++step) {
        const Doubles value = valueAt(p, guess.at);
        const Mask isAfter = M(Not)(M(Xor)(D(Less)(zero, value), isRising)); // the root is before
        hi = D(Select)(isAfter, guess.at, hi);
        lo = D(Select)(isAfter, lo, guess.at);
        const Doubles next = D(Sub)(guess.at, D(Div)(value, slopeAt(p, guess.at)));
        const Mask isWithin = M(And)(D(LessEqual)(lo, next), D(LessEqual)(next, hi));
        const Doubles better = D(Select)(isWithin, next, D(Mul)(half, D(Add)(lo, hi)));
        guess.step = D(Abs)(D(Sub)(better, guess.at));
        guess.at = better;
    }
    return guess;
}

// ---- verdicts ----

// Of [lo, hi], in which the volume has one root at most, else there is doubt; where it is empty: apart. A call: it is for
// two pieces of two kinds of pairs, and what it reads is in memory anyway.
GRZ_SIMD_CALL RootVerdict decideBetween(const RootPair* pair, const RootPower* p, Doubles lo, Doubles hi) {
    const RootGuess guess = rootBetween(p, lo, hi);
    const Doubles root = guess.at, volumeError = D(Add)(pair->volumeError, pair->volumeError);
    const Doubles areaError = D(Add)(pair->areaError, pair->areaError);
    const Doubles blur = D(Div)(D(Mul)(D(Set1)(4), volumeError), D(Abs)(slopeAt(p, root)));
    const Doubles reach = D(Add)(D(Set1)(0x1p-30), D(Min)(D(Add)(blur, guess.step), D(Set1)(0x1p-4)));
    const Doubles l = D(Max)(D(Sub)(root, reach), lo), h = D(Min)(D(Add)(root, reach), hi);
    Doubles before[4], within[4], after[4], areas[4][3];
    cutCubic(pair->volume, lo, l, before);
    cutCubic(pair->volume, l, h, within);
    cutCubic(pair->volume, h, hi, after);
    for (int k = 0; k < pair->count; ++k)
        cutQuadratic(pair->areas[k], l, h, areas[k]);
    const RootAreas signs = compareAreas(areas, pair->count, areaError);
    const Mask isClearBefore = M(Or)(haveOneSign(before, volumeError), D(LessEqual)(l, lo));
    const Mask isClearAfter = M(Or)(haveOneSign(after, volumeError), D(LessEqual)(hi, h));
    const Mask isClear = M(Or)(haveOneSign(within, volumeError), signs.differ);
    const Mask isApart = M(And)(isClear, M(And)(isClearBefore, isClearAfter));
    return (RootVerdict){M(Or)(isApart, D(LessEqual)(hi, lo)),
                         M(And)(signs.agree, changesSign(within, volumeError))};
}

// The whole time, cut at the turn where the volume has one sign at the ends.
GRZ_SIMD_PART RootVerdict decideRoots(const RootPair* pair) {
    const RootPower power = powerOf(pair->volume);
    const Doubles zero = D(Zero)(), one = D(Set1)(1);
    const Mask isSame = M(Not)(M(Xor)(D(Less)(pair->volume[0], zero), D(Less)(pair->volume[3], zero)));
    const Doubles turn = D(Select)(isSame, turnOf(&power, pair->volume[0]), one);
    RootVerdict verdict = decideBetween(pair, &power, zero, turn);
    if (!M(All)(D(LessEqual)(one, turn))) {
        const RootVerdict second = decideBetween(pair, &power, turn, one);
        verdict.isApart = M(And)(verdict.isApart, second.isApart);
        verdict.isTouch = M(Or)(verdict.isTouch, second.isTouch);
    }
    return verdict;
}

GRZ_SIMD_PART CcdRoots decidePairs(RootPair* pair) {
    measure(pair);
    makeVolume(pair);
    makeAreas(pair);
    const uint32_t tame = M(Bits)(pair->isTame), boxes = M(Bits)(pair->isBoxAway);
    const uint32_t volumes = M(Bits)(haveOneSign(pair->volume, pair->volumeError)) & tame & ~boxes;
    const RootAreas whole = compareAreas(pair->areas, pair->count, pair->areaError);
    const RootVerdict cut = decideRoots(pair);
    const Mask isTouch = M(Or)(M(And)(whole.agree, changesSign(pair->volume, pair->volumeError)), cut.isTouch);
    const uint32_t areas = M(Bits)(M(Or)(whole.differ, cut.isApart)) & tame;
    return (CcdRoots){boxes | volumes | areas, M(Bits)(isTouch) & tame, boxes, volumes};
}

// From this lane on. Calls, each of which knows its corners where it is compiled.
GRZ_SIMD_CALL CcdRoots decideFaces(const CcdColumns* columns, int lane) {
    RootPair pair;
    pair.count = 3;
    for (int k = 0; k < 3; ++k)
        makeCorner(columns, lane, k + 1, 0, &pair.corners[k]);
    return decidePairs(&pair);
}

GRZ_SIMD_CALL CcdRoots decideEdges(const CcdColumns* columns, int lane) {
    static const int edges[4][2] = {{0, 2}, {0, 3}, {1, 3}, {1, 2}};
    RootPair pair;
    pair.count = 4;
    for (int k = 0; k < 4; ++k)
        makeCorner(columns, lane, edges[k][0], edges[k][1], &pair.corners[k]);
    return decidePairs(&pair);
}

CcdRoots GRZ_KERNEL(grzCcdRoots)(const CcdColumns* columns, int isEdges) {
    CcdRoots all = {0, 0, 0, 0};
    for (int lane = 0; lane < CCD_LANES; lane += ROOT_LANES) {
        const CcdRoots some = isEdges ? decideEdges(columns, lane) : decideFaces(columns, lane);
        all.apart |= some.apart << lane;
        all.touch |= some.touch << lane;
        all.boxes |= some.boxes << lane;
        all.volumes |= some.volumes << lane;
    }
    return all;
}
