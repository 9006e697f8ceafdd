// Triangle meshes: positions, indices, and everything that can be said about how the triangles hang together.
//
//   grzMeshDef def = grzDefaultMeshDef();
//   def.positions = positions, def.vertexCount = 8;
//   def.indices = indices, def.triangleCount = 12;
//   grzMesh* mesh;
//   grzResult result = grzMesh_Create(&def, &mesh);
//   grzMeshView view = grzMesh_GetView(mesh);
//
// Ownership: a mesh copies what it needs; the caller's arrays may go after create. What the accessors point at
// belongs to the mesh and lives until its destroy. Threads: a mesh never changes after create, so any thread may
// read it; create and destroy are called from one thread. Units: those of the positions.
//
// Nothing is repaired and nothing is dropped: a triangle without area, a triangle that is there twice or an edge
// with five triangles stays where it is and is reported. Only what has no meaning is refused (grzMesh_Create).
//
// Two numberings. "The caller's" is the order of the arrays in the def. "The mesh's" is the order that
// grzMeshDef.order asks for; by default they are the same. A view speaks in the mesh's numbers, a report in the
// caller's; the maps in the view translate.
//
// Memory, with V vertices, T triangles and E <= 3T edges (1.5T for a closed mesh): 3V numbers and 24V + 69T + 32E
// bytes, plus what the report lists. Create takes up to 44V + 48T bytes more while it works.
#ifndef GRAZE_MESH_H
#define GRAZE_MESH_H

#include "graze/config.h"
#include "graze/host.h"
#include "graze/linmath.h"
#include "graze/result.h"

GRZ_EXTERN_C_BEGIN

// In an array of indices: there is none.
#define GRZ_MESH_NONE UINT32_MAX

// The largest counts: so many that a grzFeature (records.h) can name each vertex, triangle and edge (E <= 3T), and
// that every count and offset of a view fits 32 bits (the longest array is vertexEdges with 2E elements).
#define GRZ_MESH_MAX_VERTICES  1073741823u // 2^30 - 1
#define GRZ_MESH_MAX_TRIANGLES 357913941u  // (2^30 - 1) / 3

typedef struct grzMesh grzMesh;

typedef enum grzNumberType {
    grz_float32 = 1,
    grz_float64 = 2,
} grzNumberType;

typedef enum grzIndexType {
    grz_index16 = 1,
    grz_index32 = 2,
} grzIndexType;

// How a mesh numbers its vertices and triangles. In all but the first, vertices are numbered by first touch,
// walking the triangles in their new order, corner by corner; those without a triangle come last, in the
// caller's order.
typedef enum grzMeshOrder {
    grz_orderAsGiven = 0, // the caller's numbers
    grz_orderFirstTouch,  // triangles stay
    grz_orderMorton,      // triangles along a Morton curve through the centres of their boxes
    grz_orderByTriangles, // triangles as grzMeshDef.triangleOrder lists them
} grzMeshOrder;

typedef struct grzMeshDef {
    uint32_t mark; // set by grzDefaultMeshDef; create refuses another
    grzMeshOrder order;

    // Vertex i lies at positions + i * positionStride: three numbers of positionType. Any alignment, any stride of
    // at least three numbers; 0 means tight. May be NULL where vertexCount is 0.
    const void* positions;
    size_t positionStride;
    size_t vertexCount;
    grzNumberType positionType;

    // Triangle i lies at indices + i * triangleStride: three indices of indexType. As above.
    grzIndexType indexType;
    const void* indices;
    size_t triangleStride;
    size_t triangleCount;

    // Only for grz_orderByTriangles: triangleCount of the caller's triangle numbers, each once.
    const uint32_t* triangleOrder;

    grzAllocator allocator; // all zeros: the default one
} grzMeshDef;

// No vertices, no triangles, float32, index32, tight, the caller's numbering.
GRZ_API grzMeshDef grzDefaultMeshDef(void);

