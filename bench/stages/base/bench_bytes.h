// Bytes to work on.
#ifndef GRAZE_BENCH_BENCH_BYTES_H
#define GRAZE_BENCH_BENCH_BYTES_H

#include <stddef.h>

// Neither all alike nor random.
static inline void benchFillBytes(unsigned char* bytes, size_t size) {
    for (size_t i = 0; i < size; ++i)
        bytes[i] = (unsigned char)(i * 131 >> 3);
}

#endif
