// Contact manifolds: from the triangle pairs of two meshes that meet to a few contacts that hold still.
//
//   grzManifolds* manifolds;
//   grzResult result = grzManifolds_Create(NULL, (grzAllocator){0}, &manifolds);
//   ...each step, each pair of bodies:
//   grzManifoldQuery query = {sideA, sideB, pairs, kinds, count};             // pairs and kinds: graze/tri_pairs.h
//   result = grzManifolds_Build(manifolds, &query);
//   grzManifoldView found = grzManifolds_GetView(manifolds);
//   ...each moving body, its contacts with all others gathered:
//   count = grzDropGhosts(contacts, count, &ghosts);
//
// How: where two triangles meet, the corners of what they have in common (graze/tri_tri.h, exact) are points of
// contact. The normal is the one among the two faces' normals and the direction across the two edges along which
// the triangles are parted soonest, and which is *real*: where it belongs to a corner or an edge of a triangle, no
// neighbour of the mesh stands further out. So an inner edge of a flat or hollow surface gives no normal of its own
// (no ghost contacts); where none is real (deep inside each other), the better of the two faces' is taken. The
// separation is how far the meeting edges reach past the other's surface, as a negative number. Points found from
// several triangles are one. Contacts of like normals form a cluster, and of a cluster the deepest point and those
// that span the most area stay.
//
// Persistence: a contact is named by its triangles and features in the meshes' own numbers; while those meet, the
// name stays. Points kept in the last call for the same two bodies are preferred where the choice is close.
//
// Owner: as grzTreePairs: memory is kept from call to call, the view lives until the next build or destroy. Thread:
// one at a time for each grzManifolds; different ones are independent. Nothing depends on a SIMD level. Both meshes
// must turn their triangles counter-clockwise seen from outside.
#ifndef GRAZE_MANIFOLD_H
#define GRAZE_MANIFOLD_H

#include "graze/mesh.h"
#include "graze/records.h"

GRZ_EXTERN_C_BEGIN

typedef struct grzManifolds grzManifolds;

typedef struct grzManifoldDef {
    uint32_t mark;       // set by grzDefaultManifoldDef
    uint32_t pointCount; // of a cluster, at most; default 4, at least 1
    float likeCosine;    // normals with at least this cosine to a cluster's first are of it; default 0.95; -1 to 1
    float
        levelSine; // a neighbour that rises from a corner by less than this is level with it; default 0.02; 0 to 1
} grzManifoldDef;

GRZ_API grzManifoldDef grzDefaultManifoldDef(void);

// def may be NULL: the default. Refused: grz_badDef, grz_badArgument (a field out of range, half an allocator),
// grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzManifolds_Create(const grzManifoldDef* def, grzAllocator allocator,
                                                    grzManifolds** manifolds);
// NULL is fine.
GRZ_API void grzManifolds_Destroy(grzManifolds* manifolds);

typedef struct grzManifoldSide {
    const grzMeshView* mesh; // how triangles hang together; its positions are not read
    const float* positions;  // where the vertices are now, in the world: three each, tight, finite
    uint32_t body;           // id
} grzManifoldSide;

typedef struct grzManifoldQuery {
    grzManifoldSide a, b; // a.body <= b.body; both may be the same
    const grzTrianglePair* pairs;
    const uint8_t* kinds; // of the pairs; NULL: decided here
    uint32_t count;
    const grzContact* previous; // the last contacts of these bodies, in order; may be NULL
    uint32_t previousCount;
} grzManifoldQuery;

// Finds the contacts. Pairs that do not meet give none. Refused, with an empty view: grz_badArgument where the
// bodies are out of order, grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzManifolds_Build(grzManifolds* manifolds, const grzManifoldQuery* query);

// In the order of their keys (grzContact_KeyWord). toi is 0, certainty grz_exact: that they touch is certain;
// normal and separation are chosen and rounded. At most pointCount for each cluster, and no more than six for each
// pair that meets.
typedef struct grzManifoldView {
    const grzContact* contacts;
    uint32_t count;
    uint32_t clusterCount;
} grzManifoldView;

GRZ_API grzManifoldView grzManifolds_GetView(const grzManifolds* manifolds);

// The corners of a triangle of a body, in the world, as they were for the contacts.
typedef void grzCornersFn(void* context, uint32_t body, uint32_t triangle, grzVec3 corners[3]);

typedef struct grzGhostQuery {
    uint32_t body; // of which all contacts are; it is A or B of each
    grzCornersFn* corners;
    void* context;
    float slop;  // a length: what stands out by less does not stand out. Some percent of the body's size
    float reach; // a length: how far around a contact its face is believed to go on
} grzGhostQuery;

// Drops ghosts between neighbouring meshes, which know nothing of each other's triangles (tiles of a ground, say),
// and returns how many contacts stay, in their order. A contact is a ghost where another body's contact within
// reach lies on a face of that body whose plane (point and normal) the ghost's own triangle does not stand out of
// by more than the slop, while its normal is another one (cosine below 0.9). So the side wall of the next tile,
// flush with this one, is no wall. Contacts that would drop each other both stay. O(count^2): it is meant for what
// the reduction has left.
GRZ_API uint32_t grzDropGhosts(grzContact* contacts, uint32_t count, const grzGhostQuery* query);

GRZ_EXTERN_C_END

#endif
