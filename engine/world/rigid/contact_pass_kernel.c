// What: the passes over touches in the substeps: warm start, solve, relax, bounce.
// Idea: eight touches at a time. The rows of their bodies are loaded and transposed, all points of the eight are
//       done in registers, and the rows go back. The normal impulses of a touch of several points are found all at
//       once (contact_rows.h, modes). Where that would make one of them pull, it is gone as far as none does, and
//       from there one point after the other. After a blow that is done twice in any case, since of points that do
//       not lie in a plane, or of which some are apart yet, modes find but a mean. Each such step brings the touch
//       nearer to its end, since what impulses may be is convex and so is the energy. Points that are only done one
//       after the other turn a box that lands flat: the first takes up the whole blow, and eight passes do not take
//       it back. From 10 metres it fell over.
// Holds: no two lanes of a block share a row that is written, and no two blocks of a colour. Lanes past the touches are
//        of the row of zeros, which is read and never written.
// Cost: two-sided and of four points, some 500 vector instructions to solve and 800 to relax; where impulses would
//       pull, half as many more.
// Based on: [Catto, Solver2D, 2024] soft step; [Catto, Box3D] friction at the middle of the points, and a twist
//           about it; [Catto, Box2D, b2ContactSolver] points as a block. We differ: three
//           modes instead of a matrix of the points, which for four of them is singular, and no search for which points push.
#include "contact_rows.h"
#include "wide_vec.h"

typedef struct Pair {
    grzWide3 velocityB, spinB, velocityA, spinA;
    grzF8 massB, massA;
} Pair;

typedef struct Rows {
    float* b[8];
    float* a[8];
} Rows;

GRZ_SIMD_PART void loadHalf(float* const rows[8], size_t at, grzWide3* linear, grzWide3* angular, grzF8* mass) {
    const float* from[8];
    for (int k = 0; k < 8; ++k)
        from[k] = rows[k];
    grzF8 columns[4];
    grzWide_LoadRows(from, at, columns);
    *linear = (grzWide3){columns[0], columns[1], columns[2]};
    *mass = columns[3];
    grzWide_LoadRows(from, at + 4, columns);
    *angular = (grzWide3){columns[0], columns[1], columns[2]};
}

GRZ_SIMD_PART void storeHalf(float* const rows[8], const grzWide3* linear, const grzWide3* angular, grzF8 mass,
                             uint32_t count) {
    const grzF8 first[4] = {linear->x, linear->y, linear->z, mass};
    grzWide_StoreRows(rows, 0, first, count);
    const grzF8 second[4] = {angular->x, angular->y, angular->z, grzF8_Zero()};
    grzWide_StoreRows(rows, 4, second, count);
}

GRZ_SIMD_INLINE void findRows(const grzSolverWork* work, const float* firm, uint32_t sides, Rows* rows) {
    uint32_t index[16];
    memcpy(index, firm, 32 * (size_t)sides);
    for (int k = 0; k < 8; ++k)
        rows->b[k] = (float*)&work->rows[index[k]];
    if (sides == 2)
        for (int k = 0; k < 8; ++k)
            rows->a[k] = (float*)&work->rows[index[8 + k]];
}

GRZ_SIMD_PART void loadPair(const Rows* rows, uint32_t sides, size_t at, Pair* pair) {
    loadHalf(rows->b, at, &pair->velocityB, &pair->spinB, &pair->massB);
    if (sides == 2)
        loadHalf(rows->a, at, &pair->velocityA, &pair->spinA, &pair->massA);
}

GRZ_SIMD_PART void storePair(const Rows* rows, uint32_t sides, const Pair* pair, uint32_t count) {
    storeHalf(rows->b, &pair->velocityB, &pair->spinB, pair->massB, count);
    if (sides == 2)
        storeHalf(rows->a, &pair->velocityA, &pair->spinA, pair->massA, count);
}

// ---- The speeds along a direction, and what impulses do to them. `j` is where the jacobian of B stands, and after it A's.

GRZ_SIMD_PART grzF8 speedOfSpin(const Pair* pair, const float* stream, uint32_t j, uint32_t sides) {
    grzF8 speed = grzWide3_Dot(grzWide3_At(stream, j), pair->spinB);
    return sides == 2 ? grzF8_Sub(speed, grzWide3_Dot(grzWide3_At(stream, j + 3), pair->spinA)) : speed;
}

