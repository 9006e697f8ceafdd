// What: the passes over bodies: from states to rows, forces, motion, and back to states.
// Idea: eight bodies at a time. What only these passes need lies in lanes already (grzBodyLanes); rows are transposed.
//
// Warm starting: all that the touches did to a body in one substep is what its velocity is after relaxing less what
// it was after gravity. Jacobians stay as they are for the whole step, so that adding this difference to the
// velocity after the next gravity is the same as applying all impulses anew, at one addition a body.
//
// Gyroscopic terms: Euler's equations in the body's frame are w' = a * (wy wz, wz wx, wx wy), with a.x = (Iy - Iz) / Ix and so on.
// A substep of length t is their implicit midpoint rule:
//
//   forces    c = w + t/2 * a * (cy cz, cz cx, cx cy)      three coupled equations, by Newton's method
//   motion    the body turns by t * c, as Cayley's map says; w = c + t/2 * a * (cy cz, cz cx, cx cy)
//
// The rule keeps all quadratic invariants: the energy and the length of the angular momentum. Cayley's map of the same c turns
// the momentum back by what the body turns, so that it stays the same vector in the world. This is exact but for rounding, at any
// spin: where a body turns too far for Newton's method, both lines use a part of t.
// Where touches or hooks have changed c in between, the second line is no mirror of the first, and could add energy. There the
// first is undone, and the substep is one of the implicit Euler method, which only takes energy away.
//
// Holds: rows of bodies that do not yield are never changed by touches. Those of bodies that do not move, and of
//        lanes past the last body, are zeros.
// Based on: [Austin, Krishnaprasad, Wang, Almost Poisson Integration of Rigid Body Systems, 1993]
// Tried and lost: the implicit Euler method at all times; spins are soon damped away.
#include "contact_rows.h"
#include "wide_vec.h"

enum { STATE_FLOATS = sizeof(grzBodyState) / 4, MASS_FLOATS = sizeof(grzBodyMass) / 4 };

// In place of the root of 0 about an axis on which nothing turns a body that yields: impulses change its spin by
// 2^-60 of what they would, which is below rounding, and the spin it has stays a finite number.
#define LOCKED_ROOT 0x1p-30f

// The greatest time * spin that is solved for. Up to it NEWTON_STEPS leave an error of 2^-24 for the moments of any solid; from 1 on
// there can be two solutions.
#define LONGEST_TURN 0.8f
enum { NEWTON_STEPS = 4 };

// Of the square of a rotation's length: far above rounding.
#define MOST_ERROR 0x1p-10f

static const grzBodyState noState = {.rotation = {0.0f, 0.0f, 0.0f, 1.0f}};
static const grzBodyMass noMass = {0};

typedef struct Lanes {
    const float* states[8];
    const float* masses[8];
    uint32_t count;
} Lanes;

// The rows of a block, to read and to write.
typedef struct Rows {
    const float* from[8];
    float* to[8];
} Rows;

static Rows rowsOf(const grzSolverWork* work, uint32_t block) {
    Rows rows;
    for (uint32_t k = 0; k < 8; ++k)
        rows.from[k] = rows.to[k] = (float*)&work->rows[8 * block + k];
    return rows;
}

static Lanes lanesOf(const grzSolverWork* work, uint32_t block) {
    Lanes lanes;
    const uint32_t left = work->bodyCount - 8 * block;
    lanes.count = left < 8 ? left : 8;
    for (uint32_t k = 0; k < 8; ++k) {
        const uint32_t body = 8 * block + k;
        lanes.states[k] = (const float*)(k < lanes.count ? &work->states[body] : &noState);
        lanes.masses[k] = (const float*)(k < lanes.count ? &work->masses[body] : &noMass);
    }
    return lanes;
}

GRZ_SIMD_PART grzWide3 load3(const float* const from[8], size_t at, grzF8* fourth) {
    grzF8 columns[4];
    grzWide_LoadRows(from, at, columns);
    *fourth = columns[3];
    return (grzWide3){columns[0], columns[1], columns[2]};
}

