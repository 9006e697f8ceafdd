// What: graze/upkeep.h: making it, time, changes of paths, figures.
// Idea: a frame asks the model, goes over to another way where that says so, and tells it afterwards what was counted. On a chord
//   tree most frames lie in the interval of the frame before and read next to nothing: such quiet frames are only counted, and
//   the model hears of them with the next one that is not.
// Holds: a call is checked before anything is done.
#include <math.h>
#include <string.h>

#include "bvh_parts.h"
#include "check.h"
#include "chord_inside.h"
#include "memory.h"
#include "plan_flaw.h"
#include "profile_zone.h"
#include "refuse_null.h"
#include "result_make.h"
#include "task_worker.h"
#include "upkeep_inside.h"

#define DEF_MARK 0x504B5055u

// What the box of a chunk costs from its vertices, of a refit of the chunk: the rows `a frame, 0 % asked`, l=1, of
// `graze-bench kinetic --case lazy`.
#define ROOT_PART 0.25

const char* grzUpkeepWay_Name(grzUpkeepWay way) {
    static const char* const names[grz_upkeepWayCount] = {"refit", "chord", "batched", "ordered", "box tree"};
    return (unsigned)way < grz_upkeepWayCount ? names[way] : "";
}

grzUpkeepDef grzDefaultUpkeepDef(void) {
    grzUpkeepDef def;
    memset(&def, 0, sizeof def);
    def.mark = DEF_MARK;
    def.numbering = grz_bvhCallersNumbers;
    def.startTime = (double)NAN;
    def.frameLimit = 1.2;
    def.looseness = INFINITY;
    def.readyBy = 1;
    def.costs = grzDefaultUpkeepCosts();
    return def;
}

// ---- what is refused ----

static bool isAlone(uint32_t ways) {
    return (ways & (ways - 1)) == 0;
}

static uint32_t waysOf(const grzUpkeepDef* def) {
    if (def->ways != 0)
        return def->ways;
    return GRZ_UPKEEP_BIT(grz_upkeepRefit) |
           GRZ_UPKEEP_BIT(def->plan->kind == grz_planPaths ? grz_upkeepBatched : grz_upkeepChord);
}

static const char* flawOfCosts(const grzUpkeepCosts* costs) {
    const grzUpkeepCost all[] = {
        costs->triangles,     costs->batchedTriangles, costs->refit,         costs->evaluateFrames,
        costs->evaluatePaths, costs->chordRefit,       costs->chordWrite,    costs->chordCopy,
        costs->batchedMake,   costs->batchedKeyframe,  costs->batchedRepair, costs->batchedWrite,
    };
    GRZ_STATIC_ASSERT(sizeof all == sizeof *costs, "every cost is there");
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        if (!(all[i].small > 0 && all[i].large > 0 && isfinite(all[i].small) && isfinite(all[i].large)))
            return "a number of costs is not finite and above 0";
    return costs->triangles.small < costs->triangles.large &&
                   costs->batchedTriangles.small < costs->batchedTriangles.large
               ? NULL
               : "triangles of costs are no less in the small mesh than in the large one";
}

static const char* flawOfWays(const grzUpkeepDef* def) {
    const uint32_t ways = waysOf(def);
    if (ways >> grz_upkeepWayCount != 0)
        return "ways has a bit of no grzUpkeepWay";
    if (!isAlone(ways) && (allowsWay(ways, grz_upkeepOrdered) || allowsWay(ways, grz_upkeepBoxTree)))
        return "ways has ordered, or box tree, and others";
    if (def->plan->kind == grz_planPaths && allowsWay(ways, grz_upkeepChord))
        return "ways has chord, but plan is one of paths";
    return NULL;
}

