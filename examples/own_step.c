// A step of the host's own, without a world: boxes stand in stacks on a floor. The host owns bodies, pairs and touches;
// the stages of Graze say where bodies may come, which are near each other, where they touch, and how they move.
#include <graze/graze.h>
#include <graze/stage/pair_table.h>
#include <graze/stage/step_contacts.h>

#include <stdio.h>
#include <string.h>

enum { stackHeight = 8, boxCount = 4 * stackHeight, floorBody = boxCount, bodyCount };
enum { frameCount = 240, mostRows = boxCount * bodyCount };
static const float timeStep = 1.0f / 60, margin = 0.02f;
static const grzVec3 gravity = {0, -9.81f, 0, 0};

// Bodies are columns; the last row is the floor. Whatever stands still is in a tree of its own.
typedef struct Host {
    grzBodyState states[bodyCount];
    grzBodyMass masses[bodyCount];
    grzPosedConvex posed[bodyCount];
    grzBox boxes[bodyCount], sweeps[bodyCount];
    grzMotion motions[bodyCount];
    float radii[bodyCount], margins[mostRows];
    grzManifold manifolds[mostRows];
    grzTouch touches[2][mostRows]; // by rows of the table; of this step and of the last one
    grzTouchName names[2][mostRows][5];
    uint32_t places[mostRows], now;
    grzContactSolver* solver;
    grzTree *moving, *still;
    grzTreePairs* finder;
    grzPairTable* table;
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
    grzVec3_Store(host->masses[i].inverseInertia, grzVec3_Splat(6 * inverseMass)); // a cube of side 1
    host->masses[i].flags = inverseMass > 0 ? (uint32_t)(grz_bodyMoves | grz_bodyYields) : 0;
    host->radii[i] = 0.87f; // of what moves
    host->posed[i].shape = shape;
    const grzResult result = settle(host, i);
    grzTreeObject object = grzDefaultTreeObject();
    object.box = grzBox_Expand(host->boxes[i], 0.5f * margin), object.key = i;
    return !grzResult_IsOk(result)
               ? result
               : grzTree_InsertMany(inverseMass > 0 ? host->moving : host->still, &object, 1, NULL);
}

static grzVec3 placeOf(uint32_t box, float lowest, float apart) {
    return grzVec3_Make(2.0f * (float)(box % 4), lowest + apart * (float)(box / 4), 0);
}

static bool makeHost(Host* host) {
    const grzTreeDef trees = grzDefaultTreeDef();
    const grzPairTableDef table = grzDefaultPairTableDef();
    bool good = grzResult_IsOk(grzTree_Create(&trees, &host->moving)) &&
                grzResult_IsOk(grzTree_Create(&trees, &host->still)) &&
                grzResult_IsOk(grzTreePairs_Create((grzAllocator){0}, &host->finder)) &&
                grzResult_IsOk(grzPairTable_Create(&table, &host->table)) &&
                grzResult_IsOk(grzContactSolver_Create((grzAllocator){0}, &host->solver));
    const grzConvex crate = grzMakeBox(grzVec3_Zero(), grzVec3_Splat(0.5f));
    for (uint32_t i = 0; i < boxCount && good; ++i)
        good = grzResult_IsOk(addBody(host, i, placeOf(i, 0.52f, 1.01f), crate, 1));
    for (uint32_t i = 0; i < mostRows; ++i)
        host->margins[i] = margin;
    const grzConvex ground = grzMakeBox(grzVec3_Zero(), grzVec3_Make(50, 1, 50));
    return good && grzResult_IsOk(addBody(host, floorBody, grzVec3_Make(0, -1, 0), ground, 0));
}

