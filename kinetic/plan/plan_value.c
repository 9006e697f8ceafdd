// What: plan times, and where vertices are: what plan_inside.h and graze/flightplan.h say of values.
// Idea: a keyframe's coordinate is one rounded sum of two products that are exact. So is a path's, while its last change is less
//   than 2^29 ticks ago and it has no acceleration; else it is a sum in twice the precision, whose rounding is certain but where
//   it comes very near the middle of two doubles: then the exact sum decides.
// Based on: the test of rounding: [Ziv, Fast Evaluation of Elementary Mathematical Functions with Correctly Rounded Last Bit,
//   TOMS 1991]; TWO-SUM and TWO-PRODUCT: [Dekker, A Floating-Point Technique for Extending the Available Precision, 1971].
#include <string.h>

#include "bvh_parts.h"
#include "exact_sum.h"
#include "plan_inside.h"
#include "plan_kernel.h"
#include "refuse_null.h"
#include "result_make.h"

// ---- times ----

bool grzPlan_Knows(const grzFlightplan* plan, double time) {
    const grzFlightplanRange range = grzFlightplan_GetRange(plan);
    return plan->kind == grz_planPaths ? time >= range.begin && time < range.end
                                       : time >= range.begin && time <= range.end;
}

// The last frame that is not after a time that is known.
static size_t frameAt(const grzFlightplan* plan, double time) {
    size_t low = 0, high = plan->frames.count;
    while (low + 1 < high) {
        const size_t middle = low + (high - low) / 2;
        if (plan->frames.data[middle].time <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

double grzPlan_TimeOf(const grzFlightplan* plan, double time) {
    if (plan->kind == grz_planPaths)
        return floor(time / plan->tick) * plan->tick;
    const size_t frame = frameAt(plan, time);
    const double number = (double)(plan->firstFrame + frame);
    if (frame + 1 == plan->frames.count)
        return number;
    const double begin = plan->frames.data[frame].time, end = plan->frames.data[frame + 1].time;
    const double part = floor((time - begin) / (end - begin) / PLAN_FRAME_TICK) * PLAN_FRAME_TICK;
    return number + fmin(part, 1 - PLAN_FRAME_TICK);
}

// To the time before; but no less than matters where a time is far nearer to zero than its keyframes.
static double timeBefore(double time, double least) {
    return fmin(nextafter(time, -(double)INFINITY), time - least);
}

double grzPlan_LastTime(const grzFlightplan* plan, double at) {
    if (plan->kind == grz_planPaths)
        return nextafter(fmin(at + plan->tick, plan->timeLimit), -(double)INFINITY);
    const double number = floor(at), part = at - number;
    const PlanFrame* frame = plan->frames.data + ((size_t)number - plan->firstFrame);
    if (number == grzPlan_End(plan))
        return frame->time;
    const double begin = frame[0].time, end = frame[1].time, size = fmax(fabs(begin), fabs(end));
    const double least = (nextafter(size, (double)INFINITY) - size) / 4;
    double time = fmin(begin + (part + plan->tick) * (end - begin), end);
    while (grzPlan_TimeOf(plan, time) > at)
        time = timeBefore(time, least);
    return time;
}

double grzPlan_End(const grzFlightplan* plan) {
    if (plan->kind == grz_planPaths)
        return plan->timeLimit;
    return (double)plan->firstFrame + (double)plan->frames.count - 1;
}

// ---- keyframes ----

static double onFrames(const grzFlightplan* plan, uint32_t vertex, int axis, double at) {
    const double number = floor(at), part = at - number;
    const PlanFrame* frame = plan->frames.data + ((size_t)number - plan->firstFrame);
    const double a = (double)frame[0].positions[vertex * frame[0].stride + (size_t)axis];
    if (part == 0)
        return a;
    const double b = (double)frame[1].positions[vertex * frame[1].stride + (size_t)axis];
    return (1 - part) * a + part * b;
}

// ---- paths ----

typedef struct Two { // a number as its double and what is left
    double high, low;
} Two;

static Two sumOf(double a, double b) {
    const double sum = a + b, of = sum - a;
    return (Two){sum, (a - (sum - of)) + (b - of)};
}

static Two productOf(double a, double b) {
    const double scaledA = 134217729 * a, scaledB = 134217729 * b; // 2^27 + 1
    const double a1 = scaledA - (scaledA - a), b1 = scaledB - (scaledB - b), a2 = a - a1, b2 = b - b1;
    const double product = a * b;
    return (Two){product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2};
}

// The sign of p + v h + c h h less x + y.
static int signLess(const double p, double v, double c, double h, double x, double y) {
    const float top = (float)h;
    const double head = (double)top,
                 tail = h - head; // 24 and at most 29 bits, so that c has exact products with both
    grzExactSum sum;
    memset(&sum, 0, sizeof sum);
    grzExactSum_AddProduct(&sum, p, 1);
    grzExactSum_AddProduct(&sum, v, h);
    grzExactSum_AddProduct(&sum, c * head, h);
    grzExactSum_AddProduct(&sum, c * tail, h);
    grzExactSum_AddProduct(&sum, x, -1);
    grzExactSum_AddProduct(&sum, y, -1);
    return grzExactSum_Sign(&sum);
}

static bool isEven(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits & 1) == 0;
}

// The nearest double, of ties the even one, from one that is near.
static double roundExactly(double p, double v, double c, double h, double near) {
    for (;;) {
        const double up = nextafter(near, (double)INFINITY), down = nextafter(near, -(double)INFINITY);
        const int above = signLess(p, v, c, h, near / 2, up / 2), below = signLess(p, v, c, h, near / 2, down / 2);
        if (above > 0 || (above == 0 && !isEven(near)))
            near = up;
        else if (below < 0 || (below == 0 && !isEven(near)))
            near = down;
        else
            return near;
    }
}

static double onLongPath(double p, double v, double c, double h) {
    const Two linear = productOf(v, h), slope = productOf(c, h), square = productOf(slope.high, h);
    const Two first = sumOf(p, linear.high), second = sumOf(first.high, square.high);
    const double rest = ((first.low + second.low) + (linear.low + square.low)) + slope.low * h;
    const Two all = sumOf(second.high, rest);
    // Rest has seven operations on terms that are each below 2^-52 of the size.
    const double error = 0x1p-98 * ((fabs(p) + fabs(linear.high)) + fabs(square.high));
    const bool isCertain = all.high + (all.low + error) == all.high && all.high + (all.low - error) == all.high;
    return isCertain ? all.high : roundExactly(p, v, c, h, all.high);
}

static double onPath(const PlanPath* path, int axis, double at, double tick) {
    const double h = at - path->base;
    const double p = (double)path->position[axis], v = (double)path->velocity[axis];
    const double c = 0.5 * (double)path->acceleration[axis];
    if (c == 0 && h <= PLAN_SHORT_TICKS * tick)
        return p + v * h;
    return onLongPath(p, v, c, h);
}

double grzPlan_Double(const grzFlightplan* plan, uint32_t vertex, int axis, double at) {
    return plan->kind == grz_planPaths ? onPath(&plan->paths.data[vertex], axis, at, plan->tick)
                                       : onFrames(plan, vertex, axis, at);
}

// ---- queries ----

grzResult grzFlightplan_Locate(const grzFlightplan* plan, uint32_t vertex, double time, grzVec3* position) {
    GRZ_REFUSE_NULL(plan, 1);
    GRZ_REFUSE_NULL(position, 4);
    *position = grzVec3_Zero();
    if (vertex >= plan->vertexCount)
        return grzFail(grz_indexTooLarge, vertex);
    if (!grzPlan_Knows(plan, time))
        return grzBecause(grzFail(grz_badArgument, 3), "the time is outside of what the plan knows");
    const double at = grzPlan_TimeOf(plan, time);
    *position = grzVec3_Make(grzPlan_Float(plan, vertex, 0, at), grzPlan_Float(plan, vertex, 1, at),
                             grzPlan_Float(plan, vertex, 2, at));
    return grzOk();
}

static void evaluateFrames(const grzFlightplan* plan, double at, uint32_t begin, uint32_t end, float* positions,
                           size_t stride) {
    const double number = floor(at), part = at - number;
    const PlanFrame* a = plan->frames.data + ((size_t)number - plan->firstFrame);
    const PlanFrame* b = part == 0 ? a : a + 1; // with part 0 the second has no say
    if (a->stride == 3 && b->stride == 3 && stride == 3) {
        GRZ_PICK_KERNEL(grzPlanBlend)
        (a->positions + 3 * (size_t)begin, b->positions + 3 * (size_t)begin, 3 * (size_t)(end - begin), part,
         positions + 3 * (size_t)begin);
        return;
    }
    for (size_t v = begin; v < end; ++v)
        GRZ_PICK_KERNEL(grzPlanBlend)
    (a->positions + v * a->stride, b->positions + v * b->stride, 3, part, positions + v * stride);
}

void grzPlan_EvaluateRange(const grzFlightplan* plan, double at, uint32_t begin, uint32_t end, float* positions,
                           size_t stride) {
    if (plan->kind == grz_planKeyframes) {
        evaluateFrames(plan, at, begin, end, positions, stride);
        return;
    }
    for (uint32_t v = begin; v < end; ++v)
        for (int axis = 0; axis < 3; ++axis)
            positions[v * stride + (size_t)axis] = grzPlan_Float(plan, v, axis, at);
}

enum { GRAIN = 4096 }; // vertices a task

typedef struct Evaluation {
    const grzFlightplan* plan;
    double at;
    float* positions;
    size_t stride; // in floats
} Evaluation;

static void evaluateBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const Evaluation* work = context;
    grzPlan_EvaluateRange(work->plan, work->at, begin, end, work->positions, work->stride);
}

grzResult grzFlightplan_Evaluate(const grzFlightplan* plan, grzTasks* tasks, double time, float* positions,
                                 size_t stride) {
    GRZ_REFUSE_NULL(plan, 1);
    if (!grzPlan_Knows(plan, time))
        return grzBecause(grzFail(grz_badArgument, 3), "the time is outside of what the plan knows");
    if (positions == NULL && plan->vertexCount != 0)
        return grzBecause(grzFail(grz_badArgument, 4), "positions is NULL");
    const char* flaw = grzBvhFlawOfStride(stride, grz_float32, plan->vertexCount);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 5), flaw);
    Evaluation work = {plan, grzPlan_TimeOf(plan, time), positions, stride == 0 ? 3 : stride / sizeof(float)};
    grzParallelFor(tasks, (uint32_t)plan->vertexCount, GRAIN, evaluateBlock, &work);
    return grzOk();
}

