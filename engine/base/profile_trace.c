// What: writes a profile's rings as Chrome trace-event JSON.
// Promise: valid JSON in UTF-8 whatever the names hold; events in the order of graze/profile.h; same rings, same
// bytes. Nothing is allocated.
// Idea: the text goes through a small buffer to the host's callback. A ring holds zones in the order of their ends
// (inner first) while viewers want begins (outer first), and at equal times only the order of the events tells
// which is the outer one. Read backwards, a ring has each zone before those inside it, siblings last to first;
// putting each zone right behind its parent into a linked list turns them round:
//
//   ring      b c A e D        A holds b, c; D holds e
//   backwards D     -> D
//             e     -> D e
//             A     -> A D e          (no parent: to the front)
//             c, b  -> A b c D e
//
// Cost: O(zones) of all rings; a zone's parent is found by climbing from the zone read before it.
// Based on: [Google, Trace Event Format], "Complete Events", "Counter Events", "Metadata Events".
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"
#include "profile_state.h"

#define NO_ZONE UINT32_MAX

// ---- Text ----

typedef struct Writer {
    grzWriteFn* write;
    void* context;
    bool hasFailed;
    bool hasEvents;
    size_t used;
    char buffer[4096];
} Writer;

static void flush(Writer* writer) {
    if (writer->used > 0 && !writer->hasFailed)
        writer->hasFailed = !writer->write(writer->context, writer->buffer, writer->used);
    writer->used = 0;
}

static void putBytes(Writer* writer, const char* bytes, size_t size) {
    while (size > 0) {
        size_t room = sizeof writer->buffer - writer->used;
        size_t part = size < room ? size : room;
        memcpy(writer->buffer + writer->used, bytes, part);
        writer->used += part;
        bytes += part;
        size -= part;
        if (writer->used == sizeof writer->buffer)
            flush(writer);
    }
}

static void putText(Writer* writer, const char* text) {
    putBytes(writer, text, strlen(text));
}

static void putNumber(Writer* writer, uint64_t number) {
    char digits[24];
    putBytes(writer, digits, (size_t)snprintf(digits, sizeof digits, "%" PRIu64, number));
}

static void putMicroseconds(Writer* writer, uint64_t nanoseconds) {
    char digits[32];
    putBytes(writer, digits,
             (size_t)snprintf(digits, sizeof digits, "%" PRIu64 ".%03u", nanoseconds / 1000,
                              (unsigned)(nanoseconds % 1000)));
}

// The bytes of the well-formed UTF-8 sequence at `text`, which ends in 0; 0 where it is not well-formed.
// [Unicode 15] table 3-7.
static size_t sequenceLength(const unsigned char* text) {
    unsigned char lead = text[0];
    if (lead < 0x80)
        return 1;
    size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                    : lead >= 0xE0 && lead <= 0xEF ? 3
                    : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                   : 0;
    unsigned char lower = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned char upper = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    for (size_t i = 1; i < length; ++i) {
        if (text[i] < lower || text[i] > upper)
            return 0;
        lower = 0x80;
        upper = 0xBF;
    }
    return length;
}

// A JSON string. Bytes that are no UTF-8 become U+FFFD, one each.
static void putString(Writer* writer, const char* string) {
    const unsigned char* text = (const unsigned char*)string;
    putText(writer, "\"");
    while (*text != 0) {
        size_t length = sequenceLength(text);
        char escape[8];
        if (length == 0)
            putText(writer, "\\ufffd");
        else if (*text == '"' || *text == '\\')
            putBytes(writer, escape, (size_t)snprintf(escape, sizeof escape, "\\%c", *text));
        else if (*text < 0x20 || *text == 0x7F)
            putBytes(writer, escape, (size_t)snprintf(escape, sizeof escape, "\\u%04x", *text));
        else
            putBytes(writer, (const char*)text, length);
        text += length != 0 ? length : 1;
    }
    putText(writer, "\"");
}

// ---- Events ----

// Opens an event; the caller goes on with further members and closes it.
static void openEvent(Writer* writer, const char* name, const char* phase, uint32_t track) {
    putText(writer, writer->hasEvents ? ",\n{\"name\":" : "\n{\"name\":");
    writer->hasEvents = true;
    putString(writer, name);
    putText(writer, ",\"ph\":\"");
    putText(writer, phase);
    putText(writer, "\",\"pid\":1,\"tid\":");
    putNumber(writer, track);
}

static void putMetadata(Writer* writer, const char* kind, uint32_t track, const char* name, uint32_t number) {
    openEvent(writer, kind, "M", track);
    putText(writer, ",\"args\":{\"name\":\"");
    putText(writer, name);
    if (number != NO_ZONE) {
        putText(writer, " ");
        putNumber(writer, number);
    }
    putText(writer, "\"}}");
}

static void putSpan(Writer* writer, const char* category, uint64_t begin, uint64_t end) {
    putText(writer, ",\"cat\":\"");
    putText(writer, category);
    putText(writer, "\",\"ts\":");
    putMicroseconds(writer, begin);
    putText(writer, ",\"dur\":");
    putMicroseconds(writer, end - begin);
}

