// A step of the host's own, without a world: balls fall on a floor. Graze says where bodies may come, which of them are
// near each other, since when, and where they are in contact; the host solves, with the simplest solver there is.
#include <graze/graze.h>
#include <graze/stage/pair_table.h>
#include <graze/stage/step.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    ballCount = 60,
    floorBody = ballCount,
    bodyCount,
    frameCount = 180,
    iterations = 20,
    mostPairs = ballCount * bodyCount / 2
};

static const float timeStep = 1.0f / 60, margin = 0.1f;
static const grzVec3 gravity = {0, -9.81f, 0, 0};

// Bodies are columns; the last row is the floor. Whatever stands still is in a tree of its own.
typedef struct Host {
    grzBodyState states[bodyCount];
    grzBodyMass masses[bodyCount];
    grzPosedConvex posed[bodyCount];
    grzBox boxes[bodyCount], sweeps[bodyCount];
    grzMotion motions[bodyCount];
    float radii[bodyCount], margins[mostPairs];
    grzManifold manifolds[mostPairs];
    grzTree *moving, *still;
    grzTreePairs* finder;
    grzPairTable* table;
    size_t begun;
} Host;

// Brings pose and box to where the state is.
static grzResult settle(Host* host, uint32_t i) {
    const grzTransform pose = grzTransform_FromQuat(host->states[i].rotation, host->states[i].center);
    host->boxes[i] = grzConvex_Box(&host->posed[i].shape, pose);
    return grzConvex_Pose(&host->posed[i].shape, pose, &host->posed[i]);
}

static grzResult addBody(Host* host, uint32_t i, grzVec3 center, grzConvex shape, float inverseMass) {
    host->states[i] = (grzBodyState){.center = center, .rotation = grzQuat_Identity()};
    host->masses[i] = (grzBodyMass){.inverseMass = inverseMass, .gravityScale = 1};
    host->masses[i].flags = inverseMass > 0 ? (uint32_t)(grz_bodyMoves | grz_bodyYields) : 0;
    host->radii[i] = shape.radius;
    host->posed[i].shape = shape;
    const grzResult result = settle(host, i);
    grzTreeObject object = grzDefaultTreeObject();
    object.box = grzBox_Expand(host->boxes[i], 0.5f * margin), object.key = i;
    grzTree* tree = inverseMass > 0 ? host->moving : host->still;
    return grzResult_IsOk(result) ? grzTree_InsertMany(tree, &object, 1, NULL) : result;
}

static grzResult makeHost(Host* host) {
    const grzTreeDef treeDef = grzDefaultTreeDef();
    const grzPairTableDef tableDef = grzDefaultPairTableDef();
    grzResult result = grzTree_Create(&treeDef, &host->moving);
    if (grzResult_IsOk(result))
        result = grzTree_Create(&treeDef, &host->still);
    if (grzResult_IsOk(result))
        result = grzTreePairs_Create((grzAllocator){0}, &host->finder);
    if (grzResult_IsOk(result))
        result = grzPairTable_Create(&tableDef, &host->table);
    for (uint32_t i = 0; i < ballCount && grzResult_IsOk(result); ++i) {
        const grzVec3 at =
            grzVec3_Make(1.2f * (float)(i % 4), 0.6f + 1.1f * (float)(i / 16), 1.2f * (float)(i / 4 % 4));
        result = addBody(host, i, at, grzMakeSphere(grzVec3_Zero(), 0.5f), 1);
    }
    for (uint32_t i = 0; i < mostPairs; ++i)
        host->margins[i] = margin;
    const grzConvex ground = grzMakeBox(grzVec3_Zero(), grzVec3_Make(50, 1, 50));
    return grzResult_IsOk(result) ? addBody(host, floorBody, grzVec3_Make(0, -1, 0), ground, 0) : result;
}

