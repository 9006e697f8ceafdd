// What: events between two keyframes, one after the other: the kinetic AABB tree as published.
//
//   an event     the side comes to be realised by the one that was known to come ahead; who is next is looked for, but where it
//                is the one at the end of the interval
//   then up      the row above has another vertex, which overtook the one it replaces. If it is ahead of the one that realises
//                the side there, it takes over; else only the time matters at which it will be
//
// Idea: of two straight paths the one that came ahead stays there. So a new vertex in a row comes ahead no later than the one it
//   replaced would have, and an event of another lane stays, unless the new vertex comes first. Neither takes a look at the
//   rest of the row. And a side that is not marked has no events, nor has any above it by this one.
// Holds: between ticks every event is the next of its row. Within a tick, a row may hold a vertex that an event yet to come at
//   this tick replaces; that event goes up, and what it brings is compared with what is there. Two that come ahead at one tick
//   may have crossed before, so that the one to take over first is the one that ends ahead; then the rest of the row is looked
//   at.
// Cost: O(log k) for an event and for each box that it reaches; reads at random, so that it grows with what does not fit the
//   cache: the row "between keyframes" of graze-bench kinetic, for each size.
// Based on: [Zachmann and Weller 2006] section 4; leaf events are those of tier 0, tree events all others. We differ: a box has
//   eight children and a leaf up to four triangles, as in a refit in SIMD, so that a row has up to twelve vertices; an event is
//   at the first tick at which a vertex is truly ahead, so that times can be compared exactly; where several come ahead at one
//   tick, the outermost takes over at once.
#include "kinetic_inside.h"

typedef struct SideAt {
    EventPlace at;
    uint32_t place; // in the queue
} SideAt;

static SideAt sideOf(const KineticPart* part, uint32_t place) {
    return (SideAt){grzKinetic_FramePlaceOf(part, part->frames.slots[place]), place};
}

static uint32_t vertexOf(const grzKineticTree* tree, const KineticPart* part, EventPlace at, uint32_t lane) {
    LeafVertices leaf;
    const FrameRow row = grzKinetic_RowOf(tree, part, at, &leaf);
    return grzFrameRow_Vertex(&row, lane);
}

// Looks for the next event of a side that a vertex realises.
static void lookAhead(grzKineticTree* tree, KineticPart* part, SideAt of, uint32_t vertex) {
    const FrameSide* side = &tree->frameSides[of.at.side];
    LeafVertices leaf;
    const FrameRow row = grzKinetic_RowOf(tree, part, of.at, &leaf);
    const FrameEvent next = grzFrameRow_Next(&row, side, vertex);
    grzFrameQueue_Set(&part->frames, of.place, next.tick, next.lane);
}

// A vertex that is ahead of all its row comes to realise a side.
static void takeOver(grzKineticTree* tree, KineticPart* part, SideAt taken, uint32_t vertex, float now) {
    const EventPlace at = taken.at;
    uint32_t* realiser = &tree->realisers[at.tier][realiserPlace(at.box, at.side)];
    grzKinetic_Log(tree, part, at, *realiser, frameTime(tree, now));
    *realiser = vertex;
    part->stats.updates++;
    if (grzFrameSide_To(&tree->frameSides[at.side], vertex) == endSide(tree, at.tier, at.box, at.side))
        grzFrameQueue_Set(&part->frames, taken.place, INFINITY, 0); // for the rest of the interval
    else
        lookAhead(tree, part, taken, vertex);
}

