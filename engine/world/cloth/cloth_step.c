// What: a substep of cloth: free flight, pins, constraints, touches, velocities.
// Promise: the same bytes for any number of workers and SIMD level.
// Idea: positions are moved freely, then corrected by each constraint once, and what was corrected is the new velocity. Many short
//       substeps with one pass each come nearer to the truth than few with many passes. Order: stretch, bend, tethers, touches;
//       what comes last holds best, and nothing is worse than cloth inside a body.
//
//         fly --> pins --> stretch, colour by colour --> bend, colour by colour --> tethers --> touches --> velocities
//                             ^--------------- while an edge is strained ------------------------'
//
//       One pass tells an edge of its neighbours alone, and what edges pull into a body touches push out again. So where something fast
//       strikes cloth, or cloth hangs on a corner, one pass leaves edges at many times their length. Stretch, tethers
//       and touches are gone through again, up to MOST_PASSES times, as long as a pass finds such an edge.
//
//       Long substeps leave edges longer by g h^2 times what hangs on them. Where a short one follows, that would be corrected in
//       its time and throw cloth and bodies off. So a correction counts as the work, during this substep, of the force that makes it in
//       one of the longer time, `pace`, which falls to the new length with PACE_TIME.
// Threads: the groups of a colour, and rows, are shared by all workers in blocks; so are the touches of a colour (cloth_contact.c).
// Cost: some 25 ns a vertex and substep in all, touches of a half of them included.
// Limits: one pass tells an edge of its neighbours only, so edges under a load of n rows stretch by n times the gravity of one
//         substep, g h^2, at most; tethers (cloth_tether.c) keep pinned cloth from it, other cloth has it.
// Based on: [Macklin, Storey, Lu, Terdiman, Chentanez, Jeschke, Mueller, Small Steps in Physics Simulation, SCA 2019].
#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "cloth_inside.h"

#define ROW_GRAIN   1024u // rows a block; a multiple of eight
#define GROUP_GRAIN 48u   // groups a block
#define PACE_TIME   0.1f  // seconds
#define MOST_PASSES 8u

typedef struct ClothPass {
    grzClothBody* cloth;
    ClothFlight flight;
    ClothTethers tethers;
    float softness;
    uint32_t firstGroup;
    _Atomic bool isStrained; // an edge was, in this pass
} ClothPass;

static void flyTask(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const ClothPass* pass = context;
    GRZ_PICK_KERNEL(grzClothFly)(&pass->flight, 8 * begin, 8 * end);
}

static void stretchTask(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    ClothPass* pass = context;
    const ClothStretch8* groups = pass->cloth->stretches.data + pass->firstGroup + begin;
    if (GRZ_PICK_KERNEL(grzClothStretch)(pass->cloth->now.data, groups, end - begin, pass->softness))
        atomic_store_explicit(&pass->isStrained, true, memory_order_relaxed); // it is read after the loop has ended
}

static void bendTask(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const ClothPass* pass = context;
    GRZ_PICK_KERNEL(grzClothBend)
    (pass->cloth->now.data, pass->cloth->bends.data + pass->firstGroup + begin, end - begin, pass->softness);
}

static void tetherTask(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const ClothPass* pass = context;
    GRZ_PICK_KERNEL(grzClothTether)(&pass->tethers, 8 * begin, 8 * end);
}

static void speedTask(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const ClothPass* pass = context;
    GRZ_PICK_KERNEL(grzClothSpeed)(&pass->flight, 8 * begin, 8 * end);
}

static void runRows(const grzClothBody* cloth, grzTaskFn* fn, ClothPass* pass) {
    grzParallelFor(cloth->tasks, cloth->rowCount / 8, ROW_GRAIN / 8, fn, pass);
}

static void runColors(const grzClothBody* cloth, const ClothInts* starts, grzTaskFn* fn, ClothPass* pass) {
    for (size_t color = 0; color + 1 < starts->count; ++color) {
        pass->firstGroup = starts->data[color];
        grzParallelFor(cloth->tasks, starts->data[color + 1] - pass->firstGroup, GROUP_GRAIN, fn, pass);
    }
}

