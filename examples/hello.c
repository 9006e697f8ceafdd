// A world with a ground and a box that falls on it; prints how hard the box hits the ground, and where it comes to
// rest. Uses public headers only.
#include <graze/graze.h>

#include <stdio.h>

static grzResult addBoxes(grzWorld* world, grzBodyId* ground, grzBodyId* crate) {
    grzBodyDef def = grzDefaultBodyDef();
    def.kind = grz_staticBody;
    def.shape = grzMakeBox(grzVec3_Zero(), grzVec3_Make(10, 0.5f, 10)); // half of its sides
    def.origin = grzVec3_Make(0, -0.5f, 0);
    grzResult result = grzWorld_AddBody(world, &def, ground);
    if (!grzResult_IsOk(result))
        return result;
    def = grzDefaultBodyDef();
    def.shape = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.5f));
    def.origin = grzVec3_Make(0, 4, 0);
    return grzWorld_AddBody(world, &def, crate);
}

static void printHits(grzHitList list, grzBodyId ground, grzBodyId crate, int step) {
    for (size_t i = 0; i < list.count; ++i)
        if (grzBodyId_IsSame(list.hits[i].bodyA, ground) && grzBodyId_IsSame(list.hits[i].bodyB, crate))
            printf("step %d: the box hits the ground at %.1f m/s, with %.0f N s\n", step,
                   (double)list.hits[i].approachSpeed, (double)list.hits[i].impulse);
}

static grzResult runWorld(grzWorld* world, grzBodyView* body) {
    grzBodyId ground, crate;
    grzResult result = addBoxes(world, &ground, &crate);
    for (int step = 0; step < 180 && grzResult_IsOk(result); ++step) {
        result = grzWorld_Step(world, 1.0f / 60);
        if (grzResult_IsOk(result)) // a step that is refused has no hits
            printHits(grzWorld_GetHits(world), ground, crate, step);
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