GRZ_SIMD_PART void pushSpin(Pair* pair, const float* stream, uint32_t j, uint32_t sides, grzF8 impulse) {
    pair->spinB = grzWide3_AddScaled(pair->spinB, impulse, grzWide3_At(stream, j));
    if (sides == 2)
        pair->spinA = grzWide3_SubScaled(pair->spinA, impulse, grzWide3_At(stream, j + 3));
}

GRZ_SIMD_PART grzF8 speedOfCenters(const Pair* pair, grzWide3 direction, uint32_t sides) {
    grzWide3 velocity = sides == 2 ? grzWide3_Sub(pair->velocityB, pair->velocityA) : pair->velocityB;
    return grzWide3_Dot(direction, velocity);
}

GRZ_SIMD_PART void pushCenters(Pair* pair, grzWide3 direction, uint32_t sides, grzF8 impulse) {
    pair->velocityB = grzWide3_AddScaled(pair->velocityB, grzF8_Mul(pair->massB, impulse), direction);
    if (sides == 2)
        pair->velocityA = grzWide3_SubScaled(pair->velocityA, grzF8_Mul(pair->massA, impulse), direction);
}

// ---- Normals.

// How points are solved: with a soft push apart, or as they are. A touch is soft where one of its points touches.
typedef struct Push {
    grzF8 inverseTime, biasRate, pushSpeed, massScale, impulseScale, blowSpeed;
    bool isSoft;
} Push;

GRZ_SIMD_INLINE grzF8 biasOf(const Push* push, grzF8 separation) {
    grzF8 zero = grzF8_Zero(), ahead = grzF8_Mul(separation, push->inverseTime);
    grzF8 back = push->isSoft ? grzF8_Max(grzF8_Mul(separation, push->biasRate), push->pushSpeed) : zero;
    return grzF8_Select(grzF8_Greater(separation, zero), ahead, back);
}

GRZ_SIMD_INLINE float* pointAt(float* firm, uint32_t sides, uint32_t points, uint32_t i) {
    return firm + 8 * (size_t)(GRZ_FIRM_HEAD(sides, points) + i * GRZ_FIRM_POINT(sides));
}

GRZ_SIMD_PART grzF8 speedOfPoint(const Pair* pair, const float* point, grzF8 centers, uint32_t sides) {
    grzF8 speed = grzF8_Add(centers, speedOfSpin(pair, point, 0, sides));
    return sides == 1 ? grzF8_Sub(speed, grzWide_At(point, 6)) : speed;
}

// Where one of the points touches.
GRZ_SIMD_PART grzM8 isTouching(float* firm, uint32_t sides, uint32_t points) {
    grzF8 least = grzWide_At(pointAt(firm, sides, points, 0), 3 * sides + 1);
    for (uint32_t i = 1; i < points; ++i)
        least = grzF8_Min(least, grzWide_At(pointAt(firm, sides, points, i), 3 * sides + 1));
    return grzF8_LessEqual(least, grzF8_Zero());
}

// One point after the other, in the lanes of the mask.
GRZ_SIMD_PART void solvePoints(float* firm, uint32_t sides, uint32_t points, const Push* push, grzM8 lanes,
                               Pair* pair) {
    grzWide3 normal = grzWide3_At(firm, sides);
    grzF8 zero = grzF8_Zero(), one = grzF8_Set1(1.0f), scale = one, fade = zero, sum = zero;
    grzF8 centers = speedOfCenters(pair, normal, sides);
    grzF8 massOfBoth = sides == 2 ? grzF8_Add(pair->massB, pair->massA) : pair->massB;
    if (push->isSoft) {
        grzM8 touches = isTouching(firm, sides, points);
        scale = grzF8_Select(touches, push->massScale, one);
        fade = grzF8_Select(touches, push->impulseScale, zero);
    }
    for (uint32_t i = 0; i < points; ++i) {
        float* point = pointAt(firm, sides, points, i);
        grzF8 mass = grzWide_At(point, 3 * sides), impulse = grzWide_At(point, 3 * sides + 2);
        if (points > 1)
            mass = grzF8_Select(grzF8_Greater(mass, zero), grzF8_Div(one, mass), zero);
        grzF8 error =
            grzF8_Add(speedOfPoint(pair, point, centers, sides), biasOf(push, grzWide_At(point, 3 * sides + 1)));
        grzF8 change = grzF8_Add(grzF8_Mul(grzF8_Mul(mass, scale), error), grzF8_Mul(fade, impulse));
        grzF8 after = grzF8_Select(lanes, grzF8_Max(grzF8_Sub(impulse, change), zero), impulse);
        change = grzF8_Sub(after, impulse);
        grzWide_Put(point, 3 * sides + 2, after);
        pushSpin(pair, point, 0, sides, change);
        centers = grzF8_Add(centers, grzF8_Mul(massOfBoth, change));
        sum = grzF8_Add(sum, change);
    }
    pushCenters(pair, normal, sides, sum);
}

