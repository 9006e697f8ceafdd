// Rings of triangles: chains of them stay linked. Told by places alone: whether the middle line of each ring goes through the disc of
// the next.
#include "expected_failure.h"
#include "world_testing.h"

enum { around = 32, across = 12, linePoints = 256, mostRings = 20 };

#define PI 3.14159265358979

typedef struct Ring {
    double radius, tube;
    grzMesh* mesh;
    grzMeshShape* shape;
} Ring;

// Around the z axis.
static Ring makeRing(double radius, double tube) {
    float positions[3 * around * across];
    uint32_t triangles[6 * around * across];
    for (int i = 0; i < around; ++i) {
        for (int j = 0; j < across; ++j) {
            const double a = 2 * PI * i / around, b = 2 * PI * j / across, out = radius + tube * cos(b);
            float* at = positions + 3 * (i * across + j);
            at[0] = (float)(out * cos(a)), at[1] = (float)(out * sin(a)), at[2] = (float)(tube * sin(b));
            const uint32_t next = (uint32_t)((i + 1) % around * across), own = (uint32_t)(i * across);
            const uint32_t side = (uint32_t)j, beside = (uint32_t)((j + 1) % across);
            const uint32_t corners[6] = {own + side, next + side,   next + beside,
                                         own + side, next + beside, own + beside};
            memcpy(triangles + 6 * (i * across + j), corners, sizeof corners);
        }
    }
    grzMeshDef def = grzDefaultMeshDef();
    Ring ring = {.radius = radius, .tube = tube};
    def.positions = positions, def.vertexCount = around * across;
    def.indices = triangles, def.triangleCount = 2 * around * across;
    must(grzMesh_Create(&def, &ring.mesh));
    ring.shape = meshShapeOf(ring.mesh);
    return ring;
}

static void freeRing(const Ring* ring) {
    grzMeshShape_Destroy(ring->shape);
    grzMesh_Destroy(ring->mesh);
}

// ---- chains ----

// A point of b's middle line, in the frame of a.
static grzVec3 linePoint(const Ring* ring, const grzBodyView* a, const grzBodyView* b, int k) {
    const double angle = 2 * PI * k / linePoints;
    const grzVec3 own = grzVec3_Make((float)(ring->radius * cos(angle)), (float)(ring->radius * sin(angle)), 0);
    const grzVec3 there = grzAdd(b->origin, grzQuat_Rotate(b->rotation, own));
    return grzQuat_RotateInverse(a->rotation, grzSub(there, a->origin));
}

// Whether b's middle line goes through a's disc once more from one side than from the other.
static bool areLinked(const Ring* ring, const grzBodyView* a, const grzBodyView* b) {
    grzVec3 before = linePoint(ring, a, b, 0);
    int through = 0;
    for (int k = 1; k <= linePoints; ++k) {
        const grzVec3 point = linePoint(ring, a, b, k);
        if ((before.z < 0) != (point.z < 0)) {
            const grzVec3 at = grzLerp(before, point, before.z / (before.z - point.z));
            if (hypot((double)at.x, (double)at.y) < ring->radius)
                through += point.z < 0 ? 1 : -1;
        }
        before = point;
    }
    return through == 1 || through == -1;
}

// A chain hangs by its first ring and falls from the horizontal. Returns how many of its links part in four seconds.
static int countParted(const Ring* ring, int count, int stepsPerSecond) {
    grzWorld* world = makeWorld(NULL);
    grzBodyId ids[mostRings];
    bool isParted[mostRings] = {false};
    int parted = 0;
    for (int i = 0; i < count; ++i) {
        grzBodyDef def = grzDefaultBodyDef();
        def.kind = i == 0 ? grz_staticBody : grz_dynamicBody;
        def.mesh = ring->shape;
        def.origin = grzVec3_Make((float)((2 * ring->radius - 2.5 * ring->tube) * i), 0, 0);
        if (i % 2 == 1)
            def.rotation = grzQuat_FromAxisAngle(grzVec3_Make(1, 0, 0), (float)(PI / 2));
        ids[i] = addBody(world, &def);
    }
    for (int step = 0; step < 4 * stepsPerSecond; ++step) {
        must(grzWorld_Step(world, 1.0f / (float)stepsPerSecond));
        for (int i = 0; i + 1 < count; ++i) {
            const grzBodyView a = viewOf(world, ids[i]), b = viewOf(world, ids[i + 1]);
            isParted[i] |= !areLinked(ring, &a, &b);
        }
    }
    for (int i = 0; i + 1 < count; ++i)
        parted += isParted[i];
    grzWorld_Destroy(world);
    return parted;
}

static void chainsHold(void** state) {
    (void)state;
    static const int counts[] = {3, 6, 10, 20}, rates[] = {50, 60, 80};
    const Ring ring = makeRing(0.5, 0.12);
    int parted = 0;
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k)
            parted += countParted(&ring, counts[i], rates[k]);
    freeRing(&ring);
    assertAtMost("links of 105 that part", parted, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chainsHold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
