// What: touches of a cloth with its obstacles in one substep: positions of particles are corrected, bodies are pushed.
// Promise: at the end of the pass a touch with what does not yield that was apart at the start of the substep is apart, but for what
//          later touches undo. What a body gets the cloth loses, to the rounding, but for what pins back, see below. The same bytes
//          for any number of workers.
// Idea: a touch is a plane that moves with the obstacle. Where the point of the cloth would be behind it at the end of the
//       substep, both are moved apart in proportion to their inverse masses: the point by its position, the body by the
//       velocity that it is about to move with. Friction then takes back what they would slip in the substep, up to
//       friction times the normal correction. Touches are gone through by colours (cloth_order.c): those of one share no
//       particle, so that any worker may take them. They may share a body. So all of a colour see the body as the colours
//       before have left it; each takes the body for as much lighter as touches press on it [Tonge, Benevolenski, Voroshilov,
//       2012]; and their pushes are summed in order when all are done:
//
//         place, look how deep --> count those that press --> push particles, note the body's share --> sum shares
//         (any worker)             (one)                      (any worker)                              (one)
//
//       A plane has no end, and turns with its body. One that turns by radians in a step sweeps its planes through cloth all around it.
//       So a touch that was apart stays so as long as its vertex or triangle has not come to the ball around the body.
//
//       What tethers hold stops at once. Light points slow a heavy body by some hundredths a substep (below), which is too little where
//       it goes farther in a substep than the cloth gives. So before points are pushed, what a body has of speed into a touch is
//       cut to what takes the touch's vertices to where their tethers are GIVES times as long as they are. It is an inelastic
//       blow between the body and the pins, one touch after the other, and never pushes back.
//
//       Cloth between two bodies that lie on each other has no room for its thickness. Its vertices keep half of what is left from each
//       body. So they bear nothing, but are held by friction as if they pushed back by what is missing. Else the two bodies
//       would push them to and fro, out at the rim and in again. A wall lets cloth in by half the thickness at most, since planes of
//       a body that turns go far into it.
//
//       Old depth is undone no faster than the world's other overlaps and PUSH_SPEED, and by moving the place where the substep began along, so that it
//       makes no speed. So a body's touches may together push a vertex into a wall faster than the wall's own undoes it. What they have
//       pushed in beyond half the thickness the wall undoes at once.
//
//       Heavy bodies. A particle weighs grams; against a body of many kilograms its inertia is nothing, and one pass a
//       substep cannot tell it of the pins that hold it: the body would sink until edges are stretched by g h^2 times
//       the ratio of masses. So where tethers hold what it presses on, points of the cloth meet the body as if they were heavier
//       by a factor, `backing`, so that together they stop some hundredths of the body a substep (cloth_partner.c). As
//       all masses of a cloth may be multiplied by one number and its shape stays, cloth and body are a sound, if
//       heavier, system: it hangs as it would, comes to rest, and lies where it would whatever the body's mass. (Stopping
//       the body outright, touch by touch, kept it hopping; more backing the more touches press pumped it up.)
// Threads: blocks of a colour on any; sums on one.
// Limits: touches with a body of 1,000 times the mass of the cloth that it lies on, without a tether that holds, sink in.
// Based on: [Macklin, Mueller, Chentanez, Kim, Unified Particle Physics for Real-Time Applications, SIGGRAPH 2014] for friction and
//       for undoing depth without speed; [Mueller, Macklin, Chentanez, Jeschke, Kim, Detailed Rigid Body Simulation with Extended
//       Position Based Dynamics, SCA 2020] for inverse masses of bodies; [Tonge, Benevolenski, Voroshilov, Mass Splitting for
//       Jitter-Free Parallel Rigid Body Simulation, SIGGRAPH 2012]. Ours: the backing by pins.
#include <float.h>

#include "cloth_partner.h"
#include "cloth_search.h"

#define TOUCH_GRAIN 64u   // some 5 us
#define PUSH_SPEED  1.0f  // lengths a second, at most
#define SLACK       0.95f // of its length: a tether below it holds nothing
#define LEVER       4.0f  // at most so many times as far as its point does a vertex go
#define GIVES       1.02f // so much longer than it is may a tether become before it stops what is fast
#define STOP_ROUNDS 4
#define PIN_PUSH    0.2f // of the depth a substep where the cloth cannot give way

