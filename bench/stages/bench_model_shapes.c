// What: the stage "model-shapes": rays and convex shapes against one mesh, beside Embree, Bullet, FCL and ODE.
//
// Rays come from a sphere around the mesh and go through a random point of its box; shapes stand at random points of the
// surface, lifted so that about half of them touch it. The mesh stands at the origin, since not all peers pose one; ours is
// given a pose all the same.
//
// Holds: every side answers the same queries. Where a ray grazes an edge, or a shape barely touches, peers decide otherwise:
// hits may differ for one ray in a thousand, and a touch where shifting the shape by a ten-thousandth of the mesh's size
// changes ours as well; beyond that for one in a hundred, since ODE does not notice all that capsules run through.
// How many differ is told in rows of their own. Ours is put beside every triangle by itself.
#include "bench.h"

#include <math.h>
#include <string.h>

#include "graze/model_contact.h"
#include "graze/model_ray.h"
#include "model_scene.h"
#include "rng.h"
#if defined(GRAZE_PEERS)
#    include "peer_model_shapes.h"
#endif

enum { mostSides = 4 };

static size_t queryCount(const Bench* bench) {
    return bench->options->quick ? 100 : 1000;
}

static grzVec3 drawDirection(grzRng* rng) {
    for (;;) {
        const float x = 2 * grzRng_Float(rng) - 1, y = 2 * grzRng_Float(rng) - 1;
        const grzVec3 v = grzVec3_Make(x, y, 2 * grzRng_Float(rng) - 1);
        const float length = grzLength(v);
        if (length < 1 && length > 0.1F)
            return grzScale(v, 1 / length);
    }
}

static grzVec3 cornerOf(const ModelScene* scene, size_t triangle, size_t k) {
    return grzVec3_Load(scene->positions + 3 * (size_t)scene->triangles[3 * triangle + k]);
}

static void countDifferences(Bench* bench, const ModelScene* scene, const BenchSide* sides,
                             const size_t* differences, size_t count, const char* variant) {
    for (size_t i = 1; i < count; ++i) {
        char name[128];
        snprintf(name, sizeof name, "%s %s", variant, sides[i].name);
        Bench_Count(bench, &(BenchCounter){.variant = name,
                                           .metric = "differ",
                                           .unit = "queries",
                                           .value = (double)differences[i],
                                           .n = scene->triangleCount,
                                           .workers = 1,
                                           .same = true});
    }
}

// ------------------------------------------------------------------------------------------------------------- rays

typedef struct RayWork RayWork;

typedef struct RaySide {
    const RayWork* work;
    float* times; // -1: no hit; -2: not asked
    size_t* differences;
#if defined(GRAZE_PEERS)
    const PeerRays* peer;
    void* made;
#endif
} RaySide;

struct RayWork {
    ModelScene scene;
    grzModelRay* rays;
    float* expected; // by every triangle
    RaySide sides[mostSides];
    BenchSide bench[mostSides];
    size_t differences[mostSides];
    size_t count;
};

static void castOurs(void* context) {
    RaySide* side = context;
    for (size_t i = 0; i < side->work->scene.queryCount; ++i) {
        grzModelRayHit hit;
        const bool isGood = grzResult_IsOk(grzModel_CastRay(&side->work->rays[i], &hit));
        side->times[i] = !isGood ? -3 : hit.triangle == GRZ_NO_TRIANGLE ? -1 : hit.t;
    }
}

#if defined(GRAZE_PEERS)
// In blocks, so that what a peer wants its rays in is made as it goes, as it is with ours.
static void castPeer(void* context) {
    RaySide* side = context;
    PeerRay rays[64];
    for (size_t first = 0; first < side->work->scene.queryCount; first += 64) {
        const size_t left = side->work->scene.queryCount - first, count = left < 64 ? left : 64;
        for (size_t i = 0; i < count; ++i)
            rays[i] = (PeerRay){side->work->rays[first + i].origin, side->work->rays[first + i].direction};
        side->peer->cast(side->made, rays, count, side->times + first);
    }
}
#endif

