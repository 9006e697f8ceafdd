// What: two spheres that expand towards each other and turn back where they meet, as keyframes.
//
// Idea: the right sphere is the mirror image of the left one, so two triangles meet first at the mirror, and a
// triangle collides exactly if a vertex of it reaches the mirror. Vertices move on their radii at one speed,
// outward or inward; at a keyframe all vertices of triangles that would collide before the next one turn inward,
// and those that came back to the start turn outward. Vertex i + n/2 mirrors vertex i. Who looks for collisions more often has
// the same scene in smaller steps.
//
// Based on: [Zachmann, Weller 2006] section 9: "When they collide, the velocity vectors of the colliding triangles
// are reversed".
#include "sequence_parts.h"

#include <string.h>

#include "memory.h"
#include "result_make.h"
#include "shapes.h"

#define CENTER       (-1.0f) // of the left sphere, on x
#define START_RADIUS 0.6f
#define SPEED        0.03f // a keyframe's interval

typedef struct Spheres {
    const MeshData* ball; // radius 1
    float* radius;        // of each vertex
    bool* inward;
    float speed; // a step
} Spheres;

static void Spheres_Release(Spheres* spheres, const grzAllocator* allocator) {
    grzRelease(allocator, spheres->radius, spheres->ball->vertexCount, sizeof(float), sizeof(float));
    grzRelease(allocator, spheres->inward, spheres->ball->vertexCount, sizeof(bool), sizeof(bool));
}

static grzResult Spheres_Create(Spheres* spheres, const MeshData* ball, const grzAllocator* allocator) {
    spheres->ball = ball;
    spheres->radius = grzAllocate(allocator, ball->vertexCount, sizeof(float), sizeof(float));
    spheres->inward = grzAllocate(allocator, ball->vertexCount, sizeof(bool), sizeof(bool));
    if (spheres->radius == NULL || spheres->inward == NULL) {
        Spheres_Release(spheres, allocator);
        return grzNoMemory(ball->vertexCount, sizeof(float));
    }
    for (size_t i = 0; i < ball->vertexCount; ++i) {
        spheres->radius[i] = START_RADIUS;
        spheres->inward[i] = false;
    }
    return grzOk();
}

static float radiusAfter(const Spheres* spheres, size_t i) {
    return spheres->radius[i] + (spheres->inward[i] ? -spheres->speed : spheres->speed);
}

static bool reachesMirror(const Spheres* spheres, size_t i) {
    return CENTER + radiusAfter(spheres, i) * ((const float*)spheres->ball->positions)[3 * i] >= 0;
}

// Decides who turns, in `turned`, on what all would do; then turns them.
static void turn(Spheres* spheres, bool* turned) {
    const MeshData* ball = spheres->ball;
    for (size_t i = 0; i < ball->vertexCount; ++i)
        turned[i] = spheres->inward[i] && radiusAfter(spheres, i) < START_RADIUS;
    for (size_t t = 0; t < ball->triangleCount; ++t) {
        const uint32_t* corner = &ball->indices[3 * t];
        bool collides = false;
        for (size_t k = 0; k < 3; ++k)
            collides |= reachesMirror(spheres, corner[k]);
        for (size_t k = 0; k < 3 && collides; ++k)
            turned[corner[k]] = !spheres->inward[corner[k]];
    }
    for (size_t i = 0; i < ball->vertexCount; ++i)
        spheres->inward[i] ^= turned[i];
}

static void advance(Spheres* spheres) {
    for (size_t i = 0; i < spheres->ball->vertexCount; ++i)
        spheres->radius[i] = radiusAfter(spheres, i);
}

static void writeSpheres(const Spheres* spheres, float* positions) {
    const float* direction = spheres->ball->positions;
    size_t count = spheres->ball->vertexCount;
    for (size_t i = 0; i < count; ++i) {
        float* left = positions + 3 * i;
        float* right = left + 3 * count;
        for (size_t axis = 0; axis < 3; ++axis)
            left[axis] = right[axis] = spheres->radius[i] * direction[3 * i + axis] + (axis == 0 ? CENTER : 0);
        right[0] = -right[0];
    }
}