typedef struct ClothMeeting {
    grzClothBody* cloth;
    const ClothColor* color;
    uint32_t substep;
    bool isFirst;        // of the passes of the substep
    float time, h, rate; // of the substep: when it begins, its length, and by what corrections become speeds
} ClothMeeting;

// ---- points of the cloth ----

static inline grzVec3 touchPoint(const float* rows, const ClothTouch* touch) {
    grzVec3 point = grzVec3_Zero();
    for (uint32_t k = 0; k < touch->vertexCount; ++k)
        point = grzAddScaled(point, touch->weights[k], grzCloth_Row(rows, touch->vertices[k]));
    return point;
}

// The inverse mass of the point; where pins nearly hold it, as much as moves no vertex LEVER times as far as the point is to go: else a
// corner of a triangle beside pins is thrown off by a push near the other corners. The point then follows a push by a share alone.
static float pointWeight(const float* rows, const ClothTouch* touch, float* share) {
    float weight = 0, sum = 0;
    for (uint32_t k = 0; k < touch->vertexCount; ++k) {
        const float own = touch->weights[k] * rows[(size_t)4 * touch->vertices[k] + 3];
        weight += touch->weights[k] * own;
        sum += own;
    }
    *share = LEVER * weight > sum ? 1 : sum > 0 ? LEVER * weight / sum : 0;
    return LEVER * weight > sum ? weight : sum / LEVER;
}

// Moves the point by `by` times its weight, each vertex by its share.
static void movePoint(float* rows, const float* masses, const ClothTouch* touch, grzVec3 by) {
    for (uint32_t k = 0; k < touch->vertexCount; ++k) {
        float* row = rows + (size_t)4 * touch->vertices[k];
        const float share = touch->weights[k] * masses[(size_t)4 * touch->vertices[k] + 3];
        grzVec3_Store(row, grzAddScaled(grzVec3_Load(row), share, by));
    }
}

// ---- where it would be ----

// The point of the triangle that is nearest to the core now: as the triangle rolls over a round obstacle, the point wanders. With
// that of the step's start alone the triangle tips over it and falls in beside it, and cloth on a ball never rests.
static void followCore(const ClothMeeting* meeting, ClothTouch* touch, ClothMeet* meet) {
    grzVec3 corners[3];
    for (int k = 0; k < 3; ++k)
        corners[k] = grzCloth_Row(meeting->cloth->now.data, touch->vertices[k]);
    const grzVec3 core = grzSubScaled(meet->place, touch->round, meet->normal);
    grzCloth_NearestWeights(corners, core, touch->weights);
    const grzVec3 from = grzSub(grzCloth_Weighted(corners, touch->weights), core);
    const float length = grzLength(from);
    if (!(grzDot(from, meet->normal) > 0.5f * length) || !(length > 0.5f * touch->round))
        return; // it has turned over, or is so deep that the way out is no matter of rolling
    meet->normal = grzScale(from, 1 / length);
    meet->place = grzAddScaled(core, touch->round, meet->normal);
}

static inline void placeMeet(const ClothMeeting* meeting, ClothTouch* touch, ClothMeet* meet) {
    const ClothPartner* partner = &meeting->cloth->partners.data[touch->partner];
    meet->normal = grzVec3_Load(touch->normal);
    meet->place = grzVec3_Load(touch->place);
    if (partner->moves) {
        meet->normal = grzMat3_Apply(partner->turn, meet->normal);
        meet->place =
            grzAdd(partner->center, grzMat3_Apply(partner->turn, grzSub(meet->place, partner->startCenter)));
    } else {
        meet->place = grzAddScaled(meet->place, meeting->time, grzVec3_Load(touch->drift));
    }
    if (touch->round > 0)
        followCore(meeting, touch, meet);
    meet->arm = partner->moves ? grzSub(meet->place, partner->center) : grzVec3_Zero();
    meet->speed = grzClothPartner_SpeedAt(partner, meet->arm, grzVec3_Load(touch->drift));
}

static bool yields(const grzClothBody* cloth, const ClothTouch* touch) {
    return cloth->partners.data[touch->partner].yields;
}

