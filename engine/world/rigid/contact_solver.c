// What: the solver of contacts: memory, the order of the passes, hooks.        Promise: graze/stage/step_contacts.h.
// Idea: soft steps [Catto, Solver2D, 2024]. The step is cut into substeps; in each
//
//   forces      gravity, the first half of gyroscopic terms, damping; then what the touches did in the last substep is done again (in
//               the first one: the impulses of the last step, in a pass of its own)
//   solve       normals, with a soft push apart           hook: solve; what it has pushed is solved again
//   move        the rows remember the motion; the second half of gyroscopic terms
//   relax       separations follow the motion; normals without the push, friction
//   bounce      where touches have restitution: each is measured, then gives back what it took     hook: finish
//
//   So four substeps are nine passes over the touches; and where any has restitution, two light ones more a substep.
//
// Holds: Jacobians are those of the step's start (contact_rows.h). In no run of blocks that is done side by side is a
//        row written twice; so the bytes do not depend on workers. Each sum is one lane's, in one order at all SIMD levels.
// Limits: a state that is not finite, before or after, makes the whole step fail with states and touches as they
//         were; hooks have run by then where it is after.
// Based on: [Catto, Solver2D, 2024]; [Catto, Box3D]. We differ: whitened Jacobians, friction in the relaxing pass
//           alone, and the warm start as one addition a body.
#include "graze/stage/step_contacts.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "check.h"
#include "contact_colors.h"
#include "memory.h"
#include "near_loop.h"
#include "owner.h"
#include "profile_zone.h"
#include "refuse_null.h"

enum {
    BODY_GRAIN = 64,  // blocks of eight bodies a task: some 5 to 10 us
    TOUCH_GRAIN = 32, // blocks of eight touches
    REMEMBER_GRAIN = 4096,
};

#define PI 3.14159265358979f
// What comes faster than gravity makes it in so many steps is a blow (contact_pass_kernel.c).
#define BLOW_STEPS 2.0f

struct grzSubstep {
    grzContactSolver* solver;
    uint32_t index, count;
    _Atomic bool hasPushed; // a body, from any task
};

struct grzContactSolver {
    grzAllocator allocator;
    grzColoring coloring;
    struct {
        GRZ_ARRAY(grzSolverRow);
    } rows;
    struct {
        GRZ_ARRAY(grzSolverFrame);
    } frames;
    struct {
        GRZ_ARRAY(grzBodyLanes);
    } lanes;
    struct {
        GRZ_ARRAY(uint8_t);
    } badLanes, apartBlocks;
    struct {
        GRZ_ARRAY(float);
    } firm, relaxed, kept;
    grzSolverWork work;
    grzContactSolverStats stats;
    grzTasks* tasks;
    grzSubstep substep;
    bool isTracing; // each pass looks for bodies that are not finite
    bool hasBad;    // and has found some: all passes after it are left out
};

grzSolveInput grzDefaultSolveInput(void) {
    grzSolveInput input;
    memset(&input, 0, sizeof input);
    input.settings.substepCount = 4;
    input.settings.contactHertz = 35.0f;
    input.settings.contactDampingRatio = 10.0f;
    input.settings.pushSpeed = 3.0f;
    input.settings.restitutionThreshold = 1.0f;
    return input;
}

grzResult grzContactSolver_Create(grzAllocator allocator, grzContactSolver** solver) {
    GRZ_REFUSE_NULL(solver, 2);
    *solver = NULL;
    grzResult result;
    grzContactSolver* made = grzOwner_New(&allocator, 1, sizeof *made, _Alignof(grzContactSolver), &result);
    if (made == NULL)
        return result;
    made->allocator = allocator;
    *solver = made;
    return grzOk();
}

