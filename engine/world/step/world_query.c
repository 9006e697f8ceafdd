// What: rays, boxes, closest points and views against the bodies of a world.
// Promise: graze/world_query.h. Answers depend on the bodies alone: the tree gives all that may be met, each body decides by itself,
//   and hits are sorted by keys without ties.
// Idea: the boxes of the two trees hold all bodies (world_publish.c, world_near.c); of meshes and cloth the surface answers (surface.h).
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graze/model_distance.h"
#include "graze/model_ray.h"
#include "graze/model_shape.h"
#include "graze/world_query.h"
#include "owner.h"
#include "refuse_null.h"
#include "world_calls.h"
#include "world_inside.h"
#include "world_near.h"

static const uint32_t rayMark = 0x67577131;

struct grzWorldHits {
    grzAllocator allocator;
    grzTreeHits *moving, *still; // of the trees of what moves and of what stands
    struct {
        GRZ_ARRAY(grzWorldHit);
    } hits;
};

grzWorldRay grzDefaultWorldRay(void) {
    grzWorldRay ray;
    memset(&ray, 0, sizeof ray);
    ray.mark = rayMark;
    ray.reach = INFINITY;
    ray.category = ray.mask = ~(uint64_t)0;
    return ray;
}

grzResult grzWorldHits_Create(grzAllocator allocator, grzWorldHits** made) {
    GRZ_REFUSE_NULL(made, 2);
    *made = NULL;
    grzResult result;
    grzWorldHits* hits = grzOwner_New(&allocator, 1, sizeof *hits, _Alignof(grzWorldHits), &result);
    if (hits == NULL)
        return result;
    hits->allocator = allocator;
    result = grzTreeHits_Create(allocator, &hits->moving);
    if (grzResult_IsOk(result))
        result = grzTreeHits_Create(allocator, &hits->still);
    if (grzResult_IsOk(result))
        *made = hits;
    else
        grzWorldHits_Destroy(hits);
    return result;
}

void grzWorldHits_Destroy(grzWorldHits* hits) {
    if (hits == NULL)
        return;
    grzTreeHits_Destroy(hits->moving);
    grzTreeHits_Destroy(hits->still);
    grzArray_Release(&hits->hits, &hits->allocator);
    const grzAllocator allocator = hits->allocator;
    grzRelease(&allocator, hits, 1, sizeof *hits, _Alignof(grzWorldHits));
}

grzWorldHitsView grzWorldHits_GetView(const grzWorldHits* hits) {
    GRZ_RETURN_IF_NULL(hits, (grzWorldHitsView){0});
    return (grzWorldHitsView){hits->hits.data, hits->hits.count};
}

// Of a body that is none of convex shape.
static grzSurface surfaceOf(const grzCollider* collider) {
    return collider->kind == grz_clothCollider ? grzClothBody_GetSurface(collider->cloth)
                                               : grzCollider_GetSurface(collider);
}

// --------------------------------------------------------------------------------------------------------- finding

static grzResult begin(const grzWorld* world, grzWorldHits* hits, const grzTreeQuery* query) {
    hits->hits.count = 0;
    grzResult result = grzWorld_EnterQuery(world);
    if (grzResult_IsOk(result))
        result = grzTree_Peek(world->tree, query, hits->moving);
    if (grzResult_IsOk(result))
        result = grzTree_Peek(world->near->tree, query, hits->still);
    if (result.part == grz_partElement)
        result.part = grz_noPart, result.value = 2; // of one query, which is what our second argument asks
    const size_t most = grzTreeHits_GetView(hits->moving).count + grzTreeHits_GetView(hits->still).count;
    if (grzResult_IsOk(result) && !grzArray_Reserve(&hits->hits, &hits->allocator, most))
        result = grzNoMemory(most, sizeof(grzWorldHit));
    return result;
}

