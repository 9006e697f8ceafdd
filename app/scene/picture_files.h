// Pictures as files: PNG and PPM, of three bytes a pixel, row by row from the top.
#ifndef GRAZE_APP_PICTURE_FILES_H
#define GRAZE_APP_PICTURE_FILES_H

#include "byte_sink.h"

void putPng(ByteSink* sink, uint32_t width, uint32_t height, const uint8_t* pixels);
void putPpm(ByteSink* sink, uint32_t width, uint32_t height, const uint8_t* pixels);

#endif
