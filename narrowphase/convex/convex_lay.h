// Writing manifolds: small, and often the most of the work, so that they are compiled into each way.
#ifndef GRAZE_NARROWPHASE_CONVEX_LAY_H
#define GRAZE_NARROWPHASE_CONVEX_LAY_H

#include "convex_clip.h"

// No points, no triangle, and 0 in all else. A row of stores: of this size compilers make a slow loop of memset.
static inline void grzClearManifold(grzManifold* manifold) {
    char* bytes = (char*)manifold;
    const grzLanes zero = grzLanes_Splat(0);
    grzLanes_Store(bytes, zero), grzLanes_Store(bytes + 16, zero), grzLanes_Store(bytes + 32, zero);
    grzLanes_Store(bytes + 48, zero), grzLanes_Store(bytes + 64, zero), grzLanes_Store(bytes + 80, zero);
    grzLanes_Store(bytes + 96, zero), grzLanes_Store(bytes + 112, zero), grzLanes_Store(bytes + 128, zero);
    grzLanes_Store(bytes + 144, zero), grzLanes_Store(bytes + sizeof *manifold - 16, zero);
    manifold->triangleB = GRZ_NO_TRIANGLE;
}

GRZ_STATIC_ASSERT(sizeof(grzManifold) > 160 && sizeof(grzManifold) <= 176,
                  "eleven stores, the last of which may overlap");

// What a manifold says of the touch as a whole.
typedef struct ContactHead {
    grzVec3d normal;   // unit, from A to B
    double separation; // of the shapes
    double margin, error;
    double depthError; // 0 where they do not overlap
    bool isCertain;
} ContactHead;

// Clears the manifold, too.
static inline void grzSetHead(const ContactHead* head, grzManifold* manifold) {
    grzClearManifold(manifold);
    manifold->normal = grzVec3d_ToVec3(head->normal);
    manifold->separation = (float)head->separation;
    manifold->certainty = head->isCertain ? grz_exact : grz_conservative;
    manifold->measure = head->isCertain ? 0.0f : grzRoundUp(head->margin + 2 * head->error);
    manifold->depthError = head->depthError > 0 ? grzRoundUp(head->depthError) : 0.0f;
}

// Where points found over a reference core, which is A's or B's, lie between the surfaces.
typedef struct ContactLay {
    grzVec3d normal, base;
    double radiusReference, radiusIncident;
    bool isReferenceA;
} ContactLay;

static inline void grzSetPoints(const ContactLay* lay, const ClipPoint* points, uint32_t count,
                                grzManifold* manifold) {
    double sign = lay->isReferenceA ? 0.5 : -0.5; // the normal points outward of A
    manifold->pointCount = count;
    for (uint32_t i = 0; i < count; ++i) {
        grzManifoldPoint* made = &manifold->points[i];
        // From the incident core back to midway between the two surfaces.
        double middle = sign * (lay->radiusReference - points[i].height - lay->radiusIncident);
        grzVec3d point = grzVec3d_Add(points[i].point, grzVec3d_Scale(lay->normal, middle));
        made->point = grzVec3d_ToVec3(grzVec3d_Add(point, lay->base));
        made->separation = (float)(points[i].height - lay->radiusReference - lay->radiusIncident);
        made->featureA = lay->isReferenceA ? points[i].reference : points[i].incident;
        made->featureB = lay->isReferenceA ? points[i].incident : points[i].reference;
        made->ordinal = 0;
        for (uint32_t k = 0; k < i; ++k)
            made->ordinal +=
                manifold->points[k].featureA == made->featureA && manifold->points[k].featureB == made->featureB;
    }
}

#endif
