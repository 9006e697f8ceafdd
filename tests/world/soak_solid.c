// Solids of random scenes: their meshes, their distances in closed form, and how deep they lie in each other.
#include "soak_solid.h"

#include <math.h>

#define PI 3.14159265358979323846

// ---- meshes ----

typedef struct Triangles {
    float* positions;
    uint32_t* indices;
    uint32_t vertexCount, triangleCount;
} Triangles;

static Triangles makeTriangles(uint32_t vertexCapacity, uint32_t triangleCapacity) {
    const Triangles made = {malloc(3 * (size_t)vertexCapacity * sizeof(float)),
                            malloc(3 * (size_t)triangleCapacity * sizeof(uint32_t)), 0, 0};
    assert_true(made.positions != NULL && made.indices != NULL);
    return made;
}

static void addVertex(Triangles* to, double x, double y, double z) {
    float* at = to->positions + 3 * (size_t)to->vertexCount++;
    at[0] = (float)x, at[1] = (float)y, at[2] = (float)z;
}

static void addTriangle(Triangles* to, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t* at = to->indices + 3 * (size_t)to->triangleCount++;
    at[0] = a, at[1] = b, at[2] = c;
}

static void addQuad(Triangles* to, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    addTriangle(to, a, b, c);
    addTriangle(to, a, c, d);
}

static void takeMesh(Solid* solid, Triangles* from) {
    grzMeshDef def = grzDefaultMeshDef();
    def.positions = from->positions, def.vertexCount = from->vertexCount;
    def.indices = from->indices, def.triangleCount = from->triangleCount;
    must(grzMesh_Create(&def, &solid->mesh));
    solid->meshShape = meshShapeOf(solid->mesh);
    free(from->positions);
    free(from->indices);
}

static grzVec3d cornerOf(const grzMeshView* view, uint32_t triangle, uint32_t corner) {
    return grzVec3d_FromVec3(grzVec3_Load(view->positions32 + 3 * (size_t)view->triangles[3 * triangle + corner]));
}

static grzVec3d middleOf(const grzMeshView* view, uint32_t triangle) {
    const grzVec3d ab = grzVec3d_Add(cornerOf(view, triangle, 0), cornerOf(view, triangle, 1));
    return grzVec3d_Scale(grzVec3d_Add(ab, cornerOf(view, triangle, 2)), 1 / 3.0);
}

static void addSample(Solid* solid, grzVec3d point, double radius) {
    if (solid->sampleCount < solidMostSamples)
        solid->samples[solid->sampleCount++] = (SolidSample){point, radius};
}

// Vertices and middles of triangles, evenly through the mesh.
static void sampleMesh(Solid* solid) {
    const grzMeshView view = grzMesh_GetView(solid->mesh);
    const uint32_t most = (solidMostSamples - solid->sampleCount) / 2;
    const uint32_t vertexStride = view.vertexCount / most + 1, triangleStride = view.triangleCount / most + 1;
    for (uint32_t i = 0; i < view.vertexCount; i += vertexStride)
        addSample(solid, grzVec3d_FromVec3(grzVec3_Load(view.positions32 + 3 * (size_t)i)), 0);
    for (uint32_t i = 0; i < view.triangleCount; i += triangleStride)
        addSample(solid, middleOf(&view, i), 0);
}

static void finishMesh(Solid* solid) {
    solid->mass = grzMeshShape_Mass(solid->meshShape);
    sampleMesh(solid);
}

static void finishConvex(Solid* solid) {
    solid->mass = grzConvex_Mass(&solid->shape);
}

// ---- making ----

