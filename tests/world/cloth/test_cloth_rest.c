// Cloth under load: heavy bodies come to rest on it, where the geometry says, and gain nothing on the way.
#include <math.h>

#include "cloth_inside.h"
#include "cloth_testing.h"

typedef enum Frame { hammock, taut, slack } Frame; // four corners; the rim; the rim, drawn together

typedef struct Load {
    Frame frame;
    uint32_t squares;
    float mass, friction;
} Load;

typedef struct Loaded {
    ClothScene scene;
    uint32_t ball;
} Loaded;

#define RADIUS 0.3f

static uint32_t listRim(uint32_t n, bool isCorners, uint32_t* pins) {
    uint32_t count = 0;
    for (uint32_t row = 0; row <= n; ++row)
        for (uint32_t column = 0; column <= n; ++column) {
            const bool isRow = row == 0 || row == n, isColumn = column == 0 || column == n;
            if (isCorners ? isRow && isColumn : isRow || isColumn)
                pins[count++] = row * (n + 1) + column;
        }
    return count;
}

static void drawTogether(ClothScene* scene, const uint32_t* pins, uint32_t count, float share) {
    for (uint32_t k = 0; k < count; ++k) {
        const grzVec3 at = clothVertex(scene, pins[k]);
        const float to[3] = {at.x * share, at.y, at.z * share};
        assert_int_equal(grzClothBody_MovePins(scene->cloth, k, 1, to).status, grz_ok);
    }
}

static void begin(Loaded* loaded, Load load) {
    uint32_t pins[256];
    const uint32_t count = listRim(load.squares, load.frame == hammock, pins);
    grzClothDef def = grzDefaultClothDef();
    def.damping = 2, def.friction = load.friction, def.pins = pins, def.pinCount = count;
    clothSceneBegin(&loaded->scene, clothSheet(load.squares, load.squares, 2, 2), def);
    const float volume = 4.0f / 3 * 3.14159265f * RADIUS * RADIUS * RADIUS;
    loaded->ball =
        clothSceneAdd(&loaded->scene, grzMakeSphere(grzVec3_Zero(), RADIUS), grzVec3_Make(0.02f, RADIUS + 0.05f, 0),
                      grzQuat_Identity(), load.mass / volume, load.friction);
    if (load.frame != taut)
        drawTogether(&loaded->scene, pins, count, load.frame == hammock ? 0.85f : 0.9f);
}

static float greatestSpeed(Loaded* loaded, uint32_t steps) {
    float most = 0;
    for (uint32_t i = 0; i < steps; ++i) {
        clothSceneStep(&loaded->scene);
        most = fmaxf(most, grzLength(loaded->scene.states[loaded->ball].velocity));
    }
    return most;
}

static float nearestVertex(const Loaded* loaded) {
    float nearest = INFINITY;
    for (uint32_t v = 0; v < loaded->scene.cloth->vertexCount; ++v)
        nearest =
            fminf(nearest, grzDistance(clothVertex(&loaded->scene, v), loaded->scene.states[loaded->ball].center));
    return nearest;
}

// Of the ball and the cloth; gravity counts from y = 0.
static double energyOf(const Loaded* loaded) {
    const ClothScene* scene = &loaded->scene;
    const grzBodyState* state = &scene->states[loaded->ball];
    const grzBodyMass* mass = &scene->masses[loaded->ball];
    double energy = 0.5 * (double)grzLengthSq(state->velocity) / (double)mass->inverseMass +
                    0.5 * (double)grzLengthSq(state->spin) / (double)mass->inverseInertia[0] +
                    9.81 * (double)state->center.y / (double)mass->inverseMass +
                    grzClothBody_GetView(scene->cloth).kineticEnergy;
    for (uint32_t v = 0; v < scene->cloth->vertexCount; ++v) {
        const double weight = (double)scene->cloth->now.data[(size_t)4 * v + 3];
        energy += weight > 0 ? 9.81 * (double)clothVertex(scene, v).y / weight : 0;
    }
    return energy;
}

// ---- rest ----

