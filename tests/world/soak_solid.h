// Solids of random scenes, and measures of them that read no contacts: signed distances in closed form, and linking
// numbers.
//
//   Solid ring = makeRing(1, 0.2, 2000);
//   double depth = depthOf((PlacedSolid){&ring, poseA}, (PlacedSolid){&box, poseB});
//
// Distances are exact, with two exceptions. Outside a hull the distance is a lower bound. For a mesh of a ball or a
// ring it is the distance to a smaller ball or ring that lies inside the mesh. So depths are never too large. They are
// too small where samples miss the deepest point.
#ifndef GRAZE_TESTS_SOAK_SOLID_H
#define GRAZE_TESTS_SOAK_SOLID_H

#include "world_testing.h"

enum { solidMostOutline = 96, solidMostSamples = 320 };

typedef enum SolidKind { solidBall, solidCapsule, solidBox, solidHull, solidRing, solidGear, solidShell } SolidKind;

// A point of the solid with a ball around it that lies inside; radius 0 for points of the surface.
typedef struct SolidSample {
    grzVec3d point;
    double radius;
} SolidSample;

typedef struct Solid {
    SolidKind kind;
    grzVec3d
        half; // of boxes and of the outside of shells; y: half the length of capsules' axes, half the height of gears
    grzVec3d inner; // half the cavity of a shell
    double radius;  // of balls, capsules and tubes of rings
    double loop;    // radius of a circle around y that lies inside: rings, gears with a hole; 0: none
    uint32_t outlineCount;
    double outline[solidMostOutline][2]; // of gears, in x and z
    double hole;                         // scale of the outline's directions that gives the hole; 0: none
    double thickness;                    // of the thinnest part
    double size;                         // radius of a ball around the shape's origin that holds it
    uint32_t sampleCount;
    SolidSample samples[solidMostSamples];
    grzConvex shape; // of convex ones
    grzMesh* mesh;   // of the others
    grzMeshShape* meshShape;
    grzHull* hull;
    grzMass mass; // for density 1
} Solid;

typedef struct PlacedSolid {
    const Solid* solid;
    grzTransform pose;
} PlacedSolid;

// `triangles` 0: a convex shape; else a mesh of about so many.
Solid makeBall(double radius, uint32_t triangles);
Solid makeBox(grzVec3d half, uint32_t triangles);
Solid makeCapsule(double halfLength, double radius);
Solid makeHull(grzRng* rng, double radius);
Solid makeRing(double loop, double tube, uint32_t triangles);
// Without teeth a prism of `sides` sides; a hole with radius 0 is none.
Solid makeGear(uint32_t teeth, uint32_t sides, double tip, double root, double hole, double halfHeight,
               uint32_t triangles);
// An open sheet in y = 0, of squares; without thickness.
Solid makeSheet(double half, uint32_t squares);
// A closed box with a cavity.
Solid makeShell(grzVec3d half, double wall, uint32_t triangles);
void destroySolid(Solid* solid);

// From a point in the shape's frame to the surface; negative inside.
double distanceTo(const Solid* solid, grzVec3d point);
// The largest depth of a sample of one in the other; 0 or less: none was found.
double depthOf(PlacedSolid a, PlacedSolid b);

// How often the loop of a passes through the one of b, with sign.
int linkingOf(PlacedSolid a, PlacedSolid b);
// How often a segment passes through the loop.
int linkingOfSegment(PlacedSolid ring, grzVec3d from, grzVec3d to);

#endif
