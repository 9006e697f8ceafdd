// What: what the steps of a manifold hand to each other: raw contacts, of one triangle pair each, then patches of
//       those that hang together, then merged, then clustered, of which some are kept.
// Threads: one at a time.
#ifndef GRAZE_NARROWPHASE_MANIFOLD_PARTS_H
#define GRAZE_NARROWPHASE_MANIFOLD_PARTS_H

#include "array.h"
#include "graze/manifold.h"
#include "vec3d.h"

typedef struct RawContact {
    grzContact contact; // until its patch is done, the point is where the triangles meet
    uint32_t meet;      // which meeting pair it is of
    uint32_t patch;     // the lowest meeting pair of the patch
    uint32_t cluster;
    uint32_t firstOf; // of element c: the first contact of cluster c
    bool isTurned[2]; // of a two-sided mesh: outside is behind the triangle that is met
    bool isKept;      // in this call
    bool wasThere;    // in the last step's contacts
} RawContact;

typedef struct RawContacts {
    GRZ_ARRAY(RawContact);
} RawContacts;

// By the keys of records; by patch before that; by features before that, a name that no rounding can flip.
typedef enum RawOrder { rawByKey, rawByPatch, rawByFeatures } RawOrder;

// A raw contact while it is brought into an order.
typedef struct RawPlace {
    uint64_t keys[2];
    uint32_t patch, ordinal;
    uint32_t index;
    uint32_t pad;
} RawPlace;

typedef struct PlaceArray {
    GRZ_ARRAY(RawPlace);
} PlaceArray;

typedef struct KindArray {
    GRZ_ARRAY(uint8_t);
} KindArray;

typedef struct ContactArray {
    GRZ_ARRAY(grzContact);
} ContactArray;

typedef struct IndexArray {
    GRZ_ARRAY(uint32_t);
} IndexArray;

typedef struct VoteArray {
    GRZ_ARRAY(double);
} VoteArray;

typedef struct PointArray {
    GRZ_ARRAY(grzVec3d);
} PointArray;

typedef struct NormalArray {
    GRZ_ARRAY(grzVec3);
} NormalArray;

// Where an edge is crossed nearest to each of its ends, and whether that end is then behind the other surface.
typedef struct Cut {
    double nearest[2];
    bool isBehind[2];
    uint32_t rival[2], meet[2];
    grzVec3d at[2], facing[2]; // the planes behind which the ends are
} Cut;

typedef struct CutArray {
    GRZ_ARRAY(Cut);
} CutArray;

// A vertex inside the other body, and the plane behind which its first crossing put it.
typedef struct Sunken {
    uint32_t vertex;
    uint32_t rival; // a triangle of the other body that is met nearby
    grzVec3d position, at, facing;
} Sunken;

typedef struct SunkenArray {
    GRZ_ARRAY(Sunken);
} SunkenArray;

// Of one side. A mark is set where it is the current epoch.
typedef struct PatchSide {
    IndexArray vertexMarks, edgeMarks;
    IndexArray edgeCuts; // where the edge is marked: its place in cuts
    CutArray cuts;
    SunkenArray sunken;
    PointArray extent; // points that tell how far the side reaches
} PatchSide;

struct grzManifolds {
    grzAllocator allocator;
    grzManifoldDef def;
    RawContacts raw, spare; // spare: while they are sorted
    PlaceArray places;
    KindArray kinds;     // of the query's pairs
    IndexArray parents;  // of the meeting pairs, in the forest of patches
    IndexArray sheets;   // of the sides of meeting pairs, in the forest of sheets (manifold_facing.c)
    VoteArray votes;     // by root of a sheet
    NormalArray normals; // of what meets, for what is near (manifold_near.c)
    IndexArray runs;     // while patches are joined: a meeting pair of each that was walked
    bool isJoining;
    bool isUnbounded; // while faces are turned back: a walk inside is held back by cuts alone
    PatchSide sides[2];
    uint32_t epoch, cutEpoch; // edges are marked by the one of the call, and so are vertices on the
                              // other surface; those inside by that of the patch, one more once they are told
    ContactArray contacts;
    uint32_t clusterCount;
    double nearness; // a length: points that add no more to a cluster are not kept; 0 but for shapes
};

// The points i of a patch: raw.data[first] to raw.data[last - 1], in the order of their keys.
typedef struct Patch {
    const grzManifoldQuery* query;
    size_t first, last;
    bool isUnturned; // isTurned of them does not yet tell which side is out
} Patch;

typedef struct Face {
    grzVec3d corners[3];
    grzVec3d normal; // unit, or zero
    double area;
    bool isTurned; // the corners run clockwise about the normal
} Face;

static inline const grzManifoldSide* sideOf(const grzManifoldQuery* query, int side) {
    return side == 0 ? &query->a : &query->b;
}

static inline uint32_t triangleOf(const grzContact* contact, int side) {
    return side == 0 ? contact->triangleA : contact->triangleB;
}

static inline grzFeature featureOf(const grzContact* contact, int side) {
    return side == 0 ? contact->featureA : contact->featureB;
}