static const char* flawOf(const grzUpkeepDef* def) {
    const char* flaw = grzPlan_FlawOfTree(def->bvh, def->plan, def->numbering, def->startTime);
    if (flaw != NULL)
        return flaw;
    if (grzFlightplan_VertexCount(def->plan) != grzBvh_GetView(def->bvh).vertexCount)
        return "plan has not as many vertices as bvh";
    if (!(def->looseness > 0))
        return "looseness is not above 0, or no number";
    if (!(def->readyBy > 0 && def->readyBy <= 1))
        return "readyBy is not above 0 and up to 1";
    if (!(def->frameLimit >= 1))
        return "frameLimit is below 1, or no number";
    flaw = flawOfWays(def);
    return flaw != NULL ? flaw : flawOfCosts(&def->costs);
}

// ---- making it ----

// Of a frame in each way, and of the counter of such frames.
static const char* const zoneNames[grz_upkeepWayCount] = {"upkeep refit", "upkeep chord", "upkeep batched",
                                                          "upkeep ordered", "upkeep box tree"};

static grzResult registerCounters(grzUpkeep* upkeep) {
    const char* names[1 + grz_upkeepWayCount] = {"upkeep switches"};
    grzCounter counters[1 + grz_upkeepWayCount];
    size_t count = 1;
    for (int way = 0; way < grz_upkeepWayCount; ++way)
        if (allowsWay(upkeep->ways, (grzUpkeepWay)way))
            names[count++] = zoneNames[way];
    const grzResult result = grzProfile_RegisterCounters(upkeep->profile, names, count, counters);
    upkeep->switches = counters[0];
    for (int way = grz_upkeepWayCount; way-- > 0;)
        if (allowsWay(upkeep->ways, (grzUpkeepWay)way))
            upkeep->counters[way] = counters[--count];
    return result;
}

static void setUp(grzUpkeep* upkeep, const grzUpkeepDef* def) {
    upkeep->bvh = def->bvh;
    upkeep->view = grzBvh_GetView(def->bvh);
    upkeep->plan = def->plan;
    upkeep->numbering = def->numbering;
    upkeep->looseness = def->looseness;
    upkeep->readyBy = def->readyBy;
    upkeep->isLazy = def->isLazy;
    upkeep->ways = waysOf(def);
    upkeep->isFixed = isAlone(upkeep->ways);
    upkeep->time = grzPlan_StartOf(def->plan, def->startTime);
    upkeep->at = grzPlan_TimeOf(def->plan, upkeep->time);
    upkeep->revision = def->plan->revision;
    upkeep->hierarchy = def->bvh->revision;
    upkeep->profile = def->profile;
    upkeep->positionCount = grzFlightplan_VertexCount(def->plan);
    const bool hasPaths = def->plan->kind == grz_planPaths;
    const uint32_t vertices = upkeep->view.vertexCount, triangles = upkeep->view.triangleCount;
    const UpkeepRates rates = grzUpkeepRates_Of(&def->costs, hasPaths, triangles, vertices);
    upkeep->model = grzUpkeepModel_Make(&rates, upkeep->ways, hasPaths, def->frameLimit,
                                        6 * ((double)upkeep->view.leafCount + upkeep->view.nodeCount));
    upkeep->model.readyBy = (double)def->readyBy;
    if (!upkeep->isFixed)
        return;
    grzUpkeepWay way = grz_upkeepRefit;
    while (!allowsWay(upkeep->ways, way))
        ++way;
    grzUpkeepModel_Enter(&upkeep->model, way, "no other way is allowed");
}

// Everything that going over must not fail for, then the way to begin with.
static grzResult makeWays(grzUpkeep* upkeep, grzTasks* tasks) {
    grzResult result = grzOk();
    if (allowsWay(upkeep->ways, grz_upkeepRefit))
        result = grzUpkeep_Enter(upkeep, tasks, grz_upkeepRefit, upkeep->time);
    if (grzResult_IsOk(result) && upkeep->model.way != grz_upkeepRefit)
        result = grzUpkeep_Enter(upkeep, tasks, upkeep->model.way, upkeep->time);
    return grzResult_IsOk(result) ? grzUpkeep_RunWay(upkeep, tasks, upkeep->time, NULL) : result;
}

