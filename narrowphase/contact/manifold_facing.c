// What: which side of a two-sided mesh's triangles is out, where they meet another mesh.
// Idea: along the curve in which two surfaces meet, one triangle of a mesh follows another across an edge, which says whether both
//       are wound alike. So the triangles of a curve hang together to sheets, each of which faces one way or the other. It
//       faces where most of the other mesh lies, where the way that parts the patch soonest leads, and away from the middle of the curve.
//
//        |        |   Most of the crate is above the sheet, and up it comes out soonest: so the sheet faces
//        |        |   up, whatever its triangles' windings, and the crate's lower corners are inside.
//      __|________|__
//        |________|
//
//       A sheet is a tree of a union-find forest, whose links say whether two triangles are wound alike. Where a ball
//       shows a little through the wall of a larger one, all this is the same on both sides of the curve. What is
//       inside tells: if most of the other mesh is inside, the sheet faces the other way.
// Cost: n log n in the points of the pairs that meet, a choice of direction, and a walk inside; none without a
//   two-sided mesh.
// Limits: what has come through by more than half is led out on the far side.
#include <math.h>

#include "manifold_parts.h"
#include "memory.h"

// The side of a meeting pair: twice its number, and which side. Links are twice that, and whether the winding is another.
static uint32_t sheetOf(const grzManifolds* manifolds, uint32_t meet, int side, bool* isOther) {
    uint32_t* links = manifolds->sheets.data;
    uint32_t node = 2 * meet + (uint32_t)side;
    *isOther = false;
    while (links[node] / 2 != node) {
        const uint32_t next = links[links[node] / 2];
        links[node] = next ^ (links[node] & 1); // over the next one
        *isOther ^= (links[node] & 1) != 0;
        node = links[node] / 2;
    }
    return node;
}

// Two raw contacts of the same features: on an edge, the triangles on both sides of it are of one sheet.
static void joinSheets(grzManifolds* manifolds, const grzManifoldSide* own, int side, const RawContact* p,
                       const RawContact* q) {
    const uint32_t one = triangleOf(&p->contact, side), other = triangleOf(&q->contact, side);
    const grzFeature feature = featureOf(&p->contact, side);
    if (one != other && grzFeature_Kind(feature) != grz_edgeFeature)
        return;
    const uint32_t edge = grzFeature_Index(feature);
    const bool isOther =
        one != other && grzManifolds_StartOf(own->mesh, one, edge) == grzManifolds_StartOf(own->mesh, other, edge);
    bool isOtherP, isOtherQ;
    const uint32_t rootP = sheetOf(manifolds, p->meet, side, &isOtherP);
    const uint32_t rootQ = sheetOf(manifolds, q->meet, side, &isOtherQ);
    if (rootP != rootQ)
        manifolds->sheets.data[rootQ] = 2 * rootP + (uint32_t)(isOther ^ isOtherP ^ isOtherQ);
}

static bool findSheets(grzManifolds* manifolds, const grzManifoldQuery* query) {
    const RawContacts* raw = &manifolds->raw;
    const size_t count = 2 * manifolds->parents.count;
    if (!grzArray_Reserve(&manifolds->sheets, &manifolds->allocator, count) ||
        !grzArray_Reserve(&manifolds->votes, &manifolds->allocator, count))
        return false;
    for (size_t i = 0; i < count; ++i)
        manifolds->sheets.data[i] = 2 * (uint32_t)i, manifolds->votes.data[i] = 0;
    const RawPlace* places = grzManifolds_Order(manifolds, rawByFeatures);
    if (places == NULL)
        return false;
    for (size_t i = 1; i < raw->count; ++i) {
        const RawContact *p = &raw->data[places[i - 1].index], *q = &raw->data[places[i].index];
        for (int side = 0; side < 2; ++side)
            if (p->contact.featureA == q->contact.featureA && p->contact.featureB == q->contact.featureB)
                joinSheets(manifolds, sideOf(query, side), side, p, q);
    }
    return true;
}

