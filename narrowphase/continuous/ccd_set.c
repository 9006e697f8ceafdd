// What: ccd_set.h.
// Holds: tile k has what stands below bottom node k of the hierarchy, lane by lane, in the hierarchy's order.
#include "ccd_set.h"

#include <math.h>
#include <string.h>

#include "bvh_parts.h"
#include "graze/linmath.h"

enum { TILES_GRAIN = 64 };

// ---- features ----

static void makeCorners(CcdSet* set, const grzMeshView* view) {
    uint32_t count = 0;
    if (set->kind == grz_vertexFeature) {
        for (uint32_t i = 0; i < view->vertexCount; ++i)
            if (view->vertexOwners[i] != GRZ_MESH_NONE)
                for (int k = 0; k < 3; ++k)
                    set->corners[count++] = i;
    } else if (set->kind == grz_edgeFeature) {
        for (uint32_t i = 0; i < view->edgeCount; ++i) {
            set->corners[count++] = view->edges[i].a;
            set->corners[count++] = view->edges[i].b;
            set->corners[count++] = view->edges[i].b;
        }
    } else if (view->triangleCount != 0) {
        memcpy(set->corners, view->triangles, 3 * (size_t)view->triangleCount * sizeof *set->corners);
    }
}

static uint32_t countFeatures(grzFeatureKind kind, const grzMeshView* view) {
    uint32_t count = 0;
    if (kind != grz_vertexFeature)
        return kind == grz_edgeFeature ? view->edgeCount : view->triangleCount;
    for (uint32_t i = 0; i < view->vertexCount; ++i)
        count += view->vertexOwners[i] != GRZ_MESH_NONE;
    return count;
}

grzResult grzCcdSet_Make(CcdSet* set, const grzMesh* mesh, const grzAllocator* allocator) {
    const grzMeshView view = grzMesh_GetView(mesh);
    const uint32_t count = countFeatures(set->kind, &view);
    if (count > GRZ_MESH_MAX_TRIANGLES) // of the hierarchy
        return grzFail(grz_tooLarge, count);
    set->vertexCount = view.vertexCount;
    set->count = count;
    set->tileCount = grzBvhDivideUp(count, CCD_TILE);
    if (count == 0)
        return grzOk();
    set->corners = grzAllocate(allocator, count, 3 * sizeof *set->corners, 64);
    if (set->corners == NULL)
        return grzNoMemory(count, 3 * sizeof *set->corners);
    makeCorners(set, &view);
    return grzOk();
}

static void releaseOrder(CcdSet* set, const grzAllocator* allocator) {
    const size_t nodeCount = set->bvh != NULL ? grzBvh_GetView(set->bvh).nodeCount : 0;
    grzRelease(allocator, set->nodes, nodeCount, sizeof *set->nodes, GRZ_BVH_ALIGNMENT);
    grzRelease(allocator, set->tiles, set->tileCount, sizeof *set->tiles, _Alignof(CcdTile));
    grzRelease(allocator, set->doubles, set->tileCount, sizeof *set->doubles, _Alignof(CcdTileDoubles));
    grzBvh_Destroy(set->bvh);
    set->bvh = NULL;
    set->nodes = NULL;
    set->tiles = NULL;
    set->doubles = NULL;
}

void grzCcdSet_Release(CcdSet* set, const grzAllocator* allocator) {
    releaseOrder(set, allocator);
    grzRelease(allocator, set->corners, set->count, 3 * sizeof *set->corners, 64);
    set->corners = NULL;
}

// ---- order ----

static const void* startOf(const CcdSet* set, const CcdRows* rows, size_t offset) {
    const size_t number = CCD_ROW * (size_t)set->firstRow + offset;
    return rows->isDouble ? (const void*)((const double*)rows->data + number) : (const float*)rows->data + number;
}

static grzResult makeRoom(CcdSet* set, const grzBvhDef* def, const grzAllocator* allocator) {
    grzResult result = grzBvh_Create(def, &set->bvh);
    if (!grzResult_IsOk(result))
        return result;
    const size_t nodeCount = grzBvh_GetView(set->bvh).nodeCount;
    const bool isDouble = def->positionType == grz_float64;
    set->nodes = grzAllocate(allocator, nodeCount, sizeof *set->nodes, GRZ_BVH_ALIGNMENT);
    set->tiles = grzAllocate(allocator, set->tileCount, sizeof *set->tiles, _Alignof(CcdTile));
    if (isDouble)
        set->doubles = grzAllocate(allocator, set->tileCount, sizeof *set->doubles, _Alignof(CcdTileDoubles));
    if (set->nodes != NULL && set->tiles != NULL && (!isDouble || set->doubles != NULL))
        return grzOk();
    releaseOrder(set, allocator);
    return grzNoMemory(set->tileCount, sizeof *set->tiles);
}

