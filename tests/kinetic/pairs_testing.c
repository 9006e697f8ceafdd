// What: see pairs_testing.h.
#include "pairs_testing.h"

#include <math.h>

void* takeZeros(size_t count, size_t size) {
    void* memory = calloc(count + 1, size);
    assert_non_null(memory);
    return memory;
}

// ---- meshes ----

// A sheet that slides and waves; the rougher, the more its vertices go apart.
static void placeFrames(Mesh* mesh, grzRng* rng, float offset, float roughness) {
    const float size = 2.0F / (float)(mesh->side - 1);
    for (int f = 0; f < MESH_FRAMES; ++f)
        for (uint32_t v = 0; v < mesh->vertexCount; ++v) {
            const float x = size * (float)(v % mesh->side), y = size * (float)(v / mesh->side), t = (float)f;
            float* to = mesh->frames[f] + 3 * (size_t)v;
            to[0] = offset + x + 0.05F * t;
            to[1] = y;
            to[2] = offset * (1 - t / 2) + 0.2F * sinf(3 * x + 2 * y + t) + roughness * (grzRng_Float(rng) - 0.5F);
        }
}

void refitMesh(const Mesh* mesh) {
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = mesh->positions, refit.numbering = grz_bvhCallersNumbers;
    ok(grzBvh_Refit(mesh->bvh, NULL, &refit, mesh->nodes));
}

void makeMeshPlan(Mesh* mesh, int frames) {
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.vertexCount = mesh->vertexCount;
    if (mesh->kind == byPaths) {
        def.kind = grz_planPaths;
        def.positions = mesh->frames[0], def.velocities = mesh->velocities;
    }
    ok(grzFlightplan_Create(&def, &mesh->plan));
    for (int f = 0; f < frames && mesh->kind == byFrames; ++f)
        ok(grzFlightplan_AddKeyframe(mesh->plan, f, mesh->frames[f], 0));
}

void makeMeshUpkeep(Mesh* mesh, uint32_t ways, bool isLazy) {
    grzUpkeepDef def = grzDefaultUpkeepDef();
    def.bvh = mesh->bvh, def.plan = mesh->plan;
    def.ways = ways, def.isLazy = isLazy;
    grzUpkeep_Destroy(mesh->upkeep);
    ok(grzUpkeep_Create(&def, &mesh->upkeep));
}

Mesh makePairMesh(grzRng* rng, Kind kind, uint32_t side, float offset, float roughness) {
    Mesh mesh = {
        .kind = kind, .side = side, .vertexCount = side * side, .triangleCount = 2 * (side - 1) * (side - 1)};
    for (int f = 0; f < MESH_FRAMES; ++f)
        mesh.frames[f] = takeZeros(3 * (size_t)mesh.vertexCount, sizeof(float));
    mesh.velocities = takeZeros(3 * (size_t)mesh.vertexCount, sizeof(float));
    mesh.positions = takeZeros(3 * (size_t)mesh.vertexCount, sizeof(float));
    mesh.triangles = takeZeros(3 * (size_t)mesh.triangleCount, sizeof(uint32_t));
    for (uint32_t i = 0; i < mesh.triangleCount / 2; ++i) {
        const uint32_t corner = i / (side - 1) * side + i % (side - 1);
        const uint32_t six[6] = {corner, corner + 1, corner + side, corner + 1, corner + side + 1, corner + side};
        memcpy(mesh.triangles + 6 * (size_t)i, six, sizeof six);
    }
    placeFrames(&mesh, rng, offset, roughness);
    for (uint32_t i = 0; i < 3 * mesh.vertexCount; ++i)
        mesh.velocities[i] = 0.3F * (mesh.frames[1][i] - mesh.frames[0][i]);
    memcpy(mesh.positions, mesh.frames[0], 3 * (size_t)mesh.vertexCount * sizeof(float));
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = mesh.frames[0], def.vertexCount = mesh.vertexCount;
    def.triangles = mesh.triangles, def.triangleCount = mesh.triangleCount;
    ok(grzBvh_Create(&def, &mesh.bvh));
    mesh.nodes = takeZeros(grzBvh_GetView(mesh.bvh).nodeCount, sizeof(grzBvhNode));
    refitMesh(&mesh);
    if (kind == byFrames || kind == byPaths) {
        makeMeshPlan(&mesh, MESH_FRAMES);
        makeMeshUpkeep(&mesh, 0, false);
    }
    return mesh;
}