// Faces point as the first of their sheet does.
static void alignSheets(grzManifolds* manifolds, const grzManifoldQuery* query) {
    for (size_t i = 0; i < manifolds->raw.count; ++i)
        for (int side = 0; side < 2; ++side) {
            RawContact* raw = &manifolds->raw.data[i];
            bool isOther;
            (void)sheetOf(manifolds, raw->meet, side, &isOther);
            raw->isTurned[side] = isOther && sideOf(query, side)->isTwoSided;
        }
}

#define MOST_POINTS 256 // of the other mesh that a face is compared with

// How much farther the other mesh goes on in front of a face than behind it, as far as the two meet: -1 to 1.
static double frontOf(const grzManifolds* manifolds, int side, grzVec3d normal, grzVec3d point) {
    const PointArray* others = &manifolds->sides[1 - side].extent;
    const size_t step = others->count / MOST_POINTS + 1;
    double front = 0, back = 0;
    for (size_t i = 0; i < others->count; i += step) {
        const double height = grzVec3d_Dot(normal, grzVec3d_Sub(others->data[i], point));
        front = height > front ? height : front;
        back = -height > back ? -height : back;
    }
    return front + back > 0 ? (front - back) / (front + back) : 0;
}

// How a patch lies: the direction that parts it, the middle of its points, and a length.
typedef struct Lie {
    grzVec3d direction, middle;
    double size;
} Lie;

static void setMiddle(const grzManifolds* manifolds, const Patch* patch, Lie* lie) {
    const RawContact* raw = manifolds->raw.data;
    lie->middle = grzVec3d_Make(0, 0, 0), lie->size = 0;
    for (size_t i = patch->first; i < patch->last; ++i)
        lie->middle = grzVec3d_Add(lie->middle, grzVec3d_FromVec3(raw[i].contact.point));
    lie->middle = grzVec3d_Scale(lie->middle, 1 / (double)(patch->last - patch->first));
    for (size_t i = patch->first; i < patch->last; ++i) {
        const double length = grzVec3d_Length(grzVec3d_Sub(grzVec3d_FromVec3(raw[i].contact.point), lie->middle));
        lie->size = length > lie->size ? length : lie->size;
    }
}

// How far a face that is met points outward, by three witnesses:
//   - the direction that parts the patch. It errs in hollow corners.
//   - what is in front of the face. It is silent where a sharp corner comes through.
//   - whether the face looks away from the middle of the curve. The other two are silent about the walls of a crate on a
//     wide ground.
static double voteOf(const grzManifolds* manifolds, const grzManifoldQuery* query, const RawContact* raw, int side,
                     const Lie* lie) {
    const grzVec3d normal = grzManifolds_FaceMet(query, raw, side).normal;
    const grzVec3d point = grzVec3d_FromVec3(raw->contact.point);
    const grzVec3d out = side == 0 ? normal : grzVec3d_Neg(normal);
    const double away = grzVec3d_Dot(normal, grzVec3d_Sub(point, lie->middle));
    return grzVec3d_Dot(out, lie->direction) + frontOf(manifolds, side, normal, point) +
           (lie->size > 0 ? away / lie->size : 0);
}

static bool turnPatch(grzManifolds* manifolds, const Patch* patch) {
    Lie lie;
    double depth;
    bool isOther;
    manifolds->sides[0].sunken.count = manifolds->sides[1].sunken.count = 0;
    if (!grzManifolds_PickDirection(manifolds, patch, &lie.direction, &depth))
        return false;
    setMiddle(manifolds, patch, &lie);
    for (size_t i = patch->first; i < patch->last; ++i)
        for (int side = 0; side < 2; ++side) {
            const RawContact* raw = &manifolds->raw.data[i];
            manifolds->votes.data[sheetOf(manifolds, raw->meet, side, &isOther)] +=
                voteOf(manifolds, patch->query, raw, side, &lie);
        }
    for (size_t i = patch->first; i < patch->last; ++i)
        for (int side = 0; side < 2; ++side) {
            RawContact* raw = &manifolds->raw.data[i];
            const bool isBackward = manifolds->votes.data[sheetOf(manifolds, raw->meet, side, &isOther)] < 0;
            raw->isTurned[side] ^= isBackward && sideOf(patch->query, side)->isTwoSided;
        }
    return true;
}