// The slots that both trees have found, in the one order that both lists have: of (value, slot), or of slots.
typedef struct Walk {
    grzTreeHitsView lists[2];
    size_t places[2];
} Walk;

static Walk walkOf(const grzWorldHits* hits) {
    return (Walk){{grzTreeHits_GetView(hits->moving), grzTreeHits_GetView(hits->still)}, {0, 0}};
}

static bool isFirst(const Walk* walk, int a, int b) {
    const grzTreeHitsView *x = &walk->lists[a], *y = &walk->lists[b];
    const size_t i = walk->places[a], k = walk->places[b];
    if (i == x->count || k == y->count)
        return i != x->count;
    if (x->values != NULL && x->values[i] != y->values[k])
        return x->values[i] < y->values[k];
    return x->keys[i] < y->keys[k];
}

// False at the end. *value: where the query has values.
static bool next(Walk* walk, uint32_t* slot, float* value) {
    const int list = isFirst(walk, 0, 1) ? 0 : 1;
    const size_t place = walk->places[list];
    if (place == walk->lists[list].count)
        return false;
    *slot = walk->lists[list].keys[place];
    *value = walk->lists[list].values != NULL ? walk->lists[list].values[place] : 0.0f;
    ++walk->places[list];
    return true;
}

static void add(grzWorldHits* hits, grzBodyId body, const grzWorldHit* hit) {
    grzWorldHit* place = &hits->hits.data[hits->hits.count++];
    *place = *hit;
    place->body = body;
}

static grzWorldHit noHit(void) {
    grzWorldHit hit;
    memset(&hit, 0, sizeof hit);
    hit.triangle = GRZ_NO_TRIANGLE;
    return hit;
}

// ------------------------------------------------------------------------------------------------------------ rays

static grzResult checkRay(const grzWorldRay* ray) {
    if (ray == NULL || ray->mark != rayMark)
        return grzFail(grz_badDef, 0);
    if (!grzVec3_IsFinite(ray->origin))
        return grzBecause(grzFail(grz_notFinite, 2), "the origin is not finite");
    if (!grzVec3_IsFinite(ray->direction))
        return grzBecause(grzFail(grz_notFinite, 2), "the direction is not finite");
    if (isnan(ray->reach))
        return grzBecause(grzFail(grz_notFinite, 2), "the reach is a NaN");
    if (grzMaxElement(grzAbs(ray->direction)) == 0.0f)
        return grzBecause(grzFail(grz_badArgument, 2), "the direction is 0");
    return ray->reach >= 0.0f ? grzOk() : grzBecause(grzFail(grz_badArgument, 2), "the reach is negative");
}

static grzResult castConvex(const grzCollider* collider, const grzWorldRay* ray, float reach, grzWorldHit* hit,
                            bool* isHit) {
    grzConvexHit found;
    const grzResult result =
        grzConvex_CastRay(&collider->shape, collider->pose, ray->origin, ray->direction, reach, &found);
    *isHit = grzResult_IsOk(result) && found.isHit;
    if (*isHit) {
        hit->t = found.t;
        hit->point = found.point;
        hit->normal = found.normal;
    }
    return result;
}

static grzResult castSurface(const grzSurface* surface, const grzWorldRay* ray, float reach, grzWorldHit* hit,
                             bool* isHit) {
    grzModelRay cast = grzDefaultModelRay();
    cast.model = surface->model;
    cast.pose = surface->pose;
    cast.origin = ray->origin;
    cast.direction = ray->direction;
    cast.reach = reach;
    grzModelRayHit found;
    const grzResult result = grzModel_CastRay(&cast, &found);
    *isHit = grzResult_IsOk(result) && found.triangle != GRZ_NO_TRIANGLE;
    if (*isHit) {
        hit->t = found.t;
        hit->point = found.point;
        hit->normal = found.isFront ? found.normal : grzNeg(found.normal);
        hit->triangle = found.triangle;
    }
    return result;
}

