// What: a small decoder of PNG.
// Based on: [PNG Specification, W3C 2003], [Deutsch, RFC 1950 and RFC 1951, 1996]. Blocks of fixed codes only; filters 0 to 2.
#include "png_testing.h"

uint8_t* readWhole(const char* path, size_t* size) {
    FILE* file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("%s is not there", path);
    size_t count = 0, capacity = 1 << 16;
    uint8_t* bytes = malloc(capacity);
    assert_non_null(bytes);
    for (size_t got; (got = fread(bytes + count, 1, capacity - count - 1, file)) != 0;) {
        count += got;
        if (capacity - count < 1 << 15) {
            capacity *= 2;
            bytes = realloc(bytes, capacity);
            assert_non_null(bytes);
        }
    }
    fclose(file);
    bytes[count] = 0;
    *size = count;
    return bytes;
}

static uint32_t bigEndian(const uint8_t* bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

// By polynomial division, bit by bit, as the specification's text has it.
static uint32_t checksum(const uint8_t* bytes, size_t size) {
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < 8 * size; ++i) {
        const uint32_t bit = (crc ^ (uint32_t)(bytes[i / 8] >> (i % 8))) & 1;
        crc = crc >> 1 ^ (bit != 0 ? 0xEDB88320u : 0);
    }
    return ~crc;
}

typedef struct Stream {
    const uint8_t* bytes;
    size_t size, bit;
    uint8_t* out;
    size_t count, capacity;
} Stream;

static uint32_t takeBits(Stream* stream, uint32_t count) {
    uint32_t value = 0;
    for (uint32_t i = 0; i < count; ++i, ++stream->bit) {
        assert_true(stream->bit / 8 < stream->size);
        value |= (uint32_t)(stream->bytes[stream->bit / 8] >> (stream->bit % 8) & 1) << i;
    }
    return value;
}

static uint32_t takeCode(Stream* stream, uint32_t code, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        code = code << 1 | takeBits(stream, 1);
    return code;
}

// RFC 1951, 3.2.6.
static uint32_t takeSymbol(Stream* stream) {
    uint32_t code = takeCode(stream, 0, 7);
    if (code < 0x18)
        return code + 256;
    code = takeCode(stream, code, 1);
    if (code >= 0x30 && code < 0xC0)
        return code - 0x30;
    if (code >= 0xC0 && code < 0xC8)
        return code - 0xC0 + 280;
    return takeCode(stream, code, 1) - 0x190 + 144;
}

// RFC 1951, 3.2.5: groups of four codes, each group with a bit more; the last code is 258.
static uint32_t takeLength(Stream* stream, uint32_t symbol) {
    assert_true(symbol <= 285);
    if (symbol == 285)
        return 258;
    if (symbol < 265)
        return symbol - 254;
    const uint32_t extra = (symbol - 261) / 4;
    return 3 + ((4 + (symbol - 261) % 4) << extra) + takeBits(stream, extra);
}

static uint32_t takeDistance(Stream* stream) {
    const uint32_t code = takeCode(stream, 0, 5);
    assert_true(code < 30);
    const uint32_t extra = code < 4 ? 0 : code / 2 - 1;
    return code < 4 ? code + 1 : 1 + ((2 + code % 2) << extra) + takeBits(stream, extra);
}

static void put(Stream* stream, uint8_t byte) {
    assert_true(stream->count < stream->capacity);
    stream->out[stream->count++] = byte;
}