static void callArrays(grzContactSolver* solver, grzArrayCall* call) {
    const grzAllocator* allocator = &solver->allocator;
    grzColoring_CallArrays(&solver->coloring, call, allocator);
    grzArray_Call(&solver->rows, call, allocator);
    grzArray_Call(&solver->frames, call, allocator);
    grzArray_Call(&solver->lanes, call, allocator);
    grzArray_Call(&solver->badLanes, call, allocator);
    grzArray_Call(&solver->apartBlocks, call, allocator);
    grzArray_Call(&solver->firm, call, allocator);
    grzArray_Call(&solver->relaxed, call, allocator);
    grzArray_Call(&solver->kept, call, allocator);
}

void grzContactSolver_Trim(grzContactSolver* solver) {
    GRZ_RETURN_IF_NULL(solver, );
    callArrays(solver, grzTrimScratch);
}

void grzContactSolver_Destroy(grzContactSolver* solver) {
    if (solver == NULL)
        return;
    grzAllocator allocator = solver->allocator;
    callArrays(solver, grzFreeArray);
    grzRelease(&allocator, solver, 1, sizeof *solver, _Alignof(grzContactSolver));
}

grzContactSolverStats grzContactSolver_GetStats(const grzContactSolver* solver) {
    GRZ_RETURN_IF_NULL(solver, (grzContactSolverStats){0});
    return solver->stats;
}

const grzColoring* grzContactSolver_Coloring(const grzContactSolver* solver) {
    return &solver->coloring;
}

// ---- Passes.

typedef struct PassCall {
    const grzSolverWork* work;
    const grzColoring* coloring;
    const grzColorRun* run;
    int pass; // a grzBodyPass, grzTouchPass, PREPARE or FINISH
} PassCall;

enum { PREPARE = grz_passBounce + 1, FINISH };

static void passBodies(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const PassCall* call = context;
    (void)worker;
    GRZ_PICK_KERNEL(grzPassBodies)(call->work, (grzBodyPass)call->pass, begin, end);
}

static void forBodies(grzContactSolver* solver, grzBodyPass pass) {
    PassCall call = {&solver->work, NULL, NULL, (int)pass};
    grzParallelForNear(solver->tasks, (solver->work.bodyCount + 7) / 8, BODY_GRAIN, passBodies, &call);
}

// Names the first body that a pass found not to be finite.
static grzResult firstBad(const grzContactSolver* solver, const char* reason) {
    const grzSolverWork* work = &solver->work;
    for (uint32_t block = 0; block < (work->bodyCount + 7) / 8; ++block)
        for (uint32_t lane = 0; work->badLanes[block] != 0 && lane < 8; ++lane)
            if ((work->badLanes[block] >> lane & 1) != 0)
                return grzBecause(grzFailAt(grz_notFinite, grz_partObject, 8 * (uint64_t)block + lane, 0), reason);
    return grzOk();
}

static void trace(grzContactSolver* solver) {
    if (!solver->isTracing)
        return;
    forBodies(solver, grz_bodiesCheck);
    solver->hasBad = !grzResult_IsOk(firstBad(solver, NULL));
}

static void passBatch(const PassCall* call, const grzTouchBatch* batch, uint32_t begin, uint32_t end) {
    if (call->pass == PREPARE)
        GRZ_PICK_KERNEL(grzPrepareTouches)(call->work, batch, begin, end);
    else if (call->pass == FINISH)
        GRZ_PICK_KERNEL(grzFinishTouches)(call->work, batch, begin, end);
    else
        GRZ_PICK_KERNEL(grzPassTouches)(call->work, (grzTouchPass)call->pass, batch, begin, end);
}

// Blocks of a run, from its first: they may lie in several batches.
static void passRun(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const PassCall* call = context;
    (void)worker;
    for (uint32_t i = 0; i < call->run->batchCount; ++i) {
        const grzTouchBatch* batch = &call->coloring->batches.data[call->run->firstBatch + i];
        const uint32_t first = batch->firstBlock - call->run->firstBlock, last = first + batch->blockCount;
        const uint32_t from = begin > first ? begin : first, to = end < last ? end : last;
        if (from < to)
            passBatch(call, batch, from - first, to - first);
    }
}

