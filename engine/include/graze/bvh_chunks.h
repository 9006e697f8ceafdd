// Which chunks of a hierarchy have to be looked at when some vertices have moved: from lists of vertices to the bits of
// grzBvhRefit.dirtyChunks.
//
//   grzBvhChunks* chunks;
//   result = grzBvhChunks_Create(bvh, (grzAllocator){0}, &chunks);
//   ...each frame:
//   memset(bits, 0, (view.chunkCount + 63) / 64 * 8);
//   result = grzBvhChunks_Mark(chunks, moved, movedCount, grz_bvhCallersNumbers, bits);
//   refit.dirtyChunks = bits;
//   result = grzBvh_Refit(bvh, tasks, &refit, nodes);
//
// Owner: it copies what it needs, 8 bytes a vertex and 4 for each chunk that a vertex is in (and 4 more a vertex while it is
// made); the hierarchy may go, but after a rebuild of it the map must be
// made anew. Threads: a map never changes, any number may mark, each in bits of its own.
#ifndef GRAZE_BVH_CHUNKS_H
#define GRAZE_BVH_CHUNKS_H

#include "graze/bvh.h"

GRZ_EXTERN_C_BEGIN

typedef struct grzBvhChunks grzBvhChunks;

// O(V + T). Refused with *chunks NULL: grz_badArgument (value 2, half an allocator), grz_outOfMemory.
GRZ_NODISCARD GRZ_API grzResult grzBvhChunks_Create(const grzBvh* bvh, grzAllocator allocator,
                                                    grzBvhChunks** chunks);

// NULL is fine.
GRZ_API void grzBvhChunks_Destroy(grzBvhChunks* chunks);

// Sets the bit of every chunk with a triangle of one of the vertices; the other bits stay. `bits` has as many words as
// dirtyChunks. Vertices may come in any order and more than once. Refused, with no bit set: grz_indexTooLarge (part
// vertex; index: the place in the list; value: what stands there), grz_badArgument (value 4: the numbering). O(count).
GRZ_NODISCARD GRZ_API grzResult grzBvhChunks_Mark(const grzBvhChunks* chunks, const uint32_t* vertices,
                                                  size_t count, grzBvhNumbering numbering, uint64_t* bits);

GRZ_EXTERN_C_END

#endif
