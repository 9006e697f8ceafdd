// What: the manifolds of many pairs.
// Promise: graze/convex_pairs.h: the bytes of grzConvex_Collide, for any number of workers.
// Idea: bodies were looked over when they were posed, so pairs go at once to the way of their kinds. A block of pairs is
//   put into the order of its kinds first, so that like follows like and branches are foretold; each manifold is
//   written at its pair's own index, so that nothing depends on that order.
// Cost: 2 bytes of stack for each pair of a block.
#include "convex_contact.h"
#include "convex_quick.h"

#define POSED_MARK 0x706f7365u
#define KIND_COUNT (grz_hullShape + 1)

enum { blockPairs = 256 };

grzResult grzConvex_Pose(const grzConvex* shape, grzTransform pose, grzPosedConvex* posed) {
    grzResult result = grzCheckPosed(shape, pose, 1);
    if (!grzResult_IsOk(result))
        return result;
    posed->shape = *shape;
    posed->pose = pose;
    posed->defectSq = quickDefectOf(&pose);
    posed->mark = POSED_MARK;
    return grzOk();
}

static void collidePair(const grzConvexBatch* batch, uint32_t i) {
    const grzPosedConvex *a = &batch->bodies[batch->pairs[i].a], *b = &batch->bodies[batch->pairs[i].b];
    QuickPair pair = {&a->shape, &b->shape, &a->pose, &b->pose, batch->margin, a->defectSq + b->defectSq};
    if (!grzQuick_Collide(&pair, &batch->manifolds[i]))
        grzCollideGeneral(&a->shape, a->pose, &b->shape, b->pose, batch->margin, &batch->manifolds[i]);
}

static uint32_t kindsOf(const grzConvexBatch* batch, uint32_t i) {
    return (uint32_t)batch->bodies[batch->pairs[i].a].shape.kind * KIND_COUNT +
           (uint32_t)batch->bodies[batch->pairs[i].b].shape.kind;
}

static void collideBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    const grzConvexBatch* batch = context;
    uint32_t starts[KIND_COUNT * KIND_COUNT + 1] = {0};
    uint16_t order[blockPairs];
    (void)worker;
    for (uint32_t i = begin; i < end; ++i)
        ++starts[kindsOf(batch, i) + 1];
    for (uint32_t kinds = 0; kinds < KIND_COUNT * KIND_COUNT; ++kinds)
        starts[kinds + 1] += starts[kinds];
    for (uint32_t i = begin; i < end; ++i)
        order[starts[kindsOf(batch, i)]++] = (uint16_t)(i - begin);
    for (uint32_t k = 0; k < end - begin; ++k)
        collidePair(batch, begin + order[k]);
}

static grzResult checkPair(const grzConvexBatch* batch, uint32_t i) {
    grzBodyPair pair = batch->pairs[i];
    if (pair.a >= batch->bodyCount || pair.b >= batch->bodyCount)
        return grzFailAt(grz_badArgument, grz_noPart, i, 1);
    if (batch->bodies[pair.a].mark != POSED_MARK || batch->bodies[pair.b].mark != POSED_MARK)
        return grzFailAt(grz_badArgument, grz_noPart, i, 2);
    return grzOk();
}

grzResult grzConvex_CollideMany(const grzConvexBatch* batch) {
    grzResult margin = grzCheckMargin(batch->margin, 5);
    if (!grzResult_IsOk(margin))
        return margin;
    for (uint32_t i = 0; i < batch->pairCount; ++i) {
        grzResult result = checkPair(batch, i);
        if (!grzResult_IsOk(result))
            return result;
    }
    grzConvexBatch copy = *batch;
    grzParallelFor(batch->tasks, batch->pairCount, blockPairs, collideBlock, &copy);
    return grzOk();
}
