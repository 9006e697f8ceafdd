// What: which way the triangles of a mesh face, and which closed components face inward all around.
// Idea: a closed component whose triangles run the same way around has a signed volume: below 0, where they are clockwise seen from
//   outside. A hollow in a solid has that rightly; it lies in the box of a component that has a volume above 0.
// Cost: linear, but for each component inside out one look at all boxes.
#include <math.h>

#include "mesh_parts.h"

#include "refuse_null.h"

// A volume nearer to 0 than this part of area times size is that of a flat component, or rounding.
#define LEAST_PART 1e-9
#define FORTY_FIVE 0.70710678118654752 // the cosine of the angle between up and sideways

typedef struct Component {
    grzBoxd box;
    double volume, area; // six times, twice
    uint32_t first;      // triangle, in the caller's numbers
    bool isOpen;         // or its triangles do not agree
} Component;

// The corner from which a triangle runs along an edge.
static uint32_t startOf(const grzMeshView* view, uint32_t triangle, uint32_t edge) {
    const uint32_t* edges = view->triangleEdges + 3 * (size_t)triangle;
    return view->triangles[3 * (size_t)triangle + (edges[0] == edge ? 0 : edges[1] == edge ? 1 : 2)];
}

static bool isClosedAt(const grzMeshView* view, uint32_t edge) {
    const uint32_t *start = view->edgeTriangleStarts + edge, *triangles = view->edgeTriangles + start[0];
    return start[1] - start[0] == 2 && startOf(view, triangles[0], edge) != startOf(view, triangles[1], edge);
}

static void addTriangle(const grzMesh* mesh, uint32_t triangle, grzVec3d base, grzVec3d up, Component* component,
                        grzMeshWinding* winding) {
    const uint32_t* corners = mesh->view.triangles + 3 * (size_t)triangle;
    grzVec3d at[3];
    for (int k = 0; k < 3; ++k) {
        const grzVec3d p = grzMesh_GetPosition(mesh, corners[k]);
        component->box = grzBoxd_AddPoint(component->box, p);
        at[k] = grzVec3d_Sub(p, base);
    }
    const grzVec3d cross = grzVec3d_Cross(grzVec3d_Sub(at[1], at[0]), grzVec3d_Sub(at[2], at[0]));
    const double twice = grzVec3d_Length(cross), rise = grzVec3d_Dot(cross, up);
    component->volume += grzVec3d_Dot(at[0], grzVec3d_Cross(at[1], at[2]));
    component->area += twice;
    *(rise >= FORTY_FIVE * twice    ? &winding->areaUp
      : rise <= -FORTY_FIVE * twice ? &winding->areaDown
                                    : &winding->areaSideways) += twice / 2;
    const uint32_t own = mesh->view.triangleToCaller[triangle];
    component->first = own < component->first ? own : component->first;
}

static bool isInsideOut(const Component* component) {
    const grzVec3d extent = grzVec3d_Sub(component->box.upper, component->box.lower);
    return !component->isOpen && component->volume < -LEAST_PART * component->area * grzVec3d_Length(extent);
}

static bool isWithin(grzBoxd box, grzBoxd other) {
    return box.lower.x > other.lower.x && box.lower.y > other.lower.y && box.lower.z > other.lower.z &&
           box.upper.x < other.upper.x && box.upper.y < other.upper.y && box.upper.z < other.upper.z;
}

static bool isHollow(const Component* components, uint32_t count, const Component* own) {
    for (uint32_t i = 0; i < count; ++i)
        if (!components[i].isOpen && components[i].volume > 0 && isWithin(own->box, components[i].box))
            return true;
    return false;
}

static void measure(const grzMesh* mesh, grzVec3d up, Component* components, grzMeshWinding* winding) {
    const grzMeshView* view = &mesh->view;
    const grzVec3d base = grzVec3d_Lerp(view->bounds.lower, view->bounds.upper, 0.5);
    for (uint32_t i = 0; i < view->componentCount; ++i)
        components[i] = (Component){.box = grzBoxd_Empty(), .first = GRZ_MESH_NONE};
    for (uint32_t i = 0; i < view->triangleCount; ++i)
        addTriangle(mesh, i, base, up, &components[view->vertexComponents[view->triangles[3 * (size_t)i]]],
                    winding);
    for (uint32_t edge = 0; edge < view->edgeCount; ++edge)
        components[view->vertexComponents[view->edges[edge].a]].isOpen |= !isClosedAt(view, edge);
    for (uint32_t i = 0; i < view->componentCount; ++i) {
        if (!isInsideOut(&components[i]) || isHollow(components, view->componentCount, &components[i]))
            continue;
        winding->insideOutCount++;
        if (components[i].first < winding->firstInsideOut)
            winding->firstInsideOut = components[i].first;
    }
}

grzResult grzMesh_MeasureWinding(const grzMesh* mesh, grzVec3 up, grzMeshWinding* winding) {
    GRZ_REFUSE_NULL(mesh, 1);
    GRZ_REFUSE_NULL(winding, 3);
    const size_t count = mesh->view.componentCount;
    const grzAllocator* allocator = &mesh->memory.allocator;
    const grzVec3d direction = grzVec3d_FromVec3(up);
    const double length = grzVec3d_Length(direction);
    *winding = (grzMeshWinding){.firstInsideOut = GRZ_MESH_NONE};
    if (!(length > 0 && isfinite(length)))
        return grzBecause(grzFail(grz_badArgument, 2), "up is 0, or not finite");
    Component* components = grzAllocate(allocator, count, sizeof *components, _Alignof(Component));
    if (components == NULL && count != 0)
        return grzNoMemory(count, sizeof *components);
    measure(mesh, grzVec3d_Scale(direction, 1 / length), components, winding);
    grzRelease(allocator, components, count, sizeof *components, _Alignof(Component));
    return grzOk();
}
