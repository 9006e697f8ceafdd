// What: a sequence in a file: PC2, with a second file beside it (".sum") that holds the digest of its frames.
// Promise: what is read is what was written, or the read fails. A file appears whole or not at all: it is written
// under another name and renamed, so that several programs may share a cache.
//
//   PC2:  "POINTCACHE2\0"  version 1  vertices  first frame 0.0  rate 1.0  frames | positions, frame by frame
//          12 bytes        int32      int32     float            float     int32   | float, all little-endian
#define _POSIX_C_SOURCE 200809L // getpid
#include "sequence_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

#define HEAD_SIZE 32
#define PATH_SIZE 4200

static void putWord(unsigned char* bytes, uint32_t word) {
    for (int i = 0; i < 4; ++i)
        bytes[i] = (unsigned char)(word >> (8 * i));
}

static void makeHead(const SequenceData* sequence, unsigned char head[HEAD_SIZE]) {
    const uint32_t one = 0x3f800000; // 1.0f
    memcpy(head, "POINTCACHE2", 12);
    putWord(head + 12, 1);
    putWord(head + 16, (uint32_t)sequence->vertexCount);
    putWord(head + 20, 0);
    putWord(head + 24, one);
    putWord(head + 28, (uint32_t)sequence->frameCount);
}

static size_t numberCount(const SequenceData* sequence) {
    return 3 * sequence->vertexCount * sequence->frameCount;
}

static bool isLittleEndian(void) {
    const uint32_t one = 1;
    return *(const unsigned char*)&one == 1;
}

static uint64_t digestOf(const SequenceData* sequence) {
    return Bench_Digest(0, sequence->positions, numberCount(sequence) * sizeof(float));
}

// path with a suffix; false where it does not fit.
static bool besidePath(const char* path, const char* suffix, char* beside) {
    int length = snprintf(beside, PATH_SIZE, "%s%s", path, suffix);
    return length > 0 && length < PATH_SIZE;
}

static bool readSum(const char* path, uint64_t* sum) {
    char beside[PATH_SIZE], text[24] = "";
    FILE* file = besidePath(path, ".sum", beside) ? fopen(beside, "r") : NULL;
    if (file == NULL)
        return false;
    bool isRead = fread(text, 1, 16, file) == 16;
    fclose(file);
    *sum = strtoull(text, NULL, 16);
    return isRead;
}

bool readSequenceCache(const char* path, SequenceData* sequence) {
    unsigned char head[HEAD_SIZE], expected[HEAD_SIZE];
    uint64_t sum;
    FILE* file = isLittleEndian() && readSum(path, &sum) ? fopen(path, "rb") : NULL;
    if (file == NULL)
        return false;
    makeHead(sequence, expected);
    size_t count = numberCount(sequence);
    bool isRead = fread(head, 1, HEAD_SIZE, file) == HEAD_SIZE && memcmp(head, expected, HEAD_SIZE) == 0 &&
                  fread(sequence->positions, sizeof(float), count, file) == count && fgetc(file) == EOF;
    fclose(file);
    return isRead && digestOf(sequence) == sum;
}

typedef bool WriteFn(FILE* file, const SequenceData* sequence);

static bool writePositions(FILE* file, const SequenceData* sequence) {
    unsigned char head[HEAD_SIZE];
    makeHead(sequence, head);
    return fwrite(head, 1, HEAD_SIZE, file) == HEAD_SIZE &&
           fwrite(sequence->positions, sizeof(float), numberCount(sequence), file) == numberCount(sequence);
}

static bool writeSum(FILE* file, const SequenceData* sequence) {
    return fprintf(file, "%016llx\n", (unsigned long long)digestOf(sequence)) > 0;
}

static bool writeWhole(const char* path, const SequenceData* sequence, WriteFn* write) {
    char suffix[32], draft[PATH_SIZE];
    snprintf(suffix, sizeof suffix, ".%ld", (long)getpid());
    FILE* file = besidePath(path, suffix, draft) ? fopen(draft, "wb") : NULL;
    if (file == NULL)
        return false;
    bool isWritten = write(file, sequence);
    isWritten &= fclose(file) == 0;
    if (isWritten && rename(draft, path) == 0)
        return true;
    remove(draft);
    return false;
}

bool writeSequenceCache(const char* path, const SequenceData* sequence) {
    char sum[PATH_SIZE];
    return isLittleEndian() && besidePath(path, ".sum", sum) && writeWhole(path, sequence, writePositions) &&
           writeWhole(sum, sequence, writeSum);
}
