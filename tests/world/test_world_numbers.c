// Every number of every def, from the smallest float to the largest: it is refused by a sentence, or the world stays finite.
#include <float.h>
#include <math.h>

#include "cloth_inside.h"
#include "world_inside.h"
#include "world_testing.h"

static const float g_numbers[] = {0,      1e-45f, 1e-40f, FLT_MIN, 1e-36f,  1e-30f,   1e-24f,
                                  1e-18f, 1e-12f, 1e-6f,  1e-3f,   1e3f,    1e6f,     1e12f,
                                  1e18f,  1e24f,  1e30f,  1e36f,   FLT_MAX, INFINITY, NAN};
enum { NUMBERS = sizeof g_numbers / sizeof *g_numbers, STEPS = 6 };

typedef struct Field {
    const char* name;
    size_t offset;
} Field;

typedef struct Defs {
    grzWorldDef world;
    grzBodyDef body;
    grzClothDef cloth;
    grzAnimatedDef animated;
    float timeStep;
} Defs;

#define FIELD(name)                                                                                                \
    { #name, offsetof(Defs, name) }

static const Field g_fields[] = {
    FIELD(world.gravity.x),
    FIELD(world.gravity.y),
    FIELD(world.margin),
    FIELD(world.marginShare),
    FIELD(world.contactHertz),
    FIELD(world.contactDampingRatio),
    FIELD(world.pushSpeed),
    FIELD(world.restitutionThreshold),
    FIELD(body.origin.x),
    FIELD(body.origin.y),
    FIELD(body.rotation.x),
    FIELD(body.velocity.x),
    FIELD(body.velocity.y),
    FIELD(body.spin.x),
    FIELD(body.spin.z),
    FIELD(body.density),
    FIELD(body.friction),
    FIELD(body.restitution),
    FIELD(body.gravityScale),
    FIELD(body.linearDamping),
    FIELD(body.angularDamping),
    FIELD(body.shape.a.y),
    FIELD(body.shape.b.x),
    FIELD(body.shape.b.y),
    FIELD(body.shape.radius),
    FIELD(cloth.origin.x),
    FIELD(cloth.origin.y),
    FIELD(cloth.rotation.y),
    FIELD(cloth.density),
    FIELD(cloth.thickness),
    FIELD(cloth.stretchCompliance),
    FIELD(cloth.bendCompliance),
    FIELD(cloth.damping),
    FIELD(cloth.friction),
    FIELD(animated.friction),
    FIELD(animated.restitution),
    FIELD(timeStep),
};
enum { FIELDS = sizeof g_fields / sizeof *g_fields, SHAPES = 4 };

// Two triangles of the cloth are pinned whole, so that nothing yields in the bend between them.
static const uint32_t g_pins[4] = {0, 1, 11, 12};

static Defs makeDefs(int shape) {
    const grzConvex shapes[SHAPES] = {
        grzMakeSphere(grzVec3_Zero(), 0.3f),
        grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.3f)),
        grzMakeCapsule(grzVec3_Make(0, -0.2f, 0), grzVec3_Make(0, 0.2f, 0), 0.2f),
        {0},
    };
    Defs defs;
    memset(&defs, 0, sizeof defs);
    defs.world = grzDefaultWorldDef();
    defs.world.idSalt = 7;
    defs.body = grzDefaultBodyDef();
    defs.body.shape = shapes[shape];
    defs.body.mesh = shape == 3 ? g_kit.crateShape : NULL;
    defs.body.origin = grzVec3_Make(0.1f, 0.8f, 0);
    defs.cloth = grzDefaultClothDef();
    defs.cloth.mesh = g_kit.sheet;
    defs.cloth.origin = grzVec3_Make(0, 0.4f, 0);
    defs.cloth.pins = g_pins, defs.cloth.pinCount = 4;
    defs.animated = grzDefaultAnimatedDef();
    defs.animated.mesh = g_kit.crate;
    defs.timeStep = 1.0f / 60;
    return defs;
}

// ---- finite ----

static bool areFinite(const float* numbers, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (!isfinite(numbers[i]))
            return false;
    return true;
}

