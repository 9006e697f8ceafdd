// Continuous collision of two features: whether a vertex and a triangle, or two edges, touch while all four points move along
// lines, and when first.
//
//   grzCcdQuery query = {grz_ccdVertexFace, {{p0, a0, b0, c0}, {p1, a1, b1, c1}}};      // at t = 0 and at t = 1
//   grzCcdImpact impact;
//   grzResult result = grzCcd_FindImpact(&query, 0, &impact);
//   if (impact.touches) ...  // not before impact.t0, and at some time up to impact.t1
//
// Exact: whether they touch is what real arithmetic says of the numbers as given, for t from 0 to 1, both included, and touching is
// having a point in common. There is no tolerance and no parameter. Triangles without area, edges without length, points at
// rest, motion within a plane and parallel edges are queries like any other; so are numbers below the normal ones.
//
// The limit of this: where an axis's eight numbers, written as whole numbers of one unit, take more than GRZ_CCD_BITS bits (the
// greatest of them has 2^459 times the size of the smallest, say), the answer is that they touch, from 0 to 1, and its
// certainty is grz_conservative. For floats this does not happen.
//
// Threads: pure functions of their arguments; they take no memory but up to 160 KiB of the stack, and that for numbers of more
// than a hundred bits only. Rounding must be to nearest. Modes of the processor that take numbers below the normal ones for 0 do
// not make an answer wrong; which of the queries beyond the limit are still certain may depend on them.
// Cost: 0.05 to 0.3 us for nearly all queries; some us where points lie in one plane, touch at a vertex, or are at rest. Many at
// once: graze/ccd_pairs.h; all of a mesh: graze/ccd_step.h.
// [Provot, Collision and self-collision handling in cloth model dedicated to design garments, 1997] for the cubic; see docs/ccd.md.
#ifndef GRAZE_CCD_H
#define GRAZE_CCD_H

#include "graze/config.h"
#include "graze/records.h"
#include "graze/result.h"

GRZ_EXTERN_C_BEGIN

#define GRZ_CCD_BITS  512 // of whole numbers along an axis, up to which answers are exact
#define GRZ_CCD_DEPTH 30  // times are told in steps of 2^-GRZ_CCD_DEPTH unless another depth is asked for

typedef enum grzCcdKind {
    grz_ccdVertexFace = 0, // points: the vertex, and the triangle's corners
    grz_ccdEdgeEdge,       // points: the ends of one edge, and those of the other
} grzCcdKind;

// points[0] at t = 0, points[1] at t = 1; of each point x, y and z.
typedef struct grzCcdQuery {
    grzCcdKind kind;
    double points[2][4][3];
} grzCcdQuery;

typedef struct grzCcdImpact {
    bool touches;
    uint32_t certainty; // grz_exact or grz_conservative: see above
    // Where they touch: not before t0, and where it is exact, at some time in [t0, t1]. Neighbours in the grid of
    // 2^-depth, or the same where the time lies on it; 0 and 1 where that they touch is certain and when would take more than
    // GRZ_CCD_BITS. 1 and 1 where they do not.
    double t0, t1;
    // Where, at about that time, rounded: weights of the four points. Vertex and face: 1, and those of the corners, which
    // add up to 1; edges: those of the ends of each add up to 1.
    double weights[4];
    // How far they are from each other at t0, rounded: what is left where a host moves all to t0. 0 where t0 is when they touch.
    double separation;
    // From the triangle to the side that the vertex comes from, or from the second edge to the side of the first, of length 1,
    // rounded; 0 where there is none.
    double normal[3];
} grzCcdImpact;

// Whether they touch. Refused: grz_badArgument (value 1: no query, or an unknown kind; 2: no place for the answer),
// grz_notFinite (part vertex; index: of points, counting on through t = 1). *touches is false then. certainty may be
// NULL.
GRZ_NODISCARD GRZ_API grzResult grzCcd_Touches(const grzCcdQuery* query, bool* touches, grzCertainty* certainty);

// And when first, and where. depth: 1 to 52, or 0 for GRZ_CCD_DEPTH. Refused likewise; also grz_badArgument 2: the depth, 3: no
// place. *impact says that they do not touch then.
GRZ_NODISCARD GRZ_API grzResult grzCcd_FindImpact(const grzCcdQuery* query, int depth, grzCcdImpact* impact);

// Which of two queries touches first: *order becomes -1 (a), 0 (at the same time) or 1 (b), as real arithmetic would
// say, however near the times are. What does not touch comes after all that does, and is as late as what does not
// either. *certainty is grz_conservative where one of them, or its time, is beyond GRZ_CCD_BITS and may be first; the
// order is that of impact.t0 then. Cost: that of finding both impacts; where they are in one cell of 2^-52, some us
// more. Refused: grz_badArgument (value 1, 2: as above, of a and b; 3: no place for the answer), grz_notFinite (index:
// counting on from 8 for b); *order is 0 then. certainty may be NULL.
GRZ_NODISCARD GRZ_API grzResult grzCcd_CompareImpacts(const grzCcdQuery* a, const grzCcdQuery* b, int* order,
                                                      grzCertainty* certainty);

// What decides a query, the cheapest first.
typedef enum grzCcdStage {
    grz_ccdBoxes = 0, // all of one feature on one side of the other along an axis, at both ends
    grz_ccdVolume,    // never in one plane
    grz_ccdDirection, // on one side of it in some direction
    grz_ccdAreas,     // the signs of areas and of the volume, in the whole time or in pieces of it
    grz_ccdIntegers,  // all of the above are in doubt: whole numbers
    grz_ccdStageCount,
} grzCcdStage;

// Which stage grzCcd_Touches ends with; for profiles. The query is one that it takes.
GRZ_API grzCcdStage grzCcd_StageOf(const grzCcdQuery* query);

GRZ_EXTERN_C_END

#endif
