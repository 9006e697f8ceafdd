// What: creates self culls, which finds the contour of each node.
// Idea: from the leaves up. A node has the edges of its triangles, or of its children's contours. They are sorted
//   by their vertices. Edges that two triangles run along in opposite directions cancel each other, and the rest is
//   the contour. It is kept as chains, so that a result for one edge serves the edges after it.
// Cost: some 100 ns a triangle.
#include <string.h>

#include "bvh_parts.h"
#include "cone_kernel.h"
#include "memory.h"
#include "owner.h"
#include "radix_sort.h"
#include "refuse_null.h"
#include "self_cull.h"

#define DEF_MARK 0x44435347u

grzSelfCullDef grzDefaultSelfCullDef(void) {
    grzSelfCullDef def;
    memset(&def, 0, sizeof def);
    def.mark = DEF_MARK;
    def.numbering = grz_bvhCallersNumbers;
    return def;
}

// ---- contours ----

typedef struct CullKeys {
    GRZ_ARRAY(uint64_t);
} CullKeys;

// Edges of a node with one of its triangles, as lesser vertex, greater vertex and whether it runs back. All nodes of a level behind each
// other.
typedef struct Edges {
    CullKeys keys;
    CullNumbers
        starts; // of nodes, one more than there are; with an edge that has another triangle too many a node is bad:
    CullNumbers isBad;
} Edges;

typedef struct Contouring {
    grzSelfCull* cull;
    const grzAllocator* allocator;
    Edges levels[2]; // the one below, and this one
    CullKeys scratch;
} Contouring;

static uint64_t edgeKey(uint32_t a, uint32_t b) {
    return a < b ? (uint64_t)a << 31 | (uint64_t)b << 1 : (uint64_t)b << 31 | (uint64_t)a << 1 | 1;
}

static uint32_t edgeFrom(uint64_t key) {
    return (uint32_t)((key & 1) != 0 ? key >> 1 & 0x3FFFFFFF : key >> 31);
}

static uint32_t edgeTo(uint64_t key) {
    return edgeFrom(key ^ 1);
}

// Takes out what two triangles run along in opposite directions, from `first` on. False where an edge has more, or twice the same.
static bool cancelEdges(Contouring* contouring, CullKeys* keys, size_t first) {
    const size_t count = keys->count - first;
    uint64_t* all = keys->data + first;
    size_t left = 0;
    bool isGood = true;
    if (count == 0)
        return true;
    grzRadixSort64(all, NULL, contouring->scratch.data, NULL, count);
    for (size_t i = 0, next; i < count; i = next) {
        next = i + 1;
        while (next < count && all[next] >> 1 == all[i] >> 1)
            ++next;
        isGood = isGood && (next == i + 1 || (next == i + 2 && all[i] != all[i + 1]));
        if (next == i + 1)
            all[left++] = all[i];
    }
    keys->count = first + left;
    return isGood;
}

// The edges of a node, of its triangles or of its children.
static bool gatherEdges(Contouring* contouring, const Edges* below, Edges* here, uint32_t level, uint32_t index) {
    const grzSelfCull* cull = contouring->cull;
    CullKeys* keys = &here->keys;
    const size_t first = keys->count;
    bool isGood = true;
    if (level + 1 == cull->levelCount) {
        const uint32_t start = CONE_NODE_TRIANGLES * index, left = cull->triangleCount - start;
        const uint32_t count = left < CONE_NODE_TRIANGLES ? left : CONE_NODE_TRIANGLES;
        if (!grzArray_Reserve(keys, contouring->allocator, first + 3 * (size_t)count))
            return false;
        for (uint32_t i = 3 * start; i < 3 * (start + count); ++i) {
            const uint32_t a = cull->triangles.data[i], b = cull->triangles.data[i % 3 == 2 ? i - 2 : i + 1];
            isGood = isGood && a != b;
            keys->data[keys->count++] = edgeKey(a, b);
        }
    } else {
        const uint32_t children = cull->levelStarts[level + 2] - cull->levelStarts[level + 1];
        const uint32_t begin = GRZ_BVH_WIDTH * index, wanted = begin + GRZ_BVH_WIDTH;
        const uint32_t end = wanted < children ? wanted : children;
        const size_t from = below->starts.data[begin], count = below->starts.data[end] - from;
        if (!grzArray_Reserve(keys, contouring->allocator, first + count))
            return false;
        if (count != 0)
            memcpy(keys->data + first, below->keys.data + from, count * sizeof *keys->data);
        keys->count += count;
        for (uint32_t child = begin; child < end; ++child)
            isGood = isGood && below->isBad.data[child] == 0;
    }
    if (!grzArray_Reserve(&contouring->scratch, contouring->allocator, keys->count - first))
        return false;
    here->isBad.data[index] = !cancelEdges(contouring, keys, first) || !isGood;
    here->starts.data[index + 1] = (uint32_t)keys->count;
    return true;
}

