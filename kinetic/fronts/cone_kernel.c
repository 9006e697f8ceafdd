// What: the kernel of cone_kernel.h.
// Idea: with sides e, f of a triangle, (e x f) d is a quadratic function of time. It is above 0 where its three Bernstein coefficients are:
//   e0 x f0, (e0 x f1 + e1 x f0) / 2 and e1 x f1, times d.
// Proof of the bound: let u = 2^-24 and |e| the sum of the sizes of e's numbers. The numbers of e and f are rounded once, and so is each of
//   the products; no product is in more than five sums. So the value is off by less than 9u |e| |f| for d with numbers -1, 0, 1, the
//   middle coefficient by less than 10u (|e0| |f1| + |e1| |f0|). Beyond 16u of it, and 2^-100 for what underflows, its sign is certain.
//   Rounded on the way, e and f are other ones by less than r = 8u m, m the largest sum of the sizes of a corner's numbers at either end.
//   Then (e x f) d changes by no more than r (|e| + |f| + r). |e| and |f| are at most linear between their ends, so that is a bound
//   linear in time, which is taken from each coefficient.
#include "cone_kernel.h"

#include "simd.h"

typedef struct Vector8 {
    grzF8 x, y, z;
} Vector8;

GRZ_SIMD_INLINE Vector8 subtract(Vector8 a, Vector8 b) {
    return (Vector8){grzF8_Sub(a.x, b.x), grzF8_Sub(a.y, b.y), grzF8_Sub(a.z, b.z)};
}

GRZ_SIMD_INLINE grzF8 sizeOf(Vector8 a) {
    return grzF8_Add(grzF8_Add(grzF8_Abs(a.x), grzF8_Abs(a.y)), grzF8_Abs(a.z));
}

GRZ_SIMD_INLINE grzF8 crossPart(grzF8 a, grzF8 b, grzF8 c, grzF8 d) {
    return grzF8_Sub(grzF8_Mul(a, b), grzF8_Mul(c, d));
}

GRZ_SIMD_INLINE Vector8 cross(Vector8 e, Vector8 f) {
    return (Vector8){crossPart(e.y, f.z, e.z, f.y), crossPart(e.z, f.x, e.x, f.z), crossPart(e.x, f.y, e.y, f.x)};
}

// slack: what vertices that are rounded on the way change.
GRZ_SIMD_PART uint32_t facingOf(Vector8 n, grzF8 size, grzF8 slack) {
    const grzF8 bound = grzF8_Add(grzF8_Add(grzF8_Mul(size, grzF8_Set1(0x1p-20F)), slack), grzF8_Set1(0x1p-100F));
    const grzF8 xy = grzF8_Add(n.x, n.y), yx = grzF8_Sub(n.x, n.y);
    const grzF8 values[CONE_AXES] = {n.x,
                                     n.y,
                                     n.z,
                                     xy,
                                     yx,
                                     grzF8_Add(n.x, n.z),
                                     grzF8_Sub(n.x, n.z),
                                     grzF8_Add(n.y, n.z),
                                     grzF8_Sub(n.y, n.z),
                                     grzF8_Add(xy, n.z),
                                     grzF8_Sub(xy, n.z),
                                     grzF8_Add(yx, n.z),
                                     grzF8_Sub(yx, n.z)};
    uint32_t facing = 0;
    for (uint32_t k = 0; k < CONE_AXES; ++k) {
        facing |= (uint32_t)grzM8_All(grzF8_Greater(values[k], bound)) << k;
        facing |= (uint32_t)grzM8_All(grzF8_Greater(grzF8_Negate(values[k]), bound)) << (k + CONE_AXES);
    }
    return facing;
}

// Two sides of eight triangles at one end, and the largest of their corners.
typedef struct Sides {
    Vector8 e, f;
    grzF8 sizeE, sizeF, corner;
} Sides;