GRZ_SIMD_PART void store3(float* const to[8], size_t at, grzWide3 a, grzF8 fourth) {
    const grzF8 columns[4] = {a.x, a.y, a.z, fourth};
    grzWide_StoreRows(to, at, columns, 8);
}

GRZ_SIMD_INLINE grzWide3 lane3(const float* from) {
    return grzWide3_At(from, 0);
}
GRZ_SIMD_INLINE void putLane3(float* to, grzWide3 a) {
    grzWide3_Put(to, 0, a);
}
GRZ_SIMD_INLINE void addToLane3(float* to, grzWide3 a) {
    putLane3(to, grzWide3_Add(lane3(to), a));
}

GRZ_SIMD_INLINE grzM8 hasFlag(grzI8 flags, int32_t flag) {
    return grzM8_Not(grzI8_Equal(grzI8_And(flags, grzI8_Set1(flag)), grzI8_Zero()));
}

GRZ_SIMD_PART grzM8 isFinite3(grzWide3 a) {
    grzF8 most = grzF8_Set1(FLT_MAX);
    return grzM8_And(grzM8_And(grzF8_LessEqual(grzF8_Abs(a.x), most), grzF8_LessEqual(grzF8_Abs(a.y), most)),
                     grzF8_LessEqual(grzF8_Abs(a.z), most));
}
GRZ_SIMD_INLINE grzM8 isFinite(grzF8 a) {
    return grzF8_LessEqual(grzF8_Abs(a), grzF8_Set1(FLT_MAX));
}

// ---- From states to rows.

typedef struct Given {
    grzWide3 center, velocity, spin, inertia;
    grzF8 rotation[4];
    grzF8 inverseMass, gravity, keptSpeed, keptSpin;
    grzM8 moves, yields, gyrates;
} Given;

GRZ_SIMD_PART Given given(const grzSolverWork* work, const Lanes* lanes) {
    Given given;
    grzF8 columns[4], pad, zero = grzF8_Zero(), one = grzF8_Set1(1.0f), time = grzF8_Set1(work->time);
    given.center = load3(lanes->states, 0, &pad);
    grzWide_LoadRows(lanes->states, 4, given.rotation);
    given.velocity = load3(lanes->states, 8, &pad);
    given.spin = load3(lanes->states, 12, &pad);
    grzWide_LoadRows(lanes->masses, 0, columns);
    given.inverseMass = columns[0];
    given.inertia = (grzWide3){columns[1], columns[2], columns[3]};
    grzWide_LoadRows(lanes->masses, 4, columns);
    grzI8 flags = grzF8_AsInt(columns[3]);
    given.moves = hasFlag(flags, grz_bodyMoves);
    given.yields = grzM8_And(given.moves, hasFlag(flags, grz_bodyYields));
    given.gyrates = grzM8_And(given.yields, hasFlag(flags, grz_bodyGyrates));
    given.gyrates = grzM8_And(given.gyrates, grzF8_Greater(given.inertia.x, zero));
    given.gyrates = grzM8_And(
        given.gyrates, grzM8_And(grzF8_Greater(given.inertia.y, zero), grzF8_Greater(given.inertia.z, zero)));
    given.gravity = grzF8_Select(given.yields, columns[0], zero);
    given.keptSpeed = grzF8_Div(one, grzF8_Add(one, grzF8_Mul(time, columns[1])));
    given.keptSpin = grzF8_Div(one, grzF8_Add(one, grzF8_Mul(time, columns[2])));
    given.keptSpeed = grzF8_Select(given.yields, given.keptSpeed, one);
    given.keptSpin = grzF8_Select(given.yields, given.keptSpin, one);
    return given;
}

