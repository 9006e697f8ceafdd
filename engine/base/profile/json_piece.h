// What: what stands for a character inside a JSON string, whatever bytes the text holds.
//
//   char piece[GRZ_JSON_PIECE];
//   for (size_t taken, size; (taken = grzJsonPiece(text, piece, &size)) != 0; text += taken)
//       put(piece, size);
//
// Promise: the pieces between two quotes are a JSON string in UTF-8. Quotes, backslashes and control characters are
//          escaped; a byte that is no UTF-8 becomes U+FFFD, one each.
// Threads: any. Cost: O(1) a piece.
// Based on: [Unicode 15] table 3-7, well-formed byte sequences.
#ifndef GRAZE_BASE_JSON_PIECE_H
#define GRAZE_BASE_JSON_PIECE_H

#include <stddef.h>

enum { GRZ_JSON_PIECE = 8 };

// Writes the piece for the first character of `text`, which ends in 0, and its size; returns how many bytes of text
// that was: 0 at the end.
size_t grzJsonPiece(const char* text, char piece[GRZ_JSON_PIECE], size_t* size);

#endif
