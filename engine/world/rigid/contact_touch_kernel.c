// What: turns touches into blocks of the streams before the substeps, and writes their impulses back after them.
// Idea: eight touches at a time, their rows of four floats transposed into lanes. Anchors and directions are taken
//       into the frames of the bodies as they are now; there the whitened jacobian is root * (anchor x direction).
// Friction of a touch is one impulse at the middle of its points and a twist about the normal there. Touches hold it
// as a share of each point, F/n + T (e x d)/sum d^2 with d the point's place about the middle: sums of those and of
// their moments give F and T back, and what a point that has gone held is lost with it.
// Cost: some 1000 vector instructions for eight touches of four points.
#include <float.h>

#include "contact_rows.h"
#include "wide_vec.h"

enum { POINT_FLOATS = sizeof(grzTouchPoint) / 4, POINTS_AT = offsetof(grzTouch, points) / 4 };

GRZ_STATIC_ASSERT(offsetof(grzTouchPoint, anchorA) == 0 && offsetof(grzTouchPoint, anchorB) == 12 &&
                      offsetof(grzTouchPoint, found) == 24 && offsetof(grzTouchPoint, separation) == 28 &&
                      offsetof(grzTouchPoint, normalImpulse) == 32 &&
                      offsetof(grzTouchPoint, frictionImpulse) == 36 && offsetof(grzTouchPoint, stepImpulse) == 44,
                  "rows of four floats, as they are loaded");

// The square of the shortest lever of a point, as a part of the longest anchor: 16 times the rounding of anchors.
#define LEVER_SQ 0x1p-40f

// What lanes past the touches read: a good normal, all else 0.
static const grzTouch noTouch = {.normal = {0.0f, 0.0f, 1.0f, 0.0f}};

typedef struct Lanes {
    const grzTouch* touches[8];
    const float* floats[8];
    uint32_t bodies[2][8]; // B, A
    uint32_t others[8];    // one-sided: the body that does not yield
    grzF8 sign;            // -0 where the touch's bodyA is our B
    uint32_t count;
} Lanes;

typedef struct Body {
    grzWide3 root;
    grzF8 inverseMass;
    grzWideMat3 rotation;
    grzWide3 normal, t1, t2, anchors[4], middle; // in its frame
} Body;

static void findLanes(const grzSolverWork* work, const grzTouchBatch* batch, uint32_t block, uint32_t sides,
                      Lanes* lanes) {
    const uint32_t* placeOf = work->lanePlaces + 8 * (size_t)(batch->firstBlock + block);
    uint32_t signs[8];
    lanes->count = grzTouchBatch_LanesIn(batch, block);
    for (uint32_t k = 0; k < 8; ++k) {
        const bool isUsed = k < lanes->count;
        const grzTouch* touch = isUsed ? grzTouch_Read(work->units, placeOf[k]) : &noTouch;
        const bool turns = isUsed && sides == 1 && (work->masses[touch->bodyA].flags & grz_bodyYields) != 0;
        lanes->touches[k] = touch;
        lanes->floats[k] = (const float*)touch;
        lanes->bodies[0][k] = !isUsed ? work->zeroRow : turns ? touch->bodyA : touch->bodyB;
        lanes->bodies[1][k] = !isUsed ? work->zeroRow : touch->bodyA;
        lanes->others[k] = turns ? touch->bodyB : touch->bodyA;
        signs[k] = turns ? 0x80000000u : 0;
    }
    int32_t bits[8];
    memcpy(bits, signs, sizeof bits);
    lanes->sign = grzI8_AsFloat(grzI8_Load(bits));
}

// Asks for the touches of the next block: those of a colour are far apart, and no processor foresees where.
static void fetchTouches(const grzSolverWork* work, const grzTouchBatch* batch, uint32_t block) {
    const uint32_t* placeOf = work->lanePlaces + 8 * (size_t)(batch->firstBlock + block);
    const uint32_t count = grzTouchBatch_LanesIn(batch, block);
    for (uint32_t k = 0; k < count; ++k)
        for (uint32_t line = 0; line <= 3 * batch->pointCount / 4 + 1; ++line)
            __builtin_prefetch((const char*)&work->units[placeOf[k]] + 64 * line);
}

