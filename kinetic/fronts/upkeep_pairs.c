// What: graze/stage/upkeep_pairs.h: create and destroy, a query, figures.
#include <math.h>
#include <string.h>

#include "memory.h"
#include "owner.h"
#include "refuse_null.h"
#include "upkeep_pairs_inside.h"

#define DEF_MARK   0x44505055u
#define QUERY_MARK 0x51505055u

grzUpkeepPairsDef grzDefaultUpkeepPairsDef(void) {
    grzUpkeepPairsDef def;
    memset(&def, 0, sizeof def);
    def.mark = DEF_MARK;
    def.a.numbering = def.b.numbering = grz_bvhCallersNumbers;
    def.costs = grzDefaultUpkeepPairsCosts();
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

static const char* flawOfSide(const grzUpkeepPairsSide* side, bool isB) {
    if (side->upkeep != NULL && (side->bvh != NULL || side->nodes != NULL || side->positions != NULL))
        return isB ? "b has an upkeep beside a hierarchy, nodes or positions"
                   : "a has an upkeep beside a hierarchy, nodes or positions";
    if (side->upkeep != NULL && side->upkeep->model.way == grz_upkeepBoxTree)
        return isB ? "the upkeep of b is a box tree, which has other leaves"
                   : "the upkeep of a is a box tree, which has other leaves";
    if (side->upkeep == NULL && (side->bvh == NULL) != (side->nodes == NULL))
        return isB ? "b needs both a hierarchy and its nodes" : "a needs both a hierarchy and its nodes";
    if (side->numbering != grz_bvhTreesNumbers && side->numbering != grz_bvhCallersNumbers)
        return isB ? "the numbering of b is unknown" : "the numbering of a is unknown";
    return NULL;
}

static bool areCosts(const grzUpkeepPairsCosts* costs) {
    const double all[] = {costs->boxes, costs->node,     costs->opened,    costs->boxPair,
                          costs->walk,  costs->walkPair, costs->piecePair, costs->activePair};
    GRZ_STATIC_ASSERT(sizeof all == sizeof *costs, "every cost is there");
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        if (!(all[i] > 0 && isfinite(all[i])))
            return false;
    return true;
}

static const char* flawOf(const grzUpkeepPairsDef* def) {
    const char* flaw = flawOfSide(&def->a, false);
    if (flaw == NULL)
        flaw = flawOfSide(&def->b, true);
    if (flaw == NULL && isNone(&def->a))
        return "a has neither an upkeep nor a hierarchy";
    if (flaw == NULL && def->searches >> grz_pairSearchCount != 0)
        return "searches has a bit that names no grzPairSearch";
    return flaw == NULL && !areCosts(&def->costs) ? "costs needs finite numbers above 0" : flaw;
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
    GRZ_REFUSE_NULL(made, 2);
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
    pairs->searches = def->searches != 0 ? def->searches : (1u << grz_pairSearchCount) - 1;
    pairs->model = grzPairsModel_Make(&def->costs);
    pairs->stats.reason = "nothing was searched yet";
    result = makeSearches(pairs);
    if (grzResult_IsOk(result))
        *made = pairs;
    else
        grzUpkeepPairs_Destroy(pairs);
    return result;
}

void grzUpkeepPairs_Destroy(grzUpkeepPairs* pairs) {
    if (pairs == NULL)
        return;
    const grzAllocator host = pairs->memory.host, *allocator = &pairs->memory.allocator;
    for (int i = 0; i < 2; ++i)
        grzArray_Release(&pairs->sides[i].nodes, allocator);
    grzArray_Release(&pairs->leaves, allocator);
    grzBoxPairs_Destroy(pairs->boxes);
    grzChordPairs_Destroy(pairs->chords);
    grzLeafTriangles_Destroy(pairs->triangles);
    grzRelease(&host, pairs, 1, sizeof *pairs, _Alignof(grzUpkeepPairs));
}

void grzUpkeepPairs_SetNodes(grzUpkeepPairs* pairs, int side, const grzBvhNode* nodes, const float* positions) {
    GRZ_RETURN_IF_NULL(pairs, );
    grzUpkeepPairsSide* given = &pairs->sides[side].given;
    if (given->upkeep != NULL)
        return;
    if (nodes != NULL)
        given->nodes = nodes;
    if (positions != NULL)
        given->positions = positions;
    pairs->sides[side].isTaken = false;
}

// ---- a query ----

static const char* flawOfQuery(const grzUpkeepPairs* pairs, const grzUpkeepPairsQuery* query) {
    if (query == NULL || query->mark != QUERY_MARK)
        return "the query was not made by grzDefaultUpkeepPairsQuery";
    if (query->precision != grz_conservativePairs && query->precision != grz_tightPairs &&
        query->precision != grz_trianglePairs)
        return "the precision is unknown";
    if (query->poseA != NULL && query->poseB != NULL)
        return "poseA and poseB are both set";
    if (pairs->isSelf && (query->poseA != NULL || query->poseB != NULL))
        return "a pose is set, but the pairs are within one mesh";
    if (query->poseA != NULL && pairs->sides[0].given.upkeep != NULL)
        return "poseA is set, but a is an upkeep";
    if (query->poseB != NULL && pairs->sides[1].given.upkeep != NULL)
        return "poseB is set, but b is an upkeep";
    return query->margin < 0 || query->margin == INFINITY ? "the margin is negative or infinite" : NULL;
}

static const char* flawOfUpkeeps(const grzUpkeepPairs* pairs) {
    for (int i = 0; i < 2; ++i) {
        const grzUpkeep* upkeep = pairs->sides[i].given.upkeep;
        const char* flaw = upkeep != NULL ? grzUpkeep_FlawOfMesh(upkeep) : NULL;
        if (flaw != NULL)
            return flaw;
        if (upkeep != NULL && upkeep->isStale)
            return "paths have changed since the upkeep was advanced";
        if (upkeep != NULL && !grzPlan_Knows(upkeep->plan, upkeep->time))
            return "keyframes were dropped that an upkeep stands on";
    }
    const grzUpkeep *a = pairs->sides[0].given.upkeep, *b = pairs->sides[1].given.upkeep;
    return a != NULL && b != NULL && !pairs->areClocksApart && a->time != b->time
               ? "the upkeeps were advanced to different times"
               : NULL;
}

grzResult grzUpkeepPairs_Begin(grzUpkeepPairs* pairs, const grzUpkeepPairsQuery* query, PairSearch* search) {
    const char* flaw = flawOfQuery(pairs, query);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 3), flaw);
    if (isnan(query->margin))
        return grzBecause(grzFail(grz_notFinite, 3), "the margin is NaN");
    flaw = flawOfUpkeeps(pairs);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, 1), flaw);
    const bool isTurned = query->poseA != NULL || (!pairs->isSelf && pairs->sides[0].given.upkeep == NULL &&
                                                   pairs->sides[1].given.upkeep != NULL);
    *search = (PairSearch){.pairs = pairs, .query = query, .isTurned = isTurned};
    search->sides[0] = &pairs->sides[isTurned ? 1 : 0];
    search->sides[1] = &pairs->sides[isTurned || pairs->isSelf ? 0 : 1];
    search->pose = query->poseA != NULL ? query->poseA : query->poseB;
    return grzOk();
}

