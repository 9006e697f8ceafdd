// What the end of a file's name says.
#ifndef GRAZE_APP_FILE_EXTENSION_H
#define GRAZE_APP_FILE_EXTENSION_H

#include <stdbool.h>
#include <string.h>

// Text behind the last point of the file's own name; "" where there is none.
static inline const char* extensionOf(const char* path) {
    const char* slash = strrchr(path, '/');
    const char* point = strrchr(slash != NULL ? slash : path, '.');
    return point != NULL ? point + 1 : "";
}

// `lower` is in small letters; the file's name need not be.
static inline bool hasExtension(const char* path, const char* lower) {
    const char* extension = extensionOf(path);
    for (; *extension != 0 && *lower != 0; ++extension, ++lower) {
        char c = *extension >= 'A' && *extension <= 'Z' ? (char)(*extension - 'A' + 'a') : *extension;
        if (c != *lower)
            return false;
    }
    return *extension == *lower;
}

#endif