// grzPerpendicular, lane by lane. Never 0 for a unit normal.
GRZ_SIMD_PART grzWide3 perpendicular(grzWide3 a) {
    grzF8 x = grzF8_Abs(a.x), y = grzF8_Abs(a.y), z = grzF8_Abs(a.z), zero = grzF8_Zero();
    grzM8 isUp = grzM8_And(grzF8_GreaterEqual(z, x), grzF8_GreaterEqual(z, y));
    grzWide3 v =
        grzWide3_Select(isUp, (grzWide3){zero, a.z, grzF8_Negate(a.y)}, (grzWide3){a.y, grzF8_Negate(a.x), zero});
    grzF8 length = grzF8_Sqrt(grzWide3_Dot(v, v));
    return grzWide3_Div(v, (grzWide3){length, length, length});
}

GRZ_SIMD_PART void loadBody(const grzSolverWork* work, const uint32_t bodies[8], grzWide3 normal, grzWide3 t1,
                            Body* body) {
    const float* from[8];
    for (int k = 0; k < 8; ++k)
        from[k] = (const float*)&work->frames[bodies[k]];
    grzF8 columns[4];
    grzWide_LoadRows(from, 0, columns);
    body->root = (grzWide3){columns[0], columns[1], columns[2]};
    body->inverseMass = columns[3];
    grzWide_LoadRows(from, 4, columns);
    body->rotation = grzWideMat3_FromQuat(columns[0], columns[1], columns[2], columns[3]);
    body->normal = grzWideMat3_ApplyTransposed(&body->rotation, normal);
    body->t1 = grzWideMat3_ApplyTransposed(&body->rotation, t1);
    body->t2 = grzWide3_Cross(body->normal, body->t1);
}

// root * (anchor x direction)
GRZ_SIMD_INLINE grzWide3 jacobian(const Body* body, grzWide3 anchor, grzWide3 direction) {
    return grzWide3_Mul(body->root, grzWide3_Cross(anchor, direction));
}

// 0 also where the inverse is not a float.
GRZ_SIMD_INLINE grzF8 inverseOrZero(grzF8 a) {
    grzM8 hasInverse = grzF8_GreaterEqual(a, grzF8_Set1(FLT_MIN));
    return grzF8_Select(hasInverse, grzF8_Div(grzF8_Set1(1.0f), a), grzF8_Zero());
}

GRZ_SIMD_PART grzF8 sumOfSquares(const grzWide3 j[2], uint32_t sides) {
    grzF8 sum = grzWide3_Dot(j[0], j[0]);
    return sides == 2 ? grzF8_Add(sum, grzWide3_Dot(j[1], j[1])) : sum;
}

GRZ_SIMD_PART void putJacobians(float* stream, uint32_t at, const grzWide3 j[2], uint32_t sides) {
    for (uint32_t side = 0; side < sides; ++side)
        grzWide3_Put(stream, at + 3 * side, j[side]);
}

// ---- The other body of one-sided touches: how fast its surface goes, lane by lane, since few of them move.

typedef struct Surface {
    float normal[4][8];           // speed along the normal at each point
    float t1[8], t2[8], twist[8]; // at the middle
    bool isMoving;
} Surface;

static grzVec3 surfaceVelocity(const grzBodyState* state, grzVec3 anchor) {
    return grzAdd(state->velocity, grzCross(state->spin, anchor));
}

static void findSurface(const grzSolverWork* work, const Lanes* lanes, uint32_t points, Surface* surface) {
    memset(surface, 0, sizeof *surface);
    for (uint32_t k = 0; k < lanes->count; ++k) {
        const grzTouch* touch = lanes->touches[k];
        if ((work->masses[lanes->others[k]].flags & grz_bodyMoves) == 0)
            continue;
        const grzBodyState* state = &work->states[lanes->others[k]];
        const bool isB = lanes->others[k] == touch->bodyB;
        grzVec3 normal = isB ? grzNeg(touch->normal) : touch->normal, tangents[2];
        grzTouch_Tangents(touch->normal, tangents);
        grzVec3 t1 = isB ? grzNeg(tangents[0]) : tangents[0], t2 = grzCross(normal, t1), middle = grzVec3_Zero();
        for (uint32_t i = 0; i < points; ++i) {
            grzVec3 anchor = grzVec3_Load(isB ? touch->points[i].anchorB : touch->points[i].anchorA);
            middle = grzAddScaled(middle, 1.0f / (float)points, anchor);
            surface->normal[i][k] = grzDot(normal, surfaceVelocity(state, anchor));
        }
        grzVec3 velocity = surfaceVelocity(state, middle);
        surface->t1[k] = grzDot(t1, velocity);
        surface->t2[k] = grzDot(t2, velocity);
        surface->twist[k] = grzDot(normal, state->spin);
        surface->isMoving = true;
    }
}

