// What: reads Wavefront OBJ text: its vertices and faces.
// Idea: one pass over the text, no copy of a line, so that lines may have any length; a backslash before a line end
// is white space wherever it stands.
// Cost: one pass; the result is copied once from growing arrays.
// Limits: a face may only name vertices above it, so that errors can name the line.
#include <math.h>
#include <string.h>

#include "file_error.h"
#include "memory.h"
#include "mesh_read.h"
#include "number_text.h"
#include "polygon.h"
#include "result_make.h"
#include "text_cursor.h"

typedef struct CoordinateArray {
    GRZ_ARRAY(double);
} CoordinateArray;

typedef struct ObjReader {
    TextCursor cursor;
    const char* name;
    FileError* error;
    grzAllocator allocator;
    CoordinateArray coordinates; // three a vertex
    IndexArray triangles;        // three a triangle
    IndexArray corners;          // of the face that is being read
} ObjReader;

static size_t vertexCount(const ObjReader* reader) {
    return reader->coordinates.count / 3;
}

// A backslash that stands before a line end, or the text's, joins the two lines.
static bool isAtJoin(const TextCursor* cursor) {
    return *cursor->at == '\\' && (cursor->end - cursor->at == 1 || isLineEnd(cursor->at[1]));
}

static void takeJoin(TextCursor* cursor) {
    cursor->at++;
    if (!TextCursor_IsAtEnd(cursor))
        TextCursor_TakeLineEnd(cursor);
}

static void skipBlanks(TextCursor* cursor) {
    while (!TextCursor_IsAtEnd(cursor)) {
        if (isBlank(*cursor->at))
            cursor->at++;
        else if (isAtJoin(cursor))
            takeJoin(cursor);
        else
            break;
    }
}

// Behind the content of a line: its end, or a comment.
static bool isAtStop(const TextCursor* cursor) {
    return TextCursor_IsAtEnd(cursor) || isLineEnd(*cursor->at) || *cursor->at == '#';
}

static bool isAtSeparator(const TextCursor* cursor) {
    return isAtStop(cursor) || isBlank(*cursor->at) || isAtJoin(cursor);
}

// To the start of the next line. A comment ends with its own line, whatever its last character.
static void skipLine(TextCursor* cursor) {
    bool isComment = false;
    while (!TextCursor_IsAtEnd(cursor)) {
        if (isLineEnd(*cursor->at)) {
            TextCursor_TakeLineEnd(cursor);
            return;
        }
        isComment |= *cursor->at == '#';
        if (!isComment && isAtJoin(cursor))
            takeJoin(cursor);
        else
            cursor->at++;
    }
}

static bool noMemory(ObjReader* reader, size_t count, size_t size) {
    return failResult(reader->error, reader->name, grzNoMemory(count, size));
}

static bool readCoordinate(ObjReader* reader, int axis, double* coordinate) {
    TextCursor* cursor = &reader->cursor;
    skipBlanks(cursor);
    size_t vertex = vertexCount(reader) + 1;
    if (isAtStop(cursor))
        return failAtLine(reader->error, reader->name, cursor->line, "vertex %zu has no %c", vertex, "xyz"[axis]);
    const char* text = cursor->at;
    const char* behind = parseDouble(text, cursor->end, coordinate);
    if (behind != NULL)
        cursor->at = behind;
    if (behind == NULL || !isAtSeparator(cursor))
        return failAtLine(reader->error, reader->name, cursor->line, "%c of vertex %zu is no number: '%.*s'",
                          "xyz"[axis], vertex, quotedLength(text, cursor->end), text);
    if (!isfinite(*coordinate))
        return failAtLine(reader->error, reader->name, cursor->line, "%c of vertex %zu is not finite: '%.*s'",
                          "xyz"[axis], vertex, quotedLength(text, cursor->end), text);
    return true;
}

static bool readVertex(ObjReader* reader) {
    CoordinateArray* coordinates = &reader->coordinates;
    if (vertexCount(reader) >= UINT32_MAX - 1)
        return failResult(reader->error, reader->name,
                          grzBecause(grzFail(grz_tooLarge, UINT32_MAX), "more vertices than 32 bits can number"));
    if (!grzArray_Reserve(coordinates, &reader->allocator, coordinates->count + 3))
        return noMemory(reader, coordinates->count + 3, sizeof(double));
    double position[3];
    for (int axis = 0; axis < 3; ++axis)
        if (!readCoordinate(reader, axis, &position[axis]))
            return false;
    memcpy(coordinates->data + coordinates->count, position, sizeof position);
    coordinates->count += 3;
    return true;
}

// An integer, held at a size that no index reaches; false where none starts.
static bool takeInteger(TextCursor* cursor, int64_t* integer) {
    const int64_t unreachable = INT64_C(1) << 48;
    const char* at = cursor->at;
    bool isNegative = at < cursor->end && *at == '-';
    if (at < cursor->end && (*at == '-' || *at == '+'))
        at++;
    const char* digits = at;
    int64_t size = 0;
    for (; at < cursor->end && *at >= '0' && *at <= '9'; ++at)
        if (size < unreachable)
            size = size * 10 + (*at - '0');
    if (at == digits)
        return false;
    cursor->at = at;
    *integer = isNegative ? -size : size;
    return true;
}