static void forTouches(grzContactSolver* solver, int pass) {
    const grzColoring* coloring = &solver->coloring;
    for (size_t i = 0; i < coloring->runs.count && !solver->hasBad; ++i) {
        const grzColorRun* run = &coloring->runs.data[i];
        PassCall call = {&solver->work, coloring, run, pass};
        if (run->isSerial)
            passRun(0, run->blockCount, 0, &call);
        else
            grzParallelForNear(solver->tasks, run->blockCount, TOUCH_GRAIN, passRun, &call);
        trace(solver);
    }
    solver->stats.passCount += pass <= grz_passRelax;
}

// Preparing and finishing have no order among colours; but colour by colour each worker meets its own touches.
static void forAllTouches(grzContactSolver* solver, int pass) {
    const grzColoring* coloring = &solver->coloring;
    for (size_t i = 0; i < coloring->runs.count; ++i) {
        const grzColorRun* run = &coloring->runs.data[i];
        PassCall call = {&solver->work, coloring, run, pass};
        grzParallelForNear(solver->tasks, run->blockCount, TOUCH_GRAIN, passRun, &call);
    }
}

// ---- Before the substeps.

static bool reserve(grzContactSolver* solver, const grzSolveInput* step) {
    const grzAllocator* allocator = &solver->allocator;
    const size_t blocks = ((size_t)step->bodyCount + 7) / 8;
    if (!grzColoring_Make(&solver->coloring, allocator, step))
        return false;
    const grzColoring* coloring = &solver->coloring;
    return grzArray_Reserve(&solver->rows, allocator, 8 * blocks + 1) &&
           grzArray_Reserve(&solver->frames, allocator, 8 * blocks + 1) &&
           grzArray_Reserve(&solver->lanes, allocator, blocks + 1) &&
           grzArray_Reserve(&solver->badLanes, allocator, blocks) &&
           grzArray_Reserve(&solver->apartBlocks, allocator, coloring->blockCount) &&
           grzArray_Reserve(&solver->firm, allocator, 8 * coloring->firmSize) &&
           grzArray_Reserve(&solver->relaxed, allocator, 8 * coloring->relaxedSize) &&
           grzArray_Reserve(&solver->kept, allocator, 8 * coloring->keptSize);
}

// [Catto, Soft Constraints, GDC 2011]
static grzSoftness soften(float hertz, float dampingRatio, float time) {
    if (hertz <= 0.0f)
        return (grzSoftness){0.0f, 1.0f, 0.0f};
    dampingRatio = dampingRatio < 1e15f ? dampingRatio : 1e15f; // lest products overflow: contacts hardly move then
    const float omega = 2.0f * PI * hertz, a1 = 2.0f * dampingRatio + time * omega, a2 = time * omega * a1;
    const float a3 = 1.0f / (1.0f + a2);
    return (grzSoftness){omega / a1, a2 * a3, a3};
}

static void fillWork(grzContactSolver* solver, const grzSolveInput* step) {
    const grzSolverSettings* settings = &step->settings;
    grzSolverWork* work = &solver->work;
    memset(work, 0, sizeof *work);
    work->states = step->states;
    work->masses = step->masses;
    work->bodyCount = step->bodyCount;
    work->units = step->units;
    work->rows = solver->rows.data;
    work->frames = solver->frames.data;
    work->lanes = solver->lanes.data;
    work->badLanes = solver->badLanes.data;
    work->apartBlocks = solver->apartBlocks.data;
    work->lanePlaces = solver->coloring.lanePlaces.data;
    work->firm = solver->firm.data;
    work->relaxed = solver->relaxed.data;
    work->kept = solver->kept.data;
    work->time = settings->timeStep / (float)settings->substepCount;
    work->inverseTime = (float)settings->substepCount / settings->timeStep;
    work->gravity = settings->gravity;
    // Stiffer than a quarter of the rate of substeps is not stable; what cannot yield is twice as stiff.
    const float most = 0.25f * work->inverseTime;
    const float hertz = settings->contactHertz < most ? settings->contactHertz : most;
    work->soft[0] = soften(2.0f * hertz, settings->contactDampingRatio, work->time);
    work->soft[1] = soften(hertz, settings->contactDampingRatio, work->time);
    work->pushSpeed = settings->pushSpeed;
    // What gravity makes of two substeps is no blow: what rests would bounce for ever.
    work->restitutionThreshold =
        fmaxf(settings->restitutionThreshold, 2.0f * work->time * grzLength(settings->gravity));
    work->blowSpeed = BLOW_STEPS * settings->timeStep * grzLength(settings->gravity);
    work->anyBounces = solver->coloring.anyBounces;
    work->zeroRow = 8 * ((step->bodyCount + 7) / 8);
    memset(&work->rows[work->zeroRow], 0, sizeof *work->rows);
    memset(&work->lanes[work->zeroRow / 8], 0, sizeof *work->lanes);
    memset(&work->frames[work->zeroRow], 0, sizeof *work->frames);
}