static void clearTimes(void* context) {
    RaySide* side = context;
    for (size_t i = 0; i < side->work->scene.queryCount; ++i)
        side->times[i] = -2;
}

static uint64_t digestTimes(void* context) {
    const RaySide* side = context;
    return Bench_Digest(0, side->times, side->work->scene.queryCount * sizeof *side->times);
}

static bool timesAgree(void* context) {
    RaySide* side = context;
    const size_t n = side->work->scene.queryCount;
    *side->differences = 0;
    for (size_t i = 0; i < n; ++i) {
        const float a = side->times[i], b = side->work->expected[i];
        if (a < -1)
            return false;
        *side->differences += (a < 0) != (b < 0) || fabsf(a - b) > 1e-4F;
    }
    return *side->differences <= 1 + n / 1000;
}

// [Moller, Trumbore, Fast, Minimum Storage Ray/Triangle Intersection, JGT 1997], in double.
static double hitTriangle(const grzModelRay* ray, const ModelScene* scene, size_t triangle) {
    const grzVec3d a = grzVec3d_FromVec3(cornerOf(scene, triangle, 0)), d = grzVec3d_FromVec3(ray->direction);
    const grzVec3d e = grzVec3d_Sub(grzVec3d_FromVec3(cornerOf(scene, triangle, 1)), a);
    const grzVec3d f = grzVec3d_Sub(grzVec3d_FromVec3(cornerOf(scene, triangle, 2)), a);
    const grzVec3d p = grzVec3d_Cross(d, f), s = grzVec3d_Sub(grzVec3d_FromVec3(ray->origin), a);
    const grzVec3d q = grzVec3d_Cross(s, e);
    const double whole = grzVec3d_Dot(e, p);
    if (whole == 0)
        return -1;
    const double u = grzVec3d_Dot(s, p) / whole, v = grzVec3d_Dot(d, q) / whole, t = grzVec3d_Dot(f, q) / whole;
    return u >= 0 && v >= 0 && u + v <= 1 && t >= 0 && t <= 1 ? t : -1;
}

static void findExpectedTimes(RayWork* work) {
    for (size_t i = 0; i < work->scene.queryCount; ++i) {
        double least = -1;
        for (size_t k = 0; k < work->scene.triangleCount; ++k) {
            const double t = hitTriangle(&work->rays[i], &work->scene, k);
            least = t >= 0 && (least < 0 || t < least) ? t : least;
        }
        work->expected[i] = (float)least;
    }
}

static bool makeRays(Bench* bench, RayWork* work) {
    const size_t n = work->scene.queryCount;
    grzRng rng = grzRng_Make(5, 1);
    work->rays = Bench_Allocate(bench, n, sizeof *work->rays);
    work->expected = Bench_Allocate(bench, n, sizeof *work->expected);
    if (work->rays == NULL || work->expected == NULL)
        return false;
    const grzBox box = grzModel_GetView(work->scene.model).box;
    for (size_t i = 0; i < n; ++i) {
        grzModelRay* ray = &work->rays[i];
        *ray = grzDefaultModelRay();
        ray->model = work->scene.model;
        ray->reach = 1;
        ray->origin = grzScale(drawDirection(&rng), 2 * work->scene.size);
        const float x = grzRng_Float(&rng), y = grzRng_Float(&rng);
        const grzVec3 part = grzVec3_Make(x, y, grzRng_Float(&rng));
        const grzVec3 target = grzAdd(box.lower, grzMul(part, grzSub(box.upper, box.lower)));
        ray->direction = grzScale(grzSub(target, ray->origin), 2);
    }
    findExpectedTimes(work);
    return true;
}

