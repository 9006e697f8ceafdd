// What: the 64-bit hash over bytes at once, and over pieces as records come.
#include "bench_base.h"

#include "bench_bytes.h"
#include "hash.h"

#define HASH_PIECE 24 // bytes, as a record of a contact stream has

typedef struct HashWork {
    const unsigned char* bytes;
    size_t size;
    uint64_t hash;
} HashWork;

static void spoilHash(void* context) {
    ((HashWork*)context)->hash = 0;
}

static void hashWhole(void* context) {
    HashWork* work = context;
    work->hash = grzHashBytes(work->bytes, work->size, 0);
}

static void hashPieces(void* context) {
    HashWork* work = context;
    grzHash hash = grzHash_Begin(0);
    for (size_t at = 0; at < work->size; at += HASH_PIECE)
        grzHash_Add(&hash, work->bytes + at, work->size - at < HASH_PIECE ? work->size - at : HASH_PIECE);
    work->hash = grzHash_End(&hash);
}

static uint64_t hashDigest(void* context) {
    return ((HashWork*)context)->hash;
}

void benchHash(Bench* bench) {
    size_t size = Bench_Size(bench, 1u << 20, 1u << 14);
    unsigned char* bytes = Bench_Allocate(bench, size, 1);
    if (bytes == NULL)
        return;
    benchFillBytes(bytes, size);
    HashWork whole = {bytes, size, 0}, pieces = whole;
    BenchSide sides[] = {{"graze", NULL, hashWhole, hashDigest, NULL, &whole, spoilHash},
                         {"in pieces", NULL, hashPieces, hashDigest, NULL, &pieces, spoilHash}};
    BenchJob job = {.metric = "hash",
                    .unit = "GB/s",
                    .isRate = true,
                    .amount = (double)size * 1e-9,
                    .n = size,
                    .workers = 1,
                    .sides = sides,
                    .sideCount = 2};
    Bench_Measure(bench, &job);
    Bench_Release(bench, bytes, size, 1);
}
