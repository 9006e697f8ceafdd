// What: grzCcdMeet of ccd_meet_kernel.h: sixteen pairs of triangles at a time; eight at AVX2, else four.
// Holds: with a vertex's coordinate of a size m at most, (1 - t) a + t b is off by 5u m, and by u m more where a and b are rounded; taking a slack
//   from it rounds once more. A slack of 16u m and the least normal number is more. It is infinite where sums may overflow.
#include "ccd_meet_kernel.h"

#include <math.h>

#include "simd.h"

#if GRZ_SIMD_IS(avx512)
#    define LANES 16
#elif GRZ_SIMD_IS(avx2)
#    define LANES 8
#else
#    define LANES 4
#endif
#define F(Verb) GRZ_SIMD_VERB(F, LANES, Verb)
#define I(Verb) GRZ_SIMD_VERB(I, LANES, Verb)
#define M(Verb) GRZ_SIMD_VERB(M, LANES, Verb)

typedef GRZ_SIMD_TYPE(F, LANES) Floats;
typedef GRZ_SIMD_TYPE(I, LANES) Ints;
typedef GRZ_SIMD_TYPE(M, LANES) Mask;

typedef struct MeetBox {
    Floats lower[3], upper[3];
} MeetBox;

typedef struct MeetSide {
    Ints names[3];
    MeetBox vertices[3];
} MeetSide;

GRZ_SIMD_PART MeetBox hull(const MeetBox* a, const MeetBox* b) {
    MeetBox box;
    for (int axis = 0; axis < 3; ++axis) {
        box.lower[axis] = F(Min)(a->lower[axis], b->lower[axis]);
        box.upper[axis] = F(Max)(a->upper[axis], b->upper[axis]);
    }
    return box;
}

GRZ_SIMD_PART Mask overlap(const MeetBox* a, const MeetBox* b) {
    Mask meets = M(And)(F(LessEqual)(a->lower[0], b->upper[0]), F(LessEqual)(b->lower[0], a->upper[0]));
    for (int axis = 1; axis < 3; ++axis)
        meets = M(And)(meets, M(And)(F(LessEqual)(a->lower[axis], b->upper[axis]),
                                     F(LessEqual)(b->lower[axis], a->upper[axis])));
    return meets;
}

// What holds a vertex at all times of its pair, along an axis.
GRZ_SIMD_PART void boundPath(const Floats start, const Floats end, const Floats times[2], bool isRounded,
                             MeetBox* box, int axis) {
    const Floats low = F(Min)(start, end), high = F(Max)(start, end), one = F(Set1)(1);
    const Floats from = F(Add)(F(Mul)(F(Sub)(one, times[0]), start), F(Mul)(times[0], end));
    const Floats to = F(Add)(F(Mul)(F(Sub)(one, times[1]), start), F(Mul)(times[1], end));
    const Floats size = F(Max)(high, F(Sub)(F(Zero)(), low));
    const Floats slack = F(Select)(F(Less)(size, F(Set1)(0x1p120F)),
                                   F(Add)(F(Mul)(size, F(Set1)(0x1p-20F)), F(Set1)(0x1p-126F)), F(Set1)(INFINITY));
    const Floats more = isRounded ? slack : F(Zero)();
    // The second operand where the first is a NaN.
    box->lower[axis] = F(Max)(F(Sub)(F(Min)(from, to), slack), F(Sub)(low, more));
    box->upper[axis] = F(Min)(F(Add)(F(Max)(from, to), slack), F(Add)(high, more));
}

GRZ_SIMD_PART void loadSide(const CcdMeeting* meeting, const CcdTriangle* corners, const uint32_t* triangles,
                            const Floats times[2], MeetSide* side) {
    Floats names[4];
    F(GatherRows4)((const float*)(const void*)corners, I(Load)((const int32_t*)(const void*)triangles), names);
    for (int i = 0; i < 3; ++i) {
        Floats start[4], end[4];
        side->names[i] = F(AsInt)(names[i]);
        const Ints row = I(ShiftLeft)(side->names[i], 1);
        F(GatherRows4)(meeting->rows, row, start);
        F(GatherRows4)(meeting->rows, I(Add)(row, I(Set1)(1)), end);
        for (int axis = 0; axis < 3; ++axis)
            boundPath(start[axis], end[axis], times, meeting->isRounded, &side->vertices[i], axis);
    }
}

