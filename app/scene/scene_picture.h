// A scene as it stands now, as a picture.
#ifndef GRAZE_APP_SCENE_PICTURE_H
#define GRAZE_APP_SCENE_PICTURE_H

#include "scene.h"

// width and height in pixels. False with a sentence where the file cannot be written.
bool drawScene(const Scene* scene, uint32_t width, uint32_t height, const char* path, FileError* error);

#endif
