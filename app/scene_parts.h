// What the files that read scenes share.
#ifndef GRAZE_APP_SCENE_PARTS_H
#define GRAZE_APP_SCENE_PARTS_H

#include "json_doc.h"
#include "memory.h"
#include "scene.h"

// Numbers of a scene are no larger than this.
#define SCENE_FAR 1e6

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

// Complains of what graze refused.
bool sceneRefused(JsonValue about, grzResult result);

// Keyframes up to the end of the next step.
bool sceneFeed(Scene* scene, SceneMotion* motion, double until, FileError* error);
void sceneDropMotion(Scene* scene, SceneMotion* motion);

#endif
