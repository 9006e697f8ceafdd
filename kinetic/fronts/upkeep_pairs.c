// What: graze/stage/upkeep_pairs.h: making it, a query, figures.
#include <math.h>
#include <string.h>

#include "memory.h"
#include "owner.h"
#include "upkeep_pairs_inside.h"

#define DEF_MARK   0x44505055u
#define QUERY_MARK 0x51505055u

grzUpkeepPairsDef grzDefaultUpkeepPairsDef(void) {
    grzUpkeepPairsDef def;
    memset(&def, 0, sizeof def);
    def.mark = DEF_MARK;
    def.a.numbering = def.b.numbering = grz_bvhCallersNumbers;
    return def;
}

grzUpkeepPairsQuery grzDefaultUpkeepPairsQuery(void) {
    grzUpkeepPairsQuery query;
    memset(&query, 0, sizeof query);
    query.mark = QUERY_MARK;
    query.precision = grz_tightPairs;
    return query;
}

// ---- making it ----

static bool isNone(const grzUpkeepPairsSide* side) {
    return side->upkeep == NULL && side->bvh == NULL;
}

static const char* flawOfSide(const grzUpkeepPairsSide* side) {
    if (side->upkeep != NULL && (side->bvh != NULL || side->nodes != NULL || side->positions != NULL))
        return "a side has an upkeep and a hierarchy, nodes or positions";
    if (side->upkeep != NULL && side->upkeep->model.way == grz_upkeepBoxTree)
        return "an upkeep keeps a box tree, whose leaves are others";
    if (side->upkeep == NULL && (side->bvh == NULL) != (side->nodes == NULL))
        return "a side has a hierarchy or nodes, not both";
    return side->numbering != grz_bvhTreesNumbers && side->numbering != grz_bvhCallersNumbers
               ? "a side has an unknown numbering"
               : NULL;
}

static const char* flawOf(const grzUpkeepPairsDef* def) {
    const char* flaw = flawOfSide(&def->a);
    if (flaw == NULL)
        flaw = flawOfSide(&def->b);
    return flaw == NULL && isNone(&def->a) ? "a has neither an upkeep nor a hierarchy" : flaw;
}

static void fillSide(PairSide* side, const grzUpkeepPairsSide* given) {
    side->given = *given;
    side->bvh = given->upkeep != NULL ? given->upkeep->bvh : given->bvh;
    if (given->upkeep != NULL)
        side->given.numbering = given->upkeep->numbering;
}

static grzResult makeSearches(grzUpkeepPairs* pairs) {
    grzBoxPairsDef boxes = grzDefaultBoxPairsDef();
    grzLeafTrianglesDef triangles = grzDefaultLeafTrianglesDef();
    boxes.allocator = triangles.allocator = pairs->memory.allocator;
    const grzResult result = grzBoxPairs_Create(&boxes, &pairs->boxes);
    return grzResult_IsOk(result) ? grzLeafTriangles_Create(&triangles, &pairs->triangles) : result;
}

grzResult grzUpkeepPairs_Create(const grzUpkeepPairsDef* def, grzUpkeepPairs** made) {
    *made = NULL;
    if (def == NULL || def->mark != DEF_MARK)
        return grzFail(grz_badDef, 0);
    const char* flaw = flawOf(def);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    grzAllocator allocator = def->allocator;
    grzResult result;
    grzUpkeepPairs* pairs = grzOwner_New(&allocator, 1, sizeof *pairs, _Alignof(grzUpkeepPairs), &result);
    if (pairs == NULL)
        return result;
    grzCountedMemory_Init(&pairs->memory, allocator);
    fillSide(&pairs->sides[0], &def->a);
    fillSide(&pairs->sides[1], &def->b);
    pairs->isSelf = isNone(&def->b);
    pairs->areClocksApart = def->areClocksApart;
    pairs->stats.reason = "nothing was searched yet";
    result = makeSearches(pairs);
    if (grzResult_IsOk(result))
        *made = pairs;
    else
        grzUpkeepPairs_Destroy(pairs);
    return result;
}

