// Vertex caches to memory: whole, or a frame at a time.
//
// As in mesh_read.h all or nothing, with one sentence that names the file and the byte. PC2 (version 1) and MDD are
// known; a file is PC2 where it begins so, else MDD. Refused: a coordinate or time that is not finite, times that
// do not rise, no points or frames, and a file that is shorter or longer than its header says.
#ifndef GRAZE_APP_SEQUENCE_READ_H
#define GRAZE_APP_SEQUENCE_READ_H

#include <stdio.h>

#include "mesh_data.h"
#include "sequence_header.h"

bool readSequence(const char* path, grzAllocator allocator, SequenceData* out, FileError* error);

// The same for bytes in memory; `name` is what errors call them.
bool readPc2(const char* bytes, size_t size, const char* name, grzAllocator allocator, SequenceData* out,
             FileError* error);
bool readMdd(const char* bytes, size_t size, const char* name, grzAllocator allocator, SequenceData* out,
             FileError* error);

// A cache that stays on disk, for those that are too long for memory. It holds the times and nothing else.
// One thread.
typedef struct SequenceReader {
    grzAllocator allocator;
    SequenceHeader header; // vertexCount, frameCount
    float* times;          // frameCount
    FILE* file;
    char* name;
} SequenceReader;

// Checks the header, the size and the times. On failure *reader is all zeros.
bool SequenceReader_Open(SequenceReader* reader, const char* path, grzAllocator allocator, FileError* error);
// Reads frame `frame`, below frameCount, in any order, into vertexCount * 3 floats; on failure they are undefined.
bool SequenceReader_ReadFrame(SequenceReader* reader, size_t frame, float* positions, FileError* error);
void SequenceReader_Close(SequenceReader* reader);

#endif
