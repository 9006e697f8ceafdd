// depth_pyramid.c, occluder.c, depth_kernel.c, view_kernel.c, camera.c: a box that any ray sees is never called
// hidden, and no pixel is drawn nearer than what every ray through it meets, against rays in double; and what is
// plainly hidden is found hidden.
#include "testing.h"

#include "depth_inside.h"
#include "hash.h"
#include "simd_dispatch.h"
#include "visibility_scenes.h"

static grzDepthPyramid* createPyramid(uint32_t width, uint32_t height) {
    grzDepthPyramidDef def = grzDefaultDepthPyramidDef();
    def.width = width, def.height = height;
    grzDepthPyramid* pyramid;
    assert_int_equal(grzDepthPyramid_Create(&def, &pyramid).status, grz_ok);
    return pyramid;
}

static void begin(grzDepthPyramid* pyramid, const grzCamera* camera) {
    assert_int_equal(grzDepthPyramid_Begin(pyramid, camera).status, grz_ok);
}

// Looks along +x from the origin, 90 degrees wide and high.
static grzCamera plainCamera(void) {
    return grzCamera_LookAt(grzVec3_Zero(), grzVec3_Make(1, 0, 0), grzVec3_Make(0, 0, 1), 1.5707963f, 1, 0.1f,
                            1000);
}

static grzBox boxOf(float x0, float y0, float z0, float x1, float y1, float z1) {
    return grzBox_Make(grzVec3_Make(x0, y0, z0), grzVec3_Make(x1, y1, z1));
}

static bool isHidden(const grzDepthPyramid* pyramid, grzBox box) {
    bool hidden;
    grzDepthPyramid_Test(pyramid, NULL, &box, 1, &hidden);
    return hidden;
}

// ------------------------------------------------------------------------------------------ scenes at random

enum { occluderMost = 200, boxMost = 600 };

typedef struct Scene {
    grzCamera camera;
    bool hasFrame;
    grzTransform frame; // of all boxes and triangles
    grzBox occluders[occluderMost];
    uint32_t occluderCount;
    float corners[occluderMost * 3][3];
    uint32_t triangles[occluderMost][3];
    uint32_t triangleCount;
    grzBox boxes[boxMost];
    uint32_t boxCount;
} Scene;

// How large boxes are and where the camera stands, one way after the other.
typedef enum SceneKind {
    scene_usual,
    scene_far,      // all near (1e6, 1e6, 1e6)
    scene_tiny,     // all of it 1e-6 in size
    scene_hugeTiny, // sizes over twelve powers of ten
    scene_inside,   // the camera in a box
    scene_flat,     // boxes without thickness on some axes
    scene_whole,    // whole coordinates, so that faces, edges and the camera meet
    scene_kinds
} SceneKind;

static grzVec3 sceneHalf(grzRng* rng, SceneKind kind) {
    float size = kind == scene_hugeTiny ? ldexpf(1, (int)grzRng_Below(rng, 40) - 30) : sceneFloat(rng, 0.1f, 8);
    grzVec3 half = grzVec3_Make(size * sceneFloat(rng, 0.2f, 1), size * sceneFloat(rng, 0.2f, 1),
                                size * sceneFloat(rng, 0.2f, 1));
    if (kind == scene_flat) {
        half.x *= (float)grzRng_Below(rng, 2);
        half.y *= (float)grzRng_Below(rng, 2);
        half.z *= (float)grzRng_Below(rng, 3);
    }
    return half;
}

static grzBox randomBox(grzRng* rng, SceneKind kind, grzVec3 middle) {
    float scale = kind == scene_tiny ? 1e-6f : 1;
    if (kind == scene_whole) {
        float x = (float)grzRng_Below(rng, 41) - 20, y = (float)grzRng_Below(rng, 41) - 20;
        float z = (float)grzRng_Below(rng, 41) - 20;
        return boxOf(x, y, z, x + (float)grzRng_Below(rng, 8), y + (float)grzRng_Below(rng, 8),
                     z + (float)grzRng_Below(rng, 8));
    }
    grzVec3 center = grzAdd(middle, grzScale(scenePoint(rng, 40), scale));
    return sceneBox(center, grzScale(sceneHalf(rng, kind), scale));
}

static grzTransform randomFrame(grzRng* rng) {
    grzQuat turn = grzQuat_Normalize(grzQuat_Make(sceneFloat(rng, -1, 1), sceneFloat(rng, -1, 1),
                                                  sceneFloat(rng, -1, 1), sceneFloat(rng, -1, 1)));
    grzVec3 scale = grzVec3_Make(sceneFloat(rng, 0.2f, 2), sceneFloat(rng, 0.2f, 2), sceneFloat(rng, 0.2f, 2));
    if (grzRng_Below(rng, 2) == 0)
        scale.x = -scale.x;
    return grzTransform_Make(grzMat3_ScaleColumns(grzMat3_FromQuat(turn), scale), scenePoint(rng, 5));
}

