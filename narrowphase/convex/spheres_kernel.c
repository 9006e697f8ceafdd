// What: the kernel of spheres_kernel.h.
// Idea: grzQuick_Spheres (quick_round.c), operation by operation.
// Cost: some 10 ns a pair, most of it for writing the manifold (AVX-512).
#include "spheres_kernel.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "convex_batch.h"
#include "convex_lay.h"
#include "simd.h"

#if GRZ_SIMD_IS(scalar)
#    include "one_lane.h"
#    define BOX_LANES 1
#elif GRZ_SIMD_IS(avx512)
#    define BOX_LANES 16
#elif GRZ_SIMD_IS(avx2)
#    define BOX_LANES 8 // of sixteen, most would be in memory, and the code would be twice as long
#else
#    define BOX_LANES 4
#endif
#include "pair_lanes.inl"

typedef struct SphereLanes {
    Doubles base[3], onB[3], apart[3]; // relative to the origin of pose A: B's middle, and that from A's
    Doubles radii[2], error;
} SphereLanes;

// The radius and, next to it, the centre.
GRZ_SIMD_INLINE void loadShape(const PairInput* in, int side, Floats* radius, Floats center[3]) {
    const float* rows[BOX_LANES];
    Floats columns[4];
    GRZ_STATIC_ASSERT(offsetof(grzConvex, a) == offsetof(grzConvex, radius) + sizeof(float), "a row");
    for (int lane = 0; lane < BOX_LANES; ++lane)
        rows[lane] = (const float*)(const void*)((const char*)in->shapes[side][lane] + offsetof(grzConvex, radius));
    loadRows(rows, columns);
    *radius = columns[0];
    for (int i = 0; i < 3; ++i)
        center[i] = columns[i + 1];
}

GRZ_SIMD_INLINE void loadSpheres(const PairInput* in, SphereLanes* lanes) {
    Floats origins[2][3], centers[2][3], radii[2], sum[3];
    Doubles originB[3], middleA[3];
    const Doubles zero[3] = {D(Zero)(), D(Zero)(), D(Zero)()};
    for (int side = 0; side < 2; ++side) {
        loadShape(in, side, &radii[side], centers[side]);
        loadPoses(in, side, 3, origins[side]);
        lanes->radii[side] = D(FromFloat)(radii[side]);
    }
    for (int i = 0; i < 3; ++i) {
        lanes->base[i] = D(FromFloat)(origins[0][i]);
        originB[i] = D(Sub)(D(FromFloat)(origins[1][i]), lanes->base[i]);
        sum[i] = F(Add)(F(Abs)(centers[0][i]), F(Abs)(centers[1][i]));
    }
    placeMiddle(in, 0, centers[0], zero, middleA);
    placeMiddle(in, 1, centers[1], originB, lanes->onB);
    Doubles away = D(Add)(D(Add)(D(Abs)(originB[0]), D(Abs)(originB[1])), D(Abs)(originB[2]));
    Floats all = F(Add)(F(Add)(F(Add)(sum[0], sum[1]), F(Add)(sum[2], radii[0])), radii[1]);
    lanes->error = D(Mul)(D(Set1)(0x1p-46), D(Add)(away, D(Mul)(D(Set1)(4), D(FromFloat)(all))));
    for (int i = 0; i < 3; ++i)
        lanes->apart[i] = D(Sub)(lanes->onB[i], middleA[i]);
}

// One point, midway between the surfaces; nothing in the lanes that are far.
GRZ_SIMD_INLINE void writeSpheres(char* const to[BOX_LANES], const SphereLanes* lanes, Doubles distance,
                                  Doubles margin, Mask isNear) {
    const Doubles radii = D(Add)(lanes->radii[0], lanes->radii[1]), inverse = D(Div)(D(Set1)(1), distance);
    const Doubles gap = D(Sub)(distance, lanes->radii[0]), back = D(Sub)(lanes->radii[0], distance);
    const Doubles middle = D(Mul)(D(Set1)(0.5), D(Sub)(back, lanes->radii[1]));
    const Floats body = I(AsFloat)(I(Set1)((int32_t)((uint32_t)grz_bodyFeature << 30))), zero = F(Zero)();
    const Floats none[4] = {zero, zero, zero, zero};
    Floats place[4], normal[4];
    for (int i = 0; i < 3; ++i) {
        Doubles n = D(Mul)(lanes->apart[i], inverse);
        normal[i] = D(ToFloat)(n);
        place[i] = D(ToFloat)(D(Add)(D(Add)(lanes->onB[i], D(Mul)(n, middle)), lanes->base[i]));
    }
    normal[3] = place[3] = zero;
    Mask isCertain = D(LessEqual)(D(Add)(distance, lanes->error), D(Add)(margin, radii));
    Floats measure = ceilFloats(D(Add)(margin, D(Mul)(D(Set1)(2), lanes->error)));
    Floats point[4] = {D(ToFloat)(D(Sub)(gap, lanes->radii[1])), body, body, zero};
    HeadLanes head = {.separation = D(ToFloat)(D(Sub)(distance, radii)),
                      .certainty = I(Select)(isCertain, I(Set1)(grz_exact), I(Set1)(grz_conservative)),
                      .measure = F(Select)(isCertain, zero, measure),
                      .depthError = zero,
                      .count = I(Set1)(1)};
    setMasked(isNear, place);
    setMasked(isNear, point);
    storeRows(to, 0, place);
    storeRows(to, 16, point);
    for (size_t k = 1; k < GRZ_MANIFOLD_MOST_POINTS; ++k) {
        storeRows(to, 32 * k, none);
        storeRows(to, 32 * k + 16, none);
    }
    writeHeadRows(to, normal, &head, isNear);
}

GRZ_SIMD_INLINE uint32_t collideSpheres(const PairInput* in, uint32_t wanted) {
    SphereLanes lanes;
    grzManifold waste;
    char* to[BOX_LANES];
    loadSpheres(in, &lanes);
    const Doubles margin = D(FromFloat)(F(Load)(in->margins)), radii = D(Add)(lanes.radii[0], lanes.radii[1]);
    const Doubles lengthSq = dotDoubles(lanes.apart, lanes.apart);
    const Doubles reach = D(Add)(D(Add)(margin, radii), lanes.error);
    const Mask isFar = D(Greater)(lengthSq, D(Mul)(D(Mul)(reach, reach), D(Set1)(1 + 0x1p-50)));
    const Doubles distance = D(Sqrt)(lengthSq);
    const Mask isTold = M(Or)(isFar, D(Greater)(distance, D(Mul)(D(Set1)(2), lanes.error)));
    const uint32_t told = M(Bits)(isTold) & wanted;
    setTargets(in, told, &waste, to);
    writeSpheres(to, &lanes, distance, margin, M(Not)(isFar));
    return wanted & ~told;
}

uint32_t GRZ_KERNEL(grzCollideSpheres)(const grzConvexBatch* batch, const uint32_t* list, uint32_t count,
                                       uint32_t* undecided) {
    uint32_t made = 0;
    for (uint32_t begin = 0; begin < count; begin += BOX_LANES) {
        const uint32_t left = count - begin < BOX_LANES ? count - begin : BOX_LANES;
        PairInput in;
        takePairs(batch, list + begin, left, &in);
        uint32_t bits = collideSpheres(&in, (1u << left) - 1);
        for (uint32_t lane = 0; bits >> lane != 0; ++lane)
            if ((bits >> lane & 1) != 0)
                undecided[made++] = list[begin + lane];
    }
    return made;
}
