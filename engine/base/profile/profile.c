// What: makes profiles, and takes zones and counts into them.   Promise: sums are complete; rings keep the newest.
// Idea: a zone is two reads of the tick counter and one ring entry, written when it ends. The open zone lives on
// its function's stack, so nesting has no limit; what a worker keeps of it is the depth and `inside`, the time of
// the zones closed directly inside the innermost open one. Begin saves `inside` in the zone and clears it; end
// takes it from the length (the zone's own time) and adds the length to what was saved:
//
//   outer  |--------------------|      inside: 0 . 5 . . 5+3    own = 20 - 8
//   inner      |---5---| |-3-|
//
// Holds: see profile_state.h.   Threads: a worker's fields are written by that worker; head is released last.
// Cost: two tick reads and some 3 ns a zone; nothing allocated.   Limits: a NULL or misused call has no effect.
#include "graze/profile.h"
#include "profile_uses.h"

#include <string.h>

#include "check.h"
#include "clock.h"
#include "memory.h"
#include "profile_state.h"
#include "profile_zone.h"
#include "refuse_null.h"
#include "result_make.h"

#define DEF_MARK     0x67700001u // "gp", layout 1
#define PROFILE_MARK 0x67705A5Au
#define MAX_CAPACITY (1u << 30)

GRZ_STATIC_ASSERT(sizeof(grzZoneEntry) <= 40, "graze/profile.h says so");
GRZ_STATIC_ASSERT(sizeof(grzProfileWorker) % GRZ_WORKER_ALIGNMENT == 0, "workers share no cache line");

const char* grzStage_Name(grzStage stage) {
    static const char* const names[] = {"plan", "broad", "mid", "narrow", "solve", "publish", "user"};
    GRZ_STATIC_ASSERT(sizeof names / sizeof names[0] == grz_stageCount, "a name for each stage");
    return (unsigned)stage < grz_stageCount ? names[stage] : "";
}

// ---- Making ----

grzProfileDef grzDefaultProfileDef(void) {
    return (grzProfileDef){.mark = DEF_MARK, .workerCount = 1, .zoneCapacity = 16384, .stepCapacity = 1024};
}

static bool isCapacity(uint32_t capacity) {
    return capacity != 0 && capacity <= MAX_CAPACITY && (capacity & (capacity - 1)) == 0;
}

// What is wrong with a def that was made by its function, or NULL.
static const char* flawOf(const grzProfileDef* def) {
    if (def->workerCount == 0 || def->workerCount > GRZ_MAX_WORKERS)
        return "workerCount is not from 1 to 1024";
    if (!isCapacity(def->zoneCapacity))
        return "zoneCapacity is no power of two up to 2^30";
    if (!isCapacity(def->stepCapacity))
        return "stepCapacity is no power of two up to 2^30";
    return (def->begin == NULL) != (def->end == NULL) ? "there is one of begin and end, not both" : NULL;
}

static grzResult checkDef(const grzProfileDef* def) {
    if (def == NULL || def->mark != DEF_MARK)
        return grzFail(grz_badDef, 0);
    const char* flaw = flawOf(def);
    return flaw == NULL ? grzCheckAllocator(def->allocator, 1) : grzBecause(grzFail(grz_badArgument, 1), flaw);
}

// An array of zeros in *memory, or why not.
static grzResult allocateZeroed(const grzAllocator* allocator, void** memory, size_t count, size_t size,
                                size_t alignment) {
    *memory = grzAllocate(allocator, count, size, alignment);
    if (*memory == NULL)
        return grzNoMemory(count, size);
    memset(*memory, 0, count * size);
    return grzOk();
}

static grzResult allocateWorkers(grzProfile* profile) {
    const grzAllocator* allocator = &profile->allocator;
    void* memory;
    grzResult result =
        allocateZeroed(allocator, &memory, profile->workerCount, sizeof(grzProfileWorker), GRZ_WORKER_ALIGNMENT);
    profile->workers = memory;
    for (uint32_t w = 0; grzResult_IsOk(result) && w < profile->workerCount; ++w) {
        result = allocateZeroed(allocator, &memory, profile->zoneCapacity, sizeof(grzZoneEntry), 64);
        profile->workers[w].ring = memory;
    }
    return result;
}

