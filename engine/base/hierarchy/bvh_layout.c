// What: once the triangles have their order, numbers the vertices by first touch and lists those of each leaf.
// Promise: every list is free of duplicates, in the order of the corners, and may be read to its full width.
// Idea: one walk over the triangles. Whether a vertex is new (to the mesh, to the leaf) is as hard to foresee as a
//       coin, so nothing branches on it: the next place is always written, and kept by moving the count.
//
//         numbers:  place = number[c] is none ? count : number[c];  toCaller[count] = c;  count += is none
//         leaves:   list[n] = v;  n += stamp[v] != leaf;  stamp[v] = leaf
//
// Holds: vertexToCaller has a place more than there are vertices, for the write after the last.
// Cost: 4 to 8 ns a triangle, most of it the vertices' numbers, which the caller's order scatters. One thread: each
//       number depends on all before.
#include "bvh_parts.h"

#include <string.h>

enum { AHEAD = 24 }; // triangles; as far as the memory is away

static void numberTriangles(BvhLayout* layout, uint32_t end) {
    const grzBvh* bvh = layout->bvh;
    uint32_t *toCaller = bvh->vertexToCaller, *fromCaller = bvh->vertexFromCaller;
    uint32_t* to = bvh->triangles + 3 * (size_t)layout->at;
    const uint32_t *order = bvh->triangleToCaller, *triangles = layout->callersTriangles;
    uint32_t count = layout->vertexCount;
    for (uint32_t t = layout->at; t < end; ++t, to += 3) {
        const uint32_t* corners = triangles + 3 * (size_t)order[t];
        if (t + AHEAD < bvh->view.triangleCount)
            __builtin_prefetch(triangles + 3 * (size_t)order[t + AHEAD]);
        for (size_t k = 0; k < 3; ++k) {
            const uint32_t corner = corners[k], known = fromCaller[corner];
            const bool isNew = known == GRZ_MESH_NONE;
            const uint32_t number = isNew ? count : known;
            toCaller[count] = corner;
            fromCaller[corner] = number;
            to[k] = number;
            count += isNew;
        }
    }
    layout->vertexCount = count;
}

// Those without a triangle.
static void numberLoose(BvhLayout* layout, uint32_t end) {
    const grzBvh* bvh = layout->bvh;
    for (uint32_t v = layout->at; v < end; ++v) {
        if (bvh->vertexFromCaller[v] == GRZ_MESH_NONE) {
            bvh->vertexFromCaller[v] = layout->vertexCount;
            bvh->vertexToCaller[layout->vertexCount++] = v;
        }
    }
}

// Lists a leaf's vertices in `list`, which has a place more than they can be. Returns how many.
static uint32_t listLeaf(const grzBvh* bvh, uint32_t leaf, uint32_t* stamps, uint32_t* list) {
    const uint32_t first = leaf * GRZ_BVH_LEAF_TRIANGLES, left = bvh->view.triangleCount - first;
    const uint32_t corners = 3 * (left < GRZ_BVH_LEAF_TRIANGLES ? left : GRZ_BVH_LEAF_TRIANGLES);
    uint32_t count = 0;
    for (uint32_t i = 0; i < corners; ++i) {
        const uint32_t vertex = bvh->triangles[3 * (size_t)first + i];
        list[count] = vertex;
        count += stamps[vertex] != leaf;
        stamps[vertex] = leaf;
    }
    const uint32_t fill = list[0];
    for (uint32_t i = 0; i < GRZ_BVH_LEAF_VERTICES; ++i)
        list[i] = i < count ? list[i] : fill;
    return count;
}

static void forgetNumbers(BvhLayout* layout, uint32_t end) {
    const size_t bytes = (end - layout->at) * sizeof(uint32_t);
    memset(layout->bvh->vertexFromCaller + layout->at, 0xff, bytes);
    memset(layout->stamps + layout->at, 0xff, bytes);
}

static void forgetFlags(BvhLayout* layout, uint32_t end) {
    memset(layout->bvh->nodeFlags + layout->at, 0, (end - layout->at) * sizeof *layout->bvh->nodeFlags);
}

static void listLeaves(BvhLayout* layout, uint32_t end) {
    const grzBvh* bvh = layout->bvh;
    const uint32_t callersLast = bvh->view.vertexCount != 0 ? bvh->vertexFromCaller[bvh->view.vertexCount - 1] : 0;
    const uint32_t treesLast = bvh->view.vertexCount - 1;
    uint32_t* stamps = layout->stamps;
    for (uint32_t leaf = layout->at; leaf < end; ++leaf) {
        uint32_t list[GRZ_BVH_LEAF_VERTICES + 1] = {0};
        const uint32_t count = listLeaf(bvh, leaf, stamps, list);
        memcpy(bvh->leafVertices + 8 * (size_t)leaf, list, 8 * sizeof *list);
        memcpy(bvh->moreVertices + 4 * (size_t)leaf, list + 8, 4 * sizeof *list);
        bvh->leafVertexCounts[leaf] = (uint8_t)count;
        unsigned flags = count > 8 ? 1u << leaf % GRZ_BVH_WIDTH : 0;
        flags |= stamps[treesLast] == leaf ? GRZ_BVH_HAS_TREES_LAST : 0u;
        flags |= stamps[callersLast] == leaf ? GRZ_BVH_HAS_CALLERS_LAST : 0u;
        bvh->nodeFlags[leaf / GRZ_BVH_WIDTH] |= (uint16_t)flags;
    }
}

void grzBvhLayout_Begin(BvhLayout* layout, grzBvh* bvh, const uint32_t* callersTriangles, uint32_t* stamps) {
    memset(layout, 0, sizeof *layout);
    layout->bvh = bvh;
    layout->callersTriangles = callersTriangles;
    layout->stamps = stamps;
}

typedef struct LayoutPhase {
    void (*some)(BvhLayout* layout, uint32_t end);
    uint32_t count;
} LayoutPhase;

bool grzBvhLayout_GoOn(BvhLayout* layout, uint64_t* visits) {
    const grzBvhView* view = &layout->bvh->view;
    const LayoutPhase phases[] = {{forgetNumbers, view->vertexCount},
                                  {numberTriangles, view->triangleCount},
                                  {numberLoose, view->vertexCount},
                                  {forgetFlags, view->nodeCount - grzBvhView_BottomStart(view)},
                                  {listLeaves, view->leafCount}};
    for (; layout->phase < sizeof phases / sizeof *phases; ++layout->phase, layout->at = 0) {
        const LayoutPhase* phase = &phases[layout->phase];
        const uint32_t rest = phase->count - layout->at, share = *visits < rest ? (uint32_t)*visits : rest;
        phase->some(layout, layout->at + share);
        layout->at += share;
        *visits -= share;
        if (share != rest)
            return false;
    }
    return true;
}

void grzBvh_LayOut(grzBvh* bvh, const BvhInput* input, uint32_t* stamps) {
    BvhLayout layout;
    uint64_t visits = UINT64_MAX;
    grzBvhLayout_Begin(&layout, bvh, input->triangles, stamps);
    (void)grzBvhLayout_GoOn(&layout, &visits);
}
