// What: begins and ends steps, and sums what the workers wrote in between; reads the rings.
// Promise: sums are taken as integers (ticks, counts) in worker order, so they do not depend on who did what.
// Threads: the owner's, while no worker writes.   Cost: O(workers * (stages + counters)) a step, nothing allocated.
#include "check.h"
#include "profile_state.h"

// Draws the time line on to now. Clocks in nanoseconds need no line. Kept out of the step's own time.
static void extendLine(grzProfile* profile) {
    if (profile->usesTicks)
        grzTimeLine_Extend(&profile->line, grzReadTimePair());
}

void grzProfile_BeginStep(grzProfile* profile) {
    if (profile == NULL)
        return;
    if (profile->inStep) {
        atomic_fetch_add_explicit(&profile->misuseCount, 1, memory_order_relaxed);
        return;
    }
    for (uint32_t w = 0; w < profile->workerCount; ++w) {
        grzProfileWorker* worker = &profile->workers[w];
        worker->stepHead = grzProfileWorker_Head(worker);
        for (int s = 0; s < grz_stageCount; ++s)
            worker->stages[s] = (grzStageSum){.first = UINT64_MAX};
    }
    profile->inStep = true;
    extendLine(profile);
    profile->stepBegin = grzProfile_Now(profile);
}

static grzStageTime sumStage(const grzProfile* profile, int stage) {
    uint64_t own = 0, most = 0, first = UINT64_MAX, last = 0, zoneCount = 0;
    for (uint32_t w = 0; w < profile->workerCount; ++w) {
        const grzStageSum* sum = &profile->workers[w].stages[stage];
        own += sum->own;
        zoneCount += sum->zoneCount;
        most = sum->own > most ? sum->own : most;
        first = sum->first < first ? sum->first : first;
        last = sum->last > last ? sum->last : last;
    }
    return (grzStageTime){.busy = grzTimeLine_Length(&profile->line, own),
                          .busiest = grzTimeLine_Length(&profile->line, most),
                          .span = first < last ? grzTimeLine_Length(&profile->line, last - first) : 0,
                          .zoneCount = zoneCount};
}

static void sumWorker(grzProfile* profile, uint32_t w, grzStepSummary* summary) {
    grzProfileWorker* worker = &profile->workers[w];
    uint64_t own = 0;
    for (int s = 0; s < grz_stageCount; ++s)
        own += worker->stages[s].own;
    profile->workerBusy[w] = grzTimeLine_Length(&profile->line, own);
    uint64_t head = grzProfileWorker_Head(worker), zoneCount = head - worker->stepHead;
    summary->overwrittenCount += grzProfile_Lost(profile, head) - grzProfile_Lost(profile, worker->stepHead);
    summary->truncatedCount += grzProfile_Lost(profile, zoneCount);
    summary->mostZones = zoneCount > summary->mostZones ? zoneCount : summary->mostZones;
    summary->misuseCount += worker->misuseCount;
    worker->misuseCount = 0;
}

// Moves the workers' shares into the table and the history, and clears them for the next step.
static void sumCounters(grzProfile* profile) {
    size_t slot = profile->stepCount & (profile->stepCapacity - 1);
    for (size_t c = 0; c < profile->counters.count; ++c) {
        uint64_t value = 0;
        for (uint32_t w = 0; w < profile->workerCount; ++w) {
            value += profile->workers[w].counters.data[c];
            profile->workers[w].counters.data[c] = 0;
        }
        profile->counters.data[c].value = value;
        profile->counterHistory.data[c * profile->stepCapacity + slot] = value;
    }
}

static void summarise(grzProfile* profile, uint64_t end) {
    grzStepSummary* summary = &profile->summary;
    *summary = (grzStepSummary){.step = profile->stepCount,
                                .begin = grzTimeLine_Moment(&profile->line, profile->stepBegin),
                                .end = grzTimeLine_Moment(&profile->line, end),
                                .workerBusy = profile->workerBusy,
                                .workerCount = profile->workerCount,
                                .counterCount = (uint32_t)profile->counters.count,
                                .counters = profile->counters.data,
                                .misuseCount = atomic_exchange(&profile->misuseCount, 0)};
    summary->wall = summary->end - summary->begin;
    for (int s = 0; s < grz_stageCount; ++s)
        summary->stages[s] = sumStage(profile, s);
    for (uint32_t w = 0; w < profile->workerCount; ++w)
        sumWorker(profile, w, summary);
    sumCounters(profile);
}

const grzStepSummary* grzProfile_EndStep(grzProfile* profile) {
    if (profile == NULL)
        return NULL;
    uint64_t end = grzProfile_Now(profile);
    if (!profile->inStep) {
        atomic_fetch_add_explicit(&profile->misuseCount, 1, memory_order_relaxed);
        return NULL;
    }
    profile->inStep = false;
    extendLine(profile);
    end = end < profile->stepBegin ? profile->stepBegin : end;
    profile->steps[profile->stepCount & (profile->stepCapacity - 1)] = (grzStepEntry){profile->stepBegin, end};
    summarise(profile, end);
    profile->stepCount++;
    GRZ_VALIDATE(grzProfile_Validate(profile));
    return &profile->summary;
}

// ---- Reading ----

uint32_t grzProfile_ZoneCount(const grzProfile* profile, uint32_t worker) {
    if (profile == NULL || worker >= profile->workerCount)
        return 0;
    uint64_t head = grzProfileWorker_Head(&profile->workers[worker]);
    return (uint32_t)(head - grzProfile_Lost(profile, head));
}

uint64_t grzProfile_OverwrittenZones(const grzProfile* profile, uint32_t worker) {
    if (profile == NULL || worker >= profile->workerCount)
        return 0;
    return grzProfile_Lost(profile, grzProfileWorker_Head(&profile->workers[worker]));
}

grzZoneRecord grzProfile_Zone(const grzProfile* profile, uint32_t worker, uint32_t index) {
    if (index >= grzProfile_ZoneCount(profile, worker))
        return (grzZoneRecord){.name = ""};
    uint64_t place = grzProfile_OverwrittenZones(profile, worker) + index;
    const grzZoneEntry* entry = &profile->workers[worker].ring[place & (profile->zoneCapacity - 1)];
    return (grzZoneRecord){.name = entry->name,
                           .reason = entry->reason,
                           .begin = grzTimeLine_Moment(&profile->line, entry->begin),
                           .end = grzTimeLine_Moment(&profile->line, entry->end),
                           .depth = entry->depth,
                           .stage = (grzStage)entry->stage};
}
