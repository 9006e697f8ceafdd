// What: values of a JSON file, and sentences about them (json_doc.h).
// Promise: whatever the file holds, one complaint at most, which names the line of the value that it is about.
#include "json_doc.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

// ---------------------------------------------------------------------------------------------------------- places

// Walks the text of a value that is known to be good JSON. Returns what is behind it.
static const char* skipSpace(const char* at) {
    while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')
        ++at;
    return at;
}

static const char* skipString(const char* at) {
    for (++at; *at != '"' && *at != 0; ++at)
        at += *at == '\\' && at[1] != 0;
    return *at == '"' ? at + 1 : at;
}

static const char* skipValue(const char* at) {
    int depth = 0;
    for (at = skipSpace(at); *at != 0; ++at) {
        if (*at == '"')
            at = skipString(at) - 1;
        else if (*at == '{' || *at == '[')
            ++depth;
        else if (*at == '}' || *at == ']')
            --depth;
        if (depth < 0 || (depth == 0 && *at == ','))
            return at;
        if (depth == 0 && (*at == '}' || *at == ']'))
            return at + 1;
    }
    return at;
}

static bool isKey(const char* at, const char* key) {
    const size_t length = strlen(key);
    return *at == '"' && strncmp(at + 1, key, length) == 0 && at[1 + length] == '"';
}

// From the text of an object or a list to that of a part of it; NULL where it is not found (a key written with escapes).
static const char* findPart(const char* at, const char* key, uint32_t place) {
    at = skipSpace(skipSpace(at) + 1);
    for (uint32_t i = 0; *at != 0 && *at != '}' && *at != ']'; ++i) {
        const bool isIt = key != NULL ? isKey(at, key) : i == place;
        if (key != NULL)
            at = skipSpace(skipSpace(skipString(at)) + 1);
        if (isIt)
            return at;
        at = skipSpace(skipValue(at));
        at = *at == ',' ? skipSpace(at + 1) : at;
    }
    return NULL;
}

static size_t lineOf(const JsonValue* value) {
    const char* text = value->doc->bytes.data;
    const char* at = skipSpace(text);
    for (int i = 0; i < value->depth; ++i) {
        const char* part = findPart(at, value->keys[i], value->places[i]);
        if (part == NULL)
            break;
        at = part;
    }
    size_t line = 1;
    for (const char* c = text; c < at; ++c)
        line += *c == '\n';
    return line;
}

static void writePath(const JsonValue* value, char* text, size_t capacity) {
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < value->depth && used + 1 < capacity; ++i) {
        const int wrote = value->keys[i] != NULL
                              ? snprintf(text + used, capacity - used, "%s%.40s", i > 0 ? "." : "", value->keys[i])
                              : snprintf(text + used, capacity - used, "[%u]", value->places[i]);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
}

bool json_fail(JsonValue value, const char* format, ...) {
    if (value.doc->hasFailed)
        return false;
    value.doc->hasFailed = true;
    char path[128], sentence[256];
    writePath(&value, path, sizeof path);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    failAtLine(value.doc->error, value.doc->name, lineOf(&value), "%s%s%s", path, path[0] != 0 ? ": " : "", sentence);
    return false;
}

// ---------------------------------------------------------------------------------------------------------- reading

static bool refuseSyntax(JsonDoc* doc, const char* at) {
    size_t line = 1;
    for (const char* c = doc->bytes.data; at != NULL && c < at; ++c)
        line += *c == '\n';
    return failAtLine(doc->error, doc->name, line, "this is no JSON");
}

// No name twice in one object: the second would be read by nobody.
static bool areNamesUnique(JsonValue value) {
    uint32_t place = 0;
    for (const cJSON* child = value.item != NULL ? value.item->child : NULL; child != NULL; child = child->next, ++place) {
        JsonValue part = value;
        if (part.depth == JSON_PATH_DEPTH)
            return json_fail(value, "it is nested more than %d deep", JSON_PATH_DEPTH);
        part.item = child;
        part.keys[part.depth] = cJSON_IsObject(value.item) ? child->string : NULL;
        part.places[part.depth++] = place;
        for (const cJSON* other = child->next; cJSON_IsObject(value.item) && other != NULL; other = other->next)
            if (strcmp(child->string, other->string) == 0)
                return json_fail(part, "the name is there twice");
        if (!areNamesUnique(part))
            return false;
    }
    return true;
}

