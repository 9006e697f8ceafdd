// What: draws triangles into samples, nearest first, and averages four samples to a pixel (picture.h).
// Idea: a triangle is cut at the plane a little before the eye, projected, and filled by the signs of its three edges; 1 / z is
//   linear on the screen and so the depth.
#include "picture.h"

#include <math.h>
#include <string.h>

#include "byte_sink.h"
#include "file_extension.h"
#include "memory.h"
#include "picture_files.h"

static const float nearPlane = 0.01f;
static const double slack =
    1e-3; // of a triangle's height: neighbours that are drawn over each other show no cracks

static size_t samplesOf(const Picture* picture) {
    return (size_t)picture->width * picture->height * 4;
}

grzResult Picture_Create(Picture* picture, uint32_t width, uint32_t height, grzAllocator allocator) {
    memset(picture, 0, sizeof *picture);
    picture->allocator = grzAllocator_OrDefault(allocator);
    picture->width = width;
    picture->height = height;
    const size_t samples = samplesOf(picture);
    picture->depths = grzAllocate(&picture->allocator, samples, sizeof(float), 64);
    picture->colors = grzAllocate(&picture->allocator, samples, 3, 64);
    if (picture->depths == NULL || picture->colors == NULL) {
        Picture_Release(picture);
        return grzNoMemory(samples, 7);
    }
    memset(picture->depths, 0, samples * sizeof(float));
    for (size_t i = 0; i < samples; ++i) {
        const size_t row = i / (2 * (size_t)width);
        const uint8_t shade = (uint8_t)(200 + 45 * row / (2 * (size_t)height));
        picture->colors[3 * i] = (uint8_t)(shade - 15);
        picture->colors[3 * i + 1] = (uint8_t)(shade - 5);
        picture->colors[3 * i + 2] = shade;
    }
    return grzOk();
}

void Picture_Release(Picture* picture) {
    const size_t samples = samplesOf(picture);
    grzRelease(&picture->allocator, picture->depths, samples, sizeof(float), 64);
    grzRelease(&picture->allocator, picture->colors, samples, 3, 64);
    memset(picture, 0, sizeof *picture);
}

void Picture_Look(Picture* picture, grzVec3 from, grzVec3 to, float fieldOfView) {
    const grzVec3 up = grzVec3_Make(0.0f, 1.0f, 0.0f);
    picture->eye = from;
    picture->forward = grzNormalize(grzSub(to, from));
    const grzVec3 side = grzCross(picture->forward, up);
    picture->right = grzLengthSq(side) > 0.0f ? grzNormalize(side) : grzVec3_Make(1.0f, 0.0f, 0.0f);
    picture->up = grzCross(picture->right, picture->forward);
    const float half = fieldOfView * 0.00872664626f;
    picture->scale = (float)picture->height * grzCos(half) / grzSin(half);
}

// In doubles: what is cut at the near plane may lie a million samples outside, and depths inside are what is left of differences.
typedef struct Point {
    double x, y, inverse; // on the screen, in samples; 1 / z
} Point;

