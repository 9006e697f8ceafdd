// What: values of a JSON file, and sentences about them (json_doc.h).
// Promise: whatever the file holds, one complaint at most, which names the line of the value that it is about.
#include "json_doc.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "check.h"

// ---------------------------------------------------------------------------------------------------------- places

// Walks the text of a value that cJSON has read. Space is what cJSON takes for space: all up to the blank.
static const char* skipSpace(const char* at) {
    while (*at != 0 && (unsigned char)*at <= ' ')
        ++at;
    return at;
}

// Behind one character, and the space after it.
static const char* skipMark(const char* at) {
    return skipSpace(*at != 0 ? at + 1 : at);
}

// From the quote that begins a string to behind the one that ends it.
static const char* skipString(const char* at) {
    for (++at; *at != '"' && *at != 0; ++at)
        at += *at == '\\' && at[1] != 0;
    return *at == '"' ? at + 1 : at;
}

// To the comma or bracket behind a value.
static const char* skipValue(const char* at) {
    int depth = 0;
    while (*at != 0) {
        if (*at == '"') {
            at = skipString(at);
            continue;
        }
        depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        if (depth < 0 || (depth == 0 && *at == ','))
            break;
        ++at;
    }
    return at;
}

// From the text of an object or a list to that of a part of it; NULL where it has no such part.
static const char* findPart(const char* at, uint32_t place) {
    const bool isObject = *at == '{';
    at = skipMark(at);
    for (uint32_t i = 0; *at != 0 && *at != '}' && *at != ']'; ++i) {
        if (isObject && *at == '"')
            at = skipMark(skipSpace(skipString(at))); // the name and its colon
        if (i == place)
            return at;
        at = skipValue(at);
        at = *at == ',' ? skipMark(at) : at;
    }
    return NULL;
}

// cJSON steps over a mark of the byte order.
static const char* textOf(const JsonDoc* doc) {
    const char* text = doc->bytes.data;
    return skipSpace(strncmp(text, "\xEF\xBB\xBF", 3) == 0 ? text + 3 : text);
}

static size_t countLines(const JsonDoc* doc, const char* end) {
    size_t line = 1;
    for (const char* c = doc->bytes.data; c < end; ++c)
        line += *c == '\n';
    return line;
}

// Of what is not there: the line of what it is missing in.
static size_t lineOf(const JsonValue* value) {
    const char* at = textOf(value->doc);
    for (int i = 0; i < value->depth; ++i) {
        const char* part = findPart(at, value->places[i]);
        if (part == NULL)
            break;
        at = part;
    }
    return countLines(value->doc, at);
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
    failAtLine(value.doc->error, value.doc->name, lineOf(&value), "%s%s%s", path, path[0] != 0 ? ": " : "",
               sentence);
    return false;
}

// ---------------------------------------------------------------------------------------------------------- reading

static void begin(JsonDoc* doc, const char* name, grzAllocator allocator, FileError* error) {
    memset(doc, 0, sizeof *doc);
    doc->name = name;
    doc->error = error;
    doc->allocator = allocator;
}

static bool failMemory(JsonDoc* doc) {
    JsonDoc_Release(doc);
    return failFile(doc->error, doc->name, "there is no memory for it");
}

// The bytes of the doc to its tree.
static bool parse(JsonDoc* doc) {
    if (!grzArray_Reserve(&doc->bytes, &doc->allocator, doc->bytes.count + 1))
        return failMemory(doc);
    doc->bytes.data[doc->bytes.count] = 0;
    // A zero byte would end the text too early.
    const char* end = doc->bytes.data + strlen(doc->bytes.data);
    if (end == doc->bytes.data + doc->bytes.count)
        doc->tree = cJSON_ParseWithLengthOpts(doc->bytes.data, doc->bytes.count + 1, &end, 1);
    if (doc->tree != NULL)
        return true;
    failAtLine(doc->error, doc->name, countLines(doc, end), "this is no JSON");
    JsonDoc_Release(doc);
    return false;
}

