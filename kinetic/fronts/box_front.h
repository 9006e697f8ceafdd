// What: the front that box pairs keep from one call to the next: which leaves of A and nodes of B are near each
//   other.
#ifndef GRAZE_KINETIC_BOX_FRONT_H
#define GRAZE_KINETIC_BOX_FRONT_H

#include "box_pairs_inside.h"

typedef enum BoxFrontStep {
    box_frontRefused, // memory was refused
    box_frontRests,   // a walk; the front does nothing
    box_frontWatches, // a walk; its boxes are kept, to see how they move
    box_frontBuilds,  // a walk makes the front, which then finds the pairs
    box_frontServes,  // the front finds the pairs
} BoxFrontStep;

// Returns what a call should do with the boxes as they are now.
BoxFrontStep grzBoxFront_Begin(grzBoxPairs* pairs, grzTasks* tasks, const grzBoxPairsQuery* query,
                               const BoxWalk* walk);

// Build makes the front, Ask finds the pairs by it. Both return false where memory is refused.
bool grzBoxFront_Build(grzBoxPairs* pairs, grzTasks* tasks, const grzBoxPairsQuery* query, const BoxWalk* walk);
bool grzBoxFront_Ask(grzBoxPairs* pairs, grzTasks* tasks, const BoxWalk* walk, size_t* taskCount);

// Notes the cost of a walk while the front watches. The front is compared with this cost.
void grzBoxFront_NoteWalk(grzBoxPairs* pairs);

void grzBoxFront_Forget(BoxFront* front);

#endif
