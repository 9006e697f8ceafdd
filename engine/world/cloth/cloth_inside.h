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
#include "graze/model.h"
#include "surface_age.h"

#define CLOTH_MOST_TETHERS 4u
#define GRZ_CLOTH_RANGE    1e15f // of coordinates and speeds, as for convex shapes

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
// the outer side of a plane that moves with the obstacle. The contact is last, so that what substeps read lies together.
typedef struct ClothTouch {
    uint32_t vertices[3];
    uint32_t vertexCount; // 1 or 3; in `slots` 0 where nothing was found
    float weights[3];     // of the vertices
    uint32_t partner;     // place among the partners
    float normal[3];      // away from the obstacle; at the start of the step
    float place[3];       // on the obstacle's surface; at the start of the step
    float drift[3];       // of the place, per second, on meshes that the host animates
    float pushed[3];      // impulses that the obstacle has got in this step
    uint32_t metIn;       // 1 + the first substep of this step in which the point would have gone in; 0: none
    float round;          // of triangles with spheres and capsules: the radius around the core; else 0
    float height;         // of the point over the place, when the last substep ended
    float closing;        // how far the two come nearer to each other in the step, along the normal
    // As everybody sees it; of the last two what the step has done is written when it is over.
    float approachSpeed, impulse, friction[3];
    grzContact contact;
} ClothTouch;

GRZ_STATIC_ASSERT(sizeof(ClothTouch) == 116 + sizeof(grzContact), "no hidden padding");

typedef struct ClothTouches {
    GRZ_ARRAY(ClothTouch);
} ClothTouches;

// A touch in a substep.
typedef struct ClothMeet {
    grzVec3 normal, place, arm; // arm: from the partner's centre
    grzVec3 speed;              // of the place, before the pushes of its colour
    grzVec3 impulse;            // that the partner gets
    float weight, bodyWeight;   // inverse masses of the point of the cloth, and of the place along the normal
    float share;                // of a push: how far the point follows it
    float reach, squeezed;      // that the point keeps from the place; by how much less than half the thickness
    float missing;              // how far it would end inside; 0 or less: it is apart
    float held, backing; // how much of the push pins take, 0 to 1, and by what factor the point counts as heavier
} ClothMeet;

typedef struct ClothMeets {
    GRZ_ARRAY(ClothMeet);
} ClothMeets;

// Touches that share no particle: order[first] to order[first + count - 1]; those with partners that yield come first.
typedef struct ClothColor {
    uint32_t first, count, yieldingCount;
    uint32_t yieldingLeft, othersLeft; // while it is filled
} ClothColor;

typedef struct ClothColors {
    GRZ_ARRAY(ClothColor);
} ClothColors;

typedef struct ClothMasks {
    GRZ_ARRAY(uint64_t);
} ClothMasks;

// An obstacle that has touches, as it is in a substep.
typedef struct ClothPartner {
    grzVec3 startCenter, center;
    grzMat3 startRotation, turn; // turn: from the start of the step to now
    grzVec3 velocity, spin;
    grzMat3 inverseInertia; // in the world, now
    grzVec3 pushed, turned; // what the cloth has done to it in the substep: impulse, and moment about the centre
    grzVec3 swung;          // of impulses, what inner friction has done in the step
    float stepLoad;         // sum over its touches of the impulses of the step
    grzVec3 push, moment;   // likewise, of the touches of a colour, until they are all done
    float massInertia[3];   // inverse, about the body's axes
    float inverseMass;
    float radius;   // of a ball around its centre that holds it
    float friction; // with the cloth's
    uint32_t row;
    bool moves, yields;
    bool isPushed;        // in this substep
    bool isWaiting;       // push and moment are to be done
    uint32_t meetCount;   // of a colour's touches: those that are not apart
    float load, heldLoad; // sums over the touches of a substep: of pushes, and of what pins take of them
    float loadArmSq;      // and of pushes times the squares of their arms
    grzVec3 loadArm;      // and times their arms
    float backing;        // by what factor pins can make the cloth heavier for it, at least 1
} ClothPartner;

typedef struct ClothPartners {
    GRZ_ARRAY(ClothPartner);
} ClothPartners;