static void releaseSide(PairSide* side, const grzAllocator* allocator) {
    grzArray_Release(&side->nodes, allocator);
    grzArray_Release(&side->at.bits, allocator);
    grzArray_Release(&side->at.before, allocator);
    grzArray_Release(&side->at.boxes, allocator);
}

void grzUpkeepPairs_Destroy(grzUpkeepPairs* pairs) {
    if (pairs == NULL)
        return;
    const grzAllocator host = pairs->memory.host, *allocator = &pairs->memory.allocator;
    for (int i = 0; i < 2; ++i)
        releaseSide(&pairs->sides[i], allocator);
    grzArray_Release(&pairs->leaves, allocator);
    grzArray_Release(&pairs->counts, allocator);
    grzBoxPairs_Destroy(pairs->boxes);
    grzLeafTriangles_Destroy(pairs->triangles);
    grzRelease(&host, pairs, 1, sizeof *pairs, _Alignof(grzUpkeepPairs));
}

void grzUpkeepPairs_SetNodes(grzUpkeepPairs* pairs, int side, const grzBvhNode* nodes, const float* positions) {
    grzUpkeepPairsSide* given = &pairs->sides[side].given;
    if (given->upkeep != NULL)
        return;
    if (nodes != NULL)
        given->nodes = nodes;
    if (positions != NULL)
        given->positions = positions;
}

// ---- a query ----

static const char* flawOfQuery(const grzUpkeepPairs* pairs, const grzUpkeepPairsQuery* query) {
    if (query == NULL || query->mark != QUERY_MARK)
        return "the query was not made by grzDefaultUpkeepPairsQuery";
    if (query->precision != grz_conservativePairs && query->precision != grz_tightPairs &&
        query->precision != grz_trianglePairs)
        return "the precision is unknown";
    if (query->poseA != NULL && query->poseB != NULL)
        return "there are two poses";
    if (pairs->isSelf && (query->poseA != NULL || query->poseB != NULL))
        return "there is a pose within one mesh";
    return query->margin < 0 || query->margin == INFINITY ? "the margin is below 0 or infinite" : NULL;
}

static const char* flawOfUpkeeps(const grzUpkeepPairs* pairs) {
    for (int i = 0; i < 2; ++i) {
        const grzUpkeep* upkeep = pairs->sides[i].given.upkeep;
        const char* flaw = upkeep != NULL ? grzUpkeep_FlawOfMesh(upkeep) : NULL;
        if (flaw != NULL)
            return flaw;
        if (upkeep != NULL && upkeep->isStale)
            return "paths have changed since the upkeep was advanced";
    }
    const grzUpkeep *a = pairs->sides[0].given.upkeep, *b = pairs->sides[1].given.upkeep;
    return a != NULL && b != NULL && !pairs->areClocksApart && a->time != b->time
               ? "the upkeeps are at different times"
               : NULL;
}

grzResult grzUpkeepPairs_Begin(grzUpkeepPairs* pairs, const grzUpkeepPairsQuery* query, PairSearch* search) {
    const char* flaw = flawOfQuery(pairs, query);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 3), flaw);
    if (isnan(query->margin))
        return grzFail(grz_notFinite, 0);
    flaw = flawOfUpkeeps(pairs);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    const bool isTurned = query->poseA != NULL;
    *search = (PairSearch){.pairs = pairs, .query = query, .isTurned = isTurned};
    search->sides[0] = &pairs->sides[isTurned ? 1 : 0];
    search->sides[1] = &pairs->sides[isTurned || pairs->isSelf ? 0 : 1];
    search->pose = isTurned ? query->poseA : query->poseB;
    return grzOk();
}

static double timeOf(const grzUpkeepPairs* pairs) {
    const grzUpkeep *a = pairs->sides[0].given.upkeep, *b = pairs->sides[1].given.upkeep;
    return a != NULL ? a->time : b != NULL ? b->time : 0;
}

// ---- finding ----

