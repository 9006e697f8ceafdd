// What: wide_number.h.
// Idea: let a be the one root of C in an open interval, b that of D. Where the intervals have a part in common, and both numbers lie
//   in it, the sign of C at b says whether b comes before a, is a, or comes after it. C = D S + R, but for a factor of which
//   the sign is known, so it is that of R at b, and R has degree 2 at most: that is grzWideRoot_Sign.
#include "wide_number.h"

#include <string.h>

WideNumber grzWideNumber_FromRatio(WideRatio at) {
    WideNumber number;
    memset(&number, 0, sizeof number);
    number.of.degree = -1;
    number.from = number.to = at;
    return number;
}

WideNumber grzWideNumber_FromRoot(const WideRoot* root) {
    return (WideNumber){*root->of, root->from, root->to, root->signBefore};
}

static bool isRatio(const WideNumber* number) {
    return number->of.degree < 0;
}

static WideRoot rootOf(const WideNumber* number) {
    return (WideRoot){&number->of, number->from, number->to, number->signBefore};
}

static int compareWithRatio(WideSpace* space, const WideNumber* number, WideRatio at) {
    if (isRatio(number))
        return grzWideRatio_Compare(space, number->from, at);
    const WideRoot root = rootOf(number);
    return grzWideRoot_Compare(space, &root, at);
}

// The sign of a's polynomial at b.
static int signAt(WideSpace* space, const WideNumber* a, const WideRoot* b) {
    if (a->of.degree < 3)
        return grzWideRoot_Sign(space, b, &a->of);
    int power;
    const WidePoly rest = grzWidePoly_Remainder(space, &a->of, b->of, &power);
    const int lead = b->of->c[b->of->degree].sign;
    return grzWideRoot_Sign(space, b, &rest) * (power % 2 == 0 ? 1 : lead);
}

// Both are roots, and alone in a's part of the line and in b's.
static int compareRoots(WideSpace* space, const WideNumber* a, const WideNumber* b) {
    const WideRatio from = grzWideRatio_Compare(space, a->from, b->from) >= 0 ? a->from : b->from;
    const WideRatio to = grzWideRatio_Compare(space, a->to, b->to) <= 0 ? a->to : b->to;
    if (compareWithRatio(space, a, b->from) <= 0 || compareWithRatio(space, b, a->to) >= 0)
        return -1;
    if (compareWithRatio(space, b, a->from) <= 0 || compareWithRatio(space, a, b->to) >= 0)
        return 1;
    const WideRoot root = {&b->of, from, to, b->signBefore};
    const int sign = signAt(space, a, &root);
    return sign == 0 ? 0 : sign == a->signBefore ? 1 : -1;
}

int grzWideNumber_Compare(WideSpace* space, const WideNumber* a, const WideNumber* b) {
    if (isRatio(b))
        return compareWithRatio(space, a, b->from);
    if (isRatio(a))
        return -compareWithRatio(space, b, a->from);
    const size_t mark = space->used;
    const int order = a->of.degree <= b->of.degree ? compareRoots(space, a, b) : -compareRoots(space, b, a);
    space->used = mark;
    return order;
}

uint64_t grzWideNumber_Steps(WideSpace* space, const WideNumber* number, int depth, bool* isThere) {
    if (isRatio(number))
        return grzWideRatio_Steps(space, number->from, depth, isThere);
    const WideRoot root = rootOf(number);
    return grzWideRoot_Steps(space, &root, depth, isThere);
}
