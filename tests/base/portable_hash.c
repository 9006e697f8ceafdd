// Prints a line "name hash" for each computation that must give the same bytes on every compiler and processor. The
// output of a cross-built portable_hash must equal the native one's (script/test-arm).
#include <inttypes.h>
#include <stdio.h>

#define LINMATH_CASES linmathCasesNative
#include "linmath_cases.h"
#include "simd_cases.h"
#include "simd_dispatch.h"

// FNV-1a, word by word.
static uint64_t hashWords(uint64_t hash, const uint32_t* words, size_t count) {
    for (size_t i = 0; i < count; ++i)
        hash = (hash ^ words[i]) * 0x100000001B3u;
    return hash;
}

static void printLinmath(void) {
    static LinmathOutput out;
    static uint64_t hashes[linmathMaxCases];
    uint64_t state = 1;
    for (int round = 0; round < 20000; ++round) {
        LinmathInput in = caseInput(&state, round % 2 == 0 ? caseTame : caseWild);
        linmathCasesNative(&in, &out);
        for (uint32_t i = 0; i < out.caseCount; ++i)
            hashes[i] =
                hashWords(hashes[i], out.words + out.firstWords[i], out.firstWords[i + 1] - out.firstWords[i]);
    }
    for (uint32_t i = 0; i < out.caseCount; ++i)
        printf("linmath:%s %016" PRIx64 "\n", out.names[i], hashes[i]);
}

// Every level that the machine has must give the same hash, which is then one line for all processors.
static int printSimd(void) {
    uint64_t first = 0;
    bool isFirst = true;
    for (int level = 0; level < 32; ++level) {
        if ((grzSimd_SupportedBits() >> level & 1) == 0)
            continue;
        uint64_t hash = simdCasesHash((grzSimdLevel)level);
        if (!isFirst && hash != first) {
            fprintf(stderr, "portable_hash: level %s differs\n", grzSimd_LevelName((grzSimdLevel)level));
            return 1;
        }
        first = hash;
        isFirst = false;
    }
    printf("simd:all %016" PRIx64 "\n", first);
    return 0;
}

int main(void) {
    printLinmath();
    return printSimd();
}