// ---- Preparing.

typedef struct Block {
    float *firm, *relaxed, *kept;
    uint32_t sides, points;
} Block;

GRZ_SIMD_PART Block blockAt(const grzSolverWork* work, const grzTouchBatch* batch, uint32_t block, uint32_t sides,
                            uint32_t points) {
    return (Block){work->firm + 8 * (batch->firmAt + (size_t)GRZ_FIRM_SIZE(sides, points) * block),
                   work->relaxed + 8 * (batch->relaxedAt + (size_t)GRZ_RELAXED_SIZE(sides, points) * block),
                   work->kept + 8 * (batch->keptAt + (size_t)GRZ_KEPT_SIZE(points) * block), sides, points};
}

GRZ_SIMD_PART void preparePoint(const Block* block, const Lanes* lanes, Body bodies[2], const Surface* surface,
                                uint32_t i, grzF8 friction[2]) {
    const uint32_t sides = block->sides, points = block->points;
    grzF8 first[4], second[4], third[4];
    const size_t at = POINTS_AT + POINT_FLOATS * (size_t)i;
    grzWide_LoadRows(lanes->floats, at, first);
    grzWide_LoadRows(lanes->floats, at + 4, second);
    grzWide_LoadRows(lanes->floats, at + 8, third);
    grzWide3 anchorA = {first[0], first[1], first[2]}, anchorB = {first[3], second[0], second[1]};
    if (sides == 1) {
        grzM8 turns = grzI8_Less(grzF8_AsInt(lanes->sign), grzI8_Zero());
        anchorB = grzWide3_Select(turns, anchorA, anchorB);
    }
    grzF8 sum = bodies[0].inverseMass;
    grzWide3 j[2];
    bodies[0].anchors[i] = grzWideMat3_ApplyTransposed(&bodies[0].rotation, anchorB);
    j[0] = jacobian(&bodies[0], bodies[0].anchors[i], bodies[0].normal);
    if (sides == 2) {
        bodies[1].anchors[i] = grzWideMat3_ApplyTransposed(&bodies[1].rotation, anchorA);
        j[1] = jacobian(&bodies[1], bodies[1].anchors[i], bodies[1].normal);
        sum = grzF8_Add(sum, bodies[1].inverseMass);
    }
    float* point = block->firm + 8 * (size_t)(GRZ_FIRM_HEAD(sides, points) + i * GRZ_FIRM_POINT(sides));
    putJacobians(point, 0, j, sides);
    sum = grzF8_Add(sum, sumOfSquares(j, sides));
    grzWide_Put(point, 3 * sides, points == 1 ? inverseOrZero(sum) : sum);
    grzWide_Put(point, 3 * sides + 1, second[3]);
    grzWide_Put(point, 3 * sides + 2, third[0]);
    if (sides == 1)
        grzWide_Put(point, 3 * sides + 3, grzF8_Load(surface->normal[i]));
    friction[0] = third[1];
    friction[1] = grzF8_Xor(third[2], lanes->sign);
}

// The middle of the points in both frames.
GRZ_SIMD_PART void findMiddle(Body* body, uint32_t points) {
    grzWide3 sum = body->anchors[0];
    for (uint32_t i = 1; i < points; ++i)
        sum = grzWide3_Add(sum, body->anchors[i]);
    body->middle = points == 1 ? sum : grzWide3_Scale(sum, grzF8_Set1(1.0f / (float)points));
}

