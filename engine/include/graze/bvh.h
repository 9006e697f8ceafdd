// Hierarchies over triangles: one topology, on which any number of box sets may stand.
//
//   grzBvhDef def = grzDefaultBvhDef();
//   def.positions = positions, def.vertexCount = 8;
//   def.triangles = triangles, def.triangleCount = 12;
//   grzBvh* bvh;
//   grzResult result = grzBvh_Create(&def, &bvh);
//   grzBvhView view = grzBvh_GetView(bvh);
//   grzBvhNode* nodes = ...;                    // view.nodeCount of them, the caller's
//   grzBvhRefit refit = grzDefaultBvhRefit();
//   refit.positions = positions, refit.numbering = grz_bvhCallersNumbers;
//   result = grzBvh_Refit(bvh, tasks, &refit, nodes);
//
// Shape. The triangles stand in an order that the builder chose. Four that follow each other are a leaf, eight
// leaves a node of the bottom level, eight nodes a node of the level above, up to one root. All but the last of a
// level are full, so there are no links: the shape follows from the number of triangles alone.
//
//   level 0                     [ 0 ]                    node 0: the root
//   level 1        [ 1 ]        [ 2 ]       [ 3 ]        children of node i of a level: nodes 8i .. 8i + 7 of the next
//   level 2    [4][5] .. [11] [12] .. [19] [20] [21]     the bottom: lane k of its node i is leaf 8i + k
//   leaves     .... .... .... .... .... .... .... ..     leaf j: triangles 4j .. 4j + 3
//
// A node holds the boxes of its eight children, lane by lane, so that one box is tested against eight at once; the
// box of the root is grzBvh_RootBox. Nodes lie level by level, so children have greater numbers than their parent,
// and walking backwards meets children first. [van den Bergen, Efficient Collision Detection of Complex Deformable
// Models using AABB Trees, Journal of Graphics Tools 1997] section 3.
//
// Two numberings. "The caller's" is the order of the arrays in the def; "the tree's" is the builder's order of the
// triangles, and for vertices the order in which the triangles first touch them (those without a triangle last, in
// the caller's order); so until it is edited. Positions that lie in the tree's order are refit fastest; the maps in the view
// translate.
//
// Ownership: a hierarchy copies what it needs; what a view points at belongs to it and changes only in
// grzBvh_Rebuild and grzBvh_Edit (graze/bvh_edit.h: triangles and vertices come and go). Nodes are the caller's. Threads:
// any number may read and refit (into different nodes) at a time; Create, Rebuild, Edit and Destroy are called by one, with
// nobody reading. Units: whatever the positions are in. Memory, with V vertices and T triangles: 8V + 29T bytes, and 7T for a
// set of nodes. The work of a build takes
// 4V + 24T more with Morton and 4V + 64T with the others.
#ifndef GRAZE_BVH_H
#define GRAZE_BVH_H

#include "graze/config.h"
#include "graze/host.h"
#include "graze/linmath.h"
#include "graze/mesh.h"
#include "graze/result.h"
#include "graze/tasks.h"

GRZ_EXTERN_C_BEGIN

#define GRZ_BVH_WIDTH           8u   // children of a node
#define GRZ_BVH_LEAF_TRIANGLES  4u   // triangles of a leaf
#define GRZ_BVH_CHUNK_TRIANGLES 256u // triangles of a chunk: eight nodes of the bottom level
#define GRZ_BVH_LEAF_VERTICES   12u  // the most that a leaf can have
#define GRZ_BVH_MAX_LEVELS      10u
#define GRZ_BVH_ALIGNMENT       64u // what an array of nodes should be aligned to, for speed

typedef struct grzBvh grzBvh;

// The boxes of eight children: box k is [lower[axis][k], upper[axis][k]]. A child that is not there has lower
// FLT_MAX and upper -FLT_MAX on every axis: it meets nothing, adds nothing to a union, and makes no NaN.
typedef struct grzBvhNode {
    float lower[3][8];
    float upper[3][8];
} grzBvhNode;

GRZ_STATIC_ASSERT(sizeof(grzBvhNode) == 192, "three lines of a cache");

// How the triangles are ordered.
typedef enum grzBvhBuilder {
    grz_bvhMorton = 0, // along a Morton curve whose cells are halved on their longest axis: the fastest by far
    grz_bvhMedian,     // boxes cut in the middle of their longest axis, as van den Bergen has it
    grz_bvhSah,        // cuts where the surface area heuristic is least, of those that keep the tree full
} grzBvhBuilder;