// A contour by where its edges begin. As many end at a vertex as begin there: its edges are those of triangles, each of which is closed.
typedef struct Chains {
    uint64_t edges[CULL_EDGES], scratch[CULL_EDGES]; // from and to
    bool isDone[CULL_EDGES];
    uint32_t count;
} Chains;

// The first edge that begins at a vertex.
static uint32_t firstFrom(const Chains* chains, uint32_t vertex) {
    uint32_t low = 0, high = chains->count;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (chains->edges[middle] >> 32 < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Whether edges other than the one that begins and the one that ends there meet at a vertex.
static bool isPinched(const Chains* chains, uint32_t first) {
    return first + 1 < chains->count && chains->edges[first] >> 32 == chains->edges[first + 1] >> 32;
}

static void addChain(Chains* chains, uint32_t edge, grzSelfCull* cull) {
    for (bool begins = true; !chains->isDone[edge]; begins = false) {
        const uint32_t to = (uint32_t)chains->edges[edge];
        chains->isDone[edge] = true;
        cull->begins.data[cull->begins.count++] = begins;
        cull->edges.data[cull->edges.count++] = (uint32_t)(chains->edges[edge] >> 32);
        cull->edges.data[cull->edges.count++] = to;
        edge = firstFrom(chains, to);
        if (isPinched(chains, edge))
            return;
    }
}

// Of a node of all levels: to the cull's edges, if it may serve. Chains that begin at pinched vertices come first, and then closed ones.
static bool keepContour(Contouring* contouring, uint32_t node, const uint64_t* edges, uint32_t count) {
    grzSelfCull* cull = contouring->cull;
    Chains chains;
    if (!grzArray_Reserve(&cull->edges, contouring->allocator, cull->edges.count + 2 * (size_t)count) ||
        !grzArray_Reserve(&cull->begins, contouring->allocator, cull->begins.count + count))
        return false;
    cull->edgeStarts.data[2 * node] = (uint32_t)cull->edges.count;
    for (uint32_t i = 0; i < count; ++i) {
        chains.edges[i] = (uint64_t)edgeFrom(edges[i]) << 32 | edgeTo(edges[i]);
        chains.isDone[i] = false;
    }
    chains.count = count;
    grzRadixSort64(chains.edges, NULL, chains.scratch, NULL, count);
    for (uint32_t i = 0; i < count; ++i)
        if (isPinched(&chains, firstFrom(&chains, (uint32_t)(chains.edges[i] >> 32))))
            addChain(&chains, i, cull);
    for (uint32_t i = 0; i < count; ++i)
        addChain(&chains, i, cull);
    cull->edgeStarts.data[2 * node + 1] = (uint32_t)cull->edges.count;
    return true;
}

static bool makeContours(Contouring* contouring, uint32_t level) {
    const grzSelfCull* cull = contouring->cull;
    const uint32_t first = cull->levelStarts[level], count = cull->levelStarts[level + 1] - first;
    const Edges* below = &contouring->levels[(level + 1) % 2];
    Edges* here = &contouring->levels[level % 2];
    here->keys.count = 0;
    if (!grzArray_Reserve(&here->starts, contouring->allocator, count + (size_t)1) ||
        !grzArray_Reserve(&here->isBad, contouring->allocator, count))
        return false;
    here->starts.data[0] = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (!gatherEdges(contouring, below, here, level, i))
            return false;
        const uint32_t start = here->starts.data[i], edges = here->starts.data[i + 1] - start;
        const bool serves = here->isBad.data[i] == 0 && edges <= CULL_EDGES;
        if (!keepContour(contouring, first + i, here->keys.data + start, serves ? edges : 0))
            return false;
    }
    return true;
}

// ---- making ----

static bool reserveAll(grzSelfCull* cull) {
    const grzAllocator* allocator = &cull->memory.allocator;
    return grzArray_Reserve(&cull->triangles, allocator, 3 * (size_t)cull->triangleCount) &&
           grzArray_Reserve(&cull->edgeStarts, allocator, 2 * (size_t)cull->nodeCount) &&
           grzArray_Reserve(&cull->facing, allocator, cull->nodeCount) &&
           grzArray_Reserve(&cull->isFree, allocator, cull->nodeCount);
}

static bool makeCull(grzSelfCull* cull, const grzSelfCullDef* def) {
    const grzBvhView view = grzBvh_GetView(def->bvh);
    Contouring contouring = {.cull = cull, .allocator = &cull->memory.allocator};
    cull->revision = def->bvh->revision;
    cull->levelCount = view.levelCount, cull->nodeCount = view.nodeCount;
    cull->triangleCount = view.triangleCount, cull->vertexCount = view.vertexCount;
    memcpy(cull->levelStarts, view.levelStarts, sizeof cull->levelStarts);
    bool isMade = reserveAll(cull);
    for (size_t i = 0; isMade && i < 3 * (size_t)view.triangleCount; ++i)
        cull->triangles.data[i] =
            def->numbering == grz_bvhTreesNumbers ? view.triangles[i] : view.vertexToCaller[view.triangles[i]];
    for (uint32_t i = 0; isMade && i < view.nodeCount; ++i)
        cull->isFree.data[i] = 0;
    for (uint32_t level = view.levelCount; isMade && level-- > 0;)
        isMade = makeContours(&contouring, level);
    for (int k = 0; k < 2; ++k) {
        grzArray_Release(&contouring.levels[k].keys, contouring.allocator);
        grzArray_Release(&contouring.levels[k].starts, contouring.allocator);
        grzArray_Release(&contouring.levels[k].isBad, contouring.allocator);
    }
    grzArray_Release(&contouring.scratch, contouring.allocator);
    return isMade;
}

grzResult grzSelfCull_Create(const grzSelfCullDef* def, grzSelfCull** made) {
    GRZ_REFUSE_NULL(made, 2);
    *made = NULL;
    if (def == NULL || def->mark != DEF_MARK)
        return grzFail(grz_badDef, 0);
    if (def->bvh == NULL)
        return grzBecause(grzFail(grz_badArgument, 1), "bvh is NULL");
    if ((unsigned)def->numbering > grz_bvhCallersNumbers)
        return grzBecause(grzFail(grz_badArgument, 1), "the numbering is unknown");
    const grzBvhView view = grzBvh_GetView(def->bvh);
    if (view.vertexCount > INT32_MAX / 3)
        return grzFail(grz_tooLarge, view.vertexCount);
    grzResult result;
    grzAllocator allocator = def->allocator;
    grzSelfCull* cull = grzOwner_New(&allocator, 1, sizeof *cull, _Alignof(grzSelfCull), &result);
    if (cull == NULL)
        return result;
    grzCountedMemory_Init(&cull->memory, allocator);
    if (!makeCull(cull, def)) {
        grzSelfCull_Destroy(cull);
        return grzNoMemory(view.triangleCount, 3 * sizeof(uint32_t));
    }
    *made = cull;
    return grzOk();
}

void grzSelfCull_Destroy(grzSelfCull* cull) {
    if (cull == NULL)
        return;
    const grzAllocator host = cull->memory.host, *allocator = &cull->memory.allocator;
    grzArray_Release(&cull->triangles, allocator);
    grzArray_Release(&cull->edgeStarts, allocator);
    grzArray_Release(&cull->edges, allocator);
    grzArray_Release(&cull->begins, allocator);
    grzArray_Release(&cull->facing, allocator);
    grzArray_Release(&cull->isFree, allocator);
    grzRelease(&host, cull, 1, sizeof *cull, _Alignof(grzSelfCull));
}
