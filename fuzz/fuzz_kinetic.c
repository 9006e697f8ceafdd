// Any bytes as a mesh that moves: a plan of keyframes or of paths, and the trees that follow it, one call after another. After each
// the ordered and the batched tree have the boxes of everything where the plan has it, the chord tree's and the BoxTree's
// hold them, children lie in their parents, a lazy chord tree has the bytes of the other, and counts do not depend on how often a tree was looked at. What is
// refused has changed nothing.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_contract.h"
#include "fuzz_entry.h"
#include "graze/chord_tree.h"
#include "graze/kinetic_tree.h"
#include "kinetic_reference.h"
#include "rng.h"

enum {
    mostTriangles = 310, // some meshes have a second chunk
    mostVertices = 107,
    mostFrames = 12,    // at a time
    mostOperations = 8, // of small meshes; a third for those of two chunks
    mostChanged = 24,
};

// The bytes yet to come; zeros after their end.
typedef struct Bytes {
    const uint8_t *at, *end;
} Bytes;

static uint8_t takeByte(Bytes* bytes) {
    return bytes->at < bytes->end ? *bytes->at++ : 0;
}

// Trees that follow paths have a plan each, which is theirs alone; those that follow keyframes share the first one.
enum { ownOrdered, ownRare, ownBatched, ownBox, plans };

typedef struct Life {
    Bytes bytes;
    grzRng rng;
    bool isPaths;
    grzBvhNumbering numbering;
    uint8_t flavour;
    int32_t tickExponent;
    uint32_t vertexCount, triangleCount;
    uint32_t triangles[3 * mostTriangles]; // in the plan's numbers
    grzBvh* bvh;
    uint32_t nodeCount;

    grzFlightplan* plans[plans];
    grzKineticTree *ordered, *rare, *batched; // the rare one is looked at as seldom as can be
    grzChordTree *chord, *lazy;               // of keyframes
    grzBoxTree* box;
    int done; // operations
    double time;
    float* frames[mostFrames]; // from the first one that the plan has
    double frameTimes[mostFrames];
    size_t frameCount, stride; // in floats

    float positions[3 * mostVertices];
    grzBvhNode *expected, *found, *before;
    grzBox boxBefore;
} Life;

static grzFlightplan* planOf(const Life* life, int owner) {
    return life->plans[life->isPaths ? owner : 0];
}

static void* take(size_t count, size_t size) {
    void* memory = calloc(count + 1, size);
    if (memory == NULL)
        abort();
    return memory;
}

static bool isOk(grzResult result) {
    return grzResult_IsOk(result);
}

// ------------------------------------------------------------------------------------------------------ numbers

static void drawNumbers(Life* life, uint8_t flavour, uint32_t count, float* numbers) {
    for (uint32_t i = 0; i < 3 * count; ++i)
        numbers[i] = drawHardNumber(&life->rng, flavour, i / 3);
}

// Usually that of the whole life.
static uint8_t takeFlavour(Life* life) {
    const uint8_t byte = takeByte(&life->bytes);
    return byte < 128 ? life->flavour : byte;
}

// ------------------------------------------------------------------------------------------------------- checks

static void checkVertices(Life* life) {
    float* other = take(3 * (size_t)life->vertexCount, sizeof *other);
    FUZZ_REQUIRE(isOk(grzFlightplan_Evaluate(planOf(life, 0), NULL, life->time, life->positions, 0)));
    for (int k = 1; k < plans && life->isPaths; ++k) {
        const size_t size = 3 * (size_t)life->vertexCount * sizeof *other;
        if (k == ownRare)
            continue; // has the same path as of another time
        FUZZ_REQUIRE(isOk(grzFlightplan_Evaluate(life->plans[k], NULL, life->time, other, 0)));
        FUZZ_REQUIRE(memcmp(other, life->positions, size) == 0);
    }
    free(other);
}

