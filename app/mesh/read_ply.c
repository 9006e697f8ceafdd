// What: reads the body of a PLY file: its vertices, faces and triangle strips, in any order, among anything else.
// Promise: a count is believed only after the bytes at hand could hold it.
// Idea: every number, of either form, comes through takeNumber as a double, which holds all eight types exactly; so
// there is one reader, and not one for each pair of form and type.
// Cost: one pass, some 4 ns a byte in binary; triangles are copied once from a growing array.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "file_error.h"
#include "memory.h"
#include "mesh_read.h"
#include "number_text.h"
#include "ply_header.h"
#include "polygon.h"
#include "result_make.h"

typedef struct PlyReader {
    PlyHeader header;
    TextCursor cursor;
    const char* begin;
    const char* place; // of the number that was taken last, for errors in binary
    const char* name;
    FileError* error;
    grzAllocator allocator;
    const PlyElement* element; // that is being read
    uint64_t row;              // of it
    MeshData mesh;             // with the vertices from the start
    IndexArray triangles;
    IndexArray corners; // of the face that is being read
} PlyReader;

// At the line of a text, the byte of a binary file.
static bool failHere(PlyReader* reader, const char* format, ...) FORMAT_CHECKED(2, 3);

static bool failHere(PlyReader* reader, const char* format, ...) {
    char text[sizeof reader->error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (reader->header.form == ply_text)
        return failAtLine(reader->error, reader->name, reader->cursor.line, "%s", text);
    return failAtByte(reader->error, reader->name, (uint64_t)(reader->place - reader->begin), "%s", text);
}

// "... face 17 ..." in a sentence: the element's name, cut, and the row that is being read.
#define ROW_FORMAT "%.*s %llu"
#define ROW_OF(reader)                                                                                             \
    PlyWord_ShownLength((reader)->element->name), (reader)->element->name.text, (unsigned long long)(reader)->row

static bool noMemory(PlyReader* reader, size_t count, size_t size) {
    return failResult(reader->error, reader->name, grzNoMemory(count, size));
}

static size_t bytesLeft(const PlyReader* reader) {
    return (size_t)(reader->cursor.end - reader->cursor.at);
}

static bool failAtEnd(PlyReader* reader) {
    reader->place = reader->cursor.at;
    return failHere(reader, "the file ends within " ROW_FORMAT, ROW_OF(reader));
}

static void skipSpace(TextCursor* cursor) {
    while (!TextCursor_IsAtEnd(cursor)) {
        if (isLineEnd(*cursor->at))
            TextCursor_TakeLineEnd(cursor);
        else if (isBlank(*cursor->at))
            cursor->at++;
        else
            break;
    }
}

static bool takeText(PlyReader* reader, PlyType type, double* number) {
    TextCursor* cursor = &reader->cursor;
    skipSpace(cursor);
    if (TextCursor_IsAtEnd(cursor))
        return failAtEnd(reader);
    const char* text = cursor->at;
    const char* behind;
    if (type == ply_float) {
        float rounded;
        behind = parseFloat(text, cursor->end, &rounded);
        *number = (double)rounded;
    } else
        behind = parseDouble(text, cursor->end, number);
    if (behind == NULL || (behind < cursor->end && !isBlank(*behind) && !isLineEnd(*behind)))
        return failHere(reader, ROW_FORMAT " has what is no number: '%.*s'", ROW_OF(reader),
                        quotedLength(text, cursor->end), text);
    cursor->at = behind;
    return true;
}

// Up to eight bytes, least first, to the number that they are.
static double numberOf(uint64_t bits, PlyType type) {
    union {
        uint64_t bits64;
        double asDouble;
    } wide = {.bits64 = bits};
    union {
        uint32_t bits32;
        float asFloat;
    } narrow = {.bits32 = (uint32_t)bits};
    switch (type) {
    case ply_int8:
        return (double)(int8_t)bits;
    case ply_int16:
        return (double)(int16_t)bits;
    case ply_int32:
        return (double)(int32_t)bits;
    case ply_float:
        return (double)narrow.asFloat;
    case ply_double:
        return wide.asDouble;
    case ply_uint8:
    case ply_uint16:
    case ply_uint32:
    case ply_noType:
        break;
    }
    return (double)bits;
}

static bool takeBinary(PlyReader* reader, PlyType type, double* number) {
    size_t size = PlyType_Size(type);
    reader->place = reader->cursor.at;
    if (bytesLeft(reader) < size)
        return failAtEnd(reader);
    const unsigned char* bytes = (const unsigned char*)reader->cursor.at;
    uint64_t bits = 0;
    if (reader->header.form == ply_littleEndian)
        for (size_t i = size; i-- > 0;)
            bits = bits << 8 | bytes[i];
    else
        for (size_t i = 0; i < size; ++i)
            bits = bits << 8 | bytes[i];
    *number = numberOf(bits, type);
    reader->cursor.at += size;
    return true;
}

static bool takeNumber(PlyReader* reader, PlyType type, double* number) {
    return reader->header.form == ply_text ? takeText(reader, type, number) : takeBinary(reader, type, number);
}

// The least that a number takes in the body: in text a digit and, but for the last one, a space.
static size_t leastSize(const PlyReader* reader, PlyType type) {
    return reader->header.form == ply_text ? 2 : PlyType_Size(type);
}

static bool takeListCount(PlyReader* reader, const PlyProperty* property, size_t* count) {
    double number;
    if (!takeNumber(reader, property->countType, &number))
        return false;
    size_t most = (bytesLeft(reader) + 1) / leastSize(reader, property->type);
    if (!(number >= 0 && number <= (double)UINT32_MAX && floor(number) == number))
        return failHere(reader, ROW_FORMAT " has a list of %g items", ROW_OF(reader), number);
    if (number > (double)most)
        return failHere(reader, ROW_FORMAT " has a list of %.0f items, but only %zu more bytes are there",
                        ROW_OF(reader), number, bytesLeft(reader));
    *count = (size_t)number;
    return true;
}

static bool skipProperty(PlyReader* reader, const PlyProperty* property) {
    double ignored;
    size_t count = 1;
    if (property->countType != ply_noType && !takeListCount(reader, property, &count))
        return false;
    for (size_t i = 0; i < count; ++i)
        if (!takeNumber(reader, property->type, &ignored))
            return false;
    return true;
}

static void storeCoordinate(MeshData* mesh, size_t place, double coordinate) {
    if (mesh->isDouble)
        ((double*)mesh->positions)[place] = coordinate;
    else
        ((float*)mesh->positions)[place] = (float)coordinate;
}

static bool readVertexRow(PlyReader* reader, const PlyProperty* const axes[3]) {
    const PlyProperty* properties = PlyHeader_Properties(&reader->header, reader->element);
    for (size_t i = 0; i < reader->element->propertyCount; ++i) {
        const PlyProperty* property = &properties[i];
        size_t axis = property == axes[0] ? 0 : property == axes[1] ? 1 : property == axes[2] ? 2 : 3;
        double number;
        if (axis == 3) {
            if (!skipProperty(reader, property))
                return false;
            continue;
        }
        if (!takeNumber(reader, property->type, &number))
            return false;
        if (!isfinite(number))
            return failHere(reader, "%c of " ROW_FORMAT " is not finite", "xyz"[axis], ROW_OF(reader));
        storeCoordinate(&reader->mesh, (size_t)reader->row * 3 + axis, number);
    }
    return true;
}

static bool isRepeated(const PlyReader* reader, const PlyElement* element, const PlyProperty* property,
                       const char* name) {
    const PlyProperty* end = PlyHeader_Properties(&reader->header, element) + element->propertyCount;
    while (++property < end)
        if (PlyWord_Is(property->name, name))
            return true;
    return false;
}

static bool findAxes(PlyReader* reader, const PlyElement* element, const PlyProperty* axes[3]) {
    static const char* const names[3] = {"x", "y", "z"};
    for (int axis = 0; axis < 3; ++axis) {
        axes[axis] = PlyHeader_Find(&reader->header, element, names[axis]);
        if (axes[axis] == NULL || axes[axis]->countType != ply_noType)
            return failAtLine(reader->error, reader->name, element->line, "element vertex has no number called %s",
                              names[axis]);
        if (isRepeated(reader, element, axes[axis], names[axis]))
            return failAtLine(reader->error, reader->name, element->line,
                              "element vertex has two properties called %s", names[axis]);
    }
    return true;
}

static bool readVertices(PlyReader* reader) {
    const PlyProperty* axes[3];
    if (!findAxes(reader, reader->element, axes))
        return false;
    for (reader->row = 0; reader->row < reader->element->count; ++reader->row)
        if (!readVertexRow(reader, axes))
            return false;
    return true;
}

// In strips a negative index, which ends one, becomes UINT32_MAX.
static bool takeCorner(PlyReader* reader, PlyType type, bool isStrip, uint32_t* corner) {
    double number;
    if (!takeNumber(reader, type, &number))
        return false;
    *corner = UINT32_MAX;
    if (isStrip && number == -1)
        return true;
    if (!(number >= 0 && number < (double)reader->mesh.vertexCount && floor(number) == number))
        return failHere(reader, ROW_FORMAT " names vertex %.10g, but there are %zu, counted from 0", ROW_OF(reader),
                        number, reader->mesh.vertexCount);
    *corner = (uint32_t)number;
    return true;
}

static bool readCorners(PlyReader* reader, const PlyProperty* property, bool isStrip) {
    size_t count;
    if (!takeListCount(reader, property, &count))
        return false;
    if (!isStrip && count < 3)
        return failHere(reader, ROW_FORMAT " has %zu corners; it needs 3 or more", ROW_OF(reader), count);
    reader->corners.count = 0;
    if (!grzArray_Reserve(&reader->corners, &reader->allocator, count))
        return noMemory(reader, count, sizeof(uint32_t));
    for (size_t i = 0; i < count; ++i)
        if (!takeCorner(reader, property->type, isStrip, &reader->corners.data[i]))
            return false;
    reader->corners.count = count;
    bool isAppended = isStrip ? appendStrip(&reader->triangles, &reader->corners, &reader->allocator)
                              : appendFan(&reader->triangles, &reader->corners, &reader->allocator);
    return isAppended || noMemory(reader, reader->triangles.count + count * 3, sizeof(uint32_t));
}

static const PlyProperty* findCorners(const PlyReader* reader) {
    const PlyProperty* property = PlyHeader_Find(&reader->header, reader->element, "vertex_indices");
    if (property == NULL)
        property = PlyHeader_Find(&reader->header, reader->element, "vertex_index");
    bool isUsable = property != NULL && property->countType != ply_noType && PlyType_IsInteger(property->type);
    return isUsable ? property : NULL;
}

// Faces, or strips.
static bool readFaces(PlyReader* reader, bool isStrip) {
    const PlyElement* element = reader->element;
    const PlyProperty* properties = PlyHeader_Properties(&reader->header, element);
    const PlyProperty* indices = findCorners(reader);
    if (indices == NULL)
        return failAtLine(reader->error, reader->name, element->line,
                          "element %.*s has no list of integers called vertex_indices",
                          PlyWord_ShownLength(element->name), element->name.text);
    // Each row is a triangle at least, so none of this is wasted; the rows are known to fit into the file.
    size_t expected = reader->triangles.count + (size_t)element->count * 3;
    if (element->count != 0 && !grzArray_Reserve(&reader->triangles, &reader->allocator, expected))
        return noMemory(reader, expected, sizeof(uint32_t));
    for (reader->row = 0; reader->row < element->count; ++reader->row)
        for (size_t i = 0; i < element->propertyCount; ++i)
            if (&properties[i] == indices ? !readCorners(reader, indices, isStrip)
                                          : !skipProperty(reader, &properties[i]))
                return false;
    return true;
}

// The least bytes of a row, and whether no row of a binary body has more.
static size_t leastRowSize(const PlyReader* reader, const PlyElement* element, bool* isFixed) {
    const PlyProperty* properties = PlyHeader_Properties(&reader->header, element);
    size_t size = 0;
    *isFixed = reader->header.form != ply_text;
    for (size_t i = 0; i < element->propertyCount; ++i) {
        bool isList = properties[i].countType != ply_noType;
        size += leastSize(reader, isList ? properties[i].countType : properties[i].type);
        *isFixed = *isFixed && !isList;
    }
    return size;
}

static bool skipRows(PlyReader* reader) {
    const PlyElement* element = reader->element;
    const PlyProperty* properties = PlyHeader_Properties(&reader->header, element);
    bool isFixed;
    size_t rowSize = leastRowSize(reader, element, &isFixed);
    if (isFixed || rowSize == 0) {
        if (rowSize != 0 && element->count > bytesLeft(reader) / rowSize)
            return failAtEnd(reader);
        reader->cursor.at += rowSize * (rowSize != 0 ? (size_t)element->count : 0);
        return true;
    }
    for (reader->row = 0; reader->row < element->count; ++reader->row)
        for (size_t i = 0; i < element->propertyCount; ++i)
            if (!skipProperty(reader, &properties[i]))
                return false;
    return true;
}

static bool readElement(PlyReader* reader) {
    reader->row = 0;
    if (PlyWord_Is(reader->element->name, "vertex"))
        return readVertices(reader);
    if (PlyWord_Is(reader->element->name, "face"))
        return readFaces(reader, false);
    if (PlyWord_Is(reader->element->name, "tristrips"))
        return readFaces(reader, true);
    return skipRows(reader);
}

// Before any memory is asked for: could the body hold what the header promises?
static bool checkCounts(PlyReader* reader) {
    for (size_t i = 0; i < reader->header.elements.count; ++i) {
        const PlyElement* element = &reader->header.elements.data[i];
        bool isFixed;
        size_t rowSize = leastRowSize(reader, element, &isFixed);
        size_t most = rowSize != 0 ? (bytesLeft(reader) + 1) / rowSize : SIZE_MAX;
        if (element->count > most)
            return failAtLine(reader->error, reader->name, element->line,
                              "the header promises %.*s times %.*s, but the %zu bytes behind it hold %zu at most",
                              PlyWord_ShownLength(element->countWord), element->countWord.text,
                              PlyWord_ShownLength(element->name), element->name.text, bytesLeft(reader), most);
    }
    return true;
}

static const PlyElement* findElement(const PlyReader* reader, const char* name) {
    for (size_t i = 0; i < reader->header.elements.count; ++i)
        if (PlyWord_Is(reader->header.elements.data[i].name, name))
            return &reader->header.elements.data[i];
    return NULL;
}

static bool needsDouble(const PlyProperty* const axes[3]) {
    for (int axis = 0; axis < 3; ++axis)
        if (axes[axis]->type == ply_double || axes[axis]->type == ply_int32 || axes[axis]->type == ply_uint32)
            return true;
    return false;
}

static bool createVertices(PlyReader* reader) {
    const PlyElement* vertices = findElement(reader, "vertex");
    const PlyProperty* axes[3];
    if (vertices == NULL)
        return failFile(reader->error, reader->name, "has no element called vertex");
    if (vertices->count == 0)
        return failAtLine(reader->error, reader->name, vertices->line, "holds no vertices");
    if (!findAxes(reader, vertices, axes))
        return false;
    grzResult result =
        MeshData_Create(&reader->mesh, reader->allocator, needsDouble(axes), (size_t)vertices->count, 0);
    return grzResult_IsOk(result) || failResult(reader->error, reader->name, result);
}

static bool readBody(PlyReader* reader) {
    reader->cursor = reader->header.body;
    if (!checkCounts(reader) || !createVertices(reader))
        return false;
    for (size_t i = 0; i < reader->header.elements.count; ++i) {
        reader->element = &reader->header.elements.data[i];
        if (!readElement(reader))
            return false;
    }
    skipSpace(&reader->cursor);
    reader->place = reader->cursor.at;
    if (!TextCursor_IsAtEnd(&reader->cursor))
        return failHere(reader, "%zu bytes follow the last element", bytesLeft(reader));
    grzResult result = MeshData_SetTriangles(&reader->mesh, reader->triangles.data, reader->triangles.count / 3);
    return grzResult_IsOk(result) || failResult(reader->error, reader->name, result);
}

bool readPly(const char* bytes, size_t size, const char* name, grzAllocator allocator, MeshData* out,
             FileError* error) {
    memset(out, 0, sizeof *out);
    if (size == 0)
        return failFile(error, name, "is empty");
    PlyReader reader = {.begin = bytes, .name = name, .error = error};
    reader.allocator = grzAllocator_OrDefault(allocator);
    bool isRead = PlyHeader_Read(&reader.header, bytes, size, name, &reader.allocator, error) && readBody(&reader);
    if (isRead)
        *out = reader.mesh;
    else
        MeshData_Release(&reader.mesh);
    grzArray_Release(&reader.triangles, &reader.allocator);
    grzArray_Release(&reader.corners, &reader.allocator);
    PlyHeader_Release(&reader.header, &reader.allocator);
    return isRead;
}