grzResult grzUpkeep_Create(const grzUpkeepDef* def, grzUpkeep** made) {
    GRZ_REFUSE_NULL(made, 2);
    *made = NULL;
    if (def == NULL || def->mark != DEF_MARK)
        return grzFail(grz_badDef, 0);
    grzResult result;
    grzUpkeep* upkeep = grzPlan_NewTree(flawOf(def), def->allocator, sizeof *upkeep, _Alignof(grzUpkeep), &result);
    if (upkeep == NULL)
        return result;
    grzCountedMemory_Init(&upkeep->memory, def->allocator);
    setUp(upkeep, def);
    result = makeWays(upkeep, def->tasks);
    if (grzResult_IsOk(result))
        result = registerCounters(upkeep); // which nothing takes back: last
    if (grzResult_IsOk(result))
        *made = upkeep;
    else
        grzUpkeep_Destroy(upkeep);
    return result;
}

void grzUpkeep_Destroy(grzUpkeep* upkeep) {
    if (upkeep == NULL)
        return;
    const grzAllocator allocator = upkeep->memory.host;
    const size_t count = 3 * upkeep->positionCount, nodeCount = upkeep->view.nodeCount;
    grzChordTree_Destroy(upkeep->chord);
    grzKineticTree_Destroy(upkeep->kinetic);
    grzBoxTree_Destroy(upkeep->boxTree);
    grzRelease(&upkeep->memory.allocator, upkeep->positions, count, sizeof(float), 64);
    grzRelease(&upkeep->memory.allocator, upkeep->nodes, nodeCount, sizeof(grzBvhNode), GRZ_BVH_ALIGNMENT);
    grzRelease(&allocator, upkeep, 1, sizeof *upkeep, _Alignof(grzUpkeep));
}

// ---- the model and the trees ----

static UpkeepFrame frameOf(const grzUpkeep* upkeep, double before, double at) {
    return (UpkeepFrame){.before = before, .at = at, .end = grzPlan_End(upkeep->plan)};
}

// What a chord tree has refit, with what a lazy one made of chunks that nobody reached.
static double chunksOf(const grzUpkeep* upkeep) {
    const ChordWork work = grzChord_Work(upkeep->chord);
    return (double)work.chunks + ROOT_PART * (double)work.roots;
}

// What was counted since the last look, in nanoseconds. The model is told, but of a frame in which a tree was entered.
static double seeChord(grzUpkeep* upkeep, const UpkeepFrame* frame, bool isNew) {
    UpkeepModel* model = &upkeep->model;
    const double chunks = chunksOf(upkeep), refits = (chunks - upkeep->chunks) / fmax(upkeep->view.chunkCount, 1);
    if (!isNew)
        grzUpkeepModel_SeeChord(model, grzUpkeep_ChordRefits(model->readyBy, frame->before, frame->at, frame->end),
                                refits);
    upkeep->chunks = chunks;
    return refits * model->rates.chordRefit;
}

static double seeBatched(grzUpkeep* upkeep, const UpkeepFrame* frame, bool isNew) {
    UpkeepModel* model = &upkeep->model;
    const uint64_t repairs = grzKineticTree_GetStats(upkeep->kinetic).repairs;
    const double some = (double)(repairs - upkeep->repairs);
    upkeep->repairs = repairs;
    if (isNew)
        return model->rates.batchedMake;
    grzUpkeepModel_SeeRepairs(model, frame, some);
    return grzUpkeepModel_BatchedCost(model, grzUpkeepModel_Keyframes(model, frame), some);
}

static double seeWork(grzUpkeep* upkeep, const UpkeepFrame* frame, const double costs[grz_upkeepWayCount],
                      bool isNew) {
    const grzUpkeepWay way = upkeep->model.way;
    if (way != grz_upkeepChord && way != grz_upkeepBatched)
        return costs[way];
    return grzUpkeepModel_WriteCost(&upkeep->model, frame, way) +
           (way == grz_upkeepChord ? seeChord(upkeep, frame, isNew) : seeBatched(upkeep, frame, isNew));
}