// What the search for touches keeps from step to step.
typedef struct ClothSearch {
    ClothInts triangles; // near the obstacle at hand
    ClothInts vertices;
    ClothInts vertexSlots; // of each vertex: its place among `vertices`, where vertices[place] is it
    ClothTouches slots;    // one for each of `vertices`, then one for each of `triangles`
    ClothBytes sorting;
    ClothFloats points; // for questions to meshes
    ClothBytes answers;
    ClothBytes leafMarks; // by leaf: whether it is near the obstacle at hand
    ClothMasks masks;     // for colours of touches
    ClothInts names, listed,
        colorOf; // likewise: three vertices of each; the touches in the order of choice; and what they chose
} ClothSearch;

struct grzClothBody {
    grzCountedMemory memory;
    grzAllocator allocator; // that of `memory`
    const grzMesh* mesh;
    uint32_t vertexCount, rowCount;
    float reach;              // half the thickness
    float density, pointMass; // of an area; mean of a vertex
    float spacing;            // of vertices: the side of a square of so much area as a vertex has
    float stretchCompliance, bendCompliance, damping, friction;

    ClothFloats now, before, velocity; // rows
    ClothFloats ends;                  // rows: where they would be at the end of the step; see Predict
    float pinMove, mostMove;           // how far the fastest pin, and the fastest row, go in the step; likewise
    bool isRefit;                      // nodes are those of this step
    ClothFloats positions, velocities; // three floats a vertex, for the host
    ClothFloats lastPositions, lastVelocities; // the same before the step that hasMoved is about
    bool hasMoved;                             // the last substep is done: Rewind may lead back

    ClothStretches stretches;
    ClothBends bends;

    ClothInts pins;                  // vertices
    ClothFloats pinStarts, pinGoals; // rows: at the start and at the end of the step
    ClothFloats pinPlaces;           // rows: now; behind the last one of rest
    grzVec3 pinSpeed;                // their mean, in this step
    uint32_t tetherCount;            // layers
    ClothInts tetherPins;            // of each layer and row: a pin
    ClothFloats tetherLengths;       // and how far from it at most

    grzBvh* bvh;
    ClothBytes nodes;  // grzBvhNode, of the swept triangles in a step
    grzModel* model;   // over `positions`, by chunk
    grzSurfaceAge age; // of both
    grzMeshView view;  // of mesh
    ClothSearch search;

    ClothTouches touches; // of this step, in the order of their contacts' keys
    ClothInts starts;     // of the touches of each obstacle, and their end
    ClothInts twins;      // of each touch of a vertex: one of the same vertex from the other side, or UINT32_MAX
    ClothInts order;      // touches, colour by colour
    ClothColors colors;
    ClothMeets meets; // of the touches, in the order of `order`
    ClothPartners partners;
    bool isHeld;   // in this step (grzClothBody_Hold)
    bool isStruck; // something meets the cloth so fast that it goes farther in a substep than vertices are apart
    float timeStep, pushSpeed; // of the step that Collide was called for
    float lastPace;            // when the step began
    float pace,
        rate; // of the substep: its length, or that of longer ones before; by what corrections become speeds (cloth_step.c)
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

// cloth_order.c: room for what so many touches need; then their order, once a step.
grzResult grzCloth_ReserveOrder(grzClothBody* cloth);
void grzCloth_OrderTouches(grzClothBody* cloth);

// cloth_contact.c: touches in a substep: partners are read, then once or more all touches solved, then partners pushed.
void grzCloth_BeginTouches(grzClothBody* cloth, const grzSubstep* substep);
void grzCloth_SolveTouches(grzClothBody* cloth, const grzSubstep* substep, bool isFirst);
void grzCloth_EndTouches(grzClothBody* cloth, grzSubstep* substep);
// After the last substep: what the step has done, for contacts.
void grzCloth_PublishTouches(grzClothBody* cloth);

// cloth_shape.c: how far a point is from a convex shape, and where.
typedef struct ClothSite {
    grzVec3 normal;   // away from the shape, in the world
    grzVec3 place;    // on its surface
    float separation; // below 0: inside
    grzFeature feature;
    bool isVertex; // of a triangle: the site is that of one of its vertices
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