// Lanes that ask for a test.
GRZ_SIMD_INLINE Mask asks(Ints tests, int test) {
    const Ints bit = I(Set1)(1 << test);
    return I(Equal)(I(And)(tests, bit), bit);
}

GRZ_SIMD_PART void testVertices(const MeetSide* of, const MeetSide* others, Ints tests, int first,
                                uint32_t bits[CCD_MEET_TESTS]) {
    const MeetBox side = hull(&others->vertices[0], &others->vertices[1]), face = hull(&side, &others->vertices[2]);
    for (int i = 0; i < 3; ++i)
        bits[first + i] = M(Bits)(M(And)(overlap(&of->vertices[i], &face), asks(tests, first + i)));
}

GRZ_SIMD_PART void testEdges(const MeetSide* a, const MeetSide* b, Ints tests, uint32_t bits[CCD_MEET_TESTS]) {
    for (int i = 0; i < 3; ++i) {
        const MeetBox edge = hull(&a->vertices[i], &a->vertices[(i + 1) % 3]);
        for (int k = 0; k < 3; ++k) {
            const MeetBox other = hull(&b->vertices[k], &b->vertices[(k + 1) % 3]);
            const int test = CCD_MEET_FACES + 3 * i + k;
            bits[test] = M(Bits)(M(And)(overlap(&edge, &other), asks(tests, test)));
        }
    }
}

GRZ_SIMD_PART Mask shareVertex(const MeetSide* a, const MeetSide* b) {
    Mask shares = M(FromBits)(0);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            shares = M(Or)(shares, I(Equal)(a->names[i], b->names[k]));
    return shares;
}

GRZ_SIMD_PART void meetLanes(const CcdMeeting* meeting, uint32_t first, uint32_t bits[CCD_MEET_TESTS]) {
    const CcdTrianglePairs* pairs = meeting->pairs;
    MeetSide a, b;
    const Floats times[2] = {F(Load)(pairs->t0 + first), F(Load)(pairs->t1 + first)};
    loadSide(meeting, meeting->cornersA, pairs->a + first, times, &a);
    loadSide(meeting, meeting->cornersB, pairs->b + first, times, &b);
    Ints tests = I(Load)((const int32_t*)(const void*)(pairs->tests + first));
    if (meeting->skipsNeighbours)
        tests = I(Select)(shareVertex(&a, &b), I(Zero)(), tests);
    testVertices(&a, &b, tests, 0, bits);
    testVertices(&b, &a, tests, 3, bits);
    testEdges(&a, &b, tests, bits);
}

void GRZ_KERNEL(grzCcdMeet)(const CcdMeeting* meeting, CcdMeetBits bits) {
    const uint32_t count = meeting->pairs->count;
    for (uint32_t group = 0; CCD_MEET_GROUP * group < count; ++group) {
        const uint32_t left = count - CCD_MEET_GROUP * group;
        const uint32_t some = left < CCD_MEET_GROUP ? (1u << left) - 1 : 0xFFFF;
        uint32_t all[CCD_MEET_TESTS] = {0};
        for (uint32_t lane = 0; lane < CCD_MEET_GROUP; lane += LANES) {
            uint32_t part[CCD_MEET_TESTS];
            meetLanes(meeting, CCD_MEET_GROUP * group + lane, part);
            for (int test = 0; test < CCD_MEET_TESTS; ++test)
                all[test] |= part[test] << lane;
        }
        for (int test = 0; test < CCD_MEET_TESTS; ++test)
            bits[test][group] = (uint16_t)(all[test] & some);
    }
}
