// Mesh shapes: mass against convex shapes and formulas, cores against all triangles, meshes that enclose nothing,
// refusals, an allocator that fails.
#include "testing.h"

#include <float.h>
#include <math.h>

#include "mass_frame.h"
#include "mesh_shape.h"
#include "nearest.h"
#include "shapes.h"

static grzMesh* meshOf(const void* positions, grzNumberType type, size_t vertexCount, const uint32_t* triangles,
                       size_t triangleCount) {
    grzMeshDef def = grzDefaultMeshDef();
    def.positions = positions, def.vertexCount = vertexCount, def.positionType = type;
    def.indices = triangles, def.triangleCount = triangleCount;
    grzMesh* mesh;
    assert_true(grzResult_IsOk(grzMesh_Create(&def, &mesh)));
    return mesh;
}

static const uint32_t g_boxTriangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                            2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

static grzMesh* boxMesh(grzVec3 center, grzVec3 half, bool isInsideOut, uint32_t triangleCount) {
    float positions[24];
    uint32_t triangles[36];
    for (int i = 0; i < 8; ++i) {
        positions[3 * i] = center.x + ((i & 1) != 0 ? half.x : -half.x);
        positions[3 * i + 1] = center.y + ((i & 2) != 0 ? half.y : -half.y);
        positions[3 * i + 2] = center.z + ((i & 4) != 0 ? half.z : -half.z);
    }
    for (int i = 0; i < 36; ++i)
        triangles[i] = g_boxTriangles[isInsideOut ? 35 - i : i];
    return meshOf(positions, grz_float32, 8, triangles, triangleCount);
}

typedef struct Heard {
    uint32_t count;
    grzLogLevel level;
    char text[512];
} Heard;

static void hear(void* context, grzLogLevel level, const char* text) {
    Heard* heard = context;
    heard->count++;
    heard->level = level;
    snprintf(heard->text, sizeof heard->text, "%s", text);
}

static grzMass massOf(grzMesh* mesh, bool isClosed) {
    grzMeshShape* shape;
    assert_true(grzResult_IsOk(grzMeshShape_Create(mesh, (grzAllocator){0}, &shape)));
    const grzMass mass = grzMeshShape_Mass(shape);
    assert_int_equal(shape->isClosed, isClosed);
    grzMeshShape_Destroy(shape);
    grzMesh_Destroy(mesh);
    return mass;
}

static void assertNear(double value, double expected, double room) {
    if (!(fabs(value - expected) <= room))
        fail_msg("%.17g is not %.17g to %g", value, expected, room);
}

static void assertSame(const grzMass* mass, const grzMass* expected, double part) {
    const double volume = expected->volume, size = cbrt(volume), inertia = volume * size * size;
    assertNear(mass->volume, volume, part * volume);
    assertNear(grzVec3d_Length(grzVec3d_Sub(mass->center, expected->center)), 0, part * size);
    assertNear(grzVec3d_Length(grzVec3d_Sub(mass->diagonal, expected->diagonal)), 0, part * inertia);
    assertNear(grzVec3d_Length(grzVec3d_Sub(mass->mixed, expected->mixed)), 0, part * inertia);
}

// Where the sizes are sums of few powers of two, a mesh is the very box.
static void test_boxes(void** state) {
    (void)state;
    static const float offsets[] = {0, 1, -64, 4096};
    for (int i = 0; i < 4; ++i) {
        const grzVec3 center = grzVec3_Make(offsets[i], -offsets[i] / 2, offsets[i] + 3);
        const grzVec3 half = grzVec3_Make(0.5f, 1.25f, 2);
        const grzConvex box = grzMakeBox(center, half);
        const grzMass expected = grzConvex_Mass(&box), mass = massOf(boxMesh(center, half, false, 12), true);
        assertSame(&mass, &expected, 1e-13);
        grzMassFrame frame;
        assert_true(grzMassFrame_Make(&mass, &frame));
        assert_true(frame.rotation.w == 1 && frame.rotation.x == 0);
    }
}