static void checkKinetic(Life* life, grzKineticTree* tree) {
    FUZZ_REQUIRE(grzKineticTree_Validate(tree));
    FUZZ_REQUIRE(isOk(grzKineticTree_WriteBoxes(tree, NULL, life->found)));
    FUZZ_REQUIRE(areSameBoxes(life->found, life->expected, life->nodeCount));
    const double time = grzKineticTree_Time(tree); // of the same step of the plan's grid
    FUZZ_REQUIRE(grzKineticTree_Horizon(tree) >= time);
    FUZZ_REQUIRE(isOk(grzKineticTree_Advance(tree, NULL, time)));
}

// After checkChord has written the other's. Two times of three one of two chunks is reached before.
static void checkLazy(const Life* life) {
    const grzBvhView view = grzBvh_GetView(life->bvh);
    const uint64_t chunk = (uint64_t)life->done % 3;
    FUZZ_REQUIRE(isOk(grzChordTree_Advance(life->lazy, NULL, life->time)));
    if (view.chunkCount > 1)
        FUZZ_REQUIRE(isOk(grzChordTree_Reach(life->lazy, NULL, &chunk))); // 1 and 2 are bits; 0 is none
    for (uint32_t level = 0; level < view.levelCount; ++level)
        for (uint32_t i = view.levelStarts[level]; i < view.levelStarts[level + 1]; ++i) {
            grzBvhNode node;
            grzChordTree_ReadNode(life->lazy, level, i - view.levelStarts[level], &node);
            FUZZ_REQUIRE(memcmp(&node, &life->found[i], sizeof node) == 0);
        }
}

static void checkChord(Life* life) {
    FUZZ_REQUIRE(isOk(grzChordTree_Advance(life->chord, NULL, life->time)));
    FUZZ_REQUIRE(isOk(grzChordTree_WriteBoxes(life->chord, NULL, life->found)));
    FUZZ_REQUIRE(holdBoxes(life->found, life->expected, life->nodeCount));
    FUZZ_REQUIRE(areNested(life->bvh, life->found));
    checkLazy(life);
    for (size_t k = 0; k < life->frameCount; ++k)
        if (life->frameTimes[k] == life->time)
            FUZZ_REQUIRE(areSameBoxes(life->found, life->expected, life->nodeCount));
}

static bool areFinite(const Life* life) {
    for (uint32_t i = 0; i < 3 * life->vertexCount; ++i)
        if (!isfinite(life->positions[i]))
            return false;
    return true;
}

static void checkRefit(Life* life) {
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = life->positions;
    refit.numbering = life->numbering;
    if (!areFinite(life))
        return;
    FUZZ_REQUIRE(isOk(grzBvh_Refit(life->bvh, NULL, &refit, life->found)));
    FUZZ_REQUIRE(areSameBoxes(life->found, life->expected, life->nodeCount));
}

static void checkAll(Life* life) {
    checkVertices(life);
    referenceBoxes(life->bvh, life->numbering, life->positions, life->expected);
    checkRefit(life);
    checkKinetic(life, life->ordered);
    checkKinetic(life, life->batched);
    if (!life->isPaths)
        checkChord(life);
    if (life->done % 4 == 0) // dear
        FUZZ_REQUIRE(grzBoxTree_Validate(life->box));
    FUZZ_REQUIRE(boxTreeHolds(life->box, life->triangles, life->triangleCount, life->positions));
}

static void advanceAll(Life* life, double time) {
    FUZZ_REQUIRE(isOk(grzKineticTree_Advance(life->ordered, NULL, time)));
    FUZZ_REQUIRE(isOk(grzKineticTree_Advance(life->batched, NULL, time)));
    FUZZ_REQUIRE(isOk(grzBoxTree_Advance(life->box, time)));
    life->time = time;
}

