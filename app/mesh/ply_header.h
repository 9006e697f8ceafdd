// What a PLY file says of itself before its body.
#ifndef GRAZE_APP_PLY_HEADER_H
#define GRAZE_APP_PLY_HEADER_H

#include "array.h"
#include "mesh_data.h"
#include "text_cursor.h"

typedef enum PlyForm {
    ply_littleEndian,
    ply_bigEndian,
    ply_text,
} PlyForm;

typedef enum PlyType {
    ply_noType,
    ply_int8,
    ply_uint8,
    ply_int16,
    ply_uint16,
    ply_int32,
    ply_uint32,
    ply_float,
    ply_double,
} PlyType;

// A word of the header, in place.
typedef struct PlyWord {
    const char* text;
    size_t length;
} PlyWord;

typedef struct PlyProperty {
    PlyWord name;
    PlyType type;      // of the number, or of a list's items
    PlyType countType; // of a list's length; ply_noType: not a list
} PlyProperty;

typedef struct PlyElement {
    PlyWord name;
    uint64_t count;    // as the file says, not checked; UINT64_MAX where it says more
    PlyWord countWord; // what it says
    size_t line;
    size_t firstProperty;
    size_t propertyCount;
} PlyElement;

typedef struct PlyHeader {
    PlyForm form;
    struct {
        GRZ_ARRAY(PlyElement);
    } elements;
    struct {
        GRZ_ARRAY(PlyProperty);
    } properties;
    TextCursor body; // behind the header
} PlyHeader;

// Reads all up to end_header; the words stay in `bytes`. To be released in any case.
bool PlyHeader_Read(PlyHeader* header, const char* bytes, size_t size, const char* name,
                    const grzAllocator* allocator, FileError* error);
void PlyHeader_Release(PlyHeader* header, const grzAllocator* allocator);

bool PlyWord_Is(PlyWord word, const char* text);

// How much of a word a sentence quotes.
static inline int PlyWord_ShownLength(PlyWord word) {
    return word.length < 40 ? (int)word.length : 40;
}

// In bytes in a binary body; 0 for ply_noType.
size_t PlyType_Size(PlyType type);
bool PlyType_IsInteger(PlyType type);
// The properties of an element, or the first with a name; NULL where there is none.
const PlyProperty* PlyHeader_Properties(const PlyHeader* header, const PlyElement* element);
const PlyProperty* PlyHeader_Find(const PlyHeader* header, const PlyElement* element, const char* name);

#endif