static RaySide* addRaySide(Bench* bench, RayWork* work, const char* name, BenchRunFn* run) {
    const size_t k = work->count++, n = work->scene.queryCount;
    RaySide* side = &work->sides[k];
    side->work = work;
    side->differences = &work->differences[k];
    side->times = Bench_Allocate(bench, n, sizeof *side->times);
    work->bench[k] = (BenchSide){name, NULL, run, digestTimes, timesAgree, side, clearTimes};
    if (side->times != NULL)
        clearTimes(side);
    return side;
}

static void addRayPeers(Bench* bench, RayWork* work) {
#if defined(GRAZE_PEERS)
    const PeerRays* const peers[] = {&peerEmbreeRays, &peerBulletRays};
    if (!Bench_WantsPeers(bench))
        return;
    for (size_t i = 0; i < sizeof peers / sizeof peers[0] && !bench->failed; ++i) {
        const PeerMesh mesh = {work->scene.positions, work->scene.triangles, work->scene.vertexCount,
                               work->scene.triangleCount};
        RaySide* side = addRaySide(bench, work, peers[i]->name, castPeer);
        side->peer = peers[i];
        side->made = peers[i]->create(&mesh);
    }
#else
    (void)bench, (void)work;
#endif
}

static void releaseRays(Bench* bench, RayWork* work) {
    const size_t n = work->scene.queryCount;
    for (size_t i = 0; i < work->count; ++i) {
        Bench_Release(bench, work->sides[i].times, n, sizeof *work->sides[i].times);
#if defined(GRAZE_PEERS)
        if (work->sides[i].peer != NULL)
            work->sides[i].peer->destroy(work->sides[i].made);
#endif
    }
    Bench_Release(bench, work->rays, n, sizeof *work->rays);
    Bench_Release(bench, work->expected, n, sizeof *work->expected);
    ModelScene_Release(bench, &work->scene);
}

static void rayCase(Bench* bench) {
    RayWork work = {.count = 0};
    if (ModelScene_Make(bench, Bench_Size(bench, 6000, 2000), queryCount(bench), &work.scene) &&
        makeRays(bench, &work)) {
        addRaySide(bench, &work, "graze", castOurs);
        addRayPeers(bench, &work);
        const BenchJob job = {.variant = work.scene.name,
                              .metric = "closest",
                              .unit = "ns/ray",
                              .amount = (double)work.scene.queryCount,
                              .n = work.scene.triangleCount,
                              .workers = 1,
                              .sides = work.bench,
                              .sideCount = work.count};
        if (!bench->failed) {
            Bench_Measure(bench, &job);
            countDifferences(bench, &work.scene, work.bench, work.differences, work.count, work.scene.name);
        }
    }
    releaseRays(bench, &work);
}

// ----------------------------------------------------------------------------------------------------------- shapes

typedef struct ShapeWork ShapeWork;

typedef struct ShapeSide {
    const ShapeWork* work;
    uint8_t* touches; // 0: not asked, 1: no, 2: yes, 3: refused
    size_t* differences;
    grzModelContacts* contacts; // ours, where contacts are made
#if defined(GRAZE_PEERS)
    const PeerShapes* peer;
    void* made;
#endif
} ShapeSide;

struct ShapeWork {
    const ModelScene* scene;
    const char* name;
    grzConvex shape;
    grzTransform* poses;
    uint8_t* expected; // by every triangle
    const grzModelEdges* edges;
    ShapeSide sides[mostSides];
    BenchSide bench[mostSides];
    size_t differences[mostSides];
    size_t count;
};

static grzModelShape makeShapeQuery(const ShapeWork* work, size_t i) {
    grzModelShape query = grzDefaultModelShape();
    query.model = work->scene->model;
    query.shape = work->shape;
    query.shapePose = work->poses[i];
    return query;
}

static void touchOurs(void* context) {
    ShapeSide* side = context;
    for (size_t i = 0; i < side->work->scene->queryCount; ++i) {
        const grzModelShape query = makeShapeQuery(side->work, i);
        grzModelTouch touch;
        side->touches[i] = !grzResult_IsOk(grzModel_TouchShape(&query, &touch)) ? 3 : touch.isTouching ? 2 : 1;
    }
}

