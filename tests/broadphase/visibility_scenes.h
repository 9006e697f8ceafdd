// Scenes, cameras and the slow reference for the tests of the depth pyramid and of visibility: rays in double
// through every pixel's centre and corners.
#ifndef GRAZE_TESTS_VISIBILITY_SCENES_H
#define GRAZE_TESTS_VISIBILITY_SCENES_H

#include <float.h>
#include <math.h>

#include "graze/camera.h"
#include "graze/depth_pyramid.h"
#include "rng.h"

static inline float sceneFloat(grzRng* rng, float least, float most) {
    return least + (most - least) * grzRng_Float(rng);
}

static inline grzVec3 scenePoint(grzRng* rng, float most) {
    float x = sceneFloat(rng, -most, most), y = sceneFloat(rng, -most, most), z = sceneFloat(rng, -most, most);
    return grzVec3_Make(x, y, z);
}

static inline grzBox sceneBox(grzVec3 center, grzVec3 half) {
    return grzBox_Make(grzSub(center, half), grzAdd(center, half));
}

static inline grzCamera sceneCamera(grzRng* rng, grzVec3 position) {
    float fov = sceneFloat(rng, 0.2f, 2.5f), aspect = sceneFloat(rng, 0.5f, 3.0f),
          near = sceneFloat(rng, 0.01f, 2.0f);
    return grzCamera_LookAt(position, grzAdd(position, scenePoint(rng, 1)), scenePoint(rng, 1), fov, aspect, near,
                            near + sceneFloat(rng, 50, 2000));
}

// A ray from the camera with w = t, through a place of its screen from -1 to 1.
typedef struct SceneRay {
    double origin[3], direction[3];
    double nearest, farthest;
} SceneRay;

static inline SceneRay sceneRay(const grzCamera* camera, double x, double y) {
    // Solves right . d = x halfWidth, up . d = y halfHeight, forward . d = 1.
    const grzVec3 rows[3] = {camera->right, camera->up, camera->forward};
    double m[3][3], b[3] = {x * (double)camera->halfWidth, y * (double)camera->halfHeight, 1}, inverse[3][3];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            m[i][j] = (double)grzVec3_Get(rows[i], j);
    double determinant = 0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            inverse[j][i] = m[(i + 1) % 3][(j + 1) % 3] * m[(i + 2) % 3][(j + 2) % 3] -
                            m[(i + 1) % 3][(j + 2) % 3] * m[(i + 2) % 3][(j + 1) % 3];
    }
    for (int j = 0; j < 3; ++j)
        determinant += m[0][j] * inverse[j][0];
    SceneRay ray = {.nearest = (double)camera->nearest, .farthest = (double)camera->farthest};
    for (int i = 0; i < 3; ++i) {
        ray.origin[i] = (double)grzVec3_Get(camera->position, i);
        ray.direction[i] = (inverse[i][0] * b[0] + inverse[i][1] * b[1] + inverse[i][2] * b[2]) / determinant;
    }
    return ray;
}

// The ray in the coordinates of a frame, w kept.
static inline SceneRay sceneRayInto(const SceneRay* ray, const grzTransform* frame) {
    const grzVec3 columns[3] = {frame->basis.x, frame->basis.y, frame->basis.z};
    double m[3][3], inverse[3][3], determinant = 0, at[3];
    for (int i = 0; i < 3; ++i) {
        at[i] = ray->origin[i] - (double)grzVec3_Get(frame->origin, i);
        for (int j = 0; j < 3; ++j)
            m[i][j] = (double)grzVec3_Get(columns[j], i);
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            inverse[j][i] = m[(i + 1) % 3][(j + 1) % 3] * m[(i + 2) % 3][(j + 2) % 3] -
                            m[(i + 1) % 3][(j + 2) % 3] * m[(i + 2) % 3][(j + 1) % 3];
    for (int j = 0; j < 3; ++j)
        determinant += m[0][j] * inverse[j][0];
    SceneRay local = *ray;
    for (int i = 0; i < 3; ++i) {
        local.origin[i] = local.direction[i] = 0;
        for (int k = 0; k < 3; ++k) {
            local.origin[i] += inverse[i][k] * at[k] / determinant;
            local.direction[i] += inverse[i][k] * ray->direction[k] / determinant;
        }
    }
    return local;
}

// The range of w on which the ray is in the box; false where it never is.
static inline bool sceneHit(const SceneRay* ray, grzBox box, double* enters, double* leaves) {
    *enters = -(double)INFINITY, *leaves = (double)INFINITY;
    for (int i = 0; i < 3; ++i) {
        double lower = (double)grzVec3_Get(box.lower, i), upper = (double)grzVec3_Get(box.upper, i);
        if (ray->direction[i] == 0) {
            if (ray->origin[i] < lower || ray->origin[i] > upper)
                return false;
            continue;
        }
        double a = (lower - ray->origin[i]) / ray->direction[i], b = (upper - ray->origin[i]) / ray->direction[i];
        *enters = fmax(*enters, fmin(a, b));
        *leaves = fmin(*leaves, fmax(a, b));
    }
    return *enters <= *leaves;
}

// Where a solid box begins to hide what is behind it; infinite where it does not.
static inline double sceneOcclusion(const SceneRay* ray, grzBox box) {
    double enters, leaves;
    return sceneHit(ray, box, &enters, &leaves) && enters >= ray->nearest ? enters : (double)INFINITY;
}

// Where a box is seen first; infinite where the ray does not meet it in view.
static inline double sceneSight(const SceneRay* ray, grzBox box) {
    double enters, leaves;
    if (!sceneHit(ray, box, &enters, &leaves) || leaves < ray->nearest || enters > ray->farthest)
        return (double)INFINITY;
    return fmax(enters, ray->nearest);
}

// Where a triangle hides what is behind it [Moeller and Trumbore, JGT 1997].
static inline double sceneTriangle(const SceneRay* ray, const float (*corners)[3]) {
    double e[3], f[3], s[3], p[3], q[3];
    for (int i = 0; i < 3; ++i) {
        e[i] = (double)corners[1][i] - (double)corners[0][i];
        f[i] = (double)corners[2][i] - (double)corners[0][i];
        s[i] = ray->origin[i] - (double)corners[0][i];
    }
    for (int i = 0; i < 3; ++i)
        p[i] = ray->direction[(i + 1) % 3] * f[(i + 2) % 3] - ray->direction[(i + 2) % 3] * f[(i + 1) % 3];
    for (int i = 0; i < 3; ++i)
        q[i] = s[(i + 1) % 3] * e[(i + 2) % 3] - s[(i + 2) % 3] * e[(i + 1) % 3];
    double determinant = e[0] * p[0] + e[1] * p[1] + e[2] * p[2];
    double u = (s[0] * p[0] + s[1] * p[1] + s[2] * p[2]) / determinant;
    double v = (ray->direction[0] * q[0] + ray->direction[1] * q[1] + ray->direction[2] * q[2]) / determinant;
    double w = (f[0] * q[0] + f[1] * q[1] + f[2] * q[2]) / determinant;
    bool isHit = determinant != 0 && u >= 0 && v >= 0 && u + v <= 1 && w >= ray->nearest;
    return isHit ? w : (double)INFINITY;
}

// The reference itself rounds: what lies in front by less than this share of the distance is left open.
#define SCENE_DOUBT 1e-9

#endif