static void makeTriangle(grzRng* rng, SceneKind kind, grzVec3 middle, uint32_t i, Scene* scene) {
    grzBox box = randomBox(rng, kind, middle);
    for (uint32_t k = 0; k < 3; ++k) {
        grzVec3 p = grzVec3_Make(grzRng_Below(rng, 2) != 0 ? box.lower.x : box.upper.x,
                                 grzRng_Below(rng, 2) != 0 ? box.lower.y : box.upper.y,
                                 sceneFloat(rng, box.lower.z, box.upper.z));
        grzVec3_Store(scene->corners[3 * i + k], p);
        scene->triangles[i][k] = 3 * i + k;
    }
}

static void makeScene(grzRng* rng, SceneKind kind, bool hasFrame, Scene* scene) {
    grzVec3 middle = kind == scene_far ? grzVec3_Splat(1e6f) : grzVec3_Zero();
    float scale = kind == scene_tiny ? 1e-6f : 1;
    scene->camera = sceneCamera(rng, grzAdd(middle, grzScale(scenePoint(rng, 20), scale)));
    if (kind == scene_tiny)
        scene->camera.nearest *= scale, scene->camera.farthest *= scale;
    if (kind == scene_whole) {
        grzVec3 axes[3] = {grzVec3_Make(1, 0, 0), grzVec3_Make(0, 1, 0), grzVec3_Make(0, 0, -1)};
        uint32_t turn = grzRng_Below(rng, 3);
        scene->camera.position = grzVec3_Make((float)grzRng_Below(rng, 9), (float)grzRng_Below(rng, 9), 3);
        scene->camera.right = axes[turn];
        scene->camera.up = axes[(turn + 1) % 3];
        scene->camera.forward = axes[(turn + 2) % 3];
        scene->camera.halfWidth = scene->camera.halfHeight = 1;
        scene->camera.nearest = 1;
    }
    scene->hasFrame = hasFrame;
    scene->frame = hasFrame ? randomFrame(rng) : grzTransform_Identity();
    scene->occluderCount = 1 + grzRng_Below(rng, occluderMost);
    scene->triangleCount = grzRng_Below(rng, occluderMost);
    scene->boxCount = boxMost;
    for (uint32_t i = 0; i < scene->occluderCount; ++i)
        scene->occluders[i] = randomBox(rng, kind, middle);
    if (kind == scene_inside)
        scene->occluders[0] = sceneBox(scene->camera.position, grzVec3_Splat(3));
    for (uint32_t i = 0; i < scene->triangleCount; ++i)
        makeTriangle(rng, kind, middle, i, scene);
    for (uint32_t i = 0; i < boxMost; ++i)
        scene->boxes[i] = i < scene->occluderCount ? scene->occluders[i] : randomBox(rng, kind, middle);
}

static void drawScene(grzDepthPyramid* pyramid, const Scene* scene) {
    const grzTransform* frame = scene->hasFrame ? &scene->frame : NULL;
    grzTriangleSoup soup = {(const float(*)[3])scene->corners, scene->triangleCount * (size_t)3,
                            (const uint32_t(*)[3])scene->triangles, scene->triangleCount};
    begin(pyramid, &scene->camera);
    grzDepthPyramid_DrawBoxes(pyramid, frame, scene->occluders, scene->occluderCount);
    assert_int_equal(grzDepthPyramid_DrawTriangles(pyramid, frame, &soup).status, grz_ok);
    grzDepthPyramid_Reduce(pyramid);
}

// The w from which on nothing is seen along a ray in the scene's frame; occluder `skipped` does not count.
static double nearestOcclusion(const Scene* scene, const SceneRay* ray, uint32_t skipped) {
    double nearest = (double)INFINITY;
    for (uint32_t i = 0; i < scene->occluderCount; ++i)
        if (i != skipped)
            nearest = fmin(nearest, sceneOcclusion(ray, scene->occluders[i]));
    for (uint32_t i = 0; i < scene->triangleCount; ++i)
        nearest = fmin(nearest, sceneTriangle(ray, (const float(*)[3]) & scene->corners[3 * i]));
    return nearest;
}

static SceneRay rayAt(const Scene* scene, double x, double y) {
    SceneRay ray = sceneRay(&scene->camera, x, y);
    return scene->hasFrame ? sceneRayInto(&ray, &scene->frame) : ray;
}

// Boxes that a ray through a pixel's centre, corner or side's middle sees are not hidden.
static void checkByRays(const Scene* scene, const bool* hidden, int width, int height) {
    for (int v = 0; v <= 2 * height; ++v) {
        for (int u = 0; u <= 2 * width; ++u) {
            SceneRay ray = rayAt(scene, (double)u / width - 1, (double)v / height - 1);
            double occlusion = nearestOcclusion(scene, &ray, UINT32_MAX);
            for (uint32_t i = 0; i < scene->boxCount; ++i)
                if (hidden[i])
                    assert_false(sceneSight(&ray, scene->boxes[i]) < occlusion * (1 - SCENE_DOUBT));
        }
    }
}

