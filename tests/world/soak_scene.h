// A random scene and its laws: what must hold of bodies at every step, by positions, velocities and geometry alone.
//
//   SoakScene scene;
//   makeMeshScene(&scene, seed);                     // soak_meshes.h
//   Fault fault = runSoakScene(&scene);              // scene.step and scene.detail say when and what
//   destroySoakScene(&scene);
#ifndef GRAZE_TESTS_SOAK_SCENE_H
#define GRAZE_TESTS_SOAK_SCENE_H

#include "soak_solid.h"

typedef enum Fault {
    noFault,
    refusal,
    notFinite,
    escape, // a centre is outside of the room or of its container
    tunnel, // a centre is behind a solid of which it was in front, or loops are linked otherwise than at first
    energy, // more energy than at first and from the body that the host moves
    // A body's momentum has changed by more than its listed impulses, or the sum of all without a body that holds any.
    unbalanced,
    depth,
    braked, // a body that touches nothing falls slower than free fall
    moved,  // a body that lies still at first has moved
    unrest,
    unreported, // the velocity has changed, and no event of the step names the body
    slow,       // a step takes more than two seconds
} Fault;

const char* faultText(Fault fault);

enum { soakMostBodies = 32, soakMostSolids = 12, soakMostSides = 32, soakMostHolds = 32 };

typedef struct SoakBody {
    grzBodyId id;
    const Solid* solid;
    grzBodyKind kind;
    double mass;
    grzVec3d inertia[3]; // the rows of the tensor, in the body's frame
    grzVec3 velocity;    // of an animated sheet, which does not turn
    grzBodyView before, now, first;
    float damping;
    bool falls; // free, touches nothing
    bool stays;
} SoakBody;

// The body stays on its side of a plate that is thin along its own y.
typedef struct SoakSide {
    uint32_t body, plate;
    double side;
    bool isOver; // went around the rim
} SoakSide;

// The body stays in the cavity of a shell.
typedef struct SoakHold {
    uint32_t body, shell;
} SoakHold;

typedef struct SoakScene {
    uint64_t seed;
    grzRng rng;
    const char* family;
    grzWorld* world;
    grzWorldDef def;
    float timeStep;
    int steps, step;
    double size; // of a typical body
    Solid solids[soakMostSolids];
    uint32_t solidCount;
    SoakBody bodies[soakMostBodies];
    uint32_t bodyCount;
    SoakSide sides[soakMostSides];
    uint32_t sideCount;
    SoakHold holds[soakMostHolds];
    uint32_t holdCount;
    // What is asked, beside finite states and steps that are not refused.
    double room;        // half of the room's side; 0: no room
    double deepest;     // in thicknesses of the smaller body; 0: not asked
    int calmStep;       // from this step on a quarter of a thickness; 0: never
    bool keepsMomentum; // no other bodies but dynamic ones, no gravity
    bool keepsEnergy;   // works with one driver at most
    bool passes;        // two bodies alone: their middles do not pass through each other
    bool keepsLinks;    // loops, and loops around poles
    uint32_t pole;      // 1 + a capsule, box or prism along y that loops are around; 0: none
    double unrestSpeed; // at the end; 0: not asked
    uint32_t driver;    // 1 + the only body that is not dynamic and moves; 0: none
    int links[soakMostBodies][soakMostBodies];
    double allowance; // what may come as energy beside; in J
    double energyAtFirst, energyScale, work;
    grzVec3d momentumAtFirst;
    double momentumScale;
    double slowest;
    double depthSeen; // the deepest of all steps, in thicknesses
    double energySeen, secondsSeen;
    char detail[160];
} SoakScene;

float soakFloat(SoakScene* scene, double lower, double upper);
// Evenly by the logarithm.
double soakLog(SoakScene* scene, double lower, double upper);
uint32_t soakBelow(SoakScene* scene, uint32_t count);
grzVec3 soakVector(SoakScene* scene, double most); // in a cube
grzVec3 soakDirection(SoakScene* scene);
grzQuat soakTurn(SoakScene* scene);

void beginSoakScene(SoakScene* scene, uint64_t seed, const char* family);
void createSoakWorld(SoakScene* scene); // from scene->def
Solid* addSolid(SoakScene* scene, Solid solid);
grzBodyDef soakBodyDef(const Solid* solid, grzVec3 origin);
uint32_t addSoakBody(SoakScene* scene, const Solid* solid, const grzBodyDef* def);
// An animated sheet in y = 0, which moves at a constant velocity.
uint32_t addSoakSheet(SoakScene* scene, const Solid* sheet, bool isTwoSided, grzVec3 velocity);
void keepSide(SoakScene* scene, uint32_t body, uint32_t plate, double side);
void keepInside(SoakScene* scene, uint32_t body, uint32_t shell);

Fault runSoakScene(SoakScene* scene);
void destroySoakScene(SoakScene* scene);

#endif