// ---- The step.

static void callHook(const grzSolveInput* step, grzContactSolver* solver, bool isFinish) {
    if (step->hook == NULL || solver->hasBad)
        return;
    void (*call)(void*, grzSubstep*) = isFinish ? step->hook->finish : step->hook->solve;
    if (call != NULL)
        call(step->hook->context, &solver->substep);
    trace(solver);
}

static void moveBodies(grzContactSolver* solver, grzBodyPass pass) {
    if (solver->hasBad)
        return;
    forBodies(solver, pass);
    trace(solver);
}

static void runSubsteps(grzContactSolver* solver, const grzSolveInput* step) {
    solver->substep.solver = solver;
    solver->substep.count = step->settings.substepCount;
    for (uint32_t i = 0; i < step->settings.substepCount && !solver->hasBad; ++i) {
        solver->substep.index = i;
        atomic_store_explicit(&solver->substep.hasPushed, false, memory_order_relaxed);
        solver->work.isFirst = i == 0;
        solver->work.number = (float)(i + 1);
        moveBodies(solver, grz_bodiesForce);
        if (i == 0)
            forTouches(solver, grz_passWarm);
        forTouches(solver, grz_passSolve);
        callHook(step, solver, false);
        if (atomic_load_explicit(&solver->substep.hasPushed, memory_order_relaxed))
            forTouches(solver, grz_passSolve); // lest bodies are moved into what they lie on
        moveBodies(solver, grz_bodiesMove);
        forTouches(solver, grz_passRelax);
        if (solver->work.anyBounces) {
            forTouches(solver, grz_passMeasure);
            forTouches(solver, grz_passBounce);
        }
        callHook(step, solver, true);
    }
}

typedef struct RememberCall {
    const grzColoring* coloring;
    const grzSolveInput* step;
} RememberCall;

static void remember(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const RememberCall* call = context;
    (void)worker;
    grzColoring_Remember(call->coloring, call->step, begin, end);
}

static grzResult runAll(grzContactSolver* solver, const grzSolveInput* step) {
    forBodies(solver, grz_bodiesBegin);
    grzResult result = firstBad(solver, "a body's state or mass is not finite");
    if (result.status != grz_ok)
        return result;
    forAllTouches(solver, PREPARE);
    runSubsteps(solver, step);
    forBodies(solver, grz_bodiesCheck);
    result = firstBad(solver, "the step would leave a body with a state that is not finite");
    if (result.status != grz_ok)
        return result;
    forBodies(solver, grz_bodiesFinish);
    if (step->accept != NULL)
        result = step->accept(step->acceptContext);
    if (result.status != grz_ok)
        return result;
    forAllTouches(solver, FINISH);
    RememberCall call = {&solver->coloring, step};
    if (solver->coloring.isChanged)
        grzParallelForNear(solver->tasks, step->touchCount, REMEMBER_GRAIN, remember, &call);
    return grzOk();
}

void grzContactSolver_Trace(grzContactSolver* solver, const grzSolveInput* step) {
    forBodies(solver, grz_bodiesBegin);
    if (!grzResult_IsOk(firstBad(solver, NULL)))
        return;
    forAllTouches(solver, PREPARE);
    solver->isTracing = true;
    runSubsteps(solver, step);
    solver->isTracing = solver->hasBad = false;
}

