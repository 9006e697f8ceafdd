// What the files that read scenes share.
#ifndef GRAZE_APP_SCENE_PARTS_H
#define GRAZE_APP_SCENE_PARTS_H

#include "byte_sink.h"
#include "json_doc.h"
#include "memory.h"
#include "scene.h"

// Numbers of a scene are no larger than this.
#define SCENE_FAR 1e6

// Half a degree in radians: quaternions hold half angles.
#define SCENE_HALF_DEGREE 0.00872664626f

// The path of a file that the scene names in a field: beside the scene, unless it begins with a slash. Into PATH_CAPACITY letters.
bool scenePath(const Scene* scene, JsonValue field, const char* file, char* path);

bool sceneReadMeshes(Scene* scene, JsonValue meshes);
// The mesh that a text names; NULL after a complaint.
SceneMesh* sceneMeshNamed(Scene* scene, JsonValue name);
const grzMeshShape* sceneMeshShape(Scene* scene, SceneMesh* mesh, JsonValue about);
const grzHull* sceneHull(Scene* scene, SceneMesh* mesh, JsonValue about);

bool sceneReadBodies(Scene* scene, JsonValue bodies);
bool sceneReadCloths(Scene* scene, JsonValue cloths);
bool sceneReadAnimated(Scene* scene, JsonValue animated);

// Turned about an axis by degrees: a list of four numbers; none: no turn.
bool sceneReadTurn(JsonValue value, grzQuat* rotation);
bool sceneReadColor(JsonValue value, float color[3]);
bool sceneAddLook(Scene* scene, const SceneLook* look, JsonValue about);

// The turn by half an angle, in radians, about an axis that is not 0.
grzQuat sceneTurn(grzVec3 axis, float half);

// Complains of what graze refused.
bool sceneRefused(JsonValue about, grzResult result);

// Keyframes up to the end of the next step.
bool sceneFeed(Scene* scene, SceneMotion* motion, double until, FileError* error);
void sceneDropMotion(Scene* scene, SceneMotion* motion);

#endif