GRZ_SIMD_PART grzM8 isGivenFinite(const Given* given) {
    grzM8 good = grzM8_And(isFinite3(given->center), grzM8_And(isFinite3(given->velocity), isFinite3(given->spin)));
    for (int k = 0; k < 4; ++k)
        good = grzM8_And(good, isFinite(given->rotation[k]));
    good = grzM8_And(good, grzM8_And(isFinite(given->inverseMass), isFinite3(given->inertia)));
    return grzM8_And(good, grzM8_And(isFinite(given->gravity),
                                     grzM8_And(isFinite(given->keptSpeed), isFinite(given->keptSpin))));
}

GRZ_SIMD_INLINE grzF8 rootOf(grzF8 inertia, grzM8 yields) {
    grzF8 zero = grzF8_Zero(), locked = grzF8_Select(yields, grzF8_Set1(LOCKED_ROOT), grzF8_Set1(1.0f));
    grzM8 turns = grzM8_And(yields, grzF8_Greater(inertia, zero));
    return grzF8_Select(turns, grzF8_Sqrt(inertia), locked);
}

// (Ij - Ik) / Ii, from the inverses. No moment of a solid is above the sum of the others, so this is between -1 and 1; the rounded
// moments of a needle need not be.
GRZ_SIMD_INLINE grzF8 coupling(grzF8 i, grzF8 j, grzF8 k) {
    grzF8 one = grzF8_Set1(1.0f), ratio = grzF8_Mul(grzF8_Div(grzF8_Sub(k, j), j), grzF8_Div(i, k));
    return grzF8_Max(grzF8_Min(ratio, one), grzF8_Set1(-1.0f));
}

GRZ_SIMD_PART grzWide3 couplingOf(grzWide3 inverse) {
    return (grzWide3){coupling(inverse.x, inverse.y, inverse.z), coupling(inverse.y, inverse.z, inverse.x),
                      coupling(inverse.z, inverse.x, inverse.y)};
}

GRZ_SIMD_PART void beginBlock(const grzSolverWork* work, uint32_t block) {
    const Lanes lanes = lanesOf(work, block);
    const Rows rows = rowsOf(work, block);
    const Given g = given(work, &lanes);
    grzF8 zero = grzF8_Zero();
    work->badLanes[block] = (uint8_t)~grzM8_Bits(isGivenFinite(&g));
    grzWide3 root = {rootOf(g.inertia.x, g.yields), rootOf(g.inertia.y, g.yields), rootOf(g.inertia.z, g.yields)};
    grzF8 inverseMass = grzF8_Select(g.yields, g.inverseMass, zero);
    grzWideMat3 rotation = grzWideMat3_FromQuat(g.rotation[0], g.rotation[1], g.rotation[2], g.rotation[3]);
    grzWide3 spin = grzWide3_Div(grzWideMat3_ApplyTransposed(&rotation, g.spin), root);
    store3(rows.to, 0, grzWide3_Select(g.moves, g.velocity, grzWide3_Zero()), inverseMass);
    store3(rows.to, 4, grzWide3_Select(g.moves, spin, grzWide3_Zero()), zero);
    store3(rows.to, 8, grzWide3_Zero(), zero);
    store3(rows.to, 12, grzWide3_Zero(), zero);
    float* frames[8];
    for (uint32_t k = 0; k < 8; ++k)
        frames[k] = (float*)&work->frames[8 * block + k];
    store3(frames, 0, root, inverseMass);
    grzWide_StoreRows(frames, 4, g.rotation, 8);
    grzBodyLanes* own = &work->lanes[block];
    memset(own->shift, 0, sizeof own->shift + sizeof own->turned);
    grzWide_Put(own->turned, 3, grzF8_Set1(1.0f));
    putLane3(own->root, root);
    grzWide_Put(own->gravity, 0, g.gravity);
    grzWide_Put(own->keptSpeed, 0, g.keptSpeed);
    grzWide_Put(own->keptSpin, 0, g.keptSpin);
    putLane3(own->coupling, grzWide3_Select(g.gyrates, couplingOf(g.inertia), grzWide3_Zero()));
}

// ---- Forces.

typedef struct Turn {
    grzWide3 v;
    grzF8 w;
} Turn;

