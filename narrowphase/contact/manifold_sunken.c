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
    if (!grzArray_Reserve(marks, allocator, wanted))
        return false;
    if (wanted <= before)
        return true;
    memset(marks->data + before, 0, (wanted - before) * sizeof *marks->data);
    marks->count = wanted;
    return true;
}

static bool prepareSide(grzManifolds* manifolds, PatchSide* side, const grzMeshView* mesh) {
    const grzAllocator* allocator = &manifolds->allocator;
    side->cuts.count = 0;
    return growMarks(&side->vertexMarks, allocator, mesh->vertexCount) &&
           growMarks(&side->edgeMarks, allocator, mesh->edgeCount) &&
           growMarks(&side->edgeCuts, allocator, mesh->edgeCount);
}

static void clearMarks(IndexArray* marks) {
    if (marks->count > 0)
        memset(marks->data, 0, marks->count * sizeof *marks->data);
}

// Two epochs each for the cuts of a call and for turning faces back, and for each patch two while patches are joined
// and two when it is solved. There are no more patches than points.
static void startEpochs(grzManifolds* manifolds) {
    if (4 * manifolds->raw.count >= UINT32_MAX - 6 - (size_t)manifolds->epoch) {
        for (int i = 0; i < 2; ++i) {
            clearMarks(&manifolds->sides[i].vertexMarks);
            clearMarks(&manifolds->sides[i].edgeMarks);
        }
        manifolds->epoch = 0;
    }
    manifolds->cutEpoch = manifolds->epoch += 2; // what was told last is marked by one more than the epoch
}

static bool isBehind(grzVec3d point, grzVec3d at, grzVec3d facing) {
    return grzVec3d_Dot(grzVec3d_Sub(point, at), facing) < 0;
}

// -------------------------------------------------------------------------------------------------------- cuts

static Cut* cutOf(grzManifolds* manifolds, PatchSide* side, uint32_t edge) {
    if (side->edgeMarks.data[edge] == manifolds->cutEpoch)
        return &side->cuts.data[side->edgeCuts.data[edge]];
    if (!grzArray_Reserve(&side->cuts, &manifolds->allocator, side->cuts.count + 1))
        return NULL;
    side->edgeMarks.data[edge] = manifolds->cutEpoch;
    side->edgeCuts.data[edge] = (uint32_t)side->cuts.count;
    Cut* cut = &side->cuts.data[side->cuts.count++];
    *cut = (Cut){.nearest = {DBL_MAX, DBL_MAX}};
    return cut;
}

static bool addCut(grzManifolds* manifolds, const grzManifoldQuery* query, int i, const RawContact* raw) {
    const grzManifoldSide* side = sideOf(query, i);
    const grzContact* contact = &raw->contact;
    uint32_t edge = grzFeature_Index(featureOf(contact, i));
    Cut* cut = cutOf(manifolds, &manifolds->sides[i], edge);
    if (cut == NULL)
        return false;
    Face other = grzManifolds_FaceMet(query, raw, 1 - i);
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
        cut->meet[end] = raw->meet;
        cut->isBehind[end] = isBehind(position, at, other.normal);
        cut->at[end] = at;
        cut->facing[end] = other.normal;
        cut->rival[end] = triangleOf(contact, 1 - i);
    }
    return true;
}

// -------------------------------------------------------------------------------------------------------- walk

// True where the vertex was found from another patch, while patches are being joined: then the two are one.
static bool isReached(grzManifolds* manifolds, uint32_t mark) {
    if (!manifolds->isJoining || mark <= manifolds->cutEpoch)
        return false;
    const uint32_t* runs = manifolds->runs.data;
    grzManifolds_Join(manifolds, runs[(mark - manifolds->cutEpoch) / 2 - 1], runs[manifolds->runs.count - 1]);
    return true;
}

static bool addSunken(grzManifolds* manifolds, PatchSide* side, const Sunken* sunken) {
    uint32_t* mark = &side->vertexMarks.data[sunken->vertex];
    if (*mark == manifolds->epoch || *mark == manifolds->cutEpoch || isReached(manifolds, *mark))
        return true;
    if (!grzArray_Reserve(&side->sunken, &manifolds->allocator, side->sunken.count + 1))
        return false;
    *mark = manifolds->epoch;
    side->sunken.data[side->sunken.count++] = *sunken;
    return true;
}

