// ADB-trees: hierarchies whose boxes know how the surface in them is spread, so that a query can say how likely two models
// intersect without looking at a triangle.
//
//   grzAdbTreeDef def = grzDefaultAdbTreeDef();
//   def.model = model;                                   // graze/model.h
//   grzAdbTree* tree;
//   grzResult result = grzAdbTree_Create(&def, &tree);
//   grzProbeQuery query = grzDefaultProbeQuery();        // graze/stage/time_critical.h
//   query.method = grz_probePublished;
//   query.models.a = query.models.b = model;
//   query.adb.a = query.adb.b = tree;
//
// Contents: trees, trees of meshes that deform, what queries need.
//
// What is answered. "They touch" where kMin pairs of boxes have been found whose probability of an intersection is at least
// pMin; "they do not" where no pair of boxes is left. Either can be wrong, and the confidence is the paper's estimate, not a
// measured error. The fast method is faster and its confidence is measured; docs/adb.md says when an ADB-tree pays.
//
// Ownership: a tree keeps a pointer to its model, an octree does not. Threads:
// any number may ask
// queries of a tree; the other calls are for one at a time, with nobody asking. The same bytes at every SIMD level and for any number of workers.
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

// What the published method of time-critical queries needs (graze/stage/time_critical.h). grzDefaultProbeQuery fills in all but the
// trees: pMin 0.99, kMin 10, aligned cases, spheres from a factor of 8 on.
typedef struct grzAdbQuery {
    const grzAdbTree* a; // of the query's models; may be the same
    const grzAdbTree* b;
    float pMin;    // the probability from which on a pair of boxes counts, above 0 and at most 1
    uint32_t kMin; // how many such pairs make "they touch"; at least 1
    grzAdbVolume volume;
    float sphereRatio; // of volumes, at least 1; see grz_volumeOfAlignedCases
    // For the queue of calls that keep nothing: grzModels_Probe and grzModels_ProbeMany, whose workers use it at the same time. All
    // zeros: the default one.
    grzAllocator allocator;
} grzAdbQuery;

GRZ_EXTERN_C_END

#endif