static double timeOf(const grzUpkeepPairs* pairs) {
    const grzUpkeep *a = pairs->sides[0].given.upkeep, *b = pairs->sides[1].given.upkeep;
    return a != NULL ? a->time : b != NULL ? b->time : 0;
}

// ---- conservative pairs ----

static grzResult searchBoxes(const PairSearch* search, grzTasks* tasks, PairLeaves* found) {
    grzUpkeepPairs* pairs = search->pairs;
    const grzAllocator* allocator = &pairs->memory.allocator;
    grzBoxPairsQuery query = grzDefaultBoxPairsQuery();
    if (!grzPairSide_TakeBoxes(search->sides[0], tasks, allocator, &query.a, &query.reachA) ||
        (!pairs->isSelf && !grzPairSide_TakeBoxes(search->sides[1], tasks, allocator, &query.b, &query.reachB)))
        return grzFail(grz_outOfMemory, 0);
    query.poseB = search->pose;
    query.margin = search->query->margin;
    const grzResult result = grzBoxPairs_Find(pairs->boxes, tasks, &query);
    const grzBoxPairsView view = grzBoxPairs_GetView(pairs->boxes);
    *found = (PairLeaves){view.pairs, view.count, NULL, view.count, NULL};
    return result;
}

static bool allows(const grzUpkeepPairs* pairs, grzPairSearch search) {
    return (pairs->searches & GRZ_PAIR_SEARCH_BIT(search)) != 0;
}

