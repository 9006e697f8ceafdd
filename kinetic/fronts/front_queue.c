// What: the events of a region, with the first one at hand: a binary heap whose pairs know their places.
// Idea: most pairs of a region have no event in a piece, so that a heap of those that have one is small. (A
//   tournament over all places, event_queue.h, would be some eight times as large, and grow in steps.) The order is
//   total: the same events come in the same order, whatever the history of the heap.
#include "front_inside.h"

static bool isBefore(const FrontEvent* a, const FrontEvent* b) {
    if (a->tick != b->tick)
        return a->tick < b->tick;
    return a->order != b->order ? a->order < b->order : a->pair < b->pair;
}

static void put(FrontRegion* region, size_t place, FrontEvent event) {
    region->queue.data[place] = event;
    region->pairs.data[event.pair].queued = (uint32_t)place + 1;
}

static void rise(FrontRegion* region, size_t place, FrontEvent event) {
    FrontEvent* events = region->queue.data;
    while (place != 0 && isBefore(&event, &events[(place - 1) / 2])) {
        put(region, place, events[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(region, place, event);
}

// An event comes to a place, from where it rises or sinks.
static void settle(FrontRegion* region, size_t place, FrontEvent event) {
    FrontEvent* events = region->queue.data;
    const size_t count = region->queue.count;
    for (size_t child = 2 * place + 1; child < count; child = 2 * place + 1) {
        child += child + 1 < count && isBefore(&events[child + 1], &events[child]);
        if (!isBefore(&events[child], &event))
            break;
        put(region, place, events[child]);
        place = child;
    }
    rise(region, place, event);
}

static void take(FrontRegion* region, uint32_t pair) {
    const size_t place = region->pairs.data[pair].queued - 1;
    const FrontEvent last = region->queue.data[--region->queue.count];
    region->pairs.data[pair].queued = 0;
    if (last.pair != pair)
        settle(region, place, last);
}

void grzFrontQueue_Set(FrontRegion* region, uint32_t pair, double tick) {
    const FrontPair* of = &region->pairs.data[pair];
    const FrontEvent event = {tick, (uint32_t)of->tiers[0] + of->tiers[1], pair};
    if (tick < (double)INFINITY && of->queued != 0)
        settle(region, of->queued - 1, event);
    else if (tick < (double)INFINITY)
        rise(region, region->queue.count++, event);
    else if (of->queued != 0)
        take(region, pair);
}
