// What: the arithmetic of expansion.h, as Shewchuk has it.
#include "expansion.h"

#include <math.h>

#include "check.h"

typedef struct TwoTerms {
    double high, low; // high + low is the exact result, high the rounded one
} TwoTerms;

static inline TwoTerms twoSum(double a, double b) {
    double sum = a + b;
    double bVirtual = sum - a;
    double aVirtual = sum - bVirtual;
    return (TwoTerms){sum, (a - aVirtual) + (b - bVirtual)};
}

// For |a| >= |b|.
static inline TwoTerms fastTwoSum(double a, double b) {
    double sum = a + b;
    return (TwoTerms){sum, b - (sum - a)};
}

static inline TwoTerms split(double a) {
    double c = 0x1.0p27 * a + a; // (2^27 + 1) a: the factor times a is exact but for the last sum, as SPLIT needs
    double high = c - (c - a);
    return (TwoTerms){high, a - high};
}

static inline TwoTerms twoProduct(double a, double b, TwoTerms bParts) {
    double product = a * b;
    TwoTerms aParts = split(a);
    double error = product - aParts.high * bParts.high;
    error -= aParts.low * bParts.high;
    error -= aParts.high * bParts.low;
    return (TwoTerms){product, aParts.low * bParts.low - error};
}

// Appends a term if it is not zero.
static inline int append(double* h, int count, double term) {
    if (term == 0)
        return count;
    h[count] = term;
    return count + 1;
}

int grzExpansion_Difference(double a, double b, double h[2]) {
    TwoTerms difference = twoSum(a, -b);
    return append(h, append(h, 0, difference.low), difference.high);
}

int grzExpansion_Add(int n, const double* e, int m, const double* f, double* h) {
    int i = 0, j = 0, count = 0;
    double sum = 0;
    // The terms of both by size, each added to what is carried.
    for (int step = 0; step < n + m; ++step) {
        bool takesE = j == m || (i < n && fabs(e[i]) <= fabs(f[j]));
        double term = takesE ? e[i++] : f[j++];
        TwoTerms next = step == 0 ? (TwoTerms){term, 0} : twoSum(sum, term);
        sum = next.high;
        count = append(h, count, next.low);
    }
    return append(h, count, sum);
}

int grzExpansion_Scale(int n, const double* e, double b, double* h) {
    if (n == 0 || b == 0)
        return 0;
    TwoTerms bParts = split(b);
    TwoTerms first = twoProduct(e[0], b, bParts);
    double carried = first.high;
    int count = append(h, 0, first.low);
    for (int i = 1; i < n; ++i) {
        TwoTerms product = twoProduct(e[i], b, bParts);
        TwoTerms sum = twoSum(carried, product.low);
        TwoTerms next = fastTwoSum(product.high, sum.high);
        count = append(h, count, sum.low);
        count = append(h, count, next.low);
        carried = next.high;
    }
    return append(h, count, carried);
}

int grzExpansion_Multiply(int n, const double* e, int m, const double* f, double* h) {
    GRZ_ASSERT(n <= GRZ_EXPANSION_FACTOR_LONG && m <= GRZ_EXPANSION_FACTOR);
    if (m == 0)
        return 0;
    if (m == 1)
        return grzExpansion_Scale(n, e, f[0], h);
    double low[2 * GRZ_EXPANSION_FACTOR_LONG], high[2 * GRZ_EXPANSION_FACTOR_LONG];
    int lowCount = grzExpansion_Scale(n, e, f[0], low);
    int highCount = grzExpansion_Scale(n, e, f[1], high);
    return grzExpansion_Add(lowCount, low, highCount, high, h);
}

void grzExpansion_Negate(int n, double* e) {
    for (int i = 0; i < n; ++i)
        e[i] = -e[i];
}

double grzExpansion_Estimate(int n, const double* e) {
    double sum = 0;
    for (int i = 0; i < n; ++i)
        sum += e[i];
    return sum;
}
