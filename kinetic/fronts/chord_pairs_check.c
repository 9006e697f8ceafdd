// What: checks the promises of chord pairs one by one.
#include "check.h"
#include "chord_pairs_inside.h"
#include "refuse_null.h"

static bool isBad(const char* what, size_t pair) {
    grzLog(grz_logError, "chord pairs are broken: %s (pair %zu)", what, pair);
    return false;
}

static bool isAfter(const grzLeafPair* pair, const grzLeafPair* before) {
    return before->leafA < pair->leafA || (before->leafA == pair->leafA && before->leafB < pair->leafB);
}

static bool isPair(const grzChordPairs* pairs, const grzLeafPair* pair) {
    const uint32_t* leafCounts = pairs->searches[pairs->current].leafCounts;
    return pair->leafA < leafCounts[0] && pair->leafB < leafCounts[1] &&
           (!pairs->walk.isSelf || pair->leafA <= pair->leafB);
}

// By the buckets of its times, beside those that are kept.
static bool isActive(const grzChordPairs* pairs, const grzLeafPair* pair) {
    const uint8_t now = grzChordBucket(pairs->part);
    return grzChordBucket(pair->t0) <= now && now <= grzChordBucket(pair->t1);
}

bool grzChordPairs_Validate(const grzChordPairs* pairs) {
    GRZ_RETURN_IF_NULL(pairs, false);
    const grzChordPairsView view = grzChordPairs_GetView(pairs);
    size_t active = 0;
    for (size_t i = 0; i < view.count; ++i) {
        const grzLeafPair* pair = &view.pairs[i];
        const bool bit = (view.active[i / 64] >> i % 64 & 1) != 0;
        if (!isPair(pairs, pair))
            return isBad("a leaf is not there, or the pair is twice", i);
        if (i != 0 && !isAfter(pair, pair - 1))
            return isBad("they are not sorted", i);
        if (!(0 <= pair->t0 && pair->t0 <= pair->t1 && pair->t1 <= 1))
            return isBad("its times are none", i);
        if (bit != isActive(pairs, pair))
            return isBad("its bit is wrong", i);
        if (view.known != NULL && !bit && (view.known[i / 64] >> i % 64 & 1) != 0)
            return isBad("it is known to overlap, and not active", i);
        active += bit;
    }
    if (view.count % 64 != 0 && view.active[view.count / 64] >> view.count % 64 != 0)
        return isBad("there are bits behind the last", view.count);
    return active == view.activeCount || isBad("they are miscounted", active);
}
