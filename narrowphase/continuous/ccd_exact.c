// What: ccd_exact.h.
// Idea: along each axis the numbers are multiples of a power of two; those units are taken out, which changes no sign. The
//   corners are A + t D in whole numbers, the volume C is a cubic in t, the areas are quadratics.
//
//   C is not zero throughout    touching happens at its roots in [0, 1] only. There are three at most; the ends are looked at
//       first, roots between are rational, or alone in an interval of which the ends are (cutting it below), and at each the
//       signs of the areas decide (wide_root.h).
//   C is zero throughout        all stays in planes through the origin. If it is not in the polygon at first, it comes in
//   through a
//       side: then the side's three areas are zero at once, at a common root.
//
//   Inside, at a time when C is zero: seen along some axis, all areas have one sign, and not all are zero. If all are zero
//   along all axes, everything lies on a line through the origin, which is inside where the corners do not all lie on one side
//   of it.
//
//   Cutting. Where a cubic has three roots, its turning point i = -c2 / 3 c3 and the root r of the remainder of C by its
//   derivative lie one in each gap: let C = x^3 + p x + q, x = t - i, q > 0. Three roots: 4 p^3 + 27 q^2 < 0, so p < 0, and r
//   = -3q / 2p > 0; C(r) = -q (4 p^3 + 27 q^2) / 8 p^3 < 0 < C(0). So the first root is below i, and r parts the others. (q <
//   0: mirrored; q = 0: i is a root.) Where two roots are one, it is r.
//
// Cost: with numbers of b bits, volumes have 3b, areas 2b, and the greatest number is one of 16b (the area at r of wide_root.c).
// Based on: [Brochu, Edwards and Bridson, Efficient Geometrically Exact Continuous Collision Detection, SIGGRAPH 2012], who count
//   crossings of a ray with the boundary of the swept region and so find an odd number of hits; we find the hits themselves.
#include "ccd_exact.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "wide_number.h"

enum { AXES = 3, SMALL = 2048, LARGE = 16384 }; // words of room

typedef struct Motion {
    WideSpace* space;
    int cornerCount;
    WidePoly corners[CCD_CORNERS][AXES]; // degree 1 at most
    WidePoly areas[CCD_CORNERS][AXES];   // of the side from corner k to the next one; made where asked for
    bool hasAreas[AXES];
    bool isShort[AXES]; // all numbers of the corners
    WidePoly volume;
    WideNumber* first; // when; NULL: nobody asks
} Motion;

// ---- whole numbers ----

// The unit of an axis, as an exponent; false where there are too many bits.
static bool unitOf(const CcdPolygon* polygon, int axis, int* unit) {
    int lowest = INT_MAX, highest = INT_MIN;
    for (int end = 0; end < 2; ++end)
        for (int i = 0; i < 4; ++i) {
            const WideParts parts = grzWide_PartsOf(polygon->points[end][i][axis]);
            if (parts.bits == 0)
                continue;
            const int last = parts.exponent + __builtin_ctzll(parts.bits);
            const int first = parts.exponent + 64 - __builtin_clzll(parts.bits);
            lowest = last < lowest ? last : lowest;
            highest = first > highest ? first : highest;
        }
    *unit = lowest == INT_MAX ? 0 : lowest;
    return lowest == INT_MAX || highest - lowest <= CCD_EXACT_BITS;
}

// Corner k along an axis, at both ends.
static void makeCorners(Motion* motion, const CcdPolygon* polygon, int axis, int unit) {
    WideInt points[2][4];
    for (int end = 0; end < 2; ++end)
        for (int i = 0; i < 4; ++i)
            points[end][i] = grzWide_FromDouble(motion->space, polygon->points[end][i][axis], -unit);
    motion->isShort[axis] = true;
    for (int k = 0; k < motion->cornerCount; ++k) {
        WidePoly* corner = &motion->corners[k][axis];
        const WideInt* start = points[0];
        const WideInt* stop = points[1];
        const int a = polygon->first[k], b = polygon->second[k];
        memset(corner, 0, sizeof *corner);
        corner->c[0] = grzWide_Difference(motion->space, start[a], start[b]);
        const WideInt last = grzWide_Difference(motion->space, stop[a], stop[b]);
        corner->c[1] = grzWide_Difference(motion->space, last, corner->c[0]);
        motion->isShort[axis] =
            motion->isShort[axis] && grzWide_IsShort(corner->c[0]) && grzWide_IsShort(corner->c[1]);
        grzWidePoly_Trim(corner);
    }
}

