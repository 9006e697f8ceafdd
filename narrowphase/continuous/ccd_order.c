// What: which of two impacts comes first.
// Idea: cells of 2^-30, then of 2^-52, tell nearly always; what shares one is compared as roots of polynomials (wide_number.h).
//   The first cells are what a search has at hand, so that it asks for more only where it must.
#include "ccd_exact.h"
#include "ccd_query.h"
#include "result_make.h"

enum { DEEPEST = 52 };

static bool isCell(const CcdWhen* when) {
    return when->span.t1 > when->span.t0;
}

// By cells of one depth; 0 where both lie in the same.
static int compareSpans(const CcdWhen* a, const CcdWhen* b) {
    if (a->span.t0 != b->span.t0)
        return a->span.t0 < b->span.t0 ? -1 : 1;
    return isCell(a) - isCell(b);
}

// In one cell of the first depth.
static int compareDeeper(const grzCcdQuery* a, const grzCcdQuery* b, grzCertainty* certainty) {
    const CcdWhen whenA = grzCcdQuery_When(a, DEEPEST), whenB = grzCcdQuery_When(b, DEEPEST);
    const bool areTimed = whenA.isTimed && whenB.isTimed;
    int order = areTimed ? compareSpans(&whenA, &whenB) : 0;
    if (areTimed && (order != 0 || !isCell(&whenA)))
        return order;
    const CcdPolygon polygonA = ccdPolygon(a), polygonB = ccdPolygon(b);
    if (areTimed && grzCcdExact_Compare(&polygonA, &polygonB, &order))
        return order;
    *certainty = grz_conservative;
    return 0;
}

int grzCcdQuery_Compare(const grzCcdQuery* a, const CcdWhen* whenA, const grzCcdQuery* b, const CcdWhen* whenB,
                        grzCertainty* certainty) {
    const bool isNeverA = whenA->verdict == ccd_apart, isNeverB = whenB->verdict == ccd_apart;
    const bool isSure = (isNeverA || whenA->verdict == ccd_touch) && (isNeverB || whenB->verdict == ccd_touch);
    *certainty = isSure ? grz_exact : grz_conservative;
    if (isNeverA || isNeverB)
        return isNeverA - isNeverB;
    if (!whenA->isTimed || !whenB->isTimed)
        *certainty = grz_conservative;
    const int order = compareSpans(whenA, whenB);
    if (order != 0 || *certainty != grz_exact || !isCell(whenA))
        return order;
    return compareDeeper(a, b, certainty);
}

grzResult grzCcd_CompareImpacts(const grzCcdQuery* a, const grzCcdQuery* b, int* order, grzCertainty* certainty) {
    if (order == NULL || certainty == NULL)
        return grzBecause(grzFail(grz_badArgument, 3), "there is no place for the answer");
    *order = 0;
    *certainty = grz_exact;
    grzResult result = grzCcdQuery_Check(a, 1);
    if (!grzResult_IsOk(result))
        return result;
    result = grzCcdQuery_Check(b, 2);
    if (result.status == grz_notFinite)
        result.index += 8;
    if (!grzResult_IsOk(result))
        return result;
    const CcdWhen whenA = grzCcdQuery_When(a, GRZ_CCD_DEPTH), whenB = grzCcdQuery_When(b, GRZ_CCD_DEPTH);
    *order = grzCcdQuery_Compare(a, &whenA, b, &whenB, certainty);
    return result;
}
