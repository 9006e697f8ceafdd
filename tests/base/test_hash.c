// hash.h: the published vectors of XXH64, pieces against one go, alignment, and that every bit matters.
#include "testing.h"

#include "hash.h"
#include "rng.h"

static const uint64_t seedPrime = 2654435761u;

// The buffer of xxHash's own sanity check (cli/xsum_sanity_check.c): the top bytes of a geometric sequence.
static void fillSanityBuffer(uint8_t* bytes, size_t size) {
    uint64_t number = seedPrime;
    for (size_t i = 0; i < size; ++i, number *= UINT64_C(0x9E3779B185EBCA8D))
        bytes[i] = (uint8_t)(number >> 56);
}

static void agreesWithPublishedVectors(void** state) {
    (void)state;
    uint8_t bytes[222];
    fillSanityBuffer(bytes, sizeof bytes);
    const struct {
        size_t size;
        uint64_t seed, hash;
    } vectors[] = {
        {0, 0, UINT64_C(0xEF46DB3751D8E999)},   {0, seedPrime, UINT64_C(0xAC75FDA2929B17EF)},
        {1, 0, UINT64_C(0xE934A84ADB052768)},   {1, seedPrime, UINT64_C(0x5014607643A9B4C3)},
        {4, 0, UINT64_C(0x9136A0DCA57457EE)},   {4, seedPrime, UINT64_C(0xCAAB286BD8E9FDB5)},
        {14, 0, UINT64_C(0x8282DCC4994E35C8)},  {14, seedPrime, UINT64_C(0xC3BD6BF63DEB6DF0)},
        {222, 0, UINT64_C(0xB641AE8CB691C174)}, {222, seedPrime, UINT64_C(0x20CB8AB7AE10C14A)},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i)
        assert_true(grzHashBytes(bytes, vectors[i].size, vectors[i].seed) == vectors[i].hash);
    assert_true(grzHashBytes("a", 1, 0) == UINT64_C(0xD24EC4F1A98C6E5B));
    assert_true(grzHashBytes("abc", 3, 0) == UINT64_C(0x44BC2CF5AD770999));
    assert_true(grzHashBytes("Nobody inspects the spammish repetition", 39, 0) == UINT64_C(0xFBCEA83C8A378BF1));
    assert_true(grzHashBytes(NULL, 0, 0) == vectors[0].hash);
}

static void piecesGiveTheSameHashAsOneGo(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(41), 0);
    uint8_t bytes[700];
    for (size_t i = 0; i < sizeof bytes; ++i)
        bytes[i] = (uint8_t)grzRng_Next(&rng);
    for (int round = 0; round < 5000; ++round) {
        const size_t size = grzRng_Below(&rng, sizeof bytes + 1);
        const uint64_t seed = grzRng_Next64(&rng);
        const uint32_t largest = 1 + grzRng_Below(&rng, 100);
        grzHash hash = grzHash_Begin(seed);
        for (size_t done = 0; done < size;) {
            const size_t wanted = grzRng_Below(&rng, largest + 1);
            const size_t piece = wanted < size - done ? wanted : size - done;
            grzHash_Add(&hash, bytes + done, piece);
            done += piece;
            if (round % 50 == 0)
                assert_true(grzHash_End(&hash) == grzHashBytes(bytes, done, seed));
        }
        assert_true(grzHash_End(&hash) == grzHashBytes(bytes, size, seed));
    }
}

static void alignmentDoesNotMatter(void** state) {
    (void)state;
    uint8_t bytes[200 + 16];
    for (size_t size = 0; size <= 200; ++size) {
        fillSanityBuffer(bytes, size);
        const uint64_t expected = grzHashBytes(bytes, size, 9);
        for (size_t shift = 1; shift < 16; ++shift) {
            memmove(bytes + shift, bytes + shift - 1, size);
            assert_true(grzHashBytes(bytes + shift, size, 9) == expected);
        }
    }
}

static void numbersAreAddedLowestByteFirst(void** state) {
    (void)state;
    const uint8_t bytes[] = {0x04, 0x03, 0x02, 0x01, 0x18, 0x17, 0x16, 0x15,
                             0x14, 0x13, 0x12, 0x11, 0,    0,    0xC0, 0xBF};
    grzHash hash = grzHash_Begin(3);
    grzHash_AddU32(&hash, 0x01020304u);
    grzHash_AddU64(&hash, UINT64_C(0x1112131415161718));
    grzHash_AddFloat(&hash, -1.5f);
    assert_true(grzHash_End(&hash) == grzHashBytes(bytes, sizeof bytes, 3));
}

static void everyBitChangesAboutHalfOfTheHash(void** state) {
    (void)state;
    const size_t sizes[] = {1, 3, 4, 7, 8, 12, 31, 32, 33, 63, 64, 100};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        uint8_t bytes[100];
        fillSanityBuffer(bytes, sizes[k]);
        const uint64_t hash = grzHashBytes(bytes, sizes[k], 0);
        for (size_t bit = 0; bit < sizes[k] * 8; ++bit) {
            bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
            uint64_t changed = hash ^ grzHashBytes(bytes, sizes[k], 0);
            int count = 0;
            for (; changed != 0; changed &= changed - 1)
                ++count;
            assert_true(count >= 12 && count <= 52); // five standard deviations of 64 coins
            bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agreesWithPublishedVectors),
        cmocka_unit_test(piecesGiveTheSameHashAsOneGo),
        cmocka_unit_test(alignmentDoesNotMatter),
        cmocka_unit_test(numbersAreAddedLowestByteFirst),
        cmocka_unit_test(everyBitChangesAboutHalfOfTheHash),
    };
    return cmocka_run_group_tests_name("hash", tests, NULL, NULL);
}
