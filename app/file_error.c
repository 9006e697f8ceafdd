// What: the sentences of file_error.h.
#include "file_error.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// A name may fill at most this much of the sentence; its end says more than its beginning.
enum { nameLimit = 160 };

static int putName(FileError* error, const char* name) {
    size_t length = strlen(name);
    if (length <= nameLimit)
        return snprintf(error->text, sizeof error->text, "%s", name);
    return snprintf(error->text, sizeof error->text, "...%s", name + length - nameLimit);
}

// Appends the sentence behind the `used` bytes of name and place.
static void putSentence(FileError* error, int used, const char* format, va_list arguments) FORMAT_CHECKED(3, 0);

static void putSentence(FileError* error, int used, const char* format, va_list arguments) {
    vsnprintf(error->text + used, sizeof error->text - (size_t)used, format, arguments);
    for (char* c = error->text; *c != 0; ++c)
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
}

static int putPlace(FileError* error, int used, const char* format, uint64_t place) {
#if defined(__GNUC__)
#    pragma GCC diagnostic push
#    pragma GCC diagnostic ignored "-Wformat-nonliteral"
#endif
    return used + snprintf(error->text + used, sizeof error->text - (size_t)used, format, place);
#if defined(__GNUC__)
#    pragma GCC diagnostic pop
#endif
}

bool failFile(FileError* error, const char* name, const char* format, ...) {
    if (error == NULL)
        return false;
    int used = putName(error, name);
    used += snprintf(error->text + used, sizeof error->text - (size_t)used, ": ");
    va_list arguments;
    va_start(arguments, format);
    putSentence(error, used, format, arguments);
    va_end(arguments);
    return false;
}

bool failAtLine(FileError* error, const char* name, size_t line, const char* format, ...) {
    if (error == NULL)
        return false;
    int used = putPlace(error, putName(error, name), ":%" PRIu64 ": ", line);
    va_list arguments;
    va_start(arguments, format);
    putSentence(error, used, format, arguments);
    va_end(arguments);
    return false;
}

bool failAtPlace(FileError* error, const char* name, FilePlace place, const char* format, ...) {
    if (error == NULL)
        return false;
    int used = putPlace(error, putName(error, name), ":%" PRIu64, place.line);
    used = putPlace(error, used, ":%" PRIu64 ": ", place.column);
    va_list arguments;
    va_start(arguments, format);
    putSentence(error, used, format, arguments);
    va_end(arguments);
    return false;
}

bool failAtByte(FileError* error, const char* name, uint64_t offset, const char* format, ...) {
    if (error == NULL)
        return false;
    int used = putPlace(error, putName(error, name), ": byte %" PRIu64 ": ", offset);
    va_list arguments;
    va_start(arguments, format);
    putSentence(error, used, format, arguments);
    va_end(arguments);
    return false;
}

bool failResult(FileError* error, const char* name, grzResult result) {
    char text[128];
    return failFile(error, name, "%s", grzResult_Text(result, text, sizeof text));
}