static void collideOurs(void* context) {
    ShapeSide* side = context;
    grzModelContactQuery query = grzDefaultModelContactQuery();
    query.edges = side->work->edges;
    query.shape = side->work->shape;
    query.shapeBody.index1 = 1;
    for (size_t i = 0; i < side->work->scene->queryCount; ++i) {
        query.shapePose = side->work->poses[i];
        const bool isGood = grzResult_IsOk(grzModelContacts_Find(side->contacts, &query));
        side->touches[i] = !isGood ? 3 : grzModelContacts_GetView(side->contacts).count > 0 ? 2 : 1;
    }
}

#if defined(GRAZE_PEERS)
static void runPeer(void* context) {
    ShapeSide* side = context;
    side->peer->run(side->made, side->work->poses, side->work->scene->queryCount, side->touches);
}
#endif

static void clearTouches(void* context) {
    ShapeSide* side = context;
    memset(side->touches, 0, side->work->scene->queryCount);
}

static uint64_t digestTouches(void* context) {
    const ShapeSide* side = context;
    return Bench_Digest(0, side->touches, side->work->scene->queryCount);
}

// Whether our answer is another one a little beside.
static bool isOnTheEdge(const ShapeWork* work, size_t i) {
    for (int axis = 0; axis < 6; ++axis) {
        grzModelShape query = makeShapeQuery(work, i);
        float offset[3] = {0, 0, 0};
        grzModelTouch touch;
        offset[axis % 3] = (axis < 3 ? 1e-4F : -1e-4F) * work->scene->size;
        query.shapePose.origin = grzAdd(query.shapePose.origin, grzVec3_Load(offset));
        if (!grzResult_IsOk(grzModel_TouchShape(&query, &touch)) || touch.isTouching != (work->expected[i] == 2))
            return true;
    }
    return false;
}

static bool touchesAgree(void* context) {
    ShapeSide* side = context;
    const size_t n = side->work->scene->queryCount, allowed = side == &side->work->sides[0] ? 0 : 1 + n / 100;
    size_t wrong = 0;
    *side->differences = 0;
    for (size_t i = 0; i < n; ++i) {
        if (side->touches[i] == side->work->expected[i])
            continue;
        ++*side->differences;
        if (side->touches[i] == 0 || side->touches[i] == 3)
            return false;
        wrong += !isOnTheEdge(side->work, i);
    }
    return wrong <= allowed;
}

// The triangles whose boxes meet the shape's, each by itself.
static bool touchesAny(const ShapeWork* work, size_t i) {
    const grzBox box = grzConvex_Box(&work->shape, work->poses[i]);
    for (size_t k = 0; k < work->scene->triangleCount; ++k) {
        grzMeshTriangle triangle;
        grzConvexDistance distance;
        grzBox own = grzBox_Empty();
        memset(&triangle, 0, sizeof triangle);
        for (size_t c = 0; c < 3; ++c) {
            triangle.vertices[c] = cornerOf(work->scene, k, c);
            own = grzBox_AddPoint(own, triangle.vertices[c]);
        }
        if (grzBox_Overlap(own, box) &&
            grzResult_IsOk(grzConvex_TriangleDistance(&work->shape, work->poses[i], &triangle, &distance)) &&
            distance.isTouching)
            return true;
    }
    return false;
}

// How far the shape reaches along a direction, posed.
static float reachAlong(const grzConvex* shape, grzTransform pose, grzVec3 direction) {
    const grzVec3 local = grzMat3_ApplyTransposed(pose.basis, direction);
    return grzDot(grzConvex_Support(shape, local), local);
}