bool grzManifolds_TurnFaces(grzManifolds* manifolds, const grzManifoldQuery* query) {
    const RawContacts* raw = &manifolds->raw;
    Patch patch = {query, 0, 0, true};
    if (!query->a.isTwoSided && !query->b.isTwoSided)
        return true;
    if (!findSheets(manifolds, query))
        return false;
    alignSheets(manifolds, query);
    for (; patch.first < raw->count; patch.first = patch.last) {
        while (patch.last < raw->count && raw->data[patch.last].patch == raw->data[patch.first].patch)
            patch.last++;
        if (!turnPatch(manifolds, &patch))
            return false;
    }
    return true;
}

// Whether the walk inside has come out, past the border of a mesh: an edge that is cut has its end in front among what
// was found.
static bool hasLeaked(const grzManifolds* manifolds, const Patch* patch, int i) {
    const grzMeshView* mesh = sideOf(patch->query, i)->mesh;
    const PatchSide* side = &manifolds->sides[i];
    bool isLeak = false;
    for (size_t k = patch->first; k < patch->last && !isLeak; ++k) {
        const grzFeature feature = featureOf(&manifolds->raw.data[k].contact, i);
        const uint32_t edge = grzFeature_Index(feature);
        if (grzFeature_Kind(feature) != grz_edgeFeature)
            continue;
        const Cut* cut = &side->cuts.data[side->edgeCuts.data[edge]];
        const uint32_t ends[2] = {mesh->edges[edge].a, mesh->edges[edge].b};
        for (int end = 0; end < 2; ++end)
            isLeak |= !cut->isBehind[end] && side->vertexMarks.data[ends[end]] == manifolds->epoch;
    }
    return isLeak;
}

// Whether more of side i is inside than outside: of its vertices, and of the volume between the curve's middle and its
// triangles. A plate's lower side may have most of its vertices, but spans no volume when it sinks in.
static bool isMostInside(const grzManifolds* manifolds, const Patch* patch, int i) {
    const grzManifoldSide* own = sideOf(patch->query, i);
    const PatchSide* side = &manifolds->sides[i];
    double inside = 0, outside = 0;
    Lie lie;
    if (2 * side->sunken.count <= own->mesh->vertexCount || hasLeaked(manifolds, patch, i))
        return false;
    setMiddle(manifolds, patch, &lie);
    for (uint32_t t = 0; t < own->mesh->triangleCount; ++t) {
        const uint32_t* v = own->mesh->triangles + 3 * (size_t)t;
        grzVec3d way[3];
        int count = 0;
        for (int k = 0; k < 3; ++k) {
            way[k] = grzVec3d_Sub(positionOf(own, v[k]), lie.middle);
            count += side->vertexMarks.data[v[k]] == manifolds->epoch;
        }
        *(count == 3 ? &inside : &outside) += fabs(grzVec3d_Dot(way[0], grzVec3d_Cross(way[1], way[2])));
    }
    return inside > outside;
}

// All walks share their marks, so that they are linear together: none goes on where another one was.
bool grzManifolds_TurnBack(grzManifolds* manifolds, const grzManifoldQuery* query, bool* isTurned) {
    const RawContacts* raw = &manifolds->raw;
    Patch patch = {query, 0, 0, false};
    *isTurned = false;
    if (!query->a.isTwoSided && !query->b.isTwoSided)
        return true;
    bool isFound = true;
    manifolds->epoch += 2;
    manifolds->isUnbounded = true;
    for (; patch.first < raw->count && isFound; patch.first = patch.last) {
        bool isBackward[2];
        while (patch.last < raw->count && raw->data[patch.last].patch == raw->data[patch.first].patch)
            patch.last++;
        isFound = grzManifolds_FindSunken(manifolds, &patch);
        for (int side = 0; side < 2; ++side)
            isBackward[side] = sideOf(query, side)->isTwoSided && isMostInside(manifolds, &patch, 1 - side);
        for (size_t k = patch.first; k < patch.last; ++k)
            for (int side = 0; side < 2; ++side)
                raw->data[k].isTurned[side] ^= isBackward[side];
        *isTurned |= isBackward[0] || isBackward[1];
    }
    manifolds->isUnbounded = false;
    return isFound;
}
