// Flightplans: how the vertices of a mesh are going to move, so that a hierarchy need not look at each of them at each
// frame.
//
//   grzFlightplanDef def = grzDefaultFlightplanDef();          // keyframes: straight from one to the next
//   def.vertexCount = 8;
//   result = grzFlightplan_Create(&def, &plan);
//   result = grzFlightplan_AddKeyframe(plan, 0.0, first, 0);
//   result = grzFlightplan_AddKeyframe(plan, 0.5, second, 0);
//   result = grzFlightplan_Evaluate(plan, tasks, 0.25, positions, 0);
//
//   def.kind = grz_planPaths;                                  // or: a path for each vertex, which may change at any time
//   def.positions = positions, def.velocities = velocities;
//   result = grzFlightplan_Create(&def, &plan);
//   grzFlightplanChange change = {vertices, count, NULL, newVelocities, NULL};
//   result = grzFlightplan_Change(plan, 0.125, &change);
//
// Where a vertex is. Time is taken down to a grid: of 2^-24 of the interval between two keyframes, or of
// 2^def.tickExponent seconds for paths. At a time of the grid the coordinate is a real number,
//     keyframes   (1 - s) a + s b,                   s: the part of the interval that has passed
//     paths       p + v h + a h h / 2,               h: the time since the path's last change
// rounded to the nearest double and that to the nearest float. Rounding keeps the order of numbers; so which vertex is the
// outermost is decided exactly, and a hierarchy that knows it has the very boxes that a look at all vertices gives.
//
// Units: seconds, and whatever the positions are in. Times are below 2^32 s in size, and those of paths below 2^52 ticks.
// Ownership: the plan copies paths; keyframes stay the host's, see AddKeyframe. Threads: any number may evaluate at a time; what
// changes the plan is called by one, with nobody evaluating.
// [Zachmann and Weller, Kinetic Bounding Volume Hierarchies for Collision Detection of Deformable Objects, TU
// Clausthal 2006], sections 3 and 8; paths of the second degree are an addition.
#ifndef GRAZE_FLIGHTPLAN_H
#define GRAZE_FLIGHTPLAN_H

#include "graze/linmath.h"
#include "graze/tasks.h"

GRZ_EXTERN_C_BEGIN

typedef struct grzFlightplan grzFlightplan;

typedef enum grzFlightplanKind {
    grz_planKeyframes = 0, // all vertices have a position at each keyframe
    grz_planPaths, // each has a position, a velocity and an acceleration of its own, since a time of its own
} grzFlightplanKind;

typedef struct grzFlightplanDef {
    uint32_t mark; // set by grzDefaultFlightplanDef; create refuses another
    grzFlightplanKind kind;
    size_t vertexCount;

    // For paths alone: how they begin, three floats a vertex, tight. Velocities and accelerations may be NULL: none.
    const float* positions;
    const float* velocities;
    const float* accelerations;
    double startTime;
    int32_t tickExponent; // -30 to 0

    grzAllocator allocator; // all zeros: the default one
} grzFlightplanDef;

// Keyframes, no vertices, ticks of 2^-20 s.
GRZ_API grzFlightplanDef grzDefaultFlightplanDef(void);

// Refused with *plan NULL: grz_badDef, grz_badArgument (value 1; the reason names the field), grz_tooLarge (2^30
// vertices or more), grz_notFinite (part vertex; index: the first), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzFlightplan_Create(const grzFlightplanDef* def, grzFlightplan** plan);

// NULL is fine.
GRZ_API void grzFlightplan_Destroy(grzFlightplan* plan);

// ---------------------------------------------------------------------------------------------------- keyframes

// The positions of all vertices at a time after that of the last keyframe. They are not copied: they stay where they
// are, unchanged, until the keyframe is dropped or the plan destroyed. Vertex i lies at positions + i * stride bytes;
// stride as in grzBvhDef. Refused, and nothing changed: grz_badArgument (value: the argument's place, with a reason;
// a plan of paths is 1), grz_notFinite (part vertex; index: the first), grz_tooLarge (2^28 keyframes), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzFlightplan_AddKeyframe(grzFlightplan* plan, double time, const float* positions,
                                                          size_t stride);

// Forgets the keyframes that no time from `time` on needs; at least the last one stays.
GRZ_API void grzFlightplan_DropKeyframes(grzFlightplan* plan, double time);

// How many keyframes there are.
GRZ_API size_t grzFlightplan_KeyframeCount(const grzFlightplan* plan);