// Rays that are aimed at points of hidden boxes. The box itself may stand in their way, but not strictly before
// itself.
static void checkByAim(const Scene* scene, const bool* hidden, grzRng* rng) {
    const grzCamera* camera = &scene->camera;
    for (uint32_t i = 0; i < scene->boxCount; ++i) {
        for (int k = 0; hidden[i] && k < 16; ++k) {
            grzBox box = scene->boxes[i];
            float a[3];
            for (int axis = 0; axis < 3; ++axis)
                a[axis] = k < 8 ? (float)(k >> axis & 1) : grzRng_Float(rng);
            double d[3] = {0}, p[4] = {0};
            for (int axis = 0; axis < 3; ++axis)
                p[axis] = (double)grzVec3_Get(box.lower, axis) * (1 - (double)a[axis]) +
                          (double)grzVec3_Get(box.upper, axis) * (double)a[axis];
            const grzVec3 columns[3] = {scene->frame.basis.x, scene->frame.basis.y, scene->frame.basis.z};
            for (int axis = 0; axis < 3; ++axis) {
                d[axis] =
                    (double)grzVec3_Get(scene->frame.origin, axis) - (double)grzVec3_Get(camera->position, axis);
                for (int c = 0; c < 3; ++c)
                    d[axis] += (double)grzVec3_Get(columns[c], axis) * p[c];
            }
            double x = 0, y = 0, w = 0;
            for (int axis = 0; axis < 3; ++axis) {
                x += d[axis] * (double)grzVec3_Get(camera->right, axis);
                y += d[axis] * (double)grzVec3_Get(camera->up, axis);
                w += d[axis] * (double)grzVec3_Get(camera->forward, axis);
            }
            x /= w * (double)camera->halfWidth, y /= w * (double)camera->halfHeight;
            if (w <= 0 || fabs(x) > 1 || fabs(y) > 1)
                continue;
            SceneRay ray = rayAt(scene, x, y);
            double occlusion = nearestOcclusion(scene, &ray, i < scene->occluderCount ? i : UINT32_MAX);
            assert_false(sceneSight(&ray, box) < occlusion * (1 - SCENE_DOUBT));
        }
    }
}

// No pixel is drawn nearer than the occluders are on rays through it, at its corners too.
static void checkPixels(const Scene* scene, const grzDepthPyramid* pyramid, grzRng* rng) {
    DepthImage level = pyramid->levels[0];
    for (uint32_t y = 0; y < level.height; ++y) {
        for (uint32_t x = 0; x < level.width; ++x) {
            double value = (double)level.values[y * level.stride + x];
            for (int k = 0; value > 0 && k < 7; ++k) {
                double u = x + (k < 4 ? k & 1 : grzRng_Double(rng)), v = y + (k < 4 ? k >> 1 : grzRng_Double(rng));
                SceneRay ray = rayAt(scene, 2 * u / level.width - 1, 2 * v / level.height - 1);
                // Moved a little off the pixel's rim, where the reference may pass by an edge.
                if (k < 4) {
                    double s = 1e-7 * (k & 1 ? -1 : 1), t = 1e-7 * (k >> 1 ? -1 : 1);
                    ray = rayAt(scene, 2 * (u + s) / level.width - 1, 2 * (v + t) / level.height - 1);
                }
                assert_true(nearestOcclusion(scene, &ray, UINT32_MAX) * value <= 1 + 1e-6);
            }
        }
    }
}

static uint32_t checkScene(grzRng* rng, SceneKind kind, bool hasFrame, int width, int height) {
    static Scene scene;
    static bool hidden[boxMost];
    grzDepthPyramid* pyramid = createPyramid((uint32_t)width, (uint32_t)height);
    makeScene(rng, kind, hasFrame, &scene);
    drawScene(pyramid, &scene);
    grzDepthPyramid_Test(pyramid, hasFrame ? &scene.frame : NULL, scene.boxes, scene.boxCount, hidden);
    checkByRays(&scene, hidden, width, height);
    checkByAim(&scene, hidden, rng);
    checkPixels(&scene, pyramid, rng);
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene.boxCount; ++i)
        count += hidden[i];
    grzDepthPyramid_Destroy(pyramid);
    return count;
}

static void whatARaySeesIsNeverHidden(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(20031), 0);
    uint32_t hidden[scene_kinds] = {0}, all = 0;
    for (int round = 0; round < 6; ++round)
        for (int kind = 0; kind < scene_kinds; ++kind)
            hidden[kind] += checkScene(&rng, (SceneKind)kind, round % 2 == 1, 24 + 7 * round, 20);
    for (int kind = 0; kind < scene_kinds; ++kind)
        all += hidden[kind];
    assert_true(all > 300); // lest the test ask nothing
}

