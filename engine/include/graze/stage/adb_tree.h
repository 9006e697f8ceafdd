// ADB-trees: hierarchies whose boxes know how the surface in them is spread, so that a query can say how likely two models
// intersect without looking at a triangle.
//
//   grzAdbTreeDef def = grzDefaultAdbTreeDef();
//   def.model = model;                                   // graze/model.h
//   grzAdbTree* tree;
//   grzResult result = grzAdbTree_Create(&def, &tree);
//   grzAdbSearch* search;
//   result = grzAdbSearch_Create((grzAllocator){0}, &search);
//   grzAdbQuery query = grzDefaultAdbQuery();
//   query.a = query.b = tree;
//   query.poseB = pose;
//   result = grzAdbSearch_Begin(search, &query);
//   while (!grzAdbSearch_GetView(search).isFinished)
//       result = grzAdbSearch_Continue(search, 16);      // steps; stop whenever there is no more time
//
// Contents: trees, trees of meshes that deform, queries.
//
// What is answered. "They touch" where kMin pairs of boxes have been found whose probability of an intersection is at least
// pMin; "they do not" where no pair of boxes is left. Either can be wrong: answers are grz_probable (graze/records.h), and
// their measure is the paper's estimate, not a measured error. grzModels_Touch (graze/model_pair.h) is exact, and faster as
// well; docs/adb.md says when an ADB-tree pays.
//
// Ownership: a tree keeps a pointer to its model, an octree does not; a search keeps pointers to the trees of its query. Threads:
// any number may ask
// queries of a tree; the other calls are for one at a time, with nobody asking. A search is for one thread
// at a time. The same bytes at every SIMD level and for any number of workers.
// [Klein and Zachmann, Time-Critical Collision Detection Using an Average-Case Approach, VRST 2003]
#ifndef GRAZE_STAGE_ADB_TREE_H
#define GRAZE_STAGE_ADB_TREE_H

#include "graze/model.h"
#include "graze/records.h"

GRZ_EXTERN_C_BEGIN

// ----------------------------------------------------------------------------------------------------------- trees

typedef struct grzAdbTree grzAdbTree;

// Which boxes.
typedef enum grzAdbShape {
    grz_adbOfModel = 0, // those of the model's hierarchy: eight children a node, four triangles a leaf
    grz_adbOctree,      // cubes cut into eight, down to four triangles or eight levels
} grzAdbShape;

// In what parts of a box possible collision cells are counted, where a surface is spread unevenly.
typedef enum grzAdbRegions {
    grz_adbNoRegions = 0, // the box as a whole
    grz_adbGridRegions,   // its eight octants
    grz_adbPyramids,      // six pyramids from its faces to its centre
} grzAdbRegions;

typedef struct grzAdbTreeDef {
    uint32_t mark; // set by grzDefaultAdbTreeDef; create refuses another
    grzAdbShape shape;
    const grzModel* model;
    uint32_t cellsPerAxis; // of the grid in each box: 4, 8 or 16
    grzAdbRegions regions;
    // A cell is a possible collision cell where the area of the surface in it is at least areaFactor times the area of the
    // largest rectangle that fits the cell. Above 0. With 1, as definition 2 is printed, hardly a cell of an ordinary mesh is
    // one, and nothing is ever reported.
    float areaFactor;
    grzTasks* tasks;        // used during the call; NULL: the calling thread alone
    grzAllocator allocator; // all zeros: the default one
} grzAdbTreeDef;

// The model's own boxes, 8 cells an axis, no regions, an area factor of 0.4.
GRZ_API grzAdbTreeDef grzDefaultAdbTreeDef(void);

// Makes a tree with the counts of all boxes. Refused, with *tree NULL:
//   grz_badDef       no def, or its mark
//   grz_badArgument  (value 1; the reason names the field) no model, an unknown shape, grid or kind of regions, an area factor
//                    that is not above 0, half an allocator
//   grz_outOfMemory  the allocator refused
GRZ_NODISCARD GRZ_API grzResult grzAdbTree_Create(const grzAdbTreeDef* def, grzAdbTree** tree);

// NULL is fine.
GRZ_API void grzAdbTree_Destroy(grzAdbTree* tree);

typedef struct grzAdbTreeView {
    uint32_t boxCount;    // with the box of all
    uint32_t bytesPerBox; // beside those of the model; an octree has no others
    uint32_t levelCount;
    // Of the model's triangles, as graze/bvh.h has them; 0 for an octree. Bit c % 64 of word c / 64: the counts of the boxes
    // of chunk c are stale. Bit chunkCount: those of the boxes above all chunks are.
    uint32_t chunkCount;
    uint32_t staleCount;
    const uint64_t* stale;
} grzAdbTreeView;

// Notices a refit as Refresh does.
GRZ_API grzAdbTreeView grzAdbTree_GetView(grzAdbTree* tree);

