// What: the passes over touches in the substeps: warm start, solve, relax, bounce.
// Idea: eight touches at a time. The rows of their bodies are loaded and transposed, all points of the eight are
//       done one after the other in registers, and the rows go back. Along the normal, which all points of a touch
//       share, only one speed of the two centres is carried from point to point.
// Holds: no two lanes of a block share a row that is written, and no two blocks of a colour. Lanes past the touches are
//        of the row of zeros, which is read and never written.
// Cost: two-sided and of four points, some 450 vector instructions to solve and 750 to relax.
// Based on: [Catto, Solver2D, 2024] soft step; [Catto, Box3D] friction at the middle of the points, and a twist
// about it.
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

// How points are solved: with a soft push apart, or as they are.
typedef struct Push {
    grzF8 inverseTime, biasRate, pushSpeed, massScale, impulseScale;
    bool isSoft;
} Push;

GRZ_SIMD_PART grzF8 solvePoint(float* point, uint32_t sides, const Push* push, grzF8 separation, grzF8 speed) {
    const uint32_t at = 3 * sides;
    grzF8 mass = grzWide_At(point, at), impulse = grzWide_At(point, at + 2), zero = grzF8_Zero();
    grzM8 isApart = grzF8_Greater(separation, zero);
    grzF8 ahead = grzF8_Mul(separation, push->inverseTime);
    grzF8 change;
    if (push->isSoft) {
        grzF8 back = grzF8_Max(grzF8_Mul(separation, push->biasRate), push->pushSpeed);
        grzF8 bias = grzF8_Select(isApart, ahead, back);
        grzF8 scale = grzF8_Select(isApart, grzF8_Set1(1.0f), push->massScale);
        grzF8 fade = grzF8_Select(isApart, zero, push->impulseScale);
        change = grzF8_Add(grzF8_Mul(grzF8_Mul(mass, scale), grzF8_Add(speed, bias)), grzF8_Mul(fade, impulse));
    } else {
        change = grzF8_Mul(mass, grzF8_Add(speed, grzF8_Select(isApart, ahead, zero)));
    }
    grzF8 after = grzF8_Max(grzF8_Sub(impulse, change), zero);
    grzWide_Put(point, at + 2, after);
    return grzF8_Sub(after, impulse);
}

#include "contact_landing.h"

GRZ_SIMD_PART void solveNormals(float* firm, uint32_t sides, uint32_t points, const Push* push, Pair* pair) {
    grzWide3 normal = grzWide3_At(firm, sides);
    grzF8 centers = speedOfCenters(pair, normal, sides), sum = grzF8_Zero();
    grzF8 mass = sides == 2 ? grzF8_Add(pair->massB, pair->massA) : pair->massB;
    for (uint32_t i = 0; i < points; ++i) {
        float* point = firm + 8 * (size_t)(GRZ_FIRM_HEAD(sides) + i * GRZ_FIRM_POINT(sides));
        grzF8 speed = grzF8_Add(centers, speedOfSpin(pair, point, 0, sides));
        if (sides == 1)
            speed = grzF8_Sub(speed, grzWide_At(point, 6));
        grzF8 change = solvePoint(point, sides, push, grzWide_At(point, 3 * sides + 1), speed);
        pushSpin(pair, point, 0, sides, change);
        centers = grzF8_Add(centers, grzF8_Mul(mass, change));
        sum = grzF8_Add(sum, change);
    }
    pushCenters(pair, normal, sides, sum);
}

GRZ_SIMD_PART grzF8 sumOfImpulses(const float* firm, uint32_t sides, uint32_t points) {
    grzF8 sum = grzF8_Zero();
    for (uint32_t i = 0; i < points; ++i)
        sum = grzF8_Add(sum, grzWide_At(firm, GRZ_FIRM_HEAD(sides) + i * GRZ_FIRM_POINT(sides) + 3 * sides + 2));
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
        const float* point = firm + 8 * (size_t)(GRZ_FIRM_HEAD(sides) + i * GRZ_FIRM_POINT(sides));
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
        float* point = firm + 8 * (size_t)(GRZ_FIRM_HEAD(sides) + i * GRZ_FIRM_POINT(sides));
        grzF8 opened = grzF8_Add(centers, speedOfSpin(&moved, point, 0, sides));
        if (sides == 1)
            opened = grzF8_Sub(opened, grzF8_Mul(grzWide_At(point, 6), surface));
        grzWide_Put(point, 3 * sides + 1, grzF8_Add(grzWide_At(point, 3 * sides + 1), opened));
    }
}

GRZ_SIMD_PART void keepGreatest(const float* firm, float* relaxed, uint32_t sides, uint32_t points) {
    for (uint32_t i = 0; i < points; ++i) {
        grzF8 impulse = grzWide_At(firm, GRZ_FIRM_HEAD(sides) + i * GRZ_FIRM_POINT(sides) + 3 * sides + 2);
        const uint32_t at = GRZ_GREATEST(sides, points) + i;
        grzWide_Put(relaxed, at, grzF8_Max(grzWide_At(relaxed, at), impulse));
    }
}