// Of a triangle of the query's pairs: whoever decided its kind has had it made.
static inline grzVec3d madePositionOf(const grzManifoldSide* side, uint32_t vertex) {
    const float* p = side->positions + 3 * (size_t)vertex;
    return grzVec3d_Make((double)p[0], (double)p[1], (double)p[2]);
}

static inline grzVec3d positionOf(const grzManifoldSide* side, uint32_t vertex) {
    if (side->makeVertex != NULL)
        side->makeVertex(side->owner, vertex);
    return madePositionOf(side, vertex);
}

// Does it to all arrays.
void grzManifolds_CallArrays(grzManifolds* manifolds, grzArrayCall* call);

// As the triangle is wound.
Face grzManifolds_FaceOf(const grzManifoldSide* side, uint32_t triangle);
void grzManifolds_Turn(Face* face);
// Of a two-sided mesh with the normal that leads to where `out` does; of another one as it is wound.
Face grzManifolds_FaceToward(const grzManifoldSide* side, uint32_t triangle, grzVec3d out);
// The face of a side that a raw contact is with, its normal outward.
Face grzManifolds_FaceMet(const grzManifoldQuery* query, const RawContact* raw, int side);

// The corner from which a triangle runs along one of its edges.
uint32_t grzManifolds_StartOf(const grzMeshView* mesh, uint32_t triangle, uint32_t edge);

// Appends the points of a pair; there is room for GRZ_TRI_TRI_POINTS. None where the triangles do not meet.
void grzManifolds_AddPair(grzManifolds* manifolds, const grzManifoldQuery* query, const grzTrianglePair* pair);

// Sorts the raw contacts by patch and then by key. False: no memory.
bool grzManifolds_FindPatches(grzManifolds* manifolds, const grzManifoldQuery* query);
void grzManifolds_Join(grzManifolds* manifolds, uint32_t meetP, uint32_t meetQ); // makes their patches one
uint32_t grzManifolds_PatchOf(const grzManifolds* manifolds, uint32_t meet);

// Sets isTurned of the raw contacts, which are sorted by patch. False: no memory.
bool grzManifolds_TurnFaces(grzManifolds* manifolds, const grzManifoldQuery* query);

// After patches are joined: turns the faces of patches that have most of the other mesh inside. *isTurned: of any; then
// cuts are found again. False: no memory.
bool grzManifolds_TurnBack(grzManifolds* manifolds, const grzManifoldQuery* query, bool* isTurned);

// Where the edges of both sides are crossed, in all patches. False: no memory.
bool grzManifolds_FindCuts(grzManifolds* manifolds, const grzManifoldQuery* query);

// Joins the patches between which one of the surfaces goes on inside. False: no memory.
bool grzManifolds_JoinThroughInside(grzManifolds* manifolds, const grzManifoldQuery* query);

// The vertices of both sides that are inside the other one, as far as they hang together with the patch. False: no
// memory.
bool grzManifolds_FindSunken(grzManifolds* manifolds, const Patch* patch);

// The direction that parts the patch soonest, as far as the faces that meet and the vertices in `sunken` tell, and how
// far that is; the extents hold what was found of it. False: no memory.
bool grzManifolds_PickDirection(grzManifolds* manifolds, const Patch* patch, grzVec3d* direction, double* depth);

// Where one comes to from a point of the triangle up its plane along `out`, across the triangles that go on in that
// plane, at most `most` further out.
grzVec3d grzManifolds_Slide(const grzManifoldSide* side, uint32_t triangle, grzVec3d point, grzVec3d out,
                            double most);

// The triangle that the line from the point along `back` goes out through, looked for in at most so many steps. The
// first one faces as `facing` does, those after it as their surface goes on. Where the way is blocked, the last before
// that.
uint32_t grzManifolds_FindAbove(const grzManifoldSide* side, uint32_t triangle, grzVec3d facing, grzVec3d point,
                                grzVec3d back, size_t steps);

// Turns the raw contacts of a patch into contacts along the direction, and adds those of the sunken vertices that
// none of them told. False: no memory.
bool grzManifolds_PlaceContacts(grzManifolds* manifolds, const Patch* patch, grzVec3d direction, double depth);

// Behind the contacts of what meets: those of what is within the margin. kinds: of the pairs. False: no memory.
bool grzManifolds_AddNear(grzManifolds* manifolds, const grzManifoldQuery* query, const uint8_t* kinds);

// Makes one of the raw contacts of the same features; they are then in the order of their keys. False: no memory.
bool grzManifolds_Merge(grzManifolds* manifolds);

// Sets wasThere of those that are among the previous contacts. Both are in the order of keys.
void grzManifolds_MarkThose(grzManifolds* manifolds, const grzContact* previous, uint32_t previousCount);

// Clusters, and sets isKept for what stays.
void grzManifolds_Reduce(grzManifolds* manifolds);

// Brings the raw contacts into an order. False: no memory.
bool grzManifolds_Sort(grzManifolds* manifolds, RawOrder order);

// The order alone: raw->count places, good until the next call. NULL: no memory.
const RawPlace* grzManifolds_Order(grzManifolds* manifolds, RawOrder order);

#endif