void dropPairMesh(Mesh* mesh) {
    grzUpkeep_Destroy(mesh->upkeep);
    grzFlightplan_Destroy(mesh->plan);
    grzBvh_Destroy(mesh->bvh);
    for (int f = 0; f < MESH_FRAMES; ++f)
        free(mesh->frames[f]);
    free(mesh->velocities), free(mesh->positions), free(mesh->triangles), free(mesh->nodes);
}

static grzTransform drawPose(grzRng* rng) {
    const grzVec3 axis = grzVec3_Make(grzRng_Float(rng) - 0.5F, grzRng_Float(rng) - 0.5F, 1);
    const grzQuat turn = grzQuat_FromAxisAngle(grzNormalize(axis), 0.5F * grzRng_Float(rng));
    return grzTransform_FromQuat(turn, grzVec3_Make(0.2F * grzRng_Float(rng), 0.1F, 0.2F * grzRng_Float(rng)));
}

void placeAt(Mesh* mesh, grzTasks* tasks, grzRng* rng, double time) {
    const size_t count = 3 * (size_t)mesh->vertexCount;
    if (mesh->upkeep != NULL) {
        ok(grzUpkeep_Advance(mesh->upkeep, tasks, time, NULL));
        ok(grzFlightplan_Evaluate(mesh->plan, tasks, time, mesh->positions, 0));
    }
    if (mesh->kind == posed)
        mesh->pose = drawPose(rng), mesh->isPosed = true;
    for (size_t i = 0; i < count && mesh->kind == simulated; ++i)
        mesh->positions[i] += 0.01F * (grzRng_Float(rng) - 0.5F);
    refitMesh(mesh);
}

// ---- what is searched ----

grzUpkeepPairsSide pairsSideOf(const Mesh* mesh) {
    grzUpkeepPairsSide side = {.upkeep = mesh->upkeep, .numbering = grz_bvhCallersNumbers};
    if (mesh->upkeep == NULL) {
        side.bvh = mesh->bvh, side.nodes = mesh->nodes, side.positions = mesh->positions;
        side.isSimulated = mesh->kind == simulated;
    }
    return side;
}

grzUpkeepPairsDef pairsDefOf(const Mesh* a, const Mesh* b) {
    grzUpkeepPairsDef def = grzDefaultUpkeepPairsDef();
    def.a = pairsSideOf(a);
    if (b != NULL)
        def.b = pairsSideOf(b);
    return def;
}

// searches: as in the def.
grzUpkeepPairs* makePairs(const Mesh* a, const Mesh* b, uint32_t searches) {
    grzUpkeepPairsDef def = pairsDefOf(a, b);
    grzUpkeepPairs* pairs;
    def.searches = searches;
    ok(grzUpkeepPairs_Create(&def, &pairs));
    return pairs;
}

grzUpkeepPairsQuery pairsQueryOf(const Mesh* a, const Mesh* b, grzPairPrecision precision, float margin) {
    grzUpkeepPairsQuery query = grzDefaultUpkeepPairsQuery();
    query.precision = precision, query.margin = margin, query.bodyPair = 7;
    query.poseA = a->isPosed ? &a->pose : NULL;
    query.poseB = b != NULL && b->isPosed ? &b->pose : NULL;
    return query;
}

// ---- the reference ----

