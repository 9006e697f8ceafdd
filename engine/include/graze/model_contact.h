// Where a convex shape touches a mesh: a few contacts that hold still from step to step.
//
//   grzModelEdges* edges;                                       // once: the model with its mesh's edges
//   grzResult result = grzModelEdges_Create(model, &meshView, (grzAllocator){0}, &edges);
//   ...each step, each pair of a shape and a mesh:
//   grzModelContactQuery query = grzDefaultModelContactQuery();
//   query.edges = edges, query.pose = ground;
//   query.shape = crate, query.shapePose = cratePose, query.margin = 0.02f;
//   query.shapeBody = crateId, query.meshBody = groundId;
//   result = grzModelContacts_Find(contacts, &query);
//
// How. The triangles within the margin are found (model_shape.h); each gives a manifold (grzConvex_CollideTriangle), which
// knows the normals of its neighbours, so that an inner edge of a flat or hollow surface gives no normal of its own: a box
// that slides across a tessellated floor is pushed up by it and no other way. What a triangle leaves to its neighbours at an
// edge or a vertex, and none of those there has as deep, is kept by the deepest of them, of several the lowest: so a shape that
// the margin brings to the surface, in front of it or two-sided, is never without a contact. A contact at an edge or a vertex that
// several triangles share, and so report, is there once: the least deep of them, of several the one of the lowest
// triangle. Contacts of like normals then form a cluster, of which the deepest point and those that span the most area
// stay (manifold.h), but none that lies within 1e-3 of the shape's size of another, of the segment of two or of the outline
// of three. Depths that differ by no more than that count as equal.
//
// Deep. A triangle that is overlapped from behind, or by more than a fourth of the shape's width, cannot tell by itself which way the
// shape is led out. Then all triangles that the shape overlaps are looked at together: the shortest way out of any of them is taken,
// triangles that are left on it have contacts along it, and what is left over has the next shortest way. Ways of the last contacts count
// for half their length, so that a shape between two faces goes on the way it went. A mesh is solid where each edge has two
// triangles that run along it in opposite directions, and the volume is above 0: it leads out what has its middle inside, too, and from
// behind its triangles; a shape that is wholly inside has one contact, with the triangle nearest to its middle. Another mesh, or one
// with two sides, leads to the front (of two sides, to the side of the middle) what has its middle there, or had a contact of such a
// normal among `previous`. So what came from the front is held while it is thicker than the distance it moves from call to call. A
// closed mesh that is turned inside out is a room, and leads inward.
//
// Persistence: a contact is named by the triangle and the features of both, in the mesh's numbers. Those that are among
// `previous` are preferred where the choice is close.
//
// Owner: edges copy what they need of the view but not what the view points at; model and mesh must outlive it.
// Threads: any number may read edges; Create, Update and Destroy are called by one, with nobody reading.
#ifndef GRAZE_MODEL_CONTACT_H
#define GRAZE_MODEL_CONTACT_H

#include "graze/mesh.h"
#include "graze/model_shape.h"

GRZ_EXTERN_C_BEGIN

typedef struct grzModelEdges grzModelEdges;

// The mesh must have the model's triangles, vertices and winding, in the numbers that the model was given: it was made from
// the same arrays in their own order (grz_orderAsGiven), or the model was made from the view's. Positions of the view are
// not read; whether the mesh is solid is told by where the model's are now. 4 bytes a triangle. Refused, with *edges NULL: grz_badArgument (value 1: no model; 2: no mesh, other counts, or,
// with part grz_partTriangle, the first triangle that is another one; value 3: half an allocator), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzModelEdges_Create(const grzModel* model, const grzMeshView* mesh,
                                                     grzAllocator allocator, grzModelEdges** edges);

// NULL is fine.
GRZ_API void grzModelEdges_Destroy(grzModelEdges* edges);

// To be called after grzModel_Rebuild. A refit needs nothing. Allocates nothing.
GRZ_API void grzModelEdges_Update(grzModelEdges* edges);

typedef struct grzModelContactQuery {
    uint32_t mark; // set by grzDefaultModelContactQuery; calls refuse another
    const grzModelEdges* edges;
    grzTransform pose; // of the mesh: any affine map that can be inverted and does not mirror
    grzConvex shape;
    grzTransform shapePose; // rigid
    float margin;           // 0 or more: contacts with a separation up to this count
    bool isTwoSided;        // else what comes from behind a triangle has no contacts, unless the mesh is solid
    grzBodyId shapeBody, meshBody;
    uint32_t pointCount;        // of a cluster, at most; at least 1
    float likeCosine;           // normals with at least this cosine to a cluster's first are of it; -1 to 1
    const grzContact* previous; // the last contacts of these bodies, in order; may be NULL
    uint32_t previousCount;
} grzModelContactQuery;

// Identities, margin 0, one side, four points, 0.95; nothing before.
GRZ_API grzModelContactQuery grzDefaultModelContactQuery(void);

// Keeps contacts, and their memory from call to call, so that after warm-up nothing is allocated. One thread at a time.
typedef struct grzModelContacts grzModelContacts;

// All zeros of an allocator: the default one. Refused, with *contacts NULL: grz_badArgument (half an allocator),
// grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzModelContacts_Create(grzAllocator allocator, grzModelContacts** contacts);

// NULL is fine.
GRZ_API void grzModelContacts_Destroy(grzModelContacts* contacts);

// Gives back memory of which the calls since the last Trim have used less than half. The view is empty then.
GRZ_API void grzModelContacts_Trim(grzModelContacts* contacts);

// Finds the contacts of one query, or of many on the workers of tasks (NULL: the calling thread alone), the same bytes for
// any number of them. Refused, with an empty view (FindMany: part grz_partElement, index: the first query that is):
//   grz_badDef       the mark
//   grz_badArgument  (value 1; the reason names the field) no surface; a pose, shape or margin that model_shape.h or
//                    convex_pairs.h refuse, or a pose of the mesh that mirrors; pointCount or likeCosine out of range;
//                    a surface and a mesh, or a mesh without positions
//   grz_indexTooLarge of one query (part triangle; index: in the list): no triangle of the mesh
//   grz_notFinite    as there
//   grz_outOfMemory
GRZ_NODISCARD GRZ_API grzResult grzModelContacts_Find(grzModelContacts* contacts,
                                                      const grzModelContactQuery* query);
GRZ_NODISCARD GRZ_API grzResult grzModelContacts_FindMany(grzModelContacts* contacts, grzTasks* tasks,
                                                          const grzModelContactQuery* queries, uint32_t count);

// The contacts of query i are contacts[starts[i]] .. contacts[starts[i + 1] - 1], in the order of their keys; A is the body of
// the lower index1, of equal ones the shape. The mesh's triangle is named on its side. Good until the next find or the
// destroy.
typedef struct grzModelContactsView {
    const grzContact* contacts;
    size_t count;
    const size_t* starts;   // queryCount + 1; never NULL
    size_t queryCount;      // 0 after a refusal
    uint64_t triangleTests; // of triangles against shapes, in all queries; 0 after a refusal
} grzModelContactsView;

GRZ_API grzModelContactsView grzModelContacts_GetView(const grzModelContacts* contacts);

GRZ_EXTERN_C_END

#endif
