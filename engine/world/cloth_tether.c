// What: tethers: how far a particle can be from pins while no edge is longer than in the mesh.
// Promise: never shorter than a way over the cloth's surface that edges allow: a cloth that is only bent meets none.
// Idea: one pass over the edges a substep tells a particle of its neighbours alone, so that a hanging cloth of n rows would give by
//       n times what one row does. The shortest way along edges to a pin, found once, tells it of the pin in one step. Up to four
//       pins: a way to each; more: to the nearest. A cloth that is meant to stretch has none.
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

// From pins [first, end) into one layer. The heap has room for a reach from each end of each edge, and one a pin.
static void walkLayer(grzClothBody* cloth, const grzMeshView* view, uint32_t layer, uint32_t first, uint32_t end,
                      Reaches* heap) {
    uint32_t* pins = cloth->tetherPins.data + (size_t)layer * cloth->rowCount;
    float* lengths = cloth->tetherLengths.data + (size_t)layer * cloth->rowCount;
    heap->count = 0;
    for (uint32_t k = first; k < end; ++k)
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
    }
}

grzResult grzCloth_BuildTethers(grzClothBody* cloth) {
    const grzMeshView view = grzMesh_GetView(cloth->mesh);
    const uint32_t pinCount = (uint32_t)cloth->pins.count;
    if (pinCount == 0 || cloth->stretchCompliance > 0)
        return grzOk();
    const uint32_t layers = pinCount <= CLOTH_MOST_TETHERS ? pinCount : 1;
    const size_t count = (size_t)layers * cloth->rowCount;
    Reaches heap = {0};
    if (!grzArray_Reserve(&cloth->tetherPins, &cloth->allocator, count) ||
        !grzArray_Reserve(&cloth->tetherLengths, &cloth->allocator, count) ||
        !grzArray_Reserve(&heap, &cloth->allocator, (size_t)2 * view.edgeCount + pinCount)) {
        grzArray_Release(&heap, &cloth->allocator);
        return grzNoMemory(count, sizeof(float));
    }
    for (size_t i = 0; i < count; ++i) {
        cloth->tetherPins.data[i] = pinCount;
        cloth->tetherLengths.data[i] = INFINITY;
    }
    for (uint32_t layer = 0; layer < layers; ++layer)
        walkLayer(cloth, &view, layer, layers == 1 ? 0 : layer, layers == 1 ? pinCount : layer + 1, &heap);
    grzArray_Release(&heap, &cloth->allocator);
    cloth->tetherPins.count = cloth->tetherLengths.count = count;
    cloth->tetherCount = layers;
    return grzOk();
}