// Looked at once, the rare tree has seen what the other one has, keyframes that came late included.
static void catchUp(Life* life) {
    FUZZ_REQUIRE(isOk(grzKineticTree_Advance(life->rare, NULL, life->time)));
    const grzKineticTreeStats often = grzKineticTree_GetStats(life->ordered);
    const grzKineticTreeStats once = grzKineticTree_GetStats(life->rare);
    FUZZ_REQUIRE(often.leafEvents == once.leafEvents && often.treeEvents == once.treeEvents);
    FUZZ_REQUIRE(often.updates == once.updates && often.intervals == once.intervals);
    FUZZ_REQUIRE(isOk(grzKineticTree_WriteBoxes(life->rare, NULL, life->found)));
    FUZZ_REQUIRE(isOk(grzKineticTree_WriteBoxes(life->ordered, NULL, life->before)));
    FUZZ_REQUIRE(areSameBoxes(life->found, life->before, life->nodeCount));
}

// ---------------------------------------------------------------------------------------------------- refusals

static void rememberBoxes(Life* life) {
    FUZZ_REQUIRE(isOk(grzKineticTree_WriteBoxes(life->ordered, NULL, life->before)));
    life->boxBefore = grzBoxTree_RootBox(life->box);
}

static void expectAsBefore(Life* life) {
    const grzBox box = grzBoxTree_RootBox(life->box);
    FUZZ_REQUIRE(isOk(grzKineticTree_WriteBoxes(life->ordered, NULL, life->found)));
    FUZZ_REQUIRE(memcmp(life->found, life->before, life->nodeCount * sizeof *life->found) == 0);
    FUZZ_REQUIRE(grzBox_Contains(box, life->boxBefore) && grzBox_Contains(life->boxBefore, box));
}

// A time that the plan does not know, one that has passed, or none.
static void advanceBadly(Life* life) {
    const grzFlightplanRange range = grzFlightplan_GetRange(planOf(life, 0));
    const double size = fmax(fabs(life->time), 2); // ticks of 1 s, at most
    const double times[] = {(double)NAN, (double)INFINITY, range.end + size, life->time - size, -(double)INFINITY};
    const double time = times[takeByte(&life->bytes) % 5];
    rememberBoxes(life);
    FUZZ_REQUIRE(grzKineticTree_Advance(life->ordered, NULL, time).status == grz_badArgument);
    FUZZ_REQUIRE(grzKineticTree_Advance(life->batched, NULL, time).status == grz_badArgument);
    FUZZ_REQUIRE(grzBoxTree_Advance(life->box, time).status == grz_badArgument);
    if (!life->isPaths && !(time >= range.begin && time <= range.end))
        FUZZ_REQUIRE(grzChordTree_Advance(life->chord, NULL, time).status == grz_badArgument);
    expectAsBefore(life);
}

// ----------------------------------------------------------------------------------------------------- keyframes

static float* makeFrame(Life* life, uint8_t flavour) {
    float* numbers = take(life->stride * life->vertexCount, sizeof *numbers);
    for (size_t i = 0; i < life->stride * life->vertexCount; ++i)
        numbers[i] = (float)NAN; // between the vertices
    for (uint32_t v = 0; v < life->vertexCount; ++v)
        for (uint32_t axis = 0; axis < 3; ++axis)
            numbers[v * life->stride + axis] = drawHardNumber(&life->rng, flavour, v);
    return numbers;
}

static double nextFrameTime(Life* life) {
    static const double steps[] = {1, 0x1p-10, 1e-9, 1e6, 0.1, 1, 1, 0.001};
    if (life->frameCount == 0) {
        static const double starts[] = {0, -1, -4294967295.0, 4294967000.0, 1e-300, -0.5, 0.1, 12345.678};
        return starts[takeByte(&life->bytes) % 8];
    }
    const double last = life->frameTimes[life->frameCount - 1], step = steps[takeByte(&life->bytes) % 8];
    const double time = last + step;
    return time > last ? time : nextafter(last, (double)INFINITY);
}

static void addFrame(Life* life) {
    const uint8_t flavour = takeFlavour(life);
    const double time = nextFrameTime(life);
    if (life->frameCount == mostFrames || time >= 0x1p32)
        return;
    float* numbers = makeFrame(life, flavour);
    FUZZ_REQUIRE(isOk(grzFlightplan_AddKeyframe(life->plans[0], time, numbers, life->stride * sizeof(float))));
    life->frames[life->frameCount] = numbers;
    life->frameTimes[life->frameCount++] = time;
}

