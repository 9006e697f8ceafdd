// What: ccd_block.h.
// Idea: what a stage leaves is listed without gaps, so that the next one has full lanes again.
#include "ccd_block.h"

#include <string.h>

#include "ccd_query.h"

static void takePoint(const CcdRows* rows, uint32_t vertex, double start[3], double end[3]) {
    const size_t place = CCD_ROW * (size_t)vertex;
    for (size_t axis = 0; axis < 3; ++axis)
        if (rows->isDouble) {
            const double* row = (const double*)rows->data + place;
            start[axis] = row[axis], end[axis] = row[CCD_ROW / 2 + axis];
        } else {
            const float* row = (const float*)rows->data + place;
            start[axis] = (double)row[axis], end[axis] = (double)row[CCD_ROW / 2 + axis];
        }
}

grzCcdQuery grzCcdRows_Query(const CcdRows* rows, grzCcdKind kind, const uint32_t vertices[4]) {
    grzCcdQuery query;
    query.kind = kind;
    for (int point = 0; point < 4; ++point)
        takePoint(rows, vertices[point], query.points[0][point], query.points[1][point]);
    return query;
}

static void loadLaneOfFloats(const float* rows, const uint32_t* vertices, uint32_t lane, CcdColumns* columns) {
    for (int point = 0; point < 4; ++point) {
        const float* row = rows + CCD_ROW * (size_t)vertices[point];
        for (int end = 0; end < 2; ++end)
            for (int axis = 0; axis < 3; ++axis)
                columns->at[end][point][axis][lane] = (double)row[4 * end + axis];
    }
}

static void loadLaneOfDoubles(const double* rows, const uint32_t* vertices, uint32_t lane, CcdColumns* columns) {
    for (int point = 0; point < 4; ++point) {
        const double* row = rows + CCD_ROW * (size_t)vertices[point];
        for (int end = 0; end < 2; ++end)
            for (int axis = 0; axis < 3; ++axis)
                columns->at[end][point][axis][lane] = row[4 * end + axis];
    }
}

// Eight pairs, or fewer, of which the last is repeated.
static void loadColumns(const CcdRows* rows, const uint32_t* vertices, const uint32_t* numbers, uint32_t count,
                        CcdColumns* columns) {
    for (uint32_t lane = 0; lane < CCD_LANES; ++lane) {
        const uint32_t* of = vertices + 4 * (size_t)numbers[lane < count ? lane : count - 1];
        if (rows->isDouble)
            loadLaneOfDoubles(rows->data, of, lane, columns);
        else
            loadLaneOfFloats(rows->data, of, lane, columns);
    }
}

static uint8_t decideOne(const CcdRows* rows, grzCcdKind kind, const uint32_t vertices[4], CcdStages* stages) {
    const grzCcdQuery query = grzCcdRows_Query(rows, kind, vertices);
    grzCcdStage stage;
    const CcdVerdict verdict = grzCcdQuery_Decide(&query, 0, NULL, &stage);
    stages->counts[stage]++;
    return verdict == ccd_apart ? grz_ccdApart : verdict == ccd_touch ? grz_ccdTouching : grz_ccdDoubtful;
}

static void countRoots(const CcdRoots* roots, uint32_t lanes, CcdStages* stages) {
    const uint32_t early = roots->boxes | roots->volumes;
    stages->counts[grz_ccdBoxes] += (uint32_t)__builtin_popcount(roots->boxes & lanes);
    stages->counts[grz_ccdVolume] += (uint32_t)__builtin_popcount(roots->volumes & lanes);
    stages->counts[grz_ccdAreas] += (uint32_t)__builtin_popcount((roots->apart | roots->touch) & ~early & lanes);
}

uint32_t grzCcdBlock_Decide(const CcdRows* rows, grzCcdKind kind, const uint32_t* vertices, uint32_t count,
                            uint32_t* hits, uint8_t* verdicts, CcdStages* stages) {
    const int isEdges = kind == grz_ccdEdgeEdge;
    CcdSifted sifted = {0, 0, 0, 0};
    const uint32_t left =
        rows->isDouble ? GRZ_PICK_KERNEL(grzCcdSiftDouble)(rows->data, vertices, count, isEdges, hits, &sifted)
                       : GRZ_PICK_KERNEL(grzCcdSiftFloat)(rows->data, vertices, count, isEdges, hits, &sifted);
    grzCcdRoots_Fn* decideLanes = GRZ_PICK_KERNEL(grzCcdRoots);
    uint32_t found = 0;
    stages->counts[grz_ccdBoxes] += sifted.boxes;
    stages->counts[grz_ccdVolume] += sifted.volumes;
    stages->counts[grz_ccdDirection] += sifted.directions;
    for (uint32_t i = 0; i < left; i += CCD_LANES) {
        const uint32_t some = left - i < CCD_LANES ? left - i : CCD_LANES;
        CcdColumns columns;
        loadColumns(rows, vertices, hits + i, some, &columns);
        const CcdRoots roots = decideLanes(&columns, isEdges);
        countRoots(&roots, (1u << some) - 1, stages);
        for (uint32_t lane = 0; lane < some; ++lane) {
            const uint32_t pair = hits[i + lane];
            if ((roots.apart >> lane & 1) != 0)
                continue;
            const uint8_t verdict = (roots.touch >> lane & 1) != 0
                                        ? grz_ccdTouching
                                        : decideOne(rows, kind, vertices + 4 * (size_t)pair, stages);
            hits[found] = pair;
            verdicts[found] = verdict;
            found += verdict != grz_ccdApart;
        }
    }
    return found;
}
