#include "contact_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef grzVec3d V;

static V make(double x, double y, double z) {
    return (V){x, y, z};
}
static V fromFloats(const float* f) {
    return make((double)f[0], (double)f[1], (double)f[2]);
}
static V fromVec(grzVec3 a) {
    return make((double)a.x, (double)a.y, (double)a.z);
}
static grzVec3 toVec(V a) {
    return grzVec3_Make((float)a.x, (float)a.y, (float)a.z);
}
static V add(V a, V b) {
    return make(a.x + b.x, a.y + b.y, a.z + b.z);
}
static V sub(V a, V b) {
    return make(a.x - b.x, a.y - b.y, a.z - b.z);
}
static V scale(V a, double s) {
    return make(a.x * s, a.y * s, a.z * s);
}
static V cross(V a, V b) {
    return make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static double dot(V a, V b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

typedef struct Q {
    V v;
    double w;
} Q;

static Q multiply(Q a, Q b) {
    return (Q){add(add(scale(b.v, a.w), scale(a.v, b.w)), cross(a.v, b.v)), a.w * b.w - dot(a.v, b.v)};
}
static Q normalize(Q q) {
    double length = sqrt(dot(q.v, q.v) + q.w * q.w);
    return (Q){scale(q.v, 1 / length), q.w / length};
}
static V rotate(Q q, V a) {
    V t = scale(cross(q.v, a), 2);
    return add(add(a, scale(t, q.w)), cross(q.v, t));
}
static V rotateBack(Q q, V a) {
    return rotate((Q){scale(q.v, -1), q.w}, a);
}

typedef struct Body {
    V center, velocity, inverseInertia;
    V spin, middleSpin; // where the body gyrates, turned back by what it has turned in the step: as touches take it
    V velocityBefore, spinBefore; // at the start of the substep, with gyroscopic terms
    V velocityFree, spinFree;     // after forces, without touches
    double debt;                  // energy that its touches gave in this substep
    Q start, rotation;
    double inverseMass;
    bool moves, yields, gyrates;
} Body;

typedef struct Point {
    V armA, armB;
    double mass, separation, impulse, whole, opened; // whole: impulses of all substeps
    bool canMeet;                                    // it was apart when the step began, and has not pushed
} Point;

typedef struct Touch {
    Body *a, *b;
    V normal, t1, t2, middleA, middleB;
    Point points[4];
    uint32_t count;
    double k[2][2], slide[2], twistMass, twist, arm, friction, restitution, energy;
    double modes[3][4], shares[3]; // shares: how far to go along each mode where the touch gives
    bool isOneSided;
    bool lands; // a point met in this substep
} Touch;

static V turnInertia(const Body* body, V moment) { // the inverse inertia at the start of the step
    V own = rotateBack(body->start, moment);
    return rotate(body->start, make(own.x * body->inverseInertia.x, own.y * body->inverseInertia.y,
                                    own.z * body->inverseInertia.z));
}

static void push(Touch* t, V armA, V armB, V impulse) {
    t->a->velocity = sub(t->a->velocity, scale(impulse, t->a->inverseMass));
    t->a->spin = sub(t->a->spin, turnInertia(t->a, cross(armA, impulse)));
    t->b->velocity = add(t->b->velocity, scale(impulse, t->b->inverseMass));
    t->b->spin = add(t->b->spin, turnInertia(t->b, cross(armB, impulse)));
}

static void pushTwist(Touch* t, double impulse) {
    t->a->spin = sub(t->a->spin, turnInertia(t->a, scale(t->normal, impulse)));
    t->b->spin = add(t->b->spin, turnInertia(t->b, scale(t->normal, impulse)));
}

static V speedAt(const Touch* t, V armA, V armB) {
    return sub(add(t->b->velocity, cross(t->b->spin, armB)), add(t->a->velocity, cross(t->a->spin, armA)));
}

static double between(const Touch* t, V armA, V armB, V u, V v) { // u . K v
    double sum = (t->a->inverseMass + t->b->inverseMass) * dot(u, v);
    sum += dot(cross(armA, u), turnInertia(t->a, cross(armA, v)));
    return sum + dot(cross(armB, u), turnInertia(t->b, cross(armB, v)));
}

static double inverse(double k) {
    return k > 0 ? 1 / k : 0;
}

// Where a point lies about the middle, as B sees it; or A, where it alone yields.
static V fromMiddle(const Touch* t, uint32_t i) {
    return t->b->yields ? sub(t->points[i].armB, t->middleB) : sub(t->points[i].armA, t->middleA);
}

static void prepareFriction(const grzTouch* from, Touch* t) {
    t->middleA = t->middleB = make(0, 0, 0);
    for (uint32_t i = 0; i < t->count; ++i) {
        t->middleA = add(t->middleA, scale(t->points[i].armA, 1.0 / t->count));
        t->middleB = add(t->middleB, scale(t->points[i].armB, 1.0 / t->count));
    }
    V directions[2] = {t->t1, t->t2};
    double k[2][2];
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            k[i][j] = between(t, t->middleA, t->middleB, directions[i], directions[j]);
    double determinant = k[0][0] * k[1][1] - k[0][1] * k[1][0];
    t->k[0][0] = k[1][1] * inverse(determinant);
    t->k[1][1] = k[0][0] * inverse(determinant);
    t->k[0][1] = t->k[1][0] = -k[0][1] * inverse(determinant);
    t->twistMass = inverse(dot(t->normal, add(turnInertia(t->a, t->normal), turnInertia(t->b, t->normal))));
    for (uint32_t i = 0; i < t->count; ++i) {
        double x = dot(fromMiddle(t, i), t->t1), y = dot(fromMiddle(t, i), t->t2);
        double f1 = (double)from->points[i].frictionImpulse[0], f2 = (double)from->points[i].frictionImpulse[1];
        t->slide[0] += f1;
        t->slide[1] += f2;
        t->arm += sqrt(x * x + y * y) / t->count;
        t->twist += x * f2 - y * f1;
    }
    if (t->count == 1)
        t->twist = t->twistMass = 0;
}

static void prepare(const grzTouch* from, Body* bodies, Touch* t) {
    memset(t, 0, sizeof *t);
    grzVec3 tangents[2];
    grzTouch_Tangents(from->normal, tangents);
    t->a = &bodies[from->bodyA];
    t->b = &bodies[from->bodyB];
    t->isOneSided = !t->a->yields || !t->b->yields;
    t->normal = fromVec(from->normal);
    t->t1 = fromVec(tangents[0]);
    t->t2 = fromVec(tangents[1]);
    t->count = from->pointCount;
    t->friction = (double)from->friction;
    t->restitution = (double)from->restitution;
    for (uint32_t i = 0; i < t->count; ++i) {
        Point* p = &t->points[i];
        p->armA = fromFloats(from->points[i].anchorA);
        p->armB = fromFloats(from->points[i].anchorB);
        p->separation = (double)from->points[i].separation;
        p->canMeet = p->separation > 0;
        p->impulse = (double)from->points[i].normalImpulse;
        p->mass = inverse(between(t, p->armA, p->armB, t->normal, t->normal));
    }
    prepareFriction(from, t);
}

static void applyAll(Touch* t) {
    for (uint32_t i = 0; i < t->count; ++i)
        push(t, t->points[i].armA, t->points[i].armB, scale(t->normal, t->points[i].impulse));
    push(t, t->middleA, t->middleB, add(scale(t->t1, t->slide[0]), scale(t->t2, t->slide[1])));
    pushTwist(t, t->twist);
}

typedef struct Soft {
    double biasRate, massScale, impulseScale;
} Soft;

static Soft softOf(const Touch* t, const grzSolverSettings* settings, double time) {
    double hertz = (double)settings->contactHertz, most = 0.25 / time;
    hertz = (hertz < most ? hertz : most) * (t->isOneSided ? 2 : 1);
    double omega = 2 * 3.14159265358979 * hertz, a1 = 2 * (double)settings->contactDampingRatio + time * omega;
    double a2 = time * omega * a1, a3 = 1 / (1 + a2);
    return (Soft){omega / a1, a2 * a3, a3};
}

static double pointSpeed(const Touch* t, const Point* p) {
    return dot(t->normal, speedAt(t, p->armA, p->armB));
}

static void pushPoint(Touch* t, Point* p, double after) {
    push(t, p->armA, p->armB, scale(t->normal, after - p->impulse));
    p->impulse = after;
}

static V flatten(const Touch* t, V a) {
    return sub(a, scale(t->normal, dot(a, t->normal)));
}

// What an impulse at one point does to the speed at another.
static double acrossPoints(const Touch* t, const Point* p, const Point* q) {
    V n = t->normal;
    double sum = t->a->inverseMass + t->b->inverseMass;
    sum += dot(cross(p->armA, n), turnInertia(t->a, cross(q->armA, n)));
    return sum + dot(cross(p->armB, n), turnInertia(t->b, cross(q->armB, n)));
}

// What impulses u at the points do to the speeds there, along impulses v.
static double acrossImpulses(const Touch* t, const double u[4], const double v[4]) {
    double sum = 0;
    for (uint32_t i = 0; i < t->count; ++i)
        for (uint32_t j = 0; j < t->count; ++j)
            sum += u[i] * v[j] * acrossPoints(t, &t->points[i], &t->points[j]);
    return sum;
}

// Impulses that are a constant and two slopes, made so that none changes the speeds along another and each does so by 1. One
// that hangs on those before it but for rounding is 0.
static void prepareModes(Touch* t) {
    V along = make(0, 0, 0);
    for (uint32_t i = 0; i < t->count; ++i) { // slopes along the line to the farthest point, and across it
        V from = flatten(t, fromMiddle(t, i));
        along = dot(from, from) > dot(along, along) * (1 + 1e-6) ? from : along;
    }
    along = scale(along, inverse(sqrt(dot(along, along))));
    for (int k = 0; k < 3; ++k) {
        double* mode = t->modes[k];
        double loose = 0;
        for (uint32_t i = 0; i < t->count; ++i) {
            V from = flatten(t, fromMiddle(t, i));
            mode[i] = k == 0 ? 1 : dot(from, k == 1 ? along : cross(t->normal, along));
            mode[i] = k == 2 && t->count == 2 ? 0 : mode[i];
            loose += (t->a->inverseMass + t->b->inverseMass) * mode[i] * mode[i];
        }
        const double whole = acrossImpulses(t, mode, mode);
        for (int l = 0; l < k; ++l) {
            const double share = acrossImpulses(t, t->modes[l], mode);
            for (uint32_t i = 0; i < t->count; ++i)
                mode[i] -= share * t->modes[l][i];
        }
        const double left = acrossImpulses(t, mode, mode);
        const bool isSound = left > 0 && (k == 0 || (left > 1e-3 * whole && left > 1e-10 * loose));
        for (uint32_t i = 0; i < t->count; ++i)
            mode[i] = isSound ? mode[i] / sqrt(left) : 0;
    }
}

// With a give of each point's own the modes change the errors along one another: so far is gone along each as cannot be too far.
static void prepareShares(Touch* t, const grzSolverSettings* settings, double time) {
    const Soft soft = softOf(t, settings, time);
    for (int k = 0; k < 3; ++k) {
        double row = 0;
        for (int l = 0; l < 3; ++l) {
            double sum = 0;
            for (uint32_t i = 0; i < t->count; ++i)
                sum += inverse(t->points[i].mass) * t->modes[k][i] * t->modes[l][i];
            row += fabs(sum);
        }
        t->shares[k] = 1 / (1 + soft.impulseScale / soft.massScale * row);
    }
}

// Impulses that take the errors away as far as modes can; of each mode a share.
static void shareOut(const Touch* t, const double errors[4], const double shares[3], double wanted[4]) {
    memset(wanted, 0, 4 * sizeof *wanted);
    for (int k = 0; k < 3; ++k) {
        double along = 0;
        for (uint32_t i = 0; i < t->count; ++i)
            along += t->modes[k][i] * errors[i];
        for (uint32_t i = 0; i < t->count; ++i)
            wanted[i] -= shares[k] * along * t->modes[k][i];
    }
}

// As far as no impulse pulls; true where that is all the way.
static bool goWanted(Touch* t, const double wanted[4]) {
    double way = 1;
    for (uint32_t i = 0; i < t->count; ++i)
        if (t->points[i].impulse + wanted[i] < 0)
            way = fmin(way, t->points[i].impulse / -wanted[i]);
    for (uint32_t i = 0; i < t->count; ++i)
        pushPoint(t, &t->points[i], fmax(t->points[i].impulse + way * wanted[i], 0));
    return way == 1;
}

static double biasOf(const Point* p, const grzSolverSettings* settings, double time, double biasRate) {
    return p->separation > 0 ? p->separation / time : fmax(biasRate * p->separation, -(double)settings->pushSpeed);
}

static double errorOf(const Touch* t, const Point* p, const grzSolverSettings* settings, double time,
                      const Soft* soft) {
    return pointSpeed(t, p) + biasOf(p, settings, time, soft->biasRate) +
           soft->impulseScale / soft->massScale * inverse(p->mass) * p->impulse;
}

// When touches relax, points that are apart and do not push ask for nothing.
static double askedOf(const Touch* t, const Point* p, const grzSolverSettings* settings, double time,
                      const Soft* soft, bool isSoft) {
    const double error = errorOf(t, p, settings, time, soft);
    return !isSoft && p->separation > 0 && p->impulse <= 0 ? fmax(error, 0) : error;
}

// All points together: each twice as far as it would go alone, or until it would pull; and of that the share that leaves the least
// energy, at most the whole.
static void solvePoints(Touch* t, const grzSolverSettings* settings, double time, const Soft* soft, bool isSoft) {
    double changes[4], slope = 0, bend = 0;
    for (uint32_t i = 0; i < t->count; ++i) {
        const Point* p = &t->points[i];
        const double error = askedOf(t, p, settings, time, soft, isSoft);
        changes[i] = fmax(-2 * p->mass * soft->massScale * error, -p->impulse);
        slope -= changes[i] * error;
        bend += soft->impulseScale / soft->massScale * inverse(p->mass) * changes[i] * changes[i];
    }
    bend += acrossImpulses(t, changes, changes);
    const double share = bend > 0 ? fmin(slope / bend, 1) : 0;
    for (uint32_t i = 0; i < t->count; ++i)
        pushPoint(t, &t->points[i], t->points[i].impulse + share * changes[i]);
}

// By modes, where there are several points. Then point by point: where an impulse would pull, after a blow, or where
// there are four points and one is apart. Point by point twice: where the touch lands, takes a blow, or gives one back.
static void solveNormals(Touch* t, const grzSolverSettings* settings, double time, bool isSoft) {
    Soft soft = softOf(t, settings, time);
    const double blow = 2 * (double)settings->timeStep * (double)grzLength(settings->gravity);
    double errors[4], wanted[4], shares[3], least = (double)INFINITY;
    bool acts = false, gives = false, isApart = false, pushed = false;
    for (uint32_t i = 0; i < t->count; ++i)
        gives = gives || (isSoft && t->points[i].separation <= 0);
    if (!gives)
        soft = (Soft){isSoft ? soft.biasRate : 0, 1, 0};
    for (int k = 0; k < 3; ++k) // tilts of points near each other are not gone along whole
        shares[k] = gives ? t->shares[k] : k == 0 ? 1 : fmin(1, 2 * t->shares[k]);
    for (uint32_t i = 0; i < t->count; ++i) {
        const Point* p = &t->points[i];
        errors[i] = askedOf(t, p, settings, time, &soft, isSoft);
        acts = acts || p->impulse > 0 || errors[i] < 0;
        pushed = pushed || p->impulse > 0;
        isApart = isApart || (t->count == 4 && p->separation > 0);
        least = fmin(least, errors[i]);
    }
    const bool isBlow = fabs(least) > blow;
    const bool again = isBlow || (isSoft ? !pushed : t->lands);
    if (t->count > 1) {
        if (!acts)
            return;
        shareOut(t, errors, shares, wanted);
        if (goWanted(t, wanted) && !isApart && !isBlow)
            return;
    }
    for (int k = 0; k < (again && t->count > 1 ? 2 : 1); ++k)
        solvePoints(t, settings, time, &soft, isSoft);
}

// A touch lands in the substep in which a point that was apart pushes for the first time.
static void noteMet(Touch* t) {
    for (uint32_t i = 0; i < t->count; ++i) {
        Point* p = &t->points[i];
        const bool meets = p->canMeet && p->impulse > 0;
        t->lands = t->lands || meets;
        p->canMeet = p->canMeet && !meets;
    }
}

static void solveFriction(Touch* t) {
    double limit = 0;
    for (uint32_t i = 0; i < t->count; ++i)
        limit += t->friction * t->points[i].impulse;
    double twist = t->twist - t->twistMass * dot(t->normal, sub(t->b->spin, t->a->spin));
    twist = fmin(fmax(twist, -limit * t->arm), limit * t->arm);
    pushTwist(t, twist - t->twist);
    t->twist = twist;
    V speed = speedAt(t, t->middleA, t->middleB);
    double s1 = dot(t->t1, speed), s2 = dot(t->t2, speed);
    double f1 = t->slide[0] - (t->k[0][0] * s1 + t->k[0][1] * s2),
           f2 = t->slide[1] - (t->k[1][0] * s1 + t->k[1][1] * s2);
    double length = sqrt(f1 * f1 + f2 * f2);
    if (length > limit) {
        f1 *= limit / length;
        f2 *= limit / length;
    }
    push(t, t->middleA, t->middleB, add(scale(t->t1, f1 - t->slide[0]), scale(t->t2, f2 - t->slide[1])));
    t->slide[0] = f1;
    t->slide[1] = f2;
}

// A body's velocity and spin, at some time.
typedef struct Move {
    V velocity, spin;
} Move;

static Move moveNow(const Body* body) {
    return (Move){body->velocity, body->spin};
}
static Move moveFree(const Body* body) {
    return (Move){body->velocityFree, body->spinFree};
}
static Move moveBefore(const Body* body) {
    return (Move){body->velocityBefore, body->spinBefore};
}

// The speed of a body's points along the normal, each times its impulse.
static double alongOf(const Touch* t, bool isB, Move move) {
    double sum = 0;
    for (uint32_t i = 0; i < t->count; ++i) {
        const Point* p = &t->points[i];
        sum += p->impulse * dot(t->normal, add(move.velocity, cross(move.spin, isB ? p->armB : p->armA)));
    }
    return sum;
}

static double along(const Touch* t, Move (*when)(const Body* body)) {
    return alongOf(t, true, when(t->b)) - alongOf(t, false, when(t->a));
}

// What the impulses of a touch do to a body's own such speed.
static double ownResponse(const Touch* t, bool isB) {
    const Body* body = isB ? t->b : t->a;
    V moment = make(0, 0, 0);
    double sum = 0;
    for (uint32_t i = 0; i < t->count; ++i) {
        sum += t->points[i].impulse;
        moment =
            add(moment, scale(cross(isB ? t->points[i].armB : t->points[i].armA, t->normal), t->points[i].impulse));
    }
    return body->inverseMass * sum * sum + dot(moment, turnInertia(body, moment));
}

// Energy that a touch gave is a debt of its bodies, as far as others pushed each towards the other.
static void addDebts(Touch* t, double given) {
    double b = ownResponse(t, true) - (alongOf(t, true, moveNow(t->b)) - alongOf(t, true, moveFree(t->b)));
    double a = ownResponse(t, false) + (alongOf(t, false, moveNow(t->a)) - alongOf(t, false, moveFree(t->a)));
    b = !t->b->yields ? 0 : t->isOneSided ? 1 : fmax(b, 0);
    a = !t->a->yields ? 0 : t->isOneSided ? 1 : fmax(a, 0);
    const double share = a + b > 0 ? b / (a + b) : 0.5;
    t->b->debt += given * share;
    t->a->debt += given * (1 - share);
}

// The energy that friction takes; negative: that it gives.
static double frictionWork(const Touch* t) {
    const Move a[2] = {moveFree(t->a), moveNow(t->a)}, b[2] = {moveFree(t->b), moveNow(t->b)};
    double work = 0;
    for (int i = 0; i < 2; ++i) {
        V speed =
            sub(add(b[i].velocity, cross(b[i].spin, t->middleB)), add(a[i].velocity, cross(a[i].spin, t->middleA)));
        work -= (t->slide[0] * dot(t->t1, speed) + t->slide[1] * dot(t->t2, speed)) / 2;
        work -= t->twist * dot(t->normal, sub(b[i].spin, a[i].spin)) / 2;
    }
    return work;
}

// The energy to bounce with: what the impulses took, by the share of the speed that is to be given back, at the place where the
// points met.
static void measure(Touch* t, const grzSolverSettings* settings, double h) {
    double sum = 0, gone = 0;
    t->energy = 0;
    for (uint32_t i = 0; i < t->count; ++i) {
        sum += t->points[i].impulse;
        gone -= t->points[i].impulse * t->points[i].opened / h;
    }
    if (t->restitution <= 0 || sum <= 0)
        return;
    const double slowest =
        fmax((double)settings->restitutionThreshold, 2 * h * (double)grzLength(settings->gravity));
    const double before = -along(t, moveBefore), threshold = slowest * sum;
    const double approach = -along(t, moveFree);
    const double taken = (approach - along(t, moveNow)) / 2 + fmin(frictionWork(t), 0);
    if (fabs(before) > threshold && taken < 0)
        addDebts(t, -taken);
    const double lead = (approach - before) / 2, start = approach - lead;
    const double leave = t->restitution * sqrt(fmax(start * start + 4 * lead * gone, 0)) + lead;
    if (before > threshold && approach > 0 && leave > 0)
        t->energy = fmax(taken, 0) * (leave / approach) * (leave / approach);
}

static double payDebts(Body* body, double energy) {
    const double paid = fmin(energy, body->debt);
    body->debt -= paid;
    return energy - paid;
}

static void bounce(Touch* t) {
    if (t->energy <= 0)
        return;
    const double energy = payDebts(t->a, payDebts(t->b, t->energy));
    const double speed = along(t, moveNow), response = ownResponse(t, true) + ownResponse(t, false);
    const double share = (sqrt(speed * speed + 2 * energy * response) - speed) / response;
    for (uint32_t i = 0; i < t->count; ++i) {
        Point* p = &t->points[i];
        push(t, p->armA, p->armB, scale(t->normal, share * p->impulse));
        p->whole += share * p->impulse;
        p->impulse = 0;
    }
    t->slide[0] = t->slide[1] = t->twist = 0;
}

// Euler's equations in the body's frame: what gyroscopic terms add to the spin in a second.
static V gyration(const Body* body, V w) {
    V m = make(w.x / body->inverseInertia.x, w.y / body->inverseInertia.y, w.z / body->inverseInertia.z);
    V c = cross(m, w);
    return make(c.x * body->inverseInertia.x, c.y * body->inverseInertia.y, c.z * body->inverseInertia.z);
}

// The spin w = before + h * gyration(w), by repetition.
static V gyrateImplicitly(const Body* body, V before, double h) {
    V w = before;
    for (int i = 0; i < 100; ++i)
        w = add(before, scale(gyration(body, w), h));
    return w;
}

// To the middle of the substep.
static void gyrateFirst(Body* body, double h) {
    body->spin = rotate(body->start, gyrateImplicitly(body, rotateBack(body->start, body->spin), h / 2));
}

// To its end; or, where something has changed the spin, through the whole of it without the first half.
static double energyOf(const Body* body, V w) {
    const V i = body->inverseInertia;
    return (w.x * w.x / i.x + w.y * w.y / i.y + w.z * w.z / i.z) / 2;
}

static void gyrateSecond(Body* body, double h) {
    const V w = rotateBack(body->start, body->spin), middle = rotateBack(body->start, body->middleSpin);
    const V change = scale(gyration(body, middle), h / 2), off = sub(w, middle);
    const V after = dot(off, off) == 0 ? add(w, change) : gyrateImplicitly(body, sub(w, change), h);
    const V added = sub(rotate(body->start, after), body->spin);
    if (dot(off, off) != 0) {
        const double gain = energyOf(body, add(middle, sub(after, w))) - energyOf(body, sub(middle, change));
        body->debt += fmax(gain, 0);
    }
    body->spin = rotate(body->start, after);
    body->spinFree = add(body->spinFree, added);
    body->spinBefore = add(body->spinBefore, added);
}

static V spinInWorld(const Body* body) {
    return body->gyrates ? rotate(body->rotation, rotateBack(body->start, body->spin)) : body->spin;
}

static void force(Body* body, const grzBodyMass* mass, const grzSolverSettings* settings, double h) {
    body->velocityBefore = body->velocityFree = body->velocity;
    body->spinBefore = body->spinFree = body->spin;
    body->debt = 0;
    if (!body->yields)
        return;
    body->velocity = add(body->velocity, scale(fromVec(settings->gravity), h * (double)mass->gravityScale));
    body->velocity = scale(body->velocity, 1 / (1 + h * (double)mass->linearDamping));
    if (body->gyrates)
        gyrateFirst(body, h);
    body->spinBefore = body->spin;
    body->spin = scale(body->spin, 1 / (1 + h * (double)mass->angularDamping));
    body->middleSpin = body->spin;
    body->velocityFree = body->velocity;
    body->spinFree = body->spin;
}

static void follow(Touch* t, double h) {
    for (uint32_t i = 0; i < t->count; ++i) {
        t->points[i].opened = h * pointSpeed(t, &t->points[i]);
        t->points[i].separation += t->points[i].opened;
    }
}

static void move(Body* body, double h) {
    if (!body->moves)
        return;
    body->center = add(body->center, scale(body->velocity, h));
    Q turn = multiply((Q){scale(spinInWorld(body), h / 2), 0}, body->rotation);
    body->rotation = normalize((Q){add(body->rotation.v, turn.v), body->rotation.w + turn.w});
    if (body->gyrates)
        gyrateSecond(body, h);
}

static Body load(const grzBodyState* state, const grzBodyMass* mass) {
    Body body;
    memset(&body, 0, sizeof body);
    body.center = fromVec(state->center);
    body.start = body.rotation =
        (Q){make((double)state->rotation.x, (double)state->rotation.y, (double)state->rotation.z),
            (double)state->rotation.w};
    body.moves = (mass->flags & grz_bodyMoves) != 0;
    body.yields = (mass->flags & grz_bodyYields) != 0;
    body.gyrates = (mass->flags & grz_bodyGyrates) != 0;
    if (body.moves) {
        body.velocity = fromVec(state->velocity);
        body.spin = fromVec(state->spin);
    }
    if (body.yields) {
        body.inverseMass = (double)mass->inverseMass;
        body.inverseInertia = fromFloats(mass->inverseInertia);
    }
    return body;
}

static void store(const Body* body, grzBodyState* state) {
    if (!body->moves)
        return;
    state->center = toVec(body->center);
    state->rotation = grzQuat_Make((float)body->rotation.v.x, (float)body->rotation.v.y, (float)body->rotation.v.z,
                                   (float)body->rotation.w);
    if (body->yields) {
        state->velocity = toVec(body->velocity);
        state->spin = toVec(spinInWorld(body));
    }
}

static void storeTouch(const Touch* t, grzTouch* to) {
    double squares = 0;
    for (uint32_t i = 0; i < t->count; ++i) {
        V from = fromMiddle(t, i);
        squares += dot(t->t1, from) * dot(t->t1, from) + dot(t->t2, from) * dot(t->t2, from);
    }
    for (uint32_t i = 0; i < t->count; ++i) {
        V from = fromMiddle(t, i);
        double share = t->twist * inverse(squares);
        to->points[i].normalImpulse = (float)t->points[i].impulse;
        to->points[i].stepImpulse = (float)t->points[i].whole;
        to->points[i].frictionImpulse[0] = (float)(t->slide[0] / t->count - share * dot(t->t2, from));
        to->points[i].frictionImpulse[1] = (float)(t->slide[1] / t->count + share * dot(t->t1, from));
    }
}

void runContactReference(const ContactReference* r) {
    Body* bodies = malloc((r->bodyCount + 1) * sizeof *bodies);
    Touch* touches = malloc((r->touchCount + 1) * sizeof *touches);
    const double h = (double)r->settings.timeStep / r->settings.substepCount;
    for (uint32_t i = 0; i < r->bodyCount; ++i)
        bodies[i] = load(&r->states[i], &r->masses[i]);
    for (uint32_t i = 0; i < r->touchCount; ++i)
        prepare(&r->touches[r->order[i]], bodies, &touches[i]);
    for (uint32_t i = 0; i < r->touchCount; ++i) {
        prepareModes(&touches[i]);
        prepareShares(&touches[i], &r->settings, h);
    }
    for (uint32_t substep = 0; substep < r->settings.substepCount; ++substep) {
        for (uint32_t i = 0; i < r->bodyCount; ++i)
            force(&bodies[i], &r->masses[i], &r->settings, h);
        for (uint32_t i = 0; i < r->touchCount; ++i)
            applyAll(&touches[i]);
        for (uint32_t i = 0; i < r->touchCount; ++i) {
            touches[i].lands = false;
            solveNormals(&touches[i], &r->settings, h, true);
            noteMet(&touches[i]);
        }
        for (uint32_t i = 0; i < r->touchCount; ++i)
            follow(&touches[i], h);
        for (uint32_t i = 0; i < r->bodyCount; ++i)
            move(&bodies[i], h);
        for (uint32_t i = 0; i < r->touchCount; ++i) {
            solveNormals(&touches[i], &r->settings, h, false);
            noteMet(&touches[i]);
            solveFriction(&touches[i]);
            for (uint32_t k = 0; k < touches[i].count; ++k)
                touches[i].points[k].whole += touches[i].points[k].impulse;
        }
        for (uint32_t i = 0; i < r->touchCount; ++i)
            measure(&touches[i], &r->settings, h);
        for (uint32_t i = 0; i < r->touchCount; ++i)
            bounce(&touches[i]);
    }
    for (uint32_t i = 0; i < r->bodyCount; ++i)
        store(&bodies[i], &r->states[i]);
    for (uint32_t i = 0; i < r->touchCount; ++i)
        storeTouch(&touches[i], &r->touches[r->order[i]]);
    free(bodies);
    free(touches);
}

void findContactOrder(const grzTouch* touches, uint32_t touchCount, uint32_t* order) {
    uint32_t count = 0; // memory: 0 without a colour, colour + 1, and 0x100 where one-sided
    for (uint32_t memory = 0; memory < 0x200; ++memory)
        for (uint32_t i = 0; i < touchCount; ++i)
            if (touches[i].memory == memory)
                order[count++] = i;
}
