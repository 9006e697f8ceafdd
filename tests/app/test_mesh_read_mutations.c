// The fuzz targets over hundreds of damaged inputs each, thousands in the long form, so that every run of the tests, with the sanitizers
// above all, meets hostile input: files for the readers, operations for the trees. Deterministic; script/fuzz looks
// further.
#include "file_testing.h"

#include "fuzz_entry.h"

enum { quickMutations = 800, allMutations = 4000, quickCut = 5, sizeLimit = 4096 };

typedef struct Input {
    uint8_t bytes[sizeLimit];
    size_t size;
} Input;

static Input seedOf(const FuzzKind* kind, size_t seed) {
    ByteSink sink = {.allocator = grzDefaultAllocator()};
    kind->putSeed(&sink, seed);
    Input input = {.size = sink.bytes.count};
    assert_true(input.size > 0 && input.size <= sizeLimit);
    memcpy(input.bytes, sink.bytes.data, input.size);
    ByteSink_Release(&sink);
    return input;
}

static size_t placeIn(const Input* input, uint64_t* random) {
    return (size_t)(nextRandom(random) % (input->size + 1));
}

static void overwrite(Input* input, size_t place, const void* bytes, size_t size) {
    if (size <= input->size - place)
        memcpy(input->bytes + place, bytes, size);
}

static void insert(Input* input, size_t place, const void* bytes, size_t size) {
    if (input->size + size > sizeLimit)
        return;
    memmove(input->bytes + place + size, input->bytes + place, input->size - place);
    memcpy(input->bytes + place, bytes, size);
    input->size += size;
}

static void erase(Input* input, size_t place, size_t size) {
    if (size > input->size - place)
        size = input->size - place;
    memmove(input->bytes + place, input->bytes + place + size, input->size - place - size);
    input->size -= size;
}

// Words and numbers that decide something in one of the formats.
static void mutateByWord(Input* input, uint64_t* random) {
    static const char* const words[] = {"-1",
                                        "0",
                                        "4294967295",
                                        "4294967296",
                                        "99999999999999999999",
                                        "1e400",
                                        "nan",
                                        "-inf",
                                        "1e-5",
                                        "\n",
                                        "\r",
                                        "\\\n",
                                        "#",
                                        "/",
                                        " ",
                                        "f ",
                                        "v ",
                                        "3 0 1 2 ",
                                        "list ",
                                        "double ",
                                        "ply\n",
                                        "uchar ",
                                        "end_header\n",
                                        "element face 9\n",
                                        "property int x\n",
                                        "tristrips"};
    const char* word = words[nextRandom(random) % (sizeof words / sizeof words[0])];
    if (nextRandom(random) % 2 == 0)
        insert(input, placeIn(input, random), word, strlen(word));
    else
        overwrite(input, placeIn(input, random), word, strlen(word));
}

static void mutateByNumber(Input* input, uint64_t* random) {
    static const uint32_t numbers[] = {0,          1,          0x7fffffff, 0x80000000, 0xffffffff,
                                       0x7f800000, 0x7fc00000, 0x01000000, 0x100};
    uint32_t number = numbers[nextRandom(random) % (sizeof numbers / sizeof numbers[0])];
    overwrite(input, placeIn(input, random), &number, 1 + nextRandom(random) % 4);
}

static void mutate(Input* input, uint64_t* random) {
    uint8_t byte = (uint8_t)nextRandom(random);
    uint8_t copy[64];
    size_t place = placeIn(input, random), size = (size_t)(nextRandom(random) % sizeof copy);
    switch (nextRandom(random) % 7) {
    case 0:
        overwrite(input, place, &byte, 1);
        break;
    case 1:
        insert(input, place, &byte, 1);
        break;
    case 2:
        erase(input, place, 1 + byte % 8);
        break;
    case 3:
        input->size = place;
        break;
    case 4: // a piece of it again, elsewhere
        if (size > input->size - place)
            size = input->size - place;
        memcpy(copy, input->bytes + place, size);
        insert(input, placeIn(input, random), copy, size);
        break;
    case 5:
        mutateByWord(input, random);
        break;
    default:
        mutateByNumber(input, random);
        break;
    }
}

// In memory of the exact size, so that the sanitizer sees a read behind the end.
static void runExactly(const FuzzKind* kind, const Input* input) {
    uint8_t* bytes = malloc(input->size != 0 ? input->size : 1);
    assert_non_null(bytes);
    memcpy(bytes, input->bytes, input->size);
    assert_int_equal(kind->run(bytes, input->size), 0);
    free(bytes);
}

static void damagedInputsBreakNoContract(void** state) {
    const FuzzKind* kind = *state;
    uint64_t random = testSeed(21);
    const size_t count = testCount(testSize(quickMutations, quickMutations / 4), allMutations) / kind->price;
    for (size_t i = 0; i < count; ++i) {
        Input input = seedOf(kind, i % kind->seedCount);
        for (uint64_t steps = nextRandom(&random) % 5; steps-- > 0;)
            mutate(&input, &random);
        runExactly(kind, &input);
    }
}

static void seedsCutAnywhereBreakNoContract(void** state) {
    const FuzzKind* kind = *state;
    const size_t cut = testCount(testSize(quickCut, 4 * quickCut), 1) * kind->price;
    for (size_t seed = 0; seed < kind->seedCount; ++seed) {
        Input input = seedOf(kind, seed);
        for (;; input.size -= cut) {
            runExactly(kind, &input);
            if (input.size < cut)
                break;
        }
    }
}

int main(void) {
    int failures = 0;
    for (size_t i = 0; i < fuzzKindCount; ++i) {
        void* kind = (void*)(uintptr_t)&fuzzKinds[i];
        const struct CMUnitTest tests[] = {
            cmocka_unit_test_prestate(damagedInputsBreakNoContract, kind),
            cmocka_unit_test_prestate(seedsCutAnywhereBreakNoContract, kind),
        };
        failures += cmocka_run_group_tests_name(fuzzKinds[i].name, tests, NULL, NULL);
    }
    return failures;
}