// Half the thickness; between two bodies that leave less, half of what they leave at the end of the substep. Where a body has gone
// deep into what does not yield, the latter gives way to cloth by half the thickness at most, and the body by the rest.
static float reachOf(const ClothMeeting* meeting, const ClothTouch* touch, const ClothMeet* meet) {
    grzClothBody* cloth = meeting->cloth;
    const uint32_t twin = cloth->twins.data[touch - cloth->touches.data];
    if (twin == UINT32_MAX)
        return cloth->reach;
    ClothMeet other;
    ClothTouch* across = &cloth->touches.data[twin];
    placeMeet(meeting, across, &other);
    const grzVec3 apart =
        grzAddScaled(grzSub(other.place, meet->place), meeting->h, grzSub(other.speed, meet->speed));
    const float room = grzDot(meet->normal, apart), half = 0.5f * room;
    if (half >= -cloth->reach || yields(cloth, touch) == yields(cloth, across))
        return half < cloth->reach ? half : cloth->reach;
    return yields(cloth, touch) ? room + cloth->reach : -cloth->reach;
}

// Where it would be at the end of the substep: below 0 is inside.
static inline float gapAtEnd(const ClothMeeting* meeting, const ClothTouch* touch, const ClothMeet* meet) {
    const grzVec3 point = touchPoint(meeting->cloth->now.data, touch);
    const grzVec3 from = grzSubScaled(grzSub(point, meet->place), meeting->h, meet->speed);
    return grzDot(meet->normal, from) - meet->reach;
}

// Of the depth: how much of it may be old. The rest others have made by undoing theirs: nothing pushes a vertex that lies at what does
// not yield deeper into it than half the thickness.
static float oldDepth(const ClothMeeting* meeting, const ClothTouch* touch, const ClothMeet* meet, float depth) {
    const float half = meeting->cloth->reach, most = meet->reach + half;
    const bool isHeld = touch->vertexCount == 1 && touch->height > -2 * half && !yields(meeting->cloth, touch);
    return isHeld && depth > most ? most : depth;
}

// Undoes some of the depth that was there when the substep began; returns the gap that the touch is to end with at least.
static float undoDepth(const ClothMeeting* meeting, const ClothTouch* touch, const ClothMeet* meet) {
    grzClothBody* cloth = meeting->cloth;
    const grzVec3 from = grzSub(touchPoint(cloth->before.data, touch), meet->place);
    const float depth = meet->reach - grzDot(meet->normal, from);
    if (!(depth > 0))
        return 0;
    const float speed = cloth->pushSpeed < PUSH_SPEED ? cloth->pushSpeed : PUSH_SPEED;
    const float most = meeting->isFirst ? speed * meeting->h : 0;
    const float old = oldDepth(meeting, touch, meet, depth);
    const float push = depth - old + (old < most ? old : most);
    if (meet->weight > 0) {
        const grzVec3 by = grzScale(meet->normal, push / meet->weight);
        movePoint(cloth->now.data, cloth->now.data, touch, by);
        movePoint(cloth->before.data, cloth->now.data, touch, by);
    }
    return -depth + push * (meet->share > PIN_PUSH ? meet->share : PIN_PUSH);
}

// How much of a push along the normal pins take: by the cosine to tethers, of those that are nearly taut. A function of places alone:
// what depends on speeds or on other touches feeds energy in.
static float heldShare(const grzClothBody* cloth, const ClothTouch* touch, grzVec3 normal) {
    float share = 0;
    for (uint32_t layer = 0; layer < cloth->tetherCount; ++layer)
        for (uint32_t k = 0; k < touch->vertexCount; ++k) {
            const size_t row = (size_t)layer * cloth->rowCount + touch->vertices[k];
            const grzVec3 pin = grzCloth_Row(cloth->pinPlaces.data, cloth->tetherPins.data[row]);
            const grzVec3 from = grzSub(grzCloth_Row(cloth->now.data, touch->vertices[k]), pin);
            const float length = grzLength(from), most = cloth->tetherLengths.data[row];
            const float taut = (length / most - SLACK) / (1 - SLACK), along = grzDot(normal, from) / length;
            if (taut > 0 && along > 0) // not where the length is 0 or infinite
                share += touch->weights[k] * (taut < 1 ? taut : 1) * along;
        }
    share *= 2;
    return share < 1 ? share : 1;
}

// From the origin.
static float distanceOf(const grzVec3 corners[3], uint32_t count) {
    float weights[3];
    if (count == 1)
        return grzLength(corners[0]);
    grzCloth_NearestWeights(corners, grzVec3_Zero(), weights);
    return grzLength(grzCloth_Weighted(corners, weights));
}