// Points that came fast and were pushed leave with their share of the speed.
GRZ_SIMD_PART void bounce(const grzSolverWork* work, float* firm, float* relaxed, const float* kept,
                            uint32_t sides, uint32_t points, bool landing, Pair* pair) {
    grzWide3 normal = grzWide3_At(firm, sides);
    grzF8 restitution = grzWide_At(kept, 0), zero = grzF8_Zero();
    if (points > 1 && landing)
        bounceAll(work, firm, relaxed, kept, sides, points, pair);
    for (uint32_t i = 0; i < points; ++i) {
        float* point = firm + 8 * (size_t)(GRZ_FIRM_HEAD(sides) + i * GRZ_FIRM_POINT(sides));
        const uint32_t at = GRZ_GREATEST(sides, points) + i;
        grzF8 approach = grzWide_At(kept, 2 + i), greatest = grzWide_At(relaxed, at);
        grzM8 bounces = grzM8_And(grzF8_Less(approach, grzF8_Set1(-work->restitutionThreshold)),
                                  grzM8_And(grzF8_Greater(greatest, zero), grzF8_Greater(restitution, zero)));
        grzF8 speed = grzF8_Add(speedOfCenters(pair, normal, sides), speedOfSpin(pair, point, 0, sides));
        if (sides == 1)
            speed = grzF8_Sub(speed, grzWide_At(point, 6));
        grzF8 mass = grzWide_At(point, 3 * sides), impulse = grzWide_At(point, 3 * sides + 2);
        grzF8 wanted = grzF8_Mul(mass, grzF8_Add(speed, grzF8_Mul(restitution, approach)));
        grzF8 after = grzF8_Select(bounces, grzF8_Max(grzF8_Sub(impulse, wanted), zero), impulse);
        grzWide_Put(point, 3 * sides + 2, after);
        grzWide_Put(relaxed, at, grzF8_Max(greatest, after));
        grzF8 change = grzF8_Sub(after, impulse);
        pushSpin(pair, point, 0, sides, change);
        pushCenters(pair, normal, sides, change);
    }
}

GRZ_SIMD_INLINE Push makePush(const grzSolverWork* work, uint32_t sides, bool isSoft) {
    const grzSoftness* soft = &work->soft[sides - 1];
    return (Push){grzF8_Set1(work->inverseTime), grzF8_Set1(soft->biasRate),     grzF8_Set1(-work->pushSpeed),
                  grzF8_Set1(soft->massScale),   grzF8_Set1(soft->impulseScale), isSoft};
}

GRZ_SIMD_PART void passBlock(const grzSolverWork* work, grzTouchPass pass, uint32_t sides, uint32_t points,
                               float* firm, float* relaxed, const float* kept, bool landing, uint32_t lanes) {
    Rows rows;
    Pair pair;
    findRows(work, firm, sides, &rows);
    loadPair(&rows, sides, 0, &pair);
    if (pass == grz_passWarm) {
        warm(firm, relaxed, sides, points, &pair);
    } else if (pass == grz_passSolve) {
        Push push = makePush(work, sides, true);
        if (points > 1 && landing)
            land(firm, kept, sides, points, &push, &pair);
        solveNormals(firm, sides, points, &push, &pair);
    } else if (pass == grz_passRelax) {
        Push push = makePush(work, sides, false);
        follow(&rows, firm, sides, points, grzF8_Set1(work->time));
        if (points > 1 && landing)
            land(firm, kept, sides, points, &push, &pair);
        solveNormals(firm, sides, points, &push, &pair);
        solveFriction(firm, relaxed, sides, points, &pair);
        keepGreatest(firm, relaxed, sides, points);
    } else {
        bounce(work, firm, relaxed, kept, sides, points, landing, &pair);
    }
    storePair(&rows, sides, &pair, lanes);
}

GRZ_SIMD_PART void passBlocks(const grzSolverWork* work, grzTouchPass pass, uint32_t sides, uint32_t points,
                                const grzTouchBatch* batch, uint32_t begin, uint32_t end) {
    for (uint32_t block = begin; block < end; ++block) {
        float* firm = work->firm + 8 * (batch->firmAt + (size_t)GRZ_FIRM_SIZE(sides, points) * block);
        float* relaxed = work->relaxed + 8 * (batch->relaxedAt + (size_t)GRZ_RELAXED_SIZE(sides, points) * block);
        const float* kept = work->kept + 8 * (batch->keptAt + (size_t)GRZ_KEPT_SIZE(points) * block);
        const bool landing = work->landings[batch->firstBlock + block] != 0;
        passBlock(work, pass, sides, points, firm, relaxed, kept, landing, grzTouchBatch_LanesIn(batch, block));
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
