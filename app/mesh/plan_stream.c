// What: plan_stream.h.
// Idea: a ring of slots. The plan points into them; a slot is written again only after the plan has dropped the keyframe in it.
//
//     slots      [ 4 ][ 5 ][ 2 ][ 3 ]        first = 2, next = 6: full
//     drop 2     [ 4 ][ 5 ][   ][ 3 ]        the tree has come to keyframe 3
//     read 6     [ 4 ][ 5 ][ 6 ][ 3 ]
//
// Holds: next - first <= slotCount, and the plan has just these.
#include "plan_stream.h"

#include <math.h>
#include <string.h>

#include "file_error.h"
#include "memory.h"
#include "result_make.h"

enum { usualSlots = 4 };

static size_t frameFloats(const PlanStream* stream) {
    return 3 * stream->reader.header.vertexCount;
}

static bool hasFrame(const PlanStream* stream, uint64_t keyframe) {
    return stream->loops || keyframe < stream->reader.header.frameCount;
}

// In the file's unit; a file of one frame has steps of one.
static double lastStep(const PlanStream* stream) {
    const float* times = stream->reader.times;
    const size_t count = stream->reader.header.frameCount;
    return count > 1 ? (double)times[count - 1] - (double)times[count - 2] : 1;
}

static double timeOf(const PlanStream* stream, uint64_t keyframe) {
    const float* times = stream->reader.times;
    const size_t count = stream->reader.header.frameCount;
    const double period = (double)times[count - 1] - (double)times[0] + lastStep(stream);
    const double units = (double)times[keyframe % count] + (double)(keyframe / count) * period;
    return units * stream->secondsPerUnit;
}

// Reads the next keyframe, of which there is one, into a slot that is free.
static bool readNext(PlanStream* stream, FileError* error) {
    const size_t frame = (size_t)(stream->next % stream->reader.header.frameCount);
    float* positions = stream->slots + (size_t)(stream->next % stream->slotCount) * frameFloats(stream);
    if (!SequenceReader_ReadFrame(&stream->reader, frame, positions, error))
        return false;
    const grzResult result = grzFlightplan_AddKeyframe(stream->plan, timeOf(stream, stream->next), positions, 0);
    if (!grzResult_IsOk(result)) {
        char text[128];
        return failFile(error, stream->reader.name, "frame %zu is no keyframe: %s", frame,
                        grzResult_Text(result, text, sizeof text));
    }
    stream->next++;
    return true;
}

bool PlanStream_Feed(PlanStream* stream, double now, double target, double* reach, FileError* error) {
    *reach = timeOf(stream, stream->next - 1);
    if (grzFlightplan_VertexCount(stream->plan) != stream->reader.header.vertexCount)
        return failFile(error, stream->reader.name,
                        "cannot be followed: its frames have no positions of vertices that came into the plan");
    grzFlightplan_DropKeyframes(stream->plan, now);
    while (stream->first + 1 < stream->next && timeOf(stream, stream->first + 1) <= now)
        stream->first++;
    bool isFed = true;
    while (isFed && stream->next - stream->first < stream->slotCount && hasFrame(stream, stream->next))
        isFed = readNext(stream, error);
    *reach = timeOf(stream, stream->next - 1);
    return isFed || (*reach >= target && *reach > now);
}

static bool checkDef(const PlanStreamDef* def, FileError* error) {
    if (!(def->secondsPerUnit > 0) || !isfinite(def->secondsPerUnit))
        return failFile(error, def->path, "a unit of its times cannot be %g s", def->secondsPerUnit);
    return def->slotCount != 1 || failFile(error, def->path, "cannot be followed with room for 1 frame");
}

static bool takeMemory(PlanStream* stream, FileError* error) {
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.vertexCount = stream->reader.header.vertexCount;
    def.allocator = stream->allocator;
    const grzResult result = grzFlightplan_Create(&def, &stream->plan);
    if (!grzResult_IsOk(result))
        return failResult(error, stream->reader.name, result);
    const size_t size = frameFloats(stream) * sizeof *stream->slots;
    stream->slots = grzAllocate(&stream->allocator, stream->slotCount, size, _Alignof(float));
    return stream->slots != NULL || failResult(error, stream->reader.name, grzNoMemory(stream->slotCount, size));
}

bool PlanStream_Open(PlanStream* stream, const PlanStreamDef* def, FileError* error) {
    memset(stream, 0, sizeof *stream);
    if (!checkDef(def, error))
        return false;
    stream->allocator = grzAllocator_OrDefault(def->allocator);
    stream->secondsPerUnit = def->secondsPerUnit;
    stream->loops = def->loops;
    stream->slotCount = def->slotCount == 0 ? usualSlots : def->slotCount;
    const bool isOpen = SequenceReader_Open(&stream->reader, def->path, stream->allocator, error) &&
                        takeMemory(stream, error) && readNext(stream, error);
    if (!isOpen)
        PlanStream_Close(stream);
    return isOpen;
}

void PlanStream_Close(PlanStream* stream) {
    grzFlightplan_Destroy(stream->plan);
    grzRelease(&stream->allocator, stream->slots, stream->slotCount, frameFloats(stream) * sizeof *stream->slots,
               _Alignof(float));
    SequenceReader_Close(&stream->reader);
    memset(stream, 0, sizeof *stream);
}