// Two directions at once: the inverse of their matrix. Where it is all but singular (bodies that can turn and not
// move), each direction has half of its own.
GRZ_SIMD_PART void prepareSlide(const Block* block, const Body bodies[2], const Surface* surface, grzF8 limit,
                                grzWide3 t1, grzF8 slide1, grzF8 slide2) {
    const uint32_t sides = block->sides, masses = 4 + 6 * sides;
    grzWide3 j1[2], j2[2];
    grzF8 mass = bodies[0].inverseMass;
    for (uint32_t side = 0; side < sides; ++side) {
        j1[side] = jacobian(&bodies[side], bodies[side].middle, bodies[side].t1);
        j2[side] = jacobian(&bodies[side], bodies[side].middle, bodies[side].t2);
    }
    grzF8 k12 = grzWide3_Dot(j1[0], j2[0]);
    if (sides == 2) {
        mass = grzF8_Add(mass, bodies[1].inverseMass);
        k12 = grzF8_Add(k12, grzWide3_Dot(j1[1], j2[1]));
    }
    grzF8 k11 = grzF8_Add(mass, sumOfSquares(j1, sides)), k22 = grzF8_Add(mass, sumOfSquares(j2, sides));
    grzF8 product = grzF8_Mul(k11, k22), determinant = grzF8_Sub(product, grzF8_Mul(k12, k12));
    grzM8 isSound = grzF8_Greater(determinant, grzF8_Mul(grzF8_Set1(1e-5f), product));
    isSound = grzM8_And(isSound, grzF8_Greater(product, grzF8_Set1(1e-36f))); // else its inverse is not a float
    grzF8 inverse = grzF8_Select(isSound, inverseOrZero(determinant), grzF8_Zero()), half = grzF8_Set1(0.5f);
    float* to = block->relaxed;
    grzWide3_Put(to, 0, t1);
    grzWide_Put(to, 3, limit);
    putJacobians(to, 4, j1, sides);
    putJacobians(to, 4 + 3 * sides, j2, sides);
    grzWide_Put(to, masses, grzF8_Select(isSound, grzF8_Mul(k22, inverse), grzF8_Mul(half, inverseOrZero(k11))));
    grzWide_Put(to, masses + 1, grzF8_Negate(grzF8_Mul(k12, inverse)));
    grzWide_Put(to, masses + 2,
                grzF8_Select(isSound, grzF8_Mul(k11, inverse), grzF8_Mul(half, inverseOrZero(k22))));
    grzWide_Put(to, masses + 3, slide1);
    grzWide_Put(to, masses + 4, slide2);
    if (sides == 1) {
        grzWide_Put(to, masses + 5, grzF8_Load(surface->t1));
        grzWide_Put(to, masses + 6, grzF8_Load(surface->t2));
    }
}

// Where points lie about their middle, along the two directions of friction.
typedef struct Places {
    grzF8 x[4], y[4];
} Places;

// Places are 0 where the points lie on one line along the normal, as the two ends of an upright capsule. What the
// computation leaves of such places is the rounding of anchors. It is no lever, and its square may have no inverse.
GRZ_SIMD_PART void findPlaces(const Body* body, uint32_t points, Places* places) {
    grzF8 zero = grzF8_Zero(), widest = zero, longest = zero;
    for (uint32_t i = 0; i < points; ++i) {
        grzWide3 from = grzWide3_Sub(body->anchors[i], body->middle);
        grzF8 x = grzWide3_Dot(from, body->t1), y = grzWide3_Dot(from, body->t2);
        widest = grzF8_Max(widest, grzF8_Add(grzF8_Mul(x, x), grzF8_Mul(y, y)));
        longest = grzF8_Max(longest, grzWide3_Dot(body->anchors[i], body->anchors[i]));
        places->x[i] = x;
        places->y[i] = y;
    }
    grzM8 isWide = grzF8_Greater(widest, grzF8_Mul(grzF8_Set1(LEVER_SQ), longest));
    for (uint32_t i = 0; i < points; ++i) {
        places->x[i] = grzF8_Select(isWide, places->x[i], zero);
        places->y[i] = grzF8_Select(isWide, places->y[i], zero);
    }
}

