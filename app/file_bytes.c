// What: reads a whole file.
// Idea: the size that the system states is only where the buffer starts; what counts is what arrives until the end,
// so that a pipe, or a file that grows meanwhile, is read as well.
#define _POSIX_C_SOURCE 200809L

#include "file_bytes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "file_error.h"
#include "result_make.h"

static bool readAll(FileBytes* bytes, FILE* file, const char* path, const grzAllocator* allocator,
                    FileError* error) {
    struct stat status;
    if (fstat(fileno(file), &status) != 0)
        return failFile(error, path, "cannot be read: %s", strerror(errno));
    if (S_ISDIR(status.st_mode))
        return failFile(error, path, "is a directory");
    size_t wanted = status.st_size > 0 ? (size_t)status.st_size + 1 : 65536;
    for (;;) {
        if (!grzArray_Reserve(bytes, allocator, wanted))
            return failResult(error, path, grzNoMemory(wanted, 1));
        bytes->count += fread(bytes->data + bytes->count, 1, bytes->capacity - bytes->count, file);
        if (ferror(file))
            return failFile(error, path, "cannot be read: %s", strerror(errno));
        if (feof(file))
            return true;
        wanted = bytes->count + 1;
    }
}

bool FileBytes_Read(FileBytes* bytes, const char* path, const grzAllocator* allocator, FileError* error) {
    memset(bytes, 0, sizeof *bytes);
    FILE* file = fopen(path, "rb");
    if (file == NULL)
        return failFile(error, path, "cannot be opened: %s", strerror(errno));
    bool isRead = readAll(bytes, file, path, allocator, error);
    fclose(file);
    if (!isRead)
        FileBytes_Release(bytes, allocator);
    return isRead;
}

void FileBytes_Release(FileBytes* bytes, const grzAllocator* allocator) {
    grzArray_Release(bytes, allocator);
}
