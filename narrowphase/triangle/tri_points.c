// What: the coordinates of a place where two triangles meet, rounded to nearest, ties to even.
// Idea: with f and t the signed volumes (or areas) of `from` and `to`, the place is (f * to - t * from) / (f - t).
//       In double, with a bound on the error: where both ends of the interval round to the same float, that is it.
//       Else numerator and denominator are expansions, and a guess is moved by one step at a time until the
//       quotient is compared with the middle between neighbours on both sides.
//
//   Error of the rounded place: let e bound that of f and of t, d = |f - t| as rounded, e <= d/8. Since f and t
//   have strictly opposite signs, w = f / (f - t) lies in [0, 1], and its rounding is off by at most 3 e/d (1 + 4u)
//   + 3u. So from + w (to - from) is off by at most |to - from| (4 e/d + 8u) and u times its own size, u = 2^-53;
//   the ends of the interval are rounded too, so 4u are taken.
//
// Cost: 15 ns a place by the interval; some microseconds and 60 KB of stack by expansions.
// Limits: as tri_pair.h proves, products of four coordinates have bits from 2^-1040 to below 2^810. A guess q adds
//         at most 53 places: it is at least 1/4 in size in double (else the numerator is scaled up to its
//         denominator, whose bits end at 2^-780), and in float it is a multiple of 2^-150, where coordinates end at
//         2^-149 and volumes at 2^-447.
#include "tri_meet.h"

#include <float.h>
#include <math.h>

#include "expansion.h"

#define HALF_ULP 0x1p-53

enum { valueTerms = tri_volumeTerms, numeratorTerms = 4 * valueTerms, denominatorTerms = 2 * valueTerms };

// denominator > 0
typedef struct Quotient {
    int numeratorCount, denominatorCount;
    double numerator[numeratorTerms], denominator[denominatorTerms];
} Quotient;

static int exactValue(const TriPair* pair, const TriPlace* place, int point, double value[valueTerms]) {
    const int* through = place->through;
    return place->axis == TRI_THROUGH_PLANE
               ? grzTriPair_ExactVolume(pair, through[0], through[1], through[2], point, value)
               : grzTriPair_ExactArea(pair, place->axis, through[0], through[1], point, value);
}

static void makeQuotient(const TriPair* pair, const TriPlace* place, int axis, Quotient* quotient) {
    double from[valueTerms], to[valueTerms], left[2 * valueTerms], right[2 * valueTerms];
    int fromCount = exactValue(pair, place, place->from, from);
    int toCount = exactValue(pair, place, place->to, to);
    if (grzExpansion_Sign(fromCount, from) < 0) { // both turned over, the quotient is the same
        grzExpansion_Negate(fromCount, from);
        grzExpansion_Negate(toCount, to);
    }
    int leftCount = grzExpansion_Scale(fromCount, from, pair->points[place->to][axis], left);
    grzExpansion_Negate(toCount, to);
    int rightCount = grzExpansion_Scale(toCount, to, pair->points[place->from][axis], right);
    quotient->numeratorCount = grzExpansion_Add(leftCount, left, rightCount, right, quotient->numerator);
    quotient->denominatorCount = grzExpansion_Add(fromCount, from, toCount, to, quotient->denominator);
}

// Sign of the quotient minus (guess + more).
static int compareQuotient(const Quotient* quotient, double guess, double more) {
    double first[2 * denominatorTerms], second[2 * denominatorTerms];
    double rest[numeratorTerms + 2 * denominatorTerms], last[numeratorTerms + 4 * denominatorTerms];
    int d = quotient->denominatorCount;
    int firstCount = grzExpansion_Scale(d, quotient->denominator, -guess, first);
    int secondCount = grzExpansion_Scale(d, quotient->denominator, -more, second);
    int count = grzExpansion_Add(quotient->numeratorCount, quotient->numerator, firstCount, first, rest);
    count = grzExpansion_Add(count, rest, secondCount, second, last);
    return grzExpansion_Sign(count, last);
}

static double estimateQuotient(const Quotient* quotient) {
    return grzExpansion_Estimate(quotient->numeratorCount, quotient->numerator) /
           grzExpansion_Estimate(quotient->denominatorCount, quotient->denominator);
}

// -------------------------------------------------------------------------------------------------------- float

// Whether the neighbour is closer to the quotient than the guess, or as close and even; direction: of the
// neighbour.
static bool isFloatBetter(const Quotient* quotient, float guess, float neighbour, int direction) {
    if (neighbour == guess) // nothing is beyond the largest
        return false;
    double middle = ((double)guess + (double)neighbour) / 2;
    int sign = compareQuotient(quotient, middle, 0) * direction;
    return sign > 0 || (sign == 0 && (grzFloatBits(guess) & 1) != 0);
}

