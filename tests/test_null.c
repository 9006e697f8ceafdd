// Calls each public function with each of its pointers NULL, one at a time (null_calls.cmake). No call may crash. A
// call with a result must refuse NULL, unless the pointer stands in the list of those that may be NULL.
//
// The calls run in a child process, so that a crash costs one call and names it. Other arguments are valid objects,
// defaults or zeros. Each call runs several times: with different bodies, and with 0 and 1 for numbers such as counts.
#define _DEFAULT_SOURCE // fork and mmap, beside C17

#include "testing.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <graze/graze.h>
#include <graze/stage/adb_tree.h>
#include <graze/stage/leaf_triangles.h>
#include <graze/stage/node_pairs.h>
#include <graze/stage/pair_fronts.h>
#include <graze/stage/pair_table.h>
#include <graze/stage/step.h>
#include <graze/stage/step_contacts.h>
#include <graze/stage/time_critical.h>
#include <graze/stage/upkeep_pairs.h>

// ---- what the calls are given ----

enum { blankBytes = 1 << 16, bodyKinds = 6, sizes = 3, plans = 2, rounds = bodyKinds * sizes * plans };

static const float corners[3 * 1024] = {0, 0, 0, 1, 0, 0,
                                        0, 1, 0, 0, 0, 1}; // zeros behind: vertices that a plan gets more of
