// libFuzzer's one entry. The build makes a program of it for each target of fuzz_entry.h and names that: FUZZ_TARGET.
#include "fuzz_entry.h"

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    return FUZZ_TARGET(bytes, size);
}