static void addFrameBadly(Life* life) {
    const uint8_t how = takeByte(&life->bytes);
    const double last = life->frameTimes[life->frameCount - 1], time = fmin(last + 1, 4294967295.5);
    const size_t stride = life->stride * sizeof(float);
    grzFlightplan* plan = life->plans[0];
    const grzFlightplanRange range = grzFlightplan_GetRange(plan);
    float* numbers = makeFrame(life, life->flavour);
    rememberBoxes(life);
    FUZZ_REQUIRE(grzFlightplan_AddKeyframe(plan, last, numbers, stride).status == grz_badArgument);
    FUZZ_REQUIRE(grzFlightplan_AddKeyframe(plan, (double)NAN, numbers, stride).status == grz_badArgument);
    FUZZ_REQUIRE(grzFlightplan_AddKeyframe(plan, time, NULL, stride).status == grz_badArgument);
    FUZZ_REQUIRE(grzFlightplan_AddKeyframe(plan, time, numbers, stride + 1).status == grz_badArgument);
    const uint32_t vertex = how % life->vertexCount;
    numbers[vertex * life->stride + how % 3] = how % 2 == 0 ? (float)NAN : -(float)INFINITY;
    if (time > last) {
        const grzResult result = grzFlightplan_AddKeyframe(plan, time, numbers, stride);
        FUZZ_REQUIRE(result.status == grz_notFinite && result.index == vertex);
    }
    FUZZ_REQUIRE(grzFlightplan_GetRange(plan).end == range.end &&
                 grzFlightplan_GetRange(plan).begin == range.begin);
    expectAsBefore(life);
    free(numbers);
}

// Keyframes that no tree needs.
static void dropFrames(Life* life) {
    catchUp(life);
    grzFlightplan_DropKeyframes(life->plans[0], life->time);
    size_t passed = 0;
    while (passed + 1 < life->frameCount && life->frameTimes[passed + 1] <= life->time)
        free(life->frames[passed++]);
    life->frameCount -= passed;
    memmove(life->frames, life->frames + passed, life->frameCount * sizeof *life->frames);
    memmove(life->frameTimes, life->frameTimes + passed, life->frameCount * sizeof *life->frameTimes);
}

static void moveOnFrames(Life* life) {
    const uint8_t how = takeByte(&life->bytes), part = takeByte(&life->bytes);
    const double last = life->frameTimes[life->frameCount - 1];
    double time = life->time + (last - life->time) * part / 256;
    if (how % 4 == 1) // a keyframe
        time = life->frameTimes[part % life->frameCount];
    else if (how % 4 == 2) // as near to the next one as can be
        time = nextafter(life->frameTimes[part % life->frameCount], -(double)INFINITY);
    else if (how % 4 == 3)
        time = life->time + (last - life->time) * 1e-6 * part;
    advanceAll(life, fmin(fmax(time, life->time), last));
}

// The chord tree alone may go anywhere.
static void jumpOnFrames(Life* life) {
    const double first = life->frameTimes[0], last = life->frameTimes[life->frameCount - 1], now = life->time;
    life->time = fmin(first + (last - first) * takeByte(&life->bytes) / 255, last);
    FUZZ_REQUIRE(isOk(grzFlightplan_Evaluate(life->plans[0], NULL, life->time, life->positions, 0)));
    referenceBoxes(life->bvh, life->numbering, life->positions, life->expected);
    checkChord(life);
    life->time = now;
}

// --------------------------------------------------------------------------------------------------------- paths

typedef struct Change {
    uint32_t vertices[mostChanged];
    float positions[3 * mostChanged], velocities[3 * mostChanged], accelerations[3 * mostChanged];
    grzFlightplanChange change; // points into the above
} Change;