static const uint32_t faces[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
static const grzAllocator usual = {NULL, NULL, NULL};

// These differ from round to round: counts, indices and lengths; times, strides and counts of bytes; a body of each
// kind and none; and plans of keyframes and of paths.
static int theNumber, theSize, thePlan;
static grzBodyId theBodies[bodyKinds], theBody;

static void require(grzResult result) {
    char text[256];
    if (!grzResult_IsOk(result))
        fail_msg("what the calls need is refused: %s", grzResult_Text(result, text, sizeof text));
}

// Zeros again for each call.
static void* blank(void) {
    static char blanks[16][blankBytes];
    static int next;
    next = (next + 1) % 16;
    memset(blanks[next], 0, blankBytes);
    return blanks[next];
}

// ---- objects ----

// What a type's Create makes of an allocator alone; made once.
#define GIVEN_OF_ALLOCATOR(Name)                                                                                   \
    static grz##Name* given_grz##Name(void) {                                                                      \
        static grz##Name* made;                                                                                    \
        if (made == NULL)                                                                                          \
            require(grz##Name##_Create(usual, &made));                                                             \
        return made;                                                                                               \
    }

// What it makes of a def, after the statements that fill `def` in.
#define GIVEN_OF_DEF(Name, ...)                                                                                    \
    static grz##Name* given_grz##Name(void) {                                                                      \
        static grz##Name* made[plans];                                                                             \
        if (made[thePlan] == NULL) {                                                                               \
            grz##Name##Def def = grzDefault##Name##Def();                                                          \
            __VA_ARGS__;                                                                                           \
            require(grz##Name##_Create(&def, &made[thePlan]));                                                     \
        }                                                                                                          \
        return made[thePlan];                                                                                      \
    }

static void giveCorners(grzBvhDef* def) {
    def->positions = corners, def->vertexCount = 4;
    def->triangles = faces, def->triangleCount = 4;
}

GIVEN_OF_DEF(Mesh, def.positions = corners, def.vertexCount = 4, def.indices = faces, def.triangleCount = 4)
GIVEN_OF_DEF(Bvh, giveCorners(&def))
GIVEN_OF_DEF(Model, def.positions = corners, def.vertexCount = 4, def.triangles = faces, def.triangleCount = 4)
GIVEN_OF_DEF(Tasks, def.workerCount = 1)
GIVEN_OF_DEF(Profile, (void)0)

static grzBvhNode* given_grzBvhNode(void) {
    static grzBvhNode nodes[64];
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = corners;
    require(grzBvh_Refit(given_grzBvh(), NULL, &refit, nodes));
    return nodes;
}

static grzBvhRefit* given_grzBvhRefit(void) {
    static grzBvhRefit refit;
    refit = grzDefaultBvhRefit();
    refit.positions = corners;
    return &refit;
}

// Keyframes from 0 to 10 seconds, or paths.
static grzFlightplan* makePlan(void) {
    grzFlightplanDef def = grzDefaultFlightplanDef();
    grzFlightplan* plan;
    def.vertexCount = 4;
    def.kind = thePlan == 0 ? grz_planKeyframes : grz_planPaths;
    def.positions = thePlan == 0 ? NULL : corners;
    require(grzFlightplan_Create(&def, &plan));
    if (thePlan == 0) {
        require(grzFlightplan_AddKeyframe(plan, 0, corners, 0));
        require(grzFlightplan_AddKeyframe(plan, 10, corners, 0));
    }
    return plan;
}

static grzFlightplan* given_grzFlightplan(void) {
    static grzFlightplan* made[plans];
    if (made[thePlan] == NULL)
        made[thePlan] = makePlan();
    return made[thePlan];
}

GIVEN_OF_DEF(KineticTree, def.bvh = given_grzBvh(), def.plan = makePlan())
GIVEN_OF_DEF(BoxTree, def.plan = makePlan(), def.triangles = faces, def.triangleCount = 4)
GIVEN_OF_DEF(Upkeep, def.bvh = given_grzBvh(), def.plan = makePlan())
GIVEN_OF_DEF(UpkeepPairs, def.a.bvh = given_grzBvh(), def.a.nodes = given_grzBvhNode())

// Of keyframes alone.
static grzChordTree* given_grzChordTree(void) {
    static grzChordTree* made;
    const int plan = thePlan;
    if (made == NULL) {
        grzChordTreeDef def = grzDefaultChordTreeDef();
        thePlan = 0;
        def.bvh = given_grzBvh(), def.plan = makePlan();
        thePlan = plan;
        require(grzChordTree_Create(&def, &made));
    }
    return made;
}

GIVEN_OF_DEF(ChordPairs, def.treeA = def.treeB = given_grzChordTree())
GIVEN_OF_DEF(SelfCull, def.bvh = given_grzBvh())
GIVEN_OF_DEF(BoxPairs, (void)0)
GIVEN_OF_DEF(LeafTriangles, (void)0)
GIVEN_OF_DEF(PairFront, def.treeA = given_grzKineticTree())

// Of one pair.
static grzPairTable* given_grzPairTable(void) {
    static const grzBodyPair pair = {0, 1};
    static grzPairTable* made;
    if (made == NULL) {
        const grzPairTableDef def = grzDefaultPairTableDef();
        grzPairTableUpdate update = grzDefaultPairTableUpdate();
        update.pairs = &pair, update.pairCount = 1, update.isAll = true;
        require(grzPairTable_Create(&def, &made));
        require(grzPairTable_Update(made, NULL, &update));
    }
    return made;
}

GIVEN_OF_DEF(AdbTree, def.model = given_grzModel())
GIVEN_OF_DEF(CcdMotion, def.start = corners, def.end = corners, def.vertexCount = 4)
GIVEN_OF_DEF(CcdStep, def.meshA = given_grzMesh(), def.decidesPairs = true)
GIVEN_OF_DEF(DepthPyramid, (void)0)
GIVEN_OF_DEF(Visibility, (void)0)
GIVEN_OF_DEF(Tree, (void)0)
GIVEN_OF_ALLOCATOR(TreeNest)
GIVEN_OF_ALLOCATOR(TreeHits)
GIVEN_OF_ALLOCATOR(TreePairs)
GIVEN_OF_ALLOCATOR(ModelContacts)
GIVEN_OF_ALLOCATOR(ModelFront)
GIVEN_OF_ALLOCATOR(ModelPairs)
GIVEN_OF_ALLOCATOR(ModelProbe)
GIVEN_OF_ALLOCATOR(ProbeScheduler)
GIVEN_OF_ALLOCATOR(Touches)
GIVEN_OF_ALLOCATOR(ContactSolver)
GIVEN_OF_ALLOCATOR(WorldHits)

static grzManifolds* given_grzManifolds(void) {
    static grzManifolds* made;
    if (made == NULL)
        require(grzManifolds_Create(NULL, usual, &made));
    return made;
}

static void addBodies(grzWorld* world) {
    grzBodyDef rigid = grzDefaultBodyDef();
    grzClothDef cloth = grzDefaultClothDef();
    grzAnimatedDef animated = grzDefaultAnimatedDef();
    rigid.shape = grzMakeSphere(grzVec3_Make(9, 9, 9), 1);
    static const uint32_t pins[] = {0, 1, 2};
    cloth.mesh = animated.mesh = given_grzMesh();
    cloth.pins = pins, cloth.pinCount = 3;
    require(grzWorld_AddBody(world, &rigid, &theBodies[1]));
    require(grzWorld_AddCloth(world, &cloth, &theBodies[2]));
    for (int i = 0; i < 3; ++i) {
        animated.motion = (grzAnimatedMotion)i;
        require(grzWorld_AddAnimated(world, &animated, &theBodies[3 + i]));
    }
}

static grzWorld* given_grzWorld(void) {
    static grzWorld* world;
    grzWorldDef def = grzDefaultWorldDef();
    if (world == NULL) {
        require(grzWorld_Create(&def, &world));
        addBodies(world);
    }
    return world;
}

static grzModelPointsQuery* given_grzModelPointsQuery(void) {
    static grzModelPointsQuery query;
    query = grzDefaultModelPointsQuery();
    query.model = given_grzModel(), query.points = corners, query.count = 4;
    return &query;
}

static grzFlightplanChange* given_grzFlightplanChange(void) {
    static const uint32_t vertices[] = {0, 1};
    static grzFlightplanChange change = {.vertices = vertices, .count = 2, .positions = corners};
    return &change;
}

static grzCcdPairs* given_grzCcdPairs(void) {
    static const uint32_t vertices[] = {0, 1, 2, 3};
    static grzCcdPairs pairs = {grz_ccdVertexFace, vertices, 1};
    return &pairs;
}

static grzWorldRay* given_grzWorldRay(void) {
    static grzWorldRay ray;
    ray = grzDefaultWorldRay();
    ray.direction = grzVec3_Make(1, 0, 0);
    return &ray;
}

// ---- values ----

static grzBodyId value_grzBodyId(void) {
    return theBody;
}

static grzTransform value_grzTransform(void) {
    return grzTransform_Identity();
}

static grzConvex* given_grzConvex(void) {
    static grzConvex shape;
    shape = grzMakeSphere(grzVec3_Make(0, 0, 0), 1);
    return &shape;
}

// ---- functions ----

static void runNothing(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)begin, (void)end, (void)worker, (void)context;
}

