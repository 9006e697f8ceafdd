// What the files behind bench_sequences.h share.
#ifndef GRAZE_BENCH_SEQUENCE_PARTS_H
#define GRAZE_BENCH_SEQUENCE_PARTS_H

#include "bench_sequences.h"
#include "graze/linmath.h"

// sequence_cloth.c and sequence_spheres.c: a mesh and its frames. The sequence's times are filled in by the caller.
grzResult makeClothSequence(const SequenceDef* def, grzAllocator allocator, MeshData* mesh, SequenceData* sequence);
grzResult makeSphereSequence(const SequenceDef* def, grzAllocator allocator, MeshData* mesh,
                             SequenceData* sequence);

// sequence_obstacle.c: moves a point that is nearer than SEQUENCE_MARGIN out to it; returns how far it was moved.
float pushOut(SequenceKind kind, grzVec3* point, grzVec3* normal);

// sequence_cache.c. The read fails, with *sequence undefined, where the file is missing or not what was written.
bool readSequenceCache(const char* path, grzAllocator allocator, SequenceData* sequence);
bool writeSequenceCache(const char* path, const SequenceData* sequence);

#endif