// Conservative pairs.
static grzResult findLeaves(const PairSearch* search, grzTasks* tasks, grzBoxPairsView* found) {
    grzUpkeepPairs* pairs = search->pairs;
    const grzAllocator* allocator = &pairs->memory.allocator;
    grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
    if (!grzPairSide_TakeBoxes(search->sides[0], tasks, allocator, &query.a, &query.reachA) ||
        (!pairs->isSelf && !grzPairSide_TakeBoxes(search->sides[1], tasks, allocator, &query.b, &query.reachB)))
        return grzFail(grz_outOfMemory, 0);
    query.poseB = search->pose;
    query.margin = search->query->margin;
    const grzResult result = grzBoxPairs_Find(pairs->boxes, tasks, &query);
    *found = grzBoxPairs_GetView(pairs->boxes);
    return result;
}

static grzLeafTrianglesSide trianglesOf(const PairSearch* search, int i) {
    const grzUpkeepPairsSide* given = &search->sides[i]->given;
    grzLeafTrianglesSide side = {.bvh = search->sides[i]->bvh, .numbering = given->numbering};
    if (search->query->precision != grz_trianglePairs)
        return side;
    side.positions = given->positions;
    if (given->upkeep != NULL)
        side.plan = given->upkeep->plan, side.time = given->upkeep->time;
    return side;
}

grzResult grzPairSearch_FindTriangles(const PairSearch* search, grzTasks* tasks, grzLeafTriangles* triangles,
                                      const grzLeafPair* leaves, size_t count) {
    grzLeafTrianglesQuery query = grzDefaultLeafTrianglesQuery();
    query.pairs = leaves, query.count = count;
    query.a = trianglesOf(search, 0);
    if (!search->pairs->isSelf)
        query.b = trianglesOf(search, 1);
    query.poseB = search->pose;
    query.margin = search->query->margin;
    query.isTurned = search->isTurned;
    query.bodyPair = search->query->bodyPair;
    return grzLeafTriangles_Find(triangles, tasks, &query);
}

// Boxes of chords are looked at again; triangles have boxes of their own.
static bool isTightened(const PairSearch* search) {
    return search->query->precision == grz_tightPairs &&
           (grzPairSide_IsChord(search->sides[0]) || grzPairSide_IsChord(search->sides[1]));
}

grzResult grzUpkeepPairs_Find(grzUpkeepPairs* pairs, grzTasks* tasks, const grzUpkeepPairsQuery* query) {
    PairSearch search;
    BoxFrame frame;
    grzBoxPairsView found;
    grzResult result = grzUpkeepPairs_Begin(pairs, query, &search);
    if (grzResult_IsOk(result))
        result = findLeaves(&search, tasks, &found);
    if (!grzResult_IsOk(result))
        return result;
    const size_t conservative = found.count;
    if (isTightened(&search)) {
        grzPairSearch_TakeFrame(&search, &frame);
        if (!grzUpkeepPairs_Tighten(&search, tasks, found.pairs, found.count))
            return grzNoMemory(found.count, sizeof(grzLeafPair));
        found = (grzBoxPairsView){pairs->leaves.data, pairs->leaves.count};
    }
    result = grzPairSearch_FindTriangles(&search, tasks, pairs->triangles, found.pairs, found.count);
    if (!grzResult_IsOk(result))
        return result;
    pairs->begin = pairs->end = pairs->time = timeOf(pairs);
    pairs->stats.leafPairs = conservative, pairs->stats.tightPairs = found.count;
    pairs->stats.search = grz_searchBoxes;
    pairs->stats.reason = "boxes are searched in every frame";
    ++pairs->stats.finds[grz_searchBoxes];
    return grzOk();
}

// ---- what there is ----

grzUpkeepPairsView grzUpkeepPairs_GetView(const grzUpkeepPairs* pairs) {
    const grzLeafTrianglesView view = grzLeafTriangles_GetView(pairs->triangles);
    return (grzUpkeepPairsView){view.pairs, view.count, pairs->begin, pairs->end, pairs->time};
}

double grzUpkeepPairs_Horizon(const grzUpkeepPairs* pairs) {
    return pairs->time;
}

grzUpkeepPairsStats grzUpkeepPairs_GetStats(const grzUpkeepPairs* pairs) {
    return pairs->stats;
}

size_t grzUpkeepPairs_MemorySize(const grzUpkeepPairs* pairs) {
    return sizeof *pairs + grzCountedMemory_Size(&pairs->memory);
}
