// A step of the host's own, without a world: boxes stand in stacks on a floor. The host owns bodies, pairs and contacts, as arrays.
// The six stages of a step say where bodies may come, which pairs there are, how their contacts are found, where they touch, how they
// move, and what there is to know of it.
#include <graze/graze.h>
#include <graze/stage/pair_table.h>
#include <graze/stage/step_contacts.h>

#include <stdio.h>
#include <string.h>

enum { stackHeight = 8, boxCount = 4 * stackHeight, floorBody = boxCount, bodyCount };
enum { frameCount = 240, mostPairs = bodyCount * bodyCount / 2, mostContacts = 4 * mostPairs };
static const float timeStep = 1.0f / 60, margin = 0.02f;
static const grzVec3 gravity = {0, -9.81f, 0, 0};

typedef struct Host {
    // Bodies are columns; the last row is the floor.
    grzBodyState states[bodyCount], starts[bodyCount];
    grzBodyMass masses[bodyCount];
    grzShapeTraits traits[bodyCount];
    grzPosedConvex posed[bodyCount];
    uint8_t moved[bodyCount];
    grzBox boxes[bodyCount], sweeps[bodyCount];
    grzMotion motions[bodyCount];
    // Pairs last from step to step. Manifolds do not.
    grzPairRow rows[2 * mostPairs];
    grzPairBlock blocks[mostPairs / GRZ_PAIR_BLOCK + 1];
    grzStepPairs pairs;
    uint32_t places[mostPairs];
    grzBodyPair bodies[mostPairs];
    float margins[mostPairs], impulses[mostContacts];
    grzManifold manifolds[mostPairs];
    grzContact contacts[mostContacts];
    grzVec3 frictions[mostContacts];
    grzEvent events[2 * mostPairs];
    grzTree* tree;
    grzTreePairs* finder;
    grzPairTable* table;
    grzTouches* touches;
    grzContactSolver* solver;
} Host;

// Brings pose and box to where the state is.
static void settle(Host* host, uint32_t i) {
    host->posed[i].pose = grzTransform_FromQuat(host->states[i].rotation, host->states[i].center);
    host->boxes[i] = grzConvex_Box(&host->posed[i].shape, host->posed[i].pose);
    host->moved[i] = 1; // the shape is posed where a pair needs it
}

static bool addBody(Host* host, uint32_t i, grzVec3 center, grzVec3 half, float inverseMass) {
    const bool moves = inverseMass > 0;
    host->states[i] = (grzBodyState){.center = center, .rotation = grzQuat_Identity()};
    host->masses[i] = (grzBodyMass){.inverseMass = inverseMass, .gravityScale = 1};
    grzVec3_Store(host->masses[i].inverseInertia, grzVec3_Splat(6 * inverseMass)); // a cube of side 1
    host->masses[i].flags = moves ? (uint32_t)(grz_bodyMoves | grz_bodyYields) : 0;
    host->traits[i] = (grzShapeTraits){grzLength(half) * 1.001f, 0.6f, 0, grz_convexCollider, {0}};
    host->posed[i].shape = grzMakeBox(grzVec3_Zero(), half);
    settle(host, i);
    grzTreeObject object = grzDefaultTreeObject();
    object.box = host->boxes[i], object.key = i;
    return grzResult_IsOk(grzTree_InsertMany(host->tree, &object, 1, NULL));
}

static grzVec3 placeOf(uint32_t box, float lowest, float apart) {
    return grzVec3_Make(2.0f * (float)(box % 4), lowest + apart * (float)(box / 4), 0);
}

static bool makeHost(Host* host) {
    const grzTreeDef tree = grzDefaultTreeDef();
    const grzPairTableDef table = grzDefaultPairTableDef();
    const grzAllocator usual = {0};
    *host = (Host){.pairs = {.rows = host->rows, .blocks = host->blocks}}; // main may run again
    bool good = grzResult_IsOk(grzTree_Create(&tree, &host->tree)) &&
                grzResult_IsOk(grzTreePairs_Create(usual, &host->finder)) &&
                grzResult_IsOk(grzPairTable_Create(&table, &host->table)) &&
                grzResult_IsOk(grzTouches_Create(usual, &host->touches)) &&
                grzResult_IsOk(grzContactSolver_Create(usual, &host->solver));
    for (uint32_t i = 0; i < boxCount && good; ++i)
        good = addBody(host, i, placeOf(i, 0.52f, 1.01f), grzVec3_Splat(0.5f), 1);
    return good && addBody(host, floorBody, grzVec3_Make(0, -1, 0), grzVec3_Make(50, 1, 50), 0);
}