// Where the positions of a keyframe lie.
typedef struct grzFlightplanFrame {
    const float* positions;
    size_t stride; // as for AddKeyframe
} grzFlightplanFrame;

// Appends vertices, of which the first is *first. frames[k] says where all positions of the k-th keyframe lie from now on,
// those of the vertices that were there being as before; what was given earlier is not read any more. NULL: where they lay,
// behind them those of the new ones. Refused, and nothing changed: grz_badArgument (value: the argument's place; part frame:
// in that one), grz_notFinite (part vertex; index: the first; value: the keyframe), grz_tooLarge. With count 0 keyframes come
// to lie elsewhere.
GRZ_NODISCARD GRZ_API grzResult grzFlightplan_AddFrameVertices(grzFlightplan* plan, size_t count,
                                                               const grzFlightplanFrame* frames, uint32_t* first);

// -------------------------------------------------------------------------------------------------------- paths

// New paths from one time on. Entry i is of vertices[i]; of several entries for a vertex the last counts. NULL positions: the
// vertices go on from where they are then, rounded to float. NULL velocities or accelerations: none.
typedef struct grzFlightplanChange {
    const uint32_t* vertices;
    size_t count;
    const float* positions; // three a vertex, as the others
    const float* velocities;
    const float* accelerations;
} grzFlightplanChange;

// O(count). Refused whole, and nothing changed: grz_badArgument (value 1: a plan of keyframes; 2: a time before that of the
// last change, or no time), grz_indexTooLarge (part vertex; index: the entry; value: the vertex), grz_notFinite (part vertex;
// index: the entry, of a number that is none, or of a vertex that has left the range of float and is to go on from there).
GRZ_NODISCARD GRZ_API grzResult grzFlightplan_Change(grzFlightplan* plan, double time,
                                                     const grzFlightplanChange* change);

// Appends `change->count` vertices, of which trees on the plan know nothing until they follow an edit
// (graze/bvh_edit.h; box trees: grzBoxTree_AddVertices is to be called in place of this). The list of vertices is not
// read and may be NULL, but positions are needed. The first new one is *first. Refused as Change; also grz_tooLarge,
// grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzFlightplan_AddVertices(grzFlightplan* plan, double time,
                                                          const grzFlightplanChange* change, uint32_t* first);

// ------------------------------------------------------------------------------------------------------ queries

// From when to when positions are known: keyframes: of the first and of the last one; nothing known: begin > end. Paths: from
// the last change on, up to the limit of times, which is none of them.
typedef struct grzFlightplanRange {
    double begin, end;
} grzFlightplanRange;

GRZ_API grzFlightplanRange grzFlightplan_GetRange(const grzFlightplan* plan);
GRZ_API size_t grzFlightplan_VertexCount(const grzFlightplan* plan);

// Where a vertex is, by the rule above; *position is 0 where it is refused: grz_indexTooLarge (value: the vertex),
// grz_badArgument (value 3: a time outside the range).
GRZ_NODISCARD GRZ_API grzResult grzFlightplan_Locate(const grzFlightplan* plan, uint32_t vertex, double time,
                                                     grzVec3* position);

// All vertices, into positions + i * stride. The same bytes for any number of workers and at every SIMD level. Refused, with
// nothing written: grz_badArgument (value 3: the time; 4: positions is NULL; 5: the stride).
GRZ_NODISCARD GRZ_API grzResult grzFlightplan_Evaluate(const grzFlightplan* plan, grzTasks* tasks, double time,
                                                       float* positions, size_t stride);

// Some vertices, each into positions + 3 * vertex; the others' places stay as they are. Refused, with nothing written: grz_badArgument
// (value 2: the time; 3: vertices is NULL with a count; 5: positions is NULL), grz_indexTooLarge (part vertex; index: the place in the
// list; value: what stands there).
GRZ_NODISCARD GRZ_API grzResult grzFlightplan_EvaluateSome(const grzFlightplan* plan, double time,
                                                           const uint32_t* vertices, size_t count,
                                                           float* positions);

// Checks every promise: times that are finite and rise, keyframes that are still as finite as when they were added, paths of
// finite numbers that begin no later than the last change; for tests and for doubts. O(V) for each keyframe. False where one is
// broken; the first is logged as an error.
GRZ_API bool grzFlightplan_Validate(const grzFlightplan* plan);

GRZ_EXTERN_C_END

#endif