// Whether the vertex or triangle may have come to the ball around the partner in this substep: of two that move by so much beside each
// other, the distance falls by that at most.
static bool mayReach(const ClothMeeting* meeting, const ClothTouch* touch) {
    const grzClothBody* cloth = meeting->cloth;
    const ClothPartner* partner = &cloth->partners.data[touch->partner];
    const grzVec3 center = grzAddScaled(partner->center, meeting->h, partner->velocity);
    grzVec3 before[3], now[3];
    float moved = 0;
    for (uint32_t k = 0; k < touch->vertexCount; ++k) {
        before[k] = grzSub(grzCloth_Row(cloth->before.data, touch->vertices[k]), partner->center);
        now[k] = grzSub(grzCloth_Row(cloth->now.data, touch->vertices[k]), center);
        const float own = grzDistance(before[k], now[k]);
        moved = own > moved ? own : moved;
    }
    const float apart = distanceOf(before, touch->vertexCount) + distanceOf(now, touch->vertexCount) - moved;
    return !partner->moves || !(apart > 2 * (partner->radius + cloth->reach));
}

static bool isMet(const ClothMeet* meet) {
    return meet->missing > 0 || meet->squeezed > 0;
}

static void look(const ClothMeeting* meeting, ClothTouch* touch, ClothMeet* meet) {
    const ClothPartner* partner = &meeting->cloth->partners.data[touch->partner];
    meet->missing = 0;
    placeMeet(meeting, touch, meet);
    meet->reach = reachOf(meeting, touch, meet);
    meet->squeezed = 0;
    const float squeezed = meeting->cloth->reach - meet->reach, gap = gapAtEnd(meeting, touch, meet);
    if (gap >= squeezed) {
        touch->height = meet->reach + gap;
        return;
    }
    if (touch->height >= meet->reach && !mayReach(meeting, touch))
        return;
    touch->metIn = touch->metIn != 0 ? touch->metIn : meeting->substep + 1;
    meet->weight = pointWeight(meeting->cloth->now.data, touch, &meet->share);
    const float goal = undoDepth(meeting, touch, meet);
    touch->height = meet->reach + goal;
    meet->bodyWeight = grzClothPartner_WeightAt(partner, meet->arm, meet->normal);
    if (!(meet->weight + meet->bodyWeight > 0))
        return;
    meet->squeezed = squeezed;
    meet->missing = goal - gapAtEnd(meeting, touch, meet);
    meet->held = partner->backing > 1 ? heldShare(meeting->cloth, touch, meet->normal) : 0;
    meet->backing = 1 + meet->held * (partner->backing - 1);
}

// ---- pushes ----

// What holds back the slip of this substep, as an impulse times h, up to friction times that along the normal.
static grzVec3 rub(const ClothMeeting* meeting, const ClothTouch* touch, const ClothMeet* meet, float lambda) {
    grzClothBody* cloth = meeting->cloth;
    const ClothPartner* partner = &cloth->partners.data[touch->partner];
    const grzVec3 moved = grzSub(touchPoint(cloth->now.data, touch), touchPoint(cloth->before.data, touch));
    grzVec3 slip = grzSubScaled(moved, meeting->h, meet->speed);
    slip = grzSubScaled(slip, grzDot(slip, meet->normal), meet->normal);
    const float length = grzLength(slip);
    if (!(length >= FLT_MIN)) // below, its inverse is not a float
        return grzVec3_Zero();
    const grzVec3 along = grzScale(slip, 1 / length);
    const float bodyWeight = grzClothPartner_WeightAt(partner, meet->arm, along);
    const float stick = length / (meet->weight / meet->backing + bodyWeight * (float)partner->meetCount);
    const float most = partner->friction * lambda;
    return grzScale(along, stick < most ? stick : most);
}

static void notePush(ClothTouch* touch, const ClothMeet* meet) {
    grzVec3_Store(touch->pushed, grzAdd(grzVec3_Load(touch->pushed), meet->impulse));
}

static void part(const ClothMeeting* meeting, ClothTouch* touch, ClothMeet* meet) {
    grzClothBody* cloth = meeting->cloth;
    const ClothPartner* partner = &cloth->partners.data[touch->partner];
    meet->impulse = grzVec3_Zero();
    if (!isMet(meet))
        return;
    const float yielding = meet->weight / meet->backing + meet->bodyWeight * (float)partner->meetCount;
    const float lambda = meet->missing > 0 ? meet->missing / yielding : 0;
    movePoint(cloth->now.data, cloth->now.data, touch, grzScale(meet->normal, lambda / meet->backing));
    const grzVec3 rubbed = rub(meeting, touch, meet, lambda + meet->squeezed / yielding);
    movePoint(cloth->now.data, cloth->now.data, touch, grzScale(rubbed, -1 / meet->backing));
    meet->impulse = grzScale(grzSubScaled(rubbed, lambda, meet->normal), meeting->rate);
    notePush(touch, meet);
}