static double doubleArea(Point a, Point b, Point c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static uint32_t clampToScreen(double value, uint32_t most) {
    return !(value > 0.0) ? 0u : value >= (double)most ? most : (uint32_t)value;
}

static void fill(Picture* picture, Point a, Point b, Point c, const uint8_t color[3]) {
    const double area = doubleArea(a, b, c);
    if (!(fabs(area) > 0.0))
        return;
    const uint32_t wide = 2 * picture->width, high = 2 * picture->height;
    const uint32_t left = clampToScreen(fmin(a.x, fmin(b.x, c.x)), wide);
    const uint32_t right = clampToScreen(fmax(a.x, fmax(b.x, c.x)) + 1.0, wide);
    const uint32_t top = clampToScreen(fmin(a.y, fmin(b.y, c.y)), high);
    const uint32_t bottom = clampToScreen(fmax(a.y, fmax(b.y, c.y)) + 1.0, high);
    for (uint32_t y = top; y < bottom; ++y)
        for (uint32_t x = left; x < right; ++x) {
            const Point at = {(double)x + 0.5, (double)y + 0.5, 0.0};
            const double u = doubleArea(b, c, at) / area, v = doubleArea(c, a, at) / area, w = 1.0 - u - v;
            if (u < -slack || v < -slack || w < -slack)
                continue;
            const size_t sample = (size_t)y * wide + x;
            const float inverse = (float)(u * a.inverse + v * b.inverse + w * c.inverse);
            if (inverse <= picture->depths[sample])
                continue;
            picture->depths[sample] = inverse;
            memcpy(&picture->colors[3 * sample], color, 3);
        }
}

static Point project(const Picture* picture, grzVec3 p) {
    const double inverse = 1.0 / (double)p.z, scale = (double)picture->scale * inverse;
    return (Point){(double)picture->width + (double)p.x * scale, (double)picture->height - (double)p.y * scale,
                   inverse};
}

// What lies before the near plane: up to four corners.
static int clip(const grzVec3 corners[3], grzVec3 kept[4]) {
    int count = 0;
    for (int i = 0; i < 3; ++i) {
        const grzVec3 a = corners[i], b = corners[(i + 1) % 3];
        const bool isA = a.z >= nearPlane, isB = b.z >= nearPlane;
        if (isA)
            kept[count++] = a;
        if (isA != isB)
            kept[count++] = grzLerp(a, b, (nearPlane - a.z) / (b.z - a.z));
    }
    return count;
}

// Light from above and a little from the left of the world; what faces away has a third of it.
static void shade(const grzVec3 corners[3], grzVec3 eye, const float color[3], uint8_t bytes[3]) {
    const grzVec3 light = grzVec3_Make(-0.36f, 0.86f, 0.36f);
    grzVec3 normal = grzCross(grzSub(corners[1], corners[0]), grzSub(corners[2], corners[0]));
    if (grzDot(normal, grzSub(eye, corners[0])) < 0.0f)
        normal = grzNeg(normal);
    const float length = grzLength(normal);
    const float facing = length > 0.0f ? grzDot(normal, light) / length : 0.0f;
    const float bright = 0.35f + 0.3f * (0.5f + 0.5f * facing) + 0.35f * (facing > 0.0f ? facing : 0.0f);
    for (int i = 0; i < 3; ++i)
        bytes[i] = (uint8_t)(255.0f * (bright * color[i] > 1.0f ? 1.0f : bright * color[i]));
}

void Picture_Triangle(Picture* picture, const grzVec3 corners[3], const float color[3]) {
    grzVec3 seen[3], kept[4];
    uint8_t bytes[3];
    for (int i = 0; i < 3; ++i) {
        const grzVec3 d = grzSub(corners[i], picture->eye);
        seen[i] = grzVec3_Make(grzDot(d, picture->right), grzDot(d, picture->up), grzDot(d, picture->forward));
    }
    const int count = clip(seen, kept);
    shade(corners, picture->eye, color, bytes);
    for (int i = 2; i < count; ++i)
        fill(picture, project(picture, kept[0]), project(picture, kept[i - 1]), project(picture, kept[i]), bytes);
}

// ------------------------------------------------------------------------------------------------------------ saving

// The mean of four samples.
static void readRow(const Picture* picture, uint32_t row, uint8_t* bytes) {
    const size_t wide = 2 * (size_t)picture->width;
    const uint8_t* samples = &picture->colors[2 * (size_t)row * wide * 3];
    for (size_t i = 0; i < (size_t)picture->width * 3; ++i) {
        const size_t at = 2 * (i / 3) * 3 + i % 3;
        const unsigned sum =
            (unsigned)samples[at] + samples[at + 3] + samples[at + 3 * wide] + samples[at + 3 * wide + 3];
        bytes[i] = (uint8_t)((sum + 2) / 4);
    }
}

bool pictureIsNamed(const char* path, FileError* error) {
    return hasExtension(path, "png") || hasExtension(path, "ppm") ||
           failFile(error, path, "a picture's name ends in .png or .ppm");
}

bool Picture_Save(const Picture* picture, const char* path, FileError* error) {
    const size_t size = (size_t)picture->width * 3 * picture->height;
    if (!pictureIsNamed(path, error))
        return false;
    uint8_t* pixels = grzAllocate(&picture->allocator, size, 1, 64);
    if (pixels == NULL)
        return failFile(error, path, "there is no memory for the picture");
    for (uint32_t row = 0; row < picture->height; ++row)
        readRow(picture, row, &pixels[(size_t)row * picture->width * 3]);
    ByteSink sink;
    bool isSaved = ByteSink_Open(&sink, path, picture->allocator, error);
    if (isSaved) {
        if (hasExtension(path, "png"))
            putPng(&sink, picture->width, picture->height, pixels);
        else
            putPpm(&sink, picture->width, picture->height, pixels);
        isSaved = ByteSink_Commit(&sink, error);
        ByteSink_Release(&sink);
    }
    grzRelease(&picture->allocator, pixels, size, 1, 64);
    return isSaved;
}