// Lifted from a point of the surface by nine tenths to eleven tenths of what it reaches.
static grzTransform drawPose(const ShapeWork* work, grzRng* rng) {
    const size_t k = grzRng_Below(rng, (uint32_t)work->scene->triangleCount);
    const grzVec3 a = cornerOf(work->scene, k, 0), b = cornerOf(work->scene, k, 1), c = cornerOf(work->scene, k, 2);
    const grzVec3 normal = grzNormalize(grzCross(grzSub(b, a), grzSub(c, a)));
    const grzVec3 at = grzScale(grzAdd(grzAdd(a, b), c), 1.0F / 3);
    const float turn = 6.2831853F * grzRng_Float(rng);
    grzTransform pose = grzTransform_FromQuat(grzQuat_FromAxisAngle(drawDirection(rng), turn), at);
    const float lift = 0.9F + 0.2F * grzRng_Float(rng);
    pose.origin = grzAddScaled(at, lift * reachAlong(&work->shape, pose, grzNeg(normal)), normal);
    return pose;
}

static bool makePoses(Bench* bench, ShapeWork* work) {
    const size_t n = work->scene->queryCount;
    grzRng rng = grzRng_Make(6, 1);
    work->poses = Bench_Allocate(bench, n, sizeof *work->poses);
    work->expected = Bench_Allocate(bench, n, sizeof *work->expected);
    if (work->poses == NULL || work->expected == NULL)
        return false;
    for (size_t i = 0; i < n; ++i) {
        work->poses[i] = drawPose(work, &rng);
        work->expected[i] = touchesAny(work, i) ? 2 : 1;
    }
    return true;
}

static ShapeSide* addShapeSide(Bench* bench, ShapeWork* work, const char* name, BenchRunFn* run) {
    const size_t k = work->count++, n = work->scene->queryCount;
    ShapeSide* side = &work->sides[k];
    side->work = work;
    side->differences = &work->differences[k];
    side->touches = Bench_Allocate(bench, n, sizeof *side->touches);
    work->bench[k] = (BenchSide){name, NULL, run, digestTouches, touchesAgree, side, clearTouches};
    if (side->touches != NULL)
        clearTouches(side);
    return side;
}

static void addShapePeer(Bench* bench, ShapeWork* work, bool isContacts) {
#if defined(GRAZE_PEERS)
    const PeerShapes* peer = isContacts ? &peerOdeShapes : &peerFclShapes;
    const PeerMesh mesh = {work->scene->positions, work->scene->triangles, work->scene->vertexCount,
                           work->scene->triangleCount};
    void* made = Bench_WantsPeers(bench) && !bench->failed ? peer->create(&mesh, &work->shape) : NULL;
    if (made == NULL)
        return;
    ShapeSide* side = addShapeSide(bench, work, peer->name, runPeer);
    side->peer = peer;
    side->made = made;
#else
    (void)bench, (void)work, (void)isContacts;
#endif
}

static void releaseShapes(Bench* bench, ShapeWork* work) {
    const size_t n = work->scene->queryCount;
    for (size_t i = 0; i < work->count; ++i) {
        Bench_Release(bench, work->sides[i].touches, n, sizeof *work->sides[i].touches);
        grzModelContacts_Destroy(work->sides[i].contacts);
#if defined(GRAZE_PEERS)
        if (work->sides[i].peer != NULL)
            work->sides[i].peer->destroy(work->sides[i].made);
#endif
    }
    Bench_Release(bench, work->poses, n, sizeof *work->poses);
    Bench_Release(bench, work->expected, n, sizeof *work->expected);
}

static void measureShape(Bench* bench, ShapeWork* work, bool isContacts) {
    if (makePoses(bench, work)) {
        ShapeSide* ours = addShapeSide(bench, work, "graze", isContacts ? collideOurs : touchOurs);
        if (isContacts && !grzResult_IsOk(grzModelContacts_Create(bench->allocator, &ours->contacts)))
            Bench_Fail(bench, "model-shapes: no memory");
        addShapePeer(bench, work, isContacts);
        const BenchJob job = {.variant = work->name,
                              .metric = isContacts ? "contacts" : "touch",
                              .unit = "ns/query",
                              .amount = (double)work->scene->queryCount,
                              .n = work->scene->triangleCount,
                              .workers = 1,
                              .sides = work->bench,
                              .sideCount = work->count};
        if (!bench->failed) {
            Bench_Measure(bench, &job);
            countDifferences(bench, work->scene, work->bench, work->differences, work->count, work->name);
        }
    }
    releaseShapes(bench, work);
}

