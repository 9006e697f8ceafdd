// Trees within trees: a tree as an object of another one, in a coordinate frame of its own.
//
//   grzTreeNest_Attach(nest, city, object, house, frame, &id);  // the object now stands for the house
//   grzTreeNest_Move(nest, id, frame);                    // frame: from the house's coordinates to the city's
//   grzTreeNest_Refit(nest);                              // boxes of such objects, before the next query
//
// The nest knows which object of which tree carries which tree. A tree may be carried by any number of objects,
// each with its frame, and carry trees itself, to any depth, but never itself. Queries that take a nest
// (graze/visibility.h) go from an object that carries a tree into that tree instead of reporting the object; each
// way in is an instance of the tree, and results name it.
//
// Owner: the trees stay the host's. One that is part of an attachment must live until that is detached, or until
// the nest is destroyed. Threads: one at a time, and not while a query runs on one of the trees; const calls as
// usual.
//
// Based on: Joshua Shagam, Dynamic Spatial Partitioning for Real-Time Visibility Determination, New Mexico State
// University 2003, section 2.2.2.
#ifndef GRAZE_TREE_NEST_H
#define GRAZE_TREE_NEST_H

#include "graze/tree.h"

GRZ_EXTERN_C_BEGIN

typedef struct grzTreeNest grzTreeNest;

// An attachment. All zeros names none; the id of one that is gone is recognised and refused.
typedef struct grzAttachmentId {
    uint32_t index1; // the attachment's index, plus 1
    uint32_t generation;
} grzAttachmentId;

// All zeros of an allocator: the default one. *nest is NULL on failure: grz_badArgument (half an allocator),
// grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzTreeNest_Create(grzAllocator allocator, grzTreeNest** nest);

// NULL is fine. The trees stay.
GRZ_API void grzTreeNest_Destroy(grzTreeNest* nest);

// Lets an object of `parent` carry `child`. The object's own box stays what it is until the next Refit. Refused,
// with *id untouched: grz_staleHandle (no such object), grz_notFinite (the frame), grz_badArgument (value 3: the
// object carries a tree already; 4: the child is the parent or carries it, at any depth), grz_outOfMemory, grz_tooLarge.
GRZ_NODISCARD GRZ_API grzResult grzTreeNest_Attach(grzTreeNest* nest, grzTree* parent, grzTreeId object,
                                                   grzTree* child, grzTransform frame, grzAttachmentId* id);

// Ends an attachment; grz_staleHandle where there is none. The object stays, as an object like others. An object
// that is removed from its tree ends its attachment too: at once for queries, at the next Refit for the id.
GRZ_NODISCARD GRZ_API grzResult grzTreeNest_Detach(grzTreeNest* nest, grzAttachmentId id);

// Gives an attachment another frame: grz_staleHandle, grz_notFinite.
GRZ_NODISCARD GRZ_API grzResult grzTreeNest_Move(grzTreeNest* nest, grzAttachmentId id, grzTransform frame);

// Gives every object that carries a tree the box of that tree, from the innermost outward: to be called after trees
// or frames have changed and before the next query, which may otherwise miss what has moved out of its old box. An
// object that carries an empty tree gets the frame's origin as its box. Takes no memory. Refused: grz_notFinite
// where such a box exceeds the range of floats; the result's index is then the attachment's, its object's box
// stays, and so do all those that would have followed.
GRZ_NODISCARD GRZ_API grzResult grzTreeNest_Refit(grzTreeNest* nest);

typedef struct grzAttachment {
    grzTree* parent;
    grzTreeId object;
    grzTree* child;
    grzTransform frame;
} grzAttachment;

GRZ_API uint32_t grzTreeNest_Count(const grzTreeNest* nest); // attachments
// False where id names none.
GRZ_API bool grzTreeNest_Get(const grzTreeNest* nest, grzAttachmentId id, grzAttachment* attachment);

// Checks lists, maps and counts; for tests and for doubts. False where something is broken; the first is logged as
// an error.
GRZ_API bool grzTreeNest_Validate(const grzTreeNest* nest);

GRZ_EXTERN_C_END

#endif