// The camera and the frame of the boxes are 2e12 away from the origin, where doubles are 1 / 4096 apart, so that
// all that counts are the bounds of their rounding. In truth it is the scene around the origin.
static void whatDoublesLoseIsMadeUpFor(void** state) {
    (void)state;
    static Scene scene;
    static bool hidden[boxMost];
    grzRng rng = grzRng_Make(testSeed(20037), 0);
    grzDepthPyramid* pyramid = createPyramid(48, 40);
    uint32_t count = 0;
    for (int round = 0; round < 40; ++round) {
        makeScene(&rng, scene_usual, false, &scene);
        scene.triangleCount = 0;
        scene.camera.position = grzVec3_Zero();
        grzCamera camera = scene.camera;
        camera.position = grzScale(scenePoint(&rng, 1), 2e12f);
        grzTransform frame = grzTransform_Make(grzMat3_Identity(), camera.position);
        begin(pyramid, &camera);
        grzDepthPyramid_DrawBoxes(pyramid, &frame, scene.occluders, scene.occluderCount);
        grzDepthPyramid_Reduce(pyramid);
        checkPixels(&scene, pyramid, &rng);
        grzDepthPyramid_Test(pyramid, &frame, scene.boxes, scene.boxCount, hidden);
        checkByAim(&scene, hidden, &rng);
        for (uint32_t i = 0; i < scene.boxCount; ++i)
            count += hidden[i];
    }
    assert_true(count > 20);
    grzDepthPyramid_Destroy(pyramid);
}

// ------------------------------------------------------------------------------------------------- plain cases

static void aWallHidesWhatIsBehindIt(void** state) {
    (void)state;
    grzDepthPyramid* pyramid = createPyramid(64, 64);
    grzCamera camera = plainCamera();
    begin(pyramid, &camera);
    assert_false(isHidden(pyramid, boxOf(20, -1, -1, 22, 1, 1))); // nothing is drawn yet
    grzBox wall = boxOf(10, -5, -5, 11, 5, 5);
    grzDepthPyramid_DrawBoxes(pyramid, NULL, &wall, 1);
    grzDepthPyramid_Reduce(pyramid);
    assert_true(isHidden(pyramid, boxOf(20, -1, -1, 22, 1, 1)));
    assert_true(isHidden(pyramid, boxOf(20, -8, -8, 30, 8, 8)));
    assert_true(isHidden(pyramid, boxOf(10.5f, -4, -4, 10.6f, 4, 4))); // within the wall
    assert_false(isHidden(pyramid, boxOf(5, -1, -1, 6, 1, 1)));
    assert_false(isHidden(pyramid, boxOf(9, -1, -1, 12, 1, 1)));
    assert_false(isHidden(pyramid, boxOf(20, -11, -1, 22, 1, 1)));  // looks out on one side
    assert_false(isHidden(pyramid, boxOf(-22, -1, -1, -20, 1, 1))); // behind the camera
    assert_false(isHidden(pyramid, boxOf(-1, -1, -1, 200, 1, 1)));  // around it
    assert_false(isHidden(pyramid, wall));
    assert_false(isHidden(pyramid, boxOf(10, -1, -1, 12, 1, 1))); // the same depth as the wall's face
    grzDepthPyramid_Destroy(pyramid);
}

static void whatIsNearerThanNearestDoesNotOcclude(void** state) {
    (void)state;
    grzDepthPyramid* pyramid = createPyramid(64, 64);
    grzCamera camera = plainCamera();
    camera.nearest = 4;
    const grzBox occluders[3] = {
        boxOf(3, -9, -9, 3.5f, 9, 9), // wholly before nearest
        boxOf(2, -9, -9, 8, 9, 9),    // its face before
        boxOf(-3, -3, -3, 5, 3, 3),   // around the camera
    };
    for (int i = 0; i < 3; ++i) {
        begin(pyramid, &camera);
        grzDepthPyramid_DrawBoxes(pyramid, NULL, &occluders[i], 1);
        grzDepthPyramid_Reduce(pyramid);
        assert_false(isHidden(pyramid, boxOf(20, -1, -1, 22, 1, 1)));
    }
    // A slanted floor is cut where it comes too near, and hides what is below the rest.
    static const float corners[4][3] = {{-10, -60, -1}, {-10, 60, -1}, {90, 60, -1.5f}, {90, -60, -1.5f}};
    static const uint32_t triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};
    grzTriangleSoup floor = {corners, 4, triangles, 2};
    begin(pyramid, &camera);
    assert_int_equal(grzDepthPyramid_DrawTriangles(pyramid, NULL, &floor).status, grz_ok);
    grzDepthPyramid_Reduce(pyramid);
    assert_true(isHidden(pyramid, boxOf(20, 4, -3.5f, 21, 5, -3)));
    assert_false(isHidden(pyramid, boxOf(20, 4, -8, 21, 5, -7)));
    assert_true(isHidden(pyramid, boxOf(40, -14, -8, 41, -12, -7)));
    assert_false(isHidden(pyramid, boxOf(20, 4, -8, 21, 5, -1)));
    assert_false(isHidden(pyramid, boxOf(4.5f, 2, -4.4f, 4.6f, 2.5f, -4.3f))); // below where it is cut
    grzDepthPyramid_Destroy(pyramid);
}