// The stream must fill what is expected exactly, and end where its bytes do.
static void inflate(Stream* stream) {
    assert_int_equal((stream->bytes[0] * 256 + stream->bytes[1]) % 31, 0);
    assert_int_equal(stream->bytes[0] & 15, 8);
    assert_int_equal(stream->bytes[1] & 32, 0);
    stream->bit = 16;
    assert_int_equal(takeBits(stream, 1), 1);
    assert_int_equal(takeBits(stream, 2), 1);
    for (uint32_t symbol = takeSymbol(stream); symbol != 256; symbol = takeSymbol(stream)) {
        if (symbol < 256) {
            put(stream, (uint8_t)symbol);
            continue;
        }
        const uint32_t length = takeLength(stream, symbol), distance = takeDistance(stream);
        assert_true(distance <= stream->count);
        for (uint32_t i = 0; i < length; ++i)
            put(stream, stream->out[stream->count - distance]);
    }
    assert_int_equal(stream->count, stream->capacity);
    uint32_t low = 1, high = 0;
    for (size_t i = 0; i < stream->count; ++i) {
        low = (low + stream->out[i]) % 65521;
        high = (high + low) % 65521;
    }
    const size_t end = (stream->bit + 7) / 8;
    assert_int_equal(end + 4, stream->size);
    assert_true(bigEndian(stream->bytes + end) == (high << 16 | low));
}

static void unfilter(TestPicture* picture, const uint8_t* rows) {
    const size_t wide = (size_t)picture->width * 3;
    for (size_t y = 0; y < picture->height; ++y) {
        const uint8_t* row = rows + y * (wide + 1);
        assert_true(row[0] <= 2);
        for (size_t x = 0; x < wide; ++x) {
            const uint8_t left = x >= 3 ? picture->pixels[y * wide + x - 3] : 0;
            const uint8_t above = y > 0 ? picture->pixels[(y - 1) * wide + x] : 0;
            picture->pixels[y * wide + x] = (uint8_t)(row[1 + x] + (row[0] == 1 ? left : row[0] == 2 ? above : 0));
        }
    }
}

// Checks a chunk; returns where the next one begins.
static size_t checkChunk(const uint8_t* bytes, size_t size, size_t at) {
    assert_true(at + 12 <= size);
    const size_t length = bigEndian(bytes + at);
    assert_true(length <= size - at - 12);
    assert_true(checksum(bytes + at + 4, length + 4) == bigEndian(bytes + at + 8 + length));
    return at + 12 + length;
}

TestPicture readPng(const char* path) {
    static const uint8_t form[5] = {8, 2, 0, 0, 0};
    size_t size;
    uint8_t* bytes = readWhole(path, &size);
    assert_memory_equal(bytes, "\x89PNG\r\n\x1A\n", 8);
    const size_t data = checkChunk(bytes, size, 8), end = checkChunk(bytes, size, data);
    assert_int_equal(checkChunk(bytes, size, end), size);
    assert_memory_equal(bytes + 8, "\0\0\0\x0DIHDR", 8);
    assert_memory_equal(bytes + 24, form, 5);
    assert_memory_equal(bytes + data + 4, "IDAT", 4);
    assert_memory_equal(bytes + end, "\0\0\0\0IEND", 8);
    TestPicture picture = {bigEndian(bytes + 16), bigEndian(bytes + 20), NULL};
    const size_t packed = ((size_t)picture.width * 3 + 1) * picture.height;
    Stream stream = {.bytes = bytes + data + 8, .size = end - data - 12, .capacity = packed};
    stream.out = malloc(packed);
    picture.pixels = malloc(packed);
    assert_true(stream.out != NULL && picture.pixels != NULL);
    inflate(&stream);
    unfilter(&picture, stream.out);
    free(stream.out);
    free(bytes);
    return picture;
}

TestPicture readPpm(const char* path) {
    size_t size;
    int head = 0;
    uint8_t* bytes = readWhole(path, &size);
    TestPicture picture = {0, 0, NULL};
    assert_int_equal(sscanf((const char*)bytes, "P6\n%u %u\n255%n", &picture.width, &picture.height, &head), 2);
    const size_t pixels = (size_t)picture.width * picture.height * 3;
    assert_int_equal((size_t)head + 1 + pixels, size);
    picture.pixels = malloc(pixels);
    assert_non_null(picture.pixels);
    memcpy(picture.pixels, bytes + head + 1, pixels);
    free(bytes);
    return picture;
}