static grzResult allocateOwners(grzProfile* profile) {
    const grzAllocator* allocator = &profile->allocator;
    void* memory;
    grzResult result = allocateZeroed(allocator, &memory, profile->stepCapacity, sizeof(grzStepEntry), 64);
    profile->steps = memory;
    if (!grzResult_IsOk(result))
        return result;
    result = allocateZeroed(allocator, &memory, profile->workerCount, sizeof(uint64_t), 64);
    profile->workerBusy = memory;
    if (!grzResult_IsOk(result))
        return result;
    result = allocateZeroed(allocator, &memory, (size_t)profile->zoneCapacity * 2, sizeof(uint32_t), 64);
    profile->links = memory;
    return result;
}

// grzProfileClockFn
static uint64_t readMonotonic(void* context) {
    (void)context;
    return grzMonotonicNanoseconds();
}

static void startClock(grzProfile* profile, const grzProfileDef* def) {
    profile->usesTicks = def->clock == NULL && grzHasSteadyTicks();
    profile->clock = def->clock != NULL ? def->clock : readMonotonic;
    profile->clockContext = def->clockContext;
    if (profile->usesTicks) {
        profile->line = grzTimeLine_Measure();
    } else {
        uint64_t now = profile->clock(profile->clockContext);
        profile->line = grzTimeLine_Start((grzTimePair){now, now});
    }
}

grzResult grzProfile_Create(const grzProfileDef* def, grzProfile** profile) {
    GRZ_REFUSE_NULL(profile, 2);
    *profile = NULL;
    grzResult result = checkDef(def);
    if (!grzResult_IsOk(result))
        return result;
    grzAllocator allocator = grzAllocator_OrDefault(def->allocator);
    void* memory;
    result = allocateZeroed(&allocator, &memory, 1, sizeof(grzProfile), _Alignof(grzProfile));
    if (!grzResult_IsOk(result))
        return result;
    grzProfile* made = memory;
    *made = (grzProfile){.mark = PROFILE_MARK,
                         .workerCount = def->workerCount,
                         .zoneCapacity = def->zoneCapacity,
                         .stepCapacity = def->stepCapacity,
                         .begin = def->begin,
                         .end = def->end,
                         .hostContext = def->hostContext,
                         .allocator = allocator};
    result = allocateWorkers(made);
    if (grzResult_IsOk(result))
        result = allocateOwners(made);
    if (!grzResult_IsOk(result)) {
        grzProfile_Destroy(made);
        return result;
    }
    startClock(made, def);
    *profile = made;
    return grzOk();
}

uint32_t grzProfile_WorkerCount(const grzProfile* profile) {
    return profile != NULL ? profile->workerCount : 0;
}

grzUses* grzProfile_Uses(grzProfile* profile) {
    return profile != NULL ? &profile->uses : NULL;
}

void grzProfile_Destroy(grzProfile* profile) {
    if (profile == NULL || !grzUses_AreOver(&profile->uses, "profile", "worlds"))
        return;
    GRZ_ASSERT(profile->mark == PROFILE_MARK);
    grzAllocator allocator = profile->allocator;
    for (uint32_t w = 0; profile->workers != NULL && w < profile->workerCount; ++w) {
        grzArray_Release(&profile->workers[w].counters, &allocator);
        grzRelease(&allocator, profile->workers[w].ring, profile->zoneCapacity, sizeof(grzZoneEntry), 64);
    }
    grzRelease(&allocator, profile->workers, profile->workerCount, sizeof(grzProfileWorker), GRZ_WORKER_ALIGNMENT);
    grzRelease(&allocator, profile->steps, profile->stepCapacity, sizeof(grzStepEntry), 64);
    grzRelease(&allocator, profile->workerBusy, profile->workerCount, sizeof(uint64_t), 64);
    grzRelease(&allocator, profile->links, (size_t)profile->zoneCapacity * 2, sizeof(uint32_t), 64);
    grzArray_Release(&profile->counterHistory, &allocator);
    grzArray_Release(&profile->counters, &allocator);
    profile->mark = 0;
    grzRelease(&allocator, profile, 1, sizeof *profile, _Alignof(grzProfile));
}

// ---- Zones ----

