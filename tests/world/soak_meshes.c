// Random scenes with dynamic meshes. Each family is one function, and sets the laws that its scenes are held to.
#include "soak_meshes.h"

#include <math.h>

// ---- solids ----

// Mostly few, as a scene has up to a thousand steps.
static uint32_t drawTriangles(SoakScene* scene, double most) {
    return (uint32_t)soakLog(scene, 12, soakBelow(scene, 4) == 0 ? most : fmin(most, 600));
}

static grzVec3d drawHalf(SoakScene* scene, double size, double leastShare) {
    const double x = soakLog(scene, leastShare, 1), y = soakLog(scene, leastShare, 1);
    const double z = soakLog(scene, leastShare, 1);
    return grzVec3d_Make(size * x, size * y, size * z);
}

static Solid drawGear(SoakScene* scene, double size, bool hasHole, double most) {
    const double hole = hasHole ? size * (double)soakFloat(scene, 0.2, 0.5) : 0;
    const double height = size * soakLog(scene, 0.05, 0.6);
    const uint32_t teeth = soakBelow(scene, 2) == 0 ? 0 : 6 + soakBelow(scene, 12),
                   sides = 6 + soakBelow(scene, 30);
    return makeGear(teeth, sides, size, 0.8 * size, hole, height, drawTriangles(scene, most));
}

// Of a radius of about `size`.
static Solid drawMesh(SoakScene* scene, double size, double most) {
    const uint32_t kind = soakBelow(scene, 6);
    const uint32_t triangles = drawTriangles(scene, most);
    if (kind == 0)
        return makeBall(size, triangles < 20 ? 20 : triangles);
    if (kind == 1)
        return makeBox(drawHalf(scene, 0.7 * size, 0.2), triangles);
    if (kind == 2)
        return makeRing(0.8 * size, 0.8 * size * (double)soakFloat(scene, 0.08, 0.4), triangles);
    if (kind == 3)
        return drawGear(scene, size, soakBelow(scene, 2) == 0, most);
    if (kind == 4)
        return makeBox(grzVec3d_Make(0.7 * size, 0.7 * size * soakLog(scene, 0.01, 0.1), 0.7 * size), triangles);
    return makeBox(grzVec3d_Make(0.6 * size, 0.6 * size, 0.6 * size), triangles);
}

static Solid drawConvex(SoakScene* scene, double size) {
    const uint32_t kind = soakBelow(scene, 4);
    if (kind == 0)
        return makeBall(0.8 * size, 0);
    if (kind == 1)
        return makeCapsule(0.6 * size, size * soakLog(scene, 0.05, 0.4));
    if (kind == 2)
        return makeBox(drawHalf(scene, 0.7 * size, 0.1), 0);
    return makeHull(&scene->rng, size);
}

static Solid drawAny(SoakScene* scene, double size, double most) {
    return soakBelow(scene, 4) == 0 ? drawConvex(scene, size) : drawMesh(scene, size, most);
}

// Without a hole, and of its own size in all directions.
static Solid drawCompact(SoakScene* scene, double size, double most) {
    const uint32_t kind = soakBelow(scene, 5), triangles = drawTriangles(scene, most);
    if (kind == 0)
        return makeBall(size, triangles < 20 ? 20 : triangles);
    if (kind == 1)
        return makeBox(drawHalf(scene, 0.7 * size, 0.5), triangles);
    if (kind == 2)
        return makeGear(0, 6 + soakBelow(scene, 20), 0.8 * size, 0, 0, 0.5 * size, triangles);
    if (kind == 3)
        return makeGear(6 + soakBelow(scene, 12), 0, size, 0.8 * size, 0, 0.5 * size, triangles);
    return makeBox(drawHalf(scene, 0.7 * size, 0.5), 0);
}

