// What: a sheet that falls on a solid, as keyframes.
//
// Idea: position-based dynamics with many small steps of one iteration each, over a square grid whose
// constraints need no list: every vertex is tied to its right and lower neighbour, along both diagonals, and
// softly to the next but one. Large sheets are simulated coarsely and interpolated by Catmull-Rom cubics, then
// waved and pushed out again.
//
// Cost: 31 frames of 16 k triangles some 0.8 s, of 600 k some 1.6 s.
// Limits: no collision of the sheet with itself.
//
// Based on: [Macklin, Storey, Lu, Terdiman, Chentanez, Jeschke, Mueller: Small Steps in Physics
// Simulation, SCA 2019].
#include "sequence_parts.h"

#include <math.h>
#include <string.h>

#include "memory.h"
#include "result_make.h"
#include "shapes.h"

#define COARSE_SQUARES  ((size_t)96) // the most along an edge that are simulated
#define STEPS_PER_FRAME 40
#define GRAVITY         9.81f
#define START_HEIGHT    0.15f
#define FRICTION        0.4f
#define DAMPING         0.9995f // of the velocity, a step
#define BEND_COMPLIANCE 2e-5f   // of the ties to the next but one; the others are rigid

typedef struct Cloth {
    SequenceKind kind;
    size_t columns, rows; // squares
    size_t count;         // vertices
    grzVec3* position;
    grzVec3* before; // at the start of the step
    grzVec3* velocity;
} Cloth;

static void Cloth_Release(Cloth* cloth, const grzAllocator* allocator) {
    grzRelease(allocator, cloth->position, 3 * cloth->count, sizeof(grzVec3), sizeof(grzVec3));
}

// A flat sheet with a slight waving velocity, without which all would stay symmetric.
static bool Cloth_Create(Cloth* cloth, SequenceKind kind, size_t columns, size_t rows,
                         const grzAllocator* allocator) {
    *cloth = (Cloth){.kind = kind, .columns = columns, .rows = rows, .count = (columns + 1) * (rows + 1)};
    cloth->position = grzAllocate(allocator, 3 * cloth->count, sizeof(grzVec3), sizeof(grzVec3));
    if (cloth->position == NULL)
        return false;
    cloth->before = cloth->position + cloth->count;
    cloth->velocity = cloth->before + cloth->count;
    for (size_t row = 0; row <= rows; ++row) {
        for (size_t column = 0; column <= columns; ++column) {
            size_t i = row * (columns + 1) + column;
            float x = 2 * (float)column / (float)columns - 1, z = 2 * (float)row / (float)rows - 1;
            cloth->position[i] = grzVec3_Make(x, START_HEIGHT, z);
            cloth->velocity[i] = grzVec3_Make(0, 0.15f * grzSin(7 * x + 3 * z) * grzSin(2 * x - 5 * z + 1), 0);
        }
    }
    return true;
}

static void tie(grzVec3* a, grzVec3* b, float rest, float softness) {
    grzVec3 between = grzSub(*a, *b);
    float length = grzLength(between);
    if (length == 0)
        return;
    float share = (length - rest) / (length * (2 + softness));
    *a = grzSubScaled(*a, share, between);
    *b = grzAddScaled(*b, share, between);
}

// Ties every vertex to the one `right` and `down` of it, where that exists.
static void tieAll(Cloth* cloth, size_t right, size_t down, float softness) {
    float x = 2 * (float)right / (float)cloth->columns, z = 2 * (float)down / (float)cloth->rows;
    float rest = sqrtf(x * x + z * z);
    size_t stride = cloth->columns + 1;
    for (size_t row = 0; row + down <= cloth->rows; ++row) {
        for (size_t column = 0; column + right <= cloth->columns; ++column) {
            grzVec3* corner = &cloth->position[row * stride + column];
            tie(corner, corner + down * stride + right, rest, softness);
            if (right != 0 && down != 0)
                tie(corner + right, corner + down * stride, rest, softness);
        }
    }
}

// Pushes out and takes from the sliding what friction allows for such a push.
static void collide(Cloth* cloth) {
    for (size_t i = 0; i < cloth->count; ++i) {
        grzVec3 normal;
        float pushed = pushOut(cloth->kind, &cloth->position[i], &normal);
        if (pushed == 0)
            continue;
        grzVec3 moved = grzSub(cloth->position[i], cloth->before[i]);
        grzVec3 slid = grzSubScaled(moved, grzDot(moved, normal), normal);
        float length = grzLength(slid), most = FRICTION * pushed;
        cloth->position[i] = grzSubScaled(cloth->position[i], length > most ? most / length : 1.0f, slid);
    }
}

static void step(Cloth* cloth, float time) {
    for (size_t i = 0; i < cloth->count; ++i) {
        cloth->velocity[i].y -= GRAVITY * time;
        cloth->before[i] = cloth->position[i];
        cloth->position[i] = grzAddScaled(cloth->position[i], time, cloth->velocity[i]);
    }
    tieAll(cloth, 2, 0, BEND_COMPLIANCE / (time * time));
    tieAll(cloth, 0, 2, BEND_COMPLIANCE / (time * time));
    tieAll(cloth, 1, 1, 0);
    tieAll(cloth, 1, 0, 0);
    tieAll(cloth, 0, 1, 0);
    collide(cloth);
    for (size_t i = 0; i < cloth->count; ++i)
        cloth->velocity[i] = grzScale(grzSub(cloth->position[i], cloth->before[i]), DAMPING / time);
}