Solid makeBall(double radius, uint32_t triangles) {
    Solid solid = {.kind = solidBall, .radius = radius, .thickness = 2 * radius, .size = radius};
    if (triangles == 0) {
        solid.shape = grzMakeSphere(grzVec3_Zero(), (float)radius);
        addSample(&solid, grzVec3d_Make(0, 0, 0), radius);
        finishConvex(&solid);
        return solid;
    }
    solid.mesh = scaledShapeMesh(shapeSphere, triangles, grzVec3_Splat((float)radius));
    solid.meshShape = meshShapeOf(solid.mesh);
    const grzMeshView view = grzMesh_GetView(solid.mesh);
    for (uint32_t i = 0; i < view.triangleCount; ++i) {
        const grzVec3d a = cornerOf(&view, i, 0);
        const grzVec3d n =
            grzVec3d_Cross(grzVec3d_Sub(cornerOf(&view, i, 1), a), grzVec3d_Sub(cornerOf(&view, i, 2), a));
        solid.radius = fmin(solid.radius, grzVec3d_Dot(n, a) / grzVec3d_Length(n));
    }
    addSample(&solid, grzVec3d_Make(0, 0, 0), solid.radius);
    finishMesh(&solid);
    return solid;
}

// Corners, middles of edges and of faces.
static void sampleBox(Solid* solid) {
    for (int i = 0; i < 27; ++i)
        if (i != 13)
            addSample(solid,
                      grzVec3d_Make(solid->half.x * (i % 3 - 1), solid->half.y * (i / 3 % 3 - 1),
                                    solid->half.z * (i / 9 - 1)),
                      0);
}

static double leastOf(grzVec3d a) {
    return fmin(a.x, fmin(a.y, a.z));
}

Solid makeBox(grzVec3d half, uint32_t triangles) {
    Solid solid = {.kind = solidBox, .half = half, .thickness = 2 * leastOf(half), .size = grzVec3d_Length(half)};
    sampleBox(&solid);
    if (triangles == 0) {
        solid.shape = grzMakeBox(grzVec3_Zero(), grzVec3d_ToVec3(half));
        finishConvex(&solid);
        return solid;
    }
    solid.mesh = scaledShapeMesh(shapeBox, triangles, grzVec3d_ToVec3(half));
    solid.meshShape = meshShapeOf(solid.mesh);
    finishMesh(&solid);
    return solid;
}

Solid makeCapsule(double halfLength, double radius) {
    Solid solid = {.kind = solidCapsule, .radius = radius, .thickness = 2 * radius, .size = halfLength + radius};
    solid.half = grzVec3d_Make(0, halfLength, 0);
    solid.shape = grzMakeCapsule(grzVec3_Make(0, (float)-halfLength, 0), grzVec3_Make(0, (float)halfLength, 0),
                                 (float)radius);
    for (int i = -4; i <= 4; ++i)
        addSample(&solid, grzVec3d_Make(0, halfLength * i / 4, 0), radius);
    finishConvex(&solid);
    return solid;
}

Solid makeHull(grzRng* rng, double radius) {
    Solid solid = {.kind = solidHull, .size = radius};
    solid.hull = randomHull(rng, 12, (float)radius);
    solid.shape = grzMakeHullShape(solid.hull);
    finishConvex(&solid);
    const grzHullView view = grzHull_GetView(solid.hull);
    solid.size = 0;
    for (uint32_t i = 0; i < view.vertexCount; ++i) {
        const grzVec3d corner = grzVec3d_FromVec3(view.vertices[i]);
        addSample(&solid, corner, 0);
        solid.size = fmax(solid.size, grzVec3d_Length(corner));
    }
    solid.thickness = -2 * distanceTo(&solid, solid.mass.center);
    return solid;
}

// Cross sections of the tube stand in planes through y, so that the mesh's quads are flat.
Solid makeRing(double loop, double tube, uint32_t triangles) {
    Solid solid = {.kind = solidRing, .size = loop + tube, .thickness = 2 * tube};
    uint32_t across = (uint32_t)sqrt(triangles / 4.0);
    across = across < 6 ? 6 : across;
    const uint32_t around = 2 * across;
    Triangles made = makeTriangles(around * across, 2 * around * across);
    for (uint32_t i = 0; i < around; ++i)
        for (uint32_t k = 0; k < across; ++k) {
            const double u = 2 * PI * i / around, v = 2 * PI * k / across, far = loop + tube * cos(v);
            addVertex(&made, far * cos(u), tube * sin(v), far * sin(u));
        }
    for (uint32_t i = 0; i < around; ++i)
        for (uint32_t k = 0; k < across; ++k) {
            const uint32_t i1 = (i + 1) % around, k1 = (k + 1) % across;
            addQuad(&made, i * across + k, i * across + k1, i1 * across + k1, i1 * across + k);
        }
    takeMesh(&solid, &made);
    const double lost = (loop + tube) * (1 - cos(PI / around)) + tube * (1 - cos(PI / across));
    solid.loop = loop;
    solid.radius = tube - lost;
    for (int i = 0; i < 32; ++i)
        addSample(&solid, grzVec3d_Make(loop * cos(PI * i / 16), 0, loop * sin(PI * i / 16)), solid.radius);
    finishMesh(&solid);
    return solid;
}

