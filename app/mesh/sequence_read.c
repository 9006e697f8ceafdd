// What: reads PC2 and MDD caches, whole or by frames.
// Idea: a header that fits the file's size to the byte tells where each frame stands, so that a frame is one read
// into the caller's buffer, turned there.
#define _POSIX_C_SOURCE   200809L
#define _FILE_OFFSET_BITS 64

#include "sequence_read.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file_bytes.h"
#include "file_error.h"
#include "memory.h"
#include "result_make.h"

static bool readFrames(const SequenceHeader* header, const SequenceSource* file, SequenceData* data) {
    if (!SequenceHeader_Times(header, file->bytes + header->timesOffset, data->times, file->name, file->error))
        return false;
    for (size_t i = 0; i < header->frameCount; ++i) {
        float* positions = data->positions + i * header->vertexCount * 3;
        const char* source = file->bytes + header->positionsOffset + i * header->frameSize;
        SequenceHeader_Decode(header, source, positions, header->vertexCount * 3);
        if (!SequenceHeader_CheckFrame(header, i, positions, file->name, file->error))
            return false;
    }
    return true;
}

static bool readWhole(SequenceForm form, const SequenceSource* source, grzAllocator allocator, SequenceData* out) {
    memset(out, 0, sizeof *out);
    SequenceHeader header;
    if (!SequenceHeader_Read(&header, form, source))
        return false;
    SequenceData data;
    grzResult result = SequenceData_Create(&data, allocator, header.vertexCount, header.frameCount);
    if (!grzResult_IsOk(result))
        return failResult(source->error, source->name, result);
    bool isRead = readFrames(&header, source, &data);
    if (isRead)
        *out = data;
    else
        SequenceData_Release(&data);
    return isRead;
}

bool readPc2(const char* bytes, size_t size, const char* name, grzAllocator allocator, SequenceData* out,
             FileError* error) {
    return readWhole(sequence_pc2, &(SequenceSource){bytes, size, size, name, error}, allocator, out);
}

bool readMdd(const char* bytes, size_t size, const char* name, grzAllocator allocator, SequenceData* out,
             FileError* error) {
    return readWhole(sequence_mdd, &(SequenceSource){bytes, size, size, name, error}, allocator, out);
}

bool readSequence(const char* path, grzAllocator allocator, SequenceData* out, FileError* error) {
    memset(out, 0, sizeof *out);
    grzAllocator owner = grzAllocator_OrDefault(allocator);
    FileBytes bytes;
    if (!FileBytes_Read(&bytes, path, &owner, error))
        return false;
    SequenceForm form = sequenceFormOf(bytes.data, bytes.count);
    SequenceSource source = {bytes.data, bytes.count, bytes.count, path, error};
    bool isRead = readWhole(form, &source, owner, out);
    FileBytes_Release(&bytes, &owner);
    return isRead;
}

// Some of the file into `bytes`, past the C library's buffer, which would keep an old state of the file; the size
// is known to be there, unless the file has been cut since.
static bool readAt(SequenceReader* reader, uint64_t offset, void* bytes, size_t size, FileError* error) {
    size_t done = 0;
    while (done < size) {
        ssize_t count = pread(fileno(reader->file), (char*)bytes + done, size - done, (off_t)(offset + done));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return failAtByte(error, reader->name, offset + done, "cannot be read: %s", strerror(errno));
        if (count == 0)
            return failAtByte(error, reader->name, offset + done, "the file has become shorter");
        done += (size_t)count;
    }
    return true;
}

static bool openFile(SequenceReader* reader, const char* path, uint64_t* size, FileError* error) {
    struct stat status;
    reader->file = fopen(path, "rb");
    if (reader->file == NULL)
        return failFile(error, path, "cannot be opened: %s", strerror(errno));
    if (fstat(fileno(reader->file), &status) != 0)
        return failFile(error, path, "cannot be read: %s", strerror(errno));
    if (S_ISDIR(status.st_mode))
        return failFile(error, path, "is a directory");
    if (!S_ISREG(status.st_mode))
        return failFile(error, path, "is no ordinary file, so that single frames cannot be read from it");
    *size = (uint64_t)status.st_size;
    return true;
}

static bool readHeader(SequenceReader* reader, uint64_t fileSize, FileError* error) {
    char bytes[SEQUENCE_HEADER_SIZE];
    size_t size = fileSize < sizeof bytes ? (size_t)fileSize : sizeof bytes;
    SequenceSource source = {bytes, size, fileSize, reader->name, error};
    return readAt(reader, 0, bytes, size, error) &&
           SequenceHeader_Read(&reader->header, sequenceFormOf(bytes, size), &source);
}

static bool copyName(SequenceReader* reader, const char* path, FileError* error) {
    size_t size = strlen(path) + 1;
    reader->name = grzAllocate(&reader->allocator, size, 1, 1);
    if (reader->name == NULL)
        return failResult(error, path, grzNoMemory(size, 1));
    memcpy(reader->name, path, size);
    return true;
}

// The times are turned in place: each float is read before it is written.
static bool readTimes(SequenceReader* reader, FileError* error) {
    const SequenceHeader* header = &reader->header;
    reader->times = grzAllocate(&reader->allocator, header->frameCount, sizeof(float), sizeof(float));
    if (reader->times == NULL)
        return failResult(error, reader->name, grzNoMemory(header->frameCount, sizeof(float)));
    if (header->form == sequence_mdd &&
        !readAt(reader, header->timesOffset, reader->times, header->frameCount * sizeof(float), error))
        return false;
    return SequenceHeader_Times(header, (const char*)reader->times, reader->times, reader->name, error);
}

bool SequenceReader_Open(SequenceReader* reader, const char* path, grzAllocator allocator, FileError* error) {
    memset(reader, 0, sizeof *reader);
    reader->allocator = grzAllocator_OrDefault(allocator);
    uint64_t size = 0;
    bool isOpen = openFile(reader, path, &size, error) && copyName(reader, path, error) &&
                  readHeader(reader, size, error) && readTimes(reader, error);
    if (!isOpen)
        SequenceReader_Close(reader);
    return isOpen;
}

bool SequenceReader_ReadFrame(SequenceReader* reader, size_t frame, float* positions, FileError* error) {
    const SequenceHeader* header = &reader->header;
    if (frame >= header->frameCount)
        return failFile(error, reader->name, "has no frame %zu, only %zu", frame, header->frameCount);
    uint64_t offset = header->positionsOffset + frame * header->frameSize;
    if (!readAt(reader, offset, positions, (size_t)header->frameSize, error))
        return false;
    SequenceHeader_Decode(header, (const char*)positions, positions, header->vertexCount * 3);
    return SequenceHeader_CheckFrame(header, frame, positions, reader->name, error);
}

void SequenceReader_Close(SequenceReader* reader) {
    if (reader->file != NULL)
        fclose(reader->file);
    if (reader->name != NULL)
        grzRelease(&reader->allocator, reader->name, strlen(reader->name) + 1, 1, 1);
    grzRelease(&reader->allocator, reader->times, reader->header.frameCount, sizeof(float), sizeof(float));
    memset(reader, 0, sizeof *reader);
}
