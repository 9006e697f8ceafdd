// Questions to a world: what a ray meets, what overlaps a box, what is near a point, what a camera sees.
//
//   grzWorldHits* hits;
//   result = grzWorldHits_Create((grzAllocator){0}, &hits);
//   grzWorldRay ray = grzDefaultWorldRay();
//   ray.origin = eye, ray.direction = forward;
//   result = grzWorld_CastRay(world, &ray, hits);
//   grzWorldHitsView found = grzWorldHits_GetView(hits);
//
// Bodies are where the last step, or the host since, has put them; cloth and animated meshes are their triangles. Answers come
// in a promised order and grow without a limit.
//
// Threads: queries do not change the world. Any number of threads may ask at a time, each with hits of its own, until the next change; a
// query that comes while the world is being changed is refused: grz_busy.
#ifndef GRAZE_WORLD_QUERY_H
#define GRAZE_WORLD_QUERY_H

#include "graze/body.h"
#include "graze/tree_query.h"

GRZ_EXTERN_C_BEGIN

typedef struct grzWorldRay {
    uint32_t mark; // set by grzDefaultWorldRay
    grzVec3 origin;
    grzVec3 direction; // of any length but 0; t counts in it
    float reach;       // t up to this: 0 or more, or infinity
    bool isAll;        // all hits, one a body, in the order of (t, slot); else the first of these
    uint64_t category; // what the ray is: for bodies' masks
    uint64_t mask;     // what it wants to meet: for bodies' categories
} grzWorldRay;

// The closest hit, of all bodies, however far.
GRZ_API grzWorldRay grzDefaultWorldRay(void);

typedef struct grzWorldHit {
    grzBodyId body;
    float
        t; // of a ray; the distance from a point; 0 for other queries, and where a query begins inside a convex shape
    grzVec3 point; // where a ray meets the body, or the body's point that is closest; in the world
    // Unit. Of a ray: of the surface, towards where the ray comes from. Of a closest point: towards the point that was asked for. 0 where
    // the query begins inside, or on the surface.
    grzVec3 normal;
    uint32_t triangle; // GRZ_NO_TRIANGLE where the shape has none
} grzWorldHit;

typedef struct grzWorldHits grzWorldHits;

// All zeros of an allocator: the default one. *hits is NULL on failure: grz_badArgument (half an allocator), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzWorldHits_Create(grzAllocator allocator, grzWorldHits** hits);

// NULL is fine.
GRZ_API void grzWorldHits_Destroy(grzWorldHits* hits);

// What a ray meets. Refused, with empty hits: grz_badDef, grz_badArgument (value 2; the reason names the field), grz_notFinite
// (likewise; also for an origin beyond 1e15, or a body there), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzWorld_CastRay(const grzWorld* world, const grzWorldRay* ray, grzWorldHits* hits);

// The bodies whose surface or inside has a point in a box: convex shapes as solids, meshes by their triangles; in the order of
// slots. Refused as above, and grz_invertedBounds.
GRZ_NODISCARD GRZ_API grzResult grzWorld_OverlapBox(const grzWorld* world, grzBox box, grzWorldHits* hits);

// The `count` bodies that are closest to a point and no farther than `reach` (infinity: however far), in the order of (t, slot):
// convex shapes as solids, meshes by their triangles. All that are so near, if these are fewer. Refused as CastRay, for the point and the
// reach (value 2), and for a count of 0.
GRZ_NODISCARD GRZ_API grzResult grzWorld_FindClosest(const grzWorld* world, grzVec3 point, float reach,
                                                     uint32_t count, grzWorldHits* hits);

// The bodies whose boxes lie outside none of the half-spaces (of a camera: grzCamera_HalfSpaces, graze/visibility.h), in the order of slots; all bodies
// for none. Refused as grzTree_Find.
GRZ_NODISCARD GRZ_API grzResult grzWorld_FindVisible(const grzWorld* world, const grzHalfSpace* halfSpaces,
                                                     uint32_t count, grzWorldHits* hits);

// Of the last query with these hits, and alive until the next one, or their end. Empty before the first.
typedef struct grzWorldHitsView {
    const grzWorldHit* hits;
    size_t count;
} grzWorldHitsView;

GRZ_API grzWorldHitsView grzWorldHits_GetView(const grzWorldHits* hits);

GRZ_EXTERN_C_END

#endif
