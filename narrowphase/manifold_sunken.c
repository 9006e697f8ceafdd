// What: which vertices of a patch's two sides are inside the other one.
// Idea: where an edge goes through the other surface, the end behind it is inside. From there a walk along the
//       edges that are crossed nowhere finds the rest, since a way out must cross the surface.
//
//            o-------o            o outside, x inside; the walk goes from the crossed edges' lower ends on to the
//        ____|_______|____        vertices in the middle.
//            x--x-x--x
//
// Promise: for closed meshes, all and only the vertices that hang together with the patch.
// Limits: an open surface has no inside beyond its border. There the walk is held back by the plane of the
//         triangle that was crossed first: it stays behind that.
// Cost: linear in what is met and in the edges of what is found. Marks are one word for a vertex and two for an
//       edge of the larger of all meshes so far, and are cleared only when they grow.
#include <float.h>
#include <string.h>

#include "manifold_parts.h"
#include "memory.h"

static bool growMarks(IndexArray* marks, const grzAllocator* allocator, size_t wanted) {
    size_t before = marks->count;
    if (wanted <= before)
        return true;
    if (!grzArray_Reserve(marks, allocator, wanted))
        return false;
    memset(marks->data + before, 0, (wanted - before) * sizeof *marks->data);
    marks->count = wanted;
    return true;
}

static bool prepareSide(grzManifolds* manifolds, PatchSide* side, const grzMeshView* mesh) {
    const grzAllocator* allocator = &manifolds->allocator;
    side->cuts.count = side->sunken.count = 0;
    return growMarks(&side->vertexMarks, allocator, mesh->vertexCount) &&
           growMarks(&side->edgeMarks, allocator, mesh->edgeCount) &&
           growMarks(&side->edgeCuts, allocator, mesh->edgeCount);
}

static void nextEpoch(grzManifolds* manifolds) {
    if (++manifolds->epoch != 0)
        return;
    for (int i = 0; i < 2; ++i) {
        PatchSide* side = &manifolds->sides[i];
        if (side->vertexMarks.count > 0)
            memset(side->vertexMarks.data, 0, side->vertexMarks.count * sizeof *side->vertexMarks.data);
        if (side->edgeMarks.count > 0)
            memset(side->edgeMarks.data, 0, side->edgeMarks.count * sizeof *side->edgeMarks.data);
    }
    manifolds->epoch = 1;
}

static bool isBehind(grzVec3d point, grzVec3d at, grzVec3d facing) {
    return grzVec3d_Dot(grzVec3d_Sub(point, at), facing) < 0;
}

// -------------------------------------------------------------------------------------------------------- cuts

static Cut* cutOf(grzManifolds* manifolds, PatchSide* side, uint32_t edge) {
    if (side->edgeMarks.data[edge] == manifolds->epoch)
        return &side->cuts.data[side->edgeCuts.data[edge]];
    if (!grzArray_Reserve(&side->cuts, &manifolds->allocator, side->cuts.count + 1))
        return NULL;
    side->edgeMarks.data[edge] = manifolds->epoch;
    side->edgeCuts.data[edge] = (uint32_t)side->cuts.count;
    Cut* cut = &side->cuts.data[side->cuts.count++];
    *cut = (Cut){.edge = edge, .nearest = {DBL_MAX, DBL_MAX}};
    return cut;
}

static bool addCut(grzManifolds* manifolds, const Patch* patch, int i, const grzContact* contact) {
    const grzManifoldSide* side = sideOf(patch->query, i);
    uint32_t edge = grzFeature_Index(featureOf(contact, i));
    Cut* cut = cutOf(manifolds, &manifolds->sides[i], edge);
    if (cut == NULL)
        return false;
    Face other = grzManifolds_FaceOf(sideOf(patch->query, 1 - i), triangleOf(contact, 1 - i));
    grzVec3d at = grzVec3d_FromVec3(contact->point);
    for (int end = 0; end < 2; ++end) {
        uint32_t vertex = end == 0 ? side->mesh->edges[edge].a : side->mesh->edges[edge].b;
        grzVec3d position = positionOf(side, vertex);
        double distance = grzVec3d_Length(grzVec3d_Sub(position, at));
        if (distance > cut->nearest[end])
            continue;
        if (distance == cut->nearest[end]) { // on an edge of the other surface: behind both of its sides
            cut->isBehind[end] = cut->isBehind[end] && isBehind(position, at, other.normal);
            continue;
        }
        cut->nearest[end] = distance;
        cut->isBehind[end] = isBehind(position, at, other.normal);
        cut->at[end] = at;
        cut->facing[end] = other.normal;
        cut->rival[end] = triangleOf(contact, 1 - i);
    }
    return true;
}

// -------------------------------------------------------------------------------------------------------- walk

static bool addSunken(grzManifolds* manifolds, PatchSide* side, const Sunken* sunken) {
    if (side->vertexMarks.data[sunken->vertex] == manifolds->epoch)
        return true;
    if (!grzArray_Reserve(&side->sunken, &manifolds->allocator, side->sunken.count + 1))
        return false;
    side->vertexMarks.data[sunken->vertex] = manifolds->epoch;
    side->sunken.data[side->sunken.count++] = *sunken;
    return true;
}

