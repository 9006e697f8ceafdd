// How readers and writers say what is wrong: one sentence that names the file and the place in it.
//
//   return failAtLine(error, name, line, "face names vertex %zu, but only %zu are known so far", index, count);
//
// All return false. A long name loses its beginning, a long sentence its end; control characters become '?', so
// that what a hostile file holds cannot break the line. `error` may be NULL.
#ifndef GRAZE_APP_FILE_ERROR_H
#define GRAZE_APP_FILE_ERROR_H

#include "mesh_data.h"

#if defined(__GNUC__)
#    define FORMAT_CHECKED(text, first) __attribute__((format(printf, text, first)))
#else
#    define FORMAT_CHECKED(text, first)
#endif

// "name: sentence"
bool failFile(FileError* error, const char* name, const char* format, ...) FORMAT_CHECKED(3, 4);
// "name:line: sentence", lines from 1
bool failAtLine(FileError* error, const char* name, size_t line, const char* format, ...) FORMAT_CHECKED(4, 5);
// "name:line:column: sentence", columns from 1
typedef struct FilePlace {
    size_t line, column;
} FilePlace;
bool failAtPlace(FileError* error, const char* name, FilePlace place, const char* format, ...) FORMAT_CHECKED(4, 5);
// "name: byte offset: sentence", bytes from 0
bool failAtByte(FileError* error, const char* name, uint64_t offset, const char* format, ...) FORMAT_CHECKED(4, 5);
// "name: the result's own sentence"
bool failResult(FileError* error, const char* name, grzResult result);

#endif
