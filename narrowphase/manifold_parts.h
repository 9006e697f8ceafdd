// What: what the steps of a manifold hand to each other: raw contacts, of one triangle pair each, then merged, then
//       clustered, of which some are kept.
// Threads: one at a time.
#ifndef GRAZE_NARROWPHASE_MANIFOLD_PARTS_H
#define GRAZE_NARROWPHASE_MANIFOLD_PARTS_H

#include "array.h"
#include "graze/manifold.h"

typedef struct RawContact {
    grzContact contact;
    uint32_t cluster;
    uint32_t firstOf; // of element c: the first contact of cluster c
    bool isReal;      // its normal
    bool isKept;      // in this call
    bool wasThere;    // in the last step's contacts
} RawContact;

typedef struct RawContacts {
    GRZ_ARRAY(RawContact);
} RawContacts;

typedef struct ContactArray {
    GRZ_ARRAY(grzContact);
} ContactArray;

struct grzManifolds {
    grzAllocator allocator;
    grzManifoldDef def;
    RawContacts raw;
    ContactArray contacts;
    uint32_t clusterCount;
    double nearness; // a length: points that add no more to a cluster are not kept; 0 but for shapes
};

// Appends the contacts of a pair; there is room for GRZ_TRI_TRI_POINTS. None where the triangles do not meet.
void grzManifolds_AddPair(grzManifolds* manifolds, const grzManifoldQuery* query, const grzTrianglePair* pair);

// Makes one of the raw contacts of the same features; they are then in the order of their keys.
void grzManifolds_Merge(grzManifolds* manifolds);

// Sets wasThere of those that are among the previous contacts. Both are in the order of keys.
void grzManifolds_MarkThose(grzManifolds* manifolds, const grzContact* previous, uint32_t previousCount);

// Clusters, and sets isKept for what stays.
void grzManifolds_Reduce(grzManifolds* manifolds);

#endif
