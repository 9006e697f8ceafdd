// What: chord trees whose chunks are made only where a query comes to them: what such a tree has besides, and does otherwise.
// Idea: the nodes above the chunks need of each chunk one box, which its vertices give in one stream (chord_root_kernel.h): a
//   quarter of what a refit takes. What lies below, nine nodes a chunk, is made when the chunk is reached, in the places where any
//   other chord tree has it. A reader that is in a chunk before it is made makes the one node that it wants, aside, and leaves
//   nothing behind: so what is read does not depend on what was reached.
// Threads: several may reach and read at a time. Who turns a chunk's state from none to busy makes it, alone, and then turns it
//   to done; whoever sees that sees its nodes as well. Nobody waits: what is busy is read as if it were none.
#ifndef GRAZE_KINETIC_CHORD_LAZY_H
#define GRAZE_KINETIC_CHORD_LAZY_H

#include <stdatomic.h>

#include "chord_inside.h"

// The vertices of a chunk, in the tree's numbers: some that follow each other, which are its own in a hierarchy as it was built,
// and a list of the others, which ends where the next chunk's begins.
typedef struct ChordRange {
    uint32_t first, count, others;
    bool isCareful; // has a vertex behind which positions may end
} ChordRange;

enum { CHORD_NONE, CHORD_BUSY, CHORD_DONE };

struct ChordLazy {
    ChordRange* ranges; // a chunk each, and one more for the end of its list
    uint32_t* others;
    size_t otherCount;
    // A chunk each, for every set: whether its nine nodes are of the set's keyframe. Of a chunk that is not done only who makes
    // it may look.
    uint8_t* inside[CHORD_SETS];
    _Atomic(uint8_t)* states; // between the keyframes of `pair`, a chunk each
    double pair[2];           // -1: of none
    _Atomic uint64_t made;    // chunks of which the nodes were made, one keyframe each
};

// For the view's counts; nothing is inside or done. NULL with *result where memory is refused.
ChordLazy* grzChordLazy_Make(const grzChordTree* tree, grzResult* result);
void grzChordLazy_Release(const grzChordTree* tree, ChordLazy* lazy);
size_t grzChordLazy_Size(const grzChordTree* tree);

// The hierarchy was edited and has this view now, with as many chunks. False, and nothing changed, where memory is refused.
bool grzChordLazy_ListAnew(const grzChordTree* tree, const grzBvhView* view);

// A set is to be of another keyframe.
void grzChordLazy_Forget(const grzChordTree* tree, const ChordSet* set);

// A set's nodes were all made, or those of chunks given as bits.
void grzChordLazy_SetInside(const grzChordTree* tree, const ChordSet* set, const uint64_t* chunks);

// The tree stands between other keyframes, or chunks given as bits are no longer done; NULL: all of them.
void grzChordLazy_Begin(const grzChordTree* tree, const uint64_t* chunks);

// Makes the boxes of chunks first .. end - 1 in the nodes above them.
void grzChordLazy_MakeRoots(const grzChordTree* tree, grzTasks* tasks, const ChordSet* set, uint32_t first,
                            uint32_t end);

// Makes the nodes of a chunk at both keyframes, and fits them, unless that is done or somebody is at it.
void grzChordLazy_Reach(const grzChordTree* tree, uint32_t chunk);

static inline bool grzChordLazy_IsDone(const ChordLazy* lazy, uint32_t chunk) {
    // Acquire: after it the nodes that the maker wrote are seen.
    return atomic_load_explicit(&lazy->states[chunk], memory_order_acquire) == CHORD_DONE;
}

// Whether a node is of a chunk that is not done.
bool grzChordLazy_IsAside(const grzChordTree* tree, uint32_t number);

// Such a node now where the hierarchy was edited, and so what it had cannot be made any more: the chunk's box in all lanes.
void grzChordLazy_NodeInBox(const grzChordTree* tree, uint32_t number, grzBvhNode* node);

// Such a node at a keyframe, as a refit has it.
void grzChordLazy_NodeAt(const grzChordTree* tree, const ChordSet* set, uint32_t number, grzBvhNode* node);

#endif
