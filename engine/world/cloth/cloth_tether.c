// What: tethers: how far a particle can be from pins while no triangle changes its shape.
// Promise: never shorter than the shortest way over the surface: a cloth that is only bent meets none.
// Idea: one pass over the edges a substep tells a particle of its neighbours alone, so that a hanging cloth of n rows would give by
//       n times what one row does. The shortest way to a pin, found once, tells it of the pin in one step. Ways run along
//       edges, and straight over two triangles from corner to far corner: on a square grid they are longer than the straight
//       line by 2.8 percent at most, edges alone by 8.2. Up to four pins: a way to each; more: to the nearest of each of four
//       groups, around pins that are far from each other, so that cloth that is held all around cannot swing about the nearest
//       one. A cloth that is meant to stretch has none.
// Holds: layer k, row v: pin tetherPins[k * rowCount + v] and its length, or the spare pin and infinity.
// Cost: O(E log V) a layer. Dijkstra's algorithm with a heap of (length, vertex), which has no ties, so that ways of one length do
//       not depend on anything but numbers of vertices.
// Based on: [Kim, Chentanez, Mueller-Fischer, Long Range Attachments: A Method to Simulate Inextensible Clothing in Computer Games,
//       SCA 2012].
#include <math.h>

#include "cloth_inside.h"
#include "result_make.h"

typedef struct Reach {
    double length;
    uint32_t vertex, pin;
} Reach;

typedef struct Reaches {
    GRZ_ARRAY(Reach);
} Reaches;

static bool isNearer(Reach a, Reach b) {
    if (a.length != b.length)
        return a.length < b.length;
    return a.vertex != b.vertex ? a.vertex < b.vertex : a.pin < b.pin;
}

static void pushReach(Reaches* heap, Reach reach) {
    size_t at = heap->count++;
    for (; at > 0 && isNearer(reach, heap->data[(at - 1) / 2]); at = (at - 1) / 2)
        heap->data[at] = heap->data[(at - 1) / 2];
    heap->data[at] = reach;
}

static Reach popReach(Reaches* heap) {
    const Reach top = heap->data[0], last = heap->data[--heap->count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < heap->count; at = child) {
        if (child + 1 < heap->count && isNearer(heap->data[child + 1], heap->data[child]))
            ++child;
        if (!isNearer(heap->data[child], last))
            break;
        heap->data[at] = heap->data[child];
    }
    heap->data[at] = last;
    return top;
}

// The straight way from the corner of a triangle, over the edge across from it, to the far corner of the next triangle, with both laid
// flat; infinity where it would leave them.
static double wayAcross(const grzClothBody* cloth, const grzMeshView* view, uint32_t triangle, uint32_t from,
                        uint32_t* far) {
    const uint32_t* v = view->triangles + (size_t)3 * triangle;
    const uint32_t k = v[0] == from ? 0 : v[1] == from ? 1 : 2, across = (k + 1) % 3;
    const uint32_t next = view->triangleNeighbours[(size_t)3 * triangle + across];
    const uint32_t a = v[across], b = v[(across + 1) % 3];
    if (next == GRZ_MESH_NONE || a == from || b == from)
        return HUGE_VAL;
    const uint32_t* w = view->triangles + (size_t)3 * next;
    *far = w[0] != a && w[0] != b ? w[0] : w[1] != a && w[1] != b ? w[1] : w[2];
    const grzVec3d start = grzMesh_GetPosition(cloth->mesh, a);
    const grzVec3d edge = grzVec3d_Sub(grzMesh_GetPosition(cloth->mesh, b), start);
    const double length = grzVec3d_Length(edge);
    double along[2], height[2];
    for (int side = 0; side < 2; ++side) {
        const grzVec3d to = grzVec3d_Sub(grzMesh_GetPosition(cloth->mesh, side == 0 ? from : *far), start);
        along[side] = grzVec3d_Dot(to, edge) / length;
        height[side] = grzVec3d_Length(grzVec3d_Sub(to, grzVec3d_Scale(edge, along[side] / length)));
    }
    const double sum = height[0] + height[1], gap = along[1] - along[0], cross = along[0] + gap * (height[0] / sum);
    return cross >= 0 && cross <= length && *far != a && *far != b ? sqrt(gap * gap + sum * sum) : HUGE_VAL;
}

static void pushAcross(const grzClothBody* cloth, const grzMeshView* view, Reach reach, const float* lengths,
                       Reaches* heap) {
    for (uint32_t k = view->vertexTriangleStarts[reach.vertex]; k < view->vertexTriangleStarts[reach.vertex + 1];
         ++k) {
        uint32_t far = 0;
        const double step = wayAcross(cloth, view, view->vertexTriangles[k], reach.vertex, &far);
        if (step < HUGE_VAL && !(lengths[far] < INFINITY))
            pushReach(heap, (Reach){reach.length + step, far, reach.pin});
    }
}

