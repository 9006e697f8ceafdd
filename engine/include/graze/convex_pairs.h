// Where two convex shapes touch: a normal, a depth, and up to four points with features that last between frames.
//
//   grzManifold manifold;
//   grzResult result = grzConvex_Collide(&crate, cratePose, &floor, floorPose, 0.02f, &manifold);
//   count = grzManifold_ToContacts(&manifold, idA, idB, contacts);
//
// The speculative margin: shapes that are apart but not by more than the margin have a manifold too, whose
// separations are positive. Nothing nearer than the margin is ever missed, but for shapes that move through each
// other between two calls.
//
// Which normal. Apart: that of the closest points, or of a face whose separation is less by no more than 4e-6 of the
// sizes and what the bases are off. Overlapping: the direction in which the least motion separates the shapes, of all
// normals of faces and all crossings of edges (grzManifold.depthError says how nearly the least: for two boxes, whose
// crossings are left out where they can be better by no more than that, it may be 2.5e-4 of the smaller one's size).
// Moving B by -grzManifold.separation along the normal does separate them: this holds whatever was rounded.
//
// Stability. A face is preferred to a crossing of edges, and the face of lower index to another, where they differ
// by less than 1e-3 of the smaller core's size, so that small motions do not change the features of a resting
// contact. Of two faces of one index that are that near, the one is taken that points more along (1, sqrt 2, sqrt 3).
// A face counts as larger on all sides by 1e-3 of the smaller core's size (triangles of meshes excepted), so that the
// vertices of crates that stand flush on one another do not come and go; points may lie 1.5e-3 beside it. The order
// of the arguments changes neither the points nor (but for its sign) the normal, up to rounding; but where rounding
// decides between two features that are equally good, it may decide otherwise.
//
// Speed. Pairs of spheres, capsules and boxes have short ways, for bases that are off by rounding alone (all together
// by 4e-6). Of many pairs (grzConvex_CollideMany) those of two boxes and of two spheres go sixteen at a time and cost a
// fraction of a single call. Bases that are worse, as far as they are allowed, and cores of round shapes that meet go a longer way.
//
// Stack: the short ways take up to 5 KB, the others up to 66 KB, which is what clipping the largest faces needs.
//
// Owner: nothing is kept, nothing allocates. Threads: any. Poses must be rigid: grz_badArgument (value 2 or 4) for a
// basis whose columns are off unit length or a right angle by more than 1e-4, or that mirrors. Else as convex.h.
#ifndef GRAZE_CONVEX_PAIRS_H
#define GRAZE_CONVEX_PAIRS_H

#include "graze/convex.h"
#include "graze/tasks.h"

GRZ_EXTERN_C_BEGIN

#define GRZ_MANIFOLD_MOST_POINTS 4

typedef struct grzManifoldPoint {
    grzVec3 point;       // in the world, midway between the two surfaces
    float separation;    // along the normal; negative: depth
    grzFeature featureA; // the same features in the next frame mean the same point
    grzFeature featureB;
    uint32_t ordinal; // tells points of the same features apart
} grzManifoldPoint;

// The first point is the deepest, the second the farthest from it; of the others those that span most.
typedef struct grzManifold {
    grzManifoldPoint points[GRZ_MANIFOLD_MOST_POINTS];
    grzVec3 normal; // from A to B
    // Of the shapes' extents along the normal; no point's is less. The first one's is more by no more than 1e-3 of the
    // smaller core's size and 4e-6 of both; but where a triangle's own normal stands for a ghost's, the shape may
    // reach deeper beside the triangle.
    float separation;
    uint32_t pointCount;
    // grz_exact, measure 0: the shapes are certainly not farther apart than the margin. grz_conservative: they may
    // be, by rounding; measure: the margin and the error, which they are closer than.
    uint32_t certainty;
    float measure;
    // Where the shapes overlap: their least depth is not less than the manifold's by more than this. Else 0.
    float depthError;
    uint32_t triangleB; // grzMeshTriangle.face where B is a triangle of a mesh, else GRZ_NO_TRIANGLE
} grzManifold;

// pointCount is 0 where the shapes are farther apart than the margin, which is 0 or more.
GRZ_NODISCARD GRZ_API grzResult grzConvex_Collide(const grzConvex* shapeA, grzTransform poseA,
                                                  const grzConvex* shapeB, grzTransform poseB, float margin,
                                                  grzManifold* manifold);