static void takeChange(Life* life, Change* made) {
    const uint8_t how = takeByte(&life->bytes), count = takeByte(&life->bytes) % (mostChanged + 1);
    for (uint32_t i = 0; i < count; ++i)
        made->vertices[i] = grzRng_Below(&life->rng, life->vertexCount);
    drawNumbers(life, life->flavour, count, made->positions);
    drawNumbers(life, takeFlavour(life), count, made->velocities);
    drawNumbers(life, takeFlavour(life), count, made->accelerations);
    made->change = (grzFlightplanChange){made->vertices, count, (how & 1) != 0 ? made->positions : NULL,
                                         (how & 2) != 0 ? made->velocities : NULL,
                                         (how & 4) != 0 ? made->accelerations : NULL};
}

static double nextTime(Life* life) {
    const uint8_t how = takeByte(&life->bytes), part = takeByte(&life->bytes);
    const double tick = ldexp(1, life->tickExponent), end = grzFlightplan_GetRange(life->plans[0]).end;
    const double horizon = grzKineticTree_Horizon(life->ordered);
    const double times[] = {life->time + 0.01 * part,
                            life->time + part * tick,
                            horizon,
                            horizon + tick,
                            life->time + 1000.0 * part,
                            life->time,
                            life->time + (end - life->time) * part / 256,
                            nextafter(end, -(double)INFINITY)};
    const double time = times[how % 8];
    return time < end && time >= life->time ? time : life->time;
}

static void moveOnPaths(Life* life) {
    advanceAll(life, nextTime(life));
}

// All three take it, or none does, which has the trees stand at the time of the change.
static void changePaths(Life* life) {
    Change made;
    const double time = nextTime(life);
    takeChange(life, &made);
    advanceAll(life, time);
    catchUp(life);
    const grzStatus status = grzKineticTree_Change(life->ordered, NULL, time, &made.change).status;
    FUZZ_REQUIRE(status == grz_ok || status == grz_notFinite);
    FUZZ_REQUIRE(grzKineticTree_Change(life->rare, NULL, time, &made.change).status == status);
    FUZZ_REQUIRE(grzKineticTree_Change(life->batched, NULL, time, &made.change).status == status);
    FUZZ_REQUIRE(grzBoxTree_Change(life->box, time, &made.change).status == status);
}

static void expectRefused(Life* life, double time, const grzFlightplanChange* change, grzStatus status) {
    FUZZ_REQUIRE(grzKineticTree_Change(life->ordered, NULL, time, change).status == status);
    FUZZ_REQUIRE(grzKineticTree_Change(life->batched, NULL, time, change).status == status);
    FUZZ_REQUIRE(grzBoxTree_Change(life->box, time, change).status == status);
}

static void changeBadly(Life* life) {
    Change made;
    takeChange(life, &made);
    if (made.change.count == 0)
        return;
    rememberBoxes(life);
    const double time = life->time, size = fmax(fabs(time), 2);
    const uint32_t entry = grzRng_Below(&life->rng, (uint32_t)made.change.count);
    expectRefused(life, time, NULL, grz_badArgument);
    expectRefused(life, time - size, &made.change, grz_badArgument);
    expectRefused(life, (double)NAN, &made.change, grz_badArgument);
    made.change.velocities = made.velocities;
    made.velocities[3 * entry + 1] = (float)NAN;
    expectRefused(life, time, &made.change, grz_notFinite);
    made.velocities[3 * entry + 1] = 0;
    made.vertices[entry] = life->vertexCount + takeByte(&life->bytes);
    expectRefused(life, time, &made.change, grz_indexTooLarge);
    expectAsBefore(life);
}

// ---------------------------------------------------------------------------------------------------------- life

static void rebuildLoose(Life* life) {
    static const float factors[] = {1, 1.01F, 1.5F, 0, -1};
    grzBoxTree_RebuildLoose(life->box, factors[takeByte(&life->bytes) % 5]);
}

