// What: reads the header of a PLY file.
// Limits: any number of elements and properties; a keyword that the format does not have is refused, for the body
// could then not be read either.
// Based on: [Turk, The PLY Polygon File Format, 1994].
#include "ply_header.h"

#include <string.h>

#include "file_error.h"
#include "result_make.h"

enum {
    wordLimit = 6, // one more than any line may have
    readElementCount = 3,
};

// A line of the header, cut at white space.
typedef struct HeaderLine {
    PlyWord words[wordLimit];
    size_t count; // of words; those beyond the limit are counted, not kept
    size_t number;
} HeaderLine;

typedef struct HeaderReader {
    PlyHeader* header;
    const char* name;
    const grzAllocator* allocator;
    FileError* error;
    bool hasForm;
    bool isKnown[readElementCount];
    HeaderLine line;
} HeaderReader;

bool PlyWord_Is(PlyWord word, const char* text) {
    return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

size_t PlyType_Size(PlyType type) {
    static const size_t sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 8};
    return sizes[type];
}

bool PlyType_IsInteger(PlyType type) {
    return type >= ply_int8 && type <= ply_uint32;
}

static PlyType typeOf(PlyWord word) {
    static const struct {
        const char* name;
        PlyType type;
    } names[] = {
        {"char", ply_int8},   {"uchar", ply_uint8},   {"short", ply_int16},   {"ushort", ply_uint16},
        {"int", ply_int32},   {"uint", ply_uint32},   {"float", ply_float},   {"double", ply_double},
        {"int8", ply_int8},   {"uint8", ply_uint8},   {"int16", ply_int16},   {"uint16", ply_uint16},
        {"int32", ply_int32}, {"uint32", ply_uint32}, {"float32", ply_float}, {"float64", ply_double},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        if (PlyWord_Is(word, names[i].name))
            return names[i].type;
    return ply_noType;
}

const PlyProperty* PlyHeader_Properties(const PlyHeader* header, const PlyElement* element) {
    return element->propertyCount != 0 ? header->properties.data + element->firstProperty : NULL;
}

const PlyProperty* PlyHeader_Find(const PlyHeader* header, const PlyElement* element, const char* name) {
    const PlyProperty* properties = PlyHeader_Properties(header, element);
    for (size_t i = 0; i < element->propertyCount; ++i)
        if (PlyWord_Is(properties[i].name, name))
            return &properties[i];
    return NULL;
}

// Cuts the line into words and stops before its end.
static HeaderLine takeWords(TextCursor* cursor) {
    HeaderLine line = {.number = cursor->line};
    for (;;) {
        while (!TextCursor_IsAtEnd(cursor) && isBlank(*cursor->at))
            cursor->at++;
        if (TextCursor_IsAtEnd(cursor) || isLineEnd(*cursor->at))
            return line;
        PlyWord word = {cursor->at, 0};
        while (!TextCursor_IsAtEnd(cursor) && !isBlank(*cursor->at) && !isLineEnd(*cursor->at))
            cursor->at++, word.length++;
        if (line.count < wordLimit)
            line.words[line.count] = word;
        line.count++;
    }
}

// Quotes the last of the words as what is wrong.
static bool failAtWord(HeaderReader* reader, PlyWord word, const char* what) {
    return failAtLine(reader->error, reader->name, reader->line.number, "%s: '%.*s'", what,
                      PlyWord_ShownLength(word), word.text);
}

static bool noMemory(HeaderReader* reader, size_t count, size_t size) {
    return failResult(reader->error, reader->name, grzNoMemory(count, size));
}

static bool readForm(HeaderReader* reader) {
    const HeaderLine* line = &reader->line;
    if (line->count != 3)
        return failAtWord(reader, line->words[0], "header line needs three words");
    if (PlyWord_Is(line->words[1], "ascii"))
        reader->header->form = ply_text;
    else if (PlyWord_Is(line->words[1], "binary_little_endian"))
        reader->header->form = ply_littleEndian;
    else if (PlyWord_Is(line->words[1], "binary_big_endian"))
        reader->header->form = ply_bigEndian;
    else
        return failAtWord(reader, line->words[1], "format is unknown");
    if (!PlyWord_Is(line->words[2], "1.0"))
        return failAtWord(reader, line->words[2], "version is unknown");
    reader->hasForm = true;
    return true;
}

static bool readCount(PlyWord word, uint64_t* count) {
    *count = 0;
    for (size_t i = 0; i < word.length; ++i) {
        if (word.text[i] < '0' || word.text[i] > '9')
            return false;
        uint64_t digit = (uint64_t)(word.text[i] - '0');
        *count = *count <= (UINT64_MAX - digit) / 10 ? *count * 10 + digit : UINT64_MAX;
    }
    return word.length != 0;
}

// Of the elements that are read there may be only one each; twice any other is nobody's harm.
static bool isSecond(HeaderReader* reader, PlyWord name) {
    static const char* const names[readElementCount] = {"vertex", "face", "tristrips"};
    for (int i = 0; i < readElementCount; ++i) {
        if (!PlyWord_Is(name, names[i]))
            continue;
        bool isKnown = reader->isKnown[i];
        reader->isKnown[i] = true;
        return isKnown;
    }
    return false;
}

static bool readElement(HeaderReader* reader) {
    PlyHeader* header = reader->header;
    const HeaderLine* line = &reader->line;
    if (line->count != 3)
        return failAtWord(reader, line->words[0], "header line needs three words");
    PlyElement element = {.name = line->words[1], .countWord = line->words[2], .line = line->number};
    element.firstProperty = header->properties.count;
    if (!readCount(line->words[2], &element.count))
        return failAtWord(reader, line->words[2], "element has a count that is no number");
    if (isSecond(reader, element.name))
        return failAtWord(reader, element.name, "element is defined twice");
    if (!grzArray_Reserve(&header->elements, reader->allocator, header->elements.count + 1))
        return noMemory(reader, header->elements.count + 1, sizeof element);
    header->elements.data[header->elements.count++] = element;
    return true;
}

// "property TYPE NAME" or "property list TYPE TYPE NAME"
static bool parseProperty(HeaderReader* reader, PlyProperty* property) {
    const HeaderLine* line = &reader->line;
    bool isList = line->count > 1 && PlyWord_Is(line->words[1], "list");
    size_t expected = isList ? 5 : 3;
    if (line->count != expected)
        return failAtWord(reader, line->words[0],
                          isList ? "header line needs five words" : "header line needs three words");
    property->name = line->words[expected - 1];
    property->type = typeOf(line->words[expected - 2]);
    property->countType = isList ? typeOf(line->words[2]) : ply_noType;
    if (property->type == ply_noType)
        return failAtWord(reader, line->words[expected - 2], "type is unknown");
    if (isList && !PlyType_IsInteger(property->countType))
        return failAtWord(reader, line->words[2], "list cannot be counted in this type");
    return true;
}

static bool readProperty(HeaderReader* reader) {
    PlyHeader* header = reader->header;
    PlyProperty property;
    if (!parseProperty(reader, &property))
        return false;
    if (header->elements.count == 0)
        return failAtWord(reader, property.name, "property stands before any element");
    PlyElement* element = &header->elements.data[header->elements.count - 1];
    if (!grzArray_Reserve(&header->properties, reader->allocator, header->properties.count + 1))
        return noMemory(reader, header->properties.count + 1, sizeof property);
    header->properties.data[header->properties.count++] = property;
    element->propertyCount++;
    return true;
}

static bool readLine(HeaderReader* reader) {
    PlyWord keyword = reader->line.words[0];
    if (reader->line.count == 0 || PlyWord_Is(keyword, "comment") || PlyWord_Is(keyword, "obj_info"))
        return true;
    if (PlyWord_Is(keyword, "format"))
        return readForm(reader);
    if (PlyWord_Is(keyword, "element"))
        return readElement(reader);
    if (PlyWord_Is(keyword, "property"))
        return readProperty(reader);
    return failAtWord(reader, keyword, "header has an unknown keyword");
}

// The header ends as its first line does: behind a lone CR, an LF belongs to the body.
static void takeLastLineEnd(TextCursor* cursor, bool isLoneReturn) {
    if (TextCursor_IsAtEnd(cursor))
        return;
    if (isLoneReturn)
        cursor->at++, cursor->line++;
    else
        TextCursor_TakeLineEnd(cursor);
}

static bool readLines(HeaderReader* reader, TextCursor* cursor) {
    bool isPly = false, isLoneReturn = false;
    while (!TextCursor_IsAtEnd(cursor)) {
        reader->line = takeWords(cursor);
        bool isFirst = reader->line.number == 1;
        isPly = isPly || (isFirst && reader->line.count == 1 && PlyWord_Is(reader->line.words[0], "ply"));
        if (!isPly)
            break;
        if (reader->line.count != 0 && PlyWord_Is(reader->line.words[0], "end_header")) {
            takeLastLineEnd(cursor, isLoneReturn);
            return reader->hasForm ||
                   failAtLine(reader->error, reader->name, reader->line.number, "header names no format");
        }
        if (!isFirst && !readLine(reader))
            return false;
        if (TextCursor_IsAtEnd(cursor))
            break;
        const char* lineEnd = cursor->at;
        TextCursor_TakeLineEnd(cursor);
        isLoneReturn |= isFirst && *lineEnd == '\r' && cursor->at == lineEnd + 1;
    }
    if (!isPly)
        return failAtLine(reader->error, reader->name, 1, "does not begin with 'ply'");
    return failAtLine(reader->error, reader->name, cursor->line, "the file ends before end_header");
}

bool PlyHeader_Read(PlyHeader* header, const char* bytes, size_t size, const char* name,
                    const grzAllocator* allocator, FileError* error) {
    memset(header, 0, sizeof *header);
    HeaderReader reader = {.header = header, .name = name, .allocator = allocator, .error = error};
    header->body = (TextCursor){bytes, bytes + size, 1};
    return readLines(&reader, &header->body);
}

void PlyHeader_Release(PlyHeader* header, const grzAllocator* allocator) {
    grzArray_Release(&header->elements, allocator);
    grzArray_Release(&header->properties, allocator);
}
