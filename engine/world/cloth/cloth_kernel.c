// What: the loops of a substep of cloth over particles and constraints, eight lanes at a time.
// Promise: the same bytes at every SIMD level: one formula in one order, no estimates.
// Idea: positions are rows of four floats, the inverse mass in the fourth, so that eight particles come by eight loads and a
//       transposition and go back the same way. A group's particles are all different, so the lanes do not meet.
//       A pair of triangles is bent by the angle t where the vector
//
//           K = u2 + u3,   |K| = 2 sin(t / 2)              x2 ---- edge ---- x3
//                                                            u2 <--|--> u3
//       with u2, u3 the unit vectors from the edge to x2 and x3 at right angles to it. In the frame of the rest shape
//       that is a fixed linear combination of the four vertices, and while triangles keep their shape it stays so in any
//       pose. So bending costs no cross product and no angle, and its gradient never vanishes: a flat cloth yields to no
//       special case. A rest angle needs the side to which K points: that of the normal (x1 - x0) x (x3 - x2).
// Holds: rows are multiples of eight; no two lanes of a group name one particle but the row of rest.
// Cost: about 2 ns a stretch and 4 a bend at AVX-512, bound by the loads and stores of rows.
// Based on: [Macklin, Mueller, Chentanez, XPBD: Position-Based Simulation of Compliant Constrained Dynamics, MIG 2016];
//       [Bergou, Wardetzky, Harmon, Zorin, Grinspun, A Quadratic Bending Model for Inextensible Surfaces, SGP 2006], whose
//       linear form K is; [Kim, Chentanez, Mueller-Fischer, Long Range Attachments, SCA 2012]. We differ: K itself is the
//       constraint, not its square, so that compliance is of an angle.
#include "cloth_kernel.h"

#include "simd.h"

// Speeds beyond this are cut off, per axis: no step can take a position beyond the range of float.
#define CLOTH_MOST_SPEED 1e12f
// Bends below this many radians have their rest angle approached in proportion: they have no direction to speak of.
#define CLOTH_LEAST_BEND 0.01f

typedef struct Rows8 {
    grzF8 column[4]; // x, y, z, inverse mass
} Rows8;

GRZ_SIMD_PART Rows8 gatherRows(const float* rows, const int32_t* index) {
    Rows8 found;
    grzF8_GatherRows4(rows, grzI8_Load(index), found.column);
    return found;
}

GRZ_SIMD_PART void scatterRows(float* rows, const int32_t* index, const Rows8* of) {
    float block[32];
    grzF8_StoreRows4(block, of->column);
    for (int lane = 0; lane < 8; ++lane)
        grzF4_Store(rows + 4 * (ptrdiff_t)index[lane], grzF4_Load(block + 4 * lane));
}

GRZ_SIMD_PART void addScaled(Rows8* rows, grzF8 scale, const grzF8 direction[3]) {
    for (int axis = 0; axis < 3; ++axis)
        rows->column[axis] = grzF8_Add(rows->column[axis], grzF8_Mul(scale, direction[axis]));
}

GRZ_SIMD_PART grzF8 dot3(const grzF8 a[3], const grzF8 b[3]) {
    return grzF8_Add(grzF8_Add(grzF8_Mul(a[0], b[0]), grzF8_Mul(a[1], b[1])), grzF8_Mul(a[2], b[2]));
}

// A quotient beyond this is of a lane where nothing yields, or so little that no float holds what it would take: the compliance alone
// is no weight to move.
#define CLOTH_MOST_QUOTIENT 1e36f

// a / b where b is above 0 and the quotient is not beyond the most, else 0.
GRZ_SIMD_INLINE grzF8 divideOrZero(grzF8 a, grzF8 b) {
    const grzF8 least = grzF8_Mul(grzF8_Abs(a), grzF8_Set1(1 / CLOTH_MOST_QUOTIENT));
    const grzM8 good = grzM8_And(grzF8_Greater(b, least), grzF8_Greater(b, grzF8_Zero()));
    return grzF8_Select(good, grzF8_Div(a, grzF8_Select(good, b, grzF8_Set1(1.0f))), grzF8_Zero());
}

typedef struct Flight8 {
    Rows8 now, before, velocity;
    grzM8 isFree;
} Flight8;