// ---- All points of a touch at once, as modes.

// The impulses that take the errors away; of the even mode and of those that tilt as much as is asked for.
GRZ_SIMD_PART void shareOut(const float* firm, uint32_t sides, uint32_t points, const grzF8 errors[4], grzF8 even,
                            grzF8 tilted, grzF8 wanted[4]) {
    const float* modes = firm + 8 * (size_t)GRZ_MODES(sides);
    const uint32_t tilts = GRZ_TILTS(points);
    grzF8 mode = grzWide_At(modes, 0), sum = errors[0];
    for (uint32_t i = 1; i < points; ++i)
        sum = grzF8_Add(sum, errors[i]);
    grzF8 all = grzF8_Mul(grzF8_Mul(even, mode), grzF8_Mul(sum, mode));
    for (uint32_t i = 0; i < points; ++i)
        wanted[i] = grzF8_Negate(all);
    for (uint32_t k = 0; k < tilts; ++k) {
        const float* tilt = modes + 8 * (size_t)(2 + k * points);
        sum = grzF8_Mul(grzWide_At(tilt, 0), errors[0]);
        for (uint32_t i = 1; i < points; ++i)
            sum = grzF8_Add(sum, grzF8_Mul(grzWide_At(tilt, i), errors[i]));
        sum = grzF8_Mul(tilted, sum);
        for (uint32_t i = 0; i < points; ++i)
            wanted[i] = grzF8_Sub(wanted[i], grzF8_Mul(sum, grzWide_At(tilt, i)));
    }
}

// Goes the wanted way as far as no impulse pulls, in the lanes of the mask. Returns the lanes that came to its end.
GRZ_SIMD_PART grzM8 goWanted(float* firm, uint32_t sides, uint32_t points, const grzF8 wanted[4], grzM8 lanes,
                             Pair* pair) {
    grzF8 zero = grzF8_Zero(), one = grzF8_Set1(1.0f), way = grzF8_Select(lanes, one, zero), least = zero,
          sum = zero;
    for (uint32_t i = 0; i < points; ++i)
        least = grzF8_Min(least, grzF8_Add(grzWide_At(pointAt(firm, sides, points, i), 3 * sides + 2), wanted[i]));
    grzM8 pulls = grzF8_Less(least, zero);
    if (grzM8_Any(grzM8_And(pulls, lanes)))
        for (uint32_t i = 0; i < points; ++i) {
            grzF8 impulse = grzWide_At(pointAt(firm, sides, points, i), 3 * sides + 2);
            grzF8 most = grzF8_Div(impulse, grzF8_Negate(wanted[i]));
            way = grzF8_Min(way, grzF8_Select(grzF8_Less(wanted[i], zero), most, one));
        }
    for (uint32_t i = 0; i < points; ++i) {
        float* point = pointAt(firm, sides, points, i);
        grzF8 impulse = grzWide_At(point, 3 * sides + 2);
        grzF8 after = grzF8_Max(grzF8_Add(impulse, grzF8_Mul(way, wanted[i])), zero);
        grzF8 change = grzF8_Sub(after, impulse);
        grzWide_Put(point, 3 * sides + 2, after);
        pushSpin(pair, point, 0, sides, change);
        sum = grzF8_Add(sum, change);
    }
    pushCenters(pair, grzWide3_At(firm, sides), sides, sum);
    return grzM8_And(lanes, grzM8_Not(pulls));
}

