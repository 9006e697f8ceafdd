// What: the direction along which a patch is parted soonest.
// Idea: candidates are the normals of the faces that meet and of those around the vertices inside, and the area
//       vector of the curve in which the surfaces meet: for a flat surface that is its normal, for two crossing
//       edges the direction across both, for rounded bodies the way in which the overlap shrinks fastest. Along
//       each, A's side of the patch reaches past B's by some depth, and the least one wins. What reaches how far is
//       told by the curve, by the vertices inside, and by the triangles that meet, as far outside as the patch is
//       wide:
//
//             A  \   /           Down, A reaches to its tip and B to the line: that is the depth. Along A's
//         ________\ /________    right side's normal, A ends with its side, but B goes on to the left, as far as
//               B  v             the patch is wide: much more. So an inner edge of a surface parts nothing.
//
// Holds: sums in double, in the order of keys.
// Cost: for each triangle pair met and each vertex inside, one comparison a candidate, of which there are at most
//       CANDIDATES: those of the largest faces.
#include <float.h>

#include "manifold_parts.h"
#include "memory.h"

enum { CANDIDATES = 48, FEW = 16 };
#define SAME_COSINE  0.9999995 // normals within 0.06 degrees are one
#define AREA_LOSS    0.9       // the area vector is nobody's face: it must be better by a tenth
#define CLEAR_COSINE 0.5       // a mean normal that points this far along another one faces as that does
#define LOYALTY      0.95      // and where the last step's normal is nearly as good, it stays

typedef struct Candidate {
    grzVec3d d;
    double area;
} Candidate;

typedef struct Candidates {
    Candidate all[CANDIDATES];
    uint32_t count;
    grzVec3d facing[2]; // of each side: the mean normal of the faces that meet
} Candidates;

static void addCandidate(Candidates* candidates, grzVec3d d, double area) {
    uint32_t least = 0;
    if (d.x == 0 && d.y == 0 && d.z == 0)
        return;
    for (uint32_t i = 0; i < candidates->count; ++i) {
        if (grzVec3d_Dot(candidates->all[i].d, d) >= SAME_COSINE) {
            candidates->all[i].area += area;
            return;
        }
        if (candidates->all[i].area < candidates->all[least].area)
            least = i;
    }
    if (candidates->count < CANDIDATES)
        candidates->all[candidates->count++] = (Candidate){d, area};
    else if (area > candidates->all[least].area)
        candidates->all[least] = (Candidate){d, area};
}

static void addFace(Candidates* candidates, const Face* face, int side, bool isEitherWay) {
    const grzVec3d back = grzVec3d_Neg(face->normal);
    addCandidate(candidates, side == 0 ? face->normal : back, face->area);
    if (isEitherWay)
        addCandidate(candidates, side == 0 ? back : face->normal, face->area);
}

// A face inside, of a mesh with two sides: either way, unless those that meet clearly face the other one.
static void addFaceInside(Candidates* candidates, const Face* face, int side, bool isTwoSided) {
    const double like = isTwoSided ? grzVec3d_Dot(face->normal, candidates->facing[side]) : 1;
    if (like > -CLEAR_COSINE)
        addCandidate(candidates, side == 0 ? face->normal : grzVec3d_Neg(face->normal), face->area);
    if (isTwoSided && like < CLEAR_COSINE)
        addCandidate(candidates, side == 0 ? grzVec3d_Neg(face->normal) : face->normal, face->area);
}

static void addFacesInside(const grzManifolds* manifolds, const Patch* patch, int i, Candidates* candidates) {
    const grzManifoldSide* own = sideOf(patch->query, i);
    for (size_t k = 0; k < manifolds->sides[i].sunken.count; ++k) {
        const uint32_t* starts = own->mesh->vertexTriangleStarts + manifolds->sides[i].sunken.data[k].vertex;
        for (uint32_t t = starts[0]; t < starts[1]; ++t) {
            Face face = grzManifolds_FaceOf(own, own->mesh->vertexTriangles[t]);
            addFaceInside(candidates, &face, i, own->isTwoSided);
        }
    }
}

// ------------------------------------------------------------------------------------------------------ extents

static double widthOf(const grzManifolds* manifolds, const Patch* patch) {
    grzVec3d lower = grzVec3d_FromVec3(manifolds->raw.data[patch->first].contact.point), upper = lower;
    for (size_t i = patch->first; i < patch->last; ++i) {
        grzVec3d p = grzVec3d_FromVec3(manifolds->raw.data[i].contact.point);
        lower.x = p.x < lower.x ? p.x : lower.x, upper.x = p.x > upper.x ? p.x : upper.x;
        lower.y = p.y < lower.y ? p.y : lower.y, upper.y = p.y > upper.y ? p.y : upper.y;
        lower.z = p.z < lower.z ? p.z : lower.z, upper.z = p.z > upper.z ? p.z : upper.z;
    }
    return grzVec3d_Length(grzVec3d_Sub(upper, lower));
}

static void addExtents(PatchSide* side, const Face* face, grzVec3d from, double width) {
    for (int i = 0; i < 3; ++i) {
        grzVec3d out = grzVec3d_Sub(face->corners[i], from);
        double length = grzVec3d_Length(out);
        double part = width > 0 && length > width ? width / length : 1;
        side->extent.data[side->extent.count++] = grzVec3d_Add(from, grzVec3d_Scale(out, part));
    }
}

