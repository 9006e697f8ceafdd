// Generated meshes: the shapes that `graze make` writes and the benches and tests run on.
//
// All are float meshes around the origin inside [-1, 1] on each axis, y up, with triangles counterclockwise seen
// from outside (a sheet: from above). The closed ones (sphere, torus, box) have each edge in exactly two triangles,
// in opposite directions. The same call gives the same bytes on every machine.
//
//   grid    a flat square sheet in y = 0, diagonals alternating
//   sphere  an icosahedron with its faces cut evenly and pushed out to radius 1
//   torus   around y, of radii 0.7 and 0.3, twice as many segments around as across
//   box     the cube [-1, 1]^3, its faces cut into squares
//   heap    a sheet folded back and forth in layers that lie closely on each other without touching
#ifndef GRAZE_APP_SHAPES_H
#define GRAZE_APP_SHAPES_H

#include "mesh_data.h"

typedef enum ShapeKind {
    shapeGrid,
    shapeSphere,
    shapeTorus,
    shapeBox,
    shapeHeap,
} ShapeKind;

#define SHAPE_KIND_COUNT 5

const char* shapeName(ShapeKind kind);

// False where no shape has that name.
bool shapeFromName(const char* name, ShapeKind* kind);

// What to say then: a sentence with the names that there are. Returns text.
#define NO_SHAPE_CAPACITY 256
const char* noShapeText(const char* name, char text[NO_SHAPE_CAPACITY]);

// The number of triangles nearest to `wanted` that the shape can have; of two equally near, the smaller.
size_t shapeTriangleCount(ShapeKind kind, size_t wanted);

// Makes the shape with shapeTriangleCount(kind, wanted) triangles. grz_tooLarge above 2^30 triangles;
// grz_outOfMemory. On failure *data is empty.
grzResult makeShape(ShapeKind kind, size_t wanted, grzAllocator allocator, MeshData* data);

// A sheet of columns * rows squares in y = 0 from -width/2 to width/2 along x and -depth/2 to depth/2 along z;
// vertex (column, row) is number row * (columns + 1) + column.
grzResult makeGrid(size_t columns, size_t rows, float width, float depth, grzAllocator allocator, MeshData* data);

#endif
