// A flightplan whose keyframes stay in their file, PC2 or MDD: a few of them are in memory at a time.
//
//   PlanStream stream;
//   PlanStreamDef def = {.path = path, .secondsPerUnit = 1.0 / 30};
//   if (!PlanStream_Open(&stream, &def, &error)) ...
//   ... make trees on stream.plan, at the time of the first keyframe: grzFlightplan_GetRange(stream.plan).begin
//   for (double now = begin; now < target;) {                          // on to a time
//       double reach;
//       if (!PlanStream_Feed(&stream, now, target, &reach, &error)) ...
//       now = fmin(target, reach);
//       result = grzChordTree_Advance(tree, tasks, now);               // and all others on this plan
//   }
//
// Frame i of the file is a keyframe at its time in the file times secondsPerUnit. With `loops` the first frame follows the last
// one, after as long as the last one came after the one before it, and so on without end.
//
// Memory: `slotCount` frames, the times of all frames, 4 bytes each, and the plan's list of keyframes: nothing else depends on
// the file. Ownership: the plan is the stream's, and gone after Close; trees on it go first. One thread.
#ifndef GRAZE_APP_PLAN_STREAM_H
#define GRAZE_APP_PLAN_STREAM_H

#include "graze/flightplan.h"
#include "sequence_read.h"

typedef struct PlanStreamDef {
    const char* path;
    double secondsPerUnit; // of the file's times; above 0
    uint32_t slotCount;    // frames in memory; 0: 4; else at least 2
    bool loops;
    grzAllocator allocator; // all zeros: the default one
} PlanStreamDef;

typedef struct PlanStream {
    grzAllocator allocator;
    SequenceReader reader;
    double secondsPerUnit;
    bool loops;
    uint32_t slotCount;
    float* slots;         // keyframe k stands in slot k % slotCount
    uint64_t first, next; // the plan has the keyframes first .. next - 1
    grzFlightplan* plan;
} PlanStream;

// With the first keyframe in the plan. On failure *stream is all zeros, and one sentence names the file.
bool PlanStream_Open(PlanStream* stream, const PlanStreamDef* def, FileError* error);

// `now` is the time that all trees on the plan stand at or beyond. Forgets the keyframes that no time from there needs, and
// reads the next ones while there is room. *reach is the time up to which the plan is known then: after `now`, but at the end
// of the file. Where it is before `target` the ring is full, or the file at its end: go on to *reach, and feed again.
//
// False where a frame before `target` cannot be read, or is no keyframe: one sentence names the file and the frame; the plan
// is known up to
// *reach, and the call may be made again. False too, and nothing is dropped or read, where vertices have come into the plan
// (grzFlightplan_AddFrameVertices): the file has no positions of them. Frames beyond `target` may be read too, but are not
// missed.
bool PlanStream_Feed(PlanStream* stream, double now, double target, double* reach, FileError* error);

// All zeros are fine.
void PlanStream_Close(PlanStream* stream);

#endif