static void noteQuiet(grzUpkeep* upkeep) {
    if (upkeep->quietFrames == 0)
        return;
    double costs[grz_upkeepWayCount];
    const UpkeepFrame frame = frameOf(upkeep, upkeep->quietAt, upkeep->at);
    grzUpkeepModel_Expect(&upkeep->model, &frame, costs);
    costs[grz_upkeepRefit] *= upkeep->quietFrames;
    const double spent = seeWork(upkeep, &frame, costs, false);
    grzUpkeepModel_Note(&upkeep->model, costs, spent);
    upkeep->stats.ways[upkeep->model.way].predicted += spent;
    upkeep->quietFrames = 0;
}

static void goOver(grzUpkeep* upkeep, grzTasks* tasks, const UpkeepChoice* choice, double time) {
    if (!grzResult_IsOk(grzUpkeep_Enter(upkeep, tasks, choice->way, time))) {
        upkeep->stats.refused++;
        upkeep->model.regret[choice->way] = 0;
        upkeep->model.reason = "there was no memory to go over to another way";
        return;
    }
    grzUpkeep_Leave(upkeep, upkeep->model.way);
    grzUpkeepModel_Enter(&upkeep->model, choice->way, choice->reason);
    upkeep->repairs = 0;
    upkeep->stats.switches++;
    GRZ_COUNT(upkeep->profile, grzTasks_Worker(tasks), upkeep->switches, 1);
}

// ---- a frame ----

// The way's own zone, so that it can be told how long it took.
static grzResult runTimed(grzUpkeep* upkeep, grzTasks* tasks, double time, grzBvhNode* nodes) {
    const grzUpkeepWay way = upkeep->model.way;
    upkeep->stats.ways[way].frames++;
    if (upkeep->profile == NULL)
        return grzUpkeep_RunWay(upkeep, tasks, time, nodes);
    const uint32_t worker = grzTasks_Worker(tasks);
    grzZone zone;
    grzProfile_BeginZone(upkeep->profile, grz_stageMid, zoneNames[way], worker, &zone);
    grzProfile_GiveReason(&zone, upkeep->model.reason);
    const grzResult result = grzUpkeep_RunWay(upkeep, tasks, time, nodes);
    grzProfile_EndZone(&zone);
    const uint32_t count = grzProfile_ZoneCount(upkeep->profile, worker);
    if (count != 0) {
        const grzZoneRecord record = grzProfile_Zone(upkeep->profile, worker, count - 1);
        upkeep->stats.ways[way].measured += (double)(record.end - record.begin);
    }
    GRZ_COUNT(upkeep->profile, worker, upkeep->counters[way], 1);
    return result;
}

// A frame of a chord tree in the interval where it stands: no other way could be cheaper.
static bool isQuiet(const grzUpkeep* upkeep, double at, const grzBvhNode* nodes) {
    return upkeep->model.way == grz_upkeepChord && nodes == NULL && at < floor(upkeep->at) + 1;
}

static grzResult runQuiet(grzUpkeep* upkeep, grzTasks* tasks, double time) {
    if (upkeep->quietFrames++ == 0)
        upkeep->quietAt = upkeep->at;
    return runTimed(upkeep, tasks, time, NULL);
}

