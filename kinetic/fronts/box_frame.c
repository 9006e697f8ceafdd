// What: box_frame.h.
// Promise: a posed box holds the image of each point of the box, as a real number and as grzTransform_Apply rounds
//   it. A box within another is within it when posed, too.
// Idea: x = M q + T. Let u = 2^-24, Q the greatest coordinates of the boxes by axis, and S = |M| Q + |T|, in real
//   numbers. Along axis i the image of a box begins at T + the sum of the lesser of (M lower) and (M upper), term
//   by term, and ends at that of the greater. The kernels start from T -+ margin and add three products: four
//   roundings at most for each term, so they are off by less than 5u S if the margin is below S / 16. A host that
//   rounds x is off by less than 5u S, too. A margin of 16u S holds both, and what T -+ margin loses itself, u S.
//   Products that underflow are off by 2^-149; 2^-120 is added for them. Products, least, greatest and sums keep
//   order when they are rounded to nearest, so boxes in boxes stay there.
// Holds: no number that is posed is above 2^60, so that sums stay finite.
#include "box_frame.h"

#include <math.h>

#define LARGEST 0x1p60

bool grzBoxFrame_Make(const grzTransform* pose, const grzBox* root, BoxFrame* frame) {
    const grzVec3 columns[3] = {pose->basis.x, pose->basis.y, pose->basis.z};
    double most[3];
    for (int j = 0; j < 3; ++j)
        most[j] = fmax(fabs((double)grzVec3_Get(root->lower, j)), fabs((double)grzVec3_Get(root->upper, j)));
    for (int i = 0; i < 3; ++i) {
        const double origin = (double)grzVec3_Get(pose->origin, i);
        double size = fabs(origin);
        for (int j = 0; j < 3; ++j) {
            frame->basis[i][j] = grzVec3_Get(columns[j], i);
            size += fabs((double)frame->basis[i][j]) * most[j];
        }
        const double margin = 0x1p-20 * size + 0x1p-120;
        frame->lowest[i] = (float)(origin - margin);
        frame->highest[i] = (float)(origin + margin);
        if (!(size <= LARGEST) || !(most[i] <= LARGEST))
            return false;
    }
    return true;
}
