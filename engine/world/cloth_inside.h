// The parts of a cloth, for the files cloth_*.c.
//
// Particles are rows of four floats in the order of the mesh's vertices: where they are, with the inverse mass behind it (0:
// nothing moves it), where they were when the substep began, and how fast they are. Behind the last stand rows of rest, up to
// a multiple of eight, of which the first is the one that lanes without a constraint name.
//
// Constraints stand in groups of eight lanes, colour by colour: no two of a colour share a particle, so a group is solved
// at once, and the groups of a colour on all workers. Only the last group of a colour has lanes that are left over.
#ifndef GRAZE_WORLD_CLOTH_INSIDE_H
#define GRAZE_WORLD_CLOTH_INSIDE_H

#include "array.h"
#include "cloth_body.h"
#include "cloth_kernel.h"
#include "counted_memory.h"
#include "graze/bvh.h"

#define CLOTH_MOST_TETHERS 4u

typedef struct ClothFloats {
    GRZ_ARRAY(float);
} ClothFloats;

typedef struct ClothInts {
    GRZ_ARRAY(uint32_t);
} ClothInts;

typedef struct ClothBytes {
    GRZ_ARRAY(unsigned char);
} ClothBytes;

// Groups of constraints: colour c has the groups starts[c] .. starts[c + 1] - 1.
typedef struct ClothStretches {
    GRZ_ARRAY(ClothStretch8);
    ClothInts starts;
} ClothStretches;

typedef struct ClothBends {
    GRZ_ARRAY(ClothBend8);
    ClothInts starts;
} ClothBends;

// A place where the cloth touches an obstacle, or may in this step: some point of one of its triangles, or a vertex, stays on
// the outer side of a plane that moves with the obstacle.
typedef struct ClothTouch {
    grzContact record;
    uint32_t vertices[3];
    uint32_t vertexCount; // 1 or 3
    float weights[3];     // of the vertices
    uint32_t partner;     // place among the partners
    float normal[3];      // away from the obstacle; at the start of the step
    float place[3];       // on the obstacle's surface; at the start of the step
    float drift[3];       // of the place, per second, on meshes that the host animates
    float impulse;        // of the last substep, along the normal
    uint32_t pad[2];
} ClothTouch;

GRZ_STATIC_ASSERT(sizeof(ClothTouch) == 160, "no hidden padding");

typedef struct ClothTouches {
    GRZ_ARRAY(ClothTouch);
} ClothTouches;

// An obstacle that has touches, as it is in a substep.
typedef struct ClothPartner {
    grzVec3 startCenter, center;
    grzMat3 startRotation, turn; // turn: from the start of the step to now
    grzVec3 velocity, spin;
    grzMat3 inverseInertia; // in the world, now
    grzVec3 pushed, turned; // what the cloth has done to it in the substep: impulse, and moment about the centre
    grzVec3 support;        // the unit direction in which tethers hold what it presses on, or 0
    float massInertia[3];   // inverse, about the body's axes
    float inverseMass;
    float friction; // with the cloth's
    uint32_t slot;
    bool moves, yields;
    bool isPushed; // in this substep
} ClothPartner;

typedef struct ClothPartners {
    GRZ_ARRAY(ClothPartner);
} ClothPartners;

typedef struct ClothContactArray {
    GRZ_ARRAY(grzContact);
} ClothContactArray;

// What the search for touches keeps from step to step.
typedef struct ClothSearch {
    ClothInts triangles; // near the obstacle at hand
    ClothInts vertices;
    ClothInts vertexSlots; // of each vertex: its place among `vertices`, where vertices[place] is it
    ClothTouches slots;    // one for each of `triangles`, then one for each of `vertices`; vertexCount 0: none
    ClothTouches touches;  // found so far in this step
    ClothBytes sorting;
    ClothFloats points; // for questions to meshes
    ClothBytes answers;
} ClothSearch;

struct grzClothBody {
    grzCountedMemory memory;
    grzAllocator allocator; // that of `memory`
    const grzMesh* mesh;
    uint32_t vertexCount, rowCount;
    float reach; // half the thickness
    float stretchCompliance, bendCompliance, damping, friction;

    ClothFloats now, before, velocity; // rows
    ClothFloats ends;                  // rows: where they would be at the end of the step; for the search
    ClothFloats positions, velocities; // three floats a vertex, for the host
    ClothFloats lastPositions, lastVelocities; // the same before the step that hasMoved is about
    bool hasMoved; // the last substep is done: Rewind may lead back

    ClothStretches stretches;
    ClothBends bends;

    ClothInts pins;                  // vertices
    ClothFloats pinStarts, pinGoals; // rows: at the start and at the end of the step
    ClothFloats pinPlaces;           // rows: now; behind the last one of rest
    grzVec3 pinSpeed;                // their mean, in this step
    uint32_t tetherCount;            // layers
    ClothInts tetherPins;            // of each layer and row: a pin
    ClothFloats tetherLengths;       // and how far from it at most
    ClothFloats pulls; // rows: sum of the directions from pins whose tethers are taut, and their number

    grzBvh* bvh;
    ClothBytes nodes; // grzBvhNode
    ClothSearch search;

    ClothTouches touches; // of this step, in the order of their keys
    ClothPartners partners;
    ClothContactArray contacts;
    ClothFloats impulses;
    uint64_t tests;
    float timeStep; // of the step that Collide was called for
    uint32_t substepCount;
    grzVec3 gravity;
    grzTasks* tasks;
};

// cloth_body.c: rows into the floats that the host sees.
void grzCloth_Publish(grzClothBody* cloth);
// cloth_build.c: constraints and masses from the mesh.
grzResult grzCloth_Build(grzClothBody* cloth, float density);
// cloth_tether.c
grzResult grzCloth_BuildTethers(grzClothBody* cloth);
// cloth_color.c: `color` of each of `count` constraints of `width` vertices (GRZ_MESH_NONE: none); returns the number of
// colours. masks: one a vertex, zeros before.
uint32_t grzCloth_Color(const uint32_t* vertices, uint32_t count, uint32_t width, uint64_t* masks,
                        uint32_t vertexCount, uint32_t* colors);

// cloth_contact.c: touches in a substep.
void grzCloth_SolveTouches(grzClothBody* cloth, grzSubstep* substep);

// cloth_shape.c: how far a point is from a convex shape, and where.
typedef struct ClothSite {
    grzVec3 normal;   // away from the shape, in the world
    grzVec3 place;    // on its surface
    float separation; // below 0: inside
    grzFeature feature;
} ClothSite;

// Whether the shape is nearer than `reach` (or may be).
bool grzCloth_PointSite(const grzConvex* shape, grzTransform pose, grzVec3 point, float reach, ClothSite* site);
// The same for a triangle, where its vertices' sites do not say it all; weights are of the point of the triangle.
bool grzCloth_TriangleSite(const grzConvex* shape, grzTransform pose, const grzVec3 corners[3], float reach,
                           ClothSite* site, float weights[3]);

static inline grzVec3 grzCloth_Row(const float* rows, uint32_t index) {
    return grzVec3_Load(rows + (size_t)4 * index);
}

#endif