// Boxes of the step, pairs of them that overlap, and which pairs are new.
static grzResult findPairs(Host* host) {
    grzPlanInput plan = grzDefaultPlanInput();
    plan.states = host->states, plan.masses = host->masses, plan.boxes = host->boxes, plan.radii = host->radii;
    plan.count = bodyCount, plan.timeStep = timeStep, plan.margin = margin, plan.gravity = gravity;
    grzResult result = grzStep_Plan(&plan, &(grzPlanOutput){host->motions, host->sweeps, NULL});
    if (grzResult_IsOk(result)) // boxes were inserted in the order of their rows
        result = grzTree_UpdateAll(host->moving, NULL, host->sweeps, boxCount);
    grzPairQuery query = grzDefaultPairQuery();
    query.treeA = host->moving, query.still = host->still, query.order = grz_pairsSorted;
    result = grzResult_IsOk(result) ? grzTreePairs_Find(host->finder, NULL, &query) : result;
    const grzTreePairsView found = grzTreePairs_GetView(host->finder);
    grzPairTableUpdate update = grzDefaultPairTableUpdate();
    update.pairs = found.pairs, update.pairCount = found.count, update.isAll = true;
    return grzResult_IsOk(result) ? grzPairTable_Update(host->table, NULL, &update) : result;
}

// A touch for each pair, at the pair's row. The impulses of the last step's touch go on.
static void makeTouches(Host* host, const grzPairTableView* view) {
    const uint32_t now = host->now = 1 - host->now;
    for (size_t i = 0, begun = 0; i < view->count; ++i) {
        const uint32_t row = view->rows[i];
        const bool isNew = begun < view->begunCount && view->begun[begun] == i;
        begun += isNew;
        grzTouchPair pair = {.bodyA = view->pairs[i].a, .bodyB = view->pairs[i].b, .friction = 0.6f};
        pair.stateA = &host->states[pair.bodyA], pair.stateB = &host->states[pair.bodyB];
        pair.previous = (grzTouchSpan){(void*)&host->touches[1 - now][row], host->names[1 - now][row], !isNew};
        const grzTouchRoom room = {(void*)&host->touches[now][row], host->names[now][row]};
        grzManifold_ToTouch(&pair, &host->manifolds[i], &room);
        host->places[i] = row * (uint32_t)(sizeof(grzTouch) / sizeof(grzTouchUnit));
    }
}

static grzResult step(Host* host) {
    grzResult result = findPairs(host);
    const grzPairTableView view = grzPairTable_GetView(host->table);
    grzConvexBatch batch = {
        .bodies = host->posed, .bodyCount = bodyCount, .pairs = view.pairs, .pairCount = (uint32_t)view.count};
    batch.margins = host->margins, batch.manifolds = host->manifolds;
    result = grzResult_IsOk(result) ? grzConvex_CollideMany(&batch) : result;
    if (!grzResult_IsOk(result))
        return result;
    makeTouches(host, &view);
    grzSolveInput input = grzDefaultSolveInput();
    input.settings.timeStep = timeStep, input.settings.gravity = gravity;
    input.states = host->states, input.masses = host->masses, input.bodyCount = bodyCount;
    input.units = (void*)host->touches[host->now], input.places = host->places, input.touchCount = batch.pairCount;
    result = grzStep_Solve(host->solver, &input);
    for (uint32_t i = 0; i < boxCount && grzResult_IsOk(result); ++i)
        result = settle(host, i);
    return result;
}

static bool doStand(const Host* host) { // by geometry
    uint32_t i = 0;
    while (i < boxCount && grzDistance(host->states[i].center, placeOf(i, 0.5f, 1)) < 0.03f)
        ++i;
    return i == boxCount;
}

int main(void) {
    static Host host;
    memset(&host, 0, sizeof host);
    bool good = makeHost(&host);
    for (int frame = 0; frame < frameCount && good; ++frame)
        good = grzResult_IsOk(step(&host));
    printf("the last box lies at %.3f\n", (double)host.states[boxCount - 1].center.y);
    grzContactSolver_Destroy(host.solver);
    grzPairTable_Destroy(host.table);
    grzTreePairs_Destroy(host.finder);
    grzTree_Destroy(host.still);
    grzTree_Destroy(host.moving);
    return good && doStand(&host) ? 0 : 1;
}
