// What: the distance of two triangles, eight pairs at once, in doubles.
// Promise: `sq` is the squared length of `apart`, which leads from a point of A to a point of B (but for rounding: 2^-46 of
//   the coordinates), so it is never less than the true one by more. `certain` is no more than the true distance and 2^-46
//   of the coordinates, however thin the triangles are. Where they are no slivers, the two agree but for rounding.
// Idea: the nearest points lie on two edges, or on a corner and a face; or an edge goes through a face. So there are 9, 6 and
//   6 candidates, each computed for what it is worth: a pair of points. The nearest is taken, the first of several. What
//   it is worth is then told by the slab across `apart`: the gap between the corners along it is a lower bound.
//
//   Codes of candidates: 3i + j: edge i of A, edge j of B; 9 + i: corner of A, face of B; 12 + j: face of A, corner of B;
//   15 + i: edge of A through B; 18 + j: edge of B through A.
// Holds: coordinates are at most 1, so nothing overflows. An edge without length has its first corner alone; a face without
//   area has NaN as its normal's inverse and no candidates: its edges have them.
// Cost: some 1100 operations, 170 to 300 ns for eight.
// Based on: [Ericson, Real-Time Collision Detection, 2005] section 5.1.9 for segments.
#ifndef GRAZE_NARROWPHASE_TRI_DISTANCE_H
#define GRAZE_NARROWPHASE_TRI_DISTANCE_H

#include "lane_vec3.h"

GRZ_LANE_VEC3(Vec8, grzD8, grzM8)

typedef struct Triangles8 {
    Vec8 corners[3];
} Triangles8;

typedef struct Nearest8 {
    grzD8 sq, certain;
    Vec8 apart;
    grzD8 code, s, t; // of the candidate; s, t: along edges A and B, or across the face
} Nearest8;

// To 0 .. 1; a NaN to 0.
GRZ_SIMD_PART grzD8 clamp8(grzD8 x) {
    return grzD8_Min(grzD8_Max(x, grzD8_Zero()), grzD8_Set1(1));
}

GRZ_SIMD_PART grzM8 isPositive8(grzD8 x) {
    return grzD8_Less(grzD8_Zero(), x);
}

// 0 for what is not above 0.
GRZ_SIMD_PART grzD8 inverse8(grzD8 x) {
    return grzD8_Select(isPositive8(x), grzD8_Div(grzD8_Set1(1), x), grzD8_Zero());
}

// ------------------------------------------------------------------------------------------------------- candidates

typedef struct Candidate8 {
    Vec8 apart;
    grzD8 s, t;
} Candidate8;

// Takes it where it is nearer, among those of the mask.
GRZ_SIMD_PART void offer8(Nearest8* nearest, const Candidate8* candidate, grzM8 mask, double code) {
    const grzD8 sq = Vec8_Dot(candidate->apart, candidate->apart);
    const grzM8 isNearer = grzM8_And(mask, grzD8_Less(sq, nearest->sq));
    nearest->sq = grzD8_Select(isNearer, sq, nearest->sq);
    nearest->apart = Vec8_Select(isNearer, candidate->apart, nearest->apart);
    nearest->code = grzD8_Select(isNearer, grzD8_Set1(code), nearest->code);
    nearest->s = grzD8_Select(isNearer, candidate->s, nearest->s);
    nearest->t = grzD8_Select(isNearer, candidate->t, nearest->t);
}

typedef struct Edges8 {
    Vec8 along[3]; // edge i leads from corner i to corner (i + 1) % 3
    grzD8 sq[3], inverse[3];
} Edges8;

GRZ_SIMD_PART Edges8 edgesOf8(const Triangles8* triangles) {
    Edges8 edges;
    for (int i = 0; i < 3; ++i) {
        edges.along[i] = Vec8_Sub(triangles->corners[(i + 1) % 3], triangles->corners[i]);
        edges.sq[i] = Vec8_Dot(edges.along[i], edges.along[i]);
        edges.inverse[i] = inverse8(edges.sq[i]);
    }
    return edges;
}

