// What: ccd_check.h.
#include "ccd_check.h"

#include <float.h>
#include <math.h>

#include "ccd_cases.h"
#include "ccd_oracle.h"

// Depth of the oracle's cells.
enum { DEPTH = 40 };

static bool isBeyond(const grzCcdQuery* query) {
    return ccdBits(query) > GRZ_CCD_BITS;
}

const char* ccdCheckImpact(const grzCcdQuery* query, grzCcdImpact* impact) {
    bool touches;
    grzCertainty certainty;
    if (!grzResult_IsOk(grzCcd_FindImpact(query, 0, impact)) ||
        !grzResult_IsOk(grzCcd_Touches(query, &touches, &certainty)))
        return "a query is refused";
    if (touches != impact->touches || certainty != impact->certainty)
        return "whether and when differ";
    const CcdOracle oracle = ccdOracle(query, DEPTH);
    if (impact->certainty != grz_exact)
        return !isBeyond(query) ? "not exact" : impact->touches ? NULL : "doubt that is no touch";
    if (impact->touches != oracle.touches)
        return oracle.touches ? "a miss" : "a false hit";
    if (!oracle.touches)
        return impact->t0 == 1 && impact->t1 == 1 ? NULL : "times of what is apart";
    if (!(impact->t0 <= oracle.t1 && impact->t1 >= oracle.t0))
        return "the wrong time";
    if (!(impact->t1 - impact->t0 <= ldexp(1, -GRZ_CCD_DEPTH)) && !isBeyond(query))
        return "a time that is not told";
    return impact->t0 == impact->t1 && impact->separation != 0 ? "a touch with a separation" : NULL;
}

const char* ccdCheckVariant(const grzCcdQuery* query, grzRng* rng) {
    grzCcdImpact impact, other;
    bool isReversed;
    const grzCcdQuery variant = ccdVariant(rng, query, &isReversed);
    if (!grzResult_IsOk(grzCcd_FindImpact(query, 0, &impact)) ||
        !grzResult_IsOk(grzCcd_FindImpact(&variant, 0, &other)))
        return "a query is refused";
    if (impact.certainty != grz_exact || other.certainty != grz_exact)
        return isBeyond(query) ? NULL : "not exact";
    if (impact.touches != other.touches)
        return "other names, another answer";
    return !isReversed && !isBeyond(query) && (impact.t0 != other.t0 || impact.t1 != other.t1)
               ? "other names, another time"
               : NULL;
}

const char* ccdCheckOrder(const grzCcdQuery* a, const grzCcdQuery* b, int* order) {
    int back;
    grzCertainty certainty, backCertainty;
    if (!grzResult_IsOk(grzCcd_CompareImpacts(a, b, order, &certainty)) ||
        !grzResult_IsOk(grzCcd_CompareImpacts(b, a, &back, &backCertainty)))
        return "a query is refused";
    if (back != -*order || certainty != backCertainty)
        return "the order depends on which is asked first";
    if (certainty != grz_exact)
        return isBeyond(a) || isBeyond(b) ? NULL : "an order that is not exact";
    return *order == ccdOracleCompare(a, b) ? NULL : "the wrong order";
}

// ---- with a distance ----

double ccdReach(const grzCcdQuery* query) {
    double reach = 0;
    for (int i = 0; i < 24; ++i)
        reach = fmax(reach, 0x1p-400 * fabs(query->points[i / 12][i / 3 % 4][i % 3]));
    for (int end = 0; end < 2; ++end)
        for (int i = 0; i < 4; ++i)
            for (int k = 0; k < i; ++k)
                for (int axis = 0; axis < 3; ++axis)
                    reach = fmax(reach, fabs(query->points[end][i][axis] - query->points[end][k][axis]));
    return fmin(reach, DBL_MAX);
}

// No time before t0, of those that are tried, is within the distance.
static bool isEarlier(const grzCcdQuery* query, const grzCcdNear* near, const grzCcdApproach* approach,
                      grzRng* rng) {
    for (int i = 0; i < 8; ++i) {
        double time = i == 0 && !approach->isNear ? 1 : i % 2 != 0 ? (double)i / 8 : grzRng_Double(rng);
        if (approach->isNear) // nearly as late as it can be, too
            time = i % 2 != 0 ? approach->t0 * (1 - ldexp(1, -8 * i)) : approach->t0 * time;
        if ((time < approach->t0 || !approach->isNear) && ccdOracleDistance(query, time, near->distance) <= 0)
            return true;
    }
    return false;
}

static const char* checkWithin(const grzCcdQuery* query, const grzCcdNear* near, const grzCcdApproach* approach) {
    const double tolerance = near->tolerance > 0 ? near->tolerance : near->distance / 1024;
    const double most = fmax(tolerance, GRZ_CCD_SURE_TOLERANCE * ccdReach(query)) + DBL_MIN;
    const uint32_t pieces = near->mostPieces != 0 ? near->mostPieces : GRZ_CCD_PIECES;
    if (ccdOracleDistance(query, approach->t0, approach->separation) > 0 && approach->separation < DBL_MAX)
        return "further away at t0 than is said";
    if (approach->certainty == grz_exact)
        return approach->measure != 0 ? "a measure of what is exact"
               : near->distance > 0 && ccdOracleDistance(query, approach->t1, near->distance) > 0
                   ? "not within the distance at t1"
                   : NULL;
    if (approach->separation > (near->distance + approach->measure) * (1 + 0x1p-40))
        return "the measure is too small";
    if (near->distance > 0 && approach->pieces < pieces &&
        approach->separation > (near->distance + most) * (1 + 0x1p-40))
        return "not within the tolerance";
    return NULL;
}

const char* ccdCheckNear(const grzCcdQuery* query, const grzCcdNear* near, grzRng* rng, grzCcdApproach* approach) {
    if (!grzResult_IsOk(grzCcd_FindApproach(query, near, approach)))
        return "a query is refused";
    if (isEarlier(query, near, approach, rng))
        return "within the distance before it is said";
    if (!approach->isNear && ccdOracle(query, 20).touches)
        return "a touch is missed";
    if (near->mostPieces != 0 && approach->pieces > near->mostPieces)
        return "more work than is allowed";
    return approach->isNear ? checkWithin(query, near, approach) : NULL;
}
