// What: the generated meshes of shapes.h.
//
// Idea: each shape has a resolution, a whole number; a table says how many triangles and vertices a resolution
// makes and who fills them in. Vertices that faces share are numbered once by place (corner, edge, inside), not
// merged afterwards, so that a closed shape is closed by construction.
//
// Holds: only sums, products, quotients and square roots, and graze's own sine and cosine: the bytes
// agree everywhere.
#include "shapes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "graze/linmath.h"
#include "result_make.h"

#define MOST_TRIANGLES ((size_t)1 << 30)

typedef struct Writer {
    float* positions;
    uint32_t* indices;
} Writer;

typedef struct Shape {
    const char* name;
    size_t least; // resolution
    size_t (*triangles)(size_t resolution);
    size_t (*vertices)(size_t resolution);
    void (*fill)(size_t resolution, Writer writer);
} Shape;

static void putVertex(Writer* writer, float x, float y, float z) {
    writer->positions[0] = x;
    writer->positions[1] = y;
    writer->positions[2] = z;
    writer->positions += 3;
}

static void putTriangle(Writer* writer, size_t a, size_t b, size_t c) {
    writer->indices[0] = (uint32_t)a;
    writer->indices[1] = (uint32_t)b;
    writer->indices[2] = (uint32_t)c;
    writer->indices += 3;
}

// The square a b / c d, counterclockwise a b d c, cut along b c or along a d.
static void putSquare(Writer* writer, const size_t corners[4], bool otherDiagonal) {
    size_t a = corners[0], b = corners[1], c = corners[2], d = corners[3];
    putTriangle(writer, a, b, otherDiagonal ? d : c);
    putTriangle(writer, d, c, otherDiagonal ? a : b);
}

// Spread over [-1, 1], symmetric to the bit.
static float along(size_t i, size_t count) {
    return (float)((double)(2 * (int64_t)i - (int64_t)count) / (double)count);
}

// ---- sheets ----

static void putSheetTriangles(size_t columns, size_t rows, Writer* writer) {
    for (size_t row = 0; row < rows; ++row) {
        for (size_t column = 0; column < columns; ++column) {
            size_t a = row * (columns + 1) + column, c = a + columns + 1;
            // Seen from above, x to the right and z towards us: the far row is `a`.
            const size_t corners[4] = {c, c + 1, a, a + 1};
            putSquare(writer, corners, (row + column) % 2 != 0);
        }
    }
}

static void fillSheet(size_t columns, size_t rows, float halfWidth, float halfDepth, Writer writer) {
    for (size_t row = 0; row <= rows; ++row)
        for (size_t column = 0; column <= columns; ++column)
            putVertex(&writer, along(column, columns) * halfWidth, 0, along(row, rows) * halfDepth);
    putSheetTriangles(columns, rows, &writer);
}

// Resolution r has r / 2 rows, so that odd ones lie between the squares.
static size_t gridTriangles(size_t r) {
    return 2 * (r / 2) * (r - r / 2);
}

static size_t gridVertices(size_t r) {
    return (r / 2 + 1) * (r - r / 2 + 1);
}

static void fillGrid(size_t r, Writer writer) {
    fillSheet(r - r / 2, r / 2, 1, 1, writer);
}

// ---- heap ----

// The fold's course in the plane of x and y: straight layers joined by half circles.
#define HEAP_LAYERS 8
#define HEAP_GAP    0.05f
#define HEAP_REACH  0.9f
#define HEAP_PI     3.14159274f

static void heapPoint(float s, float* x, float* y) {
    const float straight = 2 * HEAP_REACH, turn = HEAP_PI * HEAP_GAP / 2;
    size_t layer = 0;
    while (layer + 1 < HEAP_LAYERS && s > straight + turn) {
        s -= straight + turn;
        ++layer;
    }
    float side = layer % 2 == 0 ? 1.0f : -1.0f;
    float height = ((float)layer - (float)(HEAP_LAYERS - 1) / 2) * HEAP_GAP;
    if (s <= straight || layer + 1 == HEAP_LAYERS) {
        *x = side * ((s < straight ? s : straight) - HEAP_REACH);
        *y = height;
        return;
    }
    float sine, cosine;
    grzSinCos((s - straight) / (HEAP_GAP / 2), &sine, &cosine);
    *x = side * (HEAP_REACH + HEAP_GAP / 2 * sine);
    *y = height + HEAP_GAP / 2 * (1 - cosine);
}