GRZ_SIMD_PART void solveTogether(float* firm, uint32_t sides, uint32_t points, const Push* push, Pair* pair) {
    grzF8 zero = grzF8_Zero(), one = grzF8_Set1(1.0f), give = zero, even = one, tilted = one;
    grzF8 errors[4], wanted[4], most = zero, least = zero;
    grzF8 centers = speedOfCenters(pair, grzWide3_At(firm, sides), sides);
    if (push->isSoft) {
        grzM8 touches = isTouching(firm, sides, points);
        give = grzF8_Select(touches, grzF8_Div(push->impulseScale, push->massScale), zero);
        even = grzF8_Select(touches, grzWide_At(firm, GRZ_MODES(sides) + 1), one);
        tilted = grzF8_Select(touches, push->massScale, one);
    }
    for (uint32_t i = 0; i < points; ++i) {
        const float* point = pointAt(firm, sides, points, i);
        grzF8 impulse = grzWide_At(point, 3 * sides + 2);
        errors[i] =
            grzF8_Add(speedOfPoint(pair, point, centers, sides), biasOf(push, grzWide_At(point, 3 * sides + 1)));
        if (push->isSoft)
            errors[i] = grzF8_Add(errors[i], grzF8_Mul(give, grzF8_Mul(grzWide_At(point, 3 * sides), impulse)));
        most = grzF8_Max(most, impulse);
        least = grzF8_Min(least, errors[i]);
    }
    // Where no point pushes and none need, all is well.
    grzM8 acts = grzM8_Or(grzF8_Greater(most, zero), grzF8_Less(least, zero));
    if (!grzM8_Any(acts))
        return;
    shareOut(firm, sides, points, errors, even, tilted, wanted);
    grzM8 isDone = goWanted(firm, sides, points, wanted, acts, pair);
    grzM8 isBlow = grzF8_Less(least, push->blowSpeed);
    grzM8 left = grzM8_And(acts, grzM8_Or(isBlow, grzM8_Not(isDone)));
    if (grzM8_Any(left))
        solvePoints(firm, sides, points, push, left, pair);
    if (grzM8_Any(isBlow))
        solvePoints(firm, sides, points, push, isBlow, pair);
}

GRZ_SIMD_PART void solveNormals(float* firm, uint32_t sides, uint32_t points, const Push* push, Pair* pair) {
    if (points > 1)
        solveTogether(firm, sides, points, push, pair);
    else
        solvePoints(firm, sides, points, push, grzF8_LessEqual(grzF8_Zero(), grzF8_Zero()), pair);
}

GRZ_SIMD_PART grzF8 sumOfImpulses(const float* firm, uint32_t sides, uint32_t points) {
    grzF8 sum = grzF8_Zero();
    for (uint32_t i = 0; i < points; ++i)
        sum = grzF8_Add(sum,
                        grzWide_At(firm, GRZ_FIRM_HEAD(sides, points) + i * GRZ_FIRM_POINT(sides) + 3 * sides + 2));
    return sum;
}

// ---- Friction: two directions at the middle of the points, solved together, and the twist about the normal there.

GRZ_SIMD_PART void solveSlide(float* relaxed, uint32_t sides, grzWide3 normal, grzF8 limit, Pair* pair) {
    const uint32_t j1 = 4, j2 = 4 + 3 * sides, masses = 4 + 6 * sides, impulses = masses + 3;
    grzWide3 t1 = grzWide3_At(relaxed, 0), t2 = grzWide3_Cross(normal, t1);
    grzF8 s1 = grzF8_Add(speedOfCenters(pair, t1, sides), speedOfSpin(pair, relaxed, j1, sides));
    grzF8 s2 = grzF8_Add(speedOfCenters(pair, t2, sides), speedOfSpin(pair, relaxed, j2, sides));
    if (sides == 1) {
        s1 = grzF8_Sub(s1, grzWide_At(relaxed, impulses + 2));
        s2 = grzF8_Sub(s2, grzWide_At(relaxed, impulses + 3));
    }
    grzF8 m11 = grzWide_At(relaxed, masses), m12 = grzWide_At(relaxed, masses + 1),
          m22 = grzWide_At(relaxed, masses + 2);
    grzF8 old1 = grzWide_At(relaxed, impulses), old2 = grzWide_At(relaxed, impulses + 1);
    grzF8 new1 = grzF8_Sub(old1, grzF8_Add(grzF8_Mul(m11, s1), grzF8_Mul(m12, s2)));
    grzF8 new2 = grzF8_Sub(old2, grzF8_Add(grzF8_Mul(m12, s1), grzF8_Mul(m22, s2)));
    grzF8 lengthSq = grzF8_Add(grzF8_Mul(new1, new1), grzF8_Mul(new2, new2));
    grzM8 slips = grzF8_Greater(lengthSq, grzF8_Mul(limit, limit));
    grzF8 scale = grzF8_Select(slips, grzF8_Div(limit, grzF8_Sqrt(lengthSq)), grzF8_Set1(1.0f));
    new1 = grzF8_Mul(new1, scale);
    new2 = grzF8_Mul(new2, scale);
    grzWide_Put(relaxed, impulses, new1);
    grzWide_Put(relaxed, impulses + 1, new2);
    grzF8 change1 = grzF8_Sub(new1, old1), change2 = grzF8_Sub(new2, old2);
    pushCenters(pair, t1, sides, change1);
    pushCenters(pair, t2, sides, change2);
    pushSpin(pair, relaxed, j1, sides, change1);
    pushSpin(pair, relaxed, j2, sides, change2);
}

