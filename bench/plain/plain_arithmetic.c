// What: plain_arithmetic.h.
#include "plain_arithmetic.h"

enum { ROUNDS = 120 };

static uint64_t mix(uint64_t number) {
    for (int i = 0; i < ROUNDS; ++i)
        number = number * 6364136223846793005u + 1442695040888963407u;
    return number | 1;
}

static void mixBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    uint64_t* sums = context;
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
        sums[i] = mix(i);
}

void PlainArithmetic_Run(grzTasks* tasks, uint64_t* sums, uint32_t count, uint32_t grain) {
    grzParallelFor(tasks, count, grain, mixBlock, sums);
}

bool PlainArithmetic_IsDone(const uint64_t* sums, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        if (sums[i] != mix(i))
            return false;
    return true;
}
