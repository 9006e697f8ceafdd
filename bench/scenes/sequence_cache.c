// What: a sequence in a file: PC2, and beside it a file ".sum" with the digest of the positions.
// Promise: what is read is what was written, or the read fails. The PC2 file appears whole or not at all
// (mesh_write.h), and a ".sum" that is missing, torn or old fails the read, so that several programs may
// share a cache.
#include "sequence_parts.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "mesh_write.h"
#include "sequence_read.h"

#define PATH_SIZE 4200

static uint64_t digestOf(const SequenceData* sequence) {
    return Bench_Digest(0, sequence->positions, 3 * sequence->vertexCount * sequence->frameCount * sizeof(float));
}

static FILE* openSum(const char* path, const char* mode) {
    char beside[PATH_SIZE];
    int length = snprintf(beside, sizeof beside, "%s.sum", path);
    return length > 0 && (size_t)length < sizeof beside ? fopen(beside, mode) : NULL;
}

static bool readSum(const char* path, uint64_t* sum) {
    char text[17] = "";
    FILE* file = openSum(path, "r");
    if (file == NULL)
        return false;
    bool isRead = fread(text, 1, 16, file) == 16;
    fclose(file);
    *sum = strtoull(text, NULL, 16);
    return isRead;
}

static bool writeSum(const char* path, uint64_t sum) {
    FILE* file = openSum(path, "w");
    if (file == NULL)
        return false;
    bool isWritten = fprintf(file, "%016llx\n", (unsigned long long)sum) > 0;
    return (fclose(file) == 0) & isWritten;
}

bool readSequenceCache(const char* path, grzAllocator allocator, SequenceData* sequence) {
    uint64_t sum;
    if (!readSum(path, &sum) || !readSequence(path, allocator, sequence, NULL))
        return false;
    if (digestOf(sequence) == sum)
        return true;
    SequenceData_Release(sequence);
    return false;
}

bool writeSequenceCache(const char* path, const SequenceData* sequence) {
    return writePc2(path, sequence, NULL) && writeSum(path, digestOf(sequence));
}
