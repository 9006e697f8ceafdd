// What the test programs share: cmocka with its includes, the seed, and an allocator that fails on demand.
#ifndef GRAZE_TESTS_TESTING_H
#define GRAZE_TESTS_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graze/host.h"
#include "poison.h"

// The seed of a property test: GRAZE_TEST_SEED if set, else the given one. It is printed, so that a failure can be
// run again.
static inline uint64_t testSeed(uint64_t usual) {
    const char* text = getenv("GRAZE_TEST_SEED");
    uint64_t seed = text != NULL ? strtoull(text, NULL, 0) : usual;
    printf("[   seed   ] GRAZE_TEST_SEED=%llu\n", (unsigned long long)seed);
    return seed;
}

// How often to repeat what shows more the more often it is repeated: in the quick form of a test, and in its long one, which
// tests/CMakeLists.txt runs under the label slow.
static inline size_t testCount(size_t quick, size_t full) {
    return getenv("GRAZE_TEST_LONG") != NULL ? full : quick;
}

// How much to do of what is the same code each time: less where a sanitizer watches, which makes a test 5 to 30 times as dear, and with
// GRAZE_TEST_BRIEF. With GRAZE_TEST_LONG it is what is usual.
static inline size_t testSize(size_t usual, size_t brief) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return testCount(brief, usual);
#else
    return getenv("GRAZE_TEST_BRIEF") != NULL ? testCount(brief, usual) : usual;
#endif
}

// An allocator that counts what is live and refuses every request from the `failAt`-th on (from 0; SIZE_MAX:
// never). A size or alignment that differs between allocate and release fails the test. Memory is filled with garbage; what lies
// beside it is poisoned, so that AddressSanitizer sees a read by one number too far. One thread.
typedef struct TestMemory {
    size_t requests;
    size_t failAt;
    size_t liveCount;
    size_t liveBytes;
} TestMemory;

typedef struct TestMemoryHead {
    size_t size, alignment;
    void* base;
} TestMemoryHead;

// From `base` on: a lead with the head at its end, the memory, and what alignment leaves.
static inline size_t testMemoryLead(size_t alignment) {
    return (sizeof(TestMemoryHead) + alignment - 1) & ~(alignment - 1);
}

static inline void* testAllocate(void* context, size_t size, size_t alignment) {
    TestMemory* memory = (TestMemory*)context;
    if (memory->requests++ >= memory->failAt)
        return NULL;
    assert_true(size > 0 && alignment > 0 && (alignment & (alignment - 1)) == 0 && alignment <= 4096);
    size_t lead = testMemoryLead(alignment);
    char* base = (char*)malloc(lead + alignment + size);
    assert_non_null(base);
    char* data = (char*)(((uintptr_t)base + lead + alignment - 1) & ~(uintptr_t)(alignment - 1));
    TestMemoryHead head = {size, alignment, base};
    memcpy(data - sizeof head, &head, sizeof head);
    memset(data, 0xA5, size);
    ASAN_POISON_MEMORY_REGION(base, (size_t)(data - base));
    ASAN_POISON_MEMORY_REGION(data + size, lead + alignment - (size_t)(data - base));
    memory->liveCount++;
    memory->liveBytes += size;
    return data;
}

static inline void testRelease(void* context, void* data, size_t size, size_t alignment) {
    TestMemory* memory = (TestMemory*)context;
    TestMemoryHead head;
    ASAN_UNPOISON_MEMORY_REGION((char*)data - sizeof head, sizeof head);
    memcpy(&head, (char*)data - sizeof head, sizeof head);
    assert_int_equal(head.size, size);
    assert_int_equal(head.alignment, alignment);
    memory->liveCount--;
    memory->liveBytes -= size;
    ASAN_UNPOISON_MEMORY_REGION(head.base, testMemoryLead(alignment) + alignment + size);
    free(head.base);
}

static inline grzAllocator testAllocator(TestMemory* memory) {
    grzAllocator allocator = {memory, testAllocate, testRelease};
    return allocator;
}

#endif