// Makes a mesh, or refuses, makes nothing and sets *mesh to NULL:
//   grz_badDef         no def, or the mark is not the default def's
//   grz_badArgument    (value 1; the reason names the field) an unknown type or order, a NULL array with a count, a
//                      stride below its element, half an allocator, or a triangleOrder that is not a permutation
//                      (grz_partElement; index: the first that names no triangle, or one for the second time)
//   grz_tooLarge       value vertices or triangles: more than the maxima above (the reason says of which)
//   grz_notFinite      the first vertex with a NaN or an infinity, used or not
//   grz_indexTooLarge  the first triangle with an index that names no vertex; value: the index
//   grz_outOfMemory    the allocator refused
// Float64 positions may exceed the range of float: a mesh keeps the numbers it is given.
// Cost: linear but for a logarithm in the worst chain of components; no recursion, no hashing that an input could
// exploit. A scan of 871,000 triangles takes about 0.25 s on one core.
GRZ_NODISCARD GRZ_API grzResult grzMesh_Create(const grzMeshDef* def, grzMesh** mesh);

// NULL is fine. While a mesh shape, a cloth or an animated body has it, it stays, and an error is logged.
GRZ_API void grzMesh_Destroy(grzMesh* mesh);

// Two vertices, a < b.
typedef struct grzMeshEdge {
    uint32_t a, b;
} grzMeshEdge;

// Bits of grzMeshView.triangleOwns: corner i is bit i, edge i is bit 3 + i.
#define GRZ_MESH_OWNS_CORNER(i) (1u << (i))
#define GRZ_MESH_OWNS_EDGE(i)   (8u << (i))

// A mesh as flat arrays, in the mesh's numbers. No pointer is NULL but the two where it is said; an array without
// elements must not be read.
//
// Lists of lists are in compressed rows: the triangles of edge e are
//   edgeTriangles[edgeTriangleStarts[e]] ... edgeTriangles[edgeTriangleStarts[e + 1] - 1].
//
// Edge i of a triangle joins its corners i and (i + 1) % 3. Where both are the same vertex there is no edge
// (GRZ_MESH_NONE). Two edges of a triangle with a repeated index are one edge of the mesh; it has the
// triangle once.
typedef struct grzMeshView {
    uint32_t vertexCount, triangleCount, edgeCount, componentCount;

    // Positions as given, three numbers a vertex, tight, 64-byte aligned. The pointer of the other type is NULL.
    grzNumberType positionType;
    const float* positions32;
    const double* positions64;

    // Of all vertices that have a triangle, exactly; grzBoxd_Empty() if none has.
    grzBoxd bounds;

    const uint32_t* triangles; // three vertices each, in the caller's winding and with the caller's first corner
    const grzMeshEdge* edges;  // every pair of vertices that some triangle joins, once, ascending by (a, b)

    const uint32_t* edgeTriangleStarts; // edgeCount + 1
    const uint32_t* edgeTriangles;      // at most 3T; ascending within an edge, at least one
    const uint32_t* triangleEdges;      // three each
    // Three each: the next triangle around edge i, in the ring of that edge's triangles (ascending, then from the
    // start again). With two triangles that is the other one; with one, GRZ_MESH_NONE. So every triangle at a
    // non-manifold edge is reached too.
    const uint32_t* triangleNeighbours;

    const uint32_t* vertexTriangleStarts; // vertexCount + 1
    const uint32_t* vertexTriangles;      // at most 3T; ascending within a vertex, each triangle once
    const uint32_t* vertexEdgeStarts;     // vertexCount + 1
    const uint32_t* vertexEdges;          // 2E; ascending within a vertex
    const uint32_t* vertexNeighbours;     // 2E; the other end of the edge in the same place; ascending as well

    // One owner for each vertex and edge, so that a pair of triangles tests a vertex against a face, or two edges,
    // only where it owns them, and no such test is done twice. The owner is the lowest triangle; GRZ_MESH_NONE for
    // a vertex without one. [Curtis, Tamstorf, Manocha, Fast Collision Detection for Deformable Models using
    // Representative-Triangles, I3D 2008]
    const uint32_t* vertexOwners;
    const uint32_t* edgeOwners;
    // the same by triangle, as bits GRZ_MESH_OWNS_...; the first, where an index repeats
    const uint8_t* triangleOwns;

    // Triangles are in one component where they share a vertex, directly or through others; vertices that only lie
    // in the same place do not join. Numbered by their lowest triangle in the caller's order. A triangle's
    // component is that of its corners; GRZ_MESH_NONE for a vertex without a triangle.
    const uint32_t* vertexComponents;

    // From the mesh's numbers to the caller's and back; each pair is inverse to the other.
    const uint32_t* vertexToCaller;
    const uint32_t* vertexFromCaller;
    const uint32_t* triangleToCaller;
    const uint32_t* triangleFromCaller;
} grzMeshView;

