// When two rigid bodies in motion touch first: convex shapes, triangle models, or one of each.
//
//   grzSweepQuery query = grzDefaultSweepQuery();
//   query.a.shape = grzMakeSphere(grzVec3_Zero(), 0.1f);
//   query.a.motion = grzSweepMotion_Between(poseBefore, poseAfter, grzVec3_Zero());
//   query.b.model = terrain;
//   grzSweepImpact impact;
//   grzResult result = grzSweep_Find(&query, &impact);
//   if (impact.outcome != grz_sweepFree) ...                   // not before impact.toi
//
// What is told. Time runs from 0 to 1, both included. Before toi the bodies have no point in common, in real arithmetic of the
// numbers as given, however fast they are and however thin: there is no miss. At toi they are no farther apart than the
// tolerance (measure). So what passes by at less than that may be told to touch; what is told to be free is free.
//
// Shapes are solid; models are surfaces, as in model_shape.h. Bodies that touch, or are within the tolerance, at the start have
// toi 0. Answers depend on the query and on the models' hierarchies (by less than the tolerance), not on the SIMD level or the
// number of workers; swapping A and B, too, changes toi by no more than the tolerance takes.
//
// Cost: of two convex shapes 1 to 4 us. Motion that brings them nearer takes a few steps, each a search for the closest points;
// motion along a surface, nearer than some tolerances, takes more, up to sqrt(turns / tolerance) or so; mostSteps bounds the work.
//
// Any number of threads may ask at a time. Nothing allocates; a query takes some 30 KB of stack. Coordinates up to 1e15. Rounding must
// be to nearest. Whether the host takes numbers below the normal ones for 0 does not matter; a model's hierarchy, though, must not
// have been built so.
#ifndef GRAZE_SWEEP_H
#define GRAZE_SWEEP_H

#include "graze/convex_pairs.h"
#include "graze/model.h"
#include "graze/records.h"
#include "graze/tasks.h"

GRZ_EXTERN_C_BEGIN

#define GRZ_SWEEP_TOLERANCE     1e-4   // of the smaller body's size, unless a query says otherwise
#define GRZ_SWEEP_MOST_ROTATION 1000.0 // radians in a step

// A rigid motion: at time t, what `pose` places at p is at
//     center + t * translation + R(t) (p - center)      R(t): the turn by t * |rotation| radians about the axis `rotation`
// so the centre goes along a line, and all turns about it at a constant rate, any number of times.
typedef struct grzSweepMotion {
    grzTransform pose;   // at t = 0, from the body's frame to the world; affine
    grzVec3 center;      // in the world, at t = 0
    grzVec3 translation; // of the centre, in all
    grzVec3 rotation;    // axis times angle, in all
} grzSweepMotion;

GRZ_API grzSweepMotion grzSweepMotion_Rest(grzTransform pose);

// From one rigid pose to the other: the point `center` of the body's frame goes along a line, and the body turns the shorter way.
// The last pose is met up to rounding to floats.
GRZ_API grzSweepMotion grzSweepMotion_Between(grzTransform before, grzTransform after, grzVec3 center);

// A turn by `angle` radians about the axis through `point` along `direction` (of any length but 0), and on by `advance` along it.
GRZ_API grzSweepMotion grzSweepMotion_Screw(grzTransform pose, grzVec3 point, grzVec3 direction, float angle,
                                            float advance);

// The same places, from the end to the start; up to rounding to floats.
GRZ_API grzSweepMotion grzSweepMotion_Reverse(const grzSweepMotion* motion);

// Where the body is at a time, rounded to floats.
GRZ_API grzTransform grzSweepMotion_PoseAt(const grzSweepMotion* motion, double t);

// How far any point within `radius` of the axis (through the centre, along rotation) goes along a direction of unit length, at
// most, from t0 to t1 >= t0: (t1 - t0) (translation . d + |rotation x d| radius), rounded up. Negative: they all go the other way.
GRZ_API double grzSweepMotion_Bound(const grzSweepMotion* motion, grzVec3 direction, double radius, double t0,
                                    double t1);