// What of the image a box covers, seen from outside of one, two and three of its faces: all of the pixels that it
// covers with a little to spare, since inner edges leave no holes.
static void boxesHaveNoHoles(void** state) {
    (void)state;
    enum { size = 64 };
    grzDepthPyramid* pyramid = createPyramid(size, size);
    const grzVec3 places[3] = {grzVec3_Make(-9, 0.1f, 0.3f), grzVec3_Make(-6, -6, 0.2f), grzVec3_Make(-5, -6, 5)};
    grzBox box = boxOf(-2, -2, -2, 2, 2, 2);
    for (int i = 0; i < 3; ++i) {
        grzCamera camera = grzCamera_LookAt(places[i], grzVec3_Zero(), grzVec3_Make(0, 0.1f, 1), 1, 1, 0.1f, 100);
        begin(pyramid, &camera);
        grzDepthPyramid_DrawBoxes(pyramid, NULL, &box, 1);
        DepthImage level = pyramid->levels[0];
        uint32_t drawn = 0;
        for (uint32_t y = 0; y < size; ++y) {
            for (uint32_t x = 0; x < size; ++x) {
                bool isWhole = true;
                for (int k = 0; k < 4; ++k) {
                    double u = x + (k & 1 ? 1.001 : -0.001), v = y + (k >> 1 ? 1.001 : -0.001);
                    SceneRay ray = sceneRay(&camera, 2 * u / size - 1, 2 * v / size - 1);
                    isWhole = isWhole && sceneOcclusion(&ray, box) < (double)INFINITY;
                }
                assert_true(!isWhole || level.values[y * level.stride + x] > 0);
                drawn += isWhole;
            }
        }
        assert_true(drawn > 300);
    }
    grzDepthPyramid_Destroy(pyramid);
}

// The ends of a wide image's spans, where the floats of the kernel are coarsest.
static void spansEndWithinTheTriangle(void** state) {
    (void)state;
    enum { width = 4096, height = 32 };
    static const uint32_t triangle[1][3] = {{0, 1, 2}};
    grzRng rng = grzRng_Make(testSeed(20036), 0);
    grzDepthPyramid* pyramid = createPyramid(width, height);
    grzCamera camera = plainCamera();
    uint32_t checked = 0;
    for (int round = 0; round < 300; ++round) {
        float corners[3][3];
        for (int k = 0; k < 3; ++k) {
            corners[k][0] = sceneFloat(&rng, 5, 20);
            corners[k][1] = sceneFloat(&rng, -1.5f, 1.5f) * corners[k][0];
            corners[k][2] = sceneFloat(&rng, -1.5f, 1.5f) * corners[k][0];
        }
        grzTriangleSoup soup = {(const float(*)[3])corners, 3, triangle, 1};
        begin(pyramid, &camera);
        assert_int_equal(grzDepthPyramid_DrawTriangles(pyramid, NULL, &soup).status, grz_ok);
        DepthImage level = pyramid->levels[0];
        for (uint32_t y = 0; y < height; ++y) {
            const float* row = level.values + y * level.stride;
            for (uint32_t x = 0; x < width; ++x) {
                bool isEnd = row[x] > 0 && (x == 0 || x + 1 == width || !(row[x - 1] > 0) || !(row[x + 1] > 0));
                for (int k = 0; isEnd && k < 4; ++k) {
                    double u = x + (k & 1 ? 1 - 1e-9 : 1e-9), v = y + (k >> 1 ? 1 - 1e-9 : 1e-9);
                    SceneRay ray = sceneRay(&camera, 2 * u / width - 1, 2 * v / height - 1);
                    assert_true(sceneTriangle(&ray, (const float(*)[3])corners) * (double)row[x] <= 1);
                    checked++;
                }
            }
        }
    }
    assert_true(checked > 10000);
    grzDepthPyramid_Destroy(pyramid);
}

static void wallsWithoutThicknessHideToo(void** state) {
    (void)state;
    grzDepthPyramid* pyramid = createPyramid(64, 64);
    grzCamera camera = plainCamera();
    grzBox wall = boxOf(10, -5, -5, 10, 5, 5), target = boxOf(20, -1, -1, 22, 1, 1);
    begin(pyramid, &camera);
    grzDepthPyramid_DrawBoxes(pyramid, NULL, &wall, 1);
    assert_true(isHidden(pyramid, target));
    // A rod, a point, and triangles that are lines do nothing.
    const grzBox lines[2] = {boxOf(10, -5, 0, 10, 5, 0), boxOf(10, 0, 0, 10, 0, 0)};
    static const float corners[3][3] = {{10, -5, -5}, {10, 0, 0}, {10, 5, 5}};
    static const uint32_t triangles[3][3] = {{0, 1, 2}, {0, 0, 0}, {0, 2, 2}};
    grzTriangleSoup soup = {corners, 3, triangles, 3};
    begin(pyramid, &camera);
    grzDepthPyramid_DrawBoxes(pyramid, NULL, lines, 2);
    assert_int_equal(grzDepthPyramid_DrawTriangles(pyramid, NULL, &soup).status, grz_ok);
    for (uint32_t y = 0; y < 64; ++y)
        for (uint32_t x = 0; x < 64; ++x)
            assert_true(pyramid->levels[0].values[y * 64 + x] == 0);
    grzDepthPyramid_Destroy(pyramid);
}

