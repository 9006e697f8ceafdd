// What: see adb_protocol.h.
#include "adb_protocol.h"

#include <math.h>
#include <string.h>

#include "bench_inputs.h"
#include "bench_machine.h"
#include "rng.h"

// ---- pipes ----

enum { PIPES = 4 };

// The centre line of a pipe, an arc of a helix, and its direction.
static void pipeAt(int pipe, double along, double at[3]) {
    const double angle = 6.283185307179586 * (0.25 * pipe + 0.6 * along), radius = 0.35 + 0.15 * pipe;
    at[0] = radius * cos(angle);
    at[1] = 1.6 * along - 0.8;
    at[2] = radius * sin(angle);
}

// Rings are level: the lines climb.
static void setRings(float* positions, int pipe, size_t rings, size_t around) {
    for (size_t ring = 0; ring < rings; ++ring)
        for (size_t k = 0; k < around; ++k) {
            const double angle = 6.283185307179586 * (double)k / (double)around;
            double at[3];
            float* p = positions + 3 * (ring * around + k);
            pipeAt(pipe, (double)ring / (double)(rings - 1), at);
            p[0] = (float)(at[0] + 0.12 * cos(angle));
            p[1] = (float)at[1];
            p[2] = (float)(at[2] + 0.12 * sin(angle));
        }
}

static void setSkin(uint32_t* triangles, uint32_t base, uint32_t rings, uint32_t around) {
    for (uint32_t ring = 0; ring + 1 < rings; ++ring)
        for (uint32_t k = 0; k < around; ++k) {
            const uint32_t a = base + ring * around + k, b = base + ring * around + (k + 1) % around;
            const uint32_t corners[6] = {a, a + around, b, b, a + around, b + around};
            memcpy(triangles + 6 * (ring * around + k), corners, sizeof corners);
        }
}

// Four open pipes of about n triangles together.
static bool makePipes(Bench* bench, size_t n, MeshData* mesh) {
    const double wanted = fmax((double)n / (2 * PIPES), 24);
    const size_t around = (size_t)fmax(sqrt(wanted / 4), 4), rings = (size_t)(wanted / (double)around) + 1;
    if (!grzResult_IsOk(MeshData_Create(mesh, bench->allocator, false, PIPES * rings * around,
                                        PIPES * 2 * (rings - 1) * around))) {
        Bench_Fail(bench, "adb: no memory for pipes");
        return false;
    }
    for (int pipe = 0; pipe < PIPES; ++pipe) {
        const size_t first = (size_t)pipe * rings * around;
        setRings((float*)mesh->positions + 3 * first, pipe, rings, around);
        setSkin(mesh->indices + 6 * (size_t)pipe * (rings - 1) * around, (uint32_t)first, (uint32_t)rings,
                (uint32_t)around);
    }
    return true;
}

// ---- the mesh ----

static double coordinate(const MeshData* mesh, size_t i) {
    return mesh->isDouble ? ((const double*)mesh->positions)[i] : (double)((const float*)mesh->positions)[i];
}

static void scaleMesh(const MeshData* mesh, float* positions) {
    double lower[3], upper[3], longest = 0;
    for (size_t axis = 0; axis < 3; ++axis) {
        lower[axis] = (double)INFINITY, upper[axis] = -(double)INFINITY;
        for (size_t v = 0; v < mesh->vertexCount; ++v) {
            lower[axis] = fmin(lower[axis], coordinate(mesh, 3 * v + axis));
            upper[axis] = fmax(upper[axis], coordinate(mesh, 3 * v + axis));
        }
        longest = fmax(longest, upper[axis] - lower[axis]);
    }
    for (size_t i = 0; i < 3 * mesh->vertexCount; ++i)
        positions[i] = (float)((coordinate(mesh, i) - 0.5 * (lower[i % 3] + upper[i % 3])) * 2 / longest);
}

