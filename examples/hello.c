// A world with a ground and a box that falls on it; prints where the box comes to rest. Uses public headers only.
#include <graze/graze.h>

#include <stdio.h>

static grzResult addBoxes(grzWorld* world, grzBodyId* crate) {
    grzBodyId ground;
    grzBodyDef def = grzDefaultBodyDef();
    def.kind = grz_staticBody;
    def.shape = grzMakeBox(grzVec3_Zero(), grzVec3_Make(10, 0.5f, 10)); // half of its sides
    def.origin = grzVec3_Make(0, -0.5f, 0);
    grzResult result = grzWorld_AddBody(world, &def, &ground);
    if (!grzResult_IsOk(result))
        return result;
    def = grzDefaultBodyDef();
    def.shape = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.5f));
    def.origin = grzVec3_Make(0, 4, 0);
    return grzWorld_AddBody(world, &def, crate);
}

static grzResult runWorld(grzWorld* world, grzBodyView* body) {
    grzBodyId crate;
    grzResult result = addBoxes(world, &crate);
    for (int step = 0; step < 180 && grzResult_IsOk(result); ++step) {
        result = grzWorld_Step(world, 1.0f / 60);
        grzWorldContacts found = grzWorld_GetContacts(world);
        for (size_t i = 0; i < found.eventCount; ++i)
            if (found.events[i].kind == grz_beginEvent)
                printf("step %d: body %u touches body %u\n", step, (unsigned)found.events[i].bodyA,
                       (unsigned)found.events[i].bodyB);
    }
    return grzResult_IsOk(result) ? grzWorld_GetBody(world, crate, body) : result;
}

int main(void) {
    grzWorldDef def = grzDefaultWorldDef();
    grzWorld* world;
    grzBodyView body;
    char text[128];
    grzResult result = grzWorld_Create(&def, &world);
    if (grzResult_IsOk(result))
        result = runWorld(world, &body);
    grzWorld_Destroy(world);
    if (!grzResult_IsOk(result))
        return fprintf(stderr, "hello: %s\n", grzResult_Text(result, text, sizeof text)), 2;
    printf("the box rests at (%.3f, %.3f, %.3f)\n", (double)body.origin.x, (double)body.origin.y,
           (double)body.origin.z);
    return body.origin.y > 0.49f && body.origin.y < 0.51f && grzLength(body.velocity) < 0.01f ? 0 : 1;
}