static grzResult castBody(const grzWorld* world, uint32_t slot, const grzWorldRay* ray, float reach,
                          grzWorldHits* hits) {
    grzRigid scratch;
    grzBox box;
    const grzCollider* collider = grzWorld_ColliderAt(world, slot, &scratch, &box);
    grzWorldHit hit = noHit();
    bool isHit;
    grzResult result;
    if (collider->kind == grz_convexCollider) {
        result = castConvex(collider, ray, reach, &hit, &isHit);
    } else {
        const grzSurface surface = surfaceOf(collider);
        result = castSurface(&surface, ray, reach, &hit, &isHit);
    }
    if (isHit)
        add(hits, collider->id, &hit);
    return result;
}

static bool isNearer(const grzWorldHit* a, const grzWorldHit* b) {
    return a->t != b->t ? a->t < b->t : a->body.index1 < b->body.index1;
}

static void keepNearest(grzWorldHits* hits) {
    for (size_t i = 1; i < hits->hits.count; ++i)
        if (isNearer(&hits->hits.data[i], &hits->hits.data[0]))
            hits->hits.data[0] = hits->hits.data[i];
    hits->hits.count = hits->hits.count != 0;
}

static int compareHits(const void* a, const void* b) {
    return isNearer(a, b) ? -1 : isNearer(b, a) ? 1 : 0;
}

// The same ray with a direction that shapes can take; t of its hits is to be multiplied by *scale, a power of two.
static grzWorldRay shorten(const grzWorldRay* ray, float* scale) {
    grzWorldRay shorter = *ray;
    *scale = 1.0f;
    if (!(grzMaxElement(grzAbs(ray->direction)) > 1e14f))
        return shorter;
    *scale = 0x1p-90f;
    shorter.direction = grzScale(ray->direction, *scale);
    shorter.reach = ray->reach / *scale; // infinite where it is beyond all bodies
    return shorter;
}

// Candidates come in the order in which the ray enters their boxes, so that the search for the first hit may end early.
grzResult grzWorld_CastRay(const grzWorld* world, const grzWorldRay* asked, grzWorldHits* hits) {
    GRZ_REFUSE_NULL(hits, 3);
    hits->hits.count = 0;
    grzResult result = checkRay(asked);
    if (!grzResult_IsOk(result))
        return result;
    float scale;
    const grzWorldRay own = shorten(asked, &scale), *ray = &own;
    grzTreeQuery query = grzMakeRayQuery(ray->origin, ray->direction, ray->reach, grz_pickAll);
    query.category = ray->category;
    query.mask = ray->mask;
    result = begin(world, hits, &query);
    Walk walk = walkOf(hits);
    float reach = ray->reach, entry;
    uint32_t slot;
    while (grzResult_IsOk(result) && next(&walk, &slot, &entry)) {
        if (!ray->isAll && entry > reach)
            break;
        result = castBody(world, slot, ray, reach, hits);
        if (!ray->isAll) {
            keepNearest(hits);
            reach = hits->hits.count != 0 ? hits->hits.data[0].t : reach;
        }
    }
    if (!grzResult_IsOk(result))
        hits->hits.count = 0;
    for (size_t i = 0; i < hits->hits.count; ++i)
        hits->hits.data[i].t *= scale;
    if (hits->hits.count > 1)
        qsort(hits->hits.data, hits->hits.count, sizeof *hits->hits.data, compareHits);
    return result;
}

// -------------------------------------------------------------------------------------------------------- closest points

static grzResult closestOfSurface(const grzSurface* surface, grzVec3 point, grzWorldHit* hit) {
    grzModelPoint found;
    const grzResult result = grzSurface_FindClosest(surface, point, &found);
    if (!grzResult_IsOk(result))
        return result;
    const grzVec3 away = grzSub(point, found.point);
    hit->t = found.lower;
    hit->point = found.point;
    hit->normal = grzLengthSq(away) > 0.0f ? grzNormalize(away) : grzVec3_Zero();
    hit->triangle = found.triangle;
    return result;
}