// Until the horizon nothing changes.
static void moveToHorizon(Life* life) {
    const grzFlightplanRange range = grzFlightplan_GetRange(planOf(life, 0));
    const double horizon = grzKineticTree_Horizon(life->ordered);
    const grzKineticTreeStats before = grzKineticTree_GetStats(life->ordered);
    if (horizon < life->time) // the time was taken down to the plan's grid
        return;
    FUZZ_REQUIRE(horizon <= range.end);
    FUZZ_REQUIRE(isOk(grzKineticTree_Advance(life->ordered, NULL, horizon)));
    FUZZ_REQUIRE(grzKineticTree_GetStats(life->ordered).updates == before.updates);
    advanceAll(life, horizon);
}

static void doOne(Life* life) {
    static void (*const onFrames[])(Life*) = {addFrame,      addFrame,     moveOnFrames, moveOnFrames,
                                              moveOnFrames,  dropFrames,   jumpOnFrames, advanceBadly,
                                              addFrameBadly, rebuildLoose, moveToHorizon};
    static void (*const onPaths[])(Life*) = {changePaths,  changePaths,  changePaths,   moveOnPaths, moveOnPaths,
                                             advanceBadly, rebuildLoose, moveToHorizon, changeBadly};
    const uint8_t operation = takeByte(&life->bytes);
    if (life->isPaths)
        onPaths[operation % (sizeof onPaths / sizeof onPaths[0])](life);
    else
        onFrames[operation % (sizeof onFrames / sizeof onFrames[0])](life);
    checkAll(life);
}

static void makeMesh(Life* life) {
    const uint8_t size = takeByte(&life->bytes), shape = takeByte(&life->bytes);
    // Most inputs must take well below a millisecond.
    life->triangleCount = size < 224 ? size % 10 : size < 252 ? size % 40 : 260 + 16 * (size - 252u);
    life->vertexCount = 3 + life->triangleCount / 3;
    for (uint32_t i = 0; i < 3 * life->triangleCount; ++i)
        life->triangles[i] = (i / (3 + shape % 7) + grzRng_Below(&life->rng, 1 + shape / 16)) % life->vertexCount;
    float* positions = take(3 * (size_t)life->vertexCount, sizeof *positions);
    drawNumbers(life, life->flavour, life->vertexCount, positions);
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = positions, def.vertexCount = life->vertexCount;
    def.triangles = life->triangles, def.triangleCount = life->triangleCount;
    FUZZ_REQUIRE(isOk(grzBvh_Create(&def, &life->bvh)));
    const grzBvhView view = grzBvh_GetView(life->bvh);
    life->nodeCount = view.nodeCount;
    if (life->numbering == grz_bvhTreesNumbers)
        for (uint32_t i = 0; i < 3 * life->triangleCount; ++i)
            life->triangles[i] = view.vertexFromCaller[life->triangles[i]];
    free(positions);
}

static void makePaths(Life* life) {
    static const int32_t exponents[] = {-20, 0, -30, -10};
    grzFlightplanDef def = grzDefaultFlightplanDef();
    float* numbers = take(9 * (size_t)life->vertexCount, sizeof *numbers);
    float *velocities = numbers + 3 * life->vertexCount, *accelerations = velocities + 3 * life->vertexCount;
    const uint8_t how = takeByte(&life->bytes);
    drawNumbers(life, life->flavour, life->vertexCount, numbers);
    drawNumbers(life, takeFlavour(life), life->vertexCount, velocities);
    drawNumbers(life, takeFlavour(life), life->vertexCount, accelerations);
    def.kind = grz_planPaths;
    def.tickExponent = life->tickExponent = exponents[how % 4];
    const double limit = fmin(0x1p32, ldexp(0x1p52, def.tickExponent));
    const double starts[] = {0, -limit / 2, nextafter(-limit, 0), limit - 4096, -0.001, 1e-300, 100, -1};
    def.startTime = life->time = starts[how / 4 % 8];
    def.vertexCount = life->vertexCount;
    def.positions = numbers;
    def.velocities = (how & 0x20) != 0 ? NULL : velocities;
    def.accelerations = (how & 0xc0) != 0 ? NULL : accelerations;
    for (int k = 0; k < plans; ++k)
        FUZZ_REQUIRE(isOk(grzFlightplan_Create(&def, &life->plans[k])));
    free(numbers);
}