static float roundExactly(const TriPair* pair, const TriPlace* place, int axis) {
    Quotient quotient;
    makeQuotient(pair, place, axis, &quotient);
    float guess = (float)estimateQuotient(&quotient);
    while (isFloatBetter(&quotient, guess, nextafterf(guess, FLT_MAX), 1))
        guess = nextafterf(guess, FLT_MAX);
    while (isFloatBetter(&quotient, guess, nextafterf(guess, -FLT_MAX), -1))
        guess = nextafterf(guess, -FLT_MAX);
    return guess == 0 ? 0 : guess; // a rounded -0 is 0
}

// The place in double: what is the same for its three coordinates.
typedef struct Weight {
    double value;    // of `to`
    double error;    // of value, relative to the edge
    bool isReliable; // the bound holds
} Weight;

static Weight weigh(const TriPair* pair, const TriPlace* place) {
    const int* through = place->through;
    double from, to, bound;
    if (place->axis == TRI_THROUGH_PLANE) {
        from = grzTriPair_Volume(pair, through[0], through[1], through[2], place->from);
        to = grzTriPair_Volume(pair, through[0], through[1], through[2], place->to);
        bound = pair->volumeBound;
    } else {
        from = grzTriPair_Area(pair, place->axis, through[0], through[1], place->from);
        to = grzTriPair_Area(pair, place->axis, through[0], through[1], place->to);
        bound = pair->areaBounds[place->axis];
    }
    double whole = from - to;
    if (!(8 * bound <= fabs(whole)) || whole == 0)
        return (Weight){0, 0, false};
    return (Weight){from / whole, 4 * bound / fabs(whole) + 8 * HALF_ULP, true};
}

static float roundCoordinate(const TriPair* pair, const TriPlace* place, const Weight* weight, int axis) {
    double from = pair->points[place->from][axis], to = pair->points[place->to][axis];
    if (from == to)
        return (float)from;
    double edge = to - from;
    double rounded = from + weight->value * edge;
    double error = fabs(edge) * weight->error + 4 * HALF_ULP * fabs(rounded);
    float lower = (float)(rounded - error), upper = (float)(rounded + error);
    if (!weight->isReliable || lower != upper)
        return roundExactly(pair, place, axis);
    return lower == 0 ? 0 : lower;
}

grzVec3 grzTriPlace_Round(const TriPair* pair, const TriPlace* place) {
    const double* from = pair->points[place->from];
    if (place->axis == TRI_AT_POINT)
        return grzVec3_Make((float)from[0], (float)from[1], (float)from[2]);
    Weight weight = weigh(pair, place);
    return grzVec3_Make(roundCoordinate(pair, place, &weight, 0), roundCoordinate(pair, place, &weight, 1),
                        roundCoordinate(pair, place, &weight, 2));
}

// ------------------------------------------------------------------------------------------------------- double

static bool isOdd(double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return (bits & 1) != 0;
}

static bool isDoubleBetter(const Quotient* quotient, double guess, double neighbour, int direction) {
    int sign = compareQuotient(quotient, guess, (neighbour - guess) / 2) * direction;
    return sign > 0 || (sign == 0 && isOdd(guess));
}

static double roundDouble(const TriPair* pair, const TriPlace* place, int axis) {
    Quotient quotient;
    makeQuotient(pair, place, axis, &quotient);
    if (quotient.numeratorCount == 0)
        return 0;
    int exponent;
    frexp(estimateQuotient(&quotient), &exponent);
    if (exponent > 0)
        exponent = 0;
    for (int i = 0; i < quotient.numeratorCount; ++i)
        quotient.numerator[i] = ldexp(quotient.numerator[i], -exponent);
    double guess = estimateQuotient(&quotient);
    while (isDoubleBetter(&quotient, guess, nextafter(guess, DBL_MAX), 1))
        guess = nextafter(guess, DBL_MAX);
    while (isDoubleBetter(&quotient, guess, nextafter(guess, -DBL_MAX), -1))
        guess = nextafter(guess, -DBL_MAX);
    return ldexp(guess, exponent);
}

grzVec3d grzTriPlace_RoundDouble(const TriPair* pair, const TriPlace* place) {
    const double* from = pair->points[place->from];
    if (place->axis == TRI_AT_POINT)
        return grzVec3d_Make(from[0], from[1], from[2]);
    return grzVec3d_Make(roundDouble(pair, place, 0), roundDouble(pair, place, 1), roundDouble(pair, place, 2));
}