// Which search, and why.
typedef struct Choice {
    grzPairSearch search;
    const char* reason;
    PairsFrame frame; // where chords are possible
    bool mayBeChords, isFree;
} Choice;

static Choice choose(const PairSearch* search) {
    grzUpkeepPairs* pairs = search->pairs;
    Choice choice = {grz_searchBoxes, grzPairSearch_FlawOfChords(search), {0, 0, 0}, false, false};
    choice.mayBeChords = choice.reason == NULL;
    if (choice.mayBeChords)
        choice.frame = grzPairSearch_Frame(search);
    choice.isFree = choice.mayBeChords && allows(pairs, grz_searchBoxes) && allows(pairs, grz_searchChords);
    if (choice.isFree)
        choice.search = grzPairsModel_Choose(&pairs->model, &choice.frame, &choice.reason);
    else if (choice.mayBeChords) {
        choice.search = allows(pairs, grz_searchChords) ? grz_searchChords : grz_searchBoxes;
        choice.reason = "no other search is allowed";
    }
    return choice;
}

static void noteWork(const PairSearch* search, const Choice* choice, const PairLeaves* found) {
    grzUpkeepPairs* pairs = search->pairs;
    PairsCounts counts = {.pairs = (double)found->askedCount, .inPiece = (double)found->count};
    if (!choice->mayBeChords)
        return;
    if (choice->search == grz_searchChords) {
        grzPairsModel_SeeChords(&pairs->model, &choice->frame, &counts, choice->isFree);
        return;
    }
    counts.opened = (double)grzBoxPairs_GetStats(pairs->boxes).opened;
    counts.nodes = (double)search->sides[0]->written;
    if (!pairs->isSelf)
        counts.nodes += (double)search->sides[1]->written;
    grzPairsModel_SeeBoxes(&pairs->model, &choice->frame, &counts, choice->isFree);
}

// ---- finding ----

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

static grzLeafBoxesSide boxesOf(const PairSearch* search, int i) {
    const PairSide* side = search->sides[i];
    const grzUpkeep* upkeep = side->given.upkeep;
    if (!grzPairSide_IsChord(side))
        return (grzLeafBoxesSide){.bvh = side->bvh, .nodes = grzPairSide_Nodes(side)};
    return (grzLeafBoxesSide){
        .bvh = side->bvh, .plan = upkeep->plan, .numbering = upkeep->numbering, .time = upkeep->time};
}

// Of those found, the ones whose boxes are within the margin at the time.
static grzResult tighten(const PairSearch* search, grzTasks* tasks, PairLeaves* leaves) {
    grzLeafTriangles* triangles = search->pairs->triangles;
    grzLeafBoxesQuery query = grzDefaultLeafBoxesQuery();
    query.pairs = leaves->pairs, query.count = leaves->count, query.asked = leaves->asked,
    query.known = leaves->known;
    query.a = boxesOf(search, 0);
    if (!search->pairs->isSelf)
        query.b = boxesOf(search, 1);
    query.poseB = search->pose;
    query.margin = search->query->margin;
    const grzResult result = grzLeafTriangles_FindLeaves(triangles, tasks, &query);
    const grzLeafBoxesView view = grzLeafTriangles_GetLeaves(triangles);
    *leaves = (PairLeaves){view.pairs, view.count, NULL, view.count, NULL};
    return result;
}

// Those with a bit, side by side.
static grzResult writeActive(grzUpkeepPairs* pairs, PairLeaves* leaves) {
    if (leaves->asked == NULL)
        return grzOk();
    if (!grzArray_Reserve(&pairs->leaves, &pairs->memory.allocator, leaves->askedCount))
        return grzNoMemory(leaves->askedCount, sizeof(grzLeafPair));
    if (leaves->askedCount != 0)
        grzChordPairs_Write(pairs->chords, pairs->leaves.data);
    *leaves = (PairLeaves){pairs->leaves.data, leaves->askedCount, NULL, leaves->askedCount, NULL};
    return grzOk();
}

// Boxes of chords are looked at again; triangles have boxes of their own.
static bool isTightened(const PairSearch* search) {
    return search->query->precision == grz_tightPairs &&
           (grzPairSide_IsChord(search->sides[0]) || grzPairSide_IsChord(search->sides[1]));
}