GRZ_SIMD_PART void prepareTwist(const Block* block, const Body bodies[2], const Surface* surface,
                                const Places* places, grzF8 (*friction)[2]) {
    const uint32_t sides = block->sides, points = block->points;
    const grzF8 *x = places->x, *y = places->y;
    grzF8 squares = grzF8_Zero(), arm = grzF8_Zero(), twist = grzF8_Zero();
    for (uint32_t i = 0; i < points; ++i) {
        grzF8 square = grzF8_Add(grzF8_Mul(x[i], x[i]), grzF8_Mul(y[i], y[i]));
        squares = grzF8_Add(squares, square);
        arm = grzF8_Add(arm, grzF8_Sqrt(square));
        twist = grzF8_Add(twist, grzF8_Sub(grzF8_Mul(x[i], friction[i][1]), grzF8_Mul(y[i], friction[i][0])));
    }
    grzF8 share = inverseOrZero(squares);
    for (uint32_t i = 0; i < points; ++i) {
        grzWide_Put(block->kept, GRZ_KEPT_SHARES + i, grzF8_Mul(x[i], share));
        grzWide_Put(block->kept, GRZ_KEPT_SHARES + points + i, grzF8_Mul(y[i], share));
    }
    grzWide3 j[2];
    for (uint32_t side = 0; side < sides; ++side)
        j[side] = grzWide3_Mul(bodies[side].root, bodies[side].normal);
    float* to = block->relaxed + 8 * (size_t)GRZ_FRICTION_SIZE(sides);
    putJacobians(to, 0, j, sides);
    grzWide_Put(to, 3 * sides, inverseOrZero(sumOfSquares(j, sides)));
    grzWide_Put(to, 3 * sides + 1, grzF8_Mul(arm, grzF8_Set1(1.0f / (float)points)));
    grzWide_Put(to, 3 * sides + 2, twist);
    if (sides == 1)
        grzWide_Put(to, 3 * sides + 3, grzF8_Load(surface->twist));
}

// ---- Modes (contact_rows.h).

// What impulses that are a constant and two slopes do to the speeds at the points, as such: a symmetric matrix, its upper
// rows one after the other; and the scale of its diagonal.
typedef struct Plane {
    grzF8 h[6], loose[3];
} Plane;

GRZ_SIMD_PART void findPlane(const Block* block, const Body bodies[2], const Places* places, Plane* plane) {
    const uint32_t sides = block->sides, points = block->points;
    grzF8 mass = sides == 2 ? grzF8_Add(bodies[0].inverseMass, bodies[1].inverseMass) : bodies[0].inverseMass;
    grzF8 sums[3] = {grzF8_Zero(), grzF8_Zero(), grzF8_Zero()};
    grzWide3 turns[3][2];
    for (int k = 0; k < 3; ++k)
        turns[k][0] = turns[k][1] = grzWide3_Zero();
    plane->loose[0] = plane->loose[1] = plane->loose[2] = grzF8_Zero();
    for (uint32_t i = 0; i < points; ++i) {
        const float* point = block->firm + 8 * (size_t)(GRZ_FIRM_HEAD(sides, points) + i * GRZ_FIRM_POINT(sides));
        const grzF8 form[3] = {grzF8_Set1(1.0f), places->x[i], places->y[i]};
        for (int k = 0; k < 3; ++k) {
            sums[k] = grzF8_Add(sums[k], form[k]);
            plane->loose[k] = grzF8_Add(plane->loose[k], grzF8_Mul(mass, grzF8_Mul(form[k], form[k])));
            for (uint32_t side = 0; side < sides; ++side)
                turns[k][side] = grzWide3_AddScaled(turns[k][side], form[k], grzWide3_At(point, 3 * side));
        }
    }
    for (int k = 0, at = 0; k < 3; ++k)
        for (int l = k; l < 3; ++l, ++at) {
            plane->h[at] =
                grzF8_Add(grzF8_Mul(mass, grzF8_Mul(sums[k], sums[l])), grzWide3_Dot(turns[k][0], turns[l][0]));
            if (sides == 2)
                plane->h[at] = grzF8_Add(plane->h[at], grzWide3_Dot(turns[k][1], turns[l][1]));
        }
}