static bool findPairs(Host* host) { // plan, broad
    grzPlanInput plan = {.states = host->states, .masses = host->masses, .boxes = host->boxes, .count = bodyCount};
    plan.radii = &host->traits[0].radius, plan.radiusStride = sizeof *host->traits;
    plan.timeStep = timeStep, plan.margin = margin, plan.gravity = gravity;
    grzPairQuery query = grzDefaultPairQuery();
    query.treeA = host->tree, query.order = grz_pairsSorted;
    if (!grzResult_IsOk(grzStep_Plan(&plan, &(grzPlanOutput){host->motions, host->sweeps, host->starts})) ||
        !grzResult_IsOk(grzTree_UpdateAll(host->tree, NULL, host->sweeps, bodyCount)) || // in the order of rows
        !grzResult_IsOk(grzTreePairs_Find(host->finder, NULL, &query)))
        return false;
    const grzTreePairsView found = grzTreePairs_GetView(host->finder);
    const grzBroadInput broad = {.pairs = found.pairs, .pairCount = found.count, .rowCapacity = 2 * mostPairs};
    return grzResult_IsOk(grzStep_Broad(host->table, &broad, &host->pairs));
}

static bool findTouches(Host* host) { // mid, narrow
    grzMidInput mid = {.pairs = host->pairs, .states = host->states, .motions = host->motions};
    mid.traits = host->traits, mid.timeStep = timeStep, mid.margin = margin;
    grzCollideInput collide = {.pairs = host->pairs, .posed = host->posed, .moved = host->moved};
    collide.bodyCount = bodyCount, collide.margin = margin;
    const grzCollideOutput found = {host->places, host->bodies, host->margins, host->manifolds};
    grzNarrowInput narrow = {.pairs = host->pairs, .states = host->states, .traits = host->traits};
    narrow.places = host->places, narrow.manifolds = host->manifolds, narrow.margin = margin;
    return grzResult_IsOk(grzStep_Mid(&mid)) && grzResult_IsOk(grzStep_Collide(&collide, &found)) &&
           grzResult_IsOk(grzStep_Narrow(host->touches, &narrow));
}

// Solve, publish. *load: what the floor carries, in boxes.
static bool solve(Host* host, float* load) {
    const grzTouchesView touches = grzTouches_GetView(host->touches, host->pairs.now);
    grzSolveInput input = grzDefaultSolveInput();
    input.settings.timeStep = timeStep, input.settings.gravity = gravity;
    input.states = host->states, input.masses = host->masses, input.bodyCount = bodyCount;
    input.units = touches.units, input.places = touches.places, input.touchCount = touches.count;
    grzPublishInput publish = grzDefaultPublishInput(); // pairs that end are not asked for
    publish.pairs = host->pairs, publish.units = touches.units, publish.names = touches.names;
    publish.starts = host->starts;
    const grzTouchingInput touching = {.pairs = host->pairs, .units = touches.units};
    grzPublishOutput lists = {.contacts = host->contacts,
                              .impulses = host->impulses,
                              .frictions = host->frictions,
                              .events = host->events};
    const bool good = grzResult_IsOk(grzStep_Solve(host->solver, &input)) &&
                      grzResult_IsOk(grzStep_FindTouching(&touching)) &&
                      grzResult_IsOk(grzStep_Publish(&publish, &lists)); // without motions there are no hits
    *load = 0;
    for (size_t i = 0; i < lists.contactCount; ++i)
        *load += host->contacts[i].bodyB.index1 == floorBody + 1 ? host->impulses[i] / (9.81f * timeStep) : 0;
    for (uint32_t i = 0; i < boxCount; ++i)
        settle(host, i);
    return good;
}

int main(void) {
    static Host host;
    float load = 0;
    bool good = makeHost(&host);
    for (int frame = 0; frame < frameCount && good; ++frame)
        good = findPairs(&host) && findTouches(&host) && solve(&host, &load);
    printf("the last box lies at %.3f, the floor carries %.2f boxes\n", (double)host.states[boxCount - 1].center.y,
           (double)load);
    good = good && load > 0.99f * boxCount && load < 1.01f * boxCount;
    for (uint32_t i = 0; i < boxCount; ++i) // they stand
        good = good && grzDistance(host.states[i].center, placeOf(i, 0.5f, 1)) < 0.03f;
    grzContactSolver_Destroy(host.solver);
    grzTouches_Destroy(host.touches);
    grzPairTable_Destroy(host.table);
    grzTreePairs_Destroy(host.finder);
    grzTree_Destroy(host.tree);
    return good ? 0 : 1;
}