GRZ_SIMD_INLINE Turn loadTurn(const grzBodyLanes* lanes) {
    return (Turn){lane3(lanes->turned), grzWide_At(lanes->turned, 3)};
}

// As grzQuat_Rotate.
GRZ_SIMD_PART grzWide3 rotate(Turn q, grzWide3 a) {
    grzWide3 c = grzWide3_Cross(q.v, a), t = grzWide3_Add(c, c);
    return grzWide3_Add(grzWide3_AddScaled(a, q.w, t), grzWide3_Cross(q.v, t));
}

GRZ_SIMD_INLINE grzM8 gyrates(const grzBodyLanes* own) {
    grzWide3 coupling = lane3(own->coupling);
    grzF8 zero = grzF8_Zero(); // of different moments, two couplings are not 0
    return grzM8_Not(grzM8_And(grzF8_Equal(coupling.x, zero), grzF8_Equal(coupling.y, zero)));
}

// The part of the substep that a turn can be solved for.
GRZ_SIMD_INLINE grzF8 shareOf(grzWide3 turn) {
    grzF8 length = grzF8_Sqrt(grzWide3_Dot(turn, turn));
    return grzF8_Min(grzF8_Set1(1.0f), grzF8_Div(grzF8_Set1(LONGEST_TURN), length));
}

// What gyroscopic terms add to time * spin in that time.
GRZ_SIMD_INLINE grzWide3 gyration(grzWide3 coupling, grzWide3 h) {
    return (grzWide3){grzF8_Mul(coupling.x, grzF8_Mul(h.y, h.z)), grzF8_Mul(coupling.y, grzF8_Mul(h.z, h.x)),
                      grzF8_Mul(coupling.z, grzF8_Mul(h.x, h.y))};
}

// A Newton step on h = start + gyration(h).
GRZ_SIMD_PART grzWide3 newtonStep(grzWide3 coupling, grzWide3 start, grzWide3 h) {
    grzWide3 error = grzWide3_Sub(grzWide3_Sub(h, gyration(coupling, h)), start);
    grzF8 one = grzF8_Set1(1.0f);
    grzWide3 c = grzWide3_Scale(coupling, grzF8_Set1(-1.0f));
    // The columns of the derivative of h - gyration(h).
    grzWide3 x = {one, grzF8_Mul(c.y, h.z), grzF8_Mul(c.z, h.y)};
    grzWide3 y = {grzF8_Mul(c.x, h.z), one, grzF8_Mul(c.z, h.x)};
    grzWide3 z = {grzF8_Mul(c.x, h.y), grzF8_Mul(c.y, h.x), one};
    grzWide3 yz = grzWide3_Cross(y, z);
    grzF8 scale = grzF8_Div(one, grzWide3_Dot(x, yz));
    grzWide3 change = {grzWide3_Dot(error, yz), grzWide3_Dot(x, grzWide3_Cross(error, z)),
                       grzWide3_Dot(x, grzWide3_Cross(y, error))};
    return grzWide3_SubScaled(h, scale, change);
}

// The change of the solution of h = start + gyration(h) from start.
GRZ_SIMD_PART grzWide3 implicitChange(grzWide3 coupling, grzWide3 start) {
    grzWide3 h = start;
    for (int i = 0; i < NEWTON_STEPS; ++i)
        h = newtonStep(coupling, start, h);
    return grzWide3_Sub(h, start);
}

GRZ_SIMD_INLINE grzWide3 halfTurnOf(const grzSolverWork* work, const grzBodyLanes* own, grzWide3 spin) {
    return grzWide3_Scale(grzWide3_Mul(lane3(own->root), spin), grzF8_Set1(0.5f * work->time));
}

// The reverse; -0, which changes no byte, for bodies that do not gyrate.
GRZ_SIMD_INLINE grzWide3 spinOf(const grzSolverWork* work, const grzBodyLanes* own, grzWide3 halfTurn) {
    grzF8 none = grzF8_Set1(-0.0f);
    grzWide3 scale = grzWide3_Scale(lane3(own->root), grzF8_Set1(0.5f * work->time));
    return grzWide3_Select(gyrates(own), grzWide3_Div(halfTurn, scale), (grzWide3){none, none, none});
}

