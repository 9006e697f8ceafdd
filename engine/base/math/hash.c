// What: XXH64, written from its specification.     Promise: see hash.h.
// Idea: stripes of 32 bytes feed four independent lanes (multiply, turn, multiply), so that the multiplier is busy
//       all the time; at the end the lanes are folded into one number, the remaining 0..31 bytes follow in steps
//       of 8, 4 and 1, and a last mix lets every input bit reach every output bit. The steps are named as in the
//       specification.
// Holds: numbers are read byte by byte as little-endian; compilers make one load of it where that is the same.
// Based on: [Collet, xxHash fast digest algorithm, specification 0.2.0], section "XXH64 algorithm description".
#include "hash.h"

#include <string.h>

// The specification's primes.
static const uint64_t prime1 = UINT64_C(0x9E3779B185EBCA87);
static const uint64_t prime2 = UINT64_C(0xC2B2AE3D27D4EB4F);
static const uint64_t prime3 = UINT64_C(0x165667B19E3779F9);
static const uint64_t prime4 = UINT64_C(0x85EBCA77C2B2AE63);
static const uint64_t prime5 = UINT64_C(0x27D4EB2F165667C5);

static uint64_t turnLeft(uint64_t number, unsigned bits) {
    return number << bits | number >> (64 - bits);
}

static uint32_t read32(const uint8_t* bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static uint64_t read64(const uint8_t* bytes) {
    return (uint64_t)read32(bytes) | (uint64_t)read32(bytes + 4) << 32;
}

static uint64_t accumulate(uint64_t lane, uint64_t input) {
    return turnLeft(lane + input * prime2, 31) * prime1;
}

// Step 2: whole stripes. Returns the first byte that is left.
static const uint8_t* addStripes(uint64_t lanes[4], const uint8_t* bytes, size_t stripeCount) {
    uint64_t a = lanes[0], b = lanes[1], c = lanes[2], d = lanes[3];
    for (; stripeCount > 0; --stripeCount, bytes += GRZ_HASH_STRIPE) {
        a = accumulate(a, read64(bytes));
        b = accumulate(b, read64(bytes + 8));
        c = accumulate(c, read64(bytes + 16));
        d = accumulate(d, read64(bytes + 24));
    }
    lanes[0] = a, lanes[1] = b, lanes[2] = c, lanes[3] = d;
    return bytes;
}

// Step 3.
static uint64_t mergeLanes(const uint64_t lanes[4]) {
    uint64_t sum = turnLeft(lanes[0], 1) + turnLeft(lanes[1], 7) + turnLeft(lanes[2], 12) + turnLeft(lanes[3], 18);
    for (int i = 0; i < 4; ++i)
        sum = (sum ^ accumulate(0, lanes[i])) * prime1 + prime4;
    return sum;
}

// Step 5: the bytes that fill no stripe.
static uint64_t addRest(uint64_t sum, const uint8_t* bytes, size_t size) {
    for (; size >= 8; size -= 8, bytes += 8)
        sum = turnLeft(sum ^ accumulate(0, read64(bytes)), 27) * prime1 + prime4;
    if (size >= 4) {
        sum = turnLeft(sum ^ read32(bytes) * prime1, 23) * prime2 + prime3;
        size -= 4, bytes += 4;
    }
    for (; size > 0; --size, ++bytes)
        sum = turnLeft(sum ^ *bytes * prime5, 11) * prime1;
    return sum;
}

// Step 6.
static uint64_t avalanche(uint64_t sum) {
    sum = (sum ^ sum >> 33) * prime2;
    sum = (sum ^ sum >> 29) * prime3;
    return sum ^ sum >> 32;
}

// Steps 3 to 6; `rest` holds the last length % 32 bytes.
static uint64_t finish(const uint64_t lanes[4], uint64_t seed, uint64_t length, const uint8_t* rest) {
    const uint64_t sum = length >= GRZ_HASH_STRIPE ? mergeLanes(lanes) : seed + prime5;
    return avalanche(addRest(sum + length, rest, (size_t)(length % GRZ_HASH_STRIPE)));
}

// Step 1.
static void startLanes(uint64_t lanes[4], uint64_t seed) {
    lanes[0] = seed + prime1 + prime2;
    lanes[1] = seed + prime2;
    lanes[2] = seed;
    lanes[3] = seed - prime1;
}

grzHash grzHash_Begin(uint64_t seed) {
    grzHash hash = {.seed = seed};
    startLanes(hash.lanes, seed);
    return hash;
}

uint64_t grzHashBytes(const void* bytes, size_t size, uint64_t seed) {
    uint64_t lanes[4];
    startLanes(lanes, seed);
    const uint8_t* rest = addStripes(lanes, bytes, size / GRZ_HASH_STRIPE);
    return finish(lanes, seed, size, rest);
}

void grzHash_Add(grzHash* hash, const void* bytes, size_t size) {
    if (size == 0)
        return;
    const uint8_t* from = bytes;
    const size_t pendingCount = (size_t)(hash->length % GRZ_HASH_STRIPE);
    hash->length += size;
    if (pendingCount + size < GRZ_HASH_STRIPE) {
        memcpy(hash->pending + pendingCount, from, size);
        return;
    }
    if (pendingCount != 0) {
        const size_t missing = GRZ_HASH_STRIPE - pendingCount;
        memcpy(hash->pending + pendingCount, from, missing);
        addStripes(hash->lanes, hash->pending, 1);
        from += missing, size -= missing;
    }
    from = addStripes(hash->lanes, from, size / GRZ_HASH_STRIPE);
    memcpy(hash->pending, from, size % GRZ_HASH_STRIPE);
}

void grzHash_AddU32(grzHash* hash, uint32_t number) {
    const uint8_t bytes[4] = {(uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16),
                              (uint8_t)(number >> 24)};
    grzHash_Add(hash, bytes, sizeof bytes);
}

void grzHash_AddU64(grzHash* hash, uint64_t number) {
    grzHash_AddU32(hash, (uint32_t)number);
    grzHash_AddU32(hash, (uint32_t)(number >> 32));
}

void grzHash_AddFloat(grzHash* hash, float number) {
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    grzHash_AddU32(hash, bits);
}

uint64_t grzHash_End(const grzHash* hash) {
    return finish(hash->lanes, hash->seed, hash->length, hash->pending);
}
