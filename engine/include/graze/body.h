// Rigid bodies of a world: static, kinematic and dynamic, each with one shape: a sphere, capsule, box or hull
// (graze/convex.h), or a mesh.
//
//   grzMeshShape* rock;                                         // once, for any number of bodies
//   result = grzMeshShape_Create(mesh, (grzAllocator){0}, &rock);
//   grzBodyDef def = grzDefaultBodyDef();
//   def.mesh = rock, def.origin = grzVec3_Make(0, 5, 0);
//   result = grzWorld_AddBody(world, &def, &id);
//
// Mass, centre and moments of inertia come from the shape and its density. A mesh must be closed for that, with its
// triangles counter-clockwise seen from outside; static and kinematic bodies take any mesh. Bodies meet the front of a
// triangle alone, the side from which its corners run counter-clockwise, unless the body is two-sided: then what meets it
// is pushed back to the side where most of it lies, so that windings do not matter.
// Threads, owners: as graze/world.h.
#ifndef GRAZE_BODY_H
#define GRAZE_BODY_H

#include "graze/convex.h"
#include "graze/mesh.h"
#include "graze/world.h"

GRZ_EXTERN_C_BEGIN

// --------------------------------------------------------------------------------------------------- mesh shapes

// A mesh made ready to collide, in a frame of its own: hierarchy, edges, mass. Never changes; any thread may read it.
typedef struct grzMeshShape grzMeshShape;

// The mesh must outlive the shape; its positions are rounded to floats. Refused, with *shape NULL: grz_badArgument (value 1: no
// mesh, or one without triangles; 2: half an allocator), grz_notFinite (a vertex beyond the range of float),
// grz_outOfMemory. A warning is logged where a closed component of the mesh is inside out (grzMesh_MeasureWinding).
GRZ_NODISCARD GRZ_API grzResult grzMeshShape_Create(const grzMesh* mesh, grzAllocator allocator,
                                                    grzMeshShape** shape);

// NULL is fine. While a body names it, it stays, and an error is logged.
GRZ_API void grzMeshShape_Destroy(grzMeshShape* shape);

// Of the solid that the mesh encloses, for density 1, as grzConvex_Mass; zeros where the mesh is not closed.
GRZ_API grzMass grzMeshShape_Mass(const grzMeshShape* shape);

// ----------------------------------------------------------------------------------------------------- making them

typedef enum grzBodyKind {
    grz_staticBody = 0, // never moves
    grz_kinematicBody,  // moves as the host says, whatever it meets
    grz_dynamicBody,    // moves as forces and contacts say
    grz_clothBody,      // graze/cloth.h
    grz_animatedBody,   // graze/animated.h
} grzBodyKind;

typedef struct grzBodyDef {
    uint32_t mark;    // set by grzDefaultBodyDef
    grzBodyKind kind; // one of the first three
    grzConvex shape;  // or
    const grzMeshShape* mesh;
    bool isTwoSided;   // of a mesh: whether bodies meet its triangles from behind as well
    grzVec3 origin;    // of the shape's frame, in the world
    grzQuat rotation;  // unit
    grzVec3 velocity;  // of the centre of mass; at most 1e15 along each axis
    grzVec3 spin;      // angular velocity, radians a second, about the world's axes; at most 1e15
    float density;     // of dynamic bodies; above 0
    float friction;    // 0 or more; of two bodies the root of the product counts
    float restitution; // 0 to 1, the share of the speed that comes back; of two bodies the larger counts
    float gravityScale;
    float linearDamping, angularDamping; // per second, 0 or more
    // Two bodies meet where each one's mask has a bit of the other's category, and, if both have a group that is not 0,
    // the groups differ. Static bodies do not meet one another.
    uint64_t category, mask;
    uint32_t group;
    uint64_t userData; // the host's; not read
} grzBodyDef;

// Dynamic, no shape yet, at the origin, at rest, density 1000, friction 0.6, restitution 0, gravity 1, no damping,
// category 1, all masks, no group.
GRZ_API grzBodyDef grzDefaultBodyDef(void);

