// What: the distance of two triangles, TRI_LANES pairs at once, in doubles.
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
// Cost: some 1100 operations, 170 to 300 ns for eight pairs.
// Based on: [Ericson, Real-Time Collision Detection, 2005] section 5.1.9 for segments.
#ifndef GRAZE_NARROWPHASE_TRI_DISTANCE_H
#define GRAZE_NARROWPHASE_TRI_DISTANCE_H

#include "lane_vec3.h"

#if GRZ_SIMD_IS(avx512)
#    define TRI_LANES 8
GRZ_LANE_VEC3(Vector, grzD8, grzM8)
#else
#    define TRI_LANES 4 // of eight, most would be in memory, and the code would be twice as long
GRZ_LANE_VEC3(Vector, grzD4, grzM4)
#endif
#define F(Verb) GRZ_SIMD_VERB(F, TRI_LANES, Verb)
#define D(Verb) GRZ_SIMD_VERB(D, TRI_LANES, Verb)
#define M(Verb) GRZ_SIMD_VERB(M, TRI_LANES, Verb)

typedef GRZ_SIMD_TYPE(D, TRI_LANES) Doubles;
typedef GRZ_SIMD_TYPE(M, TRI_LANES) Mask;

typedef struct Triangles {
    Vector corners[3];
} Triangles;

typedef struct Nearest {
    Doubles sq, certain;
    Vector apart;
    Doubles code, s, t; // of the candidate; s, t: along edges A and B, or across the face
} Nearest;

// To 0 .. 1; a NaN to 0.
GRZ_SIMD_PART Doubles clamp(Doubles x) {
    return D(Min)(D(Max)(x, D(Zero)()), D(Set1)(1));
}

GRZ_SIMD_PART Mask arePositive(Doubles x) {
    return D(Less)(D(Zero)(), x);
}

// 0 for what is not above 0.
GRZ_SIMD_PART Doubles inverseOrZero(Doubles x) {
    return D(Select)(arePositive(x), D(Div)(D(Set1)(1), x), D(Zero)());
}

// ------------------------------------------------------------------------------------------------------- candidates

typedef struct Candidate {
    Vector apart;
    Doubles s, t;
} Candidate;

// Takes it where it is nearer, among those of the mask.
GRZ_SIMD_PART void offer(Nearest* nearest, const Candidate* candidate, Mask mask, double code) {
    const Doubles sq = Vector_Dot(candidate->apart, candidate->apart);
    const Mask isNearer = M(And)(mask, D(Less)(sq, nearest->sq));
    nearest->sq = D(Select)(isNearer, sq, nearest->sq);
    nearest->apart = Vector_Select(isNearer, candidate->apart, nearest->apart);
    nearest->code = D(Select)(isNearer, D(Set1)(code), nearest->code);
    nearest->s = D(Select)(isNearer, candidate->s, nearest->s);
    nearest->t = D(Select)(isNearer, candidate->t, nearest->t);
}

typedef struct Edges {
    Vector along[3]; // edge i leads from corner i to corner (i + 1) % 3
    Doubles sq[3], inverse[3];
} Edges;

GRZ_SIMD_PART Edges edgesOf(const Triangles* triangles) {
    Edges edges;
    for (int i = 0; i < 3; ++i) {
        edges.along[i] = Vector_Sub(triangles->corners[(i + 1) % 3], triangles->corners[i]);
        edges.sq[i] = Vector_Dot(edges.along[i], edges.along[i]);
        edges.inverse[i] = inverseOrZero(edges.sq[i]);
    }
    return edges;
}