// Corner `corner` of eight triangles from the first on; those beyond the last repeat it.
GRZ_SIMD_INLINE Vector8 cornersOf(const uint32_t* triangles, uint32_t first, uint32_t count, uint32_t corner,
                                  const ConePlaces* from) {
    int32_t numbers[8];
    for (uint32_t k = 0; k < 8; ++k) {
        const uint32_t triangle = first + k < count ? first + k : count - 1;
        numbers[k] = (int32_t)(from->stride * triangles[3 * triangle + corner]);
    }
    const grzI8 places = grzI8_Load(numbers);
    return (Vector8){grzF8_Gather(from->at, places), grzF8_Gather(from->at + 1, places),
                     grzF8_Gather(from->at + 2, places)};
}

GRZ_SIMD_PART Sides sidesOf(const uint32_t* triangles, uint32_t first, uint32_t count, const ConePlaces* from) {
    const Vector8 a = cornersOf(triangles, first, count, 0, from), b = cornersOf(triangles, first, count, 1, from),
                  c = cornersOf(triangles, first, count, 2, from);
    Sides sides = {.e = subtract(b, a), .f = subtract(c, a)};
    sides.sizeE = sizeOf(sides.e), sides.sizeF = sizeOf(sides.f);
    sides.corner = grzF8_Max(sizeOf(a), grzF8_Max(sizeOf(b), sizeOf(c)));
    return sides;
}

GRZ_SIMD_INLINE grzF8 slackOf(const Sides* sides, grzF8 rounding) {
    return grzF8_Mul(rounding, grzF8_Add(grzF8_Add(sides->sizeE, sides->sizeF), rounding));
}

// At the end of a motion, and between.
GRZ_SIMD_PART uint32_t facingMotion(const Sides* start, const Sides* end) {
    const grzF8 rounding = grzF8_Mul(grzF8_Max(start->corner, end->corner), grzF8_Set1(2 * (float)CONE_ROUNDING));
    const grzF8 slack0 = slackOf(start, rounding), slack1 = slackOf(end, rounding);
    const Vector8 p = cross(start->e, end->f), q = cross(end->e, start->f);
    const Vector8 middle = {grzF8_Add(p.x, q.x), grzF8_Add(p.y, q.y), grzF8_Add(p.z, q.z)};
    const grzF8 size = grzF8_Add(grzF8_Mul(start->sizeE, end->sizeF), grzF8_Mul(end->sizeE, start->sizeF));
    return facingOf(cross(start->e, start->f), grzF8_Mul(start->sizeE, start->sizeF), slack0) &
           facingOf(cross(end->e, end->f), grzF8_Mul(end->sizeE, end->sizeF), slack1) &
           facingOf(middle, size, grzF8_Add(slack0, slack1));
}

uint32_t GRZ_KERNEL(grzConeFacing)(const uint32_t* triangles, uint32_t count, const ConePlaces* from,
                                   const ConePlaces* to) {
    uint32_t facing = (1u << 2 * CONE_AXES) - 1;
    for (uint32_t first = 0; first < count && facing != 0; first += 8) {
        const Sides start = sidesOf(triangles, first, count, from);
        if (grzConePlaces_AreSame(from, to)) {
            facing &= facingOf(cross(start.e, start.f), grzF8_Mul(start.sizeE, start.sizeF), grzF8_Zero());
            continue;
        }
        const Sides end = sidesOf(triangles, first, count, to);
        facing &= facingMotion(&start, &end);
    }
    return facing;
}

uint32_t GRZ_KERNEL(grzConeNear)(const float* const sides[4], uint32_t count, const float rectangle[4],
                                 uint32_t* numbers) {
    static const int32_t first[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    grzI16 lanes = grzI16_Load(first);
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i += 16) {
        grzM16 near = grzM16_FromBits(count - i < 16 ? (1u << (count - i)) - 1 : 0xFFFFu);
        for (int k = 0; k < 4; k += 2) {
            near = grzM16_And(near, grzF16_LessEqual(grzF16_Load(sides[k] + i), grzF16_Set1(rectangle[k + 1])));
            near = grzM16_And(near, grzF16_GreaterEqual(grzF16_Load(sides[k + 1] + i), grzF16_Set1(rectangle[k])));
        }
        found += (uint32_t)grzI16_CompressStore((int32_t*)numbers + found, near, lanes);
        lanes = grzI16_Add(lanes, grzI16_Set1(16));
    }
    return found;
}
