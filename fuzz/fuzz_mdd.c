// Any bytes as MDD: read in full or refused with a sentence, and nothing leaks.
#include "fuzz_contract.h"
#include "fuzz_entry.h"
#include "sequence_read.h"

int fuzzMdd(const uint8_t* bytes, size_t size) {
    FuzzMemory memory;
    FileError error = {""};
    SequenceData sequence;
    if (readMdd((const char*)bytes, size, "input", fuzzAllocator(&memory, size), &sequence, &error))
        fuzzCheckSequence(&sequence);
    else {
        fuzzCheckError(&error);
        FUZZ_REQUIRE(sequence.positions == NULL && sequence.times == NULL && sequence.frameCount == 0);
    }
    SequenceData_Release(&sequence);
    FUZZ_REQUIRE(memory.liveBytes == 0);
    return 0;
}

FUZZ_PROGRAM(fuzzMdd)