static grzVec3d pinAt(const grzClothBody* cloth, uint32_t pin) {
    return grzMesh_GetPosition(cloth->mesh, cloth->pins.data[pin]);
}

// One pin for each layer. Where there are more: each the farthest from those before it; of those as far, the first.
static void spreadPins(const grzClothBody* cloth, uint32_t layers, uint32_t* middles) {
    for (uint32_t layer = 0; layer < layers; ++layer)
        middles[layer] = layer;
    for (uint32_t layer = 1; layer < layers && layers < cloth->pins.count; ++layer) {
        double farthest = -1;
        for (uint32_t k = 0; k < cloth->pins.count; ++k) {
            double nearest = HUGE_VAL;
            for (uint32_t j = 0; j < layer; ++j)
                nearest = fmin(nearest, grzVec3d_Length(grzVec3d_Sub(pinAt(cloth, k), pinAt(cloth, middles[j]))));
            if (nearest > farthest)
                farthest = nearest, middles[layer] = k;
        }
    }
}

// The layer of a pin: of the middle that it is nearest to.
static uint32_t layerOf(const grzClothBody* cloth, uint32_t layers, const uint32_t* middles, uint32_t pin) {
    uint32_t best = 0;
    double nearest = HUGE_VAL;
    for (uint32_t layer = 0; layer < layers; ++layer) {
        const double own = grzVec3d_Length(grzVec3d_Sub(pinAt(cloth, pin), pinAt(cloth, middles[layer])));
        if (own < nearest)
            nearest = own, best = layer;
    }
    return best;
}

// From the pins of one layer. The heap has room for a reach from each end of each edge, one from each corner of each
// triangle, and one a pin.
static void walkLayer(grzClothBody* cloth, const grzMeshView* view, uint32_t layer, uint32_t layers,
                      const uint32_t* middles, Reaches* heap) {
    uint32_t* pins = cloth->tetherPins.data + (size_t)layer * cloth->rowCount;
    float* lengths = cloth->tetherLengths.data + (size_t)layer * cloth->rowCount;
    heap->count = 0;
    for (uint32_t k = 0; k < cloth->pins.count; ++k)
        if (layerOf(cloth, layers, middles, k) == layer)
            pushReach(heap, (Reach){0, cloth->pins.data[k], k});
    while (heap->count != 0) {
        const Reach reach = popReach(heap);
        if (lengths[reach.vertex] < INFINITY)
            continue;
        pins[reach.vertex] = reach.pin;
        lengths[reach.vertex] = (float)reach.length;
        const grzVec3d from = grzMesh_GetPosition(cloth->mesh, reach.vertex);
        for (uint32_t k = view->vertexEdgeStarts[reach.vertex]; k < view->vertexEdgeStarts[reach.vertex + 1]; ++k) {
            const uint32_t next = view->vertexNeighbours[k];
            const double step = grzVec3d_Length(grzVec3d_Sub(grzMesh_GetPosition(cloth->mesh, next), from));
            if (!(lengths[next] < INFINITY))
                pushReach(heap, (Reach){reach.length + step, next, reach.pin});
        }
        pushAcross(cloth, view, reach, lengths, heap);
    }
}

grzResult grzCloth_BuildTethers(grzClothBody* cloth) {
    const grzMeshView view = grzMesh_GetView(cloth->mesh);
    const uint32_t pinCount = (uint32_t)cloth->pins.count;
    if (pinCount == 0 || cloth->stretchCompliance > 0)
        return grzOk();
    const uint32_t layers = pinCount < CLOTH_MOST_TETHERS ? pinCount : CLOTH_MOST_TETHERS;
    const size_t count = (size_t)layers * cloth->rowCount;
    Reaches heap = {0};
    if (!grzArray_Reserve(&cloth->tetherPins, &cloth->allocator, count) ||
        !grzArray_Reserve(&cloth->tetherLengths, &cloth->allocator, count) ||
        !grzArray_Reserve(&heap, &cloth->allocator,
                          (size_t)2 * view.edgeCount + (size_t)3 * view.triangleCount + pinCount)) {
        grzArray_Release(&heap, &cloth->allocator);
        return grzNoMemory(count, sizeof(float));
    }
    for (size_t i = 0; i < count; ++i) {
        cloth->tetherPins.data[i] = pinCount;
        cloth->tetherLengths.data[i] = INFINITY;
    }
    uint32_t middles[CLOTH_MOST_TETHERS];
    spreadPins(cloth, layers, middles);
    for (uint32_t layer = 0; layer < layers; ++layer)
        walkLayer(cloth, &view, layer, layers, middles, &heap);
    grzArray_Release(&heap, &cloth->allocator);
    cloth->tetherPins.count = cloth->tetherLengths.count = count;
    cloth->tetherCount = layers;
    return grzOk();
}
