// What: from raw contacts to a few: one for each pair of features, clusters of like normals, and of each the points
//       that matter.
// Idea: the first point of a cluster is the deepest, the second the one farthest from it, the third the one farthest
//       from the segment of those, the fourth adds most to their triangle's area; more are spread as far from each
//       other as can be. Where points within a nearness are the same, the first gives way to one that is as deep, to
//       within that, and farther from the second: of a row of equals the ends stay.
// Holds: choices are made in the order of keys with strict comparisons, so ties go to the lowest key.
// Cost: n log n for the order, n times the clusters, n times the points of each.
#include "manifold_parts.h"

#include <float.h>
#include <math.h>

#include "record_sort.h"

// What was there in the last step counts this much more, so that near ties do not flip from step to step.
#define LOYALTY 1.2

typedef int CompareFn(const RawContact* p, const RawContact* q);

// ------------------------------------------------------------------------------------------------------- sorting

static void siftDown(RawContact* heap, size_t at, size_t count, CompareFn* compare) {
    const RawContact sinking = heap[at];
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && compare(&heap[child], &heap[child + 1]) < 0)
            child++;
        if (compare(&sinking, &heap[child]) >= 0)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = sinking;
}

// In place, which neither qsort nor the radix sort of records is.
static void heapSort(RawContact* raw, size_t count, CompareFn* compare) {
    for (size_t i = count / 2; i-- > 0;)
        siftDown(raw, i, count, compare);
    for (size_t last = count; last-- > 1;) {
        const RawContact largest = raw[0];
        raw[0] = raw[last];
        raw[last] = largest;
        siftDown(raw, 0, last, compare);
    }
}

static int compareByKey(const RawContact* p, const RawContact* q) {
    return grzCompareRecords(&grzContactType, &p->contact, &q->contact);
}

// By features, then what makes the better contact: a real normal, less depth, the lower triangles.
static int compareForMerge(const RawContact* p, const RawContact* q) {
    const uint64_t keyP = grzSortKeyFromPair(p->contact.featureA, p->contact.featureB);
    const uint64_t keyQ = grzSortKeyFromPair(q->contact.featureA, q->contact.featureB);
    if (keyP != keyQ)
        return keyP < keyQ ? -1 : 1;
    if (p->isReal != q->isReal)
        return p->isReal ? -1 : 1;
    if (p->contact.separation > q->contact.separation)
        return -1;
    return p->contact.separation < q->contact.separation ? 1 : compareByKey(p, q);
}

void grzManifolds_Merge(grzManifolds* manifolds) {
    RawContacts* raw = &manifolds->raw;
    heapSort(raw->data, raw->count, compareForMerge);
    size_t count = 0;
    for (size_t i = 0; i < raw->count; ++i) {
        const grzContact *last = &raw->data[count == 0 ? 0 : count - 1].contact, *contact = &raw->data[i].contact;
        if (count == 0 || contact->featureA != last->featureA || contact->featureB != last->featureB)
            raw->data[count++] = raw->data[i];
    }
    raw->count = count;
    heapSort(raw->data, raw->count, compareByKey);
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

static double distanceToSegment(const Kept* kept, grzVec3d point) {
    grzVec3d along = grzVec3d_Sub(kept->first[1], kept->first[0]), from = grzVec3d_Sub(point, kept->first[0]);
    double all = grzVec3d_LengthSq(along), s = all > 0 ? grzVec3d_Dot(from, along) / all : 0;
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    return grzVec3d_Length(grzVec3d_Sub(from, grzVec3d_Scale(along, s)));
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

// What a point would add.
static double worthOf(const RawContacts* raw, const Kept* kept, const RawContact* candidate) {
    grzVec3d point = grzVec3d_FromVec3(candidate->contact.point);
    switch (kept->count) {
    case 0:
        return (double)-candidate->contact.separation + DBL_MIN; // the deepest, or any
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

// A first point that is apart, and so worth less than 0, loses less of it.
static double loyalWorth(const RawContact* candidate, double worth) {
    if (!candidate->wasThere)
        return worth;
    return worth > 0 ? worth * LOYALTY : worth / LOYALTY;
}

// What is not worth more is not kept: points nearer than `nearness` to the one, the segment or the outline that is kept.
static double leastWorth(const Kept* kept, double nearness) {
    if (kept->count == 0)
        return -(double)INFINITY;
    return nearness * (kept->count == 3 ? grzVec3d_Length(grzVec3d_Sub(kept->first[1], kept->first[0])) : 1);
}

static RawContact* pickNext(RawContacts* raw, uint32_t cluster, const Kept* kept, double nearness) {
    RawContact* best = NULL;
    double most = leastWorth(kept, nearness);
    for (size_t i = 0; i < raw->count; ++i) {
        RawContact* candidate = &raw->data[i];
        if (candidate->cluster != cluster || candidate->isKept)
            continue;
        double worth = loyalWorth(candidate, worthOf(raw, kept, candidate));
        if (worth > most) {
            most = worth;
            best = candidate;
        }
    }
    return best;
}

// Two are kept.
static void replaceFirst(const grzManifolds* manifolds, uint32_t cluster, RawContact* first, Kept* kept) {
    const RawContacts* raw = &manifolds->raw;
    const double most = (double)first->contact.separation + manifolds->nearness;
    double farthest = loyalWorth(first, grzVec3d_Length(grzVec3d_Sub(kept->first[0], kept->first[1])));
    RawContact* best = first;
    for (size_t i = 0; i < raw->count; ++i) {
        RawContact* candidate = &raw->data[i];
        if (candidate->cluster != cluster || candidate->isKept || (double)candidate->contact.separation > most)
            continue;
        grzVec3d point = grzVec3d_FromVec3(candidate->contact.point);
        double distance = loyalWorth(candidate, grzVec3d_Length(grzVec3d_Sub(point, kept->first[1])));
        if (distance > farthest) {
            farthest = distance;
            best = candidate;
        }
    }
    first->isKept = false;
    best->isKept = true;
    kept->first[0] = grzVec3d_FromVec3(best->contact.point);
}

static void reduceCluster(grzManifolds* manifolds, uint32_t cluster) {
    Kept kept = {.count = 0};
    RawContact* first = NULL;
    while (kept.count < manifolds->def.pointCount) {
        RawContact* next = pickNext(&manifolds->raw, cluster, &kept, manifolds->nearness);
        if (next == NULL)
            break;
        next->isKept = true;
        if (kept.count == 0) {
            kept.normal = grzVec3d_FromVec3(next->contact.normal);
            first = next;
        }
        if (kept.count < 3)
            kept.first[kept.count] = grzVec3d_FromVec3(next->contact.point);
        kept.count++;
        if (kept.count == 2 && manifolds->nearness > 0)
            replaceFirst(manifolds, cluster, first, &kept);
    }
}

void grzManifolds_Reduce(grzManifolds* manifolds) {
    assignClusters(manifolds);
    for (uint32_t cluster = 0; cluster < manifolds->clusterCount; ++cluster)
        reduceCluster(manifolds, cluster);
}
