// Where writers put their bytes: a growing buffer in memory, or a file by way of one.
//
//   ByteSink sink = {.allocator = allocator};       // or ByteSink_Open(...) for a file
//   putPly(&sink, mesh, ply_littleEndian);
//   ... sink.bytes.data, sink.bytes.count ...       // or ByteSink_Commit(...)
//   ByteSink_Release(&sink);
//
// A failure sticks: whatever is put later is ignored, so that writers need not ask after each number.
#ifndef GRAZE_APP_BYTE_SINK_H
#define GRAZE_APP_BYTE_SINK_H

#include <stdio.h>

#include "array.h"
#include "mesh_data.h"

// The longest path that a file can be written to, with its closing 0; some 40 bytes less where its own name is
// short.
#define PATH_CAPACITY 4096

typedef struct ByteSink {
    grzAllocator allocator;
    struct {
        GRZ_ARRAY(char);
    } bytes;                       // all of it, or what has not yet gone to the file
    FILE* file;                    // NULL: memory
    grzResult failure;             // the first, or ok
    char path[PATH_CAPACITY];      // as given: what errors call the file
    char target[PATH_CAPACITY];    // the file behind the symbolic links
    char temporary[PATH_CAPACITY]; // that becomes target at the end; "": target itself is written
} ByteSink;

// Opens a new file beside `path`, "graze-PROCESS-NUMBER.tmp", which takes its name only when all is written. A file
// that it replaces must be writable and leaves it its mode, but not its owner; other hard links to it keep the old
// bytes. A symbolic link is followed. What is no ordinary file (a pipe, a terminal, /dev/null) is written in place.
// A signal that ends the process leaves the old file as it was and the new one under its temporary name.
bool ByteSink_Open(ByteSink* sink, const char* path, grzAllocator allocator, FileError* error);
// Whether it could be opened now, with nothing left behind: for programs that write after long work. What is no ordinary file
// is not opened, as readers of a pipe would notice.
bool ByteSink_Check(const char* path, FileError* error);
// Writes what is left, closes, and gives the file its name. False where any of it, or anything before, failed: then
// nothing of it is left and a file of that name is as it was.
bool ByteSink_Commit(ByteSink* sink, FileError* error);
// Gives all back; a file that was not committed is removed.
void ByteSink_Release(ByteSink* sink);

void ByteSink_Put(ByteSink* sink, const void* bytes, size_t size);
void ByteSink_PutText(ByteSink* sink, const char* text);
// The lowest `size` bytes of a number, least first or greatest first.
void ByteSink_PutLittle(ByteSink* sink, uint64_t number, size_t size);
void ByteSink_PutBig(ByteSink* sink, uint64_t number, size_t size);

#endif
