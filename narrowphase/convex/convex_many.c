// What: the manifolds of many pairs.
// Promise: graze/convex_pairs.h: the bytes of grzConvex_Collide, for any number of workers.
// Idea: bodies were looked over when they were posed, so pairs go at once to the way of their kinds. A block of pairs is
//   put into the order of its kinds first: two boxes, or two spheres, go four to sixteen at a time (boxes_kernel.c, spheres_kernel.c), and of the rest like follows like,
//   so that branches are foretold. Each manifold is written at its pair's own index, so that nothing depends on that order.
// Cost: 4 bytes of stack for each pair of a block.
#include "boxes_kernel.h"
#include "convex_batch.h"
#include "convex_contact.h"
#include "convex_quick.h"
#include "first_refused.h"
#include "refuse_null.h"
#include "spheres_kernel.h"

#define POSED_MARK 0x706f7365u
#define KIND_COUNT (grz_hullShape + 1)

enum { blockPairs = 256 };

// A basis that is off by so little is certainly rigid, and its numbers are good.
static bool isGoodPose(const grzTransform* pose, float defectSq) {
    return defectSq <= QUICK_MOST_DEFECT * QUICK_MOST_DEFECT || (grzPose_IsGood(*pose) && grzPose_IsRigid(*pose));
}

grzResult grzConvex_Pose(const grzConvex* shape, grzTransform pose, grzPosedConvex* posed) {
    GRZ_REFUSE_NULL(posed, 3);
    const float defectSq = quickDefectOf(&pose);
    if (!grzResult_IsOk(grzConvex_Check(shape)) || !isGoodPose(&pose, defectSq))
        return grzCheckPosed(shape, pose, 1);
    posed->shape = *shape;
    posed->pose = pose;
    posed->defectSq = defectSq;
    posed->mark = POSED_MARK;
    return grzOk();
}

typedef struct ManyWork {
    const grzConvexBatch* batch;
    grzCollideBoxes_Fn* boxes;
    grzCollideSpheres_Fn* spheres;
} ManyWork;

static void collideGenerally(const grzConvexBatch* batch, uint32_t i) {
    const grzPosedConvex *a = batchBody(batch, batch->pairs[i].a), *b = batchBody(batch, batch->pairs[i].b);
    grzCollideGeneral(&a->shape, a->pose, &b->shape, b->pose, batch->margins[i], &batch->manifolds[i]);
}

static void collidePair(const grzConvexBatch* batch, uint32_t i) {
    const grzPosedConvex *a = batchBody(batch, batch->pairs[i].a), *b = batchBody(batch, batch->pairs[i].b);
    QuickPair pair = {&a->shape, &b->shape, &a->pose, &b->pose, batch->margins[i], a->defectSq + b->defectSq};
    if (!grzQuick_Collide(&pair, &batch->manifolds[i]))
        collideGenerally(batch, i);
}

static void collideBoxes(const ManyWork* work, uint32_t* list, uint32_t count) {
    count = work->boxes(work->batch, list, count, false, list);
    count = work->boxes(work->batch, list, count, true, list);
    for (uint32_t k = 0; k < count; ++k)
        collideGenerally(work->batch, list[k]);
}

static void collideSpheres(const ManyWork* work, uint32_t* list, uint32_t count) {
    count = work->spheres(work->batch, list, count, list);
    for (uint32_t k = 0; k < count; ++k)
        collideGenerally(work->batch, list[k]);
}

// Kinds that go in lanes come first, as numbers that stand for no shapes. Others, and those of worse bases, have what their
// shapes make.
enum { kindsBoxes, kindsSpheres };

static uint32_t kindsOf(const grzConvexBatch* batch, uint32_t i) {
    const grzPosedConvex *a = batchBody(batch, batch->pairs[i].a), *b = batchBody(batch, batch->pairs[i].b);
    uint32_t kinds = (uint32_t)a->shape.kind * KIND_COUNT + (uint32_t)b->shape.kind;
    bool isGood = a->defectSq + b->defectSq <= QUICK_MOST_DEFECT * QUICK_MOST_DEFECT;
    if (isGood && kinds == grz_boxShape * (KIND_COUNT + 1))
        return kindsBoxes;
    return isGood && kinds == grz_sphereShape * (KIND_COUNT + 1) ? kindsSpheres : kinds;
}

static void collideBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const ManyWork* work = context;
    uint32_t starts[KIND_COUNT * KIND_COUNT + 1] = {0}, order[blockPairs];
    uint8_t kinds[blockPairs];
    (void)worker;
    for (uint32_t i = begin; i < end; ++i) {
        kinds[i - begin] = (uint8_t)kindsOf(work->batch, i);
        ++starts[kinds[i - begin] + 1];
    }
    const uint32_t boxCount = starts[kindsBoxes + 1], sphereCount = starts[kindsSpheres + 1];
    for (uint32_t kind = 0; kind < KIND_COUNT * KIND_COUNT; ++kind)
        starts[kind + 1] += starts[kind];
    for (uint32_t i = begin; i < end; ++i)
        order[starts[kinds[i - begin]]++] = i;
    collideBoxes(work, order, boxCount);
    collideSpheres(work, order + boxCount, sphereCount);
    for (uint32_t k = boxCount + sphereCount; k < end - begin; ++k)
        collidePair(work->batch, order[k]);
}

static bool isGoodMargin(float margin) {
    return margin >= 0 && margin <= 1e15f;
}

static bool isGoodPair(const grzConvexBatch* batch, uint32_t i) {
    const grzBodyPair pair = batch->pairs[i];
    return pair.a < batch->bodyCount && pair.b < batch->bodyCount && isGoodMargin(batch->margins[i]) &&
           batchBody(batch, pair.a)->mark == POSED_MARK && batchBody(batch, pair.b)->mark == POSED_MARK;
}

// Why a pair is not good.
static grzResult checkPair(const grzConvexBatch* batch, uint32_t i) {
    grzBodyPair pair = batch->pairs[i];
    if (pair.a >= batch->bodyCount || pair.b >= batch->bodyCount)
        return grzFailAt(grz_badArgument, grz_noPart, i, 1);
    if (batchBody(batch, pair.a)->mark != POSED_MARK || batchBody(batch, pair.b)->mark != POSED_MARK)
        return grzFailAt(grz_badArgument, grz_noPart, i, 2);
    grzResult result = grzCheckMargin(batch->margins[i], 5);
    if (!grzResult_IsOk(result))
        result.index = i;
    return result;
}

static uint32_t checkPairs(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const grzConvexBatch* batch = context;
    uint32_t i = begin;
    (void)worker;
    while (i < end && isGoodPair(batch, i))
        ++i;
    return i;
}

grzResult grzConvex_CollideMany(const grzConvexBatch* batch) {
    GRZ_REFUSE_NULL(batch, 1);
    grzConvexBatch copy = *batch;
    if (copy.bodyStride == 0)
        copy.bodyStride = sizeof *copy.bodies;
    if (copy.bodyStride < sizeof *copy.bodies || copy.bodyStride % _Alignof(grzPosedConvex) != 0)
        return grzFail(grz_badArgument, 6);
    const uint32_t bad = grzParallelTry(copy.tasks, copy.pairCount, 8 * blockPairs, checkPairs, &copy);
    if (bad < copy.pairCount)
        return checkPair(&copy, bad);
    ManyWork work = {&copy, GRZ_PICK_KERNEL(grzCollideBoxes), GRZ_PICK_KERNEL(grzCollideSpheres)};
    grzParallelFor(batch->tasks, batch->pairCount, blockPairs, collideBlock, &work);
    return grzOk();
}