static bool makeModel(Bench* bench, const MeshData* mesh, AdbScene* scene) {
    grzModelDef def = grzDefaultModelDef();
    char text[128];
    scene->vertexCount = mesh->vertexCount;
    scene->triangleCount = mesh->triangleCount;
    scene->positions = Bench_Allocate(bench, 3 * mesh->vertexCount, sizeof *scene->positions);
    scene->triangles = Bench_Allocate(bench, 3 * mesh->triangleCount, sizeof *scene->triangles);
    if (scene->positions == NULL || scene->triangles == NULL)
        return false;
    scaleMesh(mesh, scene->positions);
    memcpy(scene->triangles, mesh->indices, 3 * mesh->triangleCount * sizeof *scene->triangles);
    def.positions = scene->positions, def.vertexCount = scene->vertexCount;
    def.triangles = scene->triangles, def.triangleCount = scene->triangleCount;
    const grzResult result = grzModel_Create(&def, &scene->model);
    if (!grzResult_IsOk(result))
        Bench_Fail(bench, "%s: %s", scene->name, grzResult_Text(result, text, sizeof text));
    return grzResult_IsOk(result);
}

// ---- poses ----

// [Shoemake, Uniform Random Rotations, Graphics Gems III]
static grzMat3 drawRotation(grzRng* rng) {
    const float u = grzRng_Float(rng), turn = 6.2831853F;
    const float p = turn * grzRng_Float(rng), q = turn * grzRng_Float(rng);
    const float s = sqrtf(1 - u), t = sqrtf(u);
    return grzMat3_FromQuat(grzQuat_Make(s * grzSin(p), s * grzCos(p), t * grzSin(q), t * grzCos(q)));
}

static float radiusAlong(grzTransform pose, grzVec3 half, grzVec3 axis) {
    return fabsf(grzDot(pose.basis.x, axis)) * half.x + fabsf(grzDot(pose.basis.y, axis)) * half.y +
           fabsf(grzDot(pose.basis.z, axis)) * half.z;
}

// The outer boxes, by all fifteen axes; they are centred on the origins.
static bool doBoxesOverlap(const AdbScene* scene, const grzModelQuery* query) {
    const grzBox box = grzModel_GetView(scene->model).box;
    const grzVec3 half = grzScale(grzSub(box.upper, box.lower), 0.5F);
    const grzTransform *a = &query->poseA, *b = &query->poseB;
    const grzVec3 own[3] = {a->basis.x, a->basis.y, a->basis.z}, others[3] = {b->basis.x, b->basis.y, b->basis.z};
    const grzVec3 apart = grzSub(b->origin, a->origin);
    for (int k = 0; k < 15; ++k) {
        const grzVec3 axis = k < 3 ? own[k] : k < 6 ? others[k - 3] : grzCross(own[(k - 6) / 3], others[k % 3]);
        if (fabsf(grzDot(apart, axis)) > radiusAlong(*a, half, axis) + radiusAlong(*b, half, axis) + 1e-6F)
            return false;
    }
    return true;
}

// False after Bench_Fail.
static bool drawPose(Bench* bench, const AdbScene* scene, uint8_t step, grzRng* rng, AdbPoses* poses) {
    const size_t i = poses->count;
    grzModelQuery* query = &poses->queries[i];
    *query = grzDefaultModelQuery();
    query->a = query->b = scene->model;
    query->poseA = grzTransform_Make(drawRotation(rng), grzVec3_Zero());
    query->poseB = grzTransform_Make(drawRotation(rng), grzVec3_Make(0.1F * step, 0, 0));
    if (!doBoxesOverlap(scene, query))
        return true;
    poses->steps[i] = step;
    poses->count++;
    if (grzResult_IsOk(grzModels_Touch(query, &poses->touches[i], NULL)))
        return true;
    Bench_Fail(bench, "adb: a pose was refused");
    return false;
}

void AdbPoses_Release(Bench* bench, AdbPoses* poses) {
    Bench_Release(bench, poses->queries, poses->capacity, sizeof *poses->queries);
    Bench_Release(bench, poses->touches, poses->capacity, sizeof *poses->touches);
    Bench_Release(bench, poses->steps, poses->capacity, sizeof *poses->steps);
    *poses = (AdbPoses){NULL, NULL, NULL, 0, 0};
}