// Names and numbers; lanes without a feature have boxes that nothing meets.
static void nameTiles(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const CcdSet* set = context;
    const grzBvhView view = grzBvh_GetView(set->bvh);
    for (uint32_t i = begin; i < end; ++i) {
        CcdTile* tile = &set->tiles[i];
        memset(tile, 0, sizeof *tile);
        tile->count = set->count - i * CCD_TILE < CCD_TILE ? set->count - i * CCD_TILE : CCD_TILE;
        for (uint32_t lane = 0; lane < CCD_TILE; ++lane) {
            if (lane >= tile->count) {
                for (int axis = 0; axis < 3; ++axis)
                    tile->lower[axis][lane] = INFINITY, tile->upper[axis][lane] = -INFINITY;
                continue;
            }
            const uint32_t feature = view.triangleToCaller[i * CCD_TILE + lane];
            const uint32_t* corners = set->corners + 3 * (size_t)feature;
            for (int k = 0; k < 4; ++k)
                tile->names[lane][k] = set->firstRow + corners[k < 3 ? k : 2];
            tile->features[lane] = set->kind == grz_vertexFeature ? corners[0] : feature;
        }
    }
}

grzResult grzCcdSet_Order(CcdSet* set, const CcdRows* rows, grzTasks* tasks, const grzAllocator* allocator) {
    if (set->count == 0)
        return grzOk();
    grzBvhDef def = grzDefaultBvhDef();
    def.positions = startOf(set, rows, 0);
    def.positionType = rows->isDouble ? grz_float64 : grz_float32;
    def.positionStride = CCD_ROW * grzBvhNumberSize(def.positionType);
    def.vertexCount = set->vertexCount;
    def.triangles = set->corners;
    def.triangleCount = set->count;
    def.tasks = tasks;
    def.keepsScratch = true;
    def.allocator = *allocator;
    const grzResult result = set->bvh == NULL ? makeRoom(set, &def, allocator) : grzBvh_Rebuild(set->bvh, &def);
    if (grzResult_IsOk(result))
        grzParallelFor(tasks, set->tileCount, TILES_GRAIN, nameTiles, set);
    return result;
}

// ---- boxes ----

typedef struct FitWork {
    const CcdSet* set;
    const CcdRows* rows;
} FitWork;

static void fitDoubles(const double* rows, CcdTile* tile, CcdTileDoubles* doubles) {
    for (int axis = 0; axis < 3; ++axis) {
        tile->boxLower[axis] = INFINITY;
        tile->boxUpper[axis] = -INFINITY;
        for (uint32_t lane = 0; lane < tile->count; ++lane) {
            double lower[2], upper[2];
            for (int end = 0; end < 2; ++end) {
                lower[end] = (double)INFINITY;
                upper[end] = -(double)INFINITY;
                for (int k = 0; k < 3; ++k) {
                    const double x = rows[CCD_ROW * (size_t)tile->names[lane][k] + (size_t)(4 * end + axis)];
                    lower[end] = x < lower[end] ? x : lower[end];
                    upper[end] = x > upper[end] ? x : upper[end];
                }
                doubles->lower[end][lane][axis] = lower[end];
                doubles->upper[end][lane][axis] = upper[end];
            }
            tile->lower[axis][lane] = grzRoundDown(fmin(lower[0], lower[1]));
            tile->upper[axis][lane] = grzRoundUp(fmax(upper[0], upper[1]));
            tile->boxLower[axis] = fminf(tile->boxLower[axis], tile->lower[axis][lane]);
            tile->boxUpper[axis] = fmaxf(tile->boxUpper[axis], tile->upper[axis][lane]);
        }
    }
}

static void fitTiles(uint32_t begin, uint32_t end, uint32_t worker, void* context) {
    (void)worker;
    const FitWork* work = context;
    for (uint32_t i = begin; i < end; ++i) {
        if (work->rows->isDouble)
            fitDoubles(work->rows->data, &work->set->tiles[i], &work->set->doubles[i]);
        else
            GRZ_PICK_KERNEL(grzCcdTileFit)(work->rows->data, &work->set->tiles[i]);
    }
}

void grzCcdSet_Fit(CcdSet* set, const CcdRows* rows, grzTasks* tasks) {
    if (set->count == 0)
        return;
    grzBvhRefit refit = grzDefaultBvhRefit();
    refit.positions = startOf(set, rows, 0);
    refit.endPositions = startOf(set, rows, CCD_ROW / 2);
    refit.type = rows->isDouble ? grz_float64 : grz_float32;
    refit.stride = CCD_ROW * grzBvhNumberSize(refit.type);
    refit.numbering = grz_bvhCallersNumbers;
    grzBvh_RefitKnown(set->bvh, tasks, &refit, set->nodes);
    FitWork work = {set, rows};
    grzParallelFor(tasks, set->tileCount, TILES_GRAIN, fitTiles, &work);
}
