// Ids of bodies for tests of stages, which no world has given, and the slots that ids name.
#ifndef GRAZE_TESTS_BODY_IDS_H
#define GRAZE_TESTS_BODY_IDS_H

#include "graze/records.h"

static inline grzBodyId idOfNumber(uint32_t number) {
    return (grzBodyId){number, 1000 + number};
}

static inline grzBodyId idOfSlot(uint32_t slot) {
    return idOfNumber(slot + 1);
}

static inline uint32_t slotOf(grzBodyId id) {
    return id.index1 - 1;
}

#endif
