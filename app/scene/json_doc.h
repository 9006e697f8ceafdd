// A JSON file whose every value knows its line and column: what readers of scenes take values from.
//
//   JsonDoc doc;
//   if (!JsonDoc_Read(&doc, path, allocator, &error)) ...
//   JsonValue root = JsonDoc_Root(&doc);
//   if (!json_real(json_member(root, "friction"), 0, 10, &friction)) ...   // doc.error says file, line, column and field
//
// By cJSON [Gamble and others, https://github.com/DaveGamble/cJSON], which keeps no places: these are found by a second look at
// the text, along the path to the value, when there is something to complain of. The first complaint stays.
//
// Ownership: strings point into the doc. One thread.
#ifndef GRAZE_APP_JSON_DOC_H
#define GRAZE_APP_JSON_DOC_H

#include "file_bytes.h"
#include "file_error.h"

struct cJSON;

// The longest way to a value that readers go, in steps: members and elements.
#define JSON_PATH_DEPTH  8
#define JSON_MOST_FLOATS 4

typedef struct JsonDoc {
    const char* name;
    FileBytes bytes; // ends in 0
    struct cJSON* tree;
    FileError* error;
    bool hasFailed;
    grzAllocator allocator;
} JsonDoc;

typedef struct JsonValue {
    JsonDoc* doc;
    const struct cJSON* item; // NULL: there is none
    int depth;
    const char* keys[JSON_PATH_DEPTH]; // of members; NULL where a step is an element
    uint32_t places[JSON_PATH_DEPTH];  // among its siblings
} JsonValue;

// False, with an empty doc and one sentence in *error, where the file cannot be read, is no JSON, or has anything behind its
// value. `error` is kept for what is asked of the doc later. The bytes are the allocator's, the tree is cJSON's.
bool JsonDoc_Read(JsonDoc* doc, const char* path, grzAllocator allocator, FileError* error);
// The same from memory, which is copied; `name` is what the sentence calls it, and must live as long.
bool JsonDoc_ReadBytes(JsonDoc* doc, const char* bytes, size_t size, const char* name, grzAllocator allocator,
                       FileError* error);
void JsonDoc_Release(JsonDoc* doc);
JsonValue JsonDoc_Root(JsonDoc* doc);

bool json_exists(JsonValue value);
// The member with that name, or none; of what is no object: a complaint, and none.
JsonValue json_member(JsonValue value, const char* key);
// How many elements a list has; of what is no list: a complaint, and 0. None: 0.
uint32_t json_count(JsonValue value);
// The first element of a list, and the one behind an element; none at the end, and of what is no list, after a complaint.
//   for (JsonValue e = json_first(list); json_exists(e); e = json_next(e))
JsonValue json_first(JsonValue value);
JsonValue json_next(JsonValue element);

// All return false after a complaint, with *out as it was. A value that is none leaves *out as it was and is fine.
bool json_real(JsonValue value, double least, double most, double* out);
bool json_float(JsonValue value, double least, double most, float* out);
bool json_whole(JsonValue value, uint64_t least, uint64_t most, uint64_t* out);
bool json_bool(JsonValue value, bool* out);
bool json_text(JsonValue value, const char** out);
// A list of so many numbers, JSON_MOST_FLOATS at most.
bool json_floats(JsonValue value, uint32_t count, double least, double most, float* out);

// A member that is none of `keys` (up to 64, and NULL) is a complaint, and so is one that is there twice, and what is no object.
bool json_only(JsonValue value, const char* const* keys);

// Complains of a value: file, line, column, the way to it, the sentence. Returns false.
bool json_fail(JsonValue value, const char* format, ...) FORMAT_CHECKED(2, 3);

#endif
