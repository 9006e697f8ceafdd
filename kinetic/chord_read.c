// What: nodes of a chord tree as they are at its time.
// Threads: reads what nobody changes.
#include <math.h>
#include <string.h>

#include "chord_inside.h"
#include "chord_kernel.h"
#include "chord_read_kernel.h"
#include "result_make.h"

ChordJob grzChord_JobOf(const grzChordTree* tree, const ChordSet* from, const ChordSet* to) {
    ChordJob job;
    const PlanFrame *a = grzChord_Frame(tree, from->frame), *b = grzChord_Frame(tree, to->frame);
    job.bvh = tree->bvh;
    job.from = a->positions, job.fromStride = a->stride;
    job.to = b->positions, job.toStride = b->stride;
    job.map = tree->numbering == grz_bvhCallersNumbers ? tree->view.vertexToCaller : NULL;
    job.fromNodes = from->nodes;
    job.nodes = to->nodes;
    job.looseness = tree->looseness;
    job.mostLog = CHORD_MOST_LOG;
    job.parts = tree->parts[(uint64_t)to->frame % 2];
    return job;
}

void grzChord_Read(const grzChordTree* tree, uint32_t first, uint32_t count, grzBvhNode* to) {
    const grzBvhNode *a = tree->from->nodes + first, *b = tree->to->nodes + first;
    if (tree->part == 0) {
        memcpy(to, a, count * sizeof *to);
        return;
    }
    GRZ_PICK_KERNEL(grzChordBlend)(a, b, count, tree->part, to);
    if (tree->looseness == INFINITY || grzChord_FlawOfFollowing(tree) != NULL) // an edited hierarchy has other leaves
        return;
    const ChordJob job = grzChord_JobOf(tree, tree->from, tree->to);
    const uint32_t bottom = grzBvhView_BottomStart(&tree->view);
    for (uint32_t i = first < bottom ? bottom - first : 0; i < count; ++i)
        if (job.parts.leaves[first + i - bottom].logs != 0)
            GRZ_PICK_KERNEL(grzChordTighten)(&job, first + i - bottom, tree->part, &to[i]);
}

void grzChordTree_ReadNode(const grzChordTree* tree, uint32_t level, uint32_t index, grzBvhNode* node) {
    grzChord_Read(tree, tree->view.levelStarts[level] + index, 1, node);
}

grzBox grzChordTree_RootBox(const grzChordTree* tree) {
    grzBvhNode root;
    grzChord_Read(tree, 0, 1, &root);
    return grzBvh_RootBox(&root);
}

enum { GRAIN = 64 }; // nodes a task

typedef struct Writing {
    const grzChordTree* tree;
    grzBvhNode* nodes;
} Writing;

static void writeBlock(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const Writing* work = context;
    grzChord_Read(work->tree, begin, end - begin, work->nodes + begin);
}

grzResult grzChordTree_WriteBoxes(const grzChordTree* tree, grzTasks* tasks, grzBvhNode* nodes) {
    if (nodes == NULL)
        return grzBecause(grzFail(grz_badArgument, 3), "nodes is NULL");
    Writing work = {tree, nodes};
    grzParallelFor(tasks, tree->view.nodeCount, GRAIN, writeBlock, &work);
    return grzOk();
}
