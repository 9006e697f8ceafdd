// What: finds the contacts that every triangle around an edge or vertex of a mesh leaves to another, so that none has it.
#ifndef GRAZE_NARROWPHASE_CONTACT_LEFT_H
#define GRAZE_NARROWPHASE_CONTACT_LEFT_H

#include "array.h"
#include "convex_contact.h"
#include "model_edges.h"

// What a triangle said to the shape.
typedef struct TriangleSaid {
    uint32_t triangle;
    float taken;      // the least separation of its contacts; infinite: it has none
    LeftContact left; // the separation is infinite where it left none
} TriangleSaid;

typedef struct SaidArray {
    GRZ_ARRAY(TriangleSaid);
} SaidArray;

typedef struct SlotArray {
    GRZ_ARRAY(uint32_t);
} SlotArray;

// Of one query.
typedef struct LeftContacts {
    SaidArray said;  // in any order, each triangle once
    SlotArray slots; // a hash table of places in said, one more; 0: free
    uint32_t leftCount;
} LeftContacts;

void grzLeftContacts_Begin(LeftContacts* contacts);

// A triangle with contacts of which the least separation is `taken`, or none (infinite). False: no memory.
bool grzLeftContacts_Add(LeftContacts* contacts, const grzAllocator* allocator, uint32_t triangle, float taken,
                         const LeftContact* left);

// After the last triangle, before the first question; only where leftCount is not 0. False: no memory.
bool grzLeftContacts_Finish(LeftContacts* contacts, const grzAllocator* allocator);

// Whether the contact that said.data[place] left is taken by nobody, and its to keep. Separations that differ by no more than
// `nearness` are as deep.
bool grzLeftContacts_IsOrphan(const LeftContacts* contacts, const EdgesView* edges, size_t place, double nearness,
                              bool isTwoSided);

#endif