// Along y, mostly a capsule.
static Solid drawRod(SoakScene* scene, double size) {
    const double thin = size * soakLog(scene, 0.02, 0.4);
    switch (soakBelow(scene, 6)) {
    case 0:
        return makeBox(grzVec3d_Make(thin, size, thin), 0);
    case 1:
        return makeBox(grzVec3d_Make(thin, size, thin), drawTriangles(scene, 1000));
    case 2:
        return makeGear(0, 12, thin, 0, 0, size, drawTriangles(scene, 1000));
    default:
        return makeCapsule(size, thin);
    }
}

// ---- worlds ----

static void scaleWorld(SoakScene* scene, double size) {
    scene->size = size;
    if (soakBelow(scene, 3) == 0)
        return;
    scene->def.margin = (float)(0.02 * size);
    scene->def.pushSpeed = (float)(3 * size);
}

static void drawMaterial(SoakScene* scene, grzBodyDef* def) {
    def->friction = soakFloat(scene, 0, 1);
    def->restitution = soakBelow(scene, 2) == 0 ? 0 : soakFloat(scene, 0, 1);
    def->density = (float)(1000 * soakLog(scene, 0.3, 3));
}

// No point of a body is faster than 1,000 m/s by its turning.
static grzVec3 drawSpin(SoakScene* scene, double most, double size) {
    const grzVec3 axis = soakDirection(scene);
    return grzScale(axis, (float)fmin(soakBelow(scene, 2) == 0 ? most : soakLog(scene, 0.1, most), 1000 / size));
}

static uint32_t addStatic(SoakScene* scene, const Solid* solid, grzVec3 origin, double friction) {
    grzBodyDef def = soakBodyDef(solid, origin);
    def.kind = grz_staticBody;
    def.friction = (float)friction;
    return addSoakBody(scene, solid, &def);
}

// Six walls, of boxes, or of meshes, thick or thin; or one mesh around all.
static void addRoom(SoakScene* scene, double half) {
    const uint32_t kind = soakBelow(scene, 4);
    const double wall = half * (kind == 0 ? 0.5 : soakLog(scene, 0.01, 0.1));
    scene->room = half;
    if (kind == 3) {
        const double outside = half + wall;
        addStatic(scene, addSolid(scene, makeShell(grzVec3d_Make(outside, outside, outside), wall, 24)),
                  grzVec3_Zero(), 0.6);
        return;
    }
    for (int axis = 0; axis < 3; ++axis) {
        const double wide = half + wall, thin = 0.5 * wall;
        const grzVec3d extent =
            grzVec3d_Make(axis == 0 ? thin : wide, axis == 1 ? thin : wide, axis == 2 ? thin : wide);
        const Solid* solid = addSolid(scene, makeBox(extent, kind == 2 ? 12 : 0));
        for (int side = -1; side <= 1; side += 2) {
            const float far = (float)(side * (half + thin));
            addStatic(scene, solid, grzVec3_Make(axis == 0 ? far : 0, axis == 1 ? far : 0, axis == 2 ? far : 0),
                      0.6);
        }
    }
}

static grzVec3 cellOf(uint32_t cell, uint32_t side, double half) {
    const double pitch = 2 * half / side;
    return grzVec3_Make((float)((cell % side + 0.5) * pitch - half),
                        (float)((cell / side / side + 0.5) * pitch - half),
                        (float)((cell / side % side + 0.5) * pitch - half));
}

// ---- what lies ----

static bool canRoll(const Solid* solid) {
    return solid->kind != solidBox && solid->kind != solidHull;
}

