// What: the sentences behind grzResult.
#include "graze/result.h"

#include <inttypes.h>
#include <stdio.h>

static const char* partName(grzPart part) {
    switch (part) {
    case grz_noPart:
        return "";
    case grz_partVertex:
        return "vertex";
    case grz_partTriangle:
        return "triangle";
    case grz_partObject:
        return "object";
    case grz_partLine:
        return "line";
    case grz_partByte:
        return "byte";
    case grz_partFrame:
        return "frame";
    case grz_partElement:
        return "element";
    }
    return "part of an unknown kind";
}

// The sentence of a status; its format takes the value where it has one.
typedef struct Sentence {
    const char* text;
    bool hasValue;
} Sentence;

static Sentence sentenceOf(grzResult result) {
    switch (result.status) {
    case grz_ok:
        return (Sentence){"ok", false};
    case grz_outOfMemory:
        return (Sentence){"out of memory: the allocator refused %" PRIu64 " bytes", true};
    case grz_badDef:
        return (Sentence){"the def is NULL or was not made by its grzDefault...Def function", false};
    case grz_badArgument:
        return (Sentence){"argument %" PRIu64 " is outside what the call accepts", true};
    case grz_notFinite:
        return (Sentence){"a number is not finite", false};
    case grz_indexTooLarge:
        return (Sentence){"the index %" PRIu64 " names nothing", true};
    case grz_invertedBounds:
        return (Sentence){"a lower bound lies above its upper bound", false};
    case grz_staleHandle:
        return (Sentence){"the handle names something that was removed or belongs elsewhere", false};
    case grz_bufferTooSmall:
        return (Sentence){"the buffer is too small: room for %" PRIu64 " is needed", true};
    case grz_tooLarge:
        return (Sentence){"%" PRIu64 " elements are more than can be numbered", true};
    case grz_ioFailed:
        if (result.value == 0)
            return (Sentence){"reading or writing failed", false};
        return (Sentence){"reading or writing failed (error %" PRIu64 ")", true};
    case grz_badFormat:
        return (Sentence){"the content is not in the expected format", false};
    case grz_notSupported:
        return (Sentence){"this build or this machine cannot do that", false};
    case grz_systemFailed:
        return (Sentence){"the system refused a thread or a lock (error %" PRIu64 ")", true};
    case grz_busy:
        return (Sentence){"another call that does not go with this one is under way", false};
    }
    return (Sentence){"unknown status", false};
}

const char* grzResult_Text(grzResult result, char* buffer, size_t capacity) {
    if (capacity == 0 || buffer == NULL)
        return "";
    Sentence sentence = result.reason != NULL ? (Sentence){result.reason, false} : sentenceOf(result);
    int used = 0;
    if (result.part != grz_noPart)
        used = snprintf(buffer, capacity, "%s %" PRIu64 ": ", partName(result.part), result.index);
    if (used < 0 || (size_t)used >= capacity)
        return buffer;
#if defined(__GNUC__)
#    pragma GCC diagnostic push
#    pragma GCC diagnostic ignored "-Wformat-nonliteral"
#endif
    // The formats are the table's own, never the caller's.
    if (sentence.hasValue)
        snprintf(buffer + used, capacity - (size_t)used, sentence.text, result.value);
    else
        snprintf(buffer + used, capacity - (size_t)used, "%s", sentence.text);
#if defined(__GNUC__)
#    pragma GCC diagnostic pop
#endif
    return buffer;
}
