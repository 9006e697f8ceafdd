// A box before the shin of a walking figure, as the two meet in step 129 of examples/scenes/walker.json: its contacts are about as deep
// as the shortest way out of the limb.
#include "contact_depth.h"
#include "expected_failure.h"
#include "file_error.h"
#include "scene.h"
#include "world_testing.h"

enum { meetingStep = 129, limbCount = 6, boxSlot = 1, figureSlot = 2 };

// The floor and the figure of walker.json, and one box.
static const char g_scene[] =
    "{\"graze_scene\": 1,"
    " \"bodies\": ["
    "  {\"kind\": \"static\", \"shape\": {\"box\": [40, 0.5, 20]}, \"at\": [10, -0.5, 0]},"
    "  {\"shape\": {\"box\": [0.2, 0.2, 0.2]}, \"at\": [0, 50, 0], \"gravity_scale\": 0}],"
    " \"animated\": ["
    "  {\"walker\": {\"triangles\": 20000, \"height\": 4, \"speed\": 2.2}, \"at\": [-3, 0.02, 0], "
    "\"keyframes_per_second\": 6}]}";

static void walk(Scene* scene) {
    FileError error;
    if (!Scene_Step(scene, &error))
        fail_msg("%s", error.text);
}

// Where the box of walker.json is at the start of the step.
static void placeBox(grzWorld* world) {
    const grzBodyId box = grzWorld_BodyAt(world, boxSlot);
    must(grzWorld_PlaceBody(world, box, grzVec3_Make(2.46787572f, 0.254633814f, -0.216167316f),
                            (grzQuat){0.000301599037f, -0.0294638164f, -0.0775057822f, 0.996556461f}));
    must(grzWorld_SetVelocity(world, box, grzVec3_Make(5.38827848f, 0.170089275f, 0.132328242f),
                              grzVec3_Make(-0.25821957f, -0.247744486f, -0.141080156f)));
}

// How much deeper a contact says that it is than the shortest way out of the limb, where the figure is now. All limbs have as many
// triangles and vertices.
static double beyondWayOut(const Scene* scene, const grzContact* contact, const RefSolid* box) {
    const grzMeshView mesh = grzMesh_GetView(scene->looks.data[figureSlot].ownMesh);
    const size_t count = mesh.vertexCount / limbCount;
    const size_t limb = contact->triangleB / (mesh.triangleCount / limbCount);
    grzAnimatedView figure;
    must(grzWorld_GetAnimated(scene->world, grzWorld_BodyAt(scene->world, figureSlot), &figure));
    return -(double)contact->separation - leastEscape(figure.positions + 3 * limb * count, count, box);
}

static void contactsWithAShinAreAsDeepAsTheWayOut(void** state) {
    const SceneSetup setup = {0};
    Scene scene;
    FileError error;
    RefSolid box;
    double beyond = 0;
    size_t contactCount = 0;
    (void)state;
    if (!Scene_LoadBytes(&scene, g_scene, sizeof g_scene - 1, "shin", &setup, &error))
        fail_msg("%s", error.text);
    for (int step = 0; step < meetingStep; ++step)
        walk(&scene);
    placeBox(scene.world);
    const grzBodyView view = viewOf(scene.world, grzWorld_BodyAt(scene.world, boxSlot));
    refMake(&scene.looks.data[boxSlot].shape, poseOf(&view), &box);
    walk(&scene);
    const grzWorldContacts found = grzWorld_GetContacts(scene.world);
    for (size_t i = 0; i < found.contactCount; ++i)
        if (slotOf(found.contacts[i].bodyA) == boxSlot && slotOf(found.contacts[i].bodyB) == figureSlot) {
            beyond = fmax(beyond, beyondWayOut(&scene, &found.contacts[i], &box));
            ++contactCount;
        }
    Scene_Release(&scene);
    assert_true(contactCount > 0);
    assertAtMost("depth of a contact beyond the shortest way out in m", beyond, 0.1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contactsWithAShinAreAsDeepAsTheWayOut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