GRZ_SIMD_PART void solveTwist(float* twist, uint32_t sides, grzF8 limit, Pair* pair) {
    const uint32_t at = 3 * sides;
    grzF8 speed = speedOfSpin(pair, twist, 0, sides);
    if (sides == 1)
        speed = grzF8_Sub(speed, grzWide_At(twist, at + 3));
    grzF8 most = grzF8_Mul(limit, grzWide_At(twist, at + 1)), old = grzWide_At(twist, at + 2);
    grzF8 after = grzF8_Sub(old, grzF8_Mul(grzWide_At(twist, at), speed));
    after = grzF8_Max(grzF8_Min(after, most), grzF8_Negate(most));
    grzWide_Put(twist, at + 2, after);
    pushSpin(pair, twist, 0, sides, grzF8_Sub(after, old));
}

GRZ_SIMD_PART void solveFriction(const float* firm, float* relaxed, uint32_t sides, uint32_t points, Pair* pair) {
    grzF8 limit = grzF8_Mul(grzWide_At(relaxed, 3), sumOfImpulses(firm, sides, points));
    if (points > 1)
        solveTwist(relaxed + 8 * (size_t)GRZ_FRICTION_SIZE(sides), sides, limit, pair);
    solveSlide(relaxed, sides, grzWide3_At(firm, sides), limit, pair);
}

// ---- Passes over one block.

GRZ_SIMD_PART void warm(const float* firm, const float* relaxed, uint32_t sides, uint32_t points, Pair* pair) {
    grzWide3 normal = grzWide3_At(firm, sides), t1 = grzWide3_At(relaxed, 0);
    for (uint32_t i = 0; i < points; ++i) {
        const float* point = firm + 8 * (size_t)(GRZ_FIRM_HEAD(sides, points) + i * GRZ_FIRM_POINT(sides));
        pushSpin(pair, point, 0, sides, grzWide_At(point, 3 * sides + 2));
    }
    pushCenters(pair, normal, sides, sumOfImpulses(firm, sides, points));
    const uint32_t impulses = 7 + 6 * sides;
    grzF8 along1 = grzWide_At(relaxed, impulses), along2 = grzWide_At(relaxed, impulses + 1);
    pushCenters(pair, t1, sides, along1);
    pushCenters(pair, grzWide3_Cross(normal, t1), sides, along2);
    pushSpin(pair, relaxed, 4, sides, along1);
    pushSpin(pair, relaxed, 4 + 3 * sides, sides, along2);
    if (points > 1) {
        const float* twist = relaxed + 8 * (size_t)GRZ_FRICTION_SIZE(sides);
        pushSpin(pair, twist, 0, sides, grzWide_At(twist, 3 * sides + 2));
    }
}

// Separations follow the substep's motion, along the jacobians of the step's start.
GRZ_SIMD_PART void follow(const Rows* rows, float* firm, uint32_t sides, uint32_t points, grzF8 surface) {
    Pair moved;
    loadPair(rows, sides, 8, &moved);
    grzF8 centers = speedOfCenters(&moved, grzWide3_At(firm, sides), sides);
    for (uint32_t i = 0; i < points; ++i) {
        float* point = firm + 8 * (size_t)(GRZ_FIRM_HEAD(sides, points) + i * GRZ_FIRM_POINT(sides));
        grzF8 opened = grzF8_Add(centers, speedOfSpin(&moved, point, 0, sides));
        if (sides == 1)
            opened = grzF8_Sub(opened, grzF8_Mul(grzWide_At(point, 6), surface));
        grzWide_Put(point, 3 * sides + 1, grzF8_Add(grzWide_At(point, 3 * sides + 1), opened));
    }
}

