// Generated keyframe sequences: deforming meshes of any size, simulated once and kept in a cache.
//
//   tablecloth  a square sheet of edge 2 falls on a round table of radius 0.6 and drapes
//   drape       the same sheet falls on a ball of radius 0.5
//   spheres     two spheres expand along their radii; where triangles meet, their vertices turn back, so that a few
//               vertices change their velocity at a keyframe and all others keep theirs
//
// Times count keyframes, which are SEQUENCE_FRAME_TIME apart; between them vertices move linearly. Frame 0 is the
// mesh. The same def gives the same bytes on every machine.
//
// What is true of them: no cloth vertex comes nearer to table, ball or floor than SEQUENCE_MARGIN (up to 1e-5,
// rounding); edges and triangles may, where the surface bends more than the sheet can follow. Cloth may pass
// through itself: it is motion to measure on, not a simulation to look at. A sheet of more than 96 squares along
// an edge is simulated with 96, then interpolated by cubics, with small waves added. The spheres never touch
// each other.
#ifndef GRAZE_BENCH_SEQUENCES_H
#define GRAZE_BENCH_SEQUENCES_H

#include "array.h"
#include "mesh_data.h"

#define SEQUENCE_MARGIN     0.005f
#define SEQUENCE_FRAME_TIME (1.0f / 30)

typedef enum SequenceKind {
    sequenceTablecloth,
    sequenceDrape,
    sequenceSpheres,
} SequenceKind;

#define SEQUENCE_KIND_COUNT 3

typedef struct SequenceDef {
    SequenceKind kind;
    size_t triangles; // wanted; the nearest that the shape can have is made
    size_t frames;    // at least 1
} SequenceDef;

// A vertex of the spheres that takes another velocity, step > 0.
typedef struct SequenceChange {
    uint32_t step;
    uint32_t vertex;
} SequenceChange;

typedef struct SequenceChanges {
    GRZ_ARRAY(SequenceChange); // by step, then vertex
} SequenceChanges;

const char* sequenceName(SequenceKind kind);

// Makes the sequence and its mesh. Where this fails both are empty.
grzResult makeSequence(const SequenceDef* def, grzAllocator allocator, MeshData* mesh, SequenceData* sequence);

// The turns of the spheres, for those who move vertices by velocities: with collisions looked for in `perFrame` equal steps of
// each interval, at least 1; the spheres of the sequence have 1. To be released with grzArray_Release.
grzResult makeSphereChanges(const SequenceDef* def, size_t perFrame, const grzAllocator* allocator,
                            SequenceChanges* changes);

// The same as makeSequence, by way of a file in the directory, which is made if need be: read if it is there and
// sound, else written. NULL: $GRAZE_CACHE, or else a folder of the build. A cache that cannot be used costs time,
// not the answer; then a warning goes to the log.
grzResult loadSequence(const SequenceDef* def, const char* directory, grzAllocator allocator, MeshData* mesh,
                       SequenceData* sequence);

// How far a point is from what the cloth of this kind falls on; negative inside. The gradient goes to *normal.
float sequenceObstacle(SequenceKind kind, const float point[3], float normal[3]);

// What the cloth of this kind falls on, without the floor, as a mesh of about so many triangles; a little larger than what the sheet's
// vertices keep away from.
grzResult makeSequenceRest(SequenceKind kind, size_t triangles, grzAllocator allocator, MeshData* mesh);

#endif
