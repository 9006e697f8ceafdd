// What: drops the ghosts between neighbouring meshes (graze/manifold.h says what those are).
// Idea: a contact on a face is a witness: around it, its body's surface is that plane. Another body's contact whose
//       triangle stays under the plane, but which pushes another way, is on a wall that the surface hides. A surface with
//       two sides hides its own walls, too: they would be met from behind.
//
//        body  |__|            The contact at the wall w of tile 2 pushes sideways. Its triangle stays below
//      ________|__|_w______    the plane of tile 1, on which the body rests.
//       tile 1      | tile 2
//
// Holds: judged on the contacts as they came; what is dropped still witnesses, but not against its own witness.
// Cost: count^2.
#include "graze/manifold.h"

#include <math.h>

#define SAME_COSINE 0.9   // a face of its own, so near the witness's direction, is believed
#define LIKE_COSINE 0.995 // any other direction is believed only that near
#define FACE_COSINE 0.999 // a normal is the triangle's

// A contact as seen from the one body: what belongs to the other one.
typedef struct Seen {
    grzBodyId other;
    uint32_t triangle;
    bool isTwoSided;
    bool isOnFace; // the normal is that of the triangle, or of its back
    grzVec3d corners[3];
    grzVec3d point, outward; // outward: from the other towards the body
} Seen;

static Seen see(const grzContact* contact, const grzGhostQuery* query) {
    bool isA = grzBodyId_IsSame(contact->bodyA, query->body);
    Seen seen = {.other = isA ? contact->bodyB : contact->bodyA};
    seen.triangle = isA ? contact->triangleB : contact->triangleA;
    grzVec3d normal = grzVec3d_FromVec3(contact->normal);
    seen.outward = isA ? grzVec3d_Neg(normal) : normal;
    // The contact lies in the middle; the other's surface is half the depth further out.
    seen.point = grzVec3d_Add(grzVec3d_FromVec3(contact->point),
                              grzVec3d_Scale(seen.outward, (double)-contact->separation / 2));
    if (seen.triangle == GRZ_NO_TRIANGLE)
        return seen;
    seen.isTwoSided = query->isTwoSided != NULL && query->isTwoSided(query->context, seen.other);
    grzVec3 corners[3];
    query->corners(query->context, seen.other, seen.triangle, corners);
    for (int i = 0; i < 3; ++i)
        seen.corners[i] = grzVec3d_FromVec3(corners[i]);
    grzVec3d cross = grzVec3d_Cross(grzVec3d_Sub(seen.corners[1], seen.corners[0]),
                                    grzVec3d_Sub(seen.corners[2], seen.corners[0]));
    seen.isOnFace = fabs(grzVec3d_Dot(cross, seen.outward)) > FACE_COSINE * grzVec3d_Length(cross);
    return seen;
}

static double heightOver(const Seen* witness, grzVec3d point) {
    return grzVec3d_Dot(grzVec3d_Sub(point, witness->point), witness->outward);
}

static bool hidesTriangle(const Seen* witness, const Seen* seen, const grzGhostQuery* query) {
    if (seen->triangle == GRZ_NO_TRIANGLE)
        return false;
    for (int i = 0; i < 3; ++i)
        if (heightOver(witness, seen->corners[i]) > (double)query->slop)
            return false;
    return true;
}

static bool isGhostBeside(const Seen* seen, const Seen* witness, const grzGhostQuery* query) {
    if (!witness->isOnFace || (grzBodyId_IsSame(witness->other, seen->other) && !seen->isTwoSided))
        return false;
    if (grzVec3d_Dot(witness->outward, seen->outward) >= (seen->isOnFace ? SAME_COSINE : LIKE_COSINE))
        return false;
    if (grzVec3d_Length(grzVec3d_Sub(seen->point, witness->point)) > (double)query->reach)
        return false;
    return hidesTriangle(witness, seen, query);
}

// A contact on an edge may be named by a wall below it. Another one with the same direction tells the face.
static Seen seeWithFace(const grzContact* contacts, uint32_t count, uint32_t i, const grzGhostQuery* query) {
    Seen seen = see(&contacts[i], query);
    for (uint32_t k = 0; k < count && !seen.isOnFace; ++k) {
        Seen sibling = see(&contacts[k], query);
        if (!sibling.isOnFace || !grzBodyId_IsSame(sibling.other, seen.other) ||
            grzVec3d_Dot(sibling.outward, seen.outward) < FACE_COSINE)
            continue;
        sibling.point = seen.point;
        seen = sibling;
    }
    return seen;
}

static bool isGhost(const grzContact* contacts, uint32_t count, uint32_t i, const grzGhostQuery* query) {
    Seen seen = seeWithFace(contacts, count, i, query);
    for (uint32_t k = 0; k < count; ++k) {
        Seen witness = see(&contacts[k], query);
        if (isGhostBeside(&seen, &witness, query) && !isGhostBeside(&witness, &seen, query))
            return true;
    }
    return false;
}

// The pad serves as the mark meanwhile, so that all are judged before one goes.
uint32_t grzDropGhosts(grzContact* contacts, uint32_t count, const grzGhostQuery* query) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i)
        contacts[i].pad = isGhost(contacts, count, i, query);
    for (uint32_t i = 0; i < count; ++i) {
        bool isDropped = contacts[i].pad != 0;
        contacts[i].pad = 0;
        if (!isDropped)
            contacts[kept++] = contacts[i];
    }
    return kept;
}
