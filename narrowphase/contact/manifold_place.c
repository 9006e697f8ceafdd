// What: the contacts of a patch along its direction.
// Idea: from each corner of the curve in which the surfaces meet, the edge that crosses there goes on to its end
//       inside the other body; where it goes steeply, the contact is where it ends, midway to the other's surface.
//       Else the contact is where one comes to straight up the wall that is met (a crate's lower edge in the wall of
//       a table: at the rim above). Vertices inside that are not told so (the tip of a ball, the top of a hill below
//       a box) give contacts of their own, against the triangle straight above them.
// Holds: no separation is deeper than what parts the patch.
#include <float.h>

#include "manifold_parts.h"
#include "memory.h"

#define STEEP_SINE  0.5 // of an edge to the contact's plane
#define WALL_COSINE 0.5 // a wall's normal to the contact's: below it

static bool isWall(const Face* face, grzVec3d d) {
    double slope = grzVec3d_Dot(face->normal, d);
    return slope < WALL_COSINE && slope > -WALL_COSINE;
}

// How far a point is from the plane through `at` along d; of a wall, from the height of `at`.
static double depthUnder(grzVec3d point, grzVec3d at, const Face* face, grzVec3d d) {
    grzVec3d way = grzVec3d_Sub(at, point);
    if (isWall(face, d))
        return grzVec3d_Dot(way, d);
    double slope = grzVec3d_Dot(face->normal, d);
    return grzVec3d_Dot(way, face->normal) / (slope > 0 ? slope : -slope);
}

static float toFloat(double x) {
    const double most = (double)FLT_MAX;
    return (float)(x > most ? most : x < -most ? -most : x);
}

// `surface` is on the side that is inside, `back` leads from there to the other surface.
static void place(grzContact* contact, grzVec3d surface, grzVec3d back, double depth, grzVec3d d) {
    grzVec3d middle = grzVec3d_Add(surface, grzVec3d_Scale(back, depth / 2));
    contact->point = grzVec3_Make(toFloat(middle.x), toFloat(middle.y), toFloat(middle.z));
    contact->normal = grzVec3d_ToVec3(d);
    contact->separation = depth > 0 ? toFloat(-depth) : 0;
}

// The steep end of the edge that is inside, which is then told; else where the wall leads.
static grzVec3d endOf(grzManifolds* manifolds, const Patch* patch, int side, const grzContact* contact,
                      grzVec3d out, double most) {
    const grzManifoldSide* own = sideOf(patch->query, side);
    const grzVec3d point = grzVec3d_FromVec3(contact->point);
    if (grzFeature_Kind(featureOf(contact, side)) == grz_edgeFeature) {
        grzMeshEdge edge = own->mesh->edges[grzFeature_Index(featureOf(contact, side))];
        for (int i = 0; i < 2; ++i) {
            uint32_t vertex = i == 0 ? edge.a : edge.b;
            uint32_t* mark = &manifolds->sides[side].vertexMarks.data[vertex];
            grzVec3d way = grzVec3d_Sub(positionOf(own, vertex), point);
            if ((*mark != manifolds->epoch && *mark != manifolds->epoch + 1) ||
                grzVec3d_Dot(way, out) < STEEP_SINE * grzVec3d_Length(way))
                continue;
            *mark = manifolds->epoch + 1;
            return positionOf(own, vertex);
        }
    }
    return grzManifolds_Slide(own, triangleOf(contact, side), point, out, most);
}

static double clampDepth(double depth, double most) {
    return depth > most ? most : depth > 0 ? depth : 0;
}

// Where both surfaces are walls, they end above and below; else one ends below the other's face.
static void placeMeeting(grzManifolds* manifolds, const Patch* patch, RawContact* raw, grzVec3d d, double most) {
    grzContact* contact = &raw->contact;
    const grzVec3d p = grzVec3d_FromVec3(contact->point), outs[2] = {d, grzVec3d_Neg(d)};
    grzVec3d ends[2];
    Face faces[2];
    double depths[2];
    for (int i = 0; i < 2; ++i) {
        faces[i] = grzManifolds_FaceMet(patch->query, raw, i);
        ends[i] = endOf(manifolds, patch, i, contact, outs[i], most);
    }
    for (int i = 0; i < 2; ++i)
        depths[i] = clampDepth(depthUnder(ends[i], p, &faces[1 - i], outs[1 - i]), most);
    int deeper = depths[1] > depths[0] ? 1 : 0;
    double depth = depths[deeper];
    if (isWall(&faces[0], d) && isWall(&faces[1], d))
        depth = clampDepth(depths[0] + depths[1], most);
    place(contact, depth > 0 ? ends[deeper] : p, outs[1 - deeper], depth, d);
}

static grzContact contactOfSunken(const grzManifolds* manifolds, const Patch* patch, int i, const Sunken* sunken,
                                  grzVec3d d, double most) {
    const grzManifoldSide *own = sideOf(patch->query, i), *other = sideOf(patch->query, 1 - i);
    const size_t steps = patch->last - patch->first + 4 * manifolds->sides[1 - i].sunken.count;
    grzVec3d back = i == 0 ? grzVec3d_Neg(d) : d;
    uint32_t rival = grzManifolds_FindAbove(other, sunken->rival, sunken->facing, sunken->position, back, steps);
    uint32_t triangles[2];
    grzFeature features[2];
    triangles[i] = own->mesh->vertexOwners[sunken->vertex];
    features[i] = grzMakeFeature(grz_vertexFeature, sunken->vertex);
    triangles[1 - i] = rival;
    features[1 - i] = grzMakeFeature(grz_faceFeature, rival);
    grzContact contact = {.bodyA = patch->query->a.body, .bodyB = patch->query->b.body};
    contact.triangleA = triangles[0], contact.triangleB = triangles[1];
    contact.featureA = features[0], contact.featureB = features[1];
    contact.certainty = grz_exact;
    Face face = grzManifolds_FaceToward(other, rival, sunken->facing);
    double depth = clampDepth(
        depthUnder(sunken->position, rival == sunken->rival ? sunken->at : face.corners[0], &face, back), most);
    place(&contact, sunken->position, back, depth, d);
    return contact;
}

bool grzManifolds_PlaceContacts(grzManifolds* manifolds, const Patch* patch, grzVec3d d, double depth) {
    RawContacts* raw = &manifolds->raw;
    for (size_t k = patch->first; k < patch->last; ++k)
        placeMeeting(manifolds, patch, &raw->data[k], d, depth);
    for (int i = 0; i < 2; ++i) {
        const SunkenArray* sunken = &manifolds->sides[i].sunken;
        if (!grzArray_Reserve(raw, &manifolds->allocator, raw->count + sunken->count))
            return false;
        for (size_t k = 0; k < sunken->count; ++k)
            if (manifolds->sides[i].vertexMarks.data[sunken->data[k].vertex] == manifolds->epoch)
                raw->data[raw->count++] =
                    (RawContact){.contact = contactOfSunken(manifolds, patch, i, &sunken->data[k], d, depth)};
    }
    return true;
}
