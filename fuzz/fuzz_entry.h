// What the fuzz targets share. Each target is a function that both libFuzzer and the ordinary tests call, and that
// aborts where a reader, or a tree, breaks its contract.
#ifndef GRAZE_FUZZ_FUZZ_ENTRY_H
#define GRAZE_FUZZ_FUZZ_ENTRY_H

#include "byte_sink.h"
#include "mesh_data.h"

int fuzzObj(const uint8_t* bytes, size_t size);
int fuzzPly(const uint8_t* bytes, size_t size);
int fuzzPc2(const uint8_t* bytes, size_t size);
int fuzzMdd(const uint8_t* bytes, size_t size);
int fuzzTree(const uint8_t* bytes, size_t size);
int fuzzKinetic(const uint8_t* bytes, size_t size);
int fuzzPairFront(const uint8_t* bytes, size_t size);
int fuzzCcd(const uint8_t* bytes, size_t size);
int fuzzProbe(const uint8_t* bytes, size_t size);
int fuzzScene(const uint8_t* bytes, size_t size); // where scenes are read: GRAZE_READS_SCENES

// A kind of input: what takes it, and inputs to begin with, made by graze's own writers and by hand.
typedef struct FuzzKind {
    const char* name;
    int (*run)(const uint8_t* bytes, size_t size);
    size_t seedCount;
    void (*putSeed)(ByteSink* sink, size_t seed); // below seedCount
    uint32_t price; // of a run, in those of a reader: the ordinary tests run so many times fewer
} FuzzKind;

extern const FuzzKind fuzzKinds[];
extern const size_t fuzzKindCount;

#endif
