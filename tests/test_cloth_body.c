#include <stdio.h>
#include "cloth_testing.h"

static void try1(void** state) {
    (void)state;
    ClothScene s;
    grzClothDef def = grzDefaultClothDef();
    const uint32_t n = 20;
    const uint32_t pins[2] = {0, n};
    def.pins = pins; def.pinCount = 2;
    clothSceneBegin(&s, clothSheet(n, n, 1, 1), def);
    for (int i = 0; i < 600; ++i) {
        clothSceneStep(&s);
        if (i % 60 == 0) {
            grzClothView v = grzClothBody_GetView(s.cloth);
            printf("hang %d e %g stretch %g low %g\n", i, v.kineticEnergy, v.greatestStretch, clothLowest(&s));
        }
    }
    clothSceneEnd(&s);
}
static void try2(void** state) {
    (void)state;
    ClothScene s;
    grzClothDef def = grzDefaultClothDef();
    def.origin.y = 1.2f;
    clothSceneBegin(&s, clothSheet(40, 40, 2, 2), def);
    clothSceneAdd(&s, grzMakeBox(grzVec3_Zero(), grzVec3_Make(.5f, .5f, .5f)), grzVec3_Make(0, .5f, 0), grzQuat_Identity(), 0, .6f);
    for (int i = 0; i < 600; ++i) {
        clothSceneStep(&s);
        if (i % 60 == 0) {
            grzClothView v = grzClothBody_GetView(s.cloth);
            float in = 1;
            for (uint32_t k = 0; k < v.vertexCount; ++k) { grzVec3 p = clothVertex(&s, k); float d = fmaxf(fmaxf(fabsf(p.x) - .5f, fabsf(p.z)-.5f), fabsf(p.y - .5f) - .5f); in = fminf(in, d);}
            printf("box %d e %g stretch %g low %g contacts %u in %g\n", i, v.kineticEnergy, v.greatestStretch, clothLowest(&s), grzClothBody_GetContacts(s.cloth).count, in);
        }
    }
    clothSceneEnd(&s);
}
static void try3(void** state) {
    (void)state;
    for (int heavy = 0; heavy < 3; ++heavy) {
    ClothScene s;
    grzClothDef def = grzDefaultClothDef();
    const uint32_t n = 20;
    const uint32_t pins[4] = {0, n, n*(n+1), n*(n+1)+n};
    def.pins = pins; def.pinCount = 4;
    clothSceneBegin(&s, clothSheet(n, n, 2, 2), def);
    float vol = 4.0f/3*3.14159f*.027f;
    uint32_t b = clothSceneAdd(&s, grzMakeSphere(grzVec3_Zero(), .3f), grzVec3_Make(0.05f, .5f, 0), grzQuat_Identity(), (heavy == 0 ? .1f : heavy == 1 ? 5 : 100)/vol, .6f);
    for (int i = 0; i < 600; ++i) {
        clothSceneStep(&s);
        if (i % 60 == 0 || (i >30 && i < 40)) {
            grzClothView v = grzClothBody_GetView(s.cloth);
            printf("ball %d e %g stretch %g low %g contacts %u ball %g %g %g v %g\n", i, v.kineticEnergy, v.greatestStretch, clothLowest(&s), grzClothBody_GetContacts(s.cloth).count, s.states[b].center.x, s.states[b].center.y, s.states[b].center.z, s.states[b].velocity.y);
        }
    }
    clothSceneEnd(&s);
    }
}
int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(try1), cmocka_unit_test(try2), cmocka_unit_test(try3) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