typedef struct grzBvhDef {
    uint32_t mark; // set by grzDefaultBvhDef; calls refuse another
    grzBvhBuilder builder;

    // Vertex i lies at positions + i * positionStride: three numbers of positionType, aligned as such a number. The
    // stride is a multiple of the number's size and at least three numbers; 0 means tight.
    const void* positions;
    size_t positionStride;
    size_t vertexCount;
    grzNumberType positionType;

    const uint32_t* triangles; // three vertices each
    size_t triangleCount;

    grzTasks* tasks;        // used during the call; NULL: the calling thread alone
    bool keepsScratch;      // keep the memory of the work, so that Rebuild allocates nothing
    grzAllocator allocator; // all zeros: the default one
} grzBvhDef;

// No vertices, no triangles, float32, tight, Morton.
GRZ_API grzBvhDef grzDefaultBvhDef(void);

// Makes a hierarchy; boxes are the business of grzBvh_Refit. Or refuses, makes nothing and sets *bvh to NULL:
//   grz_badDef         no def, or the mark is not the default def's
//   grz_badArgument    (value 1; the reason names the field) an unknown type or builder, a NULL array with a count, a
//                      stride that is none, half an allocator
//   grz_tooLarge       value vertices or triangles: more than a mesh may have (mesh.h)
//   grz_notFinite      the first vertex with a NaN or an infinity, used or not
//   grz_indexTooLarge  the first triangle with an index that names no vertex; value: the index
//   grz_outOfMemory    the allocator refused
// Every triangle is kept, also those without area, with an index twice, or there twice. No triangles make one node
// without children. The result depends on the positions and triangles alone, on no number of workers.
GRZ_NODISCARD GRZ_API grzResult grzBvh_Create(const grzBvhDef* def, grzBvh** bvh);

// NULL is fine.
GRZ_API void grzBvh_Destroy(grzBvh* bvh);

// Orders anew, with the same outcome as Create, in the memory that is there, if that is enough. The def's allocator and
// keepsScratch are not read. While the counts are those of before, views keep their pointers and nothing is allocated
// but scratch that was not kept; with others, views must be fetched anew. What they point at changes, so every set of
// nodes must be refit. Fails as Create does, and changes nothing then.
GRZ_NODISCARD GRZ_API grzResult grzBvh_Rebuild(grzBvh* bvh, const grzBvhDef* def);

// A hierarchy as flat arrays, in the tree's numbers. No pointer is NULL; one without elements must not be read.
typedef struct grzBvhView {
    uint32_t vertexCount, triangleCount;
    uint32_t leafCount;  // triangleCount / 4, rounded up
    uint32_t nodeCount;  // at least 1
    uint32_t chunkCount; // triangleCount / 256, rounded up
    uint32_t levelCount; // at least 1
    // Level d has the nodes levelStarts[d] .. levelStarts[d + 1] - 1; beyond the last level: nodeCount.
    uint32_t levelStarts[GRZ_BVH_MAX_LEVELS + 1];

    const uint32_t* triangles; // three vertices each, in the caller's winding, with the caller's first corner
    const uint32_t* triangleToCaller; // triangleCount
    const uint32_t* vertexToCaller;   // vertexCount; and its inverse:
    const uint32_t* vertexFromCaller;

    // The vertices of leaf j, each once, in the order of the corners: the first eight from leafVertices + 8j, the
    // others from moreVertices + 4j. What is left over of the eight, and of the four where there is a ninth,
    // repeats the leaf's first vertex, so that it may be read as well.
    const uint32_t* leafVertices;
    const uint32_t* moreVertices;
    const uint8_t* leafVertexCounts; // at most GRZ_BVH_LEAF_VERTICES
} grzBvhView;

GRZ_API grzBvhView grzBvh_GetView(const grzBvh* bvh);

// The nodes of the bottom level.
static inline uint32_t grzBvhView_BottomStart(const grzBvhView* view) {
    return view->levelStarts[view->levelCount - 1];
}

// How many children node `index` of a level has: 0 to 8.
static inline uint32_t grzBvhView_ChildCount(const grzBvhView* view, uint32_t level, uint32_t index) {
    const uint32_t below = level + 1 < view->levelCount
                               ? view->levelStarts[level + 2] - view->levelStarts[level + 1]
                               : view->leafCount;
    const uint32_t left = below - index * GRZ_BVH_WIDTH;
    return left < GRZ_BVH_WIDTH ? left : GRZ_BVH_WIDTH;
}

// ------------------------------------------------------------------------------------------------------- boxes

