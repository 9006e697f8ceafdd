// What: edges and neighbours of a mesh by sorting its sides.
// Idea: a side is (a, b, triangle, place) with a < b. Sorted, the sides of an edge lie together, by triangle; the
// next one in such a group, around its end, is the neighbour.
#include "plain_topology.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

typedef struct Side {
    uint32_t a, b, triangle, place;
} Side;

static int compareSides(const void* first, const void* second) {
    const Side *x = first, *y = second;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    if (x->b != y->b)
        return x->b < y->b ? -1 : 1;
    if (x->triangle != y->triangle)
        return x->triangle < y->triangle ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

// All but those that begin and end in one vertex. Returns how many.
static size_t listSides(const MeshData* mesh, Side* sides) {
    size_t count = 0;
    for (size_t i = 0; i < 3 * mesh->triangleCount; ++i) {
        uint32_t from = mesh->indices[i], to = mesh->indices[i % 3 == 2 ? i - 2 : i + 1];
        if (from != to)
            sides[count++] =
                (Side){from < to ? from : to, from < to ? to : from, (uint32_t)(i / 3), (uint32_t)(i % 3)};
    }
    return count;
}

// The sides [begin, end) are those of one edge. A triangle with a repeated index may be there twice, side by side.
static void linkGroup(PlainTopology* topology, const Side* sides, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
        size_t next = i + 1;
        while (next < end && sides[next].triangle == sides[i].triangle)
            ++next;
        uint32_t neighbour = sides[next < end ? next : begin].triangle;
        topology->neighbours[3 * (size_t)sides[i].triangle + sides[i].place] =
            neighbour == sides[i].triangle ? GRZ_MESH_NONE : neighbour;
    }
    topology->edges[topology->edgeCount++] = (grzMeshEdge){sides[begin].a, sides[begin].b};
}

static void linkAll(PlainTopology* topology, const Side* sides, size_t count) {
    for (size_t i = 0; i < 3 * topology->triangleCount; ++i)
        topology->neighbours[i] = GRZ_MESH_NONE;
    for (size_t begin = 0, end; begin < count; begin = end) {
        end = begin + 1;
        while (end < count && sides[end].a == sides[begin].a && sides[end].b == sides[begin].b)
            ++end;
        linkGroup(topology, sides, begin, end);
    }
}

bool PlainTopology_Make(PlainTopology* topology, const MeshData* mesh, grzAllocator allocator) {
    size_t most = 3 * mesh->triangleCount;
    *topology = (PlainTopology){.allocator = allocator, .triangleCount = mesh->triangleCount};
    Side* sides = grzAllocate(&allocator, most, sizeof *sides, _Alignof(Side));
    topology->edges = grzAllocate(&allocator, most, sizeof *topology->edges, _Alignof(grzMeshEdge));
    topology->neighbours = grzAllocate(&allocator, most, sizeof *topology->neighbours, _Alignof(uint32_t));
    bool isMade = sides != NULL && topology->edges != NULL && topology->neighbours != NULL;
    if (isMade) {
        size_t count = listSides(mesh, sides);
        qsort(sides, count, sizeof *sides, compareSides);
        linkAll(topology, sides, count);
    }
    grzRelease(&allocator, sides, most, sizeof *sides, _Alignof(Side));
    if (!isMade)
        PlainTopology_Release(topology);
    return isMade;
}

void PlainTopology_Release(PlainTopology* topology) {
    size_t most = 3 * topology->triangleCount;
    grzRelease(&topology->allocator, topology->edges, most, sizeof *topology->edges, _Alignof(grzMeshEdge));
    grzRelease(&topology->allocator, topology->neighbours, most, sizeof *topology->neighbours, _Alignof(uint32_t));
    memset(topology, 0, sizeof *topology);
}

bool PlainTopology_Equals(const PlainTopology* topology, const MeshData* mesh, const grzMeshView* view) {
    size_t corners = 3 * topology->triangleCount;
    return view->triangleCount == topology->triangleCount && view->edgeCount == topology->edgeCount &&
           memcmp(view->edges, topology->edges, topology->edgeCount * sizeof *topology->edges) == 0 &&
           memcmp(view->triangleNeighbours, topology->neighbours, corners * sizeof *topology->neighbours) == 0 &&
           memcmp(view->triangles, mesh->indices, corners * sizeof *mesh->indices) == 0;
}
