// What: sequences as PC2 and MDD.
#include <math.h>
#include <string.h>

#include "file_error.h"
#include "mesh_write.h"

static uint32_t bitsOf(float number) {
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

// Between the first two times, so that the second reads back as itself; 1 where there is only one.
static float stepOf(const SequenceData* sequence) {
    return sequence->frameCount > 1 ? sequence->times[1] - sequence->times[0] : 1.0F;
}

void putPc2(ByteSink* sink, const SequenceData* sequence) {
    ByteSink_Put(sink, "POINTCACHE2", 12); // with its closing 0
    ByteSink_PutLittle(sink, 1, 4);
    ByteSink_PutLittle(sink, sequence->vertexCount, 4);
    ByteSink_PutLittle(sink, bitsOf(sequence->times[0]), 4);
    ByteSink_PutLittle(sink, bitsOf(stepOf(sequence)), 4);
    ByteSink_PutLittle(sink, sequence->frameCount, 4);
    for (size_t i = 0; i < sequence->frameCount * sequence->vertexCount * 3; ++i)
        ByteSink_PutLittle(sink, bitsOf(sequence->positions[i]), 4);
}

void putMdd(ByteSink* sink, const SequenceData* sequence) {
    ByteSink_PutBig(sink, sequence->frameCount, 4);
    ByteSink_PutBig(sink, sequence->vertexCount, 4);
    for (size_t i = 0; i < sequence->frameCount; ++i)
        ByteSink_PutBig(sink, bitsOf(sequence->times[i]), 4);
    for (size_t i = 0; i < sequence->frameCount * sequence->vertexCount * 3; ++i)
        ByteSink_PutBig(sink, bitsOf(sequence->positions[i]), 4);
}

static bool checkContent(const char* path, const SequenceData* sequence, FileError* error) {
    if (sequence->frameCount == 0 || sequence->vertexCount == 0)
        return failFile(error, path, "cannot be written: the sequence is empty");
    if (sequence->frameCount > INT32_MAX || sequence->vertexCount > INT32_MAX)
        return failFile(error, path, "cannot be written: %zu frames of %zu points are more than the format counts",
                        sequence->frameCount, sequence->vertexCount);
    size_t numbersPerFrame = sequence->vertexCount * 3;
    for (size_t i = 0; i < sequence->frameCount * numbersPerFrame; ++i)
        if (!isfinite(sequence->positions[i]))
            return failFile(error, path, "cannot be written: vertex %zu in frame %zu is not finite",
                            i % numbersPerFrame / 3, i / numbersPerFrame);
    return true;
}

// The reader's formula must give every time back.
static bool checkTimes(const char* path, const SequenceData* sequence, FileError* error) {
    for (size_t i = 0; i < sequence->frameCount; ++i)
        if ((float)((double)sequence->times[0] + (double)i * (double)stepOf(sequence)) != sequence->times[i])
            return failFile(error, path, "cannot be written: PC2 needs even times, and that of frame %zu is not",
                            i);
    return true;
}

bool writePc2(const char* path, const SequenceData* sequence, FileError* error) {
    ByteSink sink;
    if (!checkContent(path, sequence, error) || !checkTimes(path, sequence, error) ||
        !ByteSink_Open(&sink, path, sequence->allocator, error))
        return false;
    putPc2(&sink, sequence);
    bool isWritten = ByteSink_Commit(&sink, error);
    ByteSink_Release(&sink);
    return isWritten;
}

bool writeMdd(const char* path, const SequenceData* sequence, FileError* error) {
    ByteSink sink;
    if (!checkContent(path, sequence, error) || !ByteSink_Open(&sink, path, sequence->allocator, error))
        return false;
    putMdd(&sink, sequence);
    bool isWritten = ByteSink_Commit(&sink, error);
    ByteSink_Release(&sink);
    return isWritten;
}
