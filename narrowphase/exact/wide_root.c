// What: wide_root.h.
// Idea: let C be the polynomial with the root a in (l, r), P the other one, of degree 2 at most. If P has no root in (l, r),
//   its sign there is that beside l. If it has one, b, the sign of C at b tells whether b comes before a, after it, or is it.
//   If it has two, its vertex v lies between them, and the sign of C at v tells on which side of v a is, where there is one.
//
//   C at b, where b is irrational: C = P S + R, so it is R(b), and R is linear. Where its root x is outside of (l, r), R has one
//   sign there; else the sign of P at x tells whether x comes before b.
//
//           l      b1      v      b2      r
//         --(------|-------|-------|------)--      P > 0, < 0, > 0
//                       a                          C(v) and C(l) differ: a is before v; C(b1) and C(l) do not: a is after b1
//
// Based on: no book in particular; it is what Sturm's chain of C and P comes to at these degrees.
#include "wide_root.h"

void grzWidePoly_Trim(WidePoly* poly) {
    poly->degree = WIDE_POLY_DEGREE;
    while (poly->degree >= 0 && poly->c[poly->degree].sign == 0)
        --poly->degree;
}

WideRatio grzWideRatio_Make(WideInt above, WideInt below) {
    if (below.sign < 0)
        return (WideRatio){grzWide_Negative(above), grzWide_Negative(below)};
    return (WideRatio){above, below};
}

int grzWideRatio_Compare(WideSpace* space, WideRatio a, WideRatio b) {
    const size_t mark = space->used;
    const int order =
        grzWide_Compare(grzWide_Product(space, a.above, b.below), grzWide_Product(space, b.above, a.below));
    space->used = mark;
    return order;
}

// ---- at a rational number ----

static int signAtOne(WideSpace* space, const WidePoly* poly) {
    const size_t mark = space->used;
    WideInt sum = poly->c[0];
    for (int i = 1; i <= poly->degree; ++i)
        sum = grzWide_Sum(space, sum, poly->c[i]);
    space->used = mark;
    return sum.sign;
}

int grzWidePoly_SignAt(WideSpace* space, const WidePoly* poly, WideRatio at) {
    if (poly->degree < 0)
        return 0;
    if (at.above.sign == 0)
        return poly->c[0].sign;
    if (grzWide_Compare(at.above, at.below) == 0)
        return signAtOne(space, poly);
    const size_t mark = space->used;
    WideInt sum = poly->c[poly->degree], power = at.below;
    for (int i = poly->degree - 1; i >= 0; --i) {
        sum = grzWide_Sum(space, grzWide_Product(space, sum, at.above), grzWide_Product(space, poly->c[i], power));
        if (i > 0)
            power = grzWide_Product(space, power, at.below);
    }
    space->used = mark;
    return sum.sign;
}

static WidePoly derivative(WideSpace* space, const WidePoly* poly) {
    WidePoly slope = {.degree = poly->degree - 1};
    for (int i = 1; i <= poly->degree; ++i)
        slope.c[i - 1] = grzWide_Multiple(space, poly->c[i], i);
    return slope;
}

int grzWidePoly_SignBeside(WideSpace* space, const WidePoly* poly, WideRatio at, int side) {
    const size_t mark = space->used;
    WidePoly now = *poly;
    int sign = grzWidePoly_SignAt(space, &now, at), turn = 1;
    while (sign == 0 && now.degree > 0) {
        now = derivative(space, &now);
        turn *= side;
        sign = turn * grzWidePoly_SignAt(space, &now, at);
    }
    space->used = mark;
    return sign;
}

int grzWidePoly_Discriminant(WideSpace* space, const WidePoly* poly) {
    const size_t mark = space->used;
    const WideInt square = grzWide_Product(space, poly->c[1], poly->c[1]);
    const WideInt other = grzWide_Multiple(space, grzWide_Product(space, poly->c[2], poly->c[0]), 4);
    space->used = mark;
    return grzWide_Compare(square, other);
}

WideRatio grzWidePoly_Vertex(WideSpace* space, const WidePoly* poly) {
    return grzWideRatio_Make(grzWide_Negative(poly->c[1]), grzWide_Multiple(space, poly->c[2], 2));
}

// ---- remainders ----

WidePoly grzWidePoly_Remainder(WideSpace* space, const WidePoly* a, const WidePoly* b, int* power) {
    WidePoly rest = *a;
    *power = 0;
    while (rest.degree >= b->degree) {
        const WideInt lead = rest.c[rest.degree], by = b->c[b->degree];
        const int shift = rest.degree - b->degree;
        for (int i = 0; i < rest.degree; ++i) {
            rest.c[i] = grzWide_Product(space, rest.c[i], by);
            if (i >= shift)
                rest.c[i] = grzWide_Difference(space, rest.c[i], grzWide_Product(space, lead, b->c[i - shift]));
        }
        rest.c[rest.degree] = grzWide_Zero();
        for (int i = rest.degree + 1; i <= WIDE_POLY_DEGREE; ++i)
            rest.c[i] = grzWide_Zero();
        grzWidePoly_Trim(&rest);
        ++*power;
    }
    return rest;
}

// ---- at a root ----

// Where a polynomial has one root in an interval, at which it changes its sign.
typedef struct Crossing {
    const WidePoly* of; // degree 2
    WideRatio from, to;
    int signBefore;
} Crossing;