// After closeAround for all vertices: what goes down from there is inside.
static bool addBelow(grzManifolds* manifolds, const Patch* patch, int i, const RawContact* raw) {
    const grzManifoldSide* own = sideOf(patch->query, i);
    const grzContact* contact = &raw->contact;
    PatchSide* side = &manifolds->sides[i];
    Face other = grzManifolds_FaceMet(patch->query, raw, 1 - i);
    Sunken sunken = {.rival = triangleOf(contact, 1 - i), .at = grzVec3d_FromVec3(contact->point)};
    uint32_t vertex = grzFeature_Index(featureOf(contact, i));
    sunken.facing = other.normal;
    for (uint32_t k = own->mesh->vertexEdgeStarts[vertex]; k < own->mesh->vertexEdgeStarts[vertex + 1]; ++k) {
        if (side->edgeMarks.data[own->mesh->vertexEdges[k]] == manifolds->cutEpoch)
            continue;
        sunken.vertex = own->mesh->vertexNeighbours[k];
        sunken.position = positionOf(own, sunken.vertex);
        if (!addSunken(manifolds, side, &sunken))
            return false;
    }
    return true;
}

// While patches are joined, an end may be of one that has just become a part of this one: all the same.
static bool isOfPatch(const grzManifolds* manifolds, uint32_t meet, uint32_t patch) {
    return grzManifolds_PatchOf(manifolds, meet) == grzManifolds_PatchOf(manifolds, patch);
}

static bool addCutEnds(grzManifolds* manifolds, const grzManifoldSide* own, PatchSide* side, uint32_t edge,
                       uint32_t patch) {
    const Cut* cut = &side->cuts.data[side->edgeCuts.data[edge]];
    for (int end = 0; end < 2; ++end) {
        Sunken sunken = {.rival = cut->rival[end], .at = cut->at[end]};
        sunken.facing = cut->facing[end];
        sunken.vertex = end == 0 ? own->mesh->edges[edge].a : own->mesh->edges[edge].b;
        sunken.position = positionOf(own, sunken.vertex);
        if (cut->isBehind[end] && isOfPatch(manifolds, cut->meet[end], patch) &&
            !addSunken(manifolds, side, &sunken))
            return false;
    }
    return true;
}

static bool walk(grzManifolds* manifolds, const grzManifoldSide* own, PatchSide* side) {
    for (size_t i = 0; i < side->sunken.count; ++i) {
        const Sunken from = side->sunken.data[i];
        const uint32_t* starts = own->mesh->vertexEdgeStarts + from.vertex;
        for (uint32_t k = starts[0]; k < starts[1]; ++k) {
            Sunken next = from;
            next.vertex = own->mesh->vertexNeighbours[k];
            next.position = positionOf(own, next.vertex);
            if (side->edgeMarks.data[own->mesh->vertexEdges[k]] == manifolds->cutEpoch ||
                !(manifolds->isUnbounded || isBehind(next.position, next.at, next.facing)))
                continue;
            if (!addSunken(manifolds, side, &next))
                return false;
        }
    }
    return true;
}

// A vertex on the other surface is not inside. Of its edges, those that do not go behind all triangles there are as
// good as crossed.
static void closeAround(grzManifolds* manifolds, const grzManifoldQuery* query, int i, const RawContact* raw) {
    const grzManifoldSide* own = sideOf(query, i);
    const grzContact* contact = &raw->contact;
    PatchSide* side = &manifolds->sides[i];
    Face other = grzManifolds_FaceMet(query, raw, 1 - i);
    uint32_t vertex = grzFeature_Index(featureOf(contact, i));
    side->vertexMarks.data[vertex] = manifolds->cutEpoch;
    for (uint32_t k = own->mesh->vertexEdgeStarts[vertex]; k < own->mesh->vertexEdgeStarts[vertex + 1]; ++k) {
        grzVec3d end = positionOf(own, own->mesh->vertexNeighbours[k]);
        uint32_t edge = own->mesh->vertexEdges[k];
        if (isBehind(end, grzVec3d_FromVec3(contact->point), other.normal) ||
            side->edgeMarks.data[edge] == manifolds->cutEpoch)
            continue;
        side->edgeMarks.data[edge] = manifolds->cutEpoch;
        side->edgeCuts.data[edge] = UINT32_MAX;
    }
}