// 5 and 50 kilograms on 0.1 to 0.2 of cloth under them: both rest, and at nearly one height, since nothing stretches.
static void test_heavy_balls_come_to_rest(void** state) {
    (void)state;
    const float masses[2] = {5, 50};
    int calm = 0;
    for (int frame = hammock; frame <= slack; ++frame) {
        float heights[2];
        for (int i = 0; i < 2; ++i) {
            Loaded loaded;
            begin(&loaded, (Load){(Frame)frame, 12, masses[i], 0.6f});
            clothSceneRun(&loaded.scene, 840); // some roll on slowly for ten seconds
            const grzVec3 from = loaded.scene.states[loaded.ball].center;
            const float speed = greatestSpeed(&loaded, 60);
            const float moved = grzDistance(from, loaded.scene.states[loaded.ball].center);
            printf("[   rest   ] frame %d, %g kg: %.5f a second\n", frame, (double)masses[i], (double)speed);
            assert_true(speed < 0.005f && moved < 0.002f); // with 5 g of cloth at one point that comes and goes
            assert_true(nearestVertex(&loaded) > RADIUS + 0.004f);
            assert_true(grzClothBody_GetView(loaded.scene.cloth).greatestStretch < 0.1f);
            calm += speed < 0.001f;
            heights[i] = loaded.scene.states[loaded.ball].center.y;
            clothSceneEnd(&loaded.scene);
        }
        assert_true(fabsf(heights[1] - heights[0]) < 0.015f);
    }
    assert_true(calm >= 4);
}

// What falls in does not come out with more than it fell with.
static void test_no_load_gains_energy(void** state) {
    (void)state;
    const float masses[3] = {0.1f, 5, 100};
    for (int frame = hammock; frame <= slack; ++frame)
        for (int i = 0; i < 3; ++i) {
            Loaded loaded;
            begin(&loaded, (Load){(Frame)frame, 12, masses[i], 0.6f});
            clothSceneRun(&loaded.scene, 10); // pins have come to where they stay
            const double start = energyOf(&loaded);
            double least = start;
            const double scale = 9.81 * ((double)masses[i] + 0.8);
            for (int step = 0; step < 420; ++step) {
                clothSceneStep(&loaded.scene);
                const double energy = energyOf(&loaded);
                assert_true(energy < start + 0.02 * scale);                // two centimetres of its height
                assert_true(step < 300 || energy < least + 0.005 * scale); // and it does not hop for ever
                least = step < 300 ? energy : fmin(least, energy);
            }
            clothSceneEnd(&loaded.scene);
        }
}

// Without friction the impulses that contacts tell carry the ball's weight, no more and no less.
static void test_contacts_carry_the_weight(void** state) {
    (void)state;
    const float masses[2] = {5, 50};
    for (int i = 0; i < 2; ++i) {
        Loaded loaded;
        begin(&loaded, (Load){slack, 12, masses[i], 0});
        clothSceneRun(&loaded.scene, 420);
        double given = 0;
        for (int step = 0; step < 60; ++step) {
            clothSceneStep(&loaded.scene);
            const grzContactSpan found = grzClothBody_GetContacts(loaded.scene.cloth);
            for (uint32_t k = 0; k < found.count; ++k)
                given += (double)grzContactSpan_Impulse(&found, k) *
                         fabs((double)grzContactSpan_At(&found, k)->normal.y);
        }
        assert_true(fabs(given / (9.81 * (double)masses[i]) - 1) < 0.01);
        clothSceneEnd(&loaded.scene);
    }
}

// ---- how far it is pressed down ----

// How deep the middle of a roll lies in a band of no weight over two edges `reach` to its sides, of `half` of length each.
static double depthOfRoll(double half, double reach, double radius) {
    double low = radius, high = half;
    for (int i = 0; i < 60; ++i) {
        const double depth = 0.5 * (low + high), far = hypot(reach, depth);
        const double angle = atan2(depth, reach) + asin(radius / far);
        if (sqrt(far * far - radius * radius) + radius * angle < half)
            low = depth;
        else
            high = depth;
    }
    return low;
}