static void badBoxesNeitherHideNorAreHidden(void** state) {
    (void)state;
    grzDepthPyramid* pyramid = createPyramid(64, 64);
    grzCamera camera = plainCamera();
    const grzBox bad[5] = {grzBox_Empty(), boxOf(10, -5, -5, INFINITY, 5, 5), boxOf(10, NAN, -5, 11, 5, 5),
                           boxOf(-FLT_MAX, -FLT_MAX, -FLT_MAX, FLT_MAX, FLT_MAX, FLT_MAX),
                           boxOf(10, 5, 5, 9, -5, -5)};
    bool hidden[5];
    begin(pyramid, &camera);
    grzDepthPyramid_DrawBoxes(pyramid, NULL, bad, 5);
    assert_false(isHidden(pyramid, boxOf(20, -1, -1, 22, 1, 1)));
    grzBox wall = boxOf(10, -50, -50, 11, 50, 50);
    grzDepthPyramid_DrawBoxes(pyramid, NULL, &wall, 1);
    grzDepthPyramid_Reduce(pyramid);
    grzDepthPyramid_Test(pyramid, NULL, bad, 5, hidden);
    for (int i = 0; i < 5; ++i)
        assert_false(hidden[i]);
    // Very far is hidden as well as near, as long as it can be told.
    assert_true(isHidden(pyramid, boxOf(1e30f, -1, -1, 1e31f, 1, 1)));
    grzTransform frame = grzTransform_Make(grzMat3_Diagonal(grzVec3_Splat(3e38f)), grzVec3_Zero());
    grzBox one = boxOf(0.1f, -0.1f, -0.1f, 3, 0.1f, 0.1f);
    grzDepthPyramid_DrawBoxes(pyramid, &frame, &one, 1);
    grzDepthPyramid_Test(pyramid, &frame, &one, 1, hidden);
    assert_false(isHidden(pyramid, boxOf(9, -1, -1, 9.5f, 1, 1)));
    grzDepthPyramid_Destroy(pyramid);
}

static void everyLevelHoldsTheLeastOfFour(void** state) {
    (void)state;
    static const uint32_t sizes[6][2] = {{1, 1}, {17, 3}, {64, 64}, {33, 100}, {4096, 1}, {5, 4096}};
    grzRng rng = grzRng_Make(testSeed(20032), 0);
    for (int i = 0; i < 6; ++i) {
        grzDepthPyramid* pyramid = createPyramid(sizes[i][0], sizes[i][1]);
        grzCamera camera = plainCamera();
        begin(pyramid, &camera);
        for (int k = 0; k < 30; ++k) {
            grzBox box = sceneBox(grzAdd(grzVec3_Make(40, 0, 0), scenePoint(&rng, 20)), grzVec3_Splat(6));
            grzDepthPyramid_DrawBoxes(pyramid, NULL, &box, 1);
        }
        grzDepthPyramid_Reduce(pyramid);
        uint32_t count = pyramid->levelCount;
        for (uint32_t l = 1; l < count; ++l) {
            DepthImage fine = pyramid->levels[l - 1], coarse = pyramid->levels[l];
            assert_true(coarse.width == (fine.width + 1) / 2 && coarse.height == (fine.height + 1) / 2);
            for (uint32_t y = 0; y < coarse.height; ++y) {
                for (uint32_t x = 0; x < coarse.width; ++x) {
                    float least = INFINITY;
                    for (uint32_t v = 2 * y; v < 2 * y + 2 && v < fine.height; ++v)
                        for (uint32_t u = 2 * x; u < 2 * x + 2 && u < fine.width; ++u)
                            least = fminf(least, fine.values[v * fine.stride + u]);
                    assert_true(coarse.values[y * coarse.stride + x] == least);
                }
            }
        }
        DepthImage last = pyramid->levels[count - 1];
        assert_true(last.width == 1 && last.height == 1);
        grzDepthPyramid_Destroy(pyramid);
    }
}

