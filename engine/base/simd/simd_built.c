// What: is linked with the kernels of a level, so that the choice of a level can see whether they are there.
#include "simd_dispatch.h"

bool GRZ_KERNEL(grzSimd_IsBuilt)(void) {
    return true;
}