// Adds a rigid body. Refused, with the world as it was and *id null: grz_badDef, grz_badArgument (value 2; the reason
// names the field: no shape or two, isTwoSided without a mesh, a shape that grzConvex_Check refuses, a rotation that is
// not unit, a density, friction, ... out of range, a dynamic body whose shape has no volume or whose mesh is not
// closed, or so light that 1 at its surface would move it by more than 1e18: 1 / mass + reach^2 times the inverse
// moments), grz_notFinite (value 2; likewise; or a convex shape, a velocity, or a body at its origin beyond 1e15),
// grz_tooLarge, grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzWorld_AddBody(grzWorld* world, const grzBodyDef* def, grzBodyId* id);

// Adds `count` rigid bodies, all or none, as AddBody does one after the other. Takes a microsecond or two for each static body, and
// some 300 bytes. Refused as AddBody, with all ids null (part object; index: the first def that is refused).
GRZ_NODISCARD GRZ_API grzResult grzWorld_AddBodies(grzWorld* world, const grzBodyDef* defs, uint32_t count,
                                                   grzBodyId* ids);

// Takes a body of any kind out; pairs that it touched end with the next step. grz_staleHandle; grz_outOfMemory, if
// the step's contacts have not been asked for yet (grzWorld_GetContacts): they are listed first.
GRZ_NODISCARD GRZ_API grzResult grzWorld_RemoveBody(grzWorld* world, grzBodyId id);

// Whether an id names a body that is in this world.
GRZ_API bool grzWorld_HasBody(const grzWorld* world, grzBodyId id);

// -------------------------------------------------------------------------------------------- reading and moving them

typedef struct grzBodyView {
    grzBodyKind kind;
    grzVec3 origin; // of the shape's frame. Cloth and animated meshes: 0, as their vertices are in the world
    grzQuat rotation;
    grzVec3 velocity; // of the centre of mass
    grzVec3 spin;
    grzVec3 center; // of mass, in the world
    float mass;     // 0: not dynamic
    grzBox box;     // around the body, as of the last step
    uint64_t userData;
} grzBodyView;

// Of a body of any kind. Refused, with *view zeros: grz_staleHandle.
GRZ_NODISCARD GRZ_API grzResult grzWorld_GetBody(const grzWorld* world, grzBodyId id, grzBodyView* view);

// Places of all rigid bodies at once: transforms[slot], for slots below `count`; slots of none are left as they are.
GRZ_API void grzWorld_GetTransforms(const grzWorld* world, grzTransform* transforms, uint32_t count);

// Rigid bodies, of any kind. A body that is placed jumps: nothing is met on the way. All refuse grz_staleHandle,
// grz_badArgument (a cloth or an animated mesh; a rotation that is not unit; a velocity for a static body) and
// grz_notFinite (also where the body or its velocity would be beyond 1e15), and change nothing then.
GRZ_NODISCARD GRZ_API grzResult grzWorld_PlaceBody(grzWorld* world, grzBodyId id, grzVec3 origin, grzQuat rotation);
GRZ_NODISCARD GRZ_API grzResult grzWorld_SetVelocity(grzWorld* world, grzBodyId id, grzVec3 velocity, grzVec3 spin);

// PushBody applies an impulse to a dynamic body at a point of the world, at once. AddForce adds to the force and the
// torque of the next step. These change the velocity once, at the start of the step, by force * time / mass: a host may
// compute springs from the positions of each step, and they keep their energy, whatever the number of substeps. Each
// step clears all forces, also one that is refused. Refused: grz_notFinite, where the velocity after the push, or the
// acceleration by all forces or torques of the step, would be beyond 1e15; grz_badArgument for other bodies;
// grz_outOfMemory, for the first force of the world's life alone.
GRZ_NODISCARD GRZ_API grzResult grzWorld_PushBody(grzWorld* world, grzBodyId id, grzVec3 point, grzVec3 impulse);
GRZ_NODISCARD GRZ_API grzResult grzWorld_AddForce(grzWorld* world, grzBodyId id, grzVec3 force, grzVec3 torque);

GRZ_EXTERN_C_END

#endif