// Boxes of the step, pairs of them that overlap, and which pairs are new.
static grzResult findPairs(Host* host) {
    grzPlanInput plan = grzDefaultPlanInput();
    plan.states = host->states, plan.masses = host->masses, plan.boxes = host->boxes, plan.radii = host->radii;
    plan.count = bodyCount, plan.timeStep = timeStep, plan.margin = margin, plan.gravity = gravity;
    grzResult result = grzStep_Plan(&plan, &(grzPlanOutput){host->motions, host->sweeps, NULL});
    if (grzResult_IsOk(result)) // balls were inserted in the order of their rows
        result = grzTree_UpdateAll(host->moving, NULL, host->sweeps, ballCount);
    grzPairQuery query = grzDefaultPairQuery();
    query.treeA = host->moving, query.still = host->still, query.order = grz_pairsSorted;
    if (grzResult_IsOk(result))
        result = grzTreePairs_Find(host->finder, NULL, &query);
    if (!grzResult_IsOk(result))
        return result;
    const grzTreePairsView found = grzTreePairs_GetView(host->finder);
    grzPairTableUpdate update = grzDefaultPairTableUpdate();
    update.pairs = found.pairs, update.pairCount = found.count, update.isAll = true;
    return grzPairTable_Update(host->table, NULL, &update);
}

// No two points may come nearer than they are; overlaps shrink by a fifth each step.
static void solvePoint(Host* host, grzBodyPair pair, grzVec3 normal, float separation) {
    grzBodyState *a = &host->states[pair.a], *b = &host->states[pair.b];
    const float massA = host->masses[pair.a].inverseMass, massB = host->masses[pair.b].inverseMass;
    const float speed = grzDot(grzSub(b->velocity, a->velocity), normal);
    const float allowed = (separation > 0 ? separation : 0.2f * separation) / timeStep;
    const float impulse = fmaxf(0, -(speed + allowed) / (massA + massB));
    a->velocity = grzAddScaled(a->velocity, -impulse * massA, normal);
    b->velocity = grzAddScaled(b->velocity, impulse * massB, normal);
}

static grzResult step(Host* host) {
    grzResult result = findPairs(host);
    const grzPairTableView view = grzPairTable_GetView(host->table);
    const grzConvexBatch batch = {.bodies = host->posed,
                                  .pairs = view.pairs,
                                  .margins = host->margins,
                                  .manifolds = host->manifolds,
                                  .bodyCount = bodyCount,
                                  .pairCount = (uint32_t)view.count};
    if (grzResult_IsOk(result))
        result = grzConvex_CollideMany(&batch);
    if (!grzResult_IsOk(result))
        return result;
    host->begun += view.begunCount;
    for (uint32_t i = 0; i < ballCount; ++i)
        host->states[i].velocity = grzAddScaled(host->states[i].velocity, timeStep, gravity);
    for (int round = 0; round < iterations; ++round)
        for (size_t i = 0; i < view.count; ++i)
            for (uint32_t k = 0; k < host->manifolds[i].pointCount; ++k)
                solvePoint(host, view.pairs[i], host->manifolds[i].normal, host->manifolds[i].points[k].separation);
    for (uint32_t i = 0; i < ballCount && grzResult_IsOk(result); ++i) {
        host->states[i].center = grzAddScaled(host->states[i].center, timeStep, host->states[i].velocity);
        result = settle(host, i);
    }
    return result;
}

int main(void) {
    static Host host;
    memset(&host, 0, sizeof host);
    grzResult result = makeHost(&host);
    for (int frame = 0; frame < frameCount && grzResult_IsOk(result); ++frame)
        result = step(&host);
    printf("%zu pairs began; the first ball lies at %.2f\n", host.begun, (double)host.states[0].center.y);
    grzPairTable_Destroy(host.table);
    grzTreePairs_Destroy(host.finder);
    grzTree_Destroy(host.still);
    grzTree_Destroy(host.moving);
    return grzResult_IsOk(result) && host.states[0].center.y > 0.4f ? 0 : 1;
}