static grzResult runChosen(grzUpkeep* upkeep, grzTasks* tasks, double time, double at, grzBvhNode* nodes) {
    UpkeepModel* model = &upkeep->model;
    double costs[grz_upkeepWayCount];
    noteQuiet(upkeep);
    UpkeepFrame frame = frameOf(upkeep, upkeep->at, at);
    frame.isWritten = nodes != NULL;
    frame.changed = model->way == grz_upkeepBatched ? 0 : upkeep->changed; // else they are in what was spent
    grzUpkeepModel_Expect(model, &frame, costs);
    costs[model->way] += upkeep->spent;
    // A batched tree that has followed changes is up to date: to leave it now would be for nothing.
    const bool hasFollowed = model->way == grz_upkeepBatched && upkeep->spent > 0;
    const UpkeepChoice stay = {model->way, model->reason, 0};
    const UpkeepChoice choice = hasFollowed ? stay : grzUpkeepModel_Choose(model, &frame, costs);
    for (int way = 0; way < grz_upkeepWayCount; ++way)
        upkeep->stats.ways[way].next = costs[way];
    const grzUpkeepWay before = model->way;
    if (choice.way != before)
        goOver(upkeep, tasks, &choice, time);
    const grzUpkeepWay way = model->way;
    const grzResult result = runTimed(upkeep, tasks, time, nodes);
    double spent = upkeep->spent + seeWork(upkeep, &frame, costs, way != before);
    if (choice.prepare > 0) {
        grzUpkeep_Prepare(upkeep, tasks, choice.prepare);
        upkeep->chunks = chunksOf(upkeep);
        spent += choice.prepare * model->rates.chordRefit;
    }
    grzUpkeepModel_Note(model, costs, spent);
    upkeep->stats.ways[way].predicted += spent;
    return result;
}

const char* grzUpkeep_FlawOfMesh(const grzUpkeep* upkeep) {
    if (upkeep->bvh->revision != upkeep->hierarchy)
        return "the hierarchy was edited or rebuilt: the upkeep is to be made anew";
    return upkeep->plan->vertexCount != upkeep->positionCount
               ? "vertices came into the plan: the upkeep is to be made anew"
               : NULL;
}

static grzResult checkTime(const grzUpkeep* upkeep, double time) {
    if (!grzPlan_Knows(upkeep->plan, time))
        return grzBecause(grzFail(grz_badArgument, 3), "the time is outside of what the plan knows");
    if (time < upkeep->time)
        return grzBecause(grzFail(grz_badArgument, 3), "the time is before that of the upkeep");
    if (upkeep->plan->revision != upkeep->revision)
        return grzBecause(grzFail(grz_badArgument, 1), "the paths of the plan were changed, and not by the upkeep");
    if (upkeep->plan->kind == grz_planKeyframes && upkeep->at < upkeep->plan->firstFrame)
        return grzBecause(grzFail(grz_badArgument, 1), "keyframes were dropped that the upkeep stands on");
    const char* flaw = grzUpkeep_FlawOfMesh(upkeep);
    return flaw == NULL ? grzOk() : grzBecause(grzFail(grz_badArgument, 1), flaw);
}

grzResult grzUpkeep_Advance(grzUpkeep* upkeep, grzTasks* tasks, double time, grzBvhNode* nodes) {
    GRZ_REFUSE_NULL(upkeep, 1);
    grzResult result = checkTime(upkeep, time);
    if (!grzResult_IsOk(result))
        return result;
    if (nodes != NULL && upkeep->model.way == grz_upkeepBoxTree)
        return grzBecause(grzFail(grz_badArgument, 4), "a box tree has other nodes");
    const double at = grzPlan_TimeOf(upkeep->plan, time);
    GRZ_ZONE_BEGIN(zone, upkeep->profile, grz_stageMid, "upkeep", grzTasks_Worker(tasks));
    if (upkeep->isFixed)
        result = runTimed(upkeep, tasks, time, nodes);
    else if (isQuiet(upkeep, at, nodes))
        result = runQuiet(upkeep, tasks, time);
    else
        result = runChosen(upkeep, tasks, time, at, nodes);
    GRZ_ZONE_END(zone);
    if (!grzResult_IsOk(result))
        return result;
    if (upkeep->plan->kind == grz_planKeyframes && floor(at) != floor(upkeep->at))
        upkeep->stats.ways[upkeep->model.way].intervals++;
    upkeep->time = time;
    upkeep->at = at;
    upkeep->isStale = false;
    upkeep->changed = upkeep->spent = 0;
    return grzOk();
}

// ---- changes ----

