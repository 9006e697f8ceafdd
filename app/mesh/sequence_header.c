// What: reads the headers of vertex caches and what depends on them.
#include "sequence_header.h"

#include <math.h>
#include <string.h>

#include "file_error.h"

static const char pc2Mark[12] = "POINTCACHE2";

static uint32_t wordAt(const char* bytes, bool isBig) {
    const unsigned char* b = (const unsigned char*)bytes;
    uint32_t low = isBig ? 3 : 0, high = 3 - low;
    uint32_t inner =
        isBig ? (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 : (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8;
    return (uint32_t)b[high] << 24 | inner | b[low];
}

static float floatAt(const char* bytes, bool isBig) {
    uint32_t word = wordAt(bytes, isBig);
    float number;
    memcpy(&number, &word, sizeof number);
    return number;
}

SequenceForm sequenceFormOf(const char* bytes, size_t size) {
    bool hasMark = size >= sizeof pc2Mark && memcmp(bytes, pc2Mark, sizeof pc2Mark) == 0;
    return hasMark ? sequence_pc2 : sequence_mdd;
}

// A count of the header: a positive int32.
static bool takeCount(const SequenceSource* source, size_t offset, bool isBig, const char* what, size_t* count) {
    int32_t number = (int32_t)wordAt(source->bytes + offset, isBig);
    if (number <= 0)
        return failAtByte(source->error, source->name, offset, "the header promises %d %s", (int)number, what);
    *count = (size_t)number;
    return true;
}

static bool readPc2Header(SequenceHeader* header, const SequenceSource* source) {
    if (sequenceFormOf(source->bytes, source->size) != sequence_pc2)
        return failAtByte(source->error, source->name, 0, "does not begin with 'POINTCACHE2'");
    uint32_t version = wordAt(source->bytes + 12, false);
    if (version != 1)
        return failAtByte(source->error, source->name, 12, "version %u is unknown", version);
    if (!takeCount(source, 16, false, "points", &header->vertexCount) ||
        !takeCount(source, 28, false, "frames", &header->frameCount))
        return false;
    header->start = floatAt(source->bytes + 20, false);
    header->step = floatAt(source->bytes + 24, false);
    header->positionsOffset = 32;
    return true;
}

static bool readMddHeader(SequenceHeader* header, const SequenceSource* source) {
    if (!takeCount(source, 0, true, "frames", &header->frameCount) ||
        !takeCount(source, 4, true, "points", &header->vertexCount))
        return false;
    header->timesOffset = 8;
    header->positionsOffset = 8 + (uint64_t)header->frameCount * 4;
    return true;
}

// Both counts are below 2^31, so a frame has below 2^35 bytes and the product is compared, not formed.
static bool checkSize(const SequenceHeader* header, const SequenceSource* source) {
    uint64_t fileSize = source->fileSize;
    uint64_t body = fileSize > header->positionsOffset ? fileSize - header->positionsOffset : 0;
    uint64_t most = body / header->frameSize;
    if (header->frameCount > most)
        return failAtByte(source->error, source->name, fileSize,
                          "the file ends after %llu of %zu frames of %zu points", (unsigned long long)most,
                          header->frameCount, header->vertexCount);
    uint64_t used = header->frameCount * header->frameSize;
    if (used != body)
        return failAtByte(source->error, source->name, header->positionsOffset + used,
                          "%llu bytes follow the last frame", (unsigned long long)(body - used));
    return true;
}

bool SequenceHeader_Read(SequenceHeader* header, SequenceForm form, const SequenceSource* source) {
    memset(header, 0, sizeof *header);
    header->form = form;
    if (source->size == 0)
        return failFile(source->error, source->name, "is empty");
    if (source->size < (form == sequence_pc2 ? SEQUENCE_HEADER_SIZE : 8))
        return failAtByte(source->error, source->name, source->size, "the file ends within its header");
    bool isRead = form == sequence_pc2 ? readPc2Header(header, source) : readMddHeader(header, source);
    header->frameSize = (uint64_t)header->vertexCount * 12;
    return isRead && checkSize(header, source);
}

void SequenceHeader_Decode(const SequenceHeader* header, const char* bytes, float* numbers, size_t count) {
    bool isBig = header->form == sequence_mdd;
    for (size_t i = 0; i < count; ++i)
        numbers[i] = floatAt(bytes + i * 4, isBig);
}

bool SequenceHeader_Times(const SequenceHeader* header, const char* bytes, float* times, const char* name,
                          FileError* error) {
    if (header->form == sequence_mdd)
        SequenceHeader_Decode(header, bytes, times, header->frameCount);
    for (size_t i = 0; i < header->frameCount; ++i) {
        if (header->form == sequence_pc2)
            times[i] = (float)((double)header->start + (double)i * (double)header->step);
        uint64_t offset = header->form == sequence_pc2 ? 20 : header->timesOffset + i * 4;
        if (!isfinite(times[i]))
            return failAtByte(error, name, offset, "the time of frame %zu is not finite", i);
        if (i != 0 && !(times[i] > times[i - 1]))
            return failAtByte(error, name, offset, "the time of frame %zu is not above that of the frame before",
                              i);
    }
    return true;
}

bool SequenceHeader_CheckFrame(const SequenceHeader* header, size_t frame, const float* positions, const char* name,
                               FileError* error) {
    for (size_t i = 0; i < header->vertexCount * 3; ++i) {
        if (isfinite(positions[i]))
            continue;
        uint64_t offset = header->positionsOffset + frame * header->frameSize + i * 4;
        return failAtByte(error, name, offset, "%c of vertex %zu in frame %zu is not finite", "xyz"[i % 3], i / 3,
                          frame);
    }
    return true;
}
