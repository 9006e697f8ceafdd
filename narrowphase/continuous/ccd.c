// What: graze/ccd.h: one query, from doubles that nearly always suffice to whole numbers that always do.
#include "graze/ccd.h"

#include <math.h>
#include <string.h>

#include "ccd_filter.h"
#include "ccd_place.h"
#include "ccd_query.h"
#include "refuse_null.h"
#include "result_make.h"
#include "wide_int.h"

GRZ_STATIC_ASSERT(GRZ_CCD_BITS == CCD_EXACT_BITS, "as the header says");

static const char* flawOf(const grzCcdQuery* query) {
    if (query == NULL)
        return "there is no query";
    return (unsigned)query->kind > grz_ccdEdgeEdge ? "kind is no grzCcdKind" : NULL;
}

grzResult grzCcdQuery_Check(const grzCcdQuery* query, uint64_t argument) {
    const char* flaw = flawOf(query);
    if (flaw != NULL)
        return grzBecause(grzFail(grz_badArgument, argument), flaw);
    for (uint64_t i = 0; i < 24; ++i)
        if (!(fabs(query->points[i / 12][i / 3 % 4][i % 3]) < (double)INFINITY))
            return grzFailAt(grz_notFinite, grz_partVertex, i / 3, 0);
    return grzOk();
}

CcdVerdict grzCcdQuery_Decide(const grzCcdQuery* query, int depth, CcdSpan* span, grzCcdStage* stage) {
    const CcdPolygon polygon = ccdPolygon(query);
    const CcdVerdict verdict = grzCcdFilter_Decide(&polygon, depth, span, stage);
    return verdict != ccd_unknown ? verdict : grzCcdExact_Decide(&polygon, depth, span);
}

CcdVerdict grzCcdQuery_Time(const grzCcdQuery* query, int depth, CcdSpan* span) {
    const CcdPolygon polygon = ccdPolygon(query);
    const CcdVerdict verdict = grzCcdFilter_Time(&polygon, depth, span);
    return verdict != ccd_unknown ? verdict : grzCcdExact_Decide(&polygon, depth, span);
}

CcdWhen grzCcdQuery_When(const grzCcdQuery* query, int depth) {
    CcdWhen when = {.isTimed = true};
    grzCcdStage stage;
    when.verdict = grzCcdQuery_Decide(query, depth, &when.span, &stage);
    if (when.verdict != ccd_unknown)
        return when;
    return (CcdWhen){grzCcdQuery_Decide(query, 0, NULL, &stage), false, {0, 1}}; // perhaps only when
}

grzResult grzCcd_Touches(const grzCcdQuery* query, bool* touches, grzCertainty* certainty) {
    if (touches == NULL || certainty == NULL)
        return grzBecause(grzFail(grz_badArgument, 2), "there is no place for the answer");
    *touches = false;
    *certainty = grz_exact;
    const grzResult result = grzCcdQuery_Check(query, 1);
    if (!grzResult_IsOk(result))
        return result;
    grzCcdStage stage;
    const CcdVerdict verdict = grzCcdQuery_Decide(query, 0, NULL, &stage);
    *touches = verdict != ccd_apart;
    *certainty = verdict == ccd_unknown ? grz_conservative : grz_exact;
    return result;
}

grzResult grzCcd_FindImpact(const grzCcdQuery* query, int depth, grzCcdImpact* impact) {
    if (impact == NULL)
        return grzBecause(grzFail(grz_badArgument, 3), "there is no place for the answer");
    memset(impact, 0, sizeof *impact);
    impact->t0 = impact->t1 = 1;
    const grzResult result = grzCcdQuery_Check(query, 1);
    if (!grzResult_IsOk(result))
        return result;
    if (depth < 0 || depth > 52)
        return grzBecause(grzFail(grz_badArgument, 2), "depth is not 0 to 52");
    const CcdWhen when = grzCcdQuery_When(query, depth == 0 ? GRZ_CCD_DEPTH : depth);
    if (when.verdict == ccd_apart)
        return result;
    impact->touches = true;
    impact->certainty = when.verdict == ccd_unknown ? grz_conservative : grz_exact;
    impact->t0 = when.span.t0;
    impact->t1 = when.span.t1;
    grzCcdPlace(query, 0.5 * (when.span.t0 + when.span.t1), impact);
    impact->separation = impact->t0 == impact->t1 ? 0 : grzCcdSeparation(query, impact->t0);
    return result;
}

grzCcdStage grzCcd_StageOf(const grzCcdQuery* query) {
    GRZ_RETURN_IF_NULL(query, (grzCcdStage){0});
    const CcdPolygon polygon = ccdPolygon(query);
    grzCcdStage stage;
    grzCcdFilter_Decide(&polygon, 0, NULL, &stage);
    return stage;
}