GRZ_SIMD_PART grzWide3 gyrateFirst(const grzSolverWork* work, grzBodyLanes* own, grzWide3 spin) {
    const grzWide3 halfTurn = halfTurnOf(work, own, spin);
    const grzF8 share = shareOf(halfTurn);
    const grzWide3 change = implicitChange(lane3(own->coupling), grzWide3_Scale(halfTurn, share));
    grzWide_Put(own->share, 0, share);
    return grzWide3_Add(spin, spinOf(work, own, grzWide3_Div(change, (grzWide3){share, share, share})));
}

// What the first half has changed, again.
GRZ_SIMD_PART grzWide3 firstChange(const grzSolverWork* work, const grzBodyLanes* own) {
    const grzF8 share = grzWide_At(own->share, 0);
    const grzWide3 halfTurn = halfTurnOf(work, own, lane3(own->middle));
    return grzWide3_Scale(gyration(lane3(own->coupling), halfTurn), share);
}

// Instead of both halves, where the spin has changed in between.
GRZ_SIMD_PART grzWide3 wholeChange(const grzBodyLanes* own, grzWide3 halfTurn) {
    const grzWide3 turn = grzWide3_Add(halfTurn, halfTurn);
    const grzF8 share = shareOf(turn), twice = grzF8_Add(share, share);
    const grzWide3 change = implicitChange(lane3(own->coupling), grzWide3_Scale(turn, share));
    return grzWide3_Div(change, (grzWide3){twice, twice, twice});
}

// Returns the half turn that the body makes, in the frame of the step's start.
GRZ_SIMD_PART grzWide3 gyrateSecond(const grzSolverWork* work, uint32_t block, grzWide3 halfTurn) {
    grzBodyLanes* own = &work->lanes[block];
    const Rows rows = rowsOf(work, block);
    grzF8 pad;
    const grzWide3 spin = load3(rows.from, 4, &pad), middle = lane3(own->middle);
    const grzM8 isSame = grzM8_And(grzF8_Equal(spin.x, middle.x),
                                   grzM8_And(grzF8_Equal(spin.y, middle.y), grzF8_Equal(spin.z, middle.z)));
    const grzWide3 first = firstChange(work, own);
    grzWide3 change = first;
    if (grzM8_Any(grzM8_And(gyrates(own), grzM8_Not(isSame)))) {
        const grzWide3 whole = wholeChange(own, grzWide3_Sub(halfTurn, first));
        change = grzWide3_Select(isSame, first, grzWide3_Sub(whole, first));
    }
    change = spinOf(work, own, change);
    store3(rows.to, 4, grzWide3_Add(spin, change), grzF8_Zero());
    addToLane3(own->spin, change); // neither touches nor forces have made this change
    addToLane3(own->spinBefore, change);
    // Made for the spin that touches have left, the change may add energy to that without touches: they seem to have taken it.
    const grzWide3 start = grzWide3_Sub(middle, spinOf(work, own, first)), loose = grzWide3_Add(middle, change);
    const grzF8 gain =
        grzF8_Mul(grzF8_Set1(0.5f), grzF8_Sub(grzWide3_Dot(loose, loose), grzWide3_Dot(start, start)));
    const grzF8 debt = grzF8_Select(isSame, grzF8_Zero(), grzF8_Max(gain, grzF8_Zero()));
    const grzWide3 turn = load3(rows.from, 12, &pad);
    store3(rows.to, 12, turn, debt);
    const grzF8 share = grzF8_Select(isSame, grzWide_At(own->share, 0), grzF8_Set1(1.0f));
    return grzWide3_Select(gyrates(own), rotate(loadTurn(own), grzWide3_Scale(halfTurn, share)), halfTurn);
}