static void test_a_band_is_pressed_down_as_far_as_it_is_long(void** state) {
    (void)state;
    enum { rows = 24, columns = 4 };
    uint32_t pins[2 * (columns + 1)];
    for (uint32_t k = 0; k <= columns; ++k)
        pins[k] = k, pins[columns + 1 + k] = rows * (columns + 1) + k;
    const float masses[3] = {0.5f, 5, 50}; // the band weighs 0.16
    for (int i = 0; i < 3; ++i) {
        grzClothDef def = grzDefaultClothDef();
        def.damping = 2, def.pins = pins, def.pinCount = 2 * (columns + 1);
        Loaded loaded;
        clothSceneBegin(&loaded.scene, clothSheet(rows, columns, 0.4f, 2), def);
        const float radius = 0.12f, volume = 3.14159265f * radius * radius * (0.2f + 4.0f / 3 * radius);
        loaded.ball = clothSceneAdd(
            &loaded.scene, grzMakeCapsule(grzVec3_Make(-0.1f, 0, 0), grzVec3_Make(0.1f, 0, 0), radius),
            grzVec3_Make(0, radius + 0.02f, 0), grzQuat_Identity(), masses[i] / volume, 0.5f);
        for (uint32_t k = 0; k < 2 * (columns + 1); ++k) {
            const grzVec3 at = clothVertex(&loaded.scene, pins[k]);
            const float to[3] = {at.x, 0, 0.8f * at.z};
            assert_int_equal(grzClothBody_MovePins(loaded.scene.cloth, k, 1, to).status, grz_ok);
        }
        const grzBodyState held = loaded.scene.states[loaded.ball];
        for (int step = 0; step < 60; ++step) { // until the band hangs
            loaded.scene.states[loaded.ball] = held;
            clothSceneStep(&loaded.scene);
        }
        clothSceneRun(&loaded.scene, 360);
        const double wanted = depthOfRoll(1, 0.8, (double)radius + 0.005);
        const double depth = -(double)loaded.scene.states[loaded.ball].center.y;
        printf("[   depth  ] %g kg: %.4f, wanted %.4f\n", (double)masses[i], depth, wanted);
        assert_true(fabs(depth - wanted) < 0.005);
        clothSceneEnd(&loaded.scene);
    }
}

// ---- what stands still ----

// Fine cloth in a hammock over a ball that does not move: with a plane a step for each triangle it shook for ever.
static void test_cloth_on_a_ball_comes_to_rest(void** state) {
    (void)state;
    enum { n = 30 };
    uint32_t pins[4];
    const uint32_t count = listRim(n, true, pins);
    grzClothDef def = grzDefaultClothDef();
    def.damping = 0.5f, def.pins = pins, def.pinCount = count;
    ClothScene scene;
    clothSceneBegin(&scene, clothSheet(n, n, 2, 2), def);
    clothSceneAdd(&scene, grzMakeSphere(grzVec3_Zero(), 0.3f), grzVec3_Make(0.02f, -0.45f, 0), grzQuat_Identity(),
                  0, 0.6f);
    drawTogether(&scene, pins, count, 0.85f);
    clothSceneRun(&scene, 420);
    assert_true(grzClothBody_GetView(scene.cloth).kineticEnergy < 5e-5);
    const grzContactSpan found = grzClothBody_GetContacts(scene.cloth);
    uint32_t pressing = 0;
    for (uint32_t i = 0; i < found.count; ++i) {
        assert_true(grzContactSpan_At(&found, i)->separation > -2e-4f);
        pressing += grzContactSpan_Impulse(&found, i) > 0;
    }
    assert_true(pressing > 10);
    clothSceneEnd(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heavy_balls_come_to_rest),
        cmocka_unit_test(test_no_load_gains_energy),
        cmocka_unit_test(test_contacts_carry_the_weight),
        cmocka_unit_test(test_a_band_is_pressed_down_as_far_as_it_is_long),
        cmocka_unit_test(test_cloth_on_a_ball_comes_to_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