bool grzContactSolver_IsBad(const grzContactSolver* solver, uint32_t body) {
    return (solver->badLanes.data[body / 8] >> body % 8 & 1) != 0;
}

static bool isAtLeast0(float a) {
    return a >= 0.0f && isfinite(a);
}

static const char* flawOf(const grzSolveInput* step) {
    const grzSolverSettings* settings = &step->settings;
    if (!(settings->timeStep > 0.0f) || !isfinite(settings->timeStep))
        return "the time step is not above 0, or not finite";
    if (settings->substepCount < 1 || settings->substepCount > 64)
        return "substepCount is not 1 to 64";
    if (!grzVec3_IsFinite(settings->gravity))
        return "the gravity is not finite";
    if (!isAtLeast0(settings->contactHertz) || !isAtLeast0(settings->contactDampingRatio))
        return "contactHertz or contactDampingRatio is negative or not finite";
    if (!isAtLeast0(settings->pushSpeed) || !isAtLeast0(settings->restitutionThreshold))
        return "pushSpeed or restitutionThreshold is negative or not finite";
    if (step->bodyCount != 0 && (step->states == NULL || step->masses == NULL))
        return "there are no states, or no masses";
    return step->touchCount != 0 && (step->units == NULL || step->places == NULL)
               ? "there are no units, or no places"
               : NULL;
}

grzResult grzStep_Solve(grzContactSolver* solver, const grzSolveInput* step) {
    GRZ_REFUSE_NULL(solver, 1);
    GRZ_REFUSE_NULL(step, 2);
    const char* flaw = flawOf(step);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 2), flaw);
    GRZ_ZONE_BEGIN(zone, step->profile, grz_stageSolve, "solve contacts", 0);
    grzResult result = grzNoMemory(1, sizeof(grzSolverRow));
    if (reserve(solver, step)) {
        const grzColoring* coloring = &solver->coloring;
        solver->stats =
            (grzContactSolverStats){coloring->colorCount, coloring->overflowCount, coloring->pointCount, 0};
        solver->tasks = step->tasks;
        fillWork(solver, step);
        result = runAll(solver, step);
    }
    GRZ_ZONE_END(zone);
    return result;
}

// ---- Friction of the whole step.

// The side that the solver calls B may be the touch's A, with normal and first tangent turned round. The second tangent
// is the same then.

typedef struct FrictionCall {
    const grzContactSolver* solver;
    const grzTouchBatch* batch;
    grzTouchFriction* frictions;
} FrictionCall;

static void readFrictions(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const FrictionCall* call = context;
    const grzTouchBatch* batch = call->batch;
    const grzSolverWork* work = &call->solver->work;
    const uint32_t sides = batch->sideCount, points = batch->pointCount, sums = GRZ_SUMS(sides, points) + points;
    (void)worker;
    for (uint32_t block = begin; block < end; ++block) {
        const float* relaxed =
            work->relaxed + 8 * (batch->relaxedAt + (size_t)GRZ_RELAXED_SIZE(sides, points) * block);
        const float* signs = work->kept + 8 * (batch->keptAt + (size_t)GRZ_KEPT_SIZE(points) * block + 1);
        const uint32_t* places = work->lanePlaces + 8 * (size_t)(batch->firstBlock + block);
        const float* slide = relaxed + 8 * (size_t)sums;
        for (uint32_t lane = 0; lane < grzTouchBatch_LanesIn(batch, block); ++lane)
            call->frictions[places[lane]] =
                (grzTouchFriction){{slide[lane], signbit(signs[lane]) ? -slide[8 + lane] : slide[8 + lane]},
                                   points > 1 ? slide[16 + lane] : 0.0f,
                                   0.0f};
    }
}

void grzContactSolver_GetFrictions(const grzContactSolver* solver, grzTasks* tasks, grzTouchFriction* frictions) {
    GRZ_RETURN_IF_NULL(solver, );
    GRZ_RETURN_IF_NULL(frictions, );
    for (size_t i = 0; i < solver->coloring.batches.count; ++i) {
        FrictionCall call = {solver, &solver->coloring.batches.data[i], frictions};
        grzParallelForNear(tasks, call.batch->blockCount, TOUCH_GRAIN, readFrictions, &call);
    }
}