bool JsonDoc_Read(JsonDoc* doc, const char* path, grzAllocator allocator, FileError* error) {
    begin(doc, path, allocator, error);
    return FileBytes_Read(&doc->bytes, path, &doc->allocator, error) && parse(doc);
}

bool JsonDoc_ReadBytes(JsonDoc* doc, const char* bytes, size_t size, const char* name, grzAllocator allocator,
                       FileError* error) {
    begin(doc, name, allocator, error);
    if (!grzArray_Reserve(&doc->bytes, &doc->allocator, size + 1))
        return failMemory(doc);
    if (size != 0)
        memcpy(doc->bytes.data, bytes, size);
    doc->bytes.count = size;
    return parse(doc);
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

// One step further: to a member, whose key is not NULL, or to an element.
static JsonValue stepTo(JsonValue value, const cJSON* item, const char* key, uint32_t place) {
    GRZ_ASSERT(value.depth < JSON_PATH_DEPTH);
    value.item = item;
    value.keys[value.depth] = key;
    value.places[value.depth++] = place;
    return value;
}

JsonValue json_member(JsonValue value, const char* key) {
    if (value.item != NULL && !cJSON_IsObject(value.item)) {
        json_fail(value, "this is to be an object, in braces");
        value.item = NULL;
    }
    uint32_t place = 0;
    const cJSON* child = value.item != NULL ? value.item->child : NULL;
    for (; child != NULL && strcmp(child->string, key) != 0; child = child->next)
        ++place;
    return stepTo(value, child, key, place);
}

uint32_t json_count(JsonValue value) {
    if (value.item != NULL && !cJSON_IsArray(value.item))
        json_fail(value, "this is to be a list, in brackets");
    return value.item != NULL && cJSON_IsArray(value.item) ? (uint32_t)cJSON_GetArraySize(value.item) : 0;
}

JsonValue json_first(JsonValue value) {
    const bool isList = json_count(value) != 0;
    return stepTo(value, isList ? value.item->child : NULL, NULL, 0);
}

JsonValue json_next(JsonValue element) {
    element.item = element.item->next;
    ++element.places[element.depth - 1];
    return element;
}

bool json_real(JsonValue value, double least, double most, double* out) {
    if (value.item == NULL)
        return true;
    if (!cJSON_IsNumber(value.item) || !isfinite(value.item->valuedouble))
        return json_fail(value, "this is to be a number");
    if (!(value.item->valuedouble >= least && value.item->valuedouble <= most))
        return least == most ? json_fail(value, "this is to be %g", least)
                             : json_fail(value, "this is to be a number from %g to %g", least, most);
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

// A name that is there twice would be read once, so it is none of the fields the second time. That also bounds the work: there
// are no more children to look at than keys.
bool json_only(JsonValue value, const char* const* keys) {
    if (value.item != NULL && !cJSON_IsObject(value.item))
        return json_fail(value, "this is to be an object, in braces");
    uint64_t seen = 0;
    uint32_t place = 0;
    for (const cJSON* child = value.item != NULL ? value.item->child : NULL; child != NULL; child = child->next) {
        const JsonValue member = stepTo(value, child, child->string, place++);
        int key = 0;
        while (keys[key] != NULL && strcmp(keys[key], child->string) != 0)
            ++key;
        if (keys[key] == NULL)
            return json_fail(member, "there is no such field");
        if ((seen >> key & 1) != 0)
            return json_fail(member, "the name is there twice");
        seen |= UINT64_C(1) << key;
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
    float numbers[JSON_MOST_FLOATS] = {0};
    GRZ_ASSERT(count <= JSON_MOST_FLOATS);
    if (!json_exists(value))
        return true;
    if (json_count(value) != count)
        return json_fail(value, "this is to be a list of %u numbers", count);
    JsonValue element = json_first(value);
    for (uint32_t i = 0; i < count; ++i, element = json_next(element))
        if (!json_float(element, least, most, &numbers[i]))
            return false;
    memcpy(out, numbers, count * sizeof *numbers);
    return true;
}
