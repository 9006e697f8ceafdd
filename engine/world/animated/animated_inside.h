// What: how an animated mesh lies in memory, and its parts.
//
//   animated_body     making it, a step, what the pipeline reads
//   animated_motion   what the host changes: keyframes, velocities, vertices
//   animated_pages    where it is: positions and the hierarchy's chunks, made where they are read
//
// Idea: of all three motions there is one plan and one hierarchy, which the upkeep keeps valid, and positions of the start and the end
//   of the step.
//
//   motion       plan        its clock                   what the host gives
//   keyframes    keyframes   the world's                 a keyframe; one of where it stands now, if it stood still
//   velocities   paths       the world's                 kept, and handed to the plan with the next step
//   vertices     keyframes   1 a step with new vertices  kept; the next step makes a keyframe of it
//
//   Plans of keyframes have two vertices more, without triangles: the corners of the box around each keyframe. Since positions
//   between keyframes are rounded in a way that keeps order, the plan itself tells a box of any time.
// Holds: frames are those of the plan. A frame's positions may be those of the one before. `spare` has room for all buffers, so
//   that giving one back cannot fail.
#ifndef GRAZE_WORLD_ANIMATED_INSIDE_H
#define GRAZE_WORLD_ANIMATED_INSIDE_H

#include "animated_body.h"
#include "array.h"
#include "counted_memory.h"
#include "once_flag.h"
#include "uses.h"

#define GRZ_ANIMATED_RANGE 1e15f // of coordinates and speeds, as for convex shapes

typedef struct AnimatedFrame {
    double time; // of the plan's clock
    float* positions;
    float way; // no vertex goes farther from the frame before to this one
} AnimatedFrame;

typedef struct AnimatedFrames {
    GRZ_ARRAY(AnimatedFrame);
} AnimatedFrames;

typedef struct AnimatedBuffers {
    GRZ_ARRAY(float*);
} AnimatedBuffers;

typedef struct AnimatedFloats {
    GRZ_ARRAY(float);
} AnimatedFloats;

typedef struct AnimatedIndices {
    GRZ_ARRAY(uint32_t);
} AnimatedIndices;

// The mesh at one time. Its vertices are evaluated by pages: those that the hierarchy first comes to in a chunk, which follow
// each other in its numbers; behind the last chunk those without a triangle.
typedef struct AnimatedEnd {
    double planTime; // on the plan's clock; at the end of the step the upkeep stands there
    grzBox box;
    float* positions;   // in the mesh's numbers; planVertices
    grzOnceFlag* pages; // pageCount
} AnimatedEnd;

struct grzAnimatedBody {
    grzCountedMemory memory;
    grzAnimatedMotion motion;
    const grzMesh* source; // the host's
    grzMeshView mesh;      // of it
    size_t planVertices;   // those of the mesh, and two for frames

    grzBvh* bvh;
    grzFlightplan* plan;
    grzUpkeep* upkeep;
    double time;          // of the world: the end of the last step
    grzResult lastResult; // of Advance

    AnimatedEnd ends[2]; // of the last step: its end, and its start
    bool isStill;        // in the last step: the start was as the end, and is not looked at
    float mostMotion;    // in the last step
    uint32_t pageCount;
    uint32_t* pageStarts; // pageCount + 1
    uint32_t* pageOf;     // by vertex, in the mesh's numbers
    _Atomic uint64_t evaluated;

    AnimatedFrames frames;
    AnimatedBuffers buffers, spare; // of frames; those that no frame has
    float* target;                  // of the next step; NULL: none

    float* velocities;        // of all vertices, three each; what `changed` says is among them
    grzVec3 slowest, fastest; // of all of them, axis by axis
    AnimatedIndices changed;  // since the last step
    AnimatedFloats changes;   // their velocities
    bool isStale;             // the upkeep was told of changes, and not advanced since
    bool isStopped;           // until Release
    AnimatedFloats kept;      // the velocities before Stop

    grzModel* model; // of chunks, from the upkeep and the pages
    grzModelEdges* edges;
};

// Of so many vertices.
grzBox grzAnimatedBody_BoxOf(const float* positions, size_t count);

// ---- animated_pages ----

// Pages, and the model over them. The hierarchy, the plan and the upkeep are there. What is made stays for Release.
grzResult grzAnimatedPages_Make(grzAnimatedBody* animated);
void grzAnimatedPages_Release(grzAnimatedBody* animated);

// The end becomes the start, and all of the end is to be made again, at a time of the plan.
void grzAnimatedPages_GoOn(grzAnimatedBody* animated, double planTime, grzBox box);

// The plan knows nothing any more of before the end: unless all of the start was read, the step counts as one in which nothing
// moved.
void grzAnimatedPages_ForgetStart(grzAnimatedBody* animated);

// ---- animated_motion ----

// Before a step: what the host gave becomes part of the plan.
grzResult grzAnimatedBody_TakeChanges(grzAnimatedBody* animated, grzTasks* tasks);

// After it: frames that are past are forgotten.
void grzAnimatedBody_DropFrames(grzAnimatedBody* animated);

// The first frame, of positions of the mesh's vertices.
grzResult grzAnimatedBody_AddFirstFrame(grzAnimatedBody* animated, double time, const float* positions);

// animated_body.c: the first of `count` vectors that is not finite or beyond the range; count: none.
uint32_t grzAnimated_FirstBeyond(const float* numbers, uint32_t count);

#endif
