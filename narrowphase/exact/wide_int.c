// What: wide_int.h, as one does it by hand.
#include "wide_int.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 Wide128;
__extension__ typedef __int128 Signed128;

static uint64_t* take(WideSpace* space, size_t count) {
    if (count > space->capacity - space->used) {
        space->isFull = true;
        return NULL;
    }
    uint64_t* words = space->words + space->used;
    space->used += count;
    return words;
}

// A number of words that were taken last; those that are not needed are given back.
static WideInt trim(WideSpace* space, uint64_t* words, uint32_t count, int sign) {
    uint32_t left = count;
    while (left > 0 && words[left - 1] == 0)
        --left;
    space->used -= count - left;
    return left == 0 ? grzWide_Zero() : (WideInt){words, left, sign};
}

WideInt grzWide_FromInt(WideSpace* space, int64_t value) {
    uint64_t* words = take(space, 1);
    if (words == NULL)
        return grzWide_Zero();
    words[0] = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    return trim(space, words, 1, value < 0 ? -1 : 1);
}

WideParts grzWide_PartsOf(double value) {
    uint64_t bytes;
    memcpy(&bytes, &value, sizeof bytes);
    const uint64_t fraction = bytes & ((UINT64_C(1) << 52) - 1);
    const int exponent = (int)(bytes >> 52 & 2047);
    return exponent == 0 ? (WideParts){fraction, -1074}
                         : (WideParts){fraction | UINT64_C(1) << 52, exponent - 1075};
}

WideInt grzWide_FromDouble(WideSpace* space, double value, int shift) {
    const WideParts parts = grzWide_PartsOf(value);
    if (parts.bits == 0)
        return grzWide_Zero();
    uint64_t bits = parts.bits;
    int exponent = parts.exponent + shift;
    if (exponent < 0) { // what goes out is zeros
        bits >>= -exponent;
        exponent = 0;
    }
    const uint32_t first = (uint32_t)exponent / 64, by = (uint32_t)exponent % 64;
    uint64_t* words = take(space, first + 2);
    if (words == NULL)
        return grzWide_Zero();
    for (uint32_t i = 0; i < first; ++i)
        words[i] = 0;
    words[first] = bits << by;
    words[first + 1] = by == 0 ? 0 : bits >> (64 - by);
    return trim(space, words, first + 2, signbit(value) ? -1 : 1);
}

// ---- sums ----

static int compareSizes(WideInt a, WideInt b) {
    if (a.count != b.count)
        return a.count < b.count ? -1 : 1;
    for (uint32_t i = a.count; i-- > 0;)
        if (a.words[i] != b.words[i])
            return a.words[i] < b.words[i] ? -1 : 1;
    return 0;
}

int grzWide_Compare(WideInt a, WideInt b) {
    if (a.sign != b.sign)
        return a.sign < b.sign ? -1 : 1;
    return a.sign * compareSizes(a, b);
}

// |a| + |b|, a the longer one.
static WideInt addSizes(WideSpace* space, WideInt a, WideInt b, int sign) {
    uint64_t* words = take(space, a.count + 1);
    if (words == NULL)
        return grzWide_Zero();
    uint64_t carry = 0;
    for (uint32_t i = 0; i < a.count; ++i) {
        const Wide128 sum = (Wide128)a.words[i] + (i < b.count ? b.words[i] : 0) + carry;
        words[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
    words[a.count] = carry;
    return trim(space, words, a.count + 1, sign);
}

// |a| - |b|, a the greater one.
static WideInt subtractSizes(WideSpace* space, WideInt a, WideInt b, int sign) {
    uint64_t* words = take(space, a.count);
    if (words == NULL)
        return grzWide_Zero();
    uint64_t borrow = 0;
    for (uint32_t i = 0; i < a.count; ++i) {
        const Wide128 difference = (Wide128)a.words[i] - (i < b.count ? b.words[i] : 0) - borrow;
        words[i] = (uint64_t)difference;
        borrow = (uint64_t)(difference >> 64) & 1;
    }
    return trim(space, words, a.count, sign);
}

WideInt grzWide_Sum(WideSpace* space, WideInt a, WideInt b) {
    if (a.sign == 0 || b.sign == 0)
        return a.sign == 0 ? b : a;
    if (a.sign == b.sign)
        return a.count >= b.count ? addSizes(space, a, b, a.sign) : addSizes(space, b, a, a.sign);
    const int order = compareSizes(a, b);
    if (order == 0)
        return grzWide_Zero();
    return order > 0 ? subtractSizes(space, a, b, a.sign) : subtractSizes(space, b, a, b.sign);
}

WideInt grzWide_Difference(WideSpace* space, WideInt a, WideInt b) {
    return grzWide_Sum(space, a, grzWide_Negative(b));
}

// ---- products ----

// words[0 .. count] = factor * a
static void setMultiple(uint64_t* words, WideInt a, uint64_t factor) {
    uint64_t carry = 0;
    for (uint32_t i = 0; i < a.count; ++i) {
        const Wide128 sum = (Wide128)a.words[i] * factor + carry;
        words[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
    words[a.count] = carry;
}

// words[0 .. count - 1] += factor * a, and words[count] = what is carried.
static void addMultiple(uint64_t* words, WideInt a, uint64_t factor) {
    uint64_t carry = 0;
    for (uint32_t i = 0; i < a.count; ++i) {
        const Wide128 sum = (Wide128)a.words[i] * factor + words[i] + carry;
        words[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
    words[a.count] = carry;
}

WideInt grzWide_Product(WideSpace* space, WideInt a, WideInt b) {
    if (a.sign == 0 || b.sign == 0)
        return grzWide_Zero();
    const uint32_t count = a.count + b.count;
    uint64_t* words = take(space, count);
    if (words == NULL)
        return grzWide_Zero();
    setMultiple(words, a, b.words[0]);
    for (uint32_t i = 1; i < b.count; ++i)
        addMultiple(words + i, a, b.words[i]);
    const bool isShort = words[count - 1] == 0; // by one word, never by two
    space->used -= isShort;
    return (WideInt){words, count - isShort, a.sign * b.sign};
}

WideInt grzWide_Multiple(WideSpace* space, WideInt a, int32_t factor) {
    const uint64_t size = factor < 0 ? 0 - (uint64_t)factor : (uint64_t)factor;
    const WideInt other = {&size, size != 0, factor < 0 ? -1 : factor > 0};
    return grzWide_Product(space, a, other);
}

// ---- short ones ----

static WideInt from128(WideSpace* space, Signed128 value) {
    const Wide128 size = value < 0 ? 0 - (Wide128)value : (Wide128)value;
    uint64_t* words = take(space, 2);
    if (words == NULL)
        return grzWide_Zero();
    words[0] = (uint64_t)size;
    words[1] = (uint64_t)(size >> 64);
    return trim(space, words, 2, value < 0 ? -1 : 1);
}

static Signed128 minor(const int64_t factors[4]) {
    return (Signed128)factors[0] * factors[1] - (Signed128)factors[2] * factors[3];
}

WideInt grzWide_Minor(WideSpace* space, const int64_t factors[4]) {
    return from128(space, minor(factors));
}

WideInt grzWide_TwoMinors(WideSpace* space, const int64_t factors[8]) {
    return from128(space, minor(factors) + minor(factors + 4));
}