// Pins go in a line from where they were at the start of the step.
static void movePins(grzClothBody* cloth, uint32_t substep) {
    const float part = (float)(substep + 1) / (float)cloth->substepCount;
    const bool isLast = substep + 1 == cloth->substepCount;
    grzVec3 sum = grzVec3_Zero();
    for (size_t k = 0; k < cloth->pins.count; ++k) {
        float* row = cloth->now.data + (size_t)4 * cloth->pins.data[k];
        if (substep == 0)
            memcpy(cloth->pinStarts.data + 4 * k, row, 3 * sizeof(float));
        const grzVec3 goal = grzVec3_Load(cloth->pinGoals.data + 4 * k);
        const grzVec3 start = grzVec3_Load(cloth->pinStarts.data + 4 * k);
        sum = grzAdd(sum, grzSub(goal, start));
        const grzVec3 at = isLast ? goal : grzLerp(start, goal, part);
        grzVec3_Store(row, at);
        grzVec3_Store(cloth->pinPlaces.data + 4 * k, at);
    }
    if (cloth->pins.count != 0)
        cloth->pinSpeed = grzScale(sum, 1 / (cloth->timeStep * (float)cloth->pins.count));
}

static void beginPass(grzClothBody* cloth, float h, ClothPass* pass) {
    memset(pass, 0, sizeof *pass);
    pass->cloth = cloth;
    pass->flight = (ClothFlight){.now = cloth->now.data,
                                 .before = cloth->before.data,
                                 .velocity = cloth->velocity.data,
                                 .pull = {cloth->gravity.x * h, cloth->gravity.y * h, cloth->gravity.z * h},
                                 .keep = 1 / (1 + cloth->damping * h),
                                 .h = h,
                                 .rate = cloth->rate};
    pass->tethers.now = cloth->now.data;
    pass->tethers.pinPlaces = cloth->pinPlaces.data;
}

// Returns whether to do so again.
static bool stretch(grzClothBody* cloth, float h, ClothPass* pass) {
    pass->softness = cloth->stretchCompliance / (h * h);
    pass->isStrained = false;
    runColors(cloth, &cloth->stretches.starts, stretchTask, pass);
    return pass->isStrained && cloth->isStruck && !(cloth->stretchCompliance > 0);
}

static void bend(grzClothBody* cloth, float h, ClothPass* pass) {
    pass->softness = cloth->bendCompliance / (h * h);
    runColors(cloth, &cloth->bends.starts, bendTask, pass);
}

static void tether(grzClothBody* cloth, ClothPass* pass) {
    for (uint32_t layer = 0; layer < cloth->tetherCount; ++layer) {
        pass->tethers.pins = cloth->tetherPins.data + (size_t)layer * cloth->rowCount;
        pass->tethers.lengths = cloth->tetherLengths.data + (size_t)layer * cloth->rowCount;
        runRows(cloth, tetherTask, pass);
    }
}

void grzClothBody_Solve(grzClothBody* cloth, grzSubstep* substep) {
    const float h = grzSubstep_Time(substep);
    if (cloth->isHeld)
        return;
    const float slowed = h < PACE_TIME ? cloth->pace * (1 - h / PACE_TIME) : 0;
    cloth->pace = h > slowed ? h : slowed;
    cloth->rate = h >= cloth->pace ? 1 / h : h / (cloth->pace * cloth->pace);
    ClothPass pass;
    beginPass(cloth, h, &pass);
    runRows(cloth, flyTask, &pass);
    movePins(cloth, grzSubstep_Index(substep));
    grzCloth_BeginTouches(cloth, substep);
    bool isStrained = true;
    for (uint32_t i = 0; i < MOST_PASSES && isStrained; ++i) {
        isStrained = stretch(cloth, h, &pass);
        if (i == 0)
            bend(cloth, h, &pass);
        tether(cloth, &pass);
        grzCloth_SolveTouches(cloth, substep, i == 0);
    }
    grzCloth_EndTouches(cloth, substep);
}