// ---- polynomials ----

static WidePoly multiply(WideSpace* space, const WidePoly* a, const WidePoly* b) {
    WidePoly product;
    memset(&product, 0, sizeof product);
    for (int i = 0; i <= a->degree; ++i)
        for (int j = 0; j <= b->degree; ++j)
            product.c[i + j] = grzWide_Sum(space, product.c[i + j], grzWide_Product(space, a->c[i], b->c[j]));
    grzWidePoly_Trim(&product);
    return product;
}

static WidePoly combine(WideSpace* space, const WidePoly* a, const WidePoly* b, int sign) {
    WidePoly sum;
    for (int i = 0; i <= WIDE_POLY_DEGREE; ++i)
        sum.c[i] = grzWide_Sum(space, a->c[i], sign > 0 ? b->c[i] : grzWide_Negative(b->c[i]));
    grzWidePoly_Trim(&sum);
    return sum;
}

// The same where numbers are short, as they nearly always are: four of degree 1, a b - c d.
static WidePoly crossShort(WideSpace* space, const WidePoly* const of[4]) {
    int64_t p[4], d[4]; // at 0, and what is added by 1
    for (int i = 0; i < 4; ++i) {
        p[i] = grzWide_Short(of[i]->c[0]);
        d[i] = grzWide_Short(of[i]->c[1]);
    }
    WidePoly area;
    memset(&area, 0, sizeof area);
    area.c[0] = grzWide_Minor(space, p);
    area.c[1] = grzWide_TwoMinors(space, (const int64_t[8]){p[0], d[1], p[2], d[3], d[0], p[1], d[2], p[3]});
    area.c[2] = grzWide_Minor(space, d);
    grzWidePoly_Trim(&area);
    return area;
}

// The component of the cross product of two corners along an axis.
static WidePoly cross(const Motion* motion, int i, int j, int axis) {
    const int u = (axis + 1) % AXES, v = (axis + 2) % AXES;
    if (motion->isShort[u] && motion->isShort[v]) {
        const WidePoly* const of[4] = {&motion->corners[i][u], &motion->corners[j][v], &motion->corners[i][v],
                                       &motion->corners[j][u]};
        return crossShort(motion->space, of);
    }
    const WidePoly one = multiply(motion->space, &motion->corners[i][u], &motion->corners[j][v]);
    const WidePoly other = multiply(motion->space, &motion->corners[i][v], &motion->corners[j][u]);
    return combine(motion->space, &one, &other, -1);
}

static void makeVolume(Motion* motion) {
    const int last = motion->cornerCount - 1;
    memset(&motion->volume, 0, sizeof motion->volume);
    motion->volume.degree = -1;
    for (int axis = 0; axis < AXES; ++axis) {
        const WidePoly area = cross(motion, 0, 1, axis);
        const WidePoly part = multiply(motion->space, &area, &motion->corners[last][axis]);
        motion->volume = combine(motion->space, &motion->volume, &part, 1);
    }
}

static const WidePoly* areaOf(Motion* motion, int side, int axis) {
    if (!motion->hasAreas[axis]) {
        for (int k = 0; k < motion->cornerCount; ++k)
            motion->areas[k][axis] = cross(motion, k, (k + 1) % motion->cornerCount, axis);
        motion->hasAreas[axis] = true;
    }
    return &motion->areas[side][axis];
}

// ---- at a time ----

// A rational time, or a root.
typedef struct When {
    const WideRoot* root; // NULL: at `at`
    WideRatio at;
} When;

static int signWhen(const Motion* motion, const When* when, const WidePoly* poly) {
    return when->root != NULL ? grzWideRoot_Sign(motion->space, when->root, poly)
                              : grzWidePoly_SignAt(motion->space, poly, when->at);
}

// Bits: 1: some are positive; 2: some are negative.
static int signBit(int sign) {
    return sign > 0 ? 1 : sign < 0 ? 2 : 0;
}

