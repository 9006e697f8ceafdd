// Cloth of a world: a sheet of triangles whose vertices are particles, with stretch, bend and pins.
//
//   grzClothDef def = grzDefaultClothDef();
//   def.mesh = mesh, def.pins = corners, def.pinCount = 2;
//   result = grzWorld_AddCloth(world, &def, &id);
//   ...
//   grzClothView view;
//   result = grzWorld_GetCloth(world, id, &view);             // view.positions, three floats a vertex
//
// Extended position-based dynamics [Macklin, Mueller, Chentanez, XPBD: Position-Based Simulation of Compliant Constrained
// Dynamics, 2016], with small steps [Macklin et al., Small Steps in Physics Simulation, 2019]: one pass over all
// constraints in each substep of the world. Cloth meets rigid bodies of all shapes and animated meshes, and pushes
// dynamic bodies back. It does not meet other cloth nor itself. Threads, owners: as graze/world.h.
//
// Masses. A vertex has a third of its triangles, but at least a thousandth of the mean; one without triangles has none and
// stays where it is. Edges of more than two triangles bend between each two that follow each other.
// Pins. Where nothing is meant to stretch, a vertex is never farther from a pin than the way to it over the cloth: from
// every one of up to four pins, from the nearest of each of four groups of more. Where such a cloth is taut it counts, to a body that is heavier
// than the cloth under it, as if it were heavier than it is: the body lies as deep as the cloth's length says, whatever its mass,
// and comes to rest; what falls into a hammock loses some hundredths of its speed more than it would. The cloth's
// inner friction slows what rolls on it, and what swings in it.
// What strikes such a cloth is stopped within a few hundredths of the cloth's size, at 100 lengths a second and any mass; it loses
// that speed to the pins.
// Contacts, once stepped, have toi below 1 where they met in the step, at the latest in the substep that it names.
// Between bodies that lie on each other cloth gives up its thickness, bears nothing, and is held by friction.
// Limits. Cloth that is not pinned, and lies or hangs on bodies, stretches by up to n g h^2 an edge, n: the rows of vertices
// that an edge holds, g: gravity, h: the length of a substep. More substeps make it stiffer. A body on pinned cloth sinks in by some
// 25 g h^2, on other cloth of m under it and its own mass M by g h^2 M / m. Rods thinner than its cells may pass at 30 lengths a
// second and more. Cloth that starts around the core of a ball or capsule
// is pushed apart to all sides, and leaves at tens of lengths a second.
#ifndef GRAZE_CLOTH_H
#define GRAZE_CLOTH_H

#include "graze/body.h"

GRZ_EXTERN_C_BEGIN

typedef struct grzClothDef {
    uint32_t mark;       // set by grzDefaultClothDef
    const grzMesh* mesh; // its shape at rest, whose triangles may be open, and non-manifold; outlives the cloth
    grzVec3 origin;      // and where it is put
    grzQuat rotation;
    float density;           // of an area; above 0
    float thickness;         // twice the distance that is kept from other bodies; above 0
    float stretchCompliance; // how much an edge yields: length a force, 0 or more; 0: not at all
    float bendCompliance;    // how much two triangles yield about their edge: angle a torque, 0 or more
    float damping;           // of velocities, per second, 0 or more
    float friction;          // as of bodies
    const uint32_t* pins;    // vertices that stay where they are until they are moved (grzWorld_MovePins); copied
    uint32_t pinCount;
    uint64_t category, mask; // as of bodies
    uint32_t group;
    uint64_t userData;
} grzClothDef;

// No mesh yet, at the origin, density 0.2, thickness 0.01, no stretch, bend compliance 1000, damping 0.1, friction 0.4, no pins.
GRZ_API grzClothDef grzDefaultClothDef(void);

// Refused, with the world as it was and *id null: grz_badDef, grz_badArgument (value 2; the reason names the field),
// grz_notFinite (value 2; the reason names the field, or part grz_partVertex: the first vertex beyond 1e15), grz_indexTooLarge
// (part grz_partElement: the pin; value: the vertex), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzWorld_AddCloth(grzWorld* world, const grzClothDef* def, grzBodyId* id);

typedef struct grzClothView {
    const float* positions;  // three a vertex, in the mesh's numbers; until the next call that changes the world
    const float* velocities; // likewise
    uint32_t vertexCount;
    double kineticEnergy;
    float greatestStretch; // of the edges, over their lengths at rest: 0.01 is one percent
} grzClothView;

// Looks at all vertices and edges for the last two. Refused: grz_staleHandle, grz_badArgument (value 2: not a cloth).
GRZ_NODISCARD GRZ_API grzResult grzWorld_GetCloth(const grzWorld* world, grzBodyId id, grzClothView* view);

// Where pins are to be at the end of the next step, three floats each; they go there in a line, and stay. Pin k is the k-th of the
// def; where two are of one vertex, the last counts. Refused as GetCloth, and grz_badArgument (value 5: NULL), grz_indexTooLarge,
// grz_notFinite (value 5; part grz_partElement), with no pin changed.
GRZ_NODISCARD GRZ_API grzResult grzWorld_MovePins(grzWorld* world, grzBodyId id, uint32_t first, uint32_t count,
                                                  const float* positions);

// Other positions, and velocities (NULL: at rest), of all vertices at once, three floats each; copied. Pins stay where they are put.
// Refused as GetCloth, and grz_badArgument (value 3: NULL), grz_notFinite (value 3; part grz_partVertex), with nothing changed.
GRZ_NODISCARD GRZ_API grzResult grzWorld_PlaceCloth(grzWorld* world, grzBodyId id, const float* positions,
                                                    const float* velocities);

GRZ_EXTERN_C_END

#endif
