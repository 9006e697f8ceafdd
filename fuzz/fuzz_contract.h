// The readers' contract, to be checked after any input.
#ifndef GRAZE_FUZZ_FUZZ_CONTRACT_H
#define GRAZE_FUZZ_FUZZ_CONTRACT_H

#include "mesh_data.h"

// An allocator that keeps count, and aborts where a reader asks for much more than its input could fill.
typedef struct FuzzMemory {
    size_t liveBytes;
    size_t limit;
} FuzzMemory;

grzAllocator fuzzAllocator(FuzzMemory* memory, size_t inputSize);

// Aborts, naming what is broken, unless it holds.
#define FUZZ_REQUIRE(condition) ((condition) ? (void)0 : fuzzFail(#condition, __FILE__, __LINE__))
_Noreturn void fuzzFail(const char* condition, const char* file, int line);

// After a refusal: one sentence on one line that begins with the name.
void fuzzCheckError(const FileError* error);
// After success: finite positions, corners that name vertices; and it comes back the same from a PLY file.
void fuzzCheckMesh(const MeshData* mesh);
// The same for sequences: finite, rising times, and back the same from an MDD file.
void fuzzCheckSequence(const SequenceData* sequence);

#endif
