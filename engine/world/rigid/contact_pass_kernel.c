// What: the passes over touches in the substeps: warm start, solve, relax, measure, bounce.
// Idea: eight touches at a time. The rows of their bodies are loaded and transposed, all points of the eight are
//       done in registers, and the rows go back. The normal impulses of a touch of several points are found all at
//       once (contact_rows.h, modes). Points that are only done one after the other turn a box that lands flat: the
//       first takes up the whole blow, and eight passes do not take it back. From 10 metres it fell over.
// Rest: the normals of each pass go down in one convex energy, and none goes up in it, so that heaps come to rest. In the
//       relaxing pass it is that of the speeds; in the solving pass soft points add what they give. For that a touch goes
//       - along each mode no farther than its share (contact_rows.h). When tilts took a fixed share of 0.95, a quarter
//         of the touches of three points in a heap went twenty times too far, and impulses swung without end;
//       - along all modes only as far as no impulse pulls. What is left is done point by point, all of them together;
//       - on, point by point, where one of four points is apart. Three modes find but a mean of four errors,
//         and press on the point that is apart;
//       - along tilts no farther than twice the share when it relaxes, although the speeds alone allow the whole.
//         Speeds of near points differ by rounding, which would become impulses as large as the load.
//       After a blow points are done as well, since modes find but a mean there too. The next substep begins with the
//       impulses of the blow and takes them back. When a touch lands, takes a blow or takes it back, points are done
//       twice, in both passes. While a blow was taken back in one go, boxes that struck a floor at 60 to 90 m/s went
//       in ten times as deep.
// Ahead: the solving pass lets points that are apart come as near as they can in the substep. The relaxing pass asks
//       nothing of points that are apart and do not push. While it slowed them ahead of the next substep, a prism that
//       landed kept the tilt of its edge, divided by the substep, as a speed: tilts grew a hundredfold with each leap.
//       And impacts at the end of a step were split: the last substep took a part of their impulse.
// Sides: no point comes before another. While they were done one after the other, the first of two that land on an edge took more
//       of the blow, and a prism of 24 sides that rolled 14 m left its line by 0.4 m. And no step of the search hangs on a rounding:
//       conjugate directions in which points counted only while they pushed went nowhere where an impulse was a rounding above 0.
// Restitution: a touch that comes faster than the threshold is stopped as any other. At the end of the same substep it
//       gives back e^2 of the energy that its impulses took, along these impulses. The energy of an impulse is it times
//       the mean of the speeds before and after, so what all touches take is what the bodies lose, however many share a
//       blow. All touches are measured before any bounces. So bounces never give more than was taken. Speeds that are
//       given back point by point have no such bound: boxes in a narrow room were thrown out through its walls.
// Holds: no two lanes of a block share a row that is written, and no two blocks of a colour. Lanes past the touches are
//        of the row of zeros, which is read and never written.
// Cost: two-sided and of four points, some 500 vector instructions to solve and 800 to relax; where impulses would
//       pull, half as many more.
// Based on: [Catto, Solver2D, 2024] soft step; [Catto, Box3D] friction at the middle of the points, and a twist
//           about it; [Catto, Box2D, b2ContactSolver] points as a block. We differ: three
//           modes instead of a matrix of the points, which for four of them is singular, and no search for which points push.
//           [Stronge, Impact Mechanics, 2000] restitution as a share of energy, for each touch and substep.
#include <float.h>

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
    grzM8 lands; // when touches relax: those that met in this substep
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

// When touches relax, a point that is apart and does not push asks for nothing: the next substep stops what would go in.
GRZ_SIMD_PART grzF8 askedOf(const float* point, const Push* push, grzF8 error, uint32_t sides) {
    if (push->isSoft)
        return error;
    grzF8 zero = grzF8_Zero(), separation = grzWide_At(point, 3 * sides + 1);
    grzM8 isFree =
        grzM8_And(grzF8_Greater(separation, zero), grzF8_LessEqual(grzWide_At(point, 3 * sides + 2), zero));
    return grzF8_Select(isFree, grzF8_Max(error, zero), error);
}

// The only point of a touch.
GRZ_SIMD_PART void solvePoint(float* firm, uint32_t sides, const Push* push, Pair* pair) {
    grzWide3 normal = grzWide3_At(firm, sides);
    float* point = pointAt(firm, sides, 1, 0);
    grzF8 zero = grzF8_Zero(), one = grzF8_Set1(1.0f), scale = one, fade = zero;
    grzF8 mass = grzWide_At(point, 3 * sides), impulse = grzWide_At(point, 3 * sides + 2);
    if (push->isSoft) {
        grzM8 touches = isTouching(firm, sides, 1);
        scale = grzF8_Select(touches, push->massScale, one);
        fade = grzF8_Select(touches, push->impulseScale, zero);
    }
    grzF8 speed = speedOfPoint(pair, point, speedOfCenters(pair, normal, sides), sides);
    grzF8 error = grzF8_Add(speed, biasOf(push, grzWide_At(point, 3 * sides + 1)));
    error = askedOf(point, push, error, sides);
    grzF8 change = grzF8_Add(grzF8_Mul(grzF8_Mul(mass, scale), error), grzF8_Mul(fade, impulse));
    grzF8 after = grzF8_Max(grzF8_Sub(impulse, change), zero);
    change = grzF8_Sub(after, impulse);
    grzWide_Put(point, 3 * sides + 2, after);
    pushSpin(pair, point, 0, sides, change);
    pushCenters(pair, normal, sides, change);
}