// Where the triangles of a model that deforms come from: corners go along lines in the model's frame, and the model holds where they
// are at t = 1. The motion of such a model must not turn.
typedef struct grzSweepStarts {
    // The corners of a triangle, in the caller's numbers, at t = 0. Called from several threads at a time.
    void (*get)(const void* context, uint32_t triangle, grzVec3 corners[3]);
    const void* context;
    float mostWay; // no corner goes farther
} grzSweepStarts;

// A model, or a shape where that is NULL. What they name is the host's and must live as long.
typedef struct grzSweepBody {
    const grzModel* model;
    grzConvex shape;
    grzSweepMotion motion;
    const grzSweepStarts* starts; // of a model that deforms; else NULL
    bool isOneSided;              // of a model: a triangle that is come to from behind is not touched
} grzSweepBody;

typedef struct grzSweepQuery {
    uint32_t mark;      // set by grzDefaultSweepQuery; calls refuse another
    uint32_t mostSteps; // 0: as many as it takes
    grzSweepBody a, b;
    // A length, above 0; or 0: GRZ_SWEEP_TOLERANCE times the size (the diagonal of the box in its frame) of the smaller body, or
    // of the other if that is a point. Raised to what doubles can tell, some 1e-12 of sizes and ways.
    double tolerance;
    bool ignoresStart; // triangles and shapes that touch each other at the start are taken not to touch
} grzSweepQuery;

// Bodies at rest of no shape, the default tolerance, as many steps as it takes.
GRZ_API grzSweepQuery grzDefaultSweepQuery(void);

typedef enum grzSweepOutcome {
    grz_sweepFree = 0,  // they do not touch
    grz_sweepTouches,   // they are no farther apart than `measure` at toi
    grz_sweepUndecided, // the steps were used up: not before toi; what comes after is not known
} grzSweepOutcome;

typedef struct grzSweepImpact {
    grzSweepOutcome outcome;
    // grz_exact: free, or overlapping at the start for certain. Else grz_conservative.
    uint32_t certainty;
    double toi;      // no contact before; 1 where free
    double measure;  // touching: they are no farther apart at toi; 0 where exact, infinite where undecided
    double distance; // touching: at most so much at toi
    // Where touching, in the world, at toi: a point of each surface, and from A to B, of unit length. Where they overlap: a point
    // of both, as far as can be told, and a normal of 0.
    grzVec3d pointA, pointB, normal;
    // Of models: the triangle in the caller's numbers, and the part of it: corner 0 to 2, edge i from corner i on, face 0. Of
    // shapes: GRZ_NO_TRIANGLE, and features as convex.h has them.
    uint32_t triangleA, triangleB;
    grzFeature featureA, featureB;
    uint32_t steps; // searches for closest points, and boxes opened
    uint32_t pad;
} grzSweepImpact;

// Refused, with *impact "free" and zeros:
//   grz_badDef        the mark
//   grz_badArgument   (value 1: A, 2: B; the reason says which field) a shape outside its contract; a rotation beyond
//                     GRZ_SWEEP_MOST_ROTATION; starts of a shape, or of a model that turns. (value 3) a tolerance below 0
//   grz_notFinite     (value likewise) a NaN, an infinity, or a number beyond 1e15; a model with such coordinates
GRZ_NODISCARD GRZ_API grzResult grzSweep_Find(const grzSweepQuery* query, grzSweepImpact* impact);

// Many queries on the workers of tasks (NULL: the calling thread): impacts[i] is what grzSweep_Find says of queries[i], the same
// bytes for any number of workers. Refused: grz_badDef for NULL with a count; what it says of the first query that is refused, with
// part element and index its number; all impacts are free and zeros then.
GRZ_NODISCARD GRZ_API grzResult grzSweep_FindMany(grzTasks* tasks, const grzSweepQuery* queries, uint32_t count,
                                                  grzSweepImpact* impacts);

GRZ_EXTERN_C_END

#endif
