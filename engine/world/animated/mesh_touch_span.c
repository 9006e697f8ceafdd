// What: chooses the contacts of two fast meshes that stay, as in a manifold, since the solver takes four points at
//   once.
#include <math.h>

#include "mesh_touch_inside.h"

enum { CLUSTER_POINTS = 4 };

// How much a point adds to those of like normals that are kept: to one its distance, to two the area with them, to three the area that
// it adds to their triangle.
static float gainOf(const grzVec3 kept[CLUSTER_POINTS], int count, grzVec3 point, grzVec3 normal) {
    float most = count < 3 ? 0.0f : -INFINITY;
    if (count < 2)
        return count == 0 ? INFINITY : grzDistance(kept[0], point);
    for (int i = 0; i < count; ++i) {
        const grzVec3 side = grzSub(kept[(i + 1) % count], kept[i]);
        const float area = grzDot(grzCross(side, grzSub(point, kept[i])), normal);
        most = fmaxf(most, count < 3 ? fabsf(area) : area);
    }
    return most;
}

static void swap(grzContact* contacts, size_t i, size_t k) {
    const grzContact contact = contacts[k];
    contacts[k] = contacts[i];
    contacts[i] = contact;
}

// Moves the contact of [from, end) that is like the normal and adds the most to `from`. False: none does.
static bool pickNext(grzContact* contacts, size_t from, size_t end, grzVec3 normal, grzVec3 kept[CLUSTER_POINTS],
                     int count) {
    size_t best = end;
    float most = 0.0f;
    for (size_t i = from; i < end; ++i) {
        const float gain = grzDot(contacts[i].normal, normal) < GRZ_LIKE_COSINE
                               ? 0.0f
                               : gainOf(kept, count, contacts[i].point, normal);
        if (gain > most)
            best = i, most = gain;
    }
    if (best == end)
        return false;
    swap(contacts, from, best);
    kept[count] = contacts[from].point;
    return true;
}

// Turned so that the normal sees the three counter-clockwise.
static void turnAround(grzVec3 kept[CLUSTER_POINTS], grzVec3 normal) {
    const grzVec3 across = grzCross(grzSub(kept[1], kept[0]), grzSub(kept[2], kept[0]));
    const grzVec3 second = kept[1];
    if (grzDot(across, normal) <= 0.0f)
        return;
    kept[1] = kept[2];
    kept[2] = second;
}

// Moves the deepest contact of [from, end) to `from`: it says how far the bodies must go. Of several, the first.
static void bringDeepest(grzContact* contacts, size_t from, size_t end) {
    size_t best = from;
    for (size_t i = from + 1; i < end; ++i)
        if (contacts[i].separation < contacts[best].separation)
            best = i;
    swap(contacts, from, best);
}

size_t grzContacts_DropInner(grzContact* contacts, size_t count) {
    size_t end = count;
    for (size_t first = 0; first < end;) {
        bringDeepest(contacts, first, end);
        const grzVec3 normal = contacts[first].normal;
        grzVec3 kept[CLUSTER_POINTS];
        int keptCount = 0;
        size_t at = first;
        while (keptCount < CLUSTER_POINTS && pickNext(contacts, at, end, normal, kept, keptCount)) {
            ++at;
            if (++keptCount == 3)
                turnAround(kept, normal);
        }
        size_t left = at; // of others
        for (size_t i = at; i < end; ++i)
            if (grzDot(contacts[i].normal, normal) < GRZ_LIKE_COSINE)
                contacts[left++] = contacts[i];
        end = left;
        first = at;
    }
    return end;
}