// From conservative pairs to what is asked for: those of leaves that it is made of.
static grzResult finish(const PairSearch* search, grzTasks* tasks, PairLeaves* leaves) {
    grzResult result = isTightened(search) ? tighten(search, tasks, leaves) : grzOk();
    if (search->query->endsAtLeaves || !grzResult_IsOk(result))
        return result;
    PairLeaves all = *leaves;
    result = writeActive(search->pairs, &all);
    return grzResult_IsOk(result)
               ? grzPairSearch_FindTriangles(search, tasks, search->pairs->triangles, all.pairs, all.count)
               : result;
}

static void noteFind(const PairSearch* search, const Choice* choice, size_t conservative, const PairLeaves* found) {
    grzUpkeepPairs* pairs = search->pairs;
    grzUpkeepPairsStats* stats = &pairs->stats;
    const bool isFirst = stats->finds[grz_searchBoxes] + stats->finds[grz_searchChords] == 0;
    stats->switches += !isFirst && stats->search != choice->search;
    stats->search = choice->search;
    stats->reason = choice->reason;
    ++stats->finds[choice->search];
    stats->leafPairs = conservative, stats->tightPairs = found->askedCount;
    pairs->found = *found;
    pairs->isTurned = search->isTurned, pairs->endsAtLeaves = search->query->endsAtLeaves;
    pairs->begin = pairs->end = pairs->time = pairs->horizon = timeOf(pairs);
    grzPairSearch_NotePose(search);
    if (choice->search != grz_searchChords)
        return;
    const grzChordPairsView view = grzChordPairs_GetView(pairs->chords);
    const grzChordPairsStats chords = grzChordPairs_GetStats(pairs->chords);
    stats->pieces = chords.pieces, stats->parts = chords.parts, stats->early = chords.early;
    pairs->begin = view.begin, pairs->end = view.end;
    if (search->query->precision == grz_conservativePairs || conservative == 0)
        pairs->horizon = grzUpkeepPairs_NextChange(pairs);
}

grzResult grzUpkeepPairs_Find(grzUpkeepPairs* pairs, grzTasks* tasks, const grzUpkeepPairsQuery* query) {
    GRZ_REFUSE_NULL(pairs, 1);
    PairSearch search;
    PairLeaves found;
    grzResult result = grzUpkeepPairs_Begin(pairs, query, &search);
    if (!grzResult_IsOk(result))
        return result;
    const PairsModel before = pairs->model;
    const Choice choice = choose(&search);
    result = choice.search == grz_searchChords ? grzPairSearch_ByChords(&search, tasks, &found)
                                               : searchBoxes(&search, tasks, &found);
    const PairLeaves conservative = found;
    if (grzResult_IsOk(result))
        result = finish(&search, tasks, &found);
    if (!grzResult_IsOk(result)) {
        pairs->model = before;
        return result;
    }
    noteWork(&search, &choice, &conservative);
    noteFind(&search, &choice, conservative.askedCount, &found);
    return grzOk();
}

// ---- what there is ----

grzUpkeepPairsView grzUpkeepPairs_GetView(const grzUpkeepPairs* pairs) {
    GRZ_RETURN_IF_NULL(pairs, (grzUpkeepPairsView){0});
    grzLeafTrianglesView view = {NULL, 0};
    if (!pairs->endsAtLeaves)
        view = grzLeafTriangles_GetView(pairs->triangles);
    return (grzUpkeepPairsView){view.pairs, view.count, pairs->begin, pairs->end, pairs->time};
}

grzUpkeepLeavesView grzUpkeepPairs_GetLeaves(const grzUpkeepPairs* pairs) {
    GRZ_RETURN_IF_NULL(pairs, (grzUpkeepLeavesView){0});
    const PairLeaves* found = &pairs->found;
    return (grzUpkeepLeavesView){found->pairs, found->count, found->asked, found->askedCount, pairs->isTurned};
}

double grzUpkeepPairs_Horizon(const grzUpkeepPairs* pairs) {
    GRZ_RETURN_IF_NULL(pairs, 0);
    return pairs->horizon;
}

grzUpkeepPairsStats grzUpkeepPairs_GetStats(const grzUpkeepPairs* pairs) {
    GRZ_RETURN_IF_NULL(pairs, (grzUpkeepPairsStats){0});
    return pairs->stats;
}

size_t grzUpkeepPairs_MemorySize(const grzUpkeepPairs* pairs) {
    GRZ_RETURN_IF_NULL(pairs, 0);
    return sizeof *pairs + grzCountedMemory_Size(&pairs->memory);
}
