// The step that the example makes of the six stages, beside a world with the same bodies: the same motion and the same contacts.
#define main main_of_example
int main_of_example(void);
#include "../../examples/own_step.c"
#undef main

#include "testing.h"

static void addBox(grzWorld* world, grzBodyKind kind, grzVec3 center, grzVec3 half) {
    grzBodyDef def = grzDefaultBodyDef();
    grzBodyId id;
    def.kind = kind, def.origin = center, def.shape = grzMakeBox(grzVec3_Zero(), half);
    def.density = 1;
    assert_true(grzResult_IsOk(grzWorld_AddBody(world, &def, &id)));
}

static grzWorld* makeWorldOf(const Host* host) {
    grzWorldDef def = grzDefaultWorldDef();
    grzWorld* world;
    def.margin = margin, def.gravity = gravity;
    assert_true(grzResult_IsOk(grzWorld_Create(&def, &world)));
    for (uint32_t i = 0; i < bodyCount; ++i)
        addBox(world, i < boxCount ? grz_dynamicBody : grz_staticBody, host->states[i].center,
               host->posed[i].shape.b);
    return world;
}

static void goesAsTheWorldDoes(void** state) {
    (void)state;
    static Host host;
    float load = 0, farthest = 0;
    memset(&host, 0, sizeof host);
    assert_true(makeHost(&host));
    grzWorld* world = makeWorldOf(&host);
    for (int frame = 0; frame < frameCount; ++frame) {
        assert_true(findPairs(&host) && findTouches(&host) && solve(&host, &load));
        assert_true(grzResult_IsOk(grzWorld_Step(world, timeStep)));
        const grzWorldContacts found = grzWorld_GetContacts(world);
        assert_int_equal(grzStepPairs_ContactCount(&host.pairs), found.contactCount);
        for (size_t i = 0; i < found.contactCount; ++i) {
            assert_true(host.contacts[i].bodyA.index1 == found.contacts[i].bodyA.index1 &&
                        host.contacts[i].bodyB.index1 == found.contacts[i].bodyB.index1);
            assert_true(host.contacts[i].featureA == found.contacts[i].featureA);
        }
        for (size_t i = 0; i < found.eventCount; ++i)
            assert_true(host.events[i].kind == found.events[i].kind);
        for (uint32_t i = 0; i < boxCount; ++i) {
            grzBodyView view;
            assert_true(grzResult_IsOk(grzWorld_GetBody(world, grzWorld_BodyAt(world, i), &view)));
            const float distance = grzDistance(view.center, host.states[i].center);
            farthest = distance > farthest ? distance : farthest;
        }
    }
    assert_true(farthest < 1e-5f);
    grzWorld_Destroy(world);
    grzContactSolver_Destroy(host.solver);
    grzTouches_Destroy(host.touches);
    grzPairTable_Destroy(host.table);
    grzTreePairs_Destroy(host.finder);
    grzTree_Destroy(host.tree);
}

static void theExampleIsContent(void** state) {
    (void)state;
    assert_int_equal(main_of_example(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goesAsTheWorldDoes),
        cmocka_unit_test(theExampleIsContent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