static void makeFrames(Life* life) {
    static const size_t strides[] = {3, 4, 3, 7};
    grzFlightplanDef def = grzDefaultFlightplanDef();
    def.vertexCount = life->vertexCount;
    FUZZ_REQUIRE(isOk(grzFlightplan_Create(&def, &life->plans[0])));
    const uint8_t how = takeByte(&life->bytes);
    life->stride = strides[how % 4];
    addFrame(life);
    for (uint32_t k = 0; k < how / 64u; ++k)
        addFrame(life);
    life->time = life->frameTimes[0];
}

static grzKineticTree* makeKinetic(const Life* life, grzKineticOrder order, int owner) {
    grzKineticTreeDef def = grzDefaultKineticTreeDef();
    def.order = order;
    def.numbering = life->numbering;
    def.bvh = life->bvh, def.plan = planOf(life, owner);
    grzKineticTree* tree;
    FUZZ_REQUIRE(isOk(grzKineticTree_Create(&def, &tree)));
    return tree;
}

static void makeTrees(Life* life) {
    life->ordered = makeKinetic(life, grz_kineticOrdered, ownOrdered);
    life->rare = makeKinetic(life, grz_kineticOrdered, ownRare);
    life->batched = makeKinetic(life, grz_kineticBatched, ownBatched);
    grzBoxTreeDef boxDef = grzDefaultBoxTreeDef();
    boxDef.plan = planOf(life, ownBox);
    boxDef.triangles = life->triangles, boxDef.triangleCount = life->triangleCount;
    FUZZ_REQUIRE(isOk(grzBoxTree_Create(&boxDef, &life->box)));
    if (life->isPaths)
        return;
    grzChordTreeDef chordDef = grzDefaultChordTreeDef();
    chordDef.numbering = life->numbering;
    chordDef.bvh = life->bvh, chordDef.plan = life->plans[0];
    FUZZ_REQUIRE(isOk(grzChordTree_Create(&chordDef, &life->chord)));
    chordDef.isLazy = true;
    FUZZ_REQUIRE(isOk(grzChordTree_Create(&chordDef, &life->lazy)));
}

static void destroy(Life* life) {
    grzChordTree_Destroy(life->chord);
    grzChordTree_Destroy(life->lazy);
    grzBoxTree_Destroy(life->box);
    grzKineticTree_Destroy(life->ordered);
    grzKineticTree_Destroy(life->rare);
    grzKineticTree_Destroy(life->batched);
    for (int k = 0; k < plans; ++k)
        grzFlightplan_Destroy(life->plans[k]);
    for (size_t k = 0; k < life->frameCount; ++k)
        free(life->frames[k]);
    grzBvh_Destroy(life->bvh);
    free(life->expected), free(life->found), free(life->before);
    free(life);
}

int fuzzKinetic(const uint8_t* bytes, size_t size) {
    Life* life = take(1, sizeof *life);
    life->bytes = (Bytes){bytes, bytes + size};
    const uint8_t kind = takeByte(&life->bytes);
    life->isPaths = kind % 2 == 1;
    life->numbering = (kind & 2) == 0 ? grz_bvhCallersNumbers : grz_bvhTreesNumbers;
    life->flavour = takeByte(&life->bytes);
    life->rng = grzRng_Make(takeByte(&life->bytes), 0);
    makeMesh(life);
    life->expected = take(life->nodeCount, sizeof *life->expected);
    life->found = take(life->nodeCount, sizeof *life->found);
    life->before = take(life->nodeCount, sizeof *life->before);
    if (life->isPaths)
        makePaths(life);
    else
        makeFrames(life);
    makeTrees(life);
    checkAll(life);
    const int most = life->triangleCount < 40 ? mostOperations : mostOperations / 3;
    for (; life->done < most && life->bytes.at < life->bytes.end; ++life->done)
        doOne(life);
    catchUp(life);
    destroy(life);
    return 0;
}