void addKey(Keys* keys, uint32_t a, uint32_t b) {
    if (keys->count == keys->room) {
        keys->room = 2 * keys->room + 64;
        keys->keys = realloc(keys->keys, keys->room * sizeof *keys->keys);
        assert_non_null(keys->keys);
    }
    keys->keys[keys->count++] = (uint64_t)a << 32 | b;
}

static int compareKeys(const void* a, const void* b) {
    const uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return x < y ? -1 : x > y;
}

// In the common frame.
static grzBox boxOfTriangle(const Mesh* mesh, uint32_t triangle) {
    grzBox box = grzBox_Empty();
    for (int k = 0; k < 3; ++k) {
        const grzVec3 at = grzVec3_Load(mesh->positions + 3 * (size_t)mesh->triangles[3 * triangle + (uint32_t)k]);
        box = grzBox_AddPoint(box, mesh->isPosed ? grzTransform_Apply(mesh->pose, at) : at);
    }
    return box;
}

static bool areNear(grzBox a, grzBox b, float margin) {
    const grzVec3 by = grzVec3_Splat(margin);
    return grzBox_Overlap(grzBox_Make(grzSub(a.lower, by), grzAdd(a.upper, by)), b);
}

static bool shareVertex(const Mesh* mesh, uint32_t a, uint32_t b) {
    for (uint32_t k = 0; k < 9; ++k)
        if (mesh->triangles[3 * a + k / 3] == mesh->triangles[3 * b + k % 3])
            return true;
    return false;
}

static void addTriangles(Keys* keys, const Mesh* a, const Mesh* b, uint32_t leafA, uint32_t leafB, float margin,
                         bool testsTriangles) {
    const grzBvhView viewA = grzBvh_GetView(a->bvh), viewB = grzBvh_GetView(b->bvh);
    for (uint32_t k = 0; k < 16; ++k) {
        const uint32_t i = 4 * leafA + k / 4, j = 4 * leafB + k % 4;
        if (i >= viewA.triangleCount || j >= viewB.triangleCount || (a == b && leafA == leafB && i >= j))
            continue;
        const uint32_t x = viewA.triangleToCaller[i], y = viewB.triangleToCaller[j];
        if (testsTriangles && !areNear(boxOfTriangle(a, x), boxOfTriangle(b, y), margin))
            continue;
        if (a != b)
            addKey(keys, x, y);
        else if (!shareVertex(a, x, y))
            addKey(keys, x < y ? x : y, x < y ? y : x);
    }
}

static grzBox boxOfLeaf(const Mesh* mesh, uint32_t leaf) {
    const grzBvhView view = grzBvh_GetView(mesh->bvh);
    grzBox box = grzBox_Empty();
    for (uint32_t i = 4 * leaf; i < 4 * leaf + 4 && i < view.triangleCount; ++i)
        box = grzBox_Union(box, boxOfTriangle(mesh, view.triangleToCaller[i]));
    return box;
}

// All leaves of both within the margin, each tested against each, and their triangles.
Keys expectedOf(const Mesh* a, const Mesh* b, float margin, bool testsTriangles) {
    Keys keys = {0};
    const Mesh* other = b != NULL ? b : a;
    const uint32_t leavesA = grzBvh_GetView(a->bvh).leafCount, leavesB = grzBvh_GetView(other->bvh).leafCount;
    grzBox* boxes = takeZeros(leavesB, sizeof *boxes);
    for (uint32_t i = 0; i < leavesB; ++i)
        boxes[i] = boxOfLeaf(other, i);
    for (uint32_t i = 0; i < leavesA; ++i) {
        const grzBox box = boxOfLeaf(a, i);
        for (uint32_t j = b != NULL ? 0 : i; j < leavesB; ++j)
            if (areNear(box, boxes[j], margin))
                addTriangles(&keys, a, other, i, j, margin, testsTriangles);
    }
    free(boxes);
    if (keys.count != 0)
        qsort(keys.keys, keys.count, sizeof *keys.keys, compareKeys);
    return keys;
}

