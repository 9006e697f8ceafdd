// Scenes: worlds that stand in a file, with what moves in them and from where a picture is taken.
//
//   Scene scene;
//   if (!Scene_Load(&scene, path, &setup, &error)) ...            // one sentence: file, line, field
//   for (uint64_t step = 0; step < scene.stepCount; ++step)
//       if (!Scene_Step(&scene, &error)) ...
//   Scene_Release(&scene);
//
// docs/scenes.md tells what a file may hold. The same file gives the same world, to the bit, on every machine.
// Ownership: the scene has the world and all meshes, hulls and caches in it; tasks and profile are the caller's. One thread.
#ifndef GRAZE_APP_SCENE_H
#define GRAZE_APP_SCENE_H

#include "array.h"
#include "graze/graze.h"
#include "mesh_data.h"
#include "sequence_read.h"

// A mesh of the scene by its name, and what bodies made of it.
typedef struct SceneMesh {
    char name[64];
    MeshData data; // as floats
    grzMesh* mesh;
    grzMeshShape* shape; // made when a body first asks
    grzHull* hull;       // likewise
} SceneMesh;

// How a body is drawn: what its id does not tell.
typedef struct SceneLook {
    grzBodyId id;
    float color[3];        // 0 to 1
    grzConvex shape;       // of convex bodies
    const SceneMesh* mesh; // of meshes, cloth, animated ones
    grzMesh* ownMesh;      // of an animated body whose mesh is its own
} SceneLook;

// What leads an animated mesh: a cache, or a walker that the program makes.
typedef struct SceneMotion {
    grzBodyId id;
    double nextTime; // of the keyframe after the last that was given
    double interval; // between keyframes
    uint64_t frame;
    bool loops, isCache;
    SequenceReader cache; // of caches
    MeshData figure;      // of walkers: at rest
    grzMesh* mesh;
    double speed; // of walkers
    float place[3], scale;
    float* positions;
} SceneMotion;

typedef struct SceneCamera {
    float from[3], to[3];
    float fieldOfView; // vertical, in degrees
} SceneCamera;

typedef struct SceneSetup {
    grzTasks* tasks;
    grzProfile* profile;
    grzAllocator allocator; // all zeros: the default one
} SceneSetup;

typedef struct Scene {
    grzAllocator allocator;
    const char* name; // of the file
    grzWorld* world;
    double timeStep;
    uint64_t stepCount;
    SceneCamera camera;
    struct {
        GRZ_ARRAY(SceneMesh*);
    } meshes;
    struct {
        GRZ_ARRAY(SceneLook);
    } looks;
    struct {
        GRZ_ARRAY(SceneMotion*);
    } motions;
} Scene;

// On failure *scene is empty and one sentence is in *error.
bool Scene_Load(Scene* scene, const char* path, const SceneSetup* setup, FileError* error);
// The same from memory; files that it names are beside `name`, which must live as long as the scene.
bool Scene_LoadBytes(Scene* scene, const char* bytes, size_t size, const char* name, const SceneSetup* setup,
                     FileError* error);
void Scene_Release(Scene* scene);

// Keyframes that the step needs, then the step.
bool Scene_Step(Scene* scene, FileError* error);

#endif