// A shape at its place, looked over once for any number of calls. A plain value, as the shape is; only
// grzConvex_Pose makes one.
typedef struct grzPosedConvex {
    grzConvex shape;
    grzTransform pose;
    float defectSq; // how far the basis is off a right-angled one of unit lengths; for graze
    uint32_t mark;
} grzPosedConvex;

// Refused as by grzConvex_Collide: value 1 for the shape, 2 for the pose.
GRZ_NODISCARD GRZ_API grzResult grzConvex_Pose(const grzConvex* shape, grzTransform pose, grzPosedConvex* posed);

typedef struct grzConvexBatch {
    // Body i lies bodyStride * i bytes behind the first: a multiple of its alignment, at least its size; 0: tight. So bodies may be
    // parts of larger rows.
    const grzPosedConvex* bodies;
    size_t bodyStride;
    const grzBodyPair* pairs; // of indices into bodies; any order, repeats are fine
    const float* margins;     // one for each pair
    grzManifold* manifolds;   // one for each pair, at the same index; nothing else is written
    uint32_t bodyCount, pairCount;
    grzTasks* tasks; // NULL: on the calling thread
} grzConvexBatch;

// The manifolds of many pairs: for each the bytes that grzConvex_Collide gives for body a, body b and the pair's margin,
// whatever the number of workers. Nothing allocates.
//
// Refused, with all manifolds unchanged: grz_badArgument for the stride (value 6), and the first pair (index) that names
// no body (grz_badArgument, value 1) or one that grzConvex_Pose has not made (grz_badArgument, value 2), or whose margin is
// below 0 (grz_badArgument, value 5) or not finite (grz_notFinite, value 5).
GRZ_NODISCARD GRZ_API grzResult grzConvex_CollideMany(const grzConvexBatch* batch);

// A triangle of a mesh, with what lies across its edges. Edge k runs from vertex k to vertex (k + 1) % 3.
typedef struct grzMeshTriangle {
    grzVec3 vertices[3]; // in the world; seen from outside they run counter-clockwise
    // The normals, of any length, of the triangles across the edges; 0 where there is none. Pointing outward, as this
    // triangle's own.
    grzVec3 neighborNormals[3];
    uint32_t edgeFeatures[3]; // the mesh's numbers of the edges and vertices, for the features of the contacts
    uint32_t vertexFeatures[3];
    uint32_t face;
    // Else a contact whose normal points to the inside is none. So a surface that is one-sided lets a shape through that
    // is in it too deep: a sphere or capsule as soon as its core, the centre or the axis, is below the surface; a box or
    // hull where the way out is shorter on the inside. graze/model_contact.h, which knows the whole mesh, leads such shapes out.
    bool isTwoSided;
} grzMeshTriangle;

// Where a shape (A) touches a triangle (B). A normal that points beyond what the edges allow is a ghost of the inner
// edge: at an edge that is flat or hollow the triangle's own normal is taken instead, at one that is sharp what lies
// beyond the neighbour's normal is left to the neighbour. Along the triangle's normal all points within the margin
// count. A triangle without area has only its edges: no ghost is told.
//
// A triangle does not know what its neighbours do: around a vertex of a saddle each of them may leave a contact to the next. Those
// who ask all triangles of a mesh see that (graze/model_contact.h does).
//
// A contact that the neighbour has as well, at an edge or vertex they share, is reported by both, each with its own
// triangle number, and so with a key of its own.
GRZ_NODISCARD GRZ_API grzResult grzConvex_CollideTriangle(const grzConvex* shape, grzTransform pose,
                                                          const grzMeshTriangle* triangle, float margin,
                                                          grzManifold* manifold);

// The distance to the triangle's surface; B is the triangle. Affine. Features as in grzMeshTriangle.
GRZ_NODISCARD GRZ_API grzResult grzConvex_TriangleDistance(const grzConvex* shape, grzTransform pose,
                                                           const grzMeshTriangle* triangle,
                                                           grzConvexDistance* distance);

// The contacts of a manifold, sorted by their key; toi is 0 where they touch and 1 where they only come near. B's
// triangle is the manifold's; A has none. Where idA.index1 > idB.index1 the bodies are swapped, with all that belongs to them. Returns
// their number; room for four is enough.
GRZ_API uint32_t grzManifold_ToContacts(const grzManifold* manifold, grzBodyId idA, grzBodyId idB,
                                        grzContact* contacts);

GRZ_EXTERN_C_END

#endif
