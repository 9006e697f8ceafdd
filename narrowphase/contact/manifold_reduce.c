// What: from raw contacts to a few: one for each pair of features, clusters of like normals, and of each the points
//       that matter.
// Idea: the first point of a cluster is, of those about as deep as the deepest, the outermost; the second the one
//       farthest from it, the third the one farthest from the segment of those, the fourth adds most to their
//       triangle's area; more are spread as far from each other as can be. What is above the deepest point adds less,
//       and points within a nearness of what is kept add nothing.
// Holds: choices are made in the order of keys with strict comparisons, so ties go to the lowest key.
// Cost: n log n for the order, n times the clusters, n times the points of each.
#include "manifold_parts.h"
#include "nearest.h"

#include <float.h>
#include <math.h>

// What was there in the last step counts this much more, so that near ties do not flip from step to step.
#define LOYALTY 1.2
#define CORNER  0.1    // of a point that is as far out as the first two are apart: so much more it adds
#define AS_DEEP 0.9999 // of the deepest: which one that is, rounding must not decide

// ------------------------------------------------------------------------------------------------------- merging

static bool isOfFeatures(const grzContact* p, const grzContact* q) {
    return p->featureA == q->featureA && p->featureB == q->featureB;
}

bool grzManifolds_Merge(grzManifolds* manifolds) {
    RawContacts* raw = &manifolds->raw;
    const RawPlace* places = grzManifolds_Order(manifolds, rawByFeatures);
    if (places == NULL)
        return false;
    grzContact* first = NULL;
    for (size_t i = 0; i < raw->count; ++i) {
        RawContact* own = &raw->data[places[i].index];
        own->isKept = first == NULL || !isOfFeatures(first, &own->contact);
        if (own->isKept) {
            first = &own->contact;
        } else if (own->contact.separation >
                   first->separation) { // the name of the lowest, the rest of the shallowest
            first->point = own->contact.point;
            first->normal = own->contact.normal;
            first->separation = own->contact.separation;
        }
    }
    size_t count = 0;
    for (size_t i = 0; i < raw->count; ++i) {
        if (!raw->data[i].isKept)
            continue;
        raw->data[count] = raw->data[i];
        raw->data[count++].isKept = false;
    }
    raw->count = count;
    return grzManifolds_Sort(manifolds, rawByKey);
}

// ------------------------------------------------------------------------------------------------------ clusters

// Each joins the first cluster whose first contact has a like normal, or else begins one.
static void assignClusters(grzManifolds* manifolds) {
    RawContacts* raw = &manifolds->raw;
    uint32_t count = 0;
    for (size_t i = 0; i < raw->count; ++i) {
        RawContact* contact = &raw->data[i];
        uint32_t cluster = 0;
        while (cluster < count && grzDot(raw->data[raw->data[cluster].firstOf].contact.normal,
                                         contact->contact.normal) < manifolds->def.likeCosine)
            ++cluster;
        contact->cluster = cluster;
        if (cluster == count)
            raw->data[count++].firstOf = (uint32_t)i;
    }
    manifolds->clusterCount = count;
}

// -------------------------------------------------------------------------------------------------------- points

typedef struct Kept {
    grzVec3d first[3]; // the first three
    grzVec3d normal;
    grzVec3d middle; // of the cluster
    double least;    // separation in it
    uint32_t count;
} Kept;

static double areaGained(const Kept* kept, grzVec3d point) {
    double turn = grzVec3d_Dot(
        grzVec3d_Cross(grzVec3d_Sub(kept->first[1], kept->first[0]), grzVec3d_Sub(kept->first[2], kept->first[0])),
        kept->normal);
    double most = 0;
    for (int i = 0; i < 3; ++i) {
        grzVec3d edge = grzVec3d_Sub(kept->first[(i + 1) % 3], kept->first[i]);
        double area = grzVec3d_Dot(grzVec3d_Cross(edge, grzVec3d_Sub(point, kept->first[i])), kept->normal);
        double gained = turn > 0 ? -area : area;
        most = gained > most ? gained : most;
    }
    return most;
}

// Of points as far from the segment, one that is farther out counts more: a corner, not what lies between two.
static double distanceToSegment(const Kept* kept, grzVec3d point) {
    const grzVec3d along = grzVec3d_Sub(kept->first[1], kept->first[0]);
    const double out = grzVec3d_Length(grzVec3d_Sub(point, kept->middle)) / grzVec3d_Length(along);
    return (1 + CORNER * out) * grzNearest_SegmentDistance(grzVec3d_Sub(point, kept->first[0]), along);
}

