// What: the passes over bodies: from states to rows, forces, motion, and back to states.
// Idea: eight bodies at a time. What only these passes need lies in lanes already (grzBodyLanes); rows are transposed.
//
// Warm starting: all that the touches did to a body in one substep is what its velocity is after relaxing less what
// it was after gravity. Jacobians stay as they are for the whole step, so that adding this difference to the
// velocity after the next gravity is the same as applying all impulses anew, at one addition a body.
//
// Holds: rows of bodies that do not yield are never changed by touches. Those of bodies that do not move, and of
//        lanes past the last body, are zeros.
// Based on: [Catto, Numerical Methods, GDC 2015] for the implicit gyroscopic step.
#include "contact_rows.h"
#include "wide_vec.h"

enum { STATE_FLOATS = sizeof(grzBodyState) / 4, MASS_FLOATS = sizeof(grzBodyMass) / 4 };

// In place of the root of 0 about an axis on which nothing turns a body that yields: impulses change its spin by
// 2^-60 of what they would, which is below rounding, and the spin it has stays a finite number.
#define LOCKED_ROOT 0x1p-30f

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
    grzI8_StoreAligned(own->gyrates, grzI8_Select(g.gyrates, grzI8_Set1(-1), grzI8_Zero()));
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

// One Newton step on I (w1 - w0) + time * w1 x I w1 = 0 from w1 = w0, in the body's frame as it is now; stable for
// any spin. Inertia counts by its proportions alone, and is taken as such, lest the determinant of what is very small or very large
// leave the range of floats.
GRZ_SIMD_PART grzWide3 gyrate(const grzSolverWork* work, const grzBodyLanes* lanes, grzWide3 root, grzWide3 spin) {
    const Turn q = loadTurn(lanes), back = {grzWide3_Scale(q.v, grzF8_Set1(-1.0f)), q.w};
    grzWide3 w = rotate(back, grzWide3_Mul(root, spin));
    grzF8 one = grzF8_Set1(1.0f), time = grzF8_Set1(work->time);
    const grzWide3 yield = grzWide3_Mul(root, root);
    const grzF8 least = grzF8_Min(yield.x, grzF8_Min(yield.y, yield.z));
    grzWide3 inertia = grzWide3_Div((grzWide3){least, least, least}, yield);
    grzWide3 momentum = grzWide3_Mul(inertia, w);
    grzWide3 error = grzWide3_Scale(grzWide3_Cross(w, momentum), time);
    // The columns of I + time * (skew(w) I - skew(I w)).
    grzWide3 h = grzWide3_Scale(w, time), m = grzWide3_Scale(momentum, time);
    grzWide3 x = {inertia.x, grzF8_Sub(grzF8_Mul(h.z, inertia.x), m.z), grzF8_Sub(m.y, grzF8_Mul(h.y, inertia.x))};
    grzWide3 y = {grzF8_Sub(m.z, grzF8_Mul(h.z, inertia.y)), inertia.y, grzF8_Sub(grzF8_Mul(h.x, inertia.y), m.x)};
    grzWide3 z = {grzF8_Sub(grzF8_Mul(h.y, inertia.z), m.y), grzF8_Sub(m.x, grzF8_Mul(h.x, inertia.z)), inertia.z};
    grzWide3 yz = grzWide3_Cross(y, z);
    grzF8 scale = grzF8_Div(one, grzWide3_Dot(x, yz));
    grzWide3 change = {grzWide3_Dot(error, yz), grzWide3_Dot(x, grzWide3_Cross(error, z)),
                       grzWide3_Dot(x, grzWide3_Cross(y, error))};
    w = grzWide3_SubScaled(w, scale, change);
    grzWide3 after = grzWide3_Div(rotate(q, w), root);
    return grzWide3_Select(grzI8_Less(grzI8_LoadAligned(lanes->gyrates), grzI8_Zero()), after, spin);
}

GRZ_SIMD_PART void forceBlock(const grzSolverWork* work, uint32_t block) {
    grzBodyLanes* own = &work->lanes[block];
    const Rows rows = rowsOf(work, block);
    grzF8 inverseMass, pad;
    grzWide3 velocity = load3(rows.from, 0, &inverseMass), spin = load3(rows.from, 4, &pad);
    grzWide3 pushed = grzWide3_Zero(), turned = grzWide3_Zero();
    if (!work->isFirst) {
        pushed = grzWide3_Sub(velocity, lane3(own->velocity));
        turned = grzWide3_Sub(spin, lane3(own->spin));
    }
    grzF8 time = grzF8_Mul(grzF8_Set1(work->time), grzWide_At(own->gravity, 0));
    grzWide3 gravity = {grzF8_Set1(work->gravity.x), grzF8_Set1(work->gravity.y), grzF8_Set1(work->gravity.z)};
    velocity = grzWide3_Scale(grzWide3_AddScaled(velocity, time, gravity), grzWide_At(own->keptSpeed, 0));
    if (grzM8_Any(grzI8_Less(grzI8_LoadAligned(own->gyrates), grzI8_Zero())))
        spin = gyrate(work, own, lane3(own->root), spin);
    spin = grzWide3_Scale(spin, grzWide_At(own->keptSpin, 0));
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
    found.spin = grzWideMat3_Apply(&rotation, grzWide3_Mul(lane3(own->root), load3(rows.from, 4, &pad)));
    // As grzQuat_Multiply and grzQuat_Normalize.
    const Turn by = loadTurn(own);
    grzWide3 u = {q[0], q[1], q[2]};
    grzWide3 v =
        grzWide3_Add(grzWide3_Add(grzWide3_Scale(by.v, q[3]), grzWide3_Scale(u, by.w)), grzWide3_Cross(u, by.v));
    grzF8 w = grzF8_Sub(grzF8_Mul(q[3], by.w), grzWide3_Dot(u, by.v));
    grzF8 length = grzF8_Sqrt(grzF8_Add(grzWide3_Dot(v, v), grzF8_Mul(w, w)));
    v = grzWide3_Div(v, (grzWide3){length, length, length});
    found.rotation[0] = v.x;
    found.rotation[1] = v.y;
    found.rotation[2] = v.z;
    found.rotation[3] = grzF8_Div(w, length);
    return found;
}

GRZ_SIMD_PART void checkBlock(const grzSolverWork* work, uint32_t block) {
    const Lanes lanes = lanesOf(work, block);
    const Found found = find(work, block, &lanes);
    grzM8 good = grzM8_And(isFinite3(found.center), grzM8_And(isFinite3(found.velocity), isFinite3(found.spin)));
    for (int k = 0; k < 4; ++k)
        good = grzM8_And(good, isFinite(found.rotation[k]));
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
