// Text of others (names of files, arguments) on a line of ours: nothing in it may end the line or steer the
// terminal.
#ifndef GRAZE_APP_PLAIN_TEXT_H
#define GRAZE_APP_PLAIN_TEXT_H

#include <stdio.h>

// `text` with '?' for each control character.
void printPlain(FILE* file, const char* text);

#endif