static grzResult closestOfBody(const grzWorld* world, uint32_t slot, grzVec3 point, grzWorldHit* hit) {
    grzRigid scratch;
    grzBox box;
    const grzCollider* collider = grzWorld_ColliderAt(world, slot, &scratch, &box);
    *hit = noHit();
    hit->body = collider->id;
    if (collider->kind != grz_convexCollider) {
        const grzSurface surface = surfaceOf(collider);
        return closestOfSurface(&surface, point, hit);
    }
    grzConvexDistance found;
    const grzResult result = grzConvex_ClosestPoint(&collider->shape, collider->pose, point, &found);
    if (grzResult_IsOk(result) && !found.isTouching) {
        hit->t = found.lower;
        hit->point = found.pointA;
        hit->normal = found.normal;
    } else {
        hit->point = point;
    }
    return result;
}

// Into its place among the nearest that were found, of which no more than `most` are kept.
static void insertNearest(grzWorldHits* hits, size_t most, const grzWorldHit* hit) {
    size_t place = hits->hits.count < most ? hits->hits.count++ : most;
    for (; place > 0 && isNearer(hit, &hits->hits.data[place - 1]); --place)
        if (place < most)
            hits->hits.data[place] = hits->hits.data[place - 1];
    if (place < most)
        hits->hits.data[place] = *hit;
}

// Distances of boxes that the trees tell may be wrong by a millionth: so much beyond the nearest is looked at too.
static const float treeError = 1.00001f;

// Of what the trees have found, in the order of its boxes' distances. `reach` becomes that of the last one kept, where enough are.
static grzResult keepClosest(const grzWorld* world, grzVec3 point, size_t most, float* reach, grzWorldHits* hits) {
    Walk walk = walkOf(hits);
    uint32_t slot;
    float entry;
    hits->hits.count = 0;
    while (next(&walk, &slot, &entry) && entry <= *reach * treeError) {
        grzWorldHit hit;
        const grzResult result = closestOfBody(world, slot, point, &hit);
        if (!grzResult_IsOk(result))
            return result;
        if (hit.t <= *reach)
            insertNearest(hits, most, &hit);
        if (hits->hits.count == most && hits->hits.data[most - 1].t < *reach)
            *reach = hits->hits.data[most - 1].t;
    }
    return grzOk();
}

// Twice: the bodies with the closest boxes tell how far to look, and then all boxes that are so near are looked at.
grzResult grzWorld_FindClosest(const grzWorld* world, grzVec3 point, float reach, uint32_t count,
                               grzWorldHits* hits) {
    GRZ_REFUSE_NULL(world, 1);
    GRZ_REFUSE_NULL(hits, 5);
    hits->hits.count = 0;
    if (count == 0)
        return grzBecause(grzFail(grz_badArgument, 4), "the count is 0");
    if (!(grzMaxElement(grzAbs(point)) <= 1e15f))
        return grzBecause(grzFail(grz_notFinite, 2), "the point is not finite, or beyond 1e15");
    grzTreeQuery query = grzMakeNearestQuery(point, count);
    query.reach = reach;
    grzResult result = begin(world, hits, &query);
    const size_t most = count < grzWorld_Slots(world) ? count : grzWorld_Slots(world);
    if (grzResult_IsOk(result) && !grzArray_Reserve(&hits->hits, &hits->allocator, most))
        result = grzNoMemory(most, sizeof(grzWorldHit));
    if (grzResult_IsOk(result))
        result = keepClosest(world, point, most, &reach, hits);
    query.pick = grz_pickAll;
    query.reach = reach * treeError;
    if (grzResult_IsOk(result))
        result = begin(world, hits, &query);
    if (grzResult_IsOk(result))
        result = keepClosest(world, point, most, &reach, hits);
    if (!grzResult_IsOk(result))
        hits->hits.count = 0;
    return result;
}

