// Models: triangle meshes made ready to be tested against each other, each in a frame of its own.
//
//   grzModelDef def = grzDefaultModelDef();
//   def.positions = positions, def.vertexCount = 8;
//   def.triangles = triangles, def.triangleCount = 12;
//   grzModel* model;
//   grzResult result = grzModel_Create(&def, &model);
//
// A model has a hierarchy over its triangles (bvh.h), one set of boxes, and its triangles once more in the order and
// the layout that the tests like. Any number of bodies may share one: where a body stands is said with each query
// (model_pair.h). A mesh that deforms is brought up to date by grzModel_Refit.
//
// Ownership: a model copies what it needs; the caller's arrays may go after the call. Threads: any number may query at a
// time; Create, Refit, Rebuild and Destroy are called by one, with nobody querying. Units: whatever the positions
// are in. Memory: 8 bytes a vertex, 101 a triangle.
// [van den Bergen, Efficient Collision Detection of Complex Deformable Models using AABB Trees, Journal of Graphics
// Tools 1997]
#ifndef GRAZE_MODEL_H
#define GRAZE_MODEL_H

#include "graze/bvh.h"

GRZ_EXTERN_C_BEGIN

typedef struct grzModel grzModel;

typedef struct grzModelDef {
    uint32_t mark; // set by grzDefaultModelDef; create refuses another
    grzBvhBuilder builder;

    // Vertex i lies at positions + i * positionStride, three floats. The stride is a multiple of a float's size and at
    // least three floats; 0 means tight.
    const float* positions;
    size_t positionStride;
    size_t vertexCount;

    const uint32_t* triangles; // three vertices each
    size_t triangleCount;

    grzTasks* tasks;        // used during the call; NULL: the calling thread alone
    grzAllocator allocator; // all zeros: the default one
} grzModelDef;

// No vertices, no triangles, tight, the surface area heuristic.
GRZ_API grzModelDef grzDefaultModelDef(void);

// Makes a model. Or refuses, makes nothing and sets *model to NULL: as grzBvh_Create does, for the same reasons.
// Triangles are kept as they are: without area, with an index twice, there twice.
GRZ_NODISCARD GRZ_API grzResult grzModel_Create(const grzModelDef* def, grzModel** model);

// NULL is fine.
GRZ_API void grzModel_Destroy(grzModel* model);

// Takes new positions, in the caller's numbers, of as many vertices as before: boxes and triangles follow, the order of
// the hierarchy stays. Allocates nothing. Refused, and nothing changed: grz_notFinite, grz_badArgument (value 3; the
// stride, or NULL positions).
GRZ_NODISCARD GRZ_API grzResult grzModel_Refit(grzModel* model, grzTasks* tasks, const float* positions,
                                               size_t stride);

// Orders anew as well, as Create would: for meshes that have changed so much that the boxes overlap
// (grzBvhAge_Step). The def must have the counts of the one that the model was made with. Fails as grzBvh_Rebuild does,
// and changes nothing then.
GRZ_NODISCARD GRZ_API grzResult grzModel_Rebuild(grzModel* model, const grzModelDef* def);

// What the model is made of; both belong to it, unless a source gave them.
typedef struct grzModelView {
    const grzBvh* bvh; // NULL: the source has none
    const grzBvhNode*
        nodes;  // as bvh's view has them; from a source: those above the chunks, others where they were read
    grzBox box; // of all triangles; grzBox_Empty() for none
} grzModelView;

GRZ_API grzModelView grzModel_GetView(const grzModel* model);

// ------------------------------------------------------------------------------ models that are made where they are read

// The triangles of a chunk (bvh.h: 256 that follow each other in the hierarchy), as its source gives them.
typedef struct grzModelChunk {
    float corners[9 * GRZ_BVH_CHUNK_TRIANGLES +
                  1];                      // nine numbers a triangle: x, y and z of its corners; the last is room
    uint32_t ids[GRZ_BVH_CHUNK_TRIANGLES]; // what queries call them
} grzModelChunk;

// Where triangles come from: a mesh that moves, or a function that makes them, such as a height field. Both functions may be
// called by several threads at a time, and never for the same chunk; what they read must stay as it is until grzModel_Forget.
// They call no query of the model.
typedef struct grzModelSource {
    void* context;
    uint32_t triangleCount;
    const grzBvh* bvh; // over the same triangles, or NULL; queries of insides, regions, planes and sweeps need it
    // Writes boxes that hold the chunks: box c is lane c % 8 of nodes[c / 8]; lanes behind the last one are empty (bvh.h). Called
    // where there are two chunks or more.
    void (*getBoxes)(void* context, grzBvhNode* nodes);
    void (*getChunk)(void* context, uint32_t chunk, grzModelChunk* to);
} grzModelSource;

// Makes a model of which each chunk is made when a query first comes near it. Queries answer as those of a model that
// was made whole, whichever threads ask and in whatever order. Refused: grz_badArgument (value 1; the reason names the field),
// grz_outOfMemory. 8 bytes a triangle less than other models.
GRZ_NODISCARD GRZ_API grzResult grzModel_CreateFrom(const grzModelSource* source, grzAllocator allocator,
                                                    grzModel** model);

// The source's triangles have moved: everything is made again where it is read. For models from a source alone. Called by one, with
// nobody querying.
GRZ_API void grzModel_Forget(grzModel* model);

// How many chunks were made since the model was. 0 for other models.
GRZ_API uint64_t grzModel_ChunksMade(const grzModel* model);

// Checks the hierarchy, its boxes, and that every triangle stands where it must; for tests and for doubts. O(V + T).
// False where something is broken, or memory for the check is refused; the first is logged as an error.
GRZ_API bool grzModel_Validate(const grzModel* model, const float* positions, size_t stride);

GRZ_EXTERN_C_END

#endif