static grzMesh* shapeMesh(ShapeKind kind, size_t count, bool isMirrored) {
    MeshData data;
    assert_true(grzResult_IsOk(makeShape(kind, count, grzDefaultAllocator(), &data)));
    for (size_t i = 0; i < data.vertexCount && isMirrored; ++i)
        ((float*)data.positions)[3 * i] *= -1;
    grzMeshDef def = MeshData_Def(&data);
    grzMesh* mesh;
    assert_true(grzResult_IsOk(grzMesh_Create(&def, &mesh)));
    MeshData_Release(&data);
    return mesh;
}

// What is enclosed lies inside the ball, and comes near it as triangles become small.
static void test_balls(void** state) {
    (void)state;
    const grzConvex ball = grzMakeSphere(grzVec3_Zero(), 1);
    const grzMass expected = grzConvex_Mass(&ball), few = massOf(shapeMesh(shapeSphere, 500, false), true),
                  many = massOf(shapeMesh(shapeSphere, 20000, false), true);
    assert_true(few.volume < many.volume && many.volume < expected.volume);
    assertSame(&many, &expected, 2e-3);
    assertNear(few.volume, expected.volume, 0.05 * expected.volume);
    grzMassFrame frame;
    assert_true(grzMassFrame_Make(&many, &frame));
}

// A torus sweeps its circle along a ring, of radii that the mesh tells: volume 2 pi^2 R r^2, about the axis
// volume (R^2 + 3/4 r^2), across it volume (R^2 / 2 + 5/8 r^2).
static void test_torus(void** state) {
    (void)state;
    grzMesh* mesh = shapeMesh(shapeTorus, 40000, false);
    const grzBoxd bounds = grzMesh_GetView(mesh).bounds;
    const grzVec3d size = grzVec3d_Scale(grzVec3d_Sub(bounds.upper, bounds.lower), 0.5);
    const double sizes[3] = {size.x, size.y, size.z};
    int axis = 0;
    for (int i = 1; i < 3; ++i)
        axis = sizes[i] < sizes[axis] ? i : axis;
    const double r = sizes[axis], ring = sizes[(axis + 1) % 3] - r, pi = 3.14159265358979;
    const double volume = 2 * pi * pi * ring * r * r;
    const grzMass mass = massOf(mesh, true);
    const double moments[3] = {mass.diagonal.x, mass.diagonal.y, mass.diagonal.z};
    assertNear(mass.volume, volume, 3e-3 * volume);
    for (int i = 0; i < 3; ++i) {
        const double moment = i == axis ? ring * ring + 0.75 * r * r : ring * ring / 2 + 0.625 * r * r;
        assertNear(moments[i], volume * moment, 6e-3 * volume * moment);
    }
    assertNear(grzVec3d_Length(mass.center), 0, 1e-6);
}

// Two boxes in one mesh are the sum of both, by the parallel axis theorem.
static void test_two_pieces(void** state) {
    (void)state;
    float positions[48];
    uint32_t triangles[72];
    for (int i = 0; i < 16; ++i) {
        const float x = i < 8 ? -3.0f : 3.0f;
        positions[3 * i] = x + ((i & 1) != 0 ? 1.0f : -1.0f);
        positions[3 * i + 1] = (i & 2) != 0 ? 1.0f : -1.0f;
        positions[3 * i + 2] = (i & 4) != 0 ? 1.0f : -1.0f;
    }
    for (uint32_t i = 0; i < 72; ++i)
        triangles[i] = g_boxTriangles[i % 36] + (i < 36 ? 0 : 8);
    const grzMass mass = massOf(meshOf(positions, grz_float32, 16, triangles, 24), true);
    assertNear(mass.volume, 16, 1e-13);
    assertNear(mass.diagonal.x, 16 * 2.0 / 3, 1e-12);
    assertNear(mass.diagonal.y, 16 * (2.0 / 3 + 9), 1e-11);
    assertNear(grzVec3d_Length(mass.center), 0, 1e-14);
}

