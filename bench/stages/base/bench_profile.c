// What: what a zone of the profiler costs, where somebody profiles and where nobody does.
#include "bench_base.h"

#include "profile_zone.h"

#define ZONES 1000

typedef struct ZoneWork {
    grzProfile* profile; // NULL: nobody profiles
    uint64_t zones;      // that the last step recorded
    volatile int last;   // zone of the last step that was run; volatile, so that the loop stays a loop
} ZoneWork;

static void spoilZones(void* context) {
    ZoneWork* work = context;
    work->zones = 0;
    work->last = -1;
}

static void runZones(void* context) {
    ZoneWork* work = context;
    grzProfile_BeginStep(work->profile);
    for (int i = 0; i < ZONES; ++i) {
        GRZ_ZONE_BEGIN(zone, work->profile, grz_stageUser, "zone", 0);
        work->last = i;
        GRZ_ZONE_END(zone);
    }
    const grzStepSummary* summary = grzProfile_EndStep(work->profile);
    work->zones = summary != NULL ? summary->stages[grz_stageUser].zoneCount : 0;
}

static uint64_t zoneDigest(void* context) {
    ZoneWork* work = context;
    return Bench_Digest(work->zones, &(int){work->last}, sizeof(int));
}

static bool zonesAgree(void* context) {
    ZoneWork* work = context;
    return work->last == ZONES - 1 && work->zones == (work->profile != NULL ? ZONES : 0);
}

static void measureZones(Bench* bench, ZoneWork* work, const char* variant) {
    BenchSide side = {"graze", NULL, runZones, zoneDigest, zonesAgree, work, spoilZones};
    BenchJob job = {.variant = variant,
                    .metric = "zone",
                    .unit = "ns/zone",
                    .amount = ZONES,
                    .n = ZONES,
                    .workers = 1,
                    .sides = &side,
                    .sideCount = 1};
    Bench_Measure(bench, &job);
}

void benchZone(Bench* bench) {
    grzProfileDef def = grzDefaultProfileDef();
    def.allocator = bench->allocator;
    ZoneWork on = {0}, off = {0};
    if (!grzResult_IsOk(grzProfile_Create(&def, &on.profile))) {
        Bench_Fail(bench, "zone: no profile could be made");
        return;
    }
    measureZones(bench, &on, "recording");
    measureZones(bench, &off, "no profile");
    grzProfile_Destroy(on.profile);
}
