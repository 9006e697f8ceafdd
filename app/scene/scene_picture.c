// What: draws the bodies of a scene, each as its triangles.
#include "scene_picture.h"

#include <math.h>
#include <string.h>

#include "picture.h"
#include "shapes.h"

typedef struct Drawing {
    const Scene* scene;
    Picture picture;
    MeshData ball; // of radius 1, for spheres and capsules
} Drawing;

static void drawTriangles(Drawing* drawing, const uint32_t* triangles, size_t count, const float* positions,
                          const grzTransform* pose, const float color[3]) {
    for (size_t i = 0; i < count; ++i) {
        grzVec3 corners[3];
        for (int k = 0; k < 3; ++k)
            corners[k] =
                grzTransform_Apply(*pose, grzVec3_Load(&positions[3 * (size_t)triangles[3 * i + (size_t)k]]));
        Picture_Triangle(&drawing->picture, corners, color);
    }
}

static void drawBox(Drawing* drawing, const grzConvex* box, const grzTransform* pose, const float color[3]) {
    static const uint8_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (int face = 0; face < 6; ++face) {
        grzVec3 corners[4];
        for (int i = 0; i < 4; ++i) {
            const int v = faces[face][i];
            corners[i] =
                grzTransform_Apply(*pose, grzAdd(box->a, grzVec3_Make((v & 1) != 0 ? box->b.x : -box->b.x,
                                                                      (v & 2) != 0 ? box->b.y : -box->b.y,
                                                                      (v & 4) != 0 ? box->b.z : -box->b.z)));
        }
        const grzVec3 second[3] = {corners[0], corners[2], corners[3]};
        Picture_Triangle(&drawing->picture, corners, color);
        Picture_Triangle(&drawing->picture, second, color);
    }
}

// The ball's upper half goes to the capsule's second end, the lower one to its first.
static void drawRound(Drawing* drawing, const grzConvex* round, const grzTransform* pose, const float color[3]) {
    const grzVec3 end = round->kind == grz_capsuleShape ? round->b : round->a;
    const grzVec3 along = grzSub(end, round->a);
    const float* ball = drawing->ball.positions;
    for (size_t i = 0; i < drawing->ball.triangleCount; ++i) {
        grzVec3 corners[3];
        for (int k = 0; k < 3; ++k) {
            const grzVec3 p = grzVec3_Load(&ball[3 * (size_t)drawing->ball.indices[3 * i + (size_t)k]]);
            const grzVec3 center = grzDot(p, along) > 0.0f ? end : round->a;
            corners[k] = grzTransform_Apply(*pose, grzAddScaled(center, round->radius, p));
        }
        Picture_Triangle(&drawing->picture, corners, color);
    }
}

static void drawHull(Drawing* drawing, const grzHull* hull, const grzTransform* pose, const float color[3]) {
    const grzHullView view = grzHull_GetView(hull);
    for (uint32_t f = 0; f < view.faceCount; ++f) {
        const grzHalfEdge* first = &view.halfEdges[view.faces[f].firstEdge];
        const grzVec3 apex = grzTransform_Apply(*pose, view.vertices[first->origin]);
        for (const grzHalfEdge* e = &view.halfEdges[first->next]; &view.halfEdges[e->next] != first;
             e = &view.halfEdges[e->next]) {
            const grzVec3 corners[3] = {apex, grzTransform_Apply(*pose, view.vertices[e->origin]),
                                        grzTransform_Apply(*pose, view.vertices[view.halfEdges[e->next].origin])};
            Picture_Triangle(&drawing->picture, corners, color);
        }
    }
}

// Where the vertices of a body that deforms are; NULL for a rigid one.
static const float* positionsOf(const grzWorld* world, grzBodyId id, grzBodyKind kind) {
    grzClothView cloth = {0};
    grzAnimatedView animated = {0};
    if (kind == grz_clothBody && grzResult_IsOk(grzWorld_GetCloth(world, id, &cloth)))
        return cloth.positions;
    if (kind == grz_animatedBody && grzResult_IsOk(grzWorld_GetAnimated(world, id, &animated)))
        return animated.positions;
    return NULL;
}

static void drawLook(Drawing* drawing, const SceneLook* look) {
    grzBodyView body;
    if (!grzResult_IsOk(grzWorld_GetBody(drawing->scene->world, look->id, &body)))
        return;
    const grzTransform pose = grzTransform_FromQuat(body.rotation, body.origin);
    const float* moved = positionsOf(drawing->scene->world, look->id, body.kind);
    if (look->shape.kind == grz_boxShape) {
        drawBox(drawing, &look->shape, &pose, look->color);
    } else if (look->shape.kind == grz_hullShape) {
        drawHull(drawing, look->shape.hull, &pose, look->color);
    } else if (look->shape.kind != grz_noShape) {
        drawRound(drawing, &look->shape, &pose, look->color);
    } else {
        const grzMeshView mesh = grzMesh_GetView(look->ownMesh != NULL ? look->ownMesh : look->mesh->mesh);
        drawTriangles(drawing, mesh.triangles, mesh.triangleCount, moved != NULL ? moved : mesh.positions32, &pose,
                      look->color);
    }
}

bool drawScene(const Scene* scene, uint32_t width, uint32_t height, const char* path, FileError* error) {
    Drawing drawing = {.scene = scene};
    grzResult result = makeShape(shapeSphere, 320, scene->allocator, &drawing.ball);
    if (grzResult_IsOk(result))
        result = Picture_Create(&drawing.picture, width, height, scene->allocator);
    bool isDrawn = grzResult_IsOk(result) || failResult(error, path, result);
    if (isDrawn) {
        Picture_Look(&drawing.picture, grzVec3_Load(scene->camera.from), grzVec3_Load(scene->camera.to),
                     scene->camera.fieldOfView);
        for (size_t i = 0; i < scene->looks.count; ++i)
            drawLook(&drawing, &scene->looks.data[i]);
        isDrawn = Picture_Save(&drawing.picture, path, error);
    }
    Picture_Release(&drawing.picture);
    MeshData_Release(&drawing.ball);
    return isDrawn;
}