// A few bodies on a floor of up to 1 km: flat on it with a gap of 0, or dropped.
static void makeFloor(SoakScene* scene) {
    const double size = soakLog(scene, 0.01, 2), floor = soakLog(scene, fmax(10, 60 * size), 1000);
    scaleWorld(scene, size);
    createSoakWorld(scene);
    const double deep = soakLog(scene, 0.1, 10);
    const Solid* ground =
        addSolid(scene, makeBox(grzVec3d_Make(0.5 * floor, deep, 0.5 * floor), soakBelow(scene, 3) == 0 ? 12 : 0));
    const uint32_t plate = addStatic(scene, ground, grzVec3_Make(0, (float)-deep, 0), 0.6);
    const grzVec3 middle = grzMul(soakVector(scene, 0.2 * floor), grzVec3_Make(1, 0, 1));
    const uint32_t count = 2 + soakBelow(scene, 4);
    for (uint32_t i = 0; i < count; ++i) {
        const Solid* solid = addSolid(scene, drawAny(scene, size, 3000));
        grzBodyDef def = soakBodyDef(solid, grzVec3_Zero());
        const bool isFlat = solid->kind == solidBox && soakBelow(scene, 2) == 0;
        const float height = isFlat ? (float)solid->half.y : (float)solid->size + soakFloat(scene, 0, size);
        def.origin = grzAdd(middle, grzVec3_Make((float)(3 * size * i), height, 0));
        def.rotation =
            isFlat ? grzQuat_FromAxisAngle(grzVec3_Make(0, 1, 0), soakFloat(scene, 0, 3)) : soakTurn(scene);
        def.friction = soakFloat(scene, 0.4, 1);
        def.linearDamping = canRoll(solid) ? 0.5f : 0;
        def.angularDamping = canRoll(solid) ? 2 : 0;
        if (!isFlat)
            def.spin = drawSpin(scene, 3, size);
        keepSide(scene, addSoakBody(scene, solid, &def), plate, 1);
    }
    scene->steps = 480;
    scene->deepest = 0.75;
    scene->calmStep = 180;
    scene->unrestSpeed = 0.01 * sqrt(size);
}

// Cubes on and beside each other, with gaps of exactly 0: nothing moves.
static void makeStacks(SoakScene* scene) {
    const double size = soakLog(scene, 0.01, 10), floor = soakLog(scene, fmax(10, 10 * size), 1000);
    const float half = (float)(0.5 * size);
    scaleWorld(scene, size);
    createSoakWorld(scene);
    const Solid* ground =
        addSolid(scene, makeBox(grzVec3d_Make(0.5 * floor, 1, 0.5 * floor), soakBelow(scene, 3) == 0 ? 12 : 0));
    const uint32_t plate = addStatic(scene, ground, grzVec3_Make(0, -1, 0), 0.6);
    const grzVec3d extent = grzVec3d_Make((double)half, (double)half, (double)half);
    const Solid* kinds[3];
    kinds[0] = addSolid(scene, makeBox(extent, 12));
    kinds[1] = addSolid(scene, makeBox(extent, drawTriangles(scene, 5000)));
    kinds[2] = addSolid(scene, makeBox(extent, 0));
    const uint32_t columns = 1 + soakBelow(scene, 3), rows = 1 + soakBelow(scene, 3);
    const grzQuat turn =
        grzQuat_FromAxisAngle(grzVec3_Make(0, 1, 0), soakBelow(scene, 2) == 0 ? 0 : soakFloat(scene, 0, 3));
    for (uint32_t i = 0; i < columns * rows; ++i) {
        const Solid* solid = kinds[soakBelow(scene, 3)];
        const grzVec3 place =
            grzVec3_Make(2 * half * (float)(i % columns), half + 2 * half * (float)(i / columns), 0);
        grzBodyDef def = soakBodyDef(solid, grzQuat_Rotate(turn, place));
        def.rotation = turn;
        def.friction = soakFloat(scene, 0.3, 1);
        const uint32_t body = addSoakBody(scene, solid, &def);
        scene->bodies[body].stays = true;
        keepSide(scene, body, plate, 1);
    }
    scene->steps = 180;
    scene->deepest = 0.05;
    scene->unrestSpeed = 0.01 * sqrt(size);
}

// ---- rings ----