// ---- For hooks.

uint32_t grzSubstep_Index(const grzSubstep* substep) {
    GRZ_RETURN_IF_NULL(substep, 0);
    return substep->index;
}

float grzSubstep_Time(const grzSubstep* substep) {
    GRZ_RETURN_IF_NULL(substep, 0);
    return substep->solver->work.time;
}

bool grzSubstep_IsLast(const grzSubstep* substep) {
    GRZ_RETURN_IF_NULL(substep, false);
    return substep->index + 1 == substep->count;
}

static grzVec3 laneOf(const float* lanes, uint32_t body) {
    const uint32_t k = body % 8;
    return grzVec3_Make(lanes[k], lanes[8 + k], lanes[16 + k]);
}

static grzQuat rotationNow(const grzSolverWork* work, uint32_t body) {
    const float* turned = work->lanes[body / 8].turned;
    const uint32_t k = body % 8;
    const grzQuat by = grzQuat_Make(turned[k], turned[8 + k], turned[16 + k], turned[24 + k]);
    return grzQuat_Normalize(grzQuat_Multiply(work->states[body].rotation, by));
}

// What the spin in the body's row is seen from (contact_rows.h).
static grzQuat spinFrame(const grzSolverWork* work, uint32_t body) {
    const grzVec3 coupling = laneOf(work->lanes[body / 8].coupling, body);
    return grzLengthSq(coupling) > 0.0f ? rotationNow(work, body) : work->states[body].rotation;
}

grzBodyState grzSubstep_Body(const grzSubstep* substep, uint32_t body) {
    GRZ_RETURN_IF_NULL(substep, (grzBodyState){0});
    const grzSolverWork* work = &substep->solver->work;
    const grzBodyLanes* lanes = &work->lanes[body / 8];
    const grzSolverRow* row = &work->rows[body];
    grzBodyState state = work->states[body];
    if ((work->masses[body].flags & grz_bodyMoves) == 0)
        return state;
    state.center = grzAdd(state.center, laneOf(lanes->shift, body));
    state.rotation = rotationNow(work, body);
    state.velocity = grzVec3_Load(row->velocity);
    state.spin = grzQuat_Rotate(spinFrame(work, body), grzMul(laneOf(lanes->root, body), grzVec3_Load(row->spin)));
    return state;
}

static void addToLanes(float* lanes, uint32_t body, grzVec3 a) {
    const uint32_t k = body % 8;
    lanes[k] += a.x;
    lanes[8 + k] += a.y;
    lanes[16 + k] += a.z;
}

// What is pushed here is no work of the touches, so it enters the velocity that their work is measured from as well.
void grzSubstep_Push(grzSubstep* substep, uint32_t body, grzVec3 point, grzVec3 impulse) {
    GRZ_RETURN_IF_NULL(substep, );
    const grzSolverWork* work = &substep->solver->work;
    if ((work->masses[body].flags & grz_bodyYields) == 0)
        return;
    grzBodyLanes* lanes = &work->lanes[body / 8];
    grzSolverRow* row = &work->rows[body];
    atomic_store_explicit(&substep->hasPushed, true, memory_order_relaxed);
    grzVec3 center = grzAdd(work->states[body].center, laneOf(lanes->shift, body));
    grzVec3 moment = grzCross(grzSub(point, center), impulse);
    grzVec3 speed = grzScale(impulse, row->inverseMass);
    grzVec3 spin = grzMul(laneOf(lanes->root, body), grzQuat_RotateInverse(spinFrame(work, body), moment));
    grzVec3_Store(row->velocity, grzAdd(grzVec3_Load(row->velocity), speed));
    grzVec3_Store(row->spin, grzAdd(grzVec3_Load(row->spin), spin));
    addToLanes(lanes->velocity, body, speed);
    addToLanes(lanes->spin, body, spin);
}