// ---- all of them ----

static void lookTask(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const ClothMeeting* meeting = context;
    grzClothBody* cloth = meeting->cloth;
    const uint32_t first = meeting->color->first, yielding = meeting->color->yieldingCount;
    for (uint32_t i = begin; i < end; ++i) {
        ClothTouch* touch = &cloth->touches.data[cloth->order.data[first + i]];
        ClothMeet* meet = &cloth->meets.data[first + i];
        look(meeting, touch, meet);
        if (i >= yielding)
            part(meeting, touch, meet);
    }
}

static void partTask(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const ClothMeeting* meeting = context;
    grzClothBody* cloth = meeting->cloth;
    for (uint32_t i = meeting->color->first + begin; i < meeting->color->first + end; ++i)
        part(meeting, &cloth->touches.data[cloth->order.data[i]], &cloth->meets.data[i]);
}

static ClothPartner* partnerAt(grzClothBody* cloth, uint32_t place) {
    return &cloth->partners.data[cloth->touches.data[cloth->order.data[place]].partner];
}

static void countMeets(grzClothBody* cloth, const ClothColor* color) {
    const uint32_t end = color->first + color->yieldingCount;
    for (uint32_t i = color->first; i < end; ++i)
        partnerAt(cloth, i)->meetCount = 0;
    for (uint32_t i = color->first; i < end; ++i)
        partnerAt(cloth, i)->meetCount += isMet(&cloth->meets.data[i]);
}

static void sumPushes(grzClothBody* cloth, const ClothColor* color) {
    const uint32_t end = color->first + color->yieldingCount;
    for (uint32_t i = color->first; i < end; ++i)
        if (isMet(&cloth->meets.data[i]))
            grzClothPartner_Gather(partnerAt(cloth, i), &cloth->meets.data[i]);
    for (uint32_t i = color->first; i < end; ++i)
        grzClothPartner_Yield(partnerAt(cloth, i));
}

static void solveColor(ClothMeeting* meeting, const ClothColor* color) {
    grzClothBody* cloth = meeting->cloth;
    meeting->color = color;
    grzParallelFor(cloth->tasks, color->count, TOUCH_GRAIN, lookTask, meeting);
    if (color->yieldingCount == 0)
        return;
    countMeets(cloth, color);
    grzParallelFor(cloth->tasks, color->yieldingCount, TOUCH_GRAIN, partTask, meeting);
    sumPushes(cloth, color);
}

// ---- what tethers stop ----

// How far a vertex may go along the normal until a tether is longer than the cloth gives.
static float roomAlong(const grzClothBody* cloth, uint32_t vertex, grzVec3 normal) {
    float room = FLT_MAX;
    for (uint32_t layer = 0; layer < cloth->tetherCount; ++layer) {
        const size_t row = (size_t)layer * cloth->rowCount + vertex;
        const float most = GIVES * cloth->tetherLengths.data[row] + cloth->reach;
        const grzVec3 pin = grzCloth_Row(cloth->pinPlaces.data, cloth->tetherPins.data[row]);
        const grzVec3 from = grzSub(grzCloth_Row(cloth->now.data, vertex), pin);
        const float along = grzDot(from, normal), free = most * most - grzLengthSq(from);
        const float own = free > 0 ? grzSqrt(along * along + free) - along : 0;
        room = own < room ? own : room;
    }
    return room;
}

