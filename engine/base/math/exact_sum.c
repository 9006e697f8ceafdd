// What: the long accumulator of exact_sum.h.
// Idea: a double is an integer of 53 bits times a power of two. The product of two is an integer of 106 bits, added
//       to the fixed-point number at the place its power asks for; carries run upward as far as they must.
// Holds: smallest place 2 * -1074 = -2148, highest bit of a product 2 * 1024 - 1, so 4196 bits and the sign; the
//        other 155 bits of 68 words leave room for carries.
#include "exact_sum.h"

#include <stdbool.h>
#include <string.h>

enum { LOWEST_EXPONENT = -1074 };

typedef struct Parts {
    uint64_t mantissa;
    unsigned place; // number = mantissa * 2^(place + LOWEST_EXPONENT)
    bool isNegative;
} Parts;

static Parts takeApart(double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    const unsigned exponent = (unsigned)(bits >> 52) & 0x7ffu;
    const uint64_t fraction = bits & 0xfffffffffffffu;
    Parts parts = {fraction, 0, (bits >> 63) != 0};
    if (exponent != 0) {
        parts.mantissa |= 0x10000000000000u;
        parts.place = exponent - 1;
    }
    return parts;
}

// Two words, low first, without a type of 128 bits.
static void multiply(uint64_t a, uint64_t b, uint64_t product[2]) {
    const uint64_t aLow = (uint32_t)a, aHigh = a >> 32, bLow = (uint32_t)b, bHigh = b >> 32;
    const uint64_t low = aLow * bLow, mid1 = aHigh * bLow, mid2 = aLow * bHigh;
    const uint64_t mid = (low >> 32) + (uint32_t)mid1 + (uint32_t)mid2;
    product[0] = mid << 32 | (uint32_t)low;
    product[1] = aHigh * bHigh + (mid1 >> 32) + (mid2 >> 32) + (mid >> 32);
}

static void addWords(uint64_t* words, const uint64_t* three, unsigned at) {
    uint64_t carry = 0;
    for (unsigned i = 0; at + i < GRZ_EXACT_SUM_WORDS && (i < 3 || carry != 0); ++i) {
        const uint64_t term = i < 3 ? three[i] : 0;
        const uint64_t sum = words[at + i] + term;
        const uint64_t carried = sum + carry;
        carry = (uint64_t)(sum < term) + (uint64_t)(carried < sum);
        words[at + i] = carried;
    }
}

static void subtractWords(uint64_t* words, const uint64_t* three, unsigned at) {
    uint64_t borrow = 0;
    for (unsigned i = 0; at + i < GRZ_EXACT_SUM_WORDS && (i < 3 || borrow != 0); ++i) {
        const uint64_t term = i < 3 ? three[i] : 0;
        const uint64_t difference = words[at + i] - term;
        const uint64_t borrowed = difference - borrow;
        borrow = (uint64_t)(words[at + i] < term) + (uint64_t)(difference < borrow);
        words[at + i] = borrowed;
    }
}

void grzExactSum_AddProduct(grzExactSum* sum, double a, double b) {
    const Parts partsA = takeApart(a), partsB = takeApart(b);
    if (partsA.mantissa == 0 || partsB.mantissa == 0)
        return;
    uint64_t product[2];
    multiply(partsA.mantissa, partsB.mantissa, product);
    const unsigned place = partsA.place + partsB.place;
    const unsigned shift = place % 64;
    uint64_t three[3] = {product[0], product[1], 0};
    if (shift != 0) {
        three[0] = product[0] << shift;
        three[1] = product[1] << shift | product[0] >> (64 - shift);
        three[2] = product[1] >> (64 - shift);
    }
    if (partsA.isNegative == partsB.isNegative)
        addWords(sum->words, three, place / 64);
    else
        subtractWords(sum->words, three, place / 64);
}

int grzExactSum_Sign(const grzExactSum* sum) {
    if (sum->words[GRZ_EXACT_SUM_WORDS - 1] >> 63 != 0)
        return -1;
    for (unsigned i = 0; i < GRZ_EXACT_SUM_WORDS; ++i)
        if (sum->words[i] != 0)
            return 1;
    return 0;
}