// ----------------------------------------------------------------------------------------------------- boxes and views

// A box around its middle that holds at least what was asked for; of boxes larger than shapes can be, what is about the body.
static grzConvex shapeOfBox(grzBox body, grzBox box) {
    if (grzMaxElement(grzMax(grzAbs(box.lower), grzAbs(box.upper))) > 1e14f)
        box = grzBox_Intersection(box, body);
    const grzVec3 center = grzBox_Center(box);
    return grzMakeBox(center, grzVec3_Above(grzMax(grzSub(box.upper, center), grzSub(center, box.lower))));
}

static grzResult overlaps(const grzCollider* collider, const grzConvex* box, bool* isTouching) {
    grzResult result;
    if (collider->kind == grz_convexCollider) {
        grzConvexDistance distance;
        result = grzConvex_Distance(&collider->shape, collider->pose, box, grzTransform_Identity(), &distance);
        *isTouching = grzResult_IsOk(result) && distance.isTouching;
        return result;
    }
    grzModelShape query = grzDefaultModelShape();
    const grzSurface surface = surfaceOf(collider);
    query.model = surface.model;
    query.pose = surface.pose;
    query.shape = *box;
    grzModelTouch touch;
    result = grzModel_TouchShape(&query, &touch);
    *isTouching = grzResult_IsOk(result) && touch.isTouching;
    return result;
}

grzResult grzWorld_OverlapBox(const grzWorld* world, grzBox box, grzWorldHits* hits) {
    GRZ_REFUSE_NULL(hits, 3);
    grzTreeQuery query = grzMakeBoxQuery(box);
    query.order = grz_keyOrder;
    grzResult result = begin(world, hits, &query);
    Walk walk = walkOf(hits);
    uint32_t slot;
    float value;
    while (grzResult_IsOk(result) && next(&walk, &slot, &value)) {
        const grzWorldHit hit = noHit();
        bool isTouching = false;
        grzRigid scratch;
        grzBox body;
        const grzCollider* collider = grzWorld_ColliderAt(world, slot, &scratch, &body);
        if (grzBox_Overlap(body, box)) {
            const grzConvex shape = shapeOfBox(body, box);
            result = overlaps(collider, &shape, &isTouching);
        }
        if (isTouching)
            add(hits, collider->id, &hit);
    }
    if (!grzResult_IsOk(result))
        hits->hits.count = 0;
    return result;
}

// The corner that is deepest in the half-space, in double: nothing that is in by float is left out.
static bool isOutside(grzBox box, const grzHalfSpace* space) {
    double least = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        const double n = (double)grzVec3_Get(space->normal, axis);
        least += n * (double)grzVec3_Get(n > 0.0 ? box.lower : box.upper, axis);
    }
    return least > (double)space->offset;
}

grzResult grzWorld_FindVisible(const grzWorld* world, const grzHalfSpace* halfSpaces, uint32_t count,
                               grzWorldHits* hits) {
    GRZ_REFUSE_NULL(hits, 4);
    grzTreeQuery query = grzMakeVolumeQuery(halfSpaces, count);
    query.order = grz_keyOrder;
    const grzResult result = begin(world, hits, &query);
    Walk walk = walkOf(hits);
    uint32_t slot;
    float value;
    while (grzResult_IsOk(result) && next(&walk, &slot, &value)) {
        const grzWorldHit hit = noHit();
        bool isSeen = true;
        grzRigid scratch;
        grzBox body;
        const grzCollider* collider = grzWorld_ColliderAt(world, slot, &scratch, &body);
        for (uint32_t k = 0; k < count; ++k)
            isSeen = isSeen && !isOutside(body, &halfSpaces[k]);
        if (isSeen)
            add(hits, collider->id, &hit);
    }
    return result;
}