static grzHull* makeHull(Bench* bench, float radius) {
    float points[3 * 40];
    grzRng rng = grzRng_Make(7, 1);
    grzHullDef def = grzDefaultHullDef();
    grzHull* hull = NULL;
    for (size_t i = 0; i < 40; ++i)
        grzVec3_Store(points + 3 * i, grzScale(drawDirection(&rng), radius));
    def.positions = points, def.pointCount = 40;
    if (!grzResult_IsOk(grzHull_Create(&def, &hull)))
        Bench_Fail(bench, "model-shapes: no hull");
    return hull;
}

static void measureShapes(Bench* bench, const ModelScene* scene, const grzModelEdges* edges) {
    const float r = 0.06F * scene->size;
    const bool isContacts = edges != NULL;
    grzHull* hull = makeHull(bench, r);
    const struct {
        const char* name;
        grzConvex shape;
    } kinds[] = {{"sphere", grzMakeSphere(grzVec3_Zero(), r)},
                 {"capsule", grzMakeCapsule(grzVec3_Make(0, 0, -r), grzVec3_Make(0, 0, r), 0.5F * r)},
                 {"box", grzMakeBox(grzVec3_Zero(), grzVec3_Make(r, 0.7F * r, 0.5F * r))},
                 {"hull", grzMakeHullShape(hull)}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && !bench->failed; ++i) {
        ShapeWork work = {.scene = scene, .name = kinds[i].name, .shape = kinds[i].shape, .edges = edges};
        measureShape(bench, &work, isContacts);
    }
    grzHull_Destroy(hull);
}

static void touchCase(Bench* bench) {
    ModelScene scene;
    if (ModelScene_Make(bench, Bench_Size(bench, 6000, 2000), queryCount(bench), &scene))
        measureShapes(bench, &scene, NULL);
    ModelScene_Release(bench, &scene);
}

static grzMesh* makeTopology(Bench* bench, const ModelScene* scene) {
    grzMeshDef def = grzDefaultMeshDef();
    grzMesh* mesh = NULL;
    def.positions = scene->positions, def.vertexCount = scene->vertexCount;
    def.indices = scene->triangles, def.triangleCount = scene->triangleCount;
    if (!grzResult_IsOk(grzMesh_Create(&def, &mesh)))
        Bench_Fail(bench, "model-shapes: no mesh");
    return mesh;
}

static void contactsCase(Bench* bench) {
    ModelScene scene;
    grzMesh* mesh = NULL;
    grzModelEdges* edges = NULL;
    if (ModelScene_Make(bench, Bench_Size(bench, 6000, 2000), queryCount(bench), &scene))
        mesh = makeTopology(bench, &scene);
    if (mesh != NULL) {
        const grzMeshView view = grzMesh_GetView(mesh);
        if (grzResult_IsOk(grzModelEdges_Create(scene.model, &view, bench->allocator, &edges)))
            measureShapes(bench, &scene, edges);
        else
            Bench_Fail(bench, "model-shapes: no edges");
    }
    grzModelEdges_Destroy(edges);
    grzMesh_Destroy(mesh);
    ModelScene_Release(bench, &scene);
}

static const BenchCase cases[] = {
    {"ray", "the closest hit of rays with a mesh", rayCase, bench_usesN | bench_usesMesh | bench_usesPeers},
    {"touch", "whether spheres, capsules, boxes and hulls touch a mesh", touchCase,
     bench_usesN | bench_usesMesh | bench_usesPeers},
    {"contacts", "their contacts with it", contactsCase, bench_usesN | bench_usesMesh | bench_usesPeers},
};

const BenchStage benchModelShapes = {"model-shapes", "rays and convex shapes against a mesh", cases,
                                     sizeof cases / sizeof cases[0]};