// Their own motion says when, but not past the substep in which they met.
static float metAt(const grzClothBody* cloth, const ClothTouch* touch) {
    const float toi = touch->contact.toi, part = 1 / (float)cloth->substepCount;
    if (touch->contact.separation <= 0)
        return 0;
    if (touch->metIn == 0)
        return 1;
    const float from = part * (float)(touch->metIn - 1), to = from + part;
    return toi < from ? from : toi > to ? grzRoundDown((double)to * (1 - 1e-6)) : toi;
}

// What the host sees, and what it saw before the step.
static void turnViews(grzClothBody* cloth) {
    const ClothFloats positions = cloth->positions, velocities = cloth->velocities;
    cloth->positions = cloth->lastPositions, cloth->velocities = cloth->lastVelocities;
    cloth->lastPositions = positions, cloth->lastVelocities = velocities;
}

void grzClothBody_Finish(grzClothBody* cloth, grzSubstep* substep) {
    ClothPass pass;
    if (cloth->isHeld)
        return;
    beginPass(cloth, grzSubstep_Time(substep), &pass);
    runRows(cloth, speedTask, &pass);
    if (!grzSubstep_IsLast(substep))
        return;
    for (size_t i = 0; i < cloth->touches.count; ++i)
        cloth->touches.data[i].contact.toi = metAt(cloth, &cloth->touches.data[i]);
    grzCloth_PublishTouches(cloth);
    turnViews(cloth);
    grzCloth_Publish(cloth);
    cloth->hasMoved = true;
}

// Rows are as the host sees them.
static void resetRows(grzClothBody* cloth) {
    for (uint32_t v = 0; v < cloth->vertexCount; ++v) {
        float* speed = cloth->velocity.data + (size_t)4 * v;
        memcpy(cloth->now.data + (size_t)4 * v, cloth->positions.data + (size_t)3 * v, 3 * sizeof(float));
        memcpy(speed, cloth->velocities.data + (size_t)3 * v, 3 * sizeof(float));
        if (cloth->isHeld)
            memset(speed, 0, 3 * sizeof(float));
    }
}

void grzClothBody_Rewind(grzClothBody* cloth) {
    if (cloth->hasMoved)
        turnViews(cloth);
    resetRows(cloth);
    for (size_t i = 0; i < cloth->touches.count; ++i) {
        ClothTouch* touch = &cloth->touches.data[i];
        touch->impulse = touch->friction[0] = touch->friction[1] = touch->friction[2] = 0;
        touch->pushed[0] = touch->pushed[1] = touch->pushed[2] = 0;
        touch->metIn = 0;
        touch->height = touch->contact.separation + cloth->reach; // but for a rounding
    }
    for (size_t i = 0; i < cloth->partners.count; ++i) {
        cloth->partners.data[i].swung = grzVec3_Zero();
        cloth->partners.data[i].stepLoad = 0;
    }
    grzModel_Forget(cloth->model);
    cloth->pace = cloth->lastPace;
    cloth->hasMoved = false;
}

void grzClothBody_Hold(grzClothBody* cloth) {
    cloth->isHeld = true;
    resetRows(cloth);
}

bool grzClothBody_IsHeld(const grzClothBody* cloth) {
    return cloth->isHeld;
}

void grzClothBody_Release(grzClothBody* cloth, bool isDone) {
    if (isDone)
        grzCloth_Publish(cloth);
    cloth->isHeld = false;
    resetRows(cloth);
}

static bool areWithin(const grzClothBody* cloth, float most) {
    const grzLanes limit = grzLanes_Splat(most);
    for (size_t row = 0; row < cloth->vertexCount; ++row) {
        const grzLanes place = grzLanes_Load(cloth->now.data + 4 * row);
        const grzLanes speed = grzLanes_Load(cloth->velocity.data + 4 * row);
        if (!grzLanes_BothLessEqual3(grzLanes_Abs(place), limit, grzLanes_Abs(speed), limit))
            return false;
    }
    return true;
}

