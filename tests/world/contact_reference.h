// The solver of contacts, slow and obvious: in doubles, one touch after the other, with cross products, inertia
// tensors in the world, and all impulses applied anew in every substep. What engine/world/rigid/contact_solver.c does in
// whitened rows, eight at a time, must agree with it but for rounding.
#ifndef GRAZE_TESTS_CONTACT_REFERENCE_H
#define GRAZE_TESTS_CONTACT_REFERENCE_H

#include "touch.h"

typedef struct ContactReference {
    grzSolverSettings settings;
    grzBodyState* states;
    const grzBodyMass* masses;
    uint32_t bodyCount;
    grzTouch* touches;
    uint32_t touchCount;
    const uint32_t* order; // in which touches are solved: touchCount of them
} ContactReference;

void runContactReference(const ContactReference* reference);

// The order in which the solver took touches, told from what it left in grzTouch.memory: those without a colour,
// two-sided ones by colour, one-sided ones by colour. Within a colour any order gives the same.
void findContactOrder(const grzTouch* touches, uint32_t touchCount, uint32_t* order);

#endif