// Rings through each other along x, every other one turned by a quarter.
static void linkRings(SoakScene* scene, const Solid* ring, double tube, uint32_t count, grzVec3 first,
                      grzVec3 velocity, bool isHeld) {
    const double pitch = 2 * (ring->loop - tube) * (double)soakFloat(scene, 0.8, 0.97);
    const grzQuat quarter = grzQuat_FromAxisAngle(grzVec3_Make(1, 0, 0), 1.5707963f);
    for (uint32_t i = 0; i < count; ++i) {
        grzBodyDef def = soakBodyDef(ring, grzAdd(first, grzVec3_Make((float)(pitch * i), 0, 0)));
        def.kind = isHeld && i == 0 ? grz_staticBody : grz_dynamicBody;
        def.friction = soakFloat(scene, 0, 1);
        if (i % 2 == 1)
            def.rotation = quarter;
        if (!isHeld) {
            def.velocity = velocity;
            def.spin = drawSpin(scene, 10, ring->size);
        }
        addSoakBody(scene, ring, &def);
    }
}

// A chain of rings hangs from its first one; released from the horizontal.
static void makeChain(SoakScene* scene) {
    const double size = soakLog(scene, 0.01, 50), tube = size * (double)soakFloat(scene, 0.1, 0.24);
    static const float rates[4] = {50, 60, 80, 60};
    scene->timeStep = 1 / rates[soakBelow(scene, 4)];
    scaleWorld(scene, size);
    createSoakWorld(scene);
    const Solid* ring = addSolid(scene, makeRing(size, tube, drawTriangles(scene, 4000)));
    linkRings(scene, ring, tube, 3 + soakBelow(scene, 6), grzVec3_Zero(), grzVec3_Zero(), true);
    scene->steps = 200;
    scene->keepsLinks = true;
    scene->deepest = 1;
}

// Pairs of linked rings, and single ones, are thrown through a room.
static void makeLinks(SoakScene* scene) {
    const double size = soakLog(scene, 0.01, 50), tube = size * (double)soakFloat(scene, 0.1, 0.24);
    const double half = 6 * size, speed = fmin(size * soakLog(scene, 0.3, 100), 1000);
    scaleWorld(scene, size);
    createSoakWorld(scene);
    addRoom(scene, half);
    const Solid* ring = addSolid(scene, makeRing(size, tube, drawTriangles(scene, 4000)));
    const uint32_t count = 2 + soakBelow(scene, 3);
    for (uint32_t i = 0; i < count; ++i) {
        const grzVec3 place = grzVec3_Make((float)-size, (float)(3 * size * (i / 2) - 1.5 * size),
                                           (float)(4 * size * (i % 2) - 2 * size));
        const grzVec3 velocity = soakVector(scene, speed);
        linkRings(scene, ring, tube, 1 + soakBelow(scene, 3), place, velocity, false);
    }
    scene->steps = 160;
    scene->keepsLinks = true;
    scene->deepest = 1;
}

// Rings and wheels fall along a pole; those that do not touch it fall freely.
static void makePole(SoakScene* scene) {
    const double size = soakLog(scene, 0.02, 20), hole = size * (double)soakFloat(scene, 0.4, 0.85);
    const double pole = hole * (0.96 - soakLog(scene, 0.005, 0.55)), half = 3 * size + 12; // facets narrow the hole
    const bool isFree = soakBelow(scene, 2) == 0;
    scaleWorld(scene, size);
    createSoakWorld(scene);
    const uint32_t kind = soakBelow(scene, 3);
    const Solid* post =
        addSolid(scene, kind == 0   ? makeCapsule(half, pole)
                        : kind == 1 ? makeBox(grzVec3d_Make(0.7 * pole, half, 0.7 * pole), 0)
                                    : makeGear(0, 24, pole, 0, 0, half, drawTriangles(scene, 2000)));
    scene->pole = 1 + addStatic(scene, post, grzVec3_Zero(), isFree ? 0 : 0.3);
    const uint32_t count = 1 + soakBelow(scene, 2);
    for (uint32_t i = 0; i < count; ++i) {
        const double tube = 0.5 * (size - hole);
        const Solid* ring =
            addSolid(scene, soakBelow(scene, 2) == 0
                                ? makeRing(hole + tube, tube, drawTriangles(scene, 8000))
                                : makeGear(0, 32, size, 0, 1.02 * hole, tube, drawTriangles(scene, 8000)));
        grzBodyDef def = soakBodyDef(ring, grzVec3_Make(0, (float)(half - 3 * size - 2.5 * size * i), 0));
        def.friction = isFree ? 0 : soakFloat(scene, 0, 1);
        if (!isFree) {
            def.velocity = grzMul(soakVector(scene, 1), grzVec3_Make(1, 5, 1));
            def.spin = drawSpin(scene, 20, size);
        }
        const uint32_t body = addSoakBody(scene, ring, &def);
        scene->bodies[body].falls = isFree;
    }
    scene->steps = 90;
    scene->keepsLinks = true;
    scene->deepest = 0.75;
}

