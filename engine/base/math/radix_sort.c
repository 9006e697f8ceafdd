// What: least-significant-digit radix sort of 32-bit and 64-bit keys.    Promise: stable; see radix_sort.h.
// Idea: eight bits a pass, from the lowest byte up. A pass counts how often each byte occurs, sums the counts into
//       the places where each byte's run starts, and deals the elements out in order. Because a pass keeps the
//       order of equal bytes, the passes before it are not lost. All counts are taken in one read, and a byte that
//       does not vary is skipped: pair keys made of small ids use two or three bytes of each half.
//
//         keys     31 12 32 11      by the low byte     31 11 12 32     by the high byte   11 12 31 32
//
// Holds: after pass d the elements are sorted by their lowest d + 1 bytes, in `from`.
// Cost: O(count) with 256 open write streams; more bits a pass would spill the caches' ways and the TLB.
// Limits: none by size; counts are size_t.
// Based on: [Knuth, The Art of Computer Programming 3, section 5.2.5], counts in one read as in [Herf, Radix
//           Tricks, 2001].
#include "radix_sort.h"

#include <string.h>

enum {
    BITS = 8,
    BUCKET_COUNT = 1 << BITS,
    MASK = BUCKET_COUNT - 1,
    INSERTION_LIMIT = 64, // measured: at 96 elements the passes are as fast, below 64 twice as slow or worse
};

// Turns counts into the sums of all counts before.
static void sumBefore(size_t* counts) {
    size_t sum = 0;
    for (unsigned i = 0; i < BUCKET_COUNT; ++i) {
        const size_t count = counts[i];
        counts[i] = sum;
        sum += count;
    }
}

#define KEY        uint32_t
#define WIDE(name) name##32
#define ENTRY      grzRadixSort32
#include "radix_sort_width.h"
#undef KEY
#undef WIDE
#undef ENTRY

#define KEY        uint64_t
#define WIDE(name) name##64
#define ENTRY      grzRadixSort64
#include "radix_sort_width.h"
