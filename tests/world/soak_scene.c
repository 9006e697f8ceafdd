// Random scenes: their bodies, and the laws that are checked at every step.
#include "soak_scene.h"

#include <math.h>
#include <time.h>

const char* faultText(Fault fault) {
    static const char* const texts[] = {"nothing",
                                        "a step was refused",
                                        "a number that is not finite",
                                        "a body got out",
                                        "a body got through",
                                        "energy from nothing",
                                        "momentum that no impulse explains",
                                        "two bodies are in each other",
                                        "a free fall is braked",
                                        "a body at rest has moved",
                                        "no rest",
                                        "a push that no event reports",
                                        "a step takes too long"};
    return texts[fault];
}

// ---- drawing ----

float soakFloat(SoakScene* scene, double lower, double upper) {
    return (float)(lower + (upper - lower) * (double)grzRng_Float(&scene->rng));
}

double soakLog(SoakScene* scene, double lower, double upper) {
    return lower * pow(upper / lower, (double)grzRng_Float(&scene->rng));
}

uint32_t soakBelow(SoakScene* scene, uint32_t count) {
    return grzRng_Below(&scene->rng, count);
}

grzVec3 soakVector(SoakScene* scene, double most) {
    const float x = soakFloat(scene, -most, most), y = soakFloat(scene, -most, most);
    return grzVec3_Make(x, y, soakFloat(scene, -most, most));
}

grzVec3 soakDirection(SoakScene* scene) {
    return grzNormalize(grzAdd(soakVector(scene, 1), grzVec3_Make(0, 0.01f, 0)));
}

grzQuat soakTurn(SoakScene* scene) {
    const grzVec3 axis = soakDirection(scene);
    return grzQuat_FromAxisAngle(axis, soakFloat(scene, 0, 6));
}

// ---- making ----

void beginSoakScene(SoakScene* scene, uint64_t seed, const char* family) {
    memset(scene, 0, sizeof *scene);
    scene->seed = seed;
    scene->rng = grzRng_Make(seed, 0);
    scene->family = family;
    scene->def = grzDefaultWorldDef();
    scene->timeStep = 1.0f / 60;
    scene->steps = 120;
    scene->keepsEnergy = true;
}

void createSoakWorld(SoakScene* scene) {
    must(grzWorld_Create(&scene->def, &scene->world));
}

Solid* addSolid(SoakScene* scene, Solid solid) {
    assert_true(scene->solidCount < soakMostSolids);
    scene->solids[scene->solidCount] = solid;
    return &scene->solids[scene->solidCount++];
}

grzBodyDef soakBodyDef(const Solid* solid, grzVec3 origin) {
    grzBodyDef def = grzDefaultBodyDef();
    if (solid->meshShape != NULL)
        def.mesh = solid->meshShape;
    else
        def.shape = solid->shape;
    def.origin = origin;
    return def;
}

static void setInertia(SoakBody* body, double density) {
    const grzMass* mass = &body->solid->mass;
    body->mass = density * mass->volume;
    body->inertia[0] = grzVec3d_Scale((grzVec3d){mass->diagonal.x, mass->mixed.x, mass->mixed.y}, density);
    body->inertia[1] = grzVec3d_Scale((grzVec3d){mass->mixed.x, mass->diagonal.y, mass->mixed.z}, density);
    body->inertia[2] = grzVec3d_Scale((grzVec3d){mass->mixed.y, mass->mixed.z, mass->diagonal.z}, density);
}

uint32_t addSoakBody(SoakScene* scene, const Solid* solid, const grzBodyDef* def) {
    assert_true(scene->bodyCount < soakMostBodies);
    SoakBody* body = &scene->bodies[scene->bodyCount];
    body->solid = solid;
    body->kind = def->kind;
    body->id = addBody(scene->world, def);
    body->damping = def->linearDamping;
    if (def->kind == grz_dynamicBody)
        setInertia(body, (double)def->density);
    return scene->bodyCount++;
}

