// A place in a text that counts its lines. Lines end in LF, CRLF or CR.
#ifndef GRAZE_APP_TEXT_CURSOR_H
#define GRAZE_APP_TEXT_CURSOR_H

#include <stdbool.h>
#include <stddef.h>

typedef struct TextCursor {
    const char* at;
    const char* end;
    size_t line; // from 1
} TextCursor;

static inline bool isLineEnd(char c) {
    return c == '\n' || c == '\r';
}

static inline bool isBlank(char c) {
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static inline bool TextCursor_IsAtEnd(const TextCursor* cursor) {
    return cursor->at == cursor->end;
}

// Takes one line end, where the cursor stands on one.
static inline void TextCursor_TakeLineEnd(TextCursor* cursor) {
    bool isReturn = *cursor->at++ == '\r';
    if (isReturn && cursor->at < cursor->end && *cursor->at == '\n')
        cursor->at++;
    cursor->line++;
}

// The length to quote of a text in a sentence: up to white space, and not too long.
static inline int quotedLength(const char* text, const char* end) {
    int length = 0;
    while (text + length < end && length < 40 && !isBlank(text[length]) && !isLineEnd(text[length]))
        length++;
    return length;
}

#endif