// Eight times as many squares along the fold as across, which makes them nearly square.
static size_t heapTriangles(size_t r) {
    return 16 * r * r;
}

static size_t heapVertices(size_t r) {
    return (8 * r + 1) * (r + 1);
}

static void fillHeap(size_t r, Writer writer) {
    const float length = HEAP_LAYERS * 2 * HEAP_REACH + (HEAP_LAYERS - 1) * HEAP_PI * HEAP_GAP / 2;
    for (size_t row = 0; row <= r; ++row) {
        for (size_t column = 0; column <= 8 * r; ++column) {
            float x, y;
            heapPoint(length * (float)column / (float)(8 * r), &x, &y);
            putVertex(&writer, x, y, along(row, r));
        }
    }
    putSheetTriangles(8 * r, r, &writer);
}

// ---- sphere ----

// Corners on the three golden rectangles; faces counterclockwise from outside.
static const int8_t icosaCorners[12][3] = {{-1, 2, 0}, {1, 2, 0}, {-1, -2, 0}, {1, -2, 0},
                                           {0, -1, 2}, {0, 1, 2}, {0, -1, -2}, {0, 1, -2},
                                           {2, 0, -1}, {2, 0, 1}, {-2, 0, -1}, {-2, 0, 1}};
static const uint8_t icosaFaces[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                          {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                          {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                          {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
#define GOLDEN_RATIO 1.6180339887498949

// The i-th coordinate of a corner: 1 or the golden ratio (written 2 in the table).
static double icosaCoordinate(size_t corner, size_t axis) {
    int number = icosaCorners[corner][axis];
    return number == 2 ? GOLDEN_RATIO : number == -2 ? -GOLDEN_RATIO : number;
}

typedef struct IcosaEdges {
    uint8_t ends[30][2];    // first the smaller corner
    uint8_t number[12][12]; // of the edge between two corners, in either order
} IcosaEdges;

static IcosaEdges findIcosaEdges(void) {
    IcosaEdges edges = {0};
    uint8_t count = 0;
    for (size_t f = 0; f < 20; ++f) {
        for (size_t k = 0; k < 3; ++k) {
            uint8_t a = icosaFaces[f][k], b = icosaFaces[f][(k + 1) % 3];
            if (a > b) // met in the other direction from the other face
                continue;
            edges.ends[count][0] = a;
            edges.ends[count][1] = b;
            edges.number[a][b] = edges.number[b][a] = count++;
        }
    }
    return edges;
}

static void putSpherePoint(Writer* writer, const uint8_t corners[3], const size_t weights[3]) {
    double p[3];
    for (size_t axis = 0; axis < 3; ++axis) {
        p[axis] = 0;
        for (size_t k = 0; k < 3; ++k)
            p[axis] += (double)weights[k] * icosaCoordinate(corners[k], axis);
    }
    double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    putVertex(writer, (float)(p[0] / length), (float)(p[1] / length), (float)(p[2] / length));
}

// The vertex of a face at the weights (r - i - j, i, j) of its corners.
static size_t spherePointIndex(const IcosaEdges* edges, size_t r, size_t face, size_t i, size_t j) {
    const uint8_t* corners = icosaFaces[face];
    const size_t weights[3] = {r - i - j, i, j};
    for (size_t k = 0; k < 3; ++k)
        if (weights[k] == r)
            return corners[k];
    for (size_t k = 0; k < 3; ++k) {
        if (weights[(k + 2) % 3] != 0)
            continue;
        size_t a = corners[k], b = corners[(k + 1) % 3];
        size_t step = a < b ? weights[(k + 1) % 3] : weights[k];
        return 12 + edges->number[a][b] * (r - 1) + step - 1;
    }
    // Rows of equal j, from 1; row j holds r - 1 - j points.
    size_t before = (j - 1) * (r - 1) - (j - 1) * j / 2;
    return 12 + 30 * (r - 1) + face * ((r - 1) * (r - 2) / 2) + before + i - 1;
}

static size_t sphereTriangles(size_t r) {
    return 20 * r * r;
}

static size_t sphereVertices(size_t r) {
    return 10 * r * r + 2;
}

static void putSphereVertices(const IcosaEdges* edges, size_t r, Writer* writer) {
    for (uint8_t corner = 0; corner < 12; ++corner)
        putSpherePoint(writer, (const uint8_t[3]){corner, corner, corner}, (const size_t[3]){1, 0, 0});
    for (size_t e = 0; e < 30; ++e)
        for (size_t step = 1; step < r; ++step)
            putSpherePoint(writer, (const uint8_t[3]){edges->ends[e][0], edges->ends[e][1], 0},
                           (const size_t[3]){r - step, step, 0});
    for (size_t face = 0; face < 20; ++face)
        for (size_t j = 1; j < r; ++j)
            for (size_t i = 1; i + j < r; ++i)
                putSpherePoint(writer, icosaFaces[face], (const size_t[3]){r - i - j, i, j});
}

static void fillSphere(size_t r, Writer writer) {
    const IcosaEdges edges = findIcosaEdges();
    putSphereVertices(&edges, r, &writer);
    for (size_t face = 0; face < 20; ++face) {
        for (size_t j = 0; j < r; ++j) {
            for (size_t i = 0; i + j < r; ++i) {
                size_t a = spherePointIndex(&edges, r, face, i, j);
                size_t b = spherePointIndex(&edges, r, face, i + 1, j);
                size_t c = spherePointIndex(&edges, r, face, i, j + 1);
                putTriangle(&writer, a, b, c);
                if (i + j + 1 < r)
                    putTriangle(&writer, b, spherePointIndex(&edges, r, face, i + 1, j + 1), c);
            }
        }
    }
}

// ---- torus ----

#define TORUS_MAJOR 0.7f
#define TORUS_MINOR 0.3f

static size_t torusTriangles(size_t r) {
    return 4 * r * r;
}

static size_t torusVertices(size_t r) {
    return 2 * r * r;
}

static void turnSinCos(size_t i, size_t count, float* sine, float* cosine) {
    grzSinCos((float)(6.283185307179586 * (double)i / (double)count), sine, cosine);
}

static void fillTorus(size_t r, Writer writer) {
    for (size_t i = 0; i < 2 * r; ++i) {
        float majorSine, majorCosine, sine, cosine;
        turnSinCos(i, 2 * r, &majorSine, &majorCosine);
        for (size_t j = 0; j < r; ++j) {
            turnSinCos(j, r, &sine, &cosine);
            float radius = TORUS_MAJOR + TORUS_MINOR * cosine;
            putVertex(&writer, radius * majorCosine, TORUS_MINOR * sine, radius * majorSine);
        }
    }
    for (size_t i = 0; i < 2 * r; ++i) {
        for (size_t j = 0; j < r; ++j) {
            size_t nextI = (i + 1) % (2 * r) * r, nextJ = (j + 1) % r;
            const size_t corners[4] = {i * r + j, i * r + nextJ, nextI + j, nextI + nextJ};
            putSquare(&writer, corners, false);
        }
    }
}

// ---- box ----

static size_t boxTriangles(size_t r) {
    return 12 * r * r;
}

static size_t boxVertices(size_t r) {
    return 6 * r * r + 2;
}

// Lattice points on the surface are numbered by layers of z: a full one, rings, a full one.
static size_t boxPointIndex(size_t r, size_t x, size_t y, size_t z) {
    size_t full = (r + 1) * (r + 1);
    if (z == 0)
        return y * (r + 1) + x;
    if (z == r)
        return full + (r - 1) * 4 * r + y * (r + 1) + x;
    size_t ring = full + (z - 1) * 4 * r;
    if (y == 0)
        return ring + x;
    if (x == r)
        return ring + r + y;
    if (y == r)
        return ring + 3 * r - x;
    return ring + 4 * r - y;
}

// A face of the cube: the axis it is across, and its side.
static void putBoxFace(size_t r, size_t axis, bool upper, Writer* writer) {
    size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (size_t j = 0; j < r; ++j) {
        for (size_t i = 0; i < r; ++i) {
            size_t corners[4];
            for (size_t k = 0; k < 4; ++k) {
                size_t point[3];
                point[axis] = upper ? r : 0;
                // Turning the face over swaps u and v.
                point[upper ? u : v] = i + k % 2;
                point[upper ? v : u] = j + k / 2;
                corners[k] = boxPointIndex(r, point[0], point[1], point[2]);
            }
            putSquare(writer, corners, (i + j) % 2 != 0);
        }
    }
}

static void fillBox(size_t r, Writer writer) {
    float* positions = writer.positions;
    for (size_t z = 0; z <= r; ++z) {
        for (size_t y = 0; y <= r; ++y) {
            // Inside the cube only the two ends of a row are on the surface.
            size_t step = z == 0 || z == r || y == 0 || y == r ? 1 : r;
            for (size_t x = 0; x <= r; x += step) {
                Writer at = {positions + 3 * boxPointIndex(r, x, y, z), NULL};
                putVertex(&at, along(x, r), along(y, r), along(z, r));
            }
        }
    }
    for (size_t axis = 0; axis < 3; ++axis) {
        putBoxFace(r, axis, false, &writer);
        putBoxFace(r, axis, true, &writer);
    }
}

// ---- all ----

static const Shape shapes[SHAPE_KIND_COUNT] = {
    [shapeGrid] = {"grid", 2, gridTriangles, gridVertices, fillGrid},
    [shapeSphere] = {"sphere", 1, sphereTriangles, sphereVertices, fillSphere},
    [shapeTorus] = {"torus", 3, torusTriangles, torusVertices, fillTorus},
    [shapeBox] = {"box", 1, boxTriangles, boxVertices, fillBox},
    [shapeHeap] = {"heap", 1, heapTriangles, heapVertices, fillHeap},
};

const char* shapeName(ShapeKind kind) {
    return shapes[kind].name;
}

bool shapeFromName(const char* name, ShapeKind* kind) {
    for (size_t i = 0; i < SHAPE_KIND_COUNT; ++i) {
        if (strcmp(shapes[i].name, name) == 0) {
            *kind = (ShapeKind)i;
            return true;
        }
    }
    return false;
}

const char* noShapeText(const char* name, char text[NO_SHAPE_CAPACITY]) {
    int used = snprintf(text, NO_SHAPE_CAPACITY, "there is no shape '%.60s'; the shapes are", name);
    for (int kind = 0; kind < SHAPE_KIND_COUNT; ++kind)
        used += snprintf(text + used, NO_SHAPE_CAPACITY - (size_t)used, " %s", shapeName((ShapeKind)kind));
    return text;
}

// The resolution whose count is nearest. Counts grow with the resolution. wanted <= MOST_TRIANGLES, so that the
// search ends far from any overflow.
static size_t nearestResolution(const Shape* shape, size_t wanted) {
    size_t below = shape->least, above = below + 1;
    if (shape->triangles(below) >= wanted)
        return below;
    while (shape->triangles(above) < wanted)
        above *= 2;
    while (above - below > 1) {
        size_t middle = below + (above - below) / 2;
        *(shape->triangles(middle) < wanted ? &below : &above) = middle;
    }
    return wanted - shape->triangles(below) <= shape->triangles(above) - wanted ? below : above;
}

size_t shapeTriangleCount(ShapeKind kind, size_t wanted) {
    size_t most = wanted < MOST_TRIANGLES ? wanted : MOST_TRIANGLES;
    return shapes[kind].triangles(nearestResolution(&shapes[kind], most));
}

grzResult makeShape(ShapeKind kind, size_t wanted, grzAllocator allocator, MeshData* data) {
    memset(data, 0, sizeof *data);
    if (wanted > MOST_TRIANGLES)
        return grzFail(grz_tooLarge, wanted);
    const Shape* shape = &shapes[kind];
    size_t resolution = nearestResolution(shape, wanted);
    grzResult result =
        MeshData_Create(data, allocator, false, shape->vertices(resolution), shape->triangles(resolution));
    if (grzResult_IsOk(result))
        shape->fill(resolution, (Writer){data->positions, data->indices});
    return result;
}

grzResult makeGrid(size_t columns, size_t rows, float width, float depth, grzAllocator allocator, MeshData* data) {
    memset(data, 0, sizeof *data);
    if (columns == 0)
        return grzFail(grz_badArgument, 1);
    if (rows == 0)
        return grzFail(grz_badArgument, 2);
    if (columns > MOST_TRIANGLES / 2 / rows)
        return grzFail(grz_tooLarge, columns);
    grzResult result = MeshData_Create(data, allocator, false, (columns + 1) * (rows + 1), 2 * columns * rows);
    if (grzResult_IsOk(result))
        fillSheet(columns, rows, width / 2, depth / 2, (Writer){data->positions, data->indices});
    return result;
}
