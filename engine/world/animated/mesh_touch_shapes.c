// What: convex shapes with meshes: one batch of all.
#include "mesh_touch_inside.h"

grzResult grzMeshTouches_FindShapes(TouchWork* work) {
    grzMeshTouches* touches = work->touches;
    const uint32_t count = (uint32_t)touches->shapes.count;
    grzResult result =
        grzModelContacts_FindMany(touches->shapeContacts, work->step->tasks, touches->shapes.data, count);
    if (result.part == grz_partElement)
        result.index = touches->shapePairs.data[result.index];
    touches->shapeTests = grzModelContacts_GetView(touches->shapeContacts).triangleTests;
    return result;
}