GRZ_SIMD_PART void forceBlock(const grzSolverWork* work, uint32_t block) {
    grzBodyLanes* own = &work->lanes[block];
    const Rows rows = rowsOf(work, block);
    grzF8 inverseMass, pad;
    grzWide3 velocity = load3(rows.from, 0, &inverseMass), spin = load3(rows.from, 4, &pad);
    grzWide3 pushed = grzWide3_Zero(), turned = grzWide3_Zero();
    putLane3(own->velocityBefore, velocity);
    putLane3(own->spinBefore, spin);
    if (!work->isFirst) {
        pushed = grzWide3_Sub(velocity, lane3(own->velocity));
        turned = grzWide3_Sub(spin, lane3(own->spin));
    }
    grzF8 time = grzF8_Mul(grzF8_Set1(work->time), grzWide_At(own->gravity, 0));
    grzWide3 gravity = {grzF8_Set1(work->gravity.x), grzF8_Set1(work->gravity.y), grzF8_Set1(work->gravity.z)};
    velocity = grzWide3_Scale(grzWide3_AddScaled(velocity, time, gravity), grzWide_At(own->keptSpeed, 0));
    if (grzM8_Any(gyrates(own))) {
        const grzWide3 after = gyrateFirst(work, own, spin);
        addToLane3(own->spinBefore, grzWide3_Sub(after, spin));
        spin = after;
    }
    spin = grzWide3_Scale(spin, grzWide_At(own->keptSpin, 0));
    putLane3(own->middle, spin);
    putLane3(own->velocity, velocity);
    putLane3(own->spin, spin);
    store3(rows.to, 0, grzWide3_Add(velocity, pushed), inverseMass);
    store3(rows.to, 4, grzWide3_Add(spin, turned), grzF8_Zero());
}

// ---- Motion.

GRZ_SIMD_PART void moveBlock(const grzSolverWork* work, uint32_t block) {
    grzBodyLanes* own = &work->lanes[block];
    const Rows rows = rowsOf(work, block);
    grzF8 pad, time = grzF8_Set1(work->time), zero = grzF8_Zero();
    grzWide3 motion = grzWide3_Scale(load3(rows.from, 0, &pad), time);
    grzWide3 turn = grzWide3_Scale(load3(rows.from, 4, &pad), time);
    store3(rows.to, 8, motion, zero);
    store3(rows.to, 12, turn, zero);
    putLane3(own->shift, grzWide3_Add(lane3(own->shift), motion));
    // q + half the angle * q, made unit again.
    const Turn q = loadTurn(own);
    grzWide3 half = grzWide3_Scale(grzWide3_Mul(lane3(own->root), turn), grzF8_Set1(0.5f));
    if (grzM8_Any(gyrates(own)))
        half = gyrateSecond(work, block, half);
    grzWide3 v = grzWide3_Add(q.v, grzWide3_Add(grzWide3_Scale(half, q.w), grzWide3_Cross(half, q.v)));
    grzF8 w = grzF8_Sub(q.w, grzWide3_Dot(half, q.v));
    grzF8 length = grzF8_Sqrt(grzF8_Add(grzWide3_Dot(v, v), grzF8_Mul(w, w)));
    putLane3(own->turned, grzWide3_Div(v, (grzWide3){length, length, length}));
    grzWide_Put(own->turned, 3, grzF8_Div(w, length));
}

// ---- And back.

typedef struct Found {
    grzWide3 center, velocity, spin;
    grzF8 rotation[4];
    grzF8 error; // by how much the square of the rotation's length was below 1
} Found;