static double distanceToKept(const RawContacts* raw, uint32_t cluster, grzVec3d point) {
    double least = (double)INFINITY;
    for (size_t i = 0; i < raw->count; ++i) {
        if (!raw->data[i].isKept || raw->data[i].cluster != cluster)
            continue;
        double distance = grzVec3d_Length(grzVec3d_Sub(point, grzVec3d_FromVec3(raw->data[i].contact.point)));
        least = distance < least ? distance : least;
    }
    return least;
}

// Whether a point is about as deep as the deepest. What was there in the last step may be less deep.
static bool isAsDeep(const Kept* kept, const RawContact* candidate, double nearness) {
    const double loyal = candidate->wasThere ? 1 - 1 / LOYALTY : 0;
    return (double)candidate->contact.separation <=
           kept->least + nearness + (1 - AS_DEEP + loyal) * fabs(kept->least);
}

// What a point would add, as a length or an area.
static double spreadOf(const RawContacts* raw, const Kept* kept, const RawContact* candidate) {
    grzVec3d point = grzVec3d_FromVec3(candidate->contact.point);
    switch (kept->count) {
    case 0:
        return (grzVec3d_Length(grzVec3d_Sub(point, kept->middle)) + DBL_MIN) * (candidate->wasThere ? 1e6 : 1);
    case 1:
        return grzVec3d_Length(grzVec3d_Sub(point, kept->first[0]));
    case 2:
        return distanceToSegment(kept, point);
    case 3:
        return areaGained(kept, point);
    default:
        return distanceToKept(raw, candidate->cluster, point);
    }
}

// The same, less for a point that is above the deepest one: by half where the way up is as long as the spread. A body
// that lies on its lower face stands on that face's corners, not on those of its upper one.
static double worthOf(const RawContacts* raw, const Kept* kept, const RawContact* candidate) {
    const double spread = spreadOf(raw, kept, candidate);
    const double height = (double)candidate->contact.separation - kept->least;
    if (kept->count == 0 || !(spread > 0))
        return spread;
    const double width = kept->count == 3 ? grzVec3d_Length(grzVec3d_Sub(kept->first[1], kept->first[0])) : 1;
    return spread * spread / (spread + height * width);
}

// What is not worth more is not kept: points nearer than `nearness` to the one, the segment or the outline that is kept.
static double leastWorth(const Kept* kept, double nearness) {
    if (kept->count == 0)
        return 0;
    return nearness * (kept->count == 3 ? grzVec3d_Length(grzVec3d_Sub(kept->first[1], kept->first[0])) : 1);
}

static RawContact* pickNext(RawContacts* raw, uint32_t cluster, const Kept* kept, double nearness) {
    RawContact* best = NULL;
    double most = leastWorth(kept, nearness);
    for (size_t i = 0; i < raw->count; ++i) {
        RawContact* candidate = &raw->data[i];
        if (candidate->cluster != cluster || candidate->isKept)
            continue;
        if (kept->count == 0 && !isAsDeep(kept, candidate, nearness))
            continue;
        double worth = worthOf(raw, kept, candidate) * (candidate->wasThere ? LOYALTY : 1);
        if (worth > most) {
            most = worth;
            best = candidate;
        }
    }
    return best;
}

static Kept beginCluster(const RawContacts* raw, uint32_t cluster) {
    Kept kept = {.least = (double)INFINITY};
    double count = 0;
    for (size_t i = 0; i < raw->count; ++i) {
        const grzContact* contact = &raw->data[i].contact;
        if (raw->data[i].cluster != cluster)
            continue;
        kept.middle = grzVec3d_Add(kept.middle, grzVec3d_FromVec3(contact->point));
        kept.least = (double)contact->separation < kept.least ? (double)contact->separation : kept.least;
        count++;
    }
    kept.middle = grzVec3d_Scale(kept.middle, 1 / count);
    return kept;
}

static void reduceCluster(grzManifolds* manifolds, uint32_t cluster) {
    Kept kept = beginCluster(&manifolds->raw, cluster);
    while (kept.count < manifolds->def.pointCount) {
        RawContact* next = pickNext(&manifolds->raw, cluster, &kept, manifolds->nearness);
        if (next == NULL)
            break;
        next->isKept = true;
        if (kept.count == 0)
            kept.normal = grzVec3d_FromVec3(next->contact.normal);
        if (kept.count < 3)
            kept.first[kept.count] = grzVec3d_FromVec3(next->contact.point);
        kept.count++;
    }
}

void grzManifolds_Reduce(grzManifolds* manifolds) {
    assignClusters(manifolds);
    for (uint32_t cluster = 0; cluster < manifolds->clusterCount; ++cluster)
        reduceCluster(manifolds, cluster);
}