enum { TOGETHER = 64 }; // vertices that are brought together for the kernel

static void loadRows(const PlanFrame* frame, const uint32_t* vertices, size_t count, float* to) {
    for (size_t i = 0; i < count; ++i)
        memcpy(to + 3 * i, frame->positions + vertices[i] * frame->stride, 3 * sizeof *to);
}

static void evaluateSomeFrames(const grzFlightplan* plan, double at, const uint32_t* vertices, size_t count,
                               float* positions) {
    const double number = floor(at), part = at - number;
    const PlanFrame* frame = plan->frames.data + ((size_t)number - plan->firstFrame);
    float a[3 * TOGETHER], b[3 * TOGETHER];
    loadRows(frame, vertices, count, a);
    if (part != 0) {
        loadRows(frame + 1, vertices, count, b);
        GRZ_PICK_KERNEL(grzPlanBlend)(a, b, 3 * count, part, a);
    }
    for (size_t i = 0; i < count; ++i)
        memcpy(positions + 3 * (size_t)vertices[i], a + 3 * i, 3 * sizeof *a);
}

static void evaluateSomePaths(const grzFlightplan* plan, double at, const uint32_t* vertices, size_t count,
                              float* positions) {
    for (size_t i = 0; i < count; ++i)
        for (int axis = 0; axis < 3; ++axis)
            positions[3 * (size_t)vertices[i] + (size_t)axis] = grzPlan_Float(plan, vertices[i], axis, at);
}

grzResult grzFlightplan_EvaluateSome(const grzFlightplan* plan, double time, const uint32_t* vertices, size_t count,
                                     float* positions) {
    GRZ_REFUSE_NULL(plan, 1);
    if (!grzPlan_Knows(plan, time))
        return grzBecause(grzFail(grz_badArgument, 2), "the time is outside of what the plan knows");
    if (vertices == NULL && count != 0)
        return grzBecause(grzFail(grz_badArgument, 3), "vertices is NULL, but count is not 0");
    if (positions == NULL && count != 0)
        return grzBecause(grzFail(grz_badArgument, 5), "positions is NULL");
    for (size_t i = 0; i < count; ++i)
        if (vertices[i] >= plan->vertexCount)
            return grzFailAt(grz_indexTooLarge, grz_partVertex, i, vertices[i]);
    const double at = grzPlan_TimeOf(plan, time);
    const bool isFrames = plan->kind == grz_planKeyframes;
    for (size_t i = 0; i < count; i += TOGETHER)
        (isFrames ? evaluateSomeFrames : evaluateSomePaths)(plan, at, vertices + i,
                                                            count - i < TOGETHER ? count - i : TOGETHER, positions);
    return grzOk();
}
