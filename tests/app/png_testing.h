// Pictures as tests read them: PNG and PPM, decoded by the specification alone and strictly: what a decoder may forgive fails.
#ifndef GRAZE_TESTS_PNG_TESTING_H
#define GRAZE_TESTS_PNG_TESTING_H

#include "testing.h"

typedef struct TestPicture {
    uint32_t width, height;
    uint8_t* pixels; // three bytes each, rows from the top; freed by the caller
} TestPicture;

// A whole file; freed by the caller. A zero byte stands behind it.
uint8_t* readWhole(const char* path, size_t* size);

// Signature, every checksum, the compressed stream to its last bit, filters. Eight bits, colours without alpha, one block type.
TestPicture readPng(const char* path);
TestPicture readPpm(const char* path);

#endif