GRZ_SIMD_PART Flight8 loadFlight(const ClothFlight* flight, uint32_t row) {
    Flight8 rows;
    grzF8_LoadRows4(flight->now + (size_t)4 * row, rows.now.column);
    grzF8_LoadRows4(flight->before + (size_t)4 * row, rows.before.column);
    grzF8_LoadRows4(flight->velocity + (size_t)4 * row, rows.velocity.column);
    rows.isFree = grzF8_Greater(rows.now.column[3], grzF8_Zero());
    return rows;
}

void GRZ_KERNEL(grzClothFly)(const ClothFlight* flight, uint32_t begin, uint32_t end) {
    const grzF8 keep = grzF8_Set1(flight->keep), h = grzF8_Set1(flight->h);
    for (uint32_t row = begin; row < end; row += 8) {
        Flight8 rows = loadFlight(flight, row);
        grzF8_StoreRows4(flight->before + (size_t)4 * row, rows.now.column);
        for (int axis = 0; axis < 3; ++axis) {
            const grzF8 at = rows.now.column[axis];
            const grzF8 speed =
                grzF8_Add(grzF8_Mul(rows.velocity.column[axis], keep), grzF8_Set1(flight->pull[axis]));
            rows.velocity.column[axis] = grzF8_Select(rows.isFree, speed, grzF8_Zero());
            rows.now.column[axis] = grzF8_Select(rows.isFree, grzF8_Add(at, grzF8_Mul(h, speed)), at);
        }
        grzF8_StoreRows4(flight->velocity + (size_t)4 * row, rows.velocity.column);
        grzF8_StoreRows4(flight->now + (size_t)4 * row, rows.now.column);
    }
}

void GRZ_KERNEL(grzClothSpeed)(const ClothFlight* flight, uint32_t begin, uint32_t end) {
    const grzF8 h = grzF8_Set1(flight->h), rate = grzF8_Set1(flight->rate);
    const grzF8 most = grzF8_Set1(CLOTH_MOST_SPEED);
    for (uint32_t row = begin; row < end; row += 8) {
        Flight8 rows = loadFlight(flight, row);
        for (int axis = 0; axis < 3; ++axis) {
            const grzF8 own = rows.velocity.column[axis]; // 0 where the row is not free
            const grzF8 flown = grzF8_Add(rows.before.column[axis], grzF8_Mul(h, own));
            const grzF8 speed = grzF8_Add(own, grzF8_Mul(grzF8_Sub(rows.now.column[axis], flown), rate));
            rows.velocity.column[axis] = grzF8_Max(grzF8_Min(speed, most), grzF8_Negate(most));
        }
        grzF8_StoreRows4(flight->velocity + (size_t)4 * row, rows.velocity.column);
    }
}

bool GRZ_KERNEL(grzClothStretch)(float* now, const ClothStretch8* groups, uint32_t count, float softness) {
    const grzF8 soft = grzF8_Set1(softness);
    grzF8 most = grzF8_Zero(); // by what share of its length an edge is too long
    for (uint32_t i = 0; i < count; ++i) {
        const ClothStretch8* group = &groups[i];
        Rows8 a = gatherRows(now, group->a), b = gatherRows(now, group->b);
        grzF8 d[3];
        for (int axis = 0; axis < 3; ++axis)
            d[axis] = grzF8_Sub(a.column[axis], b.column[axis]);
        const grzF8 length = grzF8_Sqrt(dot3(d, d));
        const grzF8 excess = grzF8_Sub(length, grzF8_Load(group->rest));
        const grzF8 weight = grzF8_Add(grzF8_Add(a.column[3], b.column[3]), soft);
        const grzF8 pull = divideOrZero(excess, grzF8_Mul(length, weight));
        most = grzF8_Max(most, grzF8_Mul(pull, weight));
        addScaled(&a, grzF8_Negate(grzF8_Mul(pull, a.column[3])), d);
        addScaled(&b, grzF8_Mul(pull, b.column[3]), d);
        scatterRows(now, group->a, &a);
        scatterRows(now, group->b, &b);
    }
    return grzM8_Any(grzF8_Greater(most, grzF8_Set1(1 - 1 / CLOTH_STRAIN)));
}

