// Why a text is no JSON: the first place where it breaks the grammar, and a clause that says what was expected there and what
// was found.
#ifndef GRAZE_APP_JSON_FLAW_H
#define GRAZE_APP_JSON_FLAW_H

#include <stddef.h>

// As deep as brackets may nest; cJSON's own limit.
#define JSON_MOST_DEPTH 1000

typedef struct JsonFlaw {
    const char* at; // NULL: there is no flaw
    char clause[160];
} JsonFlaw;

// In [text, end), behind which a 0 must lie. Space is all up to the blank, and what is in strings is not looked at but for
// escapes, as cJSON has it.
JsonFlaw JsonFlaw_Find(const char* text, const char* end);

#endif