static grzProfileWorker* workerOf(grzProfile* profile, uint32_t worker) {
    if (worker < profile->workerCount)
        return &profile->workers[worker];
    atomic_fetch_add_explicit(&profile->misuseCount, 1, memory_order_relaxed); // a sum, read after the join
    return NULL;
}

void grzProfile_BeginZone(grzProfile* profile, grzStage stage, const char* name, uint32_t worker, grzZone* zone) {
    GRZ_RETURN_IF_NULL(zone, );
    zone->profile = NULL;
    if (profile == NULL)
        return;
    grzProfileWorker* own = workerOf(profile, worker);
    if (own == NULL)
        return;
    if ((unsigned)stage >= grz_stageCount) {
        own->misuseCount++;
        return;
    }
    zone->profile = profile;
    zone->name = name != NULL ? name : "";
    zone->reason = NULL;
    zone->worker = worker;
    zone->stage = (uint32_t)stage;
    zone->depth = own->depth++;
    zone->outerInside = own->inside;
    own->inside = 0;
    if (profile->begin != NULL)
        profile->begin(profile->hostContext, zone->name, worker);
    zone->begin = grzProfile_Now(profile);
}

void grzProfile_GiveReason(grzZone* zone, const char* reason) {
    if (zone != NULL && zone->profile != NULL)
        zone->reason = reason;
}

static void addToStage(grzStageSum* sum, uint64_t begin, uint64_t end, uint64_t own) {
    sum->own += own;
    sum->first = begin < sum->first ? begin : sum->first;
    sum->last = end > sum->last ? end : sum->last;
    sum->zoneCount++;
}

static void pushZone(const grzProfile* profile, grzProfileWorker* worker, const grzZone* zone, uint64_t end) {
    uint64_t head = atomic_load_explicit(&worker->head, memory_order_relaxed); // its only writer is this thread
    worker->ring[head & (profile->zoneCapacity - 1)] =
        (grzZoneEntry){zone->begin, end, zone->name, zone->reason, zone->depth, zone->stage};
    atomic_store_explicit(&worker->head, head + 1, memory_order_release); // publishes the entry and the sums
}

// Zones that were left open inside this one. Their host callbacks are owed too.
static void giveUpInner(const grzProfile* profile, grzProfileWorker* own, const grzZone* zone) {
    for (; own->depth > zone->depth + 1; own->depth--) {
        own->misuseCount++;
        if (profile->end != NULL)
            profile->end(profile->hostContext, zone->worker);
    }
}

void grzProfile_EndZone(grzZone* zone) {
    const grzProfile* profile = zone != NULL ? zone->profile : NULL;
    if (profile == NULL)
        return;
    uint64_t end = grzProfile_Now(profile);
    grzProfileWorker* own = &profile->workers[zone->worker];
    zone->profile = NULL;
    if (own->depth != zone->depth + 1) {
        if (own->depth <= zone->depth) { // given up before
            own->misuseCount++;
            return;
        }
        giveUpInner(profile, own, zone);
    }
    own->depth = zone->depth;
    end = end < zone->begin ? zone->begin : end; // the thread has moved to a core whose counter lags
    uint64_t length = end - zone->begin;
    addToStage(&own->stages[zone->stage], zone->begin, end, length > own->inside ? length - own->inside : 0);
    own->inside = zone->outerInside + length;
    pushZone(profile, own, zone, end);
    if (profile->end != NULL)
        profile->end(profile->hostContext, zone->worker);
}

// ---- Counters ----

// Memory for so many counters in all, before anything is changed.
static grzResult reserveCounters(grzProfile* profile, size_t count) {
    const grzAllocator* allocator = &profile->allocator;
    if (!grzArray_Reserve(&profile->counters, allocator, count))
        return grzNoMemory(count, sizeof(grzCounterValue));
    for (uint32_t w = 0; w < profile->workerCount; ++w)
        if (!grzArray_Reserve(&profile->workers[w].counters, allocator, count))
            return grzNoMemory(count, sizeof(uint64_t));
    if (!grzArray_Reserve(&profile->counterHistory, allocator, count * profile->stepCapacity))
        return grzNoMemory(count * profile->stepCapacity, sizeof(uint64_t));
    return grzOk();
}