// The lane `lane` of the row of a side has come to hold a vertex that will be ahead of the side's own at `passes`, or never.
static void enterRow(grzKineticTree* tree, KineticPart* part, SideAt entered, uint32_t lane, uint32_t vertex,
                     float passes) {
    grzFrameQueue* queue = &part->frames;
    const float known = grzFrameQueue_Tick(queue, entered.place);
    const uint32_t rival = queue->lanes[entered.place];
    if (passes < known)
        grzFrameQueue_Set(queue, entered.place, passes, lane);
    else if (rival == lane && known < INFINITY) // within a tick: what came in instead may come later, or never
        lookAhead(tree, part, entered,
                  tree->realisers[entered.at.tier][realiserPlace(entered.at.box, entered.at.side)]);
    else if (passes == known && passes < INFINITY &&
             grzFrameSide_Leads(&tree->frameSides[entered.at.side], vertex, vertexOf(tree, part, entered.at, rival),
                                passes))
        grzFrameQueue_Set(queue, entered.place, passes, lane);
}

// When a vertex that came into the row comes ahead of the one that realises the side: now at the soonest.
static float comesAhead(const FrameSide* side, uint32_t own, uint32_t vertex, float now) {
    if (grzFrameSide_EndsAhead(side, vertex, own))
        return grzFrameSide_Passes(side, own, vertex);
    return grzFrameSide_BeginsAhead(side, vertex, own) && grzFrameSide_Leads(side, vertex, own, now) ? now
                                                                                                     : INFINITY;
}

// The one to take over now: a vertex that came into the row, or one that an event at this very tick would bring, if that leads.
static uint32_t firstOf(const grzKineticTree* tree, const KineticPart* part, SideAt taken, uint32_t vertex,
                        float now) {
    if (grzFrameQueue_Tick(&part->frames, taken.place) != now)
        return vertex;
    const uint32_t rival = vertexOf(tree, part, taken.at, part->frames.lanes[taken.place]);
    return grzFrameSide_Leads(&tree->frameSides[taken.at.side], rival, vertex, now) ? rival : vertex;
}

// A side has come to be realised by a vertex.
static void goUp(grzKineticTree* tree, KineticPart* part, EventPlace from, uint32_t vertex, float now) {
    const FrameSide* side = &tree->frameSides[from.side];
    while (from.tier < part->tier) {
        const uint32_t lane = from.box % GRZ_BVH_WIDTH;
        from.box /= GRZ_BVH_WIDTH, from.tier++;
        const uint32_t slot = frameSlot(part, from.tier, from.box, from.side);
        if (!grzFrameQueue_IsMarked(&part->frames, slot))
            return;
        const uint32_t own = tree->realisers[from.tier][realiserPlace(from.box, from.side)];
        const SideAt above = {from, grzFrameQueue_PlaceOf(&part->frames, slot)};
        const float passes = comesAhead(side, own, vertex, now);
        if (passes > now) {
            enterRow(tree, part, above, lane, vertex, passes);
            return;
        }
        vertex = firstOf(tree, part, above, vertex, now);
        takeOver(tree, part, above, vertex, now);
    }
    grzKinetic_KeepChange(tree, part, from.side, vertex, frameTime(tree, now));
}

void grzKinetic_RunFrames(grzKineticTree* tree, KineticPart* part, float until) {
    grzFrameQueue* queue = &part->frames;
    if (part->hasNoRoom) {
        grzKinetic_SettleUntil(tree, part, until);
        part->hasLost = tree->top != NULL && part != tree->top;
        part->log.hasLost = tree->isWatched;
        return;
    }
    for (float now = grzFrameQueue_First(queue); now <= until; now = grzFrameQueue_First(queue)) {
        const SideAt event = sideOf(part, grzFrameQueue_FirstPlace(queue));
        ++*(event.at.tier == 0 ? &part->stats.leafEvents : &part->stats.treeEvents);
        const uint32_t vertex = vertexOf(tree, part, event.at, queue->lanes[event.place]);
        takeOver(tree, part, event, vertex, now);
        goUp(tree, part, event.at, vertex, now);
    }
}

void grzKinetic_TakeFrameChange(grzKineticTree* tree, uint32_t root, const RootChange* change) {
    tree->seen[realiserPlace(root, change->side)] = change->vertex;
    const EventPlace from = {tree->top->bottom - 1, root, change->side};
    goUp(tree, tree->top, from, change->vertex, frameTick(tree, change->at));
}