bool JsonDoc_Read(JsonDoc* doc, const char* path, FileError* error) {
    memset(doc, 0, sizeof *doc);
    doc->name = path;
    doc->error = error;
    doc->allocator = grzDefaultAllocator();
    if (!FileBytes_Read(&doc->bytes, path, &doc->allocator, error))
        return false;
    if (!grzArray_Reserve(&doc->bytes, &doc->allocator, doc->bytes.count + 1)) {
        JsonDoc_Release(doc);
        return failFile(error, path, "there is no memory for it");
    }
    doc->bytes.data[doc->bytes.count] = 0;
    const char* end = NULL;
    bool isGood = strlen(doc->bytes.data) == doc->bytes.count;
    if (isGood)
        doc->tree = cJSON_ParseWithLengthOpts(doc->bytes.data, doc->bytes.count + 1, &end, 1);
    if (doc->tree == NULL)
        isGood = refuseSyntax(doc, end);
    else
        isGood = areNamesUnique(JsonDoc_Root(doc));
    if (!isGood)
        JsonDoc_Release(doc);
    return isGood;
}

void JsonDoc_Release(JsonDoc* doc) {
    cJSON_Delete(doc->tree);
    FileBytes_Release(&doc->bytes, &doc->allocator);
    doc->tree = NULL;
}

JsonValue JsonDoc_Root(JsonDoc* doc) {
    JsonValue root;
    memset(&root, 0, sizeof root);
    root.doc = doc;
    root.item = doc->tree;
    return root;
}

bool json_exists(JsonValue value) {
    return value.item != NULL;
}

JsonValue json_member(JsonValue value, const char* key) {
    JsonValue member = value;
    member.item = NULL;
    if (value.item == NULL)
        return member;
    if (!cJSON_IsObject(value.item)) {
        json_fail(value, "this is to be an object, in braces");
        return member;
    }
    member.item = cJSON_GetObjectItemCaseSensitive(value.item, key);
    member.keys[member.depth++] = key;
    return member;
}

uint32_t json_count(JsonValue value) {
    if (value.item != NULL && !cJSON_IsArray(value.item))
        json_fail(value, "this is to be a list, in brackets");
    return value.item != NULL && cJSON_IsArray(value.item) ? (uint32_t)cJSON_GetArraySize(value.item) : 0;
}

JsonValue json_element(JsonValue value, uint32_t index) {
    JsonValue element = value;
    element.item = cJSON_GetArrayItem(value.item, (int)index);
    element.keys[element.depth] = NULL;
    element.places[element.depth++] = index;
    return element;
}

bool json_real(JsonValue value, double least, double most, double* out) {
    if (value.item == NULL)
        return true;
    if (!cJSON_IsNumber(value.item) || !isfinite(value.item->valuedouble))
        return json_fail(value, "this is to be a number");
    if (!(value.item->valuedouble >= least && value.item->valuedouble <= most))
        return json_fail(value, "this is to be a number from %g to %g", least, most);
    *out = value.item->valuedouble;
    return true;
}

bool json_bool(JsonValue value, bool* out) {
    if (value.item == NULL)
        return true;
    if (!cJSON_IsBool(value.item))
        return json_fail(value, "this is to be true or false");
    *out = cJSON_IsTrue(value.item);
    return true;
}

bool json_text(JsonValue value, const char** out) {
    if (value.item == NULL)
        return true;
    if (!cJSON_IsString(value.item))
        return json_fail(value, "this is to be a text in quotes");
    *out = value.item->valuestring;
    return true;
}

bool json_only(JsonValue value, const char* const* keys) {
    if (value.item != NULL && !cJSON_IsObject(value.item))
        return json_fail(value, "this is to be an object, in braces");
    for (const cJSON* child = value.item != NULL ? value.item->child : NULL; child != NULL; child = child->next) {
        const char* const* key = keys;
        while (*key != NULL && strcmp(*key, child->string) != 0)
            ++key;
        if (*key == NULL)
            return json_fail(json_member(value, child->string), "there is no such field");
    }
    return true;
}

bool json_float(JsonValue value, double least, double most, float* out) {
    double number = (double)*out;
    if (!json_real(value, least, most, &number))
        return false;
    *out = (float)number;
    return true;
}

bool json_whole(JsonValue value, uint64_t least, uint64_t most, uint64_t* out) {
    double number = (double)*out;
    if (!json_real(value, (double)least, (double)most, &number))
        return false;
    if (number != floor(number))
        return json_fail(value, "this is to be a whole number");
    *out = (uint64_t)number;
    return true;
}

bool json_floats(JsonValue value, uint32_t count, double least, double most, float* out) {
    if (!json_exists(value))
        return true;
    if (json_count(value) != count)
        return json_fail(value, "this is to be a list of %u numbers", count);
    float numbers[16];
    for (uint32_t i = 0; i < count && i < 16; ++i) {
        numbers[i] = 0.0f;
        if (!json_float(json_element(value, i), least, most, &numbers[i]))
            return false;
    }
    memcpy(out, numbers, count * sizeof *numbers);
    return true;
}
