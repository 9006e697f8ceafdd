// Contact manifolds: from the triangle pairs of two meshes that meet to a few contacts that hold still.
//
//   grzManifolds* manifolds;
//   grzResult result = grzManifolds_Create(NULL, (grzAllocator){0}, &manifolds);
//   ...each step, each pair of bodies:
//   grzManifoldQuery query = {sideA, sideB, pairs, kinds, count};             // pairs and kinds: graze/tri_pairs.h
//   result = grzManifolds_Build(manifolds, &query);
//   grzManifoldView found = grzManifolds_GetView(manifolds);
//
// How: the places where two triangles meet (graze/tri_tri.h, exact) hang together to patches: loops, where two closed
// surfaces cut each other. Of a patch all contacts have one normal. It is the direction that parts the patch soonest
// among the normals of the faces that meet, those of the faces around the vertices inside, and the area vector of
// the loop, which for two crossing edges is the direction across both. How deep a direction goes is judged with the
// vertices inside and with the triangles that meet, as far outside as the patch is wide, so that an inner edge of a
// flat or gently curved surface gives no normal of its own (no ghost contacts). A contact lies where a steep edge
// that goes through the other surface ends inside it, where a wall that is met ends straight above, or at any other
// vertex inside; its separation is measured along the normal to the triangle there, as a negative number: never more
// than parts the patch. Points found
// from several triangles are one. Contacts of like normals form a cluster, and of a cluster the deepest point and
// those that span the most area stay.
//
// Meshes that do not meet may have contacts too, of positive separation: of a vertex with the nearest face, edge or vertex
// of the other mesh, and of two edges that cross; where that is nearest in all directions, so that inner edges of flat and
// hollow surfaces have none. A vertex from which an edge leads steeply on towards the other mesh has none either: that one's
// end is nearer. As soon as a triangle meets another one, only what meets has contacts.
//
// Limits: what is inside an open surface is told by the planes of the triangles that are met. A body that is inside
// another without a triangle that meets gives nothing. Deep inside each other (beyond the thickness of either), the
// direction is the shortest way out of what overlaps, whatever the way in was.
//
// Persistence: a contact is named by its features and the lowest pair of triangles that meet with them, in the
// meshes' own numbers; while those meet, the name stays. Points and normals kept in the last call for the same two
// bodies are preferred where the choice is close.
//
// Cost: n log n in the points where triangles meet, linear in the vertices inside; both times the candidates for a
// normal (at most 49). Memory beside that: a word for each vertex and two for each edge of the largest meshes so
// far.
//
// Owner: as grzTreePairs: memory is kept from call to call, the view lives until the next build or destroy. Thread:
// one at a time for each grzManifolds; different ones are independent. Nothing depends on a SIMD level. A mesh
// that is not two-sided must turn its triangles counter-clockwise seen from outside.
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
    const float* positions;  // where the vertices are now, in the world: three each, tight, finite. Where bodies
                             // overlap by more than FLT_MAX, contacts say FLT_MAX
    grzBodyId body;
    bool isTwoSided; // the other body is pushed back to the side of the triangles where most of it lies, as far
                     // around as the two meet, whatever their winding
    // NULL: all positions are there. Else it is called, with its owner, before the position of a vertex is read, and may write it then:
    // only what a build reads is made. On the thread that builds; the same vertex may be asked for again.
    void (*makeVertex)(void* owner, uint32_t vertex);
    void* owner;
} grzManifoldSide;

// Before someone else reads the corners of a triangle, as who decides kinds does.
static inline void grzManifoldSide_MakeTriangle(const grzManifoldSide* side, uint32_t triangle) {
    for (size_t k = 0; k < 3 && side->makeVertex != NULL; ++k)
        side->makeVertex(side->owner, side->mesh->triangles[3 * (size_t)triangle + k]);
}

typedef struct grzManifoldQuery {
    grzManifoldSide a, b;         // in the order of body.index1; both may be the same body
    const grzTrianglePair* pairs; // triangles of the two meshes, in any order; one that is there twice counts once
    const uint8_t*
        kinds; // of the pairs, for the same margin or none, and their positions are made; NULL: decided here
    uint32_t count;
    const grzContact*
        previous; // the last contacts of these bodies, in the order of their keys; may be NULL, and may
                  // be the last view of the same object
    uint32_t previousCount;

    // 0: contacts where triangles meet, alone. Above 0: contacts of what is no farther apart than this, too;
    // the pairs must then hold all pairs of triangles that are as near as that (grzModelQuery.margin finds such).
    float margin;
    float slack; // of these only such as are no farther apart than this: the margin, for all
} grzManifoldQuery;

// Finds the contacts. Without a margin, pairs that do not meet give none. Refused, with an empty view: grz_badArgument where the
// bodies or the previous contacts are out of order; grz_indexTooLarge where a pair names a triangle that its mesh
// has not (grz_partElement is the pair); grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzManifolds_Build(grzManifolds* manifolds, const grzManifoldQuery* query);

// In the order of their keys (grzContact_KeyWord). toi is 0, certainty grz_exact: that they touch, or not, is certain;
// normal and separation are chosen and rounded. At most pointCount for each cluster.
typedef struct grzManifoldView {
    const grzContact* contacts;
    uint32_t count;
    uint32_t clusterCount;
} grzManifoldView;

GRZ_API grzManifoldView grzManifolds_GetView(const grzManifolds* manifolds);

GRZ_EXTERN_C_END

#endif