GRZ_SIMD_PART void keepGreatest(const float* firm, float* relaxed, uint32_t sides, uint32_t points) {
    for (uint32_t i = 0; i < points; ++i) {
        grzF8 impulse = grzWide_At(firm, GRZ_FIRM_HEAD(sides, points) + i * GRZ_FIRM_POINT(sides) + 3 * sides + 2);
        const uint32_t at = GRZ_GREATEST(sides, points) + i;
        grzWide_Put(relaxed, at, grzF8_Max(grzWide_At(relaxed, at), impulse));
    }
}

// Points that came fast and were pushed leave with their share of the speed.
GRZ_SIMD_PART grzM8 bouncesAt(const grzSolverWork* work, const float* relaxed, const float* kept, uint32_t sides,
                              uint32_t points, uint32_t i) {
    grzF8 approach = grzWide_At(kept, 2 + i), greatest = grzWide_At(relaxed, GRZ_GREATEST(sides, points) + i);
    grzF8 zero = grzF8_Zero();
    return grzM8_And(grzF8_Less(approach, grzF8_Set1(-work->restitutionThreshold)),
                     grzM8_And(grzF8_Greater(greatest, zero), grzF8_Greater(grzWide_At(kept, 0), zero)));
}

// First all at once, where all points bounce.
GRZ_SIMD_PART void bounceTogether(const grzSolverWork* work, float* firm, const float* relaxed, const float* kept,
                                  uint32_t sides, uint32_t points, Pair* pair) {
    grzF8 errors[4], wanted[4], one = grzF8_Set1(1.0f), restitution = grzWide_At(kept, 0);
    grzF8 centers = speedOfCenters(pair, grzWide3_At(firm, sides), sides);
    grzM8 bounces = bouncesAt(work, relaxed, kept, sides, points, 0);
    for (uint32_t i = 0; i < points; ++i) {
        bounces = grzM8_And(bounces, bouncesAt(work, relaxed, kept, sides, points, i));
        errors[i] = grzF8_Add(speedOfPoint(pair, pointAt(firm, sides, points, i), centers, sides),
                              grzF8_Mul(restitution, grzWide_At(kept, 2 + i)));
    }
    if (!grzM8_Any(bounces))
        return;
    shareOut(firm, sides, points, errors, one, one, wanted);
    goWanted(firm, sides, points, wanted, bounces, pair);
}

GRZ_SIMD_PART void bounce(const grzSolverWork* work, float* firm, float* relaxed, const float* kept, uint32_t sides,
                          uint32_t points, Pair* pair) {
    grzWide3 normal = grzWide3_At(firm, sides);
    grzF8 restitution = grzWide_At(kept, 0), zero = grzF8_Zero();
    if (points > 1)
        bounceTogether(work, firm, relaxed, kept, sides, points, pair);
    for (uint32_t i = 0; i < points; ++i) {
        float* point = pointAt(firm, sides, points, i);
        grzM8 bounces = bouncesAt(work, relaxed, kept, sides, points, i);
        grzF8 mass = grzWide_At(point, 3 * sides), impulse = grzWide_At(point, 3 * sides + 2);
        if (points > 1)
            mass = grzF8_Select(grzF8_Greater(mass, zero), grzF8_Div(grzF8_Set1(1.0f), mass), zero);
        grzF8 speed = speedOfPoint(pair, point, speedOfCenters(pair, normal, sides), sides);
        grzF8 wanted = grzF8_Mul(mass, grzF8_Add(speed, grzF8_Mul(restitution, grzWide_At(kept, 2 + i))));
        grzF8 after = grzF8_Select(bounces, grzF8_Max(grzF8_Sub(impulse, wanted), zero), impulse);
        const uint32_t at = GRZ_GREATEST(sides, points) + i;
        grzWide_Put(point, 3 * sides + 2, after);
        grzWide_Put(relaxed, at, grzF8_Max(grzWide_At(relaxed, at), after));
        grzF8 change = grzF8_Sub(after, impulse);
        pushSpin(pair, point, 0, sides, change);
        pushCenters(pair, normal, sides, change);
    }
}

