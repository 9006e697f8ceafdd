// The steps of a manifold that pairs of shapes and meshes share.
#ifndef GRAZE_NARROWPHASE_CONVEX_CONTACT_H
#define GRAZE_NARROWPHASE_CONVEX_CONTACT_H

#include "convex_axes.h"
#include "convex_clip.h"
#include "convex_lay.h"
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

// The manifold along a face of a triangle B, whose normal is -touch->normal; none where nothing of A lies over the face.
// touch->axis.face is the face.
void grzMakeFaceManifold(const Touch* touch, uint32_t faceB, grzVec3d base, grzManifold* manifold);

// What grzConvex_Collide asks of a shape (value: place) and its pose (place + 1), and of a margin.
grzResult grzCheckPosed(const grzConvex* shape, grzTransform pose, uint64_t place);
grzResult grzCheckMargin(float margin, uint64_t place);

// The contact that a triangle of a mesh leaves to its neighbours: the deepest point of the manifold that it has without
// them.
typedef struct LeftContact {
    bool isLeft;      // else the rest is not set
    bool isBehind;    // left since it is behind a triangle of one side
    bool isDeep;      // as Touch has it
    float separation; // not infinite
    grzFeature featureB;
    grzVec3 normal;  // away from the shape
    grzVec3d pointB; // on the triangle's side, relative to the core's base
} LeftContact;

// grzConvex_CollideTriangle for a core that is made already, of a rigid pose, relative to the base. Margin and shape are
// good; the triangle is checked: value 3.
grzResult grzCollideTriangle(const ConvexCore* shape, grzVec3d base, const grzMeshTriangle* triangle, double margin,
                             grzManifold* manifold, LeftContact* left);

// The general way of grzConvex_Collide, for input that is good. The short ways (convex_quick.h) are tested against it.
void grzCollideGeneral(const grzConvex* shapeA, grzTransform poseA, const grzConvex* shapeB, grzTransform poseB,
                       float margin, grzManifold* manifold);

#endif