uint32_t addSoakSheet(SoakScene* scene, const Solid* sheet, bool isTwoSided, grzVec3 velocity) {
    SoakBody* body = &scene->bodies[scene->bodyCount];
    const grzMeshView view = grzMesh_GetView(sheet->mesh);
    grzAnimatedDef def = grzDefaultAnimatedDef();
    assert_true(scene->bodyCount < soakMostBodies);
    def.mesh = sheet->mesh;
    def.motion = grz_animateVelocities;
    def.isTwoSided = isTwoSided;
    body->solid = sheet;
    body->kind = grz_animatedBody;
    body->velocity = velocity;
    must(grzWorld_AddAnimated(scene->world, &def, &body->id));
    uint32_t* vertices = malloc(view.vertexCount * sizeof *vertices);
    float* velocities = malloc(3 * (size_t)view.vertexCount * sizeof *velocities);
    assert_true(vertices != NULL && velocities != NULL);
    for (uint32_t i = 0; i < view.vertexCount; ++i) {
        vertices[i] = i;
        grzVec3_Store(velocities + 3 * (size_t)i, velocity);
    }
    must(grzWorld_SetVertexVelocities(scene->world, body->id, vertices, velocities, view.vertexCount));
    free(vertices);
    free(velocities);
    return scene->bodyCount++;
}

void keepSide(SoakScene* scene, uint32_t body, uint32_t plate, double side) {
    assert_true(scene->sideCount < soakMostSides);
    scene->sides[scene->sideCount++] = (SoakSide){body, plate, side, false};
}

void keepInside(SoakScene* scene, uint32_t body, uint32_t shell) {
    assert_true(scene->holdCount < soakMostHolds);
    scene->holds[scene->holdCount++] = (SoakHold){body, shell};
}

void destroySoakScene(SoakScene* scene) {
    grzWorld_Destroy(scene->world);
    for (uint32_t i = 0; i < scene->solidCount; ++i)
        destroySolid(&scene->solids[i]);
}

// ---- reading ----

static void look(SoakScene* scene) {
    for (uint32_t i = 0; i < scene->bodyCount; ++i) {
        SoakBody* body = &scene->bodies[i];
        body->before = body->now;
        body->now = viewOf(scene->world, body->id);
        if (body->kind == grz_animatedBody) {
            body->now.rotation = grzQuat_Identity();
            body->now.origin = body->now.center = grzScale(body->velocity, (float)grzWorld_Time(scene->world));
            body->now.velocity = body->velocity;
            body->now.spin = grzVec3_Zero();
        }
    }
}

static PlacedSolid placed(const SoakBody* body) {
    return (PlacedSolid){body->solid, poseOf(&body->now)};
}

static bool isMoving(const SoakBody* body) {
    return body->kind == grz_dynamicBody;
}

static grzVec3d angularMomentum(const SoakBody* body, const grzBodyView* view) {
    const grzVec3d spin = grzVec3d_FromVec3(grzQuat_RotateInverse(view->rotation, view->spin));
    const grzVec3d own = {grzVec3d_Dot(body->inertia[0], spin), grzVec3d_Dot(body->inertia[1], spin),
                          grzVec3d_Dot(body->inertia[2], spin)};
    return grzVec3d_FromVec3(grzQuat_Rotate(view->rotation, grzVec3d_ToVec3(own)));
}

static double kineticEnergy(const SoakBody* body, const grzBodyView* view) {
    const grzVec3d velocity = grzVec3d_FromVec3(view->velocity), spin = grzVec3d_FromVec3(view->spin);
    return 0.5 * body->mass * grzVec3d_LengthSq(velocity) + 0.5 * grzVec3d_Dot(angularMomentum(body, view), spin);
}

static double kineticEnergyOfAll(const SoakScene* scene) {
    double sum = 0;
    for (uint32_t i = 0; i < scene->bodyCount; ++i)
        if (isMoving(&scene->bodies[i]))
            sum += kineticEnergy(&scene->bodies[i], &scene->bodies[i].now);
    return sum;
}

static double potentialEnergyOfAll(const SoakScene* scene) {
    const grzVec3d gravity = grzVec3d_FromVec3(scene->def.gravity);
    double sum = 0;
    for (uint32_t i = 0; i < scene->bodyCount; ++i)
        if (isMoving(&scene->bodies[i]))
            sum -= scene->bodies[i].mass * grzVec3d_Dot(gravity, grzVec3d_FromVec3(scene->bodies[i].now.center));
    return sum;
}

static grzVec3d momentumOfAll(const SoakScene* scene, double* scale) {
    grzVec3d sum = grzVec3d_Make(0, 0, 0);
    *scale = 0;
    for (uint32_t i = 0; i < scene->bodyCount; ++i)
        if (isMoving(&scene->bodies[i])) {
            const grzVec3d own =
                grzVec3d_Scale(grzVec3d_FromVec3(scene->bodies[i].now.velocity), scene->bodies[i].mass);
            sum = grzVec3d_Add(sum, own);
            *scale += grzVec3d_Length(own) + scene->bodies[i].mass * scene->bodies[i].solid->size *
                                                 (double)grzLength(scene->bodies[i].now.spin);
        }
    return sum;
}

