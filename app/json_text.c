// What: the printing behind json_text.h.
#include "json_text.h"

#include <math.h>
#include <stdlib.h>

#include "json_piece.h"

void printJsonEscaped(FILE* file, const char* text) {
    char piece[GRZ_JSON_PIECE];
    for (size_t taken, size; (taken = grzJsonPiece(text, piece, &size)) != 0; text += taken)
        fwrite(piece, 1, size, file);
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
