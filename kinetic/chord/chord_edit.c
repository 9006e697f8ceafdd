// What: a chord tree follows an edit of its hierarchy.
// Idea: while the levels keep their counts, the chunks that the edit touched are refit in every set that is of a keyframe; in
//   one that is not done some of them are refit again when it is their turn. Their leaves are looked at where they are read.
//   Else, and after a rebuild or more than one edit, the sets are made anew, for the time of the tree.
//   A lazy tree lists the vertices of all chunks anew.
// Cost: a refit of the touched chunks for each of three keyframes; or two refits and memory.
#include <string.h>

#include "bvh_parts.h"
#include "chord_lazy.h"
#include "refuse_null.h"
#include "result_make.h"

static grzResult makeAnew(grzChordTree* tree, grzTasks* tasks) {
    grzChordTree made = *tree;
    made.view = grzBvh_GetView(tree->bvh);
    made.followed = tree->bvh->revision;
    memset(made.sets, 0, sizeof made.sets);
    memset(made.parts, 0, sizeof made.parts);
    made.lazy = NULL;
    const grzResult result = grzChord_TakeMemory(&made);
    if (!grzResult_IsOk(result)) {
        grzChord_ReleaseMemory(&made);
        return result;
    }
    if (tree->lazy != NULL)
        made.chunks += atomic_load(&tree->lazy->made);
    grzChord_ReleaseMemory(tree);
    *tree = made;
    grzChord_Start(tree, tasks, tree->time);
    return grzOk();
}

static void leaveTouched(const grzChordTree* tree, ChordParts* parts, const uint64_t* touched) {
    for (uint32_t c = 0; c < tree->view.chunkCount; ++c)
        if ((touched[c / 64] >> c % 64 & 1) != 0)
            grzChord_LeaveToReaders(tree, parts, c, c + 1);
}

static uint32_t countChunks(const grzChordTree* tree, const uint64_t* touched) {
    uint32_t sum = 0;
    for (size_t w = 0; w < ((size_t)tree->view.chunkCount + 63) / 64; ++w)
        sum += (uint32_t)__builtin_popcountll(touched[w]);
    return sum;
}

static void followInPlace(grzChordTree* tree, grzTasks* tasks, const uint64_t* touched) {
    tree->view = grzBvh_GetView(tree->bvh);
    tree->followed = tree->bvh->revision;
    for (int i = 0; i < CHORD_SETS; ++i) {
        ChordSet* set = &tree->sets[i];
        if (set->frame < tree->plan->firstFrame) { // none, or one that is gone
            if (tree->lazy != NULL)
                grzChordLazy_Forget(tree, set);
            set->frame = -1;
            set->done = 0;
        } else if (set->done != 0) {
            grzChord_RefitSet(tree, tasks, set, touched);
            tree->chunks += countChunks(tree, touched);
            if (tree->lazy != NULL)
                grzChordLazy_SetInside(tree, set, touched);
        }
    }
    if (tree->lazy != NULL) {
        grzChordLazy_Begin(tree, touched);
        return;
    }
    for (int i = 0; i < 2 && tree->looseness != INFINITY; ++i)
        leaveTouched(tree, &tree->parts[i], touched);
}

grzResult grzChordTree_Follow(grzChordTree* tree, grzTasks* tasks) {
    GRZ_REFUSE_NULL(tree, 1);
    const grzBvhView view = grzBvh_GetView(tree->bvh);
    if (tree->plan->vertexCount < view.vertexCount)
        return grzBecause(grzFail(grz_badArgument, 1), "plan has fewer vertices than the hierarchy");
    if (tree->at < tree->plan->firstFrame)
        return grzBecause(grzFail(grz_badArgument, 1), "keyframes were dropped that the tree stands on");
    if (grzChord_FlawOfFollowing(tree) == NULL)
        return grzOk();
    const grzBvhEdited edited = grzBvh_LastEdit(tree->bvh);
    const bool isLast = tree->bvh->edits.isEdited && tree->bvh->revision == tree->followed + 1;
    // Between no triangles and some the root alone stays, but it is no chunk's.
    if (!isLast || edited.isReshaped || view.triangleCount == 0 || tree->view.triangleCount == 0)
        return makeAnew(tree, tasks);
    if (tree->lazy != NULL && !grzChordLazy_ListAnew(tree, &view))
        return grzNoMemory(view.vertexCount, sizeof(uint32_t));
    followInPlace(tree, tasks, edited.chunks);
    return grzOk();
}