// Track 0 is for the steps; worker w has track w + 1.
static void putTracks(const grzProfile* profile, Writer* writer) {
    putMetadata(writer, "process_name", 0, "graze", NO_ZONE);
    putMetadata(writer, "thread_name", 0, "steps", NO_ZONE);
    for (uint32_t w = 0; w < profile->workerCount; ++w)
        putMetadata(writer, "thread_name", w + 1, "worker", w);
}

// The counters of a step stand at its begin, so that a viewer draws their values over the step.
static void putStep(const grzProfile* profile, Writer* writer, uint64_t step) {
    size_t slot = step & (profile->stepCapacity - 1);
    uint64_t begin = grzTimeLine_Moment(&profile->line, profile->steps[slot].begin);
    openEvent(writer, "step", "X", 0);
    putSpan(writer, "step", begin, grzTimeLine_Moment(&profile->line, profile->steps[slot].end));
    putText(writer, ",\"args\":{\"step\":");
    putNumber(writer, step);
    putText(writer, "}}");
    for (size_t c = 0; c < profile->counters.count; ++c) {
        openEvent(writer, profile->counters.data[c].name, "C", 0);
        putText(writer, ",\"ts\":");
        putMicroseconds(writer, begin);
        putText(writer, ",\"args\":{\"value\":");
        putNumber(writer, profile->counterHistory.data[c * profile->stepCapacity + slot]);
        putText(writer, "}}");
    }
}

static uint64_t oldestStep(const grzProfile* profile) {
    return profile->stepCount > profile->stepCapacity ? profile->stepCount - profile->stepCapacity : 0;
}

// ---- Zones ----

static const grzZoneEntry* entryAt(const grzProfile* profile, const grzProfileWorker* worker, uint64_t oldest,
                                   uint32_t index) {
    return &worker->ring[(oldest + index) & (profile->zoneCapacity - 1)];
}

// Links the zones of a ring in the order of their begins: next[i] follows zone i. Returns the first one.
static uint32_t linkZones(grzProfile* profile, const grzProfileWorker* worker, uint64_t oldest, uint32_t count) {
    uint32_t* next = profile->links;
    uint32_t* parents = profile->links + profile->zoneCapacity;
    uint32_t first = NO_ZONE;
    for (uint32_t i = count; i-- > 0;) {
        uint32_t depth = entryAt(profile, worker, oldest, i)->depth;
        uint32_t parent = i + 1 < count ? i + 1 : NO_ZONE;
        while (parent != NO_ZONE && entryAt(profile, worker, oldest, parent)->depth >= depth)
            parent = parents[parent];
        parents[i] = parent;
        uint32_t* link = parent != NO_ZONE ? &next[parent] : &first;
        next[i] = *link;
        *link = i;
    }
    return first;
}

static void putZones(grzProfile* profile, Writer* writer, uint32_t w) {
    const grzProfileWorker* worker = &profile->workers[w];
    uint64_t head = grzProfileWorker_Head(worker), oldest = grzProfile_Lost(profile, head);
    uint32_t i = linkZones(profile, worker, oldest, (uint32_t)(head - oldest));
    for (; i != NO_ZONE && !writer->hasFailed; i = profile->links[i]) {
        const grzZoneEntry* entry = entryAt(profile, worker, oldest, i);
        openEvent(writer, entry->name, "X", w + 1);
        putSpan(writer, grzStage_Name((grzStage)entry->stage), grzTimeLine_Moment(&profile->line, entry->begin),
                grzTimeLine_Moment(&profile->line, entry->end));
        putText(writer, "}");
    }
}

static void putTotals(const grzProfile* profile, Writer* writer) {
    uint64_t overwritten = 0;
    for (uint32_t w = 0; w < profile->workerCount; ++w)
        overwritten += grzProfile_OverwrittenZones(profile, w);
    putText(writer, "\n],\"displayTimeUnit\":\"ns\",\"otherData\":{\"overwrittenZones\":");
    putNumber(writer, overwritten);
    putText(writer, ",\"overwrittenSteps\":");
    putNumber(writer, oldestStep(profile));
    putText(writer, profile->usesTicks ? ",\"clock\":\"ticks\"}}\n" : ",\"clock\":\"nanoseconds\"}}\n");
}

grzResult grzProfile_WriteTrace(grzProfile* profile, grzWriteFn* write, void* context) {
    if (profile == NULL || profile->inStep)
        return grzFail(grz_badArgument, 1);
    if (write == NULL)
        return grzFail(grz_badArgument, 2);
    Writer writer = {.write = write, .context = context};
    putText(&writer, "{\"traceEvents\":[");
    putTracks(profile, &writer);
    for (uint64_t step = oldestStep(profile); step < profile->stepCount && !writer.hasFailed; ++step)
        putStep(profile, &writer, step);
    for (uint32_t w = 0; w < profile->workerCount && !writer.hasFailed; ++w)
        putZones(profile, &writer, w);
    putTotals(profile, &writer);
    flush(&writer);
    return writer.hasFailed ? grzFail(grz_ioFailed, 0) : grzOk();
}
