// What tree_nest.c shares with the queries that descend into nested trees.
//
//   trees         [city: out -> a, b | house: out -> c, in -> a, b | desk: in -> c]
//   attachments   a: city's object 7 carries house     b: city's object 9 carries house     c: house's object 2 carries desk
//   links         of city, by object index: [7] = a + 1, [9] = b + 1
//
// Holds: an attachment stands in the list of its parent (out), in that of its child (in), and in the links of its
//        parent; the graph of trees has no cycle. A tree is listed as long as it has an attachment.
#ifndef GRAZE_BROADPHASE_NEST_INSIDE_H
#define GRAZE_BROADPHASE_NEST_INSIDE_H

#include "array.h"
#include "graze/tree_nest.h"
#include "id_pool.h"
#include "index_map.h"

// The two lists that an attachment is in: those of its parent and of its child.
typedef enum NestSide { nest_out, nest_in, nest_sides } NestSide;

typedef struct NestLink {
    uint32_t next, previous; // attachments; INDEX_NONE at the ends
} NestLink;

typedef struct NestAttachment {
    uint32_t parent, child; // trees
    grzTreeId object;       // of the parent
    grzTransform frame;
    NestLink links[nest_sides];
} NestAttachment;

typedef struct NestTree {
    grzTree* tree; // NULL: a free place
    struct {
        GRZ_ARRAY(uint32_t);
    } links;                                       // by object index: attachment + 1, or 0
    uint32_t first[nest_sides], count[nest_sides]; // attachments in its lists
    uint32_t pending;                              // only valid within a refit
    bool isMarked;                                 // only true within a search
    uint32_t nextUnused;                           // a free place: the next one
} NestTree;

struct grzTreeNest {
    grzAllocator allocator;
    grzIdPool ids;
    struct {
        GRZ_ARRAY(NestAttachment);
    } attachments; // by index of the id
    struct {
        GRZ_ARRAY(NestTree);
    } trees;
    uint32_t firstUnused; // of trees, or INDEX_NONE
    IndexMap treeIndices; // by address
    struct {
        GRZ_ARRAY(uint32_t);
    } queue; // room for all trees
};

// The place of a tree in the nest, or INDEX_NONE: nothing is attached to it.
uint32_t grzNestTree(const grzTreeNest* nest, const grzTree* tree);
// The attachment of an object, or INDEX_NONE. `tree` may be INDEX_NONE.
uint32_t grzNestAttachment(const grzTreeNest* nest, uint32_t tree, grzTreeId object);

#endif