// The /texture/normal behind a vertex index, which may be empty.
static void skipCornerTail(TextCursor* cursor) {
    for (int i = 0; i < 2 && !TextCursor_IsAtEnd(cursor) && *cursor->at == '/'; ++i) {
        cursor->at++;
        int64_t ignored;
        takeInteger(cursor, &ignored);
    }
}

// Numbers from 1 up, or from the newest vertex back, to numbers from 0 up. `text` is the number as it stands,
// for errors.
static bool resolveIndex(ObjReader* reader, int64_t number, const char* text, size_t length, uint32_t* index) {
    int64_t count = (int64_t)vertexCount(reader);
    size_t line = reader->cursor.line;
    if (number == 0)
        return failAtLine(reader->error, reader->name, line, "face names vertex 0, but they count from 1");
    if (number > count || number < -count)
        return failAtLine(reader->error, reader->name, line,
                          "face names vertex %.*s, but only %lld are known so far", length < 40 ? (int)length : 40,
                          text, (long long)count);
    *index = (uint32_t)(number > 0 ? number - 1 : count + number);
    return true;
}

static bool readCorner(ObjReader* reader) {
    TextCursor* cursor = &reader->cursor;
    const char* text = cursor->at;
    int64_t number = 0;
    bool isRead = takeInteger(cursor, &number);
    size_t length = (size_t)(cursor->at - text);
    skipCornerTail(cursor);
    if (!isRead || !isAtSeparator(cursor))
        return failAtLine(reader->error, reader->name, cursor->line,
                          "face has a corner that cannot be read: '%.*s'", quotedLength(text, cursor->end), text);
    uint32_t index = 0;
    if (!resolveIndex(reader, number, text, length, &index))
        return false;
    if (!grzArray_Reserve(&reader->corners, &reader->allocator, reader->corners.count + 1))
        return noMemory(reader, reader->corners.count + 1, sizeof(uint32_t));
    reader->corners.data[reader->corners.count++] = index;
    return true;
}

static bool readFace(ObjReader* reader) {
    TextCursor* cursor = &reader->cursor;
    size_t line = cursor->line;
    reader->corners.count = 0;
    for (skipBlanks(cursor); !isAtStop(cursor); skipBlanks(cursor))
        if (!readCorner(reader))
            return false;
    if (reader->corners.count < 3)
        return failAtLine(reader->error, reader->name, line, "face has %zu corners; it needs 3 or more",
                          reader->corners.count);
    if (!appendFan(&reader->triangles, &reader->corners, &reader->allocator))
        return noMemory(reader, reader->triangles.count + reader->corners.count * 3, sizeof(uint32_t));
    return true;
}

static bool isWord(const char* begin, const char* end, const char* word) {
    return (size_t)(end - begin) == strlen(word) && memcmp(begin, word, (size_t)(end - begin)) == 0;
}

static bool readLine(ObjReader* reader) {
    TextCursor* cursor = &reader->cursor;
    skipBlanks(cursor);
    const char* word = cursor->at;
    while (!isAtSeparator(cursor))
        cursor->at++;
    bool isGood = true;
    if (isWord(word, cursor->at, "v"))
        isGood = readVertex(reader);
    else if (isWord(word, cursor->at, "f") || isWord(word, cursor->at, "fo")) // fo: the same, in old files
        isGood = readFace(reader);
    skipLine(cursor);
    return isGood;
}

static bool readLines(ObjReader* reader) {
    while (!TextCursor_IsAtEnd(&reader->cursor))
        if (!readLine(reader))
            return false;
    if (reader->coordinates.count == 0)
        return failFile(reader->error, reader->name, "holds no vertices");
    return true;
}

static bool makeMesh(ObjReader* reader, MeshData* out) {
    grzResult result = MeshData_Create(out, reader->allocator, true, vertexCount(reader), 0);
    if (grzResult_IsOk(result)) {
        memcpy(out->positions, reader->coordinates.data, reader->coordinates.count * sizeof(double));
        result = MeshData_SetTriangles(out, reader->triangles.data, reader->triangles.count / 3);
    }
    if (grzResult_IsOk(result))
        return true;
    MeshData_Release(out);
    return failResult(reader->error, reader->name, result);
}

bool readObj(const char* bytes, size_t size, const char* name, grzAllocator allocator, MeshData* out,
             FileError* error) {
    memset(out, 0, sizeof *out);
    if (size == 0)
        return failFile(error, name, "is empty");
    ObjReader reader = {.cursor = {bytes, bytes + size, 1}, .name = name, .error = error};
    reader.allocator = grzAllocator_OrDefault(allocator);
    if (size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) // the mark that some editors put before UTF-8
        reader.cursor.at += 3;
    bool isRead = readLines(&reader) && makeMesh(&reader, out);
    grzArray_Release(&reader.coordinates, &reader.allocator);
    grzArray_Release(&reader.triangles, &reader.allocator);
    grzArray_Release(&reader.corners, &reader.allocator);
    return isRead;
}