// How far a point of several is from what is asked of it. give: of soft points, a share of their `mass`; else 0.
GRZ_SIMD_PART grzF8 errorOfPoint(const Pair* pair, const float* point, grzF8 centers, const Push* push, grzF8 give,
                                 uint32_t sides) {
    grzF8 error =
        grzF8_Add(speedOfPoint(pair, point, centers, sides), biasOf(push, grzWide_At(point, 3 * sides + 1)));
    if (!push->isSoft)
        return askedOf(point, push, error, sides);
    grzF8 response = grzWide_At(point, 3 * sides), impulse = grzWide_At(point, 3 * sides + 2);
    return grzF8_Add(error, grzF8_Mul(give, grzF8_Mul(response, impulse)));
}

// All points together, in the lanes of the mask. Each would go twice as far as it would alone, so far as it does not pull. All go the
// share of that after which the energy is least, at most the whole: a point that is alone in pushing goes half, which is right.
GRZ_SIMD_PART void solvePoints(float* firm, uint32_t sides, uint32_t points, const Push* push, grzF8 give,
                               grzM8 lanes, Pair* pair) {
    grzF8 zero = grzF8_Zero(), one = grzF8_Set1(1.0f), sum = zero, slope = zero, bend = zero, changes[4];
    grzF8 twice = grzF8_Div(grzF8_Set1(2.0f), grzF8_Add(one, give));
    grzF8 massOfBoth = sides == 2 ? grzF8_Add(pair->massB, pair->massA) : pair->massB;
    grzWide3 normal = grzWide3_At(firm, sides);
    grzF8 centers = speedOfCenters(pair, normal, sides);
    Pair turn = {grzWide3_Zero(), grzWide3_Zero(), grzWide3_Zero(), grzWide3_Zero(), zero, zero};
    for (uint32_t i = 0; i < points; ++i) {
        const float* point = pointAt(firm, sides, points, i);
        grzF8 response = grzWide_At(point, 3 * sides), impulse = grzWide_At(point, 3 * sides + 2);
        grzF8 mass = grzF8_Select(grzF8_Greater(response, zero), grzF8_Div(twice, response), zero);
        grzF8 error = errorOfPoint(pair, point, centers, push, give, sides);
        grzF8 after = grzF8_Max(grzF8_Sub(impulse, grzF8_Mul(mass, error)), zero);
        grzF8 change = grzF8_Select(lanes, grzF8_Sub(after, impulse), zero);
        pushSpin(&turn, point, 0, sides, change);
        sum = grzF8_Add(sum, change);
        slope = grzF8_Sub(slope, grzF8_Mul(change, error));
        bend = grzF8_Add(bend, grzF8_Mul(grzF8_Mul(give, response), grzF8_Mul(change, change)));
        changes[i] = change;
    }
    bend = grzF8_Add(bend, grzF8_Mul(massOfBoth, grzF8_Mul(sum, sum)));
    bend = grzF8_Add(bend, grzWide3_Dot(turn.spinB, turn.spinB));
    if (sides == 2)
        bend = grzF8_Add(bend, grzWide3_Dot(turn.spinA, turn.spinA));
    grzF8 share = grzF8_Select(grzF8_Greater(bend, zero), grzF8_Min(one, grzF8_Div(slope, bend)), zero);
    for (uint32_t i = 0; i < points; ++i) {
        float* point = pointAt(firm, sides, points, i);
        grzF8 impulse = grzWide_At(point, 3 * sides + 2);
        grzWide_Put(point, 3 * sides + 2, grzF8_Add(impulse, grzF8_Mul(share, changes[i])));
    }
    pair->spinB = grzWide3_AddScaled(pair->spinB, share, turn.spinB);
    if (sides == 2)
        pair->spinA = grzWide3_AddScaled(pair->spinA, share, turn.spinA);
    pushCenters(pair, normal, sides, grzF8_Mul(share, sum));
}

// ---- All points of a touch at once, as modes.

