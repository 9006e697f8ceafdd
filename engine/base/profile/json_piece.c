// What: the characters of json_piece.h.
#include "json_piece.h"

#include <stdio.h>
#include <string.h>

// What the first byte of a UTF-8 sequence says: the length (0: it begins none) and the range of the second byte.
// [Unicode 15] table 3-7.
typedef struct Lead {
    unsigned char first, last, length, lower, upper;
} Lead;

static const Lead leads[] = {
    {0x01, 0x7F, 1, 0x00, 0x00}, {0xC2, 0xDF, 2, 0x80, 0xBF}, {0xE0, 0xE0, 3, 0xA0, 0xBF},
    {0xE1, 0xEC, 3, 0x80, 0xBF}, {0xED, 0xED, 3, 0x80, 0x9F}, {0xEE, 0xEF, 3, 0x80, 0xBF},
    {0xF0, 0xF0, 4, 0x90, 0xBF}, {0xF1, 0xF3, 4, 0x80, 0xBF}, {0xF4, 0xF4, 4, 0x80, 0x8F},
};

// The bytes of the well-formed sequence at `text`, which ends in 0; 0 where there is none.
static size_t sequenceLength(const unsigned char* text) {
    const Lead* lead = leads;
    const Lead* end = leads + sizeof leads / sizeof leads[0];
    while (lead < end && (text[0] < lead->first || text[0] > lead->last))
        ++lead;
    if (lead == end)
        return 0;
    if (lead->length > 1 && (text[1] < lead->lower || text[1] > lead->upper))
        return 0;
    for (size_t i = 2; i < lead->length; ++i)
        if (text[i] < 0x80 || text[i] > 0xBF)
            return 0;
    return lead->length;
}

size_t grzJsonPiece(const char* text, char piece[GRZ_JSON_PIECE], size_t* size) {
    const unsigned char first = (unsigned char)*text;
    if (first == 0)
        return 0;
    const size_t length = sequenceLength((const unsigned char*)text);
    if (length == 0) {
        *size = (size_t)snprintf(piece, GRZ_JSON_PIECE, "\\ufffd");
        return 1;
    }
    if (first == '"' || first == '\\') {
        *size = (size_t)snprintf(piece, GRZ_JSON_PIECE, "\\%c", first);
    } else if (first < 0x20 || first == 0x7F) {
        *size = (size_t)snprintf(piece, GRZ_JSON_PIECE, "\\u%04x", first);
    } else {
        memcpy(piece, text, length);
        *size = length;
    }
    return length;
}