static bool isOf(const grzContact* contact, int i, grzFeatureKind kind) {
    return grzFeature_Kind(featureOf(contact, i)) == kind;
}

static bool findCuts(grzManifolds* manifolds, const grzManifoldQuery* query, int i) {
    const RawContacts* raw = &manifolds->raw;
    for (size_t k = 0; k < raw->count; ++k)
        if (isOf(&raw->data[k].contact, i, grz_edgeFeature) && !addCut(manifolds, query, i, &raw->data[k]))
            return false;
    for (size_t k = 0; k < raw->count; ++k)
        if (isOf(&raw->data[k].contact, i, grz_vertexFeature))
            closeAround(manifolds, query, i, &raw->data[k]);
    return true;
}

bool grzManifolds_FindCuts(grzManifolds* manifolds, const grzManifoldQuery* query) {
    startEpochs(manifolds);
    for (int i = 0; i < 2; ++i)
        if (!prepareSide(manifolds, &manifolds->sides[i], sideOf(query, i)->mesh) || !findCuts(manifolds, query, i))
            return false;
    return true;
}

static bool findOnSide(grzManifolds* manifolds, const Patch* patch, int i) {
    const grzManifoldSide* own = sideOf(patch->query, i);
    PatchSide* side = &manifolds->sides[i];
    const RawContact* raw = manifolds->raw.data;
    side->sunken.count = 0;
    for (size_t k = patch->first; k < patch->last; ++k)
        if (isOf(&raw[k].contact, i, grz_edgeFeature) &&
            !addCutEnds(manifolds, own, side, grzFeature_Index(featureOf(&raw[k].contact, i)), raw[k].patch))
            return false;
    for (size_t k = patch->first; k < patch->last; ++k)
        if (isOf(&raw[k].contact, i, grz_vertexFeature) && !addBelow(manifolds, patch, i, &raw[k]))
            return false;
    return walk(manifolds, own, side);
}

bool grzManifolds_FindSunken(grzManifolds* manifolds, const Patch* patch) {
    manifolds->epoch += manifolds->isUnbounded ? 0 : 2;
    return findOnSide(manifolds, patch, 0) && findOnSide(manifolds, patch, 1);
}

// An edge that goes in at one place and out at another is inside between them.
static void joinAlongEdges(grzManifolds* manifolds, const PatchSide* side) {
    for (size_t k = 0; k < side->cuts.count; ++k) {
        const Cut* cut = &side->cuts.data[k];
        if (!cut->isBehind[0] && !cut->isBehind[1])
            grzManifolds_Join(manifolds, cut->meet[0], cut->meet[1]);
    }
}

bool grzManifolds_JoinThroughInside(grzManifolds* manifolds, const grzManifoldQuery* query) {
    const RawContacts* raw = &manifolds->raw;
    bool isDone = grzArray_Reserve(&manifolds->runs, &manifolds->allocator, raw->count);
    manifolds->runs.count = 0;
    manifolds->isJoining = true;
    Patch patch = {query, 0, 0, false};
    for (; patch.first < raw->count && isDone; patch.first = patch.last) {
        while (patch.last < raw->count && raw->data[patch.last].patch == raw->data[patch.first].patch)
            patch.last++;
        manifolds->runs.data[manifolds->runs.count++] = raw->data[patch.first].meet;
        isDone = grzManifolds_FindSunken(manifolds, &patch);
    }
    manifolds->isJoining = false;
    for (int i = 0; i < 2 && isDone; ++i)
        joinAlongEdges(manifolds, &manifolds->sides[i]);
    return isDone;
}
