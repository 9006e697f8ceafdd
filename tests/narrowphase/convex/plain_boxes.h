// The slow twin of two boxes' short way.
#ifndef GRAZE_TESTS_PLAIN_BOXES_H
#define GRAZE_TESTS_PLAIN_BOXES_H

#include "convex_quick.h"

// As grzQuick_Boxes.
bool plainBoxes(const QuickPair* given, grzManifold* manifold);

#endif