// What the driver did in the last step: its velocity times the change of momentum of all others, but for gravity.
static double workOfDriver(const SoakScene* scene) {
    const SoakBody* driver = &scene->bodies[scene->driver - 1];
    const grzVec3d velocity = grzVec3d_FromVec3(driver->now.velocity), spin = grzVec3d_FromVec3(driver->now.spin);
    const grzVec3d fall = grzVec3d_Scale(grzVec3d_FromVec3(scene->def.gravity), (double)scene->timeStep);
    const grzVec3d pivot = grzVec3d_FromVec3(driver->before.center),
                   pivotNow = grzVec3d_FromVec3(driver->now.center);
    double work = 0;
    for (uint32_t i = 0; i < scene->bodyCount; ++i) {
        const SoakBody* body = &scene->bodies[i];
        if (!isMoving(body))
            continue;
        const grzVec3d v0 = grzVec3d_FromVec3(body->before.velocity), v1 = grzVec3d_FromVec3(body->now.velocity);
        const grzVec3d push = grzVec3d_Scale(grzVec3d_Sub(grzVec3d_Sub(v1, v0), fall), body->mass);
        const grzVec3d arm0 = grzVec3d_Sub(grzVec3d_FromVec3(body->before.center), pivot);
        const grzVec3d arm1 = grzVec3d_Sub(grzVec3d_FromVec3(body->now.center), pivotNow);
        const grzVec3d arm = grzVec3d_Scale(grzVec3d_Add(arm0, arm1), 0.5);
        const grzVec3d turn = grzVec3d_Sub(angularMomentum(body, &body->now), angularMomentum(body, &body->before));
        work += grzVec3d_Dot(velocity, push) + grzVec3d_Dot(spin, grzVec3d_Add(turn, grzVec3d_Cross(arm, push)));
    }
    return work;
}

// ---- laws ----

#define FAIL(scene, fault, ...) (snprintf((scene)->detail, sizeof(scene)->detail, __VA_ARGS__), (fault))

static Fault checkFinite(SoakScene* scene) {
    for (uint32_t i = 0; i < scene->bodyCount; ++i) {
        const grzBodyView* view = &scene->bodies[i].now;
        if (!grzVec3_IsFinite(view->center) || !grzVec3_IsFinite(view->velocity) || !grzVec3_IsFinite(view->spin) ||
            !grzQuat_IsUnit(view->rotation))
            return FAIL(scene, notFinite, "body %u", i);
    }
    return noFault;
}

static Fault checkPlaces(SoakScene* scene) {
    for (uint32_t i = 0; i < scene->bodyCount && scene->room > 0; ++i)
        if (isMoving(&scene->bodies[i]) && (double)grzMaxElement(grzAbs(scene->bodies[i].now.center)) > scene->room)
            return FAIL(scene, escape, "body %u is out of the room", i);
    for (uint32_t i = 0; i < scene->holdCount; ++i) {
        const SoakBody *body = &scene->bodies[scene->holds[i].body], *shell = &scene->bodies[scene->holds[i].shell];
        const grzVec3d at = grzVec3d_FromVec3(grzTransform_ApplyInverse(poseOf(&shell->now), body->now.center));
        const grzVec3d inner = shell->solid->inner;
        if (fabs(at.x) > inner.x || fabs(at.y) > inner.y || fabs(at.z) > inner.z)
            return FAIL(scene, escape, "body %u is out of shell %u", scene->holds[i].body, scene->holds[i].shell);
    }
    return noFault;
}

static bool turnsFar(const SoakBody* body) {
    return fabs((double)grzQuat_Dot(body->before.rotation, body->now.rotation)) < cos(0.5);
}

static Fault checkSides(SoakScene* scene) {
    for (uint32_t i = 0; i < scene->sideCount; ++i) {
        SoakSide* side = &scene->sides[i];
        const SoakBody *body = &scene->bodies[side->body], *plate = &scene->bodies[side->plate];
        if (side->isOver)
            continue;
        const grzVec3d from =
            grzVec3d_FromVec3(grzTransform_ApplyInverse(poseOf(&plate->before), body->before.center));
        const grzVec3d to = grzVec3d_FromVec3(grzTransform_ApplyInverse(poseOf(&plate->now), body->now.center));
        const grzVec3d half = plate->solid->half;
        if (turnsFar(plate))
            side->isOver = true;
        if (side->isOver || to.y * side->side > 0)
            continue;
        const grzVec3d at = grzVec3d_Lerp(from, to, from.y / (from.y - to.y));
        if (fabs(at.x) < 0.85 * half.x && fabs(at.z) < 0.85 * half.z)
            return FAIL(scene, tunnel, "body %u is behind plate %u", side->body, side->plate);
        side->isOver = true;
    }
    return noFault;
}

