// What: how an animated mesh lies in memory, and its parts.
//
//   animated_body     making it, a step, what the pipeline reads
//   animated_motion   what the host changes: keyframes, velocities, vertices
//
// Idea: of all three motions there is one plan and one hierarchy, and positions of the start and the end of the step, evaluated.
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
#include "uses.h"

typedef struct AnimatedFrame {
    double time; // of the plan's clock
    float* positions;
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

struct grzAnimatedBody {
    grzCountedMemory memory;
    grzAnimatedMotion motion;
    const grzMesh* source; // the host's
    grzMeshView mesh;      // of it
    size_t planVertices;   // those of the mesh, and two for frames

    grzBvh* bvh;
    grzFlightplan* plan;
    grzUpkeep* upkeep;
    double time;     // of the world: the end of the last step
    double planTime; // where the upkeep stands, on the plan's clock

    float* ends[3]; // positions: of the end of the last step, of its start, and room for the next; planVertices
    bool isStill;   // in the last step: the start was as the end
    grzBox box;     // around the end

    AnimatedFrames frames;
    AnimatedBuffers buffers, spare; // of frames; those that no frame has
    float* target;                  // of the next step; NULL: none

    float* velocities;        // of all vertices, three each; what `changed` says is among them
    grzVec3 slowest, fastest; // of all of them, axis by axis
    AnimatedIndices changed;  // since the last step
    AnimatedFloats changes;   // their velocities
    bool isStale;             // the upkeep was told of changes, and not advanced since

    grzModel* model; // made when it is first asked for
    grzModelSurface* surface;
    bool isModelCurrent;
};

// Of so many vertices.
grzBox grzAnimatedBody_BoxOf(const float* positions, size_t count);

// Before a step: what the host gave becomes part of the plan.
grzResult grzAnimatedBody_TakeChanges(grzAnimatedBody* animated, grzTasks* tasks);

// After it: frames that are past are forgotten.
void grzAnimatedBody_DropFrames(grzAnimatedBody* animated);

// The first frame, of positions of the mesh's vertices.
grzResult grzAnimatedBody_AddFirstFrame(grzAnimatedBody* animated, double time, const float* positions);

#endif