// Whether the origin lies between some corners along each axis.
static bool liesBetween(const Motion* motion, const When* when, const int* corners, int count) {
    for (int axis = 0; axis < AXES; ++axis) {
        int signs = 0;
        bool isZero = false;
        for (int i = 0; i < count; ++i) {
            const int sign = signWhen(motion, when, &motion->corners[corners[i]][axis]);
            signs |= signBit(sign);
            isZero = isZero || sign == 0;
        }
        if (signs != 3 && !isZero)
            return false;
    }
    return true;
}

// The volume is zero then.
static bool isInside(Motion* motion, const When* when) {
    static const int all[CCD_CORNERS] = {0, 1, 2, 3};
    for (int axis = 0; axis < AXES; ++axis) {
        int signs = 0;
        for (int k = 0; k < motion->cornerCount && signs != 3; ++k) {
            const WidePoly* area = areaOf(motion, k, axis);
            signs |= signBit(signWhen(motion, when, area));
        }
        if (signs != 0)
            return signs != 3;
    }
    return liesBetween(motion, when, all, motion->cornerCount);
}

// Writes down when they touch. Always true.
static bool tell(const Motion* motion, const When* when) {
    if (motion->first != NULL)
        *motion->first =
            when->root != NULL ? grzWideNumber_FromRoot(when->root) : grzWideNumber_FromRatio(when->at);
    return true;
}

// ---- roots in ]0, 1[ ----

// Cuts ]0, 1[ so that a polynomial has one root at most in each piece.
typedef struct Cut {
    WideRatio at;
    int before, after; // signs of the polynomial beside it
    bool isRoot;
} Cut;

typedef struct Cuts {
    Cut cuts[4];
    int count;
} Cuts;

static WideRatio wholeNumber(WideSpace* space, int number) {
    return (WideRatio){grzWide_FromInt(space, number), grzWide_FromInt(space, 1)};
}

static void addCut(Cuts* cuts, WideRatio at, int before, int after, bool isRoot) {
    if (at.above.sign > 0 && grzWide_Compare(at.above, at.below) < 0)
        cuts->cuts[cuts->count++] = (Cut){at, before, after, isRoot};
}

static void cutQuadratic(WideSpace* space, const WidePoly* poly, Cuts* cuts) {
    const int discriminant = grzWidePoly_Discriminant(space, poly), lead = poly->c[2].sign;
    if (discriminant < 0)
        return;
    const int sign = discriminant > 0 ? -lead : lead;
    addCut(cuts, grzWidePoly_Vertex(space, poly), sign, sign, discriminant == 0);
}

// Numbers of a cubic c3 t^3 + ...: its bend h = c2^2 - 3 c1 c3, and k = 9 c0 c3 - c1 c2, of which the root of the remainder by
// the derivative is k / 2h; and g = c1^2 - 3 c0 c2, with which the discriminant is (4 h g - k^2) / 3.
typedef struct CubicNumbers {
    WideInt bend, k;
    int discriminant; // its sign
} CubicNumbers;

static CubicNumbers numbersOf(WideSpace* space, const WideInt c[4]) {
    CubicNumbers numbers;
    numbers.bend = grzWide_Difference(space, grzWide_Product(space, c[2], c[2]),
                                      grzWide_Multiple(space, grzWide_Product(space, c[1], c[3]), 3));
    numbers.k = grzWide_Difference(space, grzWide_Multiple(space, grzWide_Product(space, c[0], c[3]), 9),
                                   grzWide_Product(space, c[1], c[2]));
    const WideInt g = grzWide_Difference(space, grzWide_Product(space, c[1], c[1]),
                                         grzWide_Multiple(space, grzWide_Product(space, c[0], c[2]), 3));
    numbers.discriminant = grzWide_Compare(grzWide_Multiple(space, grzWide_Product(space, numbers.bend, g), 4),
                                           grzWide_Product(space, numbers.k, numbers.k));
    return numbers;
}

