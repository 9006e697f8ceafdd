// Sets that are united: parents[i] leads from each element towards the root of its set, which is its own parent.
//
// Promise: the root is the lowest element of its set, so that it does not depend on the order of the unions.
// Cost: a logarithm of the set a call in the worst chain, and nearly nothing in the mean.
// Based on: [Tarjan, van Leeuwen, Worst-Case Analysis of Set Union Algorithms, JACM 1984]: path halving. We differ: linking is by
// index, not by rank, which needs no second array.
#ifndef GRAZE_BASE_UNION_FIND_H
#define GRAZE_BASE_UNION_FIND_H

#include <stdint.h>

static inline uint32_t grzFindRoot(uint32_t* parents, uint32_t element) {
    while (parents[element] != element) {
        parents[element] = parents[parents[element]];
        element = parents[element];
    }
    return element;
}

static inline void grzUniteSets(uint32_t* parents, uint32_t a, uint32_t b) {
    a = grzFindRoot(parents, a);
    b = grzFindRoot(parents, b);
    if (a < b)
        parents[b] = a;
    else
        parents[a] = b;
}

#endif
