// What: the table by which AVX2 compresses lanes, 2 KiB, worked out by the preprocessor.
//
// Row `bits` holds, a byte each from the lowest, the numbers of the bits that are set, in order; the places
// past the last are 0. The instructions that compute a row (pdep, pext) are slow microcode on the first two
// Zen generations.
#include "simd.h"

#define BIT(b, k) (((uint64_t)(b) >> (k)) & 1u)
// How many bits are set below bit k, that is, the place of lane k.
#define BITS2(b, k) (BIT(b, k) + BIT(b, (k) + 1))
#define BITS_0(b)   0u
#define BITS_1(b)   BIT(b, 0)
#define BITS_2(b)   BITS2(b, 0)
#define BITS_3(b)   (BITS2(b, 0) + BIT(b, 2))
#define BITS_4(b)   (BITS2(b, 0) + BITS2(b, 2))
#define BITS_5(b)   (BITS_4(b) + BIT(b, 4))
#define BITS_6(b)   (BITS_4(b) + BITS2(b, 4))
#define BITS_7(b)   (BITS_6(b) + BIT(b, 6))
#define PLACE(b, k) (BIT(b, k) * k << 8 * BITS_##k(b))
#define PLACES4(b)  PLACE(b, 0) | PLACE(b, 1) | PLACE(b, 2) | PLACE(b, 3)
#define ROW(b)      (PLACES4(b) | PLACE(b, 4) | PLACE(b, 5) | PLACE(b, 6) | PLACE(b, 7))
#define ROWS4(b)    ROW(b), ROW((b) + 1), ROW((b) + 2), ROW((b) + 3)
#define ROWS16(b)   ROWS4(b), ROWS4((b) + 4), ROWS4((b) + 8), ROWS4((b) + 12)
#define ROWS64(b)   ROWS16(b), ROWS16((b) + 16), ROWS16((b) + 32), ROWS16((b) + 48)

const uint64_t grzCompressPlaces[256] = {ROWS64(0), ROWS64(64), ROWS64(128), ROWS64(192)};
