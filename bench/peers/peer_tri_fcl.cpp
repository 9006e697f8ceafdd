// What: FCL's test of two triangles.
#include "peer_tri.h"

#include <fcl/narrowphase/detail/traversal/collision/intersect.h>

void peerFclTriangles(const float* pairs, size_t count, uint8_t* hits) {
    for (size_t i = 0; i < count; ++i) {
        const float* p = pairs + 18 * i;
        fcl::Vector3f corners[6];
        for (int k = 0; k < 6; ++k)
            corners[k] = fcl::Vector3f(p[3 * k], p[3 * k + 1], p[3 * k + 2]);
        hits[i] = fcl::detail::Intersect<float>::intersect_Triangle(corners[0], corners[1], corners[2], corners[3],
                                                                    corners[4], corners[5]);
    }
}
