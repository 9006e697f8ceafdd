// The profiler: where the time of a step goes, how much work it was, as numbers and as a trace for Perfetto.
//
// A profile belongs to the host, which makes it from a def and lends it to a world or to stage functions. It holds
// a ring of zones per worker (the newest are kept, what is overwritten is counted), the sums of the running step,
// and a ring of past steps. Zones are spans with a name, a stage and a worker; they nest. Counters are sums of work
// (pairs tested, nodes visited) and no times: where the work itself is deterministic they are the same on every
// machine and for every worker count.
//
//   grzProfileDef def = grzDefaultProfileDef();
//   def.workerCount = 4;
//   grzProfile* profile;
//   grzResult result = grzProfile_Create(&def, &profile);
//   ...
//   grzProfile_BeginStep(profile);
//   ... work, on all workers ...
//   const grzStepSummary* summary = grzProfile_EndStep(profile);
//
// Threads: a worker slot has one writer at a time: only the thread that is worker w calls with w. All else is
// called by the thread that owns the profile while no worker writes; the end of the parallel work (a join, a
// barrier) must come before EndStep, the readers and WriteTrace.
//
// Memory: all of it is had by Create and RegisterCounter. Per zoneCapacity 48 bytes for one worker, 40 for each
// further one, and 8 * stepCapacity for each counter.
//
// Units: nanoseconds since Create, from the processor's time stamp counter where it runs at a constant rate (set
// against the system's monotonic clock at Create and at both ends of a step), else from the monotonic clock itself.
// The rate is known to about 50 ns over the time from Create, which takes 50 us to measure it, to the last end of a
// step: 0.1 % at first, and soon nothing. A machine that sleeps may garble the times of what came before.
//
// Builds: where the library is built without GRAZE_PROFILE it writes neither zones nor counters, but one zone for each
// stage of a world's step; what the host writes works all the same.
//
// NULL: every call that takes a profile (or a zone) to write to takes NULL, and does nothing.
#ifndef GRAZE_PROFILE_H
#define GRAZE_PROFILE_H

#include "graze/host.h"
#include "graze/result.h"

GRZ_EXTERN_C_BEGIN

typedef struct grzProfile grzProfile;

// The stages of a step, in the order they run. grz_stageUser is for the host's own zones.
typedef enum grzStage {
    grz_stagePlan = 0,
    grz_stageBroad,
    grz_stageMid,
    grz_stageNarrow,
    grz_stageSolve,
    grz_stagePublish,
    grz_stageUser,
    grz_stageCount,
} grzStage;

// "plan", "broad" and so on; "" outside the enumeration.
GRZ_API const char* grzStage_Name(grzStage stage);

// Forwards zones to a profiler of the host. Begin and end come in pairs that nest, on the thread of the worker, in
// the order of the calls, and also outside steps. The zone itself excludes the time spent in them; the zones around
// it do not.
typedef void grzProfileBeginFn(void* context, const char* name, uint32_t worker);
typedef void grzProfileEndFn(void* context, uint32_t worker);

// Nanoseconds on a clock of the host, from any thread; must not go back (a span over a jump back has length 0).
typedef uint64_t grzProfileClockFn(void* context);

typedef struct grzProfileDef {
    uint32_t mark;         // set by grzDefaultProfileDef
    uint32_t workerCount;  // 1 to GRZ_MAX_WORKERS
    uint32_t zoneCapacity; // zones kept per worker: a power of two, at most 2^30
    uint32_t stepCapacity; // steps kept for the trace, which alone shows past ones: a power of two, at most 2^30
    grzAllocator allocator;
    grzProfileBeginFn* begin; // both or neither
    grzProfileEndFn* end;
    void* hostContext;
    grzProfileClockFn* clock; // NULL: the fastest steady clock of the machine
    void* clockContext;
} grzProfileDef;

// One worker, 16384 zones, 1024 steps, the default allocator, no callbacks.
GRZ_API grzProfileDef grzDefaultProfileDef(void);

// Fails with grz_badDef (NULL, or no mark), grz_badArgument 1 (a count or capacity outside its range, half an
// allocator, one callback without the other; the reason names the field), grz_outOfMemory. *profile is set to NULL
// on failure.
GRZ_API GRZ_NODISCARD grzResult grzProfile_Create(const grzProfileDef* def, grzProfile** profile);

// In a step or outside, while no worker writes. NULL is fine. Open zones must not be closed afterwards. While a world has it, it stays,
// and an error is logged.
GRZ_API void grzProfile_Destroy(grzProfile* profile);

// How many workers may write. 0 for NULL.
GRZ_API uint32_t grzProfile_WorkerCount(const grzProfile* profile);

// Whether the rings, the counters and the sums fit together; logs the first thing that does not. O(zones). Between
// steps or in one, while no worker writes. True for NULL.
GRZ_API bool grzProfile_Validate(const grzProfile* profile);

// ---- Zones ----

// An open zone: a local of the function that opened it. Its fields are the profile's own.
typedef struct grzZone {
    grzProfile* profile; // NULL: closed, or never opened
    const char *name, *reason;
    uint64_t begin, outerInside;
    uint32_t worker, stage, depth;
} grzZone;

// Opens a zone in *zone. The name is kept as a pointer and must live as long as the profile: a string literal. NULL
// counts as "". Any depth may be open at once. Costs about as much as reading the clock.
GRZ_API void grzProfile_BeginZone(grzProfile* profile, grzStage stage, const char* name, uint32_t worker,
                                  grzZone* zone);