// ---- machines ----

// Wheels on pins, turned by one that the host turns. Its work is not known; the laws are places, links and depths.
static void makeGears(SoakScene* scene) {
    const double size = soakLog(scene, 0.02, 20), root = 0.8 * size,
                 height = size * (double)soakFloat(scene, 0.1, 0.4);
    const uint32_t teeth = 8 + soakBelow(scene, 9), count = 1 + soakBelow(scene, 3);
    const double hole = size * (double)soakFloat(scene, 0.2, 0.4), pin = hole * (double)soakFloat(scene, 0.7, 0.9);
    const double apart = size + root + 0.35 * (size - root), pitch = 6.283185307 / teeth;
    const float speed = (float)fmin(soakLog(scene, 0.3, 20), 1000 / size);
    scaleWorld(scene, size);
    createSoakWorld(scene);
    addStatic(scene, addSolid(scene, makeBox(grzVec3d_Make(20 * size, size, 20 * size), 0)),
              grzVec3_Make(0, (float)-size, 0), 0.2);
    const Solid* wheel = addSolid(scene, makeGear(teeth, 0, size, root, hole, height, drawTriangles(scene, 6000)));
    const Solid* post = addSolid(scene, makeGear(0, 16, pin, 0, 0, 3 * height, 64));
    for (uint32_t i = 0; i <= count; ++i) {
        grzBodyDef def = soakBodyDef(wheel, grzVec3_Make((float)(apart * i), (float)(1.02 * height), 0));
        def.friction = soakFloat(scene, 0, 0.5);
        // A tooth of one is opposite to a gap of the next.
        def.rotation = grzQuat_FromAxisAngle(grzVec3_Make(0, 1, 0),
                                             i % 2 == 0 ? 0 : (float)(teeth % 2 == 0 ? 0.5 * pitch : 0));
        if (i == 0) {
            def.kind = grz_kinematicBody;
            def.spin = grzVec3_Make(0, soakBelow(scene, 2) == 0 ? speed : -speed, 0);
        } else {
            const uint32_t at =
                addStatic(scene, post, grzVec3_Make((float)(apart * i), (float)(3 * height), 0), 0.2);
            if (i == 1)
                scene->pole = 1 + at;
        }
        addSoakBody(scene, wheel, &def);
    }
    scene->steps = 150;
    scene->keepsEnergy = false;
    scene->keepsLinks = true;
    scene->deepest = 0.75;
}

static Solid drawShell(SoakScene* scene, double size) {
    const grzVec3d half = drawHalf(scene, size, 0.6);
    const double wall = size * soakLog(scene, 0.01, 0.15);
    return makeShell(half, wall, 24 + drawTriangles(scene, 2000));
}

// Bodies in the cells of the cavity's cube.
static void fillShell(SoakScene* scene, uint32_t shell, uint32_t count, grzVec3 velocity, double speed) {
    const Solid* around = scene->bodies[shell].solid;
    const double least = fmin(around->inner.x, fmin(around->inner.y, around->inner.z));
    const grzBodyView view = viewOf(scene->world, scene->bodies[shell].id);
    const grzTransform pose = poseOf(&view);
    for (uint32_t i = 0; i < count; ++i) {
        const Solid* solid = addSolid(scene, drawAny(scene, (double)soakFloat(scene, 0.15, 0.42) * least, 2000));
        grzBodyDef def = soakBodyDef(solid, grzTransform_Apply(pose, cellOf(i, 2, least)));
        def.rotation = soakTurn(scene);
        drawMaterial(scene, &def);
        def.velocity = grzAdd(velocity, soakVector(scene, speed));
        def.spin = drawSpin(scene, 50, solid->size);
        keepInside(scene, addSoakBody(scene, solid, &def), shell);
    }
}

