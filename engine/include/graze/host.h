// What the host may put in place of ours: memory, and what becomes of logs and failed asserts.
//
// An all-zero grzAllocator means the default one (the C library's). allocate and release: both or neither; one
// without the other is grz_badArgument to every call that takes an allocator. An allocator is copied into the
// objects that are made with it; its context must live as long as they do. Allocator calls of one object come from
// any worker thread of its grzTasks, so a host allocator must be thread-safe where tasks have more than one worker.
#ifndef GRAZE_HOST_H
#define GRAZE_HOST_H

#include "graze/config.h"

GRZ_EXTERN_C_BEGIN

// The most workers that a grzTasks may have, and so of all that is kept for each worker.
#define GRZ_MAX_WORKERS 1024

typedef struct grzAllocator {
    void* context;
    // Returns memory of at least `size` bytes aligned to `alignment` (a power of two, at most 4096), or NULL.
    // `size` is never 0. A failure is reported to the caller as grz_outOfMemory; it is never fatal.
    void* (*allocate)(void* context, size_t size, size_t alignment);
    // Gets back what allocate returned, with the same size and alignment. Never called with NULL.
    void (*release)(void* context, void* memory, size_t size, size_t alignment);
} grzAllocator;

// The C library's aligned_alloc and free.
GRZ_API grzAllocator grzDefaultAllocator(void);

typedef enum grzLogLevel {
    grz_logInfo,
    grz_logWarning,
    grz_logError,
} grzLogLevel;

// Hooks are process-wide. Set them before the first other call, from one thread; NULL restores the default. They
// may be called from any thread.
//
// Log: the text is one sentence without a line break and lives only during the call. What a hook leads to by calls of its own is not
// logged. The default writes warnings
// and errors to standard error, prefixed by "graze: ".
typedef void grzLogFn(void* context, grzLogLevel level, const char* text);
GRZ_API void grzSetLogHook(grzLogFn* hook, void* context);

// Assert: called when a check of ours fails in a build with asserts, which is a bug in graze or a broken contract.
// If the hook returns, the program goes on with what it has. By default the condition and its place are printed,
// and the program is aborted.
typedef void grzAssertFn(void* context, const char* condition, const char* file, int line);
GRZ_API void grzSetAssertHook(grzAssertFn* hook, void* context);

GRZ_EXTERN_C_END

#endif
