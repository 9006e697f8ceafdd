// What: the printing behind json_text.h.
#include "json_text.h"

#include <math.h>
#include <stdlib.h>

void printJsonEscaped(FILE* file, const char* text) {
    for (const unsigned char* at = (const unsigned char*)text; *at != 0; ++at) {
        if (*at == '"' || *at == '\\')
            fprintf(file, "\\%c", *at);
        else if (*at < 0x20 || *at == 0x7f)
            fprintf(file, "\\u%04x", *at);
        else
            fputc(*at, file);
    }
}

void printJsonString(FILE* file, const char* text) {
    fputc('"', file);
    printJsonEscaped(file, text);
    fputc('"', file);
}

void printJsonNumber(FILE* file, double number) {
    if (!isfinite(number)) {
        fputs("null", file);
        return;
    }
    char text[40];
    for (int digits = 15; digits <= 17; ++digits) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    fputs(text, file);
}
