// What: reads JSON token by token and stops at the first one that cannot stand where it does.
// Idea: what may come next is told by what came last and by the innermost bracket that is open. No tree is made, and nothing
//   is called for each level, so that depth costs nothing.
#include "json_flaw.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum Wanted {
    wantedValue,      // at the beginning, behind a colon
    wantedElement,    // behind a comma of a list
    wantedFirst,      // behind '['
    wantedFirstField, // behind '{'
    wantedField,      // behind a comma of an object
    wantedColon,
    wantedListComma,
    wantedObjectComma,
    wantedEnd,
} Wanted;

static const char* const wantedTexts[] = {
    [wantedValue] = "expected a value",
    [wantedElement] = "expected a value behind the comma",
    [wantedFirst] = "expected a value or ']'",
    [wantedFirstField] = "expected a field name in double quotes or '}'",
    [wantedField] = "expected a field name in double quotes behind the comma",
    [wantedColon] = "expected ':' behind the field name",
    [wantedListComma] = "expected ',' or ']'",
    [wantedObjectComma] = "expected ',' or '}'",
    [wantedEnd] = "expected the end of the file",
};

typedef struct Reader {
    const char *at, *end;
    Wanted wanted;
    int depth;
    bool isObject[JSON_MOST_DEPTH]; // of each open bracket
    JsonFlaw flaw;
} Reader;

static void fail(Reader* reader, const char* at, const char* clause) {
    reader->flaw.at = at;
    snprintf(reader->flaw.clause, sizeof reader->flaw.clause, "%s", clause);
}

static int wordLength(const char* at) {
    int length = 0;
    while (length < 20 && (isalnum((unsigned char)at[length]) || strchr("+-._", at[length]) != NULL) &&
           at[length] != 0)
        ++length;
    return length;
}

// What was wanted, and what is there.
static void failWanted(Reader* reader) {
    const char *at = reader->at, *wanted = wantedTexts[reader->wanted];
    char clause[sizeof reader->flaw.clause];
    const int length = wordLength(at);
    if (at == reader->end)
        snprintf(clause, sizeof clause, "%s, found the end of the file", wanted);
    else if (length > 0)
        snprintf(clause, sizeof clause, "%s, found %.*s", wanted, length, at);
    else if (*at == '"')
        snprintf(clause, sizeof clause, "%s, found a text", wanted);
    else if (*at > ' ' && *at < 127)
        snprintf(clause, sizeof clause, "%s, found '%c'", wanted, *at);
    else
        snprintf(clause, sizeof clause, "%s, found a byte of value %d", wanted, (unsigned char)*at);
    fail(reader, at, clause);
}

// ---- tokens ----

// What an escape takes: 0 where it is none.
static size_t escapeLength(const char* at) {
    if (at[1] != 0 && strchr("\"\\/bfnrt", at[1]) != NULL)
        return 2;
    if (at[1] != 'u')
        return 0;
    for (int i = 2; i < 6; ++i)
        if (!isxdigit((unsigned char)at[i]))
            return 0;
    return 6;
}

static void readString(Reader* reader) {
    const char* begin = reader->at++;
    while (reader->at < reader->end && *reader->at != '"') {
        const size_t length = *reader->at == '\\' ? escapeLength(reader->at) : *reader->at != 0;
        if (length == 0) {
            fail(reader, reader->at,
                 *reader->at == 0
                     ? "a zero byte in a text"
                     : "expected one of \" \\ / b f n r t, or u and four hexadecimal digits, behind \\");
            return;
        }
        reader->at += length;
    }
    if (reader->at >= reader->end)
        fail(reader, begin, "unterminated text: its closing '\"' is missing");
    else
        ++reader->at;
}

// A number, or true, false, null.
static void readWord(Reader* reader) {
    static const char* const words[] = {"true", "false", "null"};
    const char* at = reader->at;
    for (int i = 0; i < 3; ++i)
        if (strncmp(at, words[i], strlen(words[i])) == 0) {
            reader->at += strlen(words[i]);
            return;
        }
    const size_t length = strspn(at, "0123456789+-.eE");
    char number[64] = {0};
    char* behind = number;
    if (length > 0 && length < sizeof number && (*at == '-' || isdigit((unsigned char)*at))) {
        memcpy(number, at, length);
        (void)strtod(number, &behind);
    }
    if (behind == number)
        failWanted(reader);
    else
        reader->at += behind - number;
}

// ---- grammar ----

static void closeValue(Reader* reader) {
    reader->wanted = reader->depth == 0                    ? wantedEnd
                     : reader->isObject[reader->depth - 1] ? wantedObjectComma
                                                           : wantedListComma;
}

static void openBracket(Reader* reader, bool isObject) {
    if (reader->depth == JSON_MOST_DEPTH) {
        fail(reader, reader->at, "brackets are nested more than 1000 deep");
        return;
    }
    ++reader->at;
    reader->isObject[reader->depth++] = isObject;
    reader->wanted = isObject ? wantedFirstField : wantedFirst;
}

static void closeBracket(Reader* reader) {
    ++reader->at;
    --reader->depth;
    closeValue(reader);
}

static void readValue(Reader* reader) {
    const char c = *reader->at;
    if (c == '{' || c == '[') {
        openBracket(reader, c == '{');
        return;
    }
    if (c == '"')
        readString(reader);
    else
        readWord(reader);
    closeValue(reader);
}

static void readName(Reader* reader) {
    if (*reader->at != '"') {
        failWanted(reader);
        return;
    }
    readString(reader);
    reader->wanted = wantedColon;
}

static void readMark(Reader* reader, char mark, Wanted next) {
    if (*reader->at != mark) {
        failWanted(reader);
        return;
    }
    ++reader->at;
    reader->wanted = next;
}

static void readToken(Reader* reader) {
    const char c = *reader->at;
    switch (reader->wanted) {
    case wantedFirst:
    case wantedListComma:
        if (c == ']')
            closeBracket(reader);
        else if (reader->wanted == wantedFirst)
            readValue(reader);
        else
            readMark(reader, ',', wantedElement);
        break;
    case wantedFirstField:
    case wantedObjectComma:
        if (c == '}')
            closeBracket(reader);
        else if (reader->wanted == wantedFirstField)
            readName(reader);
        else
            readMark(reader, ',', wantedField);
        break;
    case wantedValue:
    case wantedElement:
        readValue(reader);
        break;
    case wantedField:
        readName(reader);
        break;
    case wantedColon:
        readMark(reader, ':', wantedValue);
        break;
    case wantedEnd:
        failWanted(reader);
        break;
    }
}

JsonFlaw JsonFlaw_Find(const char* text, const char* end) {
    Reader reader;
    memset(&reader, 0, sizeof reader);
    reader.at = text;
    reader.end = end;
    while (reader.flaw.at == NULL) {
        while (reader.at < end && *reader.at != 0 && (unsigned char)*reader.at <= ' ')
            ++reader.at;
        if (reader.at >= end) {
            if (reader.wanted != wantedEnd)
                failWanted(&reader);
            break;
        }
        readToken(&reader);
    }
    return reader.flaw;
}