// Open, turned against itself, inside out, flat: zeros, and isClosed tells which.
static void test_what_encloses_nothing(void** state) {
    (void)state;
    const grzVec3 half = grzVec3_Splat(1);
    const grzMass zeros = {0};
    grzMass mass = massOf(boxMesh(half, half, false, 11), false);
    assert_memory_equal(&mass, &zeros, sizeof mass);
    mass = massOf(boxMesh(half, half, true, 12), true);
    assert_memory_equal(&mass, &zeros, sizeof mass);
    mass = massOf(shapeMesh(shapeSphere, 500, true), true);
    assert_memory_equal(&mass, &zeros, sizeof mass);
    mass = massOf(boxMesh(half, grzVec3_Make(1, 0, 1), false, 12), true);
    assert_memory_equal(&mass, &zeros, sizeof mass);
    float positions[24];
    uint32_t triangles[36];
    memcpy(triangles, g_boxTriangles, sizeof triangles);
    triangles[0] = 2, triangles[1] = 0;
    for (int i = 0; i < 24; ++i)
        positions[i] = (float)(i / 3 >> i % 3 & 1);
    mass = massOf(meshOf(positions, grz_float32, 8, triangles, 12), false);
    assert_memory_equal(&mass, &zeros, sizeof mass);
}

// What is made fits together, in the mesh's numbers.
static void test_parts(void** state) {
    (void)state;
    grzMesh* mesh = boxMesh(grzVec3_Make(1, 2, 3), grzVec3_Make(1, 2, 3), false, 12);
    grzMeshShape* shape;
    assert_true(grzResult_IsOk(grzMeshShape_Create(mesh, (grzAllocator){0}, &shape)));
    assert_true(shape->box.lower.x == 0 && shape->box.upper.z == 6 && shape->box.upper.y == 4);
    assert_true(grzModel_Validate(shape->model, shape->positions, 0));
    assert_memory_equal(shape->positions, shape->view.positions32, 24 * sizeof(float));
    assert_non_null(shape->edges);
    grzMeshShape_Destroy(shape);
    grzMeshShape_Destroy(NULL);
    grzMesh_Destroy(mesh);
}

static void test_refusals(void** state) {
    (void)state;
    grzMeshShape* shape = (grzMeshShape*)&shape;
    assert_int_equal(grzMeshShape_Create(NULL, (grzAllocator){0}, &shape).status, grz_badArgument);
    assert_null(shape);
    grzMesh* none = meshOf(NULL, grz_float32, 0, NULL, 0);
    grzResult result = grzMeshShape_Create(none, (grzAllocator){0}, &shape);
    assert_true(result.status == grz_badArgument && result.value == 1);
    grzMesh_Destroy(none);
    grzMesh* box = boxMesh(grzVec3_Zero(), grzVec3_Splat(1), false, 12);
    const grzAllocator half = {NULL, testAllocate, NULL};
    result = grzMeshShape_Create(box, half, &shape);
    assert_true(result.status == grz_badArgument && result.value == 2);
    grzMesh_Destroy(box);
    double far[9] = {0, 0, 0, 1, 0, 0, 0, 0, 1e39};
    const uint32_t one[3] = {0, 1, 2};
    grzMesh* large = meshOf(far, grz_float64, 3, one, 1);
    result = grzMeshShape_Create(large, (grzAllocator){0}, &shape);
    assert_true(result.status == grz_notFinite && result.part == grz_partVertex && result.index == 2);
    assert_null(shape);
    grzMesh_Destroy(large);
}

static void test_failing_allocator(void** state) {
    (void)state;
    grzMesh* mesh = shapeMesh(shapeSphere, 300, false);
    bool isMade = false;
    for (size_t failAt = 0; !isMade; ++failAt) {
        TestMemory memory = {0, failAt, 0, 0};
        grzMeshShape* shape;
        const grzResult result = grzMeshShape_Create(mesh, testAllocator(&memory), &shape);
        isMade = grzResult_IsOk(result);
        assert_true(isMade || (result.status == grz_outOfMemory && shape == NULL));
        grzMeshShape_Destroy(shape);
        assert_int_equal(memory.liveCount, 0);
        assert_true(failAt > 3 || !isMade);
    }
    grzMesh_Destroy(mesh);
}