// A closed box with bodies in it, thrown through a room or through nothing.
static void makeContainer(SoakScene* scene) {
    const double size = soakLog(scene, 0.01, 30), speed = fmin(size * soakLog(scene, 0.3, 100), 500);
    const bool isAlone = soakBelow(scene, 3) == 0;
    scaleWorld(scene, size);
    if (isAlone)
        scene->def.gravity = grzVec3_Zero();
    createSoakWorld(scene);
    if (!isAlone)
        addRoom(scene, 3 * size);
    const Solid* box = addSolid(scene, drawShell(scene, size));
    grzBodyDef def = soakBodyDef(box, grzVec3_Zero());
    def.rotation = soakTurn(scene);
    drawMaterial(scene, &def);
    def.velocity = soakVector(scene, isAlone ? 0.01 * size : speed);
    def.spin = drawSpin(scene, 20, size);
    const uint32_t shell = addSoakBody(scene, box, &def);
    fillShell(scene, shell, 1 + soakBelow(scene, 4), def.velocity, 0.3 * speed);
    scene->steps = 120;
    scene->keepsMomentum = isAlone;
    scene->deepest = 1;
}

// The same, turned by the host: energy comes from it alone.
static void makeDrum(SoakScene* scene) {
    const double size = soakLog(scene, 0.02, 30);
    scaleWorld(scene, size);
    createSoakWorld(scene);
    const Solid* box = addSolid(scene, drawShell(scene, size));
    grzBodyDef def = soakBodyDef(box, grzVec3_Zero());
    def.kind = grz_kinematicBody;
    def.rotation = soakTurn(scene);
    def.spin = drawSpin(scene, 10, size);
    const uint32_t shell = addSoakBody(scene, box, &def);
    fillShell(scene, shell, 2 + soakBelow(scene, 5), grzVec3_Zero(), size);
    scene->driver = 1 + shell;
    scene->steps = 150;
    scene->deepest = 1;
}

// ---- hits ----

// Two bodies, both fast, meet head-on and turn.
static void makeMeeting(SoakScene* scene) {
    const double size = soakLog(scene, 0.01, 50), speed = soakLog(scene, 3, 1000),
                 other = size * soakLog(scene, 0.3, 3);
    scaleWorld(scene, size);
    scene->def.gravity = grzVec3_Zero();
    createSoakWorld(scene);
    const double steps = (double)soakFloat(scene, 1, 6);
    const double apart = fmax(1.05 * (size + other), steps * speed * (double)scene->timeStep);
    const grzVec3 way = soakDirection(scene);
    const grzVec3 aside =
        grzScale(grzNormalize(grzCross(way, soakDirection(scene))), (float)(0.15 * fmin(size, other)));
    for (int i = 0; i < 2; ++i) {
        const float sign = i == 0 ? 1 : -1;
        const Solid* solid = addSolid(scene, drawCompact(scene, i == 0 ? size : other, 20000));
        grzBodyDef def = soakBodyDef(solid, grzScale(grzAdd(aside, grzScale(way, (float)apart)), -0.5f * sign));
        def.rotation = soakTurn(scene);
        drawMaterial(scene, &def);
        def.velocity = grzScale(way, 0.5f * sign * (float)speed);
        def.spin = drawSpin(scene, 100, solid->size);
        addSoakBody(scene, solid, &def);
    }
    scene->steps = 20;
    scene->passes = true;
    scene->keepsMomentum = true;
    scene->deepest = 1;
}

