// What: buffered output that leaves a whole file or none.
// Idea: the file grows under a name of its own in the same folder and is renamed at the end, which replaces an
// older file in one step. Readers of that name see the old file or the new one, never a part. What the old file was
// beside its bytes is taken over as far as a new file can: its place, where a symbolic link led to it, and its
// mode. Limits: the new file is not forced to disk; after a power failure it may be missing or empty.
#define _XOPEN_SOURCE 700 // POSIX of 2008, with realpath

#include "byte_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file_error.h"
#include "memory.h"
#include "result_make.h"

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

static bool failWriting(const ByteSink* sink, FileError* error, int number) {
    return failFile(error, sink->path, "cannot be written: %s", strerror(number));
}

// The file behind all symbolic links, so that the name given stays one; the name itself where there is no file yet.
static bool findTarget(ByteSink* sink, FileError* error) {
    GRZ_STATIC_ASSERT(sizeof sink->target >= PATH_MAX, "realpath wants that much");
    if (realpath(sink->path, sink->target) != NULL)
        return true;
    if (errno != ENOENT)
        return failWriting(sink, error, errno);
    struct stat status;
    if (lstat(sink->path, &status) == 0)
        return failFile(error, sink->path, "cannot be written: it is a symbolic link to nothing");
    strcpy(sink->target, sink->path);
    return true;
}

// A file that nobody has: the process and a counter in its name, and a refusal if it is there all the same. The
// name is short, whatever the target's is.
static int openTemporary(ByteSink* sink, mode_t mode) {
    const char* slash = strrchr(sink->target, '/');
    int folderLength = slash != NULL ? (int)(slash + 1 - sink->target) : 0;
    for (unsigned attempt = 0; attempt < 1000; ++attempt) {
        int length = snprintf(sink->temporary, sizeof sink->temporary, "%.*sgraze-%ld-%u.tmp", folderLength,
                              sink->target, (long)getpid(), attempt);
        if (length < 0 || (size_t)length >= sizeof sink->temporary) {
            errno = ENAMETOOLONG;
            break;
        }
        int descriptor = open(sink->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

// Nobody else may look into the new file before it has the old one's mode.
static int openReplacement(ByteSink* sink, mode_t mode) {
    if (access(sink->target, W_OK) != 0)
        return -1;
    int descriptor = openTemporary(sink, S_IRUSR | S_IWUSR);
    if (descriptor < 0 || fchmod(descriptor, mode & 0777) == 0)
        return descriptor;
    int number = errno;
    close(descriptor);
    unlink(sink->temporary);
    errno = number;
    return -1;
}

static int openTarget(ByteSink* sink) {
    struct stat status;
    if (stat(sink->target, &status) != 0)
        return openTemporary(sink, 0666);
    if (S_ISREG(status.st_mode))
        return openReplacement(sink, status.st_mode);
    return open(sink->target, O_WRONLY | O_CLOEXEC); // a folder refuses
}

static bool openFile(ByteSink* sink, FileError* error) {
    if (!findTarget(sink, error))
        return false;
    int descriptor = openTarget(sink);
    if (descriptor < 0) {
        sink->temporary[0] = 0;
        return failWriting(sink, error, errno);
    }
    sink->file = fdopen(descriptor, "wb");
    if (sink->file != NULL)
        return true;
    int number = errno;
    close(descriptor);
    return failWriting(sink, error, number);
}

bool ByteSink_Check(const char* path, FileError* error) {
    ByteSink sink;
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        const int number = S_ISDIR(status.st_mode) ? EISDIR : access(path, W_OK) != 0 ? errno : 0;
        return number == 0 || failFile(error, path, "cannot be written: %s", strerror(number));
    }
    const bool canWrite = ByteSink_Open(&sink, path, (grzAllocator){0}, error);
    if (canWrite)
        ByteSink_Release(&sink);
    return canWrite;
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
    if (grzResult_IsOk(sink->failure) && hasTemporary && rename(sink->temporary, sink->target) != 0)
        setFailure(sink, grzFail(grz_ioFailed, (uint64_t)errno));
    if (grzResult_IsOk(sink->failure)) {
        sink->temporary[0] = 0;
        return true;
    }
    if (sink->failure.status == grz_ioFailed)
        return failWriting(sink, error, (int)sink->failure.value);
    return failResult(error, sink->path, sink->failure);
}

void ByteSink_Release(ByteSink* sink) {
    closeFile(sink);
    if (sink->temporary[0] != 0)
        unlink(sink->temporary);
    grzArray_Release(&sink->bytes, &sink->allocator);
    memset(sink, 0, sizeof *sink);
}