// Takes from the body what speed it has at the touch beyond what tethers leave it; returns whether there was such a speed.
static bool stopAt(const ClothMeeting* meeting, ClothTouch* touch) {
    grzClothBody* cloth = meeting->cloth;
    ClothPartner* partner = &cloth->partners.data[touch->partner];
    const float arm = grzDistance(grzVec3_Load(touch->place), partner->startCenter);
    const float fastest = grzLength(partner->velocity) + grzLength(partner->spin) * arm;
    if (!(fastest * meeting->h > cloth->reach)) // the cloth gives that
        return false;
    ClothMeet meet;
    placeMeet(meeting, touch, &meet);
    const grzVec3 point = touchPoint(cloth->now.data, touch);
    const float speed = grzDot(meet.speed, meet.normal);
    const float ahead = grzDot(meet.normal, grzSub(point, meet.place)) - cloth->reach;
    if (!(speed > 0 && speed * meeting->h > ahead) || (touch->height >= cloth->reach && !mayReach(meeting, touch)))
        return false;
    float room = ahead;
    for (uint32_t k = 0; k < touch->vertexCount; ++k)
        room += touch->weights[k] * roomAlong(cloth, touch->vertices[k], meet.normal);
    const float excess = speed - (room > 0 ? room / meeting->h : 0);
    if (!(excess > 0))
        return false;
    meet.held = 0;
    meet.impulse = grzScale(meet.normal, -excess / grzClothPartner_WeightAt(partner, meet.arm, meet.normal));
    notePush(touch, &meet);
    grzClothPartner_Gather(partner, &meet);
    grzClothPartner_Yield(partner);
    return true;
}

// One touch after the other, in the order of colours: what stops at one may turn into another.
static void stopPartners(const ClothMeeting* meeting) {
    grzClothBody* cloth = meeting->cloth;
    bool isStopped = cloth->tetherCount != 0;
    for (int round = 0; round < STOP_ROUNDS && isStopped; ++round) {
        isStopped = false;
        for (size_t c = cloth->colors.count; c-- > 0;)
            for (uint32_t i = 0; i < cloth->colors.data[c].yieldingCount; ++i)
                isStopped |=
                    stopAt(meeting, &cloth->touches.data[cloth->order.data[cloth->colors.data[c].first + i]]);
    }
}

// ---- a substep ----

void grzCloth_BeginTouches(grzClothBody* cloth, const grzSubstep* substep) {
    for (size_t i = 0; i < cloth->partners.count; ++i)
        grzClothPartner_Read(&cloth->partners.data[i], substep);
}

// What a touch has pushed in the step, and its part of what holds back a partner that swings, along its normal and
// across.
static void publishPush(ClothTouch* touch, const ClothPartner* partner) {
    const grzVec3 away = grzVec3_Load(touch->normal);
    grzVec3 pushed = grzVec3_Load(touch->pushed);
    const float load = -grzDot(pushed, away);
    if (load > 0 && partner->stepLoad > 0)
        pushed = grzAddScaled(pushed, load / partner->stepLoad, partner->swung);
    const float along = -grzDot(pushed, away);
    touch->impulse = along > 0 ? along : 0;
    const grzVec3 friction = grzAddScaled(pushed, touch->impulse, away);
    const bool isObstacleB = grzDot(touch->contact.normal, away) < 0; // contacts have what B gets
    grzVec3_Store(touch->friction, isObstacleB ? friction : grzNeg(friction));
}

void grzCloth_PublishTouches(grzClothBody* cloth) {
    for (size_t i = 0; i < cloth->touches.count; ++i) {
        const ClothTouch* touch = &cloth->touches.data[i];
        const float load = -grzDot(grzVec3_Load(touch->pushed), grzVec3_Load(touch->normal));
        cloth->partners.data[touch->partner].stepLoad += load > 0 ? load : 0;
    }
    for (size_t i = 0; i < cloth->touches.count; ++i) {
        ClothTouch* touch = &cloth->touches.data[i];
        publishPush(touch, &cloth->partners.data[touch->partner]);
        touch->approachSpeed = touch->closing / cloth->timeStep;
    }
}

void grzCloth_SolveTouches(grzClothBody* cloth, const grzSubstep* substep, bool isFirst) {
    const float h = grzSubstep_Time(substep);
    const uint32_t index = grzSubstep_Index(substep);
    ClothMeeting meeting = {.cloth = cloth,
                            .substep = index,
                            .isFirst = isFirst,
                            .time = h * (float)index,
                            .h = h,
                            .rate = cloth->rate};
    stopPartners(&meeting);
    for (size_t c = cloth->colors.count; c-- > 0;)
        solveColor(&meeting, &cloth->colors.data[c]);
}

void grzCloth_EndTouches(grzClothBody* cloth, grzSubstep* substep) {
    for (size_t i = 0; i < cloth->partners.count; ++i) {
        ClothPartner* partner = &cloth->partners.data[i];
        if (!partner->isPushed)
            continue;
        grzClothPartner_Slow(partner, cloth->pinSpeed, grzSubstep_Time(substep));
        grzClothPartner_Push(partner, substep);
    }
}