static void cutCubic(WideSpace* space, const WidePoly* poly, Cuts* cuts) {
    const int lead = poly->c[3].sign;
    const CubicNumbers numbers = numbersOf(space, poly->c);
    if (numbers.discriminant < 0)
        return;
    const WideRatio turn = grzWideRatio_Make(grzWide_Negative(poly->c[2]), grzWide_Multiple(space, poly->c[3], 3));
    if (numbers.bend.sign == 0) { // all three are one
        addCut(cuts, turn, -lead, lead, true);
        return;
    }
    const WideRatio rest = grzWideRatio_Make(numbers.k, grzWide_Multiple(space, numbers.bend, 2));
    const int sign = grzWidePoly_SignAt(space, poly, turn);
    if (numbers.discriminant == 0) {
        addCut(cuts, rest, sign, sign, true);
    } else if (sign == 0) {
        addCut(cuts, turn, lead, -lead, true);
    } else if (sign == lead) {
        addCut(cuts, turn, sign, sign, false);
        addCut(cuts, rest, -sign, -sign, false);
    } else {
        addCut(cuts, rest, -sign, -sign, false);
        addCut(cuts, turn, sign, sign, false);
    }
}

static void cutLine(const WidePoly* poly, Cuts* cuts) {
    const int rises = poly->c[1].sign;
    addCut(cuts, grzWideRatio_Make(grzWide_Negative(poly->c[0]), poly->c[1]), -rises, rises, true);
}

typedef bool AtRootFn(Motion* motion, const When* when, const void* context);

// Calls `look` for each root of a polynomial in ]0, 1[, in ascending order, until it says true. Whether it did.
static bool findRoot(Motion* motion, const WidePoly* poly, AtRootFn* look, const void* context) {
    WideSpace* space = motion->space;
    Cuts cuts = {.count = 0};
    if (poly->degree == 3)
        cutCubic(space, poly, &cuts);
    else if (poly->degree == 2)
        cutQuadratic(space, poly, &cuts);
    else if (poly->degree == 1)
        cutLine(poly, &cuts);
    const WideRatio zero = wholeNumber(space, 0), one = wholeNumber(space, 1);
    Cut from = {zero, 0, grzWidePoly_SignBeside(space, poly, zero, 1), false};
    cuts.cuts[cuts.count] = (Cut){one, grzWidePoly_SignBeside(space, poly, one, -1), 0, false};
    for (int i = 0; i <= cuts.count; ++i) {
        const Cut* to = &cuts.cuts[i];
        const WideRoot root = {poly, from.at, to->at, from.after};
        const When between = {&root, zero}, at = {NULL, to->at};
        if ((from.after != to->before && look(motion, &between, context)) ||
            (to->isRoot && look(motion, &at, context)))
            return true;
        from = *to;
    }
    return false;
}

// ---- when all stays in planes through the origin ----

static bool lookBetween(Motion* motion, const When* when, const void* context) {
    return liesBetween(motion, when, context, 2) && tell(motion, when);
}

// All along some axes are polynomials: what divides all of them; the degree is -1 where they are all 0.
static WidePoly commonDivisor(WideSpace* space, const WidePoly* const polys[AXES]) {
    WidePoly common = {.degree = -1};
    for (int axis = 0; axis < AXES; ++axis) {
        WidePoly other = *polys[axis];
        while (other.degree >= 0) {
            if (common.degree < other.degree) {
                const WidePoly swap = common;
                common = other;
                other = swap;
                continue;
            }
            if (other.degree == 0)
                return other;
            int power;
            const WidePoly rest = grzWidePoly_Remainder(space, &common, &other, &power);
            common = other;
            other = rest;
        }
    }
    return common;
}

static bool lookNowhere(Motion* motion, const When* when, const void* context) {
    (void)context;
    return tell(motion, when);
}

// Whether the origin meets a side that it has not met at time 0, before time 1.
static bool meetsSide(Motion* motion, int side) {
    const int corners[2] = {side, (side + 1) % motion->cornerCount};
    const WidePoly* areas[AXES];
    for (int axis = 0; axis < AXES; ++axis)
        areas[axis] = areaOf(motion, side, axis);
    const WidePoly common = commonDivisor(motion->space, areas);
    if (common.degree >= 0)
        return findRoot(motion, &common, lookBetween, corners);
    // On a line with the origin throughout: it comes in where the end of the side is.
    const WidePoly* places[AXES];
    for (int axis = 0; axis < AXES; ++axis)
        places[axis] = &motion->corners[side][axis];
    const WidePoly arrival = commonDivisor(motion->space, places);
    return findRoot(motion, &arrival, lookNowhere, NULL);
}

