// What: cameras made and checked.
#include "graze/camera.h"

#include "memory.h"

grzCamera grzCamera_LookAt(grzVec3 position, grzVec3 target, grzVec3 up, float fovY, float aspect, float nearest,
                           float farthest) {
    grzCamera camera;
    camera.position = position;
    camera.forward = grzNormalize(grzSub(target, position));
    grzVec3 right = grzCross(camera.forward, grzNormalize(up));
    camera.right = grzLengthSq(right) > 0 ? grzNormalize(right) : grzPerpendicular(camera.forward);
    camera.up = grzNormalize(grzCross(camera.right, camera.forward));
    camera.halfHeight = grzSin(0.5f * fovY) / grzCos(0.5f * fovY);
    camera.halfWidth = camera.halfHeight * aspect;
    camera.nearest = nearest;
    camera.farthest = farthest;
    return camera;
}

grzResult grzCamera_Check(const grzCamera* camera) {
    grzVec3 angles = grzVec3_Make(camera->halfWidth, camera->halfHeight, 0);
    grzVec3 range = grzVec3_Make(camera->nearest, camera->farthest, 0);
    if (!grzVec3_IsFinite(camera->position) || !grzVec3_IsFinite(camera->right) || !grzVec3_IsFinite(camera->up) ||
        !grzVec3_IsFinite(camera->forward) || !grzVec3_IsFinite(angles) || !grzVec3_IsFinite(range))
        return grzFail(grz_notFinite, 0);
    if (!(camera->halfWidth > 0))
        return grzBecause(grzFail(grz_badArgument, 5), "the camera's halfWidth is not above 0");
    if (!(camera->halfHeight > 0))
        return grzBecause(grzFail(grz_badArgument, 6), "the camera's halfHeight is not above 0");
    if (!(camera->nearest > 0))
        return grzBecause(grzFail(grz_badArgument, 7), "the camera's nearest is not above 0");
    if (!(camera->farthest > camera->nearest))
        return grzBecause(grzFail(grz_badArgument, 8), "the camera's farthest is not above its nearest");
    return grzOk();
}