// Friction moves along the tangent and may dip below the margin again on a round solid, so a frame is pushed out as
// it is written.
static void writePoint(SequenceKind kind, grzVec3 p, float* three) {
    grzVec3 normal;
    pushOut(kind, &p, &normal);
    grzVec3_Store(three, p);
}

// The vertex beyond the border lies on the line through the two at the border.
static grzVec3 clothPoint(const Cloth* cloth, ptrdiff_t column, ptrdiff_t row) {
    ptrdiff_t columns = (ptrdiff_t)cloth->columns, rows = (ptrdiff_t)cloth->rows;
    if (row < 0 || row > rows) {
        ptrdiff_t border = row < 0 ? 0 : rows, inner = row < 0 ? 1 : rows - 1;
        grzVec3 a = clothPoint(cloth, column, border);
        return grzSub(grzAdd(a, a), clothPoint(cloth, column, inner));
    }
    if (column < 0 || column > columns) {
        ptrdiff_t border = column < 0 ? 0 : columns, inner = column < 0 ? 1 : columns - 1;
        grzVec3 a = clothPoint(cloth, border, row);
        return grzSub(grzAdd(a, a), clothPoint(cloth, inner, row));
    }
    return cloth->position[row * (columns + 1) + column];
}

typedef struct CubicSpot {
    ptrdiff_t first; // of four vertices in a row
    float weight[4];
} CubicSpot;

// The spot at i / count of a row of `squares` squares.
static CubicSpot findCubicSpot(size_t i, size_t count, size_t squares) {
    size_t cell = i * squares / count;
    if (cell == squares)
        --cell;
    float t = (float)(i * squares - cell * count) / (float)count;
    float s = 1 - t;
    CubicSpot spot = {
        (ptrdiff_t)cell - 1,
        {-0.5f * t * s * s, 1 + t * t * (1.5f * t - 2.5f), 1 + s * s * (1.5f * s - 2.5f), -0.5f * s * t * t}};
    return spot;
}

static grzVec3 interpolate(const Cloth* cloth, const CubicSpot* across, const CubicSpot* down) {
    grzVec3 sum = grzVec3_Zero();
    for (ptrdiff_t j = 0; j < 4; ++j) {
        grzVec3 row = grzVec3_Zero();
        for (ptrdiff_t i = 0; i < 4; ++i)
            row = grzAddScaled(row, across->weight[i], clothPoint(cloth, across->first + i, down->first + j));
        sum = grzAddScaled(sum, down->weight[j], row);
    }
    return sum;
}

// Small waves that run across the sheet, about four squares of the coarse one long and a tenth of one high.
static float wave(size_t i, size_t count, size_t frame) {
    return grzSin(150 * (float)i / (float)count + 0.3f * (float)frame);
}

static void writeFine(const Cloth* cloth, size_t columns, size_t rows, size_t frame, float* positions) {
    const float height = 0.2f / (float)COARSE_SQUARES;
    for (size_t row = 0; row <= rows; ++row) {
        CubicSpot down = findCubicSpot(row, rows, cloth->rows);
        float rowWave = height * wave(row, rows, 2 * frame);
        for (size_t column = 0; column <= columns; ++column) {
            CubicSpot across = findCubicSpot(column, columns, cloth->columns);
            grzVec3 p = interpolate(cloth, &across, &down);
            p.y += rowWave * wave(column, columns, frame);
            writePoint(cloth->kind, p, positions);
            positions += 3;
        }
    }
}

static void writeFrame(const Cloth* cloth, size_t columns, size_t rows, size_t frame, float* positions) {
    if (columns != cloth->columns || rows != cloth->rows) {
        writeFine(cloth, columns, rows, frame, positions);
        return;
    }
    for (size_t i = 0; i < cloth->count; ++i)
        writePoint(cloth->kind, cloth->position[i], positions + 3 * i);
}

static size_t atMost(size_t number, size_t most) {
    return number < most ? number : most;
}

static grzResult simulate(const SequenceDef* def, size_t columns, size_t rows, const grzAllocator* allocator,
                          SequenceData* sequence) {
    Cloth cloth;
    if (!Cloth_Create(&cloth, def->kind, atMost(columns, COARSE_SQUARES), atMost(rows, COARSE_SQUARES), allocator))
        return grzNoMemory(3 * cloth.count, sizeof(grzVec3));
    for (size_t frame = 0; frame < def->frames; ++frame) {
        for (int i = 0; frame != 0 && i < STEPS_PER_FRAME; ++i)
            step(&cloth, SEQUENCE_FRAME_TIME / STEPS_PER_FRAME);
        writeFrame(&cloth, columns, rows, frame, sequence->positions + frame * 3 * sequence->vertexCount);
    }
    Cloth_Release(&cloth, allocator);
    return grzOk();
}

grzResult makeClothSequence(const SequenceDef* def, grzAllocator allocator, MeshData* mesh,
                            SequenceData* sequence) {
    grzResult result = makeShape(shapeGrid, def->triangles, allocator, mesh);
    if (!grzResult_IsOk(result))
        return result;
    // The grid has as many columns as rows, or one more.
    size_t squares = mesh->triangleCount / 2, rows = (size_t)sqrt((double)squares);
    result = SequenceData_Create(sequence, allocator, mesh->vertexCount, def->frames);
    if (grzResult_IsOk(result))
        result = simulate(def, squares / rows, rows, &mesh->allocator, sequence);
    return result;
}