// The batched tree as it goes on and changes; what it had to look at is told to the model.
static grzResult changeBatched(grzUpkeep* upkeep, grzTasks* tasks, double time, const grzFlightplanChange* change) {
    grzResult result = grzKineticTree_Advance(upkeep->kinetic, tasks, time);
    if (!grzResult_IsOk(result))
        return result;
    const uint64_t before = grzKineticTree_GetStats(upkeep->kinetic).repairs;
    result = grzKineticTree_Change(upkeep->kinetic, tasks, time, change);
    const uint64_t after = grzKineticTree_GetStats(upkeep->kinetic).repairs;
    const double repairs = (double)(after - upkeep->repairs);
    grzUpkeepModel_SeeChange(&upkeep->model, (double)change->count, (double)(after - before));
    upkeep->spent += grzUpkeepModel_BatchedCost(&upkeep->model, 0, repairs);
    upkeep->repairs = after;
    return result;
}

static grzResult changeWay(grzUpkeep* upkeep, grzTasks* tasks, double time, const grzFlightplanChange* change) {
    UpkeepModel* model = &upkeep->model;
    const double changed = upkeep->changed + (double)change->count;
    const bool mayLeave = !upkeep->isFixed && model->way == grz_upkeepBatched;
    if (mayLeave && grzUpkeepModel_GiveUp(model, changed, upkeep->spent > 0)) {
        grzUpkeep_Leave(upkeep, grz_upkeepBatched);
        upkeep->stats.switches++;
        GRZ_COUNT(upkeep->profile, grzTasks_Worker(tasks), upkeep->switches, 1);
    }
    if (model->way == grz_upkeepBatched)
        return changeBatched(upkeep, tasks, time, change);
    if (model->way == grz_upkeepOrdered)
        return grzKineticTree_Change(upkeep->kinetic, tasks, time, change);
    if (model->way == grz_upkeepBoxTree)
        return grzBoxTree_Change(upkeep->boxTree, time, change);
    return grzFlightplan_Change(upkeep->plan, time, change);
}

grzResult grzUpkeep_Change(grzUpkeep* upkeep, grzTasks* tasks, double time, const grzFlightplanChange* change) {
    GRZ_REFUSE_NULL(upkeep, 1);
    GRZ_REFUSE_NULL(change, 4);
    grzResult result = grzPlan_CheckChange(upkeep->plan, time, change);
    if (grzResult_IsOk(result))
        result = checkTime(upkeep, time);
    if (!grzResult_IsOk(result))
        return result;
    GRZ_ZONE_BEGIN(zone, upkeep->profile, grz_stageMid, "upkeep change", grzTasks_Worker(tasks));
    result = changeWay(upkeep, tasks, time, change);
    GRZ_ZONE_END(zone);
    upkeep->isStale = true;
    upkeep->revision = upkeep->plan->revision;
    upkeep->time = time;
    if (grzResult_IsOk(result))
        upkeep->changed += (double)change->count;
    return result;
}

// ---- figures ----

double grzUpkeep_Time(const grzUpkeep* upkeep) {
    GRZ_RETURN_IF_NULL(upkeep, 0);
    return grzPlan_LastTime(upkeep->plan, grzPlan_TimeOf(upkeep->plan, upkeep->time));
}

grzUpkeepStats grzUpkeep_GetStats(const grzUpkeep* upkeep) {
    GRZ_RETURN_IF_NULL(upkeep, (grzUpkeepStats){0});
    grzUpkeepStats stats = upkeep->stats;
    stats.way = upkeep->model.way;
    stats.reason = upkeep->model.reason;
    stats.chunks = upkeep->chord != NULL ? grzChord_Work(upkeep->chord).chunks : 0;
    return stats;
}

size_t grzUpkeep_MemorySize(const grzUpkeep* upkeep) {
    GRZ_RETURN_IF_NULL(upkeep, 0);
    return sizeof *upkeep + grzCountedMemory_Size(&upkeep->memory);
}