// Edges i and j, from whose first corners `between` leads, B's to A's. Each step goes to the nearest point of one edge, so
// that the rounding of the first, which is bad for edges that are almost parallel, does no harm.
GRZ_SIMD_PART Candidate8 nearestOfEdges8(const Edges8* a, int i, const Edges8* b, int j, Vec8 between) {
    const grzD8 dot = Vec8_Dot(a->along[i], b->along[j]);
    const grzD8 c = Vec8_Dot(a->along[i], between), f = Vec8_Dot(b->along[j], between);
    const grzD8 denominator = grzD8_Sub(grzD8_Mul(a->sq[i], b->sq[j]), grzD8_Mul(dot, dot));
    const grzD8 numerator = grzD8_Sub(grzD8_Mul(dot, f), grzD8_Mul(c, b->sq[j]));
    Candidate8 found;
    found.s = clamp8(grzD8_Mul(numerator, inverse8(denominator)));
    found.t = clamp8(grzD8_Mul(grzD8_Add(grzD8_Mul(dot, found.s), f), b->inverse[j]));
    found.s = clamp8(grzD8_Mul(grzD8_Sub(grzD8_Mul(dot, found.t), c), a->inverse[i]));
    const Vec8 toB = Vec8_SubScaled(Vec8_Scale(b->along[j], found.t), found.s, a->along[i]);
    found.apart = Vec8_Sub(toB, between);
    return found;
}

// ------------------------------------------------------------------------------------------------------------ faces

// A point p of the plane is corner 0 + u * edge + v * other, u = across[0] . (p - corner 0), v likewise.
typedef struct Face8 {
    Vec8 origin, edge, other, normal, across[2];
} Face8;

GRZ_SIMD_PART Face8 faceOf8(const Triangles8* triangles) {
    Face8 face;
    face.origin = triangles->corners[0];
    face.edge = Vec8_Sub(triangles->corners[1], triangles->corners[0]);
    face.other = Vec8_Sub(triangles->corners[2], triangles->corners[0]);
    face.normal = Vec8_Cross(face.edge, face.other);
    const grzD8 inverse = grzD8_Div(grzD8_Set1(1), Vec8_Dot(face.normal, face.normal));
    face.across[0] = Vec8_Scale(Vec8_Cross(face.other, face.normal), inverse);
    face.across[1] = Vec8_Scale(Vec8_Cross(face.normal, face.edge), inverse);
    return face;
}

// The corners of a triangle as a face of the other sees them.
typedef struct Seen8 {
    Vec8 from[3]; // the face's origin
    grzD8 u[3], v[3], height[3];
} Seen8;

GRZ_SIMD_PART Seen8 see8(const Face8* face, const Triangles8* triangles) {
    Seen8 seen;
    for (int k = 0; k < 3; ++k) {
        seen.from[k] = Vec8_Sub(triangles->corners[k], face->origin);
        seen.u[k] = Vec8_Dot(face->across[0], seen.from[k]);
        seen.v[k] = Vec8_Dot(face->across[1], seen.from[k]);
        seen.height[k] = Vec8_Dot(face->normal, seen.from[k]);
    }
    return seen;
}

GRZ_SIMD_PART grzM8 isInside8(grzD8 u, grzD8 v) {
    const grzM8 isAbove = grzM8_And(grzD8_LessEqual(grzD8_Zero(), u), grzD8_LessEqual(grzD8_Zero(), v));
    return grzM8_And(isAbove, grzD8_LessEqual(grzD8_Add(u, v), grzD8_Set1(1)));
}

// Leads from the face's point to one that is `from` its origin; the other way round where the face is B's.
GRZ_SIMD_PART Vec8 fromFace8(const Face8* face, Vec8 from, grzD8 u, grzD8 v, bool isFaceOfB) {
    const Vec8 apart = Vec8_SubScaled(Vec8_SubScaled(from, u, face->edge), v, face->other);
    return isFaceOfB ? Vec8_Sub((Vec8){grzD8_Zero(), grzD8_Zero(), grzD8_Zero()}, apart) : apart;
}

GRZ_SIMD_PART void offerCorners8(Nearest8* nearest, const Face8* face, const Seen8* seen, bool isFaceOfB) {
    for (int k = 0; k < 3; ++k) {
        const Candidate8 candidate = {fromFace8(face, seen->from[k], seen->u[k], seen->v[k], isFaceOfB), seen->u[k],
                                      seen->v[k]};
        offer8(nearest, &candidate, isInside8(seen->u[k], seen->v[k]), (isFaceOfB ? 9 : 12) + k);
    }
}

