// What: random numbers for sampling, generated scenes and tests: the same on every machine and compiler.
// Promise: PCG32 (XSH RR 64/32) bit for bit; period 2^64 a stream. Not for secrets.
// Idea: a 64-bit linear congruential generator steps, and its top bits choose how the others are turned and folded
//       into the output. Streams differ in the increment; give each item (not each worker) its own and results do
//       not depend on who computes what.
// Threads: one generator, one thread. A grzRng is a value: copy it to repeat a stretch.
// Based on: [O'Neill, PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for Random Number
//           Generation, HMC-CS-2014-0905, 2014], and Brown's jump ahead [Random Number Generation with Arbitrary
//           Strides, 1994] as used there.
#ifndef GRAZE_BASE_RNG_H
#define GRAZE_BASE_RNG_H

#include "check.h"

typedef struct grzRng {
    uint64_t state;
    uint64_t increment; // odd; the stream
} grzRng;

#define GRZ_RNG_MULTIPLIER UINT64_C(6364136223846793005) // [O'Neill 2014] section 6.3, from Knuth

static inline uint32_t grzRng_Next(grzRng* rng) {
    const uint64_t state = rng->state;
    rng->state = state * GRZ_RNG_MULTIPLIER + rng->increment;
    const uint32_t folded = (uint32_t)(((state >> 18) ^ state) >> 27);
    const uint32_t turn = (uint32_t)(state >> 59);
    return (folded >> turn) | (folded << ((0u - turn) & 31));
}

// Streams that differ below 2^63 never meet in step. Any seed is fine, 0 too.
static inline grzRng grzRng_Make(uint64_t seed, uint64_t stream) {
    grzRng rng = {0, stream << 1 | 1};
    grzRng_Next(&rng);
    rng.state += seed;
    grzRng_Next(&rng);
    return rng;
}

static inline uint64_t grzRng_Next64(grzRng* rng) {
    const uint64_t high = grzRng_Next(rng);
    return high << 32 | grzRng_Next(rng);
}

// Uniform in 0 .. bound - 1, each exactly as likely as the others; bound > 0. Draws again (less than once on
// average) where the range does not divide evenly.
static inline uint32_t grzRng_Below(grzRng* rng, uint32_t bound) {
    GRZ_ASSERT(bound != 0);
    const uint32_t least = (0u - bound) % bound; // 2^32 mod bound: the numbers from here on divide evenly
    uint32_t number = grzRng_Next(rng);
    while (number < least)
        number = grzRng_Next(rng);
    return number % bound;
}

// A multiple of 2^-24 in [0, 1), all equally likely. No rounding takes place, so 1 never comes out.
static inline float grzRng_Float(grzRng* rng) {
    return (float)(grzRng_Next(rng) >> 8) * 0x1p-24f;
}

// A multiple of 2^-53 in [0, 1), likewise.
static inline double grzRng_Double(grzRng* rng) {
    return (double)(grzRng_Next64(rng) >> 11) * 0x1p-53;
}

// Moves on as if grzRng_Next had been called `steps` times; 2^64 - n moves back by n. O(log steps).
static inline void grzRng_Skip(grzRng* rng, uint64_t steps) {
    // state -> factor * state + sum, squared and multiplied like a power.
    uint64_t factor = GRZ_RNG_MULTIPLIER, sum = rng->increment;
    uint64_t allFactor = 1, allSum = 0;
    for (; steps != 0; steps >>= 1) {
        if ((steps & 1) != 0) {
            allFactor *= factor;
            allSum = allSum * factor + sum;
        }
        sum *= factor + 1;
        factor *= factor;
    }
    rng->state = allFactor * rng->state + allSum;
}

#endif
