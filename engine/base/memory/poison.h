// AddressSanitizer's poison: memory that must not be read or written until it is unpoisoned. Nothing in builds without it.
#ifndef GRAZE_BASE_POISON_H
#define GRAZE_BASE_POISON_H

#if defined(__SANITIZE_ADDRESS__)
#    define GRZ_HAS_ASAN 1
#elif defined(__has_feature)
#    if __has_feature(address_sanitizer)
#        define GRZ_HAS_ASAN 1
#    endif
#endif
#if !defined(GRZ_HAS_ASAN)
#    define GRZ_HAS_ASAN 0
#endif

#if GRZ_HAS_ASAN
#    include <sanitizer/asan_interface.h>
#else
#    define ASAN_POISON_MEMORY_REGION(memory, size)   ((void)(memory), (void)(size))
#    define ASAN_UNPOISON_MEMORY_REGION(memory, size) ((void)(memory), (void)(size))
#endif

#endif