// The same places along the line from the middle to the farthest point, and across it. Across is 0 where the points all but
// lie on a line: to a thousandth of its length.
GRZ_SIMD_PART void turnPlaces(uint32_t points, Places* places) {
    grzF8 zero = grzF8_Zero(), far = zero, c = zero, s = zero, along = zero, across = zero;
    for (uint32_t i = 0; i < points; ++i) {
        grzF8 x = places->x[i], y = places->y[i], square = grzF8_Add(grzF8_Mul(x, x), grzF8_Mul(y, y));
        grzM8 isFarther = grzF8_Greater(square, far);
        far = grzF8_Select(isFarther, square, far);
        c = grzF8_Select(isFarther, x, c);
        s = grzF8_Select(isFarther, y, s);
    }
    grzF8 scale = inverseOrZero(grzF8_Sqrt(far));
    c = grzF8_Mul(c, scale);
    s = grzF8_Mul(s, scale);
    for (uint32_t i = 0; i < points; ++i) {
        grzF8 x = places->x[i], y = places->y[i];
        places->x[i] = grzF8_Add(grzF8_Mul(c, x), grzF8_Mul(s, y));
        places->y[i] = grzF8_Sub(grzF8_Mul(c, y), grzF8_Mul(s, x));
        along = grzF8_Max(along, grzF8_Abs(places->x[i]));
        across = grzF8_Max(across, grzF8_Abs(places->y[i]));
    }
    grzM8 isWide = grzF8_Greater(across, grzF8_Mul(grzF8_Set1(1e-3f), along));
    for (uint32_t i = 0; i < points; ++i)
        places->y[i] = grzF8_Select(isWide, places->y[i], zero);
}

// What is left of a pivot, where it is more than rounding: else a mode hardly differs from those before it, or is about an axis
// that is locked.
GRZ_SIMD_PART grzF8 inversePivot(grzF8 left, grzF8 whole, grzF8 loose) {
    grzM8 isSound = grzF8_Greater(left, grzF8_Mul(grzF8_Set1(1e-3f), whole));
    isSound = grzM8_And(isSound, grzF8_Greater(left, grzF8_Mul(grzF8_Set1(1e-10f), loose)));
    return grzF8_Select(isSound, inverseOrZero(left), grzF8_Zero());
}

// Shares (contact_rows.h).
GRZ_SIMD_PART void prepareShares(const Block* block, float give) {
    const uint32_t sides = block->sides, points = block->points, modeCount = 1 + GRZ_TILTS(points);
    const float* firm = block->firm;
    grzF8 modes[3][4], masses[4], one = grzF8_Set1(1.0f);
    for (uint32_t i = 0; i < points; ++i) {
        masses[i] = grzWide_At(firm, GRZ_FIRM_HEAD(sides, points) + i * GRZ_FIRM_POINT(sides) + 3 * sides);
        modes[0][i] = grzWide_At(firm, GRZ_MODES(sides));
        for (uint32_t k = 1; k < modeCount; ++k)
            modes[k][i] = grzWide_At(firm, GRZ_TILTS_AT(sides, points) + (k - 1) * points + i);
    }
    for (uint32_t k = 0; k < modeCount; ++k) {
        grzF8 row = grzF8_Zero();
        for (uint32_t l = 0; l < modeCount; ++l) {
            grzF8 sum = grzF8_Zero();
            for (uint32_t i = 0; i < points; ++i)
                sum = grzF8_Add(sum, grzF8_Mul(masses[i], grzF8_Mul(modes[k][i], modes[l][i])));
            row = grzF8_Add(row, grzF8_Abs(sum));
        }
        grzWide_Put(block->firm, GRZ_MODES(sides) + 1 + k,
                    grzF8_Div(one, grzF8_Add(one, grzF8_Mul(grzF8_Set1(give), row))));
    }
}

