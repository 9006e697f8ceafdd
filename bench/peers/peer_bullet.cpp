// What: Bullet's LinearMath over arrays.
#include "peer_bullet.h"

#include <LinearMath/btTransform.h>

static_assert(sizeof(btVector3) == sizeof(grzVec3), "Bullet must be built with single precision");

static btVector3 toBullet(const grzVec3& v) {
    return btVector3(v.x, v.y, v.z);
}

void peerBulletTransform(const grzTransform* transform, const grzVec3* points, grzVec3* results, size_t count) {
    const grzMat3& m = transform->basis;
    const btMatrix3x3 basis(m.x.x, m.y.x, m.z.x, m.x.y, m.y.y, m.z.y, m.x.z, m.y.z, m.z.z);
    const btTransform theirs(basis, toBullet(transform->origin));
    const btVector3* from = reinterpret_cast<const btVector3*>(points);
    btVector3* to = reinterpret_cast<btVector3*>(results);
    for (size_t i = 0; i < count; ++i)
        to[i] = theirs * from[i];
}

void peerBulletRotate(const grzQuat* rotation, const grzVec3* points, grzVec3* results, size_t count) {
    const btQuaternion theirs(rotation->x, rotation->y, rotation->z, rotation->w);
    const btVector3* from = reinterpret_cast<const btVector3*>(points);
    btVector3* to = reinterpret_cast<btVector3*>(results);
    for (size_t i = 0; i < count; ++i)
        to[i] = quatRotate(theirs, from[i]);
}
