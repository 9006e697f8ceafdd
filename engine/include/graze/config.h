// What every public header stands on: linkage, version, and the conditions without which answers would not be what
// the other headers promise. Threads: any.
#ifndef GRAZE_CONFIG_H
#define GRAZE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The build reads the version from here; it is written nowhere else.
#define GRZ_VERSION_MAJOR 0
#define GRZ_VERSION_MINOR 1
#define GRZ_VERSION_PATCH 0

// Exact decisions and equal bytes need IEEE arithmetic as written. -ffast-math breaks both without a word.
#if defined(__FAST_MATH__)
#    error "graze cannot be used with -ffast-math: its answers rest on IEEE arithmetic"
#endif

#if defined(__cplusplus) && __cplusplus < 201703L
#    if !defined(_MSVC_LANG) || _MSVC_LANG < 201703L // __cplusplus is 199711L there, whatever is asked for
#        error "graze's headers need C++17 or later (-std=c++17)"
#    endif
#endif

// Users of the shared library have GRAZE_SHARED set (by graze::graze and graze.pc). Only the import side needs it.
#if defined(_WIN32)
#    if defined(GRAZE_BUILDING)
#        define GRZ_API __declspec(dllexport)
#    elif defined(GRAZE_SHARED)
#        define GRZ_API __declspec(dllimport)
#    else
#        define GRZ_API
#    endif
#else
#    define GRZ_API __attribute__((visibility("default")))
#endif

// GRZ_CAST is for these headers alone: hosts may compile them with -Wold-style-cast.
#if defined(__cplusplus)
#    define GRZ_EXTERN_C_BEGIN                 extern "C" {
#    define GRZ_EXTERN_C_END                   }
#    define GRZ_STATIC_ASSERT(condition, text) static_assert(condition, text)
#    define GRZ_CAST(type, value)              static_cast<type>(value)
#else
#    define GRZ_EXTERN_C_BEGIN
#    define GRZ_EXTERN_C_END
#    define GRZ_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#    define GRZ_CAST(type, value)              ((type)(value))
#endif

#if defined(__GNUC__)
#    define GRZ_NODISCARD __attribute__((warn_unused_result))
#else
#    define GRZ_NODISCARD
#endif

GRZ_EXTERN_C_BEGIN

typedef struct grzVersion {
    int major, minor, patch;
} grzVersion;

// The version of the library that is linked, which may differ from the headers that were compiled against.
GRZ_API grzVersion grzGetVersion(void);

GRZ_EXTERN_C_END

#endif