static grzTaskFn* given_grzTaskFn(void) {
    return runNothing;
}

static void drawNothing(void* context, grzBox box, uint32_t level, bool isLeaf) {
    (void)context, (void)box, (void)level, (void)isLeaf;
}

static grzTreeDrawFn* given_grzTreeDrawFn(void) {
    return drawNothing;
}

static bool writeNothing(void* context, const void* bytes, size_t size) {
    (void)context, (void)bytes, (void)size;
    return true;
}

static grzWriteFn* given_grzWriteFn(void) {
    return writeNothing;
}

// NULL: the usual one.
static grzLogFn* given_grzLogFn(void) {
    return NULL;
}

static grzAssertFn* given_grzAssertFn(void) {
    return NULL;
}

// ---- the calls ----

typedef struct Call {
    const char* function;
    int place; // from 1
    const char* argument;
    bool hasMark; // of a type that is grz_badDef where it was not made by the library
} Call;

static const Call calls[] = {
#define NULL_CALL(number, function, place, argument, hasMark, ...) {function, place, argument, hasMark},
#include "null_calls.inc"
#undef NULL_CALL
};
enum { callCount = sizeof calls / sizeof calls[0] };

// The result of functions that have one; else it stays as it is.
static void makeCall(int number, grzResult* result) {
    switch (number) {
#define NULL_CALL(number, function, place, argument, hasMark, ...)                                                 \
    case number: {                                                                                                 \
        __VA_ARGS__;                                                                                               \
        break;                                                                                                     \
    }
#include "null_calls.inc"
#undef NULL_CALL
    default:
        fail();
    }
}