// Edges i and j, from whose first corners `between` leads, B's to A's. Each step goes to the nearest point of one edge, so
// that the rounding of the first, which is bad for edges that are almost parallel, does no harm.
GRZ_SIMD_PART Candidate nearestOfEdges(const Edges* a, int i, const Edges* b, int j, Vector between) {
    const Doubles dot = Vector_Dot(a->along[i], b->along[j]);
    const Doubles c = Vector_Dot(a->along[i], between), f = Vector_Dot(b->along[j], between);
    const Doubles denominator = D(Sub)(D(Mul)(a->sq[i], b->sq[j]), D(Mul)(dot, dot));
    const Doubles numerator = D(Sub)(D(Mul)(dot, f), D(Mul)(c, b->sq[j]));
    Candidate found;
    found.s = clamp(D(Mul)(numerator, inverseOrZero(denominator)));
    found.t = clamp(D(Mul)(D(Add)(D(Mul)(dot, found.s), f), b->inverse[j]));
    found.s = clamp(D(Mul)(D(Sub)(D(Mul)(dot, found.t), c), a->inverse[i]));
    const Vector toB = Vector_SubScaled(Vector_Scale(b->along[j], found.t), found.s, a->along[i]);
    found.apart = Vector_Sub(toB, between);
    return found;
}

// ------------------------------------------------------------------------------------------------------------ faces

// A point p of the plane is corner 0 + u * edge + v * other, u = across[0] . (p - corner 0), v likewise.
typedef struct Face {
    Vector origin, edge, other, normal, across[2];
} Face;

GRZ_SIMD_PART Face faceOf(const Triangles* triangles) {
    Face face;
    face.origin = triangles->corners[0];
    face.edge = Vector_Sub(triangles->corners[1], triangles->corners[0]);
    face.other = Vector_Sub(triangles->corners[2], triangles->corners[0]);
    face.normal = Vector_Cross(face.edge, face.other);
    const Doubles inverse = D(Div)(D(Set1)(1), Vector_Dot(face.normal, face.normal));
    face.across[0] = Vector_Scale(Vector_Cross(face.other, face.normal), inverse);
    face.across[1] = Vector_Scale(Vector_Cross(face.normal, face.edge), inverse);
    return face;
}

// The corners of a triangle as a face of the other sees them.
typedef struct Seen {
    Vector from[3]; // the face's origin
    Doubles u[3], v[3], height[3];
} Seen;

GRZ_SIMD_PART Seen see(const Face* face, const Triangles* triangles) {
    Seen seen;
    for (int k = 0; k < 3; ++k) {
        seen.from[k] = Vector_Sub(triangles->corners[k], face->origin);
        seen.u[k] = Vector_Dot(face->across[0], seen.from[k]);
        seen.v[k] = Vector_Dot(face->across[1], seen.from[k]);
        seen.height[k] = Vector_Dot(face->normal, seen.from[k]);
    }
    return seen;
}

GRZ_SIMD_PART Mask areInside(Doubles u, Doubles v) {
    const Mask isAbove = M(And)(D(LessEqual)(D(Zero)(), u), D(LessEqual)(D(Zero)(), v));
    return M(And)(isAbove, D(LessEqual)(D(Add)(u, v), D(Set1)(1)));
}

// Leads from the face's point to one that is `from` its origin; the other way round where the face is B's.
GRZ_SIMD_PART Vector fromFace(const Face* face, Vector from, Doubles u, Doubles v, bool isFaceOfB) {
    const Vector apart = Vector_SubScaled(Vector_SubScaled(from, u, face->edge), v, face->other);
    return isFaceOfB ? Vector_Sub((Vector){D(Zero)(), D(Zero)(), D(Zero)()}, apart) : apart;
}

GRZ_SIMD_PART void offerCorners(Nearest* nearest, const Face* face, const Seen* seen, bool isFaceOfB) {
    for (int k = 0; k < 3; ++k) {
        const Candidate candidate = {fromFace(face, seen->from[k], seen->u[k], seen->v[k], isFaceOfB), seen->u[k],
                                     seen->v[k]};
        offer(nearest, &candidate, areInside(seen->u[k], seen->v[k]), (isFaceOfB ? 9 : 12) + k);
    }
}

