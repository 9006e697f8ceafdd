// included by contact_pass_kernel.c (prototype)
typedef struct Misses {
    grzF8 errors[4]; // at each point: how fast it comes, but for what it may
    grzF8 gives[4];  // and how much faster an impulse may leave it
} Misses;

GRZ_SIMD_INLINE grzF8 inverseWhere(grzM8 mask, grzF8 a) {
    return grzF8_Select(mask, grzF8_Div(grzF8_Set1(1.0f), a), grzF8_Zero());
}

GRZ_SIMD_PART void share(const float* landing, uint32_t points, const Misses* misses, grzF8 shares[4]) {
    grzF8 zero = grzF8_Zero(), sound = grzF8_Set1(1e-5f);
    grzF8 h[6], g0 = zero, g1 = zero, g2 = zero;
    for (uint32_t k = 0; k < 6; ++k)
        h[k] = grzWide_At(landing, 2 + k);
    for (uint32_t i = 0; i < points; ++i) {
        grzF8 x = grzWide_At(landing, 8 + i), y = grzWide_At(landing, 8 + points + i);
        grzF8 e = misses->errors[i], c = misses->gives[i], cx = grzF8_Mul(c, x), cy = grzF8_Mul(c, y);
        g0 = grzF8_Add(g0, e);
        g1 = grzF8_Add(g1, grzF8_Mul(e, x));
        g2 = grzF8_Add(g2, grzF8_Mul(e, y));
        h[0] = grzF8_Add(h[0], c);
        h[1] = grzF8_Add(h[1], cx);
        h[2] = grzF8_Add(h[2], cy);
        h[3] = grzF8_Add(h[3], grzF8_Mul(cx, x));
        h[4] = grzF8_Add(h[4], grzF8_Mul(cx, y));
        h[5] = grzF8_Add(h[5], grzF8_Mul(cy, y));
    }
    grzF8 i0 = inverseWhere(grzF8_Greater(h[0], zero), h[0]), l1 = grzF8_Mul(h[1], i0), l2 = grzF8_Mul(h[2], i0);
    grzF8 d1 = grzF8_Sub(h[3], grzF8_Mul(l1, h[1])), e12 = grzF8_Sub(h[4], grzF8_Mul(l1, h[2]));
    grzF8 i1 = inverseWhere(grzF8_Greater(d1, grzF8_Mul(sound, h[3])), d1), m = grzF8_Mul(e12, i1);
    grzF8 d2 = grzF8_Sub(grzF8_Sub(h[5], grzF8_Mul(l2, h[2])), grzF8_Mul(m, e12));
    grzF8 i2 = inverseWhere(grzF8_Greater(d2, grzF8_Mul(sound, h[5])), d2);
    grzF8 f1 = grzF8_Sub(g1, grzF8_Mul(l1, g0));
    grzF8 f2 = grzF8_Sub(grzF8_Sub(g2, grzF8_Mul(l2, g0)), grzF8_Mul(m, f1));
    grzF8 c = grzF8_Mul(f2, i2), b = grzF8_Sub(grzF8_Mul(f1, i1), grzF8_Mul(m, c));
    grzF8 a = grzF8_Sub(grzF8_Sub(grzF8_Mul(g0, i0), grzF8_Mul(l1, b)), grzF8_Mul(l2, c));
    for (uint32_t i = 0; i < points; ++i) {
        grzF8 x = grzWide_At(landing, 8 + i), y = grzWide_At(landing, 8 + points + i);
        shares[i] = grzF8_Negate(grzF8_Add(a, grzF8_Add(grzF8_Mul(b, x), grzF8_Mul(c, y))));
    }
}

