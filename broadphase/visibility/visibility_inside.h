// What the two files of visibility share: visibility.c keeps, checks and sorts, visibility_walk.c finds.
#ifndef GRAZE_BROADPHASE_VISIBILITY_INSIDE_H
#define GRAZE_BROADPHASE_VISIBILITY_INSIDE_H

#include "array.h"
#include "depth_inside.h"
#include "graze/visibility.h"
#include "nest_inside.h"
#include "view_kernel.h"

// A tree as it is seen through one chain of attachments. Parents come before children.
typedef struct VisibleInstance {
    grzTree* tree;
    uint32_t parent;     // INDEX_NONE at the query's tree
    uint32_t attachment; // index, or INDEX_NONE
    uint32_t nestTree;   // place of the tree in the nest, or INDEX_NONE
    uint32_t depth;
    uint32_t key;    // of the object that carries it
    uint32_t number; // in the result; set at the end
    bool isReached;  // by this walk; otherwise it is only there to draw what was visible in it before
    LinearFrame frame;
    LocalView view;
    OccluderView occluders; // only with occlusion
} VisibleInstance;

// A node that waits to be entered.
typedef struct VisibleNode {
    float distance; // nearest first; 0 without occlusion
    uint32_t order; // of equal distance: the one that came first
    uint32_t instance, node;
    uint32_t planes; // that its box crosses
    float most;      // its largest 1 / w
    uint16_t x0, y0, x1, y1;
} VisibleNode;

// An object that is visible; instance is an index of VisibleInstance.
typedef struct VisibleHit {
    uint32_t instance, key;
    grzTreeId id;
    bool isLarge; // enough to be drawn as an occluder
} VisibleHit;

struct grzVisibility {
    grzAllocator allocator;
    grzVisibilityDef def;
    grzDepthPyramid* pyramid;
    // Of the find in hand.
    struct {
        GRZ_ARRAY(VisibleInstance);
    } instances;
    struct {
        GRZ_ARRAY(VisibleNode);
    } queue; // a heap with occlusion, a stack without
    struct {
        GRZ_ARRAY(VisibleHit);
    } hits;
    IndexMap instanceIndices; // by (parent, attachment)
    IndexMap drawn;           // objects that were drawn, by (instance, object)
    struct {
        GRZ_ARRAY(uint64_t);
    } keys; // for sorting
    struct {
        GRZ_ARRAY(uint32_t);
    } places; // likewise; and the new index of each old instance
    // What was found last, and its objects that are large (indices).
    struct {
        GRZ_ARRAY(grzVisibleObject);
    } objects;
    struct {
        GRZ_ARRAY(grzTreeInstance);
    } treeInstances;
    struct {
        GRZ_ARRAY(uint32_t);
    } large;
    const grzTree* lastTree; // where that was found
    const grzTreeNest* lastNest;
    grzVisibilityStats stats;
};

typedef struct VisibilityWalk {
    grzVisibility* visibility;
    const grzVisibilityQuery* query;
    RootView root;
    bool isOccluding;
    uint32_t pushed;
    uint32_t undrawn; // occluders drawn since the pyramid was last reduced
    grzClipBoxes_Fn* clip;
    grzProjectBoxes_Fn* project;
    grzResult result; // of the first call below that returned false
} VisibilityWalk;

// All of these return false where the walk cannot go on; walk->result says why.

// The instance of a tree that `attachment` carries in the instance `parent`; made where there is none yet. Both are
// INDEX_NONE for the query's tree.
bool grzOpenInstance(VisibilityWalk* walk, uint32_t parent, uint32_t attachment, uint32_t* instance);
// Draws what an object hides others with, unless it was drawn already.
bool grzDrawObject(VisibilityWalk* walk, uint32_t instance, uint32_t object, uint32_t key, const grzBox* box,
                   uint64_t* counter);
void grzReducePyramid(VisibilityWalk* walk);
// Walks all trees from the query's on; instance 0 is open.
bool grzWalkVisible(VisibilityWalk* walk);

#endif