GRZ_API grzMeshView grzMesh_GetView(const grzMesh* mesh);

// Element `index` repeats element `first`, the lowest of its kind; first < index.
typedef struct grzMeshCopy {
    uint32_t index, first;
} grzMeshCopy;

// What a user should know about a mesh, in the caller's numbers, and the same for every order. All lists ascend
// (edges by (a, b), copies by index), and none is longer than what it lists from. Where counts are 0 the pointer
// must not be read.
typedef struct grzMeshReport {
    uint32_t vertexCount, triangleCount, edgeCount, componentCount;

    // Triangles whose area is zero, exactly: the corners lie on one line or in one point, decided without rounding
    // for all finite numbers. Triangles with a repeated index are among them, and counted again.
    uint32_t degenerateTriangleCount;
    const uint32_t* degenerateTriangles;
    uint32_t repeatedIndexCount;

    // Triangles with the same three corners as a lower one, in any order.
    uint32_t duplicateTriangleCount;
    const grzMeshCopy* duplicateTriangles;

    // Vertices that no triangle names.
    uint32_t unreferencedVertexCount;
    const uint32_t* unreferencedVertices;

    // Vertices with the same position as a lower one, to the bit, but -0 is +0.
    uint32_t duplicateVertexCount;
    const grzMeshCopy* duplicateVertices;

    // Edges by how many triangles they have: one; more than two; and two that run along it in the same direction
    // (a triangle with a repeated index runs both ways and contradicts none).
    uint32_t boundaryEdgeCount;
    const grzMeshEdge* boundaryEdges;
    uint32_t nonManifoldEdgeCount;
    const grzMeshEdge* nonManifoldEdges;
    uint32_t inconsistentEdgeCount;
    const grzMeshEdge* inconsistentEdges;

    int64_t eulerNumber; // vertices that have a triangle - edges + triangles
    bool isClosed;       // there are edges, and each has exactly two triangles
} grzMeshReport;

GRZ_API grzMeshReport grzMesh_GetReport(const grzMesh* mesh);

// Which way the triangles face.
typedef struct grzMeshWinding {
    double areaUp, areaDown; // of triangles whose fronts face up, or down, within 45 degrees
    double areaSideways;     // of the rest
    // Closed components whose triangles are clockwise seen from outside. One in the box of another one that is not is a
    // hollow in a solid, and does not count.
    uint32_t insideOutCount;
    uint32_t firstInsideOut; // the lowest triangle of them, in the caller's numbers; GRZ_MESH_NONE: there is none
} grzMeshWinding;

// In double, to within rounding; linear, but for each component inside out one look at all. Takes 88 bytes for each component meanwhile.
// `up` is of any length. Refused: grz_badArgument (value 2: up is 0, or not finite), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzMesh_MeasureWinding(const grzMesh* mesh, grzVec3 up, grzMeshWinding* winding);

// How many triangles are slivers: shortest height below `ratio` times the longest edge. A triangle with area zero
// is one (for ratio > 0) unless its corners are one point, where the question has no answer. Computed in double, to
// within a few ulp, for positions of any size and ratios above 2^-300; O(T). None is a sliver for a ratio that is
// 0, negative or a NaN; for infinity all are but those that are one point.
GRZ_API uint32_t grzMesh_CountSlivers(const grzMesh* mesh, double ratio);

// Vertex `vertex` in double, which is exact for both types. The vertex must be below vertexCount (asserted).
GRZ_API grzVec3d grzMesh_GetPosition(const grzMesh* mesh, uint32_t vertex);

// Writes 3V floats, each rounded to nearest (beyond the range of float: to an infinity). Returns how many of them
// differ from what the mesh holds: 0 says the copy is exact.
GRZ_API size_t grzMesh_RoundPositions(const grzMesh* mesh, float* positions);

// Checks every promise of a view and of a report, except that no copy and no inconsistent edge was missed; for
// tests and for doubts. O(V + T) and a binary search for each listed edge and copy; allocates nothing. False where
// a promise is broken; the first is logged as an error.
GRZ_API bool grzMesh_Validate(const grzMesh* mesh);

GRZ_EXTERN_C_END

#endif