static int linksOf(const SoakScene* scene, uint32_t i, uint32_t k) {
    const SoakBody *a = &scene->bodies[i], *b = &scene->bodies[k];
    if (a->solid->loop > 0 && b->solid->loop > 0)
        return linkingOf(placed(a), placed(b));
    if (b->solid->loop == 0 || scene->pole != i + 1)
        return 0;
    const grzTransform pose = poseOf(&a->now);
    const grzVec3 half = grzVec3_Make(0, (float)(a->solid->half.y), 0);
    return linkingOfSegment(placed(b), grzVec3d_FromVec3(grzTransform_Apply(pose, grzNeg(half))),
                            grzVec3d_FromVec3(grzTransform_Apply(pose, half)));
}

static bool isNearPoleEnd(const SoakScene* scene, const SoakBody* body) {
    if (scene->pole == 0)
        return false;
    const SoakBody* pole = &scene->bodies[scene->pole - 1];
    const grzVec3 at = grzTransform_ApplyInverse(poseOf(&pole->now), body->now.center);
    return fabs((double)at.y) > pole->solid->half.y - 2 * body->solid->size;
}

static Fault checkLinks(SoakScene* scene) {
    for (uint32_t i = 0; i < scene->bodyCount && scene->keepsLinks; ++i)
        for (uint32_t k = 0; k < scene->bodyCount; ++k) {
            if (i == k || (i > k && scene->pole != i + 1))
                continue;
            const int links = linksOf(scene, i, k);
            if (links != scene->links[i][k] && !isNearPoleEnd(scene, &scene->bodies[k]))
                return FAIL(scene, tunnel, "links of %u and %u are %d, not %d", i, k, links, scene->links[i][k]);
            scene->links[i][k] = links; // what leaves a pole at its end is off it
        }
    return noFault;
}

// How deep the middle of a body lies in it.
static double coreOf(const SoakBody* body) {
    return -distanceTo(body->solid, body->solid->mass.center);
}

static Fault checkPassing(SoakScene* scene) {
    if (!scene->passes)
        return noFault;
    const SoakBody *a = &scene->bodies[0], *b = &scene->bodies[1];
    const grzVec3d from = grzVec3d_FromVec3(grzSub(b->before.center, a->before.center));
    const grzVec3d way = grzVec3d_Sub(grzVec3d_FromVec3(grzSub(b->now.center, a->now.center)), from);
    const double t = -grzVec3d_Dot(from, way) / fmax(grzVec3d_LengthSq(way), 1e-300);
    const double cores = coreOf(a) + coreOf(b);
    const double nearest = grzVec3d_Length(grzVec3d_Add(from, grzVec3d_Scale(way, t)));
    if (t > 0 && t < 1 && nearest < 0.5 * cores)
        return FAIL(scene, tunnel, "the middles pass within %.3g of %.3g", nearest, cores);
    return noFault;
}

static Fault checkEnergy(SoakScene* scene) {
    const double kinetic = kineticEnergyOfAll(scene), potential = potentialEnergyOfAll(scene);
    double more = 0;
    if (scene->driver != 0)
        more = workOfDriver(scene);
    scene->work += more;
    scene->energyScale += fabs(more);
    const double gain = kinetic + potential - scene->energyAtFirst - scene->work;
    const double share = gain / (scene->energyScale + kinetic);
    scene->energySeen = fmax(scene->energySeen, share);
    if (scene->keepsEnergy && share > 0.05)
        return FAIL(scene, energy, "%.3g J more than %.3g J", gain, scene->energyScale);
    return noFault;
}

static Fault checkMomentum(SoakScene* scene) {
    double scale;
    const grzVec3d change = grzVec3d_Sub(momentumOfAll(scene, &scale), scene->momentumAtFirst);
    const double share = grzVec3d_Length(change) / (scene->momentumScale + scale);
    if (scene->keepsMomentum && share > 1e-3)
        return FAIL(scene, unbalanced, "%.3g of the sum of all", share);
    return noFault;
}

