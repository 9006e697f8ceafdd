// What: looks a finished hull over, by other ways than those that made it.
#include <math.h>

#include "hull_inside.h"

#include "refuse_null.h"

static const char* checkLinks(const grzHullView* view) {
    uint32_t total = 0;
    for (uint32_t f = 0; f < view->faceCount; ++f) {
        uint32_t e = view->faces[f].firstEdge, length = 0;
        do {
            if (e >= 2 * view->edgeCount || view->halfEdges[e].face != f)
                return "an edge is not of the face that leads to it";
            uint32_t next = view->halfEdges[e].next;
            if (next >= 2 * view->edgeCount || view->halfEdges[next].origin != view->halfEdges[e ^ 1].origin)
                return "an edge does not end where the next begins";
            e = next;
        } while (++length <= view->faces[f].edgeCount && e != view->faces[f].firstEdge);
        if (length != view->faces[f].edgeCount || length < 3)
            return "a face has another number of edges than it says";
        total += length;
    }
    return total == 2 * view->edgeCount ? NULL : "an edge is of no face";
}

static const char* checkVertices(const grzHull* hull) {
    const grzHullView* view = &hull->view;
    for (uint32_t v = 0; v < view->vertexCount; ++v) {
        uint32_t e = hull->firstOf[v], degree = 0;
        do {
            if (view->halfEdges[e].origin != v)
                return "an edge does not begin at its vertex";
            e = view->halfEdges[e ^ 1].next;
        } while (++degree <= 2 * view->edgeCount && e != hull->firstOf[v]);
        if (degree < 3 || degree > 2 * view->edgeCount)
            return "a vertex has fewer than three edges";
        if (v > 0 && view->sources[v] <= view->sources[v - 1])
            return "vertices are not in the order of the input";
    }
    return NULL;
}

static const char* checkPlanes(const grzHullView* view) {
    for (uint32_t f = 0; f < view->faceCount; ++f) {
        const grzHullFace* face = &view->faces[f];
        grzVec3d n = grzVec3d_FromVec3(face->normal);
        if (fabs(grzVec3d_Length(n) - 1) > 1e-6)
            return "a normal is not of unit length";
        for (uint32_t v = 0; v < view->vertexCount; ++v)
            if (grzVec3d_Dot(n, grzVec3d_FromVec3(view->vertices[v])) > (double)face->offset)
                return "a vertex lies outside a face";
        for (uint32_t i = 0, e = face->firstEdge; i < face->edgeCount; ++i, e = view->halfEdges[e].next) {
            grzVec3d p = grzVec3d_FromVec3(view->vertices[view->halfEdges[e].origin]);
            if (grzVec3d_Dot(n, p) < (double)face->offset - (double)view->slack)
                return "a vertex lies farther below its face than slack says";
        }
    }
    return view->slack <= 8 * view->tolerance ? NULL : "the slack is beyond eight tolerances";
}

const char* grzHull_Validate(const grzHull* hull) {
    GRZ_RETURN_IF_NULL(hull, "hull is NULL");
    const grzHullView* view = &hull->view;
    if (view->vertexCount + view->faceCount != view->edgeCount + 2)
        return "V - E + F is not 2";
    const char* wrong = checkLinks(view);
    if (wrong == NULL)
        wrong = checkVertices(hull);
    return wrong != NULL ? wrong : checkPlanes(view);
}