GRZ_SIMD_PART Found find(const grzSolverWork* work, uint32_t block, const Lanes* lanes) {
    const grzBodyLanes* own = &work->lanes[block];
    Found found;
    grzF8 pad, q[4];
    found.center = grzWide3_Add(load3(lanes->states, 0, &pad), lane3(own->shift));
    grzWide_LoadRows(lanes->states, 4, q);
    const Rows rows = rowsOf(work, block);
    found.velocity = load3(rows.from, 0, &pad);
    grzWideMat3 rotation = grzWideMat3_FromQuat(q[0], q[1], q[2], q[3]);
    const Turn by = loadTurn(own);
    grzWide3 spin = grzWide3_Mul(lane3(own->root), load3(rows.from, 4, &pad));
    if (grzM8_Any(gyrates(own)))
        spin = grzWide3_Select(gyrates(own), rotate(by, spin), spin);
    found.spin = grzWideMat3_Apply(&rotation, spin);
    // As grzQuat_Multiply.
    grzWide3 u = {q[0], q[1], q[2]};
    grzWide3 v =
        grzWide3_Add(grzWide3_Add(grzWide3_Scale(by.v, q[3]), grzWide3_Scale(u, by.w)), grzWide3_Cross(u, by.v));
    grzF8 w = grzF8_Sub(grzF8_Mul(q[3], by.w), grzWide3_Dot(u, by.v));
    // Both are unit but for rounding, so the inverse of the length is 1 + error / 2. A root and quotients leave squares of the length
    // that are 2^-24 too large on average, and spins grow by that in each step, as they go to the body's frame and back.
    grzF8 error = grzF8_Sub(grzF8_Set1(1.0f), grzF8_Add(grzWide3_Dot(v, v), grzF8_Mul(w, w)));
    grzF8 half = grzF8_Mul(grzF8_Set1(0.5f), error);
    v = grzWide3_AddScaled(v, half, v);
    found.rotation[0] = v.x;
    found.rotation[1] = v.y;
    found.rotation[2] = v.z;
    found.rotation[3] = grzF8_Add(w, grzF8_Mul(half, w));
    found.error = error;
    return found;
}

GRZ_SIMD_PART void checkBlock(const grzSolverWork* work, uint32_t block) {
    const Lanes lanes = lanesOf(work, block);
    const Found found = find(work, block, &lanes);
    grzM8 good = grzM8_And(isFinite3(found.center), grzM8_And(isFinite3(found.velocity), isFinite3(found.spin)));
    // A turn by a number beyond floats leaves a rotation of zeros.
    good = grzM8_And(good, grzF8_LessEqual(grzF8_Abs(found.error), grzF8_Set1(MOST_ERROR)));
    work->badLanes[block] = (uint8_t)~grzM8_Bits(good);
}

// Bodies that do not move keep their bytes, and those that do not yield their velocities.
GRZ_SIMD_PART void finishBlock(const grzSolverWork* work, uint32_t block) {
    const Lanes lanes = lanesOf(work, block);
    const Found found = find(work, block, &lanes);
    grzBodyState after[8];
    float* to[8];
    for (uint32_t k = 0; k < 8; ++k)
        to[k] = (float*)&after[k];
    store3(to, 0, found.center, grzF8_Zero());
    grzWide_StoreRows(to, 4, found.rotation, 8);
    store3(to, 8, found.velocity, grzF8_Zero());
    store3(to, 12, found.spin, grzF8_Zero());
    for (uint32_t k = 0; k < lanes.count; ++k) {
        const uint32_t flags = work->masses[8 * block + k].flags;
        grzBodyState* state = &work->states[8 * block + k];
        if ((flags & grz_bodyMoves) == 0)
            continue;
        if ((flags & grz_bodyYields) == 0) {
            after[k].velocity = state->velocity;
            after[k].spin = state->spin;
        }
        *state = after[k];
    }
}

void GRZ_KERNEL(grzPassBodies)(const grzSolverWork* work, grzBodyPass pass, uint32_t begin, uint32_t end) {
    for (uint32_t block = begin; block < end; ++block) {
        switch (pass) {
        case grz_bodiesBegin:
            beginBlock(work, block);
            break;
        case grz_bodiesForce:
            forceBlock(work, block);
            break;
        case grz_bodiesMove:
            moveBlock(work, block);
            break;
        case grz_bodiesCheck:
            checkBlock(work, block);
            break;
        case grz_bodiesFinish:
        default:
            finishBlock(work, block);
            break;
        }
    }
}
