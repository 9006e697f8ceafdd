// What: writes PNG and PPM.
// Idea: a row is stored as differences from the row above, so that most bytes are 0; runs of a byte are told by a length, all with
//   the fixed codes of deflate. No table, no search, and a quarter to a tenth of the size.
// Based on: [PNG Specification, W3C 2003], [Deutsch, RFC 1950 and RFC 1951, 1996].
#include "picture_files.h"

#include <stdio.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------------------- sums

typedef struct Bits {
    ByteSink* sink;
    uint32_t crc;       // of the chunk so far
    uint32_t low, high; // Adler's two sums of what is packed
    uint32_t pending, count;
} Bits;

static uint32_t crcOf(uint32_t crc, const uint8_t* bytes, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; ++bit)
            crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320u : 0u);
    }
    return crc;
}

static void putByte(Bits* bits, uint8_t byte) {
    bits->crc = crcOf(bits->crc, &byte, 1);
    ByteSink_Put(bits->sink, &byte, 1);
}

static void putBits(Bits* bits, uint32_t value, uint32_t count) {
    bits->pending |= value << bits->count;
    bits->count += count;
    for (; bits->count >= 8; bits->count -= 8, bits->pending >>= 8)
        putByte(bits, (uint8_t)bits->pending);
}

// Codes stand with their highest bit first.
static void putCode(Bits* bits, uint32_t code, uint32_t count) {
    uint32_t turned = 0;
    for (uint32_t i = 0; i < count; ++i)
        turned |= (code >> i & 1) << (count - 1 - i);
    putBits(bits, turned, count);
}

// A byte, the end (256) or a length (257 on), by the fixed code of RFC 1951, 3.2.6.
static void putSymbol(Bits* bits, uint32_t symbol) {
    if (symbol < 144)
        putCode(bits, 0x30 + symbol, 8);
    else if (symbol < 256)
        putCode(bits, 0x190 + symbol - 144, 9);
    else if (symbol < 280)
        putCode(bits, symbol - 256, 7);
    else
        putCode(bits, 0xC0 + symbol - 280, 8);
}

// The last byte again, `length` times, 3 to 258.
static void putRun(Bits* bits, uint32_t length) {
    static const uint16_t bases[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                     31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint8_t extras[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                     2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    uint32_t k = 28;
    while (bases[k] > length)
        --k;
    putSymbol(bits, 257 + k);
    putBits(bits, length - bases[k], extras[k]);
    putCode(bits, 0, 5); // a distance of 1
}

// ---------------------------------------------------------------------------------------------------------------- PNG

static void beginChunk(Bits* bits, const char* type, size_t size) {
    ByteSink_PutBig(bits->sink, size, 4);
    bits->crc = crcOf(0xFFFFFFFFu, (const uint8_t*)type, 4);
    ByteSink_Put(bits->sink, type, 4);
}

static void endChunk(Bits* bits) {
    ByteSink_PutBig(bits->sink, bits->crc ^ 0xFFFFFFFFu, 4);
}

// A stored byte of the filtered picture: 2 (differences from above) before each row.
static uint8_t filtered(const uint8_t* pixels, size_t rowSize, size_t at) {
    const size_t row = at / (rowSize + 1), column = at % (rowSize + 1);
    if (column == 0)
        return 2;
    const uint8_t above = row > 0 ? pixels[(row - 1) * rowSize + column - 1] : 0;
    return (uint8_t)(pixels[row * rowSize + column - 1] - above);
}

static void pack(Bits* bits, const uint8_t* pixels, size_t rowSize, size_t size) {
    putByte(bits, 0x78);
    putByte(bits, 0x01);
    putBits(bits, 3, 3); // the last block, of fixed codes
    for (size_t at = 0; at < size;) {
        const uint8_t byte = filtered(pixels, rowSize, at);
        size_t run = 0;
        while (at > 0 && run < 258 && at + run < size && filtered(pixels, rowSize, at + run) == byte &&
               filtered(pixels, rowSize, at - 1) == byte)
            ++run;
        if (run >= 3)
            putRun(bits, (uint32_t)run);
        else
            putSymbol(bits, byte);
        const size_t took = run >= 3 ? run : 1;
        for (size_t i = 0; i < took; ++i) {
            bits->low = (bits->low + byte) % 65521;
            bits->high = (bits->high + bits->low) % 65521;
        }
        at += took;
    }
    putSymbol(bits, 256);
    putBits(bits, 0, (8 - bits->count) % 8);
    for (int i = 0; i < 4; ++i)
        putByte(bits, (uint8_t)((i < 2 ? bits->high : bits->low) >> (i % 2 == 0 ? 8 : 0)));
}

void putPng(ByteSink* sink, uint32_t width, uint32_t height, const uint8_t* pixels) {
    static const uint8_t mark[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    const uint8_t form[5] = {8, 2, 0, 0, 0}; // bits, color, deflate, filters, no interlace
    const size_t rowSize = (size_t)width * 3;
    Bits bits = {.sink = sink};
    ByteSink_Put(sink, mark, sizeof mark);
    beginChunk(&bits, "IHDR", 13);
    for (int i = 0; i < 8; ++i)
        putByte(&bits, (uint8_t)((i < 4 ? width : height) >> (24 - 8 * (i % 4))));
    for (int i = 0; i < 5; ++i)
        putByte(&bits, form[i]);
    endChunk(&bits);
    // A chunk begins with its size, so it is packed into memory first.
    ByteSink packed = {.allocator = sink->allocator};
    Bits body = {.sink = &packed, .low = 1};
    pack(&body, pixels, rowSize, (rowSize + 1) * height);
    beginChunk(&bits, "IDAT", packed.bytes.count);
    bits.crc = crcOf(bits.crc, (const uint8_t*)packed.bytes.data, packed.bytes.count);
    ByteSink_Put(sink, packed.bytes.data, packed.bytes.count);
    endChunk(&bits);
    if (!grzResult_IsOk(packed.failure))
        sink->failure = packed.failure;
    ByteSink_Release(&packed);
    beginChunk(&bits, "IEND", 0);
    endChunk(&bits);
}

void putPpm(ByteSink* sink, uint32_t width, uint32_t height, const uint8_t* pixels) {
    char head[64];
    snprintf(head, sizeof head, "P6\n%u %u\n255\n", width, height);
    ByteSink_PutText(sink, head);
    ByteSink_Put(sink, pixels, (size_t)width * 3 * height);
}
