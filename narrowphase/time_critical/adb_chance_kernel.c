// What: the kernels of adb_chance.h.
// Idea: with t0 the least possible number of collision cells, the first term of equation 6 is one exp of four
//   log-factorials, and each further term is a ratio of small whole numbers times the term before it:
//
//     P(t + 1) / P(t) = (v - t) (w - t) / ((t + 1) (u - v - w + t + 1))
//
//   So there are no tables. [Klein 2003] section 4.2.3 makes ten tables of 10 to 20 MB each.
// Holds: v and w stand everywhere alike, so that swapping them changes no bit.
// Based on: [Klein and Zachmann, Time-Critical Collision Detection Using an Average-Case Approach, VRST 2003] section 3.5.
#include "adb_chance.h"

#include <string.h>

#include "simd.h"

// The terms of equation 6 in rising order of t.
typedef struct Terms {
    grzD8 v, w, spare; // spare: u - v - w
    grzD8 first;       // t0: the least number of collision cells that there can be
    grzD8 term, sum;   // P(t), and of all terms before t
    grzD8 t;
} Terms;

GRZ_SIMD_PART grzD8 loadWhole(const float* from) {
    return grzD8_FromFloat(grzF8_Load(from));
}

// For -1e6 < x <= 0. Relative error below 2^-51; 0 below e^-708.
GRZ_SIMD_PART grzD8 expOf(const double* from) {
    static const double factors[] = {
        1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
        1.0 / 720,        1.0 / 120,       1.0 / 24,       1.0 / 6,       0.5,          1,           1};
    const grzD8 x = grzD8_Load(from), round = grzD8_Set1(0x1.8p52);
    const grzD8 n = grzD8_Sub(grzD8_Add(grzD8_Mul(x, grzD8_Set1(0x1.71547652b82fep0)), round), round);
    grzD8 r = grzD8_Sub(x, grzD8_Mul(n, grzD8_Set1(0x1.62e42feep-1))); // the upper bits of log 2: exact
    r = grzD8_Sub(r, grzD8_Mul(n, grzD8_Set1(0x1.a39ef35793c76p-33)));
    grzD8 sum = grzD8_Set1(factors[0]);
    for (size_t k = 1; k < sizeof factors / sizeof *factors; ++k)
        sum = grzD8_Add(grzD8_Mul(sum, r), grzD8_Set1(factors[k]));
    double powers[ADB_LANES];
    grzD8_Store(powers, n);
    for (int lane = 0; lane < ADB_LANES; ++lane) {
        const uint64_t bits = powers[lane] < -1022 ? 0 : (uint64_t)(powers[lane] + 1023) << 52;
        memcpy(&powers[lane], &bits, sizeof bits);
    }
    return grzD8_Mul(sum, grzD8_Load(powers));
}

// [Klein 2003] equation 6 at t0: 0 while all possible cells fit beside each other, else v + w - u.
GRZ_SIMD_PART grzD8 firstTerm(const double* logs, const AdbCells* cells) {
    double exponents[ADB_LANES];
    for (int lane = 0; lane < ADB_LANES; ++lane) {
        const int32_t u = (int32_t)cells->u[lane], v = (int32_t)cells->v[lane], w = (int32_t)cells->w[lane];
        const int32_t spare = u - v - w;
        exponents[lane] = spare >= 0 ? (logs[u - v] + logs[u - w]) - (logs[spare] + logs[u])
                                     : (logs[v] + logs[w]) - (logs[-spare] + logs[u]);
        exponents[lane] = exponents[lane] < 0 ? exponents[lane] : 0;
    }
    return expOf(exponents);
}

GRZ_SIMD_PART void beginTerms(Terms* terms, const double* logs, const AdbCells* cells) {
    const grzD8 u = loadWhole(cells->u);
    terms->v = loadWhole(cells->v);
    terms->w = loadWhole(cells->w);
    terms->spare = grzD8_Sub(u, grzD8_Add(terms->v, terms->w));
    terms->first = grzD8_Max(grzD8_Sub(grzD8_Zero(), terms->spare), grzD8_Zero());
    terms->term = firstTerm(logs, cells);
    terms->sum = terms->t = grzD8_Zero();
}

// [Klein 2003] equation 6: P(at least t + 1 collision cells); goes on to the next t. For t = 0 this is equation 7.
GRZ_SIMD_PART grzD8 nextTail(Terms* terms) {
    const grzD8 one = grzD8_Set1(1), zero = grzD8_Zero(), next = grzD8_Add(terms->t, one);
    const grzM8 isIn = grzD8_GreaterEqual(terms->t, terms->first);
    const grzM8 isPossible = grzM8_And(grzD8_LessEqual(next, terms->v), grzD8_LessEqual(next, terms->w));
    const grzD8 over = grzD8_Mul(grzD8_Sub(terms->v, terms->t), grzD8_Sub(terms->w, terms->t));
    const grzD8 under = grzD8_Mul(next, grzD8_Add(terms->spare, next));
    const grzD8 ratio = grzD8_Div(over, grzD8_Select(isIn, under, one));
    terms->sum = grzD8_Add(terms->sum, grzD8_Select(isIn, terms->term, zero));
    terms->term = grzD8_Select(isIn, grzD8_Mul(terms->term, ratio), terms->term);
    terms->t = next;
    return grzD8_Select(isPossible, grzD8_Max(grzD8_Sub(one, terms->sum), zero), zero);
}

void GRZ_KERNEL(grzAdbTails)(const double* logs, AdbTails* tails) {
    Terms terms;
    beginTerms(&terms, logs, &tails->cells);
    for (int x = 0; x < ADB_MOST_X; ++x)
        grzD8_Store(tails->atLeast[x], nextTail(&terms));
}

void GRZ_KERNEL(grzAdbChances)(const double* logs, AdbChances* chances) {
    Terms terms;
    beginTerms(&terms, logs, &chances->cells);
    const grzD8 one = grzD8_Set1(1), miss = grzD8_Sub(one, grzD8_Load(chances->lower));
    grzD8 misses = one, best = grzD8_Zero();
    for (int x = 0; x < ADB_MOST_X; ++x) {
        misses = grzD8_Mul(misses, miss);                                            // (1 - LB)^x
        best = grzD8_Max(best, grzD8_Mul(nextTail(&terms), grzD8_Sub(one, misses))); // [Klein 2003] equation 8
    }
    grzD8_Store(chances->chance, best);
}