// How much of K is too much: 1 - rest / (length of K, with the sign of its side).
GRZ_SIMD_PART grzF8 excessOfBend(const Rows8 at[4], const grzF8 k[3], grzF8 rest) {
    grzF8 e[3], f[3], normal[3];
    for (int axis = 0; axis < 3; ++axis) {
        e[axis] = grzF8_Sub(at[1].column[axis], at[0].column[axis]);
        f[axis] = grzF8_Sub(at[3].column[axis], at[2].column[axis]);
    }
    for (int x = 0, y = 1, z = 2; x < 3; y = z, z = x, ++x)
        normal[x] = grzF8_Sub(grzF8_Mul(e[y], f[z]), grzF8_Mul(e[z], f[y]));
    const grzF8 length = grzF8_Max(grzF8_Sqrt(dot3(k, k)), grzF8_Set1(CLOTH_LEAST_BEND));
    const grzM8 isBehind = grzF8_Less(dot3(k, normal), grzF8_Zero());
    const grzF8 signedLength = grzF8_Select(isBehind, grzF8_Negate(length), length);
    return grzF8_Sub(grzF8_Set1(1.0f), grzF8_Div(rest, signedLength));
}

void GRZ_KERNEL(grzClothBend)(float* now, const ClothBend8* groups, uint32_t count, float softness) {
    const grzF8 soft = grzF8_Set1(softness);
    for (uint32_t i = 0; i < count; ++i) {
        const ClothBend8* group = &groups[i];
        Rows8 at[4];
        for (int v = 0; v < 4; ++v)
            at[v] = gatherRows(now, group->vertices[v]);
        grzF8 c[4];
        for (int v = 1; v < 4; ++v)
            c[v] = grzF8_Load(group->c[v - 1]);
        c[0] = grzF8_Negate(grzF8_Add(grzF8_Add(c[1], c[2]), c[3]));
        grzF8 k[3];
        for (int axis = 0; axis < 3; ++axis) {
            const grzF8 from = at[0].column[axis];
            k[axis] = grzF8_Add(grzF8_Add(grzF8_Mul(c[1], grzF8_Sub(at[1].column[axis], from)),
                                          grzF8_Mul(c[2], grzF8_Sub(at[2].column[axis], from))),
                                grzF8_Mul(c[3], grzF8_Sub(at[3].column[axis], from)));
        }
        grzF8 weight = soft, pull[4];
        for (int v = 0; v < 4; ++v) {
            pull[v] = grzF8_Mul(at[v].column[3], c[v]);
            weight = grzF8_Add(weight, grzF8_Mul(pull[v], c[v]));
        }
        const grzF8 rest = grzF8_Load(group->rest);
        const grzF8 excess = excessOfBend(at, k, rest);
        const grzF8 lambda = grzF8_Negate(divideOrZero(excess, weight));
        for (int v = 0; v < 4; ++v) {
            addScaled(&at[v], grzF8_Mul(lambda, pull[v]), k);
            scatterRows(now, group->vertices[v], &at[v]);
        }
    }
}

void GRZ_KERNEL(grzClothTether)(const ClothTethers* tethers, uint32_t begin, uint32_t end) {
    const grzF8 one = grzF8_Set1(1.0f);
    for (uint32_t row = begin; row < end; row += 8) {
        Rows8 now;
        grzF8_LoadRows4(tethers->now + (size_t)4 * row, now.column);
        int32_t pin[8];
        memcpy(pin, tethers->pins + row, sizeof pin);
        const Rows8 from = gatherRows(tethers->pinPlaces, pin);
        grzF8 d[3];
        for (int axis = 0; axis < 3; ++axis)
            d[axis] = grzF8_Sub(now.column[axis], from.column[axis]);
        const grzF8 length = grzF8_Sqrt(dot3(d, d)), most = grzF8_Load(tethers->lengths + row);
        const grzM8 isTaut = grzM8_And(grzF8_Greater(length, most), grzF8_Greater(now.column[3], grzF8_Zero()));
        const grzF8 inverse = grzF8_Div(one, grzF8_Select(isTaut, length, one));
        const grzF8 back = grzF8_Select(isTaut, grzF8_Sub(grzF8_Mul(most, inverse), one), grzF8_Zero());
        if (grzM8_Any(isTaut)) {
            addScaled(&now, back, d);
            grzF8_StoreRows4(tethers->now + (size_t)4 * row, now.column);
        }
    }
}
