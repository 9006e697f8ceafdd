// Touches ordered into colours and batches: in no colour do two touches change the same body.
#ifndef GRAZE_WORLD_CONTACT_COLORS_H
#define GRAZE_WORLD_CONTACT_COLORS_H

#include "array.h"
#include "contact_rows.h"

enum {
    GRZ_COLORS = 64, // of each kind: a bit of a body's mask
};

// Batches first .. first + count may be run side by side; groups follow one another.
typedef struct grzColorRun {
    uint32_t firstBatch, batchCount, firstBlock, blockCount;
    bool isSerial; // blocks may share bodies: one after the other
} grzColorRun;

typedef struct grzColorMasks {
    uint64_t twoSided, oneSided;
} grzColorMasks;

typedef struct grzColoring {
    struct {
        GRZ_ARRAY(uint32_t);
    } groups; // a touch: see contact_colors.c
    struct {
        GRZ_ARRAY(grzColorMasks);
    } masks; // a body
    struct {
        GRZ_ARRAY(uint32_t);
    } lanePlaces; // of touches among units, eight a block
    struct {
        GRZ_ARRAY(grzTouchBatch);
    } batches;
    struct {
        GRZ_ARRAY(grzColorRun);
    } runs;
    uint32_t blockCount, colorCount, overflowCount, pointCount;
    bool anyBounces;                        // a touch has restitution
    bool isChanged;                         // a touch has another colour than it remembers
    size_t firmSize, relaxedSize, keptSize; // in vectors
} grzColoring;

// False where memory is refused; touches are not changed either way.
bool grzColoring_Make(grzColoring* coloring, const grzAllocator* allocator, const grzSolveInput* step);
// Writes the colours into touches, which keep them for the next step.
void grzColoring_Remember(const grzColoring* coloring, const grzSolveInput* step, uint32_t begin, uint32_t end);
// Does it to all arrays.
void grzColoring_CallArrays(grzColoring* coloring, grzArrayCall* call, const grzAllocator* allocator);

// As the last grzStep_Solve made it, with its touches.
const grzColoring* grzContactSolver_Coloring(const grzContactSolver* solver);

// After grzStep_Solve has refused a step with grz_notFinite. IsBad returns whether the body's state or mass was not
// finite. Trace runs the same step again, up to the first pass that makes a body bad, and changes no state or touch:
// then IsBad returns whether that pass made the body bad. So it names the bodies that spoil the step, and not those
// that they have spoiled. Hooks are called again.
bool grzContactSolver_IsBad(const grzContactSolver* solver, uint32_t body);
void grzContactSolver_Trace(grzContactSolver* solver, const grzSolveInput* step);

#endif