// The impulses that take the errors away; of each mode as much as is asked for.
GRZ_SIMD_PART void shareOut(const float* firm, uint32_t sides, uint32_t points, const grzF8 errors[4],
                            const grzF8 shares[3], grzF8 wanted[4]) {
    const float* modes = firm + 8 * (size_t)GRZ_MODES(sides);
    const uint32_t tilts = GRZ_TILTS(points);
    grzF8 mode = grzWide_At(modes, 0), sum = errors[0];
    for (uint32_t i = 1; i < points; ++i)
        sum = grzF8_Add(sum, errors[i]);
    grzF8 all = grzF8_Mul(grzF8_Mul(shares[0], mode), grzF8_Mul(sum, mode));
    for (uint32_t i = 0; i < points; ++i)
        wanted[i] = grzF8_Negate(all);
    for (uint32_t k = 0; k < tilts; ++k) {
        const float* tilt = firm + 8 * (size_t)(GRZ_TILTS_AT(sides, points) + k * points);
        sum = grzF8_Mul(grzWide_At(tilt, 0), errors[0]);
        for (uint32_t i = 1; i < points; ++i)
            sum = grzF8_Add(sum, grzF8_Mul(grzWide_At(tilt, i), errors[i]));
        sum = grzF8_Mul(shares[1 + k], sum);
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

// Solves what modes leave: the points of `left` once, and those of `again` a second time. The first time finds what all
// points share. When two ends land together, it leaves seven tenths of what tilts them, turned about. These are calls,
// and only the most frequent one knows its points at compile time: the code is large, and touches at rest seldom need it.
GRZ_SIMD_INLINE void solveLeft(float* firm, uint32_t sides, uint32_t points, const Push* push, grzF8 give,
                               grzM8 left, grzM8 again, Pair* pair) {
    solvePoints(firm, sides, points, push, give, left, pair);
    if (grzM8_Any(again))
        solvePoints(firm, sides, points, push, give, again, pair);
}

#define LEFT(Name, sides, points)                                                                                  \
    GRZ_SIMD_CALL void Name(float* firm, uint32_t count, const Push* push, grzF8 give, grzM8 left, grzM8 again,    \
                            Pair* pair) {                                                                          \
        (void)count;                                                                                               \
        solveLeft(firm, sides, points, push, give, left, again, pair);                                             \
    }
LEFT(solveLeft1, 1, count)
LEFT(solveLeft2, 2, count)
LEFT(solveLeft24, 2, 4)

GRZ_SIMD_PART void solveTogether(float* firm, uint32_t sides, uint32_t points, const Push* push, Pair* pair) {
    grzF8 zero = grzF8_Zero(), one = grzF8_Set1(1.0f), give = zero, shares[3];
    grzF8 errors[4], wanted[4], most = zero, least = zero, gap = zero;
    grzF8 centers = speedOfCenters(pair, grzWide3_At(firm, sides), sides);
    grzM8 gives = grzF8_Less(one, zero);
    if (push->isSoft) {
        gives = isTouching(firm, sides, points);
        give = grzF8_Select(gives, grzF8_Div(push->impulseScale, push->massScale), zero);
    }
    for (uint32_t i = 0; i < points; ++i) {
        const float* point = pointAt(firm, sides, points, i);
        errors[i] = errorOfPoint(pair, point, centers, push, give, sides);
        most = grzF8_Max(most, grzWide_At(point, 3 * sides + 2));
        least = i == 0 ? errors[0] : grzF8_Min(least, errors[i]);
        gap = grzF8_Max(gap, grzWide_At(point, 3 * sides + 1));
    }
    // Where no point pushes and none need, all is well.
    grzM8 acts = grzM8_Or(grzF8_Greater(most, zero), grzF8_Less(least, zero));
    if (!grzM8_Any(acts))
        return;
    for (uint32_t k = 0; k <= GRZ_TILTS(points); ++k) {
        grzF8 share = grzWide_At(firm, GRZ_MODES(sides) + 1 + k);
        grzF8 whole = k == 0 ? one : grzF8_Min(one, grzF8_Add(share, share));
        shares[k] = grzF8_Select(gives, share, whole);
    }
    shareOut(firm, sides, points, errors, shares, wanted);
    grzM8 isDone = goWanted(firm, sides, points, wanted, acts, pair);
    if (points > 3) // than modes
        isDone = grzM8_And(isDone, grzF8_LessEqual(gap, zero));
    grzM8 isBlow = grzM8_And(acts, grzF8_Greater(grzF8_Abs(least), push->blowSpeed));
    grzM8 left = grzM8_And(acts, grzM8_Or(isBlow, grzM8_Not(isDone)));
    if (!grzM8_Any(left))
        return;
    grzM8 lands = push->isSoft ? grzF8_LessEqual(most, zero) : push->lands;
    grzM8 again = grzM8_And(left, grzM8_Or(isBlow, lands));
    Pair copy = *pair; // the pair itself has no address that is passed on, and stays in registers
    if (sides == 2 && points == 4)
        solveLeft24(firm, points, push, give, left, again, &copy);
    else if (sides == 2)
        solveLeft2(firm, points, push, give, left, again, &copy);
    else
        solveLeft1(firm, points, push, give, left, again, &copy);
    *pair = copy;
}

GRZ_SIMD_PART void solveNormals(float* firm, uint32_t sides, uint32_t points, const Push* push, Pair* pair) {
    if (points > 1)
        solveTogether(firm, sides, points, push, pair);
    else
        solvePoint(firm, sides, push, pair);
}

GRZ_SIMD_PART grzF8 sumOfImpulses(const float* firm, uint32_t sides, uint32_t points) {
    grzF8 sum = grzF8_Zero();
    for (uint32_t i = 0; i < points; ++i)
        sum = grzF8_Add(sum,
                        grzWide_At(firm, GRZ_FIRM_HEAD(sides, points) + i * GRZ_FIRM_POINT(sides) + 3 * sides + 2));
    return sum;
}

// ---- Friction: two directions at the middle of the points, solved together, and the twist about the normal there.

// How fast the bodies slide along the two directions.
GRZ_SIMD_PART void findSlide(const float* relaxed, uint32_t sides, grzWide3 t1, grzWide3 t2, const Pair* pair,
                             grzF8 slide[2]) {
    const uint32_t j1 = 4, j2 = 4 + 3 * sides, surface = 9 + 6 * sides;
    slide[0] = grzF8_Add(speedOfCenters(pair, t1, sides), speedOfSpin(pair, relaxed, j1, sides));
    slide[1] = grzF8_Add(speedOfCenters(pair, t2, sides), speedOfSpin(pair, relaxed, j2, sides));
    if (sides == 1) {
        slide[0] = grzF8_Sub(slide[0], grzWide_At(relaxed, surface));
        slide[1] = grzF8_Sub(slide[1], grzWide_At(relaxed, surface + 1));
    }
}

GRZ_SIMD_PART grzF8 findTwist(const float* twist, uint32_t sides, const Pair* pair) {
    grzF8 speed = speedOfSpin(pair, twist, 0, sides);
    return sides == 1 ? grzF8_Sub(speed, grzWide_At(twist, 3 * sides + 3)) : speed;
}

GRZ_SIMD_PART void solveSlide(float* relaxed, uint32_t sides, grzWide3 normal, grzF8 limit, Pair* pair) {
    const uint32_t j1 = 4, j2 = 4 + 3 * sides, masses = 4 + 6 * sides, impulses = masses + 3;
    grzWide3 t1 = grzWide3_At(relaxed, 0), t2 = grzWide3_Cross(normal, t1);
    grzF8 slide[2];
    findSlide(relaxed, sides, t1, t2, pair, slide);
    grzF8 s1 = slide[0], s2 = slide[1];
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
    grzF8 speed = findTwist(twist, sides, pair);
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

// ---- Sums over the substeps.

// What a touch holds when a substep ends is what it has done in that substep (contact_body_kernel.c, warm starting).

GRZ_SIMD_INLINE void addAt(float* stream, uint32_t at, grzF8 a) {
    grzWide_Put(stream, at, grzF8_Add(grzWide_At(stream, at), a));
}

GRZ_SIMD_PART void addSums(const float* firm, float* relaxed, uint32_t sides, uint32_t points) {
    const uint32_t sums = GRZ_SUMS(sides, points), slide = 7 + 6 * sides;
    for (uint32_t i = 0; i < points; ++i)
        addAt(relaxed, sums + i,
              grzWide_At(firm, GRZ_FIRM_HEAD(sides, points) + i * GRZ_FIRM_POINT(sides) + 3 * sides + 2));
    addAt(relaxed, sums + points, grzWide_At(relaxed, slide));
    addAt(relaxed, sums + points + 1, grzWide_At(relaxed, slide + 1));
    if (points > 1)
        addAt(relaxed, sums + points + 2, grzWide_At(relaxed, GRZ_FRICTION_SIZE(sides) + 3 * sides + 2));
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

// ---- Restitution.

// The impulses of a touch as one: what a unit of it does to the bodies, and to the speed along it.
typedef struct Blow {
    grzWide3 normal, turnB, turnA;
    grzF8 impulse, surface, response;
} Blow;

GRZ_SIMD_CALL Blow blowOf(float* firm, uint32_t sides, uint32_t points, const Pair* pair) {
    grzF8 zero = grzF8_Zero(), one = grzF8_Set1(1.0f), sum = sumOfImpulses(firm, sides, points);
    grzM8 counts = grzF8_GreaterEqual(sum, grzF8_Set1(FLT_MIN)); // else its inverse is not a float
    grzF8 scale = grzF8_Select(counts, grzF8_Div(one, sum), zero);
    Blow blow = {grzWide3_At(firm, sides), grzWide3_Zero(), grzWide3_Zero(), sum, zero, zero};
    for (uint32_t i = 0; i < points; ++i) {
        const float* point = pointAt(firm, sides, points, i);
        grzF8 share = grzF8_Mul(grzWide_At(point, 3 * sides + 2), scale);
        blow.turnB = grzWide3_AddScaled(blow.turnB, share, grzWide3_At(point, 0));
        if (sides == 2)
            blow.turnA = grzWide3_AddScaled(blow.turnA, share, grzWide3_At(point, 3));
        else
            blow.surface = grzF8_Add(blow.surface, grzF8_Mul(share, grzWide_At(point, 6)));
    }
    blow.response = grzF8_Add(pair->massB, grzWide3_Dot(blow.turnB, blow.turnB));
    if (sides == 2)
        blow.response = grzF8_Add(blow.response, grzF8_Add(pair->massA, grzWide3_Dot(blow.turnA, blow.turnA)));
    return blow;
}

// How fast the bodies come nearer along the blow; or how far, where the pair has what they move in that time.
GRZ_SIMD_CALL grzF8 approachOf(const Blow* blow, const Pair* pair, uint32_t sides, grzF8 time) {
    grzF8 speed = grzF8_Add(speedOfCenters(pair, blow->normal, sides), grzWide3_Dot(blow->turnB, pair->spinB));
    grzF8 other = sides == 2 ? grzWide3_Dot(blow->turnA, pair->spinA) : grzF8_Mul(time, blow->surface);
    return grzF8_Sub(other, speed);
}

GRZ_SIMD_CALL void pushAlong(Pair* pair, const Blow* blow, uint32_t sides, grzF8 impulse) {
    pushCenters(pair, blow->normal, sides, impulse);
    pair->spinB = grzWide3_AddScaled(pair->spinB, impulse, blow->turnB);
    if (sides == 2)
        pair->spinA = grzWide3_SubScaled(pair->spinA, impulse, blow->turnA);
}

// Where a body's velocity begins in its lanes, and 24 floats on its spin. `at`: the float of grzBodyLanes.
static float* bodyLane(const grzSolverWork* work, uint32_t body, size_t at) {
    return (float*)&work->lanes[body / 8] + at + body % 8;
}

GRZ_SIMD_CALL void loadSide(const grzSolverWork* work, const uint32_t bodies[8], size_t at, grzWide3* velocity,
                            grzWide3* spin) {
    _Alignas(32) float lanes[6 * GRZ_TOUCH_LANES];
    for (uint32_t k = 0; k < 8; ++k)
        for (uint32_t i = 0; i < 6; ++i)
            lanes[8 * i + k] = bodyLane(work, bodies[k], at)[8 * i];
    *velocity = grzWide3_At(lanes, 0);
    *spin = grzWide3_At(lanes, 3);
}

GRZ_SIMD_CALL void loadSides(const grzSolverWork* work, const float* firm, uint32_t sides, size_t at, Pair* pair) {
    uint32_t bodies[16];
    memcpy(bodies, firm, 32 * (size_t)sides);
    loadSide(work, bodies, at, &pair->velocityB, &pair->spinB);
    if (sides == 2)
        loadSide(work, bodies + 8, at, &pair->velocityA, &pair->spinA);
}

GRZ_SIMD_CALL void addToSide(const grzSolverWork* work, const uint32_t bodies[8], uint32_t mask, grzWide3 velocity,
                             grzWide3 spin) {
    _Alignas(32) float lanes[6 * GRZ_TOUCH_LANES];
    grzWide3_Put(lanes, 0, velocity);
    grzWide3_Put(lanes, 3, spin);
    for (uint32_t k = 0; k < 8; ++k)
        for (uint32_t i = 0; i < 6 && (mask >> k & 1) != 0; ++i)
            bodyLane(work, bodies[k], offsetof(grzBodyLanes, velocity) / 4)[8 * i] += lanes[8 * i + k];
}

// What friction takes in a unit of time, were it to act as a force.
GRZ_SIMD_CALL grzF8 frictionPower(const float* firm, const float* relaxed, uint32_t sides, uint32_t points,
                                  const Pair* pair) {
    const uint32_t impulses = 7 + 6 * sides;
    grzWide3 t1 = grzWide3_At(relaxed, 0), t2 = grzWide3_Cross(grzWide3_At(firm, sides), t1);
    grzF8 slide[2];
    findSlide(relaxed, sides, t1, t2, pair, slide);
    grzF8 given = grzF8_Add(grzF8_Mul(slide[0], grzWide_At(relaxed, impulses)),
                            grzF8_Mul(slide[1], grzWide_At(relaxed, impulses + 1)));
    if (points > 1) {
        const float* twist = relaxed + 8 * (size_t)GRZ_FRICTION_SIZE(sides);
        given = grzF8_Add(given, grzF8_Mul(findTwist(twist, sides, pair), grzWide_At(twist, 3 * sides + 2)));
    }
    return grzF8_Negate(given);
}

// The energy less what the bodies owe.
GRZ_SIMD_CALL grzF8 payDebts(const Rows* rows, uint32_t sides, grzF8 energy) {
    float left[8];
    grzF8_Store(left, energy);
    for (uint32_t side = 0; side < sides; ++side)
        for (uint32_t k = 0; k < 8; ++k) {
            grzSolverRow* row = (grzSolverRow*)(side == 0 ? rows->b[k] : rows->a[k]);
            const float paid = left[k] < row->debt ? left[k] : row->debt;
            left[k] -= paid;
            if (paid > 0)
                row->debt -= paid;
        }
    return grzF8_Load(left);
}

// A touch gives energy where bodies part and others push them together. The others have taken that energy, too, and are not to give
// it back: it is a debt of the bodies that they pushed. `loose`: as the bodies would go without touches.
GRZ_SIMD_CALL void addDebts(const Rows* rows, uint32_t sides, const Blow* blow, const Pair* loose, const Pair* now,
                            grzF8 energy) {
    float debts[2][8];
    grzF8 zero = grzF8_Zero(), share = grzF8_Set1(1.0f);
    if (sides == 2) {
        Pair others = *now;
        others.velocityB = grzWide3_Sub(now->velocityB, loose->velocityB);
        others.spinB = grzWide3_Sub(now->spinB, loose->spinB);
        others.velocityA = grzWide3_Sub(now->velocityA, loose->velocityA);
        others.spinA = grzWide3_Sub(now->spinA, loose->spinA);
        pushAlong(&others, blow, sides, grzF8_Negate(blow->impulse));
        grzF8 b = grzF8_Add(grzWide3_Dot(blow->normal, others.velocityB), grzWide3_Dot(blow->turnB, others.spinB));
        grzF8 a = grzF8_Add(grzWide3_Dot(blow->normal, others.velocityA), grzWide3_Dot(blow->turnA, others.spinA));
        b = grzF8_Max(grzF8_Negate(b), zero);
        a = grzF8_Max(a, zero);
        grzF8 both = grzF8_Add(a, b);
        share = grzF8_Select(grzF8_Greater(both, zero), grzF8_Div(b, both), grzF8_Set1(0.5f));
    }
    grzF8_Store(debts[0], grzF8_Mul(share, energy));
    grzF8_Store(debts[1], grzF8_Sub(energy, grzF8_Mul(share, energy)));
    for (uint32_t side = 0; side < sides; ++side)
        for (uint32_t k = 0; k < 8; ++k)
            if (debts[side][k] > 0)
                ((grzSolverRow*)(side == 0 ? rows->b[k] : rows->a[k]))->debt += debts[side][k];
}

// Of the speeds of a substep, from before forces and after them, and of how fast the bodies went until they met: what they are to
// part with. Velocities lead places by half of what forces change in a substep. So the approach is taken at the place where the
// bodies meet, and turned back into such a velocity: then a ball comes back to its height, whatever the step.
GRZ_SIMD_CALL grzF8 partingSpeed(grzF8 before, grzF8 approach, grzF8 gone, grzF8 restitution) {
    grzF8 gained = grzF8_Sub(approach, before), lead = grzF8_Mul(grzF8_Set1(0.5f), gained);
    grzF8 start = grzF8_Sub(approach, lead);
    grzF8 square = grzF8_Add(grzF8_Mul(start, start), grzF8_Mul(grzF8_Add(gained, gained), gone));
    return grzF8_Add(grzF8_Mul(restitution, grzF8_Sqrt(grzF8_Max(square, grzF8_Zero()))), lead);
}

// Writes the energy that each touch is to give back: 0 where it does not bounce.
GRZ_SIMD_PART void measure(const grzSolverWork* work, const Rows* rows, float* firm, const float* relaxed,
                           float* kept, uint32_t sides, uint32_t points) {
    grzF8 zero = grzF8_Zero(), half = grzF8_Set1(0.5f), one = grzF8_Set1(1.0f), restitution = grzWide_At(kept, 0);
    grzF8 threshold = grzF8_Set1(work->restitutionThreshold);
    grzM8 counts =
        grzM8_And(grzF8_Greater(restitution, zero), grzF8_Greater(sumOfImpulses(firm, sides, points), zero));
    grzWide_Put(kept, 2, zero);
    if (!grzM8_Any(counts))
        return;
    Pair now, pair;
    loadPair(rows, sides, 0, &now);
    const Blow blow = blowOf(firm, sides, points, &now);
    loadSides(work, firm, sides, offsetof(grzBodyLanes, velocityBefore) / 4, &pair);
    grzF8 before = approachOf(&blow, &pair, sides, one);
    counts = grzM8_And(counts, grzF8_Greater(grzF8_Abs(before), threshold));
    if (!grzM8_Any(counts))
        return;
    loadPair(rows, sides, 8, &pair);
    grzF8 gone = grzF8_Mul(approachOf(&blow, &pair, sides, grzF8_Set1(work->time)), grzF8_Set1(work->inverseTime));
    loadSides(work, firm, sides, offsetof(grzBodyLanes, velocity) / 4, &pair);
    grzF8 approach = approachOf(&blow, &pair, sides, one);
    grzF8 friction = grzF8_Add(frictionPower(firm, relaxed, sides, points, &pair),
                               frictionPower(firm, relaxed, sides, points, &now));
    grzF8 taken = grzF8_Mul(blow.impulse, grzF8_Add(approach, approachOf(&blow, &now, sides, one)));
    taken = grzF8_Mul(half, grzF8_Add(taken, grzF8_Min(friction, zero)));
    grzF8 lent = grzF8_Select(counts, grzF8_Max(grzF8_Negate(taken), zero), zero);
    if (grzM8_Any(grzF8_Greater(lent, zero)))
        addDebts(rows, sides, &blow, &pair, &now, lent);
    grzF8 parting = partingSpeed(before, approach, gone, restitution), share = grzF8_Div(parting, approach);
    grzM8 bounces = grzM8_And(counts, grzM8_And(grzF8_Greater(before, threshold), grzF8_Greater(parting, zero)));
    bounces = grzM8_And(bounces, grzM8_And(grzF8_Greater(approach, zero), grzF8_Greater(taken, zero)));
    grzWide_Put(kept, 2, grzF8_Select(bounces, grzF8_Mul(taken, grzF8_Mul(share, share)), zero));
}

// What a touch did in the substep in which it bounces is over: the next one does not do it again.
GRZ_SIMD_CALL void spend(const grzSolverWork* work, float* firm, float* relaxed, uint32_t sides, uint32_t points,
                         const Blow* blow, grzF8 impulse, grzM8 bounces, const Pair* pair) {
    Pair spent = {grzWide3_Zero(), grzWide3_Zero(), grzWide3_Zero(), grzWide3_Zero(), pair->massB, pair->massA};
    warm(firm, relaxed, sides, points, &spent);
    pushAlong(&spent, blow, sides, impulse);
    uint32_t bodies[16];
    const uint32_t mask = grzM8_Bits(bounces), slide = 7 + 6 * sides;
    memcpy(bodies, firm, 32 * (size_t)sides);
    addToSide(work, bodies, mask, spent.velocityB, spent.spinB);
    if (sides == 2)
        addToSide(work, bodies + 8, mask, spent.velocityA, spent.spinA);
    grzF8 zero = grzF8_Zero(), share = grzF8_Div(impulse, blow->impulse);
    for (uint32_t i = 0; i < points; ++i) {
        float* point = pointAt(firm, sides, points, i);
        grzF8 own = grzWide_At(point, 3 * sides + 2);
        addAt(relaxed, GRZ_SUMS(sides, points) + i, grzF8_Select(bounces, grzF8_Mul(share, own), zero));
        grzWide_Put(point, 3 * sides + 2, grzF8_Select(bounces, zero, own));
    }
    grzWide_Put(relaxed, slide, grzF8_Select(bounces, zero, grzWide_At(relaxed, slide)));
    grzWide_Put(relaxed, slide + 1, grzF8_Select(bounces, zero, grzWide_At(relaxed, slide + 1)));
    if (points > 1) {
        float* twist = relaxed + 8 * (size_t)(GRZ_FRICTION_SIZE(sides) + 3 * sides + 2);
        grzWide_Put(twist, 0, grzF8_Select(bounces, zero, grzWide_At(twist, 0)));
    }
}

// Goes along the impulses until they have given the energy: impulse^2 * response / 2 - impulse * approach.
GRZ_SIMD_PART void bounce(const grzSolverWork* work, const Rows* rows, float* firm, float* relaxed,
                          const float* kept, uint32_t sides, uint32_t points, Pair* pair) {
    grzF8 zero = grzF8_Zero(), energy = grzWide_At(kept, 2);
    grzM8 bounces = grzF8_Greater(energy, zero);
    energy = payDebts(rows, sides, energy);
    const Blow blow = blowOf(firm, sides, points, pair);
    grzF8 approach = approachOf(&blow, pair, sides, grzF8_Set1(1.0f)), twice = grzF8_Add(energy, energy);
    grzF8 root = grzF8_Sqrt(grzF8_Add(grzF8_Mul(approach, approach), grzF8_Mul(twice, blow.response)));
    grzF8 impulse = grzF8_Select(grzF8_Less(approach, zero), grzF8_Div(twice, grzF8_Sub(root, approach)),
                                 grzF8_Div(grzF8_Add(root, approach), blow.response));
    impulse = grzF8_Select(bounces, impulse, zero);
    pushAlong(pair, &blow, sides, impulse);
    spend(work, firm, relaxed, sides, points, &blow, impulse, bounces, pair);
}

GRZ_SIMD_INLINE Push makePush(const grzSolverWork* work, uint32_t sides, bool isSoft) {
    const grzSoftness* soft = &work->soft[sides - 1];
    return (Push){.inverseTime = grzF8_Set1(work->inverseTime),
                  .biasRate = grzF8_Set1(soft->biasRate),
                  .pushSpeed = grzF8_Set1(-work->pushSpeed),
                  .massScale = grzF8_Set1(soft->massScale),
                  .impulseScale = grzF8_Set1(soft->impulseScale),
                  .blowSpeed = grzF8_Set1(work->blowSpeed),
                  .lands = grzF8_Less(grzF8_Zero(), grzF8_Zero()),
                  .isSoft = isSoft};
}

// Points that were apart at the start meet in the substep in which they first push. Asked for where one was apart.
GRZ_SIMD_PART void noteMet(float number, const float* firm, float* kept, uint32_t sides, uint32_t points) {
    grzF8 zero = grzF8_Zero(), now = grzF8_Set1(number);
    for (uint32_t i = 0; i < points; ++i) {
        grzF8 impulse = grzWide_At(firm, GRZ_FIRM_HEAD(sides, points) + i * GRZ_FIRM_POINT(sides) + 3 * sides + 2);
        grzF8 met = grzWide_At(kept, GRZ_KEPT_MET(points) + i);
        grzM8 isNew = grzM8_And(grzF8_Greater(impulse, zero), grzF8_LessEqual(met, zero));
        grzWide_Put(kept, GRZ_KEPT_MET(points) + i, grzF8_Select(isNew, now, met));
    }
}

// The touches of which a point met in the substep of this number.
GRZ_SIMD_PART grzM8 metIn(float number, const float* kept, uint32_t points) {
    grzF8 last = grzWide_At(kept, GRZ_KEPT_MET(points));
    for (uint32_t i = 1; i < points; ++i)
        last = grzF8_Max(last, grzWide_At(kept, GRZ_KEPT_MET(points) + i));
    return grzF8_LessEqual(grzF8_Set1(number), last);
}

GRZ_SIMD_PART void passBlock(const grzSolverWork* work, grzTouchPass pass, uint32_t sides, uint32_t points,
                             float* firm, float* relaxed, float* kept, bool isApart, uint32_t lanes) {
    Rows rows;
    Pair pair;
    if (pass == grz_passBounce && !grzM8_Any(grzF8_Greater(grzWide_At(kept, 2), grzF8_Zero())))
        return;
    findRows(work, firm, sides, &rows);
    if (pass == grz_passMeasure) {
        measure(work, &rows, firm, relaxed, kept, sides, points);
        return;
    }
    loadPair(&rows, sides, 0, &pair);
    if (pass == grz_passWarm) {
        warm(firm, relaxed, sides, points, &pair);
    } else if (pass == grz_passSolve) {
        Push push = makePush(work, sides, true);
        solveNormals(firm, sides, points, &push, &pair);
        if (isApart)
            noteMet(work->number, firm, kept, sides, points);
    } else if (pass == grz_passRelax) {
        Push push = makePush(work, sides, false);
        if (isApart)
            push.lands = metIn(work->number, kept, points);
        follow(&rows, firm, sides, points, grzF8_Set1(work->time));
        solveNormals(firm, sides, points, &push, &pair);
        if (isApart)
            noteMet(work->number, firm, kept, sides, points);
        solveFriction(firm, relaxed, sides, points, &pair);
        addSums(firm, relaxed, sides, points);
    } else {
        bounce(work, &rows, firm, relaxed, kept, sides, points, &pair);
    }
    storePair(&rows, sides, &pair, lanes);
}

GRZ_SIMD_PART void passBlocks(const grzSolverWork* work, grzTouchPass pass, uint32_t sides, uint32_t points,
                              const grzTouchBatch* batch, uint32_t begin, uint32_t end) {
    for (uint32_t block = begin; block < end; ++block) {
        float* firm = work->firm + 8 * (batch->firmAt + (size_t)GRZ_FIRM_SIZE(sides, points) * block);
        float* relaxed = work->relaxed + 8 * (batch->relaxedAt + (size_t)GRZ_RELAXED_SIZE(sides, points) * block);
        float* kept = work->kept + 8 * (batch->keptAt + (size_t)GRZ_KEPT_SIZE(points) * block);
        const bool isApart =
            (pass == grz_passSolve || pass == grz_passRelax) && work->apartBlocks[batch->firstBlock + block] != 0;
        passBlock(work, pass, sides, points, firm, relaxed, kept, isApart, grzTouchBatch_LanesIn(batch, block));
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
// What bounces is seldom: there points are counted as it runs.
#define PASSES_OF_ANY(Name, pass)                                                                                  \
    static void Name##1(const grzSolverWork* work, const grzTouchBatch* batch, uint32_t begin, uint32_t end) {     \
        passBlocks(work, pass, 1, batch->pointCount, batch, begin, end);                                           \
    }                                                                                                              \
    static void Name##2(const grzSolverWork* work, const grzTouchBatch* batch, uint32_t begin, uint32_t end) {     \
        passBlocks(work, pass, 2, batch->pointCount, batch, begin, end);                                           \
    }
PASSES(warm, grz_passWarm)
PASSES(solve, grz_passSolve)
PASSES(relax, grz_passRelax)
PASSES_OF_ANY(measure, grz_passMeasure)
PASSES_OF_ANY(bounce, grz_passBounce)

typedef void PassFn(const grzSolverWork* work, const grzTouchBatch* batch, uint32_t begin, uint32_t end);

void GRZ_KERNEL(grzPassTouches)(const grzSolverWork* work, grzTouchPass pass, const grzTouchBatch* batch,
                                uint32_t begin, uint32_t end) {
    static PassFn* const table[5][2][4] = {
        {{warm11, warm12, warm13, warm14}, {warm21, warm22, warm23, warm24}},
        {{solve11, solve12, solve13, solve14}, {solve21, solve22, solve23, solve24}},
        {{relax11, relax12, relax13, relax14}, {relax21, relax22, relax23, relax24}},
        {{measure1, measure1, measure1, measure1}, {measure2, measure2, measure2, measure2}},
        {{bounce1, bounce1, bounce1, bounce1}, {bounce2, bounce2, bounce2, bounce2}},
    };
    table[pass][batch->sideCount - 1][batch->pointCount - 1](work, batch, begin, end);
}