static bool reserveExtents(grzManifolds* manifolds, const Patch* patch) {
    for (int i = 0; i < 2; ++i) {
        PatchSide* side = &manifolds->sides[i];
        side->extent.count = 0;
        if (!grzArray_Reserve(&side->extent, &manifolds->allocator,
                              4 * (patch->last - patch->first) + side->sunken.count))
            return false;
        for (size_t k = 0; k < side->sunken.count; ++k)
            side->extent.data[side->extent.count++] = side->sunken.data[k].position;
    }
    return true;
}

static double farthest(const PatchSide* side, grzVec3d d, size_t first, size_t last, double most) {
    for (size_t i = first; i < last; ++i) {
        double along = grzVec3d_Dot(side->extent.data[i], d);
        most = along > most ? along : most;
    }
    return most;
}

// A direction by its depth: loyal ones count for less, what is nobody's face for more.
typedef struct Judged {
    grzVec3d d;
    double along, loyalty, loss, value;
} Judged;

static void judge(Judged* judged, double along) {
    judged->along = along;
    judged->value = along * judged->loyalty / judged->loss;
}

// False as soon as the depth is certainly not worth less: more points only make it larger.
static bool isWorthLess(const grzManifolds* manifolds, Judged* judged, double least) {
    const PatchSide *a = &manifolds->sides[0], *b = &manifolds->sides[1];
    const double own = farthest(a, judged->d, 0, a->extent.count, -DBL_MAX);
    const grzVec3d back = grzVec3d_Neg(judged->d);
    double other = -DBL_MAX;
    for (size_t first = 0; first < b->extent.count; first += FEW) {
        const size_t last = first + FEW < b->extent.count ? first + FEW : b->extent.count;
        other = farthest(b, back, first, last, other);
        judge(judged, own + other);
        if (!(judged->value < least))
            return false;
    }
    return judged->value < least;
}

// ------------------------------------------------------------------------------------------------------- choice

// A segment of the curve runs along the cross product of the normals, so that all run around the same way.
static grzVec3d areaOfSegment(const RawContact* point, const Face* a, const Face* b, grzVec3d origin) {
    grzVec3d p = grzVec3d_Sub(grzVec3d_FromVec3(point[0].contact.point), origin);
    grzVec3d q = grzVec3d_Sub(grzVec3d_FromVec3(point[1].contact.point), origin);
    grzVec3d along = grzVec3d_Cross(a->normal, b->normal);
    grzVec3d area = grzVec3d_Cross(p, q);
    return grzVec3d_Dot(grzVec3d_Sub(q, p), along) < 0 ? grzVec3d_Neg(area) : area;
}

static void addMeetings(grzManifolds* manifolds, const Patch* patch, Candidates* candidates, grzVec3d* area) {
    const RawContact* raw = manifolds->raw.data;
    const grzVec3d origin = grzVec3d_FromVec3(raw[patch->first].contact.point);
    const double width = widthOf(manifolds, patch);
    double count = 0;
    for (size_t i = patch->first, next; i < patch->last; i = next) {
        Face faces[2];
        for (next = i + 1; next < patch->last && raw[next].meet == raw[i].meet; ++next)
            continue;
        for (int s = 0; s < 2; ++s) {
            faces[s] = grzManifolds_FaceMet(patch->query, &raw[i], s);
            addFace(candidates, &faces[s], s, patch->isUnturned && sideOf(patch->query, s)->isTwoSided);
            candidates->facing[s] = grzVec3d_Add(candidates->facing[s], faces[s].normal);
            addExtents(&manifolds->sides[s], &faces[s], grzVec3d_FromVec3(raw[i].contact.point), width);
        }
        for (size_t k = i; k < next; ++k)
            for (int s = 0; s < 2; ++s)
                manifolds->sides[s].extent.data[manifolds->sides[s].extent.count++] =
                    grzVec3d_FromVec3(raw[k].contact.point);
        if (next == i + 2)
            *area = grzVec3d_Add(*area, areaOfSegment(&raw[i], &faces[0], &faces[1], origin));
        count++;
    }
    for (int s = 0; s < 2; ++s)
        candidates->facing[s] = grzVec3d_Scale(candidates->facing[s], 1 / count);
}

static bool wasThere(const grzManifoldQuery* query, grzVec3d d) {
    for (uint32_t i = 0; i < query->previousCount; ++i)
        if (grzVec3d_Dot(grzVec3d_FromVec3(query->previous[i].normal), d) > 0.99)
            return true;
    return false;
}

bool grzManifolds_PickDirection(grzManifolds* manifolds, const Patch* patch, grzVec3d* direction, double* depth) {
    Candidates candidates;
    grzVec3d area = {0, 0, 0};
    candidates.count = 0;
    candidates.facing[0] = candidates.facing[1] = area;
    if (!reserveExtents(manifolds, patch))
        return false;
    addMeetings(manifolds, patch, &candidates, &area);
    for (int i = 0; i < 2; ++i)
        addFacesInside(manifolds, patch, i, &candidates);
    *direction = grzVec3d_Make(0, 0, 1); // triangles without area: any
    *depth = 0;
    double least = DBL_MAX;
    for (uint32_t i = 0; i <= candidates.count; ++i) {
        grzVec3d d = i < candidates.count ? candidates.all[i].d : grzVec3d_Unit(area);
        if (d.x == 0 && d.y == 0 && d.z == 0)
            continue;
        Judged judged = {.d = d, .value = DBL_MAX};
        judged.loyalty = wasThere(patch->query, d) ? LOYALTY : 1;
        judged.loss = i < candidates.count ? 1 : AREA_LOSS;
        if (isWorthLess(manifolds, &judged, least)) {
            least = judged.value;
            *depth = judged.along > 0 ? judged.along : 0;
            *direction = d;
        }
    }
    return true;
}