static void appendCounter(grzProfile* profile, const char* name) {
    profile->counters.data[profile->counters.count++] = (grzCounterValue){name, 0};
    for (uint32_t w = 0; w < profile->workerCount; ++w) {
        grzCounts* counts = &profile->workers[w].counters;
        counts->data[counts->count++] = 0;
    }
    grzCounts* history = &profile->counterHistory;
    memset(history->data + history->count, 0, profile->stepCapacity * sizeof(uint64_t));
    history->count += profile->stepCapacity;
}

static grzCounter findCounter(const grzProfile* profile, const char* name) {
    for (size_t i = 0; i < profile->counters.count; ++i)
        if (strcmp(profile->counters.data[i].name, name) == 0)
            return (grzCounter){(uint32_t)i + 1};
    return (grzCounter){0};
}

grzResult grzProfile_RegisterCounters(grzProfile* profile, const char* const* names, size_t count,
                                      grzCounter* counters) {
    memset(counters, 0, count * sizeof *counters);
    if (profile == NULL)
        return grzOk();
    if (profile->inStep)
        return grzBecause(grzFail(grz_badArgument, 1), "the profile is in a step");
    size_t most = profile->counters.count;
    for (size_t i = 0; i < count; ++i) {
        if (names[i] == NULL)
            return grzBecause(grzFail(grz_badArgument, 2), "a counter needs a name");
        most += findCounter(profile, names[i]).id == 0;
    }
    if (most > UINT32_MAX)
        return grzBecause(grzFail(grz_tooLarge, most), "a profile has at most 2^32 - 1 counters");
    const grzResult result = reserveCounters(profile, most);
    for (size_t i = 0; i < count && grzResult_IsOk(result); ++i) {
        if (findCounter(profile, names[i]).id == 0)
            appendCounter(profile, names[i]);
        counters[i] = findCounter(profile, names[i]);
    }
    return result;
}

grzResult grzProfile_RegisterCounter(grzProfile* profile, const char* name, grzCounter* counter) {
    GRZ_REFUSE_NULL(counter, 3);
    return grzProfile_RegisterCounters(profile, &name, 1, counter);
}

void grzProfile_Count(grzProfile* profile, uint32_t worker, grzCounter counter, uint64_t n) {
    if (profile == NULL)
        return;
    grzProfileWorker* own = workerOf(profile, worker);
    if (own == NULL)
        return;
    if (counter.id - 1 < own->counters.count)
        own->counters.data[counter.id - 1] += n;
    else
        own->misuseCount++;
}

// ---- Checks ----

static bool fits(bool condition, const char* what, uint32_t worker, uint64_t index) {
    if (!condition)
        grzLog(grz_logError, "profile: worker %u, entry %llu: %s", worker, (unsigned long long)index, what);
    return condition;
}

static bool validateWorker(const grzProfile* profile, uint32_t w) {
    const grzProfileWorker* worker = &profile->workers[w];
    uint64_t head = grzProfileWorker_Head(worker);
    for (uint64_t i = grzProfile_Lost(profile, head); i < head; ++i) {
        const grzZoneEntry* entry = &worker->ring[i & (profile->zoneCapacity - 1)];
        if (!fits(entry->name != NULL, "a zone has no name", w, i) ||
            !fits(entry->stage < grz_stageCount, "a zone is of no stage", w, i) ||
            !fits(entry->begin <= entry->end, "a zone ends before it begins", w, i))
            return false;
    }
    return fits(worker->counters.count == profile->counters.count, "counters are missing", w, 0) &&
           fits(worker->stepHead <= head, "the ring's head went back", w, head);
}

bool grzProfile_Validate(const grzProfile* profile) {
    if (profile == NULL)
        return true;
    bool isSound =
        fits(profile->mark == PROFILE_MARK, "this is no profile", 0, 0) &&
        fits(isCapacity(profile->zoneCapacity), "the zone capacity is no power of two", 0, profile->zoneCapacity) &&
        fits(isCapacity(profile->stepCapacity), "the step capacity is no power of two", 0, profile->stepCapacity) &&
        fits(profile->counterHistory.count == profile->counters.count * profile->stepCapacity,
             "the counters' history does not fit their number", 0, profile->counterHistory.count);
    for (uint32_t w = 0; isSound && w < profile->workerCount; ++w)
        isSound = validateWorker(profile, w);
    return isSound;
}