GRZ_SIMD_INLINE Push makePush(const grzSolverWork* work, uint32_t sides, bool isSoft) {
    const grzSoftness* soft = &work->soft[sides - 1];
    return (Push){.inverseTime = grzF8_Set1(work->inverseTime),
                  .biasRate = grzF8_Set1(soft->biasRate),
                  .pushSpeed = grzF8_Set1(-work->pushSpeed),
                  .massScale = grzF8_Set1(soft->massScale),
                  .impulseScale = grzF8_Set1(soft->impulseScale),
                  .blowSpeed = grzF8_Set1(-work->blowSpeed),
                  .isSoft = isSoft};
}

GRZ_SIMD_PART void passBlock(const grzSolverWork* work, grzTouchPass pass, uint32_t sides, uint32_t points,
                             float* firm, float* relaxed, const float* kept, uint32_t lanes) {
    Rows rows;
    Pair pair;
    findRows(work, firm, sides, &rows);
    loadPair(&rows, sides, 0, &pair);
    if (pass == grz_passWarm) {
        warm(firm, relaxed, sides, points, &pair);
    } else if (pass == grz_passSolve) {
        Push push = makePush(work, sides, true);
        solveNormals(firm, sides, points, &push, &pair);
    } else if (pass == grz_passRelax) {
        Push push = makePush(work, sides, false);
        follow(&rows, firm, sides, points, grzF8_Set1(work->time));
        solveNormals(firm, sides, points, &push, &pair);
        solveFriction(firm, relaxed, sides, points, &pair);
        keepGreatest(firm, relaxed, sides, points);
    } else {
        bounce(work, firm, relaxed, kept, sides, points, &pair);
    }
    storePair(&rows, sides, &pair, lanes);
}

GRZ_SIMD_PART void passBlocks(const grzSolverWork* work, grzTouchPass pass, uint32_t sides, uint32_t points,
                              const grzTouchBatch* batch, uint32_t begin, uint32_t end) {
    for (uint32_t block = begin; block < end; ++block) {
        float* firm = work->firm + 8 * (batch->firmAt + (size_t)GRZ_FIRM_SIZE(sides, points) * block);
        float* relaxed = work->relaxed + 8 * (batch->relaxedAt + (size_t)GRZ_RELAXED_SIZE(sides, points) * block);
        const float* kept = work->kept + 8 * (batch->keptAt + (size_t)GRZ_KEPT_SIZE(points) * block);
        passBlock(work, pass, sides, points, firm, relaxed, kept, grzTouchBatch_LanesIn(batch, block));
    }
}

// One function a kind of pass and of batch, so that all counts are known where it is compiled.
#define PASS(Name, pass, sides, points)                                                                            \
    static void Name##sides##points(const grzSolverWork* work, const grzTouchBatch* batch, uint32_t begin,         \
                                    uint32_t end) {                                                                \
        passBlocks(work, pass, sides, points, batch, begin, end);                                                  \
    }
#define PASSES(Name, pass)                                                                                         \
    PASS(Name, pass, 1, 1)                                                                                         \
    PASS(Name, pass, 1, 2)                                                                                         \
    PASS(Name, pass, 1, 3)                                                                                         \
    PASS(Name, pass, 1, 4)                                                                                         \
    PASS(Name, pass, 2, 1)                                                                                         \
    PASS(Name, pass, 2, 2)                                                                                         \
    PASS(Name, pass, 2, 3)                                                                                         \
    PASS(Name, pass, 2, 4)
PASSES(warm, grz_passWarm)
PASSES(solve, grz_passSolve)
PASSES(relax, grz_passRelax)
PASSES(bounce, grz_passBounce)

typedef void PassFn(const grzSolverWork* work, const grzTouchBatch* batch, uint32_t begin, uint32_t end);

void GRZ_KERNEL(grzPassTouches)(const grzSolverWork* work, grzTouchPass pass, const grzTouchBatch* batch,
                                uint32_t begin, uint32_t end) {
    static PassFn* const table[4][2][4] = {
        {{warm11, warm12, warm13, warm14}, {warm21, warm22, warm23, warm24}},
        {{solve11, solve12, solve13, solve14}, {solve21, solve22, solve23, solve24}},
        {{relax11, relax12, relax13, relax14}, {relax21, relax22, relax23, relax24}},
        {{bounce11, bounce12, bounce13, bounce14}, {bounce21, bounce22, bounce23, bounce24}},
    };
    table[pass][batch->sideCount - 1][batch->pointCount - 1](work, batch, begin, end);
}
