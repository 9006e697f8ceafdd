// A whole file in memory.
#ifndef GRAZE_APP_FILE_BYTES_H
#define GRAZE_APP_FILE_BYTES_H

#include "array.h"
#include "mesh_data.h"

typedef struct FileBytes {
    GRZ_ARRAY(char);
} FileBytes;

// Reads all of the file, whatever it is (a pipe too), but a directory. On failure *bytes is empty and
// *error says why.
bool FileBytes_Read(FileBytes* bytes, const char* path, const grzAllocator* allocator, FileError* error);
void FileBytes_Release(FileBytes* bytes, const grzAllocator* allocator);

#endif