// Edges of the other triangle that go through the face. s: along the edge; the point of the face is not kept.
GRZ_SIMD_PART void offerCrossings(Nearest* nearest, const Face* face, const Seen* seen, bool isFaceOfB) {
    for (int k = 0; k < 3; ++k) {
        const int next = (k + 1) % 3;
        const Doubles here = seen->height[k], there = seen->height[next];
        const Mask crosses = M(Or)(M(And)(arePositive(here), D(Less)(there, D(Zero)())),
                                   M(And)(arePositive(there), D(Less)(here, D(Zero)())));
        if (!M(Any)(crosses))
            continue;
        const Doubles s = D(Div)(here, D(Sub)(here, there));
        const Doubles u = D(Add)(seen->u[k], D(Mul)(s, D(Sub)(seen->u[next], seen->u[k])));
        const Doubles v = D(Add)(seen->v[k], D(Mul)(s, D(Sub)(seen->v[next], seen->v[k])));
        const Vector edge = Vector_Sub(seen->from[next], seen->from[k]);
        const Vector from = Vector_Sub(seen->from[k], Vector_Scale(edge, D(Negate)(s)));
        const Candidate candidate = {fromFace(face, from, u, v, isFaceOfB), s, s};
        offer(nearest, &candidate, M(And)(crosses, areInside(u, v)), (isFaceOfB ? 15 : 18) + k);
    }
}

GRZ_SIMD_PART void offerFace(Nearest* nearest, const Triangles* of, const Triangles* other, bool isFaceOfB) {
    const Face face = faceOf(of);
    const Seen seen = see(&face, other);
    offerCorners(nearest, &face, &seen, isFaceOfB);
    offerCrossings(nearest, &face, &seen, isFaceOfB);
}

// ------------------------------------------------------------------------------------------------------------- all

// How far the corners lie apart along `apart`; 0 where that has no direction.
GRZ_SIMD_PART Doubles gapAlong(const Triangles* a, const Triangles* b, Vector apart, Doubles sq) {
    Doubles most = Vector_Dot(a->corners[0], apart), least = Vector_Dot(b->corners[0], apart);
    for (int k = 1; k < 3; ++k) {
        most = D(Max)(most, Vector_Dot(a->corners[k], apart));
        least = D(Min)(least, Vector_Dot(b->corners[k], apart));
    }
    const Doubles gap = D(Div)(D(Sub)(least, most), D(Sqrt)(sq));
    return D(Max)(gap, D(Zero)()); // also for the NaN of 0 / 0
}

GRZ_SIMD_PART Nearest nearestOfTriangles(const Triangles* a, const Triangles* b) {
    const Edges edgesA = edgesOf(a), edgesB = edgesOf(b);
    Nearest nearest;
    memset(&nearest, 0, sizeof nearest);
    nearest.sq = D(Set1)((double)INFINITY);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const Vector between = Vector_Sub(a->corners[i], b->corners[j]);
            const Candidate candidate = nearestOfEdges(&edgesA, i, &edgesB, j, between);
            offer(&nearest, &candidate, M(FromBits)((1u << TRI_LANES) - 1), 3 * i + j);
        }
    }
    offerFace(&nearest, b, a, true);
    offerFace(&nearest, a, b, false);
    nearest.certain = gapAlong(a, b, nearest.apart, nearest.sq);
    return nearest;
}

// The same for points and triangles; `apart` leads from the triangle to the point. Codes: i: edge i, at s; 3: the face.
GRZ_SIMD_PART Nearest nearestToPoints(const Triangles* triangles, Vector point) {
    const Edges edges = edgesOf(triangles);
    const Face face = faceOf(triangles);
    const Triangles points = {{point, point, point}};
    Nearest nearest;
    memset(&nearest, 0, sizeof nearest);
    nearest.sq = D(Set1)((double)INFINITY);
    for (int i = 0; i < 3; ++i) {
        const Vector from = Vector_Sub(point, triangles->corners[i]);
        const Doubles s = clamp(D(Mul)(Vector_Dot(edges.along[i], from), edges.inverse[i]));
        const Candidate candidate = {Vector_SubScaled(from, s, edges.along[i]), s, s};
        offer(&nearest, &candidate, M(FromBits)((1u << TRI_LANES) - 1), i);
    }
    const Vector from = Vector_Sub(point, face.origin);
    const Doubles u = Vector_Dot(face.across[0], from), v = Vector_Dot(face.across[1], from);
    const Candidate candidate = {fromFace(&face, from, u, v, false), u, v};
    offer(&nearest, &candidate, areInside(u, v), 3);
    nearest.certain = gapAlong(triangles, &points, nearest.apart, nearest.sq);
    return nearest;
}

#endif
