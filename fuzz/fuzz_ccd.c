// Any bytes as a question about one or two continuous queries. The answer must be that of exact arithmetic
// (tests/narrowphase/continuous/ccd_oracle.h): whether and when they touch, also by other names, which of two does so
// first, or what comes near.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ccd_cases.h"
#include "ccd_check.h"
#include "fuzz_contract.h"
#include "fuzz_entry.h"

// The bytes yet to come; zeros after their end.
typedef struct Bytes {
    const uint8_t *at, *end;
} Bytes;

static uint8_t takeByte(Bytes* bytes) {
    return bytes->at < bytes->end ? *bytes->at++ : 0;
}

static uint64_t takeBits(Bytes* bytes, int count) {
    uint64_t bits = 0;
    for (int i = 0; i < count; ++i)
        bits |= (uint64_t)takeByte(bytes) << (8 * i);
    return bits;
}

// How the numbers of a query are read.
typedef enum Reading {
    read_places, // a byte each: small whole numbers
    read_nudged, // and a byte of last bits
    read_floats,
    read_doubles,
    read_scaled, // a byte, and a byte of an exponent
    readings,
} Reading;

static double finiteOr1(double value) {
    return isfinite(value) ? value : 1;
}

// Numbers of one query that differ much in size make exact arithmetic slow.
static double ofSimilarSize(double value) {
    int exponent;
    const double fraction = frexp(finiteOr1(value), &exponent);
    return ldexp(fraction, exponent % 8);
}

static double takeNumber(Bytes* bytes, Reading reading) {
    const int8_t place =
        (int8_t)(reading == read_places || reading == read_nudged || reading == read_scaled ? takeByte(bytes) : 0);
    if (reading == read_places)
        return place / 8;
    if (reading == read_scaled)
        return ldexp(place, (int8_t)takeByte(bytes));
    if (reading == read_nudged)
        return place * (1 + (int8_t)takeByte(bytes) / 16 * 0x1p-52);
    if (reading == read_floats) {
        const uint32_t bits = (uint32_t)takeBits(bytes, 4);
        float number;
        memcpy(&number, &bits, sizeof number);
        return finiteOr1((double)number);
    }
    const uint64_t bits = takeBits(bytes, 8);
    double number;
    memcpy(&number, &bits, sizeof number);
    return finiteOr1(number);
}

// Of its own numbers, or like another one: a class of the generator, or a last bit changed.
static grzCcdQuery takeQuery(Bytes* bytes, const grzCcdQuery* like, grzRng* rng) {
    const uint8_t how = takeByte(bytes);
    grzCcdQuery query;
    bool isReversed;
    if (like != NULL && how % 4 == 1)
        return ccdVariant(rng, like, &isReversed);
    if (like != NULL && how % 4 == 2) {
        query = *like;
        double* x = &query.points[how / 4 % 2][how / 8 % 4][how / 32 % 3];
        *x = finiteOr1(ccdNudge(rng, *x));
        return query;
    }
    if (how % 4 == 3)
        return ccdCase(rng, (CcdClass)(how / 4 % ccd_classCount));
    const Reading reading = (Reading)(how / 8 % readings);
    const bool isWide = reading < read_floats || takeByte(bytes) % 16 == 15;
    query.kind = (grzCcdKind)(how / 4 % 2);
    for (int i = 0; i < 24; ++i) {
        const double number = takeNumber(bytes, reading);
        query.points[i / 12][i / 3 % 4][i % 3] = isWide ? number : ofSimilarSize(number);
    }
    return query;
}

static void require(const char* flaw, const grzCcdQuery* query) {
    if (flaw == NULL)
        return;
    ccdPrint(query);
    fuzzFail(flaw, __FILE__, __LINE__);
}

static void askNear(Bytes* left, const grzCcdQuery* query, grzRng* rng) {
    const uint8_t way = takeByte(left);
    grzCcdNear near = {.mostPieces = way % 4 == 0 ? takeByte(left) : 0};
    near.distance = way % 8 == 1   ? 0
                    : way % 8 == 2 ? fabs(takeNumber(left, read_doubles))
                                   : ccdReach(query) * ldexp(1 + takeByte(left), -way / 8);
    near.distance = finiteOr1(near.distance);
    near.tolerance = way % 2 == 0 ? near.distance * ldexp(1, -takeByte(left) % 32) : 0;
    grzCcdApproach approach;
    const char* flaw = ccdCheckNear(query, &near, rng, &approach);
    if (flaw != NULL)
        printf("    distance %a, tolerance %a, at most %u pieces\n", near.distance, near.tolerance,
               near.mostPieces);
    require(flaw, query);
}

// One question for each input: exact arithmetic takes far longer than all else.
int fuzzCcd(const uint8_t* bytes, size_t size) {
    Bytes left = {bytes, bytes + size};
    grzRng rng = grzRng_Make(takeBits(&left, 2), 1);
    const uint8_t question = takeByte(&left);
    const grzCcdQuery a = takeQuery(&left, NULL, &rng);
    if (question % 4 == 0) {
        const grzCcdQuery b = takeQuery(&left, &a, &rng);
        int order;
        require(ccdCheckOrder(&a, &b, &order), &a);
    } else if (question % 4 == 1) {
        askNear(&left, &a, &rng);
    } else {
        grzCcdImpact impact;
        require(ccdCheckImpact(&a, &impact), &a);
        require(ccdCheckVariant(&a, &rng), &a);
    }
    return 0;
}
