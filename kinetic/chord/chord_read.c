// What: nodes of a chord tree as they are at its time.
// Threads: reads what nobody changes.
#include <math.h>
#include <string.h>

#include "chord_inside.h"
#include "chord_kernel.h"
#include "chord_lazy.h"
#include "chord_read_kernel.h"
#include "refuse_null.h"
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

// Of nodes that lie where they belong; `to` is there as the interval's chords have it.
static void tightenRun(const grzChordTree* tree, uint32_t first, uint32_t count, grzBvhNode* to) {
    const ChordJob job = grzChord_JobOf(tree, tree->from, tree->to);
    const uint32_t bottom = grzBvhView_BottomStart(&tree->view);
    for (uint32_t i = first < bottom ? bottom - first : 0; i < count; ++i) {
        const ChordLeaves leaves = job.parts.leaves[first + i - bottom];
        if (leaves.logs != 0)
            GRZ_PICK_KERNEL(grzChordTighten)
        (&job, first + i - bottom, leaves, &job.fromNodes[first + i], &job.nodes[first + i], tree->part, &to[i]);
    }
}

// An edited hierarchy has other leaves than those that looseness is held of.
static bool isHeld(const grzChordTree* tree) {
    return tree->looseness != INFINITY && grzChord_FlawOfFollowing(tree) == NULL;
}

static void readRun(const grzChordTree* tree, uint32_t first, uint32_t count, grzBvhNode* to) {
    const grzBvhNode *a = tree->from->nodes + first, *b = tree->to->nodes + first;
    if (tree->part == 0) {
        memcpy(to, a, count * sizeof *to);
        return;
    }
    GRZ_PICK_KERNEL(grzChordBlend)(a, b, count, tree->part, to);
    if (isHeld(tree))
        tightenRun(tree, first, count, to);
}

void grzChord_EndsOf(const grzChordTree* tree, uint32_t number, ChordEnds* ends) {
    ends->from = &tree->from->nodes[number], ends->to = &tree->to->nodes[number];
    if (tree->lazy == NULL || !grzChordLazy_IsAside(tree, number))
        return;
    grzChordLazy_NodeAt(tree, tree->from, number, &ends->scratch[0]);
    grzChordLazy_NodeAt(tree, tree->to, number, &ends->scratch[1]);
    ends->from = &ends->scratch[0], ends->to = &ends->scratch[1];
}

static void readAside(const grzChordTree* tree, uint32_t number, grzBvhNode* to) {
    const uint32_t bottom = grzBvhView_BottomStart(&tree->view);
    grzBvhNode ends[2];
    if (grzChord_FlawOfFollowing(tree) != NULL) {
        grzChordLazy_NodeInBox(tree, number, to);
        return;
    }
    grzChordLazy_NodeAt(tree, tree->from, number, &ends[0]);
    if (tree->part == 0) {
        *to = ends[0];
        return;
    }
    grzChordLazy_NodeAt(tree, tree->to, number, &ends[1]);
    GRZ_PICK_KERNEL(grzChordBlend)(&ends[0], &ends[1], 1, tree->part, to);
    if (number < bottom || tree->looseness == INFINITY)
        return;
    const ChordJob job = grzChord_JobOf(tree, tree->from, tree->to);
    const ChordLeaves leaves = grzChord_AllRead(tree, number - bottom);
    GRZ_PICK_KERNEL(grzChordTighten)
    (&job, number - bottom, leaves, &ends[0], &ends[1], tree->part, to);
}

void grzChord_Read(const grzChordTree* tree, uint32_t first, uint32_t count, grzBvhNode* to) {
    if (tree->lazy == NULL) {
        readRun(tree, first, count, to);
        return;
    }
    for (uint32_t i = 0, run = 0; i < count; i += run) {
        for (run = 0; i + run < count && !grzChordLazy_IsAside(tree, first + i + run);)
            ++run;
        if (run != 0) {
            readRun(tree, first + i, run, to + i);
        } else {
            readAside(tree, first + i, to + i);
            run = 1;
        }
    }
}

void grzChordTree_ReadNode(const grzChordTree* tree, uint32_t level, uint32_t index, grzBvhNode* node) {
    GRZ_RETURN_IF_NULL(tree, );
    GRZ_RETURN_IF_NULL(node, );
    grzChord_Read(tree, tree->view.levelStarts[level] + index, 1, node);
}

grzBox grzChordTree_RootBox(const grzChordTree* tree) {
    GRZ_RETURN_IF_NULL(tree, (grzBox){0});
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
    GRZ_REFUSE_NULL(tree, 1);
    if (nodes == NULL)
        return grzBecause(grzFail(grz_badArgument, 3), "nodes is NULL");
    if (tree->lazy != NULL)
        grzChord_ReachLazy(tree, tasks, NULL);
    Writing work = {tree, nodes};
    grzParallelFor(tasks, tree->view.nodeCount, GRAIN, writeBlock, &work);
    return grzOk();
}