static void makeOutline(Solid* solid, uint32_t teeth, uint32_t sides, double tip, double root) {
    solid->outlineCount = teeth > 0 ? 4 * teeth : sides;
    assert_true(solid->outlineCount <= solidMostOutline);
    for (uint32_t i = 0; i < solid->outlineCount; ++i) {
        static const double starts[4] = {-0.225, -0.125, 0.125, 0.225}; // of a tooth, in pitches
        const double pitch = 2 * PI / (teeth > 0 ? teeth : sides);
        const double angle = teeth > 0 ? pitch * (i / 4 + starts[i % 4]) : pitch * i;
        const double far = teeth > 0 && (i % 4 == 0 || i % 4 == 3) ? root : tip;
        solid->outline[i][0] = far * cos(angle), solid->outline[i][1] = far * sin(angle);
    }
}

// The scale of an outline's corner that puts it on the hole.
static double holeScale(const Solid* solid, uint32_t i) {
    return solid->hole / hypot(solid->outline[i][0], solid->outline[i][1]);
}

// Each edge of the outline is cut into `refine` parts. Without a hole the caps are fans around their middles.
static Triangles extrude(const Solid* solid, uint32_t refine) {
    const uint32_t count = solid->outlineCount * refine;
    const bool hasHole = solid->hole > 0;
    Triangles made = makeTriangles(4 * count + 2, 8 * count);
    for (int level = 0; level < 4; ++level) { // top, bottom; top and bottom of the hole, or the two middles
        const double y = level % 2 == 0 ? solid->half.y : -solid->half.y;
        if (level >= 2 && !hasHole) {
            addVertex(&made, 0, y, 0);
            continue;
        }
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t from = i / refine, to = (from + 1) % solid->outlineCount;
            const double t = (double)(i % refine) / refine;
            const double s0 = level < 2 ? 1 : holeScale(solid, from), s1 = level < 2 ? 1 : holeScale(solid, to);
            addVertex(&made, (1 - t) * s0 * solid->outline[from][0] + t * s1 * solid->outline[to][0], y,
                      (1 - t) * s0 * solid->outline[from][1] + t * s1 * solid->outline[to][1]);
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t k = (i + 1) % count;
        addQuad(&made, i, k, count + k, count + i);
        if (hasHole) {
            addQuad(&made, 2 * count + i, 3 * count + i, 3 * count + k, 2 * count + k);
            addQuad(&made, i, 2 * count + i, 2 * count + k, k);
            addQuad(&made, count + i, count + k, 3 * count + k, 3 * count + i);
        } else {
            addTriangle(&made, i, 2 * count, k);
            addTriangle(&made, count + i, count + k, 2 * count + 1);
        }
    }
    return made;
}

Solid makeGear(uint32_t teeth, uint32_t sides, double tip, double root, double hole, double halfHeight,
               uint32_t triangles) {
    Solid solid = {.kind = solidGear, .hole = hole, .half = grzVec3d_Make(0, halfHeight, 0)};
    makeOutline(&solid, teeth, sides, tip, root);
    const double inside = teeth > 0 ? root * cos(0.55 * PI / teeth) : tip * cos(PI / sides);
    solid.size = hypot(tip, halfHeight);
    solid.loop = hole > 0 ? 0.5 * (hole + inside) : 0;
    solid.thickness = fmin(2 * halfHeight, hole > 0 ? inside - hole : 2 * inside);
    const uint32_t each = (hole > 0 ? 8 : 4) * solid.outlineCount;
    Triangles made = extrude(&solid, triangles > each ? triangles / each : 1);
    takeMesh(&solid, &made);
    finishMesh(&solid);
    return solid;
}