GRZ_SIMD_PART void pushAll(float* firm, const grzF8 shares[4], grzF8 part, uint32_t sides, uint32_t points,
                             Pair* pair) {
    grzF8 zero = grzF8_Zero(), one = grzF8_Set1(1.0f), sum = zero;
    for (uint32_t i = 0; i < points; ++i) {
        float* point = firm + 8 * (size_t)(GRZ_FIRM_HEAD(sides) + i * GRZ_FIRM_POINT(sides));
        grzF8 impulse = grzWide_At(point, 3 * sides + 2);
        grzM8 lessens = grzF8_Less(shares[i], zero);
        grzF8 most = grzF8_Select(lessens, grzF8_Div(impulse, grzF8_Negate(shares[i])), one);
        part = grzF8_Min(part, most);
    }
    for (uint32_t i = 0; i < points; ++i) {
        float* point = firm + 8 * (size_t)(GRZ_FIRM_HEAD(sides) + i * GRZ_FIRM_POINT(sides));
        grzF8 impulse = grzWide_At(point, 3 * sides + 2);
        grzF8 after = grzF8_Max(grzF8_Add(impulse, grzF8_Mul(part, shares[i])), zero);
        grzF8 change = grzF8_Sub(after, impulse);
        grzWide_Put(point, 3 * sides + 2, after);
        pushSpin(pair, point, 0, sides, change);
        sum = grzF8_Add(sum, change);
    }
    pushCenters(pair, grzWide3_At(firm, sides), sides, sum);
}

GRZ_SIMD_INLINE grzF8 speedOfPoint(const Pair* pair, const float* point, grzF8 centers, uint32_t sides) {
    grzF8 speed = grzF8_Add(centers, speedOfSpin(pair, point, 0, sides));
    return sides == 1 ? grzF8_Sub(speed, grzWide_At(point, 6)) : speed;
}

GRZ_SIMD_PART void land(float* firm, const float* kept, uint32_t sides, uint32_t points, const Push* push,
                          Pair* pair) {
    const float* landing = kept + 8 * (size_t)GRZ_LANDING(points);
    grzF8 zero = grzF8_Zero(), centers = speedOfCenters(pair, grzWide3_At(firm, sides), sides), shares[4];
    grzF8 give = push->isSoft ? grzF8_Div(push->impulseScale, push->massScale) : zero;
    Misses misses;
    for (uint32_t i = 0; i < points; ++i) {
        const float* point = firm + 8 * (size_t)(GRZ_FIRM_HEAD(sides) + i * GRZ_FIRM_POINT(sides));
        grzF8 separation = grzWide_At(point, 3 * sides + 1), speed = speedOfPoint(pair, point, centers, sides);
        grzM8 isApart = grzF8_Greater(separation, zero);
        grzF8 back = push->isSoft ? grzF8_Max(grzF8_Mul(separation, push->biasRate), push->pushSpeed) : zero;
        grzF8 bias = grzF8_Select(isApart, grzF8_Mul(separation, push->inverseTime), back);
        misses.gives[i] =
            grzF8_Select(isApart, zero, grzF8_Mul(give, grzWide_At(landing, 8 + 2 * points + i)));
        misses.errors[i] = grzF8_Add(grzF8_Add(speed, bias),
                                     grzF8_Mul(misses.gives[i], grzWide_At(point, 3 * sides + 2)));
    }
    share(landing, points, &misses, shares);
    pushAll(firm, shares, grzWide_At(landing, 0), sides, points, pair);
}

GRZ_SIMD_PART void bounceAll(const grzSolverWork* work, float* firm, float* relaxed, const float* kept,
                               uint32_t sides, uint32_t points, Pair* pair) {
    const float* landing = kept + 8 * (size_t)GRZ_LANDING(points);
    grzF8 zero = grzF8_Zero(), centers = speedOfCenters(pair, grzWide3_At(firm, sides), sides), shares[4];
    grzF8 restitution = grzWide_At(kept, 0), part = grzWide_At(landing, 0);
    part = grzF8_Select(grzF8_Greater(restitution, zero), part, zero);
    Misses misses;
    for (uint32_t i = 0; i < points; ++i) {
        const float* point = firm + 8 * (size_t)(GRZ_FIRM_HEAD(sides) + i * GRZ_FIRM_POINT(sides));
        grzF8 approach = grzWide_At(kept, 2 + i), greatest = grzWide_At(relaxed, GRZ_GREATEST(sides, points) + i);
        grzM8 bounces = grzM8_And(grzF8_Less(approach, grzF8_Set1(-work->restitutionThreshold)),
                                  grzF8_Greater(greatest, zero));
        part = grzF8_Select(bounces, part, zero);
        misses.gives[i] = zero;
        misses.errors[i] =
            grzF8_Add(speedOfPoint(pair, point, centers, sides), grzF8_Mul(restitution, approach));
    }
    share(landing, points, &misses, shares);
    pushAll(firm, shares, part, sides, points, pair);
}
