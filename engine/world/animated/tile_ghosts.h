// Ghosts at the seams of a ground that is made of several bodies: contacts that push a body sideways from the wall of a tile
// that lies flush with the next one (grzDropGhosts, graze/manifold.h). They are taken out of a step's contacts for every dynamic
// body that touches two meshes or more that nothing moves but the host.
#ifndef GRAZE_WORLD_TILE_GHOSTS_H
#define GRAZE_WORLD_TILE_GHOSTS_H

#include "array.h"
#include "mesh_touch.h"

typedef struct GhostIndices {
    GRZ_ARRAY(uint32_t);
} GhostIndices;

typedef struct GhostContacts {
    GRZ_ARRAY(grzContact);
} GhostContacts;

// Memory that is kept from step to step. Begins as zeros.
typedef struct grzTileGhosts {
    GhostIndices starts; // by slot, into pairs
    GhostIndices pairs;  // those of a dynamic body with ground meshes, body by body
    GhostContacts gathered;
} grzTileGhosts;

void grzTileGhosts_Release(grzTileGhosts* ghosts, const grzAllocator* allocator);

// The contacts of step->pairs[i] are contacts[starts[i]] .. contacts[starts[i + 1] - 1], before and after. False where memory is
// refused, with the contacts as they were.
bool grzTileGhosts_Drop(grzTileGhosts* ghosts, const grzAllocator* allocator, const grzMeshTouchStep* step,
                        grzContact* contacts, size_t* starts);

#endif