// The unit of depths: the thickness of the smaller body, or of the one that moves. An edge of a plate may lie deeper
// for a moment.
static double depthUnit(const SoakBody* a, const SoakBody* b, bool isCalm) {
    const bool isFirst = !isMoving(b) || (isMoving(a) && a->solid->size < b->solid->size);
    const Solid* solid = isFirst ? a->solid : b->solid;
    return isCalm ? solid->thickness : fmax(solid->thickness, 0.25 * solid->size);
}

static Fault checkDepths(SoakScene* scene) {
    const bool isCalm = scene->calmStep > 0 && scene->step >= scene->calmStep;
    for (uint32_t i = 0; i < scene->bodyCount && scene->deepest > 0; ++i)
        for (uint32_t k = 0; k < i; ++k) {
            const SoakBody *a = &scene->bodies[i], *b = &scene->bodies[k];
            if (!isMoving(a) && !isMoving(b))
                continue;
            const double unit = depthUnit(a, b, isCalm), deep = depthOf(placed(a), placed(b)) / unit;
            scene->depthSeen = fmax(scene->depthSeen, deep);
            if (deep > (isCalm ? fmin(0.25, scene->deepest) : scene->deepest))
                return FAIL(scene, depth, "%u and %u, by %.3g times %.3g", k, i, deep, unit);
        }
    return noFault;
}

static Fault checkStill(SoakScene* scene) {
    const double time = (scene->step + 1) * (double)scene->timeStep;
    for (uint32_t i = 0; i < scene->bodyCount; ++i) {
        const SoakBody* body = &scene->bodies[i];
        const double lost = (double)grzDistance(
            body->now.velocity, grzAddScaled(body->first.velocity, (float)time, scene->def.gravity));
        if (body->falls && lost > 0.02 * time * (double)grzLength(scene->def.gravity) + 1e-3 * scene->size)
            return FAIL(scene, braked, "body %u, by %.3g m/s after %.3g s", i, lost, time);
        if (body->stays &&
            (double)grzDistance(body->now.center, body->first.center) > 0.05 * scene->size + 0.001) // contacts give
            return FAIL(scene, moved, "body %u, of size %.3g, by %.3g", i, scene->size,
                        (double)grzDistance(body->now.center, body->first.center));
    }
    return noFault;
}

// Whether the velocity has changed by more than free fall and damping explain.
static bool isPushed(const SoakScene* scene, const SoakBody* body) {
    const grzVec3 fallen = grzAddScaled(body->before.velocity, scene->timeStep, scene->def.gravity);
    const double speed =
        (double)grzLength(body->before.velocity) + (double)(scene->timeStep * grzLength(scene->def.gravity));
    const double change = (double)grzDistance(body->now.velocity, fallen);
    return isMoving(body) && change > (1e-3 + (double)(body->damping * scene->timeStep)) * speed;
}

static Fault checkEvents(SoakScene* scene) {
    const grzWorldContacts found = grzWorld_GetContacts(scene->world);
    for (uint32_t i = 0; i < scene->bodyCount; ++i) {
        const SoakBody* body = &scene->bodies[i];
        bool isReported = !isPushed(scene, body);
        for (size_t k = 0; k < found.eventCount && !isReported; ++k) {
            const grzEvent* event = &found.events[k];
            isReported = event->kind != grz_endEvent &&
                         (grzBodyId_IsSame(event->bodyA, body->id) || grzBodyId_IsSame(event->bodyB, body->id));
        }
        if (!isReported)
            return FAIL(scene, unreported, "body %u, from %.3g to %.3g m/s", i,
                        (double)grzLength(body->before.velocity), (double)grzLength(body->now.velocity));
    }
    return noFault;
}

// What the listed impulses did to a body.
static grzVec3d listedImpulse(const grzWorldContacts* found, grzBodyId id, double* scale) {
    grzVec3d sum = grzVec3d_Make(0, 0, 0);
    for (size_t k = 0; k < found->contactCount; ++k) {
        const grzContact* contact = &found->contacts[k];
        const bool isA = grzBodyId_IsSame(contact->bodyA, id), isB = grzBodyId_IsSame(contact->bodyB, id);
        if (isA == isB)
            continue;
        const grzVec3 push = grzAddScaled(found->frictions[k], found->impulses[k], contact->normal);
        sum = grzVec3d_Add(sum, grzVec3d_Scale(grzVec3d_FromVec3(push), isB ? 1 : -1));
        *scale += (double)grzLength(push);
    }
    return sum;
}

