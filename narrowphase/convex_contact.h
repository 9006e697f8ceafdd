// The steps of a manifold that pairs of shapes and meshes share.
#ifndef GRAZE_NARROWPHASE_CONVEX_CONTACT_H
#define GRAZE_NARROWPHASE_CONVEX_CONTACT_H

#include "convex_axes.h"
#include "convex_clip.h"
#include "gjk.h"

// What is known of two cores before points are made.
typedef struct Touch {
    const ConvexCore *coreA, *coreB;
    double margin;
    bool isNear;     // within the margin, as far as can be told; else the rest is not set
    bool isCertain;  // and certainly so
    bool isDeep;     // by separating axes, `axis`; else by closest points, `gjk`
    grzVec3d normal; // unit, from A to B
    GjkResult gjk;
    ConvexAxis axis;
} Touch;

void grzFindTouch(const ConvexCore* coreA, const ConvexCore* coreB, double margin, Touch* touch);

// The manifold of a touch that is near, relative to `base`.
void grzMakeManifold(const Touch* touch, grzVec3d base, grzManifold* manifold);

// The manifold along a face of B, whose normal is -touch->normal; none where nothing of A lies over the face.
void grzMakeFaceManifold(const Touch* touch, uint32_t faceB, grzVec3d base, grzManifold* manifold);

void grzClearManifold(grzManifold* manifold);

// What grzConvex_Collide asks of a shape (value: place) and its pose (place + 1).
grzResult grzCheckPosed(const grzConvex* shape, grzTransform pose, uint64_t place);

// The general way of grzConvex_Collide, for input that is good. The short ways (convex_quick.h) are tested against it.
void grzCollideGeneral(const grzConvex* shapeA, grzTransform poseA, const grzConvex* shapeB, grzTransform poseB,
                       float margin, grzManifold* manifold);

// What a manifold says of the touch as a whole.
typedef struct ContactHead {
    grzVec3d normal;   // unit, from A to B
    double separation; // of the shapes
    double margin, error;
    double depthError; // 0 where they do not overlap
    bool isCertain;
} ContactHead;

// Clears the manifold, too.
void grzSetHead(const ContactHead* head, grzManifold* manifold);

// Where points found over a reference core, which is A's or B's, lie between the surfaces.
typedef struct ContactLay {
    grzVec3d normal, base;
    double radiusReference, radiusIncident;
    bool isReferenceA;
} ContactLay;

void grzSetPoints(const ContactLay* lay, const ClipPoint* points, uint32_t count, grzManifold* manifold);

#endif