bool grzClothBody_IsFinite(const grzClothBody* cloth) {
    return areWithin(cloth, FLT_MAX);
}

bool grzClothBody_IsInRange(const grzClothBody* cloth) {
    return areWithin(cloth, GRZ_CLOTH_RANGE);
}

// Whether it has left the box of its way as it was planned, by more than the search has looked around.
bool grzClothBody_HasStrayed(const grzClothBody* cloth, uint32_t vertex, float margin, grzClothWay* way) {
    const float* row = cloth->now.data + (size_t)4 * vertex;
    const grzVec3 planned = grzCloth_Row(cloth->ends.data, vertex), to = grzVec3_Load(row);
    const float seen = margin + cloth->pinMove, seenSq = seen * seen;
    if (grzLengthSq(grzSub(to, planned)) <= seenSq || !(row[3] > 0))
        return false;
    const grzVec3 from = grzVec3_Load(cloth->lastPositions.data + (size_t)3 * vertex);
    const grzVec3 beyond = grzSub(to, grzMin(grzMax(to, grzMin(from, planned)), grzMax(from, planned)));
    *way = (grzClothWay){from, to, cloth->reach};
    return grzLengthSq(beyond) > seenSq;
}

void grzClothBody_StopVertex(grzClothBody* cloth, uint32_t vertex, grzVec3 place, grzVec3 normal,
                             grzVec3 wallVelocity) {
    float *row = cloth->now.data + (size_t)4 * vertex, *speeds = cloth->velocity.data + (size_t)4 * vertex;
    const grzVec3 velocity = grzVec3_Load(speeds);
    const float speed = grzDot(grzSub(velocity, wallVelocity), normal);
    grzVec3_Store(row, place);
    grzVec3_Store(speeds, grzSubScaled(velocity, speed < 0 ? speed : 0, normal));
    memcpy(cloth->positions.data + (size_t)3 * vertex, row, 3 * sizeof(float));
    memcpy(cloth->velocities.data + (size_t)3 * vertex, speeds, 3 * sizeof(float));
}

float grzClothBody_MostMotion(const grzClothBody* cloth) {
    double mostSq = 0;
    for (uint32_t v = 0; v < cloth->vertexCount; ++v) {
        const grzVec3 from = grzVec3_Load(cloth->lastPositions.data + (size_t)3 * v);
        const grzVec3 to = grzVec3_Load(cloth->positions.data + (size_t)3 * v);
        mostSq = fmax(mostSq, grzVec3d_LengthSq(grzVec3d_Sub(grzVec3d_FromVec3(to), grzVec3d_FromVec3(from))));
    }
    return grzRoundUp(sqrt(mostSq) * (1 + 1e-12));
}

static grzBox sweptTriangle(const grzClothBody* cloth, const uint32_t* corners) {
    grzBox box = grzBox_Empty();
    for (int k = 0; k < 3; ++k) {
        box = grzBox_AddPoint(box, grzVec3_Load(cloth->lastPositions.data + (size_t)3 * corners[k]));
        box = grzBox_AddPoint(box, grzVec3_Load(cloth->positions.data + (size_t)3 * corners[k]));
    }
    return box;
}

// Positions stay until all triangles have been looked at, since these share vertices.
void grzClothBody_HoldBack(grzClothBody* cloth, grzBox box, float part) {
    const uint32_t* corners = cloth->view.triangles;
    for (uint32_t t = 0; t < cloth->view.triangleCount; ++t, corners += 3) {
        if (!grzBox_Overlap(sweptTriangle(cloth, corners), box))
            continue;
        for (int k = 0; k < 3; ++k) {
            const grzVec3 from = grzVec3_Load(cloth->lastPositions.data + (size_t)3 * corners[k]);
            const grzVec3 to = grzVec3_Load(cloth->positions.data + (size_t)3 * corners[k]);
            float* row = cloth->now.data + (size_t)4 * corners[k];
            if (row[3] > 0)
                grzVec3_Store(row, grzAddScaled(from, part, grzSub(to, from)));
        }
    }
    grzCloth_Publish(cloth);
}
