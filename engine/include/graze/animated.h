// Meshes that the host animates: by keyframes, by velocities of their vertices, or by new vertices in each frame. Other bodies
// meet them; nothing moves them.
//
//   grzAnimatedDef def = grzDefaultAnimatedDef();
//   def.mesh = mesh, def.motion = grz_animateKeyframes;
//   result = grzWorld_AddAnimated(world, &def, &id);
//   result = grzWorld_AddKeyframe(world, id, 0.5, positions);   // at half a second of the world's time
//
// The hierarchy over the triangles is kept valid by graze/upkeep.h, in whichever way is the cheapest for the motion; the step
// asks it for the end of the step. Between keyframes vertices run along lines; after the last one the mesh stands still, and so it
// does as it was given until there is one. From where it stands it runs to the next keyframe, from when that is added on.
// Threads, owners: as graze/world.h.
#ifndef GRAZE_ANIMATED_H
#define GRAZE_ANIMATED_H

#include "graze/body.h"
#include "graze/upkeep.h"

GRZ_EXTERN_C_BEGIN

typedef enum grzAnimatedMotion {
    grz_animateKeyframes = 0, // grzWorld_AddKeyframe
    grz_animateVelocities,    // grzWorld_SetVertexVelocities
    grz_animateVertices,      // grzWorld_SetVertices: where they are at the end of the next step
} grzAnimatedMotion;

typedef struct grzAnimatedDef {
    uint32_t mark; // set by grzDefaultAnimatedDef
    grzAnimatedMotion motion;
    const grzMesh* mesh;         // where it is at the world's time now; outlives the body
    uint32_t ways;               // of graze/upkeep.h, as grzUpkeepDef.ways; 0: the chooser's
    bool isTwoSided;             // whether bodies meet its triangles from behind as well
    float friction, restitution; // as of bodies
    uint64_t category, mask;
    uint32_t group;
    uint64_t userData;
} grzAnimatedDef;

// No mesh yet, keyframes, the chooser, one side, friction 0.6, restitution 0, category 1, all masks, no group.
GRZ_API grzAnimatedDef grzDefaultAnimatedDef(void);

// Refused, with the world as it was and *id null: grz_badDef, grz_badArgument (value 2; the reason names the field),
// grz_notFinite, grz_outOfMemory, and what grzUpkeep_Create refuses. A warning is logged where the mesh has one side and a closed
// component of it is inside out.
GRZ_NODISCARD GRZ_API grzResult grzWorld_AddAnimated(grzWorld* world, const grzAnimatedDef* def, grzBodyId* id);

// All refuse grz_staleHandle, grz_badArgument (value 2: a body of another kind, or of another motion; value 3: a time
// that is not after the last keyframe and after now) and grz_notFinite (part grz_partVertex; also a coordinate or speed
// beyond 1e15), and change nothing then.

// Where all vertices are at a time to come, three floats each, in the mesh's numbers; copied. Keyframes that are past are
// forgotten.
GRZ_NODISCARD GRZ_API grzResult grzWorld_AddKeyframe(grzWorld* world, grzBodyId id, double time,
                                                     const float* positions);

// New velocities of some vertices, from now on, three floats each; copied. Entry i is of vertices[i]; of entries of one vertex the
// last counts. Refused also: grz_indexTooLarge (index: the entry; value: the vertex).
GRZ_NODISCARD GRZ_API grzResult grzWorld_SetVertexVelocities(grzWorld* world, grzBodyId id,
                                                             const uint32_t* vertices, const float* velocities,
                                                             uint32_t count);

// Where all vertices are at the end of the next step; copied. Without a call they stay where they are.
GRZ_NODISCARD GRZ_API grzResult grzWorld_SetVertices(grzWorld* world, grzBodyId id, const float* positions);

// Lives until the next call that changes the world.
typedef struct grzAnimatedView {
    const float* positions; // three a vertex, at the end of the last step
    uint32_t vertexCount, triangleCount;
    grzUpkeepStats upkeep; // which way is in use, and why
} grzAnimatedView;

// Refused, with *view zeros: grz_staleHandle, grz_badArgument (value 2: not an animated mesh).
GRZ_NODISCARD GRZ_API grzResult grzWorld_GetAnimated(const grzWorld* world, grzBodyId id, grzAnimatedView* view);

GRZ_EXTERN_C_END

#endif
