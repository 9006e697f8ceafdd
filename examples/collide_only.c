// A host with dynamics of its own: it moves balls in a box of walls itself, tells the world where they are, and lets it find
// what touches what. Its answer to contacts is the simplest there is: each pushes the balls apart and turns the speed around
// that brings them together. Uses public headers only.
#include <graze/graze.h>

#include <stdio.h>

enum { ballCount = 40, wallCount = 6, bodyCount = wallCount + ballCount, stepCount = 300 };

static const float radius = 0.5f, room = 5.0f, timeStep = 1.0f / 60;

typedef struct Ball {
    grzVec3 position, velocity;
} Ball;

// In a new world slots count up from 0, so bodies 0 to 5 are the walls and the others the balls, in the order they came in.
typedef struct Host {
    grzWorld* world;
    grzBodyId ids[bodyCount];
    Ball balls[ballCount];
    size_t begun, ended, touching;
} Host;

static grzResult addBody(Host* host, int slot, grzBodyKind kind, grzConvex shape, grzVec3 origin) {
    grzBodyDef def = grzDefaultBodyDef();
    def.kind = kind;
    def.shape = shape;
    def.origin = origin;
    return grzWorld_AddBody(host->world, &def, &host->ids[slot]);
}

static grzResult addWalls(Host* host) {
    grzResult result = {0};
    for (int i = 0; i < wallCount && grzResult_IsOk(result); ++i) {
        float place[3] = {0}, half[3] = {room + 1, room + 1, room + 1};
        place[i / 2] = (room + 1) * (i % 2 == 0 ? -1.0f : 1.0f);
        half[i / 2] = 1;
        const grzConvex wall = grzMakeBox(grzVec3_Zero(), grzVec3_Load(half));
        result = addBody(host, i, grz_staticBody, wall, grzVec3_Load(place));
    }
    return result;
}

// Kinematic: the world never moves them by itself.
static grzResult addBalls(Host* host) {
    grzResult result = {0};
    for (int i = 0; i < ballCount && grzResult_IsOk(result); ++i) {
        Ball* ball = &host->balls[i];
        ball->position =
            grzVec3_Make(-3.5f + 1.7f * (float)(i % 5), -3 + 2 * (float)(i / 20), -3 + 2 * (float)(i / 5 % 4));
        ball->velocity = grzVec3_Make(grzSin((float)i), grzCos(3.0f * (float)i), grzSin(2.0f * (float)i));
        result =
            addBody(host, wallCount + i, grz_kinematicBody, grzMakeSphere(grzVec3_Zero(), radius), ball->position);
    }
    return result;
}

static grzResult moveBalls(Host* host) {
    grzResult result = {0};
    for (int i = 0; i < ballCount && grzResult_IsOk(result); ++i) {
        Ball* ball = &host->balls[i];
        ball->velocity = grzAddScaled(ball->velocity, timeStep, grzVec3_Make(0, -9.81f, 0));
        ball->position = grzAddScaled(ball->position, timeStep, ball->velocity);
        result = grzWorld_PlaceBody(host->world, host->ids[wallCount + i], ball->position, grzQuat_Identity());
    }
    return result;
}

static Ball* ballOf(Host* host, grzBodyId id) {
    return id.index1 > wallCount ? &host->balls[id.index1 - 1 - wallCount] : NULL;
}

// Normals run from A to B. A wall gives way to nothing, so its ball takes the whole correction.
static void answer(Host* host, const grzContact* contact) {
    if (contact->separation > 0)
        return;
    Ball *a = ballOf(host, contact->bodyA), *b = ballOf(host, contact->bodyB);
    const grzVec3 zero = grzVec3_Zero();
    const float closing =
        grzDot(grzSub(b != NULL ? b->velocity : zero, a != NULL ? a->velocity : zero), contact->normal);
    const float share = a != NULL && b != NULL ? 0.5f : 1.0f;
    const float turn = closing < 0 ? -1.6f * share * closing : 0, push = -share * contact->separation;
    if (a != NULL) {
        a->velocity = grzAddScaled(a->velocity, -turn, contact->normal);
        a->position = grzAddScaled(a->position, -push, contact->normal);
    }
    if (b != NULL) {
        b->velocity = grzAddScaled(b->velocity, turn, contact->normal);
        b->position = grzAddScaled(b->position, push, contact->normal);
    }
}

static grzResult step(Host* host) {
    grzResult result = moveBalls(host);
    if (grzResult_IsOk(result))
        result = grzWorld_Collide(host->world, timeStep);
    if (!grzResult_IsOk(result))
        return result;
    const grzWorldContacts found = grzWorld_GetContacts(host->world);
    for (size_t i = 0; i < found.contactCount; ++i)
        answer(host, &found.contacts[i]);
    host->touching = 0;
    for (size_t i = 0; i < found.eventCount; ++i) {
        host->begun += found.events[i].kind == grz_beginEvent;
        host->ended += found.events[i].kind == grz_endEvent;
        host->touching += found.events[i].kind != grz_endEvent;
    }
    return result;
}

static bool areAllInside(const Host* host) {
    const float most = room - radius + 0.3f;
    bool isInside = true;
    for (int i = 0; i < ballCount; ++i) {
        const grzVec3 p = grzAbs(host->balls[i].position);
        isInside = isInside && p.x < most && p.y < most && p.z < most;
    }
    return isInside;
}

int main(void) {
    Host host = {0};
    const grzWorldDef def = grzDefaultWorldDef();
    grzResult result = grzWorld_Create(&def, &host.world);
    if (grzResult_IsOk(result))
        result = addWalls(&host);
    if (grzResult_IsOk(result))
        result = addBalls(&host);
    for (int i = 0; i < stepCount && grzResult_IsOk(result); ++i)
        result = step(&host);
    grzWorld_Destroy(host.world);
    char text[128];
    if (!grzResult_IsOk(result))
        return fprintf(stderr, "collide_only: %s\n", grzResult_Text(result, text, sizeof text)), 2;
    printf("%zu touches began, %zu ended, %zu pairs touch now\n", host.begun, host.ended, host.touching);
    const bool isInside = areAllInside(&host);
    printf("the balls are %s the walls\n", isInside ? "within" : "beyond");
    return isInside && host.touching > 0 && host.begun - host.ended == host.touching ? 0 : 1;
}