// NULL, or what is not finite.
static const char* flawOf(grzWorld* world) {
    for (uint32_t slot = 0; slot < grzWorld_SlotCount(world); ++slot) {
        const grzBodyView view = viewOf(world, grzWorld_BodyAt(world, slot));
        if (!areFinite(&view.origin.x, 3) || !areFinite(&view.rotation.x, 4) || !areFinite(&view.velocity.x, 3) ||
            !areFinite(&view.spin.x, 3) || !isfinite(view.mass) || !areFinite(&view.box.lower.x, 3) ||
            !areFinite(&view.box.upper.x, 3))
            return "a body";
    }
    for (size_t i = 0; i < world->clothSlots.count; ++i) {
        const grzClothBody* cloth = world->colliders.data[grzWorld_RowOf(world, world->clothSlots.data[i])].cloth;
        grzClothView view;
        must(grzWorld_GetCloth(world, grzWorld_BodyAt(world, world->clothSlots.data[i]), &view));
        if (!areFinite(view.positions, 3 * (size_t)view.vertexCount) ||
            !areFinite(view.velocities, 3 * (size_t)view.vertexCount) || !isfinite(view.kineticEnergy) ||
            !isfinite(view.greatestStretch))
            return "a cloth";
        if (!areFinite(cloth->now.data, cloth->now.count)) // with the rows behind those of the vertices
            return "a row of a cloth";
    }
    const grzWorldContacts found = grzWorld_GetContacts(world);
    for (size_t i = 0; i < found.contactCount; ++i)
        if (!areFinite(&found.contacts[i].point.x, 3) || !areFinite(&found.contacts[i].normal.x, 3) ||
            !isfinite(found.contacts[i].separation) || !isfinite(found.impulses[i]))
            return "a contact";
    return grzWorld_Validate(world) ? NULL : "not valid";
}

// ---- worlds ----

static void mustSayWhy(grzResult result, const char* what) {
    char text[160];
    (void)grzResult_Text(result, text, sizeof text);
    if ((result.status != grz_badArgument && result.status != grz_notFinite) || strlen(text) < 10)
        fail_msg("%s: status %d: %s", what, (int)result.status, text);
}

static bool isTaken(grzResult result, const char* what) {
    if (!grzResult_IsOk(result))
        mustSayWhy(result, what);
    return grzResult_IsOk(result);
}

// False where a def is refused.
static bool fill(grzWorld* world, const Defs* defs, const char* what) {
    grzBodyId id;
    addFloor(world, 0.6f);
    return isTaken(grzWorld_AddBody(world, &defs->body, &id), what) &&
           isTaken(grzWorld_AddCloth(world, &defs->cloth, &id), what) &&
           isTaken(grzWorld_AddAnimated(world, &defs->animated, &id), what);
}

// How many steps were done. A step may be refused for the time step alone; then nothing has moved.
static int run(const Defs* defs, const char* what) {
    grzWorld* world;
    int steps = 0;
    if (!isTaken(grzWorld_Create(&defs->world, &world), what))
        return 0;
    const bool isFull = fill(world, defs, what);
    for (int step = 0; step < STEPS && isFull; ++step) {
        steps += isTaken(grzWorld_Step(world, defs->timeStep), what);
        const char* flaw = flawOf(world);
        if (flaw != NULL)
            fail_msg("%s: %s is not finite after step %d", what, flaw, step);
    }
    grzWorld_Destroy(world);
    return steps;
}

static void test_everyNumberOfEveryDef(void** state) {
    (void)state;
    int taken[FIELDS] = {0};
    const size_t share = testCount(testSize(2, 6), 1);
    for (int shape = 0; shape < SHAPES; ++shape)
        for (int field = 0; field < FIELDS; ++field)
            for (int number = 0; number < 2 * NUMBERS; ++number) {
                Defs defs = makeDefs(shape);
                float value = number % 2 == 0 ? g_numbers[number / 2] : -g_numbers[number / 2];
                // Of the numbers of a body, all shapes; of the others, one. The quick form has some of the numbers,
                // other ones for each field and shape.
                if (strncmp(g_fields[field].name, "body.", 5) != 0 && shape != 1)
                    continue;
                if ((size_t)(number / 2 + field + shape) % share != 0)
                    continue;
                char what[100];
                snprintf(what, sizeof what, "shape %d, %s %g", shape, g_fields[field].name, (double)value);
                memcpy((char*)&defs + g_fields[field].offset, &value, sizeof value);
                taken[field] += run(&defs, what) > 0;
            }
    for (int field = 0; field < FIELDS; ++field)
        if (taken[field] == 0 && share <= 2)
            fail_msg("%s: no number is taken", g_fields[field].name);
}

// Compliances are divided by the square of a substep: with each size of one, too.
static void test_compliancesAtAllPaces(void** state) {
    (void)state;
    static const float paces[] = {1e-12f, 1e-6f, 1e-3f, 1};
    for (int pace = 0; pace < 4; ++pace)
        for (int number = 0; number < NUMBERS; ++number) {
            Defs defs = makeDefs(0);
            char what[100];
            snprintf(what, sizeof what, "compliances of %g, steps of %g", (double)g_numbers[number],
                     (double)paces[pace]);
            defs.cloth.bendCompliance = defs.cloth.stretchCompliance = g_numbers[number];
            defs.timeStep = paces[pace];
            run(&defs, what);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everyNumberOfEveryDef),
        cmocka_unit_test(test_compliancesAtAllPaces),
    };
    return cmocka_run_group_tests(tests, makeWorldKit, destroyWorldKit);
}