// Checks that every count that is not stale is what the model's triangles make, and that cubes lie in their parents; for tests and
// for doubts. As expensive as Create. False where something is wrong, which is logged as an error.
GRZ_API bool grzAdbTree_Validate(grzAdbTree* tree);

// ------------------------------------------------------------------------------------- trees of meshes that deform

// After a refit or a rebuild of the model, boxes are those of the model at once. Counts are used as they are until Refresh.
//
// Notices by itself whether the model has been refit since the last call, and which chunks have moved. Stale are their counts,
// those of chunks whose boxes overlap theirs, before or now, and those of the boxes above all chunks. Counts again for at most
// `most` stale chunks, in rising order; 0: only notices; UINT32_MAX: all. Returns how many are stale still. Counts that are not
// stale are those of a new tree. Allocates nothing. Noticing takes some 10 ns a triangle. An octree stays that of the positions
// that it was made of; queries refuse it after a refit.
GRZ_API uint32_t grzAdbTree_Refresh(grzAdbTree* tree, grzTasks* tasks, uint32_t most);

// --------------------------------------------------------------------------------------------------------- queries

// How the volume is found that two boxes share. None exceeds the volume of either box.
typedef enum grzAdbVolume {
    // max{V1, V2, V3}: the boxes moved apart along an edge, a diagonal of a face, or a diagonal of the box. Spheres where the
    // volumes of the boxes differ by more than a factor.
    grz_volumeOfAlignedCases = 0,
    grz_volumeOfSpheres,    // the lens of the two spheres around the boxes
    grz_volumeOfSlabs,      // the least parallelepiped between three of the six slabs
    grz_volumeOfAlignedBox, // either box with an aligned one around the other; the lesser
} grzAdbVolume;

typedef struct grzAdbQuery {
    uint32_t mark; // set by grzDefaultAdbQuery; calls refuse another
    const grzAdbTree* a;
    const grzAdbTree* b; // may be the same
    // From each tree's frame to a common one. From B's to A's leads a similarity: a rotation, a scale that is the same on all
    // axes, a mirror.
    grzTransform poseA, poseB;
    float pMin;    // the probability from which on a pair of boxes counts, above 0 and at most 1
    uint32_t kMin; // how many such pairs make "they touch"; at least 1
    grzAdbVolume volume;
    float sphereRatio; // of volumes, at least 1; see grz_volumeOfAlignedCases
} grzAdbQuery;

// Identities, pMin 0.99, kMin 10, aligned cases, spheres from a factor of 8 on.
GRZ_API grzAdbQuery grzDefaultAdbQuery(void);

typedef struct grzAdbSearch grzAdbSearch;

GRZ_NODISCARD GRZ_API grzResult grzAdbSearch_Create(grzAllocator allocator, grzAdbSearch** search);

// NULL is fine.
GRZ_API void grzAdbSearch_Destroy(grzAdbSearch* search);

// Begins a query; the one before is forgotten, its memory kept. Refused, with nothing to continue:
//   grz_badDef        no query, or its mark
//   grz_badArgument   (value 1; the reason names the field) no tree, grids that differ, a pMin, kMin, volume or sphereRatio that is none, a relative pose that is no similarity
//   grz_notFinite     a pose with a NaN or an infinity
//   grz_outOfMemory
GRZ_NODISCARD GRZ_API grzResult grzAdbSearch_Begin(grzAdbSearch* search, const grzAdbQuery* query);

// Takes at most so many steps; a step takes the likeliest pair of boxes and opens both. Steps taken in several calls are those of
// one call. grz_outOfMemory: the steps before are kept, the one that was refused has changed nothing, and Continue may be called
// again.
GRZ_NODISCARD GRZ_API grzResult grzAdbSearch_Continue(grzAdbSearch* search, uint64_t steps);

typedef struct grzAdbSearchView {
    bool isFinished;
    bool touches;       // false until kMin pairs are found
    uint32_t certainty; // grz_probable
    float measure;      // the greatest probability seen where they touch; else what is missing from it to 1
    uint32_t found;     // pairs of boxes with pMin or more, so far
    uint64_t steps;
    uint64_t chances;  // probabilities computed
    size_t queueCount; // pairs of boxes that can still be opened
} grzAdbSearchView;

GRZ_API grzAdbSearchView grzAdbSearch_GetView(const grzAdbSearch* search);

// A pair of boxes that waits to be opened.
typedef struct grzAdbPlace {
    grzBox boxA, boxB; // each in its tree's frame; flat ones are as thick as for the counts
    uint32_t levelA, levelB;
    float probability;
} grzAdbPlace;

#define GRZ_ADB_MOST_PLACES 64u

// The likeliest pairs of boxes that wait, likeliest first; at most `capacity` and GRZ_ADB_MOST_PLACES. Returns how many.
GRZ_API uint32_t grzAdbSearch_GetPlaces(const grzAdbSearch* search, grzAdbPlace* places, uint32_t capacity);

GRZ_EXTERN_C_END

#endif
