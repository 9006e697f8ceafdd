// Results: what every call that can fail returns.
//
// A call either does all of its work and returns grz_ok, or changes nothing and says why. A result is a small value
// without memory: any thread may make, copy and print one. Our own bugs are not results; they go to the assert hook
// (host.h).
//
// NULL: no pointer may be NULL, outputs included, unless the header says so. A call that returns a result refuses NULL:
// it does nothing and returns grz_badArgument (value: the argument's place, from 1), or grz_badDef for a def or query.
// A call without a result returns zeros, false or nothing. These may always be NULL: what Destroy takes, a grzTasks* to
// run on, a function's context, an array of count 0. Inline functions (linmath.h, lanes.h, keys of records, parts of
// views) check nothing: they run in the innermost loops.
#ifndef GRAZE_RESULT_H
#define GRAZE_RESULT_H

#include "graze/config.h"

GRZ_EXTERN_C_BEGIN

typedef enum grzStatus {
    grz_ok = 0,
    grz_outOfMemory,   // the allocator returned NULL; value: the bytes asked for
    grz_badDef,        // a def that is NULL or was not made by its grzDefault...Def function
    grz_badArgument,   // an argument, or a field of one, outside its contract; value: its place in the call, from 1
    grz_notFinite,     // a NaN or an infinity in the input
    grz_indexTooLarge, // an index that names nothing; value: the index
    grz_invertedBounds, // a lower bound above its upper bound
    grz_staleHandle,    // a handle of something removed, or of another owner
    grz_bufferTooSmall, // the caller's buffer; value: the count that is needed. Nothing was written
    grz_tooLarge,       // more elements than the index type can number; value: the count
    grz_ioFailed,       // reading or writing failed; value: errno, 0 where there is none
    grz_badFormat,      // what a file or a setting holds; index: its line or byte offset, where part says so
    grz_notSupported,   // this build or this machine cannot do it
    grz_systemFailed,   // a thread or a lock could not be had; value: the system's error number
    grz_busy,           // another call that does not go with this one is under way
} grzStatus;

// What `index` counts in a result.
typedef enum grzPart {
    grz_noPart = 0,
    grz_partVertex,
    grz_partTriangle,
    grz_partObject,
    grz_partLine,
    grz_partByte,
    grz_partFrame,
    grz_partElement,
} grzPart;

typedef struct grzResult {
    grzStatus status;
    grzPart part;       // what index counts, or grz_noPart
    uint64_t index;     // the first offender, in the caller's own numbering
    uint64_t value;     // what status says of it
    const char* reason; // NULL, or a clause that says it better than the status alone; lives for ever
} grzResult;

static inline bool grzResult_IsOk(grzResult result) {
    return result.status == grz_ok;
}

// Writes one English sentence without a line break, cut to fit, always ending in 0. The reason, where there is one,
// stands in it in place of what the status alone would say. Returns buffer. A capacity of 128 is enough for every
// result of graze. With capacity 0 nothing is written and "" is returned.
GRZ_API const char* grzResult_Text(grzResult result, char* buffer, size_t capacity);

GRZ_EXTERN_C_END

#endif
