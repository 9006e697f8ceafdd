// A model of rings of points, each ring joined to the next, as two of the examples have it.
#ifndef GRAZE_EXAMPLES_RING_MODEL_H
#define GRAZE_EXAMPLES_RING_MODEL_H

#include <graze/graze.h>

enum { mostRings = 40, mostSides = 60 };

// At most mostRings by mostSides. pointOn: where point `side` of a ring lies.
static grzResult makeRingModel(uint32_t rings, uint32_t sides, grzVec3 (*pointOn)(uint32_t ring, uint32_t side),
                               grzModel** model) {
    static float positions[mostRings * mostSides * 3];
    static uint32_t triangles[(mostRings - 1) * mostSides * 6];
    uint32_t count = 0;
    for (uint32_t i = 0; i < rings * sides; ++i)
        grzVec3_Store(&positions[3 * i], pointOn(i / sides, i % sides));
    for (uint32_t i = 0; i < (rings - 1) * sides; ++i) {
        uint32_t right = i / sides * sides + (i + 1) % sides;
        uint32_t corners[6] = {i, right, i + sides, right, right + sides, i + sides};
        for (int k = 0; k < 6; ++k)
            triangles[count++] = corners[k];
    }
    grzModelDef def = grzDefaultModelDef();
    def.positions = positions, def.vertexCount = rings * sides;
    def.triangles = triangles, def.triangleCount = count / 3;
    return grzModel_Create(&def, model);
}

#endif