// A vertex on the other surface is neither inside nor passed by the walk, and of its edges those that do not go
// behind all triangles there are as good as crossed.
static void closeAround(grzManifolds* manifolds, const Patch* patch, int i, const grzContact* contact) {
    const grzManifoldSide* own = sideOf(patch->query, i);
    PatchSide* side = &manifolds->sides[i];
    Face other = grzManifolds_FaceOf(sideOf(patch->query, 1 - i), triangleOf(contact, 1 - i));
    uint32_t vertex = grzFeature_Index(featureOf(contact, i));
    side->vertexMarks.data[vertex] = manifolds->epoch;
    for (uint32_t k = own->mesh->vertexEdgeStarts[vertex]; k < own->mesh->vertexEdgeStarts[vertex + 1]; ++k) {
        grzVec3d end = positionOf(own, own->mesh->vertexNeighbours[k]);
        uint32_t edge = own->mesh->vertexEdges[k];
        if (isBehind(end, grzVec3d_FromVec3(contact->point), other.normal) ||
            side->edgeMarks.data[edge] == manifolds->epoch)
            continue;
        side->edgeMarks.data[edge] = manifolds->epoch;
        side->edgeCuts.data[edge] = UINT32_MAX;
    }
}

// After closeAround for all vertices: what goes down from there is inside.
static bool addBelow(grzManifolds* manifolds, const Patch* patch, int i, const grzContact* contact) {
    const grzManifoldSide* own = sideOf(patch->query, i);
    PatchSide* side = &manifolds->sides[i];
    Face other = grzManifolds_FaceOf(sideOf(patch->query, 1 - i), triangleOf(contact, 1 - i));
    Sunken sunken = {.rival = triangleOf(contact, 1 - i), .at = grzVec3d_FromVec3(contact->point)};
    uint32_t vertex = grzFeature_Index(featureOf(contact, i));
    sunken.facing = other.normal;
    for (uint32_t k = own->mesh->vertexEdgeStarts[vertex]; k < own->mesh->vertexEdgeStarts[vertex + 1]; ++k) {
        if (side->edgeMarks.data[own->mesh->vertexEdges[k]] == manifolds->epoch)
            continue;
        sunken.vertex = own->mesh->vertexNeighbours[k];
        sunken.position = positionOf(own, sunken.vertex);
        if (!addSunken(manifolds, side, &sunken))
            return false;
    }
    return true;
}

static bool addCutEnds(grzManifolds* manifolds, const grzManifoldSide* own, PatchSide* side) {
    for (size_t k = 0; k < side->cuts.count; ++k) {
        const Cut* cut = &side->cuts.data[k];
        for (int end = 0; end < 2; ++end) {
            Sunken sunken = {.rival = cut->rival[end], .isCrossed = true, .at = cut->at[end]};
            sunken.facing = cut->facing[end];
            sunken.vertex = end == 0 ? own->mesh->edges[cut->edge].a : own->mesh->edges[cut->edge].b;
            sunken.position = positionOf(own, sunken.vertex);
            if (cut->isBehind[end] && !addSunken(manifolds, side, &sunken))
                return false;
        }
    }
    return true;
}

static bool walk(grzManifolds* manifolds, const grzManifoldSide* own, PatchSide* side) {
    for (size_t i = 0; i < side->sunken.count; ++i) {
        const Sunken from = side->sunken.data[i];
        const uint32_t* starts = own->mesh->vertexEdgeStarts + from.vertex;
        for (uint32_t k = starts[0]; k < starts[1]; ++k) {
            Sunken next = from;
            next.isCrossed = false;
            next.vertex = own->mesh->vertexNeighbours[k];
            next.position = positionOf(own, next.vertex);
            if (side->edgeMarks.data[own->mesh->vertexEdges[k]] == manifolds->epoch ||
                !isBehind(next.position, next.at, next.facing))
                continue;
            if (!addSunken(manifolds, side, &next))
                return false;
        }
    }
    return true;
}

static bool isOf(const grzContact* contact, int i, grzFeatureKind kind) {
    return grzFeature_Kind(featureOf(contact, i)) == kind;
}

static bool findOnSide(grzManifolds* manifolds, const Patch* patch, int i) {
    const grzManifoldSide* own = sideOf(patch->query, i);
    PatchSide* side = &manifolds->sides[i];
    const RawContact* raw = manifolds->raw.data;
    for (size_t k = patch->first; k < patch->last; ++k)
        if (isOf(&raw[k].contact, i, grz_edgeFeature) && !addCut(manifolds, patch, i, &raw[k].contact))
            return false;
    for (size_t k = patch->first; k < patch->last; ++k)
        if (isOf(&raw[k].contact, i, grz_vertexFeature))
            closeAround(manifolds, patch, i, &raw[k].contact);
    if (!addCutEnds(manifolds, own, side))
        return false;
    for (size_t k = patch->first; k < patch->last; ++k)
        if (isOf(&raw[k].contact, i, grz_vertexFeature) && !addBelow(manifolds, patch, i, &raw[k].contact))
            return false;
    return walk(manifolds, own, side);
}

bool grzManifolds_FindSunken(grzManifolds* manifolds, const Patch* patch) {
    nextEpoch(manifolds);
    for (int i = 0; i < 2; ++i)
        if (!prepareSide(manifolds, &manifolds->sides[i], sideOf(patch->query, i)->mesh) ||
            !findOnSide(manifolds, patch, i))
            return false;
    return true;
}