// All expected ones are there; where it is exact, no others.
void expectKeys(const grzUpkeepPairs* pairs, const Keys* keys, bool isExact) {
    const grzUpkeepPairsView view = grzUpkeepPairs_GetView(pairs);
    size_t at = 0;
    for (size_t i = 0; i < view.count; ++i) {
        const grzTrianglePair* pair = &view.pairs[i];
        const uint64_t key = (uint64_t)pair->triangleA << 32 | pair->triangleB;
        assert_int_equal(pair->bodyPair, 7);
        if (i != 0)
            assert_true(grzTrianglePair_KeyWord(pair, 1) > grzTrianglePair_KeyWord(pair - 1, 1));
        if (at < keys->count && keys->keys[at] == key)
            ++at;
        else if (isExact)
            fail_msg("triangles %u and %u are not expected", pair->triangleA, pair->triangleB);
    }
    assert_int_equal(at, keys->count);
}

// All precisions, at the time where both meshes are.
// The triangles of all leaves that are active.
static void expectLeaves(const grzUpkeepPairs* pairs, const Mesh* a, const Mesh* b, const Keys* tight,
                         bool isExact) {
    const grzUpkeepLeavesView view = grzUpkeepPairs_GetLeaves(pairs);
    const Mesh* second = b != NULL ? b : a;
    Keys found = {0};
    size_t at = 0;
    for (size_t i = 0; i < view.count; ++i)
        if (view.active == NULL || (view.active[i / 64] >> i % 64 & 1) != 0)
            addTriangles(&found, a, second, view.isTurned ? view.pairs[i].leafB : view.pairs[i].leafA,
                         view.isTurned ? view.pairs[i].leafA : view.pairs[i].leafB, 0, false);
    if (found.count != 0)
        qsort(found.keys, found.count, sizeof *found.keys, compareKeys);
    for (size_t i = 0; i < found.count; ++i)
        at += at < tight->count && tight->keys[at] == found.keys[i];
    assert_int_equal(at, tight->count);
    assert_true(!isExact || found.count == tight->count);
    free(found.keys);
}

void expectAll(grzUpkeepPairs* pairs, grzTasks* tasks, const Mesh* a, const Mesh* b, float margin, Counts* counts) {
    const bool isExact = !a->isPosed && (b == NULL || !b->isPosed);
    Keys tight = expectedOf(a, b, margin, false), triangles = expectedOf(a, b, margin, true);
    for (int precision = grz_conservativePairs; precision <= grz_trianglePairs; ++precision) {
        const grzUpkeepPairsQuery query = pairsQueryOf(a, b, (grzPairPrecision)precision, margin);
        ok(grzUpkeepPairs_Find(pairs, tasks, &query));
        assert_true(grzUpkeepPairs_Validate(pairs, &query));
        expectKeys(pairs, precision == grz_trianglePairs ? &triangles : &tight,
                   isExact && precision != grz_conservativePairs);
        const size_t count = grzUpkeepPairs_GetView(pairs).count;
        counts->conservative += precision == grz_conservativePairs ? count : 0;
        counts->tight += precision == grz_tightPairs ? count : 0;
        counts->triangles += precision == grz_trianglePairs ? count : 0;
    }
    grzUpkeepPairsQuery query = pairsQueryOf(a, b, grz_conservativePairs, margin);
    query.endsAtLeaves = true;
    for (int isTight = 0; isTight < 2; ++isTight) {
        query.precision = isTight != 0 ? grz_tightPairs : grz_conservativePairs;
        ok(grzUpkeepPairs_Find(pairs, tasks, &query));
        assert_true(grzUpkeepPairs_Validate(pairs, &query));
        assert_int_equal(grzUpkeepPairs_GetView(pairs).count, 0);
        expectLeaves(pairs, a, b, &tight, isExact && isTight != 0);
    }
    free(tight.keys), free(triangles.keys);
}