// Turning the mirrored triangles over makes them look outward again.
static void writeIndices(const MeshData* ball, uint32_t* indices) {
    uint32_t* mirrored = indices + 3 * ball->triangleCount;
    for (size_t i = 0; i < 3 * ball->triangleCount; ++i) {
        indices[i] = ball->indices[i];
        mirrored[i] = ball->indices[i - i % 3 + (3 - i % 3) % 3] + (uint32_t)ball->vertexCount;
    }
}

static grzResult noteChanges(const bool* turned, size_t count, uint32_t step, const grzAllocator* allocator,
                             SequenceChanges* changes) {
    size_t turns = 0;
    for (size_t i = 0; i < count; ++i)
        turns += turned[i];
    if (!grzArray_Reserve(changes, allocator, changes->count + 2 * turns))
        return grzNoMemory(changes->count + 2 * turns, sizeof(SequenceChange));
    for (size_t i = 0; i < 2 * count; ++i)
        if (turned[i % count])
            changes->data[changes->count++] = (SequenceChange){step, (uint32_t)i};
    return grzOk();
}

// Runs the scene, so many steps; writes frames where there is a sequence and turns where there are
// changes.
static grzResult runSpheres(size_t steps, float speed, const MeshData* ball, const grzAllocator* allocator,
                            SequenceData* sequence, SequenceChanges* changes) {
    Spheres spheres;
    grzResult result = Spheres_Create(&spheres, ball, allocator);
    if (!grzResult_IsOk(result))
        return result;
    spheres.speed = speed;
    bool* turned = grzAllocate(allocator, ball->vertexCount, sizeof *turned, sizeof *turned);
    if (turned == NULL)
        result = grzNoMemory(ball->vertexCount, sizeof *turned);
    for (size_t step = 0; grzResult_IsOk(result) && step < steps; ++step) {
        if (sequence != NULL)
            writeSpheres(&spheres, sequence->positions + step * 3 * sequence->vertexCount);
        turn(&spheres, turned);
        advance(&spheres);
        if (changes != NULL)
            result = noteChanges(turned, ball->vertexCount, (uint32_t)step, allocator, changes);
    }
    grzRelease(allocator, turned, ball->vertexCount, sizeof *turned, sizeof *turned);
    Spheres_Release(&spheres, allocator);
    return result;
}

grzResult makeSphereSequence(const SequenceDef* def, grzAllocator allocator, MeshData* mesh,
                             SequenceData* sequence) {
    MeshData ball;
    grzResult result = makeShape(shapeSphere, def->triangles / 2, allocator, &ball);
    if (!grzResult_IsOk(result))
        return result;
    result = MeshData_Create(mesh, allocator, false, 2 * ball.vertexCount, 2 * ball.triangleCount);
    if (grzResult_IsOk(result))
        result = SequenceData_Create(sequence, allocator, mesh->vertexCount, def->frames);
    if (grzResult_IsOk(result)) {
        writeIndices(&ball, mesh->indices);
        result = runSpheres(def->frames, SPEED, &ball, &ball.allocator, sequence, NULL);
    }
    MeshData_Release(&ball);
    return result;
}

grzResult makeSphereChanges(const SequenceDef* def, size_t perFrame, const grzAllocator* allocator,
                            SequenceChanges* changes) {
    MeshData ball;
    *changes = (SequenceChanges){0};
    grzResult result = makeShape(shapeSphere, def->triangles / 2, *allocator, &ball);
    if (grzResult_IsOk(result))
        result = runSpheres(def->frames * perFrame, SPEED / (float)perFrame, &ball, allocator, NULL, changes);
    if (!grzResult_IsOk(result))
        grzArray_Release(changes, allocator);
    MeshData_Release(&ball);
    return result;
}