bool AdbPoses_Draw(Bench* bench, const AdbScene* scene, size_t orientations, uint64_t seed, AdbPoses* poses) {
    grzRng rng = grzRng_Make(seed, 1);
    AdbPoses_Release(bench, poses);
    poses->capacity = ADB_STEPS * orientations;
    poses->queries = Bench_Allocate(bench, poses->capacity, sizeof *poses->queries);
    poses->touches = Bench_Allocate(bench, poses->capacity, sizeof *poses->touches);
    poses->steps = Bench_Allocate(bench, poses->capacity, sizeof *poses->steps);
    bool isGood = poses->queries != NULL && poses->touches != NULL && poses->steps != NULL;
    for (size_t i = 0; i < poses->capacity && isGood; ++i)
        isGood = drawPose(bench, scene, (uint8_t)(i / orientations), &rng, poses);
    return isGood;
}

void AdbPoses_Shuffle(AdbPoses* poses, uint64_t seed) {
    grzRng rng = grzRng_Make(seed, 2);
    for (size_t i = poses->count; i > 1; --i) {
        const uint32_t k = grzRng_Below(&rng, (uint32_t)i);
        const grzModelQuery query = poses->queries[k];
        const bool touches = poses->touches[k];
        const uint8_t step = poses->steps[k];
        poses->queries[k] = poses->queries[i - 1], poses->queries[i - 1] = query;
        poses->touches[k] = poses->touches[i - 1], poses->touches[i - 1] = touches;
        poses->steps[k] = poses->steps[i - 1], poses->steps[i - 1] = step;
    }
}

// ---- life ----

static bool takeMesh(Bench* bench, MeshData* mesh, AdbScene* scene) {
    const bool isGood = makeModel(bench, mesh, scene);
    MeshData_Release(mesh);
    return isGood;
}

bool AdbScene_Make(Bench* bench, size_t triangles, AdbScene* scene) {
    MeshData mesh;
    memset(scene, 0, sizeof *scene);
    scene->name = "pipes";
    const bool isMade = bench->options->meshA != NULL
                            ? Bench_Mesh(bench, false, shapeTorus, triangles, &mesh, &scene->name)
                            : makePipes(bench, triangles, &mesh);
    return isMade && takeMesh(bench, &mesh, scene);
}

bool AdbScene_MakeOther(Bench* bench, size_t triangles, AdbScene* scene) {
    MeshData mesh;
    memset(scene, 0, sizeof *scene);
    return Bench_Mesh(bench, true, shapeSphere, triangles, &mesh, &scene->name) && takeMesh(bench, &mesh, scene);
}

void AdbScene_Release(Bench* bench, AdbScene* scene) {
    AdbPoses_Release(bench, &scene->poses);
    Bench_Release(bench, scene->positions, 3 * scene->vertexCount, sizeof *scene->positions);
    Bench_Release(bench, scene->triangles, 3 * scene->triangleCount, sizeof *scene->triangles);
    grzModel_Destroy(scene->model);
    memset(scene, 0, sizeof *scene);
}

// ---- tallies ----

bool AdbScene_Run(const AdbScene* scene, size_t stride, AdbAnswerFn* answer, void* context, AdbTally* tally) {
    const AdbPoses* poses = &scene->poses;
    memset(tally, 0, sizeof *tally);
    for (size_t i = 0; i < poses->count;) {
        const uint8_t step = poses->steps[i];
        const uint64_t start = benchProcessorTime();
        for (; i < poses->count && poses->steps[i] == step; i += stride) {
            bool touches;
            if (!answer(scene, i, context, &touches))
                return false;
            tally->counts[step]++;
            tally->wrong[step] += touches != poses->touches[i];
        }
        tally->times[step] += (double)(benchProcessorTime() - start);
    }
    return true;
}

static double countIn(const AdbTally* tally, int first, int last) {
    size_t count = 0;
    for (int step = first; step <= last; ++step)
        count += tally->counts[step];
    return count != 0 ? (double)count : (double)NAN;
}

double AdbTally_Error(const AdbTally* tally, int first, int last) {
    size_t wrong = 0;
    for (int step = first; step <= last; ++step)
        wrong += tally->wrong[step];
    return (double)wrong / countIn(tally, first, last);
}

double AdbTally_Time(const AdbTally* tally, int first, int last) {
    double time = 0;
    for (int step = first; step <= last; ++step)
        time += tally->times[step];
    return time / countIn(tally, first, last);
}