// Edges of the other triangle that go through the face. s: along the edge; the point of the face is not kept.
GRZ_SIMD_PART void offerCrossings8(Nearest8* nearest, const Face8* face, const Seen8* seen, bool isFaceOfB) {
    for (int k = 0; k < 3; ++k) {
        const int next = (k + 1) % 3;
        const grzD8 here = seen->height[k], there = seen->height[next];
        const grzM8 crosses = grzM8_Or(grzM8_And(isPositive8(here), grzD8_Less(there, grzD8_Zero())),
                                       grzM8_And(isPositive8(there), grzD8_Less(here, grzD8_Zero())));
        if (!grzM8_Any(crosses))
            continue;
        const grzD8 s = grzD8_Div(here, grzD8_Sub(here, there));
        const grzD8 u = grzD8_Add(seen->u[k], grzD8_Mul(s, grzD8_Sub(seen->u[next], seen->u[k])));
        const grzD8 v = grzD8_Add(seen->v[k], grzD8_Mul(s, grzD8_Sub(seen->v[next], seen->v[k])));
        const Vec8 edge = Vec8_Sub(seen->from[next], seen->from[k]);
        const Vec8 from = Vec8_Sub(seen->from[k], Vec8_Scale(edge, grzD8_Negate(s)));
        const Candidate8 candidate = {fromFace8(face, from, u, v, isFaceOfB), s, s};
        offer8(nearest, &candidate, grzM8_And(crosses, isInside8(u, v)), (isFaceOfB ? 15 : 18) + k);
    }
}

GRZ_SIMD_PART void offerFace8(Nearest8* nearest, const Triangles8* of, const Triangles8* other, bool isFaceOfB) {
    const Face8 face = faceOf8(of);
    const Seen8 seen = see8(&face, other);
    offerCorners8(nearest, &face, &seen, isFaceOfB);
    offerCrossings8(nearest, &face, &seen, isFaceOfB);
}

// ------------------------------------------------------------------------------------------------------------- all

// How far the corners lie apart along `apart`; 0 where that has no direction.
GRZ_SIMD_PART grzD8 gapAlong8(const Triangles8* a, const Triangles8* b, Vec8 apart, grzD8 sq) {
    grzD8 most = Vec8_Dot(a->corners[0], apart), least = Vec8_Dot(b->corners[0], apart);
    for (int k = 1; k < 3; ++k) {
        most = grzD8_Max(most, Vec8_Dot(a->corners[k], apart));
        least = grzD8_Min(least, Vec8_Dot(b->corners[k], apart));
    }
    const grzD8 gap = grzD8_Div(grzD8_Sub(least, most), grzD8_Sqrt(sq));
    return grzD8_Max(gap, grzD8_Zero()); // also for the NaN of 0 / 0
}

GRZ_SIMD_PART Nearest8 nearestOfTriangles8(const Triangles8* a, const Triangles8* b) {
    const Edges8 edgesA = edgesOf8(a), edgesB = edgesOf8(b);
    Nearest8 nearest;
    memset(&nearest, 0, sizeof nearest);
    nearest.sq = grzD8_Set1((double)INFINITY);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const Vec8 between = Vec8_Sub(a->corners[i], b->corners[j]);
            const Candidate8 candidate = nearestOfEdges8(&edgesA, i, &edgesB, j, between);
            offer8(&nearest, &candidate, grzM8_FromBits(0xFF), 3 * i + j);
        }
    }
    offerFace8(&nearest, b, a, true);
    offerFace8(&nearest, a, b, false);
    nearest.certain = gapAlong8(a, b, nearest.apart, nearest.sq);
    return nearest;
}

// The same for points and triangles; `apart` leads from the triangle to the point. Codes: i: edge i, at s; 3: the face.
GRZ_SIMD_PART Nearest8 nearestToPoints8(const Triangles8* triangles, Vec8 point) {
    const Edges8 edges = edgesOf8(triangles);
    const Face8 face = faceOf8(triangles);
    const Triangles8 points = {{point, point, point}};
    Nearest8 nearest;
    memset(&nearest, 0, sizeof nearest);
    nearest.sq = grzD8_Set1((double)INFINITY);
    for (int i = 0; i < 3; ++i) {
        const Vec8 from = Vec8_Sub(point, triangles->corners[i]);
        const grzD8 s = clamp8(grzD8_Mul(Vec8_Dot(edges.along[i], from), edges.inverse[i]));
        const Candidate8 candidate = {Vec8_SubScaled(from, s, edges.along[i]), s, s};
        offer8(&nearest, &candidate, grzM8_FromBits(0xFF), i);
    }
    const Vec8 from = Vec8_Sub(point, face.origin);
    const grzD8 u = Vec8_Dot(face.across[0], from), v = Vec8_Dot(face.across[1], from);
    const Candidate8 candidate = {fromFace8(&face, from, u, v, false), u, v};
    offer8(&nearest, &candidate, isInside8(u, v), 3);
    nearest.certain = gapAlong8(triangles, &points, nearest.apart, nearest.sq);
    return nearest;
}

#endif
