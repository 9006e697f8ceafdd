// Edits of hierarchies: triangles get other corners, go and come, and vertices come, while everything runs.
//
//   grzBvhEdit edit = {0};
//   edit.newVertexCount = 1;                                   // a vertex is doubled:
//   edit.changed = one, edit.changedCorners = corners, edit.changedCount = 1;    // this triangle has the new one now
//   result = grzBvh_Edit(bvh, &edit);
//   grzBvhEdited edited = grzBvh_LastEdit(bvh);
//   grzBvhEdit_Apply(&edit, &edited, triangleCount, triangles); // the host's own array of corners
//   view = grzBvh_GetView(bvh);
//   refit.dirtyChunks = edited.isReshaped ? NULL : edited.chunks;
//   result = grzBvh_Refit(bvh, tasks, &refit, nodes);          // or a function named _Follow of a kinetic tree
//
// Numbers. New vertices get the numbers behind the last, in the caller's and in the tree's numbering alike. A vertex is
// removed by being in no triangle any more: it keeps its number, and a position. Triangles are numbered without holes
// before and after, so that maps stay permutations:
//   changed    keep their numbers
//   added i    takes the number of removed i, where there is one; those beyond follow the last number
//   removed    where more are removed than added: with T left, those numbered T and above that stay take the free numbers
//              below T, both ascending. grzBvhEdited.moves tells them, for the host's attributes
// So a number says which triangle it is only until the next edit. A grzBoxTree numbers in another way: there the number of a
// removed triangle is never given again (grzBoxTree_Edit).
// Places in the tree go the same way: an added triangle takes the place of the one removed with it, and so lies well where it
// lies near to that; others stand at the end, four of them a leaf, in the order given, so neighbours should follow each
// other; a hole is filled from the end, and holes that lie together by triangles that do. The shape in bvh.h holds as before.
//
// What the tree loses is quality, never truth. Triangles that get other corners nearby cost nothing. A piece that is torn off, or
// sewn on, in one edit costs little: a tenth of a sphere of 65,000 triangles, off and on again, 7 % of grzBvhQuality.area.
// Dear are triangles that are removed here and there, as each hole then makes a leaf with one from elsewhere: 1 % replaced from
// the other half of that sphere, and a random line meets five times as many boxes; overlap grows by a fifth (graze-bench refit
// --case edit). grzBvh_Measure tells how it stands and grzBvhAge when grzBvh_Rebuild pays, which takes other counts than before.
//
// After an edit a view must be fetched anew (its pointers change when the memory grows), and trees told
// (grzKineticTree_Follow, grzChordTree_Follow); a grzUpkeep is made anew. Vertices are then no more numbered by first touch.
// Cost: O(what is edited), but that the first edit after a build looks at all triangles once, and growth, by half at a time,
// copies. Memory: 4 bytes a triangle, and 4 for each entry of the greatest edit. Threads: as grzBvh_Rebuild.
// [Zachmann and Weller, Kinetic Bounding Volume Hierarchies for Collision Detection of Deformable Objects, TU
// Clausthal 2006], section 2: insertions and deletions during run-time.
#ifndef GRAZE_BVH_EDIT_H
#define GRAZE_BVH_EDIT_H

#include "graze/bvh.h"

GRZ_EXTERN_C_BEGIN

// All numbers are the caller's, of before the edit; corners may be new vertices. All zeros: nothing.
typedef struct grzBvhEdit {
    size_t newVertexCount;
    const uint32_t* changed;
    const uint32_t* changedCorners; // three each; of several entries for a triangle the last counts
    size_t changedCount;
    const uint32_t* removed; // each once; of one that is changed as well the new corners go too
    size_t removedCount;
    const uint32_t* added; // three corners each
    size_t addedCount;
} grzBvhEdit;

// Edits, or refuses and changes nothing:
//   grz_badArgument    value 2; edit is NULL, an array with a count is NULL; or with part triangle and the entry as index:
//                      a triangle is removed twice
//   grz_indexTooLarge  part triangle; index: the entry; value: the number that names nothing; the reason says of which list.
//                      Lists are looked at in the order of the struct
//   grz_tooLarge       value vertices or triangles: more than a mesh may have
//   grz_outOfMemory
// The outcome depends on what the hierarchy was and the edit alone.
GRZ_NODISCARD GRZ_API grzResult grzBvh_Edit(grzBvh* bvh, const grzBvhEdit* edit);

typedef struct grzBvhMove {
    uint32_t from, to; // numbers of a triangle before and after
} grzBvhMove;

typedef struct grzBvhEdited {
    // Leaves that are there and have other triangles or corners than before, each once, in the order in which the edit came
    // to them; where there are fewer triangles than before, the last leaf too.
    const uint32_t* leaves;
    uint32_t leafCount;
    const uint64_t* chunks; // their chunks, as grzBvhRefit.dirtyChunks has them
    const grzBvhMove* moves;
    uint32_t moveCount;
    // Levels have other counts of nodes: arrays of nodes must have view.nodeCount of them and be refit as a whole.
    bool isReshaped;
} grzBvhEdited;

// What the last edit did. Belongs to the hierarchy, until it is edited, rebuilt or destroyed. Of one that has not been edited
// since it was built: nothing, but reshaped.
GRZ_API grzBvhEdited grzBvh_LastEdit(const grzBvh* bvh);

// Brings the host's own array of corners, three a triangle, to where the hierarchy is now. It has room for the triangles
// before and after. Just after grzBvh_Edit(bvh, edit), with its grzBvh_LastEdit; triangleCount: before.
GRZ_API void grzBvhEdit_Apply(const grzBvhEdit* edit, const grzBvhEdited* edited, size_t triangleCount,
                              uint32_t* triangles);

GRZ_EXTERN_C_END

#endif