// The sign of R, of degree 1 at most, at the root of a crossing.
static int linearAtCrossing(WideSpace* space, const WidePoly* linear, const Crossing* crossing) {
    if (linear->degree <= 0)
        return linear->degree < 0 ? 0 : linear->c[0].sign;
    const int rises = linear->c[1].sign;
    const WideRatio zero = grzWideRatio_Make(grzWide_Negative(linear->c[0]), linear->c[1]);
    if (grzWideRatio_Compare(space, zero, crossing->from) <= 0)
        return rises;
    if (grzWideRatio_Compare(space, zero, crossing->to) >= 0)
        return -rises;
    const int sign = grzWidePoly_SignAt(space, crossing->of, zero);
    return sign == crossing->signBefore ? rises : sign == 0 ? 0 : -rises;
}

static int powerOfSign(int sign, int power) {
    return power % 2 == 0 ? 1 : sign;
}

// The sign of `of` at the root of a crossing.
static int signAtCrossing(WideSpace* space, const WidePoly* of, const Crossing* crossing) {
    if (of->degree < 2)
        return linearAtCrossing(space, of, crossing);
    int power;
    const WidePoly rest = grzWidePoly_Remainder(space, of, crossing->of, &power);
    return linearAtCrossing(space, &rest, crossing) * powerOfSign(crossing->of->c[2].sign, power);
}

// P, which has the sign `before` up to its one root in the interval, of which the sign of C is known, and the opposite one
// after it.
static int signByOrder(const WideRoot* root, int signOfC, int before) {
    return signOfC == 0 ? 0 : signOfC == root->signBefore ? -before : before;
}

static int linearAtRoot(WideSpace* space, const WideRoot* root, const WidePoly* poly, int before) {
    const WideRatio zero = grzWideRatio_Make(grzWide_Negative(poly->c[0]), poly->c[1]);
    return signByOrder(root, grzWidePoly_SignAt(space, root->of, zero), before);
}

static int crossingAtRoot(WideSpace* space, const WideRoot* root, const Crossing* crossing) {
    return signByOrder(root, signAtCrossing(space, root->of, crossing), crossing->signBefore);
}

// P has the same sign at both ends: none, one (double) or two roots between.
static int quadraticWithVertex(WideSpace* space, const WideRoot* root, const WidePoly* poly, int before) {
    const int discriminant = grzWidePoly_Discriminant(space, poly);
    if (discriminant < 0 || before != poly->c[2].sign)
        return before;
    const WideRatio vertex = grzWidePoly_Vertex(space, poly);
    if (grzWideRatio_Compare(space, vertex, root->from) <= 0 || grzWideRatio_Compare(space, vertex, root->to) >= 0)
        return before;
    const int sign = grzWidePoly_SignAt(space, root->of, vertex);
    if (discriminant == 0 || sign == 0)
        return sign != 0 ? before : discriminant == 0 ? 0 : -before;
    const Crossing crossing = sign == root->signBefore ? (Crossing){poly, vertex, root->to, -before}
                                                       : (Crossing){poly, root->from, vertex, before};
    return crossingAtRoot(space, root, &crossing);
}

int grzWideRoot_Sign(WideSpace* space, const WideRoot* root, const WidePoly* poly) {
    if (poly->degree <= 0)
        return poly->degree < 0 ? 0 : poly->c[0].sign;
    const size_t mark = space->used;
    const int before = grzWidePoly_SignBeside(space, poly, root->from, 1);
    const int after = grzWidePoly_SignBeside(space, poly, root->to, -1);
    int sign = before;
    if (before != after) {
        const Crossing crossing = {poly, root->from, root->to, before};
        sign = poly->degree == 1 ? linearAtRoot(space, root, poly, before) : crossingAtRoot(space, root, &crossing);
    } else if (poly->degree == 2) {
        sign = quadraticWithVertex(space, root, poly, before);
    }
    space->used = mark;
    return sign;
}

// ---- down to a grid ----

static WideRatio steps(WideSpace* space, uint64_t count, int depth) {
    return (WideRatio){grzWide_FromInt(space, (int64_t)count), grzWide_FromInt(space, INT64_C(1) << depth)};
}

// A number against `at`: -1, 0, 1.
typedef int CompareFn(WideSpace* space, const void* number, WideRatio at);

static int compareRatio(WideSpace* space, const void* number, WideRatio at) {
    return grzWideRatio_Compare(space, *(const WideRatio*)number, at);
}

int grzWideRoot_Compare(WideSpace* space, const WideRoot* root, WideRatio at) {
    if (grzWideRatio_Compare(space, at, root->from) <= 0)
        return 1;
    if (grzWideRatio_Compare(space, at, root->to) >= 0)
        return -1;
    return grzWidePoly_SignAt(space, root->of, at) * root->signBefore;
}

static int compareRoot(WideSpace* space, const void* number, WideRatio at) {
    return grzWideRoot_Compare(space, number, at);
}

static uint64_t stepsTo(WideSpace* space, CompareFn* compare, const void* number, int depth, bool* isThere) {
    const size_t mark = space->used;
    uint64_t low = 0, high = (UINT64_C(1) << depth) + 1; // low is not above the number, high is
    *isThere = compare(space, number, steps(space, 0, depth)) == 0;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        space->used = mark;
        const int order = compare(space, number, steps(space, middle, depth));
        if (order < 0) {
            high = middle;
        } else {
            low = middle;
            *isThere = order == 0;
        }
    }
    space->used = mark;
    return low;
}

uint64_t grzWideRatio_Steps(WideSpace* space, WideRatio at, int depth, bool* isThere) {
    return stepsTo(space, compareRatio, &at, depth, isThere);
}

uint64_t grzWideRoot_Steps(WideSpace* space, const WideRoot* root, int depth, bool* isThere) {
    return stepsTo(space, compareRoot, root, depth, isThere);
}