// What a call did in any of its rounds. Bits. Refused: with grz_badDef or the place of the argument; accepted: with
// counts that are not 0.
enum { crashed = 1, hasResult = 2, refused = 4, accepted = 8 };

typedef struct Progress {
    int next; // the call under way
    uint8_t answers[callCount];
} Progress;

// A status that no call has.
static const grzStatus noResult = (grzStatus)-1;

static void note(const Call* call, grzResult result, uint8_t* answer) {
    if (result.status == noResult)
        return;
    *answer |= hasResult;
    if (grzResult_IsOk(result) && theNumber != 0)
        *answer |= accepted;
    if ((call->hasMark && result.status == grz_badDef) ||
        (result.status == grz_badArgument && result.value == (uint64_t)call->place))
        *answer |= refused;
}

static void ignoreLog(void* context, grzLogLevel level, const char* text) {
    (void)context, (void)level, (void)text;
}

static void makeCalls(Progress* progress) {
    for (; progress->next < callCount; ++progress->next)
        for (int round = 0; round < rounds; ++round) {
            grzResult result = {noResult, grz_noPart, 0, 0, NULL};
            static const int numbers[sizes] = {0, 1, 12}; // as many as arrays have, and a stride
            grzSetLogHook(ignoreLog, NULL);
            (void)given_grzWorld();
            theSize = numbers[round % sizes], theNumber = theSize != 0;
            thePlan = round / sizes % plans, theBody = theBodies[round / sizes / plans];
            makeCall(progress->next, &result);
            note(&calls[progress->next], result, &progress->answers[progress->next]);
        }
}

// The pointers that may be NULL in calls with a result, as the headers say. The tasks that a call runs on may be NULL
// in all calls.
static const char* const optional[] = {
    "grzBoxTree_Edit first",
    "grzCcdMotion_DecideNear t0",
    "grzCcd_CompareImpacts certainty",
    "grzCcd_Touches certainty",
    "grzDepthPyramid_DrawTriangles frame",
    "grzFlightplan_AddFrameVertices frames",
    "grzManifolds_Create def",
    "grzModels_Distance stats",
    "grzModels_Touch stats",
    "grzProfile_RegisterCounter profile",
    "grzProfile_WriteTrace context",
    "grzSelfCull_Update endPositions",
    "grzTree_Insert id",
    "grzTree_InsertMany ids",
    "grzUpkeep_Advance nodes",
    "grzWorld_PlaceCloth velocities",
};

static bool isOptional(const Call* call) {
    char name[128];
    snprintf(name, sizeof name, "%s %s", call->function, call->argument);
    for (size_t i = 0; i < sizeof optional / sizeof optional[0]; ++i)
        if (strcmp(name, optional[i]) == 0)
            return true;
    return false;
}

static bool isRight(const Call* call, uint8_t answer) {
    const char* flaw = NULL;
    if ((answer & crashed) != 0)
        flaw = "the call crashes";
    else if (strcmp(call->argument, "tasks") == 0 && strcmp(call->function, "grzTasks_Create") != 0)
        return true;
    else if (isOptional(call))
        flaw = (answer & refused) != 0 ? "the call refuses NULL, which is in the list of this test," : NULL;
    else if ((answer & accepted) != 0)
        flaw = "the call succeeds";
    else if ((answer & (hasResult | refused)) == hasResult)
        flaw = "the call is never refused for it (is a check missing, or does given_X() make what is refused "
               "earlier?)";
    if (flaw != NULL)
        print_error("%s(%s = NULL, argument %d): %s\n", call->function, call->argument, call->place, flaw);
    return flaw == NULL;
}

// False where a call ended the process.
static bool runChild(Progress* progress) {
    int status;
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL); // cmocka's would go on
        signal(SIGABRT, SIG_DFL);
        makeCalls(progress);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void test_null(void** state) {
    (void)state;
    int flaws = 0;
    Progress* progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(progress != MAP_FAILED);
    while (!runChild(progress))
        progress->answers[progress->next++] |= crashed;
    for (int i = 0; i < callCount; ++i)
        flaws += !isRight(&calls[i], progress->answers[i]);
    munmap(progress, sizeof *progress);
    assert_int_equal(flaws, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_null)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