Solid makeSheet(double half, uint32_t squares) {
    Solid solid = {.kind = solidBox, .half = grzVec3d_Make(half, 0, half), .size = half * 1.4143};
    solid.mesh = squareGridMesh(squares, (float)(2 * half));
    solid.meshShape = meshShapeOf(solid.mesh);
    return solid;
}

Solid makeShell(grzVec3d half, double wall, uint32_t triangles) {
    Solid solid = {.kind = solidShell, .half = half, .thickness = wall, .size = grzVec3d_Length(half)};
    solid.inner = grzVec3d_Sub(half, grzVec3d_Make(wall, wall, wall));
    grzMesh* box = scaledShapeMesh(shapeBox, triangles / 2, grzVec3_Splat(1));
    const grzMeshView view = grzMesh_GetView(box);
    Triangles made = makeTriangles(2 * view.vertexCount, 2 * view.triangleCount);
    for (int side = 0; side < 2; ++side) {
        const grzVec3d scale = side == 0 ? half : solid.inner;
        for (uint32_t i = 0; i < view.vertexCount; ++i) {
            const float* at = view.positions32 + 3 * (size_t)i;
            addVertex(&made, scale.x * (double)at[0], scale.y * (double)at[1], scale.z * (double)at[2]);
        }
        for (uint32_t i = 0; i < view.triangleCount; ++i) {
            const uint32_t *t = view.triangles + 3 * (size_t)i, first = side == 0 ? 0 : view.vertexCount;
            addTriangle(&made, first + t[0], first + t[side == 0 ? 1 : 2], first + t[side == 0 ? 2 : 1]);
        }
    }
    grzMesh_Destroy(box);
    takeMesh(&solid, &made);
    sampleBox(&solid);
    finishMesh(&solid);
    return solid;
}

void destroySolid(Solid* solid) {
    grzMeshShape_Destroy(solid->meshShape);
    grzMesh_Destroy(solid->mesh);
    grzHull_Destroy(solid->hull);
}

// ---- distances ----

static double boxDistance(grzVec3d half, grzVec3d point) {
    const double x = fabs(point.x) - half.x, y = fabs(point.y) - half.y, z = fabs(point.z) - half.z;
    const double outside = grzVec3d_Length(grzVec3d_Make(fmax(x, 0), fmax(y, 0), fmax(z, 0)));
    return outside + fmin(fmax(x, fmax(y, z)), 0);
}

// Of a polygon, the outline or the hole: the nearest edge, with the sign of the crossings of a ray.
static double polygonDistance(const Solid* solid, bool isHole, double x, double z) {
    const uint32_t count = solid->outlineCount;
    double bestSq = (double)INFINITY;
    bool isInside = false;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t k = (i + 1) % count;
        const double si = isHole ? holeScale(solid, i) : 1, sk = isHole ? holeScale(solid, k) : 1;
        const double ax = si * solid->outline[i][0], az = si * solid->outline[i][1];
        const double bx = sk * solid->outline[k][0], bz = sk * solid->outline[k][1];
        const double dx = bx - ax, dz = bz - az;
        const double t = fmin(fmax(((x - ax) * dx + (z - az) * dz) / (dx * dx + dz * dz), 0), 1);
        const double ex = x - ax - t * dx, ez = z - az - t * dz;
        bestSq = fmin(bestSq, ex * ex + ez * ez);
        if ((az > z) != (bz > z) && x < ax + dx * (z - az) / dz)
            isInside = !isInside;
    }
    return isInside ? -sqrt(bestSq) : sqrt(bestSq);
}

static double gearDistance(const Solid* solid, grzVec3d point) {
    const double y = fabs(point.y) - solid->half.y;
    double flat = polygonDistance(solid, false, point.x, point.z);
    if (solid->hole > 0)
        flat = fmax(flat, -polygonDistance(solid, true, point.x, point.z));
    return hypot(fmax(flat, 0), fmax(y, 0)) + fmin(fmax(flat, y), 0);
}