// Boxes in one mesh; which of them are inside out.
static grzMesh* boxesMesh(const grzVec3* centers, const float* halves, const bool* areInsideOut, uint32_t count) {
    static float positions[24 * 4];
    static uint32_t triangles[36 * 4];
    assert_true(count <= 4);
    for (uint32_t b = 0; b < count; ++b) {
        for (uint32_t i = 0; i < 8; ++i) {
            const float half = halves[b];
            const grzVec3 corner =
                grzVec3_Make((i & 1) != 0 ? half : -half, (i & 2) != 0 ? half : -half, (i & 4) != 0 ? half : -half);
            grzVec3_Store(positions + 24 * b + 3 * i, grzAdd(centers[b], corner));
        }
        for (uint32_t i = 0; i < 36; ++i)
            triangles[36 * b + i] = 8 * b + g_boxTriangles[areInsideOut[b] ? 35 - i : i];
    }
    return meshOf(positions, grz_float32, 8 * count, triangles, 12 * count);
}

// A closed component inside out is warned of, but not a hollow, nor what is open or flat.
static void test_insideOutIsWarnedOf(void** state) {
    (void)state;
    const grzVec3 far = grzVec3_Make(9, 0, 0), here = grzVec3_Zero();
    const struct {
        grzVec3 centers[3];
        float halves[3];
        bool areInsideOut[3];
        uint32_t count, insideOut, first;
    } cases[] = {
        {{here}, {1}, {false}, 1, 0, GRZ_MESH_NONE},
        {{here}, {1}, {true}, 1, 1, 0},
        {{here, far}, {1, 1}, {false, true}, 2, 1, 12},
        {{here, here}, {1, 0.5f}, {false, true}, 2, 0, GRZ_MESH_NONE}, // a hollow
        {{here, here}, {1, 0.5f}, {true, false}, 2, 1, 0},
        {{here, here, far}, {1, 0.5f, 2}, {true, true, true}, 3, 3, 0},
        {{here}, {1e-8f}, {true}, 1, 1, 0},
        {{here}, {0}, {true}, 1, 0, GRZ_MESH_NONE}, // flat
    };
    Heard heard;
    grzSetLogHook(hear, &heard);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        grzMesh* mesh = boxesMesh(cases[i].centers, cases[i].halves, cases[i].areInsideOut, cases[i].count);
        grzMeshWinding winding;
        assert_true(grzResult_IsOk(grzMesh_MeasureWinding(mesh, grzVec3_Make(0, 3, 0), &winding)));
        assert_int_equal(winding.insideOutCount, cases[i].insideOut);
        assert_int_equal(winding.firstInsideOut, cases[i].first);
        double area = 0;
        for (uint32_t b = 0; b < cases[i].count; ++b)
            area += 4 * (double)cases[i].halves[b] * (double)cases[i].halves[b];
        assertNear(winding.areaUp, area, 1e-6 * area);
        assertNear(winding.areaDown, area, 1e-6 * area);
        assertNear(winding.areaSideways, 4 * area, 1e-6 * area);
        heard.count = 0;
        (void)massOf(mesh, true);
        assert_int_equal(heard.count, cases[i].insideOut != 0);
        if (heard.count == 0)
            continue;
        char sentence[100];
        snprintf(sentence, sizeof sentence,
                 "%u closed components of a mesh are inside out (the first at triangle %u)", cases[i].insideOut,
                 cases[i].first);
        assert_int_equal(heard.level, grz_logWarning);
        assert_non_null(strstr(heard.text, sentence));
        assert_non_null(strstr(heard.text, "set isTwoSided"));
    }
    heard.count = 0;
    (void)massOf(boxMesh(here, grzVec3_Splat(1), true, 11), false); // open
    assert_int_equal(heard.count, 0);
    grzSetLogHook(NULL, NULL);
}

// An upright prism whose slopes are told apart at 45 degrees.
static void test_areasByFacing(void** state) {
    (void)state;
    static const uint32_t triangle[3] = {0, 1, 2};
    for (int degrees = 0; degrees <= 180; degrees += 10) {
        const double angle = degrees * 3.14159265358979 / 180;
        // Turned about x, its normal from y to z.
        const double positions[9] = {0, 0, 0, 0, -2 * sin(angle), 2 * cos(angle), 3, 0, 0};
        grzMesh* mesh = meshOf(positions, grz_float64, 3, triangle, 1);
        grzMeshWinding winding;
        assert_true(grzResult_IsOk(grzMesh_MeasureWinding(mesh, grzVec3_Make(0, 1, 0), &winding)));
        assertNear(winding.areaUp, degrees < 45 ? 3 : 0, 1e-12);
        assertNear(winding.areaDown, degrees > 135 ? 3 : 0, 1e-12);
        assertNear(winding.areaSideways, degrees > 45 && degrees < 135 ? 3 : 0, 1e-12);
        assert_int_equal(grzMesh_MeasureWinding(mesh, grzVec3_Zero(), &winding).status, grz_badArgument);
        grzMesh_Destroy(mesh);
    }
}

