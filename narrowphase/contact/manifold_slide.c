// What: two ways over a surface: up a wall, and to the triangle above a point.
// Idea: in a triangle, straight up is the part of `out` that lies in its plane. Where that leaves the triangle over an
//       edge behind which the surface goes on in the same plane, the way goes on too. To the triangle above a point
//       one goes over any edge that has the point on its far side, as seen along the line.
// Holds: ends, since no triangle is entered from above; rounding cannot keep it, as steps are counted too.
// Cost: linear in the triangles passed.
#include "manifold_parts.h"

#define FLAT_COSINE 0.9999

static grzVec3d wayUp(const Face* face, grzVec3d out) {
    return grzVec3d_Sub(out, grzVec3d_Scale(face->normal, grzVec3d_Dot(face->normal, out)));
}

// Edge i, as it runs counter-clockwise about the normal.
static grzVec3d edgeAround(const Face* face, int i) {
    const grzVec3d edge = grzVec3d_Sub(face->corners[(i + 1) % 3], face->corners[i]);
    return face->isTurned ? grzVec3d_Neg(edge) : edge;
}

// How many times `way` it is to the border, and over which edge; -1 where none is ahead.
static int findExit(const Face* face, grzVec3d point, grzVec3d way, double* times) {
    int exit = -1;
    for (int i = 0; i < 3; ++i) {
        grzVec3d inward = grzVec3d_Cross(face->normal, edgeAround(face, i));
        double height = grzVec3d_Dot(grzVec3d_Sub(point, face->corners[i]), inward);
        double sinking = -grzVec3d_Dot(way, inward);
        if (sinking <= 0)
            continue;
        double needed = height > 0 ? height / sinking : 0;
        if (exit >= 0 && needed >= *times)
            continue;
        *times = needed;
        exit = i;
    }
    return exit;
}

// Goes over edge i to the next triangle. A mesh with two sides keeps the same side up there, however the triangle is
// wound. So a path around a rim looks down and ends, as it does on other meshes. False: there is no next triangle.
static bool cross(const grzManifoldSide* side, uint32_t* triangle, Face* face, int i) {
    const grzMeshView* mesh = side->mesh;
    const size_t at = 3 * (size_t)*triangle;
    const uint32_t next = mesh->triangleNeighbours[at + (size_t)i];
    if (next == GRZ_MESH_NONE)
        return false;
    const uint32_t edge = mesh->triangleEdges[at + (size_t)i];
    const bool isTurned = face->isTurned;
    const bool isOther = grzManifolds_StartOf(mesh, *triangle, edge) == grzManifolds_StartOf(mesh, next, edge);
    *face = grzManifolds_FaceOf(side, next);
    if (side->isTwoSided && isTurned != isOther)
        grzManifolds_Turn(face);
    *triangle = next;
    return true;
}

grzVec3d grzManifolds_Slide(const grzManifoldSide* side, uint32_t triangle, grzVec3d point, grzVec3d out,
                            double most) {
    const grzVec3d start = point;
    Face face = grzManifolds_FaceOf(side, triangle);
    for (uint32_t step = 0; step < side->mesh->triangleCount; ++step) {
        grzVec3d way = wayUp(&face, out);
        double rise = grzVec3d_Dot(way, out), times = 0;
        double left = most - grzVec3d_Dot(grzVec3d_Sub(point, start), out);
        if (rise < 0.25 || left <= 0) // flatter than 30 degrees is no wall
            break;
        int exit = findExit(&face, point, way, &times);
        if (exit < 0)
            break;
        bool isDone = times * rise >= left;
        point = grzVec3d_Add(point, grzVec3d_Scale(way, isDone ? left / rise : times));
        if (isDone)
            break;
        Face next = face;
        if (!cross(side, &triangle, &next, exit) || grzVec3d_Dot(next.normal, face.normal) < FLAT_COSINE)
            break;
        face = next;
    }
    return point;
}

// An edge that has the point beyond it, as seen along `back`; -1: the line goes through the triangle.
static int findBeyond(const Face* face, grzVec3d point, grzVec3d back) {
    int beyond = -1;
    double most = 0;
    for (int i = 0; i < 3; ++i) {
        grzVec3d outward = grzVec3d_Unit(grzVec3d_Cross(edgeAround(face, i), back));
        double height = grzVec3d_Dot(grzVec3d_Sub(point, face->corners[i]), outward);
        if (height > most) {
            most = height;
            beyond = i;
        }
    }
    return beyond;
}

uint32_t grzManifolds_FindAbove(const grzManifoldSide* side, uint32_t triangle, grzVec3d facing, grzVec3d point,
                                grzVec3d back, size_t steps) {
    Face face = grzManifolds_FaceToward(side, triangle, facing);
    for (size_t step = 0; step < steps; ++step) {
        uint32_t next = triangle;
        const int beyond = findBeyond(&face, point, back);
        if (beyond < 0 || !cross(side, &next, &face, beyond) || grzVec3d_Dot(face.normal, back) <= 0)
            break;
        triangle = next;
    }
    return triangle;
}