// The modes are the forms 1, x, y freed from one another, one after the other, and scaled.
GRZ_SIMD_PART void prepareModes(const grzSolverWork* work, const Block* block, const Body bodies[2],
                                Places* places) {
    const uint32_t points = block->points;
    const grzSoftness* soft = &work->soft[block->sides - 1];
    float* to = block->firm + 8 * (size_t)GRZ_MODES(block->sides);
    float* tilts = block->firm + 8 * (size_t)GRZ_TILTS_AT(block->sides, points);
    Plane plane;
    turnPlaces(points, places);
    findPlane(block, bodies, places, &plane);
    const grzF8* h = plane.h;
    grzF8 i0 = inverseOrZero(h[0]), l1 = grzF8_Mul(h[1], i0), l2 = grzF8_Mul(h[2], i0);
    grzF8 i1 = inversePivot(grzF8_Sub(h[3], grzF8_Mul(l1, h[1])), h[3], plane.loose[1]);
    grzF8 e = grzF8_Sub(h[4], grzF8_Mul(l1, h[2])), m = grzF8_Mul(e, i1);
    grzF8 i2 = inversePivot(grzF8_Sub(grzF8_Sub(h[5], grzF8_Mul(l2, h[2])), grzF8_Mul(m, e)), h[5], plane.loose[2]);
    grzF8 s1 = grzF8_Sqrt(i1), s2 = grzF8_Sqrt(i2), l3 = grzF8_Sub(grzF8_Mul(l1, m), l2);
    grzWide_Put(to, 0, grzF8_Sqrt(i0));
    for (uint32_t i = 0; i < points; ++i) {
        grzF8 x = places->x[i], y = places->y[i];
        grzF8 first = grzF8_Mul(s1, grzF8_Sub(x, l1));
        grzF8 second = grzF8_Mul(s2, grzF8_Add(grzF8_Sub(y, grzF8_Mul(m, x)), l3));
        grzWide_Put(tilts, i, first);
        if (points > 2) // two are on a line
            grzWide_Put(tilts, points + i, second);
    }
    prepareShares(block, soft->impulseScale / soft->massScale);
}

GRZ_SIMD_PART void prepareBlock(const grzSolverWork* work, const grzTouchBatch* batch, uint32_t number,
                                uint32_t sides, uint32_t points) {
    const Block block = blockAt(work, batch, number, sides, points);
    Lanes lanes;
    Surface surface = {0}; // of two-sided touches it is not read
    Body bodies[2];
    grzF8 columns[4], friction[4][2];
    findLanes(work, batch, number, sides, &lanes);
    if (sides == 1)
        findSurface(work, &lanes, points, &surface);
    memcpy(block.firm, lanes.bodies, 32 * (size_t)sides);
    grzWide_LoadRows(lanes.floats, offsetof(grzTouch, normal) / 4, columns);
    grzWide3 normal = {columns[0], columns[1], columns[2]};
    grzWide3 t1 = grzWide3_Flip(perpendicular(normal), lanes.sign);
    normal = grzWide3_Flip(normal, lanes.sign);
    grzWide3_Put(block.firm, sides, normal);
    grzWide_LoadRows(lanes.floats, offsetof(grzTouch, friction) / 4, columns);
    grzF8 limit = columns[0], restitution = columns[1];
    for (uint32_t side = 0; side < sides; ++side)
        loadBody(work, lanes.bodies[side], normal, t1, &bodies[side]);
    grzF8 slide1 = grzF8_Zero(), slide2 = grzF8_Zero(), farthest = grzF8_Zero();
    for (uint32_t i = 0; i < points; ++i) {
        preparePoint(&block, &lanes, bodies, &surface, i, friction[i]);
        const uint32_t at = GRZ_FIRM_HEAD(sides, points) + i * GRZ_FIRM_POINT(sides) + 3 * sides + 1;
        grzF8 separation = grzWide_At(block.firm, at), early = grzF8_Set1(0.5f), zero = grzF8_Zero();
        farthest = grzF8_Max(farthest, separation);
        grzF8 met = grzF8_Select(grzF8_Greater(separation, zero), zero, early);
        grzWide_Put(block.kept, GRZ_KEPT_MET(points) + i, met);
        slide1 = grzF8_Add(slide1, friction[i][0]);
        slide2 = grzF8_Add(slide2, friction[i][1]);
    }
    for (uint32_t at = GRZ_SUMS(sides, points); at < (uint32_t)GRZ_RELAXED_SIZE(sides, points); ++at)
        grzWide_Put(block.relaxed, at, grzF8_Zero());
    for (uint32_t side = 0; side < sides; ++side)
        findMiddle(&bodies[side], points);
    prepareSlide(&block, bodies, &surface, limit, t1, slide1, slide2);
    if (points > 1) {
        Places places;
        findPlaces(&bodies[0], points, &places);
        prepareTwist(&block, bodies, &surface, &places, friction);
        prepareModes(work, &block, bodies, &places);
    }
    work->apartBlocks[batch->firstBlock + number] = grzM8_Any(grzF8_Greater(farthest, grzF8_Zero()));
    grzWide_Put(block.kept, 0, restitution);
    grzWide_Put(block.kept, 1, lanes.sign);
}