// ---- cores ----

static void cornersOf(const grzMeshShape* shape, size_t triangle, grzVec3d corners[3]) {
    for (size_t i = 0; i < 3; ++i)
        corners[i] =
            grzVec3d_FromVec3(grzVec3_Load(shape->positions + 3 * (size_t)shape->view.triangles[3 * triangle + i]));
}

// How far a point is from the nearest of all triangles.
static double distanceTo(const grzMeshShape* shape, grzVec3d point) {
    double least = (double)INFINITY, weights[3];
    for (size_t i = 0; i < shape->view.triangleCount; ++i) {
        grzVec3d corners[3], nearest = grzVec3d_Make(0, 0, 0);
        cornersOf(shape, i, corners);
        grzNearest_OnTriangle(corners, point, weights);
        for (int k = 0; k < 3; ++k)
            nearest = grzVec3d_Add(nearest, grzVec3d_Scale(corners[k], weights[k]));
        least = fmin(least, grzVec3d_Length(grzVec3d_Sub(nearest, point)));
    }
    return least;
}

// How often the surface goes around a point: the sum of the angles under which its triangles are seen
// [van Oosterom, Strackee, The Solid Angle of a Plane Triangle, IEEE TBME 1983].
static double windingAround(const grzMeshShape* shape, grzVec3d point) {
    double sum = 0;
    for (size_t i = 0; i < shape->view.triangleCount; ++i) {
        grzVec3d a[3];
        double length[3];
        cornersOf(shape, i, a);
        for (int k = 0; k < 3; ++k) {
            a[k] = grzVec3d_Sub(a[k], point);
            length[k] = grzVec3d_Length(a[k]);
        }
        const double triple = grzVec3d_Dot(a[0], grzVec3d_Cross(a[1], a[2]));
        sum += 2 * atan2(triple, length[0] * length[1] * length[2] + grzVec3d_Dot(a[0], a[1]) * length[2] +
                                     grzVec3d_Dot(a[1], a[2]) * length[0] + grzVec3d_Dot(a[2], a[0]) * length[1]);
    }
    return sum / (4 * 3.14159265358979);
}

static grzVec3d onAxis(const grzConvex* piece, double t) {
    return grzVec3d_Lerp(grzVec3d_FromVec3(piece->a),
                         grzVec3d_FromVec3(piece->kind == grz_capsuleShape ? piece->b : piece->a), t);
}

static void assertInside(const grzMeshShape* shape) {
    assert_true(shape->core.count > 0 && shape->core.thickness > 0);
    for (size_t i = 0; i < shape->core.count; ++i) {
        const grzConvex* piece = &shape->core.data[i];
        assert_true(piece->kind == grz_sphereShape || piece->kind == grz_capsuleShape);
        assert_true(piece->radius >= shape->core.thickness);
        for (int k = 0; k <= 8; ++k) {
            const grzVec3d point = onAxis(piece, k / 8.0);
            assertNear(windingAround(shape, point), 1, 1e-6);
            assert_true(distanceTo(shape, point) >= (double)piece->radius);
        }
    }
}

static grzMeshShape* coreShapeOf(grzMesh* mesh) {
    grzMeshShape* shape;
    assert_true(grzResult_IsOk(grzMeshShape_Create(mesh, (grzAllocator){0}, &shape)));
    return shape;
}

static void freeCoreShape(grzMeshShape* shape, grzMesh* mesh) {
    grzMeshShape_Destroy(shape);
    grzMesh_Destroy(mesh);
}

