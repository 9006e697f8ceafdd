// What: the front that box pairs keep from one call to the next: which leaves of A and nodes of B are near each
//   other.
#ifndef GRAZE_KINETIC_BOX_FRONT_H
#define GRAZE_KINETIC_BOX_FRONT_H

#include "box_pairs_inside.h"

typedef enum BoxFrontStep {
    box_frontRefused, // memory was
    box_frontRests,   // a walk, and nothing is looked at
    box_frontWatches, // a walk, of which the boxes are kept to see how they move
    box_frontBuilds,  // a walk for what is near, which then is asked
    box_frontServes,  // what is near is asked
} BoxFrontStep;

// What a call should do, of the boxes as they are now.
BoxFrontStep grzBoxFront_Begin(grzBoxPairs* pairs, grzTasks* tasks, const grzBoxPairsQuery* query,
                               const BoxWalk* walk);

// Both false where memory is refused.
bool grzBoxFront_Build(grzBoxPairs* pairs, grzTasks* tasks, const grzBoxPairsQuery* query, const BoxWalk* walk);
bool grzBoxFront_Ask(grzBoxPairs* pairs, grzTasks* tasks, const BoxWalk* walk, size_t* taskCount);

// A walk was made while the front watched: what it cost is what the front is measured by.
void grzBoxFront_NoteWalk(grzBoxPairs* pairs);

void grzBoxFront_Forget(BoxFront* front);

#endif
