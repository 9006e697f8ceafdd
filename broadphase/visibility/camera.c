// What: cameras made and checked, and what they see as half-spaces.
#include "graze/camera.h"

#include <float.h>
#include <math.h>

#include "graze/visibility.h"
#include "memory.h"
#include "refuse_null.h"
#include "view_forms.h"

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
    GRZ_REFUSE_NULL(camera, 1);
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

// The form's zero set, with normals of a size that floats can hold.
static grzHalfSpace halfSpaceOf(const LinearForm* form) {
    const double scale = 1 / fmax(fmax(fabs(form->n[0]), fabs(form->n[1])), fmax(fabs(form->n[2]), 0x1p-126));
    grzHalfSpace half;
    half.normal =
        grzVec3_Make((float)(-form->n[0] * scale), (float)(-form->n[1] * scale), (float)(-form->n[2] * scale));
    half.offset = (float)fmax((double)-FLT_MAX, fmin((double)FLT_MAX, form->d * scale));
    return half;
}

grzResult grzCamera_HalfSpaces(const grzCamera* camera, grzHalfSpace halfSpaces[6]) {
    GRZ_REFUSE_NULL(camera, 1);
    GRZ_REFUSE_NULL(halfSpaces, 2);
    const grzResult result = grzCamera_Check(camera);
    if (!grzResult_IsOk(result))
        return result;
    LinearForm rows[3], planes[view_cameraPlanes];
    grzCameraForms(camera, 1, 1, rows);
    grzCameraPlanes(camera, rows, 1, 1, planes);
    for (int i = 0; i < view_cameraPlanes; ++i)
        halfSpaces[i] = halfSpaceOf(&planes[i]);
    return result;
}
