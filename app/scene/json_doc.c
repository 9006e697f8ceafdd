// What: values of a JSON file, and sentences about them (json_doc.h).
// Promise: whatever the file holds, one complaint at most, which names the place of the value that it is about.
#include "json_doc.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "check.h"
#include "json_flaw.h"

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

// From the text of an object or a list to that of a part of it, and to the name of that in an object; NULL where it has no such
// part.
static const char* findPart(const char* at, uint32_t place, const char** name) {
    const bool isObject = *at == '{';
    at = skipMark(at);
    for (uint32_t i = 0; *at != 0 && *at != '}' && *at != ']'; ++i) {
        *name = at;
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

// Of what is not there: the place of what it is missing in.
static const char* findValue(const JsonValue* value, const char** name) {
    const char* at = *name = textOf(value->doc);
    for (int i = 0; i < value->depth; ++i) {
        const char* part = findPart(at, value->places[i], name);
        if (part == NULL)
            break;
        at = part;
    }
    return at;
}

// A column is a character, not a byte.
static FilePlace placeOf(const JsonDoc* doc, const char* at) {
    FilePlace place = {1, 1};
    for (const char* c = doc->bytes.data; c < at; ++c) {
        place.line += *c == '\n';
        place.column = *c == '\n' ? 1 : place.column + (((unsigned char)*c & 0xC0) != 0x80);
    }
    return place;
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

static void failAt(const JsonValue* value, const char* at, const char* sentence) {
    JsonDoc* doc = value->doc;
    char path[128];
    if (doc->hasFailed)
        return;
    doc->hasFailed = true;
    writePath(value, path, sizeof path);
    failAtPlace(doc->error, doc->name, placeOf(doc, at), "%s%s%s", path, path[0] != 0 ? ": " : "", sentence);
}

bool json_fail(JsonValue value, const char* format, ...) {
    char sentence[256];
    const char* name;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    failAt(&value, findValue(&value, &name), sentence);
    return false;
}

// Of a member, at its name. Returns false.
static bool failName(JsonValue member, const char* sentence) {
    const char* name;
    (void)findValue(&member, &name);
    failAt(&member, name, sentence);
    return false;
}

// Another thing than was expected.
static bool failExpected(JsonValue value, const char* expected) {
    const cJSON* item = value.item;
    if (cJSON_IsNumber(item))
        return json_fail(value, "expected %s, found %g", expected, item->valuedouble);
    if (cJSON_IsString(item))
        return json_fail(value, "expected %s, found the text \"%.40s\"", expected, item->valuestring);
    return json_fail(value, "expected %s, found %s", expected,
                     cJSON_IsArray(item)    ? "a list"
                     : cJSON_IsObject(item) ? "an object"
                     : cJSON_IsTrue(item)   ? "true"
                     : cJSON_IsFalse(item)  ? "false"
                                            : "null");
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
    const char *text = textOf(doc), *end = doc->bytes.data + doc->bytes.count;
    const JsonFlaw flaw = JsonFlaw_Find(text, end);
    if (flaw.at == NULL)
        doc->tree = cJSON_ParseWithLengthOpts(doc->bytes.data, doc->bytes.count + 1, &end, 1);
    if (doc->tree != NULL)
        return true;
    if (flaw.at != NULL)
        failAtPlace(doc->error, doc->name, placeOf(doc, flaw.at), "%s", flaw.clause);
    else
        failAtPlace(doc->error, doc->name, placeOf(doc, end), "cJSON cannot read it from here on");
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
        failExpected(value, "an object, in braces");
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
        failExpected(value, "a list, in brackets");
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
    const double number = cJSON_IsNumber(value.item) ? value.item->valuedouble : (double)NAN;
    if (!(number >= least && number <= most)) {
        char expected[64];
        if (least == most)
            snprintf(expected, sizeof expected, "the number %g", least);
        else
            snprintf(expected, sizeof expected, "a number from %g to %g", least, most);
        return failExpected(value, expected);
    }
    *out = value.item->valuedouble;
    return true;
}

bool json_bool(JsonValue value, bool* out) {
    if (value.item == NULL)
        return true;
    if (!cJSON_IsBool(value.item))
        return failExpected(value, "true or false");
    *out = cJSON_IsTrue(value.item);
    return true;
}

bool json_text(JsonValue value, const char** out) {
    if (value.item == NULL)
        return true;
    if (!cJSON_IsString(value.item))
        return failExpected(value, "a text in quotes");
    *out = value.item->valuestring;
    return true;
}

// A name that is there twice would be read once, so it is none of the fields the second time. That also bounds the work: there
// are no more children to look at than keys.
bool json_only(JsonValue value, const char* const* keys) {
    if (value.item != NULL && !cJSON_IsObject(value.item))
        return failExpected(value, "an object, in braces");
    uint64_t seen = 0;
    uint32_t place = 0;
    for (const cJSON* child = value.item != NULL ? value.item->child : NULL; child != NULL; child = child->next) {
        const JsonValue member = stepTo(value, child, child->string, place++);
        int key = 0;
        while (keys[key] != NULL && strcmp(keys[key], child->string) != 0)
            ++key;
        if (keys[key] == NULL)
            return failName(member, "unknown field");
        if ((seen >> key & 1) != 0)
            return failName(member, "duplicate field");
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
        return failExpected(value, "a whole number");
    *out = (uint64_t)number;
    return true;
}

bool json_floats(JsonValue value, uint32_t count, double least, double most, float* out) {
    float numbers[JSON_MOST_FLOATS] = {0};
    GRZ_ASSERT(count <= JSON_MOST_FLOATS);
    if (!json_exists(value))
        return true;
    const uint32_t found = json_count(value);
    if (found != count)
        return json_fail(value, "expected a list of %u numbers, found %u elements", count, found);
    JsonValue element = json_first(value);
    for (uint32_t i = 0; i < count; ++i, element = json_next(element))
        if (!json_float(element, least, most, &numbers[i]))
            return false;
    memcpy(out, numbers, count * sizeof *numbers);
    return true;
}
