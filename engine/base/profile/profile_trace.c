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
#include <stdio.h>
#include <string.h>

#include "json_piece.h"
#include "profile_state.h"
#include "result_make.h"

#define NO_ZONE UINT32_MAX

// Thread numbers in the trace; 0 is the idle thread to some viewers. Worker w has WORKER_TRACK + w.
enum { STEP_TRACK = 1, WORKER_TRACK = 2 };

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

static void putString(Writer* writer, const char* text) {
    char piece[GRZ_JSON_PIECE];
    putText(writer, "\"");
    for (size_t taken, size; (taken = grzJsonPiece(text, piece, &size)) != 0; text += taken)
        putBytes(writer, piece, size);
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

static void putTrackName(Writer* writer, const char* kind, uint32_t track, const char* name) {
    openEvent(writer, kind, "M", track);
    putText(writer, ",\"args\":{\"name\":");
    putString(writer, name);
    putText(writer, "}}");
}

// Viewers sort tracks by their names otherwise, "worker 10" before "worker 2".
static void putTrackPlace(Writer* writer, uint32_t track) {
    openEvent(writer, "thread_sort_index", "M", track);
    putText(writer, ",\"args\":{\"sort_index\":");
    putNumber(writer, track);
    putText(writer, "}}");
}

static void putSpan(Writer* writer, const char* category, uint64_t begin, uint64_t end) {
    putText(writer, ",\"cat\":\"");
    putText(writer, category);
    putText(writer, "\",\"ts\":");
    putMicroseconds(writer, begin);
    putText(writer, ",\"dur\":");
    putMicroseconds(writer, end - begin);
}

static void putTracks(const grzProfile* profile, Writer* writer) {
    putTrackName(writer, "process_name", STEP_TRACK, "graze");
    putTrackName(writer, "thread_name", STEP_TRACK, "steps");
    putTrackPlace(writer, STEP_TRACK);
    for (uint32_t w = 0; w < profile->workerCount; ++w) {
        char name[32];
        snprintf(name, sizeof name, "worker %" PRIu32, w);
        putTrackName(writer, "thread_name", WORKER_TRACK + w, name);
        putTrackPlace(writer, WORKER_TRACK + w);
    }
}

// The counters of a step stand at its begin, so that a viewer draws their values over the step.
static void putStep(const grzProfile* profile, Writer* writer, uint64_t step) {
    size_t slot = step & (profile->stepCapacity - 1);
    uint64_t begin = grzTimeLine_Moment(&profile->line, profile->steps[slot].begin);
    openEvent(writer, "step", "X", STEP_TRACK);
    putSpan(writer, "step", begin, grzTimeLine_Moment(&profile->line, profile->steps[slot].end));
    putText(writer, ",\"args\":{\"step\":");
    putNumber(writer, step);
    putText(writer, "}}");
    for (size_t c = 0; c < profile->counters.count; ++c) {
        openEvent(writer, profile->counters.data[c].name, "C", STEP_TRACK);
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
        openEvent(writer, entry->name, "X", WORKER_TRACK + w);
        putSpan(writer, grzStage_Name((grzStage)entry->stage), grzTimeLine_Moment(&profile->line, entry->begin),
                grzTimeLine_Moment(&profile->line, entry->end));
        if (entry->reason != NULL) {
            putText(writer, ",\"args\":{\"reason\":");
            putString(writer, entry->reason);
            putText(writer, "}");
        }
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
    if (profile == NULL)
        return grzBecause(grzFail(grz_badArgument, 1), "there is no profile to write");
    if (profile->inStep)
        return grzBecause(grzFail(grz_badArgument, 1), "the profile is in a step");
    if (write == NULL)
        return grzBecause(grzFail(grz_badArgument, 2), "there is no function that takes the trace");
    Writer writer = {.write = write, .context = context};
    putText(&writer, "{\"traceEvents\":[");
    putTracks(profile, &writer);
    for (uint64_t step = oldestStep(profile); step < profile->stepCount && !writer.hasFailed; ++step)
        putStep(profile, &writer, step);
    for (uint32_t w = 0; w < profile->workerCount && !writer.hasFailed; ++w)
        putZones(profile, &writer, w);
    putTotals(profile, &writer);
    flush(&writer);
    if (!writer.hasFailed)
        return grzOk();
    return grzBecause(grzFail(grz_ioFailed, 0), "the function that takes the trace refused a part of it");
}
