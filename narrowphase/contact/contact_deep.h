// Contacts of a shape that lies deep in a mesh: which way it is led out, when no triangle by itself can tell.
#ifndef GRAZE_NARROWPHASE_CONTACT_DEEP_H
#define GRAZE_NARROWPHASE_CONTACT_DEEP_H

#include "array.h"
#include "convex_contact.h"
#include "model_edges.h"

typedef enum SunkKind {
    sunkTouch, // along the normal of the triangle's own touch, which its edges allow
    sunkFace,  // along its normal
    sunkAlong, // along another direction
    sunkInside // the triangle nearest to a middle that is inside the mesh; the shape need not overlap it
} SunkKind;

typedef enum SunkState { sunkOpen, sunkOwn, sunkExplained } SunkState;

// A triangle that the shape overlaps, and how the shape leaves it.
typedef struct SunkTriangle {
    uint32_t triangle;
    SunkKind kind;
    SunkState state;
    bool isTurned;    // of a mesh with two sides: outside is behind the triangle
    grzVec3d outward; // unit
    double depth;     // how far the shape goes along it to leave the triangle
    double value;     // the depth, less where the last contacts had this direction
} SunkTriangle;

typedef struct DeepContacts {
    GRZ_ARRAY(SunkTriangle);
} DeepContacts;

typedef struct DeepQuery {
    const EdgesView* edges;
    const grzModelContactQuery* query;
    bool isSolid; // the mesh encloses what lies behind its triangles, and has one side
} DeepQuery;

// What a way out may leave of an overlap.
double grzDeepContacts_Least(const ShapeView* view);

// Whether what a triangle said about the shape cannot be relied on: the shape overlaps it, and is led out behind it, or on the
// side of a triangle with two sides where its middle is not, or very far. `least`: of the manifold's separations.
bool grzDeepContacts_IsDoubtful(const DeepQuery* deep, const grzVec3d at[3], const grzManifold* manifold,
                                const LeftContact* left, float least);

// Whether the shape touches a triangle without overlapping it, and would yet be led out of it. Triangles that it
// overlaps say the same, if that is right.
bool grzDeepContacts_IsMisled(const DeepQuery* deep, const grzManifold* manifold, const LeftContact* left);

// Takes a triangle that the shape overlaps, unless the shape may pass it from behind. False: no memory.
bool grzDeepContacts_Add(DeepContacts* contacts, const grzAllocator* allocator, const DeepQuery* deep,
                         const grzMeshTriangle* triangle, const grzManifold* manifold, const LeftContact* left);

// Takes the triangle nearest to the shape's middle, if that is inside the mesh. False: no memory.
bool grzDeepContacts_AddInside(DeepContacts* contacts, const grzAllocator* allocator, const DeepQuery* deep);

// Chooses the ways out, after the last triangle.
void grzDeepContacts_Choose(DeepContacts* contacts, const DeepQuery* deep);

// The manifold of contacts->data[place]; it may have no points.
grzResult grzDeepContacts_Make(const DeepContacts* contacts, size_t place, const DeepQuery* deep,
                               grzManifold* manifold);

#endif
