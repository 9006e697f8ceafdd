// What: buffered output that leaves a whole file or none.
// Idea: the file grows under a name of its own in the same folder and is renamed at the end, which replaces an
// older file in one step. Readers of that name see the old file or the new one, never a part.
// Limits: the new file is not forced to disk; after a power failure it may be missing or empty.
#define _POSIX_C_SOURCE 200809L

#include "byte_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file_error.h"
#include "memory.h"

enum { chunkSize = 1 << 18 };

static void setFailure(ByteSink* sink, grzResult failure) {
    if (grzResult_IsOk(sink->failure))
        sink->failure = failure;
}

static void flushBytes(ByteSink* sink) {
    if (fwrite(sink->bytes.data, 1, sink->bytes.count, sink->file) != sink->bytes.count)
        setFailure(sink, grzFail(grz_ioFailed, (uint64_t)errno));
    sink->bytes.count = 0;
}

void ByteSink_Put(ByteSink* sink, const void* bytes, size_t size) {
    if (!grzResult_IsOk(sink->failure) || size == 0)
        return;
    if (sink->file != NULL && sink->bytes.count != 0 && sink->bytes.count + size > chunkSize)
        flushBytes(sink);
    size_t wanted = sink->bytes.count + size;
    if (sink->file != NULL && wanted < chunkSize)
        wanted = chunkSize;
    if (!grzArray_Reserve(&sink->bytes, &sink->allocator, wanted)) {
        setFailure(sink, grzNoMemory(wanted, 1));
        return;
    }
    memcpy(sink->bytes.data + sink->bytes.count, bytes, size);
    sink->bytes.count += size;
}

void ByteSink_PutText(ByteSink* sink, const char* text) {
    ByteSink_Put(sink, text, strlen(text));
}

void ByteSink_PutLittle(ByteSink* sink, uint64_t number, size_t size) {
    unsigned char bytes[8];
    for (size_t i = 0; i < size; ++i)
        bytes[i] = (unsigned char)(number >> (8 * i));
    ByteSink_Put(sink, bytes, size);
}

void ByteSink_PutBig(ByteSink* sink, uint64_t number, size_t size) {
    unsigned char bytes[8];
    for (size_t i = 0; i < size; ++i)
        bytes[i] = (unsigned char)(number >> (8 * (size - 1 - i)));
    ByteSink_Put(sink, bytes, size);
}

// A file that nobody has: the process and a counter in its name, and a refusal if it is there all the same.
static int openTemporary(ByteSink* sink) {
    for (unsigned attempt = 0; attempt < 1000; ++attempt) {
        int length =
            snprintf(sink->temporary, sizeof sink->temporary, "%s.%ld-%u.tmp", sink->path, (long)getpid(), attempt);
        if (length < 0 || (size_t)length >= sizeof sink->temporary) {
            errno = ENAMETOOLONG;
            break;
        }
        int descriptor = open(sink->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

static bool openFile(ByteSink* sink, FileError* error) {
    struct stat status;
    bool exists = stat(sink->path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode))
        return failFile(error, sink->path, "cannot be written: it is a directory");
    bool isInPlace = exists && !S_ISREG(status.st_mode);
    int descriptor = isInPlace ? open(sink->path, O_WRONLY | O_CLOEXEC) : openTemporary(sink);
    if (descriptor < 0) {
        sink->temporary[0] = 0;
        return failFile(error, sink->path, "cannot be written: %s", strerror(errno));
    }
    sink->file = fdopen(descriptor, "wb");
    if (sink->file != NULL)
        return true;
    close(descriptor);
    return failFile(error, sink->path, "cannot be written: %s", strerror(errno));
}

bool ByteSink_Open(ByteSink* sink, const char* path, grzAllocator allocator, FileError* error) {
    memset(sink, 0, sizeof *sink);
    sink->allocator = grzAllocator_OrDefault(allocator);
    if (strlen(path) >= sizeof sink->path)
        return failFile(error, path, "cannot be written: %s", strerror(ENAMETOOLONG));
    strcpy(sink->path, path);
    if (openFile(sink, error))
        return true;
    ByteSink_Release(sink);
    return false;
}

// The buffer of the C library may meet a full disk only here.
static void closeFile(ByteSink* sink) {
    if (sink->file != NULL && fclose(sink->file) != 0)
        setFailure(sink, grzFail(grz_ioFailed, (uint64_t)errno));
    sink->file = NULL;
}

bool ByteSink_Commit(ByteSink* sink, FileError* error) {
    if (grzResult_IsOk(sink->failure))
        flushBytes(sink);
    closeFile(sink);
    bool hasTemporary = sink->temporary[0] != 0;
    if (grzResult_IsOk(sink->failure) && hasTemporary && rename(sink->temporary, sink->path) != 0)
        setFailure(sink, grzFail(grz_ioFailed, (uint64_t)errno));
    if (grzResult_IsOk(sink->failure)) {
        sink->temporary[0] = 0;
        return true;
    }
    if (sink->failure.status == grz_ioFailed)
        return failFile(error, sink->path, "cannot be written: %s", strerror((int)sink->failure.value));
    return failResult(error, sink->path, sink->failure);
}

void ByteSink_Release(ByteSink* sink) {
    closeFile(sink);
    if (sink->temporary[0] != 0)
        unlink(sink->temporary);
    grzArray_Release(&sink->bytes, &sink->allocator);
    memset(sink, 0, sizeof *sink);
}