static double hullDistance(const Solid* solid, grzVec3d point) {
    const grzHullView view = grzHull_GetView(solid->hull);
    double most = -(double)INFINITY;
    for (uint32_t f = 0; f < view.faceCount; ++f)
        most =
            fmax(most, grzVec3d_Dot(grzVec3d_FromVec3(view.faces[f].normal), point) - (double)view.faces[f].offset);
    return most;
}

double distanceTo(const Solid* solid, grzVec3d point) {
    switch (solid->kind) {
    case solidBall:
        return grzVec3d_Length(point) - solid->radius;
    case solidCapsule:
        point.y -= fmin(fmax(point.y, -solid->half.y), solid->half.y);
        return grzVec3d_Length(point) - solid->radius;
    case solidBox:
        return boxDistance(solid->half, point);
    case solidHull:
        return hullDistance(solid, point);
    case solidRing:
        return hypot(hypot(point.x, point.z) - solid->loop, point.y) - solid->radius;
    case solidGear:
        return gearDistance(solid, point);
    case solidShell:
        return fmax(boxDistance(solid->half, point), -boxDistance(solid->inner, point));
    }
    return 0;
}

static grzVec3d applyTo(grzTransform pose, grzVec3d p) {
    const grzVec3d x = grzVec3d_Scale(grzVec3d_FromVec3(pose.basis.x), p.x);
    const grzVec3d y = grzVec3d_Scale(grzVec3d_FromVec3(pose.basis.y), p.y);
    const grzVec3d z = grzVec3d_Scale(grzVec3d_FromVec3(pose.basis.z), p.z);
    return grzVec3d_Add(grzVec3d_Add(x, y), grzVec3d_Add(z, grzVec3d_FromVec3(pose.origin)));
}

static grzVec3d undoOn(grzTransform pose, grzVec3d p) {
    p = grzVec3d_Sub(p, grzVec3d_FromVec3(pose.origin));
    return grzVec3d_Make(grzVec3d_Dot(p, grzVec3d_FromVec3(pose.basis.x)),
                         grzVec3d_Dot(p, grzVec3d_FromVec3(pose.basis.y)),
                         grzVec3d_Dot(p, grzVec3d_FromVec3(pose.basis.z)));
}

static double depthOfSamples(PlacedSolid a, PlacedSolid b) {
    double most = -(double)INFINITY;
    for (uint32_t i = 0; i < a.solid->sampleCount; ++i) {
        const SolidSample* sample = &a.solid->samples[i];
        const grzVec3d point = undoOn(b.pose, applyTo(a.pose, sample->point));
        if (grzVec3d_Length(point) > b.solid->size + sample->radius)
            continue;
        const double distance = distanceTo(b.solid, point);
        if (b.solid->kind != solidHull || distance <= 0)
            most = fmax(most, sample->radius - distance);
    }
    return most;
}

double depthOf(PlacedSolid a, PlacedSolid b) {
    const grzVec3d apart = grzVec3d_Sub(grzVec3d_FromVec3(a.pose.origin), grzVec3d_FromVec3(b.pose.origin));
    if (grzVec3d_Length(apart) > a.solid->size + b.solid->size)
        return -(double)INFINITY;
    return fmax(depthOfSamples(a, b), depthOfSamples(b, a));
}

// ---- linking ----

int linkingOfSegment(PlacedSolid ring, grzVec3d from, grzVec3d to) {
    const grzVec3d a = undoOn(ring.pose, from), b = undoOn(ring.pose, to);
    if ((a.y > 0) == (b.y > 0))
        return 0;
    const grzVec3d at = grzVec3d_Lerp(a, b, a.y / (a.y - b.y));
    if (hypot(at.x, at.z) > ring.solid->loop)
        return 0;
    return b.y > 0 ? 1 : -1;
}

int linkingOf(PlacedSolid a, PlacedSolid b) {
    enum { parts = 64 };
    grzVec3d points[parts];
    int sum = 0;
    for (int i = 0; i < parts; ++i) {
        const double u = 2 * PI * i / parts;
        points[i] = applyTo(a.pose, grzVec3d_Make(a.solid->loop * cos(u), 0, a.solid->loop * sin(u)));
    }
    for (int i = 0; i < parts; ++i)
        sum += linkingOfSegment(b, points[i], points[(i + 1) % parts]);
    return sum;
}