// Without Reduce less is hidden, and nothing else.
static void aPyramidThatIsNotReducedIsStillRight(void** state) {
    (void)state;
    static Scene scene;
    static bool stale[boxMost], fresh[boxMost];
    grzRng rng = grzRng_Make(testSeed(20033), 0);
    grzDepthPyramid* pyramid = createPyramid(64, 48);
    for (int round = 0; round < 10; ++round) {
        makeScene(&rng, scene_usual, false, &scene);
        begin(pyramid, &scene.camera);
        grzDepthPyramid_DrawBoxes(pyramid, NULL, scene.occluders, scene.occluderCount);
        grzDepthPyramid_Test(pyramid, NULL, scene.boxes, scene.boxCount, stale);
        grzDepthPyramid_Reduce(pyramid);
        grzDepthPyramid_Test(pyramid, NULL, scene.boxes, scene.boxCount, fresh);
        for (uint32_t i = 0; i < scene.boxCount; ++i)
            assert_int_equal(stale[i], fresh[i]); // the finest level decides in the end
    }
    grzDepthPyramid_Destroy(pyramid);
}

static uint64_t hashOfScenes(uint64_t seed) {
    static Scene scene;
    static bool hidden[boxMost];
    grzRng rng = grzRng_Make(seed, 0);
    grzHash hash = grzHash_Begin(0);
    for (int kind = 0; kind < scene_kinds; ++kind) {
        grzDepthPyramid* pyramid = createPyramid(90 + (uint32_t)kind, 50);
        makeScene(&rng, (SceneKind)kind, kind % 2 == 1, &scene);
        drawScene(pyramid, &scene);
        grzDepthPyramid_Test(pyramid, scene.hasFrame ? &scene.frame : NULL, scene.boxes, scene.boxCount, hidden);
        grzHash_Add(&hash, hidden, sizeof hidden);
        for (uint32_t i = 0; i < pyramid->levelCount; ++i) {
            DepthImage level = pyramid->levels[i];
            grzHash_Add(&hash, level.values, level.stride * (size_t)level.height * sizeof(float));
        }
        grzDepthPyramid_Destroy(pyramid);
    }
    return grzHash_End(&hash);
}

static void allSimdLevelsDrawAndTestTheSameBytes(void** state) {
    (void)state;
    uint64_t seed = testSeed(20034);
    grzSimdLevel usual = grzSimd_Force(grz_simdScalar);
    uint64_t expected = hashOfScenes(seed);
    for (int level = 0; level < GRZ_SIMD_LEVEL_COUNT; ++level) {
        if (!grzSimd_Supports((grzSimdLevel)level))
            continue;
        grzSimd_Force((grzSimdLevel)level);
        assert_true(hashOfScenes(seed) == expected);
    }
    grzSimd_Force(usual);
}

static void badCallsAreRefused(void** state) {
    (void)state;
    grzDepthPyramid* pyramid;
    grzDepthPyramidDef def = grzDefaultDepthPyramidDef();
    def.mark++;
    assert_int_equal(grzDepthPyramid_Create(&def, &pyramid).status, grz_badDef);
    assert_null(pyramid);
    assert_int_equal(grzDepthPyramid_Create(NULL, &pyramid).status, grz_badDef);
    def = grzDefaultDepthPyramidDef();
    def.allocator.release = grzDefaultAllocator().release;
    assert_int_equal(grzDepthPyramid_Create(&def, &pyramid).status, grz_badArgument);
    assert_null(pyramid);
    static const uint32_t bad[3] = {0, GRZ_MAX_DEPTH_PIXELS + 1, UINT32_MAX};
    for (int i = 0; i < 3; ++i) {
        def = grzDefaultDepthPyramidDef();
        def.width = bad[i];
        assert_int_equal(grzDepthPyramid_Create(&def, &pyramid).status, grz_badArgument);
        def = grzDefaultDepthPyramidDef();
        def.height = bad[i];
        assert_int_equal(grzDepthPyramid_Create(&def, &pyramid).status, grz_badArgument);
    }
    grzDepthPyramid_Destroy(NULL);
    pyramid = createPyramid(64, 64);
    grzBox wall = boxOf(10, -5, -5, 11, 5, 5), target = boxOf(20, -1, -1, 22, 1, 1);
    grzDepthPyramid_DrawBoxes(pyramid, NULL, &wall, 1); // before the first Begin: nothing
    grzDepthPyramid_Reduce(pyramid);
    assert_false(isHidden(pyramid, target));
    grzCamera camera = plainCamera();
    begin(pyramid, &camera);
    grzDepthPyramid_DrawBoxes(pyramid, NULL, &wall, 1);
    float* members[4] = {&camera.halfWidth, &camera.halfHeight, &camera.nearest, &camera.farthest};
    for (int i = 0; i < 4; ++i) {
        camera = plainCamera();
        *members[i] = 0;
        grzResult result = grzDepthPyramid_Begin(pyramid, &camera);
        assert_true(result.status == grz_badArgument && result.value == 5u + (unsigned)i);
        *members[i] = NAN;
        assert_int_equal(grzDepthPyramid_Begin(pyramid, &camera).status, grz_notFinite);
    }
    camera = plainCamera();
    camera.up.y = INFINITY;
    assert_int_equal(grzDepthPyramid_Begin(pyramid, &camera).status, grz_notFinite);
    static const float corners[3][3] = {{10, -50, -50}, {10, 0, 50}, {10, 50, -50}};
    static const uint32_t triangles[2][3] = {{0, 1, 2}, {0, 7, 3}};
    grzTriangleSoup soup = {corners, 3, triangles, 2};
    grzResult result = grzDepthPyramid_DrawTriangles(pyramid, NULL, &soup);
    assert_true(result.status == grz_indexTooLarge && result.part == grz_partTriangle && result.index == 1);
    assert_int_equal(result.value, 7);
    assert_true(isHidden(pyramid, target)); // the wall still stands
    assert_false(isHidden(pyramid, boxOf(20, -25, -1, 22, -24, 1)));
    grzDepthPyramid_Destroy(pyramid);
}

