// What: integers of any length on a stack that the caller lends: for decisions that doubles cannot make.
//
//   uint64_t words[1024];
//   WideSpace space = {words, 1024, 0, false};
//   WideInt a = grzWide_FromDouble(&space, x, shift), b = ...;
//   int sign = grzWide_Product(&space, a, b).sign;
//   space.used = 0;                                            // or an earlier mark: gives back what came after
//
// Promise: exact. Where the space is too small, isFull is set, and results are 0: who asks, looks at isFull before believing.
// Cost: a product of n and m words is n m multiplications; nothing is allocated.
// Threads: one at a time for a space.
#ifndef GRAZE_NARROWPHASE_WIDE_INT_H
#define GRAZE_NARROWPHASE_WIDE_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct WideSpace {
    uint64_t* words;
    size_t capacity, used;
    bool isFull; // something found no room
} WideSpace;

// sign * (words[0] + words[1] 2^64 + ...), the last word is not 0; 0 has none.
typedef struct WideInt {
    const uint64_t* words;
    uint32_t count;
    int32_t sign; // -1, 0, 1
} WideInt;

static inline WideInt grzWide_Zero(void) {
    return (WideInt){NULL, 0, 0};
}

// No room is taken: the words are shared.
static inline WideInt grzWide_Negative(WideInt a) {
    return (WideInt){a.words, a.count, -a.sign};
}

// A finite number apart from its sign: bits * 2^exponent. Reads its bytes, so that no mode of the processor matters.
typedef struct WideParts {
    uint64_t bits; // below 2^53
    int exponent;
} WideParts;

WideParts grzWide_PartsOf(double value);

WideInt grzWide_FromInt(WideSpace* space, int64_t value);

// A number that is below 2^62 in size as it is; false where it is not.
static inline bool grzWide_IsShort(WideInt a) {
    return a.count == 0 || (a.count == 1 && a.words[0] >> 62 == 0);
}

static inline int64_t grzWide_Short(WideInt a) {
    return a.count == 0 ? 0 : a.sign * (int64_t)a.words[0];
}

// a b - c d, or with two more e f - g h, of short ones.
WideInt grzWide_Minor(WideSpace* space, const int64_t factors[4]);
WideInt grzWide_TwoMinors(WideSpace* space, const int64_t factors[8]);

// value * 2^shift, which must be an integer; value is finite.
WideInt grzWide_FromDouble(WideSpace* space, double value, int shift);

WideInt grzWide_Sum(WideSpace* space, WideInt a, WideInt b);
WideInt grzWide_Difference(WideSpace* space, WideInt a, WideInt b);
WideInt grzWide_Product(WideSpace* space, WideInt a, WideInt b);

// a * factor.
WideInt grzWide_Multiple(WideSpace* space, WideInt a, int32_t factor);

// -1, 0, 1: a below b, equal, above. Takes no room.
int grzWide_Compare(WideInt a, WideInt b);

#endif