// Says why an open zone does what its name says: an argument of the zone in the trace. The text is kept as a pointer and must
// live as long as the profile; NULL: no reason.
GRZ_API void grzProfile_GiveReason(grzZone* zone, const char* reason);

// Closes it, on the same worker, after all zones that were opened inside it. A zone left open inside is given up
// and counts as misuse.
GRZ_API void grzProfile_EndZone(grzZone* zone);

// ---- Counters ----

// A counter of one profile. All zeros is null.
typedef struct grzCounter {
    uint32_t id;
} grzCounter;

// The counter with that name: the same for equal text, so that stages can share one; ids count from 1 in the order
// of registration. The name must live as long as the profile. A NULL profile gives the null counter and grz_ok.
// Failure, with *counter null and nothing changed: grz_badArgument 1 in a step, grz_badArgument 2 for a NULL name,
// grz_outOfMemory, grz_tooLarge.
GRZ_API GRZ_NODISCARD grzResult grzProfile_RegisterCounter(grzProfile* profile, const char* name,
                                                           grzCounter* counter);

// Adds n to the worker's share, modulo 2^64. What is counted between steps belongs to the next one.
GRZ_API void grzProfile_Count(grzProfile* profile, uint32_t worker, grzCounter counter, uint64_t n);

// ---- Steps ----

// The time of one stage in a step. A zone's own time is its length without the zones directly inside it, so a
// moment of a worker belongs to one stage only: that of the innermost zone.
typedef struct grzStageTime {
    uint64_t busy;      // own time of the stage's zones, summed over the workers
    uint64_t busiest;   // the same on the one worker that has most: busy / workerCount where the load is even
    uint64_t span;      // from the first begin to the last end of the stage's zones on any worker, with all gaps
    uint64_t zoneCount; // zones of the stage, whether the rings still hold them or not
} grzStageTime;

typedef struct grzCounterValue {
    const char* name;
    uint64_t value;
} grzCounterValue;

// A zone counts for the step in which it ends, whole; one that ends between steps counts for none and is only in
// the ring. The sums are complete whatever the rings' capacities. Times in nanoseconds.
typedef struct grzStepSummary {
    uint64_t step;       // from 0
    uint64_t begin, end; // since Create
    uint64_t wall;       // end - begin
    grzStageTime stages[grz_stageCount];
    const uint64_t* workerBusy; // per worker: own time over all stages, so time inside at least one zone
    uint32_t workerCount;
    uint32_t counterCount;
    const grzCounterValue* counters; // in the order of registration
    uint64_t overwrittenCount; // zones, mostly of earlier steps, that this step's zones pushed out of the rings
    uint64_t truncatedCount;   // zones of this very step that are no longer in the rings
    uint64_t mostZones;        // most zones of one worker in this step; zoneCapacity from here on truncates none
    uint64_t misuseCount;      // calls since the last EndStep that broke their contract and had no effect, and
                               // zones given up; 0 in a sound program
} grzStepSummary;

// Steps do not nest. A begin in a step, or an end outside one, is misuse.
GRZ_API void grzProfile_BeginStep(grzProfile* profile);

// The summary belongs to the profile and lives until the next call to EndStep, RegisterCounter or Destroy. NULL
// for NULL and outside a step.
GRZ_API const grzStepSummary* grzProfile_EndStep(grzProfile* profile);

// ---- What the rings hold ----

typedef struct grzZoneRecord {
    const char* name;
    const char* reason;  // NULL: none was given
    uint64_t begin, end; // nanoseconds since Create
    uint32_t depth;      // zones around it on its worker
    grzStage stage;
} grzZoneRecord;

// Closed zones of a worker in the order of their ends (inner before outer), from index 0, the oldest still held.
// A count of 0 for a NULL profile and for a worker that is none; a record of zeros with the name "" for an index
// that is not below the count.
GRZ_API uint32_t grzProfile_ZoneCount(const grzProfile* profile, uint32_t worker);
GRZ_API grzZoneRecord grzProfile_Zone(const grzProfile* profile, uint32_t worker, uint32_t index);

// Zones of a worker that were overwritten since Create. 0 for a NULL profile and for a worker that is none.
GRZ_API uint64_t grzProfile_OverwrittenZones(const grzProfile* profile, uint32_t worker);

// ---- Trace ----

// Gets the next `size` bytes of a text; false stops the writing.
typedef bool grzWriteFn(void* context, const void* bytes, size_t size);

// Writes what the rings hold as Chrome trace-event JSON (UTF-8), which Perfetto and chrome://tracing load: names of
// the tracks, then each step with its counters in order, then each worker's zones in order of their begin, outer
// before inner, worker by worker; a reason is the zone's argument "reason". Times are microseconds with three decimals. How much the rings no longer hold is
// in "otherData". The same profile gives the same bytes. Needs no memory; uses scratch of the profile.
// Fails with grz_badArgument 1 in a step or for a NULL profile, grz_badArgument 2 for a NULL `write`, and
// grz_ioFailed (value 0) where `write` refuses; what was written by then stays.
GRZ_API GRZ_NODISCARD grzResult grzProfile_WriteTrace(grzProfile* profile, grzWriteFn* write, void* context);

GRZ_EXTERN_C_END

#endif