// The first time of all sides is the least; where nobody asks for it, one is enough.
static bool touchesInPlanes(Motion* motion) {
    WideNumber* asked = motion->first;
    WideNumber time;
    motion->first = asked != NULL ? &time : NULL;
    bool isTouching = false;
    for (int side = 0; side < motion->cornerCount && (asked != NULL || !isTouching); ++side) {
        if (!meetsSide(motion, side))
            continue;
        if (asked != NULL && (!isTouching || grzWideNumber_Compare(motion->space, &time, asked) < 0))
            *asked = time;
        isTouching = true;
    }
    motion->first = asked;
    return isTouching;
}

// ---- in time ----

static bool lookInside(Motion* motion, const When* when, const void* context) {
    (void)context;
    return isInside(motion, when) && tell(motion, when);
}

static bool touchesAtEnd(Motion* motion, int end) {
    const When when = {NULL, wholeNumber(motion->space, end)};
    return grzWidePoly_SignAt(motion->space, &motion->volume, when.at) == 0 && isInside(motion, &when) &&
           tell(motion, &when);
}

// In the order of time, as far as it is asked for: the planes' first times are looked for among all sides.
static bool touches(Motion* motion) {
    makeVolume(motion);
    return touchesAtEnd(motion, 0) ||
           (motion->volume.degree < 0 ? touchesInPlanes(motion)
                                      : findRoot(motion, &motion->volume, lookInside, NULL)) ||
           touchesAtEnd(motion, 1);
}

// ---- all of it ----

typedef struct Question {
    const CcdPolygon* polygon;
    int units[AXES];
    int depth;
    CcdSpan* span;
} Question;

static bool hasUnits(const CcdPolygon* polygon, int units[AXES]) {
    for (int axis = 0; axis < AXES; ++axis)
        if (!unitOf(polygon, axis, &units[axis]))
            return false;
    return true;
}

static bool decideIn(WideSpace* space, const CcdPolygon* polygon, const int units[AXES], WideNumber* first) {
    Motion motion;
    memset(&motion, 0, sizeof motion);
    motion.space = space;
    motion.first = first;
    motion.cornerCount = polygon->cornerCount;
    for (int axis = 0; axis < AXES; ++axis)
        makeCorners(&motion, polygon, axis, units[axis]);
    return touches(&motion);
}

static CcdVerdict answerIn(const Question* question, uint64_t* words, size_t capacity) {
    WideSpace space = {words, capacity, 0, false};
    WideNumber first;
    const bool isAsked = question->span != NULL;
    const bool isTouching = decideIn(&space, question->polygon, question->units, isAsked ? &first : NULL);
    if (isTouching && isAsked && !space.isFull) {
        bool isThere;
        const uint64_t steps = grzWideNumber_Steps(&space, &first, question->depth, &isThere);
        question->span->t0 = ldexp((double)steps, -question->depth);
        question->span->t1 = ldexp((double)(steps + !isThere), -question->depth);
    }
    return space.isFull ? ccd_unknown : isTouching ? ccd_touch : ccd_apart;
}

static CcdVerdict answerLarge(const Question* question) {
    uint64_t words[LARGE];
    return answerIn(question, words, LARGE);
}

CcdVerdict grzCcdExact_Decide(const CcdPolygon* polygon, int depth, CcdSpan* span) {
    Question question = {.polygon = polygon, .depth = depth, .span = span};
    if (!hasUnits(polygon, question.units))
        return ccd_unknown;
    uint64_t words[SMALL];
    const CcdVerdict verdict = answerIn(&question, words, SMALL);
    return verdict == ccd_unknown ? answerLarge(&question) : verdict;
}

bool grzCcdExact_Compare(const CcdPolygon* a, const CcdPolygon* b, int* order) {
    int units[2][AXES];
    uint64_t words[LARGE];
    WideSpace space = {words, LARGE, 0, false};
    WideNumber times[2];
    if (!hasUnits(a, units[0]) || !hasUnits(b, units[1]) || !decideIn(&space, a, units[0], &times[0]) ||
        !decideIn(&space, b, units[1], &times[1]))
        return false;
    *order = grzWideNumber_Compare(&space, &times[0], &times[1]);
    return !space.isFull;
}