static Fault checkBalance(SoakScene* scene) {
    const grzWorldContacts found = grzWorld_GetContacts(scene->world);
    const grzVec3d fall = grzVec3d_Scale(grzVec3d_FromVec3(scene->def.gravity), (double)scene->timeStep);
    for (uint32_t i = 0; i < scene->bodyCount; ++i) {
        const SoakBody* body = &scene->bodies[i];
        if (!isMoving(body) || body->damping > 0)
            continue;
        const grzVec3d v0 = grzVec3d_FromVec3(body->before.velocity), v1 = grzVec3d_FromVec3(body->now.velocity);
        const double rounding = 1e-3; // within the step overlaps are undone at such speeds, and more
        double scale = body->mass * (grzVec3d_Length(v0) + grzVec3d_Length(v1) + grzVec3d_Length(fall) + rounding);
        const grzVec3d change = grzVec3d_Scale(grzVec3d_Sub(grzVec3d_Sub(v1, v0), fall), body->mass);
        const grzVec3d off = grzVec3d_Sub(change, listedImpulse(&found, body->id, &scale));
        if (grzVec3d_Length(off) > 1e-3 * scale)
            return FAIL(scene, unbalanced, "body %u, by %.3g of %.3g N s", i, grzVec3d_Length(off), scale);
    }
    return noFault;
}

static double fastest(const SoakScene* scene) {
    double most = 0;
    for (uint32_t i = 0; i < scene->bodyCount; ++i)
        if (isMoving(&scene->bodies[i]))
            most = fmax(most, (double)grzLength(scene->bodies[i].now.velocity) +
                                  (double)grzLength(scene->bodies[i].now.spin) * scene->bodies[i].solid->size);
    return most;
}

static Fault checkAll(SoakScene* scene) {
    static Fault (*const laws[])(SoakScene*) = {checkFinite,  checkPlaces,   checkSides,  checkLinks,
                                                checkPassing, checkMomentum, checkEnergy, checkStill,
                                                checkEvents,  checkBalance,  checkDepths};
    Fault fault = noFault;
    for (size_t i = 0; i < sizeof laws / sizeof *laws && fault == noFault; ++i)
        fault = laws[i](scene);
    if (scene->step >= scene->steps - 60)
        scene->slowest = fmin(scene->slowest, fastest(scene));
    return fault;
}

// ---- running ----

static double processorSeconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static void lookAtFirst(SoakScene* scene) {
    look(scene);
    for (uint32_t i = 0; i < scene->bodyCount; ++i) {
        SoakBody* body = &scene->bodies[i];
        body->before = body->first = body->now;
        // What overlaps by a hundredth of its size may come free.
        scene->energyScale += 0.01 * body->mass * body->solid->size * (double)grzLength(scene->def.gravity);
    }
    for (uint32_t i = 0; i < scene->bodyCount && scene->keepsLinks; ++i)
        for (uint32_t k = 0; k < scene->bodyCount; ++k)
            if (i != k)
                scene->links[i][k] = linksOf(scene, i, k);
    const double kinetic = kineticEnergyOfAll(scene);
    scene->energyAtFirst = kinetic + potentialEnergyOfAll(scene) + scene->allowance;
    scene->energyScale += kinetic;
    scene->momentumAtFirst = momentumOfAll(scene, &scene->momentumScale);
    scene->slowest = (double)INFINITY;
}

Fault runSoakScene(SoakScene* scene) {
    Fault fault = noFault;
    lookAtFirst(scene);
    for (scene->step = 0; scene->step < scene->steps && fault == noFault; ++scene->step) {
        const double began = processorSeconds();
        const grzResult result = grzWorld_Step(scene->world, scene->timeStep);
        const double seconds = processorSeconds() - began;
        scene->secondsSeen = fmax(scene->secondsSeen, seconds);
        if (!grzResult_IsOk(result)) {
            grzResult_Text(result, scene->detail, sizeof scene->detail);
            return refusal;
        }
        look(scene);
        fault = checkAll(scene);
        if (fault == noFault && seconds > 2)
            fault = FAIL(scene, slow, "%.1f s", seconds);
    }
    if (fault == noFault && scene->unrestSpeed > 0 && scene->slowest > scene->unrestSpeed)
        fault = FAIL(scene, unrest, "%.3g m/s at the end", scene->slowest);
    return fault;
}
