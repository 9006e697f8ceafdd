// What a vertex cache says of itself, PC2 or MDD: the reader of whole files and the one of single frames share it.
//
//   PC2, little-endian                    MDD, big-endian
//     char    mark[12] "POINTCACHE2"        int32   frames
//     int32   version  1                    int32   points
//     int32   points                        float   times[frames]
//     float   start, step                   float   positions[frames][points][3]
//     int32   frames
//     float   positions[frames][points][3]
#ifndef GRAZE_APP_SEQUENCE_HEADER_H
#define GRAZE_APP_SEQUENCE_HEADER_H

#include "mesh_data.h"

typedef enum SequenceForm {
    sequence_pc2,
    sequence_mdd,
} SequenceForm;

#define SEQUENCE_HEADER_SIZE 32 // of the longer of the two

typedef struct SequenceHeader {
    SequenceForm form;
    size_t vertexCount;
    size_t frameCount;
    float start, step;        // PC2
    uint64_t timesOffset;     // MDD
    uint64_t positionsOffset; // of frame 0
    uint64_t frameSize;       // bytes
} SequenceHeader;

// The first `size` bytes of a file of `fileSize` bytes in all, what errors call it, and where they go.
typedef struct SequenceSource {
    const char* bytes;
    size_t size;
    uint64_t fileSize;
    const char* name;
    FileError* error;
} SequenceSource;

// Reads the fixed part, and refuses counts that the file does not hold to the byte.
bool SequenceHeader_Read(SequenceHeader* header, SequenceForm form, const SequenceSource* source);
// PC2 by its first bytes, else MDD, which has no mark.
SequenceForm sequenceFormOf(const char* bytes, size_t size);

// Turns `count` floats from the file's order of bytes to this machine's, in place or not.
void SequenceHeader_Decode(const SequenceHeader* header, const char* bytes, float* numbers, size_t count);
// All times, rising and finite; `bytes` are those of the file at timesOffset (MDD only).
bool SequenceHeader_Times(const SequenceHeader* header, const char* bytes, float* times, const char* name,
                          FileError* error);
// Refuses a frame with a coordinate that is not finite.
bool SequenceHeader_CheckFrame(const SequenceHeader* header, size_t frame, const float* positions, const char* name,
                               FileError* error);

#endif