// Something fast hits a thin plate, which rests, is free, or comes to it.
static void makePlate(SoakScene* scene) {
    const double size = soakLog(scene, 0.05, 50), speed = soakLog(scene, 1, 1000),
                 thrown = size * soakLog(scene, 0.02, 0.4);
    const uint32_t kind = soakBelow(scene, 3);
    scaleWorld(scene, thrown);
    scene->def.gravity = grzVec3_Zero();
    createSoakWorld(scene);
    const double thin = size * soakLog(scene, 0.01, 0.06);
    const Solid* plate = addSolid(
        scene, makeBox(grzVec3d_Make(size, thin, size), soakBelow(scene, 2) == 0 ? 0 : drawTriangles(scene, 5000)));
    const Solid* solid =
        addSolid(scene, soakBelow(scene, 3) == 0 ? drawRod(scene, thrown) : drawAny(scene, thrown, 5000));
    grzBodyDef def = soakBodyDef(plate, grzVec3_Zero());
    const double own = kind == 0 ? 0 : speed * (double)soakFloat(scene, 0, 1);
    const grzQuat turn = soakTurn(scene);
    const grzVec3 up = grzQuat_Rotate(turn, grzVec3_Make(0, 1, 0));
    def.kind = (grzBodyKind[]){grz_staticBody, grz_kinematicBody, grz_dynamicBody}[kind];
    def.rotation = turn;
    drawMaterial(scene, &def);
    def.density *= 4; // heavy, so that it does not turn away
    if (kind != 0)
        def.velocity = grzScale(up, (float)own);
    addSoakBody(scene, plate, &def);
    const grzVec3 aim = grzMul(soakVector(scene, 0.4), grzVec3_Make(1, 0, 1));
    const double away = 1.1 * solid->size + thin + speed * (double)scene->timeStep * (double)soakFloat(scene, 0, 3);
    def = soakBodyDef(solid,
                      grzQuat_Rotate(turn, grzAdd(grzScale(aim, (float)size), grzVec3_Make(0, (float)away, 0))));
    def.rotation = soakTurn(scene);
    drawMaterial(scene, &def);
    def.velocity = grzScale(grzAdd(up, soakVector(scene, 0.05)), (float)-(speed - own));
    def.spin = drawSpin(scene, 100, solid->size);
    keepSide(scene, addSoakBody(scene, solid, &def), 0, 1);
    scene->driver = kind == 1 ? 1 : 0;
    scene->keepsMomentum = kind == 2;
    scene->steps = 15;
}

static void addAnySheet(SoakScene* scene, const Solid* sheet, double speed) {
    const bool isTwoSided = soakBelow(scene, 2) == 0;
    if (soakBelow(scene, 2) == 0) {
        const float up = soakBelow(scene, 2) == 0 ? 0 : soakFloat(scene, -0.3, 0.3) * (float)speed;
        scene->driver = 1 + addSoakSheet(scene, sheet, isTwoSided, grzVec3_Make(0, up, 0));
        return;
    }
    grzBodyDef def = soakBodyDef(sheet, grzVec3_Zero());
    def.kind = grz_staticBody;
    def.isTwoSided = isTwoSided;
    addSoakBody(scene, sheet, &def);
}

// Rods hit sheets with their ends, along their axis or nearly so, above corners, edges and faces.
static void makeEndOn(SoakScene* scene) {
    const double size = soakLog(scene, 0.02, 5), speed = soakLog(scene, 0.5, 100);
    scaleWorld(scene, size);
    createSoakWorld(scene);
    const Solid* sheet = addSolid(scene, makeSheet(10 * size, 8 + soakBelow(scene, 33)));
    addAnySheet(scene, sheet, speed);
    for (uint32_t i = 0; i < 8; ++i) {
        const Solid* rod = addSolid(scene, drawRod(scene, size));
        const float x = (float)size * (5.0f * (float)(i % 3 - 1)), z = (float)size * (5.0f * (float)(i / 3 - 1));
        const double height = 1.05 * rod->size + (double)soakFloat(scene, 0, 1) * fmin(speed / 60, size);
        grzBodyDef def = soakBodyDef(
            rod, grzAdd(grzVec3_Make(x, (float)height, z), grzMul(soakVector(scene, size), grzVec3_Make(1, 0, 1))));
        if (soakBelow(scene, 4) == 0)
            def.rotation = grzQuat_FromAxisAngle(soakDirection(scene), 0.05f);
        drawMaterial(scene, &def);
        def.velocity = grzScale(grzQuat_Rotate(def.rotation, grzVec3_Make(0, -1, 0)), (float)speed);
        def.spin = soakBelow(scene, 2) == 0 ? grzVec3_Make(0, 5, 0) : drawSpin(scene, 20, size);
        keepSide(scene, addSoakBody(scene, rod, &def), 0, 1);
    }
    scene->steps = 90;
}

