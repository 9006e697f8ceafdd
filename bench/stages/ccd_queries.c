// What: see ccd_queries.h.
// Holds: a quotient that is no double would be another query; such a file is refused.
#include "ccd_queries.h"

#include <math.h>

#include "file_bytes.h"
#include "file_error.h"
#include "number_text.h"
#include "text_cursor.h"

enum { LINES = 8, NUMBERS = 7 };

// Where the numbers of a line are; false where there are not seven with commas between.
static bool readLine(TextCursor* text, double numbers[NUMBERS]) {
    for (int i = 0; i < NUMBERS; ++i) {
        const char* next = parseDouble(text->at, text->end, &numbers[i]);
        if (next == NULL || (i + 1 < NUMBERS && (next == text->end || *next != ',')))
            return false;
        text->at = next + (i + 1 < NUMBERS);
    }
    while (text->at < text->end && isBlank(*text->at))
        ++text->at;
    return text->at == text->end || isLineEnd(*text->at);
}

// n / d without rounding: d times the quotient is n, and what is left over is 0.
static bool divide(double n, double d, double* quotient) {
    *quotient = n / d;
    return d != 0 && fabs(*quotient) < (double)INFINITY && fma(*quotient, d, -n) == 0;
}

static bool readPoint(const double numbers[NUMBERS], double point[3]) {
    for (int axis = 0; axis < 3; ++axis)
        if (!divide(numbers[2 * axis], numbers[2 * axis + 1], &point[axis]))
            return false;
    return numbers[6] == 0 || numbers[6] == 1;
}

static bool readCase(TextCursor* text, const char* path, CcdCase* one, FileError* error) {
    for (int i = 0; i < LINES; ++i) {
        double numbers[NUMBERS];
        if (TextCursor_IsAtEnd(text))
            return failAtLine(error, path, text->line, "a query ends after %d of 8 lines", i);
        if (!readLine(text, numbers))
            return failAtLine(error, path, text->line, "not seven numbers with commas between");
        if (!readPoint(numbers, one->query.points[i / 4][i % 4]))
            return failAtLine(error, path, text->line, "a coordinate is no double, or the answer not 0 or 1");
        if (i > 0 && one->touches != (numbers[6] == 1))
            return failAtLine(error, path, text->line, "the answer differs from that of the lines before");
        one->touches = numbers[6] == 1;
        if (!TextCursor_IsAtEnd(text))
            TextCursor_TakeLineEnd(text);
    }
    return true;
}

static bool readCases(CcdCases* cases, TextCursor text, const char* path, grzCcdKind kind,
                      const grzAllocator* allocator, FileError* error) {
    while (!TextCursor_IsAtEnd(&text)) {
        CcdCase one = {.query = {.kind = kind}};
        if (isLineEnd(*text.at)) {
            TextCursor_TakeLineEnd(&text);
            continue;
        }
        if (!readCase(&text, path, &one, error))
            return false;
        if (!grzArray_Reserve(cases, allocator, cases->count + 1))
            return failFile(error, path, "no memory for its queries");
        cases->data[cases->count++] = one;
    }
    return true;
}

bool CcdCases_Read(CcdCases* cases, const char* path, grzCcdKind kind, const grzAllocator* allocator,
                   FileError* error) {
    FileBytes bytes = {0};
    if (!FileBytes_Read(&bytes, path, allocator, error))
        return false;
    const TextCursor text = {bytes.data, bytes.data + bytes.count, 1};
    const bool isRead = readCases(cases, text, path, kind, allocator, error);
    FileBytes_Release(&bytes, allocator);
    return isRead;
}

void CcdCases_Release(CcdCases* cases, const grzAllocator* allocator) {
    grzArray_Release(cases, allocator);
}