// How the vertices of a refit are numbered.
typedef enum grzBvhNumbering {
    grz_bvhTreesNumbers = 0,
    grz_bvhCallersNumbers,
} grzBvhNumbering;

typedef struct grzBvhRefit {
    const void* positions; // of all vertices; type, alignment and stride as in the def
    // NULL, or the positions at the end of a linear motion of every vertex from positions. Boxes then hold the
    // triangles at both ends, and so at every time between.
    const void* endPositions;
    size_t stride;
    grzNumberType type;
    grzBvhNumbering numbering;
    // NULL: everything. Else view.chunkCount bits, chunk c is bit c % 64 of word c / 64; higher bits are 0. Only
    // those chunks, of triangles 256c .. 256c + 255, are looked at, and what is above them; the nodes must come from
    // an earlier refit of everything. If all chunks with a vertex that moved are set, every byte is as it would be
    // after a refit of everything.
    const uint64_t* dirtyChunks;
} grzBvhRefit;

// Float32, tight, the tree's numbers, at rest, everything.
GRZ_API grzBvhRefit grzDefaultBvhRefit(void);

// Writes the boxes of all nodes, or refuses and changes nothing:
//   grz_badArgument  (value 3; the reason names the field) an unknown type or numbering, NULL positions, a stride
//                    that is none; value 4: nodes is NULL
//   grz_notFinite    the first vertex, in the numbering of the refit, with a NaN or an infinity; of the start before
//                    the end. Everything: of all vertices, used or not. Dirty chunks: of theirs, and it is the first
//                    of the first such chunk's
// Boxes are exact for float positions. Double positions are rounded outward, so that a box always holds its
// triangles; beyond the range of float to an infinity. Swept boxes hold the exact linear motion: a host whose own
// positions between the ends are rounded may find them outside by that rounding.
// The same bytes for any number of workers and at every SIMD level. Allocates nothing.
GRZ_NODISCARD GRZ_API grzResult grzBvh_Refit(const grzBvh* bvh, grzTasks* tasks, const grzBvhRefit* refit,
                                             grzBvhNode* nodes);

// Of all triangles; grzBox_Empty() for none.
GRZ_API grzBox grzBvh_RootBox(const grzBvhNode* nodes);

// ----------------------------------------------------------------------------------------------------- quality

// How a tree stands. Both are sums over all inner nodes and leaves; scaling the mesh does not change them.
typedef struct grzBvhQuality {
    double overlap; // areas of the intersections of siblings, each with each other, over the areas of the siblings:
                    // at how many siblings more must a query look that meets one; 0 is best
    double area;    // areas of all boxes over the root's: how many a random line meets that meets the root. 0 where
                    // the root has no area
} grzBvhQuality;

// O(T), a few ns a triangle, on the calling thread. Infinities count as FLT_MAX.
GRZ_API grzBvhQuality grzBvh_Measure(const grzBvh* bvh, const grzBvhNode* nodes);

// When does a rebuild pay? A refit tree is never wrong, but queries cost more as siblings overlap. The rule: add up,
// frame by frame, what the queries cost more than they would in a new tree, and rebuild when that sum reaches the
// cost of a rebuild. So no more is lost than twice what would be lost by knowing the future (the argument of renting
// or buying skis). The excess of a frame is estimated from the growth of 1 + overlap since the build.
typedef struct grzBvhAge {
    double builtOverlap; // of the first refit after the build
    double lost;         // so far, in the unit of the costs
} grzBvhAge;

// A tree that was just built, with the overlap of its first boxes.
GRZ_API grzBvhAge grzBvhAge_Start(double overlap);

// A frame has passed: the overlap of its boxes, what its queries cost, and what a rebuild would cost, in one unit of
// the host's choice (time, or counted work). Returns whether a rebuild pays now; after it, start anew.
GRZ_API bool grzBvhAge_Step(grzBvhAge* age, double overlap, double queryCost, double rebuildCost);

// ------------------------------------------------------------------------------------------------------ checks

// Checks every promise of the view; for tests and for doubts. O(V + T), without memory. False where a promise is broken,
// which is logged as an error.
GRZ_API bool grzBvh_Validate(const grzBvh* bvh);

// Checks that every box is where it must be: leaves hold their triangles at the refit's positions, parents exactly
// their children, and lanes without a child are empty. As above.
GRZ_API bool grzBvh_ValidateBoxes(const grzBvh* bvh, const grzBvhRefit* refit, const grzBvhNode* nodes);

GRZ_EXTERN_C_END

#endif
