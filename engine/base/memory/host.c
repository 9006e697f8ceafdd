// What: the default allocator and the process-wide hooks.   Threads: hooks are set before use, then only read.
#include "graze/host.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

static void* defaultAllocate(void* context, size_t size, size_t alignment) {
    (void)context;
    if (alignment <= _Alignof(max_align_t))
        return malloc(size);
    if (size > SIZE_MAX - alignment)
        return NULL;
    return aligned_alloc(alignment, (size + alignment - 1) & ~(alignment - 1));
}

static void defaultRelease(void* context, void* memory, size_t size, size_t alignment) {
    (void)context, (void)size, (void)alignment;
    free(memory);
}

grzAllocator grzDefaultAllocator(void) {
    grzAllocator allocator = {NULL, defaultAllocate, defaultRelease};
    return allocator;
}

static void defaultLog(void* context, grzLogLevel level, const char* text) {
    (void)context;
    if (level != grz_logInfo)
        fprintf(stderr, "graze: %s\n", text);
}

static void defaultAssert(void* context, const char* condition, const char* file, int line) {
    (void)context;
    fprintf(stderr, "graze: assert failed: %s (%s:%d)\n", condition, file, line);
    abort();
}

static struct {
    grzLogFn* log;
    void* logContext;
    grzAssertFn* assertFailed;
    void* assertContext;
} g_hooks = {defaultLog, NULL, defaultAssert, NULL};

void grzSetLogHook(grzLogFn* hook, void* context) {
    g_hooks.log = hook != NULL ? hook : defaultLog;
    g_hooks.logContext = context;
}

void grzSetAssertHook(grzAssertFn* hook, void* context) {
    g_hooks.assertFailed = hook != NULL ? hook : defaultAssert;
    g_hooks.assertContext = context;
}

void grzAssertFailed(const char* condition, const char* file, int line) {
    g_hooks.assertFailed(g_hooks.assertContext, condition, file, line);
}

// What a hook itself leads to is not logged: a hook that asks a busy world for its time would be called for ever.
static _Thread_local bool t_isLogging;

void grzLog(grzLogLevel level, const char* format, ...) {
    char text[512];
    va_list arguments;
    if (t_isLogging)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    t_isLogging = true;
    g_hooks.log(g_hooks.logContext, level, text);
    t_isLogging = false;
}
