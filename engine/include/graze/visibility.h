// What is visible: the objects of a tree, and of trees nested in it, that lie in a convex volume and are not
// hidden.
//
//   grzVisibilityQuery query = grzDefaultVisibilityQuery();
//   query.tree = city, query.nest = nest, query.camera = &camera, query.occlusion = grz_occludeByBoxes;
//   result = grzVisibility_Find(visibility, &query);
//   grzVisibilityView seen = grzVisibility_GetView(visibility);    // seen.objects[0 .. seen.count)
//
// Promise: conservative. An object is left out only if its box lies wholly outside one of the volume's half-spaces,
// or if every ray from the camera to a point of its box in view meets an occluder strictly before; in real
// arithmetic, whatever the frames of nested trees do. What is reported too much is what rounding and pixels leave
// undecided, and boxes that pass by an edge of the volume. Without occlusion, which objects are reported depends on
// boxes, frames and half-spaces alone. With occlusion it also depends on what was visible before and on the trees'
// history, for what is drawn decides what is culled. The same bytes at every SIMD level.
//
// Order: objects ascending by (instance, key), those of equal key by the index of their id. Instance 0 is the
// query's tree; the others follow level by level, ascending by (parent, key of the object that carries the tree,
// index of the attachment). Only instances that the query reached are listed.
//
// Owner: the finder keeps its memory from call to call, and with it the objects that were visible, to draw their
// occluders first next time. What it finds lives until the next find or its destroy. Threads: one at a time, and
// nothing else at the trees meanwhile.
//
// Based on: Joshua Shagam, Dynamic Spatial Partitioning for Real-Time Visibility Determination, New Mexico State
// University 2003, sections 2.2.1 to 2.2.3; broadphase/visibility/visibility_walk.c tells where we differ.
#ifndef GRAZE_VISIBILITY_H
#define GRAZE_VISIBILITY_H

#include "graze/depth_pyramid.h"
#include "graze/tree_nest.h"
#include "graze/tree_query.h"

GRZ_EXTERN_C_BEGIN

typedef struct grzVisibility grzVisibility;

typedef struct grzVisibilityDef {
    uint32_t mark;              // set by grzDefaultVisibilityDef; create refuses another
    uint32_t width, height;     // pixels of the depth pyramid: 1 to GRZ_MAX_DEPTH_PIXELS
    uint32_t minOccluderPixels; // objects whose box takes up fewer on the screen are not drawn as occluders
    grzAllocator allocator;     // all zeros: the default one
} grzVisibilityDef;

// 256 by 128 pixels, 64 pixels an occluder.
GRZ_API grzVisibilityDef grzDefaultVisibilityDef(void);

// Or sets *visibility to NULL: grz_badDef, grz_badArgument (a size out of range, half an allocator), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzVisibility_Create(const grzVisibilityDef* def, grzVisibility** visibility);

// NULL is fine.
GRZ_API void grzVisibility_Destroy(grzVisibility* visibility);

// What an object hides others with, in the coordinates of its tree: the union of both parts.
typedef struct grzOccluders {
    const grzBox* boxes;
    size_t boxCount;
    grzTriangleSoup triangles;
} grzOccluders;

// Fills in the occluders of an object (all zeros when called: none). What it points at must live until the find
// ends. Called on the thread of the find, for objects that are visible now or were so last time, perhaps more than
// once. Must not change trees or the nest.
typedef void grzOccludersFn(void* context, const grzTree* tree, uint32_t key, grzOccluders* occluders);

typedef enum grzOcclusion {
    grz_occludeNothing, // planes alone decide
    // Every object fills its box and is opaque. Not for trees with a margin, nor for swept boxes.
    grz_occludeByBoxes,
    grz_occludeByHost, // the host says for each object (occludersOf)
} grzOcclusion;

// What a camera has in view, as six half-spaces: left, right, bottom, top, nearest, farthest. They are rounded to floats: a point
// within some 1e-6 of its own and the camera's coordinates of the edge of the view may be on the other side. Refused, with nothing
// written: what grzCamera_Check says.
GRZ_NODISCARD GRZ_API grzResult grzCamera_HalfSpaces(const grzCamera* camera, grzHalfSpace halfSpaces[6]);

typedef struct grzVisibilityQuery {
    grzTree* tree;
    const grzTreeNest* nest; // NULL: no object carries a tree
    // The volume: the intersection of the half-spaces and of what the camera has in view, where there are such.
    const grzHalfSpace* halfSpaces;
    uint32_t halfSpaceCount; // up to GRZ_MAX_HALF_SPACES
    const grzCamera* camera;
    // As in a query: the view and an object are of interest to each other where each one's mask has a bit of the
    // other's category. Other objects are not visible, do not occlude, and what they carry is not looked at.
    uint64_t category; // what the view is
    uint64_t mask;     // what it wants to see
    grzOcclusion occlusion;
    grzOccludersFn* occludersOf;
    void* occludersContext;
    grzOccluders scenery; // drawn before everything else, in the coordinates of `tree`; only with occlusion
} grzVisibilityQuery;

// Of all categories, wanting to see all; no occlusion, all else zeros.
GRZ_API grzVisibilityQuery grzDefaultVisibilityQuery(void);

// Finds what is visible. The trees change shape (they split lazily), their objects do not. Refused: grz_badArgument
// (value: 1 no tree; 2 too many half-spaces, or a count of them at NULL; 3 occlusion without a camera; 4 by the host without occludersOf; 5 by
// boxes with a tree that has a margin; 6 an unknown occlusion), what grzCamera_Check says, grz_notFinite (index: of
// the half-space), grz_indexTooLarge (of the scenery; index: the triangle, value: what it names), grz_outOfMemory.
// The view is empty then, what was visible is forgotten. Triangles of an object with a bad index are left out whole.
GRZ_NODISCARD GRZ_API grzResult grzVisibility_Find(grzVisibility* visibility, const grzVisibilityQuery* query);

typedef struct grzVisibleObject {
    uint32_t instance; // index into the view's instances
    uint32_t key;
    grzTreeId id; // in that instance's tree
} grzVisibleObject;

// One way from the query's tree into a nested one.
typedef struct grzTreeInstance {
    uint32_t parent; // the instance with the object that carries this tree; UINT32_MAX for the query's tree
    grzAttachmentId attachment; // of that object; null for the query's tree
} grzTreeInstance;

typedef struct grzVisibilityStats {
    uint64_t nodesTested; // children of nodes that were entered, and roots
    uint64_t nodesOutside, nodesHidden;
    uint64_t nodesInside;   // entered, wholly in the volume: no plane is tested below them
    uint64_t objectsTested; // the working set: objects of entered nodes
    uint64_t objectsOutside, objectsHidden;
    uint64_t objectsCarrying; // visible, with a tree instead of themselves
    uint64_t occludersBefore; // objects drawn because they were visible last time
    uint64_t occludersDuring; // objects drawn when they were found visible
    uint64_t reductions;      // of the pyramid
} grzVisibilityStats;

typedef struct grzVisibilityView {
    const grzVisibleObject* objects;
    size_t count;
    const grzTreeInstance* instances;
    size_t instanceCount;
    grzVisibilityStats stats;
} grzVisibilityView;

GRZ_API grzVisibilityView grzVisibility_GetView(const grzVisibility* visibility);

GRZ_EXTERN_C_END

#endif