static void test_coresLieInside(void** state) {
    (void)state;
    const grzVec3 here = grzVec3_Make(3, -1, 2);
    grzMesh* meshes[] = {
        boxMesh(here, grzVec3_Splat(1), false, 12),
        boxMesh(here, grzVec3_Make(0.05f, 0.05f, 1), false, 12),
        boxMesh(here, grzVec3_Make(1, 0.01f, 1), false, 12),
        boxMesh(here, grzVec3_Make(1, 1, 3), false, 12),
        shapeMesh(shapeSphere, 300, false),
        shapeMesh(shapeTorus, 300, false),
        shapeMesh(shapeTorus, 5000, false),
    };
    for (size_t i = 0; i < sizeof meshes / sizeof meshes[0]; ++i) {
        grzMeshShape* shape = coreShapeOf(meshes[i]);
        assertInside(shape);
        freeCoreShape(shape, meshes[i]);
    }
}

// The core goes all around a ring, three quarters as thick as its tube, and leaves its hole free.
static void test_coreOfARing(void** state) {
    (void)state;
    static const size_t counts[] = {300, 1000, 5000, 20000};
    for (int i = 0; i < 4; ++i) {
        grzMesh* mesh = shapeMesh(shapeTorus, counts[i], false);
        grzMeshShape* shape = coreShapeOf(mesh);
        const grzVec3 half = grzScale(grzBox_Extent(shape->box), 0.5f), middle = grzBox_Center(shape->box);
        const double tube = (double)fminf(half.x, fminf(half.y, half.z)), ring = (double)grzMaxElement(half) - tube;
        const int axis = half.x < half.y && half.x < half.z ? 0 : half.y < half.z ? 1 : 2;
        assert_true((double)shape->core.thickness > 0.7 * tube);
        for (int k = 0; k < 360; ++k) {
            double at[3], least = (double)INFINITY;
            at[axis] = 0;
            at[(axis + 1) % 3] = ring * cos(k * 3.14159265358979 / 180);
            at[(axis + 2) % 3] = ring * sin(k * 3.14159265358979 / 180);
            const grzVec3d point = grzVec3d_Add(grzVec3d_FromVec3(middle), grzVec3d_Make(at[0], at[1], at[2]));
            for (size_t p = 0; p < shape->core.count; ++p) {
                const grzVec3d a = onAxis(&shape->core.data[p], 0), b = onAxis(&shape->core.data[p], 1);
                least = fmin(least, grzNearest_SegmentDistance(grzVec3d_Sub(point, a), grzVec3d_Sub(b, a)));
            }
            assert_true(least < 0.5 * tube);
        }
        freeCoreShape(shape, mesh);
    }
}

// So thin and so far away that floats have no place inside.
static void test_coreWithoutAnInside(void** state) {
    (void)state;
    grzMesh* mesh = boxMesh(grzVec3_Splat(1000), grzVec3_Make(1, 6e-5f, 1), false, 12);
    grzMeshShape* shape = coreShapeOf(mesh);
    assert_true(shape->core.count > 0);
    assert_true(shape->core.thickness > 0 && shape->core.thickness == shape->thickness);
    for (size_t i = 0; i < shape->core.count; ++i) {
        assert_true(shape->core.data[i].radius == shape->thickness);
        assert_true(distanceTo(shape, onAxis(&shape->core.data[i], 0)) <= 1e-4);
    }
    freeCoreShape(shape, mesh);
}

// At most as many pieces as mesh_core.h states, whatever the mesh.
static void test_coresAreSmall(void** state) {
    (void)state;
    static const size_t counts[] = {12, 100, 1000, 20000};
    for (int kind = 0; kind < SHAPE_KIND_COUNT; ++kind) {
        for (int i = 0; i < 4; ++i) {
            grzMesh* mesh = shapeMesh((ShapeKind)kind, counts[i], false);
            grzMeshShape* shape = coreShapeOf(mesh);
            assert_true(shape->core.count <= 96 && (shape->core.count > 0) == (shape->mass.volume > 0));
            freeCoreShape(shape, mesh);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coresLieInside),
        cmocka_unit_test(test_coreOfARing),
        cmocka_unit_test(test_coreWithoutAnInside),
        cmocka_unit_test(test_coresAreSmall),
        cmocka_unit_test(test_insideOutIsWarnedOf),
        cmocka_unit_test(test_areasByFacing),
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_balls),
        cmocka_unit_test(test_torus),
        cmocka_unit_test(test_two_pieces),
        cmocka_unit_test(test_what_encloses_nothing),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_failing_allocator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