// ---- crowds ----

// Two-sided meshes that lie in each other at first. What leads them apart gives them its speed.
static void makeNested(SoakScene* scene) {
    const double size = soakLog(scene, 0.02, 20);
    scaleWorld(scene, size);
    scene->def.gravity = grzVec3_Zero();
    createSoakWorld(scene);
    const uint32_t count = 2 + soakBelow(scene, 2);
    for (uint32_t i = 0; i < count; ++i) {
        const Solid* solid = addSolid(scene, drawMesh(scene, size * (double)soakFloat(scene, 0.4, 1), 20000));
        grzBodyDef def = soakBodyDef(solid, soakVector(scene, 0.3 * size));
        def.isTwoSided = soakBelow(scene, 4) != 0;
        if (soakBelow(scene, 4) != 0)
            def.rotation = soakTurn(scene);
        drawMaterial(scene, &def);
        def.velocity = soakVector(scene, soakBelow(scene, 2) == 0 ? 0 : size);
        def.spin = drawSpin(scene, 3, size);
        addSoakBody(scene, solid, &def);
    }
    for (uint32_t i = 0; i < scene->bodyCount; ++i)
        scene->allowance += 2 * scene->bodies[i].mass * pow((double)scene->def.pushSpeed, 2);
    scene->steps = 30;
    scene->keepsMomentum = true;
}

// All kinds of meshes, and some convex bodies, in a closed room.
static void makeCrowd(SoakScene* scene) {
    const double size = soakLog(scene, 0.01, 50), speed = fmin(size * soakLog(scene, 0.1, 300), 1000);
    scaleWorld(scene, size);
    createSoakWorld(scene);
    const uint32_t count = 3 + soakBelow(scene, 10), side = count > 8 ? 3 : 2;
    const double half = 1.3 * size * side;
    addRoom(scene, half);
    const Solid* kinds[4];
    for (int i = 0; i < 4; ++i)
        kinds[i] = addSolid(scene, drawAny(scene, size * soakLog(scene, 0.1, 1), i == 0 ? 20000 : 1000));
    for (uint32_t i = 0; i < count; ++i) {
        const Solid* solid = kinds[soakBelow(scene, 4)];
        grzBodyDef def = soakBodyDef(solid, cellOf(i, side, half));
        def.rotation = soakTurn(scene);
        drawMaterial(scene, &def);
        def.velocity = soakVector(scene, speed);
        def.spin = drawSpin(scene, 100, solid->size);
        addSoakBody(scene, solid, &def);
    }
    scene->steps = 120;
    scene->deepest = 1;
}

// ---- families ----

void makeMeshScene(SoakScene* scene, uint64_t seed) {
    static const struct {
        const char* name;
        void (*make)(SoakScene* scene);
    } families[meshFamilyCount] = {
        {"floor", makeFloor},     {"stacks", makeStacks}, {"chain", makeChain},         {"links", makeLinks},
        {"pole", makePole},       {"gears", makeGears},   {"container", makeContainer}, {"drum", makeDrum},
        {"meeting", makeMeeting}, {"plate", makePlate},   {"end-on", makeEndOn},        {"nested", makeNested},
        {"crowd", makeCrowd},
    };
    beginSoakScene(scene, seed, families[seed % meshFamilyCount].name);
    families[seed % meshFamilyCount].make(scene);
}
