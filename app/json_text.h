// The little JSON that programs print: strings that may hold anything, and numbers that read back the same.
#ifndef GRAZE_APP_JSON_TEXT_H
#define GRAZE_APP_JSON_TEXT_H

#include <stdio.h>

// "text" with quotes; control characters, quotes and backslashes escaped, bytes that are no UTF-8 as U+FFFD, and
// everything else as it is.
void printJsonString(FILE* file, const char* text);
// The same without the quotes, for a string in pieces.
void printJsonEscaped(FILE* file, const char* text);

// The shortest of 15 to 17 digits that reads back as the same double; null for what JSON cannot say
// (NaN, infinities).
void printJsonNumber(FILE* file, double number);

#endif