// ---- Finishing.

static void finishMet(const grzSolverWork* work, const uint32_t* placeOf, const float* met, uint32_t points,
                      uint32_t count) {
    for (uint32_t k = 0; k < count; ++k) {
        grzTouch* touch = grzTouch_At(work->units, placeOf[k]);
        for (uint32_t i = 0; i < points; ++i)
            touch->metIn[i] = touch->points[i].separation > 0.0f ? (uint8_t)met[8 * i + k] : 0;
    }
}

GRZ_SIMD_PART void finishBlock(const grzSolverWork* work, const grzTouchBatch* batch, uint32_t number,
                               uint32_t sides, uint32_t points) {
    const Block block = blockAt(work, batch, number, sides, points);
    const uint32_t* placeOf = work->lanePlaces + 8 * (size_t)(batch->firstBlock + number);
    const uint32_t count = grzTouchBatch_LanesIn(batch, number);
    float* to[8];
    for (uint32_t k = 0; k < 8; ++k)
        to[k] = k < count ? (float*)grzTouch_At(work->units, placeOf[k]) : NULL;
    const uint32_t impulses = 7 + 6 * sides;
    grzF8 share = grzF8_Set1(1.0f / (float)points), sign = grzWide_At(block.kept, 1);
    grzF8 slide1 = grzF8_Mul(grzWide_At(block.relaxed, impulses), share);
    grzF8 slide2 = grzF8_Mul(grzWide_At(block.relaxed, impulses + 1), share), twist = grzF8_Zero();
    if (points > 1)
        twist = grzWide_At(block.relaxed, GRZ_FRICTION_SIZE(sides) + 3 * sides + 2);
    for (uint32_t i = 0; i < points; ++i) {
        grzF8 along1 = slide1, along2 = slide2;
        if (points > 1) {
            along1 = grzF8_Sub(slide1, grzF8_Mul(twist, grzWide_At(block.kept, GRZ_KEPT_SHARES + points + i)));
            along2 = grzF8_Add(slide2, grzF8_Mul(twist, grzWide_At(block.kept, GRZ_KEPT_SHARES + i)));
        }
        const grzF8 row[4] = {
            grzWide_At(block.firm, GRZ_FIRM_HEAD(sides, points) + i * GRZ_FIRM_POINT(sides) + 3 * sides + 2),
            along1, grzF8_Xor(along2, sign), grzWide_At(block.relaxed, GRZ_SUMS(sides, points) + i)};
        grzWide_StoreRows(to, POINTS_AT + POINT_FLOATS * (size_t)i + 8, row, count);
    }
    if (work->apartBlocks[batch->firstBlock + number] != 0)
        finishMet(work, placeOf, block.kept + 8 * (size_t)GRZ_KEPT_MET(points), points, count);
}

// The sides are known where a form is compiled, and four points, which are the most frequent. Other points are counted as it runs: a form
// for each count is four times the code, and blocks are made once a step.
#define FORMS(Name)                                                                                                \
    static void Name##Form(const grzSolverWork* work, const grzTouchBatch* batch, uint32_t begin, uint32_t end) {  \
        for (uint32_t block = begin; block < end; ++block) {                                                       \
            if (block + 1 < end)                                                                                   \
                fetchTouches(work, batch, block + 1);                                                              \
            if (batch->sideCount == 2 && batch->pointCount == 4)                                                   \
                Name##Block(work, batch, block, 2, 4);                                                             \
            else if (batch->sideCount == 2)                                                                        \
                Name##Block(work, batch, block, 2, batch->pointCount);                                             \
            else                                                                                                   \
                Name##Block(work, batch, block, 1, batch->pointCount);                                             \
        }                                                                                                          \
    }
FORMS(prepare)
FORMS(finish)

void GRZ_KERNEL(grzPrepareTouches)(const grzSolverWork* work, const grzTouchBatch* batch, uint32_t begin,
                                   uint32_t end) {
    prepareForm(work, batch, begin, end);
}

void GRZ_KERNEL(grzFinishTouches)(const grzSolverWork* work, const grzTouchBatch* batch, uint32_t begin,
                                  uint32_t end) {
    finishForm(work, batch, begin, end);
}