// A camera whose axes are all the same, or none: nothing can be told, so nothing is hidden.
static void aCameraWithoutASpaceHidesNothing(void** state) {
    (void)state;
    grzDepthPyramid* pyramid = createPyramid(64, 64);
    grzCamera camera = plainCamera();
    camera.right = camera.up;
    grzBox wall = boxOf(10, -50, -50, 11, 50, 50);
    for (int i = 0; i < 2; ++i) {
        begin(pyramid, &camera);
        grzDepthPyramid_DrawBoxes(pyramid, NULL, &wall, 1);
        grzDepthPyramid_Reduce(pyramid);
        assert_false(isHidden(pyramid, boxOf(20, -1, -1, 22, 1, 1)));
        camera.forward = grzVec3_Zero();
    }
    grzDepthPyramid_Destroy(pyramid);
}

static void lookAtSeesItsTargetInTheMiddle(void** state) {
    (void)state;
    grzRng rng = grzRng_Make(testSeed(20035), 0);
    for (int i = 0; i < 1000; ++i) {
        grzVec3 position = scenePoint(&rng, 50), target = scenePoint(&rng, 50), up = scenePoint(&rng, 1);
        if (i % 4 == 1)
            up = grzSub(target, position);
        if (i % 4 == 2)
            up = grzVec3_Zero();
        grzCamera camera = grzCamera_LookAt(position, target, up, 1, 1.5f, 0.1f, 100);
        grzVec3 d = grzNormalize(grzSub(target, position));
        assert_true(fabsf(grzDot(camera.right, d)) < 1e-5f && fabsf(grzDot(camera.up, d)) < 1e-5f);
        assert_true(fabsf(grzDot(camera.forward, d) - 1) < 1e-5f && fabsf(grzDot(camera.right, camera.up)) < 1e-5f);
        assert_true(fabsf(grzLength(camera.right) - 1) < 1e-5f && fabsf(grzLength(camera.up) - 1) < 1e-5f);
        assert_true(i % 4 != 0 || grzDot(camera.up, up) >= -1e-5f);
        assert_true(fabsf(camera.halfHeight - 0.5463025f) < 1e-6f);
        assert_true(fabsf(camera.halfWidth - 1.5f * 0.5463025f) < 1e-6f);
        assert_int_equal(grzCamera_Check(&camera).status, grz_ok);
    }
}

static void refusedMemoryIsReported(void** state) {
    (void)state;
    for (size_t failAt = 0;; ++failAt) {
        TestMemory memory = {.failAt = failAt};
        grzDepthPyramidDef def = grzDefaultDepthPyramidDef();
        def.allocator = testAllocator(&memory);
        grzDepthPyramid* pyramid;
        grzResult result = grzDepthPyramid_Create(&def, &pyramid);
        assert_int_equal(result.status, memory.requests > failAt ? grz_outOfMemory : grz_ok);
        assert_true((pyramid != NULL) == grzResult_IsOk(result));
        grzDepthPyramid_Destroy(pyramid);
        assert_int_equal(memory.liveCount, 0);
        if (memory.requests <= failAt)
            return;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatARaySeesIsNeverHidden),
        cmocka_unit_test(whatDoublesLoseIsMadeUpFor),
        cmocka_unit_test(aWallHidesWhatIsBehindIt),
        cmocka_unit_test(whatIsNearerThanNearestDoesNotOcclude),
        cmocka_unit_test(boxesHaveNoHoles),
        cmocka_unit_test(spansEndWithinTheTriangle),
        cmocka_unit_test(wallsWithoutThicknessHideToo),
        cmocka_unit_test(badBoxesNeitherHideNorAreHidden),
        cmocka_unit_test(everyLevelHoldsTheLeastOfFour),
        cmocka_unit_test(aPyramidThatIsNotReducedIsStillRight),
        cmocka_unit_test(allSimdLevelsDrawAndTestTheSameBytes),
        cmocka_unit_test(badCallsAreRefused),
        cmocka_unit_test(aCameraWithoutASpaceHidesNothing),
        cmocka_unit_test(lookAtSeesItsTargetInTheMiddle),
        cmocka_unit_test(refusedMemoryIsReported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
