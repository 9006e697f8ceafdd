// What: apex, penetration and drift of a scene after its steps.
#include "step_quality.h"

#include <math.h>

#include "step_world.h"

void StepQuality_FindDepths(grzWorld* world, StepQuality* quality) {
    const grzWorldContacts found = grzWorld_GetContacts(world);
    double sum = 0, most = 0;
    size_t count = 0;
    for (size_t i = 0; i < found.contactCount; ++i) {
        const double depth = -(double)found.contacts[i].separation;
        if (!(depth > 0))
            continue;
        ++count;
        sum += depth;
        most = depth > most ? depth : most;
    }
    quality->meanDepth = count != 0 ? sum / (double)count : 0;
    quality->allDepth = found.contactCount != 0 ? sum / (double)found.contactCount : 0;
    quality->mostDepth = most;
}

static void findHeights(const StepScene* scene, const StepPose* poses, StepQuality* quality) {
    double sum = 0;
    for (size_t i = scene->fixed; i < scene->count; ++i) {
        const double height = (double)poses[i].origin.y;
        sum += height;
        quality->above += height > 0;
        quality->apex = height > quality->apex ? height : quality->apex;
    }
    quality->meanHeight = sum / (double)(scene->count - scene->fixed);
}

static void findDrift(const StepScene* scene, const StepPose* poses, StepQuality* quality) {
    size_t i = scene->fixed;
    for (size_t row = 0; row < scene->rows; ++row) {
        double x = 0, z = 0;
        const size_t boxes = scene->rows - row;
        for (size_t end = i + boxes; i < end; ++i) {
            const double dx = (double)poses[i].origin.x - (double)scene->bodies[i].origin.x;
            const double dz = (double)poses[i].origin.z - (double)scene->bodies[i].origin.z;
            x += dx, z += dz;
            quality->bodyDrift = fmax(quality->bodyDrift, hypot(dx, dz));
        }
        quality->rowDrift = fmax(quality->rowDrift, hypot(x, z) / (double)boxes);
    }
}

bool StepQuality_Find(Bench* bench, const StepScene* scene, const StepPose* poses, StepQuality* quality) {
    *quality = (StepQuality){0};
    findHeights(scene, poses, quality);
    findDrift(scene, poses, quality);
    grzWorldDef def = grzDefaultWorldDef();
    grzWorld* world = NULL;
    const bool isFound = StepWorld_Check(bench, grzWorld_Create(&def, &world)) &&
                         StepWorld_AddBodies(bench, world, scene, poses) &&
                         StepWorld_Check(bench, grzWorld_Collide(world, 0));
    if (isFound)
        StepQuality_FindDepths(world, quality);
    grzWorld_Destroy(world);
    return isFound;
}
